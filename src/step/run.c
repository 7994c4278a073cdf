/* Which thread of a warp runs next (see step.h). */
#include "step/private.h"

#include <string.h>

#include "base/alloc.h"
#include "heddle.h"
#include "interp/interp.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* of all that run: one */

/* --- kernels --- */

static const struct steps_function *function_named(const struct steps *s, int unit, int n, const struct ptx_function *f)
{
    for (uint32_t i = 0; s && i < s->nfunctions; i++)
        if (s->functions[i].ninsts == (uint64_t)f->ninsts && steps_same_name(s->functions[i].name, unit, n, f->name))
            return &s->functions[i];
    return NULL;
}

static int64_t shared_at(const struct ir_kernel *k, const char *name, int unit, int n)
{
    for (int32_t i = 0; i < k->nshared; i++)
        if (steps_same_name(name, unit, n, k->shared[i].var->name))
            return k->shared[i].at;
    return -1;
}

/* The function's twin, in the first file that has it: of what several files have (templates) the first counts. */
static bool find_function(struct step_code *code, int32_t frame, const struct steps *const *units, int n)
{
    struct step_function *f = &code->of_frame[frame];
    f->first_shared = 0;
    for (int u = 0; u < n && !f->twin; u++) {
        f->twin = function_named(units[u], u, n, code->kernel->frames[frame].function);
        f->first_shared += !f->twin && units[u] ? (int)units[u]->nshared : 0;
    }
    return f->twin != NULL;
}

struct step_code *step_open(const struct ir_kernel *k, const struct interp_code *c, const struct steps *const *units, int n)
{
    struct step_code *code = alloc_zeroed(sizeof *code);
    *code = (struct step_code){.kernel = k, .interp = c};
    code->of_frame = alloc_zeroed(sizeof *code->of_frame * (size_t)k->nframes);
    for (int u = 0; u < n; u++)
        code->nshared += units[u] ? (int)units[u]->nshared : 0;
    code->shared = alloc_zeroed(sizeof *code->shared * ((size_t)code->nshared + 1));
    for (int u = 0, at = 0; u < n; u++)
        for (uint32_t i = 0; units[u] && i < units[u]->nshared; i++)
            code->shared[at++] = shared_at(k, units[u]->shared[i], u, n);
    for (int32_t i = 0; i < k->nframes; i++)
        if (!find_function(code, i, units, n)) {
            step_close(code);
            return NULL;
        }
    return code;
}

void step_close(struct step_code *code)
{
    if (!code)
        return;
    alloc_release(code->of_frame);
    alloc_release(code->shared);
    alloc_release(code);
}

/* --- launches --- */

void step_begin(struct step_code *code, struct launch *l)
{
    l->step = code;
    l->lane_by_lane = true;
    l->turns = 0;
}

void step_end(struct launch *l)
{
    pthread_mutex_lock(&turn);
    step_threads_end(l);
    pthread_mutex_unlock(&turn);
}

/* --- warps --- */

/* The lowest lane that can run, or -1. */
static int pick(const struct step_turn *t)
{
    uint32_t ready = 0;
    for (int i = 0; i < t->w->nsplits; i++)
        if (t->w->split[i].state == SPLIT_READY)
            ready |= t->w->split[i].mask;
    ready &= ~t->yielded & ~t->meeting & ~t->failed;
    return ready ? __builtin_ctz(ready) : -1;
}

/* The lanes that wait at the lowest instruction do it together. */
static enum warp_stop meet(struct step_turn *t)
{
    int32_t pc = INT32_MAX;
    uint32_t lanes = 0;
    for (int i = 0; i < t->w->nsplits; i++) {
        const struct split *s = &t->w->split[i];
        if (!(s->mask & t->meeting) || s->pc > pc)
            continue;
        lanes = s->pc < pc ? s->mask : lanes | s->mask;
        pc = s->pc;
    }
    warp_gather(t->w, lanes);
    enum warp_stop why = interp_step(t->w, NULL);
    warp_part(t->w);
    t->meeting &= ~lanes;
    return why;
}

int step_next_lane(struct step_turn *t, enum warp_stop *stop)
{
    struct warp *w = t->w;
    *stop = WARP_RESUME;
    while (*stop == WARP_RESUME || *stop == WARP_BLOCKED) {
        block_wake(w);
        int lane = pick(t);
        if (launch_stopping(w->block->launch, w->block->index))
            *stop = WARP_STOPPED;
        else if (lane >= 0)
            return lane;
        else if (t->meeting)
            *stop = meet(t);
        else if (!interp_meet(w)) {
            *stop = t->failed ? WARP_FAULT : !w->alive ? WARP_DONE : t->yielded ? WARP_YIELD : WARP_BLOCKED;
            break;
        }
    }
    return -1;
}

enum warp_stop step_run(struct warp *w, struct exec_counts *counts)
{
    struct step_turn t = {.w = w};
    (void)counts;
    pthread_mutex_lock(&turn);
    if (!w->clock)
        warp_part(w);
    enum warp_stop why = step_threads_run(&t);
    pthread_mutex_unlock(&turn);
    return why;
}
