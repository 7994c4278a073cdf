/* The clock: the one place that decides which block and which warp runs next.
 *
 * Host threads take blocks from one counter in increasing order (as the hardware's block scheduler does) and keep as
 * many resident as the launch's occupancy allows, so that a block that waits for another resident one gets it. Inside
 * a block warps take turns: each runs until it stops (simt/warp.h says why). In a counting launch the clock pulls each
 * warp's records and feeds the memory model and the observer.
 * Results do not depend on the number of host threads, except where CUDA leaves the order of blocks open; counting
 * launches of kernels in which that order can show (ir_kernel.order_matters; where caches are modelled clock/order.h) run on one host thread. */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include "counters/counters.h"
#include "memory/caches.h"
#include "memory/rules.h"
#include "simt/warp.h"
#include "target/target.h"

struct spill_list;

/* What the launch takes on the modelled device, in cycles of the multiprocessors; 0 where caches are not modelled. */
struct clock_time {
    uint64_t cycles; /* from the launch's begin to its end */
    uint64_t active; /* in which a multiprocessor had a block, all multiprocessors' */
    uint64_t warps;  /* in which it had a warp that had not ended, all warps' */
    uint64_t accesses, waited; /* accesses of warps that waited for L2, and how long they did, all of them */
};

/* A block of a launch whose caches are modelled: from its begin to its end, in cycles since the launch began, and where. All 0: it has not ended. */
struct clock_block {
    uint64_t begin, end;
    uint32_t sm;
};

struct clock_run {
    struct launch *launch;
    int threads;              /* host threads, at least 1 */
    bool threads_asked;       /* else fewer than pay are one */
    enum warp_stop (*run)(struct warp *w, struct exec_counts *counts); /* the executor */
    /* Or NULL: the executor's way to begin a block of a launch that nobody observes (jit/jit.h). */
    bool (*run_block)(struct block *b, struct exec_counts *counts, uint64_t more, struct block_flight *flight, int *at, enum warp_stop *stop);
    int (*flight_wanted)(const struct launch *l);
    const struct rules *rules; /* of memory (memory/rules.h); NULL: those of 7.0 and later */
    struct counters *sites;   /* [ninsts], zeroed: memory counters are added here; NULL: not counting */
    struct exec_counts *counts; /* zeroed arrays: execution counts are added here; NULL: not counting */
    /* Or NULL; one host thread then. values: of stores, in watched launches. */
    void (*observe)(const struct record *r, const struct record_values *values, const struct block *b, void *user);
    void *observe_user;
    const struct caches_config *caches; /* or NULL: no caches are modelled. Only where the launch counts (rounds.h) */
    struct dram_stats dram;   /* out, where caches are modelled: to be released */
    struct clock_time time;   /* out */
    struct clock_block *blocks; /* out, where caches are modelled: of all blocks, zeroed; NULL: nobody wants them */
    uint32_t slots;           /* subpartitions of a multiprocessor */
    const struct exec_pace *block_pace; /* [nblocks], where caches are modelled: clock/pace.h */
    const struct exec_pace *long_pace; /* [LONG_WAYS * LONG_PARTS] of long ways, there too; NULL: the kernel has none */
    const struct target_pace *pace;
    const bool *early;        /* [ninsts], target_tables.early: what is claimed of them is checked */
    const struct spill_list *spills; /* spills.h, or NULL: the kernel has none */
};

/* Runs the launch to its end, or to its first fault (launch->fault_set) or interruption. */
void clock_run(struct clock_run *c);

/* Arrays for a kernel, zeroed; to += from. */
void exec_counts_init(struct exec_counts *c, const struct ir_kernel *k);
void exec_counts_add(struct exec_counts *to, const struct exec_counts *from, const struct ir_kernel *k);
/* All runs of blocks are among block_runs and block_lanes. */
void exec_counts_settle(struct exec_counts *c, const struct ir_kernel *k);
void exec_counts_release(struct exec_counts *c);

#endif
