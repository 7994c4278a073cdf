/* See leaving.h. Phis are looked at one by one; the moves of all are put in at the end, before the branches of their blocks. */
#include "target/leaving.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "ir/ssa.h"

#include <string.h>

struct leaving {
    struct ir_kernel *k;
    int32_t *maker;      /* [nregs] the instruction that writes it, or -1 */
    uint8_t *by_lane;    /* [nregs] whether the value depends on the lane: 0 not asked yet, or ... */
    int32_t *apart;      /* [regs] of a phi's result: the register that it becomes, or itself */
    struct ir_inst *put; /* moves, `block` says where */
    int32_t nput, put_cap;
    int32_t regs_cap;
};
enum { BY_NONE = 1, BY_LANE };

static const struct ir_inst *maker_of(const struct leaving *l, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && l->maker[s->reg] >= 0 ? &l->k->insts[l->maker[s->reg]] : NULL;
}

/* Followed back to the thread's index, the lane's number or an atomic's result. */
static bool by_lane(struct leaving *l, int32_t reg)
{
    int32_t *todo = NULL, n = 0, cap = 0, asked = 0;
    bool found = false;
    if (l->by_lane[reg])
        return l->by_lane[reg] == BY_LANE;
    ALLOC_GROW(todo, n, cap);
    todo[n++] = reg;
    l->by_lane[reg] = BY_NONE;
    for (; asked < n && !found; asked++) {
        const struct ir_inst *in = l->maker[todo[asked]] < 0 ? NULL : &l->k->insts[l->maker[todo[asked]]];
        found = in && facts_result(in) & FACT_LANE;
        for (int s = 0; in && s < in->nsrc && !found; s++) {
            const struct ir_src *src = &in->src[s];
            found = facts_source(src) & FACT_LANE;
            if (src->kind != IR_SRC_REG || l->by_lane[src->reg] == BY_NONE)
                continue;
            found |= l->by_lane[src->reg] == BY_LANE;
            l->by_lane[src->reg] = BY_NONE;
            ALLOC_GROW(todo, n, cap);
            todo[n++] = src->reg;
        }
    }
    for (int32_t i = 1; i < n && found; i++)
        l->by_lane[todo[i]] = 0; /* which of them is not known */
    l->by_lane[reg] = found ? BY_LANE : BY_NONE;
    alloc_release(todo);
    return found;
}

static bool changes_in(const struct leaving *l, const struct ir_loop *loop, const struct ir_src *s)
{
    const struct ir_inst *in = maker_of(l, s);
    return s->kind == IR_SRC_SREG || (in && ir_bit(loop->blocks, in->block));
}

/* a + b or a - b, one of which is the register and the other the same in each turn. */
static bool is_sum_of(const struct leaving *l, const struct ir_loop *loop, const struct ir_inst *in, int32_t reg)
{
    if (ir_class(in) != PTX_CLASS_INT || in->nsrc != 2 || in->guard != IR_NOREG || !facts_pure(in) ||
        (!ir_is(in, PTX_KIND_ADD) && !ir_is(in, PTX_KIND_SUB)))
        return false;
    for (int s = 0; s < 2; s++)
        if (in->src[s].kind == IR_SRC_REG && in->src[s].reg == reg)
            return !changes_in(l, loop, &in->src[1 - s]);
    return false;
}

/* What comes back to the header as this phi is a sum of it. */
static bool counts(const struct leaving *l, const struct ir_loop *loop, const struct ir_inst *phi)
{
    bool some = false;
    for (int s = 0; s < phi->nsrc; s++) {
        const struct ir_inst *in = maker_of(l, &phi->src[s]);
        if (!ir_bit(loop->blocks, phi->targets[s]))
            continue;
        if (!in || !is_sum_of(l, loop, in, phi->dst[0]))
            return false;
        some = true;
    }
    return some;
}

static bool is_counter(const struct leaving *l, const struct ir_loop *loop, const struct ir_src *s)
{
    const struct ir_inst *in = maker_of(l, s);
    for (int i = 0; in && in->op != IR_OP_PHI && i < in->nsrc; i++) {
        const struct ir_inst *of = maker_of(l, &in->src[i]);
        if (of && of->op == IR_OP_PHI && of->block == loop->header && is_sum_of(l, loop, in, of->dst[0]))
            in = of;
    }
    return in && in->op == IR_OP_PHI && in->block == loop->header && counts(l, loop, in);
}

/* The outermost of the loops that an edge leads out of, or NULL. */
static const struct ir_loop *left_by(const struct ir_kernel *k, int32_t from, int32_t to)
{
    const struct ir_loop *left = NULL;
    for (int32_t i = 0; i < k->nloops; i++)
        if (ir_bit(k->loops[i].blocks, from) && !ir_bit(k->loops[i].blocks, to) && (!left || k->loops[i].depth < left->depth))
            left = &k->loops[i];
    return left;
}

static bool ends_by_lane(struct leaving *l, int32_t block)
{
    const struct ir_block *b = &l->k->blocks[block];
    const struct ir_inst *last = &l->k->insts[b->first + b->count - 1];
    return b->count && ir_is(last, PTX_KIND_BRANCH) && last->guard != IR_NOREG && by_lane(l, last->guard);
}

static bool is_wanted(struct leaving *l, const struct ir_inst *phi)
{
    for (int s = 0; s < phi->nsrc; s++) {
        const struct ir_loop *loop = left_by(l->k, phi->targets[s] < 0 ? phi->block : phi->targets[s], phi->block);
        if (loop && is_counter(l, loop, &phi->src[s]) && ends_by_lane(l, phi->targets[s]))
            return true;
    }
    return false;
}

static int32_t put_move(struct leaving *l, int32_t block, int32_t like, struct ir_src from)
{
    struct ir_kernel *k = l->k;
    int32_t to = ir_new_register(k, like, &l->regs_cap);
    struct ir_inst move = ir_move_beside(k, &k->insts[k->blocks[block].first + k->blocks[block].count - 1], to, from);
    move.block = block;
    move.stays = true;
    ALLOC_GROW(l->put, l->nput, l->put_cap);
    l->put[l->nput++] = move;
    return to;
}

/* Sources from before the phi come by moves; the result is no version of the register that it was one of. */
static void part(struct leaving *l, struct ir_inst *phi)
{
    struct ir_kernel *k = l->k;
    int32_t result = phi->dst[0];
    for (int s = 0; s < phi->nsrc; s++)
        if (phi->targets[s] >= 0 && !ir_dominates(k, phi->block, phi->targets[s]))
            ir_set_source(k, phi, s, ir_of_reg(put_move(l, phi->targets[s], result, phi->src[s])));
    l->apart[result] = ir_new_register(k, result, &l->regs_cap);
}

static int32_t name(const void *user, int32_t reg)
{
    return ((const int32_t *)user)[reg];
}

static void put_moves_of(struct leaving *l, int32_t block, struct ir_inst *insts, int32_t *n)
{
    for (int32_t i = 0; i < l->nput; i++)
        if (l->put[i].block == block)
            insts[(*n)++] = l->put[i];
}

static void put_all(struct leaving *l)
{
    struct ir_kernel *k = l->k;
    struct ir_inst *insts = alloc_zeroed(((size_t)k->ninsts + (size_t)l->nput + 1) * sizeof *insts);
    int32_t n = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *block = &k->blocks[b];
        int32_t first = n, last = block->first + block->count - 1;
        for (int32_t i = block->first; i <= last; i++) {
            bool goes = i == last && cfg_ends_block(&k->insts[i]);
            if (goes)
                put_moves_of(l, b, insts, &n);
            insts[n++] = k->insts[i];
            if (i == last && !goes)
                put_moves_of(l, b, insts, &n);
        }
        block->first = first;
        block->count = n - first;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
}

void leaving_rewrite(struct ir_kernel *k)
{
    struct leaving l = {.k = k, .regs_cap = k->nregs};
    int32_t regs = k->nregs;
    if (!k->nloops)
        return;
    l.maker = ir_makers(k);
    l.by_lane = alloc_zeroed((size_t)regs + 1);
    l.apart = alloc_zeroed(((size_t)regs + 1) * sizeof *l.apart);
    for (int32_t r = 0; r < regs; r++)
        l.apart[r] = r;
    int32_t nwanted = 0, *wanted = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *wanted);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == IR_OP_PHI && k->reg_type[k->insts[i].dst[0]] != PTX_PRED && is_wanted(&l, &k->insts[i]))
            wanted[nwanted++] = i;
    for (int32_t i = 0; i < nwanted; i++)
        part(&l, &k->insts[wanted[i]]);
    if (nwanted) {
        int32_t *now = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *now);
        for (int32_t r = 0; r < k->nregs; r++)
            now[r] = r < regs ? l.apart[r] : r;
        put_all(&l);
        ir_rename_reads(k, name, now);
        ir_rename_results(k, name, now);
        alloc_release(now);
    }
    alloc_release(wanted);
    alloc_release(l.maker);
    alloc_release(l.by_lane);
    alloc_release(l.apart);
    alloc_release(l.put);
}
