// Counts of 8-bit digits: one table a block, one table a warp, equal digits of a warp joined first, global atomics
// only.
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

__global__ void count_block(const uint32_t *keys, int count, int shift, uint32_t *totals)
{
    __shared__ uint32_t table[256];
    table[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&table[keys[i] >> shift & 255], 1u);
    __syncthreads();
    atomicAdd(&totals[threadIdx.x], table[threadIdx.x]);
}

// writes a table for each block, digit by digit, as a sort's prefix sum wants it
__global__ void count_warps(const uint4 *keys, int count, int shift, uint32_t *tables)
{
    __shared__ uint32_t table[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += blockDim.x)
        table[0][k] = 0;
    __syncthreads();
    uint32_t *mine = table[threadIdx.x / 32];
    int first = blockIdx.x * 2048;
    for (int i = first + threadIdx.x; i < first + 2048; i += blockDim.x)
        if (i < count / 4) {
            uint4 four = keys[i];
            atomicAdd(&mine[four.x >> shift & 255], 1u);
            atomicAdd(&mine[four.y >> shift & 255], 1u);
            atomicAdd(&mine[four.z >> shift & 255], 1u);
            atomicAdd(&mine[four.w >> shift & 255], 1u);
        }
    __syncthreads();
    uint32_t sum = 0;
    for (int w = 0; w < 8; w++)
        sum += table[w][threadIdx.x];
    tables[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}

__global__ void count_matched(const uint32_t *keys, int count, int shift, uint32_t *totals)
{
    __shared__ uint32_t table[256];
    table[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uint32_t digit = keys[i] >> shift & 255, same = __match_any_sync(__activemask(), digit);
        if (threadIdx.x % 32 == __ffs(same) - 1)
            atomicAdd(&table[digit], __popc(same));
    }
    __syncthreads();
    atomicAdd(&totals[threadIdx.x], table[threadIdx.x]);
}

__global__ void count_global(const uint32_t *keys, int count, int shift, uint32_t *totals)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&totals[keys[i] >> shift & 255], 1u);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 23, fewer = 1 << 19, blocks = count / 4 / 2048;
    Lcg random(22);
    std::vector<uint32_t> host(count);
    // the low byte is even, the next is mostly zero
    for (uint32_t &key : host)
        key = random.next() & (random.below(4) ? 0xffff03ff : ~0u);
    uint32_t *keys = copy(host), *totals = room<uint32_t>(256), *tables = room<uint32_t>(256 * blocks);
    auto clear = [&] {
        fill(totals, 256, 0);
        fill(tables, 256 * blocks, 0xff);
    };
    auto check = [&](int number, int shift) {
        std::vector<uint32_t> expected(256);
        for (int i = 0; i < number; i++)
            expected[host[i] >> shift & 255]++;
        return differ(totals, 256, 1, 0, [&](size_t k) { return expected[k]; });
    };
    variant(
        "block", "count_block", clear, [&] { count_block<<<528, 256>>>(keys, count, 0, totals); },
        [&] { return check(count, 0); });
    variant(
        "warps", "count_warps", clear, [&] { count_warps<<<blocks, 256>>>((const uint4 *)keys, count, 0, tables); },
        [&] {
            std::vector<uint32_t> expected(256 * blocks);
            for (int i = 0; i < count; i++)
                expected[(host[i] & 255) * blocks + i / 8192]++;
            return differ(tables, expected.size(), 1, 0, [&](size_t k) { return expected[k]; });
        });
    variant(
        "matched_skewed", "count_matched", clear, [&] { count_matched<<<528, 256>>>(keys, count, 8, totals); },
        [&] { return check(count, 8); });
    variant(
        "global", "count_global", clear, [&] { count_global<<<fewer / 256, 256>>>(keys, fewer, 0, totals); },
        [&] { return check(fewer, 0); });
    return finish();
}
