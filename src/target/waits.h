/* What the order of the machine code says of memory accesses: what takes as long as memory does, and which loads come early.
 *
 * In: scheduled code. Out: which loads of global memory stand in front of stores that precede them in PTX. */
#ifndef TARGET_WAITS_H
#define TARGET_WAITS_H

#include "target/flow.h"

/* early: [sites], false. */
void waits_find(const struct ir_kernel *k, const struct code *c, bool *early);

/* The access of a site, which the instruction is; NULL: it is none, or something that stands around one. */
const struct ir_inst *waits_access(const struct ir_kernel *k, int arch, const struct machine_inst *in);

/* What the access brings takes as long as memory does. */
bool waits_brings(const struct ir_inst *in);

#endif
