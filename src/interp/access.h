/* Memory instructions: 32 addresses, checked, recorded, then carried out.
 *
 * Built once for each level of the host, like the lane functions (access_v2.c ...), with ACCESS_OPS as the table's name.
 * Addresses come from a register of 32 or 64 bits or a constant, plus an offset. A generic access is sorted by the
 * windows of space.h; lanes that touch different spaces make one access per space. Every address is checked before
 * anything is read or written: a fault leaves memory as it was. Weak accesses are plain loads and stores; ordered ones
 * go lane by lane as acquire loads and release stores, which on x86-64 cost nothing (Intel SDM vol. 3, 9.2.2); fence
 * instructions are real fences.
 * Halves are added with subnormals (.noftz); a pair is swapped in at once, which PTX allows and does not demand.
 * Of lanes that store to one place the one that stays on a GPU stays (store_group).
 * Order of lanes in atomics: ascending; between warps and blocks CUDA leaves it open. */
#include "interp/code.h"
#include "interp/lanes_half.h"

#include "base/shadow.h"
#include "heddle.h"
#include "space/registered.h"

#include <stdio.h>
#include <string.h>

/* The lanes of a mask, ascending, as `i`. */
#define LANE_LOOP(m) for (uint32_t left_ = (m), i; left_ && (i = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)

/* The lanes of a mask in the order of their stores, in groups of `group` (store_group): bit i is lane i ^ (group - 1). */
static uint32_t store_order(uint32_t m, unsigned group)
{
    m = (m >> 1 & 0x55555555) | (m & 0x55555555) << 1;
    m = (m >> 2 & 0x33333333) | (m & 0x33333333) << 2;
    m = (m >> 4 & 0x0f0f0f0f) | (m & 0x0f0f0f0f) << 4;
    if (group > 8)
        m = (m >> 8 & 0x00ff00ff) | (m & 0x00ff00ff) << 8;
    return group > 16 ? m >> 16 | m << 16 : m;
}

/* These lanes as `i`. */
#define STORE_LOOP(m, group)                                                                                           \
    for (uint32_t left_ = store_order(m, group), i;                                                                    \
         left_ && (i = (uint32_t)__builtin_ctz(left_) ^ ((group) - 1), 1); left_ &= left_ - 1)

/* One access of lanes that all touch one space. */
struct access {
    const struct interp_code *c;
    struct warp *w;
    const struct step *st;
    uint32_t m;
    uint32_t lanes;  /* matrices: all that take part, those that name no row, too */
    int space;
    char *base;      /* host address of address 0 of the space */
    uint64_t *addr;  /* [32] address in the space; in the record when there is one */
    uint32_t unchanged; /* atomics: lanes whose element was as before at their turn */
    uint32_t registered; /* checked lanes whose memory is the program's own (space/registered.h) */
    struct record *r;
};

/* Source `s` of the step plus `offset`, an address in `space`. The GPU's instructions for shared and local memory take
 * addresses of 32 bits, so of a register of 64 bits the lower half counts: p[~x] with an unsigned x works there. */
static void read_source(const struct access *a, int s, int64_t at, int space, uint64_t *addr)
{
    const struct step *st = a->st;
    uint64_t offset = (uint64_t)at;
    const char *p = place_at(a->c, a->w, st->s[s]);
    if (st->width[s] == 8) {
        const uint64_t *v = (const uint64_t *)p;
        uint64_t used = space == PTX_SHARED || space == PTX_LOCAL ? UINT32_MAX : UINT64_MAX;
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = (v[i] + offset) & used;
    } else {
        const uint32_t *v = (const uint32_t *)p; /* an address of 32 bits wraps: base -4, offset +4 is 0 */
        for (int i = 0; i < WARP_LANES; i++)
            addr[i] = (uint32_t)(v[i] + (uint32_t)offset);
    }
}

static void read_addresses(const struct access *a, uint64_t *addr)
{
    read_source(a, 0, a->st->offset, a->space, addr);
}

static struct record *new_record(struct warp *w)
{
    return w->ring ? &w->ring[w->nrecords] : NULL;
}

/* What a store writes, for who watches. */
static void note_values(const struct access *a)
{
    struct record_values *v = &a->w->values[a->w->nrecords];
    const struct step *st = a->st;
    for (int e = 0; e < st->vec; e++)
        LANE_LOOP(a->m)
        {
            uint64_t value = step_value(a->c, a->w, st, 1 + e, (int)i);
            memcpy(&v->byte[i][e * st->elem], &value, st->elem);
        }
}

static void finish_record(const struct access *a)
{
    const struct step *st = a->st;
    struct record *r = a->r;
    if (!r || a->space >= PTX_PARAM)
        return;
    if (a->w->values && st->kind == STEP_STORE)
        note_values(a);
    step_record(a->c, st, a->space, r);
    r->mask = step_record_mask(st, a->m);
    shadow_lanes_off(r->addr, r->mask);
    r->unchanged = a->unchanged;
    r->block = (uint32_t)a->w->block->index;
    r->warp = a->w->index;
    r->sm = a->w->block->sm;
    a->w->nrecords++;
}

static bool fault(const struct access *a, int status, int lane, const uint64_t *addr, const char *text)
{
    launch_fault(a->w->block->launch, a->w, status, (int32_t)(a->st - a->c->step), lane, addr[lane],
                 (unsigned)a->st->elem * a->st->vec, text);
    return false;
}

/* Bounds of the accesses of the lanes in m, and all their addresses or-ed together: one of its bits below the size of an
 * access says that some lane is misaligned. The bounds are those of the smallest aligned power of two that holds the
 * addresses, which takes no comparison: no access is outside, and when none of the block is forbidden all is well. */
struct span {
    uint64_t low, high, bits; /* high: where the last access may begin */
};

static struct span find_span(const uint64_t *addr, uint32_t m, unsigned bytes)
{
    uint64_t first = addr[__builtin_ctz(m)], moved = 0;
    if (m == ~0u) {
        for (int i = 0; i < WARP_LANES; i++)
            moved |= addr[i] ^ first;
    } else {
        LANE_LOOP(m)
        moved |= addr[i] ^ first;
    }
    uint64_t within = moved ? UINT64_MAX >> __builtin_clzll(moved) : 0;
    return (struct span){first & ~within, (first | within) & ~(uint64_t)(bytes - 1), first | moved};
}

/* Lanes of m whose access is not inside [0, limit). */
static uint32_t outside(const uint64_t *addr, const struct span *s, uint32_t m, unsigned bytes, uint64_t limit)
{
    uint32_t bad = 0;
    if (limit >= bytes && s->high <= limit - bytes)
        return 0;
    for (int i = 0; i < WARP_LANES; i++)
        bad |= (uint32_t)(limit < bytes || addr[i] > limit - bytes) << i;
    return bad & m;
}

/* Of the lanes whose access is not inside [0, limit), those that a hole alone does not explain. */
static uint32_t outside_asked(const struct access *a, uint32_t out, uint64_t limit)
{
    const struct step *st = a->st;
    uint32_t bad = 0;
    if (!out || !ir_has_hole(st->in))
        return out;
    for (int e = 0; e < st->vec; e++)
        LANE_LOOP(ir_asks_for(st->in, e) ? out : 0)
        bad |= (uint32_t)(a->addr[i] + (uint64_t)(e + 1) * st->elem > limit || a->addr[i] > limit) << i;
    return bad;
}

/* The lowest address of lanes in m and where the highest access ends: exactly, where find_span's bounds are too wide. */
static void find_ends(const uint64_t *addr, uint32_t m, unsigned bytes, uint64_t *from, uint64_t *to)
{
    uint64_t low = addr[__builtin_ctz(m)], high = low;
    for (int i = 0; i < WARP_LANES; i++) {
        uint64_t at = m >> i & 1 ? addr[i] : low;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *from = low;
    *to = high + bytes;
}

/* Lanes of m whose access is in no allocation. */
static uint32_t outside_all(const struct space *sp, const uint64_t *addr, const struct span *s, uint32_t m, unsigned bytes)
{
    uint64_t from, to;
    uint32_t out = 0;
    if (space_holds(space_reach(sp, s->low), s->low, s->high + bytes - s->low))
        return 0;
    find_ends(addr, m, bytes, &from, &to);
    if (to > from && space_holds(space_reach(sp, from), from, to - from))
        return 0;
    for (int i = 0; i < WARP_LANES; i++)
        out |= (uint32_t)!space_holds(space_reach(sp, addr[i]), addr[i], bytes) << i;
    return out & m;
}

/* The element of a lane's access that was asked for and is in no allocation; behind the last one: only holes are. A hole never
 * leaves what the host has mapped: it lies in one line of 16 bytes with an element that was asked for, and no page ends in a line. */
static int find_stray(const struct access *a, int lane)
{
    const struct step *st = a->st;
    const struct space *sp = a->w->block->launch->space;
    for (int e = 0; e < st->vec; e++) {
        uint64_t at = a->addr[lane] + (unsigned)e * st->elem;
        if (ir_asks_for(st->in, e) && !space_holds(space_reach(sp, at), at, st->elem))
            return e;
    }
    return st->vec;
}

/* Of those, the lanes that a GPU would not let pass either. The first of the others is told of. */
static uint32_t not_mapped(const struct access *a, uint32_t out, unsigned bytes)
{
    struct launch *l = a->w->block->launch;
    uint32_t bad = 0;
    LANE_LOOP(out)
    bad |= (uint32_t)!space_ok(space_reach(l->space, a->addr[i]), a->addr[i], bytes) << i;
    bool holes = (out & ~bad) && ir_has_hole(a->st->in);
    LANE_LOOP(out & ~bad)
    {
        int e = holes ? find_stray(a, (int)i) : -1;
        if (e == a->st->vec)
            continue;
        uint64_t at = a->addr[i] + (e < 0 ? 0 : (unsigned)e * a->st->elem);
        launch_stray(l, a->w, (int32_t)(a->st - a->c->step), (int)i, e, at, e < 0 ? bytes : a->st->elem);
        break;
    }
    return bad;
}

/* Told is the first element that is outside of [0, limit), or the whole where there are no holes. */
static bool fault_outside(const struct access *a, int lane, uint64_t limit, const char *text)
{
    const struct step *st = a->st;
    int e = 0;
    if (!ir_has_hole(st->in))
        return fault(a, HEDDLE_ILLEGAL_ADDRESS, lane, a->addr, text);
    while (!ir_asks_for(st->in, e) || a->addr[lane] + (uint64_t)(e + 1) * st->elem <= limit)
        e++;
    launch_fault_element(a->w->block->launch, a->w, HEDDLE_ILLEGAL_ADDRESS, (int32_t)(st - a->c->step), lane, e,
                         a->addr[lane] + (unsigned)e * st->elem, st->elem, text);
    return false;
}

static bool misaligned(const struct access *a, unsigned bytes)
{
    LANE_LOOP(a->m)
    if (a->addr[i] & (bytes - 1))
        return fault(a, HEDDLE_MISALIGNED_ADDRESS, (int)i, a->addr, NULL);
    return true;
}

/* Takes the lanes out that who watches the launch refuses. False: none is left. */
static bool permitted(struct access *a)
{
    const struct watch *watch = a->w->block->launch->watch;
    if (!watch || a->space >= PTX_PARAM)
        return true;
    struct watched_access w = {a->w, (int32_t)(a->st - a->c->step), (uint8_t)a->space, step_record_op(a->st),
                               (uint8_t)(a->st->elem * a->st->vec), a->m, a->addr};
    if (watch->refuse)
        a->m &= ~watch->refuse(watch->user, &w);
    return a->m;
}

/* Lanes of m whose address is not the device's, but of memory that the program has registered. */
static uint32_t find_registered(const uint64_t *addr, const struct span *s, uint32_t m, unsigned bytes)
{
    uint32_t found = 0;
    if (!space_is_device_address(s->low) && !space_is_device_address(s->high) &&
        registered_spans(s->low, s->high + bytes - 1))
        return m;
    LANE_LOOP(m)
    found |= (uint32_t)(!space_is_device_address(addr[i]) && registered_ok(addr[i], bytes)) << i;
    return found;
}

static bool check(struct access *a)
{
    const struct launch *l = a->w->block->launch;
    unsigned bytes = (unsigned)a->st->elem * a->st->vec;
    const uint64_t *addr = a->addr;
    struct span s = find_span(addr, a->m, bytes);
    uint64_t limit = 0; /* of 32-bit addresses */
    uint32_t bad = 0;
    a->registered = 0;
    if (s.bits & (bytes - 1))
        return misaligned(a, bytes);
    switch (a->space) {
    case PTX_GLOBAL:
    case PTX_CONST:
        bad = outside_all(l->space, addr, &s, a->m, bytes);
        if (bad && a->space == PTX_GLOBAL)
            bad &= ~(a->registered = find_registered(addr, &s, bad, bytes));
        bad = bad ? not_mapped(a, bad, bytes) : 0;
        a->base = (char *)space_host(0);
        break;
    case PTX_SHARED:
        limit = l->shared_bytes;
        bad = outside_asked(a, outside(addr, &s, a->m, bytes, limit), limit);
        a->base = a->w->block->shared;
        break;
    case PTX_LOCAL:
        limit = l->local_size;
        bad = outside_asked(a, outside(addr, &s, a->m, bytes, limit), limit);
        break;
    case PTX_PARAM:
        bad = outside(addr, &s, a->m, bytes, l->kernel->param_bytes);
        a->base = (char *)(uintptr_t)l->params;
        break;
    default: /* IR_SCRATCH */
        bad = outside(addr, &s, a->m, bytes, l->kernel->scratch_bytes);
    }
    if (bad) {
        static const char *const names[] = {"", "global", "shared", "local", "constant", "parameter", "local"};
        char text[64];
        snprintf(text, sizeof text, "%s memory", names[a->space]);
        return fault_outside(a, __builtin_ctz(bad), limit, text);
    }
    return true;
}

/* Addresses relative to the access's base: `own` where they differ from the program's. Local memory: each lane has its
 * own, in the warp's. Registered memory: shifted, since the base is that of device memory. */
static const uint64_t *lane_memory(struct access *a, uint64_t *own)
{
    if (a->registered) {
        for (int i = 0; i < WARP_LANES; i++)
            own[i] = a->addr[i] + (a->registered >> i & 1 ? REGISTERED_SHIFT : 0);
        return own;
    }
    if (a->space != PTX_LOCAL && a->space != IR_SCRATCH)
        return a->addr;
    const struct launch *l = a->w->block->launch;
    uint64_t first = a->space == IR_SCRATCH ? (l->local_size + 15) / 16 * 16 : 0;
    a->base = a->w->local;
    for (int i = 0; i < WARP_LANES; i++)
        own[i] = a->addr[i] + first + (uint64_t)i * l->local_bytes;
    return own;
}

/* --- loads --- */

#define LOAD_PLAIN(T)                                                                                                  \
    static void fill_##T(T *d, T v)                                                                                    \
    {                                                                                                                  \
        for (int i = 0; i < WARP_LANES; i++)                                                                           \
            d[i] = v;                                                                                                  \
    }                                                                                                                  \
    static void load_##T(T *restrict d, const char *base, const uint64_t *addr, uint32_t m)                            \
    {                                                                                                                  \
        if (m == ~0u) {                                                                                                \
            uint64_t first = addr[0], bent = 0, moved = 0;                                                             \
            for (unsigned i = 0; i < WARP_LANES; i++) {                                                                \
                bent |= addr[i] ^ (first + i * sizeof(T));                                                             \
                moved |= addr[i] ^ first;                                                                              \
            }                                                                                                          \
            if (!bent) {                                                                                               \
                memcpy(d, base + first, WARP_LANES * sizeof(T));                                                       \
                return;                                                                                                \
            }                                                                                                          \
            if (!moved) {                                                                                              \
                fill_##T(d, *(const T *)(base + first));                                                               \
                return;                                                                                                \
            }                                                                                                          \
            for (int i = 0; i < WARP_LANES; i++)                                                                       \
                d[i] = *(const T *)(base + addr[i]);                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        LANE_LOOP(m)                                                                                                   \
        d[i] = *(const T *)(base + addr[i]);                                                                           \
    }
LOAD_PLAIN(uint16_t)
LOAD_PLAIN(uint32_t)
LOAD_PLAIN(uint64_t)
#undef LOAD_PLAIN

static uint64_t load_value(const char *p, const struct step *st)
{
    switch (st->elem) {
    case 1:
        return st->sign ? (uint64_t)(int64_t)__atomic_load_n((const int8_t *)p, __ATOMIC_ACQUIRE)
                        : __atomic_load_n((const uint8_t *)p, __ATOMIC_ACQUIRE);
    case 2:
        return st->sign ? (uint64_t)(int64_t)__atomic_load_n((const int16_t *)p, __ATOMIC_ACQUIRE)
                        : __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
    case 4:
        return st->sign ? (uint64_t)(int64_t)__atomic_load_n((const int32_t *)p, __ATOMIC_ACQUIRE)
                        : __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
    }
}

static void load_element(struct access *a, const uint64_t *addr, int e)
{
    const struct step *st = a->st;
    const char *base = a->base + e * st->elem;
    char *d = place_at(a->c, a->w, st->d[e]);
    if (st->elem == st->dst_width[e] && !st->ordered && st->elem >= 2) {
        if (st->elem == 4)
            load_uint32_t((uint32_t *)d, base, addr, a->m);
        else if (st->elem == 8)
            load_uint64_t((uint64_t *)d, base, addr, a->m);
        else
            load_uint16_t((uint16_t *)d, base, addr, a->m);
        return;
    }
    uint64_t v = 0, before = 0;
    bool any = false;
    LANE_LOOP(a->m) /* lanes in a row at one address read it once, as a GPU does: one value, whoever writes meanwhile */
    {
        if (!any || addr[i] != before)
            v = load_value(base + addr[i], st);
        any = true;
        before = addr[i];
        step_write(a->c, a->w, st, e, (int)i, v);
    }
}

static bool load_space(struct access *a)
{
    uint64_t own[WARP_LANES];
    if (!permitted(a))
        return true;
    if (!check(a))
        return false;
    const uint64_t *addr = lane_memory(a, own);
    for (int e = 0; e < a->st->vec; e++)
        if (a->st->d[e] != PLACE_NONE)
            load_element(a, addr, e);
    finish_record(a);
    return true;
}

/* --- stores --- */

static void store_value(char *p, uint64_t v, unsigned bytes)
{
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)p, (uint8_t)v, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *)p, (uint16_t)v, __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *)p, (uint32_t)v, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n((uint64_t *)p, v, __ATOMIC_RELEASE);
    }
}

#define STORE_PLAIN(T)                                                                                                 \
    static void store_##T(char *base, const uint64_t *addr, const T *s, uint32_t m, unsigned group)                    \
    {                                                                                                                  \
        uint64_t first = addr[0], bent = ~m;                                                                           \
        for (unsigned i = 0; i < WARP_LANES; i++)                                                                      \
            bent |= addr[i] ^ (first + i * sizeof(T));                                                                 \
        if (!bent) {                                                                                                   \
            memcpy(base + first, s, WARP_LANES * sizeof(T));                                                           \
            return;                                                                                                    \
        }                                                                                                              \
        STORE_LOOP(m, group)                                                                                           \
        *(T *)(base + addr[i]) = s[i];                                                                                 \
    }
STORE_PLAIN(uint32_t)
STORE_PLAIN(uint64_t)
#undef STORE_PLAIN

static void store_element(struct access *a, const uint64_t *addr, int e)
{
    const struct step *st = a->st;
    char *base = a->base + e * st->elem;
    unsigned group = store_group((unsigned)st->elem * st->vec);
    const char *s = place_at(a->c, a->w, st->s[1 + e]);
    if (!st->ordered && st->width[1 + e] == st->elem && st->elem >= 4) {
        if (st->elem == 4)
            store_uint32_t(base, addr, (const uint32_t *)s, a->m, group);
        else
            store_uint64_t(base, addr, (const uint64_t *)s, a->m, group);
        return;
    }
    STORE_LOOP(a->m, group)
    store_value(base + addr[i], step_value(a->c, a->w, st, 1 + e, (int)i), st->elem);
}

static bool store_space(struct access *a)
{
    uint64_t own[WARP_LANES];
    if (!permitted(a))
        return true;
    if (!check(a))
        return false;
    if (a->space == PTX_CONST || a->space == PTX_PARAM)
        return fault(a, HEDDLE_ILLEGAL_ADDRESS, __builtin_ctz(a->m), a->addr, "memory that may only be read");
    const uint64_t *addr = lane_memory(a, own);
    for (int e = 0; e < a->st->vec; e++)
        store_element(a, addr, e);
    finish_record(a);
    return true;
}

/* --- atomics --- */

static float as_f32(uint64_t v)
{
    return f32_bits((uint32_t)v);
}

/* Single precision adds flush subnormals in global memory and keep them in shared memory (PTX ISA 9.7.13.5). */
static uint64_t add_value(const struct access *a, uint64_t old, uint64_t b)
{
    double d;
    bool half;
    switch (a->st->in->type) {
    case PTX_F32:
        if (a->space == PTX_GLOBAL)
            return bits_f32(canon_f32(ftz_f32(ftz_f32(as_f32(old)) + ftz_f32(as_f32(b)))));
        return bits_f32(canon_f32(as_f32(old) + as_f32(b)));
    case PTX_F16:
    case PTX_BF16:
        return add_halves((uint16_t)old, (uint16_t)b, a->st->in->type == PTX_BF16);
    case PTX_F16X2:
    case PTX_BF16X2:
        half = a->st->in->type == PTX_BF16X2;
        return (uint32_t)add_halves((uint16_t)(old >> 16), (uint16_t)(b >> 16), half) << 16 |
               add_halves((uint16_t)old, (uint16_t)b, half);
    case PTX_F64:
        d = f64_bits(old) + f64_bits(b);
        return d != d ? UINT64_C(0xfff8000000000000) : bits_f64(d);
    default:
        return old + b;
    }
}

static bool less(const struct access *a, uint64_t x, uint64_t y)
{
    switch (a->st->in->type) {
    case PTX_S32:
        return (int32_t)x < (int32_t)y;
    case PTX_S64:
        return (int64_t)x < (int64_t)y;
    case PTX_U64:
    case PTX_B64:
        return x < y;
    default:
        return (uint32_t)x < (uint32_t)y;
    }
}

static uint64_t new_value(const struct access *a, uint64_t old, uint64_t b, uint64_t c)
{
    switch (a->st->in->mods->atomic) {
    case PTX_ATOMIC_ADD:
        return add_value(a, old, b);
    case PTX_ATOMIC_MIN:
        return less(a, b, old) ? b : old;
    case PTX_ATOMIC_MAX:
        return less(a, old, b) ? b : old;
    case PTX_ATOMIC_INC:
        return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case PTX_ATOMIC_DEC:
        return !(uint32_t)old || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case PTX_ATOMIC_CAS:
        return old == b ? c : old;
    case PTX_ATOMIC_EXCH:
        return b;
    case PTX_ATOMIC_AND:
        return old & b;
    case PTX_ATOMIC_OR:
        return old | b;
    default: /* PTX_ATOMIC_XOR */
        return old ^ b;
    }
}

/* One lane's turn: what was there before. */
#define UPDATE(T)                                                                                                      \
    static uint64_t update_##T(struct access *a, char *p, uint64_t b, uint64_t c, uint32_t lane)                       \
    {                                                                                                                  \
        T old = __atomic_load_n((T *)p, __ATOMIC_RELAXED), now;                                                        \
        do {                                                                                                           \
            now = (T)new_value(a, old, b, c);                                                                          \
        } while (!__atomic_compare_exchange_n((T *)p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));          \
        a->unchanged |= (uint32_t)(now == old) << lane;                                                                \
        return old;                                                                                                    \
    }
UPDATE(uint16_t)
UPDATE(uint32_t)
UPDATE(uint64_t)
#undef UPDATE

static uint64_t update(struct access *a, char *p, uint64_t b, uint64_t c, uint32_t lane)
{
    return a->st->elem == 8 ? update_uint64_t(a, p, b, c, lane) : a->st->elem == 4 ? update_uint32_t(a, p, b, c, lane)
         : update_uint16_t(a, p, b, c, lane);
}

static bool atom_space(struct access *a)
{
    uint64_t own[WARP_LANES], result[WARP_LANES];
    a->unchanged = 0;
    if (!permitted(a))
        return true;
    if (!check(a))
        return false;
    if (a->space != PTX_GLOBAL && a->space != PTX_SHARED)
        return fault(a, HEDDLE_INVALID_ADDRESS_SPACE, __builtin_ctz(a->m), a->addr,
                     "an atomic works on global and shared memory only");
    const uint64_t *addr = lane_memory(a, own);
    const struct step *st = a->st;
    LANE_LOOP(a->m)
    result[i] = update(a, a->base + addr[i], step_value(a->c, a->w, st, 1, (int)i),
                       st->in->nsrc > 2 ? step_value(a->c, a->w, st, 2, (int)i) : 0, i);
    if (st->in->ndst && st->d[0] != PLACE_NONE)
        LANE_LOOP(a->m)
        step_write(a->c, a->w, st, 0, (int)i, result[i]);
    finish_record(a);
    return true;
}

/* --- ldmatrix, stmatrix: each of the first 8, 16 or 32 lanes names a row of 16 bytes (PTX ISA 9.7.13.4.15, 9.7.13.4.16) --- */

/* Word i of a register is row i / 4 of its matrix, columns 2 (i % 4) and the next; with .trans rows and columns change places. */
struct matrices {
    uint16_t row[WARP_LANES][8];
};

static void transpose(uint16_t (*to)[8], uint16_t (*from)[8])
{
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            to[r][c] = from[c][r];
}

/* False: not in shared memory, or a fault of another kind. */
static bool matrix_ok(struct access *a)
{
    if (a->space == PTX_SHARED)
        return check(a);
    return fault(a, HEDDLE_INVALID_ADDRESS_SPACE, __builtin_ctz(a->m), a->addr, "rows of a matrix lie in shared memory");
}

static bool load_matrix_space(struct access *a)
{
    const struct step *st = a->st;
    struct matrices got = {0}, turned;
    if (!permitted(a))
        return true;
    if (!matrix_ok(a))
        return false;
    LANE_LOOP(a->m)
    memcpy(got.row[i], a->base + a->addr[i], sizeof got.row[i]);
    for (int e = 0; e < st->in->vec; e++) {
        if (st->d[e] == PLACE_NONE)
            continue;
        uint32_t *d = place_at(a->c, a->w, st->d[e]), now[WARP_LANES];
        if (st->in->mods->trans)
            transpose(turned.row, got.row + 8 * e);
        memcpy(now, st->in->mods->trans ? turned.row : got.row + 8 * e, sizeof now);
        for (int i = 0; i < WARP_LANES; i++)
            d[i] = a->lanes >> i & 1 ? now[i] : d[i];
    }
    finish_record(a);
    return true;
}

static bool store_matrix_space(struct access *a)
{
    const struct step *st = a->st;
    struct matrices put = {0}, turned;
    if (!permitted(a))
        return true;
    if (!matrix_ok(a))
        return false;
    for (int e = 0; e < st->in->vec; e++) {
        memcpy(turned.row, place_at(a->c, a->w, st->s[1 + e]), WARP_LANES * 4);
        if (st->in->mods->trans)
            transpose(put.row + 8 * e, turned.row);
        else
            memcpy(put.row + 8 * e, turned.row, WARP_LANES * 4);
    }
    LANE_LOOP(a->m)
    memcpy(a->base + a->addr[i], put.row[i], sizeof put.row[i]);
    if (a->w->values && a->r)
        LANE_LOOP(a->m)
        memcpy(a->w->values[a->w->nrecords].byte[i], put.row[i], sizeof put.row[i]);
    finish_record(a);
    return true;
}

/* --- generic addresses: one access per space --- */

static bool in_space(struct access *a, bool (*act)(struct access *), int space, uint32_t m, const uint64_t *addr,
                     uint64_t window)
{
    uint64_t local[WARP_LANES];
    if (!m)
        return true;
    a->space = space;
    a->m = m;
    a->r = space < PTX_PARAM ? new_record(a->w) : NULL;
    a->addr = a->r ? a->r->addr : local;
    for (int i = 0; i < WARP_LANES; i++)
        a->addr[i] = addr[i] - window;
    return act(a);
}

/* The same where each lane has a window of its own. */
static bool access_apart(struct access *a, bool (*act)(struct access *), const uint64_t *addr)
{
    uint64_t at[WARP_LANES];
    uint32_t m = a->m, shared = 0, local = 0;
    memcpy(at, addr, sizeof at);
    LANE_LOOP(m)
    {
        struct window s = warp_window(a->w, PTX_SHARED, (int)i), own = warp_window(a->w, PTX_LOCAL, (int)i);
        shared |= (uint32_t)(at[i] - s.base < s.bytes) << i;
        local |= (uint32_t)(at[i] - own.base < own.bytes) << i;
        at[i] -= shared >> i & 1 ? s.base : local >> i & 1 ? own.base : 0;
    }
    return in_space(a, act, PTX_GLOBAL, m & ~shared & ~local, at, 0) && in_space(a, act, PTX_SHARED, m & shared, at, 0) &&
           in_space(a, act, PTX_LOCAL, m & local, at, 0);
}

/* By the lanes of m, on behalf of `lanes`. */
static bool access_memory(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, uint32_t lanes,
                          bool (*act)(struct access *))
{
    struct access a = {.c = c, .w = w, .st = st, .m = m, .lanes = lanes, .space = st->space};
    uint64_t addr[WARP_LANES];
    if (st->space != PTX_GENERIC) {
        a.r = st->space < PTX_PARAM ? new_record(w) : NULL;
        a.addr = a.r ? a.r->addr : addr;
        read_addresses(&a, a.addr);
        return act(&a);
    }
    read_addresses(&a, addr);
    if (w->block->launch->lane_by_lane)
        return access_apart(&a, act, addr);
    uint32_t shared = 0, local = 0;
    for (int i = 0; i < WARP_LANES; i++) {
        shared |= (uint32_t)(addr[i] - SPACE_SHARED_WINDOW < SPACE_WINDOW_BYTES) << i;
        local |= (uint32_t)(addr[i] - SPACE_LOCAL_WINDOW < SPACE_WINDOW_BYTES) << i;
    }
    return in_space(&a, act, PTX_GLOBAL, m & ~shared & ~local, addr, 0) &&
           in_space(&a, act, PTX_SHARED, m & shared, addr, SPACE_SHARED_WINDOW) &&
           in_space(&a, act, PTX_LOCAL, m & local, addr, SPACE_LOCAL_WINDOW);
}

/* A parameter of the kernel whose address stands in the code: one value for all lanes. False: the long way. */
static bool load_parameter(const struct interp_code *c, struct warp *w, const struct step *st)
{
    const struct launch *l = w->block->launch;
    uint64_t at = step_value(c, w, st, 0, 0) + (uint64_t)st->offset;
    unsigned bytes = (unsigned)st->elem * st->vec;
    if (at & (bytes - 1) || bytes > l->kernel->param_bytes || at > l->kernel->param_bytes - bytes)
        return false;
    for (int e = 0; e < st->vec; e++) {
        if (st->d[e] == PLACE_NONE)
            continue;
        uint64_t v = load_value((const char *)l->params + at + (unsigned)e * st->elem, st);
        if (st->dst_width[e] == 4)
            fill_uint32_t(place_at(c, w, st->d[e]), (uint32_t)v);
        else if (st->dst_width[e] == 8)
            fill_uint64_t(place_at(c, w, st->d[e]), v);
        else
            for (int i = 0; i < WARP_LANES; i++)
                step_write(c, w, st, e, i, v);
    }
    return true;
}

static bool load(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    if (st->space == PTX_PARAM && m == ~0u && st->s[0] & PLACE_POOL && load_parameter(c, w, st))
        return true;
    return access_memory(c, w, st, m, m, load_space);
}

static bool store(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return access_memory(c, w, st, m, m, store_space);
}

static bool atom(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return access_memory(c, w, st, m, m, atom_space);
}

/* --- cp.async: checked and recorded now, carried out by async.c --- */

/* Bytes that lane i reads: all, the operand's number of them, or none when its predicate holds. */
static uint8_t bytes_to_read(const struct access *a, int i)
{
    const struct step *st = a->st;
    if (st->in->nsrc < 4)
        return st->elem;
    uint64_t v = step_value(a->c, a->w, st, 3, i);
    if (!st->width[3])
        return (v & 1) ^ st->in->src[3].negated ? 0 : st->elem;
    return v < st->elem ? (uint8_t)v : st->elem;
}

static bool async(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct access a = {.c = c, .w = w, .st = st, .m = m, .space = PTX_SHARED};
    uint64_t shared[WARP_LANES], global[WARP_LANES];
    uint8_t size[WARP_LANES];
    uint32_t reading = 0;
    a.r = new_record(w);
    a.addr = a.r ? a.r->addr : shared;
    read_source(&a, 0, st->offset, PTX_SHARED, a.addr);
    if (!permitted(&a))
        return true;
    m = a.m;
    if (!check(&a))
        return false;
    if (a.addr != shared)
        memcpy(shared, a.addr, sizeof shared);
    finish_record(&a);
    LANE_LOOP(m)
    {
        size[i] = bytes_to_read(&a, (int)i);
        reading |= (uint32_t)(size[i] != 0) << i;
    }
    read_source(&a, 1, st->in->offset2, PTX_GLOBAL, global);
    if (reading) {
        a.m = reading;
        a.space = PTX_GLOBAL;
        a.r = new_record(w);
        a.addr = a.r ? a.r->addr : global;
        if (a.addr != global)
            memcpy(a.addr, global, sizeof global);
        bool some = permitted(&a);
        m &= ~(reading & ~a.m);
        if (some && !check(&a))
            return false;
        if (some)
            finish_record(&a);
    }
    uint32_t registered = reading ? a.registered : 0;
    struct async_copy *q = async_push(w);
    q->mask = m;
    q->bytes = st->elem;
    LANE_LOOP(m)
    {
        q->size[i] = size[i];
        q->group[i] = w->async->committed[i];
        q->to[i] = (uint32_t)shared[i];
        q->from[i] = global[i] + (registered >> i & 1 ? REGISTERED_SHIFT : 0);
    }
    return true;
}

/* --- matrices --- */

static bool access_rows(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, bool (*act)(struct access *))
{
    uint32_t rows = m & (uint32_t)((UINT64_C(1) << 8 * st->in->vec) - 1);
    return !rows || access_memory(c, w, st, rows, m, act);
}

static bool load_matrix(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return access_rows(c, w, st, m, load_matrix_space);
}

static bool store_matrix(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return access_rows(c, w, st, m, store_matrix_space);
}

const struct access_ops ACCESS_OPS = {load, store, atom, async, load_matrix, store_matrix};
