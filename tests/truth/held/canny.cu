// Steps of an edge detector for pictures: a Gaussian along rows from shared memory, along columns
// with a sliding window, slopes with thinning, growing of strong edges within tiles.
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

constexpr int WIDTH = 2048, HEIGHT = 1024, RADIUS = 4;
__constant__ float TAPS[2 * RADIUS + 1];

__global__ void rows(const uint8_t *__restrict__ in, float *__restrict__ out)
{
    __shared__ float line[256 + 2 * RADIUS];
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 256 + 2 * RADIUS; i += 256)
        line[i] = in[y * WIDTH + min(max((int)(blockIdx.x * 256) + i - RADIUS, 0), WIDTH - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += TAPS[k] * line[threadIdx.x + k];
    out[y * WIDTH + x] = sum;
}

template <int LONG> __global__ void columns(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * LONG;
    float window[2 * RADIUS + 1];
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; k++)
        window[k + 1] = in[min(max(top + k - RADIUS, 0), HEIGHT - 1) * WIDTH + x];
    for (int y = top; y < top + LONG; y++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 2 * RADIUS; k++)
            window[k] = window[k + 1];
        window[2 * RADIUS] = in[min(y + RADIUS, HEIGHT - 1) * WIDTH + x];
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++)
            sum += TAPS[k] * window[k];
        out[y * WIDTH + x] = sum;
    }
}

__host__ __device__ inline float2 slope(const float *p)
{
    return make_float2(
        p[1 - WIDTH] + 2 * p[1] + p[1 + WIDTH] - p[-1 - WIDTH] - 2 * p[-1] - p[-1 + WIDTH],
        p[WIDTH - 1] + 2 * p[WIDTH] + p[WIDTH + 1] - p[-WIDTH - 1] - 2 * p[-WIDTH] - p[-WIDTH + 1]);
}

__host__ __device__ inline float steepness(const float *p)
{
    float2 s = slope(p);
    return fabsf(s.x) + fabsf(s.y);
}

// 0 none, 1 weak, 2 strong
__host__ __device__ inline uint8_t thinned(const float *p, float low, float high)
{
    float2 s = slope(p);
    float ax = fabsf(s.x), ay = fabsf(s.y), mine = ax + ay;
    if (mine < low)
        return 0;
    int along = ay < 0.4142f * ax   ? 1
                : ax < 0.4142f * ay ? WIDTH
                : s.x * s.y > 0     ? WIDTH + 1
                                    : WIDTH - 1;
    if (steepness(p + along) > mine || steepness(p - along) >= mine)
        return 0;
    return mine >= high ? 2 : 1;
}

__global__ void thin(const float *__restrict__ in, uint8_t *__restrict__ out, float low, float high)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool inside = x >= 2 && y >= 2 && x < WIDTH - 2 && y < HEIGHT - 2;
    out[y * WIDTH + x] = inside ? thinned(in + y * WIDTH + x, low, high) : 0;
}

// weak points with a strong neighbour in their tile of 32 x 32 become strong, until nothing changes
__global__ void grow(const uint8_t *__restrict__ in, uint8_t *__restrict__ out)
{
    __shared__ uint8_t tile[34][36];
    int x = threadIdx.x, i = (blockIdx.y * 32 + threadIdx.y) * WIDTH + blockIdx.x * 32 + x;
    for (int k = threadIdx.y * 32 + x; k < 34 * 36; k += 256)
        tile[k / 36][k % 36] = 0;
    __syncthreads();
    for (int r = 0; r < 32; r += 8)
        tile[threadIdx.y + r + 1][x + 1] = in[i + r * WIDTH];
    __syncthreads();
    bool changed;
    do {
        changed = false;
        for (int r = threadIdx.y + 1; r <= 32; r += 8)
            if (tile[r][x + 1] == 1) {
                int top = 0;
                for (int k = 0; k < 9; k++)
                    top = max(top, (int)((volatile uint8_t *)tile[r + k / 3 - 1])[x + k % 3]);
                if (top == 2) {
                    tile[r][x + 1] = 2;
                    changed = true;
                }
            }
    } while (__syncthreads_or(changed));
    for (int r = 0; r < 32; r += 8)
        out[i + r * WIDTH] = tile[threadIdx.y + r + 1][x + 1] == 2 ? 255 : 0;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = WIDTH * HEIGHT;
    Lcg random(193);
    std::vector<uint8_t> picture(count), marks(count), grown(count);
    for (int i = 0; i < count; i++) {
        double x = i % WIDTH, y = i / WIDTH;
        picture[i] = 128 + 60 * std::sin(x / 40 + std::sin(y / 60) * 3) +
                     40 * (std::fmod(x + y, 150) < 75) + random.below(8);
    }
    float taps[2 * RADIUS + 1], whole = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        whole += taps[k] = std::exp(-(k - RADIUS) * (k - RADIUS) / 4.5f);
    for (float &t : taps)
        t /= whole;
    must(cudaMemcpyToSymbol(TAPS, taps, sizeof taps));
    std::vector<float> by_rows(count), smooth(count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= 2 * RADIUS; k++)
            by_rows[i] +=
                taps[k] *
                picture[i / WIDTH * WIDTH + std::clamp(i % WIDTH + k - RADIUS, 0, WIDTH - 1)];
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= 2 * RADIUS; k++)
            smooth[i] +=
                taps[k] *
                by_rows[std::clamp(i / WIDTH + k - RADIUS, 0, HEIGHT - 1) * WIDTH + i % WIDTH];
    for (float &s : smooth)
        s = std::floor(s * 16) / 16; // so that slopes have no errors of rounding
    for (int y = 2; y < HEIGHT - 2; y++)
        for (int x = 2; x < WIDTH - 2; x++)
            marks[y * WIDTH + x] = thinned(&smooth[y * WIDTH + x], 30, 110);
    for (int tile = 0; tile < count / 1024; tile++) {
        int base = tile / (WIDTH / 32) * 32 * WIDTH + tile % (WIDTH / 32) * 32;
        std::vector<int> todo;
        for (int k = 0; k < 1024; k++)
            if (marks[base + k / 32 * WIDTH + k % 32] == 2) {
                grown[base + k / 32 * WIDTH + k % 32] = 255;
                todo.push_back(k);
            }
        while (!todo.empty()) {
            int k = todo.back();
            todo.pop_back();
            for (int n = 0; n < 9; n++) {
                int y = k / 32 + n / 3 - 1, x = k % 32 + n % 3 - 1, at = base + y * WIDTH + x;
                if (y < 0 || y > 31 || x < 0 || x > 31 || marks[at] != 1 || grown[at])
                    continue;
                grown[at] = 255;
                todo.push_back(y * 32 + x);
            }
        }
    }
    uint8_t *bytes = copy(picture), *mark = copy(marks), *edge = room<uint8_t>(count);
    float *row = copy(by_rows), *soft = copy(smooth), *out = room<float>(count);
    auto wiped = [&] {
        fill(out, count, 0xff);
        fill(edge, count, 0x77);
    };
    variant(
        "rows", "rows", wiped, [&] { rows<<<dim3(WIDTH / 256, HEIGHT), 256>>>(bytes, out); },
        [&] { return differ(out, count, 1, 1e-4, [&](size_t i) { return by_rows[i]; }); });
    variant(
        "columns", "columns", wiped,
        [&] { columns<32><<<dim3(WIDTH / 128, HEIGHT / 32), 128>>>(row, out); },
        [&] {
            return differ(out, count, 1, 1e-3, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k <= 2 * RADIUS; k++)
                    sum += taps[k] *
                           by_rows[std::clamp((int)i / WIDTH + k - RADIUS, 0, HEIGHT - 1) * WIDTH +
                                   i % WIDTH];
                return sum;
            });
        });
    variant(
        "thin", "thin", wiped,
        [&] { thin<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(soft, edge, 30, 110); },
        [&] { return differ(edge, count, 1, 0, [&](size_t i) { return marks[i]; }); });
    variant(
        "grow", "grow", wiped,
        [&] { grow<<<dim3(WIDTH / 32, HEIGHT / 32), dim3(32, 8)>>>(mark, edge); },
        [&] { return differ(edge, count, 1, 0, [&](size_t i) { return grown[i]; }); });
    return finish();
}
