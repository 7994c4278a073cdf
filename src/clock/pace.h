/* What a run of a block of the kernel takes, from its machine code (target/pace.h) and the rates of the device's units. */
#ifndef CLOCK_PACE_H
#define CLOCK_PACE_H

#include "base/arena.h"
#include "device/device.h"
#include "simt/warp.h"
#include "target/target.h"

/* [nblocks] in `arena`. A subpartition issues `issue_width` instructions each `issue_clocks`; each unit takes what a warp's lanes are over
 * those that it does in a cycle, tensor cores what pace_tensor_ticks says. Units whose rate a description does not have take what issuing takes. */
const struct exec_pace *pace_of(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, struct arena *arena);

/* Ticks that the tensor core of a subpartition takes for one of the `insts` instructions that are the product of matrices; 0: nobody knows. By shape as it
 * was measured (mma_cycles, mma_half_cycles, mma_fp64_cycles); else by the peak rate of its elements. */
uint64_t pace_tensor_ticks(const struct device *d, const struct ir_inst *product, uint64_t insts);

/* Cycles from the begin of the machine code's block to what of it is this one of the IR, as far as that is known: to the first of its sites that has
 * a place; PACE_NEVER: none has. */
uint64_t pace_begin(const struct target_pace *pace, const struct ir_kernel *k, int32_t block);

#endif
