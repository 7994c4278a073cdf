/* Launch facts: shape, resources and occupancy of one launch, and the few device figures that metrics divide by.
 *
 * Filled once per launch by launch_facts_init; plain data, written to and read from results (report/result.h), so that
 * a report needs no device description. */
#ifndef COUNTERS_LAUNCH_H
#define COUNTERS_LAUNCH_H

#include <stdint.h>

#include "counters/counters.h"
#include "device/occupancy.h"

struct launch_facts {
    uint32_t grid[3], block[3];
    counter_groups collected; /* figures of other groups are not known */
#define FACT(id, unit, group, help) int64_t id;
#include "counters/launch.def"
#undef FACT
};

/* `need`: what a block needs, its registers estimated; its threads are taken from `block`. `local_bytes`: a thread. */
void launch_facts_init(struct launch_facts *f, const struct device *d, const uint32_t grid[3], const uint32_t block[3],
                       const struct device_need *need, int64_t local_bytes);

/* Waves of blocks: blocks over (resident blocks an SM * SMs); 0 when nothing fits. */
double launch_waves(const struct launch_facts *f);

#endif
