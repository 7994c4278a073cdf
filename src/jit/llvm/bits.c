/* Bits of integers: counts, fields, shifts of pairs, bytes, dot products of bytes (PTX ISA 9.7.1, 9.7.8), as
 * interp/lanes_meaning.h and interp/lanes_special.h have them. */
#include "jit/llvm/emitter.h"

static LLVMValueRef with_zero(struct emit *e, const char *name, LLVMValueRef a)
{
    LLVMValueRef args[2] = {a, number(e, 1, 0)}; /* of 0: the width */
    return call_intrinsic(e, name, LLVMTypeOf(a), args, 2);
}

/* A count of 64 bits' bits is a number of 32. */
static LLVMValueRef as_count(struct emit *e, LLVMValueRef v, int bits, int p)
{
    return bits == 64 ? LLVMBuildTrunc(e->b, v, arith_lanes_of(e, e->i32, p), "") : v;
}

static LLVMValueRef find_bit(struct emit *e, LLVMValueRef a, enum ptx_type t, int p)
{
    int bits = bits_of_type(t);
    LLVMValueRef last = arith_whole(e, bits, (uint64_t)bits - 1, p), ones = arith_whole(e, 32, UINT32_MAX, p);
    if (type_is_signed(t))
        a = LLVMBuildXor(e->b, a, LLVMBuildAShr(e->b, a, last, ""), "");
    LLVMValueRef n = with_zero(e, "llvm.ctlz", a);
    if (!e->in->mods->shiftamt)
        return as_count(e, LLVMBuildSub(e->b, last, n, ""), bits, p);
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, a, arith_whole(e, bits, 0, p), "");
    return LLVMBuildSelect(e->b, none, ones, as_count(e, n, bits, p), "");
}

/* Operands that count bits: their low 8 bits, in the type's width. */
static LLVMValueRef small_number(struct emit *e, int i, int bits, int p)
{
    LLVMValueRef n = LLVMBuildAnd(e->b, source(e, i, PTX_U32, p), arith_whole(e, 32, 255, p), "");
    return bits == 64 ? LLVMBuildZExt(e->b, n, arith_lanes_of(e, e->i64, p), "") : n;
}

/* v shifted by n, which may be the width and more: then 0, or the sign. */
static LLVMValueRef moved(struct emit *e, LLVMValueRef v, LLVMValueRef n, int bits, LLVMOpcode how, int p)
{
    LLVMValueRef last = arith_whole(e, bits, (uint64_t)bits - 1, p), fits = LLVMBuildICmp(e->b, LLVMIntULE, n, last, "");
    if (how == LLVMAShr)
        return LLVMBuildAShr(e->b, v, LLVMBuildSelect(e->b, fits, n, last, ""), "");
    LLVMValueRef zero = arith_whole(e, bits, 0, p), safe = LLVMBuildSelect(e->b, fits, n, zero, "");
    return LLVMBuildSelect(e->b, fits, LLVMBuildBinOp(e->b, how, v, safe, ""), zero, "");
}

/* The low n bits set. */
static LLVMValueRef low_bits(struct emit *e, LLVMValueRef n, int bits, int p)
{
    LLVMValueRef ones = arith_whole(e, bits, UINT64_MAX, p);
    return LLVMBuildNot(e->b, moved(e, ones, n, bits, LLVMShl, p), "");
}

static LLVMValueRef extract_field(struct emit *e, enum ptx_type t, int p)
{
    int bits = bits_of_type(t);
    LLVMValueRef a = source(e, 0, t, p), at = small_number(e, 1, bits, p), n = small_number(e, 2, bits, p);
    LLVMValueRef low = low_bits(e, n, bits, p);
    LLVMValueRef field = LLVMBuildAnd(e->b, moved(e, a, at, bits, type_is_signed(t) ? LLVMAShr : LLVMLShr, p), low, "");
    if (!type_is_signed(t))
        return field;
    /* the sign: the field's last bit, or the number's where the field goes past it */
    LLVMValueRef last = arith_whole(e, bits, (uint64_t)bits - 1, p), one = arith_whole(e, bits, 1, p),
                 zero = arith_whole(e, bits, 0, p);
    LLVMValueRef end = LLVMBuildSub(e->b, LLVMBuildAdd(e->b, at, n, ""), one, "");
    end = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, end, last, ""), end, last, "");
    LLVMValueRef negative = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, a, end, ""), one, "");
    negative = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, n, zero, ""), zero, LLVMBuildNeg(e->b, negative, ""), "");
    return LLVMBuildOr(e->b, field, LLVMBuildAnd(e->b, negative, LLVMBuildNot(e->b, low, ""), ""), "");
}

static LLVMValueRef insert_field(struct emit *e, enum ptx_type t, int p)
{
    int bits = bits_of_type(t);
    LLVMValueRef a = source(e, 0, t, p), b = source(e, 1, t, p), at = small_number(e, 2, bits, p), n = small_number(e, 3, bits, p);
    LLVMValueRef field = moved(e, low_bits(e, n, bits, p), at, bits, LLVMShl, p), value = moved(e, a, at, bits, LLVMShl, p);
    return LLVMBuildOr(e->b, LLVMBuildAnd(e->b, b, LLVMBuildNot(e->b, field, ""), ""), LLVMBuildAnd(e->b, value, field, ""), "");
}

/* The pair b:a shifted by n; left gives its high word, right its low one. */
static LLVMValueRef funnel(struct emit *e, int p)
{
    bool left = e->in->op == PTX_OP_SHF_L;
    LLVMValueRef a = source(e, 0, PTX_B32, p), b = source(e, 1, PTX_B32, p), n = source(e, 2, PTX_U32, p);
    LLVMValueRef args[3] = {b, a, n}; /* by the low five bits of n */
    LLVMValueRef r = call_intrinsic(e, left ? "llvm.fshl" : "llvm.fshr", LLVMTypeOf(a), args, 3);
    if (e->in->mods->variant == PTX_SHF_WRAP)
        return r;
    LLVMValueRef far = LLVMBuildICmp(e->b, LLVMIntUGE, n, arith_whole(e, 32, 32, p), "");
    return LLVMBuildSelect(e->b, far, left ? a : b, r, "");
}

static LLVMValueRef pick_bytes(struct emit *e, int p)
{
    LLVMValueRef a = source(e, 0, PTX_B32, p), b = source(e, 1, PTX_B32, p), c = source(e, 2, PTX_B32, p), r = NULL;
    if (e->in->mods->variant != PTX_VARIANT_NONE)
        return NULL;
    for (unsigned k = 0; k < 4; k++) { /* constant selectors fold */
        LLVMValueRef s = LLVMBuildLShr(e->b, c, arith_whole(e, 32, 4 * k, p), ""), zero = arith_whole(e, 32, 0, p);
        LLVMValueRef of_a = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, s, arith_whole(e, 32, 4, p), ""), zero, "");
        LLVMValueRef by = LLVMBuildShl(e->b, LLVMBuildAnd(e->b, s, arith_whole(e, 32, 3, p), ""), arith_whole(e, 32, 3, p), "");
        LLVMValueRef byte = LLVMBuildLShr(e->b, LLVMBuildSelect(e->b, of_a, a, b, ""), by, "");
        byte = LLVMBuildAnd(e->b, byte, arith_whole(e, 32, 255, p), "");
        LLVMValueRef plain = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, s, arith_whole(e, 32, 8, p), ""), zero, "");
        LLVMValueRef sign =
            LLVMBuildMul(e->b, LLVMBuildLShr(e->b, byte, arith_whole(e, 32, 7, p), ""), arith_whole(e, 32, 255, p), "");
        byte = LLVMBuildShl(e->b, LLVMBuildSelect(e->b, plain, byte, sign, ""), arith_whole(e, 32, 8 * k, p), "");
        r = r ? LLVMBuildOr(e->b, r, byte, "") : byte;
    }
    return r;
}

/* Bits [at, at + bits) of x, extended. */
static LLVMValueRef dot_part(struct emit *e, LLVMValueRef x, unsigned at, unsigned bits, bool sign, int p)
{
    x = LLVMBuildShl(e->b, x, arith_whole(e, 32, 32 - bits - at, p), "");
    LLVMValueRef by = arith_whole(e, 32, 32 - bits, p);
    return sign ? LLVMBuildAShr(e->b, x, by, "") : LLVMBuildLShr(e->b, x, by, "");
}

static LLVMValueRef dot(struct emit *e, int p)
{
    const struct ptx_mods *m = e->in->mods;
    bool four = e->in->op == PTX_OP_DP4A, sa = m->type[0] == PTX_S32, sb = m->type[1] == PTX_S32;
    unsigned half = m->sel == PTX_SEL_HI ? 16 : 0;
    LLVMValueRef a = source(e, 0, PTX_B32, p), b = source(e, 1, PTX_B32, p), sum = source(e, 2, PTX_B32, p);
    for (unsigned k = 0; k < (four ? 4 : 2); k++) {
        LLVMValueRef x = four ? dot_part(e, a, 8 * k, 8, sa, p) : dot_part(e, a, 16 * k, 16, sa, p);
        sum = LLVMBuildAdd(e->b, sum, LLVMBuildMul(e->b, x, dot_part(e, b, (four ? 0 : half) + 8 * k, 8, sb, p), ""), "");
    }
    return sum;
}

LLVMValueRef bits_op(struct emit *e, int p)
{
    enum ptx_type t = e->in->type;
    int bits = bits_of_type(t);
    LLVMValueRef a;
    switch (e->in->op) {
    case PTX_OP_POPC:
        a = source(e, 0, t, p);
        return as_count(e, call_intrinsic(e, "llvm.ctpop", LLVMTypeOf(a), &a, 1), bits, p);
    case PTX_OP_CLZ: return as_count(e, with_zero(e, "llvm.ctlz", source(e, 0, t, p)), bits, p);
    case PTX_OP_BFIND: return find_bit(e, source(e, 0, t, p), t, p);
    case PTX_OP_BREV:
        a = source(e, 0, t, p);
        return call_intrinsic(e, "llvm.bitreverse", LLVMTypeOf(a), &a, 1);
    case PTX_OP_BFE: return extract_field(e, t, p);
    case PTX_OP_BFI: return insert_field(e, t, p);
    case PTX_OP_SHF_L:
    case PTX_OP_SHF_R: return funnel(e, p);
    case PTX_OP_PRMT: return pick_bytes(e, p);
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return dot(e, p);
    default: return NULL;
    }
}
