/* Small local arrays that the assembler keeps in registers, element by element: an index that is not known before the
 * kernel runs becomes a comparison and a predicated move for each element, and nothing goes through memory.
 *
 * In: a kernel in SSA. Out: the same kernel, in which the accesses to such an array are no memory traffic (IR_SCRATCH).
 * It is one if the kernel's local memory is at most seven 32-bit elements, accessed as such and by no other pointer, one
 * access has the array's own address and a constant offset, and at most 17 have an address that is computed. An array of
 * eight stays in memory or not by a rule that is not known: taken as in memory. All other arrays stay in memory.
 * Source: 60 one-array kernels through ptxas 13.0 (V13.0.88) -arch=sm_90, disassembled 2026-11-21 (some of them in
 * tests/ptx/target/arrays.ptx); sin, cos and tan of large arguments in tests/truth/rules have no local access on an H200,
 * y1 and jn, which reach the same array by a pointer in a register only, have. */
#ifndef TARGET_ARRAYS_H
#define TARGET_ARRAYS_H

#include "ir/ir.h"

void arrays_to_registers(struct ir_kernel *k);

/* The address is the array's own, through moves and additions of nothing, which is how compilers name it. only: definitions.h. */
bool arrays_is_named(const struct ir_kernel *k, const int32_t *only, const struct ir_src *base);

#endif
