/* Shapes of registers (see lane_shape.h). */
#include "jit/lane_shape.h"

#include "base/alloc.h"
#include "interp/code.h"
#include "ir/affine.h"
#include "ir/facts.h"
#include "ir/operands.h"

#include <string.h>

struct search {
    const struct ir_kernel *k;
    const uint32_t *dim;
    struct shapes *s;
    bool changed;
};

/* --- values --- */

static int bits_of(enum ptx_type t)
{
    return t == PTX_PRED ? 1 : ptx_type_info[t].bits;
}

static int zeros_of(uint64_t v)
{
    return v ? __builtin_ctzll(v) : 63;
}

static struct shape varying(void)
{
    return (struct shape){.kind = SHAPE_VARYING};
}

static struct shape uniform(void)
{
    return (struct shape){.kind = SHAPE_AFFINE};
}

/* One value for each of 2^halved groups, of which nothing is known. */
static struct shape flat(int halved)
{
    return (struct shape){.kind = SHAPE_AFFINE, .halved = (uint8_t)halved};
}

static struct shape constant(uint64_t v, int bits)
{
    v = ir_unsigned(v, bits);
    return (struct shape){.kind = SHAPE_AFFINE, .known = true, .base = v, .zeros = (uint8_t)zeros_of(v),
                          .bounded = true, .low = ir_signed(v, bits), .high = ir_signed(v, bits)};
}

static bool same_offsets(const struct shape *a, const struct shape *b)
{
    return !memcmp(a->offset, b->offset, sizeof a->offset);
}

/* The offsets of lanes [from, to). */
static void span(const struct shape *a, int from, int to, int64_t *least, int64_t *most)
{
    *least = *most = a->offset[from];
    for (int i = from; i < to; i++) {
        *least = a->offset[i] < *least ? a->offset[i] : *least;
        *most = a->offset[i] > *most ? a->offset[i] : *most;
    }
}

/* The base is in [low, high], unless a lane could wrap in so many bits. */
static void bound(struct shape *s, __int128 low, __int128 high, int bits)
{
    int64_t least, most, limit = bits >= 64 ? INT64_MAX >> 1 : (int64_t)(UINT64_C(1) << (bits - 1)) - 1;
    span(s, 0, SHAPE_LANES, &least, &most);
    s->bounded = low + (least < 0 ? least : 0) >= -(__int128)limit - 1 && high + (most > 0 ? most : 0) <= limit;
    s->low = s->bounded ? (int64_t)low : 0;
    s->high = s->bounded ? (int64_t)high : 0;
}

/* Every lane known. */
static struct shape from_lanes(const uint64_t *v, int bits)
{
    struct shape s = constant(v[0], bits);
    for (int i = 0; i < SHAPE_LANES; i++) {
        s.offset[i] = ir_signed(v[i] - v[0], bits);
        s.bounded &= (__int128)s.low + s.offset[i] == ir_signed(v[i], bits);
    }
    s.low = s.bounded ? s.low : 0;
    s.high = s.bounded ? s.high : 0;
    return s;
}

static uint64_t lane_value(const struct shape *s, int lane)
{
    return s->base + (uint64_t)s->offset[lane];
}

/* --- groups --- */

struct shape shape_in_groups(const struct shape *s, int halved, int bits)
{
    struct shape r = *s;
    if (s->kind != SHAPE_AFFINE || halved == s->halved)
        return r;
    int64_t least = 0, most = 0; /* of what goes into the bases */
    int zeros = s->known ? zeros_of(s->base) : s->zeros;
    for (int i = 0; i < SHAPE_LANES; i++) {
        int64_t first = s->offset[shape_first_lane(shape_group_of(i, halved), halved)];
        int z = zeros_of(s->known ? s->base + (uint64_t)first : (uint64_t)first);
        r.offset[i] = ir_signed((uint64_t)s->offset[i] - (uint64_t)first, bits);
        least = first < least ? first : least;
        most = first > most ? first : most;
        zeros = z < zeros ? z : zeros;
    }
    r.halved = (uint8_t)halved;
    r.known = false;
    r.base = 0;
    r.zeros = (uint8_t)zeros;
    r.low += s->bounded ? least : 0;
    r.high += s->bounded ? most : 0;
    return r;
}

int shape_flat(const struct shape *s, int halved)
{
    if (s->kind != SHAPE_AFFINE)
        return -1;
    for (int h = halved > s->halved ? halved : s->halved; h <= SHAPE_HALVED; h++) {
        bool same = true;
        for (int i = 0; i < SHAPE_LANES; i++)
            same &= s->offset[i] == s->offset[shape_first_lane(shape_group_of(i, h), h)];
        if (same)
            return h;
    }
    return -1;
}

/* The least number of groups, as `halved`, in which each of n operands has one value; or -1. */
static int all_flat(const struct shape *a, int n)
{
    int h = 0;
    for (int i = 0; i < n && h >= 0; i++)
        h = shape_flat(&a[i], h);
    return h;
}

/* One value in each of as many groups as that takes, or varying. */
static struct shape flattened(const struct shape *a, int bits)
{
    int h = shape_flat(a, 0);
    return h < 0 ? varying() : shape_in_groups(a, h, bits);
}

/* What may be either: the fewest groups in which both have the same offsets. False: there are none. */
static bool join(const struct shape *a, const struct shape *b, int bits, struct shape *out)
{
    for (int h = a->halved > b->halved ? a->halved : b->halved; h <= SHAPE_HALVED; h++) {
        struct shape x = shape_in_groups(a, h, bits), y = shape_in_groups(b, h, bits);
        if (!same_offsets(&x, &y))
            continue;
        *out = x;
        out->known = x.known && y.known && x.base == y.base;
        out->base = out->known ? x.base : 0;
        out->bounded = x.bounded && y.bounded && x.low == y.low && x.high == y.high; /* no growing by and by */
        out->low = out->bounded ? x.low : 0;
        out->high = out->bounded ? x.high : 0;
        out->zeros = x.zeros < y.zeros ? x.zeros : y.zeros;
        return true;
    }
    return false;
}

/* --- special registers --- */

static struct shape thread_index(const uint32_t *dim, int axis)
{
    /* a warp's threads are consecutive: they repeat the first warp's pattern if the rows divide a warp or fill it */
    uint32_t x = dim[0], xy = dim[0] * dim[1];
    struct shape s = uniform();
    bool one_row = dim[1] == 1 && dim[2] == 1;
    if (one_row || x % SHAPE_LANES == 0) { /* a warp lies in one row */
        bool first = axis == 0;
        for (int i = 0; i < SHAPE_LANES && first; i++)
            s.offset[i] = i;
        s.zeros = first ? 5 : 0;
        if (one_row && !first)
            return constant(0, 32);
        if (dim[axis] == 1)
            return constant(0, 32);
        if (first && x == SHAPE_LANES)
            s.known = true; /* every row is one warp */
        bound(&s, 0, first ? (int64_t)(dim[0] - 1) / SHAPE_LANES * SHAPE_LANES : dim[axis] - 1, 32);
        return s;
    }
    if (SHAPE_LANES % x || (dim[2] > 1 && xy % SHAPE_LANES))
        return varying();
    for (uint32_t i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = axis == 0 ? i % x : axis == 1 ? i / x : 0;
    if (axis == 0) {
        s.known = true;
        s.zeros = 63;
    }
    if (axis == 1)
        s.zeros = (uint8_t)__builtin_ctz(SHAPE_LANES / x);
    if (axis == 2 && dim[2] == 1)
        return constant(0, 32);
    bound(&s, 0, axis == 0 ? 0 : dim[axis] - 1, 32);
    return s;
}

static struct shape special(const uint32_t *dim, uint32_t sreg)
{
    uint64_t v[SHAPE_LANES];
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
        return thread_index(dim, (int)(sreg - PTX_SREG_TID_X));
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
        return constant(dim[sreg - PTX_SREG_NTID_X], 32);
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT:
        for (int i = 0; i < SHAPE_LANES; i++)
            v[i] = sreg_of_lane(sreg, i);
        return from_lanes(v, 32);
    case PTX_SREG_NWARPID:
        return constant(WARPS_OF_SM, 32);
    default:
        return uniform();
    }
}

struct shape shape_of_source(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3],
                             const struct ir_inst *in, int i)
{
    (void)k;
    const struct ir_src *src = &in->src[i];
    if (src->kind == IR_SRC_IMM)
        return constant(src->imm, bits_of(ir_src_type(in, i)));
    if (src->kind == IR_SRC_SREG)
        return special(dim, src->sreg);
    return s->reg[src->reg];
}

/* --- what an instruction does to shapes --- */

/* Both sides lane by lane, when everything is known. */
static bool fold(const struct ir_inst *in, const struct shape *a, const struct shape *b, int bits, struct shape *out)
{
    uint64_t v[SHAPE_LANES];
    if (!a->known || !b->known)
        return false;
    for (int i = 0; i < SHAPE_LANES; i++) {
        uint64_t x = ir_unsigned(lane_value(a, i), bits), y = ir_unsigned(lane_value(b, i), bits);
        switch (ir_kind(in)) {
        case PTX_KIND_ADD: v[i] = x + y; break;
        case PTX_KIND_SUB: v[i] = x - y; break;
        case PTX_KIND_MUL: v[i] = x * y; break;
        case PTX_KIND_AND: v[i] = x & y; break;
        case PTX_KIND_OR: v[i] = x | y; break;
        case PTX_KIND_XOR: v[i] = x ^ y; break;
        case PTX_KIND_SHL: v[i] = y < (uint64_t)bits ? x << y : 0; break;
        case PTX_KIND_SHR:
            if (y >= (uint64_t)bits)
                return false;
            v[i] = ptx_type_info[in->type].kind == 'S' ? (uint64_t)(ir_signed(x, bits) >> y) : x >> y;
            break;
        default: return false;
        }
    }
    *out = from_lanes(v, bits);
    return true;
}

bool shape_number(const void *shapes, const struct ir_inst *in, int i, uint64_t *bits)
{
    const struct shape *s = (const struct shape *)shapes + i;
    (void)in;
    *bits = s->base;
    return s->known && shape_uniform(s);
}

/* Sources added up, in 2^halved groups. Varying: one of a product of two has several values in a group. */
static struct shape sum_in(const struct affine *of, const struct shape *a, int halved)
{
    struct shape s = flat(halved), x[AFFINE_SOURCES];
    __int128 low = 0, high = 0;
    int zeros = 63;
    s.bounded = !of->product;
    for (int i = 0; i < of->n; i++) {
        __int128 times = ir_signed((uint64_t)of->of[i].times, of->bits);
        x[i] = shape_in_groups(&a[i], halved, of->bits);
        int z = x[i].zeros + zeros_of((uint64_t)times);
        zeros = z < zeros ? z : zeros;
        s.bounded &= x[i].bounded;
        low += times * (times < 0 ? x[i].high : x[i].low);
        high += times * (times < 0 ? x[i].low : x[i].high);
    }
    if (of->product && x[0].zeros + x[1].zeros < zeros)
        zeros = x[0].zeros + x[1].zeros;
    s.zeros = (uint8_t)zeros;
    for (int lane = 0; lane < SHAPE_LANES; lane++) {
        const int64_t by[] = {x[0].offset[lane], of->n > 1 ? x[1].offset[lane] : 0, of->n > 2 ? x[2].offset[lane] : 0};
        if (!affine_step(of, by, &s.offset[lane]))
            return varying();
    }
    if (s.bounded)
        bound(&s, low, high, of->bits);
    return s;
}

/* In as few groups as do. */
static struct shape sum(const struct ir_inst *in, const struct shape *a)
{
    struct shape s = varying();
    struct affine of;
    int halved = 0;
    if (!affine_of(in, shape_number, a, &of))
        return s;
    for (int i = 0; i < of.n; i++)
        halved = a[i].halved > halved ? a[i].halved : halved;
    for (; halved <= SHAPE_HALVED && s.kind == SHAPE_VARYING; halved++)
        s = sum_in(&of, a, halved);
    return s;
}

/* Offsets all inside the low bits that the base leaves 0: no carry between them. */
static bool disjoint(const struct shape *a)
{
    int64_t least, most;
    span(a, 0, SHAPE_LANES, &least, &most);
    return least >= 0 && (a->zeros >= 63 || !(most >> a->zeros));
}

static struct shape masked(const struct shape *a, uint64_t mask)
{
    struct shape s = flat(a->halved);
    if (!disjoint(a))
        return varying();
    s.zeros = a->zeros;
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = (int64_t)((uint64_t)a->offset[i] & mask);
    return s;
}

static struct shape shifted_right(const struct shape *a, uint64_t n, int bits)
{
    struct shape s = flat(a->halved);
    if (n >= (uint64_t)bits || !disjoint(a) || a->zeros < n)
        return varying();
    s.zeros = (uint8_t)(a->zeros >= 63 ? 63 : a->zeros - n);
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = a->offset[i] >> n;
    if (a->bounded && a->low >= 0)
        bound(&s, a->low >> n, a->high >> n, bits);
    return s;
}

/* A value of 32 bits in 64. Where every lane is known, each by itself; where the bounds say that no lane wraps, or could
 * not be told from one that does, so; else it is looked at at run time. */
static struct shape widened(const struct shape *a, bool is_signed)
{
    struct shape s = *a;
    int64_t least, most;
    if (a->kind != SHAPE_AFFINE)
        return s;
    if (a->known) {
        uint64_t v[SHAPE_LANES];
        for (int i = 0; i < SHAPE_LANES; i++)
            v[i] = is_signed ? (uint64_t)ir_signed(lane_value(a, i), 32) : ir_unsigned(lane_value(a, i), 32);
        return from_lanes(v, 64);
    }
    span(a, 0, SHAPE_LANES, &least, &most);
    s.zeros = a->zeros > 31 ? 31 : a->zeros;
    if (!is_signed && a->bounded && a->low + least < 0) {
        if (!shape_uniform(a))
            return varying();
        s.bounded = false;
    }
    return s;
}

/* The value in more or fewer bits. */
static struct shape resized(const struct shape *a, int from, int to, bool is_signed)
{
    if (to > from)
        return widened(a, is_signed);
    struct shape s = *a;
    for (int i = 0; i < SHAPE_LANES; i++)
        s.offset[i] = ir_signed((uint64_t)a->offset[i], to);
    if (to < from) {
        s.known = s.bounded = false;
        if (a->bounded)
            bound(&s, a->low, a->high, to);
    }
    return s;
}

static bool modified(const struct ir_inst *in)
{
    return in->mods->sat || facts_carry(in);
}

static struct shape window_moved(const struct ir_inst *in, const struct shape *a)
{
    struct shape s = *a;
    if (generic_window(in->mods->space)) {
        s.known = s.bounded = false;
        s.zeros = a->zeros < 12 ? a->zeros : 12;
    }
    return s;
}

/* What integers' offsets become; varying where more is not known than that equal operands give equal results. */
static struct shape affine(const struct ir_kernel *k, const struct ir_inst *in, struct shape *a, int bits)
{
    char kind = ptx_type_info[in->type].kind;
    struct shape s;
    uint64_t number;
    if (bits < 16 || kind == 'F' || kind == 'H')
        return varying();
    if (in->nsrc == 2 && fold(in, &a[0], &a[1], bits, &s))
        return s;
    switch (ir_kind(in)) {
    case PTX_KIND_SHR:
        return shape_number(a, in, 1, &number) ? shifted_right(&a[0], number, bits) : varying();
    case PTX_KIND_AND:
        if (shape_number(a, in, 1, &number))
            return masked(&a[0], number);
        return shape_number(a, in, 0, &number) ? masked(&a[1], number) : varying();
    case PTX_KIND_MUL_WIDE:
    case PTX_KIND_MAD_WIDE:
        for (int i = 0; i < 2; i++) {
            a[i] = widened(&a[i], kind == 'S');
            if (bits != 32 || a[i].kind == SHAPE_VARYING)
                return varying();
        }
        return sum(in, a);
    case PTX_KIND_CONVERT: {
        char to = ptx_type_info[in->type].kind, from = ptx_type_info[in->type2].kind;
        int tb = ptx_type_info[in->type].bits, fb = ptx_type_info[in->type2].bits;
        int db = bits_of(k->reg_type[in->dst[0]]);
        if ((to != 'U' && to != 'S') || (from != 'U' && from != 'S') || fb < 32 || tb < 32 || db != tb)
            return varying();
        return resized(&a[0], fb, tb, from == 'S');
    }
    case PTX_KIND_ADDRESS:
        return window_moved(in, &a[0]);
    case PTX_KIND_SELECT:
        return shape_uniform(&a[2]) && join(&a[0], &a[1], bits, &s) ? s : varying();
    default:
        return sum(in, a);
    }
}

/* Machine code has a scalar form of the instruction: of the others it makes a vector always. */
static bool in_one_form(const struct ir_inst *in)
{
    return in->op != PTX_OP_ISSPACEP && (!(facts_result(in) & FACT_MEMORY) || ir_is_memory(in)) &&
           (!(facts_result(in) & FACT_LANES) || in->op == PTX_OP_VOTE);
}

/* Every lane of the warp takes part in it, and says so. */
static bool of_all_lanes(const struct ir_inst *in)
{
    const struct ir_src *members = &in->src[in->nsrc - 1];
    return in->mods->sync && members->kind == IR_SRC_IMM && (uint32_t)members->imm == UINT32_MAX;
}

static struct shape result(const struct search *q, const struct ir_inst *in)
{
    struct shape a[STEP_SRC];
    bool none = false;
    if (in->nsrc > STEP_SRC) /* a product of matrices */
        return varying();
    for (int i = 0; i < in->nsrc; i++) {
        a[i] = shape_of_source(q->k, q->s, q->dim, in, i);
        if (a[i].kind == SHAPE_NONE)
            none = true;
    }
    if (none)
        return (struct shape){.kind = SHAPE_NONE};
    bool some_varying = false;
    for (int i = 0; i < in->nsrc; i++)
        some_varying |= a[i].kind == SHAPE_VARYING;
    int bits = in->type == PTX_NOTYPE ? 0 : bits_of(in->type);
    if (ir_is_own(in) || !in_one_form(in))
        return varying();
    if (facts_result(in) & (FACT_LANE | FACT_STATE))
        return varying();
    if (facts_result(in) & FACT_LANES)
        return of_all_lanes(in) ? uniform() : varying();
    if (facts_result(in) & FACT_MEMORY)
        return shape_flat(&a[0], 0) >= 0 ? flat(shape_flat(&a[0], 0)) : varying();
    if (some_varying || modified(in))
        return varying();
    if (ir_is_copy(in)) {
        if (facts_source(&in->src[0]) & FACT_STATE)
            return varying();
        return a[0];
    }
    int h = all_flat(a, in->nsrc);
    struct shape s = affine(q->k, in, a, bits);
    return s.kind == SHAPE_VARYING && h >= 0 ? flat(h) : s;
}

struct shape shape_of_result(const struct ir_kernel *k, struct shapes *s, const uint32_t dim[3], const struct ir_inst *in)
{
    struct search q = {.k = k, .dim = dim, .s = s};
    return result(&q, in);
}

int shape_guarded_source(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], const struct ir_inst *in,
                         int64_t lo[SHAPE_GROUPS], int64_t hi[SHAPE_GROUPS])
{
    int narrow = -1;
    if (!in->ndst || in->dst[0] == IR_NOREG || s->reg[in->dst[0]].kind != SHAPE_AFFINE)
        return -1;
    int halved = s->reg[in->dst[0]].halved;
    if (ir_is(in, PTX_KIND_CONVERT) && ptx_type_info[in->type].bits > ptx_type_info[in->type2].bits)
        narrow = 0;
    if (ir_is(in, PTX_KIND_MUL_WIDE) || ir_is(in, PTX_KIND_MAD_WIDE)) {
        struct shape b = shape_of_source(k, s, dim, in, 1);
        narrow = shape_flat(&b, halved) == halved ? 0 : 1;
    }
    if (narrow < 0)
        return -1;
    struct shape a = shape_of_source(k, s, dim, in, narrow);
    if (a.kind != SHAPE_AFFINE || a.known || a.bounded || shape_flat(&a, halved) == halved)
        return -1;
    a = shape_in_groups(&a, halved, 32);
    for (int g = 0; g < 1 << halved; g++)
        span(&a, shape_first_lane(g, halved), shape_first_lane(g + 1, halved), &lo[g], &hi[g]);
    return narrow;
}

bool shape_reach(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], const struct ir_inst *in,
                 struct shape_reach *r)
{
    struct shape a = shape_of_source(k, s, dim, in, 0);
    bool wide = in->src[0].kind != IR_SRC_REG || bits_of(k->reg_type[in->src[0].reg]) == 64;
    int64_t unit = (int64_t)bits_of(in->type) / 8 * in->vec;
    if (a.kind != SHAPE_AFFINE || in->src[0].kind == IR_SRC_SREG || (in->space != PTX_SHARED && !wide))
        return false;
    r->halved = a.halved;
    for (int g = 0; g < shape_groups(&a); g++) {
        int first = shape_first_lane(g, a.halved), end = shape_first_lane(g + 1, a.halved);
        int64_t lo, hi;
        span(&a, first, end, &lo, &hi);
        if ((uint64_t)hi - (uint64_t)lo > 1u << 20)
            return false; /* and nothing above can have wrapped */
        for (int i = first; i < end; i++) {
            r->above[i] = a.offset[i] - lo;
            if (r->above[i] % unit)
                return false; /* some lane is misaligned, whatever the base */
        }
        r->span[g] = (uint64_t)(hi - lo + unit);
        r->lowest[g] = in->offset + lo + (in->src[0].kind == IR_SRC_IMM ? (int64_t)in->src[0].imm : 0);
    }
    return true;
}

/* --- meeting --- */

static void meet(struct search *q, int32_t reg, const struct shape *s)
{
    struct shape *r = &q->s->reg[reg], old = *r;
    if (s->kind == SHAPE_NONE || r->kind == SHAPE_VARYING)
        return;
    if (r->kind == SHAPE_NONE)
        *r = *s;
    else if (s->kind == SHAPE_VARYING || !join(&old, s, bits_of(q->k->reg_type[reg]), r))
        *r = varying();
    q->changed |= memcmp(&old, r, sizeof old) != 0;
}

static void strike(struct search *q, int32_t reg)
{
    struct shape v = varying();
    if (q->s->reg[reg].kind == SHAPE_AFFINE)
        meet(q, reg, &v);
}

/* Blocks that are reached from `from` without passing `stop` or `other`. */
static void reach(const struct ir_kernel *k, int32_t from, int32_t stop, int32_t other, uint64_t *seen, int32_t *stack)
{
    int n = 0;
    if (from < 0 || from == stop || from == other || ir_bit(seen, from))
        return;
    ir_bit_set(seen, from);
    stack[n++] = from;
    while (n) {
        const struct ir_block *b = &k->blocks[stack[--n]];
        for (int32_t i = 0; i < b->nsucc; i++) {
            int32_t to = b->succ[i];
            if (to < 0 || to == stop || to == other || ir_bit(seen, to))
                continue;
            ir_bit_set(seen, to);
            stack[n++] = to;
        }
    }
}

/* Where lanes that wait for each other may meet other than at a join. */
static bool rendezvous(const struct ir_inst *in)
{
    return facts_syncs(in) & (FACT_LANES_SYNC | FACT_BLOCK);
}

static void strike_live(struct search *q, const uint64_t *blocks, const uint64_t *live)
{
    for (int32_t i = 0; i < q->k->ninsts; i++) {
        const struct ir_inst *in = &q->k->insts[i];
        if (!ir_bit(blocks, in->block))
            continue;
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG && ir_bit(live, in->dst[d]))
                strike(q, in->dst[d]);
    }
}

/* What lanes define on the ways from a branch until one of two blocks: `some` are the blocks on any way, `both` those
 * that ways on both sides lead through. */
struct ways {
    uint64_t *some, *both;
};

static struct ways find_ways(const struct ir_kernel *k, const struct ir_block *b, int32_t stop, int32_t other)
{
    size_t words = (size_t)k->nblocks / 64 + 1;
    struct ways w = {alloc_zeroed(words * 8), alloc_zeroed(words * 8)};
    uint64_t *one = alloc_zeroed(words * 8);
    int32_t *stack = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *stack);
    for (int32_t i = 0; i < b->nsucc; i++) {
        memset(one, 0, words * 8);
        reach(k, b->succ[i], stop, other, one, stack);
        for (size_t j = 0; j < words; j++) {
            w.both[j] |= w.some[j] & one[j];
            w.some[j] |= one[j];
        }
    }
    alloc_release(one);
    alloc_release(stack);
    return w;
}

static void release_ways(struct ways *w)
{
    alloc_release(w->some);
    alloc_release(w->both);
}

static void add_live(const struct ir_kernel *k, int32_t block, uint64_t *live, size_t words)
{
    for (size_t w = 0; block >= 0 && w < words; w++)
        live[w] |= k->blocks[block].live_in[w];
}

/* A branch that may part lanes: what they define before they meet differs from lane to lane where they meet. That is
 * the branch's join, its reconvergence point (ir/reconvergence.c), a rendezvous, or a place where lanes of a branch
 * further out are waited for, which both of its ways come to first. */
static void part(struct search *q, int32_t site)
{
    const struct ir_kernel *k = q->k;
    const struct ir_inst *in = &k->insts[site];
    const struct ir_block *b = &k->blocks[in->block];
    int32_t join = in->joined ? in->join : -1, meeting = in->reconvergence ? in->reconvergence->block : -1;
    struct ways all = find_ways(k, b, join, -1), first = find_ways(k, b, join, meeting);
    size_t words = ((size_t)k->nregs + 63) / 64;
    uint64_t *late = alloc_zeroed(words * 8 + 8), *early = alloc_zeroed(words * 8 + 8); /* alive where they meet */
    add_live(k, join, late, words);
    add_live(k, meeting, early, words);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *other = &k->insts[i];
        if (rendezvous(other) && ir_bit(all.both, other->block)) {
            add_live(k, other->block, late, words);
            for (size_t w = 0; w < words; w++)
                late[w] |= k->blocks[other->block].live_out[w];
        }
        if (other->joined && ir_bit(first.both, other->join))
            add_live(k, other->join, early, words);
        if (other->reconvergence && ir_bit(first.both, other->reconvergence->block))
            add_live(k, other->reconvergence->block, early, words);
    }
    strike_live(q, all.some, late);
    strike_live(q, first.some, early);
    alloc_release(late);
    alloc_release(early);
    release_ways(&all);
    release_ways(&first);
}

static bool parts(const struct search *q, const struct ir_inst *in)
{
    if (ir_is(in, PTX_KIND_SWITCH))
        return true;
    if ((!ir_is(in, PTX_KIND_BRANCH) && !ir_is_end(in)) || in->guard == IR_NOREG)
        return false;
    return q->s->reg[in->guard].kind == SHAPE_VARYING;
}

static void pass(struct search *q)
{
    const struct ir_kernel *k = q->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        struct shape s = result(q, in);
        if (in->guard != IR_NOREG && s.kind != SHAPE_NONE && q->s->reg[in->guard].kind == SHAPE_VARYING)
            s = varying();
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG) {
                struct shape own = s;
                enum ptx_type t = k->reg_type[in->dst[d]];
                if (own.kind == SHAPE_AFFINE && in->ndst > 1)
                    own = shape_flat(&own, 0) < 0 ? varying() : flat(shape_flat(&own, 0));
                if (own.kind == SHAPE_AFFINE && ptx_type_info[t].kind == 'F')
                    own = flattened(&own, bits_of(t)); /* to a floating register nothing is added */
                if (own.kind == SHAPE_AFFINE && t == PTX_PRED && !shape_uniform(&own))
                    own = varying();
                meet(q, in->dst[d], &own);
            }
        if (parts(q, in) && !ir_is_end(in) && !ir_bit(q->s->parting, i)) {
            ir_bit_set(q->s->parting, i);
            q->changed = true;
        }
    }
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_bit(q->s->parting, i))
            part(q, i);
}

static bool is_lazy(const struct shapes *s, const struct ir_src *src)
{
    return src->kind == IR_SRC_REG && s->lazy[src->reg];
}

/* Strikes f32 registers that something else than arithmetic writes, or moves of those that are left. */
static bool strike_lazy(const struct ir_kernel *k, struct shapes *s)
{
    bool changed = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool arithmetic = ir_kind(in) & PTX_KIND_FLOAT || ir_class(in) == PTX_CLASS_MUFU ||
                          (ir_class(in) == PTX_CLASS_SHUFFLE && is_lazy(s, &in->src[0]));
        switch (ir_kind(in)) {
        case PTX_KIND_COPY: /* of a number, too */
            arithmetic = in->nsrc == 1 && in->ndst == 1 &&
                         (is_lazy(s, &in->src[0]) || (in->src[0].kind == IR_SRC_IMM && (in->src[0].imm & 0x7fffffff) <= 0x7f800000));
            break;
        case PTX_KIND_CONVERT:
            arithmetic = ptx_type_info[in->type2].kind == 'U' || ptx_type_info[in->type2].kind == 'S';
            break;
        default:
            break;
        }
        for (int d = 0; d < in->ndst && !arithmetic; d++)
            if (in->dst[d] != IR_NOREG && s->lazy[in->dst[d]]) {
                s->lazy[in->dst[d]] = 0;
                changed = true;
            }
    }
    return changed;
}

/* f32 registers that only arithmetic writes: the GPU's NaN need only be made where somebody looks. */
static void find_lazy(const struct ir_kernel *k, struct shapes *s)
{
    for (int32_t r = 0; r < k->nregs; r++)
        s->lazy[r] = k->reg_type[r] == PTX_F32;
    while (strike_lazy(k, s))
        ;
}

/* Nothing is known to differ yet, but in registers that no instruction writes: a word of which only one half was set has that
 * half's lanes. */
static void begin(struct search *q)
{
    for (int32_t r = 0; r < q->k->nregs; r++)
        q->s->reg[r] = varying();
    for (int32_t i = 0; i < q->k->ninsts; i++)
        for (int d = 0; d < q->k->insts[i].ndst; d++)
            if (q->k->insts[i].dst[d] != IR_NOREG)
                q->s->reg[q->k->insts[i].dst[d]] = (struct shape){.kind = SHAPE_NONE};
}

/* A value that is made of itself alone, never of one that was set before: nobody knows what it is. */
static bool give_up_unset(struct search *q)
{
    bool some = false;
    for (int32_t r = 0; r < q->k->nregs; r++)
        if (q->s->reg[r].kind == SHAPE_NONE) {
            q->s->reg[r] = varying();
            some = true;
        }
    return some;
}

struct shapes *shapes_find(const struct ir_kernel *k, const uint32_t dim[3])
{
    struct shapes *s = alloc_zeroed(sizeof *s);
    struct search q = {.k = k, .dim = dim, .s = s};
    s->reg = alloc_zeroed(sizeof *s->reg * ((size_t)k->nregs + 1));
    s->lazy = alloc_zeroed((size_t)k->nregs + 1);
    s->parting = alloc_zeroed(((size_t)k->ninsts / 64 + 1) * 8);
    begin(&q);
    do {
        q.changed = false;
        pass(&q);
    } while (q.changed || give_up_unset(&q));
    find_lazy(k, s);
    return s;
}

void shapes_release(struct shapes *s)
{
    if (!s)
        return;
    alloc_release(s->reg);
    alloc_release(s->lazy);
    alloc_release(s->parting);
    alloc_release(s);
}
