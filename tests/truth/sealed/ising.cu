// Spins on a plane: one colour of an Ising model with a byte a spin, four sweeps of tiles kept in
// shared memory, 32 systems in the bits of words, and a Potts model of eight states. Random numbers
// are hashes of place and step.
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

constexpr int WIDE = 2048, HIGH = 1024, COUNT = WIDE * HIGH;

__host__ __device__ inline uint32_t hashed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__constant__ uint32_t LIMITS[5], POTTS[9]; // chances by how many neighbours agree

#pragma nv_exec_check_disable
template <class Get> __host__ __device__ inline int agreeing(Get get, int x, int y, int mine)
{
    return (get((x + 1) % WIDE, y) == mine) + (get((x + WIDE - 1) % WIDE, y) == mine) +
           (get(x, (y + 1) % HIGH) == mine) + (get(x, (y + HIGH - 1) % HIGH) == mine);
}

// spins of one colour, in place: the neighbours all have the other colour
__global__ void colour(uint8_t *spins, int which, uint32_t seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / (WIDE / 2),
        x = i % (WIDE / 2) * 2 + (y + which) % 2, at = y * WIDE + x;
    int mine = spins[at];
    int agree = agreeing([&](int u, int v) { return (int)spins[v * WIDE + u]; }, x, y, mine);
    if (hashed(at * 2u ^ seed) <= LIMITS[agree])
        spins[at] = 1 - mine;
}

constexpr int TILE = 32, SWEEPS = 4;

// the surroundings of a tile stay as they were
__global__ void __launch_bounds__(512)
    tiles(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, uint32_t seed)
{
    __shared__ uint8_t tile[TILE + 2][TILE + 2];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int k = threadIdx.x; k < (TILE + 2) * (TILE + 2); k += 512) {
        int y = k / (TILE + 2), x = k % (TILE + 2);
        tile[y][x] = in[(top + y + HIGH - 1) % HIGH * WIDE + (left + x + WIDE - 1) % WIDE];
    }
    int y = threadIdx.x / 16 + 1;
    for (int half = 0; half < 2 * SWEEPS; half++) {
        __syncthreads();
        int x = threadIdx.x % 16 * 2 + (y + half) % 2 + 1, mine = tile[y][x];
        int agree = (tile[y][x - 1] == mine) + (tile[y][x + 1] == mine) + (tile[y - 1][x] == mine) +
                    (tile[y + 1][x] == mine);
        if (hashed(((top + y - 1) * WIDE + left + x - 1) * 16u + half + seed) <= LIMITS[agree])
            tile[y][x] = 1 - mine;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE * TILE; k += 512)
        out[(top + k / TILE) * WIDE + left + k % TILE] = tile[k / TILE + 1][k % TILE + 1];
}

// bits that agree with a, b, c, d are counted by adders
__host__ __device__ inline uint32_t flipped(uint32_t mine, uint32_t a, uint32_t b, uint32_t c,
                                            uint32_t d, uint32_t three, uint32_t four)
{
    a = ~(a ^ mine), b = ~(b ^ mine), c = ~(c ^ mine), d = ~(d ^ mine);
    uint32_t low = a ^ b ^ c ^ d, ab = a & b, cd = c & d;
    uint32_t all = ab & cd, three_agree = low & (ab | cd);
    return mine ^ ((~all & ~three_agree) | (three_agree & three) | (all & four));
}

__global__ void systems(uint32_t *spins, int which, uint32_t seed, uint32_t three, uint32_t four)
{
    int y = blockIdx.x, up = (y + HIGH - 1) % HIGH * WIDE, down = (y + 1) % HIGH * WIDE;
    for (int x = 2 * threadIdx.x + (y + which) % 2; x < WIDE; x += 2 * blockDim.x) {
        int at = y * WIDE + x;
        uint32_t r = hashed(at ^ seed);
        spins[at] = flipped(spins[at], spins[y * WIDE + (x + 1) % WIDE],
                            spins[y * WIDE + (x + WIDE - 1) % WIDE], spins[up + x], spins[down + x],
                            r <= three ? ~0u : 0, r <= four ? ~0u : 0);
    }
}

__global__ void potts(const uint8_t *__restrict__ in, uint8_t *__restrict__ out, uint32_t seed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, at = y * WIDE + x;
    int mine = in[at];
    if ((x + y) % 2 == 0) {
        uint32_t r = hashed(at ^ seed);
        int wish = (mine + 1 + r % 7) % 8;
        auto get = [&](int u, int v) { return (int)in[v * WIDE + u]; };
        int change = agreeing(get, x, y, mine) - agreeing(get, x, y, wish);
        if (hashed(r) <= POTTS[change + 4])
            mine = wish;
    }
    out[at] = mine;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(67);
    uint32_t limits[5], chances[9];
    for (int k = 0; k < 5; k++)
        limits[k] = k <= 2 ? ~0u : std::exp(-0.44 * 2 * (2 * k - 4)) * 4294967295.0;
    for (int k = 0; k < 9; k++)
        chances[k] = k <= 4 ? ~0u : std::exp(-1.3 * (k - 4)) * 4294967295.0;
    must(cudaMemcpyToSymbol(LIMITS, limits, sizeof limits));
    must(cudaMemcpyToSymbol(POTTS, chances, sizeof chances));
    std::vector<uint8_t> spins(COUNT), states(COUNT);
    std::vector<uint32_t> words(COUNT);
    for (int i = 0; i < COUNT; i++) {
        spins[i] = random.below(10) < 3;
        states[i] = random.below(3) ? i / 256 % 8 : random.below(8);
        words[i] = random.next() & random.next();
    }
    uint8_t *S = copy(spins), *P = copy(states), *out = room<uint8_t>(COUNT);
    uint32_t *W = copy(words);
    auto fresh = [&] {
        put(S, spins);
        put(W, words);
        fill(out, COUNT, 0x77);
    };
    variant(
        "bytes", "colour", fresh, [&] { colour<<<COUNT / 2 / 256, 256>>>(S, 1, 12345); },
        [&] {
            return differ(S, COUNT, 1, 0, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE, mine = spins[i];
                if ((x + y) % 2 != 1)
                    return mine;
                int agree =
                    agreeing([&](int u, int v) { return (int)spins[v * WIDE + u]; }, x, y, mine);
                return hashed(i * 2u ^ 12345) <= limits[agree] ? 1 - mine : mine;
            });
        });
    variant(
        "tiles", "tiles", fresh,
        [&] { tiles<<<dim3(WIDE / TILE, HIGH / TILE), 512>>>(S, out, 999); },
        [&] {
            std::vector<uint8_t> got = fetch(out, COUNT);
            long bad = 0;
            for (int b = 0; b < COUNT / 1024; b += 3) {
                int left = b % (WIDE / TILE) * TILE, top = b / (WIDE / TILE) * TILE;
                uint8_t tile[34][34];
                for (int y = 0; y < 34; y++)
                    for (int x = 0; x < 34; x++)
                        tile[y][x] = spins[(top + y + HIGH - 1) % HIGH * WIDE +
                                           (left + x + WIDE - 1) % WIDE];
                for (int half = 0; half < 2 * SWEEPS; half++)
                    for (int y = 1; y <= 32; y++)
                        for (int x = (y + half) % 2 + 1; x <= 32; x += 2) {
                            int mine = tile[y][x],
                                agree = (tile[y][x - 1] == mine) + (tile[y][x + 1] == mine) +
                                        (tile[y - 1][x] == mine) + (tile[y + 1][x] == mine);
                            uint32_t r =
                                hashed(((top + y - 1) * WIDE + left + x - 1) * 16u + half + 999);
                            if (r <= limits[agree])
                                tile[y][x] = 1 - mine;
                        }
                for (int k = 0; k < 1024; k++)
                    bad +=
                        got[(top + k / 32) * WIDE + left + k % 32] != tile[k / 32 + 1][k % 32 + 1];
            }
            return bad;
        });
    variant(
        "systems", "systems", fresh,
        [&] { systems<<<HIGH, 192>>>(W, 0, 777, limits[3], limits[4]); },
        [&] {
            return differ(W, COUNT, 1, 0, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE;
                if ((x + y) % 2)
                    return words[i];
                uint32_t r = hashed(i ^ 777), want = 0;
                for (int bit = 0; bit < 32; bit++) {
                    auto get = [&](int u, int v) { return (int)(words[v * WIDE + u] >> bit & 1); };
                    int mine = get(x, y), agree = agreeing(get, x, y, mine);
                    want |= (uint32_t)(r <= limits[agree] ? 1 - mine : mine) << bit;
                }
                return want;
            });
        });
    variant(
        "potts", "potts", fresh, [&] { potts<<<dim3(WIDE / 128, HIGH), 128>>>(P, out, 31); },
        [&] {
            return differ(out, COUNT, 1, 0, [&](size_t i) {
                int x = i % WIDE, y = i / WIDE, mine = states[i];
                if ((x + y) % 2)
                    return mine;
                uint32_t r = hashed(i ^ 31);
                int wish = (mine + 1 + r % 7) % 8;
                auto get = [&](int u, int v) { return (int)states[v * WIDE + u]; };
                int change = agreeing(get, x, y, mine) - agreeing(get, x, y, wish);
                return hashed(r) <= chances[change + 4] ? wish : mine;
            });
        });
    return finish();
}
