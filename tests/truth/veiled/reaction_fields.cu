// Patterns of substances that react and spread: two substances directly, with four steps of a tile
// in shared memory, in half precision in pairs, the separation of a mixture with a tile's two rings
// of neighbours, and a crystal that grows into directions.
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

constexpr int WIDE = 1024, HIGH = 1024, COUNT = WIDE * HIGH;

__host__ __device__ inline int at(int x, int y)
{
    return (y & (HIGH - 1)) * WIDE + (x & (WIDE - 1));
}

// sides count four, corners one
__host__ __device__ inline float spread(const float (&v)[9])
{
    return 0.2f * (v[1] + v[3] + v[5] + v[7]) + 0.05f * (v[0] + v[2] + v[6] + v[8]) - v[4];
}

__host__ __device__ inline float2 reacted(const float (&u)[9], const float (&v)[9])
{
    float uvv = u[4] * v[4] * v[4];
    return make_float2(u[4] + 0.8f * spread(u) - uvv + 0.035f * (1 - u[4]),
                       v[4] + 0.4f * spread(v) + uvv - 0.095f * v[4]);
}

__host__ __device__ inline float2 direct_at(const float2 *in, int x, int y)
{
    float u[9], v[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float2 p = in[at(x + k % 3 - 1, y + k / 3 - 1)];
        u[k] = p.x, v[k] = p.y;
    }
    return reacted(u, v);
}

__global__ void direct(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = direct_at(in, x, y);
}

// a block has 24 x 24 points and four more on all sides, of which each step loses one
constexpr int TILE = 32, KEPT = TILE - 8;

__global__ void __launch_bounds__(TILE *TILE)
    four_steps(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float2 fields[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * KEPT + tx - 4,
        y = blockIdx.y * KEPT + ty - 4;
    fields[0][ty][tx] = in[at(x, y)];
    __syncthreads();
    for (int step = 0; step < 4; step++) {
        if (min(tx, ty) > step && max(tx, ty) < TILE - 1 - step) {
            float u[9], v[9];
#pragma unroll
            for (int k = 0; k < 9; k++) {
                float2 p = fields[step % 2][ty + k / 3 - 1][tx + k % 3 - 1];
                u[k] = p.x, v[k] = p.y;
            }
            fields[1 - step % 2][ty][tx] = reacted(u, v);
        }
        __syncthreads();
    }
    if (min(tx, ty) >= 4 && max(tx, ty) < TILE - 4 && x < WIDE && y < HIGH)
        out[y * WIDE + x] = fields[0][ty][tx];
}

// both substances of a point in one pair: one instruction for two of them
__global__ void halves(const __half2 *__restrict__ in, __half2 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    __half2 sides = __float2half2_rn(0), corners = sides, own = in[at(x, y)];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        __half2 p = in[at(x + k % 3 - 1, y + k / 3 - 1)];
        if (k == 4)
            continue;
        if (k % 2)
            sides = __hadd2(sides, p);
        else
            corners = __hadd2(corners, p);
    }
    __half2 change = __hfma2(sides, __float2half2_rn(0.2f),
                             __hfma2(corners, __float2half2_rn(0.05f), __hneg2(own)));
    __half uvv = __hmul(__low2half(own), __hmul(__high2half(own), __high2half(own)));
    __half2 made = __halves2half2(__hneg(uvv), uvv);
    __half2 next = __hfma2(change, __floats2half2_rn(0.8f, 0.4f), __hadd2(own, made));
    next = __hfma2(own, __floats2half2_rn(-0.035f, -0.095f), next);
    out[y * WIDE + x] = __hadd2(next, __floats2half2_rn(0.035f, 0));
}

// the Laplacian of a potential that has a Laplacian in it
constexpr int SEP = 16;

__global__ void __launch_bounds__(SEP *SEP)
    separate(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float own[SEP + 4][SEP + 4], potential[SEP + 2][SEP + 2];
    int t = threadIdx.x, left = blockIdx.x * SEP, top = blockIdx.y * SEP;
    for (int i = t; i < (SEP + 4) * (SEP + 4); i += SEP * SEP)
        own[i / (SEP + 4)][i % (SEP + 4)] =
            in[at(left + i % (SEP + 4) - 2, top + i / (SEP + 4) - 2)];
    __syncthreads();
    for (int i = t; i < (SEP + 2) * (SEP + 2); i += SEP * SEP) {
        int x = i % (SEP + 2) + 1, y = i / (SEP + 2) + 1;
        float c = own[y][x];
        potential[y - 1][x - 1] =
            c * c * c - c -
            0.5f * (own[y][x - 1] + own[y][x + 1] + own[y - 1][x] + own[y + 1][x] - 4 * c);
    }
    __syncthreads();
    int x = t % SEP, y = t / SEP;
    float change = potential[y + 1][x] + potential[y + 1][x + 2] + potential[y][x + 1] +
                   potential[y + 2][x + 1] - 4 * potential[y + 1][x + 1];
    out[(top + y) * WIDE + left + x] = own[y + 2][x + 2] + 0.03f * change;
}

// p: how solid, t: how warm; the width of the border depends on its direction
__host__ __device__ inline float2 grown(const float2 *in, int x, int y)
{
    float2 own = in[at(x, y)];
    auto flow = [&](int u, int v) {
        float px = 0.5f * (in[at(u + 1, v)].x - in[at(u - 1, v)].x),
              py = 0.5f * (in[at(u, v + 1)].x - in[at(u, v - 1)].x);
        float angle = atan2f(py, px), sine, cosine;
#ifdef __CUDA_ARCH__
        __sincosf(6 * angle, &sine, &cosine);
#else
        sine = sinf(6 * angle), cosine = cosf(6 * angle);
#endif
        float e = 1 + 0.04f * cosine, slope = -0.24f * sine;
        return make_float2(e * e * px - e * slope * py, e * e * py + e * slope * px);
    };
    float border =
        0.5f * (flow(x + 1, y).x - flow(x - 1, y).x + flow(x, y + 1).y - flow(x, y - 1).y);
    float drive = 0.28f * atanf(10 * (1 - own.y));
    float change = 0.1f * (border + own.x * (1 - own.x) * (own.x - 0.5f + drive));
    float warmth = in[at(x + 1, y)].y + in[at(x - 1, y)].y + in[at(x, y + 1)].y +
                   in[at(x, y - 1)].y - 4 * own.y;
    return make_float2(own.x + change, own.y + 0.1f * warmth + 1.6f * change);
}

__global__ void crystal(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = grown(in, x, y);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(311);
    std::vector<float2> in(COUNT), solid(COUNT);
    std::vector<__half2> halved(COUNT);
    std::vector<float> mixture = random.floats(COUNT, -1, 1);
    for (int i = 0; i < COUNT; i++) {
        int x = i % WIDE, y = i / WIDE;
        bool some = (x / 40 + y / 25) % 3 == 0;
        in[i] = make_float2(some ? 0.5f + random.between(0, 0.1f) : 1, some ? 0.25f : 0);
        halved[i] = __floats2half2_rn(in[i].x, in[i].y);
        float far = sqrtf((x - 512.0f) * (x - 512.0f) + (y - 512.0f) * (y - 512.0f));
        solid[i] = make_float2(0.5f - 0.5f * tanhf((far - 250) / 20) + random.between(0, 0.05f),
                               random.between(0, 0.5f));
    }
    float2 *I = copy(in), *C = copy(solid), *out = room<float2>(COUNT);
    __half2 *H = copy(halved);
    float *M = copy(mixture);
    auto wiped = [&] { fill(out, COUNT, 0x77); };
    auto check = [&](double tolerance, auto expected) {
        return differ((float *)out, 2 * COUNT, 67, tolerance, [&](size_t i) {
            float2 want = expected(i / 2 % WIDE, i / 2 / WIDE);
            return i % 2 ? want.y : want.x;
        });
    };
    const dim3 grid(WIDE / 32, HIGH / 8), block(32, 8);
    variant(
        "direct", "direct", wiped, [&] { direct<<<grid, block>>>(I, out); },
        [&] { return check(1e-5, [&](int x, int y) { return direct_at(in.data(), x, y); }); });
    const int pieces = (WIDE + KEPT - 1) / KEPT;
    variant(
        "four_steps", "four_steps", wiped,
        [&] { four_steps<<<dim3(pieces, pieces), dim3(TILE, TILE)>>>(I, out); },
        [&] {
            std::vector<float2> now = in, next(COUNT);
            for (int step = 0; step < 4; step++, now.swap(next))
                for (int i = 0; i < COUNT; i++)
                    next[i] = direct_at(now.data(), i % WIDE, i / WIDE);
            return check(1e-4, [&](int x, int y) { return now[y * WIDE + x]; });
        });
    variant(
        "halves", "halves", wiped, [&] { halves<<<grid, block>>>(H, (__half2 *)out); },
        [&] {
            std::vector<__half2> got = fetch((__half2 *)out, COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 11) {
                float2 want = direct_at(in.data(), i % WIDE, i / WIDE);
                bad += !near(__low2float(got[i]), want.x, 5e-3) ||
                       !near(__high2float(got[i]), want.y, 5e-3);
            }
            return bad;
        });
    variant(
        "separate", "separate", wiped,
        [&] { separate<<<dim3(WIDE / SEP, HIGH / SEP), SEP * SEP>>>(M, (float *)out); },
        [&] {
            auto potential = [&](int x, int y) {
                double c = mixture[at(x, y)];
                return c * c * c - c -
                       0.5 * (mixture[at(x - 1, y)] + mixture[at(x + 1, y)] +
                              mixture[at(x, y - 1)] + mixture[at(x, y + 1)] - 4 * c);
            };
            return differ((float *)out, COUNT, 37, 1e-4, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE;
                return mixture[i] +
                       0.03 * (potential(x - 1, y) + potential(x + 1, y) + potential(x, y - 1) +
                               potential(x, y + 1) - 4 * potential(x, y));
            });
        });
    variant(
        "crystal", "crystal", wiped, [&] { crystal<<<grid, block>>>(C, out); },
        [&] { return check(1e-3, [&](int x, int y) { return grown(solid.data(), x, y); }); });
    return finish();
}
