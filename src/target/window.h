/* Where the window of shared memory is computed: S2UR, UMOV and ULEA, since Hopper.
 *
 * In: a lowered kernel. An address of shared memory in PTX is an offset into the window. The assembler computes where it lies in each block
 * in which a variable's address is taken (`mov.u32 %r, variable`) or accessed without one, in front of loops of which every round does
 * that; a block that such a block dominates has it, if no loop lies between.
 * Source: 135 kernels through ptxas 13.0 (V13.0.88) -arch=sm_90, 2026-11-29.
 */
#ifndef TARGET_WINDOW_H
#define TARGET_WINDOW_H

#include "target/lower.h"

/* at[ninsts]: the window is computed in front of the site. */
void window_find(const struct lowered *l, bool *at);

#endif
