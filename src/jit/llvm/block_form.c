/* The block form (form.h): finds the parts, then writes each. */
#include "jit/llvm/form_writer.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/edit.h"
#include "ir/facts.h"

#include <stdlib.h>
#include <stddef.h>
#include <string.h>

/* --- parts --- */

/* Blocks that are reached from a branch without passing its join. */
static void influence(const struct form_writer *m, const struct ir_inst *branch, uint64_t *seen)
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

static bool waits(const struct form_writer *m, int32_t block)
{
    const struct ir_block *b = &m->k->blocks[block];
    if (m->interchanged && m->interchanged[block])
        return true;
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (jit_waits(&m->k->insts[i]))
            return true;
    return false;
}

static bool some_wait(const struct form_writer *m, const uint64_t *blocks)
{
    for (int32_t b = 0; b < m->k->nblocks; b++)
        if (ir_bit(blocks, b) && waits(m, b))
            return true;
    return false;
}

/* A warp that comes to the block goes on to its exit, and waits for nobody. */
static bool waits_no_more(const struct form_writer *m, int32_t block, uint64_t *seen)
{
    const struct ir_kernel *k = m->k;
    int32_t n = 0, *stack = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *stack);
    memset(seen, 0, ((size_t)k->nblocks / 64 + 1) * 8);
    ir_bit_set(seen, block);
    for (int32_t at = block; at >= 0; at = n ? stack[--n] : -1)
        for (int32_t s = 0; s < k->blocks[at].nsucc; s++)
            if (k->blocks[at].succ[s] >= 0 && !ir_bit(seen, k->blocks[at].succ[s])) {
                ir_bit_set(seen, k->blocks[at].succ[s]);
                stack[n++] = k->blocks[at].succ[s];
            }
    alloc_release(stack);
    return !some_wait(m, seen);
}

/* Warps may differ at the branch, but those that take one of its ways exit before any other has to wait for them. */
static bool lets_go(const struct form_writer *m, int32_t site, uint64_t *seen)
{
    const struct ir_inst *in = &m->k->insts[site];
    bool alike = form_scalar(m, in->guard) && ir_bit(m->alike, in->guard);
    return !alike && (waits_no_more(m, in->target, seen) || (site + 1 < m->k->ninsts && waits_no_more(m, m->k->insts[site + 1].block, seen)));
}

static void cut_at(struct form_writer *m, int32_t block, uint64_t *seen)
{
    m->cut[block] |= !waits_no_more(m, block, seen);
}

static void find_parts(struct form_writer *m)
{
    const struct ir_kernel *k = m->k;
    uint64_t *seen = alloc_zeroed(((size_t)k->nblocks / 64 + 1) * 8);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        m->gone |= in->op == PTX_OP_EXIT && in->guard != IR_NOREG;
        if (!form_is_branch(in))
            continue;
        influence(m, in, seen);
        if (!some_wait(m, seen))
            continue;
        if (lets_go(m, i, seen)) {
            m->gone = true;
            continue;
        }
        m->between[i] = 1;
        cut_at(m, in->target, seen);
        if (i + 1 < k->ninsts)
            cut_at(m, k->insts[i + 1].block, seen);
        if (in->joined)
            cut_at(m, in->join, seen);
    }
    for (int32_t i = 0; i < k->ninsts && m->interchanged; i++) /* its warps may be set aside */
        m->gone |= form_is_branch(&k->insts[i]) && !form_scalar(m, k->insts[i].guard);
    for (int32_t l = 0; l < k->nloops; l++)
        if (some_wait(m, k->loops[l].blocks))
            m->cut[k->loops[l].header] = true;
    alloc_release(seen);
}

/* What warps that went different ways may differ in where they meet: nothing is known of that. True: there is more. */
static bool strike(const struct form_writer *m, uint64_t *unknown, uint64_t *seen)
{
    const struct ir_kernel *k = m->k;
    bool more = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!form_is_branch(in) || (form_scalar(m, in->guard) && ir_bit(m->alike, in->guard)))
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
static uint64_t *find_alike(struct form_writer *m)
{
    const struct ir_kernel *k = m->k;
    uint64_t *unknown = alloc_zeroed(m->words * 8 + 8), *alike = alloc_zeroed(m->words * 8 + 8);
    uint64_t *seen = alloc_zeroed(((size_t)k->nblocks / 64 + 1) * 8);
    do {
        enum unroll_jam_axis axis = m->out->blocks > 1 ? UNROLL_JAM_ROW_WARPS : UNROLL_JAM_WARPS;
        struct unroll_jam_steps *steps = unroll_jam_find(k, m->e->s, m->e->job->dim, axis, m->warps, unknown);
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

/* --- a part --- */

static int32_t part_at(struct form_writer *m, int32_t site)
{
    if (m->part_label[site] < 0) {
        m->part_label[site] = form_label(m);
        m->todo[m->ntodo++] = site;
    }
    return m->part_label[site];
}

/* Between parts it is not in each warp's place, but once, as the first warp has it. */
static bool in_base(const struct form_writer *m, int32_t r)
{
    return m->e->s->reg[r].kind == SHAPE_AFFINE && ir_bit(m->steps->known, r) && (m->k->reg_type[r] != PTX_PRED || form_scalar(m, r));
}

static int32_t base_of(struct form_writer *m, int32_t r)
{
    if (m->base[r] < 0)
        m->base[r] = form_reg_like(m, r);
    return m->base[r];
}

static void put_stepped(struct form_writer *m, uint16_t op, int32_t dst, int32_t src)
{
    struct ir_inst *in = form_put(m, op);
    IR_SET_SOURCES(m->f, in, ir_of_reg(src), ir_of_reg(m->index));
    IR_SET_RESULTS(m->f, in, dst);
}

/* Before the part's warps: what they have alive, as the first one has it, and what becomes of it is not to be lost. */
static void take_bases(struct form_writer *m, int32_t start, uint64_t *live)
{
    form_alive_before(m, start, live);
    m->nbefore = 0;
    for (int32_t r = 0; r < m->k->nregs && start && !m->whole; r++) {
        if (!ir_bit(live, r) || !in_base(m, r))
            continue;
        struct ir_src base = ir_of_reg(base_of(m, r));
        m->before[r] = form_reg_like(m, r);
        m->begun[m->nbefore++] = r;
        form_put_result(m, PTX_OP_MOV, m->k->reg_type[r], m->before[r], 1, &base);
    }
}

static void put_index(struct form_writer *m, uint16_t op, int32_t dst, struct ir_src a, struct ir_src b, int n)
{
    struct ir_src src[2] = {a, b};
    form_put_result(m, op, PTX_U32, dst, n, src);
}

/* It gives a warp what it had before the part. */
static bool has_before(const struct ir_inst *in)
{
    return in->op == IR_OP_KEPT || in->op == IR_OP_STEPPED || in->op == IR_OP_CLEAR;
}

/* Registers that the part has written so far, the form's instructions from `first` on. */
static void find_written(const struct form_writer *m, int32_t first, uint64_t *set)
{
    memset(set, 0, m->words * 8);
    for (int32_t i = first; i < m->f->ninsts; i++)
        for (int d = 0; d < m->f->insts[i].ndst && !has_before(&m->f->insts[i]); d++) {
            int32_t r = m->f->insts[i].dst[d];
            if (r != IR_NOREG && r < m->k->nregs)
                ir_bit_set(set, r);
        }
}

/* What warps have that have come to the part's end. */
static void name_ends(struct form_writer *m, int32_t first, const uint64_t *live)
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
                    form_refuse(m, "too many of its registers are alive at once");
                    return;
                }
                src[n++] = ir_of_reg(base_of(m, r));
            }
        ir_set_sources(m->f, in, n, src);
    }
}

/* --- warps that have nothing to do --- */

/* The only definition of a register, if every way to `site` leads through it, or NULL. */
static const struct ir_inst *defined_before(const struct ir_kernel *k, int32_t site, int32_t reg)
{
    const struct ir_inst *found = NULL;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_defines(&k->insts[i], reg)) {
            if (found || i >= site)
                return NULL;
            found = &k->insts[i];
        }
    return found && found->guard == IR_NOREG && ir_dominates(k, found->block, k->insts[site].block) ? found : NULL;
}

/* %tid.x, which goes up by 32 from warp to warp and is far from where numbers wrap. */
static bool is_thread(const struct form_writer *m, int32_t site, const struct ir_src *s)
{
    const uint32_t *dim = m->e->job->dim;
    const struct ir_inst *in = s->kind == IR_SRC_REG ? defined_before(m->k, site, s->reg) : NULL;
    return in && dim[1] * dim[2] == 1 && ir_is(in, PTX_KIND_COPY) && in->nsrc == 1 && in->src[0].kind == IR_SRC_SREG &&
           in->src[0].sreg == PTX_SREG_TID_X;
}

/* 1: once a branch's predicate holds for all lanes of a warp, it does for those of the warps behind it; -1: the same of its not holding. */
static int lasts(const struct form_writer *m, int32_t site, const struct ir_inst *branch)
{
    const struct ir_inst *in = defined_before(m->k, site, branch->guard);
    int by = branch->guard_negated ? -1 : 1;
    if (!in || in->op != PTX_OP_SETP || in->nsrc != 2 || in->ndst != 1 || (in->type != PTX_U32 && in->type != PTX_S32) || !is_thread(m, site, &in->src[0]) ||
        !(in->src[1].kind == IR_SRC_IMM || (in->src[1].kind == IR_SRC_REG && form_scalar(m, in->src[1].reg) && ir_bit(m->alike, in->src[1].reg))))
        return 0;
    switch (in->mods->cmp) {
    case PTX_GT: case PTX_GE:
        return by;
    case PTX_LT: case PTX_LE:
        return -by;
    case PTX_NE:
        return in->src[1].kind == IR_SRC_IMM && !in->src[1].imm ? by : 0;
    case PTX_EQ:
        return in->src[1].kind == IR_SRC_IMM && !in->src[1].imm ? -by : 0;
    default:
        return 0;
    }
}

/* Only jumps are between the label and the part's end. */
static bool leads_to_end(const struct form_writer *m, int32_t label)
{
    for (int steps = 0; steps < m->nlabels; steps++) {
        if (label == m->end_label || (label == m->exit_label && !m->ended))
            return true;
        int32_t at = m->label[label];
        if (at < 0 || at >= m->f->ninsts || m->f->insts[at].op != PTX_OP_BRA || m->f->insts[at].guard != IR_NOREG)
            return false;
        label = m->f->insts[at].target;
    }
    return false;
}

/* A warp that comes to the branch has done nothing that is seen behind the part. */
static bool did_nothing(const struct form_writer *m, int32_t first, int32_t branch, const uint64_t *live)
{
    for (int32_t i = first; i < branch; i++) {
        const struct ir_inst *in = &m->f->insts[i];
        bool asks = in->op == IR_OP_ANY || in->op == IR_OP_ALL || in->op == IR_OP_STATE || in->op == IR_OP_IS_GONE;
        if (in->op == PTX_OP_BRA && in->target == m->next_label)
            continue;
        if (!has_before(in) && !asks && !(in->op < PTX_OP_COUNT && facts_pure(in)))
            return false;
        for (int d = 0; d < in->ndst && !has_before(in); d++)
            if (in->dst[d] != IR_NOREG && in->dst[d] < m->k->nregs && ir_bit(live, in->dst[d]))
                return false;
    }
    return true;
}

/* In `if (threadIdx.x < n) ...` between two barriers: once a warp has nothing to do there, so have those behind it. Its jump goes out of
 * the loop over warps then. */
static void leave_early(struct form_writer *m, int32_t first, const uint64_t *live, int32_t out)
{
    int32_t site = m->first_branch.site;
    if (site < 0 || m->e->job->runs || m->jams || !did_nothing(m, first, m->first_branch.jump[0], live))
        return;
    int way = lasts(m, site, &m->k->insts[site]);
    int32_t jump = m->first_branch.jump[way < 0];
    if (way && m->f->insts[jump].op == PTX_OP_BRA && leads_to_end(m, m->f->insts[jump].target))
        m->f->insts[jump].target = out;
}

/* The branch that the part ends at, if it is one between parts, for so many warps: once for all, or, where some may have exited, each
 * counts it. */
static void count_branch_between(struct form_writer *m, int32_t warps)
{
    int32_t site = m->part->end;
    if (m->part->why != JIT_TURN || !m->between[site])
        return;
    if (site == m->k->blocks[m->k->insts[site].block].first)
        form_put_block_count(m, site, IR_NOREG, warps);
    form_put_guard_count(m, site, IR_NOREG, warps);
}

static void write_end(struct form_writer *m, int32_t first, int32_t head, uint64_t *live)
{
    static const struct ptx_mods below = {.cmp = PTX_LT, .ntypes = 1, .type = {PTX_U32}};
    const struct ir_kernel *k = m->k;
    uint64_t *written = alloc_zeroed(m->words * 8 + 8);
    bool gone = m->ended && m->exit >= 0, stays = true;
    int32_t out = form_label(m);
    form_set_label(m, m->end_label);
    if (m->gone && m->ended)
        count_branch_between(m, 1);
    if (!m->ended) {
        form_set_label(m, m->exit_label);
        m->part->why = JIT_EXIT;
        m->part->end = m->exit;
    }
    find_written(m, first, written);
    memset(live, 0, m->words * 8);
    if (m->part->why == JIT_BARRIER)
        form_alive_behind(m, m->part->end, live);
    else if (m->part->why == JIT_TURN)
        form_alive_before(m, m->part->end, live);
    for (int32_t r = 0; r < k->nregs && !m->whole; r++)
        if (ir_bit(live, r) && ir_bit(written, r) && in_base(m, r)) {
            stays = false;
            put_stepped(m, IR_OP_UNSTEPPED, base_of(m, r), r);
        } else if (ir_bit(live, r) && ir_bit(written, r)) {
            struct ir_inst *in = form_put(m, IR_OP_KEEP);
            IR_SET_SOURCES(m->f, in, ir_of_reg(r));
        }
    int32_t guard = m->part->why == JIT_TURN && m->between[m->part->end] ? k->insts[m->part->end].guard : IR_NOREG;
    if (guard != IR_NOREG && !m->whole && ir_bit(written, guard) && !(ir_bit(live, guard) && in_base(m, guard)))
        put_stepped(m, IR_OP_UNSTEPPED, base_of(m, guard), guard);
    if (gone) {
        form_jump(m, m->next_label);
        form_set_label(m, m->exit_label);
        form_put(m, IR_OP_GONE);
    }
    form_set_label(m, m->next_label);
    m->part->jam = m->jams ? m->jam : 1;
    m->out->jam = m->part->jam > m->out->jam ? m->part->jam : m->out->jam;
    name_ends(m, first, live);
    if (stays)
        leave_early(m, first, live, out);
    if (m->warps > m->part->jam || m->out->blocks > 1) {
        put_index(m, PTX_OP_ADD, m->index, ir_of_reg(m->index), ir_of_value((uint64_t)m->part->jam), 2);
        int32_t more = form_reg(m, PTX_PRED, true);
        put_index(m, PTX_OP_SETP, more, ir_of_reg(m->index), m->out->blocks > 1 ? ir_of_reg(m->many) : ir_of_value((uint64_t)m->warps), 2);
        m->f->insts[m->f->ninsts - 1].mods = &below;
        form_jump_if(m, more, false, head);
    }
    form_set_label(m, out);
    if (m->gone && m->part->why != JIT_EXIT) { /* nobody would end a loop of parts */
        int32_t none = form_reg(m, PTX_PRED, true), on = form_label(m);
        form_put_result(m, IR_OP_ALL_GONE, PTX_PRED, none, 0, NULL);
        form_jump_if(m, none, true, on);
        form_put(m, PTX_OP_EXIT)->site = m->part->end;
        form_set_label(m, on);
    }
    const struct ir_inst *last = &k->insts[m->part->end];
    if (m->part->why == JIT_EXIT) {
        form_put(m, PTX_OP_EXIT)->site = m->part->end;
    } else if (m->part->why == JIT_BARRIER) {
        form_jump(m, part_at(m, m->part->end + 1));
    } else if (m->between[m->part->end]) {
        if (!m->gone)
            count_branch_between(m, m->out->blocks > 1 ? FORM_ALL_WARPS : m->warps / m->part->jam); /* it is code of so many of them */
        form_jump_if(m, m->whole ? guard : base_of(m, guard), last->guard_negated, part_at(m, k->blocks[last->target].first));
        form_jump(m, part_at(m, m->part->end + 1));
    } else {
        form_jump(m, part_at(m, m->part->end));
    }
    alloc_release(written);
}

/* Registers that the warp does not have from the part before have nothing of the warp before it. form_finish leaves those that matter. */
static void clear_others(struct form_writer *m, const uint64_t *live)
{
    int32_t dst[IR_OPERANDS];
    int n = 0;
    for (int32_t r = 0; r < m->k->nregs && !m->whole; r++) {
        if (!ir_bit(live, r))
            dst[n++] = r;
        if (n == IR_OPERANDS || (n && r == m->k->nregs - 1)) {
            ir_set_results(m->f, form_put(m, IR_OP_CLEAR), n, dst);
            n = 0;
        }
    }
}

/* False: several warps cannot go through it at once; nothing was written. */
static bool write_part(struct form_writer *m, int32_t start)
{
    int32_t written = m->f->ninsts;
    struct form *out = m->out;
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    int32_t head = form_label(m), first;
    out->part = alloc_resize(out->part, ((size_t)out->nparts + 1) * sizeof *out->part);
    m->part = &out->part[out->nparts];
    *m->part = (struct block_part){.start = start, .first = m->f->ninsts};
    for (int32_t i = 0; i <= m->k->ninsts; i++)
        m->at[i] = m->at_masked[i] = -1;
    m->nleft = 0;
    m->ended = false;
    m->in_order = m->gone && start;
    m->exit = -1;
    m->first_branch.site = -1;
    m->loops = m->k->blocks[m->k->insts[start].block].loop >= 0;
    m->end_label = form_label(m);
    m->exit_label = form_label(m);
    m->next_label = form_label(m);
    m->from = m->k->insts[start].from;
    m->index = m->index == IR_NOREG ? form_reg(m, PTX_U32, true) : m->index;
    form_set_label(m, m->part_label[start]);
    if (out->blocks > 1) {
        m->many = form_reg(m, PTX_U32, true);
        form_put_result(m, IR_OP_FRAME, PTX_U32, m->many, 0, NULL);
        m->f->insts[m->f->ninsts - 1].offset = (int64_t)offsetof(struct jit_frame, block_warps);
    }
    take_bases(m, start, live);
    put_index(m, PTX_OP_MOV, m->index, ir_of_value(0), ir_of_value(0), 1);
    form_set_label(m, head);
    struct ir_inst *warp = form_put(m, IR_OP_WARP);
    warp->target = out->nparts++;
    IR_SET_SOURCES(m->f, warp, ir_of_reg(m->index));
    first = m->f->ninsts;
    if (m->gone && start) {
        int32_t is_gone = form_reg(m, PTX_PRED, true);
        form_put_result(m, IR_OP_IS_GONE, PTX_PRED, is_gone, 0, NULL);
        form_jump_if(m, is_gone, false, m->next_label);
    }
    int32_t whole_warp = IR_NOREG;
    if (m->stays && !start) {
        put_index(m, PTX_OP_MOV, m->staying, ir_of_value(1), ir_of_value(0), 1);
        m->f->insts[m->f->ninsts - 1].type = PTX_PRED;
        struct ir_inst *all = form_put(m, IR_OP_STAY);
        IR_SET_SOURCES(m->f, all, ir_of_reg(m->staying));
    }
    if (m->stays && start) {
        form_put_result(m, IR_OP_STAYING, PTX_PRED, m->staying, 0, NULL);
        whole_warp = form_ask(m, IR_OP_ALL, m->staying);
    }
    form_alive_before(m, start, live);
    for (int32_t r = 0; r < m->k->nregs && start && !m->whole; r++)
        if (ir_bit(live, r) && in_base(m, r)) {
            put_stepped(m, IR_OP_STEPPED, r, m->before[r]);
        } else if (ir_bit(live, r)) {
            struct ir_inst *in = form_put(m, IR_OP_KEPT);
            IR_SET_RESULTS(m->f, in, r);
        }
    if (!start)
        memset(live, 0, m->words * 8);
    clear_others(m, live);
    if (whole_warp != IR_NOREG) {
        form_jump_if(m, whole_warp, false, form_code_at(m, start));
        m->masked = true;
        form_jump(m, form_code_at(m, start));
        m->masked = false;
    }
    form_code_at(m, start);
    form_write_code(m, live);
    if (!m->ended && m->exit < 0)
        form_refuse(m, "it does not end");
    bool ok = !m->jams || (!m->in_order && (m->loops || m->whole) && !out->why_not);
    if (!ok) {
        m->f->ninsts = written;
        out->nparts--;
        out->why_not = NULL;
    }
    if (ok && !out->why_not)
        write_end(m, first, head, live);
    form_release_rows(m);
    alloc_release(live);
    return ok;
}

/* --- all of it --- */

/* Not all parts can be for all warps at once. */
static void start_anew(struct form_writer *m)
{
    m->whole = false;
    m->out->nparts = 0;
    m->f->ninsts = 0;
    m->ntodo = 0;
    for (int32_t i = 0; i <= m->k->ninsts; i++)
        m->part_label[i] = -1;
    part_at(m, 0);
}

/* Blocks of a row may go through parts together: they have no shared memory. */
static bool may_go_together(const struct emit *e)
{
    uint32_t warps = e->job->dim[0] * e->job->dim[1] * e->job->dim[2] / SHAPE_LANES;
    return !e->k->shared_static && JIT_MOST_TOGETHER >= 2 * warps && form_blocks_in_row(e, e->k);
}

/* Lanes may exit while others of their warp go on: nobody counts, and nothing waits for lanes or looks at them. */
static bool may_lose_lanes(const struct emit *e)
{
    for (int32_t i = 0; i < e->k->ninsts; i++) {
        const struct ir_inst *in = &e->k->insts[i];
        bool access = in->op == PTX_OP_LD || in->op == PTX_OP_LDU || in->op == PTX_OP_ST;
        bool goes = in->op == PTX_OP_BRA || ir_only_counts(in) || (e->job->code->step[i].kind == STEP_EXIT && in->guard == IR_NOREG);
        if (!goes && (in->op >= PTX_OP_COUNT || facts_carry(in) || !step_is_plain(&e->job->code->step[i]) || (ir_is_memory(in) ? !access : !facts_pure(in))))
            return false;
    }
    return !e->job->counting && !e->tells_time;
}

static struct form *make(struct emit *e, bool jam, const bool *interchanged)
{
    struct form_writer m;
    form_begin(&m, e, false);
    m.interchanged = interchanged;
    struct form *out = m.out;
    out->interchanged = interchanged != NULL;
    out->blocks = interchanged && may_go_together(e) ? JIT_MOST_TOGETHER / m.warps : 1;
    uint64_t *alike = find_alike(&m);
    m.stays = interchanged && may_lose_lanes(e);
    m.staying = m.stays ? form_reg(&m, PTX_PRED, false) : IR_NOREG;
    find_parts(&m);
    out->gone = m.gone;
    m.jam = jam && !interchanged ? unroll_jam_room(m.k, e->s, m.steps, e->job->level, m.warps) : 1;
    m.whole = m.jam > 1 && m.jam == m.warps && m.k->nloops && !interchanged && !out->why_not;
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
    alloc_release(alike);
    return form_finish(&m);
}

/* --- loops that all warps go through together --- */

enum { FAR = 256 /* bytes */, MOST_CARRIED = 2 };

/* Warps may do its turns in any order: it loads, computes and stores. */
static bool may_interchange(const struct emit *e, const struct ir_loop *l)
{
    const struct ir_kernel *k = e->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool access = in->op == PTX_OP_LD || in->op == PTX_OP_LDU || in->op == PTX_OP_ST;
        if (jit_waits(in))
            return false;
        if (!ir_bit(l->blocks, in->block) || in->op == PTX_OP_BRA || ir_only_counts(in))
            continue;
        if (in->op >= PTX_OP_COUNT || facts_carry(in) || (ir_is_memory(in) ? !access || in->mods->order != PTX_WEAK : !facts_pure(in)))
            return false;
    }
    return true;
}

static int carried(const struct emit *e, const struct ir_loop *l)
{
    int n = 0;
    for (int32_t r = 0; r < e->k->nregs; r++)
        n += ir_bit(e->k->blocks[l->header].live_in, r) && e->s->reg[r].kind == SHAPE_VARYING && e->k->reg_type[r] != PTX_PRED;
    return n;
}

/* Headers of loops in which neighbouring lanes load neighbours, and each turn something far away: on that way through memory the
 * host's caches and its prefetchers see a few lines of each page. NULL: there are none. The caller releases them. */
static bool *find_interchanged(const struct emit *e, const struct form *form, struct turn_step *turn)
{
    bool *found = alloc_zeroed((size_t)e->k->nblocks + 1), some = false;
    for (int32_t i = 0; i < form->k->ninsts; i++) {
        const struct ir_inst *in = &form->k->insts[i];
        int32_t l = in->op == PTX_OP_LD && in->site >= 0 ? e->k->blocks[e->k->insts[in->site].block].loop : -1;
        struct turn_step step;
        struct shape_reach reach;
        if (l < 0 || in->space != PTX_GLOBAL || !shape_reach(e->k, e->s, e->job->dim, &e->k->insts[in->site], &reach) ||
            !turn_step(form, in, &step) || (step.by.kind != IR_SRC_REG && llabs(step.times * (int64_t)step.by.imm) < FAR))
            continue;
        if (!found[e->k->loops[l].header] && (carried(e, &e->k->loops[l]) > MOST_CARRIED || !may_interchange(e, &e->k->loops[l])))
            continue;
        some = found[e->k->loops[l].header] = true;
        turn[in->site] = step;
        if (step.by.kind == IR_SRC_REG)
            turn[in->site].by.reg = ir_variable(form->k, step.by.reg);
    }
    if (some)
        return found;
    alloc_release(found);
    return NULL;
}

struct form *block_form_make(struct emit *e, bool jam)
{
    struct form *form = make(e, jam, NULL);
    struct turn_step *turn = alloc_zeroed(((size_t)e->k->ninsts + 1) * sizeof *turn);
    bool *interchanged = form->why_not || form->jam > 2 ? NULL : find_interchanged(e, form, turn);
    if (!interchanged) {
        alloc_release(turn);
        return form;
    }
    struct form *other = make(e, jam, interchanged);
    other->turn = turn;
    alloc_release(interchanged);
    bool done = !other->why_not;
    form_release(done ? form : other);
    return done ? other : form;
}
