// Choices on a graph with few large and many small vertices: an independent set, the lightest edge
// that leaves each tree, the heaviest free neighbour, and searches from 64 vertices at once as
// bits, drawn by vertices and pushed along edges.
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

constexpr int COUNT = 1 << 17;

// neighbours of a vertex: starts[i] to starts[i + 1]
struct Graph {
    const int *starts, *next;
};

__host__ __device__ inline uint32_t priority(uint32_t i)
{
    i ^= i >> 16, i *= 0x7feb352d, i ^= i >> 15, i *= 0x846ca68b;
    return i ^ i >> 16;
}

// 1: chosen, 2: a neighbour was chosen earlier; a free one is chosen if all free ones around are
// less
__host__ __device__ inline int chosen_now(const Graph &g, const uint8_t *state, int i)
{
    if (state[i])
        return state[i];
    uint32_t own = priority(i);
    for (int k = g.starts[i]; k < g.starts[i + 1]; k++) {
        int j = g.next[k];
        if (state[j] == 0) {
            uint32_t other = priority(j);
            if (other > own || (other == own && j > i))
                return 0;
        }
    }
    return 1;
}

__global__ void independent(Graph g, const uint8_t *__restrict__ state, uint8_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = chosen_now(g, state, i);
}

// an edge's weight and number in one; each tree keeps the least
__global__ void lightest(const int2 *__restrict__ edges, const uint32_t *__restrict__ weights,
                         const int *__restrict__ trees, unsigned long long *best, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int a = trees[edges[i].x], b = trees[edges[i].y];
    if (a == b)
        return;
    unsigned long long key = (unsigned long long)weights[i] << 32 | (unsigned)i;
    // most are not the least: a look before the atomic
    volatile unsigned long long *seen = best;
    if (key < seen[a])
        atomicMin(best + a, key);
    if (key < seen[b])
        atomicMin(best + b, key);
}

// a warp a vertex: the heaviest neighbour that is not yet matched, -1 where there is none
__global__ void __launch_bounds__(128)
    propose(Graph g, const uint16_t *__restrict__ weights, const int *__restrict__ matched,
            int *__restrict__ out)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (matched[i] >= 0) {
        if (lane == 0)
            out[i] = -2;
        return;
    }
    unsigned best = 0;
    int which = -1;
    for (int k = g.starts[i] + lane; k < g.starts[i + 1]; k += 32) {
        int j = g.next[k];
        if (matched[j] < 0 && (weights[k] > best || (weights[k] == best && j > which)))
            best = weights[k], which = j;
    }
    unsigned most = __reduce_max_sync(~0u, best);
    which = __reduce_max_sync(~0u, best == most ? which : -1);
    if (lane == 0)
        out[i] = which;
}

// bits of searches that see a vertex; those that come anew are kept apart
__global__ void drawn(Graph g, const unsigned long long *__restrict__ front,
                      const unsigned long long *__restrict__ seen,
                      unsigned long long *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long known = seen[i], sum = 0;
    for (int k = g.starts[i]; k < g.starts[i + 1] && (sum | known) != ~0ull; k++)
        sum |= front[g.next[k]];
    out[i] = sum & ~known;
}

__global__ void pushed(const int2 *__restrict__ edges, const unsigned long long *__restrict__ front,
                       const unsigned long long *__restrict__ seen, unsigned long long *out,
                       int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int2 e = edges[i];
    unsigned long long there = front[e.x] & ~seen[e.y], back = front[e.y] & ~seen[e.x];
    if (there)
        atomicOr(out + e.y, there);
    if (back)
        atomicOr(out + e.x, back);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(353);
    // ends drawn so that small numbers come often, then mixed
    std::vector<int> names(COUNT);
    for (int i = 0; i < COUNT; i++)
        names[i] = i;
    for (int i = COUNT - 1; i > 0; i--)
        std::swap(names[i], names[random.below(i + 1)]);
    auto end = [&] {
        float u = random.unit();
        return names[(int)(u * u * u * (COUNT - 1))];
    };
    std::vector<int2> edges(COUNT * 6);
    std::vector<std::vector<std::pair<int, int>>> around(COUNT);
    for (size_t i = 0; i < edges.size(); i++) {
        int a = end(), b = random.below(COUNT);
        if (a == b)
            b = (b + 1) % COUNT;
        edges[i] = make_int2(a, b);
        int weight = 1 + random.below(60000);
        around[a].push_back({b, weight}), around[b].push_back({a, weight});
    }
    std::vector<int> starts = {0}, next, trees(COUNT), matched(COUNT);
    std::vector<uint16_t> weights;
    for (auto &list : around) {
        for (auto &[j, weight] : list)
            next.push_back(j), weights.push_back(weight);
        starts.push_back(next.size());
    }
    std::vector<uint32_t> edge_weights(edges.size());
    for (uint32_t &w : edge_weights)
        w = random.next() >> 4;
    std::vector<uint8_t> state(COUNT);
    for (int i = 0; i < COUNT; i++) {
        state[i] = random.below(3) == 0 ? 2 : 0;
        trees[i] = i / 24 * 24;
        matched[i] = random.below(4) ? -1 : 0;
    }
    std::vector<unsigned long long> front(COUNT), seen(COUNT), fresh(COUNT), least(COUNT, ~0ull);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 64; k++)
            if (random.below(16) == 0)
                front[i] |= 1ull << k;
        seen[i] = front[i] | ((unsigned long long)(random.next() & random.next()) << 32);
    }
    for (size_t i = 0; i < edges.size(); i++) {
        int2 e = edges[i];
        fresh[e.y] |= front[e.x] & ~seen[e.y], fresh[e.x] |= front[e.y] & ~seen[e.x];
        int a = trees[e.x], b = trees[e.y];
        unsigned long long key = (unsigned long long)edge_weights[i] << 32 | i;
        if (a != b)
            least[a] = std::min(least[a], key), least[b] = std::min(least[b], key);
    }
    const int count = edges.size();
    Graph host = {starts.data(), next.data()}, g = {copy(starts), copy(next)};
    int2 *E = copy(edges);
    int *T = copy(trees), *M = copy(matched), *choice = room<int>(COUNT);
    uint16_t *W = copy(weights);
    uint32_t *V = copy(edge_weights);
    uint8_t *S = copy(state), *marks = room<uint8_t>(COUNT);
    unsigned long long *F = copy(front), *K = copy(seen), *out = room<unsigned long long>(COUNT);
    auto wiped = [&] {
        fill(choice, COUNT, 0x77);
        fill(marks, COUNT, 0x77);
        fill(out, COUNT, 0);
    };
    auto bits = [&] {
        std::vector<unsigned long long> got = fetch(out, COUNT);
        long bad = 0;
        for (int i = 0; i < COUNT; i++)
            bad += got[i] != fresh[i];
        return bad;
    };
    variant(
        "independent", "independent", wiped,
        [&] { independent<<<COUNT / 128, 128>>>(g, S, marks); },
        [&] {
            return differ(marks, COUNT, 1, 0,
                          [&](size_t i) { return chosen_now(host, state.data(), i); });
        });
    variant(
        "lightest", "lightest", [&] { fill(out, COUNT, 0xff); },
        [&] { lightest<<<(count + 255) / 256, 256>>>(E, V, T, out, count); },
        [&] {
            std::vector<unsigned long long> got = fetch(out, COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i++)
                bad += got[i] != least[i];
            return bad;
        });
    variant(
        "propose", "propose", wiped, [&] { propose<<<COUNT / 4, 128>>>(g, W, M, choice); },
        [&] {
            return differ(choice, COUNT, 1, 0, [&](size_t i) {
                if (matched[i] >= 0)
                    return -2;
                int best = 0, which = -1;
                for (int k = starts[i]; k < starts[i + 1]; k++) {
                    int j = next[k];
                    if (matched[j] < 0 && (weights[k] > best || (weights[k] == best && j > which)))
                        best = weights[k], which = j;
                }
                return which;
            });
        });
    variant(
        "drawn", "drawn", wiped, [&] { drawn<<<COUNT / 128, 128>>>(g, F, K, out); }, bits);
    variant(
        "pushed", "pushed", wiped,
        [&] { pushed<<<(count + 255) / 256, 256>>>(E, F, K, out, count); }, bits);
    return finish();
}
