/* Where -x and |x| are made: selection.c asks.
 *
 * Most floating-point instructions read -x and |x| for nothing. For a reader that cannot (a store, an integer
 * instruction, copysign, a select or a root of doubles, ...) the assembler makes one FADD or DADD; where, depends:
 * - at the sign's own place, if nobody else reads it, or such a reader is in its block, or it has other definitions, too;
 * - else the sign is part of the instructions that read it for nothing, and the FADD stands at the end of the block that
 *   every way to the readers that need it comes through last before them.
 * Some functions of the math library read it for nothing, too (EXTERN_SIGN of extern_ways.def).
 * Source: tests/ptx/target/signs.ptx and kernels of one operation through ptxas 13.0 (V13.0.88)
 * -arch=sm_90, disassembled 2026-11-21; y1_small of tests/truth/rules on an H200. Not followed: the scheduler sometimes
 * puts the FADD a block further up or down (fmod of tests/truth/rules: into the block that needs it). */
#ifndef TARGET_SIGNS_H
#define TARGET_SIGNS_H

#include "ir/ir.h"

enum { SIGNS_FREE = -1 };

/* -x or |x|. */
static inline bool signs_changes(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_FNEG) || ir_is(in, PTX_KIND_FABS);
}

/* The instruction reads -a and |a| for nothing. */
bool signs_taken(const struct ir_inst *in);

/* [ninsts] for each FABS and FNEG the instruction at whose place it is done, or SIGNS_FREE. To be released. */
int32_t *signs_new(const struct ir_kernel *k, const int32_t *only);

#endif
