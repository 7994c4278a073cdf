// Geometry in the plane: points in polygons with all edges in shared memory and by bands of edges,
// hulls of small sets with a stack for each thread, edges of triangles judged by circles in double
// precision, and crossings of segments counted over pairs with boxes.
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

constexpr int EDGES = 512, POINTS = 1 << 16, BANDS = 64, SET = 48;

__host__ __device__ inline bool crossed(float4 e, float x, float y)
{
    return (e.y > y) != (e.w > y) && x < (e.z - e.x) * (y - e.y) / (e.w - e.y) + e.x;
}

__global__ void __launch_bounds__(128)
    inside(const float4 *__restrict__ edges, const float2 *__restrict__ points,
           int *__restrict__ out)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x, count = 0;
    float2 p = points[i];
    for (int base = 0; base < EDGES; base += 128) {
        __syncthreads();
        tile[threadIdx.x] = edges[base + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++)
            count += crossed(tile[k], p.x, p.y);
    }
    out[i] = count;
}

// edges that touch a band of heights are listed
__global__ void inside_bands(const float4 *__restrict__ edges, const int *__restrict__ starts,
                             const int *__restrict__ lists, const float2 *__restrict__ points,
                             int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    float2 p = points[i];
    int band = (int)(p.y * BANDS);
    for (int k = starts[band]; k < starts[band + 1]; k++)
        count += crossed(edges[lists[k]], p.x, p.y);
    out[i] = count;
}

__host__ __device__ inline int turn(int2 a, int2 b, int2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// sorted points: the lower chain, then the upper one; the stack is in local memory
__host__ __device__ inline int hull(const int2 *p, int stride, long long *area)
{
    int2 stack[2 * SET];
    int size = 0;
    for (int k = 0; k < SET; k++) {
        int2 v = p[k * stride];
        while (size >= 2 && turn(stack[size - 2], stack[size - 1], v) <= 0)
            size--;
        stack[size++] = v;
    }
    int lower = size + 1;
    for (int k = SET - 2; k >= 0; k--) {
        int2 v = p[k * stride];
        while (size >= lower && turn(stack[size - 2], stack[size - 1], v) <= 0)
            size--;
        stack[size++] = v;
    }
    long long sum = 0;
    for (int k = 0; k + 1 < size; k++)
        sum += (long long)stack[k].x * stack[k + 1].y - (long long)stack[k].y * stack[k + 1].x;
    *area = sum;
    return size - 1;
}

__global__ void __launch_bounds__(64)
    hulls(const int2 *__restrict__ points, long long *__restrict__ areas, int *__restrict__ sizes,
          int sets)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    sizes[i] = hull(points + i, sets, areas + i);
}

// is d within the circle through a, b, c
__host__ __device__ inline double circle(double2 a, double2 b, double2 c, double2 d)
{
    double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x,
           cy = c.y - d.y;
    double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    return ax * (by * cc - bb * cy) - ay * (bx * cc - bb * cx) + aa * (bx * cy - by * cx);
}

__global__ void flips(const double2 *__restrict__ points, const int4 *__restrict__ quads,
                      uint32_t *__restrict__ marks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 q = quads[i];
    bool bad = circle(points[q.x], points[q.y], points[q.z], points[q.w]) > 0;
    uint32_t word = __ballot_sync(~0u, bad);
    if (threadIdx.x % 32 == 0)
        marks[i / 32] = word;
}

__host__ __device__ inline bool meet(int4 a, int4 b)
{
    if (max(a.x, a.z) < min(b.x, b.z) || max(b.x, b.z) < min(a.x, a.z) ||
        max(a.y, a.w) < min(b.y, b.w) || max(b.y, b.w) < min(a.y, a.w))
        return false;
    int2 p = make_int2(a.x, a.y), q = make_int2(a.z, a.w), r = make_int2(b.x, b.y),
         s = make_int2(b.z, b.w);
    int t = turn(p, q, r), u = turn(p, q, s), v = turn(r, s, p), w = turn(r, s, q);
    return ((t > 0) != (u > 0)) && ((v > 0) != (w > 0));
}

__global__ void __launch_bounds__(256)
    crossings(const int4 *__restrict__ segments, int *__restrict__ out)
{
    __shared__ int4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x, sum = 0;
    int4 own = segments[i];
    tile[threadIdx.x] = segments[blockIdx.y * 256 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; k++)
        sum += meet(own, tile[k]);
    sum = __syncthreads_count(sum & 1) + 2 * __syncthreads_count(sum >> 1 & 1) +
          4 * __syncthreads_count(sum >> 2 & 1) + 8 * __syncthreads_count(sum >> 3 & 1) +
          16 * __syncthreads_count(sum >> 4 & 1) + 32 * __syncthreads_count(sum >> 5 & 1);
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(83);
    const int sets = 16384, quads = 1 << 20, vertices = 1 << 18, segments = 4096;
    std::vector<float4> edges(EDGES);
    std::vector<float2> corners(EDGES), points(POINTS);
    for (int k = 0; k < EDGES; k++) {
        float a = k * 6.2831853f / EDGES, r = random.between(0.15f, 0.49f);
        corners[k] = make_float2(0.5f + r * cosf(a), 0.5f + r * sinf(a));
    }
    std::vector<int> starts, lists;
    for (int k = 0; k < EDGES; k++)
        edges[k] = make_float4(corners[k].x, corners[k].y, corners[(k + 1) % EDGES].x,
                               corners[(k + 1) % EDGES].y);
    for (int b = 0; b < BANDS; b++) {
        starts.push_back(lists.size());
        for (int k = 0; k < EDGES; k++)
            if (std::max(edges[k].y, edges[k].w) * BANDS >= b &&
                std::min(edges[k].y, edges[k].w) * BANDS <= b + 1)
                lists.push_back(k);
    }
    starts.push_back(lists.size());
    for (float2 &p : points)
        p = make_float2(random.unit(), random.unit());
    std::vector<int2> clouds(sets * SET);
    for (int i = 0; i < sets; i++) {
        std::vector<int2> own(SET);
        for (int2 &p : own)
            p = make_int2(random.below(4000) + random.below(4000),
                          random.below(4000) + random.below(4000));
        std::sort(own.begin(), own.end(),
                  [](int2 a, int2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
        for (int k = 0; k < SET; k++)
            clouds[k * sets + i] = own[k];
    }
    std::vector<double2> places(vertices);
    for (double2 &p : places)
        p = make_double2(random.unit(), random.unit());
    std::vector<int4> corner(quads), lines(segments);
    for (int i = 0; i < quads; i++) {
        int first = random.below(vertices - 600);
        corner[i] = make_int4(first, first + 1 + random.below(200), first + 201 + random.below(200),
                              first + 401 + random.below(150));
    }
    for (int4 &l : lines) {
        int x = random.below(9000), y = random.below(9000);
        l = make_int4(x, y, x + (int)random.below(1600) - 800, y + (int)random.below(1600) - 800);
    }
    float4 *E = copy(edges);
    float2 *P = copy(points);
    int *S = copy(starts), *L = copy(lists), *out = room<int>(POINTS);
    int2 *C = copy(clouds);
    double2 *V = copy(places);
    int4 *Q = copy(corner), *T = copy(lines);
    uint32_t *marks = room<uint32_t>(quads / 32);
    long long *areas = room<long long>(sets);
    auto wiped = [&] {
        fill(out, POINTS, 0x77);
        fill(marks, quads / 32, 0x77);
        fill(areas, sets, 0x77);
    };
    auto check = [&] {
        long bad = differ(out, POINTS, 5, 0, [&](size_t i) {
            int count = 0;
            for (float4 e : edges)
                count += crossed(e, points[i].x, points[i].y);
            return count;
        });
        return bad > 3 ? bad : 0; // a point may lie on an edge
    };
    variant(
        "inside", "inside", wiped, [&] { inside<<<POINTS / 128, 128>>>(E, P, out); }, check);
    variant(
        "inside_bands", "inside_bands", wiped,
        [&] { inside_bands<<<POINTS / 128, 128>>>(E, S, L, P, out); }, check);
    variant(
        "hulls", "hulls", wiped, [&] { hulls<<<sets / 64, 64>>>(C, areas, out, sets); },
        [&] {
            return differ(areas, sets, 3, 0, [&](size_t i) {
                long long area;
                hull(&clouds[i], sets, &area);
                return area;
            });
        });
    variant(
        "flips", "flips", wiped, [&] { flips<<<quads / 256, 256>>>(V, Q, marks); },
        [&] {
            std::vector<uint32_t> got = fetch(marks, quads / 32, false);
            long bad = 0;
            for (int i = 0; i < quads; i += 3) {
                int4 q = corner[i];
                double v = circle(places[q.x], places[q.y], places[q.z], places[q.w]);
                bad += std::fabs(v) > 1e-14 && (got[i / 32] >> i % 32 & 1) != (v > 0);
            }
            return bad;
        });
    variant(
        "crossings", "crossings", wiped,
        [&] { crossings<<<dim3(segments / 256, segments / 256), 256>>>(T, out); },
        [&] {
            return differ(out, segments * segments / 65536, 3, 0, [&](size_t b) {
                int sum = 0;
                for (int k = 0; k < 65536; k++)
                    sum += meet(lines[b % (segments / 256) * 256 + k % 256],
                                lines[b / (segments / 256) * 256 + k / 256]);
                return sum;
            });
        });
    return finish();
}
