// Polynomials: Horner's scheme of degree 24 with constant coefficients, in double precision,
// Estrin's scheme with coefficients of each thread, Chebyshev series from shared memory, all roots
// by Durand and Kerner.
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

constexpr int DEGREE = 24;
__constant__ float C[DEGREE + 1];
__constant__ double D[DEGREE + 1];

__global__ void horner(const float *__restrict__ x, float *__restrict__ y, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float v = x[i], sum = C[DEGREE];
#pragma unroll
        for (int k = DEGREE - 1; k >= 0; k--)
            sum = sum * v + C[k];
        y[i] = sum;
    }
}

__global__ void horner_double(const double *__restrict__ x, double *__restrict__ y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double v = x[i], sum = D[DEGREE];
#pragma unroll
    for (int k = DEGREE - 1; k >= 0; k--)
        sum = sum * v + D[k];
    y[i] = sum;
}

// a thread has its own 16 coefficients and eight arguments
__global__ void estrin(const float4 *__restrict__ coefficient, const float *__restrict__ x,
                       float *__restrict__ y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float c[16];
    for (int k = 0; k < 4; k++)
        ((float4 *)c)[k] = coefficient[k * count + i];
    for (int n = 0; n < 8; n++) {
        float v = x[n * count + i], v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
        float a = (c[0] + c[1] * v) + (c[2] + c[3] * v) * v2,
              b = (c[4] + c[5] * v) + (c[6] + c[7] * v) * v2;
        float d = (c[8] + c[9] * v) + (c[10] + c[11] * v) * v2,
              e = (c[12] + c[13] * v) + (c[14] + c[15] * v) * v2;
        y[n * count + i] = (a + b * v4) + (d + e * v4) * v8;
    }
}

// series of TERMS by blocks of arguments; blockIdx.y is the series
template <int TERMS>
__global__ void chebyshev(const float *__restrict__ series, const float *__restrict__ x,
                          float *__restrict__ y, int count)
{
    __shared__ float c[TERMS];
    for (int k = threadIdx.x; k < TERMS; k += blockDim.x)
        c[k] = series[blockIdx.y * TERMS + k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 2 * x[i], b1 = 0, b2 = 0;
#pragma unroll 8
    for (int k = TERMS - 1; k > 0; k--) {
        float b = c[k] + v * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    y[(size_t)blockIdx.y * count + i] = c[0] + 0.5f * v * b1 - b2;
}

// x^5 + ...: five complex roots a thread
__global__ void roots(const float *__restrict__ coefficient, float2 *__restrict__ root, int count,
                      int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float c[5], x[5], y[5];
#pragma unroll
    for (int k = 0; k < 5; k++) {
        c[k] = coefficient[k * count + i];
        __sincosf(1.2566371f * k + 0.4f, &y[k], &x[k]);
    }
    for (int s = 0; s < steps; s++)
#pragma unroll
        for (int k = 0; k < 5; k++) {
            float px = 1, py = 0, qx = 1, qy = 0;
#pragma unroll
            for (int n = 4; n >= 0; n--) {
                float t = px * x[k] - py * y[k] + c[n];
                py = px * y[k] + py * x[k];
                px = t;
            }
#pragma unroll
            for (int n = 0; n < 5; n++)
                if (n != k) {
                    float dx = x[k] - x[n], dy = y[k] - y[n], t = qx * dx - qy * dy;
                    qy = qx * dy + qy * dx;
                    qx = t;
                }
            float by = 1 / (qx * qx + qy * qy + 1e-20f);
            x[k] -= (px * qx + py * qy) * by;
            y[k] -= (py * qx - px * qy) * by;
        }
#pragma unroll
    for (int k = 0; k < 5; k++)
        root[k * count + i] = make_float2(x[k], y[k]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 6 << 20, doubles = 2 << 20, own = 3 << 17, terms = 64, arguments = 1 << 16,
              series_count = 24, equations = 1 << 17, steps = 20;
    Lcg random(311);
    std::vector<float> xs = random.floats(count, -1, 1), cs = random.floats(16 * own, -1, 1),
                       series = random.floats(series_count * terms, -1, 1);
    std::vector<double> ds(doubles), coefficients(DEGREE + 1);
    float single[DEGREE + 1];
    for (int k = 0; k <= DEGREE; k++)
        coefficients[k] = single[k] = random.between(-1, 1);
    for (double &d : ds)
        d = random.between(-1, 1);
    must(cudaMemcpyToSymbol(C, single, sizeof single));
    must(cudaMemcpyToSymbol(D, coefficients.data(), sizeof(double) * (DEGREE + 1)));
    float *x = copy(xs), *c = copy(cs), *s = copy(series), *y = room<float>(count);
    double *dx = copy(ds), *dy = room<double>(doubles);
    auto wiped = [&] { fill(y, count, 0xff); };
    auto value = [&](double v) {
        double sum = 0;
        for (int k = DEGREE; k >= 0; k--)
            sum = sum * v + coefficients[k];
        return sum;
    };
    variant(
        "horner", "horner", wiped, [&] { horner<<<132 * 8, 256>>>(x, y, count); },
        [&] { return differ(y, count, 11, 1e-4, [&](size_t i) { return value(xs[i]); }); });
    variant(
        "double", "horner_double", [&] { fill(dy, doubles, 0xff); },
        [&] { horner_double<<<doubles / 128, 128>>>(dx, dy, doubles); },
        [&] { return differ(dy, doubles, 11, 1e-12, [&](size_t i) { return value(ds[i]); }); });
    variant(
        "estrin", "estrin", wiped,
        [&] { estrin<<<own / 128, 128>>>((const float4 *)c, x, y, own); },
        [&] {
            return differ(y, 8 * own, 11, 1e-4, [&](size_t i) {
                double sum = 0;
                for (int k = 15; k >= 0; k--)
                    sum = sum * xs[i] + cs[((size_t)(k / 4) * own + i % own) * 4 + k % 4];
                return sum;
            });
        });
    variant(
        "chebyshev", "chebyshev", wiped,
        [&] { chebyshev<terms><<<dim3(arguments / 256, series_count), 256>>>(s, x, y, arguments); },
        [&] {
            return differ(y, arguments * series_count, 101, 1e-3, [&](size_t i) {
                double a = std::acos(xs[i % arguments]), sum = 0;
                for (int k = 0; k < terms; k++)
                    sum += series[i / arguments * terms + k] * std::cos(k * a);
                return sum;
            });
        });
    variant(
        "roots", "roots", wiped,
        [&] { roots<<<equations / 128, 128>>>(c, (float2 *)y, equations, steps); },
        [&] {
            std::vector<float> got = fetch(y, 10 * equations);
            long bad = 0;
            for (int i = 0; i < equations; i++) // their sum and their product
                if (i % 5 == 0) {
                    double sum = 0, px = 1, py = 0;
                    for (int k = 0; k < 5; k++) {
                        double a = got[2 * (k * equations + i)],
                               b = got[2 * (k * equations + i) + 1], t = px * a - py * b;
                        sum += a;
                        py = px * b + py * a;
                        px = t;
                    }
                    bad += !near(sum, -cs[4 * equations + i], 1e-2) || !near(px, -cs[i], 1e-2);
                }
            return bad > equations / 5 / 100; // roots that lie close together
        });
    return finish();
}
