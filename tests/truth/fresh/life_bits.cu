// A generation of Life, 32 cells a word: from global memory, from a shared tile, with columns marching downwards.
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

const int WIDE = 512, HIGH = 8192;

__host__ __device__ uint32_t beside(uint32_t word, uint32_t next, int by)
{
    return by > 0 ? word >> 1 | next << 31 : word << 1 | next >> 31;
}

// the eight neighbours of 32 cells are added bit by bit
__host__ __device__ uint32_t live(const uint32_t w[3][3])
{
    uint32_t one = 0, two = 0, four = 0;
    for (int row = 0; row < 3; row++)
        for (int by = -1; by <= 1; by++) {
            if (row == 1 && by == 0)
                continue;
            uint32_t bits = by == 0 ? w[row][1] : beside(w[row][1], w[row][1 + by], by);
            uint32_t carry = one & bits;
            one ^= bits;
            four |= two & carry;
            two ^= carry;
        }
    return two & ~four & (one | w[1][1]);
}

__global__ void step_global(const uint32_t *in, uint32_t *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t w[3][3];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            w[row][column] = in[(y + row + HIGH - 1) % HIGH * WIDE + (x + column + WIDE - 1) % WIDE];
    out[y * WIDE + x] = live(w);
}

__global__ void step_tile(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t tile[18][34];
    int left = blockIdx.x * 32 + WIDE - 1, above = blockIdx.y * 16 + HIGH - 1, t = threadIdx.y * 32 + threadIdx.x;
    for (int k = t; k < 18 * 34; k += 512)
        tile[k / 34][k % 34] = in[(above + k / 34) % HIGH * WIDE + (left + k % 34) % WIDE];
    __syncthreads();
    uint32_t w[3][3];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            w[row][column] = tile[threadIdx.y + row][threadIdx.x + column];
    out[(blockIdx.y * 16 + threadIdx.y) * WIDE + blockIdx.x * 32 + threadIdx.x] = live(w);
}

__global__ void step_march(const uint32_t *in, uint32_t *out, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * rows;
    uint32_t w[3][3];
    auto take = [&](uint32_t line[3], int y) {
        for (int column = 0; column < 3; column++)
            line[column] = in[(y + HIGH) % HIGH * WIDE + (x + column + WIDE - 1) % WIDE];
    };
    take(w[0], first - 1);
    take(w[1], first);
    for (int y = first; y < first + rows; y++) {
        take(w[2], y + 1);
        out[y * WIDE + x] = live(w);
        for (int column = 0; column < 3; column++) {
            w[0][column] = w[1][column];
            w[1][column] = w[2][column];
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDE * HIGH;
    Lcg random(49);
    std::vector<uint32_t> host(total);
    for (uint32_t &word : host)
        word = random.next() & random.next();
    uint32_t *in = copy(host), *out = room<uint32_t>(total);
    auto clear = [&] { fill(out, total, 0x5a); };
    auto cell = [&](int x, int y) {
        x = (x + WIDE * 32) % (WIDE * 32);
        y = (y + HIGH) % HIGH;
        return host[y * WIDE + x / 32] >> x % 32 & 1;
    };
    auto check = [&] {
        return differ(out, total, 199, 0, [&](size_t i) {
            uint32_t word = 0;
            for (int bit = 0; bit < 32; bit++) {
                int x = i % WIDE * 32 + bit, y = i / WIDE, sum = 0;
                for (int k = 0; k < 9; k++)
                    sum += k == 4 ? 0 : cell(x + k % 3 - 1, y + k / 3 - 1);
                word |= (uint32_t)(sum == 3 || (sum == 2 && cell(x, y))) << bit;
            }
            return word;
        });
    };
    variant(
        "global", "step_global", clear, [&] { step_global<<<dim3(WIDE / 64, HIGH / 4), dim3(64, 4)>>>(in, out); },
        check);
    variant(
        "tile", "step_tile", clear, [&] { step_tile<<<dim3(WIDE / 32, HIGH / 16), dim3(32, 16)>>>(in, out); }, check);
    variant(
        "march", "step_march", clear, [&] { step_march<<<dim3(WIDE / 128, HIGH / 16), 128>>>(in, out, 16); }, check);
    return finish();
}
