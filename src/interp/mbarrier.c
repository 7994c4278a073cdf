/* mbarrier: barriers in shared memory that count arrivals (PTX ISA 8.4, 9.7.13.15).
 *
 * In: lanes of one instruction. The object's 64 bits are opaque in PTX; here: bits 0-19 arrivals that are still to come
 * in this phase, 20-39 arrivals of a phase, 40-62 the number of the phase, 63 set while it is valid. The token that an
 * arrival returns is the object as it was before, so a wait compares the number of the phase. A block runs on one host
 * thread, so nothing here is atomic. Lanes arrive in ascending order.
 * cp.async.mbarrier.arrive makes the object follow the thread's copies: they are carried out then, and it arrives.
 * Left out: transaction counts (.expect_tx, complete_tx), which belong to bulk copies. */
#include "interp/code.h"

#include "heddle.h"

#include <string.h>

#define VALID (UINT64_C(1) << 63)
enum { COUNT_BITS = 20, COUNT_MAX = (1 << COUNT_BITS) - 1 };

static uint32_t pending(uint64_t v)
{
    return (uint32_t)v & COUNT_MAX;
}

static uint32_t expected(uint64_t v)
{
    return (uint32_t)(v >> COUNT_BITS) & COUNT_MAX;
}

static uint32_t phase(uint64_t v)
{
    return (uint32_t)(v >> 2 * COUNT_BITS) & 0x7fffff;
}

static uint64_t object(uint32_t to_come, uint32_t all, uint32_t number)
{
    return VALID | (uint64_t)(number & 0x7fffff) << 2 * COUNT_BITS | (uint64_t)all << COUNT_BITS | to_come;
}

static bool fault(const struct interp_code *c, struct warp *w, const struct step *st, int status, int lane,
                  uint64_t address, const char *text)
{
    launch_fault(w->block->launch, w, status, (int32_t)(st - c->step), lane, address, 8, text);
    return false;
}

/* The object that a lane names, or NULL: a fault was recorded. */
static uint64_t *find(const struct interp_code *c, struct warp *w, const struct step *st, int lane)
{
    uint64_t a = step_value(c, w, st, 0, lane) + (uint64_t)st->in->offset, at = a;
    if (st->width[0] == 4)
        at = (uint32_t)a;
    if (st->in->mods->space == PTX_GENERIC) {
        struct window of_block = warp_window(w, PTX_SHARED, lane);
        at -= of_block.base;
        if (at >= of_block.bytes) {
            fault(c, w, st, HEDDLE_INVALID_ADDRESS_SPACE, lane, a, "an mbarrier lies in shared memory");
            return NULL;
        }
    }
    if (at & 7) {
        fault(c, w, st, HEDDLE_MISALIGNED_ADDRESS, lane, at, NULL);
        return NULL;
    }
    if (at + 8 > w->block->launch->shared_bytes) {
        fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, at, "shared memory");
        return NULL;
    }
    return (uint64_t *)(w->block->shared + at);
}

/* `n` arrivals; with `drop` the later phases expect as many fewer. */
static bool arrive(uint64_t *b, uint32_t n, bool drop)
{
    uint64_t v = *b;
    if (!n || n > pending(v))
        return false;
    uint32_t left = pending(v) - n, all = expected(v) - (drop ? n : 0);
    *b = left ? object(left, all, phase(v)) : object(all, all, phase(v) + 1);
    return true;
}

/* `before`: what the lane's object was when its warp came. */
static bool lane_step(const struct interp_code *c, struct warp *w, const struct step *st, int lane, uint64_t before, uint32_t *truth)
{
    const struct ptx_mods *m = st->in->mods;
    uint64_t second = st->in->nsrc > 1 ? step_value(c, w, st, 1, lane) : 1;
    bool copies = st->in->op == PTX_OP_CP_MBARRIER, done;
    if (m->variant == PTX_MBAR_PENDING_COUNT) {
        step_write(c, w, st, 0, lane, pending(step_value(c, w, st, 0, lane)));
        return true;
    }
    uint64_t *b = find(c, w, st, lane);
    if (!b)
        return false;
    uint64_t at = (uint64_t)((char *)b - w->block->shared);
    if (m->variant == PTX_MBAR_INIT) {
        if (!second || second > COUNT_MAX)
            return fault(c, w, st, HEDDLE_ILLEGAL_INSTRUCTION, lane, at, "an mbarrier expects 1 to 1048575 arrivals");
        *b = object((uint32_t)second, (uint32_t)second, 0);
        return true;
    }
    if (!(*b & VALID))
        return fault(c, w, st, HEDDLE_ILLEGAL_INSTRUCTION, lane, at, "the mbarrier is not initialised");
    switch (m->variant) {
    case PTX_MBAR_INVAL:
        *b = 0;
        return true;
    case PTX_MBAR_TEST_WAIT:
    case PTX_MBAR_TRY_WAIT:
        done = m->parity ? (phase(*b) & 1) != (second & 1) : phase(*b) != phase(second);
        *truth |= (uint32_t)done << lane;
        return true;
    default: /* arrive, arrive_drop, cp.async.mbarrier.arrive */
        if (copies && !m->noinc) /* it adds one to the arrivals to come first: nothing is left of it */
            return true;
        if (st->in->ndst && st->d[0] != PLACE_NONE) /* lanes that arrive together get one state (H200, rules/uniform_sources) */
            step_write(c, w, st, 0, lane, phase(before) == phase(*b) ? before : *b);
        return arrive(b, (uint32_t)second, m->variant == PTX_MBAR_ARRIVE_DROP) ||
               fault(c, w, st, HEDDLE_ILLEGAL_INSTRUCTION, lane, at, "more arrivals than the mbarrier expects in a phase");
    }
}

/* The objects of the lanes that arrive. A lane whose object is not there gets a fault when it is its turn. */
static void before_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, uint64_t before[WARP_LANES])
{
    bool arrives = st->in->mods->variant == PTX_MBAR_ARRIVE || st->in->mods->variant == PTX_MBAR_ARRIVE_DROP;
    for (uint32_t left = arrives ? m : 0; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        const uint64_t *b = find(c, w, st, lane);
        if (!b)
            return;
        before[lane] = *b;
    }
}

/* For who watches: what orders threads here looks like an atomic with acquire and release on the object. */
static void tell(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    if (!w->ring || !w->block->launch->watch || st->in->mods->variant == PTX_MBAR_PENDING_COUNT)
        return;
    if (w->values)
        memset(&w->values[w->nrecords], 0, sizeof *w->values);
    struct record *r = &w->ring[w->nrecords++];
    bool init = st->in->mods->variant == PTX_MBAR_INIT;
    *r = (struct record){.site = (uint32_t)(st - c->step), .mask = m, .op = init ? RECORD_STORE : RECORD_ATOM,
                         .space = PTX_SHARED, .shape = RECORD_EXPLICIT, .bytes = 8, .elem = 8, .type = PTX_B64,
                         .order = init ? PTX_RELAXED : PTX_ACQ_REL, .atomic = PTX_ATOMIC_EXCH,
                         .block = (uint32_t)w->block->index, .warp = w->index, .sm = w->block->sm};
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        r->addr[lane] = (uint64_t)((const char *)find(c, w, st, lane) - w->block->shared);
    }
}

bool mbarrier_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    uint32_t truth = 0;
    if (st->in->op == PTX_OP_CP_MBARRIER)
        async_wait(w, m, 0, true);
    uint64_t before[WARP_LANES];
    before_step(c, w, st, m, before);
    for (uint32_t left = m; left; left &= left - 1)
        if (!lane_step(c, w, st, __builtin_ctz(left), before[__builtin_ctz(left)], &truth))
            return false;
    tell(c, w, st, m);
    int v = st->in->mods->variant;
    if ((v == PTX_MBAR_TEST_WAIT || v == PTX_MBAR_TRY_WAIT) && st->d[0] != PLACE_NONE) {
        uint32_t *p = place_at(c, w, st->d[0]);
        *p = (*p & ~m) | truth;
    }
    return true;
}
