// Gravity by an octree (Barnes and Hut): each thread with a stack of its own, each thread along
// skip pointers, a warp that goes one way together.
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

// A node: centre of mass and mass; width squared over theta squared, 0 for a body; children and the
// node behind all of them.
struct Node {
    float4 mass;
    float open;
    int child, children, next;
};

__host__ __device__ inline bool far_enough(const Node &n, float r2)
{
    return r2 > n.open;
}

__device__ void pull(float3 &force, float4 mass, float dx, float dy, float dz, float r2)
{
    float inverse = rsqrtf(r2 + 1e-4f), by = mass.w * inverse * inverse * inverse;
    force.x += by * dx;
    force.y += by * dy;
    force.z += by * dz;
}

__global__ void with_stack(const Node *__restrict__ tree, const float4 *__restrict__ body,
                           int bodies, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies)
        return;
    int stack[96], depth = 1;
    stack[0] = 0;
    float4 me = body[i];
    float3 force = {0, 0, 0};
    while (depth) {
        const Node node = tree[stack[--depth]];
        float dx = node.mass.x - me.x, dy = node.mass.y - me.y, dz = node.mass.z - me.z,
              r2 = dx * dx + dy * dy + dz * dz;
        if (!node.children || far_enough(node, r2))
            pull(force, node.mass, dx, dy, dz, r2);
        else
            for (int k = 0; k < node.children; k++)
                stack[depth++] = node.child + k;
    }
    out[3 * i] = force.x;
    out[3 * i + 1] = force.y;
    out[3 * i + 2] = force.z;
}

// nodes in the order of a walk: the first child is behind its parent
__global__ void with_skips(const float4 *__restrict__ mass, const float *__restrict__ open,
                           const int *__restrict__ next, int nodes, const float4 *__restrict__ body,
                           int bodies, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies)
        return;
    float4 me = body[i];
    float3 force = {0, 0, 0};
    for (int n = 0; n < nodes;) {
        float4 m = mass[n];
        float dx = m.x - me.x, dy = m.y - me.y, dz = m.z - me.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > open[n]) {
            pull(force, m, dx, dy, dz, r2);
            n = next[n];
        } else
            n++;
    }
    out[3 * i] = force.x;
    out[3 * i + 1] = force.y;
    out[3 * i + 2] = force.z;
}

__global__ void together(const float4 *__restrict__ mass, const float *__restrict__ open,
                         const int *__restrict__ next, int nodes, const float4 *__restrict__ body,
                         int bodies, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[min(i, bodies - 1)];
    float3 force = {0, 0, 0};
    for (int n = 0; n < nodes;) {
        float4 m = mass[n];
        float dx = m.x - me.x, dy = m.y - me.y, dz = m.z - me.z, r2 = dx * dx + dy * dy + dz * dz;
        if (__all_sync(~0u, r2 > open[n])) {
            pull(force, m, dx, dy, dz, r2);
            n = next[n];
        } else
            n++;
    }
    if (i >= bodies)
        return;
    out[3 * i] = force.x;
    out[3 * i + 1] = force.y;
    out[3 * i + 2] = force.z;
}

struct Builder {
    std::vector<float4> bodies;
    std::vector<Node> walk, levels; // in the order of a walk; children side by side
    static uint32_t spread(uint32_t v)
    {
        uint32_t out = 0;
        for (int b = 0; b < 10; b++)
            out |= (v >> b & 1) << 3 * b;
        return out;
    }
    static uint32_t key(float4 b)
    {
        return spread(b.x * 1023) | spread(b.y * 1023) << 1 | spread(b.z * 1023) << 2;
    }
    static Node sum(const float4 *from, const float4 *to, float width)
    {
        double x = 0, y = 0, z = 0, m = 0;
        for (; from < to; from++) {
            m += from->w;
            x += from->w * from->x;
            y += from->w * from->y;
            z += from->w * from->z;
        }
        Node n = {};
        n.mass = make_float4(x / m, y / m, z / m, m);
        n.open = width * width * 2.f;
        return n;
    }
    // the bodies from, to have equal keys above shift
    void add(int from, int to, int shift, int place)
    {
        int here = walk.size();
        Node node = sum(&bodies[from], &bodies[to],
                        to - from > 1 && shift >= 0 ? std::ldexp(1.f, (shift + 3) / 3 - 10) : 0);
        if (to - from == 1 || shift < 0) {
            node.open = -1;
            node.next = here + 1;
            walk.push_back(node);
            levels[place] = node;
            return;
        }
        walk.push_back(node);
        std::vector<std::pair<int, int>> parts;
        for (int at = from; at < to;) {
            int end = at, digit = key(bodies[at]) >> shift & 7;
            while (end < to && (int)(key(bodies[end]) >> shift & 7) == digit)
                end++;
            parts.push_back({at, end});
            at = end;
        }
        node.child = levels.size();
        node.children = parts.size();
        levels.resize(levels.size() + parts.size());
        for (size_t k = 0; k < parts.size(); k++)
            add(parts[k].first, parts[k].second, shift - 3, node.child + k);
        node.next = walk.size();
        walk[here] = node;
        levels[place] = node;
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    const int bodies = 16384;
    Lcg random(181);
    Builder tree;
    for (int i = 0; i < bodies; i++) {
        float r = i % 3 ? 0.5f : 0.1f;
        tree.bodies.push_back({random.between(0.5f - r, 0.5f + r),
                               random.between(0.5f - r, 0.5f + r),
                               random.between(0.5f - r, 0.5f + r), random.between(0.5f, 1.5f)});
    }
    std::sort(tree.bodies.begin(), tree.bodies.end(),
              [](float4 a, float4 b) { return Builder::key(a) < Builder::key(b); });
    tree.levels.resize(1);
    tree.add(0, bodies, 27, 0);
    const int nodes = tree.walk.size();
    std::vector<float4> masses;
    std::vector<float> opens;
    std::vector<int> nexts;
    for (const Node &n : tree.walk) {
        masses.push_back(n.mass);
        opens.push_back(n.open);
        nexts.push_back(n.next);
    }
    Node *levels = copy(tree.levels);
    float4 *mass = copy(masses), *body = copy(tree.bodies);
    float *open = copy(opens), *out = room<float>(3 * bodies);
    int *next = copy(nexts);
    auto wiped = [&] { fill(out, 3 * bodies, 0xff); };
    // against all pairs
    auto check = [&] {
        std::vector<float> got = fetch(out, 3 * bodies);
        long bad = 0;
        for (int i = 0; i < bodies; i += 97) {
            double f[3] = {};
            for (const float4 &b : tree.bodies) {
                double d[3] = {b.x - tree.bodies[i].x, b.y - tree.bodies[i].y,
                               b.z - tree.bodies[i].z};
                double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-4,
                       by = b.w / (r2 * std::sqrt(r2));
                for (int c = 0; c < 3; c++)
                    f[c] += by * d[c];
            }
            double size = std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
            for (int c = 0; c < 3; c++)
                bad += !(std::fabs(got[3 * i + c] - f[c]) <= 0.1 * size + 0.002 * bodies);
        }
        return bad;
    };
    variant(
        "stack", "with_stack", wiped,
        [&] { with_stack<<<bodies / 64, 64>>>(levels, body, bodies, out); }, check);
    variant(
        "skips", "with_skips", wiped,
        [&] { with_skips<<<bodies / 128, 128>>>(mass, open, next, nodes, body, bodies, out); },
        check);
    variant(
        "together", "together", wiped,
        [&] { together<<<bodies / 128, 128>>>(mass, open, next, nodes, body, bodies, out); },
        check);
    return finish();
}
