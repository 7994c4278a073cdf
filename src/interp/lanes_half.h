/* Half precision, f16 and bf16: conversions of one value. Source: PTX ISA 8.4, 5.2.3; IEEE 754-2008 (binary16).
 *
 * Sums and products are made in double and rounded once, to nearest even. Products of two halves are exact in double (22
 * bits at most), sums are exact but where one operand is smaller than 2^-40 of the other, which then cannot move the
 * result off the other, a half itself. fma is the case with three: its sum is rounded to odd, and so is the step from double
 * to float, so that the last rounding sees whether anything was lost (Boldo, Melquiond, "Emulation of FMA and correctly
 * rounded sums", 2008). NaN results are 0x7fff. */
#ifndef INTERP_LANES_HALF_H
#define INTERP_LANES_HALF_H

#include "interp/lanes_meaning.h"
#include "ptx/ptx.h"

INLINE float f32_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    /* normal, infinite and NaN by moving the bits; subnormal m * 2^-24 by an exact subtraction */
    uint32_t wide = (rest << 13) + (rest >= 0x7c00 ? 0x70000000u : 0x38000000u);
    uint32_t small = bits_f32(f32_bits(0x38800000u | rest << 13) - 0x1p-14f);
    return f32_bits(rest > 0x7c00 ? F32_NAN : sign | (rest < 0x400 ? (rest == 0 ? 0 : small) : wide));
}

/* NaN keeps its sign and payload */
INLINE double f64_f16(uint16_t h)
{
    const uint64_t nan = (uint64_t)(h & 0x8000) << 48 | 0x7ff8000000000000u | (uint64_t)(h & 0x3ff) << 42;
    return (h & 0x7fff) > 0x7c00 ? f64_bits(nan) : (double)f32_f16(h);
}

INLINE float f32_bf16(uint16_t h)
{
    return f32_bits((uint32_t)h << 16);
}

/* to f64, quiet: the host conversion keeps sign and payload, as the GPU's does */
INLINE double f64_f32(float x)
{
    return x != x ? quiet_f64((double)x) : (double)x;
}

/* Whether a magnitude cut to `odd`'s bits, with the rest `rest` of `unit`, rounds away from zero. */
INLINE bool rounds_up(int round, bool sign, bool odd, uint64_t rest, uint64_t unit)
{
    switch (round) {
    case PTX_RZ: return false;
    case PTX_RM: return sign && rest != 0;
    case PTX_RP: return !sign && rest != 0;
    case PTX_RNA: return rest >= unit / 2;
    default: return rest > unit / 2 || (rest == unit / 2 && odd);
    }
}

/* x to a format of `exponent_bits` and `fraction_bits` (16 bits in all), rounded once. NaN keeps its sign and the top
 * of its payload. */
INLINE uint16_t half_f64(double x, int round, int exponent_bits, int fraction_bits)
{
    const uint64_t u = bits_f64(x), fraction = u & 0xfffffffffffffu;
    const uint16_t sign = (uint16_t)(u >> 48 & 0x8000);
    const int exponent = (int)(u >> 52 & 0x7ff), bias = (1 << (exponent_bits - 1)) - 1;
    const uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << fraction_bits);
    if (exponent == 0x7ff)
        return (uint16_t)(sign | infinity | (fraction != 0 ? 1u << (fraction_bits - 1) | fraction >> (52 - fraction_bits) : 0));
    if (exponent == 0 && fraction == 0)
        return sign;
    const uint64_t significand = fraction | (exponent != 0 ? UINT64_C(1) << 52 : 0);
    int e = (exponent != 0 ? exponent : 1) - 1023 + bias; /* biased exponent in the new format, if normal */
    int cut = 52 - fraction_bits + (e < 1 ? 1 - e : 0);
    if (cut > 62)
        cut = 62; /* all of it is rest, less than half a unit */
    uint64_t kept = significand >> cut, rest = significand & ((UINT64_C(1) << cut) - 1);
    kept += rounds_up(round, sign != 0, kept & 1, rest, UINT64_C(1) << cut);
    /* the carry of the rounding, and the hidden bit, go into the exponent by addition */
    uint64_t r = e < 1 ? kept : kept + ((uint64_t)(e - 1) << fraction_bits);
    if (r >= infinity) {
        bool to_infinity = round == PTX_RZ ? false : round == PTX_RM ? sign != 0 : round == PTX_RP ? sign == 0 : true;
        r = to_infinity ? infinity : infinity - 1u;
    }
    return sign | (uint16_t)r;
}

/* f32 to f16, to nearest even, without branches */
INLINE uint16_t f16_f32(float x)
{
    const uint32_t u = bits_f32(x), sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
    /* normal: add half a unit less one, plus the kept part's last bit, then cut */
    uint32_t normal = (rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> 13;
    /* subnormal: the addition of 0.5 leaves x / 2^-24, rounded, in the low bits */
    uint32_t small = bits_f32(f32_bits(rest) + 0.5f) - bits_f32(0.5f);
    uint32_t r = rest < 0x38800000u ? small : normal;
    r = rest >= 0x477ff000u ? 0x7c00 : r;
    r = rest > 0x7f800000u ? 0x7fff : r | sign;
    return (uint16_t)r;
}

INLINE uint16_t bf16_f32(float x)
{
    const uint32_t u = bits_f32(x);
    return x != x ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* d to float, to odd: inexact results get an odd last bit */
INLINE float odd_f32(double d)
{
    const float f = (float)d;
    const uint32_t u = bits_f32(f);
    const bool nudge = (double)f != d && d == d && !(u & 1);
    return f32_bits(u + (nudge ? (__builtin_fabs((double)f) < __builtin_fabs(d) ? 1u : ~0u) : 0));
}

/* a * b + c to odd, for an exact product: TwoSum gives what the sum lost */
INLINE double odd_fma(double a, double b, double c)
{
    const double p = a * b, s = p + c, v = s - p, lost = (p - (s - v)) + (c - v);
    const uint64_t u = bits_f64(s);
    const bool nudge = lost != 0 && lost == lost && __builtin_isfinite(s) && !(u & 1);
    return f64_bits(u + (nudge ? ((lost > 0) == (s > 0) ? 1u : ~UINT64_C(0)) : 0));
}

/* a + b of two f16 (`bf16`: of two bf16), with subnormals */
INLINE uint16_t add_halves(uint16_t a, uint16_t b, bool bf16)
{
    return bf16 ? bf16_f32(odd_f32((double)f32_bf16(a) + f32_bf16(b))) : f16_f32(odd_f32((double)f32_f16(a) + f32_f16(b)));
}

/* Eight bits, of which e4m3 has no infinities (PTX ISA 8.4, 5.2.3). */
INLINE double f64_fp8(uint32_t h, bool e4m3)
{
    const int bias = e4m3 ? 7 : 15, fraction = e4m3 ? 3 : 2;
    const uint32_t rest = h & 0x7f, e = rest >> fraction, f = rest & ((1u << fraction) - 1);
    const bool infinite = !e4m3 && rest == 0x7c, nan = e4m3 ? rest == 0x7f : rest > 0x7c;
    const double unit = f64_bits((uint64_t)(1023 + (e ? (int)e : 1) - bias - fraction) << 52);
    const double x = nan ? NAN : infinite ? INFINITY : (double)((e ? 1u << fraction : 0) + f) * unit;
    return h & 0x80 ? -x : x;
}

#endif
