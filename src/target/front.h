/* What stands in front of sites for others: where selection puts what several sites share. */
#ifndef TARGET_FRONT_H
#define TARGET_FRONT_H

#include "target/code.h"
#include "target/lower.h"

/* The block's last site. */
int32_t front_last_site(const struct ir_kernel *k, int32_t b);

/* Which bank values are loaded in front of which site (lowered_outside_loops), each once for a block that reads it: chains of loads that begin
 * at first_of[site] (-1: none) and go on at next_of[load]; reg_of[load] is the value. *n loads. */
void front_bank_loads(const struct lowered *l, int32_t *first_of, int32_t *next_of, int32_t *reg_of, int32_t *n);

/* Quotients whose first part stands elsewhere, and where: 1 + the site of the first of those that stand in front of a site. */
void front_parted(const struct lowered *l, bool *parted, int32_t *first_of, int32_t *next_of);

/* Where what accesses of the space need is made: before the first one, in front of all loops. */
int32_t front_access(const struct ir_kernel *k, int space, int32_t *access);

/* Puts what was made for another site where that one is, and sets `first`. */
void front_sort(struct code *c, int32_t sites);

#endif
