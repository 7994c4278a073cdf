// Many products of small matrices: 16 x 16 and 32 x 32 with a thread an element, 16 x 16 with a column in each lane, 4
// x 4 in each thread.
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

template <int N> __global__ void gemm_shared(const float *a, const float *b, float *c)
{
    __shared__ float left[N][N], right[N][N];
    size_t base = (size_t)blockIdx.x * N * N;
    int row = threadIdx.y, column = threadIdx.x;
    left[row][column] = a[base + row * N + column];
    right[row][column] = b[base + row * N + column];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += left[row][k] * right[k][column];
    c[base + row * N + column] = sum;
}

// half a warp a matrix: lane j has column j of b, and a's elements come by shuffles
__global__ void gemm_lanes(const float *a, const float *b, float *c, int count)
{
    int matrix = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (matrix >= count)
        return;
    a += (size_t)matrix * 256;
    b += (size_t)matrix * 256;
    c += (size_t)matrix * 256;
    float column[16];
    for (int k = 0; k < 16; k++)
        column[k] = b[k * 16 + lane];
    for (int row = 0; row < 16; row++) {
        float mine = a[row * 16 + lane], sum = 0;
        for (int k = 0; k < 16; k++)
            sum += __shfl_sync(~0u, mine, k, 16) * column[k];
        c[row * 16 + lane] = sum;
    }
}

// a thread a matrix of 4 x 4; they lie 64 bytes apart
__global__ void gemm_threads(const float4 *a, const float4 *b, float4 *c, int count)
{
    int matrix = blockIdx.x * blockDim.x + threadIdx.x;
    if (matrix >= count)
        return;
    float4 right[4];
    for (int k = 0; k < 4; k++)
        right[k] = b[matrix * 4 + k];
    for (int row = 0; row < 4; row++) {
        float4 left = a[matrix * 4 + row], sum;
        sum.x = left.x * right[0].x + left.y * right[1].x + left.z * right[2].x + left.w * right[3].x;
        sum.y = left.x * right[0].y + left.y * right[1].y + left.z * right[2].y + left.w * right[3].y;
        sum.z = left.x * right[0].z + left.y * right[1].z + left.z * right[2].z + left.w * right[3].z;
        sum.w = left.x * right[0].w + left.y * right[1].w + left.z * right[2].w + left.w * right[3].w;
        c[matrix * 4 + row] = sum;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t total = 16000 * 256;
    Lcg random(13);
    std::vector<float> a = random.floats(total, -1, 1), b = random.floats(total, -1, 1);
    float *da = copy(a), *db = copy(b), *dc = room<float>(total);
    auto clear = [&] { fill(dc, total, 0xff); };
    auto check = [&](int n) {
        return differ(dc, total, 101, 1e-5, [&](size_t i) {
            size_t base = i / (n * n) * (n * n), row = i % (n * n) / n, column = i % n;
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a[base + row * n + k] * b[base + k * n + column];
            return sum;
        });
    };
    variant(
        "shared16", "gemm_shared<16>", clear, [&] { gemm_shared<16><<<16000, dim3(16, 16)>>>(da, db, dc); },
        [&] { return check(16); });
    variant(
        "shared32", "gemm_shared<32>", clear, [&] { gemm_shared<32><<<4000, dim3(32, 32)>>>(da, db, dc); },
        [&] { return check(32); });
    variant(
        "lanes16", "gemm_lanes", clear, [&] { gemm_lanes<<<2000, 128>>>(da, db, dc, 16000); },
        [&] { return check(16); });
    variant(
        "threads4", "gemm_threads", clear,
        [&] { gemm_threads<<<1000, 256>>>((const float4 *)da, (const float4 *)db, (float4 *)dc, 256000); },
        [&] { return check(4); });
    return finish();
}
