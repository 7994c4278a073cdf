// Whole numbers: how many steps of Collatz's rule, with a number a thread and with lanes that take
// a new number when they have done, a sieve of pieces in shared memory, common divisors by
// remainders and by halves.
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

constexpr int COUNT = 1 << 17;

__host__ __device__ inline int steps_of(uint64_t n)
{
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        steps++;
    }
    return steps;
}

__global__ void collatz(uint64_t first, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = steps_of(first + i);
}

// a warp has 256 numbers; a lane that has done takes the next one
__global__ void __launch_bounds__(128) collatz_taken(uint64_t first, int *__restrict__ out)
{
    int lane = threadIdx.x % 32, base = (blockIdx.x * 128 + threadIdx.x) / 32 * 256, next = 32,
        own = lane, steps = 0;
    uint64_t n = first + base + own;
    while (__any_sync(~0u, own < 256)) {
        // a few steps between looks
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (n != 1) {
                n = n & 1 ? 3 * n + 1 : n >> 1;
                steps++;
            }
        bool done = own < 256 && n == 1;
        unsigned mask = __ballot_sync(~0u, done);
        if (done) {
            out[base + own] = steps;
            own = next + __popc(mask & ((1u << lane) - 1)), steps = 0;
            n = own < 256 ? first + base + own : 1;
        }
        next += __popc(mask);
    }
}

// a block has a piece of odd numbers, a bit each
constexpr int PIECE = 1 << 17, PIECES = 132, SMALL = 8192, FEW = 53;

__global__ void __launch_bounds__(256)
    sieve(const int *__restrict__ primes, int many, uint32_t *__restrict__ out, int *counts)
{
    __shared__ uint32_t bits[PIECE / 32];
    __shared__ int sum;
    // bit k: first + 2 k + 1
    long long first = 2ll * PIECE * blockIdx.x;
    for (int k = threadIdx.x; k < PIECE / 32; k += 256)
        bits[k] = 0;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    // the first odd multiple of a prime that is not smaller than its square
    auto beginning = [&](int p) {
        long long from = max(((first + p - 1) / p) | 1, (long long)p);
        return (from * p - first) / 2;
    };
    // all threads cross out multiples of small primes, each those of one large prime
    for (int i = 0; i < FEW; i++) {
        int p = primes[i];
        for (long long k = beginning(p) + threadIdx.x * p; k < PIECE; k += 256 * p)
            atomicOr(bits + k / 32, 1u << k % 32);
    }
    for (int i = FEW + threadIdx.x; i < many; i += 256) {
        int p = primes[i];
        for (long long k = beginning(p); k < PIECE; k += p)
            atomicOr(bits + k / 32, 1u << k % 32);
    }
    __syncthreads();
    int primes_here = 0;
    for (int k = threadIdx.x; k < PIECE / 32; k += 256) {
        out[blockIdx.x * (PIECE / 32) + k] = ~bits[k];
        primes_here += __popc(~bits[k]);
    }
    primes_here = __reduce_add_sync(~0u, primes_here);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, primes_here);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = sum;
}

__global__ void remainders(const uint2 *__restrict__ pairs, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = pairs[i].x, b = pairs[i].y;
    while (b) {
        uint32_t rest = a % b;
        a = b, b = rest;
    }
    out[i] = a;
}

__global__ void by_halves(const uint2 *__restrict__ pairs, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t a = pairs[i].x, b = pairs[i].y; // both above zero
    int both = __ffs(a | b) - 1;
    a >>= __ffs(a) - 1;
    do {
        b >>= __ffs(b) - 1;
        uint32_t least = min(a, b);
        b = max(a, b) - least, a = least;
    } while (b);
    out[i] = a << both;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(409);
    const uint64_t first = 1000000007;
    std::vector<uint2> pairs(4 * COUNT);
    for (uint2 &p : pairs)
        p = make_uint2(random.next() | 1u << 31, (random.next() >> random.below(12)) | 1u << 12);
    std::vector<int> primes;
    std::vector<bool> crossed(SMALL + 1);
    for (int p = 3; p <= SMALL; p += 2)
        if (!crossed[p]) {
            if (p * p < 2 * PIECE * PIECES)
                primes.push_back(p);
            for (int k = p * p; k <= SMALL; k += 2 * p)
                crossed[k] = true;
        }
    uint2 *P = copy(pairs);
    int *R = copy(primes), *out = room<int>(4 * COUNT), *counts = room<int>(PIECES);
    uint32_t *bits = room<uint32_t>((size_t)PIECES * PIECE / 32);
    auto wiped = [&] {
        fill(out, 4 * COUNT, 0x77);
        fill(counts, PIECES, 0x77);
        fill(bits, (size_t)PIECES * PIECE / 32, 0x77);
    };
    auto stepped = [&] {
        return differ(out, COUNT, 5, 0, [&](size_t i) { return steps_of(first + i); });
    };
    variant(
        "collatz", "collatz", wiped, [&] { collatz<<<COUNT / 128, 128>>>(first, out); }, stepped);
    variant(
        "collatz_taken", "collatz_taken", wiped,
        [&] { collatz_taken<<<COUNT / 1024, 128>>>(first, out); }, stepped);
    variant(
        "sieve", "sieve", wiped, [&] { sieve<<<PIECES, 256>>>(R, primes.size(), bits, counts); },
        [&] {
            std::vector<uint32_t> got = fetch(bits, (size_t)PIECES * PIECE / 32);
            std::vector<int> many = fetch(counts, PIECES);
            std::vector<bool> composite((size_t)PIECES * PIECE);
            for (long long p : primes)
                for (long long k = p * p / 2; k < (long long)PIECES * PIECE; k += p)
                    composite[k] = true;
            long bad = 0;
            for (int piece = 0; piece < PIECES; piece++) {
                int sum = 0;
                for (int k = 0; k < PIECE; k++)
                    sum += !composite[(size_t)piece * PIECE + k];
                bad += sum != many[piece];
                for (int k = 0; k < PIECE; k += 37)
                    bad += (got[piece * (PIECE / 32) + k / 32] >> k % 32 & 1) ==
                           composite[(size_t)piece * PIECE + k];
            }
            return bad;
        });
    auto divided = [&] {
        return differ((uint32_t *)out, 4 * COUNT, 5, 0, [&](size_t i) {
            uint32_t a = pairs[i].x, b = pairs[i].y;
            while (b)
                std::swap(a %= b, b);
            return a;
        });
    };
    variant(
        "remainders", "remainders", wiped,
        [&] { remainders<<<4 * COUNT / 256, 256>>>(P, (uint32_t *)out); }, divided);
    variant(
        "by_halves", "by_halves", wiped,
        [&] { by_halves<<<4 * COUNT / 256, 256>>>(P, (uint32_t *)out); }, divided);
    return finish();
}
