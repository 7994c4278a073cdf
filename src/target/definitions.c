/* See definitions.h. */
#include "target/definitions.h"
#include "base/alloc.h"
#include "ir/facts.h"

#include <stddef.h>
#include <string.h>

int32_t *definitions_new(const struct ir_kernel *k)
{
    int32_t *only = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *only);
    for (int32_t r = 0; r < k->nregs; r++)
        only[r] = DEFINITIONS_NONE;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG)
                only[in->dst[d]] = only[in->dst[d]] == DEFINITIONS_NONE && in->guard == IR_NOREG ? i : DEFINITIONS_MANY;
    }
    return only;
}

const struct ir_inst *definitions_maker(const struct ir_kernel *k, const int32_t *only, const struct ir_src *s)
{
    const struct ir_inst *in = NULL;
    for (int steps = 0; s->kind == IR_SRC_REG && only[s->reg] >= 0 && steps < k->ninsts; steps++) {
        in = &k->insts[only[s->reg]];
        if (!ir_is_copy(in))
            return in;
        s = &in->src[0];
    }
    return s->kind == IR_SRC_REG ? NULL : in;
}

bool definitions_constant(const struct ir_kernel *k, const int32_t *only, const struct ir_src *s, uint64_t *bits)
{
    if (s->kind == IR_SRC_REG) {
        const struct ir_inst *in = definitions_maker(k, only, s);
        if (!in || !ir_is_copy(in))
            return false;
        s = &in->src[0];
    }
    *bits = s->imm;
    return s->kind == IR_SRC_IMM;
}

bool definitions_arithmetic(const struct ir_inst *in)
{
    return in->ndst && facts_pure(in);
}

bool definitions_same_operation(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->op == b->op && a->type == b->type && a->type2 == b->type2 && a->nsrc == b->nsrc && a->callee == b->callee && a->way == b->way &&
           a->offset == b->offset && !memcmp(a->mods, b->mods, offsetof(struct ptx_mods, plus_one) + 1); /* up to its last field */
}
