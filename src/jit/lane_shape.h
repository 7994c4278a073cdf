/* What is known of a register's 32 lanes before the kernel runs: the shape that machine code keeps it in.
 *
 * A shape is "a scalar plus constants": lane i holds base + offset[i], where the base is known at run time only and
 * the offsets now, since the size of a block is known at launch. %tid.x of a block of 16 x 16 is base + i % 16,
 * and `4 * tid.x + 64` is base + 4 * (i % 16). A uniform register has offsets of 0. Arithmetic on such registers is
 * scalar, and their use as addresses needs no gather.
 * A warp of a block 16 wide lies in two rows, and `tid.y * n` has a value for each: such a shape has 2 groups, halves
 * of the warp that have a base each, or 4, quarters. Lane i holds base[i * groups / 32] + offset[i]. With several
 * groups a base is the value of its group's first lane, whose offset is 0. As few groups as do are taken: tid.y itself
 * is one scalar plus i / 16. Everything else is varying.
 * Shapes hold while all 32 lanes of a warp run together, which is when this machine code runs. A register that lanes
 * may have got on different ways, behind a branch that can part them, is varying, as is one that nobody sets. Offsets
 * wrap in the register's width like the values. Found by iteration from "nothing is known to differ" downwards until
 * nothing changes: of 1 group, of 2, of 4, varying. */
#ifndef JIT_LANE_SHAPE_H
#define JIT_LANE_SHAPE_H

#include "ir/ir.h"

enum { SHAPE_LANES = 32, SHAPE_HALVED = 2, SHAPE_GROUPS = 1 << SHAPE_HALVED /* at most */ };

enum shape_kind {
    SHAPE_NONE,    /* not found yet: anything */
    SHAPE_AFFINE,  /* base of the group + offset[lane] */
    SHAPE_VARYING
};

struct shape {
    uint8_t kind;  /* enum shape_kind */
    bool known;    /* AFFINE, of one group: the base is known too: `base` */
    uint8_t zeros; /* AFFINE: so many low bits of each base are 0 */
    uint8_t halved; /* AFFINE: 2 to this power is the number of groups */
    uint64_t base;
    bool bounded;  /* AFFINE: each base is known to be in [low, high], read as a signed number */
    int64_t low, high;
    int64_t offset[SHAPE_LANES]; /* sign-extended from the register's width */
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

static inline int shape_groups(const struct shape *s)
{
    return 1 << s->halved;
}

/* Of 2^halved groups: the one that a lane is in, and its first lane. */
static inline int shape_group_of(int lane, int halved)
{
    return lane << halved >> 5;
}

static inline int shape_first_lane(int group, int halved)
{
    return group << 5 >> halved;
}

/* The same shape in 2^halved groups, not fewer than it has; `bits`: the register's width. */
struct shape shape_in_groups(const struct shape *s, int halved, int bits);

/* All lanes of a group have one value, in 2^halved groups or in more. The least such `halved`, or -1: there is none. */
int shape_flat(const struct shape *s, int halved);

static inline bool shape_uniform(const struct shape *s)
{
    return shape_flat(s, 0) == 0;
}

/* affine_number (ir/affine.h) of an instruction whose sources have these shapes. */
bool shape_number(const void *shapes, const struct ir_inst *in, int i, uint64_t *bits);

/* What an access at addresses of affine shape reaches, group by group, above the base of its address register. */
struct shape_reach {
    int halved;                     /* 2 to this power is the number of groups */
    int64_t lowest[SHAPE_GROUPS];   /* the lowest lane's address */
    uint64_t span[SHAPE_GROUPS];    /* bytes from the first to behind the last */
    int64_t above[SHAPE_LANES];     /* bytes above the lowest address of the lane's group */
};

/* False: addresses are of no such shape, far apart, or misaligned whatever the base. */
bool shape_reach(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], const struct ir_inst *in,
                 struct shape_reach *r);

/* mul.wide, mad.wide, cvt to more bits of a register that is not the same in a group's lanes: the narrow value must not
 * wrap in any lane, or the result has another shape. Which source is to be looked at for that at run time, or -1: none.
 * `lo` and `hi`: the least and the greatest offset in each group of the result. */
int shape_guarded_source(const struct ir_kernel *k, const struct shapes *s, const uint32_t dim[3], const struct ir_inst *in,
                         int64_t lo[SHAPE_GROUPS], int64_t hi[SHAPE_GROUPS]);

#endif
