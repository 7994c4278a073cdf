/* Products and shifts (see selecting.h). */
#include "target/definitions.h"
#include "target/operands.h"
#include "target/selecting.h"

static bool is_whole_warps(const struct operand *o)
{
    return o->file == FILE_UNIFORM || o->file == FILE_BANK;
}

void selecting_product(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = selecting_result(s, in, 0), a = selecting_use(s, &in->src[0]), b = selecting_use(s, &in->src[1]);
    struct operand c = in->nsrc > 2 ? selecting_use(s, &in->src[2]) : zero();
    if (ir_kind(in) & PTX_KIND_WIDE && ptx_type_info[in->type].bits == 16 && s->arch < 70) {
        selecting_put(s, OP_IMAD, "U16", d, half(a, 0), half(b, 0), half(c, 0));
    } else if (ir_kind(in) & PTX_KIND_WIDE && (d.words > 1 || ptx_type_info[in->type].bits == 16)) {
        selecting_put(s, OP_IMAD, ptx_type_info[in->type].kind == 'S' ? "WIDE" : "WIDE.U32", d, half(a, 0), half(b, 0), d.words > 1 ? selecting_pair(s, c) : half(c, 0));
    } else if (d.words > 1) {
        struct operand low = selecting_register(s, 1);
        if (lowered_is_widened(s->l, &in->src[0])) {
            selecting_put(s, OP_IMAD, "WIDE", d, half(a, 0), half(b, 0), selecting_pair(s, c));
            return;
        }
        const bool upper_a = half(a, 1).file != FILE_ZERO, upper_b = half(b, 1).file != FILE_ZERO;
        if (upper_a && upper_b)
            selecting_put(s, OP_IMAD, "", low, half(a, 1), half(b, 0), zero());
        selecting_put(s, OP_IMAD, "WIDE.U32", d, half(a, 0), half(b, 0), selecting_pair(s, c));
        if (upper_a && upper_b) {
            selecting_put(s, OP_IMAD, "", low, half(a, 0), half(b, 1), low);
            selecting_put(s, OP_IADD3, "", half(d, 1), half(d, 1), low, zero());
        } else if (upper_a || upper_b) {
            selecting_put(s, OP_IMAD, "", half(d, 1), half(a, upper_a), half(b, upper_b), half(d, 1));
        }
    } else if (in->src[1].kind == IR_SRC_IMM && b.bits && !(b.bits & (b.bits - 1)) && c.file == FILE_ZERO) {
        selecting_put(s, OP_SHF, "L.U32", d, half(a, 0), immediate((uint64_t)__builtin_ctzll(b.bits)), zero());
    } else if (arch_has_uniform(s->arch) && d.file == FILE_REGISTER && is_whole_warps(&a) && is_whole_warps(&b) && c.file == FILE_REGISTER && s->k->blocks[in->block].loop >= 0) {
        struct operand product = of_register(FILE_UNIFORM, s->c->nregs++, 1); /* once, in front of the loop */
        int32_t elsewhere = s->elsewhere;
        selecting_before_loops(s);
        selecting_put(s, OP_IMAD, "", product, half(a, 0), half(b, 0), zero());
        s->elsewhere = elsewhere;
        selecting_put(s, OP_IADD3, "", d, half(c, 0), product, zero());
    } else {
        selecting_put(s, OP_IMAD, "", d, half(a, 0), half(b, 0), half(c, 0));
    }
}

void selecting_shift(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = selecting_result(s, in, 0), a = selecting_use(s, &in->src[0]), b = selecting_use(s, &in->src[1]);
    bool left = ir_is(in, PTX_KIND_SHL), sign = ptx_type_info[in->type].kind == 'S';
    const struct ir_inst *w = lowered_is_widened(s->l, &in->src[0]) ? definitions_maker(s->k, s->l->only, &in->src[0]) : NULL;
    if (d.words > 1 && left && w && w->block == in->block && in->src[1].kind == IR_SRC_IMM) {
        selecting_put(s, OP_IMAD, ptx_type_info[w->type2].kind == 'S' ? "WIDE" : "WIDE.U32", d, half(selecting_use(s, &w->src[0]), 0),
            immediate(UINT64_C(1) << in->src[1].imm), zero());
    } else if (d.words > 1 && in->src[1].kind == IR_SRC_IMM && in->src[1].imm >= 32 && in->src[1].imm < 64 && !sign) { /* a word is zero */
        selecting_put(s, OP_MOV, "", half(d, !left), zero(), none, none);
        if (in->src[1].imm == 32)
            selecting_put(s, OP_MOV, "", half(d, left), half(a, !left), none, none);
        else
            selecting_put(s, OP_SHF, left ? "L.U32" : "R.U32.HI", half(d, left), left ? half(a, 0) : zero(), immediate(in->src[1].imm - 32), left ? zero() : half(a, 1));
    } else if (d.words > 1) {
        selecting_put(s, OP_SHF, left ? "L.U64.HI" : "R.U64", half(d, left), half(a, 0), b, half(a, 1));
        selecting_put(s, OP_SHF, left ? "L.U32" : sign ? "R.S32.HI" : "R.U32.HI", half(d, !left), left ? half(a, 0) : zero(), b, left ? zero() : half(a, 1));
    } else if (left) {
        selecting_put(s, OP_SHF, "L.U32", d, half(a, 0), b, zero());
    } else if (a.words > 1) {
        selecting_put(s, OP_SHF, in->src[1].kind == IR_SRC_IMM && in->src[1].imm >= 32 ? sign ? "R.S32.HI" : "R.U32.HI" : "R.U64", d, half(a, 0), b, half(a, 1));
    } else {
        selecting_put(s, OP_SHF, sign ? "R.S32.HI" : "R.U32.HI", d, zero(), b, half(a, 0));
    }
}
