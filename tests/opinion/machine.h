// Where the programs of tests/opinion run: kernels on the device, or the same functions on the host, each thread of a block a
// fibre with a stack of its own. What threads do together (barriers, warp functions) is on the host a meeting: who comes waits
// until all that are named have come, and the last one works out the result for all of them, by the words of the CUDA C++
// Programming Guide 12 (10.19 to 10.22, "Warp Vote", "Match", "Reduce" and "Shuffle Functions").
//
// A compiled program writes what its kernels left to the file that it is given: for each kernel in turn the bytes it may write.
// With DESCENDING the host lets the threads of a block go on from the last to the first: a program whose result that changes has
// a race, and none of ours may.
#ifndef OPINION_MACHINE_H
#define OPINION_MACHINE_H

#include "words.h"

#include <cstdio>
#include <cstdlib>

enum { INPUTS = 256, FILL = 0x5a };

struct inputs { // bits of all kinds; numbers among the floats that are small, large, whole, and none
    u64 l[INPUTS];
    f64 d[INPUTS];
    u32 w[INPUTS];
    f32 f[INPUTS];
    u16 s[INPUTS];
    f16 h[INPUTS];
    b16 b[INPUTS];
    u8 c[INPUTS];
};

static u64 mix(u64 h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    return h ^ h >> 31;
}

static void fill_inputs(inputs *in)
{
    for (u64 i = 0; i < INPUTS; i++) {
        const u64 r = mix(2 * i + 1), q = mix(2 * i + 2);
        in->l[i] = i % 4 ? r : r >> (q & 63);
        in->w[i] = (u32)(i % 4 ? q : q >> 32 >> (r & 31));
        f64 d = (f64)(i64)r / 9.2e18;
        switch (i % 8) {
        case 0: d = (f64)((i64)(r & 511) - 256); break;
        case 1: d = ldexp(d, (int)(q % 100) - 40); break;
        case 2: d = ldexp(d, (int)(q % 300) - 170); break;
        case 3: d = (f64)((i64)(r & 63) - 32) / 2; break;
        case 4: d = i % 64 == 4 ? INFINITY : i % 64 == 12 ? -INFINITY : i % 64 == 20 ? NAN : i % 64 == 28 ? -0.0 : d * 1e6; break;
        }
        in->d[i] = i % 16 == 2 ? ldexp(d, (int)(q % 1800) - 900) : d;
        in->f[i] = (f32)d;
        const u16 s = (u16)(r >> 20), h = (u16)(q >> 24), b = (u16)(q >> 40);
        memcpy(&in->s[i], &s, 2);
        memcpy(&in->h[i], &h, 2);
        memcpy(&in->b[i], &b, 2);
        in->c[i] = (u8)(r >> 50);
    }
}

struct shape {
    u32 grid[3], block[3];
};

#if defined(__CUDA_ARCH__)
HD u32 tid_x() { return threadIdx.x; }
HD u32 tid_y() { return threadIdx.y; }
HD u32 tid_z() { return threadIdx.z; }
HD u32 block_x() { return blockDim.x; }
HD u32 block_y() { return blockDim.y; }
HD u32 block_z() { return blockDim.z; }
HD u32 bid_x() { return blockIdx.x; }
HD u32 bid_y() { return blockIdx.y; }
HD u32 grid_x() { return gridDim.x; }
HD u32 grid_y() { return gridDim.y; }
#else
static struct {
    shape s;
    u32 tid[3], bid[3];
} here;
HD u32 tid_x() { return here.tid[0]; }
HD u32 tid_y() { return here.tid[1]; }
HD u32 tid_z() { return here.tid[2]; }
HD u32 block_x() { return here.s.block[0]; }
HD u32 block_y() { return here.s.block[1]; }
HD u32 block_z() { return here.s.block[2]; }
HD u32 bid_x() { return here.bid[0]; }
HD u32 bid_y() { return here.bid[1]; }
HD u32 grid_x() { return here.s.grid[0]; }
HD u32 grid_y() { return here.s.grid[1]; }
#endif
HD u32 threads() { return block_x() * block_y() * block_z(); }
HD u32 tid() { return tid_x() + block_x() * (tid_y() + block_y() * tid_z()); }
HD u32 gid() { return tid() + threads() * (bid_x() + grid_x() * bid_y()); }
HD u32 lane() { return tid() % 32; }
HD u32 warp() { return tid() / 32; }
// The lanes that the thread's warp has: the last one of a block may have less than 32.
HD u32 warp_size() { return threads() - warp() * 32 < 32 ? threads() - warp() * 32 : 32; }
HD u32 warp_mask() { return warp_size() == 32 ? 0xffffffffu : (1u << warp_size()) - 1; }

#if !defined(__CUDACC__)
#include <ucontext.h>

enum meeting { NOWHERE, BARRIER, SYNCWARP, SHUFFLE, BALLOT, MATCH_ANY, MATCH_ALL, REDUCE };
enum { MOST_THREADS = 1024, STACK = 256 * 1024 };
struct fiber {
    ucontext_t context;
    char *stack;
    meeting at;
    bool over;
    u32 mask, from, result32;
    u64 value, result;
    u64 (*reduce)(u64, u64);
};
static fiber fibers[MOST_THREADS];
static ucontext_t scheduler;
static u32 moves; // meetings and ends so far: a round without one is a deadlock
static void (*fiber_body)(void *);
static void *fiber_argument;

static void fiber_main()
{
    fiber_body(fiber_argument);
    fibers[tid()].over = true;
    moves++;
}

static void pause()
{
    u32 self = tid();
    swapcontext(&fibers[self].context, &scheduler);
}

static void barrier_result()
{
    u32 n = 0;
    for (u32 i = 0; i < threads(); i++)
        n += fibers[i].value != 0;
    for (u32 i = 0; i < threads(); i++)
        fibers[i].result = n, fibers[i].at = NOWHERE;
}

static void warp_result(meeting what, fiber *w, u32 mask)
{
    u32 votes = 0;
    bool all = true;
    u64 sum = 0, first = 0;
    bool begun = false;
    for (u32 i = 0; i < 32; i++)
        if (mask >> i & 1) {
            votes |= (u32)(w[i].value != 0) << i;
            if (!begun)
                first = sum = w[i].value;
            else if (what == REDUCE)
                sum = w[i].reduce(sum, w[i].value);
            all = all && w[i].value == first;
            begun = true;
        }
    for (u32 i = 0; i < 32; i++)
        if (mask >> i & 1) {
            u32 same = 0;
            for (u32 j = 0; j < 32; j++)
                same |= (u32)((mask >> j & 1) && w[j].value == w[i].value) << j;
            w[i].result = what == SHUFFLE     ? w[w[i].from].value
                          : what == BALLOT    ? votes
                          : what == MATCH_ANY ? same
                          : what == MATCH_ALL ? (all ? mask : 0)
                                              : sum;
        }
    for (u32 i = 0; i < 32; i++)
        if (mask >> i & 1)
            w[i].at = NOWHERE;
}

static u64 meet(meeting what, u32 mask, u64 value, u32 from = 0, u64 (*reduce)(u64, u64) = nullptr)
{
    const u32 self = tid(), first = what == BARRIER ? 0 : self & ~31u, n = what == BARRIER ? threads() : 32;
    fiber *f = &fibers[self];
    f->at = what, f->mask = mask, f->value = value, f->from = from, f->reduce = reduce;
    bool complete = true;
    for (u32 i = 0; i < n; i++)
        if (what == BARRIER || (mask >> i & 1))
            complete = complete && fibers[first + i].at == what && fibers[first + i].mask == mask;
    if (complete) {
        moves++;
        if (what == BARRIER)
            barrier_result();
        else
            warp_result(what, fibers + first, mask);
    }
    while (f->at != NOWHERE)
        pause();
    return f->result;
}

static void run_block()
{
    const u32 n = threads();
    auto enter = [](u32 i) {
        here.tid[0] = i % here.s.block[0];
        here.tid[1] = i / here.s.block[0] % here.s.block[1];
        here.tid[2] = i / here.s.block[0] / here.s.block[1];
    };
    for (u32 i = 0; i < n; i++) {
        fiber *f = &fibers[i];
        if (!f->stack)
            f->stack = (char *)malloc(STACK);
        f->over = false, f->at = NOWHERE;
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack;
        f->context.uc_stack.ss_size = STACK;
        f->context.uc_link = &scheduler;
        makecontext(&f->context, fiber_main, 0);
    }
    for (u32 left = n, before = moves - 1; left && before != moves;) {
        before = moves;
        for (u32 k = 0; k < n; k++) {
#if defined(DESCENDING)
            const u32 i = n - 1 - k;
#else
            const u32 i = k;
#endif
            if (fibers[i].over)
                continue;
            enter(i);
            swapcontext(&scheduler, &fibers[i].context);
            left -= fibers[i].over;
        }
        if (left && before == moves) {
            fprintf(stderr, "deadlock: %u threads wait\n", left);
            exit(3);
        }
    }
}
#elif !defined(__CUDA_ARCH__)
// clang's host pass of a CUDA file wants to see them; the program never calls them there.
enum meeting { BARRIER, SYNCWARP, SHUFFLE, BALLOT, MATCH_ANY, MATCH_ALL, REDUCE };
static u64 meet(meeting, u32, u64, u32 = 0, u64 (*)(u64, u64) = nullptr) { abort(); }
#endif

// ---- what threads do together ----
#if defined(__CUDA_ARCH__)
#define TOGETHER(result, name, parameters, device, ...) HD result name parameters { return device; }
#else
#define TOGETHER(result, name, parameters, device, ...) HD result name parameters { return (result)(__VA_ARGS__); }
template <class T> static u64 as_bits(T v) { u64 u = 0; memcpy(&u, &v, sizeof v); return u; }
template <class T> static T of_bits(u64 u) { T v; memcpy(&v, &u, sizeof v); return v; }
#endif
TOGETHER(void, barrier, (), __syncthreads(), meet(BARRIER, 0, 0))
TOGETHER(i32, barrier_count, (bool p), __syncthreads_count(p), meet(BARRIER, 0, p))
TOGETHER(bool, barrier_and, (bool p), __syncthreads_and(p) != 0, meet(BARRIER, 0, p) == threads())
TOGETHER(bool, barrier_or, (bool p), __syncthreads_or(p) != 0, meet(BARRIER, 0, p) != 0)
TOGETHER(void, sync_warp, (u32 m), __syncwarp(m), meet(SYNCWARP, m, 0))
TOGETHER(u32, ballot, (u32 m, bool p), __ballot_sync(m, p), meet(BALLOT, m, p))
TOGETHER(bool, all, (u32 m, bool p), __all_sync(m, p) != 0, (u32)meet(BALLOT, m, p) == m)
TOGETHER(bool, any, (u32 m, bool p), __any_sync(m, p) != 0, (u32)meet(BALLOT, m, p) != 0)
TOGETHER(u32, match_any, (u32 m, u32 v), __match_any_sync(m, v), meet(MATCH_ANY, m, v))
TOGETHER(u32, match_any, (u32 m, u64 v), __match_any_sync(m, v), meet(MATCH_ANY, m, v))
TOGETHER(u32, match_all, (u32 m, u32 v), ({ int p; const u32 r = __match_all_sync(m, v, &p); p ? r : 0; }), meet(MATCH_ALL, m, v))
TOGETHER(u32, match_all, (u32 m, u64 v), ({ int p; const u32 r = __match_all_sync(m, v, &p); p ? r : 0; }), meet(MATCH_ALL, m, v))
#define REDUCED(T, name, cuda, expression)                                                                              \
    TOGETHER(T, name, (u32 m, T v), cuda(m, v),                                                                         \
             meet(REDUCE, m, (u32)v, 0, [](u64 x, u64 y) -> u64 { const T a = (T)x, b = (T)y; return (u32)(expression); }))
REDUCED(u32, reduce_add, __reduce_add_sync, a + b)
REDUCED(i32, reduce_add_s, __reduce_add_sync, (u32)a + (u32)b)
REDUCED(u32, reduce_min, __reduce_min_sync, a < b ? a : b)
REDUCED(i32, reduce_min_s, __reduce_min_sync, a < b ? a : b)
REDUCED(u32, reduce_max, __reduce_max_sync, a < b ? b : a)
REDUCED(i32, reduce_max_s, __reduce_max_sync, a < b ? b : a)
REDUCED(u32, reduce_and, __reduce_and_sync, a & b)
REDUCED(u32, reduce_or, __reduce_or_sync, a | b)
REDUCED(u32, reduce_xor, __reduce_xor_sync, a ^ b)

// Where a shuffle takes its value from. A lane that the mask does not name leaves it undefined: then the lane keeps its own.
HD u32 source_idx(u32 n, u32 width) { return (lane() & ~(width - 1)) | (n & (width - 1)); }
HD u32 source_up(u32 n, u32 width) { return lane() % width < n ? lane() : lane() - n; }
HD u32 source_down(u32 n, u32 width) { return lane() % width + n >= width ? lane() : lane() + n; }
HD u32 source_xor(u32 n, u32 width) { return (lane() ^ n) > (lane() | (width - 1)) ? lane() : lane() ^ n; }
#if defined(__CUDA_ARCH__)
#define SHUFFLED(name, cuda)                                                                                            \
    template <class T> HD T shfl_##name(u32 m, T v, u32 n, u32 width)                                                   \
    {                                                                                                                   \
        const T r = cuda(m, v, n, width);                                                                               \
        return m >> source_##name(n, width) & 1 ? r : v;                                                                \
    }
#else
#define SHUFFLED(name, cuda)                                                                                            \
    template <class T> HD T shfl_##name(u32 m, T v, u32 n, u32 width)                                                   \
    {                                                                                                                   \
        const u32 from = source_##name(n, width);                                                                       \
        const T r = of_bits<T>(meet(SHUFFLE, m, as_bits(v), m >> from & 1 ? from : lane()));                            \
        return r;                                                                                                       \
    }
#endif
SHUFFLED(idx, __shfl_sync)
SHUFFLED(up, __shfl_up_sync)
SHUFFLED(down, __shfl_down_sync)
SHUFFLED(xor, __shfl_xor_sync)

// ---- atomics: on the host nothing interrupts a thread between two meetings ----
#define ATOMIC(name, cuda, expression)                                                                                  \
    template <class T> HD T atomic_##name(T *p, T b) { TOGETHER_BODY(cuda(p, b), expression) }
#if defined(__CUDA_ARCH__)
#define TOGETHER_BODY(device, expression) return device;
#else
#define TOGETHER_BODY(device, expression) { const T a = *p; *p = (T)(expression); return a; }
#endif
ATOMIC(add, atomicAdd, a + b)
ATOMIC(min, atomicMin, a < b ? a : b)
ATOMIC(max, atomicMax, a < b ? b : a)
ATOMIC(and, atomicAnd, a & b)
ATOMIC(or, atomicOr, a | b)
ATOMIC(xor, atomicXor, a ^ b)
ATOMIC(inc, atomicInc, a >= b ? 0 : a + 1)
ATOMIC(dec, atomicDec, a == 0 || a > b ? b : a - 1)
ATOMIC(exch, atomicExch, b)
HD i32 atomic_add(i32 *p, i32 b) { return (i32)atomic_add((u32 *)p, (u32)b); }
#if defined(__CUDA_ARCH__)
template <class T> HD T atomic_cas(T *p, T old, T b) { return atomicCAS(p, old, b); }
#else
template <class T> HD T atomic_cas(T *p, T old, T b) { const T a = *p; if (a == old) *p = b; return a; }
#endif
// The largest of floats without NaN, by compare and swap.
HD void atomic_max_f32(f32 *p, f32 v)
{
    u32 *const word = (u32 *)p, take = raw(v);
    for (u32 seen = atomic_add(word, 0u); f32_of(seen) < v;) {
        const u32 before = atomic_cas(word, seen, take);
        if (before == seen)
            break;
        seen = before;
    }
}

// A number of its own for each ticket.
HD u32 mix_ticket(u32 t) { return (t + 1) * 2654435761u ^ t << 7; }

// ---- running ----
#if defined(__CUDACC__)
static inputs *device_inputs;
static u8 *device_out;
static FILE *left;

static void must(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(3);
    }
}

template <class L> static void launch(const char *name, const shape &s, size_t bytes, L go)
{
    must(cudaMalloc((void **)&device_out, bytes), name);
    must(cudaMemset(device_out, FILL, bytes), name);
    go(dim3(s.grid[0], s.grid[1], s.grid[2]), dim3(s.block[0], s.block[1], s.block[2]));
    must(cudaGetLastError(), name);
    must(cudaDeviceSynchronize(), name);
    u8 *const out = (u8 *)malloc(bytes);
    must(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost), name);
    if (fwrite(out, 1, bytes, left) != bytes)
        exit(4);
    free(out);
    must(cudaFree(device_out), name);
}
#define LAUNCH(name, s, bytes, ...)                                                                                     \
    launch(#name, s, bytes, [&](dim3 g, dim3 b) { name<<<g, b>>>(device_inputs, device_out, __VA_ARGS__); });

int main(int argc, char **argv)
{
    void programs();
    inputs *const in = (inputs *)malloc(sizeof *in);
    left = argc == 2 ? fopen(argv[1], "wb") : nullptr;
    if (!left)
        return 2;
    must(cudaDeviceSetLimit(cudaLimitStackSize, 16384), "stack");
    fill_inputs(in);
    must(cudaMalloc((void **)&device_inputs, sizeof *in), "inputs");
    must(cudaMemcpy(device_inputs, in, sizeof *in, cudaMemcpyHostToDevice), "inputs");
    programs();
    return fclose(left) ? 4 : 0;
}
#define KERNEL(name, SHARED, parameters, arguments)                                                                     \
    extern "C" __global__ void name parameters                                                                          \
    {                                                                                                                   \
        __shared__ SHARED shared;                                                                                       \
        name##_body arguments;                                                                                          \
    }
#else
alignas(64) static inputs host_inputs;
static u8 *host_out;
static FILE *left;

template <class L> static void launch(const shape &s, size_t bytes, L go)
{
    host_out = (u8 *)malloc(bytes);
    memset(host_out, FILL, bytes);
    here.s = s;
    fiber_body = [](void *g) { (*(L *)g)(); };
    fiber_argument = &go;
    for (u32 y = 0; y < s.grid[1]; y++)
        for (u32 x = 0; x < s.grid[0]; x++) {
            here.bid[0] = x, here.bid[1] = y, here.bid[2] = 0;
            run_block();
        }
    if (fwrite(host_out, 1, bytes, left) != bytes)
        exit(4);
    free(host_out);
}
#define LAUNCH(name, s, bytes, ...) launch(s, bytes, [&] { name(&host_inputs, host_out, __VA_ARGS__); });

int main(int argc, char **argv)
{
    void programs();
    left = argc == 2 ? fopen(argv[1], "wb") : nullptr;
    if (!left)
        return 2;
    fill_inputs(&host_inputs);
    programs();
    return fclose(left) ? 4 : 0;
}
#define KERNEL(name, SHARED, parameters, arguments)                                                                     \
    static void name parameters                                                                                         \
    {                                                                                                                   \
        static SHARED shared;                                                                                           \
        name##_body arguments;                                                                                          \
    }
#endif
#endif
