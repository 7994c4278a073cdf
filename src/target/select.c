/* Predicated arithmetic instead of selects (see select.h). Unit of work: the basic block. */
#include "target/select.h"

#include "base/alloc.h"
#include "ir/edit.h"
#include "target/moves.h"

struct uses {
    uint32_t *reads, *writes; /* instructions that do, by register */
};

static struct uses count_uses(const struct ir_kernel *k)
{
    struct uses u = {alloc_zeroed((size_t)(k->nregs + 1) * 4), alloc_zeroed((size_t)(k->nregs + 1) * 4)};
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        for (int s = 0; s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_REG)
                u.reads[in->src[s].reg]++;
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG)
                u.writes[in->dst[d]]++;
        if (in->guard != IR_NOREG)
            u.reads[in->guard]++;
    }
    return u;
}

static bool is_arithmetic(const struct ir_inst *in)
{
    return (in->op == PTX_OP_FADD || in->op == PTX_OP_FSUB || in->op == PTX_OP_FMUL || in->op == PTX_OP_FMA) &&
           in->type == PTX_F32 && in->guard == IR_NOREG;
}

static bool writes_one_of(const struct ir_inst *in, const struct ir_inst *reader)
{
    for (int d = 0; d < in->ndst; d++)
        for (int s = 0; s < reader->nsrc; s++)
            if (reader->src[s].kind == IR_SRC_REG && reader->src[s].reg == in->dst[d])
                return true;
    return false;
}

/* The instruction of the block before `at` that makes this operand and nothing else's, and can wait until `at`; or -1. */
static int32_t movable(const struct ir_kernel *k, const struct uses *u, const struct ir_block *b, int32_t at,
                       const struct ir_src *s)
{
    if (s->kind != IR_SRC_REG || u->reads[s->reg] != 1 || u->writes[s->reg] != 1)
        return -1;
    int32_t i = at - 1;
    while (i >= b->first && (k->insts[i].ndst == 0 || k->insts[i].dst[0] != s->reg))
        i--;
    if (i < b->first || !is_arithmetic(&k->insts[i]))
        return -1;
    for (int32_t j = i + 1; j < at; j++)
        if (writes_one_of(&k->insts[j], &k->insts[i]))
            return -1;
    return i;
}

/* A constant, or |x| or -x: a select takes those as they are, a move would be one instruction more. */
static bool is_free(const struct ir_kernel *k, const struct uses *u, const struct ir_src *s)
{
    if (s->kind != IR_SRC_REG)
        return true;
    for (int32_t i = 0; u->writes[s->reg] == 1 && i < k->ninsts; i++)
        if (k->insts[i].ndst && k->insts[i].dst[0] == s->reg)
            return k->insts[i].op == PTX_OP_FABS || k->insts[i].op == PTX_OP_FNEG ||
                   (k->insts[i].op == PTX_OP_MOV && k->insts[i].src[0].kind == IR_SRC_IMM);
    return false;
}

/* selp: dst, a, b, predicate. The instruction's place holds the move, the select's the predicated instruction. */
static void fold(struct ir_kernel *k, const struct uses *u, const struct ir_block *b, int32_t at)
{
    struct ir_inst *in = &k->insts[at];
    int32_t from_a = movable(k, u, b, at, &in->src[0]), from_b = movable(k, u, b, at, &in->src[1]);
    bool first = from_a > from_b;
    int32_t from = first ? from_a : from_b;
    if (from < 0 || in->src[2].kind != IR_SRC_REG || in->guard != IR_NOREG)
        return;
    const struct ir_inst *other = &k->insts[from];
    const struct ir_src kept = in->src[first ? 1 : 0];
    int32_t dst = in->dst[0];
    /* The destination is written before the predicated instruction reads: it may not be one of its operands. */
    for (int s = 0; s < other->nsrc; s++)
        if (other->src[s].kind == IR_SRC_REG && other->src[s].reg == dst)
            return;
    if (dst == in->src[2].reg || is_free(k, u, &kept))
        return;
    struct ir_inst made = *other, move = *in;
    IR_SET_RESULTS(k, &made, dst);
    made.guard = in->src[2].reg;
    made.guard_negated = first ? in->src[2].negated : !in->src[2].negated;
    move_become(k, &move, kept);
    /* The move belongs directly before the predicated instruction; what lies between `from` and `at` moves up. */
    for (int32_t j = from; j + 2 < at + 1; j++)
        k->insts[j] = k->insts[j + 1];
    k->insts[at - 1] = move;
    k->insts[at] = made;
}

/* cvt.sat.f32.f32 of such a result: the instruction itself saturates. */
static void saturate(struct ir_kernel *k, const struct uses *u, const struct ir_block *b, int32_t at)
{
    struct ir_inst *in = &k->insts[at];
    if (in->type != PTX_F32 || in->type2 != PTX_F32 || !in->mods->sat || in->mods->ftz || in->mods->round != PTX_RND_NONE)
        return;
    int32_t from = movable(k, u, b, at, &in->src[0]);
    if (from < 0)
        return;
    struct ir_inst made = k->insts[from];
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    *mods = *made.mods;
    mods->sat = true;
    made.mods = mods;
    made.dst = in->dst;
    made.guard = in->guard;
    made.guard_negated = in->guard_negated;
    *in = made;
    ir_delete(&k->insts[from]);
}

void select_rewrite(struct ir_kernel *k)
{
    struct uses u = count_uses(k);
    for (int32_t b = 0; b < k->nblocks; b++)
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            if (k->insts[i].op == PTX_OP_SELP && ptx_type_info[k->insts[i].type].bits == 32)
                fold(k, &u, &k->blocks[b], i);
            else if (k->insts[i].op == PTX_OP_CVT)
                saturate(k, &u, &k->blocks[b], i);
    alloc_release(u.reads);
    alloc_release(u.writes);
}
