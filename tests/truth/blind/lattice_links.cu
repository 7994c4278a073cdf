// A lattice gauge theory in four dimensions with 3 x 3 complex links: vectors carried over from
// eight neighbours with links side by side and link after link, loops of four links, links brought
// back to unit determinant, and products of many matrices in double precision.
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

constexpr int NX = 16, NT = 8, SITES = NX * NX * NX * NT;

template <class T> struct Complex {
    T x, y;
};

template <class T>
__host__ __device__ inline void add_product(Complex<T> &s, Complex<T> a, Complex<T> b)
{
    s.x += a.x * b.x - a.y * b.y, s.y += a.x * b.y + a.y * b.x;
}

template <class T> __host__ __device__ inline Complex<T> turned(Complex<T> a)
{
    return {a.x, -a.y};
}

__host__ __device__ inline int neighbour(int site, int direction, int step)
{
    int size = direction == 3 ? NT : NX, shift = 4 * direction, at = site >> shift & (size - 1);
    return (site & ~((size - 1) << shift)) | ((at + step) & (size - 1)) << shift;
}

using C = Complex<float>;

// SIDE: number k of all sites side by side; else all nine numbers of a link in a row
template <bool SIDE>
__host__ __device__ inline C link_at(const C *links, int site, int direction, int k)
{
    return SIDE ? links[(direction * 9 + k) * SITES + site] : links[(site * 4 + direction) * 9 + k];
}

template <bool SIDE>
__host__ __device__ inline void carried(const C *links, const C *vectors, int site, C *sum)
{
    for (int direction = 0; direction < 4; direction++) {
        int ahead = neighbour(site, direction, 1), behind = neighbour(site, direction, -1);
#pragma unroll
        for (int c = 0; c < 3; c++) {
            C v = SIDE ? vectors[c * SITES + ahead] : vectors[ahead * 3 + c];
            C w = SIDE ? vectors[c * SITES + behind] : vectors[behind * 3 + c];
            w.x = -w.x, w.y = -w.y;
#pragma unroll
            for (int r = 0; r < 3; r++) {
                add_product(sum[r], link_at<SIDE>(links, site, direction, r * 3 + c), v);
                add_product(sum[r], turned(link_at<SIDE>(links, behind, direction, c * 3 + r)), w);
            }
        }
    }
}

template <bool SIDE>
__global__ void __launch_bounds__(128)
    hop(const C *__restrict__ links, const C *__restrict__ vectors, C *__restrict__ out)
{
    int site = blockIdx.x * 128 + threadIdx.x;
    C sum[3] = {};
    carried<SIDE>(links, vectors, site, sum);
#pragma unroll
    for (int r = 0; r < 3; r++)
        out[SIDE ? r * SITES + site : site * 3 + r] = sum[r];
}

template <class T>
__host__ __device__ inline void multiply(const Complex<T> *a, const Complex<T> *b, Complex<T> *c,
                                         bool turn)
{
#pragma unroll
    for (int i = 0; i < 3; i++)
#pragma unroll
        for (int j = 0; j < 3; j++) {
            Complex<T> s = {0, 0};
#pragma unroll
            for (int k = 0; k < 3; k++)
                add_product(s, a[i * 3 + k], turn ? turned(b[j * 3 + k]) : b[k * 3 + j]);
            c[i * 3 + j] = s;
        }
}

__host__ __device__ inline float loop(const C *links, int site, int m, int n)
{
    C a[9], b[9], c[9], d[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        a[k] = link_at<true>(links, site, m, k),
        b[k] = link_at<true>(links, neighbour(site, m, 1), n, k);
        c[k] = link_at<true>(links, neighbour(site, n, 1), m, k),
        d[k] = link_at<true>(links, site, n, k);
    }
    C p[9], q[9];
    multiply(a, b, p, false);
    multiply(p, c, q, true);
    float trace = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        trace += q[k].x * d[k].x + q[k].y * d[k].y;
    return trace;
}

// a thread a site and plane; sums of blocks are written
__global__ void __launch_bounds__(128) loops(const C *__restrict__ links, float *__restrict__ out)
{
    __shared__ float sums[4];
    int site = blockIdx.x * 128 + threadIdx.x, m = blockIdx.y / 3, n = blockIdx.y % 3 + 1;
    float trace = m < n ? loop(links, site, m, n) : 0;
    for (int d = 16; d; d /= 2)
        trace += __shfl_down_sync(~0u, trace, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = trace;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

__host__ __device__ inline void normal(C *row)
{
    float size = 0;
    for (int k = 0; k < 3; k++)
        size += row[k].x * row[k].x + row[k].y * row[k].y;
    size = 1 / sqrtf(size);
    for (int k = 0; k < 3; k++)
        row[k].x *= size, row[k].y *= size;
}

__host__ __device__ inline void unitary(C *u)
{
    normal(u);
    C dot = {0, 0};
    for (int k = 0; k < 3; k++)
        add_product(dot, turned(u[k]), u[3 + k]);
    dot.x = -dot.x, dot.y = -dot.y;
    for (int k = 0; k < 3; k++)
        add_product(u[3 + k], dot, u[k]);
    normal(u + 3);
    for (int k = 0; k < 3; k++) { // the last row is the turned cross product of the others
        int i = (k + 1) % 3, j = (k + 2) % 3;
        C s = {0, 0}, t = {0, 0};
        add_product(s, u[i], u[3 + j]);
        add_product(t, u[j], u[3 + i]);
        u[6 + k] = {s.x - t.x, t.y - s.y};
    }
}

__global__ void units(C *links)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, site = i % SITES, direction = i / SITES;
    C u[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        u[k] = links[(direction * 9 + k) * SITES + site];
    unitary(u);
#pragma unroll
    for (int k = 0; k < 9; k++)
        links[(direction * 9 + k) * SITES + site] = u[k];
}

using D = Complex<double>;

// the product of a line of links along time, by few threads
__global__ void lines(const D *__restrict__ links, D *__restrict__ out, int count, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    D p[9], q[9], next[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        p[k] = links[k * count + i];
    for (int t = 1; t < length; t++) {
#pragma unroll
        for (int k = 0; k < 9; k++)
            next[k] = links[(t * 9 + k) * count + i];
        multiply(p, next, q, false);
#pragma unroll
        for (int k = 0; k < 9; k++)
            p[k] = q[k];
    }
#pragma unroll
    for (int k = 0; k < 9; k++)
        out[k * count + i] = p[k];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(19);
    const int count = 4096, length = 48;
    std::vector<C> links(SITES * 36), rows(SITES * 36), vectors(SITES * 3);
    std::vector<D> many(count * 9 * length);
    for (int i = 0; i < SITES * 4; i++)
        for (int k = 0; k < 9; k++) {
            C v = {random.between(-1, 1), random.between(-1, 1)};
            links[(i % 4 * 9 + k) * SITES + i / 4] = rows[i * 9 + k] = v;
        }
    for (C &v : vectors)
        v = {random.between(-1, 1), random.between(-1, 1)};
    for (D &v : many)
        v = {random.between(-0.5f, 0.5f), random.between(-0.5f, 0.5f)};
    C *L = room<C>(SITES * 36), *R = copy(rows), *V = copy(vectors), *out = room<C>(SITES * 3);
    D *M = copy(many), *products = room<D>(count * 9);
    float *sums = room<float>(9 * SITES / 128);
    auto fresh = [&] {
        put(L, links);
        fill(out, SITES * 3, 0xff);
    };
    auto check = [&](bool side) {
        std::vector<float> got = fetch((float *)out, SITES * 6);
        long bad = 0;
        for (int site = 0; site < SITES; site += 7) {
            C sum[3] = {};
            side ? carried<true>(links.data(), vectors.data(), site, sum)
                 : carried<false>(rows.data(), vectors.data(), site, sum);
            for (int r = 0; r < 3; r++) {
                int at = side ? r * SITES + site : site * 3 + r;
                bad += !near(got[2 * at], sum[r].x, 1e-4) + !near(got[2 * at + 1], sum[r].y, 1e-4);
            }
        }
        return bad;
    };
    variant(
        "side_by_side", "hop", fresh, [&] { hop<true><<<SITES / 128, 128>>>(L, V, out); },
        [&] { return check(true); });
    variant(
        "in_a_row", "hop", fresh, [&] { hop<false><<<SITES / 128, 128>>>(R, V, out); },
        [&] { return check(false); });
    variant(
        "loops", "loops", fresh, [&] { loops<<<dim3(SITES / 128, 9), 128>>>(L, sums); },
        [&] {
            return differ(sums, 9 * SITES / 128, 5, 1e-3, [&](size_t i) {
                int plane = i / (SITES / 128), m = plane / 3, n = plane % 3 + 1;
                double sum = 0;
                for (int k = 0; m < n && k < 128; k++)
                    sum += loop(links.data(), i % (SITES / 128) * 128 + k, m, n);
                return sum;
            });
        });
    variant(
        "units", "units", fresh, [&] { units<<<SITES * 4 / 256, 256>>>(L); },
        [&] {
            std::vector<float> got = fetch((float *)L, SITES * 72);
            long bad = 0;
            for (int i = 0; i < SITES * 4; i += 13) {
                C u[9];
                for (int k = 0; k < 9; k++)
                    u[k] = links[(i / SITES * 9 + k) * SITES + i % SITES];
                unitary(u);
                for (int k = 0; k < 9; k++)
                    bad += !near(got[2 * ((i / SITES * 9 + k) * SITES + i % SITES)], u[k].x, 2e-3);
            }
            return bad;
        });
    variant(
        "lines", "lines", fresh, [&] { lines<<<count / 64, 64>>>(M, products, count, length); },
        [&] {
            std::vector<double> got = fetch((double *)products, count * 18);
            long bad = 0;
            for (int i = 0; i < count; i += 3) {
                D p[9], q[9], next[9];
                for (int t = 0; t < length; t++) {
                    for (int k = 0; k < 9; k++)
                        next[k] = many[(t * 9 + k) * count + i];
                    t ? multiply(p, next, q, false) : (void)std::copy(next, next + 9, q);
                    std::copy(q, q + 9, p);
                }
                for (int k = 0; k < 9; k++)
                    bad += !near(got[2 * (k * count + i)], p[k].x, 1e-9);
            }
            return bad;
        });
    return finish();
}
