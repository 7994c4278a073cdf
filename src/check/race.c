/* Races: the accesses of each word that a later one could race with. */
#include "check/race.h"

#include <string.h>

#include "base/alloc.h"

enum { NONE = 0, WHOLE = 15 /* all bytes of a word */ };

/* Accesses of lanes of one warp by one instruction, in one segment. */
struct seen {
    uint32_t stamp;
    uint32_t lanes; /* 0: free */
    uint32_t warp;
    uint32_t site : 24, bytes : 4, flags : 4; /* bytes: which of the word's */
};

/* The same of whole words, where everything else follows from the place. */
struct entry {
    uint32_t stamp, lanes, site;
};

enum { READS, UPDATES, CLASSES }; /* weak reads; atomics and other strong writes */

/* Weak reads by one instruction, in one segment: the same lanes of several warps. */
struct readers {
    uint32_t stamp, site;
    uint32_t lanes, warps; /* 0: none */
};

/* One word. What it holds counts if it is of this block. Usually all accesses are of the whole word. Then the last plain
 * write is here, and so are most readers, as different warps mostly read alike; the others are entries of their warps, if
 * a warp's are of one instruction. Anything else is in nodes, all of it. */
struct cell {
    struct seen write;          /* the last plain write, or free */
    struct readers readers;
    uint32_t warps[CLASSES];    /* that have an entry */
    uint32_t latest;            /* stamp of the entries */
    uint32_t more;              /* index of a node, or NONE */
    uint32_t value;             /* what was written last */
    uint32_t first;             /* order_first of the block it is of */
};

struct node {
    struct seen seen;
    uint32_t next;
};

struct race {
    struct order *order;
    const struct order_glance *glance;
    void (*found)(void *user, const struct race_found *f);
    void *user;
    struct cell *cell;
    uint32_t ncells, nwarps;
    struct entry *entry; /* [CLASSES][nwarps][ncells] */
    struct node *node;   /* [0] is not used */
    uint32_t nnodes, capacity, spare;
    uint32_t first;      /* order_first of the block the nodes are of */
};

struct race *race_new(uint32_t bytes, unsigned threads, struct order *o,
                      void (*found)(void *user, const struct race_found *f), void *user)
{
    struct race *r = alloc_zeroed(sizeof *r);

    *r = (struct race){.order = o, .glance = order_glances(o), .found = found, .user = user, .ncells = (bytes + 3) / 4,
                       .nwarps = (threads + 31) / 32, .nnodes = 1};
    r->cell = alloc_zeroed((r->ncells + 1) * sizeof *r->cell);
    r->entry = alloc_zeroed(((size_t)CLASSES * r->nwarps * r->ncells + 1) * sizeof *r->entry);
    return r;
}

void race_free(struct race *r)
{
    if (!r)
        return;
    alloc_release(r->cell);
    alloc_release(r->entry);
    alloc_release(r->node);
    alloc_release(r);
}

static struct entry *entry_of(const struct race *r, uint32_t word, int class, unsigned warp)
{
    return &r->entry[((size_t)class * r->nwarps + warp) * r->ncells + word];
}

/* --- further accesses of a word, in nodes --- */

static uint32_t take_node(struct race *r)
{
    uint32_t i = r->spare;

    if (i) {
        r->spare = r->node[i].next;
        return i;
    }
    if (r->nnodes >= r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 256;
        r->node = alloc_resize(r->node, r->capacity * sizeof *r->node);
    }
    return r->nnodes++;
}

static void drop_node(struct race *r, uint32_t *link)
{
    uint32_t i = *link;

    *link = r->node[i].next;
    r->node[i].next = r->spare;
    r->spare = i;
}

/* --- one access against one that was --- */

struct now {
    const struct race_access *a;
    uint32_t stamp, address; /* of the word */
    unsigned bytes;          /* which of the word's */
    uint32_t value;          /* the word's bytes that are written, in their places */
};

static unsigned strength(unsigned flags)
{
    return flags & RACE_STRONG;
}

/* Lanes of `s`, other than the thread itself, that nothing puts before what it does now. */
static uint32_t unordered(const struct race *r, const struct seen *s, const struct race_access *a)
{
    uint32_t bad = 0;

    if (s->flags & RACE_ASYNC) /* not even before what its own thread does */
        return s->lanes;
    for (uint32_t left = s->lanes; left; left &= left - 1) {
        unsigned by = 32 * s->warp + (unsigned)__builtin_ctz(left);

        if (!order_knows(r->order, a->thread, by, s->stamp))
            bad |= left & -left;
    }
    return bad;
}

static uint32_t byte_mask(unsigned bytes)
{
    return (bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0) | (bytes & 4 ? 0xff0000u : 0) | (bytes & 8 ? 0xff000000u : 0);
}

static void report(const struct race *r, const struct cell *c, const struct now *n, const struct seen *s, uint32_t lanes)
{
    unsigned both = n->bytes & s->bytes;
    bool wrote = s->flags & RACE_WRITES, writes = n->a->flags & RACE_WRITES;
    struct race_found f = {
        .kind = !wrote ? RACE_WRITE_AFTER_READ : writes ? RACE_WRITE_AFTER_WRITE : RACE_READ_AFTER_WRITE,
        .address = n->address + (unsigned)__builtin_ctz(both),
        .thread = n->a->thread,
        .by = 32 * s->warp + (unsigned)__builtin_ctz(lanes),
        .site = n->a->site,
        .by_site = s->site,
        .by_async = s->flags & RACE_ASYNC,
        .has_values = writes && n->a->value,
        .now = n->value,
        .then = c->value,
    };

    f.same_value = f.kind == RACE_WRITE_AFTER_WRITE && f.has_values && !((f.now ^ f.then) & byte_mask(both));
    r->found(r->user, &f);
}

/* True when `s` need not be kept beside the new access: whoever races with `s` later races with the new one too. */
static bool stands_for(const struct now *n, const struct seen *s)
{
    unsigned flags = n->a->flags;

    if (s->bytes & ~n->bytes || s->flags & RACE_ASYNC)
        return false;
    if (strength(flags) && !strength(s->flags))
        return false;
    return flags & RACE_WRITES || !(s->flags & RACE_WRITES);
}

/* Compares; true when `s` may go. */
static bool meets(const struct race *r, const struct cell *c, const struct now *n, const struct seen *s)
{
    uint32_t bad = unordered(r, s, n->a);
    bool race = bad && n->bytes & s->bytes && (s->flags | n->a->flags) & RACE_WRITES &&
                !(strength(s->flags) && strength(n->a->flags));

    if (race)
        report(r, c, n, s, bad);
    return (!bad || race) && stands_for(n, s);
}

/* The same instruction of another lane of the warp, and no race: one entry. */
static bool joins(const struct seen *s, const struct now *n)
{
    if (n->a->flags & RACE_WRITES && !strength(n->a->flags))
        return false;
    return s->stamp == n->stamp && s->site == n->a->site && s->warp == n->a->thread / 32 && s->bytes == n->bytes &&
           s->flags == n->a->flags;
}

/* Compares with the new access, or takes it in. */
static void meet(const struct race *r, const struct cell *c, const struct now *n, struct seen *s, bool *joined)
{
    if (joins(s, n)) {
        s->lanes |= 1u << n->a->thread % 32;
        *joined = true;
    } else if (meets(r, c, n, s)) {
        s->lanes = 0;
    }
}

static void add_node(struct race *r, struct cell *c, struct seen s)
{
    uint32_t at = take_node(r);

    r->node[at] = (struct node){s, c->more};
    c->more = at;
}

/* --- any access, over nodes --- */

/* Everything there is of the word becomes nodes. */
static void spill(struct race *r, struct cell *c, uint32_t word)
{
    if (c->write.lanes)
        add_node(r, c, c->write);
    c->write.lanes = 0;
    for (uint32_t left = c->readers.warps; left; left &= left - 1)
        add_node(r, c,
                 (struct seen){c->readers.stamp, c->readers.lanes, (uint32_t)__builtin_ctz(left),
                               c->readers.site, WHOLE, 0});
    c->readers.warps = 0;
    for (int class = 0; class < CLASSES; class++) {
        for (uint32_t left = c->warps[class]; left; left &= left - 1) {
            unsigned warp = (unsigned)__builtin_ctz(left);
            const struct entry *e = entry_of(r, word, class, warp);

            add_node(r, c, (struct seen){e->stamp, e->lanes, warp, e->site, WHOLE,
                                         class == UPDATES ? RACE_STRONG | RACE_WRITES : 0});
        }
        c->warps[class] = 0;
    }
    c->latest = 0;
}

/* A single plain write of the whole word needs no node. */
static void settle(struct race *r, struct cell *c)
{
    const struct node *node = &r->node[c->more];

    if (!c->more || node->next || node->seen.flags != RACE_WRITES || node->seen.bytes != WHOLE)
        return;
    c->write = node->seen;
    drop_node(r, &c->more);
}

static void access_nodes(struct race *r, struct cell *c, const struct now *n, uint32_t word)
{
    bool joined = false;

    spill(r, c, word);
    for (uint32_t *link = &c->more; *link;) {
        struct node *node = &r->node[*link];

        meet(r, c, n, &node->seen, &joined);
        if (node->seen.lanes)
            link = &node->next;
        else
            drop_node(r, link);
    }
    if (!joined)
        add_node(r, c,
                 (struct seen){n->stamp, 1u << n->a->thread % 32, n->a->thread / 32, n->a->site,
                               n->bytes, n->a->flags});
    if (n->a->flags & RACE_WRITES)
        c->value = (c->value & ~byte_mask(n->bytes)) | n->value;
    settle(r, c);
}

/* --- the usual ones --- */

/* Are the accesses of these lanes all before what the thread does now? */
static bool known(const struct race *r, const struct order_glance *g, unsigned thread, unsigned warp, uint32_t stamp,
                  uint32_t lanes)
{
    if (stamp < g->block)
        return true;
    if (warp == thread / 32 && (stamp < g->warp || lanes == 1u << thread % 32))
        return true;
    for (; lanes; lanes &= lanes - 1)
        if (!order_knows(r->order, thread, 32 * warp + (unsigned)__builtin_ctz(lanes), stamp))
            return false;
    return true;
}

static bool readers_known(const struct race *r, const struct cell *c, const struct order_glance *g, unsigned thread)
{
    for (uint32_t left = c->readers.stamp < g->block ? 0 : c->readers.warps; left; left &= left - 1)
        if (!known(r, g, thread, (unsigned)__builtin_ctz(left), c->readers.stamp, c->readers.lanes))
            return false;
    return true;
}

static bool entries_known(const struct race *r, const struct cell *c, uint32_t word, int class, const struct order_glance *g,
                          unsigned thread)
{
    for (uint32_t left = c->latest < g->block ? 0 : c->warps[class]; left; left &= left - 1) {
        unsigned warp = (unsigned)__builtin_ctz(left);
        const struct entry *e = entry_of(r, word, class, warp);

        if (!known(r, g, thread, warp, e->stamp, e->lanes))
            return false;
    }
    return true;
}

/* Takes lanes of a warp among the readers. False: they do not fit. A second instruction that reads what the threads have
 * read in this segment adds nothing: who races with it races with the first. */
static bool read_alike(struct cell *c, const struct order_glance *g, uint32_t site, unsigned warp, uint32_t lanes)
{
    struct readers *s = &c->readers;
    uint32_t bit = 1u << warp;

    if (!s->warps || s->stamp < g->block || (s->warps == bit && s->stamp < g->warp))
        *s = (struct readers){g->own, site, lanes, bit};
    else if (s->stamp == g->own && s->warps & bit && !(lanes & ~s->lanes))
        return true;
    else if (s->stamp == g->own && s->site == site && s->lanes == lanes)
        s->warps |= bit;
    else if (s->stamp == g->own && s->site == site && s->warps == bit)
        s->lanes |= lanes;
    else
        return false;
    return true;
}

/* Takes the access into its warp's entry. False: it does not fit. */
static bool enter(const struct race *r, struct cell *c, uint32_t word, int class, const struct order_glance *g,
                  const struct race_access *a)
{
    unsigned warp = a->thread / 32;
    uint32_t lane = 1u << a->thread % 32;
    struct entry *e = entry_of(r, word, class, warp);

    if (c->warps[class] >> warp & 1 && e->stamp == g->own && (e->site == a->site || e->lanes & lane))
        e->lanes |= e->site == a->site ? lane : 0;
    else if (!(c->warps[class] >> warp & 1) || e->stamp < g->block || e->stamp < g->warp || e->lanes == lane)
        *e = (struct entry){g->own, lane, a->site};
    else
        return false;
    c->warps[class] |= 1u << warp;
    c->latest = c->latest < g->own ? g->own : c->latest;
    return true;
}

/* One access of a whole word that races with nothing. False: it may, or does not fit; nothing has changed. */
static bool access_whole(const struct race *r, struct cell *c, uint32_t word, const struct race_access *a)
{
    const struct order_glance *g = &r->glance[a->thread];
    bool writes = a->flags & RACE_WRITES, strong = a->flags & RACE_STRONG;

    if (c->more || a->flags & RACE_ASYNC || (strong && !writes) || a->thread / 32 >= r->nwarps)
        return false;
    if (c->write.lanes && !known(r, g, a->thread, c->write.warp, c->write.stamp, c->write.lanes))
        return false;
    if (writes && !(readers_known(r, c, g, a->thread) && entries_known(r, c, word, READS, g, a->thread)))
        return false;
    if (!strong && !entries_known(r, c, word, UPDATES, g, a->thread))
        return false;
    if (!writes && read_alike(c, g, a->site, a->thread / 32, 1u << a->thread % 32))
        return true;
    if (!writes || strong)
        return enter(r, c, word, strong ? UPDATES : READS, g, a);
    c->write = (struct seen){g->own, 1u << a->thread % 32, a->thread / 32, a->site, WHOLE, a->flags};
    c->readers.warps = c->warps[READS] = c->warps[UPDATES] = c->latest = 0;
    return true;
}

/* Lanes of a warp that read one whole word and look the same at a glance. False: to be done one by one. */
static bool read_whole(const struct race *r, struct cell *c, uint32_t site, unsigned warp, uint32_t lanes)
{
    const struct order_glance *g = &r->glance[32 * warp];

    if (c->more || (c->warps[UPDATES] && c->latest >= g->block))
        return false;
    if (c->write.lanes && c->write.stamp >= g->block &&
        !(c->write.warp == warp && (c->write.stamp < g->warp || c->write.lanes == lanes)))
        return false;
    return read_alike(c, g, site, warp, lanes);
}

/* The word's cell, empty when nothing of this block is in it. */
static struct cell *cell_at(struct race *r, uint32_t word)
{
    struct cell *c = &r->cell[word];
    uint32_t first = order_first(r->order);

    if (r->first != first) { /* a new block: all nodes are free */
        r->first = first;
        r->nnodes = 1;
        r->spare = NONE;
    }
    if (c->first != first)
        *c = (struct cell){.first = first};
    return c;
}

/* The part of [address, address + bytes) that lies in a word: its bytes as bits. */
static unsigned part(uint32_t word, uint32_t address, uint32_t bytes)
{
    uint32_t from = address > 4 * word ? address - 4 * word : 0;
    uint32_t to = address + bytes < 4 * word + 4 ? address + bytes - 4 * word : 4;

    return ((1u << to) - 1) & ~((1u << from) - 1);
}

static uint32_t value_of(const struct race_access *a, uint32_t word)
{
    uint32_t value = 0;

    if (a->value && a->address <= 4 * word && a->address + a->bytes >= 4 * word + 4) {
        memcpy(&value, (const uint8_t *)a->value + (4 * word - a->address), sizeof value);
        return value;
    }
    for (uint32_t i = 0; a->value && i < 4; i++) {
        uint32_t at = 4 * word + i;

        if (at >= a->address && at < a->address + a->bytes)
            value |= (uint32_t)((const uint8_t *)a->value)[at - a->address] << 8 * i;
    }
    return value;
}

void race_access(struct race *r, const struct race_access *a)
{
    for (uint32_t word = a->address / 4; word < r->ncells && 4 * word < a->address + a->bytes; word++) {
        struct cell *c = cell_at(r, word);
        unsigned bytes = part(word, a->address, a->bytes);

        if (bytes == WHOLE && access_whole(r, c, word, a)) {
            if (a->flags & RACE_WRITES)
                c->value = value_of(a, word);
        } else {
            struct now n = {a, r->glance[a->thread].own, 4 * word, bytes, value_of(a, word)};

            access_nodes(r, c, &n, word);
        }
    }
}

/* All 32 lanes: is each `step` bytes behind the one before? */
static bool in_steps(const uint64_t *addr, unsigned step)
{
    uint64_t off = 0;

    for (unsigned i = 0; i < 32; i++)
        off |= addr[i] ^ (addr[0] + i * step);
    return !off;
}

/* Which lanes have the same address: for the first of each the set of them. Returns the first ones. */
static uint32_t group(const uint64_t *addr, uint32_t lanes, unsigned bytes, uint32_t same[32])
{
    uint8_t first[64] = {0}; /* by a hash of the address: lane + 1 */
    unsigned shift = (unsigned)__builtin_ctz(bytes);
    uint32_t firsts = 0;

    if (lanes == ~0u && addr[1] == addr[0] && in_steps(addr, 0)) {
        same[0] = lanes;
        return 1;
    }
    if (lanes == ~0u && addr[1] != addr[0] && in_steps(addr, bytes)) {
        for (unsigned i = 0; i < 32; i++)
            same[i] = 1u << i;
        return lanes;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctz(lanes), at = addr[i] >> shift & 63;

        while (first[at] && addr[first[at] - 1] != addr[i])
            at = (at + 1) & 63;
        if (first[at]) {
            same[first[at] - 1] |= 1u << i;
        } else {
            first[at] = (uint8_t)(i + 1);
            same[i] = 1u << i;
            firsts |= 1u << i;
        }
    }
    return firsts;
}

/* True when the lanes' reads of the words from `address` on are done, all of them. */
static bool read_words(struct race *r, uint32_t site, unsigned warp, uint32_t lanes, uint64_t address, unsigned bytes)
{
    bool done = true;

    if (address % 4 || bytes % 4 || address + bytes > 4 * (uint64_t)r->ncells)
        return false;
    for (uint32_t word = (uint32_t)address / 4; word < (address + bytes) / 4; word++)
        done &= read_whole(r, cell_at(r, word), site, warp, lanes);
    return done;
}

void race_reads(struct race *r, uint32_t site, unsigned warp, uint32_t lanes, const uint64_t *addr, unsigned bytes)
{
    bool uniform = warp < r->nwarps && order_uniform(r->order, warp);
    uint32_t same[32];

    for (uint32_t left = group(addr, lanes, bytes, same); left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        if (uniform && read_words(r, site, warp, same[i], addr[i], bytes))
            continue;
        for (uint32_t one = same[i]; one; one &= one - 1) {
            struct race_access a = {site, 32 * warp + (unsigned)__builtin_ctz(one), (uint32_t)addr[i], bytes, 0, NULL};

            race_access(r, &a);
        }
    }
}

static void land(struct seen *s, unsigned thread, uint32_t stamp)
{
    if (s->flags & RACE_ASYNC && s->lanes == 1u << thread % 32 && s->warp == thread / 32) {
        s->flags &= ~(unsigned)RACE_ASYNC;
        s->stamp = stamp;
    }
}

void race_copied(struct race *r, unsigned thread, uint32_t address, uint32_t bytes)
{
    uint32_t stamp = r->glance[thread].own;

    for (uint32_t word = address / 4; word < r->ncells && 4 * word < address + bytes; word++) {
        struct cell *c = cell_at(r, word);

        for (uint32_t at = c->more; at; at = r->node[at].next)
            land(&r->node[at].seen, thread, stamp);
        settle(r, c);
    }
}
