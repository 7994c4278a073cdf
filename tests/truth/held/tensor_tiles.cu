// Products on tensor cores by tiles of 16 x 16: a warp a tile from global memory, a block with
// tiles in shared memory, bytes with sums in 32 bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <mma.h>

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

using namespace nvcuda;

// c (m x n, by rows) = a (m x k, by rows) b (k x n, by columns)
__global__ void from_global(const __half *a, const __half *b, float *c, int n, int k)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = warp / (n / 16) * 16,
        column = warp % (n / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(left, a + (size_t)row * k + i, k);
        wmma::load_matrix_sync(right, b + (size_t)column * k + i, k);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + (size_t)row * n + column, sum, n, wmma::mem_row_major);
}

// a block of 128 threads makes 64 x 64, a warp 32 x 32 of it
__global__ void from_shared(const __half *a, const __half *b, float *c, int n, int k)
{
    constexpr int PITCH = 40;
    __shared__ __align__(32) __half left[64 * PITCH], right[64 * PITCH];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, warp = threadIdx.x / 32,
        wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (auto &line : sum)
        for (auto &s : line)
            wmma::fill_fragment(s, 0);
    for (int from = 0; from < k; from += 32) {
        for (int i = threadIdx.x; i < 64 * 4; i += 128) {
            *(uint4 *)&left[i / 4 * PITCH + i % 4 * 8] =
                *(const uint4 *)&a[(size_t)(row + i / 4) * k + from + i % 4 * 8];
            *(uint4 *)&right[i / 4 * PITCH + i % 4 * 8] =
                *(const uint4 *)&b[(size_t)(column + i / 4) * k + from + i % 4 * 8];
        }
        __syncthreads();
        for (int i = 0; i < 32; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> l[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> r[2];
            for (int t = 0; t < 2; t++) {
                wmma::load_matrix_sync(l[t], &left[(wr + t * 16) * PITCH + i], PITCH);
                wmma::load_matrix_sync(r[t], &right[(wc + t * 16) * PITCH + i], PITCH);
            }
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 2; x++)
                    wmma::mma_sync(sum[y][x], l[y], r[x], sum[y][x]);
        }
        __syncthreads();
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            wmma::store_matrix_sync(c + (size_t)(row + wr + y * 16) * n + column + wc + x * 16,
                                    sum[y][x], n, wmma::mem_row_major);
}

__global__ void of_bytes(const signed char *a, const signed char *b, int *c, int n, int k)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = warp / (n / 32) * 16,
        column = warp % (n / 32) * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum[2];
    for (auto &s : sum)
        wmma::fill_fragment(s, 0);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(left, a + (size_t)row * k + i, k);
        for (int t = 0; t < 2; t++) {
            wmma::load_matrix_sync(right, b + (size_t)(column + t * 16) * k + i, k);
            wmma::mma_sync(sum[t], left, right, sum[t]);
        }
    }
    for (int t = 0; t < 2; t++)
        wmma::store_matrix_sync(c + (size_t)row * n + column + t * 16, sum[t], n,
                                wmma::mem_row_major);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int m = 1024, n = 1024, k = 768;
    Lcg random(149);
    std::vector<__half> a_values(m * k), b_values(n * k);
    std::vector<signed char> a_bytes(m * k), b_bytes(n * k);
    for (int i = 0; i < m * k; i++)
        a_values[i] = __float2half((a_bytes[i] = (int)random.below(33) - 16) / 16.f);
    for (int i = 0; i < n * k; i++)
        b_values[i] = __float2half((b_bytes[i] = (int)random.below(33) - 16) / 16.f);
    __half *a = copy(a_values), *b = copy(b_values);
    signed char *ab = copy(a_bytes), *bb = copy(b_bytes);
    float *c = room<float>(m * n);
    int *ci = room<int>(m * n);
    auto wiped = [&] {
        fill(c, m * n, 0xff);
        fill(ci, m * n, 0x55);
    };
    auto expected = [&](size_t i) {
        int sum = 0;
        for (int d = 0; d < k; d++)
            sum += a_bytes[i / n * k + d] * b_bytes[i % n * k + d];
        return sum;
    };
    auto check = [&] {
        return differ(c, m * n, 37, 0, [&](size_t i) { return expected(i) / 256.f; });
    };
    variant(
        "global", "from_global", wiped,
        [&] { from_global<<<m * n / 256 / 4, 128>>>(a, b, c, n, k); }, check);
    variant(
        "shared", "from_shared", wiped,
        [&] { from_shared<<<dim3(n / 64, m / 64), 128>>>(a, b, c, n, k); }, check);
    variant(
        "bytes", "of_bytes", wiped, [&] { of_bytes<<<m * n / 512 / 8, 256>>>(ab, bb, ci, n, k); },
        [&] { return differ(ci, m * n, 37, 0, expected); });
    return finish();
}
