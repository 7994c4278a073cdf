// Random walks: along the edges of a graph, with a bias by rejection, samples from a table of
// aliases, Brownian paths in double precision.
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

__host__ __device__ inline uint32_t drawn(uint64_t &state)
{
    uint64_t old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = ((old >> 18) ^ old) >> 27, by = old >> 59;
    return x >> by | x << (-by & 31);
}

__host__ __device__ inline uint32_t drawn_below(uint64_t &state, uint32_t count)
{
    return (uint64_t)drawn(state) * count >> 32;
}

__host__ __device__ inline uint64_t seeded(uint32_t i)
{
    uint64_t s = (i + 1) * 0x9e3779b97f4a7c15ull;
    drawn(s);
    return s;
}

__host__ __device__ inline int walked(const int *begin, const int *to, int start, int steps,
                                      uint64_t state)
{
    int v = start;
    for (int k = 0; k < steps; k++) {
        int first = begin[v], degree = begin[v + 1] - first;
        v = degree ? to[first + drawn_below(state, degree)] : start;
    }
    return v;
}

__global__ void walk(const int *__restrict__ begin, const int *__restrict__ to, int vertices,
                     int steps, int walkers, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < walkers)
        out[i] = walked(begin, to, i % vertices, steps, seeded(i));
}

// goes back rarely: a step is taken for sure if it is a higher vertex, else one time in four
__host__ __device__ inline int biased(const int *begin, const int *to, int start, int steps,
                                      uint64_t state)
{
    int v = start, before = start;
    for (int k = 0; k < steps; k++) {
        int first = begin[v], degree = begin[v + 1] - first, next = start;
        for (int tries = 0; degree && tries < 20; tries++) {
            next = to[first + drawn_below(state, degree)];
            if ((next != before && next > v) || drawn_below(state, 4) == 0)
                break;
        }
        before = v;
        v = next;
    }
    return v;
}

__global__ void walk_biased(const int *__restrict__ begin, const int *__restrict__ to, int vertices,
                            int steps, int walkers, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < walkers)
        out[i] = biased(begin, to, i % vertices, steps, seeded(i));
}

struct Alias {
    float keep;
    int other;
};

__global__ void sample(const Alias *__restrict__ table, int entries, int each,
                       int *__restrict__ count)
{
    uint64_t state = seeded(blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < each; k++) {
        int e = drawn_below(state, entries);
        Alias a = table[e];
        atomicAdd(&count[(drawn(state) >> 8) * 0x1p-24f < a.keep ? e : a.other], 1);
    }
}

__host__ __device__ inline double brownian(uint64_t state, int steps)
{
    double x = 0, highest = 0;
    for (int k = 0; k < steps; k += 2) {
        double u = (drawn(state) + 1.0) * 0x1p-32, v = drawn(state) * 0x1p-32;
        double r = sqrt(-2 * log(u) / steps), s = sin(6.283185307179586 * v),
               c = cos(6.283185307179586 * v);
        x += r * c;
        highest = fmax(highest, x);
        x += r * s;
        highest = fmax(highest, x);
    }
    return highest;
}

__global__ void brownian_paths(int steps, int paths, double *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < paths)
        out[i] = brownian(seeded(i), steps);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int vertices = 1 << 20, walkers = 1 << 18, steps = 16, entries = 1 << 16,
              threads = 132 * 512, each = 8, paths = 16384, path_steps = 40;
    Lcg random(283);
    std::vector<int> begins(1), targets;
    for (int v = 0; v < vertices; v++) {
        int degree = random.below(12);
        for (int k = 0; k < degree; k++)
            targets.push_back(random.below(vertices));
        begins.push_back(targets.size());
    }
    std::vector<Alias> aliases(entries);
    for (Alias &a : aliases)
        a = {random.unit(), (int)random.below(entries)};
    int *begin = copy(begins), *to = copy(targets), *out = room<int>(walkers),
        *count = room<int>(entries);
    Alias *table = copy(aliases);
    double *highest = room<double>(paths);
    auto reset = [&] {
        fill(out, walkers, 0xff);
        fill(count, entries, 0);
    };
    variant(
        "walk", "walk", reset,
        [&] { walk<<<walkers / 256, 256>>>(begin, to, vertices, steps, walkers, out); },
        [&] {
            return differ(out, walkers, 1, 0, [&](size_t i) {
                return walked(begins.data(), targets.data(), i % vertices, steps, seeded(i));
            });
        });
    variant(
        "biased", "walk_biased", reset,
        [&] {
            walk_biased<<<walkers / 4 / 128, 128>>>(begin, to, vertices, steps, walkers / 4, out);
        },
        [&] {
            return differ(out, walkers / 4, 1, 0, [&](size_t i) {
                return biased(begins.data(), targets.data(), i % vertices, steps, seeded(i));
            });
        });
    variant(
        "alias", "sample", reset,
        [&] { sample<<<threads / 512, 512>>>(table, entries, each, count); },
        [&] {
            std::vector<int> expected(entries);
            for (int i = 0; i < threads; i++) {
                uint64_t state = seeded(i);
                for (int k = 0; k < each; k++) {
                    int e = drawn_below(state, entries);
                    expected[(drawn(state) >> 8) * 0x1p-24f < aliases[e].keep ? e
                                                                              : aliases[e].other]++;
                }
            }
            return differ(count, entries, 1, 0, [&](size_t e) { return expected[e]; });
        });
    variant(
        "brownian", "brownian_paths", [&] { fill(highest, paths, 0xff); },
        [&] { brownian_paths<<<paths / 64, 64>>>(path_steps, paths, highest); },
        [&] {
            return differ(highest, paths, 3, 1e-10,
                          [&](size_t i) { return brownian(seeded(i), path_steps); });
        });
    return finish();
}
