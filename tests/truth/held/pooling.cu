// Pooling: maxima of 2 x 2, of overlapping 3 x 3 with the place of each, means of whole planes,
// gradients back to the maxima, means of 5 x 5 around each point.
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

constexpr int SIDE = 256, HALF = SIDE / 2;

__global__ void max2(const float2 *__restrict__ x, float *__restrict__ y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int plane = i / (HALF * HALF), row = i / HALF % HALF, column = i % HALF;
    const float2 *from = x + ((size_t)plane * SIDE + 2 * row) * HALF + column;
    float2 a = from[0], b = from[HALF];
    y[i] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}

__global__ void max3(const float *__restrict__ x, float *__restrict__ y, int *__restrict__ place)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const float *plane = x + (size_t)blockIdx.z * SIDE * SIDE;
    float best = -1e30f;
    int where = -1;
    for (int r = max(2 * row - 1, 0); r <= min(2 * row + 1, SIDE - 1); r++)
        for (int c = max(2 * column - 1, 0); c <= min(2 * column + 1, SIDE - 1); c++)
            if (plane[r * SIDE + c] > best) {
                best = plane[r * SIDE + c];
                where = r * SIDE + c;
            }
    int i = (blockIdx.z * HALF + row) * HALF + column;
    y[i] = best;
    place[i] = where;
}

__global__ void whole_mean(const float4 *__restrict__ x, float *__restrict__ mean)
{
    const float4 *plane = x + (size_t)blockIdx.x * (SIDE * SIDE / 4);
    float sum = 0;
    for (int i = threadIdx.x; i < SIDE * SIDE / 4; i += blockDim.x)
        sum += plane[i].x + plane[i].y + plane[i].z + plane[i].w;
    __shared__ float parts[256];
    parts[threadIdx.x] = sum;
    for (int step = 128; step; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        mean[blockIdx.x] = parts[0] / (SIDE * SIDE);
}

__global__ void back(const float *__restrict__ gradient, const int *__restrict__ place,
                     float *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&out[(size_t)(i / (HALF * HALF)) * SIDE * SIDE + place[i]], gradient[i]);
}

__global__ void mean5(const float *__restrict__ x, float *__restrict__ y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const float *plane = x + (size_t)blockIdx.z * SIDE * SIDE;
    int top = max(row - 2, 0), bottom = min(row + 2, SIDE - 1), left = max(column - 2, 0),
        right = min(column + 2, SIDE - 1);
    float sum = 0;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++)
            sum += plane[r * SIDE + c];
    y[((size_t)blockIdx.z * SIDE + row) * SIDE + column] =
        sum / ((bottom - top + 1) * (right - left + 1));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int planes = 128, count = planes * SIDE * SIDE, small = count / 4;
    Lcg random(139);
    std::vector<float> values(count), gradients(small);
    std::vector<int> places(small);
    for (float &v : values)
        v = random.below(1 << 20) / 1024.f;
    for (float &g : gradients)
        g = random.below(64);
    auto best3 = [&](size_t i, int *where) {
        int row = i / HALF % HALF, column = i % HALF;
        const float *plane = &values[i / (HALF * HALF) * SIDE * SIDE];
        float best = -1e30f;
        for (int r = std::max(2 * row - 1, 0); r <= std::min(2 * row + 1, SIDE - 1); r++)
            for (int c = std::max(2 * column - 1, 0); c <= std::min(2 * column + 1, SIDE - 1); c++)
                if (plane[r * SIDE + c] > best) {
                    best = plane[r * SIDE + c];
                    *where = r * SIDE + c;
                }
        return best;
    };
    for (int i = 0; i < small; i++)
        best3(i, &places[i]);
    float *x = copy(values), *gradient = copy(gradients), *y = room<float>(count);
    int *given = copy(places), *place = room<int>(small);
    auto wiped = [&] { fill(y, count, 0xff); };
    variant(
        "max2", "max2", wiped, [&] { max2<<<small / 256, 256>>>((const float2 *)x, y, small); },
        [&] {
            return differ(y, small, 1, 0, [&](size_t i) {
                const float *at = &values[(i / HALF * 2) * SIDE + i % HALF * 2];
                return std::max(std::max(at[0], at[1]), std::max(at[SIDE], at[SIDE + 1]));
            });
        });
    variant(
        "max3", "max3", wiped,
        [&] { max3<<<dim3(HALF / 32, HALF / 4, planes), dim3(32, 4)>>>(x, y, place); },
        [&] {
            int where;
            return differ(y, small, 3, 0, [&](size_t i) { return best3(i, &where); }) +
                   differ(place, small, 1, 0, [&](size_t i) { return places[i]; });
        });
    variant(
        "whole", "whole_mean", wiped, [&] { whole_mean<<<planes, 256>>>((const float4 *)x, y); },
        [&] {
            return differ(y, planes, 1, 1e-4, [&](size_t p) {
                double sum = 0;
                for (int i = 0; i < SIDE * SIDE; i++)
                    sum += values[p * SIDE * SIDE + i];
                return sum / (SIDE * SIDE);
            });
        });
    variant(
        "back", "back", [&] { fill(y, count, 0); },
        [&] { back<<<small / 256, 256>>>(gradient, given, y, small); },
        [&] {
            std::vector<float> expected(count);
            for (int i = 0; i < small; i++)
                expected[(size_t)(i / (HALF * HALF)) * SIDE * SIDE + places[i]] += gradients[i];
            return differ(y, count, 1, 0, [&](size_t i) { return expected[i]; });
        });
    variant(
        "mean5", "mean5", wiped,
        [&] { mean5<<<dim3(SIDE / 64, SIDE / 4, planes / 4), dim3(64, 4)>>>(x, y); },
        [&] {
            return differ(y, count / 4, 29, 1e-4, [&](size_t i) {
                int row = i / SIDE % SIDE, column = i % SIDE, many = 0;
                double sum = 0;
                for (int r = std::max(row - 2, 0); r <= std::min(row + 2, SIDE - 1); r++)
                    for (int c = std::max(column - 2, 0); c <= std::min(column + 2, SIDE - 1);
                         c++, many++)
                        sum += values[i / (SIDE * SIDE) * SIDE * SIDE + r * SIDE + c];
                return sum / many;
            });
        });
    return finish();
}
