// Selections by what follows from constants alone, which the assembler knows before the kernel runs: sums that saturate, sums
// of pairs of 16 bits, of 16 bits, carries. Constants stand in registers, so that no compiler has computed anything before.
#include <cstdio>

enum { CASES = 10 };

// a OP b > limit ? 1 : 2
#define KNOWN(OP, A, B, COMPARE, LIMIT)                                                                        \
    asm volatile("{.reg .b32 a, b, s; .reg .pred p; mov.b32 a, " A "; mov.b32 b, " B "; " OP " s, a, b;\n\t"   \
                 "setp." COMPARE " p, s, " LIMIT "; selp.b32 %0, 1, 2, p;}" : "=r"(x));                        \
    out[n++] = x;

__global__ void known(int *out)
{
    int x, n = 0;
    KNOWN("add.s32", "0x7fffffff", "1", "gt.s32", "0")
    KNOWN("add.sat.s32", "0x7fffffff", "1", "gt.s32", "0")
    KNOWN("sub.sat.s32", "0x80000000", "1", "lt.s32", "0")
    KNOWN("sub.s32", "0x80000000", "1", "lt.s32", "0")
    KNOWN("add.u32", "0xffff", "1", "eq.u32", "0x10000")
    KNOWN("add.u16x2", "0xffff", "1", "eq.u32", "0")
    KNOWN("add.s16x2", "0x1ffff", "0x10001", "eq.u32", "0x20000")
    KNOWN("min.u16x2", "0x10002", "0x20001", "eq.u32", "0x10001")
    KNOWN("add.cc.u32", "0xffffffff", "1", "eq.u32", "0")
    asm volatile("{.reg .b32 a, b, s; .reg .pred p; mov.b32 a, -1; mov.b32 b, 1; add.cc.u32 s, a, b; addc.u32 s, b, b;\n\t"
                 "setp.eq.u32 p, s, 3; selp.b32 %0, 1, 2, p;}" : "=r"(x));
    out[n++] = x;
}

int main()
{
    static const int should[CASES] = {2, 1, 1, 2, 1, 1, 1, 1, 1, 1};
    int host[CASES], *out, failed = 0;
    if (cudaMalloc(&out, sizeof host))
        return 1;
    known<<<1, 1>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < CASES; i++)
        if (host[i] != should[i]) {
            printf("FAILED: case %d: %d, not %d\n", i, host[i], should[i]);
            failed++;
        }
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
