// Depthwise convolution: 3 x 3 of planes directly and from a shared tile, channels last with four
// channels a thread, 7 x 7 from a shared tile.
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

constexpr int SIDE = 128;

// planes of SIDE x SIDE, one filter a plane; blockIdx.z is the plane
template <int K>
__global__ void planes_direct(const float *__restrict__ x, const float *__restrict__ filter,
                              float *__restrict__ y, int channels)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const float *plane = x + (size_t)blockIdx.z * SIDE * SIDE,
                *f = filter + blockIdx.z % channels * K * K;
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < K; dy++)
#pragma unroll
        for (int dx = 0; dx < K; dx++) {
            int r = row + dy - K / 2, c = column + dx - K / 2;
            if (r >= 0 && r < SIDE && c >= 0 && c < SIDE)
                sum += f[dy * K + dx] * plane[r * SIDE + c];
        }
    y[(size_t)blockIdx.z * SIDE * SIDE + row * SIDE + column] = sum;
}

template <int K, int W, int H>
__global__ void planes_tile(const float *__restrict__ x, const float *__restrict__ filter,
                            float *__restrict__ y, int channels)
{
    __shared__ float tile[H + K - 1][W + K - 1], f[K * K];
    const float *plane = x + (size_t)blockIdx.z * SIDE * SIDE;
    int me = threadIdx.y * W + threadIdx.x, left = blockIdx.x * W - K / 2,
        top = blockIdx.y * H - K / 2;
    if (me < K * K)
        f[me] = filter[blockIdx.z % channels * K * K + me];
    for (int i = me; i < (H + K - 1) * (W + K - 1); i += W * H) {
        int r = top + i / (W + K - 1), c = left + i % (W + K - 1);
        tile[i / (W + K - 1)][i % (W + K - 1)] =
            r >= 0 && r < SIDE && c >= 0 && c < SIDE ? plane[r * SIDE + c] : 0;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < K; dy++)
#pragma unroll
        for (int dx = 0; dx < K; dx++)
            sum += f[dy * K + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    y[(size_t)blockIdx.z * SIDE * SIDE + (blockIdx.y * H + threadIdx.y) * SIDE + blockIdx.x * W +
      threadIdx.x] = sum;
}

// channels last; filter by places, then channels
__global__ void channels_last(const float4 *__restrict__ x, const float4 *__restrict__ filter,
                              float4 *__restrict__ y, int vectors, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points * vectors)
        return;
    int channel = i % vectors, point = i / vectors, column = point % SIDE,
        row = point / SIDE % SIDE;
    float4 sum = {0, 0, 0, 0};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (row + dy < 0 || row + dy >= SIDE || column + dx < 0 || column + dx >= SIDE)
                continue;
            float4 v = x[i + (dy * SIDE + dx) * vectors],
                   f = filter[((dy + 1) * 3 + dx + 1) * vectors + channel];
            sum.x += v.x * f.x;
            sum.y += v.y * f.y;
            sum.z += v.z * f.z;
            sum.w += v.w * f.w;
        }
    y[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int channels = 64, planes = 256, count = planes * SIDE * SIDE;
    Lcg random(131);
    std::vector<float> values = random.floats(count, -1, 1),
                       filters = random.floats(channels * 49, -1, 1);
    float *x = copy(values), *filter = copy(filters), *y = room<float>(count);
    auto wiped = [&] { fill(y, count, 0xff); };
    auto in_planes = [&](size_t i, int k) {
        int plane = i / (SIDE * SIDE), row = i / SIDE % SIDE, column = i % SIDE;
        double sum = 0;
        for (int dy = 0; dy < k; dy++)
            for (int dx = 0; dx < k; dx++) {
                int r = row + dy - k / 2, c = column + dx - k / 2;
                if (r >= 0 && r < SIDE && c >= 0 && c < SIDE)
                    sum += (double)filters[plane % channels * k * k + dy * k + dx] *
                           values[(plane * SIDE + r) * SIDE + c];
            }
        return sum;
    };
    auto three = [&] {
        return differ(y, count, 19, 1e-4, [&](size_t i) { return in_planes(i, 3); });
    };
    variant(
        "direct", "planes_direct", wiped,
        [&] {
            planes_direct<3>
                <<<dim3(SIDE / 32, SIDE / 8, planes), dim3(32, 8)>>>(x, filter, y, channels);
        },
        three);
    variant(
        "tile", "planes_tile", wiped,
        [&] {
            planes_tile<3, 32, 16>
                <<<dim3(SIDE / 32, SIDE / 16, planes), dim3(32, 16)>>>(x, filter, y, channels);
        },
        three);
    variant(
        "channels_last", "channels_last", wiped,
        [&] {
            channels_last<<<count / 4 / 256, 256>>>((const float4 *)x, (const float4 *)filter,
                                                    (float4 *)y, channels / 4, count / channels);
        },
        [&] {
            return differ(y, count, 19, 1e-4, [&](size_t i) {
                int c = i % channels, point = i / channels, column = point % SIDE,
                    row = point / SIDE % SIDE;
                double sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if (row + dy >= 0 && row + dy < SIDE && column + dx >= 0 &&
                            column + dx < SIDE)
                            sum += (double)filters[((dy + 1) * 3 + dx + 1) * channels + c] *
                                   values[i + (dy * SIDE + dx) * channels];
                return sum;
            });
        });
    variant(
        "tile7", "planes_tile", wiped,
        [&] {
            planes_tile<7, 32, 8>
                <<<dim3(SIDE / 32, SIDE / 8, planes / 2), dim3(32, 8)>>>(x, filter, y, channels);
        },
        [&] { return differ(y, count / 2, 37, 1e-4, [&](size_t i) { return in_planes(i, 7); }); });
    return finish();
}
