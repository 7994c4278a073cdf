/* How many registers a thread takes: an estimate, from a schedule like the assembler's.
 *
 * In: a lowered kernel and its shape. The instructions of each region are put in an order in which long waits begin early
 * (loads first, their readers last), and the words alive at once are counted in it. Where that takes more than leaves an SM
 * full of warps, the assembler puts up with a tighter order, and so does the estimate: docs/target.md, "Registers". */
#ifndef TARGET_REGISTERS_H
#define TARGET_REGISTERS_H

#include "target/shape.h"

/* `most`: what the launch bounds allow. */
int registers_estimate(const struct lowered *l, const struct shape *s, const struct code *selected, int most);

#endif
