// Votes for lines and circles through marked points: atomics on the whole table, a block that keeps
// the row of an angle in shared memory, circles of one radius, the strongest votes of their
// surroundings.
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

constexpr int ANGLES = 180, OFFSETS = 2560, SIDE = 1024;
__constant__ float2 AXIS[ANGLES];

__host__ __device__ inline int line_of(short2 p, float2 axis)
{
    return (int)(p.x * axis.x + p.y * axis.y + 1024);
}

__global__ void all_lines(const short2 *__restrict__ point, int points, int *__restrict__ votes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    short2 p = point[i];
    for (int a = 0; a < ANGLES; a++)
        atomicAdd(&votes[a * OFFSETS + line_of(p, AXIS[a])], 1);
}

// blockIdx.x is an angle, blockIdx.y a part of the points
__global__ void an_angle(const short2 *__restrict__ point, int points, int *__restrict__ votes)
{
    __shared__ int mine[OFFSETS];
    for (int o = threadIdx.x; o < OFFSETS; o += blockDim.x)
        mine[o] = 0;
    __syncthreads();
    float2 axis = AXIS[blockIdx.x];
    int each = (points + gridDim.y - 1) / gridDim.y,
        end = min((int)(blockIdx.y + 1) * each, points);
    for (int i = blockIdx.y * each + threadIdx.x; i < end; i += blockDim.x)
        atomicAdd(&mine[line_of(point[i], axis)], 1);
    __syncthreads();
    for (int o = threadIdx.x; o < OFFSETS; o += blockDim.x)
        if (mine[o])
            atomicAdd(&votes[blockIdx.x * OFFSETS + o], mine[o]);
}

// a warp is a point, lanes go around it
__global__ void circles(const short2 *__restrict__ point, int points, float radius,
                        int *__restrict__ votes)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= points)
        return;
    short2 p = point[i];
    for (int a = threadIdx.x % 32; a < ANGLES; a += 32) {
        int x = (int)(p.x + radius * AXIS[a].x), y = (int)(p.y + radius * AXIS[a].y);
        if (x >= 0 && y >= 0 && x < SIDE && y < SIDE)
            atomicAdd(&votes[y * SIDE + x], 1);
    }
}

__global__ void strongest(const int *__restrict__ votes, uint8_t *__restrict__ out, int width,
                          int height, int least)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int mine = votes[y * width + x];
    bool top = mine >= least;
    for (int dy = -3; top && dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            int r = y + dy, c = x + dx;
            if (r >= 0 && c >= 0 && r < height && c < width && votes[r * width + c] > mine)
                top = false;
        }
    out[y * width + x] = top;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int points = 24000, few = 8000, count = SIDE * SIDE;
    Lcg random(353);
    std::vector<short2> list(points);
    for (int i = 0; i < points; i++) {
        int line = random.below(12), t = random.below(700);
        list[i] = i % 2 ? short2{(short)random.below(SIDE), (short)random.below(SIDE)}
                        : make_short2(100 + line * 20 + t / 3, 50 + t);
    }
    float2 axis[ANGLES];
    for (int a = 0; a < ANGLES; a++) // steps of 1/64, so that no product is rounded
        axis[a] = make_float2(std::round(64 * std::cos(a * M_PI / ANGLES)) / 64,
                              std::round(64 * std::sin(a * M_PI / ANGLES)) / 64);
    must(cudaMemcpyToSymbol(AXIS, axis, sizeof axis));
    std::vector<int> lines(ANGLES * OFFSETS), around(count), noise(count);
    for (short2 p : list)
        for (int a = 0; a < ANGLES; a++)
            lines[a * OFFSETS + line_of(p, axis[a])]++;
    for (int i = 0; i < few; i++)
        for (int a = 0; a < ANGLES; a++) {
            int x = (int)(list[i].x + 40.f * axis[a].x), y = (int)(list[i].y + 40.f * axis[a].y);
            if (x >= 0 && y >= 0 && x < SIDE && y < SIDE)
                around[y * SIDE + x]++;
        }
    for (int &n : noise)
        n = random.below(100);
    short2 *point = copy(list);
    int *votes = room<int>(count), *given = copy(noise);
    uint8_t *out = room<uint8_t>(count);
    auto reset = [&] {
        fill(votes, count, 0);
        fill(out, count, 0x77);
    };
    auto check = [&] {
        return differ(votes, ANGLES * OFFSETS, 1, 0, [&](size_t i) { return lines[i]; });
    };
    variant(
        "lines", "all_lines", reset,
        [&] { all_lines<<<(points + 127) / 128, 128>>>(point, points, votes); }, check);
    variant(
        "angle", "an_angle", reset,
        [&] { an_angle<<<dim3(ANGLES, 4), 256>>>(point, points, votes); }, check);
    variant(
        "circles", "circles", reset, [&] { circles<<<few / 8, 256>>>(point, few, 40, votes); },
        [&] { return differ(votes, count, 1, 0, [&](size_t i) { return around[i]; }); });
    variant(
        "strongest", "strongest", reset,
        [&] { strongest<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(given, out, SIDE, SIDE, 90); },
        [&] {
            return differ(out, count, 1, 0, [&](size_t i) {
                int x = i % SIDE, y = i / SIDE, top = noise[i] >= 90;
                for (int dy = -3; dy <= 3; dy++)
                    for (int dx = -3; dx <= 3; dx++)
                        if (y + dy >= 0 && x + dx >= 0 && y + dy < SIDE && x + dx < SIDE &&
                            noise[(y + dy) * SIDE + x + dx] > noise[i])
                            top = 0;
                return top;
            });
        });
    return finish();
}
