/* See arrays.h. */
#include "target/arrays.h"
#include "base/alloc.h"
#include "target/definitions.h"

enum { ARRAY_BYTES = 7 * 4, MOST_COMPUTED = 17 };

static bool is_local(const struct ir_inst *in)
{
    return ir_is_memory(in) && in->space == PTX_LOCAL;
}

bool arrays_is_named(const struct ir_kernel *k, const int32_t *only, const struct ir_src *base)
{
    uint64_t bits;
    for (int steps = 0; steps < k->ninsts; steps++) {
        if (definitions_constant(k, only, base, &bits))
            return true;
        const struct ir_inst *in = definitions_maker(k, only, base);
        if (!in || !ir_is(in, PTX_KIND_ADD) || in->src[1].kind != IR_SRC_IMM || in->src[1].imm != 0)
            return false;
        base = &in->src[0];
    }
    return false;
}

static bool fits(const struct ir_kernel *k)
{
    if (k->local_bytes == 0 || k->local_bytes > ARRAY_BYTES || k->scratch_bytes || k->recursive)
        return false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (ir_is(in, PTX_KIND_ADDRESS) && in->space == PTX_LOCAL)
            return false;
        if (is_local(in) && (ptx_type_info[in->type].bits != 32 || in->vec != 1 || in->mods->order != PTX_WEAK))
            return false;
    }
    return true;
}

void arrays_to_registers(struct ir_kernel *k)
{
    if (!fits(k))
        return;
    int32_t *only = definitions_new(k);
    int literal = 0, computed = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (is_local(&k->insts[i]))
            arrays_is_named(k, only, &k->insts[i].src[0]) ? literal++ : computed++;
    alloc_release(only);
    if (literal == 0 || computed > MOST_COMPUTED)
        return;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (is_local(&k->insts[i]))
            k->insts[i].space = IR_SCRATCH;
    k->scratch_bytes = k->local_bytes;
    k->local_bytes = 0;
}
