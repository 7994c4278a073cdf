/* Arithmetic that all ways to a place do alike.
 *
 * In: a kernel in SSA. Out: the same kernel, in which a value that is computed on each way from a branch to where its lanes
 * meet, by the same instructions from the same operands, is computed before the branch, once for the lanes of all ways. So
 * it stands in the program as it was written: a compiler that finds `first + ty` computed in one way of a branch and wanted
 * behind it computes it in the other way, too (partial redundancy elimination: LLVM's gvn pass), and a value that is the same
 * function of the lane everywhere would be one of two, by the lane's way. Any arithmetic, unguarded, at most HOIST_DEEP
 * instructions one behind the other. Every lane does as many instructions as before.
 * How a warp's lanes are counted that part at such a branch: once instead of once for each way. */
#ifndef TARGET_HOIST_H
#define TARGET_HOIST_H

#include "ir/ir.h"

enum { HOIST_DEEP = 4 };

void hoist_arithmetic(struct ir_kernel *k);

#endif
