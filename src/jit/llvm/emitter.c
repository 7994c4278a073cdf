/* A whole kernel: entry, resume points, blocks in order, instruction by instruction (see emitter.h). */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "interp/step.h"

#include <stdio.h>
#include <string.h>

static bool live_somewhere(const struct ir_kernel *k, int32_t r)
{
    for (int32_t b = 0; b < k->nblocks; b++)
        if (ir_bit(k->blocks[b].live_in, r) || ir_bit(k->blocks[b].live_out, r))
            return true;
    return false;
}

/* Registers that a resume point inside a block needs are alive between LLVM's blocks, too. */
static void make_variables(struct emit *e)
{
    const struct ir_kernel *k = e->k;
    bool inside = false;
    for (int32_t i = 0; i < k->ninsts; i++)
        inside |= e->job->resume[i] >= 0 && i != k->blocks[k->insts[i].block].first;
    for (int32_t r = 0; r < k->nregs; r++)
        for (int p = 0; p < var_parts(e, r) && (inside || live_somewhere(k, r)); p++)
            e->var[r][p] = LLVMBuildAlloca(e->b, var_type(e, r), "");
}

/* What is alive before each instruction of a block. */
void emit_find_live(struct emit *e, const struct ir_block *b)
{
    uint64_t *at = e->live + (size_t)b->count * e->words;
    memcpy(at, b->live_out, e->words * 8);
    for (int32_t i = b->first + b->count - 1; i >= b->first; i--) {
        uint64_t *before = at - e->words;
        memcpy(before, at, e->words * 8);
        ir_live_before(&e->k->insts[i], before);
        at = before;
    }
}

static bool terminated(struct emit *e)
{
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->b)) != NULL;
}

/* The way in from outside: registers from their places, then on to `to`. */
static void emit_resume(struct emit *e, int32_t number_of, const uint64_t *live, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, e->resume[number_of]);
    regs_restore(e, live);
    LLVMBuildBr(e->b, to);
    LLVMPositionBuilderAtEnd(e->b, here);
}

void emit_inst(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (emit_flow(e))
        return;
    if (in->guard != IR_NOREG && e->job->runs)
        count_guard(e, flow_lanes_on(e));
    if (e->job->code->step[e->site].kind == STEP_NOP) /* its lanes may be all that there is of it (target/ways.h) */
        return;
    if (in->op == PTX_OP_MEMBAR || in->op == PTX_OP_FENCE) {
        emit_fence(e);
        return;
    }
    if (!e->job->runs && math_no_way(e))
        return;
    if (ir_is_memory(in) ? emit_memory(e) : emit_arith(e))
        return;
    emit_step(e, flow_lanes_on(e));
}

static bool touches_memory(const struct emit *e, const struct ir_block *b)
{
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (step_touches_memory(&e->job->code->step[i]))
            return true;
    return false;
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

/* The block's other warps may have to come to this place before this one goes on. */
static void end_turn(struct emit *e)
{
    LLVMBasicBlockRef off = new_block(e, "turn"), on = new_block(e, "on");
    uint32_t bit = UINT32_C(1) << (e->job->code->step[e->site].turn - 1);
    LLVMValueRef wanted = LLVMBuildAnd(e->b, frame_field(e, offsetof(struct jit_frame, turns), e->i32), number(e, 32, bit), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, wanted, number(e, 32, 0), ""), off, on);
    LLVMPositionBuilderAtEnd(e->b, off);
    int m = flow_mark(e);
    regs_save_behind(e);
    flow_unmark(e, m);
    emit_stop(e, JIT_TURN, e->site + 1);
    LLVMPositionBuilderAtEnd(e->b, on);
}

static void emit_block(struct emit *e, int32_t number_of)
{
    const struct ir_block *b = &e->k->blocks[number_of];
    emit_find_live(e, b);
    LLVMPositionBuilderAtEnd(e->b, e->head[number_of]);
    regs_forget(e);
    if (lane_serial_has(e, number_of)) {
        if (e->job->resume[b->first] >= 0)
            emit_resume(e, e->job->resume[b->first], live_before(e, b->first), e->head[number_of]);
        lane_serial_begin(e, number_of);
        return;
    }
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        int32_t r = emit_entered_before(e, i) ? e->job->resume[i] : -1;
        e->site = i;
        e->in = &e->k->insts[i];
        lines_at(e, i);
        if (r >= 0 && i == b->first) {
            emit_resume(e, r, live_before(e, i), e->head[number_of]);
        } else if (r >= 0) {
            LLVMBasicBlockRef on = new_block(e, "again");
            if (!terminated(e)) {
                regs_flush(e, live_before(e, i));
                LLVMBuildBr(e->b, on);
            }
            emit_resume(e, r, live_before(e, i), on);
            regs_forget(e);
            LLVMPositionBuilderAtEnd(e->b, on);
        } else if (terminated(e)) { /* behind a place where machine code ends: never reached */
            LLVMPositionBuilderAtEnd(e->b, new_block(e, "dead"));
        }
        if (i == b->first && r >= 0 && leaves_records(e) && touches_memory(e, b))
            emit_ring(e);
        if (i == b->first)
            count_block(e, number_of, 1);
        if (i == b->first && e->tells_time)
            count_executed(e, b->count);
        emit_inst(e);
        if (emit_ends_turn(e, i))
            end_turn(e);
    }
    if (terminated(e))
        return;
    int32_t next = b->first + b->count;
    if (next >= e->k->ninsts) { /* the check of the module sees to it that nothing runs off the end */
        LLVMBuildUnreachable(e->b);
        return;
    }
    regs_flush(e, b->live_out);
    unspilled_store_ahead(e, e->k->insts[next].block);
    LLVMBuildBr(e->b, e->head[e->k->insts[next].block]);
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
    for (int32_t i = 0; i < e->k->ninsts; i++) {
        const struct ir_inst *in = &e->k->insts[i];
        for (int s = 0; s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_SREG && in->src[s].sreg == PTX_SREG_SMID)
                return false;
        if (jit_waits(in))
            return false;
    }
    return !e->tells_time;
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

static void emit_entry(struct emit *e)
{
    LLVMBasicBlockRef entry = new_block(e, "entry");
    LLVMPositionBuilderAtEnd(e->b, entry);
    make_variables(e);
    e->frame = LLVMGetParam(e->fn, 0);
#define FIELD(name, type) frame_field(e, offsetof(struct jit_frame, name), type)
    e->shared = FIELD(shared, e->ptr);
    e->params = FIELD(params, e->ptr);
    e->shared_bytes = LLVMBuildZExt(e->b, FIELD(shared_bytes, e->i32), e->i64, "");
    e->resume_var = LLVMBuildAlloca(e->b, e->i32, "");
    LLVMBuildStore(e->b, LLVMGetParam(e->fn, 1), e->resume_var);
    e->begin = new_block(e, "begin");
    LLVMBuildBr(e->b, e->begin);
    LLVMPositionBuilderAtEnd(e->b, e->begin);
    e->regs = FIELD(regs, e->ptr);
#undef FIELD
    LLVMBasicBlockRef bad = new_block(e, "bad");
    for (int i = 0; i < e->job->nresume; i++)
        e->resume[i] = new_block(e, "resume");
    LLVMValueRef at = LLVMBuildLoad2(e->b, e->i32, e->resume_var, "");
    LLVMValueRef s = LLVMBuildSwitch(e->b, at, bad, (unsigned)e->job->nresume);
    for (int i = 0; i < e->job->nresume; i++)
        LLVMAddCase(s, number(e, 32, (uint64_t)i), e->resume[i]);
    for (int32_t i = 0; i < e->k->ninsts; i++)
        if (e->job->resume[i] >= 0 && !emit_entered_before(e, i)) {
            LLVMPositionBuilderAtEnd(e->b, e->resume[e->job->resume[i]]);
            LLVMBuildUnreachable(e->b);
        }
    LLVMPositionBuilderAtEnd(e->b, bad);
    LLVMBuildUnreachable(e->b);
    e->ended = new_block(e, "ended");
    LLVMPositionBuilderAtEnd(e->b, e->ended);
    e->ended_as = LLVMBuildPhi(e->b, e->i32, "");
}

/* In another way, if that was tried before. */
static void start_anew(struct emit *e)
{
    memcpy(e->unwritten, e->problem, sizeof e->problem);
    e->problem[0] = '\0';
    if (LLVMGetFirstBasicBlock(e->fn))
        form_code_empty(e->fn);
    e->scratch = NULL;
    e->check_slots = 0;
}

bool emit_kernel(struct emit *e)
{
    const struct ir_kernel *k = e->k;
    size_t longest = 0;
    for (int32_t r = 0; r < k->nregs; r++)
        if (bits_of_type(k->reg_type[r]) > 64) {
            snprintf(e->problem, sizeof e->problem, "a register of 128 bits");
            return false;
        }
    for (int32_t b = 0; b < k->nblocks; b++)
        longest = (size_t)k->blocks[b].count > longest ? (size_t)k->blocks[b].count : longest;
    e->words = ((size_t)k->nregs + 63) / 64;
    e->words = e->words ? e->words : 1;
    for (int32_t i = 0; i < k->ninsts; i++)
        e->tells_time |= k->insts[i].op == PTX_OP_MOV && k->insts[i].nsrc == 1 && k->insts[i].src[0].kind == IR_SRC_SREG &&
                         k->insts[i].src[0].sreg >= PTX_SREG_CLOCK && k->insts[i].src[0].sreg <= PTX_SREG_CLOCK64;
    if (e->job->block || e->job->split)
        return form_code_emit(e);
    if (form_code_emit(e))
        return true;
    start_anew(e);
    regs_open(e);
    e->resume = alloc_zeroed(((size_t)e->job->nresume + 1) * sizeof *e->resume);
    e->live = alloc_zeroed((longest + 1) * e->words * 8);
    unspilled_find(e);
    emit_entry(e);
    for (int32_t b = 0; b < k->nblocks; b++)
        e->head[b] = new_block(e, "block");
    lane_serial_find(e);
    for (int32_t b = 0; b < k->nblocks; b++)
        emit_block(e, b);
    lane_serial_emit(e);
    emit_next_warp(e);
    regs_release(e);
    alloc_release(e->resume);
    alloc_release(e->live);
    alloc_release(e->newer);
    alloc_release(e->before_loop);
    alloc_release(e->rank);
    region_release(e->regions);
    lane_serial_release(e);
    return !e->problem[0];
}
