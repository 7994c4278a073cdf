// Distances to the nearest marked point: runs along rows, the lower envelope of parabolas along
// columns with a stack in memory, along columns by search outwards, and the nearest of some seeds
// in shared memory.
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

constexpr int WIDTH = 1536, HEIGHT = 320, FAR = 4096;

// a warp is a row: distances along it, squared
__global__ void along_rows(const uint8_t *__restrict__ mark, int *__restrict__ out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const uint8_t *in = mark + row * WIDTH;
    int last = -FAR;
    for (int x = lane; x < WIDTH; x += 32) {
        uint32_t set = __ballot_sync(~0u, in[x]), before = set & (~0u >> (31 - lane));
        out[row * WIDTH + x] = x - (before ? x - lane + 31 - __clz(before) : last);
        if (set)
            last = x - lane + 31 - __clz(set);
    }
    int next = WIDTH + FAR;
    for (int x = WIDTH - 32 + lane; x >= 0; x -= 32) {
        uint32_t set = __ballot_sync(~0u, in[x]), behind = set & (~0u << lane);
        int d = min(out[row * WIDTH + x], (behind ? x - lane + __ffs(behind) - 1 : next) - x);
        out[row * WIDTH + x] = min(d, FAR) * min(d, FAR);
        if (set)
            next = x - lane + __ffs(set) - 1;
    }
}

// a thread is a column; the stack of parabolas lies in global memory
__global__ void envelope(const int *__restrict__ squares, int *__restrict__ out,
                         short *__restrict__ stack, float *__restrict__ start)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    stack[x] = 0;
    start[x] = -1e9f;
    for (int y = 1; y < HEIGHT; y++) {
        int mine = squares[y * WIDTH + x] + y * y;
        float from;
        for (;;) {
            int v = stack[k * WIDTH + x];
            from = (float)(mine - squares[v * WIDTH + x] - v * v) / (2 * (y - v));
            if (from > start[k * WIDTH + x])
                break;
            k--;
        }
        k++;
        stack[k * WIDTH + x] = y;
        start[k * WIDTH + x] = from;
    }
    for (int y = HEIGHT - 1; y >= 0; y--) {
        while (start[k * WIDTH + x] > y)
            k--;
        int v = stack[k * WIDTH + x];
        out[y * WIDTH + x] = (y - v) * (y - v) + squares[v * WIDTH + x];
    }
}

__global__ void outwards(const int *__restrict__ squares, int *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int best = squares[y * WIDTH + x];
    for (int d = 1; d * d < best && d < HEIGHT; d++) {
        if (y >= d)
            best = min(best, squares[(y - d) * WIDTH + x] + d * d);
        if (y + d < HEIGHT)
            best = min(best, squares[(y + d) * WIDTH + x] + d * d);
    }
    out[y * WIDTH + x] = best;
}

__global__ void to_seeds(const short2 *__restrict__ seed, int seeds, int *__restrict__ out)
{
    __shared__ short2 some[256];
    int i = blockIdx.x * 256 + threadIdx.x, x = i % WIDTH, y = i / WIDTH, best = 1 << 30;
    for (int from = 0; from < seeds; from += 256) {
        __syncthreads();
        if (from + threadIdx.x < seeds)
            some[threadIdx.x] = seed[from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < min(256, seeds - from); k++) {
            int dx = some[k].x - x, dy = some[k].y - y;
            best = min(best, dx * dx + dy * dy);
        }
    }
    out[i] = best;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = WIDTH * HEIGHT, seeds = 200;
    Lcg random(199);
    std::vector<uint8_t> marks(count);
    std::vector<short2> places(seeds);
    for (short2 &p : places) {
        p = {(short)random.below(WIDTH), (short)random.below(HEIGHT)};
        marks[p.y * WIDTH + p.x] = 1;
    }
    std::vector<int> along(count), expected(count);
    for (int y = 0; y < HEIGHT; y++) {
        int last = -FAR;
        for (int x = 0; x < WIDTH; x++) {
            last = marks[y * WIDTH + x] ? x : last;
            along[y * WIDTH + x] = std::min(x - last, FAR);
        }
        last = WIDTH + FAR;
        for (int x = WIDTH - 1; x >= 0; x--) {
            last = marks[y * WIDTH + x] ? x : last;
            int d = std::min(along[y * WIDTH + x], last - x);
            along[y * WIDTH + x] = d * d;
        }
    }
    for (int i = 0; i < count; i++) {
        int best = along[i], y = i / WIDTH;
        for (int d = 1; d * d < best && d < HEIGHT; d++) {
            if (y >= d)
                best = std::min(best, along[i - d * WIDTH] + d * d);
            if (y + d < HEIGHT)
                best = std::min(best, along[i + d * WIDTH] + d * d);
        }
        expected[i] = best;
    }
    uint8_t *mark = copy(marks);
    short2 *seed = copy(places);
    int *squares = copy(along), *out = room<int>(count);
    short *stack = room<short>(count);
    float *start = room<float>(count);
    auto wiped = [&] { fill(out, count, 0xff); };
    auto check = [&] { return differ(out, count, 1, 0, [&](size_t i) { return expected[i]; }); };
    variant(
        "rows", "along_rows", wiped, [&] { along_rows<<<HEIGHT / 4, 128>>>(mark, out); },
        [&] { return differ(out, count, 1, 0, [&](size_t i) { return along[i]; }); });
    variant(
        "envelope", "envelope", wiped,
        [&] { envelope<<<WIDTH / 32, 32>>>(squares, out, stack, start); }, check);
    variant(
        "outwards", "outwards", wiped,
        [&] { outwards<<<dim3(WIDTH / 128, HEIGHT), 128>>>(squares, out); }, check);
    variant(
        "seeds", "to_seeds", wiped, [&] { to_seeds<<<count / 256, 256>>>(seed, seeds, out); },
        check);
    return finish();
}
