/* What is known of a register's 32 lanes before the kernel runs: the shape that machine code keeps it in.
 *
 * A shape is "one scalar plus constants": lane i holds base + offset[i], where the base is known at run time only and
 * the offsets now, since the size of a block is known at launch. %tid.x of a block of 16 x 16 is base + i % 16,
 * and `4 * tid.x + 64` is base + 4 * (i % 16). A uniform register has offsets of 0. Arithmetic on such registers is
 * scalar, and their use as addresses needs no gather. Everything else is varying.
 * Shapes hold while all 32 lanes of a warp run together, which is when this machine code runs. A register that lanes
 * may have got on different ways, behind a branch that can part them, is varying. Offsets wrap in the register's
 * width like the values. Found by iteration from "nothing is known to differ" downwards until nothing changes. */
#ifndef JIT_SHAPE_H
#define JIT_SHAPE_H

#include "ir/ir.h"

enum { SHAPE_LANES = 32 };

enum shape_kind {
    SHAPE_NONE,    /* no definition reached: anything */
    SHAPE_AFFINE,  /* base + offset[lane]; uniform: all offsets 0 */
    SHAPE_VARYING
};

struct shape {
    uint8_t kind;  /* enum shape_kind */
    bool known;    /* AFFINE: the base is known too: `base` */
    uint8_t zeros; /* AFFINE: so many low bits of the base are 0 */
    uint64_t base;
    bool bounded;  /* AFFINE: the base is known to be in [low, high], read as a signed number */
    int64_t low, high;
    int64_t offset[SHAPE_LANES]; /* sign-extended from the register's width; the least one is 0 unless known or wrapped */
};

struct shapes {
    struct shape *reg;  /* [nregs] */
    uint64_t *parting;  /* bit set over instructions: branches whose lanes may part */
    uint8_t *lazy;      /* [nregs]: f32 registers in which a NaN may be any NaN until somebody looks at its bits */
};

/* Shapes of a kernel for blocks of `dim` threads. The caller releases them. */
struct shapes *shapes_find(const struct ir_kernel *k, const uint32_t dim[3]);
void shapes_release(struct shapes *s);

/* The shape of an operand: immediates are known, special registers by what they are. */
struct shape shape_of_source(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3],
                             const struct ir_inst *in, int i);

/* The shape that the instruction itself gives its result: where `known`, the base is a constant. */
struct shape shape_of_result(const struct ir_kernel *k, struct shapes *s, const uint32_t dim[3], const struct ir_inst *in);

static inline bool shape_uniform(const struct shape *s)
{
    if (s->kind != SHAPE_AFFINE)
        return false;
    for (int i = 0; i < SHAPE_LANES; i++)
        if (s->offset[i])
            return false;
    return true;
}

/* mul.wide, mad.wide, cvt to more bits of a register that is not uniform: the narrow value must not wrap in any lane, or
 * the result has another shape. Which source is to be looked at for that at run time, or -1: none. `lo` and `hi`: the
 * least and the greatest offset. */
int shape_guarded_source(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3],
                         const struct ir_inst *in, int64_t *lo, int64_t *hi);

#endif
