/* See booked.h. */
#include "memory/booked.h"

#include <stddef.h>

enum { SPAN = 1 << BOOKED_SHIFT };

static uint32_t taken(const uint32_t *s)
{
    return *s & (2 * SPAN - 1);
}

/* What is known of a span; NULL: a later one has its place, so it counts as taken. */
static uint32_t *span_at(struct booked *b, uint64_t number)
{
    uint32_t *s = &b->span[number % BOOKED_ROOM];
    const uint32_t none = booked_none(number), known = *s - none;
    if (known >= BOOKED_LATER)
        *s = none;
    return known > SPAN && known < BOOKED_LATER ? NULL : s;
}

/* The first span from `number` on in which something is free. */
static uint32_t *find_free(struct booked *b, uint64_t *number)
{
    const uint64_t first = *number > b->full ? *number : b->full;
    uint64_t at = first;
    uint32_t *s;
    while (!(s = span_at(b, at)) || taken(s) == SPAN)
        at += s ? b->skip[at % BOOKED_ROOM] : 1;
    if (at > first && span_at(b, first))
        b->skip[first % BOOKED_ROOM] = (uint16_t)(at - first < UINT16_MAX ? at - first : UINT16_MAX);
    if (first == b->full)
        b->full = at;
    *number = at;
    return s;
}

uint64_t booked_take_more(struct booked *b, uint64_t time, uint64_t units)
{
    for (uint64_t at = time >> BOOKED_SHIFT;; at++) {
        uint32_t *s = find_free(b, &at);
        const uint64_t begin = at << BOOKED_SHIFT, from = time > begin + taken(s) ? time - begin : taken(s), free = SPAN - from;
        if (units < free) {
            *s = booked_none(at) + (uint32_t)(from + units);
            return begin + from + units;
        }
        *s = booked_none(at) + SPAN;
        b->skip[at % BOOKED_ROOM] = 1;
        units -= free;
        if (!units)
            return begin + SPAN;
    }
}
