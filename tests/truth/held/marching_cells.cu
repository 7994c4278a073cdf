// Parts of marching cubes: the case of each cell and how many edges it crosses, the same with
// planes kept in shared memory, points on edges appended by warps, cells that are crossed gathered
// by blocks.
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

constexpr int SIDE = 160, CELLS = SIDE - 1, POINTS = SIDE * SIDE * SIDE;

// edges of a cube between corners that differ
__host__ __device__ inline int crossed(int corners)
{
    int x = (corners ^ corners >> 1) & 0x55, y = (corners ^ corners >> 2) & 0x33,
        z = (corners ^ corners >> 4) & 0x0f, n = 0;
    for (int all = x | y << 8 | z << 16; all; all &= all - 1)
        n++;
    return n;
}

__global__ void classify(const float *__restrict__ field, float level, uint8_t *__restrict__ kind,
                         int *__restrict__ total)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    int edges = 0;
    if (x < CELLS && y < CELLS) {
        const float *f = field + (z * SIDE + y) * SIDE + x;
        int corners = 0;
        for (int k = 0; k < 8; k++)
            corners |= (f[(k >> 2) * SIDE * SIDE + (k >> 1 & 1) * SIDE + (k & 1)] > level) << k;
        kind[(z * CELLS + y) * CELLS + x] = corners;
        uint32_t spread = ((corners ^ corners >> 1) & 0x55) |
                          ((corners ^ corners >> 2) & 0x33) << 8 |
                          ((corners ^ corners >> 4) & 15) << 16;
        edges = __popc(spread);
    }
    edges = __reduce_add_sync(~0u, edges);
    if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0 && edges)
        atomicAdd(total, edges);
}

// a block marches along z with two planes of 33 x 9 bits
__global__ void classify_march(const float *__restrict__ field, float level,
                               uint8_t *__restrict__ kind)
{
    __shared__ uint8_t above[2][9][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 8, me = threadIdx.y * 32 + threadIdx.x,
        x = left + threadIdx.x, y = top + threadIdx.y;
    int from = blockIdx.z * 32, to = min(from + 32, CELLS);
    for (int z = from; z <= to; z++) {
        for (int i = me; i < 9 * 33; i += 256) {
            int r = min(top + i / 33, SIDE - 1), c = min(left + i % 33, SIDE - 1);
            above[z % 2][i / 33][i % 33] = field[(z * SIDE + r) * SIDE + c] > level;
        }
        __syncthreads();
        if (z > from && x < CELLS && y < CELLS) {
            int corners = 0;
            for (int k = 0; k < 8; k++)
                corners |=
                    above[(z - 1 + (k >> 2)) % 2][threadIdx.y + (k >> 1 & 1)][threadIdx.x + (k & 1)]
                    << k;
            kind[((z - 1) * CELLS + y) * CELLS + x] = corners;
        }
        __syncthreads();
    }
}

__global__ void edge_points(const float *__restrict__ field, float level,
                            float4 *__restrict__ point, int *__restrict__ count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
    float here = i < POINTS ? field[i] : 0;
    for (int axis = 0; axis < 3; axis++) {
        int step = axis == 0 ? 1 : axis == 1 ? SIDE : SIDE * SIDE;
        bool inside = i < POINTS && (axis == 0 ? x : axis == 1 ? y : z) < SIDE - 1;
        float there = inside ? field[i + step] : here;
        bool found = inside && (here > level) != (there > level);
        uint32_t lanes = __ballot_sync(~0u, found);
        int base = 0;
        if (lane == 0 && lanes)
            base = atomicAdd(count, __popc(lanes));
        base = __shfl_sync(~0u, base, 0);
        if (found) {
            float t = (level - here) / (there - here);
            point[base + __popc(lanes & ((1u << lane) - 1))] =
                make_float4(x + (axis == 0) * t, y + (axis == 1) * t, z + (axis == 2) * t, axis);
        }
    }
}

__global__ void gather_cells(const uint8_t *__restrict__ kind, int cells, int *__restrict__ list,
                             int *__restrict__ count)
{
    __shared__ int here, base;
    if (threadIdx.x == 0)
        here = 0;
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4, mine[4], many = 0, at = 0;
    for (int k = 0; k < 4; k++)
        if (first + k < cells && kind[first + k] != 0 && kind[first + k] != 255)
            mine[many++] = first + k;
    if (many)
        at = atomicAdd(&here, many);
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(count, here);
    __syncthreads();
    for (int k = 0; k < many; k++)
        list[base + at + k] = mine[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int cells = CELLS * CELLS * CELLS;
    const float level = 0.1f;
    std::vector<float> values(POINTS);
    for (int i = 0; i < POINTS; i++) {
        double x = i % SIDE * 0.13, y = i / SIDE % SIDE * 0.11, z = i / SIDE / SIDE * 0.12;
        values[i] =
            std::sin(x) * std::cos(y) + std::sin(y) * std::cos(z) + std::sin(z) * std::cos(x);
    }
    std::vector<uint8_t> kinds(cells);
    long edges = 0;
    std::vector<int> expected;
    for (int i = 0; i < cells; i++) {
        int x = i % CELLS, y = i / CELLS % CELLS, z = i / CELLS / CELLS, corners = 0;
        for (int k = 0; k < 8; k++)
            corners |=
                (values[((z + (k >> 2)) * SIDE + y + (k >> 1 & 1)) * SIDE + x + (k & 1)] > level)
                << k;
        kinds[i] = corners;
        edges += crossed(corners);
        if (corners != 0 && corners != 255)
            expected.push_back(i);
    }
    float *field = copy(values);
    uint8_t *kind = room<uint8_t>(cells), *given = copy(kinds);
    int *total = room<int>(1), *list = room<int>(cells);
    float4 *point = room<float4>(POINTS);
    auto reset = [&] {
        fill(kind, cells, 0x77);
        fill(total, 1, 0);
    };
    auto check_kinds = [&] {
        return differ(kind, cells, 1, 0, [&](size_t i) { return kinds[i]; });
    };
    variant(
        "classify", "classify", reset,
        [&] {
            classify<<<dim3(SIDE / 32, SIDE / 4, CELLS), dim3(32, 4)>>>(field, level, kind, total);
        },
        [&] { return check_kinds() + (fetch(total, 1)[0] != edges); });
    variant(
        "march", "classify_march", reset,
        [&] {
            classify_march<<<dim3(SIDE / 32, SIDE / 8, (CELLS + 31) / 32), dim3(32, 8)>>>(
                field, level, kind);
        },
        check_kinds);
    variant(
        "points", "edge_points", reset,
        [&] { edge_points<<<POINTS / 256, 256>>>(field, level, point, total); },
        [&] {
            long many = 0;
            double expected_sum[4] = {}, sum[4] = {};
            for (int i = 0; i < POINTS; i++) {
                int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE},
                    step[3] = {1, SIDE, SIDE * SIDE};
                for (int a = 0; a < 3; a++)
                    if (at[a] < SIDE - 1 && (values[i] > level) != (values[i + step[a]] > level)) {
                        many++;
                        double t = (level - values[i]) / (values[i + step[a]] - values[i]);
                        for (int c = 0; c < 3; c++)
                            expected_sum[c] += at[c] + (a == c) * t;
                        expected_sum[3] += a;
                    }
            }
            if (fetch(total, 1)[0] != many)
                return 1L;
            std::vector<float4> got = fetch(point, many);
            for (float4 p : got) {
                sum[0] += p.x;
                sum[1] += p.y;
                sum[2] += p.z;
                sum[3] += p.w;
            }
            long bad = 0;
            for (int c = 0; c < 4; c++)
                bad += !near(sum[c], expected_sum[c], 1e-5);
            return bad;
        });
    variant(
        "gather", "gather_cells", reset,
        [&] { gather_cells<<<(cells / 4 + 256) / 256, 256>>>(given, cells, list, total); },
        [&] {
            if (fetch(total, 1)[0] != (int)expected.size())
                return 1L;
            std::vector<int> got = fetch(list, expected.size(), false);
            std::sort(got.begin(), got.end());
            return (long)(got != expected);
        });
    return finish();
}
