// Layers of networks on graphs: means of neighbours' features with a warp a vertex and with atomics
// along edges, shares of edges by exponentials, a layer with its product on the way, and neighbours
// drawn by chance.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_fp16.h>
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

constexpr int COUNT = 32768, WIDE = 64, HEADS = 4;

__global__ void __launch_bounds__(128)
    mean_warp(const int *__restrict__ starts, const int *__restrict__ next,
              const float2 *__restrict__ features, float2 *__restrict__ out)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, end = starts[i + 1];
    float2 sum = {};
#pragma unroll 4
    for (int k = starts[i]; k < end; k++) {
        float2 v = features[next[k] * (WIDE / 2) + lane];
        sum.x += v.x, sum.y += v.y;
    }
    float share = 1.0f / max(end - starts[i], 1);
    out[i * (WIDE / 2) + lane] = make_float2(sum.x * share, sum.y * share);
}

// sixteen lanes an edge, four features each
__global__ void mean_edges(const int2 *__restrict__ edges, const int *__restrict__ starts,
                           const float4 *__restrict__ features, float4 *out, int count)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, part = threadIdx.x % 16;
    if (i >= count)
        return;
    int2 e = edges[i];
    float share = 1.0f / (starts[e.x + 1] - starts[e.x]);
    float4 v = features[e.y * (WIDE / 4) + part];
    float *to = (float *)(out + e.x * (WIDE / 4) + part);
    atomicAdd(to, v.x * share), atomicAdd(to + 1, v.y * share);
    atomicAdd(to + 2, v.z * share), atomicAdd(to + 3, v.w * share);
}

// a thread has a head of a vertex: maximum, sum, shares
__global__ void edge_shares(const int *__restrict__ starts, const int *__restrict__ next,
                            const float *__restrict__ here, const float *__restrict__ there,
                            float *__restrict__ out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / HEADS, h = t % HEADS,
        end = starts[i + 1];
    float own = here[t], most = -INFINITY, sum = 0;
    auto score = [&](int k) {
        float s = own + there[next[k] * HEADS + h];
        return s > 0 ? s : 0.2f * s;
    };
    for (int k = starts[i]; k < end; k++)
        most = fmaxf(most, score(k));
    for (int k = starts[i]; k < end; k++)
        sum += __expf(score(k) - most);
    for (int k = starts[i]; k < end; k++)
        out[k * HEADS + h] = __expf(score(k) - most) / sum;
}

// a block has 16 vertices: sums of features in half precision, then 64 x 64 weights
__global__ void __launch_bounds__(128)
    layer(const int *__restrict__ starts, const int *__restrict__ next,
          const __half2 *__restrict__ features, const float *__restrict__ weights,
          float *__restrict__ out)
{
    __shared__ float sums[16][WIDE + 1], matrix[WIDE][WIDE];
    int t = threadIdx.x, w = t / 32, lane = t % 32, first = blockIdx.x * 16;
    for (int k = t; k < WIDE * WIDE; k += 128)
        matrix[k / WIDE][k % WIDE] = weights[k];
    for (int v = w; v < 16; v += 4) {
        float2 sum = {};
        for (int k = starts[first + v]; k < starts[first + v + 1]; k++) {
            float2 f = __half22float2(features[next[k] * (WIDE / 2) + lane]);
            sum.x += f.x, sum.y += f.y;
        }
        sums[v][2 * lane] = sum.x, sums[v][2 * lane + 1] = sum.y;
    }
    __syncthreads();
    int column = t % WIDE, half = t / WIDE;
    float result[8] = {};
#pragma unroll 4
    for (int k = 0; k < WIDE; k++) {
        float weight = matrix[k][column];
#pragma unroll
        for (int v = 0; v < 8; v++)
            result[v] += sums[half * 8 + v][k] * weight;
    }
#pragma unroll
    for (int v = 0; v < 8; v++)
        out[(first + half * 8 + v) * WIDE + column] = fmaxf(result[v], 0);
}

__host__ __device__ inline uint32_t stirred(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352d, x ^= x >> 15, x *= 0x846ca68b;
    return x ^ x >> 16;
}

// Floyd's way: the j-th of DRAWN places is a new one, or the last one allowed if it was drawn
// before
constexpr int DRAWN = 8;

__host__ __device__ inline void draw(const int *starts, const int *next, int i, int *out)
{
    int many = starts[i + 1] - starts[i], places[DRAWN];
#pragma unroll
    for (int j = 0; j < DRAWN; j++) {
        int last = many - DRAWN + j, place = last;
        if (last >= 0) {
            place = stirred(i * DRAWN + j) % (last + 1);
#pragma unroll
            for (int k = 0; k < j; k++)
                if (places[k] == place)
                    place = -1;
            if (place < 0)
                place = last;
        }
        places[j] = place;
        // small vertices: the same neighbours again
        int at = many < DRAWN ? j % (many > 0 ? many : 1) : place;
        out[i * DRAWN + j] = many ? next[starts[i] + at] : i;
    }
}

__global__ void draw_neighbours(const int *__restrict__ starts, const int *__restrict__ next,
                                int *__restrict__ out)
{
    draw(starts, next, blockIdx.x * blockDim.x + threadIdx.x, out);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(359);
    std::vector<int> starts = {0}, next;
    std::vector<int2> edges;
    for (int i = 0; i < COUNT; i++) {
        int many = random.below(20) ? 2 + random.below(14) : random.below(100);
        for (int k = 0; k < many; k++) {
            int j = random.below(3) ? random.below(COUNT) : (i + random.below(200)) % COUNT;
            next.push_back(j);
            edges.push_back(make_int2(i, j));
        }
        starts.push_back(next.size());
    }
    const int count = next.size();
    std::vector<float> features = random.floats(COUNT * WIDE, -1, 1),
                       here = random.floats(COUNT * HEADS, -3, 3),
                       there = random.floats(COUNT * HEADS, -3, 3),
                       weights = random.floats(WIDE * WIDE, -0.3f, 0.3f);
    std::vector<__half> halves(COUNT * WIDE);
    for (int i = 0; i < COUNT * WIDE; i++)
        halves[i] = __float2half(features[i]);
    int *S = copy(starts), *N = copy(next), *picks = room<int>(COUNT * DRAWN);
    int2 *E = copy(edges);
    float *F = copy(features), *H = copy(here), *T = copy(there), *W = copy(weights),
          *out = room<float>(COUNT * WIDE), *shares = room<float>(count * HEADS);
    __half *G = copy(halves);
    auto wiped = [&] {
        fill(out, COUNT * WIDE, 0);
        fill(shares, count * HEADS, 0x77);
        fill(picks, COUNT * DRAWN, 0x77);
    };
    auto means = [&] {
        return differ(out, COUNT * WIDE, 7, 1e-4, [&](size_t i) {
            double sum = 0;
            for (int k = starts[i / WIDE]; k < starts[i / WIDE + 1]; k++)
                sum += features[next[k] * WIDE + i % WIDE];
            return sum / std::max(starts[i / WIDE + 1] - starts[i / WIDE], 1);
        });
    };
    variant(
        "mean_warp", "mean_warp", wiped,
        [&] { mean_warp<<<COUNT / 4, 128>>>(S, N, (float2 *)F, (float2 *)out); }, means);
    variant(
        "mean_edges", "mean_edges", wiped,
        [&] { mean_edges<<<(count + 15) / 16, 256>>>(E, S, (float4 *)F, (float4 *)out, count); },
        means);
    variant(
        "edge_shares", "edge_shares", wiped,
        [&] { edge_shares<<<COUNT * HEADS / 128, 128>>>(S, N, H, T, shares); },
        [&] {
            std::vector<float> got = fetch(shares, count * HEADS);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 3)
                for (int h = 0; h < HEADS; h++) {
                    double sum = 0;
                    auto e = [&](int k) {
                        double s = (double)here[i * HEADS + h] + there[next[k] * HEADS + h];
                        return exp(s > 0 ? s : 0.2 * s);
                    };
                    for (int k = starts[i]; k < starts[i + 1]; k++)
                        sum += e(k);
                    for (int k = starts[i]; k < starts[i + 1]; k++)
                        bad += !near(got[k * HEADS + h], e(k) / sum, 1e-4);
                }
            return bad;
        });
    variant(
        "layer", "layer", wiped, [&] { layer<<<COUNT / 16, 128>>>(S, N, (__half2 *)G, W, out); },
        [&] {
            std::vector<float> got = fetch(out, COUNT * WIDE);
            std::vector<double> sums(WIDE);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 29) {
                std::fill(sums.begin(), sums.end(), 0);
                for (int k = starts[i]; k < starts[i + 1]; k++)
                    for (int c = 0; c < WIDE; c++)
                        sums[c] += __half2float(halves[next[k] * WIDE + c]);
                for (int c = 0; c < WIDE; c++) {
                    double want = 0;
                    for (int k = 0; k < WIDE; k++)
                        want += sums[k] * weights[k * WIDE + c];
                    bad += !near(got[i * WIDE + c], std::fmax(want, 0), 1e-3);
                }
            }
            return bad;
        });
    std::vector<int> want(COUNT * DRAWN);
    for (int i = 0; i < COUNT; i++)
        draw(starts.data(), next.data(), i, want.data());
    variant(
        "draw_neighbours", "draw_neighbours", wiped,
        [&] { draw_neighbours<<<COUNT / 128, 128>>>(S, N, picks); },
        [&] { return differ(picks, COUNT * DRAWN, 1, 0, [&](size_t i) { return want[i]; }); });
    return finish();
}
