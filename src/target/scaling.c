/* See scaling.h. */
#include "target/scaling.h"

#include "base/alloc.h"
#include "target/definitions.h"
#include "target/signs.h"

#include <string.h>

static bool may_scale(const struct ir_inst *in)
{
    enum ptx_class c = ir_class(in);
    return in->type == PTX_F32 && (c == PTX_CLASS_FDIV || c == PTX_CLASS_FSQRT || c == PTX_CLASS_MUFU);
}

static bool is_sign(const struct ir_kernel *k, const int32_t *only, const struct ir_src *s)
{
    const struct ir_inst *maker = definitions_maker(k, only, s);
    return maker && signs_changes(maker);
}

static uint8_t apart(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, const uint64_t *live_after)
{
    uint8_t set = 0;
    for (int i = 0; i < in->nsrc && i < 2; i++) {
        const struct ir_src *s = &in->src[i];
        bool again = s->kind == IR_SRC_REG && in->dst[0] != s->reg && ir_bit(live_after, s->reg);
        if (again || is_sign(k, only, s))
            set |= (uint8_t)(1 << i);
    }
    return set;
}

uint8_t *scaling_new(const struct ir_kernel *k, const int32_t *only)
{
    size_t words = (size_t)k->nregs / 64 + 1;
    uint8_t *scaled = alloc_zeroed((size_t)k->ninsts + 1);
    uint64_t *live = alloc_zeroed(words * sizeof *live);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *bl = &k->blocks[b];
        int32_t first = bl->first;
        while (first < bl->first + bl->count && !may_scale(&k->insts[first]))
            first++;
        memcpy(live, bl->live_out, words * sizeof *live);
        for (int32_t i = bl->first + bl->count - 1; i >= first; i--) {
            if (may_scale(&k->insts[i]))
                scaled[i] = apart(k, only, &k->insts[i], live);
            ir_live_before(&k->insts[i], live);
        }
    }
    alloc_release(live);
    return scaled;
}
