// A join of sorted tables: bounds of each key by search, bounds by blocks that merge in shared
// memory, pairs written by a thread for each, common numbers of short sorted lists by a warp.
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

__device__ int lower(const int *list, int count, int wanted)
{
    int from = 0;
    while (count > 0) {
        int half = count / 2;
        if (list[from + half] < wanted) {
            from += half + 1;
            count -= half + 1;
        } else
            count = half;
    }
    return from;
}

__global__ void bounds(const int *__restrict__ left, int lefts, const int *__restrict__ right,
                       int rights, int2 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lefts)
        return;
    int from = lower(right, rights, left[i]);
    out[i] = make_int2(from, from + lower(right + from, rights - from, left[i] + 1));
}

// a block's keys are bounded by its first and last one
__global__ void bounds_block(const int *__restrict__ left, int lefts, const int *__restrict__ right,
                             int rights, int2 *__restrict__ out)
{
    constexpr int ROOM = 2048;
    __shared__ int some[ROOM], from, to;
    int first = blockIdx.x * blockDim.x, i = first + threadIdx.x,
        last = min(first + (int)blockDim.x, lefts) - 1;
    if (threadIdx.x == 0)
        from = lower(right, rights, left[first]);
    if (threadIdx.x == 32)
        to = lower(right, rights, left[last] + 1);
    __syncthreads();
    int many = to - from;
    bool fits = many <= ROOM;
    for (int k = threadIdx.x; fits && k < many; k += blockDim.x)
        some[k] = right[from + k];
    __syncthreads();
    if (i >= lefts)
        return;
    const int *list = fits ? some : right + from;
    int low = lower(list, many, left[i]);
    out[i] = make_int2(from + low, from + low + lower(list + low, many - low, left[i] + 1));
}

// pair p belongs to the last row whose start is not behind p
__global__ void pairs(const int *__restrict__ start, const int2 *__restrict__ bound, int lefts,
                      int total, const int *__restrict__ a, const int *__restrict__ b,
                      int2 *__restrict__ out)
{
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < total; p += gridDim.x * blockDim.x) {
        int row = lower(start, lefts, p + 1) - 1;
        out[p] = make_int2(a[row], b[bound[row].x + p - start[row]]);
    }
}

// a warp takes two lists; each lane a number of the first
__global__ void common(const int *__restrict__ number, const int *__restrict__ begin,
                       const int2 *__restrict__ task, int tasks, int *__restrict__ out)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (t >= tasks)
        return;
    int2 lists = task[t];
    int a = begin[lists.x], a_end = begin[lists.x + 1], b = begin[lists.y],
        b_end = begin[lists.y + 1], found = 0;
    while (a < a_end && b < b_end) {
        int mine = a + lane < a_end ? number[a + lane] : 0x7fffffff,
            other = b + lane < b_end ? number[b + lane] : 0x7ffffffe;
        bool same = false;
        for (int k = 0; k < 32; k++)
            same |= mine == __shfl_sync(~0u, other, k);
        found += same;
        int a_last = __shfl_sync(~0u, mine, min(31, a_end - a - 1)),
            b_last = __shfl_sync(~0u, other, min(31, b_end - b - 1));
        a += a_last <= b_last ? 32 : 0;
        b += b_last <= a_last ? 32 : 0;
    }
    for (int step = 16; step; step /= 2)
        found += __shfl_down_sync(~0u, found, step);
    if (lane == 0)
        out[t] = found;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int lefts = 1 << 19, rights = 3 << 19, space = 1 << 20, lists = 8192, tasks = 32768;
    Lcg random(251);
    std::vector<int> left(lefts), right(rights), first_values(lefts), second_values(rights),
        starts(lefts), numbers, begins(1);
    for (int &v : left)
        v = random.below(space);
    for (int &v : right)
        v = random.below(space);
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    for (int &v : first_values)
        v = random.next();
    for (int &v : second_values)
        v = random.next();
    std::vector<int2> expected(lefts), todo(tasks);
    int total = 0;
    for (int i = 0; i < lefts; i++) {
        auto range = std::equal_range(right.begin(), right.end(), left[i]);
        expected[i] = make_int2(range.first - right.begin(), range.second - right.begin());
        starts[i] = total;
        total += expected[i].y - expected[i].x;
    }
    for (int l = 0; l < lists; l++) {
        int many = 1 + random.below(200);
        std::vector<int> list(many);
        for (int &v : list)
            v = random.below(2000);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        numbers.insert(numbers.end(), list.begin(), list.end());
        begins.push_back(numbers.size());
    }
    for (int2 &t : todo)
        t = {(int)random.below(lists), (int)random.below(lists)};
    int *l = copy(left), *r = copy(right), *a = copy(first_values), *b = copy(second_values),
        *start = copy(starts), *number = copy(numbers), *begin = copy(begins),
        *out = room<int>(2 * std::max(total, lefts));
    int2 *bound = copy(expected), *task = copy(todo);
    auto wiped = [&] { fill(out, 2 * std::max(total, lefts), 0xff); };
    auto check = [&] {
        return differ(out, 2 * lefts, 1, 0,
                      [&](size_t i) { return i % 2 ? expected[i / 2].y : expected[i / 2].x; });
    };
    variant(
        "search", "bounds", wiped,
        [&] { bounds<<<lefts / 256, 256>>>(l, lefts, r, rights, (int2 *)out); }, check);
    variant(
        "blocks", "bounds_block", wiped,
        [&] { bounds_block<<<lefts / 256, 256>>>(l, lefts, r, rights, (int2 *)out); }, check);
    variant(
        "pairs", "pairs", wiped,
        [&] { pairs<<<132 * 8, 256>>>(start, bound, lefts, total, a, b, (int2 *)out); },
        [&] {
            std::vector<int> got = fetch(out, 2 * total);
            long bad = 0;
            for (int i = 0, p = 0; i < lefts; i++)
                for (int k = expected[i].x; k < expected[i].y; k++, p++)
                    bad += got[2 * p] != first_values[i] || got[2 * p + 1] != second_values[k];
            return bad;
        });
    variant(
        "common", "common", wiped,
        [&] { common<<<tasks / 4, 128>>>(number, begin, task, tasks, out); },
        [&] {
            return differ(out, tasks, 1, 0, [&](size_t t) {
                std::vector<int> both;
                auto at = [&](int i) { return numbers.begin() + begins[i]; };
                std::set_intersection(at(todo[t].x), at(todo[t].x + 1), at(todo[t].y),
                                      at(todo[t].y + 1), std::back_inserter(both));
                return both.size();
            });
        });
    return finish();
}
