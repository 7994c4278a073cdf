// Sums of the rows of a tall matrix with weights, a piece of 16 rows at a time: all warps load and
// then add, four warps load and eight add with barriers of their own, with barriers in memory that
// count, with copies by one warp that arrive themselves, and with nothing in shared memory at all.
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

constexpr int WIDE = 512, HIGH = 16384, ROWS = 16, BLOCKS = 132, PIECES = HIGH / ROWS;

// a thread that adds has two columns; blocks add what they have by atomics
__device__ inline void add_up(float2 &sum, const float (*piece)[WIDE], const float *weights, int t)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float2 v = *(const float2 *)&piece[r][2 * t];
        float w = weights[r];
        // some more work than a product: the weight follows the value
        sum.x += w * v.x * (1 + v.x * v.x), sum.y += w * v.y * (1 + v.y * v.y);
    }
}

__device__ inline void give(float *out, float2 sum, int t)
{
    atomicAdd(out + 2 * t, sum.x);
    atomicAdd(out + 2 * t + 1, sum.y);
}

__global__ void __launch_bounds__(256)
    in_turn(const float4 *__restrict__ in, const float *__restrict__ weights, float *out)
{
    __shared__ float piece[ROWS][WIDE], own[ROWS];
    int t = threadIdx.x;
    float2 sum = {};
    for (int p = blockIdx.x; p < PIECES; p += BLOCKS) {
        __syncthreads();
        for (int i = t; i < ROWS * WIDE / 4; i += 256)
            ((float4 *)piece)[i] = in[p * (ROWS * WIDE / 4) + i];
        if (t < ROWS)
            own[t] = weights[p * ROWS + t];
        __syncthreads();
        add_up(sum, piece, own, t);
    }
    give(out, sum, t);
}

__device__ inline void wait_at(int barrier)
{
    asm volatile("bar.sync %0, 384;" ::"r"(barrier) : "memory");
}

__device__ inline void arrive_at(int barrier)
{
    asm volatile("bar.arrive %0, 384;" ::"r"(barrier) : "memory");
}

// two buffers: barriers 1 and 2 when they are full, 3 and 4 when they are empty
constexpr int LOADERS = 128, ALL = 384;

__global__ void __launch_bounds__(ALL)
    own_barriers(const float4 *__restrict__ in, const float *__restrict__ weights, float *out)
{
    extern __shared__ float4 memory[];
    float(*pieces)[ROWS][WIDE] = (float(*)[ROWS][WIDE])memory;
    __shared__ float own[2][ROWS];
    int t = threadIdx.x;
    if (t < LOADERS) {
        for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
            if (n >= 2)
                wait_at(3 + n % 2);
#pragma unroll 4
            for (int i = t; i < ROWS * WIDE / 4; i += LOADERS)
                ((float4 *)pieces[n % 2])[i] = in[p * (ROWS * WIDE / 4) + i];
            if (t < ROWS)
                own[n % 2][t] = weights[p * ROWS + t];
            arrive_at(1 + n % 2);
        }
        return;
    }
    float2 sum = {};
    for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
        wait_at(1 + n % 2);
        add_up(sum, pieces[n % 2], own[n % 2], t - LOADERS);
        // nobody waits for the last two
        if (p + 2 * BLOCKS < PIECES)
            arrive_at(3 + n % 2);
    }
    give(out, sum, t - LOADERS);
}

__device__ inline uint32_t place_of(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

__device__ inline void begin_at(uint64_t *barrier, int many)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(many)
                 : "memory");
}

__device__ inline void arrive_at(uint64_t *barrier)
{
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(place_of(barrier))
        : "memory");
}

__device__ inline void wait_at(uint64_t *barrier, int phase)
{
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(place_of(barrier)), "r"(phase)
                     : "memory");
}

constexpr int BUFFERS = 3;

__global__ void __launch_bounds__(ALL)
    counted(const float4 *__restrict__ in, const float *__restrict__ weights, float *out)
{
    extern __shared__ float4 memory[];
    float(*pieces)[ROWS][WIDE] = (float(*)[ROWS][WIDE])memory;
    __shared__ float own[BUFFERS][ROWS];
    __shared__ uint64_t full[BUFFERS], empty[BUFFERS];
    int t = threadIdx.x;
    if (t < BUFFERS)
        begin_at(full + t, LOADERS), begin_at(empty + t, ALL - LOADERS);
    __syncthreads();
    if (t < LOADERS) {
        for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
            int b = n % BUFFERS;
            if (n >= BUFFERS)
                wait_at(empty + b, n / BUFFERS - 1 & 1);
#pragma unroll 4
            for (int i = t; i < ROWS * WIDE / 4; i += LOADERS)
                ((float4 *)pieces[b])[i] = in[p * (ROWS * WIDE / 4) + i];
            if (t < ROWS)
                own[b][t] = weights[p * ROWS + t];
            arrive_at(full + b);
        }
        return;
    }
    float2 sum = {};
    for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
        int b = n % BUFFERS;
        wait_at(full + b, n / BUFFERS & 1);
        add_up(sum, pieces[b], own[b], t - LOADERS);
        arrive_at(empty + b);
    }
    give(out, sum, t - LOADERS);
}

__device__ inline void begin_copy(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place_of(to)), "l"(from)
                 : "memory");
}

// one warp starts copies of whole pieces, which arrive at the barrier when their bytes are there
__global__ void __launch_bounds__(288)
    reported(const float4 *__restrict__ in, const float4 *__restrict__ weights, float *out)
{
    extern __shared__ float4 memory[];
    float(*pieces)[ROWS][WIDE] = (float(*)[ROWS][WIDE])memory;
    __shared__ __align__(16) float own[BUFFERS][ROWS];
    __shared__ uint64_t full[BUFFERS], empty[BUFFERS];
    int t = threadIdx.x;
    if (t < BUFFERS)
        begin_at(full + t, 32), begin_at(empty + t, 256);
    __syncthreads();
    if (t >= 256) {
        t -= 256;
        for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
            int b = n % BUFFERS;
            if (n >= BUFFERS)
                wait_at(empty + b, n / BUFFERS - 1 & 1);
            for (int i = t; i < ROWS * WIDE / 4; i += 32)
                begin_copy((float4 *)pieces[b] + i, in + p * (ROWS * WIDE / 4) + i);
            if (t < ROWS / 4)
                begin_copy(own[b] + 4 * t, weights + p * (ROWS / 4) + t);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place_of(full + b))
                         : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        return;
    }
    float2 sum = {};
    for (int p = blockIdx.x, n = 0; p < PIECES; p += BLOCKS, n++) {
        int b = n % BUFFERS;
        wait_at(full + b, n / BUFFERS & 1);
        add_up(sum, pieces[b], own[b], t);
        arrive_at(empty + b);
    }
    give(out, sum, t);
}

// a thread has two columns of sixteen rows, straight from global memory
__global__ void __launch_bounds__(256)
    straight(const float2 *__restrict__ in, const float *__restrict__ weights, float *out)
{
    float2 sum = {};
    for (int p = blockIdx.x; p < PIECES; p += BLOCKS)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float2 v = in[(p * ROWS + r) * (WIDE / 2) + threadIdx.x];
            float w = weights[p * ROWS + r];
            sum.x += w * v.x * (1 + v.x * v.x), sum.y += w * v.y * (1 + v.y * v.y);
        }
    give(out, sum, threadIdx.x);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(421);
    std::vector<float> in = random.floats((size_t)WIDE * HIGH, -1, 1),
                       weights = random.floats(HIGH, -1, 1);
    std::vector<double> want(WIDE);
    for (int r = 0; r < HIGH; r++)
        for (int c = 0; c < WIDE; c++) {
            double v = in[(size_t)r * WIDE + c];
            want[c] += weights[r] * v * (1 + v * v);
        }
    float *I = copy(in), *W = copy(weights), *out = room<float>(WIDE);
    auto wiped = [&] { fill(out, WIDE, 0); };
    auto check = [&] { return differ(out, WIDE, 1, 1e-3, [&](size_t i) { return want[i]; }); };
    const int bytes = ROWS * WIDE * sizeof(float);
    auto large = [&](auto *kernel, int size) {
        must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    };
    large(own_barriers, 2 * bytes), large(counted, BUFFERS * bytes);
    large(reported, BUFFERS * bytes);
    variant(
        "in_turn", "in_turn", wiped, [&] { in_turn<<<BLOCKS, 256>>>((float4 *)I, W, out); }, check);
    variant(
        "own_barriers", "own_barriers", wiped,
        [&] { own_barriers<<<BLOCKS, ALL, 2 * bytes>>>((float4 *)I, W, out); }, check);
    variant(
        "counted", "counted", wiped,
        [&] { counted<<<BLOCKS, ALL, BUFFERS * bytes>>>((float4 *)I, W, out); }, check);
    variant(
        "reported", "reported", wiped,
        [&] { reported<<<BLOCKS, 288, BUFFERS * bytes>>>((float4 *)I, (float4 *)W, out); }, check);
    variant(
        "straight", "straight", wiped, [&] { straight<<<BLOCKS, 256>>>((float2 *)I, W, out); },
        check);
    return finish();
}
