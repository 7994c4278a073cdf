// Products with weights of few bits: a matrix of codes of four bits looked up in a table of values
// times a vector, four bits made halves on the way into a matrix unit, bytes by the matrix unit's
// own instruction, bits by exclusive or and counting, weights of -1, 0 and 1 unpacked by a table.
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

constexpr int ROWS = 8192, COLUMNS = 4096, TOKENS = 16, GROUP = 128;

__constant__ float levels[16];

// a warp a row: eight codes a word, a scale for each 128 weights
__global__ void __launch_bounds__(128)
    looked_up(const uint32_t *__restrict__ codes, const float *__restrict__ scales,
              const __half *__restrict__ x, float *__restrict__ y)
{
    __shared__ float table[16];
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 16)
        table[threadIdx.x] = levels[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int w = lane; w < COLUMNS / 8; w += 32) {
        uint32_t word = codes[row * (COLUMNS / 8) + w];
        uint4 values = *(const uint4 *)(x + w * 8);
        const __half2 *pairs = (const __half2 *)&values;
        float part = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 v = __half22float2(pairs[k]);
            part += table[word >> 8 * k & 15] * v.x + table[word >> (8 * k + 4) & 15] * v.y;
        }
        sum += part * scales[row * (COLUMNS / GROUP) + w / (GROUP / 8)];
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__device__ inline void multiply_halves(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                       uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// two codes less eight as halves: 1024 + code is made by bits alone
__device__ inline uint32_t made_half(uint32_t low, uint32_t high)
{
    uint32_t both = low | high << 16 | 0x64006400;
    const __half2 less = __float2half2_rn(1032);
    __half2 out = __hsub2(*(__half2 *)&both, less);
    return *(uint32_t *)&out;
}

// 16 tokens times a matrix of whole codes: four warps of a block share the columns of 8 rows
__global__ void __launch_bounds__(128)
    half_unit(const uint32_t *__restrict__ codes, const float *__restrict__ scales,
              const __half *__restrict__ x, float *__restrict__ y)
{
    __shared__ float parts[4][TOKENS * 8];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4,
        row = blockIdx.x * 8 + g;
    float sum[4] = {};
    for (int c = w * GROUP; c < COLUMNS; c += 4 * GROUP) {
        float part[4] = {};
#pragma unroll
        for (int s = 0; s < GROUP; s += 16) {
            const uint32_t *from = (const uint32_t *)x + (g * COLUMNS + c + s) / 2 + q;
            uint32_t a[4] = {from[0], from[8 * COLUMNS / 2], from[4], from[8 * COLUMNS / 2 + 4]};
            const uint32_t *code = codes + (row * COLUMNS + c + s) / 8;
            uint32_t low = code[0] >> 8 * q, high = code[1] >> 8 * q;
            multiply_halves(part, a, made_half(low & 15, low >> 4 & 15),
                            made_half(high & 15, high >> 4 & 15));
        }
        // a lane's results are of rows 2 q and 2 q + 1
        int first = blockIdx.x * 8 + q * 2;
        float s0 = scales[first * (COLUMNS / GROUP) + c / GROUP],
              s1 = scales[(first + 1) * (COLUMNS / GROUP) + c / GROUP];
        sum[0] += part[0] * s0, sum[1] += part[1] * s1;
        sum[2] += part[2] * s0, sum[3] += part[3] * s1;
    }
    for (int k = 0; k < 4; k++)
        parts[w][(g + k / 2 * 8) * 8 + q * 2 + k % 2] = sum[k];
    __syncthreads();
    int t = threadIdx.x;
    y[t / 8 * ROWS + blockIdx.x * 8 + t % 8] =
        parts[0][t] + parts[1][t] + parts[2][t] + parts[3][t];
}

constexpr int SIDE = 1024, DEEP = 1024;

// a warp has 32 x 32 results and reads its pieces from global memory
__global__ void __launch_bounds__(128)
    bytes_unit(const int8_t *__restrict__ a, const int8_t *__restrict__ b, int *__restrict__ c)
{
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, q = lane % 4,
        y = blockIdx.y * 64 + w / 2 * 32, x = blockIdx.x * 64 + w % 2 * 32;
    int sum[2][4][4] = {};
    for (int k = 0; k < DEEP; k += 32) {
        uint32_t left[2][4], right[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int s = 0; s < 4; s++)
                left[i][s] = *(const uint32_t *)(a + (y + i * 16 + g + s % 2 * 8) * DEEP + k +
                                                 q * 4 + s / 2 * 16);
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int s = 0; s < 2; s++)
                right[j][s] = *(const uint32_t *)(b + (x + j * 8 + g) * DEEP + k + q * 4 + s * 16);
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int(&d)[4] = sum[i][j];
                asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
                    "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                    : "r"(left[i][0]), "r"(left[i][1]), "r"(left[i][2]), "r"(left[i][3]),
                      "r"(right[j][0]), "r"(right[j][1]));
            }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int s = 0; s < 2; s++)
                *(int2 *)(c + (y + i * 16 + g + s * 8) * SIDE + x + j * 8 + q * 2) =
                    make_int2(sum[i][j][2 * s], sum[i][j][2 * s + 1]);
}

constexpr int WORDS = 64, BITS_HIGH = 512, BITS_WIDE = 1024;

// weights and values are 1 or -1, a bit each; a thread has 4 x 4 results
__global__ void __launch_bounds__(256)
    ones(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b, int *__restrict__ c)
{
    __shared__ uint32_t left[64][17], right[64][17];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, y = blockIdx.y * 64, x = blockIdx.x * 64;
    int differing[4][4] = {};
    for (int k = 0; k < WORDS; k += 16) {
        for (int i = t; i < 64 * 16; i += 256) {
            left[i / 16][i % 16] = a[(y + i / 16) * WORDS + k + i % 16];
            right[i / 16][i % 16] = b[(x + i / 16) * WORDS + k + i % 16];
        }
        __syncthreads();
        for (int s = 0; s < 16; s++) {
            uint32_t p[4], q[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                p[j] = left[ty + 16 * j][s], q[j] = right[tx + 16 * j][s];
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    differing[i][j] += __popc(p[i] ^ q[j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(y + ty + 16 * i) * BITS_WIDE + x + tx + 16 * j] = WORDS * 32 - 2 * differing[i][j];
}

// two bits a weight; a table in shared memory makes four bytes of eight bits
__global__ void __launch_bounds__(256)
    ternary(const uint32_t *__restrict__ weights, const int *__restrict__ bytes_of,
            const int4 *__restrict__ x, int *__restrict__ y)
{
    __shared__ int table[256];
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    table[threadIdx.x] = bytes_of[threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int w = lane; w < COLUMNS / 16; w += 32) {
        uint32_t word = weights[row * (COLUMNS / 16) + w];
        int4 v = x[w];
        sum = __dp4a(table[word & 255], v.x, sum);
        sum = __dp4a(table[word >> 8 & 255], v.y, sum);
        sum = __dp4a(table[word >> 16 & 255], v.z, sum);
        sum = __dp4a(table[word >> 24], v.w, sum);
    }
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0)
        y[row] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(223);
    std::vector<uint32_t> codes(ROWS * COLUMNS / 8), bits_a(BITS_HIGH * WORDS),
        bits_b(BITS_WIDE * WORDS), packed(ROWS * COLUMNS / 16);
    std::vector<float> scales = random.floats(ROWS * (COLUMNS / GROUP), 0.01f, 0.1f),
                       level = random.floats(16, -1, 1);
    std::vector<__half> x(TOKENS * COLUMNS);
    std::vector<int8_t> a(SIDE * DEEP), b(SIDE * DEEP), vector(COLUMNS);
    std::vector<int> bytes_of(256);
    for (std::vector<uint32_t> *list : {&codes, &bits_a, &bits_b})
        for (uint32_t &word : *list)
            word = random.next();
    for (uint32_t &word : packed)
        for (int k = 0; k < 32; k += 2)
            word |= random.below(3) << k;
    for (__half &value : x)
        value = __float2half(random.between(-1, 1));
    for (std::vector<int8_t> *list : {&a, &b, &vector})
        for (int8_t &value : *list)
            value = random.next();
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 4; k++)
            bytes_of[i] |= ((i >> 2 * k & 3) - 1 & 255) << 8 * k;
    must(cudaMemcpyToSymbol(levels, level.data(), sizeof levels));
    uint32_t *Q = copy(codes), *BA = copy(bits_a), *BB = copy(bits_b), *T = copy(packed);
    float *S = copy(scales), *y = room<float>(TOKENS * ROWS);
    __half *X = copy(x);
    int8_t *A = copy(a), *B = copy(b), *V = copy(vector);
    int *table = copy(bytes_of), *out = room<int>(SIDE * SIDE);
    auto wiped = [&] {
        fill(y, TOKENS * ROWS, 0x77);
        fill(out, SIDE * SIDE, 0x77);
    };
    auto weighted = [&](int row, int token, bool plain) {
        double sum = 0;
        for (int c = 0; c < COLUMNS; c++) {
            int i = row * COLUMNS + c, code = codes[i / 8] >> i % 8 * 4 & 15;
            sum += (plain ? code - 8 : (double)level[code]) * scales[i / GROUP] *
                   __half2float(x[token * COLUMNS + c]);
        }
        return sum;
    };
    variant(
        "looked_up", "looked_up", wiped, [&] { looked_up<<<ROWS / 4, 128>>>(Q, S, X, y); },
        [&] { return differ(y, ROWS, 7, 1e-3, [&](size_t i) { return weighted(i, 0, false); }); });
    variant(
        "half_unit", "half_unit", wiped, [&] { half_unit<<<ROWS / 8, 128>>>(Q, S, X, y); },
        [&] {
            return differ(y, TOKENS * ROWS, 61, 2e-3,
                          [&](size_t i) { return weighted(i % ROWS, i / ROWS, true); });
        });
    variant(
        "bytes_unit", "bytes_unit", wiped,
        [&] { bytes_unit<<<dim3(SIDE / 64, SIDE / 64), 128>>>(A, B, out); },
        [&] {
            return differ(out, SIDE * SIDE, 211, 0, [&](size_t i) {
                int sum = 0;
                for (int k = 0; k < DEEP; k++)
                    sum += a[i / SIDE * DEEP + k] * b[i % SIDE * DEEP + k];
                return sum;
            });
        });
    variant(
        "ones", "ones", wiped,
        [&] { ones<<<dim3(BITS_WIDE / 64, BITS_HIGH / 64), 256>>>(BA, BB, out); },
        [&] {
            return differ(out, BITS_HIGH * BITS_WIDE, 23, 0, [&](size_t i) {
                int sum = 0;
                for (int k = 0; k < WORDS; k++) {
                    uint32_t word =
                        bits_a[i / BITS_WIDE * WORDS + k] ^ bits_b[i % BITS_WIDE * WORDS + k];
                    sum += 32 - 2 * __builtin_popcount(word);
                }
                return sum;
            });
        });
    variant(
        "ternary", "ternary", wiped,
        [&] { ternary<<<ROWS / 8, 256>>>(T, table, (const int4 *)V, out); },
        [&] {
            return differ(out, ROWS, 3, 0, [&](size_t i) {
                int sum = 0;
                for (int c = 0; c < COLUMNS; c++) {
                    size_t at = i * COLUMNS + c;
                    sum += ((int)(packed[at / 16] >> at % 16 * 2 & 3) - 1) * vector[c];
                }
                return sum;
            });
        });
    return finish();
}
