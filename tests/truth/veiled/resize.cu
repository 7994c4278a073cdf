// Pictures of other sizes: Lanczos's filter along rows with weights computed on the way and with
// weights from a table, along columns, three halvings in one kernel, and the seam of least energy
// found by a single block.
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

constexpr int WIDE = 1152, HIGH = 480, NEW_WIDE = 768, NEW_HIGH = 320, TAPS = 10;

__host__ __device__ inline float lanczos(float x)
{
    x = fabsf(x);
    if (x >= 3)
        return 0;
    if (x < 1e-4f)
        return 1;
    float p = 3.14159265f * x;
    return 3 * sinf(p) * sinf(p / 3) / (p * p);
}

// TAPS weights from the first point on
__host__ __device__ inline int weights_of(int x, float scale, float (&weights)[TAPS])
{
    float middle = (x + 0.5f) * scale - 0.5f, sum = 0;
    int first = (int)ceilf(middle - 3 * scale);
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        sum += weights[k] = lanczos((first + k - middle) / scale);
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        weights[k] /= sum;
    return first;
}

__host__ __device__ inline int within(int x, int count)
{
    return x < 0 ? 0 : x >= count ? count - 1 : x;
}

__device__ inline void add(float4 &sum, float weight, uchar4 p)
{
    sum.x += weight * p.x, sum.y += weight * p.y, sum.z += weight * p.z, sum.w += weight * p.w;
}

__device__ inline uchar4 rounded(float4 v)
{
    auto one = [](float x) { return (unsigned char)fminf(fmaxf(x + 0.5f, 0), 255); };
    return make_uchar4(one(v.x), one(v.y), one(v.z), one(v.w));
}

__global__ void rows_computed(const uchar4 *__restrict__ in, uchar4 *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float weights[TAPS];
    int first = weights_of(x, (float)WIDE / NEW_WIDE, weights);
    float4 sum = {};
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        add(sum, weights[k], in[y * WIDE + within(first + k, WIDE)]);
    out[y * NEW_WIDE + x] = rounded(sum);
}

__global__ void rows_table(const uchar4 *__restrict__ in, const float *__restrict__ table,
                           const int *__restrict__ firsts, uchar4 *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, first = firsts[x];
    float4 sum = {};
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        add(sum, table[k * NEW_WIDE + x], in[y * WIDE + within(first + k, WIDE)]);
    out[y * NEW_WIDE + x] = rounded(sum);
}

__global__ void columns(const uchar4 *__restrict__ in, const float *__restrict__ table,
                        const int *__restrict__ firsts, uchar4 *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, first = firsts[y];
    float4 sum = {};
#pragma unroll
    for (int k = 0; k < TAPS; k++)
        add(sum, table[k * NEW_HIGH + y], in[within(first + k, HIGH) * WIDE + x]);
    out[y * WIDE + x] = rounded(sum);
}

// a block has 64 x 64 points and writes 32 x 32, 16 x 16 and 8 x 8; a warp has 8 x 4 results
constexpr int SIDE = 2048;

__global__ void __launch_bounds__(1024)
    halvings(const float *__restrict__ in, float *__restrict__ half, float *__restrict__ quarter,
             float *__restrict__ eighth)
{
    int t = threadIdx.x, lane = t % 32, w = t / 32, x = w % 4 * 8 + lane % 8,
        y = w / 4 * 4 + lane / 8, left = blockIdx.x * 32 + x, top = blockIdx.y * 32 + y;
    __shared__ float quarters[16][17];
    const float2 *from = (const float2 *)in + top * SIDE + left;
    float2 a = from[0], b = from[SIDE / 2];
    float mean = 0.25f * (a.x + a.y + b.x + b.y);
    half[top * (SIDE / 2) + left] = mean;
    mean += __shfl_xor_sync(~0u, mean, 1);
    mean += __shfl_xor_sync(~0u, mean, 8);
    mean *= 0.25f;
    if (x % 2 == 0 && y % 2 == 0) {
        quarter[top / 2 * (SIDE / 4) + left / 2] = mean;
        quarters[y / 2][x / 2] = mean;
    }
    __syncthreads();
    if (t < 64) {
        int u = t % 8, v = t / 8;
        eighth[(blockIdx.y * 8 + v) * (SIDE / 8) + blockIdx.x * 8 + u] =
            0.25f * (quarters[2 * v][2 * u] + quarters[2 * v][2 * u + 1] +
                     quarters[2 * v + 1][2 * u] + quarters[2 * v + 1][2 * u + 1]);
    }
}

// a thread has two columns of a row; from the last row the way goes back up
constexpr int SEAM_WIDE = 2048, SEAM_HIGH = 512;

__global__ void __launch_bounds__(1024)
    seam(const int *__restrict__ energy, int8_t *__restrict__ ways, int *__restrict__ places)
{
    __shared__ int sums[2][SEAM_WIDE + 2], least;
    int t = threadIdx.x;
    for (int x = t; x < SEAM_WIDE; x += 1024)
        sums[0][x + 1] = energy[x];
    if (t < 4)
        sums[t / 2][t % 2 * (SEAM_WIDE + 1)] = 1 << 30;
    if (t == 0)
        least = 0x7fffffff;
    __syncthreads();
    for (int y = 1; y < SEAM_HIGH; y++) {
        for (int x = t; x < SEAM_WIDE; x += 1024) {
            const int *before = sums[(y - 1) % 2] + x;
            int way = 0, best = before[1];
            if (before[0] < best)
                best = before[0], way = -1;
            if (before[2] < best)
                best = before[2], way = 1;
            sums[y % 2][x + 1] = best + energy[y * SEAM_WIDE + x];
            ways[y * SEAM_WIDE + x] = way;
        }
        __syncthreads();
    }
    const int *last = sums[(SEAM_HIGH - 1) % 2] + 1;
    for (int x = t; x < SEAM_WIDE; x += 1024)
        atomicMin(&least, last[x] * SEAM_WIDE + x);
    __syncthreads();
    if (t == 0)
        for (int y = SEAM_HIGH - 1, x = least % SEAM_WIDE; y >= 0; y--) {
            places[y] = x;
            if (y)
                x += ways[y * SEAM_WIDE + x];
        }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(271);
    std::vector<uint8_t> picture(WIDE * HIGH * 4);
    for (uint8_t &p : picture)
        p = random.next() >> 24;
    std::vector<float> across(TAPS * NEW_WIDE), down(TAPS * NEW_HIGH),
        large = random.floats(SIDE * SIDE);
    std::vector<int> first_across(NEW_WIDE), first_down(NEW_HIGH), energy(SEAM_WIDE * SEAM_HIGH);
    float weights[TAPS];
    for (int x = 0; x < NEW_WIDE; x++) {
        first_across[x] = weights_of(x, (float)WIDE / NEW_WIDE, weights);
        for (int k = 0; k < TAPS; k++)
            across[k * NEW_WIDE + x] = weights[k];
    }
    for (int y = 0; y < NEW_HIGH; y++) {
        first_down[y] = weights_of(y, (float)HIGH / NEW_HIGH, weights);
        for (int k = 0; k < TAPS; k++)
            down[k * NEW_HIGH + y] = weights[k];
    }
    for (int &e : energy)
        e = random.below(1000);
    uchar4 *P = (uchar4 *)copy(picture), *out = room<uchar4>(WIDE * HIGH);
    float *A = copy(across), *D = copy(down), *L = copy(large),
          *half = room<float>(SIDE * SIDE / 4), *quarter = room<float>(SIDE * SIDE / 16),
          *eighth = room<float>(SIDE * SIDE / 64);
    int *FA = copy(first_across), *FD = copy(first_down), *E = copy(energy),
        *places = room<int>(SEAM_HIGH);
    int8_t *ways = room<int8_t>(SEAM_WIDE * SEAM_HIGH);
    auto wiped = [&] {
        fill(out, WIDE * HIGH, 0x77);
        fill(half, SIDE * SIDE / 4, 0x77);
        fill(quarter, SIDE * SIDE / 16, 0x77);
        fill(eighth, SIDE * SIDE / 64, 0x77);
        fill(places, SEAM_HIGH, 0x77);
        fill(ways, SEAM_WIDE * SEAM_HIGH, 0);
    };
    auto check = [&](bool rows) {
        int wide = rows ? NEW_WIDE : WIDE, high = rows ? HIGH : NEW_HIGH;
        std::vector<uint8_t> got = fetch((uint8_t *)out, (size_t)wide * high * 4, false);
        long bad = 0;
        for (size_t i = 0; i < got.size(); i += 7) {
            int x = i / 4 % wide, y = i / 4 / wide;
            double sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += rows
                           ? across[k * NEW_WIDE + x] *
                                 picture[(y * WIDE + within(first_across[x] + k, WIDE)) * 4 + i % 4]
                           : down[k * NEW_HIGH + y] *
                                 picture[(within(first_down[y] + k, HIGH) * WIDE + x) * 4 + i % 4];
            bad += std::fabs(got[i] - std::fmin(std::fmax(sum, 0), 255)) > 0.51;
        }
        return bad;
    };
    variant(
        "rows_computed", "rows_computed", wiped,
        [&] { rows_computed<<<dim3(NEW_WIDE / 128, HIGH), 128>>>(P, out); },
        [&] { return check(true); });
    variant(
        "rows_table", "rows_table", wiped,
        [&] { rows_table<<<dim3(NEW_WIDE / 128, HIGH), 128>>>(P, A, FA, out); },
        [&] { return check(true); });
    variant(
        "columns", "columns", wiped,
        [&] { columns<<<dim3(WIDE / 128, NEW_HIGH), 128>>>(P, D, FD, out); },
        [&] { return check(false); });
    variant(
        "halvings", "halvings", wiped,
        [&] { halvings<<<dim3(SIDE / 64, SIDE / 64), 1024>>>(L, half, quarter, eighth); },
        [&] {
            auto mean = [&](int x, int y, int wide) {
                double sum = 0;
                for (int k = 0; k < wide * wide; k++)
                    sum += large[(y * wide + k / wide) * SIDE + x * wide + k % wide];
                return sum / wide / wide;
            };
            auto level = [&](const float *from, int wide) {
                int across_them = SIDE / wide;
                return differ(from, (size_t)across_them * across_them, 13, 1e-5, [&](size_t i) {
                    return mean(i % across_them, i / across_them, wide);
                });
            };
            return level(half, 2) + level(quarter, 4) + level(eighth, 8);
        });
    variant(
        "seam", "seam", wiped, [&] { seam<<<1, 1024>>>(E, ways, places); },
        [&] {
            std::vector<int> sums(energy.begin(), energy.begin() + SEAM_WIDE), next(SEAM_WIDE);
            for (int y = 1; y < SEAM_HIGH; y++, sums.swap(next))
                for (int x = 0; x < SEAM_WIDE; x++)
                    next[x] =
                        energy[y * SEAM_WIDE + x] +
                        std::min(sums[x], std::min(x ? sums[x - 1] : 1 << 30,
                                                   x + 1 < SEAM_WIDE ? sums[x + 1] : 1 << 30));
            std::vector<int> got = fetch(places, SEAM_HIGH);
            int sum = 0;
            for (int y = 0; y < SEAM_HIGH; y++) {
                if (got[y] < 0 || got[y] >= SEAM_WIDE || (y && std::abs(got[y] - got[y - 1]) > 1))
                    return 1l;
                sum += energy[y * SEAM_WIDE + got[y]];
            }
            return (long)(sum != *std::min_element(sums.begin(), sums.end()));
        });
    return finish();
}
