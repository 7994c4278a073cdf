/* The modelled caches of a launch: an L1 and constant caches for each multiprocessor (and a texture cache where that is apart),
 * one L2 for all, and the traffic of DRAM behind it.
 *
 * The clock feeds them in the order of its pseudo-time: an SM's accesses go through its L1 as they are made (l1_access),
 * what they ask of L2 is queued with the time, and the queues of all SMs are served in the order of time and SM
 * (l2_serve). So nothing here depends on host threads, and an SM's L1 needs nothing of other SMs: different threads may have different SMs.
 * Out: counters of the access's site (counters.def, CACHE). All of these are modelled figures. Times are cycles of the SM's
 * clock from the start of the launch. Rules and where they come from: l1.c, readonly.c, l2.c. */
#ifndef MEMORY_CACHES_H
#define MEMORY_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pages.h"
#include "counters/counters.h"
#include "memory/dram.h"
#include "memory/lines.h"
#include "memory/rules.h"
#include "simt/record.h"

enum { CACHES_WAY = 128 /* parts of the way to L2 and back */ };

struct l2_kept;

/* Figures of the device, and of the launch. */
struct caches_config {
    uint32_t sms;
    uint32_t l1_bytes;      /* of an SM, without what is shared memory in this launch; 0: no L1 */
    int l1_global;          /* enum device_word: which global loads are cached in L1 */
    bool l1_local;          /* local accesses are */
    bool l1_whole;          /* a miss brings the whole line, not its sectors only */
    bool l1_evicts;         /* a global store takes its line out of L1; else it leaves a tag */
    uint64_t l2_bytes;      /* all of it, at least a set of each part; 0: none, requests go to DRAM */
    const struct rule_set *direct; /* 1.x: whose transactions are the requests, past all caches; else NULL */
    uint32_t l2_parts;      /* parts of L2 that hold copies of each other's lines: 1, or 2 halves */
    uint32_t gpcs, sms_per_tpc, late_tpcs; /* clusters of SMs, and SMs that are neighbours in one: caches_gpc */
    uint32_t coalesce_cycles; /* after a request that hits, in which others of the GPC for the same sectors are one with it for L2; 0: none are */
    uint64_t lost_bytes;    /* of an allocation, at least, whose lines leave L2 when it is freed */
    uint32_t join_wait_cycles; /* as long as its data wait for the GPC's port, but no longer than so, others are one with it, too */
    uint32_t join_requests; /* of these, how many are one at most: 1 to 15 */
    uint32_t link_cycles, pair_cycles; /* the way to the other half and back; until a sector that came along counts as there */
    uint32_t way_apart;     /* by how many parts of CACHES_WAY the way to L2 is longer or shorter, at most */
    uint32_t dirty_share, partial_share; /* of L2, that may be dirty; that may be lines with partial sectors: in 1/10000 */
    uint32_t sm_bytes;      /* that an SM takes from a store in a cycle */
    uint32_t byte_store_cycles; /* that a store of elements of 1 or 2 bytes takes at least, */
    uint32_t byte_store_line_cycles; /* and for each line of it */
    uint32_t store_sector_cycles, store_part_cycles; /* that each sector of a store is on the SM's way to L2, and more of a line with one that is not whole */
    uint32_t stores_waiting, reductions_waiting; /* packets of an SM that L2 need not have done before it takes another one; 0: any number */
    uint32_t red_line_cycles;   /* the same of a reduction, each sector and once more for each lane with a word that others have, too */
    uint32_t l1_lines;      /* of a load, that L1 looks up in a cycle */
    uint32_t l1_miss_cycles; /* that each line which is not there keeps the unit */
    uint32_t wide_latency[2]; /* that loads of 64 and 128 bits a lane take longer, */
    uint32_t wavefront_latency; /* and each further pass through the banks */
    uint32_t texture_lanes, texture_latency, texel_latency; /* lanes of a fetch that the texture unit does in a cycle; cycles to what a cache has, and to a texel of linear memory by its number */
    uint32_t atomic_latency; /* that an atomic takes longer than a load of L2 */
    uint32_t stores_at_once; /* of a warp, before other warps of its subpartition have their turn */
    uint32_t merge_cycles, merge_lines; /* in which stores to a sector that is not full are one with the last one; lines of these that L1 keeps where L2 has no room */
    /* Cycles from a block's end to the start of the one in its place, between two blocks of the grid, from a block's warp to the next, and that the next SM of a TPC begins later. */
    uint32_t block_start, block_dispatch, warp_start, tpc_start;
    uint32_t barrier, barrier_warp; /* of a barrier, and more for each warp of the block */
    uint32_t lsu_waiting_subpartition, lsu_waiting; /* accesses that can wait for the pipe: of a subpartition, and of all besides */
    uint32_t fence_latency, fence_cycles, store_latency; /* clock/fence.h */
    uint32_t code_miss;     /* for each line of instructions that an SM has not executed before */
    uint32_t launch;        /* before the first block and behind the last */
    uint32_t late_first, late_again; /* when late TPCs get blocks: clock/rounds.c, first_blocks */
    uint32_t dram_bytes;    /* what one read of DRAM brings: 32 or 64 */
    /* Cycles from a request to the data: from L1, from L2, and what DRAM adds to that. */
    uint32_t l1_latency, l2_latency, dram_latency, shared_latency; /* of the last: a load from shared memory */
    /* What can be served at a time: slices of L2 and channels of DRAM, with the cycles that one of them needs for a sector, at
     * least for a request, and for a sector, in 1/256. 0 of them: any number at once. */
    uint32_t l2_slices, l2_slice_cycles, l2_request_cycles, dram_channels, dram_channel_cycles;
    /* Likewise: a slice for a sector that is written, for an atomic of a word that others of its request change, and for a sector of
     * different words, of integers and of what takes longer; ports of a multiprocessor and of a GPC, for a sector; a channel for a
     * sector written, and more where reads and writes are as many. */
    uint32_t l2_write_cycles, l2_write_request_cycles /* at least for a request */, atomic_word, atomic_sector, atomic_sector_slow;
    uint32_t red_sector_cycles, red_word_cycles, atom_sector_cycles, atom_word_cycles; /* all slices: for a sector, and for each further lane that has a word of it; without an answer, and with one */
    uint32_t sm_read_cycles, gpc_read_cycles, gpc_write_cycles, dram_write_cycles, dram_turn_cycles;
    /* Likewise: for how long a float sum of a word, and a store that does not fill its sector, let the next one to the same wait. */
    uint32_t atomic_word_float, store_again;
    uint32_t dram_piece_lines, dram_visit_cycles, dram_visit_write_cycles; /* lines of a piece, a power of two; likewise: what a channel takes at least to go to another piece */
    uint32_t dram_wait, dram_wait_every; /* cycles: a bank is not to be had for so many, each so many; 0: always */
    uint32_t constant_bytes[2], constant_line; /* of an SM: first level and the one behind it; line of both */
    uint32_t constant_latency; /* cycles, first level */
    uint32_t constant_hit_cycles, constant_miss_cycles; /* for which an address keeps its port */
    uint32_t constant_next_cycles, constant_behind_cycles; /* from an address to the warp's next one; of the level behind the first, more than that */
    uint32_t constant_pending; /* look-ups of a line on its way that count as misses: up to 255 */
    uint32_t constant_lanes; /* lanes whose constant addresses are looked at together: 32, or 16 */
    uint32_t texture_bytes, texture_line; /* cache for textures alone; 0: they go through L1 */
    uint32_t texture_sms;   /* neighbouring SMs that share one */
    bool texture_readonly;  /* read-only loads go through it too */
    uint32_t texture_l2_bytes; /* second level for textures alone; 0: L2 serves them */
    /* Mechanisms that are off and that no figure says (device/mechanisms.def). */
    bool no_rounds, no_issue_share, no_oldest_first, no_banks, no_pending, no_drain;
    struct dram_spec dram;  /* no channels: its rows are not modelled, only its bytes */
    /* Persisting window of L2: accesses to it are kept for this part of its lines, up to the bytes set aside. */
    uint64_t window_first, window_bytes, persisting_bytes;
    float window_ratio;
    struct l2_kept *kept; /* L2 as launches before have left it (l2_kept.h), the launch's alone; NULL: it is empty */
    /* The host's page-locked memory in this device's range: what SMs ask of it goes over the bus, past L2 and DRAM. Sectors take so many
     * 1/256 cycles there, each way by itself; 0 bytes: there is none. */
    uint64_t host_first, host_bytes;
    uint32_t host_latency, host_read_cycles, host_write_cycles;
    /* Addresses of all devices' memory, and of these this one's: what SMs ask of the others' goes past L2 and DRAM. */
    uint64_t devices_first, devices_bytes, own_first, own_bytes;
};

/* The cluster that an SM is in. TPCs are numbered through the clusters, one of each in turn; the first cluster has its last
 * `late_tpcs` at the end, and what is left over belongs to the last clusters (NVIDIA H200, 2026-11-22, tests/truth/caches: first_blocks
 * and share; SMs 0, 1, 16, 17, 32, 33, 48, 49 and 124 to 131 are one). */
uint32_t caches_gpc(const struct caches_config *c, uint32_t sm);

enum l2_op { L2_READ, L2_WRITE, L2_ATOMIC, L2_CONSTANT /* read by a constant cache */, L2_TEXTURE /* by a texture cache */,
             L2_JOIN /* waits for sectors of the line that were asked for before */ };

/* What an SM asks of L2: sectors of one line. */
struct l2_request {
    uint64_t line;
    uint64_t time;
    uint32_t site;
    uint32_t bytes;   /* of a write that does not fill its sectors: 1 + index of its masks in the queue, or 0 */
    uint32_t waiter;  /* the warp that waits for the answer, a number of the SM's, or L2_NOBODY */
    uint32_t fill;    /* reads: the place of L1 that is told when the data are there (l1_told), or L2_NOWHERE */
    uint8_t sectors;  /* bits; never 0 but for L2_JOIN */
    uint8_t op;       /* enum l2_op */
    uint8_t lanes;    /* atomics: operations, for each of which L2 counts a sector; else 0 */
    uint8_t same, word; /* atomics: the most that are of one element, and sums of floats: which word of the line that is, or another one of them */
    uint8_t atomic;   /* bit set of these: */
};

enum { L2_ATOMIC_FLOAT = 1 /* a sum of floats */, L2_ATOMIC_SLOW = 2 /* one of doubles, or compare-and-swap, several in a sector */, L2_ATOMIC_ANSWERS = 4 /* somebody wants the old value */ };


#define L2_NOBODY UINT32_MAX
#define L2_NOWHERE UINT32_MAX

/* What a warp waits for. */
struct l2_waiter {
    uint64_t ready;   /* when the last of what has been served is there */
    uint32_t pending; /* requests that have not been served */
};

struct l1;

/* Served in the order of time; of the same time in the order of adding. */
struct l2_queue {
    struct l2_request *v, *sorted; /* sorted: room for as many */
    bool mixed;               /* not in the order of time */
    uint32_t (*bytes)[LINE_SECTORS];
    uint32_t n, next, room, nbytes, bytes_room; /* next: the first that has not been served */
    struct l2_waiter *waiter; /* the caller's, by number */
    uint64_t answered;        /* when the last of what somebody waits for comes, of what has been served */
    uint32_t *told, ntold, told_room; /* waiters, in the order in which the last of what they asked was served: the caller sets ntold to 0 */
    struct l1 *l1;            /* the SM's */
    struct l2_flight {
        uint64_t *flier;      /* [first to n] those that have been served, by when L2 is done with them: that time, below bit L2_PACKETS how many packets */
        uint64_t last;        /* when the last of those that have been served is done in its home */
        uint32_t first, n, room, packets; /* packets: of all, those that have not been served, too */
    } stores, reductions;     /* a packet each store; each sector of a reduction that nobody waits for, and each further lane of a word */
    uint64_t accesses, waited; /* accesses of warps that have had all of their answers, and cycles from the last request of each until then, of all */
} __attribute__((aligned(128))); /* what the host's caches move together */

/* --- l1.c --- */

/* Where local memory begins, in the addresses of L1 and L2: up to half as much again is no address of the device, or of host memory that it can use. */
#define CACHES_LOCAL (UINT64_C(1) << 44)

struct l1 *l1_new(const struct caches_config *c, struct pages *memory); /* which it goes with */
void l1_clear(struct l1 *l); /* as new */
bool l1_has_drained(const struct l1 *l); /* no store waits to be merged with others */
/* Loads find nothing of global memory that was there before. */
void l1_invalidate(struct l1 *l);
/* L2 tells when the data of a place come. */
void l1_told(struct l1 *l, uint32_t fill, uint64_t at);
/* When the sectors of a line come that were asked for before `now`; now, if that is over, or others have the line's place. */
uint64_t l1_comes(const struct l1 *l, uint64_t line, uint64_t now);
/* The host fetches what it knows of the place. */
void l1_fetch(const struct l1 *l, uint32_t fill);
/* The lines of an access of global or local memory, or of a texture. `local`: address of the warp's local memory. The host fetches
 * what L1 knows of them. */
void l1_lines(const struct l1 *l, const struct record *r, uint64_t local, struct lines *out);
/* One access of these lines (global or local memory, or a texture where they go through L1) by warp `waiter` at `time`. Adds
 * to the counters of its site and to the queue. Returns sectors that L1 did not have, of atomics all. *lines: how many lines (1.x:
 * transactions) the access touches. *until: raised to when data are there that have been asked for by others; what this access
 * asked for itself, the waiter's `pending` tells. */
unsigned l1_access(struct l1 *l, const struct record *r, const struct lines *of, uint64_t local, uint64_t time, uint32_t waiter,
                   struct counters *sites, struct l2_queue *to, unsigned *lines, uint64_t *until);
/* L1 keeps a store as long as L2 has no room: it fills no sector, and its lines, of which there are so many, are few. */
enum { L1_HOLDS_NONE = LINES_MAX + 1 };
uint32_t l1_lines_held(const struct lines *of); /* L1_HOLDS_NONE: it fills a sector */
bool l1_holds(const struct l1 *l, uint32_t lines);
/* Stores that wait to be merged with others go to L2, as far as it has room: those to which nothing was added since some cycles before `time`. */
void l1_drain(struct l1 *l, uint64_t time, struct l2_queue *to);

/* --- readonly.c --- */

/* A plain cache, least recently used. line: bytes, 32 to 256. */
struct readonly;
struct readonly *readonly_new(uint32_t bytes, uint32_t line, uint32_t ways, struct pages *memory); /* which it goes with, as all of these do */
void readonly_clear(struct readonly *c); /* as new; c may be NULL */
/* Bits of the sectors of line `line` (of 128 bytes, as in lines.h) that were there; all of them are afterwards. */
unsigned readonly_look(struct readonly *c, uint64_t line, unsigned sectors);

/* The constant caches of an SM. */
struct constants;
struct constants *constants_new(const struct caches_config *c, struct pages *memory);
void constants_clear(struct constants *k); /* as new */
/* One constant load at `time`: counts what the first level had, asks L2 for what neither has. Returns the cycle in which the warp has its
 * data. *busy: cycles that the look-ups take. */
uint64_t constants_access(struct constants *k, const struct record *r, uint64_t time, struct counters *sites, struct l2_queue *to,
                          unsigned *busy);

/* The texture cache of the SMs that share one; NULL: textures go through L1. */
struct readonly *textures_new(const struct caches_config *c, struct pages *memory);
/* One texture or read-only load, as l1_access. */
unsigned textures_access(struct readonly *t, const struct record *r, uint64_t time, uint32_t waiter, struct counters *sites,
                         struct l2_queue *to, unsigned *lines);

/* --- l2.c --- */

enum { L2_STEP = 16, L2_PACKETS = 8 };

struct l2;
struct l2 *l2_new(const struct caches_config *c); /* NULL: there is no memory for its tables */
void l2_free(struct l2 *l);
/* So many host threads, the team's, serve from now on; answers and counters are the same. nsites: of the launch. */
struct team;
void l2_share(struct l2 *l, struct team *team, uint32_t members, uint32_t nsites);
/* Serves what the SMs' queues have from before `until`, in the order of time (of L2_STEP cycles at once), then SM; what is
 * served leaves the queue, and waiters and fills are told. some: bits of SMs, where the others are known to have nothing; or NULL. */
void l2_serve(struct l2 *l, struct l2_queue *queues, uint32_t sms, const uint64_t *some, uint64_t until, struct counters *sites);
/* What DRAM still has to do is done. *stats: to be released. */
void l2_finish(struct l2 *l, struct counters *sites, struct dram_stats *stats);
/* From when on there is room for one more of so many packets, `most` (0: any number); `time`, if there is now. What has been done by then is
 * forgotten. */
uint64_t l2_room(struct l2_flight *f, uint32_t most, uint64_t time);
/* When it has done what was served so far. */
uint64_t l2_done(const struct l2 *l);
void l2_queue_add(struct l2_queue *q, const struct l2_request *r, const uint32_t bytes[LINE_SECTORS]);
void l2_queue_release(struct l2_queue *q);

#endif
