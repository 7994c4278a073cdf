// Tables of dynamic programming: the longest common subsequence by bits of 64, one diagonal of a
// large alignment, tiles of an alignment in shared memory, a row of a knapsack, edit distances of
// many short words.
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

// a thread has a pair: 64 letters of a against all of b; b by places, then pairs
__global__ void common_bits(const uint8_t *__restrict__ a, const uint8_t *__restrict__ b,
                            int length, int pairs, int *__restrict__ out)
{
    __shared__ unsigned long long places[4][128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    for (int c = 0; c < 4; c++)
        places[c][threadIdx.x] = 0;
    for (int k = 0; k < 64; k++)
        places[a[k * pairs + i]][threadIdx.x] |= 1ull << k;
    unsigned long long v = ~0ull;
    for (int k = 0; k < length; k++) {
        unsigned long long m = places[b[k * pairs + i]][threadIdx.x], u = v & m;
        v = (v + u) | (v - u);
    }
    out[i] = __popcll(~v);
}

// one diagonal: scores of the two before
__global__ void diagonal(const uint8_t *__restrict__ a, const uint8_t *__restrict__ b, int d, int n,
                         const int *__restrict__ last, const int *__restrict__ before,
                         int *__restrict__ now)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1; // row; column d - i
    if (i >= d || i > n)
        return;
    int score = before[i - 1] + (a[i - 1] == b[d - i - 1] ? 2 : -1);
    now[i] = max(score, max(last[i - 1], last[i]) - 2);
}

// a block is a tile of 64 x 64 of its own pair, walked by diagonals; borders are multiples of the
// gap
__global__ void tiles(const uint8_t *__restrict__ a, const uint8_t *__restrict__ b,
                      int *__restrict__ out)
{
    __shared__ int score[65][66];
    __shared__ uint8_t left[64], top[64];
    int t = threadIdx.x;
    left[t] = a[blockIdx.x * 64 + t];
    top[t] = b[blockIdx.x * 64 + t];
    score[t + 1][0] = score[0][t + 1] = -2 * (t + 1);
    if (t == 0)
        score[0][0] = 0;
    __syncthreads();
    for (int d = 0; d < 127; d++) {
        int c = d - t;
        if (c >= 0 && c < 64)
            score[t + 1][c + 1] = max(score[t][c] + (left[t] == top[c] ? 2 : -1),
                                      max(score[t][c + 1], score[t + 1][c]) - 2);
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = score[64][t + 1];
}

__global__ void knapsack(const int *__restrict__ best, int *__restrict__ next, int weight,
                         int value, int capacity)
{
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c <= capacity; c += gridDim.x * blockDim.x)
        next[c] = c >= weight ? max(best[c], best[c - weight] + value) : best[c];
}

// a thread has a pair of words of 24; a row in registers
__global__ void edits(const uint8_t *__restrict__ a, const uint8_t *__restrict__ b, int pairs,
                      int *__restrict__ out)
{
    constexpr int N = 24;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int row[N + 1];
    uint8_t word[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        row[k] = k;
        word[k] = b[k * pairs + i];
    }
    row[N] = N;
    for (int r = 0; r < N; r++) {
        int corner = row[0], letter = a[r * pairs + i];
        row[0] = r + 1;
#pragma unroll
        for (int c = 0; c < N; c++) {
            int above = row[c + 1];
            row[c + 1] = min(min(above, row[c]) + 1, corner + (letter != word[c]));
            corner = above;
        }
    }
    out[i] = row[N];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int pairs = 1 << 16, length = 96, n = 1 << 20, blocks = 2640, capacity = 5 << 20,
              weight = 12345, value = 678;
    Lcg random(277);
    std::vector<uint8_t> as(2 * n + (size_t)64 * pairs), bs(2 * n + (size_t)length * pairs);
    for (uint8_t &v : as)
        v = random.below(4);
    for (uint8_t &v : bs)
        v = random.below(4);
    std::vector<int> lasts(n + 1), befores(n + 1), bests(capacity + 1);
    for (int i = 0; i <= n; i++) {
        lasts[i] = random.below(1000);
        befores[i] = random.below(1000);
    }
    for (int &v : bests)
        v = random.below(1 << 20);
    uint8_t *a = copy(as), *b = copy(bs);
    int *last = copy(lasts), *before = copy(befores), *best = copy(bests),
        *out = room<int>(capacity + 1);
    auto wiped = [&] { fill(out, capacity + 1, 0xff); };
    variant(
        "bits", "common_bits", wiped,
        [&] { common_bits<<<pairs / 128, 128>>>(a, b, length, pairs, out); },
        [&] {
            std::vector<int> got = fetch(out, pairs);
            long bad = 0;
            for (int i = 0; i < pairs; i += 17) {
                std::vector<int> row(65), next(65);
                for (int k = 0; k < length; k++, row.swap(next))
                    for (int c = 0; c < 64; c++)
                        next[c + 1] = as[(size_t)c * pairs + i] == bs[(size_t)k * pairs + i]
                                          ? row[c] + 1
                                          : std::max(row[c + 1], next[c]);
                bad += got[i] != row[64];
            }
            return bad;
        });
    variant(
        "diagonal", "diagonal", wiped,
        [&] { diagonal<<<n / 256, 256>>>(a, b, n + 1, n, last, before, out); },
        [&] {
            return differ(out + 1, n - 1, 1, 0, [&](size_t k) {
                int i = k + 1;
                return std::max(befores[i - 1] + (as[i - 1] == bs[n - i] ? 2 : -1),
                                std::max(lasts[i - 1], lasts[i]) - 2);
            });
        });
    variant(
        "tiles", "tiles", wiped, [&] { tiles<<<blocks, 64>>>(a, b, out); },
        [&] {
            std::vector<int> got = fetch(out, blocks * 64);
            long bad = 0;
            for (int t = 0; t < blocks; t += 7) {
                std::vector<int> row(65), next(65);
                for (int c = 0; c <= 64; c++)
                    row[c] = -2 * c;
                for (int r = 0; r < 64; r++, row.swap(next)) {
                    next[0] = -2 * (r + 1);
                    for (int c = 0; c < 64; c++)
                        next[c + 1] = std::max(row[c] + (as[t * 64 + r] == bs[t * 64 + c] ? 2 : -1),
                                               std::max(row[c + 1], next[c]) - 2);
                }
                for (int c = 0; c < 64; c++)
                    bad += got[t * 64 + c] != row[c + 1];
            }
            return bad;
        });
    variant(
        "knapsack", "knapsack", wiped,
        [&] { knapsack<<<132 * 8, 256>>>(best, out, weight, value, capacity); },
        [&] {
            return differ(out, capacity + 1, 1, 0, [&](size_t c) {
                return c >= weight ? std::max(bests[c], bests[c - weight] + value) : bests[c];
            });
        });
    variant(
        "edits", "edits", wiped, [&] { edits<<<pairs / 128, 128>>>(a, b, pairs, out); },
        [&] {
            std::vector<int> got = fetch(out, pairs);
            long bad = 0;
            for (int i = 0; i < pairs; i += 13) {
                std::vector<int> row(25), next(25);
                for (int c = 0; c <= 24; c++)
                    row[c] = c;
                for (int r = 0; r < 24; r++, row.swap(next)) {
                    next[0] = r + 1;
                    for (int c = 0; c < 24; c++)
                        next[c + 1] = std::min(
                            std::min(row[c + 1], next[c]) + 1,
                            row[c] + (as[(size_t)r * pairs + i] != bs[(size_t)c * pairs + i]));
                }
                bad += got[i] != row[24];
            }
            return bad;
        });
    return finish();
}
