// Paths through a trellis: a convolutional code of 64 states with a state a thread, the same with
// two states a lane, a hidden model of 32 states by a warp, the sum over all paths with logarithms.
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

__host__ __device__ inline int parity(int v)
{
    v ^= v >> 4;
    v ^= v >> 2;
    return (v ^ v >> 1) & 1;
}

__host__ __device__ inline int code(int state) // of 7 bits: two bits
{
    return parity(state & 0171) | parity(state & 0133) << 1;
}

__device__ int cost(short2 soft, int bits)
{
    return (bits & 1 ? -soft.x : soft.x) + (bits & 2 ? -soft.y : soft.y);
}

// a block of 64 is a message; decisions are one bit a state and step
__global__ void decode_block(const short2 *__restrict__ soft, int steps,
                             unsigned long long *__restrict__ choice, int *__restrict__ best)
{
    __shared__ int metric[2][64];
    int s = threadIdx.x, low = s >> 1 | 0, high = low | 32; // states before
    int bits_low = code(low << 1 | (s & 1)), bits_high = code(high << 1 | (s & 1));
    metric[0][s] = s ? 1 << 20 : 0;
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        short2 v = soft[blockIdx.x * steps + k];
        int a = metric[k % 2][low] + cost(v, bits_low),
            b = metric[k % 2][high] + cost(v, bits_high);
        metric[1 - k % 2][s] = min(a, b);
        uint32_t vote = __ballot_sync(~0u, b < a);
        if (s % 32 == 0)
            ((uint32_t *)choice)[(blockIdx.x * steps + k) * 2 + s / 32] = vote;
        __syncthreads();
    }
    best[blockIdx.x * 64 + s] = metric[steps % 2][s];
}

__global__ void decode_warp(const short2 *__restrict__ soft, int steps, int messages,
                            unsigned long long *__restrict__ choice, int *__restrict__ best)
{
    int message = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (message >= messages)
        return;
    // states lane and lane + 32; before state s: s / 2 and s / 2 + 32
    int mine = lane ? 1 << 20 : 0, upper = 1 << 20, codes[4];
    for (int h = 0; h < 2; h++) {
        int s = lane + 32 * h;
        codes[2 * h] = code((s >> 1) << 1 | (s & 1));
        codes[2 * h + 1] = code((s >> 1 | 32) << 1 | (s & 1));
    }
    for (int k = 0; k < steps; k++) {
        short2 v = soft[message * steps + k];
        int a = __shfl_sync(~0u, mine, lane >> 1), b = __shfl_sync(~0u, upper, lane >> 1),
            c = __shfl_sync(~0u, mine, 16 + (lane >> 1)),
            d = __shfl_sync(~0u, upper, 16 + (lane >> 1));
        a += cost(v, codes[0]);
        b += cost(v, codes[1]);
        c += cost(v, codes[2]);
        d += cost(v, codes[3]);
        unsigned long long votes =
            __ballot_sync(~0u, b < a) | (unsigned long long)__ballot_sync(~0u, d < c) << 32;
        if (lane == 0)
            choice[message * steps + k] = votes;
        mine = min(a, b);
        upper = min(c, d);
    }
    best[message * 64 + lane] = mine;
    best[message * 64 + lane + 32] = upper;
}

// a warp is a sequence; transition by states before, then states
__global__ void likely(const float *__restrict__ transition, const float *__restrict__ emission,
                       const uint8_t *__restrict__ seen, int steps, int sequences,
                       float *__restrict__ out)
{
    __shared__ float t[32][32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        t[i / 32][i % 32] = transition[i];
    __syncthreads();
    int sequence = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (sequence >= sequences)
        return;
    float mine = emission[seen[sequence * steps] * 32 + lane];
    for (int k = 1; k < steps; k++) {
        float best = -1e30f;
#pragma unroll
        for (int s = 0; s < 32; s++)
            best = fmaxf(best, __shfl_sync(~0u, mine, s) + t[s][lane]);
        mine = best + emission[seen[sequence * steps + k] * 32 + lane];
    }
    out[sequence * 32 + lane] = mine;
}

// a thread is a sequence of a model with eight states
__global__ void all_paths(const float *__restrict__ transition, const float *__restrict__ emission,
                          const uint8_t *__restrict__ seen, int steps, int sequences,
                          float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sequences)
        return;
    float now[8];
#pragma unroll
    for (int s = 0; s < 8; s++)
        now[s] = emission[seen[i] * 8 + s];
    for (int k = 1; k < steps; k++) {
        float next[8], top = now[0];
        int symbol = seen[k * sequences + i];
#pragma unroll
        for (int s = 1; s < 8; s++)
            top = fmaxf(top, now[s]);
#pragma unroll
        for (int s = 0; s < 8; s++) {
            now[s] = __expf(now[s] - top);
            next[s] = 0;
        }
#pragma unroll
        for (int a = 0; a < 8; a++)
#pragma unroll
            for (int s = 0; s < 8; s++)
                next[s] += now[a] * transition[a * 8 + s];
#pragma unroll
        for (int s = 0; s < 8; s++)
            now[s] = top + __logf(next[s]) + emission[symbol * 8 + s];
    }
    for (int s = 0; s < 8; s++)
        out[s * sequences + i] = now[s];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int steps = 160, messages = 2048, sequences = 2048, long_steps = 64, many = 32768,
              short_steps = 24;
    Lcg random(281);
    std::vector<short2> softs(messages * steps);
    for (short2 &s : softs)
        s = {(short)((int)random.below(255) - 127), (short)((int)random.below(255) - 127)};
    std::vector<float> transitions = random.floats(1024, -3, 0),
                       emissions = random.floats(16 * 32, -3, 0),
                       probabilities = random.floats(64, 0.02f, 0.2f);
    std::vector<uint8_t> symbols(std::max(sequences * long_steps, many * short_steps));
    for (uint8_t &s : symbols)
        s = random.below(16);
    short2 *soft = copy(softs);
    float *transition = copy(transitions), *emission = copy(emissions),
          *probability = copy(probabilities), *out = room<float>(8 * many);
    uint8_t *seen = copy(symbols);
    unsigned long long *choice = room<unsigned long long>(messages * steps);
    int *best = room<int>(messages * 64);
    auto wiped = [&] {
        fill(out, 8 * many, 0xff);
        fill(best, messages * 64, 0xff);
        fill(choice, messages * steps, 0x55);
    };
    auto check_code = [&] {
        std::vector<int> got = fetch(best, messages * 64);
        std::vector<unsigned long long> chosen_states = fetch(choice, messages * steps);
        long bad = 0;
        for (int m = 0; m < messages; m += 7) {
            std::vector<int> now(64, 1 << 20), next(64);
            now[0] = 0;
            for (int k = 0; k < steps; k++, now.swap(next))
                for (int s = 0; s < 64; s++) {
                    auto price = [&](int before) {
                        int bits = code(before << 1 | (s & 1));
                        short2 v = softs[m * steps + k];
                        return now[before] + (bits & 1 ? -v.x : v.x) + (bits & 2 ? -v.y : v.y);
                    };
                    int a = price(s >> 1), b = price(s >> 1 | 32);
                    next[s] = std::min(a, b);
                    bad += (chosen_states[m * steps + k] >> s & 1) != (b < a);
                }
            for (int s = 0; s < 64; s++)
                bad += got[m * 64 + s] != now[s];
        }
        return bad;
    };
    variant(
        "block", "decode_block", wiped,
        [&] { decode_block<<<messages, 64>>>(soft, steps, choice, best); }, check_code);
    variant(
        "warp", "decode_warp", wiped,
        [&] { decode_warp<<<messages / 4, 128>>>(soft, steps, messages, choice, best); },
        check_code);
    variant(
        "likely", "likely", wiped,
        [&] {
            likely<<<sequences / 8, 256>>>(transition, emission, seen, long_steps, sequences, out);
        },
        [&] {
            std::vector<float> got = fetch(out, sequences * 32);
            long bad = 0;
            for (int q = 0; q < sequences; q += 5) {
                std::vector<float> now(32), next(32);
                for (int s = 0; s < 32; s++)
                    now[s] = emissions[symbols[q * long_steps] * 32 + s];
                for (int k = 1; k < long_steps; k++, now.swap(next))
                    for (int s = 0; s < 32; s++) {
                        float top = -1e30f;
                        for (int a = 0; a < 32; a++)
                            top = std::max(top, now[a] + transitions[a * 32 + s]);
                        next[s] = top + emissions[symbols[q * long_steps + k] * 32 + s];
                    }
                for (int s = 0; s < 32; s++)
                    bad += !near(got[q * 32 + s], now[s], 1e-5);
            }
            return bad;
        });
    variant(
        "all_paths", "all_paths", wiped,
        [&] {
            all_paths<<<many / 128, 128>>>(probability, emission, seen, short_steps, many, out);
        },
        [&] {
            std::vector<float> got = fetch(out, 8 * many);
            long bad = 0;
            for (int q = 0; q < many; q += 41) {
                std::vector<double> now(8), next(8);
                for (int s = 0; s < 8; s++)
                    now[s] = emissions[symbols[q] * 8 + s];
                for (int k = 1; k < short_steps; k++, now.swap(next))
                    for (int s = 0; s < 8; s++) {
                        double sum = 0;
                        for (int a = 0; a < 8; a++)
                            sum += std::exp(now[a]) * probabilities[a * 8 + s];
                        next[s] = std::log(sum) + emissions[symbols[k * many + q] * 8 + s];
                    }
                for (int s = 0; s < 8; s++)
                    bad += !near(got[s * many + q], now[s], 1e-4);
            }
            return bad;
        });
    return finish();
}
