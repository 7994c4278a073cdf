// Records of seven numbers to seven arrays and back: directly, and through shared memory.
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

const int FIELDS = 7;
struct Record {
    float field[FIELDS];
};

__global__ void split_direct(const Record *in, float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Record record = in[i];
    for (int f = 0; f < FIELDS; f++)
        out[(size_t)f * count + i] = record.field[f];
}

__global__ void split_shared(const float *in, float *out, int count)
{
    __shared__ float part[256 * FIELDS];
    int first = blockIdx.x * 256;
    for (int k = threadIdx.x; k < 256 * FIELDS; k += 256)
        part[k] = in[(size_t)first * FIELDS + k];
    __syncthreads();
    for (int f = 0; f < FIELDS; f++)
        out[(size_t)f * count + first + threadIdx.x] = part[threadIdx.x * FIELDS + f];
}

__global__ void join_direct(const float *in, Record *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Record record;
    for (int f = 0; f < FIELDS; f++)
        record.field[f] = in[(size_t)f * count + i];
    out[i] = record;
}

// moves only one field of each record, as a program does that has records but needs little of them
__global__ void shift_field(Record *records, int count, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        records[i].field[2] += by * records[i].field[5];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 20, total = count * FIELDS;
    std::vector<float> host = Lcg(41).floats(total);
    float *in = copy(host), *out = room<float>(total);
    auto clear = [&] { fill(out, total, 0xff); };
    auto check_split = [&] {
        return differ(out, total, 1, 0, [&](size_t i) { return host[i % count * FIELDS + i / count]; });
    };
    variant(
        "split_direct", "split_direct", clear,
        [&] { split_direct<<<count / 256, 256>>>((const Record *)in, out, count); }, check_split);
    variant(
        "split_shared", "split_shared", clear, [&] { split_shared<<<count / 256, 256>>>(in, out, count); },
        check_split);
    variant(
        "join_direct", "join_direct", clear, [&] { join_direct<<<count / 128, 128>>>(in, (Record *)out, count); },
        [&] { return differ(out, total, 1, 0, [&](size_t i) { return host[i % FIELDS * count + i / FIELDS]; }); });
    variant(
        "one_field", "shift_field", [&] { put(out, host); },
        [&] { shift_field<<<count / 256, 256>>>((Record *)out, count, 0.5f); },
        [&] {
            return differ(out, total, 1, 1e-6,
                          [&](size_t i) { return i % FIELDS == 2 ? host[i] + 0.5f * host[i + 3] : host[i]; });
        });
    return finish();
}
