// A join of tables by hashing: chains built with exchanges, chains followed, a partition's table in
// shared memory, groups counted by atomics, keys of one table marked in bits.
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

__host__ __device__ inline uint32_t hash(uint32_t key)
{
    key *= 0x9e3779b1u;
    return key ^ key >> 15;
}

__global__ void build_chains(const uint32_t *__restrict__ key, int rows, int *__restrict__ head,
                             int *__restrict__ next, uint32_t mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        next[i] = atomicExch(&head[hash(key[i]) & mask], i);
}

__global__ void probe_chains(const uint32_t *__restrict__ asked, int many,
                             const uint32_t *__restrict__ key, const int *__restrict__ value,
                             const int *__restrict__ head, const int *__restrict__ next,
                             uint32_t mask, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= many)
        return;
    uint32_t wanted = asked[i];
    int sum = 0;
    for (int r = head[hash(wanted) & mask]; r >= 0; r = next[r])
        if (key[r] == wanted)
            sum += value[r];
    out[i] = sum;
}

// a block joins a partition: rows of both tables from begins, keys of the first are unique
__global__ void partition(const uint32_t *__restrict__ key, const int *__restrict__ value,
                          const int *__restrict__ begin, const uint32_t *__restrict__ asked,
                          const int *__restrict__ asked_begin, int *__restrict__ out)
{
    constexpr int SLOTS = 2048;
    __shared__ uint32_t keys[SLOTS];
    __shared__ int values[SLOTS];
    for (int s = threadIdx.x; s < SLOTS; s += blockDim.x)
        keys[s] = ~0u;
    __syncthreads();
    for (int i = begin[blockIdx.x] + threadIdx.x; i < begin[blockIdx.x + 1]; i += blockDim.x) {
        uint32_t k = key[i], s = hash(k) >> 5 & (SLOTS - 1);
        while (atomicCAS(&keys[s], ~0u, k) != ~0u)
            s = (s + 1) & (SLOTS - 1);
        values[s] = value[i];
    }
    __syncthreads();
    for (int i = asked_begin[blockIdx.x] + threadIdx.x; i < asked_begin[blockIdx.x + 1];
         i += blockDim.x) {
        uint32_t k = asked[i], s = hash(k) >> 5 & (SLOTS - 1);
        int found = -1;
        for (; keys[s] != ~0u; s = (s + 1) & (SLOTS - 1))
            if (keys[s] == k) {
                found = values[s];
                break;
            }
        out[i] = found;
    }
}

__global__ void count_groups(const uint32_t *__restrict__ group, const int *__restrict__ value,
                             int rows, int *__restrict__ count, int *__restrict__ least)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        atomicAdd(&count[group[i]], 1);
        atomicMin(&least[group[i]], value[i]);
    }
}

__global__ void mark_bits(const uint32_t *__restrict__ key, int rows, uint32_t *__restrict__ bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        atomicOr(&bits[key[i] / 32], 1u << key[i] % 32);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 1 << 20, asked_rows = 1 << 20, parts = 1024, groups = 20000, space = 1 << 23;
    const uint32_t mask = (1 << 20) - 1;
    Lcg random(241);
    std::vector<uint32_t> keys(rows), asked(asked_rows), group(rows);
    std::vector<int> values(rows), heads(mask + 1, -1), nexts(rows);
    for (int i = 0; i < rows; i++) {
        keys[i] = random.below(space);
        values[i] = random.below(1000);
        uint32_t g = random.below(groups);
        group[i] = random.below(3) ? g : (uint64_t)g * g / groups * g / groups;
        int &head = heads[hash(keys[i]) & mask];
        nexts[i] = head;
        head = i;
    }
    for (uint32_t &a : asked)
        a = random.below(space);
    // partitions: unique keys
    std::vector<std::vector<uint32_t>> one(parts), two(parts);
    std::vector<uint32_t> part_keys, part_asked, unique = keys;
    std::vector<int> part_values, begins(1), asked_begins(1), part_expected;
    std::sort(unique.begin(), unique.end());
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    for (uint32_t k : unique)
        one[hash(k) >> 16 & (parts - 1)].push_back(k);
    for (uint32_t k : asked)
        two[hash(k) >> 16 & (parts - 1)].push_back(k);
    for (int p = 0; p < parts; p++) {
        for (uint32_t k : one[p]) {
            part_keys.push_back(k);
            part_values.push_back(k / 3);
        }
        for (uint32_t k : two[p]) {
            part_asked.push_back(k);
            part_expected.push_back(std::binary_search(one[p].begin(), one[p].end(), k) ? (int)k / 3
                                                                                        : -1);
        }
        begins.push_back(part_keys.size());
        asked_begins.push_back(part_asked.size());
    }
    uint32_t *key = copy(keys), *ask = copy(asked), *groups_of = copy(group),
             *pkey = copy(part_keys), *pask = copy(part_asked), *bits = room<uint32_t>(space / 32);
    int *value = copy(values), *given_head = copy(heads), *given_next = copy(nexts),
        *head = room<int>(mask + 1), *next = room<int>(rows), *out = room<int>(asked_rows),
        *pvalue = copy(part_values), *begin = copy(begins), *asked_begin = copy(asked_begins),
        *count = room<int>(groups), *least = room<int>(groups);
    auto reset = [&] {
        fill(head, mask + 1, 0xff);
        fill(out, asked_rows, 0xff);
        fill(count, groups, 0);
        fill(least, groups, 0x7f);
        fill(bits, space / 32, 0);
    };
    variant(
        "build", "build_chains", reset,
        [&] { build_chains<<<rows / 256, 256>>>(key, rows, head, next, mask); },
        [&] {
            std::vector<int> h = fetch(head, mask + 1, false), n = fetch(next, rows, false);
            std::vector<char> seen(rows);
            long bad = 0, found = 0;
            for (uint32_t s = 0; s <= mask; s++)
                for (int r = h[s]; r >= 0; r = n[r], found++) {
                    bad += seen[r] || (hash(keys[r]) & mask) != s;
                    seen[r] = 1;
                }
            return bad + (found != rows);
        });
    variant(
        "probe", "probe_chains", reset,
        [&] {
            probe_chains<<<asked_rows / 256, 256>>>(ask, asked_rows, key, value, given_head,
                                                    given_next, mask, out);
        },
        [&] {
            return differ(out, asked_rows, 1, 0, [&](size_t i) {
                int sum = 0;
                for (int r = heads[hash(asked[i]) & mask]; r >= 0; r = nexts[r])
                    sum += keys[r] == asked[i] ? values[r] : 0;
                return sum;
            });
        });
    variant(
        "partition", "partition", reset,
        [&] { partition<<<parts, 256>>>(pkey, pvalue, begin, pask, asked_begin, out); },
        [&] { return differ(out, asked_rows, 1, 0, [&](size_t i) { return part_expected[i]; }); });
    variant(
        "groups", "count_groups", reset,
        [&] { count_groups<<<132 * 2, 512>>>(groups_of, value, rows, count, least); },
        [&] {
            std::vector<int> counts(groups), leasts(groups, 0x7f7f7f7f);
            for (int i = 0; i < rows; i++) {
                counts[group[i]]++;
                leasts[group[i]] = std::min(leasts[group[i]], values[i]);
            }
            return differ(count, groups, 1, 0, [&](size_t g) { return counts[g]; }) +
                   differ(least, groups, 1, 0, [&](size_t g) { return leasts[g]; });
        });
    variant(
        "bits", "mark_bits", reset, [&] { mark_bits<<<rows / 128, 128>>>(key, rows, bits); },
        [&] {
            std::vector<uint32_t> expected(space / 32);
            for (uint32_t k : keys)
                expected[k / 32] |= 1u << k % 32;
            return differ(bits, space / 32, 1, 0, [&](size_t w) { return expected[w]; });
        });
    return finish();
}
