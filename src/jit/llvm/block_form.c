/* The block form (block_form.h): finds the parts, then writes the program anew, instruction by instruction. */
#include "jit/llvm/block_form.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/cfg.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "ir/ssa.h"

#include <string.h>

enum { MOST_SIZE = 6000 /* instructions of the form */, MOST_NAMED = IR_OPERANDS - 64 /* registers of a `state`, but those where the part ends */ };

/* A row of masked blocks of the part that is being written. */
struct row {
    struct region *r;
    int32_t number;    /* block_form.row */
    int32_t *wait;     /* [r->n] predicates: lanes that wait for the block */
    int32_t begin;     /* labels: of the first block, */
    int32_t *behind;   /* [r->n] and behind each */
    bool written;
    struct row *next;
};

struct making {
    struct emit *e;
    struct block_form *out;
    const struct ir_kernel *k;
    struct ir_kernel *f;
    int32_t cap, cap_type;
    bool *uniform;       /* [f->nregs] of new registers: one value in the warp; room as f->reg_type has */
    int32_t warps;
    bool *cut;           /* [nblocks] a part begins there */
    uint8_t *between;    /* [ninsts] the branch is between parts */
    const uint64_t *alike; /* registers that are the same in all warps */
    struct unroll_jam_steps *steps;
    bool jams;             /* several warps are to go through the part at once, */
    bool in_order, loops;  /* but they have to come one after the other; and it has a loop */
    int jam;               /* so many warps have room in the host's registers */
    bool whole;            /* they are all of the block, and all parts are for all of them: nothing is kept from part to part */
    int32_t *base;         /* [nregs] a register with known steps, of the first warp, between parts: or -1 */
    int32_t cap_place;
    int32_t *before;       /* [nregs] the same as the part began, */
    int32_t *begun, nbefore; /* of these registers */
    int32_t *label;      /* instruction of each label, or -1 */
    int32_t nlabels, cap_labels;
    int32_t *part_label; /* [ninsts + 1] of the part that begins at a site, or -1 */
    int32_t *todo, ntodo; /* sites where parts begin that are to be written */
    /* of the part that is being written */
    int32_t *at;         /* [ninsts + 1] label of the code for the warp from this site on, or -1 */
    int32_t *left, nleft; /* sites whose code is to be written */
    int32_t index;       /* predicates and numbers: the warp's */
    int32_t end_label;
    struct block_part *part;
    bool ended;          /* part->end is known */
    struct row *rows;
    const struct ir_origin *from;
    size_t words;
};

static const struct ptx_mods no_mods;

/* --- writing --- */

static void refuse(struct making *m, const char *why)
{
    m->out->why_not = m->out->why_not ? m->out->why_not : why;
}

static int32_t new_label(struct making *m)
{
    ALLOC_GROW(m->label, m->nlabels, m->cap_labels);
    m->label[m->nlabels] = -1;
    return m->nlabels++;
}

static void set_label(struct making *m, int32_t label)
{
    m->label[label] = m->f->ninsts;
}

/* Its address holds until the next one. */
static struct ir_inst *put(struct making *m, uint16_t op)
{
    struct ir_kernel *f = m->f;
    ALLOC_GROW(f->insts, f->ninsts, m->cap);
    if (f->ninsts > MOST_SIZE)
        refuse(m, "its block form would be too long");
    struct ir_inst *in = &f->insts[f->ninsts++];
    *in = (struct ir_inst){.op = op, .vec = 1, .guard = IR_NOREG, .target = -1, .join = -1, .site = -1, .mods = &no_mods, .from = m->from};
    return in;
}

static int32_t new_reg(struct making *m, uint8_t type, bool uniform)
{
    struct ir_kernel *f = m->f;
    int32_t n = f->nregs, cap = m->cap_type;
    ALLOC_GROW(f->reg_type, n, m->cap_type);
    if (m->cap_type != cap)
        m->uniform = alloc_resize(m->uniform, (size_t)m->cap_type);
    f->reg_type[f->nregs] = type;
    m->uniform[f->nregs] = uniform;
    return f->nregs++;
}

static void jump(struct making *m, int32_t label)
{
    put(m, PTX_OP_BRA)->target = label;
}

static void jump_if(struct making *m, int32_t guard, bool negated, int32_t label)
{
    struct ir_inst *in = put(m, PTX_OP_BRA);
    in->guard = guard;
    in->guard_negated = negated;
    in->target = label;
}

static void put_result(struct making *m, uint16_t op, uint8_t type, int32_t dst, int n, const struct ir_src *src)
{
    struct ir_inst *in = put(m, op);
    in->type = type;
    ir_set_sources(m->f, in, n, src);
    IR_SET_RESULTS(m->f, in, dst);
}

static void put_pred(struct making *m, uint16_t op, int32_t dst, int32_t a, int32_t b)
{
    struct ir_src src[2] = {ir_of_reg(a), ir_of_reg(b)};
    put_result(m, op, PTX_PRED, dst, b == IR_NOREG ? 1 : 2, src);
}

static void put_none(struct making *m, int32_t dst)
{
    struct ir_src no = ir_of_value(0);
    put_result(m, PTX_OP_MOV, PTX_PRED, dst, 1, &no);
}

/* Whether a predicate holds for some lane, or for all. */
static int32_t ask(struct making *m, uint16_t op, int32_t pred)
{
    int32_t r = new_reg(m, PTX_PRED, true);
    put_pred(m, op, r, pred, IR_NOREG);
    return r;
}

/* A predicate, or what it is not. */
static int32_t turned(struct making *m, int32_t pred, bool negated)
{
    if (!negated)
        return pred;
    int32_t r = new_reg(m, PTX_PRED, m->uniform[pred]);
    put_pred(m, PTX_OP_NOT, r, pred, IR_NOREG);
    return r;
}

static int32_t both(struct making *m, int32_t a, int32_t b)
{
    int32_t r = new_reg(m, PTX_PRED, false);
    put_pred(m, PTX_OP_AND, r, a, b);
    return r;
}

/* --- what is alive --- */

static void alive_before(const struct making *m, int32_t site, uint64_t *live)
{
    const struct ir_block *b = &m->k->blocks[m->k->insts[site].block];
    memcpy(live, b->live_out, m->words * 8);
    for (int32_t i = b->first + b->count - 1; i >= site; i--)
        ir_live_before(&m->k->insts[i], live);
}

static void alive_behind(const struct making *m, int32_t site, uint64_t *live)
{
    const struct ir_block *b = &m->k->blocks[m->k->insts[site].block];
    if (site + 1 < b->first + b->count)
        alive_before(m, site + 1, live);
    else
        memcpy(live, b->live_out, m->words * 8);
}

/* --- parts --- */

static bool scalar(const struct making *m, int32_t reg)
{
    return shape_uniform(&m->e->s->reg[reg]);
}

/* Blocks that are reached from a branch without passing its join. */
static void influence(const struct making *m, const struct ir_inst *branch, uint64_t *seen)
{
    const struct ir_kernel *k = m->k;
    int32_t join = branch->joined ? branch->join : -1, n = 0, *stack = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *stack);
    memset(seen, 0, ((size_t)k->nblocks / 64 + 1) * 8);
    for (int32_t at = branch->block; at >= 0; at = n ? stack[--n] : -1)
        for (int32_t s = 0; s < k->blocks[at].nsucc; s++) {
            int32_t to = k->blocks[at].succ[s];
            if (to < 0 || to == join || ir_bit(seen, to))
                continue;
            ir_bit_set(seen, to);
            stack[n++] = to;
        }
    alloc_release(stack);
}

/* All warps come to behind the instruction before any goes on: a barrier, or where they end a turn (interp/turn.h). */
static bool waits_at(const struct making *m, int32_t site)
{
    return jit_waits(&m->k->insts[site]) || emit_ends_turn(m->e, site);
}

static bool waits(const struct making *m, int32_t block)
{
    const struct ir_block *b = &m->k->blocks[block];
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (waits_at(m, i))
            return true;
    return false;
}

static bool some_wait(const struct making *m, const uint64_t *blocks)
{
    for (int32_t b = 0; b < m->k->nblocks; b++)
        if (ir_bit(blocks, b) && waits(m, b))
            return true;
    return false;
}

static bool is_branch(const struct ir_inst *in)
{
    return in->op == PTX_OP_BRA && in->guard != IR_NOREG;
}

static void find_parts(struct making *m)
{
    const struct ir_kernel *k = m->k;
    uint64_t *seen = alloc_zeroed(((size_t)k->nblocks / 64 + 1) * 8);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!is_branch(in))
            continue;
        influence(m, in, seen);
        if (!some_wait(m, seen))
            continue;
        m->between[i] = 1;
        m->cut[in->target] = true;
        if (i + 1 < k->ninsts)
            m->cut[k->insts[i + 1].block] = true;
        if (in->joined)
            m->cut[in->join] = true;
    }
    for (int32_t l = 0; l < k->nloops; l++)
        if (some_wait(m, k->loops[l].blocks))
            m->cut[k->loops[l].header] = true;
    alloc_release(seen);
}

/* What warps that went different ways may differ in where they meet: nothing is known of that. True: there is more. */
static bool strike(const struct making *m, uint64_t *unknown, uint64_t *seen)
{
    const struct ir_kernel *k = m->k;
    bool more = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!is_branch(in) || (scalar(m, in->guard) && ir_bit(m->alike, in->guard)))
            continue;
        influence(m, in, seen);
        for (int32_t j = 0; j < k->ninsts; j++)
            for (int d = 0; d < k->insts[j].ndst && ir_bit(seen, k->insts[j].block); d++) {
                int32_t r = k->insts[j].dst[d];
                if (r != IR_NOREG && !ir_bit(unknown, r) && (!in->joined || ir_bit(k->blocks[in->join].live_in, r))) {
                    ir_bit_set(unknown, r);
                    more = true;
                }
            }
    }
    return more;
}

/* Registers that have one value in all warps of the block. The caller releases them. */
static uint64_t *find_alike(struct making *m)
{
    const struct ir_kernel *k = m->k;
    uint64_t *unknown = alloc_zeroed(m->words * 8 + 8), *alike = alloc_zeroed(m->words * 8 + 8);
    uint64_t *seen = alloc_zeroed(((size_t)k->nblocks / 64 + 1) * 8);
    do {
        struct unroll_jam_steps *steps = unroll_jam_find_without(k, m->e->s, m->e->job->dim, m->warps, unknown);
        memset(alike, 0, m->words * 8);
        for (int32_t r = 0; r < k->nregs; r++)
            if (ir_bit(steps->known, r) && !steps->by[r])
                ir_bit_set(alike, r);
        unroll_jam_steps_release(m->steps);
        m->steps = steps;
        m->alike = alike;
    } while (strike(m, unknown, seen));
    alloc_release(unknown);
    alloc_release(seen);
    return alike;
}

/* --- the code of a warp --- */

static int32_t code_at(struct making *m, int32_t site)
{
    if (m->at[site] < 0) {
        m->at[site] = new_label(m);
        m->left[m->nleft++] = site;
    }
    return m->at[site];
}

static int32_t part_at(struct making *m, int32_t site)
{
    if (m->part_label[site] < 0) {
        m->part_label[site] = new_label(m);
        m->todo[m->ntodo++] = site;
    }
    return m->part_label[site];
}

/* The warp is at the part's end. */
static void end_at(struct making *m, enum jit_stop why, int32_t site)
{
    if (m->ended && (m->part->why != why || (why != JIT_EXIT && m->part->end != site)))
        refuse(m, "its warps may come to different barriers");
    m->part->why = why;
    m->part->end = site;
    m->ended = true;
}

/* On to a block of the kernel, without a mask. */
static void go(struct making *m, int32_t block)
{
    int32_t site = m->k->blocks[block].first;
    if (!m->cut[block]) {
        jump(m, code_at(m, site));
        return;
    }
    end_at(m, JIT_TURN, site);
    jump(m, m->end_label);
}

static void put_turn(struct making *m)
{
    put(m, IR_OP_TURN);
    m->loops = true;
}

/* A label of the way to a block, from a branch of block `from` to it. */
static int32_t way_to(struct making *m, int32_t block, bool back, int32_t *way)
{
    *way = -1;
    if (!back && !m->cut[block])
        return code_at(m, m->k->blocks[block].first);
    return *way = new_label(m);
}

static void write_way(struct making *m, int32_t way, int32_t block, bool back)
{
    if (way < 0)
        return;
    set_label(m, way);
    if (back)
        put_turn(m);
    go(m, block);
}

static struct row *row_of(struct making *m, const struct ir_inst *branch)
{
    struct emit *e = m->e;
    const struct region *known = region_with(e, branch);
    for (struct row *w = m->rows; w && known; w = w->next)
        if (w->r == known)
            return w;
    struct region *r = region_find(e, branch);
    if (!r)
        return NULL;
    struct row *w = alloc_zeroed(sizeof *w);
    r->next = e->regions;
    e->regions = r;
    *w = (struct row){.r = r, .number = m->out->nrows, .begin = new_label(m), .next = m->rows,
                      .wait = alloc_zeroed(((size_t)r->n + 1) * sizeof *w->wait), .behind = alloc_zeroed(((size_t)r->n + 1) * sizeof *w->behind)};
    m->rows = w;
    for (int i = 0; i < r->n; i++) {
        w->wait[i] = new_reg(m, PTX_PRED, false);
        w->behind[i] = new_label(m);
    }
    m->out->row = alloc_resize(m->out->row, ((size_t)m->out->nrows + 1) * sizeof *m->out->row);
    struct block_row *to = &m->out->row[m->out->nrows++];
    *to = (struct block_row){.n = r->n, .join = r->join, .block = alloc_zeroed(((size_t)r->n + 1) * sizeof *to->block)};
    memcpy(to->block, r->block, (size_t)r->n * sizeof *to->block);
    return w;
}

/* Lanes go to a block of the row; those that are at its join are nowhere else. */
static void send(struct making *m, const struct row *w, int32_t block, int32_t lanes)
{
    int nth = w->r->at[block];
    if (nth < w->r->n)
        put_pred(m, PTX_OP_OR, w->wait[nth], w->wait[nth], lanes);
}

static int32_t block_behind(const struct making *m, int32_t site)
{
    return m->k->insts[site + 1].block;
}

/* Names what the interpreter needs before `site`: lanes of masks, registers of `live`, and what warps had before the part. */
static void put_state(struct making *m, int32_t site, int32_t row, int n, const int32_t *masks, const uint64_t *live)
{
    struct ir_src src[IR_OPERANDS];
    for (int i = 0; i < n; i++)
        src[i] = ir_of_reg(masks[i]);
    for (int32_t r = 0; r < m->k->nregs; r++)
        if (ir_bit(live, r)) {
            if (n == MOST_NAMED) {
                refuse(m, "too many of its registers are alive at once");
                return;
            }
            src[n++] = ir_of_reg(r);
        }
    int32_t own = n;
    for (int i = 0; i < m->nbefore && n < MOST_NAMED; i++)
        src[n++] = ir_of_reg(m->before[m->begun[i]]);
    if (n == MOST_NAMED) {
        refuse(m, "too many of its registers are alive at once");
        return;
    }
    struct ir_inst *in = put(m, IR_OP_STATE);
    in->site = site;
    in->target = row;
    in->ntargets = own;
    in->targets = ARENA_ARRAY(&m->f->arena, int32_t, 1);
    in->targets[0] = n;
    ir_set_sources(m->f, in, n, src);
}

static void leave_at(struct making *m, int32_t site)
{
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    alive_before(m, site, live);
    put_state(m, site, -1, 0, NULL, live);
    put(m, IR_OP_LEAVE);
    alloc_release(live);
}

/* Lanes that differ go through a row, or are left to the interpreter. */
static void part_lanes(struct making *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    struct row *w = m->jams ? NULL : row_of(m, in);
    m->in_order |= m->jams && m->k->blocks[in->block].loop >= 0; /* sooner or later they do */
    int32_t next = block_behind(m, site), way, way_next, none = new_label(m), some = new_label(m);
    int32_t any = ask(m, IR_OP_ANY, in->guard), all = ask(m, IR_OP_ALL, in->guard);
    int32_t taken = way_to(m, in->target, in->back_edge, &way), passed = way_to(m, next, false, &way_next);
    jump_if(m, in->guard_negated ? any : all, in->guard_negated, taken);
    set_label(m, none);
    jump_if(m, in->guard_negated ? all : any, !in->guard_negated, passed);
    set_label(m, some);
    if (w) {
        for (int i = 0; i < w->r->n; i++)
            put_none(m, w->wait[i]);
        send(m, w, in->target, turned(m, in->guard, in->guard_negated));
        send(m, w, next, turned(m, in->guard, !in->guard_negated));
        jump(m, w->r->at[in->block] >= 0 ? w->behind[w->r->at[in->block]] : w->begin);
    } else {
        leave_at(m, site);
    }
    write_way(m, way, in->target, in->back_edge);
    write_way(m, way_next, next, false);
}

static void write_branch(struct making *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t way, way_next, next = block_behind(m, site);
    if (in->guard == IR_NOREG) {
        if (in->back_edge)
            put_turn(m);
        go(m, in->target);
    } else if (m->between[site]) {
        if (!scalar(m, in->guard) || !ir_bit(m->alike, in->guard))
            refuse(m, "its warps may take different ways to barriers");
        end_at(m, JIT_TURN, site);
        jump(m, m->end_label);
    } else if (!scalar(m, in->guard)) {
        part_lanes(m, site);
    } else {
        m->in_order |= !ir_bit(m->alike, in->guard);
        jump_if(m, in->guard, in->guard_negated, way_to(m, in->target, in->back_edge, &way));
        jump(m, way_to(m, next, false, &way_next));
        write_way(m, way, in->target, in->back_edge);
        write_way(m, way_next, next, false);
    }
}

/* The interpreter may have to go on before it, or find a fault. */
static bool may_leave(const struct making *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    bool effects = (!facts_pure(in) || in->op >= PTX_OP_COUNT) && !(ir_is_memory(in) && in->space == PTX_PARAM);
    return effects || !step_is_plain(&m->e->job->code->step[site]) || shape_guarded_source(m->k, m->e->s, m->e->job->dim, in, lo, hi) >= 0;
}

/* Several warps may do it at once: nothing of it is left to the interpreter before the next warp does it. */
static bool jams_well(const struct making *m, const struct ir_inst *in)
{
    struct shape_reach reach;
    bool access = in->op == PTX_OP_LD || in->op == PTX_OP_LDU || in->op == PTX_OP_ST;
    bool near = in->space == PTX_GLOBAL || in->space == PTX_SHARED || in->space == PTX_CONST;
    if (in->op >= PTX_OP_COUNT || facts_carry(in))
        return false;
    if (!ir_is_memory(in) || in->space == PTX_PARAM)
        return true;
    return access && near && in->mods->order == PTX_WEAK && (in->guard == IR_NOREG || scalar(m, in->guard)) &&
           shape_reach(m->k, m->e->s, m->e->job->dim, in, &reach);
}

static struct ir_inst *copy(struct making *m, int32_t site)
{
    m->in_order |= !jams_well(m, &m->k->insts[site]);
    m->from = m->k->insts[site].from;
    struct ir_inst *in = put(m, PTX_OP_MOV);
    *in = m->k->insts[site];
    in->site = site;
    return in;
}

/* An instruction that goes nowhere, for all lanes. */
static void write_inst(struct making *m, int32_t site, uint64_t *live)
{
    if (m->k->insts[site].guard != IR_NOREG && m->k->insts[site].ndst > STEP_DST)
        refuse(m, "it has a guarded instruction with many results");
    if (may_leave(m, site)) {
        alive_before(m, site, live);
        put_state(m, site, -1, 0, NULL, live);
    }
    copy(m, site);
}

static void write_from(struct making *m, int32_t site, uint64_t *live)
{
    const struct ir_kernel *k = m->k;
    set_label(m, m->at[site]);
    for (int32_t i = site; i < k->ninsts && !m->out->why_not; i++) {
        const struct ir_inst *in = &k->insts[i];
        const struct step *st = &m->e->job->code->step[i];
        m->from = in->from;
        if (i != site && i == k->blocks[in->block].first) {
            go(m, in->block);
            return;
        }
        switch (st->kind) {
        case STEP_BRANCH:
            if (in->op != PTX_OP_BRA || st->level || in->after_call)
                refuse(m, "it branches to where a register says");
            write_branch(m, i);
            return;
        case STEP_EXIT:
            if (in->guard != IR_NOREG && !scalar(m, in->guard))
                refuse(m, "some lanes of a warp may exit at an instruction");
            end_at(m, JIT_EXIT, i);
            if (in->guard == IR_NOREG) {
                jump(m, m->end_label);
                return;
            }
            jump_if(m, in->guard, in->guard_negated, m->end_label);
            m->in_order |= !ir_bit(m->alike, in->guard);
            break;
        default:
            if (jit_waits(in)) {
                end_at(m, JIT_BARRIER, i);
                jump(m, m->end_label);
                return;
            }
            if (!step_is_plain(st) && (!step_is_exchange(st) || in->guard != IR_NOREG))
                refuse(m, "it has an instruction that machine code leaves to the interpreter");
            write_inst(m, i, live);
            if (emit_ends_turn(m->e, i) && !m->between[i + 1]) { /* else that branch is the cut */
                end_at(m, JIT_TURN, i + 1);
                jump(m, m->end_label);
                return;
            }
        }
    }
}

/* --- rows --- */

/* What the lanes of the row's blocks need, those of this one waiting for it once more. */
static void put_row_state(struct making *m, const struct row *w, int nth, int32_t mask, uint64_t *live)
{
    const struct region *r = w->r;
    int32_t masks[JIT_MOST_WAITING];
    memcpy(live, m->k->blocks[r->join].live_in, m->words * 8);
    for (int i = 0; i < r->n; i++) {
        masks[i] = i == nth ? mask : w->wait[i];
        for (size_t word = 0; word < m->words; word++)
            live[word] |= m->k->blocks[r->block[i]].live_in[word];
    }
    put_state(m, m->k->blocks[r->block[nth]].first, w->number, r->n, masks, live);
}

/* An instruction for the lanes of `mask`. */
static void write_masked(struct making *m, const struct row *w, int nth, int32_t site, int32_t mask)
{
    const struct ir_inst *in = &m->k->insts[site];
    bool needed = false, guarded = in->guard != IR_NOREG;
    for (int d = 0; d < in->ndst; d++)
        needed |= in->dst[d] != IR_NOREG && ir_bit(region_needed(m->e, w->r, nth), in->dst[d]);
    m->from = in->from;
    if (!needed && facts_pure(in) && in->op < PTX_OP_COUNT) {
        copy(m, site);
        return;
    }
    int32_t guard = guarded ? both(m, mask, turned(m, in->guard, in->guard_negated)) : mask;
    struct ir_inst *out = copy(m, site);
    out->guard = guard;
    out->guard_negated = false;
    out->old_free = !needed && !guarded;
}

static void write_block(struct making *m, const struct row *w, int nth, uint64_t *live)
{
    const struct region *r = w->r;
    const struct ir_block *b = &m->k->blocks[r->block[nth]];
    int32_t mask = new_reg(m, PTX_PRED, false);
    put_pred(m, PTX_OP_MOV, mask, w->wait[nth], IR_NOREG);
    put_none(m, w->wait[nth]);
    put_row_state(m, w, nth, mask, live);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_inst *in = &m->k->insts[i];
        m->from = in->from;
        if (in->op != PTX_OP_BRA) {
            write_masked(m, w, nth, i, mask);
        } else if (in->guard == IR_NOREG) {
            send(m, w, in->target, mask);
            return;
        } else {
            send(m, w, in->target, both(m, mask, turned(m, in->guard, in->guard_negated)));
            send(m, w, block_behind(m, i), both(m, mask, turned(m, in->guard, !in->guard_negated)));
            return;
        }
    }
    send(m, w, region_block_behind(m->e, r->block[nth]), mask);
}

static void write_row(struct making *m, struct row *w, uint64_t *live)
{
    const struct region *r = w->r;
    int32_t *again = alloc_zeroed(((size_t)r->n + 1) * sizeof *again);
    set_label(m, w->begin);
    for (int i = 0; i < r->n && !m->out->why_not; i++) {
        m->from = m->k->insts[m->k->blocks[r->block[i]].first].from;
        again[i] = new_label(m);
        set_label(m, again[i]);
        jump_if(m, ask(m, IR_OP_ANY, w->wait[i]), true, w->behind[i]);
        write_block(m, w, i, live);
        set_label(m, w->behind[i]);
        for (int back = i; back >= 0; back--) /* inner loops first */
            if (r->end[back] == i) {
                int32_t on = new_label(m);
                jump_if(m, ask(m, IR_OP_ANY, w->wait[back]), true, on);
                put(m, IR_OP_TURN);
                jump(m, again[back]);
                set_label(m, on);
            }
    }
    go(m, r->join);
    w->written = true;
    alloc_release(again);
}

static void release_rows(struct making *m)
{
    while (m->rows) {
        struct row *next = m->rows->next;
        alloc_release(m->rows->wait);
        alloc_release(m->rows->behind);
        alloc_release(m->rows);
        m->rows = next;
    }
    region_release(m->e->regions);
    m->e->regions = NULL;
}

/* A row that is not written yet, or NULL. */
static struct row *next_row(const struct making *m)
{
    struct row *w = m->rows;
    while (w && w->written)
        w = w->next;
    return w;
}

/* --- a part --- */

/* Between parts it is not in each warp's place, but once, as the first warp has it. */
static bool in_base(const struct making *m, int32_t r)
{
    return m->e->s->reg[r].kind == SHAPE_AFFINE && ir_bit(m->steps->known, r) && (m->k->reg_type[r] != PTX_PRED || scalar(m, r));
}

/* A register that is kept as another one is, in the same place. */
static int32_t new_like(struct making *m, int32_t r)
{
    int32_t n = new_reg(m, m->k->reg_type[r], true), cap = m->cap_place;
    while (n >= m->cap_place)
        m->cap_place += 256;
    if (m->cap_place != cap)
        m->out->place = alloc_resize(m->out->place, (size_t)m->cap_place * sizeof *m->out->place);
    for (int32_t i = cap; i < m->cap_place; i++)
        m->out->place[i] = -1;
    m->out->place[n] = r;
    return n;
}

static int32_t base_of(struct making *m, int32_t r)
{
    if (m->base[r] < 0)
        m->base[r] = new_like(m, r);
    return m->base[r];
}

static void put_stepped(struct making *m, uint16_t op, int32_t dst, int32_t src)
{
    struct ir_inst *in = put(m, op);
    IR_SET_SOURCES(m->f, in, ir_of_reg(src), ir_of_reg(m->index));
    IR_SET_RESULTS(m->f, in, dst);
}

/* Before the part's warps: what they have alive, as the first one has it, and what becomes of it is not to be lost. */
static void take_bases(struct making *m, int32_t start, uint64_t *live)
{
    alive_before(m, start, live);
    m->nbefore = 0;
    for (int32_t r = 0; r < m->k->nregs && start && !m->whole; r++) {
        if (!ir_bit(live, r) || !in_base(m, r))
            continue;
        struct ir_src base = ir_of_reg(base_of(m, r));
        m->before[r] = new_like(m, r);
        m->begun[m->nbefore++] = r;
        put_result(m, PTX_OP_MOV, m->k->reg_type[r], m->before[r], 1, &base);
    }
}

static void put_index(struct making *m, uint16_t op, int32_t dst, struct ir_src a, struct ir_src b, int n)
{
    struct ir_src src[2] = {a, b};
    put_result(m, op, PTX_U32, dst, n, src);
}

/* Registers that the part has written so far, the form's instructions from `first` on. */
static void find_written(const struct making *m, int32_t first, uint64_t *set)
{
    memset(set, 0, m->words * 8);
    for (int32_t i = first; i < m->f->ninsts; i++)
        for (int d = 0; d < m->f->insts[i].ndst && m->f->insts[i].op != IR_OP_KEPT; d++) {
            int32_t r = m->f->insts[i].dst[d];
            if (r != IR_NOREG && r < m->k->nregs)
                ir_bit_set(set, r);
        }
}

/* What warps have that have come to the part's end. */
static void name_ends(struct making *m, int32_t first, const uint64_t *live)
{
    for (int32_t i = first; i < m->f->ninsts && !m->whole; i++) {
        struct ir_inst *in = &m->f->insts[i];
        struct ir_src src[IR_OPERANDS];
        int n = in->nsrc;
        if (in->op != IR_OP_STATE)
            continue;
        memcpy(src, in->src, (size_t)n * sizeof *src);
        for (int32_t r = 0; r < m->k->nregs; r++)
            if (ir_bit(live, r) && in_base(m, r)) {
                if (n == IR_OPERANDS) {
                    refuse(m, "too many of its registers are alive at once");
                    return;
                }
                src[n++] = ir_of_reg(base_of(m, r));
            }
        ir_set_sources(m->f, in, n, src);
    }
}

static void write_end(struct making *m, int32_t first, int32_t head, uint64_t *live)
{
    static const struct ptx_mods below = {.cmp = PTX_LT, .ntypes = 1, .type = {PTX_U32}};
    const struct ir_kernel *k = m->k;
    uint64_t *written = alloc_zeroed(m->words * 8 + 8);
    set_label(m, m->end_label);
    find_written(m, first, written);
    memset(live, 0, m->words * 8);
    if (m->part->why == JIT_BARRIER)
        alive_behind(m, m->part->end, live);
    else if (m->part->why == JIT_TURN)
        alive_before(m, m->part->end, live);
    for (int32_t r = 0; r < k->nregs && !m->whole; r++)
        if (ir_bit(live, r) && ir_bit(written, r) && in_base(m, r)) {
            put_stepped(m, IR_OP_UNSTEPPED, base_of(m, r), r);
        } else if (ir_bit(live, r) && ir_bit(written, r)) {
            struct ir_inst *in = put(m, IR_OP_KEEP);
            IR_SET_SOURCES(m->f, in, ir_of_reg(r));
        }
    m->part->jam = m->jams ? m->jam : 1;
    m->out->jam = m->part->jam > m->out->jam ? m->part->jam : m->out->jam;
    name_ends(m, first, live);
    if (m->warps > m->part->jam) {
        put_index(m, PTX_OP_ADD, m->index, ir_of_reg(m->index), ir_of_value((uint64_t)m->part->jam), 2);
        int32_t more = new_reg(m, PTX_PRED, true);
        put_index(m, PTX_OP_SETP, more, ir_of_reg(m->index), ir_of_value((uint64_t)m->warps), 2);
        m->f->insts[m->f->ninsts - 1].mods = &below;
        jump_if(m, more, false, head);
    }
    const struct ir_inst *last = &k->insts[m->part->end];
    if (m->part->why == JIT_EXIT) {
        put(m, PTX_OP_EXIT)->site = m->part->end;
    } else if (m->part->why == JIT_BARRIER) {
        jump(m, part_at(m, m->part->end + 1));
    } else if (m->between[m->part->end]) {
        jump_if(m, last->guard, last->guard_negated, part_at(m, k->blocks[last->target].first));
        jump(m, part_at(m, m->part->end + 1));
    } else {
        jump(m, part_at(m, m->part->end));
    }
    alloc_release(written);
}

/* False: several warps cannot go through it at once; nothing was written. */
static bool write_part(struct making *m, int32_t start)
{
    int32_t written = m->f->ninsts;
    struct block_form *out = m->out;
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    int32_t head = new_label(m), first;
    out->part = alloc_resize(out->part, ((size_t)out->nparts + 1) * sizeof *out->part);
    m->part = &out->part[out->nparts];
    *m->part = (struct block_part){.start = start, .first = m->f->ninsts};
    for (int32_t i = 0; i <= m->k->ninsts; i++)
        m->at[i] = -1;
    m->nleft = 0;
    m->ended = m->in_order = false;
    m->loops = m->k->blocks[m->k->insts[start].block].loop >= 0;
    m->end_label = new_label(m);
    m->from = m->k->insts[start].from;
    m->index = m->index == IR_NOREG ? new_reg(m, PTX_U32, true) : m->index;
    set_label(m, m->part_label[start]);
    take_bases(m, start, live);
    put_index(m, PTX_OP_MOV, m->index, ir_of_value(0), ir_of_value(0), 1);
    set_label(m, head);
    struct ir_inst *warp = put(m, IR_OP_WARP);
    warp->target = out->nparts++;
    IR_SET_SOURCES(m->f, warp, ir_of_reg(m->index));
    first = m->f->ninsts;
    alive_before(m, start, live);
    for (int32_t r = 0; r < m->k->nregs && start && !m->whole; r++)
        if (ir_bit(live, r) && in_base(m, r)) {
            put_stepped(m, IR_OP_STEPPED, r, m->before[r]);
        } else if (ir_bit(live, r)) {
            struct ir_inst *in = put(m, IR_OP_KEPT);
            IR_SET_RESULTS(m->f, in, r);
        }
    code_at(m, start);
    while ((m->nleft || next_row(m)) && !out->why_not)
        if (m->nleft)
            write_from(m, m->left[--m->nleft], live);
        else
            write_row(m, next_row(m), live);
    if (!m->ended)
        refuse(m, "it does not end");
    bool ok = !m->jams || (!m->in_order && (m->loops || m->whole) && !out->why_not);
    if (!ok) {
        m->f->ninsts = written;
        out->nparts--;
        out->why_not = NULL;
    }
    if (ok && !out->why_not)
        write_end(m, first, head, live);
    release_rows(m);
    alloc_release(live);
    return ok;
}

/* --- all of it --- */

int32_t block_form_place(const struct block_form *b, const struct ir_kernel *of, int32_t reg)
{
    int32_t v = ir_variable(b->k, reg);
    return v < of->nregs ? v : v < b->nplaces ? b->place[v] : -1;
}

static void resolve(struct making *m)
{
    for (int32_t i = 0; i < m->f->ninsts; i++)
        if (m->f->insts[i].op == PTX_OP_BRA)
            m->f->insts[i].target = m->label[m->f->insts[i].target];
}

/* A version has its register's steps, and what is new in the form none. */
static void find_steps(struct making *m)
{
    const struct ir_kernel *f = m->f;
    struct unroll_jam_steps *of = m->steps, *to = alloc_zeroed(sizeof *to);
    to->known = alloc_zeroed(((size_t)f->nregs / 64 + 1) * 8);
    to->by = alloc_zeroed(((size_t)f->nregs + 1) * sizeof *to->by);
    for (int32_t r = 0; r < f->nregs; r++) {
        int32_t v = block_form_place(m->out, m->k, r);
        if (v >= 0 ? ir_bit(of->known, v) : m->uniform[ir_variable(f, r)])
            ir_bit_set(to->known, r);
        to->by[r] = v >= 0 ? of->by[v] : 0;
    }
    unroll_jam_steps_release(of);
    m->steps = to;
}

/* Shapes of the form's registers: a version has its register's. */
static void find_shapes(struct making *m)
{
    const struct ir_kernel *f = m->f;
    struct shapes *to = &m->out->shapes;
    const struct shapes *s = m->e->s;
    to->reg = alloc_zeroed(((size_t)f->nregs + 1) * sizeof *to->reg);
    to->lazy = alloc_zeroed((size_t)f->nregs + 1);
    to->parting = alloc_zeroed(((size_t)f->ninsts / 64 + 1) * 8);
    for (int32_t r = 0; r < f->nregs; r++) {
        int32_t of = block_form_place(m->out, m->k, r);
        if (of >= 0) {
            to->reg[r] = s->reg[of];
            to->lazy[r] = s->lazy[of];
        } else {
            to->reg[r].kind = m->uniform[ir_variable(f, r)] ? SHAPE_AFFINE : SHAPE_VARYING;
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
    f->frames = NULL;
    f->claims = NULL;
    f->problems = NULL;
    f->effects = NULL;
    f->unwritten = NULL;
    f->ninsts = f->nblocks = f->nloops = f->nvariable = f->nframes = 0;
    f->reg_type = NULL;
    return f;
}

static void begin(struct making *m)
{
    const struct ir_kernel *k = m->k;
    m->words = ((size_t)k->nregs + 63) / 64;
    m->cap_type = k->nregs + 64;
    m->f->reg_type = alloc_zeroed((size_t)m->cap_type);
    m->uniform = alloc_zeroed((size_t)m->cap_type);
    memcpy(m->f->reg_type, k->reg_type, (size_t)k->nregs);
    for (int32_t r = 0; r < k->nregs; r++)
        m->uniform[r] = scalar(m, r);
    m->base = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->base);
    m->before = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->before);
    m->begun = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *m->begun);
    for (int32_t r = 0; r < k->nregs; r++)
        m->base[r] = -1;
    m->cut = alloc_zeroed((size_t)k->nblocks + 1);
    m->between = alloc_zeroed((size_t)k->ninsts + 1);
    size_t sites = ((size_t)k->ninsts + 2) * sizeof(int32_t);
    m->at = alloc_zeroed(sites);
    m->left = alloc_zeroed(sites);
    m->todo = alloc_zeroed(sites);
    m->part_label = alloc_zeroed(sites);
    for (int32_t i = 0; i <= k->ninsts; i++)
        m->part_label[i] = -1;
}

/* Not all parts can be for all warps at once. */
static void start_anew(struct making *m)
{
    m->whole = false;
    m->out->nparts = 0;
    m->f->ninsts = 0;
    m->ntodo = 0;
    for (int32_t i = 0; i <= m->k->ninsts; i++)
        m->part_label[i] = -1;
    part_at(m, 0);
}

struct block_form *block_form_make(struct emit *e, bool jam)
{
    const struct ir_kernel *k = e->k;
    const uint32_t *dim = e->job->dim;
    struct block_form *out = alloc_zeroed(sizeof *out);
    struct making m = {.e = e, .out = out, .k = k, .f = new_kernel(k), .index = IR_NOREG,
                       .warps = (int32_t)((uint64_t)dim[0] * dim[1] * dim[2] / SHAPE_LANES)};
    out->k = m.f;
    begin(&m);
    if (lane_serial_some(e))
        refuse(&m, "it has lane-serial loops");
    find_parts(&m);
    uint64_t *alike = find_alike(&m);
    m.jam = jam ? unroll_jam_room(k, e->s, m.steps, e->job->level, m.warps) : 1;
    out->jam = 1;
    m.whole = m.jam > 1 && m.jam == m.warps && k->nloops && !out->why_not;
    part_at(&m, 0);
    for (int32_t i = 0; i < m.ntodo && !out->why_not; i++) {
        m.jams = m.jam > 1;
        if (write_part(&m, m.todo[i]))
            continue;
        m.jams = false;
        if (m.whole) {
            start_anew(&m);
            i = -1;
        } else {
            write_part(&m, m.todo[i]);
        }
    }
    if (!out->why_not) {
        resolve(&m);
        cfg_make_blocks(m.f);
        cfg_analyse(m.f);
        liveness_analyse(m.f);
        for (int i = 0; i < out->nparts; i++)
            out->part[i].first = m.f->insts[out->part[i].first].block;
        out->nplaces = m.cap_place;
        out->whole = m.whole;
        ir_into_ssa(m.f);
        find_shapes(&m);
        find_steps(&m);
    }
    out->steps = m.steps;
    alloc_release(alike);
    alloc_release(m.uniform);
    alloc_release(m.base);
    alloc_release(m.before);
    alloc_release(m.begun);
    alloc_release(m.cut);
    alloc_release(m.between);
    alloc_release(m.at);
    alloc_release(m.left);
    alloc_release(m.todo);
    alloc_release(m.part_label);
    alloc_release(m.label);
    return out;
}

void block_form_release(struct block_form *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->nrows; i++)
        alloc_release(b->row[i].block);
    alloc_release(b->row);
    alloc_release(b->part);
    alloc_release(b->place);
    unroll_jam_steps_release(b->steps);
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
