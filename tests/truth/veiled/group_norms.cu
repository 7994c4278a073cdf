// Normalisation of groups of channels: by a block a group that reads its values twice and by one
// that keeps them in registers, with channels last, sums of all groups alone with channels last,
// and in half precision with a gate behind.
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

constexpr int N = 8, C = 128, POINTS = 4096, GROUPS = 32, OWN = C / GROUPS, PART = OWN * POINTS,
              COUNT = N * C * POINTS;

// sums of both over a block
template <int THREADS> __device__ inline float2 block_sum(float2 v)
{
    __shared__ float2 parts[THREADS / 32];
    for (int d = 16; d; d /= 2)
        v.x += __shfl_xor_sync(~0u, v.x, d), v.y += __shfl_xor_sync(~0u, v.y, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = make_float2(0, 0);
    for (int w = 0; w < THREADS / 32; w++)
        v.x += parts[w].x, v.y += parts[w].y;
    return v;
}

__device__ inline void add(float2 &sum, float4 v)
{
    sum.x += v.x + v.y + v.z + v.w;
    sum.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

// from both sums: the mean, and one over the deviation
__device__ inline float2 moments(float2 sum)
{
    float mean = sum.x / PART;
    return make_float2(mean, rsqrtf(sum.y / PART - mean * mean + 1e-5f));
}

__device__ inline float4 scaled(float4 v, float2 m, float a, float b)
{
    a *= m.y, b -= m.x * a;
    return make_float4(v.x * a + b, v.y * a + b, v.z * a + b, v.w * a + b);
}

__global__ void __launch_bounds__(512)
    twice(const float4 *__restrict__ in, const float *__restrict__ weight,
          const float *__restrict__ bias, float4 *__restrict__ out)
{
    const float4 *from = in + (size_t)blockIdx.x * PART / 4;
    int c = blockIdx.x % GROUPS * OWN;
    float2 sum = {};
    for (int i = threadIdx.x; i < PART / 4; i += 512)
        add(sum, from[i]);
    float2 m = moments(block_sum<512>(sum));
    for (int i = threadIdx.x; i < PART / 4; i += 512) {
        int own = c + i / (POINTS / 4);
        out[blockIdx.x * PART / 4 + i] = scaled(from[i], m, weight[own], bias[own]);
    }
}

__global__ void __launch_bounds__(512)
    kept(const float4 *__restrict__ in, const float *__restrict__ weight,
         const float *__restrict__ bias, float4 *__restrict__ out)
{
    const float4 *from = in + (size_t)blockIdx.x * PART / 4;
    int c = blockIdx.x % GROUPS * OWN;
    float4 own[PART / 4 / 512];
    float2 sum = {};
#pragma unroll
    for (int k = 0; k < PART / 4 / 512; k++)
        own[k] = from[threadIdx.x + 512 * k];
#pragma unroll
    for (int k = 0; k < PART / 4 / 512; k++)
        add(sum, own[k]);
    float2 m = moments(block_sum<512>(sum));
#pragma unroll
    for (int k = 0; k < PART / 4 / 512; k++) {
        int i = threadIdx.x + 512 * k, mine = c + i / (POINTS / 4);
        out[blockIdx.x * PART / 4 + i] = scaled(own[k], m, weight[mine], bias[mine]);
    }
}

// all channels of a point side by side: a group has 16 bytes of each 512
__global__ void __launch_bounds__(512)
    channels_last(const float4 *__restrict__ in, const float4 *__restrict__ weight,
                  const float4 *__restrict__ bias, float4 *__restrict__ out)
{
    int g = blockIdx.x % GROUPS, n = blockIdx.x / GROUPS;
    const float4 *from = in + (size_t)n * POINTS * GROUPS + g;
    float2 sum = {};
    for (int i = threadIdx.x; i < POINTS; i += 512)
        add(sum, from[i * GROUPS]);
    float2 m = moments(block_sum<512>(sum));
    float4 a = weight[g], b = bias[g];
    for (int i = threadIdx.x; i < POINTS; i += 512) {
        float4 v = from[i * GROUPS];
        v.x = (v.x - m.x) * m.y * a.x + b.x, v.y = (v.y - m.x) * m.y * a.y + b.y;
        v.z = (v.z - m.x) * m.y * a.z + b.z, v.w = (v.w - m.x) * m.y * a.w + b.w;
        out[(n * POINTS + i) * GROUPS + g] = v;
    }
}

// a block has 64 points of one picture with all channels, a lane a group; sums by atomics
__global__ void __launch_bounds__(256)
    slabs(const float4 *__restrict__ in, float2 *__restrict__ sums)
{
    __shared__ float2 parts[8][GROUPS];
    int w = threadIdx.x / 32, g = threadIdx.x % 32, n = blockIdx.x / (POINTS / 64);
    float2 sum = {};
    for (int i = w; i < 64; i += 8)
        add(sum, in[(blockIdx.x * 64 + i) * GROUPS + g]);
    parts[w][g] = sum;
    __syncthreads();
    if (w == 0) {
        for (int k = 1; k < 8; k++)
            sum.x += parts[k][g].x, sum.y += parts[k][g].y;
        atomicAdd(&sums[n * GROUPS + g].x, sum.x);
        atomicAdd(&sums[n * GROUPS + g].y, sum.y);
    }
}

// eight values in each load, all kept; the result times its own logistic function
__global__ void __launch_bounds__(512)
    half_gate(const uint4 *__restrict__ in, const float *__restrict__ weight,
              const float *__restrict__ bias, uint4 *__restrict__ out)
{
    const int each = PART / 8 / 512;
    uint4 own[each];
    int first = blockIdx.x * PART / 8 + threadIdx.x, c = blockIdx.x % GROUPS * OWN;
    float2 sum = {};
#pragma unroll
    for (int k = 0; k < each; k++)
        own[k] = in[first + 512 * k];
#pragma unroll
    for (int k = 0; k < each; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 v = __half22float2(((__half2 *)&own[k])[j]);
            sum.x += v.x + v.y, sum.y += v.x * v.x + v.y * v.y;
        }
    float2 m = moments(block_sum<512>(sum));
#pragma unroll
    for (int k = 0; k < each; k++) {
        int mine = c + (threadIdx.x + 512 * k) / (POINTS / 8);
        __half2 a = __float2half2_rn(weight[mine] * m.y),
                b = __float2half2_rn(bias[mine] - m.x * weight[mine] * m.y);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            __half2 &v = ((__half2 *)&own[k])[j], one = __float2half2_rn(1);
            v = __hfma2(v, a, b);
            v = __h2div(v, __hadd2(one, h2exp(__hneg2(v))));
        }
        out[first + 512 * k] = own[k];
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(233);
    std::vector<float> in(COUNT), last(COUNT), weight = random.floats(C, 0.5f, 1.5f),
                                               bias = random.floats(C, -1, 1);
    std::vector<__half> halves(COUNT);
    std::vector<double> sums(N * GROUPS), squares(N * GROUPS);
    for (int i = 0; i < COUNT; i++) {
        int c = i / POINTS % C, n = i / POINTS / C, point = i % POINTS;
        in[i] = random.between(-1, 1) * (1 + c / OWN % 3) + (c / OWN % 5 - 2) * 0.25f;
        last[(n * POINTS + point) * C + c] = in[i];
        halves[i] = __float2half(in[i]);
        sums[i / PART] += in[i], squares[i / PART] += (double)in[i] * in[i];
    }
    auto expected = [&](size_t i) {
        int c = i / POINTS % C;
        double mean = sums[i / PART] / PART, square = squares[i / PART] / PART - mean * mean;
        return (in[i] - mean) / sqrt(square + 1e-5) * weight[c] + bias[c];
    };
    float *I = copy(in), *L = copy(last), *W = copy(weight), *B = copy(bias),
          *out = room<float>(COUNT), *total = room<float>(2 * N * GROUPS);
    __half *H = copy(halves);
    auto wiped = [&] {
        fill(out, COUNT, 0x77);
        fill(total, 2 * N * GROUPS, 0);
    };
    auto check = [&] { return differ(out, COUNT, 97, 1e-4, expected); };
    variant(
        "twice", "twice", wiped,
        [&] { twice<<<N * GROUPS, 512>>>((float4 *)I, W, B, (float4 *)out); }, check);
    variant(
        "kept", "kept", wiped, [&] { kept<<<N * GROUPS, 512>>>((float4 *)I, W, B, (float4 *)out); },
        check);
    variant(
        "channels_last", "channels_last", wiped,
        [&] {
            channels_last<<<N * GROUPS, 512>>>((float4 *)L, (float4 *)W, (float4 *)B,
                                               (float4 *)out);
        },
        [&] {
            return differ(out, COUNT, 97, 1e-4, [&](size_t i) {
                size_t c = i % C, point = i / C % POINTS, n = i / C / POINTS;
                return expected((n * C + c) * POINTS + point);
            });
        });
    variant(
        "slabs", "slabs", wiped,
        [&] { slabs<<<N * POINTS / 64, 256>>>((float4 *)L, (float2 *)total); },
        [&] {
            return differ(total, 2 * N * GROUPS, 1, 1e-4,
                          [&](size_t i) { return i % 2 ? squares[i / 2] : sums[i / 2]; });
        });
    variant(
        "half_gate", "half_gate", wiped,
        [&] { half_gate<<<N * GROUPS, 512>>>((uint4 *)H, W, B, (uint4 *)out); },
        [&] {
            std::vector<__half> got = fetch((__half *)out, COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 97) {
                double v = expected(i);
                bad += !near(__half2float(got[i]), v / (1 + exp(-v)), 1e-2);
            }
            return bad;
        });
    return finish();
}
