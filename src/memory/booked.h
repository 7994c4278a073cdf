/* A server that is booked for times to come, in any order: what asks later for an earlier time finds what is free there. A queue in the order
 * of asking would let an answer that comes from DRAM keep back all that L2 has at once.
 *
 * Times are in units of which a power of two are a cycle; the caller says which. Spans of 2^BOOKED_SHIFT units are filled from their begin on, so
 * requests in the order of time are served one right behind the other, and those out of order in one span are, too. Of several spans that have
 * one place in the table the latest is known. */
#ifndef MEMORY_BOOKED_H
#define MEMORY_BOOKED_H

#include <stdint.h>

enum { BOOKED_SHIFT = 12, BOOKED_ROOM = 512 /* spans that are known at a time; a power of two */ };

/* A span, as small as can be: a device has some hundred thousand. */
struct booked_span {
    uint32_t taken : BOOKED_SHIFT + 1; /* units, from the span's begin on */
    uint32_t round : 31 - BOOKED_SHIFT; /* low bits of its number / BOOKED_ROOM */
    uint32_t skip; /* of a span that is taken: so many from here on are */
};

struct booked {
    uint64_t full; /* spans before this one are taken, or over */
    struct booked_span span[BOOKED_ROOM];
};

/* Spans from before `number` are over; it is in another part of the time than `full`. */
void booked_forget(struct booked *b, uint64_t number);

enum { BOOKED_PART = 25 /* spans, 2 to this power: all that are known are of one such part of the time, or its neighbours */ };

static inline void booked_raise(struct booked *b, uint64_t number)
{
    if (number >> BOOKED_PART != b->full >> BOOKED_PART)
        booked_forget(b, number);
    b->full = number;
}

/* Nobody asks for a time before `now` any more. */
static inline void booked_now(struct booked *b, uint64_t now)
{
    if (now >> BOOKED_SHIFT > b->full)
        booked_raise(b, now >> BOOKED_SHIFT);
}

/* Is what is known at a span's place of this span (0), of an earlier one (less) or of a later one? */
static inline int32_t booked_of(const struct booked_span *s, uint64_t number)
{
    return (int32_t)((s->round - (uint32_t)(number / BOOKED_ROOM)) << (BOOKED_SHIFT + 1));
}

/* booked_take, where that is not in one span. */
uint64_t booked_take_more(struct booked *b, uint64_t time, uint64_t units);

/* Work of `units`, at least 1, that begins at `time` or later, in what is free from there on, in pieces if need be. Returns when it is done. */
static inline uint64_t booked_take(struct booked *b, uint64_t time, uint64_t units)
{
    const uint64_t at = time >> BOOKED_SHIFT, number = at > b->full ? at : b->full, begin = number << BOOKED_SHIFT;
    struct booked_span *s = &b->span[number % BOOKED_ROOM];
    const int32_t of = booked_of(s, number);
    const uint64_t taken = of < 0 ? 0 : s->taken, from = time > begin + taken ? time - begin : taken;
    if (of > 0 || from + units > UINT64_C(1) << BOOKED_SHIFT)
        return booked_take_more(b, time, units);
    *s = (struct booked_span){.taken = (uint32_t)(from + units), .round = (uint32_t)(number / BOOKED_ROOM), .skip = of < 0 ? 0 : s->skip};
    return begin + from + units;
}

#endif
