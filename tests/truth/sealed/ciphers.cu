// Ciphers in counter mode: AES-128 with four tables in shared memory, AES-128 with one table in
// constant memory, ChaCha20 with a block of 64 bytes in each thread, and with four lanes a block.
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

__constant__ uint32_t TABLE[256], KEYS[44];
__constant__ uint8_t BOX[256];

__device__ inline uint32_t rotated(uint32_t x, int by)
{
    return __funnelshift_l(x, x, by);
}

// T-tables in the order of little-endian words
template <class Look> __device__ inline uint4 aes(uint4 s, const uint8_t *box, Look look)
{
    s.x ^= KEYS[0], s.y ^= KEYS[1], s.z ^= KEYS[2], s.w ^= KEYS[3];
#pragma unroll
    for (int r = 1; r < 10; r++) {
        uint4 n;
        n.x = look(0, s.x & 255) ^ look(1, s.y >> 8 & 255) ^ look(2, s.z >> 16 & 255) ^
              look(3, s.w >> 24) ^ KEYS[4 * r];
        n.y = look(0, s.y & 255) ^ look(1, s.z >> 8 & 255) ^ look(2, s.w >> 16 & 255) ^
              look(3, s.x >> 24) ^ KEYS[4 * r + 1];
        n.z = look(0, s.z & 255) ^ look(1, s.w >> 8 & 255) ^ look(2, s.x >> 16 & 255) ^
              look(3, s.y >> 24) ^ KEYS[4 * r + 2];
        n.w = look(0, s.w & 255) ^ look(1, s.x >> 8 & 255) ^ look(2, s.y >> 16 & 255) ^
              look(3, s.z >> 24) ^ KEYS[4 * r + 3];
        s = n;
    }
    auto last = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key) {
        return (box[a & 255] | box[b >> 8 & 255] << 8 | box[c >> 16 & 255] << 16 |
                (uint32_t)box[d >> 24] << 24) ^
               key;
    };
    return make_uint4(last(s.x, s.y, s.z, s.w, KEYS[40]), last(s.y, s.z, s.w, s.x, KEYS[41]),
                      last(s.z, s.w, s.x, s.y, KEYS[42]), last(s.w, s.x, s.y, s.z, KEYS[43]));
}

__global__ void __launch_bounds__(256)
    aes_shared(const uint4 *__restrict__ in, uint4 *__restrict__ out,
               const uint32_t *__restrict__ t, int count)
{
    __shared__ uint32_t tables[4][256];
    __shared__ uint8_t box[256];
    uint32_t v = t[threadIdx.x];
    for (int k = 0; k < 4; k++)
        tables[k][threadIdx.x] = rotated(v, 8 * k);
    box[threadIdx.x] = v >> 8;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        uint4 pad = aes(make_uint4(i, 0, 0x01020304, 0x0a0b0c0d), box,
                        [&](int k, uint32_t b) { return tables[k][b]; });
        uint4 v = in[i];
        out[i] = make_uint4(v.x ^ pad.x, v.y ^ pad.y, v.z ^ pad.z, v.w ^ pad.w);
    }
}

__global__ void aes_constant(const uint4 *__restrict__ in, uint4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 pad = aes(make_uint4(i, 0, 0x01020304, 0x0a0b0c0d), BOX,
                    [&](int k, uint32_t b) { return rotated(TABLE[b], 8 * k); });
    uint4 v = in[i];
    out[i] = make_uint4(v.x ^ pad.x, v.y ^ pad.y, v.z ^ pad.z, v.w ^ pad.w);
}

#pragma nv_exec_check_disable
template <class Rotate> __host__ __device__ inline void
quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, Rotate rotate)
{
    a += b, d = rotate(d ^ a, 16);
    c += d, b = rotate(b ^ c, 12);
    a += b, d = rotate(d ^ a, 8);
    c += d, b = rotate(b ^ c, 7);
}

__global__ void __launch_bounds__(128) chacha(const uint4 *__restrict__ in, uint4 *__restrict__ out,
                                              const uint32_t *__restrict__ state)
{
    int block = blockIdx.x * 128 + threadIdx.x;
    uint32_t s[16], v[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        s[k] = v[k] = state[k] + (k == 12 ? block : 0);
    for (int round = 0; round < 10; round++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            quarter(v[k], v[4 + k], v[8 + k], v[12 + k], rotated);
#pragma unroll
        for (int k = 0; k < 4; k++)
            quarter(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4], rotated);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 w = in[block * 4 + k];
        out[block * 4 + k] =
            make_uint4(w.x ^ (v[4 * k] + s[4 * k]), w.y ^ (v[4 * k + 1] + s[4 * k + 1]),
                       w.z ^ (v[4 * k + 2] + s[4 * k + 2]), w.w ^ (v[4 * k + 3] + s[4 * k + 3]));
    }
}

// a lane has a column of the state; rows turn by shuffles
__global__ void chacha_lanes(const uint32_t *__restrict__ in, uint32_t *__restrict__ out,
                             const uint32_t *__restrict__ state)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, block = i / 4, k = i % 4;
    uint32_t s[4], v[4];
#pragma unroll
    for (int r = 0; r < 4; r++)
        s[r] = v[r] = state[r * 4 + k] + (r == 3 && k == 0 ? block : 0);
    for (int round = 0; round < 10; round++) {
        quarter(v[0], v[1], v[2], v[3], rotated);
#pragma unroll
        for (int r = 1; r < 4; r++)
            v[r] = __shfl_sync(~0u, v[r], k + r, 4);
        quarter(v[0], v[1], v[2], v[3], rotated);
#pragma unroll
        for (int r = 1; r < 4; r++)
            v[r] = __shfl_sync(~0u, v[r], k - r, 4);
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[block * 16 + r * 4 + k] = in[block * 16 + r * 4 + k] ^ (v[r] + s[r]);
}

static uint8_t doubled(uint8_t x)
{
    return x << 1 ^ (x >> 7 ? 0x1b : 0);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(97);
    uint8_t box[256], p = 1, q = 1;
    do { // p runs through all powers of 3, q through their inverses
        p = p ^ doubled(p);
        q ^= q << 1, q ^= q << 2, q ^= q << 4;
        if (q & 0x80)
            q ^= 9;
        uint8_t x =
            q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4);
        box[p] = x ^ 0x63;
    } while (p != 1);
    box[0] = 0x63;
    std::vector<uint32_t> table(256), keys(44), state(16);
    for (int k = 0; k < 256; k++) {
        uint32_t s = box[k], two = doubled(s);
        table[k] = two | s << 8 | s << 16 | (s ^ two) << 24;
    }
    for (int k = 0; k < 4; k++)
        keys[k] = random.next();
    for (int k = 4, round = 1; k < 44; k++) {
        uint32_t t = keys[k - 1];
        if (k % 4 == 0) {
            t = t >> 8 | t << 24;
            t = box[t & 255] | box[t >> 8 & 255] << 8 | box[t >> 16 & 255] << 16 |
                (uint32_t)box[t >> 24] << 24;
            t ^= round;
            round = doubled(round);
        }
        keys[k] = keys[k - 4] ^ t;
    }
    const uint32_t magic[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int k = 0; k < 16; k++)
        state[k] = k < 4 ? magic[k] : random.next();
    must(cudaMemcpyToSymbol(TABLE, table.data(), 1024));
    must(cudaMemcpyToSymbol(KEYS, keys.data(), sizeof(uint32_t) * 44));
    must(cudaMemcpyToSymbol(BOX, box, 256));
    const int many = 1 << 19, some = 1 << 16, chacha_blocks = 3 << 16, lane_blocks = 1 << 17,
              words = chacha_blocks * 16;
    std::vector<uint32_t> text(words);
    for (uint32_t &t : text)
        t = random.next();
    uint32_t *T = copy(text), *TT = copy(table), *S = copy(state), *out = room<uint32_t>(words);
    auto wiped = [&] { fill(out, words, 0xff); };
    auto check_aes = [&](int blocks) {
        std::vector<uint32_t> got = fetch(out, blocks * 4);
        long bad = 0;
        for (int i = 0; i < blocks; i += 13) {
            uint32_t start[4] = {(uint32_t)i, 0, 0x01020304, 0x0a0b0c0d};
            uint8_t s[16], n[16];
            memcpy(s, start, 16);
            auto add = [&](int r) {
                for (int k = 0; k < 16; k++)
                    s[k] ^= keys[4 * r + k / 4] >> k % 4 * 8;
            };
            add(0);
            for (int r = 1; r <= 10; r++) {
                for (int k = 0; k < 16; k++)
                    n[k] = box[s[(k + k % 4 * 4) % 16]];
                for (int k = 0; k < 16; k++) {
                    int c = k / 4 * 4;
                    auto at = [&](int j) { return n[c + (k + j) % 4]; };
                    s[k] = r == 10 ? n[k] : doubled(at(0)) ^ doubled(at(1)) ^ at(1) ^ at(2) ^ at(3);
                }
                add(r);
            }
            for (int k = 0; k < 4; k++) {
                uint32_t pad;
                memcpy(&pad, s + 4 * k, 4);
                bad += got[i * 4 + k] != (text[i * 4 + k] ^ pad);
            }
        }
        return bad;
    };
    auto check_chacha = [&](int blocks) {
        std::vector<uint32_t> got = fetch(out, blocks * 16);
        auto turn = [](uint32_t x, int by) { return x << by | x >> (32 - by); };
        long bad = 0;
        for (int b = 0; b < blocks; b += 7) {
            std::vector<uint32_t> s = state;
            s[12] += b;
            std::vector<uint32_t> v = s;
            for (int round = 0; round < 10; round++) {
                for (int k = 0; k < 4; k++)
                    quarter(v[k], v[4 + k], v[8 + k], v[12 + k], turn);
                for (int k = 0; k < 4; k++)
                    quarter(v[k], v[4 + (k + 1) % 4], v[8 + (k + 2) % 4], v[12 + (k + 3) % 4],
                            turn);
            }
            for (int k = 0; k < 16; k++)
                bad += got[b * 16 + k] != (text[b * 16 + k] ^ (v[k] + s[k]));
        }
        return bad;
    };
    variant(
        "aes_shared", "aes_shared", wiped,
        [&] { aes_shared<<<132 * 6, 256>>>((uint4 *)T, (uint4 *)out, TT, many); },
        [&] { return check_aes(many); });
    variant(
        "aes_constant", "aes_constant", wiped,
        [&] { aes_constant<<<some / 128, 128>>>((uint4 *)T, (uint4 *)out); },
        [&] { return check_aes(some); });
    variant(
        "chacha", "chacha", wiped,
        [&] { chacha<<<chacha_blocks / 128, 128>>>((uint4 *)T, (uint4 *)out, S); },
        [&] { return check_chacha(chacha_blocks); });
    variant(
        "chacha_lanes", "chacha_lanes", wiped,
        [&] { chacha_lanes<<<lane_blocks * 4 / 256, 256>>>(T, out, S); },
        [&] { return check_chacha(lane_blocks); });
    return finish();
}
