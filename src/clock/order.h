/* Does it show in what order multiprocessors ran that did so at the same time (clock/rounds.h)? Then one thread of the host runs them.
 *
 * In: a launch that is about to run. It shows where a kernel asks for the old value of an atomic, where it sums floats or exchanges words, where it
 * waits for others or asks the device's runtime or heap. And where what it reads, and what it or another block of it may write in
 * between, decides which way it goes or where it accesses memory: a search that marks what it has seen. Who writes what follows from kernel
 * parameters: two pointers into different allocations are of different memory. That what is read decides nothing is no matter of order for any
 * figure; the program's results are its own then, as CUDA leaves the order of blocks open. */
#ifndef CLOCK_ORDER_H
#define CLOCK_ORDER_H

#include "simt/warp.h"

bool order_shows(const struct launch *l);

#endif
