// Blocks of 8 x 8 of a picture as in JPEG: the cosine transform with eight threads a block in
// shared memory, by a matrix in constant memory with a thread a coefficient, quantised and put in
// zigzag order, and back from coefficients with a whole block in each thread.
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

constexpr int WIDE = 2048, HIGH = 2048, COUNT = WIDE * HIGH;
__constant__ float COSINES[64], QUANTA[64];
__constant__ uint8_t ZIGZAG[64];

// eight points by the even and odd halves
__host__ __device__ inline void forward8(float *v, int step)
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f,
                c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
    float a0 = v[0] + v[7 * step], b0 = v[0] - v[7 * step], a1 = v[step] + v[6 * step],
          b1 = v[step] - v[6 * step], a2 = v[2 * step] + v[5 * step],
          b2 = v[2 * step] - v[5 * step], a3 = v[3 * step] + v[4 * step],
          b3 = v[3 * step] - v[4 * step];
    float e0 = a0 + a3, e1 = a1 + a2, e2 = a0 - a3, e3 = a1 - a2;
    v[0] = c4 * (e0 + e1);
    v[4 * step] = c4 * (e0 - e1);
    v[2 * step] = c2 * e2 + c6 * e3;
    v[6 * step] = c6 * e2 - c2 * e3;
    v[step] = c1 * b0 + c3 * b1 + c5 * b2 + c7 * b3;
    v[3 * step] = c3 * b0 - c7 * b1 - c1 * b2 - c5 * b3;
    v[5 * step] = c5 * b0 - c1 * b1 + c7 * b2 + c3 * b3;
    v[7 * step] = c7 * b0 - c5 * b1 + c3 * b2 - c1 * b3;
}

__host__ __device__ inline void backward8(float *v, int step)
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f,
                c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
    float s1 = v[step], s2 = v[2 * step], s3 = v[3 * step], s5 = v[5 * step], s6 = v[6 * step],
          s7 = v[7 * step];
    float p = c4 * (v[0] + v[4 * step]), q = c4 * (v[0] - v[4 * step]), r = c2 * s2 + c6 * s6,
          s = c6 * s2 - c2 * s6;
    float a0 = p + r, a3 = p - r, a1 = q + s, a2 = q - s;
    float b0 = c1 * s1 + c3 * s3 + c5 * s5 + c7 * s7, b1 = c3 * s1 - c7 * s3 - c1 * s5 - c5 * s7,
          b2 = c5 * s1 - c1 * s3 + c7 * s5 + c3 * s7, b3 = c7 * s1 - c5 * s3 + c3 * s5 - c1 * s7;
    v[0] = a0 + b0, v[7 * step] = a0 - b0;
    v[step] = a1 + b1, v[6 * step] = a1 - b1;
    v[2 * step] = a2 + b2, v[5 * step] = a2 - b2;
    v[3 * step] = a3 + b3, v[4 * step] = a3 - b3;
}

// 16 blocks of the picture, eight threads each: columns, then rows
__global__ void __launch_bounds__(128)
    eight(const uint8_t *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[8][132];
    int t = threadIdx.x, x = blockIdx.x * 128 + t, y = blockIdx.y * 8;
    float v[8];
    for (int k = 0; k < 8; k++)
        v[k] = in[(y + k) * WIDE + x] - 128.f;
    forward8(v, 1);
    for (int k = 0; k < 8; k++)
        tile[k][t + t / 32] = v[k];
    __syncthreads();
    int base = t / 8 * 8;
    for (int k = 0; k < 8; k++)
        v[k] = tile[t % 8][base + k + base / 32];
    forward8(v, 1);
    __syncthreads();
    for (int k = 0; k < 8; k++)
        tile[t % 8][base + k + base / 32] = v[k];
    __syncthreads();
    for (int k = 0; k < 8; k++)
        out[(y + k) * WIDE + x] = tile[k][t + t / 32];
}

// four blocks of the picture, a thread a coefficient: C X C'
__global__ void __launch_bounds__(256)
    matrix(const uint8_t *__restrict__ in, float *__restrict__ out)
{
    __shared__ float first[8][33], second[8][33];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * WIDE + blockIdx.x * 32 + x;
    first[y][x] = in[at] - 128.f;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += COSINES[y * 8 + k] * first[k][x];
    second[y][x] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += second[y][x / 8 * 8 + k] * COSINES[x % 8 * 8 + k];
    out[at] = sum;
}

__global__ void quantised(const float *__restrict__ in, int16_t *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, block = i / 64, k = ZIGZAG[i % 64];
    int x = block % (WIDE / 8) * 8 + k % 8, y = block / (WIDE / 8) * 8 + k / 8;
    out[i] = rintf(in[y * WIDE + x] / QUANTA[k]);
}

__global__ void __launch_bounds__(64)
    back(const int16_t *__restrict__ in, uint8_t *__restrict__ out)
{
    int block = blockIdx.x * 64 + threadIdx.x;
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
        v[k] = in[block * 64 + k] * QUANTA[k];
#pragma unroll
    for (int k = 0; k < 8; k++)
        backward8(v + k, 8);
#pragma unroll
    for (int k = 0; k < 8; k++)
        backward8(v + k * 8, 1);
    int x = block % (WIDE / 8) * 8, y = block / (WIDE / 8) * 8;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        uint32_t word[2] = {};
#pragma unroll
        for (int k = 0; k < 8; k++)
            word[k / 4] |= (uint32_t)fminf(fmaxf(v[r * 8 + k] + 128.5f, 0), 255) << k % 4 * 8;
        *(uint2 *)(out + (y + r) * WIDE + x) = make_uint2(word[0], word[1]);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(79);
    float cosines[64], quanta[64];
    uint8_t zigzag[64];
    for (int k = 0, d = 0; d < 15; d++)
        for (int i = 0; i <= d; i++) {
            int y = d % 2 ? i : d - i, x = d - y;
            if (x < 8 && y < 8)
                zigzag[k++] = y * 8 + x;
        }
    for (int k = 0; k < 64; k++) {
        cosines[k] =
            std::cos((2 * (k % 8) + 1) * (k / 8) * M_PI / 16) * (k < 8 ? std::sqrt(.125) : .5);
        quanta[k] = 10 + 5 * (k / 8 + k % 8);
    }
    must(cudaMemcpyToSymbol(COSINES, cosines, sizeof cosines));
    must(cudaMemcpyToSymbol(QUANTA, quanta, sizeof quanta));
    must(cudaMemcpyToSymbol(ZIGZAG, zigzag, sizeof zigzag));
    std::vector<uint8_t> picture(COUNT), decoded(COUNT);
    std::vector<float> coefficients(COUNT);
    std::vector<int16_t> natural(COUNT), levels(COUNT);
    for (int i = 0; i < COUNT; i++)
        picture[i] =
            120 + 70 * std::sin(i % WIDE * 0.05) * std::cos(i / WIDE * 0.03) + random.below(24);
    for (int block = 0; block < COUNT / 64; block++) {
        int base = block / (WIDE / 8) * 8 * WIDE + block % (WIDE / 8) * 8;
        float v[64];
        for (int k = 0; k < 64; k++)
            v[k] = picture[base + k / 8 * WIDE + k % 8] - 128.f;
        for (int k = 0; k < 8; k++)
            forward8(v + k, 8);
        for (int k = 0; k < 8; k++)
            forward8(v + k * 8, 1);
        for (int k = 0; k < 64; k++) {
            coefficients[base + k / 8 * WIDE + k % 8] = v[k];
            natural[block * 64 + k] = std::rint(v[k] / quanta[k]);
        }
        for (int k = 0; k < 64; k++) {
            levels[block * 64 + k] = natural[block * 64 + zigzag[k]];
            v[k] = natural[block * 64 + k] * quanta[k];
        }
        for (int k = 0; k < 8; k++)
            backward8(v + k, 8);
        for (int k = 0; k < 8; k++)
            backward8(v + k * 8, 1);
        for (int k = 0; k < 64; k++)
            decoded[base + k / 8 * WIDE + k % 8] = std::clamp(v[k] + 128.5f, 0.f, 255.f);
    }
    uint8_t *P = copy(picture), *out_bytes = room<uint8_t>(COUNT);
    float *C = copy(coefficients), *out = room<float>(COUNT);
    int16_t *N = copy(natural), *out_levels = room<int16_t>(COUNT);
    auto wiped = [&] {
        fill(out, COUNT, 0xff);
        fill(out_bytes, COUNT, 0x77);
        fill(out_levels, COUNT, 0x77);
    };
    auto check = [&] {
        return differ(out, COUNT, 1, 2e-3, [&](size_t i) { return coefficients[i]; });
    };
    variant(
        "eight", "eight", wiped, [&] { eight<<<dim3(WIDE / 128, HIGH / 8), 128>>>(P, out); },
        check);
    variant(
        "matrix", "matrix", wiped,
        [&] { matrix<<<dim3(WIDE / 32, HIGH / 8), dim3(32, 8)>>>(P, out); }, check);
    variant(
        "quantised", "quantised", wiped, [&] { quantised<<<COUNT / 256, 256>>>(C, out_levels); },
        [&] { return differ(out_levels, COUNT, 1, 0, [&](size_t i) { return levels[i]; }); });
    variant(
        "back", "back", wiped, [&] { back<<<COUNT / 64 / 64, 64>>>(N, out_bytes); },
        [&] {
            std::vector<uint8_t> got = fetch(out_bytes, COUNT);
            long bad = 0;
            for (int i = 0; i < COUNT; i++)
                bad += std::abs(got[i] - decoded[i]) > 1;
            return bad;
        });
    return finish();
}
