// Huffman codes of bytes: bits of chunks summed, codes packed at known places by atomics on words,
// chunks decoded by a table of 12 bits in shared memory, and chunks decoded bit by bit with the
// first codes of each length in constant memory.
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
#include <queue>

constexpr int COUNT = 6 << 20, CHUNK = 64, CHUNKS = COUNT / CHUNK, LONGEST = 12;
__constant__ uint32_t FIRST[16], BEFORE[16], MANY[16]; // by length

// a warp a row of four chunks: eight lanes a chunk with eight bytes each
__global__ void lengths(const uint2 *__restrict__ text, const uint8_t *__restrict__ length,
                        uint32_t *__restrict__ bits)
{
    __shared__ uint8_t table[256];
    if (threadIdx.x < 256)
        table[threadIdx.x] = length[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT / 8;
         i += gridDim.x * blockDim.x) {
        uint2 v = text[i];
        uint32_t sum = 0;
        for (int k = 0; k < 32; k += 8)
            sum += table[v.x >> k & 255] + table[v.y >> k & 255];
        for (int step = 4; step; step /= 2)
            sum += __shfl_down_sync(~0u, sum, step, 8);
        if (i % 8 == 0)
            bits[i / 8] = sum;
    }
}

// codes in the high bits first; eight bytes a thread
__global__ void pack(const uint8_t *__restrict__ text, const uint2 *__restrict__ codes,
                     const uint32_t *__restrict__ starts, uint32_t *out)
{
    __shared__ uint2 table[256];
    table[threadIdx.x] = codes[threadIdx.x];
    __syncthreads();
    int chunk = blockIdx.x * 256 + threadIdx.x;
    uint32_t at = starts[chunk], word = at / 32, filled = at % 32;
    uint64_t hold = 0;
    for (int k = 0; k < CHUNK; k++) {
        uint2 c = table[text[chunk * CHUNK + k]];
        hold |= (uint64_t)c.x << (64 - filled - c.y);
        filled += c.y;
        if (filled >= 32) {
            atomicOr(out + word++, (uint32_t)(hold >> 32));
            hold <<= 32;
            filled -= 32;
        }
    }
    if (filled)
        atomicOr(out + word, (uint32_t)(hold >> 32));
}

__global__ void __launch_bounds__(128)
    decode_table(const uint32_t *__restrict__ in, const uint32_t *__restrict__ starts,
                 const uint16_t *__restrict__ entries, uint8_t *__restrict__ out)
{
    __shared__ uint16_t table[1 << LONGEST]; // symbol and length
    for (int i = threadIdx.x; i < 1 << LONGEST; i += 128)
        table[i] = entries[i];
    __syncthreads();
    int chunk = blockIdx.x * 128 + threadIdx.x;
    uint32_t at = starts[chunk], word = at / 32;
    uint64_t hold = (uint64_t)in[word] << 32 | in[word + 1];
    int used = at % 32;
    for (int k = 0; k < CHUNK; k += 4) {
        uint32_t four = 0;
        for (int b = 0; b < 32; b += 8) {
            uint32_t e = table[hold << used >> (64 - LONGEST)];
            used += e & 15;
            four |= (e >> 4) << b;
            if (used >= 32) {
                used -= 32;
                hold = hold << 32 | in[++word + 1];
            }
        }
        *(uint32_t *)(out + chunk * CHUNK + k) = four;
    }
}

__global__ void decode_bits(const uint32_t *__restrict__ in, const uint32_t *__restrict__ starts,
                            const uint8_t *__restrict__ symbols, uint8_t *__restrict__ out)
{
    int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = starts[chunk], word = in[at / 32];
    for (int k = 0; k < CHUNK; k++) {
        uint32_t code = 0;
        for (int n = 1;; n++) {
            code = code << 1 | (word >> (31 - at % 32) & 1);
            if (++at % 32 == 0)
                word = in[at / 32];
            if (code - FIRST[n] < MANY[n]) {
                out[chunk * CHUNK + k] = symbols[BEFORE[n] + code - FIRST[n]];
                break;
            }
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(83);
    std::vector<uint8_t> text(COUNT), length(256), symbols;
    std::vector<double> weight(256);
    for (uint8_t &c : text) {
        c = random.below(4) ? 97 + std::min(random.below(26), random.below(26)) : random.below(256);
        weight[c]++;
    }
    for (double more = 1;; more *= 2) { // flattened until no code is longer than 12 bits
        struct Node {
            double weight;
            int id;
            bool operator<(const Node &o) const
            {
                return weight != o.weight ? weight > o.weight : id > o.id;
            }
        };
        std::priority_queue<Node> queue;
        std::vector<int> parent(512, -1);
        for (int i = 0; i < 256; i++)
            queue.push({weight[i] + more, i});
        for (int id = 256; queue.size() > 1; id++) {
            Node a = queue.top();
            queue.pop();
            Node b = queue.top();
            queue.pop();
            parent[a.id] = parent[b.id] = id;
            queue.push({a.weight + b.weight, id});
        }
        int longest = 0;
        for (int i = 0; i < 256; i++) {
            length[i] = 0;
            for (int k = i; parent[k] >= 0; k = parent[k])
                length[i]++;
            longest = std::max<int>(longest, length[i]);
        }
        if (longest <= LONGEST)
            break;
    }
    std::vector<uint2> codes(256);
    std::vector<uint16_t> entries(1 << LONGEST);
    uint32_t first[16] = {}, before[16] = {}, many[16] = {}, code = 0;
    for (int n = 1; n <= LONGEST; n++, code <<= 1) {
        first[n] = code, before[n] = symbols.size();
        for (int i = 0; i < 256; i++)
            if (length[i] == n) {
                codes[i] = make_uint2(code, n);
                for (uint32_t k = 0; k < 1u << (LONGEST - n); k++)
                    entries[(code << (LONGEST - n)) + k] = i << 4 | n;
                symbols.push_back(i);
                many[n]++;
                code++;
            }
    }
    must(cudaMemcpyToSymbol(FIRST, first, sizeof first));
    must(cudaMemcpyToSymbol(BEFORE, before, sizeof before));
    must(cudaMemcpyToSymbol(MANY, many, sizeof many));
    std::vector<uint32_t> bits(CHUNKS), starts(CHUNKS);
    uint32_t all = 0;
    for (int c = 0; c < CHUNKS; c++) {
        starts[c] = all;
        for (int k = 0; k < CHUNK; k++)
            bits[c] += length[text[c * CHUNK + k]];
        all += bits[c];
    }
    std::vector<uint32_t> packed(all / 32 + 3);
    uint32_t at = 0;
    for (uint8_t c : text)
        for (int k = codes[c].y - 1; k >= 0; k--, at++)
            packed[at / 32] |= (codes[c].x >> k & 1) << (31 - at % 32);
    uint8_t *T = copy(text), *L = copy(length), *S = copy(symbols), *out = room<uint8_t>(COUNT);
    uint2 *C = copy(codes);
    uint16_t *E = copy(entries);
    uint32_t *ST = copy(starts), *P = copy(packed), *sums = room<uint32_t>(CHUNKS),
             *words = room<uint32_t>(packed.size());
    auto wiped = [&] {
        fill(out, COUNT, 0xff);
        fill(sums, CHUNKS, 0xff);
        fill(words, packed.size(), 0);
    };
    auto check = [&](int count) {
        return differ(out, count, 1, 0, [&](size_t i) { return text[i]; });
    };
    variant(
        "lengths", "lengths", wiped, [&] { lengths<<<96, 512>>>((uint2 *)T, L, sums); },
        [&] { return differ(sums, CHUNKS, 1, 0, [&](size_t i) { return bits[i]; }); });
    variant(
        "pack", "pack", wiped, [&] { pack<<<CHUNKS / 256, 256>>>(T, C, ST, words); },
        [&] { return differ(words, packed.size(), 1, 0, [&](size_t i) { return packed[i]; }); });
    variant(
        "decode_table", "decode_table", wiped,
        [&] { decode_table<<<CHUNKS / 128, 128>>>(P, ST, E, out); }, [&] { return check(COUNT); });
    variant(
        "decode_bits", "decode_bits", wiped,
        [&] { decode_bits<<<CHUNKS / 3 / 64, 64>>>(P, ST, S, out); },
        [&] { return check(COUNT / 3); });
    return finish();
}
