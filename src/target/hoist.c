/* See hoist.h. A phi all of whose values are made alike is the value that is made in the block that the branch ends. */
#include "target/hoist.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/ssa.h"
#include "target/definitions.h"
#include "target/moves.h"

struct hoisting {
    struct ir_kernel *k;
    int32_t *only;  /* definitions.h */
    int32_t *now;   /* [nregs] the register that holds the same value; registers made here are themselves */
    int32_t nregs;  /* when it began */
    int32_t cap;
    struct moved *moved; /* each makes a register, in this order */
    int32_t n, cap_moved;
};

/* The instruction that makes the operand, looking through moves of whole registers. */
static const struct ir_inst *maker(const struct hoisting *h, const struct ir_src *s)
{
    while (s->kind == IR_SRC_REG && h->only[s->reg] >= 0) {
        const struct ir_inst *in = &h->k->insts[h->only[s->reg]];
        if (!ir_is_whole_move(h->k, in))
            return in;
        s = &in->src[0];
    }
    return NULL;
}

static bool is_arithmetic(const struct ir_inst *in)
{
    return in && definitions_arithmetic(in) && in->op != IR_OP_PHI && in->guard == IR_NOREG && in->ndst == 1 && in->dst[0] != IR_NOREG;
}

static bool alike(const struct hoisting *h, const struct ir_src *a, const struct ir_src *b, int deep);

static bool made_alike(const struct hoisting *h, const struct ir_inst *a, const struct ir_inst *b, int deep)
{
    if (!deep || !is_arithmetic(a) || !is_arithmetic(b) || !definitions_same_operation(a, b))
        return false;
    for (int s = 0; s < a->nsrc; s++)
        if (!alike(h, &a->src[s], &b->src[s], deep - 1))
            return false;
    return h->k->reg_type[a->dst[0]] == h->k->reg_type[b->dst[0]];
}

static bool alike(const struct hoisting *h, const struct ir_src *a, const struct ir_src *b, int deep)
{
    if (a->kind != b->kind || a->negated != b->negated)
        return false;
    if (a->kind != IR_SRC_REG)
        return a->kind == IR_SRC_IMM ? a->imm == b->imm : a->sreg == b->sreg;
    const struct ir_inst *x = maker(h, a), *y = maker(h, b);
    return a->reg == b->reg || (x && x == y) || made_alike(h, x, y, deep);
}

/* Its value is there at the end of the block, or can be computed there. */
static bool available(const struct hoisting *h, const struct ir_src *s, int32_t block, int deep)
{
    const struct ir_inst *in = maker(h, s);
    if (s->kind != IR_SRC_REG || (!in && h->only[s->reg] == DEFINITIONS_NONE) || (in && ir_dominates(h->k, in->block, block)))
        return true;
    if (!deep || !is_arithmetic(in))
        return false;
    for (int i = 0; i < in->nsrc; i++)
        if (!available(h, &in->src[i], block, deep - 1))
            return false;
    return true;
}

static int32_t now(const void *user, int32_t reg)
{
    const struct hoisting *h = user;
    while (reg < h->nregs && h->now[reg] != reg)
        reg = h->now[reg];
    return reg;
}

/* The operand at the end of the block: a register of before, or one that is made there. */
static struct ir_src hoisted(struct hoisting *h, const struct ir_src *s, int32_t block)
{
    const struct ir_inst *in = maker(h, s);
    struct ir_src to = *s;
    if (!in)
        return to;
    to.reg = now(h, in->dst[0]);
    if (ir_dominates(h->k, to.reg < h->nregs ? in->block : h->moved[to.reg - h->nregs].block, block))
        return to;
    struct ir_inst made = *in;
    for (int i = 0; i < in->nsrc; i++)
        ir_set_source(h->k, &made, i, hoisted(h, &in->src[i], block));
    to.reg = h->now[in->dst[0]] = ir_new_register(h->k, in->dst[0], &h->cap);
    IR_SET_RESULTS(h->k, &made, to.reg);
    ALLOC_GROW(h->moved, h->n, h->cap_moved);
    h->moved[h->n++] = (struct moved){block, made};
    return to;
}

/* The block whose branch's lanes meet here. */
static int32_t parted_at(const struct ir_kernel *k, int32_t join)
{
    int32_t b = k->blocks[join].idom;
    return b >= 0 && k->blocks[b].nsucc == 2 && k->blocks[b].ipdom == join && k->blocks[b].loop == k->blocks[join].loop ? b : -1;
}

static bool all_alike(const struct hoisting *h, const struct ir_inst *phi, int32_t block)
{
    for (int s = 0; s < phi->nsrc; s++) {
        const struct ir_inst *in = maker(h, &phi->src[s]);
        if (!is_arithmetic(in) || ir_is_copy(in) || (s && !made_alike(h, maker(h, &phi->src[0]), in, HOIST_DEEP)))
            return false;
        if (h->k->reg_type[in->dst[0]] != h->k->reg_type[phi->dst[0]])
            return false;
    }
    return available(h, &phi->src[0], block, HOIST_DEEP);
}

/* The phi's source that is made before the block ends, or its first. */
static const struct ir_src *earliest(const struct hoisting *h, const struct ir_inst *phi, int32_t block)
{
    for (int s = 0; s < phi->nsrc; s++)
        if (ir_dominates(h->k, maker(h, &phi->src[s])->block, block))
            return &phi->src[s];
    return &phi->src[0];
}

static void hoist(struct hoisting *h, struct ir_inst *phi, int32_t block)
{
    if (phi->nsrc < 2 || !all_alike(h, phi, block))
        return;
    int32_t reg = hoisted(h, earliest(h, phi, block), block).reg;
    for (int s = 0; s < phi->nsrc; s++) {
        const struct ir_inst *in = maker(h, &phi->src[s]);
        if (!ir_dominates(h->k, in->block, block)) /* else it is read before the block, too */
            h->now[in->dst[0]] = reg;
    }
    h->now[phi->dst[0]] = reg;
    ir_delete(phi);
}

void hoist_arithmetic(struct ir_kernel *k)
{
    struct hoisting h = {.k = k, .only = definitions_new(k), .nregs = k->nregs, .cap = k->nregs};
    h.now = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *h.now);
    for (int32_t r = 0; r < k->nregs; r++)
        h.now[r] = r;
    for (int32_t b = 0; b < k->nblocks && !k->recursive; b++) {
        const struct ir_block *block = &k->blocks[b];
        int32_t from = parted_at(k, b);
        for (int32_t i = block->first; from >= 0 && i < block->first + block->count && ir_at_head(&k->insts[i]); i++)
            if (k->insts[i].op == IR_OP_PHI)
                hoist(&h, &k->insts[i], from);
    }
    moves_insert(k, h.moved, h.n);
    ir_rename_reads(k, now, &h);
    alloc_release(h.moved);
    alloc_release(h.only);
    alloc_release(h.now);
}
