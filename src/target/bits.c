/* See bits.h. */
#include "target/bits.h"

#include "target/definitions.h"

enum { DEEPEST = 8 };

static uint64_t all_of(int bits)
{
    return ir_unsigned(UINT64_MAX, bits);
}

/* Of a value of so many bits; or of the register of 32 bits that holds it, where what is above a smaller value is left as it comes. */
enum asked { OF_VALUE, OF_REGISTER };

static uint64_t width_of(int bits, enum asked asked)
{
    return all_of(bits < 32 && asked == OF_REGISTER ? 32 : bits);
}

static uint64_t possible(const struct ir_kernel *k, const int32_t *only, const struct ir_src *src, enum asked asked, int depth);

static uint64_t possible_of(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, enum asked asked, int depth)
{
    const int bits = ptx_type_info[in->type].bits;
    const bool has_sign = ptx_type_info[in->type].kind == 'S';
    const uint64_t all = width_of(bits, asked);
    uint64_t by;
    switch (ir_kind(in)) {
    case PTX_KIND_LOAD:
        return has_sign ? UINT64_MAX : all_of(bits);
    case PTX_KIND_COPY:
        return in->nsrc == 1 ? possible(k, only, &in->src[0], asked, depth) : UINT64_MAX;
    case PTX_KIND_CONVERT: {
        if (!ptx_is_integer(in->type) || !ptx_is_integer(in->type2))
            return UINT64_MAX;
        const int from = ptx_type_info[in->type2].bits;
        if (bits <= from)
            return possible(k, only, &in->src[0], asked, depth) & all;
        const uint64_t value = possible(k, only, &in->src[0], OF_VALUE, depth) & all_of(from);
        return (ptx_type_info[in->type2].kind == 'S' && value >> (from - 1) ? UINT64_MAX : value) & all;
    }
    case PTX_KIND_AND:
        return possible(k, only, &in->src[0], asked, depth) & possible(k, only, &in->src[1], asked, depth) & all;
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
        return (possible(k, only, &in->src[0], asked, depth) | possible(k, only, &in->src[1], asked, depth)) & all;
    case PTX_KIND_SHL:
        return definitions_constant(k, only, &in->src[1], &by) && by < (uint64_t)bits ? possible(k, only, &in->src[0], asked, depth) << by & all : all;
    case PTX_KIND_SHR:
        return !has_sign && definitions_constant(k, only, &in->src[1], &by) && by < (uint64_t)bits ? (possible(k, only, &in->src[0], asked, depth) & all) >> by : all;
    case PTX_KIND_SELECT:
        return (possible(k, only, &in->src[0], asked, depth) | possible(k, only, &in->src[1], asked, depth)) & all;
    default:
        return UINT64_MAX;
    }
}

static uint64_t possible(const struct ir_kernel *k, const int32_t *only, const struct ir_src *src, enum asked asked, int depth)
{
    if (src->kind == IR_SRC_IMM)
        return src->imm;
    if (src->kind != IR_SRC_REG)
        return UINT64_MAX;
    const uint64_t all = width_of(ptx_type_info[k->reg_type[src->reg]].bits, asked);
    const struct ir_inst *in = definitions_maker(k, only, src);
    if (in && ir_is(in, PTX_KIND_COPY) && in->ndst == 2 && in->dst[1] == src->reg)
        return all_of(ptx_type_info[k->reg_type[src->reg]].bits); /* taken out of the upper half of a register */
    return in && depth < DEEPEST && in->ndst == 1 && in->guard == IR_NOREG ? possible_of(k, only, in, asked, depth + 1) & all : all;
}

bool bits_widen_freely(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    const int from = ptx_type_info[in->type2].bits;
    const bool has_sign = ptx_type_info[in->type2].kind == 'S';
    return from < 32 && !(possible(k, only, &in->src[0], OF_REGISTER, 0) & ~all_of(from - has_sign));
}

const struct ir_src *bits_unmasked(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in)
{
    uint64_t mask;
    if (!ir_is(in, PTX_KIND_AND) || in->guard != IR_NOREG || ptx_type_info[in->type].bits < 16)
        return NULL;
    for (int s = 0; s < 2; s++)
        if (in->src[1 - s].kind == IR_SRC_REG && definitions_constant(k, only, &in->src[s], &mask) &&
            !(possible(k, only, &in->src[1 - s], OF_VALUE, 0) & all_of(ptx_type_info[in->type].bits) & ~mask))
            return &in->src[1 - s];
    return NULL;
}
