/* Roofline and bound of a launch: what the device's peak rates allow for the work that was counted.
 *
 * In: counters, launch facts, the device's rates. Out: floating-point operations by precision, the bytes that each level of
 * memory moves, and the least time that each resource needs. Pure; nothing here predicts a time. A launch takes at least
 * as long as the resource that needs longest; dependences and latencies, which make it longer, are in no figure here.
 *
 * The roofline: S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance model for multicore
 * architectures, CACM 52 (2009). With levels of memory: C. Yang, T. Kurth, S. Williams, Hierarchical roofline
 * analysis for GPUs, CCPE 32 (2020), which is what NVIDIA's profiler draws. Rows and formulas: roofline.def.
 *
 * How many multiprocessors and schedulers can take part follows exactly: no more than there are blocks, and warps.
 * What the last wave wastes depends on how long each block takes: the share that is told holds if all do the same. */
#ifndef COUNTERS_ROOFLINE_H
#define COUNTERS_ROOFLINE_H

#include <stdbool.h>

#include "counters/counters.h"
#include "counters/launch.h"
#include "device/device.h"

enum roofline_precision {
#define PRECISION(id, section, text, operations, instructions, peak) ROOFLINE_##id,
#include "counters/roofline.def"
    ROOFLINE_PRECISIONS
};

enum roofline_level {
#define LEVEL(id, text, bytes, trust, peak, modelled, from) ROOFLINE_LEVEL_##id,
#include "counters/roofline.def"
    ROOFLINE_LEVELS
};

enum roofline_resource {
#define RESOURCE(id, text, unit, work, trust, peak, share, modelled) ROOFLINE_RESOURCE_##id,
#include "counters/roofline.def"
    ROOFLINE_RESOURCES
};

struct roofline {
    struct {
        double operations, instructions; /* of threads */
        double peak;                     /* GFLOP/s; NAN: not known, 0: the device cannot */
    } precision[ROOFLINE_PRECISIONS];
    struct {
        double bytes; /* NAN: not modelled in this launch, or not known */
        double peak;  /* GB/s; NAN: not known, 0: the device has no such level */
        enum trust trust;
    } level[ROOFLINE_LEVELS];
    struct {
        double work; /* NAN as above */
        double peak; /* 10^9 a second, of the part of the device that can take part; NAN: not known */
        double us;   /* the least time it needs, microseconds; NAN: not known */
        enum trust trust;
    } resource[ROOFLINE_RESOURCES];
    enum roofline_resource bound; /* the one that needs longest; ROOFLINE_RESOURCES: nothing was counted */
    double us;                    /* what it needs: the bound; 0: nothing was counted */
    double sms;        /* share of the multiprocessors that have a block */
    double schedulers; /* share of the schedulers that have a warp */
    double last_wave;  /* the longest share of blocks of a multiprocessor over the average one, at least 1 */
};

void roofline_init(struct roofline *r, const struct counters *c, const struct launch_facts *l, const struct device_rates *d);

/* Operations a byte. INFINITY where no byte is moved, 0 where there are no operations; NAN where bytes are not known,
 * or the device has no such level. */
double roofline_intensity(const struct roofline *r, enum roofline_level l, enum roofline_precision p);

/* GFLOP/s that the level's roof and the peak of the precision allow at this intensity. NAN where it is not known. */
double roofline_attainable(const struct roofline *r, enum roofline_level l, enum roofline_precision p);

/* The intensity at which the two roofs meet. NAN where one is not known. */
double roofline_ridge(const struct roofline *r, enum roofline_level l, enum roofline_precision p);

/* GFLOP/s that the bound allows: operations over its time. 0 without operations. */
double roofline_most(const struct roofline *r, enum roofline_precision p);

/* Does the device have this level, and did it have something to do? */
bool roofline_uses(const struct roofline *r, enum roofline_level l);

/* The precision that needs most of its lanes' time; the first when there are no operations at all. */
enum roofline_precision roofline_main(const struct roofline *r);

struct roofline_names {
    const char *text; /* "single precision", "L2", "issue slots" */
    const char *unit; /* of a resource's work */
    const char *from; /* of a level or a precision: the rate (device_rates.def) that is its peak */
    const char *section; /* of a precision: "Single", as in the profiler's sections */
};
struct roofline_names roofline_precision_names(enum roofline_precision p);
struct roofline_names roofline_level_names(enum roofline_level l);
struct roofline_names roofline_resource_names(enum roofline_resource r);

#endif
