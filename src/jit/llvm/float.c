/* Floating arithmetic (PTX ISA 9.7.3): the meanings of ptx_ops.def and of interp/lanes_meaning.h as LLVM instructions, to
 * nearest. Directed rounding goes through the interpreter's function. */
#include "jit/llvm/form.h"

#include "ir/operands.h"

#include <string.h>

LLVMValueRef float_flushed(struct emit *e, LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    int p = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? 0 : -1;
    LLVMValueRef u = LLVMBuildBitCast(e->b, v, arith_lanes_of(e, e->i32, p), ""), zero = arith_whole(e, 32, 0, p);
    LLVMValueRef tiny = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, u, arith_whole(e, 32, 0x7f800000, p), ""), zero, "");
    LLVMValueRef sign = LLVMBuildAnd(e->b, u, arith_whole(e, 32, 0x80000000u, p), "");
    return LLVMBuildBitCast(e->b, LLVMBuildSelect(e->b, tiny, sign, u, ""), t, "");
}

LLVMValueRef float_constant(struct emit *e, enum ptx_type t, double x, int p)
{
    return arith_in_lanes(e, LLVMConstReal(type_of(e, t), x), p);
}

LLVMValueRef float_clamped_to_one(struct emit *e, LLVMValueRef v, enum ptx_type t, int p)
{
    LLVMValueRef zero = float_constant(e, t, 0, p), one = float_constant(e, t, 1, p);
    v = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, v, zero, ""), v, zero, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, v, one, ""), one, v, "");
}

LLVMValueRef float_quieted(struct emit *e, LLVMValueRef v, LLVMValueRef else_, int p)
{
    LLVMValueRef u = LLVMBuildBitCast(e->b, v, arith_lanes_of(e, e->i64, p), "");
    u = LLVMBuildOr(e->b, u, arith_whole(e, 64, UINT64_C(0x0008000000000000), p), "");
    LLVMValueRef quiet = LLVMBuildBitCast(e->b, u, arith_lanes_of(e, e->f64, p), "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealUNO, v, v, ""), quiet, else_, "");
}

LLVMValueRef float_intrinsic(struct emit *e, const char *name, LLVMValueRef a)
{
    return call_intrinsic(e, name, LLVMTypeOf(a), &a, 1);
}

/* -0 is less than +0; one NaN loses against a number (interp/lanes_meaning.h). */
LLVMValueRef float_least(struct emit *e, LLVMValueRef x, LLVMValueRef y, enum ptx_type t, bool max, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMTypeRef ints = type_of_bits(e, bits_of_type(t));
    LLVMValueRef ux = arith_bits_as(e, x, ints, p), uy = arith_bits_as(e, y, ints, p);
    LLVMValueRef r = LLVMBuildSelect(B, LLVMBuildFCmp(B, max ? LLVMRealOGT : LLVMRealOLT, x, y, ""), ux, uy, "");
    LLVMValueRef both = max ? LLVMBuildAnd(B, ux, uy, "") : LLVMBuildOr(B, ux, uy, "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOEQ, x, y, ""), both, r, "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealUNO, x, x, ""), uy, r, "");
    r = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealUNO, y, y, ""), ux, r, "");
    r = arith_bits_as(e, r, type_of(e, t), p);
    return t == PTX_F64 ? float_quieted(e, r, r, p) : r;
}

enum { MOST_STEPS = 4 };

/* The value of a f32 operand is a number or a quiet NaN: arithmetic has made it. */
static bool is_quiet(const struct emit *e, const struct ir_src *s, int steps)
{
    if (s->kind == IR_SRC_IMM)
        return (s->imm & 0x7fffffff) <= 0x7f800000;
    const struct ir_inst *in = s->kind == IR_SRC_REG && e->form->maker[s->reg] >= 0 ? &e->k->insts[e->form->maker[s->reg]] : NULL;
    if (!in || in->type != PTX_F32 || in->guard != IR_NOREG || steps == MOST_STEPS)
        return false;
    switch (in->op) {
    case PTX_OP_FADD: case PTX_OP_FSUB: case PTX_OP_FMUL: case PTX_OP_FMA: case PTX_OP_FMAD: case PTX_OP_FDIV: case PTX_OP_RCP: case PTX_OP_SQRT:
        return true;
    case PTX_OP_CVT:
        return type_is_integer(in->type2);
    case PTX_OP_FNEG: case PTX_OP_FABS:
        return is_quiet(e, &in->src[0], steps + 1);
    case PTX_OP_FMIN: case PTX_OP_FMAX:
        return is_quiet(e, &in->src[0], steps + 1) && is_quiet(e, &in->src[1], steps + 1);
    default:
        return false;
    }
}

static LLVMValueRef least_of_quiet(struct emit *e, LLVMValueRef x, LLVMValueRef y, bool max, int p)
{
    LLVMValueRef args[2] = {x, y}, r = p < 0 ? NULL : math_least(e, x, y, max);
    if (r)
        return r;
    LLVMValueRef ux = arith_bits_as(e, x, e->i32, p), uy = arith_bits_as(e, y, e->i32, p);
    LLVMValueRef both = max ? LLVMBuildAnd(e->b, ux, uy, "") : LLVMBuildOr(e->b, ux, uy, "");
    r = call_intrinsic(e, max ? "llvm.maxnum" : "llvm.minnum", LLVMTypeOf(x), args, 2);
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, y, ""), arith_bits_as(e, both, e->f32, p), r, "");
}

/* Operands, flushed where the instruction says so; b NULL: there is none. */
struct floats {
    LLVMValueRef a, b, c;
};

static struct floats read(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef v[3] = {NULL, NULL, NULL};
    for (int i = 0; i < in->nsrc && i < 3; i++) {
        v[i] = source(e, i, in->type, p);
        if (in->mods->ftz && in->type == PTX_F32)
            v[i] = float_flushed(e, v[i]);
    }
    return (struct floats){v[0], v[1], v[2]};
}

static LLVMValueRef fused(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[3] = {a, b, c};
    return strcmp(e->job->level, "x86-64-v2") ? call_intrinsic(e, "llvm.fma", LLVMTypeOf(a), args, 3) : NULL;
}

/* div.approx and div.full of floats: a * (1 / b), scaled as in FDIV_F32_quick of interp/lanes_special.h. */
static LLVMValueRef quick_quotient(struct emit *e, const struct floats *f, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef one = float_constant(e, PTX_F32, 1, p), size = float_intrinsic(e, "llvm.fabs", f->b);
    LLVMValueRef small = LLVMBuildFCmp(B, LLVMRealOLT, size, float_constant(e, PTX_F32, 0x1p-126, p), "");
    LLVMValueRef by = LLVMBuildSelect(B, small, float_constant(e, PTX_F32, 0x1p24, p), one, "");
    if (e->in->mods->full) {
        LLVMValueRef big = LLVMBuildFCmp(B, LLVMRealOGT, size, float_constant(e, PTX_F32, 0x1p126, p), "");
        by = LLVMBuildSelect(B, big, float_constant(e, PTX_F32, 0.25, p), by, "");
    }
    LLVMValueRef r = float_flushed(e, LLVMBuildFDiv(B, one, LLVMBuildFMul(B, f->b, by, ""), ""));
    return LLVMBuildFMul(B, LLVMBuildFMul(B, f->a, by, ""), r, "");
}

static LLVMValueRef rsqrt_of_float(struct emit *e, LLVMValueRef a, int p)
{
    LLVMValueRef r = p < 0 ? NULL : math_rsqrt(e, a);
    if (r)
        return r;
    LLVMValueRef x = LLVMBuildFPExt(e->b, a, arith_lanes_of(e, e->f64, p), "");
    x = LLVMBuildFDiv(e->b, float_constant(e, PTX_F64, 1, p), float_intrinsic(e, "llvm.sqrt", x), "");
    return LLVMBuildFPTrunc(e->b, x, arith_lanes_of(e, e->f32, p), "");
}

/* The instruction on these operands; NULL: no form of its own. */
static LLVMValueRef compute(struct emit *e, const struct floats *f, int p)
{
    LLVMBuilderRef B = e->b;
    enum ptx_type t = e->in->type;
    const struct ptx_mods *m = e->in->mods;
    switch (e->in->op) {
    case PTX_OP_FADD: return LLVMBuildFAdd(B, f->a, f->b, "");
    case PTX_OP_FSUB: return LLVMBuildFSub(B, f->a, f->b, "");
    case PTX_OP_FMUL: return LLVMBuildFMul(B, f->a, f->b, "");
    case PTX_OP_FMA:
    case PTX_OP_FMAD: return fused(e, f->a, f->b, f->c);
    case PTX_OP_FDIV:
        if (m->approx || m->full)
            return t == PTX_F32 ? quick_quotient(e, f, p) : NULL;
        return LLVMBuildFDiv(B, f->a, f->b, "");
    case PTX_OP_RCP: return m->approx && t == PTX_F64 ? NULL : LLVMBuildFDiv(B, float_constant(e, t, 1, p), f->a, "");
    case PTX_OP_SQRT: return m->approx && t == PTX_F64 ? NULL : float_intrinsic(e, "llvm.sqrt", f->a);
    case PTX_OP_RSQRT:
        if (t == PTX_F64)
            return m->ftz ? NULL : LLVMBuildFDiv(B, float_constant(e, t, 1, p), float_intrinsic(e, "llvm.sqrt", f->a), "");
        return rsqrt_of_float(e, f->a, p);
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH: {
        LLVMValueRef a = f->a;
        return math_function(e, &a, p);
    }
    case PTX_OP_FNEG: {
        LLVMValueRef r = LLVMBuildFNeg(B, f->a, "");
        return t == PTX_F64 ? float_quieted(e, f->a, r, p) : r;
    }
    case PTX_OP_FABS: {
        LLVMValueRef r = float_intrinsic(e, "llvm.fabs", f->a);
        return t == PTX_F64 ? float_quieted(e, f->a, r, p) : r;
    }
    case PTX_OP_FMIN:
    case PTX_OP_FMAX: {
        bool max = e->in->op == PTX_OP_FMAX, quiet = t == PTX_F32 && is_quiet(e, &e->in->src[0], 0) && is_quiet(e, &e->in->src[1], 0);
        return quiet ? least_of_quiet(e, f->a, f->b, max, p) : float_least(e, f->a, f->b, t, max, p);
    }
    default: return NULL;
    }
}

/* What reaches 2^-126 only by its rounding is zero with .ftz: looked at again, scaled by 2^64 (interp/lanes_expand.h,
 * FLUSH_FIRST). Sums there are exact. */
static LLVMValueRef flush_first(struct emit *e, LLVMValueRef r, const struct floats *f, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef by = float_constant(e, PTX_F32, 0x1p64, p), x;
    switch (e->in->op) {
    case PTX_OP_FMUL: x = LLVMBuildFMul(B, LLVMBuildFMul(B, f->a, by, ""), f->b, ""); break;
    case PTX_OP_FMA:
    case PTX_OP_FMAD: x = fused(e, LLVMBuildFMul(B, f->a, by, ""), f->b, LLVMBuildFMul(B, f->c, by, "")); break;
    case PTX_OP_FDIV: x = LLVMBuildFDiv(B, LLVMBuildFMul(B, f->a, by, ""), f->b, ""); break;
    case PTX_OP_RCP: x = LLVMBuildFDiv(B, by, f->a, ""); break;
    default: return r;
    }
    LLVMValueRef u = arith_bits_as(e, r, e->i32, p), sign = arith_whole(e, 32, 0x80000000u, p);
    LLVMValueRef least_one = LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, u, arith_whole(e, 32, 0x7fffffff, p), ""),
                                           arith_whole(e, 32, 0x00800000, p), "");
    LLVMValueRef tiny =
        LLVMBuildFCmp(B, LLVMRealOLT, float_intrinsic(e, "llvm.fabs", x), float_constant(e, PTX_F32, 0x1p-62, p), "");
    LLVMValueRef zero = LLVMBuildAnd(B, u, sign, "");
    return arith_bits_as(e, LLVMBuildSelect(B, LLVMBuildAnd(B, least_one, tiny, ""), zero, u, ""), e->f32, p);
}

/* The magnitude of the second with the sign of the first, all bits as they are. */
static LLVMValueRef copy_sign(struct emit *e, enum ptx_type t, int p)
{
    int bits = bits_of_type(t);
    LLVMValueRef a = source_exact(e, 0, ir_bits_type(bits), p), b = source_exact(e, 1, ir_bits_type(bits), p);
    LLVMValueRef sign = arith_whole(e, bits, UINT64_C(1) << (bits - 1), p);
    a = LLVMBuildAnd(e->b, a, sign, "");
    b = LLVMBuildAnd(e->b, b, LLVMBuildNot(e->b, sign, ""), "");
    return arith_bits_as(e, LLVMBuildOr(e->b, a, b, ""), type_of(e, t), p);
}

LLVMValueRef float_op(struct emit *e, int p)
{
    const struct ptx_mods *m = e->in->mods;
    enum ptx_type t = e->in->type;
    if (m->relu || m->nan || m->xorsign_abs || (m->round != PTX_RND_NONE && m->round != PTX_RN))
        return NULL;
    if (e->in->op == PTX_OP_COPYSIGN)
        return copy_sign(e, t, p);
    struct floats f = read(e, p);
    LLVMValueRef r = compute(e, &f, p);
    if (!r)
        return NULL;
    if (m->ftz && t == PTX_F32) {
        r = float_flushed(e, r);
        if (!(m->approx || m->full) || e->in->op != PTX_OP_FDIV)
            r = flush_first(e, r, &f, p);
    }
    return m->sat ? float_clamped_to_one(e, r, t, p) : r;
}
