// Sorting by other ways than bitonic: Batcher's odd-even merge of 2048 keys a block in shared
// memory, odd-even transposition of 32 keys in a warp, two sorted lists merged along diagonals,
// ranks in blocks of 256 by counting, and 16 keys sorted in the registers of each thread.
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

constexpr int COUNT = 1 << 21;

__device__ inline void order(uint32_t &a, uint32_t &b)
{
    uint32_t low = min(a, b), high = max(a, b);
    a = low, b = high;
}

__global__ void __launch_bounds__(1024) batcher(const uint32_t *__restrict__ in, uint32_t *out)
{
    __shared__ uint32_t keys[2048];
    int t = threadIdx.x, base = blockIdx.x * 2048;
    keys[t] = in[base + t];
    keys[t + 1024] = in[base + t + 1024];
    for (int size = 1; size < 2048; size *= 2) {
        __syncthreads();
        int at = t / size * 2 * size + t % size;
        order(keys[at], keys[at + size]);
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            int j = t / step * 2 * step + t % step + step, place = j & (2 * size - 1);
            if (place + step < 2 * size)
                order(keys[j], keys[j + step]);
        }
    }
    __syncthreads();
    out[base + t] = keys[t];
    out[base + t + 1024] = keys[t + 1024];
}

__global__ void transposition(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t key = in[i];
#pragma unroll 4
    for (int step = 0; step < 32; step++) {
        int with = (lane + step) % 2 ? lane - 1 : lane + 1;
        uint32_t other = __shfl_sync(~0u, key, with);
        if (with >= 0 && with < 32)
            key = with > lane ? min(key, other) : max(key, other);
    }
    out[i] = key;
}

constexpr int MERGED = 7 * 192;

// lists of equal lengths, all a's first among equals; a thread writes seven keys
__global__ void __launch_bounds__(192)
    diagonals(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
              uint32_t *__restrict__ out, int length)
{
    __shared__ uint32_t part[MERGED];
    __shared__ int split[2];
    if (threadIdx.x < 2) {
        int d = min((int)(blockIdx.x + threadIdx.x) * MERGED, 2 * length);
        int low = max(0, d - length), high = min(d, length);
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] <= b[d - 1 - middle])
                low = middle + 1;
            else
                high = middle;
        }
        split[threadIdx.x] = low;
    }
    __syncthreads();
    int first = blockIdx.x * MERGED, all = min(MERGED, 2 * length - first), from = split[0],
        many = split[1] - from, others = all - many;
    for (int i = threadIdx.x; i < all; i += 192)
        part[i] = i < many ? a[from + i] : b[first - from + i - many];
    __syncthreads();
    int d = min((int)threadIdx.x * 7, all), low = max(0, d - others), high = min(d, many);
    while (low < high) {
        int middle = (low + high) / 2;
        if (part[middle] <= part[many + d - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t mine[7];
    int i = low, j = d - low;
#pragma unroll
    for (int k = 0; k < 7; k++) {
        bool take = j >= others || (i < many && part[i] <= part[many + j]);
        mine[k] = d + k < all ? part[take ? i : many + j] : 0;
        i += take, j += !take;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (d + k < all)
            part[d + k] = mine[k];
    __syncthreads();
    for (int k = threadIdx.x; k < all; k += 192)
        out[first + k] = part[k];
}

__global__ void __launch_bounds__(256)
    ranks(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    __shared__ uint4 keys[64];
    int t = threadIdx.x, base = blockIdx.x * 256, rank = 0;
    uint32_t mine = in[base + t];
    ((uint32_t *)keys)[t] = mine;
    __syncthreads();
    for (int k = 0; k < 64; k++) {
        uint4 v = keys[k];
        rank += v.x < mine || (v.x == mine && 4 * k < t);
        rank += v.y < mine || (v.y == mine && 4 * k + 1 < t);
        rank += v.z < mine || (v.z == mine && 4 * k + 2 < t);
        rank += v.w < mine || (v.w == mine && 4 * k + 3 < t);
    }
    out[base + rank] = mine;
}

__global__ void sixteen(const uint4 *__restrict__ in, uint4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 raw[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        raw[k] = in[i * 4 + k];
    uint32_t v[16];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[4 * k] = raw[k].x, v[4 * k + 1] = raw[k].y, v[4 * k + 2] = raw[k].z,
              v[4 * k + 3] = raw[k].w;
#pragma unroll
    for (int p = 1; p < 16; p *= 2)
#pragma unroll
        for (int k = p; k >= 1; k /= 2)
#pragma unroll
            for (int j = k % p; j + k < 16; j += 2 * k)
#pragma unroll
                for (int n = 0; n < k; n++)
                    if ((n + j) / (p * 2) == (n + j + k) / (p * 2) && n + j + k < 16)
                        order(v[n + j], v[n + j + k]);
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i * 4 + k] = make_uint4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(109);
    std::vector<uint32_t> keys(2 * COUNT), a(COUNT), b(COUNT);
    for (int i = 0; i < COUNT; i++) {
        keys[i] = random.below(1 << 24), keys[i + COUNT] = random.next();
        a[i] = random.below(1 << 20), b[i] = random.below(1 << 21) & ~1u;
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    uint32_t *K = copy(keys), *A = copy(a), *B = copy(b), *out = room<uint32_t>(2 * COUNT);
    auto wiped = [&] { fill(out, 2 * COUNT, 0xff); };
    auto sorted = [&](int count, int part) {
        std::vector<uint32_t> want(keys.begin(), keys.begin() + count);
        for (int i = 0; i < count; i += part)
            std::sort(want.begin() + i, want.begin() + i + part);
        return differ(out, count, 1, 0, [&](size_t i) { return want[i]; });
    };
    variant(
        "batcher", "batcher", wiped, [&] { batcher<<<COUNT / 4 / 2048, 1024>>>(K, out); },
        [&] { return sorted(COUNT / 4, 2048); });
    variant(
        "transposition", "transposition", wiped,
        [&] { transposition<<<COUNT / 2 / 256, 256>>>(K, out); },
        [&] { return sorted(COUNT / 2, 32); });
    variant(
        "diagonals", "diagonals", wiped,
        [&] { diagonals<<<(2 * COUNT + MERGED - 1) / MERGED, 192>>>(A, B, out, COUNT); },
        [&] {
            std::vector<uint32_t> want(2 * COUNT);
            std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
            return differ(out, 2 * COUNT, 1, 0, [&](size_t i) { return want[i]; });
        });
    variant(
        "ranks", "ranks", wiped, [&] { ranks<<<COUNT / 8 / 256, 256>>>(K, out); },
        [&] { return sorted(COUNT / 8, 256); });
    variant(
        "sixteen", "sixteen", wiped,
        [&] { sixteen<<<2 * COUNT / 16 / 128, 128>>>((uint4 *)K, (uint4 *)out); },
        [&] { return sorted(2 * COUNT, 16); });
    return finish();
}
