// Blocks that work together: a sum finished by the block that comes last and one by atomics alone,
// a ring of values that goes on after each meeting of all blocks, pairs of blocks that hand pieces
// on through flags, and places that are changed under tickets.
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

constexpr int COUNT = 1 << 22, BLOCKS = 264;

__device__ inline float block_sum(float value)
{
    __shared__ float parts[8];
    for (int d = 16; d; d /= 2)
        value += __shfl_xor_sync(~0u, value, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int w = 0; w < 8; w++)
        value += parts[w];
    return value;
}

__device__ inline float own_part(const float4 *in)
{
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < COUNT / 4; i += BLOCKS * 256) {
        float4 v = in[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    return block_sum(sum);
}

__global__ void __launch_bounds__(256)
    last_block(const float4 *__restrict__ in, volatile float *parts, unsigned *many, float *out)
{
    __shared__ bool last;
    float sum = own_part(in);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(many, BLOCKS - 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    sum = 0;
    for (int i = threadIdx.x; i < BLOCKS; i += 256)
        sum += parts[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

__global__ void __launch_bounds__(256) atomics_only(const float4 *__restrict__ in, float *out)
{
    float sum = own_part(in);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

// all blocks run at the same time: there are fewer than multiprocessors
constexpr int RING = 64 * 256, ROUNDS = 32;

__device__ inline void meet(unsigned *arrived, int round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x * (round + 1u))
            ;
        __threadfence();
    }
    __syncthreads();
}

__global__ void __launch_bounds__(256) meetings(volatile uint32_t *ring, unsigned *arrived)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int round = 0; round < ROUNDS; round++) {
        volatile uint32_t *now = ring + round % 2 * RING, *next = ring + (1 - round % 2) * RING;
        // a neighbour, one in another block, and the value itself
        next[i] = now[(i + 1) % RING] * 3 + now[(i * 5 + 256 * 7) % RING] + (now[i] >> 3);
        meet(arrived, round);
    }
}

// even blocks make pieces, odd blocks take them: four places for each pair
constexpr int PAIRS = 64, PLACES = 4, PIECES = 24, PIECE = 1024;

__global__ void __launch_bounds__(256)
    handed_on(const uint4 *__restrict__ in, uint4 *places, volatile int *made, volatile int *taken,
              uint4 *__restrict__ out)
{
    int pair = blockIdx.x / 2, t = threadIdx.x;
    bool maker = blockIdx.x % 2 == 0;
    volatile int *mine = maker ? made + pair * 32 : taken + pair * 32,
                 *other = maker ? taken + pair * 32 : made + pair * 32;
    uint4 *own = places + pair * PLACES * (PIECE / 4) + t;
    for (int n = 0; n < PIECES; n++) {
        if (t == 0) {
            while (maker ? *other < n + 1 - PLACES : *other < n + 1)
                ;
            __threadfence();
        }
        __syncthreads();
        uint4 *place = own + n % PLACES * (PIECE / 4);
        int at = (pair * PIECES + n) * (PIECE / 4) + t;
        if (maker) {
            uint4 v = in[at];
            __stcg(place, make_uint4(v.x * 5 + 1, v.y * 5 + 1, v.z * 5 + 1, v.w * 5 + 1));
        } else {
            uint4 v = __ldcg(place);
            out[at] = make_uint4(v.x ^ v.x >> 7, v.y ^ v.y >> 7, v.z ^ v.z >> 7, v.w ^ v.w >> 7);
        }
        __threadfence();
        __syncthreads();
        if (t == 0)
            *mine = n + 1;
    }
}

// an account has a sum, a largest value, a count and a sum of squares, which change together
constexpr int ACCOUNTS = 1024, CHANGES = 16;

struct Account {
    unsigned next, served, count;
    int sum, most;
    long long squares;
};

__global__ void __launch_bounds__(32) tickets(const int2 *__restrict__ changes, Account *accounts)
{
    // one lane of each block changes accounts
    for (int n = threadIdx.x; n < CHANGES; n += 32) {
        // lanes take turns, so that none waits for another of its warp
        for (int lane = 0; lane < CHANGES; lane++)
            if (lane == (int)threadIdx.x) {
                int2 c = changes[blockIdx.x * CHANGES + n];
                volatile Account *a = accounts + c.x;
                unsigned ticket = atomicAdd((unsigned *)&accounts[c.x].next, 1);
                while (a->served != ticket)
                    ;
                __threadfence();
                a->count = a->count + 1;
                a->sum = a->sum + c.y;
                a->most = max(a->most, c.y);
                a->squares = a->squares + (long long)c.y * c.y;
                __threadfence();
                a->served = ticket + 1;
            }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(419);
    const int makers = PAIRS * PIECES * PIECE, changers = 1024;
    std::vector<float> in = random.floats(COUNT, -1, 1);
    std::vector<uint32_t> ring(2 * RING), pieces(makers);
    for (uint32_t &r : ring)
        r = random.next();
    for (uint32_t &p : pieces)
        p = random.next();
    std::vector<int2> changes(changers * CHANGES);
    for (int2 &c : changes)
        c = make_int2(random.below(random.below(4) ? ACCOUNTS : 64), random.below(20000));
    float *I = copy(in), *parts = room<float>(BLOCKS), *out = room<float>(1);
    unsigned *many = room<unsigned>(1), *R = room<unsigned>(2 * RING);
    uint32_t *P = copy(pieces), *places = room<uint32_t>(PAIRS * PLACES * PIECE),
             *received = room<uint32_t>(makers);
    int *made = room<int>(PAIRS * 32), *taken = room<int>(PAIRS * 32);
    int2 *C = copy(changes);
    Account *accounts = room<Account>(ACCOUNTS);
    auto wiped = [&] {
        put(R, ring);
        fill(parts, BLOCKS, 0x77);
        fill(out, 1, 0);
        fill(many, 1, 0);
        fill(made, PAIRS * 32, 0);
        fill(taken, PAIRS * 32, 0);
        fill(places, PAIRS * PLACES * PIECE, 0x77);
        fill(received, makers, 0x77);
        fill(accounts, ACCOUNTS, 0);
    };
    auto check = [&] {
        double sum = 0;
        for (float v : in)
            sum += (double)v * v;
        return (long)!near(fetch(out, 1)[0], sum, 1e-4);
    };
    variant(
        "last_block", "last_block", wiped,
        [&] { last_block<<<BLOCKS, 256>>>((float4 *)I, parts, many, out); }, check);
    variant(
        "atomics_only", "atomics_only", wiped,
        [&] { atomics_only<<<BLOCKS, 256>>>((float4 *)I, out); }, check);
    variant(
        "meetings", "meetings", wiped, [&] { meetings<<<RING / 256, 256>>>(R, many); },
        [&] {
            std::vector<uint32_t> now(ring.begin(), ring.begin() + RING), next(RING);
            for (int round = 0; round < ROUNDS; round++, now.swap(next))
                for (int i = 0; i < RING; i++)
                    next[i] =
                        now[(i + 1) % RING] * 3 + now[(i * 5 + 256 * 7) % RING] + (now[i] >> 3);
            return differ(R + ROUNDS % 2 * RING, RING, 1, 0, [&](size_t i) { return now[i]; });
        });
    variant(
        "handed_on", "handed_on", wiped,
        [&] {
            handed_on<<<2 * PAIRS, 256>>>((uint4 *)P, (uint4 *)places, made, taken,
                                          (uint4 *)received);
        },
        [&] {
            return differ(received, makers, 1, 0, [&](size_t i) {
                uint32_t v = pieces[i] * 5 + 1;
                return v ^ v >> 7;
            });
        });
    variant(
        "tickets", "tickets", wiped, [&] { tickets<<<changers, 32>>>(C, accounts); },
        [&] {
            std::vector<Account> want(ACCOUNTS), got = fetch(accounts, ACCOUNTS);
            long bad = 0;
            for (const int2 &c : changes) {
                Account &a = want[c.x];
                a.count++, a.sum += c.y, a.most = std::max(a.most, c.y);
                a.squares += (long long)c.y * c.y;
            }
            for (int i = 0; i < ACCOUNTS; i++)
                bad += got[i].count != want[i].count || got[i].sum != want[i].sum ||
                       got[i].most != want[i].most || got[i].squares != want[i].squares;
            return bad;
        });
    return finish();
}
