// Sums of rows of a table of embeddings: a warp a bag, a block of 64 a bag, the maximum in half
// precision, and the gradient scattered into the table by atomics.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

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

constexpr int WIDTH = 64;

__global__ void sum_warp(const float2 *__restrict__ table, const int *__restrict__ index,
                         const int *__restrict__ begin, int bags, float2 *__restrict__ out)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (bag >= bags)
        return;
    float2 sum = {0, 0};
    int end = begin[bag + 1];
    for (int i = begin[bag]; i < end; i++) {
        float2 v = table[(size_t)index[i] * (WIDTH / 2) + lane];
        sum.x += v.x;
        sum.y += v.y;
    }
    out[bag * (WIDTH / 2) + lane] = sum;
}

__global__ void mean_block(const float *__restrict__ table, const int *__restrict__ index,
                           const int *__restrict__ begin, float *__restrict__ out)
{
    int bag = blockIdx.x, from = begin[bag], to = begin[bag + 1];
    float sum = 0;
#pragma unroll 4
    for (int i = from; i < to; i++)
        sum += table[(size_t)index[i] * WIDTH + threadIdx.x];
    out[bag * WIDTH + threadIdx.x] = to > from ? sum / (to - from) : 0;
}

// eight lanes a bag, 16 bytes each
__global__ void max_half(const uint4 *__restrict__ table, const int *__restrict__ index,
                         const int *__restrict__ begin, int bags, uint4 *__restrict__ out)
{
    int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (bag >= bags)
        return;
    __half2 best[4];
    for (__half2 &b : best)
        b = __float2half2_rn(-60000);
    for (int i = begin[bag]; i < begin[bag + 1]; i++) {
        uint4 v = table[(size_t)index[i] * 8 + lane];
        const __half2 *pairs = (const __half2 *)&v;
        for (int k = 0; k < 4; k++)
            best[k] = __hmax2(best[k], pairs[k]);
    }
    out[bag * 8 + lane] = *(uint4 *)best;
}

__global__ void scatter(const float *__restrict__ gradient, const int *__restrict__ index,
                        const int *__restrict__ bag_of, int entries, float *__restrict__ table)
{
    int entry = blockIdx.x * blockDim.y + threadIdx.y;
    if (entry >= entries)
        return;
    float *row = table + (size_t)index[entry] * WIDTH;
    const float *from = gradient + (size_t)bag_of[entry] * WIDTH;
    for (int k = threadIdx.x; k < WIDTH; k += 32)
        atomicAdd(&row[k], from[k]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 131072, bags = 8192;
    Lcg random(127);
    std::vector<float> values(rows * WIDTH), gradients(bags * WIDTH);
    std::vector<__half> halves(values.size());
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = (int)random.below(512) / 256.f - 1;
        halves[i] = __float2half(values[i]);
    }
    for (float &g : gradients)
        g = (int)random.below(512) / 256.f - 1;
    std::vector<int> begins(bags + 1), indices, owners;
    for (int b = 0; b < bags; b++) {
        int many = 1 + random.below(48);
        for (int k = 0; k < many; k++) { // some rows are wanted far more often
            uint32_t low = random.below(rows);
            indices.push_back(random.below(4) ? low
                                              : (int)((uint64_t)low * low / rows * low / rows));
            owners.push_back(b);
        }
        begins[b + 1] = indices.size();
    }
    const int entries = indices.size();
    float *table = copy(values), *gradient = copy(gradients), *out = room<float>(bags * WIDTH),
          *grown = room<float>(values.size());
    __half *half_table = copy(halves), *half_out = room<__half>(bags * WIDTH);
    int *index = copy(indices), *begin = copy(begins), *owner = copy(owners);
    auto wiped = [&] { fill(out, bags * WIDTH, 0xff); };
    auto sum = [&](size_t i) {
        double s = 0;
        for (int k = begins[i / WIDTH]; k < begins[i / WIDTH + 1]; k++)
            s += values[(size_t)indices[k] * WIDTH + i % WIDTH];
        return s;
    };
    variant(
        "warp", "sum_warp", wiped,
        [&] {
            sum_warp<<<bags / 8, 256>>>((const float2 *)table, index, begin, bags, (float2 *)out);
        },
        [&] { return differ(out, bags * WIDTH, 1, 1e-5, sum); });
    variant(
        "block", "mean_block", wiped,
        [&] { mean_block<<<bags, WIDTH>>>(table, index, begin, out); },
        [&] {
            return differ(out, bags * WIDTH, 1, 1e-5, [&](size_t i) {
                return sum(i) / (begins[i / WIDTH + 1] - begins[i / WIDTH]);
            });
        });
    variant(
        "half", "max_half", [&] { fill(half_out, bags * WIDTH, 0xff); },
        [&] {
            max_half<<<bags / 16, 128>>>((const uint4 *)half_table, index, begin, bags,
                                         (uint4 *)half_out);
        },
        [&] {
            std::vector<__half> got = fetch(half_out, bags * WIDTH);
            long bad = 0;
            for (int i = 0; i < bags * WIDTH; i++) {
                float best = -60000;
                for (int k = begins[i / WIDTH]; k < begins[i / WIDTH + 1]; k++)
                    best = std::max(best, values[(size_t)indices[k] * WIDTH + i % WIDTH]);
                bad += __half2float(got[i]) != best;
            }
            return bad;
        });
    variant(
        "scatter", "scatter", [&] { fill(grown, values.size(), 0); },
        [&] {
            scatter<<<(entries + 7) / 8, dim3(32, 8)>>>(gradient, index, owner, entries, grown);
        },
        [&] {
            std::vector<float> expected(values.size());
            for (int e = 0; e < entries; e++)
                for (int k = 0; k < WIDTH; k++)
                    expected[(size_t)indices[e] * WIDTH + k] +=
                        gradients[(size_t)owners[e] * WIDTH + k];
            return differ(grown, values.size(), 1, 1e-5, [&](size_t i) { return expected[i]; });
        });
    return finish();
}
