/* Conversions (PTX ISA 9.7.9.21), to nearest or to whole numbers, as interp/lanes_cvt.h has them. Directed rounding between
 * floating types, and the shorter formats, go through the interpreter's function. */
#include "jit/llvm/emitter.h"

#include <string.h>

static LLVMValueRef is_nan(struct emit *e, LLVMValueRef v)
{
    return LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, "");
}

/* The type's value as the destination's wider register holds it. */
static LLVMValueRef fit(struct emit *e, LLVMValueRef v, enum ptx_type t, int p)
{
    int have = bits_of_type(t), want = bits_of_type(e->k->reg_type[e->in->dst[0]]);
    LLVMTypeRef to = arith_lanes_of(e, type_of_bits(e, want), p);
    if (want < have)
        return NULL;
    return have == want ? v : type_is_signed(t) ? LLVMBuildSExt(e->b, v, to, "") : LLVMBuildZExt(e->b, v, to, "");
}

static LLVMValueRef between_integers(struct emit *e, enum ptx_type to, enum ptx_type from, int p)
{
    LLVMValueRef a = source(e, 0, from, p);
    LLVMTypeRef type = arith_lanes_of(e, type_of(e, to), p);
    int tb = bits_of_type(to), fb = bits_of_type(from);
    a = tb == fb ? a : tb < fb ? LLVMBuildTrunc(e->b, a, type, "")
      : type_is_signed(from) ? LLVMBuildSExt(e->b, a, type, "") : LLVMBuildZExt(e->b, a, type, "");
    return fit(e, a, to, p);
}

static LLVMValueRef to_whole(struct emit *e, LLVMValueRef v, int round)
{
    switch (round) {
    case PTX_RNI: return float_intrinsic(e, "llvm.roundeven", v);
    case PTX_RZI: return float_intrinsic(e, "llvm.trunc", v);
    case PTX_RMI: return float_intrinsic(e, "llvm.floor", v);
    case PTX_RPI: return float_intrinsic(e, "llvm.ceil", v);
    default: return v;
    }
}

/* A whole number of at most 32 bits' range: below it `least`, above it `most`, NaN as 0. */
static LLVMValueRef to_word(struct emit *e, LLVMValueRef x, enum ptx_type to, enum ptx_type from, int p)
{
    LLVMBuilderRef B = e->b;
    int bits = bits_of_type(to);
    double limit = type_is_signed(to) ? (double)(UINT64_C(1) << (bits - 1)) : (double)(UINT64_C(1) << bits),
           low = type_is_signed(to) ? -limit : 0;
    LLVMValueRef over = LLVMBuildFCmp(B, LLVMRealOGE, x, float_constant(e, from, limit, p), "");
    LLVMValueRef fits =
        LLVMBuildFCmp(B, LLVMRealOGT, x, float_constant(e, from, low, p), ""); /* `low` itself by the rule for below */
    LLVMValueRef y = LLVMBuildSelect(B, LLVMBuildAnd(B, fits, LLVMBuildNot(B, over, ""), ""), x, float_constant(e, from, 0, p), ""),
                 r;
    LLVMTypeRef words = arith_lanes_of(e, e->i32, p);
    if (type_is_signed(to) || bits < 32) {
        r = LLVMBuildFPToSI(B, y, words, "");
    } else { /* the host converts to signed: what is too large without its upper bit */
        LLVMValueRef half = float_constant(e, from, 0x1p31, p), upper = LLVMBuildFCmp(B, LLVMRealOGE, y, half, "");
        y = LLVMBuildSelect(B, upper, LLVMBuildFSub(B, y, half, ""), y, "");
        r = LLVMBuildXor(B, LLVMBuildFPToSI(B, y, words, ""),
                         LLVMBuildSelect(B, upper, arith_whole(e, 32, 0x80000000u, p), arith_whole(e, 32, 0, p), ""), "");
    }
    uint64_t most = type_is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 : (UINT64_C(1) << bits) - 1;
    r = LLVMBuildSelect(B, over, arith_whole(e, 32, most, p), r, "");
    if (type_is_signed(to)) {
        LLVMValueRef under = LLVMBuildFCmp(B, LLVMRealOLE, x, float_constant(e, from, low, p), "");
        r = LLVMBuildSelect(B, under, arith_whole(e, 32, UINT64_MAX << (bits - 1), p), r, "");
    }
    return bits < 32 ? LLVMBuildTrunc(B, r, arith_lanes_of(e, type_of_bits(e, bits), p), "") : r;
}

static LLVMValueRef to_long(struct emit *e, LLVMValueRef x, enum ptx_type to, enum ptx_type from, int p)
{
    LLVMTypeRef types[2] = {arith_lanes_of(e, e->i64, p), arith_lanes_of(e, type_of(e, from), p)};
    const char *name = type_is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->cx, id, types, 2), f, &x, 1, "");
}

/* Floating to integer, clamped; NaN is 0, or from 64 bits or to 64 the sign alone. */
static LLVMValueRef to_integer(struct emit *e, enum ptx_type to, enum ptx_type from, int p)
{
    int bits = bits_of_type(to);
    LLVMValueRef x = source(e, 0, from, p);
    if (e->in->mods->ftz && from == PTX_F32)
        x = float_flushed(e, x);
    x = to_whole(e, x, e->in->mods->round);
    LLVMValueRef r = bits == 64 ? to_long(e, x, to, from, p) : to_word(e, x, to, from, p);
    if (from == PTX_F64 || bits == 64)
        r = LLVMBuildSelect(e->b, is_nan(e, x), arith_whole(e, bits, UINT64_C(1) << (bits - 1), p), r, "");
    return fit(e, r, to, p);
}

static LLVMValueRef to_single(struct emit *e, int p)
{
    const struct ptx_mods *m = e->in->mods;
    LLVMTypeRef type = arith_lanes_of(e, e->f32, p);
    LLVMValueRef x = source(e, 0, PTX_F64, p), r = LLVMBuildFPTrunc(e->b, x, type, "");
    if (m->round != PTX_RN)
        return NULL;
    if (m->ftz) { /* what is below 2^-126 when rounded to 24 bits is zero */
        LLVMValueRef y = LLVMBuildFPTrunc(e->b, LLVMBuildFMul(e->b, x, float_constant(e, PTX_F64, 0x1p64, p), ""), type, "");
        LLVMValueRef tiny =
            LLVMBuildFCmp(e->b, LLVMRealOLT, float_intrinsic(e, "llvm.fabs", y), float_constant(e, PTX_F32, 0x1p-62, p), "");
        LLVMValueRef u = arith_bits_as(e, r, e->i32, p), zero = LLVMBuildAnd(e->b, u, arith_whole(e, 32, 0x80000000u, p), "");
        r = arith_bits_as(e, LLVMBuildSelect(e->b, tiny, zero, u, ""), e->f32, p);
    }
    return m->sat ? float_clamped_to_one(e, r, PTX_F32, p) : r;
}

static LLVMValueRef to_double(struct emit *e, int p)
{
    const struct ptx_mods *m = e->in->mods;
    LLVMValueRef x = source_exact(e, 0, PTX_F32, p);
    if (m->ftz)
        x = exact_nan(e, float_flushed(e, x));
    LLVMValueRef r = LLVMBuildFPExt(e->b, x, arith_lanes_of(e, e->f64, p), "");
    return m->sat ? float_clamped_to_one(e, r, PTX_F64, p) : r;
}

/* To the same type: to a whole number, flushed, clamped, or as it is. */
static LLVMValueRef same_type(struct emit *e, enum ptx_type t, int p)
{
    const struct ptx_mods *m = e->in->mods;
    bool nearest = m->round == PTX_RN || m->round == PTX_RND_NONE;
    if (nearest && !m->ftz && !m->sat)
        return source_exact(e, 0, t, p);
    LLVMValueRef x = source(e, 0, t, p);
    if (m->ftz && t == PTX_F32)
        x = float_flushed(e, x);
    x = to_whole(e, x, m->round);
    if (m->sat)
        return float_clamped_to_one(e, x, t, p);
    return t == PTX_F64 ? float_quieted(e, x, x, p) : exact_nan(e, x);
}

/* --- halves --- */

static bool has_halves(const struct emit *e)
{
    return strcmp(e->job->level, "x86-64-v2"); /* F16C */
}

LLVMValueRef convert_to_half(struct emit *e, LLVMValueRef x, bool brain, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMTypeRef shorts = arith_lanes_of(e, e->i16, p);
    LLVMValueRef h;
    if (brain) {
        LLVMValueRef u = arith_bits_as(e, x, e->i32, p), by = arith_whole(e, 32, 16, p);
        LLVMValueRef odd = LLVMBuildAnd(B, LLVMBuildLShr(B, u, by, ""), arith_whole(e, 32, 1, p), "");
        u = LLVMBuildAdd(B, LLVMBuildAdd(B, u, arith_whole(e, 32, 0x7fff, p), ""), odd, "");
        h = LLVMBuildTrunc(B, LLVMBuildLShr(B, u, by, ""), shorts, "");
    } else {
        h = LLVMBuildFPTrunc(B, x, arith_lanes_of(e, LLVMHalfTypeInContext(e->cx), p), "");
        h = LLVMBuildBitCast(B, h, shorts, "");
    }
    return LLVMBuildSelect(B, is_nan(e, x), arith_whole(e, 16, 0x7fff, p), h, "");
}

static LLVMValueRef to_half(struct emit *e, bool brain, int p)
{
    const struct ptx_mods *m = e->in->mods;
    if (m->round != PTX_RN || m->ftz || m->sat)
        return NULL;
    return fit(e, convert_to_half(e, source(e, 0, PTX_F32, p), brain, p), PTX_U16, p);
}

/* Two, the first one upper. */
static LLVMValueRef to_pair(struct emit *e, bool brain, int p)
{
    const struct ptx_mods *m = e->in->mods;
    LLVMTypeRef words = arith_lanes_of(e, e->i32, p);
    if (m->round != PTX_RN || m->ftz || m->sat || e->in->nsrc != 2)
        return NULL;
    LLVMValueRef high = LLVMBuildZExt(e->b, convert_to_half(e, source(e, 0, PTX_F32, p), brain, p), words, "");
    LLVMValueRef low = LLVMBuildZExt(e->b, convert_to_half(e, source(e, 1, PTX_F32, p), brain, p), words, "");
    return LLVMBuildOr(e->b, LLVMBuildShl(e->b, high, arith_whole(e, 32, 16, p), ""), low, "");
}

static LLVMValueRef from_half(struct emit *e, bool brain, int p)
{
    if (e->in->mods->sat || e->in->mods->round != PTX_RND_NONE)
        return NULL;
    LLVMValueRef h = source(e, 0, PTX_B16, p);
    if (brain) {
        h = LLVMBuildZExt(e->b, h, arith_lanes_of(e, e->i32, p), "");
        return arith_bits_as(e, LLVMBuildShl(e->b, h, arith_whole(e, 32, 16, p), ""), e->f32, p);
    }
    h = LLVMBuildBitCast(e->b, h, arith_lanes_of(e, LLVMHalfTypeInContext(e->cx), p), "");
    return exact_nan(e, LLVMBuildFPExt(e->b, h, arith_lanes_of(e, e->f32, p), ""));
}

LLVMValueRef convert_op(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    const struct ptx_mods *m = in->mods;
    enum ptx_type to = in->type, from = in->type2;
    if (m->relu || m->satfinite)
        return NULL;
    if (type_is_integer(to) && type_is_float(from)) /* the range clamps by itself: .sat adds nothing */
        return to_integer(e, to, from, p);
    if (type_is_float(to) && type_is_float(from))
        return to == from ? same_type(e, to, p) : to == PTX_F32 ? to_single(e, p) : to_double(e, p);
    if (from == PTX_F32 && (to == PTX_F16 || to == PTX_F16X2))
        return !has_halves(e) ? NULL : to == PTX_F16 ? to_half(e, false, p) : to_pair(e, false, p);
    if (from == PTX_F32 && (to == PTX_BF16 || to == PTX_BF16X2))
        return to == PTX_BF16 ? to_half(e, true, p) : to_pair(e, true, p);
    if (to == PTX_F32 && (from == PTX_F16 || from == PTX_BF16))
        return from == PTX_F16 && !has_halves(e) ? NULL : from_half(e, from == PTX_BF16, p);
    if (m->sat)
        return NULL;
    if (type_is_integer(to) && type_is_integer(from))
        return between_integers(e, to, from, p);
    if (type_is_float(to) && type_is_integer(from) && m->round == PTX_RN) {
        LLVMTypeRef type = arith_lanes_of(e, type_of(e, to), p);
        LLVMValueRef a = source(e, 0, from, p);
        return type_is_signed(from) ? LLVMBuildSIToFP(e->b, a, type, "") : LLVMBuildUIToFP(e->b, a, type, "");
    }
    return NULL;
}
