/* Conversions. Part of lanes_expand.h. Source: PTX ISA 8.4, 9.7.9.21 (cvt), and tests/truth/lanes_h200.tsv for what it
 * leaves open (NaN to integer).
 *
 * cvt[to][from] work on registers exactly as wide as the types; cvt_wide[d][a] brings other registers to that form: a
 * wider source is cut, a narrower type's result is extended by its own sign. f16 and bf16 go through f32 (widening,
 * exact) or f64 (narrowing, rounded once). */

#define EACH_CVT_INT(M, ...)                                                                                        \
    M(U8, __VA_ARGS__) M(S8, __VA_ARGS__) M(U16, __VA_ARGS__) M(S16, __VA_ARGS__) M(U32, __VA_ARGS__)               \
    M(S32, __VA_ARGS__) M(U64, __VA_ARGS__) M(S64, __VA_ARGS__)
/* again, for use inside an expansion of the first */
#define EACH_CVT_INT2(M, ...)                                                                                       \
    M(U8, __VA_ARGS__) M(S8, __VA_ARGS__) M(U16, __VA_ARGS__) M(S16, __VA_ARGS__) M(U32, __VA_ARGS__)               \
    M(S32, __VA_ARGS__) M(U64, __VA_ARGS__) M(S64, __VA_ARGS__)
#define C_U8  uint8_t
#define C_S8  int8_t
#define C_U16 uint16_t
#define C_S16 int16_t
#define C_U32 uint32_t
#define C_S32 int32_t
#define C_U64 uint64_t
#define C_S64 int64_t
#define C_F16 uint16_t
#define C_F32 float
#define C_F64 double
#define C_BF16 uint16_t

/* a loop from S lanes to D lanes; x is the source's value */
#define CVT_LOOP(name, D, S, value)                                                                                 \
    static __attribute__((noinline)) void name(LANES_ARGS)                                                          \
    {                                                                                                               \
        INTO(D);                                                                                                    \
        UNUSED const struct ptx_mods *m = in->mods;                                                                 \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const S x = ((const S *)va)[i];                                                                         \
            o[i] = value;                                                                                           \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
/* the same under the host rounding that the modifiers ask for */
#define CVT_ROUNDED(name, loop)                                                                                     \
    static void name(LANES_ARGS)                                                                                    \
    {                                                                                                               \
        unsigned old = set_rounding(in->mods->round);                                                               \
        loop(vd, va, vb, vc, ve, mask, in);                                                                         \
        restore_rounding(old);                                                                                      \
    }

/* ---- integer to integer ---- */
#define LIMITS(D)                                                                                                   \
    INLINE C_##D clamp_s_##D(int64_t x)                                                                             \
    {                                                                                                               \
        const bool is_signed = (C_##D)-1 < (C_##D)1;                                                                \
        const int bits = 8 * sizeof(C_##D);                                                                         \
        const int64_t low = is_signed ? INT64_MIN >> (64 - bits) : 0;         \
        const uint64_t high = is_signed ? ~(uint64_t)0 >> (65 - bits) : ~(uint64_t)0 >> (64 - bits);                \
        return (C_##D)(x < low ? low : x > 0 && (uint64_t)x > high ? (int64_t)high : x);                            \
    }                                                                                                               \
    INLINE C_##D clamp_u_##D(uint64_t x)                                                                            \
    {                                                                                                               \
        const bool is_signed = (C_##D)-1 < (C_##D)1;                                                                \
        const int bits = 8 * sizeof(C_##D);                                                                         \
        const uint64_t high = is_signed ? ~(uint64_t)0 >> (65 - bits) : ~(uint64_t)0 >> (64 - bits);                \
        return (C_##D)(x > high ? high : x);                                                                        \
    }
#define LIMITS_EACH(D, ...) LIMITS(D)
EACH_CVT_INT(LIMITS_EACH, )
#undef LIMITS_EACH
#undef LIMITS
#define CVT_II(D, S, sign)                                                                                          \
    CVT_LOOP(cvt_##D##_##S, C_##D, C_##S, (C_##D)x)                                                                 \
    CVT_LOOP(cvt_##D##_##S##_sat, C_##D, C_##S, clamp_##sign##_##D(x))
#define CVT_II_FROM(D, ...)                                                                                         \
    CVT_II(D, U8, u) CVT_II(D, S8, s) CVT_II(D, U16, u) CVT_II(D, S16, s) CVT_II(D, U32, u) CVT_II(D, S32, s)       \
    CVT_II(D, U64, u) CVT_II(D, S64, s)
EACH_CVT_INT(CVT_II_FROM, )
#undef CVT_II_FROM
#undef CVT_II

/* ---- integer to f32 and f64: one rounding by the host; zero by hand, since a compiler may build the conversion from
 * a subtraction, whose zero is negative when rounding down ---- */
#define CVT_IF(S, D)                                                                                                \
    CVT_LOOP(cvt_##D##_##S, C_##D, C_##S, (C_##D)x)                                                                 \
    CVT_LOOP(cvt_##D##_##S##_loop, C_##D, C_##S, x == 0 ? 0 : m->sat ? flt_sat((C_##D)x) : (C_##D)x)                \
    CVT_ROUNDED(cvt_##D##_##S##_dyn, cvt_##D##_##S##_loop)
EACH_CVT_INT(CVT_IF, F32)
EACH_CVT_INT(CVT_IF, F64)
#undef CVT_IF

/* ---- f32 and f64 to integer: rounded to a whole number, clamped to the type; NaN from
 * f64, or to 64 bits: the sign bit alone; else 0 ---- */
#define ROUND_TO_INT(F, f)                                                                                          \
    INLINE C_##F round_int_##F(C_##F x, int round)                                                                  \
    {                                                                                                               \
        switch (round) {                                                                                            \
        case PTX_RZI: return __builtin_trunc##f(x);                                                                 \
        case PTX_RMI: return __builtin_floor##f(x);                                                                 \
        case PTX_RPI: return __builtin_ceil##f(x);                                                                  \
        case PTX_RNI: return __builtin_rint##f(x);                                                                  \
        default: return x;                                                                                          \
        }                                                                                                           \
    }
ROUND_TO_INT(F32, f)
ROUND_TO_INT(F64, )
#undef ROUND_TO_INT

/* Whole x to D. `below` is the largest value of the floating type under the limit `limit` = 2^n, one more than D's
 * largest; low is D's smallest. Only values in range reach the conversion. */
#define TO_INT(D, F, below, limit, low, low_int, high_int, nan_int)                                                 \
    INLINE C_##D int_##D##_##F(C_##F x)                                                                             \
    {                                                                                                               \
        C_##F y = x < (C_##F)(low) ? (C_##F)(low) : x;                                                              \
        y = y >= (C_##F)(limit) ? (C_##F)(below) : y;                                                               \
        y = y == y ? y : 0;                                                                                         \
        C_##D r = (C_##D)y;                                                                                         \
        r = x >= (C_##F)(limit) ? high_int : r;                                                                     \
        r = x < (C_##F)(low) ? low_int : r;                                                                         \
        return x != x ? nan_int : r;                                                                                \
    }
TO_INT(U8, F32, 255, 256, 0, 0, 0xff, 0)
TO_INT(S8, F32, 127, 128, -128, INT8_MIN, INT8_MAX, 0)
TO_INT(U16, F32, 65535, 65536, 0, 0, 0xffff, 0)
TO_INT(S16, F32, 32767, 32768, -32768, INT16_MIN, INT16_MAX, 0)
TO_INT(U32, F32, 0x1.fffffep31, 0x1p32, 0, 0, UINT32_MAX, 0)
TO_INT(S32, F32, 0x1.fffffep30, 0x1p31, -0x1p31, INT32_MIN, INT32_MAX, 0)
TO_INT(U64, F32, 0x1.fffffep63, 0x1p64, 0, 0, UINT64_MAX, UINT64_C(1) << 63)
TO_INT(S64, F32, 0x1.fffffep62, 0x1p63, -0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
TO_INT(U8, F64, 255, 256, 0, 0, 0xff, 0x80)
TO_INT(S8, F64, 127, 128, -128, INT8_MIN, INT8_MAX, INT8_MIN)
TO_INT(U16, F64, 65535, 65536, 0, 0, 0xffff, 0x8000)
TO_INT(S16, F64, 32767, 32768, -32768, INT16_MIN, INT16_MAX, INT16_MIN)
TO_INT(U32, F64, 4294967295.0, 0x1p32, 0, 0, UINT32_MAX, 0x80000000u)
TO_INT(S32, F64, 2147483647.0, 0x1p31, -0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
TO_INT(U64, F64, 0x1.fffffffffffffp63, 0x1p64, 0, 0, UINT64_MAX, UINT64_C(1) << 63)
TO_INT(S64, F64, 0x1.fffffffffffffp62, 0x1p63, -0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
#undef TO_INT

/* Flushing changes nothing for .rni and .rzi: subnormals round to zero anyhow. */
#define CVT_FI(D, F)                                                                                                \
    CVT_LOOP(cvt_##D##_##F##_rni, C_##D, C_##F, int_##D##_##F(round_int_##F(x, PTX_RNI)))                           \
    CVT_LOOP(cvt_##D##_##F##_rzi, C_##D, C_##F, int_##D##_##F(round_int_##F(x, PTX_RZI)))                           \
    CVT_LOOP(cvt_##D##_##F##_dyn, C_##D, C_##F,                                                                     \
             int_##D##_##F(round_int_##F(m->ftz ? flt_ftz(x) : x, m->round)))
EACH_CVT_INT(CVT_FI, F32)
EACH_CVT_INT(CVT_FI, F64)
#undef CVT_FI

/* ---- halves: lanes_half.h has the conversions of one value ---- */
/* .ftz of the source, .relu and .sat of a value on its way to a half */
INLINE double half_source(double x, const struct ptx_mods *m)
{
    if (m->ftz && __builtin_fabs(x) < 0x1p-126)
        x = __builtin_copysign(0, x);
    if (m->sat)
        x = sat_f64(x);
    if (m->relu && !(x != x))
        x = x > 0 ? x : 0;
    return x;
}

INLINE uint16_t half_result(double x, bool keep_nan, const struct ptx_mods *m, int exponent_bits, int fraction_bits)
{
    if (x != x && !keep_nan) /* from f32: the canonical one */
        return m->sat ? 0 : 0x7fff;
    uint16_t h = half_f64(half_source(x, m), m->round, exponent_bits, fraction_bits);
    const uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << fraction_bits);
    if (m->satfinite && (h & 0x7fff) == infinity)
        h--;
    return h;
}
#define TO_F16(x)   half_result(x, false, m, 5, 10)
#define TO_BF16(x)  half_result(x, false, m, 8, 7)
#define D_TO_F16(x)  half_result(x, true, m, 5, 10)
#define D_TO_BF16(x) half_result(x, true, m, 8, 7)

CVT_LOOP(cvt_F32_F16, float, uint16_t, f32_f16(x))
CVT_LOOP(cvt_F32_BF16, float, uint16_t, f32_bf16(x))
CVT_LOOP(cvt_F64_F16, double, uint16_t, f64_f16(x))
CVT_LOOP(cvt_F64_BF16, double, uint16_t, f64_f32(f32_bf16(x)))
CVT_LOOP(cvt_F32_F16_dyn, float, uint16_t, m->sat ? sat_f32(f32_f16(x)) : f32_f16(x))
CVT_LOOP(cvt_F16_F32, uint16_t, float, f16_f32(x))
CVT_LOOP(cvt_BF16_F32, uint16_t, float, bf16_f32(x))
CVT_LOOP(cvt_F16_F32_dyn, uint16_t, float, TO_F16((double)x))
CVT_LOOP(cvt_BF16_F32_dyn, uint16_t, float, TO_BF16((double)x))
CVT_LOOP(cvt_F16_F64_dyn, uint16_t, double, D_TO_F16(x))
CVT_LOOP(cvt_BF16_F64_dyn, uint16_t, double, D_TO_BF16(x))
CVT_LOOP(cvt_BF16_F16_dyn, uint16_t, uint16_t, TO_BF16((double)f32_f16(x)))
CVT_LOOP(cvt_F16_BF16_dyn, uint16_t, uint16_t, TO_F16((double)f32_bf16(x)))
CVT_LOOP(cvt_BF16_BF16_dyn, uint16_t, uint16_t,
         m->round >= PTX_RNI ? bf16_f32(round_int_F32(f32_bf16(x), m->round)) : TO_BF16((double)f32_bf16(x)))
/* f16 to f16 with .rni .rzi .rmi .rpi or .sat */
CVT_LOOP(cvt_F16_F16_dyn, uint16_t, uint16_t,
         m->round >= PTX_RNI ? half_f64(m->sat ? sat_f32(round_int_F32(f32_f16(x), m->round))
                                               : round_int_F32(f32_f16(x), m->round), PTX_RN, 5, 10)
                             : TO_F16((double)f32_f16(x)))

/* Integers to double on their way to a half: exact up to 32 bits; of 64, the twelve low bits become one bit that says
 * whether any was set, which leaves 53 and rounds alike. */
INLINE double sticky_U64(uint64_t x)
{
    uint64_t big = (x & ~UINT64_C(0xfff)) | (x & 0xfff ? 0x800 : 0);
    return x >> 53 == 0 ? (double)x : (double)big;
}

INLINE double sticky_S64(int64_t x)
{
    return x < 0 ? -sticky_U64(0 - (uint64_t)x) : sticky_U64((uint64_t)x);
}
#define sticky_U8  (double)
#define sticky_S8  (double)
#define sticky_U16 (double)
#define sticky_S16 (double)
#define sticky_U32 (double)
#define sticky_S32 (double)
#define CVT_IH(S, ...)                                                                                              \
    CVT_LOOP(cvt_F16_##S##_dyn, uint16_t, C_##S, TO_F16(sticky_##S(x)))                                             \
    CVT_LOOP(cvt_BF16_##S##_dyn, uint16_t, C_##S, TO_BF16(sticky_##S(x)))
EACH_CVT_INT(CVT_IH, )
#undef CVT_IH
#define CVT_HI(D, ...)                                                                                              \
    CVT_LOOP(cvt_##D##_F16_dyn, C_##D, uint16_t, int_##D##_F32(round_int_F32(f32_f16(x), m->round)))                \
    CVT_LOOP(cvt_##D##_BF16_dyn, C_##D, uint16_t, int_##D##_F32(round_int_F32(f32_bf16(x), m->round)))
EACH_CVT_INT(CVT_HI, )
#undef CVT_HI

/* two f32 to a packed pair: a becomes the upper half */
static void cvt_pair(LANES_ARGS)
{
    INTO(uint32_t);
    const struct ptx_mods *m = in->mods;
    const float *pa = va, *pb = vb;
    for (int i = 0; i < 32; i++)
        o[i] = in->type == PTX_F16X2 ? (uint32_t)TO_F16((double)pa[i]) << 16 | TO_F16((double)pb[i])
                                     : (uint32_t)TO_BF16((double)pa[i]) << 16 | TO_BF16((double)pb[i]);
    DONE();
}

/* ---- shorter: tf32, e4m3, e5m2 (PTX ISA 8.4, 5.2.3); NaN is the canonical one ---- */
INLINE uint32_t tf32_f32(float x, const struct ptx_mods *m)
{
    if (x != x)
        return F32_NAN;
    uint32_t u = bits_f32(m->relu && x <= 0 ? 0 : x);
    u += m->round == PTX_RNA ? 0x1000 : m->round == PTX_RN ? 0xfff + (u >> 13 & 1) : 0;
    u &= ~0x1fffu;
    return m->satfinite && (u & 0x7fffffff) == 0x7f800000 ? u - 0x2000 : u;
}

/* to the nearest, at most the largest finite number; by ldexp and rint, as the formats are small */
INLINE uint32_t fp8_f64(double x, bool e4m3, const struct ptx_mods *m)
{
    const int bias = e4m3 ? 7 : 15, fraction = e4m3 ? 3 : 2;
    const uint32_t most = e4m3 ? 0x7e : 0x7b;
    if (x != x)
        return 0x7f;
    x = m->relu && x <= 0 ? 0 : x;
    const uint32_t sign = (uint32_t)(bits_f64(x) >> 56 & 0x80);
    const double magnitude = __builtin_fabs(x);
    if (magnitude >= 65536)
        return sign | most;
    int e = (int)(bits_f64(magnitude) >> 52) - 1023;
    e = e < 1 - bias ? 1 - bias : e;
    const double units = __builtin_rint(magnitude * f64_bits((uint64_t)(1023 + fraction - e) << 52));
    const uint32_t r = (uint32_t)units + ((uint32_t)(e + bias - 1) << fraction);
    return sign | (r > most ? most : r);
}

/* Two in a half-word, a in its upper byte. */
#define CVT_FP8(ty, e4m3)                                                                                           \
    static __attribute__((noinline)) void cvt_##ty##_F32(LANES_ARGS)                                                \
    {                                                                                                               \
        INTO(uint16_t);                                                                                             \
        const float *pa = va, *pb = vb;                                                                             \
        for (int i = 0; i < 32; i++)                                                                                \
            o[i] = (uint16_t)(fp8_f64((double)pa[i], e4m3, in->mods) << 8 | fp8_f64((double)pb[i], e4m3, in->mods)); \
        DONE();                                                                                                     \
    }                                                                                                               \
    CVT_LOOP(cvt_##ty##_F16X2, uint16_t, uint32_t,                                                                  \
             (uint16_t)(fp8_f64(f64_f16((uint16_t)(x >> 16)), e4m3, m) << 8 | fp8_f64(f64_f16((uint16_t)x), e4m3, m))) \
    CVT_LOOP(cvt_F16X2_##ty, uint32_t, uint16_t,                                                                    \
             (uint32_t)TO_F16(f64_fp8(x >> 8, e4m3)) << 16 | TO_F16(f64_fp8(x & 0xff, e4m3)))
CVT_FP8(E4M3X2, true)
CVT_FP8(E5M2X2, false)
#undef CVT_FP8
CVT_LOOP(cvt_TF32_F32, uint32_t, float, tf32_f32(x, m))

/* ---- f32 and f64 ---- */
INLINE float f32_f64(double x, const struct ptx_mods *m)
{
    float r = (float)x; /* NaN: the host keeps sign and top of the payload, as the GPU does */
    const bool tiny = __builtin_fabsf((float)(x * 0x1p64)) < 0x1p-62f; /* rounded to 24 bits it is below 2^-126 */
    r = m->ftz && tiny ? copysign_f32(0, r) : r;
    return m->sat ? sat_f32(r) : r;
}

/* with .ftz the source's NaN is made canonical first */
INLINE double f64_f32_mods(float x, const struct ptx_mods *m)
{
    x = m->ftz ? canon_f32(ftz_f32(x)) : x;
    return m->sat ? sat_f64((double)x) : f64_f32(x);
}

CVT_LOOP(cvt_F64_F32, double, float, f64_f32(x))
CVT_LOOP(cvt_F64_F32_dyn, double, float, f64_f32_mods(x, m))
CVT_LOOP(cvt_F32_F64, float, double, (float)x)
CVT_LOOP(cvt_F32_F64_loop, float, double, f32_f64(x, m))
CVT_ROUNDED(cvt_F32_F64_dyn, cvt_F32_F64_loop)

/* to the same type: rounded to a whole number, or flushed and clamped; without any of these a move */
INLINE float whole_f32(float x, const struct ptx_mods *m)
{
    x = m->ftz ? ftz_f32(x) : x;
    x = round_int_F32(x, m->round);
    return m->sat ? sat_f32(x) : canon_f32(x);
}

INLINE double whole_f64(double x, const struct ptx_mods *m)
{
    x = round_int_F64(x, m->round);
    return m->sat ? sat_f64(x) : x != x ? quiet_f64(x) : x;
}

CVT_LOOP(cvt_F32_F32_dyn, float, float, whole_f32(x, m))
CVT_LOOP(cvt_F64_F64_dyn, double, double, whole_f64(x, m))

/* ---- registers wider than the types ---- */
#define CUT(R, n)                                                                                                   \
    case n:                                                                                                         \
        for (int i = 0; i < 32; i++)                                                                                \
            ((uint##n##_t *)t)[i] = (uint##n##_t)((const uint##R##_t *)a)[i];                                       \
        break;
#define CUT_FN(R)                                                                                                   \
    static __attribute__((noinline)) void cut_##R(void *t, const void *a, int bits)                                 \
    {                                                                                                               \
        switch (bits) {                                                                                             \
            CUT(R, 8) CUT(R, 16) CUT(R, 32) CUT(R, 64)                                                              \
        }                                                                                                           \
    }
CUT_FN(8)
CUT_FN(16)
CUT_FN(32)
CUT_FN(64)
#undef CUT_FN
#undef CUT
#define EXTEND(R, n)                                                                                                \
    case n:                                                                                                         \
        for (int i = 0; i < 32; i++)                                                                                \
            o[i] = (uint##R##_t)((const uint##n##_t *)t)[i];                                                        \
        break;                                                                                                      \
    case -n:                                                                                                        \
        for (int i = 0; i < 32; i++)                                                                                \
            o[i] = (uint##R##_t)((const int##n##_t *)t)[i];                                                         \
        break;
#define EXTEND_FN(R)                                                                                                \
    static __attribute__((noinline)) void extend_##R(void *vd, const void *t, int bits, uint32_t mask)              \
    {                                                                                                               \
        INTO(uint##R##_t);                                                                                          \
        switch (bits) {                                                                                             \
            EXTEND(R, 8) EXTEND(R, 16) EXTEND(R, 32) EXTEND(R, 64)                                                  \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
EXTEND_FN(8)
EXTEND_FN(16)
EXTEND_FN(32)
EXTEND_FN(64)
#undef EXTEND_FN
#undef EXTEND


#define CVT_WIDE_FN(D, S)                                                                                           \
    static void cvt_wide_##D##_##S(LANES_ARGS)                                                                      \
    {                                                                                                               \
        uint64_t a[32], d[32];                                                                                      \
        const int to = lanes_type_bits(in->type), kind = lanes_type_kind(in->type);                                 \
        cut_##S(a, va, lanes_type_bits(in->type2));                                                                 \
        LANES_TABLE.cvt[in->type][in->type2][lanes_cvt_variant(in)](d, a, vb, vc, ve, ALL_LANES, in);                     \
        extend_##D(vd, d, kind == 'S' ? -to : to, mask);                                                            \
    }
#define CVT_WIDE_TO(D) CVT_WIDE_FN(D, 8) CVT_WIDE_FN(D, 16) CVT_WIDE_FN(D, 32) CVT_WIDE_FN(D, 64)
CVT_WIDE_TO(8)
CVT_WIDE_TO(16)
CVT_WIDE_TO(32)
CVT_WIDE_TO(64)
#undef CVT_WIDE_TO
#undef CVT_WIDE_FN

/* ---- entries of the table ---- */
#define CVT_ENTRY(D, S, ...) [PTX_##D][PTX_##S] = {__VA_ARGS__},
#define CVT_II_ENTRY(S, D)                                                                                          \
    CVT_ENTRY(D, S, [LANES_CVT_NEAREST] = cvt_##D##_##S, [LANES_CVT_TOZERO] = cvt_##D##_##S,                        \
              [LANES_CVT_DYN] = cvt_##D##_##S##_sat)
#define CVT_INT_ENTRIES(D, ...)                                                                                     \
    EACH_CVT_INT2(CVT_II_ENTRY, D)                                                                                  \
    CVT_ENTRY(F32, D, [LANES_CVT_NEAREST] = cvt_F32_##D, [LANES_CVT_DYN] = cvt_F32_##D##_dyn)                       \
    CVT_ENTRY(F64, D, [LANES_CVT_NEAREST] = cvt_F64_##D, [LANES_CVT_DYN] = cvt_F64_##D##_dyn)                       \
    CVT_ENTRY(F16, D, [LANES_CVT_NEAREST] = cvt_F16_##D##_dyn, [LANES_CVT_DYN] = cvt_F16_##D##_dyn)                 \
    CVT_ENTRY(BF16, D, [LANES_CVT_NEAREST] = cvt_BF16_##D##_dyn, [LANES_CVT_DYN] = cvt_BF16_##D##_dyn)              \
    CVT_ENTRY(D, F32, cvt_##D##_F32_rni, cvt_##D##_F32_rzi, cvt_##D##_F32_dyn)                                      \
    CVT_ENTRY(D, F64, cvt_##D##_F64_rni, cvt_##D##_F64_rzi, cvt_##D##_F64_dyn)                                      \
    CVT_ENTRY(D, F16, cvt_##D##_F16_dyn, cvt_##D##_F16_dyn, cvt_##D##_F16_dyn)                                      \
    CVT_ENTRY(D, BF16, cvt_##D##_BF16_dyn, cvt_##D##_BF16_dyn, cvt_##D##_BF16_dyn)
#define CVT_PAIR_ENTRY(D, S, fast, dyn)                                                                             \
    CVT_ENTRY(D, S, [LANES_CVT_NEAREST] = fast, [LANES_CVT_TOZERO] = dyn, [LANES_CVT_DYN] = dyn)

#define LANES_CVT_ENTRIES                                                                                           \
    .cvt = {EACH_CVT_INT(CVT_INT_ENTRIES, )                                                                         \
            CVT_PAIR_ENTRY(F32, F16, cvt_F32_F16, cvt_F32_F16_dyn)                                                  \
            CVT_PAIR_ENTRY(F64, F16, cvt_F64_F16, NULL)                                                             \
            CVT_PAIR_ENTRY(F32, BF16, cvt_F32_BF16, NULL)                                                           \
            CVT_PAIR_ENTRY(F64, BF16, cvt_F64_BF16, NULL)                                                           \
            CVT_PAIR_ENTRY(F16, F32, cvt_F16_F32, cvt_F16_F32_dyn)                                                  \
            CVT_PAIR_ENTRY(BF16, F32, cvt_BF16_F32, cvt_BF16_F32_dyn)                                               \
            CVT_PAIR_ENTRY(F16, F64, cvt_F16_F64_dyn, cvt_F16_F64_dyn)                                              \
            CVT_PAIR_ENTRY(BF16, F64, cvt_BF16_F64_dyn, cvt_BF16_F64_dyn)                                           \
            CVT_PAIR_ENTRY(F16, F16, mov_16, cvt_F16_F16_dyn)                                                     \
            CVT_PAIR_ENTRY(BF16, BF16, mov_16, cvt_BF16_BF16_dyn)                                                   \
            CVT_PAIR_ENTRY(BF16, F16, cvt_BF16_F16_dyn, cvt_BF16_F16_dyn)                                           \
            CVT_PAIR_ENTRY(F16, BF16, cvt_F16_BF16_dyn, cvt_F16_BF16_dyn)                                           \
            CVT_PAIR_ENTRY(F16X2, F32, cvt_pair, cvt_pair)                                                          \
            CVT_PAIR_ENTRY(BF16X2, F32, cvt_pair, cvt_pair)                                                         \
            CVT_ENTRY(TF32, F32, cvt_TF32_F32, cvt_TF32_F32, cvt_TF32_F32)                                          \
            CVT_ENTRY(E4M3X2, F32, cvt_E4M3X2_F32, cvt_E4M3X2_F32, cvt_E4M3X2_F32)                                  \
            CVT_ENTRY(E5M2X2, F32, cvt_E5M2X2_F32, cvt_E5M2X2_F32, cvt_E5M2X2_F32)                                  \
            CVT_ENTRY(E4M3X2, F16X2, cvt_E4M3X2_F16X2, cvt_E4M3X2_F16X2, cvt_E4M3X2_F16X2)                          \
            CVT_ENTRY(E5M2X2, F16X2, cvt_E5M2X2_F16X2, cvt_E5M2X2_F16X2, cvt_E5M2X2_F16X2)                          \
            CVT_ENTRY(F16X2, E4M3X2, cvt_F16X2_E4M3X2, cvt_F16X2_E4M3X2, cvt_F16X2_E4M3X2)                          \
            CVT_ENTRY(F16X2, E5M2X2, cvt_F16X2_E5M2X2, cvt_F16X2_E5M2X2, cvt_F16X2_E5M2X2)                          \
            CVT_PAIR_ENTRY(F64, F32, cvt_F64_F32, cvt_F64_F32_dyn)                                                  \
            CVT_PAIR_ENTRY(F32, F64, cvt_F32_F64, cvt_F32_F64_dyn)                                                  \
            CVT_PAIR_ENTRY(F32, F32, mov_32, cvt_F32_F32_dyn)                                                     \
            CVT_PAIR_ENTRY(F64, F64, mov_64, cvt_F64_F64_dyn)       },                                            \
    .cvt_wide = {{cvt_wide_8_8, cvt_wide_8_16, cvt_wide_8_32, cvt_wide_8_64},                                       \
                 {cvt_wide_16_8, cvt_wide_16_16, cvt_wide_16_32, cvt_wide_16_64},                                   \
                 {cvt_wide_32_8, cvt_wide_32_16, cvt_wide_32_32, cvt_wide_32_64},                                   \
                 {cvt_wide_64_8, cvt_wide_64_16, cvt_wide_64_32, cvt_wide_64_64}},
