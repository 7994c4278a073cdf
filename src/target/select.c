/* Predicated arithmetic instead of selects (see select.h). */
#include "target/select.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/edit.h"
#include "target/definitions.h"
#include "target/signs.h"

struct selecting {
    struct ir_kernel *k;
    int32_t *only;  /* definitions.h */
    int32_t *reads; /* [nregs] by how many operands, what results are else among them */
    bool live;      /* liveness is known: most kernels have no such select */
};

static bool is_arithmetic(const struct ir_inst *in)
{
    return ir_class(in) >= PTX_CLASS_FADD && ir_class(in) <= PTX_CLASS_FFMA &&
           in->type == PTX_F32 && in->guard == IR_NOREG;
}

/* The instruction of the same block that makes this operand and nothing else's, or -1. */
static int32_t movable(const struct selecting *s, int32_t at, const struct ir_src *src)
{
    int32_t def = src->kind == IR_SRC_REG && s->reads[src->reg] == 1 ? s->only[src->reg] : -1;
    return def >= 0 && s->k->insts[def].block == s->k->insts[at].block && is_arithmetic(&s->k->insts[def]) ? def : -1;
}

/* A constant, a parameter, |x| or -x: a select takes those as they are, a move would be one instruction more. */
static bool is_free(const struct selecting *s, const struct ir_src *src)
{
    uint64_t bits;
    const struct ir_inst *in = definitions_maker(s->k, s->only, src);
    return src->kind != IR_SRC_REG || definitions_constant(s->k, s->only, src, &bits) ||
           (in && (signs_changes(in) || (ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM)));
}

/* Somebody reads the register behind instruction `at`, so that the other value needs one of its own. */
static bool is_read_behind(struct selecting *s, int32_t at, int32_t reg)
{
    const struct ir_kernel *k = s->k;
    if (!s->live)
        liveness_analyse(s->k);
    s->live = true;
    const struct ir_block *b = &k->blocks[k->insts[at].block];
    if (ir_bit(b->live_out, reg))
        return true;
    for (int32_t i = at + 1; i < b->first + b->count; i++)
        if (ir_reads_register(&k->insts[i], reg))
            return true;
    return false;
}

/* selp: dst, a, b, predicate. The predicated instruction stands in the select's place. */
static void fold(struct selecting *s, int32_t at)
{
    struct ir_inst *in = &s->k->insts[at];
    int32_t from_a = movable(s, at, &in->src[0]), from_b = movable(s, at, &in->src[1]);
    bool first = from_a > from_b;
    int32_t from = first ? from_a : from_b;
    const struct ir_src kept = in->src[first ? 1 : 0];
    if (from < 0 || in->src[2].kind != IR_SRC_REG || in->guard != IR_NOREG || is_free(s, &kept) || is_read_behind(s, at, kept.reg))
        return;
    struct ir_inst made = s->k->insts[from];
    int32_t *old = ARENA_NEW(&s->k->arena, int32_t);
    *old = kept.reg;
    made.dst = in->dst;
    made.old = old;
    made.guard = in->src[2].reg;
    made.guard_negated = first ? in->src[2].negated : !in->src[2].negated;
    ir_delete(&s->k->insts[from]);
    s->only[in->dst[0]] = DEFINITIONS_MANY;
    *in = made;
}

/* cvt.sat.f32.f32 of such a result: the instruction itself saturates. */
static void saturate(struct selecting *s, int32_t at)
{
    struct ir_kernel *k = s->k;
    struct ir_inst *in = &k->insts[at];
    if (in->type != PTX_F32 || in->type2 != PTX_F32 || !in->mods->sat || in->mods->ftz || in->mods->round != PTX_RND_NONE)
        return;
    int32_t from = movable(s, at, &in->src[0]);
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
    made.old = in->old;
    *in = made;
    ir_delete(&k->insts[from]);
}

void select_rewrite(struct ir_kernel *k)
{
    struct selecting s = {.k = k, .only = definitions_new(k), .reads = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *s.reads)};
    for (int32_t i = 0; i < k->ninsts; i++)
        ir_count_reads(&k->insts[i], s.reads, 1);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_is(&k->insts[i], PTX_KIND_SELECT) && ptx_type_info[k->insts[i].type].bits == 32)
            fold(&s, i);
        else if (ir_is(&k->insts[i], PTX_KIND_CONVERT))
            saturate(&s, i);
    alloc_release(s.only);
    alloc_release(s.reads);
}
