// A step of a lattice Boltzmann flow in the plane with nine directions: pulling, pushing, cells one
// behind the other, double precision.
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

constexpr int WIDTH = 1024, HEIGHT = 512, CELLS = WIDTH * HEIGHT;
__constant__ int DX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, DY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

template <class Real> __host__ __device__ inline void collide(Real *f, Real rate)
{
    Real rho = 0, ux, uy;
#pragma unroll
    for (int k = 0; k < 9; k++)
        rho += f[k];
    ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho;
    uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho;
    Real square = 1 - Real(1.5) * (ux * ux + uy * uy);
    const Real along[9] = {0, ux, uy, -ux, -uy, ux + uy, uy - ux, -ux - uy, ux - uy};
#pragma unroll
    for (int k = 0; k < 9; k++) {
        Real weight = k == 0 ? Real(4. / 9) : k < 5 ? Real(1. / 9) : Real(1. / 36);
        f[k] += rate *
                (weight * rho * (square + 3 * along[k] + Real(4.5) * along[k] * along[k]) - f[k]);
    }
}

template <class Real>
__global__ void pull(const Real *__restrict__ from, Real *__restrict__ to, Real rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = x ? x - 1 : WIDTH - 1, right = x + 1 < WIDTH ? x + 1 : 0,
        down = y ? y - 1 : HEIGHT - 1, up = y + 1 < HEIGHT ? y + 1 : 0;
    Real f[9];
    f[0] = from[y * WIDTH + x];
    f[1] = from[CELLS + y * WIDTH + left];
    f[2] = from[2 * CELLS + down * WIDTH + x];
    f[3] = from[3 * CELLS + y * WIDTH + right];
    f[4] = from[4 * CELLS + up * WIDTH + x];
    f[5] = from[5 * CELLS + down * WIDTH + left];
    f[6] = from[6 * CELLS + down * WIDTH + right];
    f[7] = from[7 * CELLS + up * WIDTH + right];
    f[8] = from[8 * CELLS + up * WIDTH + left];
    collide(f, rate);
#pragma unroll
    for (int k = 0; k < 9; k++)
        to[k * CELLS + y * WIDTH + x] = f[k];
}

__global__ void push(const float *__restrict__ from, float *__restrict__ to, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % WIDTH, y = i / WIDTH;
    float f[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        f[k] = from[k * CELLS + i];
    collide(f, rate);
#pragma unroll
    for (int k = 0; k < 9; k++)
        to[k * CELLS + (y + DY[k] + HEIGHT) % HEIGHT * WIDTH + (x + DX[k] + WIDTH) % WIDTH] = f[k];
}

// nine numbers of a cell lie together
__global__ void pull_cells(const float *__restrict__ from, float *__restrict__ to, float rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % WIDTH, y = i / WIDTH;
    float f[9];
    for (int k = 0; k < 9; k++)
        f[k] = from[((y - DY[k] + HEIGHT) % HEIGHT * WIDTH + (x - DX[k] + WIDTH) % WIDTH) * 9 + k];
    collide(f, rate);
    for (int k = 0; k < 9; k++)
        to[i * 9 + k] = f[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const double rate = 1.2;
    Lcg random(173);
    std::vector<float> start(9 * CELLS), by_cells(9 * CELLS);
    std::vector<double> doubles(9 * CELLS);
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < CELLS; i++)
            doubles[k * CELLS + i] = by_cells[i * 9 + k] = start[k * CELLS + i] =
                (k == 0  ? 4. / 9
                 : k < 5 ? 1. / 9
                         : 1. / 36) *
                random.between(0.9f, 1.1f);
    float *from = copy(start), *cells = copy(by_cells), *to = room<float>(9 * CELLS);
    double *dfrom = copy(doubles), *dto = room<double>(9 * CELLS);
    auto wiped = [&] { fill(to, 9 * CELLS, 0xff); };
    auto pulled = [&](int cell, int k) {
        double f[9];
        for (int d = 0; d < 9; d++)
            f[d] = start[d * CELLS + (cell / WIDTH - dy[d] + HEIGHT) % HEIGHT * WIDTH +
                         (cell % WIDTH - dx[d] + WIDTH) % WIDTH];
        collide(f, rate);
        return f[k];
    };
    variant(
        "pull", "pull", wiped,
        [&] { pull<float><<<dim3(WIDTH / 128, HEIGHT), 128>>>(from, to, rate); },
        [&] {
            return differ(to, 9 * CELLS, 23, 1e-5,
                          [&](size_t i) { return pulled(i % CELLS, i / CELLS); });
        });
    variant(
        "push", "push", wiped, [&] { push<<<CELLS / 256, 256>>>(from, to, rate); },
        [&] {
            return differ(to, 9 * CELLS, 23, 1e-5, [&](size_t i) {
                int k = i / CELLS, cell = (i % CELLS / WIDTH - dy[k] + HEIGHT) % HEIGHT * WIDTH +
                                          (i % WIDTH - dx[k] + WIDTH) % WIDTH;
                double f[9];
                for (int d = 0; d < 9; d++)
                    f[d] = start[d * CELLS + cell];
                collide(f, rate);
                return f[k];
            });
        });
    variant(
        "cells", "pull_cells", wiped, [&] { pull_cells<<<CELLS / 128, 128>>>(cells, to, rate); },
        [&] {
            return differ(to, 9 * CELLS, 23, 1e-5, [&](size_t i) { return pulled(i / 9, i % 9); });
        });
    variant(
        "double", "pull", [&] { fill(dto, 9 * CELLS, 0xff); },
        [&] { pull<double><<<dim3(WIDTH / 64, HEIGHT / 4), dim3(64, 4)>>>(dfrom, dto, rate); },
        [&] {
            return differ(dto, 9 * CELLS, 23, 1e-12,
                          [&](size_t i) { return pulled(i % CELLS, i / CELLS); });
        });
    return finish();
}
