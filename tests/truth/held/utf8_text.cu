// Text in UTF-8: letters counted by words of bytes, checking with a thread for 16 bytes, UTF-32
// with places found by a block's sums, starts of lines by votes.
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

__global__ void count_letters(const uint4 *__restrict__ text, int vectors,
                              unsigned long long *__restrict__ total)
{
    uint32_t sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
        uint4 v = text[i];
        uint32_t words[4] = {v.x, v.y, v.z, v.w};
        for (uint32_t w : words)
            sum += 4 - __popc((w >> 7 & ~w >> 6) & 0x01010101);
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, (unsigned long long)sum);
}

// bytes of a letter by its first one; 0: none begins here
__host__ __device__ inline int length_of(uint32_t first)
{
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

__host__ __device__ inline bool good(const uint8_t *text, int at, int count)
{
    uint32_t first = text[at], length = length_of(first);
    if (!length || at + (int)length > count)
        return false;
    for (uint32_t k = 1; k < length; k++)
        if ((text[at + k] & 0xc0) != 0x80)
            return false;
    return !((first == 0xe0 && text[at + 1] < 0xa0) || (first == 0xed && text[at + 1] > 0x9f) ||
             (first == 0xf0 && text[at + 1] < 0x90) || (first == 0xf4 && text[at + 1] > 0x8f));
}

__global__ void check_text(const uint8_t *__restrict__ text, int count, int *__restrict__ wrong)
{
    int from = (blockIdx.x * blockDim.x + threadIdx.x) * 16, bad = 0;
    if (from >= count)
        return;
    int at = from, end = min(from + 16, count);
    while (at < end && (text[at] & 0xc0) == 0x80 && at < from + 3) // of a letter that began before
        at++;
    while (at < end) {
        if (good(text, at, count))
            at += length_of(text[at]);
        else {
            bad++;
            at++;
        }
    }
    if (bad)
        atomicAdd(wrong, bad);
}

// a block has 1024 bytes, four a thread; first[b] letters are before it
__global__ void to_letters(const uint8_t *__restrict__ text, int count,
                           const int *__restrict__ first, uint32_t *__restrict__ out)
{
    __shared__ int warps[8];
    int from = (blockIdx.x * 256 + threadIdx.x) * 4, lane = threadIdx.x % 32,
        warp = threadIdx.x / 32, mine = 0;
    for (int k = 0; k < 4; k++)
        mine += from + k < count && (text[from + k] & 0xc0) != 0x80;
    int sum = mine;
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? left : 0;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    int at = first[blockIdx.x] + sum - mine;
    for (int w = 0; w < warp; w++)
        at += warps[w];
    for (int i = from; i < min(from + 4, count); i++) {
        uint32_t a = text[i];
        if ((a & 0xc0) == 0x80)
            continue;
        int length = length_of(a);
        uint32_t letter = length == 1 ? a : a & (0x7f >> length);
        for (int k = 1; k < length; k++)
            letter = letter << 6 | (text[i + k] & 63);
        out[at++] = letter;
    }
}

__global__ void line_starts(const uint8_t *__restrict__ text, int count, int *__restrict__ start,
                            int *__restrict__ lines)
{
    __shared__ int here[8], base;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, from = blockIdx.x * 2048 + warp * 256;
    uint32_t votes[8];
    int mine = 0;
    for (int k = 0; k < 8; k++) {
        int i = from + k * 32 + lane;
        votes[k] = __ballot_sync(~0u, i < count && text[i] == '\n');
        mine += __popc(votes[k]);
    }
    if (lane == 0)
        here[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int w = 0; w < 8; w++) {
            int many = here[w];
            here[w] = all;
            all += many;
        }
        base = atomicAdd(lines, all);
    }
    __syncthreads();
    int at = base + here[warp];
    for (int k = 0; k < 8; k++) {
        if (votes[k] >> lane & 1)
            start[at + __popc(votes[k] & ((1u << lane) - 1))] = from + k * 32 + lane + 1;
        at += __popc(votes[k]);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int most = 7 << 20;
    Lcg random(239);
    std::vector<uint8_t> text;
    std::vector<uint32_t> letters;
    std::vector<int> firsts, starts;
    long broken = 0;
    while ((int)text.size() < most - 8) {
        uint32_t c, kind = random.below(100);
        if (kind < 2)
            c = '\n';
        else if (kind < 70)
            c = 32 + random.below(95);
        else if (kind < 85)
            c = 0x80 + random.below(0x780);
        else if (kind < 97)
            c = 0x800 + random.below(0xd000);
        else
            c = 0x10000 + random.below(0x100000);
        for (size_t b = firsts.size() * 1024; b <= text.size(); b += 1024)
            firsts.push_back(letters.size());
        letters.push_back(c);
        if (c < 0x80)
            text.push_back(c);
        else if (c < 0x800) {
            text.push_back(0xc0 | c >> 6);
            text.push_back(0x80 | (c & 63));
        } else if (c < 0x10000) {
            text.push_back(0xe0 | c >> 12);
            text.push_back(0x80 | (c >> 6 & 63));
            text.push_back(0x80 | (c & 63));
        } else {
            text.push_back(0xf0 | c >> 18);
            text.push_back(0x80 | (c >> 12 & 63));
            text.push_back(0x80 | (c >> 6 & 63));
            text.push_back(0x80 | (c & 63));
        }
        if (c == '\n')
            starts.push_back(text.size());
    }
    const int count = text.size();
    text.resize((count + 1023) / 1024 * 1024, 0x80); // nothing begins behind the end
    std::vector<uint8_t> flawed = text;
    for (int i = 77; i < count; i += 400009)
        flawed[i] = 0xff;
    for (int from = 0; from < count; from += 16) {
        int at = from, end = std::min(from + 16, count);
        while (at < end && (flawed[at] & 0xc0) == 0x80 && at < from + 3)
            at++;
        while (at < end)
            if (good(flawed.data(), at, count))
                at += length_of(flawed[at]);
            else {
                broken++;
                at++;
            }
    }
    uint8_t *bytes = copy(text), *flaws = copy(flawed);
    int *first = copy(firsts), *start = room<int>(starts.size()), *number = room<int>(1);
    unsigned long long *total = room<unsigned long long>(1);
    uint32_t *out = room<uint32_t>(letters.size());
    auto reset = [&] {
        fill(total, 1, 0);
        fill(number, 1, 0);
    };
    variant(
        "count", "count_letters", reset,
        [&] { count_letters<<<132 * 4, 256>>>((const uint4 *)bytes, text.size() / 16, total); },
        [&] { return (long)(fetch(total, 1)[0] != letters.size()); });
    variant(
        "check", "check_text", reset,
        [&] { check_text<<<(count / 16 + 128) / 128, 128>>>(flaws, count, number); },
        [&] { return (long)(fetch(number, 1)[0] != broken); });
    variant(
        "letters", "to_letters", [&] { fill(out, letters.size(), 0xff); },
        [&] { to_letters<<<(count + 1023) / 1024, 256>>>(bytes, count, first, out); },
        [&] { return differ(out, letters.size(), 1, 0, [&](size_t i) { return letters[i]; }); });
    variant(
        "lines", "line_starts", reset,
        [&] { line_starts<<<(count + 2047) / 2048, 256>>>(bytes, count, start, number); },
        [&] {
            if (fetch(number, 1)[0] != (int)starts.size())
                return 1L;
            std::vector<int> got = fetch(start, starts.size(), false);
            std::sort(got.begin(), got.end());
            return (long)(got != starts);
        });
    return finish();
}
