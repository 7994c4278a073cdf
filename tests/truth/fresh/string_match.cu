// Finding words in 4 Mi letters: comparing at every place, from shared memory, by a rolling hash, by an automaton over
// chunks.
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

const int LETTERS = 1 << 22, WORD = 11, CHUNK = 128, STATES = 64;
__constant__ unsigned char word[WORD];

__global__ void compare_direct(const unsigned char *text, unsigned char *hit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 0;
    while (k < WORD && text[i + k] == word[k])
        k++;
    hit[i] = k == WORD;
}

// four places a thread, and four answers written as one word
__global__ void compare_shared(const uint32_t *text, uint32_t *hit)
{
    __shared__ uint32_t part[256 + 4];
    int base = blockIdx.x * 256;
    part[threadIdx.x] = text[base + threadIdx.x];
    if (threadIdx.x < 4)
        part[256 + threadIdx.x] = text[base + 256 + threadIdx.x];
    __syncthreads();
    const unsigned char *letters = (const unsigned char *)part + threadIdx.x * 4;
    uint32_t answer = 0;
    for (int place = 0; place < 4; place++) {
        int k = 0;
        while (k < WORD && letters[place + k] == word[k])
            k++;
        answer |= (uint32_t)(k == WORD) << place * 8;
    }
    hit[base + threadIdx.x] = answer;
}

__global__ void roll(const unsigned char *text, uint32_t wanted, uint32_t power, int *matches)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 32, found = 0;
    uint32_t hash = 0;
    for (int k = 0; k < WORD - 1; k++)
        hash = hash * 257 + text[first + k];
    for (int i = first; i < first + 32; i++) {
        hash = hash * 257 + text[i + WORD - 1];
        if (hash == wanted) {
            int k = 0;
            while (k < WORD && text[i + k] == word[k])
                k++;
            found += k == WORD;
        }
        hash -= text[i] * power;
    }
    if (found)
        atomicAdd(matches, found);
}

// next[state][letter]; each thread counts where it is in a state that ends a word
__global__ void automaton(const unsigned char *text, const short *next, int states, const unsigned char *ends,
                          int *count)
{
    __shared__ short table[STATES * 4];
    __shared__ unsigned char last[STATES];
    for (int k = threadIdx.x; k < states * 4; k += blockDim.x)
        table[k] = next[k];
    for (int k = threadIdx.x; k < states; k += blockDim.x)
        last[k] = ends[k];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, state = 0, found = 0;
    for (int i = t * CHUNK; i < (t + 1) * CHUNK; i += 4) {
        uchar4 four = *(const uchar4 *)&text[i];
        found += last[state = table[state * 4 + four.x]];
        found += last[state = table[state * 4 + four.y]];
        found += last[state = table[state * 4 + four.z]];
        found += last[state = table[state * 4 + four.w]];
    }
    count[t] = found;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(31);
    std::vector<unsigned char> text(LETTERS + 64), pattern(WORD);
    for (unsigned char &letter : text)
        letter = random.below(4);
    for (unsigned char &letter : pattern)
        letter = random.below(4);
    for (int k = 0; k < 5000; k++)
        std::copy(pattern.begin(), pattern.end(), text.begin() + random.below(LETTERS - WORD));
    std::vector<unsigned char> expected(LETTERS);
    int total = 0;
    uint32_t wanted = 0, power = 1;
    for (int k = 0; k < WORD; k++) {
        wanted = wanted * 257 + pattern[k];
        power = k ? power * 257 : 1;
    }
    for (int i = 0; i < LETTERS; i++)
        total += expected[i] = std::equal(pattern.begin(), pattern.end(), text.begin() + i);

    // a trie of eight words of four to eight letters, completed to an automaton breadth first
    std::vector<short> next(4, -1), back(1);
    std::vector<unsigned char> ends(1);
    for (int w = 0; w < 8; w++) {
        int state = 0;
        for (int k = 0, length = 4 + random.below(5); k < length; k++) {
            int letter = random.below(4);
            if (next[state * 4 + letter] < 0) {
                next[state * 4 + letter] = ends.size();
                next.insert(next.end(), 4, -1);
                ends.push_back(0);
                back.push_back(0);
            }
            state = next[state * 4 + letter];
        }
        ends[state] = 1;
    }
    std::vector<int> order(1);
    for (size_t at = 0; at < order.size(); at++)
        for (int state = order[at], letter = 0; letter < 4; letter++) {
            short &to = next[state * 4 + letter];
            int fallen = state ? next[back[state] * 4 + letter] : 0;
            if (to < 0) {
                to = fallen;
                continue;
            }
            back[to] = fallen;
            ends[to] += ends[fallen];
            order.push_back(to);
        }
    const int chunks = LETTERS / CHUNK, states = ends.size();
    std::vector<int> counts(chunks);
    for (int t = 0; t < chunks; t++)
        for (int i = t * CHUNK, state = 0; i < (t + 1) * CHUNK; i++)
            counts[t] += ends[state = next[state * 4 + text[i]]];

    must(cudaMemcpyToSymbol(word, pattern.data(), WORD));
    unsigned char *dt = copy(text), *hit = room<unsigned char>(LETTERS), *de = copy(ends);
    short *dn = copy(next);
    int *matches = room<int>(1), *count = room<int>(chunks);
    auto clear = [&] {
        fill(hit, LETTERS, 0xff);
        fill(matches, 1, 0);
        fill(count, chunks, 0xff);
    };
    auto check = [&] { return differ(hit, LETTERS, 1, 0, [&](size_t i) { return expected[i]; }); };
    variant(
        "direct", "compare_direct", clear, [&] { compare_direct<<<LETTERS / 256, 256>>>(dt, hit); }, check);
    variant(
        "shared", "compare_shared", clear,
        [&] { compare_shared<<<LETTERS / 1024, 256>>>((const uint32_t *)dt, (uint32_t *)hit); }, check);
    variant(
        "rolling", "roll", clear, [&] { roll<<<LETTERS / 32 / 128, 128>>>(dt, wanted, power, matches); },
        [&] { return (long)(fetch(matches, 1)[0] != total); });
    variant(
        "automaton", "automaton", clear, [&] { automaton<<<chunks / 128, 128>>>(dt, dn, states, de, count); },
        [&] { return differ(count, chunks, 1, 0, [&](size_t t) { return counts[t]; }); });
    return finish();
}
