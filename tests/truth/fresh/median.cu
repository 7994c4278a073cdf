// Median filters: 3 x 3 floats by a network, 5 x 5 bytes by sorting in local memory, 5 x 5 bytes bit by bit.
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

__device__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median_network(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || x >= width - 1 || y == 0 || y >= height - 1)
        return;
    float v[3][3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            v[r][c] = in[(y + r - 1) * width + x + c - 1];
        order(v[r][0], v[r][1]);
        order(v[r][1], v[r][2]);
        order(v[r][0], v[r][1]);
    }
    // the middle of: the largest least, the middle one of the middles, the least largest
    float low = fmaxf(fmaxf(v[0][0], v[1][0]), v[2][0]), high = fminf(fminf(v[0][2], v[1][2]), v[2][2]);
    order(v[0][1], v[1][1]);
    float middle = fmaxf(v[0][1], fminf(v[1][1], v[2][1]));
    order(low, middle);
    order(middle, high);
    out[y * width + x] = fmaxf(low, middle);
}

__global__ void median_sort(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || x >= width - 2 || y < 2 || y >= height - 2)
        return;
    unsigned char sorted[25];
    int count = 0;
    for (int r = y - 2; r <= y + 2; r++)
        for (int c = x - 2; c <= x + 2; c++) {
            unsigned char value = in[r * width + c];
            int at = count++;
            for (; at > 0 && sorted[at - 1] > value; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = value;
        }
    out[y * width + x] = sorted[12];
}

__global__ void median_bits(const unsigned char *in, unsigned char *out, int width, int height)
{
    __shared__ unsigned char tile[12][36];
    int left = blockIdx.x * 32 - 2, above = blockIdx.y * 8 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 12 * 36; k += 256)
        tile[k / 36][k % 36] =
            in[min(max(above + k / 36, 0), height - 1) * width + min(max(left + k % 36, 0), width - 1)];
    __syncthreads();
    int x = left + 2 + threadIdx.x, y = above + 2 + threadIdx.y;
    if (x < 2 || x >= width - 2 || y < 2 || y >= height - 2)
        return;
    unsigned char value[25];
    for (int k = 0; k < 25; k++)
        value[k] = tile[threadIdx.y + k / 5][threadIdx.x + k % 5];
    int median = 0;
    for (int bit = 128; bit; bit /= 2) {
        int below = 0;
        for (int k = 0; k < 25; k++)
            below += value[k] < median + bit;
        if (below <= 12)
            median += bit;
    }
    out[y * width + x] = median;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int width = 2048, height = 2048, small_width = 640, small_height = 480, small = small_width * small_height;
    Lcg random(37);
    std::vector<float> host = random.floats((size_t)width * height);
    std::vector<unsigned char> bytes(small);
    for (unsigned char &byte : bytes)
        byte = random.next() >> 24;
    float *in = copy(host), *out = room<float>(host.size());
    unsigned char *bytes_in = copy(bytes), *bytes_out = room<unsigned char>(small);
    auto expected = [](const auto &values, int w, int h, int radius, size_t i) {
        int x = i % w, y = i / w;
        double near_by[25];
        int count = 0;
        if (x < radius || x >= w - radius || y < radius || y >= h - radius)
            return 0.0;
        for (int r = y - radius; r <= y + radius; r++)
            for (int c = x - radius; c <= x + radius; c++)
                near_by[count++] = values[r * w + c];
        std::nth_element(near_by, near_by + count / 2, near_by + count);
        return near_by[count / 2];
    };
    auto clear = [&] {
        fill(out, host.size(), 0);
        fill(bytes_out, small, 0);
    };
    auto check_bytes = [&] {
        return differ(bytes_out, small, 7, 0,
                      [&](size_t i) { return expected(bytes, small_width, small_height, 2, i); });
    };
    variant(
        "network", "median_network", clear,
        [&] { median_network<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(in, out, width, height); },
        [&] {
            return differ(out, host.size(), 101, 0, [&](size_t i) { return expected(host, width, height, 1, i); });
        });
    dim3 grid(small_width / 32, small_height / 8), block(32, 8);
    variant(
        "sort", "median_sort", clear,
        [&] { median_sort<<<grid, block>>>(bytes_in, bytes_out, small_width, small_height); }, check_bytes);
    variant(
        "bits", "median_bits", clear,
        [&] { median_bits<<<grid, block>>>(bytes_in, bytes_out, small_width, small_height); }, check_bytes);
    return finish();
}
