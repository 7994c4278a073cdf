// Tables over all parts of a sequence, from the short ones to the long ones: products of matrices
// in the best order with a thread and with a warp an entry, folds of RNA, search trees with narrow
// bounds, and sentences by a grammar whose symbols are bits.
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

constexpr int MATRICES = 64, CHAINS = 132;

// cost[i][j]: the best way to multiply matrices i to j; sizes[i] by sizes[i + 1]
__global__ void __launch_bounds__(96)
    order_thread(const int *__restrict__ sizes, int *__restrict__ out)
{
    __shared__ int cost[MATRICES][MATRICES], own[MATRICES + 1];
    int t = threadIdx.x;
    if (t <= MATRICES)
        own[t] = sizes[blockIdx.x * (MATRICES + 1) + t];
    if (t < MATRICES)
        cost[t][t] = 0;
    for (int d = 1; d < MATRICES; d++) {
        __syncthreads();
        int i = t, j = t + d, best = 0x7fffffff;
        if (j < MATRICES) {
            for (int k = i; k < j; k++)
                best = min(best, cost[i][k] + cost[k + 1][j] + own[i] * own[k + 1] * own[j + 1]);
            cost[i][j] = best;
        }
    }
    __syncthreads();
    for (int k = t; k < MATRICES * MATRICES; k += 96)
        if (k / MATRICES <= k % MATRICES)
            out[blockIdx.x * MATRICES * MATRICES + k] = cost[k / MATRICES][k % MATRICES];
}

__global__ void __launch_bounds__(512)
    order_warp(const int *__restrict__ sizes, int *__restrict__ out)
{
    __shared__ int cost[MATRICES][MATRICES + 1], own[MATRICES + 1];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    if (t <= MATRICES)
        own[t] = sizes[blockIdx.x * (MATRICES + 1) + t];
    if (t < MATRICES)
        cost[t][t] = 0;
    for (int d = 1; d < MATRICES; d++) {
        __syncthreads();
        for (int i = w; i + d < MATRICES; i += 16) {
            int j = i + d, best = 0x7fffffff;
            for (int k = i + lane; k < j; k += 32)
                best = min(best, cost[i][k] + cost[k + 1][j] + own[i] * own[k + 1] * own[j + 1]);
            best = __reduce_min_sync(~0u, best);
            if (lane == 0)
                cost[i][j] = best;
        }
    }
    __syncthreads();
    for (int k = t; k < MATRICES * MATRICES; k += 512)
        if (k / MATRICES <= k % MATRICES)
            out[blockIdx.x * MATRICES * MATRICES + k] = cost[k / MATRICES][k % MATRICES];
}

// most pairs of letters that do not cross; a table of bytes, also the other way around
constexpr int BASES = 96, STRANDS = 132;

__global__ void __launch_bounds__(BASES)
    folds(const uint8_t *__restrict__ strands, uint8_t *__restrict__ out)
{
    __shared__ uint8_t rows[BASES][BASES + 4], columns[BASES][BASES + 4], own[BASES];
    int t = threadIdx.x;
    own[t] = strands[blockIdx.x * BASES + t];
    for (int k = t; k < BASES * (BASES + 4); k += BASES)
        rows[k / (BASES + 4)][k % (BASES + 4)] = columns[k / (BASES + 4)][k % (BASES + 4)] = 0;
    for (int d = 4; d < BASES; d++) {
        __syncthreads();
        int i = t, j = t + d;
        if (j < BASES) {
            int best = max(rows[i + 1][j], rows[i][j - 1]);
            best = max(best, rows[i + 1][j - 1] + (own[i] + own[j] == 3));
            for (int k = i + 1; k < j; k++)
                best = max(best, rows[i][k] + columns[j][k + 1]);
            rows[i][j] = columns[j][i] = best;
        }
    }
    __syncthreads();
    out[blockIdx.x * BASES + t] = rows[0][t];
}

// the best root of i to j lies between those of i to j - 1 and i + 1 to j
constexpr int NAMES = 96, TREES = 264;

__global__ void __launch_bounds__(96) trees(const int *__restrict__ weights, int *__restrict__ out)
{
    extern __shared__ int memory[];
    int *cost = memory, t = threadIdx.x; // NAMES + 1 rows of NAMES + 1: i to j without j
    uint8_t *root = (uint8_t *)(cost + (NAMES + 1) * (NAMES + 1));
    int *before = (int *)(root + (NAMES + 1) * (NAMES + 1) + 3); // aligned by its size
    if (t == 0) {
        before[0] = 0;
        for (int k = 0; k < NAMES; k++)
            before[k + 1] = before[k] + weights[blockIdx.x * NAMES + k];
    }
    for (int k = t; k <= NAMES; k += 96)
        cost[k * (NAMES + 1) + k] = 0;
    __syncthreads();
    cost[t * (NAMES + 1) + t + 1] = before[t + 1] - before[t];
    root[t * (NAMES + 1) + t + 1] = t;
    for (int d = 2; d <= NAMES; d++) {
        __syncthreads();
        int i = t, j = t + d;
        if (j <= NAMES) {
            int best = 0x7fffffff, which = 0;
            for (int k = root[i * (NAMES + 1) + j - 1]; k <= root[(i + 1) * (NAMES + 1) + j]; k++) {
                int sum = cost[i * (NAMES + 1) + k] + cost[(k + 1) * (NAMES + 1) + j];
                if (sum < best)
                    best = sum, which = k;
            }
            cost[i * (NAMES + 1) + j] = best + before[j] - before[i];
            root[i * (NAMES + 1) + j] = which;
        }
    }
    __syncthreads();
    for (int j = t + 1; j <= NAMES; j += 96)
        out[blockIdx.x * NAMES + j - 1] = cost[j];
}

// a rule: a symbol becomes two; symbols of a part are bits
constexpr int WORDS = 32, SENTENCES = 132, RULES = 24;

struct Rule {
    uint32_t from, left, right;
};

__constant__ Rule rules[RULES];

__host__ __device__ inline uint32_t joined(const Rule *list, uint32_t left, uint32_t right)
{
    uint32_t out = 0;
    if (left && right)
        for (int k = 0; k < RULES; k++)
            if ((list[k].left & left) && (list[k].right & right))
                out |= list[k].from;
    return out;
}

__global__ void __launch_bounds__(256)
    sentences(const uint32_t *__restrict__ kinds, uint32_t *__restrict__ out)
{
    __shared__ uint32_t table[WORDS][WORDS + 1];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    if (t < WORDS)
        table[t][t] = kinds[blockIdx.x * WORDS + t];
    for (int d = 1; d < WORDS; d++) {
        __syncthreads();
        for (int i = w; i + d < WORDS; i += 8) {
            uint32_t sum = 0;
            for (int k = i + lane; k < i + d; k += 32)
                sum |= joined(rules, table[i][k], table[k + 1][i + d]);
            sum = __reduce_or_sync(~0u, sum);
            if (lane == 0)
                table[i][i + d] = sum;
        }
    }
    __syncthreads();
    if (t < WORDS)
        out[blockIdx.x * WORDS + t] = table[0][t];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(383);
    std::vector<int> sizes(CHAINS * (MATRICES + 1)), weights(TREES * NAMES);
    for (int &s : sizes)
        s = 1 + random.below(60);
    for (int &w : weights)
        w = 1 + random.below(random.below(8) ? 50 : 3000);
    std::vector<uint8_t> strands(STRANDS * BASES);
    for (uint8_t &s : strands)
        s = random.below(4);
    std::vector<Rule> list(RULES);
    for (Rule &r : list)
        r = {1u << random.below(12), 1u << random.below(12), 1u << random.below(12)};
    must(cudaMemcpyToSymbol(rules, list.data(), sizeof rules));
    std::vector<uint32_t> kinds(SENTENCES * WORDS);
    for (uint32_t &k : kinds)
        k = 1u << random.below(12) | 1u << random.below(12);
    int *S = copy(sizes), *W = copy(weights), *out = room<int>(CHAINS * MATRICES * MATRICES);
    uint8_t *B = copy(strands), *pairs = room<uint8_t>(STRANDS * BASES);
    uint32_t *K = copy(kinds), *parsed = room<uint32_t>(SENTENCES * WORDS);
    auto wiped = [&] {
        fill(out, CHAINS * MATRICES * MATRICES, 0);
        fill(pairs, STRANDS * BASES, 0x77);
        fill(parsed, SENTENCES * WORDS, 0x77);
    };
    auto ordered = [&] {
        std::vector<int> got = fetch(out, CHAINS * MATRICES * MATRICES), cost(MATRICES * MATRICES);
        long bad = 0;
        for (int c = 0; c < CHAINS; c += 4) {
            const int *own = &sizes[c * (MATRICES + 1)];
            for (int d = 0; d < MATRICES; d++)
                for (int i = 0; i + d < MATRICES; i++) {
                    int j = i + d, best = d ? 0x7fffffff : 0;
                    for (int k = i; k < j; k++)
                        best =
                            std::min(best, cost[i * MATRICES + k] + cost[(k + 1) * MATRICES + j] +
                                               own[i] * own[k + 1] * own[j + 1]);
                    cost[i * MATRICES + j] = best;
                    bad += got[(c * MATRICES + i) * MATRICES + j] != best;
                }
        }
        return bad;
    };
    variant(
        "order_thread", "order_thread", wiped, [&] { order_thread<<<CHAINS, 96>>>(S, out); },
        ordered);
    variant(
        "order_warp", "order_warp", wiped, [&] { order_warp<<<CHAINS, 512>>>(S, out); }, ordered);
    variant(
        "folds", "folds", wiped, [&] { folds<<<STRANDS, BASES>>>(B, pairs); },
        [&] {
            std::vector<uint8_t> got = fetch(pairs, STRANDS * BASES), table(BASES * BASES);
            long bad = 0;
            for (int s = 0; s < STRANDS; s += 4) {
                std::fill(table.begin(), table.end(), 0);
                auto at = [&](int i, int j) { return i <= j ? (int)table[i * BASES + j] : 0; };
                for (int d = 4; d < BASES; d++)
                    for (int i = 0; i + d < BASES; i++) {
                        int j = i + d,
                            best = at(i + 1, j - 1) +
                                   (strands[s * BASES + i] + strands[s * BASES + j] == 3);
                        for (int k = i; k < j; k++)
                            best = std::max(best, at(i, k) + at(k + 1, j));
                        table[i * BASES + j] = best;
                    }
                for (int k = 0; k < BASES; k++)
                    bad += got[s * BASES + k] != table[k];
            }
            return bad;
        });
    const int bytes = (NAMES + 1) * (NAMES + 1) * 5 + 3 + (NAMES + 1) * 4;
    must(cudaFuncSetAttribute(trees, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    variant(
        "trees", "trees", wiped, [&] { trees<<<TREES, 96, bytes>>>(W, out); },
        [&] {
            std::vector<int> got = fetch(out, TREES * NAMES), cost((NAMES + 1) * (NAMES + 1));
            long bad = 0;
            for (int s = 0; s < TREES; s += 4) {
                std::fill(cost.begin(), cost.end(), 0);
                for (int d = 1; d <= NAMES; d++)
                    for (int i = 0; i + d <= NAMES; i++) {
                        int sum = 0, best = 0x7fffffff;
                        for (int k = i; k < i + d; k++) {
                            sum += weights[s * NAMES + k];
                            best = std::min(best, cost[i * (NAMES + 1) + k] +
                                                      cost[(k + 1) * (NAMES + 1) + i + d]);
                        }
                        cost[i * (NAMES + 1) + i + d] = best + sum;
                    }
                for (int k = 0; k < NAMES; k++)
                    bad += got[s * NAMES + k] != cost[k + 1];
            }
            return bad;
        });
    variant(
        "sentences", "sentences", wiped, [&] { sentences<<<SENTENCES, 256>>>(K, parsed); },
        [&] {
            std::vector<uint32_t> got = fetch(parsed, SENTENCES * WORDS), table(WORDS * WORDS);
            long bad = 0;
            for (int s = 0; s < SENTENCES; s += 4) {
                for (int d = 0; d < WORDS; d++)
                    for (int i = 0; i + d < WORDS; i++) {
                        uint32_t sum = d ? 0 : kinds[s * WORDS + i];
                        for (int k = i; k < i + d; k++)
                            sum |= joined(list.data(), table[i * WORDS + k],
                                          table[(k + 1) * WORDS + i + d]);
                        table[i * WORDS + i + d] = sum;
                    }
                for (int k = 0; k < WORDS; k++)
                    bad += got[s * WORDS + k] != table[k];
            }
            return bad;
        });
    return finish();
}
