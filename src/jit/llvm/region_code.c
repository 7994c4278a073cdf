/* Code of predicated regions, where lanes part and meet again in the form for warps whose lanes go one way: a region's blocks
 * (region_blocks.c) are done one after the other, under a mask, each for the lanes that wait for it.
 *
 * Where a branch's lanes differ, both ways' blocks get lanes to wait, and the region's code goes on from there until all
 * 32 are at the join, where the whole warp goes on. Registers stay values: what waiting lanes need of one that a block
 * writes is blended in at its end. A fault is found by the interpreter's step, in place. Where a loop has turned for too long, or
 * an address wraps that machine code was made for not to, all lanes are before some block; that is handed over as the splits
 * and joins of simt/warp.c (jit_apart). Blocks are counted for the lanes that do them, which are those of one split of the
 * interpreter (region_blocks.c). */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"

/* --- lanes that wait --- */

LLVMValueRef lanes_new(struct emit *e)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->fn)));
    LLVMValueRef v = LLVMBuildAlloca(e->b, e->i32, "");
    LLVMPositionBuilderAtEnd(e->b, here);
    return v;
}

LLVMValueRef region_lanes_at(struct emit *e, const struct region *r, int nth)
{
    return LLVMBuildLoad2(e->b, e->i32, r->wait[nth], "");
}

LLVMValueRef lanes_any(struct emit *e, LLVMValueRef lanes)
{
    return LLVMBuildICmp(e->b, LLVMIntNE, lanes, number(e, 32, 0), "");
}

void region_add_lanes(struct emit *e, const struct region *r, int32_t block, LLVMValueRef lanes)
{
    int nth = r->at[block];
    if (nth < r->n) /* who is at the join is nowhere else */
        LLVMBuildStore(e->b, LLVMBuildOr(e->b, region_lanes_at(e, r, nth), lanes, ""), r->wait[nth]);
}

/* The lanes of `mask` are at the branch, those of `lanes` take it. */
static void send(struct emit *e, const struct region *r, const struct ir_inst *branch, LLVMValueRef lanes, LLVMValueRef mask)
{
    region_add_lanes(e, r, branch->target, lanes);
    if (branch->guard != IR_NOREG)
        region_add_lanes(e, r, region_block_behind(e, branch->block), LLVMBuildAnd(e->b, mask, LLVMBuildNot(e->b, lanes, ""), ""));
}

void region_count_branch(struct emit *e, LLVMValueRef lanes, LLVMValueRef mask)
{
    count_guard(e, lanes);
    LLVMValueRef all = LLVMBuildICmp(e->b, LLVMIntEQ, lanes, mask, "");
    count_parted(e, LLVMBuildAnd(e->b, lanes_any(e, lanes), LLVMBuildNot(e->b, all, ""), ""));
}

/* --- a region's code --- */

static void do_block(struct emit *e, struct region *r, int nth)
{
    const struct ir_block *b = &e->k->blocks[r->block[nth]];
    bool sent = false;
    emit_find_live(e, b);
    regs_forget(e);
    set_mask(e, region_lanes_at(e, r, nth));
    e->nth = nth;
    LLVMBuildStore(e->b, number(e, 32, 0), r->wait[nth]);
    count_block(e, r->block[nth], 1);
    if (e->tells_time)
        count_executed(e, b->count);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        e->site = i;
        e->in = &e->k->insts[i];
        lines_at(e, i);
        if (e->in->op == PTX_OP_BRA) {
            LLVMValueRef lanes = flow_lanes_on(e);
            if (e->in->guard != IR_NOREG)
                region_count_branch(e, lanes, e->mask);
            regs_flush(e, b->live_out);
            send(e, r, e->in, lanes, e->mask);
            sent = true;
        } else {
            emit_inst(e);
        }
    }
    if (!sent) {
        regs_flush(e, b->live_out);
        region_add_lanes(e, r, region_block_behind(e, r->block[nth]), e->mask);
    }
    set_mask(e, NULL);
    regs_forget(e);
}

/* Lanes wait at the block at `to` for another turn. */
static void turn(struct emit *e, const struct region *r, LLVMBasicBlockRef to)
{
    LLVMValueRef left = frame_field(e, offsetof(struct jit_frame, patience), e->i32);
    LLVMBasicBlockRef long_ = new_block(e, "long");
    left = LLVMBuildSub(e->b, left, number(e, 32, 1), "");
    frame_set(e, offsetof(struct jit_frame, patience), left);
    likely(e, LLVMBuildCondBr(e->b, lanes_any(e, left), to, long_), true);
    LLVMPositionBuilderAtEnd(e->b, long_);
    LLVMValueRef stop = op_ask(e, offsetof(struct jit_ops, long_turns), number(e, 32, 0));
    frame_set(e, offsetof(struct jit_frame, why), number(e, 32, JIT_TURN));
    LLVMBuildCondBr(e->b, lanes_any(e, stop), r->apart, to);
}

/* --- handing over --- */

/* Another of these registers has some of the same place. */
static bool shares_place(const struct emit *e, int32_t reg, const uint64_t *live)
{
    for (int32_t r = 0; r < e->k->nregs; r++)
        if (r != reg && ir_bit(live, r) && places_overlap(e, r, reg))
            return true;
    return false;
}

void region_hand_over(struct emit *e, const struct region *r)
{
    uint64_t *live = alloc_zeroed(e->words * 8);
    LLVMValueRef *lanes = alloc_zeroed(((size_t)r->n + 1) * sizeof *lanes), rest = number(e, 32, UINT32_MAX);
    for (int i = 0; i <= r->n; i++) {
        int32_t block = i < r->n ? r->block[i] : r->join;
        size_t at = offsetof(struct jit_frame, waiting) + (size_t)i * sizeof(struct jit_waiting);
        lanes[i] = i < r->n ? region_lanes_at(e, r, i) : rest;
        rest = LLVMBuildAnd(e->b, rest, LLVMBuildNot(e->b, lanes[i], ""), "");
        frame_set(e, at + offsetof(struct jit_waiting, block), number(e, 32, (uint64_t)block));
        frame_set(e, at + offsetof(struct jit_waiting, lanes), lanes[i]);
        for (size_t w = 0; w < e->words && (i == r->n || r->waits[i]); w++)
            live[w] |= e->k->blocks[block].live_in[w];
    }
    frame_set(e, offsetof(struct jit_frame, nwaiting), number(e, 32, (uint64_t)r->n + 1));
    for (int32_t reg = 0; reg < e->k->nregs; reg++) {
        if (!ir_bit(live, reg))
            continue;
        if (!shares_place(e, reg, live)) {
            place_store(e, reg);
            continue;
        }
        LLVMValueRef on = number(e, 32, 0);
        for (int i = 0; i <= r->n; i++)
            if ((i == r->n || r->waits[i]) && ir_bit(e->k->blocks[i < r->n ? r->block[i] : r->join].live_in, reg))
                on = LLVMBuildOr(e->b, on, lanes[i], "");
        split_store(e, reg, on);
    }
    LLVMBuildRet(e->b, number(e, 32, JIT_APART));
    regs_forget(e);
    alloc_release(live);
    alloc_release(lanes);
}

void region_leave(struct emit *e, enum jit_stop why)
{
    LLVMBuildStore(e->b, e->mask, e->region->wait[e->nth]);
    count_block(e, e->region->block[e->nth], -1); /* it is done again */
    frame_set(e, offsetof(struct jit_frame, why), number(e, 32, why));
    LLVMBuildBr(e->b, e->region->apart);
}

void region_join(struct emit *e, const struct region *r)
{
    unspilled_store_ahead(e, r->join);
    if (ir_loop_at(e->k, r->join))
        emit_turn(e, r->join);
    else
        LLVMBuildBr(e->b, e->head[r->join]);
}

static void emit_region(struct emit *e, struct region *r)
{
    LLVMBasicBlockRef *body = alloc_zeroed(((size_t)r->n + 1) * sizeof *body);
    e->region = r;
    for (int i = 0; i < r->n; i++)
        body[i] = serial_region_in(e, r, i) ? NULL : new_block(e, "masked");
    LLVMPositionBuilderAtEnd(e->b, r->begin);
    for (int i = 0; i < r->n; i++) {
        struct serial_region *s = serial_region_in(e, r, i);
        r->waits[i] = !s || serial_region_waits(s, r->block[i]);
        if (s) {
            if (serial_region_begins(s, r, i))
                lane_serial_pass(e, s, r);
        } else {
            LLVMBuildCondBr(e->b, lanes_any(e, region_lanes_at(e, r, i)), body[i], r->behind[i]);
            LLVMPositionBuilderAtEnd(e->b, body[i]);
            do_block(e, r, i);
        }
        LLVMBuildBr(e->b, r->behind[i]);
        LLVMPositionBuilderAtEnd(e->b, r->behind[i]);
        for (int back = i; back >= 0; back--) { /* inner loops first */
            if (r->end[back] != i || serial_region_in(e, r, back))
                continue;
            LLVMBasicBlockRef again = new_block(e, "again"), on = new_block(e, "on");
            LLVMBuildCondBr(e->b, lanes_any(e, region_lanes_at(e, r, back)), again, on);
            LLVMPositionBuilderAtEnd(e->b, again);
            turn(e, r, body[back]);
            LLVMPositionBuilderAtEnd(e->b, on);
        }
    }
    region_join(e, r);
    LLVMPositionBuilderAtEnd(e->b, r->apart);
    regs_forget(e);
    region_hand_over(e, r);
    e->region = NULL;
    alloc_release(body);
}

/* --- into it --- */

static void open_region(struct emit *e, struct region *r)
{
    r->wait = alloc_zeroed(((size_t)r->n + 1) * sizeof *r->wait);
    r->behind = alloc_zeroed(((size_t)r->n + 1) * sizeof *r->behind);
    for (int i = 0; i < r->n; i++) {
        r->wait[i] = lanes_new(e);
        r->behind[i] = new_block(e, "past");
    }
    r->begin = new_block(e, "region");
    r->apart = new_block(e, "apart");
    r->next = e->regions;
    e->regions = r;
}

bool region_emit(struct emit *e)
{
    const struct ir_inst *in = e->in;
    struct region *r = region_with(e, in), *made = r ? NULL : region_find(e, in);
    if (!r && !made)
        return false;
    if (made)
        open_region(e, r = made);
    LLVMValueRef lanes = flow_guard_bits(e);
    region_count_branch(e, lanes, number(e, 32, UINT32_MAX));
    LLVMBasicBlockRef some = new_block(e, "some"), part = new_block(e, "part");
    LLVMBasicBlockRef all = in->back_edge ? new_block(e, "back") : e->head[in->target];
    regs_flush(e, e->k->blocks[in->block].live_out);
    LLVMBuildCondBr(e->b, lanes_any(e, lanes), some, e->head[region_block_behind(e, in->block)]);
    LLVMPositionBuilderAtEnd(e->b, some);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, number(e, 32, UINT32_MAX), ""), all, part);
    if (in->back_edge) {
        LLVMPositionBuilderAtEnd(e->b, all);
        emit_turn(e, in->target);
    }
    LLVMPositionBuilderAtEnd(e->b, part);
    for (int i = 0; i < r->n; i++)
        LLVMBuildStore(e->b, number(e, 32, 0), r->wait[i]);
    send(e, r, in, lanes, number(e, 32, UINT32_MAX));
    LLVMBuildBr(e->b, r->at[in->block] >= 0 ? r->behind[r->at[in->block]] : r->begin);
    regs_forget(e);
    if (made)
        emit_region(e, made);
    return true;
}
