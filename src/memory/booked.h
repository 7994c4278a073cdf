/* A server that is booked for times to come, in any order: what asks later for an earlier time finds what is free there. A queue in the order
 * of asking would let an answer that comes from DRAM keep back all that L2 has at once.
 *
 * Times are in units of which a power of two are a cycle; the caller says which. Spans of 2^BOOKED_SHIFT units are filled from their begin on, so
 * requests in the order of time are served one right behind the other, and those out of order in one span are, too. Of several spans that have
 * one place in the table the latest is known. */
#ifndef MEMORY_BOOKED_H
#define MEMORY_BOOKED_H

#include <stdint.h>

enum { BOOKED_SHIFT = 12, BOOKED_ROOM = 512 /* spans that are known at a time; a power of two */, BOOKED_ROUND = BOOKED_SHIFT + 1 };

/* As small as can be, since a device has hundreds. */
struct booked {
    uint32_t span[BOOKED_ROOM]; /* below bit BOOKED_ROUND units taken, from its begin on; above it low bits of its number / BOOKED_ROOM */
    uint16_t skip[BOOKED_ROOM]; /* of a span that is taken: so many from here on are */
    uint64_t full; /* spans before this one are taken, or over */
} __attribute__((aligned(64))); /* an odd number of lines: the same span of all servers is not in the same sets of the host's caches */

#define BOOKED_LATER (UINT32_C(1) << 28) /* what is that much above a span, or more, is of an earlier one: 2^28 spans, less 2^24 for later ones, are told apart */

/* `span` of one of which nothing is taken. */
static inline uint32_t booked_none(uint64_t number)
{
    return (uint32_t)(number / BOOKED_ROOM) << BOOKED_ROUND;
}

/* booked_take, where that is not in one span or fills it. */
uint64_t booked_take_more(struct booked *b, uint64_t time, uint64_t units);

/* Work of `units`, at least 1, that begins at `time` or later, in what is free from there on, in pieces if need be. Returns when it is done. What is
 * before the latest `now` that was said is over, for whoever is late, too. */
static inline uint64_t booked_take(struct booked *b, uint64_t now, uint64_t time, uint64_t units)
{
    if (now >> BOOKED_SHIFT > b->full)
        b->full = now >> BOOKED_SHIFT;
    const uint64_t at = time >> BOOKED_SHIFT, number = at > b->full ? at : b->full, begin = number << BOOKED_SHIFT;
    uint32_t *s = &b->span[number % BOOKED_ROOM];
    const uint32_t none = booked_none(number), known = *s - none; /* more than there are units: of a later span, so this one counts as taken */
    const uint64_t taken = known < BOOKED_LATER ? known : 0, from = time > begin + taken ? time - begin : taken, until = from + units;
    if (until >= 1u << BOOKED_SHIFT)
        return booked_take_more(b, time, units);
    *s = none + (uint32_t)until;
    return begin + until;
}

/* The host fetches what it will look at. */
static inline __attribute__((always_inline)) void booked_fetch(const struct booked *b, uint64_t time)
{
    __builtin_prefetch(&b->full, 1);
    __builtin_prefetch(&b->span[(time >> BOOKED_SHIFT) % BOOKED_ROOM], 1);
}

#endif
