// Sparse matrices as lists of entries and as padded rows: products of a COO matrix with sums joined
// in warps, of an ELL matrix by columns, of a matrix of diagonals, pointers of rows found from
// sorted entries, and entries sent to their columns.
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

constexpr int ROWS = 1 << 19, COLUMNS = 1 << 19;

// equal rows of a warp are summed first; entries are sorted by rows
__global__ void coo(const int *__restrict__ row, const int *__restrict__ column,
                    const float *__restrict__ value, const float *__restrict__ x, float *y,
                    int count)
{
    int lane = threadIdx.x % 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - lane < count;
         i += gridDim.x * blockDim.x) {
        int r = i < count ? row[i] : -1;
        float sum = i < count ? value[i] * x[column[i]] : 0;
        for (int step = 1; step < 32; step *= 2) {
            float other = __shfl_up_sync(~0u, sum, step);
            int which = __shfl_up_sync(~0u, r, step);
            if (lane >= step && which == r)
                sum += other;
        }
        int next = __shfl_down_sync(~0u, r, 1);
        if (r >= 0 && (lane == 31 || next != r))
            atomicAdd(y + r, sum);
    }
}

__global__ void ell(const int *__restrict__ column, const float *__restrict__ value,
                    const float *__restrict__ x, float *__restrict__ y, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int c = column[k * ROWS + r];
        if (c >= 0)
            sum += value[k * ROWS + r] * x[c];
    }
    y[r] = sum;
}

__constant__ int OFFSETS[16];

__global__ void diagonals(const double *__restrict__ value, const double *__restrict__ x,
                          double *__restrict__ y, int many)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
#pragma unroll 3
    for (int k = 0; k < many; k++) {
        int c = r + OFFSETS[k];
        if (c >= 0 && c < COLUMNS)
            sum += value[k * ROWS + r] * x[c];
    }
    y[r] = sum;
}

__global__ void pointers(const int *__restrict__ row, int *__restrict__ start, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count)
        return;
    int before = i ? row[i - 1] : -1, here = i < count ? row[i] : ROWS;
    for (int r = before + 1; r <= here; r++)
        start[r] = i;
}

// the order of entries within a column is left open
__global__ void send(const int *__restrict__ row, const int *__restrict__ column,
                     const float *__restrict__ value, int *next, int *__restrict__ rows,
                     float *__restrict__ values, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int to = atomicAdd(next + column[i], 1);
        rows[to] = row[i];
        values[to] = value[i];
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(59);
    const int width = 12, many = 9, offsets[16] = {-4096, -512, -64, -1, 0, 1, 64, 512, 4096};
    std::vector<int> row, column, padded(width * ROWS, -1), start(ROWS + 1), next(COLUMNS + 1);
    std::vector<float> value, padded_value(width * ROWS), x = random.floats(COLUMNS, -1, 1);
    std::vector<double> expected(ROWS), diagonal(many * ROWS), dx(COLUMNS);
    for (int r = 0; r < ROWS; r++) {
        int length = r % 97 == 0 ? 0 : random.below(16) ? 2 + random.below(9) : width;
        start[r] = row.size();
        for (int k = 0; k < length; k++) {
            int c = k % 3 ? random.below(COLUMNS)
                          : std::clamp(r + (int)random.below(2000) - 1000, 0, COLUMNS - 1);
            float v = random.between(-1, 1);
            row.push_back(r);
            column.push_back(c);
            value.push_back(v);
            padded[k * ROWS + r] = c;
            padded_value[k * ROWS + r] = v;
            expected[r] += (double)v * x[c];
            next[c + 1]++;
        }
    }
    const int count = row.size();
    start[ROWS] = count;
    for (int c = 0; c < COLUMNS; c++)
        next[c + 1] += next[c];
    for (double &d : diagonal)
        d = random.between(-1, 1);
    for (double &d : dx)
        d = random.between(-1, 1);
    must(cudaMemcpyToSymbol(OFFSETS, offsets, sizeof offsets));
    int *R = copy(row), *C = copy(column), *PC = copy(padded), *first = room<int>(ROWS + 1),
        *N = room<int>(COLUMNS + 1), *to_rows = room<int>(count);
    float *V = copy(value), *PV = copy(padded_value), *X = copy(x), *y = room<float>(ROWS),
          *to_values = room<float>(count);
    double *D = copy(diagonal), *DX = copy(dx), *dy = room<double>(ROWS);
    auto wiped = [&] {
        fill(y, ROWS, 0);
        fill(dy, ROWS, 0xff);
        fill(first, ROWS + 1, 0xff);
        put(N, next);
    };
    auto check = [&] { return differ(y, ROWS, 1, 1e-4, [&](size_t i) { return expected[i]; }); };
    variant(
        "coo", "coo", wiped, [&] { coo<<<132 * 4, 512>>>(R, C, V, X, y, count); }, check);
    variant(
        "ell", "ell", wiped, [&] { ell<<<ROWS / 128, 128>>>(PC, PV, X, y, width); }, check);
    variant(
        "diagonals", "diagonals", wiped, [&] { diagonals<<<ROWS / 256, 256>>>(D, DX, dy, many); },
        [&] {
            return differ(dy, ROWS, 1, 1e-10, [&](size_t r) {
                double sum = 0;
                for (int k = 0; k < many; k++) {
                    int c = (int)r + offsets[k];
                    if (c >= 0 && c < COLUMNS)
                        sum += diagonal[k * ROWS + r] * dx[c];
                }
                return sum;
            });
        });
    variant(
        "pointers", "pointers", wiped, [&] { pointers<<<count / 256 + 1, 256>>>(R, first, count); },
        [&] { return differ(first, ROWS + 1, 1, 0, [&](size_t r) { return start[r]; }); });
    variant(
        "send", "send", wiped,
        [&] { send<<<132 * 8, 256>>>(R, C, V, N, to_rows, to_values, count); },
        [&] {
            std::vector<int> end = fetch(N, COLUMNS), where = fetch(to_rows, count, false);
            std::vector<float> what = fetch(to_values, count, false);
            long bad = 0;
            std::vector<uint64_t> got(COLUMNS), want(COLUMNS);
            auto mix = [](int r, float v) {
                uint32_t bits;
                memcpy(&bits, &v, 4);
                return (r * 0x9e3779b97f4a7c15ull) ^ bits;
            };
            for (int i = 0; i < count; i++)
                want[column[i]] += mix(row[i], value[i]);
            for (int c = 0; c < COLUMNS; c++) {
                bad += end[c] != next[c + 1];
                for (int i = next[c]; i < next[c + 1]; i++)
                    got[c] += mix(where[i], what[i]);
                bad += got[c] != want[c];
            }
            return bad;
        });
    return finish();
}
