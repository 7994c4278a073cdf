/* Small helpers shared by the rules: lanes of a record, and a set of numbers that is quick to empty. */
#ifndef MEMORY_LANES_H
#define MEMORY_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "simt/record.h"

/* The lowest lane of a mask that is not 0. */
static inline int lanes_first(uint32_t mask)
{
    return __builtin_ctz(mask);
}

static inline int lanes_last(uint32_t mask)
{
    return 31 - __builtin_clz(mask);
}

static inline unsigned lanes_count(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* True when the lanes of a mask stand side by side: 0x00ff0. */
static inline bool lanes_run(uint32_t mask)
{
    uint32_t from_0 = mask >> lanes_first(mask);

    return (from_0 & (from_0 + 1)) == 0;
}

#define LANES_EACH(lane, mask)                                                                       \
    for (uint32_t lanes_left = (mask), lane = lanes_left ? (uint32_t)__builtin_ctz(lanes_left) : 0; lanes_left;         \
         lanes_left &= lanes_left - 1, lane = lanes_left ? (uint32_t)__builtin_ctz(lanes_left) : 0)

/* A set of at most 64 numbers (a record touches at most 32 * 2 sectors, one record at a time). */
struct numbers {
    uint8_t head[64]; /* bucket: 1 + index of its newest number, 0: none */
    uint8_t next[64];
    uint64_t v[64];
    unsigned n;
};

static inline void numbers_clear(struct numbers *s)
{
    memset(s->head, 0, sizeof s->head);
    s->n = 0;
}

static inline bool numbers_have(const struct numbers *s, uint64_t v)
{
    for (unsigned i = s->head[(v ^ v >> 6) & 63]; i; i = s->next[i - 1])
        if (s->v[i - 1] == v)
            return true;
    return false;
}

/* Adds a number; false when it was there. */
static inline bool numbers_add(struct numbers *s, uint64_t v)
{
    uint8_t *head = &s->head[(v ^ v >> 6) & 63];

    for (unsigned i = *head; i; i = s->next[i - 1])
        if (s->v[i - 1] == v)
            return false;
    s->v[s->n] = v;
    s->next[s->n] = *head;
    *head = (uint8_t)++s->n;
    return true;
}

#endif
