/* The rows of ptx_ops.def for f16, bf16 and their pairs. Part of lanes_expand.h, before the rows. Source: PTX ISA 8.4,
 * 9.7.4.
 *
 * A row's meaning is computed in double and rounded once (lanes_half.h). A pair register is a row of 64 halves, the lower
 * one first. */

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
        APART for (unsigned i = 0; i < 32 * sizeof(R) / 2; i++)                                                     \
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
