// Pictures of few colours: a threshold that differs from place to place, errors handed on to
// neighbours by a block that goes over the picture aslant and by a warp a picture, the nearest of
// 64 colours kept in constant and in shared memory.
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

constexpr int WIDE = 2048, HIGH = 1024, COLOURS = 64, MATCHED = WIDE * HIGH / 4;

__constant__ uint8_t thresholds[64];
__constant__ float4 palette[COLOURS];

// 32 points a thread: a bit each
__global__ void ordered(const uint8_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / (WIDE / 32);
    const uint4 *from = (const uint4 *)(in + i * 32);
    uint32_t word = 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        uint4 v = from[h];
        const uint32_t four[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < 16; k++)
            word |= (uint32_t)((four[k / 4] >> k % 4 * 8 & 255) > thresholds[y % 8 * 8 + k % 8])
                    << (h * 16 + k);
    }
    out[i] = word;
}

// Floyd and Steinberg in sixteenths: a point needs the one at its left and three above. A thread
// has every 256th row and is two points behind the thread of the row above.
constexpr int BLOCK_WIDE = 512, BLOCK_HIGH = 256;

__global__ void __launch_bounds__(BLOCK_HIGH)
    aslant(const uint8_t *__restrict__ in, uint8_t *__restrict__ out)
{
    // what a row gives to the row below
    __shared__ int16_t given[BLOCK_HIGH + 1][8];
    int t = threadIdx.x, right = 0, below[3] = {};
    const uint8_t *from = in + (blockIdx.x * BLOCK_HIGH + t) * BLOCK_WIDE;
    uint8_t *to = out + (blockIdx.x * BLOCK_HIGH + t) * BLOCK_WIDE;
    if (t == 0)
        for (int k = 0; k < 8; k++)
            given[0][k] = 0;
    __syncthreads();
    for (int step = 0; step < BLOCK_WIDE + 2 * BLOCK_HIGH; step++) {
        int x = step - 2 * t;
        if (x >= 0 && x < BLOCK_WIDE) {
            int value = from[x] * 16 + right + given[t][x % 8], white = value >= 128 * 16;
            int error = (value - white * 255 * 16) / 16;
            to[x] = white * 255;
            right = error * 7;
            below[0] += error * 3, below[1] += error * 5, below[2] = error;
            // no more is added to what is below the point at the left
            if (x > 0)
                given[t + 1][(x - 1) % 8] = below[0];
            if (x == BLOCK_WIDE - 1)
                given[t + 1][x % 8] = below[1];
            below[0] = below[1], below[1] = below[2], below[2] = 0;
        }
        __syncthreads();
    }
}

// the same with pictures of 32 rows: a lane a row, errors by shuffles
__global__ void __launch_bounds__(32)
    aslant_warp(const uint8_t *__restrict__ in, uint8_t *__restrict__ out)
{
    int lane = threadIdx.x, right = 0, b0 = 0, b1 = 0, done = 0;
    const uint8_t *from = in + (blockIdx.x * 32 + lane) * BLOCK_WIDE;
    uint8_t *to = out + (blockIdx.x * 32 + lane) * BLOCK_WIDE;
    for (int step = 0; step < BLOCK_WIDE + 2 * 32; step++) {
        int x = step - 2 * lane, above = __shfl_up_sync(~0u, done, 1);
        if (lane == 0)
            above = 0;
        done = 0;
        if (x >= 0 && x < BLOCK_WIDE) {
            int value = from[x] * 16 + right + above, white = value >= 128 * 16;
            int error = (value - white * 255 * 16) / 16;
            to[x] = white * 255;
            right = error * 7;
            done = b0 + error * 3; // below the point at the left
            b0 = b1 + error * 5, b1 = error;
        } else if (x == BLOCK_WIDE)
            done = b0;
    }
}

__device__ inline int nearest(const float4 *colours, uchar4 p)
{
    float best = 1e30f;
    int which = 0;
#pragma unroll 4
    for (int k = 0; k < COLOURS; k++) {
        float4 c = colours[k];
        float r = p.x - c.x, g = p.y - c.y, b = p.z - c.z, d = 2 * r * r + 4 * g * g + 3 * b * b;
        if (d < best)
            best = d, which = k;
    }
    return which;
}

__global__ void palette_constant(const uchar4 *__restrict__ in, uint8_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = nearest(palette, in[i]);
}

__global__ void palette_shared(const uchar4 *__restrict__ in, const float4 *__restrict__ colours,
                               uint8_t *__restrict__ out)
{
    __shared__ float4 own[COLOURS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < COLOURS)
        own[threadIdx.x] = colours[threadIdx.x];
    __syncthreads();
    out[i] = nearest(own, in[i]);
}

// whole pictures one below the other
static std::vector<uint8_t> diffused(const std::vector<uint8_t> &in, int high)
{
    std::vector<uint8_t> out(in.size());
    std::vector<int> now(BLOCK_WIDE + 2), next(BLOCK_WIDE + 2);
    for (size_t row = 0; row < in.size() / BLOCK_WIDE; row++) {
        if (row % high == 0)
            std::fill(now.begin(), now.end(), 0);
        std::fill(next.begin(), next.end(), 0);
        int right = 0;
        for (int x = 0; x < BLOCK_WIDE; x++) {
            int value = in[row * BLOCK_WIDE + x] * 16 + right + now[x + 1];
            int white = value >= 128 * 16, error = (value - white * 255 * 16) / 16;
            out[row * BLOCK_WIDE + x] = white * 255;
            right = error * 7, next[x] += error * 3, next[x + 1] += error * 5, next[x + 2] += error;
        }
        now.swap(next);
    }
    return out;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(277);
    const int count = WIDE * HIGH;
    uint8_t table[64];
    for (int i = 0; i < 64; i++) {
        int x = i % 8, y = i / 8, value = 0;
        for (int k = 0; k < 3; k++)
            value = value << 2 | ((x ^ y) >> k & 1) << 1 | (y >> k & 1);
        table[i] = value * 4 + 2;
    }
    std::vector<float4> colours(COLOURS);
    for (float4 &c : colours)
        c = make_float4(random.below(256), random.below(256), random.below(256), 0);
    must(cudaMemcpyToSymbol(thresholds, table, sizeof table));
    must(cudaMemcpyToSymbol(palette, colours.data(), sizeof palette));
    std::vector<uint8_t> grey(count), coloured(MATCHED * 4);
    for (int i = 0; i < count; i++)
        grey[i] = 127 + 100 * sinf(i % WIDE * 0.01f) * cosf(i / WIDE * 0.013f) + random.below(20);
    for (uint8_t &p : coloured)
        p = random.next() >> 24;
    uint8_t *G = copy(grey), *out = room<uint8_t>(count);
    uchar4 *C = (uchar4 *)copy(coloured);
    float4 *P = copy(colours);
    auto wiped = [&] { fill(out, count, 0x77); };
    auto check = [&](int high) {
        std::vector<uint8_t> want = diffused(grey, high);
        return differ(out, count, 1, 0, [&](size_t i) { return want[i]; });
    };
    auto matched = [&] {
        return differ(out, MATCHED, 5, 0, [&](size_t i) {
            int best = 1 << 30, which = 0;
            for (int k = 0; k < COLOURS; k++) {
                int r = coloured[4 * i] - (int)colours[k].x,
                    g = coloured[4 * i + 1] - (int)colours[k].y,
                    b = coloured[4 * i + 2] - (int)colours[k].z,
                    d = 2 * r * r + 4 * g * g + 3 * b * b;
                if (d < best)
                    best = d, which = k;
            }
            return which;
        });
    };
    variant(
        "ordered", "ordered", wiped,
        [&] { ordered<<<count / 32 / 128, 128>>>(G, (uint32_t *)out); },
        [&] {
            std::vector<uint32_t> got = fetch((uint32_t *)out, count / 32);
            long bad = 0;
            for (int i = 0; i < count; i++)
                bad += (got[i / 32] >> i % 32 & 1) != (grey[i] > table[i / WIDE % 8 * 8 + i % 8]);
            return bad;
        });
    variant(
        "aslant", "aslant", wiped,
        [&] { aslant<<<count / (BLOCK_WIDE * BLOCK_HIGH), BLOCK_HIGH>>>(G, out); },
        [&] { return check(BLOCK_HIGH); });
    variant(
        "aslant_warp", "aslant_warp", wiped,
        [&] { aslant_warp<<<count / (BLOCK_WIDE * 32), 32>>>(G, out); }, [&] { return check(32); });
    variant(
        "palette_constant", "palette_constant", wiped,
        [&] { palette_constant<<<MATCHED / 256, 256>>>(C, out); }, matched);
    variant(
        "palette_shared", "palette_shared", wiped,
        [&] { palette_shared<<<MATCHED / 256, 256>>>(C, P, out); }, matched);
    return finish();
}
