// Fields kept in grids of many sizes behind a hash: the encoding of points with a level in each
// row of blocks, a small network with its weights in shared memory, gradients scattered into the
// tables by atomics of half precision in pairs, and steps of rays through a grid of occupied cells.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_fp16.h>
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

constexpr int LEVELS = 12, TABLE = 1 << 16, POINTS = 1 << 16, IN = LEVELS * 2, HIDDEN = 32;

__host__ __device__ inline uint32_t slot(int x, int y, int z, int side)
{
    if ((side + 1) * (side + 1) * (side + 1) <= TABLE)
        return (z * (side + 1) + y) * (side + 1) + x;
    return ((uint32_t)x ^ (uint32_t)y * 2654435761u ^ (uint32_t)z * 805459861u) % TABLE;
}

__host__ __device__ inline int side_of(int level)
{
    return 8 << level / 2 | (level % 2 ? 4 << level / 2 : 0);
}

struct Cell {
    int x, y, z;
    float u, v, w;
};

__host__ __device__ inline Cell cell_of(float x, float y, float z, int side)
{
    x *= side, y *= side, z *= side;
    int i = (int)x, j = (int)y, k = (int)z;
    return {i, j, k, x - i, y - j, z - k};
}

__host__ __device__ inline float weight(const Cell &c, int corner)
{
    return (corner & 1 ? c.u : 1 - c.u) * (corner & 2 ? c.v : 1 - c.v) *
           (corner & 4 ? c.w : 1 - c.w);
}

// blocks of one level together, so that its table stays in the caches
__global__ void encode(const float *__restrict__ places, const half2 *__restrict__ tables,
                       float2 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y, side = side_of(level);
    Cell c = cell_of(places[i], places[POINTS + i], places[2 * POINTS + i], side);
    float2 sum = make_float2(0, 0);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float2 f = __half22float2(
            tables[level * TABLE + slot(c.x + (k & 1), c.y + (k >> 1 & 1), c.z + (k >> 2), side)]);
        float w = weight(c, k);
        sum.x += w * f.x, sum.y += w * f.y;
    }
    out[level * POINTS + i] = sum;
}

// all levels of a point in one thread, and the network behind it; weights are read by all at once
__global__ void __launch_bounds__(128)
    network(const float2 *__restrict__ features, const float *__restrict__ first,
            const float *__restrict__ second, float *__restrict__ out)
{
    __shared__ float4 w[HIDDEN][IN / 4];
    __shared__ float last[HIDDEN][4];
    for (int k = threadIdx.x; k < HIDDEN * IN / 4; k += 128)
        w[k / (IN / 4)][k % (IN / 4)] = ((const float4 *)first)[k];
    for (int k = threadIdx.x; k < HIDDEN * 4; k += 128)
        last[k / 4][k % 4] = second[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    float x[IN], sum[4] = {};
#pragma unroll
    for (int l = 0; l < LEVELS; l++) {
        float2 f = features[l * POINTS + i];
        x[2 * l] = f.x, x[2 * l + 1] = f.y;
    }
    for (int h = 0; h < HIDDEN; h++) {
        float v = 0;
#pragma unroll
        for (int k = 0; k < IN / 4; k++) {
            float4 q = w[h][k];
            v += q.x * x[4 * k] + q.y * x[4 * k + 1] + q.z * x[4 * k + 2] + q.w * x[4 * k + 3];
        }
        v = fmaxf(v, 0);
#pragma unroll
        for (int o = 0; o < 4; o++)
            sum[o] += last[h][o] * v;
    }
#pragma unroll
    for (int o = 0; o < 4; o++)
        out[o * POINTS + i] = o < 3 ? 1 / (1 + __expf(-sum[o])) : __expf(sum[o]);
}

__global__ void scatter(const float *__restrict__ places, const float2 *__restrict__ gradients,
                        half2 *tables, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, level = first + blockIdx.y,
        side = side_of(level);
    Cell c = cell_of(places[i], places[POINTS + i], places[2 * POINTS + i], side);
    float2 g = gradients[level * POINTS + i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float w = weight(c, k);
        atomicAdd(tables + level * TABLE +
                      slot(c.x + (k & 1), c.y + (k >> 1 & 1), c.z + (k >> 2), side),
                  __floats2half2_rn(w * g.x, w * g.y));
    }
}

constexpr int CELLS = 128;

struct Ray {
    float x, y, z, dx, dy, dz;
};

// cells a bit each; empty ones are left in one step to their far side
__host__ __device__ inline int samples(const uint32_t *bits, Ray r, int most)
{
    float t = 0.01f;
    int taken = 0;
    for (int n = 0; n < 1024 && taken < most; n++) {
        float x = r.x + t * r.dx, y = r.y + t * r.dy, z = r.z + t * r.dz;
        if (x < 0 || y < 0 || z < 0 || x >= 1 || y >= 1 || z >= 1)
            break;
        int i = (int)(x * CELLS), j = (int)(y * CELLS), k = (int)(z * CELLS),
            at = (k * CELLS + j) * CELLS + i;
        if (bits[at / 32] >> (at % 32) & 1) {
            taken++, t += 1.0f / 512;
            continue;
        }
        float tx = ((i + (r.dx > 0)) * (1.0f / CELLS) - x) / r.dx,
              ty = ((j + (r.dy > 0)) * (1.0f / CELLS) - y) / r.dy,
              tz = ((k + (r.dz > 0)) * (1.0f / CELLS) - z) / r.dz;
        t += fmaxf(fminf(tx, fminf(ty, tz)), 0) + 1e-4f;
    }
    return taken;
}

__global__ void __launch_bounds__(64)
    march(const uint32_t *__restrict__ bits, const Ray *__restrict__ rays, int *__restrict__ out,
          int most)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = samples(bits, rays[i], most);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(131);
    const int rays = 16384, most = 100, coarse = 2, fine = 8;
    std::vector<float> places = random.floats(POINTS * 3, 0, 0.999f),
                       first = random.floats(HIDDEN * IN, -1, 1),
                       second = random.floats(HIDDEN * 4, -1, 1);
    std::vector<float> features = random.floats(POINTS * IN, -0.5f, 0.5f),
                       small = random.floats(POINTS * IN, -0.01f, 0.01f);
    std::vector<half> tables(LEVELS * TABLE * 2);
    for (half &v : tables)
        v = __float2half(random.between(-1, 1));
    std::vector<uint32_t> bits(CELLS * CELLS * CELLS / 32);
    for (int at = 0; at < CELLS * CELLS * CELLS; at++) {
        float x = at % CELLS - 64.0f, y = at / CELLS % CELLS - 64.0f,
              z = at / (CELLS * CELLS) - 64.0f, r = sqrtf(x * x + y * y + z * z);
        if ((r > 30 && r < 34) || (at / CELLS % CELLS < 6) || random.below(400) == 0)
            bits[at / 32] |= 1u << at % 32;
    }
    std::vector<Ray> ray(rays);
    for (int i = 0; i < rays; i++) {
        float x = (i % 128 - 63.5f) / 128, y = (i / 128 - 63.5f) / 128,
              n = 1 / sqrtf(x * x + y * y + 1);
        ray[i] = {0.5f, 0.5f, 0.01f, x * n + 1e-4f, y * n + 1e-4f, n};
    }
    float *P = copy(places), *W = copy(first), *V = copy(second), *F = copy(features),
          *G = copy(small), *out = room<float>(POINTS * IN);
    half *T = copy(tables), *sums = room<half>(LEVELS * TABLE * 2);
    uint32_t *B = copy(bits);
    Ray *R = copy(ray);
    int *taken = room<int>(rays);
    auto wiped = [&] {
        fill(out, POINTS * IN, 0xff);
        fill(sums, LEVELS * TABLE * 2, 0);
        fill(taken, rays, 0x77);
    };
    auto scattered = [&](int level) {
        std::vector<half> got = fetch(sums, LEVELS * TABLE * 2);
        std::vector<double> want(TABLE * 2), size(TABLE * 2);
        for (int i = 0; i < POINTS; i++) {
            int side = side_of(level);
            Cell c = cell_of(places[i], places[POINTS + i], places[2 * POINTS + i], side);
            for (int k = 0; k < 16; k++) {
                float g = weight(c, k / 2) * small[(level * POINTS + i) * 2 + k % 2];
                int at = slot(c.x + (k / 2 & 1), c.y + (k / 4 & 1), c.z + k / 8, side) * 2 + k % 2;
                want[at] += g, size[at] += std::fabs(g);
            }
        }
        long bad = 0;
        for (int i = 0; i < TABLE * 2; i++)
            bad += std::fabs(__half2float(got[level * TABLE * 2 + i]) - want[i]) >
                   0.02 * size[i] + 1e-3;
        return bad;
    };
    variant(
        "encode", "encode", wiped,
        [&] { encode<<<dim3(POINTS / 128, LEVELS), 128>>>(P, (half2 *)T, (float2 *)out); },
        [&] {
            return differ(out, POINTS * IN, 61, 1e-3, [&](size_t i) {
                int level = i / 2 / POINTS, p = i / 2 % POINTS, side = side_of(level);
                Cell c = cell_of(places[p], places[POINTS + p], places[2 * POINTS + p], side);
                double sum = 0;
                for (int k = 0; k < 8; k++)
                    sum +=
                        weight(c, k) *
                        __half2float(tables[(level * TABLE + slot(c.x + (k & 1), c.y + (k >> 1 & 1),
                                                                  c.z + (k >> 2), side)) *
                                                2 +
                                            i % 2]);
                return sum;
            });
        });
    variant(
        "network", "network", wiped,
        [&] { network<<<POINTS / 128, 128>>>((float2 *)F, W, V, out); },
        [&] {
            return differ(out, POINTS * 4, 19, 2e-3, [&](size_t i) {
                int p = i % POINTS, o = i / POINTS;
                double sum = 0;
                for (int h = 0; h < HIDDEN; h++) {
                    double v = 0;
                    for (int k = 0; k < IN; k++)
                        v += first[h * IN + k] * features[(k / 2 * POINTS + p) * 2 + k % 2];
                    sum += second[h * 4 + o] * std::max(v, 0.0);
                }
                return o < 3 ? 1 / (1 + std::exp(-sum)) : std::exp(sum);
            });
        });
    variant(
        "scatter_coarse", "scatter", wiped,
        [&] { scatter<<<dim3(POINTS / 128, 1), 128>>>(P, (float2 *)G, (half2 *)sums, coarse); },
        [&] { return scattered(coarse); });
    variant(
        "scatter_fine", "scatter", wiped,
        [&] { scatter<<<dim3(POINTS / 128, 4), 128>>>(P, (float2 *)G, (half2 *)sums, fine); },
        [&] { return scattered(fine); });
    variant(
        "march", "march", wiped, [&] { march<<<rays / 64, 64>>>(B, R, taken, most); },
        [&] {
            long bad = differ(taken, rays, 3, 0.05,
                              [&](size_t i) { return samples(bits.data(), ray[i], most); });
            return bad > 60 ? bad : 0; // a step may end just before or behind a side
        });
    return finish();
}
