// Nearest points by a k-d tree: questions in any order, questions sorted by place, the eight
// nearest, and how many are near.
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

// a balanced tree in an array: node n has children 2 n + 1 and 2 n + 2, and splits along the
// dimension of its level
struct Tree {
    const float *x, *y, *z;
    int nodes;
};

__device__ float apart(const Tree &t, int n, float3 q)
{
    float dx = t.x[n] - q.x, dy = t.y[n] - q.y, dz = t.z[n] - q.z;
    return dx * dx + dy * dy + dz * dz;
}

__device__ float side(const Tree &t, int n, float3 q)
{
    int axis = (31 - __clz(n + 1)) % 3;
    return axis == 0 ? q.x - t.x[n] : axis == 1 ? q.y - t.y[n] : q.z - t.z[n];
}

template <class Bound, class Visit>
__device__ void walk(const Tree &t, float3 q, Bound bound, Visit visit)
{
    int stack[24], depth = 0, n = 0;
    float away[24];
    for (;;) {
        while (n < t.nodes) {
            visit(n, apart(t, n, q));
            float s = side(t, n, q);
            away[depth] = s * s;
            stack[depth++] = 2 * n + (s < 0 ? 2 : 1);
            n = 2 * n + (s < 0 ? 1 : 2);
        }
        do {
            if (!depth)
                return;
            depth--;
        } while (away[depth] > bound());
        n = stack[depth];
    }
}

__global__ void nearest(Tree tree, const float3 *__restrict__ query, int queries,
                        float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    float best = 1e30f;
    walk(
        tree, query[i], [&] { return best; }, [&](int, float d) { best = fminf(best, d); });
    out[i] = best;
}

__global__ void nearest8(Tree tree, const float3 *__restrict__ query, int queries,
                         float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    float best[8];
    for (float &b : best)
        b = 1e30f;
    walk(
        tree, query[i], [&] { return best[7]; },
        [&](int, float d) {
            if (d >= best[7])
                return;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                float low = fminf(best[k], d);
                d = fmaxf(best[k], d);
                best[k] = low;
            }
        });
    for (int k = 0; k < 8; k++)
        out[k * queries + i] = best[k];
}

__global__ void near_count(Tree tree, const float3 *__restrict__ query, int queries, float radius2,
                           int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    int found = 0;
    walk(
        tree, query[i], [&] { return radius2; }, [&](int, float d) { found += d < radius2; });
    out[i] = found;
}

static void build(std::vector<float3> &in, int from, int to, int n, int axis,
                  std::vector<float3> &out)
{
    if (from >= to)
        return;
    // the left side of a complete tree
    int count = to - from, full = 1;
    while (2 * full <= count)
        full *= 2;
    int left = count == 1 ? 0 : full / 2 - 1 + std::min(count - full + 1, full / 2);
    auto of = [&](const float3 &p) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; };
    std::nth_element(in.begin() + from, in.begin() + from + left, in.begin() + to,
                     [&](const float3 &a, const float3 &b) { return of(a) < of(b); });
    out[n] = in[from + left];
    build(in, from, from + left, 2 * n + 1, (axis + 1) % 3, out);
    build(in, from + left + 1, to, 2 * n + 2, (axis + 1) % 3, out);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int points = 200000, queries = 32768;
    const float radius2 = 0.0009f;
    Lcg random(263);
    std::vector<float3> cloud(points), nodes(points), asked(queries), sorted;
    for (float3 &p : cloud)
        p = {random.unit(), random.unit(), random.unit() * random.unit()};
    for (float3 &q : asked)
        q = {random.unit(), random.unit(), random.unit()};
    sorted = asked;
    auto cell = [](const float3 &q) {
        uint32_t key = 0;
        for (int b = 5; b >= 0; b--)
            key = key << 3 | ((int)(q.x * 64) >> b & 1) << 2 | ((int)(q.y * 64) >> b & 1) << 1 |
                  ((int)(q.z * 64) >> b & 1);
        return key;
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const float3 &a, const float3 &b) { return cell(a) < cell(b); });
    std::vector<float3> work = cloud;
    build(work, 0, points, 0, 0, nodes);
    std::vector<float> xs, ys, zs;
    for (const float3 &p : nodes) {
        xs.push_back(p.x);
        ys.push_back(p.y);
        zs.push_back(p.z);
    }
    Tree tree = {copy(xs), copy(ys), copy(zs), points};
    float3 *mixed = copy(asked), *ordered = copy(sorted);
    float *out = room<float>(8 * queries);
    int *count = room<int>(queries);
    auto wiped = [&] {
        fill(out, 8 * queries, 0xff);
        fill(count, queries, 0xff);
    };
    auto distances = [&](const float3 &q) {
        std::vector<float> d(points);
        for (int p = 0; p < points; p++) {
            double x = cloud[p].x - q.x, y = cloud[p].y - q.y, z = cloud[p].z - q.z;
            d[p] = x * x + y * y + z * z;
        }
        return d;
    };
    auto one = [&](const std::vector<float3> &from) {
        std::vector<float> got = fetch(out, queries);
        long bad = 0;
        for (int i = 0; i < queries; i += 331) {
            std::vector<float> d = distances(from[i]);
            bad += !(std::fabs(got[i] - *std::min_element(d.begin(), d.end())) <= 1e-7);
        }
        return bad;
    };
    variant(
        "mixed", "nearest", wiped,
        [&] { nearest<<<queries / 128, 128>>>(tree, mixed, queries, out); },
        [&] { return one(asked); });
    variant(
        "sorted", "nearest", wiped,
        [&] { nearest<<<queries / 128, 128>>>(tree, ordered, queries, out); },
        [&] { return one(sorted); });
    variant(
        "eight", "nearest8", wiped,
        [&] { nearest8<<<queries / 4 / 64, 64>>>(tree, ordered, queries / 4, out); },
        [&] {
            const int some = queries / 4;
            std::vector<float> got = fetch(out, 8 * some);
            long bad = 0;
            for (int i = 0; i < some; i += 211) {
                std::vector<float> d = distances(sorted[i]);
                std::partial_sort(d.begin(), d.begin() + 8, d.end());
                for (int k = 0; k < 8; k++)
                    bad += !(std::fabs(got[k * some + i] - d[k]) <= 1e-7);
            }
            return bad;
        });
    variant(
        "count", "near_count", wiped,
        [&] { near_count<<<queries / 2 / 256, 256>>>(tree, ordered, queries / 2, radius2, count); },
        [&] {
            std::vector<int> got = fetch(count, queries / 2, false);
            long bad = 0;
            for (int i = 0; i < queries / 2; i += 211) {
                std::vector<float> d = distances(sorted[i]);
                int low = 0, high = 0;
                for (float v : d) {
                    low += v < radius2 - 1e-8f;
                    high += v < radius2 + 1e-8f;
                }
                bad += got[i] < low || got[i] > high;
            }
            return bad;
        });
    return finish();
}
