// Training of boosted trees: sums of gradients by bins with a block a feature, with a block for
// some rows and equal bins of a warp joined first, the best split of each feature by scans, rows
// sent left or right in order, and leaves found for all rows anew.
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

constexpr int ROWS = 1 << 17, FEATURES = 32, BINS = 64, NODES = 8;

// whole numbers (scaled gradients), so that all orders agree
__global__ void __launch_bounds__(256)
    by_feature(const uint8_t *__restrict__ bins, const int2 *__restrict__ gradients,
               const uint8_t *__restrict__ node, int *sums)
{
    __shared__ int own[NODES * BINS * 2];
    int f = blockIdx.x;
    for (int k = threadIdx.x; k < NODES * BINS * 2; k += 256)
        own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.y * 256 + threadIdx.x; i < ROWS; i += gridDim.y * 256) {
        int at = (node[i] * BINS + bins[f * ROWS + i]) * 2;
        int2 g = gradients[i];
        atomicAdd(own + at, g.x);
        atomicAdd(own + at + 1, g.y);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < NODES * BINS * 2; k += 256)
        if (own[k])
            atomicAdd(sums + f * NODES * BINS * 2 + k, own[k]);
}

// lanes whose bins are equal find one another; the lowest one adds for all
__global__ void __launch_bounds__(256)
    matched(const uint8_t *__restrict__ bins, const int2 *__restrict__ gradients,
            const uint8_t *__restrict__ node, int *sums, int rows)
{
    int f = blockIdx.x, lane = threadIdx.x % 32;
    for (int i = blockIdx.y * 256 + threadIdx.x; i < rows; i += gridDim.y * 256) {
        int at = (node[i] * BINS + bins[f * ROWS + i]) * 2;
        int2 g = gradients[i];
        unsigned same = __match_any_sync(~0u, at);
        int x = __reduce_add_sync(same, g.x), y = __reduce_add_sync(same, g.y);
        if (__ffs(same) - 1 == lane) {
            atomicAdd(sums + f * NODES * BINS * 2 + at, x);
            atomicAdd(sums + f * NODES * BINS * 2 + at + 1, y);
        }
    }
}

__host__ __device__ inline float score(int g, int h)
{
    return (float)g * g / (h + 1000.0f);
}

// a warp a node and feature: two bins a lane, a scan, and the best place to split
__global__ void __launch_bounds__(128)
    splits(const int2 *__restrict__ sums, float *__restrict__ gains, int *__restrict__ places)
{
    int w = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    int2 a = sums[w * BINS + 2 * lane], b = sums[w * BINS + 2 * lane + 1];
    int g = a.x + b.x, h = a.y + b.y;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, g, d), v = __shfl_up_sync(~0u, h, d);
        if (lane >= d)
            g += u, h += v;
    }
    int all_g = __shfl_sync(~0u, g, 31), all_h = __shfl_sync(~0u, h, 31);
    float first = score(g - b.x, h - b.y) + score(all_g - g + b.x, all_h - h + b.y),
          second = score(g, h) + score(all_g - g, all_h - h);
    float best = fmaxf(first, second);
    int place = 2 * lane + (second > first);
    for (int d = 16; d; d /= 2) {
        float other = __shfl_xor_sync(~0u, best, d);
        int there = __shfl_xor_sync(~0u, place, d);
        if (other > best || (other == best && there < place))
            best = other, place = there;
    }
    if (lane == 0)
        gains[w] = best - score(all_g, all_h), places[w] = place;
}

// rows of a block in order: those that go left first; where blocks begin is known
__global__ void __launch_bounds__(256)
    send(const int *__restrict__ order, const uint8_t *__restrict__ bins,
         const int *__restrict__ before, int limit, int lefts, int *__restrict__ out)
{
    __shared__ int sums[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, w = threadIdx.x / 32,
        row = order[i];
    bool left = bins[row] <= limit;
    unsigned mask = __ballot_sync(~0u, left);
    if (lane == 0)
        sums[w] = __popc(mask);
    __syncthreads();
    int at = before[blockIdx.x] + __popc(mask & ((1u << lane) - 1));
    for (int k = 0; k < w; k++)
        at += sums[k];
    out[left ? at : lefts + i - at] = row;
}

struct Choice {
    short feature, limit;
};

// trees of depth eight one after the other: bytes of a row side by side with those of others
__global__ void leaves(const uint8_t *__restrict__ bins, const Choice *__restrict__ trees,
                       const float *__restrict__ values, float *__restrict__ out, int many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < many; t++) {
        int at = 1;
        for (int d = 0; d < 8; d++) {
            Choice c = trees[t * 256 + at];
            at = 2 * at + (bins[c.feature * ROWS + i] > c.limit);
        }
        sum += values[t * 256 + at - 256];
    }
    out[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(151);
    const int some = ROWS / 2, trees = 10, feature = 5, limit = 30;
    std::vector<uint8_t> bins(FEATURES * ROWS), node(ROWS);
    std::vector<int2> gradients(ROWS);
    std::vector<int> sums(FEATURES * NODES * BINS * 2), half(sums), order(ROWS), before(ROWS / 256),
        sent(ROWS);
    for (int i = 0; i < ROWS; i++) {
        node[i] = random.below(NODES), order[i] = i;
        gradients[i] = make_int2((int)random.below(2001) - 1000, random.below(500));
        for (int f = 0; f < FEATURES; f++)
            bins[f * ROWS + i] = f % 4 == 3        ? random.below(4)
                                 : random.below(2) ? random.below(BINS)
                                                   : random.below(16);
    }
    for (int i = 0; i < ROWS; i++)
        for (int f = 0; f < FEATURES; f++) {
            int at = ((f * NODES + node[i]) * BINS + bins[f * ROWS + i]) * 2;
            sums[at] += gradients[i].x, sums[at + 1] += gradients[i].y;
            if (i < some)
                half[at] += gradients[i].x, half[at + 1] += gradients[i].y;
        }
    for (int i = ROWS - 1; i > 0; i--)
        if (i % 4)
            std::swap(order[i], order[random.below(i + 1)]);
    int lefts = 0, rights = 0, all = 0;
    for (int i = 0; i < ROWS; i++)
        all += bins[feature * ROWS + i] <= limit;
    for (int i = 0; i < ROWS; i++) {
        if (i % 256 == 0)
            before[i / 256] = lefts;
        bool left = bins[feature * ROWS + order[i]] <= limit;
        sent[left ? lefts++ : all + rights++] = order[i];
    }
    std::vector<Choice> choices(trees * 256);
    for (Choice &c : choices)
        c = {(short)random.below(FEATURES), (short)random.below(20)};
    std::vector<float> values = random.floats(trees * 256, -1, 1);
    uint8_t *B = copy(bins), *N = copy(node);
    int2 *G = copy(gradients);
    int *S = copy(sums), *O = copy(order), *P = copy(before), *out = room<int>(ROWS),
        *found = room<int>(FEATURES * NODES);
    Choice *C = copy(choices);
    float *V = copy(values), *gains = room<float>(ROWS);
    auto zero = [&] {
        fill(out, ROWS, 0);
        fill(gains, ROWS, 0xff);
    };
    variant(
        "by_feature", "by_feature", zero,
        [&] { by_feature<<<dim3(FEATURES, 16), 256>>>(B, G, N, out); },
        [&] { return differ(out, sums.size(), 1, 0, [&](size_t i) { return sums[i]; }); });
    variant(
        "matched", "matched", zero,
        [&] { matched<<<dim3(FEATURES, 32), 256>>>(B, G, N, out, some); },
        [&] { return differ(out, half.size(), 1, 0, [&](size_t i) { return half[i]; }); });
    variant(
        "splits", "splits", zero,
        [&] { splits<<<FEATURES * NODES / 4, 128>>>((int2 *)S, gains, found); },
        [&] {
            return differ(gains, FEATURES * NODES, 1, 1e-2, [&](size_t w) {
                double g = 0, h = 0, u = 0, v = 0, best = 0;
                for (int k = 0; k < BINS; k++)
                    g += sums[(w * BINS + k) * 2], h += sums[(w * BINS + k) * 2 + 1];
                for (int k = 0; k < BINS; k++) {
                    u += sums[(w * BINS + k) * 2], v += sums[(w * BINS + k) * 2 + 1];
                    best = std::max(best, u * u / (v + 1000) + (g - u) * (g - u) / (h - v + 1000));
                }
                return best - g * g / (h + 1000);
            });
        });
    variant(
        "send", "send", zero,
        [&] { send<<<ROWS / 256, 256>>>(O, B + feature * ROWS, P, limit, all, out); },
        [&] { return differ(out, ROWS, 1, 0, [&](size_t i) { return sent[i]; }); });
    variant(
        "leaves", "leaves", zero, [&] { leaves<<<ROWS / 256, 256>>>(B, C, V, gains, trees); },
        [&] {
            return differ(gains, ROWS, 11, 1e-4, [&](size_t i) {
                float sum = 0;
                for (int t = 0; t < trees; t++) {
                    int at = 1;
                    for (int d = 0; d < 8; d++)
                        at = 2 * at + (bins[choices[t * 256 + at].feature * ROWS + i] >
                                       choices[t * 256 + at].limit);
                    sum += values[t * 256 + at - 256];
                }
                return sum;
            });
        });
    return finish();
}
