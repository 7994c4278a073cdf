// A prefix sum of 4 Mi numbers in one pass: each block looks back at the sums of those before, one by one or 32 at a
// time.
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

// what a block has told: its own sum, or the sum of all up to it
const unsigned long long OWN = 1ull << 32, ALL = 2ull << 32;

__device__ unsigned long long told_by(unsigned long long *told, int block)
{
    unsigned long long word;
    do
        word = *(volatile unsigned long long *)&told[block];
    while (word == 0);
    return word;
}

__device__ uint32_t back_one_by_one(unsigned long long *told, int block)
{
    uint32_t sum = 0;
    for (int before = block - 1; before >= 0; before--) {
        unsigned long long word = told_by(told, before);
        sum += (uint32_t)word;
        if (word >= ALL)
            break;
    }
    return sum;
}

// run by a whole warp
__device__ uint32_t back_by_warps(unsigned long long *told, int block)
{
    int lane = threadIdx.x % 32;
    uint32_t sum = 0;
    for (int before = block - 1 - lane;; before -= 32) {
        unsigned long long word = before >= 0 ? told_by(told, before) : ALL;
        uint32_t whole = __ballot_sync(~0u, word >= ALL);
        int last = whole ? __ffs(whole) - 1 : 31;
        sum += __reduce_add_sync(~0u, lane <= last ? (uint32_t)word : 0);
        if (whole)
            return sum;
    }
}

template <int ITEMS, bool BY_WARPS>
__global__ void scan(const uint32_t *in, uint32_t *out, unsigned long long *told, int *next)
{
    __shared__ uint32_t part[ITEMS * 256], warps[8], before;
    __shared__ int number;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        number = atomicAdd(next, 1);
    __syncthreads();
    int block = number, first = block * ITEMS * 256;
    for (int k = t; k < ITEMS * 256; k += 256)
        part[k] = in[first + k];
    __syncthreads();
    uint32_t value[ITEMS], sum = 0;
    for (int k = 0; k < ITEMS; k++)
        value[k] = sum += part[t * ITEMS + k];
    uint32_t upto = sum;
    for (int step = 1; step < 32; step *= 2) {
        uint32_t below = __shfl_up_sync(~0u, upto, step);
        if (lane >= step)
            upto += below;
    }
    if (lane == 31)
        warps[warp] = upto;
    __syncthreads();
    uint32_t total = 0, earlier = 0;
    for (int w = 0; w < 8; w++) {
        if (w == warp)
            earlier = total;
        total += warps[w];
    }
    if (warp == 0) {
        if (lane == 0)
            atomicExch(&told[block], (block ? OWN : ALL) | total);
        uint32_t sums = 0;
        if (BY_WARPS)
            sums = back_by_warps(told, block);
        else if (lane == 0)
            sums = back_one_by_one(told, block);
        if (lane == 0) {
            if (block)
                atomicExch(&told[block], ALL | (sums + total));
            before = sums;
        }
    }
    __syncthreads();
    uint32_t base = before + earlier + upto - sum;
    for (int k = 0; k < ITEMS; k++)
        part[t * ITEMS + k] = value[k] + base;
    __syncthreads();
    for (int k = t; k < ITEMS * 256; k += 256)
        out[first + k] = part[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 22, smallest = 5 * 256;
    Lcg random(43);
    std::vector<uint32_t> host(count + smallest * 16), sums(host.size());
    for (uint32_t &value : host)
        value = random.below(4096);
    for (size_t i = 0; i < host.size(); i++)
        sums[i] = (i ? sums[i - 1] : 0) + host[i];
    uint32_t *in = copy(host), *out = room<uint32_t>(host.size());
    unsigned long long *told = room<unsigned long long>(count / smallest + 16);
    int *next = room<int>(1);
    auto clear = [&] {
        fill(out, host.size(), 0xff);
        fill(told, count / smallest + 16, 0);
        fill(next, 1, 0);
    };
    auto check = [&](int blocks, int items) {
        return differ(out, (size_t)blocks * items * 256, 1, 0, [&](size_t i) { return sums[i]; });
    };
    int blocks5 = count / (5 * 256), blocks15 = count / (15 * 256);
    variant(
        "one_by_one", "scan<15,false>", clear, [&] { scan<15, false><<<blocks15, 256>>>(in, out, told, next); },
        [&] { return check(blocks15, 15); });
    variant(
        "warps", "scan<15,true>", clear, [&] { scan<15, true><<<blocks15, 256>>>(in, out, told, next); },
        [&] { return check(blocks15, 15); });
    variant(
        "warps_small", "scan<5,true>", clear, [&] { scan<5, true><<<blocks5, 256>>>(in, out, told, next); },
        [&] { return check(blocks5, 5); });
    return finish();
}
