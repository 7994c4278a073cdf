// Prices of European options by Black and Scholes: a thread an option, four options a thread, in double precision.
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

// the normal distribution by a polynomial of fifth degree
template <class Real> __host__ __device__ Real normal(Real d)
{
    Real k = 1 / (1 + (Real)0.2316419 * (d < 0 ? -d : d));
    Real sum =
        k * ((Real)0.31938153 +
             k * ((Real)-0.356563782 + k * ((Real)1.781477937 + k * ((Real)-1.821255978 + k * (Real)1.330274429))));
    Real tail = (Real)0.39894228 * exp((Real)-0.5 * d * d) * sum;
    return d > 0 ? 1 - tail : tail;
}

template <class Real>
__host__ __device__ void price(Real spot, Real strike, Real years, Real rate, Real spread, Real &call, Real &put)
{
    Real root = sqrt(years);
    Real d1 = (log(spot / strike) + (rate + (Real)0.5 * spread * spread) * years) / (spread * root);
    Real d2 = d1 - spread * root;
    Real n1 = normal(d1), n2 = normal(d2), discounted = strike * exp(-rate * years);
    call = spot * n1 - discounted * n2;
    put = discounted * (1 - n2) - spot * (1 - n1);
}

template <class Real>
__global__ void price_each(const Real *spot, const Real *strike, const Real *years, int count, Real *call, Real *put)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        price<Real>(spot[i], strike[i], years[i], (Real)0.02, (Real)0.3, call[i], put[i]);
}

__global__ void price_four(const float4 *spot, const float4 *strike, const float4 *years, int count, float4 *call,
                           float4 *put)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 s = spot[i], k = strike[i], y = years[i], c, p;
    price(s.x, k.x, y.x, 0.02f, 0.3f, c.x, p.x);
    price(s.y, k.y, y.y, 0.02f, 0.3f, c.y, p.y);
    price(s.z, k.z, y.z, 0.02f, 0.3f, c.z, p.z);
    price(s.w, k.w, y.w, 0.02f, 0.3f, c.w, p.w);
    call[i] = c;
    put[i] = p;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 3 << 20, fewer = 1 << 19;
    Lcg random(33);
    std::vector<float> spot = random.floats(count, 5, 30), strike = random.floats(count, 1, 100),
                       years = random.floats(count, 0.25f, 10);
    std::vector<double> wide[3];
    const std::vector<float> *narrow[3] = {&spot, &strike, &years};
    double *inputs[3], *call = room<double>(count / 2), *put = room<double>(count / 2);
    for (int k = 0; k < 3; k++) {
        wide[k].assign(narrow[k]->begin(), narrow[k]->begin() + fewer);
        inputs[k] = copy(wide[k]);
    }
    float *ds = copy(spot), *dk = copy(strike), *dy = copy(years), *calls = (float *)call, *puts = (float *)put;
    auto clear = [&] {
        fill(call, count / 2, 0xff);
        fill(put, count / 2, 0xff);
    };
    auto expected = [&](size_t i, bool is_call) {
        double c, p;
        price<double>(spot[i], strike[i], years[i], 0.02, 0.3, c, p);
        return is_call ? c : p;
    };
    auto check = [&] {
        return differ(calls, count, 503, 1e-4, [&](size_t i) { return expected(i, true); }) +
               differ(puts, count, 503, 1e-4, [&](size_t i) { return expected(i, false); });
    };
    variant(
        "each", "price_each<float>", clear,
        [&] { price_each<float><<<count / 256, 256>>>(ds, dk, dy, count, calls, puts); }, check);
    variant(
        "four", "price_four", clear,
        [&] {
            price_four<<<count / 4 / 128, 128>>>((const float4 *)ds, (const float4 *)dk, (const float4 *)dy, count / 4,
                                                 (float4 *)calls, (float4 *)puts);
        },
        check);
    variant(
        "double", "price_each<double>", clear,
        [&] { price_each<double><<<fewer / 128, 128>>>(inputs[0], inputs[1], inputs[2], fewer, call, put); },
        [&] {
            return differ(call, fewer, 211, 1e-8, [&](size_t i) { return expected(i, true); }) +
                   differ(put, fewer, 211, 1e-8, [&](size_t i) { return expected(i, false); });
        });
    return finish();
}
