// Hashes that need memory and ciphers cut into bits: a mixing of 128 blocks of 64 bytes with the
// memory of a thread in one piece, with that of all threads side by side, and with four lanes a
// password; a cipher of 64 bits by tables in shared memory and with 32 blocks in the bits of words.
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

constexpr int PASSWORDS = 4096, KEPT = 128;

__host__ __device__ inline uint32_t turned(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

__host__ __device__ inline void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    a += b, d = turned(d ^ a, 16);
    c += d, b = turned(b ^ c, 12);
    a += b, d = turned(d ^ a, 8);
    c += d, b = turned(b ^ c, 7);
}

// four rounds, then the block itself is added
__host__ __device__ inline void stir(uint32_t (&x)[16])
{
    uint32_t y[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        y[k] = x[k];
#pragma unroll
    for (int round = 0; round < 2; round++) {
        quarter(y[0], y[4], y[8], y[12]), quarter(y[1], y[5], y[9], y[13]);
        quarter(y[2], y[6], y[10], y[14]), quarter(y[3], y[7], y[11], y[15]);
        quarter(y[0], y[5], y[10], y[15]), quarter(y[1], y[6], y[11], y[12]);
        quarter(y[2], y[7], y[8], y[13]), quarter(y[3], y[4], y[9], y[14]);
    }
#pragma unroll
    for (int k = 0; k < 16; k++)
        x[k] += y[k];
}

__host__ __device__ inline void first_block(uint32_t (&x)[16], uint32_t password)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        x[k] = (password + k) * 2654435761u ^ k << 27;
    stir(x);
}

template <bool Beside>
__global__ void __launch_bounds__(64) passwords(uint4 *memory, uint4 *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    uint32_t x[16];
    first_block(x, i);
    auto at = [&](int block, int part) {
        return Beside ? (block * 4 + part) * PASSWORDS + i : (i * KEPT + block) * 4 + part;
    };
    for (int block = 0; block < KEPT; block++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            memory[at(block, k)] = make_uint4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
        stir(x);
    }
    for (int step = 0; step < KEPT; step++) {
        int block = x[0] % KEPT;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint4 v = memory[at(block, k)];
            x[4 * k] ^= v.x, x[4 * k + 1] ^= v.y, x[4 * k + 2] ^= v.z, x[4 * k + 3] ^= v.w;
        }
        stir(x);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i * 4 + k] = make_uint4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
}

// a lane has a column of the block; diagonals by shuffles
__device__ inline void stir_lanes(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, int lane)
{
    uint32_t p = a, q = b, r = c, s = d;
    auto from = [&](uint32_t v, int by) {
        return __shfl_sync(~0u, v, (lane & ~3) | ((lane + by) & 3));
    };
    for (int round = 0; round < 2; round++) {
        quarter(p, q, r, s);
        q = from(q, 1), r = from(r, 2), s = from(s, 3);
        quarter(p, q, r, s);
        q = from(q, 3), r = from(r, 2), s = from(s, 1);
    }
    a += p, b += q, c += r, d += s;
}

__global__ void __launch_bounds__(128) four_lanes(uint4 *memory, uint32_t *__restrict__ out)
{
    int lane = threadIdx.x % 32, i = (blockIdx.x * 128 + threadIdx.x) / 4, k = lane % 4;
    uint32_t x[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        x[r] = (i + 4 * r + k) * 2654435761u ^ (4 * r + k) << 27;
    stir_lanes(x[0], x[1], x[2], x[3], lane);
    uint4 *own = memory + i * KEPT * 4 + k;
    for (int block = 0; block < KEPT; block++) {
        own[block * 4] = make_uint4(x[0], x[1], x[2], x[3]);
        stir_lanes(x[0], x[1], x[2], x[3], lane);
    }
    for (int step = 0; step < KEPT; step++) {
        uint4 v = own[__shfl_sync(~0u, x[0], lane & ~3) % KEPT * 4];
        x[0] ^= v.x, x[1] ^= v.y, x[2] ^= v.z, x[3] ^= v.w;
        stir_lanes(x[0], x[1], x[2], x[3], lane);
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[i * 16 + 4 * r + k] = x[r];
}

// PRESENT: 31 rounds of a key, sixteen boxes of four bits, and bits that change places
constexpr int ROUNDS = 31, BLOCKS = 1 << 18;

__constant__ uint32_t key_bits[ROUNDS + 1][64]; // all ones or zeros

static const uint8_t box[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};

__global__ void __launch_bounds__(128)
    by_tables(const uint64_t *__restrict__ in, const uint64_t *__restrict__ tables,
              const uint64_t *__restrict__ keys, uint64_t *__restrict__ out)
{
    __shared__ uint64_t own[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += 128)
        own[k / 256][k % 256] = tables[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    uint64_t x = in[i];
    for (int round = 0; round < ROUNDS; round++) {
        x ^= keys[round];
        uint64_t y = 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            y |= own[k][x >> 8 * k & 255];
        x = y;
    }
    out[i] = x ^ keys[ROUNDS];
}

__device__ inline void box_bits(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d)
{
    uint32_t ab = a & b, bc = b & c, ad = a & d, bd = b & d, abd = ab & d, acd = ad & c,
             abc = ab & c;
    uint32_t y0 = a ^ c ^ bc ^ d, y1 = b ^ abc ^ d ^ bd ^ abd ^ (c & d) ^ acd,
             y2 = ~(ab ^ c ^ d ^ ad ^ bd ^ abd ^ acd), y3 = ~(a ^ b ^ bc ^ abc ^ d ^ abd ^ acd);
    a = y0, b = y1, c = y2, d = y3;
}

// words have a bit of 32 blocks each; bits change places by other names of registers
__global__ void __launch_bounds__(64)
    by_bits(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x, many = BLOCKS / 32;
    uint32_t x[64], y[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
        x[k] = in[k * many + i];
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < 64; k++)
            x[k] ^= key_bits[round][k];
#pragma unroll
        for (int k = 0; k < 64; k += 4)
            box_bits(x[k], x[k + 1], x[k + 2], x[k + 3]);
#pragma unroll
        for (int k = 0; k < 64; k++)
            y[k % 4 * 16 + k / 4] = x[k];
#pragma unroll
        for (int k = 0; k < 64; k++)
            x[k] = y[k];
    }
#pragma unroll
    for (int k = 0; k < 64; k++)
        out[k * many + i] = x[k] ^ key_bits[ROUNDS][k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(389);
    std::vector<uint64_t> plain(BLOCKS), keys(ROUNDS + 1), tables(8 * 256);
    std::vector<uint32_t> key_words((ROUNDS + 1) * 64), cut(BLOCKS * 2);
    for (int i = 0; i < BLOCKS; i++) {
        plain[i] = (uint64_t)random.next() << 32 | random.next();
        for (int k = 0; k < 64; k++)
            cut[k * (BLOCKS / 32) + i / 32] |= (uint32_t)(plain[i] >> k & 1) << i % 32;
    }
    for (int r = 0; r <= ROUNDS; r++) {
        keys[r] = (uint64_t)random.next() << 32 | random.next();
        for (int k = 0; k < 64; k++)
            key_words[r * 64 + k] = keys[r] >> k & 1 ? ~0u : 0;
    }
    // a byte's two boxes, and where their bits go
    for (int i = 0; i < 8 * 256; i++) {
        int value = box[i & 15] | box[i >> 4 & 15] << 4;
        for (int b = 0; b < 8; b++) {
            int k = i / 256 * 8 + b;
            tables[i] |= (uint64_t)(value >> b & 1) << (k % 4 * 16 + k / 4);
        }
    }
    must(cudaMemcpyToSymbol(key_bits, key_words.data(), sizeof key_bits));
    auto coded = [&](uint64_t x) {
        for (int r = 0; r < ROUNDS; r++) {
            uint64_t y = 0;
            x ^= keys[r];
            for (int k = 0; k < 64; k++)
                y |= (uint64_t)(box[x >> k / 4 * 4 & 15] >> k % 4 & 1) << (k % 4 * 16 + k / 4);
            x = y;
        }
        return x ^ keys[ROUNDS];
    };
    uint4 *memory = room<uint4>((size_t)PASSWORDS * KEPT * 4);
    uint32_t *out = room<uint32_t>(PASSWORDS * 16), *C = copy(cut),
             *bits = room<uint32_t>(BLOCKS * 2);
    uint64_t *P = copy(plain), *T = copy(tables), *K = copy(keys),
             *ciphers = room<uint64_t>(BLOCKS);
    auto wiped = [&] {
        fill(out, PASSWORDS * 16, 0x77);
        fill(ciphers, BLOCKS, 0x77);
        fill(bits, BLOCKS * 2, 0x77);
    };
    auto check = [&] {
        std::vector<uint32_t> got = fetch(out, PASSWORDS * 16);
        std::vector<uint32_t> kept(KEPT * 16);
        long bad = 0;
        for (int i = 0; i < PASSWORDS; i += 7) {
            uint32_t x[16];
            first_block(x, i);
            for (int step = 0; step < 2 * KEPT; step++) {
                uint32_t block = step < KEPT ? step : x[0] % KEPT;
                for (int k = 0; k < 16; k++)
                    if (step < KEPT)
                        kept[block * 16 + k] = x[k];
                    else
                        x[k] ^= kept[block * 16 + k];
                stir(x);
            }
            for (int k = 0; k < 16; k++)
                bad += got[i * 16 + k] != x[k];
        }
        return bad;
    };
    variant(
        "apart", "passwords", wiped,
        [&] { passwords<false><<<PASSWORDS / 64, 64>>>(memory, (uint4 *)out); }, check);
    variant(
        "beside", "passwords", wiped,
        [&] { passwords<true><<<PASSWORDS / 64, 64>>>(memory, (uint4 *)out); }, check);
    variant(
        "four_lanes", "four_lanes", wiped,
        [&] { four_lanes<<<PASSWORDS / 32, 128>>>(memory, out); }, check);
    variant(
        "by_tables", "by_tables", wiped,
        [&] { by_tables<<<BLOCKS / 128, 128>>>(P, T, K, ciphers); },
        [&] {
            std::vector<uint64_t> got = fetch(ciphers, BLOCKS);
            long bad = 0;
            for (int i = 0; i < BLOCKS; i += 61)
                bad += got[i] != coded(plain[i]);
            return bad;
        });
    variant(
        "by_bits", "by_bits", wiped, [&] { by_bits<<<BLOCKS / 32 / 64, 64>>>(C, bits); },
        [&] {
            std::vector<uint32_t> got = fetch(bits, BLOCKS * 2);
            long bad = 0;
            for (int i = 0; i < BLOCKS; i += 61) {
                uint64_t value = 0;
                for (int k = 0; k < 64; k++)
                    value |= (uint64_t)(got[k * (BLOCKS / 32) + i / 32] >> i % 32 & 1) << k;
                bad += value != coded(plain[i]);
            }
            return bad;
        });
    return finish();
}
