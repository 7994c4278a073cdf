/* What a warp does in a turn: its accesses in the order of the machine code, when each is issued, and how it stands still where it needs what
 * one of them brings.
 *
 * The warp issues in order. An access is issued `at` cycles after the turn's begin, and what it brings is needed at `used` cycles
 * (target/pace.h); where it comes later, everything from there on does. So the begin is moved: times of the turn are always `begin` and what
 * the machine code says. All times are ticks (PACE_TICKS of a cycle) but those of the machine code. */
#ifndef CLOCK_TURN_H
#define CLOCK_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "ir/ir.h"
#include "memory/caches.h"
#include "simt/record.h"
#include "target/pace.h"

/* Accesses that are waited for one by one; those behind share the last place. */
enum { TURN_WAITED = 64 };

enum { TURN_RECORD = offsetof(struct record, block) - offsetof(struct record, bytes) };

/* An access, in a line of the host's cache: its record without the addresses that its shape does not need. */
struct turn_access {
    uint64_t addr;         /* of lane 0; RECORD_EXPLICIT: of the first lane that takes part */
    uint32_t site, mask;   /* from here to `record` as in struct record */
    uint8_t op, space, shape;
    uint8_t record[TURN_RECORD];
    uint32_t list;         /* RECORD_EXPLICIT: which list of lanes, */
    bool common;           /* of those that the instruction has had before, else of the turn's own */
    bool wide;             /* lanes are too far apart for a list: it has two, of the addresses themselves */
    bool late;             /* somebody needs what it brings, or it is there before the turn ends */
    uint16_t at, used;     /* cycles; PACE_NEVER: nobody needs what it brings */
} __attribute__((aligned(64)));

/* What has gone and is waited for. */
struct turn_waited {
    uint64_t there;        /* its data are, but for what L2 brings */
    uint64_t l2;           /* cycles: when that is there, once it has said so */
    uint32_t site;         /* of the last access that has the place */
    uint16_t used;
    bool fence;
} __attribute__((aligned(32)));

struct turn {
    uint64_t open;         /* bits of places: accesses that have gone and whose data the warp has not waited for */
    uint64_t asked;        /* of these: L2 has not said when they come */
    uint64_t begin;
    uint64_t since;        /* when the next one may go */
    struct turn_access *access; /* [room] as they came, then in the order of the machine code; `next` counts these */
    struct turn_waited *waited; /* [room] by place */
    uint32_t n, next;
    int16_t stores;        /* so many may go before other warps have their turn */
    uint16_t next_at;      /* `at` of the next one */
    bool in_pipe;          /* some are left */
    bool held;             /* the next one needs what L2 has not answered */
    bool met;              /* it ended at a barrier */
    uint64_t end;          /* once nothing is open */
    uint64_t least;        /* it ends no earlier */
    uint64_t passed;       /* when its accesses that left no record have passed the banks of shared memory; it ends no earlier */
    uint64_t stood, fenced; /* for how long the warp stood still, for a fence apart; the caller takes it and sets it to 0 */
    uint32_t site_late, site_fence; /* of what it stood still for last */
    int32_t last_site;     /* where the turn began, or its first access */
    int32_t block;         /* of the IR: of the access that came first; -1: there is none */
    bool local;            /* that one is of local memory */
    uint16_t lines;        /* 1 + l1_lines_held of the next access, a store; 0: nobody has asked */
    struct turn_rest {     /* what the last turn left of a block in the midst of which it ended, at a barrier */
        int32_t block;     /* or -1 */
        uint16_t passed;   /* cycles */
        uint64_t span, busy, passes; /* what is left */
    } rest;
    uint32_t (*list)[32];  /* [lists_room]: bytes from one address to those of the lanes */
    uint32_t room, nlists, lists_room;
} __attribute__((aligned(64)));

/* Memory of turns, of one host thread: what one of them grew out of another one takes. And lists of lanes: all warps' accesses of one
 * instruction mostly have the same, so it is kept once. */
struct turn_pool {
    struct pages pages;
    char *next;            /* in the newest piece of these */
    size_t left;
    void *free[48];        /* by size: 64 bytes, twice as many ... */
    uint32_t (*list)[32];  /* [lists_room] common ones */
    uint32_t nlists, lists_room;
    bool groups;           /* asynchronous copies are waited for by groups (copies.h), not before their turn ends */
    struct turn_site *site; /* [nsites] what they had last */
    uint32_t nsites;
};

/* A launch of a kernel with so many sites begins. */
void turn_pool_begin(struct turn_pool *p, uint32_t nsites);
/* All turns that have memory of it are gone. */
void turn_pool_release(struct turn_pool *p);

/* As if there had been no turn; what is allocated stays. */
void turn_forget(struct turn *t);

/* The warp has its next turn without waiting for what is open: it is told again what L2 has said of that, by the next access of the same place.
 * `l2`: the waiters of its places, so many apart. */
void turn_leave(struct turn *t, struct l2_waiter *l2, uint32_t apart);

/* Forgets the last turn. */
void turn_begin(struct turn *t, uint64_t begin);

/* Records that a run of a block left, as turn `copy` of those of an unrolled loop that stand side by side. */
void turn_add(struct turn *t, struct turn_pool *memory, const struct ir_kernel *k, const struct target_pace *p, const struct record *r, int n, int copy);

/* All have been added, and the block that they are in begins so much later than the turn, which takes `span`. */
void turn_order(struct turn *t, const struct target_pace *p, uint64_t before, uint64_t span);

/* The place in `open` of the next access. */
static inline uint32_t turn_place(const struct turn *t)
{
    return (uint32_t)(t->next < TURN_WAITED ? t->next : TURN_WAITED - 1);
}

static inline const struct turn_access *turn_next(const struct turn *t)
{
    return &t->access[t->next];
}

/* Its record, but for the warp that it is of. */
void turn_record(const struct turn *t, const struct turn_pool *memory, struct record *out);

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When the turn ends, as far as is known: once nothing is open. */
static inline uint64_t turn_end(const struct turn *t)
{
    return later(t->end, later(t->least, t->passed));
}

/* The host fetches the addresses of its lanes. */
static inline void turn_fetch(const struct turn *t)
{
    const struct turn_access *a = turn_next(t);
    if (a->shape != RECORD_EXPLICIT || a->common)
        return;
    __builtin_prefetch(t->list[a->list]);
    __builtin_prefetch(t->list[a->list] + 16);
}

/* When the next access is issued, as far as is known. */
static inline uint64_t turn_issue(const struct turn *t)
{
    return t->begin + (uint64_t)t->next_at * PACE_TICKS;
}

/* The warp stands still for so long before its next access. */
static inline void turn_delay(struct turn *t, uint64_t ticks)
{
    t->begin += ticks;
    t->end += ticks;
}

/* The next access has gone; its data are `there`, but for what L2 brings: what it has said to its waiter, or is going to say. */
void turn_went(struct turn *t, uint64_t there, struct l2_waiter *l2);
/* L2 has said to the waiter of the place when all is there. */
void turn_told(struct turn *t, uint32_t place, struct l2_waiter *l2);

/* The warp stands still for what is needed up to the next access, or up to the end. False: L2 has not said yet when it comes. */
bool turn_wait_next(struct turn *t);
bool turn_wait_all(struct turn *t);

#endif
