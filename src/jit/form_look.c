/* See form_look.h. */
#include "jit/form_look.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "interp/step.h"
#include "ir/cfg.h"
#include "ir/edit.h"
#include "ir/read.h"
#include "ir/ssa.h"
#include "ir/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct looking {
    const struct form_facts *f;
    char *problem;
    size_t room;
};

__attribute__((format(printf, 3, 4))) static bool complain(const struct looking *l, const struct ir_inst *in, const char *fmt, ...)
{
    struct strbuf text;
    va_list ap;
    strbuf_init(&text);
    strbuf_addf(&text, "internal error: kernel '%s', %s: ", l->f->of->name, l->f->name);
    va_start(ap, fmt);
    strbuf_addv(&text, fmt, ap);
    va_end(ap);
    if (in && in->from->text)
        strbuf_addf(&text, ", made of '%.*s'", in->from->text_len, in->from->text);
    snprintf(l->problem, l->room, "%s", text.s);
    strbuf_release(&text);
    return false;
}

/* --- what the kernel does stands in the form --- */

enum { STANDS = 1, LEFT = 2 };

static bool does_it(const struct looking *l, const struct ir_inst *in)
{
    const struct ir_inst *of = &l->f->of->insts[in->site];
    return in->op == of->op || in->op == IR_OP_EXCHANGE || in->op == IR_OP_STOP || in->op == IR_OP_EVENT;
}

/* By instruction of the kernel: it stands in the form; it is left to the interpreter. */
static void find_done(const struct looking *l, uint8_t *done)
{
    const struct ir_kernel *form = l->f->form;
    const struct ir_inst *state = NULL;
    for (int32_t i = 0; i < form->ninsts; i++) {
        const struct ir_inst *in = &form->insts[i];
        int32_t site = in->op == IR_OP_LEAVE && in->site < 0 && state ? state->site : in->site;
        state = in->op == IR_OP_STATE ? in : state;
        if (site < 0 || site >= l->f->of->ninsts)
            continue;
        if (in->op == IR_OP_LEAVE)
            done[site] |= LEFT;
        else if (does_it(l, in))
            done[site] |= STANDS;
    }
    for (int32_t i = 0; i < l->f->of->ninsts; i++)
        done[i] |= l->f->ends[i] ? STANDS : 0;
}

/* Where lanes go from an instruction of the kernel. */
static void go_on(const struct ir_kernel *k, int32_t i, int32_t *stack, int32_t *n, uint8_t *seen)
{
    const struct ir_inst *in = &k->insts[i];
    const int32_t *to;
    for (int32_t t = ir_targets(in, &to) - 1; t >= 0; t--) {
        int32_t first = k->blocks[to[t]].first;
        if (!seen[first]++)
            stack[(*n)++] = first;
    }
    if (cfg_falls_through(in) && i + 1 < k->ninsts && !seen[i + 1]++)
        stack[(*n)++] = i + 1;
}

static bool check_done(const struct looking *l)
{
    const struct ir_kernel *k = l->f->of;
    uint8_t *done = alloc_zeroed((size_t)k->ninsts + 1), *seen = alloc_zeroed((size_t)k->ninsts + 1);
    int32_t *stack = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *stack), n = 0, missing = -1;
    find_done(l, done);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (i == 0 || l->f->begins[i]) {
            seen[i] = 1;
            stack[n++] = i;
        }
    while (n && missing < 0) {
        int32_t i = stack[--n];
        bool goes = ir_is(&k->insts[i], PTX_KIND_BRANCH) || ir_is_end(&k->insts[i]); /* the form's branches and ends do it */
        if (!goes && !done[i])
            missing = i;
        else if (goes || done[i] & STANDS)
            go_on(k, i, stack, &n, seen);
    }
    alloc_release(done);
    alloc_release(seen);
    alloc_release(stack);
    return missing < 0 || complain(l, &k->insts[missing], "instruction %d of the kernel is missing", missing);
}

/* --- states --- */

static bool needs_state(const struct looking *l, const struct ir_inst *in)
{
    bool copy = in->site >= 0 && in->op < PTX_OP_COUNT && in->op == l->f->of->insts[in->site].op;
    switch (in->op) {
    case IR_OP_YIELD:
    case IR_OP_END_TURN:
    case IR_OP_RING:
    case IR_OP_LEAVE:
    case IR_OP_ASIDE:
    case IR_OP_EXCHANGE: return true;
    case IR_OP_STOP: return in->target != JIT_EXIT;
    default:
        return copy && !l->f->split && !cfg_ends_block(in) &&
               (ir_is_memory(in) ? in->space != PTX_PARAM && in->space != IR_HOST : !step_is_plain(&l->f->code->step[in->site]));
    }
}

/* What the interpreter needs where it goes on. In a row only what is alive where all lanes meet: lanes of blocks may wait elsewhere. */
static const uint64_t *needed_by(const struct looking *l, const struct ir_inst *state, const struct ir_inst *next, uint64_t *live)
{
    const struct ir_kernel *k = l->f->of;
    bool barrier = next->op == IR_OP_STOP && next->target == JIT_BARRIER;
    memset(live, 0, ((size_t)k->nregs / 64 + 1) * 8);
    if (state->target < 0 && state->site >= 0 && !l->f->split)
        liveness_before(k, state->site + barrier, live);
    return live;
}

static bool check_state(const struct looking *l, const struct ir_inst *state, uint64_t *live)
{
    const struct form_facts *f = l->f;
    const uint64_t *needed = needed_by(l, state, state + 1, live);
    int masks = state->target < 0 ? 0 : f->row_masks[state->target];
    if (state->ntargets < masks)
        return complain(l, state, "a state of a row with %d masks names %d registers", masks, state->ntargets);
    for (int s = 0; s < state->nsrc; s++)
        if (state->src[s].kind != IR_SRC_REG || (s < masks && f->form->reg_type[state->src[s].reg] != PTX_PRED))
            return complain(l, state, "source %d of a state is no %s", s, s < masks ? "predicate" : "register");
    uint64_t *named = alloc_zeroed(((size_t)f->of->nregs / 64 + 1) * 8);
    bool ok = true;
    for (int s = masks; s < state->ntargets && ok; s++) {
        int32_t of = f->place[state->src[s].reg];
        ok = of < 0 ? complain(l, state, "r%d of a state has no place", state->src[s].reg)
                       : ir_bit_add(named, of) || complain(l, state, "a state names r%d of the kernel twice", of);
    }
    for (int32_t r = 0; r < f->of->nregs && ok; r++)
        ok = !ir_bit(needed, r) || ir_bit(named, r) || complain(l, state, "a state before instruction %d leaves out r%d of the kernel", state->site, r);
    alloc_release(named);
    return ok;
}

static bool check_states(const struct looking *l)
{
    const struct ir_kernel *form = l->f->form;
    uint64_t *live = alloc_zeroed(((size_t)l->f->of->nregs / 64 + 1) * 8);
    bool ok = true;
    for (int32_t b = 0; b < form->nblocks && ok; b++) {
        const struct ir_inst *state = NULL, *first = &form->insts[form->blocks[b].first];
        for (const struct ir_inst *in = first; in < first + form->blocks[b].count && ok; in++) {
            bool used = needs_state(l, in), guard = in->op == PTX_OP_BRA && in->guard != IR_NOREG;
            if (used && !state)
                ok = complain(l, in, "it may leave at instruction %d of the form without a state", (int)(in - form->insts));
            else if (guard && !l->f->uniform[in->guard])
                ok = complain(l, in, "a branch that parts lanes");
            else if (in->op == IR_OP_STATE)
                ok = check_state(l, in, live);
            bool done = state && state->target < 0 && in->op < PTX_OP_COUNT; /* it was for this one alone */
            state = in->op == IR_OP_STATE ? in : done ? NULL : state;
        }
    }
    alloc_release(live);
    return ok;
}

/* --- registers of its own --- */

/* A register of the kernel may be read where nothing was written to it, as in the kernel; one of the form's own may not. */
static bool check_own_registers(const struct looking *l)
{
    const struct ir_kernel *form = l->f->form;
    int32_t *maker = ir_makers(form), *reads = alloc_zeroed(((size_t)form->nregs + 1) * sizeof *reads), bad = -1;
    for (int32_t i = 0; i < form->ninsts; i++)
        ir_count_reads(&form->insts[i], reads, 1);
    for (int32_t r = 0; r < form->nregs; r++)
        bad = reads[r] && maker[r] < 0 && l->f->place[r] < 0 ? r : bad;
    alloc_release(maker);
    alloc_release(reads);
    return bad < 0 || complain(l, NULL, "r%d, which the kernel has not, is read and nothing makes it", bad);
}

bool form_check(const struct form_facts *f, char *problem, size_t room)
{
    struct looking l = {f, problem, room};
    return check_done(&l) && check_states(&l) && check_own_registers(&l);
}

/* --- text --- */

static void release(struct ir_kernel *k)
{
    k->frames = NULL;
    ir_free(k);
}

/* The first line of a text that is not the same in another. */
static const char *first_difference(const char *text, const char *other)
{
    const char *line = text;
    for (; *text && *text == *other; text++, other++)
        line = *text == '\n' ? text + 1 : line;
    return line;
}

/* NULL: the text cannot be read, or what was read has another one. */
static struct ir_kernel *read_back(const struct looking *l)
{
    const struct ir_kernel *form = l->f->form;
    struct strbuf text, again;
    struct diag_list diags;
    strbuf_init(&text);
    strbuf_init(&again);
    diag_init(&diags);
    ir_print(form, &text);
    struct ir_kernel *k = ir_read(form->module, text.s, &diags);
    if (k)
        ir_print(k, &again);
    else
        diag_format_all(&diags, &again);
    bool same = k && !strcmp(text.s, again.s);
    const char *where = k && !same ? first_difference(text.s, again.s) : again.s;
    if (!same)
        complain(l, NULL, "the text %s: '%.*s'", k ? "is another when it was read" : "cannot be read", (int)strcspn(where, "\n"), where);
    if (k) {
        alloc_release(k->frames);
        k->frames = form->frames;
    }
    if (k && !same) {
        release(k);
        k = NULL;
    }
    strbuf_release(&text);
    strbuf_release(&again);
    diag_release(&diags);
    return k;
}

struct ir_kernel *form_look(const struct form_facts *f, char *problem, size_t room)
{
    struct looking l = {f, problem, room};
    if (!ir_verify(f->form, f->name, false)) {
        snprintf(problem, room, "%s", f->form->problems->text);
        return NULL;
    }
    struct ir_kernel *k = form_check(f, problem, room) ? read_back(&l) : NULL;
    if (k)
        release(f->form);
    return k;
}
