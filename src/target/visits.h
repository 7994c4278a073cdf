/* Has launches count how many turns warps do in unrolled loops, and which long ways they go.
 *
 * In: an analysed kernel and its tables. Out: the kernel with an instruction before each unrolled loop whose number of turns is not
 * known (IR_OP_TRIPS, ir/ir.h), at the end of every block that lanes come from, under the predicate under which they come, and one
 * before each quotient and root that has a long way (IR_OP_LONG_WAY, long_ways.h). They
 * compute nothing, executors that count nothing pass them by, and they are none of the GPU's. Sites behind it move, and the tables with
 * them; blocks and registers stay what they were. */
#ifndef TARGET_VISITS_H
#define TARGET_VISITS_H

#include "target/target.h"

void visits_insert(struct ir_kernel *k, struct target_tables *t);

#endif
