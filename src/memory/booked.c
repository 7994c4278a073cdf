/* See booked.h. */
#include "memory/booked.h"

#include <stddef.h>

enum { SPAN = 1 << BOOKED_SHIFT };

/* What is known of a span; NULL: a later one has its place, so it counts as taken. */
static struct booked_span *span_at(struct booked *b, uint64_t number)
{
    struct booked_span *s = &b->span[number % BOOKED_ROOM];
    if (s->number > number)
        return NULL;
    if (s->number < number)
        *s = (struct booked_span){.number = number};
    return s;
}

/* The first span from `number` on in which something is free. */
static struct booked_span *find_free(struct booked *b, uint64_t number)
{
    const uint64_t first = number > b->full ? number : b->full;
    struct booked_span *s;
    for (number = first; !(s = span_at(b, number)) || s->taken == SPAN;)
        number += s && s->skip ? s->skip : 1;
    struct booked_span *from = number > first ? span_at(b, first) : NULL;
    if (from)
        from->skip = (uint32_t)(number - first);
    if (first == b->full)
        b->full = number;
    return s;
}

uint64_t booked_take(struct booked *b, uint64_t time, uint64_t units)
{
    for (uint64_t at = time >> BOOKED_SHIFT;;) {
        struct booked_span *s = find_free(b, at);
        const uint64_t begin = s->number << BOOKED_SHIFT, from = time > begin + s->taken ? time - begin : s->taken, free = SPAN - from;
        at = s->number + 1;
        if (units <= free) {
            s->taken = (uint32_t)(from + units);
            return begin + s->taken;
        }
        s->taken = SPAN;
        units -= free;
    }
}
