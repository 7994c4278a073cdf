// Root-mean-square normalisation of rows: a block a row by vectors, with the residual added before,
// a warp a row of half precision, eight lanes a short row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

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

template <int WIDTH> __device__ float lanes_sum(float v)
{
    for (int step = WIDTH / 2; step; step /= 2)
        v += __shfl_xor_sync(~0u, v, step, WIDTH);
    return v;
}

template <int THREADS> __device__ float block_sum(float v)
{
    __shared__ float parts[THREADS / 32];
    v = lanes_sum<32>(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < THREADS / 32; w++)
        sum += parts[w];
    return sum;
}

__device__ float squares(float4 v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

__device__ float4 scaled(float4 v, float4 weight, float scale)
{
    return make_float4(v.x * weight.x * scale, v.y * weight.y * scale, v.z * weight.z * scale,
                       v.w * weight.w * scale);
}

template <int THREADS, int EACH>
__global__ void norm_block(const float4 *__restrict__ x, const float4 *__restrict__ weight,
                           float4 *__restrict__ y)
{
    size_t row = (size_t)blockIdx.x * THREADS * EACH;
    float4 mine[EACH];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        mine[k] = x[row + k * THREADS + threadIdx.x];
        sum += squares(mine[k]);
    }
    float scale = rsqrtf(block_sum<THREADS>(sum) / (4 * THREADS * EACH) + 1e-6f);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        y[row + k * THREADS + threadIdx.x] =
            scaled(mine[k], weight[k * THREADS + threadIdx.x], scale);
}

__global__ void norm_residual(const float4 *__restrict__ x, float4 *__restrict__ residual,
                              const float4 *__restrict__ weight, float4 *__restrict__ y)
{
    size_t at = (size_t)blockIdx.x * 512 + threadIdx.x;
    float4 a = x[at], b = residual[at];
    a = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    residual[at] = a;
    float scale = rsqrtf(block_sum<512>(squares(a)) / 2048 + 1e-6f);
    y[at] = scaled(a, weight[threadIdx.x], scale);
}

// rows of 1024
__global__ void norm_half(const uint4 *__restrict__ x, const uint4 *__restrict__ weight,
                          uint4 *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    uint4 mine[4];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        mine[k] = x[row * 128 + k * 32 + lane];
        const __half2 *pairs = (const __half2 *)&mine[k];
        for (int p = 0; p < 4; p++) {
            float2 v = __half22float2(pairs[p]);
            sum += v.x * v.x + v.y * v.y;
        }
    }
    __half2 scale = __float2half2_rn(rsqrtf(lanes_sum<32>(sum) / 1024 + 1e-6f));
    for (int k = 0; k < 4; k++) {
        uint4 w = weight[k * 32 + lane];
        __half2 *pairs = (__half2 *)&mine[k];
        const __half2 *by = (const __half2 *)&w;
        for (int p = 0; p < 4; p++)
            pairs[p] = __hmul2(__hmul2(pairs[p], scale), by[p]);
        y[row * 128 + k * 32 + lane] = mine[k];
    }
}

// rows of 64
__global__ void norm_short(const float2 *__restrict__ x, const float2 *__restrict__ weight,
                           float2 *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (row >= rows)
        return;
    float2 mine[4];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        mine[k] = x[(size_t)row * 32 + k * 8 + lane];
        sum += mine[k].x * mine[k].x + mine[k].y * mine[k].y;
    }
    float scale = rsqrtf(lanes_sum<8>(sum) / 64 + 1e-6f);
    for (int k = 0; k < 4; k++) {
        float2 w = weight[k * 8 + lane];
        y[(size_t)row * 32 + k * 8 + lane] =
            make_float2(mine[k].x * w.x * scale, mine[k].y * w.y * scale);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t count = 6 << 20;
    Lcg random(101);
    std::vector<float> values = random.floats(count, -2, 2), more = random.floats(count, -1, 1),
                       weights = random.floats(2048, 0.5f, 1.5f);
    std::vector<__half> halves(2 * count), half_weights(1024);
    for (size_t i = 0; i < halves.size(); i++)
        halves[i] = __float2half(values[i % count]);
    for (int i = 0; i < 1024; i++)
        half_weights[i] = __float2half(weights[i]);
    float *x = copy(values), *residual = room<float>(count), *weight = copy(weights),
          *y = room<float>(count);
    __half *hx = copy(halves), *hw = copy(half_weights), *hy = room<__half>(2 * count);
    auto norm = [&](size_t i, size_t width, bool added) {
        double sum = 0;
        size_t row = i / width * width;
        for (size_t k = 0; k < width; k++) {
            double v = values[row + k] + (added ? more[row + k] : 0);
            sum += v * v;
        }
        return (values[i] + (added ? more[i] : 0)) * weights[i % width] /
               std::sqrt(sum / width + 1e-6);
    };
    auto wiped = [&] { fill(y, count, 0xff); };
    const float4 *x4 = (const float4 *)x, *w4 = (const float4 *)weight;
    variant(
        "block128", "norm_block", wiped,
        [&] { norm_block<128, 4><<<count / 2048, 128>>>(x4, w4, (float4 *)y); },
        [&] {
            return differ(y, count, 997, 1e-4, [&](size_t i) { return norm(i, 2048, false); });
        });
    variant(
        "block512", "norm_block", wiped,
        [&] { norm_block<512, 1><<<count / 2048, 512>>>(x4, w4, (float4 *)y); },
        [&] {
            return differ(y, count, 997, 1e-4, [&](size_t i) { return norm(i, 2048, false); });
        });
    variant(
        "residual", "norm_residual",
        [&] {
            wiped();
            put(residual, more);
        },
        [&] { norm_residual<<<count / 2048, 512>>>(x4, (float4 *)residual, w4, (float4 *)y); },
        [&] { return differ(y, count, 997, 1e-4, [&](size_t i) { return norm(i, 2048, true); }); });
    variant(
        "half", "norm_half", [&] { fill(hy, 2 * count, 0xff); },
        [&] {
            norm_half<<<2 * count / 1024 / 8, 256>>>((const uint4 *)hx, (const uint4 *)hw,
                                                     (uint4 *)hy, 2 * count / 1024);
        },
        [&] {
            std::vector<__half> got = fetch(hy, 2 * count);
            long bad = 0;
            for (size_t i = 0; i < 2 * count; i += 1993)
                bad += !near(__half2float(got[i]), norm(i % count, 1024, false), 5e-3);
            return bad;
        });
    variant(
        "short_rows", "norm_short", wiped,
        [&] {
            norm_short<<<count / 64 / 32, 256>>>((const float2 *)x, (const float2 *)weight,
                                                 (float2 *)y, count / 64);
        },
        [&] { return differ(y, count, 97, 1e-4, [&](size_t i) { return norm(i, 64, false); }); });
    return finish();
}
