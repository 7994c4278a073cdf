// Steps of conjugate gradients in double precision on a plane: the five-point operator together
// with a product of vectors, both updates together with a sum of squares, a new direction whose
// factor is read from memory, and a product of vectors by vectors of two with one atomic a block.
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

constexpr int WIDE = 1536, HIGH = 1536, COUNT = WIDE * HIGH;

__device__ inline double warp_sum(double v)
{
    for (int step = 16; step; step /= 2)
        v += __shfl_down_sync(~0u, v, step);
    return v;
}

__device__ inline double block_sum(double v)
{
    __shared__ double part[32];
    int t = threadIdx.y * blockDim.x + threadIdx.x, warps = blockDim.x * blockDim.y / 32;
    v = warp_sum(v);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    return t < 32 ? warp_sum(t < warps ? part[t] : 0) : 0;
}

// q = A p, and the block's part of p q
__global__ void operate(const double *__restrict__ p, double *__restrict__ q,
                        double *__restrict__ parts)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        i = y * WIDE + x;
    double mine = p[i], sum = 4.1 * mine;
    if (x > 0)
        sum -= p[i - 1];
    if (x < WIDE - 1)
        sum -= p[i + 1];
    if (y > 0)
        sum -= p[i - WIDE];
    if (y < HIGH - 1)
        sum -= p[i + WIDE];
    q[i] = sum;
    double dot = block_sum(mine * sum);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        parts[blockIdx.y * gridDim.x + blockIdx.x] = dot;
}

// x += a p, r -= a q, and the sum of r r
__global__ void update(double *__restrict__ x, double *__restrict__ r, const double *__restrict__ p,
                       const double *__restrict__ q, const double *scalars, double *squares)
{
    double a = scalars[0] / scalars[1], sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
        x[i] += a * p[i];
        double v = r[i] - a * q[i];
        r[i] = v;
        sum += v * v;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(squares, sum);
}

__global__ void direction(const double2 *__restrict__ r, double2 *__restrict__ p,
                          const double *__restrict__ scalars)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = scalars[2] / scalars[0];
    double2 v = r[i], w = p[i];
    p[i] = make_double2(v.x + b * w.x, v.y + b * w.y);
}

__global__ void dot(const double2 *__restrict__ a, const double2 *__restrict__ b, double *out)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT / 2;
         i += gridDim.x * blockDim.x) {
        double2 v = a[i], w = b[i];
        sum += v.x * w.x + v.y * w.y;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(61);
    auto doubles = [&] {
        std::vector<double> v(COUNT);
        for (double &d : v)
            d = random.between(-1, 1);
        return v;
    };
    std::vector<double> x = doubles(), r = doubles(), p = doubles(), q = doubles(),
                        scalars = {0.7, 1.9, 0.4};
    double *X = room<double>(COUNT), *R = room<double>(COUNT), *P = room<double>(COUNT),
           *Q = room<double>(COUNT), *S = copy(scalars), *sum = room<double>(1),
           *parts = room<double>(COUNT / 256);
    auto fresh = [&] {
        put(X, x), put(R, r), put(P, p), put(Q, q);
        fill(sum, 1, 0);
        fill(parts, COUNT / 256, 0xff);
    };
    const double a = scalars[0] / scalars[1];
    variant(
        "operate", "operate", fresh,
        [&] { operate<<<dim3(WIDE / 64, HIGH / 4), dim3(64, 4)>>>(P, Q, parts); },
        [&] {
            double all = 0, want = 0;
            for (double v : fetch(parts, COUNT / 256))
                all += v;
            long bad = differ(Q, COUNT, 1, 1e-12, [&](size_t i) {
                int cx = i % WIDE, cy = i / WIDE;
                double s = 4.1 * p[i];
                s -= (cx > 0 ? p[i - 1] : 0) + (cx < WIDE - 1 ? p[i + 1] : 0) +
                     (cy > 0 ? p[i - WIDE] : 0) + (cy < HIGH - 1 ? p[i + WIDE] : 0);
                want += s * p[i];
                return s;
            });
            return bad + !near(all, want, 1e-9);
        });
    variant(
        "update", "update", fresh, [&] { update<<<132 * 2, 512>>>(X, R, P, Q, S, sum); },
        [&] {
            double squares = 0;
            long bad = differ(X, COUNT, 1, 1e-12, [&](size_t i) { return x[i] + a * p[i]; });
            bad += differ(R, COUNT, 1, 1e-12, [&](size_t i) {
                double v = r[i] - a * q[i];
                squares += v * v;
                return v;
            });
            return bad + !near(fetch(sum, 1, false)[0], squares, 1e-9);
        });
    variant(
        "direction", "direction", fresh,
        [&] { direction<<<COUNT / 2 / 128, 128>>>((double2 *)R, (double2 *)P, S); },
        [&] {
            return differ(P, COUNT, 1, 1e-12,
                          [&](size_t i) { return r[i] + scalars[2] / scalars[0] * p[i]; });
        });
    variant(
        "dot", "dot", fresh, [&] { dot<<<132, 1024>>>((double2 *)P, (double2 *)Q, sum); },
        [&] {
            double want = 0;
            for (int i = 0; i < COUNT; i++)
                want += p[i] * q[i];
            return (long)!near(fetch(sum, 1, false)[0], want, 1e-9);
        });
    return finish();
}
