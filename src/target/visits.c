/* See visits.h. What an instruction reads is alive behind it: the counter and what it is compared with are read in the loop. */
#include "target/visits.h"

#include "base/alloc.h"
#include "target/pace.h"
#include "ir/cfg.h"
#include "ir/edit.h"

#include <string.h>

/* For lanes that come from the block, which goes to the loop's header perhaps. */
static struct ir_inst trips_of(struct ir_kernel *k, const struct target_loop *l, int32_t block)
{
    static const struct ptx_mods none;
    const struct ir_block *b = &k->blocks[block];
    const struct ir_inst *end = &k->insts[b->first + b->count - 1];
    struct ir_inst in = {.op = IR_OP_TRIPS, .type = l->type, .guard = IR_NOREG, .vec = 1, .target = l->trips, .mods = &none, .from = end->from,
                         .block = block, .join = -1};
    IR_SET_SOURCES(k, &in, ir_of_reg(l->reg), l->bound);
    if (ir_is_conditional(end)) {
        in.guard = end->guard;
        in.guard_negated = end->guard_negated != (end->target != l->header);
    }
    return in;
}

static bool is_in(const struct ir_kernel *k, int32_t header, int32_t block)
{
    const struct ir_loop *loop = ir_loop_at(k, header);
    return loop && ir_bit(loop->blocks, block);
}

/* The instructions at the end of a block, behind out[n]; answers how many there are then. */
static int32_t put_trips(struct ir_kernel *k, const struct target_tables *t, int32_t block, struct ir_inst *out, int32_t n)
{
    for (int32_t i = 0; i < t->nloops; i++) {
        const struct ir_block *header = &k->blocks[t->loops[i].header];
        for (int32_t p = 0; t->loops[i].trips >= 0 && p < header->npred; p++)
            if (header->pred[p] == block && !is_in(k, t->loops[i].header, block))
                out[n++] = trips_of(k, &t->loops[i], block);
    }
    return n;
}

static int32_t edges(const struct ir_kernel *k, const struct target_tables *t)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->nloops; i++)
        n += t->loops[i].trips >= 0 ? k->blocks[t->loops[i].header].npred : 0;
    return n;
}

/* A table of sites, each of `bytes` bytes: before and now; of those that are new the pattern `empty`. */
static void *moved(struct ir_kernel *k, const void *table, size_t bytes, int empty, const int32_t *was, int32_t n)
{
    char *out = arena_alloc(&k->arena, ((size_t)n + 1) * bytes);
    memset(out, empty, ((size_t)n + 1) * bytes);
    for (int32_t i = 0; i < n; i++)
        if (was[i] >= 0)
            memcpy(out + (size_t)i * bytes, (const char *)table + (size_t)was[i] * bytes, bytes);
    return out;
}

/* Before the quotient or root that it looks at the operands of. */
static struct ir_inst look_of(struct ir_kernel *k, const struct target_long_way *w, int32_t number)
{
    static const struct ptx_mods none;
    const struct ir_inst *root = &k->insts[w->site];
    struct ir_inst in = {.op = IR_OP_LONG_WAY, .type = root->type, .guard = root->guard, .guard_negated = root->guard_negated, .vec = 1,
                         .target = number, .mods = &none, .from = root->from, .block = root->block, .join = -1};
    ir_set_sources(k, &in, root->nsrc, root->src);
    k->long_ways[number] = w->way;
    return in;
}

void visits_insert(struct ir_kernel *k, struct target_tables *t)
{
    int32_t most = edges(k, t) + t->nlong_ways, n = 0;
    if (!most)
        return;
    k->trips = ARENA_ARRAY(&k->arena, struct ir_trips, t->nloops);
    for (int32_t i = 0; i < t->nloops; i++)
        if (t->loops[i].trips >= 0)
            k->trips[k->ntrips++] = t->loops[i].counter;
    struct ir_inst *insts = alloc_zeroed(((size_t)k->ninsts + (size_t)most + 1) * sizeof *insts);
    int32_t *was = alloc_zeroed(((size_t)k->ninsts + (size_t)most + 1) * sizeof *was);
    memset(was, -1, ((size_t)k->ninsts + (size_t)most + 1) * sizeof *was);
    k->long_ways = ARENA_ARRAY(&k->arena, uint8_t, t->nlong_ways + 1);
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *block = &k->blocks[b];
        int32_t first = n, end = block->first + block->count;
        for (int32_t i = block->first; i < end; i++) {
            bool goes = i + 1 == end && cfg_ends_block(&k->insts[i]);
            n = goes ? put_trips(k, t, b, insts, n) : n;
            if (k->nlong_ways < t->nlong_ways && t->long_ways[k->nlong_ways].site == i) {
                insts[n++] = look_of(k, &t->long_ways[k->nlong_ways], k->nlong_ways);
                t->long_ways[k->nlong_ways++].site = n;
            }
            was[n] = i;
            insts[n++] = k->insts[i];
            n = i + 1 == end && !goes ? put_trips(k, t, b, insts, n) : n;
        }
        block->first = first;
        block->count = n - first;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = n;
    t->flops = moved(k, t->flops, sizeof *t->flops, 0, was, n);
    t->sixteenths = moved(k, t->sixteenths, sizeof *t->sixteenths, 0, was, n);
    t->turns = moved(k, t->turns, sizeof *t->turns, 0, was, n);
    t->guarded = moved(k, t->guarded, sizeof *t->guarded, 0, was, n);
    t->held = moved(k, t->held, sizeof *t->held, 0, was, n);
    t->loop = moved(k, t->loop, sizeof *t->loop, -1, was, n);
    t->flow = moved(k, t->flow, sizeof *t->flow, 0, was, n);
    t->unrolled = moved(k, t->unrolled, sizeof *t->unrolled, 0, was, n);
    t->early = moved(k, t->early, sizeof *t->early, 0, was, n);
    t->pace->first = moved(k, t->pace->first, sizeof *t->pace->first, -1, was, n);
    for (int32_t s = 0, i = 0; s < t->nspills; s++) { /* in the order of sites */
        while (was[i] != t->spills[s].site)
            i++;
        t->spills[s].site = i;
    }
    alloc_release(was);
}
