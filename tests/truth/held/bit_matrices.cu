// Matrices of bits: transposed 32 x 32 by votes, by exchanges between lanes, 8 x 8 within words,
// and products by counting bits.
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

// words by rows: a word has 32 columns. A warp has a tile of 32 x 32
__global__ void by_votes(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int rows,
                         int words)
{
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32,
        r = tile / words, w = tile % words;
    uint32_t mine = in[(r * 32 + lane) * words + w], turned = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        uint32_t vote = __ballot_sync(~0u, mine >> k & 1);
        turned = lane == k ? vote : turned;
    }
    out[(w * 32 + lane) * (rows / 32) + r] = turned;
}

__global__ void by_exchange(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int rows,
                            int words)
{
    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32,
        r = tile % (rows / 32), w = tile / (rows / 32);
    uint32_t mine = in[(r * 32 + lane) * words + w], mask = 0x0000ffff;
#pragma unroll
    for (int step = 16; step; step /= 2, mask ^= mask << step) {
        uint32_t other = __shfl_xor_sync(~0u, mine, step);
        mine = lane & step ? (mine & ~mask) | (other >> step & mask)
                           : (mine & mask) | (other << step & ~mask);
    }
    out[(w * 32 + lane) * (rows / 32) + r] = mine;
}

__host__ __device__ inline unsigned long long turned8(unsigned long long v)
{
    unsigned long long t = (v ^ v >> 7) & 0x00aa00aa00aa00aaull;
    v ^= t ^ t << 7;
    t = (v ^ v >> 14) & 0x0000cccc0000ccccull;
    v ^= t ^ t << 14;
    t = (v ^ v >> 28) & 0x00000000f0f0f0f0ull;
    return v ^ t ^ t << 28;
}

__global__ void within_words(const ulonglong2 *__restrict__ in, ulonglong2 *__restrict__ out,
                             int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        ulonglong2 v = in[i];
        out[i] = make_ulonglong2(turned8(v.x), turned8(v.y));
    }
}

// signs as bits: c = 32 words - 2 popcount(a ^ b); 32 x 32 a block of 32 x 8
__global__ void sign_products(const uint32_t *__restrict__ a, const uint32_t *__restrict__ b,
                              int *__restrict__ c, int n, int words)
{
    __shared__ uint32_t left[32][33], right[32][33];
    int row = blockIdx.y * 32, column = blockIdx.x * 32, x = threadIdx.x, sum[4] = {};
    for (int from = 0; from < words; from += 32) {
        for (int r = threadIdx.y; r < 32; r += 8) {
            left[r][x] = a[(row + r) * words + from + x];
            right[r][x] = b[(column + r) * words + from + x];
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 32; k++) {
            uint32_t other = right[x][k];
            for (int r = 0; r < 4; r++)
                sum[r] += __popc(left[threadIdx.y + 8 * r][k] ^ other);
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        c[(row + threadIdx.y + 8 * r) * n + column + x] = 32 * words - 2 * sum[r];
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int rows = 8192, words = 256, count = rows * words, n = 768, depth = 64;
    Lcg random(313);
    std::vector<uint32_t> bits(2 * count);
    for (uint32_t &b : bits)
        b = random.next();
    uint32_t *in = copy(bits), *out = room<uint32_t>(2 * count);
    int *c = room<int>(n * n);
    auto wiped = [&] { fill(out, 2 * count, 0xff); };
    auto check = [&] {
        return differ(out, count, 13, 0, [&](size_t i) {
            size_t column = i / (rows / 32), r = i % (rows / 32);
            uint32_t v = 0;
            for (int k = 0; k < 32; k++)
                v |= (bits[(r * 32 + k) * words + column / 32] >> column % 32 & 1) << k;
            return v;
        });
    };
    variant(
        "votes", "by_votes", wiped, [&] { by_votes<<<count / 128, 128>>>(in, out, rows, words); },
        check);
    variant(
        "exchange", "by_exchange", wiped,
        [&] { by_exchange<<<count / 256, 256>>>(in, out, rows, words); }, check);
    variant(
        "within", "within_words", wiped,
        [&] {
            within_words<<<132 * 8, 256>>>((const ulonglong2 *)in, (ulonglong2 *)out,
                                           2 * count / 4);
        },
        [&] {
            std::vector<uint8_t> got = fetch((const uint8_t *)out, 8 * count);
            const uint8_t *from = (const uint8_t *)bits.data();
            long bad = 0;
            for (int i = 0; i < 8 * count; i += 13) {
                int v = 0;
                for (int k = 0; k < 8; k++)
                    v |= (from[i / 8 * 8 + k] >> i % 8 & 1) << k;
                bad += got[i] != v;
            }
            return bad;
        });
    variant(
        "products", "sign_products", [&] { fill(c, n * n, 0x55); },
        [&] {
            sign_products<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, in + n * depth, c, n, depth);
        },
        [&] {
            return differ(c, n * n, 7, 0, [&](size_t i) {
                int sum = 0;
                for (int k = 0; k < depth; k++)
                    sum += __builtin_popcount(bits[i / n * depth + k] ^
                                              bits[n * depth + i % n * depth + k]);
                return 32 * depth - 2 * sum;
            });
        });
    return finish();
}
