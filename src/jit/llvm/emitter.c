/* One instruction, what follows where a warp stops, and where code may be entered (see emitter.h). */
#include "jit/llvm/form.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/facts.h"

#include <stdio.h>
#include <string.h>

void emit_inst(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (emit_flow(e))
        return;
    if (ir_only_counts(in)) {
        if (in->op == IR_OP_TRIPS)
            count_trips(e);
        else
            count_long_way(e);
        return;
    }
    if (in->guard != IR_NOREG && e->job->runs)
        count_guard(e, flow_lanes_on(e));
    if (e->job->code->step[e->site].kind == STEP_NOP) /* its lanes may be all that there is of it (target/ways.h) */
        return;
    if (in->op == PTX_OP_MEMBAR || in->op == PTX_OP_FENCE) {
        emit_fence(e);
        if (e->job->cached && facts_fences_device(in)) /* it leaves a record */
            emit_step(e, flow_lanes_on(e));
        return;
    }
    if (!e->job->runs && math_no_way(e))
        return;
    if (ir_is_memory(in) ? emit_memory(e) : emit_arith(e))
        return;
    emit_step(e, flow_lanes_on(e));
}

/* In some launch of such blocks. */
static bool may_end_turn(const struct emit *e, int32_t site)
{
    const struct step *st = &e->job->code->step[site];
    return st->turn && e->job->turns >> (st->turn - 1) & 1;
}

bool emit_ends_turn(const struct emit *e, int32_t site)
{
    const uint32_t *dim = e->job->dim;
    bool alone = (uint64_t)dim[0] * dim[1] * dim[2] <= SHAPE_LANES;
    return may_end_turn(e, site) && !alone && !e->job->cached;
}

/* Can code be entered before the instruction, if it is a resume point? Not behind a barrier at which nobody waits, or where
 * nobody's turn ends. */
bool emit_entered_before(const struct emit *e, int32_t site)
{
    const struct ir_inst *last = site ? &e->k->insts[site - 1] : NULL;
    bool head = site == e->k->blocks[e->k->insts[site].block].first, turn = site && may_end_turn(e, site - 1);
    return head || (jit_waits(last) || !turn || emit_ends_turn(e, site - 1));
}

#define AT(name) offsetof(struct jit_frame, name)

/* Adds to a number or pointer of the frame. */
static LLVMValueRef frame_add(struct emit *e, size_t offset, LLVMTypeRef t, LLVMValueRef n)
{
    LLVMValueRef old = frame_field(e, offset, t);
    LLVMValueRef v = t == e->ptr ? LLVMBuildGEP2(e->b, e->i8, old, &n, 1, "") : LLVMBuildAdd(e->b, old, n, "");
    frame_set(e, offset, v);
    return old;
}

/* Does nothing but %ctaid.x tell a block from the next one in its row, and may all of its warps exit in one go? */
static bool blocks_in_row(const struct emit *e)
{
    for (int32_t i = 0; i < e->k->ninsts; i++)
        if (jit_waits(&e->k->insts[i]))
            return false;
    return form_blocks_in_row(e, e->k);
}

/* All warps of the block have exited: the next block, from its first warp's start on. */
static void emit_next_block(struct emit *e, LLVMValueRef left)
{
    LLVMBuilderRef B = e->b;
    size_t x = AT(sreg) + 4 * PTX_SREG_CTAID_X;
    frame_set(e, AT(blocks_left), LLVMBuildSub(B, left, number(e, 32, 1), ""));
    frame_set(e, x, LLVMBuildAdd(B, frame_field(e, x, e->i32), number(e, 32, 1), ""));
    if (e->reads.warpid)
        frame_set(e, AT(sreg) + 4 * PTX_SREG_WARPID, number(e, 32, 0));
#define AGAIN(name, type) frame_set(e, AT(name), frame_field(e, AT(first.name), type))
    AGAIN(regs, e->ptr);
    if (e->reads.local)
        AGAIN(local, e->ptr);
    if (e->reads.tid)
        AGAIN(tid, e->ptr);
    AGAIN(next, e->ptr);
    AGAIN(stopped, e->ptr);
    AGAIN(left, e->i32);
    if (e->reads.budget)
        AGAIN(budget, e->i32);
#undef AGAIN
    LLVMBuildStore(B, number(e, 32, 0), e->resume_var);
    LLVMBuildBr(B, e->begin);
}

/* A warp exits, waits or has had its turn: the next one of the fleet, the next block, or the end. Made last: of the frame only
 * what the kernel's code reads is kept up to date. */
void emit_next_warp(struct emit *e)
{
    LLVMBasicBlockRef next = new_block(e, "next"), last = new_block(e, "last"), out = last;
    LLVMPositionBuilderAtEnd(e->b, e->ended);
    LLVMValueRef left = frame_field(e, AT(left), e->i32);
    LLVMValueRef why = LLVMBuildAnd(e->b, e->ended_as, number(e, 32, (1 << JIT_WHY_BITS) - 1), "");
    LLVMValueRef others = LLVMBuildOr(e->b, frame_field(e, AT(others), e->i32), why, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, left, number(e, 32, 0), ""), last, next);

    LLVMPositionBuilderAtEnd(e->b, last);
    if (blocks_in_row(e)) {
        LLVMBasicBlockRef again = new_block(e, "again");
        out = new_block(e, "out");
        LLVMValueRef blocks = frame_field(e, AT(blocks_left), e->i32);
        LLVMValueRef ends = LLVMBuildICmp(e->b, LLVMIntEQ, others, number(e, 32, JIT_EXIT), "");
        LLVMValueRef more = LLVMBuildICmp(e->b, LLVMIntNE, blocks, number(e, 32, 0), "");
        LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, ends, more, ""), again, out);
        LLVMPositionBuilderAtEnd(e->b, again);
        emit_next_block(e, blocks);
        LLVMPositionBuilderAtEnd(e->b, out);
    }
    frame_set(e, AT(site), LLVMBuildLShr(e->b, e->ended_as, number(e, 32, JIT_WHY_BITS), ""));
    LLVMBuildRet(e->b, why);

    LLVMPositionBuilderAtEnd(e->b, next);
    frame_set(e, AT(others), others);
    frame_set(e, AT(left), LLVMBuildSub(e->b, left, number(e, 32, 1), ""));
    LLVMBuildStore(e->b, e->ended_as, frame_add(e, AT(stopped), e->ptr, number(e, 64, 4)));
    LLVMValueRef to = frame_add(e, AT(next), e->ptr, number(e, 64, 4)), stride = frame_field(e, AT(stride), e->i64);
    frame_add(e, AT(regs), e->ptr, stride);
    if (e->reads.local)
        frame_add(e, AT(local), e->ptr, stride);
    if (e->reads.tid)
        frame_add(e, AT(tid), e->ptr, number(e, 64, 12));
    if (e->reads.warpid)
        frame_add(e, AT(sreg) + 4 * PTX_SREG_WARPID, e->i32, number(e, 32, 1));
    if (e->reads.budget)
        frame_set(e, AT(budget), number(e, 32, SHARED_TURNS));
    LLVMBuildStore(e->b, LLVMBuildLoad2(e->b, e->i32, to, ""), e->resume_var);
    LLVMBuildBr(e->b, e->begin);
}

#undef AT

bool emit_kernel(struct emit *e)
{
    const struct ir_kernel *k = e->k;
    for (int32_t r = 0; r < k->nregs; r++)
        if (bits_of_type(k->reg_type[r]) > 64) {
            snprintf(e->problem, sizeof e->problem, "a register of 128 bits");
            return false;
        }
    e->words = ((size_t)k->nregs + 63) / 64;
    e->words = e->words ? e->words : 1;
    for (int32_t i = 0; i < k->ninsts; i++)
        e->tells_time |= k->insts[i].op == PTX_OP_MOV && k->insts[i].nsrc == 1 && k->insts[i].src[0].kind == IR_SRC_SREG &&
                         k->insts[i].src[0].sreg >= PTX_SREG_CLOCK && k->insts[i].src[0].sreg <= PTX_SREG_CLOCK64;
    return form_code_emit(e);
}
