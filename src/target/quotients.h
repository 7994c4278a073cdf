/* Which quotients of 32 bits are parted: what depends on the divisor alone stands elsewhere.
 *
 * Quotients by one divisor share it: it is made for the first one of a block. In loops in which the divisor does not change it
 * is made in front of them. Source: kernels of quotients through ptxas 13.0 (V13.0.88), 2026-11-22 (docs/target.md). */
#ifndef TARGET_QUOTIENTS_H
#define TARGET_QUOTIENTS_H

#include "target/lower.h"

/* parted[ninsts]: the first part of a quotient does not stand at its site. first_of[ninsts], next_of[ninsts]: quotients, as 1 + their site,
 * whose first part is made at a site behind all else; 0: none. */
void quotients_part(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of);

#endif
