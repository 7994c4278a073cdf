/* Atomics as the assembler does them (see atomics.h). */
#include "target/atomics.h"

#include "base/alloc.h"
#include "ir/claims.h"
#include "target/uniform.h"

static bool has_result(const struct ir_inst *in)
{
    return in->ndst && in->dst[0] != IR_NOREG;
}

static bool can_be_reduction(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_ATOMIC) && in->space == PTX_GLOBAL && !has_result(in) &&
           in->mods->atomic != PTX_ATOMIC_EXCH && in->mods->atomic != PTX_ATOMIC_CAS &&
           (in->mods->order == PTX_WEAK || in->mods->order == PTX_RELAXED);
}

static bool adds_one(const struct ir_inst *in)
{
    return in->mods->atomic == PTX_ATOMIC_ADD && ptx_type_info[in->type].kind != 'F' && ptx_type_info[in->type].bits == 32 &&
           in->src[1].kind == IR_SRC_IMM && (uint32_t)in->src[1].imm == 1;
}

/* The operation can be done by one lane for others: their values are combined first. */
static bool combines(const struct ir_inst *in, const uint64_t *uniform)
{
    int bits = ptx_type_info[in->type].bits;
    if (!ptx_is_integer(in->type) || !uniform_source(uniform, &in->src[0]))
        return false;
    switch (in->mods->atomic) {
    case PTX_ATOMIC_ADD:
        return bits == 32 || uniform_source(uniform, &in->src[1]);
    case PTX_ATOMIC_MIN:
    case PTX_ATOMIC_MAX:
    case PTX_ATOMIC_AND:
    case PTX_ATOMIC_OR:
    case PTX_ATOMIC_XOR:
        return bits == 32 && !has_result(in);
    default:
        return false;
    }
}

static void once(struct ir_kernel *k, struct ir_inst *in)
{
    in->atomic_form = IR_ATOMIC_ONCE;
    claims_add(k->claims, &(struct ir_claim){.kind = CLAIM_ADDRESS, .who = "target/atomics", .reg = IR_NOREG, .id = in->id});
}

void atomics_rewrite(struct ir_kernel *k)
{
    uint64_t *uniform = NULL;
    for (int32_t i = 0; i < k->ninsts; i++) {
        struct ir_inst *in = &k->insts[i];
        if (!ir_is(in, PTX_KIND_ATOMIC) && !ir_is(in, PTX_KIND_REDUCE))
            continue;
        if (!uniform)
            uniform = uniform_registers(k);
        if (in->space == PTX_SHARED && !has_result(in) && adds_one(in))
            in->atomic_form = IR_ATOMIC_COUNTED;
        else if (combines(in, uniform))
            once(k, in);
        if (can_be_reduction(in)) {
            in->op = PTX_OP_RED;
            in->ndst = 0;
        }
    }
    alloc_release(uniform);
}
