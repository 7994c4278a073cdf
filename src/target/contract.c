/* See contract.h. */
#include "target/contract.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "target/definitions.h"

#include <string.h>

/* A fused sum: site of the product, and the signs that are left. */
struct fused {
    int32_t product; /* -1: stays a sum */
    uint8_t operand; /* of the sum: which one was the product */
    bool minus_product, minus_addend;
};

struct contraction {
    struct ir_kernel *k;
    int32_t *only;
    int32_t *begin, *reader; /* readers of register r: reader[begin[r]] up to reader[begin[r + 1]], an operand each */
    int32_t *fences;         /* [ninsts] fences before the instruction */
    struct fused *fused;     /* [ninsts] */
    int32_t added;           /* instructions, at most */
};

/* --- functions that end in a product --- */

static const struct ending {
    const char *name;
    uint8_t type;
} endings[] = {
#define EXTERN_PRODUCT(name, type) {#name, PTX_##type},
#include "target/extern_ways.def"
};

static const struct ending *ending_of(const struct ir_inst *in)
{
    for (size_t i = 0; in->op == IR_OP_EXTERN && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(endings[i].name, in->callee) == 0)
            return &endings[i];
    return NULL;
}

/* --- quotients --- */

/* div.approx and div.full: the numerator by the reciprocal, which is the last multiplication. That of 1 is the reciprocal alone, and
 * without .ftz a reciprocal is scaled by a multiplication, too. */
static bool is_quotient(const struct ir_inst *in)
{
    if (in->type != PTX_F32 || !(in->mods->approx || in->mods->full))
        return false;
    if (ir_is(in, PTX_KIND_FRCP))
        return !in->mods->ftz;
    bool of_one = ir_is(in, PTX_KIND_FDIV) && in->src[0].kind == IR_SRC_IMM && (in->src[0].imm & 0x7FFFFFFF) == 0x3F800000;
    return ir_is(in, PTX_KIND_FDIV) && !(of_one && in->mods->approx && in->mods->ftz);
}

/* Its result is the product: it stays as it is, and is multiplied by 1. */
static bool ends_in_product(const struct ir_inst *in)
{
    return is_quotient(in) || ending_of(in);
}

/* --- products and sums --- */

static bool is_rounded(const struct ir_inst *in)
{
    return in->mods->round != PTX_RND_NONE;
}

static bool is_sum(const struct ir_inst *in)
{
    return ir_class(in) == PTX_CLASS_FADD && !is_rounded(in);
}

/* 1 or -1, as the type has it. */
static bool is_unit(const struct ir_inst *in, uint64_t bits)
{
    switch (in->type) {
    case PTX_F32: return (bits & 0x7FFFFFFF) == 0x3F800000;
    case PTX_F64: return (bits & INT64_MAX) == 0x3FF0000000000000;
    default: return false;
    }
}

static bool is_folded(const struct contraction *c, const struct ir_inst *in)
{
    uint64_t bits;
    int constants = 0;
    for (int i = 0; i < 2; i++)
        if (definitions_constant(c->k, c->only, &in->src[i], &bits)) {
            constants++;
            if (is_unit(in, bits))
                return true;
        }
    return constants == 2;
}

static bool is_product(const struct contraction *c, const struct ir_inst *in)
{
    if (in->guard != IR_NOREG || in->ndst != 1 || in->dst[0] == IR_NOREG || c->only[in->dst[0]] < 0)
        return false;
    return ends_in_product(in) || (ir_is(in, PTX_KIND_FMUL) && !is_rounded(in) && !in->mods->sat && !is_folded(c, in));
}

/* A move or a change of sign. */
static bool passes_on(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_COPY) || ir_is(in, PTX_KIND_FNEG)) && in->guard == IR_NOREG && in->nsrc == 1 && in->ndst == 1 &&
           in->dst[0] != IR_NOREG && in->src[0].kind == IR_SRC_REG;
}

/* --- across blocks --- */

/* A reciprocal has one: the other is the scale. */
static int factors_of(const struct ir_inst *product)
{
    return product->nsrc < 2 ? product->nsrc : 2;
}

/* A number, a parameter of the kernel or a word of constant memory at a fixed address: an instruction reads it in place. */
static bool is_constant(const struct contraction *c, const struct ir_src *s)
{
    uint64_t bits;
    const struct ir_inst *maker = definitions_maker(c->k, c->only, s);
    bool bank = maker && ir_is(maker, PTX_KIND_LOAD) && (maker->space == PTX_PARAM || maker->space == PTX_CONST);
    return s->kind == IR_SRC_IMM || definitions_constant(c->k, c->only, s, &bits) || (bank && maker->src[0].kind == IR_SRC_IMM);
}

static bool has_constant_factor(const struct contraction *c, const struct ir_inst *product)
{
    bool simple = (product->type == PTX_F32 || product->type == PTX_F64) && (ir_is(product, PTX_KIND_FMUL) || is_quotient(product));
    int first = ir_is(product, PTX_KIND_FMUL) ? 0 : 1; /* a quotient's is its divisor */
    for (int i = first; simple && i < factors_of(product); i++)
        if (is_constant(c, &product->src[i]))
            return true;
    return false;
}

/* The product that operand `i` of the sum at `site` is, or -1. */
static int32_t product_of(const struct contraction *c, int32_t site, int i, bool *minus)
{
    const struct ir_inst *sum = &c->k->insts[site];
    int32_t at = site;
    *minus = i == 1 && ir_is(sum, PTX_KIND_FSUB);
    for (const struct ir_src *s = &sum->src[i]; s->kind == IR_SRC_REG && c->only[s->reg] >= 0; s = &c->k->insts[at].src[0]) {
        if (c->only[s->reg] >= at)
            return -1;
        at = c->only[s->reg];
        const struct ir_inst *in = &c->k->insts[at];
        if (!passes_on(in))
            return is_product(c, in) && (in->block == sum->block || has_constant_factor(c, in)) ? at : -1;
        *minus ^= ir_is(in, PTX_KIND_FNEG);
    }
    return -1;
}

static bool may_fuse(const struct contraction *c, int32_t product, int32_t sum)
{
    const struct ir_inst *p = &c->k->insts[product], *s = &c->k->insts[sum];
    const struct ending *e = ending_of(p);
    if ((c->fences[product] != c->fences[sum] && !has_constant_factor(c, p)) || (e ? e->type : p->type) != s->type)
        return false;
    return e || p->mods->ftz == s->mods->ftz;
}

/* --- readers --- */

/* The i-th register that an instruction reads, from 0: of its sources, then what its results are else. IR_NOREG: it is none. */
static int32_t read_by(const struct ir_inst *in, int i)
{
    if (i < in->nsrc)
        return in->src[i].kind == IR_SRC_REG ? in->src[i].reg : IR_NOREG;
    return in->old[i - in->nsrc];
}

static int reads_of(const struct ir_inst *in)
{
    return in->nsrc + (in->old ? in->ndst : 0);
}

static void find_readers(struct contraction *c)
{
    const struct ir_kernel *k = c->k;
    c->begin = alloc_zeroed(((size_t)k->nregs + 2) * sizeof *c->begin);
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int s = 0; s < reads_of(&k->insts[i]); s++)
            if (read_by(&k->insts[i], s) != IR_NOREG)
                c->begin[read_by(&k->insts[i], s) + 2]++;
    for (int32_t r = 0; r < k->nregs; r++)
        c->begin[r + 2] += c->begin[r + 1];
    c->reader = alloc_zeroed(((size_t)c->begin[k->nregs + 1] + 1) * sizeof *c->reader);
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int s = 0; s < reads_of(&k->insts[i]); s++)
            if (read_by(&k->insts[i], s) != IR_NOREG)
                c->reader[c->begin[read_by(&k->insts[i], s) + 1]++] = i;
}

/* Arithmetic without readers of its own will not be done. */
static bool is_unread(const struct contraction *c, const struct ir_inst *in)
{
    return definitions_arithmetic(in) && in->ndst == 1 && in->dst[0] != IR_NOREG && c->begin[in->dst[0]] == c->begin[in->dst[0] + 1];
}

/* Readers of a register that holds the product, those of its moves and signs instead of these. `fit` becomes false
 * if one is no sum that the product could be part of. */
static int32_t count_readers(const struct contraction *c, int32_t product, int32_t reg, bool *fit)
{
    int32_t n = 0;
    for (int32_t r = c->begin[reg]; r < c->begin[reg + 1]; r++) {
        int32_t site = c->reader[r];
        const struct ir_inst *in = &c->k->insts[site];
        if (is_unread(c, in))
            continue;
        if (passes_on(in) && c->only[in->dst[0]] == site && site > product) {
            n += count_readers(c, product, in->dst[0], fit);
            continue;
        }
        bool minus;
        n++;
        *fit = *fit && is_sum(in) && (c->fused[site].product == product || c->fused[site].product < 0);
        if (!*fit)
            return n;
        bool first = product_of(c, site, 0, &minus) == product, second = product_of(c, site, 1, &minus) == product;
        *fit = first != second && may_fuse(c, product, site);
    }
    return n;
}

/* --- fusing --- */

static bool fuse(struct contraction *c, int32_t site, bool with_one_reader)
{
    const struct ir_inst *sum = &c->k->insts[site];
    for (int i = 0; i < 2; i++) {
        bool minus, fit = true;
        int32_t product = product_of(c, site, i, &minus);
        if (product < 0 || (count_readers(c, product, c->k->insts[product].dst[0], &fit) != 1 && with_one_reader) || !fit)
            continue;
        c->fused[site] = (struct fused){product, (uint8_t)i, minus, i == 0 && ir_is(sum, PTX_KIND_FSUB)};
        c->added += minus + c->fused[site].minus_addend;
        return true;
    }
    return false;
}

static bool choose(struct contraction *c)
{
    bool any = false;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < c->k->ninsts; i++)
            if (is_sum(&c->k->insts[i]) && c->fused[i].product < 0)
                any |= fuse(c, i, pass == 0);
    return any;
}

/* --- the kernel anew --- */

static uint64_t flipped(uint64_t bits, enum ptx_type type)
{
    int width = ptx_type_info[type].bits;
    bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
    return bits ^ UINT64_C(1) << (width - 1) ^ (pair ? UINT64_C(1) << (width / 2 - 1) : 0);
}

static const struct ptx_mods *mods_like(struct contraction *c, const struct ir_inst *sum, uint8_t round)
{
    struct ptx_mods *m = ARENA_NEW(&c->k->arena, struct ptx_mods);
    *m = *sum->mods;
    m->round = round;
    m->sat = round != PTX_RND_NONE && m->sat;
    return m;
}

/* -s, in a new register whose instruction goes to `insts`. */
static struct ir_src negative(struct contraction *c, const struct ir_inst *sum, struct ir_src s, struct ir_inst *insts, int32_t *n)
{
    struct ir_kernel *k = c->k;
    if (s.kind == IR_SRC_IMM) {
        s.imm = flipped(s.imm, sum->type);
        return s;
    }
    struct ir_inst *neg = &insts[(*n)++];
    *neg = *sum;
    neg->op = PTX_OP_FNEG;
    neg->id = 0;
    neg->guard = IR_NOREG;
    neg->old = NULL;
    neg->mods = mods_like(c, sum, PTX_RND_NONE);
    IR_SET_SOURCES(k, neg, s);
    IR_SET_RESULTS(k, neg, k->nregs);
    k->reg_type[k->nregs] = k->reg_type[sum->dst[0]];
    s.reg = k->nregs++;
    return s;
}

static struct ir_src factor_of(const struct contraction *c, int32_t product, int i)
{
    const struct ir_inst *in = &c->k->insts[product];
    if (ends_in_product(in))
        return i ? ir_of_reg(in->dst[0]) : ir_of_value(in->type == PTX_F64 ? 0x3FF0000000000000 : 0x3F800000);
    return in->src[i];
}

static void put(struct contraction *c, int32_t site, struct ir_inst *insts, int32_t *n)
{
    const struct ir_inst *sum = &c->k->insts[site];
    const struct fused *f = &c->fused[site];
    struct ir_inst made = *sum;
    if (f->product >= 0) {
        struct ir_src addend = sum->src[1 - f->operand];
        struct ir_src factors[2] = {factor_of(c, f->product, 0), factor_of(c, f->product, 1)};
        made.op = PTX_OP_FMA;
        made.mods = mods_like(c, sum, PTX_RN);
        if (f->minus_product)
            factors[0] = negative(c, sum, factors[0], insts, n);
        if (f->minus_addend)
            addend = negative(c, sum, addend, insts, n);
        IR_SET_SOURCES(c->k, &made, factors[0], factors[1], addend);
    }
    insts[(*n)++] = made;
}

/* All readers of the function's result, or of the quotient, are sums with its product, of which it has some. */
static bool is_fused(const struct contraction *c, int32_t product)
{
    bool fit = true;
    return ends_in_product(&c->k->insts[product]) && count_readers(c, product, c->k->insts[product].dst[0], &fit) && fit;
}

static void rebuild(struct contraction *c)
{
    struct ir_kernel *k = c->k;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (c->fused[i].product >= 0)
            k->insts[c->fused[i].product].product_fused = is_fused(c, c->fused[i].product);
    struct ir_inst *insts = alloc_zeroed(((size_t)k->ninsts + (size_t)c->added) * sizeof *insts);
    int32_t n = 0;
    k->reg_type = alloc_resize(k->reg_type, (size_t)k->nregs + (size_t)c->added + 1);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *block = &k->blocks[b];
        int32_t first = n;
        for (int32_t i = block->first; i < block->first + block->count; i++)
            put(c, i, insts, &n);
        block->first = first;
        block->count = n - first;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
}

void contract_products(struct ir_kernel *k)
{
    if (k->module->debug)
        return;
    struct contraction c = {.k = k, .only = definitions_new(k)};
    c.fences = alloc_zeroed((size_t)k->ninsts * sizeof *c.fences);
    c.fused = alloc_zeroed((size_t)k->ninsts * sizeof *c.fused);
    for (int32_t i = 0; i < k->ninsts; i++) {
        c.fences[i] = i ? c.fences[i - 1] + (facts_syncs(&k->insts[i - 1]) == FACT_FENCE) : 0;
        c.fused[i].product = -1;
    }
    find_readers(&c);
    if (choose(&c))
        rebuild(&c);
    alloc_release(c.only);
    alloc_release(c.begin);
    alloc_release(c.reader);
    alloc_release(c.fences);
    alloc_release(c.fused);
}
