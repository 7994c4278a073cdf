/* See waits.h. */
#include "target/waits.h"

#include "base/alloc.h"
#include "ir/facts.h"

#include <string.h>

const struct ir_inst *waits_access(const struct ir_kernel *k, int arch, const struct machine_inst *in)
{
    const enum pipe pipe = code_pipe(arch, in);
    const struct ir_inst *site = in->site >= 0 && !in->early && in->op != OP_NONE ? &k->insts[in->site] : NULL;
    if (!site || site->op == IR_OP_EXTERN || !(facts_reads(site) || facts_writes(site))) /* a call is arithmetic here */
        return NULL;
    return ((pipe == PIPE_LSU || pipe == PIPE_TEX) && in->op != OP_S2R && in->op != OP_LDGDEPBAR) || in->is_value ? site : NULL;
}

bool waits_brings(const struct ir_inst *in)
{
    return in && in->space != PTX_SHARED && in->space != PTX_PARAM;
}

static bool is_global(const struct ir_inst *in, enum ptx_kind kind)
{
    return in && ir_is(in, kind) && in->space == PTX_GLOBAL;
}

/* Loads of global memory in front of stores that are before them in PTX, of the same block and turn: from the end, with the first site of the
 * stores that were met, by turn. nth: [sites] how often a site was met. */
static void find_early(const struct ir_kernel *k, const struct code *c, const struct machine_block *bl, int32_t *nth, bool *early)
{
    int32_t *turn = alloc_zeroed(((size_t)bl->count + 1) * sizeof *turn), turns = 0;
    const struct ir_inst **of = alloc_zeroed(((size_t)bl->count + 1) * sizeof *of);
    for (int32_t i = 0; i < bl->count; i++) {
        of[i] = waits_access(k, c->arch, &c->insts[bl->first + i]);
        turn[i] = of[i] ? nth[c->insts[bl->first + i].site]++ : 0;
        turns = turn[i] >= turns ? turn[i] + 1 : turns;
    }
    struct {
        int32_t block, site;
    } *stores = alloc_zeroed(((size_t)turns + 1) * sizeof *stores);
    for (int32_t t = 0; t < turns; t++)
        stores[t].block = -1;
    for (int32_t i = bl->count - 1; i >= 0; i--) {
        const int32_t site = c->insts[bl->first + i].site, t = turn[i];
        if (is_global(of[i], PTX_KIND_STORE) && (stores[t].block != of[i]->block || site < stores[t].site)) {
            stores[t].block = of[i]->block;
            stores[t].site = site;
        } else if (is_global(of[i], PTX_KIND_LOAD) && stores[t].block == of[i]->block && stores[t].site < site) {
            early[site] = true;
        }
    }
    for (int32_t i = 0; i < bl->count; i++)
        if (of[i])
            nth[c->insts[bl->first + i].site] = 0;
    alloc_release(stores);
    alloc_release(of);
    alloc_release(turn);
}

void waits_find(const struct ir_kernel *k, const struct code *c, bool *early)
{
    int32_t *nth = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *nth);
    for (int32_t b = 0; b < c->nblocks; b++)
        if (flow_is_of_kernel(&c->blocks[b]))
            find_early(k, c, &c->blocks[b], nth, early);
    alloc_release(nth);
}
