/* See booked.h. */
#include "memory/booked.h"

#include <stddef.h>

enum { SPAN = 1 << BOOKED_SHIFT };

static struct booked_span none_of(uint64_t number)
{
    return (struct booked_span){.round = (uint32_t)(number / BOOKED_ROOM)};
}

/* What is known of a span; NULL: a later one has its place, so it counts as taken. */
static struct booked_span *span_at(struct booked *b, uint64_t number)
{
    struct booked_span *s = &b->span[number % BOOKED_ROOM];
    const int32_t of = booked_of(s, number);
    if (of > 0)
        return NULL;
    if (of < 0)
        *s = none_of(number);
    return s;
}

void booked_forget(struct booked *b, uint64_t number)
{
    for (uint32_t i = 0; i < BOOKED_ROOM; i++)
        if (booked_of(&b->span[i], number) < 0 || number - b->full >= UINT64_C(1) << BOOKED_PART)
            b->span[i] = none_of(number);
}

/* The first span from `number` on in which something is free. */
static struct booked_span *find_free(struct booked *b, uint64_t *number)
{
    const uint64_t first = *number > b->full ? *number : b->full;
    uint64_t at = first;
    struct booked_span *s;
    while (!(s = span_at(b, at)) || s->taken == SPAN)
        at += s && s->skip ? s->skip : 1;
    struct booked_span *from = at > first ? span_at(b, first) : NULL;
    if (from)
        from->skip = (uint32_t)(at - first);
    if (first == b->full)
        booked_raise(b, at);
    *number = at;
    return s;
}

uint64_t booked_take_more(struct booked *b, uint64_t time, uint64_t units)
{
    for (uint64_t at = time >> BOOKED_SHIFT;; at++) {
        struct booked_span *s = find_free(b, &at);
        const uint64_t begin = at << BOOKED_SHIFT, from = time > begin + s->taken ? time - begin : s->taken, free = SPAN - from;
        if (units <= free) {
            s->taken = (uint32_t)(from + units) & (2 * SPAN - 1);
            return begin + from + units;
        }
        s->taken = SPAN;
        units -= free;
    }
}
