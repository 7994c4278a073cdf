/* Calls of the math library whose cost depends on the argument.
 *
 * In: a kernel. Out: the same kernel, in which a call of a function with several ways (EXTERN_WAYS of extern_ways.def) costs
 * nothing itself, and before it stand a call that tells each lane's way, and for each way, under a predicate that holds for
 * its lanes, a call without a result. The executor does nothing there, but counts its lanes; tables.c says what they count
 * as. Calls that are already under a predicate stay one, which counts as its first way. */
#ifndef TARGET_WAYS_H
#define TARGET_WAYS_H

#include "ir/ir.h"

#include <string.h>

/* ir_inst.way of a call whose ways are counted beside it. */
enum { WAYS_PARTED = 255 };

/* Behind the name of a function: what the executor calls the function that tells the way. */
#define WAYS_TELL "__way"

void ways_part(struct ir_kernel *k);

/* It is no instruction of nvcc's code, but the call that tells the way. */
static inline bool ways_tells(const struct ir_inst *in)
{
    size_t n = in->op == IR_OP_EXTERN ? strlen(in->callee) : 0, behind = sizeof WAYS_TELL - 1;
    return n > behind && strcmp(in->callee + n - behind, WAYS_TELL) == 0;
}

/* It stands for one way of a call beside it, and is executed if lanes go it. */
static inline bool ways_counts(const struct ir_inst *in)
{
    return in->op == IR_OP_EXTERN && in->guard != IR_NOREG && in->ndst == 1 && in->dst[0] == IR_NOREG;
}

#endif
