// A simulated quantum computer: a gate on a near and on a far qubit, a controlled phase with a
// swap, ten gates on pieces kept in shared memory, and the chances of each qubit.
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

constexpr int QUBITS = 21, COUNT = 1 << QUBITS, PIECE = 1024, GATES = 10, SMALL = 1 << 19;

struct Gate {
    float2 a, b, c, d;
};

__host__ __device__ inline float2 joined(float2 a, float2 x, float2 b, float2 y)
{
    return make_float2(a.x * x.x - a.y * x.y + b.x * y.x - b.y * y.y,
                       a.x * x.y + a.y * x.x + b.x * y.y + b.y * y.x);
}

__host__ __device__ inline int spread(int i, int bit)
{
    return (i >> bit << (bit + 1)) | (i & ((1 << bit) - 1));
}

__global__ void gate(float2 *state, Gate g, int bit)
{
    int low = spread(blockIdx.x * blockDim.x + threadIdx.x, bit), high = low | 1 << bit;
    float2 x = state[low], y = state[high];
    state[low] = joined(g.a, x, g.b, y);
    state[high] = joined(g.c, x, g.d, y);
}

// a qubit whose pairs lie side by side
__global__ void pairs(float4 *state, Gate g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = state[i];
    float2 x = make_float2(v.x, v.y), y = make_float2(v.z, v.w);
    float2 p = joined(g.a, x, g.b, y), q = joined(g.c, x, g.d, y);
    state[i] = make_float4(p.x, p.y, q.x, q.y);
}

// where the control is set, the others are exchanged and turned
__global__ void controlled(float2 *state, int control, int one, int other, float2 turn)
{
    int i = spread(spread(spread(blockIdx.x * blockDim.x + threadIdx.x, one), other), control);
    int p = i | 1 << control | 1 << one, q = i | 1 << control | 1 << other;
    float2 x = state[p], y = state[q], none = make_float2(0, 0);
    state[p] = joined(turn, y, none, y);
    state[q] = joined(turn, x, none, x);
}

__constant__ Gate FUSED[GATES];

__global__ void __launch_bounds__(PIECE / 2) fused(float2 *state)
{
    __shared__ float2 piece[PIECE];
    float2 *mine = state + blockIdx.x * PIECE;
    int t = threadIdx.x;
    piece[t] = mine[t], piece[t + PIECE / 2] = mine[t + PIECE / 2];
    for (int k = 0; k < GATES; k++) {
        __syncthreads();
        int low = spread(t, k), high = low | 1 << k;
        float2 x = piece[low], y = piece[high];
        piece[low] = joined(FUSED[k].a, x, FUSED[k].b, y);
        piece[high] = joined(FUSED[k].c, x, FUSED[k].d, y);
    }
    __syncthreads();
    mine[t] = piece[t], mine[t + PIECE / 2] = piece[t + PIECE / 2];
}

// how likely each qubit is set: sums of warps by votes over bits, joined by atomics
__global__ void __launch_bounds__(256)
    chances(const float2 *__restrict__ state, double *sums, int count)
{
    __shared__ float own[QUBITS];
    if (threadIdx.x < QUBITS)
        own[threadIdx.x] = 0;
    __syncthreads();
    float bits[QUBITS] = {};
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        float2 v = state[i];
        float p = v.x * v.x + v.y * v.y;
#pragma unroll
        for (int b = 0; b < QUBITS; b++)
            bits[b] += i >> b & 1 ? p : 0;
    }
#pragma unroll
    for (int b = 0; b < QUBITS; b++) {
        for (int d = 16; d; d /= 2)
            bits[b] += __shfl_down_sync(~0u, bits[b], d);
        if (threadIdx.x % 32 == 0)
            atomicAdd(own + b, bits[b]);
    }
    __syncthreads();
    if (threadIdx.x < QUBITS)
        atomicAdd(sums + threadIdx.x, (double)own[threadIdx.x]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(7);
    std::vector<float2> state(COUNT);
    for (float2 &v : state)
        v = make_float2(random.between(-1, 1) * 1e-1f, random.between(-1, 1) * 1e-1f);
    Gate gates[GATES];
    for (Gate &g : gates) {
        float a = random.between(0, 3), b = random.between(0, 3);
        g = {{cosf(a), 0},
             {-sinf(a) * cosf(b), -sinf(a) * sinf(b)},
             {sinf(a) * cosf(b), -sinf(a) * sinf(b)},
             {cosf(a), 0}};
    }
    must(cudaMemcpyToSymbol(FUSED, gates, sizeof gates));
    float2 *S = room<float2>(COUNT), turn = make_float2(cosf(0.3f), sinf(0.3f));
    double *sums = room<double>(QUBITS);
    auto fresh = [&] {
        put(S, state);
        fill(sums, QUBITS, 0);
    };
    auto check = [&](int bit) {
        return differ((float *)S, 2 * COUNT, 11, 1e-5, [&](size_t i) {
            int at = i / 2, low = at & ~(1 << bit);
            float2 x = state[low], y = state[low | 1 << bit];
            float2 v = at >> bit & 1 ? joined(gates[0].c, x, gates[0].d, y)
                                     : joined(gates[0].a, x, gates[0].b, y);
            return i % 2 ? v.y : v.x;
        });
    };
    variant(
        "near", "pairs", fresh, [&] { pairs<<<COUNT / 2 / 256, 256>>>((float4 *)S, gates[0]); },
        [&] { return check(0); });
    variant(
        "far", "gate", fresh, [&] { gate<<<COUNT / 2 / 256, 256>>>(S, gates[0], 17); },
        [&] { return check(17); });
    variant(
        "controlled", "controlled", fresh,
        [&] { controlled<<<COUNT / 8 / 128, 128>>>(S, 18, 3, 11, turn); },
        [&] {
            return differ((float *)S, 2 * COUNT, 11, 1e-5, [&](size_t i) {
                int at = i / 2;
                float2 v = state[at];
                if (at >> 18 & 1 && (at >> 3 & 1) != (at >> 11 & 1)) {
                    float2 w = state[at ^ (1 << 3 | 1 << 11)];
                    v = make_float2(turn.x * w.x - turn.y * w.y, turn.x * w.y + turn.y * w.x);
                }
                return i % 2 ? v.y : v.x;
            });
        });
    variant(
        "fused", "fused", fresh, [&] { fused<<<SMALL / PIECE, PIECE / 2>>>(S); },
        [&] {
            std::vector<float2> want(state.begin(), state.begin() + SMALL);
            for (int k = 0; k < GATES; k++)
                for (int i = 0; i < SMALL / 2; i++) {
                    int low = spread(i, k), high = low | 1 << k;
                    float2 x = want[low], y = want[high];
                    want[low] = joined(gates[k].a, x, gates[k].b, y);
                    want[high] = joined(gates[k].c, x, gates[k].d, y);
                }
            return differ((float *)S, 2 * SMALL, 1, 1e-5,
                          [&](size_t i) { return i % 2 ? want[i / 2].y : want[i / 2].x; });
        });
    variant(
        "chances", "chances", fresh, [&] { chances<<<132 * 2, 256>>>(S, sums, COUNT); },
        [&] {
            std::vector<double> want(QUBITS), got = fetch(sums, QUBITS, false);
            long bad = 0;
            for (int i = 0; i < COUNT; i++)
                for (int b = 0; b < QUBITS; b++)
                    want[b] += i >> b & 1 ? (double)state[i].x * state[i].x +
                                                (double)state[i].y * state[i].y
                                          : 0;
            for (int b = 0; b < QUBITS; b++)
                bad += !near(got[b], want[b], 1e-4);
            return bad;
        });
    return finish();
}
