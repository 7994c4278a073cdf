/* Uniform registers (see uniform.h): all are taken for uniform, and what cannot be is struck out until nothing changes. */
#include "target/uniform.h"

#include "base/alloc.h"
#include "ir/claims.h"
#include "ir/edit.h"
#include "ir/facts.h"
#include "target/definitions.h"

struct search {
    const struct ir_kernel *k;
    uint64_t *uniform; /* registers */
    uint64_t *several; /* registers with more than one definition */
    uint64_t *parted;  /* blocks that lanes of a warp may run apart */
    uint64_t *ways, *loops; /* of these, those of the ways of branches; loops that lanes leave at different turns */
    int32_t *only;     /* definitions */
    enum { EVERYWHERE, TOGETHER, KEPT } where; /* which lanes agree: all, or those that are at one place together */
    bool changed;
};

bool uniform_source(const uint64_t *uniform, const struct ir_src *s)
{
    return s->kind == IR_SRC_IMM || (s->kind == IR_SRC_REG && ir_bit(uniform, s->reg)) ||
           (s->kind == IR_SRC_SREG && !facts_source(s));
}

static bool sources_uniform(const struct search *s, const struct ir_inst *in)
{
    for (int i = 0; i < in->nsrc; i++)
        if (!facts_gives(in, i) && !uniform_source(s->uniform, &in->src[i]))
            return false;
    return true;
}

static bool guard_uniform(const struct search *s, const struct ir_inst *in)
{
    return in->guard == IR_NOREG || ir_bit(s->uniform, in->guard);
}

/* The carry flag that the instruction reads was set in its block, by an instruction whose sources all lanes share. */
static bool carry_uniform(const struct search *s, int32_t site)
{
    for (int32_t i = site; i >= s->k->blocks[s->k->insts[site].block].first; i--) {
        const struct ir_inst *in = &s->k->insts[i];
        if (i < site && facts_carry(in) & FACT_CARRY_OUT && !(sources_uniform(s, in) && guard_uniform(s, in)))
            return false;
        if (i < site && facts_carry(in) & FACT_CARRY_OUT && !(facts_carry(in) & FACT_CARRY_IN) && in->guard == IR_NOREG)
            return true;
    }
    return false;
}

/* Each lane has its own. Addresses of local memory differ for the assembler from lane to lane, so that a generic load at an
 * address that does not is of other memory. */
static bool of_lane(const struct ir_inst *in, int d)
{
    if (facts_reads(in) & FACT_GLOBAL && facts_reads(in) & FACT_LOCAL && !facts_writes(in))
        return false;
    return facts_result_at(in, d) & FACT_LANE || (ir_is(in, PTX_KIND_ADDRESS) && in->space == PTX_LOCAL);
}

enum { EXCHANGED = 4 }; /* a shuffle has most sources of all that lanes exchange values by, but for products of matrices */

/* An instruction with the numbers in place of registers that hold one: nvcc passes a shuffle's clamp in a register. Its
 * sources stand in `src`. */
static struct ir_inst with_constants(const struct search *s, const struct ir_inst *in, struct ir_src src[EXCHANGED])
{
    struct ir_inst seen = *in;
    if (in->nsrc > EXCHANGED)
        return seen;
    seen.src = src;
    for (int i = 0; i < in->nsrc; i++) {
        uint64_t bits;
        bool known = in->src[i].kind == IR_SRC_REG && definitions_constant(s->k, s->only, &in->src[i], &bits);
        src[i] = known ? ir_of_value(bits) : in->src[i];
    }
    return seen;
}

static bool result_uniform(const struct search *s, int32_t site, int d)
{
    const struct ir_inst *in = &s->k->insts[site];
    struct ir_src src[EXCHANGED];
    struct ir_inst seen;
    if (facts_result(in) & FACT_LANES) {
        seen = with_constants(s, in, src);
        in = &seen;
    }
    return !of_lane(in, d) && sources_uniform(s, in) && guard_uniform(s, in) &&
           (!(facts_carry(in) & FACT_CARRY_IN) || carry_uniform(s, site));
}

static void strike(struct search *s, int32_t reg)
{
    if (reg != IR_NOREG && ir_bit(s->uniform, reg)) {
        s->uniform[reg >> 6] &= ~(UINT64_C(1) << (reg & 63));
        s->changed = true;
    }
}

static bool parts_lanes(const struct search *s, const struct ir_inst *in)
{
    if (ir_is(in, PTX_KIND_SWITCH))
        return !sources_uniform(s, in);
    return ir_is_conditional(in) && !ir_bit(s->uniform, in->guard);
}

/* What is made in the blocks of `region` is one value a time only while lanes stay there: where they meet at `block`, some come from
 * another round of a loop, or have never been where it is made. */
static void strike_at(struct search *s, const uint64_t *region, int32_t block)
{
    const struct ir_kernel *k = s->k;
    for (int32_t b = 0; b < k->nblocks; b++)
        for (int32_t i = k->blocks[b].first; ir_bit(region, b) && i < k->blocks[b].first + k->blocks[b].count; i++)
            for (int d = 0; d < k->insts[i].ndst; d++)
                if (k->insts[i].dst[d] != IR_NOREG && ir_bit(k->blocks[block].live_in, k->insts[i].dst[d]))
                    strike(s, k->insts[i].dst[d]);
}

/* Lanes part at the end of `from` and meet at `join` (-1: nowhere): every block on a way from there to it. */
static void part(struct search *s, int32_t from, int32_t join, bool ways)
{
    const struct ir_block *blocks = s->k->blocks;
    const struct ir_inst *insts = s->k->insts;
    uint64_t *seen = alloc_zeroed(((size_t)s->k->nblocks / 64 + 1) * 8);
    int32_t *waiting = alloc_zeroed(((size_t)s->k->nblocks + 1) * sizeof *waiting), n = 0;
    waiting[n++] = from;
    while (n) {
        const struct ir_block *b = &blocks[waiting[--n]];
        int32_t behind = insts[b->first + b->count - 1].after_call - 1; /* of a call, -1: none */
        for (int32_t i = 0; i <= b->nsucc; i++) {
            int32_t next = i < b->nsucc ? b->succ[i] : behind;
            if (next < 0 || next == join || ir_bit(seen, next))
                continue;
            ir_bit_set(seen, next);
            waiting[n++] = next;
            s->changed |= !ir_bit(s->parted, next);
            ir_bit_set(s->parted, next);
            if (ways)
                ir_bit_set(s->ways, next);
        }
    }
    if (join >= 0)
        strike_at(s, seen, join);
    alloc_release(waiting);
    alloc_release(seen);
}

/* The block does nothing but end the kernel. */
static bool ends_kernel(const struct ir_kernel *k, int32_t b)
{
    for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
        if (!ir_is_end(&k->insts[i]))
            return false;
    return true;
}

/* One way of the branch ends the kernel at once: nobody meets its lanes again, and the others stay together. */
static bool leads_out(const struct ir_kernel *k, const struct ir_inst *branch)
{
    const struct ir_block *b = &k->blocks[branch->block];
    for (int32_t i = 0; i < b->nsucc; i++)
        if (b->succ[i] < 0 || ends_kernel(k, b->succ[i]))
            return true;
    return false;
}

/* The outermost loop that the branch leaves, or -1. */
static int32_t left_by(const struct ir_kernel *k, int32_t block)
{
    int32_t left = -1;
    for (int32_t loop = k->blocks[block].loop; loop >= 0; loop = k->loops[loop].parent)
        for (int32_t i = 0; i < k->blocks[block].nsucc; i++)
            if (k->blocks[block].succ[i] >= 0 && !ir_bit(k->loops[loop].blocks, k->blocks[block].succ[i]))
                left = loop;
    return left;
}

static void add_blocks(struct search *s, uint64_t *set, const uint64_t *more)
{
    for (int32_t b = 0; b < s->k->nblocks; b++)
        if (ir_bit(more, b) && !ir_bit(set, b)) {
            ir_bit_set(set, b);
            s->changed = true;
        }
}

/* A register that has another value each turn, or on each way. */
static bool changes_apart(const struct search *s, int32_t reg, int32_t block)
{
    return reg != IR_NOREG && ir_bit(s->several, reg) &&
           ((s->where == EVERYWHERE && ir_bit(s->parted, block)) || (s->where == KEPT && ir_bit(s->loops, block)));
}

static void round_over(struct search *s)
{
    const struct ir_kernel *k = s->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        for (int d = 0; d < in->ndst; d++)
            if (!result_uniform(s, i, d) || changes_apart(s, in->dst[d], in->block))
                strike(s, in->dst[d]);
        if (!parts_lanes(s, in) || leads_out(k, in))
            continue;
        const int32_t left = left_by(k, in->block);
        if (left >= 0)
            add_blocks(s, s->loops, k->loops[left].blocks);
        part(s, in->block, k->blocks[in->block].ipdom, left < 0);
        if (in->reconvergence)
            part(s, in->block, in->reconvergence->block, left < 0);
    }
}

static uint64_t *search(const struct ir_kernel *k, int where, struct uniform_blocks *parted)
{
    size_t words = (size_t)k->nregs / 64 + 1;
    const size_t blocks = ((size_t)k->nblocks / 64 + 1) * 8;
    struct search s = {.k = k, .where = where,
                       .uniform = alloc_zeroed(words * 8),
                       .several = alloc_zeroed(words * 8),
                       .parted = alloc_zeroed(blocks),
                       .ways = alloc_zeroed(blocks),
                       .loops = alloc_zeroed(blocks),
                       .only = definitions_new(k)};
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int d = 0; d < k->insts[i].ndst; d++) {
            int32_t reg = k->insts[i].dst[d];
            if (reg == IR_NOREG)
                continue;
            if (ir_bit(s.uniform, reg))
                ir_bit_set(s.several, reg);
            ir_bit_set(s.uniform, reg);
        }
    do {
        s.changed = false;
        round_over(&s);
    } while (s.changed);
    alloc_release(s.several);
    alloc_release(s.parted);
    if (parted) {
        *parted = (struct uniform_blocks){s.ways, s.loops};
    } else {
        alloc_release(s.ways);
        alloc_release(s.loops);
    }
    alloc_release(s.only);
    return s.uniform;
}

uint64_t *uniform_together(const struct ir_kernel *k)
{
    return search(k, TOGETHER, NULL);
}

uint64_t *uniform_kept(const struct ir_kernel *k, struct uniform_blocks *parted)
{
    return search(k, KEPT, parted);
}

uint64_t *uniform_registers(const struct ir_kernel *k)
{
    uint64_t *uniform = search(k, EVERYWHERE, NULL);
    for (int32_t r = 0; k->claims && r < k->nregs; r++)
        if (ir_bit(uniform, r))
            claims_add(k->claims, &(struct ir_claim){.kind = CLAIM_UNIFORM, .who = "target/uniform", .reg = r});
    return uniform;
}
