/* Runs warps in machine code and, where that ends, in the interpreter (see jit.h). */
#include "jit/jit.h"

#include "interp/interp.h"
#include "interp/step.h"
#include "jit/code.h"

#include <string.h>

enum { TURNS = 1 << 12 }; /* back-edges between looks at whether the launch is to stop */

/* --- functions that generated code calls --- */

static uint32_t op_step(struct jit_frame *f, uint32_t site, uint32_t mask)
{
    const struct interp_code *c = f->code->interp;
    const struct step *st = &c->step[site];
    f->warp->clock += f->executed;
    f->executed = 0;
    if (step_is_plain(st))
        return !step_plain(c, f->warp, st, mask);
    step_exchange(c, f->warp, st, mask);
    return 0;
}

static uint32_t op_affine(struct jit_frame *f, uint32_t site, uint64_t base)
{
    const struct interp_code *c = f->code->interp;
    const struct step *st = &c->step[site];
    const struct ir_src *s = &st->in->src[0];
    if (s->kind == IR_SRC_REG) {
        const struct shape *shape = &f->code->shapes->reg[s->reg];
        char *at = place_at(c, f->warp, st->s[0]);
        for (int i = 0; i < WARP_LANES; i++) {
            uint64_t v = base + (uint64_t)shape->offset[i];
            memcpy(at + (size_t)i * st->width[0], &v, st->width[0]);
        }
    }
    return op_step(f, site, UINT32_MAX);
}

static const struct jit_ops ops = {op_step, op_affine};

/* --- in and out --- */

static void fill_block(struct jit_frame *f, const struct block *b, const struct jit_code *code, const struct exec_counts *counts)
{
    struct launch *l = b->launch;
    f->shared = b->shared;
    f->params = l->params;
    f->live = l->space->live;
    f->space_base = l->space->base;
    f->space_bytes = l->space->bytes;
    f->ops = &ops;
    f->code = code;
    f->shared_bytes = l->shared_bytes;
    f->room = RING_RECORDS / 2;
    f->executed = 0;
    f->gridid = l->grid_serial;
    for (int i = 0; i < 3; i++) {
        f->sreg[PTX_SREG_NTID_X + i] = l->block_dim[i];
        f->sreg[PTX_SREG_CTAID_X + i] = b->id[i];
        f->sreg[PTX_SREG_NCTAID_X + i] = l->grid[i];
    }
    f->sreg[PTX_SREG_SMID] = b->sm;
    f->sreg[PTX_SREG_NSMID] = l->sms;
    f->sreg[PTX_SREG_TOTAL_SMEM_SIZE] = l->shared_bytes;
    f->sreg[PTX_SREG_DYNAMIC_SMEM_SIZE] = l->shared_bytes - l->kernel->shared_dynamic;
    if (counts) {
        f->block_runs = counts->block_runs;
        f->block_lanes = counts->block_lanes;
        f->site_runs = counts->site_runs;
        f->site_lanes = counts->site_lanes;
    }
}

/* The frame of the calling thread for this warp: one block's warps run one after the other, so most of it is there. */
static struct jit_frame *frame_of(struct warp *w, const struct jit_code *code, const struct exec_counts *counts)
{
    static _Thread_local struct {
        struct jit_frame frame;
        const struct block *block; /* what it is filled for */
        uint64_t serial, index;
    } mine __attribute__((tls_model("initial-exec"))); /* asked for at every barrier: no call */
    struct jit_frame *f = &mine.frame;
    struct block *b = w->block;
    struct launch *l = b->launch;
    if (mine.block != b || mine.serial != l->grid_serial || mine.index != b->index || f->code != code) {
        fill_block(f, b, code, counts);
        mine.block = b;
        mine.serial = l->grid_serial;
        mine.index = b->index;
    }
    f->warp = w;
    f->regs = w->regs;
    for (int i = 0; i < 3; i++)
        f->tid[i] = l->tid[w->index][i][0];
    f->sreg[PTX_SREG_WARPID] = w->index;
    return f;
}

/* The number of the resume point where the warp can go on in machine code, or -1. */
static int32_t entry(const struct jit_code *code, struct warp *w)
{
    struct split *s = &w->split[0];
    if (w->interpreted || w->alive != UINT32_MAX || w->nsplits != 1 || s->mask != UINT32_MAX || s->state != SPLIT_READY)
        return -1;
    bool behind = s->passed && code->barrier[s->pc];
    int32_t r = behind ? code->plan.resume[s->pc + 1] : s->again ? -1 : code->plan.resume[s->pc];
    if (r < 0)
        return -1;
    for (int16_t j = s->join; j >= 0; j = w->join[j].parent) /* joins of all lanes join nobody */
        w->join[j].used = false;
    s->join = -1;
    s->turns = 0;
    s->again = s->passed = false;
    w->current = 0;
    w->hold = false;
    return r;
}

/* The warp waits at the barrier before frame.site; the resume point behind it, or -1: it has to wait. */
static int32_t arrive(const struct jit_code *code, struct warp *w, int32_t site)
{
    struct split *s = &w->split[0];
    const struct ir_inst *in = &code->interp->kernel->insts[site];
    s->again = true;
    if (!block_barrier(w, (unsigned)in->src[0].imm, 0, PTX_BAR_SYNC, 0))
        return -1;
    w->split[0].again = w->split[0].passed = false;
    return code->plan.resume[site + 1];
}

/* The interpreter, until it has done enough for machine code to pay: then this thread makes it. */
static enum warp_stop interpret(struct jit_code *code, struct warp *w, struct exec_counts *counts)
{
    uint64_t before = w->clock;
    enum warp_stop stop = interp_run(w, counts);
    uint64_t work = __atomic_add_fetch(&code->work, w->clock - before, __ATOMIC_RELAXED);
    if (work >= code->enough && !__atomic_load_n(&code->claimed, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&code->claimed, true, __ATOMIC_ACQ_REL))
        jit_make(code);
    return stop;
}

enum warp_stop jit_run(struct warp *w, struct exec_counts *counts)
{
    struct launch *l = w->block->launch;
    struct jit_code *code = l->jit;
    if (!__atomic_load_n(&code->function, __ATOMIC_ACQUIRE))
        return interpret(code, w, counts);
    const struct ir_kernel *k = l->kernel;
    struct jit_frame *f = NULL;
    block_wake(w);
    if (w->nsplits == 1 && w->split[0].state == SPLIT_BARRIER)
        return WARP_BLOCKED;
    int32_t r = entry(code, w);
    for (;;) {
        if (r < 0) {
            enum warp_stop s = interp_run_until(w, counts, w->interpreted ? NULL : code->plan.resume);
            if (s != WARP_RESUME)
                return s;
            r = entry(code, w);
            if (r < 0)
                continue;
        }
        if (!f)
            f = frame_of(w, code, counts);
        f->budget = TURNS;
        enum jit_stop stop = code->function(f, (uint32_t)r);
        struct split *s = &w->split[0];
        w->clock += f->executed + 1;
        f->executed = 0;
        s->pc = f->site;
        switch (stop) {
        case JIT_EXIT:
            warp_exit(w, UINT32_MAX);
            return WARP_DONE;
        case JIT_BARRIER:
            r = arrive(code, w, f->site);
            if (launch_stopping(l, w->block->index))
                return WARP_STOPPED;
            if (r < 0)
                return WARP_BLOCKED;
            break;
        case JIT_TURN:
            if (launch_stopping(l, w->block->index))
                return WARP_STOPPED;
            r = code->plan.resume[f->site];
            break;
        case JIT_RING:
            return WARP_RING;
        case JIT_FAULT:
            return WARP_FAULT;
        case JIT_GIVE_UP:
            w->interpreted = true; /* fall through */
        default: /* JIT_LEAVE */
            jit_spread(code, w, f->site);
            s->again = f->site == k->blocks[k->insts[f->site].block].first;
            r = -1;
        }
    }
}
