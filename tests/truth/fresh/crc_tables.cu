// Check sums (CRC-32) of many messages of 512 bytes: a table in constant memory, in shared memory, in global memory,
// four shared tables.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

const int WORDS = 128;
__constant__ uint32_t fixed[256];

template <class Table> __device__ uint32_t sum_bytes(const uint32_t *text, int messages, int m, const Table &table)
{
    uint32_t crc = ~0u;
    for (int k = 0; k < WORDS; k++) {
        uint32_t word = text[k * messages + m];
        for (int byte = 0; byte < 4; byte++) {
            crc = table[(crc ^ word) & 255] ^ crc >> 8;
            word >>= 8;
        }
    }
    return ~crc;
}

__global__ void crc_constant(const uint32_t *text, int messages, uint32_t *crc)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    crc[m] = sum_bytes(text, messages, m, fixed);
}

__global__ void crc_shared(const uint32_t *text, int messages, const uint32_t *tables, uint32_t *crc)
{
    __shared__ uint32_t table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        table[k] = tables[k];
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    crc[m] = sum_bytes(text, messages, m, table);
}

__global__ void crc_global(const uint32_t *text, int messages, const uint32_t *tables, uint32_t *crc)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    crc[m] = sum_bytes(text, messages, m, tables);
}

__global__ void crc_four(const uint32_t *text, int messages, const uint32_t *tables, uint32_t *crc)
{
    __shared__ uint32_t table[4][256];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        table[0][k] = tables[k];
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = ~0u;
    for (int k = 0; k < WORDS; k++) {
        uint32_t word = sum ^ text[k * messages + m];
        sum = table[3][word & 255] ^ table[2][word >> 8 & 255] ^ table[1][word >> 16 & 255] ^ table[0][word >> 24];
    }
    crc[m] = ~sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int messages = 1 << 14;
    Lcg random(39);
    std::vector<uint32_t> text((size_t)WORDS * messages), tables(1024);
    for (uint32_t &word : text)
        word = random.next();
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        tables[i] = crc;
    }
    for (int i = 256; i < 1024; i++)
        tables[i] = tables[i - 256] >> 8 ^ tables[tables[i - 256] & 255];
    must(cudaMemcpyToSymbol(fixed, tables.data(), 1024));
    uint32_t *dt = copy(text), *table = copy(tables), *crc = room<uint32_t>(messages);
    auto clear = [&] { fill(crc, messages, 0); };
    auto check = [&] {
        return differ(crc, messages, 7, 0, [&](size_t m) {
            uint32_t sum = ~0u;
            for (int k = 0; k < WORDS * 4; k++)
                sum = tables[(sum ^ text[k / 4 * messages + m] >> k % 4 * 8) & 255] ^ sum >> 8;
            return ~sum;
        });
    };
    variant(
        "constant", "crc_constant", clear, [&] { crc_constant<<<messages / 128, 128>>>(dt, messages, crc); }, check);
    variant(
        "shared", "crc_shared", clear, [&] { crc_shared<<<messages / 128, 128>>>(dt, messages, table, crc); }, check);
    variant(
        "global", "crc_global", clear, [&] { crc_global<<<messages / 64, 64>>>(dt, messages, table, crc); }, check);
    variant(
        "four_tables", "crc_four", clear, [&] { crc_four<<<messages / 128, 128>>>(dt, messages, table, crc); }, check);
    return finish();
}
