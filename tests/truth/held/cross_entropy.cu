// Cross entropy of rows of scores: two passes over a row by a block, a row in one pass by a warp,
// the gradient, and a focal loss with 16 classes in each thread.
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

struct Running {
    float top, sum;
};

__device__ Running joined(Running a, Running b)
{
    float top = fmaxf(a.top, b.top);
    return {top, a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top)};
}

__device__ Running over_warp(Running mine)
{
    for (int step = 16; step; step /= 2)
        mine = joined(mine,
                      {__shfl_xor_sync(~0u, mine.top, step), __shfl_xor_sync(~0u, mine.sum, step)});
    return mine;
}

__global__ void loss_block(const float *__restrict__ scores, const int *__restrict__ label,
                           int classes, float *__restrict__ loss)
{
    __shared__ float parts[32];
    const float *row = scores + (size_t)blockIdx.x * classes;
    int warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float top = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        top = fmaxf(top, row[i]);
    for (int step = 16; step; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    if (lane == 0)
        parts[warp] = top;
    __syncthreads();
    for (int w = 0; w < warps; w++)
        top = fmaxf(top, parts[w]);
    __syncthreads();
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
        sum += expf(row[i] - top);
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0)
        parts[warp] = sum;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int w = 1; w < warps; w++)
        sum += parts[w];
    loss[blockIdx.x] = logf(sum) + top - row[label[blockIdx.x]];
}

__global__ void loss_warp(const float *__restrict__ scores, const int *__restrict__ label,
                          int classes, int rows, float *__restrict__ loss)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *mine = scores + (size_t)row * classes;
    Running all = {-1e30f, 0};
    for (int i = lane; i < classes; i += 32)
        all = joined(all, {mine[i], 1});
    all = over_warp(all);
    if (lane == 0)
        loss[row] = __logf(all.sum) + all.top - mine[label[row]];
}

__global__ void gradient(const float *__restrict__ scores, const int *__restrict__ label,
                         int classes, float scale, float *__restrict__ out)
{
    __shared__ Running parts[8];
    const float *row = scores + (size_t)blockIdx.x * classes;
    Running all = {-1e30f, 0};
    for (int i = threadIdx.x; i < classes; i += 256)
        all = joined(all, {row[i], 1});
    all = over_warp(all);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = all;
    __syncthreads();
    all = parts[0];
    for (int w = 1; w < 8; w++)
        all = joined(all, parts[w]);
    int right = label[blockIdx.x];
    for (int i = threadIdx.x; i < classes; i += 256)
        out[(size_t)blockIdx.x * classes + i] =
            (__expf(row[i] - all.top) / all.sum - (i == right)) * scale;
}

__global__ void focal(const float4 *__restrict__ scores, const int *__restrict__ label, int rows,
                      float *__restrict__ loss)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float mine[16], top = -1e30f, sum = 0, right = 0;
    for (int k = 0; k < 4; k++)
        ((float4 *)mine)[k] = scores[row * 4 + k];
    int wanted = label[row] % 16;
    for (int k = 0; k < 16; k++)
        top = fmaxf(top, mine[k]);
    for (int k = 0; k < 16; k++) {
        float e = expf(mine[k] - top);
        sum += e;
        right = k == wanted ? e : right;
    }
    float p = right / sum;
    loss[row] = -powf(1 - p, 2.5f) * logf(p);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 640, classes = 8192, count = rows * classes, short_classes = 1000,
              short_rows = count / short_classes, tiny_rows = count / 16;
    Lcg random(113);
    std::vector<float> values = random.floats(count, -5, 5);
    std::vector<int> labels(tiny_rows);
    for (int &label : labels)
        label = random.below(short_classes);
    float *scores = copy(values), *loss = room<float>(tiny_rows), *out = room<float>(count);
    int *label = copy(labels);
    auto wiped = [&] { fill(loss, tiny_rows, 0xff); };
    auto log_sum = [&](size_t row, int width) {
        double sum = 0;
        for (int k = 0; k < width; k++)
            sum += std::exp((double)values[row * width + k]);
        return std::log(sum);
    };
    variant(
        "block", "loss_block", wiped,
        [&] { loss_block<<<rows, 512>>>(scores, label, classes, loss); },
        [&] {
            return differ(loss, rows, 1, 1e-4, [&](size_t r) {
                return log_sum(r, classes) - values[r * classes + labels[r]];
            });
        });
    variant(
        "warp", "loss_warp", wiped,
        [&] {
            loss_warp<<<(short_rows + 7) / 8, 256>>>(scores, label, short_classes, short_rows,
                                                     loss);
        },
        [&] {
            return differ(loss, short_rows, 1, 1e-4, [&](size_t r) {
                return log_sum(r, short_classes) - values[r * short_classes + labels[r]];
            });
        });
    variant(
        "gradient", "gradient", [&] { fill(out, count, 0xff); },
        [&] { gradient<<<rows, 256>>>(scores, label, classes, 100, out); },
        [&] {
            std::vector<double> sums(rows);
            for (int r = 0; r < rows; r++)
                sums[r] = log_sum(r, classes);
            return differ(out, count, 11, 1e-4, [&](size_t i) {
                return 100 * (std::exp(values[i] - sums[i / classes]) -
                              ((int)(i % classes) == labels[i / classes]));
            });
        });
    variant(
        "focal", "focal", wiped,
        [&] {
            focal<<<(tiny_rows + 127) / 128, 128>>>((const float4 *)scores, label, tiny_rows, loss);
        },
        [&] {
            return differ(loss, tiny_rows, 3, 1e-3, [&](size_t r) {
                double p = std::exp(values[r * 16 + labels[r] % 16] - log_sum(r, 16));
                return -std::pow(1 - p, 2.5) * std::log(p);
            });
        });
    return finish();
}
