/* Integers, logic, comparison, selection, moves (PTX ISA 9.7.1 to 9.7.9): the meanings of ptx_ops.def and of
 * interp/lanes_*.h as LLVM instructions. What is not here goes through the interpreter's lane function. */
#include "jit/llvm/emitter.h"

#include "ir/facts.h"
#include "ir/operands.h"

#include <string.h>

bool type_is_float(enum ptx_type t)
{
    return t == PTX_F32 || t == PTX_F64;
}

bool type_is_signed(enum ptx_type t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}

bool type_is_integer(enum ptx_type t)
{
    return t >= PTX_U8 && t <= PTX_B64;
}

LLVMValueRef arith_in_lanes(struct emit *e, LLVMValueRef scalar, int p)
{
    return p < 0 ? scalar : splat(e, scalar);
}

LLVMTypeRef arith_lanes_of(struct emit *e, LLVMTypeRef t, int p)
{
    return p < 0 ? t : vector_of(e, t);
}

LLVMValueRef arith_whole(struct emit *e, int bits, uint64_t v, int p)
{
    return arith_in_lanes(e, number(e, bits, v), p);
}

LLVMValueRef arith_bits_as(struct emit *e, LLVMValueRef v, LLVMTypeRef t, int p)
{
    return LLVMBuildBitCast(e->b, v, arith_lanes_of(e, t, p), "");
}

/* --- integers --- */

static LLVMValueRef shift(struct emit *e, LLVMValueRef a, int p, int bits, bool right, bool arithmetic)
{
    const struct ir_src *n = &e->in->src[1];
    LLVMValueRef limit = arith_whole(e, bits, (uint64_t)bits - 1, p);
    if (n->kind == IR_SRC_IMM) {
        uint64_t by = (uint32_t)n->imm;
        if (by >= (uint64_t)bits)
            return arithmetic ? LLVMBuildAShr(e->b, a, limit, "") : LLVMConstNull(arith_lanes_of(e, type_of_bits(e, bits), p));
        LLVMValueRef k = arith_whole(e, bits, by, p);
        return !right ? LLVMBuildShl(e->b, a, k, "") : arithmetic ? LLVMBuildAShr(e->b, a, k, "") : LLVMBuildLShr(e->b, a, k, "");
    }
    LLVMValueRef by = source(e, 1, PTX_U32, p);
    LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntULT, by, arith_whole(e, 32, (uint64_t)bits, p), "");
    LLVMTypeRef t = arith_lanes_of(e, type_of_bits(e, bits), p);
    LLVMValueRef k = bits == 64 ? LLVMBuildZExt(e->b, by, t, "") : bits == 32 ? by : LLVMBuildTrunc(e->b, by, t, "");
    LLVMValueRef safe = LLVMBuildSelect(e->b, fits, k, arithmetic ? limit : arith_whole(e, bits, 0, p), "");
    if (arithmetic)
        return LLVMBuildAShr(e->b, a, safe, "");
    LLVMValueRef r = right ? LLVMBuildLShr(e->b, a, safe, "") : LLVMBuildShl(e->b, a, safe, "");
    return LLVMBuildSelect(e->b, fits, r, LLVMConstNull(t), "");
}

LLVMValueRef arith_twice_as_wide(struct emit *e, LLVMValueRef v, int bits, bool sign, int p)
{
    LLVMTypeRef t = arith_lanes_of(e, type_of_bits(e, 2 * bits), p);
    return sign ? LLVMBuildSExt(e->b, v, t, "") : LLVMBuildZExt(e->b, v, t, "");
}

static LLVMValueRef pick(struct emit *e, LLVMIntPredicate how, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, how, a, b, ""), a, b, "");
}

/* lop3: the table's true rows, as a tree over the three inputs. */
static LLVMValueRef lookup3(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c, unsigned table, int p)
{
    LLVMValueRef leaf[4];
    for (int i = 0; i < 4; i++) { /* a and b fixed: a function of c */
        unsigned two = table >> (2 * i) & 3;
        leaf[i] = two == 0   ? arith_whole(e, 32, 0, p)
                  : two == 3 ? arith_whole(e, 32, UINT32_MAX, p)
                  : two == 2 ? c
                             : LLVMBuildNot(e->b, c, "");
    }
    LLVMValueRef half[2];
    for (int i = 0; i < 2; i++) { /* b chooses: x ^ (b & (x ^ y)) */
        LLVMValueRef d = LLVMBuildXor(e->b, leaf[2 * i], leaf[2 * i + 1], "");
        half[i] = LLVMBuildXor(e->b, leaf[2 * i], LLVMBuildAnd(e->b, b, d, ""), "");
    }
    LLVMValueRef d = LLVMBuildXor(e->b, half[0], half[1], "");
    return LLVMBuildXor(e->b, half[0], LLVMBuildAnd(e->b, a, d, ""), "");
}

/* .sat of s32: clamped to the type's range. */
static LLVMValueRef saturated(struct emit *e, enum ptx_type t, int p)
{
    LLVMValueRef args[2];
    if (t != PTX_S32 || (e->in->op != PTX_OP_ADD && e->in->op != PTX_OP_SUB))
        return NULL;
    args[0] = source(e, 0, t, p);
    args[1] = source(e, 1, t, p);
    return call_intrinsic(e, e->in->op == PTX_OP_ADD ? "llvm.sadd.sat" : "llvm.ssub.sat", LLVMTypeOf(args[0]), args, 2);
}

/* .relu of s32 */
static LLVMValueRef not_negative(struct emit *e, LLVMValueRef v, int p)
{
    return e->in->mods->relu ? pick(e, LLVMIntSGT, v, arith_whole(e, 32, 0, p)) : v;
}

static LLVMValueRef integer_op(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = in->type;
    int bits = bits_of_type(t);
    if (in->mods->cc)
        return NULL; /* emit_carry */
    LLVMBuilderRef B = e->b;
    if (in->mods->sat)
        return saturated(e, t, p);
#define A source(e, 0, t, p)
#define SECOND source(e, 1, t, p)
#define THIRD source(e, 2, t, p)
    switch (in->op) {
    case PTX_OP_ADD: return LLVMBuildAdd(B, A, SECOND, "");
    case PTX_OP_SUB: return LLVMBuildSub(B, A, SECOND, "");
    case PTX_OP_MUL_LO: return LLVMBuildMul(B, A, SECOND, "");
    case PTX_OP_MAD_LO: return LLVMBuildAdd(B, LLVMBuildMul(B, A, SECOND, ""), THIRD, "");
    case PTX_OP_MUL_WIDE:
        return LLVMBuildMul(B, arith_twice_as_wide(e, A, bits, type_is_signed(t), p),
                            arith_twice_as_wide(e, SECOND, bits, type_is_signed(t), p), "");
    case PTX_OP_MAD_WIDE: {
        LLVMValueRef x = LLVMBuildMul(B, arith_twice_as_wide(e, A, bits, type_is_signed(t), p),
                                      arith_twice_as_wide(e, SECOND, bits, type_is_signed(t), p), "");
        return LLVMBuildAdd(B, x, source(e, 2, bits == 32 ? PTX_U64 : PTX_U32, p), "");
    }
    case PTX_OP_AND: return LLVMBuildAnd(B, A, SECOND, "");
    case PTX_OP_OR: return LLVMBuildOr(B, A, SECOND, "");
    case PTX_OP_XOR: return LLVMBuildXor(B, A, SECOND, "");
    case PTX_OP_NOT: return LLVMBuildNot(B, A, "");
    case PTX_OP_NEG: return LLVMBuildNeg(B, A, "");
    case PTX_OP_ABS: {
        LLVMValueRef a = A, zero = arith_whole(e, bits, 0, p);
        return LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntSLT, a, zero, ""), LLVMBuildNeg(B, a, ""), a, "");
    }
    case PTX_OP_MIN: return not_negative(e, pick(e, type_is_signed(t) ? LLVMIntSLT : LLVMIntULT, A, SECOND), p);
    case PTX_OP_MAX: return not_negative(e, pick(e, type_is_signed(t) ? LLVMIntSGT : LLVMIntUGT, A, SECOND), p);
    case PTX_OP_SAD: {
        LLVMValueRef a = A, b = SECOND, less = LLVMBuildICmp(B, type_is_signed(t) ? LLVMIntSLT : LLVMIntULT, a, b, "");
        return LLVMBuildAdd(B, THIRD, LLVMBuildSelect(B, less, LLVMBuildSub(B, b, a, ""), LLVMBuildSub(B, a, b, ""), ""), "");
    }
    case PTX_OP_SHL: return shift(e, A, p, bits, false, false);
    case PTX_OP_SHR: return shift(e, A, p, bits, true, type_is_signed(t));
    case PTX_OP_CNOT: {
        LLVMValueRef z = LLVMBuildICmp(B, LLVMIntEQ, A, arith_whole(e, bits, 0, p), "");
        return LLVMBuildZExt(B, z, arith_lanes_of(e, type_of_bits(e, bits), p), "");
    }
    case PTX_OP_MAPA: {
        LLVMValueRef first = LLVMBuildICmp(B, LLVMIntEQ, source(e, 1, PTX_U32, p), arith_whole(e, 32, 0, p), "");
        return LLVMBuildSelect(B, first, A, arith_whole(e, bits, UINT64_MAX, p), "");
    }
    case PTX_OP_GETCTARANK: return arith_whole(e, 32, 0, p);
    case PTX_OP_LOP3:
        if (in->mods->boolop != PTX_BOOL_NONE || in->src[3].kind != IR_SRC_IMM)
            return NULL;
        return lookup3(e, A, SECOND, THIRD, (unsigned)in->src[3].imm & 255, p);
    default: {
        LLVMValueRef v = divide_op(e, p);
        return v ? v : bits_op(e, p);
    }
    }
#undef A
#undef SECOND
#undef THIRD
}

/* --- predicates: a scalar i1, or bits --- */

static LLVMValueRef predicate_source(struct emit *e, int i, bool scalar)
{
    const struct ir_src *s = &e->in->src[i];
    LLVMValueRef v = s->kind != IR_SRC_REG ? (scalar ? number(e, 1, s->imm & 1) : number(e, 32, s->imm & 1 ? UINT32_MAX : 0))
                   : scalar ? reg_get(e, s->reg).v[0] : reg_bits(e, s->reg);
    return s->negated ? LLVMBuildNot(e->b, v, "") : v;
}

static LLVMValueRef predicate_op(struct emit *e, bool scalar)
{
    for (int i = 0; i < e->in->nsrc; i++)
        if (e->in->src[i].negated) /* the lane functions read them as they are but where they say so */
            return NULL;
    switch (e->in->op) {
    case PTX_OP_AND: return LLVMBuildAnd(e->b, predicate_source(e, 0, scalar), predicate_source(e, 1, scalar), "");
    case PTX_OP_OR: return LLVMBuildOr(e->b, predicate_source(e, 0, scalar), predicate_source(e, 1, scalar), "");
    case PTX_OP_XOR: return LLVMBuildXor(e->b, predicate_source(e, 0, scalar), predicate_source(e, 1, scalar), "");
    case PTX_OP_NOT: return LLVMBuildNot(e->b, predicate_source(e, 0, scalar), "");
    case PTX_OP_MOV: return predicate_source(e, 0, scalar);
    default: return NULL;
    }
}

/* --- comparison and selection --- */

static LLVMValueRef compared(struct emit *e, int i, enum ptx_type t, int p)
{
    LLVMValueRef v = source(e, i, t, p);
    return e->in->mods->ftz && t == PTX_F32 ? float_flushed(e, v) : v;
}

static LLVMValueRef compare(struct emit *e, enum ptx_type t, int p)
{
    static const LLVMIntPredicate same[] = {[PTX_EQ] = LLVMIntEQ, [PTX_NE] = LLVMIntNE};
    static const LLVMIntPredicate s[] = {[PTX_LT] = LLVMIntSLT, [PTX_LE] = LLVMIntSLE, [PTX_GT] = LLVMIntSGT, [PTX_GE] = LLVMIntSGE};
    static const LLVMIntPredicate u[] = {[PTX_LT] = LLVMIntULT, [PTX_LE] = LLVMIntULE, [PTX_GT] = LLVMIntUGT, [PTX_GE] = LLVMIntUGE};
    static const LLVMRealPredicate f[] = {
        [PTX_EQ] = LLVMRealOEQ, [PTX_NE] = LLVMRealONE, [PTX_LT] = LLVMRealOLT, [PTX_LE] = LLVMRealOLE, [PTX_GT] = LLVMRealOGT,
        [PTX_GE] = LLVMRealOGE, [PTX_EQU] = LLVMRealUEQ, [PTX_NEU] = LLVMRealUNE, [PTX_LTU] = LLVMRealULT,
        [PTX_LEU] = LLVMRealULE, [PTX_GTU] = LLVMRealUGT, [PTX_GEU] = LLVMRealUGE, [PTX_NUM] = LLVMRealORD, [PTX_NAN] = LLVMRealUNO};
    const struct ir_inst *in = e->in;
    const struct ptx_mods *m = in->mods;
    LLVMValueRef r;
    if (m->cmp == PTX_CMP_NONE || (in->ndst > 1 && in->dst[1] != IR_NOREG) || in->dst[0] == IR_NOREG)
        return NULL;
    if (type_is_float(t))
        r = LLVMBuildFCmp(e->b, f[m->cmp], compared(e, 0, t, p), compared(e, 1, t, p), "");
    else if (type_is_integer(t) && m->cmp <= PTX_GE)
        r = LLVMBuildICmp(e->b, m->cmp <= PTX_NE ? same[m->cmp] : type_is_signed(t) ? s[m->cmp] : u[m->cmp], source(e, 0, t, p),
                          source(e, 1, t, p), "");
    else
        return NULL;
    return r;
}

/* With .and .or .xor: the third operand, of which the function that calls knows what to do. */
static LLVMValueRef combined(struct emit *e, LLVMValueRef r, LLVMValueRef c)
{
    switch (e->in->mods->boolop) {
    case PTX_BOOL_AND: return LLVMBuildAnd(e->b, r, c, "");
    case PTX_BOOL_OR: return LLVMBuildOr(e->b, r, c, "");
    case PTX_BOOL_XOR: return LLVMBuildXor(e->b, r, c, "");
    default: return r;
    }
}

/* A predicate operand of a part, or of all lanes. */
static LLVMValueRef predicate_part(struct emit *e, int i, int p)
{
    const struct ir_src *s = &e->in->src[i];
    if (source_scalar(e, i)) {
        LLVMValueRef c = predicate_source(e, i, true);
        return p < 0 ? c : splat(e, c);
    }
    LLVMValueRef c = reg_part(e, s->reg, p);
    return s->negated ? LLVMBuildNot(e->b, c, "") : c;
}

/* set: the outcome as all ones, or 1.0. */
static LLVMValueRef set(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    if (in->type != PTX_U32 && in->type != PTX_S32 && in->type != PTX_F32)
        return NULL;
    LLVMValueRef r = compare(e, in->type2, p);
    if (r && in->mods->boolop != PTX_BOOL_NONE)
        r = combined(e, r, predicate_part(e, 2, p));
    LLVMValueRef yes = arith_whole(e, 32, in->type == PTX_F32 ? 0x3f800000 : UINT32_MAX, p);
    return r ? LLVMBuildSelect(e->b, r, yes, arith_whole(e, 32, 0, p), "") : NULL;
}

/* slct: a where c is not negative (-0 is not, NaN is), else b. */
static LLVMValueRef choose_by_sign(struct emit *e, int p)
{
    enum ptx_type t = e->in->type, by = e->in->type2;
    LLVMValueRef c, yes;
    if (t == PTX_B128 || (by != PTX_S32 && by != PTX_F32))
        return NULL;
    c = compared(e, 2, by, p);
    if (by == PTX_F32)
        yes = LLVMBuildFCmp(e->b, LLVMRealOGE, c, LLVMConstNull(LLVMTypeOf(c)), "");
    else
        yes = LLVMBuildICmp(e->b, LLVMIntSGE, c, LLVMConstNull(LLVMTypeOf(c)), "");
    return LLVMBuildSelect(e->b, yes, source_exact(e, 0, t, p), source_exact(e, 1, t, p), "");
}

static LLVMValueRef test_property(struct emit *e, int p)
{
    LLVMBuilderRef B = e->b;
    enum ptx_type t = e->in->type;
    int bits = bits_of_type(t);
    uint64_t infinite = bits == 64 ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
    LLVMValueRef inf = arith_whole(e, bits, infinite, p), zero = arith_whole(e, bits, 0, p);
    LLVMValueRef x =
        LLVMBuildAnd(B, source_exact(e, 0, ir_bits_type(bits), p), arith_whole(e, bits, UINT64_MAX >> (65 - bits), p), "");
    LLVMValueRef exponent = LLVMBuildAnd(B, x, inf, ""), none = LLVMBuildICmp(B, LLVMIntEQ, x, zero, "");
    LLVMValueRef small = LLVMBuildICmp(B, LLVMIntEQ, exponent, zero, "");
    switch (e->in->mods->variant) {
    case PTX_TESTP_FINITE: return LLVMBuildICmp(B, LLVMIntULT, x, inf, "");
    case PTX_TESTP_INFINITE: return LLVMBuildICmp(B, LLVMIntEQ, x, inf, "");
    case PTX_TESTP_NUMBER: return LLVMBuildICmp(B, LLVMIntULE, x, inf, "");
    case PTX_TESTP_NOTANUMBER: return LLVMBuildICmp(B, LLVMIntUGT, x, inf, "");
    case PTX_TESTP_NORMAL: /* zero counts */
        return LLVMBuildOr(B, none, LLVMBuildAnd(B, LLVMBuildNot(B, small, ""), LLVMBuildICmp(B, LLVMIntNE, exponent, inf, ""), ""), "");
    case PTX_TESTP_SUBNORMAL: return LLVMBuildAnd(B, small, LLVMBuildNot(B, none, ""), "");
    default: return NULL;
    }
}

static LLVMValueRef choose(struct emit *e, int p)
{
    enum ptx_type t = e->in->type;
    if (t == PTX_PRED || t == PTX_B128)
        return NULL;
    LLVMValueRef c = source_scalar(e, 2) ? predicate_source(e, 2, true) : predicate_part(e, 2, p);
    return LLVMBuildSelect(e->b, c, source_exact(e, 0, t, p), source_exact(e, 1, t, p), "");
}

/* --- moves --- */

static LLVMValueRef move(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = e->k->reg_type[in->dst[0]];
    const struct ir_src *s = &in->src[0];
    if (s->kind == IR_SRC_SREG) {
        if (facts_source(s) & FACT_STATE || source_shape(e, 0).kind == SHAPE_VARYING || bits_of_type(t) != (s->sreg == PTX_SREG_GRIDID ? 64 : 32))
            return NULL;
        return source(e, 0, t, p);
    }
    return t == PTX_B128 ? NULL : e->s->lazy[in->dst[0]] ? source(e, 0, t, p) : source_exact(e, 0, t, p);
}

/* One register out of several, or several out of one. */
static bool vector_move(struct emit *e)
{
    const struct ir_inst *in = e->in;
    bool pack = in->nsrc > 1;
    int count = pack ? in->nsrc : in->ndst, bits = bits_of_type(in->type) / count;
    if (bits_of_type(in->type) > 64 || in->guard != IR_NOREG)
        return false;
    for (int d = 0; d < in->ndst; d++) {
        if (in->dst[d] == IR_NOREG)
            continue;
        struct value v = {.scalar = reg_scalar(e, in->dst[d])};
        enum ptx_type rt = e->k->reg_type[in->dst[d]];
        if (bits_of_type(rt) != (pack ? bits * count : bits))
            return false;
        for (int p = first_piece(e, in->dst[d]); p <= last_piece(e, in->dst[d]); p++) {
            LLVMValueRef r = NULL;
            LLVMTypeRef wide_type = arith_lanes_of(e, type_of_bits(e, bits * count), p);
            for (int i = 0; pack && i < count; i++) {
                LLVMValueRef x = LLVMBuildZExt(e->b, source_exact(e, i, ir_bits_type(bits), p), wide_type, "");
                if (i)
                    x = LLVMBuildShl(e->b, x, arith_whole(e, bits * count, (uint64_t)(bits * i), p), "");
                r = r ? LLVMBuildOr(e->b, r, x, "") : x;
            }
            if (!pack) {
                r = source_exact(e, 0, ir_bits_type(bits * count), p);
                if (d)
                    r = LLVMBuildLShr(e->b, r, arith_whole(e, bits * count, (uint64_t)(bits * d), p), "");
                r = LLVMBuildTrunc(e->b, r, arith_lanes_of(e, type_of_bits(e, bits), p), "");
            }
            v.v[index_of_piece(p)] = type_is_float(rt) ? arith_bits_as(e, r, type_of(e, rt), p) : r;
        }
        reg_set(e, in->dst[d], v);
    }
    return true;
}

/* cvta: shared and local memory lie in windows of the generic addresses. */
static LLVMValueRef move_window(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    uint64_t by = (uint64_t)e->job->code->step[e->site].offset; /* decoded from the space and the direction */
    if (bits_of_type(in->type) != 64)
        return NULL;
    LLVMValueRef a = source(e, 0, in->type, p);
    return by ? LLVMBuildAdd(e->b, a, arith_whole(e, 64, by, p), "") : a;
}

/* --- all of them --- */

static LLVMValueRef compute(struct emit *e, int p)
{
    const struct ir_inst *in = e->in;
    switch (in->op) {
    case PTX_OP_SELP: return choose(e, p);
    case PTX_OP_SLCT: return choose_by_sign(e, p);
    case PTX_OP_SET: return set(e, p);
    case PTX_OP_CVT: return convert_op(e, p);
    case PTX_OP_CVTA: return move_window(e, p);
    case PTX_OP_MOV:
        if (in->type != PTX_PRED)
            return move(e, p);
        break;
    default: break;
    }
    if (in->op == IR_OP_EXTERN && e->job->code->step[e->site].math)
        return math_call(e, p);
    if (in->op >= PTX_OP_COUNT)
        return NULL;
    if (in->type == PTX_PRED)
        return NULL;
    return type_is_float(in->type) ? float_op(e, p) : type_is_integer(in->type) ? integer_op(e, p) : half_op(e, p);
}

/* A value in the type that its register is kept in. */
static LLVMValueRef as_kept(struct emit *e, int32_t reg, LLVMValueRef v, int p)
{
    LLVMTypeRef t = arith_lanes_of(e, type_of(e, e->k->reg_type[reg]), p);
    LLVMTypeRef have = LLVMTypeOf(v);
    if (have == t)
        return v;
    if (LLVMGetTypeKind(have) == LLVMGetTypeKind(t) && LLVMGetTypeKind(t) == LLVMIntegerTypeKind)
        return NULL; /* another width: no code of our own */
    return LLVMBuildBitCast(e->b, v, t, "");
}

static int bits_of_value(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    switch (LLVMGetTypeKind(t)) {
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    default: return (int)LLVMGetIntTypeWidth(t);
    }
}

/* Instructions whose NaN is one of an operand's, bit for bit, or that see to it themselves. */
static bool keeps_nan(int op)
{
    return op == PTX_OP_MOV || op == PTX_OP_SELP || op == PTX_OP_SLCT || op == PTX_OP_CVT || op == PTX_OP_COPYSIGN || op == IR_OP_EXTERN;
}

static LLVMValueRef compare_or_test(struct emit *e, int p)
{
    return e->in->op == PTX_OP_TESTP ? test_property(e, p) : compare(e, e->in->type, p);
}

/* setp of operands that have one value in each group: so many comparisons, and runs of bits. */
static LLVMValueRef compare_groups(struct emit *e, int halved)
{
    LLVMValueRef bits = NULL;
    for (int g = 0; g < 1 << halved; g++) {
        uint32_t run = (uint32_t)(((UINT64_C(1) << (32 >> halved)) - 1) << shape_first_lane(g, halved));
        LLVMValueRef r = compare_or_test(e, piece_of_group(g, halved));
        if (!r)
            return NULL;
        r = LLVMBuildSelect(e->b, r, number(e, 32, run), number(e, 32, 0), "");
        bits = bits ? LLVMBuildOr(e->b, bits, r, "") : r;
    }
    return bits;
}

static bool counts_up(const struct shape *s)
{
    bool up = s->kind == SHAPE_AFFINE && !s->halved;
    for (int i = 0; i < SHAPE_LANES && up; i++)
        up = s->offset[i] == i;
    return up;
}

/* setp of integers that go up by one from lane to lane and wrap in none, with a number that is the same for all: a run of
 * bits from the first lane on, or all others; where equality is asked for, one. NULL: it is none such. */
static LLVMValueRef compare_ascending(struct emit *e)
{
    static const uint8_t turned[] = {[PTX_EQ] = PTX_EQ, [PTX_NE] = PTX_NE, [PTX_LT] = PTX_GT, [PTX_LE] = PTX_GE, [PTX_GT] = PTX_LT, [PTX_GE] = PTX_LE};
    const struct ir_inst *in = e->in;
    struct shape a = source_shape(e, 0), b = source_shape(e, 1);
    bool second = counts_up(&b) && shape_uniform(&a), sign = type_is_signed(in->type);
    const struct shape *up = second ? &b : &a;
    for (int i = 0; i < 2; i++)
        if (in->src[i].kind == IR_SRC_REG && bits_of_type(e->k->reg_type[in->src[i].reg]) != 32)
            return NULL;
    if (in->op != PTX_OP_SETP || !type_is_integer(in->type) || bits_of_type(in->type) != 32 || in->mods->cmp == PTX_CMP_NONE ||
        in->mods->cmp > PTX_GE || (in->ndst > 1 && in->dst[1] != IR_NOREG) || (!second && (!counts_up(&a) || !shape_uniform(&b))))
        return NULL;
    int cmp = second ? turned[in->mods->cmp] : in->mods->cmp;
    if (cmp > PTX_NE && (!up->bounded || (!sign && up->low < 0)))
        return NULL;
    LLVMValueRef first = source(e, second, in->type, -1), with = source(e, !second, in->type, -1), bits;
    if (cmp <= PTX_NE) {
        LLVMValueRef lane = LLVMBuildSub(e->b, with, first, "");
        LLVMValueRef bit = LLVMBuildShl(e->b, number(e, 32, 1), LLVMBuildAnd(e->b, lane, number(e, 32, 31), ""), "");
        bits = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, lane, number(e, 32, SHAPE_LANES), ""), bit, number(e, 32, 0), "");
        return cmp == PTX_NE ? LLVMBuildNot(e->b, bits, "") : bits;
    }
    LLVMOpcode widen = sign ? LLVMSExt : LLVMZExt;
    LLVMValueRef n = LLVMBuildSub(e->b, LLVMBuildCast(e->b, widen, with, e->i64, ""), LLVMBuildCast(e->b, widen, first, e->i64, ""), "");
    if (cmp == PTX_LE || cmp == PTX_GT)
        n = LLVMBuildAdd(e->b, n, number(e, 64, 1), "");
    LLVMValueRef least[2] = {n, number(e, 64, 0)};
    LLVMValueRef most[2] = {call_intrinsic(e, "llvm.smax", e->i64, least, 2), number(e, 64, SHAPE_LANES)};
    n = call_intrinsic(e, "llvm.smin", e->i64, most, 2);
    bits = LLVMBuildSub(e->b, LLVMBuildShl(e->b, number(e, 64, 1), n, ""), number(e, 64, 1), "");
    bits = LLVMBuildTrunc(e->b, bits, e->i32, "");
    return cmp == PTX_LT || cmp == PTX_LE ? bits : LLVMBuildNot(e->b, bits, "");
}

/* setp and testp, without what it is combined with: lanes in `parts`, or *one for all of them (i1 if `scalar`, else bits). */
static bool compare_all(struct emit *e, bool scalar, LLVMValueRef *parts, LLVMValueRef *one)
{
    int halved = 0, sources = e->in->op == PTX_OP_TESTP ? 1 : 2;
    for (int i = 0; i < sources && halved >= 0; i++) {
        struct shape s = source_shape(e, i);
        halved = shape_flat(&s, halved);
    }
    *one = scalar || halved >= 0 || e->in->op == PTX_OP_TESTP ? NULL : compare_ascending(e);
    if (*one)
        return true;
    if (scalar || halved >= 0) {
        *one = scalar ? compare_or_test(e, -1) : compare_groups(e, halved);
        return *one;
    }
    for (int p = 0; p < e->parts; p++) {
        parts[p] = compare_or_test(e, p);
        if (!parts[p])
            return false;
    }
    return true;
}

/* Instructions whose result is a predicate. */
static bool emit_predicate(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int32_t reg = in->dst[0];
    bool scalar = reg_scalar(e, reg);
    LLVMValueRef r = NULL, parts[MAX_PARTS];
    if (in->op == PTX_OP_SETP || in->op == PTX_OP_TESTP) {
        int with = in->mods->boolop;
        if (!compare_all(e, scalar, parts, &r))
            return false;
        if (!r && with == PTX_BOOL_NONE && in->guard == IR_NOREG) {
            struct value v = {0};
            memcpy(v.v, parts, sizeof parts);
            reg_set(e, reg, v);
            return true;
        }
        r = r ? r : packed(e, parts);
        if (with != PTX_BOOL_NONE)
            r = combined(e, r, predicate_source(e, 2, scalar));
    } else if (in->type == PTX_PRED) {
        r = predicate_op(e, scalar);
    }
    if (!r)
        return false;
    if (in->guard != IR_NOREG) {
        LLVMValueRef g = scalar ? reg_get(e, in->guard).v[0] : reg_bits(e, in->guard), old = scalar ? reg_get(e, reg).v[0] : reg_bits(e, reg);
        if (in->guard_negated)
            g = LLVMBuildNot(e->b, g, "");
        r = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, g, r, ""), LLVMBuildAnd(e->b, LLVMBuildNot(e->b, g, ""), old, ""), "");
    }
    reg_set(e, reg, scalar ? (struct value){.scalar = true, .v = {r}} : (struct value){.bits = r});
    return true;
}

void arith_guard_widening(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    int narrow = shape_guarded_source(e->k, e->s, e->job->dim, in, lo, hi);
    if (narrow < 0)
        return;
    enum ptx_type t = in->op == PTX_OP_CVT ? in->type2 : in->type;
    int halved = e->s->reg[in->dst[0]].halved;
    LLVMValueRef ok = NULL;
    int64_t all = in->src[narrow].kind == IR_SRC_REG && unroll_jam_step(e, in->dst[0])
                      ? unroll_jam_step(e, in->src[narrow].reg) * (e->job->unrolled - 1)
                      : 0;
    for (int g = 0; g < 1 << halved; g++) {
        LLVMValueRef a = source(e, narrow, t, piece_of_group(g, halved));
        bool sign = type_is_signed(t);
        int bits = bits_of_type(t);
        int64_t greatest = (INT64_C(1) << (bits - sign)) - 1, least_value = sign ? -greatest - 1 : 0;
        lo[g] += all < 0 ? all : 0; /* of the last warp */
        hi[g] += all > 0 ? all : 0;
        for (int above = 0; above < 2; above++) { /* the lowest lane, the highest */
            if (above ? hi[g] <= 0 : lo[g] >= 0)
                continue;
            LLVMValueRef end = number(e, bits, (uint64_t)(above ? greatest - hi[g] : least_value - lo[g]));
            LLVMValueRef one = LLVMBuildICmp(e->b, above ? sign ? LLVMIntSLE : LLVMIntULE : sign ? LLVMIntSGE : LLVMIntUGE, a, end, "");
            ok = ok ? LLVMBuildAnd(e->b, ok, one, "") : one;
        }
    }
    if (ok)
        flow_leave_unless(e, ok, JIT_GIVE_UP);
}

/* Of a result that is known in all lanes: the first lane of the group that piece p is. */
static LLVMValueRef known_piece(struct emit *e, int32_t reg, const struct shape *own, int p)
{
    int lane = shape_first_lane(index_of_piece(p), halved_of_piece(p));
    return number(e, bits_of_type(e->k->reg_type[reg]), own->base + (uint64_t)own->offset[lane]);
}

bool emit_arith(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (in->op == PTX_OP_MOV && (in->nsrc > 1 || in->ndst > 1))
        return vector_move(e);
    if (in->ndst < 1 || in->dst[0] == IR_NOREG || e->k->reg_type[in->dst[0]] == PTX_B128)
        return false;
    int32_t reg = in->dst[0];
    bool scalar = reg_scalar(e, reg);
    if (e->k->reg_type[reg] == PTX_PRED)
        return emit_predicate(e);
    if (facts_carry(in))
        return emit_carry(e);
    struct value v = {.scalar = scalar};
    struct shape own = scalar ? shape_of_result(e->k, e->s, e->job->dim, in) : (struct shape){0};
    for (int p = first_piece(e, reg); p <= last_piece(e, reg); p++) {
        LLVMValueRef r = scalar && own.known && type_is_integer(e->k->reg_type[reg]) ? known_piece(e, reg, &own, p) : compute(e, p);
        if (r && bits_of_value(r) != bits_of_type(e->k->reg_type[reg]))
            r = NULL;
        if (!r)
            return false;
        r = as_kept(e, reg, r, p);
        if (e->k->reg_type[reg] == PTX_F32 && !e->s->lazy[reg] && type_is_float(in->type) && !keeps_nan(in->op))
            r = exact_nan(e, r);
        if (in->guard != IR_NOREG) {
            bool one = reg_scalar(e, in->guard);
            LLVMValueRef g = one ? reg_get(e, in->guard).v[0] : reg_part(e, in->guard, p);
            LLVMValueRef old = reg_part(e, reg, p);
            r = in->guard_negated ? LLVMBuildSelect(e->b, g, old, r, "") : LLVMBuildSelect(e->b, g, r, old, "");
        }
        v.v[index_of_piece(p)] = r;
    }
    reg_set(e, reg, v);
    return true;
}
