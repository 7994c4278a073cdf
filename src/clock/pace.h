/* What a run of a block of the kernel takes, from its machine code (target/pace.h) and the rates of the device's units. */
#ifndef CLOCK_PACE_H
#define CLOCK_PACE_H

#include "base/arena.h"
#include "device/device.h"
#include "simt/warp.h"
#include "target/target.h"

/* [nblocks] in `arena`. A subpartition issues `issue_width` instructions each `issue_clocks`; each unit takes what a warp's lanes are over
 * those that it does in a cycle. Units whose rate a description does not have take what issuing takes. */
const struct exec_pace *pace_of(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, struct arena *arena);

#endif
