// Attention of other shapes: each query sees the 64 keys before it, with a query in each thread and
// with a block's keys in shared memory; a running sum of keys times values instead of scores; all
// keys by the matrix units with a maximum that follows.
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

constexpr int HEADS = 16, LONG = 512, D = 64, WINDOW = 64;

__global__ void __launch_bounds__(64)
    window_thread(const float *__restrict__ q, const float *__restrict__ k,
                  const float *__restrict__ v, float *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x, at = i % LONG;
    const float4 *query = (const float4 *)(q + i * D);
    float sum = 0, most = -INFINITY;
    float4 own[D / 4], result[D / 4] = {};
#pragma unroll
    for (int d = 0; d < D / 4; d++)
        own[d] = query[d];
    for (int j = max(0, at - WINDOW + 1); j <= at; j++) {
        const float4 *key = (const float4 *)(k + (i - at + j) * D),
                     *value = (const float4 *)(v + (i - at + j) * D);
        float score = 0;
#pragma unroll
        for (int d = 0; d < D / 4; d++) {
            float4 other = key[d];
            score +=
                own[d].x * other.x + own[d].y * other.y + own[d].z * other.z + own[d].w * other.w;
        }
        score *= 0.125f;
        float now = fmaxf(most, score), less = __expf(most - now), more = __expf(score - now);
        most = now, sum = sum * less + more;
#pragma unroll
        for (int d = 0; d < D / 4; d++) {
            float4 other = value[d];
            result[d].x = result[d].x * less + more * other.x;
            result[d].y = result[d].y * less + more * other.y;
            result[d].z = result[d].z * less + more * other.z;
            result[d].w = result[d].w * less + more * other.w;
        }
    }
#pragma unroll
    for (int d = 0; d < D / 4; d++)
        ((float4 *)(out + i * D))[d] =
            make_float4(result[d].x / sum, result[d].y / sum, result[d].z / sum, result[d].w / sum);
}

// a block has 32 queries, eight lanes a query; the 96 keys and values they see in dynamic shared
// memory
constexpr int SEEN = WINDOW + 32, LINE = D + 4;

__global__ void __launch_bounds__(256)
    window_block(const float *__restrict__ q, const float *__restrict__ k,
                 const float *__restrict__ v, float *__restrict__ out)
{
    extern __shared__ float memory[];
    float *keys = memory, *values = memory + SEEN * LINE;
    int t = threadIdx.x, first = blockIdx.x % (LONG / 32) * 32, head = blockIdx.x / (LONG / 32),
        mine = t / 8, part = t % 8;
    for (int i = t; i < SEEN * D / 4; i += 256) {
        int row = first - WINDOW + i / (D / 4),
            at = (head * LONG + max(row, 0)) * D + i % (D / 4) * 4;
        *(float4 *)(keys + i / (D / 4) * LINE + i % (D / 4) * 4) = *(const float4 *)(k + at);
        *(float4 *)(values + i / (D / 4) * LINE + i % (D / 4) * 4) = *(const float4 *)(v + at);
    }
    const float *query = q + (head * LONG + first + mine) * D;
    float own[8], result[8] = {}, sum = 0, most = -INFINITY;
#pragma unroll
    for (int d = 0; d < 8; d++)
        own[d] = query[part + 8 * d];
    __syncthreads();
    for (int j = mine + 1; j <= mine + WINDOW; j++) {
        float score = 0;
#pragma unroll
        for (int d = 0; d < 8; d++)
            score += own[d] * keys[j * LINE + part + 8 * d];
        score += __shfl_xor_sync(~0u, score, 1);
        score += __shfl_xor_sync(~0u, score, 2);
        score += __shfl_xor_sync(~0u, score, 4);
        if (first - WINDOW + j < 0)
            score = -1e30f;
        score *= 0.125f;
        float now = fmaxf(most, score), less = __expf(most - now), more = __expf(score - now);
        most = now, sum = sum * less + more;
#pragma unroll
        for (int d = 0; d < 8; d++)
            result[d] = result[d] * less + more * values[j * LINE + part + 8 * d];
    }
#pragma unroll
    for (int d = 0; d < 8; d++)
        out[(head * LONG + first + mine) * D + part + 8 * d] = result[d] / sum;
}

// a block a head: the state of 64 x 64 lies in registers, a column in four lanes; step by step
__global__ void __launch_bounds__(256)
    running(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
            float *__restrict__ out)
{
    __shared__ float keys[16][D], queries[16][D], values[16][D];
    int t = threadIdx.x, column = t / 4, part = t % 4, head = blockIdx.x;
    float state[16] = {};
    for (int base = 0; base < LONG; base += 16) {
        for (int i = t; i < 16 * D; i += 256) {
            int at = (head * LONG + base) * D + i;
            keys[i / D][i % D] = k[at], queries[i / D][i % D] = q[at], values[i / D][i % D] = v[at];
        }
        __syncthreads();
        for (int s = 0; s < 16; s++) {
            float value = values[s][column], sum = 0;
#pragma unroll
            for (int d = 0; d < 16; d++) {
                state[d] = 0.96875f * state[d] + keys[s][part + 4 * d] * value;
                sum += queries[s][part + 4 * d] * state[d];
            }
            sum += __shfl_xor_sync(~0u, sum, 1);
            sum += __shfl_xor_sync(~0u, sum, 2);
            if (part == 0)
                out[(head * LONG + base + s) * D + column] = sum;
        }
        __syncthreads();
    }
}

// a warp has 16 queries and goes over 16 keys at a time; scores, and what was summed, in shared
// memory
__global__ void __launch_bounds__(64)
    matrices(const __half *__restrict__ q, const __half *__restrict__ k,
             const __half *__restrict__ v, float *__restrict__ out)
{
    __shared__ __align__(32) float scores[2][16][16], sums[2][16][D];
    __shared__ __align__(32) __half chances[2][16][16];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, tile = blockIdx.x * 2 + w,
        head = tile / (LONG / 16), row = lane / 2, half = lane % 2;
    const __half *keys = k + head * LONG * D, *values = v + head * LONG * D;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[4], chance;
#pragma unroll
    for (int d = 0; d < 4; d++)
        wmma::load_matrix_sync(left[d], q + tile * 16 * D + d * 16, D);
    for (int d = half; d < D; d += 2)
        sums[w][row][d] = 0;
    float most = -INFINITY, sum = 0;
    for (int base = 0; base < LONG; base += 16) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> score;
        wmma::fill_fragment(score, 0);
#pragma unroll
        for (int d = 0; d < 4; d++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
            wmma::load_matrix_sync(right, keys + base * D + d * 16, D);
            wmma::mma_sync(score, left[d], right, score);
        }
        wmma::store_matrix_sync(&scores[w][0][0], score, 16, wmma::mem_row_major);
        __syncwarp();
        float own[8], now = most;
#pragma unroll
        for (int s = 0; s < 8; s++) {
            own[s] = scores[w][row][half * 8 + s] * 0.125f;
            now = fmaxf(now, own[s]);
        }
        now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
        float less = __expf(most - now), added = 0;
#pragma unroll
        for (int s = 0; s < 8; s++) {
            float e = __expf(own[s] - now);
            added += e;
            chances[w][row][half * 8 + s] = __float2half(e);
        }
        sum = sum * less + added + __shfl_xor_sync(~0u, added, 1);
        most = now;
        for (int d = half * 32; d < half * 32 + 32; d += 4) {
            float4 old = *(float4 *)&sums[w][row][d];
            *(float4 *)&sums[w][row][d] =
                make_float4(old.x * less, old.y * less, old.z * less, old.w * less);
        }
        __syncwarp();
        wmma::load_matrix_sync(chance, &chances[w][0][0], 16);
#pragma unroll
        for (int d = 0; d < 4; d++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> result;
            wmma::load_matrix_sync(right, values + base * D + d * 16, D);
            wmma::load_matrix_sync(result, &sums[w][0][d * 16], D, wmma::mem_row_major);
            wmma::mma_sync(result, chance, right, result);
            wmma::store_matrix_sync(&sums[w][0][d * 16], result, D, wmma::mem_row_major);
        }
        __syncwarp();
    }
    for (int d = half * 32; d < half * 32 + 32; d++)
        out[(tile * 16 + row) * D + d] = sums[w][row][d] / sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(227);
    const int count = HEADS * LONG * D;
    std::vector<float> q = random.floats(count, -1, 1), k = random.floats(count, -1, 1),
                       v = random.floats(count, -1, 1);
    std::vector<__half> hq(count), hk(count), hv(count);
    for (int i = 0; i < count; i++)
        hq[i] = __float2half(q[i]), hk[i] = __float2half(k[i]), hv[i] = __float2half(v[i]);
    float *Q = copy(q), *K = copy(k), *V = copy(v), *out = room<float>(count);
    __half *HQ = copy(hq), *HK = copy(hk), *HV = copy(hv);
    auto wiped = [&] { fill(out, count, 0x77); };
    auto attended = [&](size_t query, size_t first, size_t last, int d) {
        double sum = 0, result = 0;
        for (size_t j = first; j <= last; j++) {
            double score = 0;
            for (int s = 0; s < D; s++)
                score += (double)q[query * D + s] * k[j * D + s];
            double e = exp(score / 8);
            sum += e, result += e * v[j * D + d];
        }
        return result / sum;
    };
    auto windows = [&] {
        return differ(out, count, 37, 1e-4, [&](size_t i) {
            int query = i / D, at = query % LONG;
            return attended(query, query - std::min(at, WINDOW - 1), query, i % D);
        });
    };
    variant(
        "window_thread", "window_thread", wiped,
        [&] { window_thread<<<HEADS * LONG / 64, 64>>>(Q, K, V, out); }, windows);
    const int bytes = 2 * SEEN * LINE * sizeof(float);
    must(cudaFuncSetAttribute(window_block, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    variant(
        "window_block", "window_block", wiped,
        [&] { window_block<<<HEADS * LONG / 32, 256, bytes>>>(Q, K, V, out); }, windows);
    variant(
        "running", "running", wiped, [&] { running<<<HEADS, 256>>>(Q, K, V, out); },
        [&] {
            std::vector<float> got = fetch(out, count);
            long bad = 0;
            for (int i = 31; i < HEADS * LONG; i += 67) {
                double sum = 0, weight = 1;
                for (int j = i; j >= i / LONG * LONG; j--, weight *= 0.96875) {
                    double score = 0;
                    for (int s = 0; s < D; s++)
                        score += (double)q[i * D + s] * k[j * D + s];
                    sum += weight * score * v[j * D + i % D];
                }
                bad += !near(got[i * D + i % D], sum, 1e-3);
            }
            return bad;
        });
    variant(
        "matrices", "matrices", wiped,
        [&] { matrices<<<HEADS * LONG / 32, 64>>>(HQ, HK, HV, out); },
        [&] {
            return differ(out, HEADS * LONG * D, 1031, 4e-3, [&](size_t i) {
                size_t first = i / D / LONG * LONG;
                return attended(i / D, first, first + LONG - 1, i % D);
            });
        });
    return finish();
}
