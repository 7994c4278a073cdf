/* Into SSA. Registers with one definition that nothing comes before stay as they are; of the others each definition makes a
 * version. Phis are put at the iterated dominance frontier of a variable's definitions, where it is alive (Cytron, Ferrante, Rosen,
 * Wegman, Zadeck: Efficiently Computing Static Single Assignment Form, 1991; frontiers as Cooper, Harvey and Kennedy find them),
 * and versions are named in the order of the dominator tree. See ssa.h. */
#include "ir/ssa.h"
#include "base/alloc.h"
#include "ir/cfg.h"
#include "ir/edit.h"

#include <string.h>

/* A growing list of numbers. */
struct list {
    int32_t *at, n, cap;
};

static void append(struct list *l, int32_t x)
{
    ALLOC_GROW(l->at, l->n, l->cap);
    l->at[l->n++] = x;
}

struct entering {
    struct ir_kernel *k;
    int32_t nvars;          /* registers of before */
    bool *versioned;        /* [nvars] it gets versions */
    struct list *defined;   /* [nvars] blocks that define it */
    struct list *frontier;  /* [nblocks] dominance frontier */
    struct list *phis;      /* [nblocks] variables that get a phi */
    int32_t *first_phi;     /* [nblocks] its first phi among the new instructions */
    int32_t *top;           /* [nvars] the version that is valid here; IR_NOREG: none was written */
    bool *own_taken;        /* [nvars] the variable's own number stands for a version, or for what it holds when nothing was written */
    struct list undo;       /* variable and version before, in pairs */
    int32_t cap_variable, cap_type;
};

/* --- which, and where --- */

static bool is_reached(const struct ir_kernel *k, int32_t b)
{
    return b == 0 || k->blocks[b].idom >= 0;
}

/* Read where nothing has written it: at the entry, or in a block that nothing reaches, whose code is named all the same. */
static void find_early(struct entering *e)
{
    const struct ir_kernel *k = e->k;
    for (int32_t b = 0; b < k->nblocks; b++)
        for (int32_t r = 0; r < e->nvars && (b == 0 || !is_reached(k, b)); r++)
            e->own_taken[r] |= ir_bit(k->blocks[b].live_in, r);
}

static void find_versioned(struct entering *e)
{
    const struct ir_kernel *k = e->k;
    int32_t *definitions = alloc_zeroed(((size_t)e->nvars + 1) * sizeof *definitions);
    bool *guarded = alloc_zeroed((size_t)e->nvars + 1);
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int d = 0; d < k->insts[i].ndst; d++)
            if (k->insts[i].dst[d] != IR_NOREG) {
                definitions[k->insts[i].dst[d]]++;
                guarded[k->insts[i].dst[d]] |= k->insts[i].guard != IR_NOREG;
            }
    find_early(e);
    for (int32_t r = 0; r < e->nvars; r++)
        e->versioned[r] = definitions[r] && (definitions[r] > 1 || guarded[r] || e->own_taken[r]);
    alloc_release(definitions);
    alloc_release(guarded);
}

static void find_definitions(struct entering *e)
{
    const struct ir_kernel *k = e->k;
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int d = 0; d < k->insts[i].ndst; d++) {
            int32_t r = k->insts[i].dst[d];
            if (r != IR_NOREG && e->versioned[r] && (!e->defined[r].n || e->defined[r].at[e->defined[r].n - 1] != k->insts[i].block))
                append(&e->defined[r], k->insts[i].block);
        }
}

static bool is_last(const struct list *l, int32_t x)
{
    return l->n && l->at[l->n - 1] == x;
}

/* The entry is before its first block, and is a block of its own where others lead to that. */
static void find_frontiers(struct entering *e)
{
    const struct ir_kernel *k = e->k;
    for (int32_t b = 0; b < k->nblocks; b++) {
        const struct ir_block *block = &k->blocks[b];
        for (int32_t p = 0; p < block->npred && (block->npred > 1 || b == 0) && is_reached(k, b); p++)
            for (int32_t at = block->pred[p]; is_reached(k, block->pred[p]) && at >= 0 && at != block->idom; at = k->blocks[at].idom)
                if (!is_last(&e->frontier[at], b))
                    append(&e->frontier[at], b);
    }
}

/* `mark` [nblocks]: number of the variable, + 1, that a block has a phi of. */
static void place_phis(struct entering *e, int32_t var, int32_t *mark, struct list *todo)
{
    todo->n = 0;
    for (int32_t i = 0; i < e->defined[var].n; i++)
        append(todo, e->defined[var].at[i]);
    while (todo->n) {
        const struct list *frontier = &e->frontier[todo->at[--todo->n]];
        for (int32_t i = 0; i < frontier->n; i++) {
            int32_t b = frontier->at[i];
            if (mark[b] == var + 1 || !ir_bit(e->k->blocks[b].live_in, var))
                continue;
            mark[b] = var + 1;
            append(&e->phis[b], var);
            append(todo, b);
        }
    }
}

static void place_all_phis(struct entering *e)
{
    int32_t *mark = alloc_zeroed((size_t)e->k->nblocks * sizeof *mark);
    struct list todo = {0};
    for (int32_t r = 0; r < e->nvars; r++)
        if (e->versioned[r])
            place_phis(e, r, mark, &todo);
    alloc_release(mark);
    alloc_release(todo.at);
}

/* --- phis --- */

static struct ir_inst new_phi(struct entering *e, int32_t b, int32_t var)
{
    struct ir_kernel *k = e->k;
    const struct ir_block *block = &k->blocks[b];
    static const struct ptx_mods no_mods;
    int n = block->npred + (b == 0);
    struct ir_inst phi = {.op = IR_OP_PHI, .guard = IR_NOREG, .vec = 1, .target = -1, .join = -1, .block = b, .ntargets = n, .mods = &no_mods,
                          .site = -1, .from = k->insts[block->first].from};
    struct ir_src *src = ARENA_ARRAY(&k->arena, struct ir_src, n);
    phi.targets = ARENA_ARRAY(&k->arena, int32_t, n);
    for (int i = 0; i < n; i++) {
        src[i] = ir_of_reg(var);
        phi.targets[i] = i < block->npred ? block->pred[i] : -1;
    }
    ir_set_sources(k, &phi, n, src);
    IR_SET_RESULTS(k, &phi, var);
    return phi;
}

static void put_phis(struct entering *e)
{
    struct ir_kernel *k = e->k;
    int32_t more = 0, n = 0;
    for (int32_t b = 0; b < k->nblocks; b++)
        more += e->phis[b].n;
    struct ir_inst *insts = alloc_zeroed(((size_t)k->ninsts + (size_t)more + 1) * sizeof *insts);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *block = &k->blocks[b];
        e->first_phi[b] = n;
        for (int32_t i = 0; i < e->phis[b].n; i++)
            insts[n++] = new_phi(e, b, e->phis[b].at[i]);
        memcpy(&insts[n], &k->insts[block->first], (size_t)block->count * sizeof *insts);
        n += block->count;
        block->first = e->first_phi[b];
        block->count += e->phis[b].n;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
}

/* --- names --- */

static int32_t new_version(struct entering *e, int32_t var)
{
    struct ir_kernel *k = e->k;
    int32_t version = var;
    if (e->own_taken[var]) {
        int32_t types = k->nregs;
        ALLOC_GROW(k->reg_type, types, e->cap_type);
        ALLOC_GROW(k->variable, k->nvariable, e->cap_variable);
        k->reg_type[k->nregs] = k->reg_type[var];
        k->variable[k->nvariable++] = var;
        version = k->nregs++;
    }
    e->own_taken[var] = true;
    append(&e->undo, var);
    append(&e->undo, e->top[var]);
    return e->top[var] = version;
}

static void name_sources(const struct entering *e, struct ir_inst *in)
{
    bool any = false;
    for (int i = 0; i < in->nsrc; i++)
        any |= in->src[i].kind == IR_SRC_REG && e->top[in->src[i].reg] != in->src[i].reg;
    struct ir_src *src = any ? ARENA_ARRAY(&e->k->arena, struct ir_src, in->nsrc) : NULL;
    for (int i = 0; i < in->nsrc && any; i++) {
        src[i] = in->src[i];
        if (src[i].kind == IR_SRC_REG)
            src[i].reg = e->top[src[i].reg];
    }
    if (any)
        in->src = src;
    if (in->guard != IR_NOREG)
        in->guard = e->top[in->guard];
}

static void name_results(struct entering *e, struct ir_inst *in, bool guarded)
{
    int32_t dst[IR_OPERANDS], *old = guarded && in->ndst ? ARENA_ARRAY(&e->k->arena, int32_t, in->ndst) : NULL;
    for (int d = 0; d < in->ndst; d++) {
        dst[d] = in->dst[d];
        if (old)
            old[d] = dst[d] == IR_NOREG || in->old_free ? IR_NOREG : e->top[dst[d]];
        if (dst[d] != IR_NOREG && e->versioned[dst[d]])
            dst[d] = new_version(e, dst[d]);
    }
    if (in->ndst)
        ir_set_results(e->k, in, in->ndst, dst);
    in->old = old;
}

/* What the block gives to phis behind it. */
static void name_phis(const struct entering *e, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < e->phis[to].n; i++) {
        struct ir_inst *phi = &e->k->insts[e->first_phi[to] + i];
        for (int s = 0; s < phi->nsrc; s++)
            if (phi->targets[s] == from)
                ir_set_source(e->k, phi, s, ir_of_reg(e->top[e->phis[to].at[i]]));
    }
}

static void name_block(struct entering *e, int32_t b)
{
    const struct ir_block *block = &e->k->blocks[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        struct ir_inst *in = &e->k->insts[i];
        bool guarded = in->guard != IR_NOREG;
        if (in->op != IR_OP_PHI)
            name_sources(e, in);
        name_results(e, in, guarded);
    }
    for (int32_t s = 0; s < block->nsucc; s++)
        if (block->succ[s] >= 0)
            name_phis(e, b, block->succ[s]);
}

static void undo_to(struct entering *e, int32_t n)
{
    while (e->undo.n > n) {
        e->undo.n -= 2;
        e->top[e->undo.at[e->undo.n]] = e->undo.at[e->undo.n + 1];
    }
}

/* A block, then what it dominates; a block that nothing reaches is alone. */
static void name_all(struct entering *e)
{
    const struct ir_kernel *k = e->k;
    int32_t *first = alloc_zeroed(4 * (size_t)k->nblocks * sizeof *first), *next = first + k->nblocks;
    int32_t *stack = next + k->nblocks, *mark = stack + k->nblocks, n = 0;
    for (int32_t b = k->nblocks - 1; b > 0; b--)
        if (is_reached(k, b)) {
            next[b] = first[k->blocks[b].idom];
            first[k->blocks[b].idom] = b;
        }
    for (int32_t root = 0; root < k->nblocks; root++) {
        if (root && is_reached(k, root))
            continue;
        for (int32_t r = 0; r < e->nvars; r++)
            e->top[r] = e->versioned[r] && !ir_bit(k->blocks[root].live_in, r) ? IR_NOREG : r;
        for (int32_t b = root; b >= 0;) { /* down, then on to a brother of it or of one above */
            mark[n] = e->undo.n;
            stack[n++] = b;
            name_block(e, b);
            b = first[b] ? first[b] : -1;
            while (b < 0 && n) {
                undo_to(e, mark[--n]);
                b = n && next[stack[n]] ? next[stack[n]] : -1;
            }
        }
    }
    alloc_release(first);
}

void ir_into_ssa(struct ir_kernel *k)
{
    size_t regs = (size_t)k->nregs + 1, blocks = (size_t)k->nblocks;
    struct entering e = {.k = k, .nvars = k->nregs};
    e.versioned = alloc_zeroed(regs);
    e.own_taken = alloc_zeroed(regs);
    e.defined = alloc_zeroed(regs * sizeof *e.defined);
    e.frontier = alloc_zeroed(blocks * sizeof *e.frontier);
    e.phis = alloc_zeroed(blocks * sizeof *e.phis);
    e.first_phi = alloc_zeroed(blocks * sizeof *e.first_phi);
    e.top = alloc_zeroed(regs * sizeof *e.top);
    e.cap_type = e.cap_variable = k->nvariable = k->nregs;
    k->variable = alloc_zeroed(regs * sizeof *k->variable);
    for (int32_t r = 0; r < k->nregs; r++)
        k->variable[r] = r;
    find_versioned(&e);
    find_definitions(&e);
    find_frontiers(&e);
    place_all_phis(&e);
    put_phis(&e);
    name_all(&e);
    k->ssa = true;
    for (int32_t r = 0; r < e.nvars; r++)
        alloc_release(e.defined[r].at);
    for (int32_t b = 0; b < k->nblocks; b++) {
        alloc_release(e.frontier[b].at);
        alloc_release(e.phis[b].at);
    }
    alloc_release(e.versioned);
    alloc_release(e.own_taken);
    alloc_release(e.defined);
    alloc_release(e.frontier);
    alloc_release(e.phis);
    alloc_release(e.first_phi);
    alloc_release(e.top);
    alloc_release(e.undo.at);
}
