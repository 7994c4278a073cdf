// Codes near the entropy, decoded: asymmetric numbers with 32 states of a warp on one stream of
// words and with a stream in each thread, Rice's codes with a chunk in each thread, and a binary
// arithmetic code whose chances follow the bits.
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

constexpr int BYTES = 1 << 20, SCALE = 12, CHUNK = 4096, SHORT = 256;

// share of a byte among 4096: what comes before, and how many
struct Share {
    uint16_t before, many;
};

__device__ inline void prepare_tables(const Share *shares, const uint8_t *kinds, Share *own,
                                      uint8_t *kind)
{
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        own[i] = shares[i];
    for (int i = threadIdx.x; i < (1 << SCALE) / 4; i += blockDim.x)
        ((uint32_t *)kind)[i] = ((const uint32_t *)kinds)[i];
    __syncthreads();
}

__device__ inline uint8_t step(uint32_t &state, const Share *own, const uint8_t *kind)
{
    uint32_t low = state & ((1 << SCALE) - 1);
    uint8_t byte = kind[low];
    Share s = own[byte];
    state = s.many * (state >> SCALE) + low - s.before;
    return byte;
}

// lanes that need a word take the next ones in their order
__global__ void __launch_bounds__(128)
    state_lanes(const Share *__restrict__ shares, const uint8_t *__restrict__ kinds,
                const uint32_t *__restrict__ states, const int *__restrict__ starts,
                const uint16_t *__restrict__ words, uint8_t *__restrict__ out)
{
    __shared__ Share own[256];
    __shared__ __align__(4) uint8_t kind[1 << SCALE];
    prepare_tables(shares, kinds, own, kind);
    int chunk = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, at = starts[chunk];
    uint32_t state = states[chunk * 32 + lane];
    for (int i = lane; i < CHUNK; i += 32) {
        out[chunk * CHUNK + i] = step(state, own, kind);
        bool needs = state < 1 << 16;
        unsigned mask = __ballot_sync(~0u, needs);
        if (needs)
            state = state << 16 | words[at + __popc(mask & ((1u << lane) - 1))];
        at += __popc(mask);
    }
}

__global__ void __launch_bounds__(128)
    state_threads(const Share *__restrict__ shares, const uint8_t *__restrict__ kinds,
                  const uint32_t *__restrict__ states, const int *__restrict__ starts,
                  const uint16_t *__restrict__ words, uint8_t *__restrict__ out)
{
    __shared__ Share own[256];
    __shared__ __align__(4) uint8_t kind[1 << SCALE];
    prepare_tables(shares, kinds, own, kind);
    int chunk = blockIdx.x * 128 + threadIdx.x;
    uint32_t state = states[chunk];
    const uint16_t *word = words + starts[chunk];
    for (int i = 0; i < SHORT; i += 4) {
        uint32_t four = 0;
        for (int k = 0; k < 4; k++) {
            four |= (uint32_t)step(state, own, kind) << 8 * k;
            if (state < 1 << 16)
                state = state << 16 | *word++;
        }
        *(uint32_t *)(out + chunk * SHORT + i) = four;
    }
}

constexpr int RICE = 128;

// ones, a zero, then five bits of the number; numbers of signals are even, those below zero odd
__global__ void __launch_bounds__(128)
    rice(const uint32_t *__restrict__ words, const int *__restrict__ starts, int *__restrict__ out,
         int chunks)
{
    int chunk = blockIdx.x * 128 + threadIdx.x, value = 0;
    if (chunk >= chunks)
        return;
    const uint32_t *word = words + starts[chunk];
    uint64_t bits = (uint64_t)word[0] << 32 | word[1];
    int left = 64;
    word += 2;
    for (int i = 0; i < RICE; i++) {
        int high = 0;
        for (;;) {
            int many = min(__clzll(~bits), left);
            bits = many < 64 ? bits << many : 0, left -= many, high += many;
            if (left > 32)
                break;
            bits |= (uint64_t)*word++ << (32 - left), left += 32;
            if (!(bits >> 63))
                break;
        }
        bits <<= 1, left--;
        unsigned number = high << 5 | (unsigned)(bits >> 59);
        bits <<= 5, left -= 5;
        if (left <= 32)
            bits |= (uint64_t)*word++ << (32 - left), left += 32;
        value += number & 1 ? -(int)(number + 1) / 2 : number / 2;
        out[i * chunks + chunk] = value;
    }
}

constexpr int TEXT = 128;

// eight decisions a byte; chances of 255 decisions of each thread in shared memory, side by side
__global__ void __launch_bounds__(64)
    adaptive(const uint8_t *__restrict__ codes, const int *__restrict__ starts,
             uint8_t *__restrict__ out)
{
    __shared__ uint16_t chances[256][64];
    int t = threadIdx.x, text = blockIdx.x * 64 + t;
    for (int i = 0; i < 256; i++)
        chances[i][t] = 1024;
    const uint8_t *code = codes + starts[text];
    uint32_t range = ~0u, now = 0;
    for (int k = 0; k < 5; k++)
        now = now << 8 | *code++;
    for (int i = 0; i < TEXT; i++) {
        int node = 1;
        while (node < 256) {
            uint32_t chance = chances[node][t], bound = (range >> 11) * chance;
            int bit = now >= bound;
            if (bit) {
                now -= bound, range -= bound;
                chances[node][t] = chance - (chance >> 4);
            } else {
                range = bound;
                chances[node][t] = chance + ((2048 - chance) >> 4);
            }
            if (range < 1 << 24)
                range <<= 8, now = now << 8 | *code++;
            node = node * 2 + bit;
        }
        out[text * TEXT + i] = node;
    }
}

// the host's half of it; the first byte of a code is 0
struct Coder {
    std::vector<uint8_t> *to;
    uint64_t low = 0;
    uint32_t range = ~0u;
    uint8_t held = 0;
    int waiting = 1;
    void shift()
    {
        if (low < 0xff000000u || low >> 32) {
            uint8_t carry = low >> 32;
            for (; waiting; waiting--, held = 0xff)
                to->push_back(held + carry);
            held = low >> 24;
        }
        waiting++;
        low = (low & 0xffffff) << 8;
    }
    void bit(int bit, uint16_t &chance)
    {
        uint32_t bound = (range >> 11) * chance;
        if (bit)
            low += bound, range -= bound, chance -= chance >> 4;
        else
            range = bound, chance += (2048 - chance) >> 4;
        while (range < 1 << 24)
            range <<= 8, shift();
    }
};

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(257);
    std::vector<uint8_t> bytes(BYTES), kinds(1 << SCALE);
    std::vector<Share> shares(256);
    int before = 0;
    for (int i = 0; i < 256; i++) {
        int many =
            i < 255 ? 1 + (int)(3840 * (exp(-i / 24.0) - exp(-(i + 1) / 24.0))) : 4096 - before;
        shares[i] = {(uint16_t)before, (uint16_t)many};
        std::fill(kinds.begin() + before, kinds.begin() + before + many, i);
        before += many;
    }
    for (uint8_t &b : bytes)
        b = kinds[random.below(1 << SCALE)];
    // streams of as many bytes, some states taking turns; from the last byte to the first
    auto encoded = [&](int chunk, int many, std::vector<uint32_t> &states,
                       std::vector<int> &starts) {
        std::vector<uint16_t> words, own;
        states.assign((size_t)BYTES / chunk * many, 1 << 16);
        for (int c = 0; c < BYTES / chunk; c++) {
            own.clear();
            for (int i = chunk - 1; i >= 0; i--) {
                uint32_t &state = states[c * many + i % many];
                Share s = shares[bytes[c * chunk + i]];
                if (state >= (uint32_t)s.many << 20)
                    own.push_back(state), state >>= 16;
                state = (state / s.many << SCALE) + state % s.many + s.before;
            }
            starts.push_back(words.size());
            words.insert(words.end(), own.rbegin(), own.rend());
        }
        return words;
    };
    std::vector<uint32_t> lane_states, thread_states, bits;
    std::vector<int> lane_starts, thread_starts, rice_starts, text_starts;
    std::vector<uint16_t> lane_words = encoded(CHUNK, 32, lane_states, lane_starts),
                          thread_words = encoded(SHORT, 1, thread_states, thread_starts);
    const int signals = 8192, texts = 4096;
    std::vector<int> signal(signals * RICE);
    for (int c = 0; c < signals; c++) {
        std::vector<bool> own;
        int value = 0;
        for (int i = 0; i < RICE; i++) {
            int change =
                (int)random.below(60) - 30 + (random.below(40) ? 0 : (int)random.below(2400));
            value += change;
            signal[i * signals + c] = value;
            unsigned number = change < 0 ? -2 * change - 1 : 2 * change;
            own.insert(own.end(), number >> 5, true);
            for (int k = 5; k >= 0; k--)
                own.push_back(k < 5 && number >> k & 1);
        }
        rice_starts.push_back(bits.size());
        own.resize((own.size() + 31) / 32 * 32 + 96);
        for (size_t i = 0; i < own.size(); i += 32) {
            uint32_t word = 0;
            for (int k = 0; k < 32; k++)
                word = word << 1 | own[i + k];
            bits.push_back(word);
        }
    }
    std::vector<uint8_t> codes;
    for (int c = 0; c < texts; c++) {
        std::vector<uint16_t> chances(256, 1024);
        Coder coder = {&codes};
        text_starts.push_back(codes.size());
        for (int i = 0; i < TEXT; i++)
            for (int k = 7, node = 1; k >= 0; k--) {
                int bit = bytes[c * TEXT + i] >> k & 1;
                coder.bit(bit, chances[node]);
                node = node * 2 + bit;
            }
        for (int k = 0; k < 5; k++)
            coder.shift();
    }
    codes.resize(codes.size() + 8);
    Share *S = copy(shares);
    uint8_t *K = copy(kinds), *C = copy(codes), *out = room<uint8_t>(BYTES);
    uint32_t *LS = copy(lane_states), *TS = copy(thread_states), *B = copy(bits);
    uint16_t *LW = copy(lane_words), *TW = copy(thread_words);
    int *LI = copy(lane_starts), *TI = copy(thread_starts), *RI = copy(rice_starts),
        *XI = copy(text_starts), *numbers = room<int>(signals * RICE);
    auto wiped = [&] {
        fill(out, BYTES, 0x77);
        fill(numbers, signals * RICE, 0x77);
    };
    auto check = [&](size_t many) {
        return differ(out, many, 1, 0, [&](size_t i) { return bytes[i]; });
    };
    variant(
        "state_lanes", "state_lanes", wiped,
        [&] { state_lanes<<<BYTES / CHUNK / 4, 128>>>(S, K, LS, LI, LW, out); },
        [&] { return check(BYTES); });
    variant(
        "state_threads", "state_threads", wiped,
        [&] { state_threads<<<BYTES / SHORT / 128, 128>>>(S, K, TS, TI, TW, out); },
        [&] { return check(BYTES); });
    variant(
        "rice", "rice", wiped, [&] { rice<<<signals / 128, 128>>>(B, RI, numbers, signals); },
        [&] { return differ(numbers, signals * RICE, 1, 0, [&](size_t i) { return signal[i]; }); });
    variant(
        "adaptive", "adaptive", wiped, [&] { adaptive<<<texts / 64, 64>>>(C, XI, out); },
        [&] { return check((size_t)texts * TEXT); });
    return finish();
}
