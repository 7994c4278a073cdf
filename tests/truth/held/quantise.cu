// Quantisation: rows to bytes by their largest value, groups of 32 to four bits, eight-bit floats
// of 4 and 3 bits, bytes back to half precision, rounding to bfloat16 at random.
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

// rows of 1024, a warp each
__global__ void rows_to_bytes(const float4 *__restrict__ x, uint32_t *__restrict__ out,
                              float *__restrict__ scale, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 mine[8];
    float top = 0;
    for (int k = 0; k < 8; k++) {
        mine[k] = x[(size_t)row * 256 + k * 32 + lane];
        top = fmaxf(top, fmaxf(fmaxf(fabsf(mine[k].x), fabsf(mine[k].y)),
                               fmaxf(fabsf(mine[k].z), fabsf(mine[k].w))));
    }
    for (int step = 16; step; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    float by = top > 0 ? 127 / top : 0;
    for (int k = 0; k < 8; k++) {
        float4 v = mine[k];
        int a = __float2int_rn(v.x * by), b = __float2int_rn(v.y * by),
            c = __float2int_rn(v.z * by), d = __float2int_rn(v.w * by);
        out[row * 256 + k * 32 + lane] =
            (a & 255) | (b & 255) << 8 | (c & 255) << 16 | (d & 255) << 24;
    }
    if (lane == 0)
        scale[row] = top / 127;
}

// a thread is a group of 32: 16 bytes and a scale with an offset
__global__ void groups_to_four_bits(const float4 *__restrict__ x, uint4 *__restrict__ out,
                                    __half2 *__restrict__ scale, int groups)
{
    int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group >= groups)
        return;
    float mine[32], low = 1e30f, high = -1e30f;
    for (int k = 0; k < 8; k++)
        ((float4 *)mine)[k] = x[(size_t)group * 8 + k];
    for (float v : mine) {
        low = fminf(low, v);
        high = fmaxf(high, v);
    }
    float by = high > low ? 15 / (high - low) : 0;
    uint32_t words[4];
    for (int w = 0; w < 4; w++) {
        words[w] = 0;
        for (int k = 0; k < 8; k++)
            words[w] |= (uint32_t)((mine[w * 8 + k] - low) * by + 0.5f) << 4 * k;
    }
    out[group] = make_uint4(words[0], words[1], words[2], words[3]);
    scale[group] = __floats2half2_rn((high - low) / 15, low);
}

// four bits of exponent, three of fraction, rounded to even, at most 448
__host__ __device__ inline uint32_t small_float(float value)
{
    union {
        float f;
        uint32_t u;
    } as = {value};
    uint32_t sign = as.u >> 24 & 128, magnitude = as.u & 0x7fffffff;
    if (magnitude >= 0x43e80000u) // 464
        return sign | 126;
    if (magnitude < 0x3c800000u) { // 2^-6: steps of 2^-9
        as.u = magnitude;
        as.f += 16384.f;
        return sign | (as.u - 0x46800000u);
    }
    uint32_t rounded = magnitude + 0x7ffff + (magnitude >> 20 & 1);
    return sign | ((rounded >> 20) - (120 << 3));
}

__global__ void to_small_floats(const float4 *__restrict__ x, uint32_t *__restrict__ out,
                                float scale, int vectors)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        out[i] = small_float(v.x * scale) | small_float(v.y * scale) << 8 |
                 small_float(v.z * scale) << 16 | small_float(v.w * scale) << 24;
    }
}

__global__ void to_half(const char4 *__restrict__ x, const float *__restrict__ scale,
                        __half2 *__restrict__ y, int vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors)
        return;
    char4 v = x[i];
    float s = scale[i / 256];
    y[2 * i] = __floats2half2_rn(v.x * s, v.y * s);
    y[2 * i + 1] = __floats2half2_rn(v.z * s, v.w * s);
}

__host__ __device__ inline uint16_t rounded_at_random(uint32_t bits, uint32_t place)
{
    uint32_t r = place * 0x9e3779b1u;
    r ^= r >> 15;
    r *= 0x85ebca77u;
    r ^= r >> 13;
    return (bits + (r & 0xffff)) >> 16;
}

__global__ void to_bfloat(const uint32_t *__restrict__ x, uint16_t *__restrict__ y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = rounded_at_random(x[i], i);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 8 << 20, rows = count / 1024, groups = count / 32;
    Lcg random(151);
    std::vector<float> values = random.floats(count, -3, 3),
                       scales = random.floats(rows, 0.01f, 0.1f);
    for (int i = 0; i < count; i += 3)
        values[i] *= values[i] * values[i] * values[i];
    std::vector<signed char> bytes(count);
    for (signed char &b : bytes)
        b = random.next();
    float *x = copy(values), *given = copy(scales), *scale = room<float>(rows);
    signed char *byte = copy(bytes);
    uint32_t *out = room<uint32_t>(count / 4);
    __half *half = room<__half>(count), *pair = room<__half>(2 * groups);
    auto wiped = [&] { fill(out, count / 4, 0xff); };
    variant(
        "bytes", "rows_to_bytes", wiped,
        [&] { rows_to_bytes<<<rows / 8, 256>>>((const float4 *)x, out, scale, rows); },
        [&] {
            std::vector<signed char> got = fetch((const signed char *)out, count);
            std::vector<float> by = fetch(scale, rows);
            long bad = 0;
            for (int r = 0; r < rows; r++) {
                float top = 0;
                for (int i = 0; i < 1024; i++)
                    top = std::max(top, std::fabs(values[r * 1024 + i]));
                bad += !near(by[r], top / 127, 1e-5);
                for (int i = 0; i < 1024; i += 5)
                    bad +=
                        std::fabs(got[r * 1024 + i] - values[r * 1024 + i] * 127 / top) > 0.5001f;
            }
            return bad;
        });
    variant(
        "four_bits", "groups_to_four_bits", wiped,
        [&] {
            groups_to_four_bits<<<groups / 128, 128>>>((const float4 *)x, (uint4 *)out,
                                                       (__half2 *)pair, groups);
        },
        [&] {
            std::vector<uint32_t> got = fetch(out, count / 8);
            long bad = 0;
            for (int g = 0; g < groups; g += 3) {
                auto [low, high] = std::minmax_element(&values[g * 32], &values[g * 32 + 32]);
                for (int k = 0; k < 32; k++)
                    bad += std::fabs((got[g * 4 + k / 8] >> 4 * (k % 8) & 15) -
                                     (values[g * 32 + k] - *low) * 15 / (*high - *low)) > 0.501f;
            }
            return bad;
        });
    variant(
        "small_floats", "to_small_floats", wiped,
        [&] { to_small_floats<<<132 * 4, 512>>>((const float4 *)x, out, 2, count / 4); },
        [&] {
            return differ((const uint8_t *)out, count, 7, 0,
                          [&](size_t i) { return small_float(values[i] * 2); });
        });
    variant(
        "to_half", "to_half", [&] { fill(half, count, 0xff); },
        [&] {
            to_half<<<count / 4 / 256, 256>>>((const char4 *)byte, given, (__half2 *)half,
                                              count / 4);
        },
        [&] {
            std::vector<__half> got = fetch(half, count);
            long bad = 0;
            for (int i = 0; i < count; i += 7)
                bad += !near(__half2float(got[i]), bytes[i] * scales[i / 1024], 1e-3);
            return bad;
        });
    variant(
        "at_random", "to_bfloat", [&] { fill(half, count, 0xff); },
        [&] { to_bfloat<<<count / 256, 256>>>((const uint32_t *)x, (uint16_t *)half, count); },
        [&] {
            return differ((const uint16_t *)half, count, 7, 0, [&](size_t i) {
                uint32_t bits;
                memcpy(&bits, &values[i], 4);
                return rounded_at_random(bits, i);
            });
        });
    return finish();
}
