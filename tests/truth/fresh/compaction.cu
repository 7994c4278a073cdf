// Stream compaction of 8 Mi numbers: an atomic a thread, an atomic a warp, an atomic a block behind a scan, in order by
// given offsets.
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

__device__ bool kept(uint32_t value)
{
    return value % 3 == 0;
}

__global__ void compact_thread(const uint32_t *in, int count, uint32_t *out, uint32_t *tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && kept(in[i]))
        out[atomicAdd(tail, 1u)] = in[i];
}

__global__ void compact_warp(const uint32_t *in, int count, uint32_t *out, uint32_t *tail)
{
    int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uint32_t value = in[i], wanted = __ballot_sync(~0u, kept(value)), base = 0;
        if (lane == 0 && wanted)
            base = atomicAdd(tail, __popc(wanted));
        base = __shfl_sync(~0u, base, 0);
        if (wanted >> lane & 1)
            out[base + __popc(wanted & ((1u << lane) - 1))] = value;
    }
}

// 256 threads with four numbers each; tail is one counter, or a block's place is already known
__global__ void compact_block(const uint4 *in, uint32_t *out, uint32_t *tail, const uint32_t *place)
{
    __shared__ uint32_t warps[8], base;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 four = in[blockIdx.x * 256 + threadIdx.x];
    uint32_t value[4] = {four.x, four.y, four.z, four.w}, mine = 0;
    for (int k = 0; k < 4; k++)
        mine += kept(value[k]);
    uint32_t sum = mine;
    for (int step = 1; step < 32; step *= 2) {
        uint32_t below = __shfl_up_sync(~0u, sum, step);
        if (lane >= step)
            sum += below;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t total = 0;
        for (int w = 0; w < 8; w++) {
            uint32_t size = warps[w];
            warps[w] = total;
            total += size;
        }
        base = place ? place[blockIdx.x] : atomicAdd(tail, total);
    }
    __syncthreads();
    uint32_t at = base + warps[warp] + sum - mine;
    for (int k = 0; k < 4; k++)
        if (kept(value[k]))
            out[at++] = value[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 23, blocks = count / 1024, fewer = 1 << 21;
    Lcg random(23);
    std::vector<uint32_t> host(count), expected, places(blocks);
    for (int i = 0; i < count; i++) {
        host[i] = random.next();
        if (i % 1024 == 0)
            places[i / 1024] = expected.size();
        if (host[i] % 3 == 0)
            expected.push_back(host[i]);
    }
    uint32_t *in = copy(host), *place = copy(places), *out = room<uint32_t>(count), *tail = room<uint32_t>(1);
    auto clear = [&] {
        fill(out, count, 0xff);
        fill(tail, 1, 0);
    };
    // any order: the sums of two mixtures of the numbers tell
    auto check = [&](size_t number) {
        if (fetch(tail, 1)[0] != number)
            return 1L;
        std::vector<uint32_t> got = fetch(out, number);
        uint64_t difference = 0, mixed = 0;
        for (size_t i = 0; i < got.size(); i++) {
            difference += (uint64_t)got[i] - expected[i];
            mixed += got[i] * (uint64_t)got[i] * 0x9e3779b97f4a7c15 -
                     expected[i] * (uint64_t)expected[i] * 0x9e3779b97f4a7c15;
        }
        return (long)(difference || mixed);
    };
    variant(
        "thread", "compact_thread", clear, [&] { compact_thread<<<fewer / 256, 256>>>(in, fewer, out, tail); },
        [&] { return check(places[fewer / 1024]); });
    variant(
        "warp", "compact_warp", clear, [&] { compact_warp<<<count / 1024, 256>>>(in, count, out, tail); },
        [&] { return check(expected.size()); });
    variant(
        "block", "compact_block", clear, [&] { compact_block<<<blocks, 256>>>((const uint4 *)in, out, tail, nullptr); },
        [&] { return check(expected.size()); });
    variant(
        "ordered", "compact_block", clear, [&] { compact_block<<<blocks, 256>>>((const uint4 *)in, out, tail, place); },
        [&] { return (long)(fetch(out, expected.size()) != expected); });
    return finish();
}
