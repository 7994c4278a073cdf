/* Several warps at once: each instruction is made for one warp after the other, with what struct emit keeps of a warp put aside for
 * each. What is the same in all of them (jit/unroll_jam.h) is made for the first and taken over by the others. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"

static void put_aside(const struct emit *e, struct warp_values *v)
{
    *v = (struct warp_values){.regs = e->regs, .now = e->now, .have = e->have};
}

static void take_up(struct emit *e, const struct warp_values *v)
{
    e->regs = v->regs;
    e->now = v->now;
    e->have = v->have;
}

static void turn_to(struct emit *e, int warp)
{
    if (warp == e->warp)
        return;
    put_aside(e, &e->of_warp[e->warp]);
    take_up(e, &e->of_warp[warp]);
    e->warp = warp;
}

int unroll_jam_first(struct emit *e)
{
    turn_to(e, 0);
    return 0;
}

int unroll_jam_next(struct emit *e, int w)
{
    turn_to(e, w + 1 < e->job->unrolled ? w + 1 : 0);
    return w + 1;
}

bool unroll_jam_shared(const struct emit *e, int32_t reg)
{
    return e->warp > 0 && ir_bit(e->job->steps->known, reg);
}

int64_t unroll_jam_step(const struct emit *e, int32_t reg)
{
    return e->of_warp && ir_bit(e->job->steps->known, reg) ? e->job->steps->by[reg] : 0;
}

struct value unroll_jam_stepped(struct emit *e, int32_t reg, struct value v)
{
    int64_t by = unroll_jam_step(e, reg) * e->warp;
    for (int i = 0; i < var_parts(e, reg) && by; i++)
        v.v[i] = LLVMBuildAdd(e->b, v.v[i], LLVMConstInt(LLVMTypeOf(v.v[i]), (uint64_t)by, true), "");
    return v;
}

LLVMValueRef unroll_jam_first_source(struct emit *e, int i, enum ptx_type t, int p)
{
    int warp = e->warp;
    turn_to(e, 0);
    LLVMValueRef v = source(e, i, t, p);
    turn_to(e, warp);
    return v;
}

void unroll_jam_open(struct emit *e)
{
    size_t regs = (size_t)e->k->nregs + 1;
    if (e->job->unrolled == 1)
        return;
    e->of_warp = alloc_zeroed((size_t)e->job->unrolled * sizeof *e->of_warp);
    for (int w = 1; w < e->job->unrolled; w++)
        e->of_warp[w] = (struct warp_values){.now = alloc_zeroed(regs * sizeof *e->now), .have = alloc_zeroed(regs)};
}

void unroll_jam_release(struct emit *e)
{
    for (int w = 1; e->of_warp && w < e->job->unrolled; w++) {
        alloc_release(e->of_warp[w].now);
        alloc_release(e->of_warp[w].have);
    }
    alloc_release(e->of_warp);
}

