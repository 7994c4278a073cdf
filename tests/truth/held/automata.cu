// Cellular automata: rule 110 by bits with many steps in shared memory, a fire in a forest, sand
// that topples, blocks of a Margolus gas.
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

// a block has 1024 words and steps of them that its halo of a word a side allows: 32
__global__ void rule110(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int words,
                        int steps)
{
    __shared__ uint32_t now[2][1026];
    int first = blockIdx.x * 1024 - 1;
    for (int i = threadIdx.x; i < 1026; i += blockDim.x)
        now[0][i] = in[(first + i + words) % words];
    for (int s = 0; s < steps; s++) {
        __syncthreads();
        for (int i = threadIdx.x; i < 1026; i += blockDim.x) {
            uint32_t c = now[s % 2][i], before = i ? now[s % 2][i - 1] : 0,
                     behind = i < 1025 ? now[s % 2][i + 1] : 0;
            uint32_t left = __funnelshift_l(before, c, 1), right = __funnelshift_r(c, behind, 1);
            now[1 - s % 2][i] = (c | right) & ~(left & c & right);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        out[first + 1 + i] = now[steps % 2][i + 1];
}

__host__ __device__ inline uint32_t mixed(uint32_t v)
{
    v ^= v >> 17;
    v *= 0xed5ad4bbu;
    v ^= v >> 11;
    v *= 0xac4c1b51u;
    return v ^ v >> 15;
}

// 0 empty, 1 tree, 2 fire
__host__ __device__ inline uint8_t burnt(uint8_t here, bool near_fire, uint32_t chance)
{
    if (here == 2)
        return 0;
    if (here == 1)
        return near_fire || chance < 40000 ? 2 : 1;
    return chance < 40000000 ? 1 : 0;
}

__global__ void forest(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, int width,
                       int height, uint32_t seed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        i = y * width + x;
    if (x >= width || y >= height)
        return;
    bool near_fire = false;
    if (in[i] == 1)
        near_fire = (x > 0 && in[i - 1] == 2) || (x + 1 < width && in[i + 1] == 2) ||
                    (y > 0 && in[i - width] == 2) || (y + 1 < height && in[i + width] == 2);
    out[i] = burnt(in[i], near_fire, mixed(i ^ seed));
}

// a block lets a pile of 64 x 64 topple until it rests, or for so many steps
__global__ void sand(int *piles, int most, int *__restrict__ steps)
{
    __shared__ int now[66][66];
    int t = threadIdx.x, s = 0;
    for (int i = t; i < 66 * 66; i += blockDim.x)
        now[i / 66][i % 66] = 0;
    __syncthreads();
    for (int i = t; i < 64 * 64; i += blockDim.x)
        now[i / 64 + 1][i % 64 + 1] = piles[blockIdx.x * 4096 + i];
    __syncthreads();
    for (bool any = true; any && s < most; s++) {
        int mine[4], gain[4];
        bool moved = false;
        for (int k = 0; k < 4; k++) {
            int y = (t + 1024 * k) / 64 + 1, x = t % 64 + 1;
            mine[k] = now[y][x];
            gain[k] = now[y - 1][x] / 4 + now[y + 1][x] / 4 + now[y][x - 1] / 4 + now[y][x + 1] / 4;
            moved |= mine[k] >= 4;
        }
        any = __syncthreads_or(moved);
        for (int k = 0; k < 4; k++)
            now[(t + 1024 * k) / 64 + 1][t % 64 + 1] = mine[k] % 4 + gain[k];
        __syncthreads();
    }
    for (int i = t; i < 64 * 64; i += blockDim.x)
        piles[blockIdx.x * 4096 + i] = now[i / 64 + 1][i % 64 + 1];
    if (t == 0)
        steps[blockIdx.x] = s;
}

__constant__ uint8_t GAS[16];

// cells of 2 x 2; the block of cells begins at odd places in odd steps
__global__ void margolus(uint8_t *cells, int width, int height, int odd)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd,
        y = 2 * (blockIdx.y * blockDim.y + threadIdx.y) + odd;
    if (x >= width + odd || y >= height + odd)
        return;
    int right = (x + 1) % width, below = (y + 1) % height;
    x %= width;
    y %= height;
    int now = cells[y * width + x] | cells[y * width + right] << 1 | cells[below * width + x] << 2 |
              cells[below * width + right] << 3,
        next = GAS[now];
    cells[y * width + x] = next & 1;
    cells[y * width + right] = next >> 1 & 1;
    cells[below * width + x] = next >> 2 & 1;
    cells[below * width + right] = next >> 3;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int words = 1 << 20, steps = 24, width = 4096, height = 2048, count = width * height,
              piles = 132, most = 30;
    const uint8_t gas[16] = {0, 8, 4, 3, 2, 5, 9, 7, 1, 6, 10, 11, 12, 13, 14, 15};
    Lcg random(293);
    std::vector<uint32_t> line(words);
    std::vector<uint8_t> trees(count), bits(count);
    std::vector<int> grains(piles * 4096);
    for (uint32_t &w : line)
        w = random.next();
    for (int i = 0; i < count; i++) {
        uint32_t r = random.below(100);
        trees[i] = r < 60 ? 1 : r < 64 ? 2 : 0;
        bits[i] = random.below(4) == 0;
    }
    for (int &g : grains)
        g = random.below(8);
    must(cudaMemcpyToSymbol(GAS, gas, 16));
    uint32_t *in = copy(line), *out = room<uint32_t>(words);
    uint8_t *tree = copy(trees), *next = room<uint8_t>(count), *cell = room<uint8_t>(count);
    int *pile = room<int>(piles * 4096), *taken = room<int>(piles);
    variant(
        "rule110", "rule110", [&] { fill(out, words, 0xff); },
        [&] { rule110<<<words / 1024, 256>>>(in, out, words, steps); },
        [&] {
            std::vector<uint32_t> now = line, after(words);
            for (int s = 0; s < steps; s++, now.swap(after))
                for (int i = 0; i < words; i++) {
                    uint32_t c = now[i], left = c << 1 | now[(i + words - 1) % words] >> 31,
                             right = c >> 1 | now[(i + 1) % words] << 31;
                    after[i] = (c | right) & ~(left & c & right);
                }
            return differ(out, words, 1, 0, [&](size_t i) { return now[i]; });
        });
    variant(
        "forest", "forest", [&] { fill(next, count, 0x77); },
        [&] {
            forest<<<dim3(width / 64, height / 4), dim3(64, 4)>>>(tree, next, width, height, 99);
        },
        [&] {
            return differ(next, count, 1, 0, [&](size_t i) {
                int x = i % width, y = i / width;
                bool near_fire =
                    (x > 0 && trees[i - 1] == 2) || (x + 1 < width && trees[i + 1] == 2) ||
                    (y > 0 && trees[i - width] == 2) || (y + 1 < height && trees[i + width] == 2);
                return burnt(trees[i], near_fire, mixed(i ^ 99));
            });
        });
    variant(
        "sand", "sand", [&] { put(pile, grains); },
        [&] { sand<<<piles, 1024>>>(pile, most, taken); },
        [&] {
            std::vector<int> got = fetch(pile, piles * 4096);
            long bad = 0;
            for (int p = 0; p < piles; p += 3) {
                std::vector<int> now(66 * 66), after(66 * 66);
                for (int i = 0; i < 4096; i++)
                    now[(i / 64 + 1) * 66 + i % 64 + 1] = grains[p * 4096 + i];
                for (int s = 0; s < most; s++, now.swap(after))
                    for (int i = 0; i < 4096; i++) {
                        int k = (i / 64 + 1) * 66 + i % 64 + 1;
                        after[k] = now[k] % 4 + now[k - 1] / 4 + now[k + 1] / 4 + now[k - 66] / 4 +
                                   now[k + 66] / 4;
                    }
                for (int i = 0; i < 4096; i++)
                    bad += got[p * 4096 + i] != now[(i / 64 + 1) * 66 + i % 64 + 1];
            }
            return bad;
        });
    auto gas_step = [&](int odd) {
        return [&, odd] {
            std::vector<uint8_t> now = bits;
            for (int y = odd; y < height + odd; y += 2)
                for (int x = odd; x < width + odd; x += 2) {
                    int at[4] = {y % height * width + x % width,
                                 y % height * width + (x + 1) % width,
                                 (y + 1) % height * width + x % width,
                                 (y + 1) % height * width + (x + 1) % width};
                    int to = gas[now[at[0]] | now[at[1]] << 1 | now[at[2]] << 2 | now[at[3]] << 3];
                    for (int k = 0; k < 4; k++)
                        now[at[k]] = to >> k & 1;
                }
            return differ(cell, count, 1, 0, [&](size_t i) { return now[i]; });
        };
    };
    variant(
        "gas_even", "margolus", [&] { put(cell, bits); },
        [&] {
            margolus<<<dim3(width / 2 / 32, height / 2 / 8), dim3(32, 8)>>>(cell, width, height, 0);
        },
        gas_step(0));
    variant(
        "gas_odd", "margolus", [&] { put(cell, bits); },
        [&] { margolus<<<dim3(width / 2 / 128, height / 2), 128>>>(cell, width, height, 1); },
        gas_step(1));
    return finish();
}
