// Noise taken from pictures: means over similar patches (non-local means) from global memory and
// from a shared tile, a step of diffusion that stops at edges, and a step of total variation by its
// dual.
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

constexpr int WIDE = 320, HIGH = 256, LARGE = 2048, TALL = 1024;

template <class Get> __host__ __device__ inline float similar(Get get, float strength)
{
    float patch[9], sum = 0, weight = 0;
    for (int k = 0; k < 9; k++)
        patch[k] = get(k % 3 - 1, k / 3 - 1);
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            float apart = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (int k = 0; k < 9; k++) {
                float d = get(dx + k % 3 - 1, dy + k / 3 - 1) - patch[k];
                apart += d * d;
            }
            float w = expf(-apart * strength);
            sum += w * get(dx, dy);
            weight += w;
        }
    return sum / weight;
}

struct Clamped {
    const float *in;
    int x, y;
    __host__ __device__ float operator()(int dx, int dy) const
    {
        int u = x + dx, v = y + dy;
        u = u < 0 ? 0 : u >= WIDE ? WIDE - 1 : u;
        v = v < 0 ? 0 : v >= HIGH ? HIGH - 1 : v;
        return in[v * WIDE + u];
    }
};

struct Tiled {
    const float *middle;
    __host__ __device__ float operator()(int dx, int dy) const
    {
        return middle[dy * 40 + dx];
    }
};

__global__ void patches(const float *__restrict__ in, float *__restrict__ out, float strength)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * WIDE + x] = similar(Clamped{in, x, y}, strength);
}

__global__ void __launch_bounds__(256)
    patches_tile(const float *__restrict__ in, float *__restrict__ out, float strength)
{
    __shared__ float tile[16][40];
    int left = blockIdx.x * 32, top = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
    for (int k = t; k < 16 * 40; k += 256)
        tile[k / 40][k % 40] = Clamped{in, left + k % 40 - 4, top + k / 40 - 4}(0, 0);
    __syncthreads();
    out[(top + threadIdx.y) * WIDE + left + threadIdx.x] =
        similar(Tiled{&tile[threadIdx.y + 4][threadIdx.x + 4]}, strength);
}

__host__ __device__ inline float diffused(const float *in, int x, int y, float edge)
{
    int i = y * LARGE + x;
    float c = in[i], n = in[y ? i - LARGE : i] - c, s = in[y < TALL - 1 ? i + LARGE : i] - c,
          w = in[x ? i - 1 : i] - c, e = in[x < LARGE - 1 ? i + 1 : i] - c;
    return c + 0.2f * (n * expf(-n * n * edge) + s * expf(-s * s * edge) + w * expf(-w * w * edge) +
                       e * expf(-e * e * edge));
}

__global__ void diffusion(const float *__restrict__ in, float *__restrict__ out, float edge)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * LARGE + x] = diffused(in, x, y, edge);
}

__host__ __device__ inline float spread(const float2 *p, const float *g, int x, int y, float lambda)
{
    int i = y * LARGE + x;
    return p[i].x - (x ? p[i - 1].x : 0) + p[i].y - (y ? p[i - LARGE].y : 0) - g[i] * lambda;
}

__host__ __device__ inline float2 dual(const float2 *p, const float *g, int x, int y, float lambda)
{
    float here = spread(p, g, x, y, lambda),
          dx = x < LARGE - 1 ? spread(p, g, x + 1, y, lambda) - here : 0,
          dy = y < TALL - 1 ? spread(p, g, x, y + 1, lambda) - here : 0;
    float2 old = p[y * LARGE + x];
    float by = 1 / (1 + 0.248f * sqrtf(dx * dx + dy * dy));
    return make_float2((old.x + 0.248f * dx) * by, (old.y + 0.248f * dy) * by);
}

__global__ void __launch_bounds__(192)
    variation(const float2 *__restrict__ p, const float *__restrict__ g, float2 *__restrict__ out,
              float lambda)
{
    for (int i = blockIdx.x * 192 + threadIdx.x; i < LARGE * TALL; i += gridDim.x * 192)
        out[i] = dual(p, g, i % LARGE, i / LARGE, lambda);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(149);
    const int count = WIDE * HIGH, large = LARGE * TALL;
    std::vector<float> picture(count), wide(large);
    std::vector<float2> p(large);
    for (int i = 0; i < count; i++)
        picture[i] = (i % WIDE / 40 + i / WIDE / 40) % 2 * 0.5f + random.unit() * 0.2f;
    for (int i = 0; i < large; i++) {
        wide[i] = (i % LARGE / 100 + i / LARGE / 60) % 2 * 0.5f + random.unit() * 0.2f;
        p[i] = make_float2(random.between(-0.6f, 0.6f), random.between(-0.6f, 0.6f));
    }
    float *P = copy(picture), *W = copy(wide), *out = room<float>(large);
    float2 *D = copy(p), *out2 = room<float2>(large);
    auto wiped = [&] {
        fill(out, large, 0xff);
        fill(out2, large, 0xff);
    };
    auto check = [&] {
        return differ(out, count, 13, 1e-4, [&](size_t i) {
            return similar(Clamped{picture.data(), (int)i % WIDE, (int)i / WIDE}, 5.f);
        });
    };
    variant(
        "patches", "patches", wiped,
        [&] { patches<<<dim3(WIDE / 32, HIGH / 4), dim3(32, 4)>>>(P, out, 5.f); }, check);
    variant(
        "patches_tile", "patches_tile", wiped,
        [&] { patches_tile<<<dim3(WIDE / 32, HIGH / 8), dim3(32, 8)>>>(P, out, 5.f); }, check);
    variant(
        "diffusion", "diffusion", wiped,
        [&] { diffusion<<<dim3(LARGE / 64, TALL / 8), dim3(64, 8)>>>(W, out, 20.f); },
        [&] {
            return differ(out, large, 3, 1e-4, [&](size_t i) {
                return diffused(wide.data(), i % LARGE, i / LARGE, 20.f);
            });
        });
    variant(
        "variation", "variation", wiped, [&] { variation<<<132 * 5, 192>>>(D, W, out2, 8.f); },
        [&] {
            std::vector<float> got = fetch((float *)out2, 2 * large);
            long bad = 0;
            for (int i = 0; i < large; i += 3) {
                float2 w = dual(p.data(), wide.data(), i % LARGE, i / LARGE, 8.f);
                bad += !near(got[2 * i], w.x, 1e-4) || !near(got[2 * i + 1], w.y, 1e-4);
            }
            return bad;
        });
    return finish();
}
