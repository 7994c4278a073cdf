// Particles that fly through matter: cross sections of mixtures looked up by one search in a common
// grid of energies, by a search for each nuclide and by a hash of the energy, whole lives of
// photons in a layer with a thread each, and one step of many photons at a time.
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

constexpr int NUCLIDES = 24, POINTS = 2048, COMMON = NUCLIDES * POINTS, QUESTIONS = 65536,
              MOST = 12, HASHES = 1024;

// energy, then what is absorbed, scattered and split
struct Point {
    float energy, kinds[3];
};

__host__ __device__ inline int lower(const Point *points, float energy, int low, int high)
{
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (points[middle].energy > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

__host__ __device__ inline void add(float (&sum)[3], const Point *p, float energy, float share)
{
    Point a = p[0], b = p[1];
    float part = (energy - a.energy) / (b.energy - a.energy);
#pragma unroll
    for (int k = 0; k < 3; k++)
        sum[k] += share * (a.kinds[k] + part * (b.kinds[k] - a.kinds[k]));
}

struct Question {
    float energy;
    int mixture;
};

struct Mixtures {
    const int *starts, *nuclides;
    const float *shares;
};

__device__ inline void store(float *out, int i, const float (&sum)[3])
{
    for (int k = 0; k < 3; k++)
        out[k * QUESTIONS + i] = sum[k];
}

// places[at][nuclide]: where the nuclide's own grid stands at a point of the common one
__global__ void common_grid(const Question *__restrict__ questions, Mixtures m,
                            const Point *__restrict__ points, const float *__restrict__ energies,
                            const int16_t *__restrict__ places, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = COMMON;
    Question q = questions[i];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (energies[middle] > q.energy)
            high = middle;
        else
            low = middle;
    }
    float sum[3] = {};
    for (int k = m.starts[q.mixture]; k < m.starts[q.mixture + 1]; k++) {
        int n = m.nuclides[k];
        add(sum, points + n * POINTS + places[low * NUCLIDES + n], q.energy, m.shares[k]);
    }
    store(out, i, sum);
}

__global__ void each_nuclide(const Question *__restrict__ questions, Mixtures m,
                             const Point *__restrict__ points, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Question q = questions[i];
    float sum[3] = {};
    for (int k = m.starts[q.mixture]; k < m.starts[q.mixture + 1]; k++) {
        const Point *own = points + m.nuclides[k] * POINTS;
        add(sum, own + lower(own, q.energy, 0, POINTS - 1), q.energy, m.shares[k]);
    }
    store(out, i, sum);
}

// firsts[nuclide][hash]: where to begin; the search ends where the next hash begins
__global__ void hashed(const Question *__restrict__ questions, Mixtures m,
                       const Point *__restrict__ points, const int16_t *__restrict__ firsts,
                       float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Question q = questions[i];
    int hash = (int)(q.energy * HASHES);
    float sum[3] = {};
    for (int k = m.starts[q.mixture]; k < m.starts[q.mixture + 1]; k++) {
        int n = m.nuclides[k];
        const Point *own = points + n * POINTS;
        const int16_t *first = firsts + n * (HASHES + 1) + hash;
        add(sum, own + lower(own, q.energy, first[0], min(first[1] + 1, POINTS - 1)), q.energy,
            m.shares[k]);
    }
    store(out, i, sum);
}

__host__ __device__ inline uint32_t stir(uint32_t &state)
{
    state = state * 747796405u + 2891336453u;
    uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return word >> 22 ^ word;
}

__host__ __device__ inline float chance(uint32_t &state)
{
    return ((stir(state) >> 8) + 0.5f) * 0x1p-24f;
}

struct Photon {
    float z, cosine, weight;
    uint32_t state;
};

constexpr float THICK = 4, ABSORBED = 0.04f, G = 0.7f;

// false where its life has ended; left: what leaves through either side, absorbed by depth
__device__ inline bool fly(Photon &p, unsigned *depths)
{
    p.z -= logf(chance(p.state)) * p.cosine;
    if (p.z < 0 || p.z >= THICK) {
        atomicAdd(depths + (p.z < 0 ? 0 : 65), (unsigned)(p.weight * 4096));
        return false;
    }
    float lost = p.weight * ABSORBED;
    atomicAdd(depths + 1 + (int)(p.z * (64 / THICK)), (unsigned)(lost * 4096));
    p.weight -= lost;
    float u = (1 - G * G) / (1 - G + 2 * G * chance(p.state)), turn = (1 + G * G - u * u) / (2 * G),
          angle = 6.2831853f * chance(p.state);
    p.cosine = p.cosine * turn +
               sqrtf(fmaxf(0, (1 - p.cosine * p.cosine) * (1 - turn * turn))) * cosf(angle);
    p.cosine = fminf(fmaxf(p.cosine, -1), 1);
    if (p.weight > 0.05f)
        return true;
    p.weight *= 10;
    return chance(p.state) < 0.1f;
}

__device__ inline void finish_depths(const unsigned *own, unsigned *out)
{
    __syncthreads();
    for (int i = threadIdx.x; i < 66; i += blockDim.x)
        atomicAdd(out + i, own[i]);
}

__global__ void __launch_bounds__(128) lives(const Photon *__restrict__ photons, unsigned *out)
{
    __shared__ unsigned own[66];
    if (threadIdx.x < 66)
        own[threadIdx.x] = 0;
    __syncthreads();
    Photon p = photons[blockIdx.x * 128 + threadIdx.x];
    while (fly(p, own))
        ;
    finish_depths(own, out);
}

__global__ void __launch_bounds__(128) one_step(const Photon *__restrict__ photons,
                                                Photon *__restrict__ next, int *many, unsigned *out)
{
    __shared__ unsigned own[66];
    if (threadIdx.x < 66)
        own[threadIdx.x] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, base = 0;
    Photon p = photons[blockIdx.x * 128 + threadIdx.x];
    bool lives_on = fly(p, own);
    unsigned mask = __ballot_sync(~0u, lives_on);
    if (lane == 0)
        base = atomicAdd(many, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (lives_on)
        next[base + __popc(mask & ((1u << lane) - 1))] = p;
    finish_depths(own, out);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(331);
    std::vector<Point> points(NUCLIDES * POINTS);
    std::vector<std::pair<float, int>> all;
    for (int n = 0; n < NUCLIDES; n++) {
        std::vector<float> energies = random.floats(POINTS - 2, 1e-6f, 0.999999f);
        energies.push_back(0), energies.push_back(1);
        std::sort(energies.begin(), energies.end());
        for (int i = 0; i < POINTS; i++) {
            if (i && energies[i] <= energies[i - 1])
                energies[i] = std::nextafter(energies[i - 1], 2.0f);
            points[n * POINTS + i] = {energies[i],
                                      {random.unit(), random.unit() * 2, random.unit() * 0.5f}};
            all.push_back({energies[i], n});
        }
    }
    std::sort(all.begin(), all.end());
    std::vector<float> energies(COMMON);
    std::vector<int16_t> places(COMMON * NUCLIDES), firsts(NUCLIDES * (HASHES + 1));
    std::vector<int> now(NUCLIDES, -1);
    for (int i = 0; i < COMMON; i++) {
        energies[i] = all[i].first;
        now[all[i].second]++;
        for (int n = 0; n < NUCLIDES; n++)
            places[i * NUCLIDES + n] = std::min(std::max(now[n], 0), POINTS - 2);
    }
    for (int n = 0; n < NUCLIDES; n++)
        for (int h = 0; h <= HASHES; h++)
            firsts[n * (HASHES + 1) + h] =
                lower(&points[n * POINTS], (float)h / HASHES, 0, POINTS - 1);
    std::vector<int> starts = {0}, nuclides;
    for (int m = 0; m < 6; m++) {
        for (int k = 0, many = 2 + random.below(MOST - 1); k < many; k++)
            nuclides.push_back(random.below(NUCLIDES));
        starts.push_back(nuclides.size());
    }
    std::vector<float> shares = random.floats(nuclides.size());
    std::vector<Question> questions(QUESTIONS);
    for (Question &q : questions)
        q = {random.between(0.001f, 0.999f), (int)random.below(6)};
    const int photons = 32768, stepping = 1 << 19;
    std::vector<Photon> born(stepping);
    for (Photon &p : born)
        p = {0, 1, 1, random.next()};
    Point *P = copy(points);
    float *E = copy(energies), *out = room<float>(3 * QUESTIONS);
    int16_t *L = copy(places), *F = copy(firsts);
    Question *Q = copy(questions);
    Mixtures m = {copy(starts), copy(nuclides), copy(shares)};
    Photon *B = copy(born), *next = room<Photon>(stepping);
    int *many = room<int>(1);
    unsigned *depths = room<unsigned>(66);
    auto wiped = [&] {
        fill(out, 3 * QUESTIONS, 0x77);
        fill(many, 1, 0);
        fill(depths, 66, 0);
    };
    auto check = [&] {
        return differ(out, 3 * QUESTIONS, 5, 1e-3, [&](size_t i) {
            Question q = questions[i % QUESTIONS];
            float sum[3] = {};
            for (int k = starts[q.mixture]; k < starts[q.mixture + 1]; k++) {
                const Point *own = &points[nuclides[k] * POINTS];
                add(sum, own + lower(own, q.energy, 0, POINTS - 1), q.energy, shares[k]);
            }
            return sum[i / QUESTIONS];
        });
    };
    variant(
        "common_grid", "common_grid", wiped,
        [&] { common_grid<<<QUESTIONS / 128, 128>>>(Q, m, P, E, L, out); }, check);
    variant(
        "each_nuclide", "each_nuclide", wiped,
        [&] { each_nuclide<<<QUESTIONS / 128, 128>>>(Q, m, P, out); }, check);
    variant(
        "hashed", "hashed", wiped, [&] { hashed<<<QUESTIONS / 128, 128>>>(Q, m, P, F, out); },
        check);
    variant(
        "lives", "lives", wiped, [&] { lives<<<photons / 128, 128>>>(B, depths); },
        [&] {
            std::vector<unsigned> got = fetch(depths, 66, false);
            double sum = 0, back = got[0] / 4096.0 / photons, through = got[65] / 4096.0 / photons;
            for (unsigned d : got)
                sum += d / 4096.0 / photons;
            // all weight is somewhere, but for what is cut off and what chance takes and gives
            return (long)(sum < 0.95 || sum > 1.02 || back < 0.1 || back > 0.5 || through < 0.2 ||
                          through > 0.7);
        });
    variant(
        "one_step", "one_step", wiped,
        [&] { one_step<<<stepping / 128, 128>>>(B, next, many, depths); },
        [&] {
            int left = fetch(many, 1, false)[0];
            std::vector<unsigned> got = fetch(depths, 66, false);
            std::vector<Photon> those = fetch(next, left);
            double through = exp(-THICK) * stepping;
            long bad = std::fabs(stepping - left - through) > 600 || got[0] != 0 ||
                       std::fabs(got[65] / 4096.0 - through) > 600;
            for (const Photon &p : those)
                bad += !(p.z >= 0 && p.z < THICK) || p.weight != 1 - ABSORBED ||
                       std::fabs(p.cosine) > 1;
            return bad;
        });
    return finish();
}
