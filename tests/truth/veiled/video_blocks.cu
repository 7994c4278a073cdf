// Steps of a video codec: a transform of 4 x 4 whole numbers with quantisation, with a block in
// each thread and in four lanes, edges of blocks made smooth, points between points by six taps
// both ways, and predictions from neighbours that must be finished before.
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

constexpr int WIDE = 2048, HIGH = 2048, PAD = 8, PITCH = WIDE + 2 * PAD;

// one of both directions: the codec's whole numbers near a cosine transform
__host__ __device__ inline void four(int &a, int &b, int &c, int &d)
{
    int p = a + d, q = b + c, r = b - c, s = a - d;
    a = p + q, b = 2 * s + r, c = p - q, d = s - 2 * r;
}

__host__ __device__ inline int quantised(int value, int x, int y)
{
    int scale = (x ^ y) & 1 ? 8066 : x & 1 ? 5243 : 13107;
    int level = (abs(value) * scale + 10922) >> 17;
    return value < 0 ? -level : level;
}

__global__ void transform_thread(const short4 *__restrict__ in, short4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        at = i / (WIDE / 4) * WIDE + i % (WIDE / 4); // in rows of four
    int v[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        short4 row = in[at + r * (WIDE / 4)];
        v[r][0] = row.x, v[r][1] = row.y, v[r][2] = row.z, v[r][3] = row.w;
        four(v[r][0], v[r][1], v[r][2], v[r][3]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        four(v[0][k], v[1][k], v[2][k], v[3][k]);
#pragma unroll
    for (int r = 0; r < 4; r++)
        out[at + r * (WIDE / 4)] = make_short4(quantised(v[r][0], 0, r), quantised(v[r][1], 1, r),
                                               quantised(v[r][2], 2, r), quantised(v[r][3], 3, r));
}

// a lane has a row of a block; the other direction by exchanges of sums between lanes
__global__ void transform_lanes(const short4 *__restrict__ in, short4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = threadIdx.x / 8 % 4, v[4],
        column = i / 32 % (WIDE / 32) * 8 + i % 8, row = i / WIDE * 4 + r;
    short4 own = in[row * (WIDE / 4) + column];
    v[0] = own.x, v[1] = own.y, v[2] = own.z, v[3] = own.w;
    four(v[0], v[1], v[2], v[3]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int far = __shfl_xor_sync(~0u, v[k], 24);
        int sum = r < 2 ? v[k] + far : far - v[k]; // p, q, r, s
        int other = __shfl_xor_sync(~0u, sum, 8);
        // rows 0 and 1 have p and q, rows 2 and 3 have r and s
        v[k] = r == 0   ? sum + other
               : r == 1 ? other - sum
               : r == 2 ? 2 * other + sum
                        : sum - 2 * other;
    }
    // row 1 has what belongs to row 2, and row 2 what belongs to row 1
    int to = r == 1 ? 2 : r == 2 ? 1 : r;
    out[(row - r + to) * (WIDE / 4) + column] =
        make_short4(quantised(v[0], 0, to), quantised(v[1], 1, to), quantised(v[2], 2, to),
                    quantised(v[3], 3, to));
}

// eight bytes around an upright edge; all edges are 8 apart, so that no two meet
__host__ __device__ inline void smoothed(uint8_t *p, int alpha, int beta, int most)
{
    int p1 = p[-2], p0 = p[-1], q0 = p[0], q1 = p[1];
    if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta)
        return;
    int p2 = p[-3], q2 = p[2], limit = most;
    if (abs(p2 - p0) < beta) {
        p[-2] = p1 + max(-most, min(most, (p2 + ((p0 + q0 + 1) >> 1) - 2 * p1) >> 1));
        limit++;
    }
    if (abs(q2 - q0) < beta) {
        p[1] = q1 + max(-most, min(most, (q2 + ((p0 + q0 + 1) >> 1) - 2 * q1) >> 1));
        limit++;
    }
    int change = max(-limit, min(limit, (((q0 - p0) * 4) + (p1 - q1) + 4) >> 3));
    p[-1] = max(0, min(255, p0 + change)), p[0] = max(0, min(255, q0 - change));
}

__global__ void smooth_edges(uint8_t *picture, const uint8_t *__restrict__ strengths)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, edge = i % (WIDE / 8 - 1),
        y = i / (WIDE / 8 - 1);
    if (y >= HIGH)
        return;
    int most = strengths[y / 4 * (WIDE / 8) + edge];
    if (most)
        smoothed(picture + y * WIDE + edge * 8 + 8, 40, 12, most);
}

// a block of 32 x 16 points in the middle between four; first along rows, then along columns
__global__ void __launch_bounds__(256)
    six_taps(const uint8_t *__restrict__ in, uint8_t *__restrict__ out)
{
    __shared__ int16_t rows[16 + 5][32];
    int t = threadIdx.x, left = blockIdx.x * 32 + PAD, top = blockIdx.y * 16 + PAD;
    for (int i = t; i < 21 * 32; i += 256) {
        const uint8_t *p = in + (top + i / 32 - 2) * PITCH + left + i % 32;
        rows[i / 32][i % 32] = p[-2] - 5 * p[-1] + 20 * p[0] + 20 * p[1] - 5 * p[2] + p[3];
    }
    __syncthreads();
    for (int i = t; i < 16 * 32; i += 256) {
        int x = i % 32, y = i / 32;
        int sum = rows[y][x] - 5 * rows[y + 1][x] + 20 * rows[y + 2][x] + 20 * rows[y + 3][x] -
                  5 * rows[y + 4][x] + rows[y + 5][x];
        out[(blockIdx.y * 16 + y) * WIDE + blockIdx.x * 32 + x] =
            max(0, min(255, (sum + 512) >> 10));
    }
}

// a piece of 64 x 64 points stands alone; p: its point in a field with a line above and at the left
__host__ __device__ inline void predicted(uint8_t *p, int pitch, const int16_t *rest, int way)
{
    int sum = 4;
    for (int k = 0; k < 4; k++)
        sum += p[k - pitch] + p[k * pitch - 1];
    int above[4], left[4];
    for (int k = 0; k < 4; k++)
        above[k] = p[k - pitch], left[k] = p[k * pitch - 1];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            int guess = way == 0   ? sum >> 3
                        : way == 1 ? above[x]
                        : way == 2 ? left[y]
                                   : (above[x] + left[y] + 1) >> 1;
            p[y * pitch + x] = max(0, min(255, guess + rest[y * WIDE + x]));
        }
}

__global__ void __launch_bounds__(32)
    predict(const int16_t *__restrict__ rest, const uint8_t *__restrict__ ways,
            uint8_t *__restrict__ out)
{
    __shared__ uint8_t field[65 * 68];
    int t = threadIdx.x, left = blockIdx.x * 64, top = blockIdx.y * 64;
    for (int i = t; i < 65; i += 32)
        field[i] = field[i * 68] = 128;
    __syncwarp();
    for (int wave = 0; wave < 31; wave++) {
        int y = t, x = wave - t;
        if (y < 16 && x >= 0 && x < 16)
            predicted(field + (y * 4 + 1) * 68 + x * 4 + 1, 68,
                      rest + (top + y * 4) * WIDE + left + x * 4,
                      ways[(top / 4 + y) * (WIDE / 4) + left / 4 + x]);
        __syncwarp();
    }
    for (int i = t; i < 64 * 64; i += 32)
        out[(top + i / 64) * WIDE + left + i % 64] = field[(i / 64 + 1) * 68 + i % 64 + 1];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(251);
    std::vector<int16_t> rest(WIDE * HIGH), levels(WIDE * HIGH);
    std::vector<uint8_t> picture(WIDE * HIGH), padded((HIGH + 2 * PAD) * PITCH),
        strengths(HIGH / 4 * (WIDE / 8)), ways(WIDE * HIGH / 16);
    for (int16_t &r : rest)
        r = (int)random.below(80) - 40;
    for (int i = 0; i < WIDE * HIGH; i++)
        picture[i] = 100 + 40 * sinf(i % WIDE / 8 * 0.3f) + i / WIDE % 50 + random.below(8);
    for (uint8_t &p : padded)
        p = random.next() >> 24;
    for (uint8_t &s : strengths)
        s = random.below(4) ? random.below(5) : 0;
    for (uint8_t &w : ways)
        w = random.below(4);
    for (int i = 0; i < WIDE * HIGH / 16; i++) {
        int at = i / (WIDE / 4) * 4 * WIDE + i % (WIDE / 4) * 4, v[4][4];
        for (int k = 0; k < 16; k++)
            v[k / 4][k % 4] = rest[at + k / 4 * WIDE + k % 4];
        for (int r = 0; r < 4; r++)
            four(v[r][0], v[r][1], v[r][2], v[r][3]);
        for (int k = 0; k < 4; k++)
            four(v[0][k], v[1][k], v[2][k], v[3][k]);
        for (int k = 0; k < 16; k++)
            levels[at + k / 4 * WIDE + k % 4] = quantised(v[k / 4][k % 4], k % 4, k / 4);
    }
    int16_t *R = copy(rest), *out = room<int16_t>(WIDE * HIGH);
    uint8_t *work = room<uint8_t>(WIDE * HIGH), *P = copy(padded), *S = copy(strengths),
            *W = copy(ways);
    auto wiped = [&] {
        fill(out, WIDE * HIGH, 0x77);
        fill(work, WIDE * HIGH, 0x77);
    };
    auto transformed = [&] {
        return differ(out, WIDE * HIGH, 1, 0, [&](size_t i) { return levels[i]; });
    };
    variant(
        "transform_thread", "transform_thread", wiped,
        [&] { transform_thread<<<WIDE * HIGH / 16 / 128, 128>>>((short4 *)R, (short4 *)out); },
        transformed);
    variant(
        "transform_lanes", "transform_lanes", wiped,
        [&] { transform_lanes<<<WIDE * HIGH / 4 / 128, 128>>>((short4 *)R, (short4 *)out); },
        transformed);
    variant(
        "smooth_edges", "smooth_edges", [&] { put(work, picture); },
        [&] { smooth_edges<<<((WIDE / 8 - 1) * HIGH + 127) / 128, 128>>>(work, S); },
        [&] {
            std::vector<uint8_t> want = picture;
            for (int y = 0; y < HIGH; y++)
                for (int edge = 0; edge < WIDE / 8 - 1; edge++)
                    if (strengths[y / 4 * (WIDE / 8) + edge])
                        smoothed(&want[y * WIDE + edge * 8 + 8], 40, 12,
                                 strengths[y / 4 * (WIDE / 8) + edge]);
            return differ(work, WIDE * HIGH, 1, 0, [&](size_t i) { return want[i]; });
        });
    variant(
        "six_taps", "six_taps", wiped,
        [&] { six_taps<<<dim3(WIDE / 32, HIGH / 16), 256>>>(P, work); },
        [&] {
            return differ(work, WIDE * HIGH, 3, 0, [&](size_t i) {
                const int taps[6] = {1, -5, 20, 20, -5, 1};
                int sum = 0;
                for (int k = 0; k < 36; k++)
                    sum +=
                        taps[k / 6] * taps[k % 6] *
                        padded[(i / WIDE + PAD + k / 6 - 2) * PITCH + i % WIDE + PAD + k % 6 - 2];
                return std::max(0, std::min(255, (sum + 512) >> 10));
            });
        });
    variant(
        "predict", "predict", wiped,
        [&] { predict<<<dim3(WIDE / 64, HIGH / 64), 32>>>(R, W, work); },
        [&] {
            std::vector<uint8_t> field(65 * 65, 128), got = fetch(work, WIDE * HIGH);
            long bad = 0;
            for (int piece = 0; piece < WIDE * HIGH / 4096; piece++) {
                int left = piece % (WIDE / 64) * 64, top = piece / (WIDE / 64) * 64;
                for (int k = 0; k < 256; k++) {
                    int x = k % 16 * 4, y = k / 16 * 4;
                    predicted(&field[(y + 1) * 65 + x + 1], 65, &rest[(top + y) * WIDE + left + x],
                              ways[(top + y) / 4 * (WIDE / 4) + (left + x) / 4]);
                }
                for (int k = 0; k < 4096; k++)
                    bad += got[(top + k / 64) * WIDE + left + k % 64] !=
                           field[(k / 64 + 1) * 65 + k % 64 + 1];
            }
            return bad;
        });
    return finish();
}
