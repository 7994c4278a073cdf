// Systems with a band: five diagonals with a system in each thread, blocks of 3 x 3 beside the
// diagonal in double precision, Cholesky's factor of a band of 32 by a warp, and a very long system
// cut into pieces, with pieces one behind the other and with pieces side by side.
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

constexpr int LONG = 128, SYSTEMS = 8192;

// all systems side by side; rows: two below, one below, diagonal, one above, two above, right side
__global__ void __launch_bounds__(64) five(const float *__restrict__ rows, float *__restrict__ u,
                                           float *__restrict__ v, float *__restrict__ x)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float u1 = 0, u2 = 0, v1 = 0, v2 = 0, x1 = 0, x2 = 0;
    for (int k = 0; k < LONG; k++) {
        const float *own = rows + k * 6 * SYSTEMS + i;
        float a = own[0], b = own[SYSTEMS], c = own[2 * SYSTEMS], d = own[3 * SYSTEMS],
              e = own[4 * SYSTEMS], f = own[5 * SYSTEMS];
        b -= a * u2;
        c = 1 / (c - a * v2 - b * u1);
        float un = (d - b * v1) * c, vn = e * c, xn = (f - a * x2 - b * x1) * c;
        u[k * SYSTEMS + i] = un, v[k * SYSTEMS + i] = vn, x[k * SYSTEMS + i] = xn;
        u2 = u1, u1 = un, v2 = v1, v1 = vn, x2 = x1, x1 = xn;
    }
    x1 = x2 = 0;
    for (int k = LONG - 1; k >= 0; k--) {
        float xn = x[k * SYSTEMS + i] - u[k * SYSTEMS + i] * x1 - v[k * SYSTEMS + i] * x2;
        x[k * SYSTEMS + i] = xn;
        x2 = x1, x1 = xn;
    }
}

// a block row: below, diagonal, above, each 3 x 3, and a right side of 3
constexpr int SHORT = 48, FEW = 4096;

struct Three {
    double m[9];
};

__host__ __device__ inline Three inverse(const Three &a)
{
    const double *m = a.m;
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
           c2 = m[3] * m[7] - m[4] * m[6], d = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    return {{c0 * d, (m[2] * m[7] - m[1] * m[8]) * d, (m[1] * m[5] - m[2] * m[4]) * d, c1 * d,
             (m[0] * m[8] - m[2] * m[6]) * d, (m[2] * m[3] - m[0] * m[5]) * d, c2 * d,
             (m[1] * m[6] - m[0] * m[7]) * d, (m[0] * m[4] - m[1] * m[3]) * d}};
}

__global__ void __launch_bounds__(64)
    blocks3(const double *__restrict__ rows, double *__restrict__ upper, double *__restrict__ x)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    Three above = {};
    double before[3] = {};
    for (int k = 0; k < SHORT; k++) {
        const double *own = rows + k * 30 * FEW + i;
        Three below, middle, next;
        double side[3];
#pragma unroll
        for (int e = 0; e < 9; e++)
            below.m[e] = own[e * FEW], middle.m[e] = own[(9 + e) * FEW];
#pragma unroll
        for (int r = 0; r < 3; r++) {
            side[r] = own[(27 + r) * FEW];
#pragma unroll
            for (int s = 0; s < 3; s++) {
                side[r] -= below.m[r * 3 + s] * before[s];
#pragma unroll
                for (int c = 0; c < 3; c++)
                    middle.m[r * 3 + c] -= below.m[r * 3 + s] * above.m[s * 3 + c];
            }
        }
        middle = inverse(middle);
#pragma unroll
        for (int e = 0; e < 9; e++)
            next.m[e] = own[(18 + e) * FEW];
#pragma unroll
        for (int r = 0; r < 3; r++) {
            before[r] = middle.m[r * 3] * side[0] + middle.m[r * 3 + 1] * side[1] +
                        middle.m[r * 3 + 2] * side[2];
            x[(k * 3 + r) * FEW + i] = before[r];
#pragma unroll
            for (int c = 0; c < 3; c++) {
                above.m[r * 3 + c] = middle.m[r * 3] * next.m[c] +
                                     middle.m[r * 3 + 1] * next.m[3 + c] +
                                     middle.m[r * 3 + 2] * next.m[6 + c];
                upper[(k * 9 + r * 3 + c) * FEW + i] = above.m[r * 3 + c];
            }
        }
    }
    for (int k = SHORT - 2; k >= 0; k--) {
        double now[3];
        for (int r = 0; r < 3; r++) {
            now[r] = x[(k * 3 + r) * FEW + i];
            for (int c = 0; c < 3; c++)
                now[r] -= upper[(k * 9 + r * 3 + c) * FEW + i] * before[c];
        }
        for (int r = 0; r < 3; r++)
            x[(k * 3 + r) * FEW + i] = before[r] = now[r];
    }
}

// a column of the band has the diagonal and 31 below; lanes take what a column changes
constexpr int BAND = 32, SIDE = 160, BANDS = 264;

__global__ void __launch_bounds__(32) band32(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float own[SIDE][BAND + 1];
    int lane = threadIdx.x;
    const float *from = in + blockIdx.x * SIDE * BAND;
    for (int k = 0; k < SIDE; k++)
        own[k][lane] = from[k * BAND + lane];
    __syncwarp();
    for (int k = 0; k < SIDE; k++) {
        float value = own[k][lane] * rsqrtf(own[k][0]);
        out[(blockIdx.x * SIDE + k) * BAND + lane] = value;
        int last = min(BAND, SIDE - k);
        for (int m = 1; m < last; m++) {
            float other = __shfl_sync(~0u, value, m);
            if (lane >= m)
                own[k + m][lane - m] -= other * value;
        }
        __syncwarp();
    }
}

// three diagonals: a piece is brought to two equations that join its ends to its neighbours'
constexpr int PIECE = 64, PIECES = 16384, TOTAL = PIECE * PIECES;

template <bool Beside>
__global__ void __launch_bounds__(128)
    pieces(const float4 *__restrict__ rows, float4 *__restrict__ ends, float2 *__restrict__ kept)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    auto at = [&](int k) { return Beside ? k * PIECES + i : i * PIECE + k; };
    // x[k] + up x[k + 1] + left x[before the piece] = side
    float4 row = rows[at(0)];
    float one = 1 / row.y, left = row.x * one, up = row.z * one, side = row.w * one;
    kept[at(0)] = make_float2(up, side);
    for (int k = 1; k < PIECE; k++) {
        row = rows[at(k)];
        one = 1 / (row.y - row.x * up);
        left = -row.x * left * one, side = (row.w - row.x * side) * one, up = row.z * one;
        kept[at(k)] = make_float2(up, side);
    }
    ends[2 * i + 1] = make_float4(left, 1, up, side);
    // the same from the last row upwards: x[k] + down x[k - 1] + right x[behind the piece] = side
    row = rows[at(PIECE - 1)];
    one = 1 / row.y;
    float right = row.z * one, down = row.x * one;
    side = row.w * one;
    for (int k = PIECE - 2; k >= 0; k--) {
        row = rows[at(k)];
        one = 1 / (row.y - row.z * down);
        right = -row.z * right * one, side = (row.w - row.z * side) * one, down = row.x * one;
    }
    ends[2 * i] = make_float4(down, 1, right, side);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(349);
    std::vector<float> rows = random.floats(LONG * 6 * SYSTEMS, -1, 1), bands(BANDS * SIDE * BAND);
    for (int k = 0; k < LONG; k++)
        for (int i = 0; i < SYSTEMS; i++) {
            float *own = &rows[k * 6 * SYSTEMS + i];
            own[2 * SYSTEMS] += 6;
            if (k < 2)
                own[0] = 0;
            if (k < 1)
                own[SYSTEMS] = 0;
            if (k >= LONG - 1)
                own[3 * SYSTEMS] = 0;
            if (k >= LONG - 2)
                own[4 * SYSTEMS] = 0;
        }
    std::vector<double> blocks(SHORT * 30 * FEW);
    for (int k = 0; k < SHORT; k++)
        for (int e = 0; e < 30; e++)
            for (int i = 0; i < FEW; i++) {
                bool ends = (e < 9 && k == 0) || (e >= 18 && e < 27 && k == SHORT - 1);
                blocks[(k * 30 + e) * FEW + i] =
                    ends ? 0 : random.between(-1, 1) + (e == 9 || e == 13 || e == 17 ? 9 : 0);
            }
    for (int i = 0; i < BANDS * SIDE * BAND; i++) {
        int k = i / BAND % SIDE, m = i % BAND;
        bands[i] = m == 0 ? random.between(30, 40) : k + m < SIDE ? random.between(-1, 1) : 0;
    }
    std::vector<float4> one_long(TOTAL), beside(TOTAL);
    for (int i = 0; i < TOTAL; i++) {
        one_long[i] = make_float4(i ? random.between(-1, 1) : 0, random.between(3, 4),
                                  i < TOTAL - 1 ? random.between(-1, 1) : 0, random.between(-1, 1));
        beside[i % PIECE * PIECES + i / PIECE] = one_long[i];
    }
    // the solution of the long system, and equations of the ends, in double precision
    std::vector<double> up(TOTAL), x(TOTAL);
    for (int i = 0; i < TOTAL; i++) {
        double one = 1 / (one_long[i].y - (i ? one_long[i].x * up[i - 1] : 0));
        up[i] = one_long[i].z * one;
        x[i] = (one_long[i].w - (i ? one_long[i].x * x[i - 1] : 0)) * one;
    }
    for (int i = TOTAL - 2; i >= 0; i--)
        x[i] -= up[i] * x[i + 1];
    float *R = copy(rows), *u = room<float>(LONG * SYSTEMS), *v = room<float>(LONG * SYSTEMS),
          *out = room<float>(BANDS * SIDE * BAND), *B = copy(bands);
    double *D = copy(blocks), *upper = room<double>(SHORT * 9 * FEW),
           *solved = room<double>(SHORT * 3 * FEW);
    float4 *L = copy(one_long), *S = copy(beside), *ends = room<float4>(2 * PIECES);
    float2 *kept = room<float2>(TOTAL);
    auto wiped = [&] {
        fill(out, BANDS * SIDE * BAND, 0x77);
        fill(solved, SHORT * 3 * FEW, 0x77);
        fill(ends, 2 * PIECES, 0x77);
        fill(kept, TOTAL, 0x77);
    };
    variant(
        "five", "five", wiped, [&] { five<<<SYSTEMS / 64, 64>>>(R, u, v, out); },
        [&] {
            std::vector<float> got = fetch(out, LONG * SYSTEMS);
            long bad = 0;
            for (int i = 0; i < SYSTEMS; i += 3)
                for (int k = 0; k < LONG; k++) {
                    double sum = 0;
                    for (int m = -2; m <= 2; m++)
                        if (k + m >= 0 && k + m < LONG)
                            sum += (double)rows[(k * 6 + m + 2) * SYSTEMS + i] *
                                   got[(k + m) * SYSTEMS + i];
                    bad += !near(sum, rows[(k * 6 + 5) * SYSTEMS + i], 1e-4);
                }
            return bad;
        });
    variant(
        "blocks3", "blocks3", wiped, [&] { blocks3<<<FEW / 64, 64>>>(D, upper, solved); },
        [&] {
            std::vector<double> got = fetch(solved, SHORT * 3 * FEW);
            long bad = 0;
            for (int i = 0; i < FEW; i += 3)
                for (int k = 0; k < SHORT; k++)
                    for (int r = 0; r < 3; r++) {
                        double sum = 0;
                        for (int m = -1; m <= 1; m++)
                            for (int c = 0; c < 3 && k + m >= 0 && k + m < SHORT; c++)
                                sum += blocks[(k * 30 + (m + 1) * 9 + r * 3 + c) * FEW + i] *
                                       got[((k + m) * 3 + c) * FEW + i];
                        bad += !near(sum, blocks[(k * 30 + 27 + r) * FEW + i], 1e-9);
                    }
            return bad;
        });
    variant(
        "band32", "band32", wiped, [&] { band32<<<BANDS, 32>>>(B, out); },
        [&] {
            std::vector<float> got = fetch(out, BANDS * SIDE * BAND);
            long bad = 0;
            for (int b = 0; b < BANDS; b += 9)
                for (int k = 0; k < SIDE; k++)
                    for (int m = 0; m < BAND && k + m < SIDE; m++) {
                        double sum = 0;
                        for (int j = std::max(0, k + m - BAND + 1); j <= k; j++)
                            sum += (double)got[(b * SIDE + j) * BAND + k - j] *
                                   got[(b * SIDE + j) * BAND + k + m - j];
                        bad += !near(sum, bands[(b * SIDE + k) * BAND + m], 1e-4);
                    }
            return bad;
        });
    // the solution fulfils the equations of the ends
    auto joined = [&] {
        std::vector<float4> got = fetch(ends, 2 * PIECES);
        long bad = 0;
        for (int i = 0; i < PIECES; i++) {
            int first = i * PIECE, last = first + PIECE - 1;
            double before = i ? x[first - 1] : 0, behind = i < PIECES - 1 ? x[last + 1] : 0;
            float4 a = got[2 * i], b = got[2 * i + 1];
            bad += !near(a.x * before + x[first] + a.z * behind, a.w, 1e-4);
            bad += !near(b.x * before + x[last] + b.z * behind, b.w, 1e-4);
        }
        return bad;
    };
    variant(
        "pieces_behind", "pieces", wiped,
        [&] { pieces<false><<<PIECES / 128, 128>>>(L, ends, kept); }, joined);
    variant(
        "pieces_beside", "pieces", wiped,
        [&] { pieces<true><<<PIECES / 128, 128>>>(S, ends, kept); }, joined);
    return finish();
}
