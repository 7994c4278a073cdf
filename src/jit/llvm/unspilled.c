/* Unspilled registers: affine ones that are newer than what their spill slots hold (jit/plan.h). Only these are stored where a
 * warp stops.
 *
 * Wherever machine code is entered all spill slots hold what is alive, so a register is newer from where it is set to where the
 * warp next stops for certain. Loops with a barrier inside would store what does not change in them each time round, since
 * on the way in it may be newer: it is stored there once instead. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"

#include <string.h>

static uint64_t *newer_at(const struct emit *e, int32_t block)
{
    return e->newer + (size_t)block * e->words;
}

static void set_by(const struct ir_inst *in, uint64_t *regs)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            regs[in->dst[d] / 64] |= UINT64_C(1) << in->dst[d] % 64;
}

/* From before a block's first instruction to before `end`. */
static void pass(const struct emit *e, const struct ir_block *b, int32_t end, uint64_t *regs)
{
    for (int32_t i = b->first; i < end; i++) {
        if (jit_waits(&e->k->insts[i]))
            memset(regs, 0, e->words * 8);
        set_by(&e->k->insts[i], regs);
    }
}

/* The block before a loop with a barrier, if that is the only way in, and lanes do not part there; or -1. */
static int32_t before_loop(const struct emit *e, const struct ir_loop *l)
{
    const struct ir_block *h = &e->k->blocks[l->header];
    bool waits = false;
    for (int32_t b = 0; b < e->k->nblocks; b++)
        for (int32_t i = 0; ir_bit(l->blocks, b) && i < e->k->blocks[b].count; i++)
            waits |= jit_waits(&e->k->insts[e->k->blocks[b].first + i]);
    int32_t from = -1, ways = 0;
    for (int32_t i = 0; waits && i < h->npred; i++)
        if (!ir_bit(l->blocks, h->pred[i])) {
            from = h->pred[i];
            ways++;
        }
    if (ways != 1)
        return -1;
    const struct ir_block *b = &e->k->blocks[from];
    const struct ir_inst *last = &e->k->insts[b->first + b->count - 1];
    return last->op == PTX_OP_BRA && last->guard != IR_NOREG && !reg_scalar(e, last->guard) ? -1 : from;
}

/* Takes those out of `regs` that are stored on the way into the loop, or keeps only these. */
static void at_entry(const struct emit *e, const struct ir_loop *l, uint64_t *regs, bool only)
{
    uint64_t *set = alloc_zeroed(e->words * 8);
    for (int32_t b = 0; b < e->k->nblocks; b++)
        for (int32_t i = 0; ir_bit(l->blocks, b) && i < e->k->blocks[b].count; i++)
            set_by(&e->k->insts[e->k->blocks[b].first + i], set);
    for (size_t w = 0; w < e->words; w++) {
        uint64_t stored = e->k->blocks[l->header].live_in[w] & ~set[w];
        regs[w] &= only ? stored : ~stored;
    }
    alloc_release(set);
}

/* What is newer behind a block, on the way to `to`. */
static void behind(const struct emit *e, int32_t block, int32_t to, uint64_t *regs)
{
    const struct ir_block *b = &e->k->blocks[block];
    memcpy(regs, newer_at(e, block), e->words * 8);
    pass(e, b, b->first + b->count, regs);
    if (e->before_loop[to] == block)
        at_entry(e, ir_loop_at(e->k, to), regs, false);
}

void unspilled_find(struct emit *e)
{
    uint64_t *regs = alloc_zeroed(e->words * 8);
    e->newer = alloc_zeroed(((size_t)e->k->nblocks + 1) * e->words * 8);
    e->before_loop = alloc_zeroed(((size_t)e->k->nblocks + 1) * sizeof *e->before_loop);
    for (int32_t b = 0; b < e->k->nblocks; b++) {
        const struct ir_loop *l = ir_loop_at(e->k, b);
        e->before_loop[b] = l ? before_loop(e, l) : -1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < e->k->nblocks; b++)
            for (int32_t i = 0; i < e->k->blocks[b].npred; i++) {
                behind(e, e->k->blocks[b].pred[i], b, regs);
                for (size_t w = 0; w < e->words; w++) {
                    changed |= (regs[w] & ~newer_at(e, b)[w]) != 0;
                    newer_at(e, b)[w] |= regs[w];
                }
            }
    }
    alloc_release(regs);
}

void unspilled_before(const struct emit *e, int32_t site, uint64_t *regs)
{
    int32_t block = e->k->insts[site].block;
    memcpy(regs, newer_at(e, block), e->words * 8);
    pass(e, &e->k->blocks[block], site, regs);
}

void unspilled_behind(const struct emit *e, int32_t site, uint64_t *regs)
{
    unspilled_before(e, site, regs);
    pass(e, &e->k->blocks[e->k->insts[site].block], site + 1, regs);
}

void unspilled_store_ahead(struct emit *e, int32_t to)
{
    int32_t from = e->before_loop[to];
    if (from < 0)
        return;
    uint64_t *regs = alloc_zeroed(e->words * 8);
    memcpy(regs, newer_at(e, from), e->words * 8);
    pass(e, &e->k->blocks[from], e->k->blocks[from].first + e->k->blocks[from].count, regs);
    at_entry(e, ir_loop_at(e->k, to), regs, true);
    for (int32_t r = 0; r < e->k->nregs; r++)
        if (ir_bit(regs, r) && e->job->spill_slot[r] >= 0)
            spill_store(e, r);
    alloc_release(regs);
}
