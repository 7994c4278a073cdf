// Eigenvalues and singular values: Sturm's counts by halves for tridiagonal matrices with an
// eigenvalue in each thread, in double and in single precision, turns of columns in shared memory
// for singular values, and small symmetric matrices made tridiagonal by a warp.
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

constexpr int ORDER = 128, MATRICES = 16, COLUMNS = 32, LENGTH = 64;

__host__ __device__ inline int below(const double *d, const double *ee, double x)
{
    int count = 0;
    double q = 1;
    for (int k = 0; k < ORDER; k++) {
        q = d[k] - x - (k ? ee[k - 1] / q : 0);
        if (fabs(q) < 1e-280)
            q = -1e-280;
        count += q < 0;
    }
    return count;
}

__host__ __device__ inline double by_halves(const double *d, const double *ee, int which, int turns)
{
    double low = -8, high = 8;
    for (int t = 0; t < turns; t++) {
        double middle = 0.5 * (low + high);
        if (below(d, ee, middle) > which)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

__global__ void __launch_bounds__(64)
    sturm(const double *__restrict__ diagonals, const double *__restrict__ squares,
          double *__restrict__ out, int turns)
{
    __shared__ double d[ORDER], ee[ORDER];
    int m = blockIdx.y;
    for (int k = threadIdx.x; k < ORDER; k += 64)
        d[k] = diagonals[m * ORDER + k], ee[k] = squares[m * ORDER + k];
    __syncthreads();
    int which = blockIdx.x * 64 + threadIdx.x;
    out[m * ORDER + which] = by_halves(d, ee, which, turns);
}

// the same in single precision: a quotient is a fast one
__global__ void __launch_bounds__(64)
    sturm_single(const float *__restrict__ diagonals, const float *__restrict__ squares,
                 float *__restrict__ out, int turns)
{
    int m = blockIdx.y, which = blockIdx.x * 64 + threadIdx.x;
    const float *d = diagonals + m * ORDER, *ee = squares + m * ORDER;
    float low = -8, high = 8;
    for (int t = 0; t < turns; t++) {
        float middle = 0.5f * (low + high), q = d[0] - middle;
        int count = q < 0;
        for (int k = 1; k < ORDER; k++) {
            q = d[k] - middle - __fdividef(ee[k - 1], q);
            q = fabsf(q) < 1e-20f ? -1e-20f : q;
            count += q < 0;
        }
        if (count > which)
            high = middle;
        else
            low = middle;
    }
    out[m * ORDER + which] = 0.5f * (low + high);
}

// one-sided turns (Jacobi): 16 warps take 16 pairs of 32 columns at once, all pairs in 31 rounds
__global__ void __launch_bounds__(512)
    turns_block(const float *__restrict__ in, float *__restrict__ out, int sweeps)
{
    __shared__ float a[COLUMNS][LENGTH + 1];
    const float *mine = in + blockIdx.x * COLUMNS * LENGTH;
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < COLUMNS * LENGTH; k += 512)
        a[k / LENGTH][k % LENGTH] = mine[k];
    for (int r = 0; r < sweeps * (COLUMNS - 1); r++) {
        __syncthreads();
        // as at a tournament: the last one stays, the others go round
        int p = w == 0 ? COLUMNS - 1 : (r + w) % (COLUMNS - 1),
            q = (r + COLUMNS - 1 - w) % (COLUMNS - 1);
        float x0 = a[p][lane], x1 = a[p][lane + 32], y0 = a[q][lane], y1 = a[q][lane + 32];
        float xx = x0 * x0 + x1 * x1, yy = y0 * y0 + y1 * y1, xy = x0 * y0 + x1 * y1;
        for (int d = 16; d; d /= 2) {
            xx += __shfl_xor_sync(~0u, xx, d);
            yy += __shfl_xor_sync(~0u, yy, d);
            xy += __shfl_xor_sync(~0u, xy, d);
        }
        if (fabsf(xy) > 1e-7f * sqrtf(xx * yy)) {
            float z = (yy - xx) / (2 * xy), t = copysignf(1, z) / (fabsf(z) + sqrtf(1 + z * z)),
                  c = rsqrtf(1 + t * t), s = c * t;
            a[p][lane] = c * x0 - s * y0, a[p][lane + 32] = c * x1 - s * y1;
            a[q][lane] = s * x0 + c * y0, a[q][lane + 32] = s * x1 + c * y1;
        }
    }
    __syncthreads();
    for (int k = w; k < COLUMNS; k += 16) {
        float sum = a[k][lane] * a[k][lane] + a[k][lane + 32] * a[k][lane + 32];
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0)
            out[blockIdx.x * COLUMNS + k] = sqrtf(sum);
    }
}

// symmetric 24 x 24 made tridiagonal by reflections: a warp each, a row a lane
constexpr int SMALL = 24;

__global__ void __launch_bounds__(128)
    tridiagonal(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float all[4][SMALL][SMALL + 1], vectors[4][2][SMALL];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, m = blockIdx.x * 4 + w,
        row = min(lane, SMALL - 1);
    float(*a)[SMALL + 1] = all[w], *v = vectors[w][0], *p = vectors[w][1];
    for (int k = lane; k < SMALL * SMALL; k += 32)
        a[k / SMALL][k % SMALL] = in[m * SMALL * SMALL + k];
    __syncwarp();
    for (int c = 0; c + 2 < SMALL; c++) {
        float x = lane > c && lane < SMALL ? a[lane][c] : 0, sum = x * x;
        for (int d = 16; d; d /= 2)
            sum += __shfl_xor_sync(~0u, sum, d);
        float first = __shfl_sync(~0u, x, c + 1), size = copysignf(sqrtf(sum), first),
              h = sum + first * size;
        float own = lane == c + 1 ? x + size : x;
        if (lane < SMALL)
            v[lane] = own;
        __syncwarp();
        float y = 0;
        for (int k = c + 1; k < SMALL; k++)
            y += a[row][k] * v[k];
        y = lane > c && lane < SMALL ? y / h : 0;
        float dot = y * own;
        for (int d = 16; d; d /= 2)
            dot += __shfl_xor_sync(~0u, dot, d);
        y -= own * dot / (2 * h);
        if (lane < SMALL)
            p[lane] = y;
        __syncwarp();
        if (lane > c && lane < SMALL)
            for (int k = c + 1; k < SMALL; k++)
                a[lane][k] -= own * p[k] + y * v[k];
        if (lane == c + 1)
            a[lane][c] = -size;
        __syncwarp();
    }
    if (lane < SMALL)
        out[m * 2 * SMALL + lane] = a[lane][lane],
                            out[m * 2 * SMALL + SMALL + lane] = lane ? a[lane][lane - 1] : 0;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(107);
    const int turns = 32, fast = 22, sets = 48, sweeps = 6, many = 4096;
    std::vector<double> d(MATRICES * ORDER), ee(MATRICES * ORDER);
    std::vector<float> df(MATRICES * ORDER), ef(MATRICES * ORDER),
        a = random.floats(sets * COLUMNS * LENGTH, -1, 1), s(many * SMALL * SMALL);
    for (int i = 0; i < MATRICES * ORDER; i++) {
        df[i] = d[i] = random.between(-2, 2);
        ef[i] = ee[i] = random.between(0.1f, 2);
    }
    for (int m = 0; m < many; m++)
        for (int r = 0; r < SMALL; r++)
            for (int c = 0; c <= r; c++)
                s[(m * SMALL + r) * SMALL + c] = s[(m * SMALL + c) * SMALL + r] =
                    random.between(-1, 1);
    double *D = copy(d), *E = copy(ee), *values = room<double>(MATRICES * ORDER);
    float *F = copy(df), *G = copy(ef), *A = copy(a), *S = copy(s),
          *out = room<float>(many * 2 * SMALL);
    auto wiped = [&] {
        fill(values, MATRICES * ORDER, 0xff);
        fill(out, many * 2 * SMALL, 0xff);
    };
    variant(
        "sturm", "sturm", wiped,
        [&] { sturm<<<dim3(ORDER / 64, MATRICES), 64>>>(D, E, values, turns); },
        [&] {
            return differ(values, MATRICES * ORDER, 23, 1e-10, [&](size_t i) {
                return by_halves(&d[i / ORDER * ORDER], &ee[i / ORDER * ORDER], i % ORDER, turns);
            });
        });
    variant(
        "sturm_single", "sturm_single", wiped,
        [&] { sturm_single<<<dim3(ORDER / 64, MATRICES), 64>>>(F, G, out, fast); },
        [&] {
            return differ(out, MATRICES * ORDER, 23, 1e-4, [&](size_t i) {
                return by_halves(&d[i / ORDER * ORDER], &ee[i / ORDER * ORDER], i % ORDER, turns);
            });
        });
    variant(
        "turns_block", "turns_block", wiped, [&] { turns_block<<<sets, 512>>>(A, out, sweeps); },
        [&] {
            std::vector<float> got = fetch(out, sets * COLUMNS, false);
            long bad = 0;
            for (int m = 0; m < sets;
                 m += 3) { // sums of powers of the values are those of the matrix
                double second = 0, fourth = 0, want2 = 0, want4 = 0;
                for (int k = 0; k < COLUMNS; k++)
                    second += (double)got[m * COLUMNS + k] * got[m * COLUMNS + k],
                        fourth += std::pow(got[m * COLUMNS + k], 4);
                for (int p = 0; p < COLUMNS; p++)
                    for (int q = 0; q < COLUMNS; q++) {
                        double sum = 0;
                        for (int k = 0; k < LENGTH; k++)
                            sum += a[(m * COLUMNS + p) * LENGTH + k] *
                                   a[(m * COLUMNS + q) * LENGTH + k];
                        want4 += sum * sum, want2 += p == q ? sum : 0;
                    }
                bad += !near(second, want2, 1e-3) + !near(fourth, want4, 1e-3);
            }
            return bad;
        });
    variant(
        "tridiagonal", "tridiagonal", wiped, [&] { tridiagonal<<<many / 4, 128>>>(S, out); },
        [&] {
            std::vector<float> got = fetch(out, many * 2 * SMALL);
            long bad = 0;
            for (int m = 0; m < many; m += 7) {
                double trace = 0, square = 0, want = 0, want2 = 0;
                for (int k = 0; k < SMALL; k++) {
                    double v = got[m * 2 * SMALL + k], e = got[m * 2 * SMALL + SMALL + k];
                    trace += v, square += v * v + 2 * e * e, want += s[(m * SMALL + k) * SMALL + k];
                    for (int j = 0; j < SMALL; j++)
                        want2 += s[(m * SMALL + k) * SMALL + j] * s[(m * SMALL + k) * SMALL + j];
                }
                bad += !near(trace, want, 1e-3) + !near(square, want2, 1e-3);
            }
            return bad;
        });
    return finish();
}
