// Decoding of codes with few parity checks (LDPC): messages of checks by their smallest inputs,
// messages of bits, five rounds with a frame in each block and bytes in shared memory, and bits
// flipped by majority in 32 frames at once by few blocks.
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

constexpr int BITS = 4096, CHECKS = 2048, EDGES = BITS * 3, FRAMES = 192, ROUNDS = 5, FLIPS = 12;

// message e of frame f stands at e * FRAMES + f; edges of a check are 6 in a row
__global__ void checks(const float *__restrict__ in, float *__restrict__ out)
{
    int f = threadIdx.x, c = blockIdx.x * blockDim.y + threadIdx.y;
    float v[6], least = 1e30f, second = 1e30f;
    int at = 0;
    uint32_t sign = 0;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        v[k] = in[(c * 6 + k) * FRAMES + f];
        float size = fabsf(v[k]);
        sign ^= __float_as_uint(v[k]);
        if (size < least)
            second = least, least = size, at = k;
        else if (size < second)
            second = size;
    }
#pragma unroll
    for (int k = 0; k < 6; k++) {
        float size = 0.75f * (k == at ? second : least);
        uint32_t own = (sign ^ __float_as_uint(v[k])) & 0x80000000u;
        out[(c * 6 + k) * FRAMES + f] = __uint_as_float(__float_as_uint(size) | own);
    }
}

__global__ void bits(const int *__restrict__ edge_of, const float *__restrict__ channel,
                     const float *__restrict__ in, float *__restrict__ out,
                     uint8_t *__restrict__ decided)
{
    int f = threadIdx.x, b = blockIdx.x;
    int e0 = edge_of[3 * b], e1 = edge_of[3 * b + 1], e2 = edge_of[3 * b + 2];
    float x = in[e0 * FRAMES + f], y = in[e1 * FRAMES + f], z = in[e2 * FRAMES + f];
    float all = channel[b * FRAMES + f] + x + y + z;
    out[e0 * FRAMES + f] = all - x, out[e1 * FRAMES + f] = all - y, out[e2 * FRAMES + f] = all - z;
    decided[b * FRAMES + f] = all < 0;
}

__host__ __device__ inline int clipped(int v)
{
    return v < -127 ? -127 : v > 127 ? 127 : v;
}

// whole numbers; the messages of a frame and what is known of its bits are in shared memory
__global__ void __launch_bounds__(512)
    frames(const int *__restrict__ bit_of, const int *__restrict__ edge_of,
           const int8_t *__restrict__ channel, uint8_t *__restrict__ decided)
{
    __shared__ int8_t message[EDGES];
    __shared__ short total[BITS];
    int frame = blockIdx.x;
    for (int b = threadIdx.x; b < BITS; b += 512)
        total[b] = channel[frame * BITS + b];
    for (int e = threadIdx.x; e < EDGES; e += 512)
        message[e] = 0;
    for (int r = 0; r < ROUNDS; r++) {
        __syncthreads();
        for (int c = threadIdx.x; c < CHECKS; c += 512) {
            int v[6], least = 1000, second = 1000, at = 0, sign = 0;
#pragma unroll
            for (int k = 0; k < 6; k++) {
                v[k] = clipped(total[bit_of[c * 6 + k]] - message[c * 6 + k]);
                int size = abs(v[k]);
                sign ^= v[k];
                if (size < least)
                    second = least, least = size, at = k;
                else if (size < second)
                    second = size;
            }
#pragma unroll
            for (int k = 0; k < 6; k++) {
                int size = (k == at ? second : least) * 3 / 4;
                message[c * 6 + k] = (sign ^ v[k]) < 0 ? -size : size;
            }
        }
        __syncthreads();
        for (int b = threadIdx.x; b < BITS; b += 512)
            total[b] = channel[frame * BITS + b] + message[edge_of[3 * b]] +
                       message[edge_of[3 * b + 1]] + message[edge_of[3 * b + 2]];
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BITS; b += 512)
        decided[frame * BITS + b] = total[b] < 0;
}

// a word has one bit of 32 frames
__global__ void __launch_bounds__(1024)
    flip(const int *__restrict__ bit_of, const int *__restrict__ edge_of,
         const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    __shared__ uint32_t word[BITS], wrong[CHECKS];
    for (int b = threadIdx.x; b < BITS; b += 1024)
        word[b] = in[blockIdx.x * BITS + b];
    for (int r = 0; r < FLIPS; r++) {
        __syncthreads();
        for (int c = threadIdx.x; c < CHECKS; c += 1024) {
            uint32_t sum = 0;
#pragma unroll
            for (int k = 0; k < 6; k++)
                sum ^= word[bit_of[c * 6 + k]];
            wrong[c] = sum;
        }
        __syncthreads();
        for (int b = threadIdx.x; b < BITS; b += 1024) {
            uint32_t x = wrong[edge_of[3 * b] / 6], y = wrong[edge_of[3 * b + 1] / 6],
                     z = wrong[edge_of[3 * b + 2] / 6];
            word[b] ^= (x & y) | (x & z) | (y & z);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BITS; b += 1024)
        out[blockIdx.x * BITS + b] = word[b];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(11);
    const int words = 12;
    std::vector<int> bit_of(EDGES), edge_of(EDGES), filled(BITS);
    for (int e = 0; e < EDGES; e++)
        bit_of[e] = e / 3;
    for (int e = EDGES - 1; e > 0; e--)
        std::swap(bit_of[e], bit_of[random.below(e + 1)]);
    for (int e = 0; e < EDGES; e++)
        edge_of[3 * bit_of[e] + filled[bit_of[e]]++] = e;
    std::vector<float> messages = random.floats((size_t)EDGES * FRAMES, -4, 6),
                       channel = random.floats(BITS * FRAMES, -4, 6);
    std::vector<int8_t> whole(BITS * FRAMES);
    std::vector<uint32_t> received(BITS * words);
    for (int8_t &v : whole)
        v = (int)random.below(50) - 10;
    for (uint32_t &w : received)
        w = random.next() & random.next() & random.next() & random.next() & random.next();
    int *B = copy(bit_of), *E = copy(edge_of);
    float *M = copy(messages), *C = copy(channel), *out = room<float>((size_t)EDGES * FRAMES);
    int8_t *W = copy(whole);
    uint32_t *R = copy(received), *flipped = room<uint32_t>(BITS * words);
    uint8_t *decided = room<uint8_t>(BITS * FRAMES);
    auto wiped = [&] {
        fill(out, (size_t)EDGES * FRAMES, 0xff);
        fill(decided, BITS * FRAMES, 0x77);
        fill(flipped, BITS * words, 0x77);
    };
    variant(
        "checks", "checks", wiped, [&] { checks<<<CHECKS / 2, dim3(FRAMES, 2)>>>(M, out); },
        [&] {
            return differ(out, (size_t)EDGES * FRAMES, 101, 1e-6, [&](size_t i) {
                int e = i / FRAMES, f = i % FRAMES, first = e / 6 * 6;
                float least = 1e30f, sign = 1;
                for (int k = first; k < first + 6; k++)
                    if (k != e) {
                        float v = messages[(size_t)k * FRAMES + f];
                        least = std::min(least, std::fabs(v)), sign *= v < 0 ? -1 : 1;
                    }
                return 0.75f * least * sign;
            });
        });
    variant(
        "bits", "bits", wiped, [&] { bits<<<BITS, FRAMES>>>(E, C, M, out, decided); },
        [&] {
            auto total = [&](int b, int f) {
                float all = channel[b * FRAMES + f];
                for (int k = 0; k < 3; k++)
                    all += messages[(size_t)edge_of[3 * b + k] * FRAMES + f];
                return all;
            };
            return differ(out, (size_t)EDGES * FRAMES, 101, 1e-6,
                          [&](size_t i) {
                              return total(bit_of[i / FRAMES], i % FRAMES) - messages[i];
                          }) +
                   differ(decided, BITS * FRAMES, 7, 0,
                          [&](size_t i) { return total(i / FRAMES, i % FRAMES) < 0; });
        });
    variant(
        "frames", "frames", wiped, [&] { frames<<<FRAMES, 512>>>(B, E, W, decided); },
        [&] {
            std::vector<uint8_t> got = fetch(decided, BITS * FRAMES);
            long bad = 0;
            for (int f = 0; f < FRAMES; f += 9) {
                std::vector<int> total(whole.begin() + f * BITS, whole.begin() + (f + 1) * BITS),
                    message(EDGES);
                for (int r = 0; r < ROUNDS; r++) {
                    for (int c = 0; c < CHECKS; c++) {
                        int v[6];
                        for (int k = 0; k < 6; k++)
                            v[k] = clipped(total[bit_of[c * 6 + k]] - message[c * 6 + k]);
                        for (int k = 0; k < 6; k++) {
                            int least = 1000, sign = 0;
                            for (int j = 0; j < 6; j++)
                                if (j != k)
                                    least = std::min(least, std::abs(v[j])), sign ^= v[j];
                            message[c * 6 + k] = sign < 0 ? -(least * 3 / 4) : least * 3 / 4;
                        }
                    }
                    for (int b = 0; b < BITS; b++)
                        total[b] = whole[f * BITS + b] + message[edge_of[3 * b]] +
                                   message[edge_of[3 * b + 1]] + message[edge_of[3 * b + 2]];
                }
                for (int b = 0; b < BITS; b++)
                    bad += got[f * BITS + b] != (total[b] < 0);
            }
            return bad;
        });
    variant(
        "flip", "flip", wiped, [&] { flip<<<words, 1024>>>(B, E, R, flipped); },
        [&] {
            std::vector<uint32_t> word = received, wrong(CHECKS);
            for (int w = 0; w < words; w++)
                for (int r = 0; r < FLIPS; r++) {
                    uint32_t *mine = &word[w * BITS];
                    for (int c = 0; c < CHECKS; c++) {
                        wrong[c] = 0;
                        for (int k = 0; k < 6; k++)
                            wrong[c] ^= mine[bit_of[c * 6 + k]];
                    }
                    for (int b = 0; b < BITS; b++) {
                        uint32_t x = wrong[edge_of[3 * b] / 6], y = wrong[edge_of[3 * b + 1] / 6],
                                 z = wrong[edge_of[3 * b + 2] / 6];
                        mine[b] ^= (x & y) | (x & z) | (y & z);
                    }
                }
            return differ(flipped, BITS * words, 1, 0, [&](size_t i) { return word[i]; });
        });
    return finish();
}
