// Neurons that spike: Hodgkin and Huxley's equations with many exponentials, Izhikevich's with a
// list of spikes appended by warps, spikes carried to targets by atomics with a warp each, weights
// that learn from times of spikes, and small networks kept in a block's shared memory over many
// steps.
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

constexpr int NEURONS = 1 << 16, FAN = 96, TINY = 128;

__host__ __device__ __noinline__ float gate(float now, float open, float close, float h)
{
    float rate = open + close, rest = open / rate;
    return rest + (now - rest) * expf(-h * rate);
}

__host__ __device__ inline float squid(float v, float current, int steps)
{
    const float h = 0.02f;
    float m = 0.05f, n = 0.32f, q = 0.6f;
    for (int s = 0; s < steps; s++) {
        float u = v + 40.001f, w = v + 55.001f;
        m = gate(m, 0.1f * u / (1 - expf(-u / 10)), 4 * expf(-(v + 65) / 18), h);
        q = gate(q, 0.07f * expf(-(v + 65) / 20), 1 / (1 + expf(-(v + 35) / 10)), h);
        n = gate(n, 0.01f * w / (1 - expf(-w / 10)), 0.125f * expf(-(v + 65) / 80), h);
        float sodium = 120 * m * m * m * q, potassium = 36 * n * n * n * n;
        v += h * (current - sodium * (v - 50) - potassium * (v + 77) - 0.3f * (v + 54.4f));
    }
    return v;
}

__global__ void squids(const float *__restrict__ currents, float *__restrict__ out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = squid(-65, currents[i], steps);
}

// one step; who spikes is appended to a list: one atomic a warp
__global__ void spikes(float *v, float *u, const float *__restrict__ input, int *list, int *many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float a = v[i], b = u[i];
    for (int k = 0; k < 2; k++)
        a += 0.5f * (0.04f * a * a + 5 * a + 140 - b + input[i]);
    b += 0.02f * (0.2f * a - b);
    bool fires = a >= 30;
    unsigned mask = __ballot_sync(~0u, fires);
    int at = 0;
    if (lane == 0 && mask)
        at = atomicAdd(many, __popc(mask));
    at = __shfl_sync(~0u, at, 0);
    if (fires) {
        list[at + __popc(mask & ((1u << lane) - 1))] = i;
        a = -65, b += 8;
    }
    v[i] = a, u[i] = b;
}

// a warp a spike: its targets get what their synapse weighs
__global__ void deliver(const int *__restrict__ list, const int *__restrict__ targets,
                        const int *__restrict__ weights, int *input, int count)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= count)
        return;
    int from = list[s];
    for (int k = lane; k < FAN; k += 32)
        atomicAdd(input + targets[from * FAN + k], weights[from * FAN + k]);
}

// a thread a synapse: traces of both ends, read where the target is
__host__ __device__ inline float learnt(float w, float before, float after, bool fired,
                                        bool target_fired)
{
    if (fired)
        w -= 0.012f * after * w;
    if (target_fired)
        w += 0.01f * before * (1 - w);
    return fminf(fmaxf(w, 0), 1);
}

__global__ void learn(const int *__restrict__ targets, const float2 *__restrict__ traces,
                      const uint32_t *__restrict__ fired, float *weights)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = i / FAN, to = targets[i];
    weights[i] = learnt(weights[i], traces[from].x, traces[to].y,
                        fired[from / 32] >> (from % 32) & 1, fired[to / 32] >> (to % 32) & 1);
}

// all of a small network: whole numbers, so that all orders agree
__global__ void __launch_bounds__(TINY)
    networks(const int8_t *__restrict__ weights, uint32_t *__restrict__ out, int steps)
{
    __shared__ uint32_t fired[TINY / 32];
    __shared__ int8_t own[TINY][TINY + 4];
    int t = threadIdx.x, v = t * 37 % 200, total = 0;
    for (int k = t; k < TINY * TINY; k += TINY)
        own[k / TINY][k % TINY] = weights[blockIdx.x * TINY * TINY + k];
    uint32_t now = __ballot_sync(~0u, t % 5 == 0);
    for (int s = 0; s < steps; s++) {
        if (t % 32 == 0)
            fired[t / 32] = now;
        __syncthreads();
        int sum = 0;
        for (int w = 0; w < TINY / 32; w++)
            for (uint32_t left = fired[w]; left; left &= left - 1)
                sum += own[w * 32 + __ffs(left) - 1][t];
        v = (v * 15 >> 4) + sum + 20;
        bool fires = v > 256;
        if (fires)
            v = 0, total++;
        now = __ballot_sync(~0u, fires);
        __syncthreads();
    }
    out[blockIdx.x * TINY + t] = total << 16 | (v & 0xffff);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(139);
    const int cells = 16384, steps = 40, active = 12000, learners = 1 << 14, nets = 264,
              rounds = 100;
    std::vector<float> currents = random.floats(cells, 0, 15), v = random.floats(NEURONS, -70, 20),
                       u = random.floats(NEURONS, -15, -5), input = random.floats(NEURONS, 0, 20);
    std::vector<float> synapses = random.floats(learners * FAN);
    std::vector<int> list(active), targets(NEURONS * FAN), weights(NEURONS * FAN), want(NEURONS);
    for (int &l : list)
        l = random.below(NEURONS);
    for (int i = 0; i < NEURONS * FAN; i++)
        targets[i] =
            random.below(3) ? (i / FAN + random.below(2000)) % NEURONS : random.below(NEURONS),
        weights[i] = (int)random.below(100) - 20;
    for (int l : list)
        for (int k = l * FAN; k < (l + 1) * FAN; k++)
            want[targets[k]] += weights[k];
    std::vector<float2> traces(NEURONS);
    for (float2 &t : traces)
        t = make_float2(random.unit(), random.unit());
    std::vector<uint32_t> fired(NEURONS / 32);
    for (uint32_t &f : fired)
        f = random.next() & random.next() & random.next();
    std::vector<int8_t> small(nets * TINY * TINY);
    for (int8_t &w : small)
        w = (int)random.below(50) - 20;
    float *C = copy(currents), *V = room<float>(NEURONS), *U = room<float>(NEURONS),
          *I = copy(input), *W = room<float>(learners * FAN), *out = room<float>(cells);
    int *L = copy(list), *T = copy(targets), *Q = copy(weights), *sums = room<int>(NEURONS),
        *found = room<int>(NEURONS), *many = room<int>(1);
    float2 *R = copy(traces);
    uint32_t *F = copy(fired), *totals = room<uint32_t>(nets * TINY);
    int8_t *S = copy(small);
    auto fresh = [&] {
        put(V, v);
        put(U, u);
        put(W, synapses);
        fill(sums, NEURONS, 0);
        fill(many, 1, 0);
        fill(out, cells, 0xff);
        fill(totals, nets * TINY, 0x77);
    };
    variant(
        "squids", "squids", fresh, [&] { squids<<<cells / 128, 128>>>(C, out, steps); },
        [&] {
            return differ(out, cells, 3, 1e-2,
                          [&](size_t i) { return squid(-65, currents[i], steps); });
        });
    variant(
        "spikes", "spikes", fresh, [&] { spikes<<<NEURONS / 256, 256>>>(V, U, I, found, many); },
        [&] {
            int count = fetch(many, 1, false)[0], expected = 0;
            std::vector<int> got = fetch(found, std::min(std::max(count, 0), NEURONS), false);
            long bad = differ(V, NEURONS, 1, 2e-3, [&](size_t i) {
                float a = v[i];
                for (int k = 0; k < 2; k++)
                    a += 0.5f * (0.04f * a * a + 5 * a + 140 - u[i] + input[i]);
                expected += a >= 30;
                return a >= 30 ? -65 : a;
            });
            std::sort(got.begin(), got.end());
            bad += std::unique(got.begin(), got.end()) != got.end();
            return (bad > 10) + (long)(std::abs(expected - count) > 10);
        });
    variant(
        "deliver", "deliver", fresh,
        [&] { deliver<<<(active + 3) / 4, 128>>>(L, T, Q, sums, active); },
        [&] { return differ(sums, NEURONS, 1, 0, [&](size_t i) { return want[i]; }); });
    variant(
        "learn", "learn", fresh, [&] { learn<<<learners * FAN / 256, 256>>>(T, R, F, W); },
        [&] {
            return differ(W, learners * FAN, 7, 1e-5, [&](size_t i) {
                int from = i / FAN, to = targets[i];
                return learnt(synapses[i], traces[from].x, traces[to].y,
                              fired[from / 32] >> from % 32 & 1, fired[to / 32] >> to % 32 & 1);
            });
        });
    variant(
        "networks", "networks", fresh, [&] { networks<<<nets, TINY>>>(S, totals, rounds); },
        [&] {
            std::vector<uint32_t> got = fetch(totals, nets * TINY);
            long bad = 0;
            for (int n = 0; n < nets; n += 5) {
                int level[TINY], total[TINY] = {};
                bool now[TINY], next[TINY];
                for (int t = 0; t < TINY; t++)
                    level[t] = t * 37 % 200, now[t] = t % 5 == 0;
                for (int s = 0; s < rounds; s++) {
                    for (int t = 0; t < TINY; t++) {
                        int sum = 0;
                        for (int k = 0; k < TINY; k++)
                            sum += now[k] ? small[(n * TINY + k) * TINY + t] : 0;
                        level[t] = (level[t] * 15 >> 4) + sum + 20;
                        next[t] = level[t] > 256;
                        if (next[t])
                            level[t] = 0, total[t]++;
                    }
                    std::copy(next, next + TINY, now);
                }
                for (int t = 0; t < TINY; t++)
                    bad += got[n * TINY + t] != (uint32_t)(total[t] << 16 | (level[t] & 0xffff));
            }
            return bad;
        });
    return finish();
}
