// Sobel's edges of a picture of bytes: directly, from a shared tile, four points a thread, through a texture.
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

const int WIDTH = 3072, HEIGHT = 2048;

template <class Pixel> __host__ __device__ int edge(int x, int y, Pixel pixel)
{
    int a = pixel(x - 1, y - 1), b = pixel(x, y - 1), c = pixel(x + 1, y - 1), d = pixel(x - 1, y), f = pixel(x + 1, y);
    int g = pixel(x - 1, y + 1), h = pixel(x, y + 1), i = pixel(x + 1, y + 1);
    int across = c + 2 * f + i - a - 2 * d - g, down = g + 2 * h + i - a - 2 * b - c;
    int sum = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    return sum < 255 ? sum : 255;
}

__host__ __device__ int inside(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

// the picture with its border repeated outwards
struct Picture {
    const unsigned char *points;
    __host__ __device__ int operator()(int x, int y) const
    {
        return points[inside(y, HEIGHT) * WIDTH + inside(x, WIDTH)];
    }
};

__global__ void edges_direct(const unsigned char *in, unsigned char *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDTH + x] = edge(x, y, Picture{in});
}

__global__ void edges_tile(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char tile[18][66];
    int left = blockIdx.x * 64 - 1, above = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 64 + threadIdx.x; k < 18 * 66; k += 256)
        tile[k / 66][k % 66] = in[inside(above + k / 66, HEIGHT) * WIDTH + inside(left + k % 66, WIDTH)];
    __syncthreads();
    for (int ty = threadIdx.y + 1; ty <= 16; ty += 4)
        out[(above + ty) * WIDTH + left + threadIdx.x + 1] =
            edge(threadIdx.x + 1, ty, [&](int px, int py) { return tile[py][px]; });
}

__global__ void edges_four(const uchar4 *in, uchar4 *out)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned char near_by[3][6];
    for (int row = 0; row < 3; row++) {
        const uchar4 *line = in + inside(y + row - 1, HEIGHT) * (WIDTH / 4);
        uchar4 middle = line[q];
        near_by[row][0] = q > 0 ? line[q - 1].w : middle.x;
        near_by[row][1] = middle.x;
        near_by[row][2] = middle.y;
        near_by[row][3] = middle.z;
        near_by[row][4] = middle.w;
        near_by[row][5] = q < WIDTH / 4 - 1 ? line[q + 1].x : middle.w;
    }
    auto pixel = [&](int px, int py) { return near_by[py][px]; };
    out[y * (WIDTH / 4) + q] = make_uchar4(edge(1, 1, pixel), edge(2, 1, pixel), edge(3, 1, pixel), edge(4, 1, pixel));
}

__global__ void edges_texture(cudaTextureObject_t in, unsigned char *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * WIDTH + x] = edge(x, y, [&](int px, int py) { return tex2D<unsigned char>(in, px, py); });
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDTH * HEIGHT;
    Lcg random(36);
    std::vector<unsigned char> host(total);
    for (int i = 0; i < total; i++)
        host[i] = (i % WIDTH / 16 * 7 + i / WIDTH / 8 * 5 + random.below(24)) & 255;
    unsigned char *in = copy(host), *out = room<unsigned char>(total);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    must(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    must(cudaMemcpy2DToArray(array, 0, 0, host.data(), WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    auto clear = [&] { fill(out, total, 0x7f); };
    auto check = [&] {
        return differ(out, total, 7, 0, [&](size_t i) { return edge(i % WIDTH, i / WIDTH, Picture{host.data()}); });
    };
    variant(
        "direct", "edges_direct", clear, [&] { edges_direct<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(in, out); },
        check);
    variant(
        "tile", "edges_tile", clear, [&] { edges_tile<<<dim3(WIDTH / 64, HEIGHT / 16), dim3(64, 4)>>>(in, out); },
        check);
    variant(
        "four", "edges_four", clear,
        [&] { edges_four<<<dim3(WIDTH / 128, HEIGHT / 4), dim3(32, 4)>>>((const uchar4 *)in, (uchar4 *)out); }, check);
    variant(
        "texture", "edges_texture", clear,
        [&] { edges_texture<<<dim3(WIDTH / 16, HEIGHT / 16), dim3(16, 16)>>>(texture, out); }, check);
    return finish();
}
