// Maps of robots: beams drawn into a grid by atomics, weights of particles by beams cast through a
// grid and by a field of distances, particles drawn anew by a search in their sums, and the pose
// that fits a scan best over a cube of poses.
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

constexpr int SIDE = 1024, BEAMS = 256, SCANS = 128, PARTICLES = 2048;
constexpr float RANGE = 200;

struct Pose {
    float x, y, angle;
};

// cells along a beam, one after the other; the end is met
template <class Visit>
__host__ __device__ inline void walk(int x, int y, int ex, int ey, Visit visit)
{
    int dx = abs(ex - x), dy = -abs(ey - y), sx = x < ex ? 1 : -1, sy = y < ey ? 1 : -1,
        off = dx + dy;
    while (x != ex || y != ey) {
        visit(y * SIDE + x, false);
        int twice = 2 * off;
        if (twice >= dy)
            off += dy, x += sx;
        if (twice <= dx)
            off += dx, y += sy;
    }
    visit(y * SIDE + x, true);
}

struct Adder {
    int *map;
    __host__ __device__ void operator()(int at, bool last) const
    {
#ifdef __CUDA_ARCH__
        atomicAdd(map + at, last ? 6 : -1);
#else
        map[at] += last ? 6 : -1;
#endif
    }
};

__global__ void draw(const short4 *__restrict__ beams, int *map)
{
    short4 b = beams[blockIdx.x * blockDim.x + threadIdx.x];
    walk(b.x, b.y, b.z, b.w, Adder{map});
}

// steps of one cell until something is met
__host__ __device__ inline float cast(const uint32_t *walls, float x, float y, float dx, float dy)
{
    float far = 0;
    while (far < RANGE) {
        int i = (int)(x + far * dx), j = (int)(y + far * dy);
        if (i < 0 || j < 0 || i >= SIDE || j >= SIDE ||
            walls[j * (SIDE / 32) + i / 32] >> (i % 32) & 1)
            break;
        far += 1;
    }
    return far;
}

__constant__ float2 WAYS[BEAMS];
__constant__ float MEASURED[BEAMS];

// a warp a particle, a beam in eight for each lane
__global__ void __launch_bounds__(128)
    cast_weights(const uint32_t *__restrict__ walls, const Pose *__restrict__ poses,
                 float *__restrict__ out, int beams)
{
    int p = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    Pose pose = poses[p];
    float c = cosf(pose.angle), s = sinf(pose.angle), sum = 0;
    for (int b = lane; b < beams; b += 32) {
        float2 w = WAYS[b];
        float off = cast(walls, pose.x, pose.y, c * w.x - s * w.y, s * w.x + c * w.y) - MEASURED[b];
        sum += off * off / (1 + 0.01f * off * off);
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[p] = sum;
}

__host__ __device__ inline int end_at(Pose p, float c, float s, float2 way, float far)
{
    int x = (int)(p.x + far * (c * way.x - s * way.y)),
        y = (int)(p.y + far * (s * way.x + c * way.y));
    x = x < 0 ? 0 : x >= SIDE ? SIDE - 1 : x, y = y < 0 ? 0 : y >= SIDE ? SIDE - 1 : y;
    return y * SIDE + x;
}

// a thread a particle: only ends of beams, looked up in distances to walls
__global__ void __launch_bounds__(64)
    field_weights(const uint8_t *__restrict__ field, const Pose *__restrict__ poses,
                  float *__restrict__ out)
{
    int p = blockIdx.x * 64 + threadIdx.x;
    Pose pose = poses[p];
    float c = cosf(pose.angle), s = sinf(pose.angle), sum = 0;
    for (int b = 0; b < BEAMS; b++) {
        float d = field[end_at(pose, c, s, WAYS[b], MEASURED[b])];
        sum += logf(0.1f + expf(-0.05f * d * d));
    }
    out[p] = sum;
}

// equal steps through the sums of the weights
__host__ __device__ inline int chosen_by(const float *sums, int count, float want)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sums[middle] < want)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void draw_anew(const float *__restrict__ sums, const Pose *__restrict__ poses,
                          Pose *__restrict__ out, int *__restrict__ from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int p = chosen_by(sums, count, (i + 0.5f) * sums[count - 1] / count);
    out[i] = poses[p], from[i] = p;
}

// a block an angle and a piece of shifts: ends of beams are turned once
__global__ void __launch_bounds__(256)
    fit(const uint8_t *__restrict__ field, Pose around, unsigned long long *best, int shifts)
{
    __shared__ int ends[BEAMS];
    int t = threadIdx.x, turn = blockIdx.y;
    Pose p = {around.x - shifts / 2, around.y - shifts / 2, around.angle + (turn - 16) * 0.005f};
    ends[t] = end_at(p, cosf(p.angle), sinf(p.angle), WAYS[t], MEASURED[t]);
    __syncthreads();
    int s = blockIdx.x * 256 + t;
    unsigned sum = 0;
    for (int b = 0; b < BEAMS; b++) {
        int x = min(ends[b] % SIDE + s % shifts, SIDE - 1),
            y = min(ends[b] / SIDE + s / shifts, SIDE - 1);
        sum += field[y * SIDE + x];
    }
    unsigned least = __reduce_min_sync(~0u, sum);
    if (sum == least)
        atomicMin(best, (unsigned long long)sum << 32 | (unsigned)(turn << 16 | s));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(79);
    const int many = 1 << 20, shifts = 32;
    std::vector<uint8_t> field(SIDE * SIDE, 60);
    std::vector<uint32_t> walls(SIDE * SIDE / 32);
    for (int k = 0; k < 600; k++) {
        int x = random.below(SIDE - 60), y = random.below(SIDE - 60),
            length = 10 + random.below(50), up = random.below(2);
        for (int i = 0; i < length; i++) {
            int u = x + (up ? 0 : i), v = y + (up ? i : 0);
            walls[v * (SIDE / 32) + u / 32] |= 1u << u % 32;
            field[v * SIDE + u] = 0;
        }
    }
    for (int turn = 0; turn < 2; turn++)
        for (int k = 1; k < SIDE * SIDE - SIDE - 1; k++) {
            int i = turn ? SIDE * SIDE - 1 - k : k, other = turn ? 1 : -1,
                far = turn ? i + SIDE : i - SIDE;
            int v = std::min(field[i + other] + 1,
                             far >= 0 && far < SIDE * SIDE ? field[far] + 1 : 255);
            field[i] = std::min<int>(field[i], v);
        }
    float2 ways[BEAMS];
    float measured[BEAMS];
    for (int b = 0; b < BEAMS; b++) {
        ways[b] = make_float2(cosf(b * 6.2831853f / BEAMS), sinf(b * 6.2831853f / BEAMS));
        measured[b] = cast(walls.data(), 512.3f, 480.7f, ways[b].x, ways[b].y);
    }
    must(cudaMemcpyToSymbol(WAYS, ways, sizeof ways));
    must(cudaMemcpyToSymbol(MEASURED, measured, sizeof measured));
    std::vector<short4> beams(SCANS * BEAMS);
    std::vector<int> map(SIDE * SIDE);
    for (int i = 0; i < SCANS * BEAMS; i++) {
        float x = 300 + 3 * (i / BEAMS), y = 500 + 100 * sinf(i / BEAMS * 0.05f);
        float far = cast(walls.data(), x, y, ways[i % BEAMS].x, ways[i % BEAMS].y);
        auto inside = [](float v) { return (short)std::max(0.0f, std::min(SIDE - 1.0f, v)); };
        beams[i] = make_short4(x, y, inside(x + far * ways[i % BEAMS].x),
                               inside(y + far * ways[i % BEAMS].y));
        walk(beams[i].x, beams[i].y, beams[i].z, beams[i].w, Adder{map.data()});
    }
    std::vector<Pose> poses(many);
    std::vector<float> sums(many);
    float total = 0;
    for (int i = 0; i < many; i++) {
        poses[i] = {random.between(400, 600), random.between(400, 600),
                    random.between(-0.5f, 0.5f)};
        total += random.below(100) ? random.unit() * 0.25f : 16;
        sums[i] = total;
    }
    short4 *B = copy(beams);
    int *M = room<int>(SIDE * SIDE), *from = room<int>(many);
    uint32_t *W = copy(walls);
    uint8_t *F = copy(field);
    Pose *P = copy(poses), *drawn = room<Pose>(many);
    float *S = copy(sums), *out = room<float>(PARTICLES * 4);
    unsigned long long *best = room<unsigned long long>(1);
    auto wiped = [&] {
        fill(M, SIDE * SIDE, 0);
        fill(out, PARTICLES * 4, 0xff);
        fill(best, 1, 0xff);
        fill(from, many, 0x77);
    };
    variant(
        "draw", "draw", wiped, [&] { draw<<<SCANS * BEAMS / 128, 128>>>(B, M); },
        [&] { return differ(M, SIDE * SIDE, 1, 0, [&](size_t i) { return map[i]; }); });
    variant(
        "cast_weights", "cast_weights", wiped,
        [&] { cast_weights<<<PARTICLES / 4, 128>>>(W, P, out, 64); },
        [&] {
            long bad = differ(out, PARTICLES, 3, 1e-2, [&](size_t i) {
                float c = cosf(poses[i].angle), s = sinf(poses[i].angle), sum = 0;
                for (int b = 0; b < 64; b++) {
                    float off = cast(walls.data(), poses[i].x, poses[i].y,
                                     c * ways[b].x - s * ways[b].y, s * ways[b].x + c * ways[b].y) -
                                measured[b];
                    sum += off * off / (1 + 0.01f * off * off);
                }
                return sum;
            });
            return bad > 20 ? bad : 0; // a beam may just miss a wall
        });
    variant(
        "field_weights", "field_weights", wiped,
        [&] { field_weights<<<PARTICLES * 4 / 64, 64>>>(F, P, out); },
        [&] {
            long bad = differ(out, PARTICLES * 4, 3, 1e-2, [&](size_t i) {
                float c = cosf(poses[i].angle), s = sinf(poses[i].angle), sum = 0;
                for (int b = 0; b < BEAMS; b++) {
                    float d = field[end_at(poses[i], c, s, ways[b], measured[b])];
                    sum += logf(0.1f + expf(-0.05f * d * d));
                }
                return sum;
            });
            return bad > 20 ? bad : 0;
        });
    variant(
        "draw_anew", "draw_anew", wiped,
        [&] { draw_anew<<<many / 256, 256>>>(S, P, drawn, from, many); },
        [&] {
            return differ(from, many, 3, 0, [&](size_t i) {
                return chosen_by(sums.data(), many, (i + 0.5f) * sums[many - 1] / many);
            });
        });
    Pose around = {505, 485, 0.01f};
    variant(
        "fit", "fit", wiped,
        [&] { fit<<<dim3(shifts * shifts / 256, 32), 256>>>(F, around, best, shifts); },
        [&] {
            unsigned got = fetch(best, 1, false)[0] >> 32, least = ~0u;
            for (int turn = 0; turn < 32; turn++) {
                Pose p = {around.x - shifts / 2, around.y - shifts / 2,
                          around.angle + (turn - 16) * 0.005f};
                for (int s = 0; s < shifts * shifts; s++) {
                    unsigned sum = 0;
                    for (int b = 0; b < BEAMS; b++) {
                        int e = end_at(p, cosf(p.angle), sinf(p.angle), ways[b], measured[b]);
                        int x = std::min(e % SIDE + s % shifts, SIDE - 1),
                            y = std::min(e / SIDE + s / shifts, SIDE - 1);
                        sum += field[y * SIDE + x];
                    }
                    least = std::min(least, sum);
                }
            }
            return (long)!near(got, least, 0.02);
        });
    return finish();
}
