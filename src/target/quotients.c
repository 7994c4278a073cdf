/* See quotients.h. */
#include "target/quotients.h"

#include "ir/cfg.h"
#include "target/forms.h"

static bool is_quotient(const struct lowered *l, const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM)) && ptx_type_info[in->type].bits == 32 && in->src[1].kind == IR_SRC_REG &&
           l->only[in->src[1].reg] >= 0;
}

void quotients_part(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!is_quotient(l, in))
            continue;
        for (int32_t j = k->blocks[in->block].first; j < i && !parted[i]; j++)
            parted[i] = is_quotient(l, &k->insts[j]) && k->insts[j].type == in->type && form_same_register(&k->insts[j].src[1], &in->src[1]);
        int32_t b = in->block, made = k->insts[l->only[in->src[1].reg]].block;
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
