// mma: every shape and type that is there, against a product on the host. Which element a lane's register holds is from the
// figures of PTX ISA 8.4, 9.7.13.4. Numbers are small and whole, so results are exact whatever the order of additions; what
// is said of rounding in docs/matrices.md, of saturation and of NaN has cases of its own.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
enum { LANES = 32 };
static int bad;

// --- kernels: registers of a lane one after the other, those of A, B and C in, those of D out ---

template <class T> struct registers { const T *in; T *out; };

#define BEGIN(name, T) __global__ void name(const T *in, T *out) { in += threadIdx.x % LANES * 16; T d[4];
#define END(n) if (threadIdx.x < LANES) for (int i = 0; i < n; i++) out[threadIdx.x * 4 + i] = d[i]; }
#define MMA_4_2_4(name, text) BEGIN(name, unsigned) asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
    : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7]), "r"(in[8]), "r"(in[9])); END(4)
#define MMA_4_2_2(name, text) BEGIN(name, unsigned) asm volatile("mma.sync.aligned." text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};" \
    : "=r"(d[0]), "=r"(d[1]) : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7])); END(2)
#define MMA_2_1_4(name, text) BEGIN(name, unsigned) asm volatile("mma.sync.aligned." text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
    : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6])); END(4)
#define MMA_2_1_2(name, text) BEGIN(name, unsigned) asm volatile("mma.sync.aligned." text " {%0, %1}, {%2, %3}, {%4}, {%5, %6};" \
    : "=r"(d[0]), "=r"(d[1]) : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4])); END(2)
#define MMA_1_1_2(name, text) BEGIN(name, unsigned) asm volatile("mma.sync.aligned." text " {%0, %1}, {%2}, {%3}, {%4, %5};" \
    : "=r"(d[0]), "=r"(d[1]) : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3])); END(2)

MMA_4_2_4(f16_16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_2_1_4(f16_8, "m16n8k8.row.col.f32.f16.f16.f32")
MMA_4_2_2(half_16, "m16n8k16.row.col.f16.f16.f16.f16")
MMA_2_1_2(half_8, "m16n8k8.row.col.f16.f16.f16.f16")
MMA_4_2_4(bf16_16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_2_1_4(bf16_8, "m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_4_2_4(tf32_8, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_2_1_4(tf32_4, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_1_1_2(s8_8_16, "m8n8k16.row.col.s32.s8.s8.s32")
MMA_2_1_4(s8_16, "m16n8k16.row.col.s32.s8.u8.s32")
MMA_4_2_4(s8_32, "m16n8k32.row.col.s32.u8.s8.s32")
MMA_4_2_4(u8_32, "m16n8k32.row.col.satfinite.s32.u8.u8.s32")
MMA_1_1_2(s4_8_32, "m8n8k32.row.col.s32.s4.u4.s32")
MMA_2_1_4(s4_32, "m16n8k32.row.col.s32.u4.s4.s32")
MMA_4_2_4(s4_64, "m16n8k64.row.col.satfinite.s32.s4.s4.s32")
MMA_1_1_2(b1_8_128, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
MMA_2_1_4(b1_128, "m16n8k128.row.col.s32.b1.b1.s32.and.popc")
MMA_4_2_4(b1_256, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

BEGIN(f64_8_4, double) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
    : "=d"(d[0]), "=d"(d[1]) : "d"(in[0]), "d"(in[1]), "d"(in[2]), "d"(in[3])); END(2)
BEGIN(f64_4, double) asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
    : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(in[0]), "d"(in[1]), "d"(in[2]), "d"(in[3]), "d"(in[4]), "d"(in[5]), "d"(in[6])); END(4)
BEGIN(f64_8, double) asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
    : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(in[0]), "d"(in[1]), "d"(in[2]), "d"(in[3]), "d"(in[4]), "d"(in[5]), "d"(in[6]), "d"(in[7]), "d"(in[8]), "d"(in[9])); END(4)
BEGIN(f64_16, double) asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};"
    : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3]) : "d"(in[0]), "d"(in[1]), "d"(in[2]), "d"(in[3]), "d"(in[4]), "d"(in[5]), "d"(in[6]), "d"(in[7]), "d"(in[8]), "d"(in[9]), "d"(in[10]), "d"(in[11]), "d"(in[12]), "d"(in[13]), "d"(in[14]), "d"(in[15])); END(4)

// --- elements as bits ---

enum kind { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, S32 };
static int bits_of(kind k)
{
    static const int bits[] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 32};
    return bits[k];
}

static uint64_t encode(kind k, double v)
{
    float f = (float)v;
    uint32_t u;
    uint64_t w;
    memcpy(&u, &f, 4);
    memcpy(&w, &v, 8);
    if (k == F64)
        return w;
    if (k == F16) { // of numbers that are exact there
        int e = (int)(u >> 23 & 255) - 112;
        return v == 0 ? 0 : (u >> 16 & 0x8000) | (unsigned)e << 10 | (u >> 13 & 0x3ff);
    }
    return k == BF16 ? u >> 16 : k == TF32 || k == F32 ? u : (uint64_t)(int64_t)v & (bits_of(k) == 32 ? 0xffffffffu : (1u << bits_of(k)) - 1);
}

static double decode(kind k, uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    double d;
    if (k == F64)
        return memcpy(&d, &bits, 8), d;
    if (k == F16) {
        int e = u >> 10 & 31, s = u >> 15;
        double m = e == 31 ? (u & 0x3ff ? NAN : INFINITY) : e ? ldexp(1024 + (u & 0x3ff), e - 25) : ldexp(u & 0x3ff, -24);
        return s ? -m : m;
    }
    if (k == S32)
        return (int32_t)u;
    return memcpy(&f, &u, 4), f;
}

// --- where an element lies: lane, register and place in the register ---

struct at { int lane, reg, place; };

// A: groupID = row % 8, threadID_in_group = column / E % 4
static at of_a(kind k, int m, int row, int column)
{
    int e = k == F64 ? 1 : 32 / bits_of(k), quarter = column / e;
    return {row % 8 * 4 + quarter % 4, quarter / 4 * (m / 8) + row / 8, column % e};
}
static at of_b(kind k, int row, int column)
{
    int e = k == F64 ? 1 : 32 / bits_of(k), quarter = row / e;
    return {column * 4 + quarter % 4, quarter / 4, row % e};
}
static at of_c(kind k, int row, int column)
{
    int lane = row % 8 * 4 + column / 2;
    return k == F16 ? at{lane, row / 8, column % 2} : at{lane, row / 8 * 2 + column % 2, 0};
}

// --- one product ---

struct product {
    const char *name;
    kind a, b, c;
    int m, k, na, nb;
    bool saturates, ands; // single bits: and, not xor
    double ma[16 * 256], mb[256 * 8], mc[16 * 8];
};

template <class T> static void put(std::vector<T> &in, kind k, at w, int first, double v)
{
    T &r = in[w.lane * 16 + first + w.reg];
    uint64_t bits = encode(k, v), now = 0;
    memcpy(&now, &r, sizeof r);
    now |= bits << (w.place * bits_of(k));
    memcpy(&r, &now, sizeof r);
}

template <class T> static void run(const product &p, void (*kernel)(const T *, T *), double *d)
{
    std::vector<T> in(LANES * 16), out(LANES * 4);
    T *din, *dout;
    for (int i = 0; i < p.m; i++)
        for (int k = 0; k < p.k; k++)
            put(in, p.a, of_a(p.a, p.m, i, k), 0, p.ma[i * p.k + k]);
    for (int k = 0; k < p.k; k++)
        for (int j = 0; j < 8; j++)
            put(in, p.b, of_b(p.b, k, j), p.na, p.mb[k * 8 + j]);
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < 8; j++)
            put(in, p.c, of_c(p.c, i, j), p.na + p.nb, p.mc[i * 8 + j]);
    CK(cudaMalloc(&din, in.size() * sizeof(T)));
    CK(cudaMalloc(&dout, out.size() * sizeof(T)));
    CK(cudaMemcpy(din, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
    kernel<<<1, 2 * LANES>>>(din, dout); // two warps do the same
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(out.data(), dout, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CK(cudaFree(din));
    CK(cudaFree(dout));
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < 8; j++) {
            at w = of_c(p.c, i, j);
            uint64_t bits = 0;
            memcpy(&bits, &out[w.lane * 4 + w.reg], sizeof(T));
            d[i * 8 + j] = decode(p.c, bits >> (w.place * 16) & (p.c == F16 ? 0xffff : ~0ull));
        }
}

static double host(const product &p, int i, int j)
{
    double sum = p.mc[i * 8 + j];
    for (int k = 0; k < p.k; k++) {
        double a = p.ma[i * p.k + k], b = p.mb[k * 8 + j];
        sum += p.a != B1 ? a * b : p.ands ? a && b : a != b;
    }
    if (p.c != S32)
        return sum;
    return p.saturates ? fmin(fmax(sum, INT32_MIN), INT32_MAX) : (int32_t)(uint32_t)(int64_t)sum;
}

template <class T> static void check(const product &p, void (*kernel)(const T *, T *))
{
    double d[16 * 8];
    run(p, kernel, d);
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < 8; j++)
            if (d[i * 8 + j] != host(p, i, j) && bad++ < 20)
                printf("%s (%d, %d): %g, not %g\n", p.name, i, j, d[i * 8 + j], host(p, i, j));
}

static unsigned state = 12345;
static int number(kind k)
{
    state = state * 1664525 + 1013904223;
    int r = (int)(state >> 16);
    return k == S8 ? r % 256 - 128 : k == U8 ? r % 256 : k == S4 ? r % 16 - 8 : k == U4 ? r % 16 : k == B1 ? r % 2 : r % 17 - 8;
}

template <class T>
static void all(const char *name, void (*kernel)(const T *, T *), int m, int k, kind a, kind b, kind c, bool saturates = false, bool ands = false)
{
    static product p;
    p.name = name, p.a = a, p.b = b, p.c = c, p.m = m, p.k = k, p.saturates = saturates, p.ands = ands;
    p.na = m * k * bits_of(a) / 32 / (a == F64 ? 64 : 32);
    p.nb = 8 * k * bits_of(b) / 32 / (b == F64 ? 64 : 32);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < m * k; i++) p.ma[i] = number(a);
        for (int i = 0; i < k * 8; i++) p.mb[i] = number(b);
        for (int i = 0; i < m * 8; i++) p.mc[i] = round < 2 || c != S32 ? number(F16) * 3 : i % 3 == 0 ? INT32_MAX - i : i % 3 == 1 ? INT32_MIN + i : i;
        check(p, kernel);
    }
}

// --- rounding, and what is no number ---

static double single(void (*kernel)(const unsigned *, unsigned *), kind a, kind c, const double *ra, const double *cb, double add)
{
    static product p;
    memset(&p, 0, sizeof p);
    p.a = p.b = a, p.c = c, p.m = 16, p.k = 256 / bits_of(a);
    p.na = 4, p.nb = 2;
    for (int k = 0; k < p.k; k++) p.ma[k] = ra[k], p.mb[k * 8] = cb[k];
    p.mc[0] = add;
    double d[16 * 8];
    run(p, kernel, d);
    return d[0];
}

static void same(const char *what, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) && !(got != got && want != want) && bad++ < 20)
        printf("%s: %.17g, not %.17g\n", what, got, want);
}

static void rounding()
{
    double one[32] = {1}, small[32] = {ldexp(1, -13)}, two[32] = {1, ldexp(1, -13)}, tiny[32] = {1, ldexp(1, -12)};
    // 1 + 2^-24 - like sums are cut off, to float; 1 - 2^-25 is nearer to 1
    double a[32] = {1, ldexp(1, -12)}, b[32] = {1, ldexp(1.5, -12)};
    same("float, cut off", single(f16_16, F16, F32, a, b, 0), 1);
    double n[32] = {1, -ldexp(1, -12)}, nb[32] = {1, ldexp(1, -13)};
    same("float, towards zero", single(f16_16, F16, F32, n, nb, 0), 1 - ldexp(1, -24));
    same("float, negative", single(f16_16, F16, F32, n, nb, -2), -1 - 0.0); // -1 - 2^-25: cut off
    same("half, to nearest", single(half_16, F16, F16, two, tiny, 0), 1);
    double up[32] = {1, 0.5}, ub[32] = {1, ldexp(1.5, -10)};
    same("half, up", single(half_16, F16, F16, up, ub, 0), 1 + ldexp(1, -10));
    auto half = [](double x0, double y0, double x1 = 0, double y1 = 0) {
        double x[32] = {x0, x1}, y[32] = {y0, y1};
        return single(half_16, F16, F16, x, y, 0);
    };
    same("half, largest", half(256, 255.875, 15, 1), 65504);
    same("half, beyond", half(256, 255.875, 16, 1), INFINITY);
    same("half, far beyond", half(-60000, 60000), -INFINITY);
    same("half, smallest", half(ldexp(1, -10), ldexp(1, -14)), ldexp(1, -24));
    same("half, between", half(ldexp(1.5, -10), ldexp(1, -14)), ldexp(1, -23));
    same("half, to zero", half(-ldexp(1, -11), ldexp(1, -14)), 0.0); // without a sign
    same("half, last bit", half(1, ldexp(1, -14), ldexp(1, -10), ldexp(1.5, -14)), ldexp(1, -14) + ldexp(1, -23));
    // addends are cut off 25 bits below the largest, 2^20 here, which leaves the sum
    double big[32] = {1024, -1024, 1}, bb[32] = {1024, 1024, ldexp(1, -6)};
    same("together, cut off", single(f16_16, F16, F32, big, bb, 0), 0);
    bb[2] = ldexp(1.5, -5);
    same("together, last bit", single(f16_16, F16, F32, big, bb, 0), ldexp(1, -5));
    same("one", single(f16_16, F16, F32, one, small, 0), ldexp(1, -13));
    double nan[32] = {0}, other[32] = {1};
    same("C is infinite", single(f16_16, F16, F32, one, one, INFINITY), INFINITY);
    same("C is no number", single(f16_16, F16, F32, nan, other, NAN), NAN);
    double ten[32] = {1 + ldexp(1, -10)}, eleven[32] = {1};
    same("TF32 reads 19 bits", single(tf32_8, TF32, F32, (double[32]){1 + ldexp(1, -11)}, eleven, 0), 1);
    same("TF32 has 10 of fraction", single(tf32_8, TF32, F32, ten, eleven, 0), 1 + ldexp(1, -10));
}

int main()
{
    all("m16n8k16 f16", f16_16, 16, 16, F16, F16, F32);
    all("m16n8k8 f16", f16_8, 16, 8, F16, F16, F32);
    all("m16n8k16 f16, f16", half_16, 16, 16, F16, F16, F16);
    all("m16n8k8 f16, f16", half_8, 16, 8, F16, F16, F16);
    all("m16n8k16 bf16", bf16_16, 16, 16, BF16, BF16, F32);
    all("m16n8k8 bf16", bf16_8, 16, 8, BF16, BF16, F32);
    all("m16n8k8 tf32", tf32_8, 16, 8, TF32, TF32, F32);
    all("m16n8k4 tf32", tf32_4, 16, 4, TF32, TF32, F32);
    all("m8n8k4 f64", f64_8_4, 8, 4, F64, F64, F64);
    all("m16n8k4 f64", f64_4, 16, 4, F64, F64, F64);
    all("m16n8k8 f64", f64_8, 16, 8, F64, F64, F64);
    all("m16n8k16 f64", f64_16, 16, 16, F64, F64, F64);
    all("m8n8k16 s8", s8_8_16, 8, 16, S8, S8, S32);
    all("m16n8k16 s8 u8", s8_16, 16, 16, S8, U8, S32);
    all("m16n8k32 u8 s8", s8_32, 16, 32, U8, S8, S32);
    all("m16n8k32 u8, saturating", u8_32, 16, 32, U8, U8, S32, true);
    all("m8n8k32 s4 u4", s4_8_32, 8, 32, S4, U4, S32);
    all("m16n8k32 u4 s4", s4_32, 16, 32, U4, S4, S32);
    all("m16n8k64 s4, saturating", s4_64, 16, 64, S4, S4, S32, true);
    all("m8n8k128 b1", b1_8_128, 8, 128, B1, B1, S32);
    all("m16n8k128 b1, and", b1_128, 16, 128, B1, B1, S32, false, true);
    all("m16n8k256 b1", b1_256, 16, 256, B1, B1, S32);
    rounding();
    printf(bad ? "FAILED\n" : "PASSED\n");
    return bad != 0;
}
