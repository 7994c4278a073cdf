/* See signs.h. */
#include "target/signs.h"
#include "base/alloc.h"
#include "target/definitions.h"
#include "target/ways.h"

#include <string.h>

static bool is_sign(const struct ir_inst *in)
{
    return signs_changes(in) && in->ndst == 1 && in->dst[0] != IR_NOREG;
}

static bool function_takes_sign(const char *name)
{
    static const char *const names[] = {
#define EXTERN_SIGN(name) #name,
#include "target/extern_ways.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool signs_taken(const struct ir_inst *in)
{
    if (in->op == IR_OP_EXTERN)
        return function_takes_sign(in->callee);
    bool floating = ptx_type_info[in->type].kind == 'F' || ptx_type_info[in->type2].kind == 'F';
    bool nearest = in->mods->round == PTX_RN;
    switch (ir_class(in)) {
    case PTX_CLASS_FADD:
    case PTX_CLASS_FMUL:
    case PTX_CLASS_FFMA:
    case PTX_CLASS_FCMP:
        return true;
    case PTX_CLASS_FMOV:
        return signs_changes(in);
    case PTX_CLASS_FDIV: /* the reciprocal's range is tested with integer instructions */
        return in->type != PTX_F64 && !(ir_is(in, PTX_KIND_FRCP) && nearest);
    case PTX_CLASS_FSQRT:
        return in->type != PTX_F64 && !nearest;
    case PTX_CLASS_MUFU:
        return in->type != PTX_F64;
    case PTX_CLASS_CMP:
    case PTX_CLASS_CONVERT:
        return floating;
    default:
        return ir_is(in, PTX_KIND_SELECT) && in->type == PTX_F32;
    }
}

/* Lowest block that dominates both; -1 is a block not yet known. */
static int32_t common(const struct ir_kernel *k, int32_t a, int32_t b)
{
    if (a < 0)
        return b;
    while (a >= 0 && !ir_dominates(k, a, b))
        a = k->blocks[a].idom;
    return a;
}

/* The last instruction of the block that all its lanes do, or -1. */
static int32_t last_place(const struct ir_kernel *k, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    int32_t i = b->first + b->count - 1;
    while (i >= b->first && k->insts[i].guard != IR_NOREG)
        i--;
    return i >= b->first ? i : -1;
}

struct readers {
    bool *free_too;  /* [nregs] somebody takes the sign for nothing */
    int32_t *needed; /* [nregs] lowest block that dominates those who need it; -1: nobody */
    bool *at_once;   /* [nregs] one of those is in the block that makes the sign */
};

/* The source of a move that is all that its destination ever is; else IR_NOREG. */
static int32_t moved(const struct ir_kernel *k, const int32_t *only, int32_t reg)
{
    const struct ir_inst *in = only[reg] >= 0 ? &k->insts[only[reg]] : NULL;
    bool is_move = in && ir_is_copy(in) && in->src[0].kind == IR_SRC_REG;
    return is_move ? in->src[0].reg : IR_NOREG;
}

static void find_readers(const struct ir_kernel *k, const int32_t *only, struct readers *r)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool takes = signs_taken(in);
        if (ways_tells(in))
            continue; /* the call behind it reads the same */
        if (in->ndst && in->dst[0] != IR_NOREG && only[in->dst[0]] == i && moved(k, only, in->dst[0]) != IR_NOREG)
            continue; /* whoever reads it reads what it moves */
        for (int s = 0; s < in->nsrc; s++) {
            if (in->src[s].kind != IR_SRC_REG)
                continue;
            int32_t reg = in->src[s].reg;
            for (int32_t steps = 0; steps < k->ninsts && moved(k, only, reg) != IR_NOREG; steps++)
                reg = moved(k, only, reg);
            if (takes) {
                r->free_too[reg] = true;
                continue;
            }
            r->at_once[reg] |= only[reg] >= 0 && k->insts[only[reg]].block == in->block;
            r->needed[reg] = common(k, r->needed[reg], in->block);
        }
    }
}

static int32_t place(const struct ir_kernel *k, const int32_t *only, const struct readers *r, int32_t i)
{
    int32_t reg = k->insts[i].dst[0], at = r->needed[reg];
    if (at < 0)
        return SIGNS_FREE;
    if (only[reg] < 0 || !r->free_too[reg] || r->at_once[reg] || at == k->insts[i].block)
        return i;
    at = k->blocks[at].idom;
    if (at < 0 || at == k->insts[i].block || !ir_dominates(k, k->insts[i].block, at))
        return i;
    int32_t last = last_place(k, at);
    return last >= 0 ? last : i;
}

int32_t *signs_new(const struct ir_kernel *k, const int32_t *only)
{
    size_t regs = (size_t)k->nregs + 1;
    int32_t *places = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *places);
    struct readers r = {alloc_zeroed(regs * sizeof *r.free_too), alloc_zeroed(regs * sizeof *r.needed),
                        alloc_zeroed(regs * sizeof *r.at_once)};
    for (int32_t reg = 0; reg < k->nregs; reg++)
        r.needed[reg] = -1;
    find_readers(k, only, &r);
    for (int32_t i = 0; i < k->ninsts; i++)
        places[i] = is_sign(&k->insts[i]) ? place(k, only, &r, i) : SIGNS_FREE;
    alloc_release(r.free_too);
    alloc_release(r.needed);
    alloc_release(r.at_once);
    return places;
}
