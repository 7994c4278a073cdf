// Waves in the ground: velocities and stresses on grids that lie between each other, sound to the
// eighth order in a cube with columns in registers and directly with a sponge at the rim, and
// travel times that follow their neighbours.
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

constexpr int WIDE = 1024, HIGH = 768, COUNT = WIDE * HIGH;

// differences of fourth order between points, forwards and backwards
__host__ __device__ inline float ahead(const float *p, int step)
{
    return 1.125f * (p[step] - p[0]) - (p[2 * step] - p[-step]) * (1 / 24.0f);
}

__host__ __device__ inline float behind(const float *p, int step)
{
    return ahead(p - step, step);
}

struct Ground {
    const float *vx, *vy, *xx, *yy, *xy, *light, *stiff, *shear;
};

__host__ __device__ inline float2 velocity_at(const Ground &g, int i)
{
    return make_float2(g.vx[i] + g.light[i] * (ahead(g.xx + i, 1) + behind(g.xy + i, WIDE)),
                       g.vy[i] + g.light[i] * (behind(g.xy + i, 1) + ahead(g.yy + i, WIDE)));
}

__host__ __device__ inline float3 stress_at(const Ground &g, int i)
{
    float x = behind(g.vx + i, 1), y = behind(g.vy + i, WIDE), l = g.stiff[i], m = g.shear[i];
    return make_float3(g.xx[i] + (l + 2 * m) * x + l * y, g.yy[i] + (l + 2 * m) * y + l * x,
                       g.xy[i] + m * (ahead(g.vx + i, WIDE) + ahead(g.vy + i, 1)));
}

__host__ __device__ inline bool within(int i, int rim)
{
    int x = i % WIDE, y = i / WIDE;
    return x >= rim && y >= rim && x < WIDE - rim && y < HIGH - rim;
}

__global__ void velocities(Ground g, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!within(i, 2))
        return;
    float2 v = velocity_at(g, i);
    out[i] = v.x, out[COUNT + i] = v.y;
}

__global__ void stresses(Ground g, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!within(i, 2))
        return;
    float3 s = stress_at(g, i);
    out[i] = s.x, out[COUNT + i] = s.y, out[2 * COUNT + i] = s.z;
}

constexpr int CUBE = 168, PLANE = CUBE * CUBE, VOLUME = CUBE * PLANE;

__constant__ float weights[5];

// a block has 32 x 8 columns: neighbours within a plane by shared memory, along z in registers
__global__ void __launch_bounds__(256)
    cube_columns(const float *__restrict__ now, const float *__restrict__ before,
                 const float *__restrict__ speed, float *__restrict__ out)
{
    __shared__ float plane[8 + 8][32 + 8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx + 4,
        y = blockIdx.y * 8 + ty + 4, first = blockIdx.z * 40;
    float column[9];
    const float *from = now + y * CUBE + x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        column[k + 1] = from[(first + k) * PLANE];
    for (int z = first + 4; z < first + 44; z++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            column[k] = column[k + 1];
        column[8] = from[(z + 4) * PLANE];
        __syncthreads();
        for (int i = ty * 32 + tx; i < 16 * 40; i += 256)
            plane[i / 40][i % 40] =
                now[z * PLANE + (blockIdx.y * 8 + i / 40) * CUBE + blockIdx.x * 32 + i % 40];
        __syncthreads();
        float sum = 3 * weights[0] * column[4];
#pragma unroll
        for (int k = 1; k <= 4; k++)
            sum += weights[k] * (column[4 - k] + column[4 + k] + plane[ty + 4][tx + 4 - k] +
                                 plane[ty + 4][tx + 4 + k] + plane[ty + 4 - k][tx + 4] +
                                 plane[ty + 4 + k][tx + 4]);
        int i = z * PLANE + y * CUBE + x;
        out[i] = 2 * column[4] - before[i] + speed[i] * sum;
    }
}

__host__ __device__ inline float sponge(int x)
{
    int deep = 12 - (x < CUBE / 2 ? x : CUBE - 1 - x);
    return deep > 0 ? 1 - 0.002f * deep * deep : 1;
}

__global__ void cube_direct(const float *__restrict__ now, const float *__restrict__ before,
                            const float *__restrict__ speed, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x + 4, y = blockIdx.y * 8 + threadIdx.y + 4,
        z = blockIdx.z + 4;
    int i = z * PLANE + y * CUBE + x;
    float own = now[i], sum = 3 * weights[0] * own;
#pragma unroll
    for (int k = 1; k <= 4; k++)
        sum += weights[k] * (now[i - k] + now[i + k] + now[i - k * CUBE] + now[i + k * CUBE] +
                             now[i - k * PLANE] + now[i + k * PLANE]);
    float less = sponge(x) * sponge(y) * sponge(z);
    out[i] = less * (2 * own - less * before[i] + speed[i] * sum);
}

// sixteen sweeps of a tile of 32 x 32 with times at its rim held: each point from its neighbours
constexpr int ROUNDS = 16;

__host__ __device__ inline float arrival(float across, float down, float slow, float now)
{
    float apart = fabsf(across - down), time;
    if (apart >= slow)
        time = fminf(across, down) + slow;
    else
        time = 0.5f * (across + down + sqrtf(2 * slow * slow - apart * apart));
    return fminf(time, now);
}

__global__ void __launch_bounds__(1024)
    travel(const float *__restrict__ times, const float *__restrict__ slow, float *__restrict__ out)
{
    __shared__ float own[2][34][35];
    int t = threadIdx.x, left = blockIdx.x * 32, top = blockIdx.y * 32, x = t % 32 + 1,
        y = t / 32 + 1;
    for (int i = t; i < 34 * 34; i += 1024) {
        int u = left + i % 34 - 1, v = top + i / 34 - 1;
        own[0][i / 34][i % 34] = own[1][i / 34][i % 34] =
            u >= 0 && v >= 0 && u < WIDE && v < HIGH ? times[v * WIDE + u] : 1e6f;
    }
    float s = slow[(top + y - 1) * WIDE + left + x - 1];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        float(&now)[34][35] = own[round % 2];
        own[1 - round % 2][y][x] = arrival(fminf(now[y][x - 1], now[y][x + 1]),
                                           fminf(now[y - 1][x], now[y + 1][x]), s, now[y][x]);
        __syncthreads();
    }
    out[(top + y - 1) * WIDE + left + x - 1] = own[ROUNDS % 2][y][x];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(313);
    std::vector<float> parts[8];
    Ground host, device;
    const float **to[2][8] = {
        {&host.vx, &host.vy, &host.xx, &host.yy, &host.xy, &host.light, &host.stiff, &host.shear},
        {&device.vx, &device.vy, &device.xx, &device.yy, &device.xy, &device.light, &device.stiff,
         &device.shear}};
    for (int k = 0; k < 8; k++) {
        parts[k] = random.floats(COUNT, k < 5 ? -1 : 0.1f, k < 5 ? 1 : 0.3f);
        *to[0][k] = parts[k].data(), *to[1][k] = copy(parts[k]);
    }
    const float weight[5] = {-205 / 72.0f, 1.6f, -0.2f, 8 / 315.0f, -1 / 560.0f};
    must(cudaMemcpyToSymbol(weights, weight, sizeof weight));
    std::vector<float> now = random.floats(VOLUME, -1, 1), before = random.floats(VOLUME, -1, 1),
                       speed = random.floats(VOLUME, 0.05f, 0.2f), times(COUNT, 1e6f),
                       slow = random.floats(COUNT, 0.5f, 2);
    for (int k = 0; k < 3000; k++)
        times[random.below(COUNT)] = random.between(0, 3);
    float *N = copy(now), *B = copy(before), *V = copy(speed), *T = copy(times), *L = copy(slow),
          *out = room<float>(VOLUME);
    auto wiped = [&] { fill(out, VOLUME, 0); };
    variant(
        "velocities", "velocities", wiped, [&] { velocities<<<COUNT / 256, 256>>>(device, out); },
        [&] {
            return differ(out, 2 * COUNT, 41, 1e-4, [&](size_t i) {
                float2 v = within(i % COUNT, 2) ? velocity_at(host, i % COUNT) : make_float2(0, 0);
                return i < COUNT ? v.x : v.y;
            });
        });
    variant(
        "stresses", "stresses", wiped, [&] { stresses<<<COUNT / 256, 256>>>(device, out); },
        [&] {
            return differ(out, 3 * COUNT, 41, 1e-4, [&](size_t i) {
                float3 s = within(i % COUNT, 2) ? stress_at(host, i % COUNT) : make_float3(0, 0, 0);
                return i < COUNT ? s.x : i < 2 * COUNT ? s.y : s.z;
            });
        });
    auto check = [&](bool damped) {
        return differ(out, VOLUME, 59, 1e-4, [&](size_t i) {
            int x = i % CUBE, y = i / CUBE % CUBE, z = i / PLANE;
            if (std::min(x, std::min(y, z)) < 4 || std::max(x, std::max(y, z)) >= CUBE - 4)
                return 0.0;
            double sum = 3 * (double)weight[0] * now[i];
            for (int k = 1; k <= 4; k++)
                sum += (double)weight[k] *
                       (now[i - k] + now[i + k] + now[i - k * CUBE] + now[i + k * CUBE] +
                        now[i - k * PLANE] + now[i + k * PLANE]);
            double less = damped ? sponge(x) * sponge(y) * sponge(z) : 1;
            return less * (2 * now[i] - less * before[i] + speed[i] * sum);
        });
    };
    variant(
        "cube_columns", "cube_columns", wiped,
        [&] { cube_columns<<<dim3(5, 20, 4), dim3(32, 8)>>>(N, B, V, out); },
        [&] { return check(false); });
    variant(
        "cube_direct", "cube_direct", wiped,
        [&] { cube_direct<<<dim3(5, 20, CUBE - 8), dim3(32, 8)>>>(N, B, V, out); },
        [&] { return check(true); });
    variant(
        "travel", "travel", wiped, [&] { travel<<<dim3(WIDE / 32, HIGH / 32), 1024>>>(T, L, out); },
        [&] {
            std::vector<float> got = fetch(out, COUNT), old(34 * 34), next(34 * 34);
            long bad = 0;
            for (int tile = 0; tile < COUNT / 1024; tile += 5) {
                int left = tile % (WIDE / 32) * 32, top = tile / (WIDE / 32) * 32;
                for (int i = 0; i < 34 * 34; i++) {
                    int u = left + i % 34 - 1, v = top + i / 34 - 1;
                    old[i] = u >= 0 && v >= 0 && u < WIDE && v < HIGH ? times[v * WIDE + u] : 1e6f;
                }
                next = old;
                for (int round = 0; round < ROUNDS; round++, old.swap(next))
                    for (int k = 0; k < 1024; k++) {
                        int x = k % 32, y = k / 32, i = (y + 1) * 34 + x + 1;
                        next[i] = arrival(std::fmin(old[i - 1], old[i + 1]),
                                          std::fmin(old[i - 34], old[i + 34]),
                                          slow[(top + y) * WIDE + left + x], old[i]);
                    }
                for (int k = 0; k < 1024; k++)
                    bad += !near(got[(top + k / 32) * WIDE + left + k % 32],
                                 old[(k / 32 + 1) * 34 + k % 32 + 1], 1e-4);
            }
            return bad;
        });
    return finish();
}
