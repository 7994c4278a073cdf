// Best local alignment of many pairs of sequences: a block a pair along diagonals, a warp a pair by shuffles, a thread
// a pair.
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

const int MATCH = 3, MISMATCH = -2, GAP = 2;

// a thread for each of 128 columns
__global__ void align_block(const char *first, const char *second, int *best)
{
    __shared__ int cells[3][129], top[4];
    __shared__ char letters[128];
    int t = threadIdx.x;
    char mine = second[blockIdx.x * 128 + t];
    letters[t] = first[blockIdx.x * 128 + t];
    for (int k = 0; k < 3; k++)
        cells[k][t + 1] = cells[k][0] = 0;
    int highest = 0;
    for (int diagonal = 0; diagonal < 255; diagonal++) {
        __syncthreads();
        int row = diagonal - t, now = diagonal % 3, last = (diagonal + 2) % 3, before = (diagonal + 1) % 3;
        if (row >= 0 && row < 128) {
            int value = cells[before][t] * (row > 0) + (letters[row] == mine ? MATCH : MISMATCH);
            value = max(max(value, 0), max(cells[last][t], row > 0 ? cells[last][t + 1] : 0) - GAP);
            cells[now][t + 1] = value;
            highest = max(highest, value);
        }
    }
    highest = __reduce_max_sync(~0u, highest);
    if (t % 32 == 0)
        top[t / 32] = highest;
    __syncthreads();
    if (t == 0)
        best[blockIdx.x] = max(max(top[0], top[1]), max(top[2], top[3]));
}

// four columns a lane; what leaves the last of them goes to the next lane one step later
__global__ void align_warp(const char *first, const char4 *second, int *best)
{
    __shared__ char letters[4][128];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pair = blockIdx.x * 4 + warp;
    ((char4 *)letters[warp])[lane] = ((const char4 *)first)[pair * 32 + lane];
    char4 mine = second[pair * 32 + lane];
    __syncwarp();
    int above[4] = {}, corner = 0, highest = 0;
    for (int step = 0; step < 128 + 31; step++) {
        int left = __shfl_up_sync(~0u, above[3], 1), row = step - lane;
        if (lane == 0)
            left = 0;
        if (row < 0 || row >= 128)
            continue;
        char letter = letters[warp][row];
        int came = left, diagonal = corner;
        const char own[4] = {mine.x, mine.y, mine.z, mine.w};
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int value = diagonal + (letter == own[c] ? MATCH : MISMATCH);
            value = max(max(value, 0), max(left, above[c]) - GAP);
            diagonal = above[c];
            above[c] = left = value;
            highest = max(highest, value);
        }
        corner = came;
    }
    highest = __reduce_max_sync(~0u, highest);
    if (lane == 0)
        best[pair] = highest;
}

// sequences of 48, letters of different pairs side by side; a row of cells in local memory
__global__ void align_thread(const char *first, const char *second, int pairs, int *best)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x, highest = 0;
    short row[49];
    for (int c = 0; c <= 48; c++)
        row[c] = 0;
    for (int r = 0; r < 48; r++) {
        char letter = first[r * pairs + pair];
        int diagonal = 0;
#pragma unroll 1
        for (int c = 1; c <= 48; c++) {
            int value = diagonal + (letter == second[(c - 1) * pairs + pair] ? MATCH : MISMATCH);
            diagonal = row[c];
            value = max(max(value, 0), max(row[c - 1], diagonal) - GAP);
            row[c] = value;
            highest = max(highest, value);
        }
    }
    best[pair] = highest;
}

template <class First, class Second> static int align(int length, First first, Second second)
{
    std::vector<int> row(length + 1);
    int highest = 0;
    for (int r = 0; r < length; r++)
        for (int c = 1, diagonal = 0; c <= length; c++) {
            int value = std::max(0, diagonal + (first(r) == second(c - 1) ? MATCH : MISMATCH));
            diagonal = row[c];
            row[c] = std::max(value, std::max(diagonal, row[c - 1]) - GAP);
            highest = std::max(highest, row[c]);
        }
    return highest;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int pairs = 1024, blocks = 396, small = 4096, letters = small * 48;
    Lcg random(32);
    std::vector<char> first(letters), second(letters);
    for (int i = 0; i < letters; i++) {
        first[i] = "ACGT"[random.below(4)];
        second[i] = random.below(3) ? first[i] : "ACGT"[random.below(4)];
    }
    char *df = copy(first), *ds = copy(second);
    int *best = room<int>(small);
    auto clear = [&] { fill(best, small, 0xff); };
    auto check = [&](int number) {
        return differ(best, number, 5, 0, [&](size_t p) {
            return align(
                128, [&](int k) { return first[p * 128 + k]; }, [&](int k) { return second[p * 128 + k]; });
        });
    };
    variant(
        "block", "align_block", clear, [&] { align_block<<<blocks, 128>>>(df, ds, best); },
        [&] { return check(blocks); });
    variant(
        "warp", "align_warp", clear, [&] { align_warp<<<pairs / 4, 128>>>(df, (const char4 *)ds, best); },
        [&] { return check(pairs); });
    variant(
        "thread", "align_thread", clear, [&] { align_thread<<<small / 64, 64>>>(df, ds, small, best); },
        [&] {
            return differ(best, small, 11, 0, [&](size_t p) {
                return align(
                    48, [&](int k) { return first[k * small + p]; }, [&](int k) { return second[k * small + p]; });
            });
        });
    return finish();
}
