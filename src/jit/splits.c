/* What the split form of machine code calls where lanes part, meet and leave: the splits and joins of simt/warp.c, in the
 * order in which the interpreter's loop does the same (interp/run.c). */
#include "jit/jit_code.h"

#include "interp/step.h"

static struct split *at(struct jit_frame *f, uint32_t site)
{
    struct split *s = &f->warp->split[f->warp->current];
    s->pc = (int32_t)site;
    return s;
}

static int32_t stop(struct jit_frame *f, enum jit_stop why, int32_t site)
{
    f->why = why;
    f->site = site;
    return -1;
}

/* --- lanes that wait before several instructions --- */

/* The next place on the way from a block to `last` where all lanes come by. */
static int32_t next_meeting(const struct ir_kernel *k, int32_t block, int32_t last)
{
    return block == last ? -1 : k->blocks[block].ipdom;
}

/* All lanes that come by a block on their way to the last. */
static uint32_t lanes_through(const struct jit_frame *f, int32_t block)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    int32_t last = f->waiting[f->nwaiting - 1].block;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < f->nwaiting; i++)
        for (int32_t b = f->waiting[i].block; b >= 0; b = next_meeting(k, b, last))
            lanes |= b == block ? f->waiting[i].lanes : 0;
    return lanes;
}

/* The join at which the lanes at `block`, or behind it, meet more: made where it is not there yet. -1: none, they are all. */
static int16_t join_behind(struct jit_frame *f, int32_t block, uint32_t lanes)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    struct warp *w = f->warp;
    int32_t last = f->waiting[f->nwaiting - 1].block;
    for (int32_t b = block; b >= 0; b = next_meeting(k, b, last)) {
        uint32_t expected = lanes_through(f, b);
        if (expected == lanes)
            continue;
        for (int j = warp_join_next(w, 0); j < WARP_MAX_JOINS; j = warp_join_next(w, j + 1))
            if (w->join[j].pc == k->blocks[b].first)
                return (int16_t)j;
        int16_t parent = join_behind(f, b, expected);
        return warp_join_new(w, k->blocks[b].first, expected, parent);
    }
    return -1;
}

void jit_apart(struct jit_frame *f)
{
    const struct ir_kernel *k = f->code->interp->kernel;
    struct warp *w = f->warp;
    w->nsplits = 0;
    w->current = 0;
    for (uint32_t i = 0; i < f->nwaiting; i++) {
        uint32_t lanes = f->waiting[i].lanes;
        if (!lanes)
            continue;
        int32_t block = f->waiting[i].block;
        int16_t join = join_behind(f, block, lanes);
        w->split[w->nsplits++] = (struct split){.mask = lanes, .pc = k->blocks[block].first, .join = join};
    }
}

/* --- splits of the split form --- */

/* The split's barrier, which it was told to have passed, is behind it. */
static void pass(const struct jit_code *c, struct split *s)
{
    if (s->passed && c->barrier[s->pc]) {
        s->passed = s->again = false;
        s->pc++;
    }
}

int32_t jit_position(struct jit_frame *f, bool running)
{
    struct warp *w = f->warp;
    const struct jit_code *c = f->code;
    while (running || warp_pick(w)) {
        struct split *s = &w->split[w->current];
        pass(c, s);
        int32_t join_pc = warp_join_pc(w), position = s->again || s->passed ? -1 : c->plan.apart[s->pc];
        if (s->pc == join_pc) {
            running = warp_arrive(w);
            continue;
        }
        w->hold = position < 0; /* the interpreter goes on with this one */
        if (position < 0)
            return stop(f, JIT_INTERPRET, s->pc);
        if (s->mask == UINT32_MAX && c->plan.resume[s->pc] >= 0)
            return stop(f, JIT_TOGETHER, s->pc);
        f->mask = s->mask;
        f->join_pc = join_pc;
        return position;
    }
    w->hold = false;
    return stop(f, w->nsplits || w->alive ? JIT_INTERPRET : JIT_ENDED, 0);
}

int32_t jit_split_branch(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    const struct step *st = &f->code->interp->step[site];
    struct split *s = at(f, site);
    if (lanes && lanes != s->mask)
        step_part(st, f->warp, (int32_t)site, lanes, f->counts);
    else
        step_follow(st, f->warp, (int32_t)site, lanes);
    if (lanes && st->back_edge && !--f->budget)
        return stop(f, JIT_TURN, f->warp->split[f->warp->current].pc);
    return jit_position(f, true);
}

int32_t jit_split_arrive(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    (void)lanes;
    at(f, site);
    return jit_position(f, true);
}

int32_t jit_split_exit(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    struct split *s = at(f, site);
    bool left = lanes != s->mask;
    if (left)
        s->pc++;
    warp_exit(f->warp, lanes);
    return jit_position(f, left);
}

int32_t jit_split_barrier(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    struct warp *w = f->warp;
    if (w->nsplits == 1 && lanes == w->alive)
        return stop(f, JIT_BARRIER, (int32_t)site);
    return stop(f, JIT_LEAVE, (int32_t)site);
}

uint32_t jit_split_exchange(struct jit_frame *f, uint32_t site, uint32_t lanes)
{
    const struct interp_code *c = f->code->interp;
    const struct step *st = &c->step[site];
    struct warp *w = f->warp;
    uint32_t same;
    if (!lanes)
        return 0;
    if (lanes != f->mask || step_touches_memory(st)) /* records are not fetched here, and faults not told */
        return 1;
    uint32_t members = exchange_members(c, w, st, lanes, &same);
    if (same != lanes || (members & w->alive & ~lanes) || exchange_strangers(w, st, lanes, members))
        return 1;
    step_exchange(c, w, st, lanes);
    return 0;
}
