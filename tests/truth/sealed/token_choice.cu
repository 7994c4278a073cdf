// Choosing the next token of a language model: penalties for tokens that were seen, the best four
// of each part of a beam's scores, sampling by a sum that crosses a threshold, and a cache
// reordered to follow the beams that survive.
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

constexpr int ROWS = 64, WORDS = 32000;

// a block a row; the tokens seen are marked as bits in shared memory
__global__ void __launch_bounds__(512)
    penalise(const float *__restrict__ in, float *__restrict__ out, const int *__restrict__ seen,
             int many, float penalty, float heat)
{
    __shared__ unsigned marks[WORDS / 32];
    for (int i = threadIdx.x; i < WORDS / 32; i += 512)
        marks[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < many; i += 512) {
        int w = seen[blockIdx.x * many + i];
        atomicOr(&marks[w / 32], 1u << w % 32);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += 512) {
        float v = in[blockIdx.x * WORDS + i];
        if (marks[i / 32] >> i % 32 & 1)
            v = v > 0 ? v / penalty : v * penalty;
        out[blockIdx.x * WORDS + i] = v * heat;
    }
}

// blockIdx.x is a part of a row: the four best scores with their words, best first
__global__ void __launch_bounds__(160)
    candidates(const float *__restrict__ scores, float *__restrict__ best, int *__restrict__ words,
               int part)
{
    __shared__ unsigned long long all[5];
    const float *row = scores + blockIdx.y * WORDS + blockIdx.x * part;
    unsigned long long mine[4] = {};
    for (int i = threadIdx.x; i < part; i += 160) {
        unsigned bits = __float_as_uint(row[i]);
        bits = bits >> 31 ? ~bits : bits | 0x80000000u;
        unsigned long long key = (unsigned long long)bits << 32 | (~(unsigned)i);
        if (key > mine[3]) {
            mine[3] = key;
#pragma unroll
            for (int k = 2; k >= 0; k--)
                if (mine[k + 1] > mine[k]) {
                    unsigned long long other = mine[k];
                    mine[k] = mine[k + 1];
                    mine[k + 1] = other;
                }
        }
    }
    int out = (blockIdx.y * gridDim.x + blockIdx.x) * 4;
    for (int round = 0; round < 4; round++) {
        unsigned long long top = mine[0];
        for (int step = 16; step; step /= 2) {
            unsigned long long other = __shfl_xor_sync(~0u, top, step);
            top = other > top ? other : top;
        }
        if (threadIdx.x % 32 == 0)
            all[threadIdx.x / 32] = top;
        __syncthreads();
        for (int k = 0; k < 5; k++)
            top = all[k] > top ? all[k] : top;
        __syncthreads();
        if (mine[0] == top) {
            mine[0] = mine[1], mine[1] = mine[2], mine[2] = mine[3], mine[3] = 0;
            int at = ~(unsigned)top;
            best[out + round] = row[at];
            words[out + round] = blockIdx.x * part + at;
        }
    }
}

// the first word at which the sum of the row's weights exceeds a threshold
__global__ void __launch_bounds__(1024)
    sample(const int *__restrict__ weights, const int *__restrict__ limits,
           int *__restrict__ chosen)
{
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, before = 0, limit = limits[blockIdx.x];
    for (int base = 0; base < WORDS; base += 1024) {
        int i = base + t, v = i < WORDS ? weights[blockIdx.x * WORDS + i] : 0, scan = v;
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(~0u, scan, step);
            scan += lane >= step ? other : 0;
        }
        if (lane == 31)
            sums[t / 32] = scan;
        __syncthreads();
        if (t < 32) {
            int s = sums[t];
            for (int step = 1; step < 32; step *= 2) {
                int other = __shfl_up_sync(~0u, s, step);
                s += lane >= step ? other : 0;
            }
            sums[t] = s;
        }
        __syncthreads();
        int upto = before + scan + (t >= 32 ? sums[t / 32 - 1] : 0);
        if (upto > limit && upto - v <= limit)
            chosen[blockIdx.x] = i;
        before += sums[31];
        if (before > limit)
            return;
        __syncthreads();
    }
}

__global__ void reorder(const uint4 *__restrict__ in, uint4 *__restrict__ out,
                        const int *__restrict__ parent, int beams, int length)
{
    int layer = blockIdx.z, beam = blockIdx.y, from = parent[beam];
    const uint4 *source = in + (size_t)(layer * beams + from) * length;
    uint4 *target = out + (size_t)(layer * beams + beam) * length;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
        target[i] = source[i];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = ROWS * WORDS, many = 400, part = 2000, parts = WORDS / part, layers = 24,
              beams = 8, length = 16384;
    Lcg random(47);
    std::vector<float> scores = random.floats(count, -8, 8);
    std::vector<int> seen(ROWS * many), weights(count), limits(ROWS), picks(ROWS),
        parent = {3, 0, 0, 5, 3, 7, 1, 0};
    for (int &w : seen)
        w = random.below(WORDS);
    for (int r = 0; r < ROWS; r++) {
        long sum = 0;
        for (int i = 0; i < WORDS; i++)
            sum += weights[r * WORDS + i] =
                random.below(64) ? random.below(8) : random.below(20000);
        limits[r] = random.unit() * (sum - 1);
        int upto = 0, i = 0;
        while ((upto += weights[r * WORDS + i]) <= limits[r])
            i++;
        picks[r] = i;
    }
    std::vector<uint32_t> cache((size_t)layers * beams * length * 4);
    for (uint32_t &c : cache)
        c = random.next();
    float *S = copy(scores), *out = room<float>(count), *best = room<float>(ROWS * parts * 4);
    int *SE = copy(seen), *WE = copy(weights), *L = copy(limits), *P = copy(parent),
        *words = room<int>(ROWS * parts * 4), *chosen_word = room<int>(ROWS);
    uint32_t *C = copy(cache), *moved = room<uint32_t>(cache.size());
    auto wiped = [&] {
        fill(out, count, 0xff);
        fill(best, ROWS * parts * 4, 0xff);
        fill(words, ROWS * parts * 4, 0xff);
        fill(chosen_word, ROWS, 0xff);
    };
    variant(
        "penalise", "penalise", wiped,
        [&] { penalise<<<ROWS, 512>>>(S, out, SE, many, 1.3f, 1.25f); },
        [&] {
            std::vector<bool> mark(count);
            for (int i = 0; i < ROWS * many; i++)
                mark[i / many * WORDS + seen[i]] = true;
            return differ(out, count, 1, 1e-5, [&](size_t i) {
                float v = scores[i];
                return (mark[i] ? v > 0 ? v / 1.3f : v * 1.3f : v) * 1.25f;
            });
        });
    variant(
        "candidates", "candidates", wiped,
        [&] { candidates<<<dim3(parts, ROWS), 160>>>(S, best, words, part); },
        [&] {
            std::vector<float> expected;
            for (int p = 0; p < ROWS * parts; p++) {
                std::vector<float> row(scores.begin() + p * part, scores.begin() + (p + 1) * part);
                std::partial_sort(row.begin(), row.begin() + 4, row.end(), std::greater<float>());
                expected.insert(expected.end(), row.begin(), row.begin() + 4);
            }
            std::vector<int> at = fetch(words, ROWS * parts * 4);
            long bad = differ(best, ROWS * parts * 4, 1, 0, [&](size_t i) { return expected[i]; });
            for (int i = 0; i < ROWS * parts * 4; i++)
                bad += at[i] < 0 || at[i] >= WORDS ||
                       scores[i / (parts * 4) * WORDS + at[i]] != expected[i];
            return bad;
        });
    variant(
        "sample", "sample", wiped, [&] { sample<<<ROWS, 1024>>>(WE, L, chosen_word); },
        [&] { return differ(chosen_word, ROWS, 1, 0, [&](size_t i) { return picks[i]; }); });
    variant(
        "reorder", "reorder", [&] { fill(moved, cache.size(), 0); },
        [&] {
            reorder<<<dim3(16, beams, layers), 256>>>((uint4 *)C, (uint4 *)moved, P, beams, length);
        },
        [&] {
            return differ(moved, cache.size(), 3, 0, [&](size_t i) {
                size_t row = i / (length * 4);
                return cache[(row / beams * beams + parent[row % beams]) * length * 4 +
                             i % (length * 4)];
            });
        });
    return finish();
}
