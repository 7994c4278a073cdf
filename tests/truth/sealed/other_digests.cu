// Digests apart from SHA-256: Keccak (SHA3-256) with the whole state in a thread and with a word of
// the state in each of 25 lanes, MD5 of single blocks, and SipHash of short keys.
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

__host__ __device__ inline uint64_t turned(uint64_t x, int by)
{
    return by ? x << by | x >> (64 - by) : x;
}

__constant__ uint64_t ROUNDS[24];
__constant__ uint8_t TURNS[25], FROM[25];

__host__ __device__ inline void keccak_round(uint64_t *a, uint64_t constant)
{
    uint64_t c[5], b[25];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int x = 0; x < 5; x++)
        c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 25; i++) {
        constexpr int turns[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                   25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
        int x = i % 5, y = i / 5;
        b[y + (2 * x + 3 * y) % 5 * 5] =
            turned(a[i] ^ c[(x + 4) % 5] ^ turned(c[(x + 1) % 5], 1), turns[i]);
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 25; i++)
        a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
    a[0] ^= constant;
}

// messages of 64 bytes
__global__ void __launch_bounds__(96)
    keccak(const uint64_t *__restrict__ in, uint64_t *__restrict__ out, int count)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i >= count)
        return;
    uint64_t a[25] = {};
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = in[k * count + i];
    a[8] = 6;
    a[16] = 1ull << 63;
#pragma unroll 1
    for (int r = 0; r < 24; r++)
        keccak_round(a, ROUNDS[r]);
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[k * count + i] = a[k];
}

__global__ void keccak_lanes(const uint64_t *__restrict__ in, uint64_t *__restrict__ out, int count)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int at = min(lane, 24), x = at % 5, row = at - x, turn = TURNS[at], from = FROM[at];
    uint64_t a = lane < 8 ? in[lane * count + i] : lane == 8 ? 6 : lane == 16 ? 1ull << 63 : 0;
    for (int r = 0; r < 24; r++) {
        uint64_t c = a;
        for (int k = 1; k < 5; k++)
            c ^= __shfl_sync(~0u, a, (at + 5 * k) % 25);
        uint64_t left = __shfl_sync(~0u, c, (x + 4) % 5), right = __shfl_sync(~0u, c, (x + 1) % 5);
        a = turned(a ^ left ^ turned(right, 1), turn);
        a = __shfl_sync(~0u, a, from);
        uint64_t one = __shfl_sync(~0u, a, row + (x + 1) % 5),
                 two = __shfl_sync(~0u, a, row + (x + 2) % 5);
        a ^= ~one & two;
        if (lane == 0)
            a ^= ROUNDS[r];
    }
    if (lane < 4)
        out[lane * count + i] = a;
}

__constant__ uint32_t SINES[64];

template <class Sines>
__host__ __device__ inline void md5_block(const uint32_t *w, uint32_t *s, const Sines &sines)
{
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < 64; k++) {
        constexpr int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
        uint32_t f, g;
        if (k < 16)
            f = (b & c) | (~b & d), g = k;
        else if (k < 32)
            f = (d & b) | (~d & c), g = (5 * k + 1) % 16;
        else if (k < 48)
            f = b ^ c ^ d, g = (3 * k + 5) % 16;
        else
            f = c ^ (b | ~d), g = 7 * k % 16;
        f += a + sines[k] + w[g];
        int by = shifts[k / 16 * 4 + k % 4];
        a = d, d = c, c = b;
        b += f << by | f >> (32 - by);
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
}

// messages of 52 bytes, as in a search for passwords
__global__ void md5(const uint4 *__restrict__ in, uint4 *__restrict__ out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uint4 raw[4];
        for (int k = 0; k < 4; k++)
            raw[k] = in[i * 4 + k];
        uint32_t *w = (uint32_t *)raw, s[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
        w[13] = 0x80, w[14] = 52 * 8, w[15] = 0;
        md5_block(w, s, SINES);
        out[i] = make_uint4(s[0], s[1], s[2], s[3]);
    }
}

__host__ __device__ inline uint64_t siphash(const uint64_t *words, int count, uint64_t k0,
                                            uint64_t k1)
{
    uint64_t v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull,
             v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
    auto mix = [&] {
        v0 += v1, v1 = turned(v1, 13) ^ v0, v0 = turned(v0, 32);
        v2 += v3, v3 = turned(v3, 16) ^ v2;
        v0 += v3, v3 = turned(v3, 21) ^ v0;
        v2 += v1, v1 = turned(v1, 17) ^ v2, v2 = turned(v2, 32);
    };
    for (int k = 0; k <= count; k++) {
        uint64_t m = k < count ? words[k] : (uint64_t)(8 * count) << 56;
        v3 ^= m;
        mix();
        mix();
        v0 ^= m;
    }
    v2 ^= 255;
    for (int k = 0; k < 4; k++)
        mix();
    return v0 ^ v1 ^ v2 ^ v3;
}

// keys of one to eight words, one behind the other
__global__ void short_keys(const uint64_t *__restrict__ words, const int *__restrict__ starts,
                           uint64_t *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = siphash(words + starts[i], starts[i + 1] - starts[i], 0x0706050403020100ull,
                         0x0f0e0d0c0b0a0908ull);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(101);
    uint64_t rounds[24];
    uint8_t turns[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                         25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14},
            from[25];
    for (int r = 0, lfsr = 1; r < 24; r++) {
        rounds[r] = 0;
        for (int j = 0; j < 7; j++) {
            if (lfsr & 1)
                rounds[r] |= 1ull << ((1 << j) - 1);
            lfsr = lfsr << 1 ^ (lfsr >> 7 ? 0x171 : 0);
        }
    }
    for (int i = 0; i < 25; i++)
        from[i / 5 + (2 * (i % 5) + 3 * (i / 5)) % 5 * 5] = i;
    uint32_t sines[64];
    for (int k = 0; k < 64; k++)
        sines[k] = std::floor(std::fabs(std::sin(k + 1.0)) * 4294967296.0);
    must(cudaMemcpyToSymbol(ROUNDS, rounds, sizeof rounds));
    must(cudaMemcpyToSymbol(TURNS, turns, sizeof turns));
    must(cudaMemcpyToSymbol(FROM, from, sizeof from));
    must(cudaMemcpyToSymbol(SINES, sines, sizeof sines));
    const int many = 30000, few = 8192, blocks = 1 << 18, keys = 300000;
    std::vector<uint64_t> messages(many * 8), words;
    for (uint64_t &m : messages)
        m = (uint64_t)random.next() << 32 | random.next();
    std::vector<uint32_t> texts(blocks * 16);
    for (uint32_t &t : texts)
        t = random.next();
    std::vector<int> starts;
    for (int i = 0; i < keys; i++) {
        starts.push_back(words.size());
        for (int k = 1 + random.below(8); k > 0; k--)
            words.push_back((uint64_t)random.next() << 32 | random.next());
    }
    starts.push_back(words.size());
    uint64_t *M = copy(messages), *W = copy(words), *out = room<uint64_t>(keys);
    uint32_t *T = copy(texts), *sums = room<uint32_t>(blocks * 4);
    int *S = copy(starts);
    auto wiped = [&] {
        fill(out, keys, 0xff);
        fill(sums, blocks * 4, 0xff);
    };
    auto check = [&](int count) {
        std::vector<uint64_t> got = fetch(out, count * 4);
        long bad = 0;
        for (int i = 0; i < count; i += 3) {
            uint64_t a[25] = {};
            for (int k = 0; k < 8; k++)
                a[k] = messages[k * count + i];
            a[8] = 6, a[16] = 1ull << 63;
            for (int r = 0; r < 24; r++)
                keccak_round(a, rounds[r]);
            for (int k = 0; k < 4; k++)
                bad += got[k * count + i] != a[k];
        }
        return bad;
    };
    variant(
        "keccak", "keccak", wiped, [&] { keccak<<<(many + 95) / 96, 96>>>(M, out, many); },
        [&] { return check(many); });
    variant(
        "keccak_lanes", "keccak_lanes", wiped, [&] { keccak_lanes<<<few / 4, 128>>>(M, out, few); },
        [&] { return check(few); });
    variant(
        "md5", "md5", wiped, [&] { md5<<<132 * 4, 256>>>((uint4 *)T, (uint4 *)sums, blocks); },
        [&] {
            std::vector<uint32_t> got = fetch(sums, blocks * 4);
            long bad = 0;
            for (int i = 0; i < blocks; i += 3) {
                uint32_t w[16], s[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
                memcpy(w, &texts[i * 16], 64);
                w[13] = 0x80, w[14] = 52 * 8, w[15] = 0;
                md5_block(w, s, sines);
                bad += memcmp(s, &got[i * 4], 16) != 0;
            }
            return bad;
        });
    variant(
        "short_keys", "short_keys", wiped,
        [&] { short_keys<<<(keys + 191) / 192, 192>>>(W, S, out, keys); },
        [&] {
            std::vector<uint64_t> got = fetch(out, keys);
            long bad = 0;
            for (int i = 0; i < keys; i++)
                bad += got[i] != siphash(&words[starts[i]], starts[i + 1] - starts[i],
                                         0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
            return bad;
        });
    return finish();
}
