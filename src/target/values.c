/* Low bits of registers, and addresses as root + constant. The kernel is in SSA: what is known of a register is so wherever it is read.
 *
 * Congruences are a fixpoint, for loops: the first assumption is "everything", and every definition takes away what it contradicts; a
 * phi, and a definition under a guard, take away what one of the values does not have. Sums look through an unguarded definition,
 * whose operands still have the values that they had there. Anything else is a root of its own. */
#include "target/values.h"
#include "base/alloc.h"
#include "ir/affine.h"
#include "ir/claims.h"
#include "ir/facts.h"
#include "base/table.h"
#include "target/definitions.h"

#include <string.h>

enum { ALL_BITS = 64, TOP = 65, MAX_DEPTH = 200 };

/* Device variables lie above 4 GiB; the assembler does not know where, so neither do we. */
#define FIRST_DEVICE_ADDRESS (UINT64_C(1) << 32)

struct expression {
    int op; /* enum ptx_kind; COPY: a sum as a whole; OTHER: a special register */
    int32_t a, b; /* roots */
    int64_t c;
    int32_t root;
    uint32_t next; /* in the same bucket, + 1 */
};

struct values {
    const struct ir_kernel *k;
    int32_t *def;           /* [nregs] the unguarded definition, see definitions.h */
    struct congruence *cong; /* [nregs] */
    struct sum *sum;        /* [nregs] */
    bool *summed;           /* [nregs] `sum` is known */
    struct expression *exprs;
    uint32_t nexprs, exprs_cap;
    uint32_t *buckets, nbuckets;
    uint8_t *shifted;       /* [root] made by a shift or product with a power of two: its log2 */
    int32_t nroots, roots_cap;
};

/* --- congruences --- */

static struct congruence known_low(int known, uint64_t low)
{
    if (known > ALL_BITS)
        known = ALL_BITS;
    return (struct congruence){known, ir_unsigned(low, known)};
}

static int zeros(uint64_t x)
{
    return x ? __builtin_ctzll(x) : 64;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static struct congruence cong_add(struct congruence a, struct congruence b)
{
    return known_low(least(a.known, b.known), a.low + b.low);
}

static struct congruence cong_mul(struct congruence a, struct congruence b)
{
    if (a.known == ALL_BITS && b.known == ALL_BITS)
        return known_low(ALL_BITS, a.low * b.low);
    /* (la + 2^ka x)(lb + 2^kb y) */
    int known = a.known + b.known;
    if (b.known < ALL_BITS)
        known = least(known, b.known + zeros(a.low));
    if (a.known < ALL_BITS)
        known = least(known, a.known + zeros(b.low));
    return known_low(known, a.low * b.low);
}

/* The lowest bits of a bitwise operation, up to the first one not known. */
static struct congruence cong_bits(struct congruence a, struct congruence b, enum ptx_kind kind)
{
    struct congruence r = {0, 0};
    for (; r.known < ALL_BITS; r.known++) {
        int i = r.known;
        bool ka = i < a.known, kb = i < b.known;
        bool xa = ka && a.low >> i & 1, xb = kb && b.low >> i & 1;
        bool fixed = (ka && kb) || (kind == PTX_KIND_AND && ((ka && !xa) || (kb && !xb))) ||
                     (kind == PTX_KIND_OR && (xa || xb));
        if (!fixed)
            break;
        bool x = kind == PTX_KIND_AND ? xa && xb : kind == PTX_KIND_OR ? xa || xb : xa != xb;
        r.low |= (uint64_t)x << i;
    }
    return r;
}

static struct congruence cong_src(const struct values *v, const struct ir_src *s)
{
    if (s->kind == IR_SRC_IMM)
        return known_low(ALL_BITS, s->imm);
    if (s->kind != IR_SRC_REG)
        return (struct congruence){0, 0};
    return v->cong[s->reg];
}

/* The low `bits` bits of a value, made wider by their sign or by zeros: a constant where all of them are known. */
static struct congruence cong_resize(struct congruence a, int bits, bool is_signed)
{
    if (a.known < bits)
        return a;
    return known_low(ALL_BITS, is_signed ? (uint64_t)ir_signed(a.low, bits) : ir_unsigned(a.low, bits));
}

static struct congruence cong_shift(struct congruence a, struct congruence amount, bool left, int bits)
{
    if (amount.known < 32)
        return (struct congruence){0, 0};
    int by = (uint32_t)amount.low >= (uint32_t)bits ? bits : (int)amount.low;
    if (left)
        return by >= bits ? known_low(ALL_BITS, 0) : known_low(a.known + by, a.low << by);
    if (a.known >= bits || by >= a.known)
        return (struct congruence){0, 0};
    return known_low(a.known - by, a.low >> by);
}

/* All bits of a narrow result being known, it is a constant. */
static struct congruence cong_clip(struct congruence c, int bits)
{
    return c.known >= bits && bits < 64 ? known_low(ALL_BITS, ir_unsigned(c.low, bits)) : c;
}

static struct congruence cong_value(const struct values *v, const struct ir_inst *in)
{
    const struct congruence nothing = {0, 0};
    if (ir_is_own(in) || in->ndst != 1 || in->nsrc == 0 || !facts_plain(in))
        return nothing;
    const struct ptx_type_info *t = &ptx_type_info[in->type];
    bool is_signed = t->kind == 'S';
    struct congruence a = cong_src(v, &in->src[0]), b = nothing, c = nothing;
    if (in->nsrc > 1)
        b = cong_src(v, &in->src[1]);
    if (in->nsrc > 2)
        c = cong_src(v, &in->src[2]);
    if (a.known == TOP || b.known == TOP || c.known == TOP)
        return (struct congruence){TOP, 0};
    if (ir_kind(in) & PTX_KIND_WIDE) {
        a = cong_resize(a, t->bits, is_signed);
        b = cong_resize(b, t->bits, is_signed);
    }
    switch (ir_kind(in) & ~PTX_KIND_WIDE) {
    case PTX_KIND_COPY:
        if (in->nsrc != 1 || (in->src[0].kind == IR_SRC_IMM && in->src[0].imm >= FIRST_DEVICE_ADDRESS &&
                              t->bits == 64))
            return nothing;
        return a;
    case PTX_KIND_ADDRESS:
        return known_low(least(a.known, 24), a.low); /* windows are aligned to 16 MiB */
    case PTX_KIND_CONVERT: {
        const struct ptx_type_info *from = &ptx_type_info[in->type2];
        if (!ptx_is_integer(in->type) || !ptx_is_integer(in->type2))
            return nothing;
        return cong_resize(cong_resize(a, from->bits, from->kind == 'S'), t->bits, is_signed);
    }
    case PTX_KIND_ADD:
        return cong_add(a, b);
    case PTX_KIND_SUB:
        return known_low(least(a.known, b.known), a.low - b.low);
    case PTX_KIND_NEG:
        return known_low(a.known, -a.low);
    case PTX_KIND_MUL:
        return cong_mul(a, b);
    case PTX_KIND_MAD:
        return cong_add(cong_mul(a, b), c);
    case PTX_KIND_AND:
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
        return cong_bits(a, b, ir_kind(in));
    case PTX_KIND_SHL:
    case PTX_KIND_SHR:
        return cong_shift(a, b, ir_is(in, PTX_KIND_SHL), t->bits);
    case PTX_KIND_SELECT:
    case PTX_KIND_MIN:
    case PTX_KIND_MAX: {
        int known = least(least(a.known, b.known), zeros(a.low ^ b.low));
        return known_low(known, a.low);
    }
    default:
        return nothing;
    }
}

/* False: it is what it was. */
static bool cong_meet(struct congruence *into, struct congruence a)
{
    if (a.known == TOP)
        return false;
    if (into->known == TOP) {
        *into = a;
        return true;
    }
    int known = least(least(into->known, a.known), zeros(into->low ^ a.low));
    bool changed = known != into->known;
    *into = known_low(known, into->low);
    return changed;
}

/* What is known of result d of an instruction. */
static struct congruence cong_result(const struct values *v, const struct ir_inst *in, int d)
{
    struct congruence c = {TOP, 0};
    if (in->op == IR_OP_PHI)
        for (int i = 0; i < in->nsrc; i++)
            cong_meet(&c, cong_src(v, &in->src[i]));
    else
        c = cong_value(v, in);
    if (in->old)
        cong_meet(&c, in->old[d] == IR_NOREG ? (struct congruence){ALL_BITS, 0} : v->cong[in->old[d]]); /* undefined is 0 */
    return c.known == TOP ? c : cong_clip(c, ptx_type_info[v->k->reg_type[in->dst[d]]].bits);
}

/* Of what is made of itself alone, never of a value that was set before, nothing is known. */
static bool give_up_unset(struct values *v)
{
    bool some = false;
    for (int32_t r = 0; r < v->k->nregs; r++)
        if (v->cong[r].known == TOP) {
            v->cong[r] = (struct congruence){0, 0};
            some = true;
        }
    return some;
}

static void find_congruences(struct values *v)
{
    const struct ir_kernel *k = v->k;
    for (int32_t r = 0; r < k->nregs; r++)
        v->cong[r] = (struct congruence){v->def[r] == DEFINITIONS_NONE ? ALL_BITS : TOP, 0}; /* what nobody wrote is 0 */
    for (bool changed = true; changed || give_up_unset(v);) {
        changed = false;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            for (int d = 0; d < in->ndst; d++)
                if (in->dst[d] != IR_NOREG)
                    changed |= cong_meet(&v->cong[in->dst[d]], cong_result(v, in, d));
        }
    }
}

/* The assembler does not know where device variables are. */
static struct congruence address_low(const struct values *v, const struct ir_inst *in)
{
    struct congruence base = cong_src(v, &in->src[0]);
    if (in->src[0].kind == IR_SRC_IMM && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC))
        base.known = base.low = 0;
    return cong_add(base, known_low(ALL_BITS, (uint64_t)in->offset));
}

/* --- sums --- */

static int32_t new_root(struct values *v, int shifted)
{
    ALLOC_GROW(v->shifted, v->nroots, v->roots_cap);
    v->shifted[v->nroots] = (uint8_t)shifted;
    return v->nroots++;
}

static uint32_t bucket(const struct values *v, const struct expression *e)
{
    uint64_t h = HASH_START;
    h = hash_bytes(h, &e->op, sizeof e->op);
    h = hash_bytes(h, &e->a, sizeof e->a);
    h = hash_bytes(h, &e->b, sizeof e->b);
    h = hash_bytes(h, &e->c, sizeof e->c);
    return (uint32_t)(h & (v->nbuckets - 1));
}

/* The number of an expression: the same for the same operation on the same operands. */
static struct sum number(struct values *v, int op, int32_t a, int32_t b, int64_t c, int shifted)
{
    struct expression e = {op, a, b, c, 0, 0};
    uint32_t h = bucket(v, &e);
    for (uint32_t i = v->buckets[h]; i; i = v->exprs[i - 1].next) {
        const struct expression *x = &v->exprs[i - 1];
        if (x->op == op && x->a == a && x->b == b && x->c == c)
            return (struct sum){x->root, 0};
    }
    e.root = new_root(v, shifted);
    e.next = v->buckets[h];
    ALLOC_GROW(v->exprs, v->nexprs, v->exprs_cap);
    v->exprs[v->nexprs++] = e;
    v->buckets[h] = v->nexprs;
    return (struct sum){e.root, 0};
}

static struct sum fresh(struct values *v)
{
    return (struct sum){new_root(v, 0), 0};
}

static struct sum sum_add(struct values *v, struct sum a, struct sum b, int bits)
{
    int64_t add = ir_signed((uint64_t)a.add + (uint64_t)b.add, bits);
    if (a.root == VALUES_CONSTANT || b.root == VALUES_CONSTANT)
        return (struct sum){a.root == VALUES_CONSTANT ? b.root : a.root, add};
    bool swap = a.root > b.root;
    struct sum s = number(v, PTX_KIND_ADD, swap ? b.root : a.root, swap ? a.root : b.root, bits, 0);
    s.add = add;
    return s;
}

/* a * f. A sum is not multiplied out: it becomes an expression of its own, constant included. */
static struct sum sum_scale(struct values *v, struct sum a, int64_t f, int op, int bits)
{
    if (a.root == VALUES_CONSTANT)
        return (struct sum){a.root, ir_signed((uint64_t)a.add * (uint64_t)f, bits)};
    if (f == 1 && op == PTX_KIND_MUL)
        return a;
    int shifted = f > 0 && (f & (f - 1)) == 0 ? zeros((uint64_t)f) : 0;
    if (a.add) {
        struct sum whole = number(v, PTX_KIND_COPY, a.root, 0, a.add, 0);
        a.root = whole.root;
    }
    return number(v, op, a.root, bits, f, shifted);
}

/* Special registers are numbered like operations without operands; clocks differ with every reading. */
static struct sum sum_of_sreg(struct values *v, const struct ir_src *s)
{
    return facts_source(s) & FACT_STATE ? fresh(v) : number(v, PTX_KIND_OTHER, 0, 0, s->sreg, 0);
}

static struct sum sum_of(struct values *v, int32_t reg, int depth);

/* An instruction whose result is asked for, so many definitions below an address. */
struct asked {
    struct values *v;
    int depth;
};

static struct sum sum_of_source(const struct asked *q, const struct ir_inst *in, int i)
{
    const struct ir_src *src = &in->src[i];
    if (src->kind == IR_SRC_IMM)
        return (struct sum){VALUES_CONSTANT, ir_signed(src->imm, ptx_type_info[in->type].bits)};
    return src->kind == IR_SRC_SREG ? sum_of_sreg(q->v, src) : sum_of(q->v, src->reg, q->depth + 1);
}

/* affine_number (ir/affine.h) */
static bool is_constant(const void *asked, const struct ir_inst *in, int i, uint64_t *bits)
{
    struct sum s = sum_of_source(asked, in, i);
    *bits = (uint64_t)s.add;
    return s.root == VALUES_CONSTANT;
}

static bool sum_of_terms(const struct asked *q, const struct ir_inst *in, struct sum *out)
{
    /* signed and unsigned products differ: any other number will do */
    int wide = ptx_type_info[in->type].kind == 'S' ? PTX_KIND_MAD_WIDE : PTX_KIND_MUL_WIDE;
    struct affine of;
    if (!affine_of(in, is_constant, q, &of))
        return false;
    *out = of.product ? fresh(q->v) : (struct sum){VALUES_CONSTANT, 0};
    for (int i = 0; i < of.n; i++) {
        int64_t times = ir_signed((uint64_t)of.of[i].times, of.bits);
        int op = of.of[i].bits < of.bits ? wide : PTX_KIND_MUL;
        if (times)
            *out = sum_add(q->v, *out, sum_scale(q->v, sum_of_source(q, in, i), times, op, of.bits), of.bits);
    }
    return true;
}

/* The value that `in` defines; false when it is just something new. */
static bool sum_result(const struct asked *q, const struct ir_inst *in, struct sum *out)
{
    if (!facts_plain(in) || in->ndst != 1)
        return false;
    switch (ir_kind(in)) {
    case PTX_KIND_COPY:
        *out = in->nsrc == 1 ? sum_of_source(q, in, 0) : *out;
        return in->nsrc == 1;
    case PTX_KIND_ADDRESS: {
        struct sum s = sum_of_source(q, in, 0);
        *out = number(q->v, PTX_KIND_ADDRESS, s.root, in->mods->to, in->mods->space, 0);
        out->add = s.add;
        return s.root != VALUES_CONSTANT;
    }
    case PTX_KIND_CONVERT: {
        struct sum s = sum_of_source(q, in, 0);
        if (s.root == VALUES_CONSTANT || s.add)
            return false;
        *out = number(q->v, PTX_KIND_CONVERT, s.root, in->type, in->type2, 0);
        return true;
    }
    case PTX_KIND_OR: {
        struct sum s[] = {sum_of_source(q, in, 0), sum_of_source(q, in, 1)};
        bool swap = s[0].root == VALUES_CONSTANT;
        struct sum x = s[swap], c = s[!swap];
        *out = (struct sum){x.root, c.add};
        return c.root == VALUES_CONSTANT && x.root != VALUES_CONSTANT && !x.add && c.add >= 0 &&
               c.add < INT64_C(1) << (q->v->shifted[x.root] & 31);
    }
    default:
        return sum_of_terms(q, in, out);
    }
}

static struct sum sum_of(struct values *v, int32_t reg, int depth)
{
    if (v->summed[reg])
        return v->sum[reg];
    struct asked q = {v, depth};
    struct sum result = fresh(v);
    v->sum[reg] = result; /* also for itself, in a block that nothing reaches */
    v->summed[reg] = true;
    if (v->def[reg] >= 0 && depth < MAX_DEPTH && sum_result(&q, &v->k->insts[v->def[reg]], &result))
        v->sum[reg] = result;
    return v->sum[reg];
}

struct address values_address(struct values *v, const struct ir_inst *in)
{
    const struct ir_src *base = &in->src[0];
    struct sum sum = {VALUES_CONSTANT, (int64_t)base->imm};
    if (base->kind != IR_SRC_IMM)
        sum = base->kind == IR_SRC_SREG ? sum_of_sreg(v, base) : sum_of(v, base->reg, 0);
    sum.add = ir_signed((uint64_t)sum.add + (uint64_t)in->offset, 64);
    return (struct address){sum, address_low(v, in)};
}

/* --- */

struct values *values_new(const struct ir_kernel *k)
{
    size_t n = (size_t)k->nregs + 1;
    struct values *v = alloc_zeroed(sizeof *v);
    v->k = k;
    v->def = definitions_new(k);
    v->cong = alloc_zeroed(n * sizeof *v->cong);
    v->sum = alloc_zeroed(n * sizeof *v->sum);
    v->summed = alloc_zeroed(n);
    v->nbuckets = 64;
    while (v->nbuckets < (uint32_t)k->ninsts)
        v->nbuckets *= 2;
    v->buckets = alloc_zeroed(v->nbuckets * sizeof *v->buckets);
    find_congruences(v);
    for (int32_t r = 0; k->claims && r < k->nregs; r++)
        if (v->cong[r].known > 0 && v->def[r] != DEFINITIONS_NONE)
            claims_add(k->claims, &(struct ir_claim){.kind = CLAIM_CONGRUENT, .who = "target/values", .reg = r,
                                                     .congruent = {v->cong[r].known, v->cong[r].low}});
    return v;
}

void values_free(struct values *v)
{
    alloc_release(v->def);
    alloc_release(v->cong);
    alloc_release(v->sum);
    alloc_release(v->summed);
    alloc_release(v->exprs);
    alloc_release(v->buckets);
    alloc_release(v->shifted);
    alloc_release(v);
}
