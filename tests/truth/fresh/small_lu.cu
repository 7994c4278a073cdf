// LU of many small matrices: 32 x 32 with a row in each lane, 32 x 32 with pivots in shared memory, 6 x 6 in each
// thread.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

// rows are shifted by one word in shared memory on the way in and out
__global__ void lu_lanes(const float *in, float *out)
{
    __shared__ float turn[4][32][33];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t base = (size_t)(blockIdx.x * 4 + warp) * 1024;
    float row[32];
    for (int r = 0; r < 32; r++)
        turn[warp][r][lane] = in[base + r * 32 + lane];
    __syncwarp();
#pragma unroll
    for (int c = 0; c < 32; c++)
        row[c] = turn[warp][lane][c];
#pragma unroll
    for (int k = 0; k < 31; k++) {
        float factor = row[k] / __shfl_sync(~0u, row[k], k);
        if (lane <= k)
            factor = 0;
        else
            row[k] = factor;
#pragma unroll
        for (int c = k + 1; c < 32; c++)
            row[c] -= factor * __shfl_sync(~0u, row[c], k);
    }
#pragma unroll
    for (int c = 0; c < 32; c++)
        turn[warp][lane][c] = row[c];
    __syncwarp();
    for (int r = 0; r < 32; r++)
        out[base + r * 32 + lane] = turn[warp][r][lane];
}

// 256 threads a matrix; rows change places, order tells how
__global__ void lu_pivots(const float *in, float *out, int *order)
{
    __shared__ float m[32][33];
    __shared__ int pivot, place[32];
    int column = threadIdx.x % 32, first = threadIdx.x / 32;
    size_t base = (size_t)blockIdx.x * 1024;
    for (int r = first; r < 32; r += 8)
        m[r][column] = in[base + r * 32 + column];
    if (threadIdx.x < 32)
        place[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        if (first == 0) {
            float size = column >= k ? fabsf(m[column][k]) : -1;
            int best = column;
            for (int step = 16; step; step /= 2) {
                float other = __shfl_xor_sync(~0u, size, step);
                int theirs = __shfl_xor_sync(~0u, best, step);
                if (other > size || (other == size && theirs < best)) {
                    size = other;
                    best = theirs;
                }
            }
            if (column == 0) {
                pivot = best;
                int moved = place[k];
                place[k] = place[best];
                place[best] = moved;
            }
        }
        __syncthreads();
        if (first == 0 && pivot != k) {
            float moved = m[k][column];
            m[k][column] = m[pivot][column];
            m[pivot][column] = moved;
        }
        __syncthreads();
        if (threadIdx.x > k && threadIdx.x < 32)
            m[threadIdx.x][k] /= m[k][k];
        __syncthreads();
        for (int r = k + 1 + first; r < 32; r += 8)
            if (column > k)
                m[r][column] -= m[r][k] * m[k][column];
        __syncthreads();
    }
    for (int r = first; r < 32; r += 8)
        out[base + r * 32 + column] = m[r][column];
    if (threadIdx.x < 32)
        order[blockIdx.x * 32 + threadIdx.x] = place[threadIdx.x];
}

// element e of matrix i is at e * count + i
__global__ void lu_thread(const float *in, float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float m[6][6];
#pragma unroll
    for (int e = 0; e < 36; e++)
        m[e / 6][e % 6] = in[e * count + i];
#pragma unroll
    for (int k = 0; k < 5; k++)
#pragma unroll
        for (int r = k + 1; r < 6; r++) {
            m[r][k] /= m[k][k];
#pragma unroll
            for (int c = k + 1; c < 6; c++)
                m[r][c] -= m[r][k] * m[k][c];
        }
#pragma unroll
    for (int e = 0; e < 36; e++)
        out[e * count + i] = m[e / 6][e % 6];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int matrices = 4096, pivoted = 1500, small = 1 << 17;
    Lcg random(46);
    std::vector<float> host = random.floats((size_t)small * 36, -1, 1), strong = host;
    // without pivots the diagonal has to be strong
    for (int i = 0; i < matrices; i++)
        for (int k = 0; k < 32; k++)
            strong[i * 1024 + k * 33] += 20;
    for (int i = 0; i < small; i++)
        for (int k = 0; k < 6; k++)
            host[(size_t)k * 7 * small + i] += 8;
    std::vector<float> wild = random.floats(pivoted * 1024, -1, 1);
    float *in = copy(strong), *in_small = copy(host), *in_wild = copy(wild), *out = room<float>(host.size());
    int *order = room<int>(pivoted * 32);
    auto clear = [&] { fill(out, host.size(), 0xff); };
    // L times U against the matrix whose rows stand in the order given
    auto check = [&](int n, int count, auto got, auto expected) {
        long bad = 0;
        for (int i = 0; i < count; i += count / 50)
            for (int r = 0; r < n; r++)
                for (int c = 0; c < n; c++) {
                    double sum = 0;
                    for (int k = 0; k <= std::min(r, c); k++)
                        sum += (k == r ? 1.0 : got(i, r, k)) * got(i, k, c);
                    bad += !near(sum, expected(i, r, c), 1e-4);
                }
        return bad;
    };
    variant(
        "lanes", "lu_lanes", clear, [&] { lu_lanes<<<matrices / 4, 128>>>(in, out); },
        [&] {
            std::vector<float> got = fetch(out, (size_t)matrices * 1024);
            return check(
                32, matrices, [&](int i, int r, int c) { return got[i * 1024 + r * 32 + c]; },
                [&](int i, int r, int c) { return strong[i * 1024 + r * 32 + c]; });
        });
    variant(
        "pivots", "lu_pivots", clear, [&] { lu_pivots<<<pivoted, 256>>>(in_wild, out, order); },
        [&] {
            std::vector<float> got = fetch(out, (size_t)pivoted * 1024);
            std::vector<int> place = fetch(order, pivoted * 32);
            return check(
                32, pivoted, [&](int i, int r, int c) { return got[i * 1024 + r * 32 + c]; },
                [&](int i, int r, int c) { return wild[i * 1024 + (place[i * 32 + r] & 31) * 32 + c]; });
        });
    variant(
        "thread", "lu_thread", clear, [&] { lu_thread<<<small / 128, 128>>>(in_small, out, small); },
        [&] {
            std::vector<float> got = fetch(out, host.size());
            return check(
                6, small, [&](int i, int r, int c) { return got[(size_t)(r * 6 + c) * small + i]; },
                [&](int i, int r, int c) { return host[(size_t)(r * 6 + c) * small + i]; });
        });
    return finish();
}
