// Atoms that need more than pairs: densities of neighbours and forces of the embedded-atom method
// from tables, energies of triples with a thread an atom and with a warp an atom, charges that even
// out by a sparse product of distances.
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

constexpr int COUNT = 16384, MOST = 64, TABLE = 1024;
constexpr float CUT = 3.2f;

struct Neighbours {
    const float4 *atoms;
    const int *lists, *many; // a list's k-th entry of all atoms side by side
    float side, one;         // the length of the box, and one over it
};

__host__ __device__ inline float4 apart(const Neighbours &n, float4 a, int j)
{
    float4 b = n.atoms[j];
    b.x -= a.x, b.y -= a.y, b.z -= a.z;
    b.x -= n.side * rintf(b.x * n.one), b.y -= n.side * rintf(b.y * n.one);
    b.z -= n.side * rintf(b.z * n.one);
    b.w = sqrtf(b.x * b.x + b.y * b.y + b.z * b.z);
    return b;
}

// a table's value and slope
__host__ __device__ inline float2 looked_up(const float2 *table, float r)
{
    float at = r * (TABLE / CUT);
    int i = (int)at < TABLE - 1 ? (int)at : TABLE - 1;
    return make_float2(table[i].x + (at - i) * (table[i].y - table[i].x),
                       (table[i].y - table[i].x) * (TABLE / CUT));
}

__host__ __device__ inline float density_at(const Neighbours &n, const float2 *table, int i)
{
    float sum = 0;
    float4 own = n.atoms[i];
    for (int k = 0; k < n.many[i]; k++) {
        float4 d = apart(n, own, n.lists[k * COUNT + i]);
        if (d.w < CUT)
            sum += looked_up(table, d.w).x;
    }
    return sum;
}

__global__ void densities(Neighbours n, const float2 *__restrict__ table, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = density_at(n, table, i);
}

// embedding: -sqrt(density), whose slope is -1 / (2 sqrt(density))
__host__ __device__ inline float4 force_at(const Neighbours &n, const float2 *table,
                                           const float2 *pairs, const float *density, int i)
{
    float4 own = n.atoms[i], force = {};
    float slope = -0.5f / sqrtf(density[i]);
    for (int k = 0; k < n.many[i]; k++) {
        int j = n.lists[k * COUNT + i];
        float4 d = apart(n, own, j);
        if (d.w >= CUT)
            continue;
        float2 pair = looked_up(pairs, d.w);
        float push = (pair.y + (slope - 0.5f / sqrtf(density[j])) * looked_up(table, d.w).y) / d.w;
        force.x += push * d.x, force.y += push * d.y, force.z += push * d.z, force.w += pair.x;
    }
    return force;
}

__global__ void forces(Neighbours n, const float2 *__restrict__ table,
                       const float2 *__restrict__ pairs, const float *__restrict__ density,
                       float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = force_at(n, table, pairs, density, i);
}

// two neighbours nearer than NEAR, and the angle between them; no atom has FEW of these
constexpr float NEAR = 1.9f;
constexpr int FEW = 24;

__host__ __device__ inline float triple(float4 a, float4 b)
{
    float cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / (a.w * b.w) + 1 / 3.0f;
    return cosine * cosine * expf(1.2f / (a.w - NEAR) + 1.2f / (b.w - NEAR));
}

__host__ __device__ inline float triples_at(const Neighbours &n, int i)
{
    float4 own = n.atoms[i], near_by[FEW];
    float sum = 0;
    int count = 0;
    for (int k = 0; k < n.many[i]; k++) {
        float4 a = apart(n, own, n.lists[k * COUNT + i]);
        if (a.w < NEAR && count < FEW)
            near_by[count++] = a;
    }
    for (int k = 0; k < count; k++)
        for (int m = k + 1; m < count; m++)
            sum += triple(near_by[k], near_by[m]);
    return sum;
}

__global__ void triples_thread(Neighbours n, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = triples_at(n, i);
}

// neighbours that are near are packed in shared memory, then lanes share their pairs
__global__ void __launch_bounds__(128) triples_warp(Neighbours n, float *__restrict__ out)
{
    __shared__ float4 near_by[4][FEW];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 4 + w, count = 0;
    float4 own = n.atoms[i];
    for (int k = lane; k - lane < n.many[i]; k += 32) {
        float4 a = {0, 0, 0, 2 * NEAR};
        if (k < n.many[i])
            a = apart(n, own, n.lists[k * COUNT + i]);
        unsigned mask = __ballot_sync(~0u, a.w < NEAR);
        if (a.w < NEAR)
            near_by[w][count + __popc(mask & ((1u << lane) - 1))] = a;
        count += __popc(mask);
    }
    __syncwarp();
    float sum = 0;
    for (int p = lane; p < count * count; p += 32) {
        int k = p / count, m = p % count;
        if (k < m)
            sum += triple(near_by[w][k], near_by[w][m]);
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[i] = sum;
}

// a step of Jacobi's for charges: a screened attraction by each neighbour
__host__ __device__ inline float charge_at(const Neighbours &n, const float *charges, int i)
{
    float4 own = n.atoms[i];
    float sum = own.w;
    for (int k = 0; k < n.many[i]; k++) {
        int j = n.lists[k * COUNT + i];
        float4 d = apart(n, own, j);
        float shield = d.w * d.w * d.w + 0.8f;
        if (d.w < CUT)
            sum -= charges[j] * (1 - d.w / CUT) / cbrtf(shield);
    }
    return sum / 7;
}

__global__ void charges_step(Neighbours n, const float *__restrict__ charges,
                             float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = charge_at(n, charges, i);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(317);
    const int side = 32, high = COUNT / side / side;
    const float apart_by = 1.45f, length = side * apart_by;
    std::vector<float4> atoms(COUNT);
    // sites of a lattice, shaken, 32 x 32 x 16, in the order of small cubes
    for (int i = 0; i < COUNT; i++) {
        int x = (i & 1) | (i >> 2 & 30), y = (i >> 1 & 1) | (i >> 6 & 30),
            z = (i >> 2 & 1) | (i >> 10 & 14);
        atoms[i] = make_float4((x % side + random.between(-0.15f, 0.15f)) * apart_by,
                               (y % side + random.between(-0.15f, 0.15f)) * apart_by,
                               (z % high + random.between(-0.15f, 0.15f)) * apart_by,
                               random.between(-1, 1));
    }
    std::vector<int> lists(MOST * COUNT), many(COUNT);
    // cells of the size of the longest reach
    const int cells = (int)(length / (CUT + 0.2f));
    std::vector<std::vector<int>> in_cell(cells * cells * cells);
    auto cell_of = [&](float x) {
        int c = (int)floorf(x / length * cells);
        return (c + cells) % cells;
    };
    for (int i = 0; i < COUNT; i++)
        in_cell[(cell_of(atoms[i].z) * cells + cell_of(atoms[i].y)) * cells + cell_of(atoms[i].x)]
            .push_back(i);
    Neighbours host = {atoms.data(), lists.data(), many.data(), length, 1 / length}, device;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 27; k++) {
            int x = (cell_of(atoms[i].x) + k % 3 - 1 + cells) % cells,
                y = (cell_of(atoms[i].y) + k / 3 % 3 - 1 + cells) % cells,
                z = (cell_of(atoms[i].z) + k / 9 - 1 + cells) % cells;
            for (int j : in_cell[(z * cells + y) * cells + x])
                if (j != i && apart(host, atoms[i], j).w < CUT + 0.2f && many[i] < MOST)
                    lists[many[i]++ * COUNT + i] = j;
        }
    std::vector<float2> table(TABLE), pairs(TABLE);
    auto falling = [](float r) { return expf(-2 * (r - 1)) * (1 - r / CUT) * (1 - r / CUT); };
    auto pushing = [](float r) {
        float s = 1 / (r * r + 0.3f);
        return s * s * s * (1 - r / CUT) * (1 - r / CUT);
    };
    for (int i = 0; i < TABLE; i++) {
        float r = i * CUT / TABLE, next = (i + 1) * CUT / TABLE;
        table[i] = make_float2(falling(r), falling(next));
        pairs[i] = make_float2(pushing(r), pushing(next));
    }
    std::vector<float> density(COUNT), charges = random.floats(COUNT, -1, 1);
    for (int i = 0; i < COUNT; i++)
        density[i] = density_at(host, table.data(), i);
    device = {copy(atoms), copy(lists), copy(many), length, 1 / length};
    float2 *T = copy(table), *P = copy(pairs);
    float *D = copy(density), *Q = copy(charges), *out = room<float>(4 * COUNT);
    auto wiped = [&] { fill(out, 4 * COUNT, 0x77); };
    variant(
        "densities", "densities", wiped, [&] { densities<<<COUNT / 128, 128>>>(device, T, out); },
        [&] { return differ(out, COUNT, 1, 1e-4, [&](size_t i) { return density[i]; }); });
    variant(
        "forces", "forces", wiped,
        [&] { forces<<<COUNT / 128, 128>>>(device, T, P, D, (float4 *)out); },
        [&] {
            return differ(out, 4 * COUNT, 3, 5e-3, [&](size_t i) {
                float4 f = force_at(host, table.data(), pairs.data(), density.data(), i / 4);
                return i % 4 == 0 ? f.x : i % 4 == 1 ? f.y : i % 4 == 2 ? f.z : f.w;
            });
        });
    auto triples = [&] {
        return differ(out, COUNT, 3, 1e-3, [&](size_t i) { return triples_at(host, i); });
    };
    variant(
        "triples_thread", "triples_thread", wiped,
        [&] { triples_thread<<<COUNT / 64, 64>>>(device, out); }, triples);
    variant(
        "triples_warp", "triples_warp", wiped,
        [&] { triples_warp<<<COUNT / 4, 128>>>(device, out); }, triples);
    variant(
        "charges", "charges_step", wiped,
        [&] { charges_step<<<COUNT / 128, 128>>>(device, Q, out); },
        [&] {
            return differ(out, COUNT, 1, 1e-4,
                          [&](size_t i) { return charge_at(host, charges.data(), i); });
        });
    return finish();
}
