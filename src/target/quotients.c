/* See quotients.h. */
#include "target/quotients.h"

#include "ir/cfg.h"
#include "target/definitions.h"
#include "target/forms.h"

static bool is_quotient(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM)) && ptx_type_info[in->type].bits == 32;
}

static bool is_by_number(const struct lowered *l, const struct ir_inst *in, uint64_t *number)
{
    return is_quotient(in) && definitions_constant(l->k, l->only, &in->src[1], number);
}

/* `other` is a quotient by the same number, or of the same type by the same register. */
static bool has_divisor_of(const struct lowered *l, const struct ir_inst *in, const struct ir_inst *other)
{
    uint64_t a, b;
    if (is_by_number(l, in, &a))
        return is_by_number(l, other, &b) && a == b;
    return is_quotient(other) && other->type == in->type && form_same_register(&other->src[1], &in->src[1]);
}

int32_t quotients_divisor(const struct lowered *l, const struct ir_inst *in)
{
    uint64_t number;
    if (!is_quotient(in))
        return -1;
    if (!is_by_number(l, in, &number))
        return in->src[1].kind == IR_SRC_REG && l->only[in->src[1].reg] >= 0 ? in->src[1].reg : -1;
    int32_t first = 0;
    while (!has_divisor_of(l, in, &l->k->insts[first]))
        first++;
    return l->k->nregs + first;
}

/* The divisor's part stands before the quotient, of another one. */
static bool is_made_before(const struct lowered *l, int32_t site, int32_t divisor)
{
    const struct ir_kernel *k = l->k;
    const struct ir_inst *in = &k->insts[site];
    const bool known = divisor >= k->nregs;
    for (int32_t i = known ? divisor - k->nregs : k->blocks[in->block].first; i < site; i++)
        if (has_divisor_of(l, in, &k->insts[i]) && (!known || ir_dominates(k, k->insts[i].block, in->block)))
            return true;
    return false;
}

void quotients_part(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        const int32_t divisor = quotients_divisor(l, in);
        if (divisor < 0)
            continue;
        parted[i] = is_made_before(l, i, divisor);
        int32_t b = in->block, made = divisor < k->nregs ? k->insts[l->only[divisor]].block : 0;
        for (int32_t loop = k->blocks[b].loop; loop >= 0 && !ir_bit(k->loops[loop].blocks, made); loop = k->loops[loop].parent)
            if (k->blocks[k->loops[loop].header].idom >= 0)
                b = k->blocks[k->loops[loop].header].idom;
        if (parted[i] || b == in->block)
            continue;
        int32_t at = k->blocks[b].first + (k->blocks[b].count ? k->blocks[b].count - 1 : 0);
        parted[i] = true;
        next_of[i] = first_of[at];
        first_of[at] = i + 1;
    }
}
