// SHA-256: one block of 64 bytes a message, messages of many blocks, a search for small digests, a
// level of a hash tree.
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

__constant__ uint32_t K[64];
static uint32_t host_k[64];

struct Digest {
    uint32_t h[8];
};

__host__ __device__ inline Digest initial()
{
    return {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
             0x5be0cd19}};
}

__host__ __device__ inline uint32_t turned(uint32_t v, int by)
{
    return v >> by | v << (32 - by);
}

__host__ __device__ inline uint32_t swapped(uint32_t v)
{
    return v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) << 8 | v << 24;
}

// w: the block in the machine's words; is used up
__host__ __device__ inline void compress(Digest &d, uint32_t *w)
{
    uint32_t a = d.h[0], b = d.h[1], c = d.h[2], e = d.h[4], f = d.h[5], g = d.h[6], h = d.h[7],
             p = d.h[3];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint32_t x = w[(i + 1) % 16], y = w[(i + 14) % 16];
            w[i % 16] += (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[(i + 9) % 16] +
                         (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
        }
#ifdef __CUDA_ARCH__
        uint32_t k = K[i];
#else
        uint32_t k = host_k[i];
#endif
        uint32_t s = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + k +
                     w[i % 16];
        uint32_t t = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = p + s;
        p = c;
        c = b;
        b = a;
        a = s + t;
    }
    d.h[0] += a;
    d.h[1] += b;
    d.h[2] += c;
    d.h[3] += p;
    d.h[4] += e;
    d.h[5] += f;
    d.h[6] += g;
    d.h[7] += h;
}

// messages of `blocks` blocks, then the padding
__host__ __device__ inline Digest digest_of(const uint4 *message, int blocks)
{
    Digest d = initial();
    uint32_t w[16];
    for (int n = 0; n < blocks; n++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint4 v = message[n * 4 + k];
            w[4 * k] = swapped(v.x);
            w[4 * k + 1] = swapped(v.y);
            w[4 * k + 2] = swapped(v.z);
            w[4 * k + 3] = swapped(v.w);
        }
        compress(d, w);
    }
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = k == 0 ? 0x80000000u : k == 15 ? blocks * 512 : 0;
    compress(d, w);
    return d;
}

__global__ void digests(const uint4 *__restrict__ message, int blocks, Digest *__restrict__ out,
                        int messages)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < messages)
        out[i] = digest_of(message + (size_t)i * blocks * 4, blocks);
}

__host__ __device__ inline uint32_t with_nonce(Digest middle, uint32_t nonce)
{
    uint32_t w[16] = {0x12345678, 0x9abcdef0, 0x0fedcba9, nonce, 0x80000000u, 0, 0, 0,
                      0,          0,          0,          0,     0,           0, 0, 640};
    compress(middle, w);
    return middle.h[0];
}

__global__ void mine(Digest middle, uint32_t limit, int each, uint32_t *__restrict__ found,
                     int *__restrict__ count)
{
    uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int k = 0; k < each; k++)
        if (with_nonce(middle, first + k) < limit)
            found[atomicAdd(count, 1)] = first + k;
}

// pairs of digests side by side
__global__ void level(const uint4 *__restrict__ below, Digest *__restrict__ above, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    __shared__ Digest out[64];
    out[threadIdx.x] = digest_of(below + i * 4, 1);
    __syncthreads();
    uint32_t *to = (uint32_t *)(above + blockIdx.x * 64);
    for (int k = 0; k < 8; k++)
        to[k * 64 + threadIdx.x] = ((uint32_t *)out)[k * 64 + threadIdx.x];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    for (int i = 0, p = 2; i < 64; p++) {
        bool prime = true;
        for (int q = 2; q * q <= p; q++)
            prime &= p % q != 0;
        if (prime)
            host_k[i++] = (uint32_t)(int64_t)std::floor(std::fmod(std::cbrt((long double)p), 1.0L) *
                                                        4294967296.0L);
    }
    must(cudaMemcpyToSymbol(K, host_k, sizeof host_k));
    const int messages = 1 << 16, many = 8192, blocks = 8, threads = 132 * 256, each = 4,
              pairs = 1 << 15;
    const uint32_t limit = 1u << 22;
    Lcg random(229);
    std::vector<uint4> data((size_t)messages * 4);
    for (uint4 &d : data)
        d = {random.next(), random.next(), random.next(), random.next()};
    uint4 *message = copy(data);
    Digest *out = room<Digest>(messages), middle = initial();
    uint32_t *found = room<uint32_t>(threads * each);
    int *count = room<int>(1);
    auto wiped = [&] { fill(out, messages, 0xff); };
    auto check = [&](int all, int length) {
        std::vector<uint32_t> got = fetch((const uint32_t *)out, 8 * all);
        long bad = 0;
        for (int i = 0; i < all; i += 11) {
            Digest d = digest_of(&data[(size_t)i * length * 4], length);
            bad += memcmp(&d, &got[8 * i], sizeof d) != 0;
        }
        return bad;
    };
    variant(
        "single", "digests", wiped,
        [&] { digests<<<messages / 128, 128>>>(message, 1, out, messages); },
        [&] {
            uint32_t abc[16] = {0x61626380};
            abc[15] = 24;
            Digest d = initial();
            compress(d, abc);
            return check(messages, 1) + (d.h[0] != 0xba7816bf);
        });
    variant(
        "long", "digests", wiped, [&] { digests<<<many / 64, 64>>>(message, blocks, out, many); },
        [&] { return check(many, blocks); });
    variant(
        "mine", "mine", [&] { fill(count, 1, 0); },
        [&] { mine<<<threads / 256, 256>>>(middle, limit, each, found, count); },
        [&] {
            int many_found = fetch(count, 1)[0];
            std::vector<uint32_t> got = fetch(found, std::min(many_found, threads * each), false),
                                  expected;
            std::sort(got.begin(), got.end());
            for (uint32_t n = 0; n < (uint32_t)threads * each; n++)
                if (with_nonce(middle, n) < limit)
                    expected.push_back(n);
            return (long)(got != expected);
        });
    variant(
        "level", "level", wiped, [&] { level<<<pairs / 64, 64>>>(message, out, pairs); },
        [&] { return check(pairs, 1); });
    return finish();
}
