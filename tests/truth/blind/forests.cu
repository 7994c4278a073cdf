// Predictions of decision forests: complete trees with a row in each thread, the same with the
// nodes of a tree in shared memory, trees with one question a level in constant memory, few rows
// with a warp each, and trees of unequal depth whose nodes name their children.
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

constexpr int DEPTH = 8, INNER = (1 << DEPTH) - 1, LEAVES = 1 << DEPTH, TREES = 64, FEATURES = 24;

struct Node {
    float limit;
    int feature;
};

struct Branch { // feature < 0: a leaf, whose value limit is
    float limit;
    int feature, left, right;
};

__host__ __device__ inline float leaf_of(const Node *nodes, const float *leaves, const float *x,
                                         int stride)
{
    int at = 0;
    for (int d = 0; d < DEPTH; d++) {
        Node n = nodes[at];
        at = 2 * at + (x[n.feature * stride] > n.limit ? 2 : 1);
    }
    return leaves[at - INNER];
}

__global__ void complete(const Node *__restrict__ nodes, const float *__restrict__ leaves,
                         const float *__restrict__ features, float *__restrict__ out, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < TREES; t++)
        sum += leaf_of(nodes + t * INNER, leaves + t * LEAVES, features + i, rows);
    out[i] = sum;
}

__global__ void __launch_bounds__(128)
    staged(const Node *__restrict__ nodes, const float *__restrict__ leaves,
           const float *__restrict__ features, float *__restrict__ out, int rows)
{
    __shared__ Node tree[INNER];
    __shared__ float values[LEAVES], own[FEATURES][128];
    int i = blockIdx.x * 128 + threadIdx.x;
    for (int f = 0; f < FEATURES; f++)
        own[f][threadIdx.x] = features[f * rows + i];
    float sum = 0;
    for (int t = 0; t < TREES; t++) {
        __syncthreads();
        for (int k = threadIdx.x; k < INNER; k += 128)
            tree[k] = nodes[t * INNER + k];
        for (int k = threadIdx.x; k < LEAVES; k += 128)
            values[k] = leaves[t * LEAVES + k];
        __syncthreads();
        sum += leaf_of(tree, values, &own[0][threadIdx.x], 128);
    }
    out[i] = sum;
}

__constant__ Node LEVELS[TREES][DEPTH];

__global__ void oblivious(const float *__restrict__ leaves, const float *__restrict__ features,
                          float *__restrict__ out, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < TREES; t++) {
        int at = 0;
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            at = 2 * at + (features[LEVELS[t][d].feature * rows + i] > LEVELS[t][d].limit);
        sum += leaves[t * LEAVES + at];
    }
    out[i] = sum;
}

// a warp a row: a lane has every 32nd tree
__global__ void lanes(const Node *__restrict__ nodes, const float *__restrict__ leaves,
                      const float *__restrict__ features, float *__restrict__ out, int rows)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int t = lane; t < TREES; t += 32)
        sum += leaf_of(nodes + t * INNER, leaves + t * LEAVES, features + row, rows);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

__host__ __device__ inline float followed(const Branch *nodes, int at, const float *x, int stride)
{
    Branch b = nodes[at];
    while (b.feature >= 0)
        b = nodes[x[b.feature * stride] > b.limit ? b.right : b.left];
    return b.limit;
}

__global__ void unequal(const Branch *__restrict__ nodes, const int *__restrict__ roots,
                        const float *__restrict__ features, float *__restrict__ out, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < TREES; t++)
        sum += followed(nodes, roots[t], features + i, rows);
    out[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(5);
    const int rows = 24576, few = 512;
    std::vector<Node> nodes(TREES * INNER);
    std::vector<float> leaves = random.floats(TREES * LEAVES, -1, 1),
                       features = random.floats(rows * FEATURES);
    Node levels[TREES][DEPTH];
    for (Node &n : nodes)
        n = {random.between(0.2f, 0.8f), (int)random.below(FEATURES)};
    for (auto &tree : levels)
        for (Node &n : tree)
            n = {random.between(0.2f, 0.8f), (int)random.below(FEATURES)};
    must(cudaMemcpyToSymbol(LEVELS, levels, sizeof levels));
    std::vector<Branch> branches;
    std::vector<int> roots(TREES);
    for (int &root : roots) {
        root = branches.size();
        branches.push_back({});
        for (size_t at = root; at < branches.size(); at++) {
            size_t size = branches.size() - root;
            if (size > 400 || (size > 30 && random.below(3) == 0) ||
                (size > 1 && random.below(12) == 0)) {
                branches[at] = {random.between(-1, 1), -1, 0, 0};
                continue;
            }
            int left = branches.size();
            branches[at] = {random.between(0.1f, 0.9f), (int)random.below(FEATURES), left,
                            left + 1};
            branches.push_back({});
            branches.push_back({});
        }
    }
    Node *N = copy(nodes);
    Branch *B = copy(branches);
    float *L = copy(leaves), *F = copy(features), *out = room<float>(rows);
    int *R = copy(roots);
    auto wiped = [&] { fill(out, rows, 0xff); };
    auto whole = [&](int count) {
        return differ(out, count, count > few ? 7 : 1, 1e-4, [&](size_t i) {
            float sum = 0;
            for (int t = 0; t < TREES; t++)
                sum += leaf_of(&nodes[t * INNER], &leaves[t * LEAVES], &features[i], rows);
            return sum;
        });
    };
    variant(
        "complete", "complete", wiped, [&] { complete<<<rows / 128, 128>>>(N, L, F, out, rows); },
        [&] { return whole(rows); });
    variant(
        "staged", "staged", wiped, [&] { staged<<<rows / 128, 128>>>(N, L, F, out, rows); },
        [&] { return whole(rows); });
    variant(
        "oblivious", "oblivious", wiped, [&] { oblivious<<<rows / 128, 128>>>(L, F, out, rows); },
        [&] {
            return differ(out, rows, 7, 1e-4, [&](size_t i) {
                float sum = 0;
                for (int t = 0; t < TREES; t++) {
                    int at = 0;
                    for (const Node &n : levels[t])
                        at = 2 * at + (features[n.feature * rows + i] > n.limit);
                    sum += leaves[t * LEAVES + at];
                }
                return sum;
            });
        });
    variant(
        "few_rows", "lanes", wiped, [&] { lanes<<<few / 4, 128>>>(N, L, F, out, rows); },
        [&] { return whole(few); });
    variant(
        "unequal", "unequal", wiped, [&] { unequal<<<rows / 64, 64>>>(B, R, F, out, rows); },
        [&] {
            return differ(out, rows, 7, 1e-4, [&](size_t i) {
                float sum = 0;
                for (int t = 0; t < TREES; t++)
                    sum += followed(branches.data(), roots[t], &features[i], rows);
                return sum;
            });
        });
    return finish();
}
