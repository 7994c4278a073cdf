// Loads into registers wider than what is loaded, which clang never prints and PTX allows: ld.u32 into 64 bits fills them
// with zeros, ld.s32 with the sign. In both ways of a short branch, as parts of a vector whose registers differ in width, and
// beside each other in shared memory, where they become one access.
#include <cstdio>

typedef unsigned long long wide;

enum { LANES = 64, KERNELS = 9 };

// Both ways of a branch load the same word: each into `one` or `other` bits, as TYPE says; what comes is 64 bits wide.
#define WAYS(NAME, TYPE, ONE, ONE_BITS, OTHER, OTHER_BITS)                                                          \
    __global__ void NAME(const int *in, wide *out, int n)                                                           \
    {                                                                                                               \
        wide x;                                                                                                     \
        asm volatile("{.reg .pred p; .reg .b" ONE_BITS " a; .reg .b" OTHER_BITS " b;\n\t"                           \
                     "setp.lt.s32 p, %2, %3; @p bra THEN%=;\n\t"                                                    \
                     "ld.global." TYPE " a, [%1]; " ONE " %0, a; xor.b64 %0, %0, 1; bra.uni JOIN%=;\n\t"            \
                     "THEN%=: ld.global." TYPE " b, [%1]; " OTHER " %0, b; xor.b64 %0, %0, 1;\n\t"                  \
                     "JOIN%=:}" : "=l"(x) : "l"(in + threadIdx.x), "r"((int)threadIdx.x), "r"(n) : "memory");       \
        out[threadIdx.x] = x;                                                                                       \
    }
WAYS(zeros, "u32", "mov.b64", "64", "mov.b64", "64")
WAYS(signs, "s32", "mov.b64", "64", "mov.b64", "64")
WAYS(wide_and_not, "u32", "mov.b64", "64", "cvt.u64.u32", "32")
WAYS(not_and_wide, "s32", "cvt.s64.s32", "32", "mov.b64", "64")
WAYS(bytes, "s8", "cvt.s64.s16", "16", "mov.b64", "64")

// A vector into registers of several widths.
__global__ void vector_of_two(const int *in, wide *out, int n)
{
    unsigned a;
    wide b;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=l"(b) : "l"(in + threadIdx.x / 2 * 2));
    out[threadIdx.x] = (threadIdx.x % 2 ? b : a) ^ 1;
}

__global__ void vector_of_four(const int *in, wide *out, int n)
{
    wide a, d;
    int b, c;
    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=l"(a), "=r"(b), "=r"(c), "=l"(d) : "l"(in + threadIdx.x / 4 * 4));
    wide of[] = {a, (wide)b, (wide)c, d};
    out[threadIdx.x] = of[threadIdx.x % 4] ^ 1;
}

// Neighbours in shared memory, one of them into a wider register.
#define NEIGHBOURS(NAME, FIRST, FIRST_LETTER, SECOND, SECOND_LETTER, FIRST_TYPE, SECOND_TYPE)                       \
    __global__ void NAME(const int *in, wide *out, int n)                                                           \
    {                                                                                                               \
        __shared__ alignas(16) int s[LANES];                                                                        \
        FIRST_TYPE a;                                                                                               \
        SECOND_TYPE b;                                                                                              \
        s[threadIdx.x] = in[threadIdx.x];                                                                           \
        __syncthreads();                                                                                            \
        asm volatile("ld.shared." FIRST " %0, [%2]; ld.shared." SECOND " %1, [%2+4];"                               \
                     : "=" FIRST_LETTER(a), "=" SECOND_LETTER(b)                                                    \
                     : "r"((unsigned)__cvta_generic_to_shared(s) + threadIdx.x / 2 * 8) : "memory");                \
        out[threadIdx.x] = (threadIdx.x % 2 ? (wide)b : (wide)a) ^ 1;                                               \
    }
NEIGHBOURS(narrow_first, "u32", "r", "b32", "l", unsigned, wide)
NEIGHBOURS(wide_first, "b32", "l", "u32", "r", wide, unsigned)

static int failed;

static void expect(const char *what, int lane, wide is, wide should)
{
    if (is != should && failed++ < 20)
        printf("FAILED: %s, thread %d: 0x%llx, not 0x%llx\n", what, lane, is, should);
}

int main()
{
    struct {
        const char *name;
        void (*kernel)(const int *, wide *, int);
        bool sign, byte;
    } all[KERNELS] = {{"zeros", zeros, false, false}, {"signs", signs, true, false}, {"wide_and_not", wide_and_not, false, false},
                      {"not_and_wide", not_and_wide, true, false}, {"bytes", bytes, true, true},
                      {"vector_of_two", vector_of_two, false, false}, {"vector_of_four", vector_of_four, true, false},
                      {"narrow_first", narrow_first, false, false}, {"wide_first", wide_first, false, false}};
    int in[LANES], *a;
    wide host[LANES], *out;
    for (int i = 0; i < LANES; i++)
        in[i] = i % 3 ? (int)(i * 2654435761u) : i;
    if (cudaMalloc(&a, sizeof in) || cudaMalloc(&out, sizeof host) || cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice))
        return 1;
    for (int k = 0; k < KERNELS; k++) {
        cudaMemset(out, 0xee, sizeof host);
        all[k].kernel<<<1, LANES>>>(a, out, 20);
        if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost))
            failed++;
        for (int i = 0; i < LANES; i++) {
            int value = all[k].byte ? (signed char)in[i] : in[i];
            expect(all[k].name, i, host[i], (all[k].sign ? (wide)value : (wide)(unsigned)value) ^ 1);
        }
    }
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
