/* Division, products' upper halves and carries of integers (PTX ISA 9.7.1, 9.7.2), as interp/lanes_meaning.h and
 * interp/lanes_special.h have them. Quotients of 32 bits go through double, which is exact there; those of 64 bits lane by
 * lane. */
#include "jit/llvm/emitter.h"

#include <string.h>

/* --- quotients --- */

static LLVMValueRef as_double(struct emit *e, LLVMValueRef x, int p)
{
    LLVMTypeRef longs = arith_lanes_of(e, e->i64, p), doubles = arith_lanes_of(e, e->f64, p);
    LLVMValueRef v = LLVMBuildOr(e->b, LLVMBuildZExt(e->b, x, longs, ""), arith_whole(e, 64, UINT64_C(0x4330000000000000), p), "");
    return LLVMBuildFSub(e->b, LLVMBuildBitCast(e->b, v, doubles, ""), arith_in_lanes(e, LLVMConstReal(e->f64, 0x1p52), p), "");
}

/* A little more than 1 / y, which is the same in all lanes and not 0: by so little that the product with a number below 2^32 lies
 * between the quotient and the next whole number above it. It is at most 2^-51 of itself too large; the quotient is at least 1 / y, 2^-32
 * of itself, below that number; and rounding takes no product across a whole number, which is a double. */
static LLVMValueRef reciprocal_u32(struct emit *e, LLVMValueRef y, int p)
{
    LLVMValueRef r = LLVMBuildFDiv(e->b, LLVMConstReal(e->f64, 1), as_double(e, y, -1), "");
    r = LLVMBuildAdd(e->b, LLVMBuildBitCast(e->b, r, e->i64, ""), number(e, 64, 1), "");
    return arith_in_lanes(e, LLVMBuildBitCast(e->b, r, e->f64, ""), p);
}

/* Of 32 bits, y not 0: one number for all lanes if `one`. */
static LLVMValueRef quotient_u32(struct emit *e, LLVMValueRef x, LLVMValueRef y, bool one, int p)
{
    LLVMValueRef q = as_double(e, x, p);
    q = one ? LLVMBuildFMul(e->b, q, reciprocal_u32(e, y, p), "") : LLVMBuildFDiv(e->b, q, as_double(e, y, p), "");
    q = call_intrinsic(e, "llvm.trunc", LLVMTypeOf(q), &q, 1);
    q = LLVMBuildFAdd(e->b, q, arith_in_lanes(e, LLVMConstReal(e->f64, 0x1p52), p), "");
    return LLVMBuildTrunc(e->b, LLVMBuildBitCast(e->b, q, arith_lanes_of(e, e->i64, p), ""), arith_lanes_of(e, e->i32, p), "");
}

/* |x| and its sign in all bits. */
static LLVMValueRef magnitude(struct emit *e, LLVMValueRef x, int bits, int p, LLVMValueRef *sign)
{
    *sign = LLVMBuildAShr(e->b, x, arith_whole(e, bits, (uint64_t)bits - 1, p), "");
    return LLVMBuildSub(e->b, LLVMBuildXor(e->b, x, *sign, ""), *sign, "");
}

/* y may be 0, which gives all ones. `by`: the piece that y is, -1 if it is one number. */
static LLVMValueRef quotient(struct emit *e, LLVMValueRef x, LLVMValueRef y, int bits, bool sign, int p, int by)
{
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, y, arith_whole(e, bits, 0, by), ""), sx = NULL, sy = NULL;
    if (sign) {
        x = magnitude(e, x, bits, p, &sx);
        y = magnitude(e, y, bits, by, &sy);
    }
    y = LLVMBuildSelect(e->b, none, arith_whole(e, bits, 1, by), y, "");
    LLVMValueRef q = bits == 64 ? LLVMBuildUDiv(e->b, x, y, "") : quotient_u32(e, x, y, by != p, p);
    if (sign) {
        LLVMValueRef s = LLVMBuildXor(e->b, sx, by == p ? sy : arith_in_lanes(e, sy, p), "");
        q = LLVMBuildSub(e->b, LLVMBuildXor(e->b, q, s, ""), s, "");
    }
    return LLVMBuildSelect(e->b, none, arith_whole(e, bits, UINT64_MAX, p), q, "");
}

/* Quotients of 32 bits by what is the same in all lanes take one division. */
static int piece_of_divisor(struct emit *e, int bits, int p)
{
    struct shape s = source_shape(e, 1);
    return p >= 0 && bits == 32 && shape_uniform(&s) ? -1 : p;
}

/* By a number: the compiler multiplies instead. */
static bool known_divisor(const struct emit *e, int bits, bool sign)
{
    const struct ir_src *s = &e->in->src[1];
    uint64_t v = bits == 64 ? s->imm : s->imm & ((UINT64_C(1) << bits) - 1), ones = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return s->kind == IR_SRC_IMM && v && !(sign && v == ones);
}

static LLVMValueRef divide(struct emit *e, enum ptx_type t, int p)
{
    int bits = bits_of_type(t), in_bits = bits < 32 ? 32 : bits;
    int by = piece_of_divisor(e, bits, p);
    LLVMValueRef x = source(e, 0, t, p), y = source(e, 1, t, p), q;
    LLVMTypeRef narrow = arith_lanes_of(e, type_of_bits(e, bits), p);
    if (known_divisor(e, bits, type_is_signed(t))) {
        q = type_is_signed(t) ? LLVMBuildSDiv(e->b, x, y, "") : LLVMBuildUDiv(e->b, x, y, "");
    } else if (bits < 32) {
        LLVMTypeRef wider = arith_lanes_of(e, e->i32, p);
        LLVMValueRef wx = type_is_signed(t) ? LLVMBuildSExt(e->b, x, wider, "") : LLVMBuildZExt(e->b, x, wider, "");
        LLVMValueRef wy = type_is_signed(t) ? LLVMBuildSExt(e->b, y, wider, "") : LLVMBuildZExt(e->b, y, wider, "");
        q = LLVMBuildTrunc(e->b, quotient(e, wx, wy, in_bits, type_is_signed(t), p, p), narrow, "");
    } else {
        q = quotient(e, x, by == p ? y : source(e, 1, t, by), bits, type_is_signed(t), p, by);
    }
    if (e->in->op == PTX_OP_DIV)
        return q;
    LLVMValueRef r = LLVMBuildSub(e->b, x, LLVMBuildMul(e->b, y, q, ""), "");
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, y, arith_whole(e, bits, 0, p), "");
    return LLVMBuildSelect(e->b, none, arith_whole(e, bits, UINT64_MAX, p), r, "");
}

/* --- products --- */

/* The upper 64 bits of a product of 64, out of four products of 32. */
static LLVMValueRef high_64(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool sign, int p)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef half = arith_whole(e, 64, 32, p), low = arith_whole(e, 64, UINT32_MAX, p);
    LLVMValueRef a0 = LLVMBuildAnd(B, a, low, ""), a1 = LLVMBuildLShr(B, a, half, "");
    LLVMValueRef b0 = LLVMBuildAnd(B, b, low, ""), b1 = LLVMBuildLShr(B, b, half, "");
    LLVMValueRef mid = LLVMBuildAdd(B, LLVMBuildMul(B, a0, b1, ""), LLVMBuildLShr(B, LLVMBuildMul(B, a0, b0, ""), half, ""), "");
    LLVMValueRef other = LLVMBuildAdd(B, LLVMBuildMul(B, a1, b0, ""), LLVMBuildAnd(B, mid, low, ""), "");
    LLVMValueRef high = LLVMBuildAdd(B, LLVMBuildMul(B, a1, b1, ""), LLVMBuildLShr(B, mid, half, ""), "");
    high = LLVMBuildAdd(B, high, LLVMBuildLShr(B, other, half, ""), "");
    if (!sign)
        return high;
    LLVMValueRef last = arith_whole(e, 64, 63, p);
    high = LLVMBuildSub(B, high, LLVMBuildAnd(B, b, LLVMBuildAShr(B, a, last, ""), ""), "");
    return LLVMBuildSub(B, high, LLVMBuildAnd(B, a, LLVMBuildAShr(B, b, last, ""), ""), "");
}

static LLVMValueRef product_high(struct emit *e, LLVMValueRef a, LLVMValueRef b, int bits, bool sign, int p)
{
    if (bits == 64)
        return high_64(e, a, b, sign, p);
    LLVMValueRef x = LLVMBuildMul(e->b, arith_twice_as_wide(e, a, bits, sign, p), arith_twice_as_wide(e, b, bits, sign, p), "");
    x = LLVMBuildLShr(e->b, x, arith_whole(e, 2 * bits, (uint64_t)bits, p), "");
    return LLVMBuildTrunc(e->b, x, arith_lanes_of(e, type_of_bits(e, bits), p), "");
}

/* mul24, mad24: of the lower 24 bits, extended. */
static LLVMValueRef low_24(struct emit *e, int i, enum ptx_type t, int p)
{
    LLVMValueRef by = arith_whole(e, 32, 8, p), v = LLVMBuildShl(e->b, source(e, i, t, p), by, "");
    return type_is_signed(t) ? LLVMBuildAShr(e->b, v, by, "") : LLVMBuildLShr(e->b, v, by, "");
}

static LLVMValueRef product_24(struct emit *e, enum ptx_type t, bool high, int p)
{
    LLVMValueRef a = low_24(e, 0, t, p), b = low_24(e, 1, t, p);
    if (!high)
        return LLVMBuildMul(e->b, a, b, "");
    LLVMValueRef x = LLVMBuildMul(e->b, arith_twice_as_wide(e, a, 32, type_is_signed(t), p),
                                  arith_twice_as_wide(e, b, 32, type_is_signed(t), p), "");
    return LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, x, arith_whole(e, 64, 16, p), ""), arith_lanes_of(e, e->i32, p), "");
}

LLVMValueRef divide_op(struct emit *e, int p)
{
    enum ptx_type t = e->in->type;
    int bits = bits_of_type(t);
    switch (e->in->op) {
    case PTX_OP_DIV:
    case PTX_OP_REM: return divide(e, t, p);
    case PTX_OP_MUL_HI: return product_high(e, source(e, 0, t, p), source(e, 1, t, p), bits, type_is_signed(t), p);
    case PTX_OP_MAD_HI:
        return LLVMBuildAdd(e->b, product_high(e, source(e, 0, t, p), source(e, 1, t, p), bits, type_is_signed(t), p),
                            source(e, 2, t, p), "");
    case PTX_OP_MUL24_LO:
    case PTX_OP_MUL24_HI: return product_24(e, t, e->in->op == PTX_OP_MUL24_HI, p);
    case PTX_OP_MAD24_LO:
    case PTX_OP_MAD24_HI:
        return LLVMBuildAdd(e->b, product_24(e, t, e->in->op == PTX_OP_MAD24_HI, p), source(e, 2, t, p), "");
    default: return NULL;
    }
}

/* --- carries: a flag of the whole kernel, which lies in its place at all times --- */

static LLVMValueRef carry_place(struct emit *e)
{
    LLVMValueRef at = number(e, 64, e->job->code->step[e->site].s[3]);
    return LLVMBuildGEP2(e->b, e->i8, e->regs, &at, 1, "");
}

/* x + y + carry (or x - y - carry): the sum, and whether it went out of the type. */
static LLVMValueRef carried(struct emit *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef carry, bool minus, LLVMValueRef *out)
{
    LLVMIntPredicate over = minus ? LLVMIntUGT : LLVMIntULT;
    LLVMValueRef r = minus ? LLVMBuildSub(e->b, x, y, "") : LLVMBuildAdd(e->b, x, y, "");
    *out = LLVMBuildICmp(e->b, over, r, x, "");
    if (!carry)
        return r;
    LLVMValueRef more = LLVMBuildZExt(e->b, carry, LLVMTypeOf(x), ""), s;
    s = minus ? LLVMBuildSub(e->b, r, more, "") : LLVMBuildAdd(e->b, r, more, "");
    *out = LLVMBuildOr(e->b, *out, LLVMBuildICmp(e->b, over, s, r, ""), "");
    return s;
}

bool emit_carry(struct emit *e)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = in->type;
    int bits = bits_of_type(t), op = in->op;
    bool minus = op == PTX_OP_SUB || op == PTX_OP_SUBC, high = op == PTX_OP_MAD_HI || op == PTX_OP_MADC_HI;
    bool product = high || op == PTX_OP_MAD_LO || op == PTX_OP_MADC_LO;
    bool takes = op == PTX_OP_ADDC || op == PTX_OP_SUBC || op == PTX_OP_MADC_LO || op == PTX_OP_MADC_HI;
    int32_t reg = in->dst[0];
    if (reg_scalar(e, reg) || bits_of_type(e->k->reg_type[reg]) != bits || ptx_type_info[e->k->reg_type[reg]].kind == 'F')
        return false;
    LLVMValueRef lanes = flow_lanes_on(e), old = NULL, outs[MAX_PARTS];
    struct value v = {.scalar = false};
    if (takes || lanes)
        old = LLVMBuildLoad2(e->b, e->i32, carry_place(e), "");
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef x = source(e, 0, t, p), y = source(e, 1, t, p);
        if (product) {
            x = high ? product_high(e, x, y, bits, type_is_signed(t), p) : LLVMBuildMul(e->b, x, y, "");
            y = source(e, 2, t, p);
        }
        v.v[p] = carried(e, x, y, takes ? unpacked(e, old, p) : NULL, minus, &outs[p]);
        if (lanes)
            v.v[p] = LLVMBuildSelect(e->b, unpacked(e, lanes, p), v.v[p], reg_part(e, reg, p), "");
    }
    if (in->mods->cc) {
        LLVMValueRef now = packed(e, outs);
        if (lanes)
            now = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, now, lanes, ""), LLVMBuildAnd(e->b, old, LLVMBuildNot(e->b, lanes, ""), ""), "");
        LLVMBuildStore(e->b, now, carry_place(e));
    }
    reg_set(e, reg, v);
    return true;
}
