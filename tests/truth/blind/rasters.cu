// Triangles drawn into a picture: with a thread each, small and large, by atomics
// of 64 bits, large ones with a warp each, tiles with lists of triangles and depths in registers,
// and points shaded by the triangle that was left.
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

constexpr int WIDE = 1024, HIGH = 512, TILE = 16, ACROSS = WIDE / TILE,
              TILES = ACROSS * (HIGH / TILE);

struct Triangle { // corners in sixteenths of points, and depths
    int x[3], y[3];
    float z[3];
};

// twice the areas opposite of each corner; a point is inside if none is negative
struct Edges {
    int a[3], b[3], c[3], area;
};

__host__ __device__ inline Edges edges_of(const Triangle &t)
{
    Edges e;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        e.a[k] = t.y[i] - t.y[j], e.b[k] = t.x[j] - t.x[i],
        e.c[k] = t.x[i] * t.y[j] - t.x[j] * t.y[i];
    }
    e.area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
    return e;
}

__host__ __device__ inline bool inside(const Edges &e, int px, int py, int *w)
{
    int x = px * 16 + 8, y = py * 16 + 8;
#pragma unroll
    for (int k = 0; k < 3; k++)
        w[k] = e.a[k] * x + e.b[k] * y + e.c[k];
    return (w[0] | w[1] | w[2]) >= 0;
}

// whole numbers, so that all ways agree
__host__ __device__ inline uint32_t depth(const Triangle &t, const Edges &e, const int *w)
{
    double z = ((double)w[0] * t.z[0] + (double)w[1] * t.z[1] + (double)w[2] * t.z[2]) / e.area;
    return (uint32_t)(z * 16777216.0);
}

struct Box {
    int left, top, right, bottom;
};

__host__ __device__ inline Box box_of(const Triangle &t)
{
    return {max(min(t.x[0], min(t.x[1], t.x[2])) >> 4, 0),
            max(min(t.y[0], min(t.y[1], t.y[2])) >> 4, 0),
            min(max(t.x[0], max(t.x[1], t.x[2])) >> 4, WIDE - 1),
            min(max(t.y[0], max(t.y[1], t.y[2])) >> 4, HIGH - 1)};
}

__device__ inline void draw(unsigned long long *picture, const Triangle &t, const Edges &e, int x,
                            int y, int which)
{
    int w[3];
    if (inside(e, x, y, w))
        atomicMin(picture + y * WIDE + x, (unsigned long long)depth(t, e, w) << 32 | which);
}

__global__ void small_threads(const Triangle *__restrict__ triangles, unsigned long long *picture,
                              int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Triangle t = triangles[i];
    Edges e = edges_of(t);
    if (e.area <= 0)
        return;
    Box b = box_of(t);
    for (int y = b.top; y <= b.bottom; y++)
        for (int x = b.left; x <= b.right; x++)
            draw(picture, t, e, x, y, i);
}

__global__ void large_warps(const Triangle *__restrict__ triangles, unsigned long long *picture,
                            int count)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= count)
        return;
    Triangle t = triangles[i];
    Edges e = edges_of(t);
    if (e.area <= 0)
        return;
    Box b = box_of(t);
    for (int y = b.top + lane / 8; y <= b.bottom; y += 4)
        for (int x = b.left + lane % 8; x <= b.right; x += 8)
            draw(picture, t, e, x, y, i);
}

// a block a tile, a thread a point; triangles of the tile are prepared in shared memory
__global__ void __launch_bounds__(TILE *TILE)
    tile_lists(const Triangle *__restrict__ triangles, const int *__restrict__ starts,
               const int *__restrict__ lists, unsigned long long *__restrict__ picture)
{
    __shared__ Triangle near_by[64];
    __shared__ Edges edges[64];
    int t = threadIdx.x, x = blockIdx.x % ACROSS * TILE + t % TILE,
        y = blockIdx.x / ACROSS * TILE + t / TILE;
    unsigned long long best = ~0ull;
    for (int base = starts[blockIdx.x]; base < starts[blockIdx.x + 1]; base += 64) {
        int many = min(64, starts[blockIdx.x + 1] - base);
        __syncthreads();
        if (t < many) {
            near_by[t] = triangles[lists[base + t]];
            edges[t] = edges_of(near_by[t]);
        }
        __syncthreads();
        for (int k = 0; k < many; k++) {
            int w[3];
            if (edges[k].area > 0 && inside(edges[k], x, y, w))
                best = min(best, (unsigned long long)depth(near_by[k], edges[k], w) << 32 |
                                     (unsigned)lists[base + k]);
        }
    }
    picture[y * WIDE + x] = best;
}

__host__ __device__ inline uint32_t shaded(const Triangle *triangles, const uint32_t *colours,
                                           unsigned long long seen, int x, int y)
{
    if (seen == ~0ull)
        return 0;
    int which = (int)seen, w[3];
    Triangle t = triangles[which];
    Edges e = edges_of(t);
    inside(e, x, y, w);
    uint32_t out = 0;
    float u = (float)w[0] / e.area, v = (float)w[1] / e.area;
    for (int c = 0; c < 4; c++) {
        float p = colours[3 * which] >> 8 * c & 255, q = colours[3 * which + 1] >> 8 * c & 255,
              r = colours[3 * which + 2] >> 8 * c & 255;
        out |= (uint32_t)(u * p + v * q + (1 - u - v) * r + 0.5f) << 8 * c;
    }
    return out;
}

__global__ void shade(const Triangle *__restrict__ triangles, const uint32_t *__restrict__ colours,
                      const unsigned long long *__restrict__ picture, uint32_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = shaded(triangles, colours, picture[i], i % WIDE, i / WIDE);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(137);
    const int small = 60000, large = 2000;
    auto made = [&](int count, int span) {
        std::vector<Triangle> list(count);
        for (Triangle &t : list) {
            int x = random.below(WIDE * 16), y = random.below(HIGH * 16);
            for (int k = 0; k < 3; k++) {
                t.x[k] = x + (int)random.below(span) - span / 2,
                t.y[k] = y + (int)random.below(span) - span / 2;
                t.z[k] = random.between(0.05f, 0.95f);
            }
            if (random.below(4) && edges_of(t).area < 0)
                std::swap(t.x[1], t.x[2]), std::swap(t.y[1], t.y[2]);
        }
        return list;
    };
    std::vector<Triangle> few = made(large, 1200), many = made(small, 160);
    auto drawn = [&](const std::vector<Triangle> &list) {
        std::vector<unsigned long long> picture(WIDE * HIGH, ~0ull);
        for (size_t i = 0; i < list.size(); i++) {
            Edges e = edges_of(list[i]);
            Box b = box_of(list[i]);
            for (int y = b.top; e.area > 0 && y <= b.bottom; y++)
                for (int x = b.left, w[3]; x <= b.right; x++)
                    if (inside(e, x, y, w))
                        picture[y * WIDE + x] =
                            std::min(picture[y * WIDE + x],
                                     (unsigned long long)depth(list[i], e, w) << 32 | i);
        }
        return picture;
    };
    std::vector<unsigned long long> small_picture = drawn(many), large_picture = drawn(few);
    std::vector<std::vector<int>> own(TILES);
    for (int i = 0; i < large; i++) {
        Box b = box_of(few[i]);
        for (int y = b.top / TILE; y <= b.bottom / TILE; y++)
            for (int x = b.left / TILE; x <= b.right / TILE; x++)
                own[y * ACROSS + x].push_back(i);
    }
    std::vector<int> starts, lists;
    for (auto &list : own) {
        starts.push_back(lists.size());
        lists.insert(lists.end(), list.begin(), list.end());
    }
    starts.push_back(lists.size());
    std::vector<uint32_t> colours(small * 3);
    for (uint32_t &c : colours)
        c = random.next();
    Triangle *M = copy(many), *F = copy(few);
    unsigned long long *picture = room<unsigned long long>(WIDE * HIGH),
                       *seen = copy(small_picture);
    int *S = copy(starts), *L = copy(lists);
    uint32_t *C = copy(colours), *out = room<uint32_t>(WIDE * HIGH);
    auto wiped = [&] {
        fill(picture, WIDE * HIGH, 0xff);
        fill(out, WIDE * HIGH, 0x77);
    };
    auto check = [&](const std::vector<unsigned long long> &want) {
        std::vector<unsigned long long> got = fetch(picture, WIDE * HIGH);
        long bad = 0;
        for (int i = 0; i < WIDE * HIGH; i++) // the last bit of a depth may be rounded otherwise
            bad += got[i] != want[i] && (got[i] >> 32) - (want[i] >> 32) + 1 > 2;
        return bad;
    };
    variant(
        "small_threads", "small_threads", wiped,
        [&] { small_threads<<<(small + 127) / 128, 128>>>(M, picture, small); },
        [&] { return check(small_picture); });
    variant(
        "large_threads", "small_threads", wiped,
        [&] { small_threads<<<(large + 31) / 32, 32>>>(F, picture, large); },
        [&] { return check(large_picture); });
    variant(
        "large_warps", "large_warps", wiped,
        [&] { large_warps<<<(large + 3) / 4, 128>>>(F, picture, large); },
        [&] { return check(large_picture); });
    variant(
        "tile_lists", "tile_lists", wiped,
        [&] { tile_lists<<<TILES, TILE * TILE>>>(F, S, L, picture); },
        [&] { return check(large_picture); });
    variant(
        "shade", "shade", wiped, [&] { shade<<<WIDE * HIGH / 256, 256>>>(M, C, seen, out); },
        [&] {
            std::vector<uint32_t> got = fetch(out, WIDE * HIGH, false);
            long bad = 0;
            for (int i = 0; i < WIDE * HIGH; i += 3) {
                uint32_t want =
                    shaded(many.data(), colours.data(), small_picture[i], i % WIDE, i / WIDE);
                for (int c = 0; c < 32; c += 8)
                    bad += std::abs((int)(got[i] >> c & 255) - (int)(want >> c & 255)) > 1;
            }
            return bad;
        });
    return finish();
}
