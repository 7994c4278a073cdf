// Sums over rectangles: sums along rows by a warp, along rows by a block of four numbers a thread,
// along columns, and means of large squares by four look-ups.
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

constexpr int WIDTH = 2048, HEIGHT = 1536;

__global__ void rows_warp(const uint8_t *__restrict__ in, uint32_t *__restrict__ out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    uint32_t before = 0;
    for (int x = lane; x < WIDTH; x += 32) {
        uint32_t v = in[row * WIDTH + x];
        for (int step = 1; step < 32; step *= 2) {
            uint32_t left = __shfl_up_sync(~0u, v, step);
            v += lane >= step ? left : 0;
        }
        v += before;
        out[row * WIDTH + x] = v;
        before = __shfl_sync(~0u, v, 31);
    }
}

// 512 threads a row
__global__ void rows_block(const uchar4 *__restrict__ in, uint4 *__restrict__ out)
{
    __shared__ uint32_t warps[16];
    int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uchar4 v = in[i];
    uint32_t a = v.x, b = a + v.y, c = b + v.z, d = c + v.w, sum = d;
    for (int step = 1; step < 32; step *= 2) {
        uint32_t left = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? left : 0;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        uint32_t w = lane < 16 ? warps[lane] : 0;
        for (int step = 1; step < 16; step *= 2) {
            uint32_t left = __shfl_up_sync(~0u, w, step);
            w += lane >= step ? left : 0;
        }
        if (lane < 16)
            warps[lane] = w;
    }
    __syncthreads();
    uint32_t before = sum - d + (warp ? warps[warp - 1] : 0);
    out[i] = make_uint4(before + a, before + b, before + c, before + d);
}

__global__ void columns(uint32_t *sum)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t before = 0;
#pragma unroll 8
    for (int y = 0; y < HEIGHT; y++)
        sum[y * WIDTH + x] = before += sum[y * WIDTH + x];
}

__global__ void square_means(const uint32_t *__restrict__ sum, float *__restrict__ out, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = max(x - radius, 0) - 1, right = min(x + radius, WIDTH - 1),
        top = max(y - radius, 0) - 1, bottom = min(y + radius, HEIGHT - 1);
    uint32_t all = sum[bottom * WIDTH + right];
    if (left >= 0)
        all -= sum[bottom * WIDTH + left];
    if (top >= 0)
        all -= sum[top * WIDTH + right];
    if (left >= 0 && top >= 0)
        all += sum[top * WIDTH + left];
    out[y * WIDTH + x] = (float)all / ((right - left) * (bottom - top));
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = WIDTH * HEIGHT, radius = 20;
    Lcg random(197);
    std::vector<uint8_t> picture(count);
    std::vector<uint32_t> along(count), whole(count);
    for (int i = 0; i < count; i++) {
        picture[i] = random.next();
        along[i] = picture[i] + (i % WIDTH ? along[i - 1] : 0);
        whole[i] = along[i] + (i >= WIDTH ? whole[i - WIDTH] : 0);
    }
    uint8_t *bytes = copy(picture);
    uint32_t *sums = copy(whole), *out = room<uint32_t>(count);
    float *mean = room<float>(count);
    auto wiped = [&] { fill(out, count, 0xff); };
    auto check = [&] { return differ(out, count, 1, 0, [&](size_t i) { return along[i]; }); };
    variant(
        "rows_warp", "rows_warp", wiped, [&] { rows_warp<<<HEIGHT / 4, 128>>>(bytes, out); },
        check);
    variant(
        "rows_block", "rows_block", wiped,
        [&] { rows_block<<<HEIGHT, 512>>>((const uchar4 *)bytes, (uint4 *)out); }, check);
    variant(
        "columns", "columns", [&] { put(out, along); }, [&] { columns<<<WIDTH / 32, 32>>>(out); },
        [&] { return differ(out, count, 1, 0, [&](size_t i) { return whole[i]; }); });
    variant(
        "means", "square_means", [&] { fill(mean, count, 0xff); },
        [&] { square_means<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(sums, mean, radius); },
        [&] {
            return differ(mean, count, 997, 1e-5, [&](size_t i) {
                int x = i % WIDTH, y = i / WIDTH, many = 0;
                double sum = 0;
                for (int r = std::max(y - radius, 0); r <= std::min(y + radius, HEIGHT - 1); r++)
                    for (int c = std::max(x - radius, 0); c <= std::min(x + radius, WIDTH - 1);
                         c++, many++)
                        sum += picture[r * WIDTH + c];
                return sum / many;
            });
        });
    return finish();
}
