// Matrix times vector: a warp a row, a thread a row of the matrix by rows, a thread a row of it by columns, slices
// joined by atomics.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

__global__ void gemv_warp(const float4 *a, const float4 *x, float *y, int rows, int quads)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int q = lane; q < quads; q += 32) {
        float4 m = a[(size_t)row * quads + q], v = x[q];
        sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        y[row] = sum;
}

__global__ void gemv_thread(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < columns; c++)
        sum += a[(size_t)row * columns + c] * x[c];
    y[row] = sum;
}

// a is stored by columns; each block takes a slice of the columns
__global__ void gemv_columns(const float *a, const float *x, float *y, int rows, int columns)
{
    extern __shared__ float part[];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int slice = columns / gridDim.y, first = blockIdx.y * slice;
    for (int c = threadIdx.x; c < slice; c += blockDim.x)
        part[c] = x[first + c];
    __syncthreads();
    if (row >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < slice; c++)
        sum += a[(size_t)(first + c) * rows + row] * part[c];
    if (gridDim.y == 1)
        y[row] = sum;
    else
        atomicAdd(&y[row], sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 4096, columns = 4096;
    Lcg random(14);
    std::vector<float> a = random.floats((size_t)rows * columns, -1, 1), x = random.floats(columns, -1, 1);
    float *da = copy(a), *dx = copy(x), *y = room<float>(rows);
    auto clear = [&] { fill(y, rows, 0); };
    auto check = [&](size_t row_step, size_t column_step, int width) {
        return differ(y, rows, 41, 1e-3, [&](size_t row) {
            double sum = 0;
            for (int c = 0; c < width; c++)
                sum += (double)a[row * row_step + c * column_step] * x[c];
            return sum;
        });
    };
    variant(
        "warp", "gemv_warp", clear,
        [&] { gemv_warp<<<rows / 8, 256>>>((const float4 *)da, (const float4 *)dx, y, rows, columns / 4); },
        [&] { return check(columns, 1, columns); });
    variant(
        "thread", "gemv_thread", clear, [&] { gemv_thread<<<rows / 128, 128>>>(da, dx, y, rows, 512); },
        [&] { return check(512, 1, 512); });
    variant(
        "columns", "gemv_columns", clear,
        [&] { gemv_columns<<<dim3(rows / 32, 1), 32, 1024 * 4>>>(da, dx, y, rows, 1024); },
        [&] { return check(1, rows, 1024); });
    variant(
        "slices", "gemv_columns", clear,
        [&] { gemv_columns<<<dim3(rows / 256, 32), 256, columns / 32 * 4>>>(da, dx, y, rows, columns); },
        [&] { return check(1, rows, columns); });
    return finish();
}
