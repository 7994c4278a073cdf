/* Occupancy: how many blocks of a kernel fit on a multiprocessor. See occupancy.h.
 *
 * Each resource has a function blocks_by_ID; all they know of a generation is in the description: who is granted
 * registers and in which units, what shared memory is granted in, what the driver keeps for itself. The shared-memory
 * configuration is a choice of the driver's that no document describes; the rule for it was fitted to 398 launches on an
 * H200, 2026-11-20 (389 equal), and is therefore modelled. It changes what the profiler prints as the shared-memory
 * limit, never the number of resident blocks. */
#include "device/occupancy.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"

static int64_t round_up(int64_t v, int64_t unit)
{
    return (v + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int as_blocks(int64_t n)
{
    return n > INT_MAX ? INT_MAX : (int)n;
}

int64_t device_hidden_shared(const struct device *d, int64_t parameter_bytes)
{
    return d->shared_builtin_bytes + (d->parameters_in_shared ? parameter_bytes : 0);
}

/* --- what is granted --- */

/* Fermi grants some numbers of registers in twice the unit. */
static int64_t register_unit(const struct device *d, int registers)
{
    for (int i = 0; i < d->nregister_double_counts; i++)
        if (d->register_double_counts[i] == registers)
            return 2 * d->register_unit;
    return d->register_unit;
}

/* 1.x grants a block whole units for an even number of warps, all later ones grant each warp whole units; their check at
 * a launch takes a block's warps as spread over all parts of the register file. */
static void grant_registers(const struct device *d, const struct device_need *need, struct device_occupancy *o)
{
    int64_t unit = register_unit(d, need->registers), a_warp = (int64_t)need->registers * d->warp_size;
    int64_t warps = round_up(o->warps_per_block, d->warp_unit);

    if (d->register_grant == DEVICE_GRANT_BLOCK) {
        o->registers_per_block = round_up(warps * a_warp, unit);
        o->registers_per_warp = (o->registers_per_block + o->warps_per_block - 1) / o->warps_per_block;
        o->registers_checked = o->registers_per_block;
    } else {
        o->registers_per_warp = round_up(a_warp, unit);
        o->registers_per_block = warps * o->registers_per_warp;
        o->registers_checked = o->registers_per_warp * round_up(warps, d->register_check_unit);
    }
}

/* Without overflow for whatever a program may ask. */
static int64_t shared_asked(const struct device_need *need)
{
    const int64_t lots = INT64_C(1) << 48;

    return least(need->shared_static, lots) + least(need->shared_dynamic, lots);
}

static void grant_shared(const struct device *d, const struct device_need *need, struct device_occupancy *o)
{
    o->shared_driver = d->shared_reserved + need->shared_hidden;
    o->shared_per_block = round_up(shared_asked(need) + o->shared_driver, d->shared_unit);
}

int64_t device_shared_bound(const struct device *d, int64_t asked, int64_t hidden)
{
    return asked ? round_up(asked + d->shared_reserved + hidden, d->shared_unit) - d->shared_reserved - hidden : 0;
}

/* --- what one block may have --- */

static enum device_refusal refusal_of(const struct device *d, const struct device_need *need,
                                      const struct device_occupancy *o)
{
    if (need->threads > d->max_threads_per_block)
        return DEVICE_THREADS_A_BLOCK;
    if (need->registers > d->max_registers_per_thread)
        return DEVICE_REGISTERS_A_THREAD;
    if (o->registers_checked > d->max_registers_per_block)
        return DEVICE_REGISTERS_A_BLOCK;
    if (shared_asked(need) + need->shared_hidden > d->max_shared_per_block_optin)
        return DEVICE_SHARED_A_BLOCK;
    if (need->barriers > d->barriers_per_block)
        return DEVICE_BARRIERS_A_BLOCK;
    return DEVICE_FITS;
}

static enum device_limit limit_of(enum device_refusal r)
{
    static const enum device_limit limit[] = {
        [DEVICE_FITS] = DEVICE_LIMIT_NONE,
        [DEVICE_THREADS_A_BLOCK] = DEVICE_LIMIT_WARPS,
        [DEVICE_REGISTERS_A_THREAD] = DEVICE_LIMIT_REGISTERS,
        [DEVICE_REGISTERS_A_BLOCK] = DEVICE_LIMIT_REGISTERS,
        [DEVICE_SHARED_A_BLOCK] = DEVICE_LIMIT_SHARED,
        [DEVICE_BARRIERS_A_BLOCK] = DEVICE_LIMIT_BARRIERS,
        [DEVICE_WRONG_NEED] = DEVICE_LIMIT_WARPS,
    };

    return limit[r];
}

/* --- blocks by each resource --- */

static int64_t blocks_by_warps(const struct device *d, const struct device_occupancy *o)
{
    return d->max_warps_per_sm / round_up(o->warps_per_block, d->warp_unit);
}

static int64_t blocks_by_blocks(const struct device *d, const struct device_occupancy *o)
{
    (void)o;
    return d->max_blocks_per_sm;
}

/* Where warps are granted registers, each part of the register file holds the same number of warps, so the warps that
 * fit come in whole groups of register_warp_unit. */
static int64_t blocks_by_registers(const struct device *d, const struct device_occupancy *o)
{
    int64_t warps;

    if (!o->registers_per_block)
        return d->max_blocks_per_sm;
    if (d->register_grant == DEVICE_GRANT_BLOCK)
        return d->registers_per_sm / o->registers_per_block;
    warps = d->registers_per_sm / o->registers_per_warp / d->register_warp_unit * d->register_warp_unit;
    return warps / round_up(o->warps_per_block, d->warp_unit);
}

static int64_t blocks_by_shared(const struct device *d, const struct device_occupancy *o)
{
    return o->shared_per_block ? d->shared_per_sm / o->shared_per_block : d->max_blocks_per_sm;
}

/* Measured on an H200: 32 whatever the kernel uses (h200.json, barriers_per_sm). */
static int64_t blocks_by_barriers(const struct device *d, const struct device_occupancy *o)
{
    (void)o;
    return d->barriers_per_sm / d->barriers_per_block;
}

/* The least configuration that holds 7/4 of what the resident blocks need and 3 KiB more, but no more than a full set
 * of blocks; above 130 KiB the least that holds what they need. */
static int64_t shared_config(const struct device *d, int64_t blocks, int64_t a_block)
{
    int64_t need = blocks * a_block;
    int64_t want = need > 130 * 1024 ? need : least(need * 7 / 4 + 3072, d->max_blocks_per_sm * a_block);

    for (int i = 0; i < d->nshared_configs && d->shared_choice == DEVICE_CHOICE_LAUNCH; i++)
        if (d->shared_configs[i] >= want)
            return d->shared_configs[i];
    return d->shared_per_sm;
}

/* A resource that a block takes nothing of limits nothing, whatever its number says. */
static bool is_taken(const struct device_occupancy *o, int limit)
{
    return limit == DEVICE_LIMIT_REGISTERS ? o->registers_per_block > 0
           : limit == DEVICE_LIMIT_SHARED  ? o->shared_per_block > 0
                                           : true;
}

static void find_least(struct device_occupancy *o)
{
    o->blocks = INT_MAX;
    for (int l = DEVICE_LIMIT_NONE + 1; l < DEVICE_LIMITS; l++) {
        if (o->by_limit[l] < o->blocks) {
            o->blocks = o->by_limit[l];
            o->limit = (enum device_limit)l;
            o->limits = 0;
        }
        if (o->by_limit[l] == o->blocks && is_taken(o, l))
            o->limits |= 1u << l;
    }
}

void device_occupancy(const struct device *d, const struct device_need *need, struct device_occupancy *out)
{
    memset(out, 0, sizeof *out);
    if (need->threads < 1 || need->registers < 0 || need->shared_static < 0 || need->shared_dynamic < 0 ||
        need->shared_hidden < 0 || need->barriers < 0) {
        out->refusal = DEVICE_WRONG_NEED;
        out->limit = limit_of(out->refusal);
        return;
    }
    out->warps_per_block = (int)((need->threads + d->warp_size - 1) / d->warp_size);
    grant_registers(d, need, out);
    grant_shared(d, need, out);
    out->refusal = refusal_of(d, need, out);
#define LIMIT(NAME, id, text) out->by_limit[DEVICE_LIMIT_##NAME] = as_blocks(blocks_by_##id(d, out));
#include "device/device_limits.def"
#undef LIMIT
    out->by_limit[limit_of(out->refusal)] = 0;
    find_least(out);
    if (!out->blocks && out->refusal == DEVICE_FITS)
        out->refusal = out->limit == DEVICE_LIMIT_REGISTERS ? DEVICE_REGISTERS_A_BLOCK : DEVICE_SHARED_A_BLOCK;
    out->warps = out->blocks * out->warps_per_block;
    out->shared_config = shared_config(d, out->blocks, out->shared_per_block);
    out->by_shared_configured = out->refusal == DEVICE_SHARED_A_BLOCK ? 0
                                : out->shared_per_block ? as_blocks(out->shared_config / out->shared_per_block)
                                                        : (int)d->max_blocks_per_sm;
}

const char *device_limit_text(enum device_limit l)
{
    static const char *const text[] = {
        "nothing",
#define LIMIT(NAME, id, words) words,
#include "device/device_limits.def"
#undef LIMIT
    };

    return text[l];
}

/* --- curves --- */

int64_t device_axis_value(const struct device_need *need, enum device_axis axis)
{
    return axis == DEVICE_AXIS_THREADS     ? need->threads
           : axis == DEVICE_AXIS_REGISTERS ? need->registers
                                           : need->shared_static + need->shared_dynamic;
}

static void set_axis(struct device_need *need, enum device_axis axis, int64_t value)
{
    if (axis == DEVICE_AXIS_THREADS) {
        need->threads = (int)value;
    } else if (axis == DEVICE_AXIS_REGISTERS) {
        need->registers = (int)value;
    } else {
        need->shared_static = 0;
        need->shared_dynamic = value;
    }
}

/* The last value from `value` on for which a block is granted the same. */
static int64_t grant_end(const struct device *d, enum device_axis axis, int64_t value, const struct device_occupancy *o)
{
    return axis == DEVICE_AXIS_THREADS     ? round_up(value, d->warp_size)
           : axis == DEVICE_AXIS_REGISTERS ? value
                                           : o->shared_per_block - o->shared_driver;
}

static bool same_step(const struct device_occupancy *a, const struct device_occupancy *b)
{
    return a->blocks == b->blocks && a->warps == b->warps && a->limits == b->limits && a->refusal == b->refusal;
}

void device_curve_init(struct device_curve *c, const struct device *d, const struct device_need *need,
                       enum device_axis axis)
{
    const int64_t ends[] = {d->max_threads_per_block, d->max_registers_per_thread, d->max_shared_per_block_optin};
    struct device_need at = *need;
    int room = 0;

    *c = (struct device_curve){NULL, 0};
    for (int64_t v = axis == DEVICE_AXIS_SHARED ? 0 : 1, last; v <= ends[axis]; v = last + 1) {
        struct device_occupancy o;

        set_axis(&at, axis, v);
        device_occupancy(d, &at, &o);
        last = grant_end(d, axis, v, &o);
        last = last < v ? v : least(last, ends[axis]);
        if (c->n && same_step(&c->steps[c->n - 1].at, &o)) {
            c->steps[c->n - 1].last = last;
            continue;
        }
        if (c->n == room) {
            room = room ? 2 * room : 32;
            c->steps = alloc_resize(c->steps, (size_t)room * sizeof *c->steps);
        }
        c->steps[c->n++] = (struct device_step){v, last, o};
    }
}

void device_curve_release(struct device_curve *c)
{
    alloc_release(c->steps);
    *c = (struct device_curve){NULL, 0};
}

const struct device_step *device_curve_at(const struct device_curve *c, int64_t value)
{
    for (int i = 0; i < c->n; i++)
        if (value >= c->steps[i].first && value <= c->steps[i].last)
            return &c->steps[i];
    return NULL;
}

int device_best_block(const struct device *d, const struct device_need *need, int most)
{
    struct device_need at = *need;
    int64_t end = most && most < d->max_threads_per_block ? most : d->max_threads_per_block;
    int best = 0, best_threads = 0;

    for (int64_t n = end; n > 0; n = (n - 1) / d->warp_size * d->warp_size) {
        struct device_occupancy o;

        at.threads = (int)n;
        device_occupancy(d, &at, &o);
        if (o.blocks * at.threads > best_threads) {
            best = at.threads;
            best_threads = o.blocks * at.threads;
        }
    }
    return best;
}
