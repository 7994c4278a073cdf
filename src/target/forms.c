/* See forms.h. */
#include "target/forms.h"

/* sin or cos before this one in its block, of the same value. */
static bool argument_is_reduced(const struct ir_kernel *k, const struct ir_inst *in)
{
    for (const struct ir_inst *other = in - 1; other >= &k->insts[k->blocks[in->block].first]; other--) {
        if ((other->op == PTX_OP_SIN || other->op == PTX_OP_COS) && form_same_register(&other->src[0], &in->src[0]))
            return true;
        if (in->src[0].kind == IR_SRC_REG && ir_defines(other, in->src[0].reg))
            return false;
    }
    return false;
}

bool form_fits(const struct ir_kernel *k, const struct ir_inst *in, enum form form)
{
    const struct ptx_mods *m = in->mods;
    switch (form) {
    case ANY:
        return true;
    case APPROX:
        return m->approx;
    case APPROX_FTZ:
        return m->approx && m->ftz;
    case FULL:
        return m->full;
    case FULL_FTZ:
        return m->full && m->ftz;
    case NEAREST:
        return m->round == PTX_RN;
    case NEAREST_FTZ:
        return m->round == PTX_RN && m->ftz;
    case CONSTANT_FIELD:
        return in->nsrc > 3 && in->src[2].kind == IR_SRC_IMM && in->src[3].kind == IR_SRC_IMM;
    case NOT_EXACT_BY_CONSTANT:
        return (m->approx || m->full) && in->src[1].kind == IR_SRC_IMM;
    case ALL_COPIES:
        return m->variant == PTX_CP_WAIT_ALL;
    case UPWARD:
        return m->round == PTX_RP;
    case SATURATE:
        return m->sat && in->type2 == PTX_F32;
    case FROM_HALF:
        return in->type2 == PTX_F16;
    case CONSTANT:
        return in->nsrc > 1 && in->src[1].kind == IR_SRC_IMM;
    case SHARED:
        return argument_is_reduced(k, in);
    case BLOCK_WIDE:
        return m->scope == PTX_SCOPE_CTA;
    }
    return false;
}
