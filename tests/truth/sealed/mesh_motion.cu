// Meshes that move: points carried by four bones each with matrices and with dual quaternions, a
// mixture of 12 shapes, a cloth as a grid of springs, and springs by edges with atomics.
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

constexpr int POINTS = 400000, BONES = 64, SHAPES = 12;

__global__ void matrices(const float4 *__restrict__ rest, const uchar4 *__restrict__ bones,
                         const float4 *__restrict__ weights, const float4 *__restrict__ pose,
                         float4 *__restrict__ out, int count)
{
    __shared__ float4 rows[BONES * 3];
    for (int i = threadIdx.x; i < BONES * 3; i += blockDim.x)
        rows[i] = pose[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = rest[i], w = weights[i];
    uchar4 b = bones[i];
    const int bone[4] = {b.x, b.y, b.z, b.w};
    const float weight[4] = {w.x, w.y, w.z, w.w};
    float3 sum = make_float3(0, 0, 0);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 x = rows[bone[k] * 3], y = rows[bone[k] * 3 + 1], z = rows[bone[k] * 3 + 2];
        sum.x += weight[k] * (x.x * p.x + x.y * p.y + x.z * p.z + x.w);
        sum.y += weight[k] * (y.x * p.x + y.y * p.y + y.z * p.z + y.w);
        sum.z += weight[k] * (z.x * p.x + z.y * p.y + z.z * p.z + z.w);
    }
    out[i] = make_float4(sum.x, sum.y, sum.z, 1);
}

struct Dual {
    float4 real, dual;
};

// moved by the normalised mean of dual quaternions
__host__ __device__ inline float4 carried(float4 p, const int *bone, const float *weight,
                                          const Dual *pose)
{
    float4 r = make_float4(0, 0, 0, 0), d = r, first = pose[bone[0]].real;
    for (int k = 0; k < 4; k++) {
        Dual q = pose[bone[k]];
        float w = weight[k];
        if (first.x * q.real.x + first.y * q.real.y + first.z * q.real.z + first.w * q.real.w < 0)
            w = -w;
        r.x += w * q.real.x, r.y += w * q.real.y, r.z += w * q.real.z, r.w += w * q.real.w;
        d.x += w * q.dual.x, d.y += w * q.dual.y, d.z += w * q.dual.z, d.w += w * q.dual.w;
    }
    float n = 1 / sqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    r.x *= n, r.y *= n, r.z *= n, r.w *= n;
    d.x *= n, d.y *= n, d.z *= n, d.w *= n;
    float tx = r.y * p.z - r.z * p.y + r.w * p.x, ty = r.z * p.x - r.x * p.z + r.w * p.y,
          tz = r.x * p.y - r.y * p.x + r.w * p.z;
    return make_float4(
        p.x + 2 * (r.y * tz - r.z * ty) + 2 * (r.w * d.x - d.w * r.x + r.y * d.z - r.z * d.y),
        p.y + 2 * (r.z * tx - r.x * tz) + 2 * (r.w * d.y - d.w * r.y + r.z * d.x - r.x * d.z),
        p.z + 2 * (r.x * ty - r.y * tx) + 2 * (r.w * d.z - d.w * r.z + r.x * d.y - r.y * d.x), 1);
}

__global__ void __launch_bounds__(192)
    dual_quaternions(const float4 *__restrict__ rest, const uchar4 *__restrict__ bones,
                     const float4 *__restrict__ weights, const Dual *__restrict__ pose,
                     float4 *__restrict__ out, int count)
{
    int i = blockIdx.x * 192 + threadIdx.x;
    if (i >= count)
        return;
    float4 w = weights[i];
    uchar4 b = bones[i];
    const int bone[4] = {b.x, b.y, b.z, b.w};
    const float weight[4] = {w.x, w.y, w.z, w.w};
    out[i] = carried(rest[i], bone, weight, pose);
}

__constant__ float SHARES[SHAPES];

// coordinates two by two; differences of shapes in half precision
__global__ void shapes(const float2 *__restrict__ rest, const __half2 *__restrict__ apart,
                       float2 *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float2 sum = rest[i];
#pragma unroll
    for (int k = 0; k < SHAPES; k++) {
        float2 d = __half22float2(apart[k * count + i]);
        sum.x += SHARES[k] * d.x;
        sum.y += SHARES[k] * d.y;
    }
    out[i] = sum;
}

constexpr int WIDE = 640, HIGH = 512;

__host__ __device__ inline float3 pull(float4 a, float4 b, float rest)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, length = sqrtf(x * x + y * y + z * z),
          f = 40 * (length - rest) / length;
    return make_float3(f * x, f * y, f * z);
}

__host__ __device__ inline float4 swung(const float4 *now, const float4 *before, int x, int y)
{
    float4 p = now[y * WIDE + x], old = before[y * WIDE + x];
    float3 f = make_float3(0, -9.81f, 0);
    for (int k = 0; k < 12; k++) {
        int dx = k < 8    ? (k + (k >= 4)) % 3 - 1
                 : k == 8 ? -2
                 : k == 9 ? 2
                          : 0,
            dy = k < 8     ? (k + (k >= 4)) / 3 - 1
                 : k == 10 ? -2
                 : k == 11 ? 2
                           : 0;
        int u = x + dx, v = y + dy;
        if (u < 0 || v < 0 || u >= WIDE || v >= HIGH)
            continue;
        float3 g = pull(p, now[v * WIDE + u], 0.01f * sqrtf(dx * dx + dy * dy));
        f.x += g.x, f.y += g.y, f.z += g.z;
    }
    const float dt = 0.001f;
    return make_float4(p.x + 0.99f * (p.x - old.x) + f.x * dt * dt,
                       p.y + 0.99f * (p.y - old.y) + f.y * dt * dt,
                       p.z + 0.99f * (p.z - old.z) + f.z * dt * dt, p.w);
}

__global__ void cloth(const float4 *__restrict__ now, const float4 *__restrict__ before,
                      float4 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * WIDE + x] = y ? swung(now, before, x, y) : now[x]; // the first row is held
}

__global__ void edges(const int2 *__restrict__ edge, const float *__restrict__ rest,
                      const float4 *__restrict__ points, float *forces, int count)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x) {
        int2 ends = edge[e];
        float3 f = pull(points[ends.x], points[ends.y], rest[e]);
        atomicAdd(forces + 3 * ends.x, f.x);
        atomicAdd(forces + 3 * ends.x + 1, f.y);
        atomicAdd(forces + 3 * ends.x + 2, f.z);
        atomicAdd(forces + 3 * ends.y, -f.x);
        atomicAdd(forces + 3 * ends.y + 1, -f.y);
        atomicAdd(forces + 3 * ends.y + 2, -f.z);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(173);
    const int cells = WIDE * HIGH, many = 300000, pairs = POINTS * 3 / 2;
    std::vector<float4> rest(POINTS), weights(POINTS), pose(BONES * 3), now(cells), before(cells);
    std::vector<uchar4> bones(POINTS);
    std::vector<Dual> duals(BONES);
    for (int i = 0; i < POINTS; i++) {
        rest[i] =
            make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1);
        float w[4], all = 0;
        for (float &v : w)
            all += v = random.unit() + 0.01f;
        weights[i] = make_float4(w[0] / all, w[1] / all, w[2] / all, w[3] / all);
        int first = (long)i * (BONES - 4) / POINTS;
        bones[i] = make_uchar4(first + random.below(4), first + random.below(4),
                               first + random.below(4), random.below(BONES));
    }
    for (float4 &r : pose)
        r = make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1),
                        random.between(-1, 1));
    for (Dual &d : duals) {
        float a = random.between(-0.4f, 0.4f), x = std::sin(a) * 0.6f, y = std::sin(a) * 0.8f,
              w = std::cos(a), tx = random.between(-1, 1), ty = random.between(-1, 1),
              tz = random.between(-1, 1);
        d.real = make_float4(x, y, 0, w);
        d.dual = make_float4(0.5f * (tx * w - tz * y), 0.5f * (ty * w + tz * x),
                             0.5f * (tz * w + tx * y - ty * x), -0.5f * (tx * x + ty * y));
    }
    std::vector<float> flat = random.floats(2 * pairs, -1, 1),
                       shares = random.floats(SHAPES, -1, 1);
    std::vector<__half> apart((size_t)SHAPES * 2 * pairs);
    for (__half &h : apart)
        h = __float2half(random.between(-1, 1));
    must(cudaMemcpyToSymbol(SHARES, shares.data(), sizeof(float) * SHAPES));
    for (int i = 0; i < cells; i++) {
        now[i] = make_float4(i % WIDE * 0.01f + random.between(-1e-3f, 1e-3f),
                             i / WIDE * -0.01f + random.between(-1e-3f, 1e-3f),
                             random.between(-1e-3f, 1e-3f), 1);
        before[i] = make_float4(now[i].x + random.between(-1e-4f, 1e-4f), now[i].y, now[i].z, 1);
    }
    std::vector<int2> edge(many);
    std::vector<float> length = random.floats(many, 0.5f, 1);
    std::vector<double> forces(3 * POINTS);
    for (int e = 0; e < many; e++) {
        int a = (long)e * POINTS / many, b = (a + 1 + random.below(2000)) % POINTS;
        edge[e] = make_int2(a, b);
        float3 f = pull(rest[a], rest[b], length[e]);
        forces[3 * a] += f.x, forces[3 * a + 1] += f.y, forces[3 * a + 2] += f.z;
        forces[3 * b] -= f.x, forces[3 * b + 1] -= f.y, forces[3 * b + 2] -= f.z;
    }
    float4 *R = copy(rest), *W = copy(weights), *P = copy(pose), *N = copy(now), *BE = copy(before),
           *out = room<float4>(POINTS);
    uchar4 *B = copy(bones);
    Dual *D = copy(duals);
    float *F = copy(flat), *L = copy(length), *out2 = room<float>(3 * POINTS);
    __half *A = copy(apart);
    int2 *E = copy(edge);
    auto wiped = [&] {
        fill(out, POINTS, 0xff);
        fill(out2, 3 * POINTS, 0);
    };
    auto four = [&](int count, double tolerance, auto expected) {
        std::vector<float> got = fetch((float *)out, 4 * count);
        long bad = 0;
        for (int i = 0; i < count; i += 3) {
            float4 w = expected(i);
            bad += !near(got[4 * i], w.x, tolerance) || !near(got[4 * i + 1], w.y, tolerance) ||
                   !near(got[4 * i + 2], w.z, tolerance);
        }
        return bad;
    };
    variant(
        "matrices", "matrices", wiped,
        [&] { matrices<<<(POINTS + 255) / 256, 256>>>(R, B, W, P, out, POINTS); },
        [&] {
            return four(POINTS, 1e-4, [&](int i) {
                int bone[4] = {bones[i].x, bones[i].y, bones[i].z, bones[i].w};
                float w[4] = {weights[i].x, weights[i].y, weights[i].z, weights[i].w}, s[3] = {};
                for (int k = 0; k < 4; k++)
                    for (int r = 0; r < 3; r++) {
                        float4 m = pose[bone[k] * 3 + r];
                        s[r] += w[k] * (m.x * rest[i].x + m.y * rest[i].y + m.z * rest[i].z + m.w);
                    }
                return make_float4(s[0], s[1], s[2], 1);
            });
        });
    variant(
        "dual_quaternions", "dual_quaternions", wiped,
        [&] { dual_quaternions<<<(POINTS + 191) / 192, 192>>>(R, B, W, D, out, POINTS); },
        [&] {
            return four(POINTS, 1e-4, [&](int i) {
                int bone[4] = {bones[i].x, bones[i].y, bones[i].z, bones[i].w};
                float w[4] = {weights[i].x, weights[i].y, weights[i].z, weights[i].w};
                return carried(rest[i], bone, w, duals.data());
            });
        });
    variant(
        "shapes", "shapes", wiped,
        [&] {
            shapes<<<(pairs + 127) / 128, 128>>>((float2 *)F, (__half2 *)A, (float2 *)out2, pairs);
        },
        [&] {
            return differ(out2, 2 * pairs, 3, 1e-4, [&](size_t i) {
                double sum = flat[i];
                for (int k = 0; k < SHAPES; k++)
                    sum += shares[k] * __half2float(apart[(size_t)k * 2 * pairs + i]);
                return sum;
            });
        });
    variant(
        "cloth", "cloth", wiped,
        [&] { cloth<<<dim3(WIDE / 32, HIGH / 4), dim3(32, 4)>>>(N, BE, out); },
        [&] {
            return four(cells, 1e-5, [&](int i) {
                return i < WIDE ? now[i] : swung(now.data(), before.data(), i % WIDE, i / WIDE);
            });
        });
    variant(
        "edges", "edges", wiped, [&] { edges<<<132 * 3, 256>>>(E, L, R, out2, many); },
        [&] {
            std::vector<float> got = fetch(out2, 3 * POINTS, false);
            long bad = 0;
            for (int i = 0; i < 3 * POINTS; i++)
                bad += !near(got[i], forces[i], 1e-3);
            return bad;
        });
    return finish();
}
