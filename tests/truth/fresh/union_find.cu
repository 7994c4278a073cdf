// Connected components: joining the ends of random edges, joining neighbours of an image, and flattening a forest.
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

__device__ int root_of(volatile int *parent, int v)
{
    for (int up = parent[v]; up != v; up = parent[v]) {
        int higher = parent[up];
        if (higher != up)
            parent[v] = higher;
        v = up;
    }
    return v;
}

// the smaller root becomes the other's parent
__device__ void join(int *parent, int a, int b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b)
            return;
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        if (atomicCAS(&parent[a], a, b) == a)
            return;
    }
}

__global__ void join_edges(const int2 *edge, int edges, int *parent)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges)
        join(parent, edge[e].x, edge[e].y);
}

__global__ void join_pixels(const unsigned char *image, int width, int height, int *parent)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
    if (x >= width || y >= height)
        return;
    if (x > 0 && image[i] == image[i - 1])
        join(parent, i, i - 1);
    if (y > 0 && image[i] == image[i - width])
        join(parent, i, i - width);
}

__global__ void flatten(const int *parent, int count, int *root)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= count)
        return;
    int up = v;
    while (parent[up] != up)
        up = parent[up];
    root[v] = up;
}

struct Forest {
    std::vector<int> parent;
    explicit Forest(int count) : parent(count)
    {
        for (int i = 0; i < count; i++)
            parent[i] = i;
    }
    int root(int v)
    {
        while (parent[v] != v)
            v = parent[v] = parent[parent[v]];
        return v;
    }
    void join(int a, int b)
    {
        a = root(a);
        b = root(b);
        parent[std::max(a, b)] = std::min(a, b);
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    const int width = 1024, height = 512, count = width * height, edges = count;
    Lcg random(29);
    std::vector<int2> list(edges);
    std::vector<unsigned char> image(count);
    Forest alone(count), joined(count), labels(count), deep(count);
    for (int2 &edge : list) {
        edge = make_int2(random.below(count), random.below(count));
        joined.join(edge.x, edge.y);
    }
    for (int i = 0; i < count; i++) {
        image[i] = random.below(100) < 55;
        if (i % width && image[i] == image[i - 1])
            labels.join(i, i - 1);
        if (i >= width && image[i] == image[i - width])
            labels.join(i, i - width);
        deep.parent[i] = random.below(64) ? random.below(i + 1) : i;
    }
    std::vector<int> roots(count);
    for (int i = 0; i < count; i++)
        roots[i] = deep.parent[i] == i ? i : roots[deep.parent[i]];
    int2 *edge = copy(list);
    unsigned char *pixels = copy(image);
    int *parent = copy(alone.parent), *forest = copy(deep.parent), *root = room<int>(count);
    auto reset = [&] { put(parent, alone.parent); };
    auto check = [&](Forest &expected) {
        Forest got(0);
        got.parent = fetch(parent, count);
        long bad = 0;
        for (int i = 0; i < count; i++)
            bad += got.root(i) != expected.root(i);
        return bad;
    };
    variant(
        "edges", "join_edges", reset, [&] { join_edges<<<edges / 256, 256>>>(edge, edges, parent); },
        [&] { return check(joined); });
    variant(
        "pixels", "join_pixels", reset,
        [&] { join_pixels<<<dim3(width / 32, height / 4), dim3(32, 4)>>>(pixels, width, height, parent); },
        [&] { return check(labels); });
    variant(
        "flatten", "flatten", [&] { fill(root, count, 0xff); },
        [&] { flatten<<<count / 128, 128>>>(forest, count, root); },
        [&] { return differ(root, count, 1, 0, [&](size_t v) { return roots[v]; }); });
    return finish();
}
