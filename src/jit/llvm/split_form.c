/* The split form (form.h): the code of some lanes of a warp, of which others wait elsewhere.
 *
 * It begins with `enter`, whose numbers are positions: every block, and what is behind an instruction at which lanes may stop. From
 * position to position each lane has its registers in its places: they are `kept` where they are read first, and what was written is
 * put back by `keep` before the next position. Where lanes part, meet, end or wait, an `event` asks a function of jit_ops where the
 * code is to go on, with these lanes or others, and goes back to `enter`. */
#include "jit/llvm/form_writer.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/edit.h"

#include <string.h>

struct split_writer {
    struct form_writer m;
    int32_t lanes;            /* predicate: of the split that runs */
    int32_t begin;            /* label of `enter` */
    uint64_t *here, *changed; /* registers that have a value since the position, and those whose places have an old one */
    uint64_t *live;           /* for whoever needs such a set for a moment */
    uint8_t *joins;           /* [nblocks] lanes may meet there */
};

/* --- registers --- */

static void need(struct split_writer *w, int32_t reg)
{
    if (reg == IR_NOREG || !ir_bit_add(w->here, reg))
        return;
    struct ir_inst *in = form_put(&w->m, IR_OP_KEPT);
    IR_SET_RESULTS(w->m.f, in, reg);
}

static void need_operands(struct split_writer *w, const struct ir_inst *in)
{
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG)
            need(w, in->src[s].reg);
    need(w, in->guard);
    for (int d = 0; d < in->ndst && in->guard != IR_NOREG; d++)
        need(w, in->dst[d]);
}

/* Those of `live` that are newer than their places. */
static void keep_all(struct split_writer *w, const uint64_t *live)
{
    for (int32_t r = 0; r < w->m.k->nregs; r++)
        if (ir_bit(w->changed, r) && ir_bit(live, r)) {
            struct ir_inst *in = form_put(&w->m, IR_OP_KEEP);
            IR_SET_SOURCES(w->m.f, in, ir_of_reg(r));
        }
    memset(w->changed, 0, w->m.words * 8);
}

static void keep_before(struct split_writer *w, int32_t site)
{
    form_alive_before(&w->m, site, w->live);
    keep_all(w, w->live);
}

static void keep_behind(struct split_writer *w, int32_t site)
{
    form_alive_behind(&w->m, site, w->live);
    keep_all(w, w->live);
}

/* What is not in its place yet before `site`. */
static void put_changed(struct split_writer *w, int32_t site)
{
    form_alive_before(&w->m, site, w->live);
    for (size_t i = 0; i < w->m.words; i++)
        w->live[i] &= w->changed[i];
    form_put_state(&w->m, site, -1, 0, NULL, w->live);
}

/* --- lanes --- */

/* Of those that run, the lanes that the guard holds for. */
static int32_t lanes_on(struct split_writer *w, const struct ir_inst *in)
{
    return in->guard == IR_NOREG ? w->lanes : form_both(&w->m, w->lanes, form_turned(&w->m, in->guard, in->guard_negated));
}

/* What becomes of the lanes says the function of jit_ops that is `op` bytes from its begin. */
static void put_event(struct split_writer *w, int32_t site, size_t op, int32_t lanes)
{
    struct ir_inst *in = form_put(&w->m, IR_OP_EVENT);
    in->site = site;
    in->offset = (int64_t)op;
    in->ntargets = 1;
    in->targets = ARENA_ARRAY(&w->m.f->arena, int32_t, 1);
    in->targets[0] = w->begin;
    IR_SET_SOURCES(w->m.f, in, ir_of_reg(lanes));
}

#define EVENT(w, site, op, lanes) put_event(w, site, offsetof(struct jit_ops, op), lanes)

/* Goes to `label` if the predicate holds for no lane. */
static void jump_if_none(struct split_writer *w, int32_t pred, int32_t label)
{
    form_jump_if(&w->m, form_ask(&w->m, IR_OP_ANY, pred), true, label);
}

/* --- positions --- */

static void write_enter(struct split_writer *w)
{
    struct form_writer *m = &w->m;
    const struct jit_job *job = m->e->job;
    size_t most = (size_t)job->nresume + 1;
    struct ir_src *src = alloc_zeroed(most * sizeof *src);
    int32_t *label = ARENA_ARRAY(&m->f->arena, int32_t, most), stopped = form_label(m);
    int n = 0;
    form_set_label(m, w->begin);
    w->lanes = form_reg(m, PTX_PRED, false);
    struct ir_inst *on = form_put(m, IR_OP_LANES_ON);
    IR_SET_RESULTS(m->f, on, w->lanes);
    for (int32_t i = 0; i < m->k->ninsts; i++) {
        if (job->resume[i] < 0)
            continue;
        src[n] = ir_of_value((uint64_t)job->resume[i]);
        label[n++] = m->at[i] = form_label(m);
    }
    label[n] = stopped;
    m->at[m->k->ninsts] = form_label(m);
    struct ir_inst *enter = form_put(m, IR_OP_ENTER);
    ir_set_sources(m->f, enter, n, src);
    enter->targets = label;
    enter->ntargets = n + 1;
    form_set_label(m, stopped);
    form_put(m, IR_OP_RETURN);
    alloc_release(src);
}

static void find_joins(struct split_writer *w)
{
    for (int32_t i = 0; i < w->m.k->ninsts; i++) {
        const struct ir_inst *in = &w->m.k->insts[i];
        if (in->joined)
            w->joins[in->join] = 1;
        if (in->reconvergence)
            w->joins[in->reconvergence->block] = 1;
    }
}

/* Behind what waits lanes may meet as well. */
static bool may_meet(const struct split_writer *w, int32_t site)
{
    return !form_at_head(&w->m, site) || w->joins[w->m.k->insts[site].block];
}

/* Lanes that came to where they meet others, or are all of the warp where another form goes on, do so. */
static void write_meeting(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    int32_t on = form_label(m);
    if (may_meet(w, site)) {
        int32_t meets = form_reg(m, PTX_PRED, true);
        struct ir_inst *in = form_put(m, IR_OP_MEETS);
        in->site = site;
        IR_SET_RESULTS(m->f, in, meets);
        form_jump_if(m, meets, true, on);
        EVENT(w, site, arrive, w->lanes);
    }
    form_set_label(m, on);
    if (m->e->job->together[site] >= 0) {
        on = form_label(m);
        form_jump_if(m, form_ask(m, IR_OP_ALL, w->lanes), true, on);
        EVENT(w, site, arrive, w->lanes);
        form_set_label(m, on);
    }
}

static void begin_position(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_block *b = &m->k->blocks[m->k->insts[site].block];
    form_set_label(m, m->at[site]);
    write_meeting(w, site);
    memset(w->here, 0, m->words * 8);
    memset(w->changed, 0, m->words * 8);
    if (form_at_head(m, site)) {
        if (leaves_records(m->e) && form_may_record(m, b)) {
            put_changed(w, site);
            form_put(m, IR_OP_RING)->site = site;
        }
        form_put_block_count(m, site, w->lanes, 1);
    }
    struct ir_inst *lanes = form_put(m, IR_OP_LANES);
    IR_SET_SOURCES(m->f, lanes, ir_of_reg(w->lanes));
}

/* --- instructions --- */

/* All lanes go to the block. */
static void go(struct split_writer *w, int32_t block, bool back)
{
    int32_t site = w->m.k->blocks[block].first;
    if (back) {
        put_changed(w, site);
        form_put(&w->m, IR_OP_YIELD)->site = site;
    }
    form_jump(&w->m, w->m.at[site]);
}

static void write_branch(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_inst *in = &m->k->insts[site];
    const struct step *st = &m->e->job->code->step[site];
    need(w, in->guard);
    form_put_guard_count(m, site, w->lanes, 1);
    keep_behind(w, site);
    if (st->leaves || st->level) {
        EVENT(w, site, branch, lanes_on(w, in));
    } else if (in->guard == IR_NOREG) {
        go(w, in->target, in->back_edge);
    } else if (form_scalar(m, in->guard)) {
        form_jump_if(m, in->guard, !in->guard_negated, m->at[site + 1]);
        go(w, in->target, in->back_edge);
    } else {
        int32_t lanes = lanes_on(w, in), part = form_label(m);
        jump_if_none(w, lanes, m->at[site + 1]);
        int32_t others = form_both(m, w->lanes, form_turned(m, in->guard, !in->guard_negated));
        form_jump_if(m, form_ask(m, IR_OP_ANY, others), false, part);
        go(w, in->target, in->back_edge);
        form_set_label(m, part);
        EVENT(w, site, branch, lanes);
    }
}

static void write_exit(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_inst *in = &m->k->insts[site];
    int32_t lanes = w->lanes;
    need(w, in->guard);
    form_put_guard_count(m, site, w->lanes, 1);
    keep_behind(w, site);
    if (in->guard != IR_NOREG && form_scalar(m, in->guard)) {
        form_jump_if(m, in->guard, !in->guard_negated, m->at[site + 1]);
    } else if (in->guard != IR_NOREG) {
        lanes = lanes_on(w, in);
        jump_if_none(w, lanes, m->at[site + 1]);
    }
    EVENT(w, site, exit, lanes);
}

/* All of it happens in the registers' places. */
static void write_exchange(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_inst *in = &m->k->insts[site];
    bool head = form_at_head(m, site);
    need(w, in->guard);
    if (head)
        form_put_guard_count(m, site, w->lanes, 1);
    keep_before(w, site);
    int32_t lanes = lanes_on(w, in);
    put_changed(w, site);
    struct ir_inst *out = form_put(m, IR_OP_EXCHANGE);
    out->site = site;
    IR_SET_SOURCES(m->f, out, ir_of_reg(lanes));
    if (!head)
        form_put_guard_count(m, site, w->lanes, 1);
}

/* A barrier, or what the interpreter does. */
static void write_other(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_inst *in = &m->k->insts[site];
    need(w, in->guard);
    if (form_at_head(m, site)) /* the interpreter does not count it again there */
        form_put_guard_count(m, site, w->lanes, 1);
    keep_before(w, site);
    if (jit_waits(in)) {
        EVENT(w, site, barrier, w->lanes);
    } else {
        put_changed(w, site);
        form_put(m, IR_OP_LEAVE)->site = site;
    }
}

/* Of accesses none leaves: under a mask what may not be done here is left to the interpreter's step in its place. */
static void write_plain(struct split_writer *w, int32_t site)
{
    struct form_writer *m = &w->m;
    const struct ir_inst *in = &m->k->insts[site];
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    need_operands(w, in);
    if (shape_guarded_source(m->k, m->e->s, m->e->job->dim, in, lo, hi) >= 0)
        put_changed(w, site);
    bool before = form_at_head(m, site) || (in->guard != IR_NOREG && ir_defines(in, in->guard)); /* what leaves elsewhere is counted there */
    if (before)
        form_put_guard_count(m, site, w->lanes, 1);
    form_copy(m, site);
    if (!before)
        form_put_guard_count(m, site, w->lanes, 1);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG) {
            ir_bit_set(w->here, in->dst[d]);
            ir_bit_set(w->changed, in->dst[d]);
        }
}

static void write_inst(struct split_writer *w, int32_t site)
{
    const struct step *st = &w->m.e->job->code->step[site];
    if (step_is_plain(st))
        write_plain(w, site);
    else if (st->kind == STEP_BRANCH)
        write_branch(w, site);
    else if (st->kind == STEP_EXIT)
        write_exit(w, site);
    else if (step_is_exchange(st))
        write_exchange(w, site);
    else
        write_other(w, site);
}

static void write_all(struct split_writer *w)
{
    struct form_writer *m = &w->m;
    m->from = m->k->insts[0].from;
    write_enter(w);
    for (int32_t i = 0; i < m->k->ninsts && !m->out->why_not; i++) {
        if (m->at[i] >= 0 && i)
            keep_behind(w, i - 1);
        m->from = m->k->insts[i].from;
        if (m->at[i] >= 0)
            begin_position(w, i);
        write_inst(w, i);
    }
    form_set_label(m, m->at[m->k->ninsts]);
    form_put(m, IR_OP_RETURN); /* nothing runs off the kernel's end */
}

struct form *split_form_make(struct emit *e)
{
    struct split_writer w = {0};
    form_begin(&w.m, e, true);
    w.m.out->split = true;
    w.begin = form_label(&w.m);
    w.here = alloc_zeroed(w.m.words * 8 + 8);
    w.changed = alloc_zeroed(w.m.words * 8 + 8);
    w.live = alloc_zeroed(w.m.words * 8 + 8);
    w.joins = alloc_zeroed((size_t)e->k->nblocks + 1);
    find_joins(&w);
    write_all(&w);
    alloc_release(w.here);
    alloc_release(w.changed);
    alloc_release(w.live);
    alloc_release(w.joins);
    return form_finish(&w.m);
}
