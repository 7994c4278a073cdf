/* Out of SSA: see ssa.h. First one walk backwards finds the variables of which two versions are alive at once; what is not joined by
 * having one register gets copies; a second walk finds which ends of copies are alive at once, and the other copies go. */
#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/claims.h"
#include "ir/edit.h"
#include "ir/operands.h"
#include "ir/ssa.h"

#include <string.h>

struct leaving {
    struct ir_kernel *k;
    int32_t before;    /* registers that the kernel had before SSA, */
    int32_t versions;  /* and in SSA: those from here on are for copies */
    bool *parted;      /* [regs] of a variable: its versions have registers of their own */
    int32_t *now;      /* [regs] of a variable: the version alive here, + 1 */
    int32_t *touched;  /* variables that had one in this block */
    int32_t ntouched, touched_cap;
    int32_t *through;  /* [ninsts] of a phi: the register of its copies, or IR_NOREG: it needs none */
    struct ir_inst *insts;
    int32_t n, cap;
    int32_t regs_cap;
};

/* --- versions that are alive at once --- */

static void defined(struct leaving *l, int32_t reg)
{
    int32_t var = ir_variable(l->k, reg);
    if (l->now[var] && l->now[var] != reg + 1)
        l->parted[var] = true;
}

static void alive(struct leaving *l, int32_t reg)
{
    int32_t var = ir_variable(l->k, reg);
    defined(l, reg);
    if (!l->now[var]) {
        ALLOC_GROW(l->touched, l->ntouched, l->touched_cap);
        l->touched[l->ntouched++] = var;
    }
    l->now[var] = reg + 1;
}

static void not_alive(struct leaving *l, int32_t reg)
{
    int32_t var = ir_variable(l->k, reg);
    if (l->now[var] == reg + 1)
        l->now[var] = 0;
}

static void look_at(struct leaving *l, const struct ir_inst *in)
{
    if (in->stays) /* what is on either side of it was one register: without this it would be again */
        l->parted[ir_variable(l->k, in->src[0].reg)] = true;
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            defined(l, in->dst[d]);
    for (int d = 0; d < in->ndst; d++)
        if (in->dst[d] != IR_NOREG)
            not_alive(l, in->dst[d]);
    if (in->op == IR_OP_PHI)
        return;
    if (in->guard != IR_NOREG)
        alive(l, in->guard);
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG)
            alive(l, in->src[i].reg);
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] != IR_NOREG) {
            alive(l, in->old[d]);
            /* the copy stands before the instruction, which may read another version */
            if (ir_variable(l->k, in->old[d]) != ir_variable(l->k, in->dst[d]))
                l->parted[ir_variable(l->k, in->dst[d])] = true;
        }
}

static void find_parted(struct leaving *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *block = &k->blocks[b];
        for (int32_t w = 0; w < (k->nregs + 63) / 64; w++)
            for (uint64_t left = block->live_out[w]; left; left &= left - 1)
                alive(l, w * 64 + __builtin_ctzll(left));
        for (int32_t i = block->first + block->count - 1; i >= block->first; i--)
            look_at(l, &k->insts[i]);
        while (l->ntouched)
            l->now[l->touched[--l->ntouched]] = 0;
    }
}

/* The register that a version gets, before copies are taken away. */
static int32_t place_of(const struct leaving *l, int32_t reg)
{
    if (reg == IR_NOREG || reg >= l->versions || l->parted[ir_variable(l->k, reg)])
        return reg;
    return ir_variable(l->k, reg);
}

/* --- copies --- */

static void find_copies(struct leaving *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool one = true;
        for (int s = 0; in->op == IR_OP_PHI && s < in->nsrc; s++)
            one &= in->src[s].kind == IR_SRC_REG && place_of(l, in->src[s].reg) == place_of(l, in->dst[0]);
        l->through[i] = one ? IR_NOREG : ir_new_register(l->k, in->dst[0], &l->regs_cap);
    }
}

static void put(struct leaving *l, const struct ir_inst *in)
{
    ALLOC_GROW(l->insts, l->n, l->cap);
    l->insts[l->n++] = *in;
}

static void put_copy(struct leaving *l, const struct ir_inst *beside, int32_t to, struct ir_src from)
{
    struct ir_inst copy = ir_move_beside(l->k, beside, to, from);
    put(l, &copy);
}

static void put_for_phis(struct leaving *l, int32_t from)
{
    const struct ir_kernel *k = l->k;
    const struct ir_block *block = &k->blocks[from];
    for (int32_t s = 0; s < block->nsucc; s++)
        for (int32_t i = block->succ[s] < 0 ? k->ninsts : k->blocks[block->succ[s]].first; i < k->ninsts && ir_at_head(&k->insts[i]); i++)
            for (int p = 0; l->through[i] != IR_NOREG && p < k->insts[i].nsrc; p++)
                if (k->insts[i].targets[p] == from)
                    put_copy(l, &k->insts[block->first + block->count - 1], l->through[i], k->insts[i].src[p]);
}

static void put_inst(struct leaving *l, const struct ir_inst *in)
{
    struct ir_inst made = *in;
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->dst[d] != IR_NOREG && in->old[d] != IR_NOREG && place_of(l, in->old[d]) != place_of(l, in->dst[d]))
            put_copy(l, in, in->dst[d], ir_of_reg(in->old[d]));
    made.old = NULL;
    put(l, &made);
}

static void put_block(struct leaving *l, int32_t b)
{
    struct ir_kernel *k = l->k;
    const struct ir_block *block = &k->blocks[b];
    int32_t last = block->first + block->count - 1;
    for (int32_t i = block->first; i <= last; i++) {
        const struct ir_inst *in = &k->insts[i];
        bool goes = i == last && cfg_ends_block(in);
        if (goes)
            put_for_phis(l, b);
        if (in->op != IR_OP_PHI)
            put_inst(l, in);
        else if (l->through[i] != IR_NOREG)
            put_copy(l, in, in->dst[0], ir_of_reg(l->through[i]));
        if (i == last && !goes)
            put_for_phis(l, b);
    }
}

static int32_t placed(const void *user, int32_t reg)
{
    return place_of(user, reg);
}

static void put_all(struct leaving *l)
{
    struct ir_kernel *k = l->k;
    int32_t *first = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *first);
    for (int32_t b = 0; b < k->nblocks; b++) {
        first[b] = l->n;
        put_block(l, b);
    }
    first[k->nblocks] = l->n;
    for (int32_t b = 0; b < k->nblocks; b++) {
        k->blocks[b].first = first[b];
        k->blocks[b].count = first[b + 1] - first[b];
    }
    alloc_release(first);
    alloc_release(k->insts);
    k->insts = l->insts;
    k->ninsts = l->n;
    ir_rename_reads(k, placed, l);
    ir_rename_results(k, placed, l);
    k->ssa = false;
}

/* --- copies that are not needed --- */

/* Ends of copies, numbered; `apart` says which are alive at once. Beyond MOST_ENDS copies stay. */
struct joining {
    struct ir_kernel *k;
    int32_t *number; /* [nregs] + 1 */
    int32_t *reg;    /* [n] */
    int32_t *one;    /* [n] the end that this one has become */
    uint64_t *ends;  /* bit set over registers */
    uint64_t *apart; /* [n][words] */
    int32_t n, words;
};
enum { MOST_ENDS = 8192 };

static bool is_copy(const struct ir_kernel *k, const struct ir_inst *in)
{
    return in->id == 0 && !in->stays && ir_is_whole_move(k, in);
}

static void add_end(struct joining *j, int32_t reg)
{
    if (j->number[reg] || j->n == MOST_ENDS)
        return;
    ir_bit_set(j->ends, reg);
    j->reg[j->n] = reg;
    j->one[j->n] = j->n;
    j->number[reg] = ++j->n;
}

static void set_apart(struct joining *j, int32_t a, int32_t b)
{
    int32_t x = j->number[a] - 1, y = j->number[b] - 1;
    if (x < 0 || y < 0 || x == y)
        return;
    ir_bit_set(&j->apart[(size_t)x * (size_t)j->words], y);
    ir_bit_set(&j->apart[(size_t)y * (size_t)j->words], x);
}

static void find_apart(struct joining *j)
{
    struct ir_kernel *k = j->k;
    int32_t words = (k->nregs + 63) / 64;
    uint64_t *live = alloc_zeroed(((size_t)words + 1) * sizeof *live);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *block = &k->blocks[b];
        memcpy(live, block->live_out, (size_t)words * sizeof *live);
        for (int32_t i = block->first + block->count - 1; i >= block->first; i--) {
            const struct ir_inst *in = &k->insts[i];
            for (int d = 0; d < in->ndst; d++) {
                if (in->dst[d] == IR_NOREG || !j->number[in->dst[d]])
                    continue;
                for (int32_t w = 0; w < words; w++)
                    for (uint64_t left = live[w] & j->ends[w]; left; left &= left - 1) {
                        int32_t other = w * 64 + __builtin_ctzll(left);
                        if (!is_copy(k, in) || in->src[0].reg != other)
                            set_apart(j, in->dst[d], other);
                    }
                for (int e = 0; e < d; e++)
                    if (in->dst[e] != IR_NOREG)
                        set_apart(j, in->dst[d], in->dst[e]);
            }
            ir_live_before(in, live);
        }
    }
    alloc_release(live);
}

static int32_t end_of(const struct joining *j, int32_t reg)
{
    int32_t e = j->number[reg] - 1;
    while (e >= 0 && j->one[e] != e)
        e = j->one[e];
    return e;
}

static int32_t register_of(const struct joining *j, int32_t reg)
{
    int32_t e = end_of(j, reg);
    return e < 0 ? reg : j->reg[e];
}

/* Both ends of a copy become one, that with the lower number. */
static void join(struct joining *j, const struct ir_inst *copy)
{
    int32_t a = end_of(j, copy->dst[0]), b = end_of(j, copy->src[0].reg);
    if (a < 0 || b < 0 || a == b || ir_bit(&j->apart[(size_t)a * (size_t)j->words], b))
        return;
    int32_t stays = j->reg[a] < j->reg[b] ? a : b, goes = a + b - stays;
    j->one[goes] = stays;
    uint64_t *to = &j->apart[(size_t)stays * (size_t)j->words], *from = &j->apart[(size_t)goes * (size_t)j->words];
    for (int32_t e = 0; e < j->n; e++)
        if (ir_bit(from, e)) {
            ir_bit_set(to, e);
            ir_bit_set(&j->apart[(size_t)e * (size_t)j->words], stays);
        }
}

static int depth_of(const struct ir_kernel *k, int32_t b)
{
    return k->blocks[b].loop < 0 ? 0 : k->loops[k->blocks[b].loop].depth;
}

/* Those of inner loops first. */
static void join_all(struct joining *j)
{
    int deepest = 0;
    for (int32_t b = 0; b < j->k->nblocks; b++)
        deepest = depth_of(j->k, b) > deepest ? depth_of(j->k, b) : deepest;
    for (int depth = deepest; depth >= 0; depth--)
        for (int32_t i = 0; i < j->k->ninsts; i++)
            if (is_copy(j->k, &j->k->insts[i]) && depth_of(j->k, j->k->insts[i].block) == depth)
                join(j, &j->k->insts[i]);
}

static int32_t joined_name(const void *user, int32_t reg)
{
    return register_of(user, reg);
}

static void drop_copies_to_themselves(struct ir_kernel *k)
{
    int32_t n = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        int32_t first = n;
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++)
            if (!is_copy(k, &k->insts[i]) || k->insts[i].dst[0] != k->insts[i].src[0].reg)
                k->insts[n++] = k->insts[i];
        k->blocks[b].first = first;
        k->blocks[b].count = n - first;
    }
    k->ninsts = n;
}

/* `became` [nregs]: the register that each is at the end of it. */
static void take_copies_away(struct ir_kernel *k, int32_t *became)
{
    struct joining j = {.k = k};
    int32_t most = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        most += 2 * is_copy(k, &k->insts[i]);
    for (int32_t r = 0; r < k->nregs; r++)
        became[r] = r;
    if (!most)
        return;
    j.number = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *j.number);
    j.reg = alloc_zeroed(2 * (size_t)most * sizeof *j.reg);
    j.one = j.reg + most;
    j.ends = alloc_zeroed(((size_t)k->nregs / 64 + 1) * sizeof *j.ends);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (is_copy(k, &k->insts[i])) {
            add_end(&j, k->insts[i].dst[0]);
            add_end(&j, k->insts[i].src[0].reg);
        }
    j.words = (j.n + 63) / 64;
    j.apart = alloc_zeroed((size_t)j.n * (size_t)j.words * sizeof *j.apart);
    liveness_analyse(k);
    find_apart(&j);
    join_all(&j);
    ir_rename_reads(k, joined_name, &j);
    ir_rename_results(k, joined_name, &j);
    drop_copies_to_themselves(k);
    for (int32_t r = 0; r < k->nregs; r++)
        became[r] = register_of(&j, r);
    alloc_release(j.apart);
    alloc_release(j.number);
    alloc_release(j.reg);
    alloc_release(j.ends);
}

/* --- names --- */

static int32_t new_name(const void *user, int32_t reg)
{
    return ((const int32_t *)user)[reg];
}

/* Registers of before keep their numbers, the others that are left are numbered on. `name` [nregs]. */
static void number_registers(struct leaving *l, int32_t *name)
{
    struct ir_kernel *k = l->k;
    int32_t *used = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *used), n = 0;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        ir_count_reads(in, used, 1);
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG)
                used[in->dst[d]]++;
    }
    for (int32_t r = 0; r < k->nregs; r++) {
        bool stays = r < l->before || used[r];
        name[r] = stays ? n : IR_NOREG;
        k->reg_type[n] = k->reg_type[r];
        n += stays;
    }
    ir_rename_reads(k, new_name, name);
    ir_rename_results(k, new_name, name);
    k->nregs = n;
    alloc_release(used);
}

/* What may be read before it is written: registers with the number of one of which that was so, and those of a phi where lanes begin. */
static void name_unwritten(struct leaving *l, const int32_t *name, const int32_t *begins, int32_t nbegins, int32_t regs)
{
    struct ir_kernel *k = l->k;
    if (!k->unwritten)
        return;
    uint64_t *set = ARENA_ARRAY(&k->arena, uint64_t, (regs > k->nregs ? regs : k->nregs) / 64 + 1);
    int32_t most = k->built_regs;
    memcpy(set, k->unwritten, ((size_t)k->built_regs + 63) / 64 * sizeof *set);
    for (int32_t r = 0; r < regs; r++)
        if (r < k->built_regs && ir_bit(k->unwritten, r) && name[r] != IR_NOREG) {
            ir_bit_set(set, name[r]);
            most = name[r] >= most ? name[r] + 1 : most;
        }
    for (int32_t i = 0; i < nbegins; i++)
        if (name[begins[i]] != IR_NOREG) {
            ir_bit_set(set, name[begins[i]]);
            most = name[begins[i]] >= most ? name[begins[i]] + 1 : most;
        }
    k->unwritten = set;
    k->built_regs = most;
}

/* A claim about a version that shares its register is true of the register no more. */
static void name_claims(struct ir_kernel *k, const int32_t *name, int32_t regs)
{
    struct ir_claims *c = k->claims;
    int32_t n = 0, *sharing = alloc_zeroed(((size_t)regs + 1) * sizeof *sharing);
    for (int32_t r = 0; r < regs; r++)
        if (name[r] != IR_NOREG)
            sharing[name[r]]++;
    for (int32_t i = 0; c && i < c->n; i++) {
        struct ir_claim claim = c->list[i];
        int32_t reg = claim.reg == IR_NOREG ? IR_NOREG : name[claim.reg];
        if (claim.reg != IR_NOREG && (reg == IR_NOREG || sharing[reg] > 1))
            continue;
        claim.reg = reg;
        c->list[n++] = claim;
    }
    if (c)
        c->n = n;
    alloc_release(sharing);
}

void ir_out_of_ssa(struct ir_kernel *k)
{
    struct leaving l = {.k = k, .before = ir_before_ssa(k), .versions = k->nregs, .regs_cap = k->nregs};
    size_t room = (size_t)k->nregs + 1;
    liveness_analyse(k);
    l.parted = alloc_zeroed(room);
    l.now = alloc_zeroed(room * sizeof *l.now);
    l.through = alloc_zeroed(((size_t)k->ninsts + 1) * sizeof *l.through);
    find_parted(&l);
    find_copies(&l);
    int32_t *begins = alloc_zeroed(((size_t)(k->nregs - l.versions) + 1) * sizeof *begins), nbegins = 0;
    for (int32_t i = k->blocks[0].first; ir_at_head(&k->insts[i]); i++)
        if (l.through[i] != IR_NOREG)
            begins[nbegins++] = l.through[i];
    put_all(&l);
    int32_t regs = k->nregs, *became = alloc_zeroed(3 * ((size_t)regs + 1) * sizeof *became);
    int32_t *number = became + regs + 1, *name = number + regs + 1;
    take_copies_away(k, became);
    number_registers(&l, number);
    for (int32_t r = 0; r < regs; r++)
        name[r] = number[became[place_of(&l, r)]];
    name_unwritten(&l, name, begins, nbegins, regs);
    name_claims(k, name, regs);
    k->variable = (alloc_release(k->variable), NULL);
    k->nvariable = 0;
    liveness_analyse(k);
    alloc_release(l.parted);
    alloc_release(l.now);
    alloc_release(l.touched);
    alloc_release(l.through);
    alloc_release(begins);
    alloc_release(became);
}
