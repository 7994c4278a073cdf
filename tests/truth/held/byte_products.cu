// Products of matrices of bytes by dp4a: an element a thread from global memory, 4 x 4 a thread
// from shared tiles, and a matrix of four-bit weights times a vector.
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

// words of four bytes along k; a by rows, b by columns
__global__ void an_element(const int *__restrict__ a, const int *__restrict__ b,
                           int *__restrict__ c, int n, int words)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
    for (int w = 0; w < words; w++)
        sum = __dp4a(a[row * words + w], b[column * words + w], sum);
    c[row * n + column] = sum;
}

// 64 x 64 a block of 256 threads
__global__ void tiles(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c,
                      int n, int words)
{
    __shared__ int left[8][65], right[8][65];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, x = threadIdx.x % 16, y = threadIdx.x / 16;
    int sum[4][4] = {};
    for (int from = 0; from < words; from += 8) {
        for (int i = threadIdx.x; i < 64 * 8; i += 256) {
            left[i % 8][i / 8] = a[(row + i / 8) * words + from + i % 8];
            right[i % 8][i / 8] = b[(column + i / 8) * words + from + i % 8];
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < 8; w++) {
            int l[4], r[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                l[k] = left[w][y + 16 * k];
                r[k] = right[w][x + 16 * k];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] = __dp4a(l[i], r[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
}

// a warp is a row; eight weights a word, less 8
__global__ void four_bits(const uint4 *__restrict__ weight, const float4 *__restrict__ x,
                          const float *__restrict__ scale, float *__restrict__ y, int rows,
                          int vectors)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < vectors; i += 32) {
        uint4 w = weight[(size_t)row * vectors + i];
        uint32_t words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float4 v = x[i * 8 + k];
            uint32_t bits = words[k / 2] >> 16 * (k % 2);
            sum += ((int)(bits & 15) - 8) * v.x + ((int)(bits >> 4 & 15) - 8) * v.y +
                   ((int)(bits >> 8 & 15) - 8) * v.z + ((int)(bits >> 12 & 15) - 8) * v.w;
        }
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        y[row] = sum * scale[row];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int n = 768, words = 128, wide = 8192, rows = 8192, vectors = wide / 32;
    Lcg random(157);
    std::vector<int> a_words(n * words), b_words(n * words);
    for (int &w : a_words)
        w = random.next();
    for (int &w : b_words)
        w = random.next();
    std::vector<uint32_t> weights((size_t)rows * wide / 8);
    for (uint32_t &w : weights)
        w = random.next();
    std::vector<float> xs = random.floats(wide, -1, 1), scales = random.floats(rows, 0.01f, 0.02f);
    int *a = copy(a_words), *b = copy(b_words), *c = room<int>(n * n);
    uint32_t *weight = copy(weights);
    float *x = copy(xs), *scale = copy(scales), *y = room<float>(rows);
    auto wiped = [&] { fill(c, n * n, 0x55); };
    auto check = [&] {
        return differ(c, n * n, 23, 0, [&](size_t i) {
            const signed char *p = (const signed char *)&a_words[i / n * words],
                              *q = (const signed char *)&b_words[i % n * words];
            int sum = 0;
            for (int k = 0; k < 4 * words; k++)
                sum += p[k] * q[k];
            return sum;
        });
    };
    variant(
        "element", "an_element", wiped,
        [&] { an_element<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n, words); }, check);
    variant(
        "tiles", "tiles", wiped, [&] { tiles<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n, words); },
        check);
    variant(
        "four_bits", "four_bits", [&] { fill(y, rows, 0xff); },
        [&] {
            four_bits<<<rows / 4, 128>>>((const uint4 *)weight, (const float4 *)x, scale, y, rows,
                                         vectors);
        },
        [&] {
            return differ(y, rows, 5, 1e-3, [&](size_t r) {
                double sum = 0;
                for (int i = 0; i < wide; i++)
                    sum += ((int)(weights[r * (wide / 8) + i / 8] >> 4 * (i % 8) & 15) - 8) *
                           (double)xs[i];
                return sum * scales[r];
            });
        });
    return finish();
}
