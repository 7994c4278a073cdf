// Layer normalisation of rows of 1024: a block a row in two passes, a warp a row with Welford's update, rows of half
// precision.
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

const int WIDTH = 1024;

__device__ float block_sum(float value, float *parts)
{
    for (int step = 16; step; step /= 2)
        value += __shfl_down_sync(~0u, value, step);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            value += parts[w];
        parts[0] = value;
    }
    __syncthreads();
    value = parts[0];
    __syncthreads();
    return value;
}

__global__ void norm_block(const float *in, const float *gain, const float *bias, float *out)
{
    __shared__ float parts[32];
    const float *row = in + (size_t)blockIdx.x * WIDTH;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < WIDTH; c += blockDim.x)
        sum += row[c];
    float mean = block_sum(sum, parts) / WIDTH;
    for (int c = threadIdx.x; c < WIDTH; c += blockDim.x)
        squares += (row[c] - mean) * (row[c] - mean);
    float scale = rsqrtf(block_sum(squares, parts) / WIDTH + 1e-5f);
    for (int c = threadIdx.x; c < WIDTH; c += blockDim.x)
        out[(size_t)blockIdx.x * WIDTH + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}

__global__ void norm_welford(const float *in, const float *gain, const float *bias, float *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    in += (size_t)row * WIDTH;
    out += (size_t)row * WIDTH;
    float mean = 0, squares = 0;
    int count = 0;
    for (int c = lane; c < WIDTH; c += 32) {
        float value = in[c], delta = value - mean;
        mean += delta / ++count;
        squares += delta * (value - mean);
    }
    // lanes have the same count, so that two halves join simply
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_xor_sync(~0u, mean, step), delta = other - mean;
        squares += __shfl_xor_sync(~0u, squares, step) + delta * delta * count / 2;
        mean = (mean + other) / 2;
        count *= 2;
    }
    float scale = rsqrtf(squares / WIDTH + 1e-5f);
    for (int c = lane; c < WIDTH; c += 32)
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
}

// a warp a row, 32 halves in each lane's registers, read once
__global__ void norm_half(const uint4 *in, const float *gain, const float *bias, uint4 *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    uint4 raw[4];
    float sum = 0, squares = 0;
    for (int part = 0; part < 4; part++) {
        raw[part] = in[(size_t)row * 128 + part * 32 + lane];
        const __half2 *pairs = (const __half2 *)&raw[part];
        for (int k = 0; k < 4; k++) {
            float2 two = __half22float2(pairs[k]);
            sum += two.x + two.y;
            squares += two.x * two.x + two.y * two.y;
        }
    }
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
        squares += __shfl_xor_sync(~0u, squares, step);
    }
    float mean = sum / WIDTH, scale = rsqrtf(squares / WIDTH - mean * mean + 1e-5f);
    for (int part = 0; part < 4; part++) {
        __half2 *pairs = (__half2 *)&raw[part];
        for (int k = 0; k < 4; k++) {
            int c = (part * 32 + lane) * 8 + k * 2;
            float2 two = __half22float2(pairs[k]), g = *(const float2 *)&gain[c], b = *(const float2 *)&bias[c];
            pairs[k] = __floats2half2_rn((two.x - mean) * scale * g.x + b.x, (two.y - mean) * scale * g.y + b.y);
        }
        out[(size_t)row * 128 + part * 32 + lane] = raw[part];
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 8192, total = rows * WIDTH;
    Lcg random(12);
    std::vector<float> host = random.floats(total, -1, 2), gain = random.floats(WIDTH, 0.5f, 1.5f),
                       bias = random.floats(WIDTH, -1, 1);
    std::vector<__half> halves(total);
    for (int i = 0; i < total; i++)
        halves[i] = __float2half(host[i]);
    float *in = copy(host), *g = copy(gain), *b = copy(bias), *out = room<float>(total);
    __half *half_in = copy(halves), *half_out = (__half *)out;
    auto expected = [&](size_t i, auto value) {
        size_t row = i / WIDTH;
        double mean = 0, squares = 0;
        for (int c = 0; c < WIDTH; c++)
            mean += value(row * WIDTH + c) / WIDTH;
        for (int c = 0; c < WIDTH; c++)
            squares += (value(row * WIDTH + c) - mean) * (value(row * WIDTH + c) - mean) / WIDTH;
        return (value(i) - mean) / sqrt(squares + 1e-5) * gain[i % WIDTH] + bias[i % WIDTH];
    };
    auto clear = [&] { fill(out, total, 0xff); };
    auto check = [&] {
        return differ(out, total, 5987, 1e-4,
                      [&](size_t i) { return expected(i, [&](size_t k) { return (double)host[k]; }); });
    };
    variant(
        "block128", "norm_block", clear, [&] { norm_block<<<rows, 128>>>(in, g, b, out); }, check);
    variant(
        "block512", "norm_block", clear, [&] { norm_block<<<rows, 512>>>(in, g, b, out); }, check);
    variant(
        "welford", "norm_welford", clear, [&] { norm_welford<<<rows / 8, 256>>>(in, g, b, out); }, check);
    variant(
        "half", "norm_half", clear,
        [&] { norm_half<<<rows / 4, 128>>>((const uint4 *)half_in, g, b, (uint4 *)half_out); },
        [&] {
            std::vector<__half> got = fetch(half_out, total);
            long bad = 0;
            for (size_t i = 0; i < got.size(); i += 5987)
                bad += !near(__half2float(got[i]),
                             expected(i, [&](size_t k) { return (double)__half2float(halves[k]); }), 2e-3);
            return bad;
        });
    return finish();
}
