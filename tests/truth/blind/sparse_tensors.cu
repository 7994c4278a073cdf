// Sparse tensors and products: a tensor times two matrices with atomics and by fibres, products of
// dense rows only where a matrix has entries, a product of two sparse matrices by tables in shared
// memory, and rows of two sparse matrices merged.
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

constexpr int RANK = 32, A_SIZE = 4096, B_SIZE = 3000, C_SIZE = 2000, ENTRIES = 120000, ROWS = 4096,
              TABLE = 512;

// a warp an entry, a column of the factors a lane
__global__ void entries_atomic(const int4 *__restrict__ entries, const float *__restrict__ b,
                               const float *__restrict__ c, float *out, int count)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (e >= count)
        return;
    int4 t = entries[e];
    atomicAdd(out + t.x * RANK + lane,
              __int_as_float(t.w) * b[t.y * RANK + lane] * c[t.z * RANK + lane]);
}

// a warp a slice; entries of a fibre share b and are summed before
__global__ void fibres(const int *__restrict__ slices, const int *__restrict__ starts,
                       const int *__restrict__ which, const int2 *__restrict__ last,
                       const float *__restrict__ b, const float *__restrict__ c,
                       float *__restrict__ out)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int f = slices[s]; f < slices[s + 1]; f++) {
        float inner = 0;
        for (int k = starts[f]; k < starts[f + 1]; k++)
            inner += __int_as_float(last[k].y) * c[last[k].x * RANK + lane];
        sum += inner * b[which[f] * RANK + lane];
    }
    out[s * RANK + lane] = sum;
}

// eight lanes an entry of the pattern, four numbers each at once
__global__ void sampled(const int2 *__restrict__ places, const float4 *__restrict__ x,
                        const float4 *__restrict__ y, float *__restrict__ out, int count)
{
    int e = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    int2 p = places[min(e, count - 1)];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        float4 u = x[p.x * 16 + k * 8 + lane], v = y[p.y * 16 + k * 8 + lane];
        sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int d = 4; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0 && e < count)
        out[e] = sum;
}

// a warp a row of the product: a hash table of columns, then how many and their sum by columns
__global__ void __launch_bounds__(128)
    product_rows(const int *__restrict__ starts, const int *__restrict__ columns,
                 const float *__restrict__ values, int *__restrict__ sizes,
                 float *__restrict__ sums)
{
    __shared__ int keys[4][TABLE];
    __shared__ float table[4][TABLE];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + w;
    for (int k = lane; k < TABLE; k += 32)
        keys[w][k] = -1, table[w][k] = 0;
    __syncwarp();
    for (int i = starts[row]; i < starts[row + 1]; i++) {
        int middle = columns[i];
        float v = values[i];
        for (int j = starts[middle] + lane; j < starts[middle + 1]; j += 32) {
            int column = columns[j], slot = column * 107 % TABLE;
            while (true) {
                int there = atomicCAS(&keys[w][slot], -1, column);
                if (there == -1 || there == column)
                    break;
                slot = (slot + 1) % TABLE;
            }
            atomicAdd(&table[w][slot], v * values[j]);
        }
    }
    __syncwarp();
    int many = 0;
    float sum = 0;
    for (int k = lane; k < TABLE; k += 32)
        if (keys[w][k] >= 0)
            many++, sum += table[w][k] * (1 + keys[w][k] % 5);
    many = __reduce_add_sync(~0u, many);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        sizes[row] = many, sums[row] = sum;
}

// a thread a row: two sorted rows merged
__host__ __device__ inline int merged(const int *a, const float *u, int many, const int *b,
                                      const float *v, int others, int *column, float *value)
{
    int i = 0, j = 0, size = 0;
    while (i < many || j < others) {
        int x = i < many ? a[i] : 1 << 30, y = j < others ? b[j] : 1 << 30;
        column[size] = x < y ? x : y;
        value[size++] = (x <= y ? u[i] : 0) + 0.5f * (y <= x ? v[j] : 0);
        i += x <= y, j += y <= x;
    }
    return size;
}

__global__ void merge_rows(const int *__restrict__ starts, const int *__restrict__ columns,
                           const float *__restrict__ values, int *__restrict__ sizes,
                           int *__restrict__ column, float *__restrict__ value)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, other = (row * 5 + 3) % ROWS, to = row * 64;
    int a = starts[row], b = starts[other];
    sizes[row] = merged(columns + a, values + a, starts[row + 1] - a, columns + b, values + b,
                        starts[other + 1] - b, column + to, value + to);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(103);
    const int pattern = 200000;
    std::vector<float> b = random.floats(B_SIZE * RANK, -1, 1),
                       c = random.floats(C_SIZE * RANK, -1, 1), x = random.floats(ROWS * 64, -1, 1);
    std::vector<float> y = random.floats(ROWS * 64, -1, 1), number = random.floats(ENTRIES, -1, 1);
    std::vector<int4> entries(ENTRIES);
    for (int i = 0; i < ENTRIES; i++) {
        int bits;
        memcpy(&bits, &number[i], 4);
        entries[i] = make_int4(random.below(4) ? random.below(A_SIZE) : random.below(60),
                               random.below(B_SIZE) / 10 * 10, random.below(C_SIZE), bits);
    }
    auto order = entries;
    std::sort(order.begin(), order.end(), [](int4 p, int4 q) {
        return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
    });
    std::vector<int> slices, starts, which, row_starts, columns;
    std::vector<int2> last(ENTRIES), places(pattern);
    for (int i = 0, slice = -1; i < ENTRIES; i++) {
        while (slice < order[i].x)
            slices.push_back(starts.size()), slice++;
        if (i == 0 || order[i].x != order[i - 1].x || order[i].y != order[i - 1].y)
            starts.push_back(i), which.push_back(order[i].y);
        last[i] = make_int2(order[i].z, order[i].w);
    }
    while (slices.size() <= A_SIZE)
        slices.push_back(starts.size());
    starts.push_back(ENTRIES);
    std::vector<double> want(A_SIZE * RANK);
    for (int i = 0; i < ENTRIES; i++)
        for (int k = 0; k < RANK; k++)
            want[entries[i].x * RANK + k] +=
                (double)number[i] * b[entries[i].y * RANK + k] * c[entries[i].z * RANK + k];
    for (int i = 0; i < pattern; i++)
        places[i] = make_int2((long)i * ROWS / pattern, random.below(ROWS));
    for (int r = 0; r < ROWS; r++) {
        row_starts.push_back(columns.size());
        std::vector<int> own(2 + random.below(random.below(10) ? 14 : 24));
        for (int &v : own)
            v = random.below(ROWS);
        std::sort(own.begin(), own.end());
        columns.insert(columns.end(), own.begin(), std::unique(own.begin(), own.end()));
    }
    row_starts.push_back(columns.size());
    std::vector<float> values = random.floats(columns.size(), -1, 1);
    int4 *E = copy(entries);
    float *B = copy(b), *C = copy(c), *X = copy(x), *Y = copy(y), *V = copy(values),
          *out = room<float>(ROWS * 64);
    int *L = copy(slices), *S = copy(starts), *W = copy(which), *R = copy(row_starts),
        *K = copy(columns), *sizes = room<int>(ROWS), *column = room<int>(ROWS * 64);
    int2 *T = copy(last), *P = copy(places);
    auto zero = [&] {
        fill(out, ROWS * 64, 0);
        fill(sizes, ROWS, 0x77);
        fill(column, ROWS * 64, 0);
    };
    variant(
        "entries_atomic", "entries_atomic", zero,
        [&] { entries_atomic<<<(ENTRIES + 7) / 8, 256>>>(E, B, C, out, ENTRIES); },
        [&] {
            std::vector<float> got = fetch(out, A_SIZE * RANK, false);
            long bad = 0;
            for (int i = 0; i < A_SIZE * RANK; i++)
                bad += !near(got[i], want[i], 1e-3);
            return bad;
        });
    variant(
        "fibres", "fibres", zero, [&] { fibres<<<A_SIZE / 4, 128>>>(L, S, W, T, B, C, out); },
        [&] { return differ(out, A_SIZE * RANK, 1, 1e-3, [&](size_t i) { return want[i]; }); });
    variant(
        "sampled", "sampled", zero,
        [&] {
            sampled<<<(pattern * 8 + 255) / 256, 256>>>(P, (float4 *)X, (float4 *)Y, out, pattern);
        },
        [&] {
            return differ(out, pattern, 7, 1e-4, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < 64; k++)
                    sum += x[places[i].x * 64 + k] * y[places[i].y * 64 + k];
                return sum;
            });
        });
    variant(
        "product_rows", "product_rows", zero,
        [&] { product_rows<<<ROWS / 4, 128>>>(R, K, V, sizes, out); },
        [&] {
            std::vector<float> got = fetch(out, ROWS, false);
            std::vector<int> many = fetch(sizes, ROWS);
            long bad = 0;
            for (int r = 0; r < ROWS; r++) {
                std::vector<int> seen;
                double sum = 0;
                for (int i = row_starts[r]; i < row_starts[r + 1]; i++)
                    for (int j = row_starts[columns[i]]; j < row_starts[columns[i] + 1]; j++)
                        seen.push_back(columns[j]),
                            sum += values[i] * values[j] * (1 + columns[j] % 5);
                std::sort(seen.begin(), seen.end());
                bad += many[r] != std::unique(seen.begin(), seen.end()) - seen.begin() ||
                       !near(got[r], sum, 1e-3);
            }
            return bad;
        });
    variant(
        "merge_rows", "merge_rows", zero,
        [&] { merge_rows<<<ROWS / 32, 32>>>(R, K, V, sizes, column, out); },
        [&] {
            std::vector<float> got = fetch(out, ROWS * 64);
            std::vector<int> many = fetch(sizes, ROWS), place = fetch(column, ROWS * 64);
            long bad = 0;
            for (int r = 0; r < ROWS; r++) {
                int c[64], other = (r * 5 + 3) % ROWS, a = row_starts[r], o = row_starts[other];
                float v[64];
                int size = merged(&columns[a], &values[a], row_starts[r + 1] - a, &columns[o],
                                  &values[o], row_starts[other + 1] - o, c, v);
                bad += many[r] != size;
                for (int k = 0; k < size; k++)
                    bad += place[r * 64 + k] != c[k] || !near(got[r * 64 + k], v[k], 1e-5);
            }
            return bad;
        });
    return finish();
}
