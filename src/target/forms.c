/* See forms.h. */
#include "target/forms.h"

#include "target/definitions.h"

/* Place and length of a field that are known. */
static bool field_of(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, uint64_t *at, uint64_t *bits)
{
    return in->nsrc > 2 && definitions_constant(k, only, &in->src[1], at) && definitions_constant(k, only, &in->src[2], bits);
}

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

static bool is_never_negative(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    const struct ir_inst *maker = definitions_maker(k, only, &in->src[0]);
    return maker && (ir_is(maker, PTX_KIND_FABS) || (ir_is(maker, PTX_KIND_FMUL) && form_same_register(&maker->src[0], &maker->src[1])));
}

/* A quotient by a number that is known: *bits. */
static bool is_by(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, uint64_t *bits)
{
    return in->nsrc > 1 && definitions_constant(k, only, &in->src[1], bits);
}

static bool is_special(enum ptx_type type, uint64_t bits)
{
    const uint32_t upper = (uint32_t)(type == PTX_F64 ? bits >> 32 : bits) & INT32_MAX;
    return type == PTX_F64 ? upper < 0x00100000 || upper >= 0x7f800000 : upper < 2 << 23 || upper >= 252 << 23;
}

static bool are_all_by(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    uint64_t number, other;
    if (!is_by(k, only, in, &number) || is_special(in->type, number))
        return false;
    for (const struct ir_inst *i = k->insts; i < k->insts + k->ninsts; i++)
        if (i->op == in->op && i->type == in->type && i->mods->round == PTX_RN && i->mods->ftz == in->mods->ftz && (!is_by(k, only, i, &other) || other != number))
            return false;
    return true;
}

bool form_fits(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, enum form form)
{
    uint64_t bits, at;
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
    case ALL_BY:
        return m->round == PTX_RN && !m->ftz && are_all_by(k, only, in);
    case NEAREST_FTZ:
        return m->round == PTX_RN && m->ftz;
    case CONSTANT_FIELD:
        return in->nsrc > 3 && in->src[2].kind == IR_SRC_IMM && in->src[3].kind == IR_SRC_IMM;
    case ALL_COPIES:
        return m->variant == PTX_CP_WAIT_ALL;
    case UPWARD:
        return m->round == PTX_RP;
    case CONSTANT:
        return in->nsrc > 1 && definitions_constant(k, only, &in->src[in->op == PTX_OP_BFI ? 2 : 1], &bits);
    case BY_KNOWN:
        return (m->approx || m->full) && definitions_constant(k, only, &in->src[1], &bits);
    case NOT_BELOW_0:
        return is_never_negative(k, only, in);
    case SHARED:
        return argument_is_reduced(k, in);
    case BLOCK_WIDE:
        return m->scope == PTX_SCOPE_CTA;
    case BYTE_FIELD:
        return field_of(k, only, in, &at, &bits) && at % 8 == 0 && (bits == 8 || bits == 16) && at + bits <= 32;
    case FIRST_FIELD:
        return field_of(k, only, in, &at, &bits) && at == 0;
    case OF_FLOATS:
        return in->type2 == PTX_F32;
    case OF_DOUBLES:
        return in->type2 == PTX_F64;
    case OF_8_BITS:
        return m->element[0] == PTX_ELEMENT_E4M3 || m->element[0] == PTX_ELEMENT_E5M2;
    }
    return false;
}
