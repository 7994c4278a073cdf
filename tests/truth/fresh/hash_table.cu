// A hash table with open addressing: inserting, looking up with a thread a key, looking up with eight lanes a key in
// buckets.
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

const uint32_t SLOTS = 1 << 21, BUCKETS = SLOTS / 8;
const uint64_t EMPTY = ~0ull;

__host__ __device__ uint32_t scatter(uint32_t key)
{
    key ^= key >> 16;
    key *= 0x7feb352d;
    key ^= key >> 15;
    key *= 0x846ca68b;
    return key ^ key >> 16;
}

__global__ void insert(const uint32_t *keys, int count, unsigned long long *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned long long entry = (unsigned long long)keys[i] << 32 | i;
    for (uint32_t slot = scatter(keys[i]) % SLOTS;; slot = (slot + 1) % SLOTS)
        if (atomicCAS(&table[slot], EMPTY, entry) == EMPTY)
            return;
}

__global__ void look_up(const uint32_t *keys, int count, const unsigned long long *table, uint32_t *value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t key = keys[i], found = ~0u;
    for (uint32_t slot = scatter(key) % SLOTS;; slot = (slot + 1) % SLOTS) {
        unsigned long long entry = table[slot];
        if (entry == EMPTY)
            break;
        if (entry >> 32 == key) {
            found = (uint32_t)entry;
            break;
        }
    }
    value[i] = found;
}

__global__ void look_up_buckets(const uint32_t *keys, int count, const unsigned long long *table, uint32_t *value)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (i >= count)
        return;
    uint32_t group = 0xffu << (threadIdx.x % 32 / 8 * 8), key = keys[i];
    for (uint32_t bucket = scatter(key) % BUCKETS;; bucket = (bucket + 1) % BUCKETS) {
        unsigned long long entry = table[bucket * 8 + lane];
        uint32_t hit = __ballot_sync(group, entry >> 32 == key && entry != EMPTY);
        uint32_t open = __ballot_sync(group, entry == EMPTY);
        if (hit) {
            if (entry >> 32 == key)
                value[i] = (uint32_t)entry;
            return;
        }
        if (open) {
            if (lane == 0)
                value[i] = ~0u;
            return;
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int count = 1 << 20, asked = 1 << 19;
    Lcg random(30);
    std::vector<uint32_t> keys(count), questions(asked), answers(asked, ~0u);
    std::vector<unsigned long long> linear(SLOTS, EMPTY), buckets(SLOTS, EMPTY);
    std::vector<unsigned char> fullness(BUCKETS);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = i * 2654435761u; // odd factor, so all of them differ
        unsigned long long entry = (unsigned long long)keys[i] << 32 | i;
        uint32_t slot = scatter(keys[i]) % SLOTS, bucket = scatter(keys[i]) % BUCKETS;
        while (linear[slot] != EMPTY)
            slot = (slot + 1) % SLOTS;
        linear[slot] = entry;
        while (fullness[bucket] == 8)
            bucket = (bucket + 1) % BUCKETS;
        buckets[bucket * 8 + fullness[bucket]++] = entry;
    }
    for (int i = 0; i < asked; i++) {
        uint32_t number = random.below(count + count / 2);
        questions[i] = number * 2654435761u;
        if (number < count)
            answers[i] = number;
    }
    uint32_t *dk = copy(keys), *dq = copy(questions), *value = room<uint32_t>(asked);
    unsigned long long *table = room<unsigned long long>(SLOTS), *dl = copy(linear), *db = copy(buckets);
    auto clear = [&] {
        fill(value, asked, 0x55);
        fill(table, SLOTS, 0xff);
    };
    auto check = [&] { return differ(value, asked, 1, 0, [&](size_t i) { return answers[i]; }); };
    variant(
        "insert", "insert", clear, [&] { insert<<<count / 256, 256>>>(dk, count, table); },
        [&] {
            std::vector<unsigned long long> got = fetch(table, SLOTS);
            std::vector<bool> seen(count);
            long bad = 0, present = 0;
            for (uint32_t slot = 0; slot < SLOTS; slot++) {
                if (got[slot] == EMPTY)
                    continue;
                uint32_t i = (uint32_t)got[slot], home = scatter(keys[i % count]) % SLOTS;
                bad += i >= count || seen[i] || keys[i] != got[slot] >> 32;
                seen[i % count] = true;
                present++;
                for (uint32_t s = home; s != slot; s = (s + 1) % SLOTS)
                    bad += got[s] == EMPTY;
            }
            return bad + (present != count);
        });
    variant(
        "look_up", "look_up", clear, [&] { look_up<<<asked / 128, 128>>>(dq, asked, dl, value); }, check);
    variant(
        "buckets", "look_up_buckets", clear, [&] { look_up_buckets<<<asked / 32, 256>>>(dq, asked, db, value); },
        check);
    return finish();
}
