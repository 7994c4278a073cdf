/* The assembler's changes to memory accesses, done to the IR.
 *
 * In: an analysed kernel. Out: the kernel that runs and is counted. The passes stand in one list, target_passes, with what each is
 * for; their files say the rest. A load whose value a load before it has is a move, which grouping finds.
 * Unit of work is the basic block; an access under a guard, or volatile or ordered, stays as it is, and nothing moves
 * across what could change or publish the value. How a group of accesses is chosen is in group.h.
 * Source of the rules: experiments with ptxas 13.0 for sm_90, 2026-11-20, described one by one in docs/target.md. */
#include "target/target.h"
#include "base/alloc.h"
#include "base/host_time.h"
#include "ir/claims.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "ir/ssa.h"
#include "ir/verify.h"
#include "target/advance.h"
#include "target/arms.h"
#include "target/arrays.h"
#include "target/atomics.h"
#include "target/contract.h"
#include "target/definitions.h"
#include "target/fold.h"
#include "target/group.h"
#include "target/hoist.h"
#include "target/leaving.h"
#include "target/select.h"
#include "target/sink.h"
#include "target/ways.h"

#include <stdlib.h>
#include <string.h>

/* --- whether at all --- */

enum target_mode target_mode(void)
{
    static const char *const names[] = {[TARGET_NONE] = "none", [TARGET_ASSEMBLER] = "assembler", [TARGET_FORWARD] = "forward"};
    const char *s = getenv("HEDDLE_TARGET");
    int mode = TARGET_NONE;
    if (!s || !*s)
        return TARGET_ASSEMBLER;
    while (mode < TARGET_UNKNOWN && strcmp(s, names[mode]))
        mode++;
    return (enum target_mode)mode;
}

/* --- what nobody reads --- */

/* It is there for its destinations only. */
static bool may_leave_out(const struct ir_inst *in)
{
    return in->ndst && facts_may(in) & FACT_LEAVE_OUT;
}

static bool nobody_reads(const struct ir_inst *in, const int32_t *reads)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && reads[in->dst[d]])
            return false;
    return true;
}

/* Result d is no register any more, and nothing else either. */
static void forget_result(struct ir_kernel *k, struct ir_inst *in, int d)
{
    ir_set_result(k, in, d, IR_NOREG);
    if (!in->old)
        return;
    int32_t *old = ARENA_ARRAY(&k->arena, int32_t, in->ndst);
    memcpy(old, in->old, in->ndst * sizeof *old);
    old[d] = IR_NOREG;
    in->old = old;
}

static void claim_unread(struct ir_kernel *k, int32_t reg)
{
    if (reg != IR_NOREG)
        claims_add(k->claims, &(struct ir_claim){.kind = CLAIM_UNREAD, .who = "target/rewrite", .reg = reg});
}

/* Deletes what is pure and unread, until nothing changes, and forgets unread results of the rest. */
static void drop_unread(struct ir_kernel *k)
{
    int32_t *reads = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *reads);
    for (int32_t i = 0; i < k->ninsts; i++)
        ir_count_reads(&k->insts[i], reads, 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = k->ninsts - 1; i >= 0; i--) {
            struct ir_inst *in = &k->insts[i];
            if (in->op == IR_OP_DELETED || !may_leave_out(in) || !nobody_reads(in, reads))
                continue;
            ir_count_reads(in, reads, -1);
            for (int d = 0; d < in->ndst; d++)
                claim_unread(k, in->dst[d]);
            ir_delete(in);
            changed = true;
        }
    }
    for (int32_t i = 0; i < k->ninsts; i++) {
        struct ir_inst *in = &k->insts[i];
        bool load = ir_is(in, PTX_KIND_LOAD) && may_leave_out(in);
        for (int d = 0; d < in->ndst && (load || ir_is(in, PTX_KIND_ATOMIC)); d++)
            if (in->dst[d] != IR_NOREG && !reads[in->dst[d]]) {
                claim_unread(k, in->dst[d]);
                forget_result(k, in, d);
            }
    }
    alloc_release(reads);
}

/* --- copies --- */

struct forwarding {
    const struct ir_kernel *k;
    int32_t *only; /* definitions.h */
};

static int32_t moved_from(const void *user, int32_t reg)
{
    const struct forwarding *f = user;
    const struct ir_kernel *k = f->k;
    while (f->only[reg] >= 0 && ir_is_whole_move(k, &k->insts[f->only[reg]]))
        reg = k->insts[f->only[reg]].src[0].reg;
    return reg;
}

/* Values then live on beside the ones that a loop puts in their place. And no version knows of what it is one, so that whatever a phi
 * or a guard joins needs copies, until they are taken away. */
static void forward_copies(struct ir_kernel *k)
{
    struct forwarding f = {k, definitions_new(k)};
    ir_rename_reads(k, moved_from, &f);
    alloc_release(f.only);
    for (int32_t r = 0; r < k->nvariable; r++)
        k->variable[r] = r;
}

/* --- a block's new instructions --- */

struct block_out {
    struct ir_inst *insts;
    int32_t n, cap;
};

static void put(struct block_out *out, const struct ir_inst *in)
{
    ALLOC_GROW(out->insts, out->n, out->cap);
    out->insts[out->n++] = *in;
}

static void put_block(struct block_out *out, const struct ir_kernel *k, const struct ir_block *b,
                      const struct group_plan *plan)
{
    for (int32_t i = 0; i < b->count; i++) {
        const struct ir_inst *in = &k->insts[b->first + i];
        int32_t r = plan->replaced[i] ? plan->first[i] : -1;
        if (!plan->replaced[i])
            put(out, in);
        else if (r < 0) { /* the instruction went into one elsewhere: its place keeps the block from being empty */
            struct ir_inst gone = *in;
            ir_delete(&gone);
            put(out, &gone);
        }
        for (; r >= 0; r = plan->list[r].next)
            put(out, &plan->list[r].inst);
    }
}

static void regroup(struct ir_kernel *k)
{
    struct values *v = values_new(k);
    struct block_out out = {0};
    struct ir_block *after = alloc_zeroed((size_t)k->nblocks * sizeof *after);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct group_plan plan;
        group_block(k, v, b, &plan);
        after[b].first = out.n;
        put_block(&out, k, &k->blocks[b], &plan);
        after[b].count = out.n - after[b].first;
        for (int32_t i = after[b].first; i < out.n; i++)
            out.insts[i].block = b;
        group_plan_release(&plan);
    }
    for (int32_t b = 0; b < k->nblocks; b++) {
        k->blocks[b].first = after[b].first;
        k->blocks[b].count = after[b].count;
    }
    alloc_release(after);
    values_free(v);
    alloc_release(k->insts);
    k->insts = out.insts;
    k->ninsts = out.n;
}

/* In this order: what folding leaves unread is dropped before anything is counted or moved. Of the modes, `none` has only what decides
 * what a kernel computes. */
enum { EACH = 1 << TARGET_NONE | 1 << TARGET_ASSEMBLER | 1 << TARGET_FORWARD,
       ASSEMBLER = 1 << TARGET_ASSEMBLER,
       FORWARD = 1 << TARGET_FORWARD };
const struct target_pass target_passes[TARGET_PASSES] = {
    {"ssa", "each register gets one definition", ir_into_ssa, EACH},
    {"contract", "products and sums that the assembler fuses become fused multiply-adds", contract_products, EACH},
    {"forward", "reads of a copy read what was copied", forward_copies, FORWARD},
    {"fold", "arithmetic on constants, and what was computed before, is not done", fold_arithmetic, ASSEMBLER},
    {"hoist", "what all ways to a place compute alike is computed before their branch", hoist_arithmetic, ASSEMBLER},
    {"unread", "values that nobody reads are neither computed nor loaded", drop_unread, ASSEMBLER | FORWARD},
    {"arrays", "small local arrays live in registers", arrays_to_registers, ASSEMBLER},
    {"arms", "a load in both ways of a short branch stands before it", arms_share_loads, ASSEMBLER},
    {"select", "a selected sum or product is a predicated one", select_rewrite, ASSEMBLER},
    {"group", "neighbouring accesses become one, unread elements of vectors are not loaded", regroup, ASSEMBLER},
    {"advance", "a load behind a short way is done before its branch", advance_loads, ASSEMBLER},
    {"sink", "arithmetic used only behind a branch out of the kernel stands behind it", sink_arithmetic, ASSEMBLER},
    {"ways", "calls of the math library are parted by what their arguments cost", ways_part, ASSEMBLER},
    {"leaving", "what lanes take out of a loop at different turns has a register of its own", leaving_rewrite, ASSEMBLER | FORWARD},
    {"out", "registers are variables again", ir_out_of_ssa, EACH},
    {"atomics", "atomics without a reader are reductions, those at one address are done once", atomics_rewrite, ASSEMBLER},
};

bool target_does(int pass)
{
    enum target_mode mode = target_mode();
    return target_passes[pass].modes >> (mode == TARGET_UNKNOWN ? TARGET_ASSEMBLER : mode) & 1;
}

void target_rewrite_some(struct ir_kernel *k, lanes_find_fn *lanes, int arch, int passes, double *seconds)
{
    bool each = ir_verify_wanted();
    k->lanes = lanes;
    k->arch = arch_is_known(arch) ? arch : ARCH_USUAL;
    for (int i = 0; i < passes && !k->problems && k->ninsts; i++) {
        if (!target_does(i))
            continue;
        int64_t begin = host_time();
        target_passes[i].run(k);
        if (seconds)
            seconds[i] += 1e-9 * (double)(host_time() - begin);
        if (each)
            ir_verify(k, target_passes[i].name, false);
    }
    if (k->problems || !k->ninsts)
        return;
    if (!k->ssa)
        ir_analyse(k);
    ir_verify(k, "rewriting", !k->ssa);
}

void target_rewrite(struct ir_kernel *k, lanes_find_fn *lanes, int arch)
{
    target_rewrite_some(k, lanes, arch, TARGET_PASSES, NULL);
}
