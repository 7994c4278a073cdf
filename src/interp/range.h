/* Between which numbers the values of an integer register lie, for all threads of a launch and at all times.
 *
 * In: an analysed kernel and what is known of a launch. Out: for a register with one definition the least and the greatest value
 * that follow from its sources': special registers, parameters, constants. A register that is written in several places, a value
 * from memory and what may wrap may be any. An address that is computed from a shared variable's stays in that variable (C++23,
 * 7.6.6: arithmetic that leaves an array is undefined), so two variables' accesses are told apart whatever their index is. */
#ifndef INTERP_RANGE_H
#define INTERP_RANGE_H

#include "ir/ir.h"

/* What is known of a launch; NULL: nothing. */
struct range_launch {
    const uint32_t *dim;    /* [3]: the size of a block */
    const uint32_t *grid;   /* [3] */
    const char *params;     /* [param_bytes] */
    uint32_t shared_bytes;  /* of a block, static and dynamic; 0: not known */
};

/* Both are included. 32-bit values are read as signed where both readings are possible. */
struct range {
    int64_t low, high;
};

struct ranges;

struct ranges *ranges_new(const struct ir_kernel *k, const struct range_launch *launch);
void ranges_free(struct ranges *r);

/* The bytes that a load, a store, an atomic or the shared side of an asynchronous copy may touch, as generic addresses. */
struct range ranges_touched(struct ranges *r, const struct ir_inst *in);

/* Some byte may be in both. */
static inline bool ranges_meet(struct range a, struct range b)
{
    return a.low <= b.high && b.low <= a.high;
}

#endif
