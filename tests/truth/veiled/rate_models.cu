// Models of rates and prices: forward rates along paths with the rates of a path in local memory
// and side by side in shared memory, variances that go their own ways with numbers drawn in
// registers, an American option on a grid of prices in shared memory, and the variance that a price
// implies.
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

constexpr int RATES = 40, STEPS = 20, PATHS = 16384;
constexpr float SHORT = 0.25f;

__constant__ float deviations[RATES];

__host__ __device__ inline float path_value(const float *start, const float *deviation,
                                            const float *normals, int path, float *rates, int apart)
{
    for (int i = 0; i < RATES; i++)
        rates[i * apart] = start[i];
    for (int n = 0; n < STEPS; n++) {
        float z = normals[n * PATHS + path] * sqrtf(SHORT), drift = 0;
        for (int i = n + 1; i < RATES; i++) {
            float own = deviation[i - n - 1], rate = rates[i * apart], dz = SHORT * rate;
            drift += own * dz / (1 + dz);
            rates[i * apart] = rate * expf(own * (z + SHORT * drift - 0.5f * own * SHORT));
        }
    }
    float price = 1, annuity = 0;
    for (int i = STEPS; i < RATES; i++) {
        price /= 1 + SHORT * rates[i * apart];
        annuity += SHORT * price;
    }
    return fmaxf(1 - price - 0.045f * annuity, 0);
}

__global__ void __launch_bounds__(64)
    rates_local(const float *__restrict__ start, const float *__restrict__ normals,
                float *__restrict__ out)
{
    int path = blockIdx.x * 64 + threadIdx.x;
    float rates[RATES];
    out[path] = path_value(start, deviations, normals, path, rates, 1);
}

__global__ void __launch_bounds__(64)
    rates_shared(const float *__restrict__ start, const float *__restrict__ normals,
                 float *__restrict__ out)
{
    __shared__ float rates[RATES * 64];
    int path = blockIdx.x * 64 + threadIdx.x;
    out[path] = path_value(start, deviations, normals, path, rates + threadIdx.x, 64);
}

// ten rounds of products: four numbers of 32 bits from a counter
struct Four {
    uint32_t v[4];
};

__host__ __device__ inline Four drawn(uint32_t a, uint32_t b)
{
    Four c = {{a, b, 0, 0}};
    uint32_t k0 = 0x12345678, k1 = 0x9abcdef0;
#pragma unroll
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xd2511f53 * c.v[0], q = (uint64_t)0xcd9e8d57 * c.v[2];
        c = {{(uint32_t)(q >> 32) ^ c.v[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c.v[3] ^ k1,
              (uint32_t)p}};
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    return c;
}

__host__ __device__ inline float2 normals_of(uint32_t a, uint32_t b)
{
    float far = sqrtf(-2 * logf((a + 0.5f) * 0x1p-32f)), turn = 6.2831853f * (b * 0x1p-32f);
    return make_float2(far * cosf(turn), far * sinf(turn));
}

constexpr int WALKS = 32768, MOMENTS = 64;

__host__ __device__ inline float2 walked(int path)
{
    const float step = 1.0f / MOMENTS, root = 0.125f;
    float price = 0, variance = 0.04f; // the logarithm of the price
    for (int n = 0; n < MOMENTS; n += 2) {
        Four f = drawn(path, n);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float2 z = normals_of(f.v[2 * k], f.v[2 * k + 1]);
            float positive = fmaxf(variance, 0), deviation = sqrtf(positive) * root;
            price += (0.02f - 0.5f * positive) * step + deviation * z.x;
            variance += 1.5f * (0.04f - positive) * step +
                        0.3f * deviation * (-0.7f * z.x + 0.71414284f * z.y);
        }
    }
    return make_float2(price, variance);
}

__global__ void __launch_bounds__(128) variances(float2 *__restrict__ out)
{
    int path = blockIdx.x * 128 + threadIdx.x;
    out[path] = walked(path);
}

// a block an option, a thread two prices; exercised wherever that is better
constexpr int PRICES = 256, TIMES = 400, OPTIONS = 264;

struct Option {
    float strike, deviation, rate, time;
};

__global__ void __launch_bounds__(PRICES / 2)
    american(const Option *__restrict__ options, float *__restrict__ out)
{
    __shared__ float values[2][PRICES];
    Option o = options[blockIdx.x];
    float dt = o.time / TIMES, dx = o.deviation * sqrtf(3 * dt),
          drift = o.rate - 0.5f * o.deviation * o.deviation;
    float middle = 1 - o.rate * dt - 1 / 3.0f, side = drift * dt / (2 * dx), up = 1 / 6.0f + side,
          down = 1 / 6.0f - side, now[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int i = threadIdx.x + k * (PRICES / 2);
        now[k] = fmaxf(o.strike - expf((i - PRICES / 2) * dx), 0);
        values[0][i] = now[k];
    }
    for (int n = 0; n < TIMES; n++) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 2; k++) {
            int i = threadIdx.x + k * (PRICES / 2);
            const float *old = values[n % 2];
            float value = old[i];
            if (i > 0 && i < PRICES - 1)
                value = fmaxf(down * old[i - 1] + middle * value + up * old[i + 1], now[k]);
            values[1 - n % 2][i] = value;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < PRICES; i += PRICES / 2)
        out[blockIdx.x * PRICES + i] = values[TIMES % 2][i];
}

// Newton's steps in double precision until nothing changes
constexpr int QUOTES = 65536;

struct Quote {
    double spot, strike, time, price;
};

__host__ __device__ inline double call(const Quote &q, double deviation, double *slope)
{
    double root = deviation * sqrt(q.time), d1 = log(q.spot / q.strike) / root + 0.5 * root,
           d2 = d1 - root;
    *slope = q.spot * sqrt(q.time) * exp(-0.5 * d1 * d1) * 0.3989422804014327;
    return q.spot * 0.5 * erfc(-d1 * 0.7071067811865476) -
           q.strike * 0.5 * erfc(-d2 * 0.7071067811865476);
}

__global__ void __launch_bounds__(128)
    implied(const Quote *__restrict__ quotes, double *__restrict__ out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    Quote q = quotes[i];
    double deviation = sqrt(2 * fabs(log(q.spot / q.strike)) / q.time) + 0.05, slope;
    for (int n = 0; n < 40; n++) {
        double change = (call(q, deviation, &slope) - q.price) / slope;
        deviation -= change;
        if (fabs(change) < 1e-10)
            break;
    }
    out[i] = deviation;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(401);
    std::vector<float> start(RATES), deviation(RATES), normals(STEPS * PATHS);
    for (int i = 0; i < RATES; i++)
        start[i] = 0.045f + 0.0005f * i, deviation[i] = 0.25f - 0.003f * i;
    for (size_t i = 0; i < normals.size(); i += 2) {
        float2 z = normals_of(random.next(), random.next());
        normals[i] = z.x, normals[i + 1] = z.y;
    }
    must(cudaMemcpyToSymbol(deviations, deviation.data(), sizeof deviations));
    std::vector<Option> contracts(OPTIONS);
    for (Option &o : contracts)
        o = {random.between(0.8f, 1.2f), random.between(0.15f, 0.5f), random.between(0, 0.08f),
             random.between(0.3f, 2)};
    std::vector<Quote> quotes(QUOTES);
    std::vector<double> meant(QUOTES);
    for (int i = 0; i < QUOTES; i++) {
        double slope;
        meant[i] = random.between(0.1f, 0.6f);
        quotes[i] = {1, random.between(0.8f, 1.25f), random.between(0.25f, 2), 0};
        quotes[i].price = call(quotes[i], meant[i], &slope);
    }
    const int results = std::max(2 * WALKS, OPTIONS * PRICES);
    float *S = copy(start), *N = copy(normals), *out = room<float>(results);
    Option *O = copy(contracts);
    Quote *Q = copy(quotes);
    double *solved = room<double>(QUOTES);
    auto wiped = [&] {
        fill(out, results, 0x77);
        fill(solved, QUOTES, 0x77);
    };
    auto paths = [&] {
        return differ(out, PATHS, 7, 1e-3, [&](size_t i) {
            float rates[RATES];
            return path_value(start.data(), deviation.data(), normals.data(), i, rates, 1);
        });
    };
    variant(
        "rates_local", "rates_local", wiped, [&] { rates_local<<<PATHS / 64, 64>>>(S, N, out); },
        paths);
    variant(
        "rates_shared", "rates_shared", wiped, [&] { rates_shared<<<PATHS / 64, 64>>>(S, N, out); },
        paths);
    variant(
        "variances", "variances", wiped, [&] { variances<<<WALKS / 128, 128>>>((float2 *)out); },
        [&] {
            return differ(out, 2 * WALKS, 61, 2e-3, [&](size_t i) {
                float2 w = walked(i / 2);
                return i % 2 ? w.y : w.x;
            });
        });
    variant(
        "american", "american", wiped, [&] { american<<<OPTIONS, PRICES / 2>>>(O, out); },
        [&] {
            std::vector<float> got = fetch(out, OPTIONS * PRICES);
            std::vector<double> old(PRICES), next(PRICES), now(PRICES);
            long bad = 0;
            for (int s = 0; s < OPTIONS; s += 5) {
                Option o = contracts[s];
                double dt = o.time / TIMES, dx = o.deviation * sqrt(3 * dt),
                       side = (o.rate - 0.5 * o.deviation * o.deviation) * dt / (2 * dx);
                for (int i = 0; i < PRICES; i++)
                    old[i] = now[i] = std::fmax(o.strike - exp((i - PRICES / 2) * dx), 0);
                for (int n = 0; n < TIMES; n++, old.swap(next))
                    for (int i = 0; i < PRICES; i++)
                        next[i] = i == 0 || i == PRICES - 1
                                      ? old[i]
                                      : std::fmax((1 / 6.0 - side) * old[i - 1] +
                                                      (2 / 3.0 - o.rate * dt) * old[i] +
                                                      (1 / 6.0 + side) * old[i + 1],
                                                  now[i]);
                for (int i = 0; i < PRICES; i++)
                    bad += !near(got[s * PRICES + i], old[i], 1e-4);
            }
            return bad;
        });
    variant(
        "implied", "implied", wiped, [&] { implied<<<QUOTES / 128, 128>>>(Q, solved); },
        [&] { return differ(solved, QUOTES, 1, 1e-6, [&](size_t i) { return meant[i]; }); });
    return finish();
}
