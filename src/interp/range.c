/* Ranges of registers (see range.h): each is found when it is asked for, from its only definition's sources. */
#include "interp/range.h"

#include "base/alloc.h"
#include "interp/code.h"
#include "ir/facts.h"
#include "target/definitions.h"

#include <string.h>

enum { MOST_DEPTH = 200, NO_VARIABLE = -1, MOST_BYTES = 16 /* of a lane's access */ };

struct value {
    int64_t low, high;
    int32_t variable; /* it is an address in this one of the kernel's shared variables, or NO_VARIABLE */
};

struct ranges {
    const struct ir_kernel *k;
    struct range_launch launch;
    int32_t *only;      /* definitions_new */
    struct value *of;   /* [nregs] */
    uint8_t *state;     /* [nregs]: 0: not found yet, 1: in work, 2: found */
    int depth;
};

struct ranges *ranges_new(const struct ir_kernel *k, const struct range_launch *launch)
{
    struct ranges *r = alloc_zeroed(sizeof *r);
    r->k = k;
    r->launch = *launch;
    r->only = definitions_new(k);
    r->of = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *r->of);
    r->state = alloc_zeroed((size_t)k->nregs + 1);
    return r;
}

void ranges_free(struct ranges *r)
{
    alloc_release(r->only);
    alloc_release(r->of);
    alloc_release(r->state);
    alloc_release(r);
}

/* --- numbers --- */

static struct value any(int bits)
{
    int64_t low = bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)), high = bits >= 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    return (struct value){low, high, NO_VARIABLE};
}

/* Of a register of so many bits: what may wrap may be any. */
static struct value between(__int128 low, __int128 high, int bits)
{
    struct value all = any(bits);
    return low < all.low || high > all.high ? all : (struct value){(int64_t)low, (int64_t)high, NO_VARIABLE};
}

static struct value number(uint64_t bits, int width)
{
    int64_t v = ir_signed(bits, width);
    return (struct value){v, v, NO_VARIABLE};
}

/* As an instruction of that type reads it. */
static struct value read_as(struct value v, const struct ptx_type_info *t)
{
    if (t->bits >= 64)
        return v;
    int64_t high = t->kind == 'S' ? (INT64_C(1) << (t->bits - 1)) - 1 : (INT64_C(1) << t->bits) - 1;
    int64_t low = t->kind == 'S' ? -high - 1 : 0;
    return v.low >= low && v.high <= high ? v : (struct value){low, high, NO_VARIABLE};
}

static struct value sum(struct value a, struct value b, int bits)
{
    struct value v = between((__int128)a.low + b.low, (__int128)a.high + b.high, bits);
    if ((a.variable == NO_VARIABLE) != (b.variable == NO_VARIABLE))
        v.variable = a.variable == NO_VARIABLE ? b.variable : a.variable;
    return v;
}

static struct value difference(struct value a, struct value b, int bits)
{
    struct value v = between((__int128)a.low - b.high, (__int128)a.high - b.low, bits);
    v.variable = b.variable == NO_VARIABLE ? a.variable : NO_VARIABLE;
    return v;
}

static struct value product(struct value a, struct value b, int bits)
{
    __int128 p[] = {(__int128)a.low * b.low, (__int128)a.low * b.high, (__int128)a.high * b.low, (__int128)a.high * b.high};
    __int128 low = p[0], high = p[0];
    for (int i = 1; i < 4; i++) {
        low = p[i] < low ? p[i] : low;
        high = p[i] > high ? p[i] : high;
    }
    return between(low, high, bits);
}

static int64_t ones_above(int64_t v)
{
    return v ? (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)v)) : 0;
}

static struct value bitwise(const struct ir_inst *in, struct value a, struct value b, int bits)
{
    bool below = a.low >= 0, other = b.low >= 0;
    if (ir_is(in, PTX_KIND_AND) && (below || other))
        return between(0, below && (!other || a.high < b.high) ? a.high : b.high, bits);
    if (ir_is(in, PTX_KIND_AND) || !below || !other)
        return any(bits);
    return between(ir_is(in, PTX_KIND_XOR) ? 0 : a.low > b.low ? a.low : b.low, ones_above(a.high | b.high), bits);
}

static struct value shifted(const struct ir_inst *in, struct value a, struct value by, int bits)
{
    if (by.low != by.high || by.low < 0 || by.low >= bits)
        return any(bits);
    return ir_is(in, PTX_KIND_SHL) ? between((__int128)a.low * ((__int128)1 << by.low), (__int128)a.high * ((__int128)1 << by.low), bits)
                                : between(a.low >> by.low, a.high >> by.low, bits);
}

static struct value quotient(const struct ir_inst *in, struct value a, struct value b, int bits)
{
    if (a.low < 0 || b.low <= 0)
        return any(bits);
    return ir_is(in, PTX_KIND_DIV) ? between(a.low / b.high, a.high / b.low, bits) : between(0, a.high < b.high ? a.high : b.high - 1, bits);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* --- where values begin --- */

enum { MOST_THREADS = 1024, MOST_BLOCKS = INT32_MAX };

static struct value index_below(const uint32_t *size, int axis, int64_t most)
{
    return (struct value){0, (size ? size[axis] : most) - 1, NO_VARIABLE};
}

static struct value size_along(const uint32_t *size, int axis, int64_t most)
{
    return (struct value){size ? size[axis] : 1, size ? size[axis] : most, NO_VARIABLE};
}

static struct value of_special(const struct ranges *r, uint32_t sreg)
{
    const uint32_t *dim = r->launch.dim, *grid = r->launch.grid;
    switch (sreg) {
    case PTX_SREG_TID_X: case PTX_SREG_TID_Y: case PTX_SREG_TID_Z:
        return index_below(dim, (int)(sreg - PTX_SREG_TID_X), MOST_THREADS);
    case PTX_SREG_NTID_X: case PTX_SREG_NTID_Y: case PTX_SREG_NTID_Z:
        return size_along(dim, (int)(sreg - PTX_SREG_NTID_X), MOST_THREADS);
    case PTX_SREG_CTAID_X: case PTX_SREG_CTAID_Y: case PTX_SREG_CTAID_Z:
        return index_below(grid, (int)(sreg - PTX_SREG_CTAID_X), MOST_BLOCKS);
    case PTX_SREG_NCTAID_X: case PTX_SREG_NCTAID_Y: case PTX_SREG_NCTAID_Z:
        return size_along(grid, (int)(sreg - PTX_SREG_NCTAID_X), MOST_BLOCKS);
    case PTX_SREG_LANEID:
        return (struct value){0, WARP_LANES - 1, NO_VARIABLE};
    default:
        return any(64);
    }
}

static struct value of_param(const struct ranges *r, const struct ir_inst *in, int d)
{
    int bits = ptx_type_info[in->type].bits;
    uint64_t at = in->src[0].imm + (uint64_t)in->offset + (uint64_t)(bits / 8) * (uint64_t)d, v = 0;
    if (!r->launch.params || at + (uint64_t)(bits / 8) > r->k->param_bytes)
        return any(bits);
    memcpy(&v, r->launch.params + at, (size_t)bits / 8);
    return read_as(number(v, bits), &ptx_type_info[in->type]);
}

/* The shared variable that begins there: a constant that is moved into a register is taken for its address. */
static int32_t variable_at(const struct ir_kernel *k, uint64_t at)
{
    for (int32_t i = 0; i < k->nshared; i++)
        if (k->shared[i].at == at)
            return i;
    return NO_VARIABLE;
}

/* --- registers --- */

static struct value of_register(struct ranges *r, int32_t reg);

static struct value of_source(struct ranges *r, const struct ir_inst *in, int i)
{
    const struct ir_src *s = &in->src[i];
    if (s->kind == IR_SRC_REG)
        return of_register(r, s->reg);
    return s->kind == IR_SRC_SREG ? of_special(r, s->sreg) : number(s->imm, ptx_type_info[in->type].bits);
}

/* With sources as the instruction reads them. */
static struct value of_arithmetic(const struct ir_inst *in, struct value a, struct value b, struct value c, int bits)
{
    switch (ir_kind(in) & ~PTX_KIND_WIDE) {
    case PTX_KIND_CONVERT:
        return read_as(a, &ptx_type_info[in->type]);
    case PTX_KIND_ADDRESS:
        return sum(a, number((uint64_t)generic_window(in->mods->space) * (in->mods->to ? UINT64_MAX : 1), 64), bits);
    case PTX_KIND_ADD:
        return sum(a, b, bits);
    case PTX_KIND_SUB:
        return difference(a, b, bits);
    case PTX_KIND_MUL:
        return product(a, b, bits);
    case PTX_KIND_MAD:
        return sum(product(a, b, bits), c, bits);
    case PTX_KIND_AND: case PTX_KIND_OR: case PTX_KIND_XOR:
        return bitwise(in, a, b, bits);
    case PTX_KIND_SHL: case PTX_KIND_SHR:
        return shifted(in, a, b, bits);
    case PTX_KIND_DIV: case PTX_KIND_REM:
        return quotient(in, a, b, bits);
    case PTX_KIND_MIN:
        return between(least(a.low, b.low), least(a.high, b.high), bits);
    case PTX_KIND_MAX:
        return between(greatest(a.low, b.low), greatest(a.high, b.high), bits);
    case PTX_KIND_SELECT:
        return between(least(a.low, b.low), greatest(a.high, b.high), bits);
    default:
        return any(bits);
    }
}

/* It matters whether sources of 32 bits have a sign. Sums and the like give the same bits for -1 and for 2^32 - 1. */
static bool reads_sign(const struct ir_inst *in)
{
    switch (ir_kind(in)) {
    case PTX_KIND_ADD: case PTX_KIND_SUB: case PTX_KIND_MUL: case PTX_KIND_MAD: case PTX_KIND_SHL:
    case PTX_KIND_AND: case PTX_KIND_OR: case PTX_KIND_XOR: case PTX_KIND_SELECT: case PTX_KIND_ADDRESS:
        return false;
    default:
        return true;
    }
}

static struct value of_result(struct ranges *r, const struct ir_inst *in, int d)
{
    int bits = ptx_type_info[r->k->reg_type[in->dst[d]]].bits;
    if (ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM && in->src[0].kind == IR_SRC_IMM && ptx_is_integer(in->type))
        return of_param(r, in, d);
    if (!facts_pure(in) || in->ndst != 1 || !in->nsrc || in->nsrc > 3 || !ptx_is_integer(in->type) || !facts_plain(in))
        return any(bits);
    struct value v[3] = {any(64), any(64), any(64)};
    for (int i = 0; i < in->nsrc; i++)
        v[i] = of_source(r, in, i);
    if (ir_is(in, PTX_KIND_COPY)) {
        if (in->nsrc == 1 && in->src[0].kind == IR_SRC_IMM)
            v[0].variable = variable_at(r->k, in->src[0].imm);
        return in->nsrc == 1 ? v[0] : any(bits);
    }
    if (ir_is(in, PTX_KIND_CONVERT) && !ptx_is_integer(in->type2))
        return any(bits);
    bool wide = ir_is(in, PTX_KIND_MAD_WIDE); /* its addend has the result's type */
    for (int i = 0; i < (wide ? 2 : in->nsrc) && reads_sign(in); i++)
        v[i] = read_as(v[i], &ptx_type_info[ir_is(in, PTX_KIND_CONVERT) ? in->type2 : in->type]);
    return of_arithmetic(in, v[0], v[1], v[2], bits);
}

static struct value of_register(struct ranges *r, int32_t reg)
{
    int bits = ptx_type_info[r->k->reg_type[reg]].bits;
    if (r->state[reg] == 2)
        return r->of[reg];
    if (r->only[reg] < 0 || r->state[reg] == 1 || r->depth == MOST_DEPTH)
        return any(bits);
    const struct ir_inst *in = &r->k->insts[r->only[reg]];
    int d = 0;
    while (in->dst[d] != reg)
        d++;
    r->state[reg] = 1;
    r->depth++;
    struct value v = of_result(r, in, d), all = any(bits);
    if (v.low < all.low || v.high > all.high) {
        all.variable = v.variable;
        v = all;
    }
    r->depth--;
    r->of[reg] = v;
    r->state[reg] = 2;
    return v;
}

/* An address in a variable stays in it. `window`: where shared memory begins among the instruction's addresses. */
static void keep_inside(const struct ranges *r, struct value *v, int64_t window)
{
    const struct ir_shared *s = &r->k->shared[v->variable];
    int64_t end = s->at + (int64_t)s->var->size;
    if (s->var->unsized)
        end = r->launch.shared_bytes ? r->launch.shared_bytes : (int64_t)SPACE_WINDOW_BYTES;
    v->low = greatest(v->low, window + s->at);
    v->high = least(v->high, window + end - 1);
}

struct range ranges_touched(struct ranges *r, const struct ir_inst *in)
{
    bool shared = in->space == PTX_SHARED || ir_is(in, PTX_KIND_ASYNC);
    int64_t window = (int64_t)SPACE_SHARED_WINDOW, bytes = ptx_type_info[in->type].bits / 8 * in->vec;
    struct value v = in->src[0].kind == IR_SRC_REG ? of_register(r, in->src[0].reg) : number(in->src[0].imm, 64);
    v = sum(v, (struct value){in->offset, in->offset + (ir_is_memory(in) ? bytes : MOST_BYTES) - 1, NO_VARIABLE}, 64);
    if (v.variable != NO_VARIABLE)
        keep_inside(r, &v, shared ? 0 : window);
    if (!shared)
        return (struct range){v.low, v.high};
    return (struct range){window + greatest(v.low, 0), window + least(v.high, (int64_t)SPACE_WINDOW_BYTES - 1)};
}
