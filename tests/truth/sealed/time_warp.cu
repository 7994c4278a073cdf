// Series compared with time allowed to stretch (dynamic time warping): a warp a pair with four
// columns a lane, a block a pair along diagonals, a thread a pair within a band, and lower bounds
// by an envelope.
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

constexpr int LONG = 128, BAND = 5, SHORT = 64;

__device__ inline float cost(float a, float b)
{
    return (a - b) * (a - b);
}

__global__ void __launch_bounds__(128)
    warps(const float *__restrict__ series, const float *__restrict__ query,
          float *__restrict__ out)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float4 q = ((const float4 *)query)[lane];
    const float *s = series + pair * LONG;
    const float far = 1e30f;
    float row[4] = {far, far, far, far}, corner = lane ? far : 0, left = far;
    for (int step = 0; step < LONG + 31; step++) {
        int i = step - lane; // the row this lane works on
        float value = i >= 0 && i < LONG ? s[i] : 0;
        float from = __shfl_up_sync(~0u, row[3], 1);
        if (lane)
            left = from;
        if (i >= 0 && i < LONG) {
            float a = cost(value, q.x) + fminf(fminf(row[0], corner), left);
            float b = cost(value, q.y) + fminf(fminf(row[1], row[0]), a);
            float c = cost(value, q.z) + fminf(fminf(row[2], row[1]), b);
            float d = cost(value, q.w) + fminf(fminf(row[3], row[2]), c);
            row[0] = a, row[1] = b, row[2] = c, row[3] = d;
            corner = lane ? left : far;
        }
    }
    if (lane == 31)
        out[pair] = row[3];
}

__global__ void __launch_bounds__(LONG)
    diagonals(const float *__restrict__ series, const float *__restrict__ query,
              float *__restrict__ out)
{
    __shared__ float s[LONG], line[3][LONG + 1];
    int t = threadIdx.x;
    float q = query[t];
    s[t] = series[blockIdx.x * LONG + t];
    for (int k = 0; k < 3; k++) {
        line[k][t + 1] = 1e30f;
        if (t == 0)
            line[k][0] = 1e30f;
    }
    __syncthreads();
    if (t == 0)
        line[1][0] = 0; // the corner before the first cell
    __syncthreads();
    int old = 1, last = 2, now = 0;
    for (int d = 0; d < 2 * LONG - 1; d++) {
        int i = d - t;
        if (i >= 0 && i < LONG)
            line[now][t + 1] =
                cost(s[i], q) + fminf(fminf(line[last][t + 1], line[last][t]), line[old][t]);
        else
            line[now][t + 1] = 1e30f;
        __syncthreads();
        if (d == 0 && t == 0)
            line[1][0] = 1e30f;
        int free = old;
        old = last, last = now, now = free;
        __syncthreads();
    }
    if (t == LONG - 1)
        out[blockIdx.x] = line[last][LONG];
}

// series side by side: element k of series i at k * count + i
__global__ void band(const float *__restrict__ series, const float *__restrict__ query,
                     float *__restrict__ out, int count)
{
    __shared__ float q[SHORT];
    if (threadIdx.x < SHORT)
        q[threadIdx.x] = query[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float row[2 * BAND + 2]; // row[k] is column y + k - BAND
#pragma unroll
    for (int k = 0; k < 2 * BAND + 2; k++)
        row[k] = k == BAND ? 0 : 1e30f;
    // before the first row the corner stands at column -1
    for (int y = 0; y < SHORT; y++) {
        float v = series[y * count + i], left = 1e30f;
#pragma unroll
        for (int k = 0; k <= 2 * BAND; k++) {
            int x = y + k - BAND;
            float best = fminf(fminf(row[k + 1], row[k]), left);
            left = x >= 0 && x < SHORT ? cost(v, q[min(max(x, 0), SHORT - 1)]) + best : 1e30f;
            row[k] = left;
        }
        row[2 * BAND + 1] = 1e30f;
    }
    out[i] = row[BAND];
}

// a warp a series of 128: what lies outside of the query's envelope
__global__ void __launch_bounds__(512)
    bounds(const float4 *__restrict__ series, const float4 *__restrict__ low,
           const float4 *__restrict__ high, float *__restrict__ out, int count)
{
    int lane = threadIdx.x % 32;
    float4 l = low[lane], h = high[lane];
    for (int i = (blockIdx.x * 512 + threadIdx.x) / 32; i < count; i += gridDim.x * 16) {
        float4 v = series[i * 32 + lane];
        float x = fmaxf(fmaxf(v.x - h.x, l.x - v.x), 0), y = fmaxf(fmaxf(v.y - h.y, l.y - v.y), 0),
              z = fmaxf(fmaxf(v.z - h.z, l.z - v.z), 0), w = fmaxf(fmaxf(v.w - h.w, l.w - v.w), 0);
        float sum = x * x + y * y + z * z + w * w;
        for (int step = 16; step; step /= 2)
            sum += __shfl_xor_sync(~0u, sum, step);
        if (lane == 0)
            out[i] = sum;
    }
}

static double warped(const float *s, int step, const float *q, int length, int band)
{
    std::vector<double> row(length + 1, 1e30), next(length + 1);
    row[0] = 0;
    for (int y = 0; y < length; y++) {
        next[0] = 1e30;
        for (int x = 0; x < length; x++) {
            double d = (double)s[y * step] - q[x];
            next[x + 1] = std::abs(x - y) > band
                              ? 1e30
                              : d * d + std::min(std::min(row[x], row[x + 1]), next[x]);
        }
        row = next;
    }
    return row[length];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(127);
    const int count = 80000, pairs = 2560, blocks = 600, banded = 60000;
    std::vector<float> series(count * LONG), query(LONG), low(LONG), high(LONG),
        side(banded * SHORT);
    auto walk = [&](float *p, int step, int length) {
        float v = random.between(-1, 1);
        for (int k = 0; k < length; k++)
            p[k * step] = v += random.between(-0.3f, 0.3f);
    };
    walk(query.data(), 1, LONG);
    for (int i = 0; i < count; i++)
        walk(&series[i * LONG], 1, LONG);
    for (int i = 0; i < banded; i++)
        walk(&side[i], banded, SHORT);
    for (int k = 0; k < LONG; k++) {
        int a = std::max(k - 8, 0), b = std::min(k + 9, LONG);
        low[k] = *std::min_element(&query[a], &query[0] + b);
        high[k] = *std::max_element(&query[a], &query[0] + b);
    }
    float *S = copy(series), *Q = copy(query), *L = copy(low), *H = copy(high), *D = copy(side),
          *out = room<float>(count);
    auto wiped = [&] { fill(out, count, 0xff); };
    auto check = [&](int many) {
        std::vector<float> got = fetch(out, many);
        long bad = 0;
        for (int i = 0; i < many; i += 11)
            bad += !near(got[i], warped(&series[i * LONG], 1, query.data(), LONG, LONG), 1e-3);
        return bad;
    };
    variant(
        "warps", "warps", wiped, [&] { warps<<<pairs / 4, 128>>>(S, Q, out); },
        [&] { return check(pairs); });
    variant(
        "diagonals", "diagonals", wiped, [&] { diagonals<<<blocks, LONG>>>(S, Q, out); },
        [&] { return check(blocks); });
    variant(
        "band", "band", wiped, [&] { band<<<(banded + 95) / 96, 96>>>(D, Q, out, banded); },
        [&] {
            std::vector<float> got = fetch(out, banded);
            long bad = 0;
            for (int i = 0; i < banded; i += 37)
                bad += !near(got[i], warped(&side[i], banded, query.data(), SHORT, BAND), 1e-3);
            return bad;
        });
    variant(
        "bounds", "bounds", wiped,
        [&] { bounds<<<132 * 4, 512>>>((float4 *)S, (float4 *)L, (float4 *)H, out, count); },
        [&] {
            return differ(out, count, 3, 1e-3, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < LONG; k++) {
                    double v = series[i * LONG + k],
                           d = std::max(std::max(v - high[k], low[k] - v), 0.0);
                    sum += d * d;
                }
                return sum;
            });
        });
    return finish();
}
