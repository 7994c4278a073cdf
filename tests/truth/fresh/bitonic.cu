// Bitonic sorting: 1024 keys a block in shared memory, 32 keys a warp by shuffles, single exchange steps over global
// memory.
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

__global__ void sort_block(uint32_t *keys)
{
    __shared__ uint32_t part[1024];
    int t = threadIdx.x;
    keys += (size_t)blockIdx.x * 1024;
    part[t] = keys[t];
    part[t + 512] = keys[t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int reach = size / 2; reach; reach /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (reach - 1)), high = low + reach;
            bool upwards = (low & size) == 0;
            uint32_t a = part[low], b = part[high];
            if ((a > b) == upwards) {
                part[low] = b;
                part[high] = a;
            }
        }
    __syncthreads();
    keys[t] = part[t];
    keys[t + 512] = part[t + 512];
}

__global__ void sort_warp(uint32_t *keys, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= count)
        return;
    uint32_t mine = keys[i];
    for (int size = 2; size <= 32; size *= 2)
        for (int reach = size / 2; reach; reach /= 2) {
            uint32_t other = __shfl_xor_sync(~0u, mine, reach);
            bool keep_low = ((lane & reach) == 0) == ((lane & size) == 0);
            mine = keep_low ? min(mine, other) : max(mine, other);
        }
    keys[i] = mine;
}

__global__ void exchange(uint32_t *keys, int count, int size, int reach)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count / 2)
        return;
    int low = 2 * t - (t & (reach - 1)), high = low + reach;
    uint32_t a = keys[low], b = keys[high];
    if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[high] = a;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int many = 1 << 22, fewer = 1 << 21, few = 1 << 18;
    Lcg random(21);
    std::vector<uint32_t> host(many);
    for (uint32_t &key : host)
        key = random.next();
    uint32_t *keys = copy(host);
    auto reset = [&] { put(keys, host); };
    auto check_sorted = [&](int count, int part) {
        std::vector<uint32_t> got = fetch(keys, count), expected(host.begin(), host.begin() + count);
        for (int first = 0; first < count; first += part)
            std::sort(expected.begin() + first, expected.begin() + first + part);
        return (long)(got != expected);
    };
    auto check_exchange = [&](int size, int reach) {
        std::vector<uint32_t> got = fetch(keys, many), expected = host;
        for (int i = 0; i < many; i++)
            if (!(i & reach) && (expected[i] > expected[i + reach]) == ((i & size) == 0))
                std::swap(expected[i], expected[i + reach]);
        return (long)(got != expected);
    };
    variant(
        "block", "sort_block", reset, [&] { sort_block<<<few / 1024, 512>>>(keys); },
        [&] { return check_sorted(few, 1024); });
    variant(
        "warp", "sort_warp", reset, [&] { sort_warp<<<fewer / 256, 256>>>(keys, fewer); },
        [&] { return check_sorted(fewer, 32); });
    variant(
        "exchange_far", "exchange", reset, [&] { exchange<<<many / 512, 256>>>(keys, many, many, many / 2); },
        [&] { return check_exchange(many, many / 2); });
    variant(
        "exchange_near", "exchange", reset, [&] { exchange<<<many / 512, 256>>>(keys, many, 1 << 12, 4); },
        [&] { return check_exchange(1 << 12, 4); });
    return finish();
}
