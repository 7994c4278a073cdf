// Rays and triangles by a tree of boxes: rays of a camera, rays in random directions, any hit for
// shadows, a stack in shared memory.
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

struct Box {          // inner: low and high of a node, children at first and first + 1; leaf: count
                      // triangles from first
    float4 low, high; // w: first, count as int
};

struct Ray {
    float3 from, to; // to: direction
    float far;
};

__device__ bool enters(const Box &b, float3 o, float3 inverse, float far)
{
    float ax = (b.low.x - o.x) * inverse.x, bx = (b.high.x - o.x) * inverse.x;
    float ay = (b.low.y - o.y) * inverse.y, by = (b.high.y - o.y) * inverse.y;
    float az = (b.low.z - o.z) * inverse.z, bz = (b.high.z - o.z) * inverse.z;
    float in = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.f));
    float out = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fminf(fmaxf(az, bz), far));
    return in <= out;
}

// distance, or far
__host__ __device__ inline float struck(const float4 *t, float3 o, float3 d, float far)
{
    float4 a = t[0], u = t[1], v = t[2]; // a corner and two edges
    float px = d.y * v.z - d.z * v.y, py = d.z * v.x - d.x * v.z, pz = d.x * v.y - d.y * v.x;
    float det = u.x * px + u.y * py + u.z * pz;
    if (fabsf(det) < 1e-9f)
        return far;
    float inverse = 1 / det, sx = o.x - a.x, sy = o.y - a.y, sz = o.z - a.z;
    float s = (sx * px + sy * py + sz * pz) * inverse;
    if (s < 0 || s > 1)
        return far;
    float qx = sy * u.z - sz * u.y, qy = sz * u.x - sx * u.z, qz = sx * u.y - sy * u.x;
    float r = (d.x * qx + d.y * qy + d.z * qz) * inverse;
    if (r < 0 || r + s > 1)
        return far;
    float t0 = (v.x * qx + v.y * qy + v.z * qz) * inverse;
    return t0 > 1e-4f && t0 < far ? t0 : far;
}

template <bool ANY, class Stack>
__device__ float traverse(const Box *tree, const float4 *triangle, Ray ray, Stack stack)
{
    float3 inverse = make_float3(1 / ray.to.x, 1 / ray.to.y, 1 / ray.to.z);
    int depth = 0, node = 0;
    float nearest = ray.far;
    for (;;) {
        Box b = tree[node];
        if (enters(b, ray.from, inverse, nearest)) {
            int first = __float_as_int(b.low.w), count = __float_as_int(b.high.w);
            if (!count) {
                stack(depth++) = first + 1;
                node = first;
                continue;
            }
            for (int k = 0; k < count; k++)
                nearest = struck(triangle + 3 * (first + k), ray.from, ray.to, nearest);
            if (ANY && nearest < ray.far)
                return nearest;
        }
        if (!depth)
            return nearest;
        node = stack(--depth);
    }
}

template <bool ANY>
__global__ void cast(const Box *tree, const float4 *triangle, const Ray *ray, int rays, float *hit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays)
        return;
    int stack[32];
    hit[i] = traverse<ANY>(tree, triangle, ray[i], [&](int at) -> int & { return stack[at]; });
}

__global__ void cast_shared(const Box *tree, const float4 *triangle, const Ray *ray, int rays,
                            float *hit)
{
    __shared__ int stack[32][64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rays)
        hit[i] = traverse<false>(tree, triangle, ray[i],
                                 [&](int at) -> int & { return stack[at][threadIdx.x]; });
}

struct Scene {
    std::vector<float4> triangle;
    std::vector<Box> tree;
    float middle(int t, int axis) const
    {
        const float *a = &triangle[3 * t].x, *u = &triangle[3 * t + 1].x,
                    *v = &triangle[3 * t + 2].x;
        return a[axis] + (u[axis] + v[axis]) / 3;
    }
    void build(int place, int from, int to)
    {
        float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
        for (int t = from; t < to; t++)
            for (int c = 0; c < 3; c++) {
                float a = (&triangle[3 * t].x)[c], b = a + (&triangle[3 * t + 1].x)[c],
                      d = a + (&triangle[3 * t + 2].x)[c];
                low[c] = std::min({low[c], a, b, d});
                high[c] = std::max({high[c], a, b, d});
            }
        int first = from, count = to - from, axis = 0;
        if (count > 4) {
            for (int c = 1; c < 3; c++)
                if (high[c] - low[c] > high[axis] - low[axis])
                    axis = c;
            std::vector<int> order;
            for (int t = from; t < to; t++)
                order.push_back(t);
            std::stable_sort(order.begin(), order.end(),
                             [&](int a, int b) { return middle(a, axis) < middle(b, axis); });
            std::vector<float4> sorted;
            for (int t : order)
                sorted.insert(sorted.end(), &triangle[3 * t], &triangle[3 * t] + 3);
            std::copy(sorted.begin(), sorted.end(), triangle.begin() + 3 * from);
            first = tree.size();
            count = 0;
            tree.resize(tree.size() + 2);
            build(first, from, (from + to) / 2);
            build(first + 1, (from + to) / 2, to);
        }
        Box b = {make_float4(low[0], low[1], low[2], 0), make_float4(high[0], high[1], high[2], 0)};
        memcpy(&b.low.w, &first, 4);
        memcpy(&b.high.w, &count, 4);
        tree[place] = b;
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    const int triangles = 20000, width = 192, rays = width * width;
    Lcg random(191);
    Scene scene;
    for (int t = 0; t < triangles; t++) {
        scene.triangle.push_back(
            float4{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 0});
        for (int e = 0; e < 2; e++)
            scene.triangle.push_back(float4{random.between(-0.05f, 0.05f),
                                            random.between(-0.05f, 0.05f),
                                            random.between(-0.05f, 0.05f), 0});
    }
    scene.tree.resize(1);
    scene.build(0, 0, triangles);
    std::vector<Ray> camera(rays), mixed(rays);
    for (int i = 0; i < rays; i++) { // 8 x 4 points of the picture a warp
        int tile = i / 32, x = tile % (width / 8) * 8 + i % 8,
            y = tile / (width / 8) * 4 + i % 32 / 8;
        camera[i] = {make_float3(0.01f, 0.02f, -3),
                     make_float3((x + 0.5f) / width - 0.5f, (y + 0.5f) / width - 0.5f, 1.01f),
                     1e9f};
        mixed[i] = {float3{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)},
                    float3{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)},
                    1e9f};
    }
    Box *tree = copy(scene.tree);
    float4 *triangle = copy(scene.triangle);
    Ray *seen = copy(camera), *thrown = copy(mixed);
    float *hit = room<float>(rays);
    auto wiped = [&] { fill(hit, rays, 0xff); };
    auto check = [&](const std::vector<Ray> &ray, int many, int step, bool any) {
        std::vector<float> got = fetch(hit, many, !any);
        long bad = 0;
        for (int i = 0; i < many; i += step) {
            float nearest = ray[i].far;
            for (int t = 0; t < triangles; t++)
                nearest = struck(&scene.triangle[3 * t], ray[i].from, ray[i].to, nearest);
            bad += any ? (got[i] < 1e9f) != (nearest < 1e9f) : !near(got[i], nearest, 1e-4);
        }
        return bad > many / step / 200; // edges of triangles
    };
    variant(
        "camera", "cast", wiped,
        [&] { cast<false><<<rays / 128, 128>>>(tree, triangle, seen, rays, hit); },
        [&] { return check(camera, rays, 127, false); });
    variant(
        "random", "cast", wiped,
        [&] { cast<false><<<rays / 2 / 128, 128>>>(tree, triangle, thrown, rays / 2, hit); },
        [&] { return check(mixed, rays / 2, 127, false); });
    variant(
        "any", "cast", wiped,
        [&] { cast<true><<<rays / 64, 64>>>(tree, triangle, thrown, rays, hit); },
        [&] { return check(mixed, rays, 127, true); });
    variant(
        "shared", "cast_shared", wiped,
        [&] { cast_shared<<<rays / 64, 64>>>(tree, triangle, seen, rays, hit); },
        [&] { return check(camera, rays, 127, false); });
    return finish();
}
