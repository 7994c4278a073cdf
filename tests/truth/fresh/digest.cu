// Integer mixing in the way of digests: a compression with a window of 16 words, with a schedule in local memory,
// hashing of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

__constant__ uint32_t constants[64];

__host__ __device__ uint32_t right(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

__host__ __device__ void round_of(uint32_t s[8], uint32_t word)
{
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t one = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + choice + word;
    uint32_t two = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + most;
    s[7] = s[6];
    s[6] = s[5];
    s[5] = s[4];
    s[4] = s[3] + one;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = s[0];
    s[0] = one + two;
}

__host__ __device__ uint32_t extend(uint32_t two, uint32_t seven, uint32_t fifteen, uint32_t sixteen)
{
    uint32_t low = right(fifteen, 7) ^ right(fifteen, 18) ^ fifteen >> 3,
             high = right(two, 17) ^ right(two, 19) ^ two >> 10;
    return sixteen + low + seven + high;
}

// the message of thread i is i and fifteen words made of it
__host__ __device__ uint32_t message(uint32_t i, int k)
{
    return (i + k) * 0x9e3779b9 ^ k << 20;
}

__global__ void compress_window(uint32_t *digest)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, w[16], s[8];
#pragma unroll
    for (int k = 0; k < 16; k++)
        w[k] = message(i, k);
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[k] = constants[k];
#pragma unroll
    for (int k = 0; k < 64; k++) {
        if (k >= 16)
            w[k % 16] = extend(w[(k - 2) % 16], w[(k - 7) % 16], w[(k - 15) % 16], w[k % 16]);
        round_of(s, w[k % 16] + constants[k]);
    }
    digest[i] = s[0] ^ s[4];
}

__global__ void compress_schedule(uint32_t *digest)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, w[64], s[8];
    for (int k = 0; k < 16; k++)
        w[k] = message(i, k);
#pragma unroll 1
    for (int k = 16; k < 64; k++)
        w[k] = extend(w[k - 2], w[k - 7], w[k - 15], w[k - 16]);
    for (int k = 0; k < 8; k++)
        s[k] = constants[k];
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        round_of(s, w[k] + constants[k]);
    digest[i] = s[0] ^ s[4];
}

__host__ __device__ uint32_t mix(uint32_t hash, uint32_t word)
{
    word *= 0xcc9e2d51;
    hash ^= right(word, 17) * 0x1b873593;
    return right(hash, 19) * 5 + 0xe6546b64;
}

// a thread a row of 16 words, read as four vectors
__global__ void hash_rows(const uint4 *rows, int count, uint32_t *hash)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count)
        return;
    uint32_t h = row;
    for (int k = 0; k < 4; k++) {
        uint4 four = rows[row * 4 + k];
        h = mix(mix(mix(mix(h, four.x), four.y), four.z), four.w);
    }
    h = (h ^ h >> 16) * 0x85ebca6b;
    hash[row] = h ^ h >> 13;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int threads = 3 << 16, fewer = 1 << 17, rows = 1 << 20;
    Lcg random(38);
    std::vector<uint32_t> table(64), words((size_t)rows * 16);
    for (uint32_t &word : table)
        word = random.next();
    for (uint32_t &word : words)
        word = random.next();
    must(cudaMemcpyToSymbol(constants, table.data(), 256));
    uint32_t *input = copy(words), *digest = room<uint32_t>(rows);
    auto clear = [&] { fill(digest, rows, 0xff); };
    auto check = [&](int number) {
        return differ(digest, number, 41, 0, [&](size_t i) {
            uint32_t w[64], s[8];
            for (int k = 0; k < 64; k++)
                w[k] = k < 16 ? message(i, k) : extend(w[k - 2], w[k - 7], w[k - 15], w[k - 16]);
            std::copy(table.begin(), table.begin() + 8, s);
            for (int k = 0; k < 64; k++)
                round_of(s, w[k] + table[k]);
            return s[0] ^ s[4];
        });
    };
    variant(
        "window", "compress_window", clear, [&] { compress_window<<<threads / 128, 128>>>(digest); },
        [&] { return check(threads); });
    variant(
        "schedule", "compress_schedule", clear, [&] { compress_schedule<<<fewer / 256, 256>>>(digest); },
        [&] { return check(fewer); });
    variant(
        "rows", "hash_rows", clear, [&] { hash_rows<<<rows / 256, 256>>>((const uint4 *)input, rows, digest); },
        [&] {
            return differ(digest, rows, 5, 0, [&](size_t row) {
                uint32_t h = row;
                for (int k = 0; k < 16; k++)
                    h = mix(h, words[row * 16 + k]);
                h = (h ^ h >> 16) * 0x85ebca6b;
                return h ^ h >> 13;
            });
        });
    return finish();
}
