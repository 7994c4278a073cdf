/* L2 from launch to launch (see l2_kept.h). */
#include "memory/l2_kept.h"

#include <string.h>

#include "base/alloc.h"
#include "memory/caches.h"
#include "memory/l2_sets.h"

enum { SECTOR = 32, NOBODYS_TAG = UINT8_MAX };

struct l2_kept {
    uint32_t nparts, dirty_ways;
    uint64_t lost_bytes;
    struct divisor sets;
    struct part part[PARTS];
};

/* Full of clean lines that nobody has: no line's tag is all ones. */
static void fill(struct part *p, uint32_t sets)
{
    for (uint32_t i = 0; i < sets; i++) {
        struct set *s = &p->set[i];
        s->taken = WAYS;
        memset(s->tag, NOBODYS_TAG, sizeof s->tag);
        memset(s->high, NOBODYS_TAG, sizeof s->high);
    }
}

struct l2_kept *l2_kept_new(const struct caches_config *c)
{
    if (!c->l2_bytes)
        return NULL;
    struct l2_kept *k = alloc_zeroed(sizeof *k);
    k->nparts = c->l2_parts > 1 ? PARTS : 1;
    k->sets = sets_of(c->l2_bytes, k->nparts);
    k->dirty_ways = ways_of_share(c->dirty_share);
    k->lost_bytes = c->lost_bytes;
    if (!parts_open(k->part, k->nparts, k->sets)) {
        l2_kept_free(k);
        return NULL;
    }
    for (uint32_t i = 0; i < k->nparts; i++)
        fill(&k->part[i], k->sets.by);
    return k;
}

void l2_kept_free(struct l2_kept *k)
{
    if (!k)
        return;
    parts_close(k->part, k->nparts, k->sets);
    alloc_release(k);
}

void l2_kept_begin(struct l2_kept *k)
{
    for (uint32_t i = 0; i < k->nparts; i++)
        for (uint32_t n = 0; n < k->sets.by; n++) {
            struct set *s = &k->part[i].set[n];
            for (unsigned way = 0; way < WAYS; way++)
                s->valid[way] &= SECTORS;
            memset(s->times, 0, sizeof s->times);
        }
}

struct part *l2_kept_part(struct l2_kept *k, uint32_t part)
{
    return &k->part[part];
}

void l2_kept_reset(struct l2_kept *k)
{
    for (uint32_t i = 0; i < k->nparts; i++)
        for (uint32_t n = 0; n < k->sets.by; n++)
            k->part[i].set[n].persists = 0;
}

/* --- between launches --- */

/* A line that is touched: where its halves have it. */
struct touched {
    uint64_t tag;
    uint32_t number, home, near; /* near: the half that touches it */
    unsigned sectors;
};

static bool look(const struct l2_kept *k, const struct touched *t, uint32_t part, struct place *p)
{
    struct set *s = &k->part[part].set[t->number];
    const int way = find(s, t->tag);
    *p = (struct place){s, way < 0 ? 0 : (unsigned)way, t->number};
    return way >= 0;
}

/* The line's place in a part, made if need be. What was dirty there goes to DRAM between launches, where nobody counts it. */
static struct place place(const struct l2_kept *k, const struct touched *t, uint32_t part)
{
    struct place p;
    if (look(k, t, part, &p))
        return p;
    p.way = victim(p.set);
    p.set->tag[p.way] = (uint32_t)t->tag;
    p.set->high[p.way] = (uint8_t)(t->tag >> 32);
    p.set->persists &= (uint16_t)~(1u << p.way);
    set_valid(p, 0, 0);
    set_dirt(p, 0, 0);
    return p;
}

static void use(struct place p)
{
    p.set->order = ways_use(p.set->order, p.way);
}

static void goes_next(struct place p)
{
    p.set->order = ways_last(p.set->order, WAYS, p.way);
}

/* The half that is not the line's home has an old copy. */
static void forget(const struct l2_kept *k, const struct touched *t)
{
    struct place p;
    if (k->nparts > 1 && look(k, t, !t->home, &p))
        set_valid(p, valid(p) & ~t->sectors, 0);
}

static void is_written(const struct l2_kept *k, const struct touched *t, struct place p)
{
    set_valid(p, valid(p) | t->sectors, 0);
    set_dirt(p, dirty(p) | t->sectors, partial(p) & ~t->sectors);
    if (lanes_count(p.set->dirty) <= k->dirty_ways)
        return;
    p.way = oldest(p.set, p.set->dirty);
    set_valid(p, valid(p) | partial(p), 0);
    set_dirt(p, 0, 0);
}

/* As a kernel's store does it (l2.c: write). */
static void write_within(const struct l2_kept *k, const struct touched *t)
{
    struct place p = place(k, t, t->home);
    use(p);
    is_written(k, t, p);
    if (t->near == t->home) {
        forget(k, t);
        return;
    }
    p = place(k, t, t->near);
    set_valid(p, valid(p) | t->sectors, 0);
    goes_next(p);
}

/* As a kernel's load does it (l2.c: read). */
static void read_within(const struct l2_kept *k, const struct touched *t)
{
    struct place p = place(k, t, t->near);
    const bool has = !(t->sectors & ~valid(p));
    set_valid(p, valid(p) | t->sectors, 0);
    use(p);
    if (has || t->near == t->home)
        return;
    p = place(k, t, t->home);
    set_valid(p, valid(p) | t->sectors, 0);
    set_dirt(p, dirty(p), partial(p) & ~t->sectors);
    use(p);
}

static void write_by_host(const struct l2_kept *k, const struct touched *t)
{
    struct place p;
    const bool has = look(k, t, t->home, &p);
    p = has ? p : place(k, t, t->home);
    if (!has)
        goes_next(p);
    is_written(k, t, p);
    forget(k, t);
}

static void read_by_host(const struct l2_kept *k, const struct touched *t)
{
    struct place p;
    if (look(k, t, t->home, &p))
        return;
    p = place(k, t, t->home);
    set_valid(p, t->sectors, 0);
    goes_next(p);
}

static void lose(const struct l2_kept *k, const struct touched *t)
{
    struct place p;
    for (uint32_t i = 0; i < k->nparts; i++)
        if (look(k, t, i, &p)) {
            set_valid(p, 0, 0);
            set_dirt(p, 0, 0);
            goes_next(p);
        }
}

static void touch(const struct l2_kept *k, enum l2_touch how, uint64_t line, unsigned sectors)
{
    const uint64_t hash = lines_hash(line);
    struct touched t = {.home = l2_home(k->nparts, hash), .sectors = sectors};
    t.near = k->nparts > 1 ? (uint32_t)(hash >> 60) & 1 : 0; /* multiprocessors of both halves do it */
    t.number = l2_set(k->sets, line, &t.tag);
    switch (how) {
    case L2_TOUCH_FILL:
        write_within(k, &t);
        break;
    case L2_TOUCH_COPY:
        read_within(k, &t);
        break;
    case L2_TOUCH_FROM_HOST:
        write_by_host(k, &t);
        break;
    case L2_TOUCH_TO_HOST:
        read_by_host(k, &t);
        break;
    case L2_TOUCH_FREE:
        lose(k, &t);
        break;
    }
}

void l2_kept_touch(struct l2_kept *k, enum l2_touch how, uint64_t address, uint64_t bytes)
{
    const uint64_t most = (uint64_t)2 * k->nparts * k->sets.by * WAYS << LINE_SHIFT, end = address + bytes;
    if (!bytes || (how == L2_TOUCH_FREE && bytes < k->lost_bytes))
        return;
    if (how != L2_TOUCH_FREE && bytes > most)
        address = end - most;
    for (uint64_t line = address >> LINE_SHIFT; line <= (end - 1) >> LINE_SHIFT; line++) {
        const uint64_t first = line << LINE_SHIFT;
        const unsigned from = address > first ? (unsigned)(address - first) / SECTOR : 0;
        const unsigned to = end - first < 1 << LINE_SHIFT ? (unsigned)(end - first - 1) / SECTOR : LINE_SECTORS - 1;
        touch(k, how, line, SECTORS >> (LINE_SECTORS - 1 - to) & SECTORS << from);
    }
}
