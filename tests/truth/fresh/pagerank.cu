// One step of PageRank: a thread pulls for a vertex, eight lanes pull for a vertex, a thread pushes from a vertex, a
// thread an edge.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

template <int LANES>
__global__ void pull(int vertices, const int *first, const int *source, const float *share, float *rank)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (v >= vertices)
        return;
    float sum = 0;
    for (int k = first[v] + lane; k < first[v + 1]; k += LANES)
        sum += share[source[k]];
    for (int step = LANES / 2; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, LANES);
    if (lane == 0)
        rank[v] = 0.15f / vertices + 0.85f * sum;
}

__global__ void push(int vertices, const int *first, const int *target, const float *share, float *rank)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    float mine = 0.85f * share[v];
    for (int k = first[v]; k < first[v + 1]; k++)
        atomicAdd(&rank[target[k]], mine);
    atomicAdd(&rank[v], 0.15f / vertices);
}

__global__ void push_edges(int edges, const int2 *edge, const float *share, float *rank)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        atomicAdd(&rank[edge[e].y], 0.85f * share[edge[e].x]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int vertices = 1 << 18, edges = vertices * 10;
    Lcg random(28);
    std::vector<int2> list(edges);
    std::vector<int> in_first(vertices + 1), out_first(vertices + 1), source(edges), target(edges);
    for (int2 &edge : list) {
        float u = random.unit();
        edge = make_int2(random.below(vertices), (int)(u * (0.03f + 0.97f * u) * (vertices - 1)));
        out_first[edge.x + 1]++;
        in_first[edge.y + 1]++;
    }
    for (int v = 0; v < vertices; v++) {
        in_first[v + 1] += in_first[v];
        out_first[v + 1] += out_first[v];
    }
    std::vector<int> in_place = in_first, out_place = out_first;
    for (int2 edge : list) {
        source[in_place[edge.y]++] = edge.x;
        target[out_place[edge.x]++] = edge.y;
    }
    std::vector<float> share = random.floats(vertices);
    std::vector<double> sum(vertices);
    for (int2 edge : list)
        sum[edge.y] += share[edge.x];
    int *fi = copy(in_first), *si = copy(source), *fo = copy(out_first), *to = copy(target);
    int2 *de = copy(list);
    float *ds = copy(share), *rank = room<float>(vertices);
    auto clear = [&] { fill(rank, vertices, 0); };
    auto check = [&](double base) {
        return differ(rank, vertices, 1, 1e-3, [&](size_t v) { return base + 0.85 * sum[v]; });
    };
    double base = 0.15 / vertices;
    variant(
        "pull", "pull<1>", clear, [&] { pull<1><<<vertices / 256, 256>>>(vertices, fi, si, ds, rank); },
        [&] { return check(base); });
    variant(
        "pull8", "pull<8>", clear, [&] { pull<8><<<vertices * 8 / 256, 256>>>(vertices, fi, si, ds, rank); },
        [&] { return check(base); });
    variant(
        "push", "push", clear, [&] { push<<<vertices / 256, 256>>>(vertices, fo, to, ds, rank); },
        [&] { return check(base); });
    variant(
        "edges", "push_edges", clear, [&] { push_edges<<<edges / 256, 256>>>(edges, de, ds, rank); },
        [&] { return check(0); });
    return finish();
}
