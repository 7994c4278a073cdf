/* Sums of sources (see affine.h). */
#include "ir/affine.h"

#include "ir/facts.h"

bool affine_immediate(const void *known, const struct ir_inst *in, int i, uint64_t *bits)
{
    (void)known;
    *bits = in->src[i].imm;
    return in->src[i].kind == IR_SRC_IMM;
}

/* The first two sources: one is a number that the other is taken times, or neither is. */
static void multiply(const struct ir_inst *in, affine_number *number, const void *known, struct affine *a)
{
    const struct ptx_type_info *t = &ptx_type_info[in->type];
    uint64_t v;
    a->of[0].times = a->of[1].times = 0;
    for (int i = 0; i < 2; i++)
        if (number(known, in, i, &v)) {
            a->of[1 - i].times = t->kind == 'S' ? ir_signed(v, t->bits) : (int64_t)ir_unsigned(v, t->bits);
            return;
        }
    a->product = true;
}

bool affine_of(const struct ir_inst *in, affine_number *number, const void *known, struct affine *a)
{
    bool wide = ir_kind(in) & PTX_KIND_WIDE;
    int bits = ptx_type_info[in->type].bits, from = ir_is(in, PTX_KIND_CONVERT) ? ptx_type_info[in->type2].bits : bits;
    uint64_t by;
    if (in->ndst != 1 || in->nsrc < 1 || in->nsrc > AFFINE_SOURCES || !ptx_is_integer(in->type) || bits > 64 || !facts_plain(in))
        return false;
    *a = (struct affine){.n = in->nsrc, .bits = wide ? 2 * bits : bits};
    for (int i = 0; i < a->n; i++) {
        a->of[i].times = 1;
        a->of[i].bits = wide && i == 2 ? a->bits : from;
    }
    switch (ir_kind(in) & ~PTX_KIND_WIDE) {
    case PTX_KIND_COPY:
    case PTX_KIND_ADDRESS:
        return a->n == 1;
    case PTX_KIND_CONVERT:
        return ptx_is_integer(in->type2);
    case PTX_KIND_ADD:
        return true;
    case PTX_KIND_SUB:
        a->of[1].times = -1;
        return true;
    case PTX_KIND_SHL:
        if (!number(known, in, 1, &by) || by >= (uint64_t)bits)
            return false;
        a->of[0].times = (int64_t)(UINT64_C(1) << by);
        a->of[1].times = 0;
        return true;
    case PTX_KIND_MUL:
    case PTX_KIND_MAD:
        multiply(in, number, known, a);
        return true;
    default:
        return false;
    }
}

bool affine_step(const struct affine *a, const int64_t by[], int64_t *sum)
{
    uint64_t s = 0;
    for (int i = 0; i < a->n; i++)
        s += (uint64_t)a->of[i].times * (uint64_t)by[i];
    *sum = ir_signed(s, a->bits);
    return !a->product || (!by[0] && !by[1]);
}
