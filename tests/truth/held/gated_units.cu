// Activations of networks, fused: SwiGLU by vectors, GELU by tanh and by the error function, bias
// with dropout and residual, SiLU of half precision with a gate.
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

__device__ float silu(float x)
{
    return x / (1 + __expf(-x));
}

// rows of 2 x WIDTH vectors: the gates, then the values
template <int WIDTH>
__global__ void swiglu(const float4 *__restrict__ x, float4 *__restrict__ y, int vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors)
        return;
    int row = i / WIDTH, column = i % WIDTH;
    float4 gate = x[row * 2 * WIDTH + column], value = x[row * 2 * WIDTH + WIDTH + column];
    y[i] = make_float4(silu(gate.x) * value.x, silu(gate.y) * value.y, silu(gate.z) * value.z,
                       silu(gate.w) * value.w);
}

__global__ void gelu_tanh(const float *x, float *y, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float v = x[i];
        y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

__global__ void gelu_erf(const float *x, float *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.7071067812f));
}

__host__ __device__ inline uint32_t mixed(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

__global__ void bias_dropout(const float *__restrict__ x, const float *__restrict__ bias,
                             const float *__restrict__ residual, float *__restrict__ y, int columns,
                             int count, uint32_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    bool kept = mixed(i ^ seed) >= 0x1999999au;
    y[i] = residual[i] + (kept ? (x[i] + bias[i % columns]) * (1 / 0.9f) : 0);
}

__global__ void silu_half(const __half2 *gate, const __half2 *value, __half2 *y, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    __half2 g = gate[i], one = __float2half2_rn(1);
    y[i] = __hmul2(__hmul2(g, h2rcp(__hadd2(one, h2exp(__hneg2(g))))), value[i]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 6 << 20, half = 3 << 20, width = 1024;
    Lcg random(107);
    std::vector<float> values = random.floats(count, -4, 4), more = random.floats(count, -1, 1),
                       biases = random.floats(768, -1, 1);
    std::vector<__half> halves(count);
    for (int i = 0; i < count; i++)
        halves[i] = __float2half(values[i]);
    float *x = copy(values), *z = copy(more), *bias = copy(biases), *y = room<float>(count);
    __half *h = copy(halves), *hy = room<__half>(half);
    auto wiped = [&] { fill(y, count, 0xff); };
    auto smooth = [](double v) { return v / (1 + std::exp(-v)); };
    variant(
        "swiglu", "swiglu", wiped,
        [&] {
            swiglu<width / 4><<<half / 4 / 256, 256>>>((const float4 *)x, (float4 *)y, half / 4);
        },
        [&] {
            return differ(y, half, 13, 1e-4, [&](size_t i) {
                size_t row = i / width, at = row * 2 * width + i % width;
                return smooth(values[at]) * values[at + width];
            });
        });
    variant(
        "gelu_tanh", "gelu_tanh", wiped, [&] { gelu_tanh<<<132 * 8, 256>>>(x, y, count); },
        [&] {
            return differ(y, count, 17, 1e-4, [&](size_t i) {
                double v = values[i];
                return 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
            });
        });
    variant(
        "gelu_erf", "gelu_erf", wiped, [&] { gelu_erf<<<count / 512, 512>>>(x, y, count); },
        [&] {
            return differ(y, count, 17, 1e-4, [&](size_t i) {
                return 0.5 * values[i] * (1 + std::erf(values[i] * std::sqrt(0.5)));
            });
        });
    variant(
        "bias_dropout", "bias_dropout", wiped,
        [&] { bias_dropout<<<count / 256, 256>>>(x, bias, z, y, 768, count, 0x1234567); },
        [&] {
            return differ(y, count, 17, 1e-4, [&](size_t i) {
                return more[i] + (mixed(i ^ 0x1234567) >= 0x1999999au
                                      ? (values[i] + biases[i % 768]) / 0.9
                                      : 0);
            });
        });
    variant(
        "silu_half", "silu_half", [&] { fill(hy, half, 0xff); },
        [&] {
            silu_half<<<half / 2 / 256, 256>>>((const __half2 *)h, (const __half2 *)(h + half),
                                               (__half2 *)hy, half / 2);
        },
        [&] {
            std::vector<__half> got = fetch(hy, half);
            long bad = 0;
            for (int i = 0; i < half; i += 17)
                bad += !near(__half2float(got[i]), smooth(values[i]) * values[half + i], 2e-2);
            return bad;
        });
    return finish();
}
