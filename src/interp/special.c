/* Special registers and address conversions (PTX ISA 8.4, chapter 10 and 9.7.9.20). */
#include "interp/code.h"

#include <string.h>
#include <time.h>

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* %clock: cycles where time is modelled, else instructions of the warp. */
static uint64_t clock_of(const struct warp *w, int32_t site)
{
    const struct launch *l = w->block->launch;
    return l->now ? l->now(l, w, site) : w->clock;
}

/* %globaltimer: of the modelled device where that is known, else the host's. */
static uint64_t timer_of(const struct warp *w, int32_t site)
{
    const struct launch *l = w->block->launch;
    return l->now && l->begins ? l->begins + l->now(l, w, site) * 1000000 / l->clock_khz : nanoseconds();
}

static uint64_t lane_value(const struct warp *w, uint32_t sreg, int lane)
{
    if (sreg <= PTX_SREG_TID_Z)
        return w->block->launch->tid[w->index][sreg - PTX_SREG_TID_X][lane];
    return sreg_of_lane(sreg, lane);
}

static uint64_t uniform_value(const struct warp *w, uint32_t sreg, int32_t site)
{
    const struct block *b = w->block;
    const struct launch *l = b->launch;
    switch (sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
        return l->block_dim[sreg - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
        return b->id[sreg - PTX_SREG_CTAID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
        return l->grid[sreg - PTX_SREG_NCTAID_X];
    case PTX_SREG_WARPID:
        return w->index;
    case PTX_SREG_NWARPID:
        return WARPS_OF_SM;
    case PTX_SREG_SMID:
        return b->sm;
    case PTX_SREG_NSMID:
        return l->sms;
    case PTX_SREG_GRIDID:
        return l->grid_serial;
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK64:
        return clock_of(w, site);
    case PTX_SREG_CLOCK_HI:
        return clock_of(w, site) >> 32;
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
        return timer_of(w, site);
    case PTX_SREG_GLOBALTIMER_HI:
        return timer_of(w, site) >> 32;
    case PTX_SREG_TOTAL_SMEM_SIZE:
        return l->shared_bytes;
    default: /* PTX_SREG_DYNAMIC_SMEM_SIZE */
        return l->shared_asked - l->kernel->shared_dynamic;
    }
}

static bool per_lane(uint32_t sreg)
{
    return sreg <= PTX_SREG_TID_Z || sreg == PTX_SREG_LANEID ||
           (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT);
}

/* The common case: a 32-bit register, all lanes. */
static void read_whole(struct warp *w, uint32_t sreg, int32_t site, uint32_t *d)
{
    if (sreg <= PTX_SREG_TID_Z) {
        memcpy(d, w->block->launch->tid[w->index][sreg - PTX_SREG_TID_X], sizeof(uint32_t) * WARP_LANES);
    } else if (per_lane(sreg)) {
        for (int i = 0; i < WARP_LANES; i++)
            d[i] = (uint32_t)lane_value(w, sreg, i);
    } else {
        uint32_t v = (uint32_t)uniform_value(w, sreg, site);
        for (int i = 0; i < WARP_LANES; i++)
            d[i] = v;
    }
}

void special_read(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint32_t sreg = st->sreg;
    const int32_t site = (int32_t)(st - c->step);
    if (m == ~0u && st->dst_width[0] == sizeof(uint32_t)) {
        read_whole(w, sreg, site, place_at(c, w, st->d[0]));
        return;
    }
    bool lanes = per_lane(sreg);
    uint64_t v = lanes ? 0 : uniform_value(w, sreg, site);
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, lanes ? lane_value(w, sreg, i) : v);
}

uint64_t special_window(const struct ir_inst *in)
{
    uint64_t base = generic_window(in->mods->space);
    return in->mods->to ? 0 - base : base;
}

/* Where each lane has a window of its own. */
static void cvta_apart(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const struct ptx_mods *mods = st->in->mods;
    for (int i = 0; i < WARP_LANES; i++) {
        uint64_t base = warp_window(w, mods->space, i).base;
        if (m >> i & 1)
            step_write(c, w, st, 0, i, step_value(c, w, st, 0, i) + (mods->to ? 0 - base : base));
    }
}

void special_cvta(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint64_t base = (uint64_t)st->offset;
    if (base && w->block->launch->lane_by_lane) {
        cvta_apart(c, w, st, m);
        return;
    }
    if (m == ~0u && st->dst_width[0] == sizeof(uint64_t) && st->width[0] == sizeof(uint64_t)) {
        uint64_t *d = place_at(c, w, st->d[0]);
        const uint64_t *a = place_at(c, w, st->s[0]);
        for (int i = 0; i < WARP_LANES; i++)
            d[i] = a[i] + base;
        return;
    }
    for (int i = 0; i < WARP_LANES; i++)
        if (m >> i & 1)
            step_write(c, w, st, 0, i, step_value(c, w, st, 0, i) + base);
}

void special_isspacep(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    int space = st->in->mods->space;
    uint32_t *p = place_at(c, w, st->d[0]), truth = 0;
    for (int i = 0; i < WARP_LANES; i++) {
        if (!(m >> i & 1))
            continue;
        uint64_t a = step_value(c, w, st, 0, i);
        struct window of_block = warp_window(w, PTX_SHARED, i), own = warp_window(w, PTX_LOCAL, i);
        bool shared = a - of_block.base < of_block.bytes, local = a - own.base < own.bytes;
        bool is = space == PTX_SHARED ? shared : space == PTX_LOCAL ? local : space == PTX_GLOBAL && !shared && !local;
        truth |= (uint32_t)is << i;
    }
    *p = (*p & ~m) | truth;
}
