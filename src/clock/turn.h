/* What a warp does in a turn: its accesses in the order of the machine code, when each is issued, and how it stands still where it needs what
 * one of them brings.
 *
 * The warp issues in order. An access is issued `at` cycles after the turn's begin, and what it brings is needed at `used` cycles
 * (target/pace.h); where it comes later, everything from there on does. So the begin is moved: times of the turn are always `begin` and what
 * the machine code says. All times are ticks (PACE_TICKS of a cycle) but those of the machine code. */
#ifndef CLOCK_TURN_H
#define CLOCK_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "memory/caches.h"
#include "simt/record.h"
#include "target/pace.h"

/* Accesses that are waited for one by one; those behind share the last place. */
enum { TURN_WAITED = 64 };

struct turn {
    struct record *record; /* [room] as they came */
    uint16_t *at, *used;   /* [room] cycles; PACE_NEVER: nobody needs what it brings */
    bool *late;            /* [room] somebody needs what it brings, or it is there before the turn ends */
    uint16_t *order;       /* [room] of the machine code; `next` counts these */
    int room, n, next;
    int stores;            /* so many may go before other warps have their turn */
    bool in_pipe;          /* some are left */
    bool held;             /* the next one needs what L2 has not answered */
    uint64_t open;         /* bits of places: accesses that have gone and whose data the warp has not waited for */
    uint64_t there[TURN_WAITED]; /* by place: their data are there, but for what L2 brings */
    uint16_t needed[TURN_WAITED]; /* by place: `used` */
    uint32_t site[TURN_WAITED];   /* by place: of the last one */
    uint32_t site_late;    /* of what the warp stood still for last, */
    uint64_t stood;        /* and for how long; the caller takes it and sets it to 0 */
    int32_t last_site;     /* where the turn began, or its first access */
    bool met;              /* it ended at a barrier */
    uint64_t begin, end;   /* end: once nothing is open */
    uint64_t since;        /* when the next one may go */
    uint64_t least;        /* it ends no earlier */
    struct turn_rest {     /* what the last turn left of a block in the midst of which it ended, at a barrier */
        int32_t block;     /* or -1 */
        uint16_t passed;   /* cycles */
        uint64_t span, busy, passes; /* what is left */
    } rest;
};

void turn_release(struct turn *t);

/* Forgets the last turn. */
void turn_begin(struct turn *t, uint64_t begin);

/* Records that a run of a block left, as turn `copy` of those of an unrolled loop that stand side by side. */
void turn_add(struct turn *t, const struct ir_kernel *k, const struct target_pace *p, const struct record *r, int n, int copy);

/* All have been added, and the block that they are in begins so much later than the turn, which takes `span`. */
void turn_order(struct turn *t, const struct ir_kernel *k, const struct target_pace *p, uint64_t before, uint64_t span);

/* The place in `open` of the next access. */
static inline uint32_t turn_place(const struct turn *t)
{
    return (uint32_t)(t->next < TURN_WAITED ? t->next : TURN_WAITED - 1);
}

static inline const struct record *turn_next(const struct turn *t)
{
    return &t->record[t->order[t->next]];
}

/* When the next access is issued, as far as is known. */
static inline uint64_t turn_issue(const struct turn *t)
{
    return t->begin + (uint64_t)t->at[t->order[t->next]] * PACE_TICKS;
}

/* The next access has gone; its data are `there`, but for what L2 brings. */
void turn_went(struct turn *t, uint64_t there);

/* The warp stands still for what is needed up to the next access, or up to the end. `waiter`: by place, what L2 says. False: L2 has not said
 * yet when it comes. */
bool turn_wait_next(struct turn *t, struct l2_waiter *waiter);
bool turn_wait_all(struct turn *t, struct l2_waiter *waiter);

#endif
