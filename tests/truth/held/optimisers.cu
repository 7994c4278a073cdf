// Updates of a network's weights: momentum, Adam by vectors, Adam with half precision copies, sums
// of squares of many tensors in one launch, scaling with a limit read from memory.
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

__global__ void momentum(float *w, const float *__restrict__ g, float *m, float rate, float keep,
                         int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float v = keep * m[i] + g[i];
    m[i] = v;
    w[i] -= rate * v;
}

struct Adam {
    float rate, b1, b2, epsilon, decay, c1, c2;
};

__host__ __device__ inline void adam_step(const Adam &a, float &w, float g, float &m, float &v)
{
    m = a.b1 * m + (1 - a.b1) * g;
    v = a.b2 * v + (1 - a.b2) * g * g;
    w -= a.rate * (m * a.c1 / (sqrtf(v * a.c2) + a.epsilon) + a.decay * w);
}

__global__ void adam(Adam a, float4 *w, const float4 *__restrict__ g, float4 *m, float4 *v,
                     int vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors)
        return;
    float4 mine = w[i], slope = g[i], first = m[i], second = v[i];
    adam_step(a, mine.x, slope.x, first.x, second.x);
    adam_step(a, mine.y, slope.y, first.y, second.y);
    adam_step(a, mine.z, slope.z, first.z, second.z);
    adam_step(a, mine.w, slope.w, first.w, second.w);
    w[i] = mine;
    m[i] = first;
    v[i] = second;
}

__global__ void adam_half(Adam a, float *w, __half *copy, const __half *__restrict__ g, float *m,
                          float *v, float scale, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float mine = w[i], first = m[i], second = v[i];
        adam_step(a, mine, __half2float(g[i]) * scale, first, second);
        w[i] = mine;
        m[i] = first;
        v[i] = second;
        copy[i] = __float2half(mine);
    }
}

// a block has a chunk of one tensor
__global__ void squares(const float *const *tensor, const int *__restrict__ size,
                        const int2 *__restrict__ chunk, int length, float *__restrict__ sum)
{
    int2 mine = chunk[blockIdx.x];
    const float *t = tensor[mine.x];
    int from = mine.y * length, to = min(from + length, size[mine.x]);
    float s = 0;
    for (int i = from + threadIdx.x; i < to; i += blockDim.x)
        s += t[i] * t[i];
    __shared__ float parts[32];
    for (int step = 16; step; step /= 2)
        s += __shfl_xor_sync(~0u, s, step);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
        for (int step = 16; step; step /= 2)
            s += __shfl_xor_sync(~0u, s, step);
        if (threadIdx.x == 0)
            atomicAdd(&sum[mine.x], s);
    }
}

__global__ void limited(float4 *g, const float *__restrict__ sum, int tensors, float limit,
                        int vectors)
{
    float all = 0;
    for (int t = 0; t < tensors; t++)
        all += sum[t];
    float by = fminf(1.f, limit * rsqrtf(all));
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        float4 v = g[i];
        g[i] = make_float4(v.x * by, v.y * by, v.z * by, v.w * by);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 4 << 20, tensors = 40, length = 16384;
    const Adam a = {1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 1.5f, 10};
    Lcg random(331);
    std::vector<float> ws = random.floats(count, -1, 1), gs = random.floats(count, -1, 1),
                       ms = random.floats(count, -0.1f, 0.1f),
                       vs = random.floats(count, 0.1f, 0.5f);
    std::vector<__half> halves(count);
    for (int i = 0; i < count; i++)
        halves[i] = __float2half(gs[i]);
    std::vector<int> sizes;
    std::vector<int2> chunks;
    std::vector<const float *> pointers;
    float *w = room<float>(count), *g = copy(gs), *m = room<float>(count), *v = room<float>(count),
          *sum = room<float>(tensors);
    std::vector<double> expected(tensors);
    std::vector<int> offsets;
    for (int t = 0, at = 0; t < tensors; t++) {
        int size = t % 3 ? 1024 + random.below(4096) : 100000 + random.below(90000);
        offsets.push_back(at);
        pointers.push_back(g + at);
        sizes.push_back(size);
        for (int c = 0; c * length < size; c++)
            chunks.push_back(make_int2(t, c));
        for (int i = 0; i < size; i++)
            expected[t] += (double)gs[at + i] * gs[at + i];
        at += size;
    }
    __half *half = copy(halves), *lower = room<__half>(count);
    const float **tensor = copy(pointers);
    int *size = copy(sizes);
    int2 *chunk = copy(chunks);
    std::vector<float> sums(expected.begin(), expected.end());
    float *known = copy(sums), *scaled = room<float>(count);
    auto reset = [&] {
        put(w, ws);
        put(m, ms);
        put(v, vs);
        fill(sum, tensors, 0);
    };
    auto after = [&](size_t i, float slope) {
        float mine = ws[i], first = ms[i], second = vs[i];
        adam_step(a, mine, slope, first, second);
        return mine;
    };
    variant(
        "momentum", "momentum", reset,
        [&] { momentum<<<count / 256, 256>>>(w, g, m, 0.01f, 0.9f, count); },
        [&] {
            return differ(w, count, 7, 1e-5,
                          [&](size_t i) { return ws[i] - 0.01 * (0.9 * ms[i] + gs[i]); });
        });
    variant(
        "adam", "adam", reset,
        [&] {
            adam<<<count / 4 / 256, 256>>>(a, (float4 *)w, (const float4 *)g, (float4 *)m,
                                           (float4 *)v, count / 4);
        },
        [&] { return differ(w, count, 7, 1e-5, [&](size_t i) { return after(i, gs[i]); }); });
    variant(
        "adam_half", "adam_half", reset,
        [&] { adam_half<<<132 * 4, 512>>>(a, w, lower, half, m, v, 0.5f, count); },
        [&] {
            std::vector<__half> got = fetch(lower, count);
            long bad = 0;
            for (int i = 0; i < count; i += 7)
                bad += !near(__half2float(got[i]), after(i, __half2float(halves[i]) * 0.5f), 1e-3);
            return bad + differ(w, count, 7, 1e-5,
                                [&](size_t i) { return after(i, __half2float(halves[i]) * 0.5f); });
        });
    variant(
        "squares", "squares", reset,
        [&] { squares<<<chunks.size(), 256>>>(tensor, size, chunk, length, sum); },
        [&] { return differ(sum, tensors, 1, 1e-4, [&](size_t t) { return expected[t]; }); });
    variant(
        "limited", "limited", [&] { put(scaled, gs); },
        [&] { limited<<<132 * 8, 256>>>((float4 *)scaled, known, tensors, 5, count / 4); },
        [&] {
            double all = 0;
            for (double e : expected)
                all += e;
            return differ(scaled, count, 7, 1e-5,
                          [&](size_t i) { return gs[i] * std::min(1.0, 5 / std::sqrt(all)); });
        });
    return finish();
}
