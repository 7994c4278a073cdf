/* See slots.h. Values only ever leave the operand for a register, so the search ends. */
#include "target/slots.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "target/arch.h"

enum { DEEPEST = 8, LEAVES = 8 };

struct leaves {
    int32_t reg[LEAVES]; /* values that could be the operand, in the order of operands */
    int n;
    bool constant; /* a constant is it */
};

static const struct ir_inst *maker(const struct lowered *l, int32_t reg)
{
    return l->only[reg] >= 0 ? &l->k->insts[l->only[reg]] : NULL;
}

/* Neither in a register nor part of what reads it. */
static bool is_candidate(const struct lowered *l, int32_t reg)
{
    return l->place[reg] == PLACE_UNIFORM || (l->place[reg] == PLACE_BANK && !l->held[reg]);
}

static bool is_parameter(const struct lowered *l, int32_t reg)
{
    const struct ir_inst *m = maker(l, reg);
    return l->place[reg] == PLACE_BANK && m && ir_is(m, PTX_KIND_LOAD);
}

static bool demand(struct lowered *l, int32_t reg)
{
    if (!is_candidate(l, reg))
        return false;
    if (l->place[reg] == PLACE_UNIFORM)
        l->place[reg] = PLACE_REGISTER;
    else
        l->held[reg] = true;
    return true;
}

/* What an operand is made of, in the instruction that it becomes part of. What is shifted in there (LEA) has to be in a register, and
 * the shift has a place of its own. */
static void add_leaves(const struct lowered *l, const struct ir_src *s, struct leaves *v, struct leaves *in, int depth)
{
    if (s->kind == IR_SRC_IMM)
        v->constant = v->constant || s->imm;
    if (s->kind != IR_SRC_REG)
        return;
    if (is_candidate(l, s->reg)) {
        if (v->n < LEAVES)
            v->reg[v->n++] = s->reg;
        return;
    }
    const struct ir_inst *m = l->place[s->reg] == PLACE_READER ? maker(l, s->reg) : NULL;
    bool shift = m && (ir_is(m, PTX_KIND_SHL) || ir_is(m, PTX_KIND_SHR));
    for (int i = 0; m && depth < DEEPEST && i < (shift ? 1 : m->nsrc); i++)
        add_leaves(l, &m->src[i], shift ? in : v, in, depth + 1);
}

static enum ptx_kind base_kind(const struct ir_inst *in)
{
    return ir_kind(in) & ~(PTX_KIND_FLOAT | PTX_KIND_WIDE);
}

/* Whether the instruction has such an operand at all. */
static bool has_slot(const struct ir_inst *in)
{
    switch (base_kind(in)) {
    case PTX_KIND_COPY:
        return false;
    case PTX_KIND_SELECT: /* FSEL; of integers a load takes the place of the choice */
        return in->type == PTX_F32;
    case PTX_KIND_ABS:
        return ir_kind(in) != PTX_KIND_ABS;
    default:
        return true;
    }
}

/* a comes before b. */
static bool is_first(const struct lowered *l, int32_t a, int32_t b)
{
    bool made[] = {!is_parameter(l, a), !is_parameter(l, b)};
    return made[0] && made[1] ? l->only[a] <= l->only[b] : made[0] || !made[1];
}

static bool settle_lanes(struct lowered *l, const struct ir_inst *in)
{
    bool changed = false, memory = ir_is_memory(in), texture = ir_is(in, PTX_KIND_TEXTURE) || ir_is(in, PTX_KIND_SURFACE_LOAD) || ir_is(in, PTX_KIND_SURFACE_STORE);
    struct leaves v = {0}, in_register = {0};
    for (int s = 0; s < in->nsrc; s++) {
        bool shifted = s == 0 && (ir_is(in, PTX_KIND_SHL) || ir_is(in, PTX_KIND_SHR));
        if (texture && in->src[s].kind == IR_SRC_REG && l->words[in->src[s].reg] == 2)
            continue; /* a handle */
        if (memory && s == 0 && in->space != PTX_GLOBAL && in->space != PTX_GENERIC)
            continue; /* [UR4] */
        add_leaves(l, &in->src[s], memory || texture || shifted || !has_slot(in) || ir_class(in) == PTX_CLASS_SHUFFLE ? &in_register : &v, &in_register, 0);
    }
    for (int i = 0; i < in_register.n; i++)
        changed |= demand(l, in_register.reg[i]);
    int first = v.constant ? -1 : 0;
    for (int i = 1; i < v.n && first >= 0; i++)
        first = is_first(l, v.reg[first], v.reg[i]) ? first : i;
    for (int i = 0; i < v.n; i++)
        if (first < 0 || v.reg[i] != v.reg[first])
            changed |= demand(l, v.reg[i]);
    return changed;
}

/* Computed by the whole warp: false if one of its operands is in a register. */
static bool settle_uniform(struct lowered *l, const struct ir_inst *in)
{
    for (int s = 0; s < in->nsrc; s++) {
        const struct ir_src *src = &in->src[s];
        if (src->kind == IR_SRC_REG && (l->place[src->reg] == PLACE_REGISTER || (l->place[src->reg] == PLACE_BANK && l->held[src->reg]))) {
            bool changed = false;
            for (int d = 0; d < in->ndst; d++)
                changed |= in->dst[d] != IR_NOREG && demand(l, in->dst[d]);
            return changed;
        }
    }
    return false;
}

/* It is part of what reads it, or in no lane's register. */
static bool is_of_lanes(const struct lowered *l, const struct ir_inst *in)
{
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG && (l->place[in->dst[d]] == PLACE_UNIFORM || l->place[in->dst[d]] == PLACE_READER || l->place[in->dst[d]] == PLACE_BANK ||
                                       l->place[in->dst[d]] == PLACE_NOWHERE))
            return false;
    return true;
}

/* The block where a value of the bank is loaded first: of one reader's, in front of its loops. */
static int32_t loaded_at(const struct lowered *l, int32_t reg)
{
    int32_t at = -1;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        int32_t b = lowered_outside_loops(l->k, l->k->insts[l->reader[i]].block);
        at = at < 0 || ir_dominates(l->k, b, at) ? b : at;
    }
    return at;
}

/* Read in a loop, and outside of it. */
static bool is_around_loop(const struct lowered *l, int32_t reg)
{
    bool in = false, out = false;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        bool loop = l->k->blocks[l->k->insts[l->reader[i]].block].loop >= 0;
        in = in || loop;
        out = out || !loop;
    }
    return in && out;
}

static void find_pairs(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t r = 0; r < k->nregs; r++) {
        const struct ir_inst *a = l->place[r] == PLACE_BANK && l->words[r] == 1 && is_parameter(l, r) ? maker(l, r) : NULL;
        for (int32_t q = 0; a && q < k->nregs && l->pair[r] == IR_NOREG; q++) {
            const struct ir_inst *b = q != r && l->place[q] == PLACE_BANK && l->words[q] == 1 && is_parameter(l, q) ? maker(l, q) : NULL;
            uint64_t of_a = a->src[0].imm + (uint64_t)a->offset;
            if (b && b->space == a->space && (b->src[0].imm + (uint64_t)b->offset) == (of_a ^ 4) && loaded_at(l, r) == loaded_at(l, q)) {
                l->pair[r] = q;
                l->pair[q] = r;
            }
        }
    }
}

void slots_settle(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    if (!arch_has_bank_operands(l->arch))
        find_pairs(l);
    for (int32_t r = 0; r < k->nregs; r++)
        if (is_candidate(l, r) && is_parameter(l, r) && !arch_has_bank_operands(l->arch) && is_around_loop(l, r) && 0)
            demand(l, r);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (ir_only_counts(in))
                continue;
            if (is_of_lanes(l, in))
                changed |= settle_lanes(l, in);
            else if (in->ndst && in->dst[0] != IR_NOREG && l->place[in->dst[0]] == PLACE_UNIFORM)
                changed |= settle_uniform(l, in);
        }
        for (int32_t r = 0; r < k->nregs; r++)
            if (l->pair[r] != IR_NOREG && l->held[r])
                changed |= demand(l, l->pair[r]);
    }
}

int32_t slots_loads(const struct lowered *l, int32_t *first_of, int32_t *next_of, int32_t *reg_of)
{
    const struct ir_kernel *k = l->k;
    int32_t n = 0, *last = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *last);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int32_t regs[LOWERED_READS];
        int count = lowered_reads(l, i, regs);
        for (int r = 0; r < count; r++) {
            int32_t b = lowered_outside_loops(k, k->insts[i].block);
            int32_t before = last[regs[r]] - 1;
            if (l->place[regs[r]] != PLACE_BANK || before == b || (before >= 0 && ir_dominates(k, before, b)))
                continue;
            int32_t at = b == k->insts[i].block ? i : k->blocks[b].first, pair = l->pair[regs[r]];
            for (int p = 0; p < (pair == IR_NOREG ? 1 : 2); p++) {
                last[p ? pair : regs[r]] = b + 1;
                reg_of[n] = p ? pair : regs[r];
                next_of[n] = first_of[at];
                first_of[at] = n++;
            }
        }
    }
    alloc_release(last);
    return n;
}
