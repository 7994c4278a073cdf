/* The split form: code for some of a warp's lanes, of which others wait elsewhere (see jit/abi.h).
 *
 * All 32 lanes are computed; what is off is garbage and goes nowhere. Registers are read from the interpreter's places
 * where a block needs them, and written back at its end for the lanes that are on: other lanes of the same place may be
 * another register of theirs. A register of affine shape is its base here too, from the first lane that is on. */
#include "jit/llvm/emitter.h"

#include "interp/step.h"

/* --- lanes and registers --- */

static LLVMValueRef place_of(struct emit *e, int32_t reg, LLVMValueRef lane, unsigned bytes, uint64_t offset)
{
    LLVMValueRef index = number(e, 64, e->job->code->of_reg[reg] + offset);
    if (lane) {
        LLVMValueRef by = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, lane, e->i64, ""), number(e, 64, bytes), "");
        index = LLVMBuildAdd(e->b, index, by, "");
    }
    return LLVMBuildGEP2(e->b, e->i8, e->regs, &index, 1, "");
}

/* What lane `lane` has above the base of an affine shape. */
static LLVMValueRef offset_of_lane(struct emit *e, const struct shape *s, LLVMValueRef lane, int bits)
{
    LLVMValueRef all[SHAPE_LANES], index[2] = {number(e, 32, 0), lane};
    for (int i = 0; i < SHAPE_LANES; i++)
        all[i] = number(e, bits, (uint64_t)s->offset[i]);
    LLVMTypeRef type = LLVMArrayType2(type_of_bits(e, bits), SHAPE_LANES);
    LLVMValueRef table = LLVMAddGlobal(e->module, type, "offsets");
    LLVMSetInitializer(table, LLVMConstArray2(type_of_bits(e, bits), all, SHAPE_LANES));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return LLVMBuildLoad2(e->b, type_of_bits(e, bits), LLVMBuildInBoundsGEP2(e->b, type, table, index, 2, ""), "");
}

LLVMValueRef split_group_on(struct emit *e, int group, int halved)
{
    uint32_t run = (uint32_t)(((UINT64_C(1) << (SHAPE_LANES >> halved)) - 1) << shape_first_lane(group, halved));
    return LLVMBuildAnd(e->b, e->mask, number(e, 32, run), "");
}

/* A lane that is on to take a group's base from. One without such a lane takes another's, whose addresses are good ones. */
static LLVMValueRef lane_of_group(struct emit *e, int group, int halved)
{
    if (!halved)
        return e->job->split ? e->first : first_lane(e, e->mask);
    LLVMValueRef on = split_group_on(e, group, halved);
    LLVMValueRef some = LLVMBuildICmp(e->b, LLVMIntNE, on, number(e, 32, 0), "");
    return first_lane(e, LLVMBuildSelect(e->b, some, on, e->mask, ""));
}

struct value split_load(struct emit *e, int32_t reg)
{
    enum ptx_type t = e->k->reg_type[reg];
    const struct shape *s = &e->s->reg[reg];
    struct value v = {.scalar = reg_scalar(e, reg)};
    unsigned bytes = (unsigned)bits_of_type(t) / 8;
    if (t == PTX_PRED) {
        v.bits = LLVMBuildLoad2(e->b, e->i32, place_of(e, reg, NULL, 0, 0), "");
        if (v.scalar) {
            v.v[0] = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, v.bits, e->mask, ""), number(e, 32, 0), "");
            v.bits = NULL;
        }
        return v;
    }
    for (int g = 0; g < shape_groups(s) && v.scalar; g++) {
        LLVMValueRef lane = lane_of_group(e, g, s->halved);
        v.v[g] = LLVMBuildLoad2(e->b, type_of(e, t), place_of(e, reg, lane, bytes, 0), "");
        if (s->kind == SHAPE_AFFINE && shape_flat(s, s->halved) != s->halved)
            v.v[g] = LLVMBuildSub(e->b, v.v[g], offset_of_lane(e, s, lane, (int)bytes * 8), "");
    }
    if (v.scalar)
        return v;
    unsigned all = bytes * (unsigned)e->width;
    for (int p = 0; p < e->parts; p++) {
        v.v[p] = LLVMBuildLoad2(e->b, vector_of(e, type_of(e, t)), place_of(e, reg, NULL, 0, (uint64_t)all * (uint64_t)p), "");
        LLVMSetAlignment(v.v[p], all < 64 ? all : 64);
    }
    return v;
}

void split_store(struct emit *e, int32_t reg)
{
    enum ptx_type t = e->k->reg_type[reg];
    LLVMBuilderRef B = e->b;
    if (t == PTX_PRED) {
        LLVMValueRef p = place_of(e, reg, NULL, 0, 0), old = LLVMBuildLoad2(B, e->i32, p, "");
        LLVMValueRef on = LLVMBuildAnd(B, reg_bits(e, reg), e->mask, ""), off = LLVMBuildAnd(B, old, LLVMBuildNot(B, e->mask, ""), "");
        LLVMBuildStore(B, LLVMBuildOr(B, on, off, ""), p);
        return;
    }
    unsigned all = (unsigned)bits_of_type(t) / 8 * (unsigned)e->width;
    for (int i = 0; i < e->parts; i++) {
        LLVMValueRef v = reg_part(e, reg, i), p = place_of(e, reg, NULL, 0, (uint64_t)all * (uint64_t)i);
        if (e->s->lazy[reg])
            v = exact_nan(e, v);
        LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(v), p, "");
        LLVMSetAlignment(old, all < 64 ? all : 64);
        LLVMValueRef s = LLVMBuildStore(B, LLVMBuildSelect(B, unpacked(e, e->mask, i), v, old, ""), p);
        LLVMSetAlignment(s, all < 64 ? all : 64);
    }
}

/* --- in, and from one split to the next --- */

void split_open(struct emit *e)
{
    LLVMBasicBlockRef stopped = new_block(e, "stopped");
    e->next_var = LLVMBuildAlloca(e->b, e->i32, "");
    e->mask_var = LLVMBuildAlloca(e->b, e->i32, "");
    LLVMBuildStore(e->b, LLVMGetParam(e->fn, 1), e->next_var);
    e->dispatch = new_block(e, "dispatch");
    LLVMBuildBr(e->b, e->dispatch);
    LLVMPositionBuilderAtEnd(e->b, e->dispatch);
    LLVMBuildStore(e->b, frame_field(e, offsetof(struct jit_frame, mask), e->i32), e->mask_var);
    LLVMValueRef next = LLVMBuildLoad2(e->b, e->i32, e->next_var, "");
    e->positions = LLVMBuildSwitch(e->b, next, stopped, (unsigned)e->job->nresume);
    LLVMPositionBuilderAtEnd(e->b, stopped);
    LLVMBuildRet(e->b, frame_field(e, offsetof(struct jit_frame, why), e->i32));
}

/* Calls one of the split form's functions and goes where it says. */
static void event(struct emit *e, size_t op, LLVMValueRef lanes)
{
    LLVMBuildStore(e->b, op_ask(e, op, lanes), e->next_var);
    LLVMBuildBr(e->b, e->dispatch);
}

static bool may_meet(const struct emit *e)
{
    if (e->site != e->k->blocks[e->in->block].first)
        return true; /* behind what waits: few */
    for (int32_t i = 0; i < e->k->ninsts; i++) {
        const struct ir_inst *in = &e->k->insts[i];
        if ((in->joined && in->join == e->in->block) || (in->reconvergence && in->reconvergence->block == e->in->block))
            return true;
    }
    return false;
}

void split_region(struct emit *e, LLVMBasicBlockRef block)
{
    LLVMAddCase(e->positions, number(e, 32, (uint64_t)e->job->resume[e->site]), block);
    LLVMPositionBuilderAtEnd(e->b, block);
    set_mask(e, LLVMBuildLoad2(e->b, e->i32, e->mask_var, ""));
    if (may_meet(e)) {
        LLVMBasicBlockRef here = new_block(e, "meet"), on = new_block(e, "on");
        LLVMValueRef join = frame_field(e, offsetof(struct jit_frame, join_pc), e->i32);
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, join, number(e, 32, (uint32_t)e->site), ""), here, on);
        LLVMPositionBuilderAtEnd(e->b, here);
        event(e, offsetof(struct jit_ops, arrive), e->mask);
        LLVMPositionBuilderAtEnd(e->b, on);
    }
    if (e->job->together[e->site] >= 0) {
        LLVMBasicBlockRef here = new_block(e, "together"), on = new_block(e, "on");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, e->mask, number(e, 32, UINT32_MAX), ""), here, on);
        LLVMPositionBuilderAtEnd(e->b, here);
        event(e, offsetof(struct jit_ops, arrive), e->mask); /* whether a join is expected here or not, it knows the rest */
        LLVMPositionBuilderAtEnd(e->b, on);
    }
    e->first = first_lane(e, e->mask);
}

/* --- branches, exits, barriers, exchanges --- */

static void branch(struct emit *e, LLVMValueRef lanes)
{
    const struct ir_inst *in = e->in;
    const struct step *st = &e->job->code->step[e->site];
    regs_flush(e, e->k->blocks[in->block].live_out);
    if (st->leaves || st->level) {
        event(e, offsetof(struct jit_ops, branch), lanes);
        return;
    }
    if (in->guard == IR_NOREG) {
        in->back_edge ? emit_turn(e, in->target) : (void)LLVMBuildBr(e->b, e->head[in->target]);
        return;
    }
    LLVMBasicBlockRef some = new_block(e, "some"), part = new_block(e, "part");
    LLVMBasicBlockRef taken = in->back_edge ? new_block(e, "back") : e->head[in->target];
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, number(e, 32, 0), ""),
                    e->head[e->k->insts[e->site + 1].block], some);
    LLVMPositionBuilderAtEnd(e->b, some);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, e->mask, ""), taken, part);
    if (in->back_edge) {
        LLVMPositionBuilderAtEnd(e->b, taken);
        emit_turn(e, in->target);
    }
    LLVMPositionBuilderAtEnd(e->b, part);
    event(e, offsetof(struct jit_ops, branch), lanes);
}

static void end(struct emit *e, LLVMValueRef lanes)
{
    LLVMBasicBlockRef out = new_block(e, "exit"), on = new_block(e, "on");
    regs_flush(e, e->k->blocks[e->in->block].live_out);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, number(e, 32, 0), ""), on, out);
    LLVMPositionBuilderAtEnd(e->b, out);
    event(e, offsetof(struct jit_ops, exit), lanes);
    LLVMPositionBuilderAtEnd(e->b, on);
    if (e->in->guard == IR_NOREG)
        LLVMBuildUnreachable(e->b);
}

static void exchange(struct emit *e, LLVMValueRef lanes)
{
    const struct ir_inst *in = e->in;
    bool counted = in->guard == IR_NOREG, head = e->site == e->k->blocks[in->block].first;
    if (!counted && head)
        count_guard(e, lanes);
    regs_flush(e, live_before(e, e->site));
    LLVMValueRef r = op_ask(e, offsetof(struct jit_ops, exchange), lanes);
    LLVMValueRef done = LLVMBuildICmp(e->b, LLVMIntEQ, r, number(e, 32, 0), "");
    flow_leave_unless(e, done, JIT_LEAVE);
    if (!counted && !head)
        count_guard(e, lanes);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG) {
            reg_set(e, in->dst[d], split_load(e, in->dst[d]));
            e->changed[in->dst[d]] = 0;
        }
}

bool split_flow(struct emit *e)
{
    const struct ir_inst *in = e->in;
    const struct step *st = &e->job->code->step[e->site];
    if (step_is_plain(st))
        return false;
    LLVMValueRef lanes = in->guard == IR_NOREG ? e->mask : LLVMBuildAnd(e->b, flow_guard_bits(e), e->mask, "");
    switch (st->kind) {
    case STEP_BRANCH:
    case STEP_EXIT:
        if (in->guard != IR_NOREG)
            count_guard(e, lanes);
        st->kind == STEP_EXIT ? end(e, lanes) : branch(e, lanes);
        break;
    case STEP_EXCHANGES:
        exchange(e, lanes);
        break;
    default:
        if (in->guard != IR_NOREG && e->site == e->k->blocks[in->block].first)
            count_guard(e, lanes); /* the interpreter does not count it again there */
        if (jit_waits(in)) {
            regs_flush(e, live_before(e, e->site));
            event(e, offsetof(struct jit_ops, barrier), lanes);
        } else {
            flow_leave(e, JIT_LEAVE);
        }
    }
    return true;
}
