// Short tours through many cities: the best exchange of two edges over all pairs, lengths of many
// tours, children of two tours by order, annealing with a tour in each block's shared memory, and
// ants that choose by chance.
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

constexpr int CITIES = 1024, SMALL = 64, TOURS = 4096, NEIGHBOURS = 16;

__host__ __device__ inline uint32_t drawn(uint32_t &state)
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
}

// distances are whole numbers, so that all orders of sums agree
__host__ __device__ inline int away(short2 a, short2 b)
{
    int x = a.x - b.x, y = a.y - b.y;
    return (int)sqrtf((float)(x * x + y * y));
}

// what is gained by turning round the part from i + 1 to j
__host__ __device__ inline int gain(const short2 *tour, int i, int j)
{
    short2 a = tour[i], b = tour[i + 1], c = tour[j], d = tour[(j + 1) % CITIES];
    return away(a, b) + away(c, d) - away(a, c) - away(b, d);
}

__global__ void __launch_bounds__(256)
    exchanges(const short2 *__restrict__ tour, unsigned long long *best)
{
    __shared__ short2 all[CITIES];
    for (int k = threadIdx.x; k < CITIES; k += 256)
        all[k] = tour[k];
    __syncthreads();
    unsigned long long mine = 0;
    int i = blockIdx.x;
    for (int j = i + 2 + threadIdx.x; j < CITIES; j += 256) {
        int g = gain(all, i, j);
        if (g > 0)
            mine = max(mine, (unsigned long long)g << 32 | (unsigned)(i << 16 | j));
    }
    for (int d = 16; d; d /= 2)
        mine = max(mine, __shfl_down_sync(~0u, mine, d));
    if (threadIdx.x % 32 == 0 && mine)
        atomicMax(best, mine);
}

// a warp a tour of 64 cities
__global__ void lengths(const short2 *__restrict__ places, const uint8_t *__restrict__ tours,
                        int *__restrict__ out)
{
    __shared__ short2 all[SMALL];
    if (threadIdx.x < SMALL)
        all[threadIdx.x] = places[threadIdx.x];
    __syncthreads();
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const uint8_t *tour = tours + t * SMALL;
    short2 a = all[tour[2 * lane]], b = all[tour[2 * lane + 1]],
           c = all[tour[(2 * lane + 2) % SMALL]];
    int sum = __reduce_add_sync(~0u, away(a, b) + away(b, c));
    if (lane == 0)
        out[t] = sum;
}

// a part of one parent at its place, the other cities in the other parent's order
__host__ __device__ inline void child(const uint8_t *p, const uint8_t *q, uint8_t *out,
                                      size_t stride, uint32_t seed)
{
    int from = drawn(seed) % SMALL, many = 8 + drawn(seed) % 40, at = (from + many) % SMALL,
        to = at;
    uint64_t used = 0;
    for (int k = 0; k < many; k++) {
        int c = p[(from + k) % SMALL * stride];
        out[(from + k) % SMALL * stride] = c;
        used |= 1ull << c;
    }
    for (int k = 0; k < SMALL; k++) {
        int c = q[(at + k) % SMALL * stride];
        if (used >> c & 1)
            continue;
        out[to * stride] = c;
        to = (to + 1) % SMALL;
    }
}

// tours side by side
__global__ void children(const uint8_t *__restrict__ tours, uint8_t *__restrict__ out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    child(tours + i, tours + (i * 7 + 1) % count, out + i, count, i * 2654435761u + 1);
}

// exchanges of two cities, taken if shorter or by chance; one after the other
__host__ __device__ inline int annealed(const short2 *at, uint8_t *tour, int stride, uint32_t seed,
                                        int steps)
{
    int all = 0;
    float heat = 400;
    for (int s = 0; s < steps; s++) {
        int i = drawn(seed) % SMALL, j = drawn(seed) % SMALL;
        if ((i + 1) % SMALL == j || (j + 1) % SMALL == i || i == j)
            continue;
        short2 a = at[tour[(i + SMALL - 1) % SMALL * stride]], b = at[tour[i * stride]],
               c = at[tour[(i + 1) % SMALL * stride]];
        short2 d = at[tour[(j + SMALL - 1) % SMALL * stride]], e = at[tour[j * stride]],
               f = at[tour[(j + 1) % SMALL * stride]];
        int change = away(a, e) + away(e, c) + away(d, b) + away(b, f) - away(a, b) - away(b, c) -
                     away(d, e) - away(e, f);
        if (change < 0 ||
            (drawn(seed) >> 8) * 0x1p-24f < 1 / (1 + change / heat * (1 + change / heat))) {
            uint8_t other = tour[i * stride];
            tour[i * stride] = tour[j * stride], tour[j * stride] = other;
            all += change;
        }
        heat *= 0.995f;
    }
    return all;
}

__global__ void __launch_bounds__(32)
    anneal(const short2 *__restrict__ places, uint8_t *__restrict__ tours, int *__restrict__ change,
           int steps)
{
    __shared__ short2 all[SMALL];
    __shared__ uint8_t own[SMALL * 32];
    int lane = threadIdx.x, t = blockIdx.x * 32 + lane;
    all[lane] = places[lane], all[lane + 32] = places[lane + 32];
    for (int k = 0; k < SMALL; k++)
        own[k * 32 + lane] = k;
    __syncwarp();
    change[t] = annealed(all, own + lane, 32, t * 747796405u + 3, steps);
    for (int k = 0; k < SMALL; k++)
        tours[t * SMALL + k] = own[k * 32 + lane];
}

// the next city by chance among the nearest ones not seen, else the first not seen
__host__ __device__ inline int wander(const uint8_t *nearest, const uint16_t *scent, uint32_t seed,
                                      uint32_t *order)
{
    uint64_t seen = 1;
    int at = 0, sum = 0;
    for (int s = 1; s < SMALL; s++) {
        uint32_t total = 0, pick;
        for (int k = 0; k < NEIGHBOURS; k++)
            if (!(seen >> nearest[at * NEIGHBOURS + k] & 1))
                total += scent[at * NEIGHBOURS + k];
        int next = -1;
        pick = total ? drawn(seed) % total : 0;
        for (int k = 0; k < NEIGHBOURS && total && next < 0; k++) {
            int c = nearest[at * NEIGHBOURS + k];
            if (seen >> c & 1)
                continue;
            if (pick < scent[at * NEIGHBOURS + k])
                next = c;
            pick -= scent[at * NEIGHBOURS + k];
        }
        for (int c = 0; next < 0; c++)
            next = seen >> c & 1 ? -1 : c;
        seen |= 1ull << next, at = next, sum = sum * 31 + next;
    }
    *order = sum;
    return at;
}

__global__ void __launch_bounds__(64)
    ants(const uint8_t *__restrict__ nearest, const uint16_t *__restrict__ scent,
         uint32_t *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    wander(nearest, scent, i * 2246822519u + 7, out + i);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(37);
    const int steps = 300, walkers = 8192;
    std::vector<short2> places(CITIES);
    for (short2 &p : places)
        p = make_short2(random.below(4000), random.below(4000));
    std::vector<uint8_t> tours(TOURS * SMALL), beside(TOURS * SMALL), nearest(SMALL * NEIGHBOURS);
    std::vector<uint16_t> scent(SMALL * NEIGHBOURS);
    for (int t = 0; t < TOURS; t++) {
        for (int k = 0; k < SMALL; k++)
            tours[t * SMALL + k] = k;
        for (int k = SMALL - 1; k > 0; k--)
            std::swap(tours[t * SMALL + k], tours[t * SMALL + random.below(k + 1)]);
        for (int k = 0; k < SMALL; k++)
            beside[k * TOURS + t] = tours[t * SMALL + k];
    }
    for (int c = 0; c < SMALL; c++) {
        std::vector<int> others;
        for (int k = 0; k < SMALL; k++)
            if (k != c)
                others.push_back(k);
        std::sort(others.begin(), others.end(), [&](int a, int b) {
            int x = away(places[c], places[a]), y = away(places[c], places[b]);
            return x != y ? x < y : a < b;
        });
        for (int k = 0; k < NEIGHBOURS; k++)
            nearest[c * NEIGHBOURS + k] = others[k],
                                     scent[c * NEIGHBOURS + k] = 1 + random.below(1000) / (k + 1);
    }
    short2 *P = copy(places);
    uint8_t *T = copy(tours), *B = copy(beside), *N = copy(nearest),
            *out = room<uint8_t>(TOURS * SMALL);
    uint16_t *S = copy(scent);
    int *sums = room<int>(walkers);
    unsigned long long *best = room<unsigned long long>(1);
    auto wiped = [&] {
        fill(best, 1, 0);
        fill(out, TOURS * SMALL, 0x77);
        fill(sums, walkers, 0x77);
    };
    variant(
        "exchanges", "exchanges", wiped, [&] { exchanges<<<CITIES - 2, 256>>>(P, best); },
        [&] {
            unsigned long long want = 0, got = fetch(best, 1)[0];
            for (int i = 0; i < CITIES - 2; i++)
                for (int j = i + 2; j < CITIES; j++)
                    if (int g = gain(places.data(), i, j); g > 0)
                        want =
                            std::max(want, (unsigned long long)g << 32 | (unsigned)(i << 16 | j));
            return (long)(got != want);
        });
    variant(
        "lengths", "lengths", wiped, [&] { lengths<<<TOURS / 4, 128>>>(P, T, sums); },
        [&] {
            return differ(sums, TOURS, 1, 0, [&](size_t t) {
                int sum = 0;
                for (int k = 0; k < SMALL; k++)
                    sum += away(places[tours[t * SMALL + k]],
                                places[tours[t * SMALL + (k + 1) % SMALL]]);
                return sum;
            });
        });
    variant(
        "children", "children", wiped, [&] { children<<<TOURS / 64, 64>>>(B, out, TOURS); },
        [&] {
            std::vector<uint8_t> want(TOURS * SMALL);
            for (int i = 0; i < TOURS; i++)
                child(&beside[i], &beside[(i * 7 + 1) % TOURS], &want[i], TOURS,
                      i * 2654435761u + 1);
            return differ(out, TOURS * SMALL, 1, 0, [&](size_t i) { return want[i]; });
        });
    variant(
        "anneal", "anneal", wiped, [&] { anneal<<<TOURS / 32, 32>>>(P, out, sums, steps); },
        [&] {
            std::vector<int> change = fetch(sums, TOURS, false);
            std::vector<uint8_t> got = fetch(out, TOURS * SMALL, false);
            long bad = 0, other = 0;
            for (int t = 0; t < TOURS; t++) {
                uint8_t tour[SMALL];
                uint64_t seen = 0;
                int sum = 0, first = 0;
                for (int k = 0; k < SMALL; k++) {
                    tour[k] = k, seen |= 1ull << got[t * SMALL + k];
                    first += away(places[k], places[(k + 1) % SMALL]);
                    sum +=
                        away(places[got[t * SMALL + k]], places[got[t * SMALL + (k + 1) % SMALL]]);
                }
                bad += seen != ~0ull || sum - first != change[t];
                if (t % 8 == 0) // a chance at the very limit may fall otherwise
                    other +=
                        annealed(places.data(), tour, 1, t * 747796405u + 3, steps) != change[t];
            }
            return bad + (other > TOURS / 8 / 20);
        });
    variant(
        "ants", "ants", wiped, [&] { ants<<<walkers / 64, 64>>>(N, S, (uint32_t *)sums); },
        [&] {
            return differ((uint32_t *)sums, walkers, 7, 0, [&](size_t i) {
                uint32_t order;
                wander(nearest.data(), scent.data(), i * 2246822519u + 7, &order);
                return order;
            });
        });
    return finish();
}
