/* Liveness of registers at block boundaries: backward data flow over bit sets.
 *
 * Registers are per lane: lanes that wait at a join keep their own values, and need no extra edges here. In SSA a phi reads at
 * the ends of the blocks before it. */
#include "ir/cfg.h"
#include "base/alloc.h"
#include "ir/ssa.h"

#include <string.h>

/* What the phis of block `to` read at the end of block `from`. */
static void read_by_phis(const struct ir_kernel *k, int32_t to, int32_t from, uint64_t *live)
{
    const struct ir_block *b = &k->blocks[to];
    for (int32_t i = b->first; i < b->first + b->count && ir_at_head(&k->insts[i]); i++)
        for (int s = 0; s < k->insts[i].nsrc; s++)
            if (k->insts[i].targets[s] == from && k->insts[i].src[s].kind == IR_SRC_REG)
                ir_bit_set(live, k->insts[i].src[s].reg);
}

void liveness_analyse(struct ir_kernel *k)
{
    size_t words = ((size_t)k->nregs + 63) / 64 + 1;
    uint64_t *live = alloc_zeroed(words * 8);
    for (int32_t i = 0; i < k->nblocks; i++) {
        k->blocks[i].live_in = ARENA_ARRAY(&k->arena, uint64_t, words);
        k->blocks[i].live_out = ARENA_ARRAY(&k->arena, uint64_t, words);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = k->nblocks - 1; i >= 0; i--) {
            struct ir_block *b = &k->blocks[i];
            for (int32_t s = 0; s < b->nsucc; s++) {
                for (size_t w = 0; b->succ[s] >= 0 && w < words; w++)
                    b->live_out[w] |= k->blocks[b->succ[s]].live_in[w];
                if (b->succ[s] >= 0 && k->ssa)
                    read_by_phis(k, b->succ[s], i, b->live_out);
            }
            memcpy(live, b->live_out, words * 8);
            for (int32_t n = b->first + b->count - 1; n >= b->first; n--)
                ir_live_before(&k->insts[n], live);
            if (memcmp(live, b->live_in, words * 8)) {
                memcpy(b->live_in, live, words * 8);
                changed = true;
            }
        }
    }
    alloc_release(live);
}

void liveness_before(const struct ir_kernel *k, int32_t i, uint64_t *live)
{
    const struct ir_block *b = &k->blocks[k->insts[i].block];
    memcpy(live, b->live_out, ((size_t)k->nregs + 63) / 64 * 8);
    for (int32_t n = b->first + b->count - 1; n >= i; n--)
        ir_live_before(&k->insts[n], live);
}
