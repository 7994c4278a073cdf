// A mixture of experts: the two best of 16 experts for each token, how many tokens each expert has
// by counts in shared memory, rows of tokens gathered by expert, and results of two experts
// weighted and joined.
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
#include <cuda_bf16.h>

constexpr int EXPERTS = 16, TOKENS = 16384, WIDE = 512;

// 16 lanes a token: each lane has an expert's score
__global__ void gate(const float *__restrict__ x, const float *__restrict__ weights,
                     int2 *__restrict__ chosen, float2 *__restrict__ shares)
{
    extern __shared__ float w[]; // WIDE x EXPERTS
    for (int i = threadIdx.x; i < WIDE * EXPERTS; i += blockDim.x)
        w[i] = weights[i];
    __syncthreads();
    int e = threadIdx.x % EXPERTS;
    for (int token = (blockIdx.x * blockDim.x + threadIdx.x) / EXPERTS; token < TOKENS;
         token += gridDim.x * blockDim.x / EXPERTS) {
        float sum = 0;
        for (int k = 0; k < WIDE; k += 4) {
            float4 v = *(const float4 *)(x + token * WIDE + k);
            sum += v.x * w[k * EXPERTS + e] + v.y * w[(k + 1) * EXPERTS + e] +
                   v.z * w[(k + 2) * EXPERTS + e] + v.w * w[(k + 3) * EXPERTS + e];
        }
        float first = sum, second;
        int one = e, two;
        for (int step = 8; step; step /= 2) {
            float other = __shfl_xor_sync(~0u, first, step);
            int who = __shfl_xor_sync(~0u, one, step);
            if (other > first || (other == first && who < one))
                first = other, one = who;
        }
        second = e == one ? -1e30f : sum, two = e;
        for (int step = 8; step; step /= 2) {
            float other = __shfl_xor_sync(~0u, second, step);
            int who = __shfl_xor_sync(~0u, two, step);
            if (other > second || (other == second && who < two))
                second = other, two = who;
        }
        if (e == 0) {
            float share = 1 / (1 + __expf(second - first));
            chosen[token] = make_int2(one, two);
            shares[token] = make_float2(share, 1 - share);
        }
    }
}

// counts of each block of 1024 choices, and the rank of each choice within its block
__global__ void __launch_bounds__(1024)
    counts(const int *__restrict__ chosen, int *__restrict__ ranks, int *__restrict__ blocks)
{
    __shared__ int many[32][EXPERTS];
    int t = threadIdx.x, i = blockIdx.x * 1024 + t, e = chosen[i], warp = t / 32;
    if (t % 32 < EXPERTS)
        many[warp][t % 32] = 0;
    __syncwarp();
    unsigned same = __match_any_sync(~0u, e);
    int rank = __popc(same & ((1u << t % 32) - 1));
    if (rank == 0)
        many[warp][e] = __popc(same);
    __syncthreads();
    for (int k = t / 32; k < EXPERTS; k += 32) { // a warp sums an expert over the block's warps
        int v = many[t % 32][k], scan = v;
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(~0u, scan, step);
            scan += t % 32 >= step ? other : 0;
        }
        many[t % 32][k] = scan - v;
        if (t % 32 == 31)
            blocks[blockIdx.x * EXPERTS + k] = scan;
    }
    __syncthreads();
    ranks[i] = many[warp][e] + rank;
}

// a warp moves a row of bfloat16 to its place
__global__ void dispatch(const uint4 *__restrict__ x, const int *__restrict__ place,
                         uint4 *__restrict__ out)
{
    int choice = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int to = place[choice], from = choice / 2;
#pragma unroll
    for (int k = 0; k < WIDE / 8; k += 32)
        out[to * (WIDE / 8) + k + lane] = x[from * (WIDE / 8) + k + lane];
}

__global__ void join(const __nv_bfloat162 *__restrict__ y, const int2 *__restrict__ place,
                     const float2 *__restrict__ shares, __nv_bfloat162 *__restrict__ out)
{
    int token = blockIdx.x, t = threadIdx.x;
    int2 p = place[token];
    float2 s = shares[token], a = __bfloat1622float2(y[p.x * (WIDE / 2) + t]),
           b = __bfloat1622float2(y[p.y * (WIDE / 2) + t]);
    out[token * (WIDE / 2) + t] =
        __floats2bfloat162_rn(s.x * a.x + s.y * b.x, s.x * a.y + s.y * b.y);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(53);
    const int rows = 2 * TOKENS, choices = 1 << 20, blocks = choices / 1024;
    std::vector<float> x = random.floats((size_t)TOKENS * WIDE, -1, 1),
                       w = random.floats(WIDE * EXPERTS, -0.1f, 0.1f);
    std::vector<int> chosen(rows), place(rows), all(choices), ranks(choices),
        many(blocks * EXPERTS);
    std::vector<float2> shares(TOKENS);
    for (int i = 0; i < TOKENS; i++) {
        chosen[2 * i] = std::min(random.below(EXPERTS), random.below(EXPERTS));
        chosen[2 * i + 1] = (chosen[2 * i] + 1 + random.below(EXPERTS - 1)) % EXPERTS;
        float s = random.unit();
        shares[i] = make_float2(s, 1 - s);
    }
    for (int i = 0, start[EXPERTS + 1] = {}; i < rows; i++) {
        if (i == 0)
            for (int k : chosen)
                for (int e = k + 1; e <= EXPERTS; e++)
                    start[e]++;
        place[i] = start[chosen[i]]++;
    }
    for (int i = 0; i < choices; i++) {
        all[i] = std::min(random.below(EXPERTS), random.below(EXPERTS));
        ranks[i] = many[i / 1024 * EXPERTS + all[i]]++;
    }
    std::vector<__nv_bfloat16> half((size_t)TOKENS * WIDE), y((size_t)rows * WIDE);
    for (__nv_bfloat16 &h : half)
        h = __float2bfloat16(random.between(-1, 1));
    for (__nv_bfloat16 &h : y)
        h = __float2bfloat16(random.between(-1, 1));
    float *X = copy(x), *W = copy(w);
    float2 *S = copy(shares), *new_shares = room<float2>(TOKENS);
    int *C = copy(all), *P = copy(place), *new_chosen = room<int>(rows), *rank = room<int>(choices),
        *sums = room<int>(blocks * EXPERTS);
    __nv_bfloat16 *HX = copy(half), *Y = copy(y), *out = room<__nv_bfloat16>((size_t)rows * WIDE);
    auto wiped = [&] {
        fill(new_chosen, rows, 0xff);
        fill(new_shares, TOKENS, 0xff);
        fill(rank, choices, 0xff);
        fill(out, (size_t)rows * WIDE, 0xff);
    };
    variant(
        "gate", "gate", wiped,
        [&] { gate<<<132 * 4, 256, WIDE * EXPERTS * 4>>>(X, W, (int2 *)new_chosen, new_shares); },
        [&] {
            std::vector<int> got = fetch(new_chosen, rows, false);
            std::vector<float> share = fetch((float *)new_shares, rows);
            long bad = 0;
            for (int i = 0; i < TOKENS; i += 5) {
                double s[EXPERTS] = {}, first = -1e30, second = -1e30;
                for (int k = 0; k < WIDE; k++)
                    for (int e = 0; e < EXPERTS; e++)
                        s[e] += x[i * WIDE + k] * w[k * EXPERTS + e];
                for (double v : s)
                    if (v > first)
                        second = first, first = v;
                    else if (v > second)
                        second = v;
                int a = got[2 * i] & 15, b = got[2 * i + 1] & 15;
                bad += a == b || !near(s[a], first, 1e-4) || !near(s[b], second, 1e-4) ||
                       !near(share[2 * i], 1 / (1 + std::exp(second - first)), 1e-3);
            }
            return bad;
        });
    variant(
        "counts", "counts", wiped, [&] { counts<<<blocks, 1024>>>(C, rank, sums); },
        [&] {
            return differ(rank, choices, 1, 0, [&](size_t i) { return ranks[i]; }) +
                   differ(sums, many.size(), 1, 0, [&](size_t i) { return many[i]; });
        });
    variant(
        "dispatch", "dispatch", wiped,
        [&] { dispatch<<<rows / 4, 128>>>((uint4 *)HX, P, (uint4 *)out); },
        [&] {
            std::vector<__nv_bfloat16> got = fetch(out, (size_t)rows * WIDE);
            long bad = 0;
            for (int i = 0; i < rows; i += 3)
                bad += memcmp(&got[(size_t)place[i] * WIDE], &half[(size_t)i / 2 * WIDE],
                              WIDE * 2) != 0;
            return bad;
        });
    variant(
        "join", "join", wiped,
        [&] {
            join<<<TOKENS, WIDE / 2>>>((__nv_bfloat162 *)Y, (int2 *)P, S, (__nv_bfloat162 *)out);
        },
        [&] {
            std::vector<__nv_bfloat16> got = fetch(out, (size_t)TOKENS * WIDE);
            long bad = 0;
            for (size_t i = 0; i < got.size(); i += 7) {
                size_t t = i / WIDE, c = i % WIDE;
                float a = __bfloat162float(y[(size_t)place[2 * t] * WIDE + c]),
                      b = __bfloat162float(y[(size_t)place[2 * t + 1] * WIDE + c]);
                bad += !near(__bfloat162float(got[i]), shares[t].x * a + shares[t].y * b, 1e-2);
            }
            return bad;
        });
    return finish();
}
