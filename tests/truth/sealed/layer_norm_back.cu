// Gradients of a layer normalisation of rows of 768 numbers: to the input with a block of 192 a row
// and with a warp a row, and to scale and shift with blocks that own 32 columns or with slices of
// rows that are joined by atomics.
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

constexpr int ROWS = 6144, WIDE = 768;

__device__ inline float2 warp_sums(float a, float b)
{
    for (int step = 16; step; step /= 2) {
        a += __shfl_xor_sync(~0u, a, step);
        b += __shfl_xor_sync(~0u, b, step);
    }
    return make_float2(a, b);
}

__device__ inline float normal(float x, float mean, float scale)
{
    return (x - mean) * scale;
}

__global__ void __launch_bounds__(192)
    input(const float4 *__restrict__ x, const float4 *__restrict__ dy,
          const float4 *__restrict__ gamma, const float *__restrict__ mean,
          const float *__restrict__ rstd, float4 *__restrict__ dx)
{
    __shared__ float2 part[6];
    int row = blockIdx.x, t = threadIdx.x, i = row * (WIDE / 4) + t;
    float m = mean[row], r = rstd[row];
    float4 v = x[i], d = dy[i], g = gamma[t];
    v = make_float4(normal(v.x, m, r), normal(v.y, m, r), normal(v.z, m, r), normal(v.w, m, r));
    d = make_float4(d.x * g.x, d.y * g.y, d.z * g.z, d.w * g.w);
    float2 sum = warp_sums(d.x + d.y + d.z + d.w, d.x * v.x + d.y * v.y + d.z * v.z + d.w * v.w);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = part[0];
    for (int w = 1; w < 6; w++)
        sum.x += part[w].x, sum.y += part[w].y;
    float a = sum.x / WIDE, b = sum.y / WIDE;
    dx[i] = make_float4(r * (d.x - a - v.x * b), r * (d.y - a - v.y * b), r * (d.z - a - v.z * b),
                        r * (d.w - a - v.w * b));
}

__global__ void __launch_bounds__(256)
    input_warp(const float *__restrict__ x, const float *__restrict__ dy,
               const float *__restrict__ gamma, const float *__restrict__ mean,
               const float *__restrict__ rstd, float *__restrict__ dx)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float m = mean[row], r = rstd[row], v[WIDE / 32], d[WIDE / 32], a = 0, b = 0;
#pragma unroll
    for (int k = 0; k < WIDE / 32; k++) {
        int c = k * 32 + lane;
        v[k] = normal(x[row * WIDE + c], m, r);
        d[k] = dy[row * WIDE + c] * gamma[c];
        a += d[k];
        b += d[k] * v[k];
    }
    float2 sum = warp_sums(a, b);
    a = sum.x / WIDE, b = sum.y / WIDE;
#pragma unroll
    for (int k = 0; k < WIDE / 32; k++)
        dx[row * WIDE + k * 32 + lane] = r * (d[k] - a - v[k] * b);
}

// a block of 32 x 32 owns 32 columns
__global__ void __launch_bounds__(1024)
    weights_columns(const float *__restrict__ x, const float *__restrict__ dy,
                    const float *__restrict__ mean, const float *__restrict__ rstd,
                    float *__restrict__ dgamma, float *__restrict__ dbeta, int rows)
{
    __shared__ float first[32][33], second[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float a = 0, b = 0;
    for (int row = threadIdx.y; row < rows; row += 32) {
        float d = dy[row * WIDE + c];
        a += d * normal(x[row * WIDE + c], mean[row], rstd[row]);
        b += d;
    }
    first[threadIdx.y][threadIdx.x] = a;
    second[threadIdx.y][threadIdx.x] = b;
    __syncthreads();
    float2 sum = warp_sums(first[threadIdx.x][threadIdx.y], second[threadIdx.x][threadIdx.y]);
    if (threadIdx.x == 0) {
        dgamma[blockIdx.x * 32 + threadIdx.y] = sum.x;
        dbeta[blockIdx.x * 32 + threadIdx.y] = sum.y;
    }
}

__global__ void weights_slices(const float *__restrict__ x, const float *__restrict__ dy,
                               const float *__restrict__ mean, const float *__restrict__ rstd,
                               float *dgamma, float *dbeta, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    for (int row = blockIdx.y * rows; row < (blockIdx.y + 1) * rows; row++) {
        float d = dy[row * WIDE + c];
        a += d * normal(x[row * WIDE + c], mean[row], rstd[row]);
        b += d;
    }
    atomicAdd(dgamma + c, a);
    atomicAdd(dbeta + c, b);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t count = (size_t)ROWS * WIDE;
    Lcg random(11);
    std::vector<float> x = random.floats(count, -2, 3), dy = random.floats(count, -1, 1),
                       gamma = random.floats(WIDE, 0.5f, 1.5f), mean(ROWS), rstd(ROWS);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, squares = 0;
        for (int c = 0; c < WIDE; c++)
            sum += x[r * WIDE + c], squares += x[r * WIDE + c] * x[r * WIDE + c];
        mean[r] = sum / WIDE;
        rstd[r] = 1 / std::sqrt(squares / WIDE - sum / WIDE * (sum / WIDE) + 1e-5);
    }
    float *X = copy(x), *DY = copy(dy), *G = copy(gamma), *M = copy(mean), *R = copy(rstd),
          *dx = room<float>(count), *dg = room<float>(WIDE), *db = room<float>(WIDE);
    auto wiped = [&] { fill(dx, count, 0xff); };
    auto zero = [&] {
        fill(dg, WIDE, 0);
        fill(db, WIDE, 0);
    };
    auto check = [&] {
        double a = 0, b = 0;
        int known = -1;
        return differ(dx, count, 7, 1e-4, [&](size_t i) {
            int r = i / WIDE;
            if (r != known) {
                a = b = 0, known = r;
                for (int c = 0; c < WIDE; c++) {
                    double d = dy[r * WIDE + c] * gamma[c];
                    a += d / WIDE;
                    b += d * (x[r * WIDE + c] - mean[r]) * rstd[r] / WIDE;
                }
            }
            return rstd[r] * (dy[i] * gamma[i % WIDE] - a - (x[i] - mean[r]) * rstd[r] * b);
        });
    };
    auto check_weights = [&] {
        return differ(dg, WIDE, 1, 1e-3,
                      [&](size_t c) {
                          double sum = 0;
                          for (int r = 0; r < ROWS; r++)
                              sum += dy[r * WIDE + c] * (x[r * WIDE + c] - mean[r]) * rstd[r];
                          return sum;
                      }) +
               differ(db, WIDE, 1, 1e-3, [&](size_t c) {
                   double sum = 0;
                   for (int r = 0; r < ROWS; r++)
                       sum += dy[r * WIDE + c];
                   return sum;
               });
    };
    variant(
        "input", "input", wiped,
        [&] { input<<<ROWS, 192>>>((float4 *)X, (float4 *)DY, (float4 *)G, M, R, (float4 *)dx); },
        check);
    variant(
        "input_warp", "input_warp", wiped,
        [&] { input_warp<<<ROWS / 8, 256>>>(X, DY, G, M, R, dx); }, check);
    variant(
        "weights_columns", "weights_columns", zero,
        [&] { weights_columns<<<WIDE / 32, dim3(32, 32)>>>(X, DY, M, R, dg, db, ROWS); },
        check_weights);
    variant(
        "weights_slices", "weights_slices", zero,
        [&] { weights_slices<<<dim3(WIDE / 128, 96), 128>>>(X, DY, M, R, dg, db, ROWS / 96); },
        check_weights);
    return finish();
}
