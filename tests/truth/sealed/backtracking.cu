// Searching with steps back: queens on a board of 12 with a stack of each thread in local memory
// and in shared memory, sudokus with a thread each, and subsets of given sum by Gray codes.
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

constexpr int QUEENS = 12, PLACED = 4;

__global__ void queens_local(const uint3 *__restrict__ starts, unsigned *__restrict__ counts,
                             int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const unsigned all = (1u << QUEENS) - 1;
    unsigned columns[QUEENS - PLACED + 1], left[QUEENS - PLACED + 1], right[QUEENS - PLACED + 1],
        open[QUEENS - PLACED + 1], found = 0;
    uint3 s = starts[i];
    int depth = 0;
    columns[0] = s.x, left[0] = s.y, right[0] = s.z;
    open[0] = all & ~(s.x | s.y | s.z);
    while (depth >= 0) {
        unsigned o = open[depth];
        if (!o) {
            depth--;
            continue;
        }
        unsigned bit = o & (~o + 1);
        open[depth] = o ^ bit;
        if (depth == QUEENS - PLACED - 1) {
            found++;
            continue;
        }
        unsigned c = columns[depth] | bit, l = (left[depth] | bit) << 1,
                 r = (right[depth] | bit) >> 1;
        depth++;
        columns[depth] = c, left[depth] = l, right[depth] = r;
        open[depth] = all & ~(c | l | r);
    }
    counts[i] = found;
}

__global__ void __launch_bounds__(64)
    queens_shared(const uint3 *__restrict__ starts, unsigned *__restrict__ counts, int count)
{
    __shared__ uint4 stack[QUEENS - PLACED][64];
    int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
    if (i >= count)
        return;
    const unsigned all = (1u << QUEENS) - 1;
    uint3 s = starts[i];
    unsigned c = s.x, l = s.y, r = s.z, open = all & ~(c | l | r), found = 0;
    int depth = 0;
    for (;;) {
        if (open) {
            unsigned bit = open & (~open + 1);
            open ^= bit;
            if (depth == QUEENS - PLACED - 1) {
                found++;
                continue;
            }
            stack[depth++][t] = make_uint4(c, l, r, open);
            c |= bit, l = (l | bit) << 1, r = (r | bit) >> 1;
            open = all & ~(c | l | r);
        } else {
            if (--depth < 0)
                break;
            uint4 v = stack[depth][t];
            c = v.x, l = v.y, r = v.z, open = v.w;
        }
    }
    counts[i] = found;
}

// the same order on the host and the device: fields from first to last, digits from small to large
#pragma nv_exec_check_disable
template <class Board, class Masks>
__host__ __device__ inline int solve(Board board, Masks mask, int limit)
{
    unsigned char order[81], given[81];
    int blanks = 0, steps = 0;
    for (int k = 0; k < 27; k++)
        mask(k) = 0;
    for (int k = 0; k < 81; k++)
        if (board(k)) {
            unsigned bit = 1u << board(k);
            mask(k / 9) |= bit;
            mask(9 + k % 9) |= bit;
            mask(18 + k / 27 * 3 + k % 9 / 3) |= bit;
        } else {
            given[blanks] = 0;
            order[blanks++] = k;
        }
    int depth = 0;
    while (depth >= 0 && depth < blanks && steps++ < limit) {
        int k = order[depth], a = k / 9, b = 9 + k % 9, c = 18 + k / 27 * 3 + k % 9 / 3,
            digit = given[depth];
        unsigned bit = 1u << digit;
        if (digit) {
            mask(a) ^= bit;
            mask(b) ^= bit;
            mask(c) ^= bit;
        }
        unsigned open = 0x3fe & ~(mask(a) | mask(b) | mask(c)) & ~((2u << digit) - 1);
        if (!digit)
            open = 0x3fe & ~(mask(a) | mask(b) | mask(c));
        if (!open) {
            board(k) = 0;
            given[depth--] = 0;
            continue;
        }
        bit = open & (~open + 1);
        digit = 0;
        while (bit >> (digit + 1))
            digit++;
        board(k) = given[depth++] = digit;
        mask(a) |= bit;
        mask(b) |= bit;
        mask(c) |= bit;
    }
    return steps;
}

__global__ void __launch_bounds__(64)
    sudoku(const uint8_t *__restrict__ puzzles, uint8_t *__restrict__ solved,
           int *__restrict__ steps, int limit)
{
    __shared__ uint8_t boards[81][64];
    __shared__ uint16_t masks[27][64];
    int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x;
    for (int k = 0; k < 81; k++)
        boards[k][t] = puzzles[i * 81 + k];
    steps[i] = solve([&](int k) -> uint8_t & { return boards[k][t]; },
                     [&](int k) -> uint16_t & { return masks[k][t]; }, limit);
    for (int k = 0; k < 81; k++)
        solved[i * 81 + k] = boards[k][t];
}

__constant__ int WEIGHTS[32];

// each thread goes through 2^9 subsets, one item in or out at a time
__global__ void subsets(int *__restrict__ counts, int target)
{
    unsigned high = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0, found = 0;
    for (int k = 0; k < 18; k++)
        if (high >> k & 1)
            sum += WEIGHTS[k + 9];
    unsigned in = 0;
    found += sum == target;
    for (unsigned step = 1; step < 512; step++) {
        int k = __ffs(step) - 1;
        in ^= 1u << k;
        sum += in >> k & 1 ? WEIGHTS[k] : -WEIGHTS[k];
        found += sum == target;
    }
    counts[high] = found;
}

static unsigned queens(unsigned c, unsigned l, unsigned r, int row)
{
    unsigned found = 0, open = ((1u << QUEENS) - 1) & ~(c | l | r);
    if (row == QUEENS)
        return 1;
    for (; open; open &= open - 1) {
        unsigned bit = open & -open;
        found += queens(c | bit, (l | bit) << 1, (r | bit) >> 1, row + 1);
    }
    return found;
}

static void place(std::vector<uint3> &starts, unsigned c, unsigned l, unsigned r, int row)
{
    if (row == PLACED) {
        starts.push_back(make_uint3(c, l, r));
        return;
    }
    for (unsigned open = ((1u << QUEENS) - 1) & ~(c | l | r); open; open &= open - 1) {
        unsigned bit = open & -open;
        place(starts, c | bit, (l | bit) << 1, (r | bit) >> 1, row + 1);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(73);
    std::vector<uint3> starts;
    place(starts, 0, 0, 0, 0);
    const int count = starts.size(), puzzles = 8192, limit = 300, threads = 1 << 16;
    std::vector<unsigned> expected(count);
    for (int i = 0; i < count; i++)
        expected[i] = queens(starts[i].x, starts[i].y, starts[i].z, PLACED);
    std::vector<uint8_t> boards(puzzles * 81), solved;
    std::vector<int> steps(puzzles);
    for (int p = 0; p < puzzles; p++) {
        int digits[9], rows[9], columns[9];
        for (int k = 0; k < 9; k++)
            digits[k] = k + 1, rows[k] = k, columns[k] = k;
        for (int k = 8; k > 0; k--)
            std::swap(digits[k], digits[random.below(k + 1)]);
        for (int band = 0; band < 3; band++)
            for (int k = 2; k > 0; k--) {
                std::swap(rows[band * 3 + k], rows[band * 3 + random.below(k + 1)]);
                std::swap(columns[band * 3 + k], columns[band * 3 + random.below(k + 1)]);
            }
        for (int k = 0; k < 81; k++) {
            int y = rows[k / 9], x = columns[k % 9];
            boards[p * 81 + k] = random.below(100) < 46 ? 0 : digits[(y * 3 + y / 3 + x) % 9];
        }
    }
    solved = boards;
    for (int p = 0; p < puzzles; p++) {
        uint16_t masks[27];
        steps[p] = solve([&](int k) -> uint8_t & { return solved[p * 81 + k]; },
                         [&](int k) -> uint16_t & { return masks[k]; }, limit);
    }
    int weights[32];
    for (int &w : weights)
        w = 100 + random.below(900);
    must(cudaMemcpyToSymbol(WEIGHTS, weights, sizeof weights));
    uint3 *S = copy(starts);
    unsigned *found_queens = room<unsigned>(count);
    uint8_t *B = copy(boards), *out = room<uint8_t>(puzzles * 81);
    int *taken = room<int>(puzzles), *hits = room<int>(threads);
    auto wiped = [&] {
        fill(found_queens, count, 0xff);
        fill(out, puzzles * 81, 0xff);
        fill(hits, threads, 0xff);
    };
    auto check = [&] {
        return differ(found_queens, count, 1, 0, [&](size_t i) { return expected[i]; });
    };
    variant(
        "queens_local", "queens_local", wiped,
        [&] { queens_local<<<(count + 127) / 128, 128>>>(S, found_queens, count); }, check);
    variant(
        "queens_shared", "queens_shared", wiped,
        [&] { queens_shared<<<(count + 63) / 64, 64>>>(S, found_queens, count); }, check);
    variant(
        "sudoku", "sudoku", wiped, [&] { sudoku<<<puzzles / 64, 64>>>(B, out, taken, limit); },
        [&] {
            return differ(out, puzzles * 81, 1, 0, [&](size_t i) { return solved[i]; }) +
                   differ(taken, puzzles, 1, 0, [&](size_t i) { return steps[i]; });
        });
    variant(
        "subsets", "subsets", wiped, [&] { subsets<<<threads / 256, 256>>>(hits, 5000); },
        [&] {
            return differ(hits, threads, 29, 0, [&](size_t i) {
                int found = 0;
                for (unsigned low = 0; low < 512; low++) {
                    int sum = 0;
                    for (int k = 0; k < 9; k++)
                        sum += low >> k & 1 ? weights[k] : 0;
                    for (int k = 0; k < 18; k++)
                        sum += i >> k & 1 ? weights[k + 9] : 0;
                    found += sum == 5000;
                }
                return found;
            });
        });
    return finish();
}
