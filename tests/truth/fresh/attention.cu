// Attention, heads of 64: tiles of scores alone, the whole with a query in each thread, the whole with a query in each
// warp.
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

const int HEADS = 4, LENGTH = 512, DEPTH = 64;
const float SCALE = 0.125f;

__global__ void scores_tile(const float *q, const float *k, float *scores)
{
    __shared__ float left[16][DEPTH + 1], right[16][DEPTH + 1];
    int head = blockIdx.z, query = blockIdx.y * 16, key = blockIdx.x * 16;
    q += ((size_t)head * LENGTH + query) * DEPTH;
    k += ((size_t)head * LENGTH + key) * DEPTH;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 16 * DEPTH; i += 256) {
        left[i / DEPTH][i % DEPTH] = q[i];
        right[i / DEPTH][i % DEPTH] = k[i];
    }
    __syncthreads();
    float sum = 0;
    for (int d = 0; d < DEPTH; d++)
        sum += left[threadIdx.y][d] * right[threadIdx.x][d];
    scores[((size_t)head * LENGTH + query + threadIdx.y) * LENGTH + key + threadIdx.x] = sum * SCALE;
}

__global__ void attend_thread(const float4 *q, const float4 *k, const float4 *v, float4 *out)
{
    __shared__ float4 keys[32][DEPTH / 4], values[32][DEPTH / 4];
    size_t head = (size_t)blockIdx.y * LENGTH * DEPTH / 4, query = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine[DEPTH / 4], sum[DEPTH / 4];
    for (int d = 0; d < DEPTH / 4; d++) {
        mine[d] = q[head + query * (DEPTH / 4) + d];
        sum[d] = make_float4(0, 0, 0, 0);
    }
    float top = -INFINITY, weight = 0;
    for (int tile = 0; tile < LENGTH; tile += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * DEPTH / 4; i += blockDim.x) {
            keys[0][i] = k[head + tile * (DEPTH / 4) + i];
            values[0][i] = v[head + tile * (DEPTH / 4) + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float score = 0;
            for (int d = 0; d < DEPTH / 4; d++)
                score += mine[d].x * keys[j][d].x + mine[d].y * keys[j][d].y + mine[d].z * keys[j][d].z +
                         mine[d].w * keys[j][d].w;
            score *= SCALE;
            if (score > top) {
                float fade = __expf(top - score);
                top = score;
                weight *= fade;
                for (int d = 0; d < DEPTH / 4; d++)
                    sum[d] = make_float4(sum[d].x * fade, sum[d].y * fade, sum[d].z * fade, sum[d].w * fade);
            }
            float p = __expf(score - top);
            weight += p;
            for (int d = 0; d < DEPTH / 4; d++) {
                sum[d].x += p * values[j][d].x;
                sum[d].y += p * values[j][d].y;
                sum[d].z += p * values[j][d].z;
                sum[d].w += p * values[j][d].w;
            }
        }
    }
    for (int d = 0; d < DEPTH / 4; d++)
        out[head + query * (DEPTH / 4) + d] =
            make_float4(sum[d].x / weight, sum[d].y / weight, sum[d].z / weight, sum[d].w / weight);
}

__global__ void attend_warp(const float *q, const float4 *k, const float *v, float *out)
{
    __shared__ float scores[4][LENGTH];
    __shared__ float4 queries[4][DEPTH / 4];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, query = blockIdx.x * 4 + warp;
    size_t head = (size_t)blockIdx.y * LENGTH * DEPTH;
    ((float *)queries[warp])[lane] = q[head + query * DEPTH + lane];
    ((float *)queries[warp])[lane + 32] = q[head + query * DEPTH + lane + 32];
    __syncwarp();
    float top = -INFINITY, weight = 0;
    for (int key = lane; key < LENGTH; key += 32) {
        float score = 0;
        for (int d = 0; d < DEPTH / 4; d++) {
            float4 a = queries[warp][d], b = k[head / 4 + key * (DEPTH / 4) + d];
            score += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        scores[warp][key] = score * SCALE;
        top = fmaxf(top, score * SCALE);
    }
    for (int step = 16; step; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    for (int key = lane; key < LENGTH; key += 32) {
        float p = __expf(scores[warp][key] - top);
        scores[warp][key] = p;
        weight += p;
    }
    for (int step = 16; step; step /= 2)
        weight += __shfl_xor_sync(~0u, weight, step);
    __syncwarp();
    float low = 0, high = 0;
    for (int key = 0; key < LENGTH; key++) {
        low += scores[warp][key] * v[head + key * DEPTH + lane];
        high += scores[warp][key] * v[head + key * DEPTH + lane + 32];
    }
    out[head + query * DEPTH + lane] = low / weight;
    out[head + query * DEPTH + lane + 32] = high / weight;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const size_t total = (size_t)HEADS * LENGTH * DEPTH, pairs = (size_t)HEADS * LENGTH * LENGTH;
    Lcg random(15);
    std::vector<float> q = random.floats(total, -1, 1), k = random.floats(total, -1, 1),
                       v = random.floats(total, -1, 1);
    float *dq = copy(q), *dk = copy(k), *dv = copy(v), *scores = room<float>(pairs), *out = room<float>(total);
    auto score = [&](size_t row, size_t key) {
        double sum = 0;
        for (int d = 0; d < DEPTH; d++)
            sum += (double)q[row * DEPTH + d] * k[(row / LENGTH * LENGTH + key) * DEPTH + d];
        return sum * SCALE;
    };
    auto clear = [&] { fill(out, total, 0xff); };
    auto check = [&] {
        return differ(out, total, 997, 1e-4, [&](size_t i) {
            size_t row = i / DEPTH;
            double sum = 0, weight = 0;
            for (int key = 0; key < LENGTH; key++) {
                double p = exp(score(row, key));
                weight += p;
                sum += p * v[(row / LENGTH * LENGTH + key) * DEPTH + i % DEPTH];
            }
            return sum / weight;
        });
    };
    variant(
        "scores", "scores_tile", [&] { fill(scores, pairs, 0xff); },
        [&] { scores_tile<<<dim3(LENGTH / 16, LENGTH / 16, HEADS), dim3(16, 16)>>>(dq, dk, scores); },
        [&] { return differ(scores, pairs, 97, 1e-5, [&](size_t i) { return score(i / LENGTH, i % LENGTH); }); });
    variant(
        "thread", "attend_thread", clear,
        [&] {
            attend_thread<<<dim3(LENGTH / 64, HEADS), 64>>>((const float4 *)dq, (const float4 *)dk, (const float4 *)dv,
                                                            (float4 *)out);
        },
        check);
    variant(
        "warp", "attend_warp", clear,
        [&] { attend_warp<<<dim3(LENGTH / 4, HEADS), 128>>>(dq, (const float4 *)dk, dv, out); }, check);
    return finish();
}
