// NaN of f64: each instruction on each pair of these numbers. With TABLE, an H200's results (made by `nan table` there), compares;
// of two NaNs it is not promised which one stays. Then NaNs of numbers that a compiler may know, which it would give no sign.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static const int N = 10;
static const uint64_t numbers[N] = {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                    0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000005, 0xfff0000000000003, 0x7ff8abcd20000000};

#define OF_TWO(name, ptx)                                                             \
    __global__ void name(const double *in, uint64_t *out)                             \
    {                                                                                 \
        double x = in[blockIdx.x], y = in[threadIdx.x], r;                            \
        asm volatile(ptx : "=d"(r) : "d"(x), "d"(y));                                 \
        out[blockIdx.x * N + threadIdx.x] = (uint64_t)__double_as_longlong(r);        \
    }
#define OF_ONE(name, ptx, constraint, type)                                           \
    __global__ void name(const double *in, uint64_t *out)                             \
    {                                                                                 \
        double x = in[threadIdx.x];                                                   \
        type r;                                                                       \
        asm volatile(ptx : constraint(r) : "d"(x));                                   \
        out[threadIdx.x] = r;                                                         \
    }
OF_TWO(add, "add.rn.f64 %0, %1, %2;")
OF_TWO(add_rz, "add.rz.f64 %0, %1, %2;")
OF_TWO(sub, "sub.rn.f64 %0, %1, %2;")
OF_TWO(mul, "mul.rn.f64 %0, %1, %2;")
OF_TWO(divide, "div.rn.f64 %0, %1, %2;")
OF_TWO(least, "min.f64 %0, %1, %2;")
OF_TWO(greatest, "max.f64 %0, %1, %2;")
OF_TWO(with_sign, "copysign.f64 %0, %1, %2;")
OF_TWO(fma_xy1, "fma.rn.f64 %0, %1, %2, 0d3ff0000000000000;")
OF_TWO(fma_x1y, "fma.rn.f64 %0, %1, 0d3ff0000000000000, %2;")
OF_ONE(reciprocal, "rcp.rn.f64 %0, %1;", "=l", uint64_t)
OF_ONE(root, "sqrt.rn.f64 %0, %1;", "=l", uint64_t)
OF_ONE(rsqrt_approx, "rsqrt.approx.f64 %0, %1;", "=l", uint64_t)
OF_ONE(negative, "neg.f64 %0, %1;", "=l", uint64_t)
OF_ONE(absolute, "abs.f64 %0, %1;", "=l", uint64_t)
OF_ONE(whole, "cvt.rni.f64.f64 %0, %1;", "=l", uint64_t)
OF_ONE(single, "cvt.rn.f32.f64 %0, %1;", "=r", uint32_t)
OF_ONE(single_ftz, "cvt.rz.ftz.f32.f64 %0, %1;", "=r", uint32_t)
OF_ONE(half, "cvt.rn.f16.f64 %0, %1;", "=h", uint16_t)
OF_ONE(clamped, "cvt.rn.sat.f32.f64 %0, %1;", "=r", uint32_t)
OF_ONE(to_s32, "cvt.rzi.s32.f64 %0, %1;", "=r", uint32_t)
OF_ONE(to_u64, "cvt.rzi.u64.f64 %0, %1;", "=l", uint64_t)

static const struct operation {
    const char *name;
    void (*kernel)(const double *, uint64_t *);
    int blocks;
} operations[] = {
    {"add", add, N}, {"add_rz", add_rz, N}, {"sub", sub, N}, {"mul", mul, N}, {"divide", divide, N}, {"least", least, N},
    {"greatest", greatest, N}, {"with_sign", with_sign, N}, {"fma_xy1", fma_xy1, N}, {"fma_x1y", fma_x1y, N},
    {"reciprocal", reciprocal, 1}, {"root", root, 1}, {"rsqrt_approx", rsqrt_approx, 1}, {"negative", negative, 1},
    {"absolute", absolute, 1}, {"whole", whole, 1}, {"single", single, 1}, {"single_ftz", single_ftz, 1}, {"half", half, 1},
    {"clamped", clamped, 1}, {"to_s32", to_s32, 1}, {"to_u64", to_u64, 1},
};

enum { MADE = 10, LANES = 64 };

// Of the lanes' numbers x, and of numbers behind a branch: lane 0's, or all lanes', are NaN.
__global__ void made(int n, uint64_t *out)
{
    double x, inf, z, r[MADE];
    asm volatile("cvt.rn.f64.u32 %0, %1;" : "=d"(x) : "r"(threadIdx.x));
    asm volatile("div.rn.f64 %0, 0d3ff0000000000000, %1;" : "=d"(inf) : "d"(x));
    asm volatile("div.rn.f64 %0, %1, %1;" : "=d"(r[0]) : "d"(x));
    asm volatile("sub.rn.f64 %0, %1, %1;" : "=d"(r[1]) : "d"(inf));
    asm volatile("mul.rn.f64 %0, %1, 0d0000000000000000;" : "=d"(r[2]) : "d"(inf));
    asm volatile("fma.rn.f64 %0, %1, 0d0000000000000000, %2;" : "=d"(r[3]) : "d"(inf), "d"(x));
    asm volatile("{ .reg .f64 m; sub.rn.f64 m, 0dbff0000000000000, %1; sqrt.rn.f64 %0, m; }" : "=d"(r[4]) : "d"(x));
    asm volatile("{ .reg .f64 m; sub.rn.f64 m, 0dbff0000000000000, %1; rsqrt.approx.f64 %0, m; }" : "=d"(r[5]) : "d"(x));
    asm volatile("add.rn.f64 %0, 0d7ff0000000000000, 0dfff0000000000000;" : "=d"(r[6]));
    asm volatile("{ .reg .b64 m; mov.b64 m, 0; div.rn.f64 %0, m, m; }" : "=d"(r[7]));
    asm volatile("{ .reg .pred p; .reg .f64 a, b; setp.eq.s32 p, %1, 3; selp.f64 a, 0d0000000000000000, 0d7ff0000000000000, p;"
                 "selp.f64 b, 0d0000000000000000, 0d7ff0000000000000, p; div.rn.f64 %0, a, b; }" : "=d"(r[8]) : "r"(n));
    asm volatile("mov.f64 %0, 0d7ff0000000000000;" : "=d"(z));
    if (n > 5)
        asm volatile("mov.f64 %0, 0dfff0000000000000;" : "=d"(z));
    asm volatile("sub.rn.f64 %0, %1, %1;" : "=d"(r[9]) : "d"(z));
    for (int i = 0; i < MADE; i++) {
        out[i * LANES + threadIdx.x] = (uint64_t)__double_as_longlong(r[i]);
        float f;
        asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(r[i]));
        out[(MADE + i) * LANES + threadIdx.x] = __float_as_uint(f);
    }
}

static bool is_nan(uint64_t bits) { return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000; }

static int failed;

static void compare(FILE *table, const struct operation *o, const uint64_t *out)
{
    for (int i = 0; i < o->blocks * N; i++) {
        char name[32] = "";
        unsigned long long want = 0;
        if (i % N == 0 && (fscanf(table, "%31s", name) != 1 || strcmp(name, o->name)) && failed++ < 20)
            printf("FAILED: the table has %s where %s is\n", name, o->name);
        if (fscanf(table, "%llx", &want) != 1 && failed++ < 20)
            printf("FAILED: the table ends\n");
        bool two = o->blocks > 1 && is_nan(numbers[i / N]) && is_nan(numbers[i % N]);
        if ((two && o->kernel != with_sign ? !is_nan(out[i]) || !is_nan(want) : out[i] != want) && failed++ < 20)
            printf("FAILED: %s %d: %016llx instead of %016llx\n", o->name, i, (unsigned long long)out[i], want);
    }
}

static void write(const struct operation *o, const uint64_t *out)
{
    for (int i = 0; i < o->blocks * N; i++) {
        if (i % N == 0)
            printf("%s", o->name);
        printf("\t%llx%s", (unsigned long long)out[i], i % N == N - 1 ? "\n" : "");
    }
}

static void look_at_made(const uint64_t *out)
{
    for (int i = 0; i < MADE; i++)
        for (int lane = 0; lane < LANES; lane++) {
            if (lane && i < 4)
                continue; // of these, only lane 0's is a NaN
            unsigned long long wide = out[i * LANES + lane], narrow = out[(MADE + i) * LANES + lane];
            if ((wide != 0xfff8000000000000 || narrow != 0xffc00000) && failed++ < 20)
                printf("FAILED: made %d, lane %d: %016llx and %08llx\n", i, lane, wide, narrow);
        }
}

int main(int argc, char **argv)
{
    static uint64_t out[2 * MADE * LANES];
    FILE *table = argc > 1 && strcmp(argv[1], "table") ? fopen(argv[1], "r") : nullptr;
    char head[200];
    double *in;
    uint64_t *q;
    if (argc < 2 || (strcmp(argv[1], "table") && (!table || !fgets(head, sizeof head, table) || *head != '#')) || cudaMalloc(&in, sizeof numbers) || cudaMalloc(&q, sizeof out) ||
        cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice)) {
        printf("usage: nan TABLE, or nan table: writes one, without its first line, which says where it is from\n");
        return 2;
    }
    for (const struct operation &o : operations) {
        o.kernel<<<o.blocks, N>>>(in, q);
        if (cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost))
            return 1;
        if (table)
            compare(table, &o, out);
        else
            write(&o, out);
    }
    made<<<1, LANES>>>(2, q);
    if (cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost))
        return 1;
    look_at_made(out);
    if (!failed && table)
        printf("PASSED\n");
    return failed != 0;
}
