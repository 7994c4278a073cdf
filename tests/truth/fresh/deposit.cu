// Charges of a million particles spread over a grid of 512 x 512: particles in any order, particles sorted, sorted ones
// by shared tiles.
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

const int GRID = 512, TILE = 16, TILES = GRID / TILE;

__device__ void spread(float4 p, float *grid, int pitch, float x0, float y0, int wrap)
{
    float fx = p.x - x0, fy = p.y - y0;
    int x = (int)fx, y = (int)fy;
    fx -= x;
    fy -= y;
    int right = (x + 1) & wrap, below = (y + 1) & wrap;
    atomicAdd(&grid[y * pitch + x], p.z * (1 - fx) * (1 - fy));
    atomicAdd(&grid[y * pitch + right], p.z * fx * (1 - fy));
    atomicAdd(&grid[below * pitch + x], p.z * (1 - fx) * fy);
    atomicAdd(&grid[below * pitch + right], p.z * fx * fy);
}

__global__ void deposit(const float4 *particles, int count, float *grid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        spread(particles[i], grid, GRID, 0, 0, GRID - 1);
}

// a block has the particles of one tile; what falls over the edge of it is in the seventeenth row and column
__global__ void deposit_tiles(const float4 *particles, const int *first, float *grid)
{
    __shared__ float part[TILE + 1][TILE + 1];
    int left = blockIdx.x % TILES * TILE, above = blockIdx.x / TILES * TILE;
    for (int k = threadIdx.x; k < (TILE + 1) * (TILE + 1); k += blockDim.x)
        part[0][k] = 0;
    __syncthreads();
    for (int i = first[blockIdx.x] + threadIdx.x; i < first[blockIdx.x + 1]; i += blockDim.x)
        spread(particles[i], part[0], TILE + 1, left, above, ~0);
    __syncthreads();
    for (int k = threadIdx.x; k < (TILE + 1) * (TILE + 1); k += blockDim.x) {
        int x = (left + k % (TILE + 1)) % GRID, y = (above + k / (TILE + 1)) % GRID;
        atomicAdd(&grid[y * GRID + x], part[0][k]);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 20, cells = GRID * GRID;
    Lcg random(51);
    std::vector<float4> mixed(count), sorted(count);
    std::vector<int> first(TILES * TILES + 1);
    std::vector<double> sum(cells);
    auto tile_of = [](float4 p) { return (int)p.y / TILE * TILES + (int)p.x / TILE; };
    for (float4 &p : mixed) {
        p = make_float4(random.unit() * GRID, random.unit() * GRID, random.between(0.5f, 1.5f), 0);
        first[tile_of(p) + 1]++;
        int x = (int)p.x, y = (int)p.y, right = (x + 1) % GRID, below = (y + 1) % GRID;
        double fx = p.x - x, fy = p.y - y;
        sum[y * GRID + x] += p.z * (1 - fx) * (1 - fy);
        sum[y * GRID + right] += p.z * fx * (1 - fy);
        sum[below * GRID + x] += p.z * (1 - fx) * fy;
        sum[below * GRID + right] += p.z * fx * fy;
    }
    for (int t = 0; t < TILES * TILES; t++)
        first[t + 1] += first[t];
    std::vector<int> place = first;
    for (float4 p : mixed)
        sorted[place[tile_of(p)]++] = p;
    float4 *dm = copy(mixed), *ds = copy(sorted);
    int *df = copy(first);
    float *grid = room<float>(cells);
    auto clear = [&] { fill(grid, cells, 0); };
    auto check = [&] { return differ(grid, cells, 1, 1e-4, [&](size_t i) { return sum[i]; }); };
    variant(
        "mixed", "deposit", clear, [&] { deposit<<<count / 256, 256>>>(dm, count, grid); }, check);
    variant(
        "sorted", "deposit", clear, [&] { deposit<<<count / 256, 256>>>(ds, count, grid); }, check);
    variant(
        "tiles", "deposit_tiles", clear, [&] { deposit_tiles<<<TILES * TILES, 256>>>(ds, df, grid); }, check);
    return finish();
}
