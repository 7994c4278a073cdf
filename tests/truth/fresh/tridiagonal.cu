// Many tridiagonal systems of 128: a thread a system (systems side by side, systems one behind the other), parallel
// cyclic reduction.
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

const int SIZE = 128;

// unknown k of system s stands at k * step + s * jump; the scratch has the changed upper diagonal
__global__ void sweep(const float *a, const float *b, const float *c, const float *d, float *scratch, float *x,
                      int step, int jump)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * jump;
    float upper = c[at] / b[at], right = d[at] / b[at];
    scratch[at] = upper;
    x[at] = right;
    for (int k = 1; k < SIZE; k++) {
        at += step;
        float inverse = 1 / (b[at] - a[at] * upper);
        upper = c[at] * inverse;
        right = (d[at] - a[at] * right) * inverse;
        scratch[at] = upper;
        x[at] = right;
    }
    for (int k = SIZE - 2; k >= 0; k--) {
        at -= step;
        right = x[at] - scratch[at] * right;
        x[at] = right;
    }
}

__global__ void reduce_cyclic(const float *a, const float *b, const float *c, const float *d, float *x)
{
    __shared__ float4 row[SIZE];
    int t = threadIdx.x, at = blockIdx.x * SIZE + t;
    float4 mine = make_float4(t > 0 ? a[at] : 0, b[at], t < SIZE - 1 ? c[at] : 0, d[at]);
    for (int reach = 1; reach < SIZE; reach *= 2) {
        row[t] = mine;
        __syncthreads();
        float4 above = t >= reach ? row[t - reach] : make_float4(0, 1, 0, 0);
        float4 below = t + reach < SIZE ? row[t + reach] : make_float4(0, 1, 0, 0);
        float up = mine.x / above.y, down = mine.z / below.y;
        mine = make_float4(-above.x * up, mine.y - above.z * up - below.x * down, -below.z * down,
                           mine.w - above.w * up - below.w * down);
        __syncthreads();
    }
    x[at] = mine.w / mine.y;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int systems = 16384, few = 8192, total = systems * SIZE;
    Lcg random(47);
    std::vector<float> a = random.floats(total, -1, 1), b = random.floats(total, 2.5f, 4),
                       c = random.floats(total, -1, 1), d = random.floats(total, -1, 1);
    float *da = copy(a), *db = copy(b), *dc = copy(c), *dd = copy(d), *scratch = room<float>(total),
          *x = room<float>(total);
    auto clear = [&] { fill(x, total, 0xff); };
    auto check = [&](int number, int step, int jump) {
        std::vector<float> got = fetch(x, total);
        long bad = 0;
        for (int s = 0; s < number; s += 13)
            for (int k = 0; k < SIZE; k++) {
                int at = s * jump + k * step;
                double left = (double)b[at] * got[at];
                if (k > 0)
                    left += (double)a[at] * got[at - step];
                if (k < SIZE - 1)
                    left += (double)c[at] * got[at + step];
                bad += !near(left, d[at], 1e-5);
            }
        return bad;
    };
    variant(
        "beside", "sweep", clear, [&] { sweep<<<systems / 64, 64>>>(da, db, dc, dd, scratch, x, systems, 1); },
        [&] { return check(systems, systems, 1); });
    variant(
        "behind", "sweep", clear, [&] { sweep<<<few / 64, 64>>>(da, db, dc, dd, scratch, x, 1, SIZE); },
        [&] { return check(few, 1, SIZE); });
    variant(
        "cyclic", "reduce_cyclic", clear, [&] { reduce_cyclic<<<few, SIZE>>>(da, db, dc, dd, x); },
        [&] { return check(few, 1, SIZE); });
    return finish();
}
