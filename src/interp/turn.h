/* Where the warps of a block end a turn.
 *
 * Executors run a warp for long before the next one has its turn. On a GPU all warps of a block go on at the same time, so what
 * all of them load first they have before one of them has stored anything. Programs with a race print there what their writers
 * expect. So in a block of several warps each goes up to such a place, then each goes on from there, and all executors print the
 * same. A turn's end is an order that a GPU may take, too: no result of a program without races changes. There are two kinds:
 *
 * The kernel's begin. A load from global memory takes hundreds of cycles, and the warps of a block begin within some of each
 * other. What they load before the first loop they have (tests/programs/first_loads.cu). The turn ends before that loop, if global
 * memory is read before and written behind with no barrier between, and if the parameters lead to the same allocation.
 *
 * Behind a barrier. All warps read the same place, s[0] or s[lane]: its address follows from constants, parameters, the block's
 * index and the lane's number, from nothing that a loop sets. Then one warp overwrites it before the next barrier
 * (tests/programs/barrier_loads.cu). The turn ends before the first store that may do so, or before the first loop that waits for
 * nobody, whichever comes first. What a warp's own number leads to, s[threadIdx.x], belongs to it and is not looked at; nor is what
 * only some warps read. Which bytes an access may touch is found for each launch (range.h).
 *
 * Only whole warps end turns. Launches whose caches are modelled have an order of their own (clock/rounds.h). */
#ifndef INTERP_TURN_H
#define INTERP_TURN_H

#include "interp/range.h"

struct interp_code;
struct space;

/* Where an address may come from: a parameter's 8 bytes at this offset, or a constant. */
struct turn_root {
    bool param;
    uint64_t at;
};

enum { TURN_ROOTS = 63, TURN_ANYWHERE = TURN_ROOTS /* the bit of an address that comes from elsewhere: one that was loaded */ };

/* The instruction behind which a turn ends. It may be of both kinds. */
struct turn {
    int32_t site;
    uint64_t reads, writes; /* of the first kind, bits: roots of the addresses read before and written behind it; 0: it is not */
};

/* Of the second kind: accesses before a turn's end and behind it of memory that may be the same. */
struct turn_pair {
    int32_t turn;        /* in `at` */
    int32_t read, write; /* instructions */
};

enum { TURN_PLACES = 32 /* more barriers with such a race have none */, TURN_PAIRS = 64 /* of a barrier; more are not looked at */ };

struct turn_places {
    int n;
    struct turn at[TURN_PLACES];
    struct turn_root root[TURN_ROOTS];
    struct turn_pair *pair;
    int32_t npairs, pairs_cap;
};

/* Fills in c->turns and step.turn. The steps are decoded. */
void turns_find(struct interp_code *c);
void turns_release(struct turn_places *t);

/* Bits: the places where warps end a turn in such a launch. Without parameters: in some launch. */
uint32_t turns_wanted(const struct interp_code *c, const struct range_launch *launch, const struct space *s);

/* --- turn_begin.c, turn_barrier.c: a kind each --- */

void turns_add_begin(struct interp_code *c);
void turns_add_barriers(struct interp_code *c);

/* The block's last instruction in [from, to) that machine code may stop behind, or -1. */
int32_t turns_last_plain(const struct interp_code *c, int32_t from, int32_t to);

/* All warps of the block, or some of them, wait for each other. */
bool turns_waits(const struct ir_inst *in);

/* Of the first kind: does something of what is read before it lie in an allocation that is written behind it? */
bool turn_begin_matters(const struct turn_places *t, const struct turn *end, const struct space *s, const char *params);

#endif
