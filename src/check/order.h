/* Who knows of what: the order between accesses of a block's threads.
 *
 * Two accesses are ordered when a chain of events leads from one thread to the other: a block barrier, a rendezvous of
 * lanes (__syncwarp, shuffles, votes), or a release that an acquire reads from (atomics and volatile or strong accesses
 * with fences; PTX ISA 8.10, "Causality order"). Lanes of a warp are threads like any others: since compute capability
 * 7.0 nothing orders them but these events.
 *
 * Time is a counter of stamps. A thread's accesses carry the stamp of its segment, the stretch between two events of
 * its own. What a thread knows is kept in three sizes, so that a barrier of the whole block costs one number a thread:
 * "everything in the block before stamp S", the same for each warp, the same for each lane of its own warp, and a short
 * list of single threads. An access of thread t with stamp s is before what thread u does now if u knows of t up to a
 * stamp above s. Stamps never go back, also from block to block, so what is left over from an earlier block is always
 * older than `first`.
 *
 * A thread is its number in the block: 32 * warp + lane, at most 1,024. Not thread safe: one for each host thread. */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDER_THREADS = 1024, ORDER_WARPS = 32, ORDER_BARRIERS = 16 };

struct order;

struct order *order_new(void);
void order_free(struct order *o);

/* A block of `threads` threads starts: nothing before it matters any more. */
void order_block(struct order *o, unsigned threads);

/* The first stamp of this block: smaller ones are of blocks that are gone. */
uint32_t order_first(const struct order *o);

/* What most questions are answered by: the stamp of what the thread does now; what it knows of every thread of the block,
 * and of every thread of its own warp. By thread; always up to date. */
struct order_glance {
    uint32_t own, block, warp;
};
const struct order_glance *order_glances(const struct order *o);

/* Do the lanes of the warp that exist look the same at a glance? */
bool order_uniform(struct order *o, unsigned warp);

/* Is an access of thread `by` with this stamp before what `thread` does now? */
bool order_knows(const struct order *o, unsigned thread, unsigned by, uint32_t stamp);

/* Lanes of a warp come to a block barrier. `waits` is false for bar.arrive: they tell and do not learn. */
void order_arrive(struct order *o, unsigned barrier, unsigned warp, uint32_t lanes, bool waits);

/* The barrier is complete: who waited knows all that those who came (and who have exited) did before. */
void order_complete(struct order *o, unsigned barrier);

/* Lanes of a warp have exited: they count as come at every barrier of the whole block. */
void order_exit(struct order *o, unsigned warp, uint32_t lanes);

/* Lanes of a warp have met. */
void order_meet(struct order *o, unsigned warp, uint32_t lanes);

/* A fence, whatever its scope: all threads here are of one block. */
void order_fence(struct order *o, unsigned warp, uint32_t lanes);

/* A strong write or read of `address` (volatile, relaxed, atomic) by one thread. `whole`: it is itself a release (or an
 * acquire); else it is one together with a fence before (or behind) it. `update`: an atomic, which hands on what earlier
 * releases of the address told; a store puts an end to that. An atomic reads first. */
void order_release(struct order *o, unsigned thread, uint64_t address, bool whole, bool update);
void order_acquire(struct order *o, unsigned thread, uint64_t address, bool whole);

#endif
