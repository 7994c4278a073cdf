/* See spill.h. */
#include "target/spill.h"

#include "base/alloc.h"

#include <string.h>

/* One word or pair from the constant bank, or an immediate. */
static bool is_free(const struct machine_inst *in)
{
    bool moves = in->op == OP_LDC ? !in->is_value : in->op == OP_MOV || in->op == OP_HFMA2 || in->op == OP_IMAD || in->op == OP_CS2R;
    if (!moves || in->nresults != 1 || in->result[0].file != FILE_REGISTER || in->guard.file || in->taken != TAKEN_ALL)
        return false;
    for (int s = 0; s < in->nsources; s++)
        if (in->source[s].file != FILE_BANK && in->source[s].file != FILE_IMMEDIATE && in->source[s].file != FILE_ZERO)
            return false;
    return in->nsources > 0;
}

/* The instruction that makes a value, if it is the only one and a free one, + 1. */
static void find_makers(const struct code *c, const struct flow *f, int32_t *maker)
{
    int32_t *writes = alloc_zeroed(((size_t)f->nvalues + 1) * sizeof *writes);
    for (int32_t i = 0; i < c->ninsts; i++)
        for (int32_t t = f->first[i]; t < f->first[i + 1]; t++)
            if (f->touches[t].writes) {
                writes[f->touches[t].value]++;
                maker[f->touches[t].value] = i + 1;
            }
    for (int32_t v = 0; v < f->nvalues; v++)
        if (writes[v] != 1 || v == c->stack || !is_free(&c->insts[maker[v] - 1]))
            maker[v] = 0;
    alloc_release(writes);
}

static int32_t block_of(const struct code *c, int32_t inst)
{
    int32_t b = 0;
    while (inst >= c->blocks[b].first + c->blocks[b].count)
        b++;
    return b;
}

static bool reads(const struct code *c, const struct flow *f, int32_t b, int32_t value)
{
    const struct machine_block *bl = &c->blocks[b];
    for (int32_t t = f->first[bl->first]; t < f->first[bl->first + bl->count]; t++)
        if (f->touches[t].value == value && !f->touches[t].writes)
            return true;
    return false;
}

int spill_free(struct code *c, const struct flow *f)
{
    int32_t *maker = alloc_zeroed(((size_t)f->nvalues + 1) * sizeof *maker);
    bool *gone = alloc_zeroed((size_t)c->ninsts + 1);
    struct code to = *c;
    int n = 0;
    find_makers(c, f, maker);
    for (int32_t v = 0; v < f->nvalues; v++) {
        if (!maker[v])
            continue;
        int32_t b = block_of(c, maker[v] - 1);
        if (!ir_bit(flow_out(f, b), v)) {
            maker[v] = 0;
            continue;
        }
        gone[maker[v] - 1] = !reads(c, f, b, v);
        n++;
    }
    to.insts = NULL;
    to.blocks = NULL;
    to.ninsts = to.capacity = to.nblocks = to.block_capacity = 0;
    for (int32_t b = 0; b < c->nblocks; b++) {
        const struct machine_block *bl = &c->blocks[b];
        code_begin_block(&to, bl->times, bl->of, bl->rounds, bl->ir);
        for (int32_t v = 0; n && v < f->nvalues; v++) {
            if (!maker[v] || !ir_bit(flow_in(f, b), v) || !reads(c, f, b, v))
                continue;
            struct machine_inst *in = code_add(&to, &c->insts[maker[v] - 1]);
            in->site = c->insts[bl->first].site;
            in->early = true;
        }
        for (int32_t i = bl->first; i < bl->first + bl->count; i++)
            if (!gone[i])
                code_add(&to, &c->insts[i]);
    }
    alloc_release(c->insts);
    alloc_release(c->blocks);
    *c = to;
    alloc_release(maker);
    alloc_release(gone);
    return n;
}
