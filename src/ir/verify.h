/* Is the IR of a kernel what IR has to be?
 *
 * Asked of what ir_build made and of what rewriting left (target/rewrite.c), before anybody runs it: a fault of rewriting is one of
 * both executors, which run the same IR. HEDDLE_VERIFY=1 asks behind each pass of rewriting, too, and of each form of machine code
 * (ir_kernel.form; more of those in jit/form_look.h). What is looked at:
 * - operations, types and modifiers are those of the instruction's row in ptx_ops.def, or of ir_ops.def, with its number;
 * - as many results and sources as the row has (operands.h), each in a register of the right class and width;
 * - guards are predicates, `!` stands before predicates only, registers are there;
 * - blocks follow each other without gaps, only their last instruction leaves them, branches go to blocks, edges are those of the
 *   last instructions, and nothing runs off the end;
 * - no register can be read before it is written that could not be in the kernel as it was built;
 * - in SSA (ssa.h) each register has one definition, which every way to a read leads through, and phis a source for each way in;
 * - with HEDDLE_VERIFY=1: what may not be left out is there as often as when the kernel was built, and lanes and warps wait for each
 *   other in the same order (effects.h).
 * Twice a kernel is 2 % of what preparing it costs, eleven times 12 % (1,488 kernels of tests/ptx and tests/truth, 2026-11-23). */
#ifndef IR_VERIFY_H
#define IR_VERIFY_H

#include "ir/ir.h"

/* False: the IR is broken, or there were problems before. k->problems says how, as a fault of Heddle's own, with the stage (`after`,
 * such as "fold"), the kernel, the line and the instruction. `analysed`: ir_analyse has run since the last change, and liveness is what it found. */
bool ir_verify(struct ir_kernel *k, const char *after, bool analysed);

/* HEDDLE_VERIFY is set, and not 0. */
bool ir_verify_wanted(void);

#endif
