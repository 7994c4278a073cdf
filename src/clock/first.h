/* Which multiprocessors get a grid's first blocks, in which order and when.
 *
 * The SMs of a GPC are a group, but the late TPCs are one by themselves. Groups start their blocks side by side, `block_dispatch` cycles from
 * one to the next, one block to each of their SMs in turn; late TPCs come first, again after `late_first` turns of others, then after each
 * `late_again`, but never have more than others have in the end. Where fewer blocks than SMs are left, each group gets as many, and no
 * second one goes to a TPC while another one has none. Source: NVIDIA H200, 2026-11-22, tests/truth/caches: first_blocks. */
#ifndef CLOCK_FIRST_H
#define CLOCK_FIRST_H

#include "memory/caches.h"

/* The next block of the grid goes to the SM, in this cycle. False: none is left. */
typedef bool first_give(void *user, uint32_t sm, uint64_t at);

/* order: [sms], out: the SMs in the order in which they get blocks. Each SM has room for cta_slots blocks. */
void first_blocks(const struct caches_config *c, uint32_t sms, uint32_t cta_slots, uint64_t nblocks, first_give *give, void *user, uint32_t *order);

#endif
