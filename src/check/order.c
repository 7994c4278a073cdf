/* The order between accesses of a block's threads. */
#include "check/order.h"

#include <string.h>

#include "base/alloc.h"

/* Single threads: everything of `thread` below `stamp` is known. */
struct single {
    uint32_t thread, stamp;
};

struct knowledge {
    uint32_t block;             /* of every thread of the block */
    uint32_t warp[ORDER_WARPS]; /* of every thread of the warp */
    struct single *single;
    uint32_t nsingles, capacity;
};

struct thread {
    uint32_t own;   /* stamp of the current segment */
    uint32_t fence; /* of the segment that its last fence began; 0: none in this block */
    bool mixed;     /* k has more than `block` and its own warp */
    bool waits;     /* `pending` has something */
    struct knowledge k, pending; /* pending: read, but not known before a fence */
    struct knowledge fenced;     /* what it knew at its last fence */
    uint32_t lane[ORDER_WARPS];  /* of single lanes of its own warp */
};

struct barrier {
    uint32_t came[ORDER_WARPS]; /* lanes that wait */
    bool told;                  /* some came without waiting: what they knew is in `from` */
    struct knowledge from;
};

struct published {
    uint64_t address;
    uint32_t first; /* order_first of the block it is of; else the place is free */
    struct knowledge k;
};

struct order {
    uint32_t now, first;
    unsigned threads;
    uint32_t exist[ORDER_WARPS], gone[ORDER_WARPS]; /* lanes */
    struct thread thread[ORDER_THREADS];
    struct order_glance glance[ORDER_THREADS];
    uint32_t stale, uniform; /* warps whose bit in `uniform` is out of date; warps whose lanes look the same */
    struct barrier barrier[ORDER_BARRIERS];
    struct published *published; /* by address: a hash table of `capacity` places, a power of two */
    uint32_t npublished, capacity;
};

#define LANES(mask, lane) \
    for (uint32_t left_##lane = (mask), lane; left_##lane && (lane = (uint32_t)__builtin_ctz(left_##lane), 1); \
         left_##lane &= left_##lane - 1)

/* --- knowledge --- */

static void raise(uint32_t *stamp, uint32_t to)
{
    if (*stamp < to)
        *stamp = to;
}

static void forget(struct knowledge *k)
{
    k->block = 0;
    memset(k->warp, 0, sizeof k->warp);
    k->nsingles = 0;
}

static void add_single(struct knowledge *k, uint32_t thread, uint32_t stamp)
{
    if (stamp <= k->block || stamp <= k->warp[thread / 32])
        return;
    for (uint32_t i = 0; i < k->nsingles; i++)
        if (k->single[i].thread == thread) {
            raise(&k->single[i].stamp, stamp);
            return;
        }
    if (k->nsingles == k->capacity) {
        k->capacity = k->capacity ? 2 * k->capacity : 8;
        k->single = alloc_resize(k->single, k->capacity * sizeof *k->single);
    }
    k->single[k->nsingles++] = (struct single){thread, stamp};
}

static void learn(struct knowledge *k, const struct knowledge *from)
{
    raise(&k->block, from->block);
    for (int w = 0; w < ORDER_WARPS; w++)
        raise(&k->warp[w], from->warp[w]);
    for (uint32_t i = 0; i < from->nsingles; i++)
        add_single(k, from->single[i].thread, from->single[i].stamp);
}

/* All that a thread knows, single lanes of its warp too. */
static void tell(struct knowledge *k, const struct order *o, unsigned thread)
{
    const struct thread *t = &o->thread[thread];
    unsigned warp = thread / 32;

    learn(k, &t->k);
    for (unsigned i = 0; i < 32; i++)
        if (t->lane[i] > t->k.block)
            add_single(k, 32 * warp + i, t->lane[i]);
}

static void listen(struct thread *t, const struct knowledge *from)
{
    learn(&t->k, from);
    t->mixed = true;
}

/* To be called behind whatever changes a thread. */
static void refresh(struct order *o, unsigned thread)
{
    const struct thread *t = &o->thread[thread];

    o->glance[thread] = (struct order_glance){t->own, t->k.block, t->k.warp[thread / 32]};
    o->stale |= 1u << thread / 32;
}

/* --- blocks --- */

struct order *order_new(void)
{
    struct order *o = alloc_zeroed(sizeof *o);

    o->now = 1;
    return o;
}

void order_free(struct order *o)
{
    if (!o)
        return;
    for (int i = 0; i < ORDER_THREADS; i++) {
        alloc_release(o->thread[i].k.single);
        alloc_release(o->thread[i].pending.single);
        alloc_release(o->thread[i].fenced.single);
    }
    for (int i = 0; i < ORDER_BARRIERS; i++)
        alloc_release(o->barrier[i].from.single);
    for (uint32_t i = 0; i < o->capacity; i++)
        alloc_release(o->published[i].k.single);
    alloc_release(o->published);
    alloc_release(o);
}

void order_block(struct order *o, unsigned threads)
{
    o->first = ++o->now;
    o->threads = threads;
    o->npublished = 0;
    memset(o->gone, 0, sizeof o->gone);
    for (unsigned w = 0; w < ORDER_WARPS; w++)
        o->exist[w] = threads >= 32 * w + 32 ? ~0u : threads <= 32 * w ? 0 : (1u << (threads - 32 * w)) - 1;
    for (unsigned i = 0; i < threads; i++) {
        struct thread *t = &o->thread[i];

        t->own = t->k.block = o->first; /* what is older in the other sizes does not matter */
        t->k.nsingles = 0;
        t->fence = 0;
        t->mixed = false;
        if (t->waits)
            forget(&t->pending);
        t->waits = false;
        refresh(o, i);
    }
    for (int i = 0; i < ORDER_BARRIERS; i++) {
        struct barrier *b = &o->barrier[i];

        memset(b->came, 0, sizeof b->came);
        if (b->told)
            forget(&b->from);
        b->told = false;
    }
}

uint32_t order_first(const struct order *o)
{
    return o->first;
}

const struct order_glance *order_glances(const struct order *o)
{
    return o->glance;
}

bool order_uniform(struct order *o, unsigned warp)
{
    const struct order_glance *g = &o->glance[32 * warp];
    uint32_t bit = 1u << warp;

    if (o->stale & bit) {
        o->stale &= ~bit;
        o->uniform |= bit;
        for (unsigned i = 1; i < 32 && o->exist[warp] >> i & 1; i++)
            if (memcmp(&g[i], g, sizeof *g))
                o->uniform &= ~bit;
    }
    return o->uniform & bit;
}

bool order_knows(const struct order *o, unsigned thread, unsigned by, uint32_t stamp)
{
    const struct thread *t = &o->thread[thread];

    if (thread == by || t->k.block > stamp || t->k.warp[by / 32] > stamp)
        return true;
    if (thread / 32 == by / 32 && t->lane[by % 32] > stamp)
        return true;
    for (uint32_t i = 0; i < t->k.nsingles; i++)
        if (t->k.single[i].thread == by)
            return t->k.single[i].stamp > stamp;
    return false;
}

/* --- barriers --- */

void order_arrive(struct order *o, unsigned barrier, unsigned warp, uint32_t lanes, bool waits)
{
    struct barrier *b = &o->barrier[barrier];

    if (waits) {
        b->came[warp] |= lanes;
        return;
    }
    b->told = true;
    o->now++;
    LANES(lanes, i)
    {
        unsigned t = 32 * warp + i;

        tell(&b->from, o, t);
        add_single(&b->from, t, o->now);
        o->thread[t].own = o->now;
        refresh(o, t);
    }
}

/* Everybody of the block has come, and waits. */
static bool whole_block(const struct order *o, const struct barrier *b)
{
    for (int w = 0; w < ORDER_WARPS; w++)
        if ((b->came[w] | o->gone[w]) != o->exist[w])
            return false;
    return !b->told;
}

/* What those who came knew and did, in b->from. */
static void gather(const struct order *o, struct barrier *b, uint32_t stamp)
{
    for (unsigned w = 0; w < ORDER_WARPS; w++) {
        bool all = (b->came[w] | o->gone[w]) == o->exist[w];

        LANES(b->came[w], i)
        {
            tell(&b->from, o, 32 * w + i);
            if (!all)
                add_single(&b->from, 32 * w + i, stamp);
        }
        if (b->came[w] && all)
            raise(&b->from.warp[w], stamp);
    }
}

void order_complete(struct order *o, unsigned barrier)
{
    struct barrier *b = &o->barrier[barrier];
    bool whole = whole_block(o, b);
    uint32_t stamp = ++o->now;

    if (!whole)
        gather(o, b, stamp);
    for (unsigned w = 0; w < ORDER_WARPS; w++) {
        LANES(b->came[w], i)
        {
            struct thread *t = &o->thread[32 * w + i];

            t->own = stamp;
            if (whole) {
                t->k.block = stamp;
                t->k.nsingles = 0;
                t->mixed = false;
            } else {
                listen(t, &b->from);
            }
            refresh(o, 32 * w + i);
        }
        b->came[w] = 0;
    }
    if (!whole)
        forget(&b->from);
    b->told = false;
}

void order_exit(struct order *o, unsigned warp, uint32_t lanes)
{
    o->gone[warp] |= lanes;
}

/* --- warps --- */

/* Lanes that know nothing but what all of the block and their own warp did: no need to merge lists. */
static bool plain(const struct order *o, unsigned warp, uint32_t lanes)
{
    uint32_t block = o->thread[32 * warp + (unsigned)__builtin_ctz(lanes)].k.block;

    LANES(lanes, i)
    if (o->thread[32 * warp + i].mixed || o->thread[32 * warp + i].k.block != block)
        return false;
    return true;
}

static void meet_mixed(struct order *o, unsigned warp, uint32_t lanes)
{
    struct knowledge all = {0};

    LANES(lanes, i)
    learn(&all, &o->thread[32 * warp + i].k);
    LANES(lanes, i)
    listen(&o->thread[32 * warp + i], &all);
    alloc_release(all.single);
}

void order_meet(struct order *o, unsigned warp, uint32_t lanes)
{
    bool all = (lanes | o->gone[warp]) == o->exist[warp];
    uint32_t stamp = ++o->now, lane[ORDER_WARPS] = {0}, own = 0;

    if (!plain(o, warp, lanes))
        meet_mixed(o, warp, lanes);
    LANES(lanes, i)
    {
        const struct thread *t = &o->thread[32 * warp + i];

        raise(&own, t->k.warp[warp]);
        for (int k = 0; !all && k < 32; k++)
            raise(&lane[k], t->lane[k]);
    }
    LANES(lanes, i)
    {
        struct thread *t = &o->thread[32 * warp + i];

        t->own = stamp;
        t->k.warp[warp] = all ? stamp : own;
        if (!all)
            memcpy(t->lane, lane, sizeof lane);
    }
    if (!all)
        LANES(lanes, i)
        LANES(lanes, k)
        o->thread[32 * warp + i].lane[k] = stamp;
    LANES(lanes, i)
    refresh(o, 32 * warp + i);
}

/* --- fences and what is published --- */

void order_fence(struct order *o, unsigned warp, uint32_t lanes)
{
    uint32_t stamp = ++o->now;

    LANES(lanes, i)
    {
        struct thread *t = &o->thread[32 * warp + i];

        if (t->waits) {
            listen(t, &t->pending);
            forget(&t->pending);
            t->waits = false;
        }
        t->own = t->fence = stamp;
        forget(&t->fenced);
        tell(&t->fenced, o, 32 * warp + i);
        refresh(o, 32 * warp + i);
    }
}

/* The address's place, or the free one that it would get. */
static struct published *slot(const struct order *o, uint64_t address)
{
    uint64_t at = address * UINT64_C(0x9e3779b97f4a7c15) >> 32;

    for (;; at++) {
        struct published *p = &o->published[at & (o->capacity - 1)];

        if (p->first != o->first || p->address == address)
            return p;
    }
}

static struct published *find(const struct order *o, uint64_t address)
{
    struct published *p = o->capacity ? slot(o, address) : NULL;

    return p && p->first == o->first ? p : NULL;
}

static void grow(struct order *o)
{
    struct published *old = o->published;
    uint32_t n = o->capacity;

    o->capacity = n ? 2 * n : 16;
    o->published = alloc_zeroed(o->capacity * sizeof *o->published);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].first == o->first)
            *slot(o, old[i].address) = old[i];
        else
            alloc_release(old[i].k.single);
    alloc_release(old);
}

static struct published *publish(struct order *o, uint64_t address)
{
    struct published *p;

    if (4 * (o->npublished + 1) > 3 * o->capacity)
        grow(o);
    p = slot(o, address);
    p->address = address;
    p->first = o->first;
    forget(&p->k);
    o->npublished++;
    return p;
}

void order_release(struct order *o, unsigned thread, uint64_t address, bool whole, bool update)
{
    struct thread *t = &o->thread[thread];
    struct published *p = find(o, address);
    uint32_t stamp = t->fence;

    if (p && !update)
        forget(&p->k);
    if (!whole && !stamp)
        return;
    if (!p)
        p = publish(o, address);
    if (whole) {
        tell(&p->k, o, thread);
        t->own = stamp = ++o->now;
        refresh(o, thread);
    } else {
        learn(&p->k, &t->fenced);
    }
    add_single(&p->k, thread, stamp);
}

void order_acquire(struct order *o, unsigned thread, uint64_t address, bool whole)
{
    struct thread *t = &o->thread[thread];
    const struct published *p = find(o, address);

    if (!p)
        return;
    if (whole) {
        listen(t, &p->k);
        refresh(o, thread);
    } else {
        learn(&t->pending, &p->k);
        t->waits = true;
    }
}
