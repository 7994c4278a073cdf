// A tree of boxes made by sorted codes of places: the codes, the inner nodes all at once, boxes
// from the leaves upwards where the second child goes on, and boxes of the lowest levels by
// shuffles.
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

__host__ __device__ inline uint32_t spread(uint32_t v)
{
    v = (v * 0x00010001u) & 0xff0000ffu;
    v = (v * 0x00000101u) & 0x0f00f00fu;
    v = (v * 0x00000011u) & 0xc30c30c3u;
    return (v * 0x00000005u) & 0x49249249u;
}

__host__ __device__ inline uint32_t code_of(float x, float y, float z)
{
    uint32_t a = fminf(x * 1024, 1023), b = fminf(y * 1024, 1023), c = fminf(z * 1024, 1023);
    return spread(a) << 2 | spread(b) << 1 | spread(c);
}

__global__ void codes(const float *__restrict__ x, uint32_t *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = code_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

struct Inner {
    int left, right; // leaves: ~i
};

struct Bits {
    const uint32_t *code;
    int count;
    __device__ int operator()(int i, int j) const // in common
    {
        if (j < 0 || j >= count)
            return -1;
        uint32_t a = code[i], b = code[j];
        return a == b ? 32 + __clz(i ^ j) : __clz(a ^ b);
    }
};

__global__ void inner_nodes(const uint32_t *__restrict__ code, int count, Inner *__restrict__ node,
                            int *__restrict__ parent)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count - 1)
        return;
    Bits common = {code, count};
    int d = common(i, i + 1) > common(i, i - 1) ? 1 : -1, least = common(i, i - d), length = 2;
    while (common(i, i + length * d) > least)
        length *= 2;
    int far = 0;
    for (int t = length / 2; t; t /= 2)
        if (common(i, i + (far + t) * d) > least)
            far += t;
    int j = i + far * d, here = common(i, j), split = 0;
    for (int t = (far + 1) / 2;; t = (t + 1) / 2) {
        if (common(i, i + (split + t) * d) > here)
            split += t;
        if (t <= 1)
            break;
    }
    int middle = i + split * d + min(d, 0), low = min(i, j), high = max(i, j);
    Inner n = {low == middle ? ~middle : middle, high == middle + 1 ? ~(middle + 1) : middle + 1};
    node[i] = n;
    parent[n.left < 0 ? count - 1 + ~n.left : n.left] = i;
    parent[n.right < 0 ? count - 1 + ~n.right : n.right] = i;
}

struct Box {
    float low[3], high[3];
};

__global__ void boxes(const Inner *__restrict__ node, const int *__restrict__ parent,
                      const Box *__restrict__ leaf, int count, Box *box, int *arrived)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    for (int n = parent[count - 1 + i]; n >= 0; n = parent[n]) {
        __threadfence();
        if (atomicAdd(&arrived[n], 1) == 0)
            return;
        __threadfence();
        Inner mine = node[n];
        const Box *a = mine.left < 0 ? &leaf[~mine.left] : &box[mine.left],
                  *b = mine.right < 0 ? &leaf[~mine.right] : &box[mine.right];
        Box all;
        for (int c = 0; c < 3; c++) {
            all.low[c] =
                fminf(((volatile const Box *)a)->low[c], ((volatile const Box *)b)->low[c]);
            all.high[c] =
                fmaxf(((volatile const Box *)a)->high[c], ((volatile const Box *)b)->high[c]);
        }
        box[n] = all;
    }
}

// groups of 32 leaves side by side: a box of each, and one of all
__global__ void group_boxes(const float *__restrict__ x, int count, float radius,
                            Box *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    for (int c = 0; c < 3; c++) {
        float low = i < count ? x[3 * i + c] - radius : 1e30f,
              high = i < count ? x[3 * i + c] + radius : -1e30f;
        for (int step = 16; step; step /= 2) {
            low = fminf(low, __shfl_down_sync(~0u, low, step));
            high = fmaxf(high, __shfl_down_sync(~0u, high, step));
        }
        if (lane == 0 && i < count) {
            out[i / 32].low[c] = low;
            out[i / 32].high[c] = high;
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 18, many = 3 << 20;
    const float radius = 0.001f;
    Lcg random(359);
    std::vector<float> places(3 * (size_t)many);
    for (size_t i = 0; i < places.size(); i++)
        places[i] = i % 3 == 2 ? random.unit() * random.unit() : random.unit();
    std::vector<uint32_t> sorted(count);
    std::vector<Box> leaves(count);
    std::vector<std::pair<uint32_t, int>> order(count);
    for (int i = 0; i < count; i++)
        order[i] = {code_of(places[3 * i], places[3 * i + 1], places[3 * i + 2]), i};
    std::sort(order.begin(), order.end());
    for (int i = 0; i < count; i++) {
        sorted[i] = order[i].first;
        for (int c = 0; c < 3; c++) {
            leaves[i].low[c] = places[3 * order[i].second + c] - radius;
            leaves[i].high[c] = places[3 * order[i].second + c] + radius;
        }
    }
    // the tree as the host makes it: ranges that are split at the highest bit that differs
    std::vector<Inner> nodes(count - 1);
    std::vector<int> parents(2 * count - 1, -1), todo = {0};
    std::vector<std::pair<int, int>> range(count - 1);
    range[0] = {0, count - 1};
    auto common = [&](int i, int j) {
        return sorted[i] == sorted[j] ? 32 + __builtin_clz(i ^ j)
                                      : __builtin_clz(sorted[i] ^ sorted[j]);
    };
    while (!todo.empty()) {
        int n = todo.back(), low = range[n].first, high = range[n].second, all = common(low, high),
            a = low, b = high;
        todo.pop_back();
        while (b - a > 1)
            (common(low, (a + b) / 2) > all ? a : b) = (a + b) / 2;
        nodes[n] = {a == low ? ~a : a, b == high ? ~b : b};
        parents[a == low ? count - 1 + a : a] = parents[b == high ? count - 1 + b : b] = n;
        if (a != low) {
            range[a] = {low, a};
            todo.push_back(a);
        }
        if (b != high) {
            range[b] = {b, high};
            todo.push_back(b);
        }
    }
    float *x = copy(places);
    uint32_t *code = copy(sorted), *out = room<uint32_t>(many);
    Inner *given = copy(nodes), *node = room<Inner>(count - 1);
    int *given_parent = copy(parents), *parent = room<int>(2 * count - 1),
        *arrived = room<int>(count - 1);
    Box *leaf = copy(leaves), *box = room<Box>(count - 1);
    auto reset = [&] {
        fill(out, many, 0xff);
        fill(node, count - 1, 0x77);
        fill(parent, 2 * count - 1, 0xff);
        fill(arrived, count - 1, 0);
        fill(box, count - 1, 0xff);
    };
    variant(
        "codes", "codes", reset, [&] { codes<<<many / 256, 256>>>(x, out, many); },
        [&] {
            return differ(out, many, 1, 0, [&](size_t i) {
                return code_of(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
            });
        });
    variant(
        "nodes", "inner_nodes", reset,
        [&] { inner_nodes<<<count / 128, 128>>>(code, count, node, parent); },
        [&] {
            return differ(
                       (const int *)node, 2 * (size_t)(count - 1), 1, 0,
                       [&](size_t i) { return i % 2 ? nodes[i / 2].right : nodes[i / 2].left; }) +
                   differ(parent, 2 * count - 1, 1, 0, [&](size_t i) { return parents[i]; });
        });
    variant(
        "boxes", "boxes", reset,
        [&] { boxes<<<count / 256, 256>>>(given, given_parent, leaf, count, box, arrived); },
        [&] {
            std::vector<float> got = fetch((const float *)box, 6 * (size_t)(count - 1));
            long bad = 0;
            for (int n = 0; n < count - 1; n += n < 64 ? 1 : 37)
                for (int c = 0; c < 6; c++) {
                    float v = c < 3 ? 1e30f : -1e30f;
                    for (int i = range[n].first; i <= range[n].second; i++)
                        v = c < 3 ? std::min(v, leaves[i].low[c])
                                  : std::max(v, leaves[i].high[c - 3]);
                    bad += got[6 * (size_t)n + c] != v;
                }
            return bad;
        });
    variant(
        "groups", "group_boxes", reset,
        [&] { group_boxes<<<many / 256, 256>>>(x, many, radius, box); },
        [&] {
            return differ((const float *)box, 6 * many / 32, 1, 0, [&](size_t k) {
                int c = k % 6;
                float v = c < 3 ? 1e30f : -1e30f;
                for (size_t i = k / 6 * 32; i < k / 6 * 32 + 32; i++)
                    v = c < 3 ? std::min(v, places[3 * i + c] - radius)
                              : std::max(v, places[3 * i + c - 3] + radius);
                return v;
            });
        });
    return finish();
}
