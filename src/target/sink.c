/* See sink.h. For each block that ends so: what may move is marked from its last instruction upwards, what need not (no
 * floating-point arithmetic or quotient in it or before it) is unmarked again, and the array of instructions is built anew. */
#include "target/sink.h"
#include "base/alloc.h"
#include "ir/facts.h"
#include "target/definitions.h"

#include <string.h>

/* MOST: instructions of a block that move, the last ones: of chains of 1 to 16 FFMA on 1 to 16 loads of shared memory seven at most (ptxas 13.0 (V13.0.88), sm_90,
 * 2026-12-01). */
enum { NOWHERE = -1, MOST = 7 };

struct sinking {
    struct ir_kernel *k;
    int32_t *only; /* definitions.h */
    int32_t *to;   /* [ninsts]: block that the instruction moves to, or NOWHERE */
};

static bool is_float(const struct ir_inst *in)
{
    return ir_class(in) >= PTX_CLASS_FADD && ir_class(in) <= PTX_CLASS_FFMA;
}

/* What becomes dozens of instructions. (A quotient of 64 bits is a call of a function, and stays.) */
static bool is_quotient(const struct ir_inst *in)
{
    return ptx_is_integer(in->type) && ptx_type_info[in->type].bits == 32 && (ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM));
}

/* Arithmetic without a guard. */
static bool is_simple(const struct ir_inst *in)
{
    if (in->guard != IR_NOREG || in->ndst != 1 || in->dst[0] == IR_NOREG || !facts_pure(in))
        return false;
    switch (ir_class(in)) {
    case PTX_CLASS_INT:
    case PTX_CLASS_LOGIC:
    case PTX_CLASS_MOVE:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_FMOV:
        return true;
    default:
        return is_float(in) || is_quotient(in) || ir_is(in, PTX_KIND_FMIN) || ir_is(in, PTX_KIND_FMAX);
    }
}

/* --- where --- */

static bool reads_special(const struct ir_inst *in)
{
    for (int n = 0; n < in->nsrc; n++)
        if (in->src[n].kind == IR_SRC_SREG)
            return true;
    return false;
}

/* Nothing happens from the block's beginning to the end of the kernel. */
static bool only_leaves(const struct ir_kernel *k, int32_t b)
{
    if (b < 0)
        return true;
    const struct ir_block *block = &k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        if (!ir_is_end(&k->insts[i]) && k->insts[i].op != IR_OP_DELETED)
            return false;
    }
    for (int s = 0; s < block->nsucc; s++)
        if (block->succ[s] >= 0)
            return false;
    return true;
}

/* The address is a kernel parameter or a constant, and so has to be fetched first. */
static bool is_fetched(const struct sinking *s, const struct ir_src *base)
{
    while (base->kind == IR_SRC_REG && s->only[base->reg] >= 0) {
        const struct ir_inst *in = &s->k->insts[s->only[base->reg]];
        if (ir_is(in, PTX_KIND_LOAD))
            return in->space == PTX_PARAM;
        if (!ir_is(in, PTX_KIND_COPY) && !ir_is(in, PTX_KIND_ADDRESS))
            return false;
        base = &in->src[0];
    }
    return base->kind == IR_SRC_IMM;
}

/* A load, a special register, a sum of 64 bits, an address to be fetched: the block is worth a branch around it. */
static bool has_work(const struct sinking *s, int32_t b)
{
    const struct ir_block *block = &s->k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        const struct ir_inst *in = &s->k->insts[i];
        if (ir_is(in, PTX_KIND_LOAD) || (ir_is(in, PTX_KIND_ADD) && ptx_type_info[in->type].bits == 64) ||
            (ir_is_memory(in) && is_fetched(s, &in->src[0])))
            return true;
        if (reads_special(in))
            return true;
    }
    return false;
}

/* Where a block leads that is only a branch: clang's text turns a branch round by one (`@p bra A; bra.uni B; A:`), nvcc's does not. */
static int32_t through(const struct ir_kernel *k, int32_t b)
{
    for (int32_t steps = 0; b >= 0 && steps < k->nblocks; steps++) {
        const struct ir_block *block = &k->blocks[b];
        const struct ir_inst *in = &k->insts[block->first];
        if (block->count != 1 || !ir_is(in, PTX_KIND_BRANCH) || in->guard != IR_NOREG || block->npred != 1)
            break;
        b = block->succ[0];
    }
    return b;
}

/* The block that lanes go to which do not leave at the end of block b; NOWHERE: b does not end so. */
static int32_t goes_on(const struct sinking *s, int32_t b)
{
    const struct ir_block *block = &s->k->blocks[b];
    if (block->nsucc != 2 || block->succ[0] == block->succ[1])
        return NOWHERE;
    for (int i = 0; i < 2; i++) {
        int32_t next = through(s->k, block->succ[1 - i]);
        if (only_leaves(s->k, through(s->k, block->succ[i])) && next >= 0 && !only_leaves(s->k, next))
            return s->k->blocks[next].npred == 1 && has_work(s, next) ? next : NOWHERE;
    }
    return NOWHERE;
}

/* --- what --- */

static bool has_dear(const struct ir_kernel *k, int32_t b)
{
    const struct ir_block *block = &k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++)
        if (is_float(&k->insts[i]) || is_quotient(&k->insts[i]))
            return true;
    return false;
}

/* A phi reads where lanes come from. */
static bool read_by_phi_behind(const struct ir_kernel *k, const struct ir_inst *phi, int32_t reg, int32_t next)
{
    for (int s = 0; s < phi->nsrc; s++)
        if (phi->src[s].kind == IR_SRC_REG && phi->src[s].reg == reg && !ir_dominates(k, next, phi->targets[s]))
            return false;
    return true;
}

/* Every use of the register is behind the branch, or moves there. */
static bool used_behind(const struct sinking *s, int32_t reg, int32_t next)
{
    const struct ir_kernel *k = s->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (!ir_reads_register(in, reg) || s->to[i] == next)
            continue;
        if (in->op == IR_OP_PHI ? !read_by_phi_behind(k, in, reg, next) : !ir_dominates(k, next, in->block))
            return false;
    }
    return true;
}

/* True when the instruction computes with floats or divides, or uses one of those that move. */
static bool is_wanted(const struct sinking *s, int32_t i, int32_t first, int32_t next)
{
    if (is_float(&s->k->insts[i]) || is_quotient(&s->k->insts[i]))
        return true;
    for (int32_t j = first; j < i; j++)
        if (s->to[j] == next && ir_reads_register(&s->k->insts[i], s->k->insts[j].dst[0]))
            return true;
    return false;
}

static bool mark(struct sinking *s, int32_t b, int32_t next)
{
    const struct ir_block *block = &s->k->blocks[b];
    bool any = false;
    int floats = 0;
    for (int32_t i = block->first + block->count - 1; i >= block->first; i--) {
        const struct ir_inst *in = &s->k->insts[i];
        if (!is_simple(in) || reads_special(in) || !used_behind(s, in->dst[0], next))
            continue;
        floats += is_float(in);
        if (floats <= MOST)
            s->to[i] = next;
    }
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        if (s->to[i] == next && !is_wanted(s, i, block->first, next))
            s->to[i] = NOWHERE;
        any |= s->to[i] == next;
    }
    return any;
}

/* --- the new array --- */

/* Where everything is; nothing moves yet. */
static void look(struct sinking *s)
{
    alloc_release(s->only);
    s->only = definitions_new(s->k);
    for (int32_t i = 0; i < s->k->ninsts; i++)
        s->to[i] = NOWHERE;
}

static void rebuild(struct sinking *s)
{
    struct ir_kernel *k = s->k;
    struct ir_inst *insts = alloc_zeroed((size_t)k->ninsts * sizeof *insts);
    int32_t n = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *block = &k->blocks[b];
        int32_t first = block->first, count = block->count;
        block->first = n;
        for (int32_t i = 0; i < k->ninsts; i++) /* they come from one block, in its order */
            if (s->to[i] == b)
                insts[n++] = k->insts[i];
        for (int32_t i = first; i < first + count; i++)
            if (s->to[i] == NOWHERE)
                insts[n++] = k->insts[i];
        block->count = n - block->first;
        for (int32_t i = block->first; i < n; i++)
            insts[i].block = b;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
    look(s);
}

void sink_arithmetic(struct ir_kernel *k)
{
    struct sinking s = {k, NULL, alloc_zeroed((size_t)k->ninsts * sizeof *s.to)};
    look(&s);
    for (int32_t b = 0; b < k->nblocks; b++) {
        int32_t next = goes_on(&s, b);
        if (next != NOWHERE && has_dear(k, b) && mark(&s, b, next))
            rebuild(&s);
    }
    alloc_release(s.only);
    alloc_release(s.to);
}
