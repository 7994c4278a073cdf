// Words of which only a part was ever set, as structs with gaps leave them, where another way sets all of the word to one value:
// lanes keep the parts that they set. Each word is stored by those lanes, and in those bits, that the program has set.
#include <cstdio>

enum { LANES = 256, ROWS = 2 };

struct gap { // 2 bytes behind `a` are nobody's, and 4 behind `d`
    short a;
    float b;
    short c;
    double e;
    int d;
};

static __host__ __device__ gap made(int i, int by, float b)
{
    gap g;
    g.a = (short)(i << by);
    g.b = b;
    g.c = -2;
    g.e = b;
    g.d = i * 3;
    return g;
}

// The compiler copies a struct by its words, the unset half of one among them.
__global__ void copied(const gap *in, gap *out, int by, float b, int turns)
{
    gap g = made(threadIdx.x, by, b);
    if (blockIdx.y)
        for (int i = 0; i < turns; i++)
            g = in[i];
    out[blockIdx.y * LANES + threadIdx.x] = g;
}

// What the turn before left: in the first turn nothing, and nobody looks.
static __host__ __device__ int turned(const unsigned *in, int i, int turns, int first)
{
    int last, sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        const int x = in[turn % 2];
        sum += turn != first ? last ^ x : i;
        last = i + x;
    }
    return sum;
}

__global__ void turns(const unsigned *in, int *out, int n, int first)
{
    out[threadIdx.x] = turned(in, threadIdx.x, n, first);
}

// One lane sets what all hand to a shuffle, directly, through functions, as a result: the others do not come to where it is set.
template <class T> static __device__ T of_lane(T value, int lane) { return __shfl_sync(~0u, value, lane); }
static __device__ int taken(int *counter)
{
    int x;
    if (threadIdx.x % 32 == 3)
        x = atomicAdd(counter, 100);
    return x;
}

__global__ void led(int *counters, int *out)
{
    const int lane = threadIdx.x % 32;
    int a, b;
    bool c;
    long long d;
    if (lane == 0)
        a = atomicAdd(&counters[0], 1);
    a = __shfl_sync(~0u, a, 0);
    if (lane == 5) {
        counters[4 + threadIdx.x / 32] = lane;
        b = counters[3];
    }
    b = of_lane(b, 5);
    if (lane == 1)
        c = atomicMax(&counters[2], 7) < 7;
    c = of_lane(c, 1);
    if (lane == 2)
        d = atomicAdd(&counters[12], 2);
    d = __shfl_xor_sync(~0u, d, 2);
    out[threadIdx.x] = of_lane(taken(&counters[1]), 3) % 100 + b + (lane == 0 ? (int)d % 2 : 0) + (a < 0) + (c && lane > 31);
}

// KERNEL(name, how x is made of the thread's number i in lanes that set it; `half`, `word` and `none` are never set)
#define KERNEL(name, text)                                                                                                   \
    __global__ void name(const unsigned *in, unsigned long long *out, int turns)                                            \
    {                                                                                                                        \
        unsigned long long x = 0;                                                                                            \
        unsigned i = threadIdx.x;                                                                                            \
        asm volatile("{.reg .b16 low, high, half; .reg .b32 a, b, x, word; .reg .b64 y, long; .reg .pred p, none;\n"        \
                     "cvt.u16.u32 low, %1; mov.u32 a, %%ctaid.y;\n" text "}" : "=l"(x) : "r"(i), "l"(in), "r"(turns));      \
        out[blockIdx.y * LANES + i] = x;                                                                                     \
    }
#define OTHERWISE "setp.eq.u32 p, a, 0; @p bra ONE; ld.global.u32 x, [%2]; ONE: cvt.u64.u32 %0, x;\n"
#define OTHERWISE_LONG "setp.eq.u32 p, a, 0; @p bra ONE; ld.global.u64 y, [%2]; ONE: mov.u64 %0, y;\n"
#define LOOP "mov.u32 b, 0; AGAIN: add.u32 b, b, 1; setp.lt.u32 p, b, %3; @p bra AGAIN;\n"

KERNEL(low_half, "mov.b32 x, {low, half};" OTHERWISE)
KERNEL(high_half, "mov.b32 x, {half, low};" OTHERWISE)
KERNEL(low_word, "mov.b64 y, {%1, word};" OTHERWISE_LONG)
KERNEL(high_word, "mov.b64 y, {word, %1};" OTHERWISE_LONG)
KERNEL(quarter, "mov.b64 y, {half, low, half, half};" OTHERWISE_LONG)
KERNEL(inserted, "bfi.b32 x, %1, word, 4, 12;" OTHERWISE)
KERNEL(permuted, "prmt.b32 x, %1, word, 0x6140;" OTHERWISE)
KERNEL(shifted, "shf.l.wrap.b32 x, word, %1, 8;" OTHERWISE)
KERNEL(chosen, "setp.ge.u32 p, %1, 0; selp.b32 x, %1, word, p;" OTHERWISE)
KERNEL(masked, "and.b32 x, word, 0xffff0000; or.b32 x, x, %1;" OTHERWISE)
KERNEL(guarded, "setp.ge.u32 p, %1, 8; mov.b32 x, word; @p mov.b32 x, %1;" OTHERWISE)
KERNEL(looped, LOOP "mov.b32 x, {low, half};" OTHERWISE)
KERNEL(looped_word, LOOP "mov.b64 y, {%1, word};" OTHERWISE_LONG)
KERNEL(unpacked, "mov.b32 x, {low, half}; mov.b32 {low, high}, x; cvt.u32.u16 x, low;" OTHERWISE)
KERNEL(counted, "AGAIN: add.u32 word, word, 1; mov.b64 y, {%1, word}; setp.lt.u32 p, b, b; @p bra AGAIN;\n" OTHERWISE_LONG)
KERNEL(counted_or_one, "AGAIN: add.u32 word, word, 1; mov.b64 y, {%1, word}; setp.lt.u32 p, b, b; @p bra AGAIN;\n"
                       "setp.eq.u32 p, a, 0; @p bra ONE; mov.u64 y, 0x12345678; ONE: mov.u64 %0, y;\n")

static const struct {
    const char *name;
    void (*kernel)(const unsigned *, unsigned long long *, int);
    unsigned long long set; // these bits were
    int shift, from;        // the thread's number is so far up; in threads from here on
    bool wide;
} cases[] = {
    {"low_half", low_half, 0xffff, 0, 0}, {"high_half", high_half, 0xffff0000, 16, 0}, {"low_word", low_word, 0xffffffff, 0, 0, true},
    {"high_word", high_word, 0xffffffff00000000, 32, 0, true}, {"quarter", quarter, 0xffff0000, 16, 0, true}, {"inserted", inserted, 0xfff0, 4, 0},
    {"permuted", permuted, 0x00ff00ff, 0, 0}, {"shifted", shifted, 0xffffff00, 8, 0}, {"chosen", chosen, 0xffffffff, 0, 0}, {"masked", masked, 0xffff, 0, 0},
    {"guarded", guarded, 0xffffffff, 0, 8}, {"looped", looped, 0xffff, 0, 0}, {"looped_word", looped_word, 0xffffffff, 0, 0, true},
    {"unpacked", unpacked, 0xffffffff, 0, 0}, {"counted", counted, 0xffffffff, 0, 0, true},
    {"counted_or_one", counted_or_one, 0xffffffff, 0, 0},
};

int main()
{
    int wrong = 0;
    gap *in, *out;
    unsigned *words;
    unsigned long long *left;
    cudaMallocManaged(&in, 8 * sizeof *in);
    cudaMallocManaged(&out, ROWS * LANES * sizeof *out);
    cudaMallocManaged(&words, 8);
    cudaMallocManaged(&left, ROWS * LANES * sizeof *left);
    for (int i = 0; i < 8; i++)
        in[i] = made(1000 + i, 0, i);
    words[0] = 0x12345678, words[1] = 0x9abcdef0;
    for (int threads = LANES; threads > 16; threads = threads * 3 / 4) { // whole warps, several at once, and others
        copied<<<dim3(1, ROWS), threads>>>(in, out, 3, 1.5f, 5);
        if (cudaDeviceSynchronize())
            return 1;
        for (int i = 0; i < ROWS * LANES; i++) {
            gap is = out[i], should = i < LANES ? made(i, 3, 1.5f) : in[4];
            if (i % LANES < threads && (is.a != should.a || is.b != should.b || is.c != should.c || is.d != should.d || is.e != should.e) && wrong++ < 20)
                printf("FAILED: copied, %d threads, %d: %d %g %d %d %g\n", threads, i, is.a, is.b, is.c, is.d, is.e);
        }
        if (threads % 32 == 0) {
            int *counters = (int *)left, *sums = counters + 16, warps = threads / 32;
            for (int i = 0; i < 16; i++)
                counters[i] = i == 3 ? 40 : 0;
            led<<<1, threads>>>(counters, sums);
            if (cudaDeviceSynchronize())
                return 1;
            bool counted = counters[0] == warps && counters[1] == 100 * warps && counters[2] == 7 && counters[12] == 2 * warps;
            for (int i = 0; i < 8; i++)
                counted &= counters[4 + i] == (i < warps ? 5 : 0);
            for (int i = 0; i < threads; i++)
                counted &= sums[i] == 40;
            if (!counted && wrong++ < 20)
                printf("FAILED: led, %d threads: %d %d %d %d, %d\n", threads, counters[0], counters[1], counters[2], counters[12], sums[0]);
        }
        turns<<<1, threads>>>(words, (int *)left, 9, 0);
        if (cudaDeviceSynchronize())
            return 1;
        for (int i = 0; i < threads; i++)
            if (int is = ((int *)left)[i], should = turned(words, i, 9, 0); is != should && wrong++ < 20)
                printf("FAILED: turns, %d threads, %d: %d, not %d\n", threads, i, is, should);
        for (const auto &c : cases) {
            c.kernel<<<dim3(1, ROWS), threads>>>(words, left, 9);
            if (cudaDeviceSynchronize())
                return 1;
            for (int i = 0; i < ROWS * LANES; i++) {
                bool other = i >= LANES;
                unsigned long long is = other ? left[i] : left[i] & c.set, one = c.wide ? 0x9abcdef012345678 : 0x12345678;
                unsigned long long should = other ? one : (unsigned long long)i << c.shift & c.set;
                if (i % LANES < threads && i % LANES >= c.from && is != should && wrong++ < 20)
                    printf("FAILED: %s, %d threads, %d: %llx, not %llx\n", c.name, threads, i, is, should);
            }
        }
    }
    printf(wrong ? "FAILED\n" : "PASSED\n");
    return wrong != 0;
}
