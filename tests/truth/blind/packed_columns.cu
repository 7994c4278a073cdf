// Columns of a database: numbers of 11 bits unpacked and compared, differences of differences of
// unequal length decoded block by block, a dictionary with a bit for what is missing, averages of
// groups in shared memory, and a sum over rows that three columns let through.
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

constexpr int ROWS = 1 << 21, WIDTH = 11, BLOCK = 128, BLOCKS = 4096, GROUPS = 512;

__host__ __device__ inline uint32_t packed(const uint32_t *words, int i)
{
    uint64_t bit = (uint64_t)i * WIDTH;
    uint64_t two = words[bit / 32] | (uint64_t)words[bit / 32 + 1] << 32;
    return (uint32_t)(two >> (bit % 32)) & ((1u << WIDTH) - 1);
}

// bits of the rows whose number lies between limits
__global__ void unpack_compare(const uint32_t *__restrict__ words, uint32_t low, uint32_t high,
                               uint32_t *__restrict__ marks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t v = packed(words, i), mark = __ballot_sync(~0u, v >= low && v < high);
    if (threadIdx.x % 32 == 0)
        marks[i / 32] = mark;
}

// times: two differences equal is a bit 0; else 10 and 7 bits, 110 and 12 bits, or 111 and 32 bits
struct Reader {
    const uint32_t *words;
    uint64_t kept;
    int have;
    __host__ __device__ uint32_t take(int bits)
    {
        if (have < bits)
            kept |= (uint64_t)*words++ << have, have += 32;
        uint32_t v = bits == 32 ? (uint32_t)kept : (uint32_t)kept & ((1u << bits) - 1);
        kept >>= bits, have -= bits;
        return v;
    }
};

__host__ __device__ inline void times(const uint32_t *words, int *out, int stride)
{
    Reader r = {words, 0, 0};
    int time = r.take(32), step = r.take(32);
    for (int k = 0; k < BLOCK; k++) {
        out[k * stride] = time;
        int change = 0;
        if (r.take(1)) {
            if (!r.take(1))
                change = (int)r.take(7) - 64;
            else if (!r.take(1))
                change = (int)r.take(12) - 2048;
            else
                change = (int)r.take(32);
        }
        step += change, time += step;
    }
}

// a thread a block of values, written side by side
__global__ void __launch_bounds__(32)
    decode_times(const uint32_t *__restrict__ words, const int *__restrict__ starts,
                 int *__restrict__ out)
{
    int b = blockIdx.x * 32 + threadIdx.x;
    times(words + starts[b], out + b, BLOCKS);
}

// codes of bytes, those of missing rows are not stored: a warp finds its place by counts of bits
__global__ void dictionary(const uint32_t *__restrict__ valid, const int *__restrict__ before,
                           const uint8_t *__restrict__ codes, const float *__restrict__ words,
                           float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    uint32_t mask = valid[i / 32];
    float v = -1;
    if (mask >> lane & 1)
        v = words[codes[before[i / 32] + __popc(mask & ((1u << lane) - 1))]];
    out[i] = v;
}

__global__ void __launch_bounds__(512)
    averages(const uint16_t *__restrict__ keys, const int *__restrict__ values, int *counts,
             unsigned long long *sums)
{
    __shared__ int many[GROUPS];
    __shared__ unsigned long long sum[GROUPS];
    for (int k = threadIdx.x; k < GROUPS; k += 512)
        many[k] = 0, sum[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 512 + threadIdx.x; i < ROWS / 2; i += gridDim.x * 512) {
        int k = keys[i];
        atomicAdd(many + k, 1);
        atomicAdd(sum + k, (unsigned long long)values[i]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < GROUPS; k += 512) {
        atomicAdd(counts + k, many[k]);
        atomicAdd(sums + k, sum[k]);
    }
}

// prices times discounts where all three filters hold; four rows a thread
__global__ void __launch_bounds__(256)
    filtered(const int4 *__restrict__ dates, const uchar4 *__restrict__ amounts,
             const float4 *__restrict__ prices, double *out)
{
    __shared__ double sums[8];
    double sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < ROWS / 4; i += gridDim.x * 256) {
        int4 d = dates[i];
        uchar4 a = amounts[i];
        const int date[4] = {d.x, d.y, d.z, d.w}, amount[4] = {a.x, a.y, a.z, a.w};
        bool any = false;
#pragma unroll
        for (int k = 0; k < 4; k++)
            any |= date[k] >= 3000 && date[k] < 3365 && amount[k] < 24;
        if (!any)
            continue;
        float4 p = prices[i];
        const float price[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (date[k] >= 3000 && date[k] < 3365 && amount[k] < 24)
                sum += price[k] * (amount[k] * 0.01f);
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out,
                  sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]);
}

struct Writer {
    std::vector<uint32_t> words;
    uint64_t kept = 0;
    int have = 0;
    void add(uint32_t value, int bits)
    {
        kept |= (uint64_t)value << have, have += bits;
        if (have >= 32)
            words.push_back((uint32_t)kept), kept >>= 32, have -= 32;
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(97);
    Writer numbers;
    std::vector<uint16_t> number(ROWS), keys(ROWS);
    for (uint16_t &v : number) {
        v = random.below(1 << WIDTH);
        numbers.add(v, WIDTH);
    }
    numbers.add(0, 32);
    numbers.add(0, 32);
    std::vector<uint32_t> stream, valid(ROWS / 32);
    std::vector<int> starts(BLOCKS), stamps(BLOCKS * BLOCK), before(ROWS / 32), values(ROWS),
        dates(ROWS), counts(GROUPS);
    for (int b = 0; b < BLOCKS; b++) {
        Writer w;
        int time = random.below(1000000), step = 60 + random.below(10);
        w.add(time, 32);
        w.add(step, 32);
        for (int k = 0; k < BLOCK; k++) {
            stamps[k * BLOCKS + b] = time;
            int kind = random.below(20), change = kind < 10   ? 0
                                                  : kind < 16 ? (int)random.below(100) - 50
                                                  : kind < 19 ? (int)random.below(4000) - 2000
                                                              : (int)random.below(100000);
            if (kind < 10)
                w.add(0, 1);
            else if (kind < 16)
                w.add(1, 2), w.add(change + 64, 7);
            else if (kind < 19)
                w.add(3, 3), w.add(change + 2048, 12);
            else
                w.add(7, 3), w.add(change, 32);
            step += change, time += step;
        }
        w.add(0, 31);
        w.add(0, 31);
        starts[b] = stream.size();
        stream.insert(stream.end(), w.words.begin(), w.words.end());
    }
    stream.resize(stream.size() + 4);
    std::vector<uint8_t> codes, amounts(ROWS);
    std::vector<float> words = random.floats(256), prices = random.floats(ROWS, 1, 100),
                       decoded(ROWS, -1);
    std::vector<unsigned long long> sums(GROUPS);
    double revenue = 0;
    for (int i = 0; i < ROWS; i++) {
        if (i % 32 == 0)
            before[i / 32] = codes.size();
        if (random.below(5)) {
            valid[i / 32] |= 1u << i % 32;
            codes.push_back(random.below(256));
            decoded[i] = words[codes.back()];
        }
        keys[i] = random.below(3) ? random.below(GROUPS) : random.below(20),
        values[i] = random.below(100000);
        if (i < ROWS / 2)
            counts[keys[i]]++, sums[keys[i]] += values[i];
        dates[i] = i / 700 + random.below(400), amounts[i] = random.below(50);
        if (dates[i] >= 3000 && dates[i] < 3365 && amounts[i] < 24)
            revenue += prices[i] * (amounts[i] * 0.01f);
    }
    uint32_t *N = copy(numbers.words), *T = copy(stream), *V = copy(valid),
             *marks = room<uint32_t>(ROWS / 32);
    int *S = copy(starts), *B = copy(before), *X = copy(values), *D = copy(dates),
        *out = room<int>(BLOCKS * BLOCK), *many = room<int>(GROUPS);
    uint8_t *C = copy(codes), *A = copy(amounts);
    uint16_t *K = copy(keys);
    float *W = copy(words), *P = copy(prices), *column = room<float>(ROWS);
    unsigned long long *totals = room<unsigned long long>(GROUPS);
    double *sum = room<double>(1);
    auto wiped = [&] {
        fill(marks, ROWS / 32, 0x77);
        fill(out, BLOCKS * BLOCK, 0x77);
        fill(column, ROWS, 0xff);
        fill(many, GROUPS, 0);
        fill(totals, GROUPS, 0);
        fill(sum, 1, 0);
    };
    variant(
        "unpack_compare", "unpack_compare", wiped,
        [&] { unpack_compare<<<ROWS / 256, 256>>>(N, 300, 700, marks); },
        [&] {
            std::vector<uint32_t> got = fetch(marks, ROWS / 32);
            long bad = 0;
            for (int i = 0; i < ROWS; i++)
                bad += (got[i / 32] >> i % 32 & 1) != (number[i] >= 300 && number[i] < 700);
            return bad;
        });
    variant(
        "decode_times", "decode_times", wiped,
        [&] { decode_times<<<BLOCKS / 32, 32>>>(T, S, out); },
        [&] { return differ(out, BLOCKS * BLOCK, 1, 0, [&](size_t i) { return stamps[i]; }); });
    variant(
        "dictionary", "dictionary", wiped,
        [&] { dictionary<<<ROWS / 128, 128>>>(V, B, C, W, column); },
        [&] { return differ(column, ROWS, 1, 0, [&](size_t i) { return decoded[i]; }); });
    variant(
        "averages", "averages", wiped, [&] { averages<<<132, 512>>>(K, X, many, totals); },
        [&] {
            return differ(many, GROUPS, 1, 0, [&](size_t i) { return counts[i]; }) +
                   differ(totals, GROUPS, 1, 0, [&](size_t i) { return sums[i]; });
        });
    variant(
        "filtered", "filtered", wiped,
        [&] { filtered<<<132 * 4, 256>>>((int4 *)D, (uchar4 *)A, (float4 *)P, sum); },
        [&] { return (long)!near(fetch(sum, 1, false)[0], revenue, 1e-6); });
    return finish();
}
