/* Fences of a multiprocessor that hold for the device.
 *
 * A fence waits until what the multiprocessor has loaded is there, and until it knows that L2 has done what it has stored: the last store's home
 * is done with it, and caches_config.store_latency later (reductions: at once). One such wait goes on at a time; fences that come meanwhile have the next one together. Then a fence takes
 * fence_latency; from one to the next it is fence_cycles at least. When it ends, L1 forgets what it has of global memory, whoever loaded it.
 * A fence of the block (membar.cta) does nothing of that. Source: NVIDIA H200, 2026-11-30, tests/truth/caches: fences; the code that follows
 * is MEMBAR.SC.GPU, ERRBAR, CCTL.IVALL. Times are cycles. */
#ifndef CLOCK_FENCE_H
#define CLOCK_FENCE_H

#include "memory/caches.h"

struct fences {
    struct fence {
        uint64_t at;
        uint32_t waiter;
    } *v;                 /* [n] that wait, in the order of time */
    uint64_t *ended;      /* [nended] when such that L1 has not forgotten anything for end */
    uint32_t n, room, nended, ended_room;
    uint64_t next;        /* when the next one can begin */
    uint64_t waits, until; /* the wait for stores that began last */
};

void fences_clear(struct fences *f);
void fences_release(struct fences *f);

/* A fence comes at `at`: q's waiter waits for it. */
void fences_add(struct fences *f, struct l2_queue *q, const struct caches_config *c, uint64_t at, uint32_t waiter);

/* L2 has served what the multiprocessor asked for before `now`: the first fence has its end. *waiter: who knows now what it waits for. False: no
 * further one has its end yet. */
bool fences_end(struct fences *f, struct l2_queue *q, const struct caches_config *c, uint64_t now, uint32_t *waiter);

/* Some have ended by then: L1 is to forget what it has. */
bool fences_forget(struct fences *f, uint64_t at);

#endif
