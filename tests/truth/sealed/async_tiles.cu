// Copies to shared memory that go on beside the work (cp.async): a product of matrices with tiles
// of 64 with one buffer and plain loads, the same with two buffers and asynchronous copies, sums
// over a long vector with three stages, and a 5 x 5 filter with a ring of rows.
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
#include <cuda_pipeline.h>

constexpr int SIZE = 768, DEEP = 512;

__device__ inline void multiply(const float (*left)[20], const float (*right)[64], int tx, int ty,
                                float (*sum)[4])
{
#pragma unroll
    for (int j = 0; j < 16; j++) {
        float4 v = *(const float4 *)&right[j][tx * 4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            float u = left[ty * 4 + r][j];
            sum[r][0] += u * v.x;
            sum[r][1] += u * v.y;
            sum[r][2] += u * v.z;
            sum[r][3] += u * v.w;
        }
    }
}

__device__ inline void store(float *c, int x, int y, const float (*sum)[4])
{
    for (int r = 0; r < 4; r++)
        *(float4 *)(c + (y + r) * SIZE + x) =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

__global__ void __launch_bounds__(256)
    plain(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) float left[64][20], right[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x = blockIdx.x * 64, y = blockIdx.y * 64;
    float sum[4][4] = {};
    for (int k = 0; k < DEEP; k += 16) {
        *(float4 *)&left[t / 4][t % 4 * 4] =
            *(const float4 *)(a + (y + t / 4) * DEEP + k + t % 4 * 4);
        *(float4 *)&right[t / 16][tx * 4] = *(const float4 *)(b + (k + t / 16) * SIZE + x + tx * 4);
        __syncthreads();
        multiply(left, right, tx, ty, sum);
        __syncthreads();
    }
    store(c, x + tx * 4, y + ty * 4, sum);
}

__global__ void __launch_bounds__(256)
    doubled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) float left[2][64][20], right[2][16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x = blockIdx.x * 64, y = blockIdx.y * 64;
    auto begin = [&](int k, int which) {
        __pipeline_memcpy_async(&left[which][t / 4][t % 4 * 4],
                                a + (y + t / 4) * DEEP + k + t % 4 * 4, 16);
        __pipeline_memcpy_async(&right[which][t / 16][tx * 4], b + (k + t / 16) * SIZE + x + tx * 4,
                                16);
        __pipeline_commit();
    };
    float sum[4][4] = {};
    begin(0, 0);
    for (int k = 0; k < DEEP; k += 16) {
        int which = k / 16 % 2;
        if (k + 16 < DEEP) {
            begin(k + 16, 1 - which);
            __pipeline_wait_prior(1);
        } else
            __pipeline_wait_prior(0);
        __syncthreads();
        multiply(left[which], right[which], tx, ty, sum);
        __syncthreads();
    }
    store(c, x + tx * 4, y + ty * 4, sum);
}

// squares of differences of two vectors; each thread waits only for its own copies
__global__ void __launch_bounds__(128)
    stages(const float4 *__restrict__ a, const float4 *__restrict__ b, float *__restrict__ out,
           int count)
{
    __shared__ float4 one[3][128], two[3][128];
    __shared__ float part[4];
    int t = threadIdx.x, step = gridDim.x * 128, next = blockIdx.x * 128 + t;
    auto begin = [&](int which) {
        if (next < count) {
            __pipeline_memcpy_async(&one[which][t], a + next, 16);
            __pipeline_memcpy_async(&two[which][t], b + next, 16);
        }
        __pipeline_commit();
        next += step;
    };
    begin(0);
    begin(1);
    float sum = 0;
    int which = 0;
    for (int i = blockIdx.x * 128 + t; i < count; i += step) {
        begin((which + 2) % 3);
        __pipeline_wait_prior(2);
        float4 u = one[which][t], v = two[which][t];
        float x = u.x - v.x, y = u.y - v.y, z = u.z - v.z, w = u.w - v.w;
        sum += x * x + y * y + z * z + w * w;
        which = (which + 1) % 3;
    }
    for (int s = 16; s; s /= 2)
        sum += __shfl_xor_sync(~0u, sum, s);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

constexpr int WIDE = 4096, HIGH = 1024, ROWS = 32;
__constant__ float TAPS[25];

// rows wait in a ring of eight; a block goes down 32 rows of 192 columns
__global__ void __launch_bounds__(192) ring(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float rows[8][200];
    int t = threadIdx.x, left = blockIdx.x * 192, top = blockIdx.y * ROWS;
    auto begin = [&](int y) {
        int row = min(max(y, 0), HIGH - 1);
        for (int i = t; i < 196; i += 192) {
            int x = min(max(left + i - 2, 0), WIDE - 1);
            __pipeline_memcpy_async(&rows[(y + 8) % 8][i], in + row * WIDE + x, 4);
        }
        __pipeline_commit();
    };
    for (int y = top - 2; y < top + 4; y++)
        begin(y);
    for (int y = top; y < top + ROWS; y++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        begin(y + 4);
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 25; k++)
            sum += TAPS[k] * rows[(y + k / 5 - 2 + 8) % 8][t + k % 5];
        if (left + t < WIDE)
            out[y * WIDE + left + t] = sum;
    }
    __pipeline_wait_prior(0);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(157);
    const int count = 5 << 20, blocks = 132 * 6, points = WIDE * HIGH;
    std::vector<float> a = random.floats(SIZE * DEEP, -1, 1), b = random.floats(DEEP * SIZE, -1, 1),
                       u = random.floats(4 * count), v = random.floats(4 * count),
                       taps = random.floats(25, -1, 1);
    must(cudaMemcpyToSymbol(TAPS, taps.data(), 100));
    float *A = copy(a), *B = copy(b), *U = copy(u), *V = copy(v), *out = room<float>(points);
    auto wiped = [&] { fill(out, points, 0xff); };
    auto check = [&] {
        return differ(out, SIZE * SIZE, 13, 1e-4, [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < DEEP; k++)
                sum += a[i / SIZE * DEEP + k] * b[k * SIZE + i % SIZE];
            return sum;
        });
    };
    dim3 grid(SIZE / 64, SIZE / 64);
    variant(
        "plain", "plain", wiped, [&] { plain<<<grid, 256>>>(A, B, out); }, check);
    variant(
        "doubled", "doubled", wiped, [&] { doubled<<<grid, 256>>>(A, B, out); }, check);
    variant(
        "stages", "stages", wiped,
        [&] { stages<<<blocks, 128>>>((float4 *)U, (float4 *)V, out, count); },
        [&] {
            double got = 0, want = 0;
            for (float f : fetch(out, blocks))
                got += f;
            for (int i = 0; i < 4 * count; i++)
                want += (double)(u[i] - v[i]) * (u[i] - v[i]);
            return (long)!near(got, want, 1e-5);
        });
    variant(
        "ring", "ring", wiped,
        [&] { ring<<<dim3((WIDE + 191) / 192, HIGH / ROWS), 192>>>(U, out); },
        [&] {
            return differ(out, points, 17, 1e-4, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE;
                double sum = 0;
                for (int k = 0; k < 25; k++)
                    sum += taps[k] * u[std::clamp(y + k / 5 - 2, 0, HIGH - 1) * WIDE +
                                       std::clamp(x + k % 5 - 2, 0, WIDE - 1)];
                return sum;
            });
        });
    return finish();
}
