// min and max of halves: all pairs of these, one by one and as pairs in a word, and with numbers that the compiler knows. Prints PASSED.
#include <cstdio>
#include <cuda_runtime.h>

static const int N = 32, KNOWN = 6;
typedef unsigned short u16;

static const u16 values[N] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0xbc01, 0x4000, 0xc000, 0x7bff, 0xfbff,
                              0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7fff, 0xffff, 0x5640, 0xd640, 0x2e66, 0xae66, 0x0200, 0x8200, 0x7bfe, 0x3bff};
static const u16 known[KNOWN] = {0x0000, 0x8000, 0x3c00, 0xfc00, 0x7e00, 0xbc01}; // as in the kernel

#define WITH(i, number)                                                                                        \
    asm("max.f16 %0, %1, " number ";" : "=h"(to[2 + 2 * i]) : "h"(a));                                         \
    asm("min.f16 %0, " number ", %1;" : "=h"(to[3 + 2 * i]) : "h"(a));

__global__ void least(const u16 *p, u16 *out, unsigned *pairs)
{
    int x = threadIdx.x, y = blockIdx.x;
    u16 a = p[x], b = p[y], *to = out + (y * N + x) * (2 + 2 * KNOWN);
    asm("max.f16 %0, %1, %2;" : "=h"(to[0]) : "h"(a), "h"(b));
    asm("min.f16 %0, %1, %2;" : "=h"(to[1]) : "h"(a), "h"(b));
    WITH(0, "0x0000") WITH(1, "0x8000") WITH(2, "0x3c00") WITH(3, "0xfc00") WITH(4, "0x7e00") WITH(5, "0xbc01")
    unsigned word = a | (unsigned)b << 16, same = 0x00003c00u; // 1 and 0
    unsigned *of = pairs + (y * N + x) * 4, twice = b * 0x10001u; // the same for all lanes
    asm("max.f16x2 %0, %1, %2;" : "=r"(of[0]) : "r"(word), "r"(same));
    asm("min.f16x2 %0, %1, %2;" : "=r"(of[1]) : "r"(word), "r"(same));
    asm("max.f16x2 %0, %1, %2;" : "=r"(of[2]) : "r"(twice), "r"(same));
    asm("min.f16x2 %0, %1, %2;" : "=r"(of[3]) : "r"(same), "r"(twice));
}

static bool is_nan(u16 h) { return (h & 0x7fff) > 0x7c00; }

// Halves in the order of their values as integers, -0 below +0.
static int place(u16 h) { return h & 0x8000 ? -1 - (h & 0x7fff) : h; }

// PTX ISA, min and max: -0 is less than +0, one NaN loses, two are the canonical one.
static u16 least_of(u16 a, u16 b, bool max)
{
    if (is_nan(a) || is_nan(b))
        return is_nan(a) && is_nan(b) ? 0x7fff : is_nan(a) ? b : a;
    return (place(a) < place(b)) != max ? a : b;
}

static int failed;

static void look(const char *what, u16 a, u16 b, unsigned have, unsigned want)
{
    if (have != want && failed++ < 10)
        printf("FAILED: %s of %04x and %04x: %x instead of %x\n", what, a, b, have, want);
}

int main()
{
    static u16 out[N * N * (2 + 2 * KNOWN)];
    static unsigned pairs[N * N * 4];
    u16 *p, *q;
    unsigned *r;
    if (cudaMalloc(&p, sizeof values) || cudaMalloc(&q, sizeof out) || cudaMalloc(&r, sizeof pairs) ||
        cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice))
        return 1;
    least<<<N, N>>>(p, q, r);
    if (cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost) || cudaMemcpy(pairs, r, sizeof pairs, cudaMemcpyDeviceToHost))
        return 1;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            u16 a = values[x], b = values[y];
            const u16 *got = out + (y * N + x) * (2 + 2 * KNOWN);
            look("max", a, b, got[0], least_of(a, b, true));
            look("min", a, b, got[1], least_of(a, b, false));
            for (int i = 0; i < KNOWN; i++) {
                look("max, known,", a, known[i], got[2 + 2 * i], least_of(a, known[i], true));
                look("min, known,", a, known[i], got[3 + 2 * i], least_of(known[i], a, false));
            }
            for (int i = 0; i < 4; i++)
                look(i % 2 ? "min, pairs," : "max, pairs,", i < 2 ? a : b, b, pairs[(y * N + x) * 4 + i],
                     least_of(i < 2 ? a : b, 0x3c00, i % 2 == 0) | (unsigned)least_of(b, 0, i % 2 == 0) << 16);
        }
    if (!failed)
        printf("PASSED\n");
    return failed != 0;
}
