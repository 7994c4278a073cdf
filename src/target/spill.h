/* Values that do not fit into registers: made again where they are read, or kept in local memory.
 *
 * In: laid-out code, before it is scheduled. Out: the same code with instructions added. */
#ifndef TARGET_SPILL_H
#define TARGET_SPILL_H

#include "target/flow.h"

/* Parameters and constants in registers, which cost no memory access to make: each block that reads one makes it for itself. Returns how many
 * values that are. */
int spill_free(struct code *c, const struct flow *f);

#endif
