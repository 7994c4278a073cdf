// Alternating directions for heat: lines along x by a block in shared memory, lines along x by a
// warp with shuffles, lines along y by a thread each with coefficients kept, along y in double
// precision.
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

constexpr int N = 1024;

// -a x[i - 1] + (1 + 2 a) x[i] - a x[i + 1] = d[i], 0 beyond both ends. Reduction by twos in a
// block: a line of N
__global__ void x_block(const float *__restrict__ d, float *__restrict__ x, float a)
{
    __shared__ float low[N], high[N], right[N];
    int i = threadIdx.x;
    float l = i ? -a : 0, h = i < N - 1 ? -a : 0, r = d[blockIdx.x * N + i], by = 1 / (1 + 2 * a);
    l *= by;
    h *= by;
    r *= by;
    for (int step = 1; step < N; step *= 2) {
        low[i] = l;
        high[i] = h;
        right[i] = r;
        __syncthreads();
        float l1 = 0, h1 = 0, r1 = 0, l2 = 0, h2 = 0, r2 = 0;
        if (i >= step) {
            l1 = low[i - step];
            h1 = high[i - step];
            r1 = right[i - step];
        }
        if (i + step < N) {
            l2 = low[i + step];
            h2 = high[i + step];
            r2 = right[i + step];
        }
        by = 1 / (1 - l * h1 - h * l2);
        r = (r - l * r1 - h * r2) * by;
        l = -l * l1 * by;
        h = -h * h2 * by;
        __syncthreads();
    }
    x[blockIdx.x * N + i] = r;
}

// a warp has a line of 128: four unknowns a lane, the ends of lanes by shuffles
__global__ void x_warp(const float4 *__restrict__ d, float4 *__restrict__ x, float a, int lines)
{
    int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (line >= lines)
        return;
    float4 v = d[line * 32 + lane];
    float r[4] = {v.x, v.y, v.z, v.w}, l[4], h[4], b = 1 + 2 * a;
    // each lane: x[k] = r[k] - l[k] x(before lane) - h[k] x(last of lane)
    l[0] = lane ? -a / b : 0;
    r[0] /= b;
    h[0] = -a / b;
    for (int k = 1; k < 4; k++) {
        float by = 1 / (b + a * h[k - 1]);
        r[k] = (r[k] + a * r[k - 1]) * by;
        l[k] = a * l[k - 1] * by;
        h[k] = -a * by;
    }
    if (lane == 31)
        h[3] = 0;
    // x[k] = r[k] - l[k] xb - h[k] x[k + 1]: first unknown by last ones
    float fr = r[2], fl = l[2], fh = h[2];
    for (int k = 1; k >= 0; k--) {
        fr = r[k] - h[k] * fr;
        fl = l[k] - h[k] * fl;
        fh = -h[k] * fh;
    }
    // last unknowns: x3 = r3 - l3 xb - h3 (first of next)
    float nr = __shfl_down_sync(~0u, fr, 1), nl = __shfl_down_sync(~0u, fl, 1),
          nh = __shfl_down_sync(~0u, fh, 1);
    float by = 1 / (1 - h[3] * nl), pr = (r[3] - h[3] * nr) * by, pl = l[3] * by,
          ph = -h[3] * nh * by;
    for (int step = 1; step < 32; step *= 2) {
        float r1 = __shfl_up_sync(~0u, pr, step), l1 = __shfl_up_sync(~0u, pl, step),
              h1 = __shfl_up_sync(~0u, ph, step);
        float r2 = __shfl_down_sync(~0u, pr, step), l2 = __shfl_down_sync(~0u, pl, step),
              h2 = __shfl_down_sync(~0u, ph, step);
        if (lane < step)
            r1 = l1 = h1 = 0;
        if (lane + step > 31)
            r2 = l2 = h2 = 0;
        by = 1 / (1 - pl * h1 - ph * l2);
        pr = (pr - pl * r1 - ph * r2) * by;
        pl = -pl * l1 * by;
        ph = -ph * h2 * by;
    }
    float before = __shfl_up_sync(~0u, pr, 1);
    before = lane ? before : 0;
    float x2 = r[2] - l[2] * before - h[2] * pr, x1 = r[1] - l[1] * before - h[1] * x2,
          x0 = r[0] - l[0] * before - h[0] * x1;
    x[line * 32 + lane] = make_float4(x0, x1, x2, pr);
}

// a thread has a column of `rows`; the coefficients are the same for all
template <class Real>
__global__ void y_lines(const Real *__restrict__ d, Real *__restrict__ x,
                        const Real *__restrict__ up, Real a, int width, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= width)
        return;
    Real before = 0;
    for (int r = 0; r < rows; r++) { // up[r] = a / (1 + 2 a - a up[r - 1])
        before = (d[r * width + c] + a * before) * (up[r] / a);
        x[r * width + c] = before;
    }
    for (int r = rows - 2; r >= 0; r--) {
        before = x[r * width + c] + up[r] * before;
        x[r * width + c] = before;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = N * N, rows = 128, width = 8192;
    const float a = 0.7f;
    Lcg random(349);
    std::vector<float> ds = random.floats(count, -1, 1), ups(rows);
    std::vector<double> doubles(ds.begin(), ds.end()), double_ups(rows);
    for (int r = 0; r < rows; r++)
        ups[r] = double_ups[r] = (double)a / (1 + 2 * (double)a - (r ? a * double_ups[r - 1] : 0));
    float *d = copy(ds), *up = copy(ups), *x = room<float>(count);
    double *dd = copy(doubles), *dup = copy(double_ups), *dx = room<double>(count);
    auto wiped = [&] {
        fill(x, count, 0xff);
        fill(dx, count, 0xff);
    };
    // what is wrong with lines of a length, unknowns a step apart
    auto check = [&](auto *device, int length, int lines, int step, double tolerance) {
        auto got = fetch(device, (size_t)length * lines);
        long bad = 0;
        for (int l = 0; l < lines; l++)
            for (int i = 0; i < length; i++) {
                size_t at = step == 1 ? (size_t)l * length + i : (size_t)i * step + l;
                double sum = (1 + 2 * (double)a) * got[at] -
                             a * ((i ? got[at - step] : 0) + (i + 1 < length ? got[at + step] : 0));
                bad += !near(sum, ds[at], tolerance);
            }
        return bad;
    };
    variant(
        "block", "x_block", wiped, [&] { x_block<<<N, N>>>(d, x, a); },
        [&] { return check(x, N, N, 1, 1e-4); });
    variant(
        "warp", "x_warp", wiped,
        [&] { x_warp<<<count / 128 / 8, 256>>>((const float4 *)d, (float4 *)x, a, count / 128); },
        [&] { return check(x, 128, count / 128, 1, 1e-4); });
    variant(
        "columns", "y_lines", wiped, [&] { y_lines<<<width / 64, 64>>>(d, x, up, a, width, rows); },
        [&] { return check(x, rows, width, width, 1e-4); });
    variant(
        "double", "y_lines", wiped,
        [&] { y_lines<<<width / 32, 32>>>(dd, dx, dup, (double)a, width, rows); },
        [&] { return check(dx, rows, width, width, 1e-6); });
    return finish();
}
