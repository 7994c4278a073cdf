/* The order of the instructions of each block, as the assembler puts them.
 *
 * In: laid-out code (layout.h) and its flow. Out: the same instructions of each block in another order: long waits begin early (loads
 * first, their readers last) as long as that takes no more registers than leave an SM full of warps, else tighter ones: docs/target.md,
 * "Registers". Accesses that may touch the same bytes, barriers and fences stay as they were to each other. */
#ifndef TARGET_SCHEDULE_H
#define TARGET_SCHEDULE_H

#include "target/flow.h"

/* Reorders the instructions of `c` and their touches in `f`. most: registers that the launch bounds allow a thread. fewer: the
 * order keeps so many free below a step. Returns how many registers the order is made for. */
int schedule(const struct lowered *l, struct code *c, struct flow *f, int most, int fewer);

/* The same for code whose registers are known: of orders that take no more than `registers`, the present one among them, each block gets
 * the one in which a warp waits least, if what comes from memory takes some hundred cycles. Returns the cycles of all blocks, one after the other. */
int64_t schedule_for_time(const struct lowered *l, struct code *c, struct flow *f, int registers);

#endif
