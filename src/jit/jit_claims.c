/* What machine code relies on, as claims (see jit.h, ir/claims.h). */
#include "ir/claims.h"

#include <string.h>

#include "jit/jit_code.h"
#include "jit/unroll_jam.h"
#include "jit/jit.h"

static void claim_shape(const struct shape *s, int32_t reg, struct ir_claims *out)
{
    struct claim_shape c;
    memset(&c, 0, sizeof c);
    c.halved = s->halved;
    c.zeros = s->zeros;
    c.known = s->known;
    c.bounded = s->bounded;
    c.base = s->base;
    c.low = s->low;
    c.high = s->high;
    memcpy(c.offset, s->offset, sizeof c.offset);
    claims_add(out, &(struct ir_claim){.kind = CLAIM_SHAPE, .who = "jit/lane_shape", .reg = reg, .shape = &c});
}

/* What loads bring from one address is the same for all warps of a block, if these do not race: no atomic changes it on purpose. */
static bool has_atomics(const struct ir_kernel *k)
{
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_is_memory(&k->insts[i]) && (k->insts[i].op == PTX_OP_ATOM || k->insts[i].op == PTX_OP_RED))
            return true;
    return false;
}

void jit_claim(const struct ir_kernel *k, const uint32_t dim[3], struct ir_claims *out)
{
    uint64_t threads = (uint64_t)dim[0] * dim[1] * dim[2];
    int warps = (int)(threads / SHAPE_LANES);
    if (plan_refuses(k))
        return;
    struct shapes *s = shapes_find(k, dim);
    for (int32_t r = 0; r < k->nregs; r++)
        if (s->reg[r].kind == SHAPE_AFFINE && ptx_type_info[k->reg_type[r]].bits <= 64)
            claim_shape(&s->reg[r], r, out);
    out->asked = ARENA_ARRAY(&out->arena, uint64_t, k->ninsts / 64 + 1);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
        if (k->insts[i].ndst && shape_guarded_source(k, s, dim, &k->insts[i], lo, hi) >= 0)
            ir_bit_set(out->asked, i);
    }
    struct unroll_jam_steps *steps = threads % SHAPE_LANES || has_atomics(k) ? NULL : unroll_jam_find(k, s, dim, UNROLL_JAM_WARPS, warps, NULL);
    for (int32_t r = 0; steps && r < k->nregs; r++)
        if (ir_bit(steps->known, r) && ptx_type_info[k->reg_type[r]].bits <= 64)
            claims_add(out, &(struct ir_claim){.kind = CLAIM_STEP, .who = "jit/unroll_jam", .reg = r,
                                               .step = {steps->by[r], warps}});
    unroll_jam_steps_release(steps);
    shapes_release(s);
}
