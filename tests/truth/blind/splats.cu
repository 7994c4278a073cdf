// Pictures of Gaussians in space: each brought to the plane with its spread, counted into tiles by
// atomics, blended from front to back by a block a tile with a stop when nothing comes through, and
// by a warp for 8 x 4 points.
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

constexpr int WIDE = 512, HIGH = 384, TILE = 16, ACROSS = WIDE / TILE,
              TILES = ACROSS * (HIGH / TILE), COUNT = 1 << 17;

struct Splat { // in the plane: place, inverse spread, colour, strength
    float x, y, a, b, c, strength;
    float red, green, blue, depth;
};

struct Body {
    float x, y, z, qw, qx, qy, qz, sx, sy, sz;
};

// the spread of a turned ellipsoid, carried through the lens
__host__ __device__ inline Splat brought(const Body &g)
{
    float n = 1 / sqrtf(g.qw * g.qw + g.qx * g.qx + g.qy * g.qy + g.qz * g.qz), w = g.qw * n,
          x = g.qx * n, y = g.qy * n, z = g.qz * n;
    float r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                  2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                  2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    float s[3] = {g.sx * g.sx, g.sy * g.sy, g.sz * g.sz}, spread[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        spread[i] = r[i / 3 * 3] * s[0] * r[i % 3 * 3] +
                    r[i / 3 * 3 + 1] * s[1] * r[i % 3 * 3 + 1] +
                    r[i / 3 * 3 + 2] * s[2] * r[i % 3 * 3 + 2];
    float inverse = 1 / g.z, f = 300 * inverse, u = -f * g.x * inverse, v = -f * g.y * inverse;
    // rows of the slope of the lens: (f, 0, u) and (0, f, v)
    float xx = f * f * spread[0] + 2 * f * u * spread[2] + u * u * spread[8] + 0.3f;
    float xy = f * f * spread[1] + f * v * spread[2] + u * f * spread[5] + u * v * spread[8];
    float yy = f * f * spread[4] + 2 * f * v * spread[5] + v * v * spread[8] + 0.3f;
    float over = 1 / (xx * yy - xy * xy);
    return {f * g.x + WIDE / 2, f * g.y + HIGH / 2, yy * over,          -xy * over, xx * over, 0.8f,
            0.5f + 0.5f * r[0], 0.5f + 0.5f * r[4], 0.5f + 0.5f * r[8], g.z};
}

// numbers of a body side by side
__global__ void __launch_bounds__(128)
    project(const float *__restrict__ bodies, float *__restrict__ out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v[10];
#pragma unroll
    for (int k = 0; k < 10; k++)
        v[k] = bodies[k * COUNT + i];
    Splat s = brought({v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]});
    const float all[10] = {s.x, s.y, s.a, s.b, s.c, s.strength, s.red, s.green, s.blue, s.depth};
#pragma unroll
    for (int k = 0; k < 10; k++)
        out[k * COUNT + i] = all[k];
}

__host__ __device__ inline int4 reach(float x, float y, float radius)
{
    int left = (int)floorf((x - radius) / TILE), right = (int)floorf((x + radius) / TILE);
    int top = (int)floorf((y - radius) / TILE), bottom = (int)floorf((y + radius) / TILE);
    return make_int4(max(left, 0), max(top, 0), min(right, ACROSS - 1),
                     min(bottom, HIGH / TILE - 1));
}

__global__ void count_tiles(const float4 *__restrict__ discs, int *counts)
{
    float4 d = discs[blockIdx.x * blockDim.x + threadIdx.x];
    int4 r = reach(d.x, d.y, d.z);
    for (int y = r.y; y <= r.w; y++)
        for (int x = r.x; x <= r.z; x++)
            atomicAdd(counts + y * ACROSS + x, 1);
}

struct Light {
    float red, green, blue, through;
};

__host__ __device__ inline void blend(Light &l, const Splat &s, float x, float y)
{
    float dx = x - s.x, dy = y - s.y,
          power = -0.5f * (s.a * dx * dx + s.c * dy * dy) - s.b * dx * dy;
    float alpha = fminf(0.99f, s.strength * expf(power));
    if (alpha < 1.0f / 255)
        return;
    float weight = alpha * l.through;
    l.red += weight * s.red, l.green += weight * s.green, l.blue += weight * s.blue,
        l.through *= 1 - alpha;
}

__global__ void __launch_bounds__(TILE *TILE)
    tiles(const Splat *__restrict__ splats, const int *__restrict__ starts,
          const int *__restrict__ lists, float4 *__restrict__ out)
{
    __shared__ Splat near[TILE * TILE];
    int tile = blockIdx.x, t = threadIdx.x, x = tile % ACROSS * TILE + t % TILE,
        y = tile / ACROSS * TILE + t / TILE;
    int end = starts[tile + 1];
    Light l = {0, 0, 0, 1};
    for (int base = starts[tile]; base < end; base += TILE * TILE) {
        if (__syncthreads_and(l.through < 1e-3f))
            break;
        if (base + t < end)
            near[t] = splats[lists[base + t]];
        __syncthreads();
        int many = min(TILE * TILE, end - base);
        for (int k = 0; k < many && l.through >= 1e-3f; k++)
            blend(l, near[k], x, y);
    }
    out[y * WIDE + x] = make_float4(l.red, l.green, l.blue, l.through);
}

// a warp has 8 x 4 points: no barriers, splats are read by all lanes at once
__global__ void __launch_bounds__(64)
    warps(const Splat *__restrict__ splats, const int *__restrict__ starts,
          const int *__restrict__ lists, float4 *__restrict__ out)
{
    int w = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32, tile = w / 8, part = w % 8;
    int x = tile % ACROSS * TILE + part % 2 * 8 + lane % 8,
        y = tile / ACROSS * TILE + part / 2 * 4 + lane / 8;
    Light l = {0, 0, 0, 1};
    for (int k = starts[tile]; k < starts[tile + 1]; k++) {
        if (__all_sync(~0u, l.through < 1e-3f))
            break;
        if (l.through >= 1e-3f)
            blend(l, splats[lists[k]], x, y);
        __syncwarp();
    }
    out[y * WIDE + x] = make_float4(l.red, l.green, l.blue, l.through);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(127);
    std::vector<float> bodies(COUNT * 10);
    std::vector<float4> discs(COUNT);
    std::vector<int> counts(TILES);
    for (int i = 0; i < COUNT; i++) {
        float z = random.between(2, 10),
              all[10] = {random.between(-0.8f, 0.8f) * z, random.between(-0.6f, 0.6f) * z, z};
        for (int k = 3; k < 10; k++)
            all[k] = k < 7 ? random.between(-1, 1) + (k == 3) : random.between(0.005f, 0.05f);
        for (int k = 0; k < 10; k++)
            bodies[k * COUNT + i] = all[k];
        discs[i] =
            make_float4(random.between(-10, WIDE + 10), random.between(-10, HIGH + 10),
                        random.below(30) ? random.between(1, 12) : random.between(20, 90), 0);
        int4 r = reach(discs[i].x, discs[i].y, discs[i].z);
        for (int y = r.y; y <= r.w; y++)
            for (int x = r.x; x <= r.z; x++)
                counts[y * ACROSS + x]++;
    }
    const int kept = 8192;
    std::vector<Splat> splats(kept);
    std::vector<std::vector<int>> own(TILES);
    for (int i = 0; i < kept; i++) {
        float a = random.between(0.01f, 0.2f), c = random.between(0.01f, 0.2f);
        splats[i] = {random.between(0, WIDE),
                     random.between(0, HIGH),
                     a,
                     random.between(-0.5f, 0.5f) * sqrtf(a * c),
                     c,
                     random.between(0.05f, 0.5f),
                     random.unit(),
                     random.unit(),
                     random.unit(),
                     (float)i};
        int4 r = reach(splats[i].x, splats[i].y, 12);
        for (int y = r.y; y <= r.w; y++)
            for (int x = r.x; x <= r.z; x++)
                own[y * ACROSS + x].push_back(i);
    }
    std::vector<int> starts, lists;
    for (auto &list : own) {
        starts.push_back(lists.size());
        lists.insert(lists.end(), list.begin(), list.end());
    }
    starts.push_back(lists.size());
    float *B = copy(bodies), *flat = room<float>(COUNT * 10), *out = room<float>(WIDE * HIGH * 4);
    float4 *D = copy(discs);
    int *C = room<int>(TILES), *S = copy(starts), *L = copy(lists);
    Splat *P = copy(splats);
    auto wiped = [&] {
        fill(C, TILES, 0);
        fill(flat, COUNT * 10, 0xff);
        fill(out, WIDE * HIGH * 4, 0xff);
    };
    auto check = [&] {
        std::vector<float> got = fetch(out, WIDE * HIGH * 4);
        long bad = 0;
        for (int i = 0; i < WIDE * HIGH; i += 29) {
            int x = i % WIDE, y = i / WIDE, tile = y / TILE * ACROSS + x / TILE;
            Light l = {0, 0, 0, 1};
            for (int k = starts[tile]; k < starts[tile + 1] && l.through >= 1e-3f; k++)
                blend(l, splats[lists[k]], x, y);
            bad += !near(got[4 * i], l.red, 1e-2) + !near(got[4 * i + 1], l.green, 1e-2) +
                   !near(got[4 * i + 3], l.through, 1e-2);
        }
        return bad;
    };
    variant(
        "project", "project", wiped, [&] { project<<<COUNT / 128, 128>>>(B, flat); },
        [&] {
            std::vector<float> got = fetch(flat, COUNT * 10);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 7) {
                float v[10];
                for (int k = 0; k < 10; k++)
                    v[k] = bodies[k * COUNT + i];
                Splat s = brought({v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]});
                const float all[10] = {s.x,        s.y,   s.a,     s.b,    s.c,
                                       s.strength, s.red, s.green, s.blue, s.depth};
                for (int k = 0; k < 10; k++)
                    bad += !near(got[k * COUNT + i], all[k], 1e-2);
            }
            return bad;
        });
    variant(
        "count_tiles", "count_tiles", wiped, [&] { count_tiles<<<COUNT / 128, 128>>>(D, C); },
        [&] {
            long bad = differ(C, TILES, 1, 1e-3, [&](size_t i) { return counts[i]; });
            return bad;
        });
    variant(
        "tiles", "tiles", wiped, [&] { tiles<<<TILES, TILE * TILE>>>(P, S, L, (float4 *)out); },
        check);
    variant(
        "warps", "warps", wiped, [&] { warps<<<TILES * 4, 64>>>(P, S, L, (float4 *)out); }, check);
    return finish();
}
