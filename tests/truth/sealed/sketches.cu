// Sketches of long streams: a count-min sketch in global memory and one of each block in shared
// memory, HyperLogLog with shared maxima, the smallest of 64 hashes of documents by a warp each,
// and sums of signs of 64 bits (SimHash).
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

constexpr int COUNT = 1 << 22, DEEP = 4, WIDE = 1 << 16, NARROW = 2048, REGISTERS = 2048;

__host__ __device__ inline uint32_t hashed(uint32_t x, uint32_t seed)
{
    x ^= seed;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void count_min(const uint32_t *__restrict__ keys, unsigned *sketch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t key = keys[i];
#pragma unroll
    for (int d = 0; d < DEEP; d++)
        atomicAdd(sketch + d * WIDE + hashed(key, d * 0x9e3779b9u) % WIDE, 1);
}

__global__ void __launch_bounds__(1024)
    count_min_shared(const uint32_t *__restrict__ keys, unsigned *sketch, int count)
{
    __shared__ unsigned own[DEEP * NARROW];
    for (int i = threadIdx.x; i < DEEP * NARROW; i += 1024)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < count; i += gridDim.x * 1024) {
        uint32_t key = keys[i];
#pragma unroll
        for (int d = 0; d < DEEP; d++)
            atomicAdd(own + d * NARROW + hashed(key, d * 0x9e3779b9u) % NARROW, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DEEP * NARROW; i += 1024)
        if (own[i])
            atomicAdd(sketch + i, own[i]);
}

__global__ void __launch_bounds__(256)
    distinct(const uint4 *__restrict__ keys, int *registers, int count)
{
    __shared__ int top[REGISTERS];
    for (int i = threadIdx.x; i < REGISTERS; i += 256)
        top[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        uint4 v = keys[i];
        uint32_t four[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t h = hashed(four[k], 77);
            int rank = __clz((h << 11) | 1024) + 1;
            if (top[h >> 21] < rank)
                atomicMax(top + (h >> 21), rank);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < REGISTERS; i += 256)
        atomicMax(registers + i, top[i]);
}

// a warp a document; a lane has two of the 64 hash functions
__global__ void smallest(const uint32_t *__restrict__ words, const int *__restrict__ starts,
                         uint2 *__restrict__ out, int documents)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (d >= documents)
        return;
    uint32_t a = ~0u, b = ~0u, first = hashed(2 * lane, 5), second = hashed(2 * lane + 1, 5);
    int end = starts[d + 1];
    for (int base = starts[d]; base < end; base += 32) {
        uint32_t word = base + lane < end ? words[base + lane] : 0;
        int many = min(32, end - base);
        for (int k = 0; k < many; k++) {
            uint32_t w = __shfl_sync(~0u, word, k);
            a = min(a, hashed(w, first));
            b = min(b, hashed(w, second));
        }
    }
    out[d * 32 + lane] = make_uint2(a, b);
}

// a warp a document; a lane sums the signs of two bits
__global__ void signs(const uint32_t *__restrict__ words, const int *__restrict__ starts,
                      uint2 *__restrict__ out, int documents)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (d >= documents)
        return;
    int low = 0, high = 0, end = starts[d + 1], length = end - starts[d];
    for (int base = starts[d]; base < end; base += 32) {
        bool inside = base + lane < end;
        uint32_t word = inside ? words[base + lane] : 0;
        uint32_t a = inside ? hashed(word, 1) : 0, b = inside ? hashed(word, 2) : 0;
#pragma unroll
        for (int bit = 0; bit < 32; bit++) {
            int ones = __popc(__ballot_sync(~0u, a >> bit & 1)),
                others = __popc(__ballot_sync(~0u, b >> bit & 1));
            if (lane == bit)
                low += ones, high += others;
        }
    }
    uint32_t one = __ballot_sync(~0u, 2 * low > length),
             two = __ballot_sync(~0u, 2 * high > length);
    if (lane == 0)
        out[d] = make_uint2(one, two);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(107);
    const int documents = 3000, half = COUNT / 4;
    std::vector<uint32_t> keys(COUNT), words;
    std::vector<int> starts;
    for (uint32_t &k : keys)
        k = random.below(4) ? random.below(1 << 20) : random.below(1 << 10);
    for (int d = 0; d < documents; d++) {
        starts.push_back(words.size());
        for (int k = 20 + random.below(random.below(8) ? 200 : 800); k > 0; k--)
            words.push_back(random.below(50000));
    }
    starts.push_back(words.size());
    std::vector<unsigned> wide(DEEP * WIDE), narrow(DEEP * NARROW);
    std::vector<int> top(REGISTERS);
    for (int i = 0; i < COUNT; i++) {
        for (int d = 0; d < DEEP; d++) {
            uint32_t h = hashed(keys[i], d * 0x9e3779b9u);
            if (i < half)
                wide[d * WIDE + h % WIDE]++;
            narrow[d * NARROW + h % NARROW]++;
        }
        uint32_t h = hashed(keys[i], 77);
        top[h >> 21] = std::max(top[h >> 21], __builtin_clz((h << 11) | 1024) + 1);
    }
    uint32_t *K = copy(keys), *W = copy(words);
    int *S = copy(starts), *registers = room<int>(REGISTERS);
    unsigned *sketch = room<unsigned>(DEEP * WIDE), *small = room<unsigned>(documents * 64);
    auto wiped = [&] {
        fill(sketch, DEEP * WIDE, 0);
        fill(registers, REGISTERS, 0);
        fill(small, documents * 64, 0x77);
    };
    variant(
        "count_min", "count_min", wiped, [&] { count_min<<<half / 128, 128>>>(K, sketch); },
        [&] { return differ(sketch, DEEP * WIDE, 1, 0, [&](size_t i) { return wide[i]; }); });
    variant(
        "count_min_shared", "count_min_shared", wiped,
        [&] { count_min_shared<<<132 * 2, 1024>>>(K, sketch, COUNT); },
        [&] { return differ(sketch, DEEP * NARROW, 1, 0, [&](size_t i) { return narrow[i]; }); });
    variant(
        "distinct", "distinct", wiped,
        [&] { distinct<<<132 * 4, 256>>>((uint4 *)K, registers, COUNT / 4); },
        [&] { return differ(registers, REGISTERS, 1, 0, [&](size_t i) { return top[i]; }); });
    variant(
        "smallest", "smallest", wiped,
        [&] { smallest<<<(documents + 3) / 4, 128>>>(W, S, (uint2 *)small, documents); },
        [&] {
            return differ(small, documents * 64, 17, 0, [&](size_t i) {
                uint32_t least = ~0u, seed = hashed(i % 64, 5);
                for (int k = starts[i / 64]; k < starts[i / 64 + 1]; k++)
                    least = std::min(least, hashed(words[k], seed));
                return least;
            });
        });
    variant(
        "signs", "signs", wiped,
        [&] { signs<<<(documents + 7) / 8, 256>>>(W, S, (uint2 *)small, documents); },
        [&] {
            return differ(small, documents * 2, 1, 0, [&](size_t i) {
                uint32_t out = 0;
                int length = starts[i / 2 + 1] - starts[i / 2];
                for (int bit = 0; bit < 32; bit++) {
                    int ones = 0;
                    for (int k = starts[i / 2]; k < starts[i / 2 + 1]; k++)
                        ones += hashed(words[k], 1 + i % 2) >> bit & 1;
                    out |= (uint32_t)(2 * ones > length) << bit;
                }
                return out;
            });
        });
    return finish();
}
