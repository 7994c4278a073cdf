// Charged particles in fields of a grid of cells in three dimensions: moved with the state side by
// side, with the state of each one behind the other, from a block's own piece of the fields,
// currents of their ways added by atomics, and by sums of a warp where it stands in one cell.
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

constexpr int SIDE = 32, CELLS = SIDE * SIDE * SIDE, EACH = 16, COUNT = CELLS * EACH;

struct Particle {
    float x, y, z, u, v, w, weight, charge;
};

// electric and magnetic fields at the corners of cells
struct Fields {
    float4 e, b;
};

__host__ __device__ inline int wrapped(int x)
{
    return x & (SIDE - 1);
}

__host__ __device__ inline void mix(float4 &sum, float weight, float4 v)
{
    sum.x += weight * v.x, sum.y += weight * v.y, sum.z += weight * v.z;
}

// half a push, a turn around the magnetic field, half a push
__host__ __device__ inline void push(Particle &p, float4 e, float4 b)
{
    const float half = 0.05f;
    float u = p.u + half * e.x, v = p.v + half * e.y, w = p.w + half * e.z;
    float gamma = 1 / sqrtf(1 + u * u + v * v + w * w);
    float tx = half * gamma * b.x, ty = half * gamma * b.y, tz = half * gamma * b.z;
    float s = 2 / (1 + tx * tx + ty * ty + tz * tz);
    float pu = u + v * tz - w * ty, pv = v + w * tx - u * tz, pw = w + u * ty - v * tx;
    u += s * (pv * tz - pw * ty) + half * e.x;
    v += s * (pw * tx - pu * tz) + half * e.y;
    w += s * (pu * ty - pv * tx) + half * e.z;
    p.u = u, p.v = v, p.w = w;
    gamma = 0.5f / sqrtf(1 + u * u + v * v + w * w);
    p.x += u * gamma, p.y += v * gamma, p.z += w * gamma;
}

template <class At> __host__ __device__ inline void move(Particle &p, At at)
{
    float fx = floorf(p.x), fy = floorf(p.y), fz = floorf(p.z), dx = p.x - fx, dy = p.y - fy,
          dz = p.z - fz;
    float4 e = {}, b = {};
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float weight = (k & 1 ? dx : 1 - dx) * (k & 2 ? dy : 1 - dy) * (k & 4 ? dz : 1 - dz);
        Fields f = at((int)fx + (k & 1), (int)fy + (k >> 1 & 1), (int)fz + (k >> 2));
        mix(e, weight, f.e), mix(b, weight, f.b);
    }
    push(p, e, b);
}

__host__ __device__ inline int corner(int x, int y, int z)
{
    return (wrapped(z) * SIDE + wrapped(y)) * SIDE + wrapped(x);
}

struct Everywhere {
    const Fields *fields;
    __host__ __device__ Fields operator()(int x, int y, int z) const
    {
        return fields[corner(x, y, z)];
    }
};

__global__ void side_by_side(float *state, const Fields *__restrict__ fields)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = {state[i],
                  state[i + COUNT],
                  state[i + 2 * COUNT],
                  state[i + 3 * COUNT],
                  state[i + 4 * COUNT],
                  state[i + 5 * COUNT],
                  0,
                  0};
    move(p, Everywhere{fields});
    state[i] = p.x, state[i + COUNT] = p.y, state[i + 2 * COUNT] = p.z;
    state[i + 3 * COUNT] = p.u, state[i + 4 * COUNT] = p.v, state[i + 5 * COUNT] = p.w;
}

__global__ void in_a_row(Particle *particles, const Fields *__restrict__ fields)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = particles[i];
    move(p, Everywhere{fields});
    particles[i] = p;
}

// particles are sorted by pieces of 4 x 4 x 4 cells, a block a piece
constexpr int PIECE = 4, CORNERS = PIECE + 1, ACROSS = SIDE / PIECE;

__global__ void __launch_bounds__(128)
    pieces(Particle *particles, const Fields *__restrict__ fields, const int *__restrict__ starts)
{
    __shared__ Fields own[CORNERS * CORNERS * CORNERS];
    int b = blockIdx.x, left = b % ACROSS * PIECE, top = b / ACROSS % ACROSS * PIECE,
        front = b / ACROSS / ACROSS * PIECE;
    for (int i = threadIdx.x; i < CORNERS * CORNERS * CORNERS; i += 128)
        own[i] = fields[corner(left + i % CORNERS, top + i / CORNERS % CORNERS,
                               front + i / CORNERS / CORNERS)];
    __syncthreads();
    for (int i = starts[b] + threadIdx.x; i < starts[b + 1]; i += 128) {
        Particle p = particles[i];
        move(p, [&](int x, int y, int z) {
            return own[((z - front) * CORNERS + y - top) * CORNERS + x - left];
        });
        particles[i] = p;
    }
}

// what a particle gives to a corner, in whole numbers, so that any order has the same sum
__host__ __device__ inline void share(const Particle &p, int k, int (&out)[3])
{
    float dx = p.x - floorf(p.x), dy = p.y - floorf(p.y), dz = p.z - floorf(p.z);
    float weight = (k & 1 ? dx : 1 - dx) * (k & 2 ? dy : 1 - dy) * (k & 4 ? dz : 1 - dz) * p.charge;
    out[0] = (int)rintf(weight * p.u * 65536), out[1] = (int)rintf(weight * p.v * 65536),
    out[2] = (int)rintf(weight * p.w * 65536);
}

__global__ void current_atomic(const Particle *__restrict__ particles, int *current)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p = particles[i];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int own[3], at = corner((int)floorf(p.x) + (k & 1), (int)floorf(p.y) + (k >> 1 & 1),
                                (int)floorf(p.z) + (k >> 2));
        share(p, k, own);
        for (int c = 0; c < 3; c++)
            atomicAdd(current + at * 4 + c, own[c]);
    }
}

// particles are sorted by cells: where a warp has one cell only, one lane adds its sum
__global__ void current_warp(const Particle *__restrict__ particles, int *current)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    Particle p = particles[i];
    int x = (int)floorf(p.x), y = (int)floorf(p.y), z = (int)floorf(p.z);
    unsigned same = __match_any_sync(~0u, corner(x, y, z));
    bool first = __ffs(same) - 1 == lane;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int own[3], at = corner(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
        share(p, k, own);
        for (int c = 0; c < 3; c++) {
            int sum = __reduce_add_sync(same, own[c]);
            if (first)
                atomicAdd(current + at * 4 + c, sum);
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(307);
    std::vector<Fields> fields(CELLS);
    for (Fields &f : fields) {
        f.e = make_float4(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 0);
        f.b = make_float4(random.between(-1, 1), random.between(-1, 1), random.between(2, 3), 0);
    }
    // sorted by pieces and within them by cells, of unequal numbers
    std::vector<Particle> sorted, mixed;
    std::vector<int> starts;
    for (int b = 0; b < ACROSS * ACROSS * ACROSS; b++) {
        starts.push_back(sorted.size());
        for (int c = 0; c < PIECE * PIECE * PIECE; c++) {
            int many = b % 3 == 0 ? 8 : b % 3 == 1 ? 16 : 24;
            for (int k = 0; k < many && (int)sorted.size() < COUNT; k++)
                sorted.push_back(
                    {b % ACROSS * PIECE + c % PIECE + random.between(0, 0.999f),
                     b / ACROSS % ACROSS * PIECE + c / PIECE % PIECE + random.between(0, 0.999f),
                     b / ACROSS / ACROSS * PIECE + c / PIECE / PIECE + random.between(0, 0.999f),
                     random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1,
                     random.between(-1, 1)});
        }
    }
    while ((int)sorted.size() < COUNT)
        sorted.push_back(sorted.back());
    starts.push_back(COUNT);
    mixed = sorted;
    for (int i = COUNT - 1; i > 0; i--)
        std::swap(mixed[i], mixed[random.below(i + 1)]);
    std::vector<float> state(6 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        const Particle &p = mixed[i];
        const float own[6] = {p.x, p.y, p.z, p.u, p.v, p.w};
        for (int k = 0; k < 6; k++)
            state[k * COUNT + i] = own[k];
    }
    std::vector<int> want(4 * CELLS);
    for (const Particle &p : sorted)
        for (int k = 0; k < 8; k++) {
            int own[3], at = corner((int)floorf(p.x) + (k & 1), (int)floorf(p.y) + (k >> 1 & 1),
                                    (int)floorf(p.z) + (k >> 2));
            share(p, k, own);
            for (int c = 0; c < 3; c++)
                want[at * 4 + c] += own[c];
        }
    Fields *F = copy(fields);
    Particle *P = room<Particle>(COUNT);
    float *S = room<float>(6 * COUNT);
    int *B = copy(starts), *J = room<int>(4 * CELLS);
    auto moved = [&](Particle p) {
        move(p, Everywhere{fields.data()});
        return p;
    };
    auto check = [&](const std::vector<Particle> &before) {
        std::vector<Particle> got = fetch(P, COUNT);
        long bad = 0;
        for (int i = 0; i < COUNT; i += 7) {
            Particle p = moved(before[i]);
            bad += !near(got[i].x, p.x, 1e-4) || !near(got[i].z, p.z, 1e-4) ||
                   !near(got[i].u, p.u, 1e-4) || !near(got[i].w, p.w, 1e-4);
        }
        return bad;
    };
    auto current = [&] {
        long bad = 0;
        std::vector<int> got = fetch(J, 4 * CELLS, false);
        for (int i = 0; i < 4 * CELLS; i++)
            bad += std::abs(got[i] - want[i]) > 64; // shares may be rounded otherwise
        return bad;
    };
    auto restore = [&] {
        put(P, sorted);
        fill(J, 4 * CELLS, 0);
    };
    variant(
        "side_by_side", "side_by_side", [&] { put(S, state); },
        [&] { side_by_side<<<COUNT / 256, 256>>>(S, F); },
        [&] {
            std::vector<float> got = fetch(S, 6 * COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 7) {
                Particle p = moved(mixed[i]);
                bad += !near(got[i], p.x, 1e-4) || !near(got[i + 2 * COUNT], p.z, 1e-4) ||
                       !near(got[i + 3 * COUNT], p.u, 1e-4) || !near(got[i + 5 * COUNT], p.w, 1e-4);
            }
            return bad;
        });
    variant(
        "in_a_row", "in_a_row", [&] { put(P, mixed); },
        [&] { in_a_row<<<COUNT / 256, 256>>>(P, F); }, [&] { return check(mixed); });
    variant(
        "pieces", "pieces", restore, [&] { pieces<<<ACROSS * ACROSS * ACROSS, 128>>>(P, F, B); },
        [&] { return check(sorted); });
    variant(
        "current_atomic", "current_atomic", restore,
        [&] { current_atomic<<<COUNT / 256, 256>>>(P, J); }, current);
    variant(
        "current_warp", "current_warp", restore, [&] { current_warp<<<COUNT / 256, 256>>>(P, J); },
        current);
    return finish();
}
