// Rays that march by signed distances: a scene of some bodies with shading by slopes, the same with
// soft shadows, a bulb by powers of polar angles, and distances of a grid to the outline of a glyph
// in shared memory.
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

constexpr int WIDE = 384, HIGH = 256;

__host__ __device__ inline float length3(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}

__host__ __device__ inline float scene(float3 p)
{
    float ground = p.y + 1;
    float ball = length3(p.x - 0.8f, p.y + 0.2f, p.z) - 0.8f;
    float ring = sqrtf(p.x * p.x + (p.z - 0.5f) * (p.z - 0.5f)) - 1.6f;
    ring = sqrtf(ring * ring + (p.y + 0.6f) * (p.y + 0.6f)) - 0.2f;
    float qx = fabsf(p.x + 1) - 0.5f, qy = fabsf(p.y + 0.4f) - 0.6f, qz = fabsf(p.z - 0.2f) - 0.4f;
    float box = length3(fmaxf(qx, 0), fmaxf(qy, 0), fmaxf(qz, 0)) +
                fminf(fmaxf(qx, fmaxf(qy, qz)), 0) - 0.05f;
    float h = fminf(fmaxf(0.5f + 0.5f * (box - ball) / 0.3f, 0), 1);
    float joined = box + (ball - box) * h - 0.3f * h * (1 - h);
    return fminf(fminf(ground, ring), joined);
}

__host__ __device__ inline float bulb(float3 p)
{
    float3 z = p;
    float scale = 1, r = 0;
    for (int k = 0; k < 6; k++) {
        r = length3(z.x, z.y, z.z);
        if (r > 2)
            break;
        float theta = acosf(z.z / r) * 8, phi = atan2f(z.y, z.x) * 8;
        scale = powf(r, 7) * 8 * scale + 1;
        float power = powf(r, 8), s = sinf(theta);
        z = make_float3(power * s * cosf(phi) + p.x, power * s * sinf(phi) + p.y,
                        power * cosf(theta) + p.z);
    }
    return 0.5f * logf(r) * r / scale;
}

__host__ __device__ inline float3 along(int x, int y)
{
    float u = (x + 0.5f - WIDE / 2) / HIGH, v = (HIGH / 2 - y - 0.5f) / HIGH,
          n = 1 / length3(u, v, 1);
    return make_float3(u * n, v * n, n);
}

__host__ __device__ inline float3 moved(float3 a, float3 d, float t)
{
    return make_float3(a.x + d.x * t, a.y + d.y * t, a.z + d.z * t);
}

template <bool SHADOWS> __host__ __device__ inline float shade(int x, int y)
{
    float3 eye = make_float3(0, 0.3f, -3.5f), d = along(x, y);
    float t = 0;
    int k = 0;
    for (; k < 80; k++) {
        float near = scene(moved(eye, d, t));
        if (near < 1e-3f)
            break;
        t += near;
        if (t > 20)
            return 0.1f;
    }
    float3 p = moved(eye, d, t);
    const float e = 1e-2f;
    float nx = scene(make_float3(p.x + e, p.y, p.z)) - scene(make_float3(p.x - e, p.y, p.z)),
          ny = scene(make_float3(p.x, p.y + e, p.z)) - scene(make_float3(p.x, p.y - e, p.z)),
          nz = scene(make_float3(p.x, p.y, p.z + e)) - scene(make_float3(p.x, p.y, p.z - e));
    float n = 1 / length3(nx, ny, nz);
    const float3 sun = {0.53f, 0.74f, -0.41f};
    float light = fmaxf((nx * sun.x + ny * sun.y + nz * sun.z) * n, 0);
    if (SHADOWS) {
        float soft = 1, s = 0.05f;
        for (int j = 0; j < 32 && s < 6; j++) {
            float near = scene(moved(p, sun, s));
            soft = fminf(soft, 8 * near / s);
            if (soft < 0.001f)
                break;
            s += fmaxf(near, 0.02f);
        }
        light *= fmaxf(soft, 0);
    }
    return 0.15f + 0.85f * light;
}

template <bool SHADOWS> __global__ void __launch_bounds__(128) bodies(float *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = shade<SHADOWS>(x, y);
}

__host__ __device__ inline float reached(int x, int y)
{
    float3 eye = make_float3(0.2f, 0.1f, -2.3f), d = along(x, y);
    float t = 0;
    for (int k = 0; k < 40; k++) {
        float near = bulb(moved(eye, d, t));
        if (near < 2e-3f)
            return t;
        t += near;
        if (t > 4)
            break;
    }
    return 4;
}

__global__ void __launch_bounds__(64) power_bulb(float *__restrict__ out)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * (WIDE / 2) + x] = reached(2 * x, 2 * y);
}

constexpr int EDGES = 48, GRID = 512;

__host__ __device__ inline float to_outline(float x, float y, const float4 *edges)
{
    float best = 1e30f;
    bool inside = false;
    for (int k = 0; k < EDGES; k++) {
        float4 e = edges[k]; // from x y, to x y
        float dx = e.z - e.x, dy = e.w - e.y, px = x - e.x, py = y - e.y;
        float h = (px * dx + py * dy) / (dx * dx + dy * dy);
        h = fminf(fmaxf(h, 0), 1);
        float qx = px - dx * h, qy = py - dy * h;
        best = fminf(best, qx * qx + qy * qy);
        if ((e.y > y) != (e.w > y) && (px * dy < dx * py) == (dy > 0))
            inside = !inside;
    }
    return inside ? -sqrtf(best) : sqrtf(best);
}

__global__ void __launch_bounds__(256)
    glyph(const float4 *__restrict__ edges, float *__restrict__ out)
{
    __shared__ float4 own[EDGES];
    int t = threadIdx.y * 32 + threadIdx.x;
    if (t < EDGES)
        own[t] = edges[t];
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * GRID + x] = to_outline(x + 0.5f, y + 0.5f, own);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int points = WIDE * HIGH;
    std::vector<float4> edges(EDGES);
    auto corner = [](int k) {
        float a = k * 2 * M_PI / EDGES, r = 150 + 60 * std::sin(5 * a) + 20 * std::cos(11 * a);
        return make_float2(256 + r * std::cos(a), 256 + r * std::sin(a));
    };
    for (int k = 0; k < EDGES; k++) {
        float2 a = corner(k), b = corner((k + 1) % EDGES);
        edges[k] = make_float4(a.x, a.y, b.x, b.y);
    }
    float4 *E = copy(edges);
    float *out = room<float>(GRID * GRID);
    auto wiped = [&] { fill(out, GRID * GRID, 0xff); };
    // rays that graze an edge may end elsewhere
    auto few = [](long bad, long asked) { return bad * 40 > asked ? bad : 0; };
    dim3 grid(WIDE / 16, HIGH / 8), block(16, 8);
    variant(
        "bodies", "bodies", wiped, [&] { bodies<false><<<grid, block>>>(out); },
        [&] {
            return few(differ(out, points, 7, 2e-2,
                              [&](size_t i) { return shade<false>(i % WIDE, i / WIDE); }),
                       points / 7);
        });
    variant(
        "shadows", "bodies", wiped, [&] { bodies<true><<<grid, block>>>(out); },
        [&] {
            return few(differ(out, points, 7, 2e-2,
                              [&](size_t i) { return shade<true>(i % WIDE, i / WIDE); }),
                       points / 7);
        });
    variant(
        "power_bulb", "power_bulb", wiped,
        [&] { power_bulb<<<dim3(WIDE / 16, HIGH / 16), dim3(8, 8)>>>(out); },
        [&] {
            return few(
                differ(out, points / 4, 3, 2e-2,
                       [&](size_t i) { return reached(i % (WIDE / 2) * 2, i / (WIDE / 2) * 2); }),
                points / 12);
        });
    variant(
        "glyph", "glyph", wiped, [&] { glyph<<<dim3(GRID / 32, GRID / 8), dim3(32, 8)>>>(E, out); },
        [&] {
            return few(differ(out, GRID * GRID, 11, 1e-3,
                              [&](size_t i) {
                                  return to_outline(i % GRID + 0.5f, i / GRID + 0.5f, edges.data());
                              }),
                       GRID * GRID / 11);
        });
    return finish();
}
