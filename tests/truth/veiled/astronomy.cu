// Signals from the sky: channels summed along delays that grow with the wavelength, from global and
// from shared memory, periods by fitted sines, folds of a series into phases in shared memory, and
// waves of pairs of antennas spread over a grid by atomics.
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

constexpr int CHANNELS = 64, SAMPLES = 8192, TRIALS = 32, LATEST = 1024;

// how much later a channel comes, in samples, for each trial
__host__ __device__ inline int later(int channel, int trial)
{
    float f = 1.4f - 0.005f * channel;
    return (int)(trial * 14.0f * (1 / (f * f) - 1 / (1.4f * 1.4f)));
}

__global__ void delayed_global(const float *__restrict__ in, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
    float sum = 0;
#pragma unroll 4
    for (int c = 0; c < CHANNELS; c++)
        sum += in[c * (SAMPLES + LATEST) + i + later(c, trial)];
    out[trial * SAMPLES + i] = sum;
}

// a block has 512 samples and eight trials; it loads what they need of a channel once
__global__ void __launch_bounds__(512)
    delayed_shared(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float line[512 + 128];
    __shared__ int shifts[8];
    int t = threadIdx.x, first = blockIdx.x * 512, trial = blockIdx.y * 8;
    float sum[8] = {};
    for (int c = 0; c < CHANNELS; c++) {
        int base = later(c, trial);
        __syncthreads();
        if (t < 8)
            shifts[t] = later(c, trial + t) - base;
        for (int i = t; i < 512 + 128; i += 512)
            line[i] = in[c * (SAMPLES + LATEST) + min(first + base + i, SAMPLES + LATEST - 1)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum[k] += line[t + shifts[k]];
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[(trial + k) * SAMPLES + first + t] = sum[k];
}

// a thread a frequency; times and values of few observations pass through shared memory
constexpr int SEEN = 1024, FREQUENCIES = 16384;

__global__ void __launch_bounds__(128)
    periods(const float2 *__restrict__ seen, float *__restrict__ out)
{
    __shared__ float2 own[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float w = 0.001f * (i + 1), s2 = 0, c2 = 0, ys = 0, yc = 0, sc = 0;
    for (int base = 0; base < SEEN; base += 128) {
        __syncthreads();
        own[threadIdx.x] = seen[base + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            float2 v = own[k];
            float s, c;
            __sincosf(w * v.x, &s, &c);
            s2 += s * s, c2 += c * c, sc += s * c, ys += v.y * s, yc += v.y * c;
        }
    }
    float area = s2 * c2 - sc * sc;
    out[i] = (ys * ys * c2 + yc * yc * s2 - 2 * ys * yc * sc) / area;
}

// a block a period: counts and sums of 64 phases by atomics of whole numbers
constexpr int SERIES = 8192, PERIODS = 512, PHASES = 64;

__host__ __device__ inline int phase_of(int i, uint32_t step)
{
    return (uint32_t)i * step >> 26;
}

__global__ void __launch_bounds__(256)
    folds(const int *__restrict__ series, const uint32_t *__restrict__ steps,
          int2 *__restrict__ out)
{
    __shared__ int sums[PHASES], counts[PHASES];
    int t = threadIdx.x;
    uint32_t step = steps[blockIdx.x];
    if (t < PHASES)
        sums[t] = counts[t] = 0;
    __syncthreads();
    for (int i = t; i < SERIES; i += 256) {
        int phase = phase_of(i, step);
        atomicAdd(sums + phase, series[i]);
        atomicAdd(counts + phase, 1);
    }
    __syncthreads();
    if (t < PHASES)
        out[blockIdx.x * PHASES + t] = make_int2(sums[t], counts[t]);
}

// a value is spread over 7 x 7 points; weights by distance from a table of eighths
constexpr int SIDE = 1024, VALUES = 16384, REACH = 3;

struct Value {
    float u, v;
    int real, imaginary;
};

__host__ __device__ inline int weight_of(const int *table, float at, int k)
{
    int eighth = (int)((at - floorf(at)) * 8);
    return table[eighth * (2 * REACH + 1) + k];
}

// eight lanes a value: a lane has a column of points
__global__ void __launch_bounds__(128)
    spread(const Value *__restrict__ values, const int *__restrict__ table, int2 *grid)
{
    __shared__ int own[8 * (2 * REACH + 1)];
    if (threadIdx.x < 8 * (2 * REACH + 1))
        own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = (blockIdx.x * 128 + threadIdx.x) / 8, k = threadIdx.x % 8;
    Value v = values[i];
    if (k > 2 * REACH)
        return;
    int x = (int)v.u + k - REACH, y = (int)v.v - REACH, across = weight_of(own, v.u, k);
#pragma unroll
    for (int r = 0; r <= 2 * REACH; r++) {
        int weight = across * weight_of(own, v.v, r) >> 8;
        int2 *to = grid + (y + r) * SIDE + x;
        atomicAdd(&to->x, v.real * weight);
        atomicAdd(&to->y, v.imaginary * weight);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(293);
    std::vector<float> sky = random.floats(CHANNELS * (SAMPLES + LATEST), -1, 1);
    std::vector<float2> seen(SEEN);
    for (int k = 0; k < SEEN; k++) {
        float time = k * 0.35f + random.between(0, 0.3f);
        seen[k] = make_float2(time, sinf(2.7f * time) + random.between(-0.5f, 0.5f));
    }
    std::vector<int> series(SERIES), table(8 * (2 * REACH + 1));
    std::vector<uint32_t> steps(PERIODS);
    for (int i = 0; i < SERIES; i++)
        series[i] = random.below(100) + (i % 97 < 5 ? 60 : 0);
    for (uint32_t &s : steps)
        s = 0x1000000 + random.below(0x8000000);
    for (int e = 0; e < 8; e++)
        for (int k = 0; k <= 2 * REACH; k++) {
            float d = k - REACH - (e + 0.5f) / 8;
            table[e * (2 * REACH + 1) + k] = 256 * expf(-d * d);
        }
    std::vector<Value> values(VALUES);
    for (Value &v : values) {
        float angle = random.between(0, 6.2831853f), far = 500 * random.unit() * random.unit();
        v = {SIDE / 2 + far * cosf(angle), SIDE / 2 + far * sinf(angle),
             (int)random.below(200) - 100, (int)random.below(200) - 100};
    }
    float *S = copy(sky), *out = room<float>(TRIALS * SAMPLES);
    float2 *T = copy(seen);
    int *N = copy(series), *W = copy(table);
    uint32_t *P = copy(steps);
    Value *V = copy(values);
    int2 *pairs = room<int2>(PERIODS * PHASES), *grid = room<int2>(SIDE * SIDE);
    auto wiped = [&] {
        fill(out, TRIALS * SAMPLES, 0x77);
        fill(pairs, PERIODS * PHASES, 0x77);
        fill(grid, SIDE * SIDE, 0);
    };
    // delays are whole numbers made of fractions: those of the host may be one off
    auto check = [&] {
        std::vector<float> got = fetch(out, TRIALS * SAMPLES);
        long bad = 0;
        for (int trial = 0; trial < TRIALS; trial++)
            for (int i = 0; i < SAMPLES; i += 61) {
                double sum = 0;
                for (int c = 0; c < CHANNELS; c++)
                    sum += sky[c * (SAMPLES + LATEST) + i + later(c, trial)];
                bad += !near(got[trial * SAMPLES + i], sum, 1e-4);
            }
        return bad > 200 ? bad : 0;
    };
    variant(
        "delayed_global", "delayed_global", wiped,
        [&] { delayed_global<<<dim3(SAMPLES / 256, TRIALS), 256>>>(S, out); }, check);
    variant(
        "delayed_shared", "delayed_shared", wiped,
        [&] { delayed_shared<<<dim3(SAMPLES / 512, TRIALS / 8), 512>>>(S, out); }, check);
    variant(
        "periods", "periods", wiped, [&] { periods<<<FREQUENCIES / 128, 128>>>(T, out); },
        [&] {
            return differ(out, FREQUENCIES, 37, 3e-2, [&](size_t i) {
                double w = 0.001f * (i + 1), s2 = 0, c2 = 0, ys = 0, yc = 0, sc = 0;
                for (float2 v : seen) {
                    double s = sin(w * v.x), c = cos(w * v.x);
                    s2 += s * s, c2 += c * c, sc += s * c, ys += v.y * s, yc += v.y * c;
                }
                return (ys * ys * c2 + yc * yc * s2 - 2 * ys * yc * sc) / (s2 * c2 - sc * sc);
            });
        });
    variant(
        "folds", "folds", wiped, [&] { folds<<<PERIODS, 256>>>(N, P, pairs); },
        [&] {
            std::vector<int> got = fetch((int *)pairs, 2 * PERIODS * PHASES), want(2 * PHASES);
            long bad = 0;
            for (int p = 0; p < PERIODS; p++) {
                std::fill(want.begin(), want.end(), 0);
                for (int i = 0; i < SERIES; i++) {
                    int phase = phase_of(i, steps[p]);
                    want[2 * phase] += series[i], want[2 * phase + 1]++;
                }
                for (int k = 0; k < 2 * PHASES; k++)
                    bad += want[k] != got[p * 2 * PHASES + k];
            }
            return bad;
        });
    variant(
        "spread", "spread", wiped, [&] { spread<<<VALUES / 16, 128>>>(V, W, grid); },
        [&] {
            std::vector<int> want(2 * SIDE * SIDE);
            for (const Value &v : values)
                for (int k = 0; k < 49; k++) {
                    int x = (int)v.u + k % 7 - REACH, y = (int)v.v + k / 7 - REACH,
                        weight = weight_of(table.data(), v.u, k % 7) *
                                     weight_of(table.data(), v.v, k / 7) >>
                                 8;
                    want[2 * (y * SIDE + x)] += v.real * weight;
                    want[2 * (y * SIDE + x) + 1] += v.imaginary * weight;
                }
            return differ((int *)grid, 2 * SIDE * SIDE, 1, 0, [&](size_t i) { return want[i]; });
        });
    return finish();
}
