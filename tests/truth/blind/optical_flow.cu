// Optical flow: a window followed with turns of Lucas and Kanade by a warp each, one smoothing step
// of Horn and Schunck, a picture warped through a texture, sums of products of slopes by tiles, and
// polynomials fitted around each point.
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

constexpr int WIDE = 1024, HIGH = 512, COUNT = WIDE * HIGH, RADIUS = 4, TURNS = 10;

__host__ __device__ inline int held(int v, int limit)
{
    return v < 0 ? 0 : v >= limit ? limit - 1 : v;
}

__host__ __device__ inline float at(const float *p, int x, int y)
{
    return p[held(y, HIGH) * WIDE + held(x, WIDE)];
}

__host__ __device__ inline float between(const float *p, float x, float y)
{
    float fx = floorf(x), fy = floorf(y), u = x - fx, v = y - fy;
    int i = (int)fx, j = (int)fy;
    float a = at(p, i, j), b = at(p, i + 1, j), c = at(p, i, j + 1), d = at(p, i + 1, j + 1);
    return (a + u * (b - a)) * (1 - v) + (c + u * (d - c)) * v;
}

// 9 x 9 points of the window: three for each lane
__global__ void __launch_bounds__(64)
    follow(const float *__restrict__ one, const float *__restrict__ two,
           const float2 *__restrict__ points, float2 *__restrict__ out)
{
    int f = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float2 p = points[f], d = make_float2(0, 0);
    float value[3], sx[3], sy[3], xx = 0, xy = 0, yy = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int i = lane + 32 * k;
        float x = p.x + i % 9 - RADIUS, y = p.y + i / 9 - RADIUS;
        bool inside = i < 81;
        value[k] = inside ? between(one, x, y) : 0;
        sx[k] = inside ? 0.5f * (between(one, x + 1, y) - between(one, x - 1, y)) : 0;
        sy[k] = inside ? 0.5f * (between(one, x, y + 1) - between(one, x, y - 1)) : 0;
        xx += sx[k] * sx[k], xy += sx[k] * sy[k], yy += sy[k] * sy[k];
    }
    for (int s = 16; s; s /= 2) {
        xx += __shfl_xor_sync(~0u, xx, s);
        xy += __shfl_xor_sync(~0u, xy, s);
        yy += __shfl_xor_sync(~0u, yy, s);
    }
    float inverse = 1 / (xx * yy - xy * xy + 1e-3f);
    for (int n = 0; n < TURNS; n++) {
        float bx = 0, by = 0;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            int i = lane + 32 * k;
            float off = i < 81 ? value[k] - between(two, p.x + d.x + i % 9 - RADIUS,
                                                    p.y + d.y + i / 9 - RADIUS)
                               : 0;
            bx += off * sx[k], by += off * sy[k];
        }
        for (int s = 16; s; s /= 2) {
            bx += __shfl_xor_sync(~0u, bx, s);
            by += __shfl_xor_sync(~0u, by, s);
        }
        float u = (yy * bx - xy * by) * inverse, v = (xx * by - xy * bx) * inverse;
        d.x += u, d.y += v;
        if (u * u + v * v < 1e-6f)
            break;
    }
    if (lane == 0)
        out[f] = d;
}

__host__ __device__ inline float2 smoothed(const float2 *flow, float ix, float iy, float it, int x,
                                           int y)
{
    float u = 0, v = 0;
    for (int k = 0; k < 9; k++) {
        if (k == 4)
            continue;
        float2 f = flow[held(y + k / 3 - 1, HIGH) * WIDE + held(x + k % 3 - 1, WIDE)];
        float w = k % 2 ? 1.0f / 6 : 1.0f / 12;
        u += w * f.x, v += w * f.y;
    }
    float t = (ix * u + iy * v + it) / (100 + ix * ix + iy * iy);
    return make_float2(u - ix * t, v - iy * t);
}

__global__ void smooth(const float2 *__restrict__ flow, const float *__restrict__ one,
                       const float *__restrict__ two, float2 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float ix = 0.5f * (at(one, x + 1, y) - at(one, x - 1, y)),
          iy = 0.5f * (at(one, x, y + 1) - at(one, x, y - 1));
    out[y * WIDE + x] = smoothed(flow, ix, iy, at(two, x, y) - at(one, x, y), x, y);
}

__global__ void warped(cudaTextureObject_t picture, const float2 *__restrict__ flow,
                       float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float2 f = flow[y * WIDE + x];
    out[y * WIDE + x] = tex2D<float>(picture, x + f.x + 0.5f, y + f.y + 0.5f);
}

constexpr int TX = 32, TY = 8, R = 3;

__global__ void __launch_bounds__(TX *TY)
    tensor(const float *__restrict__ one, float4 *__restrict__ out)
{
    __shared__ float2 slope[TY + 2 * R][TX + 2 * R];
    int left = blockIdx.x * TX - R, top = blockIdx.y * TY - R, t = threadIdx.y * TX + threadIdx.x;
    for (int k = t; k < (TY + 2 * R) * (TX + 2 * R); k += TX * TY) {
        int x = left + k % (TX + 2 * R), y = top + k / (TX + 2 * R);
        slope[k / (TX + 2 * R)][k % (TX + 2 * R)] =
            make_float2(0.5f * (at(one, x + 1, y) - at(one, x - 1, y)),
                        0.5f * (at(one, x, y + 1) - at(one, x, y - 1)));
    }
    __syncthreads();
    float xx = 0, xy = 0, yy = 0;
    for (int j = 0; j <= 2 * R; j++)
#pragma unroll
        for (int i = 0; i <= 2 * R; i++) {
            float2 s = slope[threadIdx.y + j][threadIdx.x + i];
            xx += s.x * s.x, xy += s.x * s.y, yy += s.y * s.y;
        }
    float half = 0.5f * (xx + yy), root = sqrtf(0.25f * (xx - yy) * (xx - yy) + xy * xy);
    out[(blockIdx.y * TY + threadIdx.y) * WIDE + blockIdx.x * TX + threadIdx.x] =
        make_float4(half + root, half - root, xy, xx);
}

// six coefficients of a parabola by weights that fall off: a row of sums slides through registers
__constant__ float FALL[5];

__global__ void __launch_bounds__(128)
    parabolas(const float *__restrict__ one, float *__restrict__ out)
{
    int x = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * 16;
    float a[5], b[5], c[5]; // sums along a row with 1, x, x x
    auto row = [&](int y, float &u, float &v, float &w) {
        u = v = w = 0;
#pragma unroll
        for (int k = -2; k <= 2; k++) {
            float p = FALL[k + 2] * at(one, x + k, y);
            u += p, v += k * p, w += k * k * p;
        }
    };
#pragma unroll
    for (int k = 0; k < 4; k++)
        row(first + k - 2, a[k + 1], b[k + 1], c[k + 1]);
    for (int y = first; y < first + 16; y++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            a[k] = a[k + 1], b[k] = b[k + 1], c[k] = c[k + 1];
        row(y + 2, a[4], b[4], c[4]);
        float sum[6] = {};
#pragma unroll
        for (int k = 0; k < 5; k++) {
            float w = FALL[k], d = k - 2;
            sum[0] += w * a[k], sum[1] += w * b[k], sum[2] += w * d * a[k];
            sum[3] += w * c[k], sum[4] += w * d * b[k], sum[5] += w * d * d * a[k];
        }
#pragma unroll
        for (int k = 0; k < 6; k++)
            out[k * COUNT + y * WIDE + x] = sum[k];
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(71);
    const int features = 4096;
    std::vector<float> one(COUNT), two(COUNT);
    for (int i = 0; i < COUNT; i++) {
        float x = i % WIDE, y = i / WIDE;
        auto f = [](float u, float v) {
            return 100 + 40 * sinf(u * 0.21f + v * 0.05f) + 40 * sinf(v * 0.17f - u * 0.03f);
        };
        one[i] = f(x, y), two[i] = f(x + 0.7f + 0.2f * sinf(y * 0.01f), y - 0.4f);
    }
    float fall[5] = {0.2f, 0.7f, 1, 0.7f, 0.2f};
    must(cudaMemcpyToSymbol(FALL, fall, sizeof fall));
    std::vector<float2> points(features), flow(COUNT);
    for (float2 &p : points)
        p = make_float2(random.between(20, WIDE - 20), random.between(20, HIGH - 20));
    for (float2 &p : flow)
        p = make_float2(random.between(-2, 2), random.between(-2, 2));
    float *A = copy(one), *B = copy(two), *out = room<float>(COUNT * 6);
    float2 *P = copy(points), *F = copy(flow);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&array, &format, WIDE, HIGH));
    must(cudaMemcpy2DToArray(array, 0, 0, two.data(), WIDE * 4, WIDE * 4, HIGH,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t picture;
    must(cudaCreateTextureObject(&picture, &what, &how, nullptr));
    dim3 grid(WIDE / 32, HIGH / 8), block(32, 8);
    auto wiped = [&] { fill(out, COUNT * 6, 0xff); };
    auto follow_check = [&](int count) {
        return differ(out, 2 * count, 1, 2e-2, [&](size_t i) {
            float2 p = points[i / 2];
            float s[81][3], xx = 0, xy = 0, yy = 0, dx = 0, dy = 0;
            for (int k = 0; k < 81; k++) {
                float x = p.x + k % 9 - RADIUS, y = p.y + k / 9 - RADIUS;
                s[k][0] = between(one.data(), x, y),
                s[k][1] = 0.5f * (between(one.data(), x + 1, y) - between(one.data(), x - 1, y));
                s[k][2] = 0.5f * (between(one.data(), x, y + 1) - between(one.data(), x, y - 1));
                xx += s[k][1] * s[k][1], xy += s[k][1] * s[k][2], yy += s[k][2] * s[k][2];
            }
            float inverse = 1 / (xx * yy - xy * xy + 1e-3f);
            for (int n = 0; n < TURNS; n++) {
                float bx = 0, by = 0;
                for (int k = 0; k < 81; k++) {
                    float off = s[k][0] - between(two.data(), p.x + dx + k % 9 - RADIUS,
                                                  p.y + dy + k / 9 - RADIUS);
                    bx += off * s[k][1], by += off * s[k][2];
                }
                float u = (yy * bx - xy * by) * inverse, v = (xx * by - xy * bx) * inverse;
                dx += u, dy += v;
                if (u * u + v * v < 1e-6f)
                    break;
            }
            return i % 2 ? dy : dx;
        });
    };
    variant(
        "follow", "follow", wiped, [&] { follow<<<features / 2, 64>>>(A, B, P, (float2 *)out); },
        [&] { return follow_check(features); });
    variant(
        "smooth", "smooth", wiped, [&] { smooth<<<grid, block>>>(F, A, B, (float2 *)out); },
        [&] {
            return differ(out, COUNT * 2, 13, 1e-4, [&](size_t i) {
                int x = i / 2 % WIDE, y = i / 2 / WIDE;
                const float *p = one.data();
                float ix = 0.5f * (at(p, x + 1, y) - at(p, x - 1, y)),
                      iy = 0.5f * (at(p, x, y + 1) - at(p, x, y - 1));
                float2 f = smoothed(flow.data(), ix, iy, two[i / 2] - one[i / 2], x, y);
                return i % 2 ? f.y : f.x;
            });
        });
    variant(
        "warped", "warped", wiped, [&] { warped<<<grid, block>>>(picture, F, out); },
        [&] {
            return differ(out, COUNT, 7, 1e-2, [&](size_t i) {
                return between(two.data(), i % WIDE + flow[i].x, i / WIDE + flow[i].y);
            });
        });
    variant(
        "tensor", "tensor", wiped, [&] { tensor<<<grid, block>>>(A, (float4 *)out); },
        [&] {
            return differ(out, COUNT * 4, 31, 2e-3, [&](size_t i) {
                double xx = 0, xy = 0, yy = 0;
                for (int k = 0; k < 49; k++) {
                    int x = i / 4 % WIDE + k % 7 - 3, y = i / 4 / WIDE + k / 7 - 3;
                    double u = 0.5 * (at(one.data(), x + 1, y) - at(one.data(), x - 1, y)),
                           v = 0.5 * (at(one.data(), x, y + 1) - at(one.data(), x, y - 1));
                    xx += u * u, xy += u * v, yy += v * v;
                }
                double half = (xx + yy) / 2, root = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
                return i % 4 == 0 ? half + root : i % 4 == 1 ? half - root : i % 4 == 2 ? xy : xx;
            });
        });
    variant(
        "parabolas", "parabolas", wiped,
        [&] { parabolas<<<dim3(WIDE / 128, HIGH / 16), 128>>>(A, out); },
        [&] {
            return differ(out, COUNT * 6, 31, 1e-3, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE % HIGH, which = i / COUNT;
                double sum = 0;
                for (int v = -2; v <= 2; v++)
                    for (int u = -2; u <= 2; u++) {
                        const int powers[6] = {1, u, v, u * u, u * v, v * v};
                        sum += fall[u + 2] * fall[v + 2] * powers[which] *
                               at(one.data(), x + u, y + v);
                    }
                return sum;
            });
        });
    return finish();
}
