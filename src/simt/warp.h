/* The state of running threads: warps as sets of splits, blocks with their barriers.
 *
 * A warp is a set of splits {pc, mask}: lanes that are at the same instruction. Splits that parted at a branch meet
 * again at the branch's immediate post-dominator, and some before that (ir/reconvergence.c): a `join` counts who is still
 * expected there. A lane that spins on
 * something its neighbour must do first gets through: after a bounded number of turns of a waiting loop the lanes that wait at the join
 * go on without it (independent thread scheduling, as since Volta; CUDA programming guide, 7.1 "SIMT architecture").
 * Block barriers count lanes, have a generation, and take exited lanes as arrived (PTX ISA 9.7.13.1).
 * Executors (interp/, later jit/) move pcs and lane values; clock/ decides which warp runs. */
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "simt/record.h"
#include "simt/watch.h"
#include "space/space.h"

enum { WARP_LANES = 32, ASYNC_COPIES = 64, WARP_MAX_JOINS = 96, BLOCK_BARRIERS = 16, RING_RECORDS = 32,
       WATCHED_RECORDS = 128 /* in a ring of a watched launch: one instruction may end 64 copies and 16 barriers */ };

struct block;
struct block_text;
struct heap;
struct launch;

enum split_state {
    SPLIT_READY,
    SPLIT_BARRIER, /* waits at block barrier `barrier` for the generation to pass */
    SPLIT_SYNC,    /* waits for the lanes of `sync_mask` at a warp-level rendezvous */
    SPLIT_GRID     /* waits for one thread of every block of a cooperative launch */
};

struct split {
    uint32_t mask; /* never 0 */
    int32_t pc;    /* next instruction (site) */
    int16_t join;  /* innermost join that expects these lanes, or -1 */
    uint8_t state; /* enum split_state */
    uint8_t barrier;
    uint32_t generation; /* of the barrier, or of the grid's, when it arrived */
    uint32_t sync_mask;
    uint32_t turns;      /* back-edges since these lanes met or last let others run */
    uint32_t waits;      /* those of waiting loops among them */
    uint32_t level;      /* calls that its lanes are in (ir/recursion.h) */
    bool again;          /* the instruction at pc has been counted already */
    bool passed;         /* its barrier has completed: the barrier instruction is to be finished, not begun */
};

struct join {
    int32_t pc;        /* where lanes meet: first instruction of the post-dominator, or of an ir_reconvergence */
    uint32_t level;    /* and in which call: at pc they may come by in deeper ones */
    const uint64_t *inside; /* of the ir_reconvergence: who is elsewhere has left; NULL: nobody gets past it */
    uint32_t expected; /* lanes that are to meet, exited ones taken out */
    uint32_t arrived;
    int16_t parent;
};

/* What only some warps need: those whose lanes part, or are stepped. It lies apart from the rest, and most of it is never touched. */
struct warp_aside {
    struct join join[WARP_MAX_JOINS];
    void *thread[WARP_LANES];
};

/* A cp.async that has been issued and not carried out. Groups are per thread (PTX ISA 9.7.9.25.1), so each lane has the
 * number of the group its copy belongs to. */
struct async_copy {
    uint32_t mask;               /* lanes whose copy is still to be done */
    uint8_t bytes;               /* to write: 4, 8, 16 */
    uint8_t size[WARP_LANES];    /* of these to read; the rest becomes zero */
    uint32_t group[WARP_LANES];
    uint32_t to[WARP_LANES];     /* offset in shared memory */
    uint64_t from[WARP_LANES];   /* device address; of registered memory: shifted (space/registered.h) */
};

/* The copies of a warp in the order of their issue. They are carried out when their group is waited for: as late as PTX
 * allows, so a program that forgets to wait reads old data, always. A full queue carries out its oldest copy early. */
struct async_queue {
    int n;
    uint32_t committed[WARP_LANES]; /* groups that the lane has committed: the number of its open group */
    struct async_copy copy[ASYNC_COPIES];
};

/* Why a warp stopped running. */
enum warp_stop {
    WARP_DONE,    /* every lane has exited */
    WARP_BLOCKED, /* every split waits: for a block barrier or for other lanes; or it was the last at a barrier (launch.turn_records) */
    WARP_YIELD,   /* a waiting loop has turned often enough: let others run */
    WARP_TURN,    /* it has ended a turn (interp/turn.h): others go on */
    WARP_RING,    /* the ring of records is full: drain and call again */
    WARP_FAULT,   /* launch->fault is set */
    WARP_RESUME,  /* all lanes are together where another executor can go on; between executors only */
    WARP_STOPPED  /* the launch was interrupted, or another warp faulted */
};

struct warp {
    struct block *block;
    char *regs;      /* the executor's registers of 32 lanes */
    uint64_t clock;    /* instructions executed: %clock where nobody models time, and for telling whether a warp got anywhere */
    uint64_t busy, span, units; /* what its blocks took, where counts.pace tells it: sums of struct exec_pace */
    uint64_t passes;   /* of its accesses to shared memory that left no record, where counts.passes tells them */
    uint32_t alive;  /* lanes that exist and have not exited */
    uint16_t index;  /* in the block */
    uint8_t nsplits;
    uint8_t current; /* split that runs */
    bool spinning;     /* it yielded in a waiting loop and has not left one since: yields again soon */
    uint32_t waits;    /* turns of waiting loops since it yielded, of all splits, those that have met included */
    uint32_t in_vain;  /* how often it yielded for these since it left a waiting loop */
    bool failed;       /* an assertion failed in it: it does not run any more */
    bool interpreted;  /* machine code is not for it: the interpreter runs it to its end */
    bool kept;         /* its registers are in machine code's own form (jit/jit_code.h) */
    bool hold;         /* the last stop was WARP_RING: go on with the same split */
    bool apart;        /* launch.verify: its lanes have not been together all the time */
    bool left;         /* launch.verify: machine code would have left it to the interpreter */
    uint64_t path;     /* launch.verify: what tells its way through the blocks from others */
    int nrecords;
    uint64_t joins[(WARP_MAX_JOINS + 63) / 64]; /* bits: those in use */
    char *local;     /* local and scratch memory of 32 lanes, lane after lane */
    struct async_queue *async; /* NULL: the kernel has no cp.async */
    struct record *ring; /* [launch->ring_records], shared with the worker's other warps; NULL in plain mode */
    struct record_values *values; /* the same; NULL unless watched */
    struct join *join; /* [WARP_MAX_JOINS] */
    void **thread;     /* [WARP_LANES], launches that go lane by lane: who runs the lane (step/step.h), NULL: it has not begun */
    struct split split[WARP_LANES];
};

/* One of a block's 16 named barriers. */
struct barrier {
    uint32_t arrived;    /* lanes */
    uint32_t expected;   /* lanes; 0: all of the block that have not exited */
    uint32_t generation; /* completed phases */
    uint32_t red_popc;   /* bar.red: lanes with a true predicate so far */
    bool red_and, red_or;
    uint32_t result_popc; /* of the phase completed last */
    bool result_and, result_or;
};

struct block {
    struct launch *launch;
    uint64_t index;     /* linear, x fastest */
    uint32_t id[3];
    uint16_t sm;
    struct warp *warps;
    struct warp_aside *aside; /* [nwarps] */
    int nwarps;
    int warps_done;
    uint32_t threads_alive;
    uint32_t waiting;   /* bits of barriers at which lanes have arrived */
    uint64_t phases;    /* of all barriers, completed */
    int faulted;        /* the lowest warp with a fault (an assertion apart); nwarps: none. Only lower ones go on */
    bool begun;         /* its warps and barriers are set up: before that, nobody but machine code runs it */
    char *shared;       /* shared_bytes of the launch */
    uint32_t local_used; /* bytes of a thread's local memory that are not zero any more, at most: its variables, and of the
                            stack what calls have taken */
    struct barrier barrier[BLOCK_BARRIERS];
    struct block_text *text; /* what it printed (output.h), or NULL */
    char *of_warps;     /* registers, local memory and copies of the first warp */
    size_t warp_bytes;  /* to those of the next */
    struct record *ring;
    struct record_values *values;
};

/* Memory of blocks (block_open has seen it) for an executor that runs several at a time; and those that it has left begun. */
struct block_flight {
    void **memory; /* [n]; the first `left` are these blocks */
    int n, left;
    uint64_t behind; /* so many blocks behind the one that was asked for have ended, or are left */
};

/* What stopped a launch: the first fault of the lowest warp of the block with the lowest index, whichever host thread met one
 * first, and whichever warp had the first turn. */
struct fault {
    uint64_t block;      /* linear index */
    int warp;            /* of the block */
    int status;          /* enum heddle_status */
    int32_t site;
    int lane;
    int element;         /* of an access that was made of several, where it is of one of them; else -1 */
    uint64_t address;
    unsigned bytes;
    uint32_t block_id[3];
    uint32_t thread_id[3];
    const char *text;    /* further words, in the launch's arena, or NULL */
};

/* What a run of a basic block takes, in ticks: PACE_TICKS of a cycle of the multiprocessor (target/pace.h, clock/pace.h). */
struct exec_pace {
    uint32_t busy; /* the warp's subpartition cannot do the same for another warp */
    uint32_t span; /* the warp alone, without what memory takes */
    uint64_t units; /* of `busy`, ticks in which a unit is what is busy, and instructions of others could be issued: in the low half those of units that
                       warps wait for themselves, in the high half those of the one with a queue before it (special functions) */
};

/* Counts that executors keep, per host thread: merged by addition. The numbers are one array, in this order. */
enum exec_number { EXEC_WHOLE, EXEC_BLOCK_RUNS, EXEC_BLOCK_LANES, EXEC_SITE_LANES, EXEC_SITE_RUNS, EXEC_DIVERGENT, EXEC_TRIPS /* and behind these the long ways */ };
struct exec_counts {
    uint64_t *whole;       /* [nblocks]: times a warp entered the basic block with 32 lanes, of those that are not among the next two */
    uint64_t *block_runs;  /* [nblocks]: times a warp (split) entered the basic block */
    uint64_t *block_lanes; /* [nblocks]: lanes in them */
    uint64_t *site_lanes;  /* [ninsts]: lanes whose guard was true; only kept for guarded instructions */
    uint64_t *site_runs;   /* [ninsts]: guarded instructions with at least one lane on; of branches nobody asks, and it may be 0 */
    uint64_t *divergent;   /* [ninsts]: branches whose lanes took different ways */
    uint64_t *trips;       /* [ntrips][TRIPS_NUMBERS]: trips.h */
    const uint64_t *printed; /* of the launch */
    uint64_t *long_ways;   /* [nlong_ways][LONG_NUMBERS]: long_way.h */
    /* Counts a record, so many times, at once; NULL: all go through the rings, since somebody wants to see them. */
    void (*take)(void *taker, const struct record *r, uint64_t times);
    /* The same for an instruction's accesses in n turns of a loop: memory_strides. NULL: they are taken one by one. */
    bool (*take_turns)(void *taker, const struct record *r, int64_t step, const uint32_t *on, int n);
    /* Of blocks in ir_kernel.entered: lanes that enter one, so many times; what is among `whole` is not told. */
    void (*enter)(void *taker, int32_t block, uint32_t lanes, uint64_t times);
    void *taker;
    bool keep; /* but those that come through the rings stay there: the clock wants them in order. Entries, those of whole warps too, are
                  records among them */
    /* Where the clock wants to know what a turn took: of a run of each block, [nblocks]; passes through shared memory's banks that an
     * access needs, of those that leave no record. Or NULL. */
    const struct exec_pace *pace;
    const struct exec_pace *long_part; /* [LONG_WAYS * LONG_PARTS] of the parts of long ways (long_way.h), where `pace` is known and the kernel has some */
    unsigned (*passes)(const struct record *r);
    struct tally *tally; /* tally.h; NULL until machine code counts accesses */
};

/* Where the numbers of a kind begin. */
static inline size_t exec_numbers_at(enum exec_number n, size_t nblocks, size_t ninsts)
{
    return n <= EXEC_SITE_LANES ? n * nblocks : EXEC_SITE_LANES * nblocks + (n - EXEC_SITE_LANES) * ninsts;
}

/* One launch: what all its blocks share. Read-only while it runs, but for the atomics. */
struct launch {
    struct arena arena;
    const struct ir_kernel *kernel;
    const void *code;       /* the executor's form of the kernel */
    void *step;             /* it is stepped (step/step.h), or NULL */
    void *jit;              /* its machine code, and when it is made (jit/jit_code.h), or NULL: the interpreter alone */
    const struct space *space;
    uint32_t grid[3], block_dim[3];
    uint64_t nblocks;
    uint32_t threads;       /* a block */
    int warps_per_block;
    uint32_t shared_bytes;  /* that a block can access: whole units of what the device grants */
    uint32_t shared_asked;  /* static + dynamic */
    const char *params;     /* parameter block */
    uint32_t (*tid)[3][WARP_LANES]; /* [warps_per_block]: threadIdx of each lane, 0 past the last thread */
    uint32_t (*first_tid)[3];       /* [warps_per_block]: of lane 0 */
    uint8_t matrix_sum_bits, matrix_sum_bytes, matrix_fp8_bits; /* how its tensor cores add (interp/matrix.h) */
    uint32_t sms;           /* multiprocessors of the device */
    uint32_t resident;      /* blocks that are resident at a time on the whole device */
    uint32_t reg_bytes;     /* a warp */
    bool early_reads;       /* some register may be read before it is written */
    uint32_t local_size;    /* a thread: its local memory, the kernel's variables and behind them the stack */
    uint32_t local_bytes;   /* a thread, local and scratch, each rounded up to 16 */
    uint64_t stop_at;       /* atomic: blocks of this index and above stop at the next back-edge or stop point; lower
                               ones go on, since one of them may hold the first fault. UINT64_MAX: nobody stops */
    uint64_t stop_next;     /* atomic: what that is going to be, */
    bool stops_later;       /* once launch_stop_now says so: where it would show who ran beside whom */
    uint64_t past;          /* atomic: blocks that workers have taken, or where caches are modelled those that have ended; maybe a few
                               more than there are */
    int32_t at;             /* atomic: an instruction at which a warp has stopped lately; -1: none has */
    const int *interrupt; /* the device's: set by heddle_device_interrupt */
    struct fault fault;
    bool fault_set;
    struct fault stray;     /* an access outside of all allocations that passed, chosen as `fault` is */
    bool stray_set;
    const struct watch *watch; /* watch.h, or NULL */
    bool fences, copies;    /* caches are modelled: fences of the device leave a record; groups of asynchronous copies do */
    uint32_t ring_records;  /* at least RING_RECORDS; or WATCHED_RECORDS */
    uint32_t turn_records;  /* a warp that has left so many stops at the head of the next block that accesses memory, so that
                               another one has its turn (WARP_RING), and the last one at a barrier stops as those before it did; 0: only a full ring
                               stops it */
    uint32_t turns;         /* bits: places where a whole warp ends a turn (interp/turn.h) */
    uint64_t grid_serial;   /* %gridid */
    uint64_t number;        /* of all launches of the process */
    bool lane_by_lane;      /* lanes stay apart, a split each, and have generic addresses of their own (step/step.h) */
    bool cooperative;       /* all blocks are resident at the same time, so they may wait for each other */
    uint64_t grid_arrived;  /* atomic: blocks that wait at the grid's barrier */
    uint32_t grid_generation; /* atomic: its completed phases */
    uint64_t blocks_done;   /* atomic: blocks that have ended, in a cooperative launch */
    /* Or NULL: every warp spins, and has for long. True: other work of the device has been done meanwhile. On the launch's thread,
     * where it has only one. */
    bool (*stuck)(void *user);
    void *stuck_user;
    struct children *children; /* children.h: what its kernels ask of the device's runtime */
    struct heap *heap;      /* the device heap, when the kernel uses it; its addresses show the order of the blocks */
    struct block_text *texts; /* of all blocks that printed; atomic */
    uint64_t *printed;      /* atomic: [ninsts][PRINTED_NUMBERS], or NULL: nobody counts, or nothing prints (target/driver.h) */
    /* Where time is modelled: cycles of the warp's multiprocessor since the launch began, as the instruction at `site` is issued that reads them, in the
     * warp's turn. NULL: nobody models it. */
    uint64_t (*now)(const struct launch *l, const struct warp *w, int32_t site);
    const void *now_of;     /* whose that is */
    uint64_t begins;        /* with it, %globaltimer when the launch began, ns; 0: it is the host's clock */
    uint32_t clock_khz;     /* of the multiprocessors */
    struct claim_check *verify;  /* the interpreter checks claims (interp/claim_check.h), or NULL */
};

/* A warp has stopped here: read by many, so written only when it changes. */
static inline void launch_seen(struct launch *l, int32_t site)
{
    if (__atomic_load_n(&l->at, __ATOMIC_RELAXED) != site)
        __atomic_store_n(&l->at, site, __ATOMIC_RELAXED);
}

static inline bool launch_stopping(const struct launch *l, uint64_t block)
{
    return block >= __atomic_load_n(&l->stop_at, __ATOMIC_RELAXED) || (l->interrupt && __atomic_load_n(l->interrupt, __ATOMIC_RELAXED));
}

/* --- warp.c: splits and joins --- */

/* In a watched launch, a record of something that orders accesses (RECORD_ARRIVE and so on) at the end of the warp's
 * ring; of a fence also where caches are modelled. NULL in others. The caller fills in what the kind of record has beside mask and
 * addr[0]. */
struct record *warp_event(struct warp *w, int32_t site, enum record_op op, uint32_t mask, uint64_t what);

static inline bool warp_join_used(const struct warp *w, int j)
{
    return w->joins[j / 64] >> (j % 64) & 1;
}

static inline void warp_join_free(struct warp *w, int j)
{
    w->joins[j / 64] &= ~(1ull << (j % 64));
}

/* The first join in use from j on, or WARP_MAX_JOINS. */
static inline int warp_join_next(const struct warp *w, int j)
{
    for (; j < WARP_MAX_JOINS; j = (j / 64 + 1) * 64) {
        uint64_t left = w->joins[j / 64] >> (j % 64);
        if (left)
            return j + __builtin_ctzll(left);
    }
    return WARP_MAX_JOINS;
}

/* Fresh warp of `lanes` threads at site 0. */
void warp_start(struct warp *w, uint32_t lanes);

/* The running split's lanes in `taken` go to pc `target`, the others to `next`; they meet at `join_pc` (-1: nowhere), those
 * that do not go past it before that at `point` (NULL: no such place). Both sets are non-empty. The current split goes on
 * with one of them. */
void warp_diverge(struct warp *w, uint32_t taken, int32_t target, int32_t next, int32_t join_pc,
                  const struct ir_reconvergence *point);

/* Splits that are at a block from which they do not come to their reconvergence point any more are not expected there any
 * more. Call behind a branch with `leaves`. */
void warp_leave(struct warp *w);

/* The current split enters a call (1) or returns from one (-1). */
static inline void warp_change_level(struct warp *w, int by)
{
    w->split[w->current].level += (uint32_t)by;
}

/* Where the current split's lanes meet others, at their level; -1: not here. */
static inline int32_t warp_join_pc(const struct warp *w)
{
    const struct split *s = &w->split[w->current];
    return s->join >= 0 && w->join[s->join].level == s->level ? w->join[s->join].pc : -1;
}

/* True when the current split has reached the pc of its join: it waits there (and is no longer current), or merges
 * and goes on. Call whenever a split reaches the start of a block. Returns false when there is nothing left to run at
 * this moment: the caller picks another split. */
bool warp_arrive(struct warp *w);

/* Lanes of the current split exit. Returns false when the split has no lane left. */
bool warp_exit(struct warp *w, uint32_t lanes);

/* Chooses the next ready split after the current one, in turn; false when none is ready. */
bool warp_pick(struct warp *w);

/* Lanes that wait at the joins of the current split go on without it. Returns how many splits that made. */
int warp_release_joins(struct warp *w, bool all);

/* A join of `expected` lanes at pc, inside of `parent`: for who has run them as one and leaves them apart. */
int16_t warp_join_new(struct warp *w, int32_t pc, uint32_t expected, int16_t parent);

/* Splits at the same pc with the same join become one; not where the launch goes lane by lane. */
void warp_merge(struct warp *w);

/* For launches that go lane by lane: the splits of these lanes, all at one pc, become one, the current one; and every lane a
 * split of its own, in ascending order, none of them current. */
void warp_gather(struct warp *w, uint32_t lanes);
void warp_part(struct warp *w);

/* --- block.c: blocks and barriers --- */

size_t block_bytes(const struct launch *l);
/* Where the registers of the first warp lie in such memory. */
char *block_first_regs(const struct launch *l, void *memory);
/* The last so many of these may lie elsewhere: what few blocks touch. */
size_t block_aside_bytes(const struct launch *l);
/* Memory of block_bytes that the launch has not used yet, with anything in it; or without what is `aside`. */
void block_open(const struct launch *l, void *memory);
void block_open_apart(const struct launch *l, void *memory, void *aside);
/* Lays out a block in `memory`, which block_open has seen, or an earlier block of the launch. Shared and local memory are
 * zero, and so are registers where the kernel reads one before it writes it.
 * `ring` is empty whenever a warp stops, so the warps that one host thread runs share it. */
struct block *block_start(struct launch *l, void *memory, uint64_t index, uint16_t sm, struct record *ring,
                          struct record_values *values);
/* Sets up its warps, at the kernel's start, and its barriers. */
void block_begin(struct block *b);

/* Where the registers of a warp are; also before block_begin. */
static inline char *block_regs(const struct block *b, int warp)
{
    return b->of_warps + (size_t)warp * b->warp_bytes;
}

/* Where its local memory is, behind them. */
static inline char *block_local(const struct block *b, int warp)
{
    return block_regs(b, warp) + ((size_t)b->launch->reg_bytes + 63) / 64 * 64;
}

/* Generic addresses of shared or local memory (PTX_SHARED, PTX_LOCAL), as one lane sees them. */
struct window {
    uint64_t base, bytes;
};

/* Windows of the address range (space.h); where the launch goes lane by lane the memory itself, so that a debugger can follow
 * every pointer of every thread. */
static inline struct window warp_window(const struct warp *w, int space, int lane)
{
    const struct launch *l = w->block->launch;
    if (!l->lane_by_lane)
        return (struct window){space == PTX_SHARED ? SPACE_SHARED_WINDOW : SPACE_LOCAL_WINDOW, SPACE_WINDOW_BYTES};
    if (space == PTX_SHARED)
        return (struct window){(uint64_t)(uintptr_t)w->block->shared, l->shared_bytes};
    return (struct window){(uint64_t)(uintptr_t)(w->local + (size_t)lane * l->local_bytes), l->local_size};
}

/* The current split of `w` arrives at barrier `id` with `expected` lanes (0: all). kind: enum ptx_variant
 * (PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_RED_*); `truth` are the lanes with a true predicate. True: the split need
 * not wait (arrive, or it was the last). */
bool block_barrier(struct warp *w, unsigned id, uint32_t expected, int kind, uint32_t truth);

/* One thread of the block arrives at the barrier of a cooperative launch. True: every block has, it goes on. */
bool block_grid_sync(struct warp *w);

/* Does a thread of the block wait at the grid's barrier? */
bool block_waits_for_grid(const struct block *b);

/* After lanes of `w` exited: barriers that now have everybody are completed. */
void block_check_barriers(struct warp *w);

/* Splits of `w` whose barrier has completed become ready. */
void block_wake(struct warp *w);

/* Blocks of this index and above are to stop, now or (launch.stops_later) at launch_stop_now, when no block runs. */
void launch_stop(struct launch *l, uint64_t block);
void launch_stop_now(struct launch *l);

/* How many lanes a GPU's store of `bytes` a lane takes at a time: 32 of up to 4 bytes, halves of the warp of 8, quarters of
 * 16, in ascending order. Of lanes of one such group that store to one place the first one's value stays. An H200 does so in
 * global and shared memory (tests/truth/same_word/); CUDA promises no more than that it is the value of one of them. So lanes
 * that store one after the other do it in the order of 0 ^ (group - 1), 1 ^ (group - 1), ... */
static inline unsigned store_group(unsigned bytes)
{
    return bytes <= 4 ? WARP_LANES : 4 * WARP_LANES / bytes;
}

/* Records a fault, unless one of an earlier block, of a lower warp of this block or an earlier one of this warp is known, and
 * stops the later blocks. This block the clock stops when its lower warps have had their turn. w NULL: the launch as a whole. */
void launch_fault(struct launch *l, const struct warp *w, int status, int32_t site, int lane, uint64_t address,
                  unsigned bytes, const char *text);
/* The same of one element of an access that was made of several: address and bytes are the element's. */
void launch_fault_element(struct launch *l, const struct warp *w, int status, int32_t site, int lane, int element, uint64_t address,
                          unsigned bytes, const char *text);

/* Records an access that lies in no allocation, but in memory that a GPU maps (space_ok): the launch goes on. Of
 * several one stays as of faults. element: as in struct fault. */
void launch_stray(struct launch *l, const struct warp *w, int32_t site, int lane, int element, uint64_t address, unsigned bytes);

/* As launch_fault, without stopping the launch yet: the clock does when the block's other warps had their turn. */
void launch_fault_later(struct launch *l, const struct warp *w, int status, int32_t site, int lane);

/* Who waits where, for a block in which nothing can run. */
struct strbuf;
void block_describe_wait(const struct block *b, struct strbuf *out);

#endif
