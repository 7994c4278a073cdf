// Points that are found again in other pictures: corners by a circle of 16 points, all looked at
// and with a first look at four, Harris's measure from a shared tile, descriptors of 256 bits
// turned by an angle, and the two nearest descriptors of each by counting bits.
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

constexpr int WIDE = 1920, HIGH = 1088, POINTS = 4096, PAIRS = 256;

__constant__ char2 circle[16];

// nine in a row of sixteen, all lighter or all darker
__host__ __device__ inline bool arc(uint32_t mask)
{
    mask |= mask << 16;
    uint32_t m = mask & mask >> 1;
    m &= m >> 2, m &= m >> 4;
    return (m & mask >> 8) != 0;
}

__host__ __device__ inline bool corner(const uint8_t *p, const char2 *around, int limit)
{
    uint32_t light = 0, dark = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        int difference = p[around[k].y * WIDE + around[k].x] - p[0];
        light |= (uint32_t)(difference > limit) << k, dark |= (uint32_t)(difference < -limit) << k;
    }
    return arc(light) || arc(dark);
}

__global__ void corners_all(const uint8_t *__restrict__ picture, uint8_t *__restrict__ out)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    bool inside = x >= 16 && y >= 16 && x < WIDE - 16 && y < HIGH - 16;
    out[y * WIDE + x] = inside && corner(picture + y * WIDE + x, circle, 20);
}

__global__ void corners_early(const uint8_t *__restrict__ picture, uint8_t *__restrict__ out)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    bool found = x >= 16 && y >= 16 && x < WIDE - 16 && y < HIGH - 16;
    const uint8_t *p = picture + y * WIDE + x;
    if (found) {
        int north = p[-3 * WIDE] - p[0], south = p[3 * WIDE] - p[0], west = p[-3] - p[0],
            east = p[3] - p[0];
        // nine in a row have at least two of the four, one of them north or south
        int light = (north > 20) + (south > 20) + (west > 20) + (east > 20),
            dark = (north < -20) + (south < -20) + (west < -20) + (east < -20);
        found = light >= 2 || dark >= 2;
        if (found)
            found = corner(p, circle, 20);
    }
    out[y * WIDE + x] = found;
}

constexpr int TILE = 16;

__global__ void __launch_bounds__(TILE *TILE)
    harris(const uint8_t *__restrict__ picture, float *__restrict__ out)
{
    __shared__ float tile[TILE + 6][TILE + 7];
    __shared__ float3 slopes[TILE + 4][TILE + 4];
    int t = threadIdx.x, left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int i = t; i < (TILE + 6) * (TILE + 6); i += TILE * TILE) {
        int x = left + i % (TILE + 6) - 3, y = top + i / (TILE + 6) - 3;
        tile[i / (TILE + 6)][i % (TILE + 6)] =
            picture[min(max(y, 0), HIGH - 1) * WIDE + min(max(x, 0), WIDE - 1)];
    }
    __syncthreads();
    for (int i = t; i < (TILE + 4) * (TILE + 4); i += TILE * TILE) {
        int x = i % (TILE + 4) + 1, y = i / (TILE + 4) + 1;
        float dx = tile[y][x + 1] - tile[y][x - 1], dy = tile[y + 1][x] - tile[y - 1][x];
        slopes[y - 1][x - 1] = make_float3(dx * dx, dx * dy, dy * dy);
    }
    __syncthreads();
    int x = t % TILE, y = t / TILE;
    float a = 0, b = 0, c = 0;
#pragma unroll
    for (int k = 0; k < 25; k++) {
        float3 s = slopes[y + k / 5][x + k % 5];
        a += s.x, b += s.y, c += s.z;
    }
    out[(top + y) * WIDE + left + x] = a * c - b * b - 0.04f * (a + c) * (a + c);
}

__host__ __device__ inline int turned(const uint8_t *p, int x, int y, float cosine, float sine)
{
    int column = (int)rintf(x * cosine - y * sine), row = (int)rintf(x * sine + y * cosine);
    return p[row * WIDE + column];
}

// a warp a point: 32 comparisons at a time, a word by a vote
__global__ void __launch_bounds__(128)
    describe(const uint8_t *__restrict__ picture, const int2 *__restrict__ points,
             const float2 *__restrict__ angles, const char4 *__restrict__ pairs,
             uint32_t *__restrict__ out)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint8_t *p = picture + points[i].y * WIDE + points[i].x;
    float2 angle = angles[i];
    for (int w = 0; w < PAIRS / 32; w++) {
        char4 pair = pairs[w * 32 + lane];
        uint32_t word = __ballot_sync(~0u, turned(p, pair.x, pair.y, angle.x, angle.y) <
                                               turned(p, pair.z, pair.w, angle.x, angle.y));
        if (lane == 0)
            out[i * 8 + w] = word;
    }
}

constexpr int MATCHED = 3072;

// distances and places in one number; others pass through shared memory, 64 at a time
__global__ void __launch_bounds__(128)
    match(const uint4 *__restrict__ left, const uint4 *__restrict__ right, int2 *__restrict__ out)
{
    __shared__ uint4 others[64][2];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, best = 1 << 30, second = 1 << 30;
    uint4 a = left[i * 2], b = left[i * 2 + 1];
    for (int base = 0; base < MATCHED; base += 64) {
        __syncthreads();
        others[t / 2][t % 2] = right[base * 2 + t];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 64; k++) {
            uint4 c = others[k][0], d = others[k][1];
            int bits = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) +
                       __popc(a.w ^ c.w) + __popc(b.x ^ d.x) + __popc(b.y ^ d.y) +
                       __popc(b.z ^ d.z) + __popc(b.w ^ d.w);
            int key = bits << 16 | (base + k);
            second = min(second, max(best, key)), best = min(best, key);
        }
    }
    out[i] = make_int2(best, second);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(263);
    const int8_t ring[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
    char2 around[16];
    for (int k = 0; k < 16; k++)
        around[k] = make_char2(ring[k][0], ring[k][1]);
    must(cudaMemcpyToSymbol(circle, around, sizeof around));
    std::vector<uint8_t> picture(WIDE * HIGH, 90);
    for (int n = 0; n < 900; n++) {
        int left = random.below(WIDE), top = random.below(HIGH), wide = 8 + random.below(60),
            high = 8 + random.below(60), light = random.below(220);
        for (int y = top; y < std::min(HIGH, top + high); y++)
            for (int x = left; x < std::min(WIDE, left + wide); x++)
                picture[y * WIDE + x] = light;
    }
    for (uint8_t &p : picture)
        p += random.below(16);
    std::vector<int2> points(POINTS);
    std::vector<float2> angles(POINTS);
    std::vector<char4> pairs(PAIRS);
    for (int i = 0; i < POINTS; i++) {
        float angle = random.between(0, 6.2831853f);
        points[i] = make_int2(24 + random.below(WIDE - 48), 24 + random.below(HIGH - 48));
        angles[i] = make_float2(cosf(angle), sinf(angle));
    }
    auto near_by = [&] { return (int)random.below(27) - 13; };
    for (char4 &p : pairs)
        p = make_char4(near_by(), near_by(), near_by(), near_by());
    std::vector<uint32_t> left(MATCHED * 8), right(MATCHED * 8);
    for (int i = 0; i < MATCHED * 8; i++) {
        left[i] = random.next();
        right[i] = random.below(3) ? left[i] ^ (1u << random.below(32)) : random.next();
    }
    uint8_t *P = copy(picture), *marks = room<uint8_t>(WIDE * HIGH);
    float *out = room<float>(WIDE * HIGH);
    int2 *X = copy(points), *best = room<int2>(MATCHED);
    float2 *A = copy(angles);
    char4 *T = copy(pairs);
    uint32_t *L = copy(left), *R = copy(right), *words = room<uint32_t>(POINTS * 8);
    auto wiped = [&] {
        fill(marks, WIDE * HIGH, 0x77);
        fill(out, WIDE * HIGH, 0x77);
        fill(words, POINTS * 8, 0x77);
        fill(best, MATCHED, 0x77);
    };
    auto check = [&] {
        return differ(marks, WIDE * HIGH, 1, 0, [&](size_t i) {
            int x = i % WIDE, y = i / WIDE;
            return x >= 16 && y >= 16 && x < WIDE - 16 && y < HIGH - 16 &&
                   corner(&picture[i], around, 20);
        });
    };
    const dim3 grid(WIDE / 64, HIGH / 4), block(64, 4);
    variant(
        "corners_all", "corners_all", wiped, [&] { corners_all<<<grid, block>>>(P, marks); },
        check);
    variant(
        "corners_early", "corners_early", wiped, [&] { corners_early<<<grid, block>>>(P, marks); },
        check);
    variant(
        "harris", "harris", wiped,
        [&] { harris<<<dim3(WIDE / TILE, HIGH / TILE), TILE * TILE>>>(P, out); },
        [&] {
            return differ(out, WIDE * HIGH, 29, 1e-3, [&](size_t i) {
                auto at = [&](int x, int y) {
                    return (double)
                        picture[std::clamp(y, 0, HIGH - 1) * WIDE + std::clamp(x, 0, WIDE - 1)];
                };
                double a = 0, b = 0, c = 0;
                for (int k = 0; k < 25; k++) {
                    int x = (int)(i % WIDE) + k % 5 - 2, y = (int)(i / WIDE) + k / 5 - 2;
                    double dx = at(x + 1, y) - at(x - 1, y), dy = at(x, y + 1) - at(x, y - 1);
                    a += dx * dx, b += dx * dy, c += dy * dy;
                }
                return a * c - b * b - 0.04 * (a + c) * (a + c);
            });
        });
    variant(
        "describe", "describe", wiped, [&] { describe<<<POINTS / 4, 128>>>(P, X, A, T, words); },
        [&] {
            std::vector<uint32_t> got = fetch(words, POINTS * 8, false);
            long other = 0;
            for (int i = 0; i < POINTS * PAIRS; i++) {
                int point = i / PAIRS, k = i % PAIRS;
                const uint8_t *p = &picture[points[point].y * WIDE + points[point].x];
                bool want = turned(p, pairs[k].x, pairs[k].y, angles[point].x, angles[point].y) <
                            turned(p, pairs[k].z, pairs[k].w, angles[point].x, angles[point].y);
                other += want != (got[i / 32] >> i % 32 & 1);
            }
            return other > 60 ? other : 0; // a place may be rounded otherwise
        });
    variant(
        "match", "match", wiped,
        [&] { match<<<MATCHED / 128, 128>>>((uint4 *)L, (uint4 *)R, best); },
        [&] {
            std::vector<int> got = fetch((int *)best, 2 * MATCHED);
            long bad = 0;
            for (int i = 0; i < MATCHED; i += 3) {
                int first = 1 << 30, second = 1 << 30;
                for (int k = 0; k < MATCHED; k++) {
                    int bits = 0;
                    for (int w = 0; w < 8; w++)
                        bits += __builtin_popcount(left[i * 8 + w] ^ right[k * 8 + w]);
                    int key = bits << 16 | k;
                    second = std::min(second, std::max(first, key)), first = std::min(first, key);
                }
                bad += got[2 * i] != first || got[2 * i + 1] != second;
            }
            return bad;
        });
    return finish();
}
