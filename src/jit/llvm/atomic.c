/* Atomics on words of 32 and 64 bits (PTX ISA 9.7.13.5, 9.7.13.6): lanes one after the other, ascending, as the interpreter
 * does them; the same bounds check of all addresses as gathers (gather.c).
 *
 * A block runs on one thread, so its shared memory needs no locked instruction. Integers that all lanes add to, or take the
 * least of, and the like, in one place are first put together, and done at once. */
#include "jit/llvm/emitter.h"

#include "ir/operands.h"

enum { AT, VALUE, SECOND, RESULT }; /* arrays of scratch */

struct operands {
    LLVMValueRef b, c; /* integers of the type's width; c: of cas */
    LLVMTypeRef type;
    bool shared;
    LLVMValueRef unchanged, bit; /* or NULL; launches that count: where lanes that change nothing are noted; the lane's bit */
};

static bool has_result(const struct emit *e)
{
    return e->in->ndst && e->in->dst[0] != IR_NOREG;
}

static bool same_for_all(struct emit *e, int i)
{
    struct shape s = source_shape(e, i);
    return shape_uniform(&s);
}

/* Single precision flushes in global memory and keeps subnormals in shared memory; interp/access.h, add_value. */
static LLVMValueRef float_sum(struct emit *e, LLVMValueRef old, const struct operands *o)
{
    bool single = e->in->type == PTX_F32;
    LLVMTypeRef t = type_of(e, e->in->type);
    LLVMValueRef x = LLVMBuildBitCast(e->b, old, t, ""), y = LLVMBuildBitCast(e->b, o->b, t, "");
    if (single && !o->shared) {
        x = float_flushed(e, x);
        y = float_flushed(e, y);
    }
    LLVMValueRef sum = LLVMBuildFAdd(e->b, x, y, "");
    if (single && !o->shared)
        sum = float_flushed(e, sum);
    if (single)
        return LLVMBuildBitCast(e->b, exact_nan(e, sum), o->type, "");
    LLVMValueRef nan = LLVMBuildFCmp(e->b, LLVMRealUNO, sum, sum, "");
    return LLVMBuildSelect(e->b, nan, number(e, 64, UINT64_C(0xfff8000000000000)), LLVMBuildBitCast(e->b, sum, o->type, ""), "");
}

/* What is there after a lane's turn. */
static LLVMValueRef changed(struct emit *e, LLVMValueRef old, const struct operands *o)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef b = o->b, zero = LLVMConstNull(o->type), one = LLVMConstInt(o->type, 1, false);
    bool sign = type_is_signed(e->in->type);
    switch (e->in->mods->atomic) {
    case PTX_ATOMIC_ADD:
        return type_is_float(e->in->type) ? float_sum(e, old, o) : LLVMBuildAdd(B, old, b, "");
    case PTX_ATOMIC_MIN:
        return LLVMBuildSelect(B, LLVMBuildICmp(B, sign ? LLVMIntSLT : LLVMIntULT, b, old, ""), b, old, "");
    case PTX_ATOMIC_MAX:
        return LLVMBuildSelect(B, LLVMBuildICmp(B, sign ? LLVMIntSLT : LLVMIntULT, old, b, ""), b, old, "");
    case PTX_ATOMIC_INC:
        return LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntUGE, old, b, ""), zero, LLVMBuildAdd(B, old, one, ""), "");
    case PTX_ATOMIC_DEC: {
        LLVMValueRef over = LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntEQ, old, zero, ""), LLVMBuildICmp(B, LLVMIntUGT, old, b, ""), "");
        return LLVMBuildSelect(B, over, b, LLVMBuildSub(B, old, one, ""), "");
    }
    case PTX_ATOMIC_CAS:
        return LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntEQ, old, b, ""), o->c, old, "");
    case PTX_ATOMIC_EXCH:
        return b;
    case PTX_ATOMIC_AND:
        return LLVMBuildAnd(B, old, b, "");
    case PTX_ATOMIC_OR:
        return LLVMBuildOr(B, old, b, "");
    default: /* PTX_ATOMIC_XOR */
        return LLVMBuildXor(B, old, b, "");
    }
}

/* The host's locked operation, or -1. */
static int host_operation(const struct emit *e)
{
    bool sign = type_is_signed(e->in->type);
    switch (e->in->mods->atomic) {
    case PTX_ATOMIC_ADD: return type_is_float(e->in->type) ? -1 : LLVMAtomicRMWBinOpAdd;
    case PTX_ATOMIC_MIN: return sign ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    case PTX_ATOMIC_MAX: return sign ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    case PTX_ATOMIC_EXCH: return LLVMAtomicRMWBinOpXchg;
    case PTX_ATOMIC_AND: return LLVMAtomicRMWBinOpAnd;
    case PTX_ATOMIC_OR: return LLVMAtomicRMWBinOpOr;
    case PTX_ATOMIC_XOR: return LLVMAtomicRMWBinOpXor;
    default: return -1;
    }
}

static LLVMValueRef exchange_if(struct emit *e, LLVMValueRef at, LLVMValueRef old, LLVMValueRef now, LLVMValueRef *done)
{
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMValueRef both = LLVMBuildAtomicCmpXchg(e->b, at, old, now, order, LLVMAtomicOrderingMonotonic, false);
    *done = LLVMBuildExtractValue(e->b, both, 1, "");
    return LLVMBuildExtractValue(e->b, both, 0, "");
}

/* One change at one place, in global memory among other threads: what was there before. */
static LLVMValueRef change(struct emit *e, LLVMValueRef at, const struct operands *o)
{
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMValueRef done;
    if (o->shared) {
        LLVMValueRef old = LLVMBuildLoad2(e->b, o->type, at, ""), now = changed(e, old, o);
        LLVMBuildStore(e->b, now, at);
        if (o->unchanged) {
            LLVMValueRef some = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, old, now, ""), o->bit, number(e, 32, 0), "");
            LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->i32, o->unchanged, ""), some, ""), o->unchanged);
        }
        return old;
    }
    if (e->in->mods->atomic == PTX_ATOMIC_CAS)
        return exchange_if(e, at, o->b, o->c, &done);
    int how = host_operation(e);
    if (how >= 0)
        return LLVMBuildAtomicRMW(e->b, (LLVMAtomicRMWBinOp)how, at, o->b, order, false);
    LLVMValueRef first = LLVMBuildLoad2(e->b, o->type, at, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, (unsigned)bits_of_type(e->in->type) / 8);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), again = new_block(e, "again"), on = new_block(e, "changed");
    LLVMBuildBr(e->b, again);
    LLVMPositionBuilderAtEnd(e->b, again);
    LLVMValueRef old = LLVMBuildPhi(e->b, o->type, "");
    LLVMValueRef seen = exchange_if(e, at, old, changed(e, old, o), &done);
    LLVMAddIncoming(old, &first, &before, 1);
    LLVMAddIncoming(old, &seen, &again, 1);
    likely(e, LLVMBuildCondBr(e->b, done, on, again), true);
    LLVMPositionBuilderAtEnd(e->b, on);
    return old;
}

/* --- all lanes in one place --- */

LLVMValueRef atomic_reduced(struct emit *e, const LLVMValueRef *parts)
{
    static const struct {
        const char *reduce, *two;
    } how[][2] = { /* of unsigned numbers and of signed ones; two: NULL: an instruction */
        [PTX_ATOMIC_ADD] = {{"llvm.vector.reduce.add", NULL}, {"llvm.vector.reduce.add", NULL}},
        [PTX_ATOMIC_AND] = {{"llvm.vector.reduce.and", NULL}, {"llvm.vector.reduce.and", NULL}},
        [PTX_ATOMIC_OR] = {{"llvm.vector.reduce.or", NULL}, {"llvm.vector.reduce.or", NULL}},
        [PTX_ATOMIC_XOR] = {{"llvm.vector.reduce.xor", NULL}, {"llvm.vector.reduce.xor", NULL}},
        [PTX_ATOMIC_MIN] = {{"llvm.vector.reduce.umin", "llvm.umin"}, {"llvm.vector.reduce.smin", "llvm.smin"}},
        [PTX_ATOMIC_MAX] = {{"llvm.vector.reduce.umax", "llvm.umax"}, {"llvm.vector.reduce.smax", "llvm.smax"}},
    };
    int op = e->in->mods->atomic;
    const char *reduce = how[op][type_is_signed(e->in->type)].reduce, *two = how[op][type_is_signed(e->in->type)].two;
    LLVMValueRef all = parts[0];
    for (int p = 1; p < e->parts; p++) {
        LLVMValueRef args[2] = {all, parts[p]};
        all = two ? call_intrinsic(e, two, LLVMTypeOf(all), args, 2)
            : op == PTX_ATOMIC_ADD ? LLVMBuildAdd(e->b, all, parts[p], "") : op == PTX_ATOMIC_AND ? LLVMBuildAnd(e->b, all, parts[p], "")
            : op == PTX_ATOMIC_OR ? LLVMBuildOr(e->b, all, parts[p], "") : LLVMBuildXor(e->b, all, parts[p], "");
    }
    return call_intrinsic(e, reduce, LLVMTypeOf(all), &all, 1);
}

static LLVMValueRef lanes_or_all(struct emit *e, const struct many *g)
{
    return g->lanes ? g->lanes : number(e, 32, UINT32_MAX);
}

static LLVMValueRef count_of(struct emit *e, LLVMValueRef lanes, LLVMTypeRef t)
{
    LLVMValueRef n = call_intrinsic(e, "llvm.ctpop", e->i32, &lanes, 1);
    return t == e->i32 ? n : LLVMBuildZExt(e->b, n, t, "");
}

/* b of all lanes that are on in one: the same for all, */
static LLVMValueRef together_scalar(struct emit *e, const struct many *g, const struct operands *o)
{
    LLVMValueRef n = count_of(e, lanes_or_all(e, g), o->type);
    switch (e->in->mods->atomic) {
    case PTX_ATOMIC_ADD:
        return LLVMBuildMul(e->b, o->b, n, "");
    case PTX_ATOMIC_XOR:
        return LLVMBuildMul(e->b, o->b, LLVMBuildAnd(e->b, n, LLVMConstInt(o->type, 1, false), ""), "");
    default: /* and, or, min, max */
        return o->b;
    }
}

/* or each lane's own. */
static LLVMValueRef together(struct emit *e, const struct many *g)
{
    int op = e->in->mods->atomic, bits = bits_of_type(e->in->type);
    uint64_t least_one = type_is_signed(e->in->type) ? UINT64_C(1) << (bits - 1) : 0;
    uint64_t neutral = op == PTX_ATOMIC_MIN ? ~least_one : op == PTX_ATOMIC_MAX ? least_one : op == PTX_ATOMIC_AND ? UINT64_MAX : 0;
    LLVMValueRef parts[MAX_PARTS];
    for (int p = 0; p < e->parts; p++) {
        parts[p] = source_exact(e, 1, ir_bits_type(bits), p);
        if (g->lanes)
            parts[p] = LLVMBuildSelect(e->b, g->on[p], parts[p], splat(e, number(e, bits, neutral)), "");
    }
    return atomic_reduced(e, parts);
}

/* The number of lanes that are on before each lane of a part, in the type. */
static LLVMValueRef before_lane(struct emit *e, const struct many *g, int p, const struct operands *o)
{
    LLVMValueRef v[64];
    for (int i = 0; i < e->width; i++)
        v[i] = number(e, 32, g->lanes ? (UINT64_C(1) << (p * e->width + i)) - 1 : (uint64_t)(p * e->width + i));
    LLVMValueRef n = LLVMConstVector(v, (unsigned)e->width);
    if (g->lanes) {
        n = LLVMBuildAnd(e->b, n, splat(e, g->lanes), "");
        n = call_intrinsic(e, "llvm.ctpop", LLVMTypeOf(n), &n, 1);
    }
    return o->type == e->i32 ? n : LLVMBuildZExt(e->b, n, vector_of(e, o->type), "");
}

/* False: lanes have to take turns. */
static bool at_once(struct emit *e, const struct many *g, const struct operands *o, struct value *result)
{
    int op = e->in->mods->atomic;
    bool some = has_result(e);
    if (!g->one || o->unchanged || type_is_float(e->in->type) || op == PTX_ATOMIC_INC || op == PTX_ATOMIC_DEC ||
        op == PTX_ATOMIC_CAS || op == PTX_ATOMIC_EXCH || (some && (op != PTX_ATOMIC_ADD || !o->b)))
        return false;
    struct operands all = *o;
    all.b = o->b ? together_scalar(e, g, o) : together(e, g);
    LLVMValueRef old = change(e, gather_pointer(e, g, 0, 0), &all);
    for (int p = 0; p < e->parts && some; p++) {
        LLVMValueRef v = LLVMBuildMul(e->b, before_lane(e, g, p, o), splat(e, o->b), "");
        result->v[p] = LLVMBuildAdd(e->b, v, splat(e, old), "");
    }
    return true;
}

/* --- all of it --- */

/* The address of a lane, of 32 bits: half of a number of 64. Two lanes leave the host's vectors at a time, without a way over memory. */
static LLVMValueRef address_of_lane(struct emit *e, const struct many *g, int lane)
{
    int i = lane % e->width;
    LLVMValueRef pairs = LLVMBuildBitCast(e->b, g->at[lane / e->width], LLVMVectorType(e->i64, (unsigned)e->width / 2), "");
    LLVMValueRef two = LLVMBuildExtractElement(e->b, pairs, number(e, 32, (uint64_t)i / 2), "");
    return LLVMBuildTrunc(e->b, i % 2 ? LLVMBuildLShr(e->b, two, number(e, 64, 32), "") : two, e->i32, "");
}

/* nth: the lane's number, or -1: it is known only where the code runs. */
static void lane_in_turn(struct emit *e, const struct many *g, struct operands *o, LLVMValueRef lane, int nth, bool own_b, bool own_c)
{
    LLVMValueRef at = g->one;
    o->bit = LLVMBuildShl(e->b, number(e, 32, 1), lane, "");
    if (!at)
        at = nth >= 0 ? address_of_lane(e, g, nth) : scratch_load(e, AT, lane, g->narrow ? e->i32 : e->i64);
    if (g->narrow)
        at = LLVMBuildZExt(e->b, at, e->i64, "");
    if (own_b)
        o->b = scratch_load(e, VALUE, lane, o->type);
    if (own_c)
        o->c = scratch_load(e, SECOND, lane, o->type);
    LLVMValueRef old = change(e, LLVMBuildGEP2(e->b, e->i8, g->base, &at, 1, ""), o);
    if (has_result(e)) {
        LLVMValueRef i = LLVMBuildZExt(e->b, lane, e->i64, "");
        LLVMBuildStore(e->b, old, LLVMBuildGEP2(e->b, o->type, scratch(e, RESULT), &i, 1, ""));
    }
}

/* Lanes one after the other. Shared memory is near, so there the turns of a loop would take longer than what is done in them. */
static void in_turn(struct emit *e, const struct many *g, struct operands *o, struct value *result)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = ir_bits_type(bits_of_type(in->type));
    bool own_b = !o->b, own_c = in->nsrc > 2 && !o->c;
    LLVMValueRef parts[MAX_PARTS];
    for (int s = 1; s <= 2; s++) {
        if (!(s == 1 ? own_b : own_c))
            continue;
        for (int p = 0; p < e->parts; p++)
            parts[p] = source_exact(e, s, t, p);
        scratch_store(e, s == 1 ? VALUE : SECOND, parts, g->bytes);
    }
    bool unrolled = !g->lanes && o->shared, paired = unrolled && g->narrow;
    if (!g->one && !paired)
        scratch_store(e, AT, g->at, g->narrow ? 4 : 8);
    if (o->unchanged)
        LLVMBuildStore(e->b, number(e, 32, 0), o->unchanged);
    if (unrolled) {
        for (int i = 0; i < SHAPE_LANES; i++)
            lane_in_turn(e, g, o, number(e, 32, (uint64_t)i), paired ? i : -1, own_b, own_c);
    } else {
        struct lane_loop l;
        lane_in_turn(e, g, o, lane_loop(e, lanes_or_all(e, g), &l), -1, own_b, own_c);
        lane_loop_end(e, &l);
    }
    for (int p = 0; p < e->parts && has_result(e); p++)
        result->v[p] = scratch_part(e, RESULT, p, o->type);
}

/* The model wants to know which lanes change nothing: what the hardware does in a loop (memory/atomics.c). */
bool atomic_counts_changes(const struct emit *e)
{
    int op = e->in->mods->atomic;
    bool atomic = e->in->op == PTX_OP_ATOM || e->in->op == PTX_OP_RED;
    return e->job->tallies && e->job->row[e->site] >= 0 && atomic && e->in->space == PTX_SHARED && op != PTX_ATOMIC_EXCH && op != PTX_ATOMIC_CAS &&
           (bits_of_type(e->in->type) > 32 || e->in->type == PTX_F32);
}

static void quick_atomic(struct emit *e, const struct many *g, struct value *results)
{
    const struct ir_inst *in = e->in;
    enum ptx_type t = ir_bits_type(bits_of_type(in->type));
    struct operands o = {.type = type_of_bits(e, bits_of_type(in->type)), .shared = in->space == PTX_SHARED};
    if (same_for_all(e, 1))
        o.b = source_exact(e, 1, t, -1);
    if (in->nsrc > 2 && same_for_all(e, 2))
        o.c = source_exact(e, 2, t, -1);
    if (atomic_counts_changes(e))
        o.unchanged = tally_field(e, offsetof(struct tally_site, record.unchanged));
    if (!at_once(e, g, &o, &results[0]))
        in_turn(e, g, &o, &results[0]);
    for (int p = 0; p < e->parts && has_result(e); p++) {
        LLVMTypeRef kept = vector_of(e, type_of(e, e->k->reg_type[in->dst[0]]));
        results[0].v[p] = LLVMBuildBitCast(e->b, results[0].v[p], kept, "");
        if (g->kept)
            results[0].v[p] = LLVMBuildSelect(e->b, g->on[p], results[0].v[p], reg_part(e, in->dst[0], p), "");
    }
}

bool emit_atomic(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int bits = bits_of_type(in->type);
    char kind = ptx_type_info[in->type].kind;
    if ((e->job->counting && !e->job->tallies) || (bits != 32 && bits != 64) || kind == 'H' || in->vec != 1 || in->nsrc < 2 ||
        in->space == PTX_LOCAL || in->space == PTX_CONST || in->space == PTX_PARAM || in->space == IR_SCRATCH)
        return false;
    if (type_is_float(in->type) && in->mods->atomic != PTX_ATOMIC_ADD)
        return false;
    for (int i = 1; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_SREG || (in->src[i].kind == IR_SRC_REG && bits_of_type(e->k->reg_type[in->src[i].reg]) != bits))
            return false;
    if (has_result(e) && bits_of_type(e->k->reg_type[in->dst[0]]) != bits)
        return false;
    return emit_lanes(e, quick_atomic);
}

void emit_fence(struct emit *e)
{
    LLVMBuildFence(e->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}
