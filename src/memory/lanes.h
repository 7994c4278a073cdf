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

static inline unsigned lanes_count(uint32_t mask)
{
#ifdef __POPCNT__
    return (unsigned)__builtin_popcount(mask);
#else /* it would be a call */
    uint32_t pairs = mask - (mask >> 1 & 0x55555555), fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);
    return ((fours + (fours >> 4)) & 0x0f0f0f0f) * UINT32_C(0x01010101) >> 24;
#endif
}

#define LANES_EACH(lane, mask)                                                                       \
    for (uint32_t lanes_left = (mask), lane = lanes_left ? (uint32_t)__builtin_ctz(lanes_left) : 0; lanes_left;         \
         lanes_left &= lanes_left - 1, lane = lanes_left ? (uint32_t)__builtin_ctz(lanes_left) : 0)

/* Every lane's address, whatever the shape. */
static inline const uint64_t *lanes_addresses(const struct record *r, uint64_t own[32])
{
    if (r->shape == RECORD_EXPLICIT)
        return r->addr;
    uint64_t step = r->shape == RECORD_UNIFORM ? 0 : (uint64_t)(int64_t)r->stride;
    for (unsigned lane = 0; lane < 32; lane++)
        own[lane] = r->addr[0] + lane * step;
    return own;
}

/* A set of at most 64 numbers. */
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
