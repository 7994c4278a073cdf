// Numbers as text: whole numbers read with a thread each, decimal fractions with exponents read,
// whole numbers written to columns through shared memory, and which bytes stand within quotes.
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
#include <string>

constexpr int COUNT = 1 << 19;

__global__ void read_whole(const char *__restrict__ text, const int *__restrict__ starts,
                           int *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int at = starts[i], end = starts[i + 1] - 1, value = 0; // a comma behind each
    bool minus = text[at] == '-';
    for (at += minus; at < end; at++)
        value = value * 10 + text[at] - '0';
    out[i] = minus ? -value : value;
}

__constant__ double TENS[32];

__host__ __device__ inline double fraction(const char *p, const double *tens)
{
    bool minus = *p == '-';
    p += minus;
    uint64_t digits = 0;
    int places = 0, exponent = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        digits = digits * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, places++)
            digits = digits * 10 + (*p - '0');
    if (*p == 'e') {
        bool down = *++p == '-';
        p += down;
        for (; *p >= '0' && *p <= '9'; p++)
            exponent = exponent * 10 + (*p - '0');
        exponent = down ? -exponent : exponent;
    }
    exponent -= places;
    double v = exponent < 0 ? digits / tens[-exponent] : digits * tens[exponent];
    return minus ? -v : v;
}

__global__ void read_fractions(const char *__restrict__ text, const int *__restrict__ starts,
                               double *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = fraction(text + starts[i], TENS);
}

// twelve bytes a number: spaces, digits, a line's end
__global__ void __launch_bounds__(192)
    write_columns(const uint32_t *__restrict__ values, uint32_t *__restrict__ out, int count)
{
    __shared__ uint32_t lines[192 * 3];
    char *line = (char *)(lines + threadIdx.x * 3);
    int first = blockIdx.x * 192, many = min(192, count - first);
    if ((int)threadIdx.x < many) {
        uint32_t v = values[first + threadIdx.x];
        line[11] = '\n';
        int k = 10;
        do {
            line[k--] = '0' + v % 10;
            v /= 10;
        } while (v);
        while (k >= 0)
            line[k--] = ' ';
    }
    __syncthreads();
    for (int i = threadIdx.x; i < many * 3; i += 192)
        out[first * 3 + i] = lines[i];
}

// 32 bytes a thread to a word of bits; parity tells whether a block begins within quotes
__global__ void __launch_bounds__(256)
    quotes(const uint4 *__restrict__ text, const uint8_t *__restrict__ parity,
           uint32_t *__restrict__ inside)
{
    __shared__ int odd[8];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 half[2] = {text[2 * i], text[2 * i + 1]};
    const uint32_t *words = (const uint32_t *)half;
    uint32_t mask = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        uint32_t same = __vcmpeq4(words[k], 0x22222222) & 0x01010101;
        mask |= (same * 0x10204080u >> 28) << 4 * k;
    }
    int before = __ballot_sync(~0u, __popc(mask) & 1);
    if (lane == 0)
        odd[warp] = __popc(before);
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    __syncthreads();
    int sum = parity[blockIdx.x] + __popc(before & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
        sum += odd[w];
    inside[i] = sum & 1 ? ~mask : mask;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(113);
    std::string whole, parts, quoted;
    std::vector<int> whole_starts, part_starts, values(COUNT);
    std::vector<double> fractions(COUNT);
    double tens[32];
    for (int k = 0; k < 32; k++)
        tens[k] = k ? tens[k - 1] * 10 : 1;
    must(cudaMemcpyToSymbol(TENS, tens, sizeof tens));
    for (int i = 0; i < COUNT; i++) {
        values[i] = (int)(random.next() >> 1 >> random.below(28)) * (random.below(4) ? 1 : -1);
        whole_starts.push_back(whole.size());
        whole += std::to_string(values[i]) + ",";
        char line[48];
        snprintf(line, 48, random.below(3) ? "%.*f" : "%.*e", 1 + (int)random.below(7),
                 random.between(-2000, 2000));
        std::string s = line;
        size_t plus = s.find("e+");
        if (plus != s.npos)
            s.erase(plus + 1, 1);
        part_starts.push_back(parts.size());
        parts += s + "\n";
        fractions[i] = fraction(s.c_str(), tens);
    }
    whole_starts.push_back(whole.size());
    std::vector<uint32_t> numbers(2 * COUNT), lines(2 * COUNT * 3);
    for (int i = 0; i < 2 * COUNT; i++) {
        numbers[i] = random.next() >> random.below(31);
        char line[16];
        snprintf(line, 16, "%11u\n", numbers[i]);
        memcpy(&lines[i * 3], line, 12);
    }
    const int bytes = 1 << 24, blocks = bytes / 8192;
    std::vector<uint8_t> text(bytes), parity(blocks);
    std::vector<uint32_t> mask(bytes / 32);
    for (int i = 0, in = 0; i < bytes; i++) {
        if (i % 8192 == 0)
            parity[i / 8192] = in;
        text[i] = random.below(14) ? 32 + random.below(90) : '"';
        in ^= text[i] == '"';
        mask[i / 32] |= (uint32_t)in << i % 32;
    }
    char *W = (char *)copy(std::vector<char>(whole.begin(), whole.end())),
         *P = copy(std::vector<char>(parts.begin(), parts.end()));
    int *WS = copy(whole_starts), *PS = copy(part_starts), *out = room<int>(COUNT);
    double *out_fractions = room<double>(COUNT);
    uint32_t *N = copy(numbers), *out_lines = room<uint32_t>(2 * COUNT * 3),
             *bits = room<uint32_t>(bytes / 32);
    uint8_t *T = copy(text), *PA = copy(parity);
    auto wiped = [&] {
        fill(out, COUNT, 0xff);
        fill(out_fractions, COUNT, 0xff);
        fill(out_lines, 2 * COUNT * 3, 0xff);
        fill(bits, bytes / 32, 0x77);
    };
    variant(
        "read_whole", "read_whole", wiped,
        [&] { read_whole<<<COUNT / 256, 256>>>(W, WS, out, COUNT); },
        [&] { return differ(out, COUNT, 1, 0, [&](size_t i) { return values[i]; }); });
    variant(
        "read_fractions", "read_fractions", wiped,
        [&] { read_fractions<<<COUNT / 128, 128>>>(P, PS, out_fractions, COUNT); },
        [&] {
            return differ(out_fractions, COUNT, 1, 1e-14, [&](size_t i) { return fractions[i]; });
        });
    variant(
        "write_columns", "write_columns", wiped,
        [&] { write_columns<<<(2 * COUNT + 191) / 192, 192>>>(N, out_lines, 2 * COUNT); },
        [&] { return differ(out_lines, 2 * COUNT * 3, 1, 0, [&](size_t i) { return lines[i]; }); });
    variant(
        "quotes", "quotes", wiped, [&] { quotes<<<blocks, 256>>>((uint4 *)T, PA, bits); },
        [&] { return differ(bits, bytes / 32, 1, 0, [&](size_t i) { return mask[i]; }); });
    return finish();
}
