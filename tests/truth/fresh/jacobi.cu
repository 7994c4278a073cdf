// Poisson's equation on a 4096 x 1536 grid: Jacobi directly, by shared tiles, with columns marching in registers; one
// colour of red and black.
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

const int WIDTH = 4096, HEIGHT = 1536;

__global__ void jacobi_direct(const float *u, const float *f, float *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * WIDTH + x;
    if (x > 0 && x < WIDTH - 1 && y > 0 && y < HEIGHT - 1)
        v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - WIDTH] + u[i + WIDTH] - f[i]);
}

__global__ void jacobi_tile(const float *u, const float *f, float *v)
{
    __shared__ float tile[18][34];
    int left = blockIdx.x * 32 - 1, above = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
        int x = min(max(left + k % 34, 0), WIDTH - 1), y = min(max(above + k / 34, 0), HEIGHT - 1);
        tile[k / 34][k % 34] = u[y * WIDTH + x];
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = above + ty;
    if (x > 0 && x < WIDTH - 1 && y > 0 && y < HEIGHT - 1)
        v[y * WIDTH + x] =
            0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - f[y * WIDTH + x]);
}

__global__ void jacobi_march(const float *u, const float *f, float *v, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, first = max(blockIdx.y * rows, 1u);
    int last = min((blockIdx.y + 1) * rows, HEIGHT - 1);
    if (x == 0 || x >= WIDTH - 1)
        return;
    float above = u[(first - 1) * WIDTH + x], here = u[first * WIDTH + x];
    for (int y = first; y < last; y++) {
        int i = y * WIDTH + x;
        float below = u[i + WIDTH];
        v[i] = 0.25f * (u[i - 1] + u[i + 1] + above + below - f[i]);
        above = here;
        here = below;
    }
}

__global__ void red_sweep(float *u, const float *f, float weight)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + y % 2,
        i = y * WIDTH + x;
    if (x > 0 && x < WIDTH - 1 && y > 0 && y < HEIGHT - 1)
        u[i] += weight * (0.25f * (u[i - 1] + u[i + 1] + u[i - WIDTH] + u[i + WIDTH] - f[i]) - u[i]);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDTH * HEIGHT;
    Lcg random(18);
    std::vector<float> u = random.floats(total, -1, 1), f = random.floats(total, -1, 1);
    float *du = copy(u), *df = copy(f), *v = room<float>(total);
    auto inner = [&](size_t i) {
        return i % WIDTH > 0 && i % WIDTH < WIDTH - 1 && i / WIDTH > 0 && i / WIDTH < HEIGHT - 1;
    };
    auto relaxed = [&](size_t i) { return 0.25 * ((double)u[i - 1] + u[i + 1] + u[i - WIDTH] + u[i + WIDTH] - f[i]); };
    auto clear = [&] { fill(v, total, 0); };
    auto check = [&] { return differ(v, total, 13, 1e-6, [&](size_t i) { return inner(i) ? relaxed(i) : 0; }); };
    variant(
        "direct", "jacobi_direct", clear,
        [&] { jacobi_direct<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(du, df, v); }, check);
    variant(
        "tile", "jacobi_tile", clear, [&] { jacobi_tile<<<dim3(WIDTH / 32, HEIGHT / 16), dim3(32, 16)>>>(du, df, v); },
        check);
    variant(
        "march", "jacobi_march", clear, [&] { jacobi_march<<<dim3(WIDTH / 128, 48), 128>>>(du, df, v, HEIGHT / 48); },
        check);
    variant(
        "red", "red_sweep", [&] { put(v, u); },
        [&] { red_sweep<<<dim3(WIDTH / 64, HEIGHT / 8), dim3(32, 8)>>>(v, df, 1.5f); },
        [&] {
            return differ(v, total, 13, 1e-5, [&](size_t i) {
                bool red = (i % WIDTH + i / WIDTH) % 2 == 0;
                return red && inner(i) ? u[i] + 1.5 * (relaxed(i) - u[i]) : u[i];
            });
        });
    return finish();
}
