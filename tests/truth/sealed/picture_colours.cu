// Pictures from cameras: NV12 to RGBA with two by two points a thread, colours from a Bayer
// pattern, contrast equalised by tables of 8 x 8 tiles, a bicubic enlargement, and a lens undone
// through a texture.
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

constexpr int WIDE = 2560, HIGH = 1440, BIG = 2 * WIDE, TALL = 2 * HIGH;

__host__ __device__ inline uchar4 colour(int y, int u, int v)
{
    int c = 298 * (y - 16), d = u - 128, e = v - 128;
    auto byte = [](int x) { return (unsigned char)(x < 0 ? 0 : x > 65535 ? 255 : x >> 8); };
    return make_uchar4(byte(c + 409 * e + 128), byte(c - 100 * d - 208 * e + 128),
                       byte(c + 516 * d + 128), 255);
}

__global__ void nv12(const uchar2 *__restrict__ y, const uchar2 *__restrict__ uv,
                     uint2 *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (x >= WIDE / 2)
        return;
    uchar2 c = uv[row * (WIDE / 2) + x];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int at = (2 * row + k) * (WIDE / 2) + x;
        uchar2 l = y[at];
        uchar4 a = colour(l.x, c.x, c.y), b = colour(l.y, c.x, c.y);
        out[at] = make_uint2(*(uint32_t *)&a, *(uint32_t *)&b);
    }
}

// RGGB; what lies outside is mirrored
#pragma nv_exec_check_disable
template <class Get> __host__ __device__ inline uchar4 mosaic(Get get, int x, int y)
{
    int c = get(x, y), cross = (get(x - 1, y) + get(x + 1, y) + get(x, y - 1) + get(x, y + 1)) / 4,
        corners =
            (get(x - 1, y - 1) + get(x + 1, y - 1) + get(x - 1, y + 1) + get(x + 1, y + 1)) / 4,
        across = (get(x - 1, y) + get(x + 1, y)) / 2, down = (get(x, y - 1) + get(x, y + 1)) / 2;
    if (y % 2 == 0)
        return x % 2 == 0 ? make_uchar4(c, cross, corners, 255) : make_uchar4(across, c, down, 255);
    return x % 2 == 0 ? make_uchar4(down, c, across, 255) : make_uchar4(corners, cross, c, 255);
}

struct Mirrored {
    const uint8_t *in;
    __host__ __device__ int operator()(int x, int y) const
    {
        x = x < 0 ? -x : x >= WIDE ? 2 * WIDE - 2 - x : x;
        y = y < 0 ? -y : y >= HIGH ? 2 * HIGH - 2 - y : y;
        return in[y * WIDE + x];
    }
};

struct Tile {
    const uint8_t (*tile)[36];
    int left, top;
    __device__ int operator()(int x, int y) const
    {
        return tile[y - top][x - left];
    }
};

__global__ void __launch_bounds__(256)
    bayer(const uint8_t *__restrict__ in, uchar4 *__restrict__ out)
{
    __shared__ uint8_t tile[10][36];
    int left = blockIdx.x * 32 - 1, top = blockIdx.y * 8 - 1, t = threadIdx.y * 32 + threadIdx.x;
    for (int k = t; k < 340; k += 256)
        tile[k / 34][k % 34] = Mirrored{in}(left + k % 34, top + k / 34);
    __syncthreads();
    int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
    out[y * WIDE + x] = mosaic(Tile{tile, left, top}, x, y);
}

// between the tables of the four nearest tiles
__host__ __device__ inline uint8_t equal(const uint8_t *tables, int value, int x, int y)
{
    float fx = (x + 0.5f) * (8.f / WIDE) - 0.5f, fy = (y + 0.5f) * (8.f / HIGH) - 0.5f;
    fx = fminf(fmaxf(fx, 0), 7), fy = fminf(fmaxf(fy, 0), 7);
    int tx = fx < 7 ? (int)fx : 6, ty = fy < 7 ? (int)fy : 6;
    fx -= tx, fy -= ty;
    const uint8_t *p = tables + (ty * 8 + tx) * 256 + value;
    float a = p[0] + fx * (p[256] - p[0]), b = p[2048] + fx * (p[2304] - p[2048]);
    return a + fy * (b - a) + 0.5f;
}

__global__ void equalise(const uchar4 *__restrict__ in, const uint8_t *__restrict__ tables,
                         uchar4 *__restrict__ out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int x = i * 4 % WIDE, y = i * 4 / WIDE;
        uchar4 v = in[i];
        out[i] = make_uchar4(equal(tables, v.x, x, y), equal(tables, v.y, x + 1, y),
                             equal(tables, v.z, x + 2, y), equal(tables, v.w, x + 3, y));
    }
}

__host__ __device__ inline void cubic(float t, float *w)
{
    w[0] = ((-0.5f * t + 1) * t - 0.5f) * t;
    w[1] = (1.5f * t - 2.5f) * t * t + 1;
    w[2] = ((-1.5f * t + 2) * t + 0.5f) * t;
    w[3] = (0.5f * t - 0.5f) * t * t;
}

__host__ __device__ inline float enlarged(const float *in, int x, int y)
{
    float fx = (x + 0.5f) * 0.5f - 0.5f, fy = (y + 0.5f) * 0.5f - 0.5f, u[4], v[4], sum = 0;
    int ix = (int)floorf(fx), iy = (int)floorf(fy);
    cubic(fx - ix, u);
    cubic(fy - iy, v);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < 16; k++) {
        int px = ix + k % 4 - 1, py = iy + k / 4 - 1;
        px = px < 0 ? 0 : px >= WIDE ? WIDE - 1 : px;
        py = py < 0 ? 0 : py >= HIGH ? HIGH - 1 : py;
        sum += u[k % 4] * v[k / 4] * in[py * WIDE + px];
    }
    return sum;
}

__global__ void __launch_bounds__(160)
    bicubic(const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * 160 + threadIdx.x, y = blockIdx.y;
    out[y * BIG + x] = enlarged(in, x, y);
}

__host__ __device__ inline float2 bent(int x, int y)
{
    float u = (x - WIDE / 2) * (1.f / WIDE), v = (y - HIGH / 2) * (1.f / WIDE), r = u * u + v * v,
          f = 1 + r * (0.25f - 0.4f * r);
    return make_float2(u * f * WIDE + WIDE / 2, v * f * WIDE + HIGH / 2);
}

__global__ void lens(cudaTextureObject_t in, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float2 from = bent(x, y);
    out[y * WIDE + x] = tex2D<float>(in, from.x + 0.5f, from.y + 0.5f);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(191);
    const int count = WIDE * HIGH;
    std::vector<uint8_t> y(count), uv(count / 2), tables(64 * 256);
    std::vector<float> grey(count);
    for (int i = 0; i < count; i++) {
        y[i] = 120 + 80 * std::sin(i % WIDE * 0.01) * std::cos(i / WIDE * 0.02) + random.below(30);
        grey[i] = 0.5f + 0.4f * std::sin(i % WIDE * 0.03f) * std::cos(i / WIDE * 0.05f);
    }
    for (uint8_t &c : uv)
        c = 64 + random.below(128);
    for (int t = 0; t < 64; t++)
        for (int k = 0; k < 256; k++)
            tables[t * 256 + k] = 255 * std::pow(k / 255.0, 0.5 + t * 0.02);
    uint8_t *Y = copy(y), *UV = copy(uv), *T = copy(tables), *out_bytes = room<uint8_t>(count);
    float *G = copy(grey), *out = room<float>(BIG * TALL / 4);
    uchar4 *colours = room<uchar4>(count);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    must(cudaMallocArray(&array, &format, WIDE, HIGH));
    must(cudaMemcpy2DToArray(array, 0, 0, grey.data(), WIDE * 4, WIDE * 4, HIGH,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc look = {};
    look.addressMode[0] = look.addressMode[1] = cudaAddressModeClamp;
    look.filterMode = cudaFilterModeLinear;
    look.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &look, nullptr));
    auto wiped = [&] {
        fill(out, BIG * TALL / 4, 0xff);
        fill(colours, count, 0);
        fill(out_bytes, count, 0xff);
    };
    auto check = [&](auto expected) {
        std::vector<uint32_t> got = fetch((uint32_t *)colours, count);
        long bad = 0;
        for (int i = 0; i < count; i++) {
            uchar4 c = expected(i % WIDE, i / WIDE);
            bad += memcmp(&c, &got[i], 4) != 0;
        }
        return bad;
    };
    variant(
        "nv12", "nv12", wiped,
        [&] {
            nv12<<<dim3((WIDE / 2 + 95) / 96, HIGH / 2), 96>>>((uchar2 *)Y, (uchar2 *)UV,
                                                               (uint2 *)colours);
        },
        [&] {
            return check([&](int px, int py) {
                const uint8_t *c = &uv[py / 2 * WIDE + px / 2 * 2];
                return colour(y[py * WIDE + px], c[0], c[1]);
            });
        });
    variant(
        "bayer", "bayer", wiped,
        [&] { bayer<<<dim3(WIDE / 32, HIGH / 8), dim3(32, 8)>>>(Y, colours); },
        [&] { return check([&](int px, int py) { return mosaic(Mirrored{y.data()}, px, py); }); });
    variant(
        "equalise", "equalise", wiped,
        [&] { equalise<<<132 * 4, 512>>>((uchar4 *)Y, T, (uchar4 *)out_bytes, count / 4); },
        [&] {
            std::vector<uint8_t> got = fetch(out_bytes, count);
            long bad = 0;
            for (int i = 0; i < count; i++)
                bad += std::abs(got[i] - equal(tables.data(), y[i], i % WIDE, i / WIDE)) > 1;
            return bad;
        });
    variant(
        "bicubic", "bicubic", wiped, [&] { bicubic<<<dim3(BIG / 160, TALL / 4), 160>>>(G, out); },
        [&] {
            return differ(out, BIG * (TALL / 4), 7, 1e-4,
                          [&](size_t i) { return enlarged(grey.data(), i % BIG, i / BIG); });
        });
    variant(
        "lens", "lens", wiped,
        [&] { lens<<<dim3(WIDE / 32, HIGH / 8), dim3(32, 8)>>>(texture, out); },
        [&] {
            return differ(out, count, 5, 5e-3, [&](size_t i) {
                float2 from = bent(i % WIDE, i / WIDE);
                float px = std::clamp(from.x, 0.f, WIDE - 1.f),
                      py = std::clamp(from.y, 0.f, HIGH - 1.f);
                int ix = std::min((int)px, WIDE - 2), iy = std::min((int)py, HIGH - 2);
                float a = px - ix, b = py - iy, *p = &grey[iy * WIDE + ix];
                return (1 - b) * ((1 - a) * p[0] + a * p[1]) +
                       b * ((1 - a) * p[WIDE] + a * p[WIDE + 1]);
            });
        });
    return finish();
}
