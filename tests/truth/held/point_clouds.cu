// Clouds of points: sums in cells of a grid by atomics, cells found by hashing, normals from
// neighbours by the smallest eigenvalue, one step of fitting a cloud to another.
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

constexpr int SIDE = 64;

__host__ __device__ inline int cell_of(float3 p)
{
    return ((int)(p.z * SIDE) * SIDE + (int)(p.y * SIDE)) * SIDE + (int)(p.x * SIDE);
}

__global__ void grid_sums(const float3 *__restrict__ point, int count, float4 *__restrict__ cell)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float3 p = point[i];
    float *to = &cell[cell_of(p)].x;
    atomicAdd(to, p.x);
    atomicAdd(to + 1, p.y);
    atomicAdd(to + 2, p.z);
    atomicAdd(to + 3, 1.f);
}

// counts of fine cells in a table of pairs key + 1, count
__global__ void hash_counts(const float3 *__restrict__ point, int count, int fine,
                            int2 *__restrict__ table, uint32_t mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float3 p = point[i];
    int key = (((int)(p.z * fine) * fine + (int)(p.y * fine)) * fine + (int)(p.x * fine)) + 1;
    uint32_t slot = ((uint32_t)key * 0x9e3779b1u >> 8) & mask;
    for (;; slot = (slot + 1) & mask) {
        int old = table[slot].x;
        if (old == 0)
            old = atomicCAS(&table[slot].x, 0, key);
        if (old == 0 || old == key)
            break;
    }
    atomicAdd(&table[slot].y, 1);
}

__host__ __device__ inline float smallest_eigenvalue(float xx, float yy, float zz, float xy,
                                                     float xz, float yz)
{
    float q = (xx + yy + zz) / 3, a = xx - q, b = yy - q, c = zz - q,
          off = xy * xy + xz * xz + yz * yz;
    float p = sqrtf((a * a + b * b + c * c + 2 * off) / 6);
    if (p < 1e-12f)
        return q;
    float det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz),
          r = det / (2 * p * p * p);
    float angle = acosf(fminf(fmaxf(r, -1.f), 1.f)) / 3;
    return q + 2 * p * cosf(angle + 2.0943951f);
}

// neighbours by lists of K, side by side
template <int K>
__global__ void flatness(const float3 *__restrict__ point, const int *__restrict__ neighbour,
                         int count, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    float3 me = point[i];
    for (int k = 0; k < K; k++) {
        float3 p = point[neighbour[k * count + i]];
        p.x -= me.x;
        p.y -= me.y;
        p.z -= me.z;
        x += p.x;
        y += p.y;
        z += p.z;
        xx += p.x * p.x;
        yy += p.y * p.y;
        zz += p.z * p.z;
        xy += p.x * p.y;
        xz += p.x * p.z;
        yz += p.y * p.z;
    }
    const float n = K;
    float trace = (xx + yy + zz) / n - (x * x + y * y + z * z) / (n * n);
    out[i] = smallest_eigenvalue(xx / n - x * x / (n * n), yy / n - y * y / (n * n),
                                 zz / n - z * z / (n * n), xy / n - x * y / (n * n),
                                 xz / n - x * z / (n * n), yz / n - y * z / (n * n)) /
             trace;
}

// 12 sums over pairs of points: means and products
__global__ void fit_sums(const float3 *__restrict__ a, const float3 *__restrict__ b,
                         const int *__restrict__ match, int count, float *__restrict__ sum)
{
    float s[12] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float3 p = a[i], q = b[match[i]];
        const float x[3] = {p.x, p.y, p.z}, y[3] = {q.x, q.y, q.z};
        for (int r = 0; r < 3; r++) {
            s[r] += y[r] - x[r];
            for (int c = 0; c < 3; c++)
                s[3 + 3 * r + c] += x[r] * y[c];
        }
    }
    for (int k = 0; k < 12; k++) {
        for (int step = 16; step; step /= 2)
            s[k] += __shfl_xor_sync(~0u, s[k], step);
        if (threadIdx.x % 32 == k)
            atomicAdd(&sum[k], s[k]);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 19, cells = SIDE * SIDE * SIDE, fine = 200, near_points = 12,
              fitted = 1 << 20;
    const uint32_t mask = (1 << 20) - 1;
    Lcg random(383);
    std::vector<float3> points(fitted);
    for (float3 &p : points) { // three sheets; steps of 2^-12, so that few sums are rounded
        float u = random.unit(), v = random.unit();
        float w = random.below(3) * 0.3f + 0.05f + 0.02f * u + 0.01f * random.unit();
        p = make_float3(std::floor(u * 4096) / 4096, std::floor(v * 4096) / 4096,
                        std::floor(w * 4096) / 4096);
    }
    std::vector<int> neighbours((size_t)near_points * count), matches(fitted);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < near_points; k++)
            neighbours[(size_t)k * count + i] = (i + (int)random.below(2000) + 1) % count;
    for (int i = 0; i < fitted; i++)
        matches[i] = (i & ~1023) | random.below(1024);
    std::vector<double> cell_sums(4 * cells);
    std::vector<int> keys(count);
    for (int i = 0; i < count; i++) {
        float3 p = points[i];
        double *s = &cell_sums[4 * cell_of(p)];
        s[0] += p.x;
        s[1] += p.y;
        s[2] += p.z;
        s[3]++;
        keys[i] = (((int)(p.z * fine) * fine + (int)(p.y * fine)) * fine + (int)(p.x * fine)) + 1;
    }
    float3 *point = copy(points);
    int *neighbour = copy(neighbours), *match = copy(matches);
    float4 *cell = room<float4>(cells);
    int2 *table = room<int2>(mask + 1);
    float *out = room<float>(count), *sum = room<float>(12);
    auto reset = [&] {
        fill(cell, cells, 0);
        fill(table, mask + 1, 0);
        fill(out, count, 0xff);
        fill(sum, 12, 0);
    };
    variant(
        "grid", "grid_sums", reset, [&] { grid_sums<<<count / 256, 256>>>(point, count, cell); },
        [&] {
            return differ((const float *)cell, 4 * cells, 1, 1e-4,
                          [&](size_t i) { return cell_sums[i]; });
        });
    variant(
        "hash", "hash_counts", reset,
        [&] { hash_counts<<<count / 128, 128>>>(point, count, fine, table, mask); },
        [&] {
            std::vector<int2> got = fetch(table, mask + 1);
            std::vector<std::pair<int, int>> found, expected;
            for (int2 t : got)
                if (t.x)
                    found.push_back({t.x, t.y});
            std::vector<int> sorted = keys;
            std::sort(sorted.begin(), sorted.end());
            for (int k : sorted) {
                if (expected.empty() || expected.back().first != k)
                    expected.push_back({k, 0});
                expected.back().second++;
            }
            std::sort(found.begin(), found.end());
            return (long)(found != expected);
        });
    variant(
        "flatness", "flatness", reset,
        [&] { flatness<near_points><<<count / 128, 128>>>(point, neighbour, count, out); },
        [&] {
            return differ(out, count, 101, 2e-3, [&](size_t i) {
                double s[3] = {}, m[6] = {};
                for (int k = 0; k < near_points; k++) {
                    float3 p = points[neighbours[(size_t)k * count + i]];
                    double d[3] = {p.x - points[i].x, p.y - points[i].y, p.z - points[i].z};
                    for (int c = 0; c < 3; c++) {
                        s[c] += d[c] / near_points;
                        m[c] += d[c] * d[c] / near_points;
                        m[3 + c] += d[c == 2] * d[c ? 2 : 1] / near_points;
                    }
                }
                double xx = m[0] - s[0] * s[0], yy = m[1] - s[1] * s[1], zz = m[2] - s[2] * s[2];
                return smallest_eigenvalue(xx, yy, zz, m[3] - s[0] * s[1], m[4] - s[0] * s[2],
                                           m[5] - s[1] * s[2]) /
                       (xx + yy + zz);
            });
        });
    variant(
        "fit", "fit_sums", reset,
        [&] { fit_sums<<<132 * 4, 256>>>(point, point, match, fitted, sum); },
        [&] {
            double s[12] = {};
            for (int i = 0; i < fitted; i++) {
                const float *x = &points[i].x, *y = &points[matches[i]].x;
                for (int r = 0; r < 3; r++) {
                    s[r] += y[r] - x[r];
                    for (int c = 0; c < 3; c++)
                        s[3 + 3 * r + c] += (double)x[r] * y[c];
                }
            }
            return differ(sum, 12, 1, 1e-3, [&](size_t k) { return s[k]; });
        });
    return finish();
}
