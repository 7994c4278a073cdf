/* See balance.h. */
#include "target/balance.h"

#include <string.h>

/* Instructions of a kernel that only one unit can do, and those that either can. */
struct load {
    int alu, fma, either;
};

/* What could be done by either, and what could not. */
enum kind { ALU, FMA, NEITHER, SUM, OFFSET, HIGH, SHIFT, SCALED, MOVE, CONSTANT };

static void become(struct machine_inst *in, enum machine_op op, const char *form)
{
    in->op = (uint16_t)op;
    in->form = form;
}

static bool is_plain(const struct operand *o)
{
    return o->file == FILE_REGISTER && !o->absolute;
}

static bool is_constant(const struct operand *o)
{
    return o->file == FILE_ZERO || o->file == FILE_IMMEDIATE;
}

static bool is_sum_of_two(const struct machine_inst *in)
{
    return in->op == OP_IADD3 && !in->form[0] && in->nresults == 1 && in->nsources == 3 && is_plain(&in->source[0]) && in->source[2].file == FILE_ZERO;
}

/* One of a row of sequences.def, whose carry no instruction behind it takes in. */
static bool is_sum_of_row(const struct code *c, int32_t i)
{
    const struct machine_inst *in = &c->insts[i];
    if (in->op != OP_IADD3 || in->form[0] || in->nsources != 2 || in->site < 0)
        return false;
    for (i++; i < c->ninsts && c->insts[i].site == in->site; i++)
        if (!strcmp(c->insts[i].form, "X"))
            return false;
    return true;
}

static enum kind kind_of(const struct code *c, int32_t i)
{
    const struct machine_inst *in = &c->insts[i];
    if (in->op == OP_MOV && i + 1 < c->ninsts && in[1].op == OP_CALL)
        return ALU; /* where the call comes back to */
    if (in->stays)
        return ALU;
    if (in->op == OP_MOV && !in->form[0])
        return is_constant(&in->source[0]) ? CONSTANT : MOVE;
    if ((is_sum_of_two(in) && is_plain(&in->source[1])) || is_sum_of_row(c, i))
        return SUM;
    if (in->op == OP_VIADD)
        return OFFSET;
    if (c->arch >= 90 && is_sum_of_two(in) && (in->source[1].file == FILE_IMMEDIATE || in->source[1].file == FILE_UNIFORM))
        return OFFSET;
    if (in->op == OP_IADD3 && !strcmp(in->form, "X") && is_plain(&in->source[0]) && (in->source[1].file == FILE_ZERO || is_plain(&in->source[1])) && in->source[2].file == FILE_ZERO)
        return HIGH;
    if (in->op == OP_SHF && !strcmp(in->form, "L.U32") && in->nsources == 3 && in->source[0].file == FILE_REGISTER &&
        in->source[1].file == FILE_IMMEDIATE && in->source[2].file == FILE_ZERO)
        return SHIFT;
    if (in->op == OP_LEA && !in->form[0] && in->nresults == 1 && in->nsources == 3 && is_plain(&in->source[0]) && is_plain(&in->source[1]))
        return SCALED;
    enum pipe pipe = code_pipe(c->arch, in);
    return pipe == PIPE_ALU ? ALU : pipe == PIPE_FMA || pipe == PIPE_FMAHEAVY ? FMA : NEITHER;
}

static void go_to_fma(struct machine_inst *in, enum kind kind)
{
    if (kind == SCALED) { /* a << shift and c: a * 2^shift and c */
        const struct operand c = in->source[1];
        in->source[1] = (struct operand){.file = FILE_IMMEDIATE, .bits = UINT64_C(1) << in->source[2].bits, .words = 1};
        in->source[2] = c;
        become(in, OP_IMAD, "");
        return;
    }
    if (kind == OFFSET) {
        become(in, OP_VIADD, "");
        in->nsources = 2;
        return;
    }
    become(in, OP_IMAD, kind == SUM ? "IADD" : kind == HIGH ? "X" : kind == SHIFT ? "SHL.U32" : "MOV.U32");
}

/* HFMA2.MMA makes it by 0 * 0 + constant, as two halves, neither of which may be a NaN. */
static bool is_two_halves(const struct operand *o)
{
    enum { EXPONENT = 0x7c00, FRACTION = 0x3ff };
    for (int shift = 0; shift < 32; shift += 16)
        if ((o->bits >> shift & EXPONENT) == EXPONENT && o->bits >> shift & FRACTION)
            return false;
    return true;
}

void balance(struct code *c)
{
    if (c->arch < 70)
        return; /* one kind of unit: the cores */
    struct load load = {0};
    bool halves = c->arch == 80 || c->arch >= 90; /* HFMA2.MMA, which the unit of matrices does */
    int constants = 0;
    for (int32_t i = 0; i < c->ninsts; i++) {
        const enum kind kind = kind_of(c, i);
        halves &= code_pipe(c->arch, &c->insts[i]) != PIPE_TENSOR;
        load.alu += kind == ALU;
        load.fma += kind == FMA;
        load.either += kind >= SUM;
    }
    const int all = 2 * load.either, wanted = load.either + load.alu - load.fma, share = wanted < 0 ? 0 : wanted > all ? all : wanted;
    int due = load.either / 2;
    for (int32_t i = 0; i < c->ninsts; i++) {
        struct machine_inst *in = &c->insts[i];
        const enum kind kind = kind_of(c, i);
        if (kind < SUM)
            continue;
        due += share;
        const bool fma = due >= all, first = !constants;
        due -= fma ? all : 0;
        if (kind == CONSTANT && halves && is_two_halves(&in->source[0]) && (first || (!fma && constants % 2 == 0)))
            become(in, OP_HFMA2, "MMA");
        else if (fma)
            go_to_fma(in, kind);
        else if (kind == OFFSET)
            become(in, OP_IADD3, "");
        constants += kind == CONSTANT && (first || !fma);
    }
}
