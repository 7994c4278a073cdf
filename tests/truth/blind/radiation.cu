// Radiation through gases: light along rays layer by layer and by a warp a ray, two streams by a
// tridiagonal elimination in each column, line shapes by a complex fraction, and opacities from
// a table of three dimensions.
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

constexpr int LAYERS = 64, COLUMNS = 8192, LINES = 96, WAVES = 16384;

// values of a column stand LAYERS apart or side by side
__host__ __device__ inline float along_ray(const float *depth, const float *source, size_t stride,
                                           float slant)
{
    float light = 0.1f;
    for (int k = 0; k < LAYERS; k++) {
        float d = depth[k * stride] * slant, through = expf(-d);
        float weight = d < 0.01f ? d * (1 - 0.5f * d) : 1 - through;
        light = light * through + source[k * stride] * weight;
    }
    return light;
}

__global__ void rays(const float *__restrict__ depth, const float *__restrict__ source,
                     float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[blockIdx.y * COLUMNS + i] =
        along_ray(depth + i, source + i, COLUMNS, 1 + 0.5f * blockIdx.y);
}

// a warp a ray: two layers a lane, joined by a scan of (through, added)
__global__ void ray_warps(const float *__restrict__ depth, const float *__restrict__ source,
                          float *__restrict__ out)
{
    int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float through = 1, added = 0, slant = 1 + 0.5f * blockIdx.y;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        float d = depth[i * LAYERS + 2 * lane + k] * slant, t = expf(-d);
        float weight = d < 0.01f ? d * (1 - 0.5f * d) : 1 - t;
        added = added * t + source[i * LAYERS + 2 * lane + k] * weight, through *= t;
    }
    for (int d = 1; d < 32; d *= 2) {
        float t = __shfl_up_sync(~0u, through, d), a = __shfl_up_sync(~0u, added, d);
        if (lane >= d)
            added += a * through, through *= t;
    }
    if (lane == 31)
        out[blockIdx.y * COLUMNS + i] = 0.1f * through + added;
}

// up and down in each layer, eliminated downwards and put in upwards; factors in local memory
__host__ __device__ inline float streams(const float *depth, const float *albedo, size_t stride)
{
    float upper[LAYERS], right[LAYERS];
    float before_u = 0, before_r = 1;
    for (int k = 0; k < LAYERS; k++) {
        float d = depth[k * stride], w = albedo[k * stride], gamma = sqrtf(3 * (1 - w)) + 0.05f;
        float e = expf(-gamma * d), low = 0.5f * w * (1 - e), mid = 1 + e + low;
        float inverse = 1 / (mid + low * before_u);
        upper[k] = before_u = -e * inverse;
        right[k] = before_r = (w * 0.3f + low * before_r) * inverse;
    }
    float x = 0, sum = 0;
    for (int k = LAYERS - 1; k >= 0; k--) {
        x = right[k] - upper[k] * x;
        sum += x * (k + 1);
    }
    return sum / LAYERS;
}

__global__ void __launch_bounds__(64)
    two_streams(const float *__restrict__ depth, const float *__restrict__ albedo,
                float *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = streams(depth + i, albedo + i, COLUMNS);
}

struct Line {
    float centre, strength, width, damping;
};

// Humlicek's fraction of the complex probability function
__host__ __device__ inline float shape(float x, float y)
{
    float tx = y, ty = -x;  // t = y - i x
    if (fabsf(x) + y > 5) { // t / (0.5 + t t) / sqrt(pi)
        float ux = 0.5f + tx * tx - ty * ty, uy = 2 * tx * ty;
        return 0.5641896f * (tx * ux + ty * uy) / (ux * ux + uy * uy);
    }
    float nx = 0.56419f, ny = 0, dx = 1, dy = 0;
    const float over[4] = {3.321990f, 5.912626f, 9.127f, 8.0f},
                under[5] = {6.699398f, 9.15f, 14.2f, 10.1f, 7.9f};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float a = nx * tx - ny * ty + over[k], b = nx * ty + ny * tx;
        nx = a, ny = b;
    }
#pragma unroll
    for (int k = 0; k < 5; k++) {
        float a = dx * tx - dy * ty + under[k], b = dx * ty + dy * tx;
        dx = a, dy = b;
    }
    return (nx * dx + ny * dy) / (dx * dx + dy * dy + 1e-6f);
}

__global__ void __launch_bounds__(128) lines(const Line *__restrict__ list, float *__restrict__ out)
{
    __shared__ Line all[LINES];
    for (int k = threadIdx.x; k < LINES; k += 128)
        all[k] = list[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 0, wave = i * (100.0f / WAVES);
    for (int k = 0; k < LINES; k++) {
        Line l = all[k];
        sum += l.strength * l.width * shape((wave - l.centre) * l.width, l.damping);
    }
    out[i] = sum;
}

constexpr int HOT = 32, DENSE = 48, BANDS = 16;

__host__ __device__ inline float opacity(const float *table, float hot, float dense, int band)
{
    float a = fminf(fmaxf(hot * (HOT - 1), 0), HOT - 1.001f),
          b = fminf(fmaxf(dense * (DENSE - 1), 0), DENSE - 1.001f);
    int i = (int)a, j = (int)b;
    float u = a - i, v = b - j;
    const float *t = table + (i * DENSE + j) * BANDS + band;
    float low = t[0] + v * (t[BANDS] - t[0]),
          high = t[DENSE * BANDS] + v * (t[DENSE * BANDS + BANDS] - t[DENSE * BANDS]);
    return exp2f(low + u * (high - low));
}

__global__ void opacities(const float *__restrict__ table, const float *__restrict__ hot,
                          const float *__restrict__ dense, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = opacity(table, hot[i / BANDS], dense[i / BANDS], i % BANDS);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(47);
    const int few = 2048, cells = 1 << 17;
    std::vector<float> depth = random.floats(COLUMNS * LAYERS, 0, 0.2f),
                       source = random.floats(COLUMNS * LAYERS, 0, 2);
    std::vector<float> albedo = random.floats(COLUMNS * LAYERS, 0.1f, 0.95f),
                       table = random.floats(HOT * DENSE * BANDS, -3, 3);
    std::vector<float> hot = random.floats(cells), dense = random.floats(cells),
                       rows(COLUMNS * LAYERS), row_source(COLUMNS * LAYERS);
    for (int i = 0; i < COLUMNS * LAYERS; i++)
        rows[i % COLUMNS * LAYERS + i / COLUMNS] = depth[i],
                                        row_source[i % COLUMNS * LAYERS + i / COLUMNS] = source[i];
    std::vector<Line> list(LINES);
    for (Line &l : list)
        l = {random.between(0, 100), random.between(0.1f, 3), random.between(0.3f, 4),
             random.between(0.05f, 2)};
    float *D = copy(depth), *S = copy(source), *A = copy(albedo), *T = copy(table), *H = copy(hot),
          *N = copy(dense);
    float *R = copy(rows), *Q = copy(row_source), *out = room<float>(cells * BANDS);
    Line *L = copy(list);
    auto wiped = [&] { fill(out, cells * BANDS, 0xff); };
    auto light = [&](size_t i) {
        return along_ray(&depth[i % COLUMNS], &source[i % COLUMNS], COLUMNS,
                         1 + 0.5f * (i / COLUMNS));
    };
    variant(
        "rays", "rays", wiped, [&] { rays<<<dim3(COLUMNS / 64, 4), 64>>>(D, S, out); },
        [&] { return differ(out, COLUMNS * 4, 3, 1e-3, light); });
    variant(
        "ray_warps", "ray_warps", wiped,
        [&] { ray_warps<<<dim3(COLUMNS / 4, 4), 128>>>(R, Q, out); },
        [&] { return differ(out, COLUMNS * 4, 3, 1e-3, light); });
    variant(
        "two_streams", "two_streams", wiped, [&] { two_streams<<<few / 64, 64>>>(D, A, out); },
        [&] {
            return differ(out, few, 1, 1e-3,
                          [&](size_t i) { return streams(&depth[i], &albedo[i], COLUMNS); });
        });
    variant(
        "lines", "lines", wiped, [&] { lines<<<WAVES / 128, 128>>>(L, out); },
        [&] {
            return differ(out, WAVES, 7, 2e-3, [&](size_t i) {
                double sum = 0;
                float wave = i * (100.0f / WAVES);
                for (const Line &l : list)
                    sum += l.strength * l.width * shape((wave - l.centre) * l.width, l.damping);
                return sum;
            });
        });
    variant(
        "opacities", "opacities", wiped,
        [&] { opacities<<<cells * BANDS / 256, 256>>>(T, H, N, out); },
        [&] {
            return differ(out, cells * BANDS, 17, 1e-3, [&](size_t i) {
                return opacity(table.data(), hot[i / BANDS], dense[i / BANDS], i % BANDS);
            });
        });
    return finish();
}
