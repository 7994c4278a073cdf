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
 * - Requests for the same sectors of a line that SMs of one GPC make before the data for the first of them leave L2 are one for it,
 *   up to four (tests/truth/caches: groups). Of a hit that is some 55 cycles, of a miss what DRAM takes, and more where the GPC's port is
 *   busy, which all of them pass once: sixteen SMs that read the same get 1164 to 1222 bytes a cycle through a port of 646, with 0.595 requests
 *   for each (tests/truth/caches: together). A request for other
 *   sectors of the line, by any GPC of that half, ends this: those after it are on their own, and nobody joins it. At random, 71 %
 *   join where nobody asks for other sectors of a line (75 are what four to one allows), of the 64 sectors of 16 lines 10 % with
 *   one GPC and 2.6 % with all.
 * - A sector that was asked for and is still on its way counts as a hit (cache_ops cg). One that only comes along with another
 *   does not, until it is there: 27 to 96 % of what could hit does (load_width char, copy_offset, same_address, texture2d).
 *   Here a sector that comes along is there at once in half of the lines, by their hash, and after 100 cycles in the others.
 * The address hash that chooses homes and sets is not known: a multiplicative hash stands for it. Replacement: least recently
 * used, our reading. */
#include "memory/caches.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pages.h"
#include "base/team.h"
#include "memory/l2_kept.h"
#include "memory/l2_sets.h"
#include "memory/rates.h"

#define FETCHES inline __attribute__((always_inline)) /* gcc takes a call of what only fetches for one without effect */

enum { GROUPS = 16384, SHARER_BITS = 4 /* for 16 GPCs */, TEXTURE_WAYS = 8,
       AHEAD = 16 /* requests whose lines the host fetches */, NEARER = 8 /* and what these tell */, SHORT_WAY = 8 /* that a request is put in its place at once */ };

/* Requests for the same sectors of a line that a half has not answered yet. */
struct group {
    uint64_t line;           /* above 8 bits; below: the sectors */
    uint64_t sharers;        /* SHARER_BITS for each GPC: how many are one request; 0: other sectors were asked for since */
    uint32_t time;           /* low halves of times (ways.h): of the first */
    uint32_t there, until;   /* its data are there; nobody joins any more (0: not known yet, but not before coalesce_cycles after the first) */
    uint32_t first;          /* 1 + turn of the first, as long as these are not known */
};

/* What the half of a line does with its place for a turn, for when its data are there. */
struct turn_place {
    uint8_t part, way;
    bool fresh;     /* another line had it */
};

/* What a request waits for at L2, and how its SM has the answer. */
enum { NOTHING, LOOK_UP, PAST_L2 };
enum { AT_ONCE, BY_PORTS /* and the way */, OF_L1 /* which knows */ };

/* A request among those of a step: the time in it, in cycles. */
struct asked {
    uint32_t sm, request, time;
};

/* A request in its turn: what it is, then, stage by stage, what comes of it. */
struct turn {
    uint32_t sm, request;
    uint8_t gpc;         /* of the SM */
    bool sends;          /* it passes ports on its way to L2 */
    uint8_t wants, how;
    uint64_t at;         /* it has come to L2; then: the slice is done with it */
    uint64_t chained;    /* and so is its chain (rates.h) */
    uint64_t open;       /* until when others can be one with it: its data wait for the port */
    uint64_t there;      /* L2 has what it asked for, or is done with it */
    uint32_t who, since; /* BY_PORTS: for `way` */
    uint32_t joins;      /* 1 + turn of the one that it is one with and that was not answered then; 0: there is none */
    struct group *begins; /* or NULL */
    uint32_t set;        /* number */
    uint32_t slice;
    struct turn_place near, home; /* near: of a write the copy */
    bool misses, crosses; /* DRAM reads what it asks for; it is done in the other half */
    uint32_t op, nops;   /* of DRAM, in the order of asking */
};

/* What a turn asks of DRAM. */
struct dram_op {
    uint64_t line, time, done;
    struct dram_place at;
    uint32_t channel;    /* rates_channel_of */
    uint32_t turn;       /* where threads serve together */
    uint8_t sectors;
    uint8_t kind;        /* enum dram_kind */
};

/* Stages of a turn that have servers, sets or groups of their own for each of several threads. */
enum { BY_GROUP /* or chain */, BY_SLICE, BY_SET, KEYS };

/* Threads that serve a slice together. */
struct members {
    struct team *team;
    uint32_t n, nsites;
    struct member *member;   /* [n] */
    uint8_t *key[KEYS];      /* [room] of each turn: whose it is */
    uint32_t room;
    struct l2_queue *queues; /* what is served now */
    uint32_t nturns, first, end, before; /* turns; those of this window, of the one before: `before` to `first` */
};

struct l2 {
    struct readonly *textures; /* apart from the rest; or NULL */
    struct group *groups;  /* [PARTS][GROUPS], by a line's hash; or NULL */
    struct asked *asked;   /* [turns] */
    struct turn *in_turn;  /* [turns] */
    uint32_t turns;
    struct dram_op *op;    /* [op_room], of a turn or, where threads serve together, of a window */
    uint32_t nops, op_room;
    struct turn *now;      /* whose request is served, */
    uint32_t number;       /* and, where threads serve together, its number */
    uint32_t *asking, nasking; /* [sms] SMs whose queues have requests, by number */
    uint8_t *gpc;          /* [sms] */
    struct caches_config c;
    uint32_t nparts;
    struct divisor sets;
    struct rates *rates;
    uint64_t done;           /* l2_done */
    uint64_t bus[2];         /* 1/256 cycles: when the host's memory can be read again, and written */
    uint32_t persisting_ways, dirty_ways, partial_ways; /* of a set, at most */
    struct part part[PARTS];
    uint8_t launch;          /* of sets (l2_sets.h) */
    struct pages pages;      /* of groups, turns and textures */
    struct dram *dram;       /* or NULL */
    struct dram_asker asker; /* whose request is served */
    struct members members;  /* n 0: one thread */
};

/* One of these threads: L2 as it has it, with counters, operations of DRAM and so on of its own. */
struct member {
    struct l2 l;
    struct counters *sites;    /* [nsites] its own; NULL: the launch's */
    uint32_t *turn, n, room;   /* turns of SMs in its GPCs */
    uint32_t back;             /* those before it have passed the ports of these */
    uint32_t *list, nlist, list_room; /* turns of a stage */
    uint32_t *cursor;          /* [n members] */
} __attribute__((aligned(128)));

uint32_t caches_gpc(const struct caches_config *c, uint32_t sm)
{
    if (c->gpcs < 2)
        return 0;
    uint32_t t = sm / c->sms_per_tpc, tpcs = c->sms / c->sms_per_tpc, late = c->late_tpcs, all = late * c->gpcs;
    if (!late || t < all)
        return t % c->gpcs;
    if (t >= tpcs - late)
        return 0;
    uint32_t left = (tpcs - late - all) % (c->gpcs - 1), odd = tpcs - late - left;
    return t < odd ? 1 + (t - all) % (c->gpcs - 1) : c->gpcs - left + (t - odd);
}

/* --- stores on their way --- */

static uint32_t packets(const struct l2_request *r)
{
    return r->op == L2_ATOMIC ? r->lanes : 1;
}

/* What the request is among, or NULL: somebody waits for its answer. */
static struct l2_flight *flight_of(struct l2_queue *q, const struct l2_request *r)
{
    return r->waiter != L2_NOBODY ? NULL : r->op == L2_WRITE ? &q->stores : r->op == L2_ATOMIC ? &q->reductions : NULL;
}

/* Most come after all others, or nearly so. */
static void flight_add(struct l2_flight *f, uint64_t done, uint32_t packets)
{
    enum { LEAST = 256 };
    const uint64_t new = done << L2_PACKETS | packets;
    if (f->n == f->room && f->first > f->n / 2) {
        memmove(f->flier, f->flier + f->first, (f->n - f->first) * sizeof *f->flier);
        f->n -= f->first;
        f->first = 0;
    } else if (f->n == f->room) {
        f->room = f->room ? 2 * f->room : LEAST;
        f->flier = alloc_resize(f->flier, f->room * sizeof *f->flier);
    }
    uint32_t at = f->n++;
    for (; at > f->first && f->flier[at - 1] > new; at--)
        f->flier[at] = f->flier[at - 1];
    f->flier[at] = new;
}

uint64_t l2_room(struct l2_flight *f, uint32_t most, uint64_t time)
{
    for (; f->first < f->n && f->flier[f->first] >> L2_PACKETS <= time; f->first++)
        f->packets -= f->flier[f->first] & ((1u << L2_PACKETS) - 1);
    if (!most || f->packets < most)
        return time;
    return f->first < f->n ? f->flier[f->first] >> L2_PACKETS : time + L2_STEP; /* L2 has not said when the first is done */
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
    struct l2_flight *flight = flight_of(q, r);
    if (flight)
        flight->packets += packets(r);
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
    alloc_release(q->stores.flier);
    alloc_release(q->reductions.flier);
    alloc_release(q->told);
    *q = (struct l2_queue){0};
}

/* --- making one --- */

static void find_kept(struct l2 *l);

struct l2 *l2_new(const struct caches_config *c)
{
    struct l2 *l = alloc_zeroed(sizeof *l);
    l->c = *c;
    l->nparts = c->l2_parts > 1 ? PARTS : 1;
    l->sets = sets_of(c->l2_bytes, l->nparts);
    if (c->window_bytes && c->l2_bytes)
        l->persisting_ways = (uint32_t)((c->persisting_bytes * WAYS + c->l2_bytes - 1) / c->l2_bytes);
    l->dirty_ways = ways_of_share(c->dirty_share);
    l->partial_ways = ways_of_share(c->partial_share);
    if (c->dram.channels)
        l->dram = dram_new(&c->dram);
    if (c->coalesce_cycles)
        l->groups = pages_take(&l->pages, (size_t)PARTS * GROUPS * sizeof *l->groups);
    if (c->texture_l2_bytes)
        l->textures = readonly_new(c->texture_l2_bytes, 1u << LINE_SHIFT, TEXTURE_WAYS, &l->pages);
    l->gpc = alloc_zeroed(c->sms);
    l->asking = alloc_zeroed(c->sms * sizeof *l->asking);
    for (uint32_t i = 0; i < c->sms; i++)
        l->gpc[i] = (uint8_t)caches_gpc(c, i);
    l->rates = rates_new(&l->c);
    if (c->kept) {
        find_kept(l);
    } else if (!parts_take(l->part, l->nparts, l->sets, &l->launch)) {
        parts_close(l->part, l->nparts, l->sets);
        memset(l->part, 0, sizeof l->part);
        l2_free(l);
        return NULL;
    }
    return l;
}

void l2_share(struct l2 *l, struct team *team, uint32_t members, uint32_t nsites)
{
    struct members *m = &l->members;
    if (l->dram)
        dram_share(l->dram, members);
    *m = (struct members){.team = team, .n = members, .nsites = nsites, .member = alloc_aligned(128, members * sizeof *m->member)};
    for (uint32_t i = 0; i < members; i++) {
        m->member[i].l = *l;
        m->member[i].l.members = (struct members){0};
        m->member[i].sites = i ? alloc_zeroed(nsites * sizeof *m->member[i].sites) : NULL;
        m->member[i].l.asker.sites = m->member[i].sites;
        m->member[i].cursor = alloc_zeroed(members * sizeof *m->member[i].cursor);
    }
}

static void members_free(struct members *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        alloc_release(m->member[i].sites);
        alloc_release(m->member[i].turn);
        alloc_release(m->member[i].list);
        alloc_release(m->member[i].cursor);
        alloc_release(m->member[i].l.op);
    }
    for (int i = 0; i < KEYS; i++)
        alloc_release(m->key[i]);
    alloc_release(m->member);
}

void l2_free(struct l2 *l)
{
    if (!l)
        return;
    members_free(&l->members);
    dram_free(l->dram);
    pages_release(&l->pages);
    alloc_release(l->op);
    alloc_release(l->gpc);
    alloc_release(l->asking);
    rates_free(l->rates);
    if (!l->c.kept && l->part[0].set)
        parts_give(l->part, l->nparts, l->sets, l->launch);
    alloc_release(l);
}

/* --- places --- */

/* The half that an SM asks. */
static inline uint32_t near_of(const struct l2 *l, uint32_t sm)
{
    return l->nparts > 1 ? l->gpc[sm] & 1 : 0;
}

static inline struct group *group_of(const struct l2 *l, uint64_t line, uint32_t near)
{
    return &l->groups[(size_t)near * GROUPS + (lines_hash(line) >> 40) % GROUPS];
}

static inline uint32_t home_of(const struct l2 *l, uint64_t hash)
{
    return l2_home(l->nparts, hash);
}

static inline uint32_t set_of(const struct l2 *l, uint64_t line, uint64_t *tag)
{
    return l2_set(l->sets, line, tag);
}

static inline struct set *set_at(const struct l2 *l, uint32_t part, uint32_t number)
{
    struct set *s = &l->part[part].set[number];
    if (s->launch != l->launch)
        set_empty(s, l->launch);
    return s;
}

static inline uint64_t line_of(const struct l2 *l, struct place p)
{
    return l2_line(l->sets, p);
}

/* May one more line of the set persist? Else the one that has been idle longest makes place. */
static bool persists(const struct l2 *l, struct set *s, uint64_t line, uint64_t hash)
{
    uint64_t at = line << LINE_SHIFT;
    if (!l->persisting_ways || at < l->c.window_first || at - l->c.window_first >= l->c.window_bytes)
        return false;
    if ((double)(hash >> 11 & 0xffff) >= (double)l->c.window_ratio * 65536)
        return false;
    if (lanes_count(s->persists) >= l->persisting_ways)
        s->persists &= (uint16_t)~(1u << oldest(s, s->persists));
    return true;
}

/* What launches before this one have left. Lines of the window that are among it persist, too, as far as there is room. */
static void find_kept(struct l2 *l)
{
    l2_kept_begin(l->c.kept);
    for (uint32_t i = 0; i < l->nparts; i++) {
        l->part[i] = *l2_kept_part(l->c.kept, i);
        for (uint32_t n = 0; n < l->sets.by && l->persisting_ways; n++) {
            struct set *s = &l->part[i].set[n];
            for (unsigned way = 0; way < WAYS && lanes_count(s->persists) < l->persisting_ways; way++) {
                const uint64_t line = line_of(l, (struct place){s, way, n});
                if (s->valid[way] && !(s->persists >> way & 1) && persists(l, s, line, lines_hash(line)))
                    s->persists |= (uint16_t)(1u << way);
            }
        }
    }
}

/* Sectors on their way count as there once their time has come. */
static inline void arrive(struct place p, uint64_t now)
{
    if (coming(p) && ways_later(p.set->times[p.way].ready, now) <= now)
        set_valid(p, valid(p), 0);
}

/* --- when --- */

/* DRAM is to read or write sectors of a line, if any. */
static void ask_dram(struct l2 *l, uint64_t line, unsigned sectors, enum dram_kind kind, uint64_t time)
{
    if (!sectors)
        return;
    if (l->nops == l->op_room) {
        l->op_room = 2 * l->op_room + 16;
        l->op = alloc_resize(l->op, l->op_room * sizeof *l->op);
    }
    struct dram_op *op = &l->op[l->nops++];
    op->turn = l->number;
    op->time = time;
    op->channel = rates_channel_of(l->rates, line);
    op->line = line;
    op->sectors = (uint8_t)sectors;
    op->kind = (uint8_t)kind;
    if (l->dram)
        op->at = dram_place_of(l->dram, line);
    l->now->nops++;
}

/* It does: until when its channel is busy with that. */
static inline void time_dram(const struct l2 *l, struct dram_op *op, uint64_t now)
{
    op->done = rates_dram(l->rates, op->channel, op->line, lines_count(op->sectors), op->kind, now, op->time);
}

/* How long the line's bank is not to be had then: banks are refreshed one after the other. */
static uint64_t refreshed(const struct l2 *l, uint64_t hash, uint64_t time)
{
    if (!l->c.dram_wait)
        return 0;
    const uint64_t at = (time + (hash >> 8 & 0xffff)) % l->c.dram_wait_every;
    return at < l->c.dram_wait ? l->c.dram_wait - at : 0;
}

/* Cycles to L2 and back: some less, some more, as slices are near and far and others are before it. Without that all SMs would
 * stay in step for ever. `who`, `time`: whose request it is, and when. */
static uint64_t way(const struct l2 *l, uint64_t line, uint32_t who, uint32_t time)
{
    uint32_t lot = ((uint32_t)line * 2654435761u + who * 40503u + time * 69069u) >> 16;
    const uint32_t apart = l->c.way_apart, part = CACHES_WAY - apart + (apart ? lot % (2 * apart) : 0);
    return (uint64_t)l->c.l2_latency * part / CACHES_WAY;
}

/* Dirty sectors go to DRAM, and what their other bytes are is read first. */
static void clean(struct l2 *l, struct place p, struct counters *c)
{
    uint64_t line = line_of(l, p);
    ask_dram(l, line, partial(p), DRAM_FILL, l->asker.time);
    ask_dram(l, line, dirty(p), DRAM_WRITE, l->asker.time);
    c->v[COUNTER_DRAM_WRITE_SECTORS] += lines_count(dirty(p));
    c->v[COUNTER_DRAM_READ_SECTORS] += lines_count(partial(p));
    set_valid(p, valid(p) | partial(p), coming(p));
    set_dirt(p, 0, 0);
}

/* A set has only so many dirty lines, and fewer of which sectors were written in part: the one that has been idle longest is
 * cleaned. */
static void keep_clean(struct l2 *l, struct place p, struct counters *c)
{
    bool is_partial = lanes_count(p.set->partial) > l->partial_ways;
    if (!is_partial && lanes_count(p.set->dirty) <= l->dirty_ways)
        return;
    p.way = oldest(p.set, is_partial ? p.set->partial : p.set->dirty);
    clean(l, p, c);
}

/* The line's place in a part, made if need be. *keep: where that is. */
static struct place place(struct l2 *l, uint32_t part, uint64_t line, uint64_t hash, struct turn_place *keep, struct counters *c)
{
    uint64_t tag;
    uint32_t number = set_of(l, line, &tag);
    struct set *s = set_at(l, part, number);
    int way = find(s, tag);
    struct place p = {s, (unsigned)way, number};
    if (way < 0) {
        bool stays = persists(l, s, line, hash);
        p.way = victim(s);
        if (p.way == s->taken)
            s->taken++;
        else if (dirty(p))
            clean(l, p, c);
        s->tag[p.way] = (uint32_t)tag;
        s->high[p.way] = (uint8_t)(tag >> 32);
        s->persists = (uint16_t)((s->persists & ~(1u << p.way)) | (unsigned)stays << p.way);
        s->times[p.way].ready = (uint32_t)l->asker.time;
        set_valid(p, 0, 0);
    }
    s->order = ways_use(s->order, p.way);
    *keep = (struct turn_place){(uint8_t)part, (uint8_t)p.way, way < 0};
    l->now->set = number;
    return p;
}

/* --- what is asked --- */

/* Sectors that DRAM brings along with these. */
static unsigned fetched(const struct l2 *l, unsigned sectors)
{
    if (l->c.dram_bytes < 64)
        return sectors;
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

/* Makes `sectors` readable at home, in place p, from `time` on. *found: those that were. Returns when they count as there.
 * asked: those of them that an SM of this half waits for; the others do not count for one before they have come. */
static uint64_t bring(struct l2 *l, struct place p, uint64_t line, uint64_t hash, unsigned sectors, unsigned asked, uint64_t time,
                      unsigned *found, struct counters *c)
{
    uint32_t *ready = &p.set->times[p.way].ready;
    arrive(p, time);
    unsigned missing = sectors & ~valid(p);
    *found = sectors & valid(p);
    if (!missing)
        return coming(p) & sectors ? ways_later(*ready, time) : time;
    unsigned all = fetched(l, missing), more = all & ~valid(p);
    c->v[COUNTER_DRAM_READ_SECTORS] += lines_count(all);
    ask_dram(l, line, all, DRAM_READ, time);
    l->now->misses = true;
    set_valid(p, valid(p) | more, coming(p) | (asked && hash >> 20 & 1 ? 0 : more & ~asked));
    set_dirt(p, dirty(p), partial(p) & ~more); /* what was written in part is whole now */
    *ready = (uint32_t)(time + l->c.pair_cycles);
    return time + l->c.pair_cycles;
}

/* What DRAM reads is there, in this half. */
static uint64_t read_by(const struct l2 *l, uint64_t line, const struct dram_op *op)
{
    const uint64_t read = op->done + l->c.dram_latency;
    return read + refreshed(l, lines_hash(line), read);
}

static inline uint32_t *there_of(const struct l2 *l, const struct turn *t, const struct turn_place *p)
{
    return &l->part[p->part].set[t->set].times[p->way].there;
}

/* When what the turn asked for is there, after what is said of its places. */
static uint64_t there_for(const struct l2 *l, const struct l2_request *r, struct turn *t, const struct dram_op *last)
{
    uint32_t *home = there_of(l, t, &t->home), *near = there_of(l, t, &t->near);
    uint64_t there = ways_later(*home, t->at);
    if (t->misses) {
        const uint64_t read = read_by(l, r->line, last);
        there = read > there ? read : there;
        *home = (uint32_t)there;
    }
    if (!t->crosses)
        return there;
    there += l->c.link_cycles;
    if (r->op != L2_ATOMIC)
        *near = (uint32_t)ways_later(*near, there);
    return there;
}

/* Is the request one with an earlier one? *group: the one that it belongs to or begins (`time`: now), else NULL. */
static bool joins(struct l2 *l, const struct l2_request *r, uint32_t gpc, uint32_t near, struct group **group)
{
    struct group *g = group_of(l, r->line, near);
    uint32_t shift = gpc * SHARER_BITS, n;
    bool open = g->line >> 8 == r->line && g->sharers && (!g->until || (int32_t)((uint32_t)r->time - g->until) < 0);
    *group = g;
    if (!open) {
        *g = (struct group){.line = r->line << 8 | r->sectors, .sharers = UINT64_C(1) << shift, .time = (uint32_t)r->time};
        l->now->begins = g;
        return false;
    }
    if ((g->line & SECTORS) != r->sectors) { /* that ends it */
        g->sharers = 0;
        *group = NULL;
        return false;
    }
    n = g->sharers >> shift & ((1 << SHARER_BITS) - 1);
    bool is = n && n < l->c.join_requests;
    g->sharers += (is || !n ? UINT64_C(1) : UINT64_C(1) - n) << shift; /* 1 again if there were as many as can be */
    return is;
}

/* Returns sectors that hit. */
static unsigned read(struct l2 *l, uint32_t near, const struct l2_request *r, struct counters *c)
{
    struct turn *t = l->now;
    uint64_t hash = lines_hash(r->line), at = t->at;
    uint32_t home = home_of(l, hash);
    struct place p = place(l, near, r->line, hash, &t->near, c);
    arrive(p, r->time);
    unsigned hit = r->sectors & valid(p) & ~coming(p), missing = r->sectors & ~valid(p);
    unsigned found;
    t->home = t->near;
    if (!missing)
        return hit;
    if (home == near) {
        bring(l, p, r->line, hash, missing, missing, at, &found, c);
        return hit;
    }
    c->v[COUNTER_L2_FABRIC_SECTORS] += lines_count(missing);
    unsigned all = fetched(l, missing);
    struct place far = place(l, home, r->line, hash, &t->home, c);
    uint64_t ready = bring(l, far, r->line, hash, all, 0, at, &found, c); /* later than a near request would be */
    t->crosses = true;
    c->v[COUNTER_L2_FABRIC_HIT] += lines_count(found & missing);
    set_valid(p, valid(p) | all, coming(p) | (all & ~missing));
    uint32_t *comes = &p.set->times[p.way].ready;
    *comes = (uint32_t)ways_later(*comes, ready);
    return hit;
}

/* A part's copy of what is written is old now. */
static void forget(struct l2 *l, uint32_t part, const struct l2_request *r)
{
    uint64_t tag;
    struct set *s = &l->part[part].set[set_of(l, r->line, &tag)];
    int way = find(s, tag);
    if (way >= 0 && s->launch == l->launch)
        s->valid[way] &= (uint8_t)~r->sectors;
}

static unsigned write(struct l2 *l, uint32_t near, const struct l2_request *r, const uint32_t *bytes, struct counters *c)
{
    uint64_t hash = lines_hash(r->line);
    uint32_t home = home_of(l, hash);
    struct place p = place(l, home, r->line, hash, &l->now->home, c);
    uint32_t *byte = l->part[home].byte[p.number * WAYS + p.way];
    unsigned is_valid = valid(p), is_partial = partial(p), had_dirt = dirty(p);
    for (int s = 0; s < LINE_SECTORS; s++) {
        unsigned bit = 1u << s;
        if (!(r->sectors & bit))
            continue;
        bool had = had_dirt & is_partial & bit;
        if (is_valid & bit && !had)
            continue;
        uint32_t now = bytes ? bytes[s] | (had ? byte[s] : 0) : UINT32_MAX;
        if (now != UINT32_MAX)
            byte[s] = now;
        is_partial = now == UINT32_MAX ? is_partial & ~bit : is_partial | bit;
        is_valid = now == UINT32_MAX ? is_valid | bit : is_valid & ~bit;
    }
    set_valid(p, is_valid, coming(p));
    set_dirt(p, had_dirt | r->sectors, is_partial);
    keep_clean(l, p, c);
    if (l->nparts > 1 && home != near) { /* the near half has a copy, which goes before others */
        unsigned whole = r->sectors & is_valid;
        c->v[COUNTER_L2_FABRIC_SECTORS] += lines_count(r->sectors);
        c->v[COUNTER_L2_FABRIC_HIT] += lines_count(r->sectors);
        struct place q = place(l, near, r->line, hash, &l->now->near, c);
        set_valid(q, valid(q) | whole, coming(q));
        q.set->order = ways_last(q.set->order, WAYS, q.way);
    } else if (l->nparts > 1) { /* and a copy in the far half is old now */
        forget(l, !near, r);
    }
    return r->sectors;
}

/* Sectors that hit, with one more for each further operation. */
static unsigned atomic(struct l2 *l, uint32_t near, const struct l2_request *r, struct counters *c)
{
    uint64_t hash = lines_hash(r->line);
    uint32_t home = home_of(l, hash);
    struct place p = place(l, home, r->line, hash, &l->now->home, c);
    unsigned missing = r->sectors & ~valid(p), found;
    if (missing)
        bring(l, p, r->line, hash, missing, missing, l->now->at, &found, c);
    set_dirt(p, dirty(p) | r->sectors, partial(p));
    if (home != near) {
        l->now->crosses = true;
        c->v[COUNTER_L2_FABRIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_FABRIC_HIT] += r->lanes - lines_count(missing);
    }
    if (l->nparts > 1) { /* a copy elsewhere is old now */
        forget(l, !home, r);
    }
    return home != near ? r->lanes : r->lanes - lines_count(missing);
}

/* No L2: what is asked is asked of DRAM, and what is written in part is masked there. */
static void pass_on(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    bool reads = r->op != L2_WRITE, writes = r->op == L2_WRITE || r->op == L2_ATOMIC;
    if (reads) {
        c->v[COUNTER_DRAM_READ_SECTORS] += lines_count(r->sectors);
        ask_dram(l, r->line, r->sectors, DRAM_READ, r->time);
    }
    if (writes) {
        c->v[COUNTER_DRAM_WRITE_SECTORS] += lines_count(r->sectors);
        ask_dram(l, r->line, r->sectors, DRAM_WRITE, r->time);
    }
}

/* A second level for textures alone stands before DRAM. */
static void read_texture(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    unsigned found = readonly_look(l->textures, r->line, r->sectors);
    c->v[COUNTER_L2_READ_SECTORS] += lines_count(r->sectors);
    c->v[COUNTER_L2_READ_HIT] += lines_count(found);
    c->v[COUNTER_DRAM_READ_SECTORS] += lines_count(r->sectors & ~found);
    ask_dram(l, r->line, r->sectors & ~found, DRAM_READ, r->time);
}

/* Memory of another device: its L2 and DRAM are not this launch's. */
static inline bool is_peers(const struct l2 *l, uint64_t line)
{
    uint64_t at = line << LINE_SHIFT;
    return at - l->c.own_first >= l->c.own_bytes && at - l->c.devices_first < l->c.devices_bytes;
}

/* Over the link between the devices, whose time is not modelled: the answer comes as from DRAM. */
static uint64_t ask_peer(const struct l2 *l, const struct l2_request *r, struct counters *c)
{
    bool writes = r->op == L2_WRITE || r->op == L2_ATOMIC;
    c->v[writes ? COUNTER_PEER_WRITE_SECTORS : COUNTER_PEER_READ_SECTORS] += r->op == L2_ATOMIC ? r->lanes : lines_count(r->sectors);
    return r->time + (writes && r->op != L2_ATOMIC ? 0 : l->c.l2_latency + l->c.dram_latency);
}

static inline bool is_hosts(const struct l2 *l, uint64_t line)
{
    return (line << LINE_SHIFT) - l->c.host_first < l->c.host_bytes;
}

/* Over the bus. Atomics go there and back. */
static uint64_t ask_host(struct l2 *l, const struct l2_request *r, struct counters *c)
{
    const bool writes = r->op == L2_WRITE || r->op == L2_ATOMIC;
    const uint64_t sectors = r->op == L2_ATOMIC ? r->lanes : lines_count(r->sectors), now = r->time << 8;
    uint64_t *free = &l->bus[writes];
    c->v[writes ? COUNTER_HOST_WRITE_SECTORS : COUNTER_HOST_READ_SECTORS] += sectors;
    *free = (*free > now ? *free : now) + sectors * (writes ? l->c.host_write_cycles : l->c.host_read_cycles);
    l->done = *free >> 8 > l->done ? *free >> 8 : l->done;
    return (*free >> 8) + (r->op == L2_WRITE ? 0 : l->c.host_latency);
}

/* --- stages of a turn --- */

/* Does the request pass the ports of its SM and GPC on its way to L2? */
static inline bool sends(const struct l2 *l, const struct l2_request *r)
{
    return (r->op == L2_WRITE || r->op == L2_ATOMIC) && l->c.l2_bytes && !is_peers(l, r->line) && !is_hosts(l, r->line);
}

static inline bool has_textures(const struct l2 *l, const struct l2_request *r)
{
    return r->op == L2_TEXTURE && l->textures;
}

static inline bool groups(const struct l2 *l, const struct l2_request *r)
{
    return l->groups && (r->op == L2_READ || r->op == L2_CONSTANT || r->op == L2_TEXTURE);
}

static void answer_by_ports(struct turn *t, uint32_t who, uint32_t since)
{
    t->how = BY_PORTS;
    t->who = who;
    t->since = since;
}

/* The request comes to L2, where it may be one with an earlier one, or has to wait for others. number: of the turn. */
static void come(struct l2 *l, const struct l2_request *r, struct turn *t, uint32_t number)
{
    struct counters *c = &l->asker.sites[r->site];
    struct group *group = NULL;
    l->now = t;
    t->how = r->op == L2_JOIN ? OF_L1 : AT_ONCE;
    if (r->op == L2_JOIN)
        return;
    if (is_peers(l, r->line)) {
        t->there = ask_peer(l, r, c);
        return;
    }
    if (is_hosts(l, r->line)) {
        t->there = ask_host(l, r, c);
        return;
    }
    if (!l->c.l2_bytes || has_textures(l, r)) {
        t->wants = PAST_L2;
        if (has_textures(l, r))
            answer_by_ports(t, t->sm, (uint32_t)r->time);
        return;
    }
    if (t->sends) {
        t->wants = LOOK_UP;
        t->at = rates_chain(l->rates, r, t->at, &t->chained);
        if (r->op == L2_ATOMIC && r->atomic & L2_ATOMIC_ANSWERS)
            answer_by_ports(t, t->sm, (uint32_t)r->time);
        return;
    }
    t->at = r->time;
    const bool joined = groups(l, r) && joins(l, r, t->gpc, near_of(l, t->sm), &group);
    answer_by_ports(t, group ? t->gpc : t->sm, group ? group->time : (uint32_t)r->time);
    if (!joined) {
        t->wants = LOOK_UP;
        if (t->begins)
            t->begins->first = 1 + number;
        return;
    }
    c->v[COUNTER_L2_JOINED_SECTORS] += lines_count(r->sectors);
    if (group->until)
        t->there = ways_later(group->there, r->time);
    else
        t->joins = group->first;
}

/* Its slice does what it has to. */
static inline void pass_slice(const struct l2 *l, const struct l2_request *r, struct turn *t)
{
    if (t->wants != LOOK_UP)
        return;
    const uint64_t done = rates_slice(l->rates, r, t->slice, t->at);
    t->at = done > t->chained ? done : t->chained;
}

/* What L2 has of it, and what it asks DRAM for. */
static void look_up(struct l2 *l, const struct l2_queue *q, const struct l2_request *r, struct turn *t)
{
    struct counters *c = &l->asker.sites[r->site];
    const uint32_t near = near_of(l, t->sm);
    if (t->wants == NOTHING)
        return;
    l->now = t;
    l->asker.site = r->site;
    l->asker.time = r->time;
    t->op = l->nops;
    if (t->wants == PAST_L2) {
        if (has_textures(l, r))
            read_texture(l, r, c);
        else
            pass_on(l, r, c);
        return;
    }
    switch ((enum l2_op)r->op) {
    case L2_JOIN: /* asks nothing of L2 */
        break;
    case L2_CONSTANT: /* not a request of an SM's L1: traffic of DRAM only */
        read(l, near, r, c);
        break;
    case L2_TEXTURE:
    case L2_READ:
        c->v[COUNTER_L2_READ_SECTORS] += lines_count(r->sectors);
        c->v[COUNTER_L2_READ_HIT] += lines_count(read(l, near, r, c));
        break;
    case L2_WRITE:
        c->v[COUNTER_L2_WRITE_SECTORS] += lines_count(r->sectors);
        c->v[COUNTER_L2_WRITE_HIT] += lines_count(write(l, near, r, r->bytes ? q->bytes[r->bytes - 1] : NULL, c));
        break;
    case L2_ATOMIC:
        c->v[COUNTER_L2_ATOMIC_SECTORS] += r->lanes;
        c->v[COUNTER_L2_ATOMIC_HIT] += atomic(l, near, r, c);
        break;
    }
}

/* L2 is done with a store: the slice has it, and so has DRAM what had to go for it, but for what can wait in between. */
static uint64_t stored(struct l2 *l, const struct turn *t, const struct dram_op *op, uint64_t at)
{
    for (uint32_t i = 0; i < t->nops; i++)
        if (op[i].kind == DRAM_WRITE && op[i].done > at + l->c.dram_latency)
            at = op[i].done - l->c.dram_latency;
    l->done = at > l->done ? at : l->done;
    return at;
}

/* When all of it is there; of a store, when L2 is done with it. op: what it has asked DRAM for, which is known now. */
static void settle(struct l2 *l, const struct l2_request *r, struct turn *t, const struct dram_op *op)
{
    if (t->wants == PAST_L2) {
        const bool textures = has_textures(l, r);
        t->there = t->nops && !textures ? op[t->nops - 1].done : r->time;
        t->there += textures ? 0 : way(l, r->line, t->sm, (uint32_t)r->time);
        return;
    }
    if (t->near.fresh)
        *there_of(l, t, &t->near) = (uint32_t)r->time;
    if (t->home.fresh)
        *there_of(l, t, &t->home) = (uint32_t)r->time;
    t->there = r->op == L2_WRITE ? t->at : there_for(l, r, t, op + (t->nops ? t->nops - 1 : 0));
    if (t->how != BY_PORTS)
        t->there = stored(l, t, op, t->there);
    else if (r->op == L2_ATOMIC)
        t->there += l->c.atomic_latency;
}

/* What L2 has of it passes the port of the GPC, once for all that are one request. Those that come while it waits for that are, too; how much can
 * wait so is limited, and what has to wait longer does it on its way to L2. */
static inline void pass_back(const struct l2 *l, const struct l2_request *r, struct turn *t)
{
    const uint64_t at = t->there;
    if (t->how == BY_PORTS && t->wants != NOTHING)
        t->there = rates_return(l->rates, t->gpc, r, at);
    t->open = t->there < at + l->c.join_wait_cycles ? t->there : at + l->c.join_wait_cycles;
}

/* What it began is known for those who come later. number: of the turn. */
static inline void close_group(const struct l2 *l, const struct l2_request *r, const struct turn *t, uint32_t number)
{
    struct group *g = t->begins;
    if (!g || g->first != 1 + number) /* or others have its place */
        return;
    const uint64_t until = r->time + l->c.coalesce_cycles;
    g->there = (uint32_t)t->there;
    g->until = (uint32_t)(t->open > until ? t->open : until) | 1; /* not 0 */
    g->first = 0;
}

/* When the SM has its answer. turns: all of these. */
static inline uint64_t answer(const struct l2 *l, const struct l2_queue *q, const struct l2_request *r, const struct turn *t, const struct turn *turns)
{
    if (t->how == AT_ONCE)
        return t->there;
    if (t->how == OF_L1)
        return l1_comes(q->l1, r->line, r->time);
    const uint64_t there = t->joins ? ways_later((uint32_t)turns[t->joins - 1].there, r->time) : t->there;
    return rates_answer(l->rates, t->sm, r, there) + way(l, r->line, t->who, t->since);
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

static uint64_t first_time(const struct l2 *l, const struct l2_queue *queues)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < l->nasking; i++) {
        const struct l2_queue *q = &queues[l->asking[i]];
        if (q->next < q->n && q->v[q->next].time < first)
            first = q->v[q->next].time;
    }
    return first;
}

static void tell(struct l2_queue *q, uint32_t waiter)
{
    if (q->ntold == q->told_room) {
        q->told_room = q->told_room ? 2 * q->told_room : 64;
        q->told = alloc_resize(q->told, q->told_room * sizeof *q->told);
    }
    q->told[q->ntold++] = waiter;
}

/* The SM hears of it. */
static void answer_turn(const struct l2 *l, struct l2_queue *queues, const struct turn *t, const struct turn *turns)
{
    struct l2_queue *q = &queues[t->sm];
    const struct l2_request *r = &q->v[t->request];
    uint64_t ready = answer(l, q, r, t, turns);
    if (r->op != L2_JOIN && r->fill != L2_NOWHERE)
        l1_told(q->l1, r->fill, ready);
    if (r->waiter == L2_NOBODY) {
        struct l2_flight *flight = flight_of(q, r);
        if (!flight)
            return;
        flight_add(flight, ready, packets(r));
        const uint64_t seen = ready + (l->nparts > 1 && home_of(l, lines_hash(r->line)) != near_of(l, t->sm) ? l->c.link_cycles : 0);
        flight->last = seen > flight->last ? seen : flight->last;
        return;
    }
    struct l2_waiter *w = &q->waiter[r->waiter];
    w->ready = ready > w->ready ? ready : w->ready;
    q->answered = ready > q->answered ? ready : q->answered;
    if (--w->pending)
        return;
    tell(q, r->waiter);
    q->accesses++;
    q->waited += w->ready - r->time;
}

/* The host fetches what the request's answer will change. */
static FETCHES void look_back(const struct l2_queue *queues, const struct turn *t)
{
    const struct l2_queue *q = &queues[t->sm];
    const struct l2_request *r = &q->v[t->request];
    if (r->fill != L2_NOWHERE)
        l1_fetch(q->l1, r->fill);
    if (r->waiter != L2_NOBODY)
        __builtin_prefetch(&q->waiter[r->waiter]);
}

static FETCHES void fetch_set(const struct set *s)
{
    __builtin_prefetch(s, 1);
    __builtin_prefetch(&s->order, 1);
}

/* The host fetches what the request will look at: there is more of L2 than its caches hold. First what is known of its sets ... */
static FETCHES void look_ahead(const struct l2 *l, const struct l2_queue *queues, const struct turn *t)
{
    const struct l2_request *r = &queues[t->sm].v[t->request];
    if (r->op == L2_JOIN || !l->c.l2_bytes)
        return;
    uint64_t tag;
    const uint32_t number = set_of(l, r->line, &tag), near = near_of(l, t->sm);
    if (!t->sends) {
        if (l->groups)
            __builtin_prefetch(group_of(l, r->line, near), 1);
        fetch_set(&l->part[near].set[number]);
        return;
    }
    const uint32_t home = home_of(l, lines_hash(r->line));
    fetch_set(&l->part[home].set[number]);
    if (home != near)
        fetch_set(&l->part[near].set[number]);
    else if (l->nparts > 1) /* only whether it has the line */
        __builtin_prefetch(&l->part[!near].set[number]);
}

/* ... then, once that is there, of the line's way; and of the other half, where it will be asked for a line. */
static FETCHES void look_closer(const struct l2 *l, const struct l2_queue *queues, const struct turn *t)
{
    const struct l2_request *r = &queues[t->sm].v[t->request];
    if (r->op == L2_JOIN || !l->c.l2_bytes)
        return;
    uint64_t tag;
    const uint32_t number = set_of(l, r->line, &tag), home = home_of(l, lines_hash(r->line)), first = t->sends ? home : near_of(l, t->sm);
    const struct part *part = &l->part[first];
    const struct set *s = &part->set[number];
    const int found = s->launch == l->launch ? find(s, tag) : -1;
    const unsigned way = found >= 0 ? (unsigned)found : s->launch == l->launch ? victim(s) : 0;
    if (first != home && (found < 0 || r->sectors & ~s->valid[way]))
        fetch_set(&l->part[home].set[number]);
    if (found < 0 || r->op != L2_WRITE)
        __builtin_prefetch(&s->times[way], 1);
    if (r->op == L2_WRITE && r->bytes)
        __builtin_prefetch(part->byte[number * WAYS + way], 1);
}

static void more_turns(struct l2 *l, uint32_t have, uint32_t asked)
{
    enum { LEAST = 2048 };
    l->turns = l->turns ? 2 * l->turns : LEAST;
    struct asked *more_asked = pages_take(&l->pages, l->turns * sizeof *l->asked);
    struct turn *more = pages_take(&l->pages, l->turns * sizeof *l->in_turn);
    if (asked)
        memcpy(more_asked, l->asked, asked * sizeof *l->asked);
    if (have)
        memcpy(more, l->in_turn, have * sizeof *l->in_turn);
    l->asked = more_asked;
    l->in_turn = more;
}

/* What all queues have from before `end`, which is at most L2_STEP cycles after `at`, behind the first `have` of l->in_turn: by time, then SM,
 * then the order of adding. Returns how many there are then. */
static uint32_t take_turns(struct l2 *l, struct l2_queue *queues, uint64_t at, uint64_t end, uint32_t have)
{
    uint32_t n = 0, first[L2_STEP + 1] = {0};
    for (uint32_t k = 0; k < l->nasking; k++) {
        const uint32_t i = l->asking[k];
        struct l2_queue *q = &queues[i];
        for (; q->next < q->n && q->v[q->next].time < end; q->next++) {
            uint64_t time = q->v[q->next].time;
            if (have + n == l->turns)
                more_turns(l, have, n);
            l->asked[n] = (struct asked){i, q->next, time > at ? (uint32_t)(time - at) : 0};
            first[l->asked[n++].time + 1]++;
        }
    }
    for (uint32_t i = 1; i < L2_STEP; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < n; i++) {
        const struct asked *a = &l->asked[i];
        l->in_turn[have + first[a->time]++] = (struct turn){.sm = a->sm, .request = a->request, .gpc = l->gpc[a->sm], .sends = sends(l, &queues[a->sm].v[a->request])};
    }
    return have + n;
}

/* All stages of one turn but the last. */
static void serve_turn(struct l2 *l, const struct l2_queue *queues, struct turn *t, uint32_t number)
{
    const struct l2_queue *q = &queues[t->sm];
    const struct l2_request *r = &q->v[t->request];
    if (t->sends)
        t->at = rates_send(l->rates, t->sm, t->gpc, r);
    come(l, r, t, number);
    if (t->wants == NOTHING)
        return;
    pass_slice(l, r, t);
    l->nops = 0;
    look_up(l, q, r, t);
    for (uint32_t i = 0; i < l->nops; i++) {
        time_dram(l, &l->op[i], r->time);
        if (l->dram)
            dram_access(l->dram, &l->op[i].at, l->op[i].sectors, l->op[i].kind == DRAM_WRITE, &l->asker);
    }
    settle(l, r, t, l->op);
    pass_back(l, r, t);
    close_group(l, r, t, number);
}

/* Which slice has the turn, and what is known of when that is free. */
static void find_slice(const struct l2 *l, const struct l2_queue *queues, struct turn *t)
{
    const struct l2_request *r = &queues[t->sm].v[t->request];
    t->slice = rates_slice_of(l->rates, r);
    rates_fetch(l->rates, t->slice, t->sm, r);
}

/* One thread does all of some requests. */
static void serve_alone(struct l2 *l, struct l2_queue *queues, struct turn *turns, uint32_t n)
{
    for (uint32_t i = 0; i < n + AHEAD; i++) {
        if (i < n) {
            look_back(queues, &turns[i]);
            find_slice(l, queues, &turns[i]);
            look_ahead(l, queues, &turns[i]);
        }
        if (i >= AHEAD - NEARER && i < n + AHEAD - NEARER)
            look_closer(l, queues, &turns[i - (AHEAD - NEARER)]);
        if (i < AHEAD)
            continue;
        serve_turn(l, queues, &turns[i - AHEAD], i - AHEAD);
        answer_turn(l, queues, &turns[i - AHEAD], turns);
    }
}

/* --- by several threads --- */

static inline const struct l2_request *request_of(const struct members *ms, const struct turn *t)
{
    return &ms->queues[t->sm].v[t->request];
}

/* A member's turns of a stage, of those of the window. */
static void own_turns(struct members *ms, struct member *m, int stage)
{
    const uint8_t number = (uint8_t)(m - ms->member), *key = ms->key[stage];
    m->nlist = 0;
    for (uint32_t i = ms->first; i < ms->end; i++) {
        if (key[i] != number)
            continue;
        ALLOC_GROW(m->list, m->nlist, m->list_room);
        m->list[m->nlist++] = i;
    }
}

/* What a request's first stage at L2 has in common with others: a group, a chain or the bus to the host. */
static uint32_t first_key(const struct l2 *l, const struct l2_request *r, const struct turn *t)
{
    if (is_hosts(l, r->line))
        return 0;
    if (groups(l, r))
        return (uint32_t)(group_of(l, r->line, near_of(l, t->sm)) - l->groups);
    return t->sends ? rates_chain_of(l->rates, r) : 0;
}

/* Whose the stages of the turn are. */
static void set_keys(const struct l2 *l, const struct members *ms, struct turn *t, uint32_t i)
{
    const struct l2_request *r = request_of(ms, t);
    uint64_t tag;
    ms->key[BY_GROUP][i] = (uint8_t)(first_key(l, r, t) % ms->n);
    t->slice = rates_slice_of(l->rates, r);
    ms->key[BY_SLICE][i] = (uint8_t)(rates_slices_of(l->rates, t->slice) % ms->n);
    ms->key[BY_SET][i] = (uint8_t)(set_of(l, r->line, &tag) % ms->n);
}

/* Of the slice: the ways to L2 are apart for each GPC. */
static void send_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    const uint32_t from = (uint32_t)((uint64_t)ms->nturns * (uint32_t)number / ms->n), to = (uint32_t)((uint64_t)ms->nturns * ((uint32_t)number + 1) / ms->n);
    m->n = m->back = 0;
    for (uint32_t i = 0; i < ms->nturns; i++) {
        struct turn *t = &l->in_turn[i];
        if (i >= from && i < to)
            set_keys(l, ms, t, i);
        if (t->gpc % ms->n != (uint32_t)number)
            continue;
        ALLOC_GROW(m->turn, m->n, m->room);
        m->turn[m->n++] = i;
        if (t->sends)
            t->at = rates_send(l->rates, t->sm, t->gpc, request_of(ms, t));
    }
}

/* Groups that were begun in the window before, of this member. */
static void close_groups(const struct l2 *l, const struct members *ms, int number)
{
    for (uint32_t i = ms->before; i < ms->first; i++)
        if (ms->key[BY_GROUP][i] == number)
            close_group(l, request_of(ms, &l->in_turn[i]), &l->in_turn[i], i);
}

static void come_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    close_groups(l, ms, number);
    own_turns(ms, m, BY_GROUP);
    for (uint32_t k = 0; k < m->nlist; k++) {
        struct turn *t = &l->in_turn[m->list[k]];
        come(&m->l, request_of(ms, t), t, m->list[k]);
    }
}

static void slice_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    own_turns(ms, m, BY_SLICE);
    for (uint32_t k = 0; k < m->nlist; k++) {
        struct turn *t = &l->in_turn[m->list[k]];
        pass_slice(l, request_of(ms, t), t);
    }
}

static void look_up_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    own_turns(ms, m, BY_SET);
    m->l.nops = 0;
    for (uint32_t k = 0; k < m->nlist + AHEAD; k++) {
        if (k < m->nlist)
            look_ahead(l, ms->queues, &l->in_turn[m->list[k]]);
        if (k >= AHEAD - NEARER && k < m->nlist + AHEAD - NEARER)
            look_closer(l, ms->queues, &l->in_turn[m->list[k - (AHEAD - NEARER)]]);
        if (k < AHEAD)
            continue;
        struct turn *t = &l->in_turn[m->list[k - AHEAD]];
        m->l.number = m->list[k - AHEAD];
        look_up(&m->l, &ms->queues[t->sm], request_of(ms, t), t);
    }
}

/* DRAM's channels, in the order of turns: those of the model of time, and those of rows. */
static void dram_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    memset(m->cursor, 0, ms->n * sizeof *m->cursor);
    for (uint32_t i = ms->first; i < ms->end; i++) {
        const uint32_t by = ms->key[BY_SET][i];
        const struct l2 *of = &ms->member[by].l;
        for (; m->cursor[by] < of->nops && of->op[m->cursor[by]].turn == i; m->cursor[by]++) {
            struct dram_op *op = &of->op[m->cursor[by]];
            const struct l2_request *r = request_of(ms, &l->in_turn[i]);
            if (op->channel % ms->n == (uint32_t)number)
                time_dram(l, op, r->time);
            if (l->dram && op->at.channel % ms->n == (uint32_t)number)
                dram_access(l->dram, &op->at, op->sectors, op->kind == DRAM_WRITE, &(struct dram_asker){m->l.asker.sites, r->site, r->time});
        }
    }
}

static void settle_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    for (uint32_t k = 0; k < m->nlist; k++) {
        struct turn *t = &l->in_turn[m->list[k]];
        if (t->wants != NOTHING)
            settle(&m->l, request_of(ms, t), t, m->l.op + t->op);
    }
}

/* Of the slice again: so are the ways back, */
static void back_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    for (; m->back < m->n && m->turn[m->back] < ms->end; m->back++) {
        struct turn *t = &l->in_turn[m->turn[m->back]];
        pass_back(l, request_of(ms, t), t);
    }
}

/* and what an SM hears. */
static void answer_part(void *l2, int number)
{
    struct l2 *l = l2;
    struct members *ms = &l->members;
    struct member *m = &ms->member[number];
    close_groups(l, ms, number);
    for (uint32_t i = 0; i < m->n + AHEAD; i++) {
        if (i < m->n)
            look_back(ms->queues, &l->in_turn[m->turn[i]]);
        if (i >= AHEAD)
            answer_turn(l, ms->queues, &l->in_turn[m->turn[i - AHEAD]], l->in_turn);
    }
}

/* All threads do a stage of some requests before the next one begins. What a group of requests waits for is not known while it is being served, but
 * for coalesce_cycles it is open in any case: that long is a window. */
static void serve_together(struct l2 *l, uint32_t n)
{
    static void (*const stage[])(void *l2, int number) = {come_part, slice_part, look_up_part, dram_part, settle_part, back_part};
    struct members *ms = &l->members;
    if (n > ms->room) {
        ms->room = 2 * n;
        for (int i = 0; i < KEYS; i++)
            ms->key[i] = alloc_resize(ms->key[i], ms->room);
    }
    ms->nturns = n;
    ms->before = ms->end = 0;
    team_step(ms->team, send_part, l);
    while (ms->end < n) {
        ms->before = ms->end ? ms->first : 0;
        ms->first = ms->end;
        const uint64_t end = request_of(ms, &l->in_turn[ms->first])->time + l->c.coalesce_cycles;
        while (ms->end < n && (!l->groups || request_of(ms, &l->in_turn[ms->end])->time < end))
            ms->end++;
        for (size_t i = 0; i < sizeof stage / sizeof *stage; i++)
            team_step(ms->team, stage[i], l);
    }
    ms->before = ms->first;
    ms->first = n;
    team_step(ms->team, answer_part, l);
}

/* Are these worth it? */
static bool together(const struct l2 *l, uint32_t n)
{
    enum { FEW = 512 };
    return n >= FEW && l->c.l2_bytes && !l->textures;
}

void l2_serve(struct l2 *l, struct l2_queue *queues, uint32_t sms, const uint64_t *some, uint64_t until, struct counters *sites)
{
    const bool shared = l->members.n > 1;
    struct l2 *alone = shared ? &l->members.member[0].l : l;
    uint32_t n = 0;
    alone->asker.sites = sites;
    l->members.queues = queues;
    l->nasking = 0;
    for (uint32_t i = 0; i < sms; i++) {
        if (some && !(some[i / 64] >> i % 64 & 1))
            continue;
        if (queues[i].next < queues[i].n)
            l->asking[l->nasking++] = i;
        if (queues[i].mixed)
            sort(&queues[i]);
    }
    for (uint64_t at = first_time(l, queues); at < until; at = first_time(l, queues)) {
        uint64_t end = at - at % L2_STEP + L2_STEP;
        n = take_turns(l, queues, at, end < until ? end : until, shared ? n : 0);
        if (!shared)
            serve_alone(l, queues, l->in_turn, n);
    }
    if (shared && together(l, n))
        serve_together(l, n);
    else if (shared)
        serve_alone(alone, queues, l->in_turn, n);
    for (uint32_t i = 0; i < l->nasking; i++)
        close_up(&queues[l->asking[i]]);
}

uint64_t l2_done(const struct l2 *l)
{
    uint64_t done = l->done;
    for (uint32_t i = 0; i < l->members.n; i++)
        done = l->members.member[i].l.done > done ? l->members.member[i].l.done : done;
    return done;
}

void l2_finish(struct l2 *l, struct counters *sites, struct dram_stats *stats)
{
    *stats = (struct dram_stats){0};
    for (uint32_t i = 1; i < l->members.n; i++)
        counters_add(sites, l->members.member[i].sites, l->members.nsites);
    if (!l->dram)
        return;
    dram_finish(l->dram, sites);
    dram_stats_of(l->dram, stats);
}
