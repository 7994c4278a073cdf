/* The queue of a subpartition's accesses before the SM's unit of loads and stores, and the warps that want to issue one.
 *
 * The queue has room for `most` accesses: one is issued when the one so many before it has left, for the tags of L1 or the memory behind them. Of
 * the warps that wanted to issue by then the oldest does, else the one that wants to first; a warp that gave way to others is the last. Source:
 * NVIDIA H200, 2026-11-30, tests/truth/time/programs.tsv: warps that are active, L2 sectors and DRAM reads of launches that keep the queue full
 * (test truth.full_queue; docs/caches.md). Times are ticks. */
#ifndef CLOCK_ISSUE_H
#define CLOCK_ISSUE_H

#include "clock/turn.h"

enum { ISSUE_GONE = 64, ISSUE_MOST = ISSUE_GONE - 1 };
#define ISSUE_NEVER UINT64_MAX

struct issue_queue {
    uint32_t *place;        /* [n] of the warps */
    uint32_t n;
    uint32_t chosen;        /* 1 + index of the one whose turn it is; 0: nobody has been chosen */
    uint32_t last;          /* 1 + place of the one that gave way to others; 0: nobody has */
    uint32_t at;            /* accesses so far */
    bool asked;             /* since the warps in it were others, or wanted to issue at other times: */
    uint64_t first;         /* when the one whose turn it is wants to, else the first */
    uint64_t gone[ISSUE_GONE]; /* when the last of them left the queue: a ring */
    uint64_t global;        /* bits of these, the last one's first: to global or local memory */
};

/* A warp's next access may be issued. */
static inline void issue_add(struct issue_queue *q, uint32_t place)
{
    q->place[q->n++] = place;
    q->asked = false;
}

/* The warp of an index has none. */
static inline void issue_drop(struct issue_queue *q, uint32_t at)
{
    q->place[at] = q->place[--q->n];
    q->chosen = 0;
    q->asked = false;
}

/* The warp whose turn it is wants to issue at another time. */
static inline void issue_later(struct issue_queue *q)
{
    q->asked = false;
}

/* When the queue has room for one more. most: 1 to ISSUE_MOST. */
static inline uint64_t issue_room(const struct issue_queue *q, uint32_t most)
{
    return q->gone[(q->at + ISSUE_GONE - most) % ISSUE_GONE];
}

/* An access leaves the queue then. */
static inline void issue_gone(struct issue_queue *q, uint64_t gone, bool global)
{
    q->gone[q->at++ % ISSUE_GONE] = gone;
    q->global = q->global << 1 | global;
}

/* All accesses in the queue are to global or local memory. */
static inline bool issue_all_global(const struct issue_queue *q, uint32_t most)
{
    const uint64_t all = (UINT64_C(1) << most) - 1;
    return (q->global & all) == all;
}

/* When the next access wants to be issued, for issue_first. */
uint64_t issue_wants(const struct issue_queue *q, const struct turn *turn);

/* When an access can be issued, if no other one is before; ISSUE_NEVER: no warp wants to. turn: [places] */
static inline uint64_t issue_first(struct issue_queue *q, const struct turn *turn, uint32_t most)
{
    if (!q->asked)
        q->first = issue_wants(q, turn);
    q->asked = true;
    return later(q->first, issue_room(q, most));
}

/* Whose access is issued next, of those that want to up to now, of whom there is one: q->chosen. age: [places], the least is the oldest's. */
void issue_choose(struct issue_queue *q, const struct turn *turn, const uint32_t *age, uint32_t most, uint64_t now);

#endif
