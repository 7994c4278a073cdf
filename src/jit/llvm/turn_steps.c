/* By how much an address goes up from turn to turn of the loop it is in: a number of the header's phi and of what does not change. */
#include "jit/llvm/form.h"

#include "ir/affine.h"

enum { DEEPEST = 16 };

struct turns {
    const struct form *form;
    const struct ir_loop *loop;
    const struct ir_inst *phi; /* the one that the address is made of, or NULL yet */
};

static const struct ir_inst *maker_of(const struct form *form, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && form->maker[s->reg] >= 0 ? &form->k->insts[form->maker[s->reg]] : NULL;
}

/* The instruction of the loop that makes an operand, or NULL: it is the same in each turn. */
static const struct ir_inst *changes(const struct turns *t, const struct ir_src *s)
{
    const struct ir_inst *in = maker_of(t->form, s);
    return in && ir_bit(t->loop->blocks, in->block) ? in : NULL;
}

/* How many times the header's phi is in the value; 0: it is something else. */
static int64_t phis_in(struct turns *t, const struct ir_src *s, int depth)
{
    const struct ir_inst *in = changes(t, s);
    const struct ir_src *of = NULL;
    struct affine sum;
    int64_t times = 1;
    if (!in || in->guard != IR_NOREG || in->ndst != 1 || depth == DEEPEST)
        return 0;
    if (in->op == IR_OP_PHI) {
        bool same = in->block == t->loop->header && (!t->phi || t->phi == in);
        t->phi = same ? in : t->phi;
        return same;
    }
    if (!affine_of(in, affine_immediate, NULL, &sum))
        return 0;
    for (int i = 0; i < sum.n; i++) {
        if (!changes(t, &in->src[i]))
            continue;
        if (of || (uint64_t)sum.of[i].times > UINT16_MAX)
            return 0;
        of = &in->src[i];
        times = sum.of[i].times;
    }
    return of ? times * phis_in(t, of, depth + 1) : 0;
}

/* What is added to the phi in a turn, or NULL: nothing, or not the same in each. */
static const struct ir_src *added(const struct turns *t)
{
    const struct ir_src *found = NULL;
    for (int s = 0; s < t->phi->nsrc; s++) {
        const struct ir_inst *in = maker_of(t->form, &t->phi->src[s]);
        if (!ir_bit(t->loop->blocks, t->phi->targets[s]))
            continue;
        if (found || !in || !ir_is(in, PTX_KIND_ADD) || in->guard != IR_NOREG)
            return NULL;
        for (int i = 0; i < 2; i++)
            if (in->src[i].kind == IR_SRC_REG && in->src[i].reg == t->phi->dst[0] && !changes(t, &in->src[1 - i]))
                found = &in->src[1 - i];
        if (!found)
            return NULL;
    }
    return found;
}

/* What has the kernel's register where the access is, if the loop does not change it, or -1. */
static int32_t version_of(const struct form *form, const struct ir_inst *access, int32_t reg)
{
    const struct ir_kernel *k = form->k;
    for (int32_t b = access->block; b >= 0; b = b ? k->blocks[b].idom : -1)
        for (int32_t i = k->blocks[b].first + k->blocks[b].count - 1; i >= k->blocks[b].first; i--)
            for (int d = 0; d < k->insts[i].ndst; d++)
                if (k->insts[i].dst[d] != IR_NOREG && ir_variable(k, k->insts[i].dst[d]) == reg)
                    return k->insts[i].dst[d];
    return -1;
}

/* The same of a loop that is interchanged. */
static bool interchanged_step(const struct form *form, const struct ir_inst *access, struct turn_step *step)
{
    *step = form->turn[access->site];
    if (step->times && step->by.kind == IR_SRC_REG)
        step->by.reg = version_of(form, access, step->by.reg);
    return step->times && (step->by.kind != IR_SRC_REG || step->by.reg >= 0);
}

bool turn_step(const struct form *form, const struct ir_inst *access, struct turn_step *step)
{
    if (form->turn)
        return interchanged_step(form, access, step);
    int32_t loop = form->k->blocks[access->block].loop;
    if (loop < 0)
        return false;
    struct turns t = {form, &form->k->loops[loop], NULL};
    step->times = phis_in(&t, &access->src[0], 0);
    const struct ir_src *by = step->times ? added(&t) : NULL;
    if (by)
        step->by = *by;
    return by;
}
