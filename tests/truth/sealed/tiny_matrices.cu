// Very small matrices in each thread: eigenvectors of symmetric 3 x 3 by Jacobi rotations, inverses
// of 4 x 4 in double precision by cofactors, least squares of 8 x 4 by Householder reflections, a
// Kalman filter of four states over some steps, and symmetric 16 x 16 by a warp with eight
// rotations at a time.
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

__host__ __device__ inline void rotation(float app, float aqq, float apq, float &c, float &s)
{
    c = 1, s = 0;
    if (fabsf(apq) < 1e-20f)
        return;
    float theta = (aqq - app) / (2 * apq),
          t = (theta < 0 ? -1.f : 1.f) / (fabsf(theta) + sqrtf(theta * theta + 1));
    c = 1 / sqrtf(t * t + 1);
    s = t * c;
}

// six numbers of each matrix side by side over all matrices: xx yy zz xy yz xz
__global__ void eigen3(const float *__restrict__ in, float *__restrict__ values,
                       float *__restrict__ vectors, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        a[k][k] = in[k * count + i];
    a[0][1] = a[1][0] = in[3 * count + i];
    a[1][2] = a[2][1] = in[4 * count + i];
    a[0][2] = a[2][0] = in[5 * count + i];
    for (int sweep = 0; sweep < 5; sweep++) {
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const int p = k == 2 ? 0 : k, q = k == 2 ? 2 : k + 1, r = 3 - p - q;
            float c, s;
            rotation(a[p][p], a[q][q], a[p][q], c, s);
            float app = a[p][p], aqq = a[q][q], apq = a[p][q], arp = a[r][p], arq = a[r][q];
            a[p][p] = c * c * app - 2 * s * c * apq + s * s * aqq;
            a[q][q] = s * s * app + 2 * s * c * apq + c * c * aqq;
            a[p][q] = a[q][p] = (c * c - s * s) * apq + s * c * (app - aqq);
            a[r][p] = a[p][r] = c * arp - s * arq;
            a[r][q] = a[q][r] = s * arp + c * arq;
#pragma unroll
            for (int j = 0; j < 3; j++) {
                float x = v[j][p], y = v[j][q];
                v[j][p] = c * x - s * y;
                v[j][q] = s * x + c * y;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        values[k * count + i] = a[k][k];
        for (int j = 0; j < 3; j++)
            vectors[(j * 3 + k) * count + i] = v[j][k];
    }
}

__global__ void __launch_bounds__(128)
    inverse4(const double2 *__restrict__ in, double2 *__restrict__ out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    double2 raw[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        raw[k] = in[i * 8 + k];
    const double *m = (const double *)raw;
    double s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2],
           s2 = m[0] * m[7] - m[4] * m[3], s3 = m[1] * m[6] - m[5] * m[2],
           s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3],
           c5 = m[10] * m[15] - m[14] * m[11], c4 = m[9] * m[15] - m[13] * m[11],
           c3 = m[9] * m[14] - m[13] * m[10], c2 = m[8] * m[15] - m[12] * m[11],
           c1 = m[8] * m[14] - m[12] * m[10], c0 = m[8] * m[13] - m[12] * m[9];
    double d = 1 / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    out[i * 8] = make_double2((m[5] * c5 - m[6] * c4 + m[7] * c3) * d,
                              (-m[1] * c5 + m[2] * c4 - m[3] * c3) * d);
    out[i * 8 + 1] = make_double2((m[13] * s5 - m[14] * s4 + m[15] * s3) * d,
                                  (-m[9] * s5 + m[10] * s4 - m[11] * s3) * d);
    out[i * 8 + 2] = make_double2((-m[4] * c5 + m[6] * c2 - m[7] * c1) * d,
                                  (m[0] * c5 - m[2] * c2 + m[3] * c1) * d);
    out[i * 8 + 3] = make_double2((-m[12] * s5 + m[14] * s2 - m[15] * s1) * d,
                                  (m[8] * s5 - m[10] * s2 + m[11] * s1) * d);
    out[i * 8 + 4] = make_double2((m[4] * c4 - m[5] * c2 + m[7] * c0) * d,
                                  (-m[0] * c4 + m[1] * c2 - m[3] * c0) * d);
    out[i * 8 + 5] = make_double2((m[12] * s4 - m[13] * s2 + m[15] * s0) * d,
                                  (-m[8] * s4 + m[9] * s2 - m[11] * s0) * d);
    out[i * 8 + 6] = make_double2((-m[4] * c3 + m[5] * c1 - m[6] * c0) * d,
                                  (m[0] * c3 - m[1] * c1 + m[2] * c0) * d);
    out[i * 8 + 7] = make_double2((-m[12] * s3 + m[13] * s1 - m[14] * s0) * d,
                                  (m[8] * s3 - m[9] * s1 + m[10] * s0) * d);
}

// element k of system i at k * count + i: 8 x 4 by columns, then eight right sides
__global__ void __launch_bounds__(64)
    reflections(const float *__restrict__ in, float *__restrict__ out, int count)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= count)
        return;
    float a[5][8];
#pragma unroll
    for (int k = 0; k < 40; k++)
        a[k / 8][k % 8] = in[k * count + i];
    float d[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        float norm = 0;
#pragma unroll
        for (int r = c; r < 8; r++)
            norm += a[c][r] * a[c][r];
        d[c] = a[c][c] > 0 ? -sqrtf(norm) : sqrtf(norm);
        float first = a[c][c];
        a[c][c] -= d[c];
        float scale = 1 / (d[c] * (d[c] - first)); // 2 / |v|^2
#pragma unroll
        for (int j = c + 1; j < 5; j++) {
            float dot = 0;
#pragma unroll
            for (int r = c; r < 8; r++)
                dot += a[c][r] * a[j][r];
            dot *= scale;
#pragma unroll
            for (int r = c; r < 8; r++)
                a[j][r] -= dot * a[c][r];
        }
    }
    float x[4];
#pragma unroll
    for (int r = 3; r >= 0; r--) {
        x[r] = a[4][r];
#pragma unroll
        for (int c = r + 1; c < 4; c++)
            x[r] -= a[c][r] * x[c];
        x[r] /= d[r];
        out[r * count + i] = x[r];
    }
}

// place and speed in the plane, places are measured
__host__ __device__ inline void track(const float2 *seen, int step, int steps, float *x)
{
    float p[4][4] = {{10, 0, 0, 0}, {0, 10, 0, 0}, {0, 0, 5, 0}, {0, 0, 0, 5}};
    for (int t = 0; t < steps; t++) {
        const float dt = 0.1f, q = 0.02f, noise = 0.5f;
        x[0] += dt * x[2], x[1] += dt * x[3];
        for (int k = 0; k < 4; k++)
            p[0][k] += dt * p[2][k], p[1][k] += dt * p[3][k];
        for (int k = 0; k < 4; k++)
            p[k][0] += dt * p[k][2], p[k][1] += dt * p[k][3];
        for (int k = 0; k < 4; k++)
            p[k][k] += q;
        float a = p[0][0] + noise, b = p[0][1], d = p[1][1] + noise, det = 1 / (a * d - b * b);
        float ex = seen[t * step].x - x[0], ey = seen[t * step].y - x[1], row[2][4], gain[4][2];
        for (int k = 0; k < 4; k++) {
            gain[k][0] = (p[k][0] * d - p[k][1] * b) * det;
            gain[k][1] = (p[k][1] * a - p[k][0] * b) * det;
            row[0][k] = p[0][k], row[1][k] = p[1][k];
        }
        for (int k = 0; k < 4; k++) {
            x[k] += gain[k][0] * ex + gain[k][1] * ey;
            for (int j = 0; j < 4; j++)
                p[k][j] -= gain[k][0] * row[0][j] + gain[k][1] * row[1][j];
        }
    }
}

__global__ void __launch_bounds__(96)
    kalman(const float2 *__restrict__ seen, float4 *__restrict__ out, int steps, int count)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i >= count)
        return;
    float x[4] = {};
    track(seen + i, count, steps, x);
    out[i] = make_float4(x[0], x[1], x[2], x[3]);
}

// diagonal after six sweeps; pairs of rows by the circle method
__global__ void __launch_bounds__(128)
    eigen16(const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float all[4][16][17];
    __shared__ float2 turns[4][8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, matrix = blockIdx.x * 4 + warp;
    float(*a)[17] = all[warp];
    for (int k = lane; k < 256; k += 32)
        a[k / 16][k % 16] = in[matrix * 256 + k];
    for (int round = 0; round < 6 * 15; round++) {
        int k = lane % 8, p = k ? (round + k) % 15 : 15, q = (round + 15 - k) % 15;
        __syncwarp();
        if (lane < 8) {
            float c, s;
            rotation(a[p][p], a[q][q], a[p][q], c, s);
            turns[warp][lane] = make_float2(c, s);
        }
        __syncwarp();
        float2 t = turns[warp][k];
        for (int j = lane / 8; j < 16; j += 4) { // columns
            float x = a[j][p], y = a[j][q];
            a[j][p] = t.x * x - t.y * y;
            a[j][q] = t.y * x + t.x * y;
        }
        __syncwarp();
        for (int j = lane / 8; j < 16; j += 4) { // rows
            float x = a[p][j], y = a[q][j];
            a[p][j] = t.x * x - t.y * y;
            a[q][j] = t.y * x + t.x * y;
        }
    }
    __syncwarp();
    if (lane < 16)
        out[matrix * 16 + lane] = a[lane][lane];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(167);
    const int count = 150000, inverses = 1 << 17, systems = 100000, tracks = 60000, steps = 16,
              matrices = 512;
    std::vector<float> three = random.floats(6 * count, -2, 2), squares(40 * systems),
                       large(matrices * 256);
    std::vector<double> four(inverses * 16);
    for (int i = 0; i < inverses * 16; i++)
        four[i] = random.between(-1, 1) + (i % 16 % 5 == 0 ? 3 : 0);
    for (int i = 0; i < 40 * systems; i++)
        squares[i] = random.between(-1, 1) + (i / systems % 9 == 0 ? 2 : 0);
    std::vector<float2> seen(tracks * steps);
    for (int i = 0; i < tracks; i++) {
        float x = random.between(-5, 5), y = random.between(-5, 5), u = random.between(-2, 2),
              v = random.between(-2, 2);
        for (int t = 0; t < steps; t++)
            seen[t * tracks + i] = make_float2(x + u * t * 0.1f + random.between(-0.5f, 0.5f),
                                               y + v * t * 0.1f + random.between(-0.5f, 0.5f));
    }
    for (int m = 0; m < matrices; m++)
        for (int k = 0; k < 256; k++)
            if (k % 16 <= k / 16)
                large[m * 256 + k] = large[m * 256 + k % 16 * 16 + k / 16] = random.between(-1, 1);
    float *T = copy(three), *S = copy(squares), *L = copy(large), *values = room<float>(6 * count),
          *vectors = room<float>(9 * count);
    double *F = copy(four), *inverse = room<double>(inverses * 16);
    float2 *SE = copy(seen);
    auto wiped = [&] {
        fill(values, 6 * count, 0xff);
        fill(vectors, 9 * count, 0xff);
        fill(inverse, inverses * 16, 0xff);
    };
    variant(
        "eigen3", "eigen3", wiped,
        [&] { eigen3<<<(count + 127) / 128, 128>>>(T, values, vectors, count); },
        [&] {
            std::vector<float> w = fetch(values, 3 * count), v = fetch(vectors, 9 * count);
            long bad = 0;
            for (int i = 0; i < count; i++)
                for (int k = 0; k < 3; k++) {
                    auto m = [&](int r, int c) {
                        return three[(r == c       ? r
                                      : r + c == 1 ? 3
                                      : r + c == 3 ? 4
                                                   : 5) *
                                         count +
                                     i];
                    };
                    double norm = 0;
                    for (int r = 0; r < 3; r++) {
                        double sum = 0, x = v[(r * 3 + k) * count + i];
                        for (int c = 0; c < 3; c++)
                            sum += m(r, c) * v[(c * 3 + k) * count + i];
                        bad += !near(sum, w[k * count + i] * x, 1e-4);
                        norm += x * x;
                    }
                    bad += !near(norm, 1, 1e-4);
                }
            return bad;
        });
    variant(
        "inverse4", "inverse4", wiped,
        [&] { inverse4<<<inverses / 128, 128>>>((double2 *)F, (double2 *)inverse); },
        [&] {
            std::vector<double> got = fetch(inverse, inverses * 16);
            long bad = 0;
            for (int i = 0; i < inverses; i += 3)
                for (int k = 0; k < 16; k++) {
                    double sum = 0;
                    for (int j = 0; j < 4; j++)
                        sum += four[i * 16 + k / 4 * 4 + j] * got[i * 16 + j * 4 + k % 4];
                    bad += !near(sum, k % 5 == 0, 1e-9);
                }
            return bad;
        });
    variant(
        "reflections", "reflections", wiped,
        [&] { reflections<<<(systems + 63) / 64, 64>>>(S, values, systems); },
        [&] {
            std::vector<float> x = fetch(values, 4 * systems);
            long bad = 0;
            for (int i = 0; i < systems; i += 3) { // what is left is at right angles to all columns
                double left[8];
                for (int r = 0; r < 8; r++) {
                    left[r] = squares[(32 + r) * systems + i];
                    for (int c = 0; c < 4; c++)
                        left[r] -= (double)squares[(c * 8 + r) * systems + i] * x[c * systems + i];
                }
                for (int c = 0; c < 4; c++) {
                    double dot = 0;
                    for (int r = 0; r < 8; r++)
                        dot += squares[(c * 8 + r) * systems + i] * left[r];
                    bad += !near(dot, 0, 2e-4);
                }
            }
            return bad;
        });
    variant(
        "kalman", "kalman", wiped,
        [&] { kalman<<<tracks / 96, 96>>>(SE, (float4 *)values, steps, tracks); },
        [&] {
            std::vector<float> got = fetch(values, 4 * tracks);
            long bad = 0;
            for (int i = 0; i < tracks; i += 7) {
                float x[4] = {};
                track(&seen[i], tracks, steps, x);
                for (int k = 0; k < 4; k++)
                    bad += !near(got[4 * i + k], x[k], 1e-3);
            }
            return bad;
        });
    variant(
        "eigen16", "eigen16", wiped, [&] { eigen16<<<matrices / 4, 128>>>(L, values); },
        [&] {
            std::vector<float> got = fetch(values, matrices * 16);
            long bad = 0;
            for (int m = 0; m < matrices; m++) { // first three moments of the eigenvalues
                double one = 0, two = 0, three = 0, a = 0, b = 0, c = 0;
                const float *p = &large[m * 256];
                for (int k = 0; k < 16; k++) {
                    double w = got[m * 16 + k];
                    a += w, b += w * w, c += w * w * w;
                    one += p[k * 17];
                }
                for (int i = 0; i < 16; i++)
                    for (int j = 0; j < 16; j++) {
                        double square = 0;
                        for (int k = 0; k < 16; k++)
                            square += p[i * 16 + k] * p[k * 16 + j];
                        two += i == j ? square : 0;
                        three += square * p[j * 16 + i];
                    }
                bad += !near(a, one, 1e-3) || !near(b, two, 1e-3) || !near(c, three, 1e-2);
            }
            return bad;
        });
    return finish();
}
