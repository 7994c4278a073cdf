/* Occupancy: how many blocks of a kernel fit on a multiprocessor.
 *
 * In: a device's limits and what one block needs. Out: blocks by each resource and the least of them. Rules as in the
 * CUDA occupancy calculator, checked in all columns launch__occupancy_limit_* of 398 launches on an H200, 2026-11-20.
 * The shared-memory configuration is a choice of the driver's that no document describes; the rule here was fitted to
 * those launches (389 of 398 equal) and is therefore modelled. It changes what the profiler prints as the
 * shared-memory limit, never the number of resident blocks. */
#include "device/device.h"

#include <string.h>

static int64_t round_up(int64_t v, int64_t unit)
{
    return (v + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Registers are granted to a warp in units, and the warps that fit come in whole groups of register_warp_unit. */
static int64_t blocks_by_registers(const struct device *d, const struct device_need *need, int warps)
{
    int64_t a_warp = round_up((int64_t)need->registers * d->warp_size, d->register_unit);
    int64_t fit;

    if (!need->registers)
        return d->max_blocks_per_sm;
    if (need->registers > d->max_registers_per_thread || a_warp * warps > d->max_registers_per_block)
        return 0;
    fit = d->registers_per_sm / a_warp / d->register_warp_unit * d->register_warp_unit;
    return fit / warps;
}

/* The least configuration that holds 7/4 of what the resident blocks need and 3 KiB more, but no more than a full set
 * of blocks; above 130 KiB the least that holds what they need. */
static int64_t shared_config(const struct device *d, int64_t blocks, int64_t a_block)
{
    int64_t need = blocks * a_block;
    int64_t want = need > 130 * 1024 ? need : least(need * 7 / 4 + 3072, d->max_blocks_per_sm * a_block);

    for (int i = 0; i < d->nshared_configs; i++)
        if (d->shared_configs[i] >= want)
            return d->shared_configs[i];
    return d->shared_per_sm;
}

static void find_least(struct device_occupancy *o)
{
    const int by[] = {o->by_warps, o->by_blocks, o->by_registers, o->by_shared, o->by_barriers};
    static const enum device_limit limit[] = {DEVICE_LIMIT_WARPS, DEVICE_LIMIT_BLOCKS, DEVICE_LIMIT_REGISTERS,
                                              DEVICE_LIMIT_SHARED, DEVICE_LIMIT_BARRIERS};

    o->blocks = by[0];
    o->limit = limit[0];
    for (int i = 1; i < 5; i++) {
        if (by[i] < o->blocks) {
            o->blocks = by[i];
            o->limit = limit[i];
        }
    }
}

void device_occupancy(const struct device *d, const struct device_need *need, struct device_occupancy *out)
{
    int64_t shared = need->shared_static + need->shared_dynamic;
    int64_t barriers = need->barriers > 0 ? need->barriers : 1;

    memset(out, 0, sizeof *out);
    if (need->threads < 1 || need->threads > d->max_threads_per_block) {
        out->limit = DEVICE_LIMIT_WARPS;
        return;
    }
    out->warps_per_block = (int)((need->threads + d->warp_size - 1) / d->warp_size);
    out->shared_driver = d->shared_reserved;
    out->shared_per_block = round_up(shared + d->shared_reserved, d->shared_unit);
    out->by_warps = (int)(d->max_warps_per_sm / out->warps_per_block);
    out->by_blocks = (int)d->max_blocks_per_sm;
    out->by_registers = (int)blocks_by_registers(d, need, out->warps_per_block);
    out->by_shared = shared > d->max_shared_per_block_optin ? 0
                     : out->shared_per_block ? (int)(d->shared_per_sm / out->shared_per_block)
                                             : (int)d->max_blocks_per_sm;
    /* Measured: 32 whatever the kernel uses (h200.json, barriers_per_sm). */
    out->by_barriers = barriers > d->barriers_per_block ? 0 : (int)(d->barriers_per_sm / d->barriers_per_block);
    find_least(out);
    out->warps = out->blocks * out->warps_per_block;
    out->shared_config = shared_config(d, out->blocks, out->shared_per_block);
    out->by_shared_configured =
        out->shared_per_block ? (int)(out->shared_config / out->shared_per_block) : (int)d->max_blocks_per_sm;
}

const char *device_limit_text(enum device_limit l)
{
    static const char *const text[] = {"nothing", "warps", "block slots", "registers", "shared memory", "barriers"};

    return text[l];
}
