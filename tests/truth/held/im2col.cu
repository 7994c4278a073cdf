// Convolution by matrices: patches to columns, columns back to an image, a product that makes its
// patches on the way, and a 1 x 1 convolution.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and
// checked. With N, as many warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN
// (microseconds). SUM VARIANT has two check sums of what the host fetched and compared, of whole
// numbers and of others.
static int repeats, found, failed;
static uint64_t whole_sum;
static double real_sum;
static const char *chosen;

static inline void must(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    printf("%s\nFAILED\n", cudaGetErrorString(status));
    exit(2);
}

struct Lcg {
    uint64_t state;
    explicit Lcg(uint64_t seed) : state(seed * 2 + 1)
    {
    }
    uint32_t next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    uint32_t below(uint32_t count)
    {
        return (uint32_t)((uint64_t)next() * count >> 32);
    }
    float unit()
    {
        return (float)(next() >> 8) * 0x1p-24f;
    }
    float between(float low, float high)
    {
        return low + (high - low) * unit();
    }
    std::vector<float> floats(size_t count, float low = 0, float high = 1)
    {
        std::vector<float> values(count);
        for (float &value : values)
            value = between(low, high);
        return values;
    }
};

template <class T> static T *room(size_t count)
{
    void *memory;
    must(cudaMalloc(&memory, count * sizeof(T)));
    return (T *)memory;
}

template <class T> static void fill(T *device, size_t count, int byte)
{
    must(cudaMemset(device, byte, count * sizeof(T)));
}

template <class T> static void put(T *device, const std::vector<T> &host)
{
    must(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T> static T *copy(const std::vector<T> &host)
{
    T *device = room<T>(host.size());
    put(device, host);
    return device;
}

// what racing lanes may leave in another order is not summed
template <class T> static std::vector<T> fetch(const T *device, size_t count, bool summed = true)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    if constexpr (std::is_arithmetic_v<T>)
        for (size_t i = 0; summed && i < count; i++) {
            if (std::is_integral_v<T>)
                whole_sum += (uint64_t)host[i] * (2 * i + 1);
            else if (std::isfinite((double)host[i]))
                real_sum += (double)host[i] * (1 + i % 7);
        }
    return host;
}

[[maybe_unused]] static inline bool near(double got, double expected, double tolerance)
{
    return std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected));
}

// how many of every step-th of count results on the device are not as expected
template <class T, class Expected>
static long differ(const T *device, size_t count, size_t step, double tolerance, Expected expected)
{
    std::vector<T> got = fetch(device, count);
    long bad = 0;
    for (size_t i = 0; i < count; i += step)
        bad += !near((double)got[i], (double)expected(i), tolerance);
    return bad;
}

// prepare() stands before each launch, outside of what is timed; check() counts wrong results
template <class Prepare, class Launch, class Check>
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch,
                    Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    whole_sum = 0, real_sum = 0;
    long bad = check();
    printf("SUM %s %016llx %.4e\n", name, (unsigned long long)whole_sum, real_sum);
    if (bad) {
        printf("WRONG %s: %ld\n", name, bad);
        failed++;
    }
    if (repeats < 1)
        return;
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    std::vector<float> times(repeats);
    for (float &time : times) {
        prepare();
        must(cudaDeviceSynchronize());
        must(cudaEventRecord(begin));
        launch();
        must(cudaEventRecord(end));
        must(cudaEventSynchronize(end));
        must(cudaEventElapsedTime(&time, begin, end));
    }
    std::sort(times.begin(), times.end());
    printf("TIME %s %s %.3f\n", name, kernel, times[repeats / 2] * 1e3);
}

static inline void options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--reps") && i + 1 < argc)
            repeats = atoi(argv[++i]);
        else
            chosen = argv[i];
}

static inline int finish()
{
    if (!found)
        printf("there is no variant %s\n", chosen);
    bool good = found && !failed;
    puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
// ---- end of the frame ----

constexpr int SIDE = 96, IN = 32, OUT = 64, POINTS = SIDE * SIDE, DEPTH = IN * 9;

// columns: DEPTH rows of POINTS
__global__ void to_columns(const float *__restrict__ image, float *__restrict__ columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= IN * POINTS)
        return;
    int channel = i / POINTS, point = i % POINTS, row = point / SIDE, column = point % SIDE;
    float *out = columns + (size_t)channel * 9 * POINTS + point;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++, out += POINTS) {
            int r = row + dy, c = column + dx;
            *out = r >= 0 && r < SIDE && c >= 0 && c < SIDE ? image[channel * POINTS + r * SIDE + c]
                                                            : 0;
        }
}

__global__ void to_image(const float *__restrict__ columns, float *__restrict__ image)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= IN * POINTS)
        return;
    int channel = i / POINTS, row = i % POINTS / SIDE, column = i % SIDE;
    float sum = 0;
    for (int k = 0; k < 9; k++) {
        int r = row - (k / 3 - 1), c = column - (k % 3 - 1);
        if (r >= 0 && r < SIDE && c >= 0 && c < SIDE)
            sum += columns[((size_t)channel * 9 + k) * POINTS + r * SIDE + c];
    }
    image[i] = sum;
}

// 64 outputs of 32 points a block, 8 x 1 a thread; filter by outputs, then depth
__global__ void implicit(const float *__restrict__ image, const float *__restrict__ filter,
                         float *__restrict__ out)
{
    __shared__ float a[16][OUT + 1], b[16][33];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, point = blockIdx.x * 32 + lane;
    float sum[8] = {};
    for (int from = 0; from < DEPTH; from += 16) {
        for (int i = threadIdx.x; i < 16 * OUT; i += 256)
            a[i % 16][i / 16] = filter[i / 16 * DEPTH + from + i % 16];
        for (int k = warp; k < 16; k += 8) {
            int depth = from + k, channel = depth / 9, r = point / SIDE + depth % 9 / 3 - 1,
                c = point % SIDE + depth % 3 - 1;
            b[k][lane] = r >= 0 && r < SIDE && c >= 0 && c < SIDE
                             ? image[channel * POINTS + r * SIDE + c]
                             : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int o = 0; o < 8; o++)
                sum[o] += a[k][warp * 8 + o] * b[k][lane];
        __syncthreads();
    }
    for (int o = 0; o < 8; o++)
        out[(warp * 8 + o) * POINTS + point] = sum[o];
}

// a thread is a point; filters in shared memory
__global__ void pointwise(const float *__restrict__ image, const float *__restrict__ filter,
                          float *__restrict__ out, int points)
{
    __shared__ float4 f[OUT * IN / 4];
    for (int i = threadIdx.x; i < OUT * IN / 4; i += blockDim.x)
        f[i] = ((const float4 *)filter)[i];
    __syncthreads();
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points)
        return;
    float mine[IN];
#pragma unroll
    for (int c = 0; c < IN; c++)
        mine[c] = image[(size_t)c * points + point];
    for (int o = 0; o < OUT; o++) {
        float sum = 0;
#pragma unroll
        for (int c = 0; c < IN / 4; c++) {
            float4 w = f[o * (IN / 4) + c];
            sum += w.x * mine[4 * c] + w.y * mine[4 * c + 1] + w.z * mine[4 * c + 2] +
                   w.w * mine[4 * c + 3];
        }
        out[(size_t)o * points + point] = sum;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int large = 8 * POINTS;
    Lcg random(137);
    std::vector<float> values = random.floats(IN * large, -1, 1),
                       filters = random.floats(OUT * DEPTH, -1, 1),
                       many = random.floats((size_t)DEPTH * POINTS, -1, 1);
    float *image = copy(values), *filter = copy(filters), *given = copy(many),
          *columns = room<float>(DEPTH * POINTS), *out = room<float>((size_t)OUT * large);
    auto wiped = [&] { fill(out, (size_t)OUT * large, 0xff); };
    auto patch = [&](int depth, int point) {
        int r = point / SIDE + depth % 9 / 3 - 1, c = point % SIDE + depth % 3 - 1;
        return r >= 0 && r < SIDE && c >= 0 && c < SIDE ? values[depth / 9 * POINTS + r * SIDE + c]
                                                        : 0.f;
    };
    variant(
        "columns", "to_columns", [&] { fill(columns, DEPTH * POINTS, 0xff); },
        [&] { to_columns<<<IN * POINTS / 256, 256>>>(image, columns); },
        [&] {
            return differ(columns, DEPTH * POINTS, 1, 0,
                          [&](size_t i) { return patch(i / POINTS, i % POINTS); });
        });
    variant(
        "image", "to_image", wiped, [&] { to_image<<<IN * POINTS / 128, 128>>>(given, out); },
        [&] {
            return differ(out, IN * POINTS, 1, 1e-5, [&](size_t i) {
                int row = i % POINTS / SIDE, column = i % SIDE;
                double sum = 0;
                for (int k = 0; k < 9; k++) {
                    int r = row - (k / 3 - 1), c = column - (k % 3 - 1);
                    if (r >= 0 && r < SIDE && c >= 0 && c < SIDE)
                        sum += many[(i / POINTS * 9 + k) * POINTS + r * SIDE + c];
                }
                return sum;
            });
        });
    variant(
        "implicit", "implicit", wiped, [&] { implicit<<<POINTS / 32, 256>>>(image, filter, out); },
        [&] {
            return differ(out, OUT * POINTS, 61, 1e-3, [&](size_t i) {
                double sum = 0;
                for (int d = 0; d < DEPTH; d++)
                    sum += (double)filters[i / POINTS * DEPTH + d] * patch(d, i % POINTS);
                return sum;
            });
        });
    variant(
        "pointwise", "pointwise", wiped,
        [&] { pointwise<<<large / 128, 128>>>(image, filter, out, large); },
        [&] {
            return differ(out, (size_t)OUT * large, 101, 1e-3, [&](size_t i) {
                double sum = 0;
                for (int c = 0; c < IN; c++)
                    sum +=
                        (double)filters[i / large * IN + c] * values[(size_t)c * large + i % large];
                return sum;
            });
        });
    return finish();
}
