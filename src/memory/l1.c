/* The L1 of one multiprocessor: lines of 128 bytes with a bit for each of their four sectors, the least recently used line of
 * a set goes first, and stores go through to L2.
 *
 * What is behind it (NVIDIA H200, 2026-11-20, tests/truth):
 * - A load looks up each sector it touches; what is missing is asked of L2, by sectors (copy_offset: an offset of 1 hits exactly
 *   in the sectors that a neighbouring warp of the block has). Loads with .cg or .cv and volatile ones always ask L2 (cache_ops).
 * - A sector that has been asked for and has not come yet counts as a hit, and is not asked for again (same_address).
 * - A store does not make a sector readable (cache_ops rmw_reread: no hit) but leaves its line's tag: a later store to the
 *   line counts as a hit (copy_offset wr,offset=8). In local memory it does make it readable (local_array uniform16: 97 %).
 * - Stores of whole sectors go to L2 at once, all of them (tests/truth/caches: stores). A sector of which only some bytes were
 *   written waits for some 28 cycles after the last store to it, and stores of that time are one for L2 (tests/truth/caches:
 *   merge; two warps' stores of half a sector each, d cycles apart: 100 % become one at 4, 80 at 16, 30 at 32, 4 at 48, and the
 *   loops that wait for d are some 15 cycles wrong). A strong store of bytes that have been written meanwhile ends that, if L2 has room (tests/truth/time:
 *   hot; of 4 and 16 warps' stores to one word 122 of 256 and 560 of 1024 reach L2, and 18 % where it has none). No limit of their number shows: 32 lines wait side by side.
 * - What all SMs read twice is found up to 208 KiB of the 248 that are no shared memory, at 216 KiB 99.7 %, then 80, 59, 39, 23 and
 *   5 % with each 8 KiB more (tests/truth/caches: l1): sets of 5 lines that have 6 beyond 214 KiB fit that.
 * - Atomics and reductions are done in L2, and so is the counting of their sectors: one for each collision. */
#include "memory/caches.h"

#include <string.h>

#include "memory/lanes.h"
#include "memory/memory.h"
#include "memory/ways.h"
#include "ptx/ptx.h"

enum {
    WAYS = 5,            /* with a sixth's worth of lines unused, see above */
    WAITING = 128,       /* lines of stores that wait for others, at most */
    NO_WAY = -1
};

/* A line that stores have written to and that is still on its way to L2. */
struct waiting {
    uint64_t line, last; /* of stores to it: time */
    uint32_t site;
    uint8_t sectors, full;
    bool twice;          /* some bytes were written again */
    uint32_t byte[LINE_SECTORS];
};

/* A set, one line of the host's cache. */
struct set {
    uint32_t tag[WAYS];   /* line / sets, low half */
    uint32_t when[WAYS];  /* low half of a time (ways.h): the sector that was asked for last comes; while COMING, when it was asked for */
    uint8_t high[WAYS];   /* of the tag */
    uint8_t state[WAYS];
    uint32_t order;       /* ways.h */
    uint16_t fences;      /* l1.fences when somebody looked last */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct set) == 64, "");

/* In `state`, above the bits of sectors that loads find. */
enum { SECTORS = (1 << LINE_SECTORS) - 1, COMING = 16 /* when it comes is not known yet */, TAKEN = 32 };

struct l1 {
    struct divisor sets;
    struct set *set;
    struct caches_config c;
    struct waiting waiting[WAITING]; /* by their last stores */
    uint32_t nwaiting;
    uint16_t fences;      /* what was there before is forgotten, so many times */
    uint64_t local_tag;   /* of local memory's lines, at least; half as much again at most */
};

struct l1 *l1_new(const struct caches_config *c, struct pages *memory)
{
    struct l1 *l = pages_take(memory, sizeof *l);
    uint32_t sets = (c->l1_bytes >> LINE_SHIFT) * 10 / 58;
    l->sets = divisor_of(sets ? sets : 1);
    l->c = *c;
    l->local_tag = divide(CACHES_LOCAL >> LINE_SHIFT, l->sets);
    l->set = pages_take(memory, l->sets.by * sizeof *l->set);
    l1_clear(l);
    return l;
}

void l1_clear(struct l1 *l)
{
    const struct set empty = {.order = (uint32_t)ways_order(WAYS)};
    for (uint32_t i = 0; i < l->sets.by; i++)
        l->set[i] = empty;
    l->nwaiting = 0;
    l->fences = 0;
}

/* What a fence leaves: lines of local memory, and tags of lines that are coming. */
static void forget(const struct l1 *l, struct set *s)
{
    for (int i = 0; i < WAYS; i++)
        if (((uint64_t)s->high[i] << 32 | s->tag[i]) - l->local_tag >= l->local_tag / 2)
            s->state[i] = s->state[i] & COMING ? COMING | TAKEN : 0;
    s->fences = l->fences;
}

static inline struct set *set_at(struct l1 *l, uint32_t number)
{
    struct set *s = &l->set[number];
    if (s->fences != l->fences)
        forget(l, s);
    return s;
}

void l1_invalidate(struct l1 *l)
{
    if (!++l->fences) /* sets that nobody has looked at since the count began */
        for (uint32_t i = 0; i < l->sets.by; i++)
            forget(l, &l->set[i]);
}

bool l1_has_drained(const struct l1 *l)
{
    return !l->nwaiting;
}

/* --- tags --- */

struct place {
    struct set *set;
    unsigned way;
    uint32_t number; /* of the place */
};

/* Neighbouring lines are in neighbouring sets. *tag: what is left of the line. */
static inline uint32_t set_of(const struct l1 *l, uint64_t line, uint64_t *tag)
{
    *tag = divide(line, l->sets);
    return (uint32_t)(line - *tag * l->sets.by);
}

static inline int way_of(const struct set *s, uint64_t tag)
{
    for (int i = 0; i < WAYS; i++)
        if (s->tag[i] == (uint32_t)tag && s->high[i] == (uint8_t)(tag >> 32) && s->state[i] & TAKEN)
            return i;
    return NO_WAY;
}

/* The line's place, made if it is not there. *there: its tag was there. */
static inline struct place place(struct l1 *l, uint64_t line, bool *there)
{
    uint64_t tag;
    uint32_t at = set_of(l, line, &tag);
    struct set *s = set_at(l, at);
    int way = way_of(s, tag);
    *there = way != NO_WAY;
    if (way == NO_WAY) {
        way = (int)ways_nth(s->order, WAYS - 1);
        s->tag[way] = (uint32_t)tag;
        s->high[way] = (uint8_t)(tag >> 32);
        s->state[way] = TAKEN;
        s->when[way] = 0;
    }
    s->order = (uint32_t)ways_use(s->order, (unsigned)way);
    return (struct place){s, (unsigned)way, at * WAYS + (uint32_t)way};
}

static void drop(struct l1 *l, uint64_t line)
{
    uint64_t tag;
    struct set *s = &l->set[set_of(l, line, &tag)];
    int way = way_of(s, tag);
    if (way != NO_WAY)
        s->state[way] = 0;
}

uint64_t l1_comes(const struct l1 *l, uint64_t line, uint64_t now)
{
    uint64_t tag;
    const struct set *s = &l->set[set_of(l, line, &tag)];
    int way = way_of(s, tag);
    return way == NO_WAY || s->state[way] & COMING ? now : ways_later(s->when[way], now);
}

void l1_told(struct l1 *l, uint32_t fill, uint64_t at)
{
    struct set *s = &l->set[fill / WAYS];
    s->when[fill % WAYS] = (uint32_t)at;
    s->state[fill % WAYS] &= (uint8_t)~COMING;
}

void l1_fetch(const struct l1 *l, uint32_t fill)
{
    __builtin_prefetch(&l->set[fill / WAYS]);
}

/* --- stores --- */

static void send_one(const struct waiting *w, struct l2_queue *to, uint64_t time)
{
    const struct l2_request r = {.line = w->line, .time = time, .site = w->site, .sectors = w->sectors, .op = L2_WRITE, .waiter = L2_NOBODY, .fill = L2_NOWHERE};
    l2_queue_add(to, &r, w->full == w->sectors ? NULL : w->byte);
}

/* The first `n` of those that wait go. */
static void send(struct l1 *l, struct l2_queue *to, uint32_t n, uint64_t time)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t leaves = l->waiting[i].last + l->c.merge_cycles;
        send_one(&l->waiting[i], to, leaves < time ? leaves : time);
    }
    l->nwaiting -= n;
    memmove(l->waiting, l->waiting + n, l->nwaiting * sizeof *l->waiting);
}

/* L2 takes one more store. */
static bool has_room(const struct l1 *l, struct l2_queue *to, uint64_t time)
{
    return l2_room(&to->stores, l->c.stores_waiting, time) <= time;
}

uint32_t l1_lines_held(const struct lines *of)
{
    for (int i = 0; i < of->n; i++)
        if (of->full[i])
            return L1_HOLDS_NONE;
    return (uint32_t)of->n;
}

bool l1_holds(const struct l1 *l, uint32_t lines)
{
    return lines != L1_HOLDS_NONE && l->nwaiting + lines <= l->c.merge_lines;
}

void l1_drain(struct l1 *l, uint64_t time, struct l2_queue *to)
{
    uint32_t n = 0;
    const bool all = time == UINT64_MAX;
    while (n < l->nwaiting && l->waiting[n].last + l->c.merge_cycles <= time && (all || !l->waiting[n].twice || has_room(l, to, time)))
        n++;
    if (n)
        send(l, to, n, time);
}

/* Sectors of which lanes write every byte go at once. */
static void send_full(const struct record *r, uint64_t line, unsigned full, uint64_t time, struct l2_queue *to)
{
    struct l2_request ask = {.line = line, .time = time, .site = r->site, .sectors = (uint8_t)full, .op = L2_WRITE,
                              .waiter = L2_NOBODY, .fill = L2_NOWHERE};
    if (full)
        l2_queue_add(to, &ask, NULL);
}

static void store(struct l1 *l, uint64_t line, unsigned sectors, const uint32_t *byte, uint32_t site, bool strong, uint64_t time,
                  struct l2_queue *to)
{
    uint32_t at = 0;
    while (at < l->nwaiting && l->waiting[at].line != line)
        at++;
    if (at == l->nwaiting && at == WAITING) {
        send(l, to, 1, time);
        at--;
    }
    struct waiting now = {.line = line, .site = site};
    if (at == l->nwaiting) {
        l->nwaiting++;
    } else { /* it is the last one now */
        now = l->waiting[at];
        memmove(l->waiting + at, l->waiting + at + 1, (l->nwaiting - 1 - at) * sizeof now);
    }
    struct waiting *w = &l->waiting[l->nwaiting - 1];
    *w = now;
    w->last = time;
    w->sectors |= (uint8_t)sectors;
    for (int s = 0; s < LINE_SECTORS; s++) {
        if (sectors >> s & 1) {
            w->twice |= (w->byte[s] & byte[s]) != 0;
            w->byte[s] |= byte[s];
        }
        w->full |= (uint8_t)((w->byte[s] == UINT32_MAX) << s);
    }
    if (strong && w->twice && has_room(l, to, time))
        send_one(&l->waiting[--l->nwaiting], to, time);
}

/* --- accesses --- */

static bool goes_past(const struct l1 *l, const struct record *r)
{
    bool asked = r->op == RECORD_LOAD && r->cache == PTX_CACHE_CA;
    if (r->op == RECORD_TEXTURE)
        return false;
    if (!l->c.l1_bytes)
        return true;
    if (r->space == PTX_LOCAL)
        return !l->c.l1_local;
    return l->c.l1_global == DEVICE_L1_GLOBAL_NEVER || (l->c.l1_global != DEVICE_L1_GLOBAL_ALWAYS && !asked) ||
           r->cache == PTX_CACHE_CG || r->cache == PTX_CACHE_CV || (r->op == RECORD_LDGSTS && r->bytes == 16) ||
           (r->op == RECORD_LOAD && r->order != PTX_WEAK);
}

static uint64_t *hits_of(struct counters *c, const struct record *r, bool stores)
{
    if (r->op == RECORD_TEXTURE)
        return &c->v[COUNTER_L1_TEXTURE_HIT];
    if (r->space == PTX_LOCAL)
        return &c->v[stores ? COUNTER_L1_LOCAL_ST_HIT : COUNTER_L1_LOCAL_LD_HIT];
    return &c->v[stores ? COUNTER_L1_GLOBAL_ST_HIT : COUNTER_L1_GLOBAL_LD_HIT];
}

/* Returns sectors that are missing. */
static unsigned load(struct l1 *l, const struct record *r, const struct lines *of, uint64_t time, uint32_t waiter, struct counters *c,
                     struct l2_queue *to, uint64_t *until)
{
    bool past = goes_past(l, r), there;
    unsigned missed = 0, absent = 0;
    for (int i = 0; i < of->n; i++) {
        unsigned sectors = of->sectors[i], found = 0;
        uint64_t now = time + (unsigned)i; /* a line a cycle */
        struct l2_request ask = {.line = of->line[i], .time = now, .site = r->site, .op = L2_READ, .waiter = waiter, .fill = L2_NOWHERE};
        if (!past) {
            struct place at = place(l, of->line[i], &there);
            uint8_t *state = &at.set->state[at.way];
            uint32_t *when = &at.set->when[at.way];
            found = l->c.no_pending && (*state & COMING || ways_later(*when, now) > now) ? 0 : sectors & *state;
            absent += lines_count(sectors & ~found);
            if (l->c.l1_whole && sectors != found) {
                sectors = SECTORS;
                found = *state & SECTORS;
            }
            ask.fill = at.number;
            if (sectors == found && *state & COMING) {
                ask.op = L2_JOIN;
                ask.time = ways_later(*when, now); /* not before what it joins */
            } else if (sectors == found) {
                uint64_t comes = ways_later(*when, now);
                *until = comes > *until ? comes : *until;
            } else {
                *state |= COMING;
                *when = (uint32_t)now;
            }
            *state |= (uint8_t)sectors;
        }
        ask.sectors = (uint8_t)(sectors & ~found);
        if (ask.sectors && l->nwaiting && has_room(l, to, time))
            send(l, to, l->nwaiting, time);
        if (ask.sectors || ask.op == L2_JOIN)
            l2_queue_add(to, &ask, NULL);
        missed += lines_count(ask.sectors);
    }
    *hits_of(c, r, false) += past ? 0 : of->touched - absent;
    if (r->nc && r->op == RECORD_LOAD)
        c->v[COUNTER_READONLY_HIT] += past ? 0 : of->touched - absent;
    return missed;
}

static void write(struct l1 *l, const struct record *r, const struct lines *of, uint64_t time, struct counters *c, struct l2_queue *to)
{
    uint64_t *hits = hits_of(c, r, true);
    bool there, is_local = r->space == PTX_LOCAL, past = !l->c.l1_bytes || (is_local && !l->c.l1_local);
    for (int i = 0; i < of->n; i++) {
        if (!past && !is_local && l->c.l1_evicts) {
            drop(l, of->line[i]);
        } else if (!past) {
            struct place at = place(l, of->line[i], &there);
            *hits += there ? lines_count(of->sectors[i]) : 0;
            if (is_local)
                at.set->state[at.way] |= of->sectors[i];
        }
        send_full(r, of->line[i], of->full[i], time, to);
        if (of->sectors[i] != of->full[i])
            store(l, of->line[i], of->sectors[i] & ~(unsigned)of->full[i], of->byte[i], r->site, r->order != PTX_WEAK, time, to);
    }
}

static uint8_t atomic_kind(const struct record *r)
{
    const bool floats = (r->type == PTX_F16 || r->type == PTX_BF16 || r->type == PTX_F16X2 || r->type == PTX_BF16X2 || r->type == PTX_F32 || r->type == PTX_F64), slow = r->type == PTX_F64 || r->atomic == PTX_ATOMIC_CAS;
    return (uint8_t)((floats ? L2_ATOMIC_FLOAT : 0) | (slow ? L2_ATOMIC_SLOW : 0) | (r->op == RECORD_ATOM ? L2_ATOMIC_ANSWERS : 0));
}

/* The line's word that the first of the lanes in it has. */
static uint8_t first_word(const struct record *r, uint64_t line)
{
    LANES_EACH(lane, r->mask)
        if (record_address(r, (int)lane) >> LINE_SHIFT == line)
            return (uint8_t)((record_address(r, (int)lane) & ((1u << LINE_SHIFT) - 1)) / 4);
    return 0;
}

/* Lanes whose elements begin in the line. */
static unsigned lanes_in(const struct record *r, uint64_t line)
{
    unsigned n = 0;
    LANES_EACH(lane, r->mask)
        n += record_address(r, (int)lane) >> LINE_SHIFT == line;
    return n;
}

/* One request a line; each line has its part of the collisions. */
static void atomic(const struct record *r, const struct lines *of, uint64_t time, uint32_t waiter, struct l2_queue *to)
{
    unsigned rounds;
    const unsigned operations = atomics_sectors(r, &rounds);
    const uint8_t kind = atomic_kind(r);
    unsigned touched = of->touched, more = operations > touched ? operations - touched : 0;
    for (int i = 0; i < of->n; i++) {
        unsigned own = lines_count(of->sectors[i]), extra = i + 1 < of->n ? more * own / touched : more;
        struct l2_request ask = {.line = of->line[i], .time = time, .site = r->site, .sectors = of->sectors[i],
                                 .op = L2_ATOMIC, .lanes = (uint8_t)(own + extra),
                                 .same = (uint8_t)(rounds < extra + 1 ? rounds : extra + 1), .atomic = kind, .waiter = waiter, .fill = L2_NOWHERE};
        if (kind & L2_ATOMIC_SLOW && lanes_in(r, of->line[i]) <= own)
            ask.atomic &= (uint8_t)~L2_ATOMIC_SLOW;
        if (kind & L2_ATOMIC_FLOAT)
            ask.word = first_word(r, of->line[i]);
        l2_queue_add(to, &ask, NULL);
        more -= extra;
        touched -= own;
    }
}

/* Past all caches: each transaction is a request to DRAM. */
static unsigned direct(struct l1 *l, const struct record *r, uint64_t local, uint64_t time, uint32_t waiter,
                       struct l2_queue *to, unsigned *n)
{
    struct transaction each[TRANSACTIONS_MAX];
    struct transactions t = {.each = each};
    unsigned sectors = 0;
    if (r->space == PTX_LOCAL)
        local_transactions(l->c.direct, r, false, &t);
    else
        l->c.direct->global(r, false, &t);
    for (unsigned i = 0; i < t.n; i++) {
        uint64_t addr = each[i].addr + (r->space == PTX_LOCAL ? local : 0);
        unsigned mask = ((1u << each[i].bytes / 32) - 1) << (addr >> 5) % LINE_SECTORS;
        struct l2_request ask = {.line = addr >> LINE_SHIFT, .time = time, .site = r->site, .sectors = (uint8_t)mask, .fill = L2_NOWHERE};
        for (int pass = 0; pass < 2; pass++) { /* atomics on local memory load and store */
            ask.op = pass ? L2_WRITE : L2_READ;
            ask.waiter = pass ? L2_NOBODY : waiter;
            if (pass ? r->op != RECORD_LOAD : r->op != RECORD_STORE)
                l2_queue_add(to, &ask, NULL);
        }
        sectors += lines_count(mask);
    }
    *n = t.n;
    return sectors;
}

/* Local memory's atomics store, too. */
static bool writes(const struct record *r)
{
    return r->op == RECORD_STORE || (r->space == PTX_LOCAL && (r->op == RECORD_ATOM || r->op == RECORD_RED));
}

void l1_lines(const struct l1 *l, const struct record *r, uint64_t local, struct lines *out)
{
    uint64_t tag;
    if (r->op == RECORD_TEXTURE) {
        out->touched = lines_texture(r, out);
    } else {
        if (r->space == PTX_LOCAL)
            lines_local(r, local, writes(r), out);
        else
            lines_global(r, writes(r), out);
        out->touched = lines_sectors(out);
    }
    for (int i = 0; i < out->n; i++)
        __builtin_prefetch(&l->set[set_of(l, out->line[i], &tag)]);
}

unsigned l1_access(struct l1 *l, const struct record *r, const struct lines *of, uint64_t local, uint64_t time, uint32_t waiter,
                   struct counters *sites, struct l2_queue *to, unsigned *lines, uint64_t *until)
{
    struct counters *c = &sites[r->site];
    bool atomics = r->op == RECORD_ATOM || r->op == RECORD_RED, is_local = r->space == PTX_LOCAL;
    unsigned missed = 0;
    if (l->c.direct && r->op != RECORD_TEXTURE && (is_local || !atomics))
        return direct(l, r, local, time, waiter, to, lines);
    l1_drain(l, time, to);
    *lines = (unsigned)of->n;
    c->v[COUNTER_L1_TEXTURE_SECTORS] += r->op == RECORD_TEXTURE ? of->touched : 0;
    if (atomics && !is_local) {
        atomic(r, of, time, r->op == RECORD_ATOM ? waiter : L2_NOBODY, to);
        return of->touched;
    }
    if (r->op != RECORD_STORE)
        missed = load(l, r, of, time, waiter, c, to, until);
    if (writes(r))
        write(l, r, of, time, c, to);
    return missed;
}
