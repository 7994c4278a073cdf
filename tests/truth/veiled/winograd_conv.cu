// A convolution of 3 x 3 by Winograd's minimal filters: pieces of the input carried over, sixteen
// products of matrices, results carried back, all three in one kernel, and the same convolution
// directly.
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

constexpr int N = 4, C = 64, K = 32, SIDE = 56, PITCH = SIDE + 2, ACROSS = SIDE / 2,
              TILES = N * ACROSS * ACROSS;

// 4 x 4 points of the input, of which 2 x 2 results are made
__host__ __device__ inline void forwards(float (&d)[4][4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float a = d[0][k], b = d[1][k], c = d[2][k], e = d[3][k];
        d[0][k] = a - c, d[1][k] = b + c, d[2][k] = c - b, d[3][k] = b - e;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float a = d[k][0], b = d[k][1], c = d[k][2], e = d[k][3];
        d[k][0] = a - c, d[k][1] = b + c, d[k][2] = c - b, d[k][3] = b - e;
    }
}

__host__ __device__ inline void backwards(const float (&m)[4][4], float (&y)[2][2])
{
    float half[2][4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        half[0][k] = m[0][k] + m[1][k] + m[2][k];
        half[1][k] = m[1][k] - m[2][k] - m[3][k];
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        y[r][0] = half[r][0] + half[r][1] + half[r][2];
        y[r][1] = half[r][1] - half[r][2] - half[r][3];
    }
}

__host__ __device__ inline void piece(const float *in, int c, int tile, float (&d)[4][4])
{
    int n = tile / (ACROSS * ACROSS), y = tile / ACROSS % ACROSS * 2, x = tile % ACROSS * 2;
    const float *from = in + ((n * C + c) * PITCH + y) * PITCH + x;
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            d[r][k] = from[r * PITCH + k];
}

__device__ inline void store(float *out, int k, int tile, const float (&y)[2][2])
{
    int n = tile / (ACROSS * ACROSS), top = tile / ACROSS % ACROSS * 2, x = tile % ACROSS * 2;
    float2 *to = (float2 *)(out + ((n * K + k) * SIDE + top) * SIDE + x);
    to[0] = make_float2(y[0][0], y[0][1]);
    to[SIDE / 2] = make_float2(y[1][0], y[1][1]);
}

__global__ void input(const float *__restrict__ in, float *__restrict__ pieces)
{
    int tile = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (tile >= TILES)
        return;
    float d[4][4];
    piece(in, c, tile, d);
    forwards(d);
#pragma unroll
    for (int p = 0; p < 16; p++)
        pieces[(p * C + c) * TILES + tile] = d[p / 4][p % 4];
}

// for one of sixteen places: all channels of the result for 64 tiles, 2 x 4 in each thread
__global__ void __launch_bounds__(256)
    products(const float *__restrict__ filters, const float *__restrict__ pieces,
             float *__restrict__ sums)
{
    __shared__ float left[16][K], right[16][64];
    int t = threadIdx.x, p = blockIdx.y, first = blockIdx.x * 64, k = t / 16 * 2, x = t % 16 * 4;
    float sum[2][4] = {};
    for (int c = 0; c < C; c += 16) {
        for (int i = t; i < 16 * K; i += 256)
            left[i / K][i % K] = filters[(p * C + c + i / K) * K + i % K];
        *(float4 *)&right[t / 16][t % 16 * 4] =
            *(const float4 *)(pieces + (p * C + c + t / 16) * TILES + first + t % 16 * 4);
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 16; s++) {
            float2 a = *(float2 *)&left[s][k];
            float4 b = *(float4 *)&right[s][x];
            sum[0][0] += a.x * b.x, sum[0][1] += a.x * b.y;
            sum[0][2] += a.x * b.z, sum[0][3] += a.x * b.w;
            sum[1][0] += a.y * b.x, sum[1][1] += a.y * b.y;
            sum[1][2] += a.y * b.z, sum[1][3] += a.y * b.w;
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        *(float4 *)(sums + (p * K + k + r) * TILES + first + x) =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

__global__ void output(const float *__restrict__ sums, float *__restrict__ out)
{
    int tile = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    if (tile >= TILES)
        return;
    float m[4][4], y[2][2];
#pragma unroll
    for (int p = 0; p < 16; p++)
        m[p / 4][p % 4] = sums[(p * K + k) * TILES + tile];
    backwards(m, y);
    store(out, k, tile, y);
}

// a block has 32 tiles and all channels of the result; a thread keeps all sixteen places of 2 x 2
__global__ void __launch_bounds__(256)
    fused(const float *__restrict__ in, const float *__restrict__ filters, float *__restrict__ out)
{
    __shared__ float right[8][16][32], left[8][16][K];
    int t = threadIdx.x, first = blockIdx.x * 32, k = t / 16 * 2, x = t % 16 * 2;
    float sum[2][2][16] = {};
    for (int c = 0; c < C; c += 8) {
        float d[4][4];
        piece(in, c + t / 32, first + t % 32, d);
        forwards(d);
#pragma unroll
        for (int p = 0; p < 16; p++)
            right[t / 32][p][t % 32] = d[p / 4][p % 4];
        for (int i = t; i < 8 * 16 * K; i += 256)
            left[i / (16 * K)][i / K % 16][i % K] =
                filters[(i / K % 16 * C + c + i / (16 * K)) * K + i % K];
        __syncthreads();
        for (int s = 0; s < 8; s++)
#pragma unroll
            for (int p = 0; p < 16; p++) {
                float2 a = *(float2 *)&left[s][p][k], b = *(float2 *)&right[s][p][x];
                sum[0][0][p] += a.x * b.x, sum[0][1][p] += a.x * b.y;
                sum[1][0][p] += a.y * b.x, sum[1][1][p] += a.y * b.y;
            }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float m[4][4], y[2][2];
#pragma unroll
        for (int p = 0; p < 16; p++)
            m[p / 4][p % 4] = sum[r / 2][r % 2][p];
        backwards(m, y);
        store(out, k + r / 2, first + x + r % 2, y);
    }
}

// a thread has eight channels of one point; their weights lie in shared memory
__global__ void __launch_bounds__(128)
    direct(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out)
{
    __shared__ float own[C * 9][8];
    int t = threadIdx.x, n = blockIdx.z, k = blockIdx.y * 8, i = blockIdx.x * 128 + t;
    for (int s = t; s < C * 9 * 8; s += 128)
        own[s / 8][s % 8] = weights[(k + s % 8) * C * 9 + s / 8];
    __syncthreads();
    if (i >= SIDE * SIDE)
        return;
    const float *from = in + n * C * PITCH * PITCH + i / SIDE * PITCH + i % SIDE;
    float sum[8] = {};
    for (int c = 0; c < C; c++, from += PITCH * PITCH)
#pragma unroll
        for (int s = 0; s < 9; s++) {
            float value = from[s / 3 * PITCH + s % 3];
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[j] += value * own[c * 9 + s][j];
        }
#pragma unroll
    for (int j = 0; j < 8; j++)
        out[(n * K + k + j) * SIDE * SIDE + i] = sum[j];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(211);
    std::vector<float> in(N * C * PITCH * PITCH),
        weights = random.floats(K * C * 9, -0.2f, 0.2f), filters(16 * C * K),
        sums = random.floats(16 * K * TILES, -1, 1), pieces = random.floats(16 * C * TILES, -1, 1);
    for (size_t i = 0; i < in.size(); i++) {
        int x = i % PITCH, y = i / PITCH % PITCH;
        in[i] = x && y && x <= SIDE && y <= SIDE ? random.between(-1, 1) : 0;
    }
    const double g[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    for (int k = 0; k < K; k++)
        for (int c = 0; c < C; c++)
            for (int p = 0; p < 16; p++) {
                double sum = 0;
                for (int s = 0; s < 9; s++)
                    sum += g[p / 4][s / 3] * g[p % 4][s % 3] * weights[(k * C + c) * 9 + s];
                filters[(p * C + c) * K + k] = sum;
            }
    float *I = copy(in), *W = copy(weights), *F = copy(filters), *S = copy(sums), *P = copy(pieces),
          *out = room<float>(16 * C * TILES);
    auto wiped = [&] { fill(out, 16 * C * TILES, 0x77); };
    auto convolved = [&] {
        return differ(out, N * K * SIDE * SIDE, 41, 2e-4, [&](size_t i) {
            int x = i % SIDE, y = i / SIDE % SIDE, k = i / (SIDE * SIDE) % K,
                n = i / (SIDE * SIDE * K);
            double sum = 0;
            for (int c = 0; c < C; c++)
                for (int s = 0; s < 9; s++)
                    sum += (double)weights[(k * C + c) * 9 + s] *
                           in[((n * C + c) * PITCH + y + s / 3) * PITCH + x + s % 3];
            return sum;
        });
    };
    variant(
        "input", "input", wiped, [&] { input<<<dim3((TILES + 127) / 128, C), 128>>>(I, out); },
        [&] {
            return differ(out, 16 * C * TILES, 17, 1e-5, [&](size_t i) {
                float d[4][4];
                piece(in.data(), i / TILES % C, i % TILES, d);
                forwards(d);
                return d[i / TILES / C / 4][i / TILES / C % 4];
            });
        });
    variant(
        "products", "products", wiped, [&] { products<<<dim3(TILES / 64, 16), 256>>>(F, P, out); },
        [&] {
            return differ(out, 16 * K * TILES, 37, 1e-4, [&](size_t i) {
                int tile = i % TILES, k = i / TILES % K, p = i / TILES / K;
                double sum = 0;
                for (int c = 0; c < C; c++)
                    sum +=
                        (double)filters[(p * C + c) * K + k] * pieces[(p * C + c) * TILES + tile];
                return sum;
            });
        });
    variant(
        "output", "output", wiped, [&] { output<<<dim3((TILES + 127) / 128, K), 128>>>(S, out); },
        [&] {
            return differ(out, N * K * SIDE * SIDE, 13, 1e-5, [&](size_t i) {
                int x = i % SIDE, y = i / SIDE % SIDE, k = i / (SIDE * SIDE) % K,
                    n = i / (SIDE * SIDE * K), tile = (n * ACROSS + y / 2) * ACROSS + x / 2;
                float m[4][4], result[2][2];
                for (int p = 0; p < 16; p++)
                    m[p / 4][p % 4] = sums[(p * K + k) * TILES + tile];
                backwards(m, result);
                return result[y % 2][x % 2];
            });
        });
    variant(
        "fused", "fused", wiped, [&] { fused<<<TILES / 32, 256>>>(I, F, out); }, convolved);
    variant(
        "direct", "direct", wiped,
        [&] { direct<<<dim3((SIDE * SIDE + 127) / 128, K / 8, N), 128>>>(I, W, out); }, convolved);
    return finish();
}
