/* Races: the accesses of each word that a later one could race with. */
#include "check/race.h"

#include <string.h>

#include "base/alloc.h"

enum { INLINE = 2, NONE = 0 };

/* Accesses of lanes of one warp by one instruction, in one segment. */
struct seen {
    uint32_t stamp;
    uint32_t lanes; /* 0: free */
    uint32_t warp;
    uint32_t site : 24, bytes : 4, flags : 4; /* bytes: which of the word's */
};

/* One word. What it holds counts if it is of this block. */
struct cell {
    struct seen seen[INLINE];
    uint32_t more;  /* index of a node, or NONE */
    uint32_t value; /* what was written last */
    uint32_t first; /* order_first of the block it is of */
};

struct node {
    struct seen seen;
    uint32_t next;
};

struct race {
    const struct order *order;
    void (*found)(void *user, const struct race_found *f);
    void *user;
    struct cell *cell;
    uint32_t ncells;
    struct node *node; /* [0] is not used */
    uint32_t nnodes, capacity, spare;
    uint32_t first; /* order_first of the block the nodes are of */
};

struct race *race_new(uint32_t bytes, const struct order *o, void (*found)(void *user, const struct race_found *f),
                      void *user)
{
    struct race *r = alloc_zeroed(sizeof *r);

    *r = (struct race){.order = o, .found = found, .user = user, .ncells = (bytes + 3) / 4, .nnodes = 1};
    r->cell = alloc_zeroed((r->ncells + 1) * sizeof *r->cell);
    return r;
}

void race_free(struct race *r)
{
    if (!r)
        return;
    alloc_release(r->cell);
    alloc_release(r->node);
    alloc_release(r);
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

static void keep(struct race *r, struct cell *c, const struct now *n)
{
    struct seen entry = {n->stamp, 1u << n->a->thread % 32, n->a->thread / 32, n->a->site, n->bytes, n->a->flags};
    uint32_t at;

    for (int i = 0; i < INLINE; i++)
        if (!c->seen[i].lanes) {
            c->seen[i] = entry;
            return;
        }
    at = take_node(r);
    r->node[at] = (struct node){entry, c->more};
    c->more = at;
}

static void access_word(struct race *r, struct cell *c, const struct now *n)
{
    bool joined = false;

    for (int i = 0; i < INLINE; i++)
        if (c->seen[i].lanes)
            meet(r, c, n, &c->seen[i], &joined);
    for (uint32_t *link = &c->more; *link;) {
        struct node *node = &r->node[*link];

        meet(r, c, n, &node->seen, &joined);
        if (node->seen.lanes)
            link = &node->next;
        else
            drop_node(r, link);
    }
    if (!joined)
        keep(r, c, n);
    if (n->a->flags & RACE_WRITES)
        c->value = (c->value & ~byte_mask(n->bytes)) | n->value;
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
        struct now n = {a, order_stamp(r->order, a->thread), 4 * word, part(word, a->address, a->bytes), value_of(a, word)};

        access_word(r, cell_at(r, word), &n);
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
    uint32_t stamp = order_stamp(r->order, thread);

    for (uint32_t word = address / 4; word < r->ncells && 4 * word < address + bytes; word++) {
        struct cell *c = cell_at(r, word);

        for (int i = 0; i < INLINE; i++)
            if (c->seen[i].lanes)
                land(&c->seen[i], thread, stamp);
        for (uint32_t at = c->more; at; at = r->node[at].next)
            land(&r->node[at].seen, thread, stamp);
    }
}
