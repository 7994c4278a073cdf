// Bytes as text: base64 with a table in shared memory, with arithmetic and vectors, back by a table
// in constant memory, and hexadecimal digits.
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

__constant__ uint8_t BACK[256];
__constant__ char LETTERS[64];

__host__ __device__ inline uint32_t letter(uint32_t v)
{
    return v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
}

// three bytes a thread
__global__ void encode(const uint8_t *__restrict__ in, uchar4 *__restrict__ out, int groups)
{
    __shared__ uint8_t letters[64];
    if (threadIdx.x < 64)
        letters[threadIdx.x] = LETTERS[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    uint32_t v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] =
        make_uchar4(letters[v >> 18], letters[v >> 12 & 63], letters[v >> 6 & 63], letters[v & 63]);
}

__device__ uint32_t four_letters(uint32_t v)
{
    uint32_t out = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t c = v >> (18 - 6 * k) & 63;
        int to = 65; // 'A'
        to += c > 25 ? 6 : 0;
        to -= c > 51 ? 75 : 0;
        to -= c > 61 ? 15 : 0;
        to += c > 62 ? 3 : 0;
        out |= (c + to) << 8 * k;
    }
    return out;
}

// twelve bytes a thread
__global__ void encode_words(const uint32_t *__restrict__ in, uint4 *__restrict__ out, int groups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out[i] = make_uint4(
        four_letters(__byte_perm(a, 0, 0x4012)), four_letters(__byte_perm(a, b, 0x0345)),
        four_letters(__byte_perm(b, c, 0x0234)), four_letters(__byte_perm(c, 0, 0x4123)));
}

__global__ void decode(const uchar4 *__restrict__ in, uint8_t *__restrict__ out, int groups,
                       int *__restrict__ wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    uchar4 t = in[i];
    uint32_t a = BACK[t.x], b = BACK[t.y], c = BACK[t.z], d = BACK[t.w];
    if ((a | b | c | d) > 63)
        atomicAdd(wrong, 1);
    uint32_t v = a << 18 | b << 12 | c << 6 | d;
    out[3 * i] = v >> 16;
    out[3 * i + 1] = v >> 8;
    out[3 * i + 2] = v;
}

// four bytes a thread, eight digits
__global__ void hexadecimal(const uint32_t *__restrict__ in, uint2 *__restrict__ out, int words)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        uint32_t v = in[i], low = __byte_perm(v, 0, 0x1100), high = __byte_perm(v, 0, 0x3322);
        uint32_t parts[2] = {(low >> 4 & 0x000f000f) | (low & 0x0f000f00),
                             (high >> 4 & 0x000f000f) | (high & 0x0f000f00)};
        for (uint32_t &p : parts)
            p += 0x30303030 + ((p + 0x06060606) >> 4 & 0x01010101) * 39;
        out[i] = make_uint2(parts[0], parts[1]);
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    const int groups = 4 << 20, count = 3 * groups;
    Lcg random(233);
    std::vector<uint8_t> bytes(count), text(4 * groups), back(256, 255);
    char letters[64];
    for (uint8_t &b : bytes)
        b = random.next();
    for (int k = 0; k < 64; k++)
        back[letters[k] = letter(k)] = k;
    for (int i = 0; i < groups; i++) {
        uint32_t v = bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
        for (int k = 0; k < 4; k++)
            text[4 * i + k] = letter(v >> (18 - 6 * k) & 63);
    }
    std::vector<uint8_t> broken = text;
    for (int i = 0; i < groups; i += 100001)
        broken[4 * i] = '*';
    must(cudaMemcpyToSymbol(BACK, back.data(), 256));
    must(cudaMemcpyToSymbol(LETTERS, letters, 64));
    uint8_t *byte = copy(bytes), *letter_in = copy(broken), *out = room<uint8_t>(2 * count);
    int *wrong = room<int>(1);
    auto wiped = [&] {
        fill(out, 2 * count, 0xff);
        fill(wrong, 1, 0);
    };
    auto check = [&] { return differ(out, 4 * groups, 1, 0, [&](size_t i) { return text[i]; }); };
    variant(
        "encode", "encode", wiped,
        [&] { encode<<<groups / 256, 256>>>(byte, (uchar4 *)out, groups); }, check);
    variant(
        "words", "encode_words", wiped,
        [&] {
            encode_words<<<groups / 4 / 256, 256>>>((const uint32_t *)byte, (uint4 *)out,
                                                    groups / 4);
        },
        check);
    variant(
        "decode", "decode", wiped,
        [&] { decode<<<groups / 256, 256>>>((const uchar4 *)letter_in, out, groups, wrong); },
        [&] {
            return differ(out, count, 1, 0,
                          [&](size_t i) {
                              uint32_t a = back[broken[i / 3 * 4]];
                              return i % 3 == 0 && a > 63
                                         ? (uint8_t)((a << 18 | back[text[i / 3 * 4 + 1]] << 12) >>
                                                     16)
                                         : bytes[i];
                          }) +
                   (fetch(wrong, 1)[0] != (groups + 100000) / 100001);
        });
    variant(
        "hexadecimal", "hexadecimal", wiped,
        [&] { hexadecimal<<<132 * 8, 256>>>((const uint32_t *)byte, (uint2 *)out, count / 4); },
        [&] {
            return differ(out, 2 * count, 1, 0, [&](size_t i) {
                return "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
            });
        });
    return finish();
}
