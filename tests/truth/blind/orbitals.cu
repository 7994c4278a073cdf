// Integrals over Gaussians: overlaps of pairs in double precision, orders of the Boys function by a
// series, repulsion of pairs by a table, products with a density scattered by atomics, and the
// density at points of space.
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

constexpr int SHELLS = 160, PAIRS = SHELLS * (SHELLS + 1) / 2, GRID = 4096;

struct Shell {
    double x, y, z, width, factor;
};

struct Pair { // the product of two Gaussians
    float x, y, z, width, factor;
    int a, b;
};

__host__ __device__ inline void unpack(int i, int &a, int &b)
{
    a = (int)((sqrtf(8.0f * i + 1) - 1) / 2);
    while ((a + 1) * (a + 2) / 2 <= i)
        a++;
    while (a * (a + 1) / 2 > i)
        a--;
    b = i - a * (a + 1) / 2;
}

// overlap and kinetic energy of two spheres
__host__ __device__ inline double overlap(const Shell &p, const Shell &q, double *kinetic)
{
    double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, square = x * x + y * y + z * z;
    double sum = p.width + q.width, mu = p.width * q.width / sum, s = 3.141592653589793 / sum;
    double value = p.factor * q.factor * s * sqrt(s) * exp(-mu * square);
    *kinetic = mu * (3 - 2 * mu * square) * value;
    return value;
}

__global__ void overlaps(const Shell *__restrict__ shells, double *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a, b;
    if (i >= PAIRS)
        return;
    unpack(i, a, b);
    out[i] = overlap(shells[a], shells[b], out + PAIRS + i);
}

// orders 0 to 4: a series for the highest one, the others by going down
__host__ __device__ inline double boys(double t)
{
    double e = exp(-t), high;
    if (t > 25) {
        double f = 0.5 * sqrt(3.141592653589793 / t), sum = f;
        for (int n = 0; n < 4; n++) {
            f = ((2 * n + 1) * f - e) / (2 * t);
            sum += f;
        }
        return sum;
    }
    double term = 1.0 / 9, sum = term;
    for (int k = 1; term > 1e-15 * sum; k++) {
        term *= 2 * t / (9 + 2 * k);
        sum += term;
    }
    high = e * sum;
    double all = high;
    for (int n = 3; n >= 0; n--) {
        high = (2 * t * high + e) / (2 * n + 1);
        all += high;
    }
    return all;
}

__global__ void boys_series(const double *__restrict__ t, double *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = boys(t[i]);
}

// order 0 in single precision by cubic pieces
__host__ __device__ inline float tabled(const float4 *table, float t)
{
    if (t >= 30)
        return 0.8862269f / sqrtf(t);
    float at = t * (GRID / 32.0f);
    int k = (int)at;
    float u = at - k;
    float4 c = table[k];
    return ((c.w * u + c.z) * u + c.y) * u + c.x;
}

__host__ __device__ inline float repulsion(const float4 *table, const Pair &p, const Pair &q)
{
    float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, sum = p.width + q.width,
          mu = p.width * q.width / sum;
    return 34.986836f * p.factor * q.factor / (p.width * q.width * sqrtf(sum)) *
           tabled(table, mu * (x * x + y * y + z * z));
}

// the Coulomb part: a thread a pair, the others by tiles of shared memory
__global__ void __launch_bounds__(128)
    coulomb(const float4 *__restrict__ table, const Pair *__restrict__ pairs,
            const float *__restrict__ density, float *__restrict__ out, int others)
{
    __shared__ Pair tile[64];
    __shared__ float weight[64];
    int i = blockIdx.x * 128 + threadIdx.x;
    Pair mine = pairs[min(i, PAIRS - 1)];
    float sum = 0;
    for (int base = 0; base < others; base += 64) {
        __syncthreads();
        if (threadIdx.x < 64)
            tile[threadIdx.x] = pairs[base + threadIdx.x],
            weight[threadIdx.x] = density[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += weight[k] * repulsion(table, mine, tile[k]);
    }
    if (i < PAIRS)
        out[i] = sum;
}

// the exchange part: what is too small is left out; four places are added to
__global__ void __launch_bounds__(128)
    exchange(const float4 *__restrict__ table, const Pair *__restrict__ pairs,
             const float *__restrict__ density, float *matrix, int count)
{
    int i = blockIdx.x * 128 + threadIdx.x, j = blockIdx.y;
    if (i >= count)
        return;
    Pair p = pairs[i], q = pairs[j];
    if (fabsf(p.factor * q.factor) < 1e-3f)
        return;
    float v = repulsion(table, p, q);
    atomicAdd(matrix + p.a * SHELLS + q.a, v * density[p.b * SHELLS + q.b]);
    atomicAdd(matrix + p.a * SHELLS + q.b, v * density[p.b * SHELLS + q.a]);
    atomicAdd(matrix + p.b * SHELLS + q.a, v * density[p.a * SHELLS + q.b]);
    atomicAdd(matrix + p.b * SHELLS + q.b, v * density[p.a * SHELLS + q.a]);
}

// the density at points of space: all shells from constant memory
__constant__ float4 CENTRES[SHELLS];
__constant__ float FACTORS[SHELLS];

__global__ void space(float *__restrict__ out, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i % side * (8.0f / side), y = i / side % side * (8.0f / side),
          z = i / (side * side) * (8.0f / side), sum = 0;
    for (int k = 0; k < SHELLS; k++) {
        float4 c = CENTRES[k];
        float u = x - c.x, v = y - c.y, w = z - c.z;
        sum += FACTORS[k] * __expf(-c.w * (u * u + v * v + w * w));
    }
    out[i] = sum * sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(61);
    const int values = 65536, others = 640, some = 1600, side = 40, points = side * side * side;
    std::vector<Shell> shells(SHELLS);
    float4 centres[SHELLS];
    float factors[SHELLS];
    for (int k = 0; k < SHELLS; k++) {
        shells[k] = {random.between(0, 8), random.between(0, 8), random.between(0, 8),
                     exp(random.between(-2, 2)), random.between(0.3f, 1)};
        centres[k] = make_float4(shells[k].x, shells[k].y, shells[k].z, shells[k].width),
        factors[k] = shells[k].factor;
    }
    must(cudaMemcpyToSymbol(CENTRES, centres, sizeof centres));
    must(cudaMemcpyToSymbol(FACTORS, factors, sizeof factors));
    std::vector<Pair> pairs(PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        int a, b;
        unpack(i, a, b);
        const Shell &p = shells[a], &q = shells[b];
        double sum = p.width + q.width, x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
        double f = p.factor * q.factor * exp(-p.width * q.width / sum * (x * x + y * y + z * z));
        pairs[i] = {(float)((p.width * p.x + q.width * q.x) / sum),
                    (float)((p.width * p.y + q.width * q.y) / sum),
                    (float)((p.width * p.z + q.width * q.z) / sum),
                    (float)sum,
                    (float)f,
                    a,
                    b};
    }
    std::vector<float4> table(GRID + 1);
    auto zero_order = [](double t) {
        return t < 1e-8 ? 1 : 0.5 * sqrt(3.141592653589793 / t) * erf(sqrt(t));
    };
    for (int k = 0; k <= GRID; k++) {
        double h = 32.0 / GRID, a = zero_order(k * h), b = zero_order((k + 1) * h),
               m = zero_order((k + 0.5) * h);
        double bend = 2 * (a + b - 2 * m);
        table[k] = make_float4(a, b - a - bend, bend, 0);
    }
    std::vector<double> t(values);
    for (double &v : t)
        v = random.below(4) ? random.between(0, 12) : random.between(0, 60);
    std::vector<float> density = random.floats(SHELLS * SHELLS, -1, 1);
    Shell *S = copy(shells);
    Pair *P = copy(pairs);
    float4 *T = copy(table);
    double *V = copy(t), *result = room<double>(values);
    float *D = copy(density), *out = room<float>(points);
    auto zero = [&] {
        fill(out, points, 0);
        fill(result, values, 0xff);
    };
    variant(
        "overlaps", "overlaps", zero, [&] { overlaps<<<(PAIRS + 63) / 64, 64>>>(S, result); },
        [&] {
            return differ(result, 2 * PAIRS, 1, 1e-10, [&](size_t i) {
                int a, b;
                double kinetic;
                unpack(i % PAIRS, a, b);
                double value = overlap(shells[a], shells[b], &kinetic);
                return i < PAIRS ? value : kinetic;
            });
        });
    variant(
        "boys_series", "boys_series", zero, [&] { boys_series<<<values / 128, 128>>>(V, result); },
        [&] { return differ(result, values, 3, 1e-9, [&](size_t i) { return boys(t[i]); }); });
    variant(
        "coulomb", "coulomb", zero,
        [&] { coulomb<<<(PAIRS + 127) / 128, 128>>>(T, P, D, out, others); },
        [&] {
            return differ(out, PAIRS, 19, 2e-3, [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < others; k++)
                    sum += density[k] * repulsion(table.data(), pairs[i], pairs[k]);
                return sum;
            });
        });
    variant(
        "exchange", "exchange", zero,
        [&] { exchange<<<dim3((some + 127) / 128, some), 128>>>(T, P, D, out, some); },
        [&] {
            std::vector<float> got = fetch(out, SHELLS * SHELLS, false);
            std::vector<double> want(SHELLS * SHELLS), size(SHELLS * SHELLS);
            for (int i = 0; i < some; i++)
                for (int j = 0; j < some; j++) {
                    Pair p = pairs[i], q = pairs[j];
                    if (std::fabs(p.factor * q.factor) < 1e-3f)
                        continue;
                    float v = repulsion(table.data(), p, q);
                    int from[4] = {p.b * SHELLS + q.b, p.b * SHELLS + q.a, p.a * SHELLS + q.b,
                                   p.a * SHELLS + q.a};
                    int to[4] = {p.a * SHELLS + q.a, p.a * SHELLS + q.b, p.b * SHELLS + q.a,
                                 p.b * SHELLS + q.b};
                    for (int k = 0; k < 4; k++)
                        want[to[k]] += v * density[from[k]],
                            size[to[k]] += std::fabs(v * density[from[k]]);
                }
            long bad = 0;
            for (int i = 0; i < SHELLS * SHELLS; i++)
                bad += std::fabs(got[i] - want[i]) > 1e-3 * (1 + size[i]);
            return bad;
        });
    variant(
        "space", "space", zero, [&] { space<<<points / 128, 128>>>(out, side); },
        [&] {
            return differ(out, points, 7, 2e-3, [&](size_t i) {
                float x = i % side * (8.0f / side), y = i / side % side * (8.0f / side),
                      z = i / (side * side) * (8.0f / side);
                double sum = 0;
                for (int k = 0; k < SHELLS; k++) {
                    float u = x - centres[k].x, v = y - centres[k].y, w = z - centres[k].z;
                    sum += factors[k] * std::exp(-centres[k].w * (u * u + v * v + w * w));
                }
                return sum * sum;
            });
        });
    return finish();
}
