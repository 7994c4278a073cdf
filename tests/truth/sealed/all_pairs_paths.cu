// Shortest paths of all pairs (Floyd and Warshall): one step over the whole matrix, tiles beside
// the tile of the diagonal, all other tiles with a thread an element and with 4 x 4 in each thread,
// and small graphs with a block each.
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

constexpr int SIZE = 1024, LARGE = 2048, TILE = 32, SMALL = 48;

__global__ void step(const int *__restrict__ in, int *__restrict__ out, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int way = in[y * LARGE + k] + in[k * LARGE + x];
    out[y * LARGE + x] = min(in[y * LARGE + x], way);
}

// blockIdx.y 0: tiles of the row of tiles, 1: of the column
__global__ void __launch_bounds__(1024)
    beside(const int *__restrict__ in, int *__restrict__ out, int k)
{
    __shared__ int diagonal[TILE][TILE], mine[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, b = blockIdx.x + ((int)blockIdx.x >= k);
    int row = blockIdx.y ? b : k, column = blockIdx.y ? k : b,
        at = (row * TILE + y) * LARGE + column * TILE + x;
    diagonal[y][x] = in[(k * TILE + y) * LARGE + k * TILE + x];
    mine[y][x] = in[at];
    __syncthreads();
    int best = mine[y][x];
    for (int j = 0; j < TILE; j++) {
        best = min(best, blockIdx.y ? mine[y][j] + diagonal[j][x] : diagonal[y][j] + mine[j][x]);
        __syncthreads();
        mine[y][x] = best;
        __syncthreads();
    }
    out[at] = best;
}

__global__ void __launch_bounds__(1024)
    others(const int *__restrict__ in, int *__restrict__ out, int k)
{
    __shared__ int left[TILE][TILE], top[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y,
        column = blockIdx.x * TILE + x;
    left[y][x] = in[row * SIZE + k * TILE + x];
    top[y][x] = in[(k * TILE + y) * SIZE + column];
    __syncthreads();
    int best = in[row * SIZE + column];
#pragma unroll
    for (int j = 0; j < TILE; j++)
        best = min(best, left[y][j] + top[j][x]);
    out[row * SIZE + column] = best;
}

// 64 x 64 elements a block, 32 steps in between
__global__ void __launch_bounds__(256)
    others4(const int *__restrict__ in, int *__restrict__ out, int k)
{
    __shared__ int left[TILE][68], top[TILE][68];
    int t = threadIdx.x, tx = t % 16 * 4, ty = t / 16 * 4;
    for (int i = t; i < TILE * 64; i += 256) {
        left[i % TILE][i / TILE] = in[(blockIdx.y * 64 + i / TILE) * SIZE + k * TILE + i % TILE];
        top[i / 64][i % 64] = in[(k * TILE + i / 64) * SIZE + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    int4 best[4];
    for (int r = 0; r < 4; r++)
        best[r] = *(const int4 *)(in + (blockIdx.y * 64 + ty + r) * SIZE + blockIdx.x * 64 + tx);
#pragma unroll 8
    for (int j = 0; j < TILE; j++) {
        int4 a = *(int4 *)&left[j][ty], b = *(int4 *)&top[j][tx];
        int from[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
        for (int r = 0; r < 4; r++) {
            best[r].x = min(best[r].x, from[r] + b.x);
            best[r].y = min(best[r].y, from[r] + b.y);
            best[r].z = min(best[r].z, from[r] + b.z);
            best[r].w = min(best[r].w, from[r] + b.w);
        }
    }
    for (int r = 0; r < 4; r++)
        *(int4 *)(out + (blockIdx.y * 64 + ty + r) * SIZE + blockIdx.x * 64 + tx) = best[r];
}

__global__ void __launch_bounds__(576) graphs(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int d[SMALL][SMALL];
    int x = threadIdx.x % SMALL, first = threadIdx.x / SMALL, base = blockIdx.x * SMALL * SMALL;
    for (int y = first; y < SMALL; y += 12)
        d[y][x] = in[base + y * SMALL + x];
    __syncthreads();
    for (int k = 0; k < SMALL; k++) {
        int down = d[k][x];
#pragma unroll
        for (int y = first; y < SMALL; y += 12)
            d[y][x] = min(d[y][x], d[y][k] + down);
        __syncthreads();
    }
    for (int y = first; y < SMALL; y += 12)
        out[base + y * SMALL + x] = d[y][x];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(131);
    const int many = 600, k = 7, small = SMALL * SMALL;
    auto matrix = [&](int size, int rare) {
        std::vector<int> m((size_t)size * size);
        for (int i = 0; i < size * size; i++)
            m[i] = i % (size + 1) == 0 ? 0 : random.below(rare) ? 1 << 29 : 1 + random.below(1000);
        return m;
    };
    std::vector<int> large = matrix(LARGE, 4), square = matrix(SIZE, 3), all;
    for (int g = 0; g < many; g++) {
        std::vector<int> m = matrix(SMALL, 8);
        all.insert(all.end(), m.begin(), m.end());
    }
    int *L = copy(large), *S = copy(square), *A = copy(all), *out = room<int>(LARGE * LARGE);
    auto wiped = [&] { fill(out, LARGE * LARGE, 0xff); };
    auto check_others = [&] {
        return differ(out, SIZE * SIZE, 1, 0, [&](size_t i) {
            int best = square[i];
            for (int j = k * TILE; j < (k + 1) * TILE; j++)
                best = std::min(best, square[i / SIZE * SIZE + j] + square[j * SIZE + i % SIZE]);
            return best;
        });
    };
    variant(
        "step", "step", wiped, [&] { step<<<dim3(LARGE / 256, LARGE), 256>>>(L, out, 1000); },
        [&] {
            return differ(out, LARGE * LARGE, 1, 0, [&](size_t i) {
                return std::min(large[i],
                                large[i / LARGE * LARGE + 1000] + large[1000 * LARGE + i % LARGE]);
            });
        });
    variant(
        "beside", "beside", wiped,
        [&] { beside<<<dim3(LARGE / TILE - 1, 2), dim3(TILE, TILE)>>>(L, out, k); },
        [&] {
            std::vector<int> got = fetch(out, LARGE * LARGE);
            long bad = 0;
            for (int b = 0; b < LARGE / TILE; b++)
                for (int way = 0; way < 2 && b != k; way++) {
                    int m[TILE][TILE], row = way ? b : k, column = way ? k : b;
                    for (int i = 0; i < 1024; i++)
                        m[i / 32][i % 32] =
                            large[(row * TILE + i / 32) * LARGE + column * TILE + i % 32];
                    auto diagonal = [&](int y, int x) {
                        return large[(k * TILE + y) * LARGE + k * TILE + x];
                    };
                    for (int j = 0; j < TILE; j++) {
                        int old[TILE][TILE];
                        memcpy(old, m, sizeof m);
                        for (int y = 0; y < TILE; y++)
                            for (int x = 0; x < TILE; x++)
                                m[y][x] = std::min(m[y][x], way ? old[y][j] + diagonal(j, x)
                                                                : diagonal(y, j) + old[j][x]);
                    }
                    for (int i = 0; i < 1024; i++)
                        bad += m[i / 32][i % 32] !=
                               got[(row * TILE + i / 32) * LARGE + column * TILE + i % 32];
                }
            return bad;
        });
    variant(
        "others", "others", wiped,
        [&] { others<<<dim3(SIZE / TILE, SIZE / TILE), dim3(TILE, TILE)>>>(S, out, k); },
        check_others);
    variant(
        "others4", "others4", wiped,
        [&] { others4<<<dim3(SIZE / 64, SIZE / 64), 256>>>(S, out, k); }, check_others);
    variant(
        "graphs", "graphs", wiped, [&] { graphs<<<many, 576>>>(A, out); },
        [&] {
            std::vector<int> want = all;
            for (int g = 0; g < many; g++)
                for (int j = 0; j < SMALL; j++)
                    for (int i = 0; i < small; i++) {
                        int &w = want[g * small + i];
                        w = std::min(w, want[g * small + i / SMALL * SMALL + j] +
                                            want[g * small + j * SMALL + i % SMALL]);
                    }
            return differ(out, many * small, 1, 0, [&](size_t i) { return want[i]; });
        });
    return finish();
}
