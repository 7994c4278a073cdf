// A cuckoo hash table: keys with values put in by exchanges of 64 bits that push others away, asked
// for at two places, asked for when most are missing, and buckets of four in one load of 32 bytes.
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

constexpr uint32_t SLOTS = 1 << 22;
constexpr unsigned long long EMPTY = ~0ull;

__host__ __device__ inline uint32_t place(uint32_t key, int which)
{
    uint32_t h = key * (which ? 0x9e3779b1u : 0x85ebca6bu);
    h ^= h >> 15;
    h *= which ? 0xc2b2ae35u : 0x27d4eb2fu;
    return h >> 10;
}

__global__ void insert(const uint32_t *__restrict__ keys, unsigned long long *table, int *lost,
                       int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned long long item = (unsigned long long)keys[i] << 32 | i;
    uint32_t at = place(keys[i], 0);
    for (int turn = 0; turn < 100; turn++) {
        item = atomicExch(table + at, item);
        if (item == EMPTY)
            return;
        uint32_t key = item >> 32, first = place(key, 0);
        at = at == first ? place(key, 1) : first;
    }
    atomicAdd(lost, 1);
}

__global__ void look_up(const uint32_t *__restrict__ keys,
                        const unsigned long long *__restrict__ table, int *__restrict__ out,
                        int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t key = keys[i];
    unsigned long long v = table[place(key, 0)];
    if (v >> 32 != key)
        v = table[place(key, 1)];
    out[i] = v >> 32 == key ? (int)v : -1;
}

// both places are read at once, four keys a thread
__global__ void __launch_bounds__(128)
    look_up_four(const uint4 *__restrict__ keys, const unsigned long long *__restrict__ table,
                 int4 *__restrict__ out, int count)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < count; i += gridDim.x * 128) {
        uint4 all = keys[i];
        uint32_t key[4] = {all.x, all.y, all.z, all.w};
        unsigned long long a[4], b[4];
        int found[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            a[k] = table[place(key[k], 0)], b[k] = table[place(key[k], 1)];
#pragma unroll
        for (int k = 0; k < 4; k++)
            found[k] = a[k] >> 32 == key[k] ? (int)a[k] : b[k] >> 32 == key[k] ? (int)b[k] : -1;
        out[i] = make_int4(found[0], found[1], found[2], found[3]);
    }
}

// keys of a bucket side by side, values elsewhere
__global__ void __launch_bounds__(512)
    buckets(const uint32_t *__restrict__ keys, const uint4 *__restrict__ bucket,
            const int *__restrict__ values, int *__restrict__ out, int count)
{
    int i = blockIdx.x * 512 + threadIdx.x;
    if (i >= count)
        return;
    uint32_t key = keys[i];
    int found = -1;
#pragma unroll
    for (int which = 0; which < 2; which++) {
        uint32_t b = place(key, which) / 4;
        uint4 v = bucket[b];
        int k = v.x == key ? 0 : v.y == key ? 1 : v.z == key ? 2 : v.w == key ? 3 : -1;
        if (found < 0 && k >= 0)
            found = values[b * 4 + k];
    }
    out[i] = found;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(103);
    const int count = 1500000, asked = 1 << 21;
    std::vector<uint32_t> keys(count), mixed(asked), missing(asked), bucket(SLOTS, ~0u);
    std::vector<int> values(SLOTS), hit(asked), hit_missing(asked);
    std::vector<unsigned long long> table(SLOTS, EMPTY);
    for (int i = 0; i < count; i++) {
        keys[i] = (uint32_t)i * 2654435761u ^ 0x1234567; // all different
        unsigned long long item = (unsigned long long)keys[i] << 32 | i;
        uint32_t at = place(keys[i], 0);
        while (std::swap(item, table[at]), item != EMPTY) {
            uint32_t key = item >> 32, first = place(key, 0);
            at = at == first ? place(key, 1) : first;
        }
        // the emptier of two buckets
        uint32_t *one = &bucket[place(keys[i], 0) / 4 * 4],
                 *two = &bucket[place(keys[i], 1) / 4 * 4];
        long a = std::count(one, one + 4, ~0u), b = std::count(two, two + 4, ~0u);
        uint32_t *to = a >= b ? one + 4 - a : two + 4 - b;
        if (!a && !b) {
            puts("a bucket is too full");
            return 1;
        }
        *to = keys[i];
        values[to - bucket.data()] = i;
    }
    for (int i = 0; i < asked; i++) {
        hit[i] = random.below(count);
        mixed[i] = keys[hit[i]];
        bool there = random.below(8) == 0;
        hit_missing[i] = there ? (int)random.below(count) : -1;
        missing[i] = there ? keys[hit_missing[i]]
                           : (count + random.below(1 << 30)) * 2654435761u ^ 0x1234567;
    }
    uint32_t *K = copy(keys), *M = copy(mixed), *A = copy(missing), *B = copy(bucket);
    int *V = copy(values), *out = room<int>(asked), *lost = room<int>(1);
    unsigned long long *T = copy(table), *fresh = room<unsigned long long>(SLOTS);
    auto wiped = [&] {
        fill(fresh, SLOTS, 0xff);
        fill(lost, 1, 0);
        fill(out, asked, 0x77);
    };
    auto check = [&](const std::vector<int> &expected) {
        return differ(out, asked, 1, 0, [&](size_t i) { return expected[i]; });
    };
    variant(
        "insert", "insert", wiped,
        [&] { insert<<<(count + 255) / 256, 256>>>(K, fresh, lost, count); },
        [&] {
            std::vector<unsigned long long> got = fetch(fresh, SLOTS, false);
            long bad = fetch(lost, 1)[0];
            for (int i = 0; i < count; i++) {
                unsigned long long item = (unsigned long long)keys[i] << 32 | i;
                bad += got[place(keys[i], 0)] != item && got[place(keys[i], 1)] != item;
            }
            return bad;
        });
    variant(
        "look_up", "look_up", wiped, [&] { look_up<<<asked / 256, 256>>>(M, T, out, asked); },
        [&] { return check(hit); });
    variant(
        "missing", "look_up", wiped, [&] { look_up<<<asked / 64, 64>>>(A, T, out, asked); },
        [&] { return check(hit_missing); });
    variant(
        "four", "look_up_four", wiped,
        [&] { look_up_four<<<132 * 8, 128>>>((uint4 *)M, T, (int4 *)out, asked / 4); },
        [&] { return check(hit); });
    variant(
        "buckets", "buckets", wiped,
        [&] { buckets<<<asked / 512, 512>>>(M, (uint4 *)B, V, out, asked); },
        [&] { return check(hit); });
    return finish();
}
