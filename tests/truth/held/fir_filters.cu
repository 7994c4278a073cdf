// Filters of signals: 63 taps from constant memory, taps and signal in shared memory with four
// outputs a thread, a rate lowered by eight, second-order sections of many channels.
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

constexpr int TAPS = 63;
__constant__ float H[TAPS + 1];

__global__ void direct(const float *__restrict__ in, float *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
#pragma unroll 9
    for (int k = 0; k < TAPS; k++)
        sum += H[k] * (i >= k ? in[i - k] : 0);
    out[i] = sum;
}

// 128 threads make 512
__global__ void four_each(const float *__restrict__ in, const float *__restrict__ taps,
                          float4 *__restrict__ out)
{
    __shared__ float x[576], h[64];
    int first = blockIdx.x * 512 - 64, t = threadIdx.x;
    if (t < 64)
        h[t] = taps[t];
    for (int i = t; i < 576; i += 128)
        x[i] = first + i >= 0 ? in[first + i] : 0;
    __syncthreads();
    float sum[4] = {}, window[4];
    for (int k = 0; k < 4; k++)
        window[k] = x[64 + 4 * t + k];
#pragma unroll 16
    for (int k = 0; k < 64; k++) {
        float by = h[k];
#pragma unroll
        for (int n = 0; n < 4; n++)
            sum[n] += by * window[n];
        window[3] = window[2];
        window[2] = window[1];
        window[1] = window[0];
        window[0] = x[63 + 4 * t - k];
    }
    out[blockIdx.x * 128 + t] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

__global__ void lowered(const float *__restrict__ in, float *__restrict__ out, int count)
{
    __shared__ float x[8][128 + 8];
    int first = blockIdx.x * 1024 - 64, t = threadIdx.x;
    for (int i = t; i < 1024 + 64; i += 128)
        x[i % 8][i / 8] = first + i >= 0 ? in[first + i] : 0;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        int at = 64 - k;
        sum += H[k] * x[at % 8][at / 8 + t];
    }
    if (blockIdx.x * 128 + t < count)
        out[blockIdx.x * 128 + t] = sum;
}

struct Section {
    float b0, b1, b2, a1, a2;
};

// a thread is a channel; samples of all channels side by side; four sections
__global__ void sections(const float *__restrict__ in, float *__restrict__ out, int channels,
                         int samples, Section s0, Section s1, Section s2, Section s3)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels)
        return;
    Section s[4] = {s0, s1, s2, s3};
    float u[4] = {}, v[4] = {};
    for (int i = 0; i < samples; i++) {
        float x = in[(size_t)i * channels + c];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float y = s[k].b0 * x + u[k];
            u[k] = s[k].b1 * x - s[k].a1 * y + v[k];
            v[k] = s[k].b2 * x - s[k].a2 * y;
            x = y;
        }
        out[(size_t)i * channels + c] = x;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 21, many = 1 << 22, channels = 16384, samples = 128;
    Lcg random(367);
    std::vector<float> signal = random.floats(many, -1, 1), taps(64);
    for (int k = 0; k < TAPS; k++)
        taps[k] = std::sin(0.3f * (k - 31.5f)) / (k - 31.5f);
    must(cudaMemcpyToSymbol(H, taps.data(), 64 * sizeof(float)));
    const Section s[4] = {{0.2f, 0.4f, 0.2f, -0.5f, 0.3f},
                          {0.3f, 0.1f, 0.3f, 0.2f, 0.1f},
                          {0.5f, -0.2f, 0.1f, -0.3f, 0.2f},
                          {0.4f, 0, -0.4f, 0.1f, -0.2f}};
    float *in = copy(signal), *tap = copy(taps), *out = room<float>(many);
    auto wiped = [&] { fill(out, many, 0xff); };
    auto filtered = [&](long i) {
        double sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += i >= k ? (double)taps[k] * signal[i - k] : 0;
        return sum;
    };
    variant(
        "direct", "direct", wiped, [&] { direct<<<count / 256, 256>>>(in, out, count); },
        [&] { return differ(out, count, 13, 1e-4, filtered); });
    variant(
        "four", "four_each", wiped,
        [&] { four_each<<<count / 512, 128>>>(in, tap, (float4 *)out); },
        [&] { return differ(out, count, 13, 1e-4, filtered); });
    variant(
        "lowered", "lowered", wiped, [&] { lowered<<<many / 1024, 128>>>(in, out, many / 8); },
        [&] { return differ(out, many / 8, 7, 1e-4, [&](size_t i) { return filtered(8 * i); }); });
    variant(
        "sections", "sections", wiped,
        [&] {
            sections<<<channels / 64, 64>>>(in, out, channels, samples, s[0], s[1], s[2], s[3]);
        },
        [&] {
            std::vector<float> got = fetch(out, channels * samples);
            long bad = 0;
            for (int c = 0; c < channels; c += 31) {
                double u[4] = {}, v[4] = {};
                for (int i = 0; i < samples; i++) {
                    double x = signal[i * channels + c];
                    for (int k = 0; k < 4; k++) {
                        double y = s[k].b0 * x + u[k];
                        u[k] = s[k].b1 * x - s[k].a1 * y + v[k];
                        v[k] = s[k].b2 * x - s[k].a2 * y;
                        x = y;
                    }
                    bad += !near(got[i * channels + c], x, 1e-4);
                }
            }
            return bad;
        });
    return finish();
}
