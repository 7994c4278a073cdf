// Markets: variances that follow their past with a set of parameters in each thread, orders matched
// in a book of prices in shared memory, losses of many scenarios with correlated factors, and
// averages of many series side by side and one behind the other.
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

constexpr int DAYS = 512, FACTORS = 24, POSITIONS = 64, LEVELS = 64;

// the likelihood of a GARCH model: one day after the other
__host__ __device__ inline float likelihood(const float *returns, float omega, float alpha,
                                            float beta)
{
    float variance = omega / (1 - alpha - beta), sum = 0;
    for (int d = 0; d < DAYS; d++) {
        float r = returns[d];
        sum += logf(variance) + r * r / variance;
        variance = omega + alpha * r * r + beta * variance;
    }
    return -0.5f * sum;
}

__constant__ float RETURNS[DAYS];

__global__ void __launch_bounds__(32)
    likelihoods(const float *__restrict__ parameters, float *__restrict__ out, int count)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = likelihood(RETURNS, parameters[i], parameters[count + i], parameters[2 * count + i]);
}

struct Order {
    short price, amount; // amount < 0: to sell
};

// what is left at each price; a lane has a market of its own
__host__ __device__ inline int match(const Order *orders, int stride, int many, int *book,
                                     int pitch)
{
    int traded = 0, bid = -1, ask = LEVELS;
    for (int k = 0; k < many; k++) {
        Order o = orders[(size_t)k * stride];
        int left = o.amount < 0 ? -o.amount : o.amount;
        if (o.amount > 0) {
            while (left > 0 && ask <= o.price) {
                int take = left < -book[ask * pitch] ? left : -book[ask * pitch];
                book[ask * pitch] += take, left -= take, traded += take * ask;
                while (ask < LEVELS && book[ask * pitch] >= 0)
                    ask++;
            }
            if (left > 0) {
                book[o.price * pitch] += left;
                bid = o.price > bid ? o.price : bid;
            }
        } else {
            while (left > 0 && bid >= o.price) {
                int take = left < book[bid * pitch] ? left : book[bid * pitch];
                book[bid * pitch] -= take, left -= take, traded += take * bid;
                while (bid >= 0 && book[bid * pitch] <= 0)
                    bid--;
            }
            if (left > 0) {
                book[o.price * pitch] -= left;
                ask = o.price < ask ? o.price : ask;
            }
        }
    }
    return traded;
}

__global__ void __launch_bounds__(32)
    books(const Order *__restrict__ orders, int *__restrict__ out, int many)
{
    __shared__ int book[LEVELS * 32];
    int m = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < LEVELS; k++)
        book[k * 32 + threadIdx.x] = 0;
    out[m] = match(orders + m, gridDim.x * 32, many, book + threadIdx.x, 32);
}

struct Factor { // a triangle of a covariance, and what positions take of each factor
    float root[FACTORS][FACTORS], share[POSITIONS][FACTORS], strike[POSITIONS];
};

__host__ __device__ inline uint32_t hashed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__host__ __device__ inline float loss(const Factor &f, int scenario)
{
    float z[FACTORS], x[FACTORS], sum = 0;
#pragma unroll
    for (int k = 0; k < FACTORS; k += 2) {
        float u = ((hashed(scenario * 64 + k) >> 8) + 0.5f) * 0x1p-24f,
              v = (hashed(scenario * 64 + k + 1) >> 8) * 0x1p-24f;
        float r = sqrtf(-2 * logf(u));
        z[k] = r * cosf(6.2831853f * v), z[k + 1] = r * sinf(6.2831853f * v);
    }
#pragma unroll
    for (int k = 0; k < FACTORS; k++) {
        x[k] = 0;
#pragma unroll
        for (int j = 0; j <= k; j++)
            x[k] += f.root[k][j] * z[j];
    }
    for (int p = 0; p < POSITIONS; p++) {
        float move = 0;
#pragma unroll
        for (int k = 0; k < FACTORS; k++)
            move += f.share[p][k] * x[k];
        sum += fmaxf(expf(0.1f * move) - f.strike[p], 0);
    }
    return sum;
}

__global__ void __launch_bounds__(128)
    scenarios(const Factor *__restrict__ factor, float *__restrict__ out)
{
    __shared__ Factor own;
    for (int k = threadIdx.x; k < (int)(sizeof(Factor) / 4); k += 128)
        ((float *)&own)[k] = ((const float *)factor)[k];
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = loss(own, i);
}

// two averages that forget, and how often they cross: series side by side or one behind the other
__host__ __device__ inline float crossings(const float *prices, size_t stride)
{
    float fast = prices[0], slow = fast, up = 0, down = 0;
    int above = 0, count = 0;
    for (int d = 1; d < DAYS; d++) {
        float p = prices[d * stride], change = p - prices[(d - 1) * stride];
        fast += 0.2f * (p - fast), slow += 0.05f * (p - slow);
        up += 0.07f * (fmaxf(change, 0) - up), down += 0.07f * (fmaxf(-change, 0) - down);
        int now = fast > slow + 0.01f ? 1 : fast < slow - 0.01f ? -1 : above;
        count += now != above, above = now;
    }
    return count + up / (up + down + 1e-6f);
}

template <bool BESIDE>
__global__ void __launch_bounds__(128)
    averages(const float *__restrict__ prices, float *__restrict__ out, int count)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i] = BESIDE ? crossings(prices + i, count) : crossings(prices + (size_t)i * DAYS, 1);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(157);
    const int models = 4096, series = 8192, many = 300, paths = 65536;
    float returns[DAYS];
    for (float &r : returns)
        r = random.between(-1, 1) + random.between(-1, 1);
    must(cudaMemcpyToSymbol(RETURNS, returns, sizeof returns));
    std::vector<float> parameters(models * 3), beside(series * DAYS), behind(series * DAYS);
    for (int i = 0; i < models; i++)
        parameters[i] = random.between(0.02f, 0.2f),
        parameters[models + i] = random.between(0.02f, 0.2f),
        parameters[2 * models + i] = random.between(0.3f, 0.75f);
    for (int s = 0; s < series; s++) {
        float price = 10;
        for (int d = 0; d < DAYS; d++) {
            price += random.between(-0.3f, 0.3f);
            beside[d * series + s] = behind[s * DAYS + d] = price;
        }
    }
    std::vector<Order> orders(models * many);
    for (Order &o : orders) {
        int sell = random.below(2);
        o = {(short)(sell ? 24 + random.below(LEVELS - 24) : random.below(LEVELS - 24)),
             (short)((sell ? -1 : 1) * (1 + (int)random.below(40)))};
    }
    std::vector<Factor> factor(1);
    for (float *f = (float *)factor.data(); f < (float *)(factor.data() + 1); f++)
        *f = random.between(-0.5f, 0.7f);
    for (float &s : factor[0].strike)
        s = random.between(0.7f, 1.2f);
    float *P = copy(parameters), *X = copy(beside), *Y = copy(behind), *out = room<float>(paths);
    Order *O = copy(orders);
    int *traded = room<int>(models);
    Factor *F = copy(factor);
    auto wiped = [&] {
        fill(out, paths, 0xff);
        fill(traded, models, 0x77);
    };
    variant(
        "likelihoods", "likelihoods", wiped,
        [&] { likelihoods<<<models / 32, 32>>>(P, out, models); },
        [&] {
            return differ(out, models, 3, 2e-3, [&](size_t i) {
                return likelihood(returns, parameters[i], parameters[models + i],
                                  parameters[2 * models + i]);
            });
        });
    variant(
        "books", "books", wiped, [&] { books<<<models / 32, 32>>>(O, traded, many); },
        [&] {
            return differ(traded, models, 3, 0, [&](size_t i) {
                int book[LEVELS] = {};
                return match(&orders[i], models, many, book, 1);
            });
        });
    variant(
        "scenarios", "scenarios", wiped, [&] { scenarios<<<paths / 128, 128>>>(F, out); },
        [&] { return differ(out, paths, 13, 2e-3, [&](size_t i) { return loss(factor[0], i); }); });
    auto check = [&] {
        long bad =
            differ(out, series, 3, 1e-2, [&](size_t i) { return crossings(&beside[i], series); });
        return bad > 30 ? bad : 0; // averages may just cross or not
    };
    variant(
        "beside", "averages", wiped, [&] { averages<true><<<series / 128, 128>>>(X, out, series); },
        check);
    variant(
        "behind", "averages", wiped,
        [&] { averages<false><<<series / 128, 128>>>(Y, out, series); }, check);
    return finish();
}
