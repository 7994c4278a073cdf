// Motion between two pictures by blocks of 16 x 16: a search over all shifts with a block of
// threads each and with a warp each, a search in diamonds step by step, halves of points around the
// best, and a picture made of moved blocks.
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

constexpr int WIDE = 1024, HIGH = 512, PAD = 32, PITCH = WIDE + 2 * PAD, REACH = 8,
              SPAN = 2 * REACH;
constexpr int ACROSS = WIDE / 16, BLOCKS = ACROSS * (HIGH / 16);

// four bytes from any place
__device__ inline uint32_t four(const uint8_t *p)
{
    const uint32_t *word = (const uint32_t *)((uintptr_t)p & ~(uintptr_t)3);
    return __funnelshift_r(word[0], word[1], ((uintptr_t)p & 3) * 8);
}

// a thread a shift; the block and its surroundings in shared memory
__global__ void __launch_bounds__(SPAN *SPAN)
    whole_blocks(const uint8_t *__restrict__ now, const uint8_t *__restrict__ before,
                 unsigned *__restrict__ out)
{
    __shared__ uint32_t own[16][4], around[16 + SPAN][(16 + SPAN) / 4 + 1];
    __shared__ unsigned best[8];
    int b = blockIdx.x, left = b % ACROSS * 16 + PAD, top = b / ACROSS * 16 + PAD, t = threadIdx.x;
    if (t < 64)
        own[t / 4][t % 4] = *(const uint32_t *)(now + (top + t / 4) * PITCH + left + t % 4 * 4);
    for (int k = t; k < (16 + SPAN) * ((16 + SPAN) / 4 + 1); k += SPAN * SPAN) {
        int y = k / ((16 + SPAN) / 4 + 1), x = k % ((16 + SPAN) / 4 + 1);
        around[y][x] =
            *(const uint32_t *)(before + (top + y - REACH) * PITCH + left + x * 4 - REACH);
    }
    __syncthreads();
    int x = t % SPAN, y = t / SPAN, shift = x % 4 * 8;
    unsigned sum = 0;
    for (int r = 0; r < 16; r++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += __vsadu4(own[r][k], __funnelshift_r(around[y + r][x / 4 + k],
                                                       around[y + r][x / 4 + k + 1], shift));
    unsigned least = __reduce_min_sync(~0u, sum << 8 | t);
    if (t % 32 == 0)
        best[t / 32] = least;
    __syncthreads();
    if (t < 32) {
        least = __reduce_min_sync(~0u, best[t % 8]);
        if (t == 0)
            out[b] = least;
    }
}

// a warp a block: a lane goes over shifts and reads from global memory
__global__ void __launch_bounds__(128)
    whole_warps(const uint8_t *__restrict__ now, const uint8_t *__restrict__ before,
                unsigned *__restrict__ out)
{
    int b = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32,
        left = b % ACROSS * 16 + PAD, top = b / ACROSS * 16 + PAD;
    unsigned least = ~0u;
    for (int s = lane; s < SPAN * SPAN; s += 32) {
        unsigned sum = 0;
        for (int r = 0; r < 16; r++) {
            const uint8_t *there =
                before + (top + s / SPAN - REACH + r) * PITCH + left + s % SPAN - REACH;
            uint4 row = *(const uint4 *)(now + (top + r) * PITCH + left);
            sum += __vsadu4(row.x, four(there)) + __vsadu4(row.y, four(there + 4)) +
                   __vsadu4(row.z, four(there + 8)) + __vsadu4(row.w, four(there + 12));
        }
        least = min(least, sum << 8 | s);
    }
    least = __reduce_min_sync(~0u, least);
    if (lane == 0)
        out[b] = least;
}

// eight groups of four lanes look at eight shifts around the best one so far, nearer and nearer
__global__ void __launch_bounds__(32)
    diamonds(const uint8_t *__restrict__ now, const uint8_t *__restrict__ before,
             unsigned *__restrict__ out)
{
    int b = blockIdx.x, lane = threadIdx.x, left = b % ACROSS * 16 + PAD,
        top = b / ACROSS * 16 + PAD;
    int bx = 0, by = 0, step = 4, g = lane / 4 + (lane / 4 >= 4), dx = g % 3 - 1, dy = g / 3 - 1;
    auto cost = [&](int x, int y) {
        unsigned sum = 0;
        for (int r = 0; r < 16; r++) {
            uint32_t own = *(const uint32_t *)(now + (top + r) * PITCH + left + lane % 4 * 4);
            sum += __vsadu4(own, four(before + (top + y + r) * PITCH + left + x + lane % 4 * 4));
        }
        sum += __shfl_xor_sync(~0u, sum, 1);
        return sum + __shfl_xor_sync(~0u, sum, 2);
    };
    unsigned best = cost(0, 0);
    while (step > 0) {
        int x = max(-24, min(24, bx + dx * step)), y = max(-24, min(24, by + dy * step));
        unsigned least = __reduce_min_sync(~0u, cost(x, y) << 5 | lane);
        if (least >> 5 < best) {
            best = least >> 5;
            bx = __shfl_sync(~0u, x, least & 31), by = __shfl_sync(~0u, y, least & 31);
        } else
            step /= 2;
    }
    if (lane == 0)
        out[b] = best << 12 | (by + 32) << 6 | (bx + 32);
}

// nine places half a point apart; values between points are means of four
__global__ void __launch_bounds__(256)
    half_points(const uint8_t *__restrict__ now, const uint8_t *__restrict__ before,
                const char2 *__restrict__ moves, unsigned *__restrict__ out)
{
    __shared__ int tile[18][19];
    __shared__ unsigned sums[9];
    int b = blockIdx.x, left = b % ACROSS * 16 + PAD, top = b / ACROSS * 16 + PAD, t = threadIdx.x;
    char2 m = moves[b];
    for (int k = t; k < 18 * 18; k += 256)
        tile[k / 18][k % 18] = before[(top + m.y + k / 18 - 1) * PITCH + left + m.x + k % 18 - 1];
    if (t < 9)
        sums[t] = 0;
    __syncthreads();
    int x = t % 16, y = t / 16, own = now[(top + y) * PITCH + left + x];
    for (int k = 0; k < 9; k++) {
        int u = 2 * x + 1 + k % 3, v = 2 * y + 1 + k / 3; // in halves
        int value = tile[v / 2][u / 2] + tile[v / 2][(u + 1) / 2] + tile[(v + 1) / 2][u / 2] +
                    tile[(v + 1) / 2][(u + 1) / 2];
        int sum = __reduce_add_sync(~0u, abs(own - (value + 2) / 4));
        if (t % 32 == 0)
            atomicAdd(sums + k, sum);
    }
    __syncthreads();
    if (t == 0) {
        unsigned least = ~0u;
        for (int k = 0; k < 9; k++)
            least = min(least, sums[k] << 4 | k);
        out[b] = least;
    }
}

__global__ void compensate(const uint8_t *__restrict__ before, const char2 *__restrict__ moves,
                           uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % (WIDE / 4) * 4, y = i / (WIDE / 4);
    char2 m = moves[y / 16 * ACROSS + x / 16];
    const uint8_t *p = before + (y + PAD + m.y) * PITCH + x + PAD + m.x;
    out[i] =
        __vavgu4(__vavgu4(four(p), four(p + 1)), __vavgu4(four(p + PITCH), four(p + PITCH + 1)));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(67);
    const int rows = HIGH + 2 * PAD;
    std::vector<uint8_t> before(rows * PITCH + 64), now(rows * PITCH + 64);
    for (int i = 0; i < rows * PITCH; i++) {
        float x = i % PITCH, y = i / PITCH;
        before[i] =
            128 + 50 * sinf(x * 0.11f) + 40 * sinf(y * 0.07f + x * 0.02f) + random.below(24);
    }
    std::vector<char2> moves(BLOCKS);
    for (char2 &m : moves)
        m = make_char2((int)random.below(15) - 7, (int)random.below(15) - 7);
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            char2 m = moves[y / 16 * ACROSS + x / 16];
            now[(y + PAD) * PITCH + x + PAD] =
                before[(y + PAD + m.y) * PITCH + x + PAD + m.x] ^ random.below(4);
        }
    auto cost = [&](int b, int dx, int dy) {
        unsigned sum = 0;
        int left = b % ACROSS * 16 + PAD, top = b / ACROSS * 16 + PAD;
        for (int k = 0; k < 256; k++)
            sum += std::abs(now[(top + k / 16) * PITCH + left + k % 16] -
                            before[(top + dy + k / 16) * PITCH + left + dx + k % 16]);
        return sum;
    };
    uint8_t *N = copy(now), *B = copy(before);
    char2 *M = copy(moves);
    unsigned *out = room<unsigned>(WIDE * HIGH / 4);
    auto wiped = [&] { fill(out, WIDE * HIGH / 4, 0x77); };
    auto check = [&] {
        return differ(out, BLOCKS, 11, 0, [&](size_t b) {
            unsigned least = ~0u;
            for (int s = 0; s < SPAN * SPAN; s++)
                least = std::min(least, cost(b, s % SPAN - REACH, s / SPAN - REACH) << 8 | s);
            return least;
        });
    };
    variant(
        "whole_blocks", "whole_blocks", wiped,
        [&] { whole_blocks<<<BLOCKS, SPAN * SPAN>>>(N, B, out); }, check);
    variant(
        "whole_warps", "whole_warps", wiped, [&] { whole_warps<<<BLOCKS / 4, 128>>>(N, B, out); },
        check);
    variant(
        "diamonds", "diamonds", wiped, [&] { diamonds<<<BLOCKS, 32>>>(N, B, out); },
        [&] {
            return differ(out, BLOCKS, 3, 0, [&](size_t b) {
                int bx = 0, by = 0, step = 4;
                unsigned best = cost(b, 0, 0);
                while (step > 0) {
                    unsigned least = ~0u;
                    int px = 0, py = 0;
                    for (int k = 0; k < 9; k++) {
                        int x = std::max(-24, std::min(24, bx + (k % 3 - 1) * step)),
                            y = std::max(-24, std::min(24, by + (k / 3 - 1) * step));
                        unsigned c = k == 4 ? ~0u : cost(b, x, y);
                        if (c < least)
                            least = c, px = x, py = y;
                    }
                    if (least < best)
                        best = least, bx = px, by = py;
                    else
                        step /= 2;
                }
                return best << 12 | (by + 32) << 6 | (bx + 32);
            });
        });
    variant(
        "half_points", "half_points", wiped, [&] { half_points<<<BLOCKS, 256>>>(N, B, M, out); },
        [&] {
            return differ(out, BLOCKS, 3, 0, [&](size_t b) {
                unsigned least = ~0u;
                int left = b % ACROSS * 16 + PAD, top = b / ACROSS * 16 + PAD;
                for (int k = 0; k < 9; k++) {
                    unsigned sum = 0;
                    for (int p = 0; p < 256; p++) {
                        int u = 2 * (left + p % 16 + moves[b].x) + k % 3 - 1,
                            v = 2 * (top + p / 16 + moves[b].y) + k / 3 - 1;
                        int value = before[v / 2 * PITCH + u / 2] +
                                    before[v / 2 * PITCH + (u + 1) / 2] +
                                    before[(v + 1) / 2 * PITCH + u / 2] +
                                    before[(v + 1) / 2 * PITCH + (u + 1) / 2];
                        sum +=
                            std::abs(now[(top + p / 16) * PITCH + left + p % 16] - (value + 2) / 4);
                    }
                    least = std::min(least, sum << 4 | k);
                }
                return least;
            });
        });
    variant(
        "compensate", "compensate", wiped,
        [&] { compensate<<<WIDE * HIGH / 4 / 128, 128>>>(B, M, out); },
        [&] {
            return differ((uint8_t *)out, WIDE * HIGH, 5, 0, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE;
                char2 m = moves[y / 16 * ACROSS + x / 16];
                const uint8_t *p = &before[(y + PAD + m.y) * PITCH + x + PAD + m.x];
                return ((p[0] + p[1] + 1) / 2 + (p[PITCH] + p[PITCH + 1] + 1) / 2 + 1) / 2;
            });
        });
    return finish();
}
