/* Which form of an operation an instruction is: the `form` column of expansions.def and sequences.def. */
#ifndef TARGET_FORMS_H
#define TARGET_FORMS_H

#include "ir/ir.h"

enum form {
    ANY,
    APPROX,     /* .approx */
    APPROX_FTZ, /* .approx.ftz */
    FULL,       /* .full */
    FULL_FTZ,   /* .full.ftz */
    NEAREST,    /* .rn */
    NEAREST_FTZ, /* .rn.ftz */
    UPWARD,     /* .rp */
    SATURATE,   /* .sat from f32 */
    FROM_HALF,  /* from f16 */
    CONSTANT,   /* the second operand is an immediate */
    CONSTANT_FIELD, /* bfi: the field's place and length are immediates */
    NOT_EXACT_BY_CONSTANT, /* .approx or .full, and the second operand is an immediate */
    ALL_COPIES, /* cp.async.wait_all */
    SHARED,     /* sin, cos: one before it in its block has reduced the same argument */
    BLOCK_WIDE  /* fence: for the block only */
};

bool form_fits(const struct ir_kernel *k, const struct ir_inst *in, enum form form);

static inline bool form_same_register(const struct ir_src *a, const struct ir_src *b)
{
    return a->kind == IR_SRC_REG && b->kind == IR_SRC_REG && a->reg == b->reg;
}

#endif
