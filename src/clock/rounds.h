/* Launches whose caches are modelled: all multiprocessors at the same time, which is the launch's modelled time, too.
 *
 * The first blocks go to the multiprocessors in turn, through all of a GPC, then of the next, as many at a time as the launch's
 * occupancy allows; where one ends, the grid's next one starts a little later (NVIDIA H200, 2026-11-22, tests/truth/caches: first_blocks,
 * h200_life.txt). A warp belongs to a subpartition of its SM. It has a turn when the subpartition is free: it runs to the head of the next block of
 * its code that accesses memory (launch.turn_records), or through all that is one block of the machine code: ways under a predicate, and
 * turns of an unrolled loop that stand side by side. For that the subpartition is busy as long as issuing its instructions takes, or the unit that has
 * most to do, and the warp as long as the machine code's order says (clock/pace.h). Of the warps that can run the oldest has its turn. Its accesses are
 * issued in that order, when the queue of its subpartition has room, and go through a pipe of the SM, one after the other, to the tags of L1; of the warps
 * that wanted to issue when the queue had room the oldest does, and after three stores it gives way (of partial stores those that come within some cycles
 * are one, l1.c, so the order decides what reaches L2). Behind the pipe is the memory that loads and passes through the banks of shared memory share. The
 * warp stands still where what it asked for is needed and has not come, which L1 or L2 says (clock/turn.h; memory/caches.h). At a barrier of the block
 * its turn ends in the midst of a block of code. SMs run for a slice each, then L2 serves what they asked for, in the order of time. A
 * slice is no longer than the shortest way to L2 and back, and than what it takes to start a block, so that no order of events depends on it.
 * Times are ticks, PACE_TICKS of a cycle of the multiprocessors, where no cycles are meant.
 * SMs are dealt out to the launch's host threads, and so are the stages of L2 (memory/l2.c); where the order of SMs would show (clock/order.h)
 * one thread runs all of them. Every number is the same in every run, with any number of threads. Faults stop later blocks at the end of a slice. */
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
