/* Which bits of an integer may be set, as the assembler knows: a mask that takes none of them away is no instruction.
 *
 * It looks through loads of 8 and 16 bits without a sign, masks, and, or and xor, shifts by constants, choices and conversions, but not
 * through sums, population counts or special registers. Source: kernels of one operation through ptxas 13.0 (V13.0.88), sm_75, sm_80 and sm_90,
 * 2026-11-29. */
#ifndef TARGET_BITS_H
#define TARGET_BITS_H

#include "ir/ir.h"

/* A conversion of an integer of fewer than 32 bits: its register holds nothing above it. only: definitions.h. */
bool bits_widen_freely(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in);

/* The source that the instruction, a logical and, leaves as it is; or NULL. */
const struct ir_src *bits_unmasked(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in);

#endif
