/* What set-associative tables of the modelled caches share: an order of a set's ways by their last use in one word, division by
 * a number of sets, and times in half the bits. All are exact stand-ins, made small: a modelled GPU has some million places, and
 * the host's time goes to fetching what is known of them. */
#ifndef MEMORY_WAYS_H
#define MEMORY_WAYS_H

#include <stdint.h>

/* --- order --- */

/* Up to 16 ways, four bits each: the one used last in the lowest bits, the one idle longest in the highest of the `n`. */

/* Before any use: way 0 is the one idle longest, way n - 1 the one used last. */
static inline uint64_t ways_order(unsigned n)
{
    return UINT64_C(0x0123456789abcdef) >> 4 * (16 - n);
}

/* Bits below the place where `way` stands. */
static inline unsigned ways_place(uint64_t order, unsigned way)
{
    uint64_t x = order ^ UINT64_C(0x1111111111111111) * way; /* its digit is 0 now, and the lowest such one is found */
    return (unsigned)__builtin_ctzll((x - UINT64_C(0x1111111111111111)) & ~x & UINT64_C(0x8888888888888888)) - 3;
}

/* `way` was used now. */
static inline uint64_t ways_use(uint64_t order, unsigned way)
{
    unsigned at = ways_place(order, way);
    uint64_t below = (UINT64_C(1) << at) - 1;
    return (order & ~(below << 4 | 15)) | (order & below) << 4 | way;
}

/* Of n ways `way` is the next to go. */
static inline uint64_t ways_last(uint64_t order, unsigned n, unsigned way)
{
    unsigned at = ways_place(order, way), top = 4 * (n - 1);
    uint64_t below = (UINT64_C(1) << at) - 1, above = (order >> at) >> 4 << at;
    return (order & below) | above | (uint64_t)way << top;
}

/* The i-th from the one used last. */
static inline unsigned ways_nth(uint64_t order, unsigned i)
{
    return (unsigned)(order >> 4 * i) & 15;
}

/* --- division --- */

struct divisor {
    uint64_t m; /* 2^64 / by, rounded up */
    uint32_t by;
};

/* by: 1 to 65536 */
static inline struct divisor divisor_of(uint32_t by)
{
    return (struct divisor){by > 1 ? UINT64_MAX / by + 1 : 0, by};
}

/* n / by, for n below 2^47: m by too much by less than 1, times n, is less than 2^64 / by. */
static inline uint64_t divide(uint64_t n, struct divisor d)
{
    return d.m ? (uint64_t)((unsigned __int128)n * d.m >> 64) : n;
}

/* --- times --- */

enum { WAYS_AHEAD = 1 << 24 };

/* A time of which only the low half was kept: it if it is after `now`, else now. It is less than WAYS_AHEAD after it; one that
 * was 2^32 cycles ago can be taken for such a one. */
static inline uint64_t ways_later(uint32_t kept, uint64_t now)
{
    uint32_t ahead = kept - (uint32_t)now;
    return ahead < WAYS_AHEAD ? now + ahead : now;
}

#endif
