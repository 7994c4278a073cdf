// Products by the matrix units of a warp: bfloat16 with a bias and a rectifier from three stages of
// asynchronous copies, 32-bit numbers rounded to 19 bits, doubles, and a chain of small layers
// whose values never leave shared memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
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

constexpr int M = 1024, N = 512, K = 512, STAGES = 3, STEP = 32;

// a block of 64 x 64: four warps, each with 32 x 32
__global__ void __launch_bounds__(128)
    rectified(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b,
              const float *__restrict__ bias, float *__restrict__ c)
{
    __shared__ __align__(32) __nv_bfloat16 left[STAGES][64][STEP + 8], right[STAGES][STEP][64 + 8];
    __shared__ __align__(32) float result[64][64 + 4];
    int t = threadIdx.x, w = t / 32, x = blockIdx.x * 64, y = blockIdx.y * 64;
    auto load = [&](int stage, int k) {
        for (int i = t; i < 256; i += 128) {
            __pipeline_memcpy_async(&left[stage][i / 4][i % 4 * 8],
                                    a + (y + i / 4) * K + k + i % 4 * 8, 16);
            __pipeline_memcpy_async(&right[stage][i / 8][i % 8 * 8],
                                    b + (k + i / 8) * N + x + i % 8 * 8, 16);
        }
        __pipeline_commit();
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i / 2][i % 2], 0);
    for (int s = 0; s < STAGES - 1; s++)
        load(s, s * STEP);
    for (int k = 0; k < K; k += STEP) {
        int stage = k / STEP % STAGES;
        if (k + (STAGES - 1) * STEP < K)
            load((stage + STAGES - 1) % STAGES, k + (STAGES - 1) * STEP);
        else
            __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < STEP; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> p[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> q[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(p[i], &left[stage][w / 2 * 32 + i * 16][j], STEP + 8);
                wmma::load_matrix_sync(q[i], &right[stage][j][w % 2 * 32 + i * 16], 64 + 8);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::mma_sync(sum[i / 2][i % 2], p[i / 2], q[i % 2], sum[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(&result[w / 2 * 32 + i / 2 * 16][w % 2 * 32 + i % 2 * 16],
                                sum[i / 2][i % 2], 64 + 4, wmma::mem_row_major);
    __syncthreads();
    for (int i = t; i < 64 * 64; i += 128)
        c[(y + i / 64) * N + x + i % 64] = fmaxf(result[i / 64][i % 64] + bias[x + i % 64], 0);
}

// a warp has 16 x 64 straight from global memory
__global__ void __launch_bounds__(128)
    rounded(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    int y = (blockIdx.y * 4 + threadIdx.x / 32) * 16, x = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[4];
    for (auto &s : sum)
        wmma::fill_fragment(s, 0);
    for (int k = 0; k < K; k += 8) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> p;
        wmma::load_matrix_sync(p, a + y * K + k, K);
        for (int i = 0; i < p.num_elements; i++)
            p.x[i] = wmma::__float_to_tf32(p.x[i]);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> q;
            wmma::load_matrix_sync(q, b + k * N + x + j * 16, N);
            for (int i = 0; i < q.num_elements; i++)
                q.x[i] = wmma::__float_to_tf32(q.x[i]);
            wmma::mma_sync(sum[j], p, q, sum[j]);
        }
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + y * N + x + j * 16, sum[j], N, wmma::mem_row_major);
}

// 8 x 8 x 4 of doubles; a warp has 16 x 16, tiles in shared memory
__global__ void __launch_bounds__(128)
    doubles(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c)
{
    __shared__ __align__(32) double left[32][18], right[16][34];
    int t = threadIdx.x, w = t / 32, x = blockIdx.x * 32, y = blockIdx.y * 32, u = w % 2 * 16,
        v = w / 2 * 16;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i / 2][i % 2], 0);
    for (int k = 0; k < K; k += 16) {
        for (int i = t; i < 512; i += 128) {
            left[i / 16][i % 16] = a[(y + i / 16) * K + k + i % 16];
            right[i / 32][i % 32] = b[(k + i / 32) * N + x + i % 32];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j += 4) {
            wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> p[2];
            wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> q[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(p[i], &left[v + i * 8][j], 18);
                wmma::load_matrix_sync(q[i], &right[j][u + i * 8], 34);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                wmma::mma_sync(sum[i / 2][i % 2], p[i / 2], q[i % 2], sum[i / 2][i % 2]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(c + (y + v + i / 2 * 8) * N + x + u + i % 2 * 8, sum[i / 2][i % 2],
                                N, wmma::mem_row_major);
}

constexpr int WIDTH = 64, DEEP = 6;

// a block has 64 rows and goes through all layers; sums in half precision
__global__ void __launch_bounds__(128)
    layers(const half *__restrict__ weights, const half *__restrict__ in, half *__restrict__ out)
{
    __shared__ __align__(32) half rows[64][WIDTH + 8], next[WIDTH][WIDTH + 8];
    int t = threadIdx.x, w = t / 32;
    for (int i = t; i < 64 * WIDTH / 8; i += 128)
        *(uint4 *)&rows[i / 8][i % 8 * 8] = ((const uint4 *)in)[blockIdx.x * 64 * WIDTH / 8 + i];
    for (int layer = 0; layer < DEEP; layer++) {
        for (int i = t; i < WIDTH * WIDTH / 8; i += 128)
            *(uint4 *)&next[i / 8][i % 8 * 8] =
                ((const uint4 *)weights)[layer * WIDTH * WIDTH / 8 + i];
        __syncthreads();
        wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum[4];
        for (auto &s : sum)
            wmma::fill_fragment(s, __float2half(0));
#pragma unroll
        for (int k = 0; k < WIDTH; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
            wmma::load_matrix_sync(p, &rows[w * 16][k], WIDTH + 8);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> q;
                wmma::load_matrix_sync(q, &next[k][j * 16], WIDTH + 8);
                wmma::mma_sync(sum[j], p, q, sum[j]);
            }
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < sum[j].num_elements; i++)
                sum[j].x[i] = __hmax(sum[j].x[i], __float2half(0));
            wmma::store_matrix_sync(&rows[w * 16][j * 16], sum[j], WIDTH + 8, wmma::mem_row_major);
        }
    }
    __syncthreads();
    for (int i = t; i < 64 * WIDTH / 8; i += 128)
        ((uint4 *)out)[blockIdx.x * 64 * WIDTH / 8 + i] = *(uint4 *)&rows[i / 8][i % 8 * 8];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(113);
    const int rows = 32768;
    std::vector<float> a(M * K), b(K * N), bias = random.floats(N, -1, 1);
    std::vector<double> ad(M * K), bd(K * N);
    std::vector<__nv_bfloat16> ab(M * K), bb(K * N);
    for (int i = 0; i < M * K; i++) {
        ab[i] = __float2bfloat16(random.between(-1, 1));
        ad[i] = a[i] = __bfloat162float(ab[i]);
    }
    for (int i = 0; i < K * N; i++) {
        bb[i] = __float2bfloat16(random.between(-1, 1));
        bd[i] = b[i] = __bfloat162float(bb[i]);
    }
    std::vector<half> weights(DEEP * WIDTH * WIDTH), input(rows * WIDTH);
    for (half &w : weights)
        w = __float2half(random.between(-0.2f, 0.25f));
    for (half &v : input)
        v = __float2half(random.unit());
    __nv_bfloat16 *AB = copy(ab), *BB = copy(bb);
    float *A = copy(a), *B = copy(b), *S = copy(bias), *out = room<float>(M * N);
    double *AD = copy(ad), *BD = copy(bd), *outd = room<double>(M * N);
    half *W = copy(weights), *I = copy(input), *outh = room<half>(rows * WIDTH);
    auto wiped = [&] {
        fill(out, M * N, 0xff);
        fill(outd, M * N, 0xff);
        fill(outh, rows * WIDTH, 0xff);
    };
    auto product = [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += ad[i / N * K + k] * bd[k * N + i % N];
        return sum;
    };
    variant(
        "rectified", "rectified", wiped,
        [&] { rectified<<<dim3(N / 64, M / 64), 128>>>(AB, BB, S, out); },
        [&] {
            return differ(out, M * N, 37, 1e-3,
                          [&](size_t i) { return std::max(product(i) + bias[i % N], 0.0); });
        });
    variant(
        "rounded", "rounded", wiped, [&] { rounded<<<dim3(N / 64, M / 64), 128>>>(A, B, out); },
        [&] { return differ(out, M * N, 37, 1e-3, product); });
    variant(
        "doubles", "doubles", wiped, [&] { doubles<<<dim3(N / 32, M / 64), 128>>>(AD, BD, outd); },
        [&] { return differ(outd, M * N / 2, 37, 1e-10, product); });
    variant(
        "layers", "layers", wiped, [&] { layers<<<rows / 64, 128>>>(W, I, outh); },
        [&] {
            std::vector<half> got = fetch(outh, rows * WIDTH);
            long bad = 0;
            for (int r = 0; r < rows; r += 61) {
                float now[WIDTH], then[WIDTH];
                for (int k = 0; k < WIDTH; k++)
                    now[k] = __half2float(input[r * WIDTH + k]);
                for (int layer = 0; layer < DEEP; layer++) {
                    for (int c = 0; c < WIDTH; c++) {
                        float sum = 0;
                        for (int k = 0; k < WIDTH; k++)
                            sum += now[k] * __half2float(weights[(layer * WIDTH + k) * WIDTH + c]);
                        then[c] = std::max(sum, 0.0f);
                    }
                    std::copy(then, then + WIDTH, now);
                }
                for (int c = 0; c < WIDTH; c++)
                    bad += !near(__half2float(got[r * WIDTH + c]), now[c], 5e-2);
            }
            return bad;
        });
    return finish();
}
