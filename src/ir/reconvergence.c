/* Reconvergence points: where the lanes of a branch meet again before its post-dominator. The
 * assembler's rule for loops with `break`, `goto` and switches that fall through.
 *
 * In: blocks, dominators, post-dominators, loops. Out: `reconvergence` and `leaves` of conditional branches.
 * A branch's lanes always meet at its immediate post-dominator P (`join`). If a `break` goes past the end of an `if`, P is
 * behind the loop, and without more the lanes of the `if` and the others would stay apart from round to round. The
 * vendor's assembler makes a second reconvergence point M inside: lanes on their way to M are waited for there, and those that
 * leave by another way are taken out of the count (BSSY in front, BSYNC at M, BREAK where a way leaves).
 *
 * The rule, from the machine code that ptxas 13.0 (-arch=sm_90, loops not unrolled) makes of 30 kernels of nvcc
 * (2026-11-21: break, continue, return and goto from inside an if, an else, an if in an if, an inner loop; two breaks; a
 * break beside a continue; chains and diamonds of gotos; switches that fall through; && and ||):
 *   - take the edges to P away, and those back to the header of a loop. If all ways from the branch then still meet at a block X, M is X, if X is one where ways
 *     join or where a loop is left; else there is none. So a break and a continue in one if leave the end of the if alone:
 *     lanes meet where the round ends. A goto out of two loops and a break out of the inner one do so too: lanes
 *     meet behind the inner loop.
 *   - if they do not meet (two ways to P that do not cross), M is the last block of those that the branch dominates
 *     immediately and where ways join. (Of such blocks that are equally good the assembler's choice varies with their
 *     length; the last in the order of the text is right in 5 of 6 cases looked at.)
 *   - a branch with one way besides that to P has no M. There is one M a branch, never a third place; edges to blocks that only
 *     exit or trap are no ways. (A return beside a break is none to the assembler either; here it is the way to P.)
 * Not looked for in kernels with recursion, where blocks are shared by calls.
 * Measured on an H200 by loop_break of tests/truth/rules/branches. */
#include "base/alloc.h"
#include "ir/cfg.h"

#include <string.h>

static bool parts(const struct ir_kernel *k, int32_t b)
{
    const struct ir_inst *last = &k->insts[k->blocks[b].first + k->blocks[b].count - 1];
    return k->blocks[b].nsucc > 1 && (ir_is_conditional(last) || ir_is(last, PTX_KIND_SWITCH));
}

static bool reachable(const struct ir_kernel *k, int32_t b)
{
    return b == 0 || k->blocks[b].idom >= 0;
}

/* Ways join at block b, not counting ways back to a loop's header; or a loop is left there. */
static bool is_place(const struct ir_kernel *k, int32_t b)
{
    const struct ir_block *block = &k->blocks[b];
    int32_t ways = 0;
    for (int32_t i = 0; i < block->npred; i++) {
        int32_t from = block->pred[i];
        if (!reachable(k, from) || ir_dominates(k, b, from))
            continue;
        ways++;
        int32_t l = k->blocks[from].loop;
        if (l >= 0 && !ir_bit(k->loops[l].blocks, b))
            return true;
    }
    return ways > 1;
}

struct finder {
    struct ir_kernel *k;
    size_t words;          /* of a bit set over blocks */
    bool *place;           /* is_place */
    int32_t *last;         /* the last place that the block dominates immediately, its post-dominator left out; or -1 */
    struct ir_reconvergence **points; /* those made so far, with their joins */
    int32_t *joins;
    size_t npoints, points_cap, joins_cap;
};

/* All blocks from which a way leads to block `to` without block `join`. */
static uint64_t *find_inside(const struct finder *f, int32_t to, int32_t join)
{
    const struct ir_kernel *k = f->k;
    uint64_t *inside = ARENA_ARRAY(&f->k->arena, uint64_t, f->words);
    int32_t *stack = alloc_zeroed(sizeof *stack * (size_t)(k->nblocks + 1)), sp = 0;
    memset(inside, 0, f->words * sizeof *inside);
    stack[sp++] = to;
    while (sp) {
        const struct ir_block *b = &k->blocks[stack[--sp]];
        for (int32_t i = 0; i < b->npred; i++)
            if (b->pred[i] != join && !ir_bit(inside, b->pred[i])) {
                ir_bit_set(inside, b->pred[i]);
                stack[sp++] = b->pred[i];
            }
    }
    ir_bit_set(inside, to);
    alloc_release(stack);
    return inside;
}

static const struct ir_reconvergence *point_at(struct finder *f, int32_t block, int32_t join)
{
    for (size_t i = 0; i < f->npoints; i++)
        if (f->points[i]->block == block && f->joins[i] == join)
            return f->points[i];
    ALLOC_GROW(f->points, f->npoints, f->points_cap);
    ALLOC_GROW(f->joins, f->npoints, f->joins_cap);
    struct ir_reconvergence *m = ARENA_NEW(&f->k->arena, struct ir_reconvergence);
    m->block = block;
    m->inside = find_inside(f, block, join);
    f->points[f->npoints] = m;
    f->joins[f->npoints++] = join;
    return m;
}

static struct ir_inst *branch_of(struct ir_kernel *k, int32_t b)
{
    return &k->insts[k->blocks[b].first + k->blocks[b].count - 1];
}

static int ways_besides(const struct ir_kernel *k, int32_t b, int32_t join)
{
    int ways = 0;
    for (int32_t i = 0; i < k->blocks[b].nsucc; i++)
        ways += k->blocks[b].succ[i] != join;
    return ways;
}

/* The branches whose join is `join`: `next` chains them, from `first`. */
static void find_before(struct finder *f, int32_t join, int32_t first, const int32_t *next, int32_t *ipdom)
{
    struct ir_kernel *k = f->k;
    cfg_post_dominators(k, join, ipdom);
    for (int32_t b = first; b >= 0; b = next[b]) {
        int32_t at = ipdom[b] < 0 ? f->last[b] : f->place[ipdom[b]] ? ipdom[b] : -1;
        if (at >= 0 && ways_besides(k, b, join) > 1)
            branch_of(k, b)->reconvergence = point_at(f, at, join);
    }
}

/* Is there a place at all that its immediate dominator's lanes can go past? Well-nested code has none. */
static bool find_places(struct finder *f)
{
    const struct ir_kernel *k = f->k;
    bool any = false;
    memset(f->last, 0xff, sizeof *f->last * (size_t)k->nblocks); /* -1 */
    for (int32_t b = 0; b < k->nblocks; b++) {
        int32_t d = k->blocks[b].idom;
        f->place[b] = reachable(k, b) && is_place(k, b);
        if (!f->place[b] || d < 0 || k->blocks[d].ipdom == b)
            continue;
        any = true;
        f->last[d] = b;
    }
    return any;
}

static void mark_leaving(const struct finder *f)
{
    struct ir_kernel *k = f->k;
    for (int32_t b = 0; b < k->nblocks; b++) {
        if (!reachable(k, b) || !parts(k, b))
            continue;
        for (size_t i = 0; i < f->npoints && !branch_of(k, b)->leaves; i++)
            for (int32_t s = 0; s < k->blocks[b].nsucc; s++)
                if (ir_bit(f->points[i]->inside, b) && k->blocks[b].succ[s] >= 0 &&
                    !ir_bit(f->points[i]->inside, k->blocks[b].succ[s]))
                    branch_of(k, b)->leaves = true;
    }
}

void reconvergence_find(struct ir_kernel *k)
{
    size_t n = (size_t)k->nblocks + 1;
    struct finder f = {.k = k, .words = (n + 63) / 64, .place = alloc_zeroed(n), .last = alloc_zeroed(n * sizeof *f.last)};
    for (int32_t i = 0; i < k->ninsts; i++) {
        k->insts[i].reconvergence = NULL;
        k->insts[i].leaves = false;
    }
    if (find_places(&f)) {
        int32_t *room = alloc_zeroed(3 * n * sizeof *room), *first = room, *next = room + n;
        for (size_t i = 0; i < n; i++)
            first[i] = -1;
        for (int32_t b = k->nblocks - 1; b >= 0; b--)
            if (reachable(k, b) && parts(k, b) && k->blocks[b].ipdom >= 0) {
                next[b] = first[k->blocks[b].ipdom];
                first[k->blocks[b].ipdom] = b;
            }
        for (int32_t join = 0; join < k->nblocks; join++)
            if (first[join] >= 0)
                find_before(&f, join, first[join], next, room + 2 * n);
        mark_leaving(&f);
        alloc_release(room);
    }
    alloc_release(f.place);
    alloc_release(f.last);
    alloc_release(f.points);
    alloc_release(f.joins);
}
