/* What launches that count do beside the rest: how often blocks and guarded instructions ran, and accesses (simt/tally.h).
 *
 * Accesses of whole warps take one addition to a number in memory, others of known shape a look whether theirs is the pattern in
 * its place. Any other leaves its addresses in a row, for a function that asks the memory model when the row is full. An access
 * is counted where it is done: what leaves to the interpreter before it is counted there. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "simt/tally.h"
#include "simt/long_way.h"
#include "simt/trips.h"

static void add_at(struct emit *e, LLVMValueRef at, LLVMValueRef n)
{
    ALLOC_GROW(e->adds, e->nadds, e->adds_cap);
    e->adds[e->nadds++] = LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->i64, at, ""), n, ""), at);
}

void count_settle(struct emit *e)
{
    for (int i = 0; i < e->nadds; i++) {
        LLVMValueRef store = e->adds[i], add = LLVMGetOperand(store, 0), move[3] = {LLVMGetOperand(add, 0), add, store};
        LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(store)));
        for (int j = 0; j < 3; j++) {
            LLVMInstructionRemoveFromParent(move[j]);
            LLVMInsertIntoBuilder(e->b, move[j]);
        }
    }
    alloc_release(e->adds);
}

/* A pointer of the frame that stays as it is. */
static LLVMValueRef frame_pointer(struct emit *e, size_t field)
{
    LLVMValueRef p = frame_field(e, field, e->ptr);
    LLVMValueRef none = LLVMMetadataAsValue(e->cx, LLVMMDNodeInContext2(e->cx, NULL, 0));
    LLVMSetMetadata(p, LLVMGetMDKindIDInContext(e->cx, "invariant.load", 14), none);
    return p;
}

/* To that of the kernel's block or instruction. */
static void add_to(struct emit *e, enum exec_number kind, int32_t index, LLVMValueRef n)
{
    const struct ir_kernel *k = e->form_of ? e->form_of : e->k;
    uint64_t at = exec_numbers_at(kind, (size_t)k->nblocks, (size_t)k->ninsts) + (uint64_t)index;
    add_at(e, at_byte(e, frame_pointer(e, offsetof(struct jit_frame, numbers)), number(e, 64, 8 * at)), n);
}

static LLVMValueRef number_of(struct emit *e, LLVMValueRef lanes)
{
    return LLVMBuildZExt(e->b, call_intrinsic(e, "llvm.ctpop", e->i32, &lanes, 1), e->i64, "");
}

/* --- instructions --- */

static LLVMValueRef times(struct emit *e, LLVMValueRef n, uint64_t by)
{
    return by == 1 ? n : LLVMBuildMul(e->b, n, number(e, 64, by), "");
}

void count_guards(struct emit *e, LLVMValueRef bits, LLVMValueRef warps)
{
    if (!e->job->runs)
        return;
    LLVMValueRef some = LLVMBuildICmp(e->b, LLVMIntNE, bits, number(e, 32, 0), "");
    add_to(e, EXEC_SITE_RUNS, kernel_site(e, e->site), LLVMBuildMul(e->b, LLVMBuildZExt(e->b, some, e->i64, ""), warps, ""));
    add_to(e, EXEC_SITE_LANES, kernel_site(e, e->site), LLVMBuildMul(e->b, number_of(e, bits), warps, ""));
}

void count_guard(struct emit *e, LLVMValueRef bits)
{
    count_guards(e, bits, number(e, 64, 1));
}

static void tell_entry(struct emit *e, int32_t block, LLVMValueRef warps)
{
    const struct ir_kernel *k = e->form_of ? e->form_of : e->k;
    frame_set(e, offsetof(struct jit_frame, times), warps);
    op_tell_of(e, offsetof(struct jit_ops, enter), k->blocks[block].first, e->mask ? e->mask : number(e, 32, UINT32_MAX));
}

void count_block(struct emit *e, int32_t block, LLVMValueRef warps)
{
    if (!e->job->runs)
        return;
    add_to(e, e->mask ? EXEC_BLOCK_RUNS : EXEC_WHOLE, block, warps);
    if (e->mask)
        add_to(e, EXEC_BLOCK_LANES, block, LLVMBuildMul(e->b, number_of(e, e->mask), warps, ""));
    if (e->job->entered && e->job->entered[block] && (e->mask || e->job->cached))
        tell_entry(e, block, warps);
    if (!e->job->cached)
        return;
    static const size_t sums[] = {offsetof(struct tally_pace, busy), offsetof(struct tally_pace, span), offsetof(struct tally_pace, units), offsetof(struct tally_pace, passes)};
    LLVMValueRef of = at_byte(e, frame_pointer(e, offsetof(struct jit_frame, block_pace)), number(e, 64, sizeof(struct tally_pace) * (uint64_t)block));
    for (int i = 0; i < (e->mask ? 3 : 4); i++) {
        const size_t field = offsetof(struct jit_frame, pace) + sums[i];
        LLVMValueRef more = LLVMBuildMul(e->b, LLVMBuildLoad2(e->b, e->i64, at_byte(e, of, number(e, 64, sums[i])), ""), warps, "");
        frame_set(e, field, LLVMBuildAdd(e->b, frame_field(e, field, e->i64), more, ""));
    }
}

void count_branch(struct emit *e, LLVMValueRef lanes, LLVMValueRef mask)
{
    if (!e->job->runs)
        return;
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, lanes, mask, "");
    LLVMValueRef parted = LLVMBuildAnd(e->b, lanes_any(e, lanes), LLVMBuildNot(e->b, all, ""), "");
    add_to(e, EXEC_SITE_LANES, kernel_site(e, e->site), number_of(e, lanes));
    add_to(e, EXEC_DIVERGENT, kernel_site(e, e->site), LLVMBuildZExt(e->b, parted, e->i64, ""));
}

static bool sources_uniform(struct emit *e)
{
    bool all = true;
    for (int i = 0; i < e->in->nsrc; i++) {
        struct shape s = source_shape(e, i);
        all &= shape_uniform(&s);
    }
    return all;
}

/* --- turns of unrolled loops (simt/trips.h) --- */

/* Turns of a piece's lanes, as trips_of says. */
static LLVMValueRef turns_of(struct emit *e, const struct ir_trips *t, int p)
{
    static const LLVMIntPredicate s[] = {[PTX_LT] = LLVMIntSLT, [PTX_LE] = LLVMIntSLE, [PTX_GT] = LLVMIntSGT, [PTX_GE] = LLVMIntSGE};
    static const LLVMIntPredicate u[] = {[PTX_LT] = LLVMIntULT, [PTX_LE] = LLVMIntULE, [PTX_GT] = LLVMIntUGT, [PTX_GE] = LLVMIntUGE};
    LLVMBuilderRef B = e->b;
    enum ptx_type type = e->in->type;
    int bits = bits_of_type(type);
    bool strict = t->goes_on == PTX_LT || t->goes_on == PTX_GT;
    LLVMValueRef one = arith_whole(e, bits, 1, p), by = arith_whole(e, bits, t->step < 0 ? -(uint64_t)t->step : (uint64_t)t->step, p);
    LLVMValueRef at = LLVMBuildAdd(B, source(e, 0, type, p), arith_whole(e, bits, (uint64_t)t->step, p), ""), bound = source(e, 1, type, p);
    LLVMValueRef left = t->step < 0 ? LLVMBuildSub(B, at, bound, "") : LLVMBuildSub(B, bound, at, "");
    if (t->goes_on == PTX_NE)
        return LLVMBuildAdd(B, LLVMBuildUDiv(B, left, by, ""), one, "");
    left = strict ? LLVMBuildSub(B, left, one, "") : left;
    LLVMValueRef n = LLVMBuildAdd(B, LLVMBuildUDiv(B, left, by, ""), arith_whole(e, bits, 2, p), "");
    return LLVMBuildSelect(B, LLVMBuildICmp(B, (type_is_signed(type) ? s : u)[t->goes_on], at, bound, ""), n, one, "");
}

static void add_trips(struct emit *e, enum trips_number number_, LLVMValueRef n)
{
    const struct ir_kernel *k = e->form_of ? e->form_of : e->k;
    add_to(e, EXEC_TRIPS, k->insts[kernel_site(e, e->site)].target * TRIPS_NUMBERS + (int32_t)number_, n);
}

/* All lanes do as many turns. */
static void count_same_trips(struct emit *e, const struct ir_trips *t, LLVMValueRef lanes)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef n = turns_of(e, t, -1), here = number_of(e, lanes), left, is[4];
    int bits = bits_of_type(e->in->type);
    n = bits == 64 ? n : LLVMBuildZExt(B, n, e->i64, "");
    left = LLVMBuildAnd(B, n, number(e, 64, (uint64_t)t->rounds - 1), "");
    is[0] = number(e, 64, 1);
    is[1] = LLVMBuildZExt(B, LLVMBuildICmp(B, LLVMIntUGE, n, number(e, 64, (uint64_t)t->rounds), ""), e->i64, "");
    is[2] = LLVMBuildAnd(B, LLVMBuildLShr(B, n, number(e, 64, 1), ""), number(e, 64, 1), "");
    is[3] = LLVMBuildAnd(B, n, number(e, 64, 1), "");
    for (int i = 0; i < 4; i++) {
        add_trips(e, TRIPS_VISITS + 2 * (unsigned)i, is[i]);
        add_trips(e, TRIPS_VISIT_LANES + 2 * (unsigned)i, LLVMBuildMul(B, is[i], here, ""));
    }
    add_trips(e, TRIPS_LEFT, left);
}

static void count_own_trips(struct emit *e, const struct ir_trips *t, LLVMValueRef lanes)
{
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef n = turns_of(e, t, p), to = LLVMBuildZExtOrBitCast(e->b, n, vector_of(e, e->i64), "");
        LLVMValueRef at = at_byte(e, e->frame, number(e, 64, offsetof(struct jit_frame, turns_of) + (uint64_t)(p * e->width) * 8));
        LLVMSetAlignment(LLVMBuildStore(e->b, to, at), 8);
    }
    op_tell(e, offsetof(struct jit_ops, count_trips), lanes);
}

void count_trips(struct emit *e)
{
    const struct ir_kernel *k = e->form_of ? e->form_of : e->k;
    const struct ir_trips *t = &k->trips[k->insts[kernel_site(e, e->site)].target];
    if (!e->job->runs)
        return;
    LLVMValueRef lanes = flow_lanes_on(e);
    lanes = lanes ? lanes : number(e, 32, UINT32_MAX);
    if (sources_uniform(e))
        count_same_trips(e, t, lanes);
    else
        count_own_trips(e, t, lanes);
}

/* --- long ways of quotients and roots (simt/long_way.h) --- */

/* Of a piece's lanes: the bits that a test of long_ways.def is of. */
static LLVMValueRef tested(struct emit *e, enum long_of of, int p)
{
    LLVMBuilderRef B = e->b;
    const bool is_double = bits_of_type(e->in->type) == 64;
    LLVMValueRef x[2];
    for (int i = 0; i < e->in->nsrc; i++) {
        x[i] = source(e, i, is_double ? PTX_B64 : PTX_B32, p);
        if (is_double)
            x[i] = LLVMBuildTrunc(B, LLVMBuildLShr(B, x[i], arith_whole(e, 64, 32, p), ""), arith_lanes_of(e, e->i32, p), "");
        if (of != LONG_OF_a && of != LONG_OF_b)
            x[i] = LLVMBuildAnd(B, x[i], arith_whole(e, 32, INT32_MAX, p), "");
    }
    return of == LONG_OF_A_B ? LLVMBuildSub(B, x[0], x[1], "") : x[of == LONG_OF_b || of == LONG_OF_B];
}

/* Operands that are not known to be short. */
static LLVMValueRef may_be_long(struct emit *e, enum long_way way, int p)
{
    LLVMValueRef all = NULL;
    for (const struct long_test *t = long_tests[way]; t < long_tests[way] + LONG_TESTS && t->of != LONG_PASSED; t++) {
        LLVMValueRef x = LLVMBuildSub(e->b, tested(e, (enum long_of)t->of, p), arith_whole(e, 32, t->from, p), "");
        LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntUGE, x, arith_whole(e, 32, t->span, p), "");
        all = all ? LLVMBuildOr(e->b, all, is, "") : is;
    }
    return all;
}

static void leave_operands(struct emit *e)
{
    const bool is_double = bits_of_type(e->in->type) == 64;
    for (int i = 0; i < e->in->nsrc; i++)
        for (int p = 0; p < e->parts; p++) {
            LLVMValueRef v = LLVMBuildZExtOrBitCast(e->b, source(e, i, is_double ? PTX_B64 : PTX_B32, p), vector_of(e, e->i64), "");
            const uint64_t to = offsetof(struct jit_frame, operands) + (uint64_t)(i * SHAPE_LANES + p * e->width) * 8;
            LLVMSetAlignment(LLVMBuildStore(e->b, v, at_byte(e, e->frame, number(e, 64, to))), 8);
        }
}

void count_long_way(struct emit *e)
{
    const struct ir_kernel *k = e->form_of ? e->form_of : e->k;
    const enum long_way way = k->long_ways[k->insts[kernel_site(e, e->site)].target];
    LLVMValueRef part[MAX_PARTS], some;
    if (!e->job->runs)
        return;
    LLVMValueRef lanes = flow_lanes_on(e);
    lanes = lanes ? lanes : number(e, 32, UINT32_MAX);
    if (sources_uniform(e)) {
        some = LLVMBuildAnd(e->b, may_be_long(e, way, -1), lanes_any(e, lanes), "");
    } else {
        for (int p = 0; p < e->parts; p++)
            part[p] = may_be_long(e, way, p);
        some = lanes_any(e, LLVMBuildAnd(e->b, packed(e, part), lanes, ""));
    }
    LLVMBasicBlockRef look = new_block(e, "long"), next = new_block(e, "counted");
    likely(e, LLVMBuildCondBr(e->b, some, look, next), false);
    LLVMPositionBuilderAtEnd(e->b, look);
    leave_operands(e);
    op_tell(e, offsetof(struct jit_ops, count_long_way), lanes);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
}

void count_executed(struct emit *e, LLVMValueRef instructions)
{
    LLVMValueRef n = frame_field(e, offsetof(struct jit_frame, executed), e->i64);
    frame_set(e, offsetof(struct jit_frame, executed), LLVMBuildAdd(e->b, n, instructions, ""));
}

/* --- accesses --- */

static bool counts_access(const struct emit *e)
{
    return e->job->tallies && e->job->row[e->site] >= 0;
}

LLVMValueRef tally_field(struct emit *e, size_t offset)
{
    uint64_t at = (uint64_t)e->job->row[e->site] * sizeof(struct tally_site) + offset;
    return at_byte(e, frame_pointer(e, offsetof(struct jit_frame, tally_site)), number(e, 64, at));
}

static bool leaves_record(const struct emit *e)
{
    return e->job->cached && jit_is_cached(e->in->space);
}

static void leave_lowest(struct emit *e, const LLVMValueRef *lowest, int halved)
{
    for (int g = 0; g < 1 << halved; g++)
        frame_set(e, offsetof(struct jit_frame, lowest) + (size_t)g * 8, lowest[g]);
}

/* The instruction's slots. */
static LLVMValueRef slots_of(struct emit *e)
{
    uint64_t at = (uint64_t)e->job->row[e->site] * sizeof(struct tally_slots);
    return at_byte(e, frame_pointer(e, offsetof(struct jit_frame, tally_slots)), number(e, 64, at));
}

static LLVMValueRef plus(struct emit *e, LLVMValueRef n, uint64_t more)
{
    return LLVMBuildAdd(e->b, n, number(e, 64, more), "");
}

/* The place of the pattern (tally_pattern_of). */
static LLVMValueRef pattern_of(struct emit *e, LLVMValueRef lanes, LLVMValueRef slot)
{
    LLVMValueRef spread = LLVMBuildMul(e->b, lanes, number(e, 32, TALLY_SPREAD), "");
    spread = LLVMBuildZExt(e->b, LLVMBuildLShr(e->b, spread, number(e, 32, 27), ""), e->i64, "");
    LLVMValueRef n = LLVMBuildXor(e->b, LLVMBuildLShr(e->b, slot, number(e, 64, 2), ""), spread, "");
    n = plus(e, LLVMBuildAnd(e->b, n, number(e, 64, TALLY_PATTERNS - 1), ""), (uint64_t)e->job->row[e->site] * TALLY_PATTERNS);
    return at_byte(e, frame_pointer(e, offsetof(struct jit_frame, tally_pattern)), times(e, n, sizeof(struct tally_pattern)));
}

/* Do all warps that go at once make the same access but for a multiple of what accesses are told by? Then the first one counts for
 * all: none of them leaves between two (form.h). */
static bool same_in_warps(const struct emit *e, LLVMValueRef lanes)
{
    const struct ir_src *at = &e->in->src[0];
    return e->of_warp && !lanes && e->in->space != PTX_GENERIC &&
           (at->kind != IR_SRC_REG || (ir_bit(e->job->steps->known, at->reg) && e->job->steps->by[at->reg] % TALLY_SLOTS == 0));
}

/* Bits in which the groups are not as far apart as `apart` says. */
static LLVMValueRef apart_differs(struct emit *e, LLVMValueRef apart, const LLVMValueRef *lowest, int halved)
{
    LLVMValueRef differs = number(e, 64, 0);
    for (int g = 1; g < 1 << halved; g++) {
        LLVMValueRef was = LLVMBuildLoad2(e->b, e->i64, at_byte(e, apart, number(e, 64, (uint64_t)(g - 1) * 8)), "");
        LLVMValueRef d = LLVMBuildXor(e->b, was, LLVMBuildSub(e->b, lowest[g], lowest[0], ""), "");
        differs = LLVMBuildOr(e->b, differs, d, "");
    }
    return differs;
}

/* To the number at `times` if it is one of such accesses, else by a call. */
static void count_if_same(struct emit *e, LLVMValueRef differs, LLVMValueRef times, const LLVMValueRef *lowest, int halved,
                          LLVMValueRef lanes, LLVMValueRef n)
{
    LLVMBasicBlockRef again = new_block(e, "again"), other = new_block(e, "other"), next = new_block(e, "counted");
    likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, differs, number(e, 64, 0), ""), again, other), true);
    LLVMPositionBuilderAtEnd(e->b, again);
    add_at(e, times, n);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, other);
    leave_lowest(e, lowest, halved);
    frame_set(e, offsetof(struct jit_frame, times), n);
    op_tell(e, offsetof(struct jit_ops, count_shape), lanes);
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
}

/* By some of the lanes. */
static void count_pattern(struct emit *e, LLVMValueRef slot, const LLVMValueRef *lowest, int halved, LLVMValueRef lanes, LLVMValueRef n)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef p = pattern_of(e, lanes, slot), times_at = at_byte(e, p, number(e, 64, offsetof(struct tally_pattern, times)));
    LLVMValueRef key = LLVMBuildOr(B, LLVMBuildShl(B, LLVMBuildZExt(B, lanes, e->i64, ""), number(e, 64, 32), ""), slot, "");
    LLVMValueRef differs = LLVMBuildXor(B, LLVMBuildLoad2(B, e->i64, p, ""), key, "");
    LLVMValueRef apart = at_byte(e, p, number(e, 64, offsetof(struct tally_pattern, apart)));
    differs = LLVMBuildOr(B, differs, apart_differs(e, apart, lowest, halved), "");
    count_if_same(e, differs, times_at, lowest, halved, lanes, n);
}

/* By a whole warp. */
static void count_slot(struct emit *e, LLVMValueRef slot, const LLVMValueRef *lowest, int halved, LLVMValueRef n)
{
    LLVMValueRef slots = slots_of(e), times = LLVMBuildGEP2(e->b, e->i64, slots, &slot, 1, "");
    if (!halved) {
        add_at(e, times, n);
        return;
    }
    LLVMValueRef apart = at_byte(e, slots, number(e, 64, offsetof(struct tally_slots, apart)));
    count_if_same(e, apart_differs(e, apart, lowest, halved), times, lowest, halved, number(e, 32, UINT32_MAX), n);
}

/* By some of the lanes, of one group: to the number of those by the first ones, if there is one for it, else of the pattern. */
static void count_first(struct emit *e, LLVMValueRef slot, const LLVMValueRef *lowest, LLVMValueRef lanes, LLVMValueRef n)
{
    LLVMBuilderRef B = e->b;
    LLVMBasicBlockRef first = new_block(e, "first"), some = new_block(e, "some"), next = new_block(e, "counted");
    LLVMValueRef table = LLVMBuildLoad2(B, e->ptr, at_byte(e, slots_of(e), number(e, 64, offsetof(struct tally_slots, first))), "");
    LLVMValueRef gaps = LLVMBuildAnd(B, lanes, LLVMBuildAdd(B, lanes, number(e, 32, 1), ""), "");
    LLVMValueRef odd = LLVMBuildAnd(B, LLVMBuildTrunc(B, slot, e->i32, ""), number(e, 32, 3), "");
    LLVMValueRef is = LLVMBuildNot(B, lanes_any(e, LLVMBuildOr(B, gaps, odd, "")), "");
    LLVMBuildCondBr(B, LLVMBuildAnd(B, is, LLVMBuildIsNotNull(B, table, ""), ""), first, some);
    LLVMPositionBuilderAtEnd(B, first);
    LLVMValueRef at = LLVMBuildAdd(B, times(e, number_of(e, lanes), TALLY_WORDS), LLVMBuildLShr(B, slot, number(e, 64, 2), ""), "");
    add_at(e, LLVMBuildGEP2(B, e->i64, table, &at, 1, ""), n);
    LLVMBuildBr(B, next);
    LLVMPositionBuilderAtEnd(B, some);
    count_pattern(e, slot, lowest, 0, lanes, n);
    LLVMBuildBr(B, next);
    LLVMPositionBuilderAtEnd(B, next);
}

void count_shape(struct emit *e, const LLVMValueRef *lowest, int halved, LLVMValueRef lanes)
{
    if (!counts_access(e))
        return;
    if (leaves_record(e) || (e->job->cached && (lanes || halved))) {
        leave_lowest(e, lowest, halved);
        op_ask(e, offsetof(struct jit_ops, record_shape), lanes ? lanes : number(e, 32, UINT32_MAX));
        return;
    }
    bool merged = same_in_warps(e, lanes);
    if (merged && e->warp > 0)
        return;
    LLVMValueRef slot = LLVMBuildAnd(e->b, lowest[0], number(e, 64, TALLY_SLOTS - 1), "");
    LLVMValueRef n = number(e, 64, merged ? (uint64_t)e->job->unrolled : 1);
    if (lanes && !halved)
        count_first(e, slot, lowest, lanes, n);
    else if (lanes)
        count_pattern(e, slot, lowest, halved, lanes, n);
    else
        count_slot(e, slot, lowest, halved, n);
}

bool count_anywhere(struct emit *e)
{
    if (!counts_access(e) || leaves_record(e))
        return false;
    bool merged = e->of_warp != NULL;
    if (!merged || !e->warp)
        add_at(e, slots_of(e), number(e, 64, merged ? (uint64_t)e->job->unrolled : 1));
    return true;
}

/* All addresses to a record. */
static void leave_addresses(struct emit *e, LLVMValueRef record)
{
    const struct ir_inst *in = e->in;
    bool narrow = in->space == PTX_SHARED || in->space == PTX_LOCAL;
    struct shape s = source_shape(e, 0);
    enum ptx_type t = narrow ? PTX_U32 : PTX_U64;
    LLVMValueRef offset = number(e, narrow ? 32 : 64, (uint64_t)in->offset);
    enum record_shape shape = shape_uniform(&s) ? RECORD_UNIFORM : RECORD_EXPLICIT;
    LLVMBuildStore(e->b, number(e, 8, shape), at_byte(e, record, number(e, 64, offsetof(struct record, shape))));
    if (shape == RECORD_UNIFORM) {
        LLVMValueRef one = LLVMBuildAdd(e->b, source(e, 0, t, -1), offset, "");
        LLVMBuildStore(e->b, LLVMBuildZExt(e->b, one, e->i64, ""), record);
        return;
    }
    for (int p = 0; p < e->parts; p++) {
        LLVMValueRef v = LLVMBuildAdd(e->b, source(e, 0, t, p), splat(e, offset), "");
        LLVMValueRef to = at_byte(e, record, number(e, 64, (uint64_t)(p * e->width) * 8));
        v = LLVMBuildStore(e->b, LLVMBuildZExt(e->b, v, vector_of(e, e->i64), ""), to);
        LLVMSetAlignment(v, e->width * 8 < 64 ? (unsigned)e->width * 8 : 64);
    }
}

static void set_word(struct emit *e, LLVMValueRef record, size_t field, LLVMValueRef v)
{
    LLVMBuildStore(e->b, v, at_byte(e, record, number(e, 64, field)));
}

/* An access to the row of those that wait. */
static void count_later(struct emit *e, LLVMValueRef lanes)
{
    LLVMBuilderRef B = e->b;
    LLVMValueRef tally = frame_field(e, offsetof(struct jit_frame, tally), e->ptr);
    LLVMValueRef waiting = at_byte(e, tally, number(e, 64, offsetof(struct tally, waiting)));
    LLVMValueRef n = LLVMBuildLoad2(B, e->i64, waiting, "");
    LLVMValueRef record = at_byte(e, tally, times(e, n, sizeof(struct tally_access)));
    leave_addresses(e, record);
    set_word(e, record, offsetof(struct record, site), number(e, 32, (uint64_t)e->job->row[e->site]));
    set_word(e, record, offsetof(struct record, mask), lanes);
    LLVMValueRef unchanged = tally_field(e, offsetof(struct tally_site, record.unchanged));
    if (atomic_counts_changes(e))
        set_word(e, record, offsetof(struct record, unchanged), LLVMBuildLoad2(B, e->i32, unchanged, ""));
    n = plus(e, n, 1);
    LLVMBuildStore(B, n, waiting);
    LLVMBasicBlockRef full = new_block(e, "full"), next = new_block(e, "waits");
    likely(e, LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, n, number(e, 64, TALLY_WAITING), ""), full, next), false);
    LLVMPositionBuilderAtEnd(B, full);
    op_tell(e, offsetof(struct jit_ops, count_waiting), number(e, 32, 0));
    LLVMBuildBr(B, next);
    LLVMPositionBuilderAtEnd(B, next);
}

void count_lanes(struct emit *e, const struct many *g)
{
    if (!counts_access(e))
        return;
    LLVMValueRef lanes = g->lanes ? g->lanes : number(e, 32, UINT32_MAX), lowest[SHAPE_GROUPS];
    bool atomic = e->in->op == PTX_OP_ATOM || e->in->op == PTX_OP_RED;
    int halved = atomic ? -1 : memory_lowest_addresses(e, lowest);
    if (halved >= 0) {
        count_shape(e, lowest, halved, g->lanes);
        return;
    }
    if (e->in->atomic_form == IR_ATOMIC_ONCE)
        lanes = LLVMBuildAnd(e->b, lanes, LLVMBuildNeg(e->b, lanes, ""), "");
    if (!e->job->cached) {
        count_later(e, lanes);
        return;
    }
    leave_addresses(e, tally_field(e, offsetof(struct tally_site, record)));
    op_ask(e, offsetof(struct jit_ops, record_lanes), lanes);
}
