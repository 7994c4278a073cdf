// Elements of eighth order: slopes along three directions with 8 x 8 x 8 points in shared memory, a
// column of points in each thread, the whole operator of Poisson's equation in double precision,
// and values carried to a finer mesh of 12 points a side.
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

constexpr int P = 8, CELL = P * P * P, FINE = 12, ELEMENTS = 1536;

__constant__ float SLOPE[P][P], FINER[FINE][P];
__constant__ double SLOPE64[P][P];

__global__ void __launch_bounds__(CELL)
    slopes_points(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float cell[CELL], d[P][P + 1];
    int t = threadIdx.x, x = t % P, y = t / P % P, z = t / (P * P), e = blockIdx.x;
    cell[t] = in[e * CELL + t];
    if (t < P * P)
        d[t / P][t % P] = SLOPE[t / P][t % P];
    __syncthreads();
    float u = 0, v = 0, w = 0;
#pragma unroll
    for (int k = 0; k < P; k++) {
        u += d[x][k] * cell[(z * P + y) * P + k];
        v += d[y][k] * cell[(z * P + k) * P + x];
        w += d[z][k] * cell[(k * P + y) * P + x];
    }
    out[(e * 3 + 0) * CELL + t] = u, out[(e * 3 + 1) * CELL + t] = v,
                             out[(e * 3 + 2) * CELL + t] = w;
}

// four elements a block; a thread keeps the column of z in registers
__global__ void __launch_bounds__(256)
    slopes_columns(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float layer[4][P][P + 1];
    int t = threadIdx.x % 64, g = threadIdx.x / 64, x = t % P, y = t / P, e = blockIdx.x * 4 + g;
    float column[P];
#pragma unroll
    for (int z = 0; z < P; z++)
        column[z] = in[e * CELL + z * 64 + t];
#pragma unroll
    for (int z = 0; z < P; z++) {
        __syncthreads();
        layer[g][y][x] = column[z];
        __syncthreads();
        float u = 0, v = 0, w = 0;
#pragma unroll
        for (int k = 0; k < P; k++) {
            u += SLOPE[x][k] * layer[g][y][k];
            v += SLOPE[y][k] * layer[g][k][x];
            w += SLOPE[z][k] * column[k];
        }
        out[(e * 3 + 0) * CELL + z * 64 + t] = u, out[(e * 3 + 1) * CELL + z * 64 + t] = v,
                                          out[(e * 3 + 2) * CELL + z * 64 + t] = w;
    }
}

// slopes, six numbers of the shape at each point, and slopes turned round
__global__ void __launch_bounds__(CELL)
    operate(const double *__restrict__ shape, const double *__restrict__ in,
            double *__restrict__ out)
{
    __shared__ double a[CELL], b[CELL], c[CELL], d[P][P + 1];
    int t = threadIdx.x, x = t % P, y = t / P % P, z = t / (P * P), e = blockIdx.x;
    a[t] = in[e * CELL + t];
    if (t < P * P)
        d[t / P][t % P] = SLOPE64[t / P][t % P];
    __syncthreads();
    double u = 0, v = 0, w = 0;
#pragma unroll
    for (int k = 0; k < P; k++) {
        u += d[x][k] * a[(z * P + y) * P + k];
        v += d[y][k] * a[(z * P + k) * P + x];
        w += d[z][k] * a[(k * P + y) * P + x];
    }
    __syncthreads();
    const double *g = shape + e * 6 * CELL + t;
    a[t] = g[0] * u + g[CELL] * v + g[2 * CELL] * w;
    b[t] = g[CELL] * u + g[3 * CELL] * v + g[4 * CELL] * w;
    c[t] = g[2 * CELL] * u + g[4 * CELL] * v + g[5 * CELL] * w;
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int k = 0; k < P; k++)
        sum += d[k][x] * a[(z * P + y) * P + k] + d[k][y] * b[(z * P + k) * P + x] +
               d[k][z] * c[(k * P + y) * P + x];
    out[e * CELL + t] = sum;
}

// one direction after the other
__global__ void __launch_bounds__(FINE *FINE)
    finer(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float cell[CELL], one[P * P * FINE], two[P * FINE * FINE];
    int t = threadIdx.x, e = blockIdx.x;
    for (int k = t; k < CELL; k += FINE * FINE)
        cell[k] = in[e * CELL + k];
    __syncthreads();
    for (int k = t; k < P * P * FINE; k += FINE * FINE) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < P; j++)
            sum += FINER[k % FINE][j] * cell[k / FINE * P + j];
        one[k] = sum;
    }
    __syncthreads();
    for (int k = t; k < P * FINE * FINE; k += FINE * FINE) {
        float sum = 0;
        int x = k % FINE, y = k / FINE % FINE, z = k / (FINE * FINE);
#pragma unroll
        for (int j = 0; j < P; j++)
            sum += FINER[y][j] * one[(z * P + j) * FINE + x];
        two[k] = sum;
    }
    __syncthreads();
    float column[P];
#pragma unroll
    for (int j = 0; j < P; j++)
        column[j] = two[j * FINE * FINE + t];
#pragma unroll
    for (int z = 0; z < FINE; z++) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < P; j++)
            sum += FINER[z][j] * column[j];
        out[(e * FINE + z) * FINE * FINE + t] = sum;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(43);
    const int some = ELEMENTS / 2;
    std::vector<float> field = random.floats(ELEMENTS * CELL, -1, 1);
    std::vector<double> doubles(some * CELL), shape(some * 6 * CELL);
    float slope[P][P], fine[FINE][P];
    double slope64[P][P];
    for (int i = 0; i < P; i++)
        for (int j = 0; j < P; j++)
            slope64[i][j] = slope[i][j] = random.between(-1, 1);
    for (auto &row : fine)
        for (float &v : row)
            v = random.between(-1, 1);
    for (double &v : doubles)
        v = random.between(-1, 1);
    for (double &v : shape)
        v = random.between(0, 2);
    must(cudaMemcpyToSymbol(SLOPE, slope, sizeof slope));
    must(cudaMemcpyToSymbol(FINER, fine, sizeof fine));
    must(cudaMemcpyToSymbol(SLOPE64, slope64, sizeof slope64));
    float *F = copy(field), *out = room<float>(ELEMENTS * FINE * FINE * FINE);
    double *D = copy(doubles), *G = copy(shape), *result = room<double>(some * CELL);
    auto wiped = [&] { fill(out, ELEMENTS * 3 * CELL, 0xff); };
    auto check = [&] {
        return differ(out, ELEMENTS * 3 * CELL, 13, 1e-4, [&](size_t i) {
            int e = i / (3 * CELL), way = i / CELL % 3, t = i % CELL,
                step = way == 0   ? 1
                       : way == 1 ? P
                                  : P * P;
            int at = t / step % P;
            double sum = 0;
            for (int k = 0; k < P; k++)
                sum += slope[at][k] * field[e * CELL + t + (k - at) * step];
            return sum;
        });
    };
    variant(
        "points", "slopes_points", wiped, [&] { slopes_points<<<ELEMENTS, CELL>>>(F, out); },
        check);
    variant(
        "columns", "slopes_columns", wiped, [&] { slopes_columns<<<ELEMENTS / 4, 256>>>(F, out); },
        check);
    variant(
        "operator", "operate", wiped, [&] { operate<<<some, CELL>>>(G, D, result); },
        [&] {
            std::vector<double> got = fetch(result, some * CELL);
            long bad = 0;
            for (int e = 0; e < some; e += 5) {
                std::vector<double> u[3], want(CELL);
                for (auto &v : u)
                    v.assign(CELL, 0);
                const int steps[3] = {1, P, P * P},
                          shapes[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
                for (int way = 0; way < 3; way++)
                    for (int t = 0; t < CELL; t++)
                        for (int k = 0; k < P; k++) {
                            int at = t / steps[way] % P;
                            u[way][t] +=
                                slope64[at][k] * doubles[e * CELL + t + (k - at) * steps[way]];
                        }
                for (int way = 0; way < 3; way++)
                    for (int t = 0; t < CELL; t++) {
                        double v = 0;
                        for (int k = 0; k < 3; k++)
                            v += shape[(e * 6 + shapes[way][k]) * CELL + t] * u[k][t];
                        int at = t / steps[way] % P;
                        for (int k = 0; k < P; k++)
                            want[t + (k - at) * steps[way]] += slope64[at][k] * v;
                    }
                for (int t = 0; t < CELL; t++)
                    bad += !near(got[e * CELL + t], want[t], 1e-10);
            }
            return bad;
        });
    variant(
        "finer", "finer", wiped, [&] { finer<<<ELEMENTS, FINE * FINE>>>(F, out); },
        [&] {
            return differ(out, ELEMENTS * FINE * FINE * FINE, 997, 1e-4, [&](size_t i) {
                int x = i % FINE, y = i / FINE % FINE, z = i / (FINE * FINE) % FINE,
                    e = i / (FINE * FINE * FINE);
                double sum = 0;
                for (int k = 0; k < CELL; k++)
                    sum += (double)fine[x][k % P] * fine[y][k / P % P] * fine[z][k / (P * P)] *
                           field[e * CELL + k];
                return sum;
            });
        });
    return finish();
}
