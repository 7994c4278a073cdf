// Short reads of DNA: windows of 16 letters counted in a hash table, the smallest hash of each
// window, windows of six letters counted in shared memory, reads laid against a text without gaps,
// and a hidden model of a pair of sequences by a warp.
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

constexpr int READ = 128, K = 16, WINDOW = 12, SLOTS = 1 << 21;

__host__ __device__ inline uint32_t hashed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// the smaller of 16 letters and their reverse complement
__host__ __device__ inline uint32_t canonical(uint32_t word)
{
    uint32_t r = ~word;
    r = (r >> 2 & 0x33333333u) | (r & 0x33333333u) << 2;
    r = (r >> 4 & 0x0f0f0f0fu) | (r & 0x0f0f0f0fu) << 4;
    r = (r >> 8 & 0x00ff00ffu) | (r & 0x00ff00ffu) << 8;
    r = r >> 16 | r << 16;
    return word < r ? word : r;
}

// a word has 16 letters, the first one on top
__host__ __device__ inline uint32_t letters(const uint32_t *words, int at)
{
    uint32_t a = words[at / 16], b = words[at / 16 + 1];
    int shift = at % 16 * 2;
    return shift ? a << shift | b >> (32 - shift) : a;
}

// 0 is an empty slot; of the key 0 nothing is counted
__global__ void count_windows(const uint32_t *__restrict__ words, uint32_t *keys, unsigned *counts,
                              int letters_in_all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + K > letters_in_all)
        return;
    uint32_t key = canonical(letters(words, i)), slot = hashed(key) % SLOTS;
    while (key) {
        uint32_t there = keys[slot];
        if (there == 0)
            there = atomicCAS(keys + slot, 0u, key);
        if (there == 0 || there == key) {
            atomicAdd(counts + slot, 1u);
            break;
        }
        slot = (slot + 1) % SLOTS;
    }
}

// a thread goes along a read with the last hashes in a ring of local memory
__host__ __device__ inline uint32_t sampled(const uint32_t *words, int first)
{
    uint32_t ring[WINDOW], best = ~0u, sum = 0;
    int at = -1;
    for (int i = 0; i + K <= READ; i++) {
        uint32_t h = hashed(canonical(letters(words, first + i)));
        ring[i % WINDOW] = h;
        if (h <= best)
            best = h, at = i;
        else if (at <= i - WINDOW) {
            best = ~0u;
            for (int k = i - WINDOW + 1; k <= i; k++)
                if (ring[k % WINDOW] <= best)
                    best = ring[k % WINDOW], at = k;
        } else
            continue;
        if (i >= WINDOW - 1)
            sum += best * (2 * at + 1);
    }
    return sum;
}

__global__ void minimisers(const uint32_t *__restrict__ words, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sampled(words, i * READ);
}

__global__ void __launch_bounds__(512)
    spectrum(const uint32_t *__restrict__ words, unsigned *counts, int count)
{
    __shared__ unsigned own[4096];
    for (int i = threadIdx.x; i < 4096; i += 512)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < count; i += gridDim.x * 512) {
        uint64_t two = (uint64_t)words[i] << 32 | words[i + 1];
#pragma unroll
        for (int k = 0; k < 16; k++)
            atomicAdd(own + (two >> (52 - 2 * k) & 4095), 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 512)
        if (own[i])
            atomicAdd(counts + i, own[i]);
}

// letters that differ, read by read, from a place proposed for each; cut off when too many do
__host__ __device__ inline int unequal(const uint32_t *words, int read, const uint32_t *text,
                                       int at)
{
    int bad = 0;
    for (int k = 0; k < READ / 16 && bad < 24; k++) {
        uint32_t x = words[read * (READ / 16) + k] ^ letters(text, at + 16 * k);
        x = (x | x >> 1) & 0x55555555u;
#ifdef __CUDA_ARCH__
        bad += __popc(x);
#else
        bad += __builtin_popcount(x);
#endif
    }
    return bad;
}

__global__ void mismatches(const uint32_t *__restrict__ words, const uint32_t *__restrict__ text,
                           const int *__restrict__ places, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = unequal(words, i / 16, text, places[i]);
}

// the forward sum of match and gap states along diagonals; a lane has a letter of the read
__global__ void pair_model(const uint8_t *__restrict__ reads, const uint8_t *__restrict__ texts,
                           float *__restrict__ out, int length)
{
    int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    int letter = reads[p * 32 + lane];
    float m = 0, x = 0, y = 0, left_m = 0, left_x = 0, left_y = 0, sum = 0;
    for (int d = 0; d < length + 31; d++) {
        // what the row above had one and two steps ago
        float up_m = __shfl_up_sync(~0u, m, 1), up_x = __shfl_up_sync(~0u, x, 1),
              up_y = __shfl_up_sync(~0u, y, 1);
        int j = d - lane;
        bool inside = j >= 0 && j < length;
        float before_m = lane ? left_m : 0, before_x = lane ? left_x : 0,
              before_y = lane ? left_y : 1.0f / 64;
        float prior = inside && texts[p * length + j] == letter ? 0.97f : 0.01f;
        float now_m = prior * (0.8f * before_m + 0.9f * (before_x + before_y));
        float now_x = lane ? 0.1f * up_m + 0.1f * up_x : 0, now_y = 0.1f * m + 0.1f * y;
        left_m = up_m, left_x = up_x, left_y = up_y;
        m = inside ? now_m : 0, x = inside ? now_x : 0, y = inside ? now_y : 0;
        if (lane == 31)
            sum += m + x;
    }
    if (lane == 31)
        out[p] = logf(sum);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(29);
    const int words = 1 << 16, all = words * 16, reads = all / READ, pairs = 2048, length = 96,
              many = 1 << 17;
    std::vector<uint32_t> text(words + 2), sequence(words + 2);
    for (int i = 0; i < words + 2; i++)
        text[i] = i > 4000 && random.below(3) ? text[i - 4000] : random.next();
    sequence = text;
    for (int k = 0; k < words; k++)
        sequence[random.below(words)] ^= 1u << random.below(32);
    std::vector<int> places(many);
    for (int i = 0; i < many; i++)
        places[i] = random.below(3) ? i / 16 * READ : random.below(all - READ);
    std::vector<uint8_t> small(pairs * 32), large(pairs * length);
    for (uint8_t &c : large)
        c = random.below(4);
    for (int i = 0; i < pairs * 32; i++)
        small[i] = random.below(12) ? large[i / 32 * length + 20 + i % 32] : random.below(4);
    uint32_t *T = copy(text), *S = copy(sequence), *keys = room<uint32_t>(SLOTS);
    unsigned *counts = room<unsigned>(SLOTS);
    int *P = copy(places), *out = room<int>(many);
    uint8_t *A = copy(small), *B = copy(large);
    float *sums = room<float>(pairs);
    auto wiped = [&] {
        fill(keys, SLOTS, 0);
        fill(counts, SLOTS, 0);
        fill(out, many, 0x77);
        fill(sums, pairs, 0xff);
    };
    variant(
        "windows", "count_windows", wiped,
        [&] { count_windows<<<all / 256, 256>>>(T, keys, counts, all); },
        [&] {
            std::vector<uint32_t> want, k = fetch(keys, SLOTS, false);
            std::vector<unsigned> c = fetch(counts, SLOTS, false);
            std::vector<uint32_t> got;
            for (int i = 0; i + K <= all; i++)
                if (uint32_t key = canonical(letters(text.data(), i)))
                    want.push_back(key);
            for (int i = 0; i < SLOTS; i++)
                got.insert(got.end(), c[i] < (unsigned)all ? c[i] : 0, k[i]);
            std::sort(want.begin(), want.end());
            std::sort(got.begin(), got.end());
            return (long)(got != want);
        });
    variant(
        "minimisers", "minimisers", wiped,
        [&] { minimisers<<<reads / 64, 64>>>(T, (uint32_t *)out); },
        [&] {
            return differ((uint32_t *)out, reads, 3, 0,
                          [&](size_t i) { return sampled(text.data(), i * READ); });
        });
    variant(
        "spectrum", "spectrum", wiped, [&] { spectrum<<<132, 512>>>(T, counts, words); },
        [&] {
            std::vector<unsigned> want(4096);
            for (int i = 0; i < all; i++)
                want[letters(text.data(), i) >> 20]++;
            return differ(counts, 4096, 1, 0, [&](size_t i) { return want[i]; });
        });
    variant(
        "mismatches", "mismatches", wiped, [&] { mismatches<<<many / 128, 128>>>(S, T, P, out); },
        [&] {
            return differ(out, many, 7, 0, [&](size_t i) {
                return unequal(sequence.data(), i / 16, text.data(), places[i]);
            });
        });
    variant(
        "pair_model", "pair_model", wiped,
        [&] { pair_model<<<pairs / 4, 128>>>(A, B, sums, length); },
        [&] {
            return differ(sums, pairs, 5, 1e-4, [&](size_t p) {
                std::vector<double> m(length + 1), x(length + 1), y(length + 1, 1.0 / 64);
                double sum = 0;
                for (int r = 0; r < 32; r++) {
                    std::vector<double> nm(length + 1), nx(length + 1), ny(length + 1);
                    for (int j = 1; j <= length; j++) {
                        double prior = large[p * length + j - 1] == small[p * 32 + r] ? 0.97 : 0.01;
                        nm[j] = prior * (0.8 * m[j - 1] + 0.9 * (x[j - 1] + y[j - 1]));
                        nx[j] = r ? 0.1 * m[j] + 0.1 * x[j] : 0;
                        ny[j] = 0.1 * nm[j - 1] + 0.1 * ny[j - 1];
                    }
                    m = nm, x = nx, y = ny;
                }
                for (int j = 1; j <= length; j++)
                    sum += m[j] + x[j];
                return std::log(sum);
            });
        });
    return finish();
}
