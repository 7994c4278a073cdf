// Compression by matches: the longest match in a window of 96 bytes held in shared memory, matches
// along chains of equal hashes, blocks expanded by a warp each, and differences of integers packed
// with as many bits as each block of 128 needs.
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

constexpr int COUNT = 1 << 19, WINDOW = 96, TILE = 128, LONGEST = 16;

__global__ void __launch_bounds__(TILE)
    window(const uint8_t *__restrict__ text, uint16_t *__restrict__ best)
{
    __shared__ uint8_t part[WINDOW + TILE + LONGEST];
    int first = blockIdx.x * TILE - WINDOW, t = threadIdx.x;
    for (int i = t; i < WINDOW + TILE + LONGEST; i += TILE)
        part[i] = first + i >= 0 && first + i < COUNT ? text[first + i] : 0;
    __syncthreads();
    int at = WINDOW + t, length = 0, offset = 0;
    uint8_t c = part[at];
    for (int back = 1; back <= WINDOW; back++) {
        if (part[at - back] != c)
            continue;
        int n = 1;
        while (n < LONGEST && part[at - back + n] == part[at + n])
            n++;
        if (n > length)
            length = n, offset = back;
    }
    best[blockIdx.x * TILE + t] = length << 8 | offset;
}

__device__ inline uint32_t unaligned(const uint32_t *words, int at)
{
    return __funnelshift_r(words[at / 4], words[at / 4 + 1], at % 4 * 8);
}

// previous: where the same four bytes' hash stood before, or -1; four places are tried
__global__ void chains(const uint32_t *__restrict__ words, const int *__restrict__ previous,
                       int2 *__restrict__ best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = previous[i], length = 0, where = -1;
    for (int tries = 0; tries < 4 && at >= 0; tries++, at = previous[at]) {
        int n = 0;
        while (n < 64) {
            uint32_t apart = unaligned(words, at + n) ^ unaligned(words, i + n);
            if (apart) {
                n += (__ffs(apart) - 1) / 8;
                break;
            }
            n += 4;
        }
        if (n > length)
            length = n, where = at;
    }
    best[i] = make_int2(length, where);
}

constexpr int BLOCK = 4096;

// a token is two bytes of literals and match length, two of the offset; literals follow
__global__ void __launch_bounds__(64)
    expand(const uint8_t *__restrict__ in, const int *__restrict__ starts, uint8_t *out, int blocks)
{
    int block = (blockIdx.x * 64 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (block >= blocks)
        return;
    const uint8_t *p = in + starts[block], *end = in + starts[block + 1];
    uint8_t *to = out + block * BLOCK;
    while (p < end) {
        int literals = p[0], match = p[1], offset = p[2] | p[3] << 8;
        p += 4;
        for (int k = lane; k < literals; k += 32)
            to[k] = p[k];
        to += literals, p += literals;
        __syncwarp();
        for (int k = lane; k < match; k += 32)
            to[k] = to[k % offset - offset];
        to += match;
        __syncwarp();
    }
}

// a warp a block of 128 numbers: first number, then differences with a fixed count of bits
__global__ void unpack(const uint32_t *__restrict__ packed, const uint4 *__restrict__ heads,
                       int4 *__restrict__ out)
{
    int block = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    uint4 head = heads[block]; // word, bits, first, least difference
    int v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int bit = (lane * 4 + k) * head.y;
        const uint32_t *p = packed + head.x + bit / 32;
        v[k] = (int)(__funnelshift_r(p[0], p[1], bit % 32) & ((1u << head.y) - 1)) + (int)head.w;
    }
    v[1] += v[0], v[2] += v[1], v[3] += v[2];
    int sum = v[3];
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? other : 0;
    }
    sum += head.z - v[3];
    out[block * 32 + lane] = make_int4(v[0] + sum, v[1] + sum, v[2] + sum, v[3] + sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(89);
    std::vector<uint8_t> text(COUNT + 80), packed;
    for (int i = 0; i < COUNT;) { // earlier pieces again, now and then a letter by chance
        int length = std::min<int>(2 + random.below(24), COUNT - i);
        if (i > 200 && random.below(3)) {
            int from = i - 1 - random.below(std::min(i - 1, random.below(2) ? 90 : 3000));
            for (int k = 0; k < length; k++, i++)
                text[i] = text[from + k];
        } else
            for (int k = 0; k < std::min(length, 6); k++, i++)
                text[i] = 97 + random.below(20);
    }
    std::vector<int> previous(COUNT), last(1 << 14, -1), starts;
    for (int i = 0; i < COUNT; i++) {
        uint32_t four;
        memcpy(&four, &text[i], 4);
        int &l = last[four * 2654435761u >> 18];
        previous[i] = l;
        l = i;
    }
    const int blocks = COUNT / BLOCK * 4, total = blocks * BLOCK;
    std::vector<uint8_t> expanded(total);
    for (int b = 0; b < blocks; b++) {
        starts.push_back(packed.size());
        uint8_t *to = &expanded[b * BLOCK];
        for (int i = 0; i < BLOCK;) {
            int literals = std::min<int>(random.below(12), BLOCK - i);
            if (i == 0)
                literals = 8;
            int match = std::min<int>(random.below(8) ? 4 + random.below(20) : random.below(200),
                                      BLOCK - i - literals);
            int offset = 1 + random.below(std::min(i + literals, random.below(4) ? 2000 : 12));
            packed.push_back(literals), packed.push_back(match);
            packed.push_back(offset), packed.push_back(offset >> 8);
            for (int k = 0; k < literals; k++, i++) {
                to[i] = random.next() >> 24;
                packed.push_back(to[i]);
            }
            for (int k = 0; k < match; k++, i++)
                to[i] = to[i - offset];
        }
    }
    starts.push_back(packed.size());
    const int numbers = 1 << 23, groups = numbers / 128;
    std::vector<int> values(numbers);
    std::vector<uint32_t> bits;
    std::vector<uint4> heads(groups);
    for (int g = 0; g < groups; g++) {
        uint32_t many = 1 + random.below(14), value = random.below(1 << 28);
        int least = (int)random.below(20) - 10;
        heads[g] = make_uint4(bits.size(), many, value, (uint32_t)least);
        size_t base = bits.size();
        bits.resize(base + 4 * many);
        for (int k = 0; k < 128; k++) {
            uint32_t d = random.below(1u << many);
            value += d + least;
            values[g * 128 + k] = value;
            int at = k * many;
            bits[base + at / 32] |= d << at % 32;
            if (at % 32 + many > 32)
                bits[base + at / 32 + 1] |= d >> (32 - at % 32);
        }
    }
    bits.push_back(0);
    uint8_t *T = copy(text), *P = copy(packed), *out = room<uint8_t>(total);
    int *PR = copy(previous), *S = copy(starts), *sums = room<int>(numbers);
    uint16_t *best = room<uint16_t>(COUNT);
    int2 *matches = room<int2>(COUNT);
    uint32_t *B = copy(bits);
    uint4 *H = copy(heads);
    auto wiped = [&] {
        fill(out, total, 0x5a);
        fill(best, COUNT, 0xff);
        fill(matches, COUNT, 0xff);
        fill(sums, numbers, 0xff);
    };
    variant(
        "window", "window", wiped, [&] { window<<<COUNT / 4 / TILE, TILE>>>(T, best); },
        [&] {
            return differ(best, COUNT / 4, 7, 0, [&](size_t i) {
                int length = 0, offset = 0;
                int tile = i / TILE * TILE;
                auto get = [&](int k) {
                    return k >= 0 && k < COUNT && k < tile + TILE + LONGEST ? text[k] : 0;
                };
                for (int back = 1; back <= WINDOW; back++) {
                    int n = 0;
                    while (n < LONGEST && get((int)i - back + n) == get(i + n))
                        n++;
                    if (n > length)
                        length = n, offset = back;
                }
                return length << 8 | offset;
            });
        });
    variant(
        "chains", "chains", wiped,
        [&] { chains<<<COUNT / 128, 128>>>((uint32_t *)T, PR, matches); },
        [&] {
            return differ((int *)matches, 2 * (COUNT - 64), 1, 0, [&](size_t k) {
                int i = k / 2, length = 0, where = -1, at = previous[i];
                for (int tries = 0; tries < 4 && at >= 0; tries++, at = previous[at]) {
                    int n = 0;
                    while (n < 64 && text[at + n] == text[i + n])
                        n++;
                    if (n > length)
                        length = n, where = at;
                }
                return k % 2 ? where : length;
            });
        });
    variant(
        "expand", "expand", wiped, [&] { expand<<<(blocks + 1) / 2, 64>>>(P, S, out, blocks); },
        [&] { return differ(out, total, 1, 0, [&](size_t i) { return expanded[i]; }); });
    variant(
        "unpack", "unpack", wiped, [&] { unpack<<<groups / 8, 256>>>(B, H, (int4 *)sums); },
        [&] { return differ(sums, numbers, 1, 0, [&](size_t i) { return values[i]; }); });
    return finish();
}
