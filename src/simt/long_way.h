/* How often the long ways of quotients, reciprocals and roots are gone: what launches count of them.
 *
 * An instruction before such an operation (IR_OP_LONG_WAY) has the operands of the lanes that come there looked at. Of each part of the
 * function that special operands call (target/long_ways.h) it is counted how often a warp executes it, which it does if one of
 * its lanes does. */
#ifndef SIMT_LONG_WAY_H
#define SIMT_LONG_WAY_H

#include "simt/warp.h"
#include "target/long_ways.h"

/* What is added up of all warps that come there: warps, and lanes of them behind that. */
enum long_number {
    LONG_SOME, LONG_SOME_LANES, /* of which a lane calls the function */
    LONG_ONLY, LONG_ONLY_LANES, /* of which all lanes do */
    LONG_PART_FIRST,            /* and by part */
    LONG_NUMBERS = LONG_PART_FIRST + 2 * LONG_PARTS
};

/* A warp's `lanes`, which are some, come to the operation; a and b: bits of their operands. b is NULL where there is one. Returns the parts that some
 * lane executes, a bit set. */
uint32_t long_way_count(uint64_t numbers[LONG_NUMBERS], enum long_way way, const uint64_t a[WARP_LANES], const uint64_t *b, uint32_t lanes);

/* What the parts take the warp, where the clock wants to know. */
static inline void long_way_take(struct warp *w, const struct exec_counts *c, enum long_way way, uint32_t parts)
{
    for (; c->long_part && parts; parts &= parts - 1) {
        const struct exec_pace *p = &c->long_part[way * LONG_PARTS + __builtin_ctz(parts)];
        w->busy += p->busy;
        w->span += p->span;
        w->units += p->units;
    }
}

#endif
