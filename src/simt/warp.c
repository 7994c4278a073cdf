/* Splits and joins of a warp (see warp.h).
 *
 * Invariants: the masks of the splits and the arrived lanes of the joins are disjoint and together are the lanes
 * alive; a join's expected lanes are the lanes of every split and join below it that have not gone on without it. */
#include "simt/warp.h"

#include <string.h>

void warp_start(struct warp *w, uint32_t lanes)
{
    w->alive = lanes >= WARP_LANES ? ~0u : (1u << lanes) - 1;
    w->nsplits = 1;
    w->current = 0;
    w->clock = w->busy = w->span = w->units = w->passes = 0;
    w->hold = w->spinning = w->failed = w->interpreted = w->kept = w->apart = w->left = false;
    w->waits = w->in_vain = 0;
    w->path = 0;
    w->nrecords = 0;
    w->split[0] = (struct split){.mask = w->alive, .join = -1};
    memset(w->joins, 0, sizeof w->joins);
}

struct record *warp_event(struct warp *w, int32_t site, enum record_op op, uint32_t mask, uint64_t what)
{
    struct record *r;
    const struct launch *l = w->block->launch;
    if (op >= RECORD_COMMIT ? !l->copies : !l->watch && !(op == RECORD_FENCE && l->fences))
        return NULL;
    r = &w->ring[w->nrecords++];
    r->site = (uint32_t)site;
    r->mask = mask;
    r->op = (uint8_t)op;
    r->space = 0;
    r->block = (uint32_t)w->block->index;
    r->warp = w->index;
    r->addr[0] = what;
    return r;
}

static void add_split(struct warp *w, struct split s)
{
    w->split[w->nsplits++] = s;
}

static void remove_split(struct warp *w, int i)
{
    memmove(&w->split[i], &w->split[i + 1], (size_t)(w->nsplits - i - 1) * sizeof w->split[0]);
    w->nsplits--;
    if (w->current > i || w->current >= w->nsplits)
        w->current = w->current ? w->current - 1 : 0;
}

/* A join that waits for nobody but the lanes below one split does nothing, where they come to it together: skip it. */
static int16_t useful_join(struct warp *w, int16_t j, uint32_t mask)
{
    while (j >= 0 && !w->join[j].arrived && w->join[j].expected == mask && !w->join[j].inside) {
        warp_join_free(w, j);
        j = w->join[j].parent;
    }
    return j;
}

static int16_t new_join(struct warp *w, int32_t pc, uint32_t level, const uint64_t *inside, uint32_t expected, int16_t parent)
{
    for (int16_t i = 0; i < WARP_MAX_JOINS; i++)
        if (!warp_join_used(w, i)) {
            w->join[i] = (struct join){pc, level, inside, expected, 0, parent};
            w->joins[i / 64] |= 1ull << (i % 64);
            return i;
        }
    return parent; /* cannot happen: see useful_join; without a join the lanes merely stay apart */
}

int16_t warp_join_new(struct warp *w, int32_t pc, uint32_t expected, int16_t parent)
{
    return new_join(w, pc, 0, NULL, expected, parent);
}

static bool meets_at(const struct warp *w, int16_t j, int32_t pc, uint32_t level)
{
    return j >= 0 && w->join[j].pc == pc && w->join[j].level == level;
}

static const struct ir_kernel *kernel_of(const struct warp *w)
{
    return w->block->launch->kernel;
}

/* Is a split at `pc` past the reconvergence point of join j? */
static bool is_past(const struct warp *w, int16_t j, int32_t pc)
{
    const struct join *join = &w->join[j];
    return join->inside && pc != join->pc && !ir_bit(join->inside, kernel_of(w)->insts[pc].block);
}

/* Are the lanes of split s to meet at `pc` already, or at a place from which they come there later? */
static bool is_expected(const struct warp *w, const struct split *s, int32_t pc)
{
    for (int16_t j = s->join; j >= 0; j = w->join[j].parent)
        if (meets_at(w, j, pc, s->level) || is_past(w, j, pc))
            return true;
    return false;
}

void warp_diverge(struct warp *w, uint32_t taken, int32_t target, int32_t next, int32_t join_pc,
                  const struct ir_reconvergence *point)
{
    struct split *s = &w->split[w->current];
    if (join_pc >= 0 && !is_expected(w, s, join_pc)) {
        int16_t parent = useful_join(w, s->join, s->mask);
        s->join = new_join(w, join_pc, s->level, NULL, s->mask, parent);
    }
    if (point && !is_expected(w, s, kernel_of(w)->blocks[point->block].first))
        s->join = new_join(w, kernel_of(w)->blocks[point->block].first, s->level, point->inside, s->mask, s->join);
    struct split away = *s;
    away.mask = taken;
    away.pc = target;
    s->mask &= ~taken;
    s->pc = next;
    add_split(w, away);
}

/* The lanes that met at join j go on as one split. Its index. */
static int complete(struct warp *w, int16_t j)
{
    struct split s = {.mask = w->join[j].arrived, .pc = w->join[j].pc, .join = w->join[j].parent,
                      .level = w->join[j].level};
    warp_join_free(w, j);
    add_split(w, s);
    return w->nsplits - 1;
}

static void leave_joins(struct warp *w, int i)
{
    struct split *s = &w->split[i];
    while (s->join >= 0 && is_past(w, s->join, s->pc)) {
        int16_t j = s->join;
        struct join *join = &w->join[j];
        s->join = join->parent;
        join->expected &= ~s->mask;
        if (!join->expected)
            warp_join_free(w, j);
        else if (join->arrived == join->expected)
            complete(w, j);
    }
}

void warp_leave(struct warp *w)
{
    for (int i = 0; i < w->nsplits; i++)
        leave_joins(w, i);
}

bool warp_arrive(struct warp *w)
{
    for (;;) {
        struct split *s = &w->split[w->current];
        int16_t j = s->join;
        if (!meets_at(w, j, s->pc, s->level))
            return true;
        w->join[j].arrived |= s->mask;
        remove_split(w, w->current);
        if (w->join[j].arrived != w->join[j].expected)
            return false;
        w->current = (uint8_t)complete(w, j);
    }
}

bool warp_exit(struct warp *w, uint32_t lanes)
{
    struct split *s = &w->split[w->current];
    warp_event(w, s->pc, RECORD_EXIT, lanes, 0);
    w->alive &= ~lanes;
    w->block->threads_alive -= (uint32_t)__builtin_popcount(lanes);
    s->mask &= ~lanes;
    bool left = s->mask != 0;
    if (!left)
        remove_split(w, w->current);
    for (int j = warp_join_next(w, 0); j < WARP_MAX_JOINS; j = warp_join_next(w, j + 1)) {
        if (!(w->join[j].expected & lanes))
            continue;
        w->join[j].expected &= ~lanes;
        if (!w->join[j].expected)
            warp_join_free(w, j);
        else if (w->join[j].arrived == w->join[j].expected)
            complete(w, (int16_t)j);
    }
    block_check_barriers(w);
    return left;
}

bool warp_pick(struct warp *w)
{
    for (int i = 1; i <= w->nsplits; i++) {
        int at = (w->current + i) % w->nsplits;
        if (w->split[at].state == SPLIT_READY) {
            w->current = (uint8_t)at;
            return true;
        }
    }
    return false;
}

static int release(struct warp *w, int16_t j)
{
    struct join *join = &w->join[j];
    if (!join->arrived)
        return 0;
    struct split s = {.mask = join->arrived, .pc = join->pc, .join = join->parent, .level = join->level};
    join->expected &= ~join->arrived;
    join->arrived = 0;
    add_split(w, s);
    return 1;
}

int warp_release_joins(struct warp *w, bool all)
{
    int n = 0;
    if (all) {
        for (int j = warp_join_next(w, 0); j < WARP_MAX_JOINS; j = warp_join_next(w, j + 1))
            n += release(w, (int16_t)j);
        return n;
    }
    for (int16_t j = w->split[w->current].join; j >= 0; j = w->join[j].parent)
        n += release(w, j);
    return n;
}

void warp_merge(struct warp *w)
{
    if (w->block->launch->lane_by_lane)
        return;
    for (int i = 0; i < w->nsplits; i++)
        for (int j = i + 1; j < w->nsplits; j++) {
            struct split *a = &w->split[i], *b = &w->split[j];
            if (a->state != SPLIT_READY || b->state != SPLIT_READY || a->pc != b->pc || a->join != b->join ||
                a->level != b->level)
                continue;
            a->mask |= b->mask;
            if (w->current == j)
                w->current = (uint8_t)i;
            remove_split(w, j--);
        }
}

void warp_gather(struct warp *w, uint32_t lanes)
{
    int first = -1;
    for (int i = 0; i < w->nsplits; i++) {
        if (!(w->split[i].mask & lanes))
            continue;
        if (first < 0) {
            first = i;
            continue;
        }
        w->split[first].mask |= w->split[i].mask;
        remove_split(w, i--);
    }
    w->current = (uint8_t)first;
}

void warp_part(struct warp *w)
{
    struct split parted[WARP_LANES];
    int n = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        for (int i = 0; i < w->nsplits; i++)
            if (w->split[i].mask >> lane & 1) {
                parted[n] = w->split[i];
                parted[n++].mask = 1u << lane;
            }
    memcpy(w->split, parted, (size_t)n * sizeof parted[0]);
    w->nsplits = (uint8_t)n;
    w->current = 0;
}
