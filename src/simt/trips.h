/* How often the parts of unrolled loops are gone through: what launches count of them.
 *
 * The machine code of such a loop goes through `rounds` turns side by side as long as a lane has so many left, then through two
 * turns if some lane has two or three left over, then through one if some lane has one or three (target/layout.h). So of a visit, the
 * lanes of a warp that come to the loop together, the turns of each lane say what the warp executes. An instruction before
 * the loop (IR_OP_TRIPS) has them counted when lanes come there: ir_trips says how many they will be. */
#ifndef SIMT_TRIPS_H
#define SIMT_TRIPS_H

#include "simt/warp.h"

/* What is added up of all visits: warps, and lanes of them behind that. */
enum trips_number {
    TRIPS_VISITS, TRIPS_VISIT_LANES, /* that come to the loop */
    TRIPS_SOME, TRIPS_SOME_LANES,    /* with turns enough for one round */
    TRIPS_TWO, TRIPS_TWO_LANES,      /* with two or three turns left over */
    TRIPS_ONE, TRIPS_ONE_LANES,      /* with one or three */
    TRIPS_LEFT,                      /* turns left over by the lane that has most turns */
    TRIPS_SOME_APART,                /* groups of lanes that leave the rounds at different times, but one of each visit */
    TRIPS_TWO_APART, TRIPS_ONE_APART, /* warps of which some lanes have turns left over there and some have not */
    TRIPS_NUMBERS
};

/* The turns that a lane does: at least 1. `start` and `bound` as values of the type, `signed_` if it is one of integers with a sign. */
uint64_t trips_of(const struct ir_trips *t, int bits, bool signed_, uint64_t start, uint64_t bound);

/* A visit of `lanes`, which are some, of which each does so many turns. */
void trips_count(uint64_t numbers[TRIPS_NUMBERS], const struct ir_trips *t, const uint64_t turns[WARP_LANES], uint32_t lanes);

#endif
