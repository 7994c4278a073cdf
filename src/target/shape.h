/* Which blocks the assembler runs as one, and which loops it unrolls.
 *
 * In: a lowered kernel and its instructions. Out: for each block the region (a chain of blocks without a branch between) it is
 * part of, and the block whose runs count: the instructions of a short way of a branch become predicated, and every warp
 * that comes to the branch executes them. For each loop how many rounds stand side by side.
 * Limits: kernels of one branch or one loop through ptxas 13.0 (V13.0.88) -arch=sm_90, 2026-11-22 (docs/target.md). */
#ifndef TARGET_SHAPE_H
#define TARGET_SHAPE_H

#include "target/code.h"
#include "target/lower.h"

/* What ends a loop: a register of integers that goes up by `step` in each turn, compared with something that does not change. */
struct counter {
    int32_t branch, compare, add; /* sites */
    int32_t reg;           /* as it is when lanes come to the loop */
    struct ir_src bound;
    uint8_t type;          /* enum ptx_type, of the comparison */
    struct ir_trips trips; /* but rounds */
    int64_t turns;         /* or 0: not known before the kernel runs */
    bool parts;            /* lanes leave at different turns */
};

struct shape {
    int32_t *head;    /* [nblocks] first block of the region */
    int32_t *next;    /* [nblocks] the region's next block, or -1 */
    int32_t *counted; /* [nblocks] block that runs when this one's instructions are executed */
    int32_t *guard;   /* [nblocks] the predicate of a converted way, or IR_NOREG */
    bool *otherwise;  /* [nblocks] the way is that of lanes whose predicate is false */
    bool *converted;  /* [nblocks] the branch at the block's end is no instruction, its ways are predicated */
    uint16_t *rounds; /* [nloops] rounds side by side; 1: not unrolled */
    uint16_t *rest;   /* [nloops] of known length: rounds that are left over behind it */
    bool *known;      /* [nloops] its length is known */
    bool *whole;      /* [nloops] the rounds are all that there are: no loop is left */
    struct counter *counter; /* [nloops] of unrolled ones */
    bool *control;    /* [ninsts] counts once for all rounds: the counter of an unrolled loop, its comparison and branch */
};

/* The block does nothing but end the kernel: a branch to it is an EXIT under a predicate. */
bool shape_leaves(const struct ir_kernel *k, int32_t b);

/* Ways of branches as they could become predicated, whatever is in them: [nblocks], for the caller to free. */
bool *shape_ways(const struct ir_kernel *k);

/* selected: what selection made of each site. */
struct shape *shape_new(const struct lowered *l, const struct code *selected);
void shape_free(struct shape *s);

#endif
