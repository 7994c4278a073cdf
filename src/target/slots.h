/* Who gets an instruction's one operand that is not a register of the lane.
 *
 * In: a kernel with its places. An instruction of lanes has one operand that may be a constant, of the constant bank or a uniform register; what
 * else it reads must be in registers. A value that has to be in a register for one of its readers is there for all of them.
 * - A constant that is no zero takes the operand.
 * - Of several values the one that is made first takes it: what the warp computes is made with the last of its operands, what a loop
 *   changes where that begins; parameters come after values that are made, in the order of operands.
 * - Stored values, operands of shuffles and atomics, what is shifted, |x| of an integer and factors of a constant have no such operand.
 * - Hopper loads two words of parameters that lie in one of 8 bytes at once, if they are read first in one block: both into
 *   uniform registers, or both into the lane's.
 * - A pair that a loop changes stays in uniform registers if one instruction of the lanes reads it: MOV of both words there, in each turn.
 * - What the whole warp computes of a value that is in registers is computed in registers, too.
 * Source: kernels of a few instructions through ptxas 13.0 (V13.0.88) -arch=sm_90, 2026-11-29 (tests/ptx/target/slots.ptx). */
#ifndef TARGET_SLOTS_H
#define TARGET_SLOTS_H

#include "target/lower.h"

/* Moves values from PLACE_UNIFORM to PLACE_REGISTER, and sets `held` and `pair`. */
void slots_settle(struct lowered *l);

/* Which values of the bank are loaded in front of which site: at the first reader, or at the begin of the block in front of its loops (of those
 * that the lanes' registers hold: in front of loops of which every round reads them, kernels of one loop with a way in it, 2026-11-29);
 * blocks that this one dominates find it there. first_of[ninsts]: the first of a site's, or -1 (set by the caller); next_of and reg_of,
 * long enough for all: the next one, and the value. Returns how many. */
int32_t slots_loads(const struct lowered *l, int32_t *first_of, int32_t *next_of, int32_t *reg_of);

#endif
