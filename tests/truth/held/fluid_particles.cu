// Particles of a fluid with a smoothing length: densities by a grid of cells, lists of neighbours
// made, forces by such lists, densities with a warp a cell.
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

constexpr int SIDE = 20, CELLS = SIDE * SIDE * SIDE,
              MOST = 96; // cells are one smoothing length wide

struct Grid {
    const float4 *place; // sorted by cell; w: mass
    const int *begin;    // of a cell; of CELLS, the end
};

__device__ float weight(float r2)
{
    float w = 1 - r2;
    return w * w * w;
}

// calls visit(j, r2) for all within one length of p
template <class Visit> __device__ void around(Grid grid, float4 p, Visit visit)
{
    int cx = p.x, cy = p.y, cz = p.z;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, SIDE - 1); z++)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, SIDE - 1); y++) {
            int line = (z * SIDE + y) * SIDE, end = grid.begin[line + min(cx + 1, SIDE - 1) + 1];
            for (int j = grid.begin[line + max(cx - 1, 0)]; j < end; j++) {
                float4 q = grid.place[j];
                float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z,
                      r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < 1)
                    visit(j, r2);
            }
        }
}

__global__ void densities(Grid grid, int count, float *__restrict__ density)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
    around(grid, grid.place[i], [&](int j, float r2) { sum += grid.place[j].w * weight(r2); });
    density[i] = sum;
}

// lists by places in them, then particles
__global__ void make_lists(Grid grid, int count, int *__restrict__ list, int *__restrict__ length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int found = 0;
    around(grid, grid.place[i], [&](int j, float) {
        if (j != i && found < MOST)
            list[(size_t)found++ * count + i] = j;
    });
    length[i] = found;
}

__global__ void forces(const float4 *__restrict__ place, const float *__restrict__ density,
                       const int *__restrict__ list, const int *__restrict__ length, int count,
                       float4 *__restrict__ force)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = place[i], sum = {0, 0, 0, 0};
    float mine = density[i], pressure = mine / (mine * mine);
    for (int k = 0; k < length[i]; k++) {
        int j = list[(size_t)k * count + i];
        float4 q = place[j];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z,
              r = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f, other = density[j];
        float by = -q.w * (pressure + 1 / other) * (1 - r) * (1 - r) / r;
        sum.x += by * dx;
        sum.y += by * dy;
        sum.z += by * dz;
        sum.w += by * r;
    }
    force[i] = sum;
}

// a warp is a cell: its particles are asked one by one of all lanes
__global__ void densities_warp(Grid grid, float *__restrict__ density)
{
    int cell = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (cell >= CELLS)
        return;
    int cx = cell % SIDE, cy = cell / SIDE % SIDE, cz = cell / SIDE / SIDE;
    for (int i = grid.begin[cell]; i < grid.begin[cell + 1]; i++) {
        float4 p = grid.place[i];
        float sum = 0;
        for (int z = max(cz - 1, 0); z <= min(cz + 1, SIDE - 1); z++)
            for (int y = max(cy - 1, 0); y <= min(cy + 1, SIDE - 1); y++) {
                int line = (z * SIDE + y) * SIDE,
                    end = grid.begin[line + min(cx + 1, SIDE - 1) + 1];
                for (int j = grid.begin[line + max(cx - 1, 0)] + lane; j < end; j += 32) {
                    float4 q = grid.place[j];
                    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z,
                          r2 = dx * dx + dy * dy + dz * dz;
                    sum += r2 < 1 ? q.w * weight(r2) : 0;
                }
            }
        for (int step = 16; step; step /= 2)
            sum += __shfl_xor_sync(~0u, sum, step);
        if (lane == 0)
            density[i] = sum;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 8 * CELLS;
    Lcg random(179);
    std::vector<float4> mixed(count), places(count);
    std::vector<int> begins(CELLS + 1), order(count);
    auto cell = [](float4 p) { return ((int)p.z * SIDE + (int)p.y) * SIDE + (int)p.x; };
    for (float4 &p : mixed) {
        p.x = random.between(0, SIDE), p.y = random.between(0, SIDE), p.z = random.between(0, SIDE),
        p.w = random.between(0.5f, 1.5f);
        begins[cell(p) + 1]++;
    }
    for (int c = 0; c < CELLS; c++)
        begins[c + 1] += begins[c];
    std::vector<int> next = begins;
    for (float4 p : mixed)
        places[next[cell(p)]++] = p;
    std::vector<float> expected(count);
    std::vector<int> lists((size_t)MOST * count), lengths(count);
    for (int i = 0; i < count; i++) {
        float4 p = places[i];
        double sum = 0;
        for (int z = std::max((int)p.z - 1, 0); z <= std::min((int)p.z + 1, SIDE - 1); z++)
            for (int y = std::max((int)p.y - 1, 0); y <= std::min((int)p.y + 1, SIDE - 1); y++) {
                int line = (z * SIDE + y) * SIDE;
                for (int j = begins[line + std::max((int)p.x - 1, 0)];
                     j < begins[line + std::min((int)p.x + 1, SIDE - 1) + 1]; j++) {
                    float4 q = places[j];
                    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
                    double r2 = (double)dx * dx + (double)dy * dy + (double)dz * dz;
                    if (r2 >= 1)
                        continue;
                    sum += q.w * (1 - r2) * (1 - r2) * (1 - r2);
                    if (j != i && lengths[i] < MOST)
                        lists[(size_t)lengths[i]++ * count + i] = j;
                }
            }
        expected[i] = sum;
    }
    float4 *place = copy(places), *force = room<float4>(count);
    int *begin = copy(begins), *given = copy(lists), *given_length = copy(lengths),
        *list = room<int>((size_t)MOST * count), *length = room<int>(count);
    float *known = copy(expected), *density = room<float>(count);
    Grid grid = {place, begin};
    auto wiped = [&] { fill(density, count, 0xff); };
    auto check = [&] {
        return differ(density, count, 1, 1e-4, [&](size_t i) { return expected[i]; });
    };
    variant(
        "cells", "densities", wiped, [&] { densities<<<count / 128, 128>>>(grid, count, density); },
        check);
    variant(
        "lists", "make_lists", [&] { fill(length, count, 0xff); },
        [&] { make_lists<<<count / 256, 256>>>(grid, count, list, length); },
        [&] {
            std::vector<int> got = fetch(length, count, false);
            long bad = 0;
            for (int i = 0; i < count; i++)
                bad += abs(got[i] - lengths[i]) > 1; // one may be at the very edge
            return bad;
        });
    variant(
        "forces", "forces", [&] { fill(force, count, 0xff); },
        [&] { forces<<<count / 128, 128>>>(place, known, given, given_length, count, force); },
        [&] {
            std::vector<float> got = fetch((const float *)force, 4 * count);
            long bad = 0;
            for (int i = 0; i < count; i += 3) {
                double sum[4] = {}, size = 0;
                for (int k = 0; k < lengths[i]; k++) {
                    float4 p = places[i], q = places[lists[(size_t)k * count + i]];
                    double d[3] = {q.x - p.x, q.y - p.y, q.z - p.z},
                           r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + 1e-6;
                    double by = -q.w *
                                (1. / expected[i] + 1. / expected[lists[(size_t)k * count + i]]) *
                                (1 - r) * (1 - r) / r;
                    for (int c = 0; c < 3; c++)
                        sum[c] += by * d[c];
                    sum[3] += by * r;
                    size += std::fabs(by);
                }
                for (int c = 0; c < 4; c++)
                    bad += !(std::fabs(got[4 * i + c] - sum[c]) <= 1e-4 * (1 + size));
            }
            return bad;
        });
    variant(
        "warp", "densities_warp", wiped, [&] { densities_warp<<<CELLS / 4, 128>>>(grid, density); },
        check);
    return finish();
}
