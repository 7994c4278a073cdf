// Sound: pitch by sums of products, plucked strings whose delay lines are in shared memory, an echo
// of eight combs and four all-passes with a voice in each thread, a cosine transform of frames
// that overlap, and grains added up where they meet.
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

constexpr int FRAME = 512, LAGS = 256;

// a block a frame: a thread a lag, and four samples at once
__global__ void __launch_bounds__(LAGS)
    pitch(const float *__restrict__ sound, float *__restrict__ out)
{
    __shared__ float frame[FRAME + LAGS];
    const float *mine = sound + blockIdx.x * FRAME;
    for (int k = threadIdx.x; k < FRAME + LAGS; k += LAGS)
        frame[k] = mine[k];
    __syncthreads();
    float sum = 0, power = 1e-6f;
    int lag = threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < FRAME; k++) {
        float a = frame[k], b = frame[k + lag];
        sum += a * b, power += b * b;
    }
    out[blockIdx.x * LAGS + lag] = sum * rsqrtf(power);
}

// lane by lane a string: one sample after the other
__host__ __device__ inline float plucked(float *line, int stride, int length, float loss,
                                         int samples)
{
    float before = 0, sum = 0;
    int at = 0;
    for (int k = 0; k < samples; k++) {
        float v = line[at * stride], next = loss * (0.5f * v + 0.5f * before);
        line[at * stride] = next, before = v;
        at = at + 1 == length ? 0 : at + 1;
        sum += k % 16 == 0 ? v : 0;
    }
    return sum + before;
}

constexpr int LONGEST = 160;

__global__ void __launch_bounds__(32)
    strings(const float *__restrict__ noise, const int *__restrict__ lengths,
            float *__restrict__ out, int samples)
{
    __shared__ float lines[LONGEST * 32];
    int s = blockIdx.x * 32 + threadIdx.x, length = lengths[s];
    for (int k = 0; k < length; k++)
        lines[k * 32 + threadIdx.x] = noise[k * gridDim.x * 32 + s];
    out[s] = plucked(lines + threadIdx.x, 32, length, 0.99f, samples);
}

struct Echo {
    int delay[12]; // eight combs, four all-passes
};

// lines of delay of all voices side by side in global memory
__host__ __device__ inline void echo(const Echo &e, const float *in, float *lines, float *out,
                                     int voices, int samples)
{
    int at[12] = {}, base[12], room = 0;
    for (int k = 0; k < 12; k++)
        base[k] = room, room += e.delay[k];
    float dull[8] = {};
    for (int s = 0; s < samples; s++) {
        float x = in[s * voices], sum = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float *p = lines + (base[k] + at[k]) * (size_t)voices;
            float v = *p;
            sum += v;
            dull[k] = 0.8f * v + 0.2f * dull[k];
            *p = x + 0.7f * dull[k];
            at[k] = at[k] + 1 == e.delay[k] ? 0 : at[k] + 1;
        }
#pragma unroll
        for (int k = 8; k < 12; k++) {
            float *p = lines + (base[k] + at[k]) * (size_t)voices;
            float v = *p, y = v - sum;
            *p = sum + 0.5f * v;
            sum = y;
            at[k] = at[k] + 1 == e.delay[k] ? 0 : at[k] + 1;
        }
        out[s * voices] = sum;
    }
}

__global__ void __launch_bounds__(32) echoes(Echo e, const float *__restrict__ in, float *lines,
                                             float *__restrict__ out, int voices, int samples)
{
    int v = blockIdx.x * 32 + threadIdx.x;
    echo(e, in + v, lines + v, out + v, voices, samples);
}

constexpr int HALF = 128; // coefficients of a frame of 256

// folded by windows to 128 values, then a transform by a table of cosines that repeats
__global__ void __launch_bounds__(HALF)
    cosines(const float *__restrict__ sound, const float *__restrict__ window,
            const float *__restrict__ table, float *__restrict__ out)
{
    __shared__ float folded[HALF], turns[8 * HALF];
    const float *mine = sound + blockIdx.x * HALF;
    int k = threadIdx.x, q = HALF / 2;
    for (int i = k; i < 8 * HALF; i += HALF)
        turns[i] = table[i];
    auto at = [&](int i) { return mine[i] * window[i]; };
    folded[k] = k < q ? -at(3 * q - 1 - k) - at(3 * q + k) : at(k - q) - at(3 * q - 1 - k);
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int n = 0; n < HALF; n++)
        sum += folded[n] * turns[(2 * n + 1) * (2 * k + 1) & (8 * HALF - 1)];
    out[blockIdx.x * HALF + k] = sum;
}

struct Grain {
    int from, to, length;
    float pitch;
};

// each grain by a block, with a window, added by atomics
__global__ void grains(const Grain *__restrict__ list, const float *__restrict__ sound, float *out)
{
    Grain g = list[blockIdx.x];
    for (int k = threadIdx.x; k < g.length; k += blockDim.x) {
        float at = k * g.pitch, u = at - floorf(at);
        int i = g.from + (int)at;
        float v = sound[i] + u * (sound[i + 1] - sound[i]), w = sinpif((float)k / g.length);
        atomicAdd(out + g.to + k, v * w * w);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(89);
    const int frames = 2048, length = frames * FRAME + LAGS, plucks = 4096, samples = 1200,
              voices = 2048, played = 160, many = 6000, track = 1 << 18;
    std::vector<float> sound(length);
    for (int i = 0; i < length; i++)
        sound[i] =
            0.5f * sinf(i * 0.05f) + 0.3f * sinf(i * 0.031f + 1) + random.between(-0.2f, 0.2f);
    std::vector<float> noise = random.floats(plucks * LONGEST, -1, 1), window(2 * HALF),
                       table(8 * HALF), input = random.floats(voices * played, -1, 1);
    std::vector<int> lengths(plucks);
    for (int &l : lengths)
        l = 40 + random.below(LONGEST - 40);
    for (int k = 0; k < 2 * HALF; k++)
        window[k] = sin(3.141592653589793 * (k + 0.5) / (2 * HALF));
    // cos(pi / (4 HALF) (2 n + 1 + HALF) (2 k + 1)), folded: the shift is in the folding
    for (int k = 0; k < 8 * HALF; k++)
        table[k] = cos(3.141592653589793 * k / (4 * HALF));
    Echo e = {{55, 61, 67, 71, 76, 80, 83, 88, 30, 24, 18, 12}};
    std::vector<Grain> list(many);
    std::vector<double> want(track);
    for (Grain &g : list) {
        g = {(int)random.below(length - 2000), (int)random.below(track - 1000),
             200 + (int)random.below(700), random.between(0.5f, 2)};
        for (int k = 0; k < g.length; k++) {
            float at = k * g.pitch, u = at - std::floor(at),
                  w = std::sin(3.14159265f * k / g.length);
            const float *p = &sound[g.from + (int)at];
            float v = p[0] + u * (p[1] - p[0]);
            want[g.to + k] += v * w * w;
        }
    }
    int delays = 0;
    for (int d : e.delay)
        delays += d;
    float *S = copy(sound), *N = copy(noise), *W = copy(window), *T = copy(table), *I = copy(input),
          *lines = room<float>(voices * delays);
    float *out = room<float>(length);
    int *L = copy(lengths);
    Grain *G = copy(list);
    auto zero = [&] {
        fill(out, length, 0);
        fill(lines, voices * delays, 0);
    };
    variant(
        "pitch", "pitch", zero, [&] { pitch<<<frames / 4, LAGS>>>(S, out); },
        [&] {
            return differ(out, frames / 4 * LAGS, 61, 1e-3, [&](size_t i) {
                double sum = 0, power = 1e-6;
                for (size_t k = i / LAGS * FRAME; k < (i / LAGS + 1) * FRAME; k++)
                    sum += sound[k] * sound[k + i % LAGS],
                        power += sound[k + i % LAGS] * sound[k + i % LAGS];
                return sum / std::sqrt(power);
            });
        });
    variant(
        "strings", "strings", zero, [&] { strings<<<plucks / 32, 32>>>(N, L, out, samples); },
        [&] {
            return differ(out, plucks, 3, 1e-3, [&](size_t i) {
                std::vector<float> line(lengths[i]);
                for (int k = 0; k < lengths[i]; k++)
                    line[k] = noise[k * plucks + i];
                return plucked(line.data(), 1, lengths[i], 0.99f, samples);
            });
        });
    variant(
        "echoes", "echoes", zero,
        [&] { echoes<<<voices / 32, 32>>>(e, I, lines, out, voices, played); },
        [&] {
            std::vector<float> got = fetch(out, voices * played), line(delays), heard(played),
                               own(played);
            long bad = 0;
            for (int v = 0; v < voices; v += 5) {
                std::fill(line.begin(), line.end(), 0);
                for (int s = 0; s < played; s++)
                    own[s] = input[s * voices + v];
                echo(e, own.data(), line.data(), heard.data(), 1, played);
                for (int s = 0; s < played; s++)
                    bad += !near(got[s * voices + v], heard[s], 1e-3);
            }
            return bad;
        });
    variant(
        "cosines", "cosines", zero, [&] { cosines<<<frames, HALF>>>(S, W, T, out); },
        [&] {
            return differ(out, frames * HALF, 97, 2e-3, [&](size_t i) {
                double sum = 0;
                for (int n = 0; n < 2 * HALF; n++)
                    sum += (double)sound[i / HALF * HALF + n] * window[n] *
                           cos(3.141592653589793 / HALF * (n + 0.5 + HALF / 2) * (i % HALF + 0.5));
                return sum;
            });
        });
    variant(
        "grains", "grains", zero, [&] { grains<<<many, 128>>>(G, S, out); },
        [&] {
            std::vector<float> got = fetch(out, track, false);
            long bad = 0;
            for (int i = 0; i < track; i++)
                bad += !near(got[i], want[i], 2e-3);
            return bad;
        });
    return finish();
}
