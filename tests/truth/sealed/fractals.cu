// Other fractals than Mandelbrot's: a Julia set by points, basins of Newton's method for a cubic, a
// Lyapunov fractal with logarithms, orbits that escape counted into a picture by atomics, and a
// burning ship in double precision.
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

constexpr int WIDE = 1024, HIGH = 512;

__host__ __device__ inline int julia_steps(float x, float y, int limit)
{
    int n = 0;
    for (; n < limit; n++) {
        if (fmaf(x, x, y * y) > 4)
            break;
        float next = fmaf(x, x, fmaf(-y, y, -0.8f));
        y = fmaf(2 * x, y, 0.156f);
        x = next;
    }
    return n;
}

__global__ void julia(int *__restrict__ out, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDE + x] =
        julia_steps(fmaf(x, 3.2f / WIDE, -1.6f), fmaf(y, 1.8f / HIGH, -0.9f), limit);
}

// the root of z^3 = 1 reached, with the number of steps
__host__ __device__ inline int root_reached(float x, float y)
{
    for (int n = 0; n < 60; n++) {
        float a = x * x - y * y, b = 2 * x * y, c = a * x - b * y - 1, d = a * y + b * x;
        float size = 3 * (a * a + b * b) + 1e-20f;
        x -= (c * a + d * b) / size;
        y -= (d * a - c * b) / size;
        if (c * c + d * d < 1e-6f)
            return n * 4 + (x > 0 ? 1 : y > 0 ? 2 : 3);
    }
    return 0;
}

__global__ void newton(uint8_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % WIDE, y = i / WIDE;
    out[i] = root_reached(x * (4.f / WIDE) - 2.001f, y * (2.f / HIGH) - 1.003f);
}

__global__ void __launch_bounds__(96) lyapunov(float *__restrict__ out, int steps, int count)
{
    for (int i = blockIdx.x * 96 + threadIdx.x; i < count; i += gridDim.x * 96) {
        float a = 2.5f + i % WIDE * (1.4f / WIDE), b = 2.6f + i / WIDE * (1.3f / HIGH), x = 0.5f,
              sum = 0;
        for (int n = 0; n < steps; n++) {
            float r = n % 6 < 3 ? a : b;
            x = r * x * (1 - x);
            sum += __logf(fabsf(r * (1 - 2 * x)) + 1e-12f);
        }
        out[i] = sum / steps;
    }
}

__global__ void orbits(unsigned *picture, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float u = fmaf(i % 512 + 0.31f, 3.f / 512, -2.2f), v = fmaf(i / 512 + 0.17f, 2.4f / 512, -1.2f);
    float x = 0, y = 0;
    int n = 0;
    for (; n < limit && fmaf(x, x, y * y) < 4; n++) {
        float next = fmaf(x, x, fmaf(-y, y, u));
        y = fmaf(2 * x, y, v);
        x = next;
    }
    if (n == limit)
        return;
    x = y = 0;
    for (int k = 0; k < n; k++) {
        float next = fmaf(x, x, fmaf(-y, y, u));
        y = fmaf(2 * x, y, v);
        x = next;
        int px = (x + 2.2f) * (512 / 3.f), py = (y + 1.2f) * (512 / 2.4f);
        if (px >= 0 && px < 512 && py >= 0 && py < 512)
            atomicAdd(picture + py * 512 + px, 1);
    }
}

__host__ __device__ inline int ship_steps(double u, double v, int limit)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < limit && x * x + y * y < 16; n++) {
        double next = fma(x, x, fma(-y, y, u));
        y = fma(2 * fabs(x), fabs(y), v);
        x = next;
    }
    return n;
}

__global__ void ship(int *__restrict__ out, int limit)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = ship_steps(x * (0.12 / WIDE) - 1.8, y * (0.08 / HIGH) - 0.075, limit);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = WIDE * HIGH;
    int *steps = room<int>(count);
    uint8_t *roots = room<uint8_t>(count);
    float *exponents = room<float>(count);
    unsigned *picture = room<unsigned>(512 * 512);
    auto wiped = [&] {
        fill(steps, count, 0xff);
        fill(roots, count, 0xff);
        fill(exponents, count, 0xff);
        fill(picture, 512 * 512, 0);
    };
    // a few points may round to another number of steps
    auto few = [](long bad, long asked) { return bad * 50 > asked ? bad : 0; };
    variant(
        "julia", "julia", wiped,
        [&] { julia<<<dim3(WIDE / 64, HIGH / 4), dim3(64, 4)>>>(steps, 256); },
        [&] {
            long bad = differ(steps, count, 17, 0, [&](size_t i) {
                return julia_steps(fmaf(i % WIDE, 3.2f / WIDE, -1.6f),
                                   fmaf(i / WIDE, 1.8f / HIGH, -0.9f), 256);
            });
            return few(bad, count / 17);
        });
    variant(
        "newton", "newton", wiped, [&] { newton<<<count / 256, 256>>>(roots); },
        [&] {
            long bad = differ(roots, count, 11, 0, [&](size_t i) {
                return root_reached(i % WIDE * (4.f / WIDE) - 2.001f,
                                    i / WIDE * (2.f / HIGH) - 1.003f);
            });
            return few(bad, count / 11);
        });
    variant(
        "lyapunov", "lyapunov", wiped, [&] { lyapunov<<<132 * 10, 96>>>(exponents, 40, count); },
        [&] {
            long bad = differ(exponents, count, 23, 2e-2, [&](size_t i) {
                float a = 2.5f + i % WIDE * (1.4f / WIDE), b = 2.6f + i / WIDE * (1.3f / HIGH),
                      x = 0.5f, sum = 0;
                for (int n = 0; n < 40; n++) {
                    float r = n % 6 < 3 ? a : b;
                    x = r * x * (1 - x);
                    sum += std::log(std::fabs(r * (1 - 2 * x)) + 1e-12f);
                }
                return sum / 40;
            });
            return bad * 3 > count / 23 ? bad : 0; // chaos keeps the rest apart
        });
    variant(
        "orbits", "orbits", wiped, [&] { orbits<<<512 * 512 / 128, 128>>>(picture, 200); },
        [&] {
            std::vector<unsigned> got = fetch(picture, 512 * 512);
            std::vector<int> want(512 * 512);
            for (int i = 0; i < 512 * 512; i++) {
                float u = fmaf(i % 512 + 0.31f, 3.f / 512, -2.2f),
                      v = fmaf(i / 512 + 0.17f, 2.4f / 512, -1.2f), x = 0, y = 0;
                int path[200], n = 0;
                for (; n < 200 && fmaf(x, x, y * y) < 4; n++) {
                    float next = fmaf(x, x, fmaf(-y, y, u));
                    y = fmaf(2 * x, y, v);
                    x = next;
                    float px = (x + 2.2f) * (512 / 3.f), py = (y + 1.2f) * (512 / 2.4f);
                    path[n] = (int)px >= 0 && px < 512 && (int)py >= 0 && py < 512
                                  ? (int)py * 512 + (int)px
                                  : -1;
                }
                for (int k = 0; n < 200 && k < n; k++)
                    if (path[k] >= 0)
                        want[path[k]]++;
            }
            long apart = 0, all = 0;
            for (int i = 0; i < 512 * 512; i++)
                apart += std::abs((int)got[i] - want[i]), all += want[i];
            return apart * 20 > all || !all ? apart : 0;
        });
    variant(
        "ship", "ship", wiped,
        [&] { ship<<<dim3(WIDE / 16, HIGH / 8), dim3(16, 8)>>>(steps, 128); },
        [&] {
            long bad = differ(steps, count, 13, 0, [&](size_t i) {
                return ship_steps(i % WIDE * (0.12 / WIDE) - 1.8, i / WIDE * (0.08 / HIGH) - 0.075,
                                  128);
            });
            return few(bad, count / 13);
        });
    return finish();
}
