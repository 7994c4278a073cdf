// Indexes that keep an order: a tree with sixteen keys a node, asked with a thread and with sixteen
// lanes a question, a trie of maps of 32 bits, a list with shortcuts, and sums over ranges of keys.
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

constexpr int KEYS = 1 << 20, QUESTIONS = 1 << 17, FAN = 16, LEVELS = 5;

// levels[k]: from the root on the least key of every child; each has FAN times as many nodes
struct Tree {
    const uint32_t *levels[LEVELS];
};

// the place of the last key that is not above the question; the least key of all is 0
__global__ void tree_thread(Tree tree, const uint32_t *__restrict__ questions,
                            int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, node = 0;
    uint32_t question = questions[i];
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        const uint32_t *keys = tree.levels[level] + node * FAN;
        int child = 0;
        while (child < FAN - 1 && keys[child + 1] <= question)
            child++;
        node = node * FAN + child;
    }
    out[i] = node;
}

__global__ void tree_lanes(Tree tree, const uint32_t *__restrict__ questions, int *__restrict__ out)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / FAN, lane = threadIdx.x % FAN, node = 0;
    unsigned half = threadIdx.x % 32 / FAN * FAN;
    uint32_t question = questions[i];
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        unsigned mask =
            __ballot_sync(~0u, tree.levels[level][node * FAN + lane] <= question) >> half & 0xffff;
        node = node * FAN + __popc(mask) - 1;
    }
    if (lane == 0)
        out[i] = node;
}

// five bits of the key a level: which children are there, and where they begin; the last level has
// places of keys
struct Node {
    uint32_t map, first;
};

__host__ __device__ inline int trie_at(const Node *nodes, uint32_t key)
{
    Node node = nodes[0];
    for (int shift = 25;; shift -= 5) {
        uint32_t bit = 1u << (key >> shift & 31);
        if (!(node.map & bit))
            return -1;
#ifdef __CUDA_ARCH__
        uint32_t child = node.first + __popc(node.map & (bit - 1));
#else
        uint32_t child = node.first + __builtin_popcount(node.map & (bit - 1));
#endif
        if (shift == 0)
            return child;
        node = nodes[child];
    }
}

__global__ void trie(const Node *__restrict__ nodes, const uint32_t *__restrict__ questions,
                     int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = trie_at(nodes, questions[i]);
}

// nodes lie in any order; heights by chance; a node's links to the next of each level it has
constexpr int TALLEST = 10, LISTED = 1 << 16, LOOKING = 1 << 14;

__global__ void __launch_bounds__(64)
    skip(const uint32_t *__restrict__ keys, const int *__restrict__ firsts,
         const int *__restrict__ links, const uint32_t *__restrict__ questions,
         int *__restrict__ out)
{
    int i = blockIdx.x * 64 + threadIdx.x, at = 0;
    uint32_t question = questions[i];
    for (int level = TALLEST - 1; level >= 0; level--)
        for (;;) {
            int next = links[firsts[at] + level];
            if (next < 0 || keys[next] > question)
                break;
            at = next;
        }
    out[i] = at;
}

// a warp a question: both ends by the tree, then all values between
__global__ void __launch_bounds__(128)
    ranges(Tree tree, const uint2 *__restrict__ questions, const int *__restrict__ values,
           long long *__restrict__ out)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, node = 0;
    // half a warp for each end
    uint2 question = questions[i];
    uint32_t own = lane < FAN ? question.x : question.y;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
        unsigned mask =
            __ballot_sync(~0u, tree.levels[level][node * FAN + lane % FAN] <= own) >> (lane & FAN) &
            0xffff;
        node = node * FAN + __popc(mask) - 1;
    }
    int begin = __shfl_sync(~0u, node, 0) + 1, end = __shfl_sync(~0u, node, FAN) + 1;
    long long sum = 0;
    for (int k = begin + lane; k < end; k += 32)
        sum += values[k];
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[i] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(373);
    std::vector<uint32_t> keys(KEYS), questions(QUESTIONS);
    for (uint32_t &key : keys)
        key = random.next() >> 2;
    keys[0] = 0;
    std::sort(keys.begin(), keys.end());
    for (int i = 1; i < KEYS; i++) // all differ
        keys[i] = std::max(keys[i], keys[i - 1] + 1);
    for (int i = 0; i < QUESTIONS; i++)
        questions[i] = i % 2 ? keys[random.below(KEYS)] : random.next() >> 2;
    Tree tree;
    for (int level = 0, step = KEYS / FAN; level < LEVELS; level++, step /= FAN) {
        std::vector<uint32_t> own;
        for (int i = 0; i < KEYS; i += step)
            own.push_back(keys[i]);
        tree.levels[level] = copy(own);
    }
    // nodes of a level one behind the other
    std::vector<Node> nodes;
    size_t level_first = 0;
    for (int shift = 25; shift >= 0; shift -= 5) {
        std::vector<Node> level;
        uint32_t children = 0;
        for (int i = 0; i < KEYS; i++) {
            uint32_t above = shift < 25 ? keys[i] >> (shift + 5) : 0,
                     before = i ? shift < 25 ? keys[i - 1] >> (shift + 5) : 0 : ~0u;
            if (above != before)
                level.push_back({0, children});
            uint32_t bit = 1u << (keys[i] >> shift & 31);
            children += !(level.back().map & bit);
            level.back().map |= bit;
        }
        // children of this level begin where it ends; those of the last level are places of keys
        for (Node &node : level)
            node.first += shift ? level_first + level.size() : 0;
        level_first += level.size();
        nodes.insert(nodes.end(), level.begin(), level.end());
    }
    // names of the list's nodes: the first is the head, the others are mixed
    std::vector<int> names(LISTED), links, firsts(LISTED);
    for (int i = 0; i < LISTED; i++)
        names[i] = i;
    for (int i = LISTED - 1; i > 1; i--)
        std::swap(names[i], names[1 + random.below(i)]);
    std::vector<uint32_t> listed(LISTED), looking(LOOKING);
    std::vector<int> heights(LISTED);
    for (int i = 0; i < LISTED; i++) {
        listed[names[i]] = keys[i * (KEYS / LISTED)];
        heights[names[i]] = i ? 1 : TALLEST;
        while (heights[names[i]] < TALLEST && random.below(3) == 0)
            heights[names[i]]++;
    }
    for (int i = 0; i < LISTED; i++)
        firsts[i] = links.size(), links.resize(links.size() + heights[i], -1);
    for (int level = 0; level < TALLEST; level++)
        for (int i = LISTED - 1, next = -1; i >= 0; i--)
            if (heights[names[i]] > level)
                links[firsts[names[i]] + level] = next, next = names[i];
    for (uint32_t &q : looking)
        q = random.next() >> 2;
    const int wide = 8192;
    std::vector<uint2> both(wide);
    for (uint2 &b : both) {
        uint32_t from = random.next() >> 2;
        b = make_uint2(from, from + random.below(1 << 20));
    }
    std::vector<int> values(KEYS);
    for (int &v : values)
        v = random.next() >> 8;
    uint32_t *Q = copy(questions), *L = copy(listed), *A = copy(looking);
    Node *N = copy(nodes);
    int *F = copy(firsts), *K = copy(links), *V = copy(values), *out = room<int>(QUESTIONS);
    uint2 *B = copy(both);
    long long *sums = room<long long>(wide);
    auto wiped = [&] {
        fill(out, QUESTIONS, 0x77);
        fill(sums, wide, 0x77);
    };
    auto place = [&](uint32_t question) {
        return (int)(std::upper_bound(keys.begin(), keys.end(), question) - keys.begin()) - 1;
    };
    auto check = [&] {
        return differ(out, QUESTIONS, 1, 0, [&](size_t i) { return place(questions[i]); });
    };
    variant(
        "tree_thread", "tree_thread", wiped,
        [&] { tree_thread<<<QUESTIONS / 128, 128>>>(tree, Q, out); }, check);
    variant(
        "tree_lanes", "tree_lanes", wiped,
        [&] { tree_lanes<<<QUESTIONS * FAN / 128, 128>>>(tree, Q, out); }, check);
    variant(
        "trie", "trie", wiped, [&] { trie<<<QUESTIONS / 128, 128>>>(N, Q, out); },
        [&] {
            return differ(out, QUESTIONS, 1, 0, [&](size_t i) {
                int at = place(questions[i]);
                return keys[at] == questions[i] ? at : -1;
            });
        });
    variant(
        "skip", "skip", wiped, [&] { skip<<<LOOKING / 64, 64>>>(L, F, K, A, out); },
        [&] {
            return differ(out, LOOKING, 1, 0,
                          [&](size_t i) { return names[place(looking[i]) / (KEYS / LISTED)]; });
        });
    variant(
        "ranges", "ranges", wiped, [&] { ranges<<<wide / 4, 128>>>(tree, B, V, sums); },
        [&] {
            return differ(sums, wide, 1, 0, [&](size_t i) {
                long long sum = 0;
                for (int k = place(both[i].x) + 1; k <= place(both[i].y); k++)
                    sum += values[k];
                return sum;
            });
        });
    return finish();
}
