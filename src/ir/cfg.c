/* Control flow: basic blocks, dominators, post-dominators, natural loops, waiting loops.
 *
 * In: the flat instruction list, branch targets being blocks (after the first time) or instruction numbers (from the
 * builder, before blocks exist). Out: everything in struct ir_block and ir_loop but liveness.
 * Dominators: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001), forwards and, from a virtual exit
 * node, backwards. */
#include "ir/cfg.h"
#include "base/alloc.h"
#include "ir/facts.h"

#include <string.h>

bool cfg_ends_block(const struct ir_inst *in)
{
    bool flow = ir_kind(in) >= PTX_KIND_BRANCH && ir_kind(in) <= PTX_KIND_TRAP;
    return flow || ir_has_targets(in) || in->op == IR_OP_LEAVE || in->op == IR_OP_STOP || in->op == IR_OP_RETURN;
}

bool cfg_falls_through(const struct ir_inst *in)
{
    return !cfg_ends_block(in) || (in->guard != IR_NOREG && !ir_is(in, PTX_KIND_SWITCH));
}

void cfg_rename_targets(struct ir_inst *in, const int32_t *name)
{
    if (ir_is(in, PTX_KIND_BRANCH))
        in->target = name[in->target];
    if (in->after_call)
        in->after_call = name[in->after_call - 1] + 1;
    for (int32_t t = 0; ir_has_targets(in) && t < in->ntargets; t++)
        in->targets[t] = name[in->targets[t]];
}

bool cfg_reads_time(const struct ir_inst *in)
{
    return in->nsrc == 1 && in->src[0].kind == IR_SRC_SREG && in->src[0].sreg >= PTX_SREG_CLOCK && in->src[0].sreg <= PTX_SREG_GLOBALTIMER_HI;
}

/* What it brings may take any time. */
static bool is_access(const struct ir_inst *in)
{
    return facts_fences_device(in) || (ir_is_memory(in) && in->space != PTX_PARAM && in->space != PTX_SHARED);
}

void cfg_make_blocks(struct ir_kernel *k)
{
    uint8_t *leader = alloc_zeroed((size_t)k->ninsts + 2);
    leader[0] = 1;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const int32_t *t;
        for (int n = ir_targets(&k->insts[i], &t); n > 0; n--)
            leader[t[n - 1]] = 1;
        if (cfg_ends_block(&k->insts[i]))
            leader[i + 1] = 1;
    }
    bool waits = false; /* an access of the block stands before the instruction */
    for (int32_t i = 0; i < k->ninsts && !k->form; i++) {
        waits &= !leader[i];
        if (waits && cfg_reads_time(&k->insts[i])) {
            leader[i] = 1;
            waits = false;
        }
        waits |= is_access(&k->insts[i]);
    }
    int32_t nblocks = 0, *number = alloc_zeroed(sizeof *number * (size_t)(k->ninsts + 1));
    for (int32_t i = 0; i < k->ninsts; i++)
        number[i] = (nblocks += leader[i]) - 1;
    k->blocks = ARENA_ARRAY(&k->arena, struct ir_block, nblocks);
    k->nblocks = nblocks;
    for (int32_t i = 0; i < k->ninsts; i++) {
        struct ir_inst *in = &k->insts[i];
        struct ir_block *b = &k->blocks[number[i]];
        if (leader[i])
            b->first = i;
        b->count++;
        in->block = number[i];
        cfg_rename_targets(in, number);
    }
    alloc_release(leader);
    alloc_release(number);
}

static void add_succ(struct ir_block *b, int32_t s)
{
    for (int32_t i = 0; i < b->nsucc; i++)
        if (b->succ[i] == s)
            return;
    b->succ[b->nsucc++] = s;
}

void cfg_make_edges(struct ir_kernel *k, bool within)
{
    for (int32_t i = 0; i < k->nblocks; i++) {
        struct ir_block *b = &k->blocks[i];
        const struct ir_inst *last = &k->insts[b->first + b->count - 1];
        const int32_t *t;
        int n = ir_targets(last, &t);
        int32_t behind = last->after_call - 1;
        if (within && last->after_call)
            t = &behind;
        if (within && last->is_return)
            n = 0;
        b->nsucc = b->npred = 0;
        b->succ = ARENA_ARRAY(&k->arena, int32_t, n + 2);
        for (int j = 0; j < n; j++)
            add_succ(b, t[j]);
        if (cfg_ends_block(last) && n == 0)
            add_succ(b, -1);
        if (cfg_falls_through(last))
            add_succ(b, i + 1 < k->nblocks ? i + 1 : -1);
    }
    for (int32_t i = 0; i < k->nblocks; i++)
        for (int32_t j = 0; j < k->blocks[i].nsucc; j++)
            if (k->blocks[i].succ[j] >= 0)
                k->blocks[k->blocks[i].succ[j]].npred++;
    for (int32_t i = 0; i < k->nblocks; i++) {
        k->blocks[i].pred = ARENA_ARRAY(&k->arena, int32_t, k->blocks[i].npred + 1);
        k->blocks[i].npred = 0;
    }
    for (int32_t i = 0; i < k->nblocks; i++)
        for (int32_t j = 0; j < k->blocks[i].nsucc; j++)
            if (k->blocks[i].succ[j] >= 0) {
                struct ir_block *s = &k->blocks[k->blocks[i].succ[j]];
                s->pred[s->npred++] = i;
            }
}

/* A graph with node n as the root: dominators of either direction. */
struct graph {
    int32_t n; /* nodes without the root; the root is node n */
    const struct ir_kernel *k;
    bool backwards;
    bool all_ways; /* backwards: edges to blocks that only leave count, too */
    int32_t cut;   /* backwards: edges to this block, and back to the header of a loop, do not count; -1: all do */
    int32_t *order, *rank; /* reverse postorder and its inverse; -1: not reached */
    int32_t count;
    int32_t *idom;
};

/* Successors in the graph's direction, of node v. */
static int succs(const struct graph *g, int32_t v, const int32_t **list, int32_t *one)
{
    if (v == g->n) { /* the root: the entry block, or every block that exits */
        *one = 0;
        *list = one;
        return g->backwards ? -1 : 1;
    }
    const struct ir_block *b = &g->k->blocks[v];
    *list = g->backwards ? b->pred : b->succ;
    return g->backwards ? b->npred : b->nsucc;
}

/* A block that does nothing but end its threads, or jump to one that does so, as compilers put behind code they hold to
 * be unreachable. */
static bool only_leaves(const struct ir_kernel *k, int32_t block)
{
    for (int jumps = 0; jumps < 4; jumps++) {
        const struct ir_block *b = &k->blocks[block];
        const struct ir_inst *in = &k->insts[b->first];
        if (b->count != 1 || in->guard != IR_NOREG)
            return false;
        if (ir_is(in, PTX_KIND_EXIT) || ir_is(in, PTX_KIND_TRAP))
            return true;
        if (!ir_is(in, PTX_KIND_BRANCH) || b->nsucc != 1 || b->succ[0] < 0)
            return false;
        block = b->succ[0];
    }
    return false;
}

/* Lanes that leave are not waited for: where a branch has another way, its edge to a block that only leaves does not
 * keep the others from meeting (an H200 joins them: tests/truth, divergence four_way with clang's code). */
static bool is_left_out(const struct graph *g, int32_t from, int32_t to)
{
    const struct ir_block *b = &g->k->blocks[from];
    if (!g->backwards)
        return false;
    if (to == g->cut || (g->cut >= 0 && ir_dominates(g->k, to, from)))
        return true;
    if (g->all_ways || !only_leaves(g->k, to))
        return false;
    for (int32_t i = 0; i < b->nsucc; i++)
        if (b->succ[i] >= 0 && b->succ[i] != g->cut && !only_leaves(g->k, b->succ[i]))
            return true;
    return false;
}

/* Backwards: does block v belong to those the root goes to? It exits, or no way of it counts. */
static bool ends(const struct graph *g, int32_t v)
{
    const struct ir_block *b = &g->k->blocks[v];
    bool left = true;
    for (int32_t i = 0; i < b->nsucc; i++) {
        if (b->succ[i] < 0)
            return true;
        left &= is_left_out(g, v, b->succ[i]);
    }
    return left;
}

static void visit_from(struct graph *g, int32_t root, uint8_t *seen, int32_t *stack, int32_t *at, int32_t *post)
{
    int32_t sp = 0;
    if (seen[root])
        return;
    stack[sp] = root;
    at[sp++] = 0;
    seen[root] = 1;
    while (sp) {
        const int32_t *list;
        int32_t one;
        int n = succs(g, stack[sp - 1], &list, &one);
        if (at[sp - 1] < n) {
            int32_t s = list[at[sp - 1]++];
            if (s >= 0 && !seen[s] && !(g->backwards && is_left_out(g, s, stack[sp - 1]))) {
                seen[s] = 1;
                stack[sp] = s;
                at[sp++] = 0;
            }
        } else {
            g->order[(*post)++] = stack[--sp];
        }
    }
}

static void number_nodes(struct graph *g)
{
    size_t n = (size_t)g->n + 1;
    uint8_t *seen = alloc_zeroed(n);
    int32_t *stack = alloc_zeroed(n * 2 * sizeof *stack), post = 0;
    if (g->backwards) {
        for (int32_t i = 0; i < g->n; i++)
            if (ends(g, i))
                visit_from(g, i, seen, stack, stack + n, &post);
    } else {
        visit_from(g, 0, seen, stack, stack + n, &post);
    }
    g->order[post++] = g->n;
    g->count = post;
    for (int32_t i = 0; i < post / 2; i++) {
        int32_t t = g->order[i];
        g->order[i] = g->order[post - 1 - i];
        g->order[post - 1 - i] = t;
    }
    for (size_t i = 0; i < n; i++)
        g->rank[i] = -1;
    for (int32_t i = 0; i < post; i++)
        g->rank[g->order[i]] = i;
    alloc_release(seen);
    alloc_release(stack);
}

static int32_t meet(const struct graph *g, int32_t a, int32_t b)
{
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = g->idom[a];
        while (g->rank[b] > g->rank[a])
            b = g->idom[b];
    }
    return a;
}

static void find_idoms(struct graph *g)
{
    for (int32_t i = 0; i <= g->n; i++)
        g->idom[i] = -1;
    g->idom[g->n] = g->n;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t o = 1; o < g->count; o++) {
            int32_t v = g->order[o], best = -1;
            const struct ir_block *b = &g->k->blocks[v];
            const int32_t *list = g->backwards ? b->succ : b->pred;
            int32_t n = g->backwards ? b->nsucc : b->npred;
            if (g->backwards ? ends(g, v) : v == 0)
                best = g->n;
            for (int32_t i = 0; i < n; i++)
                if (list[i] >= 0 && g->rank[list[i]] >= 0 && g->idom[list[i]] >= 0 && !is_left_out(g, v, list[i]))
                    best = best < 0 ? list[i] : meet(g, best, list[i]);
            if (best >= 0 && g->idom[v] != best) {
                g->idom[v] = best;
                changed = true;
            }
        }
    }
}

/* A block that the entry reaches and that reaches no end. */
static bool some_never_end(const struct graph *g)
{
    for (int32_t i = 0; i < g->n; i++)
        if (g->rank[i] < 0 && (i == 0 || g->k->blocks[i].idom >= 0))
            return true;
    return false;
}

/* out[b]: the immediate dominator, or post-dominator; -1: none, or not reached */
static void dominators(const struct ir_kernel *k, bool backwards, int32_t cut, int32_t *out)
{
    size_t n = (size_t)k->nblocks + 1;
    int32_t *room = alloc_zeroed(3 * n * sizeof *room);
    struct graph g = {.n = k->nblocks, .k = k, .backwards = backwards, .cut = cut, .order = room, .rank = room + n,
                      .idom = room + 2 * n};
    number_nodes(&g);
    if (backwards && cut < 0 && !k->recursive && some_never_end(&g)) { /* a loop that only lanes that leave end */
        g.all_ways = true;
        number_nodes(&g);
    }
    find_idoms(&g);
    for (int32_t i = 0; i < k->nblocks; i++)
        out[i] = g.idom[i] == k->nblocks ? -1 : g.idom[i];
    alloc_release(room);
}

void cfg_post_dominators(const struct ir_kernel *k, int32_t cut, int32_t *out)
{
    dominators(k, true, cut, out);
}

static void set_dominators(struct ir_kernel *k, bool backwards)
{
    int32_t *out = alloc_zeroed(sizeof *out * (size_t)(k->nblocks + 1));
    dominators(k, backwards, -1, out);
    for (int32_t i = 0; i < k->nblocks; i++)
        *(backwards ? &k->blocks[i].ipdom : &k->blocks[i].idom) = out[i];
    alloc_release(out);
}

static struct ir_loop *loop_of_header(struct ir_kernel *k, int32_t header, size_t words)
{
    for (int32_t i = 0; i < k->nloops; i++)
        if (k->loops[i].header == header)
            return &k->loops[i];
    struct ir_loop *l = &k->loops[k->nloops++];
    *l = (struct ir_loop){.header = header, .parent = -1, .blocks = ARENA_ARRAY(&k->arena, uint64_t, words)};
    ir_bit_set(l->blocks, header);
    return l;
}

static void add_body(struct ir_kernel *k, struct ir_loop *l, int32_t from)
{
    int32_t *stack = alloc_zeroed(sizeof *stack * (size_t)(k->nblocks + 1)), sp = 0;
    if (!ir_bit(l->blocks, from)) {
        ir_bit_set(l->blocks, from);
        stack[sp++] = from;
    }
    while (sp) {
        const struct ir_block *b = &k->blocks[stack[--sp]];
        for (int32_t i = 0; i < b->npred; i++)
            if (!ir_bit(l->blocks, b->pred[i])) {
                ir_bit_set(l->blocks, b->pred[i]);
                stack[sp++] = b->pred[i];
            }
    }
    alloc_release(stack);
}

static int32_t loop_size(const struct ir_kernel *k, const struct ir_loop *l)
{
    int32_t n = 0;
    for (int32_t i = 0; i < k->nblocks; i++)
        n += ir_bit(l->blocks, i);
    return n;
}

static void find_loops(struct ir_kernel *k)
{
    size_t words = ((size_t)k->nblocks + 63) / 64;
    k->loops = ARENA_ARRAY(&k->arena, struct ir_loop, k->nblocks);
    k->nloops = 0;
    for (int32_t i = 0; i < k->nblocks; i++) {
        k->blocks[i].loop = -1;
        if (k->blocks[i].idom < 0 && i != 0)
            continue; /* unreachable */
        for (int32_t j = 0; j < k->blocks[i].nsucc; j++) {
            int32_t s = k->blocks[i].succ[j];
            if (s >= 0 && ir_dominates(k, s, i))
                add_body(k, loop_of_header(k, s, words), i);
        }
    }
    int32_t *size = alloc_zeroed(sizeof *size * (size_t)(k->nloops + 1));
    for (int32_t l = 0; l < k->nloops; l++)
        size[l] = loop_size(k, &k->loops[l]);
    for (int32_t l = 0; l < k->nloops; l++) {
        for (int32_t o = 0; o < k->nloops; o++)
            if (o != l && ir_bit(k->loops[o].blocks, k->loops[l].header) && size[o] > size[l] &&
                (k->loops[l].parent < 0 || size[o] < size[k->loops[l].parent]))
                k->loops[l].parent = o;
        for (int32_t b = 0; b < k->nblocks; b++)
            if (ir_bit(k->loops[l].blocks, b) &&
                (k->blocks[b].loop < 0 || size[l] < size[k->blocks[b].loop]))
                k->blocks[b].loop = l;
    }
    for (int32_t l = 0; l < k->nloops; l++)
        for (int32_t p = l; p >= 0; p = k->loops[p].parent)
            k->loops[l].depth++;
    alloc_release(size);
}

/* --- waiting loops: what another thread may have to write before the loop ends --- */

/* A call of libdevice's: it computes from its arguments, whatever else its facts leave open. */
static bool is_arithmetic(const struct ir_inst *in)
{
    return in->op == IR_OP_EXTERN && strncmp(in->callee, "__nv_", 5) == 0;
}

/* What memory holds there depends on what others have done. */
static bool ordered_load(const struct ir_inst *in)
{
    return facts_result(in) & FACT_MEMORY && facts_result(in) & FACT_STATE && !is_arithmetic(in);
}

static bool lets_others_write(const struct ir_inst *in)
{
    return facts_syncs(in) & (FACT_FENCE | FACT_BLOCK | FACT_COPIES | FACT_TIME) && !is_arithmetic(in);
}

static bool loop_waits(const struct ir_kernel *k, const struct ir_loop *l, uint64_t *tainted)
{
    bool ordered = false, exit_tainted = false;
    memset(tainted, 0, ((size_t)k->nregs + 63) / 64 * 8);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_bit(l->blocks, k->insts[i].block))
            ordered |= lets_others_write(&k->insts[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            if (!ir_bit(l->blocks, in->block))
                continue;
            bool weak_load = ordered && facts_result(in) & FACT_MEMORY && facts_reads(in) & (FACT_GLOBAL | FACT_SHARED) && !is_arithmetic(in);
            bool taints = ordered_load(in) || weak_load || ir_reads(in, tainted);
            if (!taints)
                continue;
            exit_tainted |= ir_is_conditional(in) && ir_bit(tainted, in->guard);
            for (int d = 0; d < in->ndst; d++)
                if (in->dst[d] != IR_NOREG && !ir_bit(tainted, in->dst[d])) {
                    ir_bit_set(tainted, in->dst[d]);
                    changed = true;
                }
        }
    }
    return exit_tainted;
}

/* The innermost loop that holds both blocks, or -1. */
static int32_t loop_of_both(const struct ir_kernel *k, int32_t a, int32_t b)
{
    int32_t l = k->blocks[a].loop;
    while (l >= 0 && !ir_bit(k->loops[l].blocks, b))
        l = k->loops[l].parent;
    return l;
}

static bool reaches(const struct ir_kernel *k, int32_t from, int32_t to)
{
    uint8_t *seen = alloc_zeroed((size_t)k->nblocks + 1);
    int32_t *stack = alloc_zeroed(sizeof *stack * (size_t)(k->nblocks + 1)), sp = 0;
    seen[from] = 1;
    stack[sp++] = from;
    while (sp && !seen[to]) {
        const struct ir_block *b = &k->blocks[stack[--sp]];
        for (int32_t i = 0; i < b->nsucc; i++)
            if (b->succ[i] >= 0 && !seen[b->succ[i]]) {
                seen[b->succ[i]] = 1;
                stack[sp++] = b->succ[i];
            }
    }
    bool found = seen[to];
    alloc_release(seen);
    alloc_release(stack);
    return found;
}

static void mark_branches(struct ir_kernel *k)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        struct ir_inst *in = &k->insts[i];
        in->join = k->blocks[in->block].ipdom;
        in->joined = in->join >= 0;
        if (!ir_is(in, PTX_KIND_BRANCH))
            continue;
        for (int32_t l = k->blocks[in->block].loop; l >= 0; l = k->loops[l].parent)
            if (k->loops[l].header == in->target) {
                in->back_edge = true;
                in->waiting = k->loops[l].waiting;
            }
        /* The compiler lays out blocks as it likes, and a loop may go back to its header without a branch. But each
         * turn goes up in the code at some branch: it counts the turns of the loop that holds both ends. Irreducible
         * flow has no natural loop; any way back may spin. What is no way back at all is not counted. */
        if (in->target <= in->block && !in->back_edge) {
            int32_t l = loop_of_both(k, in->block, in->target);
            in->back_edge = l >= 0 || reaches(k, in->target, in->block);
            in->waiting = l >= 0 ? k->loops[l].waiting : in->back_edge && !k->form;
        }
    }
}

void cfg_analyse(struct ir_kernel *k)
{
    if (k->recursive) { /* lanes meet in the function in which they part */
        cfg_make_edges(k, true);
        set_dominators(k, true);
    }
    cfg_make_edges(k, false);
    set_dominators(k, false);
    if (!k->recursive)
        set_dominators(k, true);
    find_loops(k);
    uint64_t *tainted = alloc_zeroed(((size_t)k->nregs + 63) / 64 * 8 + 8);
    k->has_waiting_loop = false;
    for (int32_t l = 0; l < k->nloops && !k->form; l++) { /* a kernel that has any has no forms */
        k->loops[l].waiting = loop_waits(k, &k->loops[l], tainted);
        k->has_waiting_loop |= k->loops[l].waiting;
    }
    alloc_release(tainted);
    mark_branches(k);
    if (!k->recursive)
        reconvergence_find(k);
}
