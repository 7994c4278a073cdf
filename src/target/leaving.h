/* What lanes take out of a loop that they leave at different turns.
 *
 * In: a kernel in SSA. Out: the same kernel, in which a phi behind a loop has a register apart from the loop's counters that it is of:
 * moves before it, which out of SSA stay (ir_inst.stays). A counter goes up by the same in all lanes that are still in the loop, so
 * its lanes have a shape (jit/lane_shape.h): one number, or one and a stride. Where they meet behind the loop they may have left it
 * at different turns, and nothing is known ("temporal divergence"). With one register for both the loop would not know the shape.
 *
 * A counter: a phi of the loop's header, or a sum of it with what the loop does not change, that comes back to the header as that phi. It
 * is done only for loops whose end depends on the lane. The moves are not of the program: nothing counts them. */
#ifndef TARGET_LEAVING_H
#define TARGET_LEAVING_H

#include "ir/ir.h"

void leaving_rewrite(struct ir_kernel *k);

#endif
