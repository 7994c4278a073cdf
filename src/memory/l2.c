/* L2 and the traffic of DRAM behind it.
 *
 * What is behind it (NVIDIA H200, 2026-11-20, tests/truth; parts after NVIDIA's A100 whitepaper, 2020, "L2 cache"):
 * - Two halves; an SM asks the near one. A line has its home in one of them; for a line of the far half the near one asks
 *   that, and keeps a copy (aat_tile: every sector that all SMs read misses twice, once in each half; pointer_chase: 24 MiB
 *   have the near half's latency). So a line of the far half takes two places: data that one SM each reads twice fit up to
 *   38 MiB, data that all read up to 30 (tests/truth/caches: own, all).
 * - Writes do not miss, and stay as dirty lines in their home, with a copy in the near half, until they are evicted or too
 *   many: beyond 26 MiB every byte reaches DRAM in the launch (tests/truth/caches: dirty; 7 of 16 ways). A sector of which only some bytes were written is read from DRAM
 *   before it is written back, and some 62,000 lines may be so (tests/truth/caches: partial; 2 of 16 ways).
 * - Atomics are done at home; passing through the near half counts as a hit (atomics red,shift=0: of 65,536 sectors seen for the
 *   first time 32,704 miss, and 98,176 are looked up in both halves).
 * - DRAM is read by 64 bytes, two sectors (copy_stride rd,stride=16: 33.5 MB of sectors, 67.1 MB from DRAM).
 * - Requests of the SMs of one GPC for the same sectors of a line, made within some 230 cycles, are one
 *   for L2, up to four (tests/truth/caches: share, again, row: 8 loads of one line by a warp are 2 requests; all 132 SMs in step
 *   are 34.8 for each sector; other sectors of the line do not take part).
 * - A sector that was asked for and is still on its way counts as a hit (cache_ops cg). One that only comes along with another
 *   does not, until it is there: 27 to 96 % of what could hit does (load_width char, copy_offset, same_address, texture2d).
 *   Here a sector that comes along is there at once in half of the lines, by their hash, and after 100 cycles in the others.
 * The address hash that chooses homes and sets is not known: a multiplicative hash stands for it. Replacement: least recently
 * used, our reading. */
#include "memory/caches.h"

#include <string.h>

#include "base/alloc.h"
#include "memory/lanes.h"

enum { RECENT = 4096, SHARERS = 4, WAYS = 16, DIRTY_WAYS = 7, TEXTURE_WAYS = 8, PARTIAL_WAYS = 2, PARTS = 2,
       COMING = 100, FABRIC = 80 /* cycles */, SHORT_WAY = 8 /* that a request is put in its place at once */ };

struct line {
    uint64_t ready;   /* when sectors on their way count as there */
    uint64_t there;   /* when they are */
    uint8_t valid, coming, dirty, partial; /* bits of sectors; partial: dirty, and not all bytes are there */
    bool persists;
    uint32_t byte[LINE_SECTORS]; /* of partial sectors: bytes that were written */
};

/* One half. */
struct part {
    uint64_t *tag;    /* [sets][WAYS]: line + 1, or 0 */
    uint32_t *stamp;
    struct line *line;
    uint16_t *dirty, *partial; /* [sets]: bits of ways whose lines are */
};

/* What an SM of a cluster asked for last: others who ask for the same sectors before the answer comes get it too, up to
 * SHARERS in all. */
struct recent {
    uint64_t line, time, ready; /* ready: when the answer is there */
    uint8_t sectors, sharers; /* 0 sharers: empty */
};

struct l2 {
    struct readonly *textures; /* apart from the rest; or NULL */
    struct recent *recent; /* [gpcs][RECENT] */
    uint8_t *gpc;          /* [sms] */
    struct caches_config c;
    uint32_t sets, now, nparts;
    uint64_t *slice, *channel; /* [slices], [channels]: when they are free, in 1/256 of a cycle */
    uint32_t persisting_ways; /* of a set, at most */
    struct part part[PARTS];
    struct dram *dram;       /* or NULL */
    struct dram_asker asker; /* whose request is served */
};

uint32_t caches_gpc(const struct caches_config *c, uint32_t sm)
{
    if (c->gpcs < 2)
        return 0;
    uint32_t t = sm / c->sms_per_tpc, tpcs = c->sms / c->sms_per_tpc, late = c->late_tpcs, all = late * c->gpcs;
    if (!late)
        return t % c->gpcs;
    if (t < all)
        return t % c->gpcs;
    if (t >= tpcs - late)
        return 0;
    uint32_t left = (tpcs - late - all) % (c->gpcs - 1), odd = tpcs - late - left;
    return t < odd ? 1 + (t - all) % (c->gpcs - 1) : c->gpcs - left + (t - odd);
}

/* --- queues --- */

void l2_queue_add(struct l2_queue *q, const struct l2_request *r, const uint32_t bytes[LINE_SECTORS])
{
    if (q->n == q->room) {
        q->room = q->room ? 2 * q->room : 256;
        q->v = alloc_resize(q->v, q->room * sizeof *q->v);
        q->sorted = alloc_resize(q->sorted, q->room * sizeof *q->sorted);
    }
    struct l2_request *first = &q->v[q->next], *to = &q->v[q->n++];
    for (int i = 0; i < SHORT_WAY && to > first && to[-1].time > r->time; i++, to--)
        *to = to[-1];
    q->mixed |= to > first && to[-1].time > r->time;
    *to = *r;
    if (r->waiter != L2_NOBODY)
        q->waiter[r->waiter].pending++;
    if (!bytes)
        return;
    if (q->nbytes == q->bytes_room) {
        q->bytes_room = q->bytes_room ? 2 * q->bytes_room : 64;
        q->bytes = alloc_resize(q->bytes, q->bytes_room * sizeof *q->bytes);
    }
    memcpy(q->bytes[q->nbytes++], bytes, sizeof *q->bytes);
    to->bytes = q->nbytes;
}

void l2_queue_release(struct l2_queue *q)
{
    alloc_release(q->v);
    alloc_release(q->sorted);
    alloc_release(q->bytes);
    *q = (struct l2_queue){0};
}

/* --- making one --- */

struct l2 *l2_new(const struct caches_config *c)
{
    struct l2 *l = alloc_zeroed(sizeof *l);
    uint64_t lines = c->l2_bytes >> LINE_SHIFT;
    l->c = *c;
    l->nparts = c->l2_parts > 1 ? PARTS : 1;
    l->sets = (uint32_t)(lines / l->nparts / WAYS);
    l->sets = l->sets ? l->sets : 1;
    if (c->window_bytes && c->l2_bytes)
        l->persisting_ways = (uint32_t)((c->persisting_bytes * WAYS + c->l2_bytes - 1) / c->l2_bytes);
    if (c->dram.channels)
        l->dram = dram_new(&c->dram);
    if (c->coalesce_cycles)
        l->recent = alloc_zeroed((size_t)c->gpcs * RECENT * sizeof *l->recent);
    if (c->texture_l2_bytes)
        l->textures = readonly_new(c->texture_l2_bytes, 1u << LINE_SHIFT, TEXTURE_WAYS);
    l->gpc = alloc_zeroed(c->sms);
    for (uint32_t i = 0; i < c->sms; i++)
        l->gpc[i] = (uint8_t)caches_gpc(c, i);
    if (c->l2_slice_cycles)
        l->slice = alloc_zeroed(c->l2_slices * sizeof *l->slice);
    if (c->dram_channel_cycles)
        l->channel = alloc_zeroed(c->dram_channels * sizeof *l->channel);
    for (uint32_t i = 0; i < l->nparts; i++) {
        size_t n = (size_t)l->sets * WAYS;
        l->part[i].tag = alloc_pages(n * sizeof *l->part[i].tag);
        l->part[i].stamp = alloc_pages(n * sizeof *l->part[i].stamp);
        l->part[i].line = alloc_pages(n * sizeof *l->part[i].line);
        l->part[i].dirty = alloc_zeroed(l->sets * sizeof *l->part[i].dirty);
        l->part[i].partial = alloc_zeroed(l->sets * sizeof *l->part[i].partial);
    }
    return l;
}

void l2_free(struct l2 *l)
{
    if (!l)
        return;
    readonly_free(l->textures);
    dram_free(l->dram);
    alloc_release(l->recent);
    alloc_release(l->gpc);
    alloc_release(l->slice);
    alloc_release(l->channel);
    for (uint32_t i = 0; i < l->nparts; i++) {
        size_t n = (size_t)l->sets * WAYS;
        alloc_pages_release(l->part[i].tag, n * sizeof *l->part[i].tag);
        alloc_pages_release(l->part[i].stamp, n * sizeof *l->part[i].stamp);
        alloc_pages_release(l->part[i].line, n * sizeof *l->part[i].line);
        alloc_release(l->part[i].dirty);
        alloc_release(l->part[i].partial);
    }
    alloc_release(l);
}

/* --- places --- */

static inline uint64_t hash_of(uint64_t line)
{
    line *= UINT64_C(0x9e3779b97f4a7c15);
    return line ^ line >> 29;
}

static inline uint32_t home_of(const struct l2 *l, uint64_t hash)
{
    return l->nparts > 1 ? (uint32_t)(hash >> 61) & 1 : 0;
}

static inline uint32_t set_of(const struct l2 *l, uint64_t line)
{
    return (uint32_t)((line + (line >> 11)) % l->sets) * WAYS; /* neighbours in neighbouring sets: all are filled alike */
}

static int find(const struct part *p, uint32_t set, uint64_t line)
{
    for (int i = 0; i < WAYS; i++)
        if (p->tag[set + (uint32_t)i] == line + 1)
            return i;
    return -1;
}

/* Persisting lines stay as long as there are other ones. */
static uint32_t victim(const struct l2 *l, const struct part *p, uint32_t set)
{
    int at = -1;
    for (int i = 0; i < WAYS; i++) {
        uint32_t place = set + (uint32_t)i;
        if (!p->tag[place])
            return place;
        if (l->persisting_ways && p->line[place].persists)
            continue;
        if (at < 0 || p->stamp[place] < p->stamp[set + (uint32_t)at])
            at = i;
    }
    return set + (uint32_t)(at < 0 ? 0 : at);
}

/* May one more line of the set persist? Else the one that has been idle longest makes place. */
static bool persists(const struct l2 *l, struct part *p, uint32_t set, uint64_t line, uint64_t hash)
{
    uint64_t at = line << LINE_SHIFT;
    if (!l->persisting_ways || at < l->c.window_first || at - l->c.window_first >= l->c.window_bytes)
        return false;
    if ((double)(hash >> 11 & 0xffff) >= (double)l->c.window_ratio * 65536)
        return false;
    uint32_t n = 0, old = 0;
    for (uint32_t i = set; i < set + WAYS; i++)
        if (p->tag[i] && p->line[i].persists) {
            old = !n || p->stamp[i] < p->stamp[old] ? i : old;
            n++;
        }
    if (n >= l->persisting_ways)
        p->line[old].persists = false;
    return true;
}

/* --- when --- */

/* One of `n` servers with so many 1/256 of a cycle of work: until when it is busy with it. */
static uint64_t busy(uint64_t *server, uint64_t time, uint64_t work)
{
    *server = (*server > time << 8 ? *server : time << 8) + work;
    return *server >> 8;
}

/* The slice has looked at these sectors. */
static uint64_t slice(struct l2 *l, uint64_t hash, unsigned sectors, uint64_t time)
{
    if (!l->slice)
        return time;
    return busy(&l->slice[(hash >> 32) % l->c.l2_slices], time, (uint64_t)lanes_count(sectors) * l->c.l2_slice_cycles);
}

/* DRAM reads or writes sectors of a line, if any: until when its channel is busy with that. Which channel that is does not matter
 * for this, and bytes are its only limit; what banks and rows make of it is counted apart (dram.h). */
static uint64_t ask_dram(struct l2 *l, uint64_t line, unsigned sectors, bool write, uint64_t time)
{
    unsigned units = l->c.dram_bytes < 64 ? lanes_count(sectors) : !!(sectors & 3) + (unsigned)!!(sectors & 12);
    if (l->dram && sectors)
        dram_access(l->dram, line, sectors, write, &l->asker);
    if (!l->channel || !sectors)
        return time;
    return busy(&l->channel[(hash_of(line) >> 24) % l->c.dram_channels], time, (uint64_t)units * l->c.dram_channel_cycles);
}

/* Cycles to L2 and back: some less, some more, as slices are near and far and others are before it. Without that all SMs would
 * stay in step for ever. */
static uint64_t way(const struct l2 *l, const struct l2_request *r, uint32_t sm)
{
    uint32_t lot = ((uint32_t)r->line * 2654435761u + sm * 40503u + (uint32_t)r->time * 69069u) >> 16;
    return (uint64_t)l->c.l2_latency * (96 + lot % 64) / 128;
}

/* The line has changed: is it dirty, or written in part? */
static void note(struct part *p, uint32_t place)
{
    uint16_t *dirty = &p->dirty[place / WAYS], *partial = &p->partial[place / WAYS];
    uint16_t bit = (uint16_t)(1u << place % WAYS);
    *dirty = (uint16_t)(p->line[place].dirty ? *dirty | bit : *dirty & ~bit);
    *partial = (uint16_t)(p->line[place].partial ? *partial | bit : *partial & ~bit);
}

/* Dirty sectors go to DRAM, and what their other bytes are is read first. */
static void clean(struct l2 *l, struct part *p, uint32_t place, struct counters *c)
{
    struct line *x = &p->line[place];
    ask_dram(l, p->tag[place] - 1, x->partial, false, l->asker.time);
    ask_dram(l, p->tag[place] - 1, x->dirty, true, l->asker.time);
    c->v[COUNTER_DRAM_WRITE_SECTORS] += lanes_count(x->dirty);
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(x->partial);
    x->valid |= x->partial;
    x->dirty = x->partial = 0;
    note(p, place);
}

/* A set has only so many dirty lines, and fewer of which sectors were written in part: the one that has been idle longest is
 * cleaned. */
static void keep_clean(struct l2 *l, struct part *p, uint32_t set, struct counters *c)
{
    uint32_t partial = p->partial[set / WAYS], dirty = p->dirty[set / WAYS];
    bool is_partial = lanes_count(partial) > PARTIAL_WAYS;
    uint32_t ways = is_partial ? partial : dirty, old = UINT32_MAX;
    if (!is_partial && lanes_count(dirty) <= DIRTY_WAYS)
        return;
    LANES_EACH(way, ways)
        old = old == UINT32_MAX || p->stamp[set + (uint32_t)way] < p->stamp[old] ? set + (uint32_t)way : old;
    clean(l, p, old, c);
}

/* The line's place in a part, made if need be. */
static uint32_t place(struct l2 *l, struct part *p, uint64_t line, uint64_t hash, struct counters *c)
{
    uint32_t set = set_of(l, line);
    int way = find(p, set, line);
    uint32_t at = set + (uint32_t)way;
    if (way < 0) {
        bool stays = persists(l, p, set, line, hash);
        at = victim(l, p, set);
        if (p->tag[at])
            clean(l, p, at, c);
        p->tag[at] = line + 1;
        p->line[at] = (struct line){.persists = stays};
        note(p, at);
    }
    p->stamp[at] = ++l->now;
    return at;
}

/* --- what is asked --- */

/* Sectors that DRAM brings along with these. */
static unsigned fetched(const struct l2 *l, unsigned sectors)
{
    if (l->c.dram_bytes < 64)
        return sectors;
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

/* Makes `sectors` readable at home, from `time` on. *found: those that were. *there: when all are. Returns when they count as there.
 * asked: those of them that an SM of this half waits for; the others do not count for one before they have come. */
static uint64_t bring(struct l2 *l, uint64_t line, uint64_t hash, unsigned sectors, unsigned asked, uint64_t time,
                      unsigned *found, uint64_t *there, struct counters *c)
{
    struct part *p = &l->part[home_of(l, hash)];
    uint32_t at = place(l, p, line, hash, c);
    struct line *x = &p->line[at];
    if (x->ready <= time)
        x->coming = 0;
    unsigned missing = sectors & ~(unsigned)x->valid;
    *found = sectors & x->valid;
    *there = x->there > time ? x->there : time;
    if (!missing)
        return x->coming & sectors ? x->ready : time;
    unsigned more = fetched(l, missing) & ~(unsigned)x->valid;
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(fetched(l, missing));
    uint64_t read = ask_dram(l, line, fetched(l, missing), false, time) + l->c.dram_latency;
    *there = x->there = read > x->there ? read : x->there;
    x->valid |= (uint8_t)more;
    x->coming |= (uint8_t)(asked && hash >> 20 & 1 ? 0 : more & ~asked);
    missing = more;
    for (int s = 0; s < LINE_SECTORS; s++) /* what was written in part is whole now */
        if (missing >> s & 1)
            x->partial &= (uint8_t)~(1u << s);
    note(p, at);
    x->ready = time + COMING;
    return x->ready;
}

/* The request that this one is one with, or NULL; it is kept then. */
static struct recent *shared(struct l2 *l, const struct l2_request *r, uint32_t gpc, bool *is)
{
    struct recent *x = &l->recent[(size_t)gpc * RECENT + (hash_of(r->line) >> 40) % RECENT];
    bool pending = x->sharers && x->line == r->line && r->time < x->time + l->c.coalesce_cycles;
    *is = pending && x->sectors == r->sectors && x->sharers < SHARERS;
    if (*is)
        x->sharers++;
    else if (pending && x->sectors != r->sectors)
        return NULL;
    else
        *x = (struct recent){.line = r->line, .time = r->time, .sectors = r->sectors, .sharers = 1};
    return x;
}

/* Returns sectors that hit. *there: when all are in this half. */
static unsigned read(struct l2 *l, uint32_t near, const struct l2_request *r, uint64_t *there, struct counters *c)
{
    uint64_t hash = hash_of(r->line), at = slice(l, hash, r->sectors, r->time);
    uint32_t home = home_of(l, hash);
    struct part *p = &l->part[near];
    struct line *x = &p->line[place(l, p, r->line, hash, c)];
    if (x->ready <= r->time)
        x->coming = 0;
    unsigned hit = r->sectors & x->valid & ~(unsigned)x->coming, missing = r->sectors & ~(unsigned)x->valid;
    unsigned found;
    *there = x->there > at ? x->there : at;
    if (!missing)
        return hit;
    if (home == near) {
        bring(l, r->line, hash, missing, missing, at, &found, there, c);
        return hit;
    }
    c->v[COUNTER_L2_FABRIC_SECTORS] += lanes_count(missing);
    uint64_t ready = bring(l, r->line, hash, fetched(l, missing), 0, at, &found, there, c); /* later than a near request would be */
    *there += FABRIC;
    c->v[COUNTER_L2_FABRIC_HIT] += lanes_count(found & missing);
    unsigned asked = missing;
    missing = fetched(l, missing);
    uint32_t to = place(l, p, r->line, hash, c); /* bring cannot evict here, but the compiler need not know */
    x = &p->line[to];
    x->valid |= (uint8_t)missing;
    x->coming |= (uint8_t)(missing & ~asked);
    x->ready = ready > x->ready ? ready : x->ready;
    x->there = *there > x->there ? *there : x->there;
    return hit;
}

/* A part's copy of what is written is old now. */
static void forget(struct l2 *l, uint32_t part, const struct l2_request *r)
{
    struct part *p = &l->part[part];
    uint32_t set = set_of(l, r->line);
    int way = find(p, set, r->line);
    if (way >= 0)
        p->line[set + (uint32_t)way].valid &= (uint8_t)~r->sectors;
}

static unsigned write(struct l2 *l, uint32_t near, const struct l2_request *r, const uint32_t *bytes, struct counters *c)
{
    uint64_t hash = hash_of(r->line);
    uint32_t home = home_of(l, hash);
    struct part *p = &l->part[home];
    uint32_t to = place(l, p, r->line, hash, c);
    struct line *x = &p->line[to];
    for (int s = 0; s < LINE_SECTORS; s++) {
        unsigned bit = 1u << s;
        if (!(r->sectors & bit))
            continue;
        bool had = x->dirty & x->partial & bit;
        x->dirty |= (uint8_t)bit;
        if (x->valid & bit && !had)
            continue;
        uint32_t now = (bytes ? bytes[s] : UINT32_MAX) | (had ? x->byte[s] : 0);
        x->byte[s] = now;
        x->partial = (uint8_t)(now == UINT32_MAX ? x->partial & ~bit : x->partial | bit);
        x->valid = (uint8_t)(now == UINT32_MAX ? x->valid | bit : x->valid & ~bit);
    }
    unsigned whole = r->sectors & x->valid;
    note(p, to);
    keep_clean(l, p, set_of(l, r->line), c);
    if (l->nparts > 1 && home != near) { /* the near half has a copy, which goes before others */
        struct part *q = &l->part[near];
        c->v[COUNTER_L2_FABRIC_SECTORS] += lanes_count(r->sectors);
        c->v[COUNTER_L2_FABRIC_HIT] += lanes_count(r->sectors);
        uint32_t at = place(l, q, r->line, hash, c);
        q->line[at].valid |= (uint8_t)whole;
        q->stamp[at] = 0;
    } else if (l->nparts > 1) { /* and a copy in the far half is old now */
        forget(l, !near, r);
    }
    return r->sectors;
}

/* Sectors that hit, with one more for each further operation. *there: when the old values are in this half. */
static unsigned atomic(struct l2 *l, uint32_t near, const struct l2_request *r, uint64_t *there, struct counters *c)
{
    uint64_t hash = hash_of(r->line), at = slice(l, hash, r->sectors, r->time);
    uint32_t home = home_of(l, hash);
    struct part *p = &l->part[home];
    uint32_t to = place(l, p, r->line, hash, c);
    struct line *x = &p->line[to];
    unsigned missing = r->sectors & ~(unsigned)x->valid, found;
    *there = x->there > at ? x->there : at;
    if (missing)
        bring(l, r->line, hash, missing, missing, at, &found, there, c);
    x->dirty |= r->sectors;
    note(p, to);
    if (home != near) {
        *there += FABRIC;
        c->v[COUNTER_L2_FABRIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_FABRIC_HIT] += r->lanes - lanes_count(missing);
    }
    if (l->nparts > 1) { /* a copy elsewhere is old now */
        forget(l, !home, r);
    }
    return home != near ? r->lanes : r->lanes - lanes_count(missing);
}

/* No L2: what is asked is asked of DRAM, and what is written in part is masked there. */
static uint64_t pass_on(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    uint64_t until = r->time;
    bool reads = r->op != L2_WRITE, writes = r->op == L2_WRITE || r->op == L2_ATOMIC;
    if (reads) {
        c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(r->sectors);
        until = ask_dram(l, r->line, r->sectors, false, r->time);
    }
    if (writes) {
        c->v[COUNTER_DRAM_WRITE_SECTORS] += lanes_count(r->sectors);
        until = ask_dram(l, r->line, r->sectors, true, r->time);
    }
    return until;
}

/* A second level for textures alone stands before DRAM. */
static void read_texture(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    unsigned found = readonly_look(l->textures, r->line, r->sectors);
    c->v[COUNTER_L2_READ_SECTORS] += lanes_count(r->sectors);
    c->v[COUNTER_L2_READ_HIT] += lanes_count(found);
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(r->sectors & ~found);
    ask_dram(l, r->line, r->sectors & ~found, false, r->time);
}

/* Returns when the SM has its answer; of a write, when it has been told. */
static uint64_t serve(struct l2 *l, const struct l2_queue *q, const struct l2_request *r, uint32_t sm, struct counters *sites)
{
    struct counters *c = &sites[r->site];
    uint32_t gpc = l->gpc[sm], near = l->nparts > 1 ? gpc & 1 : 0;
    struct recent *other = NULL;
    uint64_t there = r->time;
    bool is_shared = false;
    l->asker = (struct dram_asker){sites, r->site, r->time};
    if (r->op == L2_JOIN)
        return q->fill[r->fill];
    if (!l->c.l2_bytes && !(l->textures && r->op == L2_TEXTURE))
        return pass_on(l, r, c) + way(l, r, sm);
    if ((r->op == L2_READ || r->op == L2_CONSTANT || (r->op == L2_TEXTURE && !l->textures)) && l->recent &&
        (other = shared(l, r, gpc, &is_shared)) && is_shared)
        return other->ready;
    switch ((enum l2_op)r->op) {
    case L2_JOIN:
        break;
    case L2_CONSTANT: /* not a request of an SM's L1: traffic of DRAM only */
        read(l, near, r, &there, c);
        break;
    case L2_TEXTURE:
        if (l->textures) {
            read_texture(l, r, c);
            break;
        }
        /* fall through */
    case L2_READ:
        c->v[COUNTER_L2_READ_SECTORS] += lanes_count(r->sectors);
        c->v[COUNTER_L2_READ_HIT] += lanes_count(read(l, near, r, &there, c));
        break;
    case L2_WRITE:
        c->v[COUNTER_L2_WRITE_SECTORS] += lanes_count(r->sectors);
        c->v[COUNTER_L2_WRITE_HIT] += lanes_count(write(l, near, r, r->bytes ? q->bytes[r->bytes - 1] : NULL, c));
        return there;
    case L2_ATOMIC:
        c->v[COUNTER_L2_ATOMIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_ATOMIC_HIT] += atomic(l, near, r, &there, c);
        break;
    }
    there += way(l, r, sm);
    if (other)
        other->ready = there;
    return there;
}

/* --- the order of serving --- */

/* Merges runs of `run` requests until there is one. */
static void sort(struct l2_queue *q)
{
    uint32_t n = q->n - q->next;
    struct l2_request *from = q->v + q->next, *to = q->sorted + q->next;
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t at = 0; at < n; at += 2 * run) {
            uint32_t a = at, a_end = at + run < n ? at + run : n, b = a_end, b_end = a_end + run < n ? a_end + run : n;
            for (uint32_t i = at; i < b_end; i++)
                to[i] = a < a_end && (b == b_end || from[a].time <= from[b].time) ? from[a++] : from[b++];
        }
        struct l2_request *other = from;
        from = to;
        to = other;
    }
    if (from != q->v + q->next)
        memcpy(to, from, n * sizeof *to);
    q->mixed = false;
}

/* What has been served leaves the queue. */
static void close_up(struct l2_queue *q)
{
    enum { FEW = 64 };
    uint32_t left = q->n - q->next, masks[FEW][LINE_SECTORS], n = 0;
    if (!q->next)
        return;
    memmove(q->v, q->v + q->next, left * sizeof *q->v);
    q->n = left;
    q->next = 0;
    for (uint32_t i = 0; i < left; i++)
        n += q->v[i].bytes != 0;
    if (n > FEW) /* another time */
        return;
    n = 0;
    for (uint32_t i = 0; i < left; i++)
        if (q->v[i].bytes) {
            memcpy(masks[n++], q->bytes[q->v[i].bytes - 1], sizeof masks[0]);
            q->v[i].bytes = n;
        }
    if (n)
        memcpy(q->bytes, masks, n * sizeof masks[0]);
    q->nbytes = n;
}

static uint64_t first_time(const struct l2_queue *queues, uint32_t sms)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < sms; i++)
        if (queues[i].next < queues[i].n && queues[i].v[queues[i].next].time < first)
            first = queues[i].v[queues[i].next].time;
    return first;
}

static void serve_queue(struct l2 *l, struct l2_queue *q, uint32_t sm, uint64_t until, struct counters *sites)
{
    while (q->next < q->n && q->v[q->next].time < until) {
        struct l2_request r = q->v[q->next++];
        uint64_t ready = serve(l, q, &r, sm, sites);
        if (r.op != L2_JOIN && r.fill != L2_NOWHERE)
            q->fill[r.fill] = ready;
        if (r.waiter == L2_NOBODY)
            continue;
        struct l2_waiter *w = &q->waiter[r.waiter];
        w->pending--;
        if (r.op == L2_JOIN && ready == L2_COMING) { /* a line that came in the place of another one was asked for later */
            r.time += L2_STEP;
            l2_queue_add(q, &r, NULL);
            if (q->mixed)
                sort(q);
            continue;
        }
        w->ready = ready > w->ready ? ready : w->ready;
    }
}

/* The host fetches what the requests before `until` will look at: there is more of L2 than its caches hold. */
static void look_ahead(const struct l2 *l, const struct l2_queue *q, uint64_t until)
{
    for (uint32_t i = q->next; i < q->n && q->v[i].time < until && l->c.l2_bytes; i++) {
        uint32_t set = set_of(l, q->v[i].line);
        if (q->v[i].op == L2_JOIN)
            continue;
        for (uint32_t p = 0; p < l->nparts; p++) {
            __builtin_prefetch(&l->part[p].tag[set]);
            __builtin_prefetch(&l->part[p].tag[set + WAYS / 2]);
            __builtin_prefetch(&l->part[p].stamp[set]);
        }
    }
}

void l2_serve(struct l2 *l, struct l2_queue *queues, uint32_t sms, uint64_t until, struct counters *sites)
{
    for (uint32_t i = 0; i < sms; i++) {
        if (queues[i].mixed)
            sort(&queues[i]);
        look_ahead(l, &queues[i], until);
    }
    for (uint64_t at = first_time(queues, sms); at < until; at = first_time(queues, sms)) {
        uint64_t end = at - at % L2_STEP + L2_STEP;
        end = end < until ? end : until;
        for (uint32_t i = 0; i < sms; i++)
            serve_queue(l, &queues[i], i, end, sites);
    }
    for (uint32_t i = 0; i < sms; i++)
        close_up(&queues[i]);
}

void l2_finish(struct l2 *l, struct counters *sites, struct dram_stats *stats)
{
    *stats = (struct dram_stats){0};
    if (!l->dram)
        return;
    dram_finish(l->dram, sites);
    dram_stats_of(l->dram, stats);
}
