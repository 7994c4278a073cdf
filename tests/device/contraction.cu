// Products and sums without a rounding modifier, which the assembler fuses (src/target/contract.h), next to those it does not: what
// they compute. The products' last bits tell: a * b is not a float (double, half), so that a fused sum differs from a rounded one.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>

struct two {
    float x, y;
};

#define CASE(TEXT) asm volatile("{.reg .f32 u, v, w; .reg .pred p; " TEXT "}" : "=f"(x), "=f"(y) : "f"(a), "f"(b), "f"(c), "f"(d)); out[n++] = {x, y};

// %0 and %1 are results; %2 %3 %4 %5 are a b c d.
__global__ void singles(const float *in, two *out)
{
    float a = in[0], b = in[1], c = in[2], d = in[3], x, y;
    int n = 0;
    CASE("mul.f32 u, %2, %3; sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; sub.f32 %0, u, %4; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; add.f32 %0, u, %4; sub.f32 %1, %5, u;")
    CASE("mul.f32 u, %2, %3; neg.f32 v, u; add.f32 %0, v, %4; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; neg.f32 v, u; sub.f32 %0, v, %4; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; sub.f32 %0, %4, u; mov.f32 %1, u;")
    CASE("mul.rn.f32 u, %2, %3; sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; sub.rn.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; mul.f32 v, %4, %5; sub.f32 %0, u, v; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; mul.f32 v, %4, %5; sub.f32 %0, v, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; mul.f32 v, %4, %5; sub.f32 %0, u, v; add.f32 %1, u, %4;")
    CASE("mul.f32 u, %2, %3; add.sat.f32 %0, u, %4; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, 0f3F800801; sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; sub.f32 %0, u, 0f3F800800; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; setp.lt.f32 p, %4, 0f00000000; mov.f32 %0, %4; @!p sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; bar.warp.sync -1; sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; membar.gl; sub.f32 %0, %4, u; mov.f32 %1, 0f00000000;")
    CASE("mul.f32 u, %2, %3; mul.f32 v, u, %5; sub.f32 %0, %4, u; mov.f32 %1, v;")
}

static float hidden(float x)
{
    volatile float y = x;
    return y;
}

static int singles_by_hand(float a, float b, float c, float d, two *r)
{
    int n = 0;
    const float ab = hidden(a * b), cd = hidden(c * d), times = 1 + 2049 * 0x1p-23f;
    r[n++] = {fmaf(-a, b, c), 0};
    r[n++] = {fmaf(a, b, -c), 0};
    r[n++] = {fmaf(a, b, c), fmaf(-a, b, d)};
    r[n++] = {fmaf(-a, b, c), 0};
    r[n++] = {fmaf(-a, b, -c), 0};
    r[n++] = {c - ab, ab};
    r[n++] = {c - ab, 0};
    r[n++] = {c - ab, 0};
    r[n++] = {fmaf(a, b, -cd), 0};
    r[n++] = {fmaf(c, d, -ab), 0};
    r[n++] = {fmaf(-c, d, ab), ab + c};
    r[n++] = {fminf(fmaxf(fmaf(a, b, c), 0), 1), 0};
    r[n++] = {fmaf(-a, times, c), 0};
    r[n++] = {fmaf(a, b, -(1 + 0x1p-12f)), 0};
    r[n++] = {c < 0 ? c : fmaf(-a, b, c), 0};
    r[n++] = {fmaf(-a, b, c), 0};
    r[n++] = {c - ab, 0};
    r[n++] = {c - ab, hidden(ab * d)};
    return n;
}

__global__ void others(const double *in, const __half *half, double *out, __half *out_half)
{
    double a = in[0], b = in[1], c = in[2], x;
    unsigned short h = __half_as_ushort(half[0]), i = __half_as_ushort(half[1]), j = __half_as_ushort(half[2]), y;
    unsigned hh = h * 65537u, ii = i * 65537u, jj = j * 65537u, yy;
    asm volatile("{.reg .f64 u; mul.f64 u, %1, %2; sub.f64 %0, %3, u;}" : "=d"(x) : "d"(a), "d"(b), "d"(c));
    out[0] = x;
    asm volatile("{.reg .f64 u; mul.f64 u, %1, %2; sub.f64 %0, u, %3;}" : "=d"(x) : "d"(a), "d"(b), "d"(c));
    out[1] = x;
    asm volatile("{.reg .f16 u; mul.f16 u, %1, %2; sub.f16 %0, %3, u;}" : "=h"(y) : "h"(h), "h"(i), "h"(j));
    out_half[0] = __ushort_as_half(y);
    asm volatile("{.reg .f16x2 u; mul.f16x2 u, %1, %2; sub.f16x2 %0, %3, u;}" : "=r"(yy) : "r"(hh), "r"(ii), "r"(jj));
    out_half[1] = __ushort_as_half((unsigned short)(yy >> 16));
}

int main()
{
    // a * b = 1 + 2^-11 + 2^-24 (double: 1 + 2^-29 + 2^-60; half: 1 + 2^-5 + 2^-12)
    const float single_in[2][4] = {{1 + 0x1p-12f, 1 + 0x1p-12f, 1 + 0x1p-11f, 1}, {1 + 0x1p-12f, 1 + 0x1p-12f, 1 + 0x1p-11f, 1 - 0x1p-12f}};
    const double double_in[3] = {1 + 0x1p-30, 1 + 0x1p-30, 1 + 0x1p-29};
    const __half half_in[3] = {__float2half(1 + 0x1p-6f), __float2half(1 + 0x1p-6f), __float2half(1 + 0x1p-5f)};
    int failed = 0;
    struct memory {
        float single_in[2][4];
        double double_in[3], double_out[2];
        __half half_in[3], half_out[2];
        two out[32];
    } *m;
    if (cudaMallocManaged(&m, sizeof *m))
        return 1;
    for (int s = 0; s < 2; s++) {
        two should[32];
        for (int i = 0; i < 4; i++)
            m->single_in[s][i] = single_in[s][i];
        singles<<<1, 1>>>(m->single_in[s], m->out);
        if (cudaDeviceSynchronize())
            return 1;
        int n = singles_by_hand(single_in[s][0], single_in[s][1], single_in[s][2], single_in[s][3], should);
        for (int i = 0; i < n; i++)
            if (m->out[i].x != should[i].x || m->out[i].y != should[i].y) {
                printf("FAILED: case %d of %d: %a %a, not %a %a\n", i, s, m->out[i].x, m->out[i].y, should[i].x, should[i].y);
                failed++;
            }
    }
    for (int i = 0; i < 3; i++) {
        m->double_in[i] = double_in[i];
        m->half_in[i] = half_in[i];
    }
    others<<<1, 1>>>(m->double_in, m->half_in, m->double_out, m->half_out);
    if (cudaDeviceSynchronize())
        return 1;
    const double should[4] = {-0x1p-60, 0x1p-60, -0x1p-12, -0x1p-12};
    const double is[4] = {m->double_out[0], m->double_out[1], __half2float(m->half_out[0]), __half2float(m->half_out[1])};
    for (int i = 0; i < 4; i++)
        if (is[i] != should[i]) {
            printf("FAILED: double or half %d: %a, not %a\n", i, is[i], should[i]);
            failed++;
        }
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
