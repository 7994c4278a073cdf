/* The unroll-and-jam form: each instruction is made for one warp after the other, with what struct emit keeps of a warp put aside
 * for each (jit/unroll_jam.h). What is the same in all of them is made for the first and taken over by the others.
 *
 * Where it cannot go on it leaves for all warps, of which the first few may have done the instruction already. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "interp/step.h"

#include <string.h>

static void put_aside(const struct emit *e, struct warp_values *v)
{
    *v = (struct warp_values){.regs = e->regs, .var = e->var, .now = e->now, .have = e->have, .changed = e->changed,
                              .touched = e->touched, .ntouched = e->ntouched};
}

static void take_up(struct emit *e, const struct warp_values *v)
{
    e->regs = v->regs;
    e->var = v->var;
    e->now = v->now;
    e->have = v->have;
    e->changed = v->changed;
    e->touched = v->touched;
    e->ntouched = v->ntouched;
}

static void turn_to(struct emit *e, int warp)
{
    if (warp == e->warp)
        return;
    put_aside(e, &e->of_warp[e->warp]);
    take_up(e, &e->of_warp[warp]);
    e->warp = warp;
}

int unroll_jam_first(struct emit *e)
{
    turn_to(e, 0);
    return 0;
}

int unroll_jam_next(struct emit *e, int w)
{
    turn_to(e, w + 1 < e->job->unrolled ? w + 1 : 0);
    return w + 1;
}

bool unroll_jam_whole(const struct emit *e)
{
    const uint32_t *dim = e->job->dim;
    return e->job->unrolled > 1 && (uint64_t)e->job->unrolled * SHAPE_LANES == (uint64_t)dim[0] * dim[1] * dim[2];
}

bool unroll_jam_waits_at(const struct emit *e, const struct ir_inst *in)
{
    return jit_waits(in) && !unroll_jam_whole(e);
}

bool unroll_jam_shared(const struct emit *e, int32_t reg)
{
    return e->warp > 0 && ir_bit(e->job->steps->known, reg);
}

int64_t unroll_jam_step(const struct emit *e, int32_t reg)
{
    return e->of_warp && ir_bit(e->job->steps->known, reg) ? e->job->steps->by[reg] : 0;
}

struct value unroll_jam_stepped(struct emit *e, int32_t reg, struct value v)
{
    int64_t by = unroll_jam_step(e, reg) * e->warp;
    for (int i = 0; i < var_parts(e, reg) && by; i++)
        v.v[i] = LLVMBuildAdd(e->b, v.v[i], LLVMConstInt(LLVMTypeOf(v.v[i]), (uint64_t)by, true), "");
    return v;
}

LLVMValueRef unroll_jam_first_source(struct emit *e, int i, enum ptx_type t, int p)
{
    int warp = e->warp;
    turn_to(e, 0);
    LLVMValueRef v = source(e, i, t, p);
    turn_to(e, warp);
    return v;
}

void unroll_jam_open(struct emit *e)
{
    size_t regs = (size_t)e->k->nregs + 1;
    if (e->job->unrolled == 1)
        return;
    e->of_warp = alloc_zeroed((size_t)e->job->unrolled * sizeof *e->of_warp);
    for (int w = 1; w < e->job->unrolled; w++)
        e->of_warp[w] = (struct warp_values){.var = alloc_zeroed(regs * sizeof *e->var), .now = alloc_zeroed(regs * sizeof *e->now),
                                             .have = alloc_zeroed(regs), .changed = alloc_zeroed(regs),
                                             .touched = alloc_zeroed(regs * sizeof *e->touched)};
}

void unroll_jam_release(struct emit *e)
{
    for (int w = 1; e->of_warp && w < e->job->unrolled; w++) {
        alloc_release(e->of_warp[w].var);
        alloc_release(e->of_warp[w].now);
        alloc_release(e->of_warp[w].have);
        alloc_release(e->of_warp[w].changed);
        alloc_release(e->of_warp[w].touched);
    }
    alloc_release(e->of_warp);
}

/* Its result follows from the first warp's for all. */
static bool done_once(const struct emit *e)
{
    bool some = false;
    for (int d = 0; d < e->in->ndst; d++) {
        if (e->in->dst[d] != IR_NOREG && !ir_bit(e->job->steps->known, e->in->dst[d]))
            return false;
        some |= e->in->dst[d] != IR_NOREG;
    }
    return some;
}

void unroll_jam_inst(struct emit *e)
{
    e->done = 0;
    bool widens = e->of_warp && e->in->ndst && !ir_is_memory(e->in) && e->in->op < PTX_OP_COUNT;
    if (widens && done_once(e))
        arith_guard_widening(e);
    if (!e->of_warp || !done_once(e)) {
        EACH_WARP(e, w)
            if (widens)
                arith_guard_widening(e);
            else if (e->of_warp && ir_is_memory(e->in))
                memory_check_ahead(e);
        EACH_WARP(e, w) {
            e->done = w;
            emit_inst(e);
        }
        e->done = 0;
        return;
    }
    struct value v[STEP_DST];
    emit_inst(e);
    for (int d = 0; d < e->in->ndst; d++)
        if (e->in->dst[d] != IR_NOREG)
            v[d] = reg_get(e, e->in->dst[d]);
    EACH_WARP(e, w)
        for (int d = 0; d < e->in->ndst && w; d++)
            if (e->in->dst[d] != IR_NOREG) {
                reg_set(e, e->in->dst[d], unroll_jam_stepped(e, e->in->dst[d], v[d]));
                e->changed[e->in->dst[d]] = 0; /* the first warp stores it */
            }
}

void unroll_jam_check_ahead(struct emit *e, const struct ir_block *b)
{
    uint64_t *set = alloc_zeroed(e->words * 8);
    const struct ir_inst *in = e->in;
    e->done = 0;
    for (int32_t i = b->first; i < b->first + b->count && (i == b->first || e->job->resume[i] < 0 || !emit_entered_before(e, i));
         i++) {
        e->in = &e->k->insts[i];
        if (ir_is_memory(e->in) && e->in->src[0].kind == IR_SRC_REG && !ir_bit(set, e->in->src[0].reg))
            EACH_WARP(e, w)
                memory_check_ahead(e);
        for (int d = 0; d < e->in->ndst; d++)
            if (e->in->dst[d] != IR_NOREG)
                ir_bit_set(set, e->in->dst[d]);
    }
    e->in = in;
    alloc_release(set);
}

/* Everything in the warp's own places, also what the others share. */
static void save_own(struct emit *e, bool behind)
{
    const uint64_t *live = live_before(e, e->site) + (behind ? e->words : 0);
    uint64_t *newer = alloc_zeroed(e->words * 8);
    (behind ? unspilled_behind : unspilled_before)(e, e->site, newer);
    for (int32_t r = 0; r < e->k->nregs; r++) {
        if (!ir_bit(live, r))
            continue;
        if (e->job->spill_slot[r] < 0)
            place_keep(e, r);
        else if (ir_bit(newer, r) || unroll_jam_shared(e, r))
            spill_store(e, r);
    }
    alloc_release(newer);
}

void unroll_jam_leave(struct emit *e, enum jit_stop why)
{
    int warp = e->warp;
    bool known = e->left.block && e->left.site == e->site && e->left.done == e->done && e->left.why == why;
    if (!known) {
        e->left.site = e->site;
        e->left.done = e->done;
        e->left.why = why;
        e->left.block = new_block(e, "left");
    }
    LLVMBuildBr(e->b, e->left.block);
    if (known)
        return;
    LLVMPositionBuilderAtEnd(e->b, e->left.block);
    EACH_WARP(e, w) {
        int m = flow_mark(e);
        save_own(e, w < e->done);
        flow_unmark(e, m);
    }
    if (e->site == e->k->blocks[e->in->block].first) /* it is counted again by those that do it again */
        count_block(e, e->in->block, e->done - e->job->unrolled);
    uncount_access(e);
    frame_set(e, offsetof(struct jit_frame, unroll_jam_done), number(e, 32, (uint64_t)e->done));
    emit_stop(e, why, e->site);
    turn_to(e, warp);
}
