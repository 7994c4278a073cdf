/* Which registers are the same in several warps, and how many warps go together (see unroll_jam.h). */
#include "jit/unroll_jam.h"

#include "base/alloc.h"
#include "interp/code.h"
#include "ir/affine.h"
#include "ir/facts.h"
#include "ir/operands.h"

#include <string.h>

enum { MOST_SIZE = 800 }; /* some 0.3 s of compiling */

/* What a warp has more than the one before it. */
struct rise {
    enum { ANY, IS, DIFFERS } kind; /* ANY: nothing is known against it yet */
    int64_t by;                     /* IS */
};

struct unroll_jam_find {
    const struct ir_kernel *k;
    const struct shapes *s;
    const uint32_t *dim;
    enum unroll_jam_axis axis;
    int warps;
    struct rise *reg; /* [nregs] */
};

static struct rise is(int64_t by, int bits)
{
    return (struct rise){IS, ir_signed((uint64_t)by, bits)};
}

static struct rise differs(void)
{
    return (struct rise){DIFFERS, 0};
}

/* %tid, of the warps' first lanes in all groups that a block may have. */
static struct rise thread_step(const struct unroll_jam_find *f, int axis)
{
    uint32_t threads = f->dim[0] * f->dim[1] * f->dim[2], lanes = SHAPE_LANES * (uint32_t)f->warps;
    int64_t by = 0;
    for (uint32_t t = 0; t < threads; t += SHAPE_LANES) {
        uint32_t at[2] = {t / lanes * lanes, t};
        int64_t v[2];
        for (int i = 0; i < 2; i++)
            v[i] = axis == 0 ? at[i] % f->dim[0] : axis == 1 ? at[i] / f->dim[0] % f->dim[1] : at[i] / f->dim[0] / f->dim[1];
        if (t == SHAPE_LANES)
            by = v[1] - v[0];
        if (v[1] - v[0] != by * (int64_t)(t % lanes / SHAPE_LANES))
            return differs();
    }
    return is(by, 32);
}

static struct rise step_of_sreg(const struct unroll_jam_find *f, uint32_t sreg, const struct shape *shape)
{
    if (f->axis == UNROLL_JAM_ROW && (sreg <= PTX_SREG_TID_Z || sreg == PTX_SREG_WARPID))
        return is(0, 32);
    if (f->axis == UNROLL_JAM_ROW && sreg == PTX_SREG_CTAID_X)
        return is(1, 32);
    if (f->axis == UNROLL_JAM_ROW_WARPS && (sreg == PTX_SREG_CTAID_X || sreg == PTX_SREG_WARPID || (sreg <= PTX_SREG_TID_Z && !shape->known)))
        return differs();
    if (sreg <= PTX_SREG_TID_Z && shape->kind == SHAPE_AFFINE && !shape->known)
        return thread_step(f, (int)sreg);
    if (sreg == PTX_SREG_WARPID)
        return is(1, 32);
    return (sreg > PTX_SREG_TID_Z || shape->known) && !(facts_source(&(struct ir_src){.kind = IR_SRC_SREG, .sreg = sreg}) & FACT_STATE)
               ? is(0, 32) : differs();
}

static struct rise step_of_source(const struct unroll_jam_find *f, const struct ir_inst *in, int i)
{
    const struct ir_src *src = &in->src[i];
    struct shape shape;
    switch (src->kind) {
    case IR_SRC_REG:
        return f->reg[src->reg];
    case IR_SRC_SREG:
        shape = shape_of_source(f->k, f->s, f->dim, in, i);
        return step_of_sreg(f, src->sreg, &shape);
    default:
        return is(0, 64);
    }
}

/* Source i, of that shape and so many bits, is widened: the warps' values do not wrap, or that is looked at. */
static bool keeps_step(const struct unroll_jam_find *f, const struct ir_inst *in, int i, const struct shape *a, int bits)
{
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    bool sign = ptx_type_info[ir_is(in, PTX_KIND_CONVERT) ? in->type2 : in->type].kind == 'S';
    if (f->axis == UNROLL_JAM_ROW || bits != 32)
        return bits == 32;
    if (a->kind == SHAPE_AFFINE && a->bounded && a->high - a->low <= INT32_MAX && (sign || a->low >= 0))
        return true;
    return shape_guarded_source(f->k, f->s, f->dim, in, lo, hi) == i;
}

/* Of integers on which the lanes' bases go up by known steps. */
static struct rise step_of_sum(const struct unroll_jam_find *f, const struct ir_inst *in, const struct rise *a)
{
    const struct ptx_type_info *t = &ptx_type_info[f->k->reg_type[in->dst[0]]];
    struct shape shape[AFFINE_SOURCES];
    int64_t by[AFFINE_SOURCES], sum;
    struct affine of;
    if (f->s->reg[in->dst[0]].kind != SHAPE_AFFINE || in->guard != IR_NOREG || t->kind == 'F' || in->nsrc > AFFINE_SOURCES)
        return differs();
    for (int i = 0; i < in->nsrc; i++) {
        shape[i] = shape_of_source(f->k, f->s, f->dim, in, i);
        by[i] = a[i].by;
    }
    if (!affine_of(in, shape_number, shape, &of) || of.bits != t->bits || !affine_step(&of, by, &sum))
        return differs();
    for (int i = 0; i < of.n; i++)
        if (by[i] && of.of[i].bits < of.bits && !keeps_step(f, in, i, &shape[i], of.of[i].bits))
            return differs();
    return is(sum, of.bits);
}

/* Warps get the same from the same sources: it looks neither at what is each warp's own nor at what changes. */
static bool same_in_warps(const struct ir_inst *in)
{
    bool own_memory = facts_result(in) & FACT_MEMORY && facts_result(in) & FACT_LANE;
    return !(facts_result(in) & FACT_STATE) && !own_memory && !facts_carry(in);
}

static struct rise step_of_result(const struct unroll_jam_find *f, const struct ir_inst *in)
{
    bool same = in->guard == IR_NOREG || !f->reg[in->guard].by;
    bool any = in->guard != IR_NOREG && f->reg[in->guard].kind == ANY;
    struct rise a[STEP_SRC];
    if (in->nsrc > STEP_SRC || !same_in_warps(in) || (in->guard != IR_NOREG && f->reg[in->guard].kind == DIFFERS))
        return differs();
    for (int i = 0; i < in->nsrc; i++) {
        a[i] = step_of_source(f, in, i);
        if (a[i].kind == DIFFERS)
            return a[i];
        any |= a[i].kind == ANY;
        same &= !a[i].by;
    }
    if (any)
        return (struct rise){ANY, 0};
    return same ? is(0, 64) : in->dst[0] == IR_NOREG ? differs() : step_of_sum(f, in, a);
}

/* Nothing is known against any register but those that no instruction writes. */
static void begin(struct unroll_jam_find *f)
{
    for (int32_t r = 0; r < f->k->nregs; r++)
        f->reg[r] = differs();
    for (int32_t i = 0; i < f->k->ninsts; i++)
        for (int d = 0; d < f->k->insts[i].ndst; d++)
            if (f->k->insts[i].dst[d] != IR_NOREG)
                f->reg[f->k->insts[i].dst[d]].kind = ANY;
}

/* Of what is made of itself alone, never of a value that was set before, nothing is known. */
static bool give_up_unset(struct unroll_jam_find *f)
{
    bool some = false;
    for (int32_t r = 0; r < f->k->nregs; r++)
        if (f->reg[r].kind == ANY) {
            f->reg[r] = differs();
            some = true;
        }
    return some;
}

struct unroll_jam_steps *unroll_jam_find(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], enum unroll_jam_axis axis,
                                         int warps, const uint64_t *unknown)
{
    struct unroll_jam_steps *steps = alloc_zeroed(sizeof *steps);
    struct unroll_jam_find f = {k, s, dim, axis, warps, alloc_zeroed(((size_t)k->nregs + 1) * sizeof *f.reg)};
    begin(&f);
    for (int32_t r = 0; unknown && r < k->nregs; r++)
        if (ir_bit(unknown, r))
            f.reg[r] = differs();
    for (bool changed = true; changed || give_up_unset(&f);) {
        changed = false;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            struct rise r = in->ndst ? step_of_result(&f, in) : differs();
            for (int d = 0; d < in->ndst; d++) {
                struct rise *old = in->dst[d] == IR_NOREG ? NULL : &f.reg[in->dst[d]];
                if (!old || old->kind == DIFFERS || r.kind == ANY || (old->kind == r.kind && old->by == r.by))
                    continue;
                *old = old->kind == ANY ? r : differs();
                changed = true;
            }
        }
    }
    steps->known = alloc_zeroed(((size_t)k->nregs / 64 + 1) * 8);
    steps->by = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *steps->by);
    for (int32_t r = 0; r < k->nregs; r++)
        if (f.reg[r].kind != DIFFERS) {
            ir_bit_set(steps->known, r);
            steps->by[r] = f.reg[r].by;
        }
    alloc_release(f.reg);
    return steps;
}

void unroll_jam_steps_release(struct unroll_jam_steps *s)
{
    if (!s)
        return;
    alloc_release(s->known);
    alloc_release(s->by);
    alloc_release(s);
}

/* The most vectors of 32 bits a lane that are alive together in so many warps. */
static int most_alive(const struct ir_kernel *k, const struct shapes *s, const uint64_t *same, int warps)
{
    size_t words = (size_t)k->nregs / 64 + 1;
    uint64_t *live = alloc_zeroed(words * 8);
    int most = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        memcpy(live, k->blocks[b].live_out, ((size_t)k->nregs + 63) / 64 * 8);
        for (int32_t i = k->blocks[b].first + k->blocks[b].count - 1; i >= k->blocks[b].first; i--) {
            int n = 0;
            ir_live_before(&k->insts[i], live);
            for (int32_t r = 0; r < k->nregs; r++)
                if (ir_bit(live, r) && s->reg[r].kind == SHAPE_VARYING && k->reg_type[r] != PTX_PRED)
                    n += (ptx_type_info[k->reg_type[r]].bits > 32 ? 2 : 1) * (ir_bit(same, r) ? 1 : warps);
            most = n > most ? n : most;
        }
    }
    alloc_release(live);
    return most;
}

/* About how many instructions that is, in so many warps: an address of its own costs a bounds check, and a way out. */
static int64_t size(const struct ir_kernel *k, const struct unroll_jam_steps *steps, int warps)
{
    int64_t n = 0;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool own = false;
        for (int d = 0; d < in->ndst; d++)
            own |= in->dst[d] != IR_NOREG && !ir_bit(steps->known, in->dst[d]);
        bool checked = ir_is_memory(in) && in->src[0].kind == IR_SRC_REG && !ir_bit(steps->known, in->src[0].reg);
        n += checked ? 6 * warps : own || !in->ndst ? warps : 1;
    }
    return n;
}

int unroll_jam_room(const struct ir_kernel *k, const struct shapes *s, const struct unroll_jam_steps *steps, const char *level, int warps)
{
    bool wide = !strcmp(level, "x86-64-v4");
    int parts = wide ? 2 : 4, room = wide ? 32 : 24;
    if (!strcmp(level, "x86-64-v2"))
        return 1;
    for (int n = wide ? UNROLL_JAM_MOST : 2; n > 1; n /= 2)
        if (warps % n == 0 && (n <= 4 || n == warps) && parts * most_alive(k, s, steps->known, n) <= room && size(k, steps, n) <= MOST_SIZE)
            return n;
    return 1;
}
