/* The steps of ir_analyse. */
#ifndef IR_CFG_H
#define IR_CFG_H

#include "ir/ir.h"

/* Cuts the instruction list into blocks. On entry branch targets are instruction numbers, on return blocks. */
void cfg_make_blocks(struct ir_kernel *k);

/* Edges between blocks. `within` functions: from a call (ir/recursion.h) to what follows it, and from a return to the exit;
 * else through the body. */
void cfg_make_edges(struct ir_kernel *k, bool within);

/* Edges, dominators, post-dominators, loops, waiting loops; marks branches. */
void cfg_analyse(struct ir_kernel *k);

/* live_in and live_out of every block. A guarded definition does not end a live range. */
void liveness_analyse(struct ir_kernel *k);

#endif
