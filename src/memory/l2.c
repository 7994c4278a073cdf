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

enum { RECENT = 1024, SHARERS = 4, WAYS = 16, DIRTY_WAYS = 7, TEXTURE_WAYS = 8, PARTIAL_WAYS = 2, PARTS = 2, TIME_BUCKET = 64,
       COMING = 100 /* cycles */ };

struct line {
    uint64_t ready;   /* when sectors on their way have come */
    uint8_t valid, coming, dirty, partial; /* bits of sectors; partial: dirty, and not all bytes are there */
    bool persists;
    uint32_t byte[LINE_SECTORS]; /* of partial sectors: bytes that were written */
};

/* One half. */
struct part {
    uint64_t *tag;    /* [sets][WAYS]: line + 1, or 0 */
    uint32_t *stamp;
    struct line *line;
};

/* What an SM of a cluster asked for last: others who ask for the same sectors before the answer comes get it too, up to
 * SHARERS in all. */
struct recent {
    uint64_t line, time;
    uint8_t sectors, sharers; /* 0 sharers: empty */
};

struct l2 {
    uint32_t *asking;          /* [sms]: SMs whose queues are not empty */
    struct readonly *textures; /* apart from the rest; or NULL */
    struct recent *recent; /* [gpcs][RECENT] */
    struct caches_config c;
    uint32_t sets, now, nparts;
    uint32_t persisting_ways; /* of a set, at most */
    struct part part[PARTS];
    struct dram *dram;       /* or NULL */
    struct dram_asker asker; /* whose request is served */
};

/* --- queues --- */

void l2_queue_add(struct l2_queue *q, const struct l2_request *r, const uint32_t bytes[LINE_SECTORS])
{
    if (q->n == q->room) {
        q->room = q->room ? 2 * q->room : 256;
        q->v = alloc_resize(q->v, q->room * sizeof *q->v);
    }
    struct l2_request *to = &q->v[q->n++];
    *to = *r;
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
    alloc_release(q->order);
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
    l->asking = alloc_zeroed((size_t)c->sms * sizeof *l->asking);
    if (c->texture_l2_bytes)
        l->textures = readonly_new(c->texture_l2_bytes, 1u << LINE_SHIFT, TEXTURE_WAYS);
    for (uint32_t i = 0; i < l->nparts; i++) {
        size_t n = (size_t)l->sets * WAYS;
        l->part[i].tag = alloc_zeroed(n * sizeof *l->part[i].tag);
        l->part[i].stamp = alloc_zeroed(n * sizeof *l->part[i].stamp);
        l->part[i].line = alloc_zeroed(n * sizeof *l->part[i].line);
    }
    return l;
}

void l2_free(struct l2 *l)
{
    if (!l)
        return;
    readonly_free(l->textures);
    alloc_release(l->asking);
    dram_free(l->dram);
    alloc_release(l->recent);
    for (uint32_t i = 0; i < l->nparts; i++) {
        alloc_release(l->part[i].tag);
        alloc_release(l->part[i].stamp);
        alloc_release(l->part[i].line);
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

static void ask_dram(struct l2 *l, uint64_t line, unsigned sectors, bool write)
{
    if (l->dram && sectors)
        dram_access(l->dram, line, sectors, write, &l->asker);
}

/* Dirty sectors go to DRAM, and what their other bytes are is read first. */
static void clean(struct l2 *l, struct part *p, uint32_t place, struct counters *c)
{
    struct line *x = &p->line[place];
    ask_dram(l, p->tag[place] - 1, x->partial, false);
    ask_dram(l, p->tag[place] - 1, x->dirty, true);
    c->v[COUNTER_DRAM_WRITE_SECTORS] += lanes_count(x->dirty);
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(x->partial);
    x->valid |= x->partial;
    x->dirty = x->partial = 0;
}

/* A set has only so many dirty lines, and fewer of which sectors were written in part: the one that has been idle longest is
 * cleaned. */
static void keep_clean(struct l2 *l, struct part *p, uint32_t set, struct counters *c)
{
    uint32_t dirty = 0, partial = 0, old = 0, old_partial = 0;
    for (uint32_t i = set; i < set + WAYS; i++) {
        if (p->line[i].dirty)
            old = !dirty++ || p->stamp[i] < p->stamp[old] ? i : old;
        if (p->line[i].partial)
            old_partial = !partial++ || p->stamp[i] < p->stamp[old_partial] ? i : old_partial;
    }
    if (partial > PARTIAL_WAYS)
        clean(l, p, old_partial, c);
    else if (dirty > DIRTY_WAYS)
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

/* Makes `sectors` readable at home, from `time` on; returns when they are. *found: those that were.
 * asked: those of them that an SM of this half waits for; the others are not there for one before they have come. */
static uint64_t bring(struct l2 *l, uint64_t line, uint64_t hash, unsigned sectors, unsigned asked, uint64_t time,
                      unsigned *found, struct counters *c)
{
    struct part *p = &l->part[home_of(l, hash)];
    struct line *x = &p->line[place(l, p, line, hash, c)];
    if (x->ready <= time)
        x->coming = 0;
    unsigned missing = sectors & ~(unsigned)x->valid;
    *found = sectors & x->valid;
    if (!missing)
        return x->coming & sectors ? x->ready : time;
    unsigned more = fetched(l, missing) & ~(unsigned)x->valid;
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(fetched(l, missing));
    ask_dram(l, line, fetched(l, missing), false);
    x->valid |= (uint8_t)more;
    x->coming |= (uint8_t)(asked && hash >> 20 & 1 ? 0 : more & ~asked);
    missing = more;
    for (int s = 0; s < LINE_SECTORS; s++) /* what was written in part is whole now */
        if (missing >> s & 1)
            x->partial &= (uint8_t)~(1u << s);
    x->ready = time + COMING;
    return x->ready;
}

/* Is the request one with another that is under way? */
static bool is_shared(struct l2 *l, const struct l2_request *r, uint32_t gpc)
{
    if (!l->recent)
        return false;
    struct recent *x = &l->recent[(size_t)gpc * RECENT + (hash_of(r->line) >> 40) % RECENT];
    bool pending = x->sharers && x->line == r->line && r->time < x->time + l->c.coalesce_cycles;
    if (pending && x->sectors != r->sectors)
        return false;
    if (pending && x->sharers < SHARERS) {
        x->sharers++;
        return true;
    }
    *x = (struct recent){.line = r->line, .time = r->time, .sectors = r->sectors, .sharers = 1};
    return false;
}

static unsigned read(struct l2 *l, uint32_t near, const struct l2_request *r, struct counters *c)
{
    uint64_t hash = hash_of(r->line);
    uint32_t home = home_of(l, hash);
    struct part *p = &l->part[near];
    struct line *x = &p->line[place(l, p, r->line, hash, c)];
    if (x->ready <= r->time)
        x->coming = 0;
    unsigned hit = r->sectors & x->valid & ~(unsigned)x->coming, missing = r->sectors & ~(unsigned)x->valid;
    unsigned found;
    if (!missing)
        return hit;
    if (home == near) {
        bring(l, r->line, hash, missing, missing, r->time, &found, c);
        return hit;
    }
    c->v[COUNTER_L2_FABRIC_SECTORS] += lanes_count(missing);
    uint64_t ready = bring(l, r->line, hash, fetched(l, missing), 0, r->time, &found, c); /* later than a near request would be */
    c->v[COUNTER_L2_FABRIC_HIT] += lanes_count(found & missing);
    unsigned asked = missing;
    missing = fetched(l, missing);
    uint32_t at = place(l, p, r->line, hash, c); /* bring cannot evict here, but the compiler need not know */
    x = &p->line[at];
    x->valid |= (uint8_t)missing;
    x->coming |= (uint8_t)(missing & ~asked);
    x->ready = ready > x->ready ? ready : x->ready;
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
    struct line *x = &p->line[place(l, p, r->line, hash, c)];
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

/* Sectors that hit, with one more for each further operation. */
static unsigned atomic(struct l2 *l, uint32_t near, const struct l2_request *r, struct counters *c)
{
    uint64_t hash = hash_of(r->line);
    uint32_t home = home_of(l, hash);
    struct part *p = &l->part[home];
    struct line *x = &p->line[place(l, p, r->line, hash, c)];
    unsigned missing = r->sectors & ~(unsigned)x->valid, found;
    if (missing)
        bring(l, r->line, hash, missing, missing, r->time, &found, c);
    x->dirty |= r->sectors;
    if (home != near) {
        c->v[COUNTER_L2_FABRIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_FABRIC_HIT] += r->lanes - lanes_count(missing);
    }
    if (l->nparts > 1) { /* a copy elsewhere is old now */
        forget(l, !home, r);
    }
    return home != near ? r->lanes : r->lanes - lanes_count(missing);
}

/* No L2: what is asked is asked of DRAM, and what is written in part is masked there. */
static void pass_on(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    bool reads = r->op != L2_WRITE, writes = r->op == L2_WRITE || r->op == L2_ATOMIC;
    if (reads) {
        c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(r->sectors);
        ask_dram(l, r->line, r->sectors, false);
    }
    if (writes) {
        c->v[COUNTER_DRAM_WRITE_SECTORS] += lanes_count(r->sectors);
        ask_dram(l, r->line, r->sectors, true);
    }
}

/* A second level for textures alone stands before DRAM. */
static void read_texture(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    unsigned found = readonly_look(l->textures, r->line, r->sectors);
    c->v[COUNTER_L2_READ_SECTORS] += lanes_count(r->sectors);
    c->v[COUNTER_L2_READ_HIT] += lanes_count(found);
    c->v[COUNTER_DRAM_READ_SECTORS] += lanes_count(r->sectors & ~found);
    ask_dram(l, r->line, r->sectors & ~found, false);
}

static void serve(struct l2 *l, const struct l2_queue *q, const struct l2_request *r, uint32_t sm, struct counters *sites)
{
    struct counters *c = &sites[r->site];
    uint32_t gpc = caches_gpc(&l->c, sm), near = l->nparts > 1 ? gpc & 1 : 0;
    l->asker = (struct dram_asker){sites, r->site, r->time};
    if (!l->c.l2_bytes && !(l->textures && r->op == L2_TEXTURE)) {
        pass_on(l, r, c);
        return;
    }
    switch ((enum l2_op)r->op) {
    case L2_CONSTANT: /* not a request of an SM's L1: traffic of DRAM only */
        if (!is_shared(l, r, gpc))
            read(l, near, r, c);
        break;
    case L2_TEXTURE:
        if (l->textures) {
            read_texture(l, r, c);
            break;
        }
        /* fall through */
    case L2_READ:
        if (is_shared(l, r, gpc))
            break;
        c->v[COUNTER_L2_READ_SECTORS] += lanes_count(r->sectors);
        c->v[COUNTER_L2_READ_HIT] += (unsigned)__builtin_popcount(read(l, near, r, c));
        break;
    case L2_WRITE:
        c->v[COUNTER_L2_WRITE_SECTORS] += lanes_count(r->sectors);
        c->v[COUNTER_L2_WRITE_HIT] += (unsigned)__builtin_popcount(write(l, near, r, r->bytes ? q->bytes[r->bytes - 1] : NULL, c));
        break;
    case L2_ATOMIC:
        c->v[COUNTER_L2_ATOMIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_ATOMIC_HIT] += atomic(l, near, r, c);
        break;
    }
}

/* --- the order of serving --- */

/* A queue's requests by the bucket of their time, those of one bucket as they came; the last bucket is for later ones. */
static void sort(struct l2_queue *q, uint64_t first, uint64_t until)
{
    uint32_t at[L2_BUCKETS + 2] = {0};
    if (q->n > q->order_room || !q->order) {
        q->order_room = q->room ? q->room : 1;
        q->order = alloc_resize(q->order, q->order_room * sizeof *q->order);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < q->n; i++) {
            uint64_t time = q->v[i].time, bucket = time < first ? 0 : (time - first) / TIME_BUCKET;
            bucket = time >= until || bucket > L2_BUCKETS ? L2_BUCKETS : bucket;
            if (pass)
                q->order[at[bucket]++] = i;
            else
                at[bucket + 1]++;
        }
        for (uint32_t b = 0; b <= L2_BUCKETS && !pass; b++)
            at[b + 1] += at[b];
    }
    for (uint32_t b = 0; b < L2_BUCKETS; b++) /* where each ends */
        q->end[b] = at[b];
}

/* What has been served leaves the queue: all but the last bucket. */
static void close_up(struct l2_queue *q)
{
    uint32_t n = 0, bytes = 0, left = q->n - q->end[L2_BUCKETS - 1];
    const uint32_t *stays = q->order + q->end[L2_BUCKETS - 1]; /* ascending */
    for (; n < left; n++) {
        struct l2_request *r = &q->v[n];
        *r = q->v[stays[n]];
        if (r->bytes) {
            memmove(q->bytes[bytes++], q->bytes[r->bytes - 1], sizeof *q->bytes);
            r->bytes = bytes;
        }
    }
    q->n = n;
    q->nbytes = bytes;
}

void l2_serve(struct l2 *l, struct l2_queue *queues, uint32_t sms, uint64_t until, struct counters *sites)
{
    bool more;
    do {
        uint64_t first = UINT64_MAX, last = 0;
        uint32_t asking = 0;
        for (uint32_t i = 0; i < sms; i++) {
            if (queues[i].n)
                l->asking[asking++] = i;
            for (uint32_t n = 0; n < queues[i].n; n++) {
                first = queues[i].v[n].time < first ? queues[i].v[n].time : first;
                last = queues[i].v[n].time > last ? queues[i].v[n].time : last;
            }
        }
        if (first >= until)
            return;
        uint64_t end = first + L2_BUCKETS * TIME_BUCKET;
        more = end <= last && end < until;
        end = end < until ? end : until;
        for (uint32_t i = 0; i < asking; i++)
            sort(&queues[l->asking[i]], first, end);
        for (uint32_t b = 0; b < L2_BUCKETS; b++)
            for (uint32_t i = 0; i < asking; i++) {
                struct l2_queue *q = &queues[l->asking[i]];
                for (uint32_t n = b ? q->end[b - 1] : 0; n < q->end[b]; n++)
                    serve(l, q, &q->v[q->order[n]], l->asking[i], sites);
            }
        for (uint32_t i = 0; i < asking; i++)
            close_up(&queues[l->asking[i]]);
    } while (more);
}

void l2_finish(struct l2 *l, struct counters *sites, struct dram_stats *stats)
{
    *stats = (struct dram_stats){0};
    if (!l->dram)
        return;
    dram_finish(l->dram, sites);
    dram_stats_of(l->dram, stats);
}
