/* Writes a form of a kernel (form_writer.h). */
#include "jit/llvm/form_writer.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/cfg.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "ir/ssa.h"

#include <string.h>

enum { MOST_SIZE = 6000 /* instructions of the block form */,
       MOST_NAMED = IR_OPERANDS - 64 /* registers of a `state` of it, but those where the part ends */ };

static const struct ptx_mods no_mods;

/* --- writing --- */

void form_refuse(struct form_writer *m, const char *why)
{
    m->out->why_not = m->out->why_not ? m->out->why_not : why;
}

int32_t form_label(struct form_writer *m)
{
    ALLOC_GROW(m->label, m->nlabels, m->cap_labels);
    m->label[m->nlabels] = -1;
    return m->nlabels++;
}

void form_set_label(struct form_writer *m, int32_t label)
{
    m->label[label] = m->f->ninsts;
}

/* Its address holds until the next one. */
struct ir_inst *form_put(struct form_writer *m, uint16_t op)
{
    struct ir_kernel *f = m->f;
    ALLOC_GROW(f->insts, f->ninsts, m->cap);
    if (f->ninsts > MOST_SIZE && !m->out->warp)
        form_refuse(m, "its block form would be too long");
    struct ir_inst *in = &f->insts[f->ninsts++];
    *in = (struct ir_inst){.op = op, .vec = 1, .guard = IR_NOREG, .target = -1, .join = -1, .site = -1, .mods = &no_mods, .from = m->from};
    return in;
}

int32_t form_reg(struct form_writer *m, uint8_t type, bool uniform)
{
    struct ir_kernel *f = m->f;
    int32_t n = f->nregs, cap = m->cap_type;
    ALLOC_GROW(f->reg_type, n, m->cap_type);
    if (m->cap_type != cap)
        m->uniform = alloc_resize(m->uniform, (size_t)m->cap_type);
    if (m->cap_type != cap)
        m->own = alloc_resize(m->own, (size_t)m->cap_type);
    f->reg_type[f->nregs] = type;
    m->uniform[f->nregs] = uniform;
    m->own[f->nregs] = false;
    return f->nregs++;
}

int32_t form_reg_like(struct form_writer *m, int32_t reg)
{
    int32_t n = form_reg(m, m->k->reg_type[reg], true), cap = m->cap_place;
    while (n >= m->cap_place)
        m->cap_place += 256;
    if (m->cap_place != cap)
        m->out->place = alloc_resize(m->out->place, (size_t)m->cap_place * sizeof *m->out->place);
    for (int32_t i = cap; i < m->cap_place; i++)
        m->out->place[i] = -1;
    m->out->place[n] = reg;
    return n;
}

int32_t form_reg_own(struct form_writer *m, int32_t reg, bool uniform)
{
    int32_t n = form_reg_like(m, reg);
    m->uniform[n] = uniform;
    m->own[n] = true;
    return n;
}

void form_jump(struct form_writer *m, int32_t label)
{
    form_put(m, PTX_OP_BRA)->target = label;
}

void form_jump_if(struct form_writer *m, int32_t guard, bool negated, int32_t label)
{
    struct ir_inst *in = form_put(m, PTX_OP_BRA);
    in->guard = guard;
    in->guard_negated = negated;
    in->target = label;
}

void form_put_result(struct form_writer *m, uint16_t op, uint8_t type, int32_t dst, int n, const struct ir_src *src)
{
    struct ir_inst *in = form_put(m, op);
    in->type = type;
    ir_set_sources(m->f, in, n, src);
    IR_SET_RESULTS(m->f, in, dst);
}

void form_put_pred(struct form_writer *m, uint16_t op, int32_t dst, int32_t a, int32_t b)
{
    struct ir_src src[2] = {ir_of_reg(a), ir_of_reg(b)};
    form_put_result(m, op, PTX_PRED, dst, b == IR_NOREG ? 1 : 2, src);
}

static void put_none(struct form_writer *m, int32_t dst)
{
    struct ir_src no = ir_of_value(0);
    form_put_result(m, PTX_OP_MOV, PTX_PRED, dst, 1, &no);
}

/* Whether a predicate holds for some lane, or for all. */
int32_t form_ask(struct form_writer *m, uint16_t op, int32_t pred)
{
    int32_t r = form_reg(m, PTX_PRED, true);
    form_put_pred(m, op, r, pred, IR_NOREG);
    return r;
}

/* A predicate, or what it is not. */
int32_t form_turned(struct form_writer *m, int32_t pred, bool negated)
{
    if (!negated)
        return pred;
    int32_t r = form_reg(m, PTX_PRED, m->uniform[pred]);
    form_put_pred(m, PTX_OP_NOT, r, pred, IR_NOREG);
    return r;
}

int32_t form_both(struct form_writer *m, int32_t a, int32_t b)
{
    int32_t r = form_reg(m, PTX_PRED, false);
    form_put_pred(m, PTX_OP_AND, r, a, b);
    return r;
}

/* --- what is alive --- */

void form_alive_before(const struct form_writer *m, int32_t site, uint64_t *live)
{
    liveness_before(m->k, site, live);
}

void form_alive_behind(const struct form_writer *m, int32_t site, uint64_t *live)
{
    const struct ir_block *b = &m->k->blocks[m->k->insts[site].block];
    if (site + 1 < b->first + b->count)
        form_alive_before(m, site + 1, live);
    else
        memcpy(live, b->live_out, m->words * 8);
}

/* --- the code of a warp --- */

bool form_scalar(const struct form_writer *m, int32_t reg)
{
    return shape_uniform(&m->e->s->reg[reg]);
}

bool form_is_branch(const struct ir_inst *in)
{
    return in->op == PTX_OP_BRA && in->guard != IR_NOREG;
}

int32_t form_code_at(struct form_writer *m, int32_t site)
{
    int32_t *at = m->masked ? m->at_masked : m->at;
    if (at[site] < 0) {
        at[site] = form_label(m);
        m->left[m->nleft++] = m->masked ? -1 - site : site;
    }
    return at[site];
}

/* The warp is at the part's end. */
static void end_at(struct form_writer *m, enum jit_stop why, int32_t site)
{
    if (m->ended && (m->part->why != why || m->part->end != site))
        form_refuse(m, "its warps may come to different barriers");
    m->part->why = why;
    m->part->end = site;
    m->ended = true;
}

/* On to a block of the kernel, without a mask. */
static void go(struct form_writer *m, int32_t block)
{
    int32_t site = m->k->blocks[block].first;
    if (!m->cut[block]) {
        form_jump(m, form_code_at(m, site));
        return;
    }
    end_at(m, JIT_TURN, site);
    form_jump(m, m->end_label);
}

void form_put_state_as(struct form_writer *m, int32_t site, int32_t row, int n, const int32_t *masks, const uint64_t *live, const int32_t *as)
{
    int own = n, all = m->nbefore + n;
    for (size_t w = 0; w < m->words; w++)
        all += __builtin_popcountll(live[w]);
    if (all > (m->out->warp ? IR_STATE : MOST_NAMED)) {
        form_refuse(m, "too many of its registers are alive at once");
        return;
    }
    struct ir_src *src = alloc_zeroed(((size_t)all + 1) * sizeof *src);
    for (int i = 0; i < n; i++)
        src[i] = ir_of_reg(masks[i]);
    for (int32_t r = 0; r < m->k->nregs; r++)
        if (ir_bit(live, r))
            src[own++] = ir_of_reg(as ? as[r] : r);
    for (int i = 0; i < m->nbefore; i++)
        src[own + i] = ir_of_reg(m->before[m->begun[i]]);
    struct ir_inst *in = form_put(m, IR_OP_STATE);
    in->site = site;
    in->target = row;
    in->ntargets = own;
    in->targets = ARENA_ARRAY(&m->f->arena, int32_t, 1);
    in->targets[0] = all;
    ir_set_sources(m->f, in, all, src);
    alloc_release(src);
}

void form_put_state(struct form_writer *m, int32_t site, int32_t row, int n, const int32_t *masks, const uint64_t *live)
{
    form_put_state_as(m, site, row, n, masks, live, NULL);
}

/* A loop's next turn begins at its header. */
static void put_turn(struct form_writer *m, int32_t header)
{
    if (m->out->warp) {
        form_put_state(m, m->k->blocks[header].first, -1, 0, NULL, m->k->blocks[header].live_in);
        form_put(m, IR_OP_YIELD);
    } else {
        form_put(m, IR_OP_TURN)->site = m->k->blocks[header].first;
    }
    m->loops = true;
}

void form_join(struct form_writer *m, int32_t block)
{
    if (m->out->warp && ir_loop_at(m->k, block))
        put_turn(m, block);
    go(m, block);
}

static int32_t block_behind(const struct form_writer *m, int32_t site)
{
    return m->k->insts[site + 1].block;
}

/* A label of the way to a block, from a branch of block `from` to it. */
static int32_t way_to(struct form_writer *m, int32_t block, bool back, int32_t *way)
{
    *way = -1;
    if (!back && !m->cut[block])
        return form_code_at(m, m->k->blocks[block].first);
    return *way = form_label(m);
}

static void write_way(struct form_writer *m, int32_t way, int32_t block, bool back)
{
    if (way < 0)
        return;
    form_set_label(m, way);
    if (back)
        put_turn(m, block);
    go(m, block);
}

static struct form_row *row_of(struct form_writer *m, const struct ir_inst *branch)
{
    struct emit *e = m->e;
    const struct region *known = region_with(e, branch);
    for (struct form_row *w = m->rows; w && known; w = w->next)
        if (w->r == known)
            return w;
    struct region *r = region_find(e, branch);
    if (!r)
        return NULL;
    struct form_row *w = alloc_zeroed(sizeof *w);
    r->next = e->regions;
    e->regions = r;
    *w = (struct form_row){.r = r, .number = m->out->nrows, .begin = form_label(m), .next = m->rows,
                      .wait = alloc_zeroed(((size_t)r->n + 1) * sizeof *w->wait), .behind = alloc_zeroed(((size_t)r->n + 1) * sizeof *w->behind)};
    m->rows = w;
    for (int i = 0; i < r->n; i++) {
        w->wait[i] = form_reg(m, PTX_PRED, false);
        w->behind[i] = form_label(m);
    }
    m->out->row = alloc_resize(m->out->row, ((size_t)m->out->nrows + 1) * sizeof *m->out->row);
    struct block_row *to = &m->out->row[m->out->nrows++];
    *to = (struct block_row){.n = r->n, .join = r->join, .block = alloc_zeroed(((size_t)r->n + 1) * sizeof *to->block)};
    memcpy(to->block, r->block, (size_t)r->n * sizeof *to->block);
    return w;
}

/* Lanes go to a block of the row; those that are at its join are nowhere else. */
static void send(struct form_writer *m, const struct form_row *w, int32_t block, int32_t lanes)
{
    int nth = w->r->at[block];
    if (nth < w->r->n)
        form_put_pred(m, PTX_OP_OR, w->wait[nth], w->wait[nth], lanes);
}

bool form_at_head(const struct form_writer *m, int32_t site)
{
    return site == m->k->blocks[m->k->insts[site].block].first;
}

static void leave_at(struct form_writer *m, int32_t site)
{
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    form_alive_before(m, site, live);
    form_put_state(m, site, -1, 0, NULL, live);
    form_put(m, IR_OP_LEAVE);
    alloc_release(live);
}

/* The warp's lanes part; nobody waits for it. */
static void set_aside(struct form_writer *m, int32_t site)
{
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    form_alive_before(m, site, live);
    form_put_state(m, site, -1, 0, NULL, live);
    form_put(m, IR_OP_ASIDE);
    m->out->aside = true;
    form_jump(m, m->next_label);
    alloc_release(live);
}

static void put_count(struct form_writer *m, uint16_t op, int32_t site, struct ir_src lanes, int32_t warps)
{
    struct ir_src src[2] = {lanes, warps == FORM_ALL_WARPS ? ir_of_reg(m->many) : ir_of_value((uint64_t)warps)};
    struct ir_inst *in = form_put(m, op);
    in->site = site;
    ir_set_sources(m->f, in, 2, src);
}

/* The lanes that the instruction's guard holds for, of those of `mask` (IR_NOREG: of all). */
static int32_t guard_lanes(struct form_writer *m, int32_t site, int32_t mask)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t lanes = form_turned(m, in->guard, in->guard_negated);
    return mask == IR_NOREG ? lanes : form_both(m, mask, lanes);
}

void form_put_guard_count(struct form_writer *m, int32_t site, int32_t mask, int32_t warps)
{
    if (m->e->job->runs && m->k->insts[site].guard != IR_NOREG && !ir_only_counts(&m->k->insts[site]))
        put_count(m, IR_OP_COUNT_GUARD, site, ir_of_reg(guard_lanes(m, site, mask)), warps);
}

/* Lanes part at the branch, perhaps. */
static void put_branch_count(struct form_writer *m, int32_t site, int32_t lanes, int32_t mask)
{
    struct ir_src src[2] = {ir_of_reg(lanes), ir_of_reg(mask)};
    if (!m->e->job->runs)
        return;
    struct ir_inst *out = form_put(m, IR_OP_COUNT_BRANCH);
    out->site = site;
    ir_set_sources(m->f, out, mask == IR_NOREG ? 1 : 2, src);
}

void form_put_block_count(struct form_writer *m, int32_t site, int32_t mask, int32_t warps)
{
    if (m->e->job->runs || m->e->tells_time)
        put_count(m, IR_OP_COUNT_BLOCK, site, mask == IR_NOREG ? ir_of_value(UINT32_MAX) : ir_of_reg(mask), warps);
}

/* Of the lanes that are there. */
static int32_t ask_any(struct form_writer *m, int32_t lanes)
{
    return form_ask(m, IR_OP_ANY, m->masked ? form_both(m, lanes, m->staying) : lanes);
}

static int32_t ask_all(struct form_writer *m, int32_t lanes)
{
    if (!m->masked)
        return form_ask(m, IR_OP_ALL, lanes);
    int32_t off = form_turned(m, m->staying, true), r = form_reg(m, PTX_PRED, false);
    form_put_pred(m, PTX_OP_OR, r, off, lanes);
    return form_ask(m, IR_OP_ALL, r);
}

/* All lanes agree, or the interpreter goes on. What leaves at a block's head has been counted there, and is not once more (but of
 * several warps that go at once only the first). Answers whether the guard holds. */
static int32_t agree(struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t lanes = form_turned(m, in->guard, in->guard_negated), on = form_label(m);
    if (form_at_head(m, site))
        form_put_guard_count(m, site, IR_NOREG, 1);
    int32_t any = ask_any(m, lanes), all = ask_all(m, lanes);
    form_jump_if(m, all, false, on);
    form_jump_if(m, any, true, on);
    if (m->jams && form_at_head(m, site) && m->e->job->runs)
        put_count(m, IR_OP_UNCOUNT_GUARD, site, ir_of_reg(lanes), 1);
    if (m->interchanged)
        set_aside(m, site);
    else
        leave_at(m, site);
    form_set_label(m, on);
    if (!form_at_head(m, site))
        form_put_guard_count(m, site, IR_NOREG, 1);
    return all;
}

/* The jumps put from `first` on. */
static void note_first_branch(struct form_writer *m, int32_t site, int32_t first)
{
    if (m->first_branch.site >= 0)
        return;
    m->first_branch.site = site;
    for (int i = 0; i < 2; i++)
        m->first_branch.jump[i] = first + i;
}

/* A warp that comes to the block does nothing more. */
static bool leads_out(const struct form_writer *m, int32_t block)
{
    const struct ir_kernel *k = m->k;
    for (int32_t steps = 0, site = k->blocks[block].first; steps < k->ninsts; steps++) {
        const struct ir_inst *in = &k->insts[site];
        if (m->e->job->code->step[site].kind == STEP_EXIT && in->guard == IR_NOREG)
            return true;
        if (in->op != PTX_OP_BRA || in->guard != IR_NOREG)
            return false;
        site = k->blocks[in->target].first;
    }
    return false;
}

/* One of the branch's ways leads out: the others' lanes go on in masked code. */
static bool lose_lanes(struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t next = block_behind(m, site), way, way_next;
    bool out = leads_out(m, in->target), masked = m->masked;
    if (!m->stays || in->back_edge || (!out && !leads_out(m, next)))
        return false;
    int32_t lanes = form_turned(m, in->guard, in->guard_negated), stay = form_turned(m, lanes, out);
    int32_t all = ask_all(m, lanes), any = ask_any(m, lanes);
    form_jump_if(m, all, false, way_to(m, in->target, false, &way));
    form_jump_if(m, any, true, way_to(m, next, false, &way_next));
    form_put_pred(m, PTX_OP_MOV, m->staying, masked ? form_both(m, stay, m->staying) : stay, IR_NOREG);
    struct ir_inst *said = form_put(m, IR_OP_STAY);
    IR_SET_SOURCES(m->f, said, ir_of_reg(m->staying));
    m->masked = true;
    go(m, out ? next : in->target);
    m->masked = masked;
    write_way(m, way, in->target, false);
    write_way(m, way_next, next, false);
    return true;
}

/* Lanes that differ go through a row, or are left to the interpreter. */
static void part_lanes(struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    if (lose_lanes(m, site))
        return;
    if (!m->jams && !m->masked && serial_form_leads_in(m, site)) {
        int32_t taken = form_turned(m, in->guard, in->guard_negated);
        put_branch_count(m, site, taken, IR_NOREG);
        serial_form_branch(m, site, taken);
        m->in_order = true;
        return;
    }
    struct form_row *w = m->jams || m->masked ? NULL : row_of(m, in);
    m->in_order |= m->jams && m->k->blocks[in->block].loop >= 0; /* sooner or later they do */
    int32_t next = block_behind(m, site), way, way_next, lanes = IR_NOREG;
    if (w) {
        lanes = form_turned(m, in->guard, in->guard_negated);
        put_branch_count(m, site, lanes, IR_NOREG);
    }
    int32_t any = w ? form_ask(m, IR_OP_ANY, lanes) : IR_NOREG, all = w ? form_ask(m, IR_OP_ALL, lanes) : agree(m, site);
    note_first_branch(m, site, m->f->ninsts);
    form_jump_if(m, all, false, way_to(m, in->target, in->back_edge, &way));
    if (w)
        form_jump_if(m, any, true, way_to(m, next, false, &way_next));
    else
        form_jump(m, way_to(m, next, false, &way_next));
    if (w) {
        for (int i = 0; i < w->r->n; i++)
            put_none(m, w->wait[i]);
        send(m, w, in->target, lanes);
        send(m, w, next, form_turned(m, in->guard, !in->guard_negated));
        form_jump(m, w->r->at[in->block] >= 0 ? w->behind[w->r->at[in->block]] : w->begin);
    }
    write_way(m, way, in->target, in->back_edge);
    write_way(m, way_next, next, false);
}

static void write_branch(struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t way, way_next, next = block_behind(m, site);
    if (in->guard == IR_NOREG) {
        if (in->back_edge)
            put_turn(m, in->target);
        go(m, in->target);
    } else if (m->between[site]) {
        if (!form_scalar(m, in->guard) || !ir_bit(m->alike, in->guard))
            form_refuse(m, "its warps may take different ways to barriers");
        end_at(m, JIT_TURN, site);
        form_jump(m, m->end_label);
    } else if (!form_scalar(m, in->guard)) {
        part_lanes(m, site);
    } else {
        m->in_order |= !m->out->warp && !ir_bit(m->alike, in->guard);
        form_put_guard_count(m, site, IR_NOREG, 1);
        note_first_branch(m, site, m->f->ninsts);
        form_jump_if(m, in->guard, in->guard_negated, way_to(m, in->target, in->back_edge, &way));
        form_jump(m, way_to(m, next, false, &way_next));
        write_way(m, way, in->target, in->back_edge);
        write_way(m, way_next, next, false);
    }
}

/* The interpreter may have to go on before it, or find a fault. */
static bool may_leave(const struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    bool access = ir_is_memory(in) && in->space != PTX_PARAM;
    bool effects = (!facts_pure(in) || in->op >= PTX_OP_COUNT) && !ir_only_counts(in) && !ir_is_memory(in) && !m->out->warp; /* else a fault is of this warp alone */
    return access || effects || !step_is_plain(&m->e->job->code->step[site]) || shape_guarded_source(m->k, m->e->s, m->e->job->dim, in, lo, hi) >= 0;
}

/* Several warps may do it at once: nothing of it is left to the interpreter before the next warp does it. */
static bool jams_well(const struct form_writer *m, const struct ir_inst *in)
{
    struct shape_reach reach;
    bool access = in->op == PTX_OP_LD || in->op == PTX_OP_LDU || in->op == PTX_OP_ST;
    bool near = in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_CONST;
    if (ir_only_counts(in))
        return true;
    if (in->op >= PTX_OP_COUNT || facts_carry(in))
        return false;
    if (!ir_is_memory(in) || in->space == PTX_PARAM)
        return true;
    if (m->e->job->counting && in->guard != IR_NOREG) /* it may leave when the first warps have done it */
        return false;
    return access && near && in->mods->order == PTX_WEAK && (in->guard == IR_NOREG || form_scalar(m, in->guard)) &&
           shape_reach(m->k, m->e->s, m->e->job->dim, in, &reach);
}

struct ir_inst *form_copy(struct form_writer *m, int32_t site)
{
    m->in_order |= !jams_well(m, &m->k->insts[site]);
    m->from = m->k->insts[site].from;
    struct ir_inst *in = form_put(m, PTX_OP_MOV);
    *in = m->k->insts[site];
    in->site = site;
    return in;
}

/* An instruction that goes nowhere, for all lanes. */
static void write_inst(struct form_writer *m, int32_t site, uint64_t *live)
{
    if (may_leave(m, site)) {
        form_alive_before(m, site, live);
        form_put_state(m, site, -1, 0, NULL, live);
    }
    const struct ir_inst *in = &m->k->insts[site];
    if (m->masked && !(facts_pure(in) && in->op < PTX_OP_COUNT)) {
        int32_t guard = in->guard == IR_NOREG ? m->staying : form_both(m, m->staying, form_turned(m, in->guard, in->guard_negated));
        struct ir_inst *out = form_copy(m, site);
        out->guard = guard;
        out->guard_negated = false;
        out->old_free = in->guard == IR_NOREG;
        return;
    }
    bool before = form_at_head(m, site) || (in->guard != IR_NOREG && ir_defines(in, in->guard)); /* what leaves elsewhere is counted there */
    if (before)
        form_put_guard_count(m, site, IR_NOREG, 1);
    form_copy(m, site);
    if (!before)
        form_put_guard_count(m, site, IR_NOREG, 1);
}

/* All lanes exit, or none. */
static void write_exit(struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t on = form_label(m);
    if (in->guard != IR_NOREG && !form_scalar(m, in->guard)) {
        if (!m->out->warp)
            form_refuse(m, "some lanes of a warp may exit at an instruction");
        form_jump_if(m, agree(m, site), true, on);
    } else if (in->guard != IR_NOREG) {
        m->in_order |= !m->out->warp && !ir_bit(m->alike, in->guard);
        form_put_guard_count(m, site, IR_NOREG, 1);
        form_jump_if(m, in->guard, !in->guard_negated, on);
    }
    if (m->out->warp) {
        struct ir_inst *stop = form_put(m, IR_OP_STOP);
        stop->target = JIT_EXIT;
        stop->site = site;
    } else {
        m->exit = site;
        form_jump(m, m->exit_label);
    }
    form_set_label(m, on);
}

/* The warp waits at a barrier. */
static void write_barrier(struct form_writer *m, int32_t site, uint64_t *live)
{
    if (!m->out->warp) {
        end_at(m, JIT_BARRIER, site);
        form_jump(m, m->end_label);
        return;
    }
    form_alive_behind(m, site, live);
    form_put_state(m, site, -1, 0, NULL, live);
    struct ir_inst *stop = form_put(m, IR_OP_STOP);
    stop->target = JIT_BARRIER;
    stop->site = site;
}

/* Behind `site` the warp's turn may end. */
static void write_end_of_turn(struct form_writer *m, int32_t site, uint64_t *live)
{
    if (!m->out->warp) {
        end_at(m, JIT_TURN, site + 1);
        form_jump(m, m->end_label);
        return;
    }
    form_alive_behind(m, site, live);
    form_put_state(m, site + 1, -1, 0, NULL, live);
    form_put(m, IR_OP_END_TURN)->site = site;
    form_jump(m, form_code_at(m, site + 1));
}

/* Code may be entered before it, from outside. */
static bool enters(const struct form_writer *m, int32_t site)
{
    return m->out->warp && m->e->job->resume[site] >= 0 && emit_entered_before(m->e, site);
}

bool form_may_record(const struct form_writer *m, const struct ir_block *b)
{
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (step_leaves_records(&m->e->job->code->step[i]) || step_reads_time(&m->e->job->code->step[i]) || m->e->job->code->step[i].entered)
            return true;
    return false;
}

static void begin_block(struct form_writer *m, int32_t site, uint64_t *live)
{
    const struct ir_block *b = &m->k->blocks[m->k->insts[site].block];
    if (enters(m, site) && leaves_records(m->e) && form_may_record(m, b)) {
        form_alive_before(m, site, live);
        form_put_state(m, site, -1, 0, NULL, live);
        form_put(m, IR_OP_RING)->site = site;
    }
    if (!m->between[site]) /* a branch of the block is counted with it */
        form_put_block_count(m, site, IR_NOREG, 1);
}

/* Machine code leaves it to the interpreter. */
static bool is_left(const struct form_writer *m, int32_t site)
{
    const struct step *st = &m->e->job->code->step[site];
    return !step_is_plain(st) && (!step_is_exchange(st) || m->k->insts[site].guard != IR_NOREG);
}

static void write_left(struct form_writer *m, int32_t site)
{
    if (!m->out->warp)
        form_refuse(m, "it has an instruction that machine code leaves to the interpreter");
    if (form_at_head(m, site))
        form_put_guard_count(m, site, IR_NOREG, 1);
    leave_at(m, site);
}

/* True: the code ends there. */
static bool write_one(struct form_writer *m, int32_t site, uint64_t *live)
{
    const struct ir_inst *in = &m->k->insts[site];
    const struct step *st = &m->e->job->code->step[site];
    if (st->kind == STEP_BRANCH && in->op == PTX_OP_BRA && !st->level && !in->after_call) {
        write_branch(m, site);
        return true;
    }
    if (st->kind == STEP_EXIT) {
        write_exit(m, site);
        return in->guard == IR_NOREG;
    }
    if (jit_waits(in)) {
        write_barrier(m, site, live);
        return true;
    }
    if (is_left(m, site)) {
        write_left(m, site);
        return true;
    }
    write_inst(m, site, live);
    if (emit_ends_turn(m->e, site) && !m->between[site + 1]) { /* else that branch is the cut */
        write_end_of_turn(m, site, live);
        return true;
    }
    return false;
}

static void write_from(struct form_writer *m, int32_t site, uint64_t *live)
{
    const struct ir_kernel *k = m->k;
    m->masked = site < 0;
    site = site < 0 ? -1 - site : site;
    form_set_label(m, m->masked ? m->at_masked[site] : m->at[site]);
    m->in_order |= serial_region_with(m->e, k->insts[site].block) != NULL;
    if (!m->jams && !m->masked && serial_form_begin(m, site))
        return;
    for (int32_t i = site; i < k->ninsts && !m->out->why_not; i++) {
        m->from = k->insts[i].from;
        if (i != site && form_at_head(m, i)) {
            go(m, k->insts[i].block);
            return;
        }
        if (i != site && enters(m, i)) {
            form_jump(m, form_code_at(m, i));
            return;
        }
        if (form_at_head(m, i))
            begin_block(m, i, live);
        if (write_one(m, i, live))
            return;
    }
}

/* --- rows --- */

/* What the lanes of the row's blocks need, those of this one (nth; -1: of none) waiting for it once more. */
static void put_row_state(struct form_writer *m, const struct form_row *w, int nth, int32_t mask, uint64_t *live)
{
    const struct region *r = w->r;
    int32_t masks[JIT_MOST_WAITING];
    memcpy(live, m->k->blocks[r->join].live_in, m->words * 8);
    for (int i = 0; i < r->n; i++) {
        masks[i] = i == nth ? mask : w->wait[i];
        const struct serial_region *s = serial_region_in(m->e, r, i);
        for (size_t word = 0; word < m->words && (!s || serial_region_waits(s, r->block[i])); word++)
            live[word] |= m->k->blocks[r->block[i]].live_in[word];
    }
    form_put_state(m, m->k->blocks[r->block[nth < 0 ? 0 : nth]].first, w->number, r->n, masks, live);
}

/* An instruction for the lanes of `mask`. */
static void write_masked(struct form_writer *m, const struct form_row *w, int nth, int32_t site, int32_t mask)
{
    const struct ir_inst *in = &m->k->insts[site];
    bool needed = false, guarded = in->guard != IR_NOREG;
    for (int d = 0; d < in->ndst; d++)
        needed |= in->dst[d] != IR_NOREG && ir_bit(region_needed(m->e, w->r, nth), in->dst[d]);
    m->from = in->from;
    if (!needed && facts_pure(in) && in->op < PTX_OP_COUNT) {
        form_copy(m, site);
        return;
    }
    int32_t guard = guarded ? form_both(m, mask, form_turned(m, in->guard, in->guard_negated)) : mask;
    struct ir_inst *out = form_copy(m, site);
    out->guard = guard;
    out->guard_negated = false;
    out->old_free = !needed && !guarded;
}

static void write_block(struct form_writer *m, const struct form_row *w, int nth, uint64_t *live)
{
    const struct region *r = w->r;
    const struct ir_block *b = &m->k->blocks[r->block[nth]];
    int32_t mask = form_reg(m, PTX_PRED, false);
    form_put_pred(m, PTX_OP_MOV, mask, w->wait[nth], IR_NOREG);
    put_none(m, w->wait[nth]);
    put_row_state(m, w, nth, mask, live);
    form_put_block_count(m, b->first, mask, 1);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_inst *in = &m->k->insts[i];
        m->from = in->from;
        if (in->op != PTX_OP_BRA) {
            form_put_guard_count(m, i, mask, 1);
            write_masked(m, w, nth, i, mask);
        } else if (in->guard == IR_NOREG) {
            send(m, w, in->target, mask);
            return;
        } else {
            int32_t lanes = form_both(m, mask, form_turned(m, in->guard, in->guard_negated));
            put_branch_count(m, i, lanes, mask);
            send(m, w, in->target, lanes);
            send(m, w, block_behind(m, i), form_both(m, mask, form_turned(m, in->guard, !in->guard_negated)));
            return;
        }
    }
    send(m, w, region_block_behind(m->e, r->block[nth]), mask);
}

static void write_row(struct form_writer *m, struct form_row *w, uint64_t *live)
{
    const struct region *r = w->r;
    int32_t *again = alloc_zeroed(((size_t)r->n + 1) * sizeof *again);
    form_set_label(m, w->begin);
    for (int i = 0; i < r->n && !m->out->why_not; i++) {
        m->from = m->k->insts[m->k->blocks[r->block[i]].first].from;
        const struct serial_region *s = serial_region_in(m->e, r, i);
        again[i] = form_label(m);
        form_set_label(m, again[i]);
        if (s && serial_region_begins(s, r, i))
            send(m, w, s->r->join, serial_form_pass(m, s, w));
        if (!s)
            form_jump_if(m, form_ask(m, IR_OP_ANY, w->wait[i]), true, w->behind[i]);
        if (!s)
            write_block(m, w, i, live);
        form_set_label(m, w->behind[i]);
        for (int back = i; back >= 0; back--) /* inner loops first */
            if (r->end[back] == i && !serial_region_in(m->e, r, back)) {
                int32_t on = form_label(m);
                form_jump_if(m, form_ask(m, IR_OP_ANY, w->wait[back]), true, on);
                if (m->out->warp)
                    put_row_state(m, w, -1, IR_NOREG, live);
                form_put(m, IR_OP_TURN)->site = m->k->blocks[r->block[back]].first;
                form_jump(m, again[back]);
                form_set_label(m, on);
            }
    }
    form_join(m, r->join);
    w->written = true;
    alloc_release(again);
}

void form_release_rows(struct form_writer *m)
{
    while (m->rows) {
        struct form_row *next = m->rows->next;
        alloc_release(m->rows->wait);
        alloc_release(m->rows->behind);
        alloc_release(m->rows);
        m->rows = next;
    }
    region_release(m->e->regions);
    m->e->regions = NULL;
    serial_form_release(m);
}

/* A row that is not written yet, or NULL. */
static struct form_row *next_row(const struct form_writer *m)
{
    struct form_row *w = m->rows;
    while (w && w->written)
        w = w->next;
    return w;
}

void form_write_code(struct form_writer *m, uint64_t *live)
{
    while ((m->nleft || next_row(m)) && !m->out->why_not)
        if (m->nleft)
            write_from(m, m->left[--m->nleft], live);
        else
            write_row(m, next_row(m), live);
    m->masked = false;
}

/* --- begin and end --- */

int32_t form_place(const struct form *b, const struct ir_kernel *of, int32_t reg)
{
    int32_t v = ir_variable(b->k, reg);
    return v < of->nregs ? v : v < b->nplaces ? b->place[v] : -1;
}

static void resolve(struct form_writer *m)
{
    for (int32_t i = 0; i < m->f->ninsts; i++) {
        struct ir_inst *in = &m->f->insts[i];
        if (in->op == PTX_OP_BRA)
            in->target = m->label[in->target];
        for (int32_t t = 0; ir_has_targets(in) && t < in->ntargets; t++)
            in->targets[t] = m->label[in->targets[t]];
    }
}

/* A version has its register's steps, and what is new in the form none. */
static void find_steps(struct form_writer *m)
{
    const struct ir_kernel *f = m->f;
    struct unroll_jam_steps *of = m->steps, *to;
    if (!of)
        return;
    to = alloc_zeroed(sizeof *to);
    to->known = alloc_zeroed(((size_t)f->nregs / 64 + 1) * 8);
    to->by = alloc_zeroed(((size_t)f->nregs + 1) * sizeof *to->by);
    for (int32_t r = 0; r < f->nregs; r++) {
        int32_t v = form_place(m->out, m->k, r);
        if (v >= 0 ? ir_bit(of->known, v) : m->uniform[ir_variable(f, r)])
            ir_bit_set(to->known, r);
        to->by[r] = v >= 0 ? of->by[v] : 0;
    }
    unroll_jam_steps_release(of);
    m->steps = to;
}

/* Shapes of the form's registers: a version has its register's. */
static void find_shapes(struct form_writer *m)
{
    const struct ir_kernel *f = m->f;
    struct shapes *to = &m->out->shapes;
    const struct shapes *s = m->e->s;
    to->reg = alloc_zeroed(((size_t)f->nregs + 1) * sizeof *to->reg);
    to->lazy = alloc_zeroed((size_t)f->nregs + 1);
    to->parting = alloc_zeroed(((size_t)f->ninsts / 64 + 1) * 8);
    for (int32_t r = 0; r < f->nregs; r++) {
        int32_t of = form_place(m->out, m->k, r), v = ir_variable(f, r);
        if (of >= 0 && !m->own[v]) {
            to->reg[r] = s->reg[of];
            to->lazy[r] = s->lazy[of];
        } else {
            to->reg[r].kind = m->uniform[v] ? SHAPE_AFFINE : SHAPE_VARYING;
            to->lazy[r] = of >= 0 && s->lazy[of];
        }
    }
}

static struct ir_kernel *new_kernel(const struct ir_kernel *k)
{
    struct ir_kernel *f = alloc_zeroed(sizeof *f);
    *f = *k;
    arena_init(&f->arena);
    f->insts = NULL;
    f->blocks = NULL;
    f->loops = NULL;
    f->variable = NULL;
    f->claims = NULL;
    f->problems = NULL;
    f->effects = NULL;
    f->unwritten = NULL;
    f->ninsts = f->nblocks = f->nloops = f->nvariable = 0;
    f->reg_type = NULL;
    return f;
}

static void open_lists(struct form_writer *m)
{
    const struct ir_kernel *k = m->k;
    m->words = ((size_t)k->nregs + 63) / 64;
    m->cap_type = k->nregs + 64;
    m->f->reg_type = alloc_zeroed((size_t)m->cap_type);
    m->uniform = alloc_zeroed((size_t)m->cap_type);
    m->own = alloc_zeroed((size_t)m->cap_type);
    if (k->nregs)
        memcpy(m->f->reg_type, k->reg_type, (size_t)k->nregs);
    for (int32_t r = 0; r < k->nregs; r++)
        m->uniform[r] = form_scalar(m, r);
    m->base = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->base);
    m->before = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->before);
    m->begun = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->begun);
    for (int32_t r = 0; r < k->nregs; r++)
        m->base[r] = -1;
    m->cut = alloc_zeroed((size_t)k->nblocks + 1);
    m->between = alloc_zeroed((size_t)k->ninsts + 1);
    size_t sites = ((size_t)k->ninsts + 2) * sizeof(int32_t);
    m->at = alloc_zeroed(sites);
    m->at_masked = alloc_zeroed(sites);
    m->left = alloc_zeroed(2 * sites);
    m->todo = alloc_zeroed(sites);
    m->part_label = alloc_zeroed(sites);
    for (int32_t i = 0; i <= k->ninsts; i++)
        m->part_label[i] = m->at[i] = m->at_masked[i] = -1;
}

void form_begin(struct form_writer *m, struct emit *e, bool warp)
{
    const uint32_t *dim = e->job->dim;
    struct form *out = alloc_zeroed(sizeof *out);
    *m = (struct form_writer){.e = e, .out = out, .k = e->k, .f = new_kernel(e->k), .index = IR_NOREG, .many = IR_NOREG,
                              .warps = (int32_t)(((uint64_t)dim[0] * dim[1] * dim[2] + SHAPE_LANES - 1) / SHAPE_LANES)};
    out->k = m->f;
    serial_regions_find(e);
    out->warp = warp;
    out->jam = out->blocks = 1;
    open_lists(m);
}

/* Atomics whose results nobody reads are without. */
static void drop_unread(struct ir_kernel *f)
{
    uint64_t *read = alloc_zeroed(((size_t)f->nregs / 64 + 1) * 8);
    for (int32_t i = 0; i < f->ninsts; i++) {
        const struct ir_inst *in = &f->insts[i];
        for (int s = 0; s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_REG)
                ir_bit_set(read, in->src[s].reg);
        for (int d = 0; d < in->ndst && in->old; d++)
            if (in->old[d] != IR_NOREG)
                ir_bit_set(read, in->old[d]);
    }
    for (int32_t i = 0; i < f->ninsts; i++) {
        struct ir_inst *in = &f->insts[i];
        if (in->op == PTX_OP_ATOM && in->ndst == 1 && in->dst[0] != IR_NOREG && !ir_bit(read, in->dst[0]))
            IR_SET_RESULTS(f, in, IR_NOREG);
    }
    alloc_release(read);
}

/* What is cleared: registers that something may read, or what was there before a write. */
static void clear_alive(struct form_writer *m)
{
    struct ir_kernel *f = m->f;
    uint64_t *live = alloc_zeroed(((size_t)f->nregs / 64 + 1) * 8);
    for (int32_t b = 0; b < f->nblocks; b++) {
        memcpy(live, f->blocks[b].live_out, ((size_t)f->nregs + 63) / 64 * 8);
        for (int32_t i = f->blocks[b].first + f->blocks[b].count - 1; i >= f->blocks[b].first; i--) {
            struct ir_inst *in = &f->insts[i];
            int32_t dst[IR_OPERANDS];
            int n = 0;
            for (int d = 0; d < in->ndst && in->op == IR_OP_CLEAR; d++)
                if (ir_bit(live, in->dst[d]))
                    dst[n++] = in->dst[d];
            if (in->op == IR_OP_CLEAR)
                ir_set_results(f, in, n, dst);
            ir_live_before(in, live);
        }
    }
    alloc_release(live);
}

struct form *form_finish(struct form_writer *m)
{
    struct form *out = m->out;
    if (!out->why_not) {
        struct ir_form *form = ARENA_NEW(&m->f->arena, struct ir_form);
        *form = (struct ir_form){.insts = m->k->ninsts, .regs = m->k->nregs, .parts = out->nparts, .rows = out->nrows};
        m->f->form = form;
        resolve(m);
        cfg_make_blocks(m->f);
        cfg_analyse(m->f);
        liveness_analyse(m->f);
        clear_alive(m);
        for (int i = 0; i < out->nparts; i++)
            out->part[i].first = m->f->insts[out->part[i].first].block;
        out->nplaces = m->cap_place;
        out->whole = m->whole;
        ir_into_ssa(m->f);
        drop_unread(m->f);
        out->maker = ir_makers(out->k);
        find_shapes(m);
        find_steps(m);
    }
    out->steps = m->steps;
    out->nserials = m->e->nserials;
    serial_regions_release(m->e->serial_regions);
    m->e->serial_regions = NULL;
    alloc_release(m->uniform);
    alloc_release(m->own);
    alloc_release(m->base);
    alloc_release(m->before);
    alloc_release(m->begun);
    alloc_release(m->cut);
    alloc_release(m->between);
    alloc_release(m->at);
    alloc_release(m->at_masked);
    alloc_release(m->left);
    alloc_release(m->todo);
    alloc_release(m->part_label);
    alloc_release(m->label);
    return out;
}

void form_release(struct form *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->nrows; i++)
        alloc_release(b->row[i].block);
    alloc_release(b->row);
    alloc_release(b->part);
    alloc_release(b->place);
    alloc_release(b->maker);
    alloc_release(b->turn);
    unroll_jam_steps_release(b->steps);
    unroll_jam_steps_release(b->block_steps);
    alloc_release(b->shapes.reg);
    alloc_release(b->shapes.lazy);
    alloc_release(b->shapes.parting);
    alloc_release(b->k->insts);
    alloc_release(b->k->reg_type);
    alloc_release(b->k->variable);
    arena_release(&b->k->arena);
    alloc_release(b->k);
    alloc_release(b);
}

