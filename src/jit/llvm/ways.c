/* Short ways: a branch whose lanes part for a few instructions, in the form for warps whose lanes go one way.
 *
 * Both ways lead to the branch's join without loops, barriers or exchanges. Then they are done here one after the other,
 * the one that is branched to first (as the interpreter does), each for its lanes: a register that is alive behind a block
 * gets the block's value where a lane is on, and keeps its own elsewhere. A way that no lane goes is skipped. Launches that
 * count do not come here: their records have to be fetched in between. */
#include "jit/llvm/emit.h"

#include "base/alloc.h"
#include "interp/step.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 64, MOST_BLOCKS = 12 };

/* What is found out of the ways from one branch. */
struct survey {
    struct emit *e;
    int instructions, blocks;
    bool effects; /* something was done that cannot be done again */
    bool nested;  /* lanes may part again */
    uint64_t *scalars; /* registers kept as a scalar that the ways write */
};

static int32_t block_behind(const struct emit *e, const struct ir_block *b)
{
    int32_t next = b->first + b->count;
    return next < e->k->ninsts ? e->k->insts[next].block : -1;
}

static bool simple_branch(const struct emit *e, const struct ir_inst *in)
{
    const struct step *st = &e->job->code->step[in - e->k->insts];
    return in->op == PTX_OP_BRA && !in->back_edge && !in->meet && !in->leaves && !st->level && !in->after_call &&
           (in->guard == IR_NOREG || in->joined);
}

/* It may find that machine code is not for this warp: then everything since the branch must be as if it had not been. */
static bool may_give_up(const struct emit *e, const struct ir_inst *in)
{
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    return shape_guarded_source(e->k, e->s, e->job->dim, in, lo, hi) >= 0;
}

static bool survey_branch(struct survey *v, const struct ir_inst *in);

static bool survey_way(struct survey *v, int32_t from, int32_t to)
{
    const struct emit *e = v->e;
    for (int32_t at = from; at != to;) {
        if (at < 0 || ++v->blocks > MOST_BLOCKS)
            return false;
        const struct ir_block *b = &e->k->blocks[at];
        int32_t next = block_behind(e, b);
        if ((v->instructions += b->count) > MOST_INSTRUCTIONS)
            return false;
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            const struct ir_inst *in = &e->k->insts[i];
            const struct step *st = &e->job->code->step[i];
            if (in->op == PTX_OP_BRA) {
                if (!simple_branch(e, in) || i + 1 != b->first + b->count)
                    return false;
                next = in->guard == IR_NOREG ? in->target : in->join;
                if (in->guard != IR_NOREG && !survey_branch(v, in))
                    return false;
                continue;
            }
            if (!step_is_plain(st) || (may_give_up(e, in) && v->effects))
                return false;
            v->effects |= st->kind != STEP_LANES && st->kind != STEP_LOAD && st->kind != STEP_SREG && st->kind != STEP_CVTA &&
                          st->kind != STEP_NOP;
            for (int d = 0; d < in->ndst; d++)
                if (in->dst[d] != IR_NOREG && reg_scalar(e, in->dst[d]))
                    ir_bit_set(v->scalars, in->dst[d]);
        }
        v->effects = true; /* registers are written at a block's end */
        at = next;
    }
    return true;
}

/* Nothing kept as a scalar that the first way writes is read by the second; and where lanes part again in the first, the
 * interpreter might do the second in between. */
static bool survey_branch(struct survey *v, const struct ir_inst *in)
{
    const struct emit *e = v->e;
    size_t words = e->words;
    int32_t second = block_behind(e, &e->k->blocks[in->block]);
    bool parts = !reg_scalar(e, in->guard), was_nested = v->nested, ok;
    struct survey first = *v;
    first.nested = false;
    first.scalars = alloc_zeroed(words * 8);
    ok = survey_way(&first, in->target, in->join);
    if (ok && parts && second != in->join) {
        ok = !first.nested;
        for (size_t w = 0; w < words; w++)
            ok &= !(first.scalars[w] & e->k->blocks[second].live_in[w]);
    }
    for (size_t w = 0; w < words; w++)
        v->scalars[w] |= first.scalars[w];
    alloc_release(first.scalars);
    v->instructions = first.instructions;
    v->blocks = first.blocks;
    v->effects = first.effects;
    v->nested = was_nested || first.nested || parts;
    return ok && survey_way(v, second, in->join);
}

bool ways_short(struct emit *e)
{
    const struct ir_inst *in = e->in;
    if (e->job->counting || e->mask || !simple_branch(e, in) || in->join < 0)
        return false;
    struct survey v = {.e = e, .scalars = alloc_zeroed(e->words * 8)};
    bool ok = survey_branch(&v, in);
    alloc_release(v.scalars);
    return ok;
}

/* --- doing it --- */

static void do_branch(struct emit *e, LLVMValueRef lanes, LLVMValueRef mask);

/* The blocks of one way, for the lanes of `mask`, if there are any. */
static void do_way(struct emit *e, int32_t from, int32_t to, LLVMValueRef mask)
{
    if (from == to)
        return;
    LLVMBasicBlockRef on = new_block(e, "way"), next = new_block(e, "past");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, mask, number(e, 32, 0), ""), on, next);
    LLVMPositionBuilderAtEnd(e->b, on);
    for (int32_t at = from; at != to;) {
        const struct ir_block *b = &e->k->blocks[at];
        int32_t behind = block_behind(e, b);
        find_live(e, b);
        forget(e);
        e->mask = mask;
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            e->site = i;
            e->in = &e->k->insts[i];
            if (e->in->op != PTX_OP_BRA) {
                emit_inst(e);
                continue;
            }
            LLVMValueRef lanes = lanes_on(e);
            flush(e, b->live_out);
            behind = e->in->guard == IR_NOREG ? e->in->target : e->in->join;
            if (e->in->guard != IR_NOREG)
                do_branch(e, lanes, mask);
            forget(e);
        }
        flush(e, b->live_out);
        at = behind;
    }
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
}

static void do_branch(struct emit *e, LLVMValueRef lanes, LLVMValueRef mask)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef others = LLVMBuildAnd(e->b, mask, LLVMBuildNot(e->b, lanes, ""), "");
    do_way(e, in->target, in->join, lanes);
    do_way(e, block_behind(e, &e->k->blocks[in->block]), in->join, others);
}

void ways_emit(struct emit *e, LLVMValueRef lanes)
{
    const struct ir_inst *in = e->in;
    LLVMBasicBlockRef some = new_block(e, "some"), part = new_block(e, "part");
    flush(e, e->k->blocks[in->block].live_out);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, number(e, 32, 0), ""),
                    e->head[block_behind(e, &e->k->blocks[in->block])], some);
    LLVMPositionBuilderAtEnd(e->b, some);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, lanes, number(e, 32, UINT32_MAX), ""), e->head[in->target], part);
    LLVMPositionBuilderAtEnd(e->b, part);
    e->parted_at = e->site;
    e->parted = lanes;
    do_branch(e, lanes, number(e, 32, UINT32_MAX));
    LLVMBuildBr(e->b, e->head[in->join]);
    e->mask = NULL;
    forget(e);
}

void ways_leave(struct emit *e, enum jit_stop why)
{
    size_t regs = (size_t)e->k->nregs;
    struct value *now = alloc_zeroed((regs + 1) * sizeof *now);
    uint8_t *have = alloc_zeroed(regs + 1), *changed = alloc_zeroed(regs + 1);
    const struct ir_inst *branch = &e->k->insts[e->parted_at];
    LLVMValueRef mask = e->mask;
    int n = e->ntouched;
    memcpy(now, e->now, regs * sizeof *now);
    memcpy(have, e->have, regs);
    memcpy(changed, e->changed, regs);
    memset(e->have, 0, regs); /* the variables have what the registers were at the branch */
    memset(e->changed, 0, regs);
    e->mask = NULL;
    save(e, e->k->blocks[branch->block].live_out);
    LLVMValueRef guard = branch->guard_negated ? LLVMBuildNot(e->b, e->parted, "") : e->parted;
    place_store_bits(e, branch->guard, guard);
    emit_stop(e, why, e->parted_at);
    memcpy(e->now, now, regs * sizeof *now);
    memcpy(e->have, have, regs);
    memcpy(e->changed, changed, regs);
    e->mask = mask;
    e->ntouched = n;
    alloc_release(now);
    alloc_release(have);
    alloc_release(changed);
}
