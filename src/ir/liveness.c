/* Liveness of registers at block boundaries: backward data flow over bit sets.
 *
 * Registers are per lane: lanes that wait at a join keep their own values, and need no extra edges here. */
#include "ir/cfg.h"
#include "base/alloc.h"

#include <string.h>

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
            for (int32_t s = 0; s < b->nsucc; s++)
                for (size_t w = 0; b->succ[s] >= 0 && w < words; w++)
                    b->live_out[w] |= k->blocks[b->succ[s]].live_in[w];
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
