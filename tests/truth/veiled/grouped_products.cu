// Products of a mixture of experts, whose numbers of rows are very unequal: a block for each tile
// by a list, a grid for the longest with blocks that leave at once, few blocks that draw tiles from
// a queue, rows gathered on the way with results added by atomics, and very few rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_fp16.h>
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

constexpr int EXPERTS = 16, ROWS = 2048, DEEP = 256, WIDE = 256, HIGH = 32, ACROSS = 64;

// rows of an expert are ends[expert - 1] to ends[expert]
struct Tile {
    int expert, row, column;
};

// one tile of 32 x 64, 4 x 2 in each of 256 threads; where = rows of the input, if not in order
__device__ inline void multiply(const float *a, const float *b, const int *where, Tile tile,
                                int end, float (&sum)[4][2])
{
    __shared__ alignas(16) float left[16][HIGH + 1], right[16][ACROSS];
    int t = threadIdx.x, y = t / 32 * 4, x = t % 32 * 2;
    for (int k = 0; k < DEEP; k += 16) {
        for (int i = t; i < HIGH * 16; i += 256) {
            int row = tile.row + i / 16;
            float value = 0;
            if (row < end)
                value = a[(where ? where[row] : row) * DEEP + k + i % 16];
            left[i % 16][i / 16] = value;
        }
        *(float4 *)&right[t / 16][t % 16 * 4] =
            *(const float4 *)(b + (tile.expert * DEEP + k + t / 16) * WIDE + tile.column +
                              t % 16 * 4);
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 16; s++) {
            float2 v = *(float2 *)&right[s][x];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                float u = left[s][y + r];
                sum[r][0] += u * v.x, sum[r][1] += u * v.y;
            }
        }
        __syncthreads();
    }
}

__device__ inline void one_tile(const float *a, const float *b, Tile tile, int end, float *c)
{
    float sum[4][2] = {};
    multiply(a, b, nullptr, tile, end, sum);
    int row = tile.row + threadIdx.x / 32 * 4, x = tile.column + threadIdx.x % 32 * 2;
    for (int r = 0; r < 4; r++)
        if (row + r < end)
            *(float2 *)(c + (row + r) * WIDE + x) = make_float2(sum[r][0], sum[r][1]);
}

__global__ void __launch_bounds__(256)
    listed(const float *__restrict__ a, const float *__restrict__ b, const int *__restrict__ ends,
           const Tile *__restrict__ tiles, float *__restrict__ c)
{
    Tile tile = tiles[blockIdx.x];
    one_tile(a, b, tile, ends[tile.expert], c);
}

__global__ void __launch_bounds__(256)
    leaving(const float *__restrict__ a, const float *__restrict__ b, const int *__restrict__ ends,
            float *__restrict__ c)
{
    int expert = blockIdx.z, first = expert ? ends[expert - 1] : 0, end = ends[expert];
    Tile tile = {expert, first + (int)blockIdx.y * HIGH, (int)blockIdx.x * ACROSS};
    if (tile.row < end)
        one_tile(a, b, tile, end, c);
}

__global__ void __launch_bounds__(256)
    queued(const float *__restrict__ a, const float *__restrict__ b, const int *__restrict__ ends,
           const Tile *__restrict__ tiles, int many, int *next, float *__restrict__ c)
{
    __shared__ int drawn;
    for (;;) {
        if (threadIdx.x == 0)
            drawn = atomicAdd(next, 1);
        __syncthreads();
        int mine = drawn;
        __syncthreads();
        if (mine >= many)
            return;
        Tile tile = tiles[mine];
        one_tile(a, b, tile, ends[tile.expert], c);
    }
}

// every token is twice among the rows; shares of both results are added
__global__ void __launch_bounds__(256)
    gathered(const float *__restrict__ a, const float *__restrict__ b, const int *__restrict__ ends,
             const Tile *__restrict__ tiles, const int *__restrict__ tokens,
             const float *__restrict__ shares, float *c)
{
    Tile tile = tiles[blockIdx.x];
    float sum[4][2] = {};
    int end = ends[tile.expert];
    multiply(a, b, tokens, tile, end, sum);
    int row = tile.row + threadIdx.x / 32 * 4, x = tile.column + threadIdx.x % 32 * 2;
    for (int r = 0; r < 4; r++)
        if (row + r < end) {
            float share = shares[row + r], *to = c + tokens[row + r] * WIDE + x;
            atomicAdd(to, share * sum[r][0]);
            atomicAdd(to + 1, share * sum[r][1]);
        }
}

constexpr int FEW = 8, LARGE = 1024;

// a warp has one result of one row; matrices in half precision, a row of weights a result
__global__ void __launch_bounds__(256)
    few_rows(const __half *__restrict__ x, const __half *__restrict__ weights,
             const int *__restrict__ chosen_by, float *__restrict__ y)
{
    int column = blockIdx.x * 8 + threadIdx.x / 32, row = blockIdx.y, lane = threadIdx.x % 32;
    const uint4 *w = (const uint4 *)(weights + ((size_t)chosen_by[row] * LARGE + column) * LARGE),
                *v = (const uint4 *)(x + row * LARGE);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < LARGE / 256; k++) {
        uint4 p = w[lane + 32 * k], q = v[lane + 32 * k];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 a = __half22float2(((__half2 *)&p)[j]), b = __half22float2(((__half2 *)&q)[j]);
            sum += a.x * b.x + a.y * b.y;
        }
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row * LARGE + column] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(239);
    std::vector<float> a = random.floats(ROWS * DEEP, -1, 1),
                       b = random.floats(EXPERTS * DEEP * WIDE, -1, 1),
                       shares = random.floats(ROWS, 0, 1);
    std::vector<int> expert(ROWS), ends(EXPERTS), tokens(ROWS), of_few(FEW);
    for (int &e : expert)
        e = random.below(4) ? random.below(4) : random.below(EXPERTS);
    std::sort(expert.begin(), expert.end());
    for (int e : expert)
        ends[e]++;
    int longest = *std::max_element(ends.begin(), ends.end());
    std::vector<Tile> tiles;
    for (int e = 0, first = 0; e < EXPERTS; e++) {
        ends[e] += first;
        for (int row = first; row < ends[e]; row += HIGH)
            for (int x = 0; x < WIDE; x += ACROSS)
                tiles.push_back({e, row, x});
        first = ends[e];
    }
    for (int i = 0; i < ROWS; i++)
        tokens[i] = i / 2;
    for (int i = ROWS - 1; i > 0; i--)
        std::swap(tokens[i], tokens[random.below(i + 1)]);
    for (int &e : of_few)
        e = random.below(EXPERTS);
    std::vector<__half> x(FEW * LARGE), weights((size_t)EXPERTS * LARGE * LARGE);
    for (__half &value : x)
        value = __float2half(random.between(-1, 1));
    for (__half &value : weights)
        value = __float2half(random.between(-1, 1));
    float *A = copy(a), *B = copy(b), *S = copy(shares), *c = room<float>(ROWS * WIDE);
    int *E = copy(ends), *T = copy(tokens), *O = copy(of_few), *next = room<int>(1);
    Tile *L = copy(tiles);
    __half *X = copy(x), *W = copy(weights);
    const int many = tiles.size();
    auto wiped = [&] {
        fill(c, ROWS * WIDE, 0);
        fill(next, 1, 0);
    };
    auto product = [&](int input, int row, int column) {
        double sum = 0;
        for (int k = 0; k < DEEP; k++)
            sum += (double)a[input * DEEP + k] * b[(expert[row] * DEEP + k) * WIDE + column];
        return sum;
    };
    auto check = [&] {
        return differ(c, ROWS * WIDE, 53, 2e-4,
                      [&](size_t i) { return product(i / WIDE, i / WIDE, i % WIDE); });
    };
    variant(
        "listed", "listed", wiped, [&] { listed<<<many, 256>>>(A, B, E, L, c); }, check);
    variant(
        "leaving", "leaving", wiped,
        [&] {
            leaving<<<dim3(WIDE / ACROSS, (longest + HIGH - 1) / HIGH, EXPERTS), 256>>>(A, B, E, c);
        },
        check);
    variant(
        "queued", "queued", wiped, [&] { queued<<<132, 256>>>(A, B, E, L, many, next, c); }, check);
    variant(
        "gathered", "gathered", wiped, [&] { gathered<<<many, 256>>>(A, B, E, L, T, S, c); },
        [&] {
            std::vector<double> want(ROWS / 2);
            std::vector<float> got = fetch(c, ROWS / 2 * WIDE);
            long bad = 0;
            for (int column = 0; column < WIDE; column += 51) {
                std::fill(want.begin(), want.end(), 0);
                for (int row = 0; row < ROWS; row++)
                    want[tokens[row]] += shares[row] * product(tokens[row], row, column);
                for (int i = 0; i < ROWS / 2; i++)
                    bad += !near(got[i * WIDE + column], want[i], 2e-4);
            }
            return bad;
        });
    variant(
        "few_rows", "few_rows", wiped, [&] { few_rows<<<dim3(LARGE / 8, FEW), 256>>>(X, W, O, c); },
        [&] {
            return differ(c, FEW * LARGE, 3, 1e-3, [&](size_t i) {
                const __half *w = &weights[((size_t)of_few[i / LARGE] * LARGE + i % LARGE) * LARGE];
                double sum = 0;
                for (int k = 0; k < LARGE; k++)
                    sum += (double)__half2float(w[k]) * __half2float(x[i / LARGE * LARGE + k]);
                return sum;
            });
        });
    return finish();
}
