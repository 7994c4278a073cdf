// Gravity of all pairs of 3072 bodies: from global memory, by shared tiles, by tiles with the sources split over
// blocks.
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

const int BODIES = 3072;

__device__ float3 pull(float4 me, float4 other, float3 sum)
{
    float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
    float strength = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + x * strength, sum.y + y * strength, sum.z + z * strength);
}

__global__ void forces_direct(const float4 *body, float3 *force)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 sum = make_float3(0, 0, 0);
    for (int j = 0; j < BODIES; j++)
        sum = pull(me, body[j], sum);
    force[i] = sum;
}

__global__ void forces_tiled(const float4 *body, float3 *force)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < BODIES; first += blockDim.x) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++)
            sum = pull(me, tile[j], sum);
        __syncthreads();
    }
    force[i] = sum;
}

__global__ void forces_split(const float4 *body, float3 *force)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x, share = BODIES / gridDim.y;
    float4 me = body[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = blockIdx.y * share; first < (blockIdx.y + 1) * share; first += 128) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++)
            sum = pull(me, tile[j], sum);
        __syncthreads();
    }
    atomicAdd(&force[i].x, sum.x);
    atomicAdd(&force[i].y, sum.y);
    atomicAdd(&force[i].z, sum.z);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(17);
    std::vector<float4> bodies(BODIES);
    for (float4 &b : bodies)
        b = make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), random.between(0.1f, 1));
    float4 *body = copy(bodies);
    float3 *force = room<float3>(BODIES);
    auto clear = [&] { fill(force, BODIES, 0); };
    auto check = [&] {
        std::vector<float3> got = fetch(force, BODIES);
        long bad = 0;
        for (int i = 0; i < BODIES; i += 31) {
            double sum[3] = {};
            for (const float4 &other : bodies) {
                double x = other.x - bodies[i].x, y = other.y - bodies[i].y, z = other.z - bodies[i].z;
                double strength = other.w / pow(x * x + y * y + z * z + 0.01f, 1.5);
                sum[0] += x * strength;
                sum[1] += y * strength;
                sum[2] += z * strength;
            }
            bad += !near(got[i].x, sum[0], 1e-3) || !near(got[i].y, sum[1], 1e-3) || !near(got[i].z, sum[2], 1e-3);
        }
        return bad;
    };
    variant(
        "direct", "forces_direct", clear, [&] { forces_direct<<<BODIES / 64, 64>>>(body, force); }, check);
    variant(
        "tiled64", "forces_tiled", clear, [&] { forces_tiled<<<BODIES / 64, 64, 64 * 16>>>(body, force); }, check);
    variant(
        "tiled256", "forces_tiled", clear, [&] { forces_tiled<<<BODIES / 256, 256, 256 * 16>>>(body, force); }, check);
    variant(
        "split", "forces_split", clear, [&] { forces_split<<<dim3(BODIES / 128, 24), 128>>>(body, force); }, check);
    return finish();
}
