// Molecular dynamics: pairs of clusters of 8 and 4 atoms by a warp, dihedral angles with atomics,
// bond lengths kept by turns of corrections, and forces from a table by cubic pieces along lists.
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

constexpr int MOLECULES = 4096, CHAIN = 12, ATOMS = MOLECULES * CHAIN, TABLE = 1024, NEAR = 48;
constexpr float CUT = 1.44f;

__host__ __device__ inline float3 minus(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__host__ __device__ inline float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__host__ __device__ inline float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// force over distance: a charge's with erfc's tail by a Gaussian, and a steep part
__host__ __device__ inline float pair_force(float square, float charges)
{
    float r = sqrtf(square), inverse = 1 / (square + 0.05f), six = inverse * inverse * inverse;
    return charges * inverse * expf(-r) + six * (0.02f * six - 0.01f) * 1e-3f;
}

// a warp has 8 x 4 pairs at once: lane i has atom i % 8 of one cluster and i / 8 of the other
__global__ void __launch_bounds__(64)
    clusters(const float4 *__restrict__ atoms, const int *__restrict__ starts,
             const int *__restrict__ others, float *forces)
{
    int c = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float4 mine = atoms[c * 8 + lane % 8];
    float fx = 0, fy = 0, fz = 0;
    for (int k = starts[c]; k < starts[c + 1]; k++) {
        int other = others[k] * 4 + lane / 8;
        float4 a = atoms[other];
        float x = mine.x - a.x, y = mine.y - a.y, z = mine.z - a.z, square = x * x + y * y + z * z;
        float f = square < CUT && other != c * 8 + lane % 8 ? pair_force(square, mine.w * a.w) : 0;
        fx += f * x, fy += f * y, fz += f * z;
    }
    for (int d = 8; d < 32; d *= 2) {
        fx += __shfl_xor_sync(~0u, fx, d);
        fy += __shfl_xor_sync(~0u, fy, d);
        fz += __shfl_xor_sync(~0u, fz, d);
    }
    if (lane < 24)
        forces[(c * 8 + lane % 8) * 3 + lane / 8] = lane < 8 ? fx : lane < 16 ? fy : fz;
}

struct Four {
    float3 a, b, c, d;
};

__host__ __device__ inline Four twist(float3 p, float3 q, float3 r, float3 s)
{
    float3 u = minus(p, q), v = minus(r, q), w = minus(r, s), m = cross(u, v), n = cross(v, w);
    float mm = dot(m, m) + 1e-3f, nn = dot(n, n) + 1e-3f, vv = dot(v, v) + 1e-3f,
          length = sqrtf(vv);
    float phi = atan2f(length * dot(u, n), dot(m, n)), force = 3 * sinf(3 * phi) - 0.5f * sinf(phi);
    float i = -force * length / mm, l = force * length / nn, along = dot(u, v) / vv,
          behind = dot(w, v) / vv;
    float3 a = make_float3(i * m.x, i * m.y, i * m.z), d = make_float3(l * n.x, l * n.y, l * n.z);
    float3 e = make_float3(along * a.x - behind * d.x, along * a.y - behind * d.y,
                           along * a.z - behind * d.z);
    return {a, minus(e, a), make_float3(-e.x - d.x, -e.y - d.y, -e.z - d.z), d};
}

__device__ inline void add(float *forces, int at, float3 f)
{
    atomicAdd(forces + 3 * at, f.x);
    atomicAdd(forces + 3 * at + 1, f.y);
    atomicAdd(forces + 3 * at + 2, f.z);
}

__device__ inline float3 place(const float *p, int at)
{
    return make_float3(p[3 * at], p[3 * at + 1], p[3 * at + 2]);
}

__global__ void dihedrals(const float *__restrict__ places, const int4 *__restrict__ quads,
                          float *forces, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int4 q = quads[i];
    Four f = twist(place(places, q.x), place(places, q.y), place(places, q.z), place(places, q.w));
    add(forces, q.x, f.a);
    add(forces, q.y, f.b);
    add(forces, q.z, f.c);
    add(forces, q.w, f.d);
}

// one bond after the other, some times over, with the chain in registers
__host__ __device__ inline void constrain(float *p, const float *old, int rounds)
{
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < CHAIN - 1; k++) {
            float *a = p + 3 * k, *b = a + 3;
            float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            float u = old[3 * k] - old[3 * k + 3], v = old[3 * k + 1] - old[3 * k + 4],
                  w = old[3 * k + 2] - old[3 * k + 5];
            float off = x * x + y * y + z * z - 0.16f,
                  g = off / (4 * (x * u + y * v + z * w) + 1e-6f);
            a[0] -= g * u, a[1] -= g * v, a[2] -= g * w;
            b[0] += g * u, b[1] += g * v, b[2] += g * w;
        }
}

__global__ void __launch_bounds__(32)
    bond_lengths(const float *__restrict__ old, const float *__restrict__ now,
                 float *__restrict__ out, int rounds)
{
    int m = blockIdx.x * 32 + threadIdx.x;
    float p[CHAIN * 3], q[CHAIN * 3];
#pragma unroll
    for (int k = 0; k < CHAIN * 3; k++)
        p[k] = now[k * MOLECULES + m], q[k] = old[k * MOLECULES + m];
    constrain(p, q, rounds);
#pragma unroll
    for (int k = 0; k < CHAIN * 3; k++)
        out[k * MOLECULES + m] = p[k];
}

__host__ __device__ inline float looked_up(const float4 *table, float square)
{
    float at = square * (TABLE / CUT);
    int k = (int)at;
    float t = at - k;
    float4 c = table[k];
    return ((c.w * t + c.z) * t + c.y) * t + c.x;
}

__global__ void tabulated(const float4 *__restrict__ atoms, const int *__restrict__ lists,
                          const int *__restrict__ lengths, const float4 *__restrict__ table,
                          float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = atoms[i];
    float fx = 0, fy = 0, fz = 0;
    int many = lengths[i];
    for (int k = 0; k < many; k++) {
        float4 a = atoms[lists[k * ATOMS + i]];
        float x = mine.x - a.x, y = mine.y - a.y, z = mine.z - a.z, square = x * x + y * y + z * z;
        if (square < CUT) {
            float f = mine.w * a.w * looked_up(table, square);
            fx += f * x, fy += f * y, fz += f * z;
        }
    }
    out[3 * i] = fx, out[3 * i + 1] = fy, out[3 * i + 2] = fz;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(23);
    const int rounds = 20, quads = MOLECULES * (CHAIN - 3), groups = ATOMS / 8;
    std::vector<float4> atoms(ATOMS), table(TABLE + 1);
    std::vector<float> places(ATOMS * 3), old(ATOMS * 3), now(ATOMS * 3);
    for (int m = 0; m < MOLECULES; m++) {
        float x = m % 16 * 1.1f, y = m / 16 % 16 * 1.1f, z = m / 256 * 1.1f;
        for (int k = 0; k < CHAIN; k++) {
            float a = random.between(0, 6.2f), h = random.between(-1, 1),
                  s = sqrtf(1 - h * h) * 0.4f;
            x += s * cosf(a), y += s * sinf(a), z += 0.4f * fabsf(h);
            atoms[m * CHAIN + k] = make_float4(x, y, z, k % 2 ? 0.3f : -0.3f);
            float v[3] = {x, y, z};
            for (int d = 0; d < 3; d++) {
                places[(m * CHAIN + k) * 3 + d] = v[d], old[(k * 3 + d) * MOLECULES + m] = v[d];
                now[(k * 3 + d) * MOLECULES + m] = v[d] + random.between(-0.02f, 0.02f);
            }
        }
    }
    std::sort(atoms.begin(), atoms.end(), [](float4 a, float4 b) {
        auto key = [](float4 v) {
            return ((int)(v.z + 9) * 64 + (int)(v.y + 9)) * 64 + (int)(v.x + 9);
        };
        return key(a) != key(b) ? key(a) < key(b) : a.x < b.x;
    });
    for (int k = 0; k <= TABLE; k++) {
        float s[2];
        for (int e = 0; e < 2; e++)
            s[e] = expf(-(k + e) * CUT / TABLE) / ((k + e) * CUT / TABLE + 0.1f);
        table[k] = make_float4(s[0], (s[1] - s[0]) * 1.1f, (s[1] - s[0]) * -0.1f, 0.001f);
    }
    std::vector<int4> quad;
    for (int i = 0; i < quads; i++) {
        int first = i / (CHAIN - 3) * CHAIN + i % (CHAIN - 3);
        quad.push_back(make_int4(first, first + 1, first + 2, first + 3));
    }
    std::vector<int> starts, others, lists(ATOMS * NEAR), lengths(ATOMS);
    for (int c = 0; c < groups; c++) {
        starts.push_back(others.size());
        int many = 12 + random.below(14);
        for (int k = 0; k < many; k++)
            others.push_back((c * 2 + (k < 10 ? k : (int)random.below(2000)) + groups * 2 - 4) %
                             (groups * 2));
    }
    starts.push_back(others.size());
    for (int i = 0; i < ATOMS; i++) {
        lengths[i] = 16 + random.below(NEAR - 15);
        for (int k = 0; k < NEAR; k++)
            lists[k * ATOMS + i] =
                (i + (k < 24 ? k - 12 : (int)random.below(4000)) + ATOMS) % ATOMS;
    }
    float4 *A = copy(atoms), *T = copy(table);
    float *P = copy(places), *O = copy(old), *N = copy(now), *out = room<float>(ATOMS * 3);
    int *S = copy(starts), *H = copy(others), *L = copy(lists), *M = copy(lengths);
    int4 *Q = copy(quad);
    auto zero = [&] { fill(out, ATOMS * 3, 0); };
    variant(
        "clusters", "clusters", zero, [&] { clusters<<<groups / 2, 64>>>(A, S, H, out); },
        [&] {
            return differ(out, ATOMS * 3, 17, 1e-3, [&](size_t i) {
                double f = 0;
                float4 mine = atoms[i / 3];
                for (int k = starts[i / 24]; k < starts[i / 24 + 1]; k++)
                    for (int j = others[k] * 4; j < others[k] * 4 + 4; j++) {
                        float d[3] = {mine.x - atoms[j].x, mine.y - atoms[j].y,
                                      mine.z - atoms[j].z};
                        float square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                        if (square < CUT && j != (int)(i / 3))
                            f += pair_force(square, mine.w * atoms[j].w) * d[i % 3];
                    }
                return f;
            });
        });
    variant(
        "dihedrals", "dihedrals", zero,
        [&] { dihedrals<<<(quads + 127) / 128, 128>>>(P, Q, out, quads); },
        [&] {
            std::vector<float> got = fetch(out, ATOMS * 3, false);
            std::vector<double> want(ATOMS * 3), size(ATOMS * 3);
            auto at = [&](int k) {
                return make_float3(places[3 * k], places[3 * k + 1], places[3 * k + 2]);
            };
            for (int4 q : quad) {
                Four f = twist(at(q.x), at(q.y), at(q.z), at(q.w));
                int to[4] = {q.x, q.y, q.z, q.w};
                float3 part[4] = {f.a, f.b, f.c, f.d};
                for (int k = 0; k < 4; k++) {
                    float v[3] = {part[k].x, part[k].y, part[k].z};
                    for (int d = 0; d < 3; d++)
                        want[to[k] * 3 + d] += v[d], size[to[k] * 3 + d] += fabsf(v[d]);
                }
            }
            long bad = 0;
            for (int i = 0; i < ATOMS * 3; i++)
                bad += std::fabs(got[i] - want[i]) > 2e-2 * (1 + size[i]);
            return bad;
        });
    variant(
        "bond_lengths", "bond_lengths", zero,
        [&] { bond_lengths<<<MOLECULES / 32, 32>>>(O, N, out, rounds); },
        [&] {
            std::vector<float> got = fetch(out, ATOMS * 3);
            long bad = 0;
            for (int m = 0; m < MOLECULES; m += 3) {
                float p[CHAIN * 3], q[CHAIN * 3];
                for (int k = 0; k < CHAIN * 3; k++)
                    p[k] = now[k * MOLECULES + m], q[k] = old[k * MOLECULES + m];
                constrain(p, q, rounds);
                for (int k = 0; k < CHAIN * 3; k++)
                    bad += !near(got[k * MOLECULES + m], p[k], 1e-2);
            }
            return bad;
        });
    variant(
        "tabulated", "tabulated", zero, [&] { tabulated<<<ATOMS / 128, 128>>>(A, L, M, T, out); },
        [&] {
            return differ(out, ATOMS * 3, 17, 1e-3, [&](size_t i) {
                double f = 0;
                int own = i / 3;
                float4 mine = atoms[own];
                for (int k = 0; k < lengths[own]; k++) {
                    float4 a = atoms[lists[k * ATOMS + own]];
                    float d[3] = {mine.x - a.x, mine.y - a.y, mine.z - a.z};
                    float square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    if (square < CUT)
                        f += mine.w * a.w * looked_up(table.data(), square) * d[i % 3];
                }
                return f;
            });
        });
    return finish();
}
