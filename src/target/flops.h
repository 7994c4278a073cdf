/* Floating-point operations that one execution of a site is, read off its machine code: what the instructions are that a lane executes
 * for ordinary operands.
 *
 * Counted as smsp__sass_thread_inst_executed_op_*_pred_on counts them: FADD, FMUL, FFMA, DADD, DMUL, DFMA, HADD2, HMUL2 and HFMA2, each
 * once, a pair of halves too, and a conversion by HADD2.F32; MUFU, FMNMX, FSEL, FSETP, FRND and F2I not (an H200, launches of one
 * function each, tests/truth/machine). A GPU counts an HFMA2 that loads a constant, too: those of library.def are here, but not the
 * moves that become one (balance.h): which do is an estimate. */
#ifndef TARGET_FLOPS_H
#define TARGET_FLOPS_H

#include "target/code.h"
#include "target/target.h"

/* Adds what an operation counts as, so many times. */
void flops_add(struct target_flops *f, enum machine_op op, int times);

/* flops[ninsts], of code that still has `first` (selection.h). */
void flops_read(const struct ir_kernel *k, const struct code *selected, struct target_flops *flops);

#endif
