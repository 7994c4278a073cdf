// Triangles of a graph: lists merged by a thread an edge, a warp that searches a list, a bitmap of
// neighbours in shared memory, rows of bits of a dense graph.
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

// edges lead to higher vertices; lists are sorted
struct Graph {
    const int *begin, *to;
    int vertices, edges;
};

__global__ void merged(Graph g, const int *__restrict__ from,
                       unsigned long long *__restrict__ total)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
    if (e < g.edges) {
        int u = from[e], v = g.to[e], a = g.begin[u], a_end = g.begin[u + 1], b = g.begin[v],
            b_end = g.begin[v + 1];
        while (a < a_end && b < b_end) {
            int x = g.to[a], y = g.to[b];
            found += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && found)
        atomicAdd(total, (unsigned long long)found);
}

__global__ void searched(Graph g, const int *__restrict__ from,
                         unsigned long long *__restrict__ total)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, found = 0;
    if (e >= g.edges)
        return;
    int u = from[e], v = g.to[e];
    if (g.begin[u + 1] - g.begin[u] > g.begin[v + 1] - g.begin[v]) {
        int w = u;
        u = v;
        v = w;
    }
    for (int a = g.begin[u] + lane; a < g.begin[u + 1]; a += 32) {
        int wanted = g.to[a], low = g.begin[v], high = g.begin[v + 1];
        while (low < high) {
            int middle = (low + high) / 2;
            if (g.to[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        found += low < g.begin[v + 1] && g.to[low] == wanted;
    }
    for (int step = 16; step; step /= 2)
        found += __shfl_down_sync(~0u, found, step);
    if (lane == 0 && found)
        atomicAdd(total, (unsigned long long)found);
}

// a block is a vertex
template <int WORDS> __global__ void mapped(Graph g, unsigned long long *__restrict__ total)
{
    __shared__ uint32_t map[WORDS];
    int u = blockIdx.x, begin = g.begin[u], end = g.begin[u + 1], lane = threadIdx.x % 32,
        found = 0;
    if (end - begin < 2)
        return;
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x)
        map[w] = 0;
    __syncthreads();
    for (int a = begin + threadIdx.x; a < end; a += blockDim.x)
        atomicOr(&map[g.to[a] / 32], 1u << g.to[a] % 32);
    __syncthreads();
    for (int a = begin + threadIdx.x / 32; a < end; a += blockDim.x / 32)
        for (int b = g.begin[g.to[a]] + lane; b < g.begin[g.to[a] + 1]; b += 32)
            found += map[g.to[b] / 32] >> g.to[b] % 32 & 1;
    found = __syncthreads_or(found) ? __reduce_add_sync(~0u, found) : 0;
    if (lane == 0 && found)
        atomicAdd(total, (unsigned long long)found);
}

// a thread is a pair of the dense graph's vertices; a row has n / 64 words
__global__ void dense(const unsigned long long *__restrict__ row, int n,
                      unsigned long long *__restrict__ total)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, u = blockIdx.y * blockDim.y + threadIdx.y,
        words = n / 64, found = 0;
    if (u < v && v < n && (row[u * words + v / 64] >> v % 64 & 1))
        for (int w = 0; w < words; w++)
            found += __popcll(row[u * words + w] & row[v * words + w]);
    found = __reduce_add_sync(~0u, found);
    if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0 && found)
        atomicAdd(total, (unsigned long long)found);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int vertices = 16384, n = 1024;
    Lcg random(271);
    std::vector<std::vector<int>> lists(vertices);
    for (int k = 0; k < 10 * vertices; k++) {
        int u = random.below(vertices), v = random.below(2)
                                                ? (int)random.below(vertices)
                                                : (u + 1 + (int)random.below(40)) % vertices;
        if (random.below(6) == 0)
            v = random.below(64); // well-known ones
        if (u != v)
            lists[std::min(u, v)].push_back(std::max(u, v));
    }
    std::vector<int> begins(1), targets, sources;
    for (int u = 0; u < vertices; u++) {
        std::sort(lists[u].begin(), lists[u].end());
        lists[u].erase(std::unique(lists[u].begin(), lists[u].end()), lists[u].end());
        targets.insert(targets.end(), lists[u].begin(), lists[u].end());
        sources.insert(sources.end(), lists[u].size(), u);
        begins.push_back(targets.size());
    }
    const int edges = targets.size();
    unsigned long long expected = 0, dense_expected = 0;
    std::vector<char> mark(vertices);
    for (int u = 0; u < vertices; u++) {
        for (int v : lists[u])
            mark[v] = 1;
        for (int v : lists[u])
            for (int w : lists[v])
                expected += mark[w];
        for (int v : lists[u])
            mark[v] = 0;
    }
    std::vector<unsigned long long> rows(n * n / 64);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++)
            if (random.below(5) < 2) {
                rows[u * (n / 64) + v / 64] |= 1ull << v % 64;
                rows[v * (n / 64) + u / 64] |= 1ull << u % 64;
            }
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++)
            if (rows[u * (n / 64) + v / 64] >> v % 64 & 1)
                for (int w = 0; w < n / 64; w++)
                    dense_expected +=
                        __builtin_popcountll(rows[u * (n / 64) + w] & rows[v * (n / 64) + w]);
    Graph g = {copy(begins), copy(targets), vertices, edges};
    int *from = copy(sources);
    unsigned long long *row = copy(rows), *total = room<unsigned long long>(1);
    auto reset = [&] { fill(total, 1, 0); };
    auto check = [&] { return (long)(fetch(total, 1)[0] != expected); };
    variant(
        "merged", "merged", reset, [&] { merged<<<(edges + 127) / 128, 128>>>(g, from, total); },
        check);
    variant(
        "searched", "searched", reset, [&] { searched<<<(edges + 7) / 8, 256>>>(g, from, total); },
        check);
    variant(
        "mapped", "mapped", reset, [&] { mapped<vertices / 32><<<vertices, 128>>>(g, total); },
        check);
    variant(
        "dense", "dense", reset,
        [&] { dense<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(row, n, total); },
        [&] { return (long)(fetch(total, 1)[0] != dense_expected); });
    return finish();
}
