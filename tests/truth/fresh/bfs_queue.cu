// One level of a breadth-first search: a thread a vertex, with the block's own queue, a warp a vertex, and from below
// without a queue.
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

__global__ void expand_thread(const int *first, const int *target, const int *queue, int size, int level, int *depth,
                              int *next, int *tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    for (int k = first[queue[i]]; k < first[queue[i] + 1]; k++)
        if (atomicCAS(&depth[target[k]], -1, level) == -1)
            next[atomicAdd(tail, 1)] = target[k];
}

__global__ void expand_block(const int *first, const int *target, const int *queue, int size, int level, int *depth,
                             int *next, int *tail)
{
    __shared__ int found[2048], number, base;
    if (threadIdx.x == 0)
        number = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        for (int k = first[queue[i]]; k < first[queue[i] + 1]; k++) {
            int vertex = target[k];
            if (depth[vertex] != -1 || atomicCAS(&depth[vertex], -1, level) != -1)
                continue;
            int at = atomicAdd(&number, 1);
            if (at < 2048)
                found[at] = vertex;
            else
                next[atomicAdd(tail, 1)] = vertex;
        }
    __syncthreads();
    int kept = min(number, 2048);
    if (threadIdx.x == 0)
        base = atomicAdd(tail, kept);
    __syncthreads();
    for (int k = threadIdx.x; k < kept; k += blockDim.x)
        next[base + k] = found[k];
}

__global__ void expand_warp(const int *first, const int *target, const int *queue, int size, int level, int *depth,
                            int *next, int *tail)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= size)
        return;
    int begin = first[queue[i]], end = first[queue[i] + 1];
    for (int k = begin; k < end; k += 32) {
        int vertex = k + lane < end ? target[k + lane] : -1;
        bool fresh = vertex >= 0 && depth[vertex] == -1 && atomicCAS(&depth[vertex], -1, level) == -1;
        unsigned all = __ballot_sync(~0u, fresh);
        int base = 0;
        if (lane == 0 && all)
            base = atomicAdd(tail, __popc(all));
        base = __shfl_sync(~0u, base, 0);
        if (fresh)
            next[base + __popc(all & ((1u << lane) - 1))] = vertex;
    }
}

__global__ void from_below(const int *first, const int *target, int vertices, int level, int *depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || depth[v] != -1)
        return;
    for (int k = first[v]; k < first[v + 1]; k++)
        if (depth[target[k]] == level - 1) {
            depth[v] = level;
            return;
        }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int vertices = 1 << 18, pairs = vertices * 5;
    Lcg random(27);
    // both directions of random pairs whose first end prefers small numbers
    std::vector<int> from(pairs), to(pairs), first(vertices + 1), target(2 * pairs);
    for (int i = 0; i < pairs; i++) {
        float u = random.unit();
        from[i] = (int)(u * (0.05f + 0.95f * u) * (vertices - 1));
        to[i] = random.below(vertices);
        first[from[i] + 1]++;
        first[to[i] + 1]++;
    }
    for (int v = 0; v < vertices; v++)
        first[v + 1] += first[v];
    std::vector<int> place(first.begin(), first.end() - 1);
    for (int i = 0; i < pairs; i++) {
        target[place[from[i]]++] = to[i];
        target[place[to[i]]++] = from[i];
    }
    std::vector<int> before(vertices, -1), queue(1, vertices / 2), after;
    before[queue[0]] = 0;
    int level = 1;
    for (;; level++) {
        std::vector<int> next;
        after = before;
        for (int v : queue)
            for (int k = first[v]; k < first[v + 1]; k++)
                if (after[target[k]] == -1) {
                    after[target[k]] = level;
                    next.push_back(target[k]);
                }
        if (queue.size() > 15000 || next.empty())
            break;
        before = after;
        queue = next;
    }
    int size = queue.size(), reached = std::count(after.begin(), after.end(), level);
    int *df = copy(first), *dt = copy(target), *dq = copy(queue), *depth = copy(before), *next = room<int>(vertices),
        *tail = room<int>(1);
    auto reset = [&] {
        put(depth, before);
        fill(next, vertices, 0xff);
        fill(tail, 1, 0);
    };
    auto check_depth = [&] { return differ(depth, vertices, 1, 0, [&](size_t v) { return after[v]; }); };
    auto check = [&] {
        if (fetch(tail, 1)[0] != reached)
            return 1L;
        std::vector<int> got = fetch(next, reached);
        std::sort(got.begin(), got.end());
        long bad = std::unique(got.begin(), got.end()) != got.end();
        for (int v : got)
            bad += v < 0 || after[v] != level;
        return bad + check_depth();
    };
    variant(
        "thread", "expand_thread", reset,
        [&] { expand_thread<<<(size + 127) / 128, 128>>>(df, dt, dq, size, level, depth, next, tail); }, check);
    variant(
        "block", "expand_block", reset,
        [&] { expand_block<<<(size + 255) / 256, 256>>>(df, dt, dq, size, level, depth, next, tail); }, check);
    variant(
        "warp", "expand_warp", reset,
        [&] { expand_warp<<<(size + 7) / 8, 256>>>(df, dt, dq, size, level, depth, next, tail); }, check);
    variant(
        "below", "from_below", reset, [&] { from_below<<<vertices / 256, 256>>>(df, dt, vertices, level, depth); },
        check_depth);
    return finish();
}
