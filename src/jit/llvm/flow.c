/* Control flow, and where machine code stops: branches, exits, barriers, exchanges between lanes (PTX ISA 9.7.12 and
 * 9.7.13). All 32 lanes go one way here; where they would part and there is no predicated region (region_code.c), everything
 * alive is saved, and the split form (split_form.c) or the interpreter goes on. */
#include "jit/llvm/emitter.h"

#include "interp/step.h"

#include <stdio.h>
#include <string.h>

int flow_mark(struct emit *e)
{
    return e->ntouched;
}

void flow_unmark(struct emit *e, int m)
{
    while (e->ntouched > m)
        e->have[e->touched[--e->ntouched]] = 0;
}

void emit_stop(struct emit *e, enum jit_stop why, int32_t site)
{
    if (e->form) {
        form_code_stop(e, why, kernel_site(e, site));
        return;
    }
    if (why == JIT_EXIT || why == JIT_BARRIER || why == JIT_TURN) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
        LLVMValueRef as = number(e, 32, JIT_STOPPED(why, site));
        LLVMAddIncoming(e->ended_as, &as, &here, 1);
        LLVMBuildBr(e->b, e->ended);
        return;
    }
    frame_set(e, offsetof(struct jit_frame, site), number(e, 32, (uint32_t)site));
    LLVMBuildRet(e->b, number(e, 32, why));
}

void flow_leave(struct emit *e, enum jit_stop why)
{
    if (e->form) {
        form_code_leave(e, why);
        return;
    }
    if (e->serial) {
        lane_serial_leave(e, why);
        return;
    }
    if (e->mask) {
        region_leave(e, why);
        return;
    }
    int m = flow_mark(e);
    regs_save(e, live_before(e, e->site));
    emit_stop(e, why, e->site);
    flow_unmark(e, m);
}

void flow_go_on_if(struct emit *e, LLVMValueRef ok, LLVMBasicBlockRef no)
{
    LLVMBasicBlockRef on = new_block(e, "on");
    likely(e, LLVMBuildCondBr(e->b, ok, on, no), true);
    LLVMPositionBuilderAtEnd(e->b, on);
}

void flow_leave_unless(struct emit *e, LLVMValueRef ok, enum jit_stop why)
{
    if (LLVMIsConstant(ok) && LLVMIsAConstantInt(ok) && LLVMConstIntGetZExtValue(ok))
        return;
    LLVMBasicBlockRef on = new_block(e, "on"), off = new_block(e, "leave");
    likely(e, LLVMBuildCondBr(e->b, ok, on, off), true);
    LLVMPositionBuilderAtEnd(e->b, off);
    flow_leave(e, why);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* --- calls --- */

LLVMValueRef op_function(struct emit *e, size_t op)
{
    LLVMValueRef ops = frame_field(e, offsetof(struct jit_frame, ops), e->ptr), index = number(e, 64, op);
    return LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->i8, ops, &index, 1, ""), "");
}

LLVMValueRef op_tell(struct emit *e, size_t op, LLVMValueRef arg)
{
    LLVMTypeRef params[3] = {e->ptr, e->i32, e->i32}, type = LLVMFunctionType(e->i32, params, 3, false);
    LLVMValueRef f = op_function(e, op);
    LLVMValueRef args[3] = {e->frame, number(e, 32, (uint32_t)kernel_site(e, e->site)), arg};
    return LLVMBuildCall2(e->b, type, f, args, 3, "");
}

LLVMValueRef op_ask(struct emit *e, size_t op, LLVMValueRef arg)
{
    if (e->job->unrolled > 1)
        snprintf(e->problem, sizeof e->problem, "an instruction that several warps do not do at once");
    return op_tell(e, op, arg);
}

void op_call(struct emit *e, size_t op, LLVMValueRef arg)
{
    LLVMValueRef r = op_ask(e, op, arg);
    LLVMBasicBlockRef on = new_block(e, "done"), off = new_block(e, "fault");
    likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, r, number(e, 32, 0), ""), on, off), true);
    LLVMPositionBuilderAtEnd(e->b, off);
    emit_stop(e, JIT_FAULT, e->site);
    LLVMPositionBuilderAtEnd(e->b, on);
}

void step_call(struct emit *e, LLVMValueRef mask)
{
    op_call(e, offsetof(struct jit_ops, step), mask);
}

LLVMValueRef flow_guard_bits(struct emit *e)
{
    LLVMValueRef bits = reg_bits(e, e->in->guard);
    return e->in->guard_negated ? LLVMBuildNot(e->b, bits, "") : bits;
}

LLVMValueRef flow_lanes_on(struct emit *e)
{
    LLVMValueRef guard = e->in->guard == IR_NOREG ? NULL : flow_guard_bits(e);
    return !e->mask ? guard : guard ? LLVMBuildAnd(e->b, guard, e->mask, "") : e->mask;
}

void flow_source_to_place(struct emit *e, int i)
{
    if (e->in->src[i].kind == IR_SRC_REG)
        place_store(e, e->in->src[i].reg);
}

/* Operands in their places for the step. What lanes keep that a guard leaves out belongs there too; then it lies apart from
 * the operands. Without a guard a result may share an operand's place. */
static void to_places(struct emit *e)
{
    const struct ir_inst *in = e->in;
    for (int i = 0; i < in->nsrc; i++)
        flow_source_to_place(e, i);
    for (int d = 0; d < in->ndst && in->guard != IR_NOREG; d++)
        if (in->dst[d] != IR_NOREG)
            place_store(e, in->dst[d]);
}

void step_into(struct emit *e, LLVMValueRef lanes, struct value *results)
{
    to_places(e);
    step_call(e, lanes ? lanes : number(e, 32, UINT32_MAX));
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            results[d] = place_load(e, e->in->dst[d]);
}

void emit_step(struct emit *e, LLVMValueRef mask)
{
    const struct ir_inst *in = e->in;
    LLVMBasicBlockRef next = NULL;
    to_places(e);
    if (in->guard != IR_NOREG) {
        LLVMBasicBlockRef some = new_block(e, "some");
        next = new_block(e, "stepped");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, mask, number(e, 32, 0), ""), some, next);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    step_call(e, mask ? mask : number(e, 32, UINT32_MAX));
    if (next) {
        LLVMBuildBr(e->b, next);
        LLVMPositionBuilderAtEnd(e->b, next);
    }
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            reg_set(e, in->dst[d], place_load(e, in->dst[d]));
}

/* --- branches --- */

void emit_turn(struct emit *e, int32_t block)
{
    LLVMValueRef budget = frame_field(e, offsetof(struct jit_frame, budget), e->i32);
    budget = LLVMBuildSub(e->b, budget, number(e, 32, 1), "");
    frame_set(e, offsetof(struct jit_frame, budget), budget);
    LLVMBasicBlockRef off = new_block(e, "turn");
    LLVMValueRef over = LLVMBuildICmp(e->b, LLVMIntEQ, budget, number(e, 32, 0), "");
    likely(e, LLVMBuildCondBr(e->b, over, off, e->head[block]), false);
    LLVMPositionBuilderAtEnd(e->b, off);
    int m = flow_mark(e);
    regs_save_newer(e, e->k->blocks[block].live_in, e->newer + (size_t)block * e->words);
    flow_unmark(e, m);
    emit_stop(e, JIT_TURN, e->k->blocks[block].first);
}

static bool head_of_block(const struct emit *e)
{
    return e->site == e->k->blocks[e->in->block].first;
}

/* The guard's answer for the whole warp, i1; lanes that differ leave. */
static LLVMValueRef whole_guard(struct emit *e)
{
    LLVMValueRef bits = NULL, cond;
    if (e->job->runs || !reg_scalar(e, e->in->guard))
        bits = flow_guard_bits(e);
    bool late = !head_of_block(e);
    if (!late && bits) /* what leaves here is not counted a second time */
        count_guard(e, bits);
    if (reg_scalar(e, e->in->guard)) {
        cond = reg_get(e, e->in->guard).v[0];
        cond = e->in->guard_negated ? LLVMBuildNot(e->b, cond, "") : cond;
    } else {
        cond = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, UINT32_MAX), "");
        LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, 0), "");
        flow_leave_unless(e, LLVMBuildOr(e->b, cond, none, ""), JIT_LEAVE);
    }
    if (late && bits)
        count_guard(e, bits);
    return cond;
}

static void go(struct emit *e, int32_t block, bool back)
{
    if (back)
        emit_turn(e, block);
    else
        LLVMBuildBr(e->b, e->head[block]);
}

static void branch(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (in->guard == IR_NOREG) {
        regs_flush(e, e->k->blocks[in->block].live_out);
        unspilled_store_ahead(e, in->target);
        go(e, in->target, in->back_edge);
        return;
    }
    if (!reg_scalar(e, in->guard) && (lane_serial_branch(e) || region_emit(e)))
        return;
    LLVMValueRef cond = whole_guard(e);
    regs_flush(e, e->k->blocks[in->block].live_out);
    unspilled_store_ahead(e, in->target);
    unspilled_store_ahead(e, e->k->insts[e->site + 1].block);
    LLVMBasicBlockRef taken = in->back_edge ? new_block(e, "back") : e->head[in->target];
    LLVMBuildCondBr(e->b, cond, taken, e->head[e->k->insts[e->site + 1].block]);
    if (in->back_edge) {
        LLVMPositionBuilderAtEnd(e->b, taken);
        go(e, in->target, true);
    }
}

static void end(struct emit *e)
{
    if (e->in->guard == IR_NOREG) {
        emit_stop(e, JIT_EXIT, e->site);
        return;
    }
    LLVMValueRef cond = whole_guard(e);
    LLVMBasicBlockRef out = new_block(e, "exit"), on = new_block(e, "on");
    LLVMBuildCondBr(e->b, cond, out, on);
    LLVMPositionBuilderAtEnd(e->b, out);
    emit_stop(e, JIT_EXIT, e->site);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* --- where lanes wait or look at each other --- */

static bool all_members(const struct ir_inst *in)
{
    bool warp = in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER;
    if (in->mods->shape || (!warp && !in->mods->sync))
        return true;
    const struct ir_src *s = &in->src[warp ? 0 : in->nsrc - 1];
    return in->nsrc && s->kind == IR_SRC_IMM && (uint32_t)s->imm == UINT32_MAX;
}

/* A barrier of the whole block without a result: machine code goes on behind it (emitter.c begins there anew). */
static bool barrier(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (!jit_waits(in))
        return false;
    int m = flow_mark(e);
    regs_save(e, live_before(e, e->site + 1 < e->k->blocks[in->block].first + e->k->blocks[in->block].count ? e->site + 1 : e->site));
    flow_unmark(e, m);
    emit_stop(e, JIT_BARRIER, e->site);
    return true;
}

static LLVMValueRef as_i32(struct emit *e, int i, int p)
{
    return source_exact(e, i, PTX_B32, p);
}

static bool shuffle(struct emit *e)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef all[SHAPE_LANES], lanes[MAX_PARTS];
    uint32_t truth = 0;
    if (in->src[1].kind != IR_SRC_IMM || in->src[2].kind != IR_SRC_IMM || in->src[0].kind == IR_SRC_SREG)
        return false;
    for (int i = 0; i < SHAPE_LANES; i++) {
        int32_t valid;
        int from = shuffle_source(in->mods->variant, i, (uint32_t)in->src[1].imm, (uint32_t)in->src[2].imm, &valid);
        all[i] = number(e, 32, (uint64_t)from);
        truth |= (uint32_t)valid << i;
    }
    if (in->dst[0] != IR_NOREG) {
        if (bits_of_type(e->k->reg_type[in->dst[0]]) != 32 || reg_scalar(e, in->dst[0]))
            return false;
        for (int p = 0; p < e->parts; p++) /* a NaN goes from one register that may hold any to another as it is */
            lanes[p] = e->s->lazy[in->dst[0]] ? LLVMBuildBitCast(e->b, source(e, 0, PTX_F32, p), vector_of(e, e->i32), "") : as_i32(e, 0, p);
        struct value v = {.scalar = false};
        for (int p = 0; p < e->parts; p++) { /* each part comes out of one or two others as a rule */
            int source_part = (int)LLVMConstIntGetZExtValue(all[p * e->width]) / e->width, second = source_part;
            for (int i = 0; i < e->width; i++) {
                int q = (int)LLVMConstIntGetZExtValue(all[p * e->width + i]) / e->width;
                second = q != source_part ? q : second;
            }
            LLVMValueRef index[64];
            for (int i = 0; i < e->width; i++) {
                int from = (int)LLVMConstIntGetZExtValue(all[p * e->width + i]), q = from / e->width;
                if (q != source_part && q != second)
                    return false;
                index[i] = number(e, 32, (uint64_t)(from % e->width + (q == source_part ? 0 : e->width)));
            }
            v.v[p] = LLVMBuildShuffleVector(e->b, lanes[source_part], lanes[second], LLVMConstVector(index, (unsigned)e->width), "");
            v.v[p] = LLVMBuildBitCast(e->b, v.v[p], vector_of(e, type_of(e, e->k->reg_type[in->dst[0]])), "");
        }
        reg_set(e, in->dst[0], v);
    }
    if (in->ndst > 1 && in->dst[1] != IR_NOREG) {
        if (reg_scalar(e, in->dst[1]))
            return false;
        struct value v = {.bits = number(e, 32, truth)};
        reg_set(e, in->dst[1], v);
    }
    return true;
}

static bool vote(struct emit *e)
{
    const struct ir_inst *in = e->in;
    int kind = in->mods->variant;
    if (in->src[0].kind != IR_SRC_REG || !reg_scalar(e, in->dst[0]) || in->ndst != 1)
        return false;
    LLVMValueRef bits = reg_bits(e, in->src[0].reg), r;
    bits = in->src[0].negated ? LLVMBuildNot(e->b, bits, "") : bits;
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, UINT32_MAX), "");
    LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, bits, number(e, 32, 0), "");
    r = kind == PTX_VOTE_BALLOT ? bits : kind == PTX_VOTE_ALL ? all : kind == PTX_VOTE_ANY ? LLVMBuildNot(e->b, none, "")
                                                                                  : LLVMBuildOr(e->b, all, none, "");
    reg_set(e, in->dst[0], uniform_value(e, in->dst[0], r));
    return true;
}

static bool exchange(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (in->guard != IR_NOREG || !all_members(in))
        return false;
    if (in->op == PTX_OP_BAR || in->op == PTX_OP_BARRIER)
        return true; /* __syncwarp: they are together */
    if ((in->op == PTX_OP_SHFL && (shuffle(e) || shuffles_any(e))) || (in->op == PTX_OP_REDUX && shuffles_reduce(e)) ||
        (in->op == PTX_OP_VOTE && in->dst[0] != IR_NOREG && vote(e)))
        return true;
    emit_step(e, NULL);
    return true;
}

bool emit_flow(struct emit *e)
{
    const struct ir_inst *in = e->in;
    const struct step *st = &e->job->code->step[e->site];
    bool done;
    switch (in->op) {
    case PTX_OP_BRA:
        branch(e);
        return true;
    case PTX_OP_RET:
    case PTX_OP_EXIT:
        end(e);
        return true;
    default:
        if (step_is_plain(st))
            return false;
        done = step_is_exchange(st) ? exchange(e) : st->kind == STEP_BARRIER && barrier(e);
    }
    if (!done) {
        if (in->guard != IR_NOREG && head_of_block(e))
            count_guard(e, flow_guard_bits(e)); /* the interpreter does not count it again there */
        flow_leave(e, JIT_LEAVE);
    }
    return true;
}

void emit_ring(struct emit *e)
{
    LLVMValueRef warp = frame_field(e, offsetof(struct jit_frame, warp), e->ptr), at = number(e, 64, offsetof(struct warp, nrecords));
    LLVMValueRef n = LLVMBuildLoad2(e->b, e->i32, LLVMBuildGEP2(e->b, e->i8, warp, &at, 1, ""), "");
    LLVMValueRef room = frame_field(e, offsetof(struct jit_frame, room), e->i32);
    LLVMBasicBlockRef on = new_block(e, "on"), off = new_block(e, "ring");
    likely(e, LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, n, room, ""), on, off), true);
    LLVMPositionBuilderAtEnd(e->b, off);
    int m = flow_mark(e);
    regs_save(e, live_before(e, e->site));
    emit_stop(e, JIT_RING, e->site);
    flow_unmark(e, m);
    LLVMPositionBuilderAtEnd(e->b, on);
}
