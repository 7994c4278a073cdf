// Convolutions of other shapes: eight groups of eight channels with a thread a point and its eight
// results, a dilated 3 x 3 over 16 channels, a transposed 4 x 4 of stride two, and a causal one
// along time with four taps and SiLU for each channel.
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

constexpr int SIDE = 56, IMAGES = 8, GROUPS = 8, CHANNELS = 64;

// a block has 192 points of one group of one image; weights in shared memory
__global__ void __launch_bounds__(192)
    groups8(const float *__restrict__ in, const float *__restrict__ weights,
            float *__restrict__ out)
{
    __shared__ float w[8 * 8 * 9];
    int g = blockIdx.y, image = blockIdx.z, p = blockIdx.x * 192 + threadIdx.x;
    for (int i = threadIdx.x; i < 576; i += 192)
        w[i] = weights[g * 576 + i];
    __syncthreads();
    if (p >= SIDE * SIDE)
        return;
    int y = p / SIDE, x = p % SIDE;
    float sum[8] = {};
    for (int c = 0; c < 8; c++) {
        const float *plane = in + (image * CHANNELS + g * 8 + c) * SIDE * SIDE;
#pragma unroll
        for (int k = 0; k < 9; k++) {
            int yy = y + k / 3 - 1, xx = x + k % 3 - 1;
            float v = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE ? plane[yy * SIDE + xx] : 0.f;
#pragma unroll
            for (int o = 0; o < 8; o++)
                sum[o] += v * w[(c * 9 + k) * 8 + o];
        }
    }
#pragma unroll
    for (int o = 0; o < 8; o++)
        out[(image * CHANNELS + g * 8 + o) * SIDE * SIDE + p] = sum[o];
}

constexpr int WIDE = 256, HIGH = 128, PLANES = 16;
__constant__ float DILATED[PLANES * 9];

// one result plane from 16 planes, steps of two between the taps
__global__ void dilated(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, image = blockIdx.z;
    float sum = 0;
    for (int c = 0; c < PLANES; c++) {
        const float *plane = in + (image * PLANES + c) * WIDE * HIGH;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int yy = y + 2 * dy, xx = x + 2 * dx;
                if (yy >= 0 && yy < HIGH && xx >= 0 && xx < WIDE)
                    sum += plane[yy * WIDE + xx] * DILATED[c * 9 + dy * 3 + dx + 4];
            }
    }
    out[(image * HIGH + y) * WIDE + x] = sum;
}

// twice as large; 16 planes in, four planes out
__global__ void __launch_bounds__(256)
    transposed(const float *__restrict__ in, const float *__restrict__ weights,
               float *__restrict__ out)
{
    extern __shared__ float kernel[]; // 16 x 16 of one result plane
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, o = blockIdx.z;
    int t = threadIdx.y * 64 + threadIdx.x;
    kernel[t] = weights[o * 256 + t];
    __syncthreads();
    float sum = 0;
    int ky = (y + 1) % 2, kx = (x + 1) % 2, iy = (y + 1 - ky) / 2, ix = (x + 1 - kx) / 2;
    for (int c = 0; c < PLANES; c++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                int yy = iy - a, xx = ix - b;
                if (yy >= 0 && yy < HIGH && xx >= 0 && xx < WIDE)
                    sum += in[(c * HIGH + yy) * WIDE + xx] *
                           kernel[c * 16 + (ky + 2 * a) * 4 + kx + 2 * b];
            }
    out[(o * 2 * HIGH + y) * 2 * WIDE + x] = sum;
}

constexpr int TIME = 2048, FEATURES = 1536;

// channels side by side; a thread follows a channel for 64 steps
__global__ void causal(const float *__restrict__ in, const float4 *__restrict__ weights,
                       float *__restrict__ out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, begin = blockIdx.y * 64;
    float4 w = weights[c];
    float a = 0, b = 0, d = 0; // the three steps before
    if (begin) {
        a = in[(begin - 3) * FEATURES + c];
        b = in[(begin - 2) * FEATURES + c];
        d = in[(begin - 1) * FEATURES + c];
    }
#pragma unroll 4
    for (int t = begin; t < begin + 64; t++) {
        float v = in[t * FEATURES + c], s = a * w.x + b * w.y + d * w.z + v * w.w;
        a = b, b = d, d = v;
        out[t * FEATURES + c] = s / (1 + __expf(-s));
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(41);
    const int first = IMAGES * CHANNELS * SIDE * SIDE, second = 4 * PLANES * WIDE * HIGH,
              fourth = TIME * FEATURES, big = 4 * 4 * WIDE * HIGH;
    std::vector<float> a = random.floats(first, -1, 1), wa = random.floats(GROUPS * 576, -1, 1),
                       b = random.floats(second, -1, 1), wb = random.floats(PLANES * 9, -1, 1),
                       wc = random.floats(4 * 256, -1, 1), d = random.floats(fourth, -1, 1),
                       wd = random.floats(FEATURES * 4, -1, 1);
    must(cudaMemcpyToSymbol(DILATED, wb.data(), sizeof(float) * PLANES * 9));
    float *A = copy(a), *WA = copy(wa), *B = copy(b), *WC = copy(wc), *D = copy(d), *WD = copy(wd),
          *out = room<float>(fourth);
    auto wiped = [&] { fill(out, fourth, 0xff); };
    variant(
        "groups8", "groups8", wiped,
        [&] { groups8<<<dim3((SIDE * SIDE + 191) / 192, GROUPS, IMAGES), 192>>>(A, WA, out); },
        [&] {
            return differ(out, first, 37, 1e-4, [&](size_t i) {
                int p = i % (SIDE * SIDE), plane = i / (SIDE * SIDE), o = plane % 8,
                    g = plane / 8 % GROUPS;
                double sum = 0;
                for (int c = 0; c < 8; c++)
                    for (int k = 0; k < 9; k++) {
                        int y = p / SIDE + k / 3 - 1, x = p % SIDE + k % 3 - 1;
                        if (y >= 0 && y < SIDE && x >= 0 && x < SIDE)
                            sum += a[((plane / 8 * 8 + c) * SIDE + y) * SIDE + x] *
                                   wa[g * 576 + (c * 9 + k) * 8 + o];
                    }
                return sum;
            });
        });
    variant(
        "dilated", "dilated", wiped,
        [&] { dilated<<<dim3(WIDE / 32, HIGH / 4, 4), dim3(32, 4)>>>(B, out); },
        [&] {
            return differ(out, 4 * WIDE * HIGH, 7, 1e-4, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE % HIGH, image = i / WIDE / HIGH;
                double sum = 0;
                for (int c = 0; c < PLANES; c++)
                    for (int k = 0; k < 9; k++) {
                        int yy = y + (k / 3 - 1) * 2, xx = x + (k % 3 - 1) * 2;
                        if (yy >= 0 && yy < HIGH && xx >= 0 && xx < WIDE)
                            sum +=
                                b[((image * PLANES + c) * HIGH + yy) * WIDE + xx] * wb[c * 9 + k];
                    }
                return sum;
            });
        });
    variant(
        "transposed", "transposed", wiped,
        [&] {
            transposed<<<dim3(2 * WIDE / 64, 2 * HIGH / 4, 4), dim3(64, 4), 1024>>>(B, WC, out);
        },
        [&] {
            return differ(out, big, 13, 1e-4, [&](size_t i) {
                int x = i % (2 * WIDE), y = i / (2 * WIDE) % (2 * HIGH), o = i / (4 * WIDE * HIGH);
                double sum = 0;
                for (int c = 0; c < PLANES; c++)
                    for (int ky = 0; ky < 4; ky++)
                        for (int kx = 0; kx < 4; kx++) {
                            int yy = y + 1 - ky, xx = x + 1 - kx;
                            if (yy % 2 || xx % 2 || yy < 0 || xx < 0 || yy >= 2 * HIGH ||
                                xx >= 2 * WIDE)
                                continue;
                            sum += b[(c * HIGH + yy / 2) * WIDE + xx / 2] *
                                   wc[o * 256 + c * 16 + ky * 4 + kx];
                        }
                return sum;
            });
        });
    variant(
        "causal", "causal", wiped,
        [&] { causal<<<dim3(FEATURES / 96, TIME / 64), 96>>>(D, (float4 *)WD, out); },
        [&] {
            return differ(out, fourth, 5, 1e-4, [&](size_t i) {
                int c = i % FEATURES, t = i / FEATURES;
                double s = 0;
                for (int k = 0; k < 4; k++)
                    if (t - 3 + k >= 0)
                        s += d[(t - 3 + k) * FEATURES + c] * wd[c * 4 + k];
                return s / (1 + std::exp(-s));
            });
        });
    return finish();
}
