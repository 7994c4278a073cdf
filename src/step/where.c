/* One instruction, and where generated code goes on (see step.h; the stubs: base/steps.h).
 *
 * The thread's frames (step_thread.frames) are those of generated code on its stack. Where the lane is then in a frame called
 * from the innermost one, its stub's call is next; where it is in one further out, the function's end. */
#include "step/private.h"

#include <string.h>

#include "base/alloc.h"
#include "interp/interp.h"
#include "interp/step.h"

static const struct step_frame *innermost(const struct step_thread *t)
{
    return &t->frames[t->nframes - 1];
}

static const char *stub_of(const struct step_thread *t, int32_t frame, int32_t statement)
{
    const struct steps_function *f = t->code->of_frame[frame].twin;
    return f->entry + f->stub[statement];
}

/* Host address of the local variables of a frame that is entered now. */
static const void *locals_of(const struct step_thread *t, int32_t frame)
{
    const struct ir_kernel *k = t->code->kernel;
    const struct ir_frame *f = &k->frames[frame];
    const char *local = t->warp->local + (size_t)t->lane * t->launch->local_bytes + f->local_at;
    uint64_t stack = 0;
    if (f->on_stack)
        stack = ((const uint64_t *)place_at(t->code->interp, t->warp, t->code->interp->of_reg[k->stack_reg]))[t->lane];
    return local + stack;
}

static void push(struct step_thread *t)
{
    t->enters = false;
    t->entering.local = locals_of(t, t->entering.frame);
    t->c.shared = t->shared + t->code->of_frame[t->entering.frame].first_shared;
    ALLOC_GROW(t->frames, t->nframes, t->frames_cap);
    t->frames[t->nframes++] = t->entering;
}

/* The frame that is entered next on the way from `in` to `to`: of one call; -1: `to` is not inside of it. */
static int32_t child_towards(const struct ir_kernel *k, int32_t in, int32_t to)
{
    while (to >= 0 && k->frames[to].caller != in)
        to = k->frames[to].caller;
    return to;
}

/* The body of a function that may call itself, which frame `f` is or is part of. */
static int32_t body_of(const struct ir_kernel *k, int32_t f)
{
    while (k->frames[f].caller >= 0)
        f = k->frames[f].caller;
    return f;
}

static struct step_to enter(struct step_thread *t, int32_t frame, uint32_t level, int32_t call)
{
    int32_t caller = innermost(t)->frame;
    t->entering = (struct step_frame){.frame = frame, .level = level};
    t->enters = true;
    t->c.target = t->code->of_frame[frame].twin->entry;
    return (struct step_to){stub_of(t, caller, call) + STUB_CALL, NULL};
}

static struct step_to go_back(struct step_thread *t)
{
    const struct step_frame *in = innermost(t);
    const char *epilogue = t->code->of_frame[in->frame].twin->epilogue;
    step_return_result(t, t->code->kernel->frames[in->frame].function);
    t->nframes--;
    return (struct step_to){epilogue, NULL};
}

static struct step_to failed(struct step_thread *t);

/* Carries out what no statement of the PTX stands for. *fault: that ended in one (a stack that is too small for a call). */
static const struct split *at_statement(struct step_thread *t, bool *fault)
{
    const struct split *s;
    *fault = false;
    while (!*fault && (s = step_split(t->warp, t->lane)) && t->code->kernel->insts[s->pc].from->statement < 0) {
        t->warp->current = (uint8_t)(s - t->warp->split);
        *fault = interp_step(t->warp, NULL) == WARP_FAULT;
    }
    return s;
}

static struct step_to where(struct step_thread *t)
{
    const struct ir_kernel *k = t->code->kernel;
    if (t->enters)
        push(t);
    bool fault;
    const struct split *s = at_statement(t, &fault);
    if (fault)
        return failed(t);
    if (!s && t->nframes == 1)
        return go_back(t);
    if (!s)
        step_leave(&t->c);
    const struct ir_inst *in = &k->insts[s->pc];
    const struct step_frame *top = innermost(t);
    if (s->level < top->level)
        return go_back(t);
    if (s->level > top->level)
        return enter(t, body_of(k, in->from->of_frame), top->level + 1, t->last);
    if (in->from->of_frame == top->frame)
        return (struct step_to){stub_of(t, in->from->of_frame, in->from->statement), top->local};
    int32_t child = child_towards(k, top->frame, in->from->of_frame);
    return child < 0 ? go_back(t) : enter(t, child, top->level, k->frames[child].statement);
}

/* Lets the others run: the thread waits in the stub of what it did last. */
static struct step_to park(struct step_thread *t, enum step_end why)
{
    struct step_to to = {stub_of(t, innermost(t)->frame, t->last) + STUB_PARK, NULL};
    step_thread_gives_way(t, why);
    return to;
}

/* Does what the instruction does depend on which lanes are at it? */
static bool needs_company(const struct step *st)
{
    switch (st->kind) {
    case STEP_ACTIVEMASK:
        return true;
    case STEP_SHUFFLE:
    case STEP_VOTE:
    case STEP_MATCH:
    case STEP_REDUX:
    case STEP_ELECT:
        return !st->in->mods->sync;
    case STEP_LOAD:
    case STEP_STORE:
        return st->in->mods->order == PTX_VOLATILE;
    default:
        return false;
    }
}

static bool same_statement(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->from->of_frame == b->from->of_frame && a->from->statement == b->from->statement;
}

static const char *text_of(int status)
{
    switch (status) {
#define HEDDLE_STATUS(id, number, error, text)                                                                         \
    case number:                                                                                                       \
        return text;
#include "heddle_status.def"
#undef HEDDLE_STATUS
    default:
        return "unknown";
    }
}

static uint64_t failed_launch; /* the last one in which a thread failed */

/* A fault was recorded. A debugger stops at the instruction, if it is the launch's first; without one the thread is done. */
static struct step_to failed(struct step_thread *t)
{
    const struct fault *f = &t->launch->fault;
    t->c.fault = text_of(f->status);
    t->why = STEP_FAULT;
    t->abandoned = true;
    bool told = t->launch->number == failed_launch;
    failed_launch = t->launch->number;
    if (told || !step_debugged())
        step_leave(&t->c);
    const struct step_frame *top = innermost(t);
    return (struct step_to){stub_of(t, top->frame, t->last) + STUB_TRAP, NULL};
}

static struct step_to carry_out(struct step_thread *t)
{
    const struct interp_code *code = t->code->interp;
    struct warp *w = t->warp;
    const struct split *s = step_split(w, t->lane);
    const struct ir_inst *first = &t->code->kernel->insts[s->pc], *now = first, *before;
    uint32_t level = s->level;
    for (int e = 0;; e++) {
        t->last = now->from->statement;
        if (needs_company(&code->step[s->pc]))
            return park(t, STEP_MEETS);
        before = now;
        step_note_result(t, now, e);
        w->current = (uint8_t)(s - w->split);
        bool barrier = code->step[s->pc].kind == STEP_BARRIER;
        enum warp_stop why = interp_step(w, NULL);
        s = step_split(w, t->lane);
        if (why == WARP_FAULT)
            return failed(t);
        if (why == WARP_STOPPED || why == WARP_YIELD)
            return park(t, why == WARP_YIELD ? STEP_YIELDS : STEP_STOPPED);
        if (!s)
            return where(t);
        now = &t->code->kernel->insts[s->pc];
        t->unfinished = now == before && s->state != SPLIT_READY;
        if (s->state != SPLIT_READY || barrier) /* behind a barrier the first lane goes on first */
            return park(t, STEP_WAITS);
        if (now <= before || s->level != level || !same_statement(now, first))
            return where(t);
    }
}

struct step_to step_instruction(struct step_context *c)
{
    return carry_out((struct step_thread *)c);
}

struct step_to step_where(struct step_context *c)
{
    struct step_thread *t = (struct step_thread *)c;
    const struct split *s = step_split(t->warp, t->lane);
    bool again = t->unfinished && s && t->code->kernel->insts[s->pc].from->statement == t->last; /* a barrier is begun, and finished later */
    t->unfinished = false;
    if (t->abandoned)
        step_leave(c);
    return again ? carry_out(t) : where(t);
}
