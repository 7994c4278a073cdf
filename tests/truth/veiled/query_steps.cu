// Steps of queries: words with gaps found in strings with a thread and with a warp a string, sums
// of groups that lie in order, bitmaps of values combined and counted, and sums over the rows
// before each row.
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

constexpr int STRINGS = 65536, GROUPED = 1 << 22;

// the three parts must follow each other in a string, anything between them
constexpr int PARTS = 3, PART = 4;

__constant__ char parts[PARTS][PART];

__global__ void like_thread(const char *__restrict__ text, const int *__restrict__ starts,
                            uint8_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = starts[i], end = starts[i + 1], part = 0;
    while (part < PARTS && at + PART <= end) {
        int k = 0;
        while (k < PART && text[at + k] == parts[part][k])
            k++;
        if (k == PART)
            part++, at += PART;
        else
            at++;
    }
    out[i] = part == PARTS;
}

// 32 places at a time; the first that has the part is the best one
__global__ void __launch_bounds__(256)
    like_warp(const char *__restrict__ text, const int *__restrict__ starts,
              uint8_t *__restrict__ out)
{
    int i = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, at = starts[i],
        end = starts[i + 1], part = 0;
    while (part < PARTS && at + PART <= end) {
        bool same = at + lane + PART <= end;
        for (int k = 0; k < PART && same; k++)
            same = text[at + lane + k] == parts[part][k];
        unsigned mask = __ballot_sync(~0u, same);
        if (mask)
            part++, at += __ffs(mask) - 1 + PART;
        else
            at += 32;
    }
    if (lane == 0)
        out[i] = part == PARTS;
}

// a block has 2048 rows; sums within it by keys that change, what its ends share by atomics
__global__ void __launch_bounds__(256)
    groups_in_order(const uint4 *__restrict__ keys, const int4 *__restrict__ values,
                    unsigned long long *sums)
{
    int t = threadIdx.x, lane = t % 32, first = (blockIdx.x * 256 + t) * 2;
    uint4 k[2] = {keys[first], keys[first + 1]};
    int4 v[2] = {values[first], values[first + 1]};
    uint32_t key = k[0].x;
    long long sum = 0;
    const uint32_t own[8] = {k[0].x, k[0].y, k[0].z, k[0].w, k[1].x, k[1].y, k[1].z, k[1].w};
    const int value[8] = {v[0].x, v[0].y, v[0].z, v[0].w, v[1].x, v[1].y, v[1].z, v[1].w};
#pragma unroll
    for (int j = 0; j < 8; j++) {
        if (own[j] != key) {
            atomicAdd(sums + key, (unsigned long long)sum);
            key = own[j], sum = 0;
        }
        sum += value[j];
    }
    // last keys of lanes rise: a lane that ends a run of equal ones has its sum
    for (int d = 1; d < 32; d *= 2) {
        long long other = __shfl_up_sync(~0u, sum, d);
        uint32_t before = __shfl_up_sync(~0u, key, d);
        if (lane >= d && before == key)
            sum += other;
    }
    uint32_t behind = __shfl_down_sync(~0u, key, 1);
    if (lane == 31 || behind != key)
        atomicAdd(sums + key, (unsigned long long)sum);
}

// (a or b) and c and not d: the rows, and how many of each 4096
constexpr int ROWS = 1 << 26, WORDS = ROWS / 32;

__global__ void __launch_bounds__(128)
    bitmaps(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
            const uint32_t *__restrict__ c, const uint32_t *__restrict__ d,
            uint32_t *__restrict__ out, int *__restrict__ counts)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    uint32_t word = (a[i] | b[i]) & c[i] & ~d[i];
    out[i] = word;
    int many = __reduce_add_sync(~0u, __popc(word));
    __shared__ int warps[4];
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = many;
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
}

// for each row the sum and the largest of it and the 47 before, as far as they have its partition
constexpr int BEFORE = 48, SERIES = 1 << 18;

__global__ void rows_before(const int *__restrict__ partition, const int *__restrict__ values,
                            int2 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, own = partition[i], sum = 0, most = -1;
    for (int j = i; j > i - BEFORE && j >= 0 && partition[j] == own; j--)
        sum += values[j], most = max(most, values[j]);
    out[i] = make_int2(sum, most);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(367);
    const char words[PARTS][PART + 1] = {"abca", "bacb", "ccab"};
    char packed[PARTS][PART];
    for (int p = 0; p < PARTS; p++)
        memcpy(packed[p], words[p], PART);
    must(cudaMemcpyToSymbol(parts, packed, sizeof parts));
    std::vector<char> text;
    std::vector<int> starts = {0};
    for (int i = 0; i < STRINGS; i++) {
        for (int k = 0, many = random.below(10) ? 20 + random.below(80) : random.below(400);
             k < many; k++)
            text.push_back('a' + random.below(3));
        starts.push_back(text.size());
    }
    std::vector<uint32_t> keys(GROUPED);
    std::vector<int> values(GROUPED), partition(SERIES), series(SERIES);
    uint32_t key = 0;
    for (int i = 0; i < GROUPED; i++) {
        if (random.below(key % 64 == 0 ? 500 : 6) == 0)
            key++;
        keys[i] = key, values[i] = (int)random.below(2000) - 800;
    }
    const int groups = key + 1;
    std::vector<long long> sums(groups);
    for (int i = 0; i < GROUPED; i++)
        sums[keys[i]] += values[i];
    std::vector<uint32_t> bits[4];
    for (int k = 0; k < 4; k++) {
        bits[k].resize(WORDS);
        for (uint32_t &word : bits[k])
            word = random.next();
    }
    for (int i = 0, p = 0; i < SERIES; i++) {
        p += random.below(100) == 0;
        partition[i] = p, series[i] = random.below(1000);
    }
    char *T = copy(text);
    int *S = copy(starts), *V = copy(values), *P = copy(partition), *R = copy(series),
        *counts = room<int>(ROWS / 4096);
    uint32_t *K = copy(keys), *A = copy(bits[0]), *B = copy(bits[1]), *C = copy(bits[2]),
             *D = copy(bits[3]), *out = room<uint32_t>(WORDS);
    unsigned long long *G = room<unsigned long long>(groups);
    uint8_t *likes = room<uint8_t>(STRINGS);
    auto wiped = [&] {
        fill(counts, ROWS / 4096, 0x77);
        fill(out, WORDS, 0x77);
        fill(G, groups, 0);
        fill(likes, STRINGS, 0x77);
    };
    auto like = [&] {
        return differ(likes, STRINGS, 1, 0, [&](size_t i) {
            const char *at = &text[starts[i]], *end = &text[0] + starts[i + 1];
            for (const char *word : words) {
                at = std::search(at, end, word, word + PART);
                if (at == end)
                    return 0;
                at += PART;
            }
            return 1;
        });
    };
    variant(
        "like_thread", "like_thread", wiped,
        [&] { like_thread<<<STRINGS / 128, 128>>>(T, S, likes); }, like);
    variant(
        "like_warp", "like_warp", wiped, [&] { like_warp<<<STRINGS / 8, 256>>>(T, S, likes); },
        like);
    variant(
        "groups_in_order", "groups_in_order", wiped,
        [&] { groups_in_order<<<GROUPED / 2048, 256>>>((uint4 *)K, (int4 *)V, G); },
        [&] { return differ((long long *)G, groups, 1, 0, [&](size_t i) { return sums[i]; }); });
    variant(
        "bitmaps", "bitmaps", wiped,
        [&] { bitmaps<<<WORDS / 128, 128>>>(A, B, C, D, out, counts); },
        [&] {
            auto word = [&](size_t i) {
                return (bits[0][i] | bits[1][i]) & bits[2][i] & ~bits[3][i];
            };
            long bad = differ(out, WORDS, 3, 0, word);
            return bad + differ(counts, ROWS / 4096, 3, 0, [&](size_t i) {
                       int sum = 0;
                       for (int k = 0; k < 128; k++)
                           sum += __builtin_popcount(word(i * 128 + k));
                       return sum;
                   });
        });
    variant(
        "rows_before", "rows_before", wiped,
        [&] { rows_before<<<SERIES / 256, 256>>>(P, R, (int2 *)out); },
        [&] {
            return differ((int *)out, 2 * SERIES, 5, 0, [&](size_t i) {
                int row = i / 2, sum = 0, most = -1;
                for (int j = row; j > row - BEFORE && j >= 0 && partition[j] == partition[row]; j--)
                    sum += series[j], most = std::max(most, series[j]);
                return i % 2 ? most : sum;
            });
        });
    return finish();
}
