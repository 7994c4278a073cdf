// Searching 4 Mi sorted numbers: by halves for questions in any order and in order, in a tree by layers, with a whole
// warp a question.
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

// how many numbers are smaller than the question
__global__ void search_halves(const uint32_t *sorted, int count, const uint32_t *question, int asked, int *place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= asked)
        return;
    uint32_t wanted = question[i];
    int low = 0, length = count;
    while (length > 0) {
        int half = length / 2;
        if (sorted[low + half] < wanted) {
            low += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    place[i] = low;
}

// node n has the children 2 n and 2 n + 1; the answer is the node of the least number that is not smaller
__global__ void search_tree(const uint32_t *tree, int count, const uint32_t *question, int asked, int *node)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= asked)
        return;
    uint32_t wanted = question[i], n = 1;
    while (n <= count)
        n = 2 * n + (tree[n] < wanted);
    node[i] = n >> __ffs(~n);
}

__global__ void search_warp(const uint32_t *sorted, int count, const uint32_t *question, int asked, int *place)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= asked)
        return;
    uint32_t wanted = question[i];
    int low = 0, length = count;
    while (length > 32) {
        int part = (length + 31) / 32, at = low + (lane + 1) * part - 1;
        bool smaller = (lane + 1) * part <= length && sorted[at] < wanted;
        int whole = __popc(__ballot_sync(~0u, smaller));
        low += whole * part;
        length = min(part, length - whole * part);
    }
    low += __popc(__ballot_sync(~0u, lane < length && sorted[low + lane] < wanted));
    if (lane == 0)
        place[i] = low;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = (1 << 22) - 1, asked = 1 << 19, fewer = 1 << 16;
    Lcg random(52);
    std::vector<uint32_t> sorted(count), tree(count + 1), question(asked);
    for (int i = 0, value = 0; i < count; i++)
        sorted[i] = value += random.below(900);
    for (uint32_t &wanted : question)
        wanted = random.below(sorted.back());
    std::vector<uint32_t> ordered = question;
    std::sort(ordered.begin(), ordered.end());
    // the tree is full: layer by layer every second of what is left
    for (int layer = 1, step = 1 << 21; step; layer *= 2, step /= 2)
        for (int n = 0; n < layer; n++)
            tree[layer + n] = sorted[(2 * n + 1) * step - 1];
    auto answer = [&](uint32_t wanted) {
        return (int)(std::lower_bound(sorted.begin(), sorted.end(), wanted) - sorted.begin());
    };
    uint32_t *ds = copy(sorted), *dt = copy(tree), *dq = copy(question), *in_order = copy(ordered);
    int *place = room<int>(asked);
    auto clear = [&] { fill(place, asked, 0xff); };
    variant(
        "halves", "search_halves", clear, [&] { search_halves<<<asked / 256, 256>>>(ds, count, dq, asked, place); },
        [&] { return differ(place, asked, 7, 0, [&](size_t i) { return answer(question[i]); }); });
    variant(
        "in_order", "search_halves", clear,
        [&] { search_halves<<<asked / 256, 256>>>(ds, count, in_order, asked, place); },
        [&] { return differ(place, asked, 7, 0, [&](size_t i) { return answer(ordered[i]); }); });
    variant(
        "tree", "search_tree", clear, [&] { search_tree<<<asked / 128, 128>>>(dt, count, dq, asked, place); },
        [&] {
            std::vector<int> got = fetch(place, asked);
            long bad = 0;
            for (int i = 0; i < asked; i += 7)
                bad += got[i] < 1 || got[i] > count || tree[got[i]] != sorted[answer(question[i])];
            return bad;
        });
    variant(
        "warp", "search_warp", clear, [&] { search_warp<<<fewer / 8, 256>>>(ds, count, dq, fewer, place); },
        [&] { return differ(place, fewer, 7, 0, [&](size_t i) { return answer(question[i]); }); });
    return finish();
}
