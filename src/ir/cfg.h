/* The steps of ir_analyse. */
#ifndef IR_CFG_H
#define IR_CFG_H

#include "ir/ir.h"

/* A branch, or an instruction that ends threads: nothing comes behind it in its block. */
bool cfg_ends_block(const struct ir_inst *in);

/* Some of its lanes may go on with what stands behind it. */
bool cfg_falls_through(const struct ir_inst *in);

/* A branch to t, or a call that comes back to t, has name[t] there. */
void cfg_rename_targets(struct ir_inst *in, const int32_t *name);

/* It reads a clock. */
bool cfg_reads_time(const struct ir_inst *in);

/* Cuts the instruction list into blocks. What reads a clock behind an access to memory begins one, so that a warp can wait for the access before
 * it does. On entry branch targets are instruction numbers, on return blocks. */
void cfg_make_blocks(struct ir_kernel *k);

/* Edges between blocks. `within` functions: from a call (ir/recursion.h) to what follows it, and from a return to the exit;
 * else through the body. */
void cfg_make_edges(struct ir_kernel *k, bool within);

/* Edges, dominators, post-dominators, loops, waiting loops; marks branches. */
void cfg_analyse(struct ir_kernel *k);

/* out[b]: the immediate post-dominator of block b when edges to block `cut` and edges back to a loop's header do not count
 * (cut -1: all count); -1: none. Edges to blocks that only end their threads count nowhere where there is another way. */
void cfg_post_dominators(const struct ir_kernel *k, int32_t cut, int32_t *out);

/* Sets `reconvergence` and `leaves` of the branches (reconvergence.c); needs everything else of cfg_analyse. */
void reconvergence_find(struct ir_kernel *k);

/* live_in and live_out of every block. A guarded definition does not end a live range. */
void liveness_analyse(struct ir_kernel *k);

/* The registers that are alive before instruction i: the words of k->nregs bits. */
void liveness_before(const struct ir_kernel *k, int32_t i, uint64_t *live);

#endif
