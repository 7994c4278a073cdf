/* See order.h.
 *
 * Two fixpoints over registers, whatever the order of instructions: which pointers a value may be made of (kernel parameters of 64 bits and
 * addresses in the code, a bit each), and whether it may hang on what an access found that another block may have changed. */
#include "clock/order.h"

#include <string.h>

#include "base/alloc.h"
#include "ir/facts.h"
#include "space/space.h"

enum { POINTERS = 63, NUMBER_BITS = 40 };
#define ANYWHERE (UINT64_C(1) << POINTERS) /* nobody knows what the pointer is into */

struct order {
    const struct launch *l;
    const struct ir_kernel *k;
    uint64_t pointer[POINTERS]; /* values */
    uint64_t same[POINTERS];    /* bits of pointers into the same allocation */
    int npointers;
    uint64_t *made_of;          /* [nregs] */
    bool *hangs;                /* [nregs] */
    uint64_t written;           /* pointers through which the kernel writes */
    bool shared, local, carry;  /* hang: what is in shared or local memory, the carry flag */
    bool more;                  /* something was found out in this round */
};

/* Atomics of which what is left in memory does not tell in what order they were done, if nobody asked meanwhile. */
static bool commutes(const struct ir_inst *in)
{
    switch ((enum ptx_atomic)in->mods->atomic) {
    case PTX_ATOMIC_AND:
    case PTX_ATOMIC_OR:
    case PTX_ATOMIC_XOR:
        return true;
    case PTX_ATOMIC_ADD:
    case PTX_ATOMIC_MIN:
    case PTX_ATOMIC_MAX:
        return TYPES_INT >> in->type & 1;
    default:
        return false;
    }
}

static bool is_atomic(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_ATOMIC) || ir_is(in, PTX_KIND_REDUCE);
}

/* --- what a pointer is into --- */

static uint64_t pointer_bit(struct order *o, uint64_t value)
{
    if (!space_is_device_address(value))
        return 0; /* a number */
    for (int i = 0; i < o->npointers; i++)
        if (o->pointer[i] == value)
            return UINT64_C(1) << i;
    if (o->npointers == POINTERS)
        return ANYWHERE;
    o->pointer[o->npointers] = value;
    return UINT64_C(1) << o->npointers++;
}

static void find_same(struct order *o)
{
    uint64_t first[POINTERS];
    for (int i = 0; i < o->npointers; i++) {
        struct space_allocation a;
        const struct space *s = space_reach(o->l->space, o->pointer[i]);
        first[i] = s && space_find(s, o->pointer[i], &a) ? a.address : 0;
        o->same[i] = UINT64_C(1) << i | (first[i] ? 0 : ANYWHERE);
        for (int k = 0; k < i; k++)
            if (first[k] == first[i]) {
                o->same[i] |= UINT64_C(1) << k;
                o->same[k] |= UINT64_C(1) << i;
            }
    }
}

/* May an access through the one be of the same memory as one through the other? */
static bool overlap(const struct order *o, uint64_t a, uint64_t b)
{
    uint64_t reached = a;
    for (uint64_t left = a & ~ANYWHERE; left; left &= left - 1)
        reached |= o->same[__builtin_ctzll(left)];
    return a && b && (reached & b || (reached | b) & ANYWHERE);
}

/* The parameter of 64 bits at `offset`, as a pointer. */
static uint64_t of_param(struct order *o, uint64_t offset)
{
    uint64_t value;
    if (offset + sizeof value > o->k->param_bytes)
        return ANYWHERE;
    memcpy(&value, o->l->params + offset, sizeof value);
    return !space_is_device_address(value) && value >> NUMBER_BITS ? ANYWHERE : pointer_bit(o, value); /* the host's memory */
}

static uint64_t of_source(struct order *o, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG ? o->made_of[s->reg] : s->kind == IR_SRC_IMM ? pointer_bit(o, s->imm) : 0;
}

static uint64_t of_result(struct order *o, const struct ir_inst *in, int d)
{
    const bool wide = ptx_type_info[o->k->reg_type[in->dst[d]]].bits >= 64;
    uint64_t all = 0;
    if (ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM && in->src[0].kind == IR_SRC_IMM)
        return wide ? of_param(o, in->src[0].imm + (uint64_t)in->offset + 8 * (uint64_t)d) : 0;
    if (!facts_pure(in) || (ir_is(in, PTX_KIND_COPY) && in->nsrc > 1)) /* from memory, another lane, two halves ... */
        return wide ? ANYWHERE : 0;
    for (int i = 0; i < in->nsrc; i++)
        all |= of_source(o, &in->src[i]);
    return all;
}

static void find_pointers(struct order *o)
{
    do {
        o->more = false;
        for (int32_t i = 0; i < o->k->ninsts; i++)
            for (int d = 0; d < o->k->insts[i].ndst; d++) {
                const int32_t reg = o->k->insts[i].dst[d];
                if (reg == IR_NOREG)
                    continue;
                const uint64_t now = o->made_of[reg] | of_result(o, &o->k->insts[i], d);
                o->more |= now != o->made_of[reg];
                o->made_of[reg] = now;
            }
    } while (o->more);
}

/* Through which pointers an access of global memory goes. */
static uint64_t accessed(struct order *o, const struct ir_inst *in)
{
    const int at = ir_is(in, PTX_KIND_ASYNC) ? 1 : 0;
    const bool plain = ir_is_memory(in) || ir_is(in, PTX_KIND_ASYNC) || ir_is(in, PTX_KIND_MATRIX_LOAD) || ir_is(in, PTX_KIND_MATRIX_STORE);
    uint64_t all = plain && at < in->nsrc ? of_source(o, &in->src[at]) : 0;
    if (plain && at < in->nsrc && in->src[at].kind == IR_SRC_IMM)
        all = pointer_bit(o, in->src[at].imm + (uint64_t)(at ? in->offset2 : in->offset));
    return all ? all : ANYWHERE;
}

/* --- what hangs on it --- */

static bool source_hangs(const struct order *o, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && o->hangs[s->reg];
}

static bool any_hangs(const struct order *o, const struct ir_inst *in)
{
    for (int i = 0; i < in->nsrc; i++)
        if (source_hangs(o, &in->src[i]))
            return true;
    return false;
}

/* Which way the kernel goes hangs on it, or where it accesses memory, or how long a function of the library takes. */
static bool decides(const struct order *o, const struct ir_inst *in)
{
    if (in->guard != IR_NOREG && o->hangs[in->guard])
        return true;
    if (ir_is_memory(in) || ir_is(in, PTX_KIND_MATRIX_LOAD) || ir_is(in, PTX_KIND_MATRIX_STORE))
        return in->nsrc && source_hangs(o, &in->src[0]);
    const bool computes = facts_pure(in) && in->op != IR_OP_TRIPS && in->op != IR_OP_LONG_WAY;
    const bool exchanges = facts_result(in) && !facts_reads(in) && !facts_writes(in); /* values with other lanes */
    return !computes && !exchanges && any_hangs(o, in);
}

/* The instruction's results hang on it. */
static bool results_hang(struct order *o, const struct ir_inst *in)
{
    const unsigned reads = facts_reads(in);
    return any_hangs(o, in) || (reads & FACT_GLOBAL && o->written && overlap(o, accessed(o, in), o->written)) ||
           (reads & FACT_SHARED && o->shared) || (reads & FACT_LOCAL && o->local) || (facts_carry(in) & FACT_CARRY_IN && o->carry);
}

static void set(struct order *o, bool *what)
{
    o->more |= !*what;
    *what = true;
}

/* False: it decides something. */
static bool follow(struct order *o)
{
    do {
        o->more = false;
        for (int32_t i = 0; i < o->k->ninsts; i++) {
            const struct ir_inst *in = &o->k->insts[i];
            if (decides(o, in))
                return false;
            if (!results_hang(o, in))
                continue;
            for (int d = 0; d < in->ndst; d++)
                if (in->dst[d] != IR_NOREG)
                    set(o, &o->hangs[in->dst[d]]);
            if (facts_writes(in) & FACT_SHARED)
                set(o, &o->shared);
            if (facts_writes(in) & FACT_LOCAL)
                set(o, &o->local);
            if (facts_carry(in) & FACT_CARRY_OUT)
                set(o, &o->carry);
        }
    } while (o->more);
    return true;
}

/* Does what the kernel may write while others read it decide anything? */
static bool races(const struct launch *l)
{
    struct order o = {.l = l, .k = l->kernel};
    o.made_of = alloc_zeroed(((size_t)o.k->nregs + 1) * sizeof *o.made_of);
    o.hangs = alloc_zeroed(((size_t)o.k->nregs + 1) * sizeof *o.hangs);
    find_pointers(&o);
    for (int32_t i = 0; i < o.k->ninsts; i++)
        if (facts_writes(&o.k->insts[i]) & FACT_GLOBAL)
            o.written |= accessed(&o, &o.k->insts[i]);
    for (int32_t i = 0; i < o.k->ninsts; i++)
        if (facts_reads(&o.k->insts[i]) & FACT_GLOBAL)
            accessed(&o, &o.k->insts[i]); /* all pointers are known now */
    find_same(&o);
    const bool decided = o.written && !follow(&o);
    alloc_release(o.made_of);
    alloc_release(o.hangs);
    return decided;
}

bool order_shows(const struct launch *l)
{
    const struct ir_kernel *k = l->kernel;
    if (l->cooperative || l->heap || l->children || l->verify || k->order_matters || k->has_waiting_loop)
        return true;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (is_atomic(&k->insts[i]) && facts_writes(&k->insts[i]) & FACT_GLOBAL && !commutes(&k->insts[i]))
            return true;
    return races(l);
}
