// Pictures made smooth by filters that use their own results, there and back: a thread a row, tiles
// turned in shared memory, a warp a row that joins its pieces, a thread a column, and a filter that
// stops at edges.
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

constexpr int WIDE = 1024, HIGH = 2048;
constexpr float KEPT = 0.9f;

__global__ void __launch_bounds__(32)
    rows_thread(const float *__restrict__ in, float *__restrict__ out)
{
    int row = (blockIdx.x * 32 + threadIdx.x) * WIDE;
    float value = in[row];
    for (int x = 0; x < WIDE; x++) {
        value += (1 - KEPT) * (in[row + x] - value);
        out[row + x] = value;
    }
    for (int x = WIDE - 2; x >= 0; x--) {
        value += (1 - KEPT) * (out[row + x] - value);
        out[row + x] = value;
    }
}

// a warp has 32 rows: 32 x 32 points are loaded along rows and filtered with a row in each lane
__global__ void __launch_bounds__(32)
    rows_tiles(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[32][33];
    int lane = threadIdx.x, first = blockIdx.x * 32;
    float value = in[(first + lane) * WIDE];
    for (int x = 0; x < WIDE; x += 32) {
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            tile[r][lane] = in[(first + r) * WIDE + x + lane];
        __syncwarp();
        for (int k = 0; k < 32; k++) {
            value += (1 - KEPT) * (tile[lane][k] - value);
            tile[lane][k] = value;
        }
        __syncwarp();
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            out[(first + r) * WIDE + x + lane] = tile[r][lane];
        __syncwarp();
    }
    for (int x = WIDE - 32; x >= 0; x -= 32) {
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            tile[r][lane] = out[(first + r) * WIDE + x + lane];
        __syncwarp();
        for (int k = 31; k >= 0; k--) {
            value += (1 - KEPT) * (tile[lane][k] - value);
            tile[lane][k] = value;
        }
        __syncwarp();
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            out[(first + r) * WIDE + x + lane] = tile[r][lane];
        __syncwarp();
    }
}

// a lane has 32 points in a row of a warp; what it would hand on is found first, by doubling
__global__ void __launch_bounds__(128)
    rows_pieces(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float rows[4][WIDE + 32];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, row = (blockIdx.x * 4 + w) * WIDE;
    float *own = rows[w] + lane * 33, piece = 1, last = in[row];
#pragma unroll
    for (int k = 0; k < 32; k++) {
        rows[w][k * 33 + lane] = in[row + k * 32 + lane];
        piece *= KEPT;
    }
    __syncwarp();
    for (int back = 0; back < 2; back++) {
        float value = 0, power = piece;
#pragma unroll
        for (int k = 0; k < 32; k++)
            value = KEPT * value + (1 - KEPT) * own[back ? 31 - k : k];
        for (int d = 1; d < 32; d *= 2) {
            float other = back ? __shfl_down_sync(~0u, value, d) : __shfl_up_sync(~0u, value, d);
            if (back ? lane + d < 32 : lane >= d)
                value += power * other;
            power *= power;
        }
        // from the lane before, and from what stood before the whole row
        float before = back ? __shfl_down_sync(~0u, value, 1) : __shfl_up_sync(~0u, value, 1);
        int place = back ? 31 - lane : lane;
        value = powf(piece, place) * last + (place ? before : 0);
#pragma unroll
        for (int k = 0; k < 32; k++) {
            int at = back ? 31 - k : k;
            value += (1 - KEPT) * (own[at] - value);
            own[at] = value;
        }
        last = __shfl_sync(~0u, value, 31);
        __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < 32; k++)
        out[row + k * 32 + lane] = rows[w][k * 33 + lane];
}

__global__ void __launch_bounds__(32) columns(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    float value = in[x];
#pragma unroll 8
    for (int y = 0; y < HIGH; y++) {
        value += (1 - KEPT) * (in[y * WIDE + x] - value);
        out[y * WIDE + x] = value;
    }
#pragma unroll 8
    for (int y = HIGH - 2; y >= 0; y--) {
        value += (1 - KEPT) * (out[y * WIDE + x] - value);
        out[y * WIDE + x] = value;
    }
}

__host__ __device__ inline float kept_over(float a, float b)
{
    return exp2f(-0.15f * (1 + 12 * fabsf(a - b)));
}

__global__ void __launch_bounds__(32)
    stopping(const float *__restrict__ in, const float *__restrict__ guide, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    float value = in[x], before = guide[x];
    out[x] = value;
#pragma unroll 4
    for (int y = 1; y < HIGH; y++) {
        float now = guide[y * WIDE + x], own = in[y * WIDE + x];
        value = own + kept_over(now, before) * (value - own);
        before = now;
        out[y * WIDE + x] = value;
    }
#pragma unroll 4
    for (int y = HIGH - 2; y >= 0; y--) {
        float now = guide[y * WIDE + x], own = out[y * WIDE + x];
        value = own + kept_over(now, before) * (value - own);
        before = now;
        out[y * WIDE + x] = value;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(269);
    const int count = WIDE * HIGH;
    std::vector<float> in = random.floats(count), guide(count), want(count);
    for (int i = 0; i < count; i++)
        guide[i] = (i % WIDE / 90 + i / WIDE / 70) % 2 * 0.8f + random.between(0, 0.1f);
    float *I = copy(in), *G = copy(guide), *out = room<float>(count);
    auto wiped = [&] { fill(out, count, 0x77); };
    // one line of many points, some apart
    auto filtered = [&](int first, int many, int apart, bool stops) {
        double value = in[first];
        std::vector<double> line(many);
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < many; k++) {
                int i = turn ? many - 1 - k : k, at = first + i * apart;
                double own = turn ? line[i] : in[at], kept = KEPT;
                if (stops)
                    kept = k ? kept_over(guide[at], guide[at + (turn ? apart : -apart)]) : 0;
                if (!turn || k)
                    value = own + kept * (value - own);
                line[i] = value;
            }
        return line;
    };
    auto check = [&](bool rows, bool stops) {
        std::vector<float> got = fetch(out, count);
        long bad = 0;
        for (int line = 0; line < (rows ? HIGH : WIDE); line += 9) {
            std::vector<double> expected =
                rows ? filtered(line * WIDE, WIDE, 1, stops) : filtered(line, HIGH, WIDE, stops);
            for (size_t i = 0; i < expected.size(); i++)
                bad += !near(got[rows ? line * WIDE + i : i * WIDE + line], expected[i], 1e-4);
        }
        return bad;
    };
    auto rows = [&] { return check(true, false); };
    variant(
        "rows_thread", "rows_thread", wiped, [&] { rows_thread<<<HIGH / 32, 32>>>(I, out); }, rows);
    variant(
        "rows_tiles", "rows_tiles", wiped, [&] { rows_tiles<<<HIGH / 32, 32>>>(I, out); }, rows);
    variant(
        "rows_pieces", "rows_pieces", wiped, [&] { rows_pieces<<<HIGH / 4, 128>>>(I, out); }, rows);
    variant(
        "columns", "columns", wiped, [&] { columns<<<WIDE / 32, 32>>>(I, out); },
        [&] { return check(false, false); });
    variant(
        "stopping", "stopping", wiped, [&] { stopping<<<WIDE / 32, 32>>>(I, G, out); },
        [&] { return check(false, true); });
    return finish();
}
