// Automata over text: edit distances by bits (Myers), a non-deterministic automaton of 32 states,
// a small table of states in shared and a large one in global memory with few threads, and chunks
// turned into mappings of 16 states by a warp.
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

constexpr int LETTERS = 26, LINE = 192;

__host__ __device__ inline int edits(const uint64_t *same, const uint8_t *text, size_t stride,
                                     int length)
{
    uint64_t up = ~0ull, down = 0;
    int distance = 64, best = 64;
    for (int i = 0; i < length; i++) {
        uint64_t eq = same[text[i * stride]], xv = eq | down, xh = (((eq & up) + up) ^ up) | eq;
        uint64_t ph = down | ~(xh | up), mh = up & xh;
        distance += (int)(ph >> 63) - (int)(mh >> 63);
        ph = ph << 1, mh = mh << 1;
        up = mh | ~(xv | ph), down = ph & xv;
        best = distance < best ? distance : best;
    }
    return best;
}

// the best match of a pattern of 64 letters anywhere in a line
__global__ void distances(const uint64_t *__restrict__ masks, const uint8_t *__restrict__ text,
                          int *__restrict__ out, int lines)
{
    __shared__ uint64_t same[LETTERS];
    if (threadIdx.x < LETTERS)
        same[threadIdx.x] = masks[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = edits(same, text + i, lines, LINE);
}

// where state s can go is follow[s]; a state may be entered by the letters whose mask has it
__host__ __device__ inline int accepted(const uint32_t *follow, const uint32_t *enter,
                                        const uint8_t *text, size_t stride, int length)
{
    uint32_t states = 1;
    int count = 0;
    for (int i = 0; i < length; i++) {
        uint32_t next = 1, left = states;
        while (left) {
#ifdef __CUDA_ARCH__
            int s = __ffs(left) - 1;
#else
            int s = __builtin_ctz(left);
#endif
            left &= left - 1;
            next |= follow[s];
        }
        states = (next & enter[text[i * stride]]) | 1;
        count += states >> 31;
    }
    return count;
}

__global__ void states32(const uint32_t *__restrict__ follow, const uint32_t *__restrict__ enter,
                         const uint8_t *__restrict__ text, int *__restrict__ out, int lines)
{
    __shared__ uint32_t to[32], by[LETTERS];
    if (threadIdx.x < 32)
        to[threadIdx.x] = follow[threadIdx.x];
    if (threadIdx.x < LETTERS)
        by[threadIdx.x] = enter[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = accepted(to, by, text + i, lines, LINE);
}

constexpr int STATES = 96, MANY = 3000;

__global__ void small_table(const uint8_t *__restrict__ moves, const uint8_t *__restrict__ text,
                            int *__restrict__ out, int lines)
{
    __shared__ uint8_t table[STATES * LETTERS];
    for (int k = threadIdx.x; k < STATES * LETTERS; k += blockDim.x)
        table[k] = moves[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, state = 0, hits = 0;
    for (int k = 0; k < LINE; k++) {
        state = table[state * LETTERS + text[(size_t)k * lines + i]];
        hits += state >= STATES - 4;
    }
    out[i] = hits;
}

// a thread has a line as it stands in memory
__global__ void large_table(const uint16_t *__restrict__ moves, const uint8_t *__restrict__ text,
                            int *__restrict__ out, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, state = 0, hits = 0;
    for (int k = 0; k < length; k++) {
        state = moves[state * 32 + text[(size_t)i * length + k]];
        hits += state >= MANY - 40;
    }
    out[i] = hits;
}

// which state comes of each of 16: half a warp a chunk, then chunks of a block joined by shuffles
__global__ void __launch_bounds__(512)
    mappings(const uint8_t *__restrict__ moves, const uint8_t *__restrict__ text,
             uint8_t *__restrict__ out, int chunk)
{
    __shared__ uint8_t table[16 * LETTERS], maps[32][16];
    for (int k = threadIdx.x; k < 16 * LETTERS; k += 512)
        table[k] = moves[k];
    __syncthreads();
    int state = threadIdx.x % 16, mine = threadIdx.x / 16;
    const uint32_t *words = (const uint32_t *)(text + ((size_t)blockIdx.x * 32 + mine) * chunk);
    for (int k = 0; k < chunk / 4; k++) {
        uint32_t four = words[k];
#pragma unroll
        for (int b = 0; b < 4; b++)
            state = table[state * LETTERS + (four >> 8 * b & 255)];
    }
    maps[mine][threadIdx.x % 16] = state;
    __syncthreads();
    if (threadIdx.x < 16) {
        int s = threadIdx.x;
        for (int c = 0; c < 32; c++)
            s = maps[c][s];
        out[blockIdx.x * 16 + threadIdx.x] = s;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(17);
    const int lines = 16384, few = 1024, length = 400, chunk = 128, blocks = 264;
    std::vector<uint8_t> text((size_t)lines * LINE), small(STATES * LETTERS), sixteen(16 * LETTERS);
    std::vector<uint64_t> masks(LETTERS);
    std::vector<uint32_t> follow(32), enter(LETTERS);
    std::vector<uint16_t> large(MANY * 32);
    for (uint8_t &c : text)
        c = random.below(random.below(3) ? 6 : LETTERS);
    for (int k = 0; k < 64; k++)
        masks[random.below(random.below(3) ? 6 : LETTERS)] |= 1ull << k;
    for (int s = 0; s < 32; s++)
        follow[s] = 2u << s | 1u << random.below(32) | 1u << random.below(32);
    for (uint32_t &e : enter)
        e = random.next() | (random.next() & random.next());
    for (uint8_t &m : small)
        m = random.below(STATES);
    for (uint8_t &m : sixteen)
        m = random.below(16);
    for (uint16_t &m : large)
        m = random.below(MANY);
    uint8_t *T = copy(text), *S = copy(small), *X = copy(sixteen),
            *maps = room<uint8_t>(blocks * 16);
    uint64_t *M = copy(masks);
    uint32_t *F = copy(follow), *E = copy(enter);
    uint16_t *G = copy(large);
    int *out = room<int>(lines);
    auto wiped = [&] { fill(out, lines, 0x77); };
    variant(
        "distances", "distances", wiped, [&] { distances<<<lines / 128, 128>>>(M, T, out, lines); },
        [&] {
            return differ(out, lines, 5, 0,
                          [&](size_t i) { return edits(masks.data(), &text[i], lines, LINE); });
        });
    variant(
        "states32", "states32", wiped,
        [&] { states32<<<lines / 2 / 64, 64>>>(F, E, T, out, lines); },
        [&] {
            return differ(out, lines / 2, 5, 0, [&](size_t i) {
                return accepted(follow.data(), enter.data(), &text[i], lines, LINE);
            });
        });
    variant(
        "small_table", "small_table", wiped,
        [&] { small_table<<<lines / 128, 128>>>(S, T, out, lines); },
        [&] {
            return differ(out, lines, 5, 0, [&](size_t i) {
                int state = 0, hits = 0;
                for (int k = 0; k < LINE; k++) {
                    state = small[state * LETTERS + text[(size_t)k * lines + i]];
                    hits += state >= STATES - 4;
                }
                return hits;
            });
        });
    variant(
        "large_table", "large_table", wiped,
        [&] { large_table<<<few / 32, 32>>>(G, T, out, length); },
        [&] {
            return differ(out, few, 1, 0, [&](size_t i) {
                int state = 0, hits = 0;
                for (int k = 0; k < length; k++) {
                    state = large[state * 32 + text[i * length + k]];
                    hits += state >= MANY - 40;
                }
                return hits;
            });
        });
    variant(
        "mappings", "mappings", wiped, [&] { mappings<<<blocks, 512>>>(X, T, maps, chunk); },
        [&] {
            return differ(maps, blocks * 16, 3, 0, [&](size_t i) {
                int state = i % 16;
                for (int k = 0; k < chunk * 32; k++)
                    state = sixteen[state * LETTERS + text[i / 16 * chunk * 32 + k]];
                return state;
            });
        });
    return finish();
}
