/* Which registers have one value in all lanes of a warp, as far as the assembler sees it.
 *
 * In: an analysed kernel. A value is uniform when everything it is computed from is: parameters, constants, the block's
 * index and sizes, %warpid, votes, a shuffle from a fixed lane, loads from uniform addresses (but of local memory). The
 * thread's index is not, nor are results of atomics and other shuffles; `tid >> 5` is not either. A register with several
 * definitions is uniform when no branch whose lanes may part decides between them. Found with one-purpose kernels of
 * PTX through ptxas 13.0 (docs/target.md). */
#ifndef TARGET_UNIFORM_H
#define TARGET_UNIFORM_H

#include "ir/ir.h"

/* Bit set over registers; alloc_release it. */
uint64_t *uniform_registers(const struct ir_kernel *k);

/* An operand: an immediate is uniform. */
bool uniform_source(const uint64_t *uniform, const struct ir_src *s);

#endif
