// Atomics of other kinds: floats added at random places of a table, floats raised to maxima by
// compare and swap, nearest points of a picture by minima of 64 bits, doubles added to few bins,
// and pairs of half precision added to rows.
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
#include <cuda_fp16.h>

__global__ void add_floats(const uint32_t *__restrict__ place, const float *__restrict__ value,
                           float *table, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(table + place[i], value[i]);
}

__global__ void raise(const uint32_t *__restrict__ place, const float *__restrict__ value,
                      float *table, int bins, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int *to = (int *)table + place[i] % bins, old = *to;
        float v = value[i];
        while (__int_as_float(old) < v) {
            int seen = atomicCAS(to, old, __float_as_int(v));
            if (seen == old)
                break;
            old = seen;
        }
    }
}

constexpr int WIDE = 1024, HIGH = 768;

__host__ __device__ inline int pixel(float4 p)
{
    int x = WIDE / 2 + p.x / p.z * 600, y = HIGH / 2 + p.y / p.z * 600;
    return p.x / p.z * 600 > -WIDE / 2 && p.y / p.z * 600 > -HIGH / 2 && x < WIDE && y < HIGH
               ? y * WIDE + x
               : -1;
}

__global__ void nearest(const float4 *__restrict__ points, unsigned long long *picture, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = points[i];
    int at = pixel(p);
    if (at >= 0)
        atomicMin(picture + at, (unsigned long long)__float_as_uint(p.z) << 32 | i);
}

__global__ void add_doubles(const uint32_t *__restrict__ place, const float *__restrict__ value,
                            double *bins, int many, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(bins + place[i] % many, (double)value[i]);
}

// a warp adds a row of 64 numbers
__global__ void add_pairs(const int *__restrict__ rows, const __half2 *__restrict__ values,
                          __half2 *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(table + rows[i / 32] * 32 + i % 32, values[i]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(163);
    const int count = 1500000, size = 1 << 22, bins = 3000, few = 20000, entries = 60000;
    std::vector<uint32_t> place(count);
    std::vector<float> value(count), table(size), tops(bins);
    std::vector<double> sums(few);
    for (int i = 0; i < count; i++) { // whole numbers, so that sums are exact in any order
        place[i] = random.below(3) ? random.below(size) : random.below(size / 64);
        value[i] = random.below(64);
        table[place[i]] += value[i];
        tops[place[i] % bins] = std::max(tops[place[i] % bins], value[i]);
        sums[place[i] % few] += value[i];
    }
    std::vector<float4> points(count);
    std::vector<unsigned long long> picture(WIDE * HIGH, ~0ull);
    for (int i = 0; i < count; i++) {
        float z = 2 + random.unit() * 3;
        points[i] =
            make_float4(random.between(-0.9f, 0.9f) * z, random.between(-0.7f, 0.7f) * z, z, 0);
        uint32_t bits;
        memcpy(&bits, &points[i].z, 4);
        int at = pixel(points[i]);
        if (at >= 0)
            picture[at] = std::min(picture[at], (unsigned long long)bits << 32 | i);
    }
    std::vector<int> rows(entries);
    std::vector<__half> adding(entries * 64);
    std::vector<float> row_sums(1000 * 64);
    for (int i = 0; i < entries; i++) {
        rows[i] = random.below(1000);
        for (int k = 0; k < 64; k++) {
            float v = (int)random.below(9) - 4;
            adding[i * 64 + k] = __float2half(v);
            row_sums[rows[i] * 64 + k] += v;
        }
    }
    uint32_t *P = copy(place);
    float *V = copy(value), *out = room<float>(size);
    float4 *PO = copy(points);
    unsigned long long *near_by = room<unsigned long long>(WIDE * HIGH);
    double *doubles = room<double>(few);
    int *R = copy(rows);
    __half *A = copy(adding), *halves = room<__half>(1000 * 64);
    auto zero = [&] {
        fill(out, size, 0);
        fill(near_by, WIDE * HIGH, 0xff);
        fill(doubles, few, 0);
        fill(halves, 1000 * 64, 0);
    };
    variant(
        "add_floats", "add_floats", zero,
        [&] { add_floats<<<(count + 255) / 256, 256>>>(P, V, out, count); },
        [&] { return differ(out, size, 1, 0, [&](size_t i) { return table[i]; }); });
    variant(
        "raise", "raise", zero, [&] { raise<<<132 * 4, 192>>>(P, V, out, bins, count); },
        [&] { return differ(out, bins, 1, 0, [&](size_t i) { return tops[i]; }); });
    variant(
        "nearest", "nearest", zero,
        [&] { nearest<<<(count + 127) / 128, 128>>>(PO, near_by, count); },
        [&] {
            std::vector<unsigned long long> got = fetch(near_by, WIDE * HIGH, false);
            long apart = 0; // points on the edge of a pixel may round to the next
            for (int i = 0; i < WIDE * HIGH; i++)
                apart += got[i] != picture[i];
            return apart > WIDE * HIGH / 1000 ? apart : 0;
        });
    variant(
        "add_doubles", "add_doubles", zero,
        [&] { add_doubles<<<132 * 2, 1024>>>(P, V, doubles, few, count); },
        [&] { return differ(doubles, few, 1, 0, [&](size_t i) { return sums[i]; }); });
    variant(
        "add_pairs", "add_pairs", zero,
        [&] { add_pairs<<<entries * 32 / 256, 256>>>(R, (__half2 *)A, (__half2 *)halves); },
        [&] {
            std::vector<__half> got = fetch(halves, 1000 * 64);
            long bad = 0;
            for (int i = 0; i < 1000 * 64; i++)
                bad += __half2float(got[i]) != row_sums[i];
            return bad;
        });
    return finish();
}
