// Runs of equal bytes: heads marked as bits, runs written by places known before, decoding with a
// search for each byte, decoding with a warp for each run.
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

__global__ void mark_heads(const uint8_t *__restrict__ in, int count, uint32_t *__restrict__ bits,
                           int *__restrict__ per_block)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool head = i < count && (i == 0 || in[i] != in[i - 1]);
    uint32_t vote = __ballot_sync(~0u, head);
    if (threadIdx.x % 32 == 0)
        bits[i / 32] = vote;
    int many = __syncthreads_count(head);
    if (threadIdx.x == 0)
        per_block[blockIdx.x] = many;
}

// first[w]: heads before word w
__global__ void write_runs(const uint8_t *__restrict__ in, const uint32_t *__restrict__ bits,
                           const int *__restrict__ first, int words, uint8_t *__restrict__ value,
                           int *__restrict__ start)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words)
        return;
    int at = first[w];
    for (uint32_t b = bits[w]; b; b &= b - 1) {
        int i = w * 32 + __ffs(b) - 1;
        value[at] = in[i];
        start[at++] = i;
    }
}

// four bytes a thread
__global__ void decode_search(const uint8_t *__restrict__ value, const int *__restrict__ start,
                              int runs, uint32_t *__restrict__ out, int words)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words)
        return;
    int low = 0, high = runs; // the run of the first byte
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (start[middle] <= 4 * w)
            low = middle;
        else
            high = middle;
    }
    uint32_t bytes = 0;
    for (int k = 0; k < 4; k++) {
        while (low + 1 < runs && start[low + 1] <= 4 * w + k)
            low++;
        bytes |= (uint32_t)value[low] << 8 * k;
    }
    out[w] = bytes;
}

__global__ void decode_warp(const uint8_t *__restrict__ value, const int *__restrict__ start,
                            int runs, int count, uint8_t *__restrict__ out)
{
    int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < runs; r += warps) {
        int end = r + 1 < runs ? start[r + 1] : count;
        uint8_t v = value[r];
        for (int i = start[r] + lane; i < end; i += 32)
            out[i] = v;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 10 << 20, words = count / 32;
    Lcg random(257);
    std::vector<uint8_t> bytes(count), values;
    std::vector<int> starts, firsts(words);
    std::vector<uint32_t> heads(words);
    for (int i = 1, left = 0; i < count; i++) { // runs as drawn
        if (left-- > 0)
            bytes[i] = bytes[i - 1];
        else {
            left = random.below(random.below(8) ? 12 : 400);
            bytes[i] = random.next();
        }
    }
    for (int i = 0; i < count; i++) {
        if (i % 32 == 0)
            firsts[i / 32] = values.size();
        if (i && bytes[i] == bytes[i - 1])
            continue;
        heads[i / 32] |= 1u << i % 32;
        values.push_back(bytes[i]);
        starts.push_back(i);
    }
    const int runs = values.size();
    uint8_t *in = copy(bytes), *given = copy(values), *value = room<uint8_t>(runs),
            *out = room<uint8_t>(count);
    uint32_t *given_bits = copy(heads), *bits = room<uint32_t>(words);
    int *first = copy(firsts), *given_start = copy(starts), *start = room<int>(runs),
        *blocks = room<int>(count / 256);
    auto wiped = [&] {
        fill(out, count, 0xff);
        fill(bits, words, 0xff);
        fill(start, runs, 0xff);
    };
    auto check = [&] { return differ(out, count, 1, 0, [&](size_t i) { return bytes[i]; }); };
    variant(
        "heads", "mark_heads", wiped,
        [&] { mark_heads<<<count / 256, 256>>>(in, count, bits, blocks); },
        [&] {
            std::vector<int> sums = fetch(blocks, count / 256);
            long total = 0;
            for (int s : sums)
                total += s;
            return differ(bits, words, 1, 0, [&](size_t w) { return heads[w]; }) + (total != runs);
        });
    variant(
        "runs", "write_runs", wiped,
        [&] { write_runs<<<words / 128, 128>>>(in, given_bits, first, words, value, start); },
        [&] {
            return differ(start, runs, 1, 0, [&](size_t r) { return starts[r]; }) +
                   differ(value, runs, 1, 0, [&](size_t r) { return values[r]; });
        });
    variant(
        "search", "decode_search", wiped,
        [&] {
            decode_search<<<count / 4 / 256, 256>>>(given, given_start, runs, (uint32_t *)out,
                                                    count / 4);
        },
        check);
    variant(
        "warp", "decode_warp", wiped,
        [&] { decode_warp<<<132 * 16, 128>>>(given, given_start, runs, count, out); }, check);
    return finish();
}
