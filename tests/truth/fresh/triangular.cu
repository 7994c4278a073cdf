// Solving with a sparse lower triangle: a warp a row that waits for the rows it needs (far and near ones), one level of
// rows at a time.
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

// a row's last entry is its diagonal
__global__ void solve_waiting(int rows, const int *first, const int *column, const float *value, const float *right,
                              volatile float *x, volatile int *ready)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int last = first[row + 1] - 1;
    float sum = 0;
    for (int k = first[row] + lane; k < last; k += 32) {
        int c = column[k];
        while (!ready[c])
            ;
        __threadfence();
        sum += value[k] * x[c];
    }
    __syncwarp();
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) {
        x[row] = (right[row] - sum) / value[last];
        __threadfence();
        ready[row] = 1;
    }
}

// rows of one level need only those of earlier ones
__global__ void solve_level(int count, const int *row_of, const int *first, const int *column, const float *value,
                            const float *right, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int row = row_of[i], last = first[row + 1] - 1;
    float sum = right[row];
    for (int k = first[row]; k < last; k++)
        sum -= value[k] * x[column[k]];
    x[row] = sum / value[last];
}

struct Triangle {
    std::vector<int> first = {0}, column;
    std::vector<float> value, right;
    std::vector<double> x;
    std::vector<int> level;
    int rows, *dfirst, *dcolumn;
    float *dvalue, *dright, *dx;

    // entries of a row stand at least `nearest` and at most `farthest` before the diagonal
    Triangle(Lcg &random, int rows, int most, int nearest, int farthest) : rows(rows)
    {
        for (int row = 0; row < rows; row++) {
            float b = random.between(-1, 1);
            double sum = b;
            int deepest = 0;
            for (int k = 0, entries = random.below(most + 1); k < entries; k++) {
                int c = row - nearest - (int)random.below(farthest - nearest + 1);
                if (c < 0)
                    continue;
                column.push_back(c);
                value.push_back(random.between(-1, 1));
                sum -= value.back() * x[c];
                deepest = std::max(deepest, level[c] + 1);
            }
            column.push_back(row);
            value.push_back(most);
            first.push_back(column.size());
            right.push_back(b);
            x.push_back(sum / most);
            level.push_back(deepest);
        }
        dfirst = copy(first);
        dcolumn = copy(column);
        dvalue = copy(value);
        dright = copy(right);
        dx = room<float>(rows);
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(50);
    Triangle far(random, 32768, 12, 4000, 20000), near_by(random, 2048, 8, 1, 200),
        broad(random, 1 << 18, 16, 100000, 120000);
    std::vector<int> middle;
    std::vector<float> before(broad.rows);
    for (int row = 0; row < broad.rows; row++)
        if (broad.level[row] == 1)
            middle.push_back(row);
        else
            before[row] = (float)broad.x[row];
    int *rows = copy(middle), *ready = room<int>(far.rows);
    auto solve = [&](const char *name, Triangle &t) {
        variant(
            name, "solve_waiting",
            [&] {
                fill(t.dx, t.rows, 0xff);
                fill(ready, t.rows, 0);
            },
            [&] { solve_waiting<<<t.rows / 4, 128>>>(t.rows, t.dfirst, t.dcolumn, t.dvalue, t.dright, t.dx, ready); },
            [&] { return differ(t.dx, t.rows, 1, 1e-4, [&](size_t row) { return t.x[row]; }); });
    };
    solve("far", far);
    solve("near", near_by);
    variant(
        "level", "solve_level", [&] { put(broad.dx, before); },
        [&] {
            int count = middle.size();
            solve_level<<<(count + 127) / 128, 128>>>(count, rows, broad.dfirst, broad.dcolumn, broad.dvalue,
                                                      broad.dright, broad.dx);
        },
        [&] { return differ(broad.dx, broad.rows, 1, 1e-4, [&](size_t row) { return broad.x[row]; }); });
    return finish();
}
