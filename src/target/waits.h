/* What the order of the machine code says of memory accesses: which wait for a load, and which loads come early.
 *
 * In: scheduled code and its flow. Out: enum target_waits of each site. */
#ifndef TARGET_WAITS_H
#define TARGET_WAITS_H

#include "target/flow.h"
#include "target/target.h"

/* waits: [sites], of WAITS_NOT. */
void waits_find(const struct ir_kernel *k, const struct code *c, const struct flow *f, uint8_t *waits);

#endif
