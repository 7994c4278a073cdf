// Ordinary differential equations, a system in each thread: Lorenz's equations by Runge and Kutta
// with few threads, an oscillator with steps that adapt, planets by leaps in local arrays, and
// double pendulums with sines and cosines.
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

struct Vec {
    double x, y, z;
};

__host__ __device__ inline Vec along(Vec a, Vec b, double s)
{
    return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

__host__ __device__ inline Vec lorenz_slope(Vec v, double rho)
{
    return {10 * (v.y - v.x), v.x * (rho - v.z) - v.y, v.x * v.y - 8.0 / 3 * v.z};
}

__host__ __device__ inline Vec lorenz_path(double rho, int steps)
{
    const double h = 0.004;
    Vec v = {1, 1, 20};
    for (int s = 0; s < steps; s++) {
        Vec a = lorenz_slope(v, rho), b = lorenz_slope(along(v, a, h / 2), rho);
        Vec c = lorenz_slope(along(v, b, h / 2), rho), d = lorenz_slope(along(v, c, h), rho);
        v = along(along(along(along(v, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
    }
    return v;
}

__global__ void lorenz(const double *__restrict__ rho, double *__restrict__ out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Vec v = lorenz_path(rho[i], steps);
    out[3 * i] = v.x, out[3 * i + 1] = v.y, out[3 * i + 2] = v.z;
}

// van der Pol's oscillator up to a time; a step of third order is judged by one of second order
__host__ __device__ inline double oscillate(double stiff, double until, int *taken)
{
    double x = 2, v = 0, t = 0, h = 0.01;
    double ax = v, av = stiff * (1 - x * x) * v - x;
    int steps = 0;
    while (t < until && steps < 4000) {
        if (t + h > until)
            h = until - t;
        double x2 = x + h / 2 * ax, v2 = v + h / 2 * av;
        double bx = v2, bv = stiff * (1 - x2 * x2) * v2 - x2;
        double x3 = x + h * 0.75 * bx, v3 = v + h * 0.75 * bv;
        double cx = v3, cv = stiff * (1 - x3 * x3) * v3 - x3;
        double nx = x + h / 9 * (2 * ax + 3 * bx + 4 * cx),
               nv = v + h / 9 * (2 * av + 3 * bv + 4 * cv);
        double dx = nv, dv = stiff * (1 - nx * nx) * nv - nx;
        double ex = h * (-5.0 / 72 * ax + bx / 12 + cx / 9 - dx / 8);
        double ev = h * (-5.0 / 72 * av + bv / 12 + cv / 9 - dv / 8);
        double off = sqrt(ex * ex + ev * ev) * 1e6 + 1e-9;
        if (off <= 1) {
            t += h, x = nx, v = nv, ax = dx, av = dv;
        }
        h *= fmin(4.0, fmax(0.25, 0.9 * cbrt(1 / off)));
        steps++;
    }
    *taken = steps;
    return x;
}

__global__ void adaptive(const double *__restrict__ stiff, double *__restrict__ out,
                         int *__restrict__ taken)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = oscillate(stiff[i], 3, taken + i);
}

constexpr int BODIES = 5;

__host__ __device__ inline void leap(const float *masses, float *p, float *v, int steps)
{
    const float h = 0.01f;
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int a = 0; a < BODIES; a++)
#pragma unroll
            for (int b = a + 1; b < BODIES; b++) {
                float x = p[3 * b] - p[3 * a], y = p[3 * b + 1] - p[3 * a + 1],
                      z = p[3 * b + 2] - p[3 * a + 2];
                float d = x * x + y * y + z * z + 0.01f, r = 1 / sqrtf(d), w = h * r * r * r;
                v[3 * a] += masses[b] * w * x, v[3 * a + 1] += masses[b] * w * y,
                    v[3 * a + 2] += masses[b] * w * z;
                v[3 * b] -= masses[a] * w * x, v[3 * b + 1] -= masses[a] * w * y,
                    v[3 * b + 2] -= masses[a] * w * z;
            }
#pragma unroll
        for (int k = 0; k < 3 * BODIES; k++)
            p[k] += h * v[k];
    }
}

__global__ void __launch_bounds__(64)
    planets(const float *__restrict__ masses, const float *__restrict__ places,
            float *__restrict__ out, int count, int steps)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float m[BODIES], p[3 * BODIES], v[3 * BODIES];
    for (int k = 0; k < BODIES; k++)
        m[k] = masses[k * count + i];
    for (int k = 0; k < 3 * BODIES; k++)
        p[k] = places[k * count + i], v[k] = 0;
    leap(m, p, v, steps);
    for (int k = 0; k < 3 * BODIES; k++)
        out[k * count + i] = p[k];
}

__host__ __device__ inline void swing(float a, float b, float u, float v, float &au, float &av)
{
    float s = sinf(a - b), c = cosf(a - b), low = 3 - cosf(2 * a - 2 * b);
    au = (-29.43f * sinf(a) - 9.81f * sinf(a - 2 * b) - 2 * s * (v * v + u * u * c)) / low;
    av = 2 * s * (2 * u * u + 19.62f * cosf(a) + v * v * c) / low;
}

__host__ __device__ inline float pendulum(float a, float b, int steps)
{
    const float h = 0.01f;
    float u = 0, v = 0;
    for (int s = 0; s < steps; s++) {
        float u1, v1, u2, v2;
        swing(a, b, u, v, u1, v1);
        float um = u + h / 2 * u1, vm = v + h / 2 * v1;
        swing(a + h / 2 * u, b + h / 2 * v, um, vm, u2, v2);
        a += h * um, b += h * vm, u += h * u2, v += h * v2;
    }
    return a + b;
}

__global__ void pendulums(float *__restrict__ out, int wide, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * wide + x] = pendulum(-3 + 6.0f * x / wide, -3 + 6.0f * y / gridDim.y, steps);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(3);
    const int few = 2048, steps = 300, systems = 16384, leaps = 40, wide = 256, high = 192,
              swings = 24;
    std::vector<double> rho(few), stiff(few);
    for (int i = 0; i < few; i++)
        rho[i] = random.between(10, 30), stiff[i] = random.between(0.1f, 12);
    std::vector<float> masses = random.floats(systems * BODIES, 0.1f, 1),
                       places = random.floats(systems * BODIES * 3, -2, 2);
    double *R = copy(rho), *S = copy(stiff), *out = room<double>(few * 3);
    float *M = copy(masses), *P = copy(places), *ends = room<float>(systems * BODIES * 3);
    int *taken = room<int>(few);
    auto wiped = [&] {
        fill(out, few * 3, 0xff);
        fill(ends, systems * BODIES * 3, 0xff);
    };
    variant(
        "lorenz", "lorenz", wiped, [&] { lorenz<<<few / 32, 32>>>(R, out, steps); },
        [&] {
            return differ(out, few * 3, 7, 1e-8, [&](size_t i) {
                Vec v = lorenz_path(rho[i / 3], steps);
                return i % 3 == 0 ? v.x : i % 3 == 1 ? v.y : v.z;
            });
        });
    variant(
        "adaptive", "adaptive", wiped, [&] { adaptive<<<few / 64, 64>>>(S, out, taken); },
        [&] {
            long bad = differ(out, few, 1, 1e-3, [&](size_t i) {
                int host;
                return oscillate(stiff[i], 3, &host);
            });
            for (int many : fetch(taken, few, false))
                bad += many >= 4000;
            return bad;
        });
    variant(
        "planets", "planets", wiped,
        [&] { planets<<<systems / 64, 64>>>(M, P, ends, systems, leaps); },
        [&] {
            std::vector<float> got = fetch(ends, systems * BODIES * 3);
            long bad = 0;
            for (int i = 0; i < systems; i += 5) {
                float m[BODIES], p[3 * BODIES], v[3 * BODIES] = {};
                for (int k = 0; k < 3 * BODIES; k++)
                    p[k] = places[k * systems + i], m[k / 3] = masses[k / 3 * systems + i];
                leap(m, p, v, leaps);
                for (int k = 0; k < 3 * BODIES; k++)
                    bad += !near(got[k * systems + i], p[k], 2e-3);
            }
            return bad;
        });
    variant(
        "pendulums", "pendulums", wiped,
        [&] { pendulums<<<dim3(wide / 128, high), 128>>>(ends, wide, swings); },
        [&] {
            return differ(ends, wide * high, 3, 2e-3, [&](size_t i) {
                return pendulum(-3 + 6.0f * (i % wide) / wide, -3 + 6.0f * (i / wide) / high,
                                swings);
            });
        });
    return finish();
}
