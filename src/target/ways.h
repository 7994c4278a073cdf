/* Calls of the math library whose cost depends on the argument.
 *
 * In: a kernel. Out: the same kernel, in which a call of a function with two ways (EXTERN_WAY of extern_flops.def) is two
 * under opposite predicates, one for the lanes whose |x| is below the limit and one for the others, so that each counts
 * (tables.c) as what nvcc's code for those arguments executes. Calls that are already under a predicate stay one. */
#ifndef TARGET_WAYS_H
#define TARGET_WAYS_H

#include "ir/ir.h"

void ways_part(struct ir_kernel *k);

#endif
