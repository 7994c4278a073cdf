// Triangular systems and Cholesky factors of many small matrices: 32 unknowns by shuffles, 64
// unknowns with 32 right sides in shared memory, Cholesky of 48 in a block, of 8 in each thread in
// double precision.
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

// a warp a system of 32: lower triangle by columns, so that lanes read rows side by side
__global__ void solve_warp(const float *__restrict__ lower, const float *__restrict__ right,
                           float *__restrict__ x, int systems)
{
    int system = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (system >= systems)
        return;
    const float *l = lower + (size_t)system * 1024;
    float mine = right[system * 32 + lane];
    for (int k = 0; k < 32; k++) {
        float column = l[k * 32 + lane];
        float done = __shfl_sync(~0u, mine / column, k);
        if (lane == k)
            mine = done;
        else if (lane > k)
            mine -= column * done;
    }
    x[system * 32 + lane] = mine;
}

// a block of 32 x 8 a system of 64 (by rows) with 32 right sides
__global__ void solve_many(const float *__restrict__ lower, const float *__restrict__ right,
                           float *__restrict__ x)
{
    __shared__ float l[64][65], b[64][32];
    int me = threadIdx.y * 32 + threadIdx.x;
    for (int i = me; i < 64 * 64; i += 256)
        l[i / 64][i % 64] = lower[(size_t)blockIdx.x * 4096 + i];
    for (int i = me; i < 64 * 32; i += 256)
        b[i / 32][i % 32] = right[(size_t)blockIdx.x * 2048 + i];
    __syncthreads();
    for (int k = 0; k < 64; k++) {
        if (threadIdx.y == 0)
            b[k][threadIdx.x] /= l[k][k];
        __syncthreads();
        float done = b[k][threadIdx.x];
        for (int r = k + 1 + threadIdx.y; r < 64; r += 8)
            b[r][threadIdx.x] -= l[r][k] * done;
        __syncthreads();
    }
    for (int i = me; i < 64 * 32; i += 256)
        x[(size_t)blockIdx.x * 2048 + i] = b[i / 32][i % 32];
}

template <int N>
__global__ void factor_block(const float *__restrict__ a, float *__restrict__ lower)
{
    __shared__ float m[N][N + 1];
    for (int i = threadIdx.x; i < N * N; i += blockDim.x)
        m[i / N][i % N] = a[(size_t)blockIdx.x * N * N + i];
    for (int k = 0; k < N; k++) {
        __syncthreads();
        float pivot = sqrtf(m[k][k]);
        __syncthreads();
        for (int r = k + threadIdx.x; r < N; r += blockDim.x)
            m[r][k] = r == k ? pivot : m[r][k] / pivot;
        __syncthreads();
        int left = N - k - 1;
        for (int i = threadIdx.x; i < left * left; i += blockDim.x) {
            int r = k + 1 + i / left, c = k + 1 + i % left;
            if (c <= r)
                m[r][c] -= m[r][k] * m[c][k];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N * N; i += blockDim.x)
        lower[(size_t)blockIdx.x * N * N + i] = i % N <= i / N ? m[i / N][i % N] : 0;
}

// entries of all matrices side by side
template <int N>
__global__ void factor_thread(const double *__restrict__ a, double *__restrict__ lower,
                              int matrices)
{
    int matrix = blockIdx.x * blockDim.x + threadIdx.x;
    if (matrix >= matrices)
        return;
    double m[N][N];
#pragma unroll
    for (int r = 0; r < N; r++)
#pragma unroll
        for (int c = 0; c <= r; c++) {
            double sum = a[(size_t)(r * N + c) * matrices + matrix];
#pragma unroll
            for (int k = 0; k < c; k++)
                sum -= m[r][k] * m[c][k];
            m[r][c] = c == r ? sqrt(sum) : sum / m[c][c];
            lower[(size_t)(r * N + c) * matrices + matrix] = m[r][c];
        }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int warps = 8192, blocks = 528, matrices = 32768, n = 48;
    Lcg random(163);
    std::vector<float> columns(warps * 1024), rights(blocks * 2048), rows(blocks * 4096),
        spd((size_t)blocks * n * n);
    for (int i = 0; i < warps * 1024; i++)
        columns[i] = i / 32 % 32 == i % 32 ? random.between(1, 2) : random.between(-0.1f, 0.1f);
    for (int i = 0; i < blocks * 4096; i++)
        rows[i] = i / 64 % 64 == i % 64 ? random.between(1, 2) : random.between(-0.1f, 0.1f);
    for (float &r : rights)
        r = random.between(-1, 1);
    std::vector<double> small(64 * (size_t)matrices);
    for (int b = 0; b < blocks; b++)
        for (int r = 0; r < n; r++)
            for (int c = 0; c <= r; c++)
                spd[(b * n + r) * n + c] = spd[(b * n + c) * n + r] =
                    r == c ? n / 8.f + random.unit() : random.between(-0.5f, 0.5f);
    for (int m = 0; m < matrices; m++)
        for (int r = 0; r < 8; r++)
            for (int c = 0; c <= r; c++)
                small[(size_t)(r * 8 + c) * matrices + m] =
                    small[(size_t)(c * 8 + r) * matrices + m] =
                        r == c ? 4 + random.unit() : random.between(-0.5f, 0.5f);
    float *column = copy(columns), *row = copy(rows), *right = copy(rights), *a = copy(spd),
          *x = room<float>((size_t)blocks * n * n);
    double *sa = copy(small), *sl = room<double>(small.size());
    auto wiped = [&] { fill(x, (size_t)blocks * n * n, 0); };
    variant(
        "warp", "solve_warp", wiped,
        [&] { solve_warp<<<warps / 4, 128>>>(column, right, x, warps); },
        [&] {
            std::vector<float> got = fetch(x, warps * 32);
            long bad = 0;
            for (int s = 0; s < warps; s++)
                for (int r = 0; r < 32; r++) {
                    double sum = 0;
                    for (int k = 0; k <= r; k++)
                        sum += (double)columns[s * 1024 + k * 32 + r] * got[s * 32 + k];
                    bad += !near(sum, rights[s * 32 + r], 1e-4);
                }
            return bad;
        });
    variant(
        "many", "solve_many", wiped, [&] { solve_many<<<blocks, dim3(32, 8)>>>(row, right, x); },
        [&] {
            std::vector<float> got = fetch(x, blocks * 2048);
            long bad = 0;
            for (int i = 0; i < blocks * 2048; i += 3) {
                int s = i / 2048, r = i / 32 % 64;
                double sum = 0;
                for (int k = 0; k <= r; k++)
                    sum += (double)rows[s * 4096 + r * 64 + k] * got[s * 2048 + k * 32 + i % 32];
                bad += !near(sum, rights[i], 1e-4);
            }
            return bad;
        });
    variant(
        "factor48", "factor_block", wiped, [&] { factor_block<n><<<blocks, 128>>>(a, x); },
        [&] {
            std::vector<float> got = fetch(x, (size_t)blocks * n * n);
            long bad = 0;
            for (int b = 0; b < blocks; b++)
                for (int r = 0; r < n; r += 3)
                    for (int c = 0; c <= r; c++) {
                        double sum = 0;
                        for (int k = 0; k <= c; k++)
                            sum += (double)got[(b * n + r) * n + k] * got[(b * n + c) * n + k];
                        bad += !near(sum, spd[(b * n + r) * n + c], 1e-4);
                    }
            return bad;
        });
    variant(
        "factor8", "factor_thread", [&] { fill(sl, small.size(), 0); },
        [&] { factor_thread<8><<<matrices / 64, 64>>>(sa, sl, matrices); },
        [&] {
            std::vector<double> got = fetch(sl, small.size());
            long bad = 0;
            for (int m = 0; m < matrices; m += 3)
                for (int r = 0; r < 8; r++)
                    for (int c = 0; c <= r; c++) {
                        double sum = 0;
                        for (int k = 0; k <= c; k++)
                            sum += got[(size_t)(r * 8 + k) * matrices + m] *
                                   got[(size_t)(c * 8 + k) * matrices + m];
                        bad += !near(sum, small[(size_t)(r * 8 + c) * matrices + m], 1e-10);
                    }
            return bad;
        });
    return finish();
}
