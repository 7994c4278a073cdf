/* From the instructions of sites to the machine code of a kernel: blocks in their order, with everything that stands between.
 *
 * In: what selection made, and the shape. Out: code with blocks (code.h). Ways of converted branches are part of the block before
 * them, under their predicate; an unrolled loop is there several times: with four turns side by side, with two, with one (docs/
 * target.md, "Instructions of the GPU"). Where lanes part, BSSY stands before the branch and BSYNC where they meet. Functions that
 * are called come last. */
#ifndef TARGET_LAYOUT_H
#define TARGET_LAYOUT_H

#include "target/code.h"
#include "target/shape.h"

/* To be freed with code_free; `selected` is not changed. */
struct code *layout_new(const struct lowered *l, const struct shape *s, const struct code *selected);

#endif
