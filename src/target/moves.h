/* Instructions that become copies of a value that is there already, and those that move to the end of an earlier block.
 *
 * A register is copied whole: the type of a move is as wide as its destination, whatever the instruction loaded or computed
 * before. Guard, block and source line stay. */
#ifndef TARGET_MOVES_H
#define TARGET_MOVES_H

#include "ir/ir.h"

/* in->dst[0] = from, which is a constant or a register as wide as the destination. The type stays where it fits, so that moves
 * of floating constants stay such. */
void move_become(struct ir_kernel *k, struct ir_inst *in, struct ir_src from);

/* in->dst[0] = what a load of type `loaded` left in `from`, a register that may be wider or narrower (but not than `loaded`):
 * loads fill wider registers with zeros, those of signed types with the sign (PTX ISA 8.4, 9.2 and 9.7.9.8). */
void move_become_loaded(struct ir_kernel *k, struct ir_inst *in, int32_t from, enum ptx_type loaded);

/* An instruction to be done at the end of a block, before the branch that ends it. */
struct moved {
    int32_t block;
    struct ir_inst inst;
};

/* The kernel's instructions anew, with the `n` moved ones, those of a block in their order. */
void moves_insert(struct ir_kernel *k, const struct moved *moved, int32_t n);

#endif
