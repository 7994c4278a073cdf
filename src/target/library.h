/* Machine instructions that a call of the math library becomes: the rows of library.def. */
#ifndef TARGET_LIBRARY_H
#define TARGET_LIBRARY_H

#include "ir/ir.h"

enum { LIBRARY_OPS = 1024 /* of one call at most */ };

/* The call's function has rows. */
bool library_has(const struct ir_inst *in);

/* enum machine_op of what the call executes, in the rows' order, in ops[LIBRARY_OPS]; how many. A call that was parted by ways (ways.h)
 * executes what all ways have in common, and beside it stand the ways; one that was not goes its first way. */
int library_ops(const struct ir_inst *in, uint16_t *ops);

#endif
