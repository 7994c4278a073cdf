// Forces in double precision: all pairs by shared tiles, Lennard-Jones with a limit and a box that
// repeats, Ewald's sum over waves, bonds and angles of chains with atomics.
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

struct __align__(16) Quad
{
    double x, y, z, w;
};

__global__ void pairs(const Quad *__restrict__ body, int count, double *__restrict__ force)
{
    __shared__ double x[128], y[128], z[128], w[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    Quad me = body[i];
    double fx = 0, fy = 0, fz = 0;
    for (int from = 0; from < count; from += 128) {
        Quad other = body[from + threadIdx.x];
        x[threadIdx.x] = other.x;
        y[threadIdx.x] = other.y;
        z[threadIdx.x] = other.z;
        w[threadIdx.x] = other.w;
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            double dx = x[k] - me.x, dy = y[k] - me.y, dz = z[k] - me.z,
                   r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-4), by = w[k] * r * r * r;
            fx += by * dx;
            fy += by * dy;
            fz += by * dz;
        }
        __syncthreads();
    }
    force[3 * i] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
}

__host__ __device__ inline double wrapped(double d, double box)
{
    return d - box * rint(d / box);
}

// energies of atoms; a thread an atom, a part of the others a block row
__global__ void lennard_jones(const double *__restrict__ x, int count, double box, double limit2,
                              double *__restrict__ energy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, each = count / gridDim.y,
        from = blockIdx.y * each;
    double mx = x[i], my = x[count + i], mz = x[2 * count + i], sum = 0;
    for (int j = from; j < from + each; j++) {
        double dx = wrapped(x[j] - mx, box), dy = wrapped(x[count + j] - my, box),
               dz = wrapped(x[2 * count + j] - mz, box);
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < limit2 && j != i) {
            double s = 1 / r2, s3 = s * s * s;
            sum += 4 * s3 * (s3 - 1);
        }
    }
    atomicAdd(&energy[i], sum);
}

// a block is a wave
__global__ void structure(const Quad *__restrict__ charge, int count,
                          const double *__restrict__ wave, double2 *__restrict__ out)
{
    __shared__ double cs[128], sn[128];
    double kx = wave[3 * blockIdx.x], ky = wave[3 * blockIdx.x + 1], kz = wave[3 * blockIdx.x + 2],
           c = 0, s = 0;
    for (int i = threadIdx.x; i < count; i += 128) {
        Quad q = charge[i];
        double sine, cosine;
        sincos(kx * q.x + ky * q.y + kz * q.z, &sine, &cosine);
        c += q.w * cosine;
        s += q.w * sine;
    }
    cs[threadIdx.x] = c;
    sn[threadIdx.x] = s;
    for (int step = 64; step; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            cs[threadIdx.x] += cs[threadIdx.x + step];
            sn[threadIdx.x] += sn[threadIdx.x + step];
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = make_double2(cs[0], sn[0]);
}

__global__ void bonds(const double *__restrict__ x, const int2 *__restrict__ bond, int many,
                      double length, double *__restrict__ force)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= many)
        return;
    int i = bond[b].x, j = bond[b].y;
    double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1],
           dz = x[3 * j + 2] - x[3 * i + 2];
    double r = sqrt(dx * dx + dy * dy + dz * dz), by = 100 * (r - length) / r;
    atomicAdd(&force[3 * i], by * dx);
    atomicAdd(&force[3 * i + 1], by * dy);
    atomicAdd(&force[3 * i + 2], by * dz);
    atomicAdd(&force[3 * j], -by * dx);
    atomicAdd(&force[3 * j + 1], -by * dy);
    atomicAdd(&force[3 * j + 2], -by * dz);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int bodies = 2816, atoms = 2048, parts = 8, charges = bodies, waves = 528, chain = 262144,
              many = chain * 5 / 4;
    const double box = 16, limit2 = 9;
    Lcg random(347);
    std::vector<Quad> body(bodies);
    std::vector<double> x(3 * atoms), wave(3 * waves), place(3 * chain);
    for (Quad &b : body)
        b = {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1),
             random.between(0.5f, 1.5f)};
    for (int i = 0; i < atoms; i++) { // near a lattice, so that no two touch
        x[i] = i % 16 + random.between(-0.2f, 0.2f);
        x[atoms + i] = i / 16 % 16 + random.between(-0.2f, 0.2f);
        x[2 * atoms + i] = i / 256 + random.between(-0.2f, 0.2f);
    }
    for (double &k : wave)
        k = 6.283185307179586 * ((int)random.below(9) - 4);
    for (double &p : place)
        p = random.between(0, 3);
    std::vector<int2> bond(many);
    for (int b = 0; b < many; b++)
        bond[b] = b < chain - 1 ? make_int2(b, b + 1)
                                : int2{(int)random.below(chain / 2),
                                       chain / 2 + (int)random.below(chain / 2)};
    Quad *given = copy(body);
    double *at = copy(x), *waved = copy(wave), *placed = copy(place),
           *out = room<double>(3 * chain);
    int2 *bound = copy(bond);
    auto reset = [&] { fill(out, 3 * chain, 0); };
    variant(
        "pairs", "pairs", reset, [&] { pairs<<<bodies / 128, 128>>>(given, bodies, out); },
        [&] {
            std::vector<double> got = fetch(out, 3 * bodies);
            long bad = 0;
            for (int i = 0; i < bodies; i += 17) {
                double f[3] = {};
                for (int j = 0; j < bodies; j++) {
                    double d[3] = {body[j].x - body[i].x, body[j].y - body[i].y,
                                   body[j].z - body[i].z};
                    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-4,
                           by = body[j].w / (r2 * std::sqrt(r2));
                    for (int c = 0; c < 3; c++)
                        f[c] += by * d[c];
                }
                for (int c = 0; c < 3; c++)
                    bad += !near(got[3 * i + c], f[c], 1e-9);
            }
            return bad;
        });
    variant(
        "lennard_jones", "lennard_jones", reset,
        [&] { lennard_jones<<<dim3(atoms / 128, parts), 128>>>(at, atoms, box, limit2, out); },
        [&] {
            return differ(out, atoms, 7, 1e-9, [&](size_t i) {
                double sum = 0;
                for (int j = 0; j < atoms; j++) {
                    double r2 = 0;
                    for (int c = 0; c < 3; c++) {
                        double d = wrapped(x[c * atoms + j] - x[c * atoms + i], box);
                        r2 += d * d;
                    }
                    if (r2 < limit2 && j != (int)i) {
                        double s3 = 1 / (r2 * r2 * r2);
                        sum += 4 * s3 * (s3 - 1);
                    }
                }
                return sum;
            });
        });
    variant(
        "waves", "structure", reset,
        [&] { structure<<<waves, 128>>>(given, charges, waved, (double2 *)out); },
        [&] {
            return differ(out, 2 * waves, 11, 1e-8, [&](size_t i) {
                double sum = 0;
                for (int q = 0; q < charges; q++) {
                    double a = wave[i / 2 * 3] * body[q].x + wave[i / 2 * 3 + 1] * body[q].y +
                               wave[i / 2 * 3 + 2] * body[q].z;
                    sum += body[q].w * (i % 2 ? std::sin(a) : std::cos(a));
                }
                return sum;
            });
        });
    variant(
        "bonds", "bonds", reset,
        [&] { bonds<<<(many + 255) / 256, 256>>>(placed, bound, many, 1.2, out); },
        [&] {
            std::vector<double> f(3 * chain);
            for (int2 b : bond) {
                double d[3], r2 = 0;
                for (int c = 0; c < 3; c++) {
                    d[c] = place[3 * b.y + c] - place[3 * b.x + c];
                    r2 += d[c] * d[c];
                }
                for (int c = 0; c < 3; c++) {
                    f[3 * b.x + c] += 100 * (std::sqrt(r2) - 1.2) / std::sqrt(r2) * d[c];
                    f[3 * b.y + c] -= 100 * (std::sqrt(r2) - 1.2) / std::sqrt(r2) * d[c];
                }
            }
            return differ(out, 3 * chain, 1, 1e-9, [&](size_t i) { return f[i]; });
        });
    return finish();
}
