// One round of algorithms on a graph of unequal degrees: colouring by priorities, peeling vertices
// of small degree, taking over the commonest label of 32 neighbours with a warp a vertex, and a
// level of betweenness going back.
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

constexpr int VERTICES = 1 << 17;

__host__ __device__ inline uint32_t priority(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

// an uncoloured vertex before all its uncoloured neighbours takes the smallest free colour
__global__ void colour(const int *__restrict__ start, const int *__restrict__ to,
                       const int *__restrict__ old, int *__restrict__ out)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, colour = old[v];
    if (colour < 0) {
        uint32_t mine = priority(v);
        unsigned long long taken = 0;
        bool first = true;
        for (int e = start[v]; e < start[v + 1]; e++) {
            int w = to[e], c = old[w];
            if (c < 0) {
                if (w != v && priority(w) >= mine) {
                    first = false;
                    break;
                }
            } else if (c < 64)
                taken |= 1ull << c;
        }
        if (first)
            colour = __ffsll(~taken) - 1;
    }
    out[v] = colour;
}

__global__ void peel(const int *__restrict__ start, const int *__restrict__ to, int *degree,
                     const uint8_t *__restrict__ marked, uint8_t *__restrict__ gone)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    gone[v] = marked[v];
    if (!marked[v])
        return;
    for (int e = start[v]; e < start[v + 1]; e++)
        atomicSub(degree + to[e], 1);
}

// ties go to the smaller label
__global__ void commonest(const int *__restrict__ start, const int *__restrict__ to,
                          const int *__restrict__ label, int *__restrict__ out)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int first = start[v], many = min(start[v + 1] - first, 32);
    int mine = lane < many ? label[to[first + lane]] : -1 - lane;
    unsigned same = __match_any_sync(~0u, mine);
    unsigned key = lane < many ? (unsigned)__popc(same) << 20 | (0xfffff - mine) : 0;
    key = __reduce_max_sync(~0u, key);
    if (lane == 0)
        out[v] = many ? 0xfffff - (int)(key & 0xfffff) : label[v];
}

// vertices of one level gather from neighbours one level further
__global__ void __launch_bounds__(96)
    backwards(const int *__restrict__ start, const int *__restrict__ to,
              const int *__restrict__ list, const uint8_t *__restrict__ level,
              const float *__restrict__ paths, const float *__restrict__ share,
              float *__restrict__ out, int now, int count)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i >= count)
        return;
    int v = list[i];
    float sum = 0, mine = paths[v];
    for (int e = start[v]; e < start[v + 1]; e++) {
        int w = to[e];
        if (level[w] == now + 1)
            sum += mine / paths[w] * (1 + share[w]);
    }
    out[v] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(137);
    std::vector<std::vector<int>> near(VERTICES);
    for (int e = 0; e < VERTICES * 6; e++) {
        int a = std::min(std::min(random.below(VERTICES), random.below(VERTICES)),
                         random.below(3) ? VERTICES : random.below(VERTICES)),
            b = random.below(4) ? random.below(VERTICES) : (a + 1 + random.below(50)) % VERTICES;
        near[a].push_back(b);
        near[b].push_back(a);
    }
    std::vector<int> start(VERTICES + 1), to, old(VERTICES), degree(VERTICES), label(VERTICES),
        list;
    std::vector<uint8_t> marked(VERTICES), level(VERTICES);
    std::vector<float> paths(VERTICES), share(VERTICES);
    const int now = 4;
    for (int v = 0; v < VERTICES; v++) {
        start[v] = to.size();
        to.insert(to.end(), near[v].begin(), near[v].end());
        old[v] = random.below(3) ? -1 : (int)random.below(12);
        degree[v] = near[v].size();
        marked[v] = degree[v] < 9;
        label[v] = random.below(4) ? v / 500 : random.below(400);
        level[v] = 3 + random.below(4);
        if (level[v] == now)
            list.push_back(v);
        paths[v] = 1 + random.below(100);
        share[v] = random.unit();
    }
    start[VERTICES] = to.size();
    int *S = copy(start), *T = copy(to), *O = copy(old), *D = room<int>(VERTICES), *L = copy(label),
        *LI = copy(list), *out = room<int>(VERTICES);
    uint8_t *M = copy(marked), *LE = copy(level), *gone = room<uint8_t>(VERTICES);
    float *P = copy(paths), *SH = copy(share), *sums = room<float>(VERTICES);
    auto fresh = [&] {
        put(D, degree);
        fill(out, VERTICES, 0xee);
        fill(gone, VERTICES, 0xee);
        fill(sums, VERTICES, 0);
    };
    variant(
        "colour", "colour", fresh, [&] { colour<<<VERTICES / 128, 128>>>(S, T, O, out); },
        [&] {
            return differ(out, VERTICES, 1, 0, [&](size_t v) {
                if (old[v] >= 0)
                    return old[v];
                uint64_t taken = 0;
                for (int w : near[v])
                    if (old[w] >= 0)
                        taken |= 1ull << old[w];
                    else if (w != (int)v && priority(w) >= priority(v))
                        return -1;
                return __builtin_ctzll(~taken);
            });
        });
    variant(
        "peel", "peel", fresh, [&] { peel<<<VERTICES / 256, 256>>>(S, T, D, M, gone); },
        [&] {
            std::vector<int> want = degree;
            for (int v = 0; v < VERTICES; v++)
                if (marked[v])
                    for (int w : near[v])
                        want[w]--;
            return differ(D, VERTICES, 1, 0, [&](size_t v) { return want[v]; }) +
                   differ(gone, VERTICES, 1, 0, [&](size_t v) { return marked[v]; });
        });
    variant(
        "commonest", "commonest", fresh, [&] { commonest<<<VERTICES, 32>>>(S, T, L, out); },
        [&] {
            return differ(out, VERTICES, 5, 0, [&](size_t v) {
                int best = label[v], most = 0, many = std::min<int>(near[v].size(), 32);
                for (int i = 0; i < many; i++) {
                    int l = label[near[v][i]], count = 0;
                    for (int j = 0; j < many; j++)
                        count += label[near[v][j]] == l;
                    if (count > most || (count == most && l < best))
                        most = count, best = l;
                }
                return best;
            });
        });
    variant(
        "backwards", "backwards", fresh,
        [&] {
            int count = list.size();
            backwards<<<(count + 95) / 96, 96>>>(S, T, LI, LE, P, SH, sums, now, count);
        },
        [&] {
            return differ(sums, VERTICES, 1, 1e-4, [&](size_t v) {
                double sum = 0;
                if (level[v] == now)
                    for (int w : near[v])
                        if (level[w] == now + 1)
                            sum += paths[v] / paths[w] * (1 + share[w]);
                return sum;
            });
        });
    return finish();
}
