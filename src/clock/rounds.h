/* Launches whose caches are modelled: all multiprocessors at the same pseudo-time.
 *
 * The first blocks go to the multiprocessors in turn, through all of a GPC, then of the next, as many at a time as the launch's
 * occupancy allows; where one ends, the grid's next one starts a little later (NVIDIA H200, 2026-11-22, tests/truth/caches: first_blocks,
 * h200_life.txt). On each SM of the warps that can run any has its turn: it runs to the head of the next block of its code that
 * accesses memory (launch.turn_records). Its turn takes the SM the issue slots of its instructions (clock_run.block_slots);
 * its accesses go through a pipe beside that, one after the other, to the tags of L1: subpartitions have their turns, and in each
 * the first warp does its loads and up to three stores, then it is the last (of partial stores those that come within some cycles
 * are one, l1.c, so the order decides what reaches L2). Behind the pipe is the memory that loads and passes through the banks of shared memory
 * share. Local accesses at the beginning of a turn are looked up at once. The warp is ready when all have gone through and
 * what it asked for is there, which L1 or L2 says (memory/caches.h); accesses that need that wait
 * too. Pseudo-time orders accesses; it is not a prediction of time. SMs run for a slice each, one after the other,
 * then L2 serves what they asked for, in the order of time. A slice is no longer than the shortest way to L2 and back, and than
 * what it takes to start a block, so that no order of events depends on it.
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
