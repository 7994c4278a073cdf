/* See turn.h. */
#include "clock/turn.h"

#include <string.h>

#include "base/alloc.h"

enum { HEAD = offsetof(struct record, site), HEAD_BYTES = offsetof(struct record, block) - HEAD };

_Static_assert(sizeof(struct turn_access) == 64, "a line of the host's cache");
_Static_assert(offsetof(struct turn_access, op) - offsetof(struct turn_access, site) == offsetof(struct record, op) - HEAD &&
               offsetof(struct turn_access, record) - offsetof(struct turn_access, site) == offsetof(struct record, bytes) - HEAD, "as in struct record");

/* --- memory --- */

enum { LINE = 64, CHUNK = 256 << 10 };

/* The common list that an instruction had last; how many it has had. */
struct turn_site {
    uint32_t list, had;
};

void turn_pool_begin(struct turn_pool *p, uint32_t nsites)
{
    p->nlists = 0;
    if (nsites > p->nsites)
        p->site = alloc_resize(p->site, nsites * sizeof *p->site);
    p->nsites = nsites > p->nsites ? nsites : p->nsites;
    memset(p->site, 0, p->nsites * sizeof *p->site);
}

void turn_pool_release(struct turn_pool *p)
{
    alloc_release(p->list);
    alloc_release(p->site);
    pages_release(&p->pages);
    *p = (struct turn_pool){0};
}

/* Of LINE << size bytes. */
static void *pool_take(struct turn_pool *p, int size)
{
    const size_t bytes = (size_t)LINE << size;
    void *v = p->free[size];
    if (v) {
        memcpy(&p->free[size], v, sizeof v);
        return v;
    }
    if (p->left < bytes) {
        p->left = bytes > CHUNK ? bytes : CHUNK;
        p->next = pages_take(&p->pages, p->left);
    }
    v = p->next;
    p->next += bytes;
    p->left -= bytes;
    return v;
}

/* Room for `n` elements, of which `used` are kept. *room: how many there is room for, a power of two times the least. */
static void *grow(struct turn_pool *p, void *old, uint32_t *room, uint32_t used, uint32_t n, size_t each)
{
    enum { LEAST = 4 };
    uint32_t more = *room ? *room : LEAST;
    while (more < n)
        more *= 2;
    void *v = pool_take(p, __builtin_ctzll(more * each / LINE));
    if (used)
        memcpy(v, old, used * each);
    if (old) {
        const int size = __builtin_ctzll(*room * each / LINE);
        memcpy(old, &p->free[size], sizeof p->free[size]);
        p->free[size] = old;
    }
    *room = more;
    return v;
}

void turn_forget(struct turn *t)
{
    *t = (struct turn){.access = t->access, .waited = t->waited, .room = t->room, .list = t->list, .lists_room = t->lists_room};
}

void turn_begin(struct turn *t, uint64_t begin)
{
    t->n = t->next = t->nlists = 0;
    t->block = -1;
    t->open = t->asked = 0;
    t->begin = t->end = t->since = begin;
    t->least = t->passed = 0;
    t->lines = 0;
}

static bool brings(const struct turn_pool *p, const struct record *r)
{
    return r->op != RECORD_STORE && r->op != RECORD_RED && r->op != RECORD_COMMIT && !(r->op == RECORD_LDGSTS && p->groups);
}

/* Nothing behind it begins before it is over. */
static bool stops(const struct record *r)
{
    return r->op == RECORD_FENCE || r->op == RECORD_AWAIT;
}

/* A list becomes a common one, or is one. False: the instruction's lists differ too often. */
static bool is_common(struct turn_pool *p, uint32_t site, const uint32_t list[32], uint32_t *number)
{
    enum { MOST = 16 /* of an instruction */ };
    struct turn_site *s = &p->site[site];
    *number = s->list;
    if (s->had && !memcmp(p->list[s->list], list, sizeof *p->list))
        return true;
    if (s->had == MOST)
        return false;
    ALLOC_GROW(p->list, p->nlists, p->lists_room);
    memcpy(p->list[p->nlists], list, sizeof *p->list);
    *number = s->list = p->nlists++;
    s->had++;
    return true;
}

/* Lanes within 2 GiB of the first one, as nearly all are, need half as much as their addresses. */
static void keep_addresses(struct turn *t, struct turn_pool *memory, struct turn_access *a, const struct record *r)
{
    enum { LANES = 32 };
    const uint64_t base = r->addr[__builtin_ctz(r->mask)];
    uint32_t far = 0, list[LANES];
    for (int i = 0; i < LANES; i++) {
        const uint64_t away = r->addr[i] - base;
        list[i] = (uint32_t)away;
        far |= (uint32_t)(away + (UINT64_C(1) << 31) > UINT32_MAX) << i;
    }
    a->addr = base;
    a->wide = far & r->mask;
    a->common = !a->wide && is_common(memory, r->site, list, &a->list);
    if (a->common)
        return;
    if (t->nlists + 2 > t->lists_room)
        t->list = grow(memory, t->list, &t->lists_room, t->nlists, t->nlists + 2, sizeof *t->list);
    a->list = t->nlists;
    t->nlists += a->wide ? 2 : 1;
    memcpy(t->list[a->list], a->wide ? (const void *)r->addr : list, a->wide ? sizeof r->addr : sizeof list);
}

static void keep_record(struct turn *t, struct turn_pool *memory, struct turn_access *a, const struct record *r)
{
    memcpy(&a->site, &r->site, HEAD_BYTES);
    a->addr = r->addr[0];
    if (r->shape == RECORD_EXPLICIT)
        keep_addresses(t, memory, a, r);
}

void turn_record(const struct turn *t, const struct turn_pool *memory, struct record *out)
{
    const struct turn_access *a = turn_next(t);
    memcpy(&out->site, &a->site, HEAD_BYTES);
    out->addr[0] = a->addr;
    if (a->shape != RECORD_EXPLICIT)
        return;
    const uint32_t *list = a->common ? memory->list[a->list] : t->list[a->list];
    if (a->wide)
        memcpy(out->addr, list, sizeof out->addr);
    else
        for (int i = 0; i < 32; i++)
            out->addr[i] = a->addr + (uint64_t)(int64_t)(int32_t)list[i];
}

/* No access has gone. */
static void more_room(struct turn *t, struct turn_pool *memory, uint32_t n)
{
    uint32_t room = t->room;
    t->access = grow(memory, t->access, &t->room, t->n, n, sizeof *t->access);
    t->waited = grow(memory, t->waited, &room, 0, n, sizeof *t->waited);
}

void turn_add(struct turn *t, struct turn_pool *memory, const struct ir_kernel *k, const struct target_pace *p, const struct record *r, int n, int copy)
{
    if (t->n + (uint32_t)n > t->room)
        more_room(t, memory, t->n + (uint32_t)n);
    for (int i = 0; i < n; i++) {
        if (r[i].op >= RECORD_ARRIVE && r[i].op != RECORD_FENCE && r[i].op < RECORD_COMMIT)
            continue;
        const int32_t first = p->first[r[i].site], block = k->insts[r[i].site].block;
        const struct pace_access *of = first < 0 ? NULL : &p->access[first + (copy < p->block[block].rounds ? copy : 0)];
        struct turn_access *a = &t->access[t->n];
        keep_record(t, memory, a, &r[i]);
        a->at = of ? of->at : t->n ? a[-1].at : 0; /* an operand from constant memory is no instruction of its own */
        a->used = of ? of->used : PACE_NEVER;
        if (r[i].spill == SPILL_WAITS && a->used != PACE_NEVER)
            a->at = a->used;
        a->late = of && brings(memory, &r[i]);
        if (!a->late)
            a->used = PACE_NEVER;
        if (a->late && stops(&r[i]))
            a->used = a->at;
        if (!t->n++) {
            t->block = block;
            t->local = r[i].space == PTX_LOCAL;
        }
    }
}

static uint16_t earlier(uint16_t cycles, uint16_t by)
{
    return cycles == PACE_NEVER ? PACE_NEVER : cycles > by ? (uint16_t)(cycles - by) : 0;
}

/* By when they are issued; of the same time as they came. */
static void sort(struct turn *t)
{
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t to = i;
        if (t->access[i - 1].at <= t->access[i].at)
            continue;
        const struct turn_access now = t->access[i];
        for (; to && t->access[to - 1].at > now.at; to--)
            t->access[to] = t->access[to - 1];
        t->access[to] = now;
    }
}

void turn_order(struct turn *t, const struct target_pace *p, uint64_t before, uint64_t span)
{
    sort(t);
    t->begin += before;
    t->end = t->begin + span - before;
    if (!t->n)
        return;
    const bool begins = p->block[t->block].owner == t->block, midst = t->rest.block == t->block;
    const uint16_t least = midst ? t->rest.passed : begins ? 0 : t->access[0].at; /* a way that is part of a block: the turn begins with it */
    const uint64_t last = (span - before) / PACE_TICKS;
    for (uint32_t i = 0; i < t->n; i++) {
        struct turn_access *a = &t->access[i];
        a->at = earlier(a->at, least);
        a->used = earlier(a->used, least);
        if (a->late && a->used > last) /* what nobody needs in the block is there before the turn ends */
            a->used = last < PACE_NEVER ? (uint16_t)last : PACE_NEVER - 1;
    }
    t->next_at = t->access[0].at;
}

void turn_leave(struct turn *t, struct l2_waiter *l2, uint32_t apart)
{
    for (uint64_t left = t->open & ~t->asked; left; left &= left - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(left);
        l2[place * apart].ready = later(l2[place * apart].ready, t->waited[place].l2);
    }
}

/* What L2 said since somebody waited for the place. */
static void hear(struct turn_waited *w, struct l2_waiter *l2)
{
    w->l2 = later(w->l2, l2->ready);
    l2->ready = 0;
}

void turn_went(struct turn *t, uint64_t there, struct l2_waiter *l2)
{
    const uint32_t place = turn_place(t);
    const uint64_t bit = UINT64_C(1) << place;
    const struct turn_access *now = turn_next(t);
    struct turn_waited *w = &t->waited[place];
    const bool shared = t->open & bit;
    t->lines = 0;
    if (++t->next < t->n)
        t->next_at = turn_next(t)->at;
    if (now->used == PACE_NEVER)
        return;
    w->there = shared ? later(w->there, there) : there;
    w->l2 = shared ? w->l2 : 0;
    w->used = shared && w->used < now->used ? w->used : now->used;
    w->site = now->site;
    w->fence = now->op == RECORD_FENCE;
    t->open |= bit;
    if (l2->pending)
        t->asked |= bit;
    else
        hear(w, l2);
}

void turn_told(struct turn *t, uint32_t place, struct l2_waiter *l2)
{
    const uint64_t bit = UINT64_C(1) << place;
    if (!(t->asked & bit))
        return;
    t->asked &= ~bit;
    hear(&t->waited[place], l2);
}

/* Of those that are needed at cycle `at` or before. */
static bool wait_up_to(struct turn *t, uint16_t at)
{
    uint64_t by = 0, over = 0;
    bool fence = false;
    uint32_t site = 0;
    for (uint64_t left = t->asked; left; left &= left - 1)
        if (t->waited[__builtin_ctzll(left)].used <= at)
            return false;
    for (uint64_t left = t->open & ~t->asked; left; left &= left - 1) {
        const struct turn_waited *w = &t->waited[__builtin_ctzll(left)];
        if (w->used > at)
            continue;
        over |= left & -left;
        const uint64_t there = later(w->there, w->l2 * PACE_TICKS), needed = t->begin + (uint64_t)w->used * PACE_TICKS;
        if (there > needed && there - needed > by) {
            by = there - needed;
            site = w->site;
            fence = w->fence;
        }
    }
    t->open &= ~over;
    t->begin += by;
    t->end += by;
    *(fence ? &t->fenced : &t->stood) += by;
    if (by)
        *(fence ? &t->site_fence : &t->site_late) = site;
    return true;
}

bool turn_wait_next(struct turn *t)
{
    return !t->open || wait_up_to(t, t->next_at);
}

bool turn_wait_all(struct turn *t)
{
    return !t->open || (!t->asked && wait_up_to(t, PACE_NEVER));
}
