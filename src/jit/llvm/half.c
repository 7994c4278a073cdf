/* Arithmetic of f16 and of pairs of them (PTX ISA 9.7.4), on hosts with F16C, as interp/lanes_half.h has it.
 *
 * Sums and products of two halves are made in f32: a product is exact there, and a sum rounded to 24 bits rounds to 11 as
 * the sum itself does (24 is 2 * 11 + 2). A fused multiply-add is made in f64, where it is exact unless the result is
 * infinite in f16 or c alone, and goes to f32 rounded to odd. NaN is 0x7fff. The lesser of two is found in integers. */
#include "jit/llvm/emitter.h"

#include <string.h>

/* A half in lanes of 16 bits as f32. */
static LLVMValueRef single_of(struct emit *e, LLVMValueRef h, int p)
{
    h = LLVMBuildBitCast(e->b, h, arith_lanes_of(e, LLVMHalfTypeInContext(e->cx), p), "");
    return LLVMBuildFPExt(e->b, h, arith_lanes_of(e, e->f32, p), "");
}

/* f64 to f32, to odd: what is inexact gets an odd last bit. */
static LLVMValueRef odd_single(struct emit *e, LLVMValueRef d, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef f = LLVMBuildFPTrunc(B, d, arith_lanes_of(e, e->f32, p), ""), back = LLVMBuildFPExt(B, f, LLVMTypeOf(d), "");
    LLVMTypeRef words = arith_lanes_of(e, e->i32, p);
    LLVMValueRef u = arith_bits_as(e, f, e->i32, p), one = arith_whole(e, 32, 1, p), zero = arith_whole(e, 32, 0, p);
    LLVMValueRef below =
        LLVMBuildFCmp(B, LLVMRealOLT, float_intrinsic(e, "llvm.fabs", back), float_intrinsic(e, "llvm.fabs", d), "");
    LLVMValueRef above =
        LLVMBuildFCmp(B, LLVMRealOGT, float_intrinsic(e, "llvm.fabs", back), float_intrinsic(e, "llvm.fabs", d), "");
    LLVMValueRef by = LLVMBuildSub(B, LLVMBuildZExt(B, below, words, ""), LLVMBuildZExt(B, above, words, ""), "");
    LLVMValueRef even = LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, u, one, ""), zero, "");
    return arith_bits_as(e, LLVMBuildAdd(B, u, LLVMBuildSelect(B, even, by, zero, ""), ""), e->f32, p);
}

static LLVMValueRef is_nan(struct emit *e, LLVMValueRef h, int p)
{
    LLVMValueRef size = LLVMBuildAnd(e->b, h, arith_whole(e, 16, 0x7fff, p), "");
    return LLVMBuildICmp(e->b, LLVMIntUGT, size, arith_whole(e, 16, 0x7c00, p), "");
}

/* Of a number, what orders halves as integers are ordered, -0 below +0; and back. */
static LLVMValueRef ordered(struct emit *e, LLVMValueRef h, int p)
{
    LLVMValueRef sign = LLVMBuildAShr(e->b, h, arith_whole(e, 16, 15, p), "");
    return LLVMBuildXor(e->b, h, LLVMBuildAnd(e->b, sign, arith_whole(e, 16, 0x7fff, p), ""), "");
}

/* In integers: of a comparison of halves that came from f32 LLVM makes a call of fmaxf. */
static LLVMValueRef least(struct emit *e, LLVMValueRef x, LLVMValueRef y, bool max, int p)
{
    LLVMValueRef keys[2] = {ordered(e, x, p), ordered(e, y, p)}, of_x = is_nan(e, x, p), of_y = is_nan(e, y, p);
    LLVMValueRef r = ordered(e, call_intrinsic(e, max ? "llvm.smax" : "llvm.smin", LLVMTypeOf(x), keys, 2), p);
    r = LLVMBuildSelect(e->b, of_y, x, r, "");
    r = LLVMBuildSelect(e->b, of_x, y, r, "");
    return LLVMBuildSelect(e->b, LLVMBuildAnd(e->b, of_x, of_y, ""), arith_whole(e, 16, 0x7fff, p), r, "");
}

/* One half out of up to three. */
static LLVMValueRef compute(struct emit *e, LLVMValueRef *h, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef x[3] = {NULL, NULL, NULL}, r;
    if (e->in->op == PTX_OP_FMIN || e->in->op == PTX_OP_FMAX)
        return least(e, h[0], h[1], e->in->op == PTX_OP_FMAX, p);
    for (int i = 0; i < e->in->nsrc && i < 3; i++)
        x[i] = single_of(e, h[i], p);
    switch (e->in->op) {
    case PTX_OP_FADD: r = LLVMBuildFAdd(B, x[0], x[1], ""); break;
    case PTX_OP_FSUB: r = LLVMBuildFSub(B, x[0], x[1], ""); break;
    case PTX_OP_FMUL: r = LLVMBuildFMul(B, x[0], x[1], ""); break;
    case PTX_OP_FMA: {
        LLVMTypeRef doubles = arith_lanes_of(e, e->f64, p);
        for (int i = 0; i < 3; i++)
            x[i] = LLVMBuildFPExt(B, x[i], doubles, "");
        r = odd_single(e, LLVMBuildFAdd(B, LLVMBuildFMul(B, x[0], x[1], ""), x[2], ""), p);
        break;
    }
    case PTX_OP_FNEG: r = LLVMBuildFNeg(B, x[0], ""); break;
    case PTX_OP_FABS: r = float_intrinsic(e, "llvm.fabs", x[0]); break;
    default: return NULL;
    }
    return convert_to_half(e, r, false, p);
}

LLVMValueRef half_op(struct emit *e, int p)
{
    const struct ptx_mods *m = e->in->mods;
    bool pair = e->in->type == PTX_F16X2;
    LLVMTypeRef words = arith_lanes_of(e, e->i32, p), halves = arith_lanes_of(e, e->i16, p);
    LLVMValueRef low[3], high[3], by = arith_whole(e, 32, 16, p);
    if ((!pair && e->in->type != PTX_F16) || m->ftz || m->sat || m->relu || m->nan || m->xorsign_abs || !strcmp(e->job->level, "x86-64-v2"))
        return NULL;
    for (int i = 0; i < e->in->nsrc && i < 3; i++) {
        LLVMValueRef v = source(e, i, pair ? PTX_B32 : PTX_B16, p);
        low[i] = pair ? LLVMBuildTrunc(e->b, v, halves, "") : v;
        high[i] = pair ? LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, v, by, ""), halves, "") : NULL;
    }
    LLVMValueRef a = compute(e, low, p), b = pair && a ? compute(e, high, p) : NULL;
    if (!a || !pair)
        return a;
    return LLVMBuildOr(e->b, LLVMBuildShl(e->b, LLVMBuildZExt(e->b, b, words, ""), by, ""), LLVMBuildZExt(e->b, a, words, ""), "");
}
