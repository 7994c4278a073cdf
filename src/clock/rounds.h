/* Launches whose caches are modelled: all multiprocessors at the same pseudo-time.
 *
 * Blocks go to the multiprocessors in turn, through all of a GPC, then of the next (NVIDIA H200, 2026-11-22, tests/truth/caches:
 * order), as many at a time as the launch's occupancy allows. On each SM the
 * warp that is ready has its turn, any of several: it runs to the head of the next block of its code that accesses memory. Its
 * turn takes the SM an issue slot an instruction and the time that the L1's tags and its way to L2 need; then it is ready
 * after the latency of what it asked for (launch.turn_records, memory/caches.h). Pseudo-time orders accesses; it is not a
 * prediction of time. SMs run for a slice each, one after the other; then L2 serves what they asked for, in the order of time.
 * One host thread; every number is the same in every run. */
#ifndef CLOCK_ROUNDS_H
#define CLOCK_ROUNDS_H

#include "clock/clock.h"

/* Runs the launch of `c`, which has caches and counts. */
void rounds_run(struct clock_run *c);

/* --- clock.c, for both ways --- */

/* No warp of the block can run: lanes that wait at joins go on without the others. False: nobody waits at one. */
bool clock_release_all(struct block *b);
enum { CLOCK_LAST_PASSES = 64 /* turns for the other warps of a block in which an assertion failed */ };

/* Blocks wait at the grid's barrier for blocks that have ended. */
bool clock_grid_deadlock(const struct launch *l);
/* Records that the block's warps wait for each other. */
void clock_deadlock(struct block *b);

#endif
