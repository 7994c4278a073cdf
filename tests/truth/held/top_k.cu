// The largest of many numbers: eight of a column by insertion, 32 of a row by a warp that merges,
// 64 of a row by radix selection in a block, 16 of a row by as many searches for the maximum.
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

// columns of length; a thread is a column
__global__ void by_insertion(const float *__restrict__ x, int columns, int length,
                             float *__restrict__ best)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float kept[8];
    for (float &k : kept)
        k = -1e30f;
    for (int i = 0; i < length; i++) {
        float v = x[(size_t)i * columns + column];
        if (v <= kept[7])
            continue;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            float high = fmaxf(kept[k], v);
            v = fminf(kept[k], v);
            kept[k] = high;
        }
    }
    for (int k = 0; k < 8; k++)
        best[k * columns + column] = kept[k];
}

__device__ float exchanged(float v, int distance, bool keep_larger)
{
    float other = __shfl_xor_sync(~0u, v, distance);
    return keep_larger ? fmaxf(v, other) : fminf(v, other);
}

// rows of WIDTH; lanes end with the 32 largest in falling order
template <int WIDTH>
__global__ void by_merging(const float *__restrict__ x, int rows, float *__restrict__ best)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float kept = -1e30f;
    for (int at = lane; at < WIDTH; at += 32) {
        float v = x[(size_t)row * WIDTH + at];
        if (!__any_sync(~0u, v > __shfl_sync(~0u, kept, 31)))
            continue;
        for (int size = 2; size <= 32; size *= 2) // rising
            for (int distance = size / 2; distance; distance /= 2)
                v = exchanged(v, distance,
                              ((lane & distance) != 0) == ((lane & size) == 0 || size == 32));
        kept = fmaxf(kept, v);
        for (int distance = 16; distance; distance /= 2)
            kept = exchanged(kept, distance, (lane & distance) == 0);
    }
    best[row * 32 + lane] = kept;
}

// the value of the row's k-th largest key
__global__ void by_radix(const uint32_t *__restrict__ keys, int width, int k,
                         uint32_t *__restrict__ best)
{
    __shared__ int counts[256];
    __shared__ uint32_t digit;
    __shared__ int left;
    const uint32_t *row = keys + (size_t)blockIdx.x * width;
    uint32_t prefix = 0, mask = 0;
    if (threadIdx.x == 0)
        left = k;
    for (int shift = 24; shift >= 0; shift -= 8) {
        counts[threadIdx.x] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < width; i += blockDim.x) {
            uint32_t key = row[i];
            if ((key & mask) == prefix)
                atomicAdd(&counts[key >> shift & 255], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int d = 255;
            while (left > counts[d])
                left -= counts[d--];
            digit = d;
        }
        __syncthreads();
        prefix |= digit << shift;
        mask |= 255u << shift;
    }
    if (threadIdx.x == 0)
        best[blockIdx.x] = prefix;
}

template <int THREADS, int EACH>
__global__ void by_maxima(const float *__restrict__ x, float *__restrict__ best, int wanted)
{
    __shared__ float values[THREADS / 32];
    __shared__ int places[THREADS / 32];
    float mine[EACH];
    for (int k = 0; k < EACH; k++)
        mine[k] = x[(size_t)blockIdx.x * THREADS * EACH + k * THREADS + threadIdx.x];
    for (int n = 0; n < wanted; n++) {
        float top = mine[0];
        int place = threadIdx.x;
#pragma unroll
        for (int k = 1; k < EACH; k++)
            if (mine[k] > top) {
                top = mine[k];
                place = k * THREADS + threadIdx.x;
            }
        for (int step = 16; step; step /= 2) {
            float other = __shfl_xor_sync(~0u, top, step);
            int where = __shfl_xor_sync(~0u, place, step);
            if (other > top || (other == top && where < place)) {
                top = other;
                place = where;
            }
        }
        if (threadIdx.x % 32 == 0) {
            values[threadIdx.x / 32] = top;
            places[threadIdx.x / 32] = place;
        }
        __syncthreads();
        for (int w = 0; w < THREADS / 32; w++)
            if (values[w] > top || (values[w] == top && places[w] < place)) {
                top = values[w];
                place = places[w];
            }
        __syncthreads();
        if (threadIdx.x == place % THREADS)
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (k == place / THREADS)
                    mine[k] = -1e30f;
        if (threadIdx.x == 0)
            best[blockIdx.x * wanted + n] = top;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int columns = 65536, length = 96, count = columns * length, rows = 1536, width = 4096;
    Lcg random(109);
    std::vector<float> values = random.floats(count, -1, 1);
    std::vector<uint32_t> keys(count);
    for (uint32_t &key : keys)
        key = random.next() >> (random.below(4) ? 0 : 9);
    float *x = copy(values), *best = room<float>(columns * 8);
    uint32_t *key = copy(keys), *kth = room<uint32_t>(rows);
    auto wiped = [&] { fill(best, columns * 8, 0xff); };
    auto sorted = [](auto row, int k) {
        std::partial_sort(row.begin(), row.begin() + k, row.end(),
                          [](auto a, auto b) { return a > b; });
        return row;
    };
    variant(
        "insertion", "by_insertion", wiped,
        [&] { by_insertion<<<columns / 128, 128>>>(x, columns, length, best); },
        [&] {
            std::vector<float> got = fetch(best, columns * 8);
            long bad = 0;
            for (int c = 0; c < columns; c += 7) {
                std::vector<float> column(length);
                for (int i = 0; i < length; i++)
                    column[i] = values[(size_t)i * columns + c];
                column = sorted(column, 8);
                for (int k = 0; k < 8; k++)
                    bad += column[k] != got[k * columns + c];
            }
            return bad;
        });
    auto check_rows = [&](int many, int wide, int k) {
        std::vector<float> got = fetch(best, (size_t)many * k);
        long bad = 0;
        for (int r = 0; r < many; r++) {
            std::vector<float> row(values.begin() + (size_t)r * wide,
                                   values.begin() + (size_t)(r + 1) * wide);
            row = sorted(row, k);
            for (int i = 0; i < k; i++)
                bad += row[i] != got[r * k + i];
        }
        return bad;
    };
    variant(
        "merging", "by_merging", wiped, [&] { by_merging<1024><<<2048 / 4, 128>>>(x, 2048, best); },
        [&] { return check_rows(2048, 1024, 32); });
    variant(
        "radix", "by_radix", [&] { fill(kth, rows, 0xff); },
        [&] { by_radix<<<rows, 256>>>(key, width, 64, kth); },
        [&] {
            std::vector<uint32_t> got = fetch(kth, rows);
            long bad = 0;
            for (int r = 0; r < rows; r++) {
                std::vector<uint32_t> row(keys.begin() + (size_t)r * width,
                                          keys.begin() + (size_t)(r + 1) * width);
                bad += sorted(row, 64)[63] != got[r];
            }
            return bad;
        });
    variant(
        "maxima", "by_maxima", wiped, [&] { by_maxima<256, 16><<<1024, 256>>>(x, best, 16); },
        [&] { return check_rows(1024, 4096, 16); });
    return finish();
}
