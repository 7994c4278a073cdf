/* See balance.h. */
#include "target/balance.h"

#include <string.h>

struct turns {
    int reg, imm, bank, uniform, sum, high;
};

static void become(struct machine_inst *in, enum machine_op op, const char *form)
{
    in->op = (uint16_t)op;
    in->form = form;
}

static bool is_plain(const struct operand *o)
{
    return o->file == FILE_REGISTER && !o->absolute;
}

/* Larger constants are added by IADD3. */
static bool is_small(const struct operand *o)
{
    int32_t value = (int32_t)o->bits;
    return value > -256 && value < 256;
}

/* A letter a move: M is MOV, I is IMAD.MOV, H is HFMA2; they come in turn. */
static void take_turn(struct machine_inst *in, const char *pattern, int *turn)
{
    char c = pattern[*turn % (int)strlen(pattern)];
    ++*turn;
    if (c == 'I')
        become(in, OP_IMAD, "MOV.U32");
    else if (c == 'H')
        become(in, OP_HFMA2, "MMA");
}

static void balance_move(int arch, struct machine_inst *in, struct turns *t)
{
    bool dense = arch == 80 || arch >= 90; /* HFMA2 is as fast as IMAD */
    switch ((enum file)in->source[0].file) {
    case FILE_ZERO:
    case FILE_IMMEDIATE:
        take_turn(in, arch >= 90 ? "HMHMIHM" : dense ? "HMHI" : "MMMI", &t->imm);
        break;
    case FILE_UNIFORM:
        take_turn(in, arch >= 90 ? "IM" : "M", &t->uniform);
        break;
    case FILE_BANK:
        take_turn(in, "MMI", &t->bank);
        break;
    default:
        take_turn(in, arch == 75 ? "IM" : arch == 80 ? "IIM" : "IMIMI", &t->reg);
        break;
    }
}

void balance(struct code *c)
{
    struct turns t = {0};
    if (c->arch < 70)
        return; /* one kind of unit: the cores */
    for (int32_t i = 0; i < c->ninsts; i++) {
        struct machine_inst *in = &c->insts[i];
        if (in->op == OP_MOV) {
            balance_move(c->arch, in, &t);
        } else if (in->op == OP_IADD3 && !in->form[0] && in->nresults == 1 && in->nsources == 3 && is_plain(&in->source[0]) &&
                 is_plain(&in->source[1]) && in->source[2].file == FILE_ZERO) {
            become(in, OP_IMAD, "IADD");
        } else if (in->op == OP_IADD3 && c->arch >= 90 && !in->form[0] && in->nresults == 1 && in->nsources == 3 && is_plain(&in->source[0]) &&
                 in->source[1].file == FILE_IMMEDIATE && in->source[2].file == FILE_ZERO && is_small(&in->source[1])) {
            if (t.sum++ % 2) {
                become(in, OP_VIADD, "");
                in->nsources = 2;
            }
        } else if (in->op == OP_IADD3 && !strcmp(in->form, "X") && is_plain(&in->source[0]) && in->source[1].file == FILE_ZERO) {
            if (t.high++ % 2)
                become(in, OP_IMAD, "X");
        } else if (in->op == OP_SHF && !strcmp(in->form, "L.U32") && in->nsources == 3 && in->source[0].file == FILE_REGISTER &&
                 in->source[1].file == FILE_IMMEDIATE && in->source[2].file == FILE_ZERO) {
            become(in, OP_IMAD, "SHL.U32");
        }
    }
}
