// Rays through a volume of 128 cubed: colours composited with eight reads for a sample and with
// samples of a 3-D texture, the largest value along each ray, and slopes of the volume as packed
// bytes.
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

constexpr int SIDE = 128, WIDE = 256, HIGH = 192;
__constant__ float4 TRANSFER[256];

struct Ray {
    float3 from, step;
};

// a camera that turns around the volume; lengths are in cells
__host__ __device__ inline Ray ray(int x, int y)
{
    const float c = 0.8660254f, s = 0.5f;
    float u = (x + 0.5f - WIDE / 2) * 0.55f, v = (y + 0.5f - HIGH / 2) * 0.55f;
    float3 d = make_float3(s + u * c * 0.002f, v * 0.002f, c - u * s * 0.002f);
    return {make_float3(63.5f + u * c - 90 * s, 63.5f + v, 63.5f - u * s - 90 * c), d};
}

__device__ inline float sample(const uint8_t *__restrict__ volume, float x, float y, float z)
{
    int ix = x, iy = y, iz = z;
    float fx = x - ix, fy = y - iy, fz = z - iz;
    const uint8_t *p = volume + (iz * SIDE + iy) * SIDE + ix;
    float a = p[0] + fx * (p[1] - p[0]), b = p[SIDE] + fx * (p[SIDE + 1] - p[SIDE]);
    p += SIDE * SIDE;
    float c = p[0] + fx * (p[1] - p[0]), d = p[SIDE] + fx * (p[SIDE + 1] - p[SIDE]);
    a += fy * (b - a);
    c += fy * (d - c);
    return a + fz * (c - a);
}

template <class Sample> __device__ inline float4 composited(int x, int y, Sample sample)
{
    Ray r = ray(x, y);
    float4 sum = make_float4(0, 0, 0, 0);
    float3 p = r.from;
    for (int k = 0; k < 180; k++) {
        if (p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < SIDE - 1 && p.y < SIDE - 1 &&
            p.z < SIDE - 1) {
            float4 c = TRANSFER[(int)sample(p.x, p.y, p.z)];
            float share = c.w * (1 - sum.w);
            sum.x += share * c.x;
            sum.y += share * c.y;
            sum.z += share * c.z;
            sum.w += share;
            if (sum.w > 0.97f)
                break;
        }
        p.x += r.step.x, p.y += r.step.y, p.z += r.step.z;
    }
    return sum;
}

__global__ void __launch_bounds__(128)
    composite(const uint8_t *__restrict__ volume, float4 *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] =
        composited(x, y, [&](float u, float v, float w) { return sample(volume, u, v, w); });
}

__global__ void __launch_bounds__(128)
    textured(cudaTextureObject_t volume, float4 *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = composited(x, y, [&](float u, float v, float w) {
        return tex3D<float>(volume, u + 0.5f, v + 0.5f, w + 0.5f) * 255;
    });
}

__global__ void __launch_bounds__(64)
    largest(const uint8_t *__restrict__ volume, uint8_t *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y, top = 0;
    Ray r = ray(x, y);
    float3 p = r.from;
#pragma unroll 4
    for (int k = 0; k < 180; k++) {
        int ix = (int)floorf(p.x), iy = (int)floorf(p.y), iz = (int)floorf(p.z);
        if ((unsigned)ix < SIDE && (unsigned)iy < SIDE && (unsigned)iz < SIDE)
            top = max(top, volume[(iz * SIDE + iy) * SIDE + ix]);
        p.x += r.step.x, p.y += r.step.y, p.z += r.step.z;
    }
    out[y * WIDE + x] = top;
}

__host__ __device__ inline uchar4 slope(const uint8_t *v, int x, int y, int z)
{
    int i = (z * SIDE + y) * SIDE + x;
    int dx = v[x < SIDE - 1 ? i + 1 : i] - v[x ? i - 1 : i],
        dy = v[y < SIDE - 1 ? i + SIDE : i] - v[y ? i - SIDE : i],
        dz = v[z < SIDE - 1 ? i + SIDE * SIDE : i] - v[z ? i - SIDE * SIDE : i];
    int most = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    most = most > abs(dz) ? most : abs(dz);
    return make_uchar4((dx + 256) / 2, (dy + 256) / 2, (dz + 256) / 2, most);
}

__global__ void slopes(const uint8_t *__restrict__ volume, uchar4 *__restrict__ out)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, z = blockIdx.y;
    out[(z * SIDE + y) * SIDE + x] = slope(volume, x, y, z);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int cells = SIDE * SIDE * SIDE, points = WIDE * HIGH;
    Lcg random(139);
    std::vector<uint8_t> volume(cells);
    for (int i = 0; i < cells; i++) {
        double x = i % SIDE - 63.5, y = i / SIDE % SIDE - 63.5, z = i / SIDE / SIDE - 63.5,
               r = std::sqrt(x * x + y * y + z * z);
        volume[i] = std::clamp(190 - 2.4 * r +
                                   40 * std::sin(x * 0.2) * std::sin(y * 0.15) * std::cos(z * 0.17),
                               0.0, 250.0);
    }
    float4 transfer[256]; // smooth, so that samples that round otherwise change little
    for (int k = 0; k < 256; k++)
        transfer[k] = make_float4(k / 255.f, 0.5f + 0.5f * std::sin(k * 0.03f), 1 - k / 255.f,
                                  k < 30 ? 0 : 0.0004f * (k - 30));
    must(cudaMemcpyToSymbol(TRANSFER, transfer, sizeof transfer));
    std::vector<float4> want(points);
    std::vector<uint8_t> tops(points);
    for (int i = 0; i < points; i += 5) {
        Ray r = ray(i % WIDE, i / WIDE);
        float3 p = r.from;
        float4 sum = make_float4(0, 0, 0, 0);
        bool open = true;
        for (int k = 0; k < 180; k++) {
            int ix = std::floor(p.x), iy = std::floor(p.y), iz = std::floor(p.z);
            if ((unsigned)ix < SIDE && (unsigned)iy < SIDE && (unsigned)iz < SIDE)
                tops[i] = std::max(tops[i], volume[(iz * SIDE + iy) * SIDE + ix]);
            if (open && p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < SIDE - 1 && p.y < SIDE - 1 &&
                p.z < SIDE - 1) {
                double v = 0;
                for (int c = 0; c < 8; c++) {
                    int a = c & 1, b = c >> 1 & 1, d = c >> 2;
                    v += (a ? p.x - ix : 1 - (p.x - ix)) * (b ? p.y - iy : 1 - (p.y - iy)) *
                         (d ? p.z - iz : 1 - (p.z - iz)) *
                         volume[((iz + d) * SIDE + iy + b) * SIDE + ix + a];
                }
                float4 t = transfer[(int)v];
                float share = t.w * (1 - sum.w);
                sum.x += share * t.x, sum.y += share * t.y, sum.z += share * t.z, sum.w += share;
                open = sum.w <= 0.97f;
            }
            p.x += r.step.x, p.y += r.step.y, p.z += r.step.z;
        }
        want[i] = sum;
    }
    uint8_t *V = copy(volume), *bytes = room<uint8_t>(points);
    float4 *out = room<float4>(points);
    uchar4 *normals = room<uchar4>(cells);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uint8_t>();
    must(cudaMalloc3DArray(&array, &format, make_cudaExtent(SIDE, SIDE, SIDE)));
    cudaMemcpy3DParms copying = {};
    copying.srcPtr = make_cudaPitchedPtr(volume.data(), SIDE, SIDE, SIDE);
    copying.dstArray = array;
    copying.extent = make_cudaExtent(SIDE, SIDE, SIDE);
    copying.kind = cudaMemcpyHostToDevice;
    must(cudaMemcpy3D(&copying));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    look.addressMode[0] = look.addressMode[1] = look.addressMode[2] = cudaAddressModeClamp;
    look.filterMode = cudaFilterModeLinear;
    look.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &look, nullptr));
    auto wiped = [&] {
        fill(out, points, 0xff);
        fill(bytes, points, 0xff);
        fill(normals, cells, 0xff);
    };
    auto check = [&](double tolerance) {
        std::vector<float> got = fetch((float *)out, 4 * points);
        long bad = 0;
        for (int i = 0; i < points; i += 5) {
            const float4 &w = want[i];
            bad += !near(got[4 * i], w.x, tolerance) || !near(got[4 * i + 1], w.y, tolerance) ||
                   !near(got[4 * i + 2], w.z, tolerance) || !near(got[4 * i + 3], w.w, tolerance);
        }
        return bad;
    };
    dim3 grid(WIDE / 16, HIGH / 8), block(16, 8);
    variant(
        "composite", "composite", wiped, [&] { composite<<<grid, block>>>(V, out); },
        [&] { return check(5e-3); });
    variant(
        "textured", "textured", wiped, [&] { textured<<<grid, block>>>(texture, out); },
        [&] { return check(2e-2); });
    variant(
        "largest", "largest", wiped,
        [&] { largest<<<dim3(WIDE / 32, HIGH / 2), dim3(32, 2)>>>(V, bytes); },
        [&] {
            std::vector<uint8_t> got = fetch(bytes, points);
            long bad = 0;
            for (int i = 0; i < points; i += 5)
                bad += std::abs(got[i] - tops[i]) > 3; // a step may fall beside an edge
            return bad;
        });
    variant(
        "slopes", "slopes", wiped,
        [&] { slopes<<<dim3(SIDE / 2, SIDE), dim3(SIDE, 2)>>>(V, normals); },
        [&] {
            std::vector<uchar4> got = fetch(normals, cells);
            long bad = 0;
            for (int i = 0; i < cells; i++) {
                uchar4 s = slope(volume.data(), i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
                bad += memcmp(&s, &got[i], 4) != 0;
            }
            return bad;
        });
    return finish();
}
