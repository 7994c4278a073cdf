/* What a launch is before it runs: shape, residency and their limits, from the device description. See launch.h. */
#include "counters/launch.h"

#include <string.h>

/* The driver gives a thread at least 16 registers, whatever ptxas reports (launch__registers_per_thread of the kernels for which
 * it reports 8 to 15: H200, driver 580.159.04, 2026-11-20; taken to be so from its compute capability on). */
enum { LEAST_REGISTERS = 16, LEAST_SINCE = 9 };

void launch_facts_init(struct launch_facts *f, const struct device *d, const uint32_t grid[3], const uint32_t block[3],
                       const struct device_need *need, int64_t local_bytes)
{
    struct device_need needed = *need;
    struct device_occupancy o;

    memset(f, 0, sizeof *f);
    memcpy(f->grid, grid, sizeof f->grid);
    memcpy(f->block, block, sizeof f->block);
    f->blocks = (int64_t)grid[0] * grid[1] * grid[2];
    needed.threads = (int)(block[0] * block[1] * block[2]);
    f->threads = f->blocks * needed.threads;
    device_occupancy(d, &needed, &o);
    f->warps_per_block = o.warps_per_block;
    f->registers = d->cc_major >= LEAST_SINCE && need->registers < LEAST_REGISTERS ? LEAST_REGISTERS : need->registers;
    f->shared_static = need->shared_static;
    f->shared_dynamic = need->shared_dynamic;
    f->shared_driver = o.shared_driver;
    f->shared_config = o.shared_config;
    f->local_bytes = local_bytes;
    f->limit_registers = o.by_limit[DEVICE_LIMIT_REGISTERS];
    f->limit_shared = o.by_shared_configured;
    f->limit_warps = o.by_limit[DEVICE_LIMIT_WARPS];
    f->limit_blocks = o.by_limit[DEVICE_LIMIT_BLOCKS];
    f->limit_barriers = o.by_limit[DEVICE_LIMIT_BARRIERS];
    f->resident_blocks = o.blocks;
    f->limit = o.limit;
    f->multiprocessors = d->multiprocessors;
    f->schedulers = d->subpartitions;
    f->max_warps = d->max_warps_per_sm;
    f->sm_clock_khz = d->sm_clock_khz;
}

double launch_waves(const struct launch_facts *f)
{
    double at_once = (double)f->resident_blocks * (double)f->multiprocessors;

    return at_once > 0 ? (double)f->blocks / at_once : 0;
}
