/* See window.h. */
#include "target/window.h"

#include "base/alloc.h"
#include "ir/cfg.h"

#include <string.h>

enum { DEEPEST = 12 };

/* What is in a uniform register at `from` is there at `to`: not through a loop. Blocks are in the order of the text. */
static bool reaches(const struct ir_kernel *k, int32_t from, int32_t to)
{
    if (!ir_dominates(k, from, to))
        return false;
    for (int32_t loop = 0; loop < k->nloops; loop++)
        if (!ir_bit(k->loops[loop].blocks, from) && ir_dominates(k, from, k->loops[loop].header) && k->loops[loop].header <= to)
            return false;
    return true;
}

/* What a predicated way computes and the code behind it needs, too, is computed in front of both. */
static void share_with_way(const struct lowered *l, int32_t block)
{
    const struct ir_kernel *k = l->k;
    struct windows *w = l->windows;
    for (int32_t i = 0; i < w->n && !lowered_is_predicated(l, block); i++) {
        const int32_t way = k->insts[w->of[i].site].block, from = k->blocks[way].idom;
        if (w->of[i].base == i && lowered_is_predicated(l, way) && k->blocks[from].count > 1 && reaches(k, from, block) && !reaches(k, way, block)) {
            w->of[i].site = k->blocks[from].first + k->blocks[from].count - 2; /* the branch is none */
            w->of[i].lanes = lowered_is_predicated(l, from);
        }
    }
}

/* The window for a variable there that the site needs: one that has been computed, or a new one. */
static int32_t window_for(const struct lowered *l, int32_t site, uint64_t offset)
{
    const struct ir_kernel *k = l->k;
    struct windows *w = l->windows;
    const int32_t here = k->insts[site].block, b = lowered_before_loops(k, here);
    int32_t base = w->n;
    share_with_way(l, b);
    for (int32_t i = 0; i < w->n; i++) {
        if (!reaches(k, k->insts[w->of[i].site].block, b))
            continue;
        if (w->of[i].offset == offset)
            return i;
        base = w->of[i].base;
    }
    const int32_t at = b == here ? site : k->blocks[b].first + (k->blocks[b].count ? k->blocks[b].count - 1 : 0);
    w->of[w->n] = (struct window){.site = at, .base = base, .offset = offset, .lanes = lowered_is_predicated(l, b)};
    return w->n++;
}

struct naming {
    const struct lowered *l;
    int32_t *first, *next; /* [nregs], [ninsts]: instructions that give the register its only value or one of several, in a list; -1 ends it */
    uint64_t *names, *seen;
};

/* Where an address begins: registers that are set to a number are names. direct: nothing but constants has been added since; else a register
 * with several values is an index that begins with a number. Returns whether there is a name. */
static bool add_names(struct naming *n, const struct ir_src *s, bool direct, int depth)
{
    const struct ir_kernel *k = n->l->k;
    bool found = false;
    if (s->kind != IR_SRC_REG || depth == DEEPEST || (n->l->only[s->reg] < 0 && ir_bit(n->seen, s->reg)))
        return false;
    ir_bit_set(n->seen, s->reg);
    for (int32_t i = n->first[s->reg]; i >= 0; i = n->next[i]) {
        const struct ir_inst *in = &k->insts[i];
        const bool constant = in->nsrc < 2 || in->src[1].kind == IR_SRC_IMM;
        switch (ir_kind(in)) {
        case PTX_KIND_COPY:
            if (in->nsrc == 1 && in->src[0].kind == IR_SRC_IMM && (direct || n->l->only[s->reg] >= 0)) {
                ir_bit_set(n->names, s->reg);
                found = true;
                break;
            }
            found |= in->nsrc == 1 && add_names(n, &in->src[0], direct, depth + 1);
            break;
        case PTX_KIND_ADDRESS:
        case PTX_KIND_CONVERT:
            found |= add_names(n, &in->src[0], direct, depth + 1);
            break;
        case PTX_KIND_ADD:
        case PTX_KIND_SUB:
            found |= add_names(n, &in->src[0], direct && constant, depth + 1) || add_names(n, &in->src[1], direct && constant, depth + 1);
            break;
        case PTX_KIND_MAD:
            found |= in->nsrc == 3 && add_names(n, &in->src[2], false, depth + 1);
            break;
        default:
            break;
        }
    }
    return found;
}

uint64_t *windows_names(const struct lowered *l, int space)
{
    const struct ir_kernel *k = l->k;
    const size_t bytes = ((size_t)k->nregs / 64 + 1) * sizeof(uint64_t);
    struct naming n = {l, alloc_zeroed(((size_t)k->nregs + 1) * sizeof *n.first), alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *n.next), alloc_zeroed(bytes), alloc_zeroed(bytes)};
    memset(n.first, -1, ((size_t)k->nregs + 1) * sizeof *n.first);
    for (int32_t i = k->ninsts - 1; i >= 0; i--)
        if (k->insts[i].ndst == 1 && k->insts[i].dst[0] != IR_NOREG) {
            n.next[i] = n.first[k->insts[i].dst[0]];
            n.first[k->insts[i].dst[0]] = i;
        }
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_is_memory(&k->insts[i]) && k->insts[i].space == space)
            add_names(&n, &k->insts[i].src[0], true, 0);
    alloc_release(n.first);
    alloc_release(n.next);
    alloc_release(n.seen);
    return n.names;
}

void windows_find(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    struct windows *w = l->windows = alloc_zeroed(sizeof *w);
    int32_t first = -1;
    w->of = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *w->of); /* not more than sites */
    w->of_reg = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *w->of_reg);
    w->of_site = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *w->of_site);
    memset(w->of_reg, -1, ((size_t)k->nregs + 1) * sizeof *w->of_reg);
    memset(w->of_site, -1, ((size_t)k->ninsts + 1) * sizeof *w->of_site);
    uint64_t *names = windows_names(l, PTX_SHARED);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        const bool access = ir_is_memory(in) && in->space == PTX_SHARED;
        first = first < 0 && access ? i : first;
        if (access && in->src[0].kind == IR_SRC_IMM)
            w->of_site[i] = window_for(l, i, 0);
        else if (ir_is_copy(in) && in->src[0].kind == IR_SRC_IMM && in->dst[0] != IR_NOREG && ir_bit(names, in->dst[0]))
            *(l->only[in->dst[0]] < 0 ? &w->of_site[i] : &w->of_reg[in->dst[0]]) = window_for(l, i, in->src[0].imm);
    }
    alloc_release(names);
    if (first >= 0 && !w->n) /* nothing says where: in front of the first access */
        window_for(l, first, 0);
}

bool windows_settle(struct lowered *l)
{
    struct windows *w = l->windows;
    bool changed = false;
    for (int32_t r = 0; w && r < l->k->nregs; r++)
        if (w->of_reg[r] >= 0 && l->place[r] == PLACE_REGISTER)
            w->of[w->of[w->of_reg[r]].base].lanes = true;
    for (int32_t r = 0; w && r < l->k->nregs; r++)
        if (w->of_reg[r] >= 0 && l->place[r] == PLACE_UNIFORM && w->of[w->of[w->of_reg[r]].base].lanes) {
            l->place[r] = PLACE_REGISTER;
            changed = true;
        }
    return changed;
}

void windows_free(struct windows *w)
{
    if (!w)
        return;
    alloc_release(w->of);
    alloc_release(w->of_reg);
    alloc_release(w->of_site);
    alloc_release(w);
}
