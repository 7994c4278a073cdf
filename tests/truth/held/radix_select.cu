// Selection from 8 Mi numbers: counts of the highest 11 bits, those that match gathered, the middle
// of many short rows by bits and votes, quantiles of a block by bisection.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>

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

__host__ __device__ inline uint32_t ordered(uint32_t bits)
{
    return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}

__global__ void high_counts(const uint4 *__restrict__ in, int vectors, int *__restrict__ count)
{
    __shared__ int mine[2048];
    for (int b = threadIdx.x; b < 2048; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        uint4 v = in[i];
        atomicAdd(&mine[ordered(v.x) >> 21], 1);
        atomicAdd(&mine[ordered(v.y) >> 21], 1);
        atomicAdd(&mine[ordered(v.z) >> 21], 1);
        atomicAdd(&mine[ordered(v.w) >> 21], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 2048; b += blockDim.x)
        if (mine[b])
            atomicAdd(&count[b], mine[b]);
}

__global__ void gather(const uint32_t *__restrict__ in, int count, uint32_t low, uint32_t high,
                       uint32_t *__restrict__ out, int *__restrict__ found)
{
    int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) { // count: a multiple of 32
        uint32_t key = ordered(in[i]), vote = __ballot_sync(~0u, key >= low && key < high);
        if (!vote)
            continue;
        int base = 0;
        if (lane == 0)
            base = atomicAdd(found, __popc(vote));
        base = __shfl_sync(~0u, base, 0);
        if (vote >> lane & 1)
            out[base + __popc(vote & ((1u << lane) - 1))] = key;
    }
}

// a warp has a row of 128: the key of the given rank, bit by bit
__global__ void rows(const uint32_t *__restrict__ in, int many, int rank,
                     uint32_t *__restrict__ out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, left = rank;
    if (row >= many)
        return;
    uint32_t key[4], alive = 15, result = 0;
    for (int k = 0; k < 4; k++)
        key[k] = ordered(in[row * 128 + k * 32 + lane]);
    for (int bit = 31; bit >= 0; bit--) {
        uint32_t zeros = 0;
        int many_zeros = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            bool zero = (alive >> k & 1) && !(key[k] >> bit & 1);
            zeros |= zero << k;
            many_zeros += __popc(__ballot_sync(~0u, zero));
        }
        if (left < many_zeros)
            alive = zeros;
        else {
            left -= many_zeros;
            alive &= ~zeros;
            result |= 1u << bit;
        }
    }
    if (lane == 0)
        out[row] = result;
}

// a block has 4096 floats in shared memory; each warp bisects for a quantile of its own
__global__ void quantiles(const float *__restrict__ in, float *__restrict__ out, int steps)
{
    __shared__ float x[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        x[i] = in[(size_t)blockIdx.x * 4096 + i];
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wanted = (2 * warp + 1) * 4096 / 16;
    float low = -8, high = 8;
    for (int s = 0; s < steps; s++) {
        float middle = 0.5f * (low + high);
        int below = 0;
#pragma unroll 8
        for (int i = lane; i < 4096; i += 32)
            below += x[i] < middle;
        below = __reduce_add_sync(~0u, below);
        if (below > wanted)
            high = middle;
        else
            low = middle;
    }
    if (lane == 0)
        out[blockIdx.x * 8 + warp] = low;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 8 << 20, many = 16384, blocks = 264;
    Lcg random(317);
    std::vector<float> values(count);
    for (float &v : values)
        v = random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1);
    std::vector<uint32_t> keys(count);
    memcpy(keys.data(), values.data(), 4 * (size_t)count);
    for (uint32_t &k : keys)
        k = ordered(k);
    const uint32_t low = ordered(0x3f000000), high = ordered(0x3f080000); // 0.5 to 0.53
    float *in = copy(values), *quantile = room<float>(blocks * 8);
    uint32_t *out = room<uint32_t>(count);
    int *counts = room<int>(2048), *found = room<int>(1);
    auto reset = [&] {
        fill(counts, 2048, 0);
        fill(found, 1, 0);
        fill(out, many, 0xff);
    };
    variant(
        "counts", "high_counts", reset,
        [&] { high_counts<<<132 * 2, 512>>>((const uint4 *)in, count / 4, counts); },
        [&] {
            std::vector<int> expected(2048);
            for (uint32_t k : keys)
                expected[k >> 21]++;
            return differ(counts, 2048, 1, 0, [&](size_t b) { return expected[b]; });
        });
    variant(
        "gather", "gather", reset,
        [&] { gather<<<132 * 8, 256>>>((const uint32_t *)in, count, low, high, out, found); },
        [&] {
            std::vector<uint32_t> expected, got;
            for (uint32_t k : keys)
                if (k >= low && k < high)
                    expected.push_back(k);
            if (fetch(found, 1)[0] != (int)expected.size())
                return 1L;
            got = fetch(out, expected.size(), false);
            std::sort(got.begin(), got.end());
            std::sort(expected.begin(), expected.end());
            return (long)(got != expected);
        });
    variant(
        "rows", "rows", reset,
        [&] { rows<<<many / 4, 128>>>((const uint32_t *)in, many, 64, out); },
        [&] {
            std::vector<uint32_t> got = fetch(out, many), row;
            long bad = 0;
            for (int r = 0; r < many; r++) {
                row.assign(&keys[r * 128], &keys[r * 128] + 128);
                std::nth_element(row.begin(), row.begin() + 64, row.end());
                bad += got[r] != row[64];
            }
            return bad;
        });
    variant(
        "quantiles", "quantiles", [&] { fill(quantile, blocks * 8, 0xff); },
        [&] { quantiles<<<blocks, 256>>>(in, quantile, 16); },
        [&] {
            std::vector<float> got = fetch(quantile, blocks * 8), row;
            long bad = 0;
            for (int b = 0; b < blocks; b++) {
                row.assign(&values[b * 4096], &values[b * 4096] + 4096);
                std::sort(row.begin(), row.end());
                for (int q = 0; q < 8; q++)
                    bad += !(std::fabs(got[b * 8 + q] - row[(2 * q + 1) * 256]) < 1e-3);
            }
            return bad;
        });
    return finish();
}
