/* The exact memory model: from records to counts of requests, transactions, sectors and wavefronts.
 *
 * In: one record per warp-level memory instruction (simt/record.h). Out: additions to the counters of the record's
 * site. A lane's address is a multiple of what it accesses, executors see to that: no access crosses a sector. Rules of
 * compute capability 7.0 to 9.0, one file each: coalescer.c (global), local.c, shared.c, atomics.c, constant.c; of earlier
 * devices rules.h. Each file says where its rule comes from. No state beyond the counters, so order does not matter.
 * One `struct memory` per host thread, no locks; merge the counters with counters_add.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counters.h"
#include "memory/rules.h"
#include "simt/record.h"

struct memory {
    struct counters *sites; /* one per site; the caller's, zeroed */
    uint32_t nsites;
    const struct rules *rules; /* of an earlier device; NULL: 7.0 and later */
};

/* `sites` must outlive the model. A record whose site is not below nsites is a broken invariant of the caller's. */
void memory_init(struct memory *m, struct counters *sites, uint32_t nsites);

/* Counts by these rules from now on; at first, and for NULL, by those of 7.0 and later. They must outlive the model. */
void memory_set_rules(struct memory *m, const struct rules *rules);

/* Counts so many accesses that are alike, or one. Those of spaces other than global, shared, local and constant are not
 * counted. */
void memory_accesses(struct memory *m, const struct record *r, uint64_t times);

static inline void memory_access(struct memory *m, const struct record *r)
{
    memory_accesses(m, r, 1);
}

/* One access of global or local memory of which the sectors of its lines are known (lines_sectors): the same counts. */
void memory_access_of(struct memory *m, const struct record *r, unsigned sectors);

/* Counts n loads of one instruction, one a turn: r's addresses in the first, `step` bytes more in each after that, by the lanes
 * of on[turn], each of which has those of the next. False: nothing is counted, it is not a global load, or addresses do not
 * rise from lane to lane; then they are to be counted one by one. */
bool memory_strides(struct memory *m, const struct record *r, int64_t step, const uint32_t *on, int n);

/* The rules themselves, for tests and later models: what one record costs. */
unsigned coalescer_sectors(const struct record *r); /* 32-byte sectors touched: 1 to 32 * bytes / 32 + 32 */
unsigned local_sectors(const struct record *r);     /* the same for local memory, after interleaving */

/* A shared load or store: passes through the banks; those that its groups of lanes need when no bank is wanted twice; and passes as the
 * profiler's smsp__sass_... count them, never fewer. */
struct shared_passes {
    unsigned wavefronts, ideal, sass;
};
struct shared_passes shared_passes(const struct record *r);
unsigned atomics_sectors(const struct record *r, unsigned *rounds); /* sectors of a global atomic, once more for each collision. *rounds: the most lanes of one element */
unsigned atomics_shared_wavefronts(const struct record *r);
/* An atomic that the hardware does not have is a loop; one round of it for the lanes of `mask`. */
struct atomics_round {
    uint32_t done; /* lanes that are through: at least one */
    unsigned wavefronts; /* shared */
    unsigned sectors; /* global */
};
bool atomics_shared_loops(const struct record *r);
struct atomics_round atomics_shared_round(const struct record *r, uint32_t mask);
bool atomics_global_loops(const struct record *r);
void atomics_word_record(const struct record *r, struct record *words); /* the words that hold its half-words */
struct atomics_round atomics_global_round(const struct record *r, uint32_t mask);
unsigned constant_addresses(const struct record *r);/* distinct addresses of a constant load */

#endif
