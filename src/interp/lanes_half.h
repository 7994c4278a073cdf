/* Half precision, f16 and bf16 and their pairs: conversions of one value, and the rows of ptx_ops.def for these types.
 * Part of lanes_expand.h, before the rows. Source: PTX ISA 8.4, 5.2.3, 9.7.4, 9.7.6.3; IEEE 754-2008 (binary16).
 *
 * A row's meaning is computed in double and rounded once, to nearest even. Products of two halves are exact in double
 * (22 bits at most), sums are exact but where one operand is smaller than 2^-40 of the other, which then cannot move the
 * result off the other, a half itself. fma is the case with three: its sum is rounded to odd, and so is the step from double
 * to float, so that the last rounding sees whether anything was lost (Boldo, Melquiond, "Emulation of FMA and correctly
 * rounded sums", 2008). A pair register is a row of 64 halves, the lower one first. NaN results are 0x7fff. */

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

#define HALF_IN_F16(u)     ((double)f32_f16(u))
#define HALF_IN_BF16(u)    ((double)f32_bf16(u))
#define HALF_OUT_F16(r)    f16_f32(odd_f32(r))
#define HALF_OUT_BF16(r)   bf16_f32(odd_f32(r))
#define HALF_TINY_F16      0x1p-14
#define HALF_TINY_BF16     0x1p-126
#define HALF_FLUSH(x, fmt) (__builtin_fabs(x) < HALF_TINY_##fmt ? __builtin_copysign(0, x) : (x))

#define HALF_READ_UN(fmt)  const T a = HALF_IN_##fmt(((const uint16_t *)va)[i]);
#define HALF_READ_BIN(fmt) HALF_READ_UN(fmt) const T b = HALF_IN_##fmt(((const uint16_t *)vb)[i]);
#define HALF_READ_TRI(fmt) HALF_READ_BIN(fmt) const T c = HALF_IN_##fmt(((const uint16_t *)vc)[i]);
/* the same with .ftz; and min's and max's .xorsign.abs */
#define HALF_LOAD(x, v, fmt) T x = HALF_IN_##fmt(((const uint16_t *)v)[i]); x = ftz ? HALF_FLUSH(x, fmt) : x;
#define HALF_TAKE_UN(fmt)  HALF_LOAD(a, va, fmt)
#define HALF_TAKE_BIN(fmt) HALF_TAKE_UN(fmt) HALF_LOAD(b, vb, fmt)
#define HALF_TAKE_TRI(fmt) HALF_TAKE_BIN(fmt) HALF_LOAD(c, vc, fmt)
#define HALF_NAN_UN  false
#define HALF_NAN_BIN (m->nan && ((a != a) | (b != b)))
#define HALF_NAN_TRI false
#define HALF_SIGNS_UN
#define HALF_SIGNS_BIN                                                                                              \
    const bool signs = m->xorsign_abs && (((const uint16_t *)va)[i] ^ ((const uint16_t *)vb)[i]) & 0x8000; /* NaNs' too */ \
    if (m->xorsign_abs)                                                                                             \
        a = __builtin_fabs(a), b = __builtin_fabs(b);
#define HALF_SIGNS_TRI
#define HALF_SIGNED_UN(r)  r
#define HALF_SIGNED_BIN(r) (signs ? -(r) : (r))
#define HALF_SIGNED_TRI(r) r
#define HALF_FADD(meaning) (meaning)
#define HALF_FMUL(meaning) (meaning)
#define HALF_FFMA(meaning) odd_fma(a, b, c)
#define HALF_FMOV(meaning) (meaning)
#define HALF_FCMP(meaning) (meaning)
#define HALF_MUFU(meaning) (meaning)

#define LANES_HALF_ROW(ty, fmt, R, name, form, class, meaning)                                                      \
    static void name##_##ty(LANES_ARGS)                                                                             \
    {                                                                                                               \
        typedef double T;                                                                                           \
        uint16_t tmp[32 * sizeof(R) / 2] __attribute__((aligned(64)));                                              \
        uint16_t *const o = mask == ALL_LANES ? (uint16_t *)vd : tmp;                                               \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < 32 * sizeof(R) / 2; i++)                                      \
        {                                                                                                           \
            HALF_READ_##form(fmt) const T r = (T)HALF_##class(meaning);                                             \
            o[i] = HALF_OUT_##fmt(r);                                                                               \
        }                                                                                                           \
        if (mask != ALL_LANES)                                                                                      \
            blend(vd, tmp, mask, sizeof(R));                                                                        \
    }                                                                                                               \
    static void name##_##ty##_dyn(LANES_ARGS)                                                                       \
    {                                                                                                               \
        typedef double T;                                                                                           \
        const struct ptx_mods *m = in->mods;                                                                        \
        const bool ftz = m->ftz;                                                                                    \
        uint16_t tmp[32 * sizeof(R) / 2] __attribute__((aligned(64)));                                              \
        for (unsigned i = 0; i < 32 * sizeof(R) / 2; i++) {                                                         \
            HALF_TAKE_##form(fmt)                                                                                   \
            const bool nan = HALF_NAN_##form;                                                                       \
            HALF_SIGNS_##form                                                                                       \
            T r = HALF_SIGNED_##form((T)HALF_##class(meaning));                                                     \
            r = m->sat ? sat_f64(r) : r;                                                                            \
            r = m->relu && r == r ? (r > 0 ? r : 0) : r;                                                            \
            const uint16_t h = HALF_OUT_##fmt(r);                                                                   \
            const uint16_t small = 1u << (sizeof(#fmt) == sizeof "F16" ? 10 : 7); /* the least normal number */     \
            tmp[i] = nan ? 0x7fff : ftz && (h & 0x7fff) < small ? h & 0x8000 : h;                                   \
        }                                                                                                           \
        blend(vd, tmp, mask, sizeof(R));                                                                            \
    }

#define LANES_HALF_F16(ty, ...)    LANES_HALF_ROW(F16, F16, uint16_t, __VA_ARGS__)
#define LANES_HALF_F16X2(ty, ...)  LANES_HALF_ROW(F16X2, F16, uint32_t, __VA_ARGS__)
#define LANES_HALF_BF16(ty, ...)   LANES_HALF_ROW(BF16, BF16, uint16_t, __VA_ARGS__)
#define LANES_HALF_BF16X2(ty, ...) LANES_HALF_ROW(BF16X2, BF16, uint32_t, __VA_ARGS__)
