/* What passes must leave in the kernel: the places of instructions that may not be left out (ir/facts.h): stores, atomics with their
 * effect on memory, barriers, exchanges between lanes, ordered loads, calls, branches.
 *
 * Noted when the kernel is built, by where the instruction is from (struct ir_origin), which its copies keep and an access that was made
 * of several has for each element. Behind each pass none may be missing, none may be there more often than before (but parted calls,
 * target/ways.h), and those at which lanes or warps wait for each other stand in the same order. */
#ifndef IR_EFFECTS_H
#define IR_EFFECTS_H

#include "ir/ir.h"

/* Sets k->effects; in the kernel's arena. */
void effects_note(struct ir_kernel *k);

/* What is wrong, and the place; NULL: nothing. */
const char *effects_wrong(const struct ir_kernel *k, const struct ir_origin **where);

#endif
