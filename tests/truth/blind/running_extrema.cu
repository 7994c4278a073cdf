// Running maxima and their like: long windows along rows by parts from both sides and by doubling,
// along columns with a queue in local memory, masks of bits eroded by a window, and a picture
// rebuilt from a marker within tiles until nothing changes.
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

constexpr int WIDE = 2048, HIGH = 1024, COUNT = WIDE * HIGH, WINDOW = 31;

__device__ inline int larger(int a, int b)
{
    return max(a, b);
}

// parts of 31: maxima from the left and from the right; a window touches two parts
__global__ void __launch_bounds__(256)
    rows_parts(const short *__restrict__ in, short *__restrict__ out)
{
    constexpr int PARTS = (256 + WINDOW - 1 + WINDOW - 1) / WINDOW;
    __shared__ short from_left[PARTS * WINDOW], from_right[PARTS * WINDOW];
    int left = blockIdx.x * 256 - WINDOW / 2, y = blockIdx.y, t = threadIdx.x;
    for (int k = t; k < PARTS * WINDOW; k += 256) {
        int x = left + k;
        from_left[k] = from_right[k] = x < 0 || x >= WIDE ? -32768 : in[y * WIDE + x];
    }
    __syncthreads();
    if (t < PARTS) {
        for (int k = 1; k < WINDOW; k++)
            from_left[t * WINDOW + k] =
                larger(from_left[t * WINDOW + k], from_left[t * WINDOW + k - 1]);
    } else if (t >= 32 && t < 32 + PARTS) {
        for (int k = WINDOW - 2; k >= 0; k--)
            from_right[(t - 32) * WINDOW + k] =
                larger(from_right[(t - 32) * WINDOW + k], from_right[(t - 32) * WINDOW + k + 1]);
    }
    __syncthreads();
    out[y * WIDE + blockIdx.x * 256 + t] = larger(from_right[t], from_left[t + WINDOW - 1]);
}

// windows of 2, 4, 8 and 16 from shared memory, then two of 16
__global__ void __launch_bounds__(256)
    rows_doubling(const short *__restrict__ in, short *__restrict__ out)
{
    __shared__ short a[256 + 32], b[256 + 32];
    int left = blockIdx.x * 256 - WINDOW / 2, y = blockIdx.y, t = threadIdx.x;
    for (int k = t; k < 256 + 32; k += 256) {
        int x = left + k;
        a[k] = x < 0 || x >= WIDE ? -32768 : in[y * WIDE + x];
    }
    short *from = a, *to = b;
    for (int d = 1; d < 16; d *= 2) {
        __syncthreads();
        for (int k = t; k < 256 + 32; k += 256)
            to[k] = k + d < 256 + 32 ? larger(from[k], from[k + d]) : from[k];
        short *other = from;
        from = to, to = other;
    }
    __syncthreads();
    out[y * WIDE + blockIdx.x * 256 + t] = larger(from[t], from[t + WINDOW - 16]);
}

// a thread a column and part of the height: places of falling values wait in a ring
__global__ void __launch_bounds__(64)
    columns_queue(const short *__restrict__ in, short *__restrict__ out, int part)
{
    int x = blockIdx.x * 64 + threadIdx.x, first = blockIdx.y * part;
    short value[32], place[32];
    unsigned head = 0, tail = 0;
    for (int y = first - WINDOW / 2; y < first + part + WINDOW / 2; y++) {
        if (y >= 0 && y < HIGH) {
            short v = in[y * WIDE + x];
            while (tail != head && value[(tail - 1) % 32] <= v)
                tail--;
            value[tail % 32] = v, place[tail % 32] = y;
            tail++;
        }
        int middle = y - WINDOW / 2;
        if (middle < first)
            continue;
        while (place[head % 32] < middle - WINDOW / 2)
            head++;
        out[middle * WIDE + x] = value[head % 32];
    }
}

// 32 points a word: a window of 9 x 9 must be set
__host__ __device__ inline uint32_t thinned(uint32_t left, uint32_t own, uint32_t right)
{
    uint64_t low = (uint64_t)own << 32 | left, high = (uint64_t)right << 32 | own;
    uint32_t all = own;
    for (int k = 1; k <= 4; k++)
        all &= (uint32_t)(high >> k) & (uint32_t)(low >> (32 - k));
    return all;
}

__global__ void bits(const uint32_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, words = WIDE / 32;
    uint32_t all = ~0u;
#pragma unroll
    for (int k = -4; k <= 4; k++) {
        int row = y + k;
        if (row < 0 || row >= HIGH)
            continue;
        const uint32_t *p = in + row * words + w;
        all &= thinned(w > 0 ? p[-1] : ~0u, p[0], w + 1 < words ? p[1] : ~0u);
    }
    out[y * words + w] = all;
}

// the marker grows under the mask inside of tiles of 32 x 32
__global__ void __launch_bounds__(256)
    rebuild(const short *__restrict__ mask, const short *__restrict__ marker,
            short *__restrict__ out)
{
    __shared__ short now[34][34];
    int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x % 32,
        y = threadIdx.x / 32 * 4;
    short limit[4];
    for (int k = threadIdx.x; k < 34 * 34; k += 256)
        now[k / 34][k % 34] = -32768;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int at = (top + y + k) * WIDE + left + x;
        limit[k] = mask[at];
        now[y + k + 1][x + 1] = min(marker[at], limit[k]);
    }
    bool more = true;
    __syncthreads();
    while (more) {
        int v[4];
        bool changed = false;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = max(max(now[y + k][x + 1], now[y + k + 2][x + 1]),
                       max(now[y + k + 1][x], now[y + k + 1][x + 2]));
            v[k] = min(max(v[k], (int)now[y + k + 1][x + 1]), (int)limit[k]);
            changed |= v[k] != now[y + k + 1][x + 1];
        }
        more = __syncthreads_or(changed);
#pragma unroll
        for (int k = 0; k < 4; k++)
            now[y + k + 1][x + 1] = v[k];
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[(top + y + k) * WIDE + left + x] = now[y + k + 1][x + 1];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(73);
    const int part = 64, high = 256;
    std::vector<short> in(COUNT), marker(COUNT);
    std::vector<uint32_t> words(COUNT / 32);
    for (int i = 0; i < COUNT; i++) {
        in[i] = (int)random.below(2000) + 500 * ((i % WIDE / 100 + i / WIDE / 70) % 3);
        marker[i] = random.below(200) ? in[i] / 8 : in[i];
    }
    for (uint32_t &w : words)
        w = random.below(3) ? ~(1u << random.below(32)) : ~0u;
    short *I = copy(in), *M = copy(marker), *out = room<short>(COUNT);
    uint32_t *W = copy(words), *left = room<uint32_t>(COUNT / 32);
    auto wiped = [&] {
        fill(out, COUNT, 0x77);
        fill(left, COUNT / 32, 0x77);
    };
    auto along = [&](size_t i) {
        short best = -32768;
        for (int x = (int)(i % WIDE) - 15; x <= (int)(i % WIDE) + 15; x++)
            if (x >= 0 && x < WIDE)
                best = std::max(best, in[i / WIDE * WIDE + x]);
        return best;
    };
    variant(
        "rows_parts", "rows_parts", wiped,
        [&] { rows_parts<<<dim3(WIDE / 256, HIGH), 256>>>(I, out); },
        [&] { return differ(out, COUNT, 7, 0, along); });
    variant(
        "rows_doubling", "rows_doubling", wiped,
        [&] { rows_doubling<<<dim3(WIDE / 256, HIGH), 256>>>(I, out); },
        [&] { return differ(out, COUNT, 7, 0, along); });
    variant(
        "columns_queue", "columns_queue", wiped,
        [&] { columns_queue<<<dim3(WIDE / 64, HIGH / part), 64>>>(I, out, part); },
        [&] {
            return differ(out, COUNT, 7, 0, [&](size_t i) {
                short best = -32768;
                for (int y = (int)(i / WIDE) - 15; y <= (int)(i / WIDE) + 15; y++)
                    if (y >= 0 && y < HIGH)
                        best = std::max(best, in[y * WIDE + i % WIDE]);
                return best;
            });
        });
    variant(
        "bits", "bits", wiped, [&] { bits<<<dim3(1, HIGH), WIDE / 32>>>(W, left); },
        [&] {
            std::vector<uint32_t> got = fetch(left, COUNT / 32);
            long bad = 0;
            for (int i = 0; i < COUNT; i += 5) {
                int x = i % WIDE, y = i / WIDE, all = 1;
                for (int v = std::max(0, y - 4); v <= std::min(HIGH - 1, y + 4); v++)
                    for (int u = std::max(0, x - 4); u <= std::min(WIDE - 1, x + 4); u++)
                        all &= words[v * (WIDE / 32) + u / 32] >> u % 32 & 1;
                bad += (int)(got[i / 32] >> i % 32 & 1) != all;
            }
            return bad;
        });
    variant(
        "rebuild", "rebuild", wiped,
        [&] { rebuild<<<dim3(WIDE / 32, high / 32), 256>>>(I, M, out); },
        [&] {
            std::vector<short> got = fetch(out, WIDE * high);
            long bad = 0;
            for (int b = 0; b < WIDE * high / 1024; b += 7) {
                int left = b % (WIDE / 32) * 32, top = b / (WIDE / 32) * 32;
                std::vector<int> now(34 * 34, -32768);
                for (int k = 0; k < 1024; k++) {
                    int at = (top + k / 32) * WIDE + left + k % 32;
                    now[(k / 32 + 1) * 34 + k % 32 + 1] = std::min(marker[at], in[at]);
                }
                for (bool changed = true; changed;) {
                    changed = false;
                    for (int k = 0; k < 1024; k++) {
                        int p = (k / 32 + 1) * 34 + k % 32 + 1,
                            v = std::max(
                                {now[p], now[p - 1], now[p + 1], now[p - 34], now[p + 34]});
                        v = std::min<int>(v, in[(top + k / 32) * WIDE + left + k % 32]);
                        changed |= v != now[p];
                        now[p] = v;
                    }
                }
                for (int k = 0; k < 1024; k++)
                    bad += got[(top + k / 32) * WIDE + left + k % 32] !=
                           now[(k / 32 + 1) * 34 + k % 32 + 1];
            }
            return bad;
        });
    return finish();
}
