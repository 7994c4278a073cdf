// What mma gives for operands whose sums are not exact.
//
// Usage: sums [TRIES [all]]; a line a case, kind of numbers and try: a hash (FNV-1a, 64 bits) of the result's registers, in the order of
// lanes, or all of them in hex.
#include <cstdio>
#include <cstdlib>

#include "operands.h"

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

enum { LANES = 32 };

// name, element of A and B, element of C and D, registers of A, B, C, instruction
#define CASES(X)                                                                                                               \
    X(f16_k16, F16, F32, 4, 2, 4, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")                                         \
    X(f16_k8, F16, F32, 2, 1, 4, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")                                           \
    X(bf16_k16, BF16, F32, 4, 2, 4, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")                                     \
    X(bf16_k8, BF16, F32, 2, 1, 4, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")                                       \
    X(tf32_k8, TF32, F32, 4, 2, 4, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")                                       \
    X(tf32_k4, TF32, F32, 2, 1, 4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")                                       \
    X(half_k16, F16, F16, 4, 2, 2, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16")                                        \
    X(half_k8, F16, F16, 2, 1, 2, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16")                                          \
    X(e4m3_k32, E4M3, F32, 4, 2, 4, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")                                     \
    X(e5m2_k32, E5M2, F32, 4, 2, 4, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")

#define OUT4 "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
#define IN4 "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])

#define MMA(name, type, sum, na, nb, nc, text)                                                                                 \
    __global__ void name(int which, kind k, int first, unsigned *out)                                                          \
    {                                                                                                                          \
        int n = first + blockIdx.x, lane = threadIdx.x;                                                                        \
        unsigned a[4] = {0}, b[2] = {0}, x[4] = {0}, y[4] = {0};                                                               \
        float c[4], d[4];                                                                                                      \
        for (int i = 0; i < na; i++)                                                                                           \
            a[i] = operand(which, type, k, n, MATRIX_A, lane, i);                                                              \
        for (int i = 0; i < nb; i++)                                                                                           \
            b[i] = operand(which, type, k, n, MATRIX_B, lane, i);                                                              \
        for (int i = 0; i < nc; i++)                                                                                           \
            x[i] = operand(which, sum, k, n, MATRIX_C, lane, i), c[i] = __uint_as_float(x[i]);                                 \
        if constexpr (nc == 4 && na == 4)                                                                                      \
            asm(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                              \
                : OUT4 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), IN4);                               \
        else if constexpr (nc == 4)                                                                                            \
            asm(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : OUT4 : "r"(a[0]), "r"(a[1]), "r"(b[0]), IN4);          \
        else if constexpr (na == 4)                                                                                            \
            asm(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                                                              \
                : "=r"(y[0]), "=r"(y[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(x[0]), "r"(x[1])); \
        else                                                                                                                   \
            asm(text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : "=r"(y[0]), "=r"(y[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(x[0]), "r"(x[1])); \
        for (int i = 0; i < nc; i++)                                                                                           \
            out[(blockIdx.x * LANES + lane) * nc + i] = nc == 4 ? __float_as_uint(d[i]) : y[i];                                \
    }
CASES(MMA)

#define RUN(name, type, sum, na, nb, nc, text) run(#name, name, nc, tries, all);

static void print(const unsigned *out, int n, bool all)
{
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < n; i++) {
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (out[i] >> 8 * byte & 0xff)) * 0x100000001b3ull;
        if (all)
            printf("%08x", out[i]);
    }
    if (!all)
        printf("%016llx", hash);
    printf("\n");
}

static void run(const char *title, void (*kernel)(int, kind, int, unsigned *), int registers, int tries, bool all)
{
    static int which;
    unsigned *out;
    CK(cudaMallocManaged(&out, (size_t)tries * LANES * 4 * sizeof *out));
    for (int k = 0; k < KINDS; k++) {
        kernel<<<tries, LANES>>>(which, (kind)k, 0, out);
        CK(cudaDeviceSynchronize());
        for (int n = 0; n < tries; n++) {
            printf("%s\t%s\t%d\t", title, KIND_NAMES[k], n);
            print(out + n * LANES * registers, LANES * registers, all);
        }
    }
    which++;
    CK(cudaFree(out));
}

int main(int argc, char **argv)
{
    int tries = argc > 1 ? atoi(argv[1]) : 4;
    bool all = argc > 2;
    CASES(RUN)
    return 0;
}
