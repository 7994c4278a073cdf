/* Asynchronous copies into shared memory (cp.async) of a multiprocessor's warps: when they are there.
 *
 * A warp goes on behind a copy. `cp.async.commit_group` closes the group of the copies before it, and `cp.async.wait_group N` waits until all but
 * the last N closed groups are there, `.wait_all` for the open one too (PTX ISA 8.4, 9.7.9.25). L2 tells a place of the group in its warp when
 * the last of its lines comes; groups that are COPY_GROUPS apart share a place, so a warp that keeps more of them open waits for
 * the older ones, too. Where nobody waits for groups (kernels that wait at an mbarrier), a copy is there before its turn ends (turn.h).
 * Times are ticks, but those of L2. */
#ifndef CLOCK_COPIES_H
#define CLOCK_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "clock/turn.h"
#include "memory/caches.h"

enum { COPY_GROUPS = 8, COPY_PLACES = TURN_WAITED + COPY_GROUPS /* of a warp's waiters: groups behind those of a turn */ };

/* Of a warp. */
struct copies {
    uint64_t there[COPY_GROUPS]; /* the group's copies are, but for what L2 brings */
    uint32_t group;   /* the number of the open one */
    uint32_t waits;   /* those below this one are waited for by */
    uint32_t waiter;  /* 1 + this place of a turn; 0: none */
};

/* The place of the open group's copies among a warp's waiters. */
static inline uint32_t copies_place(const struct copies *c)
{
    return TURN_WAITED + c->group % COPY_GROUPS;
}

/* A block begins: the warp has no copies. */
void copies_begin(struct copies *c);
/* A copy of the open group is there at `at`, but for what L2 brings. */
void copies_add(struct copies *c, uint64_t at);
/* The open group is closed. l2: the warp's waiters, so many apart. */
void copies_commit(struct copies *c, struct l2_waiter *l2, uint32_t apart);

/* The warp waits for all but `keep` closed groups, or (all) the open one, too, at this place of a turn. True: *there is when they are; else
 * the place's waiter is pending, and copies_told says when. */
bool copies_wait(struct copies *c, uint32_t keep, bool all, uint32_t place, struct l2_waiter *l2, uint32_t apart, uint64_t *there);
/* L2 has told a group's place. True: the place of a turn that waited knows now; *place. */
bool copies_told(struct copies *c, struct l2_waiter *l2, uint32_t apart, uint32_t *place);

#endif
