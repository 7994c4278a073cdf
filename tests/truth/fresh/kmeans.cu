// The nearest of 32 centres for each point: centres in global, constant and shared memory; sums for new centres by
// shared atomics.
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

const int DIMENSIONS = 8, CENTRES = 32;
__constant__ float fixed[CENTRES * DIMENSIONS];

template <class Centres>
__device__ int nearest(const float *points, int count, int i, const Centres &centres, float *point)
{
    for (int d = 0; d < DIMENSIONS; d++)
        point[d] = points[d * count + i];
    int best = 0;
    float least = INFINITY;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            float delta = point[d] - centres[c * DIMENSIONS + d];
            distance += delta * delta;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

__global__ void assign_global(const float *points, int count, const float *centres, int *label)
{
    float point[DIMENSIONS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        label[i] = nearest(points, count, i, centres, point);
}

__global__ void assign_constant(const float *points, int count, int *label)
{
    float point[DIMENSIONS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        label[i] = nearest(points, count, i, fixed, point);
}

__global__ void assign_shared(const float *points, int count, const float *centres, int *label)
{
    __shared__ float near_by[CENTRES * DIMENSIONS];
    float point[DIMENSIONS];
    for (int k = threadIdx.x; k < CENTRES * DIMENSIONS; k += blockDim.x)
        near_by[k] = centres[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        label[i] = nearest(points, count, i, near_by, point);
}

__global__ void assign_and_sum(const float *points, int count, const float *centres, int *label, float *sums,
                               int *sizes)
{
    __shared__ float near_by[CENTRES * DIMENSIONS], sum[CENTRES * DIMENSIONS];
    __shared__ int size[CENTRES];
    for (int k = threadIdx.x; k < CENTRES * DIMENSIONS; k += blockDim.x) {
        near_by[k] = centres[k];
        sum[k] = 0;
    }
    if (threadIdx.x < CENTRES)
        size[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float point[DIMENSIONS];
        int best = nearest(points, count, i, near_by, point);
        label[i] = best;
        for (int d = 0; d < DIMENSIONS; d++)
            atomicAdd(&sum[best * DIMENSIONS + d], point[d]);
        atomicAdd(&size[best], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CENTRES * DIMENSIONS; k += blockDim.x)
        atomicAdd(&sums[k], sum[k]);
    if (threadIdx.x < CENTRES)
        atomicAdd(&sizes[threadIdx.x], size[threadIdx.x]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 19;
    Lcg random(16);
    std::vector<float> points = random.floats((size_t)count * DIMENSIONS),
                       centres = random.floats(CENTRES * DIMENSIONS);
    float *dp = copy(points), *dc = copy(centres), *sums = room<float>(CENTRES * DIMENSIONS);
    int *label = room<int>(count), *sizes = room<int>(CENTRES);
    must(cudaMemcpyToSymbol(fixed, centres.data(), sizeof fixed));
    auto distance = [&](int i, int c) {
        double sum = 0;
        for (int d = 0; d < DIMENSIONS; d++)
            sum += pow((double)points[(size_t)d * count + i] - centres[c * DIMENSIONS + d], 2);
        return sum;
    };
    auto clear = [&] {
        fill(label, count, 0xff);
        fill(sums, CENTRES * DIMENSIONS, 0);
        fill(sizes, CENTRES, 0);
    };
    auto check = [&] {
        std::vector<int> got = fetch(label, count);
        long bad = 0;
        for (int i = 0; i < count; i += 29) {
            double least = INFINITY;
            for (int c = 0; c < CENTRES; c++)
                least = std::min(least, distance(i, c));
            bad += got[i] < 0 || got[i] >= CENTRES || distance(i, got[i]) > least + 1e-5;
        }
        return bad;
    };
    variant(
        "global", "assign_global", clear, [&] { assign_global<<<count / 256, 256>>>(dp, count, dc, label); }, check);
    variant(
        "constant", "assign_constant", clear, [&] { assign_constant<<<count / 128, 128>>>(dp, count, label); }, check);
    variant(
        "shared", "assign_shared", clear, [&] { assign_shared<<<count / 256, 256>>>(dp, count, dc, label); }, check);
    variant(
        "sums", "assign_and_sum", clear, [&] { assign_and_sum<<<256, 256>>>(dp, count, dc, label, sums, sizes); },
        [&] {
            std::vector<int> got = fetch(label, count), number = fetch(sizes, CENTRES), counted(CENTRES);
            std::vector<double> total(CENTRES * DIMENSIONS);
            for (int i = 0; i < count; i++) {
                counted[got[i] & (CENTRES - 1)]++;
                for (int d = 0; d < DIMENSIONS; d++)
                    total[(got[i] & (CENTRES - 1)) * DIMENSIONS + d] += points[(size_t)d * count + i];
            }
            return check() + (number != counted) +
                   differ(sums, total.size(), 1, 1e-4, [&](size_t k) { return total[k]; });
        });
    return finish();
}
