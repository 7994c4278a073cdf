/* See window.h. */
#include "target/window.h"

#include "base/alloc.h"
#include "ir/cfg.h"

enum { DEEPEST = 12 };

struct finding {
    const struct lowered *l;
    bool *done; /* [nblocks] it is computed there */
    bool *at;
};

/* All rounds of the loop come through the block. */
static bool is_always(const struct ir_kernel *k, int32_t loop, int32_t b)
{
    const struct ir_block *header = &k->blocks[k->loops[loop].header];
    for (int32_t p = 0; p < header->npred; p++)
        if (ir_bit(k->loops[loop].blocks, header->pred[p]) && !ir_dominates(k, b, header->pred[p]))
            return false;
    return true;
}

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

static void compute_for(struct finding *f, int32_t site)
{
    const struct ir_kernel *k = f->l->k;
    int32_t here = k->insts[site].block, b = here;
    for (int32_t loop = k->blocks[b].loop; loop >= 0 && is_always(k, loop, b) && k->blocks[k->loops[loop].header].idom >= 0; loop = k->blocks[b].loop)
        b = k->blocks[k->loops[loop].header].idom;
    for (int32_t d = 0; d < k->nblocks; d++)
        if (f->done[d] && reaches(k, d, b))
            return;
    f->done[b] = true;
    f->at[b == here ? site : k->blocks[b].first + (k->blocks[b].count ? k->blocks[b].count - 1 : 0)] = true;
}

/* Where an address begins: the sites that set a register to a constant. Returns whether there is one. */
static bool follow(struct finding *f, const struct ir_src *s, int depth)
{
    const struct ir_kernel *k = f->l->k;
    const struct ir_inst *in = s->kind == IR_SRC_REG && f->l->only[s->reg] >= 0 ? &k->insts[f->l->only[s->reg]] : NULL;
    if (!in || depth == DEEPEST)
        return false;
    switch (ir_kind(in)) {
    case PTX_KIND_COPY:
        if (in->nsrc == 1 && in->src[0].kind == IR_SRC_IMM) {
            compute_for(f, f->l->only[s->reg]);
            return true;
        }
        return in->nsrc == 1 && follow(f, &in->src[0], depth + 1);
    case PTX_KIND_ADDRESS:
    case PTX_KIND_CONVERT:
        return follow(f, &in->src[0], depth + 1);
    case PTX_KIND_ADD:
    case PTX_KIND_SUB:
        return follow(f, &in->src[0], depth + 1) || follow(f, &in->src[1], depth + 1);
    case PTX_KIND_MAD:
        return in->nsrc == 3 && follow(f, &in->src[2], depth + 1);
    default:
        return false;
    }
}

void window_find(const struct lowered *l, bool *at)
{
    const struct ir_kernel *k = l->k;
    struct finding f = {.l = l, .at = at, .done = alloc_zeroed((size_t)k->nblocks + 1)};
    int32_t first = -1;
    bool any = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!ir_is_memory(in) || in->space != PTX_SHARED)
            continue;
        first = first < 0 ? i : first;
        if (in->src[0].kind == IR_SRC_IMM) {
            compute_for(&f, i);
            any = true;
        } else {
            any = follow(&f, &in->src[0], 0) || any;
        }
    }
    if (first >= 0 && !any) /* nothing says where: in front of the first access */
        compute_for(&f, first);
    alloc_release(f.done);
}
