// Stencils in double precision: 9 points of a plane, 7 points of a cube directly and with columns marching, 25 points
// of a cube.
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

const int WIDTH = 2048, HEIGHT = 1536, N = 144, PLANE = N * N;

__global__ void plane9(const double *u, double *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * WIDTH + x;
    if (x == 0 || x >= WIDTH - 1 || y == 0 || y >= HEIGHT - 1)
        return;
    double straight = u[i - 1] + u[i + 1] + u[i - WIDTH] + u[i + WIDTH];
    double across = u[i - WIDTH - 1] + u[i - WIDTH + 1] + u[i + WIDTH - 1] + u[i + WIDTH + 1];
    v[i] = 0.5 * u[i] + 0.1 * straight + 0.025 * across;
}

__global__ void cube7(const double *u, double *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || x >= N - 1 || y < 1 || y >= N - 1 || z < 1 || z >= N - 1)
        return;
    int i = z * PLANE + y * N + x;
    v[i] = 0.4 * u[i] + 0.1 * (u[i - 1] + u[i + 1] + u[i - N] + u[i + N] + u[i - PLANE] + u[i + PLANE]);
}

__global__ void cube7_march(const double *u, double *v, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int first = max((int)blockIdx.z * depth, 1), last = min((int)(blockIdx.z + 1) * depth, N - 1);
    if (x < 1 || x >= N - 1 || y < 1 || y >= N - 1)
        return;
    int i = first * PLANE + y * N + x;
    double behind = u[i - PLANE], here = u[i];
    for (int z = first; z < last; z++, i += PLANE) {
        double ahead = u[i + PLANE];
        v[i] = 0.4 * here + 0.1 * (u[i - 1] + u[i + 1] + u[i - N] + u[i + N] + behind + ahead);
        behind = here;
        here = ahead;
    }
}

__constant__ double weight[5];

__global__ void cube25(const double *u, double *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 4 || x >= N - 4 || y < 4 || y >= N - 4 || z < 4 || z >= N - 4)
        return;
    int i = z * PLANE + y * N + x;
    double sum = weight[0] * u[i];
    for (int r = 1; r <= 4; r++)
        sum += weight[r] * (u[i - r] + u[i + r] + u[i - r * N] + u[i + r * N] + u[i - r * PLANE] + u[i + r * PLANE]);
    v[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int flat = WIDTH * HEIGHT, cube = N * PLANE;
    const double weights[5] = {0.3, 0.06, 0.03, 0.02, 0.01};
    Lcg random(44);
    std::vector<double> u(std::max(flat, cube));
    for (double &value : u)
        value = random.between(-1, 1);
    must(cudaMemcpyToSymbol(weight, weights, sizeof weights));
    double *du = copy(u), *v = room<double>(u.size());
    auto clear = [&] { fill(v, u.size(), 0); };
    auto star = [&](size_t i, int radius, double centre, const double *arm) {
        int x = i % N, y = i / N % N, z = i / PLANE;
        if (std::min({x, y, z}) < radius || std::max({x, y, z}) >= N - radius)
            return 0.0;
        double sum = centre * u[i];
        for (int r = 1; r <= radius; r++)
            for (int step : {1, N, PLANE})
                sum += arm[r - 1] * (u[i - r * step] + u[i + r * step]);
        return sum;
    };
    const double tenth = 0.1;
    auto check7 = [&] { return differ(v, cube, 17, 1e-12, [&](size_t i) { return star(i, 1, 0.4, &tenth); }); };
    variant(
        "plane9", "plane9", clear, [&] { plane9<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(du, v); },
        [&] {
            return differ(v, flat, 17, 1e-12, [&](size_t i) {
                size_t x = i % WIDTH, y = i / WIDTH;
                if (x == 0 || x == WIDTH - 1 || y == 0 || y == HEIGHT - 1)
                    return 0.0;
                double sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += (dx && dy ? 0.025 : dx || dy ? 0.1 : 0.5) * u[i + dy * WIDTH + dx];
                return sum;
            });
        });
    variant(
        "cube7", "cube7", clear, [&] { cube7<<<dim3(N / 48, N / 4, N), dim3(48, 4)>>>(du, v); }, check7);
    variant(
        "cube7_march", "cube7_march", clear,
        [&] { cube7_march<<<dim3((N + 31) / 32, N / 8, 9), dim3(32, 8)>>>(du, v, N / 9); }, check7);
    variant(
        "cube25", "cube25", clear, [&] { cube25<<<dim3((N + 31) / 32, N / 8, N), dim3(32, 8)>>>(du, v); },
        [&] { return differ(v, cube, 17, 1e-12, [&](size_t i) { return star(i, 4, weights[0], weights + 1); }); });
    return finish();
}
