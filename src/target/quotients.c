/* See quotients.h. */
#include "target/quotients.h"

#include "ir/cfg.h"
#include "target/definitions.h"

static bool is_quotient(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM)) && ptx_type_info[in->type].bits == 32;
}

int32_t quotients_divisor(const struct lowered *l, const struct ir_inst *in)
{
    const struct ir_kernel *k = l->k;
    uint64_t number, other;
    if (!is_quotient(in))
        return -1;
    if (!definitions_constant(k, l->only, &in->src[1], &number))
        return in->src[1].kind == IR_SRC_REG && l->only[in->src[1].reg] >= 0 ? in->src[1].reg : -1;
    int32_t first = 0;
    while (!is_quotient(&k->insts[first]) || !definitions_constant(k, l->only, &k->insts[first].src[1], &other) || other != number)
        first++;
    return k->nregs + first;
}

/* The divisor's part stands before the quotient, of another one. */
static bool is_made_before(const struct lowered *l, int32_t site, int32_t divisor)
{
    const struct ir_kernel *k = l->k;
    const struct ir_inst *in = &k->insts[site];
    const bool known = divisor >= k->nregs;
    for (int32_t i = known ? divisor - k->nregs : k->blocks[in->block].first; i < site; i++) {
        const struct ir_inst *other = &k->insts[i];
        if (is_quotient(other) && (known ? ir_dominates(k, other->block, in->block) : other->type == in->type) && quotients_divisor(l, other) == divisor)
            return true;
    }
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
