// Sparse matrix times vector, rows of very unequal length: 2, 8 and 32 lanes a row.
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

template <int LANES>
__global__ void multiply(int rows, const int *first, const int *column, const float *value, const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    if (row < rows)
        for (int k = first[row] + lane; k < first[row + 1]; k += LANES)
            sum += value[k] * __ldg(&x[column[k]]);
    for (int step = LANES / 2; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, LANES);
    if (row < rows && lane == 0)
        y[row] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 150000;
    Lcg random(25);
    std::vector<int> first(1), column;
    std::vector<float> value, x = random.floats(rows, -1, 1);
    for (int row = 0; row < rows; row++) {
        // few rows have hundreds of entries, most have some ten; half of them lie near the diagonal
        int length = std::min(600.0f, 6 / sqrtf(random.unit() + 1e-4f) + 4);
        for (int k = 0; k < length; k++) {
            int near_by = std::min<int>(rows - 1, row + random.below(512));
            column.push_back(random.below(2) ? near_by : random.below(rows));
            value.push_back(random.between(-1, 1));
        }
        first.push_back(column.size());
    }
    int *df = copy(first), *dc = copy(column);
    float *dv = copy(value), *dx = copy(x), *y = room<float>(rows);
    auto clear = [&] { fill(y, rows, 0xff); };
    auto check = [&] {
        return differ(y, rows, 11, 1e-4, [&](size_t row) {
            double sum = 0;
            for (int k = first[row]; k < first[row + 1]; k++)
                sum += (double)value[k] * x[column[k]];
            return sum;
        });
    };
    variant(
        "lanes2", "multiply<2>", clear, [&] { multiply<2><<<(rows * 2 + 127) / 128, 128>>>(rows, df, dc, dv, dx, y); },
        check);
    variant(
        "lanes8", "multiply<8>", clear, [&] { multiply<8><<<(rows * 8 + 255) / 256, 256>>>(rows, df, dc, dv, dx, y); },
        check);
    variant(
        "lanes32", "multiply<32>", clear,
        [&] { multiply<32><<<(rows * 32 + 511) / 512, 512>>>(rows, df, dc, dv, dx, y); }, check);
    return finish();
}
