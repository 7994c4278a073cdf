/* Arithmetic that the assembler does only where its result is used.
 *
 * In: a kernel in SSA. Out: the same kernel, in which arithmetic of a block that ends in
 * "leave the kernel or go on", and whose result is used only if the lane goes on, stands behind that branch. So 31 of 32
 * lanes of `v += __shfl_down_sync(m, v, 1); if (lane == 0) out[row] = v;` do not count an FADD.
 * The assembler does so when the block behind the branch has something to wait for or a pointer to compute; a block that
 * is hardly more than a store it guards instead, and the addition stays. The same holds of integer quotients of
 * 32 bits. Branches that meet again are left alone: the assembler guards them, too, unless they are long. Source: tests/ptx/target/sinking.ptx, docs/target.md. */
#ifndef TARGET_SINK_H
#define TARGET_SINK_H

#include "ir/ir.h"

void sink_arithmetic(struct ir_kernel *k);

#endif
