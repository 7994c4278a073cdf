// A sparse matrix times a dense one of 64 columns: a warp a row with entries handed around by
// shuffles, a thread a result, a thread a row, equal shares of entries with sums by atomics, and a
// matrix with two of each four entries.
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

constexpr int ROWS = 16384, COLUMNS = 8192, WIDE = 64;

__global__ void __launch_bounds__(128)
    row_warp(const int *__restrict__ starts, const int *__restrict__ places,
             const float *__restrict__ values, const float2 *__restrict__ b, float2 *__restrict__ c)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 sum = {};
    for (int base = starts[row]; base < starts[row + 1]; base += 32) {
        int many = min(32, starts[row + 1] - base), place = 0;
        float value = 0;
        if (lane < many)
            place = places[base + lane], value = values[base + lane];
        for (int k = 0; k < many; k++) {
            float v = __shfl_sync(~0u, value, k);
            float2 other = b[__shfl_sync(~0u, place, k) * (WIDE / 2) + lane];
            sum.x += v * other.x, sum.y += v * other.y;
        }
    }
    c[row * (WIDE / 2) + lane] = sum;
}

__global__ void each_result(const int *__restrict__ starts, const int *__restrict__ places,
                            const float *__restrict__ values, const float *__restrict__ b,
                            float *__restrict__ c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / WIDE;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * b[places[k] * WIDE + i % WIDE];
    c[i] = sum;
}

// sixteen columns at a time
__global__ void __launch_bounds__(128)
    row_thread(const int *__restrict__ starts, const int *__restrict__ places,
               const float *__restrict__ values, const float4 *__restrict__ b,
               float4 *__restrict__ c)
{
    int row = blockIdx.x * 128 + threadIdx.x, part = blockIdx.y * 4;
    float4 sum[4] = {};
    for (int k = starts[row]; k < starts[row + 1]; k++) {
        float v = values[k];
        const float4 *other = b + places[k] * (WIDE / 4) + part;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 o = other[j];
            sum[j].x += v * o.x, sum[j].y += v * o.y, sum[j].z += v * o.z, sum[j].w += v * o.w;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        c[row * (WIDE / 4) + part + j] = sum[j];
}

// a warp has 64 entries of any rows; a sum is added where the row changes
__global__ void __launch_bounds__(128)
    shares(const int *__restrict__ rows, const int *__restrict__ places,
           const float *__restrict__ values, const float2 *__restrict__ b, float2 *c, int count)
{
    int first = (blockIdx.x * 4 + threadIdx.x / 32) * 64, lane = threadIdx.x % 32;
    if (first >= count)
        return;
    int end = min(first + 64, count), row = rows[first];
    float2 sum = {};
    auto flush = [&] {
        atomicAdd(&c[row * (WIDE / 2) + lane].x, sum.x);
        atomicAdd(&c[row * (WIDE / 2) + lane].y, sum.y);
    };
    for (int k = first; k < end; k++) {
        if (rows[k] != row) {
            flush();
            row = rows[k], sum = make_float2(0, 0);
        }
        float2 other = b[places[k] * (WIDE / 2) + lane];
        sum.x += values[k] * other.x, sum.y += values[k] * other.y;
    }
    flush();
}

constexpr int SIDE = 1024;

// of each four entries of a row two are kept, with two bits for the place of each; a block has 32 x
// 64 results and a piece of the dense matrix in shared memory
__global__ void __launch_bounds__(256)
    two_of_four(const float *__restrict__ values, const uint32_t *__restrict__ marks,
                const float *__restrict__ b, float *__restrict__ c, int across)
{
    __shared__ float right[32][64];
    int t = threadIdx.x, y = blockIdx.y * 32 + t / 32 * 4, x = t % 32;
    float sum[4][2] = {};
    for (int k = 0; k < SIDE; k += 32) {
        for (int i = t; i < 32 * 64; i += 256)
            right[i / 64][i % 64] = b[(k + i / 64) * across + blockIdx.x * 64 + i % 64];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < 4; r++) {
            uint32_t mark = marks[(y + r) * (SIDE / 32) + k / 32];
            const float4 *own = (const float4 *)(values + ((y + r) * SIDE + k) / 2);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                float4 v = own[q];
                int p = q * 8;
                const float *l0 = right[p + (mark >> 8 * q & 3)],
                            *l1 = right[p + (mark >> (8 * q + 2) & 3)],
                            *l2 = right[p + 4 + (mark >> (8 * q + 4) & 3)],
                            *l3 = right[p + 4 + (mark >> (8 * q + 6) & 3)];
                sum[r][0] += v.x * l0[x] + v.y * l1[x] + v.z * l2[x] + v.w * l3[x];
                sum[r][1] +=
                    v.x * l0[x + 32] + v.y * l1[x + 32] + v.z * l2[x + 32] + v.w * l3[x + 32];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int j = 0; j < 2; j++)
            c[(y + r) * across + blockIdx.x * 64 + x + 32 * j] = sum[r][j];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(241);
    const int across = 256;
    std::vector<int> starts = {0}, rows, places;
    for (int r = 0; r < ROWS; r++) {
        int many = random.below(16) ? 4 + random.below(32) : random.below(220);
        for (int k = 0; k < many; k++) {
            rows.push_back(r);
            places.push_back(random.below(4) ? random.below(COLUMNS)
                                             : (r / 2 + random.below(64)) % COLUMNS);
        }
        std::sort(places.end() - many, places.end());
        starts.push_back(rows.size());
    }
    const int count = rows.size();
    std::vector<float> values = random.floats(count, -1, 1),
                       b = random.floats(COLUMNS * WIDE, -1, 1),
                       some = random.floats(SIDE * SIDE / 2, -1, 1),
                       dense = random.floats(SIDE * across, -1, 1);
    std::vector<uint32_t> marks(SIDE * SIDE / 32);
    const uint8_t two[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    for (uint32_t &m : marks)
        for (int k = 0; k < 32; k += 4)
            m |= (uint32_t)two[random.below(6)] << k;
    int *S = copy(starts), *R = copy(rows), *P = copy(places);
    float *V = copy(values), *B = copy(b), *H = copy(some), *D = copy(dense),
          *c = room<float>(ROWS * WIDE);
    uint32_t *M = copy(marks);
    auto wiped = [&] { fill(c, ROWS * WIDE, 0); };
    auto check = [&] {
        return differ(c, ROWS * WIDE, 11, 1e-4, [&](size_t i) {
            double sum = 0;
            for (int k = starts[i / WIDE]; k < starts[i / WIDE + 1]; k++)
                sum += (double)values[k] * b[places[k] * WIDE + i % WIDE];
            return sum;
        });
    };
    variant(
        "row_warp", "row_warp", wiped,
        [&] { row_warp<<<ROWS / 4, 128>>>(S, P, V, (float2 *)B, (float2 *)c); }, check);
    variant(
        "each_result", "each_result", wiped,
        [&] { each_result<<<ROWS * WIDE / 256, 256>>>(S, P, V, B, c); }, check);
    variant(
        "row_thread", "row_thread", wiped,
        [&] {
            row_thread<<<dim3(ROWS / 128, WIDE / 16), 128>>>(S, P, V, (float4 *)B, (float4 *)c);
        },
        check);
    variant(
        "shares", "shares", wiped,
        [&] { shares<<<(count + 255) / 256, 128>>>(R, P, V, (float2 *)B, (float2 *)c, count); },
        check);
    variant(
        "two_of_four", "two_of_four", wiped,
        [&] { two_of_four<<<dim3(across / 64, SIDE / 32), 256>>>(H, M, D, c, across); },
        [&] {
            return differ(c, SIDE * across, 7, 1e-4, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < SIDE / 2; k++) {
                    size_t at = i / across * (SIDE / 2) + k;
                    int place = k / 2 * 4 + (marks[at / 16] >> at % 16 * 2 & 3);
                    sum += (double)some[at] * dense[place * across + i % across];
                }
                return sum;
            });
        });
    return finish();
}
