// Distances of all pairs: squared differences by tiles of 16, cosines with 8 x 8 in each thread,
// differing bits of signatures, the nearest of a codebook kept in shared memory.
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

constexpr int DEPTH = 64;

__global__ void squares(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ out, int n)
{
    __shared__ float left[16][17], right[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16, column = blockIdx.x * 16;
    float sum = 0;
    for (int from = 0; from < DEPTH; from += 16) {
        left[y][x] = a[(row + y) * DEPTH + from + x];
        right[y][x] = b[(column + y) * DEPTH + from + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float d = left[y][k] - right[x][k];
            sum += d * d;
        }
        __syncthreads();
    }
    out[(row + y) * n + column + x] = sum;
}

// 128 x 128 a block of 256
__global__ void __launch_bounds__(256)
    cosines(const float *__restrict__ a, const float *__restrict__ b,
            const float *__restrict__ by_a, const float *__restrict__ by_b, float *__restrict__ out,
            int n)
{
    __shared__ float left[8][132], right[8][132];
    int t = threadIdx.x, x = t % 16, y = t / 16, row = blockIdx.y * 128, column = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int from = 0; from < DEPTH; from += 8) {
        float4 p = *(const float4 *)&a[(row + t / 2) * DEPTH + from + t % 2 * 4],
               q = *(const float4 *)&b[(column + t / 2) * DEPTH + from + t % 2 * 4];
        for (int k = 0; k < 4; k++) {
            left[t % 2 * 4 + k][t / 2] = (&p.x)[k];
            right[t % 2 * 4 + k][t / 2] = (&q.x)[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float l[8], r[8];
            *(float4 *)l = *(const float4 *)&left[k][y * 4];
            *(float4 *)(l + 4) = *(const float4 *)&left[k][64 + y * 4];
            *(float4 *)r = *(const float4 *)&right[k][x * 4];
            *(float4 *)(r + 4) = *(const float4 *)&right[k][64 + x * 4];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] += l[i] * r[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int r = row + i / 4 * 64 + y * 4 + i % 4;
        float by = by_a[r];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            int c = column + h * 64 + x * 4;
            float4 scale = *(const float4 *)&by_b[c];
            *(float4 *)&out[(size_t)r * n + c] =
                make_float4(sum[i][4 * h] * by * scale.x, sum[i][4 * h + 1] * by * scale.y,
                            sum[i][4 * h + 2] * by * scale.z, sum[i][4 * h + 3] * by * scale.w);
        }
    }
}

// signatures of 256 bits; a thread has one and goes along the others
__global__ void signatures(const uint4 *__restrict__ a, const uint4 *__restrict__ b, int others,
                           int2 *__restrict__ best)
{
    __shared__ uint4 some[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 low = a[2 * i], high = a[2 * i + 1];
    int2 found = {257, -1};
    for (int from = 0; from < others; from += 64) {
        __syncthreads();
        some[threadIdx.x] = b[2 * from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            uint4 p = some[2 * k], q = some[2 * k + 1];
            int d = __popc(low.x ^ p.x) + __popc(low.y ^ p.y) + __popc(low.z ^ p.z) +
                    __popc(low.w ^ p.w) + __popc(high.x ^ q.x) + __popc(high.y ^ q.y) +
                    __popc(high.z ^ q.z) + __popc(high.w ^ q.w);
            if (d < found.x)
                found = make_int2(d, from + k);
        }
    }
    best[i] = found;
}

// product quantisation: 8 parts of 8 numbers, 256 codes each; blockIdx.y is the part
__global__ void codebook(const float4 *__restrict__ x, const float4 *__restrict__ book,
                         uint8_t *__restrict__ code, int count)
{
    __shared__ float4 words[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        words[i] = book[blockIdx.y * 512 + i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = x[i * 16 + blockIdx.y * 2], q = x[i * 16 + blockIdx.y * 2 + 1];
    float least = 1e30f;
    int best = 0;
    for (int k = 0; k < 256; k++) {
        float4 u = words[2 * k], v = words[2 * k + 1];
        float d = (p.x - u.x) * (p.x - u.x) + (p.y - u.y) * (p.y - u.y) +
                  (p.z - u.z) * (p.z - u.z) + (p.w - u.w) * (p.w - u.w) +
                  (q.x - v.x) * (q.x - v.x) + (q.y - v.y) * (q.y - v.y) +
                  (q.z - v.z) * (q.z - v.z) + (q.w - v.w) * (q.w - v.w);
        if (d < least) {
            least = d;
            best = k;
        }
    }
    code[blockIdx.y * count + i] = best;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int n = 1024, wide = 2048, signs = 8192, others = 512, count = 12288;
    Lcg random(373);
    std::vector<float> as(count * DEPTH), bs(wide * DEPTH), by_as(wide), by_bs(wide),
        books(8 * 256 * 8);
    for (auto *v : {&as, &bs, &books})
        for (float &f : *v)
            f = (int)random.below(64) / 32.f - 1; // so that no sum is rounded
    for (int r = 0; r < wide; r++) {
        double p = 0, q = 0;
        for (int k = 0; k < DEPTH; k++) {
            p += as[r * DEPTH + k] * as[r * DEPTH + k];
            q += bs[r * DEPTH + k] * bs[r * DEPTH + k];
        }
        by_as[r] = 1 / std::sqrt(p);
        by_bs[r] = 1 / std::sqrt(q);
    }
    std::vector<uint32_t> bits((signs + others) * 8);
    for (uint32_t &w : bits)
        w = random.next();
    float *a = copy(as), *b = copy(bs), *by_a = copy(by_as), *by_b = copy(by_bs),
          *book = copy(books), *out = room<float>((size_t)wide * wide);
    uint32_t *bit = copy(bits);
    int *best = room<int>(2 * signs);
    uint8_t *code = room<uint8_t>(8 * count);
    auto wiped = [&] {
        fill(out, (size_t)wide * wide, 0xff);
        fill(best, 2 * signs, 0xff);
        fill(code, 8 * count, 0xff);
    };
    variant(
        "squares", "squares", wiped,
        [&] { squares<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, out, n); },
        [&] {
            return differ(out, n * n, 37, 1e-5, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < DEPTH; k++) {
                    double d = as[i / n * DEPTH + k] - bs[i % n * DEPTH + k];
                    sum += d * d;
                }
                return sum;
            });
        });
    variant(
        "cosines", "cosines", wiped,
        [&] { cosines<<<dim3(wide / 128, wide / 128), 256>>>(a, b, by_a, by_b, out, wide); },
        [&] {
            return differ(out, (size_t)wide * wide, 137, 1e-5, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < DEPTH; k++)
                    sum += as[i / wide * DEPTH + k] * bs[i % wide * DEPTH + k];
                return sum * by_as[i / wide] * by_bs[i % wide];
            });
        });
    variant(
        "signatures", "signatures", wiped,
        [&] {
            signatures<<<signs / 128, 128>>>((const uint4 *)bit, (const uint4 *)(bit + signs * 8),
                                             others, (int2 *)best);
        },
        [&] {
            std::vector<int> got = fetch(best, 2 * signs);
            long bad = 0;
            for (int i = 0; i < signs; i += 3) {
                int least = 257, where = -1;
                for (int o = 0; o < others; o++) {
                    int d = 0;
                    for (int w = 0; w < 8; w++)
                        d += __builtin_popcount(bits[i * 8 + w] ^ bits[(signs + o) * 8 + w]);
                    if (d < least) {
                        least = d;
                        where = o;
                    }
                }
                bad += got[2 * i] != least || got[2 * i + 1] != where;
            }
            return bad;
        });
    variant(
        "codebook", "codebook", wiped,
        [&] {
            codebook<<<dim3(count / 128, 8), 128>>>((const float4 *)a, (const float4 *)book, code,
                                                    count);
        },
        [&] {
            return differ(code, 8 * count, 31, 0, [&](size_t i) {
                int part = i / count, best_code = 0;
                float least = 1e30f;
                for (int k = 0; k < 256; k++) {
                    float d = 0;
                    for (int e = 0; e < 8; e++) {
                        float f =
                            as[i % count * DEPTH + part * 8 + e] - books[(part * 256 + k) * 8 + e];
                        d += f * f;
                    }
                    if (d < least) {
                        least = d;
                        best_code = k;
                    }
                }
                return best_code;
            });
        });
    return finish();
}
