// Objects found in pictures: overlaps of all pairs of boxes as bits, the best boxes kept by a
// single block, boxes made from anchors, features drawn from regions, features drawn at points that
// were moved by other features.
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

constexpr int BOXES = 4096, MASKS = BOXES / 64;

__host__ __device__ inline bool overlapping(float4 a, float4 b)
{
    float wide = fminf(a.z, b.z) - fmaxf(a.x, b.x), high = fminf(a.w, b.w) - fmaxf(a.y, b.y);
    if (wide <= 0 || high <= 0)
        return false;
    // all are multiples of 1 / 16 and small, so that this is exact
    return 2 * wide * high > (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - wide * high;
}

// a block has 64 boxes and 64 others, which lie in shared memory
__global__ void __launch_bounds__(64)
    overlaps(const float4 *__restrict__ boxes, unsigned long long *__restrict__ masks)
{
    __shared__ float4 others[64];
    int t = threadIdx.x, i = blockIdx.y * 64 + t;
    if (blockIdx.x < blockIdx.y)
        return;
    others[t] = boxes[blockIdx.x * 64 + t];
    __syncthreads();
    float4 own = boxes[i];
    unsigned long long mask = 0;
    for (int k = blockIdx.x == blockIdx.y ? t + 1 : 0; k < 64; k++)
        if (overlapping(own, others[k]))
            mask |= 1ull << k;
    masks[i * MASKS + blockIdx.x] = mask;
}

// boxes from the best to the worst; a thread has 64 marks of those that were dropped
__global__ void __launch_bounds__(MASKS)
    suppress(const unsigned long long *__restrict__ masks, int *__restrict__ kept, int *many)
{
    __shared__ unsigned long long now;
    unsigned long long dropped = 0;
    int count = 0;
    for (int base = 0; base < MASKS; base++) {
        if ((int)threadIdx.x == base)
            now = dropped;
        __syncthreads();
        unsigned long long left = ~now;
        while (left) {
            int k = __ffsll(left) - 1, i = base * 64 + k;
            unsigned long long own = masks[i * MASKS + base];
            left &= ~own & ~(1ull << k);
            if ((int)threadIdx.x > base)
                dropped |= masks[i * MASKS + threadIdx.x];
            if (threadIdx.x == 0)
                kept[count] = i;
            count++;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *many = count;
}

constexpr int ANCHORS = 1 << 18, CLASSES = 20;

struct Found {
    float4 box;
    float score;
    int kind;
};

__host__ __device__ inline Found decoded(const float *out, float4 anchor, int i)
{
    Found f = {{}, -1e30f, 0};
    for (int c = 0; c < CLASSES; c++) {
        float score = out[c * ANCHORS + i];
        if (score > f.score)
            f.score = score, f.kind = c;
    }
    const float *p = out + CLASSES * ANCHORS + i;
    float x = anchor.x + p[0] * anchor.z, y = anchor.y + p[ANCHORS] * anchor.w,
          wide = anchor.z * expf(p[2 * ANCHORS]), high = anchor.w * expf(p[3 * ANCHORS]);
    f.box = make_float4(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2);
    f.score = 1 / (1 + expf(-f.score));
    return f;
}

__global__ void decode(const float *__restrict__ from, const float4 *__restrict__ anchors,
                       float4 *__restrict__ boxes, float2 *__restrict__ kinds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Found f = decoded(from, anchors[i], i);
    boxes[i] = f.box;
    kinds[i] = make_float2(f.score, f.kind);
}

constexpr int CHANNELS = 64, SIDE = 96, REGIONS = 256, CELLS = 7;

__host__ __device__ inline float between_four(const float *plane, float y, float x)
{
    if (y <= -1 || x <= -1 || y >= SIDE || x >= SIDE)
        return 0;
    int top = (int)floorf(y), left = (int)floorf(x);
    float dy = y - top, dx = x - left, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int row = top + k / 2, column = left + k % 2;
        if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
            sum += (k / 2 ? dy : 1 - dy) * (k % 2 ? dx : 1 - dx) * plane[row * SIDE + column];
    }
    return sum;
}

// i: region, channel, cell
__host__ __device__ inline float aligned(const float *features, const float4 *regions, int i)
{
    int cell = i % (CELLS * CELLS), c = i / (CELLS * CELLS) % CHANNELS;
    float4 r = regions[i / (CELLS * CELLS * CHANNELS)];
    float high = (r.w - r.y) / CELLS, wide = (r.z - r.x) / CELLS, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        sum += between_four(features + c * SIDE * SIDE,
                            r.y + high * (cell / CELLS + 0.25f + 0.5f * (k / 2)),
                            r.x + wide * (cell % CELLS + 0.25f + 0.5f * (k % 2)));
    return sum * 0.25f;
}

__global__ void align(const float *__restrict__ features, const float4 *__restrict__ regions,
                      float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = aligned(features, regions, i);
}

// i: channel, tap, point; each point has a shift for each of nine taps
__host__ __device__ inline float moved(const float *features, const float2 *shifts, int i)
{
    int point = i % (SIDE * SIDE), tap = i / (SIDE * SIDE) % 9, c = i / (SIDE * SIDE * 9);
    float2 s = shifts[tap * SIDE * SIDE + point];
    return between_four(features + c * SIDE * SIDE, point / SIDE + tap / 3 - 1 + s.y,
                        point % SIDE + tap % 3 - 1 + s.x);
}

__global__ void deform(const float *__restrict__ features, const float2 *__restrict__ shifts,
                       float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = moved(features, shifts, i);
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(229);
    std::vector<float4> boxes(BOXES), anchors(ANCHORS), regions(REGIONS);
    for (float4 &b : boxes) {
        float x = random.below(16000) / 16.0f, y = random.below(9000) / 16.0f;
        b = make_float4(x, y, x + 2 + random.below(1200) / 16.0f,
                        y + 2 + random.below(1200) / 16.0f);
    }
    for (int i = 0; i < ANCHORS; i++)
        anchors[i] = make_float4(i % 512, i / 512, 8 << i % 3, 8 << i % 4);
    for (float4 &r : regions) {
        float x = random.between(-4, 70), y = random.between(-4, 70);
        r = make_float4(x, y, x + random.between(3, 40), y + random.between(3, 40));
    }
    std::vector<float> from = random.floats((CLASSES + 4) * ANCHORS, -2, 2),
                       features = random.floats(CHANNELS * SIDE * SIDE, -1, 1);
    std::vector<float2> shifts(9 * SIDE * SIDE);
    for (float2 &s : shifts)
        s = make_float2(random.between(-2, 2), random.between(-2, 2));
    std::vector<unsigned long long> masks(BOXES * MASKS);
    std::vector<int> best;
    std::vector<bool> gone(BOXES);
    for (int i = 0; i < BOXES; i++) {
        for (int k = i + 1; k < BOXES; k++)
            if (overlapping(boxes[i], boxes[k]))
                masks[i * MASKS + k / 64] |= 1ull << k % 64;
        if (gone[i])
            continue;
        best.push_back(i);
        for (int k = i + 1; k < BOXES; k++)
            gone[k] = gone[k] || masks[i * MASKS + k / 64] >> k % 64 & 1;
    }
    const int regions_out = REGIONS * CHANNELS * CELLS * CELLS, moved_out = 16 * 9 * SIDE * SIDE;
    float4 *B = copy(boxes), *A = copy(anchors), *R = copy(regions), *found = room<float4>(ANCHORS);
    float *O = copy(from), *F = copy(features), *out = room<float>(moved_out);
    float2 *S = copy(shifts), *kinds = room<float2>(ANCHORS);
    unsigned long long *M = copy(masks), *marks = room<unsigned long long>(BOXES * MASKS);
    int *kept = room<int>(BOXES), *many = room<int>(1);
    auto wiped = [&] {
        fill(found, ANCHORS, 0x77);
        fill(kinds, ANCHORS, 0x77);
        fill(out, moved_out, 0x77);
        fill(marks, BOXES * MASKS, 0);
        fill(kept, BOXES, 0x77);
        fill(many, 1, 0x77);
    };
    variant(
        "overlaps", "overlaps", wiped, [&] { overlaps<<<dim3(MASKS, MASKS), 64>>>(B, marks); },
        [&] {
            std::vector<unsigned long long> got = fetch(marks, BOXES * MASKS);
            long bad = 0;
            for (int i = 0; i < BOXES * MASKS; i++)
                bad += got[i] != masks[i];
            return bad;
        });
    variant(
        "suppress", "suppress", wiped, [&] { suppress<<<1, MASKS>>>(M, kept, many); },
        [&] {
            long bad = fetch(many, 1)[0] != (int)best.size();
            return bad + differ(kept, best.size(), 1, 0, [&](size_t i) { return best[i]; });
        });
    variant(
        "decode", "decode", wiped, [&] { decode<<<ANCHORS / 256, 256>>>(O, A, found, kinds); },
        [&] {
            std::vector<float> box = fetch((float *)found, 4 * ANCHORS),
                               kind = fetch((float *)kinds, 2 * ANCHORS);
            long bad = 0;
            for (int i = 0; i < ANCHORS; i += 7) {
                Found f = decoded(from.data(), anchors[i], i);
                bad += !near(box[4 * i], f.box.x, 1e-4) || !near(box[4 * i + 3], f.box.w, 1e-4) ||
                       !near(kind[2 * i], f.score, 1e-5) || kind[2 * i + 1] != f.kind;
            }
            return bad;
        });
    variant(
        "align", "align", wiped, [&] { align<<<regions_out / 256, 256>>>(F, R, out); },
        [&] {
            return differ(out, regions_out, 17, 1e-3,
                          [&](size_t i) { return aligned(features.data(), regions.data(), i); });
        });
    variant(
        "deform", "deform", wiped, [&] { deform<<<moved_out / 256, 256>>>(F, S, out); },
        [&] {
            return differ(out, moved_out, 17, 1e-3,
                          [&](size_t i) { return moved(features.data(), shifts.data(), i); });
        });
    return finish();
}
