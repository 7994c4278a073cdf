// Looking into a text by an index: steps back through a Burrows-Wheeler transform for many and for
// few patterns, the sorted list of suffixes searched by halves, common beginnings of neighbours,
// and the text read back out of the transform.
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

constexpr int LETTERS = 1 << 20, EVERY = 64, PATTERN = 24;

// how often a letter stands before a place: a count each 64 letters, then two masks of 64 bits
struct Rank {
    uint32_t before[4];
    uint64_t low, high;
};

__host__ __device__ inline int rank_of(const Rank *ranks, int letter, int at, int end)
{
    const Rank &r = ranks[at / EVERY];
    uint64_t low = letter & 1 ? r.low : ~r.low, high = letter & 2 ? r.high : ~r.high;
    uint64_t same = low & high & ((1ull << at % EVERY) - 1);
    // the end of the text is kept as a letter 0
    int less = letter == 0 && end / EVERY == at / EVERY && end < at;
#ifdef __CUDA_ARCH__
    return r.before[letter] + __popcll(same) - less;
#else
    return r.before[letter] + __builtin_popcountll(same) - less;
#endif
}

struct Index {
    int first[5], end;
};

__host__ __device__ inline int backwards(const Rank *ranks, const Index &index,
                                         const uint8_t *pattern, int *from)
{
    int low = 0, high = LETTERS + 1;
    for (int k = PATTERN - 1; k >= 0 && low < high; k--) {
        int c = pattern[k];
        low = index.first[c] + rank_of(ranks, c, low, index.end);
        high = index.first[c] + rank_of(ranks, c, high, index.end);
    }
    *from = low;
    return high - low;
}

__global__ void search_back(const Rank *__restrict__ ranks, Index index,
                            const uint8_t *__restrict__ patterns, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low;
    int many = backwards(ranks, index, patterns + i * PATTERN, &low);
    out[i] = many > 0 ? low + many : -1;
}

__host__ __device__ inline int compared(const uint8_t *text, int at, const uint8_t *pattern)
{
    for (int k = 0; k < PATTERN; k++) {
        int c = at + k < LETTERS ? text[at + k] : -1;
        if (c != pattern[k])
            return c - pattern[k];
    }
    return 0;
}

__global__ void halves(const int *__restrict__ suffixes, const uint8_t *__restrict__ text,
                       const uint8_t *__restrict__ patterns, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = LETTERS + 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (compared(text, suffixes[middle], patterns + i * PATTERN) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

// Kasai: a thread has some places one after the other, so that it need not begin anew
__host__ __device__ inline int beginning(const int *suffixes, const int *place, const uint8_t *text,
                                         int at, int known)
{
    if (place[at] == 0)
        return 0;
    int other = suffixes[place[at] - 1];
    while (at + known < LETTERS && other + known < LETTERS &&
           text[at + known] == text[other + known])
        known++;
    return known;
}

__global__ void common(const int *__restrict__ suffixes, const int *__restrict__ place,
                       const uint8_t *__restrict__ text, int *__restrict__ out, int each)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, known = 0;
    for (int at = first; at < first + each; at++) {
        known = beginning(suffixes, place, text, at, known);
        out[at] = known;
        known -= known > 0;
    }
}

// a thread follows the transform back from a place whose row is known
__global__ void read_back(const Rank *__restrict__ ranks, Index index, const int *__restrict__ rows,
                          uint8_t *__restrict__ out, int each)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = rows[i];
    for (int k = each - 1; k >= 0; k--) {
        const Rank &r = ranks[row / EVERY];
        int c = (r.low >> row % EVERY & 1) | (r.high >> row % EVERY & 1) << 1;
        out[i * each + k] = c;
        row = index.first[c] + rank_of(ranks, c, row, index.end);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(31);
    const int asked = 32768, few = 4096, each = 16, walkers = 4096, walk = LETTERS / walkers;
    std::vector<uint8_t> text(LETTERS), patterns(asked * PATTERN);
    for (int i = 0; i < LETTERS; i++)
        text[i] =
            i > 30000 && i / 3000 % 4 == 0 && random.below(20) ? text[i - 30000] : random.below(4);
    std::vector<int> suffixes(LETTERS + 1), place(LETTERS + 1);
    for (int i = 0; i <= LETTERS; i++)
        suffixes[i] = i;
    std::vector<uint64_t> head(LETTERS + 32);
    uint64_t word = 0;
    for (int i = LETTERS - 1; i >= 0; i--) {
        word = word >> 2 | (uint64_t)text[i] << 62;
        head[i] = word;
    }
    // ties of 32 letters are broken by the letters that follow
    std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) {
        while (a < LETTERS && b < LETTERS && std::max(a, b) + 32 <= LETTERS) {
            if (head[a] != head[b])
                return head[a] < head[b];
            a += 32, b += 32;
        }
        while (a < LETTERS && b < LETTERS && text[a] == text[b])
            a++, b++;
        return b >= LETTERS ? false : a >= LETTERS ? true : text[a] < text[b];
    });
    Index index = {};
    std::vector<Rank> ranks(LETTERS / EVERY + 2);
    uint32_t counts[4] = {};
    for (int row = 0; row <= LETTERS; row++) {
        place[suffixes[row]] = row;
        Rank &r = ranks[row / EVERY];
        if (row % EVERY == 0)
            std::copy(counts, counts + 4, r.before);
        if (suffixes[row] == 0) {
            index.end = row;
            continue;
        }
        int c = text[suffixes[row] - 1];
        r.low |= (uint64_t)(c & 1) << row % EVERY, r.high |= (uint64_t)(c >> 1) << row % EVERY;
        counts[c]++;
    }
    if ((LETTERS + 1) % EVERY == 0)
        std::copy(counts, counts + 4, ranks[(LETTERS + 1) / EVERY].before);
    index.first[0] = 1;
    for (int c = 0; c < 4; c++)
        index.first[c + 1] = index.first[c] + counts[c];
    for (int i = 0; i < asked; i++) {
        int at = random.below(LETTERS - PATTERN);
        for (int k = 0; k < PATTERN; k++)
            patterns[i * PATTERN + k] = i % 3 ? text[at + k] : random.below(4);
    }
    std::vector<int> rows(walkers);
    for (int i = 0; i < walkers; i++)
        rows[i] = place[(i + 1) * walk];
    Rank *R = copy(ranks);
    uint8_t *T = copy(text), *P = copy(patterns), *letters = room<uint8_t>(LETTERS);
    int *S = copy(suffixes), *I = copy(place), *W = copy(rows), *out = room<int>(LETTERS);
    auto wiped = [&] {
        fill(out, LETTERS, 0x77);
        fill(letters, LETTERS, 0x77);
    };
    auto expected = [&](size_t i) {
        int low = 0, high = LETTERS + 1;
        while (low < high) {
            int middle = (low + high) / 2;
            compared(text.data(), suffixes[middle], &patterns[i * PATTERN]) < 0 ? low = middle + 1
                                                                                : high = middle;
        }
        return low;
    };
    auto back = [&](int count) {
        return differ(out, count, 1, 0, [&](size_t i) {
            int low = expected(i), end = low;
            while (end <= LETTERS &&
                   compared(text.data(), suffixes[end], &patterns[i * PATTERN]) == 0)
                end++;
            return end > low ? end : -1;
        });
    };
    variant(
        "search_back", "search_back", wiped,
        [&] { search_back<<<asked / 128, 128>>>(R, index, P, out); }, [&] { return back(asked); });
    variant(
        "search_few", "search_back", wiped,
        [&] { search_back<<<few / 32, 32>>>(R, index, P, out); }, [&] { return back(few); });
    variant(
        "halves", "halves", wiped, [&] { halves<<<asked / 128, 128>>>(S, T, P, out); },
        [&] { return differ(out, asked, 1, 0, expected); });
    variant(
        "common", "common", wiped,
        [&] { common<<<LETTERS / each / 128, 128>>>(S, I, T, out, each); },
        [&] {
            return differ(out, LETTERS, 3, 0, [&](size_t i) {
                return beginning(suffixes.data(), place.data(), text.data(), i, 0);
            });
        });
    variant(
        "read_back", "read_back", wiped,
        [&] { read_back<<<walkers / 32, 32>>>(R, index, W, letters, walk); },
        [&] { return differ(letters, LETTERS, 1, 0, [&](size_t i) { return text[i]; }); });
    return finish();
}
