/* See fold.h. Blocks are visited in the order of the dominator tree, so that what an instruction repeats has been seen. */
#include "target/fold.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "target/definitions.h"
#include "target/moves.h"

#include <math.h>
#include <string.h>

struct folding {
    struct ir_kernel *k;
    int32_t *only;
    int32_t *same;      /* [nregs] the register that holds the same value */
    uint64_t *bits;     /* [nregs] a constant, where `known` says so */
    bool *known;        /* [nregs] */
    uint32_t *buckets;  /* instructions seen, by hash, + 1 */
    uint32_t *next;     /* [ninsts] in the same bucket, + 1 */
    uint32_t nbuckets;
};

/* --- constants --- */

static double value_of(uint64_t bits, uint8_t type)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, 4);
    memcpy(&d, &bits, 8);
    return type == PTX_F32 ? (double)f : d;
}

static bool constant(const struct folding *f, const struct ir_src *s, uint64_t *bits)
{
    *bits = s->imm;
    if (s->kind != IR_SRC_REG)
        return s->kind == IR_SRC_IMM;
    *bits = f->bits[s->reg];
    return f->known[s->reg];
}

enum { FOLDED = 4 /* sources: lop3 and bfi have most of what is folded */, LANES = 32 };

static bool all_constant(const struct folding *f, const struct ir_inst *in, uint64_t bits[FOLDED])
{
    for (int i = 0; i < in->nsrc && in->nsrc <= FOLDED; i++)
        if (!constant(f, &in->src[i], &bits[i]))
            return false;
    return in->nsrc > 0 && in->nsrc <= FOLDED;
}

static bool is_floating(uint8_t type)
{
    return type == PTX_F32 || type == PTX_F64;
}

static bool all_finite(const uint64_t *bits, int n, uint8_t type)
{
    bool finite = true;
    for (int i = 0; i < n; i++)
        finite = finite && isfinite(value_of(bits[i], type));
    return finite;
}

/* Rounded to nearest, and to integers. */
static bool folds_float(const struct ir_inst *in)
{
    const struct ptx_mods *m = in->mods;
    if (in->nsrc > 2 || m->ftz || m->sat)
        return false;
    switch (ir_kind(in)) {
    case PTX_KIND_FADD: case PTX_KIND_FSUB: case PTX_KIND_FMUL: case PTX_KIND_FNEG: case PTX_KIND_FABS:
        return m->round == PTX_RND_NONE || m->round == PTX_RN;
    case PTX_KIND_CONVERT:
        return in->type2 == in->type && (m->round == PTX_RZI || m->round == PTX_RNI);
    default:
        return false;
    }
}

/* 32 bits, and predicates. Not sums that saturate, nor those of pairs of 16 bits. */
static bool folds_bits(const struct ir_inst *in)
{
    int width = ptx_type_info[in->type].bits;
    if (in->nsrc > 2 || (width != 32 && width != 1) || in->mods->sat || ptx_type_info[in->type].kind == 'H')
        return false;
    switch (ir_kind(in)) {
    case PTX_KIND_AND: case PTX_KIND_OR: case PTX_KIND_XOR: case PTX_KIND_NOT: case PTX_KIND_ADD: case PTX_KIND_SUB: return true;
    default: return false;
    }
}

/* The comparison alone, of numbers, of 32 bits or floating. */
static bool folds_comparison(const struct ir_inst *in)
{
    bool type = is_floating(in->type) || in->type == PTX_S32 || in->type == PTX_U32 || in->type == PTX_B32;
    return ir_is(in, PTX_KIND_COMPARE) && in->ndst == 1 && in->nsrc == 2 && type && in->mods->boolop == PTX_BOOL_NONE && !in->mods->ftz &&
           in->mods->cmp >= PTX_EQ && in->mods->cmp <= PTX_GEU;
}

static bool folds(const struct ir_inst *in)
{
    return folds_comparison(in) || (is_floating(in->type) ? folds_float(in) : folds_bits(in));
}

/* The first result, as a launch computes it: by one lane of the instruction's function. Numbers that are not finite are left to it. */
static bool compute(const struct folding *f, const struct ir_inst *in, const uint64_t *bits, uint64_t *result)
{
    bool floating = is_floating(in->type);
    lanes_fn *fn = folds(in) && (!floating || all_finite(bits, in->nsrc, in->type)) ? f->k->lanes(f->k, in) : NULL;
    uint64_t place[FOLDED + 1][LANES] = {0};
    if (!fn)
        return false;
    for (int i = 0; i < in->nsrc; i++)
        place[i][0] = bits[i] ^ (uint64_t)(in->src[i].negated); /* only predicates are */
    fn(place[FOLDED], place[0], place[1], place[2], place[3], 1, in);
    *result = place[FOLDED][0];
    return ir_is(in, PTX_KIND_COMPARE) || !floating || all_finite(result, 1, in->type);
}

static void know(struct folding *f, const struct ir_inst *in, int d, uint64_t bits)
{
    if (in->dst[d] == IR_NOREG || in->guard != IR_NOREG)
        return;
    f->bits[in->dst[d]] = bits;
    f->known[in->dst[d]] = true;
}

/* x * 1 and x * -1: the register's own value, or its sign changed. */
static void by_one(struct folding *f, struct ir_inst *in)
{
    const struct ptx_mods *m = in->mods;
    for (int i = 0; i < 2 && !m->ftz && !m->sat && (m->round == PTX_RND_NONE || m->round == PTX_RN); i++) {
        uint64_t bits;
        if (!constant(f, &in->src[i], &bits) || fabs(value_of(bits, in->type)) != 1)
            continue;
        move_become(f->k, in, in->src[1 - i]);
        if (value_of(bits, in->type) < 0)
            in->op = PTX_OP_FNEG;
        return;
    }
}

/* p and false: false, whatever p is. */
static bool is_never(const struct folding *f, const struct ir_inst *in)
{
    uint64_t bits;
    if (!ir_is(in, PTX_KIND_AND) || in->type != PTX_PRED)
        return false;
    for (int i = 0; i < 2; i++)
        if (constant(f, &in->src[i], &bits) && ((bits & 1) ^ in->src[i].negated) == 0)
            return true;
    return false;
}

/* What is known of the instruction's results; floating-point instructions and selects become moves. */
static void fold_constants(struct folding *f, struct ir_inst *in)
{
    uint64_t bits[FOLDED], result;
    bool floating = is_floating(in->type);
    if (in->ndst == 0)
        return;
    if (ir_is(in, PTX_KIND_SELECT) && constant(f, &in->src[2], &bits[0]))
        move_become(f->k, in, in->src[(bits[0] & 1) != in->src[2].negated ? 0 : 1]);
    if (ir_is(in, PTX_KIND_FMUL) && floating)
        by_one(f, in);
    if (is_never(f, in))
        know(f, in, 0, 0);
    if (!all_constant(f, in, bits))
        return;
    if (ir_is(in, PTX_KIND_COPY) && in->nsrc == 1) {
        int width = ptx_type_info[in->type].bits / in->ndst;
        for (int d = 0; d < in->ndst && width > 0; d++) /* elements, the lowest first */
            know(f, in, d, in->ndst == 1 ? bits[0] : bits[0] >> d * width & (UINT64_MAX >> (64 - width)));
    } else if (compute(f, in, bits, &result)) {
        if (floating && !ir_is(in, PTX_KIND_COMPARE))
            move_become(f->k, in, (struct ir_src){.kind = IR_SRC_IMM, .imm = result});
        know(f, in, 0, result);
    }
}

/* --- repeated arithmetic --- */

/* What is done once. What only serves to tell operands apart or alike is numbered, too, but done again. */
static bool done_once(const struct ir_inst *in)
{
    if (!is_floating(in->type))
        return false;
    switch (ir_class(in)) {
    case PTX_CLASS_FADD:
    case PTX_CLASS_FMUL:
    case PTX_CLASS_FFMA:
    case PTX_CLASS_FMOV:
    case PTX_CLASS_MUFU:
        return true;
    case PTX_CLASS_FDIV:
    case PTX_CLASS_FSQRT:
        return in->mods->approx;
    case PTX_CLASS_CONVERT:
        return true;
    default:
        return false;
    }
}

/* A value of which it is known where it was computed. What a loop or a branch has put together does not take part: ptxas computes
 * anew behind a loop what the loop's last turn has computed of such values (regs160 of tests/truth/occupancy.cu). */
static bool is_value(const struct folding *f, const struct ir_src *s)
{
    const struct ir_inst *in = definitions_maker(f->k, f->only, s);
    return in && in->op != IR_OP_PHI;
}

static bool is_numbered(const struct folding *f, int32_t i)
{
    const struct ir_inst *in = &f->k->insts[i];
    if (!definitions_arithmetic(in) || in->op == IR_OP_PHI || in->ndst != 1 || in->dst[0] == IR_NOREG || f->only[in->dst[0]] < 0)
        return false;
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_SREG || (in->src[s].kind == IR_SRC_REG && !is_value(f, &in->src[s])))
            return false;
    return true;
}

static uint64_t operand(const struct folding *f, const struct ir_inst *in, int s)
{
    const struct ir_src *src = &in->src[s];
    return src->kind == IR_SRC_REG ? (uint64_t)f->same[src->reg] * 2 + src->negated : src->imm ^ UINT64_C(1) << 63;
}

static bool exchangeable(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_FADD) || ir_is(in, PTX_KIND_FMUL) || ir_is(in, PTX_KIND_FMAD);
}

static uint32_t hash(const struct folding *f, const struct ir_inst *in)
{
    uint64_t h = in->op * UINT64_C(31) + in->type;
    for (int s = 0; s < in->nsrc; s++) {
        uint64_t x = operand(f, in, s) * UINT64_C(0x9e3779b97f4a7c15);
        h = s < 2 ? h + (x ^ x >> 29) : (h ^ x) * 31; /* the same for exchanged operands */
    }
    return (uint32_t)(h ^ h >> 32) % f->nbuckets;
}

static bool same_operand(const struct folding *f, const struct ir_inst *a, int s, const struct ir_inst *b, int t)
{
    return a->src[s].kind == b->src[t].kind && operand(f, a, s) == operand(f, b, t);
}

static bool same_instruction(const struct folding *f, const struct ir_inst *a, const struct ir_inst *b)
{
    if (!definitions_same_operation(a, b))
        return false;
    bool alike = true, exchanged = exchangeable(a) && same_operand(f, a, 0, b, 1) && same_operand(f, a, 1, b, 0);
    for (int s = 0; s < a->nsrc; s++)
        alike = alike && (same_operand(f, a, s, b, s) || (exchanged && s < 2));
    return alike;
}

static void number(struct folding *f, int32_t i)
{
    struct ir_inst *in = &f->k->insts[i];
    if (!is_numbered(f, i))
        return;
    int32_t reg = in->dst[0];
    if (ir_is(in, PTX_KIND_COPY) && in->nsrc == 1 && in->src[0].kind == IR_SRC_REG &&
        f->k->reg_type[reg] == f->k->reg_type[in->src[0].reg]) {
        f->same[reg] = f->same[in->src[0].reg];
        return;
    }
    uint32_t h = hash(f, in);
    for (uint32_t n = f->buckets[h]; n; n = f->next[n - 1]) {
        const struct ir_inst *first = &f->k->insts[n - 1];
        if (!same_instruction(f, in, first) || !ir_dominates(f->k, first->block, in->block))
            continue;
        f->same[reg] = f->same[first->dst[0]];
        if (done_once(in)) {
            ir_delete(in);
        }
        return;
    }
    f->next[i] = f->buckets[h];
    f->buckets[h] = (uint32_t)i + 1;
}

/* What is done no more: the register of what was done first; else the register itself. */
static int32_t first_done(const void *user, int32_t reg)
{
    const struct folding *f = user;
    return f->only[reg] >= 0 && f->k->insts[f->only[reg]].op == IR_OP_DELETED ? f->same[reg] : reg;
}

/* --- */

static void visit(struct folding *f, int32_t b)
{
    const struct ir_block *block = &f->k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        struct ir_inst *in = &f->k->insts[i];
        fold_constants(f, in);
        number(f, i);
    }
}

/* Every block that the entry dominates, each behind its dominator. */
static void visit_all(struct folding *f)
{
    const struct ir_kernel *k = f->k;
    int32_t *first = alloc_zeroed((size_t)k->nblocks * 4), *next = alloc_zeroed((size_t)k->nblocks * 4);
    int32_t *waiting = alloc_zeroed((size_t)k->nblocks * 4), n = 0;
    for (int32_t b = k->nblocks - 1; b > 0; b--)
        if (k->blocks[b].idom >= 0) {
            next[b] = first[k->blocks[b].idom];
            first[k->blocks[b].idom] = b;
        }
    waiting[n++] = 0;
    while (n) {
        int32_t b = waiting[--n];
        visit(f, b);
        for (int32_t c = first[b]; c; c = next[c])
            waiting[n++] = c;
    }
    alloc_release(first);
    alloc_release(next);
    alloc_release(waiting);
}

void fold_arithmetic(struct ir_kernel *k)
{
    size_t regs = (size_t)k->nregs + 1;
    struct folding f = {.k = k, .only = definitions_new(k), .nbuckets = (uint32_t)k->ninsts + 1};
    f.same = alloc_zeroed(regs * sizeof *f.same);
    f.bits = alloc_zeroed(regs * sizeof *f.bits);
    f.known = alloc_zeroed(regs);
    f.next = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *f.next);
    f.buckets = alloc_zeroed((size_t)f.nbuckets * sizeof *f.buckets);
    for (int32_t r = 0; r < k->nregs; r++)
        f.same[r] = r;
    if (!k->recursive)
        visit_all(&f);
    ir_rename_reads(k, first_done, &f);
    alloc_release(f.only);
    alloc_release(f.same);
    alloc_release(f.bits);
    alloc_release(f.known);
    alloc_release(f.next);
    alloc_release(f.buckets);
}
