/* Vectors of integers of 8 and 16 bits: loads bring them in whole registers, stores take them so.
 *
 * Each element that somebody reads as an integer is taken out by one instruction (PRMT; LOP3 of the lower half of a register; SGXT, with
 * a shift but for the first, of bytes with a sign), and a store's elements are put together two by two. Halves are read where they are. A vector that
 * is only stored as it was loaded stays together. Source: kernels of one access through ptxas 13.0 (V13.0.88), sm_75, sm_80 and sm_90, 2026-11-29. */
#ifndef TARGET_PACKED_H
#define TARGET_PACKED_H

#include "target/selecting.h"

/* A load or store of such a vector. */
bool packed_is(const struct ir_inst *in);

/* Where the load brings it: behind the load its elements are taken out of there. */
struct operand packed_loaded(struct selecting *s, const struct ir_inst *in);
void packed_unpack(struct selecting *s, const struct ir_inst *in, struct operand loaded);

/* What the store stores. */
struct operand packed_stored(struct selecting *s, const struct ir_inst *in);

/* mov.b32 of a word to its halves: the upper one is taken out, unless it is read where it is. */
void packed_halves(struct selecting *s, const struct ir_inst *in);

#endif
