/* Code of a form (form.h): a kernel in SSA whose branches are all uniform, instruction by instruction. A register is
 * one value of LLVM's, or a list of them, from its only definition on; phis are LLVM's.
 *
 * The functions that make code of single instructions read the tables of a job by the number of an instruction: here they get tables
 * of the form's instructions and registers, made from the kernel's. */
#include "jit/llvm/form.h"

#include "base/alloc.h"
#include "interp/step.h"
#include "ir/facts.h"
#include "ir/ssa.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE = 1 << 12 /* turns of loops between looks at whether the launch is to stop */ };

/* What holds of the code of one part. */
struct of_part {
    LLVMValueRef index, regs[UNROLL_JAM_MOST];
};

struct form_code {
    struct emit *e;
    struct form *form;
    struct jit_job *job;
    const struct ir_kernel *kernel; /* that the form is of */
    LLVMBasicBlockRef begin;        /* of the block of threads */
    int32_t *part_of;               /* [nblocks] number of the part, or -1 */
    struct of_part *part;
    LLVMValueRef local;
    uint8_t *in_kernel_guarded;     /* [ninsts] the kernel's own instruction has a guard: its mask may be empty */
    LLVMValueRef *array;            /* [2 * kernel's nregs] of 32 values each, by number, or NULL */
    bool *in_place;                 /* [nregs] it has what its spill slot has */
};

#define AT(name) offsetof(struct jit_frame, name)

/* --- tables of the form's instructions and registers --- */

static struct jit_job job_of_form(const struct jit_job *job, struct form *form)
{
    const struct ir_kernel *f = form->k;
    size_t n = (size_t)f->ninsts + 2, regs = (size_t)f->nregs + 1;
    struct jit_job j = *job;
    struct interp_code *code = alloc_zeroed(sizeof *code);
    int32_t *resume = alloc_zeroed(n * sizeof *resume), *access = alloc_zeroed(n * sizeof *access), *row = alloc_zeroed(n * sizeof *row);
    int32_t *spill_slot = alloc_zeroed(regs * sizeof *spill_slot);
    bool spills = !form->split; /* it shares places with the interpreter */
    *code = *job->code;
    code->kernel = f;
    code->step = alloc_zeroed(n * sizeof *code->step);
    code->of_reg = alloc_zeroed(regs * sizeof *code->of_reg);
    for (int32_t i = 0; i < f->ninsts; i++) {
        int32_t site = f->insts[i].site;
        resume[i] = access[i] = row[i] = -1;
        code->step[i].kind = STEP_LANES;
        if (site < 0)
            continue;
        code->step[i] = job->code->step[site];
        access[i] = job->access[site];
        row[i] = job->row[site];
    }
    for (int32_t r = 0; r < f->nregs; r++) {
        int32_t of = form_place(form, job->kernel, r);
        bool known = of >= 0;
        spill_slot[r] = known && spills ? job->spill_slot[of] : -1;
        code->of_reg[r] = known ? job->code->of_reg[of] : 0;
    }
    j.kernel = f;
    j.shapes = &form->shapes;
    j.code = code;
    j.resume = resume;
    j.access = access;
    j.row = row;
    j.spill_slot = spill_slot;
    return j;
}

static void release_job(struct jit_job *j)
{
    struct interp_code *code = (struct interp_code *)j->code;
    alloc_release(code->step);
    alloc_release(code->of_reg);
    alloc_release(code);
    alloc_release((void *)j->resume);
    alloc_release((void *)j->access);
    alloc_release((void *)j->row);
    alloc_release((void *)j->spill_slot);
}

/* --- values --- */

/* What stands for a register where blocks meet: bases, bits of lanes, or parts. */
static int values_of(struct emit *e, int32_t reg, LLVMValueRef *v)
{
    if (reg_packed(e, reg)) {
        v[0] = reg_bits(e, reg);
        return 1;
    }
    struct value x = reg_get(e, reg);
    memcpy(v, x.v, sizeof x.v);
    return var_parts(e, reg);
}

static void set_values(struct emit *e, int32_t reg, LLVMValueRef *v)
{
    struct value x = {.scalar = reg_scalar(e, reg)};
    if (reg_packed(e, reg))
        x.bits = v[0];
    else
        memcpy(x.v, v, (size_t)var_parts(e, reg) * sizeof *v);
    reg_set(e, reg, x);
}

static void make_phi(struct emit *e, int32_t reg)
{
    LLVMValueRef v[MAX_PARTS];
    if (unroll_jam_shared(e, reg))
        return;
    for (int p = 0; p < var_parts(e, reg); p++)
        v[p] = LLVMBuildPhi(e->b, var_type(e, reg), "");
    set_values(e, reg, v);
}

/* What block `from` (-1: what is before the kernel) brings to the phis of block `to`. */
static void bring(struct emit *e, int32_t from, int32_t to)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    for (int32_t i = e->k->blocks[to].first; e->k->insts[i].op == IR_OP_PHI; i++) {
        const struct ir_inst *phi = &e->k->insts[i];
        for (int s = 0; s < phi->nsrc; s++) {
            LLVMValueRef v[MAX_PARTS], into[MAX_PARTS];
            if (phi->targets[s] != from)
                continue;
            EACH_WARP(e, w) {
                if (unroll_jam_shared(e, phi->dst[0]))
                    continue;
                values_of(e, phi->src[s].reg, v);
                values_of(e, phi->dst[0], into);
                for (int p = 0; p < var_parts(e, phi->dst[0]); p++)
                    LLVMAddIncoming(into[p], &v[p], &here, 1);
            }
        }
    }
}

static void bring_all(struct emit *e, int32_t from)
{
    const struct ir_block *b = &e->k->blocks[from];
    for (int32_t s = 0; s < b->nsucc; s++)
        if (b->succ[s] >= 0)
            bring(e, from, b->succ[s]);
}

/* --- the warp --- */

static void take_part(struct form_code *c, int part)
{
    struct emit *e = c->e;
    e->part = part;
    e->index = part < 0 ? NULL : c->part[part].index;
    c->job->unrolled = part < 0 ? 1 : c->form->part[part].jam;
    EACH_WARP(e, w)
        e->regs = part < 0 ? e->block_regs : c->part[part].regs[w];
}

static void make_phis(struct form_code *c)
{
    struct emit *e = c->e;
    for (int32_t b = 0; b < e->k->nblocks; b++) {
        LLVMPositionBuilderAtEnd(e->b, e->head[b]);
        take_part(c, c->part_of[b]);
        for (int32_t i = e->k->blocks[b].first; e->k->insts[i].op == IR_OP_PHI; i++)
            EACH_WARP(e, w)
                make_phi(e, e->k->insts[i].dst[0]);
    }
}

static LLVMValueRef above(struct emit *e, LLVMValueRef base, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(e->b, e->i8, base, &bytes, 1, "");
}

/* Places of the warp's registers. */
static LLVMValueRef regs_of_warp(struct emit *e, LLVMValueRef index)
{
    LLVMValueRef at = LLVMBuildZExt(e->b, index, e->i64, "");
    if (e->form->blocks == 1)
        return above(e, e->block_regs, LLVMBuildMul(e->b, at, e->block_stride, ""));
    LLVMValueRef table = above(e, e->frame, number(e, 64, AT(warp_regs)));
    return LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->ptr, table, &at, 1, ""), "");
}

static void begin_warp(struct form_code *c)
{
    struct emit *e = c->e;
    struct of_part *p = &c->part[e->in->target];
    p->index = reg_get(e, e->in->src[0].reg).v[0];
    LLVMValueRef bytes = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, p->index, e->i64, ""), e->block_stride, "");
    p->regs[0] = regs_of_warp(e, p->index);
    for (int w = 1; w < c->form->part[e->in->target].jam; w++)
        p->regs[w] = above(e, p->regs[w - 1], e->block_stride);
    frame_set(e, AT(block_warp), p->index);
    if (c->kernel->local_bytes || c->kernel->uses_scratch)
        frame_set(e, AT(local), above(e, c->local, bytes));
    take_part(c, e->in->target);
}

static void take_kept(struct form_code *c, int32_t reg)
{
    struct emit *e = c->e;
    struct value v = {.scalar = reg_scalar(e, reg)};
    if (unroll_jam_shared(e, reg))
        return;
    if (e->job->spill_slot[reg] < 0) {
        reg_set(e, reg, place_load(e, reg));
        c->in_place[reg] = e->lanes != NULL;
        return;
    }
    for (int p = 0; p < var_parts(e, reg); p++)
        v.v[p] = spill_load(e, reg, p);
    reg_set(e, reg, v);
    c->in_place[reg] = c->form->warp;
}

static void clear(struct emit *e, int32_t reg)
{
    LLVMValueRef v[MAX_PARTS];
    for (int p = 0; p < var_parts(e, reg); p++)
        v[p] = LLVMConstNull(var_type(e, reg));
    if (!unroll_jam_shared(e, reg))
        set_values(e, reg, v);
}

static void keep(struct emit *e, int32_t reg)
{
    if (e->in_place[reg])
        return;
    if (e->lanes)
        split_store(e, reg, e->lanes);
    else if (e->job->spill_slot[reg] >= 0)
        spill_store(e, reg);
    else
        place_keep(e, reg);
}

/* Of the first warp's value the one of warp `index`, or (sign -1) the other way round. */
static struct value stepped(struct emit *e, int32_t reg, struct value v, LLVMValueRef index, int sign)
{
    int64_t by = e->job->steps->by[reg];
    for (int p = 0; p < var_parts(e, reg) && by; p++) {
        LLVMTypeRef t = LLVMTypeOf(v.v[p]);
        LLVMValueRef all = LLVMBuildMul(e->b, LLVMBuildZExtOrBitCast(e->b, index, t, ""), LLVMConstInt(t, (uint64_t)(sign * by), true), "");
        v.v[p] = LLVMBuildAdd(e->b, v.v[p], all, "");
    }
    return v;
}

static void step(struct emit *e)
{
    const struct ir_inst *in = e->in;
    struct value v = reg_get(e, in->src[0].reg);
    reg_set(e, in->dst[0], stepped(e, in->dst[0], v, e->index, in->op == IR_OP_STEPPED ? 1 : -1));
}

/* --- where it stops --- */

/* Warps from `from` on, before `to`, get in their places what sources of the state, as the first warp has it, mean for them. */
static void publish(struct emit *e, LLVMValueRef from, LLVMValueRef to, const struct ir_inst *state, int first, int end)
{
    LLVMValueRef one = number(e, 32, 1), regs = e->regs;
    if (first == end)
        return;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), head = new_block(e, "others"), body = new_block(e, "other"), out = new_block(e, "told");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef i = LLVMBuildPhi(e->b, e->i32, "");
    LLVMAddIncoming(i, &from, &before, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, i, to, ""), body, out);
    LLVMPositionBuilderAtEnd(e->b, body);
    e->regs = regs_of_warp(e, i);
    for (int s = first; s < end; s++) {
        int32_t reg = state->src[s].reg;
        struct value v = reg_get(e, reg);
        e->now[reg] = stepped(e, reg, v, i, 1);
        keep(e, reg);
        e->now[reg] = v;
    }
    LLVMValueRef next = LLVMBuildAdd(e->b, i, one, "");
    body = LLVMGetInsertBlock(e->b);
    LLVMAddIncoming(i, &next, &body, 1);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, out);
    e->regs = regs;
}

static void publish_all(struct emit *e, const struct ir_inst *state)
{
    const uint32_t *dim = e->job->dim;
    uint64_t warps = (uint64_t)dim[0] * dim[1] * dim[2] / SHAPE_LANES;
    LLVMValueRef behind = LLVMBuildAdd(e->b, e->index, number(e, 32, (uint64_t)e->job->unrolled), "");
    publish(e, number(e, 32, 0), e->index, state, state->targets[0], state->nsrc);
    publish(e, behind, e->form->blocks > 1 ? frame_field(e, AT(block_warps), e->i32) : number(e, 32, warps), state, state->ntargets, state->targets[0]);
}

/* The rest of what jit_run.c is told: where the other warps are. */
static void stop(struct emit *e, enum jit_stop why)
{
    const struct block_part *p = &e->form->part[e->part < 0 ? 0 : e->part];
    frame_set(e, AT(block_start), number(e, 32, (uint32_t)p->start));
    frame_set(e, AT(block_end), number(e, 32, JIT_STOPPED(p->why, p->end)));
    frame_set(e, AT(block_jam), number(e, 32, e->part < 0 ? 1 : (uint64_t)p->jam));
    LLVMBuildRet(e->b, number(e, 32, why));
}

/* Of a warp of a fleet the next one goes on. */
static void stop_warp(struct emit *e, enum jit_stop why, int32_t site)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMValueRef as = number(e, 32, JIT_STOPPED(why, site));
    if (e->ended && (why == JIT_EXIT || why == JIT_BARRIER || why == JIT_TURN)) {
        LLVMAddIncoming(e->ended_as, &as, &here, 1);
        LLVMBuildBr(e->b, e->ended);
        return;
    }
    frame_set(e, AT(site), number(e, 32, (uint32_t)site));
    LLVMBuildRet(e->b, number(e, 32, why));
}

void form_code_stop(struct emit *e, enum jit_stop why, int32_t site)
{
    if (e->form->warp) {
        stop_warp(e, why, site);
        return;
    }
    frame_set(e, AT(site), number(e, 32, (uint32_t)site));
    if (why != JIT_FAULT || !e->state) {
        stop(e, why);
        return;
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    if (e->fault_state != e->state) {
        e->fault_state = e->state;
        e->fault = new_block(e, "fault");
        LLVMPositionBuilderAtEnd(e->b, e->fault);
        publish_all(e, e->state);
        stop(e, why);
        LLVMPositionBuilderAtEnd(e->b, here);
    }
    LLVMBuildBr(e->b, e->fault);
}

/* Another of the state's registers has some of the same place. */
static bool shares_place(const struct emit *e, const struct ir_inst *state, int first, int i)
{
    for (int j = first; j < state->ntargets; j++)
        if (j != i && places_overlap(e, state->src[j].reg, state->src[i].reg))
            return true;
    return false;
}

/* Its lanes begin the block once more, elsewhere. */
static void uncount(struct emit *e, int32_t block, LLVMValueRef lanes)
{
    LLVMValueRef mask = e->mask;
    e->mask = lanes;
    count_block(e, block, number(e, 64, UINT64_MAX));
    e->mask = mask;
}

/* Lanes wait before blocks of a row, all others at its join. */
static void hand_over(struct emit *e, const struct ir_inst *state, enum jit_stop why)
{
    const struct block_row *w = &e->form->row[state->target];
    LLVMValueRef lanes[JIT_MOST_WAITING], rest = number(e, 32, UINT32_MAX);
    for (int i = 0; i <= w->n; i++) {
        size_t at = AT(waiting) + (size_t)i * sizeof(struct jit_waiting);
        lanes[i] = i < w->n ? reg_bits(e, state->src[i].reg) : rest;
        rest = LLVMBuildAnd(e->b, rest, LLVMBuildNot(e->b, lanes[i], ""), "");
        frame_set(e, at + offsetof(struct jit_waiting, block), number(e, 32, (uint64_t)(i < w->n ? w->block[i] : w->join)));
        frame_set(e, at + offsetof(struct jit_waiting, lanes), lanes[i]);
    }
    for (int i = 0; i < w->n && why != JIT_TURN; i++)
        if (e->form_of->blocks[w->block[i]].first == state->site)
            uncount(e, w->block[i], lanes[i]);
    frame_set(e, AT(nwaiting), number(e, 32, (uint64_t)w->n + 1));
    frame_set(e, AT(why), number(e, 32, why));
    if (!e->form->warp)
        publish_all(e, state);
    for (int i = w->n; i < state->ntargets; i++) {
        int32_t reg = state->src[i].reg;
        if (!shares_place(e, state, w->n, i)) {
            place_store(e, reg);
            continue;
        }
        LLVMValueRef on = number(e, 32, 0);
        for (int j = 0; j <= w->n; j++)
            if (ir_bit(e->form_of->blocks[j < w->n ? w->block[j] : w->join].live_in, form_place(e->form, e->form_of, reg)))
                on = LLVMBuildOr(e->b, on, lanes[j], "");
        split_store(e, reg, on);
    }
    form_code_stop(e, JIT_APART, 0);
}

void form_code_leave(struct emit *e, enum jit_stop why)
{
    const struct ir_inst *state = e->state;
    if (!state) {
        snprintf(e->problem, sizeof e->problem, "a fault of Heddle: it may leave where it has no state (operation %d, why %d)", e->in->op, why);
        LLVMBuildUnreachable(e->b);
        return;
    }
    if (state->target >= 0) {
        hand_over(e, state, why);
        return;
    }
    int warp = e->warp;
    const struct ir_block *b = &e->form_of->blocks[e->form_of->insts[state->site].block];
    if (b->first == state->site && why != JIT_TURN && e->job->unrolled > 1) /* others than the first begin it once more */
        count_block(e, e->form_of->insts[state->site].block, number(e, 64, (uint64_t)(int64_t)(1 - e->job->unrolled)));
    EACH_WARP(e, w)
        for (int i = 0; i < state->ntargets; i++)
            keep(e, state->src[i].reg);
    if (e->form->warp) {
        stop_warp(e, why, state->site);
        return;
    }
    publish_all(e, state);
    frame_set(e, AT(site), number(e, 32, (uint32_t)state->site));
    stop(e, why);
    while (e->warp != warp)
        unroll_jam_next(e, e->warp);
}

static void turn(struct emit *e)
{
    LLVMBasicBlockRef look = new_block(e, "look"), off = new_block(e, "stop"), on = new_block(e, "on");
    LLVMValueRef left = LLVMBuildSub(e->b, frame_field(e, AT(patience), e->i32), number(e, 32, 1), "");
    frame_set(e, AT(patience), left);
    likely(e, LLVMBuildCondBr(e->b, lanes_any(e, left), on, look), true);
    LLVMPositionBuilderAtEnd(e->b, look);
    frame_set(e, AT(patience), number(e, 32, PATIENCE));
    LLVMValueRef stops = op_tell(e, offsetof(struct jit_ops, long_turns), number(e, 32, !e->form->warp));
    LLVMBuildCondBr(e->b, lanes_any(e, stops), off, on);
    LLVMPositionBuilderAtEnd(e->b, off);
    if (e->form->warp)
        form_code_leave(e, JIT_TURN);
    else
        form_code_stop(e, JIT_TURN, 0);
    LLVMPositionBuilderAtEnd(e->b, on);
}

/* --- the warp form --- */

/* Where its caller, or the warp before it, says. */
static void enter(struct emit *e)
{
    LLVMBasicBlockRef bad = new_block(e, "bad");
    LLVMValueRef at = LLVMBuildLoad2(e->b, e->i32, e->resume_var, ""), s = LLVMBuildSwitch(e->b, at, bad, (unsigned)e->in->nsrc);
    for (int i = 0; i < e->in->nsrc; i++)
        LLVMAddCase(s, number(e, 32, e->in->src[i].imm), e->head[e->in->targets[i]]);
    LLVMPositionBuilderAtEnd(e->b, bad);
    if (e->in->ntargets > e->in->nsrc) /* for any other number */
        LLVMBuildBr(e->b, e->head[e->in->targets[e->in->nsrc]]);
    else
        LLVMBuildUnreachable(e->b);
}

/* The warp stops, as the `state` says, if so. */
static void stop_if(struct emit *e, LLVMValueRef cond, enum jit_stop why)
{
    LLVMBasicBlockRef off = new_block(e, "stop"), on = new_block(e, "on");
    likely(e, LLVMBuildCondBr(e->b, cond, off, on), false);
    LLVMPositionBuilderAtEnd(e->b, off);
    form_code_leave(e, why);
    LLVMPositionBuilderAtEnd(e->b, on);
}

static void yield(struct emit *e)
{
    LLVMValueRef budget = LLVMBuildSub(e->b, frame_field(e, AT(budget), e->i32), number(e, 32, 1), "");
    frame_set(e, AT(budget), budget);
    stop_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, budget, number(e, 32, 0), ""), JIT_TURN);
}

static void end_turn(struct emit *e)
{
    uint32_t bit = UINT32_C(1) << (e->job->code->step[e->site].turn - 1);
    stop_if(e, lanes_any(e, LLVMBuildAnd(e->b, frame_field(e, AT(turns), e->i32), number(e, 32, bit), "")), JIT_TURN);
}

static void ring(struct emit *e)
{
    LLVMValueRef at = number(e, 64, offsetof(struct warp, nrecords));
    LLVMValueRef n = LLVMBuildLoad2(e->b, e->i32, above(e, frame_field(e, AT(warp), e->ptr), at), "");
    stop_if(e, LLVMBuildICmp(e->b, LLVMIntUGE, n, frame_field(e, AT(room), e->i32), ""), JIT_RING);
}

/* For so many warps an instruction of counting is. */
static LLVMValueRef warps_counted(struct emit *e)
{
    const struct ir_src *n = &e->in->src[1];
    return n->kind == IR_SRC_REG ? LLVMBuildZExt(e->b, source(e, 1, PTX_U32, -1), e->i64, "") : number(e, 64, n->imm);
}

static void begin_block(struct emit *e)
{
    int32_t block = e->form_of->insts[e->in->site].block;
    LLVMValueRef warps = LLVMBuildMul(e->b, warps_counted(e), number(e, 64, (uint64_t)e->job->unrolled), "");
    e->mask = e->in->src[0].kind == IR_SRC_REG ? reg_bits(e, e->in->src[0].reg) : NULL;
    count_block(e, block, warps);
    if (e->tells_time)
        count_executed(e, LLVMBuildMul(e->b, warps, number(e, 64, (uint64_t)e->form_of->blocks[block].count), ""));
    e->mask = NULL;
}

static void count_lanes_of(struct emit *e)
{
    const struct ir_src *of = &e->in->src[1];
    EACH_WARP(e, w) {
        LLVMValueRef lanes = reg_bits(e, e->in->src[0].reg);
        if (e->in->op == IR_OP_COUNT_BRANCH)
            count_branch(e, lanes, e->in->nsrc > 1 ? reg_bits(e, of->reg) : number(e, 32, UINT32_MAX));
        else if (e->in->op == IR_OP_COUNT_GUARD)
            count_guards(e, lanes, warps_counted(e));
        else if (w)
            count_guards(e, lanes, number(e, 64, UINT64_MAX));
    }
}

/* --- warps that exit early --- */

static LLVMValueRef bits_of_warps(struct emit *e)
{
    uint64_t all = (UINT64_C(1) << e->job->unrolled) - 1;
    return LLVMBuildShl(e->b, number(e, 32, all), e->index, "");
}

static void go_for_good(struct emit *e)
{
    LLVMValueRef gone = frame_field(e, AT(block_gone), e->i32);
    frame_set(e, AT(block_gone), LLVMBuildOr(e->b, gone, bits_of_warps(e), ""));
}

/* Of an array of the frame, with a number of 32 bits for each warp that is there: the warp's. */
static LLVMValueRef of_warp(struct emit *e, size_t array)
{
    return LLVMBuildGEP2(e->b, e->i32, above(e, e->frame, number(e, 64, array)), &e->index, 1, "");
}

static void frame_set_of_warp(struct emit *e, size_t array, LLVMValueRef v)
{
    LLVMBuildStore(e->b, v, of_warp(e, array));
}

static void take_staying(struct emit *e)
{
    reg_set(e, e->in->dst[0], (struct value){.bits = LLVMBuildLoad2(e->b, e->i32, of_warp(e, AT(warp_lanes)), "")});
}

static void set_aside(struct emit *e)
{
    const struct ir_inst *state = e->state;
    LLVMValueRef aside = frame_field(e, AT(block_aside), e->i32);
    for (int i = 0; i < state->ntargets; i++)
        keep(e, state->src[i].reg);
    frame_set_of_warp(e, AT(aside_site), number(e, 32, (uint64_t)state->site));
    frame_set(e, AT(block_aside), LLVMBuildOr(e->b, aside, bits_of_warps(e), ""));
    go_for_good(e);
}

static void ask_gone(struct emit *e)
{
    LLVMValueRef gone = LLVMBuildAnd(e->b, frame_field(e, AT(block_gone), e->i32), bits_of_warps(e), "");
    reg_set(e, e->in->dst[0], (struct value){.scalar = true, .v = {lanes_any(e, gone)}});
}

static void ask_all_gone(struct emit *e)
{
    const uint32_t *dim = e->job->dim;
    LLVMValueRef n = e->form->blocks > 1 ? frame_field(e, AT(block_warps), e->i32) : number(e, 32, (uint64_t)dim[0] * dim[1] * dim[2] / SHAPE_LANES);
    LLVMValueRef all = LLVMBuildLShr(e->b, number(e, 32, UINT32_MAX), LLVMBuildSub(e->b, number(e, 32, 32), n, ""), "");
    LLVMValueRef gone = LLVMBuildICmp(e->b, LLVMIntEQ, frame_field(e, AT(block_gone), e->i32), all, "");
    reg_set(e, e->in->dst[0], (struct value){.scalar = true, .v = {gone}});
}

/* --- lane-serial loops --- */

/* An array of 32 values, or of a predicate bits. */
static LLVMValueRef array_of(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    bool bits = in->type == PTX_PRED;
    if (c->array[in->target])
        return c->array[in->target];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(e->b);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->fn)));
    LLVMValueRef v = LLVMBuildAlloca(e->b, bits ? e->i32 : LLVMArrayType2(type_of(e, (enum ptx_type)in->type), SHAPE_LANES), "");
    LLVMSetAlignment(v, bits ? 4 : 64);
    LLVMPositionBuilderAtEnd(e->b, here);
    LLVMSetCurrentDebugLocation2(e->b, line);
    return c->array[in->target] = v;
}

static LLVMValueRef element(struct form_code *c, const struct ir_inst *in, LLVMValueRef lane)
{
    LLVMValueRef i = LLVMBuildZExt(c->e->b, lane, c->e->i64, "");
    return LLVMBuildGEP2(c->e->b, type_of(c->e, (enum ptx_type)in->type), array_of(c, in), &i, 1, "");
}

static LLVMValueRef part_of_array(struct form_code *c, const struct ir_inst *in, int p)
{
    return element(c, in, number(c->e, 32, (uint64_t)(p * c->e->width)));
}

static LLVMValueRef bit_of(struct emit *e, LLVMValueRef bits, LLVMValueRef lane)
{
    return LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, bits, lane, ""), e->i1, "");
}

static void to_lanes(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    int32_t reg = in->src[0].reg;
    if (in->type == PTX_PRED)
        LLVMBuildStore(e->b, reg_bits(e, reg), array_of(c, in));
    for (int p = 0; p < e->parts && in->type != PTX_PRED; p++)
        LLVMBuildStore(e->b, reg_part(e, reg, p), part_of_array(c, in, p));
}

static void from_lanes(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    struct value v = {.scalar = false};
    if (in->type == PTX_PRED)
        v.bits = LLVMBuildLoad2(e->b, e->i32, array_of(c, in), "");
    for (int p = 0; p < e->parts && !v.bits; p++)
        v.v[p] = LLVMBuildLoad2(e->b, vector_of(e, type_of(e, (enum ptx_type)in->type)), part_of_array(c, in, p), "");
    reg_set(e, in->dst[0], v);
}

static LLVMValueRef scalar(struct emit *e, int i)
{
    return reg_get(e, e->in->src[i].reg).v[0];
}

static LLVMValueRef of_lane(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    if (in->type == PTX_PRED)
        return bit_of(e, LLVMBuildLoad2(e->b, e->i32, array_of(c, in), ""), scalar(e, 0));
    return LLVMBuildLoad2(e->b, type_of(e, (enum ptx_type)in->type), element(c, in, scalar(e, 0)), "");
}

static void set_lane(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    LLVMValueRef v = scalar(e, 0), lane = scalar(e, 1), array = array_of(c, in);
    if (in->type != PTX_PRED) {
        LLVMBuildStore(e->b, v, element(c, in, lane));
        return;
    }
    LLVMValueRef one = LLVMBuildShl(e->b, number(e, 32, 1), lane, ""), old = LLVMBuildLoad2(e->b, e->i32, array, "");
    v = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, v, e->i32, ""), lane, "");
    LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildAnd(e->b, old, LLVMBuildNot(e->b, one, ""), ""), v, ""), array);
}

/* False: it is none of these. */
static bool lane_serial(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    LLVMValueRef v = NULL;
    switch (in->op) {
    case IR_OP_TO_LANES: to_lanes(c, in); return true;
    case IR_OP_FROM_LANES: from_lanes(c, in); return true;
    case IR_OP_SET_LANE: set_lane(c, in); return true;
    case IR_OP_ONLY:
        reg_set(e, in->dst[0], (struct value){.bits = LLVMBuildShl(e->b, number(e, 32, 1), scalar(e, 0), "")});
        return true;
    case IR_OP_OF_LANE: v = of_lane(c, in); break;
    case IR_OP_FIRST: v = first_lane(e, reg_bits(e, in->src[0].reg)); break;
    case IR_OP_HOLDS: v = bit_of(e, reg_bits(e, in->src[0].reg), scalar(e, 1)); break;
    case IR_OP_FRAME: v = frame_field(e, (size_t)in->offset, type_of(e, (enum ptx_type)in->type)); break;
    case IR_OP_LOOK: v = memory_ask_check(e, scalar(e, 0), scalar(e, 1), scalar(e, 2), scalar(e, 3)); break;
    case IR_OP_STOPS: v = lanes_any(e, op_tell(e, offsetof(struct jit_ops, long_turns), number(e, 32, 1))); break;
    case IR_OP_COUNT_TURNS: v = lanes_any(e, op_tell(e, offsetof(struct jit_ops, count_turns), reg_bits(e, in->src[0].reg))); break;
    default: return false;
    }
    reg_set(e, in->dst[0], (struct value){.scalar = true, .v = {v}});
    return true;
}

/* --- instructions --- */

static void ask(struct emit *e)
{
    LLVMValueRef bits = NULL;
    bool all = e->in->op == IR_OP_ALL;
    EACH_WARP(e, w) {
        LLVMValueRef of = reg_bits(e, e->in->src[0].reg);
        bits = !bits ? of : all ? LLVMBuildAnd(e->b, bits, of, "") : LLVMBuildOr(e->b, bits, of, "");
    }
    LLVMValueRef r = LLVMBuildICmp(e->b, all ? LLVMIntEQ : LLVMIntNE, bits, number(e, 32, all ? UINT32_MAX : 0), "");
    reg_set(e, e->in->dst[0], (struct value){.scalar = true, .v = {r}});
}

/* The new value in lanes of the guard, the old one in others; `on`: i1 for all of them, or NULL: `lanes`. One value for all lanes is
 * the new one if some are on: others do not wait for it (region_blocks.c). */
static void choose(struct emit *e, int32_t reg, int32_t old, LLVMValueRef on, LLVMValueRef lanes)
{
    LLVMValueRef v[MAX_PARTS], was[MAX_PARTS];
    int n = values_of(e, reg, v);
    values_of(e, old, was);
    if (!on && reg_scalar(e, reg))
        on = lanes_any(e, lanes);
    for (int p = 0; p < n; p++) {
        if (on)
            v[p] = LLVMBuildSelect(e->b, on, v[p], was[p], "");
        else if (!reg_packed(e, reg))
            v[p] = LLVMBuildSelect(e->b, unpacked(e, lanes, p), v[p], was[p], "");
        else
            v[p] = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, v[p], lanes, ""), LLVMBuildAnd(e->b, was[p], LLVMBuildNot(e->b, lanes, ""), ""), "");
    }
    set_values(e, reg, v);
}

static void choose_all(struct emit *e, const struct ir_inst *in, LLVMValueRef on, LLVMValueRef lanes)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && in->old && in->old[d] != IR_NOREG)
            choose(e, in->dst[d], in->old[d], on, lanes);
}

/* Around the instruction is a branch: it is not done if nobody is on. */
static void join_skipped(struct emit *e, const struct ir_inst *in, LLVMBasicBlockRef before, LLVMBasicBlockRef next, LLVMValueRef (*was)[MAX_PARTS])
{
    LLVMValueRef (*done)[MAX_PARTS] = alloc_zeroed(((size_t)in->ndst + 1) * sizeof *done);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            values_of(e, in->dst[d], done[d]);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(e->b), before};
    LLVMBuildBr(e->b, next);
    LLVMPositionBuilderAtEnd(e->b, next);
    for (int d = 0; d < in->ndst; d++) {
        if (in->dst[d] == IR_NOREG)
            continue;
        for (int p = 0; p < var_parts(e, in->dst[d]); p++) {
            LLVMValueRef v[2] = {done[d][p], was[d][p]};
            done[d][p] = LLVMBuildPhi(e->b, LLVMTypeOf(v[0]), "");
            LLVMAddIncoming(done[d][p], v, from, 2);
        }
        set_values(e, in->dst[d], done[d]);
    }
    alloc_release(done);
}

static void find_old(struct emit *e, const struct ir_inst *in, LLVMValueRef (*was)[MAX_PARTS])
{
    for (int d = 0; d < in->ndst; d++) {
        if (in->dst[d] == IR_NOREG)
            continue;
        if (in->old && in->old[d] != IR_NOREG)
            values_of(e, in->old[d], was[d]);
        for (int p = 0; p < var_parts(e, in->dst[d]) && (!in->old || in->old[d] == IR_NOREG); p++)
            was[d][p] = LLVMConstNull(var_type(e, in->dst[d]));
    }
}

static void guarded(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    LLVMValueRef on = NULL, lanes = NULL, mask = e->mask, wide[MAX_PARTS], (*was)[MAX_PARTS];
    if (reg_scalar(e, in->guard)) {
        on = reg_get(e, in->guard).v[0];
        on = in->guard_negated ? LLVMBuildNot(e->b, on, "") : on;
    } else {
        lanes = reg_bits(e, in->guard);
        lanes = in->guard_negated ? LLVMBuildNot(e->b, lanes, "") : lanes;
    }
    if (facts_pure(in) && in->op < PTX_OP_COUNT && !facts_carry(in)) {
        emit_inst(e);
        choose_all(e, in, on, lanes);
        return;
    }
    if (lanes && e->lanes)
        lanes = LLVMBuildAnd(e->b, lanes, e->lanes, "");
    bool skips = on || c->in_kernel_guarded[e->site];
    int checked = e->nchecked; /* what is checked under a guard does not hold behind it */
    LLVMBasicBlockRef some = NULL, next = NULL, before = NULL;
    was = alloc_zeroed(((size_t)in->ndst + 1) * sizeof *was);
    if (skips) {
        some = new_block(e, "some");
        next = new_block(e, "next");
        find_old(e, in, was);
        before = LLVMGetInsertBlock(e->b);
        LLVMBuildCondBr(e->b, on ? on : lanes_any(e, lanes), some, next);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    memcpy(wide, e->wide_mask, sizeof wide);
    if (lanes)
        set_mask(e, lanes);
    emit_inst(e);
    memcpy(e->wide_mask, wide, sizeof wide);
    e->mask = mask;
    e->nchecked = checked;
    if (!on)
        choose_all(e, in, NULL, lanes);
    if (skips)
        join_skipped(e, in, before, next, was);
    alloc_release(was);
}

static void do_inst(struct form_code *c, const struct ir_inst *in)
{
    struct emit *e = c->e;
    struct ir_inst plain = *in;
    plain.guard = IR_NOREG;
    plain.guard_negated = false;
    plain.old = NULL;
    e->in = &plain;
    bool widens = in->ndst && !ir_is_memory(in) && in->op < PTX_OP_COUNT, once = c->job->unrolled > 1 && in->ndst;
    for (int d = 0; d < in->ndst; d++)
        once = once && in->dst[d] != IR_NOREG && ir_bit(c->job->steps->known, in->dst[d]);
    EACH_WARP(e, w) {
        if (widens && !(once && w))
            arith_guard_widening(e);
        else if (c->job->unrolled > 1 && ir_is_memory(in) && in->guard == IR_NOREG)
            memory_check_ahead(e);
    }
    EACH_WARP(e, w) {
        if (once && w)
            continue;
        in->guard != IR_NOREG ? guarded(c, in) : emit_inst(e);
    }
}

/* Shared memory of the block behind: zero, up to the next multiple of a vector, for which there is room (simt/block.c). */
static void clear_shared(struct form_code *c)
{
    struct emit *e = c->e;
    LLVMTypeRef vector = LLVMVectorType(e->i32, (unsigned)e->width);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), body = new_block(e, "clear"), out = new_block(e, "cleared");
    LLVMValueRef zero = number(e, 64, 0);
    LLVMBuildCondBr(e->b, lanes_any(e, LLVMBuildTrunc(e->b, e->shared_bytes, e->i32, "")), body, out);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMValueRef at = LLVMBuildPhi(e->b, e->i64, "");
    LLVMSetAlignment(LLVMBuildStore(e->b, LLVMConstNull(vector), above(e, e->shared, at)), 4 * (unsigned)e->width);
    LLVMValueRef next = LLVMBuildAdd(e->b, at, number(e, 64, 4 * (uint64_t)e->width), "");
    LLVMAddIncoming(at, &zero, &before, 1);
    LLVMAddIncoming(at, &next, &body, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, e->shared_bytes, ""), body, out);
    LLVMPositionBuilderAtEnd(e->b, out);
}

bool form_blocks_in_row(const struct emit *e, const struct ir_kernel *of)
{
    for (int32_t i = 0; i < of->ninsts; i++)
        for (int s = 0; s < of->insts[i].nsrc; s++)
            if (of->insts[i].src[s].kind == IR_SRC_SREG && of->insts[i].src[s].sreg == PTX_SREG_SMID)
                return false;
    return !e->tells_time;
}

/* The next block of the row, if there is one. */
static void exit_block(struct form_code *c)
{
    struct emit *e = c->e;
    if (c->form->aside) {
        LLVMBasicBlockRef aside = new_block(e, "aside"), all = new_block(e, "all");
        LLVMBuildCondBr(e->b, lanes_any(e, frame_field(e, AT(block_aside), e->i32)), aside, all);
        LLVMPositionBuilderAtEnd(e->b, aside);
        form_code_stop(e, JIT_ASIDE, e->in->site);
        LLVMPositionBuilderAtEnd(e->b, all);
    }
    if (form_blocks_in_row(e, c->kernel)) {
        LLVMBasicBlockRef again = new_block(e, "again"), out = new_block(e, "out");
        LLVMValueRef left = frame_field(e, AT(blocks_left), e->i32), done = number(e, 32, 1);
        if (c->form->blocks > 1)
            done = frame_field(e, AT(block_count), e->i32);
        LLVMValueRef is_more = LLVMBuildICmp(e->b, LLVMIntUGE, left, done, "");
        if (c->form->blocks > 1) /* jit_run.c wants to know of the last one */
            frame_set(e, AT(blocks_left), LLVMBuildSelect(e->b, is_more, LLVMBuildSub(e->b, left, done, ""), number(e, 32, 0), ""));
        LLVMBuildCondBr(e->b, is_more, again, out);
        LLVMPositionBuilderAtEnd(e->b, again);
        size_t x = AT(sreg) + 4 * PTX_SREG_CTAID_X;
        if (c->form->blocks == 1)
            frame_set(e, AT(blocks_left), LLVMBuildSub(e->b, left, done, ""));
        frame_set(e, x, LLVMBuildAdd(e->b, frame_field(e, x, e->i32), done, ""));
        clear_shared(c);
        if (c->form->gone)
            frame_set(e, AT(block_gone), number(e, 32, 0));
        LLVMBuildBr(e->b, c->begin);
        LLVMPositionBuilderAtEnd(e->b, out);
    }
    form_code_stop(e, JIT_EXIT, e->in->site);
}

static void branch(struct emit *e, int32_t from, int32_t next)
{
    const struct ir_inst *in = e->in;
    LLVMValueRef on = in->guard == IR_NOREG ? NULL : reg_get(e, in->guard).v[0];
    bring_all(e, from);
    if (!on || in->target == next) {
        LLVMBuildBr(e->b, e->head[in->target]);
        return;
    }
    LLVMBasicBlockRef yes = e->head[in->target], no = e->head[next];
    LLVMValueRef to = LLVMBuildCondBr(e->b, on, in->guard_negated ? no : yes, in->guard_negated ? yes : no);
    if (in->rare)
        likely(e, to, in->guard_negated);
}

static void do_block(struct form_code *c, int32_t number_of)
{
    struct emit *e = c->e;
    const struct ir_block *b = &e->k->blocks[number_of];
    LLVMPositionBuilderAtEnd(e->b, e->head[number_of]);
    take_part(c, c->part_of[number_of]);
    e->nchecked = e->nshared_checks = e->nahead = e->beside.n = 0;
    e->state = e->fault_state = NULL;
    e->lanes = NULL;
    set_mask(e, NULL);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        e->site = i;
        e->in = &e->k->insts[i];
        if (e->in->site >= 0)
            lines_at(e, e->in->site);
        switch (e->in->op) {
        case IR_OP_PHI:
            break;
        case IR_OP_WARP:
            begin_warp(c);
            break;
        case IR_OP_KEPT:
            EACH_WARP(e, w)
                take_kept(c, e->in->dst[0]);
            break;
        case IR_OP_CLEAR:
            EACH_WARP(e, w)
                for (int d = 0; d < e->in->ndst; d++)
                    clear(e, e->in->dst[d]);
            break;
        case IR_OP_KEEP:
            EACH_WARP(e, w)
                keep(e, e->in->src[0].reg);
            break;
        case IR_OP_STEPPED:
        case IR_OP_UNSTEPPED:
            step(e);
            break;
        case IR_OP_ANY:
        case IR_OP_ALL:
            ask(e);
            break;
        case IR_OP_GONE:
            go_for_good(e);
            break;
        case IR_OP_IS_GONE:
            ask_gone(e);
            break;
        case IR_OP_ALL_GONE:
            ask_all_gone(e);
            break;
        case IR_OP_STAY:
            frame_set_of_warp(e, AT(warp_lanes), reg_bits(e, e->in->src[0].reg));
            break;
        case IR_OP_STAYING:
            take_staying(e);
            break;
        case IR_OP_ASIDE:
            set_aside(e);
            break;
        case IR_OP_TURN:
            turn(e);
            break;
        case IR_OP_STATE:
            e->state = e->in;
            break;
        case PTX_OP_BRA:
            branch(e, number_of, number_of + 1);
            return;
        case PTX_OP_EXIT:
            exit_block(c);
            return;
        case IR_OP_LEAVE:
            form_code_leave(e, JIT_LEAVE);
            return;
        case IR_OP_ENTER:
            bring_all(e, number_of);
            enter(e);
            return;
        case IR_OP_STOP:
            if (e->in->target != JIT_EXIT)
                form_code_leave(e, (enum jit_stop)e->in->target);
            else
                stop_warp(e, (enum jit_stop)e->in->target, e->in->site);
            return;
        case IR_OP_YIELD:
            yield(e);
            break;
        case IR_OP_END_TURN:
            end_turn(e);
            break;
        case IR_OP_RING:
            ring(e);
            break;
        case IR_OP_COUNT_BLOCK:
            begin_block(e);
            break;
        case IR_OP_COUNT_GUARD:
        case IR_OP_UNCOUNT_GUARD:
        case IR_OP_COUNT_BRANCH:
            count_lanes_of(e);
            break;
        case IR_OP_LANES_ON:
        case IR_OP_LANES:
        case IR_OP_MEETS:
        case IR_OP_EXCHANGE:
            split_code_inst(e);
            break;
        case IR_OP_EVENT:
        case IR_OP_RETURN:
            split_code_inst(e);
            return;
        default:
            if (lane_serial(c, e->in))
                break;
            do_inst(c, e->in);
            if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->b)) && c->form->warp) {
                LLVMPositionBuilderAtEnd(e->b, new_block(e, "dead"));
            } else if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->b))) {
                snprintf(e->problem, sizeof e->problem, "it has an instruction that machine code always leaves to the interpreter");
                LLVMPositionBuilderAtEnd(e->b, new_block(e, "dead"));
            }
            if (e->state && e->state->target < 0)
                e->state = NULL;
        }
    }
    bring_all(e, number_of);
    LLVMBuildBr(e->b, e->head[number_of + 1]);
}

/* A block, then those that it dominates. */
static void do_blocks(struct form_code *c)
{
    const struct ir_kernel *k = c->e->k;
    int32_t n = k->nblocks, *first = alloc_zeroed(3 * ((size_t)n + 1) * sizeof *first), *next = first + n, *stack = next + n, depth = 0;
    for (int32_t b = n - 1; b > 0; b--) {
        if (k->blocks[b].idom >= 0) {
            next[b] = first[k->blocks[b].idom];
            first[k->blocks[b].idom] = b;
        } else {
            LLVMPositionBuilderAtEnd(c->e->b, c->e->head[b]);
            LLVMBuildUnreachable(c->e->b);
        }
    }
    stack[depth++] = 0;
    while (depth) {
        int32_t b = stack[--depth];
        if (next[b] && b)
            stack[depth++] = next[b];
        do_block(c, b);
        if (first[b])
            stack[depth++] = first[b];
    }
    alloc_release(first);
}

/* --- the function --- */

static void find_parts_of_blocks(struct form_code *c)
{
    const struct ir_kernel *k = c->e->k;
    int32_t part = -1;
    for (int32_t b = 0; b < k->nblocks; b++) {
        for (int p = 0; p < c->form->nparts; p++)
            part = c->form->part[p].first == b ? p : part;
        c->part_of[b] = part;
    }
    if (c->form->warp)
        memset(c->part_of, 0xff, (size_t)k->nblocks * sizeof *c->part_of);
    for (int p = 0; p < c->form->nparts && !c->form->whole; p++) /* its first block is before its loop over warps */
        c->part_of[c->form->part[p].first] = -1;
}

/* As many blocks as there are, and have room. */
static void take_blocks(struct form_code *c)
{
    struct emit *e = c->e;
    const uint32_t *dim = e->job->dim;
    LLVMValueRef room = frame_field(e, AT(block_room), e->i32), there = LLVMBuildAdd(e->b, frame_field(e, AT(blocks_left), e->i32), number(e, 32, 1), "");
    LLVMValueRef n = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntULT, there, room, ""), there, room, "");
    frame_set(e, AT(block_count), n);
    frame_set(e, AT(block_warps), LLVMBuildMul(e->b, n, number(e, 32, (uint64_t)dim[0] * dim[1] * dim[2] / SHAPE_LANES), ""));
}

static void open_code(struct form_code *c)
{
    struct emit *e = c->e;
    LLVMPositionBuilderAtEnd(e->b, new_block(e, "entry"));
    e->frame = LLVMGetParam(e->fn, 0);
    e->shared = frame_field(e, AT(shared), e->ptr);
    e->params = frame_field(e, AT(params), e->ptr);
    e->shared_bytes = LLVMBuildZExt(e->b, frame_field(e, AT(shared_bytes), e->i32), e->i64, "");
    c->begin = new_block(e, "begin");
    if (c->form->warp) {
        e->begin = c->begin;
        e->resume_var = LLVMBuildAlloca(e->b, e->i32, "");
        LLVMBuildStore(e->b, LLVMGetParam(e->fn, 1), e->resume_var);
        LLVMBuildBr(e->b, c->begin);
        e->ended = c->form->split ? NULL : new_block(e, "ended");
        if (e->ended) {
            LLVMPositionBuilderAtEnd(e->b, e->ended);
            e->ended_as = LLVMBuildPhi(e->b, e->i32, "");
        }
        LLVMPositionBuilderAtEnd(e->b, c->begin);
        e->block_regs = e->regs = frame_field(e, AT(regs), e->ptr);
    } else {
        e->block_regs = e->regs = frame_field(e, AT(regs), e->ptr);
        c->local = frame_field(e, AT(local), e->ptr);
        e->block_stride = frame_field(e, AT(stride), e->i64);
        LLVMBuildBr(e->b, c->begin);
    }
    for (int32_t b = 0; b < e->k->nblocks; b++)
        e->head[b] = new_block(e, "block");
    make_phis(c);
    LLVMPositionBuilderAtEnd(e->b, c->begin);
    if (c->form->interchanged)
        frame_set(c->e, AT(block_most), number(c->e, 32, (uint64_t)c->form->blocks));
    if (c->form->blocks > 1)
        take_blocks(c);
    take_part(c, c->part_of[0]);
    bring(e, -1, 0);
    LLVMBuildBr(e->b, e->head[0]);
}

static bool emit_form(struct emit *e, bool jam, int *jams)
{
    const struct ir_kernel *k = e->k;
    const struct jit_job *job = e->job;
    struct shapes *shapes = e->s;
    struct form *form = job->block ? block_form_make(e, jam) : job->split ? split_form_make(e) : warp_form_make(e);
    *jams = form->jam;
    if (form->why_not)
        snprintf(e->problem, sizeof e->problem, "%s", form->why_not);
    e->internal = !form->why_not && !form_verify(e, form);
    if (form->why_not || e->internal) {
        form_release(form);
        alloc_release(e->rank);
        e->rank = NULL;
        return false;
    }
    if (e->text)
        form_print(form, e->text);
    struct jit_job mine = job_of_form(job, form);
    struct form_code c = {.e = e, .form = form, .job = &mine, .kernel = k};
    form->block_steps = form->warp || form->blocks > 1 || !form_blocks_in_row(e, k) ? NULL : unroll_jam_find(k, shapes, job->dim, UNROLL_JAM_ROW, 0, NULL);
    mine.steps = form->steps;
    mine.unrolled = form->jam;
    e->form = form;
    e->form_of = k;
    e->of_block = !form->warp;
    e->k = form->k;
    e->s = &form->shapes;
    e->job = &mine;
    e->words = ((size_t)e->k->nregs + 63) / 64;
    regs_open(e);
    e->check_slots = form->checks;
    e->nserials = form->nserials;
    c.array = alloc_zeroed(2 * ((size_t)k->nregs + 1) * sizeof *c.array);
    e->in_place = c.in_place = alloc_zeroed((size_t)e->k->nregs + 1);
    c.part_of = alloc_zeroed(((size_t)e->k->nblocks + 1) * sizeof *c.part_of);
    c.part = alloc_zeroed((size_t)form->nparts * sizeof *c.part);
    c.in_kernel_guarded = alloc_zeroed((size_t)e->k->ninsts + 1);
    for (int32_t i = 0; i < e->k->ninsts; i++)
        c.in_kernel_guarded[i] = e->k->insts[i].site >= 0 && k->insts[e->k->insts[i].site].guard != IR_NOREG;
    find_parts_of_blocks(&c);
    unroll_jam_open(e);
    open_code(&c);
    do_blocks(&c);
    if (e->ended)
        emit_next_warp(e);
    take_part(&c, -1);
    mine.unrolled = form->jam;
    unroll_jam_release(e);
    e->of_warp = NULL;
    e->form = NULL;
    e->of_block = false;
    e->k = k;
    e->words = ((size_t)k->nregs + 63) / 64;
    e->words = e->words ? e->words : 1;
    e->s = shapes;
    e->job = job;
    release_job(&mine);
    form_release(form);
    regs_release(e);
    alloc_release(e->rank);
    e->rank = NULL;
    alloc_release(c.in_place);
    alloc_release(c.array);
    alloc_release(c.part_of);
    alloc_release(c.part);
    alloc_release(c.in_kernel_guarded);
    return !e->problem[0];
}

void form_code_empty(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        while (LLVMGetLastInstruction(b))
            LLVMInstructionEraseFromParent(LLVMGetLastInstruction(b));
    while (LLVMGetFirstBasicBlock(fn))
        LLVMDeleteBasicBlock(LLVMGetFirstBasicBlock(fn));
}

bool form_code_emit(struct emit *e)
{
    int jam;
    bool ok = emit_form(e, true, &jam);
    if (ok || jam <= 1 || e->internal)
        return ok;
    e->problem[0] = '\0'; /* an instruction that several warps do not do at once */
    form_code_empty(e->fn);
    e->scratch = NULL;
    e->check_slots = 0;
    e->nadds = 0;
    return emit_form(e, false, &jam);
}
