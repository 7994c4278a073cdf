/* Operands that approximate functions and quotients scale.
 *
 * Where an operand is subnormal or large, the operation works on a multiple of it. For ordinary operands that costs nothing, `@p FMUL
 * r, r, 2^24`, unless the register must keep its value, being read again later, or the operand is -x or |x|: then it is FMUL t, r, 2^24
 * and FSEL, for every operand. <FMUL> in sequences.def.
 * Source: kernels of one operation through ptxas 13.0 (V13.0.88) -arch=sm_90, 2026-11-20. */
#ifndef TARGET_SCALING_H
#define TARGET_SCALING_H

#include "ir/ir.h"

/* [ninsts] bit set over the first two operands: scaled into a register of its own. To be released. */
uint8_t *scaling_new(const struct ir_kernel *k, const int32_t *only);

#endif
