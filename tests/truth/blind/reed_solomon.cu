// Reed-Solomon codes of 255 bytes with 32 for checking: check bytes by a table of whole steps and
// by logarithms, syndromes with a root in each lane, the polynomial of errors with a word in each
// thread, and the places of errors by a warp a word.
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

constexpr int DATA = 223, CHECK = 32, LENGTH = 255, ERRORS = 16;

__constant__ uint8_t LOGS[256], POWERS[512], MAKER[CHECK];

struct Field {
    uint8_t logs[256], powers[512], maker[CHECK + 1];
    Field() : maker{1}
    {
        int x = 1;
        for (int i = 0; i < 255; i++) {
            powers[i] = powers[i + 255] = x, logs[x] = i;
            x = x * 2 ^ (x & 128 ? 0x11d : 0);
        }
        powers[510] = powers[511] = 0, logs[0] = 0;
        for (int r = 0; r < CHECK; r++) // times x + 2^r
            for (int k = r + 1; k >= 0; k--)
                maker[k] = (k ? maker[k - 1] : 0) ^ times(maker[k], powers[r]);
    }
    uint8_t times(uint8_t a, uint8_t b) const
    {
        return a && b ? powers[logs[a] + logs[b]] : 0;
    }
};

// the check bytes as eight words, the oldest byte on top; a row of the table is what a byte adds
__global__ void __launch_bounds__(64)
    encode_table(const uint32_t *__restrict__ steps, const uint8_t *__restrict__ data,
                 uint32_t *__restrict__ out, int words)
{
    __shared__ uint32_t table[256 * 9];
    for (int i = threadIdx.x; i < 2048; i += 64)
        table[i / 8 * 9 + i % 8] = steps[i];
    __syncthreads();
    int w = blockIdx.x * 64 + threadIdx.x;
    uint32_t r[8] = {};
    for (int i = 0; i < DATA; i++) {
        uint32_t row = ((r[7] >> 24) ^ data[i * words + w]) * 9;
#pragma unroll
        for (int k = 7; k > 0; k--)
            r[k] = __funnelshift_l(r[k - 1], r[k], 8) ^ table[row + k];
        r[0] = r[0] << 8 ^ table[row];
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[w * 8 + k] = r[k];
}

__global__ void __launch_bounds__(32)
    encode_logs(const uint8_t *__restrict__ data, uint8_t *__restrict__ out, int words)
{
    __shared__ uint8_t logs[256], powers[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        powers[i] = POWERS[i], logs[i % 256] = LOGS[i % 256];
    __syncwarp();
    int w = blockIdx.x * 32 + threadIdx.x;
    uint8_t r[CHECK] = {};
    for (int i = 0; i < DATA; i++) {
        int back = r[CHECK - 1] ^ data[i * words + w], add = logs[back];
#pragma unroll
        for (int k = CHECK - 1; k >= 0; k--) {
            int product = back ? powers[add + MAKER[k]] : 0; // MAKER has logarithms
            r[k] = (k ? r[k - 1] : 0) ^ product;
        }
    }
    for (int k = 0; k < CHECK; k++)
        out[w * CHECK + k] = r[k];
}

// lane r has the value at 2^r
__global__ void __launch_bounds__(128)
    syndromes(const uint8_t *__restrict__ received, uint8_t *__restrict__ out, int words)
{
    __shared__ uint8_t logs[256], powers[512];
    for (int i = threadIdx.x; i < 512; i += 128)
        powers[i] = POWERS[i], logs[i % 256] = LOGS[i % 256];
    __syncthreads();
    int w = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (w >= words)
        return;
    for (int base = 0; base < LENGTH; base += 32) {
        int mine = base + lane < LENGTH ? received[w * LENGTH + base + lane] : 0,
            many = min(32, LENGTH - base);
        for (int k = 0; k < many; k++)
            sum = (sum ? powers[logs[sum] + lane] : 0) ^ __shfl_sync(~0u, mine, k);
    }
    out[w * CHECK + lane] = sum;
}

__host__ __device__ inline uint8_t product(const uint8_t *logs, const uint8_t *powers, int a, int b)
{
    return a && b ? powers[logs[a] + logs[b]] : 0;
}

// Berlekamp and Massey: the shortest register that makes the syndromes
__host__ __device__ inline int shortest(const uint8_t *logs, const uint8_t *powers,
                                        const uint8_t *s, uint8_t *best)
{
    uint8_t before[ERRORS + 2] = {1}, kept[ERRORS + 2];
    int length = 0, since = 1, old = 1;
    for (int i = 0; i <= ERRORS; i++)
        best[i] = i == 0;
    for (int n = 0; n < CHECK; n++) {
        int off = s[n];
        for (int i = 1; i <= length; i++)
            off ^= product(logs, powers, best[i], s[n - i]);
        if (off == 0) {
            since++;
            continue;
        }
        int factor = powers[logs[off] + 255 - logs[old]];
        bool longer = 2 * length <= n;
        for (int i = 0; i <= ERRORS; i++)
            kept[i] = best[i];
        for (int i = since; i <= ERRORS; i++)
            best[i] ^= product(logs, powers, factor, before[i - since]);
        if (longer) {
            for (int i = 0; i <= ERRORS; i++)
                before[i] = kept[i];
            length = n + 1 - length, old = off, since = 1;
        } else
            since++;
    }
    return length;
}

__global__ void __launch_bounds__(32) locate(const uint8_t *__restrict__ syndromes,
                                             uint8_t *__restrict__ out, int *__restrict__ lengths)
{
    __shared__ uint8_t logs[256], powers[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        powers[i] = POWERS[i], logs[i % 256] = LOGS[i % 256];
    __syncwarp();
    int w = blockIdx.x * 32 + threadIdx.x;
    uint8_t s[CHECK], best[ERRORS + 2];
    for (int k = 0; k < CHECK; k++)
        s[k] = syndromes[w * CHECK + k];
    lengths[w] = shortest(logs, powers, s, best);
    for (int k = 0; k <= ERRORS; k++)
        out[w * (ERRORS + 1) + k] = best[k];
}

__global__ void __launch_bounds__(128)
    places(const uint8_t *__restrict__ locators, uint32_t *__restrict__ out)
{
    __shared__ uint8_t logs[256], powers[512];
    for (int i = threadIdx.x; i < 512; i += 128)
        powers[i] = POWERS[i], logs[i % 256] = LOGS[i % 256];
    __syncthreads();
    int w = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    int mine = lane <= ERRORS ? locators[w * (ERRORS + 1) + lane] : 0;
    for (int base = 0; base < 256; base += 32) {
        int back = (255 - (base + lane) % 255) % 255, sum = 0, power = 0; // at 2^-place
        for (int k = 0; k <= ERRORS; k++) {
            int c = __shfl_sync(~0u, mine, k);
            if (c)
                sum ^= powers[logs[c] + power];
            power += back;
            power -= power >= 255 ? 255 : 0;
        }
        uint32_t found = __ballot_sync(~0u, sum == 0 && base + lane < 255);
        if (lane == 0)
            out[w * 8 + base / 32] = found;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(13);
    Field field;
    const int words = 8192, some = 2048;
    uint8_t maker_logs[CHECK];
    std::vector<uint32_t> steps(2048);
    for (int k = 0; k < CHECK; k++) {
        maker_logs[k] = field.logs[field.maker[k]];
        for (int b = 0; b < 256; b++)
            steps[b * 8 + k / 4] |= (uint32_t)field.times(b, field.maker[k]) << (k % 4 * 8);
    }
    must(cudaMemcpyToSymbol(LOGS, field.logs, 256));
    must(cudaMemcpyToSymbol(POWERS, field.powers, 512));
    must(cudaMemcpyToSymbol(MAKER, maker_logs, CHECK));
    std::vector<uint8_t> data(words * DATA), received(some * LENGTH), checks(words * CHECK),
        values(some * CHECK), locators(some * (ERRORS + 1));
    std::vector<uint32_t> wrong(some * 8);
    std::vector<int> lengths(some);
    for (uint8_t &d : data)
        d = random.next() >> 24;
    for (int w = 0; w < words; w++) {
        uint8_t *r = &checks[w * CHECK];
        for (int i = 0; i < DATA; i++) {
            uint8_t back = r[CHECK - 1] ^ data[i * words + w];
            for (int k = CHECK - 1; k >= 0; k--)
                r[k] = (k ? r[k - 1] : 0) ^ field.times(back, field.maker[k]);
        }
    }
    for (int w = 0; w < some; w++) {
        uint8_t *v = &received[w * LENGTH]; // v[i] belongs to x^(254 - i)
        for (int i = 0; i < LENGTH; i++)
            v[i] = i < DATA ? data[i * words + w] : checks[w * CHECK + LENGTH - 1 - i];
        for (int e = random.below(ERRORS + 1); e > 0; e--) {
            int at = random.below(LENGTH);
            if (wrong[w * 8 + (254 - at) / 32] >> ((254 - at) % 32) & 1)
                continue;
            v[at] ^= 1 + random.below(255);
            wrong[w * 8 + (254 - at) / 32] |= 1u << ((254 - at) % 32);
        }
        for (int k = 0; k < CHECK; k++) {
            uint8_t sum = 0;
            for (int i = 0; i < LENGTH; i++)
                sum = field.times(sum, field.powers[k]) ^ v[i];
            values[w * CHECK + k] = sum;
        }
        uint8_t best[ERRORS + 2];
        lengths[w] = shortest(field.logs, field.powers, &values[w * CHECK], best);
        std::copy(best, best + ERRORS + 1, &locators[w * (ERRORS + 1)]);
    }
    uint8_t *D = copy(data), *R = copy(received), *V = copy(values), *L = copy(locators),
            *out = room<uint8_t>(words * CHECK);
    uint32_t *S = copy(steps), *found = room<uint32_t>(some * 8);
    int *many = room<int>(some);
    auto wiped = [&] { fill(out, words * CHECK, 0x77); };
    variant(
        "encode_table", "encode_table", wiped,
        [&] { encode_table<<<words / 64, 64>>>(S, D, (uint32_t *)out, words); },
        [&] { return differ(out, words * CHECK, 1, 0, [&](size_t i) { return checks[i]; }); });
    variant(
        "encode_logs", "encode_logs", wiped, [&] { encode_logs<<<some / 32, 32>>>(D, out, words); },
        [&] { return differ(out, some * CHECK, 1, 0, [&](size_t i) { return checks[i]; }); });
    variant(
        "syndromes", "syndromes", wiped, [&] { syndromes<<<some / 4, 128>>>(R, out, some); },
        [&] { return differ(out, some * CHECK, 1, 0, [&](size_t i) { return values[i]; }); });
    variant(
        "locate", "locate", wiped, [&] { locate<<<some / 32, 32>>>(V, out, many); },
        [&] {
            return differ(out, some * (ERRORS + 1), 1, 0, [&](size_t i) { return locators[i]; }) +
                   differ(many, some, 1, 0, [&](size_t i) { return lengths[i]; });
        });
    variant(
        "places", "places", wiped, [&] { places<<<some / 4, 128>>>(L, found); },
        [&] { return differ(found, some * 8, 1, 0, [&](size_t i) { return wrong[i]; }); });
    return finish();
}
