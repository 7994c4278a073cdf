// Rotary embedding of queries: neighbours by a table, halves of a head by a table, angles computed
// with powf and sincosf, half precision with fast functions.
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

constexpr int TOKENS = 3072, HEADS = 16, WIDTH = 128;

// a block is a token
__global__ void rotate_pairs(float2 *__restrict__ q, const float2 *__restrict__ table)
{
    int token = blockIdx.x;
    for (int i = threadIdx.x; i < HEADS * WIDTH / 2; i += blockDim.x) {
        float2 v = q[token * (HEADS * WIDTH / 2) + i],
               angle = table[token * (WIDTH / 2) + i % (WIDTH / 2)];
        q[token * (HEADS * WIDTH / 2) + i] =
            make_float2(v.x * angle.x - v.y * angle.y, v.x * angle.y + v.y * angle.x);
    }
}

__global__ void rotate_halves(float *__restrict__ q, const float2 *__restrict__ table)
{
    int token = blockIdx.x, pair = threadIdx.x;
    float2 angle = table[token * (WIDTH / 2) + pair];
    for (int head = threadIdx.y; head < HEADS; head += blockDim.y) {
        float *mine = q + ((size_t)token * HEADS + head) * WIDTH + pair;
        float a = mine[0], b = mine[WIDTH / 2];
        mine[0] = a * angle.x - b * angle.y;
        mine[WIDTH / 2] = a * angle.y + b * angle.x;
    }
}

__global__ void rotate_computed(float2 *q, float base, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int pair = i % (WIDTH / 2), token = i / (HEADS * WIDTH / 2);
    float s, c;
    sincosf(token * powf(base, -2.f * pair / WIDTH), &s, &c);
    float2 v = q[i];
    q[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

__global__ void rotate_fast(__half2 *q, float log_base, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int pair = i % (WIDTH / 2), token = i / (HEADS * WIDTH / 2) % 64;
    float s, c;
    __sincosf(token * __expf(-2.f * pair / WIDTH * log_base), &s, &c);
    float2 v = __half22float2(q[i]);
    q[i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t count = (size_t)TOKENS * HEADS * WIDTH;
    Lcg random(103);
    std::vector<float> values = random.floats(count, -1, 1);
    std::vector<__half> halves(count);
    std::vector<float2> angles(TOKENS * WIDTH / 2);
    for (size_t i = 0; i < count; i++)
        halves[i] = __float2half(values[i]);
    auto angle = [&](int token, int pair) {
        return token * std::pow(10000.0, -2.0 * pair / WIDTH);
    };
    for (int t = 0; t < TOKENS; t++)
        for (int p = 0; p < WIDTH / 2; p++)
            angles[t * (WIDTH / 2) + p] = make_float2(std::cos(angle(t, p)), std::sin(angle(t, p)));
    float *q = room<float>(count);
    __half *h = room<__half>(count);
    float2 *table = copy(angles);
    auto reset = [&] { put(q, values); };
    auto rotated = [&](size_t i, int token, int pair, size_t other, bool second) {
        double a = angle(token, pair), c = std::cos(a), s = std::sin(a);
        return second ? values[other] * s + values[i] * c : values[i] * c - values[other] * s;
    };
    auto pairs = [&](size_t i) {
        return rotated(i, i / (HEADS * WIDTH), i % WIDTH / 2, i ^ 1, i % 2);
    };
    variant(
        "pairs", "rotate_pairs", reset, [&] { rotate_pairs<<<TOKENS, 256>>>((float2 *)q, table); },
        [&] { return differ(q, count, 31, 1e-4, pairs); });
    variant(
        "halves", "rotate_halves", reset, [&] { rotate_halves<<<TOKENS, dim3(64, 4)>>>(q, table); },
        [&] {
            return differ(q, count, 31, 1e-4, [&](size_t i) {
                return rotated(i, i / (HEADS * WIDTH), i % (WIDTH / 2), i ^ (WIDTH / 2),
                               i / (WIDTH / 2) % 2);
            });
        });
    variant(
        "computed", "rotate_computed", reset,
        [&] { rotate_computed<<<count / 2 / 256, 256>>>((float2 *)q, 10000, count / 2); },
        [&] { return differ(q, count, 31, 2e-3, pairs); });
    variant(
        "fast", "rotate_fast", [&] { put(h, halves); },
        [&] { rotate_fast<<<count / 2 / 128, 128>>>((__half2 *)h, logf(10000), count / 2); },
        [&] {
            std::vector<__half> got = fetch(h, count);
            long bad = 0;
            for (size_t i = 0; i < count; i += 61)
                bad +=
                    !near(__half2float(got[i]),
                          rotated(i, i / (HEADS * WIDTH) % 64, i % WIDTH / 2, i ^ 1, i % 2), 1e-2);
            return bad;
        });
    return finish();
}
