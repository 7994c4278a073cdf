/* A server that is booked for times to come, in any order: what asks later for an earlier time finds what is free there. A queue in the order
 * of asking would let an answer that comes from DRAM keep back all that L2 has at once.
 *
 * Times are in units of which a power of two are a cycle; the caller says which. Spans of 2^BOOKED_SHIFT units are filled from their begin on, so
 * requests in the order of time are served one right behind the other, and those out of order in one span are, too. */
#ifndef MEMORY_BOOKED_H
#define MEMORY_BOOKED_H

#include <stdint.h>

enum { BOOKED_SHIFT = 12, BOOKED_ROOM = 512 /* spans that are known at a time; a power of two */ };

struct booked {
    uint64_t full; /* spans before this one are taken, or over */
    struct booked_span {
        uint64_t number;
        uint32_t taken; /* units, from the span's begin on */
        uint32_t skip;  /* of a span that is taken: so many from here on are */
    } span[BOOKED_ROOM];
};

/* Nobody asks for a time before `now` any more. */
static inline void booked_now(struct booked *b, uint64_t now)
{
    if (now >> BOOKED_SHIFT > b->full)
        b->full = now >> BOOKED_SHIFT;
}

/* Work of `units` that begins at `time` or later, in what is free from there on, in pieces if need be. Returns when it is done. */
uint64_t booked_take(struct booked *b, uint64_t time, uint64_t units);

#endif
