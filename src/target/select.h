/* selp of a result that nothing else reads becomes a predicated instruction: the assembler computes the result only in
 * the lanes that take it, `@p add b, x, y` for `add t, x, y; selp d, t, b, p`. The GPU counts only those lanes
 * (smsp__sass_thread_inst_executed_op_*_pred_on). So with single-precision add, mul and fma; of two such results the
 * later one; where nobody reads b behind the select, and it is no constant, parameter, |x| or -x (H200, 2026-11-21: math_float and
 * branches of tests/truth/rules; tests/ptx/target/selects.ptx through ptxas 13.0 for sm_90, 2026-11-28).
 * cvt.sat of such a result is the .sat of what makes it. */
#ifndef TARGET_SELECT_H
#define TARGET_SELECT_H

#include "ir/ir.h"

/* In: a kernel in SSA. Instructions move inside their blocks only; those that are gone leave IR_OP_DELETED. */
void select_rewrite(struct ir_kernel *k);

#endif
