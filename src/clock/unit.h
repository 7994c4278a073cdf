/* For how long an access keeps the multiprocessor's unit of loads and stores: the pipe to the tags of L1, and the memory behind it, which what loads bring
 * and passes through the banks of shared memory have in common. Times are ticks (PACE_TICKS of a cycle) where no cycles are meant. */
#ifndef CLOCK_UNIT_H
#define CLOCK_UNIT_H

#include "clock/sm.h"

/* Passes of an access to shared memory through its banks. */
unsigned unit_passes(const struct record *r);

/* The SM's memory is busy for some cycles more, from `at` on at the earliest; a cycle of it takes pass_ticks. Returns until when. */
uint64_t unit_keep_data(struct sm *s, uint64_t at, uint64_t cycles, uint64_t pass_ticks);

/* For how many cycles a store of so many lines keeps the pipe. What goes to local memory stays in L1 at first. */
uint64_t unit_store_cycles(const struct caches_config *f, const struct record *rec, unsigned lines);

/* A load of these lines in cycle `at`, of which L1 did not have some sectors: for how many cycles it keeps the pipe. *there: when its data have passed
 * the memory, in ticks. */
uint64_t unit_load_cycles(const struct caches_config *f, struct sm *s, const struct record *rec, unsigned lines, bool missed, uint64_t at, uint64_t pass_ticks, uint64_t *there);


/* Of what warps took, `busy` ticks, the shares of units (exec_pace.units). */
struct unit_busy units_of(uint64_t units, uint64_t busy);

#endif
