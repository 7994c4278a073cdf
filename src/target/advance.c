/* See advance.h. From the last block to the first, so that what has passed one way is there to pass the one before it. */
#include "target/advance.h"

#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "target/definitions.h"
#include "target/moves.h"

#include <string.h>

/* RUN: blocks of a way, one behind the other without a branch. CHAIN: instructions that an address is made of. FIRST: of a block, those among
 * which a load makes the ways to it longer that become predicated. */
enum { RUN = 4, CHAIN = 8, FIRST = 19 };

/* Instructions that have come to the end of a block. */
struct tail {
    struct ir_inst *insts;
    int32_t n, cap;
};

struct advancing {
    struct ir_kernel *k;
    struct tail *tail;    /* [nblocks] */
    struct ir_inst **of;  /* instructions of the block that is looked at: its own, then those of its tail */
    bool *goes;           /* of each of them: it is moved */
    int32_t n;
    int32_t *place;       /* [nregs] of what the block makes: its place in `of`, + 1; else 0 */
};

/* Its machine code has branches of its own, or calls (sequences.def). */
static bool parts_within(const struct ir_inst *in)
{
    if (in->op == IR_OP_EXTERN)
        return true;
    switch (in->op) {
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return ptx_type_info[in->type].bits != 32;
    case PTX_OP_FDIV:
        return !in->mods->approx && !in->mods->full;
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
        return !in->mods->approx || in->type == PTX_F64;
    case PTX_OP_BFIND:
        return ptx_type_info[in->type].bits == 64;
    default:
        return in->op == PTX_OP_FNS;
    }
}

/* One run of instructions leads from `way` to `join`, and nobody else enters it. */
static bool leads_to(const struct ir_kernel *k, int32_t way, int32_t join)
{
    for (int run = 0; way >= 0 && way != join && run < RUN; run++)
        way = k->blocks[way].npred == 1 && k->blocks[way].nsucc == 1 ? k->blocks[way].succ[0] : -1;
    return way == join;
}

/* *written: the memory that the way writes. false: nothing passes it. */
static bool may_be_passed(const struct ir_kernel *k, int32_t way, int32_t join, unsigned *written)
{
    *written = 0;
    for (; way != join; way = k->blocks[way].succ[0])
        for (int32_t i = k->blocks[way].first; i < k->blocks[way].first + k->blocks[way].count; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (in->op == IR_OP_DELETED || ir_is(in, PTX_KIND_BRANCH))
                continue;
            if (facts_wall(in) || facts_convergent(in) || parts_within(in) || ir_class(in) == PTX_CLASS_EXIT)
                return false;
            *written |= facts_writes(in);
        }
    return true;
}

/* The block whose branch leads to `join`, or there by a short way; -1: there is none. */
static int32_t branch_before(const struct ir_kernel *k, int32_t join, unsigned *written)
{
    const struct ir_block *to = &k->blocks[join], *from = to->idom >= 0 ? &k->blocks[to->idom] : NULL;
    if (!from || to->npred != 2 || from->nsucc != 2 || from->loop != to->loop || !from->count || (to->loop >= 0 && k->loops[to->loop].waiting) ||
        !ir_is_conditional(&k->insts[from->first + from->count - 1]))
        return -1;
    for (int w = 0; w < 2; w++)
        if (leads_to(k, from->succ[1 - w], join) && leads_to(k, from->succ[w], join) && from->succ[w] != from->succ[1 - w]) {
            const bool straight = from->succ[1 - w] == join || (k->blocks[from->succ[1 - w]].count == 1 && k->blocks[from->succ[1 - w]].succ[0] == join);
            if (straight)
                return may_be_passed(k, from->succ[w], join, written) ? to->idom : -1;
        }
    return -1;
}

static void look_at(struct advancing *a, int32_t block)
{
    const struct ir_block *b = &a->k->blocks[block];
    a->n = b->count + a->tail[block].n;
    a->of = alloc_zeroed(((size_t)a->n + 1) * sizeof *a->of);
    a->goes = alloc_zeroed((size_t)a->n + 1);
    for (int32_t i = 0; i < a->n; i++) {
        a->of[i] = i < b->count ? &a->k->insts[b->first + i] : &a->tail[block].insts[i - b->count];
        for (int d = 0; d < a->of[i]->ndst; d++)
            if (a->of[i]->dst[d] != IR_NOREG)
                a->place[a->of[i]->dst[d]] = i + 1;
    }
}

static void look_away(struct advancing *a)
{
    for (int32_t i = 0; i < a->n; i++)
        for (int d = 0; d < a->of[i]->ndst; d++)
            if (a->of[i]->dst[d] != IR_NOREG)
                a->place[a->of[i]->dst[d]] = 0;
    alloc_release(a->of);
    alloc_release(a->goes);
}

/* What the instruction reads is there at the branch, or is made of what is, by arithmetic that goes with it. */
static bool can_go(const struct advancing *a, const struct ir_inst *in, int deep)
{
    if (in->guard != IR_NOREG || in->op == IR_OP_PHI || deep > CHAIN)
        return false;
    for (int s = 0; s < in->nsrc; s++) {
        const int32_t made = in->src[s].kind == IR_SRC_REG ? a->place[in->src[s].reg] - 1 : -1;
        if (made < 0 || a->goes[made])
            continue;
        if (!facts_pure(a->of[made]) || parts_within(a->of[made]) || facts_carry(a->of[made]) || facts_convergent(a->of[made]) || ir_is_own(a->of[made]) || !can_go(a, a->of[made], deep + 1))
            return false;
    }
    return true;
}

static void go(struct advancing *a, int32_t i)
{
    if (a->goes[i])
        return;
    a->goes[i] = true;
    for (int s = 0; s < a->of[i]->nsrc; s++)
        if (a->of[i]->src[s].kind == IR_SRC_REG && a->place[a->of[i]->src[s].reg])
            go(a, a->place[a->of[i]->src[s].reg] - 1);
}

static bool is_weak_load(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD) && in->mods->order == PTX_WEAK && !in->frame && !facts_writes(in) && !facts_wall(in) && !facts_convergent(in);
}

/* The address of shared memory is in a register at the branch: what is made of the window's begin is made by the whole warp, where it is used. */
static bool has_address(const struct advancing *a, const struct ir_inst *in)
{
    return in->space != PTX_SHARED || (in->src[0].kind == IR_SRC_REG && (!a->place[in->src[0].reg] || a->goes[a->place[in->src[0].reg] - 1]));
}

static void advance(struct advancing *a, int32_t join)
{
    unsigned written;
    const int32_t from = branch_before(a->k, join, &written);
    if (from < 0)
        return;
    struct tail *t = &a->tail[from];
    look_at(a, join);
    for (int32_t i = 0; i < a->n && !facts_wall(a->of[i]) && !parts_within(a->of[i]); i++) {
        const struct ir_inst *in = a->of[i];
        if (is_weak_load(in) && has_address(a, in) && (in->mods->nc || !(facts_reads(in) & written)) && can_go(a, in, 0))
            go(a, i);
        else
            written |= facts_writes(in);
    }
    for (int32_t i = 0; i < a->n; i++)
        if (a->goes[i]) {
            ALLOC_GROW(t->insts, t->n, t->cap);
            t->insts[t->n++] = *a->of[i];
            ir_delete(a->of[i]);
        }
    look_away(a);
}

/* One of the first instructions of the block loads from where that takes long, for all lanes that come there. */
static bool soon_loads(const struct ir_kernel *k, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    int done = 0;
    for (int32_t i = b->first; i < b->first + b->count && done < FIRST; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (ir_is(in, PTX_KIND_LOAD) && in->guard == IR_NOREG && facts_reads(in) & (FACT_GLOBAL | FACT_LOCAL))
            return true;
        done += !ir_is_own(in) && !ir_is(in, PTX_KIND_COPY);
    }
    return false;
}

static void mark_branches(struct ir_kernel *k)
{
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_inst *last = k->blocks[b].count ? &k->insts[k->blocks[b].first + k->blocks[b].count - 1] : NULL;
        if (last && ir_is_conditional(last))
            last->loads_behind = k->blocks[b].ipdom >= 0 && soon_loads(k, k->blocks[b].ipdom);
    }
}

void advance_loads(struct ir_kernel *k)
{
    mark_branches(k);
    if (k->recursive)
        return;
    struct advancing a = {.k = k, .tail = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *a.tail), .place = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *a.place)};
    struct moved *moved = NULL;
    int32_t n = 0, cap = 0;
    for (int32_t b = k->nblocks - 1; b >= 0; b--)
        advance(&a, b);
    for (int32_t b = 0; b < k->nblocks; b++) {
        for (int32_t i = 0; i < a.tail[b].n; i++)
            if (a.tail[b].insts[i].op != IR_OP_DELETED) {
                ALLOC_GROW(moved, n, cap);
                moved[n++] = (struct moved){b, a.tail[b].insts[i]};
            }
        alloc_release(a.tail[b].insts);
    }
    moves_insert(k, moved, n);
    alloc_release(moved);
    alloc_release(a.tail);
    alloc_release(a.place);
}
