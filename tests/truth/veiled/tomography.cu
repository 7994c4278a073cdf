// Pictures of the inside of bodies: lines summed through a picture, values carried back along lines
// from global memory and through a layered texture, a ramp filter of each line in shared memory,
// and cones of rays carried back into a volume.
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

constexpr int SIDE = 256, LINES = 384, ANGLES = 90;

__constant__ float2 turns[ANGLES];

__host__ __device__ inline float sampled(const float *picture, float x, float y)
{
    int left = (int)floorf(x), top = (int)floorf(y);
    if (left < 0 || top < 0 || left >= SIDE - 1 || top >= SIDE - 1)
        return 0;
    const float *p = picture + top * SIDE + left;
    x -= left, y -= top;
    return (1 - y) * ((1 - x) * p[0] + x * p[1]) + y * ((1 - x) * p[SIDE] + x * p[SIDE + 1]);
}

__host__ __device__ inline float line_sum(const float *picture, float2 turn, int line)
{
    float s = line - LINES / 2 + 0.5f, sum = 0;
    for (int k = 0; k < LINES; k++) {
        float along = k - LINES / 2 + 0.5f;
        sum += sampled(picture, SIDE / 2 + s * turn.x - along * turn.y,
                       SIDE / 2 + s * turn.y + along * turn.x);
    }
    return sum;
}

__global__ void forwards(const float *__restrict__ picture, float *__restrict__ out)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x, angle = blockIdx.y;
    out[angle * LINES + line] = line_sum(picture, turns[angle], line);
}

__global__ void back_global(const float *__restrict__ lines, float *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float u = x - SIDE / 2 + 0.5f, v = y - SIDE / 2 + 0.5f, sum = 0;
#pragma unroll 4
    for (int a = 0; a < ANGLES; a++) {
        float s = u * turns[a].x + v * turns[a].y + LINES / 2 - 0.5f;
        int at = (int)s;
        float part = s - at;
        sum += (1 - part) * lines[a * LINES + at] + part * lines[a * LINES + at + 1];
    }
    out[y * SIDE + x] = sum;
}

__global__ void back_texture(cudaTextureObject_t lines, float *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float u = x - SIDE / 2 + 0.5f, v = y - SIDE / 2 + 0.5f, sum = 0;
#pragma unroll 4
    for (int a = 0; a < ANGLES; a++)
        sum += tex2D<float>(lines, u * turns[a].x + v * turns[a].y + LINES / 2, a + 0.5f);
    out[y * SIDE + x] = sum;
}

// weights of odd distances only, apart from the middle
__host__ __device__ inline float ramp(int distance)
{
    return distance == 0 ? 0.25f : distance & 1 ? -0.101321184f / (distance * distance) : 0;
}

__global__ void __launch_bounds__(LINES)
    filter(const float *__restrict__ lines, float *__restrict__ out)
{
    __shared__ float own[3 * LINES], weights[2 * LINES];
    int t = threadIdx.x;
    own[t] = own[t + 2 * LINES] = 0;
    own[t + LINES] = lines[blockIdx.x * LINES + t];
    weights[t] = ramp(t - LINES), weights[t + LINES] = ramp(t);
    __syncthreads();
    float sum = 0.25f * own[t + LINES];
#pragma unroll 8
    for (int k = 1 - LINES; k < LINES; k += 2)
        sum += weights[k + LINES] * own[t + LINES + k];
    out[blockIdx.x * LINES + t] = sum;
}

// a source that goes around; a thread has a column of the volume in steps along z
constexpr int CUBE = 64, DETECTOR = 128, VIEWS = 45;

__host__ __device__ inline float view(const float *shadow, float2 turn, float x, float y, float z)
{
    float depth = 200 + x * turn.y - y * turn.x, near = 300 / depth, u, v;
    u = (x * turn.x + y * turn.y) * near + DETECTOR / 2, v = z * near + DETECTOR / 2;
    int left = (int)floorf(u), top = (int)floorf(v);
    if (left < 0 || top < 0 || left >= DETECTOR - 1 || top >= DETECTOR - 1)
        return 0;
    const float *p = shadow + top * DETECTOR + left;
    u -= left, v -= top;
    return near * near *
           ((1 - v) * ((1 - u) * p[0] + u * p[1]) +
            v * ((1 - u) * p[DETECTOR] + u * p[DETECTOR + 1]));
}

__global__ void __launch_bounds__(128)
    cones(const float *__restrict__ shadows, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 8;
    float sum[8] = {};
    for (int a = 0; a < VIEWS; a++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum[k] += view(shadows + a * DETECTOR * DETECTOR, turns[a * (ANGLES / VIEWS)],
                           x - CUBE / 2, y - CUBE / 2, z + k - CUBE / 2);
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[((z + k) * CUBE + y) * CUBE + x] = sum[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(281);
    std::vector<float2> turn(ANGLES);
    for (int a = 0; a < ANGLES; a++)
        turn[a] = make_float2(cosf(a * 3.14159265f / ANGLES), sinf(a * 3.14159265f / ANGLES));
    must(cudaMemcpyToSymbol(turns, turn.data(), sizeof turns));
    std::vector<float> picture(SIDE * SIDE), lines(ANGLES * LINES),
        shadows = random.floats(VIEWS * DETECTOR * DETECTOR);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float x = i % SIDE - 100.0f, y = i / SIDE - 140.0f;
        picture[i] =
            x * x + 2 * y * y < 6000 ? 1 + 0.3f * sinf(x * 0.2f) : random.between(0, 0.05f);
    }
    for (int i = 0; i < ANGLES * LINES; i++)
        lines[i] = sinf(i % LINES * 0.02f + i / LINES * 0.05f) + 0.2f * sinf(i % LINES * 0.3f);
    float *P = copy(picture), *L = copy(lines), *S = copy(shadows),
          *out = room<float>(CUBE * CUBE * CUBE);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&array, &format, LINES, ANGLES));
    must(cudaMemcpy2DToArray(array, 0, 0, lines.data(), LINES * sizeof(float),
                             LINES * sizeof(float), ANGLES, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    auto wiped = [&] { fill(out, CUBE * CUBE * CUBE, 0x77); };
    auto back = [&](double tolerance) {
        return differ(out, SIDE * SIDE, 19, tolerance, [&](size_t i) {
            double sum = 0, u = (int)(i % SIDE) - SIDE / 2 + 0.5,
                   v = (int)(i / SIDE) - SIDE / 2 + 0.5;
            for (int a = 0; a < ANGLES; a++) {
                double s = u * turn[a].x + v * turn[a].y + LINES / 2 - 0.5;
                int at = (int)s;
                sum +=
                    (1 - (s - at)) * lines[a * LINES + at] + (s - at) * lines[a * LINES + at + 1];
            }
            return sum;
        });
    };
    const dim3 grid(SIDE / 16, SIDE / 16), block(16, 16);
    variant(
        "forwards", "forwards", wiped,
        [&] { forwards<<<dim3(LINES / 128, ANGLES), 128>>>(P, out); },
        [&] {
            return differ(out, ANGLES * LINES, 31, 2e-3, [&](size_t i) {
                return line_sum(picture.data(), turn[i / LINES], i % LINES);
            });
        });
    variant(
        "back_global", "back_global", wiped, [&] { back_global<<<grid, block>>>(L, out); },
        [&] { return back(1e-3); });
    variant(
        "back_texture", "back_texture", wiped, [&] { back_texture<<<grid, block>>>(texture, out); },
        [&] { return back(5e-3); });
    variant(
        "filter", "filter", wiped, [&] { filter<<<ANGLES, LINES>>>(L, out); },
        [&] {
            return differ(out, ANGLES * LINES, 7, 1e-4, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < LINES; k++)
                    sum += lines[i / LINES * LINES + k] * ramp(k - (int)(i % LINES));
                return sum;
            });
        });
    variant(
        "cones", "cones", wiped,
        [&] { cones<<<dim3(CUBE / 32, CUBE / 4, CUBE / 8), dim3(32, 4)>>>(S, out); },
        [&] {
            long other = differ(out, CUBE * CUBE * CUBE, 97, 5e-3, [&](size_t i) {
                int x = i % CUBE, y = i / CUBE % CUBE, z = i / CUBE / CUBE;
                float sum = 0;
                for (int a = 0; a < VIEWS; a++)
                    sum += view(&shadows[a * DETECTOR * DETECTOR], turn[a * (ANGLES / VIEWS)],
                                x - CUBE / 2, y - CUBE / 2, z - CUBE / 2);
                return sum;
            });
            return other > 30 ? other : 0; // at the rim a ray may be rounded inwards or outwards
        });
    return finish();
}
