// What a renderer does to finished pictures: shade of corners by depths around a point, from global
// memory and from a shared tile, points out of focus spread by their depth, edges made smooth where
// they are found, and motion smeared through a texture.
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

constexpr int WIDE = 1024, HIGH = 576, COUNT = WIDE * HIGH, SAMPLES = 16, REACH = 12;

__constant__ int2 around[SAMPLES];

__host__ __device__ inline int within(int x, int y)
{
    x = x < 0 ? 0 : x >= WIDE ? WIDE - 1 : x;
    y = y < 0 ? 0 : y >= HIGH ? HIGH - 1 : y;
    return y * WIDE + x;
}

// samples nearer than the point hide it, less the nearer they are; turns change from point to point
template <class Depth>
__host__ __device__ inline float hidden(const int2 *list, int x, int y, Depth depth)
{
    float own = depth(x, y), sum = 0;
    int turn = (x & 3) ^ (y & 3) << 1 & 3;
    for (int k = 0; k < SAMPLES; k++) {
        int2 s = list[k];
        if (turn & 1)
            s = make_int2(-s.y, s.x);
        if (turn & 2)
            s = make_int2(-s.x, -s.y);
        float nearer = own - depth(x + s.x, y + s.y);
        if (nearer > 0.01f)
            sum += 1 / (1 + nearer * nearer * 4);
    }
    return 1 - sum / SAMPLES;
}

struct Depths {
    const float *from;
    __host__ __device__ float operator()(int x, int y) const
    {
        return from[within(x, y)];
    }
};

__global__ void shade_global(const float *__restrict__ depths, float *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = hidden(around, x, y, Depths{depths});
}

constexpr int TILE_WIDE = 32 + 2 * REACH, TILE_HIGH = 16 + 2 * REACH;

__global__ void __launch_bounds__(512)
    shade_tile(const float *__restrict__ depths, float *__restrict__ out)
{
    __shared__ float tile[TILE_HIGH][TILE_WIDE];
    int left = blockIdx.x * 32 - REACH, top = blockIdx.y * 16 - REACH,
        t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < TILE_HIGH * TILE_WIDE; i += 512)
        tile[i / TILE_WIDE][i % TILE_WIDE] =
            depths[within(left + i % TILE_WIDE, top + i / TILE_WIDE)];
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * WIDE + x] = hidden(around, x, y, [&](int u, int v) { return tile[v - top][u - left]; });
}

// a circle as wide as the point is out of focus; what is sharp does not spread into it
__host__ __device__ inline float4 spread(const uchar4 *colours, const float *blur, int x, int y)
{
    float own = blur[y * WIDE + x], weight = 0;
    int reach = (int)own;
    float4 sum = {};
    for (int v = -reach; v <= reach; v++)
        for (int u = -reach; u <= reach; u++) {
            int square = u * u + v * v, at = within(x + u, y + v);
            if (square > reach * reach)
                continue;
            float other = blur[at];
            float share = other * other + 1 > square ? 1 : 0.125f;
            uchar4 c = colours[at];
            sum.x += share * c.x, sum.y += share * c.y, sum.z += share * c.z, weight += share;
        }
    return make_float4(sum.x / weight, sum.y / weight, sum.z / weight, weight);
}

__global__ void defocus(const uchar4 *__restrict__ colours, const float *__restrict__ blur,
                        float4 *__restrict__ out)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * WIDE + x] = spread(colours, blur, x, y);
}

__host__ __device__ inline int light(uchar4 c)
{
    return 2 * c.x + 5 * c.y + c.z;
}

// where light changes, a point is mixed with its neighbour across the edge, by how far the edge
// goes
__host__ __device__ inline uchar4 edge_mixed(const uchar4 *colours, int x, int y)
{
    auto at = [&](int u, int v) { return light(colours[within(u, v)]); };
    uchar4 own = colours[y * WIDE + x];
    int middle = light(own), north = at(x, y - 1), south = at(x, y + 1), west = at(x - 1, y),
        east = at(x + 1, y);
    int most = max(max(middle, north), max(south, max(west, east))),
        least = min(min(middle, north), min(south, min(west, east)));
    if (most - least < 160)
        return own;
    bool level = abs(north + south - 2 * middle) >= abs(west + east - 2 * middle);
    int a = level ? north : west, b = level ? south : east;
    int side = abs(a - middle) >= abs(b - middle) ? -1 : 1;
    int border = middle + (side < 0 ? a : b), limit = abs((side < 0 ? a : b) - middle) / 2;
    int ends[2] = {8, 8};
    for (int way = 0; way < 2; way++)
        for (int k = 1; k < 8; k++) {
            int step = way ? k : -k, u = level ? x + step : x, v = level ? y : y + step;
            int both = at(u, v) + at(level ? u : u + side, level ? v + side : v);
            if (abs(both - border) >= limit) {
                ends[way] = k;
                break;
            }
        }
    int length = ends[0] + ends[1], nearest = min(ends[0], ends[1]);
    int share = 128 - 256 * nearest / length; // of 256
    uchar4 other = colours[within(level ? x : x + side, level ? y + side : y)];
    own.x += (other.x - own.x) * share / 256, own.y += (other.y - own.y) * share / 256;
    own.z += (other.z - own.z) * share / 256;
    return own;
}

__global__ void edges(const uchar4 *__restrict__ colours, uchar4 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * WIDE + x] = edge_mixed(colours, x, y);
}

__global__ void trails(cudaTextureObject_t picture, const float2 *__restrict__ moves,
                       float4 *__restrict__ out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float2 m = moves[y * WIDE + x];
    float4 sum = {};
#pragma unroll
    for (int k = 0; k < 12; k++) {
        float part = k / 11.0f - 0.5f;
        float4 c = tex2D<float4>(picture, x + 0.5f + m.x * part, y + 0.5f + m.y * part);
        sum.x += c.x, sum.y += c.y, sum.z += c.z;
    }
    out[y * WIDE + x] = make_float4(sum.x / 12, sum.y / 12, sum.z / 12, 1);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(397);
    std::vector<float> depths(COUNT), blur(COUNT);
    std::vector<uint8_t> colours(COUNT * 4);
    std::vector<float2> moves(COUNT);
    for (int i = 0; i < COUNT; i++) {
        int x = i % WIDE, y = i / WIDE;
        depths[i] = 5 + (x / 60 + y / 45) % 3 + 0.3f * sinf(x * 0.05f) + random.between(0, 0.02f);
        blur[i] = (x / 160 + y / 120) % 3 * 1.6f;
        moves[i] = make_float2(16 * sinf(y * 0.01f), 10 * cosf(x * 0.012f));
        for (int c = 0; c < 4; c++)
            colours[4 * i + c] = 60 + 120 * ((x + y / 3) / 37 % 2) + 8 * c + random.below(16);
    }
    int2 list[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        float far = (k + 1) * (REACH - 1) / (float)SAMPLES, angle = k * 2.4f;
        list[k] = make_int2((int)rintf(far * cosf(angle)), (int)rintf(far * sinf(angle)));
    }
    must(cudaMemcpyToSymbol(around, list, sizeof list));
    float *D = copy(depths), *B = copy(blur), *out = room<float>(COUNT * 4);
    uchar4 *C = (uchar4 *)copy(colours);
    float2 *M = copy(moves);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    must(cudaMallocArray(&array, &format, WIDE, HIGH));
    must(cudaMemcpy2DToArray(array, 0, 0, colours.data(), WIDE * 4, WIDE * 4, HIGH,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeNormalizedFloat;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    must(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    auto wiped = [&] { fill(out, COUNT * 4, 0x77); };
    const uchar4 *host = (const uchar4 *)colours.data();
    auto shaded = [&] {
        return differ(out, COUNT, 7, 1e-4, [&](size_t i) {
            return hidden(list, i % WIDE, i / WIDE, Depths{depths.data()});
        });
    };
    const dim3 grid(WIDE / 32, HIGH / 8), block(32, 8);
    variant(
        "shade_global", "shade_global", wiped, [&] { shade_global<<<grid, block>>>(D, out); },
        shaded);
    variant(
        "shade_tile", "shade_tile", wiped,
        [&] { shade_tile<<<dim3(WIDE / 32, HIGH / 16), dim3(32, 16)>>>(D, out); }, shaded);
    variant(
        "defocus", "defocus", wiped,
        [&] { defocus<<<dim3(WIDE / 16, HIGH / 16), dim3(16, 16)>>>(C, B, (float4 *)out); },
        [&] {
            return differ(out, COUNT * 4, 61, 1e-3, [&](size_t i) {
                float4 s = spread(host, blur.data(), i / 4 % WIDE, i / 4 / WIDE);
                return i % 4 == 0 ? s.x : i % 4 == 1 ? s.y : i % 4 == 2 ? s.z : s.w;
            });
        });
    variant(
        "edges", "edges", wiped, [&] { edges<<<grid, block>>>(C, (uchar4 *)out); },
        [&] {
            return differ((uint8_t *)out, COUNT * 4, 5, 0, [&](size_t i) {
                uchar4 c = edge_mixed(host, i / 4 % WIDE, i / 4 / WIDE);
                return i % 4 == 0 ? c.x : i % 4 == 1 ? c.y : i % 4 == 2 ? c.z : c.w;
            });
        });
    variant(
        "trails", "trails", wiped, [&] { trails<<<grid, block>>>(texture, M, (float4 *)out); },
        [&] {
            return differ(out, COUNT * 4, 61, 5e-3, [&](size_t i) {
                int x = i / 4 % WIDE, y = i / 4 / WIDE, c = i % 4;
                double sum = 0;
                for (int k = 0; k < 12 && c < 3; k++) {
                    double part = k / 11.0 - 0.5, u = x + moves[i / 4].x * part,
                           v = y + moves[i / 4].y * part;
                    int left = (int)floor(u), top = (int)floor(v);
                    for (int q = 0; q < 4; q++)
                        sum += (q & 1 ? u - left : 1 - u + left) * (q & 2 ? v - top : 1 - v + top) *
                               colours[4 * within(left + (q & 1), top + (q >> 1)) + c] / 255;
                }
                return c < 3 ? sum / 12 : 1;
            });
        });
    return finish();
}
