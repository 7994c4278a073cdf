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

/* A fetch of a texture in cycle `at`: as unit_load_cycles, but that the texture unit does it, one behind the other. Its lanes are taken four at a time and,
 * of linear memory by number, eight; elements of 16 bytes take twice as long, and with a filter as long for each 4 bytes. Eight lanes take as
 * long as half of their lines, or as words of a bank if they are of linear memory. Source: NVIDIA H200, 2026-12-01, tests/truth/time/tex.tsv, l1.tsv (TEX). */
uint64_t unit_fetch_cycles(const struct caches_config *f, struct sm *s, const struct record *rec, unsigned lines, bool missed, uint64_t at, uint64_t *there);

/* What a warp waits for whose access finds the queue full. global: so are all that are in it. */
static inline int unit_full(const struct turn_access *a, bool global)
{
    return a->op == RECORD_TEXTURE ? COUNTER_STALL_TEX_THROTTLE : global ? COUNTER_STALL_LG_THROTTLE : COUNTER_STALL_MIO_THROTTLE;
}

/* Of what warps took, `busy` ticks, the shares of units (exec_pace.units). */
struct unit_busy units_of(uint64_t units, uint64_t busy);

#endif
