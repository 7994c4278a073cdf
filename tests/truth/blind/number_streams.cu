// Streams of random numbers: Mersenne's twister with its state in shared memory, normal numbers by
// layers of a table that lanes leave at different times, squares modulo a number of 62 bits one
// after the other, and gamma variates by rejection.
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

constexpr int STATE = 624, MIDDLE = 397, LAYERS = 256;

__host__ __device__ inline uint32_t mixed(uint32_t high, uint32_t low, uint32_t far)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return far ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
}

__host__ __device__ inline uint32_t tempered(uint32_t y)
{
    y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

// a block a stream: words 0 to 226 need only old ones, the next 227 those, and so on
__global__ void __launch_bounds__(256)
    twister(const uint32_t *__restrict__ seeds, uint32_t *__restrict__ out, int rounds)
{
    __shared__ uint32_t state[STATE];
    int t = threadIdx.x;
    for (int k = t; k < STATE; k += 256)
        state[k] = seeds[blockIdx.x * STATE + k];
    for (int r = 0; r < rounds; r++) {
        for (int base = 0; base < STATE; base += STATE - MIDDLE) {
            int k = base + t;
            bool mine = t < STATE - MIDDLE && k < STATE;
            __syncthreads();
            uint32_t v =
                mine ? mixed(state[k], state[(k + 1) % STATE], state[(k + MIDDLE) % STATE]) : 0;
            __syncthreads();
            if (mine)
                state[k] = v;
        }
        __syncthreads();
        for (int k = t; k < STATE; k += 256)
            out[(blockIdx.x * rounds + r) * STATE + k] = tempered(state[k]);
    }
}

__host__ __device__ inline uint32_t
drawn(uint64_t &state) // a congruence whose high bits are turned (PCG)
{
    uint64_t old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = (uint32_t)((old >> 18 ^ old) >> 27), turn = (uint32_t)(old >> 59);
    return x >> turn | x << (-turn & 31);
}

__host__ __device__ inline float unit(uint64_t &state)
{
    return ((drawn(state) >> 8) + 0.5f) * 0x1p-24f;
}

// Marsaglia and Tsang's layers: edges, quotients and heights
struct Layers {
    float edge[LAYERS + 1], height[LAYERS + 1];
};

__host__ __device__ inline float normal(const float *edge, const float *height, uint64_t &state)
{
    while (true) {
        uint32_t bits = drawn(state);
        int k = bits & 255;
        float u = (int)(bits & ~255u) * 0x1p-31f, x = u * edge[k];
        if (fabsf(x) < edge[k + 1])
            return x;
        if (k == 0) { // beyond the last edge
            float a, b;
            do {
                a = -logf(unit(state)) / edge[1], b = -logf(unit(state));
            } while (2 * b < a * a);
            return x < 0 ? -edge[1] - a : edge[1] + a;
        }
        if (height[k] + unit(state) * (height[k + 1] - height[k]) < expf(-0.5f * x * x))
            return x;
    }
}

__global__ void __launch_bounds__(128)
    normals(const Layers *__restrict__ layers, float *__restrict__ sums,
            float *__restrict__ squares, int draws)
{
    __shared__ float edge[LAYERS + 1], height[LAYERS + 1];
    for (int k = threadIdx.x; k <= LAYERS; k += 128)
        edge[k] = layers->edge[k], height[k] = layers->height[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    uint64_t state = (uint64_t)i * 0x9e3779b97f4a7c15ull + 1;
    float sum = 0, square = 0;
    for (int k = 0; k < draws; k++) {
        float x = normal(edge, height, state);
        sum += x, square += x * x;
    }
    sums[i] = sum, squares[i] = square;
}

// x x modulo a number of 62 bits by Montgomery's way; a bit of each goes out
__host__ __device__ inline uint64_t high_of(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (uint64_t)((unsigned __int128)a * b >> 64);
#endif
}

__host__ __device__ inline uint32_t squares_bits(uint64_t x, uint64_t n, uint64_t inverse,
                                                 int steps)
{
    uint32_t out = 0;
    for (int k = 0; k < steps; k++) {
        uint64_t low = x * x, high = high_of(x, x), m = low * inverse, back = high_of(m, n);
        x = high >= back ? high - back : high - back + n;
        out = (out << 1 | out >> 31) ^ (uint32_t)(x & 1);
    }
    return out;
}

__global__ void chain(const uint64_t *__restrict__ starts, uint64_t n, uint64_t inverse,
                      uint32_t *__restrict__ out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = squares_bits(starts[i], n, inverse, steps);
}

__host__ __device__ inline float gamma_of(float shape, uint64_t &state)
{
    float d = shape - 1.0f / 3, c = 1 / sqrtf(9 * d);
    while (true) {
        float r = sqrtf(-2 * logf(unit(state))), x = r * cosf(6.2831853f * unit(state)),
              v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (logf(unit(state)) < 0.5f * x * x + d - d * v + d * logf(v))
            return d * v;
    }
}

__global__ void gammas(const float *__restrict__ shapes, float *__restrict__ out, int draws)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t state = (uint64_t)i * 0x9e3779b97f4a7c15ull + 5;
    float sum = 0;
    for (int k = 0; k < draws; k++)
        sum += gamma_of(shapes[i], state);
    out[i] = sum / draws;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(109);
    const int streams = 264, rounds = 12, people = 32768, draws = 48, chains = 2048, steps = 1000,
              shaped = 16384, few = 12;
    std::vector<uint32_t> seeds(streams * STATE), numbers;
    for (uint32_t &s : seeds)
        s = random.next();
    for (int b = 0; b < streams; b++) {
        std::vector<uint32_t> state(seeds.begin() + b * STATE, seeds.begin() + (b + 1) * STATE);
        for (int r = 0; r < rounds; r++) {
            for (int k = 0; k < STATE; k++)
                state[k] = mixed(state[k], state[(k + 1) % STATE], state[(k + MIDDLE) % STATE]);
            for (int k = 0; k < STATE; k++)
                numbers.push_back(tempered(state[k]));
        }
    }
    std::vector<Layers> layers(1);
    const double r = 3.6541528853610088, area = 0.00492867323399;
    auto f = [](double x) { return std::exp(-0.5 * x * x); };
    double x = r;
    layers[0].edge[0] = area / f(r), layers[0].edge[1] = r, layers[0].edge[LAYERS] = 0;
    for (int k = 2; k < LAYERS; k++) {
        x = std::sqrt(-2 * std::log(area / x + f(x)));
        layers[0].edge[k] = x;
    }
    for (int k = 0; k <= LAYERS; k++)
        layers[0].height[k] = f(layers[0].edge[k]);
    const uint64_t n = 0x2f3a5d9b1c47e0d1ull;
    uint64_t inverse = 1;
    for (int k = 0; k < 6; k++)
        inverse *= 2 - n * inverse;
    std::vector<uint64_t> starts(chains);
    for (uint64_t &s : starts)
        s = ((uint64_t)random.next() << 32 | random.next()) % n;
    std::vector<float> shapes = random.floats(shaped, 1, 20);
    uint32_t *S = copy(seeds), *out = room<uint32_t>(streams * rounds * STATE);
    Layers *L = copy(layers);
    uint64_t *C = copy(starts);
    float *G = copy(shapes), *sums = room<float>(people), *squares = room<float>(people);
    auto wiped = [&] {
        fill(out, streams * rounds * STATE, 0x77);
        fill(sums, people, 0xff);
        fill(squares, people, 0xff);
    };
    variant(
        "twister", "twister", wiped, [&] { twister<<<streams, 256>>>(S, out, rounds); },
        [&] {
            return differ(out, streams * rounds * STATE, 1, 0,
                          [&](size_t i) { return numbers[i]; });
        });
    variant(
        "normals", "normals", wiped,
        [&] { normals<<<people / 128, 128>>>(L, sums, squares, draws); },
        [&] {
            std::vector<float> a = fetch(sums, people), b = fetch(squares, people);
            long bad = 0;
            double sum = 0, square = 0;
            for (int i = 0; i < people; i++) {
                sum += a[i], square += b[i];
                if (i % 16)
                    continue;
                uint64_t state = (uint64_t)i * 0x9e3779b97f4a7c15ull + 1;
                float own = 0;
                for (int k = 0; k < draws; k++)
                    own += normal(layers[0].edge, layers[0].height, state);
                bad += !near(a[i], own, 1e-3);
            }
            double many = (double)people * draws;
            return (bad > 10) +
                   (long)(std::fabs(sum / many) > 0.005 || std::fabs(square / many - 1) > 0.01);
        });
    variant(
        "chain", "chain", wiped, [&] { chain<<<chains / 32, 32>>>(C, n, inverse, out, steps); },
        [&] {
            return differ(out, chains, 1, 0,
                          [&](size_t i) { return squares_bits(starts[i], n, inverse, steps); });
        });
    variant(
        "gammas", "gammas", wiped, [&] { gammas<<<shaped / 64, 64>>>(G, sums, few); },
        [&] {
            long bad = differ(sums, shaped, 5, 2e-3, [&](size_t i) {
                uint64_t state = (uint64_t)i * 0x9e3779b97f4a7c15ull + 5;
                float sum = 0;
                for (int k = 0; k < few; k++)
                    sum += gamma_of(shapes[i], state);
                return sum / few;
            });
            return bad > 10 ? bad : 0; // a choice at the very limit may fall otherwise
        });
    return finish();
}
