/* What a run of a block of the kernel takes, from its machine code (target/pace.h) and the rates of the device's units. */
#ifndef CLOCK_PACE_H
#define CLOCK_PACE_H

#include "base/arena.h"
#include "device/device.h"
#include "simt/warp.h"
#include "target/target.h"

/* [nblocks] in `arena`. A subpartition issues `issue_width` instructions each `issue_clocks`; each unit takes what a warp's lanes are over
 * those that it does in a cycle, tensor cores what their products were measured to take (mma_cycles, mma_half_cycles,
 * mma_fp64_cycles), or else their peak rate. Units whose rate a description does not have take what issuing takes. */
const struct exec_pace *pace_of(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, struct arena *arena);

/* The same of a part of a long way (target/long_ways.h), [LONG_WAYS * LONG_PARTS]; NULL: the kernel has none. */
const struct exec_pace *pace_of_long_ways(const struct target_tables *t, const struct device *d, struct arena *arena);

/* Cycles from the begin of the machine code's block to what of it is this one of the IR, as far as that is known: to the first of its sites that has
 * a place; PACE_NEVER: none has. */
uint64_t pace_begin(const struct target_pace *pace, const struct ir_kernel *k, int32_t block);

#endif
