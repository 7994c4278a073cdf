/* Which form of an operation an instruction is: the `form` column of sequences.def. */
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
    ALL_BY,     /* .rn: this quotient and all of its kind in the kernel are by one number, which is no special operand (long_ways.def) */
    NEAREST_FTZ, /* .rn.ftz */
    UPWARD,     /* .rp */
    CONSTANT,   /* the second operand is known */
    CONSTANT_FIELD, /* bfi: the field's place and length are immediates */
    ALL_COPIES, /* cp.async.wait_all */
    BY_KNOWN,   /* .approx, .full: the divisor is known before the kernel runs */
    NOT_BELOW_0, /* the operand is |x| or x * x */
    SHARED,     /* sin, cos: one before it in its block has reduced the same argument */
    BLOCK_WIDE, /* fence: for the block only */
    BYTE_FIELD, /* bfe: whole bytes at a byte's place */
    FIRST_FIELD, /* bfe: the lowest bits */
    OF_8_BITS,  /* mma: of 8-bit floats */
    OF_FLOATS,  /* set: by a comparison of floats, */
    OF_DOUBLES  /* of doubles */
};

/* only: definitions.h. */
bool form_fits(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, enum form form);

static inline bool form_same_register(const struct ir_src *a, const struct ir_src *b)
{
    return a->kind == IR_SRC_REG && b->kind == IR_SRC_REG && a->reg == b->reg;
}

/* Two halves that are one half twice, R5.H0_H0 in who reads them; of the maker of a register, or NULL. */
static inline bool form_is_doubled(const struct ir_inst *maker)
{
    return maker && ir_is(maker, PTX_KIND_COPY) && maker->nsrc == 2 && form_same_register(&maker->src[0], &maker->src[1]);
}

#endif
