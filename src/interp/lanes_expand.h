/* The rows of ptx_ops.def expanded into one function per row and type, for one host level.
 *
 * In: LANES_TABLE, the name of the table to define, and the level's compiler flags. Out: that table. A function
 * computes all 32 lanes into its destination when the mask is full, else into a temporary from which the lanes of the
 * mask are blended. A destination may be the very array of a source (never a shifted part of it), which is what
 * `ivdep` tells the compiler. Floating rows come in three forms (see lanes_table.h); NaN results are what
 * the GPU makes them (lanes_meaning.h). Nothing here traps: the exceptions of MXCSR are masked. */
#include <stdint.h>
#include <xmmintrin.h>

#include "interp/lanes_half.h"
#include "interp/lanes_meaning.h"
#include "interp/lanes_table.h"

#define LANES_ARGS                                                                                                  \
    UNUSED void *vd, UNUSED const void *va, UNUSED const void *vb, UNUSED const void *vc, UNUSED void *ve,          \
        UNUSED uint32_t mask, UNUSED const struct ir_inst *in
#define ALL_LANES 0xffffffffu
/* Before a loop over lanes: none needs what another has stored. gcc's word for it; clang asks at run time whether they overlap. */
#ifdef __clang__
#define APART
#else
#define APART _Pragma("GCC ivdep")
#endif
#define EACH_LANE APART for (int i = 0; i < 32; i++)

/* bit i of lane i: `mask & lane_bit[i]` vectorises on every level, where a shift by i does not */
static const uint8_t lane_bit8[32] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
                                      1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
#define B1(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
#define B4 B1(0), B1(4), B1(8), B1(12), B1(16), B1(20), B1(24), B1(28)
static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {B4};
static const uint64_t lane_bit64[32] __attribute__((aligned(64))) = {B4};
#undef B4
#undef B1

/* Writes the lanes of the mask from t to d. */
static __attribute__((noinline)) void blend8(uint8_t *d, const uint8_t *t, uint32_t mask)
{
    uint8_t m[32];
    for (int i = 0; i < 32; i++)
        m[i] = (uint8_t)(mask >> (i & ~7));
    for (int i = 0; i < 32; i++)
        d[i] = m[i] & lane_bit8[i] ? t[i] : d[i];
}

static __attribute__((noinline)) void blend16(uint16_t *d, const uint16_t *t, uint32_t mask)
{
    for (int h = 0; h < 32; h += 16)
        for (int i = 0; i < 16; i++)
            d[h + i] = (uint16_t)(mask >> h) & (uint16_t)lane_bit[i] ? t[h + i] : d[h + i];
}

static __attribute__((noinline)) void blend32(uint32_t *d, const uint32_t *t, uint32_t mask)
{
    for (int i = 0; i < 32; i++)
        d[i] = mask & lane_bit[i] ? t[i] : d[i];
}

static __attribute__((noinline)) void blend64(uint64_t *d, const uint64_t *t, uint32_t mask)
{
    uint64_t m = mask;
    for (int i = 0; i < 32; i++)
        d[i] = m & lane_bit64[i] ? t[i] : d[i];
}

INLINE void blend(void *d, const void *t, uint32_t mask, size_t bytes)
{
    if (bytes == 1)
        blend8(d, t, mask);
    else if (bytes == 2)
        blend16(d, t, mask);
    else if (bytes == 4)
        blend32(d, t, mask);
    else
        blend64(d, t, mask);
}

/* `o` is where lanes of type D are computed to; DONE brings them to the destination. */
#define INTO(D)                                                                                                     \
    D tmp[32] __attribute__((aligned(64)));                                                                         \
    D *const o = mask == ALL_LANES ? (D *)vd : tmp
#define DONE()                                                                                                      \
    if (mask != ALL_LANES)                                                                                          \
    blend(vd, tmp, mask, sizeof tmp[0])

/* a predicate's lanes under the mask */
INLINE void put_pred(void *d, uint32_t value, uint32_t mask)
{
    uint32_t *p = d;
    *p = (*p & ~mask) | (value & mask);
}

INLINE uint32_t get_pred(const void *p)
{
    return *(const uint32_t *)p;
}

/* Rounding of the host for PTX's .rn .rz .rm .rp; returns the old state, to be given to restore_rounding. Callers keep
 * the arithmetic in noinline functions, so that the compiler cannot move it across. */
INLINE unsigned set_rounding(int round)
{
    unsigned old = _mm_getcsr(), bits = 0;
    if (round == PTX_RZ || round == PTX_RZI)
        bits = _MM_ROUND_TOWARD_ZERO;
    else if (round == PTX_RM || round == PTX_RMI)
        bits = _MM_ROUND_DOWN;
    else if (round == PTX_RP || round == PTX_RPI)
        bits = _MM_ROUND_UP;
    _mm_setcsr((old & ~(unsigned)_MM_ROUND_MASK) | bits);
    return old;
}

INLINE void restore_rounding(unsigned old)
{
    _mm_setcsr(old);
}

/* ---- types: C type, unsigned, signed, wide, unsigned wide, width, signedness ---- */
typedef __int128 int128;
typedef unsigned __int128 uint128;
#define TRAITS(c, u, s, w, uw, bits, is_signed)                                                                     \
    typedef c T UNUSED;                                                                                             \
    typedef u U UNUSED;                                                                                             \
    typedef s S UNUSED;                                                                                             \
    typedef w W UNUSED;                                                                                             \
    typedef uw UW UNUSED;                                                                                           \
    enum { BITS = bits, SIGNED = is_signed };
#define TRAITS_U8  TRAITS(uint8_t, uint8_t, int8_t, uint16_t, uint16_t, 8, 0)
#define TRAITS_S8  TRAITS(int8_t, uint8_t, int8_t, int16_t, uint16_t, 8, 1)
#define TRAITS_U16 TRAITS(uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 16, 0)
#define TRAITS_S16 TRAITS(int16_t, uint16_t, int16_t, int32_t, uint32_t, 16, 1)
#define TRAITS_U32 TRAITS(uint32_t, uint32_t, int32_t, uint64_t, uint64_t, 32, 0)
#define TRAITS_S32 TRAITS(int32_t, uint32_t, int32_t, int64_t, uint64_t, 32, 1)
#define TRAITS_U64 TRAITS(uint64_t, uint64_t, int64_t, uint128, uint128, 64, 0)
#define TRAITS_S64 TRAITS(int64_t, uint64_t, int64_t, int128, uint128, 64, 1)
#define TRAITS_B16 TRAITS_U16
#define TRAITS_B32 TRAITS_U32
#define TRAITS_B64 TRAITS_U64
#define TRAITS_F32 TRAITS(float, uint32_t, int32_t, double, double, 32, 1)
#define TRAITS_F64 TRAITS(double, uint64_t, int64_t, double, double, 64, 1)

/* sets of types of the table */
#define EACH_INT(M, ...)       EACH_INT32_64(M, __VA_ARGS__) M(U16, __VA_ARGS__) M(S16, __VA_ARGS__)
#define EACH_INTP(M, ...)      EACH_INT(M, __VA_ARGS__) M(U16X2, __VA_ARGS__) M(S16X2, __VA_ARGS__)
#define EACH_SINT(M, ...)      M(S16, __VA_ARGS__) M(S32, __VA_ARGS__) M(S64, __VA_ARGS__)
#define EACH_INT16_32(M, ...)  M(U16, __VA_ARGS__) M(S16, __VA_ARGS__) EACH_INT32(M, __VA_ARGS__)
#define EACH_INT32(M, ...)     M(U32, __VA_ARGS__) M(S32, __VA_ARGS__)
#define EACH_INT32_64(M, ...)  EACH_INT32(M, __VA_ARGS__) M(U64, __VA_ARGS__) M(S64, __VA_ARGS__)
#define EACH_U32_64(M, ...)    M(U32, __VA_ARGS__) M(U64, __VA_ARGS__)
#define EACH_BITS(M, ...)      M(B16, __VA_ARGS__) EACH_BITS32_64(M, __VA_ARGS__)
#define EACH_BITS32(M, ...)    M(B32, __VA_ARGS__)
#define EACH_BITS32_64(M, ...) M(B32, __VA_ARGS__) M(B64, __VA_ARGS__)
#define EACH_BITS64(M, ...)    M(B64, __VA_ARGS__)
#define EACH_SHIFTABLE(M, ...) EACH_BITS(M, __VA_ARGS__) EACH_INT(M, __VA_ARGS__)
#define EACH_LOGIC(M, ...)     EACH_BITS(M, __VA_ARGS__) M(PRED, __VA_ARGS__)
#define EACH_FLT(M, ...)       M(F32, __VA_ARGS__) M(F64, __VA_ARGS__)
#define EACH_FLT32(M, ...)     M(F32, __VA_ARGS__)
#define EACH_HALVES(M, ...)    M(F16, __VA_ARGS__) M(F16X2, __VA_ARGS__) M(BF16, __VA_ARGS__) M(BF16X2, __VA_ARGS__)
#define EACH_FLTH(M, ...)      EACH_FLT(M, __VA_ARGS__) EACH_HALVES(M, __VA_ARGS__)
#define EACH_FLT32H(M, ...)    M(F32, __VA_ARGS__) EACH_HALVES(M, __VA_ARGS__)
/* sets that only SPECIAL rows have */
#define EACH_ANY(M, ...)
#define EACH_NOTYPE(M, ...)
#define EACH_VOTE(M, ...)
#define EACH_BARRIER(M, ...)
#define EACH_REDUX(M, ...)
#define EACH_BITS16(M, ...)
#define EACH_WMMA(M, ...)
#define EACH_SUMS(M, ...)
#define EACH_PACK(M, ...)
#define EACH_U32(M, ...)
#define EACH_VALUE(M, ...)
#define EACH_VALUEH(M, ...)
#define EACH_TEX(M, ...)
#define EACH_SURFACE(M, ...)
#define EACH_SET(M, ...)
#define EACH_MOV(M, ...)
#define EACH_CVT(M, ...)
#define EACH_MEM(M, ...)
#define EACH_ATOM(M, ...)

/* forms: the type of the destination, and how a lane's operands are read */
#define DEST_UN    T
#define DEST_BIN   T
#define DEST_TRI   T
#define DEST_SHIFT T
#define DEST_CNT   uint32_t
#define DEST_WIDE2 W
#define DEST_WIDE3 W
#define READ_UN    const T a = ((const T *)va)[i];
#define READ_BIN   READ_UN const T b = ((const T *)vb)[i];
#define READ_TRI   READ_BIN const T c = ((const T *)vc)[i];
#define READ_SHIFT READ_UN const uint32_t b = ((const uint32_t *)vb)[i];
#define READ_CNT   READ_UN
#define READ_WIDE2 READ_BIN
#define READ_WIDE3 READ_BIN const W c = ((const W *)vc)[i];

/* integer and bit types: one function */
#define LANES_INT(ty, name, form, class, meaning)                                                                   \
    static void name##_##ty(LANES_ARGS)                                                                             \
    {                                                                                                               \
        TRAITS_##ty INTO(DEST_##form);                                                                              \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            READ_##form o[i] = (DEST_##form)(meaning);                                                              \
        }                                                                                                           \
        DONE();                                                                                                     \
    }

/* pairs of 16-bit integers: 64 elements, plain and with .relu */
#define LANES_PAIR(ty, part, name, form, class, meaning)                                                            \
    INLINE void name##_##ty##_mods(LANES_ARGS, bool relu)                                                           \
    {                                                                                                               \
        TRAITS_##part uint32_t tmp[32] __attribute__((aligned(64)));                                                \
        T *const o = mask == ALL_LANES ? (T *)vd : (T *)tmp;                                                        \
        APART for (int i = 0; i < 64; i++)                                                                          \
        {                                                                                                           \
            READ_##form const T r = (T)(meaning);                                                                   \
            o[i] = relu && (S)r < 0 ? 0 : r;                                                                        \
        }                                                                                                           \
        DONE();                                                                                                     \
    }                                                                                                               \
    static void name##_##ty(LANES_ARGS)                                                                             \
    {                                                                                                               \
        name##_##ty##_mods(vd, va, vb, vc, ve, mask, in, false);                                                    \
    }                                                                                                               \
    static void name##_##ty##_dyn(LANES_ARGS)                                                                       \
    {                                                                                                               \
        name##_##ty##_mods(vd, va, vb, vc, ve, mask, in, true);                                                     \
    }
#define LANES_PAIR_U16X2(ty, ...) LANES_PAIR(U16X2, U16, __VA_ARGS__)
#define LANES_PAIR_S16X2(ty, ...) LANES_PAIR(S16X2, S16, __VA_ARGS__)

/* predicates: 32 lanes in one word */
#define PRED_UN  const T a = get_pred(va);
#define PRED_BIN PRED_UN const T b = get_pred(vb);
#define LANES_PRED(ty, name, form, class, meaning)                                                                  \
    static void name##_PRED(LANES_ARGS)                                                                             \
    {                                                                                                               \
        TRAITS_U32 PRED_##form put_pred(vd, meaning, mask);                                                         \
    }
#define PRED_SPECIAL
#define PRED_SHIFT

/* floating types: plain, ftz, and with everything else read from the modifiers */
#define FLUSH_UN  const T a = flt_ftz(a0);
#define FLUSH_BIN FLUSH_UN const T b = flt_ftz(b0);
#define FLUSH_TRI FLUSH_BIN const T c = flt_ftz(c0);
#define RAW_UN    const T a0 = ((const T *)va)[i];
#define RAW_BIN   RAW_UN const T b0 = ((const T *)vb)[i];
#define RAW_TRI   RAW_BIN const T c0 = ((const T *)vc)[i];
#define MAYBE_UN  const T a = ftz ? flt_ftz(a0) : a0;
#define MAYBE_BIN MAYBE_UN const T b = ftz ? flt_ftz(b0) : b0;
#define MAYBE_TRI MAYBE_BIN const T c = ftz ? flt_ftz(c0) : c0;
#define NAN_UN(r)  flt_nan1(r, a)
#define NAN_BIN(r) flt_nan2(r, a, b)
#define NAN_TRI(r) flt_nan3(r, a, b, c)
#define CANON_FMOV(form, r)  r /* moves do it themselves, if they do */
#define CANON_FADD(form, r)  NAN_##form(r)
#define CANON_FMUL(form, r)  NAN_##form(r)
#define CANON_FFMA(form, r)  NAN_##form(r)
#define CANON_FDIV(form, r)  NAN_##form(r)
#define CANON_FCMP(form, r)  flt_nan1(r, r) /* min, max: a number wins over NaN */
#define CANON_FSQRT(form, r) NAN_##form(r)
#define CANON_MUFU(form, r)  NAN_##form(r)
/* .ftz looks at a result rounded to 24 bits as if there were no least exponent (tests/truth/lanes_h200.tsv: mul, div, cvt):
 * what reaches 2^-126, the least normal number, only by rounding to a multiple of 2^-149 is zero. Rare, so looked at again
 * by lane, scaled by 2^64, when there is such a result; no operand of one is so large that scaling would overflow. */
#define IS_LEAST(r) (sizeof(T) == 4 && bits_f32((float)(r)) << 1 == 0x00800000u << 1)
#define SCALED(x) ((x) * (T)0x1p64f)
#define SCALED_FMUL_BIN (SCALED(a) * b)
#define SCALED_FDIV_BIN (SCALED(a) / b)
#define SCALED_FDIV_UN  (SCALED((T)1) / a)
#define SCALED_FFMA_TRI flt_fma(SCALED(a), b, SCALED(c))
#define FLUSH_FIRST(form, class, some)                                                                              \
    for (int i = 0; (some) && i < 32; i++) {                                                                        \
        RAW_##form MAYBE_##form const bool tiny = flt_abs(SCALED_##class##_##form) < (T)0x1p-62f;                   \
        o[i] = IS_LEAST(o[i]) && tiny ? flt_copysign((T)0, o[i]) : o[i];                                            \
    }
#define FLUSH_FIRST_FMUL(form, class, some)  FLUSH_FIRST(form, class, some)
#define FLUSH_FIRST_FFMA(form, class, some)  FLUSH_FIRST(form, class, some)
#define FLUSH_FIRST_FDIV(form, class, some)  FLUSH_FIRST(form, class, some)
#define FLUSH_FIRST_FADD(form, class, some)  (void)(some); /* sums near 2^-126 are exact */
#define FLUSH_FIRST_FMOV(form, class, some)  (void)(some);
#define FLUSH_FIRST_FCMP(form, class, some)  (void)(some);
#define FLUSH_FIRST_FSQRT(form, class, some) (void)(some);
#define FLUSH_FIRST_MUFU(form, class, some)  (void)(some);
#define PUT(o)                                                                                                      \
    if (mask == ALL_LANES)                                                                                          \
        memcpy(vd, o, sizeof o);                                                                                    \
    else                                                                                                            \
        blend(vd, o, mask, sizeof o[0])
#define LANES_FLT(ty, name, form, class, meaning)                                                                   \
    static void name##_##ty(LANES_ARGS)                                                                             \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            READ_##form const T r = (T)(meaning);                                                                   \
            o[i] = CANON_##class(form, r);                                                                               \
        }                                                                                                           \
        DONE();                                                                                                     \
    }                                                                                                               \
static void name##_##ty##_ftz(LANES_ARGS)                                                                       \
    {                                                                                                               \
        TRAITS_##ty T o[32] __attribute__((aligned(64)));                                                           \
        enum { ftz = 1 };                                                                                           \
        U least = 0;                                                                                                \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            RAW_##form FLUSH_##form const T r = (T)(meaning);                                                       \
            least |= IS_LEAST(r);                                                                                   \
            o[i] = CANON_##class(form, flt_ftz(r));                                                                 \
        }                                                                                                           \
        FLUSH_FIRST_##class(form, class, least) PUT(o);                                                             \
    }                                                                                                               \
    static __attribute__((noinline)) void name##_##ty##_loop(LANES_ARGS)                                            \
    {                                                                                                               \
        TRAITS_##ty T o[32] __attribute__((aligned(64)));                                                           \
        const bool ftz = in->mods->ftz, sat = in->mods->sat;                                                        \
        U least = 0;                                                                                                \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            RAW_##form MAYBE_##form T r = (T)(meaning);                                                             \
            r = ftz ? flt_ftz(r) : r;                                                                               \
            least |= IS_LEAST(r);                                                                                   \
            o[i] = sat ? flt_sat(r) : CANON_##class(form, r);                                                       \
        }                                                                                                           \
        FLUSH_FIRST_##class(form, class, ftz && least) PUT(o);                                                      \
    }                                                                                                               \
    static void name##_##ty##_dyn(LANES_ARGS)                                                                       \
    {                                                                                                               \
        unsigned old = set_rounding(in->mods->round);                                                               \
        name##_##ty##_loop(vd, va, vb, vc, ve, mask, in);                                                           \
        restore_rounding(old);                                                                                      \
    }

#include "interp/lanes_half_rows.h"

#define LANES_NONE(...)
#define LANES_OF_U16  LANES_INT
#define LANES_OF_S16  LANES_INT
#define LANES_OF_U32  LANES_INT
#define LANES_OF_S32  LANES_INT
#define LANES_OF_U64  LANES_INT
#define LANES_OF_S64  LANES_INT
#define LANES_OF_B16  LANES_INT
#define LANES_OF_B32  LANES_INT
#define LANES_OF_B64  LANES_INT
#define LANES_OF_F32  LANES_FLT
#define LANES_OF_F64  LANES_FLT
#define LANES_OF_F16  LANES_HALF_F16
#define LANES_OF_F16X2 LANES_HALF_F16X2
#define LANES_OF_BF16 LANES_HALF_BF16
#define LANES_OF_BF16X2 LANES_HALF_BF16X2
#define LANES_OF_U16X2 LANES_PAIR_U16X2
#define LANES_OF_S16X2 LANES_PAIR_S16X2
#define LANES_OF_PRED LANES_PRED

#define LANES_FN_UN(ty, ...)    LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_BIN(ty, ...)   LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_TRI(ty, ...)   LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_SHIFT(ty, ...) LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_CNT(ty, ...)   LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_WIDE2(ty, ...) LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_WIDE3(ty, ...) LANES_OF_##ty(ty, __VA_ARGS__)
#define LANES_FN_SPECIAL(...)

#define OP(id, word, sel, types, form, mods, class, kind, facts, meaning) EACH_##types(LANES_FN_##form, id, form, class, meaning)
#include "ptx/ptx_ops.def"
#undef OP

#include "interp/lanes_video.h"
#include "interp/lanes_special.h"
#include "interp/lanes_cvt.h"

/* ---- the table ---- */
#define ENTRY_INT(ty, name)  [PTX_OP_##name][PTX_##ty] = {[LANES_PLAIN] = name##_##ty},
#define ENTRY_PRED(ty, name) [PTX_OP_##name][PTX_PRED] = {[LANES_PLAIN] = name##_PRED},
#define ENTRY_FLT(ty, name)                                                                                         \
    [PTX_OP_##name][PTX_##ty] = {name##_##ty, name##_##ty##_ftz, name##_##ty##_dyn},
#define ENTRY_HALF(ty, name)                                                                                        \
    [PTX_OP_##name][PTX_##ty] = {name##_##ty, name##_##ty##_dyn, name##_##ty##_dyn},
#define ENTRY_OF_F16  ENTRY_HALF
#define ENTRY_OF_F16X2 ENTRY_HALF
#define ENTRY_OF_BF16 ENTRY_HALF
#define ENTRY_OF_BF16X2 ENTRY_HALF
#define ENTRY_OF_U16X2 ENTRY_HALF
#define ENTRY_OF_S16X2 ENTRY_HALF
#define ENTRY_OF_U16  ENTRY_INT
#define ENTRY_OF_S16  ENTRY_INT
#define ENTRY_OF_U32  ENTRY_INT
#define ENTRY_OF_S32  ENTRY_INT
#define ENTRY_OF_U64  ENTRY_INT
#define ENTRY_OF_S64  ENTRY_INT
#define ENTRY_OF_B16  ENTRY_INT
#define ENTRY_OF_B32  ENTRY_INT
#define ENTRY_OF_B64  ENTRY_INT
#define ENTRY_OF_F32  ENTRY_FLT
#define ENTRY_OF_F64  ENTRY_FLT
#define ENTRY_OF_PRED ENTRY_PRED
#define ENTRY_UN(ty, name)    ENTRY_OF_##ty(ty, name)
#define ENTRY_BIN(ty, name)   ENTRY_OF_##ty(ty, name)
#define ENTRY_TRI(ty, name)   ENTRY_OF_##ty(ty, name)
#define ENTRY_SHIFT(ty, name) ENTRY_OF_##ty(ty, name)
#define ENTRY_CNT(ty, name)   ENTRY_OF_##ty(ty, name)
#define ENTRY_WIDE2(ty, name) ENTRY_OF_##ty(ty, name)
#define ENTRY_WIDE3(ty, name) ENTRY_OF_##ty(ty, name)
#define ENTRY_SPECIAL(ty, name)

const struct lanes_table LANES_TABLE = {
    .row = {
#define OP(id, word, sel, types, form, mods, class, kind, facts, meaning) EACH_##types(ENTRY_##form, id)
#include "ptx/ptx_ops.def"
#undef OP
    },
    LANES_SPECIAL_ENTRIES
    LANES_CVT_ENTRIES
};
