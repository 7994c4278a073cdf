// Number-theoretic transforms: one stage of 2^20 numbers by Montgomery products, 2048 numbers a
// block in shared memory, modulo 2^64 - 2^32 + 1 with eight numbers a thread, powers of numbers of
// 64 bits.
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

constexpr uint32_t P = 998244353, NEGATIVE_INVERSE = 998244351; // -1 / P modulo 2^32
constexpr uint64_t Q = 0xffffffff00000001ull;

__host__ __device__ inline uint32_t reduced(uint64_t t)
{
    uint32_t m = (uint32_t)t * NEGATIVE_INVERSE;
    uint32_t r = (t + (uint64_t)m * P) >> 32;
    return r >= P ? r - P : r;
}

__host__ __device__ inline uint32_t sum(uint32_t a, uint32_t b)
{
    uint32_t s = a + b;
    return s >= P ? s - P : s;
}

__host__ __device__ inline uint32_t less(uint32_t a, uint32_t b)
{
    return a >= b ? a - b : a + P - b;
}

// decimation in frequency: pairs half apart; roots (times 2^32) of the stage
__global__ void stage(uint32_t *data, const uint32_t *__restrict__ root, int half, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int k = i & (half - 1), at = (i - k) * 2 + k;
    uint32_t a = data[at], b = data[at + half];
    data[at] = sum(a, b);
    data[at + half] = reduced((uint64_t)less(a, b) * root[k]);
}

template <int N> __global__ void whole(uint32_t *data, const uint32_t *__restrict__ root)
{
    __shared__ uint32_t x[N];
    for (int i = threadIdx.x; i < N; i += N / 4)
        x[i] = data[(size_t)blockIdx.x * N + i];
    for (int half = N / 2, step = 1; half; half /= 2, step *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < N / 2; i += N / 4) {
            int k = i & (half - 1), at = (i - k) * 2 + k;
            uint32_t a = x[at], b = x[at + half];
            x[at] = sum(a, b);
            x[at + half] = reduced((uint64_t)less(a, b) * root[k * step]);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += N / 4)
        data[(size_t)blockIdx.x * N + i] = x[i];
}

__device__ inline uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t low = a * b, high = __umul64hi(a, b), top = high >> 32, middle = high & 0xffffffff;
    uint64_t t = low - top;
    if (low < top)
        t -= 0xffffffff;
    uint64_t u = middle * 0xffffffff, r = t + u;
    if (r < u)
        r += 0xffffffff;
    return r >= Q ? r - Q : r;
}

__device__ inline uint64_t sum64(uint64_t a, uint64_t b)
{
    uint64_t s = a + b;
    return s < a || s >= Q ? s - Q : s;
}

__device__ inline uint64_t less64(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + Q - b;
}

// eight numbers, an eighth apart; root of order 8 is 2^24
__global__ void eight(const uint64_t *__restrict__ in, uint64_t *__restrict__ out, int eighth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= eighth)
        return;
    uint64_t v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[i + (size_t)k * eighth];
#pragma unroll
    for (int half = 4, shift = 24; half; half /= 2, shift *= 2)
#pragma unroll
        for (int p = 0; p < 4; p++) {
            int k = p % half, at = (p - k) * 2 + k;
            uint64_t a = v[at], b = v[at + half];
            v[at] = sum64(a, b);
            v[at + half] =
                product(less64(a, b),
                        shift * k < 64 ? 1ull << shift * k : 0xffffffffull << (shift * k - 64));
        }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[i + (size_t)k * eighth] = v[k];
}

__global__ void powers(const uint64_t *__restrict__ base, const uint32_t *__restrict__ exponent,
                       uint64_t *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint64_t b = base[i], r = 1;
    for (uint32_t e = exponent[i]; e; e >>= 1) {
        if (e & 1)
            r = product(r, b);
        b = product(b, b);
    }
    out[i] = r;
}

static uint64_t power(uint64_t b, uint64_t e, uint64_t modulus)
{
    uint64_t r = 1;
    for (; e; e >>= 1) {
        if (e & 1)
            r = (unsigned __int128)r * b % modulus;
        b = (unsigned __int128)b * b % modulus;
    }
    return r;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 22, half = 1 << 19, n = 2048, wide = 1 << 21, some = 1 << 18;
    Lcg random(223);
    std::vector<uint32_t> values(count), roots(half), short_roots(n / 2), exponents(some);
    std::vector<uint64_t> longs(wide);
    for (uint32_t &v : values)
        v = random.below(P);
    for (uint64_t &v : longs)
        v = ((uint64_t)random.next() << 32 | random.next()) % Q;
    for (uint32_t &e : exponents)
        e = random.next();
    uint64_t w = power(3, (P - 1) / (2 * half), P), r = (1ull << 32) % P;
    for (int k = 0; k < half; k++, r = r * w % P)
        roots[k] = r;
    w = power(3, (P - 1) / n, P), r = (1ull << 32) % P;
    for (int k = 0; k < n / 2; k++, r = r * w % P)
        short_roots[k] = r;
    uint32_t *data = room<uint32_t>(count), *root = copy(roots), *short_root = copy(short_roots),
             *exponent = copy(exponents);
    uint64_t *in = copy(longs), *out = room<uint64_t>(wide);
    auto reset = [&] { put(data, values); };
    variant(
        "stage", "stage", reset,
        [&] { stage<<<count / 2 / 256, 256>>>(data, root, half, count / 2); },
        [&] {
            return differ(data, count, 1, 0, [&](size_t i) {
                size_t k = i % (2 * half), other = i ^ half;
                if (k < half)
                    return (uint32_t)(((uint64_t)values[i] + values[other]) % P);
                uint64_t plain = (uint64_t)roots[k - half] * power(1ull << 32, P - 2, P) % P;
                return k % 16
                           ? reduced((uint64_t)less(values[other], values[i]) * roots[k - half])
                           : (uint32_t)(((uint64_t)values[other] + P - values[i]) % P * plain % P);
            });
        });
    variant(
        "block", "whole", reset, [&] { whole<n><<<count / n / 2, n / 4>>>(data, short_root); },
        [&] {
            std::vector<uint32_t> got = fetch(data, count);
            long bad = 0;
            for (int i = 5; i < count / 2; i += 4099) {
                int base = i / n * n, place = i % n, k = 0;
                for (int b = 0; b < 11; b++)
                    k |= (place >> b & 1) << (10 - b);
                uint64_t by = power(w, k, P), at = 1, total = 0;
                for (int t = 0; t < n; t++, at = at * by % P)
                    total = (total + values[base + t] * at) % P;
                bad += got[i] != total;
            }
            return bad;
        });
    variant(
        "eight", "eight", [&] { fill(out, wide, 0xff); },
        [&] { eight<<<wide / 8 / 128, 128>>>(in, out, wide / 8); },
        [&] {
            std::vector<uint64_t> got = fetch(out, wide);
            long bad = 0;
            for (int i = 0; i < wide; i += 37) {
                int place = i / (wide / 8), k = (place & 1) << 2 | (place & 2) | place >> 2;
                uint64_t by = power(1ull << 24, k, Q), at = 1, total = 0;
                for (int t = 0; t < 8; t++, at = (unsigned __int128)at * by % Q)
                    total =
                        ((unsigned __int128)longs[i % (wide / 8) + t * (wide / 8)] * at + total) %
                        Q;
                bad += got[i] != total;
            }
            return bad;
        });
    variant(
        "powers", "powers", [&] { fill(out, wide, 0xff); },
        [&] { powers<<<some / 256, 256>>>(in, exponent, out, some); },
        [&] {
            std::vector<uint64_t> got = fetch(out, some);
            long bad = 0;
            for (int i = 0; i < some; i += 7)
                bad += got[i] != power(longs[i], exponents[i], Q);
            return bad;
        });
    return finish();
}
