/* The helpers that the `meaning` column of ptx_ops.def calls, for one lane; included once for each host level.
 *
 * Everything is branch-free where it can be, so that the loops over lanes vectorise. Macros see the local types of
 * the expanded function: T the operand type, U its unsigned form, S its signed form, W and UW twice as wide, BITS its
 * width, SIGNED whether T is. Rounding follows the MXCSR, which is "to nearest" outside of the DYN functions. */
#ifndef INTERP_LANES_MEANING_H
#define INTERP_LANES_MEANING_H

#include <math.h>
#include <sleef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UNUSED __attribute__((unused))
#define INLINE static inline __attribute__((always_inline, unused))

INLINE uint32_t bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}

INLINE float f32_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

INLINE uint64_t bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

INLINE double f64_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}

/* integer */

#define low24(x) ((W)(T)((U)(x) << 8) >> 8)
#define mul_hi(x, y) ((T)(((W)(x) * (W)(y)) >> BITS))
#define shift_right(x, n) ((n) < BITS ? (T)((x) >> ((n) & (BITS - 1))) : (T)(SIGNED ? (S)(x) >> (BITS - 1) : 0))

INLINE uint32_t popcount_32(uint32_t x)
{
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

INLINE uint32_t popcount_64(uint64_t x)
{
    return popcount_32((uint32_t)x) + popcount_32((uint32_t)(x >> 32));
}

INLINE uint32_t clz_32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return popcount_32(~x);
}

INLINE uint32_t clz_64(uint64_t x)
{
    uint32_t high = clz_32((uint32_t)(x >> 32)), low = clz_32((uint32_t)x);
    return high == 32 ? 32 + low : high;
}

INLINE uint32_t brev_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

INLINE uint64_t brev_64(uint64_t x)
{
    return (uint64_t)brev_32((uint32_t)x) << 32 | brev_32((uint32_t)(x >> 32));
}

#define popcount(x) (BITS == 64 ? popcount_64((uint64_t)(x)) : popcount_32((uint32_t)(x)))
#define clz(x) (BITS == 64 ? clz_64((uint64_t)(x)) : clz_32((uint32_t)(x)))
#define brev(x) ((T)(BITS == 64 ? brev_64((uint64_t)(x)) : brev_32((uint32_t)(x))))
/* position of the most significant bit that differs from the sign, all ones when there is none */
#define find_bits(x) ((U)((x) ^ (T)(SIGNED ? (S)(x) >> (BITS - 1) : 0)))
#define bfind(x) (BITS - 1u - clz(find_bits(x)))
#define bfind_shift(x) (find_bits(x) == 0 ? ~0u : clz(find_bits(x)))

/* Quotients. Up to 32 bits through double: a quotient of two such integers that is not whole is at least 2^-32 below
 * the next whole number, relatively, so its rounding to 53 bits cannot reach that number, and truncation is exact.
 * Division and remainder by zero give all ones (as the hardware does, tests/truth/lanes_h200.tsv). */
INLINE double double_u32(uint32_t x)
{
    return f64_bits(0x4330000000000000u | x) - 0x1p52;
}

INLINE uint32_t div_u32(uint32_t x, uint32_t y)
{
    double q = __builtin_trunc(double_u32(x) / double_u32(y));
    uint32_t u = (uint32_t)bits_f64(q + 0x1p52);
    return y == 0 ? ~0u : u;
}

INLINE uint32_t div_s32(int32_t x, int32_t y)
{
    uint32_t sx = (uint32_t)(x >> 31), sy = (uint32_t)(y >> 31), s = sx ^ sy;
    uint32_t q = div_u32(((uint32_t)x ^ sx) - sx, ((uint32_t)y ^ sy) - sy);
    return y == 0 ? ~0u : (q ^ s) - s;
}

INLINE uint64_t div_u64(uint64_t x, uint64_t y)
{
    return y == 0 ? ~UINT64_C(0) : x / y;
}

INLINE uint64_t div_s64(int64_t x, int64_t y)
{
    if (y == 0)
        return ~UINT64_C(0);
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

#define int_div(x, y)                                                                                               \
    ((T)(BITS == 64 ? (SIGNED ? div_s64((int64_t)(x), (int64_t)(y)) : div_u64((uint64_t)(x), (uint64_t)(y)))        \
                    : (SIGNED ? div_s32((int32_t)(x), (int32_t)(y)) : div_u32((uint32_t)(x), (uint32_t)(y)))))
/* 1u: 16-bit values would be multiplied as int, and overflow. */
#define int_rem(x, y) ((T)((y) == 0 ? ~(U)0 : (U)((U)(x) - 1u * (U)(y) * (U)int_div(x, y))))

/* floating: _f32 and _f64 of each, chosen by the operand's type */

/* NaN as an H200 makes it (tests/truth/lanes_h200.tsv). f32: always the one canonical NaN. f64: an operand's NaN, made
 * quiet, payload and sign kept; where no operand is NaN, the default one. With several NaN operands the first counts
 * here (the GPU's choice is not known; payloads are outside the promise of equal bits). */
#define F32_NAN 0x7fffffffu

INLINE float canon_f32(float x)
{
    return x != x ? f32_bits(F32_NAN) : x;
}

INLINE double quiet_f64(double x)
{
    return f64_bits(bits_f64(x) | 0x0008000000000000u);
}

INLINE float nan1_f32(float r, UNUSED float a)
{
    return canon_f32(r);
}

INLINE float nan2_f32(float r, UNUSED float a, UNUSED float b)
{
    return canon_f32(r);
}

INLINE float nan3_f32(float r, UNUSED float a, UNUSED float b, UNUSED float c)
{
    return canon_f32(r);
}

/* The host's instructions do the same with one NaN operand and with none; what is left to settle is which of several
 * counts, since the compiler may swap operands. */
INLINE double nan1_f64(double r, double a)
{
    return a != a ? quiet_f64(a) : r;
}

INLINE double nan2_f64(double r, double a, UNUSED double b)
{
    return nan1_f64(r, a);
}

INLINE double nan3_f64(double r, double a, double b, UNUSED double c)
{
    return nan1_f64(nan1_f64(r, b), a);
}

/* subnormals become zero of the same sign */
INLINE float ftz_f32(float x)
{
    uint32_t u = bits_f32(x);
    return f32_bits((u & 0x7f800000u) == 0 ? u & 0x80000000u : u);
}

INLINE double ftz_f64(double x)
{
    return x; /* PTX has no .ftz for f64 */
}

/* .sat: NaN becomes +0, and so does -0 */
INLINE float sat_f32(float x)
{
    x = x > 0 ? x : 0;
    return x > 1 ? 1 : x;
}

INLINE double sat_f64(double x)
{
    x = x > 0 ? x : 0;
    return x > 1 ? 1 : x;
}

/* -0 is less than +0; one NaN loses against a number */
#define MINMAX(name, T, U, suffix, less, both)                                                                      \
    INLINE T name##_##suffix(T x, T y)                                                                              \
    {                                                                                                               \
        U ux = bits_##suffix(x), uy = bits_##suffix(y);                                                             \
        U r = x less y ? ux : uy;                                                                                   \
        r = x == y ? (ux both uy) : r;                                                                              \
        r = x != x ? uy : r;                                                                                        \
        r = y != y ? ux : r;                                                                                        \
        return suffix##_bits(r);                                                                                    \
    }
MINMAX(min, float, uint32_t, f32, <, |)
MINMAX(max, float, uint32_t, f32, >, &)
MINMAX(min, double, uint64_t, f64, <, |)
MINMAX(max, double, uint64_t, f64, >, &)
#undef MINMAX

INLINE float copysign_f32(float magnitude, float sign)
{
    return f32_bits((bits_f32(magnitude) & 0x7fffffffu) | (bits_f32(sign) & 0x80000000u));
}

INLINE double copysign_f64(double magnitude, double sign)
{
    return f64_bits((bits_f64(magnitude) & 0x7fffffffffffffffu) | (bits_f64(sign) & 0x8000000000000000u));
}

INLINE float rsqrt_f32(float x)
{
    return (float)(1 / __builtin_sqrt((double)x));
}

INLINE double rsqrt_f64(double x)
{
    return 1 / __builtin_sqrt(x);
}

#define BY_TYPE(name, x) _Generic((x), float: name##_f32, double: name##_f64)
#define flt_nan1(r, x) BY_TYPE(nan1, x)(r, x)
#define flt_nan2(r, x, y) BY_TYPE(nan2, x)(r, x, y)
#define flt_nan3(r, x, y, z) BY_TYPE(nan3, x)(r, x, y, z)
#define flt_ftz(x) BY_TYPE(ftz, x)(x)
#define flt_sat(x) BY_TYPE(sat, x)(x)
#define flt_min(x, y) BY_TYPE(min, x)(x, y)
#define flt_max(x, y) BY_TYPE(max, x)(x, y)
#define flt_copysign(x, y) BY_TYPE(copysign, x)(x, y)
#define flt_rsqrt(x) BY_TYPE(rsqrt, x)(x)
#define flt_fma(x, y, z) _Generic((x), float: __builtin_fmaf, double: __builtin_fma)(x, y, z)
/* abs and neg make NaN canonical; copysign is only bits */
#define flt_abs(x) flt_nan1(_Generic((x), float: __builtin_fabsf, double: __builtin_fabs)(x), x)
#define flt_neg(x) flt_nan1(-(x), x)
#define flt_sqrt(x) _Generic((x), float: __builtin_sqrtf, double: __builtin_sqrt)(x)

/* The transcendental forms (.approx only): SLEEF's float functions, which err by no more than one unit in the last place,
 * where the GPU's bounds are 2^-20.9 and wider (PTX ISA 9.7.3; tests/unit/interp_lanes.c checks). Of f32 the vectors of
 * lanes_math.h do them, to the same bits. */
#define flt_sin(x) Sleef_cinz_sinf1_u10purec(x)
#define flt_cos(x) Sleef_cinz_cosf1_u10purec(x)
#define flt_lg2(x) Sleef_cinz_log2f1_u10purec(x)
#define flt_ex2(x) Sleef_cinz_exp2f1_u10purec(x)
#define flt_tanh(x) Sleef_cinz_tanhf1_u10purec(x)

#endif
