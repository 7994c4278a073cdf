// Fourier transforms with larger steps: 1024 points by radix 4 in shared memory, 512 points with
// eight in each thread, 256 points in double precision, and the products and spectra of real
// signals between two transforms.
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

template <class Real> struct Pair {
    Real x, y;
};

template <class Real> __host__ __device__ inline Pair<Real> operator+(Pair<Real> a, Pair<Real> b)
{
    return {a.x + b.x, a.y + b.y};
}

template <class Real> __host__ __device__ inline Pair<Real> operator-(Pair<Real> a, Pair<Real> b)
{
    return {a.x - b.x, a.y - b.y};
}

template <class Real> __host__ __device__ inline Pair<Real> operator*(Pair<Real> a, Pair<Real> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

__device__ inline Pair<float> turn(float part, float)
{
    Pair<float> w;
    __sincosf(part * -6.283185307f, &w.y, &w.x);
    return w;
}

__device__ inline Pair<double> turn(double part, double)
{
    Pair<double> w;
    sincospi(-2 * part, &w.y, &w.x);
    return w;
}

template <class Real> __device__ void four(Pair<Real> *v)
{
    Pair<Real> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3], e = {d.y, -d.x};
    v[0] = a + c;
    v[1] = b + e;
    v[2] = a - c;
    v[3] = b - e;
}

// Stockham: N / 4 threads a transform
template <class Real, int N>
__global__ void radix4(const Pair<Real> *__restrict__ in, Pair<Real> *__restrict__ out)
{
    __shared__ Pair<Real> data[N];
    int t = threadIdx.x;
    Pair<Real> v[4];
    for (int k = 0; k < 4; k++)
        v[k] = in[(size_t)blockIdx.x * N + t + k * (N / 4)];
    for (int size = 1; size < N; size *= 4) {
        int low = t % size;
        for (int k = 1; k < 4; k++)
            v[k] = v[k] * turn((Real)(low * k) / (4 * size), Real());
        four(v);
        int at = t / size * size * 4 + low;
        __syncthreads();
        for (int k = 0; k < 4; k++)
            data[at + k * size] = v[k];
        __syncthreads();
        for (int k = 0; k < 4; k++)
            v[k] = data[t + k * (N / 4)];
    }
    for (int k = 0; k < 4; k++)
        out[(size_t)blockIdx.x * N + t + k * (N / 4)] = v[k];
}

__device__ void eight(Pair<float> *v)
{
    Pair<float> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    four(even);
    four(odd);
    const float h = 0.70710678f;
    odd[1] = odd[1] * Pair<float>{h, -h};
    odd[2] = {odd[2].y, -odd[2].x};
    odd[3] = odd[3] * Pair<float>{-h, -h};
    for (int k = 0; k < 4; k++) {
        v[k] = even[k] + odd[k];
        v[k + 4] = even[k] - odd[k];
    }
}

// 64 threads a transform of 512; parts through shared memory one after the other
__global__ void radix8(const Pair<float> *__restrict__ in, Pair<float> *__restrict__ out)
{
    __shared__ float part[2][576];
    int t = threadIdx.x, y = threadIdx.y;
    size_t base = ((size_t)blockIdx.x * 2 + y) * 512;
    Pair<float> v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[base + t + k * 64];
#pragma unroll
    for (int size = 1; size < 512; size *= 8) {
        int low = t % size;
#pragma unroll
        for (int k = 1; k < 8; k++)
            v[k] = v[k] * turn((float)(low * k) / (8 * size), 0.f);
        eight(v);
        if (size == 64)
            break;
        int at = t / size * size * 8 + low;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            part[y][at + k * size + (at + k * size) / 8] = v[k].x;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k].x = part[y][t + k * 64 + (t + k * 64) / 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            part[y][at + k * size + (at + k * size) / 8] = v[k].y;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k].y = part[y][t + k * 64 + (t + k * 64) / 8];
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[base + t + k * 64] = v[k];
}

// spectra of 2 n real numbers from n complex ones, times those of a filter
__global__ void real_times_filter(const Pair<float> *__restrict__ z,
                                  const Pair<float> *__restrict__ filter,
                                  Pair<float> *__restrict__ out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    size_t base = (size_t)blockIdx.y * n;
    if (k >= n)
        return;
    Pair<float> a = z[base + k], b = z[base + (k ? n - k : 0)],
                even = {(a.x + b.x) / 2, (a.y - b.y) / 2}, odd = {(a.y + b.y) / 2, (b.x - a.x) / 2},
                w;
    sincospif(-(float)k / n, &w.y, &w.x);
    out[base + k] = (even + odd * w) * filter[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 3 << 20;
    Lcg random(211);
    std::vector<Pair<float>> values(count);
    std::vector<Pair<double>> doubles(count / 2);
    for (Pair<float> &v : values)
        v = {random.between(-1, 1), random.between(-1, 1)};
    for (Pair<double> &v : doubles)
        v = {random.between(-1, 1), random.between(-1, 1)};
    Pair<float> *in = copy(values), *out = room<Pair<float>>(count);
    Pair<double> *din = copy(doubles), *dout = room<Pair<double>>(count / 2);
    auto wiped = [&] {
        fill(out, count, 0xff);
        fill(dout, count / 2, 0xff);
    };
    auto transform = [](const auto *v, int n, int k) {
        double x = 0, y = 0;
        for (int i = 0; i < n; i++) {
            double a = -2 * M_PI * ((long)i * k % n) / n, c = std::cos(a), s = std::sin(a);
            x += v[i].x * c - v[i].y * s;
            y += v[i].x * s + v[i].y * c;
        }
        return Pair<double>{x, y};
    };
    auto check = [&](const auto *device, const auto &from, int n, int all, double tolerance) {
        auto got = fetch(device, all);
        fetch(&device->x, 2 * (size_t)all); // for the sum
        long bad = 0;
        for (int i = 0; i < all; i += 1009) {
            Pair<double> e = transform(&from[i / n * n], n, i % n);
            bad += !near(got[i].x, e.x, tolerance) + !near(got[i].y, e.y, tolerance);
        }
        return bad;
    };
    variant(
        "radix4", "radix4", wiped, [&] { radix4<float, 1024><<<count / 1024, 256>>>(in, out); },
        [&] { return check(out, values, 1024, count, 2e-3); });
    variant(
        "radix8", "radix8", wiped, [&] { radix8<<<count / 1024, dim3(64, 2)>>>(in, out); },
        [&] { return check(out, values, 512, count, 2e-3); });
    variant(
        "double", "radix4", wiped, [&] { radix4<double, 256><<<count / 2 / 256, 64>>>(din, dout); },
        [&] { return check(dout, doubles, 256, count / 2, 1e-10); });
    variant(
        "filter", "real_times_filter", wiped,
        [&] { real_times_filter<<<dim3(4096 / 256, count / 4096), 256>>>(in, in, out, 4096); },
        [&] {
            std::vector<Pair<float>> got = fetch(out, count);
            long bad = 0;
            for (int i = 0; i < count; i += 13) {
                int k = i % 4096, base = i - k;
                Pair<float> a = values[i], b = values[base + (k ? 4096 - k : 0)];
                Pair<double> even = {(a.x + b.x) / 2, (a.y - b.y) / 2},
                             odd = {(a.y + b.y) / 2, (b.x - a.x) / 2},
                             w = {std::cos(-M_PI * k / 4096), std::sin(-M_PI * k / 4096)},
                             f = {values[k].x, values[k].y}, e = (even + odd * w) * f;
                bad += !near(got[i].x, e.x, 1e-4) + !near(got[i].y, e.y, 1e-4);
            }
            return bad;
        });
    return finish();
}
