// Random numbers made in registers: the area of a quarter of a circle with many and with few threads, the price of an
// Asian option.
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

__host__ __device__ uint32_t seed_of(uint32_t i)
{
    i = (i + 0x9e3779b9) * 0x85ebca6b;
    i = (i ^ i >> 13) * 0xc2b2ae35;
    return (i ^ i >> 16) | 1;
}

__host__ __device__ uint32_t step(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__host__ __device__ int throw_darts(uint32_t thread, int darts)
{
    uint32_t state = seed_of(thread);
    int inside = 0;
    for (int k = 0; k < darts; k++) {
        uint32_t bits = step(state), x = bits & 0xffff, y = bits >> 16;
        inside += (uint64_t)x * x + (uint64_t)y * y < 1ull << 32;
    }
    return inside;
}

__global__ void area(int darts, int *inside)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int mine = __reduce_add_sync(~0u, throw_darts(blockIdx.x * blockDim.x + threadIdx.x, darts));
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        inside[blockIdx.x] = sum;
}

// the mean price along a path of 16 days against a strike of 100
__global__ void asian(int paths, float *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t state = seed_of(i);
    float total = 0;
    for (int p = 0; p < paths; p++) {
        float price = 100, sum = 0;
        for (int day = 0; day < 16; day += 2) {
            float u = ((step(state) >> 8) + 0.5f) * 0x1p-24f, v = (step(state) >> 8) * 0x1p-24f, s, c;
            float radius = sqrtf(fmaxf(0, -2 * __logf(u)));
            __sincosf(6.2831853f * v, &s, &c);
            price *= __expf(0.0002f + 0.02f * radius * c);
            sum += price;
            price *= __expf(0.0002f + 0.02f * radius * s);
            sum += price;
        }
        total += fmaxf(sum / 16 - 100, 0);
    }
    value[i] = total / paths;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int threads = 1 << 17, blocks = 1056;
    int *inside = room<int>(blocks);
    float *value = room<float>(threads);
    auto clear = [&] {
        fill(inside, blocks, 0xff);
        fill(value, threads, 0xff);
    };
    auto check = [&](int number, int size, int darts) {
        return differ(inside, number, 23, 0, [&](size_t block) {
            int sum = 0;
            for (int t = 0; t < size; t++)
                sum += throw_darts(block * size + t, darts);
            return sum;
        });
    };
    variant(
        "many", "area", clear, [&] { area<<<blocks, 256>>>(120, inside); }, [&] { return check(blocks, 256, 120); });
    variant(
        "few", "area", clear, [&] { area<<<66, 64>>>(4000, inside); }, [&] { return check(66, 64, 4000); });
    variant(
        "asian", "asian", clear, [&] { asian<<<threads / 128, 128>>>(4, value); },
        [&] {
            return differ(value, threads, 997, 1e-3, [&](size_t i) {
                uint32_t state = seed_of(i);
                double total = 0;
                for (int p = 0; p < 4; p++) {
                    double price = 100, sum = 0;
                    for (int day = 0; day < 16; day += 2) {
                        double u = ((step(state) >> 8) + 0.5f) * 0x1p-24f, v = (step(state) >> 8) * 0x1p-24f;
                        double radius = sqrt(-2 * log(u));
                        price *= exp(0.0002 + 0.02 * radius * cos(6.2831853 * v));
                        sum += price;
                        price *= exp(0.0002 + 0.02 * radius * sin(6.2831853 * v));
                        sum += price;
                    }
                    total += std::max(sum / 16 - 100, 0.0);
                }
                return total / 4;
            });
        });
    return finish();
}
