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

/* What controls an unrolled loop. */
struct shape_counter {
    uint8_t words;      /* of the counter */
    bool unordered;     /* the comparison is != */
    bool is_unsigned;   /* an ordered one, of numbers without a sign: the assembler sets a round for what begins beyond its end apart */
    bool from_zero;     /* it begins at 0 */
    bool uniform_bound; /* what it is compared with is in a uniform register */
    bool parts;         /* lanes leave at different turns */
    int round;          /* instructions of a round */
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
    struct shape_counter *counter; /* [nloops] of an unrolled loop */
    bool *known;      /* [nloops] its length is known */
    bool *whole;      /* [nloops] the rounds are all that there are: no loop is left */
    bool *control;    /* [ninsts] counts once for all rounds: the counter of an unrolled loop, its comparison and branch */
};

/* The block does nothing but end the kernel: a branch to it is an EXIT under a predicate. */
bool shape_leaves(const struct ir_kernel *k, int32_t b);

/* selected: what selection made of each site. */
struct shape *shape_new(const struct lowered *l, const struct code *selected);
void shape_free(struct shape *s);

#endif
