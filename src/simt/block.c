/* Blocks: layout in memory, barriers, and what to say when nothing can run (see warp.h). */
#include "simt/warp.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static size_t aligned(size_t n)
{
    return (n + 63) / 64 * 64;
}

static size_t async_bytes(const struct launch *l)
{
    return l->kernel && l->kernel->has_async ? aligned(sizeof(struct async_queue)) : 0;
}

static size_t bytes_of_warp(const struct launch *l)
{
    return aligned(l->reg_bytes) + aligned((size_t)l->local_bytes * WARP_LANES) + async_bytes(l);
}

size_t block_bytes(const struct launch *l)
{
    size_t nwarps = (size_t)l->warps_per_block;
    return aligned(sizeof(struct block)) + aligned(nwarps * sizeof(struct warp)) + nwarps * bytes_of_warp(l) +
           aligned(l->shared_bytes + 16) + block_aside_bytes(l);
}

size_t block_aside_bytes(const struct launch *l)
{
    return aligned((size_t)l->warps_per_block * sizeof(struct warp_aside));
}

char *block_first_regs(const struct launch *l, void *memory)
{
    return (char *)memory + aligned(sizeof(struct block)) + aligned((size_t)l->warps_per_block * sizeof(struct warp));
}

static void place(struct launch *l, struct block *b, uint64_t index)
{
    uint64_t rows = 0;
    b->index = index;
    if (index < l->grid[0]) { /* grids of one row: no division */
        b->id[0] = (uint32_t)index;
    } else {
        rows = index / l->grid[0];
        b->id[0] = (uint32_t)(index - rows * l->grid[0]);
    }
    b->id[1] = (uint32_t)(rows < l->grid[1] ? rows : rows % l->grid[1]);
    b->id[2] = (uint32_t)(rows < l->grid[1] ? 0 : rows / l->grid[1]);
}

/* Local memory of a warp: of each lane the first `used` bytes, and what lies behind local_size (scratch). */
static void clear_local(const struct launch *l, char *local, uint32_t used)
{
    uint32_t behind = (l->local_size + 15) / 16 * 16;
    if (used == l->local_size) {
        memset(local, 0, (size_t)l->local_bytes * WARP_LANES);
        return;
    }
    for (int i = 0; i < WARP_LANES; i++) {
        char *lane = local + (size_t)i * l->local_bytes;
        memset(lane, 0, used);
        memset(lane + behind, 0, l->local_bytes - behind);
    }
}

/* What a thread may read before it writes is zero, whoever had the memory before: another block, or the host. */
static void clear(const struct launch *l, struct block *b)
{
    for (int i = 0; i < b->nwarps && l->local_bytes; i++)
        clear_local(l, block_local(b, i), b->local_used);
    for (int i = 0; i < b->nwarps && l->early_reads; i++)
        memset(block_regs(b, i), 0, l->reg_bytes);
    if (l->shared_bytes)
        memset(b->shared, 0, l->shared_bytes);
    b->local_used = l->kernel && l->kernel->recursive ? (l->kernel->local_bytes + 15) / 16 * 16 : l->local_size;
}

void block_open_apart(const struct launch *l, void *memory, void *aside)
{
    struct block *b = memory;
    b->local_used = l->local_size;
    b->aside = aside;
}

void block_open(const struct launch *l, void *memory)
{
    block_open_apart(l, memory, (char *)memory + block_bytes(l) - block_aside_bytes(l));
}

struct block *block_start(struct launch *l, void *memory, uint64_t index, uint16_t sm, struct record *ring,
                          struct record_values *values)
{
    struct block *b = memory;
    b->launch = l;
    b->sm = sm;
    place(l, b, index);
    b->nwarps = l->warps_per_block;
    b->warps_done = 0;
    b->faulted = b->nwarps;
    b->begun = false;
    b->text = NULL;
    b->warps = (struct warp *)((char *)memory + aligned(sizeof *b));
    b->of_warps = block_first_regs(l, memory);
    b->warp_bytes = bytes_of_warp(l);
    b->ring = ring;
    b->values = values;
    b->shared = b->of_warps + (size_t)b->nwarps * b->warp_bytes;
    clear(l, b);
    return b;
}

void block_begin(struct block *b)
{
    const struct launch *l = b->launch;
    b->begun = true;
    b->threads_alive = l->threads;
    memset(b->barrier, 0, sizeof b->barrier);
    b->waiting = 0;
    b->phases = 0;
    for (int i = 0; i < b->nwarps; i++) {
        struct warp *w = &b->warps[i];
        w->block = b;
        w->index = (uint16_t)i;
        w->regs = block_regs(b, i);
        w->local = block_local(b, i);
        w->async = async_bytes(l) ? (struct async_queue *)(w->local + aligned((size_t)l->local_bytes * WARP_LANES)) : NULL;
        if (w->async)
            memset(w->async, 0, offsetof(struct async_queue, copy));
        w->ring = b->ring;
        w->values = b->values;
        w->join = b->aside[i].join;
        w->thread = b->aside[i].thread;
        if (l->lane_by_lane)
            memset(b->aside[i].thread, 0, sizeof b->aside[i].thread);
        warp_start(w, l->threads - (uint32_t)i * WARP_LANES);
    }
}

/* --- barriers --- */

/* `w` is the warp that was last to come, or to exit. */
static void complete(struct warp *w, int32_t site, unsigned id)
{
    struct barrier *bar = &w->block->barrier[id];
    warp_event(w, site, RECORD_COMPLETE, 0, id);
    bar->result_popc = bar->red_popc;
    bar->result_and = bar->red_and;
    bar->result_or = bar->red_or;
    bar->arrived = 0;
    bar->expected = 0;
    bar->red_popc = 0;
    bar->red_or = false;
    bar->generation++;
    w->block->waiting &= ~(1u << id);
    w->block->phases++;
}

/* Lanes that count for an arrival: with an explicit count the hardware counts whole warps (PTX ISA 9.7.13.1). */
static uint32_t arrivals(const struct warp *w, uint32_t mask, uint32_t expected)
{
    return expected && mask == w->alive ? WARP_LANES : (uint32_t)__builtin_popcount(mask);
}

/* From here on a lane only leaves the kernel. */
static bool only_exits(const struct ir_kernel *k, int32_t pc)
{
    enum { HOPS = 8 };

    for (int i = 0; i < HOPS; i++) {
        const struct ir_inst *in = &k->insts[pc];

        if (in->guard != IR_NOREG || !ir_is(in, PTX_KIND_BRANCH))
            return in->guard == IR_NOREG && ir_is_end(in);
        pc = k->blocks[in->target].first;
    }
    return false;
}

/* Lanes of the warp, other than the running split's and those at barriers, that have more to do than to exit. */
static uint32_t busy(const struct warp *w)
{
    const struct ir_kernel *k = w->block->launch->kernel;
    uint32_t lanes = 0;

    for (int i = 0; i < w->nsplits; i++)
        if (i != w->current && w->split[i].state != SPLIT_BARRIER && !only_exits(k, w->split[i].pc))
            lanes |= w->split[i].mask;
    for (int j = warp_join_next(w, 0); j < WARP_MAX_JOINS; j = warp_join_next(w, j + 1))
        if (!only_exits(k, w->join[j].pc))
            lanes |= w->join[j].arrived;
    return lanes;
}

bool block_barrier(struct warp *w, unsigned id, uint32_t expected, int kind, uint32_t truth)
{
    struct block *b = w->block;
    struct split *s = &w->split[w->current];
    struct barrier *bar = &b->barrier[id];
    if (!bar->arrived) {
        bar->red_and = true;
        bar->expected = expected;
        b->waiting |= 1u << id;
    }
    bar->arrived += arrivals(w, s->mask, expected);
    bar->red_popc += (uint32_t)__builtin_popcount(truth & s->mask);
    bar->red_or |= (truth & s->mask) != 0;
    bar->red_and &= (truth & s->mask) == s->mask;
    uint32_t generation = bar->generation;
    struct record *r = warp_event(w, s->pc, RECORD_ARRIVE, s->mask, id);
    if (r) {
        r->elem = kind != PTX_BAR_ARRIVE;
        r->addr[1] = s->mask == w->alive ? 0 : busy(w);
    }
    if (bar->arrived >= (bar->expected ? bar->expected : b->threads_alive)) {
        complete(w, s->pc, id);
        return true;
    }
    if (kind == PTX_BAR_ARRIVE)
        return true;
    s->state = SPLIT_BARRIER;
    s->barrier = (uint8_t)id;
    s->generation = generation;
    return false;
}

bool block_grid_sync(struct warp *w)
{
    struct launch *l = w->block->launch;
    struct split *s = &w->split[w->current];
    uint32_t generation = __atomic_load_n(&l->grid_generation, __ATOMIC_SEQ_CST);
    if (__atomic_add_fetch(&l->grid_arrived, 1, __ATOMIC_SEQ_CST) == l->nblocks) {
        __atomic_store_n(&l->grid_arrived, 0, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&l->grid_generation, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    s->state = SPLIT_GRID;
    s->generation = generation;
    return false;
}

bool block_waits_for_grid(const struct block *b)
{
    for (int i = 0; i < b->nwarps; i++)
        for (int k = 0; k < b->warps[i].nsplits; k++)
            if (b->warps[i].split[k].state == SPLIT_GRID)
                return true;
    return false;
}

void block_check_barriers(struct warp *w)
{
    struct block *b = w->block;
    for (uint32_t left = b->waiting; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctz(left);
        if (!b->barrier[id].expected && b->barrier[id].arrived >= b->threads_alive)
            complete(w, 0, id);
    }
}

void block_wake(struct warp *w)
{
    for (int i = 0; i < w->nsplits; i++) {
        struct split *s = &w->split[i];
        if (s->state == SPLIT_BARRIER && w->block->barrier[s->barrier].generation != s->generation) {
            s->state = SPLIT_READY;
            s->passed = true;
        } else if (s->state == SPLIT_GRID &&
                   __atomic_load_n(&w->block->launch->grid_generation, __ATOMIC_SEQ_CST) != s->generation) {
            s->state = SPLIT_READY;
            s->passed = true;
        }
    }
}

/* --- faults --- */

void launch_stop(struct launch *l, uint64_t block)
{
    uint64_t *at = l->stops_later ? &l->stop_next : &l->stop_at, now = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (block < now && !__atomic_compare_exchange_n(at, &now, block, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void launch_stop_now(struct launch *l)
{
    __atomic_store_n(&l->stop_at, __atomic_load_n(&l->stop_next, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* Of the block, the thread (if there is one) and the place. */
static struct fault place_of(const struct launch *l, const struct warp *w, int32_t site, int lane)
{
    struct fault f = {.block = w ? w->block->index : 0, .warp = w ? w->index : 0, .site = site, .lane = lane, .element = -1};
    if (w)
        memcpy(f.block_id, w->block->id, sizeof f.block_id);
    for (int i = 0; w && i < 3 && lane >= 0; i++)
        f.thread_id[i] = l->tid[w->index][i][lane];
    return f;
}

/* Is it told rather than `known`? */
static bool comes_first(const struct warp *w, const struct fault *known)
{
    uint64_t block = w ? w->block->index : 0;
    return block < known->block || (block == known->block && w && w->index < known->warp);
}

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;

static void note_fault(struct launch *l, const struct warp *w, int status, int32_t site, int lane, int element, uint64_t address,
                       unsigned bytes, const char *text)
{
    pthread_mutex_lock(&fault_lock);
    if (!l->fault_set || comes_first(w, &l->fault)) {
        l->fault = place_of(l, w, site, lane);
        l->fault.status = status;
        l->fault.element = element;
        l->fault.address = address;
        l->fault.bytes = bytes;
        l->fault.text = text ? arena_strdup(&l->arena, text) : NULL;
        l->fault_set = true;
    }
    pthread_mutex_unlock(&fault_lock);
}

void launch_stray(struct launch *l, const struct warp *w, int32_t site, int lane, int element, uint64_t address, unsigned bytes)
{
    pthread_mutex_lock(&fault_lock);
    if (!l->stray_set || comes_first(w, &l->stray)) {
        l->stray = place_of(l, w, site, lane);
        l->stray.element = element;
        l->stray.address = address;
        l->stray.bytes = bytes;
        l->stray_set = true;
    }
    pthread_mutex_unlock(&fault_lock);
}

void launch_fault(struct launch *l, const struct warp *w, int status, int32_t site, int lane, uint64_t address,
                  unsigned bytes, const char *text)
{
    launch_fault_element(l, w, status, site, lane, -1, address, bytes, text);
}

void launch_fault_element(struct launch *l, const struct warp *w, int status, int32_t site, int lane, int element, uint64_t address,
                          unsigned bytes, const char *text)
{
    note_fault(l, w, status, site, lane, element, address, bytes, text);
    if (w && w->index < w->block->faulted)
        w->block->faulted = w->index;
    launch_stop(l, w ? w->block->index + 1 : 0);
}

void launch_fault_later(struct launch *l, const struct warp *w, int status, int32_t site, int lane)
{
    note_fault(l, w, status, site, lane, -1, 0, 0, NULL);
}

/* Warps that wait in the same way are told of once. */
static bool same_wait(const struct warp *a, const struct warp *b)
{
    if (a->nsplits != b->nsplits || a->alive != b->alive)
        return false;
    for (int i = 0; i < a->nsplits; i++) {
        const struct split *x = &a->split[i], *y = &b->split[i];
        if (x->pc != y->pc || x->mask != y->mask || x->state != y->state || x->barrier != y->barrier ||
            (x->state == SPLIT_SYNC && x->sync_mask != y->sync_mask))
            return false;
    }
    for (int i = 0; i < WARP_MAX_JOINS; i++) {
        const struct join *x = &a->join[i], *y = &b->join[i];
        bool waits = warp_join_used(a, i) && x->arrived;
        if (waits != (warp_join_used(b, i) && y->arrived) || (waits && (x->pc != y->pc || x->arrived != y->arrived)))
            return false;
    }
    return true;
}

static void describe_lanes(struct strbuf *out, const char *what, const struct warp *first, int last, uint32_t mask,
                           int32_t site)
{
    const struct ir_inst *in = &first->block->launch->kernel->insts[site];
    if (last > first->index)
        strbuf_addf(out, "    warps %d to %d, ", first->index, last);
    else
        strbuf_addf(out, "    warp %d, ", first->index);
    if (mask == first->alive)
        strbuf_addf(out, "all %d lanes", __builtin_popcount(mask));
    else
        strbuf_addf(out, "%d lanes (0x%08x)", __builtin_popcount(mask), mask);
    strbuf_addf(out, "%s: %s", last > first->index ? " each" : "", what);
    if (in->from->loc && in->from->loc->line)
        strbuf_addf(out, ", at %s:%d", diag_file(in->from->loc->file), in->from->loc->line);
    if (in->from->ptx_line)
        strbuf_addf(out, " (PTX line %d)", in->from->ptx_line);
    strbuf_adds(out, "\n");
}

static void describe_splits(struct strbuf *out, const struct block *b, const struct warp *w, int last)
{
    for (int s = 0; s < w->nsplits; s++) {
        const struct split *sp = &w->split[s];
        const struct barrier *bar = &b->barrier[sp->barrier];
        char what[80];
        if (sp->state == SPLIT_BARRIER)
            snprintf(what, sizeof what, "wait at barrier %d, which has %u of %u threads", sp->barrier, bar->arrived,
                     bar->expected ? bar->expected : b->threads_alive);
        else if (sp->state == SPLIT_SYNC)
            snprintf(what, sizeof what, "wait for lanes 0x%08x of the warp", sp->sync_mask);
        else if (sp->state == SPLIT_GRID)
            snprintf(what, sizeof what, "wait for the other blocks of the grid, some of which have ended");
        else
            snprintf(what, sizeof what, "are running");
        describe_lanes(out, what, w, last, sp->mask, sp->pc);
    }
    for (int j = warp_join_next(w, 0); j < WARP_MAX_JOINS; j = warp_join_next(w, j + 1))
        if (w->join[j].arrived)
            describe_lanes(out, "wait for the other lanes of the branch", w, last, w->join[j].arrived, w->join[j].pc);
}

void block_describe_wait(const struct block *b, struct strbuf *out)
{
    enum { MOST = 16 };
    int groups = 0;
    strbuf_addf(out, "  block (%u,%u,%u), %u of %u threads alive:\n", b->id[0], b->id[1], b->id[2], b->threads_alive,
                b->launch->threads);
    for (int i = 0, last; i < b->nwarps; i = last + 1) {
        for (last = i; last + 1 < b->nwarps && same_wait(&b->warps[i], &b->warps[last + 1]); last++)
            ;
        if (++groups > MOST) {
            strbuf_addf(out, "    and warps %d to %d\n", i, b->nwarps - 1);
            return;
        }
        describe_splits(out, b, &b->warps[i], last);
    }
}
