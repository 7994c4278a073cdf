// Shallow water on a plane by finite volumes: flows through faces along x (HLL), a whole step with
// four faces for each cell, a step of second order with limited slopes from a shared tile, and a
// whole step in double precision.
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

constexpr int WIDE = 1024, HIGH = 512, COUNT = WIDE * HIGH;

template <class T> struct Cell {
    T h, u, v; // height and both momenta
};

template <class T> __host__ __device__ inline T least(T a, T b)
{
    return a < b ? a : b;
}

// HLL; u is the momentum across the face
template <class T> __host__ __device__ inline Cell<T> face(Cell<T> a, Cell<T> b)
{
    const T g = (T)9.81;
    T ua = a.u / a.h, ub = b.u / b.h, ca = sqrt(g * a.h), cb = sqrt(g * b.h);
    T low = least(ua - ca, ub - cb), high = -least(-ua - ca, -ub - cb);
    Cell<T> fa = {a.u, a.u * ua + g / 2 * a.h * a.h, a.v * ua},
            fb = {b.u, b.u * ub + g / 2 * b.h * b.h, b.v * ub};
    if (low >= 0)
        return fa;
    if (high <= 0)
        return fb;
    T s = 1 / (high - low);
    return {(high * fa.h - low * fb.h + low * high * (b.h - a.h)) * s,
            (high * fa.u - low * fb.u + low * high * (b.u - a.u)) * s,
            (high * fa.v - low * fb.v + low * high * (b.v - a.v)) * s};
}

template <class T> __host__ __device__ inline Cell<T> turned(Cell<T> c)
{
    return {c.h, c.v, c.u};
}

template <class T>
__host__ __device__ inline Cell<T> cell(const T *h, const T *u, const T *v, int x, int y)
{
    int i = (y + HIGH) % HIGH * WIDE + (x + WIDE) % WIDE;
    return {h[i], u[i], v[i]};
}

template <class T>
__host__ __device__ inline Cell<T> stepped(const T *h, const T *u, const T *v, int x, int y, T by)
{
    Cell<T> c = cell(h, u, v, x, y);
    Cell<T> west = face(cell(h, u, v, x - 1, y), c), east = face(c, cell(h, u, v, x + 1, y)),
            north = face(turned(cell(h, u, v, x, y - 1)), turned(c)),
            south = face(turned(c), turned(cell(h, u, v, x, y + 1)));
    return {c.h - by * (east.h - west.h + south.h - north.h),
            c.u - by * (east.u - west.u + south.v - north.v),
            c.v - by * (east.v - west.v + south.u - north.u)};
}

__global__ void flows(const float *__restrict__ h, const float *__restrict__ u,
                      const float *__restrict__ v, float *__restrict__ fh, float *__restrict__ fu,
                      float *__restrict__ fv)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % WIDE, y = i / WIDE;
    Cell<float> f = face(cell(h, u, v, x - 1, y), cell(h, u, v, x, y));
    fh[i] = f.h, fu[i] = f.u, fv[i] = f.v;
}

template <class T> __global__ void whole_step(const T *__restrict__ h, const T *__restrict__ u,
                                              const T *__restrict__ v, T *__restrict__ out, T by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        i = y * WIDE + x;
    Cell<T> c = stepped(h, u, v, x, y, by);
    out[i] = c.h, out[COUNT + i] = c.u, out[2 * COUNT + i] = c.v;
}

__host__ __device__ inline float limited(float a, float b)
{
    return a * b <= 0 ? 0 : fabsf(a) < fabsf(b) ? a : b;
}

__host__ __device__ inline Cell<float> leaning(Cell<float> a, Cell<float> b, Cell<float> c,
                                               float way)
{
    return {b.h + way * limited(b.h - a.h, c.h - b.h), b.u + way * limited(b.u - a.u, c.u - b.u),
            b.v + way * limited(b.v - a.v, c.v - b.v)};
}

// tiles of 32 x 8 with two cells around; get(dx, dy) is a neighbour
template <class Get> __device__ inline Cell<float> second(Get get, float by)
{
    Cell<float> c = get(0, 0), w = get(-1, 0), e = get(1, 0);
    Cell<float> west = face(leaning(get(-2, 0), w, c, 0.5f), leaning(w, c, e, -0.5f)),
                east = face(leaning(w, c, e, 0.5f), leaning(c, e, get(2, 0), -0.5f));
    c = turned(c), w = turned(get(0, -1)), e = turned(get(0, 1));
    Cell<float> north = face(leaning(turned(get(0, -2)), w, c, 0.5f), leaning(w, c, e, -0.5f)),
                south = face(leaning(w, c, e, 0.5f), leaning(c, e, turned(get(0, 2)), -0.5f));
    return {c.h - by * (east.h - west.h + south.h - north.h),
            c.v - by * (east.u - west.u + south.v - north.v),
            c.u - by * (east.v - west.v + south.u - north.u)};
}

__global__ void __launch_bounds__(256)
    second_order(const float *__restrict__ h, const float *__restrict__ u,
                 const float *__restrict__ v, float *__restrict__ out, float by)
{
    __shared__ float th[12][36], tu[12][36], tv[12][36];
    int left = blockIdx.x * 32, top = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
    for (int k = ty * 32 + tx; k < 12 * 36; k += 256) {
        Cell<float> c = cell(h, u, v, left + k % 36 - 2, top + k / 36 - 2);
        th[k / 36][k % 36] = c.h, tu[k / 36][k % 36] = c.u, tv[k / 36][k % 36] = c.v;
    }
    __syncthreads();
    Cell<float> c = second(
        [&](int dx, int dy) {
            return Cell<float>{th[ty + 2 + dy][tx + 2 + dx], tu[ty + 2 + dy][tx + 2 + dx],
                               tv[ty + 2 + dy][tx + 2 + dx]};
        },
        by);
    int i = (top + ty) * WIDE + left + tx;
    out[i] = c.h, out[COUNT + i] = c.u, out[2 * COUNT + i] = c.v;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(179);
    std::vector<float> h = random.floats(COUNT, 0.8f, 1.2f), u = random.floats(COUNT, -0.5f, 0.5f),
                       v = random.floats(COUNT, -0.5f, 0.5f);
    for (int i = 0; i < COUNT; i++) {
        h[i] += i % WIDE > 300 && i % WIDE < 500 ? 1 : 0;
        u[i] += i / WIDE > 250 ? 5 : 0; // faster than waves
    }
    std::vector<double> dh(h.begin(), h.end()), du(u.begin(), u.end()), dv(v.begin(), v.end());
    float *H = copy(h), *U = copy(u), *V = copy(v), *out = room<float>(3 * COUNT);
    double *DH = copy(dh), *DU = copy(du), *DV = copy(dv), *dout = room<double>(3 * COUNT);
    auto wiped = [&] {
        fill(out, 3 * COUNT, 0xff);
        fill(dout, 3 * COUNT, 0xff);
    };
    auto three = [&](auto *result, double tolerance, auto expected) {
        auto got = fetch(result, 3 * COUNT);
        long bad = 0;
        for (int i = 0; i < COUNT; i += 3) {
            auto c = expected(i % WIDE, i / WIDE);
            bad += !near(got[i], c.h, tolerance) || !near(got[COUNT + i], c.u, tolerance) ||
                   !near(got[2 * COUNT + i], c.v, tolerance);
        }
        return bad;
    };
    variant(
        "flows", "flows", wiped,
        [&] { flows<<<COUNT / 128, 128>>>(H, U, V, out, out + COUNT, out + 2 * COUNT); },
        [&] {
            return three(out, 1e-4, [&](int x, int y) {
                return face(cell(h.data(), u.data(), v.data(), x - 1, y),
                            cell(h.data(), u.data(), v.data(), x, y));
            });
        });
    variant(
        "whole_step", "whole_step", wiped,
        [&] { whole_step<float><<<dim3(WIDE / 64, HIGH / 2), dim3(64, 2)>>>(H, U, V, out, 0.05f); },
        [&] {
            return three(out, 1e-4, [&](int x, int y) {
                return stepped(h.data(), u.data(), v.data(), x, y, 0.05f);
            });
        });
    variant(
        "second_order", "second_order", wiped,
        [&] { second_order<<<dim3(WIDE / 32, HIGH / 8), dim3(32, 8)>>>(H, U, V, out, 0.05f); },
        [&] {
            return three(out, 1e-4, [&](int x, int y) {
                auto at = [&](int dx, int dy) {
                    return cell(h.data(), u.data(), v.data(), x + dx, y + dy);
                };
                auto between = [&](int side, bool down) { // the face before cell `side`
                    Cell<float> n[4];
                    for (int k = 0; k < 4; k++)
                        n[k] = down ? turned(at(0, side + k - 2)) : at(side + k - 2, 0);
                    return face(leaning(n[0], n[1], n[2], 0.5f), leaning(n[1], n[2], n[3], -0.5f));
                };
                Cell<float> w = between(0, false), e = between(1, false), n = between(0, true),
                            s = between(1, true), c = at(0, 0);
                return Cell<float>{c.h - 0.05f * (e.h - w.h + s.h - n.h),
                                   c.u - 0.05f * (e.u - w.u + s.v - n.v),
                                   c.v - 0.05f * (e.v - w.v + s.u - n.u)};
            });
        });
    variant(
        "double", "whole_step", wiped,
        [&] {
            whole_step<double><<<dim3(WIDE / 32, HIGH / 4), dim3(32, 4)>>>(DH, DU, DV, dout, 0.05);
        },
        [&] {
            return three(dout, 1e-10, [&](int x, int y) {
                return stepped(dh.data(), du.data(), dv.data(), x, y, 0.05);
            });
        });
    return finish();
}
