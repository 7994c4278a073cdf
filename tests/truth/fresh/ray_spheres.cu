// Casting rays at 48 spheres: kept in constant memory, kept in shared memory, with up to four reflections.
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

const int WIDTH = 512, HEIGHT = 384, SPHERES = 48;
__constant__ float4 fixed[SPHERES];

struct Ray {
    float x, y, z, dx, dy, dz;
};

__host__ __device__ Ray ray_of(int i)
{
    float dx = (i % WIDTH + 0.5f) / WIDTH - 0.5f, dy = ((float)(i / WIDTH) + 0.5f) / HEIGHT - 0.5f;
    float scale = 1 / sqrtf(dx * dx + dy * dy + 1);
    return {0, 0, -3, dx * scale, dy * scale, scale};
}

template <class Spheres> __host__ __device__ int strike(const Ray &r, const Spheres &spheres, float &distance)
{
    int hit = -1;
    distance = 1e30f;
    for (int s = 0; s < SPHERES; s++) {
        float4 ball = spheres[s];
        float x = ball.x - r.x, y = ball.y - r.y, z = ball.z - r.z;
        float along = x * r.dx + y * r.dy + z * r.dz;
        float inside = along * along - (x * x + y * y + z * z - ball.w * ball.w);
        if (inside > 0) {
            float at = along - sqrtf(inside);
            if (at > 1e-3f && at < distance) {
                distance = at;
                hit = s;
            }
        }
    }
    return hit;
}

template <class Spheres> __host__ __device__ float trace(int i, const Spheres &spheres, int bounces)
{
    Ray r = ray_of(i);
    float light = 0, strength = 1;
    for (int bounce = 0; bounce <= bounces; bounce++) {
        float distance;
        int hit = strike(r, spheres, distance);
        if (hit < 0)
            return light + strength * (0.5f + 0.5f * r.dy);
        float4 ball = spheres[hit];
        r.x += r.dx * distance;
        r.y += r.dy * distance;
        r.z += r.dz * distance;
        float nx = (r.x - ball.x) / ball.w, ny = (r.y - ball.y) / ball.w, nz = (r.z - ball.z) / ball.w;
        float facing = r.dx * nx + r.dy * ny + r.dz * nz;
        light += strength * 0.4f * fmaxf(0, ny);
        strength *= 0.6f;
        r.dx -= 2 * facing * nx;
        r.dy -= 2 * facing * ny;
        r.dz -= 2 * facing * nz;
    }
    return light;
}

__global__ void cast_constant(float *image)
{
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * WIDTH + blockIdx.x * blockDim.x + threadIdx.x;
    image[i] = trace(i, fixed, 0);
}

__global__ void cast_shared(const float4 *spheres, float *image, int bounces)
{
    __shared__ float4 near_by[SPHERES];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t < SPHERES)
        near_by[t] = spheres[t];
    __syncthreads();
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * WIDTH + blockIdx.x * blockDim.x + threadIdx.x;
    image[i] = trace(i, near_by, bounces);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int total = WIDTH * HEIGHT;
    Lcg random(34);
    std::vector<float4> spheres(SPHERES);
    for (float4 &ball : spheres)
        ball = make_float4(random.between(-2, 2), random.between(-1.5f, 1.5f), random.between(0.5f, 4),
                           random.between(0.1f, 0.5f));
    must(cudaMemcpyToSymbol(fixed, spheres.data(), sizeof fixed));
    float4 *ds = copy(spheres);
    float *image = room<float>(total);
    auto clear = [&] { fill(image, total, 0xff); };
    // a ray that only just meets a sphere may miss it here
    auto check = [&](int bounces) {
        long bad = differ(image, total, 101, 1e-2, [&](size_t i) { return trace(i, spheres.data(), bounces); });
        return bad > total / 101 / 100 ? bad : 0;
    };
    dim3 grid(WIDTH / 16, HEIGHT / 16), block(16, 16);
    variant(
        "constant", "cast_constant", clear, [&] { cast_constant<<<grid, block>>>(image); }, [&] { return check(0); });
    variant(
        "shared", "cast_shared", clear, [&] { cast_shared<<<grid, block>>>(ds, image, 0); }, [&] { return check(0); });
    variant(
        "reflections", "cast_shared", clear,
        [&] { cast_shared<<<dim3(WIDTH / 32, HEIGHT / 4), dim3(32, 4)>>>(ds, image, 4); }, [&] { return check(4); });
    return finish();
}
