// Attention of one new token with a cache of keys and values in half precision, heads of 128, four
// heads of questions to one of keys: a block a head over the whole cache, slices of the cache with
// a key in each thread, pages with four heads in one block, and slices combined.
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
#include <cuda_fp16.h>

constexpr int BATCH = 8, HEADS = 32, SHARED_HEADS = 8, WIDE = 128, LONG = 1024, SLICE = 128,
              PAGE = 16;

__device__ inline float warp_sum(float v)
{
    for (int step = 16; step; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    return v;
}

__device__ inline float4 four(const __half *p)
{
    uint2 raw = *(const uint2 *)p;
    float2 a = __half22float2(*(__half2 *)&raw.x), b = __half22float2(*(__half2 *)&raw.y);
    return make_float4(a.x, a.y, b.x, b.y);
}

// each of four warps takes every fourth key; a lane has four of the 128 numbers
__global__ void __launch_bounds__(128)
    whole(const float *__restrict__ q, const __half *__restrict__ keys,
          const __half *__restrict__ values, float *__restrict__ out)
{
    __shared__ float sums[4][WIDE], tops[4], scales[4];
    int b = blockIdx.x / HEADS, h = blockIdx.x % HEADS, warp = threadIdx.x / 32,
        lane = threadIdx.x % 32;
    size_t base = (size_t)(b * SHARED_HEADS + h / 4) * LONG * WIDE;
    float4 mine = ((const float4 *)(q + blockIdx.x * WIDE))[lane];
    float top = -1e30f, scale = 0, sum[4] = {};
    for (int k = warp; k < LONG; k += 4) {
        float4 key = four(keys + base + k * WIDE + lane * 4);
        float4 value = four(values + base + k * WIDE + lane * 4);
        float s = warp_sum(mine.x * key.x + mine.y * key.y + mine.z * key.z + mine.w * key.w);
        float higher = fmaxf(top, s), old = __expf(top - higher), p = __expf(s - higher);
        top = higher;
        scale = scale * old + p;
        sum[0] = sum[0] * old + p * value.x;
        sum[1] = sum[1] * old + p * value.y;
        sum[2] = sum[2] * old + p * value.z;
        sum[3] = sum[3] * old + p * value.w;
    }
    for (int i = 0; i < 4; i++)
        sums[warp][lane * 4 + i] = sum[i];
    if (lane == 0)
        tops[warp] = top, scales[warp] = scale;
    __syncthreads();
    float highest = fmaxf(fmaxf(tops[0], tops[1]), fmaxf(tops[2], tops[3])), all = 0, mix = 0;
    for (int w = 0; w < 4; w++) {
        float f = __expf(tops[w] - highest);
        all += scales[w] * f;
        mix += sums[w][threadIdx.x] * f;
    }
    out[blockIdx.x * WIDE + threadIdx.x] = mix / all;
}

// blockIdx.y is the slice; a thread has a key, afterwards one of the 128 numbers of the result
__global__ void __launch_bounds__(SLICE)
    slices(const float *__restrict__ q, const __half *__restrict__ keys,
           const __half *__restrict__ values, float *__restrict__ parts, float2 *__restrict__ marks)
{
    __shared__ float question[WIDE], weights[SLICE], part[4];
    int b = blockIdx.x / HEADS, h = blockIdx.x % HEADS, t = threadIdx.x;
    size_t base = ((size_t)(b * SHARED_HEADS + h / 4) * LONG + blockIdx.y * SLICE) * WIDE;
    question[t] = q[blockIdx.x * WIDE + t];
    __syncthreads();
    float s = 0;
    for (int i = 0; i < WIDE; i += 8) {
        uint4 raw = *(const uint4 *)(keys + base + t * WIDE + i);
        const __half2 *pairs = (const __half2 *)&raw;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(pairs[k]);
            s += question[i + 2 * k] * f.x + question[i + 2 * k + 1] * f.y;
        }
    }
    float top = s;
    for (int step = 16; step; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    if (t % 32 == 0)
        part[t / 32] = top;
    __syncthreads();
    top = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
    float p = __expf(s - top);
    weights[t] = p;
    __syncthreads();
    p = warp_sum(p);
    if (t % 32 == 0)
        part[t / 32] = p;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < SLICE; k++)
        sum += weights[k] * __half2float(values[base + k * WIDE + t]);
    __syncthreads();
    int place = blockIdx.x * gridDim.y + blockIdx.y;
    parts[(size_t)place * WIDE + t] = sum;
    if (t == 0)
        marks[place] = make_float2(top, part[0] + part[1] + part[2] + part[3]);
}

// a warp for each of four heads that share keys, pages of 16 tokens in shared memory
__global__ void __launch_bounds__(128)
    pages(const float *__restrict__ q, const __half *__restrict__ keys,
          const __half *__restrict__ values, const int *__restrict__ table, float *__restrict__ out)
{
    __shared__ uint4 key_page[PAGE * WIDE / 8], value_page[PAGE * WIDE / 8];
    int b = blockIdx.x / SHARED_HEADS, g = blockIdx.x % SHARED_HEADS, warp = threadIdx.x / 32,
        lane = threadIdx.x % 32, head = b * HEADS + g * 4 + warp;
    float4 mine = ((const float4 *)(q + head * WIDE))[lane];
    float top = -1e30f, scale = 0;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int page = 0; page < LONG / PAGE; page++) {
        size_t base = (size_t)table[blockIdx.x * (LONG / PAGE) + page] * PAGE * WIDE / 8;
        for (int i = threadIdx.x; i < PAGE * WIDE / 8; i += 128) {
            key_page[i] = ((const uint4 *)keys)[base + i];
            value_page[i] = ((const uint4 *)values)[base + i];
        }
        __syncthreads();
        float scores[PAGE], highest = top;
#pragma unroll
        for (int k = 0; k < PAGE; k++) {
            float4 key = four((const __half *)key_page + k * WIDE + lane * 4);
            scores[k] = warp_sum(mine.x * key.x + mine.y * key.y + mine.z * key.z + mine.w * key.w);
            highest = fmaxf(highest, scores[k]);
        }
        float old = __expf(top - highest);
        top = highest;
        scale *= old;
        sum = make_float4(sum.x * old, sum.y * old, sum.z * old, sum.w * old);
#pragma unroll
        for (int k = 0; k < PAGE; k++) {
            float4 v = four((const __half *)value_page + k * WIDE + lane * 4);
            float p = __expf(scores[k] - top);
            scale += p;
            sum.x += p * v.x;
            sum.y += p * v.y;
            sum.z += p * v.z;
            sum.w += p * v.w;
        }
        __syncthreads();
    }
    ((float4 *)(out + head * WIDE))[lane] =
        make_float4(sum.x / scale, sum.y / scale, sum.z / scale, sum.w / scale);
}

__global__ void combine(const float *__restrict__ parts, const float2 *__restrict__ marks,
                        float *__restrict__ out, int slices)
{
    int head = blockIdx.x * blockDim.y + threadIdx.y, t = threadIdx.x;
    float top = -1e30f, all = 0, sum = 0;
    for (int s = 0; s < slices; s++)
        top = fmaxf(top, marks[head * slices + s].x);
    for (int s = 0; s < slices; s++) {
        float2 m = marks[head * slices + s];
        float f = __expf(m.x - top);
        all += f * m.y;
        sum += f * parts[(size_t)(head * slices + s) * WIDE + t];
    }
    out[head * WIDE + t] = sum / all;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t cache = (size_t)BATCH * SHARED_HEADS * LONG * WIDE;
    const int heads = BATCH * HEADS, many = 4096, parts = 24, pages_of = LONG / PAGE,
              all_pages = BATCH * SHARED_HEADS * pages_of;
    Lcg random(37);
    std::vector<float> q = random.floats(heads * WIDE, -0.3f, 0.3f), expected(heads * WIDE);
    std::vector<__half> keys(cache), values(cache), paged_keys(cache), paged_values(cache);
    for (size_t i = 0; i < cache; i++) {
        keys[i] = __float2half(random.between(-1, 1));
        values[i] = __float2half(random.between(-1, 1));
    }
    std::vector<int> table(all_pages);
    for (int i = 0; i < all_pages; i++)
        table[i] = i;
    for (int i = all_pages - 1; i > 0; i--)
        std::swap(table[i], table[random.below(i + 1)]);
    for (int i = 0; i < all_pages; i++)
        for (int k = 0; k < PAGE * WIDE; k++) {
            paged_keys[(size_t)table[i] * PAGE * WIDE + k] = keys[(size_t)i * PAGE * WIDE + k];
            paged_values[(size_t)table[i] * PAGE * WIDE + k] = values[(size_t)i * PAGE * WIDE + k];
        }
    const int step = 9;
    for (int head = 0; head < heads; head += step) {
        size_t base = (size_t)(head / HEADS * SHARED_HEADS + head % HEADS / 4) * LONG * WIDE;
        std::vector<double> sum(WIDE);
        double all = 0;
        for (int k = 0; k < LONG; k++) {
            double s = 0;
            for (int i = 0; i < WIDE; i++)
                s += q[head * WIDE + i] * __half2float(keys[base + k * WIDE + i]);
            all += s = std::exp(s);
            for (int i = 0; i < WIDE; i++)
                sum[i] += s * __half2float(values[base + k * WIDE + i]);
        }
        for (int i = 0; i < WIDE; i++)
            expected[head * WIDE + i] = sum[i] / all;
    }
    std::vector<float> old_parts = random.floats((size_t)many * parts * WIDE, -1, 1);
    std::vector<float2> old_marks(many * parts);
    for (float2 &m : old_marks)
        m = make_float2(random.between(-2, 2), random.between(1, 9));
    float *Q = copy(q), *P = copy(old_parts), *new_parts = room<float>(heads * 8 * WIDE),
          *out = room<float>(many * WIDE);
    float2 *M = copy(old_marks), *new_marks = room<float2>(heads * 8);
    __half *K = copy(keys), *V = copy(values), *PK = copy(paged_keys), *PV = copy(paged_values);
    int *T = copy(table);
    auto wiped = [&] {
        fill(out, many * WIDE, 0xff);
        fill(new_parts, heads * 8 * WIDE, 0xff);
        fill(new_marks, heads * 8, 0xff);
    };
    auto check = [&] {
        std::vector<float> got = fetch(out, heads * WIDE);
        long bad = 0;
        for (int head = 0; head < heads; head += step)
            for (int i = 0; i < WIDE; i++)
                bad += !near(got[head * WIDE + i], expected[head * WIDE + i], 1e-3);
        return bad;
    };
    variant(
        "whole", "whole", wiped, [&] { whole<<<heads, 128>>>(Q, K, V, out); }, check);
    variant(
        "slices", "slices", wiped,
        [&] { slices<<<dim3(heads, LONG / SLICE), SLICE>>>(Q, K, V, new_parts, new_marks); },
        [&] {
            std::vector<float> got = fetch(new_parts, heads * 8 * WIDE);
            std::vector<float2> marks = fetch(new_marks, heads * 8);
            long bad = 0;
            for (int head = 0; head < heads; head += step)
                for (int i = 0; i < WIDE; i++) {
                    double sum = 0, all = 0;
                    for (int s = head * 8; s < head * 8 + 8; s++) {
                        sum += std::exp(marks[s].x) * got[s * WIDE + i];
                        all += std::exp(marks[s].x) * marks[s].y;
                    }
                    bad += !near(sum / all, expected[head * WIDE + i], 1e-3);
                }
            return bad;
        });
    variant(
        "pages", "pages", wiped, [&] { pages<<<BATCH * SHARED_HEADS, 128>>>(Q, PK, PV, T, out); },
        check);
    variant(
        "combine", "combine", wiped,
        [&] { combine<<<many / 2, dim3(WIDE, 2)>>>(P, M, out, parts); },
        [&] {
            return differ(out, many * WIDE, 11, 1e-3, [&](size_t i) {
                size_t head = i / WIDE;
                double sum = 0, all = 0;
                for (int s = 0; s < parts; s++) {
                    double f = std::exp(old_marks[head * parts + s].x);
                    all += f * old_marks[head * parts + s].y;
                    sum += f * old_parts[(head * parts + s) * WIDE + i % WIDE];
                }
                return sum / all;
            });
        });
    return finish();
}
