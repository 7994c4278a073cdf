/* See packed.h. */
#include "target/packed.h"

#include "target/operands.h"

enum { WORD = 32, MOST = 16 /* elements */ };

static int element_bits(const struct ir_inst *in)
{
    return ptx_type_info[in->type].bits;
}

bool packed_is(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_STORE)) && in->space != PTX_PARAM && in->vec > 1 && in->vec <= MOST && element_bits(in) < WORD && in->vec * element_bits(in) <= 2 * WORD;
}

/* The only reader of each element is this store, which has them in the same order; or NULL. */
static const struct ir_inst *copied_by(const struct lowered *l, const struct ir_inst *in)
{
    const struct ir_inst *store = NULL;
    for (int i = 0; i < in->vec; i++) {
        const int32_t reg = in->dst[i];
        if (reg == IR_NOREG || l->only[reg] < 0 || l->readers[reg + 1] - l->readers[reg] != 1)
            return NULL;
        const struct ir_inst *reader = &l->k->insts[l->reader[l->readers[reg]]];
        if (!packed_is(reader) || !ir_is(reader, PTX_KIND_STORE) || reader->vec != in->vec || element_bits(reader) != element_bits(in) ||
            reader->src[1 + i].kind != IR_SRC_REG || reader->src[1 + i].reg != reg)
            return NULL;
        store = reader;
    }
    return store;
}

/* As a half, or as one of two that become a register again. bfloat16 becomes a float by a shift of its register. */
static bool reads_in_place(const struct ir_inst *reader, bool is_first)
{
    if (ir_is(reader, PTX_KIND_CONVERT) && reader->type2 == PTX_BF16)
        return is_first;
    return ptx_type_info[reader->type].kind == 'H' || ptx_type_info[reader->type2].kind == 'H' || (ir_is(reader, PTX_KIND_COPY) && reader->nsrc == 2);
}

static bool is_taken_out(const struct lowered *l, int32_t reg, bool is_first)
{
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++)
        if (!reads_in_place(&l->k->insts[l->reader[i]], is_first))
            return true;
    return false;
}

struct operand packed_loaded(struct selecting *s, const struct ir_inst *in)
{
    return selecting_register(s, in->vec * element_bits(in) > WORD ? 2 : 1);
}

void packed_unpack(struct selecting *s, const struct ir_inst *in, struct operand loaded)
{
    const bool has_sign = ptx_type_info[in->type].kind == 'S';
    const int bits = element_bits(in);
    if (copied_by(s->l, in))
        return;
    for (int i = 0; i < in->vec; i++) {
        if (in->dst[i] == IR_NOREG || s->l->place[in->dst[i]] == PLACE_NOWHERE)
            continue;
        struct operand from = half(loaded, i * bits / WORD), to = selecting_result(s, in, i);
        const bool is_first = i * bits % WORD == 0;
        if (!is_taken_out(s->l, in->dst[i], is_first)) {
            selecting_put(s, OP_NONE, "", to, from, none, none);
        } else if (has_sign && bits == 8) {
            if (!is_first)
                selecting_put(s, OP_SHF, "R.U32.HI", to, from, none, none);
            selecting_put(s, OP_SGXT, "", to, is_first ? from : to, none, none);
        } else {
            selecting_put(s, bits == 16 && is_first && !has_sign ? OP_LOP3 : OP_PRMT, "", to, from, none, none);
        }
    }
}

struct operand packed_stored(struct selecting *s, const struct ir_inst *in)
{
    const int bits = element_bits(in), each = WORD / bits < in->vec ? WORD / bits : in->vec;
    struct operand all = selecting_register(s, in->vec * bits > WORD ? 2 : 1), part[MOST];
    const struct ir_inst *load = in->src[1].kind == IR_SRC_REG && s->l->only[in->src[1].reg] >= 0 ? &s->k->insts[s->l->only[in->src[1].reg]] : NULL;
    if (load && packed_is(load) && ir_is(load, PTX_KIND_LOAD) && copied_by(s->l, load) == in)
        return all;
    for (int i = 0; i < in->vec; i++)
        part[i] = selecting_in_register(s, &in->src[1 + i]);
    for (int first = 0; first < in->vec; first += each)
        for (int apart = 1; apart < each; apart *= 2)
            for (int i = first; i + apart < first + each; i += 2 * apart) {
                const struct operand to = 2 * apart >= each ? half(all, first / each) : selecting_register(s, 1);
                selecting_put(s, OP_PRMT, "", to, part[i], part[i + apart], none);
                part[i] = to;
            }
    return all;
}

void packed_halves(struct selecting *s, const struct ir_inst *in)
{
    const struct operand word = selecting_in_register(s, &in->src[0]);
    for (int i = 0; i < in->ndst; i++) {
        const bool is_read = in->dst[i] != IR_NOREG && s->l->place[in->dst[i]] != PLACE_NOWHERE;
        if (is_read)
            selecting_put(s, i == 1 && is_taken_out(s->l, in->dst[i], false) ? OP_PRMT : OP_NONE, "", selecting_result(s, in, i), word, none, none);
    }
}
