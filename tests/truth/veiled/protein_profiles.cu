// Searches among proteins: a profile laid along sequences in bytes, four a word, and in halves of
// words by the instructions for sums and maxima, both with a warp a sequence, words of three
// letters found in a list, and matches made longer both ways until they lose.
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

constexpr int LETTERS = 20, MODEL = 128, SEQUENCES = 2048, BIAS = 8, BEGIN = 40;

// all values are kept BIAS higher in the score and never go below zero
__global__ void __launch_bounds__(128)
    profile_bytes(const uint8_t *__restrict__ text, const int *__restrict__ starts,
                  const uint32_t *__restrict__ scores, int *__restrict__ out)
{
    __shared__ uint32_t own[LETTERS][32];
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < LETTERS * 32; k += 128)
        own[k / 32][k % 32] = scores[k];
    __syncthreads();
    const uint32_t bias = BIAS * 0x01010101u, begin = BEGIN * 0x01010101u;
    uint32_t row = 0, most = 0;
    for (int at = starts[i]; at < starts[i + 1]; at++) {
        // place k has what place k - 1 had
        uint32_t before = __shfl_up_sync(~0u, row, 1);
        if (lane == 0)
            before = 0;
        row = __byte_perm(before, row, 0x6543);
        row = __vsubus4(__vaddus4(__vmaxu4(row, begin), own[text[at]][lane]), bias);
        most = __vmaxu4(most, row);
    }
    most = max(max(most & 255, most >> 8 & 255), max(most >> 16 & 255, most >> 24));
    most = __reduce_max_sync(~0u, most);
    if (lane == 0)
        out[i] = most;
}

// two places a word, two words a lane; gaps in the model or the sequence cost a step each
__global__ void __launch_bounds__(128)
    profile_halves(const uint8_t *__restrict__ text, const int *__restrict__ starts,
                   const uint2 *__restrict__ scores, int *__restrict__ out)
{
    __shared__ uint2 own[LETTERS][32];
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < LETTERS * 32; k += 128)
        own[k / 32][k % 32] = scores[k];
    __syncthreads();
    const uint32_t gap = 0xfffafffau; // -6 twice
    uint2 row = {0, 0};
    uint32_t most = 0;
    for (int at = starts[i]; at < starts[i + 1]; at++) {
        uint32_t before = __shfl_up_sync(~0u, row.y, 1);
        if (lane == 0)
            before = 0;
        uint2 s = own[text[at]][lane];
        // the best of: a letter more in both, a letter more in the sequence only, a new beginning
        uint32_t low = __byte_perm(before, row.x, 0x5432), high = __byte_perm(row.x, row.y, 0x5432);
        row.x = __viaddmax_s16x2_relu(low, s.x, __vadd2(row.x, gap));
        row.y = __viaddmax_s16x2_relu(high, s.y, __vadd2(row.y, gap));
        most = __vimax3_s16x2(most, row.x, row.y);
    }
    int best = max((int)(short)(most & 0xffff), (int)(short)(most >> 16));
    best = __reduce_max_sync(~0u, best);
    if (lane == 0)
        out[i] = best;
}

// words of the query near a word of three letters; hits are counted by diagonals
constexpr int DIAGONALS = 4096;

__global__ void words(const uint8_t *__restrict__ text, const int *__restrict__ lists,
                      const uint16_t *__restrict__ places, int *counts, int length)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + 2 >= length)
        return;
    int word = (text[at] * LETTERS + text[at + 1]) * LETTERS + text[at + 2];
    for (int k = lists[word]; k < lists[word + 1]; k++)
        atomicAdd(counts + (at - places[k] & (DIAGONALS - 1)), 1);
}

constexpr int QUERY = 1024, LOSS = 12;

__host__ __device__ inline int extended(const int8_t *table, const uint8_t *a, const uint8_t *b,
                                        int step, int most)
{
    int sum = 0, best = 0;
    for (int k = 0; k < most && sum > best - LOSS; k++) {
        sum += table[a[k * step] * LETTERS + b[k * step]];
        best = sum > best ? sum : best;
    }
    return best;
}

__host__ __device__ inline int both_ways(const int8_t *table, const uint8_t *query,
                                         const uint8_t *text, int length, int2 hit)
{
    int right = min(QUERY - hit.x, length - hit.y), left = min(hit.x, hit.y);
    return extended(table, query + hit.x, text + hit.y, 1, right) +
           extended(table, query + hit.x - 1, text + hit.y - 1, -1, left);
}

__global__ void __launch_bounds__(128)
    longer(const int8_t *__restrict__ table, const uint8_t *__restrict__ query,
           const uint8_t *__restrict__ text, const int2 *__restrict__ hits, int *__restrict__ out,
           int length)
{
    __shared__ int8_t own[LETTERS * LETTERS];
    for (int k = threadIdx.x; k < LETTERS * LETTERS; k += 128)
        own[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = both_ways(own, query, text, length, hits[i]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(379);
    std::vector<int> starts = {0};
    std::vector<uint8_t> text, query(QUERY);
    for (uint8_t &q : query)
        q = random.below(LETTERS);
    for (int i = 0; i < SEQUENCES; i++) {
        int many = 60 + random.below(120), from = random.below(QUERY - 200);
        for (int k = 0; k < many; k++)
            text.push_back(i % 4 == 0 && random.below(3) ? query[from + k] : random.below(LETTERS));
        starts.push_back(text.size());
    }
    const int length = text.size(), hits = 1 << 17;
    // scores of a letter at a place of the profile
    std::vector<int> score(LETTERS * MODEL);
    for (int k = 0; k < MODEL; k++)
        for (int a = 0; a < LETTERS; a++)
            score[a * MODEL + k] =
                a == query[k + 100] ? 4 + random.below(4) : 2 - (int)random.below(8);
    std::vector<uint32_t> bytes(LETTERS * 32), halves(LETTERS * 64);
    for (int i = 0; i < LETTERS * MODEL; i++) {
        bytes[i / 4] |= (uint32_t)(score[i] + BIAS) << i % 4 * 8;
        halves[i / 2] |= (uint32_t)(uint16_t)score[i] << i % 2 * 16;
    }
    std::vector<int8_t> table(LETTERS * LETTERS);
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b <= a; b++)
            table[a * LETTERS + b] = table[b * LETTERS + a] =
                a == b ? 4 + random.below(5) : 1 - (int)random.below(5);
    // near: two of three letters are the same
    std::vector<std::vector<uint16_t>> near_words(LETTERS * LETTERS * LETTERS);
    for (int at = 0; at + 2 < QUERY; at++)
        for (int p = 0; p < 3; p++)
            for (int a = 0; a < LETTERS; a++) {
                int word = 0;
                for (int k = 0; k < 3; k++)
                    word = word * LETTERS + (k == p ? a : query[at + k]);
                if (a != query[at + p] || p == 0)
                    near_words[word].push_back(at);
            }
    std::vector<int> lists = {0};
    std::vector<uint16_t> places;
    for (auto &list : near_words) {
        places.insert(places.end(), list.begin(), list.end());
        lists.push_back(places.size());
    }
    std::vector<int2> hit(hits);
    for (int2 &h : hit)
        h = make_int2(random.below(QUERY), random.below(length));
    for (int i = 0; i < hits; i += 3) { // places that fit
        int s = random.below(SEQUENCES / 4) * 4;
        hit[i] = make_int2(random.below(QUERY - 200), starts[s] + random.below(40));
    }
    uint8_t *T = copy(text), *Q = copy(query);
    int *S = copy(starts), *L = copy(lists), *out = room<int>(hits);
    uint32_t *B = copy(bytes), *H = copy(halves);
    int8_t *M = copy(table);
    uint16_t *P = copy(places);
    int2 *I = copy(hit);
    auto wiped = [&] { fill(out, hits, 0); };
    variant(
        "profile_bytes", "profile_bytes", wiped,
        [&] { profile_bytes<<<SEQUENCES / 4, 128>>>(T, S, B, out); },
        [&] {
            return differ(out, SEQUENCES, 1, 0, [&](size_t i) {
                std::vector<int> row(MODEL + 1), next(MODEL + 1);
                int most = 0;
                for (int at = starts[i]; at < starts[i + 1]; at++, row.swap(next))
                    for (int k = 0; k < MODEL; k++) {
                        int value = std::max(row[k], BEGIN) + score[text[at] * MODEL + k] + BIAS;
                        next[k + 1] = std::max(0, std::min(255, value) - BIAS);
                        most = std::max(most, next[k + 1]);
                    }
                return most;
            });
        });
    variant(
        "profile_halves", "profile_halves", wiped,
        [&] { profile_halves<<<SEQUENCES / 4, 128>>>(T, S, (uint2 *)H, out); },
        [&] {
            return differ(out, SEQUENCES, 1, 0, [&](size_t i) {
                std::vector<int> row(MODEL + 1), next(MODEL + 1);
                int most = 0;
                for (int at = starts[i]; at < starts[i + 1]; at++, row.swap(next))
                    for (int k = 0; k < MODEL; k++) {
                        next[k + 1] = std::max(
                            0, std::max(row[k] + score[text[at] * MODEL + k], row[k + 1] - 6));
                        most = std::max(most, next[k + 1]);
                    }
                return most;
            });
        });
    variant(
        "words", "words", wiped,
        [&] { words<<<(length + 127) / 128, 128>>>(T, L, P, out, length); },
        [&] {
            std::vector<int> want(DIAGONALS);
            for (int at = 0; at + 2 < length; at++)
                for (uint16_t p :
                     near_words[(text[at] * LETTERS + text[at + 1]) * LETTERS + text[at + 2]])
                    want[(at - p) & (DIAGONALS - 1)]++;
            return differ(out, DIAGONALS, 1, 0, [&](size_t i) { return want[i]; });
        });
    variant(
        "longer", "longer", wiped, [&] { longer<<<hits / 128, 128>>>(M, Q, T, I, out, length); },
        [&] {
            return differ(out, hits, 3, 0, [&](size_t i) {
                return both_ways(table.data(), query.data(), text.data(), length, hit[i]);
            });
        });
    return finish();
}
