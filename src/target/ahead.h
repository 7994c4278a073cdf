/* What the assembler does ahead of the site that needs it: in front of loops, once for several sites.
 *
 * In: where values live (lower.h). Out: lists of what stands in front of which site; selection.c makes the instructions. */
#ifndef TARGET_AHEAD_H
#define TARGET_AHEAD_H

#include "target/lower.h"

/* The block's last site. */
int32_t ahead_last_of(const struct ir_kernel *k, int32_t b);

/* Where what accesses of the space need is made: before the first one, in front of all loops. -1: there is none. */
int32_t ahead_first_access(const struct ir_kernel *k, int space);

/* -x and |x| by the site that they are made at (signs_new): 1 + the site of the first, as above. */
void ahead_signs(const struct ir_kernel *k, const int32_t *sign_at, int32_t *first_of, int32_t *next_of);

#endif
