/* See slots.h. Values only ever leave the operand for a register, so the search ends. */
#include "target/slots.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "target/arch.h"
#include "target/window.h"

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

/* One of the operands is a product that the instruction takes in: IMAD.WIDE. */
static bool takes_product(const struct lowered *l, const struct ir_inst *in)
{
    bool product = false;
    for (int s = 0; s < in->nsrc; s++) {
        const struct ir_inst *m = in->src[s].kind == IR_SRC_REG && l->place[in->src[s].reg] == PLACE_READER ? maker(l, in->src[s].reg) : NULL;
        product |= m && (ir_is(m, PTX_KIND_MUL_WIDE) || ir_is(m, PTX_KIND_MUL) || ir_is(m, PTX_KIND_SHL));
    }
    return product;
}

/* A pair that instructions of the lanes read as one, as addresses and addends of products, is moved into registers in front of them: a sum of
 * pairs, which is made of two words, and what a loop gives another value each turn if one instruction reads it. */
static bool is_moved(const struct lowered *l, int32_t reg)
{
    const struct ir_inst *m = maker(l, reg);
    int lanes = 0;
    if (l->words[reg] != 2 || l->place[reg] != PLACE_UNIFORM || (m && ((!ir_is(m, PTX_KIND_ADD) && !ir_is(m, PTX_KIND_SUB)) || takes_product(l, m))))
        return false;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        const struct ir_inst *in = &l->k->insts[l->reader[i]];
        if (in->ndst && in->dst[0] != IR_NOREG && l->place[in->dst[0]] == PLACE_UNIFORM)
            continue;
        if (!ir_is_memory(in) && !takes_product(l, in))
            return false;
        lanes++;
    }
    return m || lanes == 1;
}

static bool leave(struct lowered *l, int32_t reg)
{
    if (!is_candidate(l, reg))
        return false;
    if (l->place[reg] == PLACE_UNIFORM)
        l->place[reg] = l->words[reg] ? PLACE_REGISTER : PLACE_PREDICATE;
    else
        l->held[reg] = true;
    return true;
}

/* A reader wants it in a register of the lanes. */
static bool demand(struct lowered *l, int32_t reg)
{
    return !is_moved(l, reg) && leave(l, reg);
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
    bool shift = m && (ir_is(m, PTX_KIND_SHL) || ir_is(m, PTX_KIND_SHR) || lowered_scale(l, m) >= 0);
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
    case PTX_KIND_SELECT: /* FSEL; of integers a load takes the place of the choice */
        return in->type == PTX_F32;
    case PTX_KIND_ABS:
        return ir_kind(in) != PTX_KIND_ABS;
    default:
        return true;
    }
}

/* What a loop gives a new value each turn is made where the loop begins; else where it is made last. */
static int32_t made_at_join(const struct lowered *l, int32_t reg)
{
    const struct ir_kernel *k = l->k;
    int32_t at = -1;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_defines(&k->insts[i], reg)) {
            const int32_t loop = k->blocks[k->insts[i].block].loop;
            if (loop >= 0)
                return k->blocks[k->loops[loop].header].first;
            at = i;
        }
    return at;
}

static int32_t made_at(const struct lowered *l, int32_t reg, int depth);

/* The operands that are no constants: how many are made without what is known late, and where the last one of these is made. */
static void find_operands(const struct lowered *l, const struct ir_inst *in, int *early, int *late, int32_t *at, int depth)
{
    for (int i = 0; i < in->nsrc; i++) {
        const int32_t reg = in->src[i].kind == IR_SRC_REG ? in->src[i].reg : IR_NOREG;
        const struct ir_inst *m = reg == IR_NOREG ? NULL : maker(l, reg);
        if (reg == IR_NOREG)
            continue;
        if (m && l->place[reg] == PLACE_READER && depth < DEEPEST) {
            find_operands(l, m, early, late, at, depth + 1);
        } else if (!m || is_parameter(l, reg)) {
            ++*late;
        } else {
            const int32_t made = made_at(l, reg, depth + 1);
            ++*early;
            *at = made > *at ? made : *at;
        }
    }
}

/* Where a value is taken to be made. What the whole warp computes is known with its operands, wherever it stands; parameters and what
 * a loop changes are known late, so that it waits for them if it has less than two others. */
static int32_t made_at(const struct lowered *l, int32_t reg, int depth)
{
    const struct ir_inst *m = maker(l, reg);
    int early = 0, late = 0;
    int32_t at = -1;
    if (!m)
        return made_at_join(l, reg);
    if (depth < DEEPEST && l->place[reg] == PLACE_UNIFORM)
        find_operands(l, m, &early, &late, &at, depth);
    return early && (early > 1 || !late) ? at : l->only[reg];
}

/* a comes before b. */
static bool is_first(const struct lowered *l, int32_t a, int32_t b)
{
    bool made[] = {!is_parameter(l, a), !is_parameter(l, b)};
    if (!made[0] || !made[1])
        return made[0] || !made[1];
    const int32_t at_a = made_at(l, a, 0), at_b = made_at(l, b, 0);
    return at_a < at_b || (at_a == at_b && l->only[a] <= l->only[b]);
}

/* Who leaves first where several could be the operand: of values that are made all but one; parameters, when that has ended. */
enum turn { TURN_MADE, TURN_PARAMETER, TURNS };

static enum turn turn_of(const struct lowered *l, int32_t reg)
{
    return is_parameter(l, reg) ? TURN_PARAMETER : TURN_MADE;
}

/* Of several that could be the operand those leave whose turn it is. */
static bool settle_lanes(struct lowered *l, const struct ir_inst *in, enum turn turn)
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
    for (int i = 0; ir_is_copy(in) && i < v.n; i++) /* a parameter is loaded where it goes */
        changed |= l->place[v.reg[i]] == PLACE_BANK && demand(l, v.reg[i]);
    int first = v.constant ? -1 : 0;
    for (int i = 1; i < v.n && first >= 0; i++)
        first = is_first(l, v.reg[first], v.reg[i]) ? first : i;
    for (int i = 0; i < v.n; i++)
        if (first < 0 || (i != first && turn_of(l, v.reg[i]) <= turn))
            changed |= demand(l, v.reg[i]);
    return changed;
}

/* The operand, or one of those that it is made of where it is read, is in a register of the lanes. */
static bool is_in_register(const struct lowered *l, const struct ir_src *s, int depth)
{
    if (s->kind != IR_SRC_REG)
        return false;
    const struct ir_inst *m = l->place[s->reg] == PLACE_READER ? maker(l, s->reg) : NULL;
    bool is_in = l->place[s->reg] == PLACE_REGISTER || l->place[s->reg] == PLACE_PREDICATE || (l->place[s->reg] == PLACE_BANK && l->held[s->reg]);
    for (int i = 0; m && depth < DEEPEST && i < m->nsrc; i++)
        is_in |= is_in_register(l, &m->src[i], depth + 1);
    return is_in;
}

/* Computed by the whole warp, but not if one of its operands is in a register. */
static bool settle_uniform(struct lowered *l, const struct ir_inst *in)
{
    bool is_in = false, changed = false;
    if (lowered_copies_bank(l, in))
        return false;
    for (int s = 0; s < in->nsrc; s++)
        is_in |= is_in_register(l, &in->src[s], 0);
    for (int32_t i = l->readers[in->dst[0]]; !l->words[in->dst[0]] && i < l->readers[in->dst[0] + 1]; i++) /* UISETP: for USEL alone */
        is_in |= l->place[l->k->insts[l->reader[i]].dst[0]] != PLACE_UNIFORM;
    for (int d = 0; is_in && d < in->ndst; d++)
        changed |= in->dst[d] != IR_NOREG && leave(l, in->dst[d]);
    return changed;
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

/* The block where a value of the bank is read first; *loaded: where it is loaded, in front of that one's loops. */
static int32_t read_at(const struct lowered *l, int32_t reg, int32_t *loaded)
{
    int32_t at = -1;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        const int32_t b = l->k->insts[l->reader[i]].block, outside = lowered_outside_loops(l->k, b);
        if (at < 0 || ir_dominates(l->k, outside, *loaded)) {
            at = b;
            *loaded = outside;
        }
    }
    return at;
}

/* Both are loaded in one block: for what stands in it, or both for its loops. */
static bool are_loaded_together(const struct lowered *l, int32_t a, int32_t b)
{
    int32_t of_a = -1, of_b = -1;
    const bool loop_a = read_at(l, a, &of_a) != of_a, loop_b = read_at(l, b, &of_b) != of_b;
    return of_a == of_b && loop_a == loop_b;
}

static void find_pairs(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t r = 0; r < k->nregs; r++) {
        const struct ir_inst *a = l->place[r] == PLACE_BANK && l->words[r] == 1 && is_parameter(l, r) ? maker(l, r) : NULL;
        for (int32_t q = 0; a && q < k->nregs && l->pair[r] == IR_NOREG; q++) {
            const struct ir_inst *b = q != r && l->place[q] == PLACE_BANK && l->words[q] == 1 && is_parameter(l, q) ? maker(l, q) : NULL;
            uint64_t of_a = a->src[0].imm + (uint64_t)a->offset;
            if (b && b->space == a->space && (b->src[0].imm + (uint64_t)b->offset) == (of_a ^ 4) && are_loaded_together(l, r, q)) {
                l->pair[r] = q;
                l->pair[q] = r;
            }
        }
    }
}

/* Returns whether a value has left. */
static bool settle_all(struct lowered *l, enum turn turn)
{
    const struct ir_kernel *k = l->k;
    bool changed = false;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        if (ir_only_counts(in))
            continue;
        if (is_of_lanes(l, in))
            changed |= settle_lanes(l, in, turn);
        else if (in->ndst && in->dst[0] != IR_NOREG && l->place[in->dst[0]] == PLACE_UNIFORM)
            changed |= settle_uniform(l, in);
    }
    for (int32_t r = 0; r < k->nregs; r++)
        if (l->pair[r] != IR_NOREG && l->held[r])
            changed |= demand(l, l->pair[r]);
    return windows_settle(l) || changed;
}

void slots_settle(struct lowered *l)
{
    if (!arch_has_bank_operands(l->arch))
        find_pairs(l);
    for (enum turn turn = TURN_MADE; turn < TURNS; turn++)
        while (settle_all(l, turn))
            continue;
}

int32_t slots_loads(const struct lowered *l, int32_t *first_of, int32_t *next_of, int32_t *reg_of)
{
    const struct ir_kernel *k = l->k;
    int32_t n = 0, *last = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *last);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int32_t regs[LOWERED_READS];
        const struct ir_inst *in = &k->insts[i];
        const bool elsewhere = lowered_copies_bank(l, in) || (ir_is(in, PTX_KIND_ADDRESS) && in->dst[0] != IR_NOREG && l->place[in->dst[0]] == PLACE_READER);
        int count = elsewhere ? 0 : lowered_reads(l, i, regs);
        for (int r = 0; r < count; r++) {
            int32_t b = l->held[regs[r]] ? lowered_before_loops(k, k->insts[i].block) : lowered_outside_loops(k, k->insts[i].block);
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
