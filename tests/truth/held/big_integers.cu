// Long integers: products of 256 bits in each thread, Montgomery products of 256 bits in a row,
// sums of 1024 bits with a word in each lane, products of 1024 bits with a warp each.
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

constexpr int WORDS = 8;

// numbers by words, then numbers
__global__ void products(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
                         uint32_t *__restrict__ c, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t x[WORDS], y[WORDS], z[2 * WORDS] = {};
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        x[k] = a[k * count + i];
        y[k] = b[k * count + i];
    }
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        uint64_t carry = 0;
#pragma unroll
        for (int l = 0; l < WORDS; l++) {
            carry += (uint64_t)x[k] * y[l] + z[k + l];
            z[k + l] = carry;
            carry >>= 32;
        }
        z[k + WORDS] = carry;
    }
#pragma unroll
    for (int k = 0; k < 2 * WORDS; k++)
        c[k * count + i] = z[k];
}

// 2^256 - 2^32 - 977
__host__ __device__ constexpr uint32_t modulus(int k)
{
    return k == 0 ? 0xfffffc2fu : k == 1 ? 0xfffffffeu : 0xffffffffu;
}

// r = r b / 2^256 modulo the prime, less than 2^256
__host__ __device__ inline void montgomery(uint32_t *r, const uint32_t *b)
{
    uint32_t t[WORDS + 2] = {};
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        uint64_t carry = 0;
#pragma unroll
        for (int l = 0; l < WORDS; l++) {
            carry += (uint64_t)r[k] * b[l] + t[l];
            t[l] = carry;
            carry >>= 32;
        }
        carry += t[WORDS];
        t[WORDS] = carry;
        t[WORDS + 1] = carry >> 32;
        uint32_t m = t[0] * 0xd2253531u; // -1 / modulus
        carry = (uint64_t)m * modulus(0) + t[0];
        carry >>= 32;
#pragma unroll
        for (int l = 1; l < WORDS; l++) {
            carry += (uint64_t)m * modulus(l) + t[l];
            t[l - 1] = carry;
            carry >>= 32;
        }
        carry += t[WORDS];
        t[WORDS - 1] = carry;
        t[WORDS] = t[WORDS + 1] + (carry >> 32);
    }
    uint64_t borrow = 0;
    uint32_t d[WORDS];
#pragma unroll
    for (int l = 0; l < WORDS; l++) {
        uint64_t v = (uint64_t)t[l] - modulus(l) - borrow;
        d[l] = v;
        borrow = v >> 63;
    }
    bool keep = borrow > t[WORDS];
#pragma unroll
    for (int l = 0; l < WORDS; l++)
        r[l] = keep ? t[l] : d[l];
}

__global__ void chain(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
                      uint32_t *__restrict__ c, int count, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t x[WORDS], y[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        x[k] = a[k * count + i];
        y[k] = b[k * count + i];
    }
    for (int s = 0; s < steps; s++)
        montgomery(x, y);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        c[k * count + i] = x[k];
}

// a warp is a number of 1024 bits: carries by votes
__device__ uint32_t lanes_sum(uint32_t a, uint32_t b, int lane)
{
    uint32_t s = a + b, makes = __ballot_sync(~0u, s < a), passes = __ballot_sync(~0u, s == ~0u);
    uint64_t all = (uint64_t)makes * 2 + passes;
    uint32_t into = (uint32_t)all ^ passes;
    return s + (into >> lane & 1);
}

__global__ void long_sums(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
                          uint32_t *__restrict__ c, int words)
{
    int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        c[i] = lanes_sum(a[i], b[i], lane);
}

// the low 1024 bits
__global__ void long_products(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
                              uint32_t *__restrict__ c, int numbers)
{
    int number = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (number >= numbers)
        return;
    uint32_t x = a[number * 32 + lane], y = b[number * 32 + lane], low = 0, middle = 0, high = 0;
    for (int k = 0; k < 32; k++) {
        uint32_t u = __shfl_sync(~0u, x, k), v = __shfl_sync(~0u, y, (lane - k) & 31);
        uint64_t p = k <= lane ? (uint64_t)u * v : 0;
        uint64_t s = (uint64_t)low + (uint32_t)p;
        low = s;
        s = (s >> 32) + middle + (p >> 32);
        middle = s;
        high += s >> 32;
    }
    uint32_t up1 = __shfl_up_sync(~0u, middle, 1), up2 = __shfl_up_sync(~0u, high, 2);
    low = lanes_sum(low, lane >= 1 ? up1 : 0, lane);
    c[number * 32 + lane] = lanes_sum(low, lane >= 2 ? up2 : 0, lane);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 17, few = 1 << 15, steps = 16, words = 4 << 20, numbers = 1 << 15;
    Lcg random(227);
    std::vector<uint32_t> as(words), bs(words);
    for (int i = 0; i < words; i++) {
        as[i] = random.next();
        bs[i] = random.below(16) ? random.next() : ~as[i]; // carries that pass
    }
    uint32_t *a = copy(as), *b = copy(bs), *c = room<uint32_t>(words);
    auto wiped = [&] { fill(c, words, 0xff); };
    variant(
        "products", "products", wiped, [&] { products<<<count / 128, 128>>>(a, b, c, count); },
        [&] {
            std::vector<uint32_t> got = fetch(c, 16 * count);
            long bad = 0;
            for (int i = 0; i < count; i += 3) {
                uint32_t z[17] = {};
                for (int k = 0; k < 8; k++) {
                    uint64_t carry = 0;
                    for (int l = 0; l < 8; l++, carry >>= 32)
                        z[k + l] = carry +=
                            (uint64_t)as[k * count + i] * bs[l * count + i] + z[k + l];
                    z[k + 8] = carry;
                }
                for (int k = 0; k < 16; k++)
                    bad += got[k * count + i] != z[k];
            }
            return bad;
        });
    variant(
        "montgomery", "chain", wiped, [&] { chain<<<few / 64, 64>>>(a, b, c, few, steps); },
        [&] {
            std::vector<uint32_t> got = fetch(c, 8 * few);
            long bad = 0;
            for (int i = 0; i < few; i += 5) {
                uint32_t x[8], y[8];
                for (int k = 0; k < 8; k++) {
                    x[k] = as[k * few + i];
                    y[k] = bs[k * few + i];
                }
                for (int s = 0; s < steps; s++)
                    montgomery(x, y);
                for (int k = 0; k < 8; k++)
                    bad += got[k * few + i] != x[k];
            }
            return bad;
        });
    variant(
        "sums", "long_sums", wiped, [&] { long_sums<<<132 * 8, 256>>>(a, b, c, words); },
        [&] {
            uint64_t carry = 0;
            return differ(c, words, 1, 0, [&](size_t i) {
                carry = (i % 32 ? carry >> 32 : 0) + as[i] + bs[i];
                return (uint32_t)carry;
            });
        });
    variant(
        "long_products", "long_products", wiped,
        [&] { long_products<<<numbers / 4, 128>>>(a, b, c, numbers); },
        [&] {
            std::vector<uint32_t> got = fetch(c, 32 * numbers);
            long bad = 0;
            for (int n = 0; n < numbers; n += 7) {
                uint32_t z[32] = {};
                for (int k = 0; k < 32; k++) {
                    uint64_t carry = 0;
                    for (int l = 0; k + l < 32; l++, carry >>= 32)
                        z[k + l] = carry += (uint64_t)as[n * 32 + k] * bs[n * 32 + l] + z[k + l];
                }
                for (int k = 0; k < 32; k++)
                    bad += got[n * 32 + k] != z[k];
            }
            return bad;
        });
    return finish();
}
