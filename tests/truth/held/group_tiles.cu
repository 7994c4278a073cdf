// Work by cooperative groups: sums of rows by tiles of eight, prefix sums by tiles of 16, places
// taken by lanes that met, sums by reductions of whole numbers, equal keys found in a warp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

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

namespace cg = cooperative_groups;

__global__ void row_sums(const float *__restrict__ in, float *__restrict__ out, int rows, int width)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (row >= rows)
        return;
    float sum = 0, top = -1e30f;
    for (int i = tile.thread_rank(); i < width; i += 8) {
        sum += in[(size_t)row * width + i];
        top = fmaxf(top, in[(size_t)row * width + i]);
    }
    sum = cg::reduce(tile, sum, cg::plus<float>());
    top = cg::reduce(tile, top, cg::greater<float>());
    if (tile.thread_rank() == 0)
        out[row] = sum + top;
}

__global__ void prefixes(const int *__restrict__ in, int *__restrict__ out, int count)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = cg::exclusive_scan(tile, in[i], cg::plus<int>());
}

__global__ void places(const int *__restrict__ in, int count, int *__restrict__ out,
                       int *__restrict__ taken)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || in[i] % 3)
        return;
    auto met = cg::coalesced_threads();
    int base = 0;
    if (met.thread_rank() == 0)
        base = atomicAdd(taken, met.size());
    out[met.shfl(base, 0) + met.thread_rank()] = in[i];
}

__global__ void whole_sums(const uint4 *__restrict__ in, int vectors, unsigned *__restrict__ sum,
                           unsigned *__restrict__ top, unsigned *__restrict__ all)
{
    unsigned s = 0, t = 0, a = ~0u;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        uint4 v = in[i];
        s += v.x + v.y + v.z + v.w;
        t = max(max(t, max(v.x, v.y)), max(v.z, v.w));
        a &= v.x & v.y & v.z & v.w;
    }
    s = __reduce_add_sync(~0u, s);
    t = __reduce_max_sync(~0u, t);
    a = __reduce_and_sync(~0u, a);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, s);
        atomicMax(top, t);
        atomicAnd(all, a);
    }
}

// counts of keys: equal ones of a warp go together
__global__ void equal_keys(const int *__restrict__ key, int count, int *__restrict__ counts)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned same = __match_any_sync(__activemask(), key[i]);
        if ((int)threadIdx.x % 32 == __ffs(same) - 1)
            atomicAdd(&counts[key[i]], __popc(same));
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int width = 48, rows = 131072, count = width * rows, keys = 500, some = 2 << 20;
    Lcg random(337);
    std::vector<float> values = random.floats(count, -1, 1);
    std::vector<int> whole(count), key(some);
    for (int &v : whole)
        v = random.next() >> 2;
    for (int &k : key) {
        int r = random.below(keys);
        k = random.below(2) ? r : r * r / keys * r / keys;
    }
    float *in = copy(values), *out = room<float>(rows);
    int *numbers = copy(whole), *given = copy(key), *result = room<int>(count),
        *counts = room<int>(keys);
    unsigned *three = room<unsigned>(3);
    auto reset = [&] {
        fill(out, rows, 0xff);
        fill(result, count, 0xff);
        fill(counts, keys, 0);
        fill(three, 2, 0);
        fill(three + 2, 1, 0xff);
    };
    variant(
        "tiles8", "row_sums", reset, [&] { row_sums<<<rows / 32, 256>>>(in, out, rows, width); },
        [&] {
            return differ(out, rows, 3, 1e-4, [&](size_t r) {
                double sum = 0;
                for (int i = 0; i < width; i++)
                    sum += values[r * width + i];
                return sum + *std::max_element(&values[r * width], &values[r * width] + width);
            });
        });
    variant(
        "scan16", "prefixes", reset, [&] { prefixes<<<132 * 8, 256>>>(numbers, result, count); },
        [&] {
            unsigned before = 0;
            return differ(result, count, 1, 0, [&](size_t i) {
                unsigned now = i % 16 ? before + whole[i - 1] : 0;
                before = now;
                return (int)now;
            });
        });
    variant(
        "places", "places", reset,
        [&] { places<<<some / 256, 256>>>(numbers, some, result, counts); },
        [&] {
            std::vector<int> expected;
            for (int i = 0; i < some; i++)
                if (whole[i] % 3 == 0)
                    expected.push_back(whole[i]);
            if (fetch(counts, 1)[0] != (int)expected.size())
                return 1L;
            std::vector<int> got = fetch(result, expected.size(), false);
            std::sort(got.begin(), got.end());
            std::sort(expected.begin(), expected.end());
            return (long)(got != expected);
        });
    variant(
        "whole", "whole_sums", reset,
        [&] {
            whole_sums<<<132 * 4, 512>>>((const uint4 *)numbers, count / 4, three, three + 1,
                                         three + 2);
        },
        [&] {
            unsigned sum = 0, top = 0, all = ~0u;
            for (int v : whole) {
                sum += v;
                top = std::max(top, (unsigned)v);
                all &= v;
            }
            std::vector<unsigned> got = fetch(three, 3);
            return (long)(got[0] != sum || got[1] != top || got[2] != all);
        });
    variant(
        "equal", "equal_keys", reset,
        [&] { equal_keys<<<132 * 4, 256>>>(given, some / 2, counts); },
        [&] {
            std::vector<int> expected(keys);
            for (int i = 0; i < some / 2; i++)
                expected[key[i]]++;
            return differ(counts, keys, 1, 0, [&](size_t k) { return expected[k]; });
        });
    return finish();
}
