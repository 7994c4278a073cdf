/* See waits.h. */
#include "target/waits.h"

#include <string.h>

#include "base/alloc.h"
#include "ir/facts.h"
#include "target/target.h"

/* Accesses that need, for an address, a value or a guard, what a load of the same basic block brings. */
static void find_needs(const struct ir_kernel *k, uint8_t *waits)
{
    size_t words = (size_t)(k->nregs + 63) / 64;
    uint64_t *loaded = alloc_zeroed((words + 1) * sizeof *loaded);
    for (int b = 0; b < k->nblocks; b++) {
        memset(loaded, 0, words * sizeof *loaded);
        for (int i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++) {
            const struct ir_inst *in = &k->insts[i];
            bool memory = in->op != IR_OP_EXTERN && (facts_reads(in) || facts_writes(in)); /* a call is arithmetic here */
            bool reads = ir_reads(in, loaded);
            waits[i] = memory && reads ? WAITS_NEEDS : WAITS_NOT;
            for (int d = 0; d < in->ndst; d++)
                if (in->dst[d] != IR_NOREG && (reads || (memory && in->space != PTX_SHARED && in->space != PTX_PARAM)))
                    ir_bit_set(loaded, in->dst[d]);
        }
    }
    alloc_release(loaded);
}

/* Bytes that a store writes or a load reads, a lane; from its base. */
static void span_of(const struct ir_inst *in, int64_t *from, int64_t *to)
{
    *from = in->offset;
    *to = in->offset + ptx_type_info[in->type].bits / 8 * (in->vec ? in->vec : 1);
}

/* Loads that an assembler moves up over stores that precede them in their basic block: they need nothing of it, and the stores have
 * the same base and are of other bytes (nvcc's code of `p->x += a; p->y += b;` has both loads first; so tests/truth, aos_soa). */
static void find_early(const struct ir_kernel *k, uint8_t *waits)
{
    enum { STORES = 16 };
    const struct ir_inst *store[STORES];
    for (int b = 0; b < k->nblocks; b++) {
        int n = 0;
        bool never = false;
        for (int i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++) {
            const struct ir_inst *in = &k->insts[i];
            bool load = ir_is(in, PTX_KIND_LOAD) && in->space == PTX_GLOBAL && in->src[0].kind == IR_SRC_REG && !waits[i];
            for (int d = 0; d < n && !never; d++)
                never |= ir_defines(in, store[d]->src[0].reg);
            if (ir_is(in, PTX_KIND_STORE) && in->space == PTX_GLOBAL) {
                never |= n == STORES || in->src[0].kind != IR_SRC_REG;
                if (!never)
                    store[n++] = in;
            } else {
                never |= facts_wall(in) || facts_writes(in) & FACT_GLOBAL;
            }
            for (int d = 0; d < n && load; d++) {
                int64_t from, to, other, end;
                span_of(in, &from, &to);
                span_of(store[d], &other, &end);
                load = store[d]->src[0].reg == in->src[0].reg && (to <= other || end <= from);
            }
            if (load && n && !never)
                waits[i] = WAITS_EARLY;
        }
    }
}

uint8_t *waits_find(const struct ir_kernel *k, struct arena *arena)
{
    uint8_t *waits = ARENA_ARRAY(arena, uint8_t, k->ninsts + 1);
    memset(waits, WAITS_NOT, (size_t)k->ninsts + 1);
    find_needs(k, waits);
    find_early(k, waits);
    return waits;
}
