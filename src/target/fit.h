/* From laid-out code to code as it is executed: ordered, in physical registers.
 *
 * schedule.h says in which order, allocate.h where values are. A kernel that takes more registers than leave an SM full of warps makes
 * parameters and constants again where they are read (spill.h); where a file of registers is fragmented, the order is made for fewer. */
#ifndef TARGET_FIT_H
#define TARGET_FIT_H

#include "target/code.h"
#include "target/lower.h"
#include "target/shape.h"

struct spills;
struct target_pace;
struct device;

/* Changes `c`; what goes through local memory for want of registers is added to `spills`, and `early` of the sites is found (waits.h), and `pace` (pace.h; NULL: nobody asks; d: see there).
 * numbered: operands name physical registers. most: registers that the launch bounds allow a thread. Returns how many it takes, as ptxas
 * reports them: an estimate. */
int fit(const struct lowered *l, const struct shape *s, struct code *c, int most, bool numbered, struct spills *spills, bool *early,
        struct target_pace *pace, const struct device *d);

/* What the architecture and the launch bounds allow a thread: .maxnreg, and the registers of a multiprocessor for .minnctapersm blocks of
 * .maxntid threads. */
int fit_most(const struct ptx_function *f, int arch);

#endif
