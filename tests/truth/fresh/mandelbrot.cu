// The Mandelbrot set, where lanes leave their loops at different times: rows of 256, squares of 16, warps that fetch
// work, doubles.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and checked. With N, as many
// warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN (microseconds).
static int repeats, found, failed;
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

template <class T> static std::vector<T> fetch(const T *device, size_t count)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
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
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch, Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    long bad = check();
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

const int WIDTH = 768, HEIGHT = 512, LIMIT = 160;

template <class Real> __host__ __device__ int escape(int x, int y)
{
    Real cx = fma((Real)x, (Real)3.2 / WIDTH, (Real)-2.3), cy = fma((Real)y, (Real)2.2 / HEIGHT, (Real)-1.1);
    Real a = 0, b = 0;
    int n = 0;
    for (; n < LIMIT; n++) {
        if (fma(a, a, b * b) > 4)
            break;
        Real next = fma(a, a, fma(-b, b, cx));
        b = fma(a + a, b, cy);
        a = next;
    }
    return n;
}

template <class Real> __global__ void draw(int *image)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    image[y * WIDTH + x] = escape<Real>(x, y);
}

__global__ void draw_queue(int *image, int *next)
{
    int lane = threadIdx.x % 32;
    for (;;) {
        int part = 0;
        if (lane == 0)
            part = atomicAdd(next, 1);
        part = __shfl_sync(~0u, part, 0);
        if (part >= WIDTH * HEIGHT / 32)
            return;
        // parts are 8 wide and 4 high
        int x = part % (WIDTH / 8) * 8 + lane % 8, y = part / (WIDTH / 8) * 4 + lane / 8;
        image[y * WIDTH + x] = escape<float>(x, y);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDTH * HEIGHT;
    int *image = room<int>(total), *next = room<int>(1);
    auto clear = [&] {
        fill(image, total, 0xff);
        fill(next, 1, 0);
    };
    auto check = [&] {
        return differ(image, total, 173, 0, [&](size_t i) { return escape<float>(i % WIDTH, i / WIDTH); });
    };
    variant(
        "rows", "draw<float>", clear, [&] { draw<float><<<dim3(WIDTH / 256, HEIGHT), 256>>>(image); }, check);
    variant(
        "squares", "draw<float>", clear, [&] { draw<float><<<dim3(WIDTH / 16, HEIGHT / 16), dim3(16, 16)>>>(image); },
        check);
    variant(
        "queue", "draw_queue", clear, [&] { draw_queue<<<264, 128>>>(image, next); }, check);
    variant(
        "double", "draw<double>", clear, [&] { draw<double><<<dim3(WIDTH / 32, HEIGHT / 4), dim3(32, 4)>>>(image); },
        [&] { return differ(image, total, 173, 0, [&](size_t i) { return escape<double>(i % WIDTH, i / WIDTH); }); });
    return finish();
}
