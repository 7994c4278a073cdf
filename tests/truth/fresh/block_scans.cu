// Prefix sums within blocks: shuffles with one and with eight numbers a thread, a tree in shared memory, doubling in
// shared memory.
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

__device__ int scan_warp(int value)
{
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(~0u, value, step);
        if (lane >= step)
            value += below;
    }
    return value;
}

__device__ int scan_block(int value, int *warps)
{
    int warp = threadIdx.x / 32;
    value = scan_warp(value);
    if (threadIdx.x % 32 == 31)
        warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int total = scan_warp(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
        __syncwarp();
        warps[threadIdx.x] = total;
    }
    __syncthreads();
    return warp ? value + warps[warp - 1] : value;
}

__global__ void scan_one(const int *in, int *out)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scan_block(in[i], warps);
}

__global__ void scan_eight(const int4 *in, int4 *out)
{
    __shared__ int warps[32];
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    int4 a = in[i], b = in[i + 1];
    a.y += a.x;
    a.z += a.y;
    a.w += a.z;
    b.x += a.w;
    b.y += b.x;
    b.z += b.y;
    b.w += b.z;
    int before = scan_block(b.w, warps) - b.w;
    out[i] = make_int4(a.x + before, a.y + before, a.z + before, a.w + before);
    out[i + 1] = make_int4(b.x + before, b.y + before, b.z + before, b.w + before);
}

// up and down a tree; steps of powers of two meet in the same banks
__global__ void scan_tree(const int *in, int *out)
{
    __shared__ int part[1024];
    int t = threadIdx.x, first = blockIdx.x * 1024;
    int low = part[t] = in[first + t], high = part[t + 512] = in[first + t + 512];
    for (int step = 1; step < 1024; step *= 2) {
        __syncthreads();
        int at = (t + 1) * step * 2 - 1;
        if (at < 1024)
            part[at] += part[at - step];
    }
    __syncthreads();
    if (t == 0)
        part[1023] = 0;
    for (int step = 512; step; step /= 2) {
        __syncthreads();
        int at = (t + 1) * step * 2 - 1;
        if (at < 1024) {
            int left = part[at - step];
            part[at - step] = part[at];
            part[at] += left;
        }
    }
    __syncthreads();
    out[first + t] = part[t] + low;
    out[first + t + 512] = part[t + 512] + high;
}

__global__ void scan_doubling(const int *in, int *out)
{
    __shared__ int part[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, now = 0;
    part[0][t] = in[i];
    for (int step = 1; step < 512; step *= 2) {
        __syncthreads();
        part[1 - now][t] = part[now][t] + (t >= step ? part[now][t - step] : 0);
        now = 1 - now;
    }
    out[i] = part[now][t];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 22, more = 1 << 23;
    Lcg random(42);
    std::vector<int> host(more), sums(more);
    for (int &value : host)
        value = (int)random.below(1000) - 300;
    int *in = copy(host), *out = room<int>(more);
    auto clear = [&] { fill(out, more, 0xff); };
    auto check = [&](int number, int part) {
        for (int i = 0; i < number; i++)
            sums[i] = (i % part ? sums[i - 1] : 0) + host[i];
        return differ(out, number, 1, 0, [&](size_t i) { return sums[i]; });
    };
    variant(
        "one", "scan_one", clear, [&] { scan_one<<<count / 512, 512>>>(in, out); }, [&] { return check(count, 512); });
    variant(
        "eight", "scan_eight", clear, [&] { scan_eight<<<more / 2048, 256>>>((const int4 *)in, (int4 *)out); },
        [&] { return check(more, 2048); });
    variant(
        "tree", "scan_tree", clear, [&] { scan_tree<<<count / 1024, 512>>>(in, out); },
        [&] { return check(count, 1024); });
    variant(
        "doubling", "scan_doubling", clear, [&] { scan_doubling<<<count / 512, 512>>>(in, out); },
        [&] { return check(count, 512); });
    return finish();
}
