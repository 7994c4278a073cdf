/* What the order of the machine code says of memory accesses: which wait for a load, and which loads come early.
 *
 * In: scheduled code and its flow. Out: enum target_waits of each site. */
#ifndef TARGET_WAITS_H
#define TARGET_WAITS_H

#include "target/flow.h"
#include "target/target.h"

/* waits: [sites], of WAITS_NOT. */
void waits_find(const struct ir_kernel *k, const struct code *c, const struct flow *f, uint8_t *waits);

/* The access of a site, which the instruction is; NULL: it is none, or something that stands around one. */
const struct ir_inst *waits_access(const struct ir_kernel *k, int arch, const struct machine_inst *in);

/* What the access (or NULL) brings takes as long as memory does. */
bool waits_brings(const struct ir_inst *in);

#endif
