/* See turn.h. */
#include "clock/turn.h"

#include <string.h>

#include "base/alloc.h"

void turn_release(struct turn *t)
{
    alloc_release(t->record);
    alloc_release(t->at);
    alloc_release(t->used);
    alloc_release(t->order);
    alloc_release(t->late);
    *t = (struct turn){0};
}

void turn_begin(struct turn *t, uint64_t begin)
{
    t->n = t->next = 0;
    t->open = 0;
    t->begin = t->end = t->since = begin;
    t->least = 0;
}

static void more_room(struct turn *t, int n)
{
    if (n <= t->room)
        return;
    t->room = n;
    t->record = alloc_resize(t->record, (size_t)n * sizeof *t->record);
    t->at = alloc_resize(t->at, (size_t)n * sizeof *t->at);
    t->used = alloc_resize(t->used, (size_t)n * sizeof *t->used);
    t->order = alloc_resize(t->order, (size_t)n * sizeof *t->order);
    t->late = alloc_resize(t->late, (size_t)n * sizeof *t->late);
}

static bool brings(const struct record *r)
{
    return r->op != RECORD_STORE && r->op != RECORD_RED;
}

void turn_add(struct turn *t, const struct ir_kernel *k, const struct target_pace *p, const struct record *r, int n, int copy)
{
    more_room(t, t->n + n);
    for (int i = 0; i < n; i++) {
        if (r[i].op >= RECORD_ARRIVE)
            continue;
        const int32_t first = p->first[r[i].site];
        const struct pace_access *of = first < 0 ? NULL : &p->access[first + (copy < p->block[k->insts[r[i].site].block].rounds ? copy : 0)];
        memcpy(&t->record[t->n], &r[i], sizeof *r);
        t->at[t->n] = of ? of->at : t->n ? t->at[t->n - 1] : 0; /* an operand from constant memory is no instruction of its own */
        t->used[t->n] = of ? of->used : PACE_NEVER;
        if (r[i].spill == SPILL_WAITS && t->used[t->n] != PACE_NEVER)
            t->at[t->n] = t->used[t->n];
        t->late[t->n] = of && brings(&r[i]);
        if (!t->late[t->n])
            t->used[t->n] = PACE_NEVER;
        t->order[t->n] = (uint16_t)t->n;
        t->n++;
    }
}

static uint16_t earlier(uint16_t cycles, uint16_t by)
{
    return cycles == PACE_NEVER ? PACE_NEVER : cycles > by ? (uint16_t)(cycles - by) : 0;
}

void turn_order(struct turn *t, const struct ir_kernel *k, const struct target_pace *p, uint64_t before, uint64_t span)
{
    const int32_t block = t->n ? k->insts[t->record[0].site].block : -1;
    for (int i = 1; i < t->n; i++) {
        const uint16_t now = t->order[i];
        int to = i;
        for (; to && t->at[t->order[to - 1]] > t->at[now]; to--)
            t->order[to] = t->order[to - 1];
        t->order[to] = now;
    }
    t->begin += before;
    t->end = t->begin + span - before;
    if (block < 0 || !t->n)
        return;
    const bool begins = p->block[block].owner == block, midst = t->rest.block == block;
    const uint16_t least = midst ? t->rest.passed : begins ? 0 : t->at[t->order[0]]; /* a way that is part of a block: the turn begins with it */
    for (int i = 0; i < t->n; i++) {
        t->at[i] = earlier(t->at[i], least);
        t->used[i] = earlier(t->used[i], least);
    }
    const uint64_t last = (span - before) / PACE_TICKS;
    for (int i = 0; i < t->n; i++) /* what nobody needs in the block is there before the turn ends */
        if (t->late[i] && t->used[i] > last)
            t->used[i] = last < PACE_NEVER ? (uint16_t)last : PACE_NEVER - 1;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void turn_went(struct turn *t, uint64_t there)
{
    const uint32_t place = turn_place(t);
    const uint64_t bit = UINT64_C(1) << place;
    const uint16_t used = t->used[t->order[t->next]];
    const bool shared = t->open & bit;
    const uint32_t turn_site = turn_next(t)->site;
    t->next++;
    if (used == PACE_NEVER)
        return;
    t->there[place] = shared ? later(t->there[place], there) : there;
    t->needed[place] = shared && t->needed[place] < used ? t->needed[place] : used;
    t->site[place] = turn_site;
    t->open |= bit;
}

/* Of those that are needed at cycle `at` or before. */
static bool wait_up_to(struct turn *t, struct l2_waiter *waiter, uint16_t at)
{
    uint64_t by = 0;
    for (uint64_t left = t->open; left; left &= left - 1) {
        const int place = __builtin_ctzll(left);
        if (t->needed[place] > at)
            continue;
        if (waiter[place].pending)
            return false;
        const uint64_t there = later(t->there[place], waiter[place].ready * PACE_TICKS), needed = t->begin + (uint64_t)t->needed[place] * PACE_TICKS;
        if (there > needed && there - needed > by) {
            by = there - needed;
            t->site_late = t->site[place];
        }
    }
    for (uint64_t left = t->open; left; left &= left - 1) {
        const int place = __builtin_ctzll(left);
        if (t->needed[place] > at)
            continue;
        t->open &= ~(left & -left);
        waiter[place].ready = 0;
    }
    t->begin += by;
    t->end += by;
    t->stood += by;
    return true;
}

bool turn_wait_next(struct turn *t, struct l2_waiter *waiter)
{
    return !t->open || wait_up_to(t, waiter, t->at[t->order[t->next]]);
}

bool turn_wait_all(struct turn *t, struct l2_waiter *waiter)
{
    return !t->open || wait_up_to(t, waiter, PACE_NEVER);
}
