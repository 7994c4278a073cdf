/* Where the window of shared memory lies, which the assembler computes since Hopper: S2UR, UMOV and ULEA.
 *
 * In: a lowered kernel. An address of shared memory in PTX is an offset into the window. The assembler computes where a variable lies in each
 * block in which its address is taken (`mov.u32 %r, variable`) or where shared memory is accessed without one, in front of loops of
 * which every round does that; a block that such a block dominates has it, if no loop lies between. What is known of the window is
 * kept: another variable behind it takes a UIADD3 and a ULEA more.
 * These are values like others: in registers of the lanes (S2R, MOV, LEA) if a reader wants them there (slots.h), or the block is a
 * predicated way.
 * Source: 135 kernels, and one, two or three variables, factors, ways and loops, through ptxas 13.0 (V13.0.88) -arch=sm_90, 2026-11-29. */
#ifndef TARGET_WINDOW_H
#define TARGET_WINDOW_H

#include "target/lower.h"

struct window {
    int32_t site;    /* it is computed in front of it */
    int32_t base;    /* the window that was computed first, whose S2UR and UMOV it shares; itself if it is that one */
    uint64_t offset; /* bytes: where the variable lies in it */
    bool lanes;      /* of a base: in registers of the lanes, and so are those that share with it */
};

struct windows {
    struct window *of;
    int32_t n;
    int32_t *of_reg;  /* [nregs] of the address of a variable, or -1 */
    int32_t *of_site; /* [ninsts] of an access whose address is a number, or of a copy of such a one that a loop goes on from; or -1 */
};

/* Finds them. The places of `of_reg` are PLACE_UNIFORM or PLACE_REGISTER. */
void windows_find(struct lowered *l);
void windows_free(struct windows *w);

/* What one reader wants in the lanes' registers is there for all that share. Returns whether something has changed. */
bool windows_settle(struct lowered *l);

/* Registers that are set to the address of a variable of the space: a bit set, for the caller to free. */
uint64_t *windows_names(const struct lowered *l, int space);

#endif
