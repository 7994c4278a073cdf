/* See arms.h. Addresses are the same if register and offset are, and the register is not made in one of the ways. */
#include "target/arms.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "target/definitions.h"
#include "target/moves.h"

#include <string.h>

/* Instructions of a block that becomes predicated ones, its branch and loads counted, moves not. Where a shared address is made of the
 * window's (S2UR, UMOV, ULEA) those count, too. Ways of 1 to 12 instructions with a shared load, of 14 to 24 with a global one, for compute
 * capability 7.5 to 9.0, ptxas 13.0, 2026-11-29. */
enum { MOST = 8, MOST_WITH_GLOBAL_LOAD = 20, WINDOW = 3 };

struct sharing {
    struct ir_kernel *k;
    struct moved *moved; /* loads */
    int32_t n, cap;
};

static bool is_weak_load(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD) && in->mods->order == PTX_WEAK && in->guard == IR_NOREG &&
           (in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_GENERIC);
}

/* What the assembler makes predicated instructions of. */
static bool is_short(const struct ir_kernel *k, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    int count = 0, most = k->arch >= 90 ? MOST - WINDOW : MOST;
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (ir_is(in, PTX_KIND_LOAD) && in->space != PTX_SHARED)
            most = MOST_WITH_GLOBAL_LOAD;
        if (in->op == IR_OP_DELETED || ir_is(in, PTX_KIND_COPY))
            continue;
        if (!ir_is(in, PTX_KIND_STORE) && !ir_is(in, PTX_KIND_LOAD) && !ir_is(in, PTX_KIND_BRANCH) && !definitions_arithmetic(in))
            return false;
        count++;
    }
    return count <= most;
}

/* A block entered from one place, and left for one. */
static bool is_way(const struct ir_kernel *k, int32_t block)
{
    return block >= 0 && k->blocks[block].npred == 1 && k->blocks[block].nsucc == 1;
}

static bool only_goes_on(const struct ir_kernel *k, const struct ir_block *b)
{
    return b->count == 1 && ir_is(&k->insts[b->first], PTX_KIND_BRANCH) && is_way(k, b->succ[0]);
}

/* Both ways of the block's branch are such blocks, entered from here only, and meet. */
static bool is_diamond(const struct ir_kernel *k, const struct ir_block *b, int32_t *arm)
{
    if (b->nsucc != 2 || b->count == 0 || !ir_is(&k->insts[b->first + b->count - 1], PTX_KIND_BRANCH))
        return false;
    for (int i = 0; i < 2; i++) {
        arm[i] = b->succ[i];
        /* a block that only goes on to the way proper, as nvcc prints `@p bra X; bra Y;` */
        if (is_way(k, arm[i]) && only_goes_on(k, &k->blocks[arm[i]]))
            arm[i] = k->blocks[arm[i]].succ[0];
        if (!is_way(k, arm[i]) || !is_short(k, arm[i]))
            return false;
    }
    return arm[0] != arm[1] && k->blocks[arm[0]].succ[0] == k->blocks[arm[1]].succ[0];
}

/* The register that the address is made of is there at the branch. */
static bool is_there(const struct ir_kernel *k, const struct ir_inst *load)
{
    const struct ir_block *b = &k->blocks[load->block];
    for (int32_t i = b->first; load->src[0].kind == IR_SRC_REG && i < b->first + b->count; i++)
        if (ir_defines(&k->insts[i], load->src[0].reg))
            return false;
    return load->src[0].kind != IR_SRC_SREG;
}

static bool same_load(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->type == b->type && a->space == b->space && a->vec == b->vec && a->ndst == b->ndst && a->offset == b->offset &&
           a->src[0].kind == b->src[0].kind && a->mods->cache == b->mods->cache && a->mods->nc == b->mods->nc &&
           (a->src[0].kind == IR_SRC_REG ? a->src[0].reg == b->src[0].reg : a->src[0].imm == b->src[0].imm);
}

/* A move of one register can take the other's place. */
static bool is_single(const struct ir_inst *in)
{
    return in->ndst == 1 && in->dst[0] != IR_NOREG;
}

/* The same load in the other way's block, in front of all its stores. */
static struct ir_inst *partner(const struct sharing *s, int32_t block, const struct ir_inst *load)
{
    const struct ir_block *b = &s->k->blocks[block];
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        struct ir_inst *in = &s->k->insts[i];
        if (ir_is(in, PTX_KIND_STORE))
            return NULL;
        if (is_weak_load(in) && same_load(in, load) && is_single(in))
            return in;
    }
    return NULL;
}

static void share(struct sharing *s, const struct ir_block *from, const int32_t *arm)
{
    struct ir_kernel *k = s->k;
    const struct ir_block *b = &k->blocks[arm[0]];
    for (int32_t i = b->first; i < b->first + b->count && !ir_is(&k->insts[i], PTX_KIND_STORE); i++) {
        struct ir_inst *in = &k->insts[i], *other;
        if (!is_weak_load(in) || !is_single(in) || !is_there(k, in) || !(other = partner(s, arm[1], in)))
            continue;
        ALLOC_GROW(s->moved, s->n, s->cap);
        s->moved[s->n++] = (struct moved){k->insts[from->first].block, *in};
        move_become_loaded(k, other, in->dst[0], in->type);
        ir_delete(in);
    }
}

void arms_share_loads(struct ir_kernel *k)
{
    struct sharing s = {.k = k};
    for (int32_t b = 0; b < k->nblocks; b++) {
        int32_t arm[2];
        if (is_diamond(k, &k->blocks[b], arm))
            share(&s, &k->blocks[b], arm);
    }
    moves_insert(k, s.moved, s.n);
    alloc_release(s.moved);
}
