/* memcheck: accesses that lie in no allocation to the last byte, or not on a multiple of their size. */
#include "check/private.h"

#include "ptx/ptx.h"
#include "space/registered.h"

/* How far the address is from the nearest live allocation, or which freed one it was in. */
static void locate(const struct check_launch *cl, struct check_finding *f)
{
    struct space_allocation a;
    struct registered r;

    if (!space_is_device_address(f->address)) {
        if (registered_find(f->address, &r) || r.bytes) {
            f->place = f->address < r.address ? CHECK_BEFORE : CHECK_AFTER;
            f->near = registered_allocation(&r);
            f->distance = f->address < r.address ? r.address - f->address
                          : f->address < r.address + r.bytes ? 1 /* begins inside */ : f->address - r.address - r.bytes + 1;
        }
        return;
    }
    if (space_find_freed(cl->check->space, f->address, &a)) {
        f->place = CHECK_FREED;
        f->near = a;
        f->distance = f->address - a.address;
    } else if (space_find(cl->check->space, f->address, &a)) { /* begins inside, ends outside */
        f->place = CHECK_AFTER;
        f->near = a;
        f->distance = 1;
    } else if (a.bytes) {
        f->place = f->address < a.address ? CHECK_BEFORE : CHECK_AFTER;
        f->near = a;
        f->distance = f->address < a.address ? a.address - f->address : f->address - a.address - a.bytes + 1;
    }
}

static bool within(struct check_launch *cl, uint64_t address, unsigned bytes)
{
    const struct space_allocation *a = check_allocation(cl, address);

    return a && address + bytes <= a->address + a->bytes;
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

static uint32_t outside_limit(const struct watched_access *a, uint32_t limit)
{
    uint32_t bad = 0;

    for (uint32_t left = a->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);

        if (limit < a->bytes || a->addr[i] > limit - a->bytes)
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

static void report(struct check_launch *cl, const struct watched_access *a, enum check_kind kind, uint32_t lanes,
                   uint32_t limit)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes);
        struct check_finding f = check_at(cl, kind, a->warp->block, a->warp->index, i, a->site);

        f.space = a->space;
        f.op = a->op;
        f.bytes = a->bytes;
        f.address = a->addr[i];
        f.limit = limit;
        if (kind == CHECK_OUT_OF_BOUNDS && (a->space == PTX_GLOBAL || a->space == PTX_CONST))
            locate(cl, &f);
        check_add(cl, &f);
    }
}

uint32_t bounds_refuse(void *user, const struct watched_access *a)
{
    struct check_launch *cl = user;
    const struct launch *l = cl->launch;
    uint32_t limit = a->space == PTX_SHARED ? l->shared_bytes : l->kernel->local_bytes;
    bool global = a->space == PTX_GLOBAL || a->space == PTX_CONST;
    uint32_t crooked = misaligned(a), out = global ? outside_global(cl, a) : outside_limit(a, limit);

    if (crooked | out) {
        report(cl, a, CHECK_MISALIGNED, crooked, 0);
        report(cl, a, CHECK_OUT_OF_BOUNDS, out & ~crooked, limit);
    }
    return crooked | out;
}
