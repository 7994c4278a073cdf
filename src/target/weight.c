/* See weight.h. */
#include "target/weight.h"

#include "target/quotients.h"
#include "target/sequences.h"

#include <string.h>

/* An atomic of which it is not known yet that it will not be a loop, or one lane's for the warp. */
enum { ATOMIC_LOOP = 10 };

struct weighing {
    const struct ir_kernel *k;
    const struct lowered *l;
    const struct code *selected;
};

/* A quotient of 32 bits with all its parts, whether they stay in the loop or not. */
static int weigh_quotient(const char *text)
{
    int size = 1;
    for (; *text; text++)
        size += (*text == ' ') + (*text == '[');
    return size;
}

static int weigh_atomic(const struct ir_inst *in)
{
    static const bool joins[] = {[PTX_ATOMIC_ADD] = true, [PTX_ATOMIC_MIN] = true, [PTX_ATOMIC_MAX] = true,
                                 [PTX_ATOMIC_AND] = true, [PTX_ATOMIC_OR] = true,  [PTX_ATOMIC_XOR] = true};
    const int how = in->mods->atomic, bits = ptx_type_info[in->type].bits;
    const bool joined = how < (int)(sizeof joins / sizeof *joins) && joins[how], word = ptx_type_info[in->type].kind != 'F' && bits == 32;
    const bool loop = in->space == PTX_SHARED ? joined : in->space == PTX_GENERIC || (joined && word);
    return loop ? ATOMIC_LOOP : 1;
}

/* Accesses before they were merged, and a sum for each offset. */
static int weigh_access(const struct ir_inst *in)
{
    const int accesses = in->parts && in->vec ? in->vec : 1;
    return 2 * accesses - (in->offset == 0);
}

static bool says(const struct ir_origin *from, const char *word)
{
    const size_t n = strlen(word);
    for (int i = 0; i + (int)n <= from->text_len; i++)
        if (!memcmp(from->text + i, word, n))
            return true;
    return false;
}

/* The PTX has a product and a sum; contract.h made one instruction of them. */
static bool was_product_and_sum(const struct ir_inst *in)
{
    return in->op == PTX_OP_FMA && in->from->text && !says(in->from, "fma") && !says(in->from, "mad");
}

/* An operation on integers that is one instruction here, whatever becomes of it. */
static bool is_one(const struct weighing *w, const struct ir_inst *in)
{
    if (!ptx_is_integer(in->type) || in->ndst != 1 || in->dst[0] == IR_NOREG)
        return false;
    const bool part = w->l->place[in->dst[0]] == PLACE_READER, wide = ptx_type_info[in->type].bits == 64;
    switch (ir_kind(in)) {
    case PTX_KIND_CONVERT:
        return wide && ptx_is_integer(in->type2) && ptx_type_info[in->type2].bits == 32 && w->l->words[in->dst[0]] == 2;
    case PTX_KIND_ADD:
    case PTX_KIND_SUB:
    case PTX_KIND_AND:
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
    case PTX_KIND_SHL:
    case PTX_KIND_SHR:
    case PTX_KIND_MUL_WIDE:
        return part || wide;
    case PTX_KIND_MUL:
    case PTX_KIND_MAD:
    case PTX_KIND_MIN:
    case PTX_KIND_MAX:
    case PTX_KIND_SELECT:
    case PTX_KIND_COMPARE:
        return wide;
    default:
        return false;
    }
}

/* Only the next turn reads it, to make it again. */
static bool is_idle(const struct weighing *w, int32_t i)
{
    const struct ir_inst *in = &w->k->insts[i];
    const int32_t reg = in->ndst == 1 ? in->dst[0] : IR_NOREG;
    return reg != IR_NOREG && w->l->readers[reg + 1] == w->l->readers[reg] + 1 && w->l->reader[w->l->readers[reg]] == i;
}

static int weigh(const struct weighing *w, int32_t i)
{
    const struct ir_inst *in = &w->k->insts[i];
    if (is_idle(w, i))
        return 0;
    if (ir_is(in, PTX_KIND_ATOMIC) || ir_is(in, PTX_KIND_REDUCE))
        return weigh_atomic(in) + (in->offset != 0);
    if (quotients_divisor(w->l, in) >= 0)
        return weigh_quotient(sequence_text(w->k, w->l->only, in, w->l->arch));
    if (ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_STORE))
        return in->space == PTX_PARAM || in->space == PTX_CONST ? 1 : weigh_access(in) + (in->guard != IR_NOREG);
    if (ir_is(in, PTX_KIND_BRANCH) || is_one(w, in))
        return 1;
    return code_weight(w->selected, i) + was_product_and_sum(in);
}

struct weight weight_of_turn(const struct lowered *l, const struct code *selected, int32_t loop, const struct counter *c)
{
    const struct weighing g = {l->k, l, selected};
    struct weight w = {.size = 0};
    for (int32_t i = 0; i < l->k->ninsts; i++) {
        const struct ir_inst *in = &l->k->insts[i];
        if (!ir_bit(l->k->loops[loop].blocks, in->block) || i == c->branch || i == c->compare || i == c->add)
            continue;
        const int loads = ir_is(in, PTX_KIND_LOAD) ? in->parts && in->vec ? in->vec : 1 : 0;
        w.size += weigh(&g, i);
        w.loads += in->space == PTX_GLOBAL || in->space == PTX_GENERIC ? loads : 0;
        w.shared += in->space == PTX_SHARED ? loads : 0;
    }
    return w;
}
