/* The state of a multiprocessor in pseudo-time (clock/rounds.c), and how it is kept from launch to launch: making and freeing some 20 MB for
 * each launch costs more than many launches take.
 *
 * In: how many multiprocessors, with how many subpartitions, and the caches of the launch. Out: multiprocessors on which nothing has happened.
 * One launch at a time has them; another one beside it gets new ones. */
#ifndef CLOCK_SM_H
#define CLOCK_SM_H

#include "base/alloc.h"
#include "clock/fence.h"
#include "clock/issue.h"
#include "clock/spills.h"
#include "clock/turn.h"
#include "memory/caches.h"
#include "simt/warp.h"

#define SM_NEVER UINT64_MAX

/* A CTA slot: a place for a resident block. */
struct cta_slot {
    struct block *b;        /* NULL: free */
    struct warp *warps;     /* its warps */
    void *memory;
    uint64_t phases;        /* of its barriers, when its warps were looked at last */
    uint32_t begun;         /* warps that have had a turn: they begin in their order */
    uint32_t failed;        /* warps */
    uint64_t over;          /* bits of warps that do not run any more: they have ended or failed */
    int passes;             /* since nothing moved */
    bool moved, spins;      /* since all of its warps waited */
    uint64_t since;         /* when the block came, in ticks */
    bool together;          /* its warps wait for what any of them asked L2 for: they have met at a barrier */
    bool told;              /* L2 has answered one of these, or they wait for their own data again */
};

/* When a warp can run: the time, and in the low bits its place; or when its accesses go on: its place and all places. */
typedef uint64_t wake_t;
enum { PLACE_BITS = 20 };

/* Of the time until a subpartition can do another turn: units are busy, not the issue of instructions (exec_pace.units), in 1/255. */
struct unit_busy {
    uint8_t own, queued;
};

struct sm {
    struct l1 *l1;
    struct constants *constants;
    uint64_t constant_port; /* when it is free, in cycles */
    uint64_t texture_port;  /* when the texture unit is, in cycles */
    struct readonly *textures; /* that of the first SM of those that share it; NULL: they go through L1 */
    uint64_t now;           /* ticks: 1/PACE_TICKS of a cycle */
    uint64_t pipe;          /* when the way of loads and stores to the tags of L1 is free, in ticks */
    uint64_t data;          /* when the memory behind it is (what loads bring, passes through the banks of shared memory), in ticks */
    uint64_t *code;         /* [nblocks]: when the block's instructions have come, in ticks; 0: nobody has asked for them */
    struct fences fences;
    uint64_t *free;         /* [slots]: when the subpartition can do a turn */
    struct unit_busy *unit; /* [slots] */
    struct issue_queue *before_pipe; /* [slots]: of each subpartition */
    uint32_t next_queue;    /* whose turn it is */
    uint32_t *age;          /* [cta_slots * warps] of warps: the least is the oldest's */
    uint32_t blocks;        /* that have come */
    struct cta_slot *cta_slot; /* [cta_slots] */
    uint64_t *ready;        /* [cta_slots * warps]: when the warp can run, in ticks; SM_NEVER: it waits, or there is none; one
                               less: for L2 */
    uint64_t *least;        /* [cta_slots * warps]: of warps that wait for L2: not before */
    uint64_t *runnable;     /* bits of places, those of `ready` up to now */
    wake_t *wakes;          /* [cta_slots * warps and more]: a heap of the others; an entry whose place has another time
                               now is dead */
    uint32_t nwakes, wakes_room;
    struct turn *turn;      /* [cta_slots * warps] */
    struct spill_place *in; /* [cta_slots * warps], where the launch has spills: where warps are in blocks that have some */
    uint64_t warp_begin;    /* ticks: when the warp that has its turn would have begun if it had run all the time */
    const struct turn *of_warp; /* its turn */
    int taken;              /* CTA slots */
    uint64_t since;         /* when the first of them was, in ticks */
    uint32_t unbegun;       /* warps that have had no turn */
    uint32_t places_room, blocks_room, waiters_room; /* of the arrays */
} __attribute__((aligned(128))); /* what the host's caches move together: threads have SMs of their own */

/* --- the heap of wakes --- */

static inline uint64_t wake_time(wake_t w)
{
    return w >> PLACE_BITS;
}

static inline uint32_t wake_place(wake_t w)
{
    return (uint32_t)w & ((1 << PLACE_BITS) - 1);
}

static inline void heap_push(struct sm *s, wake_t w)
{
    if (s->nwakes == s->wakes_room) {
        s->wakes_room = 2 * s->wakes_room + 64;
        s->wakes = alloc_resize(s->wakes, s->wakes_room * sizeof *s->wakes);
    }
    uint32_t i = s->nwakes++;
    for (; i && s->wakes[(i - 1) / 2] > w; i = (i - 1) / 2)
        s->wakes[i] = s->wakes[(i - 1) / 2];
    s->wakes[i] = w;
}

static inline wake_t heap_pop(struct sm *s)
{
    wake_t *heap = s->wakes, first = heap[0], last = heap[--s->nwakes];
    uint32_t i = 0, n = s->nwakes;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (last <= heap[child])
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}

/* All of a device. */
struct sms {
    struct sm *sm;          /* [n] */
    struct l2_queue *queue; /* [n] */
    struct turn_pool *turns; /* [nturns] memory of turns, one for each thread of a launch that had most of them */
    struct caches_config caches;
    struct pages of_caches, arrays; /* memory of these */
    uint32_t n, slots, nturns;
};

/* n of them, whose caches are empty: those of the last launch if it had as many. */
void sms_take(struct sms *out, uint32_t n, uint32_t slots, const struct caches_config *c);
void sms_give(const struct sms *sms);

/* Host memory for the state of all resident blocks, so many bytes or more: *bytes. NULL: there is none. */
enum { SMS_STATE_BYTES = 400 << 20 /* more than most launches need */ };
void *sms_state_take(size_t *bytes);
void sms_state_give(void *memory, size_t bytes);

/* There are at least so many memories of turns. */
void sms_pools(struct sms *sms, uint32_t n);

/* Nothing has happened on the SM: it has room for the warps of a launch with so many places, whose kernel has so many blocks of code. */
void sm_begin(struct sms *of, uint32_t sm, uint32_t places, uint32_t blocks);

#endif
