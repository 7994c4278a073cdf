// Parts of a multigrid solver on cubes: residual, restriction by full weights, prolongation by
// linear weights, some smoothing steps of small squares kept in shared memory.
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

constexpr int FINE = 160, COARSE = FINE / 2;

__device__ __host__ inline size_t at(int n, int x, int y, int z)
{
    return ((size_t)z * n + y) * n + x;
}

__global__ void residual(const float *__restrict__ u, const float *__restrict__ f,
                         float *__restrict__ r, float h2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x >= FINE)
        return;
    size_t i = at(FINE, x, y, z);
    if (x == 0 || y == 0 || z == 0 || x == FINE - 1 || y == FINE - 1 || z == FINE - 1) {
        r[i] = 0;
        return;
    }
    r[i] = f[i] - (6 * u[i] - u[i - 1] - u[i + 1] - u[i - FINE] - u[i + FINE] - u[i - FINE * FINE] -
                   u[i + FINE * FINE]) /
                      h2;
}

// a coarse point is at even fine points
__global__ void restricted(const float *__restrict__ fine, float *__restrict__ coarse)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x >= COARSE)
        return;
    float sum = 0;
    if (x && y && z)
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
#pragma unroll
                for (int dx = -1; dx <= 1; dx++)
                    sum += (2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz)) *
                           fine[at(FINE, 2 * x + dx, 2 * y + dy, 2 * z + dz)];
    coarse[at(COARSE, x, y, z)] = sum / 64;
}

__global__ void prolonged(const float *__restrict__ coarse, float *__restrict__ fine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x >= FINE)
        return;
    float sum = 0;
    for (int dz = 0; dz <= z % 2; dz++)
        for (int dy = 0; dy <= y % 2; dy++)
            for (int dx = 0; dx <= x % 2; dx++)
                sum += coarse[at(COARSE, min(x / 2 + dx, COARSE - 1), min(y / 2 + dy, COARSE - 1),
                                 min(z / 2 + dz, COARSE - 1))];
    fine[at(FINE, x, y, z)] += sum / (1 << (x % 2 + y % 2 + z % 2));
}

// a block is a problem of 32 x 32 with zeros around it
__global__ void smoothed(const float *__restrict__ f, float *__restrict__ u, int steps)
{
    __shared__ float old[34][35];
    int x = threadIdx.x, y = threadIdx.y;
    for (int i = y * 32 + x; i < 34 * 35; i += 1024)
        old[i / 35][i % 35] = 0;
    float right = f[blockIdx.x * 1024 + y * 32 + x], mine = 0;
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        mine += 0.8f * (0.25f * (right + old[y][x + 1] + old[y + 2][x + 1] + old[y + 1][x] +
                                 old[y + 1][x + 2]) -
                        mine);
        __syncthreads();
        old[y + 1][x + 1] = mine;
        __syncthreads();
    }
    u[blockIdx.x * 1024 + y * 32 + x] = mine;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = FINE * FINE * FINE, small = COARSE * COARSE * COARSE, problems = 396,
              steps = 40;
    const float h2 = 0.25f;
    Lcg random(167);
    std::vector<float> us = random.floats(count, -1, 1), fs = random.floats(count, -1, 1),
                       cs = random.floats(small, -1, 1);
    float *u = copy(us), *f = copy(fs), *c = copy(cs), *out = room<float>(count);
    auto wiped = [&] { fill(out, count, 0xff); };
    variant(
        "residual", "residual", wiped,
        [&] { residual<<<dim3(FINE / 32, FINE / 8, FINE), dim3(32, 8)>>>(u, f, out, h2); },
        [&] {
            return differ(out, count, 7, 1e-4, [&](size_t i) {
                int x = i % FINE, y = i / FINE % FINE, z = i / FINE / FINE;
                if (x == 0 || y == 0 || z == 0 || x == FINE - 1 || y == FINE - 1 || z == FINE - 1)
                    return 0.0;
                return fs[i] - (6.0 * us[i] - us[i - 1] - us[i + 1] - us[i - FINE] - us[i + FINE] -
                                us[i - FINE * FINE] - us[i + FINE * FINE]) /
                                   h2;
            });
        });
    variant(
        "restrict", "restricted", wiped,
        [&] { restricted<<<dim3(1, COARSE / 2, COARSE), dim3(96, 2)>>>(u, out); },
        [&] {
            return differ(out, small, 3, 1e-5, [&](size_t i) {
                int x = i % COARSE, y = i / COARSE % COARSE, z = i / COARSE / COARSE;
                double sum = 0;
                for (int k = 0; x && y && z && k < 27; k++) {
                    int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
                    sum += (2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz)) *
                           us[at(FINE, 2 * x + dx, 2 * y + dy, 2 * z + dz)];
                }
                return sum / 64;
            });
        });
    variant(
        "prolong", "prolonged", [&] { put(out, us); },
        [&] { prolonged<<<dim3((FINE + 63) / 64, FINE / 4, FINE), dim3(64, 4)>>>(c, out); },
        [&] {
            return differ(out, count, 7, 1e-5, [&](size_t i) {
                int x = i % FINE, y = i / FINE % FINE, z = i / FINE / FINE;
                double sum = 0;
                for (int k = 0; k < 8; k++)
                    sum += cs[at(COARSE, std::min(x / 2 + (k & 1 & x), COARSE - 1),
                                 std::min(y / 2 + (k / 2 & 1 & y), COARSE - 1),
                                 std::min(z / 2 + (k / 4 & z & 1), COARSE - 1))];
                return us[i] + sum / 8;
            });
        });
    variant(
        "smooth", "smoothed", wiped, [&] { smoothed<<<problems, dim3(32, 32)>>>(f, out, steps); },
        [&] {
            std::vector<float> got = fetch(out, problems * 1024);
            long bad = 0;
            for (int p = 0; p < problems; p += 11) {
                std::vector<double> now(34 * 34), next(34 * 34);
                for (int s = 0; s < steps; s++) {
                    for (int i = 0; i < 1024; i++) {
                        int k = (i / 32 + 1) * 34 + i % 32 + 1;
                        next[k] = now[k] + 0.8 * (0.25 * (fs[p * 1024 + i] + now[k - 1] +
                                                          now[k + 1] + now[k - 34] + now[k + 34]) -
                                                  now[k]);
                    }
                    now.swap(next);
                }
                for (int i = 0; i < 1024; i++)
                    bad += !near(got[p * 1024 + i], now[(i / 32 + 1) * 34 + i % 32 + 1], 1e-4);
            }
            return bad;
        });
    return finish();
}
