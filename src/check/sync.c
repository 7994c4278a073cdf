/* synccheck and racecheck: what the records say about barriers, rendezvous and shared memory. */
#include "check/private.h"

#include "base/alloc.h"
#include "ptx/ptx.h"

/* --- synccheck --- */

static const struct ir_inst *inst_at(const struct check_launch *cl, const struct record *r)
{
    return &cl->launch->kernel->insts[r->site];
}

static void each_lane(struct check_launch *cl, const struct check_block *b, enum check_kind kind, unsigned warp,
                      int32_t site, uint32_t lanes, uint32_t mask)
{
    for (; lanes; lanes &= lanes - 1) {
        struct check_finding f = check_at(cl, kind, b->block, warp, (unsigned)__builtin_ctz(lanes), site);

        f.mask = mask;
        check_add(cl, &f);
    }
}

static void note_arrival(const struct check_launch *cl, struct check_block *b, const struct record *r)
{
    struct arrival *a;

    if (!inst_at(cl, r)->mods->aligned) /* barrier.sync without .aligned may be executed lane by lane */
        return;
    for (int i = 0; i < b->narrivals; i++) {
        a = &b->arrivals[i];
        if (a->barrier == r->addr[0] && a->warp == r->warp && a->site == (int32_t)r->site) {
            a->lanes |= r->mask;
            a->busy |= (uint32_t)r->addr[1];
            return;
        }
    }
    if (b->narrivals == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 64;
        b->arrivals = alloc_resize(b->arrivals, (size_t)b->capacity * sizeof *b->arrivals);
    }
    b->arrivals[b->narrivals++] = (struct arrival){(uint16_t)r->addr[0], r->warp, (int32_t)r->site,
                                                   r->mask, (uint32_t)r->addr[1]};
}

/* __syncthreads() is bar.sync, which all lanes of a warp must execute together; those that have exited, or do
 * nothing but exit, need not (PTX ISA 9.7.13.1). Of a warp only the lanes that came first to a broken barrier are told, as
 * an H200's synccheck does: where the others came instead, and what comes of it, is the same mistake. */
static void check_arrivals(struct check_launch *cl, struct check_block *b, unsigned barrier)
{
    int kept = 0;

    for (int i = 0; i < b->narrivals; i++) {
        const struct arrival *a = &b->arrivals[i];
        uint32_t missing = ((b->exist[a->warp] & ~b->gone[a->warp]) | a->busy) & ~a->lanes;

        if (a->barrier != barrier)
            b->arrivals[kept++] = *a;
        else if (missing && !(b->broken >> a->warp & 1)) {
            each_lane(cl, b, CHECK_BARRIER_IN_WARP, a->warp, a->site, a->lanes, 0);
            b->broken |= 1u << a->warp;
        }
    }
    b->narrivals = kept;
}

/* The member mask must name the caller; lanes that have exited are not waited for, and have nothing to give. */
static void check_meeting(struct check_launch *cl, const struct check_block *b, const struct record *r)
{
    uint32_t members = (uint32_t)r->addr[0], gone = b->gone[r->warp];

    if (r->mask & ~members)
        each_lane(cl, b, CHECK_MASK_WITHOUT_CALLER, r->warp, (int32_t)r->site, r->mask & ~members, members);
    if (members & gone && members != ~0u) /* all ones is how programs say "everybody here" */
        each_lane(cl, b, CHECK_MASK_OF_EXITED, r->warp, (int32_t)r->site, r->mask & members, members);
}

/* --- racecheck --- */

/* A load that was made of several reads no holes: two neighbours of an aligned pair are one access, as are words of two halves. */
static void race_elements(struct check_block *b, const struct record *r, const struct ir_inst *in)
{
    unsigned bytes = r->bytes / in->vec;
    uint64_t addr[32];

    for (unsigned e = 0, n; e < in->vec; e += n) {
        n = e % 2 == 0 && e + 1u < in->vec && ir_asks_for(in, (int)e) && ir_asks_for(in, (int)e + 1) ? 2 : 1;
        if (!ir_asks_for(in, (int)e))
            continue;
        for (int i = 0; i < 32; i++)
            addr[i] = r->addr[i] + e * bytes;
        race_reads(b->race, r->site, r->warp, r->mask, addr, n * bytes);
    }
}

static void race_lanes(const struct check_launch *cl, struct check_block *b, const struct record *r, const struct record_values *values)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[r->site];

    unsigned flags = r->op == RECORD_LOAD ? 0 : RACE_WRITES;

    if (r->op == RECORD_ATOM || r->op == RECORD_RED || r->order != PTX_WEAK)
        flags |= RACE_STRONG;
    if (r->op == RECORD_LDGSTS)
        flags = RACE_WRITES | RACE_ASYNC;
    b->now = r;
    if (!flags && ir_has_hole(in)) {
        race_elements(b, r, in);
        return;
    }
    if (!flags) {
        race_reads(b->race, r->site, r->warp, r->mask, r->addr, r->bytes);
        return;
    }
    for (uint32_t left = r->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct race_access a = {r->site, 32u * r->warp + i, (uint32_t)r->addr[i], r->bytes, flags,
                                r->op == RECORD_STORE && values ? values->byte[i] : NULL};

        race_access(b->race, &a);
    }
}

static bool whole(const struct record *r, enum ptx_order one)
{
    return r->order == one || r->order == PTX_ACQ_REL || r->order == PTX_SC;
}

/* Strong accesses may hand on what their thread knows. */
static void strong_lanes(struct check_block *b, const struct record *r)
{
    bool atomic = r->op == RECORD_ATOM || r->op == RECORD_RED;

    if (!atomic && r->order == PTX_WEAK)
        return;
    for (uint32_t left = r->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left), thread = 32u * r->warp + i;
        uint64_t key = r->space == PTX_SHARED ? r->addr[i] : r->addr[i] | UINT64_C(1) << 63;

        if (r->op == RECORD_LOAD || r->op == RECORD_ATOM)
            order_acquire(b->order, thread, key, whole(r, PTX_ACQUIRE));
        if (r->op == RECORD_STORE || atomic)
            order_release(b->order, thread, key, whole(r, PTX_RELEASE), atomic);
    }
}

static void access(struct check_launch *cl, struct check_block *b, const struct record *r,
                   const struct record_values *values)
{
    if (!check_uses(cl, CHECK_RACECHECK) || r->op > RECORD_LDGSTS)
        return;
    if (r->space == PTX_SHARED)
        race_lanes(cl, b, r, values);
    if (r->space == PTX_SHARED || r->space == PTX_GLOBAL)
        strong_lanes(b, r);
}

static void copies_done(struct check_block *b, const struct record *r)
{
    for (uint32_t left = r->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        race_copied(b->race, 32u * r->warp + i, (uint32_t)r->addr[i], r->bytes);
    }
}

void sync_record(struct check_launch *cl, struct check_block *b, const struct record *r,
                 const struct record_values *values)
{
    bool sync = check_uses(cl, CHECK_SYNCCHECK);

    switch (r->op) {
    case RECORD_ARRIVE:
        if (sync && r->elem)
            note_arrival(cl, b, r);
        order_arrive(b->order, (unsigned)r->addr[0], r->warp, r->mask, r->elem);
        break;
    case RECORD_COMPLETE:
        if (sync)
            check_arrivals(cl, b, (unsigned)r->addr[0]);
        order_complete(b->order, (unsigned)r->addr[0]);
        break;
    case RECORD_MEET:
        if (sync)
            check_meeting(cl, b, r);
        if (r->mask & (uint32_t)r->addr[0])
            order_meet(b->order, r->warp, r->mask & (uint32_t)r->addr[0]);
        break;
    case RECORD_FENCE:
        order_fence(b->order, r->warp, r->mask);
        break;
    case RECORD_EXIT:
        b->gone[r->warp] |= r->mask;
        order_exit(b->order, r->warp, r->mask);
        break;
    case RECORD_COPIED:
        copies_done(b, r);
        break;
    default:
        access(cl, b, r, values);
    }
}
