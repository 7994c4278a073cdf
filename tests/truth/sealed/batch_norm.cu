// Batch normalisation of 128 images of 96 channels: statistics of planes with a block a channel,
// applied to planes by vectors, sums for the gradients, statistics with channels last by partial
// sums and atomics, and applied with a rectifier to half precision with channels last.
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
#include <cuda_fp16.h>

constexpr int IMAGES = 128, CHANNELS = 96, AREA = 28 * 28;

template <int THREADS> __device__ inline float2 block_sums(float a, float b)
{
    __shared__ float2 part[THREADS / 32];
    for (int step = 16; step; step /= 2) {
        a += __shfl_down_sync(~0u, a, step);
        b += __shfl_down_sync(~0u, b, step);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    if (threadIdx.x < 32) {
        float2 p = threadIdx.x < THREADS / 32 ? part[threadIdx.x] : make_float2(0, 0);
        a = p.x, b = p.y;
        for (int step = 16; step; step /= 2) {
            a += __shfl_down_sync(~0u, a, step);
            b += __shfl_down_sync(~0u, b, step);
        }
    }
    return make_float2(a, b);
}

__global__ void __launch_bounds__(512)
    statistics(const float *__restrict__ x, float2 *__restrict__ out)
{
    int c = blockIdx.x;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < IMAGES * AREA; i += 512) {
        int image = i / AREA, at = i % AREA;
        float v = x[(image * CHANNELS + c) * AREA + at];
        sum += v;
        squares += v * v;
    }
    float2 s = block_sums<512>(sum, squares);
    if (threadIdx.x == 0) {
        float mean = s.x / (IMAGES * AREA);
        out[c] = make_float2(mean, rsqrtf(s.y / (IMAGES * AREA) - mean * mean + 1e-5f));
    }
}

__global__ void apply(const float4 *__restrict__ x, const float2 *__restrict__ stats,
                      const float2 *__restrict__ weights, float4 *__restrict__ out)
{
    int plane = blockIdx.x, c = plane % CHANNELS, i = plane * (AREA / 4) + threadIdx.x;
    if (threadIdx.x >= AREA / 4)
        return;
    float2 s = stats[c], w = weights[c];
    float a = s.y * w.x, b = w.y - s.x * a;
    float4 v = x[i];
    out[i] = make_float4(v.x * a + b, v.y * a + b, v.z * a + b, v.w * a + b);
}

// sums of dy and of dy times the normalised input
__global__ void __launch_bounds__(1024)
    gradients(const float4 *__restrict__ x, const float4 *__restrict__ dy,
              const float2 *__restrict__ stats, float2 *__restrict__ out)
{
    int c = blockIdx.x;
    float2 s = stats[c];
    float a = 0, b = 0;
    for (int image = threadIdx.x / 256; image < IMAGES; image += 4) {
        int at = threadIdx.x % 256;
        if (at < AREA / 4) {
            int i = (image * CHANNELS + c) * (AREA / 4) + at;
            float4 v = x[i], d = dy[i];
            a += d.x + d.y + d.z + d.w;
            b += d.x * (v.x - s.x) + d.y * (v.y - s.x) + d.z * (v.z - s.x) + d.w * (v.w - s.x);
        }
    }
    float2 sum = block_sums<1024>(a, b * s.y);
    if (threadIdx.x == 0)
        out[c] = sum;
}

// 96 channels x 4 rows of points a block
__global__ void __launch_bounds__(384)
    channels_last(const float *__restrict__ x, float *sums, float *squares, int points)
{
    __shared__ float one[4][CHANNELS], two[4][CHANNELS];
    int c = threadIdx.x, first = blockIdx.x * points;
    float a = 0, b = 0;
    for (int p = threadIdx.y; p < points; p += 4) {
        float v = x[(first + p) * CHANNELS + c];
        a += v;
        b += v * v;
    }
    one[threadIdx.y][c] = a;
    two[threadIdx.y][c] = b;
    __syncthreads();
    if (threadIdx.y == 0) {
        atomicAdd(sums + c, one[0][c] + one[1][c] + one[2][c] + one[3][c]);
        atomicAdd(squares + c, two[0][c] + two[1][c] + two[2][c] + two[3][c]);
    }
}

__global__ void rectify_half(const __half2 *__restrict__ x, const __half2 *__restrict__ a,
                             const __half2 *__restrict__ b, __half2 *__restrict__ out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int c = i % (CHANNELS / 2);
        out[i] = __hmax2(__hfma2(x[i], a[c], b[c]), __float2half2_rn(0));
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = IMAGES * CHANNELS * AREA;
    Lcg random(23);
    std::vector<float> x = random.floats(count, -1, 2), dy = random.floats(count, -1, 1);
    std::vector<float2> stats(CHANNELS), weights(CHANNELS), sums(CHANNELS);
    std::vector<double> last(2 * CHANNELS);
    for (int c = 0; c < CHANNELS; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < IMAGES * AREA; i++) {
            double v = x[(i / AREA * CHANNELS + c) * AREA + i % AREA];
            double u = x[i * CHANNELS + c];
            sum += v, squares += v * v;
            last[c] += u, last[c + CHANNELS] += u * u;
        }
        double mean = sum / (IMAGES * AREA);
        stats[c] = make_float2(mean, 1 / std::sqrt(squares / (IMAGES * AREA) - mean * mean + 1e-5));
        weights[c] = make_float2(random.between(0.5, 1.5), random.between(-1, 1));
        double a = 0, b = 0;
        for (int i = 0; i < IMAGES * AREA; i++) {
            int at = (i / AREA * CHANNELS + c) * AREA + i % AREA;
            a += dy[at];
            b += dy[at] * (x[at] - mean) * stats[c].y;
        }
        sums[c] = make_float2(a, b);
    }
    std::vector<__half> half_x(count), half_a(CHANNELS), half_b(CHANNELS);
    for (int i = 0; i < count; i++)
        half_x[i] = __float2half(x[i]);
    for (int c = 0; c < CHANNELS; c++) {
        half_a[c] = __float2half(weights[c].x);
        half_b[c] = __float2half(weights[c].y);
    }
    float *X = copy(x), *DY = copy(dy), *out = room<float>(count), *one = room<float>(CHANNELS),
          *two = room<float>(CHANNELS);
    float2 *S = copy(stats), *W = copy(weights), *small = room<float2>(CHANNELS);
    __half *HX = copy(half_x), *HA = copy(half_a), *HB = copy(half_b),
           *half_out = room<__half>(count);
    auto wiped = [&] {
        fill(out, count, 0xff);
        fill(half_out, count, 0xff);
        fill(small, CHANNELS, 0xff);
        fill(one, CHANNELS, 0);
        fill(two, CHANNELS, 0);
    };
    auto pairs = [&](const std::vector<float2> &expected, double tolerance) {
        return differ((float *)small, 2 * CHANNELS, 1, tolerance,
                      [&](size_t i) { return i % 2 ? expected[i / 2].y : expected[i / 2].x; });
    };
    variant(
        "statistics", "statistics", wiped, [&] { statistics<<<CHANNELS, 512>>>(X, small); },
        [&] { return pairs(stats, 1e-4); });
    variant(
        "apply", "apply", wiped,
        [&] { apply<<<IMAGES * CHANNELS, 224>>>((float4 *)X, S, W, (float4 *)out); },
        [&] {
            return differ(out, count, 3, 1e-4, [&](size_t i) {
                int c = i / AREA % CHANNELS;
                return (x[i] - stats[c].x) * stats[c].y * weights[c].x + weights[c].y;
            });
        });
    variant(
        "gradients", "gradients", wiped,
        [&] { gradients<<<CHANNELS, 1024>>>((float4 *)X, (float4 *)DY, S, small); },
        [&] { return pairs(sums, 2e-3); });
    variant(
        "channels_last", "channels_last", wiped,
        [&] { channels_last<<<IMAGES * AREA / 112, dim3(CHANNELS, 4)>>>(X, one, two, 112); },
        [&] {
            return differ(one, CHANNELS, 1, 1e-4, [&](size_t c) { return last[c]; }) +
                   differ(two, CHANNELS, 1, 1e-4, [&](size_t c) { return last[c + CHANNELS]; });
        });
    variant(
        "rectify_half", "rectify_half", wiped,
        [&] {
            rectify_half<<<132 * 4, 384>>>((__half2 *)HX, (__half2 *)HA, (__half2 *)HB,
                                           (__half2 *)half_out, count / 2);
        },
        [&] {
            std::vector<__half> got = fetch(half_out, count);
            long bad = 0;
            for (int i = 0; i < count; i += 5) {
                float v = __half2float(half_x[i]) * __half2float(half_a[i % CHANNELS]) +
                          __half2float(half_b[i % CHANNELS]);
                bad += !near(__half2float(got[i]), std::max(v, 0.f), 2e-3);
            }
            return bad;
        });
    return finish();
}
