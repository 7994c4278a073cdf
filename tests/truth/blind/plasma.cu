// Magnetised gas on a grid: flows through faces along x and along y with two wave speeds, a step
// whose faces are kept in shared memory, electric fields at edges, and the longest step by a
// minimum over all cells.
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

constexpr int NX = 512, NY = 512, CELLS = NX * NY, VARS = 6;
constexpr float GAMMA = 1.6667f;

// density, momenta x y, energy, fields x y
struct State {
    float v[VARS];
};

__host__ __device__ inline float pressure(const State &s)
{
    float kinetic = 0.5f * (s.v[1] * s.v[1] + s.v[2] * s.v[2]) / s.v[0],
          magnetic = 0.5f * (s.v[4] * s.v[4] + s.v[5] * s.v[5]);
    return fmaxf((GAMMA - 1) * (s.v[3] - kinetic - magnetic), 1e-3f);
}

__host__ __device__ inline float fast(const State &s, float p, float along)
{
    float a = GAMMA * p / s.v[0], b = (s.v[4] * s.v[4] + s.v[5] * s.v[5]) / s.v[0],
          c = along * along / s.v[0];
    float root = sqrtf(fmaxf((a + b) * (a + b) - 4 * a * c, 0));
    return sqrtf(0.5f * (a + b + root));
}

// ACROSS: along y, with x and y exchanged before
template <bool ACROSS> __host__ __device__ inline State turned(State s)
{
    if (ACROSS)
        return {{s.v[0], s.v[2], s.v[1], s.v[3], s.v[5], s.v[4]}};
    return s;
}

__host__ __device__ inline State flow(const State &s, float p)
{
    float u = s.v[1] / s.v[0], v = s.v[2] / s.v[0],
          total = p + 0.5f * (s.v[4] * s.v[4] + s.v[5] * s.v[5]);
    return {{s.v[1], s.v[1] * u + total - s.v[4] * s.v[4], s.v[2] * u - s.v[4] * s.v[5],
             (s.v[3] + total) * u - s.v[4] * (u * s.v[4] + v * s.v[5]), 0,
             s.v[5] * u - s.v[4] * v}};
}

template <bool ACROSS> __host__ __device__ inline State face(State a, State b)
{
    a = turned<ACROSS>(a), b = turned<ACROSS>(b);
    float p = pressure(a), q = pressure(b), u = a.v[1] / a.v[0], v = b.v[1] / b.v[0];
    float f = fast(a, p, a.v[4]), g = fast(b, q, b.v[4]);
    float left = fminf(fminf(u - f, v - g), 0), right = fmaxf(fmaxf(u + f, v + g), 0);
    State x = flow(a, p), y = flow(b, q), out;
#pragma unroll
    for (int k = 0; k < VARS; k++)
        out.v[k] =
            (right * x.v[k] - left * y.v[k] + left * right * (b.v[k] - a.v[k])) / (right - left);
    return turned<ACROSS>(out);
}

__host__ __device__ inline State loaded(const float *cells, int x, int y)
{
    State s;
    int at = ((y + NY) % NY) * NX + (x + NX) % NX;
#pragma unroll
    for (int k = 0; k < VARS; k++)
        s.v[k] = cells[k * CELLS + at];
    return s;
}

template <bool ACROSS>
__global__ void __launch_bounds__(128) faces(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    State f = face<ACROSS>(loaded(in, ACROSS ? x : x - 1, ACROSS ? y - 1 : y), loaded(in, x, y));
#pragma unroll
    for (int k = 0; k < VARS; k++)
        out[k * CELLS + y * NX + x] = f.v[k];
}

constexpr int TX = 32, TY = 8;

// a whole step: faces of the tile are computed once and kept
__global__ void __launch_bounds__(256)
    step(const float *__restrict__ in, float *__restrict__ out, float h)
{
    extern __shared__ float kept[];
    float *across = kept, *up = kept + VARS * TY * (TX + 1);
    int left = blockIdx.x * TX, top = blockIdx.y * TY;
    for (int k = threadIdx.x; k < TY * (TX + 1); k += 256) {
        int x = left + k % (TX + 1), y = top + k / (TX + 1);
        State f = face<false>(loaded(in, x - 1, y), loaded(in, x, y));
#pragma unroll
        for (int v = 0; v < VARS; v++)
            across[v * TY * (TX + 1) + k] = f.v[v];
    }
    for (int k = threadIdx.x; k < (TY + 1) * TX; k += 256) {
        int x = left + k % TX, y = top + k / TX;
        State f = face<true>(loaded(in, x, y - 1), loaded(in, x, y));
#pragma unroll
        for (int v = 0; v < VARS; v++)
            up[v * (TY + 1) * TX + k] = f.v[v];
    }
    __syncthreads();
    int tx = threadIdx.x % TX, ty = threadIdx.x / TX, at = (top + ty) * NX + left + tx;
#pragma unroll
    for (int v = 0; v < VARS; v++) {
        const float *a = across + v * TY * (TX + 1) + ty * (TX + 1) + tx,
                    *b = up + v * (TY + 1) * TX + ty * TX + tx;
        out[v * CELLS + at] = in[v * CELLS + at] - h * (a[1] - a[0] + b[TX] - b[0]);
    }
}

__host__ __device__ inline float edge(const float *f, int x, int y)
{
    int left = (x + NX - 1) % NX, down = (y + NY - 1) % NY;
    float a = f[5 * CELLS + y * NX + x], b = f[5 * CELLS + down * NX + x],
          c = f[4 * CELLS + y * NX + x], d = f[4 * CELLS + y * NX + left];
    return 0.25f * (c + d - a - b) + (f[y * NX + x] > 1 ? 0.05f * (a - b) : 0.05f * (c - d));
}

__global__ void edges(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * NX + x] = edge(in, x, y);
}

__global__ void __launch_bounds__(256) longest(const float *__restrict__ in, unsigned *best)
{
    __shared__ float least[8];
    float mine = 1e30f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < CELLS; i += gridDim.x * 256) {
        State s = loaded(in, i % NX, i / NX);
        float p = pressure(s), x = fabsf(s.v[1] / s.v[0]) + fast(s, p, s.v[4]),
              y = fabsf(s.v[2] / s.v[0]) + fast(s, p, s.v[5]);
        mine = fminf(mine, 1 / fmaxf(x, y));
    }
    for (int d = 16; d; d /= 2)
        mine = fminf(mine, __shfl_xor_sync(~0u, mine, d));
    if (threadIdx.x % 32 == 0)
        least[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++)
            mine = fminf(mine, least[k]);
        atomicMin(best, __float_as_uint(mine));
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(53);
    std::vector<float> cells(CELLS * VARS);
    for (int i = 0; i < CELLS; i++) {
        float density = random.between(0.5f, 2), u = random.between(-1, 1),
              v = random.between(-1, 1), a = random.between(-1, 1), b = random.between(-1, 1);
        float all[VARS] = {
            density,
            density * u,
            density * v,
            random.between(0.5f, 3) + 0.5f * (density * (u * u + v * v) + a * a + b * b),
            a,
            b};
        for (int k = 0; k < VARS; k++)
            cells[k * CELLS + i] = all[k];
    }
    float *C = copy(cells), *out = room<float>(CELLS * VARS), h = 0.1f;
    unsigned *best = room<unsigned>(1);
    auto wiped = [&] {
        fill(out, CELLS * VARS, 0xff);
        fill(best, 1, 0x7f);
    };
    variant(
        "along_x", "faces", wiped, [&] { faces<false><<<dim3(NX / 128, NY), 128>>>(C, out); },
        [&] {
            return differ(out, CELLS * VARS, 23, 1e-3, [&](size_t i) {
                int x = i % NX, y = i / NX % NY;
                return face<false>(loaded(cells.data(), x - 1, y), loaded(cells.data(), x, y))
                    .v[i / CELLS];
            });
        });
    variant(
        "along_y", "faces", wiped, [&] { faces<true><<<dim3(NX / 128, NY), 128>>>(C, out); },
        [&] {
            return differ(out, CELLS * VARS, 23, 1e-3, [&](size_t i) {
                int x = i % NX, y = i / NX % NY;
                return face<true>(loaded(cells.data(), x, y - 1), loaded(cells.data(), x, y))
                    .v[i / CELLS];
            });
        });
    size_t bytes = VARS * (TY * (TX + 1) + (TY + 1) * TX) * sizeof(float);
    variant(
        "step", "step", wiped, [&] { step<<<dim3(NX / TX, NY / TY), 256, bytes>>>(C, out, h); },
        [&] {
            return differ(out, CELLS * VARS, 23, 1e-3, [&](size_t i) {
                int x = i % NX, y = i / NX % NY, k = i / CELLS;
                auto at = [&](int u, int v) { return loaded(cells.data(), u, v); };
                return cells[i] - h * (face<false>(at(x, y), at(x + 1, y)).v[k] -
                                       face<false>(at(x - 1, y), at(x, y)).v[k] +
                                       face<true>(at(x, y), at(x, y + 1)).v[k] -
                                       face<true>(at(x, y - 1), at(x, y)).v[k]);
            });
        });
    variant(
        "edges", "edges", wiped, [&] { edges<<<dim3(NX / 256, NY), 256>>>(C, out); },
        [&] {
            return differ(out, CELLS, 7, 1e-4,
                          [&](size_t i) { return edge(cells.data(), i % NX, i / NX); });
        });
    variant(
        "longest", "longest", wiped, [&] { longest<<<132, 256>>>(C, best); },
        [&] {
            unsigned got = fetch(best, 1, false)[0];
            float least = 1e30f, value;
            memcpy(&value, &got, 4);
            for (int i = 0; i < CELLS; i++) {
                State s = loaded(cells.data(), i % NX, i / NX);
                float p = pressure(s), x = std::fabs(s.v[1] / s.v[0]) + fast(s, p, s.v[4]),
                      y = std::fabs(s.v[2] / s.v[0]) + fast(s, p, s.v[5]);
                least = std::min(least, 1 / std::max(x, y));
            }
            return (long)!near(value, least, 1e-4);
        });
    return finish();
}
