/* Tallies of accesses (see tally.h). */
#include "simt/tally.h"

#include "base/alloc.h"

#include <stddef.h>
#include <string.h>

struct tally *tally_new(int n, bool turns)
{
    struct tally *t = alloc_aligned(64, sizeof *t);
    t->n = n;
    t->site = alloc_aligned(64, (size_t)n * sizeof *t->site);
    t->slots = alloc_aligned(64, ((size_t)n + 1) * sizeof *t->slots);
    t->pattern = alloc_zeroed(((size_t)n + 1) * TALLY_PATTERNS * sizeof *t->pattern);
    if (turns)
        t->turns = alloc_aligned(64, sizeof *t->turns);
    return t;
}

enum { HEAD = offsetof(struct record, site) }; /* behind the addresses */

#define SOMEWHERE (UINT64_C(1) << 40) /* a multiple of TALLY_SLOTS; groups lie below and above it */

/* The record of an access of known shape. */
static const struct record *record_of(struct tally_site *s, uint32_t lanes, uint64_t lowest, const uint64_t *apart)
{
    s->record.mask = lanes;
    s->record.shape = RECORD_EXPLICIT;
    for (int i = 0; i < WARP_LANES; i++) {
        int group = i << s->halved >> 5;
        s->record.addr[i] = SOMEWHERE + lowest + (group ? apart[group - 1] : 0) + s->above[i];
    }
    return &s->record;
}

void tally_take_waiting(struct exec_counts *c)
{
    struct tally *t = c->tally;
    for (uint64_t i = 0; i < t->waiting; i++) {
        struct record *r = &t->access[i].record;
        uint32_t mask = r->mask, unchanged = r->unchanged;
        uint8_t shape = r->shape;
        memcpy((char *)r + HEAD, (const char *)&t->site[r->site].record + HEAD, sizeof *r - HEAD);
        r->mask = mask;
        r->unchanged = unchanged;
        r->shape = shape;
        c->take(c->taker, r, 1);
    }
    t->waiting = 0;
}

/* The record's head, as it is for all accesses of the instruction. */
static void set_head(struct record *r, const struct tally_site *s, uint32_t lanes)
{
    memcpy((char *)r + HEAD, (const char *)&s->record + HEAD, sizeof *r - HEAD);
    r->shape = RECORD_EXPLICIT;
    r->mask = lanes;
}

void tally_rows(struct exec_counts *c, int i, struct tally_access *row, int64_t step, const uint32_t *on, int n)
{
    const struct tally_site *s = &c->tally->site[i];
    if (!n)
        return;
    set_head(&row[0].record, s, on[0]);
    if (step && c->take_turns && c->take_turns(c->taker, &row[0].record, step, on, n))
        return;
    /* written well before they are read: the host passes on no stores that are narrower than the load */
    for (int at = 1; at < n; at++) {
        uint64_t *restrict to = row[at].record.addr;
        const uint64_t *restrict from = row[0].record.addr;
        for (int lane = 0; lane < WARP_LANES && step; lane++)
            to[lane] = from[lane] + (uint64_t)(at * step);
        set_head(&row[at].record, s, on[at]);
    }
    for (int at = 0; at < n; at++)
        c->take(c->taker, &row[at].record, 1);
}

/* A record in the ring, all but its addresses. */
static struct record *next_record(struct tally_site *s, uint32_t lanes, struct warp *w)
{
    struct record *r = &w->ring[w->nrecords++];
    size_t from = offsetof(struct record, site);
    memcpy((char *)r + from, (const char *)&s->record + from, sizeof *r - from);
    r->mask = lanes;
    r->block = (uint32_t)w->block->index;
    r->warp = w->index;
    r->sm = w->block->sm;
    return r;
}

void tally_record_any(struct exec_counts *c, int i, uint32_t lanes, struct warp *w)
{
    struct tally_site *s = &c->tally->site[i];
    struct record *r = next_record(s, lanes, w);
    r->addr[0] = s->record.addr[0];
    if (s->record.shape != RECORD_UNIFORM)
        memcpy(r->addr, s->record.addr, sizeof r->addr);
}

void tally_record_shape(struct exec_counts *c, int i, uint32_t lanes, const uint64_t *lowest, struct warp *w)
{
    struct tally_site *s = &c->tally->site[i];
    struct record *r = next_record(s, lanes, w);
    r->shape = s->stride == TALLY_NO_STRIDE ? RECORD_EXPLICIT : s->stride ? RECORD_AFFINE : RECORD_UNIFORM;
    r->stride = s->stride;
    r->addr[0] = lowest[0] + s->above[0];
    for (int lane = 0; lane < WARP_LANES && r->shape == RECORD_EXPLICIT; lane++)
        r->addr[lane] = lowest[lane << s->halved >> 5] + s->above[lane];
}

void tally_enter(struct exec_counts *c, struct warp *w, int32_t block, int32_t site, uint32_t lanes, uint64_t times)
{
    if (!c->keep) {
        c->enter(c->taker, block, lanes, times);
        return;
    }
    struct record *r = &w->ring[w->nrecords++];
    size_t from = offsetof(struct record, site);
    memset((char *)r + from, 0, sizeof *r - from);
    r->site = (uint32_t)site;
    r->mask = lanes;
    r->op = RECORD_ENTER;
    r->block = (uint32_t)w->block->index;
    r->warp = w->index;
    r->sm = w->block->sm;
}

static void take_pattern(struct exec_counts *c, struct tally_site *s, const struct tally_pattern *p)
{
    if (p->times)
        c->take(c->taker, record_of(s, (uint32_t)(p->key >> 32), (uint32_t)p->key, p->apart), p->times);
}

/* --- patterns that lost their place --- */

static bool is_like(const struct tally_met *m, int site, const struct tally_pattern *p)
{
    return m->site == site && m->pattern.key == p->key && !memcmp(m->pattern.apart, p->apart, sizeof p->apart);
}

/* Where the pattern is, or is to be. */
static struct tally_met *find_met(const struct tally *t, int site, const struct tally_pattern *p)
{
    uint64_t h = p->key ^ (uint64_t)site << 8;
    for (int g = 0; g < TALLY_GROUPS - 1; g++)
        h = (h ^ p->apart[g]) * UINT64_C(0x9e3779b97f4a7c15);
    size_t last = ((size_t)1 << t->met_bits) - 1, at = h >> (64 - t->met_bits);
    while (t->met[at].pattern.times && !is_like(&t->met[at], site, p))
        at = (at + 1) & last;
    return &t->met[at];
}

static void take_met(struct exec_counts *c)
{
    struct tally *t = c->tally;
    for (size_t i = 0; t->met && i < (size_t)1 << t->met_bits; i++)
        take_pattern(c, &t->site[t->met[i].site], &t->met[i].pattern);
}

/* The table is half full, or there is none: one twice as large, or the same, empty. */
static void make_room(struct exec_counts *c)
{
    enum { FIRST_BITS = 6 };
    struct tally *t = c->tally;
    struct tally_met *old = t->met;
    size_t n = old ? (size_t)1 << t->met_bits : 0;
    bool full = t->met_bits == TALLY_MET_BITS;
    if (full)
        take_met(c);
    t->met_bits = !old ? FIRST_BITS : full ? TALLY_MET_BITS : t->met_bits + 1;
    t->met = alloc_zeroed(sizeof *t->met << t->met_bits);
    t->nmet = full ? 0 : t->nmet;
    for (size_t i = 0; i < n && !full; i++)
        if (old[i].pattern.times)
            *find_met(t, old[i].site, &old[i].pattern) = old[i];
    alloc_release(old);
}

static void keep_met(struct exec_counts *c, int site, const struct tally_pattern *p)
{
    struct tally *t = c->tally;
    if (!t->met || t->nmet >> (t->met_bits - 1))
        make_room(c);
    struct tally_met *m = find_met(t, site, p);
    if (m->pattern.times) {
        m->pattern.times += p->times;
        return;
    }
    *m = (struct tally_met){*p, site};
    t->nmet++;
}

/* --- */

static uint64_t key_of(uint32_t lanes, uint64_t slot)
{
    return (uint64_t)lanes << 32 | slot;
}

/* An access of a whole warp whose groups are not as far apart as the slots say: now they do, if there are more like it. */
static bool change_slots(struct exec_counts *c, int i, const struct tally_pattern *like)
{
    enum { OTHERS = 8 };
    struct tally_slots *s = &c->tally->slots[i];
    if (s->others++ % OTHERS)
        return false;
    for (uint64_t slot = 0; slot < TALLY_SLOTS; slot++) {
        struct tally_pattern p = {.key = key_of(UINT32_MAX, slot), .times = s->times[slot]};
        memcpy(p.apart, s->apart, sizeof p.apart);
        if (p.times)
            keep_met(c, i, &p);
        s->times[slot] = 0;
    }
    memcpy(s->apart, like->apart, sizeof s->apart);
    return true;
}

/* Words by the first lanes: there is a number for each. */
static bool is_first(const struct tally_site *s, uint32_t lanes, uint64_t slot)
{
    return !s->halved && slot % 4 == 0 && !(lanes & (lanes + 1));
}

static uint64_t *first_number(struct tally_slots *s, uint32_t lanes, uint64_t slot)
{
    if (!s->first)
        s->first = alloc_zeroed((WARP_LANES + 1) * sizeof *s->first);
    return &s->first[__builtin_popcount(lanes)][slot / 4];
}

static void take_first(struct exec_counts *c, struct tally_site *s, const struct tally_slots *of)
{
    for (int n = 1; of->first && n <= WARP_LANES; n++)
        for (uint64_t word = 0; word < TALLY_WORDS; word++)
            if (of->first[n][word])
                c->take(c->taker, record_of(s, (uint32_t)((UINT64_C(1) << n) - 1), 4 * word, of->apart), of->first[n][word]);
}

void tally_shape(struct exec_counts *c, int i, uint32_t lanes, const uint64_t *lowest, uint64_t times)
{
    uint64_t slot = lowest[0] % TALLY_SLOTS;
    if (is_first(&c->tally->site[i], lanes, slot)) {
        *first_number(&c->tally->slots[i], lanes, slot) += times;
        return;
    }
    struct tally_pattern *there = &c->tally->pattern[(size_t)i * TALLY_PATTERNS + tally_pattern_of(lanes, slot)];
    struct tally_pattern p = {.key = key_of(lanes, slot), .times = times};
    for (int g = 1; g < 1 << c->tally->site[i].halved; g++)
        p.apart[g - 1] = lowest[g] - lowest[0];
    if (lanes == UINT32_MAX && change_slots(c, i, &p)) {
        c->tally->slots[i].times[slot] = times;
    } else if (there->key == p.key && !memcmp(there->apart, p.apart, sizeof p.apart)) {
        there->times += times;
    } else {
        if (there->times)
            keep_met(c, i, there);
        *there = p;
    }
}

void tally_end(struct exec_counts *c)
{
    struct tally *t = c->tally;
    if (!t)
        return;
    tally_take_waiting(c);
    take_met(c);
    alloc_release(t->met);
    for (int i = 0; i < t->n; i++) {
        struct tally_site *s = &t->site[i];
        const struct tally_slots *whole = &t->slots[i];
        for (unsigned slot = 0; slot < TALLY_SLOTS; slot++)
            if (whole->times[slot])
                c->take(c->taker, record_of(s, UINT32_MAX, slot, whole->apart), whole->times[slot]);
        take_first(c, s, whole);
        alloc_release(whole->first);
        for (int p = 0; p < TALLY_PATTERNS; p++)
            take_pattern(c, s, &t->pattern[(size_t)i * TALLY_PATTERNS + (size_t)p]);
    }
    alloc_release(t->site);
    alloc_release(t->slots);
    alloc_release(t->pattern);
    alloc_release(t->turns);
    alloc_release(t->pace);
    alloc_release(t);
    c->tally = NULL;
}
