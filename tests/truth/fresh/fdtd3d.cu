// Maxwell's equations on a grid of 128 cubed: electric update, magnetic update, electric update with columns marching
// in z.
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

const int N = 128, PLANE = N * N;
struct Field {
    float *x, *y, *z;
};

__global__ void electric(Field e, Field h, const float *factor)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0)
        return;
    int i = z * PLANE + y * N + x;
    float c = factor[i];
    e.x[i] += c * (h.z[i] - h.z[i - N] - h.y[i] + h.y[i - PLANE]);
    e.y[i] += c * (h.x[i] - h.x[i - PLANE] - h.z[i] + h.z[i - 1]);
    e.z[i] += c * (h.y[i] - h.y[i - 1] - h.x[i] + h.x[i - N]);
}

__global__ void magnetic(Field h, Field e, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x == N - 1 || y == N - 1 || z == N - 1)
        return;
    int i = z * PLANE + y * N + x;
    h.x[i] -= c * (e.z[i + N] - e.z[i] - e.y[i + PLANE] + e.y[i]);
    h.y[i] -= c * (e.x[i + PLANE] - e.x[i] - e.z[i + 1] + e.z[i]);
    h.z[i] -= c * (e.y[i + 1] - e.y[i] - e.x[i + N] + e.x[i]);
}

__global__ void electric_march(Field e, Field h, const float *factor)
{
    __shared__ float hx[9][32], hz[9][33], hy[8][33];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    int first = blockIdx.z * 32;
    bool inside = x > 0 && y > 0;
    int i = first * PLANE + y * N + x;
    float old_x = first ? h.x[i - PLANE] : 0, old_y = first ? h.y[i - PLANE] : 0;
    for (int z = first; z < first + 32; z++, i += PLANE) {
        __syncthreads();
        hx[ty + 1][tx] = h.x[i];
        hy[ty][tx + 1] = h.y[i];
        hz[ty + 1][tx + 1] = h.z[i];
        if (ty == 0 && y > 0) {
            hx[0][tx] = h.x[i - N];
            hz[0][tx + 1] = h.z[i - N];
        }
        if (tx == 0 && x > 0) {
            hy[ty][0] = h.y[i - 1];
            hz[ty + 1][0] = h.z[i - 1];
        }
        __syncthreads();
        float new_x = hx[ty + 1][tx], new_y = hy[ty][tx + 1], new_z = hz[ty + 1][tx + 1];
        if (inside && z > 0) {
            float c = factor[i];
            e.x[i] += c * (new_z - hz[ty][tx + 1] - new_y + old_y);
            e.y[i] += c * (new_x - old_x - new_z + hz[ty + 1][tx]);
            e.z[i] += c * (new_y - hy[ty][tx] - new_x + hx[ty][tx]);
        }
        old_x = new_x;
        old_y = new_y;
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t total = (size_t)N * PLANE;
    Lcg random(19);
    std::vector<float> he[3], hh[3], factor = random.floats(total, 0.1f, 0.5f);
    float *de[3], *dh[3];
    for (int k = 0; k < 3; k++) {
        he[k] = random.floats(total, -1, 1);
        hh[k] = random.floats(total, -1, 1);
        de[k] = copy(he[k]);
        dh[k] = copy(hh[k]);
    }
    float *df = copy(factor);
    Field e = {de[0], de[1], de[2]}, h = {dh[0], dh[1], dh[2]};
    auto reset = [&] {
        for (int k = 0; k < 3; k++) {
            put(de[k], he[k]);
            put(dh[k], hh[k]);
        }
    };
    // component k of the curl's difference: forwards or backwards along the other two axes
    const int step[3] = {1, N, PLANE};
    auto curl = [&](std::vector<float> *field, int k, size_t i, int direction) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        return direction * ((double)field[b][i + direction * step[a]] - field[b][i] -
                            field[a][i + direction * step[b]] + field[a][i]);
    };
    auto on_face = [&](size_t i, int face) {
        return (int)(i % N) == face || (int)(i / N % N) == face || (int)(i / PLANE) == face;
    };
    auto check_electric = [&] {
        long bad = 0;
        for (int k = 0; k < 3; k++)
            bad += differ(de[k], total, 37, 1e-5, [&](size_t i) {
                return on_face(i, 0) ? he[k][i] : he[k][i] + factor[i] * curl(hh, k, i, -1);
            });
        return bad;
    };
    dim3 grid(N / 32, N / 8, N), block(32, 8);
    variant(
        "electric", "electric", reset, [&] { electric<<<grid, block>>>(e, h, df); }, check_electric);
    variant(
        "magnetic", "magnetic", reset, [&] { magnetic<<<grid, block>>>(h, e, 0.3f); },
        [&] {
            long bad = 0;
            for (int k = 0; k < 3; k++)
                bad += differ(dh[k], total, 37, 1e-5, [&](size_t i) {
                    return on_face(i, N - 1) ? hh[k][i] : hh[k][i] - 0.3 * curl(he, k, i, 1);
                });
            return bad;
        });
    variant(
        "march", "electric_march", reset, [&] { electric_march<<<dim3(N / 32, N / 8, N / 32), block>>>(e, h, df); },
        check_electric);
    return finish();
}
