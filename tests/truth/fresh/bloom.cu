// A Bloom filter of 32 MB: setting four bits a key, asking for them, asking with the bits of a key in one sector of 32
// bytes.
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

const uint32_t BITS = 1u << 28;

__host__ __device__ uint32_t hash_of(uint32_t key, uint32_t k)
{
    key = (key ^ k * 0x9e3779b9) * 0x85ebca6b;
    key = (key ^ key >> 15) * 0xc2b2ae35;
    return key ^ key >> 16;
}

__host__ __device__ uint32_t bit_of(uint32_t key, int k, bool together)
{
    return together ? (hash_of(key, 0) << 8 | (hash_of(key, 1) >> k * 8 & 255)) % BITS : hash_of(key, k) % BITS;
}

__global__ void set(const uint32_t *keys, int count, uint32_t *filter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    for (int k = 0; k < 4; k++) {
        uint32_t bit = bit_of(keys[i], k, false);
        atomicOr(&filter[bit / 32], 1u << bit % 32);
    }
}

template <bool TOGETHER>
__global__ void ask(const uint32_t *keys, int count, const uint32_t *filter, unsigned char *answer)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t key = keys[i];
    bool all = true;
    for (int k = 0; k < 4 && all; k++) {
        uint32_t bit = bit_of(key, k, TOGETHER);
        all = filter[bit / 32] >> bit % 32 & 1;
    }
    answer[i] = all;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 19, asked = 1 << 20;
    Lcg random(48);
    std::vector<uint32_t> keys(asked), filters[2];
    for (uint32_t &key : keys)
        key = random.next();
    for (int together = 0; together < 2; together++) {
        filters[together].resize(BITS / 32);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 4; k++) {
                uint32_t bit = bit_of(keys[i], k, together);
                filters[together][bit / 32] |= 1u << bit % 32;
            }
    }
    std::vector<uint32_t> mixed(asked);
    for (int i = 0; i < asked; i++)
        mixed[i] = keys[i / 2 + i % 2 * (asked / 2)];
    uint32_t *dk = copy(keys), *dm = copy(mixed), *df[2] = {copy(filters[0]), copy(filters[1])};
    uint32_t *filter = room<uint32_t>(BITS / 32);
    unsigned char *answer = room<unsigned char>(asked);
    auto clear = [&] {
        fill(filter, BITS / 32, 0);
        fill(answer, asked, 0xff);
    };
    auto check = [&](bool together) {
        return differ(answer, asked, 3, 0, [&](size_t i) {
            bool all = true;
            for (int k = 0; k < 4; k++) {
                uint32_t bit = bit_of(mixed[i], k, together);
                all = all && filters[together][bit / 32] >> bit % 32 & 1;
            }
            return all;
        });
    };
    variant(
        "set", "set", clear, [&] { set<<<count / 256, 256>>>(dk, count, filter); },
        [&] { return (long)(fetch(filter, BITS / 32) != filters[0]); });
    variant(
        "ask", "ask<false>", clear, [&] { ask<false><<<asked / 256, 256>>>(dm, asked, df[0], answer); },
        [&] { return check(false); });
    variant(
        "ask_sector", "ask<true>", clear, [&] { ask<true><<<asked / 256, 256>>>(dm, asked, df[1], answer); },
        [&] { return check(true); });
    return finish();
}
