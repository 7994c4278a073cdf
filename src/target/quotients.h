/* Which quotients of 32 bits are parted: what depends on the divisor alone stands elsewhere.
 *
 * Quotients by one divisor share it: it is made for the first one of a block; by a number that is known, with or without a sign, for the
 * first one of all blocks behind. In loops in which the divisor does not change it is made in front of them. Source: kernels of
 * quotients through ptxas 13.0 (V13.0.88), 2026-11-22 and 2026-11-29 (docs/target.md). */
#ifndef TARGET_QUOTIENTS_H
#define TARGET_QUOTIENTS_H

#include "target/lower.h"

/* What tells divisors apart: a register; of a number that is known the registers' number and behind them the site of its first quotient; -1:
 * the instruction is no such quotient. */
int32_t quotients_divisor(const struct lowered *l, const struct ir_inst *in);

/* parted[ninsts]: the first part of a quotient does not stand at its site. first_of[ninsts], next_of[ninsts]: quotients, as 1 + their site,
 * whose first part is made at a site behind all else; 0: none. */
void quotients_part(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of);

#endif
