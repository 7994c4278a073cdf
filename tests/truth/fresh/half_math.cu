// Half precision in pairs: a x + y, a polynomial of degree 40, a dot product summed in single precision, GELU.
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

__global__ void axpy(__half2 a, const __half2 *x, __half2 *y, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void polynomial(const __half2 *x, __half2 *y, int pairs, float start)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
        __half2 mine = x[i], sum = __float2half2_rn(start), one = __float2half2_rn(0.5f);
#pragma unroll
        for (int k = 0; k < 40; k++)
            sum = __hfma2(sum, mine, one);
        y[i] = sum;
    }
}

__global__ void dot(const uint4 *x, const uint4 *y, int vectors, float *total)
{
    __shared__ float parts[8];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        uint4 a = x[i], b = y[i];
        const __half2 *p = (const __half2 *)&a, *q = (const __half2 *)&b;
        for (int k = 0; k < 4; k++) {
            float2 product = __half22float2(__hmul2(p[k], q[k]));
            sum += product.x + product.y;
        }
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            sum += parts[w];
        atomicAdd(total, sum);
    }
}

__global__ void gelu(const __half *x, __half *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float v = __half2float(x[i]);
    y[i] = __float2half(0.5f * v * (1 + tanhf(0.7978846f * (v + 0.044715f * v * v * v))));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 23, fewer = 1 << 22;
    Lcg random(45);
    std::vector<__half> x(count), y(count);
    for (int i = 0; i < count; i++) {
        x[i] = __float2half(random.between(-0.75f, 0.75f));
        y[i] = __float2half(random.between(-1, 1));
    }
    __half *dx = copy(x), *dy = copy(y), *out = room<__half>(count);
    float *total = room<float>(1);
    auto real = [](__half value) { return (double)__half2float(value); };
    auto reset = [&] {
        must(cudaMemcpy(out, dy, count * sizeof(__half), cudaMemcpyDeviceToDevice));
        fill(total, 1, 0);
    };
    auto check = [&](int number, double tolerance, auto expected) {
        std::vector<__half> got = fetch(out, number);
        long bad = 0;
        for (int i = 0; i < number; i += 61)
            bad += !near(real(got[i]), expected(i), tolerance);
        return bad;
    };
    variant(
        "axpy", "axpy", reset,
        [&] { axpy<<<count / 512, 256>>>(__float2half2_rn(0.75f), (const __half2 *)dx, (__half2 *)out, count / 2); },
        [&] { return check(count, 1e-3, [&](int i) { return 0.75 * real(x[i]) + real(y[i]); }); });
    variant(
        "polynomial", "polynomial", reset,
        [&] { polynomial<<<1056, 256>>>((const __half2 *)dx, (__half2 *)out, count / 2, 0.25f); },
        [&] {
            return check(count, 2e-2, [&](int i) {
                double sum = 0.25;
                for (int k = 0; k < 40; k++)
                    sum = sum * real(x[i]) + 0.5;
                return sum;
            });
        });
    variant(
        "dot", "dot", reset, [&] { dot<<<264, 256>>>((const uint4 *)dx, (const uint4 *)dy, count / 8, total); },
        [&] {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += real(x[i]) * real(y[i]);
            return (long)!near(fetch(total, 1)[0], sum, 1e-2);
        });
    variant(
        "gelu", "gelu", reset, [&] { gelu<<<fewer / 256, 256>>>(dx, out, fewer); },
        [&] {
            return check(fewer, 1e-3, [&](int i) {
                double v = real(x[i]);
                return 0.5 * v * (1 + tanh(0.7978846 * (v + 0.044715 * v * v * v)));
            });
        });
    return finish();
}
