// Wavelets: the 9/7 transform by lifting along rows in shared memory and along columns in
// registers, three levels of Haar within tiles, a transform with holes that keeps its size, and
// coefficients made small with a threshold found by a median of each block.
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

constexpr int WIDE = 2048, HIGH = 1024, COUNT = WIDE * HIGH;
constexpr float A = -1.586134342f, B = -0.05298011854f, C = 0.8829110762f, D = 0.4435068522f,
                SCALE = 1.149604398f;

__host__ __device__ inline int mirrored(int i, int size)
{
    return i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
}

// a block has 512 points of a row and eight more on both sides; low ones to the left, high ones
// right
__global__ void __launch_bounds__(256) rows97(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float line[528];
    int first = blockIdx.x * 512 - 8, y = blockIdx.y, t = threadIdx.x;
    for (int k = t; k < 528; k += 256)
        line[k] = in[y * WIDE + mirrored(first + k, WIDE)];
    const float factor[4] = {A, B, C, D};
#pragma unroll
    for (int s = 0; s < 4; s++) {
        __syncthreads();
        for (int k = t; k < 263 - s; k += 256) {
            int i = 2 * k + 1 + s; // odd ones, then even ones, by turns
            if (i < 527)
                line[i] += factor[s] * (line[i - 1] + line[i + 1]);
        }
    }
    __syncthreads();
    int half = blockIdx.x * 256 + t;
    out[y * WIDE + half] = line[8 + 2 * t] * SCALE;
    out[y * WIDE + WIDE / 2 + half] = line[9 + 2 * t] / SCALE;
}

// a thread goes down a column with what is needed in registers
__global__ void __launch_bounds__(128)
    columns97(const float *__restrict__ in, float *__restrict__ out, int part)
{
    int x = blockIdx.x * 128 + threadIdx.x, from = blockIdx.y * part;
    float even = in[mirrored(from - 4, HIGH) * WIDE + x], a1 = 0, b0 = 0, b1 = 0, c1 = 0;
    for (int y = from - 4; y < from + part + 4; y += 2) {
        float odd = in[mirrored(y + 1, HIGH) * WIDE + x],
              next = in[mirrored(y + 2, HIGH) * WIDE + x];
        float a = odd + A * (even + next), b = even + B * (a1 + a), c = a1 + C * (b0 + b),
              d = b0 + D * (c1 + c);
        int at = y - 2;
        if (at >= from && at < from + part) {
            out[at / 2 * WIDE + x] = d * SCALE;
            out[(HIGH / 2 + at / 2) * WIDE + x] = c / SCALE;
        }
        even = next, a1 = a, b1 = b, b0 = b1, c1 = c;
    }
}

// a block has 32 x 32 points; each level leaves a quarter of them
__global__ void __launch_bounds__(256) haar3(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[32][33], next[16][17];
    int left = blockIdx.x * 32, top = blockIdx.y * 32, t = threadIdx.x;
    for (int k = t; k < 1024; k += 256)
        tile[k / 32][k % 32] = in[(top + k / 32) * WIDE + left + k % 32];
    for (int size = 16; size >= 4; size /= 2) {
        __syncthreads();
        int x = t % size, y = t / size;
        float low = 0;
        if (t < size * size) {
            float a = tile[2 * y][2 * x], b = tile[2 * y][2 * x + 1], c = tile[2 * y + 1][2 * x],
                  d = tile[2 * y + 1][2 * x + 1];
            low = 0.5f * (a + b + c + d);
            int w = WIDE * size / 32, h = HIGH * size / 32, u = blockIdx.x * size + x,
                v = blockIdx.y * size + y;
            out[v * WIDE + w + u] = 0.5f * (a - b + c - d);
            out[(h + v) * WIDE + u] = 0.5f * (a + b - c - d);
            out[(h + v) * WIDE + w + u] = 0.5f * (a - b - c + d);
            if (size == 4)
                out[v * WIDE + u] = low;
            next[y][x] = low;
        }
        __syncthreads();
        if (t < size * size)
            tile[y][x] = next[y][x];
    }
}

// a spline of five taps with holes; what was taken away is the detail
template <int HOLE>
__global__ void __launch_bounds__(256)
    holes(const float *__restrict__ in, float *__restrict__ smooth, float *__restrict__ detail)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const float taps[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 5; j++) {
        const float *row = in + mirrored(y + (j - 2) * HOLE, HIGH) * WIDE;
        float along = 0;
#pragma unroll
        for (int i = 0; i < 5; i++)
            along += taps[i] * row[mirrored(x + (i - 2) * HOLE, WIDE)];
        sum += taps[j] * along;
    }
    smooth[y * WIDE + x] = sum;
    detail[y * WIDE + x] = in[y * WIDE + x] - sum;
}

// a warp has 32 x 8 coefficients; the middle of their sizes by bits of whole numbers
__global__ void __launch_bounds__(128) shrink(const float *__restrict__ in, float *__restrict__ out)
{
    int w = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, left = w % (WIDE / 32) * 32,
        top = w / (WIDE / 32) * 8;
    float v[8];
    unsigned size[8], middle = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[(top + k) * WIDE + left + lane], size[k] = __float_as_uint(fabsf(v[k]));
    for (int bit = 30; bit >= 8; bit--) {
        unsigned trial = middle | 1u << bit;
        int below = 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            below += size[k] < trial;
        if (__reduce_add_sync(~0u, below) <= 128)
            middle = trial;
    }
    float limit = __uint_as_float(middle) * 1.5f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[(top + k) * WIDE + left + lane] = copysignf(fmaxf(fabsf(v[k]) - limit, 0), v[k]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(149);
    const int part = 32;
    std::vector<float> in(COUNT);
    for (int i = 0; i < COUNT; i++)
        in[i] = 50 * sinf(i % WIDE * 0.03f) + 30 * sinf(i / WIDE * 0.05f) + random.between(-10, 10);
    float *I = copy(in), *out = room<float>(COUNT), *detail = room<float>(COUNT);
    auto wiped = [&] {
        fill(out, COUNT, 0xff);
        fill(detail, COUNT, 0xff);
    };
    auto lifted = [&](std::vector<float> line) {
        int size = line.size();
        const float factor[4] = {A, B, C, D};
        for (int s = 0; s < 4; s++)
            for (int i = 1 - s % 2; i < size; i += 2)
                line[i] += factor[s] * (line[mirrored(i - 1, size)] + line[mirrored(i + 1, size)]);
        return line;
    };
    variant(
        "rows97", "rows97", wiped, [&] { rows97<<<dim3(WIDE / 512, HIGH), 256>>>(I, out); },
        [&] {
            std::vector<float> got = fetch(out, COUNT);
            long bad = 0;
            for (int y = 0; y < HIGH; y += 5) {
                std::vector<float> line =
                    lifted(std::vector<float>(in.begin() + y * WIDE, in.begin() + (y + 1) * WIDE));
                for (int x = 0; x < WIDE; x++)
                    bad += !near(got[y * WIDE + x % 2 * (WIDE / 2) + x / 2],
                                 x % 2 ? line[x] / SCALE : line[x] * SCALE, 1e-3);
            }
            return bad;
        });
    variant(
        "columns97", "columns97", wiped,
        [&] { columns97<<<dim3(WIDE / 128, HIGH / part), 128>>>(I, out, part); },
        [&] {
            std::vector<float> got = fetch(out, COUNT);
            long bad = 0;
            for (int x = 0; x < WIDE; x += 5) {
                std::vector<float> line(HIGH);
                for (int y = 0; y < HIGH; y++)
                    line[y] = in[y * WIDE + x];
                line = lifted(line);
                for (int y = 0; y < HIGH; y++)
                    bad += !near(got[(y % 2 * (HIGH / 2) + y / 2) * WIDE + x],
                                 y % 2 ? line[y] / SCALE : line[y] * SCALE, 1e-3);
            }
            return bad;
        });
    variant(
        "haar3", "haar3", wiped, [&] { haar3<<<dim3(WIDE / 32, HIGH / 32), 256>>>(I, out); },
        [&] {
            std::vector<float> want(COUNT), now = in, low(COUNT);
            for (int size = 16; size >= 4; size /= 2) {
                int w = WIDE * size / 32, h = HIGH * size / 32;
                for (int i = 0; i < w * h; i++) {
                    int x = i % w, y = i / w;
                    float a = now[2 * y * WIDE + 2 * x], b = now[2 * y * WIDE + 2 * x + 1],
                          c = now[(2 * y + 1) * WIDE + 2 * x],
                          d = now[(2 * y + 1) * WIDE + 2 * x + 1];
                    want[y * WIDE + x] = low[y * WIDE + x] = 0.5f * (a + b + c + d),
                                    want[y * WIDE + w + x] = 0.5f * (a - b + c - d);
                    want[(h + y) * WIDE + x] = 0.5f * (a + b - c - d),
                                          want[(h + y) * WIDE + w + x] = 0.5f * (a - b - c + d);
                }
                now = low;
            }
            return differ(out, COUNT, 3, 1e-3, [&](size_t i) { return want[i]; });
        });
    dim3 grid(WIDE / 32, HIGH / 8), block(32, 8);
    variant(
        "holes8", "holes", wiped, [&] { holes<8><<<grid, block>>>(I, out, detail); },
        [&] {
            auto smooth = [&](size_t i) {
                const double taps[5] = {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};
                double sum = 0;
                for (int k = 0; k < 25; k++)
                    sum += taps[k % 5] * taps[k / 5] *
                           in[mirrored((int)(i / WIDE) + (k / 5 - 2) * 8, HIGH) * WIDE +
                              mirrored((int)(i % WIDE) + (k % 5 - 2) * 8, WIDE)];
                return sum;
            };
            return differ(out, COUNT, 13, 1e-3, smooth) +
                   differ(detail, COUNT, 13, 1e-3, [&](size_t i) { return in[i] - smooth(i); });
        });
    variant(
        "shrink", "shrink", wiped, [&] { shrink<<<COUNT / 256 / 4, 128>>>(I, out); },
        [&] {
            std::vector<float> got = fetch(out, COUNT);
            long bad = 0;
            for (int b = 0; b < COUNT / 256; b += 7) {
                std::vector<float> size(256);
                int left = b % (WIDE / 32) * 32, top = b / (WIDE / 32) * 8;
                for (int k = 0; k < 256; k++)
                    size[k] = std::fabs(in[(top + k / 32) * WIDE + left + k % 32]);
                std::nth_element(size.begin(), size.begin() + 128, size.end());
                for (int k = 0; k < 256; k++) {
                    int at = (top + k / 32) * WIDE + left + k % 32;
                    bad += !near(
                        got[at],
                        std::copysign(std::max(std::fabs(in[at]) - 1.5f * size[128], 0.0f), in[at]),
                        2e-3);
                }
            }
            return bad;
        });
    return finish();
}
