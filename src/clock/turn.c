/* See turn.h. */
#include "clock/turn.h"

#include <string.h>

#include "base/alloc.h"

enum { HEAD = offsetof(struct record, site), HEAD_BYTES = offsetof(struct record, block) - HEAD };

_Static_assert(sizeof(struct turn_access) == 64, "a line of the host's cache");
_Static_assert(offsetof(struct turn_access, op) - offsetof(struct turn_access, site) == offsetof(struct record, op) - HEAD &&
               offsetof(struct turn_access, record) - offsetof(struct turn_access, site) == offsetof(struct record, bytes) - HEAD, "as in struct record");

void turn_release(struct turn *t)
{
    alloc_release(t->access);
    alloc_release(t->addresses);
    *t = (struct turn){0};
}

void turn_forget(struct turn *t)
{
    *t = (struct turn){.access = t->access, .room = t->room, .addresses = t->addresses, .addresses_room = t->addresses_room};
}

void turn_begin(struct turn *t, uint64_t begin)
{
    t->n = t->next = t->naddresses = 0;
    t->block = -1;
    t->open = 0;
    t->begin = t->end = t->since = begin;
    t->least = 0;
}

static void more_room(struct turn *t, uint32_t n)
{
    enum { FIRST = 4 };
    if (n <= t->room)
        return;
    struct turn_access *old = t->access;
    t->room = n < FIRST ? FIRST : n < 2 * t->room ? 2 * t->room : n;
    t->access = alloc_aligned(64, t->room * sizeof *t->access);
    if (t->n)
        memcpy(t->access, old, t->n * sizeof *old);
    alloc_release(old);
}

static bool brings(const struct record *r)
{
    return r->op != RECORD_STORE && r->op != RECORD_RED;
}

static void keep_record(struct turn *t, struct turn_access *a, const struct record *r)
{
    memcpy(&a->site, &r->site, HEAD_BYTES);
    a->addr = r->addr[0];
    if (r->shape != RECORD_EXPLICIT)
        return;
    if (t->naddresses == t->addresses_room) {
        t->addresses_room = t->addresses_room ? 2 * t->addresses_room : 2;
        t->addresses = alloc_resize(t->addresses, t->addresses_room * sizeof *t->addresses);
    }
    a->addr = t->naddresses;
    memcpy(t->addresses[t->naddresses++], r->addr, sizeof r->addr);
}

void turn_record(const struct turn *t, struct record *out)
{
    const struct turn_access *a = turn_next(t);
    memcpy(&out->site, &a->site, HEAD_BYTES);
    if (a->shape == RECORD_EXPLICIT)
        memcpy(out->addr, t->addresses[a->addr], sizeof out->addr);
    else
        out->addr[0] = a->addr;
}

void turn_add(struct turn *t, const struct ir_kernel *k, const struct target_pace *p, const struct record *r, int n, int copy)
{
    more_room(t, t->n + (uint32_t)n);
    for (int i = 0; i < n; i++) {
        if (r[i].op >= RECORD_ARRIVE)
            continue;
        const int32_t first = p->first[r[i].site], block = k->insts[r[i].site].block;
        const struct pace_access *of = first < 0 ? NULL : &p->access[first + (copy < p->block[block].rounds ? copy : 0)];
        struct turn_access *a = &t->access[t->n];
        keep_record(t, a, &r[i]);
        a->at = of ? of->at : t->n ? a[-1].at : 0; /* an operand from constant memory is no instruction of its own */
        a->used = of ? of->used : PACE_NEVER;
        if (r[i].spill == SPILL_WAITS && a->used != PACE_NEVER)
            a->at = a->used;
        a->late = of && brings(&r[i]);
        if (!a->late)
            a->used = PACE_NEVER;
        if (!t->n++) {
            t->block = block;
            t->local = r[i].space == PTX_LOCAL;
        }
    }
}

static uint16_t earlier(uint16_t cycles, uint16_t by)
{
    return cycles == PACE_NEVER ? PACE_NEVER : cycles > by ? (uint16_t)(cycles - by) : 0;
}

/* By when they are issued; of the same time as they came. */
static void sort(struct turn *t)
{
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t to = i;
        if (t->access[i - 1].at <= t->access[i].at)
            continue;
        const struct turn_access now = t->access[i];
        for (; to && t->access[to - 1].at > now.at; to--)
            t->access[to] = t->access[to - 1];
        t->access[to] = now;
    }
}

void turn_order(struct turn *t, const struct target_pace *p, uint64_t before, uint64_t span)
{
    sort(t);
    t->begin += before;
    t->end = t->begin + span - before;
    if (!t->n)
        return;
    const bool begins = p->block[t->block].owner == t->block, midst = t->rest.block == t->block;
    const uint16_t least = midst ? t->rest.passed : begins ? 0 : t->access[0].at; /* a way that is part of a block: the turn begins with it */
    const uint64_t last = (span - before) / PACE_TICKS;
    for (uint32_t i = 0; i < t->n; i++) {
        struct turn_access *a = &t->access[i];
        a->at = earlier(a->at, least);
        a->used = earlier(a->used, least);
        if (a->late && a->used > last) /* what nobody needs in the block is there before the turn ends */
            a->used = last < PACE_NEVER ? (uint16_t)last : PACE_NEVER - 1;
    }
    t->next_at = t->access[0].at;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void turn_went(struct turn *t, uint64_t there)
{
    const uint32_t place = turn_place(t);
    const uint64_t bit = UINT64_C(1) << place;
    const struct turn_access *now = turn_next(t);
    struct turn_access *of = &t->access[place];
    const uint16_t used = now->used;
    const bool shared = t->open & bit;
    if (++t->next < t->n)
        t->next_at = turn_next(t)->at;
    if (used == PACE_NEVER)
        return;
    of->there = shared ? later(of->there, there) : there;
    of->used = shared && of->used < used ? of->used : used;
    of->late_site = now->site;
    t->open |= bit;
}

/* Of those that are needed at cycle `at` or before. */
static bool wait_up_to(struct turn *t, struct l2_waiter *waiter, uint32_t apart, uint16_t at)
{
    uint64_t by = 0, over = 0;
    for (uint64_t left = t->open; left; left &= left - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(left);
        const struct turn_access *a = &t->access[place];
        const struct l2_waiter *w = &waiter[place * apart];
        if (a->used > at)
            continue;
        if (w->pending)
            return false;
        over |= left & -left;
        const uint64_t there = later(a->there, w->ready * PACE_TICKS), needed = t->begin + (uint64_t)a->used * PACE_TICKS;
        if (there > needed && there - needed > by) {
            by = there - needed;
            t->site_late = a->late_site;
        }
    }
    t->open &= ~over;
    for (; over; over &= over - 1)
        waiter[(uint32_t)__builtin_ctzll(over) * apart].ready = 0;
    t->begin += by;
    t->end += by;
    t->stood += by;
    return true;
}

bool turn_wait_next(struct turn *t, struct l2_waiter *waiter, uint32_t apart)
{
    return !t->open || wait_up_to(t, waiter, apart, t->next_at);
}

bool turn_wait_all(struct turn *t, struct l2_waiter *waiter, uint32_t apart)
{
    return !t->open || wait_up_to(t, waiter, apart, PACE_NEVER);
}
