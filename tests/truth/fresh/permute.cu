// Permutations: gathering and scattering 4 Mi numbers in random order, gathering in order within parts, gathering
// vectors of 16 bytes.
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

template <class T> __global__ void gather(const T *in, const int *from, int count, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[from[i]];
}

__global__ void scatter(const float *in, const int *to, int count, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[to[i]] = in[i];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 22, part = 2048, vectors = 1 << 20;
    Lcg random(40);
    std::vector<float> host = random.floats(count);
    auto shuffled = [&](int number, int length) {
        std::vector<int> order(number);
        for (int i = 0; i < number; i++)
            order[i] = i;
        for (int first = 0; first < number; first += length)
            for (int i = length - 1; i > 0; i--)
                std::swap(order[first + i], order[first + random.below(i + 1)]);
        return order;
    };
    std::vector<int> all = shuffled(count, count), parts = shuffled(count, part), few = shuffled(vectors, vectors);
    float *in = copy(host), *out = room<float>(count);
    int *da = copy(all), *dp = copy(parts), *df = copy(few);
    auto clear = [&] { fill(out, count, 0xff); };
    variant(
        "gather", "gather<float>", clear, [&] { gather<<<count / 256, 256>>>(in, da, count, out); },
        [&] { return differ(out, count, 1, 0, [&](size_t i) { return host[all[i]]; }); });
    variant(
        "scatter", "scatter", clear, [&] { scatter<<<count / 256, 256>>>(in, da, count, out); },
        [&] {
            std::vector<float> got = fetch(out, count);
            long bad = 0;
            for (int i = 0; i < count; i++)
                bad += got[all[i]] != host[i];
            return bad;
        });
    variant(
        "parts", "gather<float>", clear, [&] { gather<<<count / 512, 512>>>(in, dp, count, out); },
        [&] { return differ(out, count, 1, 0, [&](size_t i) { return host[parts[i]]; }); });
    variant(
        "vectors", "gather<float4>", clear,
        [&] { gather<<<vectors / 128, 128>>>((const float4 *)in, df, vectors, (float4 *)out); },
        [&] { return differ(out, count, 1, 0, [&](size_t i) { return host[few[i / 4] * 4 + i % 4]; }); });
    return finish();
}
