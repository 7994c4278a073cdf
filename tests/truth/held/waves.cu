// The wave equation in the plane: fourth order directly, by shared tiles, two steps at once in
// shared memory, half precision in pairs.
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

constexpr int WIDTH = 2048, HEIGHT = 2048, COUNT = WIDTH * HEIGHT;

__host__ __device__ inline float fourth(float c, float l1, float l2, float r1, float r2, float u1,
                                        float u2, float d1, float d2)
{
    return -5 * c + 4.f / 3 * (l1 + r1 + u1 + d1) - 1.f / 12 * (l2 + r2 + u2 + d2);
}

__global__ void direct(const float *__restrict__ now, float *__restrict__ other,
                       const float *__restrict__ speed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        i = y * WIDTH + x;
    if (x < 2 || y < 2 || x >= WIDTH - 2 || y >= HEIGHT - 2)
        return;
    float c = now[i];
    other[i] = 2 * c - other[i] +
               speed[i] * fourth(c, now[i - 1], now[i - 2], now[i + 1], now[i + 2], now[i - WIDTH],
                                 now[i - 2 * WIDTH], now[i + WIDTH], now[i + 2 * WIDTH]);
}

__global__ void tile(const float *__restrict__ now, float *__restrict__ other,
                     const float *__restrict__ speed)
{
    __shared__ float t[20][36];
    int left = blockIdx.x * 32 - 2, top = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
        int r = top + i / 36, c = left + i % 36;
        t[i / 36][i % 36] = r >= 0 && c >= 0 && r < HEIGHT && c < WIDTH ? now[r * WIDTH + c] : 0;
    }
    __syncthreads();
    int x = left + 2 + threadIdx.x, y = top + 2 + threadIdx.y, i = y * WIDTH + x,
        a = threadIdx.x + 2, b = threadIdx.y + 2;
    if (x < 2 || y < 2 || x >= WIDTH - 2 || y >= HEIGHT - 2)
        return;
    float c = t[b][a];
    other[i] = 2 * c - other[i] +
               speed[i] * fourth(c, t[b][a - 1], t[b][a - 2], t[b][a + 1], t[b][a + 2], t[b - 1][a],
                                 t[b - 2][a], t[b + 1][a], t[b + 2][a]);
}

// second order, two steps: a block makes 28 x 28 of 32 x 32; outside is 0
__global__ void two_steps(const float *__restrict__ now, const float *__restrict__ before,
                          float *__restrict__ then, float *__restrict__ later, float k)
{
    __shared__ float t[34][35], s[34][35];
    int a = threadIdx.x + 1, b = threadIdx.y + 1, x = blockIdx.x * 28 - 2 + (int)threadIdx.x,
        y = blockIdx.y * 28 - 2 + (int)threadIdx.y;
    bool inside = x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;
    float mine = inside ? now[y * WIDTH + x] : 0, old = inside ? before[y * WIDTH + x] : 0;
    t[b][a] = mine;
    if (threadIdx.x == 0)
        t[b][0] = t[b][33] = 0;
    if (threadIdx.y == 0)
        t[0][a] = t[33][a] = 0;
    __syncthreads();
    float first = inside
                      ? 2 * mine - old +
                            k * (t[b][a - 1] + t[b][a + 1] + t[b - 1][a] + t[b + 1][a] - 4 * mine)
                      : 0;
    s[b][a] = first;
    __syncthreads();
    if (!inside || threadIdx.x < 2 || threadIdx.y < 2 || threadIdx.x >= 30 || threadIdx.y >= 30)
        return;
    then[y * WIDTH + x] = first;
    later[y * WIDTH + x] =
        2 * first - mine + k * (s[b][a - 1] + s[b][a + 1] + s[b - 1][a] + s[b + 1][a] - 4 * first);
}

// pairs along a row
__global__ void halves(const __half2 *__restrict__ now, __half2 *__restrict__ other, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, pitch = WIDTH / 2,
        i = y * pitch + x;
    if (x < 1 || y < 1 || x >= pitch - 1 || y >= HEIGHT - 1)
        return;
    __half2 c = now[i], left = __halves2half2(__high2half(now[i - 1]), __low2half(c));
    __half2 right = __halves2half2(__high2half(c), __low2half(now[i + 1]));
    __half2 sum = __hadd2(__hadd2(left, right), __hadd2(now[i - pitch], now[i + pitch]));
    __half2 lap = __hfma2(c, __float2half2_rn(-4), sum);
    other[i] = __hfma2(__float2half2_rn(k), lap, __hsub2(__hadd2(c, c), other[i]));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const float k = 0.2f;
    Lcg random(307);
    std::vector<float> nows(COUNT), befores(COUNT), speeds = random.floats(COUNT, 0.1f, 0.3f);
    std::vector<__half> half_nows(COUNT), half_befores(COUNT);
    for (int i = 0; i < COUNT; i++) {
        nows[i] = random.below(256) / 256.f;
        befores[i] = random.below(256) / 256.f;
        half_nows[i] = __float2half(nows[i]);
        half_befores[i] = __float2half(befores[i]);
    }
    float *now = copy(nows), *before = copy(befores), *other = room<float>(COUNT),
          *speed = copy(speeds), *then = room<float>(COUNT);
    __half *half_now = copy(half_nows), *half_other = room<__half>(COUNT);
    auto reset = [&] { put(other, befores); };
    auto check = [&] {
        return differ(other, COUNT, 7, 1e-5, [&](size_t i) {
            int x = i % WIDTH, y = i / WIDTH;
            if (x < 2 || y < 2 || x >= WIDTH - 2 || y >= HEIGHT - 2)
                return befores[i];
            const float *n = &nows[i];
            return 2 * n[0] - befores[i] +
                   speeds[i] * fourth(n[0], n[-1], n[-2], n[1], n[2], n[-WIDTH], n[-2 * WIDTH],
                                      n[WIDTH], n[2 * WIDTH]);
        });
    };
    variant(
        "direct", "direct", reset,
        [&] { direct<<<dim3(WIDTH / 128, HEIGHT / 2), dim3(128, 2)>>>(now, other, speed); }, check);
    variant(
        "tile", "tile", reset,
        [&] { tile<<<dim3(WIDTH / 32, HEIGHT / 16), dim3(32, 16)>>>(now, other, speed); }, check);
    variant(
        "two_steps", "two_steps", [&] { fill(then, COUNT, 0xff), fill(other, COUNT, 0xff); },
        [&] {
            two_steps<<<dim3((WIDTH + 27) / 28, (HEIGHT + 27) / 28), dim3(32, 32)>>>(
                now, before, then, other, k);
        },
        [&] {
            auto at = [&](const std::vector<float> &f, int x, int y) {
                return x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT ? 0.f : f[y * WIDTH + x];
            };
            auto step = [&](const std::vector<float> &f, const std::vector<float> &old, int x,
                            int y) {
                return 2 * at(f, x, y) - at(old, x, y) +
                       k * (at(f, x - 1, y) + at(f, x + 1, y) + at(f, x, y - 1) + at(f, x, y + 1) -
                            4 * at(f, x, y));
            };
            std::vector<float> first(COUNT);
            for (int i = 0; i < COUNT; i++)
                first[i] = step(nows, befores, i % WIDTH, i / WIDTH);
            return differ(then, COUNT, 5, 1e-5, [&](size_t i) { return first[i]; }) +
                   differ(other, COUNT, 5, 1e-5,
                          [&](size_t i) { return step(first, nows, i % WIDTH, i / WIDTH); });
        });
    variant(
        "half", "halves", [&] { put(half_other, half_befores); },
        [&] {
            halves<<<dim3(WIDTH / 256, HEIGHT), 128>>>((const __half2 *)half_now,
                                                       (__half2 *)half_other, k);
        },
        [&] {
            std::vector<__half> got = fetch(half_other, COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 7) {
                int x = i % WIDTH, y = i / WIDTH;
                bool inside = x >= 2 && y >= 1 && x < WIDTH - 2 && y < HEIGHT - 1;
                float e = inside ? 2 * nows[i] - befores[i] +
                                       k * (nows[i - 1] + nows[i + 1] + nows[i - WIDTH] +
                                            nows[i + WIDTH] - 4 * nows[i])
                                 : befores[i];
                bad += !near(__half2float(got[i]), e, 1e-2);
            }
            return bad;
        });
    return finish();
}
