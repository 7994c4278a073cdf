// Products of matrices in double precision: an element a thread from global memory, tiles of 16 x
// 16 in shared memory, 4 x 4 a thread with tiles of 64, a matrix times its own transpose with the
// lower half only and slices joined by atomics, and a scaled sum of long vectors.
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

constexpr int M = 384, N = 384, K = 512, LARGE = 768;

__global__ void element(const double *__restrict__ a, const double *__restrict__ b,
                        double *__restrict__ c)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[y * K + k] * b[k * N + x];
    c[y * N + x] = sum;
}

__global__ void __launch_bounds__(256)
    tiles(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c)
{
    __shared__ double left[16][17], right[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    double sum = 0;
    for (int k = 0; k < K; k += 16) {
        left[ty][tx] = a[y * K + k + tx];
        right[ty][tx] = b[(k + ty) * N + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++)
            sum += left[ty][j] * right[j][tx];
        __syncthreads();
    }
    c[y * N + x] = sum;
}

__global__ void __launch_bounds__(256)
    blocked(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c)
{
    __shared__ double left[8][66], right[8][66];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x = blockIdx.x * 64, y = blockIdx.y * 64;
    double sum[4][4] = {};
    for (int k = 0; k < K; k += 8) {
        for (int i = t; i < 512; i += 256) {
            left[i % 8][i / 8] = a[(y + i / 8) * K + k + i % 8];
            right[i / 64][i % 64] = b[(k + i / 64) * LARGE + x + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++) {
            double u[4], v[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                u[i] = left[j][ty + 16 * i], v[i] = right[j][tx + 16 * i];
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 4; s++)
                    sum[r][s] += u[r] * v[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
            c[(y + ty + 16 * r) * LARGE + x + tx + 16 * s] = sum[r][s];
}

constexpr int ORDER = 128, LONG = 16384, SLICE = 512;

// a is LONG x ORDER; tiles of 32 x 32 of a'a with 2 x 2 a thread
__global__ void __launch_bounds__(256) own_transpose(const double *__restrict__ a, double *c)
{
    __shared__ double left[16][33], right[16][33];
    int row = 0, tile = blockIdx.x;
    while (tile > row)
        tile -= ++row;
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x = tile * 32, y = row * 32;
    double sum[2][2] = {};
    for (int k = blockIdx.y * SLICE; k < (int)(blockIdx.y + 1) * SLICE; k += 16) {
        for (int i = t; i < 512; i += 256) {
            left[i / 32][i % 32] = a[(k + i / 32) * ORDER + y + i % 32];
            right[i / 32][i % 32] = a[(k + i / 32) * ORDER + x + i % 32];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) {
            double u = left[j][ty], v = left[j][ty + 16], p = right[j][tx], q = right[j][tx + 16];
            sum[0][0] += u * p, sum[0][1] += u * q, sum[1][0] += v * p, sum[1][1] += v * q;
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            if (x + tx + 16 * s <= y + ty + 16 * r)
                atomicAdd(c + (y + ty + 16 * r) * ORDER + x + tx + 16 * s, sum[r][s]);
}

__global__ void scaled(const double2 *__restrict__ x, double2 *__restrict__ y, double a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double2 u = x[i], v = y[i];
    y[i] = make_double2(a * u.x + v.x, a * u.y + v.y);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(151);
    const int vectors = 10000000;
    auto doubles = [&](size_t count) {
        std::vector<double> v(count);
        for (double &d : v)
            d = random.between(-1, 1);
        return v;
    };
    std::vector<double> a = doubles(LARGE * K), b = doubles(K * LARGE),
                        tall = doubles(LONG * ORDER), x = doubles(vectors), y = doubles(vectors);
    double *A = copy(a), *B = copy(b), *T = copy(tall), *X = copy(x), *Y = copy(y),
           *out = room<double>(LARGE * LARGE);
    auto wiped = [&] { fill(out, LARGE * LARGE, 0xff); };
    auto check = [&](int rows, int columns, int step) {
        return differ(out, rows * columns, step, 1e-11, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i / columns * K + k] * b[k * columns + i % columns];
            return sum;
        });
    };
    variant(
        "element", "element", wiped,
        [&] { element<<<dim3(N / 32, M / 4), dim3(32, 4)>>>(A, B, out); },
        [&] { return check(M, N, 3); });
    variant(
        "tiles", "tiles", wiped, [&] { tiles<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, out); },
        [&] { return check(M, N, 3); });
    variant(
        "blocked", "blocked", wiped,
        [&] { blocked<<<dim3(LARGE / 64, LARGE / 64), 256>>>(A, B, out); },
        [&] { return check(LARGE, LARGE, 13); });
    variant(
        "own_transpose", "own_transpose", [&] { fill(out, LARGE * LARGE, 0); },
        [&] { own_transpose<<<dim3(10, LONG / SLICE), 256>>>(T, out); },
        [&] {
            std::vector<double> got = fetch(out, ORDER * ORDER, false);
            long bad = 0;
            for (int i = 0; i < ORDER * ORDER; i += 3) {
                double sum = 0;
                int r = i / ORDER, c = i % ORDER;
                for (int k = 0; c <= r && k < LONG; k++)
                    sum += tall[k * ORDER + r] * tall[k * ORDER + c];
                bad += !near(got[i], sum, 1e-10);
            }
            return bad;
        });
    variant(
        "scaled", "scaled", [&] { put(Y, y); },
        [&] {
            scaled<<<(vectors / 2 + 255) / 256, 256>>>((double2 *)X, (double2 *)Y, 0.37,
                                                       vectors / 2);
        },
        [&] { return differ(Y, vectors, 7, 1e-14, [&](size_t i) { return 0.37 * x[i] + y[i]; }); });
    return finish();
}
