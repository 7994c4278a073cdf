/* See copies.h. */
#include "clock/copies.h"

#include <string.h>

void copies_begin(struct copies *c)
{
    memset(c, 0, sizeof *c);
}

void copies_add(struct copies *c, uint64_t at)
{
    uint64_t *there = &c->there[c->group % COPY_GROUPS];
    *there = later(*there, at);
}

void copies_commit(struct copies *c, struct l2_waiter *l2, uint32_t apart)
{
    c->group++;
    struct l2_waiter *w = &l2[copies_place(c) * apart];
    c->there[c->group % COPY_GROUPS] = 0;
    w->ready = w->pending ? w->ready : 0;
}

/* The groups below c->waits, of those that still have a place. False: L2 has not said. */
static bool are_there(const struct copies *c, const struct l2_waiter *l2, uint32_t apart, uint64_t *there)
{
    const uint32_t first = c->group >= COPY_GROUPS ? c->group - COPY_GROUPS + 1 : 0;
    for (uint32_t g = first; g < c->waits; g++) {
        const struct l2_waiter *w = &l2[(TURN_WAITED + g % COPY_GROUPS) * apart];
        if (w->pending)
            return false;
        *there = later(*there, later(c->there[g % COPY_GROUPS], w->ready * PACE_TICKS));
    }
    return true;
}

bool copies_wait(struct copies *c, uint32_t keep, bool all, uint32_t place, struct l2_waiter *l2, uint32_t apart, uint64_t *there)
{
    c->waits = all ? c->group + 1 : c->group > keep ? c->group - keep : 0;
    if (are_there(c, l2, apart, there))
        return true;
    c->waiter = 1 + place;
    l2[place * apart].pending++;
    return false;
}

bool copies_told(struct copies *c, struct l2_waiter *l2, uint32_t apart, uint32_t *place)
{
    uint64_t there = 0;
    if (!c->waiter || !are_there(c, l2, apart, &there))
        return false;
    *place = c->waiter - 1;
    struct l2_waiter *w = &l2[*place * apart];
    w->ready = later(w->ready, (there + PACE_TICKS - 1) / PACE_TICKS);
    w->pending--;
    c->waiter = 0;
    return true;
}
