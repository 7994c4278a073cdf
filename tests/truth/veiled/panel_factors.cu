// Tall matrices with few columns: made triangular by reflections with a block each and by
// projections with a warp each, a panel with pivots in one block, what a panel takes from the rest
// of a matrix, and products of columns of a very tall one.
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

constexpr int ROWS = 128, COLUMNS = 16, MATRICES = 512;

__device__ inline float warp_sum(float value)
{
    for (int d = 16; d; d /= 2)
        value += __shfl_xor_sync(~0u, value, d);
    return value;
}

// a thread has a row in registers; sums of all columns meet in shared memory
__global__ void __launch_bounds__(ROWS)
    reflections(const float *__restrict__ a, float *__restrict__ r)
{
    __shared__ float parts[ROWS / 32][COLUMNS], pivot[COLUMNS];
    int t = threadIdx.x, lane = t % 32, w = t / 32;
    float own[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        own[c] = a[(blockIdx.x * COLUMNS + c) * ROWS + t];
#pragma unroll
    for (int k = 0; k < COLUMNS; k++) {
        // products of what is left of column k with all others
        float v = t >= k ? own[k] : 0;
#pragma unroll
        for (int c = k; c < COLUMNS; c++) {
            float sum = warp_sum(v * own[c]);
            if (lane == 0)
                parts[w][c] = sum;
        }
        if (t == k)
#pragma unroll
            for (int c = k; c < COLUMNS; c++)
                pivot[c] = own[c];
        __syncthreads();
        float square = parts[0][k] + parts[1][k] + parts[2][k] + parts[3][k];
        float alpha = pivot[k] > 0 ? -sqrtf(square) : sqrtf(square),
              scale = 1 / (square - alpha * pivot[k]);
        if (t == k)
            v -= alpha;
#pragma unroll
        for (int c = k; c < COLUMNS; c++) {
            float sum = parts[0][c] + parts[1][c] + parts[2][c] + parts[3][c] - alpha * pivot[c];
            own[c] -= scale * sum * v;
        }
        __syncthreads();
    }
    if (t < COLUMNS)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            r[(blockIdx.x * COLUMNS + t) * COLUMNS + c] = c >= t ? own[c] : 0;
}

// a lane has four rows of all columns; no shared memory at all
__global__ void __launch_bounds__(128)
    projections(const float *__restrict__ a, float *__restrict__ r)
{
    int which = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float4 own[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        own[c] = ((const float4 *)(a + (which * COLUMNS + c) * ROWS))[lane];
    auto product = [](float4 x, float4 y) {
        return warp_sum(x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w);
    };
#pragma unroll
    for (int k = 0; k < COLUMNS; k++) {
        float length = sqrtf(product(own[k], own[k])), one = 1 / length, line = 0;
        own[k] = make_float4(own[k].x * one, own[k].y * one, own[k].z * one, own[k].w * one);
        if (lane == k)
            line = length;
#pragma unroll
        for (int c = k + 1; c < COLUMNS; c++) {
            float s = product(own[k], own[c]);
            own[c] = make_float4(own[c].x - s * own[k].x, own[c].y - s * own[k].y,
                                 own[c].z - s * own[k].z, own[c].w - s * own[k].w);
            if (lane == c)
                line = s;
        }
        if (lane < COLUMNS)
            r[(which * COLUMNS + k) * COLUMNS + lane] = line;
    }
}

// 1024 rows of 32 numbers in dynamic shared memory, column after column
constexpr int HIGH = 1024, WIDE = 32;

__global__ void __launch_bounds__(HIGH) pivots(float *panel, int *order)
{
    extern __shared__ float own[];
    __shared__ unsigned long long best[2];
    int t = threadIdx.x;
    for (int c = 0; c < WIDE; c++)
        own[c * HIGH + t] = panel[c * HIGH + t];
    if (t < 2)
        best[t] = 0;
    __syncthreads();
    for (int k = 0; k < WIDE; k++) {
        unsigned high = t >= k ? __float_as_uint(fabsf(own[k * HIGH + t])) : 0,
                 most = __reduce_max_sync(~0u, high),
                 first = __ffs(__ballot_sync(~0u, high == most)) - 1;
        if (t % 32 == (int)first)
            atomicMax(&best[k % 2], (unsigned long long)high << 32 | (unsigned)(HIGH - 1 - t));
        __syncthreads();
        int chosen_row = HIGH - 1 - (int)(best[k % 2] & 0xffffffff);
        if (t < WIDE && chosen_row != k) {
            float swapped = own[t * HIGH + k];
            own[t * HIGH + k] = own[t * HIGH + chosen_row];
            own[t * HIGH + chosen_row] = swapped;
        }
        if (t == 0)
            order[k] = chosen_row, best[1 - k % 2] = 0;
        __syncthreads();
        if (t > k) {
            float factor = own[k * HIGH + t] / own[k * HIGH + k];
            own[k * HIGH + t] = factor;
            for (int c = k + 1; c < WIDE; c++)
                own[c * HIGH + t] -= factor * own[c * HIGH + k];
        }
        __syncthreads();
    }
    for (int c = 0; c < WIDE; c++)
        panel[c * HIGH + t] = own[c * HIGH + t];
}

// all matrices by columns: c (1024 x 1024) less a (1024 x 32) times b (32 x 1024)
__global__ void __launch_bounds__(256)
    rest(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float left[WIDE][64], right[WIDE][65];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.x * 64, column = blockIdx.y * 64;
    for (int i = t; i < WIDE * 64; i += 256) {
        left[i / 64][i % 64] = a[i / 64 * HIGH + row + i % 64];
        right[i % WIDE][i / WIDE] = b[(column + i / WIDE) * WIDE + i % WIDE];
    }
    __syncthreads();
    float sum[4][4] = {};
#pragma unroll 8
    for (int k = 0; k < WIDE; k++) {
        float4 x = *(float4 *)&left[k][tx * 4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float y = right[k][ty * 4 + j];
            sum[j][0] += x.x * y, sum[j][1] += x.y * y, sum[j][2] += x.z * y, sum[j][3] += x.w * y;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float4 *to = (float4 *)(c + (column + ty * 4 + j) * HIGH + row + tx * 4), old = *to;
        *to =
            make_float4(old.x - sum[j][0], old.y - sum[j][1], old.z - sum[j][2], old.w - sum[j][3]);
    }
}

// rows of 16 numbers: a thread has one product of two columns over many rows
constexpr int TALL = 1 << 18;

__global__ void __launch_bounds__(256) gram(const float4 *__restrict__ a, double *out)
{
    __shared__ float rows[64][COLUMNS];
    int t = threadIdx.x, i = t / COLUMNS, j = t % COLUMNS;
    double sum = 0;
    for (int base = blockIdx.x * 64; base < TALL; base += gridDim.x * 64) {
        ((float4 *)rows)[t] = a[base * (COLUMNS / 4) + t];
        __syncthreads();
        float part = 0;
#pragma unroll 16
        for (int k = 0; k < 64; k++)
            part += rows[k][i] * rows[k][j];
        sum += part;
        __syncthreads();
    }
    atomicAdd(out + t, sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(347);
    std::vector<float> a = random.floats(MATRICES * ROWS * COLUMNS, -1, 1),
                       panel = random.floats(HIGH * WIDE, -1, 1),
                       b = random.floats(WIDE * HIGH, -1, 1), c = random.floats(HIGH * HIGH, -1, 1),
                       tall = random.floats((size_t)TALL * COLUMNS, -1, 1);
    float *A = copy(a), *P = room<float>(HIGH * WIDE), *L = copy(panel), *B = copy(b),
          *C = room<float>(HIGH * HIGH), *T = copy(tall),
          *r = room<float>(MATRICES * COLUMNS * COLUMNS);
    int *order = room<int>(WIDE);
    double *out = room<double>(COLUMNS * COLUMNS);
    auto wiped = [&] { fill(r, MATRICES * COLUMNS * COLUMNS, 0x77); };
    // the triangle's product with itself is that of the matrix
    auto check = [&] {
        std::vector<float> got = fetch(r, MATRICES * COLUMNS * COLUMNS, false);
        long bad = 0;
        for (int m = 0; m < MATRICES; m += 5)
            for (int i = 0; i < COLUMNS; i++)
                for (int j = i; j < COLUMNS; j++) {
                    double want = 0, sum = 0;
                    for (int k = 0; k < ROWS; k++)
                        want += (double)a[(m * COLUMNS + i) * ROWS + k] *
                                a[(m * COLUMNS + j) * ROWS + k];
                    for (int k = 0; k <= i; k++)
                        sum += (double)got[(m * COLUMNS + k) * COLUMNS + i] *
                               got[(m * COLUMNS + k) * COLUMNS + j];
                    bad += !near(sum, want, 2e-4);
                }
        return bad;
    };
    variant(
        "reflections", "reflections", wiped, [&] { reflections<<<MATRICES, ROWS>>>(A, r); }, check);
    variant(
        "projections", "projections", wiped, [&] { projections<<<MATRICES / 4, 128>>>(A, r); },
        check);
    const int bytes = HIGH * WIDE * sizeof(float);
    must(cudaFuncSetAttribute(pivots, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    variant(
        "pivots", "pivots",
        [&] {
            put(P, panel);
            fill(order, WIDE, 0x77);
        },
        [&] { pivots<<<1, HIGH, bytes>>>(P, order); },
        [&] {
            std::vector<float> got = fetch(P, HIGH * WIDE), want = panel;
            std::vector<int> rows = fetch(order, WIDE, false);
            long bad = 0;
            for (int k = 0; k < WIDE; k++) {
                if (rows[k] < k || rows[k] >= HIGH)
                    return 1l;
                for (int i = 0; i < WIDE; i++)
                    std::swap(want[i * HIGH + k], want[i * HIGH + rows[k]]);
            }
            for (int i = 0; i < HIGH; i += 3)
                for (int j = 0; j < WIDE; j++) {
                    double sum = 0;
                    for (int k = 0; k <= std::min(i, j); k++) {
                        double factor = k == i ? 1 : got[k * HIGH + i];
                        bad += std::fabs(factor) > 1.0001;
                        sum += factor * got[j * HIGH + k];
                    }
                    bad += !near(sum, want[j * HIGH + i], 1e-4);
                }
            return bad;
        });
    variant(
        "rest", "rest", [&] { put(C, c); },
        [&] { rest<<<dim3(HIGH / 64, HIGH / 64), 256>>>(L, B, C); },
        [&] {
            return differ(C, HIGH * HIGH, 17, 1e-4, [&](size_t i) {
                double sum = c[i];
                for (int k = 0; k < WIDE; k++)
                    sum -= (double)panel[k * HIGH + i % HIGH] * b[i / HIGH * WIDE + k];
                return sum;
            });
        });
    variant(
        "gram", "gram", [&] { fill(out, COLUMNS * COLUMNS, 0); },
        [&] { gram<<<264, 256>>>((float4 *)T, out); },
        [&] {
            std::vector<double> want(COLUMNS * COLUMNS);
            for (size_t i = 0; i < TALL; i++)
                for (int k = 0; k < COLUMNS * COLUMNS; k++)
                    want[k] +=
                        (double)tall[i * COLUMNS + k / COLUMNS] * tall[i * COLUMNS + k % COLUMNS];
            return differ(out, COLUMNS * COLUMNS, 1, 1e-2, [&](size_t i) { return want[i]; });
        });
    return finish();
}
