// Options by lattices and paths: a binomial tree in shared memory by a block each, a tree in a
// warp's registers, a barrier along many paths, squares and products of paths for a regression.
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

struct Option {
    float spot, strike, years, rate, volatility;
};

__host__ __device__ inline float exercised(const Option &o, float up, int steps, int ups)
{
    return fmaxf(o.strike - o.spot * expf(up * (2 * ups - steps)), 0.f);
}

// an American put; STEPS levels
template <int STEPS, int THREADS>
__global__ void tree_block(const Option *__restrict__ option, float *__restrict__ price)
{
    __shared__ float value[STEPS + 1];
    Option o = option[blockIdx.x];
    float dt = o.years / STEPS, up = o.volatility * sqrtf(dt), u = expf(up), d = 1 / u,
          p = (expf(o.rate * dt) - d) / (u - d), keep = expf(-o.rate * dt);
    for (int i = threadIdx.x; i <= STEPS; i += THREADS)
        value[i] = exercised(o, up, STEPS, i);
    __syncthreads();
    for (int level = STEPS - 1; level >= 0; level--) {
        constexpr int EACH = (STEPS + THREADS - 1) / THREADS;
        float next[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = threadIdx.x + k * THREADS;
            if (i <= level)
                next[k] = fmaxf(keep * (p * value[i + 1] + (1 - p) * value[i]),
                                o.strike - o.spot * __expf(up * (2 * i - level)));
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (threadIdx.x + k * THREADS <= level)
                value[threadIdx.x + k * THREADS] = next[k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        price[blockIdx.x] = value[0];
}

// a European put: a warp has 32 x EACH leaves in registers, lanes side by side
template <int EACH>
__global__ void tree_warp(const Option *__restrict__ option, float *__restrict__ price,
                          int options_count)
{
    constexpr int STEPS = 32 * EACH - 1;
    int n = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (n >= options_count)
        return;
    Option o = option[n];
    float dt = o.years / STEPS, up = o.volatility * sqrtf(dt), u = expf(up), d = 1 / u,
          keep = expf(-o.rate * dt), p = (1 / keep - d) / (u - d);
    float value[EACH], high = keep * p, low = keep * (1 - p);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        value[k] = exercised(o, up, STEPS, lane * EACH + k);
    for (int level = STEPS; level > 0; level--) {
        float next = __shfl_down_sync(~0u, value[0], 1);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            value[k] = low * value[k] + high * (k + 1 < EACH ? value[k + 1] : next);
    }
    if (lane == 0)
        price[n] = value[0];
}

// normal numbers by steps, then paths; out: the path's payoff
__global__ void barrier_paths(const float *__restrict__ normal, Option o, float barrier, int steps,
                              int paths, float *__restrict__ payoff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    float dt = o.years / steps, drift = (o.rate - 0.5f * o.volatility * o.volatility) * dt,
          spread = o.volatility * sqrtf(dt), x = logf(o.spot), limit = logf(barrier);
    bool alive = true;
    for (int k = 0; k < steps; k++) {
        x += drift + spread * normal[(size_t)k * paths + i];
        alive &= x < limit;
    }
    payoff[i] = alive ? fmaxf(expf(x) - o.strike, 0.f) * expf(-o.rate * o.years) : 0;
}

// sums for a fit by 1, x, x^2: 5 powers and 3 products
__global__ void regression(const float *__restrict__ x, const float *__restrict__ y, int count,
                           double *__restrict__ sum)
{
    double s[8] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        double a = x[i], b = y[i], power = 1;
        for (int k = 0; k < 5; k++) {
            s[k] += power;
            if (k < 3)
                s[5 + k] += power * b;
            power *= a;
        }
    }
    __shared__ double parts[8][8];
    for (int k = 0; k < 8; k++) {
        for (int step = 16; step; step /= 2)
            s[k] += __shfl_xor_sync(~0u, s[k], step);
        if (threadIdx.x % 32 == 0)
            parts[k][threadIdx.x / 32] = s[k];
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        double all = 0;
        for (int w = 0; w < 8; w++)
            all += parts[threadIdx.x][w];
        atomicAdd(&sum[threadIdx.x], all);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int trees = 132, warps = 2048, paths = 1 << 17, steps = 64, count = 4 << 20;
    Lcg random(379);
    std::vector<Option> list(warps);
    for (Option &o : list)
        o = {random.between(80, 120), 100, random.between(0.3f, 1.5f), random.between(0.01f, 0.05f),
             random.between(0.1f, 0.4f)};
    std::vector<float> normals((size_t)steps * paths), ys = random.floats(count, -1, 1);
    for (float &n : normals)
        n = random.unit() + random.unit() + random.unit() + random.unit() - 2 +
            0.7f * (random.unit() - random.unit());
    Option *option = copy(list);
    float *normal = copy(normals), *y = copy(ys), *price = room<float>(paths);
    double *sum = room<double>(8);
    auto wiped = [&] {
        fill(price, paths, 0xff);
        fill(sum, 8, 0);
    };
    auto tree = [&](const Option &o, int levels, bool american) {
        double dt = o.years / levels, up = o.volatility * std::sqrt(dt), u = std::exp(up),
               d = 1 / u, keep = std::exp(-o.rate * dt), p = (1 / keep - d) / (u - d);
        std::vector<double> v(levels + 1);
        for (int i = 0; i <= levels; i++)
            v[i] = std::max(o.strike - o.spot * std::exp(up * (2 * i - levels)), 0.0);
        for (int level = levels - 1; level >= 0; level--)
            for (int i = 0; i <= level; i++) {
                v[i] = keep * (p * v[i + 1] + (1 - p) * v[i]);
                if (american)
                    v[i] = std::max(v[i], o.strike - o.spot * std::exp(up * (2 * i - level)));
            }
        return v[0];
    };
    variant(
        "block", "tree_block", wiped, [&] { tree_block<511, 128><<<trees, 128>>>(option, price); },
        [&] {
            return differ(price, trees, 5, 2e-3,
                          [&](size_t i) { return tree(list[i], 511, true); });
        });
    variant(
        "warp", "tree_warp", wiped, [&] { tree_warp<8><<<warps / 4, 128>>>(option, price, warps); },
        [&] {
            return differ(price, warps, 17, 2e-3,
                          [&](size_t i) { return tree(list[i], 255, false); });
        });
    const Option o = {100, 100, 1, 0.03f, 0.2f};
    variant(
        "barrier", "barrier_paths", wiped,
        [&] { barrier_paths<<<paths / 256, 256>>>(normal, o, 130, steps, paths, price); },
        [&] {
            std::vector<float> got = fetch(price, paths);
            long bad = 0;
            for (int i = 0; i < paths; i += 7) {
                double dt = 1.0 / steps, x = std::log(100.0), top = 0;
                for (int k = 0; k < steps; k++) {
                    x += (0.03 - 0.02) * dt + 0.2 * std::sqrt(dt) * normals[(size_t)k * paths + i];
                    top = std::max(top, x);
                }
                double e =
                    top < std::log(130.0) ? std::max(std::exp(x) - 100, 0.0) * std::exp(-0.03) : 0;
                bad += !near(got[i], e, 1e-3) && std::fabs(top - std::log(130.0)) > 1e-4;
            }
            return bad;
        });
    variant(
        "regression", "regression", wiped,
        [&] { regression<<<132 * 4, 256>>>(normal, y, count, sum); },
        [&] {
            double e[8] = {};
            for (int i = 0; i < count; i++)
                for (int k = 0; k < 5; k++) {
                    e[k] += std::pow((double)normals[i], k);
                    if (k < 3)
                        e[5 + k] += std::pow((double)normals[i], k) * ys[i];
                }
            return differ(sum, 8, 1, 1e-6, [&](size_t k) { return e[k]; });
        });
    return finish();
}
