/* Predicated regions: the blocks between a branch whose lanes may part and the place where all of them have met again, and the
 * order in which machine code does them for lanes that went different ways (form_writer.c writes it; docs/jit.md has the reasons).
 *
 * A predicated region is all blocks that are reached from the branch without passing its join. They lie in a row, so that every
 * way leads forwards but those of loops, and of a branch's two ways the one that is branched to comes first, as in the
 * interpreter. Each block has lanes that wait for it. One after the other does its instructions for them, and behind the
 * last block with a way back to an earlier one that one is done again as long as lanes wait there.
 *
 * What waiting lanes need must not be lost: find_needed knows which registers are alive where lanes may wait while a block
 * is done. Vectors of these are blended by the mask at the block's end; scalars of these must not be written at all, or
 * the region is none. Nor is it one where the order of stores and atomics could be another than the interpreter's: it
 * lets lanes that parted again take turns. */
#include "jit/llvm/emitter.h"

#include "base/alloc.h"
#include "interp/step.h"

#include <string.h>

enum { MOST_INSTRUCTIONS = 64, MOST_WITH_LOOPS = 256, /* that lanes leave one by one */ MOST_BLOCKS = JIT_MOST_WAITING - 1 };

int32_t region_block_behind(const struct emit *e, int32_t block)
{
    const struct ir_block *b = &e->k->blocks[block];
    int32_t next = b->first + b->count;
    return next < e->k->ninsts ? e->k->insts[next].block : -1;
}

struct ends region_ends_of(const struct emit *e, int32_t block)
{
    const struct ir_block *b = &e->k->blocks[block];
    const struct ir_inst *last = &e->k->insts[b->first + b->count - 1];
    struct ends d = {region_block_behind(e, block), -1, false};
    if (last->op != PTX_OP_BRA)
        return d;
    d.target = last->target;
    d.parts = last->guard != IR_NOREG && !reg_scalar(e, last->guard);
    if (last->guard == IR_NOREG)
        d.next = -1;
    return d;
}

/* Every instruction may be done for some lanes, and nothing waits. */
static bool doable(const struct emit *e, int32_t block)
{
    const struct ir_block *b = &e->k->blocks[block];
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_inst *in = &e->k->insts[i];
        const struct step *st = &e->job->code->step[i];
        bool branch = in->op == PTX_OP_BRA && i + 1 == b->first + b->count && !st->level && !in->after_call;
        if ((!branch && !step_is_plain(st)) || emit_ends_turn(e, i))
            return false;
    }
    return true;
}

/* --- the row --- */

static const struct ir_inst *last_of(const struct emit *e, int32_t block)
{
    return &e->k->insts[e->k->blocks[block].first + e->k->blocks[block].count - 1];
}

/* Each block's number in an order in which every way but a loop's back leads to a higher one; of a branch's two ways the
 * one branched to has lower ones, if it is not where lanes meet. */
static void number_blocks(struct emit *e)
{
    int32_t n = e->k->nblocks, sp = 0, left = n, *stack = alloc_zeroed(((size_t)n + 1) * sizeof *stack);
    uint8_t *at = alloc_zeroed((size_t)n + 1); /* 1, 2: the way behind it, and where it branches to, come next */
    e->rank = alloc_zeroed(((size_t)n + 1) * sizeof *e->rank);
    at[0] = 1;
    stack[sp++] = 0;
    while (sp) {
        int32_t block = stack[sp - 1], to = -1;
        struct ends d = region_ends_of(e, block);
        bool waits = d.target >= 0 && d.target == last_of(e, block)->join; /* not before the other way's, a loop's above all */
        if (at[block] < 3)
            to = (at[block]++ == 1) == waits ? d.target : d.next;
        else
            e->rank[stack[--sp]] = --left;
        if (to >= 0 && !at[to]) {
            at[to] = 1;
            stack[sp++] = to;
        }
    }
    alloc_release(stack);
    alloc_release(at);
}

struct search {
    const struct emit *e;
    struct region *r;
    uint8_t *seen; /* [nblocks] */
    int instructions;
};

/* Adds the block and those behind it. False: it is none, or there are too many. */
static bool visit(struct search *s, int32_t block)
{
    struct region *r = s->r;
    if (block == r->join || (block >= 0 && s->seen[block]))
        return true;
    if (block < 0 || r->n == MOST_BLOCKS || !doable(s->e, block))
        return false;
    s->seen[block] = 1;
    s->instructions += s->e->k->blocks[block].count;
    int i = r->n++;
    for (; i && s->e->rank[r->block[i - 1]] > s->e->rank[block]; i--)
        r->block[i] = r->block[i - 1];
    r->block[i] = block;
    struct ends d = region_ends_of(s->e, block);
    if (s->instructions > MOST_WITH_LOOPS || (d.next < 0 && d.target < 0))
        return false;
    return (d.next < 0 || visit(s, d.next)) && (d.target < 0 || visit(s, d.target));
}

static bool find_row(struct search *s, const struct ir_inst *branch)
{
    struct region *r = s->r;
    if (!visit(s, region_block_behind(s->e, branch->block)) || !visit(s, branch->target))
        return false;
    for (int32_t b = 0; b < s->e->k->nblocks; b++)
        r->at[b] = -1;
    for (int i = 0; i < r->n; i++) {
        r->at[r->block[i]] = i;
        r->end[i] = -1;
    }
    r->at[r->join] = r->n;
    for (int i = 0; i < r->n; i++) {
        struct ends d = region_ends_of(s->e, r->block[i]);
        int32_t to[2] = {d.next, d.target};
        for (int j = 0; j < 2; j++)
            if (to[j] >= 0 && r->at[to[j]] <= i)
                r->end[r->at[to[j]]] = i;
    }
    return true;
}

/* A loop of the region around both places. */
static bool loop_around(const struct region *r, int a, int b)
{
    for (int i = 0; i < r->n; i++)
        if (i <= a && i <= b && a <= r->end[i] && b <= r->end[i])
            return true;
    return false;
}

bool region_loops(const struct region *r, int nth)
{
    return loop_around(r, nth, nth);
}

/* Lanes may leave a loop one by one. */
static bool has_parting_loop(const struct emit *e, const struct region *r)
{
    for (int i = 0; i < r->n; i++)
        if (region_ends_of(e, r->block[i]).parts && region_loops(r, i))
            return true;
    return false;
}

/* --- what waiting lanes need --- */

/* Marks the places that may be done while lanes wait for place `at`, from what follows place i on. */
static void follow(const struct region *r, int i, int at, uint8_t *done)
{
    for (;;) {
        for (int back = i; back >= 0; back--) /* inner loops first */
            if (r->end[back] == i) {
                if (back == at)
                    return;
                if (!done[back]) {
                    done[back] = 1;
                    follow(r, back, at, done);
                }
            }
        if (++i >= r->n || i == at || done[i])
            return;
        done[i] = 1;
    }
}

static void add_waiting(const struct emit *e, struct region *r, int from, int32_t block)
{
    uint8_t done[MOST_BLOCKS] = {0};
    if (block < 0)
        return;
    follow(r, from, r->at[block], done);
    for (int i = 0; i < r->n; i++)
        for (size_t w = 0; w < e->words && done[i]; w++)
            r->needed[(size_t)i * e->words + w] |= e->k->blocks[block].live_in[w];
}

static void find_needed(const struct emit *e, struct region *r, const struct ir_inst *branch)
{
    for (int i = 0; i < r->n; i++) {
        struct ends d = region_ends_of(e, r->block[i]);
        add_waiting(e, r, i, d.next);
        add_waiting(e, r, i, d.target);
    }
    if (r->at[branch->block] < 0) {
        add_waiting(e, r, -1, region_block_behind(e, branch->block));
        add_waiting(e, r, -1, branch->target);
    }
}

static bool scalars_kept(const struct emit *e, const struct region *r)
{
    for (int i = 0; i < r->n; i++) {
        const struct ir_block *b = &e->k->blocks[r->block[i]];
        for (int32_t s = b->first; s < b->first + b->count; s++)
            for (int d = 0; d < e->k->insts[s].ndst; d++) {
                int32_t reg = e->k->insts[s].dst[d];
                if (reg != IR_NOREG && reg_scalar(e, reg) && ir_bit(region_needed(e, r, i), reg))
                    return false;
            }
    }
    return true;
}

/* --- what is done to memory --- */

static bool writes(const struct step *st)
{
    switch (st->kind) {
    case STEP_LANES:
    case STEP_LOAD:
    case STEP_SREG:
    case STEP_CVTA:
    case STEP_ISSPACEP:
    case STEP_COUNTED:
    case STEP_NOP:
    case STEP_BRANCH:
        return false;
    default:
        return true;
    }
}

/* Others than the thread itself may see it. */
static bool writes_for_others(const struct step *st)
{
    bool own = st->kind == STEP_STORE && (st->in->space == PTX_LOCAL || st->in->space == IR_SCRATCH);
    return writes(st) && !own;
}

/* It may find that machine code is not for this warp: then the block is done again, by the interpreter. */
static bool may_give_up(const struct emit *e, const struct ir_inst *in)
{
    int64_t lo[SHAPE_GROUPS], hi[SHAPE_GROUPS];
    return shape_guarded_source(e->k, e->s, e->job->dim, in, lo, hi) >= 0;
}

static bool can_be_done_again(const struct emit *e, const struct region *r)
{
    for (int i = 0; i < r->n; i++) {
        const struct ir_block *b = &e->k->blocks[r->block[i]];
        bool written = false; /* or counted */
        for (int32_t s = b->first; s < b->first + b->count; s++) {
            const struct ir_inst *in = &e->k->insts[s];
            if (written && may_give_up(e, in))
                return false;
            written |= writes(&e->job->code->step[s]);
            written |= e->job->counting && (step_touches_memory(&e->job->code->step[s]) || in->guard != IR_NOREG);
        }
    }
    return true;
}

static bool block_has(const struct emit *e, int32_t block, bool (*what)(const struct step *st))
{
    const struct ir_block *b = &e->k->blocks[block];
    for (int32_t s = b->first; s < b->first + b->count; s++)
        if (what(&e->job->code->step[s]))
            return true;
    return false;
}

/* One of a branch's ways, until its join. */
struct side {
    uint8_t on[MOST_BLOCKS]; /* places */
    bool memory, parts;
};

static void walk(const struct emit *e, const struct region *r, int32_t block, int32_t join, struct side *s)
{
    if (block < 0 || block == join || block == r->join || s->on[r->at[block]])
        return;
    struct ends d = region_ends_of(e, block);
    s->on[r->at[block]] = 1;
    s->memory |= block_has(e, block, step_touches_memory) || block_has(e, block, writes_for_others);
    s->parts |= d.parts;
    walk(e, r, d.next, join, s);
    walk(e, r, d.target, join, s);
}

/* Both ways of a branch. False: lanes do not meet at its join only. */
static bool walk_both(const struct emit *e, const struct region *r, const struct ir_inst *branch, struct side *first, struct side *second)
{
    *first = *second = (struct side){.memory = false};
    if (!branch->joined || branch->reconvergence)
        return false;
    walk(e, r, branch->target, branch->join, first);
    walk(e, r, region_block_behind(e, branch->block), branch->join, second);
    return true;
}

/* Lanes that part here and meet at `join` do what they do to memory in the interpreter's order: only on one way, or the
 * first way's lanes stay together and are done with before the others'. */
static bool in_turn(const struct emit *e, const struct region *r, const struct ir_inst *branch)
{
    struct side first, second;
    if (!walk_both(e, r, branch, &first, &second))
        return false;
    if (!first.memory || !second.memory)
        return true;
    bool behind = false; /* blocks of the second way have come */
    for (int i = 0; i < r->n; i++) {
        behind |= second.on[i] && i > r->at[branch->block];
        if (first.on[i] && (second.on[i] || behind || i < r->at[branch->block]))
            return false;
    }
    return !first.parts;
}

/* Lanes that part here do no block together before they meet at the branch's join: so the lanes that do a block at a time
 * are one split of the interpreter's. */
static bool apart_until_join(const struct emit *e, const struct region *r, const struct ir_inst *branch)
{
    struct side first, second;
    if (!walk_both(e, r, branch, &first, &second))
        return false;
    for (int i = 0; i < r->n; i++)
        if (first.on[i] && second.on[i])
            return false;
    return true;
}

/* Counts are to be the interpreter's. */
static bool countable(const struct emit *e, const struct region *r, const struct ir_inst *branch)
{
    bool ok = !e->job->counting || apart_until_join(e, r, branch);
    for (int i = 0; i < r->n && ok && e->job->counting; i++) {
        const struct ir_block *b = &e->k->blocks[r->block[i]];
        ok = !region_ends_of(e, r->block[i]).parts || apart_until_join(e, r, &e->k->insts[b->first + b->count - 1]);
    }
    return ok;
}

static bool in_order(const struct emit *e, const struct region *r, const struct ir_inst *branch)
{
    bool any = false;
    for (int i = 0; i < r->n; i++)
        any |= block_has(e, r->block[i], writes_for_others);
    if (any && !in_turn(e, r, branch))
        return false;
    for (int i = 0; i < r->n && any; i++) {
        const struct ir_block *b = &e->k->blocks[r->block[i]];
        if (region_ends_of(e, r->block[i]).parts && !in_turn(e, r, &e->k->insts[b->first + b->count - 1]))
            return false;
    }
    return true;
}

/* --- all of it --- */

struct region *region_with(const struct emit *e, const struct ir_inst *branch)
{
    for (struct region *r = e->regions; r; r = r->next) {
        int at = r->at[branch->block], join = branch->joined ? r->at[branch->join] : -1;
        if (at >= 0 && (join == r->n || (join >= 0 && !loop_around(r, at, join))))
            return r;
    }
    return NULL;
}

void region_release(struct region *r)
{
    while (r) {
        struct region *next = r->next;
        alloc_release(r->block);
        alloc_release(r->at);
        alloc_release(r->end);
        alloc_release(r->needed);
        alloc_release(r);
        r = next;
    }
}

struct region *region_row(struct emit *e, const struct ir_inst *branch)
{
    const struct ir_kernel *k = e->k;
    const struct step *st = &e->job->code->step[branch - k->insts];
    if (leaves_records(e) || branch->op != PTX_OP_BRA || !branch->joined || st->level || branch->after_call)
        return NULL;
    if (!e->rank)
        number_blocks(e);
    struct region *r = alloc_zeroed(sizeof *r);
    struct search s = {.e = e, .r = r, .seen = alloc_zeroed((size_t)k->nblocks + 1)};
    r->join = branch->join;
    r->block = alloc_zeroed((MOST_BLOCKS + 1) * sizeof *r->block);
    r->end = alloc_zeroed((MOST_BLOCKS + 1) * sizeof *r->end);
    r->at = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *r->at);
    bool ok = find_row(&s, branch);
    alloc_release(s.seen);
    if (ok && (s.instructions <= MOST_INSTRUCTIONS || has_parting_loop(e, r)))
        return r;
    region_release(r);
    return NULL;
}

struct region *region_find(struct emit *e, const struct ir_inst *branch)
{
    struct region *r = region_row(e, branch);
    bool ok = r != NULL;
    if (ok) {
        r->needed = alloc_zeroed((size_t)(r->n + 1) * e->words * 8);
        find_needed(e, r, branch);
        ok = scalars_kept(e, r) && can_be_done_again(e, r) && in_order(e, r, branch) && countable(e, r, branch);
    }
    if (ok)
        return r;
    region_release(r);
    return NULL;
}
