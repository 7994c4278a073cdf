// Fourier transforms, radix 2: one Stockham stage of 2^21 points, 1024 points a block in shared memory, 32 points a
// warp by shuffles.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

__device__ float2 turn(float2 a, float2 w)
{
    return make_float2(a.x * w.x - a.y * w.y, a.x * w.y + a.y * w.x);
}

// the stage for parts of `length` points that stand `stride` apart
__global__ void stage(const float2 *in, float2 *out, const float2 *roots, int length, int stride, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points / 2)
        return;
    int p = i / stride, q = i % stride;
    float2 a = in[q + stride * p], b = in[q + stride * (p + length / 2)];
    float2 w = roots[p * stride];
    out[q + stride * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
    out[q + stride * (2 * p + 1)] = turn(make_float2(a.x - b.x, a.y - b.y), w);
}

__global__ void transform_block(const float2 *in, float2 *out)
{
    __shared__ float2 buffer[2][1024], roots[512];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    buffer[0][t] = in[base + t];
    buffer[0][t + 512] = in[base + t + 512];
    sincospif(-t / 512.0f, &roots[t].y, &roots[t].x);
    int now = 0;
    for (int stride = 1; stride < 1024; stride *= 2) {
        __syncthreads();
        int p = t / stride, q = t % stride;
        float2 a = buffer[now][t], b = buffer[now][t + 512];
        buffer[1 - now][q + stride * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
        buffer[1 - now][q + stride * (2 * p + 1)] = turn(make_float2(a.x - b.x, a.y - b.y), roots[p * stride]);
        now = 1 - now;
    }
    __syncthreads();
    out[base + t] = buffer[now][t];
    out[base + t + 512] = buffer[now][t + 512];
}

__global__ void transform_warp(const float2 *in, float2 *out, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= points)
        return;
    float2 mine = in[i];
    for (int half = 16; half; half /= 2) {
        float2 other = make_float2(__shfl_xor_sync(~0u, mine.x, half), __shfl_xor_sync(~0u, mine.y, half)), w;
        __sincosf(-3.14159265f * (lane % half) / half, &w.y, &w.x);
        if (lane & half)
            mine = turn(make_float2(other.x - mine.x, other.y - mine.y), w);
        else
            mine = make_float2(mine.x + other.x, mine.y + other.y);
    }
    out[i - lane + (__brev(lane) >> 27)] = mine;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int points = 1 << 21;
    Lcg random(20);
    std::vector<float2> in(points), roots(points / 2);
    for (float2 &z : in)
        z = make_float2(random.between(-1, 1), random.between(-1, 1));
    for (int k = 0; k < points / 2; k++)
        roots[k] = make_float2((float)cos(-2 * M_PI * k / points), (float)sin(-2 * M_PI * k / points));
    float2 *din = copy(in), *droots = copy(roots), *out = room<float2>(points);
    auto clear = [&] { fill(out, points, 0xff); };
    auto same = [](float2 got, double x, double y, double tolerance) {
        return std::fabs(got.x - x) <= tolerance && std::fabs(got.y - y) <= tolerance;
    };
    auto check_stage = [&](int stride) {
        std::vector<float2> got = fetch(out, points);
        long bad = 0;
        for (int i = 0; i < points / 2; i += 7) {
            int p = i / stride, q = i % stride;
            float2 a = in[i], b = in[i + points / 2];
            double c = roots[p * stride].x, s = roots[p * stride].y, x = a.x - b.x, y = a.y - b.y;
            bad += !same(got[q + stride * 2 * p], a.x + b.x, a.y + b.y, 1e-5);
            bad += !same(got[q + stride * (2 * p + 1)], x * c - y * s, x * s + y * c, 1e-5);
        }
        return bad;
    };
    auto check_whole = [&](int length, int step) {
        std::vector<float2> got = fetch(out, points);
        long bad = 0;
        for (int i = 0; i < points; i += step) {
            double x = 0, y = 0;
            for (int k = 0; k < length; k++) {
                float2 z = in[i / length * length + k];
                double angle = -2 * M_PI * ((i % length) * k % length) / length, c = cos(angle), s = sin(angle);
                x += z.x * c - z.y * s;
                y += z.x * s + z.y * c;
            }
            bad += !same(got[i], x, y, 1e-3);
        }
        return bad;
    };
    variant(
        "first_stage", "stage", clear, [&] { stage<<<points / 512, 256>>>(din, out, droots, points, 1, points); },
        [&] { return check_stage(1); });
    variant(
        "later_stage", "stage", clear,
        [&] { stage<<<points / 512, 256>>>(din, out, droots, points / 4096, 4096, points); },
        [&] { return check_stage(4096); });
    variant(
        "block", "transform_block", clear, [&] { transform_block<<<points / 1024, 512>>>(din, out); },
        [&] { return check_whole(1024, 4079); });
    variant(
        "warp", "transform_warp", clear, [&] { transform_warp<<<points / 128, 128>>>(din, out, points); },
        [&] { return check_whole(32, 131); });
    return finish();
}
