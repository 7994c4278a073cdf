// Chemical kinetics, a cell in each thread: rates of many reactions by exponentials, a stiff system
// stepped with a Jacobian and elimination in local arrays, an oscillating reaction in steps that
// adapt, and mixtures at equilibrium by Newton's method.
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

constexpr int SPECIES = 12, REACTIONS = 48, STIFF = 5;

struct Reaction {
    float log_a, power, energy;
    int in[2], out[2];
};

__constant__ Reaction LIST[REACTIONS];

__host__ __device__ inline void rates_of(const Reaction *list, float hot, const float *amounts,
                                         int stride, float *change)
{
    float log_hot = logf(hot), inverse = 1 / hot;
    for (int k = 0; k < SPECIES; k++)
        change[k] = 0;
    for (int r = 0; r < REACTIONS; r++) {
        Reaction q = list[r];
        float rate = expf(q.log_a + q.power * log_hot - q.energy * inverse) *
                     amounts[q.in[0] * stride] * amounts[q.in[1] * stride];
        change[q.in[0]] -= rate, change[q.in[1]] -= rate, change[q.out[0]] += rate,
            change[q.out[1]] += rate;
    }
}

// which species changes is known at run time only: the changes are in local memory
__global__ void __launch_bounds__(128)
    rates_local(const float *__restrict__ hot, const float *__restrict__ amounts,
                float *__restrict__ out, int cells)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float change[SPECIES];
    rates_of(LIST, hot[i], amounts + i, cells, change);
    for (int k = 0; k < SPECIES; k++)
        out[k * cells + i] = change[k];
}

// amounts and changes in shared memory, a column for each thread
__global__ void __launch_bounds__(128)
    rates_shared(const float *__restrict__ hot, const float *__restrict__ amounts,
                 float *__restrict__ out, int cells)
{
    __shared__ float have[SPECIES][128], change[SPECIES][128];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    for (int k = 0; k < SPECIES; k++)
        have[k][t] = amounts[k * cells + i], change[k][t] = 0;
    float log_hot = logf(hot[i]), inverse = 1 / hot[i];
    for (int r = 0; r < REACTIONS; r++) {
        Reaction q = LIST[r];
        float rate = expf(q.log_a + q.power * log_hot - q.energy * inverse) * have[q.in[0]][t] *
                     have[q.in[1]][t];
        change[q.in[0]][t] -= rate, change[q.in[1]][t] -= rate, change[q.out[0]][t] += rate,
            change[q.out[1]][t] += rate;
    }
    for (int k = 0; k < SPECIES; k++)
        out[k * cells + i] = change[k][t];
}

__host__ __device__ inline void slope(const double *y, const double *k, double *f)
{
    f[0] = -k[0] * y[0] + k[1] * y[1] * y[2];
    f[1] = k[0] * y[0] - k[1] * y[1] * y[2] - k[2] * y[1] * y[1];
    f[2] = k[2] * y[1] * y[1] - k[3] * y[2] * y[3];
    f[3] = k[4] * y[0] - k[3] * y[2] * y[3] + k[5] * y[4];
    f[4] = k[3] * y[2] * y[3] - k[5] * y[4];
}

// linearly implicit steps: a Jacobian by differences, elimination, and the step
__host__ __device__ inline void implicit(double *y, const double *k, int steps)
{
    double h = 1e-3;
    for (int s = 0; s < steps; s++) {
        double a[STIFF][STIFF], f[STIFF], g[STIFF];
        slope(y, k, f);
#pragma unroll
        for (int c = 0; c < STIFF; c++) {
            double old = y[c], d = 1e-7 * (fabs(old) + 1e-3);
            y[c] = old + d;
            slope(y, k, g);
            y[c] = old;
#pragma unroll
            for (int r = 0; r < STIFF; r++)
                a[r][c] = (r == c ? 1 : 0) - h * (g[r] - f[r]) / d;
        }
#pragma unroll
        for (int c = 0; c < STIFF; c++) {
            double inverse = 1 / a[c][c];
#pragma unroll
            for (int r = c + 1; r < STIFF; r++) {
                double factor = a[r][c] * inverse;
#pragma unroll
                for (int j = c + 1; j < STIFF; j++)
                    a[r][j] -= factor * a[c][j];
                f[r] -= factor * f[c];
            }
        }
#pragma unroll
        for (int r = STIFF - 1; r >= 0; r--) {
#pragma unroll
            for (int j = r + 1; j < STIFF; j++)
                f[r] -= a[r][j] * f[j];
            f[r] /= a[r][r];
        }
#pragma unroll
        for (int r = 0; r < STIFF; r++)
            y[r] += h * f[r];
        h *= 1.1;
    }
}

__global__ void __launch_bounds__(32)
    stiff(const double *__restrict__ rates, double *__restrict__ out, int cells, int steps)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    double y[STIFF] = {1, 0, 0, 0.5, 0}, k[6];
#pragma unroll
    for (int r = 0; r < 6; r++)
        k[r] = rates[r * cells + i];
    implicit(y, k, steps);
#pragma unroll
    for (int r = 0; r < STIFF; r++)
        out[r * cells + i] = y[r];
}

// an oscillating reaction (Brusselator) in as many small steps as its rate asks for
__host__ __device__ inline float oscillating(float a, float b, int steps)
{
    float x = 1, y = 1, t = 0;
    for (int s = 0; s < steps && t < 2; s++) {
        float u = a + x * x * y - (b + 1) * x, v = b * x - x * x * y;
        float h = fminf(0.02f, 0.02f / (fabsf(u) + fabsf(v) + 0.1f));
        float xm = x + 0.5f * h * u, ym = y + 0.5f * h * v;
        x += h * (a + xm * xm * ym - (b + 1) * xm), y += h * (b * xm - xm * xm * ym), t += h;
    }
    return x + y;
}

__global__ void oscillators(const float *__restrict__ a, const float *__restrict__ b,
                            float *__restrict__ out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = oscillating(a[i], b[i], steps);
}

// acids in water: the logarithm of an amount by Newton's method with limits
__host__ __device__ inline double balanced(const double *strengths, const double *amounts,
                                           size_t stride)
{
    double low = -30, high = 3, x = -7;
    for (int n = 0; n < 40; n++) {
        double h = exp(x), charge = h - 1e-9 / h, change = h + 1e-9 / h;
        for (int k = 0; k < 4; k++) {
            double part = amounts[k * stride] * strengths[k * stride] / (h + strengths[k * stride]);
            charge -= part, change += part * h / (h + strengths[k * stride]);
        }
        charge > 0 ? high = x : low = x;
        double next = x - charge / change;
        next = next > low && next < high ? next : (low + high) / 2;
        if (fabs(next - x) < 1e-11)
            return next;
        x = next;
    }
    return x;
}

__global__ void equilibrium(const double *__restrict__ strengths,
                            const double *__restrict__ amounts, double *__restrict__ out, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = balanced(strengths + i, amounts + i, cells);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(59);
    const int cells = 1 << 16, few = 4096, steps = 50, small = 16384, most = 400;
    Reaction list[REACTIONS];
    for (Reaction &r : list)
        r = {random.between(-1, 1),
             random.between(-1, 1),
             random.between(0.5f, 3),
             {(int)random.below(SPECIES), (int)random.below(SPECIES)},
             {(int)random.below(SPECIES), (int)random.below(SPECIES)}};
    must(cudaMemcpyToSymbol(LIST, list, sizeof list));
    std::vector<float> hot = random.floats(cells, 0.5f, 2),
                       amounts = random.floats(cells * SPECIES),
                       a = random.floats(small, 0.5f, 1.5f), b = random.floats(small, 1, 4);
    std::vector<double> rates(few * 6), strengths(small * 4), acids(small * 4);
    const double typical[6] = {0.04, 10, 30, 100, 1, 0.5};
    for (int i = 0; i < few * 6; i++)
        rates[i] = typical[i / few] * random.between(0.5f, 2);
    for (int i = 0; i < small * 4; i++)
        strengths[i] = exp(random.between(-14, -2)), acids[i] = random.unit() * 0.1;
    float *H = copy(hot), *M = copy(amounts), *A = copy(a), *B = copy(b),
          *out = room<float>(cells * SPECIES);
    double *R = copy(rates), *S = copy(strengths), *Q = copy(acids),
           *result = room<double>(small * STIFF);
    auto wiped = [&] {
        fill(out, cells * SPECIES, 0xff);
        fill(result, small * STIFF, 0xff);
    };
    auto check = [&] {
        std::vector<float> got = fetch(out, cells * SPECIES);
        long bad = 0;
        for (int i = 0; i < cells; i += 11) {
            float change[SPECIES];
            rates_of(list, hot[i], &amounts[i], cells, change);
            for (int k = 0; k < SPECIES; k++)
                bad += !near(got[k * cells + i], change[k], 1e-3);
        }
        return bad;
    };
    variant(
        "rates_local", "rates_local", wiped,
        [&] { rates_local<<<cells / 128, 128>>>(H, M, out, cells); }, check);
    variant(
        "rates_shared", "rates_shared", wiped,
        [&] { rates_shared<<<cells / 128, 128>>>(H, M, out, cells); }, check);
    variant(
        "stiff", "stiff", wiped, [&] { stiff<<<few / 32, 32>>>(R, result, few, steps); },
        [&] {
            std::vector<double> got = fetch(result, few * STIFF);
            long bad = 0;
            for (int i = 0; i < few; i += 5) {
                double y[STIFF] = {1, 0, 0, 0.5, 0}, k[6];
                for (int r = 0; r < 6; r++)
                    k[r] = rates[r * few + i];
                implicit(y, k, steps);
                for (int r = 0; r < STIFF; r++)
                    bad += !near(got[r * few + i], y[r], 1e-6);
            }
            return bad;
        });
    variant(
        "oscillators", "oscillators", wiped,
        [&] { oscillators<<<small / 64, 64>>>(A, B, out, most); },
        [&] {
            return differ(out, small, 3, 2e-2,
                          [&](size_t i) { return oscillating(a[i], b[i], most); });
        });
    variant(
        "equilibrium", "equilibrium", wiped,
        [&] { equilibrium<<<small / 128, 128>>>(S, Q, result, small); },
        [&] {
            return differ(result, small, 3, 1e-8,
                          [&](size_t i) { return balanced(&strengths[i], &acids[i], small); });
        });
    return finish();
}
