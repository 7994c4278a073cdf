// A bilateral filter of 5 x 5 points: from global memory, from a shared tile, through a texture.
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

const int WIDTH = 1024, HEIGHT = 1024, RADIUS = 2;
__constant__ float spatial[2 * RADIUS + 1][2 * RADIUS + 1];

template <class Pixel> __device__ float filter(int x, int y, Pixel pixel)
{
    float centre = pixel(x, y), sum = 0, weight = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            float value = pixel(x + dx, y + dy), difference = value - centre;
            float w = spatial[dy + RADIUS][dx + RADIUS] * __expf(-difference * difference * 8);
            sum += w * value;
            weight += w;
        }
    return sum / weight;
}

__global__ void filter_global(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDTH + x] = filter(
        x, y, [&](int px, int py) { return in[min(max(py, 0), HEIGHT - 1) * WIDTH + min(max(px, 0), WIDTH - 1)]; });
}

__global__ void filter_tile(const float *in, float *out)
{
    __shared__ float tile[8 + 2 * RADIUS][32 + 2 * RADIUS];
    int left = blockIdx.x * 32, above = blockIdx.y * 8;
    for (int ty = threadIdx.y; ty < 8 + 2 * RADIUS; ty += 8)
        for (int tx = threadIdx.x; tx < 32 + 2 * RADIUS; tx += 32)
            tile[ty][tx] =
                in[min(max(above + ty - RADIUS, 0), HEIGHT - 1) * WIDTH + min(max(left + tx - RADIUS, 0), WIDTH - 1)];
    __syncthreads();
    out[(above + threadIdx.y) * WIDTH + left + threadIdx.x] =
        filter(threadIdx.x, threadIdx.y, [&](int px, int py) { return tile[py + RADIUS][px + RADIUS]; });
}

__global__ void filter_texture(cudaTextureObject_t in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDTH + x] = filter(x, y, [&](int px, int py) { return tex2D<float>(in, px, py); });
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDTH * HEIGHT;
    std::vector<float> host = Lcg(35).floats(total);
    float weights[2 * RADIUS + 1][2 * RADIUS + 1];
    for (int y = -RADIUS; y <= RADIUS; y++)
        for (int x = -RADIUS; x <= RADIUS; x++)
            weights[y + RADIUS][x + RADIUS] = expf(-(x * x + y * y) / 4.0f);
    must(cudaMemcpyToSymbol(spatial, weights, sizeof weights));
    float *in = copy(host), *out = room<float>(total);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    must(cudaMemcpy2DToArray(array, 0, 0, host.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    auto clear = [&] { fill(out, total, 0xff); };
    auto check = [&] {
        return differ(out, total, 59, 1e-5, [&](size_t i) {
            int x = i % WIDTH, y = i / WIDTH;
            double sum = 0, weight = 0;
            for (int dy = -RADIUS; dy <= RADIUS; dy++)
                for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                    double value = host[std::min(std::max(y + dy, 0), HEIGHT - 1) * WIDTH +
                                        std::min(std::max(x + dx, 0), WIDTH - 1)];
                    double w = weights[dy + RADIUS][dx + RADIUS] * exp(-(value - host[i]) * (value - host[i]) * 8);
                    sum += w * value;
                    weight += w;
                }
            return sum / weight;
        });
    };
    dim3 grid(WIDTH / 32, HEIGHT / 8), block(32, 8);
    variant(
        "global", "filter_global", clear, [&] { filter_global<<<grid, block>>>(in, out); }, check);
    variant(
        "tile", "filter_tile", clear, [&] { filter_tile<<<grid, block>>>(in, out); }, check);
    variant(
        "texture", "filter_texture", clear,
        [&] { filter_texture<<<dim3(WIDTH / 16, HEIGHT / 16), dim3(16, 16)>>>(texture, out); }, check);
    return finish();
}
