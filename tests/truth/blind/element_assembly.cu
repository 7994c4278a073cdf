// Finite elements: matrices of tetrahedra added into a sparse matrix by atomics, the same gathered
// by vertices, a product without a matrix on hexahedra of eight nodes in double precision, and
// stresses of tetrahedra with a material that yields.
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

constexpr int NX = 33, NODES = NX * NX * NX, CUBES = 32 * 32 * 32, TETS = CUBES * 6;

struct Point {
    float x, y, z;
};

__host__ __device__ inline Point from(Point a, Point b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

__host__ __device__ inline Point across(Point a, Point b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// slopes of the four shape functions; what comes back is six times the volume
__host__ __device__ inline float slopes(const Point *p, Point *g)
{
    Point a = from(p[1], p[0]), b = from(p[2], p[0]), c = from(p[3], p[0]);
    Point u = across(b, c), v = across(c, a), w = across(a, b);
    float volume = a.x * u.x + a.y * u.y + a.z * u.z, inverse = 1 / volume;
    g[1] = {u.x * inverse, u.y * inverse, u.z * inverse};
    g[2] = {v.x * inverse, v.y * inverse, v.z * inverse};
    g[3] = {w.x * inverse, w.y * inverse, w.z * inverse};
    g[0] = {-g[1].x - g[2].x - g[3].x, -g[1].y - g[2].y - g[3].y, -g[1].z - g[2].z - g[3].z};
    return volume;
}

__host__ __device__ inline float stiffness(const Point *g, float volume, int i, int j)
{
    return fabsf(volume) / 6 * (g[i].x * g[j].x + g[i].y * g[j].y + g[i].z * g[j].z);
}

// where an entry of the matrix stands is found by halves in its row
__global__ void assemble(const Point *__restrict__ points, const int4 *__restrict__ tets,
                         const int *__restrict__ starts, const int *__restrict__ columns,
                         float *matrix)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int4 q = tets[t];
    int node[4] = {q.x, q.y, q.z, q.w};
    Point p[4], g[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        p[k] = points[node[k]];
    float volume = slopes(p, g);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int first = starts[node[i]], last = starts[node[i] + 1];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int low = first, high = last;
            while (low < high) {
                int middle = (low + high) / 2;
                if (columns[middle] < node[j])
                    low = middle + 1;
                else
                    high = middle;
            }
            atomicAdd(matrix + low, stiffness(g, volume, i, j));
        }
    }
}

// the diagonal: a thread a node goes over its elements
__global__ void gather(const Point *__restrict__ points, const int4 *__restrict__ tets,
                       const int *__restrict__ firsts, const int *__restrict__ elements,
                       float *__restrict__ out, int nodes)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= nodes)
        return;
    float sum = 0;
    for (int k = firsts[n]; k < firsts[n + 1]; k++) {
        int4 q = tets[elements[k] / 4];
        Point p[4] = {points[q.x], points[q.y], points[q.z], points[q.w]}, g[4];
        float volume = slopes(p, g);
        int i = elements[k] % 4;
        Point own = i == 0 ? g[0] : i == 1 ? g[1] : i == 2 ? g[2] : g[3];
        sum += fabsf(volume) / 6 * (own.x * own.x + own.y * own.y + own.z * own.z);
    }
    out[n] = sum;
}

__constant__ double CUBE[8][8];

__host__ __device__ inline int corner(int e, int k)
{
    int x = e % 32 + (k & 1), y = e / 32 % 32 + (k >> 1 & 1), z = e / 1024 + (k >> 2);
    return (z * NX + y) * NX + x;
}

__global__ void hexahedra(const double *__restrict__ weights, const double *__restrict__ in,
                          double *out)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    double u[8], w = weights[e];
#pragma unroll
    for (int k = 0; k < 8; k++)
        u[k] = in[corner(e, k)];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        double sum = 0;
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum += CUBE[k][j] * u[j];
        atomicAdd(out + corner(e, k), w * sum);
    }
}

// a material that yields: some turns of Newton's method in each element
__host__ __device__ inline float stress(const Point *p, const Point *u, float hardness)
{
    Point g[4];
    slopes(p, g);
    float s[9] = {};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        s[0] += g[k].x * u[k].x, s[1] += g[k].x * u[k].y, s[2] += g[k].x * u[k].z;
        s[3] += g[k].y * u[k].x, s[4] += g[k].y * u[k].y, s[5] += g[k].y * u[k].z;
        s[6] += g[k].z * u[k].x, s[7] += g[k].z * u[k].y, s[8] += g[k].z * u[k].z;
    }
    float mean = (s[0] + s[4] + s[8]) / 3, xy = (s[1] + s[3]) / 2, xz = (s[2] + s[6]) / 2,
          yz = (s[5] + s[7]) / 2;
    float a = s[0] - mean, b = s[4] - mean, c = s[8] - mean;
    float size = sqrtf(a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)), plastic = 0;
    for (int n = 0; n < 12; n++) {
        float off = 2 * (size - plastic) - 0.1f - hardness * powf(plastic + 1e-4f, 0.3f);
        if (off < 1e-5f)
            break;
        plastic += off / (2 + 0.3f * hardness * powf(plastic + 1e-4f, -0.7f));
    }
    return 2 * (size - plastic) + mean;
}

__global__ void yielding(const Point *__restrict__ points, const int4 *__restrict__ tets,
                         const Point *__restrict__ moved, const float *__restrict__ hardness,
                         float *__restrict__ out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int4 q = tets[t];
    Point p[4] = {points[q.x], points[q.y], points[q.z], points[q.w]};
    Point u[4] = {moved[q.x], moved[q.y], moved[q.z], moved[q.w]};
    out[t] = stress(p, u, hardness[t]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(41);
    std::vector<Point> points(NODES), moved(NODES);
    for (int n = 0; n < NODES; n++) {
        points[n] = {n % NX + random.between(-0.2f, 0.2f),
                     n / NX % NX + random.between(-0.2f, 0.2f),
                     n / NX / NX + random.between(-0.2f, 0.2f)};
        moved[n] = {random.between(-0.2f, 0.2f), random.between(-0.2f, 0.2f),
                    random.between(-0.2f, 0.2f)};
    }
    const int paths[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    std::vector<int4> tets;
    std::vector<std::vector<int>> rows(NODES), around(NODES);
    for (int e = 0; e < CUBES; e++)
        for (auto &path : paths) {
            int n[4] = {corner(e, 0), corner(e, path[0]), corner(e, path[1]), corner(e, 7)};
            for (int i = 0; i < 4; i++) {
                around[n[i]].push_back((int)tets.size() * 4 + i);
                rows[n[i]].insert(rows[n[i]].end(), n, n + 4);
            }
            tets.push_back(make_int4(n[0], n[1], n[2], n[3]));
        }
    std::vector<int> starts, columns, firsts, elements;
    for (int n = 0; n < NODES; n++) {
        starts.push_back(columns.size()), firsts.push_back(elements.size());
        std::sort(rows[n].begin(), rows[n].end());
        columns.insert(columns.end(), rows[n].begin(), std::unique(rows[n].begin(), rows[n].end()));
        elements.insert(elements.end(), around[n].begin(), around[n].end());
    }
    starts.push_back(columns.size()), firsts.push_back(elements.size());
    const int entries = columns.size();
    std::vector<double> weights(CUBES), field(NODES), product(NODES);
    std::vector<float> hardness = random.floats(TETS, 0.2f, 2), want(entries);
    double cube[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            cube[i][j] = i == j ? 1.0 / 3 : __builtin_popcount(i ^ j) == 1 ? 0 : -1.0 / 12;
    must(cudaMemcpyToSymbol(CUBE, cube, sizeof cube));
    for (double &w : weights)
        w = random.between(1, 5);
    for (double &v : field)
        v = random.between(-1, 1);
    for (int e = 0; e < CUBES; e++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                product[corner(e, i)] += weights[e] * cube[i][j] * field[corner(e, j)];
    for (int4 q : tets) {
        int n[4] = {q.x, q.y, q.z, q.w};
        Point p[4], g[4];
        for (int k = 0; k < 4; k++)
            p[k] = points[n[k]];
        float volume = slopes(p, g);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                want[std::lower_bound(columns.begin() + starts[n[i]],
                                      columns.begin() + starts[n[i] + 1], n[j]) -
                     columns.begin()] += stiffness(g, volume, i, j);
    }
    Point *P = copy(points), *M = copy(moved);
    int4 *T = copy(tets);
    int *S = copy(starts), *C = copy(columns), *F = copy(firsts), *E = copy(elements);
    double *W = copy(weights), *V = copy(field), *sums = room<double>(NODES);
    float *H = copy(hardness), *out = room<float>(entries);
    auto zero = [&] {
        fill(out, entries, 0);
        fill(sums, NODES, 0);
    };
    variant(
        "assemble", "assemble", zero, [&] { assemble<<<TETS / 128, 128>>>(P, T, S, C, out); },
        [&] {
            std::vector<float> got = fetch(out, entries, false);
            long bad = 0;
            for (int i = 0; i < entries; i++)
                bad += !near(got[i], want[i], 1e-3);
            return bad;
        });
    variant(
        "gather", "gather", zero,
        [&] { gather<<<(NODES + 127) / 128, 128>>>(P, T, F, E, out, NODES); },
        [&] {
            return differ(out, NODES, 1, 1e-3, [&](size_t n) {
                return want[std::lower_bound(columns.begin() + starts[n],
                                             columns.begin() + starts[n + 1], (int)n) -
                            columns.begin()];
            });
        });
    variant(
        "hexahedra", "hexahedra", zero, [&] { hexahedra<<<CUBES / 64, 64>>>(W, V, sums); },
        [&] {
            std::vector<double> got = fetch(sums, NODES, false);
            long bad = 0;
            for (int i = 0; i < NODES; i++)
                bad += !near(got[i], product[i], 1e-10);
            return bad;
        });
    variant(
        "yielding", "yielding", zero, [&] { yielding<<<TETS / 256, 256>>>(P, T, M, H, out); },
        [&] {
            return differ(out, TETS, 5, 1e-3, [&](size_t t) {
                int n[4] = {tets[t].x, tets[t].y, tets[t].z, tets[t].w};
                Point p[4], u[4];
                for (int k = 0; k < 4; k++)
                    p[k] = points[n[k]], u[k] = moved[n[k]];
                return stress(p, u, hardness[t]);
            });
        });
    return finish();
}
