/* memcheck: accesses that lie in no allocation to the last byte, or not on a multiple of their size. */
#include "check/private.h"

#include "ptx/ptx.h"
#include "space/heap.h"

static bool in_heap(const struct check_launch *cl, uint64_t address)
{
    const struct heap *h = cl->check->heap;

    return h->bytes && address - h->base < h->bytes;
}

/* The allocation was freed that the address was in. Most of many findings lie between the same two live allocations:
 * where nothing was freed there is remembered. */
static bool was_freed(struct check_launch *cl, uint64_t address, struct space_allocation *a)
{
    const struct space_allocation *below, *above;

    if (address - cl->quiet_from < cl->quiet_to - cl->quiet_from)
        return false;
    if (space_find_freed(cl->check->space, address, a))
        return true;
    check_neighbours(cl, address, &below, &above);
    if (!below || !above || space_freed_between(cl->check->space, below->address + below->bytes, above->address))
        return false;
    cl->quiet_from = below->address + below->bytes;
    cl->quiet_to = above->address;
    return false;
}

/* The live allocation that holds the address (true), or the nearest one (bytes 0: none). */
static bool nearest(const struct check_launch *cl, uint64_t address, struct space_allocation *a)
{
    const struct space_allocation *below, *above;

    check_neighbours(cl, address, &below, &above);
    *a = (struct space_allocation){0};
    if (below && (!above || address < below->address + below->bytes ||
                  address - (below->address + below->bytes) <= above->address - address))
        *a = *below;
    else if (above)
        *a = *above;
    return a->bytes && address - a->address < a->bytes;
}

/* Which allocation the address is in, was in, or is nearest to, and how far from it. */
static void locate(struct check_launch *cl, struct check_finding *f)
{
    struct space_allocation a;
    bool inside = nearest(cl, f->address, &a);

    if (in_heap(cl, f->address)) {
        a = (struct space_allocation){.kind = SPACE_ENGINE, .label = HEAP_LABEL};
        if (!heap_find(cl->check->heap, f->address, &a.address, &a.bytes))
            return;
        inside = f->address - a.address < a.bytes;
    } else if (!inside && space_is_device_address(f->address) && was_freed(cl, f->address, &a)) {
        f->place = CHECK_FREED;
        f->near = a;
        f->distance = f->address - a.address;
        return;
    }
    if (!a.bytes)
        return;
    f->near = a;
    if (inside && f->kind == CHECK_OUT_OF_BOUNDS &&
        f->address + f->bytes > a.address + a.bytes) { /* begins inside, ends outside */
        f->place = CHECK_AFTER;
        f->distance = 1;
    } else if (inside) {
        f->place = CHECK_INSIDE;
        f->distance = f->address - a.address;
    } else {
        f->place = f->address < a.address ? CHECK_BEFORE : CHECK_AFTER;
        f->distance = f->address < a.address ? a.address - f->address : f->address - a.address - a.bytes + 1;
    }
}

static bool within(struct check_launch *cl, uint64_t address, unsigned bytes)
{
    const struct space_allocation *a = check_allocation(cl, address);

    if (!a || address + bytes > a->address + a->bytes)
        return false;
    return a->kind != SPACE_ENGINE || !in_heap(cl, address) || heap_holds(cl->check->heap, address, bytes);
}

/* What most accesses are: the lanes' lowest and highest address, and the bits that any of them has. */
struct span {
    uint64_t low, high, any;
};

static struct span span_of(const struct watched_access *a)
{
    struct span s = {UINT64_MAX, 0, 0};

    for (uint32_t left = a->mask; left; left &= left - 1) {
        uint64_t at = a->addr[__builtin_ctz(left)];

        s.low = at < s.low ? at : s.low;
        s.high = at > s.high ? at : s.high;
        s.any |= at;
    }
    return s;
}

/* True when all lanes stay in one allocation, for certain. */
static bool all_within(struct check_launch *cl, const struct watched_access *a, const struct span *s)
{
    const struct space_allocation *in = check_allocation(cl, s->low);

    return in && in->kind != SPACE_ENGINE && s->high + a->bytes <= in->address + in->bytes;
}

/* Lanes whose access leaves device memory that was asked for. */
static uint32_t outside_global(struct check_launch *cl, const struct watched_access *a)
{
    uint32_t bad = 0;

    for (uint32_t left = a->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);

        if (!within(cl, a->addr[i], a->bytes))
            bad |= 1u << i;
    }
    return bad;
}

/* The parts of a block's shared or a thread's local memory that a kernel asked for. Dynamic shared memory begins at a multiple
 * of 16 bytes, which may leave a gap behind the static one. */
struct parts {
    uint32_t end;               /* of the first, which begins at 0 */
    uint32_t begin2, end2;      /* of the second */
};

static struct parts parts_of(const struct launch *l, enum ptx_space space)
{
    const struct ir_kernel *k = l->kernel;

    if (space != PTX_SHARED)
        return (struct parts){l->local_size, l->local_size, l->local_size};
    return (struct parts){k->shared_static, k->shared_dynamic, l->shared_asked};
}

static bool in_part(uint64_t address, unsigned bytes, uint32_t begin, uint32_t end)
{
    return address >= begin && address <= end && bytes <= end - address;
}

static bool in_parts(const struct parts *p, uint64_t address, unsigned bytes)
{
    return in_part(address, bytes, 0, p->end) || in_part(address, bytes, p->begin2, p->end2) ||
           (p->end == p->begin2 && in_part(address, bytes, 0, p->end2));
}

static uint32_t outside_parts(const struct watched_access *a, const struct parts *p)
{
    uint32_t bad = 0;

    for (uint32_t left = a->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);

        if (!in_parts(p, a->addr[i], a->bytes))
            bad |= 1u << i;
    }
    return bad;
}

static uint32_t misaligned(const struct watched_access *a)
{
    uint32_t bad = 0;

    for (uint32_t left = a->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);

        if (a->addr[i] & (a->bytes - 1u))
            bad |= 1u << i;
    }
    return bad;
}

/* `bytes` of the lane's access, from `at` on; part: as in a finding. */
static void report_bytes(struct check_launch *cl, const struct watched_access *a, enum check_kind kind, unsigned lane, int part,
                         unsigned at, unsigned bytes, const struct parts *p)
{
    struct check_finding f = check_at(cl, kind, a->warp->block, a->warp->index, lane, a->site);

    f.part = part;
    f.space = a->space;
    f.op = a->op;
    f.bytes = (uint8_t)bytes;
    f.address = a->addr[lane] + at;
    if (p)
        f.limit = p->end2 > p->begin2 && f.address >= p->begin2 ? p->end2 : p->end;
    if (a->space == PTX_GLOBAL || a->space == PTX_CONST)
        locate(cl, &f);
    check_add(cl, &f);
}

static void report(struct check_launch *cl, const struct watched_access *a, enum check_kind kind, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        report_bytes(cl, a, kind, (unsigned)__builtin_ctz(lanes), -1, 0, a->bytes, NULL);
}

/* An element of an access that was made of several: it was asked for, and is outside. p: of shared and local memory, else NULL. */
static bool element_outside(struct check_launch *cl, const struct watched_access *a, unsigned lane, unsigned element, const struct parts *p)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[a->site];
    unsigned bytes = a->bytes / in->vec;
    uint64_t address = a->addr[lane] + element * bytes;

    return ir_asks_for(in, (int)element) && !(p ? in_parts(p, address, bytes) : within(cl, address, bytes));
}

/* Of the lanes whose access is not all inside, those that a hole alone does not explain. */
static uint32_t outside_asked(struct check_launch *cl, const struct watched_access *a, uint32_t lanes, const struct parts *p)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[a->site];
    uint32_t bad = 0;

    if (!lanes || !ir_has_hole(in))
        return lanes;
    for (; lanes; lanes &= lanes - 1)
        for (unsigned e = 0; e < in->vec; e++)
            if (element_outside(cl, a, (unsigned)__builtin_ctz(lanes), e, p))
                bad |= lanes & -lanes;
    return bad;
}

/* Of an access that was made of several, those that are wrong; the whole where that is none of them, but what a vector asks for and
 * nobody reads. */
static void report_outside(struct check_launch *cl, const struct watched_access *a, uint32_t lanes, const struct parts *p)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[a->site];
    unsigned n = in->parts ? in->vec : 0, bytes = n ? a->bytes / n : 0;

    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes);
        bool any = false;

        for (unsigned e = 0; e < n; e++) {
            if ((e < in->ndst && in->dst[e] == IR_NOREG) || !element_outside(cl, a, i, e, p))
                continue;
            report_bytes(cl, a, CHECK_OUT_OF_BOUNDS, i, (int)e, e * bytes, bytes, p);
            any = true;
        }
        if (!any)
            report_bytes(cl, a, CHECK_OUT_OF_BOUNDS, i, -1, 0, a->bytes, p);
    }
}

void bounds_bad_free(void *user, const struct warp *w, int32_t site, unsigned lane, uint64_t address)
{
    struct check_launch *cl = user;
    struct check_finding f = check_at(cl, CHECK_BAD_FREE, w->block, w->index, lane, site);

    f.address = address;
    locate(cl, &f);
    if (in_heap(cl, address))
        f.place = heap_holds(cl->check->heap, address, 1) ? CHECK_INSIDE : CHECK_FREED;
    check_add(cl, &f);
}

uint32_t bounds_refuse(void *user, const struct watched_access *a)
{
    struct check_launch *cl = user;
    const struct launch *l = cl->launch;
    struct parts parts = parts_of(l, a->space);
    bool global = a->space == PTX_GLOBAL || a->space == PTX_CONST;
    struct span s = span_of(a);
    uint32_t crooked, out;

    if (!(s.any & (a->bytes - 1u)) && (global ? all_within(cl, a, &s) : s.high + a->bytes <= parts.end))
        return 0;
    crooked = misaligned(a);
    out = outside_asked(cl, a, global ? outside_global(cl, a) : outside_parts(a, &parts), global ? NULL : &parts);
    if (crooked | out) {
        report(cl, a, CHECK_MISALIGNED, crooked);
        report_outside(cl, a, out & ~crooked, global ? NULL : &parts);
    }
    return crooked | out;
}
