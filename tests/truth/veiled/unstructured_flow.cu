// A gas on a mesh of triangles: flows through edges added by atomics, a thread a triangle that
// computes the flows of its three edges, edges in the order of triangles and in any order, slopes
// by least squares, and slopes limited by the values around.
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

constexpr int SIDE = 512, COUNT = 2 * SIDE * SIDE, EDGES = 3 * SIDE * SIDE;

struct Edge {
    int left, right;
    float nx, ny; // normal times length, from left to right
};

__host__ __device__ inline float pressure(float4 s)
{
    return 0.4f * (s.w - 0.5f * (s.y * s.y + s.z * s.z) / s.x);
}

// Rusanov's flow through an edge: the mean of both sides less a share of their difference
__host__ __device__ inline float4 flow(float4 a, float4 b, float nx, float ny)
{
    float length = sqrtf(nx * nx + ny * ny), pa = pressure(a), pb = pressure(b);
    float va = (a.y * nx + a.z * ny) / a.x, vb = (b.y * nx + b.z * ny) / b.x;
    float fastest = fmaxf(fabsf(va) + length * sqrtf(1.4f * pa / a.x),
                          fabsf(vb) + length * sqrtf(1.4f * pb / b.x));
    return make_float4(0.5f * (a.x * va + b.x * vb - fastest * (b.x - a.x)),
                       0.5f * (a.y * va + b.y * vb + (pa + pb) * nx - fastest * (b.y - a.y)),
                       0.5f * (a.z * va + b.z * vb + (pa + pb) * ny - fastest * (b.z - a.z)),
                       0.5f * ((a.w + pa) * va + (b.w + pb) * vb - fastest * (b.w - a.w)));
}

__global__ void edges_atomic(const Edge *__restrict__ edges, const float4 *__restrict__ states,
                             float4 *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Edge e = edges[i];
    float4 f = flow(states[e.left], states[e.right], e.nx, e.ny);
    float *from = (float *)(sums + e.left), *to = (float *)(sums + e.right);
    atomicAdd(from, -f.x), atomicAdd(from + 1, -f.y), atomicAdd(from + 2, -f.z);
    atomicAdd(from + 3, -f.w);
    atomicAdd(to, f.x), atomicAdd(to + 1, f.y), atomicAdd(to + 2, f.z), atomicAdd(to + 3, f.w);
}

// of[k][i]: the k-th edge of a triangle, and whether the triangle is at its right
__global__ void triangles(const Edge *__restrict__ edges, const int *__restrict__ of,
                          const float4 *__restrict__ states, float4 *__restrict__ sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = states[i], sum = {};
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int code = of[k * COUNT + i], right = code & 1;
        Edge e = edges[code >> 1];
        float sign = right ? -1 : 1;
        float4 f = flow(own, states[right ? e.left : e.right], sign * e.nx, sign * e.ny);
        sum.x -= f.x, sum.y -= f.y, sum.z -= f.z, sum.w -= f.w;
    }
    sums[i] = sum;
}

struct Mesh {
    const float2 *centres;
    const int *next; // three neighbours, each for all triangles side by side
    const float4 *states;
};

struct Slopes {
    float4 x, y;
};

__host__ __device__ inline Slopes slopes_at(const Mesh &m, int i)
{
    Slopes s = {};
    float4 own = m.states[i];
    float2 c = m.centres[i];
    float xx = 0, xy = 0, yy = 0;
    for (int k = 0; k < 3; k++) {
        int j = m.next[k * COUNT + i];
        float4 other = m.states[j];
        float x = m.centres[j].x - c.x, y = m.centres[j].y - c.y;
        // around the rim
        x -= SIDE * rintf(x / SIDE), y -= SIDE * rintf(y / SIDE);
        float d[4] = {other.x - own.x, other.y - own.y, other.z - own.z, other.w - own.w};
        xx += x * x, xy += x * y, yy += y * y;
        s.x.x += x * d[0], s.x.y += x * d[1], s.x.z += x * d[2], s.x.w += x * d[3];
        s.y.x += y * d[0], s.y.y += y * d[1], s.y.z += y * d[2], s.y.w += y * d[3];
    }
    float area = 1 / (xx * yy - xy * xy);
    auto solve = [&](float &a, float &b) {
        float p = a, q = b;
        a = (yy * p - xy * q) * area, b = (xx * q - xy * p) * area;
    };
    solve(s.x.x, s.y.x), solve(s.x.y, s.y.y), solve(s.x.z, s.y.z), solve(s.x.w, s.y.w);
    return s;
}

__global__ void least_squares(Mesh m, Slopes *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = slopes_at(m, i);
}

// how much of a slope keeps the values at the neighbours' borders between those around
__host__ __device__ inline float limit(float own, float least, float most, float change)
{
    if (change > 1e-6f)
        return fminf(1, (most - own) / change);
    if (change < -1e-6f)
        return fminf(1, (least - own) / change);
    return 1;
}

__host__ __device__ inline float4 limited_at(const Mesh &m, const Slopes *slopes, int i)
{
    float4 own = m.states[i], least = own, most = own;
    for (int k = 0; k < 3; k++) {
        float4 o = m.states[m.next[k * COUNT + i]];
        least = make_float4(fminf(least.x, o.x), fminf(least.y, o.y), fminf(least.z, o.z),
                            fminf(least.w, o.w));
        most = make_float4(fmaxf(most.x, o.x), fmaxf(most.y, o.y), fmaxf(most.z, o.z),
                           fmaxf(most.w, o.w));
    }
    Slopes s = slopes[i];
    float4 kept = {1, 1, 1, 1};
    for (int k = 0; k < 3; k++) {
        int j = m.next[k * COUNT + i];
        float x = m.centres[j].x - m.centres[i].x, y = m.centres[j].y - m.centres[i].y;
        x = 0.5f * (x - SIDE * rintf(x / SIDE)), y = 0.5f * (y - SIDE * rintf(y / SIDE));
        kept.x = fminf(kept.x, limit(own.x, least.x, most.x, s.x.x * x + s.y.x * y));
        kept.y = fminf(kept.y, limit(own.y, least.y, most.y, s.x.y * x + s.y.y * y));
        kept.z = fminf(kept.z, limit(own.z, least.z, most.z, s.x.z * x + s.y.z * y));
        kept.w = fminf(kept.w, limit(own.w, least.w, most.w, s.x.w * x + s.y.w * y));
    }
    return kept;
}

__global__ void limited(Mesh m, const Slopes *__restrict__ slopes, float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = limited_at(m, slopes, i);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(337);
    // squares cut in two; corners are shaken; all sides meet
    std::vector<float2> corners(SIDE * SIDE), centres(COUNT);
    for (int i = 0; i < SIDE * SIDE; i++)
        corners[i] = make_float2(random.between(-0.2f, 0.2f), random.between(-0.2f, 0.2f));
    auto corner = [&](int x, int y) {
        float2 c = corners[(y & (SIDE - 1)) * SIDE + (x & (SIDE - 1))];
        return make_float2(x + c.x, y + c.y);
    };
    auto lower = [&](int x, int y) { return 2 * ((y & (SIDE - 1)) * SIDE + (x & (SIDE - 1))); };
    std::vector<Edge> edges, mixed;
    std::vector<int> of(3 * COUNT), next(3 * COUNT), filled(COUNT);
    auto between = [&](int left, int right, float2 a, float2 b) {
        int e = edges.size();
        edges.push_back({left, right, b.y - a.y, a.x - b.x});
        of[filled[left] * COUNT + left] = 2 * e, next[filled[left]++ * COUNT + left] = right;
        of[filled[right] * COUNT + right] = 2 * e + 1, next[filled[right]++ * COUNT + right] = left;
    };
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int l = lower(x, y), u = l + 1; // left of the diagonal from (x, y), and right of it
            float2 a = corner(x, y), b = corner(x + 1, y), c = corner(x + 1, y + 1),
                   d = corner(x, y + 1);
            centres[l] = make_float2((a.x + c.x + d.x) / 3, (a.y + c.y + d.y) / 3);
            centres[u] = make_float2((a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3);
            between(l, u, a, c);
            between(u, lower(x + 1, y), b, c);
            between(l, lower(x, y + 1) + 1, c, d);
        }
    mixed = edges;
    for (int i = EDGES - 1; i > 0; i--)
        std::swap(mixed[i], mixed[random.below(i + 1)]);
    std::vector<float4> states(COUNT);
    for (float4 &s : states) {
        float density = random.between(0.8f, 1.2f), u = random.between(-0.5f, 0.5f),
              v = random.between(-0.5f, 0.5f);
        s = make_float4(density, density * u, density * v,
                        random.between(2, 3) + 0.5f * density * (u * u + v * v));
    }
    Mesh host = {centres.data(), next.data(), states.data()};
    std::vector<Slopes> slopes(COUNT);
    for (int i = 0; i < COUNT; i++)
        slopes[i] = slopes_at(host, i);
    std::vector<float> want(4 * COUNT);
    for (const Edge &e : edges) {
        float4 f = flow(states[e.left], states[e.right], e.nx, e.ny);
        const float part[4] = {f.x, f.y, f.z, f.w};
        for (int k = 0; k < 4; k++)
            want[4 * e.left + k] -= part[k], want[4 * e.right + k] += part[k];
    }
    Edge *E = copy(edges), *X = copy(mixed);
    int *O = copy(of);
    float4 *sums = room<float4>(COUNT);
    Mesh m = {copy(centres), copy(next), copy(states)};
    Slopes *S = copy(slopes), *out = room<Slopes>(COUNT);
    auto wiped = [&] {
        fill(sums, COUNT, 0);
        fill(out, COUNT, 0x77);
    };
    auto check = [&] {
        return differ((float *)sums, 4 * COUNT, 3, 2e-4, [&](size_t i) { return want[i]; });
    };
    variant(
        "edges_mixed", "edges_atomic", wiped,
        [&] { edges_atomic<<<EDGES / 256, 256>>>(X, m.states, sums); }, check);
    variant(
        "edges_in_order", "edges_atomic", wiped,
        [&] { edges_atomic<<<EDGES / 256, 256>>>(E, m.states, sums); }, check);
    variant(
        "triangles", "triangles", wiped,
        [&] { triangles<<<COUNT / 256, 256>>>(E, O, m.states, sums); }, check);
    variant(
        "least_squares", "least_squares", wiped,
        [&] { least_squares<<<COUNT / 128, 128>>>(m, out); },
        [&] {
            return differ((float *)out, 8 * COUNT, 29, 2e-3,
                          [&](size_t i) { return ((const float *)slopes.data())[i]; });
        });
    variant(
        "limited", "limited", wiped, [&] { limited<<<COUNT / 128, 128>>>(m, S, sums); },
        [&] {
            return differ((float *)sums, 4 * COUNT, 29, 1e-3, [&](size_t i) {
                float4 k = limited_at(host, slopes.data(), i / 4);
                return i % 4 == 0 ? k.x : i % 4 == 1 ? k.y : i % 4 == 2 ? k.z : k.w;
            });
        });
    return finish();
}
