/* Workers, resident blocks and warps in turn (see clock.h).
 *
 * A worker runs one resident block until it is done or makes no headway: every warp that can run turns in a waiting
 * loop. Then it lets the next block become resident, if residency allows, or goes on with another of its blocks. A
 * block in which no warp can run and none spins is a deadlock, unless lanes that wait at a join can go on alone. */
#define _GNU_SOURCE
#include "clock/clock.h"
#include "clock/rounds.h"
#include "clock/spills.h"
#include "base/alloc.h"
#include "base/crew.h"
#include "base/host_floats.h"
#include "base/strbuf.h"
#include "memory/memory.h"
#include "simt/tally.h"
#include "simt/long_way.h"
#include "simt/trips.h"

#include "heddle.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_RESIDENT_BYTES = 1 << 30, /* host memory for the resident blocks of one worker */
    YIELD_PASSES = 128 /* over all of them without one that ends: a busy host gives the processor back only after milliseconds */
};

struct worker {
    struct clock_run *c;
    struct launch *l;
    bool only;               /* the launch has one host thread */
    uint64_t *next;          /* the first block that no worker has claimed */
    uint64_t claimed, claimed_end; /* this one's, in order; so many at a time: */
    uint64_t batch;
    struct memory memory;
    struct counters *sites;
    struct exec_counts counts;
    struct spill_entries entries; /* where the launch has spills */
    struct block **resident;
    void **spare;            /* memory of finished blocks */
    struct record *ring;     /* [launch->ring_records], or NULL: warps share it, it is empty whenever one stops */
    struct record_values *values; /* beside it, in a watched launch */
    int nresident, nspare, limit;
    bool own_counts;
    char apart[128]; /* no line of the host's caches, nor a pair of lines, has parts of two of them */
};

enum { MOST_CLAIMED = 32 /* blocks at a time, for fewer that all workers write to one place */, BATCHES = 4 /* at least, for each worker */ };

enum progress { BLOCK_DONE, BLOCK_STALLED, BLOCK_STOPPED };

/* --- counts --- */

static size_t numbers_before(const struct ir_kernel *k, enum exec_number n)
{
    return exec_numbers_at(n, (size_t)k->nblocks, (size_t)k->ninsts);
}

static size_t all_numbers(const struct ir_kernel *k)
{
    return numbers_before(k, EXEC_TRIPS) + (size_t)k->ntrips * TRIPS_NUMBERS + (size_t)k->nlong_ways * LONG_NUMBERS;
}

void exec_counts_init(struct exec_counts *c, const struct ir_kernel *k)
{
    *c = (struct exec_counts){.whole = alloc_zeroed(all_numbers(k) * sizeof(uint64_t))};
    c->block_runs = c->whole + numbers_before(k, EXEC_BLOCK_RUNS);
    c->block_lanes = c->whole + numbers_before(k, EXEC_BLOCK_LANES);
    c->site_lanes = c->whole + numbers_before(k, EXEC_SITE_LANES);
    c->site_runs = c->whole + numbers_before(k, EXEC_SITE_RUNS);
    c->divergent = c->whole + numbers_before(k, EXEC_DIVERGENT);
    c->trips = c->whole + numbers_before(k, EXEC_TRIPS);
    c->long_ways = c->trips + (size_t)k->ntrips * TRIPS_NUMBERS;
}

void exec_counts_add(struct exec_counts *to, const struct exec_counts *from, const struct ir_kernel *k)
{
    for (size_t i = 0; i < all_numbers(k); i++)
        to->whole[i] += from->whole[i];
}

void exec_counts_settle(struct exec_counts *c, const struct ir_kernel *k)
{
    for (int32_t b = 0; b < k->nblocks; b++) {
        c->block_runs[b] += c->whole[b];
        c->block_lanes[b] += WARP_LANES * c->whole[b];
        c->whole[b] = 0;
    }
}

void exec_counts_release(struct exec_counts *c)
{
    alloc_release(c->whole);
    memset(c, 0, sizeof *c);
}

/* --- one block --- */

static void drain(struct worker *k, struct warp *w)
{
    for (int i = 0; i < w->nrecords; i++) {
        if (k->sites && w->ring[i].op < RECORD_ARRIVE)
            memory_access(&k->memory, &w->ring[i]);
        if (k->c->observe)
            k->c->observe(&w->ring[i], w->values ? &w->values[i] : NULL, w->block, k->c->observe_user);
    }
    w->nrecords = 0;
}

static enum warp_stop run_warp(struct worker *k, struct warp *w)
{
    enum warp_stop stop;
    do {
        stop = k->c->run(w, k->c->counts ? &k->counts : NULL);
        if (stop != WARP_DONE)
            launch_seen(k->l, w->split[w->current].pc);
        if (w->nrecords)
            drain(k, w);
    } while (stop == WARP_RING);
    return stop;
}

void clock_deadlock(struct block *b)
{
    struct strbuf text;
    strbuf_init(&text);
    block_describe_wait(b, &text);
    const struct warp *w = NULL;
    for (int i = 0; i < b->nwarps && !w; i++)
        if (b->warps[i].nsplits)
            w = &b->warps[i];
    int32_t site = w ? w->split[0].pc : 0;
    launch_fault(b->launch, w, HEDDLE_DEADLOCK, site, w ? __builtin_ctz(w->split[0].mask) : -1, 0, 0, text.s);
    strbuf_release(&text);
}

/* Lanes that wait at joins go on without the others: the last resort before calling it a deadlock. */
bool clock_release_all(struct block *b)
{
    int n = 0;
    for (int i = 0; i < b->nwarps; i++)
        if (b->warps[i].alive)
            n += warp_release_joins(&b->warps[i], true);
    return n > 0;
}

static void *new_memory(const struct launch *l)
{
    void *memory = alloc_try_aligned(64, block_bytes(l));
    if (memory)
        block_open(l, memory);
    return memory;
}

/* Spare memory for blocks that run together with another. */
static struct block_flight flight_of(struct worker *k)
{
    int wanted = k->c->flight_wanted(k->l);
    wanted = wanted < k->limit - k->nresident ? wanted : k->limit - k->nresident;
    while (k->nspare < wanted) {
        void *memory = new_memory(k->l);
        if (!memory)
            break;
        k->spare[k->nspare++] = memory;
    }
    int n = k->nspare < wanted ? k->nspare : wanted;
    return (struct block_flight){k->spare + k->nspare - n, n, 0, 0};
}

/* Blocks that were run together with another and did not end are resident. */
static void take_over(struct worker *k, const struct block_flight *flight)
{
    if (!flight->left)
        return;
    for (int i = 0; i < flight->left; i++)
        k->resident[k->nresident++] = flight->memory[i];
    memmove(flight->memory, flight->memory + flight->left, (size_t)(flight->n - flight->left) * sizeof *flight->memory);
    k->nspare -= flight->left;
}

/* The block, and some of those that the worker has claimed behind it: b becomes the last that is not left to the worker. False: it did
 * not end. */
static bool run_whole(struct worker *k, struct block *b, int *at, enum warp_stop *stop)
{
    uint64_t index = b->index, more = k->nresident == 1 ? k->claimed_end - k->claimed : 0;
    struct block_flight flight = more ? flight_of(k) : (struct block_flight){NULL, 0, 0, 0};
    bool done = k->c->run_block(b, k->c->counts ? &k->counts : NULL, more, &flight, at, stop);
    k->claimed += b->index - index + flight.behind;
    take_over(k, &flight);
    return done;
}

static bool has_failed(const struct block *b)
{
    for (int i = 0; i < b->nwarps && b->begun; i++)
        if (b->warps[i].failed)
            return true;
    return false;
}

static enum progress run_block(struct worker *k, struct block *b)
{
    bool failed = has_failed(b);
    enum warp_stop first = WARP_DONE;
    int at = -1; /* the warp that stopped with `first`, those before it have had their turn */
    if (!b->begun && k->c->run_block && !k->c->observe && run_whole(k, b, &at, &first) && at < 0)
        return BLOCK_DONE;
    if (!b->begun)
        block_begin(b);
    for (int passes = 0;;) {
        bool moved = at >= 0, spins = false;
        for (int i = at < 0 ? 0 : at; i < b->nwarps; i++) {
            struct warp *w = &b->warps[i];
            if ((!w->alive || w->failed || i > b->faulted) && i != at)
                continue;
            uint64_t before = w->clock;
            enum warp_stop stop = i == at ? first : run_warp(k, w);
            at = -1;
            if (stop == WARP_STOPPED || (stop == WARP_FAULT && launch_stopping(k->l, b->index)))
                return BLOCK_STOPPED;
            if (stop == WARP_FAULT) /* other warps may have one, too: lower ones, or if it is a failed assertion all */
                failed = w->failed = true;
            spins |= stop == WARP_YIELD;
            moved |= stop != WARP_YIELD && w->clock != before;
            b->warps_done += stop == WARP_DONE;
        }
        if (failed && (!moved || !b->faulted || ++passes == CLOCK_LAST_PASSES)) {
            launch_stop(k->l, b->index);
            return BLOCK_STOPPED;
        }
        if (b->warps_done == b->nwarps)
            return BLOCK_DONE;
        if (moved)
            continue;
        if (spins || block_waits_for_grid(b))
            return BLOCK_STALLED;
        if (!clock_release_all(b)) {
            clock_deadlock(b);
            return BLOCK_STOPPED;
        }
    }
}

/* --- one worker --- */

/* The next block, or nblocks: there are no more. */
static uint64_t claim(struct worker *k)
{
    uint64_t n = k->l->nblocks;
    if (k->claimed == k->claimed_end) {
        if (__atomic_load_n(k->next, __ATOMIC_RELAXED) >= n)
            return n;
        k->claimed = __atomic_fetch_add(k->next, k->batch, __ATOMIC_RELAXED);
        if (k->claimed >= n) {
            k->claimed = k->claimed_end = 0;
            return n;
        }
        k->claimed_end = n - k->claimed < k->batch ? n : k->claimed + k->batch;
    }
    return k->claimed++;
}

static bool admit(struct worker *k)
{
    struct launch *l = k->l;
    /* What is claimed before the block that failed still runs: which failure is told must not depend on who was faster. */
    uint64_t next = k->claimed < k->claimed_end ? k->claimed : UINT64_MAX - 1;
    if (launch_stopping(l, next) || k->nresident == k->limit)
        return false;
    uint64_t index = claim(k);
    if (index >= l->nblocks)
        return false;
    void *memory = k->nspare ? k->spare[--k->nspare] : new_memory(l);
    if (!memory) {
        launch_fault(l, NULL, HEDDLE_OUT_OF_MEMORY, 0, -1, 0, 0, "no host memory for the state of a block");
        return false;
    }
    k->resident[k->nresident++] = block_start(l, memory, index, (uint16_t)(index % l->sms), k->ring, k->values);
    return true;
}

static void retire(struct worker *k, int at)
{
    k->spare[k->nspare++] = k->resident[at];
    k->nresident--;
    memmove(&k->resident[at], &k->resident[at + 1], (size_t)(k->nresident - at) * sizeof *k->resident);
}

/* Blocks wait at the grid's barrier for blocks that have ended. */
bool clock_grid_deadlock(const struct launch *l)
{
    uint64_t arrived = __atomic_load_n(&l->grid_arrived, __ATOMIC_SEQ_CST);
    uint64_t done = __atomic_load_n(&l->blocks_done, __ATOMIC_SEQ_CST);
    return done && arrived && arrived + done == l->nblocks;
}

static void *work(void *arg)
{
    struct worker *k = arg;
    int at = 0, stalled = 0;
    while (k->nresident || admit(k)) {
        if (at >= k->nresident)
            at = 0;
        enum progress p = run_block(k, k->resident[at]);
        if (p == BLOCK_STALLED && launch_stopping(k->l, UINT64_MAX - 1))
            p = BLOCK_STOPPED; /* what it waits for may never come */
        if (p == BLOCK_STALLED && k->l->cooperative && clock_grid_deadlock(k->l)) {
            clock_deadlock(k->resident[at]);
            p = BLOCK_STOPPED;
        }
        if (p == BLOCK_DONE && k->l->cooperative)
            __atomic_add_fetch(&k->l->blocks_done, 1, __ATOMIC_SEQ_CST);
        if (p != BLOCK_STALLED) {
            retire(k, at);
            stalled = 0;
        } else {
            bool more = admit(k);
            at = more ? k->nresident - 1 : at + 1;
            if (!more && ++stalled > YIELD_PASSES * k->nresident) { /* everything here waits for another worker, or the host */
                stalled = 0;
                if (!k->only || !k->l->stuck || !k->l->stuck(k->l->stuck_user))
                    sched_yield();
            }
        }
    }
    return NULL;
}

/* Counts a record, so many times. */
static void take(void *worker, const struct record *r, uint64_t times)
{
    struct worker *k = worker;
    memory_accesses(&k->memory, r, times);
}

static bool take_turns(void *worker, const struct record *r, int64_t step, const uint32_t *on, int n)
{
    struct worker *k = worker;
    return memory_strides(&k->memory, r, step, on, n);
}

static void enter(void *worker, int32_t block, uint32_t lanes, uint64_t times)
{
    struct worker *k = worker;
    spills_enter(&k->entries, block, lanes, times);
}

static void worker_init(struct worker *k, struct clock_run *c, uint64_t *next, int threads, bool own)
{
    struct launch *l = c->launch;
    uint64_t limit = l->resident / (unsigned)threads, by_memory = MAX_RESIDENT_BYTES / block_bytes(l);
    limit = limit > by_memory ? by_memory : limit;
    if (l->cooperative) /* any of them may come to this worker, and all of them have to be resident */
        limit = l->nblocks;
    bool singly = l->cooperative || l->kernel->has_waiting_loop;
    uint64_t batch = singly ? 1 : l->nblocks / ((unsigned)threads * 64);
    unsigned flight = c->flight_wanted ? (unsigned)c->flight_wanted(l) + 1 : 1;
    if (!singly && batch < flight && l->nblocks / ((unsigned)threads * BATCHES) >= flight) /* all that run together */
        batch = flight;
    *k = (struct worker){.c = c, .l = l, .next = next, .limit = limit < 1 ? 1 : (int)limit, .own_counts = own,
                         .batch = batch < 1 ? 1 : batch > MOST_CLAIMED ? MOST_CLAIMED : batch};
    k->resident = alloc_zeroed(sizeof *k->resident * (size_t)(k->limit + 1));
    k->spare = alloc_zeroed(sizeof *k->spare * (size_t)(k->limit + 1));
    if (!c->sites && !c->observe)
        return;
    k->ring = alloc_zeroed(sizeof *k->ring * l->ring_records);
    if (l->watch)
        k->values = alloc_zeroed(sizeof *k->values * l->ring_records);
    if (!c->sites)
        return;
    size_t nsites = (size_t)l->kernel->ninsts;
    k->sites = own ? alloc_zeroed(nsites * sizeof *k->sites) : c->sites;
    if (own)
        exec_counts_init(&k->counts, l->kernel);
    else
        k->counts = *c->counts;
    memory_init(&k->memory, k->sites, (uint32_t)nsites);
    memory_set_rules(&k->memory, c->rules);
    k->counts.taker = k;
    if (!c->observe) {
        k->counts.take = take;
        k->counts.take_turns = take_turns;
    }
    if (c->spills) {
        spills_begin(&k->entries, c->spills, &k->memory);
        k->counts.enter = enter;
    }
}

static void worker_release(struct worker *k)
{
    tally_end(&k->counts);
    if (k->entries.spills)
        spills_end(&k->entries);
    for (int i = 0; i < k->nresident; i++)
        alloc_release(k->resident[i]);
    for (int i = 0; i < k->nspare; i++)
        alloc_release(k->spare[i]);
    alloc_release(k->ring);
    alloc_release(k->values);
    if (k->c->sites && k->own_counts) {
        counters_add(k->c->sites, k->sites, (size_t)k->l->kernel->ninsts);
        exec_counts_add(k->c->counts, &k->counts, k->l->kernel);
        exec_counts_release(&k->counts);
        alloc_release(k->sites);
    }
    alloc_release(k->resident);
    alloc_release(k->spare);
}

static void *work_beside(void *arg)
{
    fenv_t floats;
    host_floats_begin(&floats);
    work(arg);
    host_floats_end(&floats);
    return NULL;
}

static void run_in_order(struct clock_run *c)
{
    struct launch *l = c->launch;
    int threads = c->threads;
    bool alone = c->observe || l->heap || (c->sites && (l->kernel->order_matters || l->kernel->has_waiting_loop));
    if (alone || threads < 1)
        threads = 1;
    if ((uint64_t)threads > l->nblocks)
        threads = (int)l->nblocks;

    struct worker *workers = alloc_zeroed(sizeof *workers * (size_t)threads);
    struct crew_member **others = alloc_zeroed(sizeof *others * (size_t)threads);
    for (int i = 0; i < threads; i++)
        worker_init(&workers[i], c, &l->past, threads, i > 0);
    workers[0].only = threads == 1;
    for (int i = 1; i < threads; i++) /* a thread that cannot be had is done without */
        others[i] = crew_start(work_beside, &workers[i]);
    work(&workers[0]);
    for (int i = 1; i < threads; i++)
        if (others[i])
            crew_wait(others[i]);
    for (int i = 0; i < threads; i++)
        worker_release(&workers[i]);
    if (c->sites && c->spills) {
        struct memory m;
        memory_init(&m, c->sites, (uint32_t)l->kernel->ninsts);
        memory_set_rules(&m, c->rules);
        spills_take_whole(c->spills, c->counts, &m);
    }
    alloc_release(workers);
    alloc_release(others);
}

void clock_run(struct clock_run *c)
{
    fenv_t floats;
    host_floats_begin(&floats);
    if (c->caches)
        rounds_run(c);
    else
        run_in_order(c);
    host_floats_end(&floats);
}
