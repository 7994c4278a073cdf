// Softmax of rows: a block a row in three passes, a block a row with the maximum and the sum kept together, a warp a
// row in registers.
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

template <class Join> __device__ float across_block(float value, Join join, float *parts)
{
    for (int step = 16; step; step /= 2)
        value = join(value, __shfl_xor_sync(~0u, value, step));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        value = join(value, parts[w]);
    return value;
}

__global__ void softmax_three_passes(const float *in, float *out, int columns)
{
    __shared__ float parts[32];
    in += (size_t)blockIdx.x * columns;
    out += (size_t)blockIdx.x * columns;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        top = fmaxf(top, in[c]);
    top = across_block(
        top, [](float a, float b) { return fmaxf(a, b); }, parts);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(in[c] - top);
    sum = across_block(
        sum, [](float a, float b) { return a + b; }, parts);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[c] = expf(in[c] - top) / sum;
}

__global__ void softmax_online(const float *in, float *out, int columns)
{
    __shared__ float parts[32];
    in += (size_t)blockIdx.x * columns;
    out += (size_t)blockIdx.x * columns;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        float value = in[c];
        float higher = fmaxf(top, value);
        sum = sum * __expf(top - higher) + __expf(value - higher);
        top = higher;
    }
    float best = across_block(
        top, [](float a, float b) { return fmaxf(a, b); }, parts);
    sum = across_block(
        sum * __expf(top - best), [](float a, float b) { return a + b; }, parts);
    float scale = 1 / sum;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[c] = __expf(in[c] - best) * scale;
}

// 256 columns: eight of them in each lane, as two vectors of four
__global__ void softmax_warp(const float4 *in, float4 *out, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 a = in[row * 64 + lane], b = in[row * 64 + 32 + lane];
    float top = fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)), fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w)));
    for (int step = 16; step; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    a = make_float4(__expf(a.x - top), __expf(a.y - top), __expf(a.z - top), __expf(a.w - top));
    b = make_float4(__expf(b.x - top), __expf(b.y - top), __expf(b.z - top), __expf(b.w - top));
    float sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    float scale = 1 / sum;
    out[row * 64 + lane] = make_float4(a.x * scale, a.y * scale, a.z * scale, a.w * scale);
    out[row * 64 + 32 + lane] = make_float4(b.x * scale, b.y * scale, b.z * scale, b.w * scale);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = 1 << 22;
    std::vector<float> host = Lcg(11).floats(total, -8, 8);
    float *in = copy(host), *out = room<float>(total);
    auto clear = [&] { fill(out, total, 0xff); };
    auto check = [&](int columns) {
        std::vector<float> got = fetch(out, total);
        long bad = 0;
        for (int row = 0; row < total / columns; row += 37) {
            double sum = 0;
            for (int c = 0; c < columns; c++)
                sum += exp((double)host[(size_t)row * columns + c]);
            for (int c = 0; c < columns; c += 5)
                bad += !near(got[(size_t)row * columns + c] * sum, exp((double)host[(size_t)row * columns + c]), 1e-4);
        }
        return bad;
    };
    variant(
        "three_passes", "softmax_three_passes", clear,
        [&] { softmax_three_passes<<<total / 4096, 256>>>(in, out, 4096); }, [&] { return check(4096); });
    variant(
        "online", "softmax_online", clear, [&] { softmax_online<<<total / 4096, 512>>>(in, out, 4096); },
        [&] { return check(4096); });
    variant(
        "online_narrow", "softmax_online", clear, [&] { softmax_online<<<total / 512, 128>>>(in, out, 512); },
        [&] { return check(512); });
    variant(
        "warp", "softmax_warp", clear,
        [&] { softmax_warp<<<total / 256 / 4, 128>>>((const float4 *)in, (float4 *)out, total / 256); },
        [&] { return check(256); });
    return finish();
}
