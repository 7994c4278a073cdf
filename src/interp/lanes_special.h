/* The instructions whose operands do not fit a form of the table: carry arithmetic, bit fields, dot products,
 * comparison and selection, shuffles of bits and bytes, moves. Part of lanes_expand.h.
 * Sources: PTX ISA 8.4, 9.7.1 (bit fields, dp4a), 9.7.2 (carry), 9.7.6 and 9.7.7 (comparison), 9.7.8 (logic), 9.7.9. */

/* ---- carry: `e` holds the flag, bit i for lane i; sub's flag is the borrow ---- */
#define CARRY(id, ty, writes, value)                                                                                \
    static void id##_##ty##_carry(LANES_ARGS)                                                                       \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        uint32_t carry_in = get_pred(ve), carry_out = 0;                                                            \
        for (int i = 0; i < 32; i++) {                                                                              \
            const T a = ((const T *)va)[i], b = ((const T *)vb)[i];                                                 \
            UNUSED const T c = vc ? ((const T *)vc)[i] : 0;                                                         \
            UNUSED const U carry = carry_in >> i & 1;                                                               \
            const UW r = value;                                                                                     \
            o[i] = (T)r;                                                                                            \
            carry_out |= (uint32_t)((U)(r >> BITS) & 1) << i;                                                       \
        }                                                                                                           \
        DONE();                                                                                                     \
        if (writes)                                                                                                 \
            put_pred(ve, carry_out, mask);                                                                          \
    }
#define CARRY_ROWS(ty, ...)                                                                                              \
    CARRY(ADD, ty, true, (UW)(U)a + (U)b)                                                                           \
    CARRY(SUB, ty, true, (UW)(U)a - (U)b)                                                                           \
    CARRY(ADDC, ty, in->mods->cc, (UW)(U)a + (U)b + carry)                                                          \
    CARRY(SUBC, ty, in->mods->cc, (UW)(U)a - (U)b - carry)                                                          \
    CARRY(MAD_LO, ty, true, (UW)(U)((W)a * (W)b) + (U)c)                                                            \
    CARRY(MAD_HI, ty, true, (UW)(U)mul_hi(a, b) + (U)c)                                                             \
    CARRY(MADC_LO, ty, in->mods->cc, (UW)(U)((W)a * (W)b) + (U)c + carry)                                           \
    CARRY(MADC_HI, ty, in->mods->cc, (UW)(U)mul_hi(a, b) + (U)c + carry)
EACH_INT32_64(CARRY_ROWS, )
#undef CARRY_ROWS
#undef CARRY

/* ---- .sat of s32: clamped to the type's range ---- */
#define SAT32(id, value)                                                                                            \
    static void id##_sat(LANES_ARGS)                                                                                \
    {                                                                                                               \
        TRAITS_S32 INTO(T);                                                                                         \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const T a = ((const T *)va)[i], b = ((const T *)vb)[i];                                                 \
            W r = value;                                                                                            \
            r = r < INT32_MIN ? INT32_MIN : r;                                                                      \
            o[i] = (T)(r > INT32_MAX ? INT32_MAX : r);                                                              \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
SAT32(ADD, (W)a + b)
SAT32(SUB, (W)a - b)
SAT32(MAD_HI, (W)mul_hi(a, b) + ((const T *)vc)[i])
SAT32(MAD24_HI, (low24(a) * low24(b) >> 16) + ((const T *)vc)[i])
#undef SAT32

/* ---- .relu of s32: what is negative becomes 0 ---- */
#define RELU32(id, better)                                                                                          \
    static void id##_relu(LANES_ARGS)                                                                               \
    {                                                                                                               \
        TRAITS_S32 INTO(T);                                                                                         \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const T a = ((const T *)va)[i], b = ((const T *)vb)[i], r = a better b ? a : b;                         \
            o[i] = r < 0 ? 0 : r;                                                                                   \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
RELU32(MIN, <)
RELU32(MAX, >)
#undef RELU32

/* ---- min and max with .NaN and .xorsign.abs ---- */
#define MINMAX_MODS(ty, id, value)                                                                                  \
    static void id##_##ty##_mods(LANES_ARGS)                                                                        \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        const bool ftz = in->mods->ftz, nan = in->mods->nan, xorsign = in->mods->xorsign_abs;                       \
        for (int i = 0; i < 32; i++) {                                                                              \
            T a = ((const T *)va)[i], b = ((const T *)vb)[i];                                                       \
            if (ftz)                                                                                                \
                a = flt_ftz(a), b = flt_ftz(b);                                                                     \
            const T signs = flt_copysign((T)1, a) * flt_copysign((T)1, b);                                          \
            if (xorsign)                                                                                            \
                a = flt_abs(a), b = flt_abs(b);                                                                     \
            T r = value;                                                                                            \
            if (nan && (a != a || b != b))                                                                          \
                r = (T)NAN;                                                                                         \
            if (xorsign)                                                                                            \
                r = flt_copysign(r, signs);                                                                         \
            o[i] = flt_nan1(r, r);                                                                                       \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
MINMAX_MODS(F32, FMIN, flt_min(a, b))
MINMAX_MODS(F32, FMAX, flt_max(a, b))
MINMAX_MODS(F64, FMIN, flt_min(a, b))
MINMAX_MODS(F64, FMAX, flt_max(a, b))
#undef MINMAX_MODS

/* ---- division ---- */
/* div.approx and div.full of floats: a * (1 / b), both rounded (PTX ISA 8.4, 9.7.3.8). The GPU scales a and b by 2^24 where
 * b is subnormal, and for .full by 1/4 where it is beyond 2^126; a reciprocal that is subnormal all the same is zero, so
 * that .approx gives zero, and NaN under an infinity. Of 256 quotients of an H200 all but 4 are the same, which are one
 * unit more (tests/truth/lanes_h200.tsv); a / b would differ in 13. */
static void FDIV_F32_quick(LANES_ARGS)
{
    TRAITS_F32 INTO(T);
    const bool ftz = in->mods->ftz, full = in->mods->full;
    EACH_LANE
    {
        RAW_BIN MAYBE_BIN const T size = __builtin_fabsf(b);
        const T by = size < 0x1p-126f ? 0x1p24f : full && size > 0x1p126f ? 0.25f : 1;
        const T r = a * by * ftz_f32(1 / (b * by));
        o[i] = canon_f32(ftz ? ftz_f32(r) : r);
    }
    DONE();
}

/* rcp and rsqrt .approx.ftz.f64 see and give the upper 32 bits alone; NaN is 0x7fffffff above (PTX ISA 8.4, 9.7.3.12) */
#define UPPER_HALF(id, value)                                                                                       \
    static void id##_F64_upper(LANES_ARGS)                                                                          \
    {                                                                                                               \
        INTO(uint64_t);                                                                                             \
        for (int i = 0; i < 32; i++) {                                                                              \
            uint64_t u = ((const uint64_t *)va)[i] & 0xffffffff00000000u;                                           \
            const double a = f64_bits((u & 0x7ff0000000000000u) == 0 ? u & 0x8000000000000000u : u);                \
            const double r = value;                                                                                 \
            u = bits_f64(r) & 0xffffffff00000000u;                                                                  \
            u = (u & 0x7ff0000000000000u) == 0 ? u & 0x8000000000000000u : u;                                       \
            o[i] = r != r ? 0x7fffffff00000000u : u;                                                                \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
UPPER_HALF(RCP, 1 / a)
UPPER_HALF(RSQRT, 1 / __builtin_sqrt(a))
#undef UPPER_HALF

/* ---- bit fields ---- */
#define BFIND_SHIFTAMT(ty, ...)                                                                                     \
    static void BFIND_##ty##_shiftamt(LANES_ARGS)                                                                   \
    {                                                                                                               \
        TRAITS_##ty INTO(uint32_t);                                                                                 \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            READ_UN o[i] = bfind_shift(a);                                                                          \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
EACH_INT32_64(BFIND_SHIFTAMT, )
#undef BFIND_SHIFTAMT

/* bfe d, a, position, length: bits of a, filled up with the sign when signed; positions past the end read the sign */
#define BFE_FN(ty, ...)                                                                                             \
    static void BFE_##ty(LANES_ARGS)                                                                                \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const T a = ((const T *)va)[i];                                                                         \
            const uint32_t at = ((const uint32_t *)vb)[i] & 0xff, n = ((const uint32_t *)vc)[i] & 0xff;             \
            const U field = (U)shift_right(a, at);                                                                  \
            const uint32_t end = at + n < BITS ? at + n : BITS; /* the sign is the field's last bit in a */         \
            const U last = n == 0 ? 0 : (U)shift_right((T)(SIGNED ? a : 0), end - 1) & 1;                           \
            const U low = n < BITS ? ((U)1 << (n & (BITS - 1))) - 1 : ~(U)0;                                        \
            const U sign = SIGNED && n != 0 ? (U)0 - last : 0;                                                      \
            o[i] = (T)((field & low) | (sign & ~low));                                                              \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
EACH_INT32_64(BFE_FN, )
#undef BFE_FN

/* bfi d, a, b, position, length: b with the low bits of a put in */
#define BFI_FN(ty, ...)                                                                                             \
    static void BFI_##ty(LANES_ARGS)                                                                                \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const T a = ((const T *)va)[i], b = ((const T *)vb)[i];                                                 \
            const uint32_t at = ((const uint32_t *)vc)[i] & 0xff, n = ((const uint32_t *)ve)[i] & 0xff;             \
            const T low = n < BITS ? ((T)1 << (n & (BITS - 1))) - 1 : ~(T)0;                                        \
            const T field = at < BITS ? low << (at & (BITS - 1)) : 0;                                               \
            const T value = at < BITS ? a << (at & (BITS - 1)) : 0;                                                 \
            o[i] = (b & ~field) | (value & field);                                                                  \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
EACH_BITS32_64(BFI_FN, )
#undef BFI_FN

/* ---- dot products: types of a and b apart ---- */
INLINE int32_t dot_part(uint32_t x, int at, int bits, bool is_signed)
{
    uint32_t top = x << (32 - bits - at);
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

/* szext, bmsk, fns: the texts of PTX ISA 8.4, 9.7.1.21 to 9.7.1.23 */
INLINE uint32_t szext_lane(uint32_t a, uint32_t b, bool clamp, bool is_signed)
{
    uint32_t n = b & 31;
    bool whole = b >= 32 && clamp;
    uint32_t above = whole ? 0 : ~0u << n;
    bool sign = is_signed && n && !whole && a >> (n - 1) & 1;
    return (a & ~above) | (sign ? above : 0);
}
INLINE uint32_t bmsk_lane(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t at = a & 31, n = b & 31;
    uint32_t from = clamp && a >= 32 ? 0 : ~0u << at;
    bool to_end = at + n >= 32 || (clamp && (a >= 32 || b >= 32));
    return from & ~(to_end ? 0 : ~0u << (at + n));
}
INLINE uint32_t fns_lane(uint32_t mask, uint32_t base, int32_t offset)
{
    if (!offset)
        return base < 32 && mask >> base & 1 ? base : ~0u;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
        if (mask >> at & 1 && !--left)
            return (uint32_t)at;
    return ~0u;
}
#define WORDS(name, value)                                                                                          \
    static void name(LANES_ARGS)                                                                                    \
    {                                                                                                               \
        const uint32_t *pa = va, *pb = vb, *pc = vc;                                                                \
        uint32_t *d = vd;                                                                                           \
        (void)pc, (void)ve, (void)in;                                                                               \
        for (int i = 0; i < 32; i++)                                                                                \
            if (mask >> i & 1)                                                                                      \
                d[i] = value;                                                                                       \
    }
WORDS(SZEXT_any, szext_lane(pa[i], pb[i], in->mods->variant == PTX_SHF_CLAMP, in->type == PTX_S32))
WORDS(BMSK_B32, bmsk_lane(pa[i], pb[i], in->mods->variant == PTX_SHF_CLAMP))
WORDS(FNS_B32, fns_lane(pa[i], pb[i], (int32_t)pc[i]))
#undef WORDS

static void DP4A_any(LANES_ARGS)
{
    INTO(uint32_t);
    const bool sa = in->mods->type[0] == PTX_S32, sb = in->mods->type[1] == PTX_S32;
    for (int i = 0; i < 32; i++) {
        const uint32_t a = ((const uint32_t *)va)[i], b = ((const uint32_t *)vb)[i];
        uint32_t sum = ((const uint32_t *)vc)[i];
        for (int at = 0; at < 32; at += 8)
            sum += (uint32_t)(dot_part(a, at, 8, sa) * dot_part(b, at, 8, sb));
        o[i] = sum;
    }
    DONE();
}

static void DP2A_any(LANES_ARGS)
{
    INTO(uint32_t);
    const bool sa = in->mods->type[0] == PTX_S32, sb = in->mods->type[1] == PTX_S32;
    const int half = in->mods->sel == PTX_SEL_HI ? 16 : 0;
    for (int i = 0; i < 32; i++) {
        const uint32_t a = ((const uint32_t *)va)[i], b = ((const uint32_t *)vb)[i];
        uint32_t sum = ((const uint32_t *)vc)[i];
        for (int k = 0; k < 2; k++)
            sum += (uint32_t)(dot_part(a, 16 * k, 16, sa) * dot_part(b, half + 8 * k, 8, sb));
        o[i] = sum;
    }
    DONE();
}

/* ---- comparison ---- */
/* the predicate `value` combined with the third operand, as .and .or .xor say */
INLINE uint32_t combine_pred(uint32_t value, const void *vc, const struct ir_inst *in)
{
    if (in->mods->boolop == PTX_BOOL_NONE)
        return value;
    uint32_t c = get_pred(vc) ^ (in->src[2].negated ? ALL_LANES : 0);
    switch (in->mods->boolop) {
    case PTX_BOOL_AND: return value & c;
    case PTX_BOOL_OR: return value | c;
    default: return value ^ c;
    }
}

/* Comparisons gather their bits in a word as wide as the operands, which vectorises. */
#define ACC_U16 uint32_t
#define ACC_S16 uint32_t
#define ACC_U32 uint32_t
#define ACC_S32 uint32_t
#define ACC_U64 uint64_t
#define ACC_S64 uint64_t
#define ACC_F32 uint32_t
#define ACC_F64 uint64_t
#define LANE_BIT_U16 lane_bit
#define LANE_BIT_S16 lane_bit
#define LANE_BIT_U32 lane_bit
#define LANE_BIT_S32 lane_bit
#define LANE_BIT_U64 lane_bit64
#define LANE_BIT_S64 lane_bit64
#define LANE_BIT_F32 lane_bit
#define LANE_BIT_F64 lane_bit64
#define SETP(id, ty, flush, test)                                                                                   \
    INLINE uint32_t compare_##id(const void *va, const void *vb)                                                    \
    {                                                                                                               \
        TRAITS_##ty ACC_##ty r = 0;                                                                                 \
        for (int i = 0; i < 32; i++) {                                                                              \
            const T a = flush(((const T *)va)[i]), b = flush(((const T *)vb)[i]);                                   \
            r |= (test) ? LANE_BIT_##ty[i] : 0;                                                                     \
        }                                                                                                           \
        return (uint32_t)r;                                                                                         \
    }                                                                                                               \
    static void setp_##id(LANES_ARGS)                                                                               \
    {                                                                                                               \
        put_pred(vd, combine_pred(compare_##id(va, vb), vc, in), mask);                                             \
    }                                                                                                               \
    static void setq_##id(LANES_ARGS)                                                                               \
    {                                                                                                               \
        put_pred(vd, combine_pred(~compare_##id(va, vb), vc, in), mask);                                            \
    }
#define NO_FLUSH(x) x
#define SETP_INT(ty, ...)                                                                                           \
    SETP(EQ_##ty, ty, NO_FLUSH, a == b)                                                                             \
    SETP(NE_##ty, ty, NO_FLUSH, a != b)                                                                             \
    SETP(LT_##ty, ty, NO_FLUSH, a < b)                                                                              \
    SETP(LE_##ty, ty, NO_FLUSH, a <= b)                                                                             \
    SETP(GT_##ty, ty, NO_FLUSH, a > b)                                                                              \
    SETP(GE_##ty, ty, NO_FLUSH, a >= b)
#define SETP_FLT(ty, name, flush)                                                                                   \
    SETP(EQ_##name, ty, flush, a == b)                                                                              \
    SETP(NE_##name, ty, flush, (a < b) | (a > b))                                                                   \
    SETP(LT_##name, ty, flush, a < b)                                                                               \
    SETP(LE_##name, ty, flush, a <= b)                                                                              \
    SETP(GT_##name, ty, flush, a > b)                                                                               \
    SETP(GE_##name, ty, flush, a >= b)                                                                              \
    SETP(EQU_##name, ty, flush, !((a < b) | (a > b)))                                                               \
    SETP(NEU_##name, ty, flush, a != b)                                                                             \
    SETP(LTU_##name, ty, flush, !(a >= b))                                                                          \
    SETP(LEU_##name, ty, flush, !(a > b))                                                                           \
    SETP(GTU_##name, ty, flush, !(a <= b))                                                                          \
    SETP(GEU_##name, ty, flush, !(a < b))                                                                           \
    SETP(NUM_##name, ty, flush, (a == a) & (b == b))                                                                \
    SETP(NAN_##name, ty, flush, (a != a) | (b != b))
EACH_INT(SETP_INT, )
SETP_FLT(F32, F32, NO_FLUSH)
SETP_FLT(F32, F32_ftz, flt_ftz)
SETP_FLT(F64, F64, NO_FLUSH)

/* Halves are compared as f32, which holds them exactly. A pair has two outcomes: p of the lower halves, q of the upper. */
#define SETP_HALF(name, which, ty, fmt, stride, at)                                                                 \
    static void name##_##ty(LANES_ARGS)                                                                             \
    {                                                                                                               \
        float a[32], b[32];                                                                                         \
        const bool ftz = in->mods->ftz;                                                                             \
        for (int i = 0; i < 32; i++) {                                                                              \
            const double x = HALF_IN_##fmt(((const uint16_t *)va)[stride * i + at]);                                \
            const double y = HALF_IN_##fmt(((const uint16_t *)vb)[stride * i + at]);                                \
            a[i] = (float)(ftz ? HALF_FLUSH(x, fmt) : x);                                                           \
            b[i] = (float)(ftz ? HALF_FLUSH(y, fmt) : y);                                                           \
        }                                                                                                           \
        LANES_TABLE.setp[which][in->mods->cmp][PTX_F32][0](vd, a, b, vc, ve, mask, in);                             \
    }
SETP_HALF(setp, 0, F16, F16, 1, 0)
SETP_HALF(setq, 1, F16, F16, 1, 0)
SETP_HALF(setp, 0, BF16, BF16, 1, 0)
SETP_HALF(setq, 1, BF16, BF16, 1, 0)
SETP_HALF(setp, 0, F16X2, F16, 2, 0)
SETP_HALF(setq, 0, F16X2, F16, 2, 1)
SETP_HALF(setp, 0, BF16X2, BF16, 2, 0)
SETP_HALF(setq, 0, BF16X2, BF16, 2, 1)
#undef SETP_HALF

/* set: the comparison's outcome as all ones, or as 1.0f */
#define SET_FN(ty, yes)                                                                                             \
    static void SET_##ty(LANES_ARGS)                                                                                \
    {                                                                                                               \
        TRAITS_##ty INTO(T);                                                                                        \
        uint32_t p = 0;                                                                                             \
        LANES_TABLE.setp[0][in->mods->cmp][in->type2][in->mods->ftz](&p, va, vb, vc, ve, ALL_LANES, in);            \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            o[i] = p & lane_bit[i] ? (T)(yes) : (T)0;                                                               \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
SET_FN(U32, 0xffffffffu)
SET_FN(S32, -1)
SET_FN(F32, 1)
#define TRAITS_F16  TRAITS_U16
#define TRAITS_BF16 TRAITS_U16
SET_FN(U16, 0xffff)
SET_FN(S16, -1)
SET_FN(F16, 0x3c00)
SET_FN(BF16, 0x3f80)

/* of a pair: two outcomes side by side, each all ones or 1.0 */
static void set_pair(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t yes = in->type == PTX_F16X2 ? 0x3c00 : in->type == PTX_BF16X2 ? 0x3f80 : 0xffff;
    uint32_t p = 0, q = 0;
    LANES_TABLE.setp[0][in->mods->cmp][in->type2][in->mods->ftz](&p, va, vb, vc, ve, ALL_LANES, in);
    LANES_TABLE.setp[1][in->mods->cmp][in->type2][in->mods->ftz](&q, va, vb, vc, ve, ALL_LANES, in);
    for (int i = 0; i < 32; i++)
        o[i] = (p >> i & 1 ? yes : 0) | (q >> i & 1 ? yes << 16 : 0);
    DONE();
}
#undef SET_FN

#define TESTP_FN(ty, U_, top, exponent)                                                                             \
    static void TESTP_##ty(LANES_ARGS)                                                                              \
    {                                                                                                               \
        const U_ *pa = va, inf = exponent, magnitude = top;                                                         \
        uint32_t r = 0;                                                                                             \
        for (int i = 0; i < 32; i++) {                                                                              \
            const U_ x = pa[i] & magnitude;                                                                         \
            const U_ e = x & inf;                                                                                   \
            bool yes = false;                                                                                       \
            switch (in->mods->variant) {                                                                            \
            case PTX_TESTP_FINITE: yes = x < inf; break;                                                            \
            case PTX_TESTP_INFINITE: yes = x == inf; break;                                                         \
            case PTX_TESTP_NUMBER: yes = x <= inf; break;                                                           \
            case PTX_TESTP_NOTANUMBER: yes = x > inf; break;                                                        \
            case PTX_TESTP_NORMAL: yes = x == 0 || (e != 0 && e != inf); break; /* zero counts */                   \
            case PTX_TESTP_SUBNORMAL: yes = e == 0 && x != 0; break;                                                \
            }                                                                                                       \
            r |= (uint32_t)yes << i;                                                                                \
        }                                                                                                           \
        put_pred(vd, r, mask);                                                                                      \
    }
TESTP_FN(F32, uint32_t, 0x7fffffffu, 0x7f800000u)
TESTP_FN(F64, uint64_t, 0x7fffffffffffffffu, 0x7ff0000000000000u)
#undef TESTP_FN

/* ---- selection, by width ---- */
#define SELP_FN(bits, bit)                                                                                          \
    static void selp_##bits(LANES_ARGS)                                                                             \
    {                                                                                                               \
        typedef uint##bits##_t T;                                                                                   \
        INTO(T);                                                                                                    \
        const T *pa = va, *pb = vb;                                                                                 \
        const uint32_t p32 = get_pred(vc) ^ (in->src[2].negated ? ALL_LANES : 0);                                   \
        bit                                                                                                         \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            o[i] = PICK ? pa[i] : pb[i];                                                                            \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
#define PICK (p32 & lane_bit[i])
SELP_FN(8, )
SELP_FN(16, )
SELP_FN(32, )
#undef PICK
#define PICK (p & lane_bit64[i])
SELP_FN(64, const uint64_t p = p32;)
#undef PICK
#undef SELP_FN

static void selp_pred(LANES_ARGS)
{
    uint32_t p = get_pred(vc) ^ (in->src[2].negated ? ALL_LANES : 0);
    put_pred(vd, (get_pred(va) & p) | (get_pred(vb) & ~p), mask);
}

/* slct d, a, b, c: a where c >= 0 (-0 is, NaN is not), else b */
#define SLCT_FN(bits, name, C, flush)                                                                               \
    static void slct_##bits##_##name(LANES_ARGS)                                                                    \
    {                                                                                                               \
        typedef uint##bits##_t T;                                                                                   \
        INTO(T);                                                                                                    \
        const T *pa = va, *pb = vb;                                                                                 \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            const C c = ((const C *)vc)[i];                                                                         \
            o[i] = flush(c) >= 0 ? pa[i] : pb[i];                                                                   \
        }                                                                                                           \
        DONE();                                                                                                     \
    }
#define SLCT_FLUSH(c) (in->mods->ftz ? ftz_f32(c) : c)
SLCT_FN(16, S32, int32_t, NO_FLUSH)
SLCT_FN(32, S32, int32_t, NO_FLUSH)
SLCT_FN(64, S32, int32_t, NO_FLUSH)
SLCT_FN(16, F32, float, SLCT_FLUSH)
SLCT_FN(32, F32, float, SLCT_FLUSH)
SLCT_FN(64, F32, float, SLCT_FLUSH)
#undef SLCT_FLUSH
#undef SLCT_FN

/* ---- logic of three operands, funnel shift, bytes ---- */
/* lop3 d, a, b, c, lut: bit (a b c) of the table, as a tree of seven selections */
static void LOP3_B32(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc;
    uint32_t lut = (uint32_t)in->src[3].imm, m[8];
    for (int k = 0; k < 8; k++)
        m[k] = lut >> k & 1 ? ~0u : 0;
    const uint32_t x0 = m[0] ^ m[1], x2 = m[2] ^ m[3], x4 = m[4] ^ m[5], x6 = m[6] ^ m[7];
    EACH_LANE
    {
        const uint32_t a = pa[i], b = pb[i], c = pc[i];
        const uint32_t r0 = m[0] ^ (c & x0), r2 = m[2] ^ (c & x2), r4 = m[4] ^ (c & x4), r6 = m[6] ^ (c & x6);
        const uint32_t low = r0 ^ (b & (r0 ^ r2)), high = r4 ^ (b & (r4 ^ r6));
        o[i] = low ^ (a & (low ^ high));
    }
    DONE();
}

/* lop3.or d|p, lop3.and d|p: p is whether d has a bit set, combined with the predicate operand (PTX ISA 8.4, 9.7.8.6) */
static void lop3_second(LANES_ARGS)
{
    const uint32_t *pa = va;
    const uint32_t q = get_pred(vb) ^ (in->src[4].negated ? ALL_LANES : 0);
    uint32_t p = 0;
    for (int i = 0; i < 32; i++)
        p |= pa[i] != 0 ? lane_bit[i] : 0;
    put_pred(vd, in->mods->boolop == PTX_BOOL_OR ? p | q : p & q, mask);
}

/* createpolicy: how a policy's bits look is not documented; these say priorities and fraction, for a model of the cache:
 * kind (1 fraction, 2 range) from bit 60, first priority from 57, sixteenths of the fraction less one from 52, second
 * priority from 48. For whole fractions they are the numbers that are found in programs (0x14f0000000000000). */
static void CREATEPOLICY_B64(LANES_ARGS)
{
    INTO(uint64_t);
    static const uint8_t code[] = {[PTX_EVICT_DEFAULT] = 0, [PTX_EVICT_NORMAL] = 0, [PTX_EVICT_FIRST] = 1,
                                   [PTX_EVICT_LAST] = 2, [PTX_EVICT_UNCHANGED] = 3};
    const struct ptx_mods *m = in->mods;
    const uint64_t first = (uint64_t)code[m->l2_evict[0]] << 57, second = (uint64_t)code[m->l2_evict[1]] << 48;
    for (int i = 0; i < 32; i++) {
        const float f = m->variant == PTX_POLICY_FRACTIONAL && in->nsrc ? ((const float *)va)[i] : 1;
        const float n = f > 0 && f <= 1 ? __builtin_ceilf(f * 16) - 1 : 15;
        o[i] = m->variant == PTX_POLICY_CVT ? ((const uint64_t *)va)[i]
             : (m->variant == PTX_POLICY_RANGE ? UINT64_C(2) : UINT64_C(1)) << 60 | first | (uint64_t)n << 52 | second;
    }
    DONE();
}

/* shf d, a, b, n: the pair b:a shifted; left gives its high word, right its low word */
static void SHF_L_B32(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc, top = in->mods->variant == PTX_SHF_WRAP ? 31 : ~0u;
    EACH_LANE
    {
        uint32_t n = pc[i] & top;
        n = n < 32 ? n : 32;
        o[i] = (uint32_t)(((uint64_t)pb[i] << 32 | pa[i]) << n >> 32);
    }
    DONE();
}

static void SHF_R_B32(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc, top = in->mods->variant == PTX_SHF_WRAP ? 31 : ~0u;
    EACH_LANE
    {
        uint32_t n = pc[i] & top;
        n = n < 32 ? n : 32;
        o[i] = (uint32_t)(((uint64_t)pb[i] << 32 | pa[i]) >> n);
    }
    DONE();
}

/* Selector of byte k of the result for prmt's special modes (PTX ISA 8.4, 9.7.8.7, table "modes"). */
INLINE uint32_t prmt_selector(int mode, uint32_t c, int k)
{
    const uint32_t n = c & 3, u = (uint32_t)k;
    switch (mode) {
    case PTX_PRMT_F4E: return n + u;
    case PTX_PRMT_B4E: return (n - u) & 7;
    case PTX_PRMT_RC8: return n;
    case PTX_PRMT_ECL: return u > n ? u : n;
    case PTX_PRMT_ECR: return u < n ? u : n;
    case PTX_PRMT_RC16: return (n & 1) * 2 + (u & 1);
    default: return c >> (4 * k) & 15;
    }
}

INLINE uint32_t prmt_byte(uint64_t pair, uint32_t selector)
{
    uint32_t byte = (uint32_t)(pair >> (8 * (selector & 7))) & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static void PRMT_B32_mode(LANES_ARGS)
{
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc;
    for (int i = 0; i < 32; i++) {
        const uint64_t pair = (uint64_t)pb[i] << 32 | pa[i];
        uint32_t r = 0;
        for (int k = 0; k < 4; k++)
            r |= prmt_byte(pair, prmt_selector(in->mods->variant, pc[i], k)) << (8 * k);
        o[i] = r;
    }
    DONE();
}

static void PRMT_B32(LANES_ARGS)
{
    if (in->mods->variant != PTX_VARIANT_NONE) {
        PRMT_B32_mode(vd, va, vb, vc, ve, mask, in);
        return;
    }
    INTO(uint32_t);
    const uint32_t *pa = va, *pb = vb, *pc = vc;
    EACH_LANE
    {
        const uint64_t pair = (uint64_t)pb[i] << 32 | pa[i];
        const uint32_t c = pc[i];
        o[i] = prmt_byte(pair, c & 15) | prmt_byte(pair, c >> 4 & 15) << 8 | prmt_byte(pair, c >> 8 & 15) << 16 |
               prmt_byte(pair, c >> 12 & 15) << 24;
    }
    DONE();
}

/* ---- moves ---- */
#define MOV_FN(bits)                                                                                                \
    static void mov_##bits(LANES_ARGS)                                                                              \
    {                                                                                                               \
        if (mask == ALL_LANES)                                                                                      \
            memmove(vd, va, 32 * bits / 8);                                                                         \
        else                                                                                                        \
            blend(vd, va, mask, bits / 8);                                                                          \
    }
MOV_FN(8)
MOV_FN(16)
MOV_FN(32)
MOV_FN(64)
#undef MOV_FN

static void mov_128(LANES_ARGS)
{
    struct ptx_b128 *d = vd;
    const struct ptx_b128 *a = va;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1)
            d[i] = a[i];
}

static void mov_pred(LANES_ARGS)
{
    put_pred(vd, get_pred(va) ^ (in->src[0].negated ? ALL_LANES : 0), mask);
}

/* Element `index` of registers `count` elements wide: a strided copy. */
#define ELEMENT_FN(bits, count, index)                                                                              \
    static void extract_##bits##_##count##_##index(LANES_ARGS)                                                      \
    {                                                                                                               \
        INTO(uint##bits##_t);                                                                                       \
        const uint##bits##_t *pa = va;                                                                              \
        EACH_LANE                                                                                                   \
        {                                                                                                           \
            o[i] = pa[count * i + index];                                                                           \
        }                                                                                                           \
        DONE();                                                                                                     \
    }                                                                                                               \
    static void insert_##bits##_##count##_##index(LANES_ARGS)                                                       \
    {                                                                                                               \
        uint##bits##_t *pd = vd;                                                                                    \
        const uint##bits##_t *pa = va;                                                                              \
        for (int i = 0; i < 32; i++)                                                                                \
            pd[count * i + index] = mask & lane_bit[i] ? pa[i] : pd[count * i + index];                             \
    }
#define ELEMENTS_2(M, bits) M(bits, 2, 0) M(bits, 2, 1)
#define ELEMENTS_4(M, bits) M(bits, 4, 0) M(bits, 4, 1) M(bits, 4, 2) M(bits, 4, 3)
#define ELEMENTS_8(M, bits)                                                                                         \
    M(bits, 8, 0) M(bits, 8, 1) M(bits, 8, 2) M(bits, 8, 3) M(bits, 8, 4) M(bits, 8, 5) M(bits, 8, 6) M(bits, 8, 7)
#define EACH_ELEMENT(M)                                                                                             \
    ELEMENTS_2(M, 8) ELEMENTS_4(M, 8) ELEMENTS_8(M, 8) ELEMENTS_2(M, 16) ELEMENTS_4(M, 16) ELEMENTS_8(M, 16)        \
    ELEMENTS_2(M, 32) ELEMENTS_4(M, 32) ELEMENTS_2(M, 64)
EACH_ELEMENT(ELEMENT_FN)

/* cvt.pack d, a, b, c: a and b clamped and set side by side, b lower, and c moved up by their bits; pairs of 16 have no c */
static void cvt_pack(LANES_ARGS)
{
    INTO(uint32_t);
    const int32_t *pa = va, *pb = vb;
    const uint32_t *pc = vc;
    const int bits = in->mods->pack_bits & 31;
    const bool is_signed = in->mods->pack_signed;
    for (int i = 0; i < 32; i++) {
        const uint32_t low = (UINT32_C(1) << bits) - 1;
        const uint32_t a = (uint32_t)video_clamp(pa[i], bits + !bits, is_signed) & low;
        const uint32_t b = (uint32_t)video_clamp(pb[i], bits + !bits, is_signed) & low;
        o[i] = (bits < 16 ? pc[i] << 2 * bits : 0) | a << bits | b;
    }
    DONE();
}

/* ---- entries of the table ---- */
#define CARRY_ENTRIES(ty, id) [PTX_OP_##id][PTX_##ty] = id##_##ty##_carry,
#define SETP_ENTRY(cmp, ty, name, ftz, kind) [PTX_##cmp][PTX_##ty][ftz] = kind##_##cmp##_##name,
#define SETP_INT_ENTRIES(ty, kind)                                                                                  \
    SETP_INT_ENTRIES_AS(ty, ty, 0, kind) SETP_INT_ENTRIES_AS(ty, ty, 1, kind)
#define SETP_INT_ENTRIES_AS(ty, name, ftz, kind)                                                                    \
    SETP_ENTRY(EQ, ty, name, ftz, kind) SETP_ENTRY(NE, ty, name, ftz, kind) SETP_ENTRY(LT, ty, name, ftz, kind)     \
    SETP_ENTRY(LE, ty, name, ftz, kind) SETP_ENTRY(GT, ty, name, ftz, kind) SETP_ENTRY(GE, ty, name, ftz, kind)
#define SETP_BIT_ENTRIES(ty, name, kind)                                                                            \
    SETP_ENTRY(EQ, ty, name, 0, kind) SETP_ENTRY(NE, ty, name, 0, kind)                                             \
    SETP_ENTRY(EQ, ty, name, 1, kind) SETP_ENTRY(NE, ty, name, 1, kind)
#define SETP_FLT_ENTRIES(ty, name, ftz, kind)                                                                       \
    SETP_INT_ENTRIES_AS(ty, name, ftz, kind) SETP_ENTRY(EQU, ty, name, ftz, kind)                                   \
    SETP_ENTRY(NEU, ty, name, ftz, kind) SETP_ENTRY(LTU, ty, name, ftz, kind) SETP_ENTRY(LEU, ty, name, ftz, kind)  \
    SETP_ENTRY(GTU, ty, name, ftz, kind) SETP_ENTRY(GEU, ty, name, ftz, kind) SETP_ENTRY(NUM, ty, name, ftz, kind)  \
    SETP_ENTRY(NAN, ty, name, ftz, kind)
#define SETP_HALF_ENTRY(cmp, ty, kind) [PTX_##cmp][PTX_##ty] = {kind##_##ty, kind##_##ty},
#define SETP_HALF_ENTRIES(ty, kind)                                                                                 \
    SETP_HALF_ENTRY(EQ, ty, kind) SETP_HALF_ENTRY(NE, ty, kind) SETP_HALF_ENTRY(LT, ty, kind)                       \
    SETP_HALF_ENTRY(LE, ty, kind) SETP_HALF_ENTRY(GT, ty, kind) SETP_HALF_ENTRY(GE, ty, kind)                       \
    SETP_HALF_ENTRY(EQU, ty, kind) SETP_HALF_ENTRY(NEU, ty, kind) SETP_HALF_ENTRY(LTU, ty, kind)                    \
    SETP_HALF_ENTRY(LEU, ty, kind) SETP_HALF_ENTRY(GTU, ty, kind) SETP_HALF_ENTRY(GEU, ty, kind)                    \
    SETP_HALF_ENTRY(NUM, ty, kind) SETP_HALF_ENTRY(NAN, ty, kind)
#define SETP_ENTRIES(kind)                                                                                          \
    {                                                                                                               \
        EACH_INT(SETP_INT_ENTRIES, kind) SETP_BIT_ENTRIES(B16, U16, kind) SETP_BIT_ENTRIES(B32, U32, kind)          \
        SETP_BIT_ENTRIES(B64, U64, kind) SETP_FLT_ENTRIES(F32, F32, 0, kind)                                        \
        SETP_FLT_ENTRIES(F32, F32_ftz, 1, kind) SETP_FLT_ENTRIES(F64, F64, 0, kind)                                 \
        SETP_FLT_ENTRIES(F64, F64, 1, kind)                                                                         \
        SETP_HALF_ENTRIES(F16, kind) SETP_HALF_ENTRIES(F16X2, kind) SETP_HALF_ENTRIES(BF16, kind)                   \
        SETP_HALF_ENTRIES(BF16X2, kind)                                                                             \
    }
#define ALL_TYPES_OF(ty, id)     [PTX_OP_##id][PTX_##ty] = id##_##ty,
#define SHIFTAMT_ENTRIES(ty, id) [PTX_##ty] = id##_##ty##_shiftamt,
#define LOG2_2 1
#define LOG2_4 2
#define LOG2_8 3
#define WIDTH_8 0
#define WIDTH_16 1
#define WIDTH_32 2
#define WIDTH_64 3
#define EXTRACT_ENTRY(bits, count, index) [WIDTH_##bits][LOG2_##count][index] = extract_##bits##_##count##_##index,
#define INSERT_ENTRY(bits, count, index)  [WIDTH_##bits][LOG2_##count][index] = insert_##bits##_##count##_##index,

#define LANES_SPECIAL_ENTRIES                                                                                       \
    .carry = {EACH_INT32_64(CARRY_ENTRIES, ADD) EACH_INT32_64(CARRY_ENTRIES, SUB)                                   \
              EACH_INT32_64(CARRY_ENTRIES, ADDC) EACH_INT32_64(CARRY_ENTRIES, SUBC)                                 \
              EACH_INT32_64(CARRY_ENTRIES, MAD_LO) EACH_INT32_64(CARRY_ENTRIES, MAD_HI)                             \
              EACH_INT32_64(CARRY_ENTRIES, MADC_LO) EACH_INT32_64(CARRY_ENTRIES, MADC_HI)},                         \
    .sat = {[PTX_OP_ADD] = ADD_sat, [PTX_OP_SUB] = SUB_sat, [PTX_OP_MAD_HI] = MAD_HI_sat,                           \
            [PTX_OP_MAD24_HI] = MAD24_HI_sat},                                                                      \
    .relu = {[PTX_OP_MIN] = MIN_relu, [PTX_OP_MAX] = MAX_relu}, .lop3_second = lop3_second,                         \
    .minmax_mods = {[PTX_OP_FMIN] = {[PTX_F32] = FMIN_F32_mods, [PTX_F64] = FMIN_F64_mods},                         \
                    [PTX_OP_FMAX] = {[PTX_F32] = FMAX_F32_mods, [PTX_F64] = FMAX_F64_mods}},                        \
    .upper = {[PTX_OP_RCP] = RCP_F64_upper, [PTX_OP_RSQRT] = RSQRT_F64_upper}, .div_quick = FDIV_F32_quick,        \
    .bfind_shiftamt = {EACH_INT32_64(SHIFTAMT_ENTRIES, BFIND)},                                                     \
    .setp = {SETP_ENTRIES(setp), SETP_ENTRIES(setq)},                                                               \
    .set_pair = set_pair, \
    .set = {[PTX_U16] = SET_U16, [PTX_S16] = SET_S16, [PTX_F16] = SET_F16, [PTX_BF16] = SET_BF16, [PTX_U32] = SET_U32, [PTX_S32] = SET_S32, [PTX_F32] = SET_F32},                                         \
    .selp = {selp_8, selp_16, selp_32, selp_64, NULL}, .selp_pred = selp_pred,                                      \
    .mov = {mov_8, mov_16, mov_32, mov_64, mov_128}, .mov_pred = mov_pred,                                          \
    .slct = {[WIDTH_16] = {slct_16_S32, slct_16_F32}, [WIDTH_32] = {slct_32_S32, slct_32_F32},                      \
             [WIDTH_64] = {slct_64_S32, slct_64_F32}},                                                              \
    .special = {EACH_INT32_64(ALL_TYPES_OF, BFE) EACH_BITS32_64(ALL_TYPES_OF, BFI)                                  \
                [PTX_OP_SZEXT] = {[PTX_U32] = SZEXT_any, [PTX_S32] = SZEXT_any},                                    \
                [PTX_OP_BMSK] = {[PTX_B32] = BMSK_B32}, [PTX_OP_FNS] = {[PTX_B32] = FNS_B32},                       \
                [PTX_OP_DP4A] = {[PTX_U32] = DP4A_any, [PTX_S32] = DP4A_any},                                       \
                [PTX_OP_DP2A] = {[PTX_U32] = DP2A_any, [PTX_S32] = DP2A_any},                                       \
                [PTX_OP_TESTP] = {[PTX_F32] = TESTP_F32, [PTX_F64] = TESTP_F64},                                    \
                [PTX_OP_LOP3] = {[PTX_B32] = LOP3_B32}, [PTX_OP_SHF_L] = {[PTX_B32] = SHF_L_B32},                   \
                [PTX_OP_SHF_R] = {[PTX_B32] = SHF_R_B32}, [PTX_OP_PRMT] = {[PTX_B32] = PRMT_B32},                   \
                [PTX_OP_CREATEPOLICY] = {[PTX_B64] = CREATEPOLICY_B64},                                             \
                [PTX_OP_CVT_PACK] = {[PTX_U8] = cvt_pack, [PTX_S8] = cvt_pack, [PTX_U16] = cvt_pack,                \
                                     [PTX_S16] = cvt_pack, [PTX_S32] = cvt_pack},                                   \
                VIDEO_ENTRIES},                                                                                     \
    .extract = {EACH_ELEMENT(EXTRACT_ENTRY)}, .insert = {EACH_ELEMENT(INSERT_ENTRY)},
