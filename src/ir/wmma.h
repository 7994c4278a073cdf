/* wmma as the assembler does it: loads and stores of each lane's elements, ldmatrix, movmatrix, and mma. See wmma.c. */
#ifndef IR_WMMA_H
#define IR_WMMA_H

#include "ir/emit.h"

/* Emits what one wmma instruction becomes. */
void wmma_expand(struct build *b, const struct frame *fr, const struct ptx_inst *in);

#endif
