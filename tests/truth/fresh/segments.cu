// Sums of segments: a thread a segment, a warp a segment, a block a segment, and a thread a number with flags and
// atomics.
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

__global__ void sum_thread(const float *values, const int *first, int segments, float *sums)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    float sum = 0;
    for (int i = first[s]; i < first[s + 1]; i++)
        sum += values[i];
    sums[s] = sum;
}

__global__ void sum_warp(const float *values, const int *first, int segments, float *sums)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= segments)
        return;
    float sum = 0;
    for (int i = first[s] + lane; i < first[s + 1]; i += 32)
        sum += values[i];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        sums[s] = sum;
}

__global__ void sum_block(const float *values, const int *first, float *sums)
{
    __shared__ float part[256];
    int s = blockIdx.x, t = threadIdx.x;
    float sum = 0;
    for (int i = first[s] + t; i < first[s + 1]; i += 256)
        sum += values[i];
    part[t] = sum;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        sums[s] = part[0];
}

// owner[i] is the segment of number i; a lane that starts one adds what its run in the warp comes to
__global__ void sum_runs(const float *values, const int *owner, int count, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= count)
        return;
    int mine = owner[i];
    float sum = values[i];
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_down_sync(~0u, sum, step);
        int theirs = __shfl_down_sync(~0u, mine, step);
        if (lane + step < 32 && theirs == mine)
            sum += other;
    }
    int before = __shfl_up_sync(~0u, mine, 1);
    if (lane == 0 || before != mine)
        atomicAdd(&sums[mine], sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 23;
    Lcg random(24);
    std::vector<float> host = random.floats(count, -1, 1);
    auto cut = [&](int longest) {
        std::vector<int> first(1);
        while (first.back() < count)
            first.push_back(std::min<int>(count, first.back() + random.below(longest)));
        return first;
    };
    std::vector<int> small = cut(33), large = cut(4096), owners(count);
    for (int s = 0; s + 1 < (int)small.size(); s++)
        std::fill(owners.begin() + small[s], owners.begin() + small[s + 1], s);
    int many = small.size() - 1, few = large.size() - 1;
    float *values = copy(host), *sums = room<float>(many);
    int *first_small = copy(small), *first_large = copy(large), *owner = copy(owners);
    auto clear = [&] { fill(sums, many, 0); };
    auto check = [&](const std::vector<int> &first) {
        return differ(sums, first.size() - 1, 3, 1e-4, [&](size_t s) {
            double sum = 0;
            for (int i = first[s]; i < first[s + 1]; i++)
                sum += host[i];
            return sum;
        });
    };
    variant(
        "thread", "sum_thread", clear,
        [&] { sum_thread<<<(many + 127) / 128, 128>>>(values, first_small, many, sums); },
        [&] { return check(small); });
    variant(
        "warp", "sum_warp", clear, [&] { sum_warp<<<(many + 7) / 8, 256>>>(values, first_small, many, sums); },
        [&] { return check(small); });
    variant(
        "block", "sum_block", clear, [&] { sum_block<<<few, 256>>>(values, first_large, sums); },
        [&] { return check(large); });
    variant(
        "runs", "sum_runs", clear, [&] { sum_runs<<<count / 256, 256>>>(values, owner, count, sums); },
        [&] { return check(small); });
    return finish();
}
