// Two pictures compared: the best shift by sums of differences directly and with sums of columns
// kept in shared memory, census signatures of 9 x 7, the best shift by differing bits, and costs
// carried along rows by a warp each.
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

constexpr int WIDE = 384, HIGH = 256, SHIFTS = 32, RADIUS = 2;
constexpr int LARGE = 1024, TALL = 512;

__global__ void direct(const uint8_t *__restrict__ left, const uint8_t *__restrict__ right,
                       uint8_t *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, best = 1 << 20,
        which = 0;
    if (x < SHIFTS + RADIUS || x >= WIDE - RADIUS || y < RADIUS || y >= HIGH - RADIUS) {
        out[y * WIDE + x] = 0;
        return;
    }
    for (int d = 0; d < SHIFTS; d++) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 25; k++) {
            int i = (y + k / 5 - 2) * WIDE + x + k % 5 - 2;
            sum += abs(left[i] - right[i - d]);
        }
        if (sum < best)
            best = sum, which = d;
    }
    out[y * WIDE + x] = which;
}

// a block has 128 columns of a row; sums of five rows are shared
__global__ void __launch_bounds__(128)
    sums(const uint8_t *__restrict__ left, const uint8_t *__restrict__ right,
         uint8_t *__restrict__ out)
{
    __shared__ int column[2][132];
    int t = threadIdx.x, x = blockIdx.x * 128 + t, y = blockIdx.y, best = 1 << 20, which = 0;
    if (y < RADIUS || y >= HIGH - RADIUS) {
        out[y * WIDE + x] = 0;
        return;
    }
    for (int d = 0; d < SHIFTS; d++) {
        for (int i = t; i < 132; i += 128) {
            int at = blockIdx.x * 128 + i - 2, sum = 0;
            if (at >= SHIFTS && at < WIDE)
#pragma unroll
                for (int k = -2; k <= 2; k++)
                    sum += abs(left[(y + k) * WIDE + at] - right[(y + k) * WIDE + at - d]);
            column[d % 2][i] = sum;
        }
        __syncthreads();
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 5; k++)
            sum += column[d % 2][t + k];
        if (sum < best)
            best = sum, which = d;
    }
    out[y * WIDE + x] = x < SHIFTS + RADIUS || x >= WIDE - RADIUS ? 0 : which;
}

__global__ void census(const uint8_t *__restrict__ in, unsigned long long *__restrict__ out)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 3 + threadIdx.y;
    if (y >= TALL)
        return;
    unsigned long long bits = 0;
    if (x >= 4 && x < LARGE - 4 && y >= 3 && y < TALL - 3) {
        int mine = in[y * LARGE + x];
#pragma unroll
        for (int dy = -3; dy <= 3; dy++)
#pragma unroll
            for (int dx = -4; dx <= 4; dx++)
                if (dx || dy)
                    bits = bits << 1 | (in[(y + dy) * LARGE + x + dx] < mine);
    }
    out[y * LARGE + x] = bits;
}

__global__ void __launch_bounds__(256)
    bits(const unsigned long long *__restrict__ left, const unsigned long long *__restrict__ right,
         uint8_t *__restrict__ out)
{
    __shared__ unsigned long long line[256 + 64];
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y, first = blockIdx.x * 256 - 64;
    for (int i = threadIdx.x; i < 320; i += 256)
        line[i] = first + i >= 0 ? right[y * LARGE + first + i] : 0;
    __syncthreads();
    unsigned long long mine = left[y * LARGE + x];
    int best = 99, which = 0;
#pragma unroll 4
    for (int d = 0; d < 64; d++) {
        int apart = __popcll(mine ^ line[threadIdx.x + 64 - d]);
        if (apart < best)
            best = apart, which = d;
    }
    out[y * LARGE + x] = which;
}

constexpr int SMALL = 8, BIG = 40;

// a warp a row, two of 64 shifts a lane
__global__ void __launch_bounds__(64)
    carried(const uchar2 *__restrict__ cost, ushort2 *__restrict__ out, int length)
{
    int row = (blockIdx.x * 64 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const uchar2 *in = cost + (size_t)row * length * 32 + lane;
    ushort2 *to = out + (size_t)row * length * 32 + lane;
    int a = 0, b = 0, least = 0;
    for (int x = 0; x < length; x++) {
        uchar2 c = in[x * 32];
        int below = __shfl_up_sync(~0u, b, 1), above = __shfl_down_sync(~0u, a, 1);
        below = lane ? below + SMALL : 1 << 20;
        above = lane < 31 ? above + SMALL : 1 << 20;
        int one = min(min(a, least + BIG), min(below, b + SMALL)),
            two = min(min(b, least + BIG), min(above, a + SMALL));
        a = c.x + one - least;
        b = c.y + two - least;
        to[x * 32] = make_ushort2(a, b);
        least = __reduce_min_sync(~0u, min(a, b));
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(181);
    const int count = WIDE * HIGH, large = LARGE * TALL, rows = 384, length = 256,
              costs = rows * length * 64;
    std::vector<uint8_t> left(count), right(count), big(large), cost(costs);
    for (int i = 0; i < count; i++)
        right[i] = random.below(256);
    for (int i = 0; i < count; i++) {
        int d = (i / WIDE / 20 * 7 + i % WIDE / 50 * 3) % SHIFTS;
        left[i] = std::clamp((int)right[std::max(i - d, 0)] + (int)random.below(20) - 10, 0, 255);
    }
    std::vector<unsigned long long> signs(large), others(large);
    for (int i = 0; i < large; i++) {
        double x = i % LARGE, y = i / LARGE;
        big[i] =
            128 + 50 * std::sin(x * 0.1) + 30 * std::sin(y * 0.13 + x * 0.02) + random.below(30);
        others[i] = (unsigned long long)random.next() << 32 | random.next();
    }
    for (int i = 0; i < large; i++) {
        signs[i] = others[std::max(i - i / LARGE % 64, 0)];
        for (int k = 0; k < 6; k++)
            signs[i] ^= 1ull << random.below(64);
    }
    for (int i = 0; i < costs; i++)
        cost[i] = std::abs(i % 64 - i / 64 % length / 5) + random.below(60);
    uint8_t *L = copy(left), *R = copy(right), *B = copy(big), *C = copy(cost),
            *out = room<uint8_t>(large);
    unsigned long long *S = copy(signs), *O = copy(others),
                       *out_signs = room<unsigned long long>(large);
    unsigned short *out_costs = room<unsigned short>(costs);
    auto wiped = [&] {
        fill(out, large, 0xff);
        fill(out_signs, large, 0xff);
        fill(out_costs, costs, 0xff);
    };
    auto check = [&] {
        return differ(out, count, 3, 0, [&](size_t i) {
            int x = i % WIDE, y = i / WIDE, best = 1 << 20, which = 0;
            if (x < SHIFTS + RADIUS || x >= WIDE - RADIUS || y < RADIUS || y >= HIGH - RADIUS)
                return 0;
            for (int d = 0; d < SHIFTS; d++) {
                int sum = 0;
                for (int k = 0; k < 25; k++) {
                    int j = (y + k / 5 - 2) * WIDE + x + k % 5 - 2;
                    sum += std::abs(left[j] - right[j - d]);
                }
                if (sum < best)
                    best = sum, which = d;
            }
            return which;
        });
    };
    variant(
        "direct", "direct", wiped,
        [&] { direct<<<dim3(WIDE / 32, HIGH / 4), dim3(32, 4)>>>(L, R, out); }, check);
    variant(
        "sums", "sums", wiped, [&] { sums<<<dim3(WIDE / 128, HIGH), 128>>>(L, R, out); }, check);
    variant(
        "census", "census", wiped,
        [&] { census<<<dim3(LARGE / 64, (TALL + 2) / 3), dim3(64, 3)>>>(B, out_signs); },
        [&] {
            std::vector<unsigned long long> got = fetch(out_signs, large);
            long bad = 0;
            for (int i = 0; i < large; i++) {
                int x = i % LARGE, y = i / LARGE;
                unsigned long long want = 0;
                if (x >= 4 && x < LARGE - 4 && y >= 3 && y < TALL - 3)
                    for (int k = 0; k < 63; k++)
                        if (k != 31)
                            want = want << 1 | (big[i + (k / 9 - 3) * LARGE + k % 9 - 4] < big[i]);
                bad += got[i] != want;
            }
            return bad;
        });
    variant(
        "bits", "bits", wiped, [&] { bits<<<dim3(LARGE / 256, TALL), 256>>>(S, O, out); },
        [&] {
            return differ(out, large, 3, 0, [&](size_t i) {
                int best = 99, which = 0;
                for (int d = 0; d < 64; d++) {
                    unsigned long long other = (int)i % LARGE - d >= 0 ? others[i - d] : 0;
                    int apart = __builtin_popcountll(signs[i] ^ other);
                    if (apart < best)
                        best = apart, which = d;
                }
                return which;
            });
        });
    variant(
        "carried", "carried", wiped,
        [&] { carried<<<rows / 2, 64>>>((uchar2 *)C, (ushort2 *)out_costs, length); },
        [&] {
            std::vector<int> want(costs);
            for (int r = 0; r < rows; r++) {
                std::vector<int> old(64), now(64);
                int least = 0;
                for (int x = 0; x < length; x++) {
                    int *w = &want[(r * length + x) * 64];
                    for (int d = 0; d < 64; d++) {
                        int best = std::min(old[d], least + BIG);
                        if (d)
                            best = std::min(best, old[d - 1] + SMALL);
                        if (d < 63)
                            best = std::min(best, old[d + 1] + SMALL);
                        now[d] = w[d] = cost[(r * length + x) * 64 + d] + best - least;
                    }
                    old = now;
                    least = *std::min_element(old.begin(), old.end());
                }
            }
            return differ(out_costs, costs, 1, 0, [&](size_t i) { return want[i]; });
        });
    return finish();
}
