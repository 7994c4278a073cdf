// Clusters by density (DBSCAN) of points in the plane: neighbours counted over all pairs through
// shared memory, neighbours counted in the nine cells around by a thread each and by a warp a cell,
// and one round in which dense points take the smallest label around.
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

constexpr int GRID = 256;
constexpr float RADIUS = 1.f / GRID;

__host__ __device__ inline bool close(float2 a, float2 b, float radius)
{
#ifdef __CUDA_ARCH__
    float dx = __fsub_rn(a.x, b.x), dy = __fsub_rn(a.y, b.y);
    return __fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)) < radius * radius;
#else
    volatile float dx = a.x - b.x, dy = a.y - b.y, xx = dx * dx, yy = dy * dy, sum = xx + yy;
    return sum < radius * radius;
#endif
}

__global__ void __launch_bounds__(96)
    pairs(const float2 *__restrict__ points, int *counts, int count, int part, float radius)
{
    __shared__ float2 tile[96];
    int i = blockIdx.x * 96 + threadIdx.x, near = 0;
    float2 mine = points[i];
    for (int base = blockIdx.y * part; base < (blockIdx.y + 1) * part; base += 96) {
        __syncthreads();
        tile[threadIdx.x] = points[base + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 96; k++)
            near += close(mine, tile[k], radius);
    }
    atomicAdd(counts + i, near);
}

// points are sorted by cells; rows of three cells are one range
__global__ void cells(const float2 *__restrict__ points, const int *__restrict__ start,
                      int *__restrict__ counts, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, near = 0;
    if (i >= count)
        return;
    float2 mine = points[i];
    int cx = mine.x * GRID, cy = mine.y * GRID;
    for (int y = max(cy - 1, 0); y <= min(cy + 1, GRID - 1); y++) {
        int end = start[y * GRID + min(cx + 1, GRID - 1) + 1];
        for (int k = start[y * GRID + max(cx - 1, 0)]; k < end; k++)
            near += close(mine, points[k], RADIUS);
    }
    counts[i] = near;
}

// lanes take the candidates, points of the cell one after the other
__global__ void cell_warps(const float2 *__restrict__ points, const int *__restrict__ start,
                           int *__restrict__ counts)
{
    int cell = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32,
        cx = cell % GRID, cy = cell / GRID, first = start[cell], last = start[cell + 1];
    for (int i = first; i < last; i++) {
        float2 mine = points[i];
        int near = 0;
        for (int y = max(cy - 1, 0); y <= min(cy + 1, GRID - 1); y++) {
            int end = start[y * GRID + min(cx + 1, GRID - 1) + 1];
            for (int k = start[y * GRID + max(cx - 1, 0)] + lane; k < end; k += 32)
                near += close(mine, points[k], RADIUS);
        }
        near = __reduce_add_sync(~0u, near);
        if (lane == 0)
            counts[i] = near;
    }
}

__global__ void labels(const float2 *__restrict__ points, const int *__restrict__ start,
                       const int *__restrict__ counts, const int *__restrict__ old,
                       int *__restrict__ out, int least, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int label = old[i];
    if (counts[i] >= least) {
        float2 mine = points[i];
        int cx = mine.x * GRID, cy = mine.y * GRID;
        for (int y = max(cy - 1, 0); y <= min(cy + 1, GRID - 1); y++)
            for (int k = start[y * GRID + max(cx - 1, 0)];
                 k < start[y * GRID + min(cx + 1, GRID - 1) + 1]; k++)
                if (counts[k] >= least && close(mine, points[k], RADIUS))
                    label = min(label, old[k]);
    }
    out[i] = label;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(71);
    const int count = 160000, few = 6144, parts = 8, least = 8;
    const float wide = 0.05f;
    std::vector<float2> all(count), points(count);
    for (int i = 0; i < count; i++)
        if (i % 2) {
            float x = random.unit() + random.unit() - 1, y = random.unit() + random.unit() - 1;
            int blob = random.below(40);
            all[i] =
                make_float2(std::clamp(0.1f + blob * 13 % 40 * 0.02f + x * 0.08f, 0.f, 0.9999f),
                            std::clamp(0.1f + blob * 0.02f + y * 0.08f, 0.f, 0.9999f));
        } else
            all[i] = make_float2(random.unit(), random.unit());
    std::vector<int> start(GRID * GRID + 1), next, counts(count), old(count);
    auto cell = [](float2 p) { return (int)(p.y * GRID) * GRID + (int)(p.x * GRID); };
    for (float2 p : all)
        start[cell(p) + 1]++;
    for (int i = 0; i < GRID * GRID; i++)
        start[i + 1] += start[i];
    next = start;
    for (float2 p : all)
        points[next[cell(p)]++] = p;
    auto around = [&](int i, auto each) {
        int cx = points[i].x * GRID, cy = points[i].y * GRID;
        for (int y = std::max(cy - 1, 0); y <= std::min(cy + 1, GRID - 1); y++)
            for (int x = std::max(cx - 1, 0); x <= std::min(cx + 1, GRID - 1); x++)
                for (int k = start[y * GRID + x]; k < start[y * GRID + x + 1]; k++)
                    if (close(points[i], points[k], RADIUS))
                        each(k);
    };
    for (int i = 0; i < count; i++) {
        around(i, [&](int) { counts[i]++; });
        old[i] = random.below(count);
    }
    float2 *A = copy(all), *P = copy(points);
    int *S = copy(start), *C = copy(counts), *O = copy(old), *out = room<int>(count);
    auto wiped = [&] { fill(out, count, 0xff); };
    auto zero = [&] { fill(out, count, 0); };
    auto check = [&] { return differ(out, count, 1, 0, [&](size_t i) { return counts[i]; }); };
    variant(
        "pairs", "pairs", zero,
        [&] { pairs<<<dim3(few / 96, parts), 96>>>(A, out, few, few / parts, wide); },
        [&] {
            return differ(out, few, 3, 0, [&](size_t i) {
                int near = 0;
                for (int k = 0; k < few; k++)
                    near += close(all[i], all[k], wide);
                return near;
            });
        });
    variant(
        "cells", "cells", wiped, [&] { cells<<<(count + 127) / 128, 128>>>(P, S, out, count); },
        check);
    variant(
        "cell_warps", "cell_warps", wiped, [&] { cell_warps<<<GRID * GRID / 8, 256>>>(P, S, out); },
        check);
    variant(
        "labels", "labels", wiped,
        [&] { labels<<<(count + 191) / 192, 192>>>(P, S, C, O, out, least, count); },
        [&] {
            return differ(out, count, 1, 0, [&](size_t i) {
                int label = old[i];
                if (counts[i] >= least)
                    around(i, [&](int k) {
                        if (counts[k] >= least)
                            label = std::min(label, old[k]);
                    });
                return label;
            });
        });
    return finish();
}
