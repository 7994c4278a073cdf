// Sparse matrix times vector in three forms: jagged diagonals, slices of 32 rows, blocks of 4 x 4.
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

// rows sorted by length; diagonal d has the d-th entry of the rows that are longer than d
__global__ void multiply_jagged(int rows, int diagonals, const int *start, const int *column, const float *value,
                                const int *order, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int d = 0; d < diagonals; d++) {
        int k = start[d] + i;
        if (k >= start[d + 1])
            break;
        sum += value[k] * x[column[k]];
    }
    if (i < rows)
        y[order[i]] = sum;
}

__global__ void multiply_slices(int rows, const int *start, const int *column, const float *value, const float *x,
                                float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, slice = row / 32, lane = row % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[slice] + lane; k < start[slice + 1]; k += 32)
        if (column[k] >= 0)
            sum += value[k] * x[column[k]];
    y[row] = sum;
}

// four lanes a row of blocks; a lane has one row of each 4 x 4 block
__global__ void multiply_blocks(int block_rows, const int *first, const int *column, const float4 *value,
                                const float4 *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 4;
    if (row >= block_rows)
        return;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++) {
        float4 m = value[k * 4 + i % 4], v = x[column[k]];
        sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
    }
    y[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 1 << 17, widest = 48;
    Lcg random(26);
    std::vector<int> length(rows), order(rows);
    std::vector<int> columns((size_t)rows * widest);
    std::vector<float> values((size_t)rows * widest), x = random.floats(rows, -1, 1);
    for (int row = 0; row < rows; row++) {
        order[row] = row;
        length[row] = 8 + random.below(random.below(8) ? 16 : widest - 8);
        for (int k = 0; k < length[row]; k++) {
            columns[row * widest + k] = random.below(3) ? (row + random.below(1000)) % rows : random.below(rows);
            values[row * widest + k] = random.between(-1, 1);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length[a] > length[b]; });

    std::vector<int> diagonal(1), jagged_column, slice(1), slice_column, block_first(1), block_column;
    std::vector<float> jagged_value, slice_value, block_value;
    for (int d = 0; d < length[order[0]]; d++) {
        for (int i = 0; i < rows && length[order[i]] > d; i++) {
            jagged_column.push_back(columns[order[i] * widest + d]);
            jagged_value.push_back(values[order[i] * widest + d]);
        }
        diagonal.push_back(jagged_column.size());
    }
    for (int first = 0; first < rows; first += 32) {
        int longest = *std::max_element(length.begin() + first, length.begin() + first + 32);
        for (int k = 0; k < longest; k++)
            for (int row = first; row < first + 32; row++) {
                slice_column.push_back(k < length[row] ? columns[row * widest + k] : -1);
                slice_value.push_back(k < length[row] ? values[row * widest + k] : 0);
            }
        slice.push_back(slice_column.size());
    }
    for (int row = 0; row < rows / 4; row++) {
        for (int k = 0, blocks = 6 + random.below(8); k < blocks; k++) {
            block_column.push_back(random.below(2) ? (row + random.below(64)) % (rows / 4) : random.below(rows / 4));
            for (int e = 0; e < 16; e++)
                block_value.push_back(random.between(-1, 1));
        }
        block_first.push_back(block_column.size());
    }
    int *jd = copy(diagonal), *jc = copy(jagged_column), *jo = copy(order), *ss = copy(slice), *sc = copy(slice_column);
    int *bf = copy(block_first), *bc = copy(block_column);
    float *jv = copy(jagged_value), *sv = copy(slice_value), *bv = copy(block_value), *dx = copy(x),
          *y = room<float>(rows);
    auto clear = [&] { fill(y, rows, 0xff); };
    auto check = [&] {
        return differ(y, rows, 7, 1e-4, [&](size_t row) {
            double sum = 0;
            for (int k = 0; k < length[row]; k++)
                sum += (double)values[row * widest + k] * x[columns[row * widest + k]];
            return sum;
        });
    };
    variant(
        "jagged", "multiply_jagged", clear,
        [&] { multiply_jagged<<<rows / 256, 256>>>(rows, diagonal.size() - 1, jd, jc, jv, jo, dx, y); }, check);
    variant(
        "slices", "multiply_slices", clear, [&] { multiply_slices<<<rows / 128, 128>>>(rows, ss, sc, sv, dx, y); },
        check);
    variant(
        "blocks", "multiply_blocks", clear,
        [&] { multiply_blocks<<<rows / 256, 256>>>(rows / 4, bf, bc, (const float4 *)bv, (const float4 *)dx, y); },
        [&] {
            return differ(y, rows, 7, 1e-4, [&](size_t i) {
                double sum = 0;
                for (int k = block_first[i / 4]; k < block_first[i / 4 + 1]; k++)
                    for (int c = 0; c < 4; c++)
                        sum += (double)block_value[k * 16 + i % 4 * 4 + c] * x[block_column[k] * 4 + c];
                return sum;
            });
        });
    return finish();
}
