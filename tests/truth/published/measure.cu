// What the publications of published.tsv measured, measured again: latencies of arithmetic and of memories by chains, bandwidths by kernels that do
// nothing else. Prints "row, tab, value"; the rows' meanings are in README.md.
//
//   nvcc -std=c++17 -O3 -arch=native measure.cu -o measure && ./measure
//   heddle run --timed --device v100 measure.cu
//
// A chain goes around once before its clock starts, so that caches have what it needs; one that is to find nothing there follows a fill that needs all
// of L2. Every chain is unrolled so
// far that the loop around it costs less than a per cent. A chain through memory holds addresses, not indices: no arithmetic stands between two loads.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t e_ = (call);                                                             \
        if (e_ != cudaSuccess) {                                                             \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));   \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

static int asked;
static char **names;

/* Is the row wanted? All are where the command line names none. */
static bool wanted(const char *name)
{
    bool yes = !asked;
    for (int i = 0; i < asked; i++)
        yes |= !strcmp(names[i], name);
    return yes;
}

static void row(const char *name, double value)
{
    printf("%s\t%.4g\n", name, value);
    fflush(stdout);
}

// --- chains of one warp: cycles of a step ---

enum { TURNS = 16, STEPS = 256 };

struct Fadd { using T = float; static __device__ void step(T &x, T a, T b) { x = x + a; } };
struct Ffma { using T = float; static __device__ void step(T &x, T a, T b) { x = fmaf(x, a, b); } };
struct Iadd { using T = unsigned; static __device__ void step(T &x, T a, T b) { asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(a)); } };
struct Imad { using T = unsigned; static __device__ void step(T &x, T a, T b) { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
struct Dfma { using T = double; static __device__ void step(T &x, T a, T b) { x = fma(x, a, b); } };
struct Mufu { using T = float; static __device__ void step(T &x, T a, T b) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)); } };

template <typename OP> __global__ void chain(typename OP::T *p, long long *cycles)
{
    typename OP::T x = p[threadIdx.x], a = p[threadIdx.x + 32], b = p[threadIdx.x + 64];
    long long from = 0;
    for (int turn = 0; turn < TURNS + 1; turn++) {
        if (turn == 1)
            from = clock64();
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            OP::step(x, a, b);
    }
    *cycles = clock64() - from;
    p[threadIdx.x] = x;
}

template <typename OP> static void arithmetic(const char *name)
{
    if (!wanted(name))
        return;
    typename OP::T *p;
    long long *at, cycles;
    CHECK(cudaMalloc(&p, 96 * sizeof *p));
    CHECK(cudaMalloc(&at, sizeof *at));
    CHECK(cudaMemset(p, 0, 96 * sizeof *p));
    chain<OP><<<1, 32>>>(p, at);
    CHECK(cudaMemcpy(&cycles, at, sizeof cycles, cudaMemcpyDeviceToHost));
    row(name, (double)cycles / (TURNS * STEPS));
    CHECK(cudaFree(p));
    CHECK(cudaFree(at));
}

// --- pointers ---

enum Way { SHARED, L1, PAST_L1, ATOMIC };
enum { FEW = 8, MANY = 24 }; // jumps in a row: what the loop around them takes is in both

// One lane makes `first` jumps, then with the clock running `timed` more.
template <Way WAY, int JUMPS> __global__ void chase(uintptr_t *start, int first, int timed, long long *cycles)
{
    __shared__ unsigned ring[1024];
    const unsigned base = (unsigned)__cvta_generic_to_shared(ring);
    for (int i = 0; WAY == SHARED && i < 1024; i++)
        ring[i] = base + 4 * ((i + 33) % 1024);
    uintptr_t p = (uintptr_t)start;
    unsigned s = base, at = 0;
    long long from = 0;
    for (int round = 0; round < 2; round++) {
        from = clock64();
#pragma unroll 1
        for (int i = 0; i < (round ? timed : first); i += JUMPS)
#pragma unroll
            for (int j = 0; j < JUMPS; j++) {
                if (WAY == SHARED)
                    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(s) : : "memory");
                if (WAY == L1)
                    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p) : : "memory");
                if (WAY == PAST_L1)
                    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p) : : "memory");
                if (WAY == ATOMIC) // as in the publication: an index, all of them 0
                    at = atomicAdd((unsigned *)start + at, 0u);
            }
    }
    *cycles = clock64() - from;
    start[0] = WAY == SHARED ? s : WAY == ATOMIC ? at : p;
}

// A ring through `n` lines of 128 bytes in the order of a permutation, `apart` bytes from one to the next in memory.
static uintptr_t *ring(char *memory, size_t n, size_t apart, std::vector<uintptr_t> &host)
{
    std::vector<size_t> order(n);
    unsigned long long random = 12345;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[(random >> 33) % (i + 1)]);
    }
    host.assign(n * apart / sizeof(uintptr_t), 0);
    for (size_t i = 0; i < n; i++)
        host[order[i] * apart / sizeof(uintptr_t)] = (uintptr_t)memory + order[(i + 1) % n] * apart;
    CHECK(cudaMemcpy(memory, host.data(), n * apart, cudaMemcpyHostToDevice));
    return (uintptr_t *)(memory + order[0] * apart);
}

// L2 is full of other data.
static void fill_l2()
{
    const size_t bytes = 256 << 20;
    char *other;
    CHECK(cudaMalloc(&other, bytes));
    CHECK(cudaMemset(other, 0, bytes));
    CHECK(cudaFree(other));
}

template <Way WAY> static void latency(const char *name, size_t lines, size_t apart, int first, int rounds)
{
    if (!wanted(name))
        return;
    char *memory;
    long long *at, few, many;
    std::vector<uintptr_t> host;
    CHECK(cudaMalloc(&memory, lines * apart));
    CHECK(cudaMalloc(&at, sizeof *at));
    uintptr_t *start = ring(memory, lines, apart, host);
    if (WAY == ATOMIC)
        std::fill(host.begin(), host.end(), 0);
    CHECK(cudaMemcpy(memory, host.data(), lines * apart, cudaMemcpyHostToDevice));
    if (!first)
        fill_l2();
    chase<WAY, FEW><<<1, 1>>>(start, first, rounds * FEW, at);
    CHECK(cudaMemcpy(&few, at, sizeof few, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(memory, host.data(), lines * apart, cudaMemcpyHostToDevice)); // its first word was the result's place
    if (!first)
        fill_l2();
    chase<WAY, MANY><<<1, 1>>>(start, first, rounds * MANY, at);
    CHECK(cudaMemcpy(&many, at, sizeof many, cudaMemcpyDeviceToHost));
    row(name, (double)(many - few) / (rounds * (MANY - FEW)));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(at));
}

// --- all multiprocessors, by events ---

enum { THREADS = 1024 }; // a block

template <typename F> static double ns_of(F launch)
{
    cudaEvent_t a, b;
    float ms;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    launch();
    CHECK(cudaEventRecord(a));
    launch();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    CHECK(cudaEventDestroy(a));
    CHECK(cudaEventDestroy(b));
    return ms * 1e6;
}

// Bytes a nanosecond.
template <typename F> static void rate(const char *name, double bytes, F launch)
{
    if (wanted(name))
        row(name, bytes / ns_of(launch));
}

// Two chains at least are needed to keep a unit busy; eight with enough warps do it on every generation.
template <typename T> __global__ void flops(T *p, int turns)
{
    T x[8], a = p[0], b = p[1];
#pragma unroll
    for (int i = 0; i < 8; i++)
        x[i] = p[threadIdx.x % 8] + i;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int i = 0; i < 128; i++)
            x[i % 8] = fma(x[i % 8], a, b);
#pragma unroll
    for (int i = 1; i < 8; i++)
        x[0] += x[i];
    if (x[0] == 12345)
        p[2] = x[0];
}

// Every block reads 16 bytes a thread over and over, from shared memory or from a few KB that are in L1.
template <bool IN_SHARED> __global__ void read_sm(const float4 *p, int turns, float *out)
{
    __shared__ float4 words[IN_SHARED ? THREADS : 1];
    float sum = 0;
    if (IN_SHARED)
        words[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 x;
            const int at = IN_SHARED ? (threadIdx.x + 32 * (4 * turn + j)) % THREADS : threadIdx.x;
            if (IN_SHARED)
                asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "r"((unsigned)__cvta_generic_to_shared(words + at)));
            else
                asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(p + at));
            sum += x.x + x.y + x.z + x.w;
        }
    if (sum == 12345)
        *out = sum;
}

// Bytes a cycle of a multiprocessor. Twice as many less once as many: what a launch takes besides is in both.
template <bool IN_SHARED> static void read_rate(const char *name, int sms, double ghz)
{
    if (!wanted(name))
        return;
    float4 *p;
    const int turns = 64;
    CHECK(cudaMalloc(&p, THREADS * sizeof *p));
    CHECK(cudaMemset(p, 0, THREADS * sizeof *p));
    const double once = ns_of([&] { read_sm<IN_SHARED><<<sms, THREADS>>>(p, turns, (float *)p); });
    const double twice = ns_of([&] { read_sm<IN_SHARED><<<sms, THREADS>>>(p, 2 * turns, (float *)p); });
    row(name, 16.0 * THREADS * 4 * turns / (twice - once) / ghz);
    CHECK(cudaFree(p));
}

// Operations a cycle of a multiprocessor. Twice as many less once as many: what a launch takes besides is in both.
template <typename T> static void flop_rate(const char *name, int sms, int turns, double ghz)
{
    if (!wanted(name))
        return;
    T *p;
    const int blocks = 2 * sms;
    CHECK(cudaMalloc(&p, 8 * sizeof(T)));
    CHECK(cudaMemset(p, 0, 8 * sizeof(T)));
    const double once = ns_of([&] { flops<T><<<blocks, 1024>>>(p, turns); }), twice = ns_of([&] { flops<T><<<blocks, 1024>>>(p, 2 * turns); });
    row(name, 2.0 * 128 * turns * 1024 * blocks / (twice - once) / ghz / sms);
    CHECK(cudaFree(p));
}

__global__ void read(const double *p, double *out, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n && p[i] == 12345)
        *out = p[i];
}

__global__ void write(double *p, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = 0.23;
}

__global__ void copy(const double *p, double *q, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = p[i];
}

__global__ void triad(const double *a, const double *b, double *c, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + 0.4 * b[i];
}

__global__ void many(const float4 *p, unsigned n, int turns, float *out) // all multiprocessors read all of it; n: a power of two
{
    float sum = 0;
    for (int turn = 0; turn < turns; turn++)
#pragma unroll 8
        for (unsigned i = threadIdx.x + blockIdx.x * blockDim.x, k = 0; k < 8; k++, i += gridDim.x * blockDim.x) {
            float4 x = __ldcg(p + (i & (n - 1))); // no remainder by division: that would be what takes the time
            sum += x.x + x.y + x.z + x.w;
        }
    if (sum == 12345)
        *out = sum;
}

__global__ void nothing()
{
}

static void streams(int sms, size_t l2_bytes, double ghz)
{
    const size_t bytes = std::max((size_t)128 << 20, 4 * l2_bytes), n = bytes / 8, l2 = (size_t)1 << 20;
    const unsigned blocks = (unsigned)(n / 1024);
    double *p, *q, *r;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMalloc(&q, bytes));
    CHECK(cudaMalloc(&r, bytes));
    rate("dram read", bytes, [&] { read<<<blocks, 1024>>>(p, q, n); });
    rate("dram write", bytes, [&] { write<<<blocks, 1024>>>(q, n); });
    rate("dram copy", 2 * bytes, [&] { copy<<<blocks, 1024>>>(p, q, n); });
    rate("dram triad", 3 * bytes, [&] { triad<<<blocks, 1024>>>(p, q, r, n); });
    if (wanted("l2 read")) {
        const double once = ns_of([&] { many<<<2 * sms, 1024>>>((const float4 *)p, l2 / 16, 4, (float *)q); });
        const double twice = ns_of([&] { many<<<2 * sms, 1024>>>((const float4 *)p, l2 / 16, 8, (float *)q); });
        row("l2 read", 16.0 * 8 * 4 * 1024 * 2 * sms / (twice - once) / ghz);
    }
    CHECK(cudaFree(p));
    CHECK(cudaFree(q));
    CHECK(cudaFree(r));
}

static void host()
{
    const size_t bytes = (size_t)64 << 20;
    const int launches = 200;
    char *device, *pinned;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMallocHost(&pinned, bytes));
    rate("copy to the device", bytes, [&] { CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice)); });
    if (wanted("launch"))
        row("launch", ns_of([&] { for (int i = 0; i < launches; i++) nothing<<<1, 32>>>(); }) / launches / 1e3);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
}

int main(int argc, char **argv)
{
    cudaDeviceProp d;
    CHECK(cudaGetDeviceProperties(&d, 0));
    const double ghz = d.clockRate / 1e6;
    const int sms = d.multiProcessorCount;
    asked = argc - 1;
    names = argv + 1;
    arithmetic<Fadd>("fadd");
    arithmetic<Ffma>("ffma");
    arithmetic<Iadd>("iadd");
    arithmetic<Imad>("imad");
    arithmetic<Dfma>("dfma");
    arithmetic<Mufu>("mufu");
    latency<SHARED>("shared", 1, 128, 48, 48);
    latency<L1>("l1", 64, 128, 144, 48);
    latency<PAST_L1>("l2", 4096, 128, 4128, 96);
    latency<PAST_L1>("dram", 4096, 32768, 0, 96);
    latency<ATOMIC>("atomic", 1, 128, 48, 24);
    read_rate<true>("shared read", sms, ghz);
    read_rate<false>("l1 read", sms, ghz);
    flop_rate<float>("fp32", sms, 8, ghz);
    flop_rate<double>("fp64", sms, 2, ghz);
    streams(sms, d.l2CacheSize, ghz);
    host();
    return 0;
}
