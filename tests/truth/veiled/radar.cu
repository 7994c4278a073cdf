// Echoes of radar and ultrasound: delayed signals of many receivers summed for each point, with
// delays computed and with delays from a table, pulses compressed by a known form, shares of
// frequencies by small transforms, and what stands out of its surroundings.
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

constexpr int RECEIVERS = 64, SAMPLES = 2048, WIDE = 256, DEEP = 512;

__constant__ float places[RECEIVERS];

__host__ __device__ inline float delay(float x, float z, float place)
{
    return 2.0f * (z + sqrtf(z * z + (x - place) * (x - place)));
}

__device__ inline float delayed(const float *signal, float at)
{
    int first = (int)at;
    if (first >= SAMPLES - 1)
        return 0;
    float part = at - first;
    return signal[first] + part * (signal[first + 1] - signal[first]);
}

__global__ void __launch_bounds__(128)
    delays_computed(const float *__restrict__ signals, float *__restrict__ out)
{
    int z = blockIdx.x * 128 + threadIdx.x, x = blockIdx.y;
    float sum = 0;
#pragma unroll 4
    for (int r = 0; r < RECEIVERS; r++)
        sum += delayed(signals + r * SAMPLES, delay(x - WIDE / 2, z * 0.75f + 20, places[r]));
    out[x * DEEP + z] = sum;
}

__global__ void __launch_bounds__(128)
    delays_table(const float *__restrict__ signals, const float *__restrict__ table,
                 float *__restrict__ out)
{
    int z = blockIdx.x * 128 + threadIdx.x, x = blockIdx.y;
    float sum = 0;
#pragma unroll 4
    for (int r = 0; r < RECEIVERS; r++)
        sum += delayed(signals + r * SAMPLES, table[(x * RECEIVERS + r) * DEEP + z]);
    out[x * DEEP + z] = sum;
}

// a sweep of 64 complex values against echoes; four results of a thread share what they load
constexpr int PULSES = 256, RANGES = 1024, SWEEP = 64;

__global__ void __launch_bounds__(256)
    compress(const float2 *__restrict__ echoes, const float2 *__restrict__ sweep,
             float2 *__restrict__ out)
{
    __shared__ float2 own[RANGES + SWEEP], form[SWEEP];
    int t = threadIdx.x, pulse = blockIdx.x;
    for (int i = t; i < RANGES + SWEEP; i += 256)
        own[i] = i < RANGES ? echoes[pulse * RANGES + i] : make_float2(0, 0);
    if (t < SWEEP)
        form[t] = sweep[t];
    __syncthreads();
    float2 sum[4] = {}, last[4];
    for (int k = 0; k < 3; k++)
        last[k] = own[t * 4 + k];
#pragma unroll 4
    for (int k = 0; k < SWEEP; k++) {
        last[3] = own[t * 4 + k + 3];
        float2 f = form[k];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            sum[j].x += last[j].x * f.x + last[j].y * f.y;
            sum[j].y += last[j].y * f.x - last[j].x * f.y;
        }
        last[0] = last[1], last[1] = last[2], last[2] = last[3];
    }
    for (int j = 0; j < 4; j++)
        out[pulse * RANGES + t * 4 + j] = sum[j];
}

// a block has 32 ranges: Fourier transforms of 64 pulses by sums with a table in shared memory
constexpr int SHORT = 64;

__global__ void __launch_bounds__(256)
    doppler(const float2 *__restrict__ echoes, const float2 *__restrict__ roots,
            float *__restrict__ out)
{
    __shared__ float2 own[SHORT][32], root[SHORT];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32, range = blockIdx.x * 32 + lane,
        group = blockIdx.y * SHORT;
    for (int p = w; p < SHORT; p += 8)
        own[p][lane] = echoes[(group + p) * RANGES + range];
    if (threadIdx.x < SHORT)
        root[threadIdx.x] = roots[threadIdx.x];
    __syncthreads();
    for (int f = w; f < SHORT; f += 8) {
        float2 sum = {};
#pragma unroll 8
        for (int p = 0; p < SHORT; p++) {
            float2 a = own[p][lane], b = root[p * f % SHORT];
            sum.x += a.x * b.x - a.y * b.y, sum.y += a.x * b.y + a.y * b.x;
        }
        out[(group + f) * RANGES + range] = sum.x * sum.x + sum.y * sum.y;
    }
}

// a point is marked when it is larger than five times the mean of a ring around it
__host__ __device__ inline bool outstanding(const int *power, int x, int y)
{
    int sum = 0, count = 0;
    for (int r = -4; r <= 4; r++)
        for (int c = -8; c <= 8; c++) {
            if ((abs(r) <= 1 && abs(c) <= 2) || y + r < 0 || y + r >= PULSES || x + c < 0 ||
                x + c >= RANGES)
                continue;
            sum += power[(y + r) * RANGES + x + c], count++;
        }
    return power[y * RANGES + x] * count > 5 * sum;
}

__global__ void stand_out(const int *__restrict__ power, uint8_t *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * RANGES + x] = outstanding(power, x, y);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(283);
    std::vector<float> place(RECEIVERS), signals = random.floats(RECEIVERS * SAMPLES, -1, 1),
                                         table(WIDE * RECEIVERS * DEEP);
    for (int r = 0; r < RECEIVERS; r++)
        place[r] = (r - RECEIVERS / 2) * 1.5f;
    must(cudaMemcpyToSymbol(places, place.data(), sizeof places));
    for (size_t i = 0; i < table.size(); i++)
        table[i] = delay((int)(i / DEEP / RECEIVERS) - WIDE / 2, i % DEEP * 0.75f + 20,
                         place[i / DEEP % RECEIVERS]);
    std::vector<float2> echoes(PULSES * RANGES), sweep(SWEEP), roots(SHORT);
    for (float2 &e : echoes)
        e = make_float2(random.between(-1, 1), random.between(-1, 1));
    for (int k = 0; k < SWEEP; k++)
        sweep[k] = make_float2(cosf(0.02f * k * k), sinf(0.02f * k * k));
    for (int k = 0; k < SHORT; k++)
        roots[k] = make_float2(cos(k * 2 * M_PI / SHORT), -sin(k * 2 * M_PI / SHORT));
    std::vector<int> power(PULSES * RANGES);
    for (int &p : power)
        p = random.below(1000) + (random.below(300) ? 0 : random.below(20000));
    float *S = copy(signals), *T = copy(table), *out = room<float>(2 * PULSES * RANGES);
    float2 *E = copy(echoes), *F = copy(sweep), *R = copy(roots);
    int *P = copy(power);
    uint8_t *marks = room<uint8_t>(PULSES * RANGES);
    auto wiped = [&] {
        fill(out, 2 * PULSES * RANGES, 0x77);
        fill(marks, PULSES * RANGES, 0x77);
    };
    auto check = [&] {
        return differ(out, WIDE * DEEP, 17, 2e-2, [&](size_t i) {
            double sum = 0;
            for (int r = 0; r < RECEIVERS; r++) {
                double z = i % DEEP * 0.75 + 20, x = (int)(i / DEEP) - WIDE / 2 - place[r];
                double at = 2 * (z + sqrt(z * z + x * x));
                int first = (int)at;
                if (first < SAMPLES - 1)
                    sum += signals[r * SAMPLES + first] +
                           (at - first) *
                               (signals[r * SAMPLES + first + 1] - signals[r * SAMPLES + first]);
            }
            return sum;
        });
    };
    const dim3 grid(DEEP / 128, WIDE);
    variant(
        "delays_computed", "delays_computed", wiped,
        [&] { delays_computed<<<grid, 128>>>(S, out); }, check);
    variant(
        "delays_table", "delays_table", wiped, [&] { delays_table<<<grid, 128>>>(S, T, out); },
        check);
    variant(
        "compress", "compress", wiped, [&] { compress<<<PULSES, 256>>>(E, F, (float2 *)out); },
        [&] {
            return differ(out, 2 * PULSES * RANGES, 19, 1e-3, [&](size_t i) {
                size_t range = i / 2 % RANGES;
                double sum = 0;
                for (size_t k = 0; k < SWEEP && range + k < RANGES; k++) {
                    float2 e = echoes[i / 2 + k], f = sweep[k];
                    sum += i % 2 ? (double)e.y * f.x - (double)e.x * f.y
                                 : (double)e.x * f.x + (double)e.y * f.y;
                }
                return sum;
            });
        });
    variant(
        "doppler", "doppler", wiped,
        [&] { doppler<<<dim3(RANGES / 32, PULSES / SHORT), 256>>>(E, R, out); },
        [&] {
            return differ(out, PULSES * RANGES, 23, 1e-3, [&](size_t i) {
                int range = i % RANGES, f = i / RANGES % SHORT, group = i / RANGES / SHORT * SHORT;
                double x = 0, y = 0;
                for (int p = 0; p < SHORT; p++) {
                    float2 a = echoes[(group + p) * RANGES + range], b = roots[p * f % SHORT];
                    x += (double)a.x * b.x - (double)a.y * b.y,
                        y += (double)a.x * b.y + (double)a.y * b.x;
                }
                return x * x + y * y;
            });
        });
    variant(
        "stand_out", "stand_out", wiped,
        [&] { stand_out<<<dim3(RANGES / 32, PULSES / 4), dim3(32, 4)>>>(P, marks); },
        [&] {
            return differ(marks, PULSES * RANGES, 7, 0, [&](size_t i) {
                return outstanding(power.data(), i % RANGES, i / RANGES);
            });
        });
    return finish();
}
