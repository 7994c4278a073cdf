// A round of shortest paths: an edge a thread, a vertex a thread with what changed, a warp a
// vertex, pulling, and a grid relaxed in shared memory until nothing changes.
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

struct Graph {
    const int *begin, *to, *weight;
    int vertices;
};

__global__ void by_edges(const int *__restrict__ from, const int *__restrict__ to,
                         const int *__restrict__ weight, int edges, const int *__restrict__ known,
                         int *__restrict__ distance)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges && known[from[e]] < 1 << 29)
        atomicMin(&distance[to[e]], known[from[e]] + weight[e]);
}

__global__ void by_vertices(Graph g, const uint8_t *__restrict__ changed,
                            const int *__restrict__ known, int *__restrict__ distance,
                            uint8_t *__restrict__ next)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices || !changed[v])
        return;
    int mine = known[v], end = g.begin[v + 1];
    for (int e = g.begin[v]; e < end; e++) {
        int to = g.to[e], length = mine + g.weight[e];
        if (length < distance[to] && atomicMin(&distance[to], length) > length)
            next[to] = 1;
    }
}

__global__ void by_warps(Graph g, const int *__restrict__ list, int many,
                         const int *__restrict__ known, int *__restrict__ distance)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= many)
        return;
    int v = list[i], mine = known[v];
    for (int e = g.begin[v] + threadIdx.x % 32; e < g.begin[v + 1]; e += 32)
        atomicMin(&distance[g.to[e]], mine + g.weight[e]);
}

// begin, to: edges into a vertex
__global__ void by_pulling(Graph g, const int *__restrict__ known, int *__restrict__ distance)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    int best = 1 << 29;
    if (v < g.vertices)
        for (int e = g.begin[v] + lane; e < g.begin[v + 1]; e += 4)
            best = min(best, known[g.to[e]] + g.weight[e]);
    best = min(best, __shfl_xor_sync(~0u, best, 1));
    best = min(best, __shfl_xor_sync(~0u, best, 2));
    if (v < g.vertices && lane == 0)
        distance[v] = min(known[v], best);
}

// a block has a map of 32 x 32 costs; from its corner
__global__ void on_maps(const int *__restrict__ cost, int *__restrict__ distance)
{
    __shared__ int d[34][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1,
        i = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x, mine = cost[i];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 34 * 34; k += 1024)
        d[k / 34][k % 34] = 1 << 29;
    __syncthreads();
    if (x == 1 && y == 1)
        d[1][1] = 0;
    bool changed;
    do {
        __syncthreads();
        int best = min(min(d[y][x - 1], d[y][x + 1]), min(d[y - 1][x], d[y + 1][x])) + mine;
        changed = best < d[y][x];
        __syncthreads();
        if (changed)
            d[y][x] = best;
    } while (__syncthreads_or(changed));
    distance[i] = d[y][x];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int vertices = 1 << 17, edges = 12 * vertices, maps = 264;
    Lcg random(269);
    std::vector<int> from(edges), to(edges), weight(edges), begins(vertices + 1), targets(edges),
        weights(edges), into(vertices + 1), sources(edges), into_weights(edges),
        known(vertices, 1 << 29), list, costs(maps * 1024);
    std::vector<uint8_t> marks(vertices);
    for (int e = 0; e < edges; e++) {
        from[e] = random.below(vertices);
        if (random.below(4) == 0)
            from[e] = (int64_t)from[e] * from[e] / vertices; // more edges from low ones
        to[e] = random.below(vertices);
        weight[e] = 1 + random.below(100);
        begins[from[e] + 1]++;
        into[to[e] + 1]++;
    }
    for (int v = 0; v < vertices; v++) {
        begins[v + 1] += begins[v];
        into[v + 1] += into[v];
        if (random.below(3) == 0) {
            known[v] = random.below(500);
            marks[v] = random.below(2);
            list.push_back(v);
        }
    }
    std::vector<int> at = begins, in_at = into;
    for (int e = 0; e < edges; e++) {
        targets[at[from[e]]] = to[e];
        weights[at[from[e]]++] = weight[e];
        sources[in_at[to[e]]] = from[e];
        into_weights[in_at[to[e]]++] = weight[e];
    }
    for (int &c : costs)
        c = 1 + random.below(50);
    std::vector<int> all = known, marked = known;
    for (int e = 0; e < edges; e++)
        if (known[from[e]] < 1 << 29) {
            all[to[e]] = std::min(all[to[e]], known[from[e]] + weight[e]);
            if (marks[from[e]])
                marked[to[e]] = std::min(marked[to[e]], known[from[e]] + weight[e]);
        }
    Graph g = {copy(begins), copy(targets), copy(weights), vertices},
          back = {copy(into), copy(sources), copy(into_weights), vertices};
    int *f = copy(from), *t = copy(to), *w = copy(weight), *old = copy(known),
        *distance = room<int>(std::max(vertices, maps * 1024)), *some = copy(list),
        *cost = copy(costs);
    uint8_t *mark = copy(marks), *next = room<uint8_t>(vertices);
    auto reset = [&] {
        put(distance, known);
        fill(next, vertices, 0);
    };
    auto check = [&](const std::vector<int> &expected) {
        return differ(distance, vertices, 1, 0, [&](size_t v) { return expected[v]; });
    };
    variant(
        "edges", "by_edges", reset,
        [&] { by_edges<<<edges / 256, 256>>>(f, t, w, edges, old, distance); },
        [&] { return check(all); });
    variant(
        "vertices", "by_vertices", reset,
        [&] { by_vertices<<<vertices / 128, 128>>>(g, mark, old, distance, next); },
        [&] {
            std::vector<uint8_t> got = fetch(next, vertices);
            long bad = 0;
            for (int v = 0; v < vertices; v++)
                bad += got[v] != (marked[v] < known[v]);
            return bad + check(marked);
        });
    variant(
        "warps", "by_warps", reset,
        [&] { by_warps<<<(list.size() + 3) / 4, 128>>>(g, some, list.size(), old, distance); },
        [&] { return check(all); });
    variant(
        "pulling", "by_pulling", reset,
        [&] { by_pulling<<<vertices / 64, 256>>>(back, old, distance); },
        [&] { return check(all); });
    variant(
        "maps", "on_maps", [&] { fill(distance, maps * 1024, 0xff); },
        [&] { on_maps<<<maps, dim3(32, 32)>>>(cost, distance); },
        [&] {
            std::vector<int> got = fetch(distance, maps * 1024);
            long bad = 0;
            for (int m = 0; m < maps; m++) {
                std::vector<int> d(1024, 1 << 29);
                d[0] = 0;
                for (bool changed = true; changed;) {
                    changed = false;
                    for (int i = 0; i < 1024; i++) {
                        int best = d[i];
                        if (i % 32)
                            best = std::min(best, d[i - 1] + costs[m * 1024 + i]);
                        if (i % 32 < 31)
                            best = std::min(best, d[i + 1] + costs[m * 1024 + i]);
                        if (i >= 32)
                            best = std::min(best, d[i - 32] + costs[m * 1024 + i]);
                        if (i < 992)
                            best = std::min(best, d[i + 32] + costs[m * 1024 + i]);
                        changed |= best < d[i];
                        d[i] = best;
                    }
                }
                for (int i = 0; i < 1024; i++)
                    bad += got[m * 1024 + i] != d[i];
            }
            return bad;
        });
    return finish();
}
