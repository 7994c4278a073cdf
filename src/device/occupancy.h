/* Occupancy: how many blocks of a kernel fit on a multiprocessor, what limits them, and what would change that.
 *
 * In: a device and what one block needs. Out: blocks by each resource and the least of them; or the steps of that as one
 * of the needs varies. Pure functions: the report, the runtime's cudaOccupancy functions, the clock and `heddle
 * occupancy` all ask here. docs/occupancy.md has the rules with an example of each.
 *
 * Sources: CUDA programming guide, "Technical specifications per compute capability", for what there is; the CUDA
 * occupancy calculator, as cuda_occupancy.h of CUDA 7.0 (1.0 to 5.2) and 12.6 (3.0 to 9.0) answers, for how it is
 * granted. Checked against these, and against all limits of 398 launches on an H200. */
#ifndef DEVICE_OCCUPANCY_H
#define DEVICE_OCCUPANCY_H

#include <stdint.h>

#include "base/across.h"
#include "device/device.h"

enum device_limit {
    DEVICE_LIMIT_NONE,
#define LIMIT(NAME, id, text) DEVICE_LIMIT_##NAME,
#include "device/device_limits.def"
#undef LIMIT
    DEVICE_LIMITS
};

/* What one block of a kernel needs. */
struct device_need {
    int threads;            /* a block */
    int registers;          /* a thread; 0: none */
    int64_t shared_static;  /* bytes a block */
    int64_t shared_dynamic; /* bytes a block */
    int64_t shared_hidden;  /* bytes a block that the compiler adds: device_hidden_shared, or 0 if static has them */
    int barriers;           /* named barriers a block uses; 0 counts as 1 */
};

/* Shared memory of a block that no kernel declares, on devices of compute capability 1.x: built-in variables and the
 * kernel's parameters. 0 on others. (CUDA programming guide 1.0 to 5.0, "Function parameters".) */
int64_t device_hidden_shared(const struct device *d, int64_t parameter_bytes) ACROSS(device_hidden_shared);

/* Where a block's shared memory ends for its accesses, in bytes from its begin: whole units are granted, so what a block did not ask for
 * of the last one can be accessed, too. `asked`: static + dynamic; a block that asks for nothing can access nothing. (PTX ISA 8.4,
 * %total_smem_size; H200, 2026-11-23: with 4 or 28 bytes, dynamic or static, 124 is read and 128 an illegal address.) */
int64_t device_shared_bound(const struct device *d, int64_t asked, int64_t hidden);

/* Why no block runs at all; all but the last concern one block alone. */
enum device_refusal { DEVICE_FITS, DEVICE_THREADS_A_BLOCK, DEVICE_REGISTERS_A_THREAD, DEVICE_REGISTERS_A_BLOCK,
                      DEVICE_SHARED_A_BLOCK, DEVICE_BARRIERS_A_BLOCK, DEVICE_WRONG_NEED };

struct device_occupancy {
    int by_limit[DEVICE_LIMITS]; /* resident blocks by each resource alone */
    int blocks;                  /* resident blocks per multiprocessor: the least of these */
    int warps;                   /* blocks * warps a block */
    int warps_per_block;
    enum device_limit limit;     /* the resource that gives `blocks`, the first of several */
    unsigned limits;             /* all that give it: bit 1 << DEVICE_LIMIT_... */
    enum device_refusal refusal; /* DEVICE_FITS: blocks is above 0 */
    int64_t registers_per_warp;  /* granted; where blocks are granted registers, a block's over its warps, rounded up */
    int64_t registers_per_block; /* granted */
    int64_t registers_checked;   /* a block's, as a launch compares them with max_registers_per_block */
    int64_t shared_driver;       /* bytes a block that the driver or the compiler adds */
    int64_t shared_per_block;    /* bytes granted: static + dynamic + these, in whole units */
    int64_t shared_config;       /* modelled: bytes of shared memory the driver configures the multiprocessor for */
    int by_shared_configured;    /* blocks that fit into shared_config: what the profiler prints */
};

/* With no threads or a need below 0 the refusal is DEVICE_WRONG_NEED, and all figures are 0. A block
 * that cannot run on the device has 0 blocks, and refusal and limit name why. */
void device_occupancy(const struct device *d, const struct device_need *need, struct device_occupancy *out);

const char *device_limit_text(enum device_limit l); /* "registers", "shared memory", ... */

/* --- as one need varies --- */

enum device_axis { DEVICE_AXIS_THREADS, DEVICE_AXIS_REGISTERS, DEVICE_AXIS_SHARED, DEVICE_AXES };

/* From `first` to `last`, both included, occupancy is `at`. */
struct device_step {
    int64_t first, last;
    struct device_occupancy at;
};

struct device_curve {
    struct device_step *steps; /* next to one another, first to last; neighbours differ in blocks, warps or limits */
    int n;
};

/* The axes: threads per block from 1, registers per thread from 1, bytes of shared memory per block (static and dynamic
 * together) from 0, each to what the device allows. The other needs stay as they are. */
void device_curve_init(struct device_curve *c, const struct device *d, const struct device_need *need,
                       enum device_axis axis);
void device_curve_release(struct device_curve *c);

/* The step that holds the value; NULL: the device does not allow it. */
const struct device_step *device_curve_at(const struct device_curve *c, int64_t value);

int64_t device_axis_value(const struct device_need *need, enum device_axis axis);

/* Of blocks of whole warps, the size with the most resident threads, the largest of several, as
 * cudaOccupancyMaxPotentialBlockSize has it; 0 if none fits. `most`: threads, 0: as many as the device allows. */
int device_best_block(const struct device *d, const struct device_need *need, int most);

#endif
