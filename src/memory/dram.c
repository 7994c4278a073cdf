/* Channels, banks and rows (see dram.h).
 *
 * The order of a channel's reads: a window of 64 accesses as they came; slots are used in turn, so that the oldest is found by
 * turning a mask of bits, and the window is full when the oldest access stands in the next slot. Sets of slots are
 * words: those that wait, those whose row is open, those of each bank. A row is opened as soon as the last access to the one
 * before is gone. Writes have a window of their own, of which 56 start the writing and 8 are left. Sizes are our choice: published
 * simulators have 32 by default (DRAMsim3; GPGPU-Sim for writes, from 28 on until 16 are left), of accesses half as large. With
 * 48 and 16 the copies of docs/dram.md take 1 to 2 % less here than on an H200, with these 6 to 8 % less: it has more to wait for.
 * Channels need nothing of each other, so accesses are kept until there are many and each channel is given its own at once, in
 * their order: its state is fetched into the host's caches for all of them, not for each.
 * Rates of opening rows are kept on the average: tRRD or a quarter of tFAW after the one before, with what was not used
 * in the last tRC. */
#include "memory/dram.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pages.h"
#include "memory/lanes.h"
#include "memory/lines.h"

enum { WINDOW = 64, WRITES_HIGH = 56, WRITES_LOW = 8, SECTOR = 32, BATCH = 4096 };

#define START UINT64_C(1000000000) /* ps: of the first data; rows can have been opened before */

struct waiting {
    uint32_t row, site, time;
    uint16_t bank;
    uint8_t bursts;
};

struct window {
    uint64_t all, open; /* slots that wait; of these, those whose row is open */
    uint32_t next, n;   /* the next slot; how many wait */
    uint64_t *of_bank;  /* [banks]: slots */
    struct waiting slot[WINDOW];
};

struct bank {
    uint64_t opened;    /* the row, last */
    uint64_t closes;    /* when it may be closed, at the earliest */
    uint64_t accesses;
    uint32_t row, group;
    bool is_open;
    uint8_t first;      /* what the first access to the row counts as, after COUNTER_DRAM_ROW_HITS; then 0, a hit */
};

struct channel {
    uint64_t bus;       /* when the last data end */
    uint64_t openings;  /* when the next row may be opened, by their rate */
    uint64_t bytes;
    bool writing;       /* the last data were written */
    uint64_t *group;    /* [groups]: when its next data may begin */
    struct bank *bank;  /* [banks] */
    struct window read, write;
};

/* An access that no channel has seen yet. */
struct asked {
    uint32_t site, time;
    uint8_t sectors;
    bool write;
};

/* What some of the channels have been asked. */
struct batch {
    uint32_t n;
    uint32_t *end;      /* [channels]: of its part of `order` */
    uint16_t order[BATCH];
    struct asked asked[BATCH];
    struct dram_place place[BATCH]; /* of asked */
};

struct dram {
    struct pages pages; /* all of it */
    struct dram_spec s;
    struct batch *batch; /* [nbatches] a channel's is its number modulo these */
    uint32_t nbatches;
    struct channel *channel;
};

/* --- what is known of a device --- */

static uint32_t ps(int64_t figure)
{
    return figure == DEVICE_UNKNOWN ? 0 : (uint32_t)figure;
}

bool dram_spec_of(const struct device *d, struct dram_spec *s)
{
    enum { TURN_CLOCKS = 2, /* of the command clock, between what chip and controller drive: as in Ramulator */
           WAIT = 500 };
    const int64_t needed[] = {d->dram_banks, d->dram_row_bytes, d->dram_burst, d->dram_t_rcd_ps, d->dram_t_rp_ps, d->dram_t_cl_ps,
                              d->dram_t_cwl_ps, d->dram_t_ras_ps, d->dram_t_rc_ps};
    *s = (struct dram_spec){0};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i] == DEVICE_UNKNOWN)
            return false;
    uint32_t bytes = (uint32_t)(d->dram_burst * d->dram_channel_bits / 8);
    if (!bytes || bytes > SECTOR || SECTOR % bytes)
        return false;
    *s = (struct dram_spec){
        .channels = (uint32_t)d->dram_channels,
        .banks = (uint32_t)d->dram_banks,
        .groups = d->dram_bank_groups == DEVICE_UNKNOWN ? 1 : (uint32_t)d->dram_bank_groups,
        .row_bytes = (uint32_t)d->dram_row_bytes,
        .burst_bytes = bytes,
        .interleave = (uint32_t)d->dram_interleave_bytes,
        .hashed = d->dram_interleave == DEVICE_DRAM_INTERLEAVE_HASHED,
        .wait = d->latency_dram == DEVICE_UNKNOWN ? WAIT : (uint32_t)d->latency_dram,
        .burst = (uint32_t)(d->dram_burst * INT64_C(1000000000) / (2 * d->memory_clock_khz)),
        .rcd = ps(d->dram_t_rcd_ps), .rp = ps(d->dram_t_rp_ps), .cl = ps(d->dram_t_cl_ps), .cwl = ps(d->dram_t_cwl_ps),
        .ras = ps(d->dram_t_ras_ps), .rc = ps(d->dram_t_rc_ps), .ccd_l = ps(d->dram_t_ccd_l_ps), .rrd = ps(d->dram_t_rrd_ps),
        .faw = ps(d->dram_t_faw_ps), .wr = ps(d->dram_t_wr_ps), .wtr = ps(d->dram_t_wtr_ps), .rtp = ps(d->dram_t_rtp_ps),
        .turn = d->dram_clock_khz == DEVICE_UNKNOWN ? 0 : (uint32_t)(TURN_CLOCKS * INT64_C(1000000000) / d->dram_clock_khz),
    };
    return true;
}

/* --- where an address lies --- */

/* Most of these are powers of two, whose divisions would take most of the time. */
static inline uint64_t quotient(uint64_t x, uint32_t by)
{
    return by & (by - 1) ? x / by : x >> __builtin_ctz(by);
}

static inline uint32_t rest(uint64_t x, uint32_t by)
{
    return (uint32_t)(by & (by - 1) ? x % by : x & (by - 1));
}

static inline uint32_t scatter(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 40);
}

/* Pieces of `interleave` bytes go to the channels in turn. The pieces of a channel go to its bank groups in turn, fill a row
 * of each, then the next banks, then the next rows. Where the vendor's hash is not known one of ours stands for it: each turn
 * through the channels begins at another one, and each row's banks do; neighbours stay apart. */
struct dram_place dram_place(const struct dram_spec *s, uint64_t address)
{
    const uint32_t pieces = s->row_bytes / s->interleave * s->groups, of_group = s->banks / s->groups;
    uint64_t piece = quotient(address, s->interleave), turn = quotient(piece, s->channels), row = quotient(turn, pieces);
    uint32_t channel = (uint32_t)(piece - turn * s->channels), bank = rest(row, of_group) * s->groups + rest(turn, s->groups);
    row = quotient(row, of_group);
    if (s->hashed) {
        channel = rest((uint64_t)channel + scatter(turn), s->channels);
        bank = rest((uint64_t)bank + scatter(row), s->banks);
    }
    return (struct dram_place){.channel = channel, .bank = bank, .row = (uint32_t)row};
}

/* --- making one --- */

void dram_share(struct dram *d, uint32_t members)
{
    d->nbatches = members;
    d->batch = pages_take(&d->pages, members * sizeof *d->batch);
    for (uint32_t i = 0; i < members; i++)
        d->batch[i].end = pages_take(&d->pages, d->s.channels * sizeof *d->batch[i].end);
}

struct dram *dram_new(const struct dram_spec *s)
{
    struct pages pages = {0};
    struct dram *d = pages_take(&pages, sizeof *d);
    const size_t words = s->groups + 2 * (size_t)s->banks; /* of a channel: group, of_bank */
    d->pages = pages;
    d->s = *s;
    d->channel = pages_take(&d->pages, s->channels * sizeof *d->channel);
    dram_share(d, 1);
    uint64_t *all = pages_take(&d->pages, s->channels * words * sizeof *all);
    struct bank *banks = pages_take(&d->pages, (size_t)s->channels * s->banks * sizeof *banks);
    for (uint32_t i = 0; i < s->channels; i++) {
        struct channel *c = &d->channel[i];
        c->bus = START;
        c->group = all + i * words;
        c->read.of_bank = c->group + s->groups;
        c->write.of_bank = c->read.of_bank + s->banks;
        c->bank = banks + (size_t)i * s->banks;
        for (uint32_t b = 0; b < s->banks; b++)
            c->bank[b].group = b % s->groups;
    }
    return d;
}

void dram_free(struct dram *d)
{
    if (!d)
        return;
    struct pages pages = d->pages; /* it is in them */
    pages_release(&pages);
}

/* --- rows --- */

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t oldest(const struct window *w, uint64_t slots)
{
    uint32_t by = w->next & (WINDOW - 1);
    uint64_t turned = slots >> by | slots << ((WINDOW - by) & (WINDOW - 1));
    return ((uint32_t)__builtin_ctzll(turned) + by) & (WINDOW - 1);
}

/* Which slots of a window find their row open now. */
static void look(struct window *w, uint32_t bank, uint32_t row)
{
    uint64_t open = 0;
    for (uint64_t left = w->of_bank[bank]; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        open |= (uint64_t)(w->slot[i].row == row) << i;
    }
    w->open = (w->open & ~w->of_bank[bank]) | open;
}

/* COUNTER_DRAM_ROW_HITS and the two after it. */
enum { CLOSED = 1, CONFLICT = 2 };
_Static_assert(COUNTER_DRAM_ROW_CLOSED == COUNTER_DRAM_ROW_HITS + CLOSED, "order in counters.def");
_Static_assert(COUNTER_DRAM_ROW_CONFLICTS == COUNTER_DRAM_ROW_HITS + CONFLICT, "order in counters.def");

/* The row that the slot wants is opened. */
static void open_row(const struct dram *d, struct channel *c, const struct waiting *x)
{
    const struct dram_spec *s = &d->s;
    struct bank *b = &c->bank[x->bank];
    uint64_t at = later(c->openings, c->bus - s->rc), rate = later(s->rrd, s->faw / 4);
    c->openings = at + rate;
    if (b->is_open)
        at = later(later(at, b->closes + s->rp), b->opened + s->rc);
    b->opened = at;
    b->closes = at + s->ras;
    b->row = x->row;
    b->first = b->is_open ? CONFLICT : CLOSED;
    b->is_open = true;
    look(&c->read, x->bank, x->row);
    look(&c->write, x->bank, x->row);
}

/* Banks for which somebody waits, but nobody for the open row, open another one. */
static void open_all(const struct dram *d, struct channel *c, const struct window *w)
{
    for (uint64_t left = w->all; left;) {
        const struct waiting *x = &w->slot[oldest(w, left)];
        if (!(w->open & w->of_bank[x->bank]))
            open_row(d, c, x);
        left &= ~w->of_bank[x->bank];
    }
}

/* --- one access --- */

/* When the data of a bank's open row can begin, whatever the bus does. */
static inline uint64_t data_of(const struct dram_spec *s, const struct channel *c, const struct bank *b, bool write)
{
    return later(b->opened + s->rcd + (write ? s->cwl : s->cl), c->group[b->group]);
}

/* The oldest of those that can have the bus first. */
static uint32_t choose(const struct dram_spec *s, const struct channel *c, const struct window *w, bool write, uint64_t bus)
{
    uint32_t best = 0;
    uint64_t first = UINT64_MAX;
    for (uint64_t left = w->open; left;) {
        uint32_t i = oldest(w, left), bank = w->slot[i].bank;
        uint64_t at = data_of(s, c, &c->bank[bank], write);
        if (at <= bus)
            return i;
        best = at < first ? i : best;
        first = at < first ? at : first;
        left &= ~w->of_bank[bank];
    }
    return best;
}

/* One access of those that wait; there is one, and its bank has its row open. */
static void serve(const struct dram *d, struct channel *c, struct window *w, struct counters *sites)
{
    const struct dram_spec *s = &d->s;
    bool write = w == &c->write, turns = write != c->writing && c->bytes;
    uint64_t bus = c->bus + (!turns ? 0 : write ? s->turn : s->wtr + s->cl);
    uint32_t i = choose(s, c, w, write, bus);
    const struct waiting *x = &w->slot[i];
    struct bank *b = &c->bank[x->bank];
    struct counters *to = &sites[x->site];
    uint64_t at = later(bus, data_of(s, c, b, write)), end = at + (uint64_t)x->bursts * s->burst;
    uint64_t command = at - (write ? s->cwl : s->cl) + (uint64_t)(x->bursts - 1) * s->ccd_l;

    to->v[COUNTER_DRAM_ROW_HITS + b->first]++;
    to->v[COUNTER_DRAM_TURNS] += turns;
    to->v[COUNTER_DRAM_DATA_PS] += end - at;
    to->v[COUNTER_DRAM_BUSY_PS] += end - c->bus;
    b->first = 0;
    b->accesses++;
    b->closes = later(b->closes, write ? end + s->wr : command + s->rtp);
    c->group[b->group] = at + (uint64_t)x->bursts * later(s->ccd_l, s->burst);
    c->bus = end;
    c->bytes += x->bursts * s->burst_bytes;
    c->writing = write;
    w->all &= ~(UINT64_C(1) << i);
    w->open &= w->all;
    w->of_bank[x->bank] &= w->all;
    w->n--;
    if (w->of_bank[x->bank] && !(w->open & w->of_bank[x->bank]))
        open_row(d, c, &w->slot[oldest(w, w->of_bank[x->bank])]);
}

/* Writes until so many are left; then the reads' rows again. */
static void drain(const struct dram *d, struct channel *c, uint32_t left, struct counters *sites)
{
    open_all(d, c, &c->write);
    while (c->write.n > left)
        serve(d, c, &c->write, sites);
    open_all(d, c, &c->read);
}

static void enter(struct window *w, const struct bank *b, const struct waiting *x)
{
    uint32_t i = w->next++ & (WINDOW - 1);
    uint64_t bit = UINT64_C(1) << i;
    w->slot[i] = *x;
    w->all |= bit;
    w->of_bank[x->bank] |= bit;
    w->open |= b->is_open && b->row == x->row ? bit : 0;
    w->n++;
}

static inline bool is_full(const struct window *w)
{
    return w->all >> (w->next & (WINDOW - 1)) & 1;
}

static void take_write(const struct dram *d, struct channel *c, const struct waiting *x, struct counters *sites)
{
    struct window *w = &c->write;
    while (is_full(w)) /* an old write among young ones */
        drain(d, c, w->n > WRITES_LOW ? WRITES_LOW : 0, sites);
    enter(w, &c->bank[x->bank], x);
    if (w->n >= WRITES_HIGH)
        drain(d, c, WRITES_LOW, sites);
}

static void take_read(const struct dram *d, struct channel *c, const struct waiting *x, struct counters *sites)
{
    struct window *w = &c->read;
    while (w->n && (int32_t)(x->time - w->slot[oldest(w, w->all)].time) > (int32_t)d->s.wait)
        serve(d, c, w, sites);
    while (is_full(w))
        serve(d, c, w, sites);
    enter(w, &c->bank[x->bank], x);
    if (!(w->open & w->of_bank[x->bank]))
        open_row(d, c, &w->slot[oldest(w, w->of_bank[x->bank])]);
}

/* The channels get what was asked of them. */
static void hand_out(struct dram *d, struct batch *b, struct counters *sites)
{
    uint32_t at = 0;
    memset(b->end, 0, d->s.channels * sizeof *b->end);
    for (uint32_t i = 0; i < b->n; i++)
        b->end[b->place[i].channel]++;
    for (uint32_t i = 0; i < d->s.channels; i++) {
        at += b->end[i];
        b->end[i] = at - b->end[i];
    }
    for (uint32_t i = 0; i < b->n; i++)
        b->order[b->end[b->place[i].channel]++] = (uint16_t)i;
    for (uint32_t k = 0; k < b->n; k++) {
        const struct asked *a = &b->asked[b->order[k]];
        const struct dram_place *p = &b->place[b->order[k]];
        struct waiting x = {.row = p->row, .site = a->site, .time = a->time, .bank = (uint16_t)p->bank,
                            .bursts = (uint8_t)(lines_count(a->sectors) * SECTOR / d->s.burst_bytes)};
        (a->write ? take_write : take_read)(d, &d->channel[p->channel], &x, sites);
    }
    b->n = 0;
}

struct dram_place dram_place_of(const struct dram *d, uint64_t line)
{
    return dram_place(&d->s, line << LINE_SHIFT);
}

void dram_access(struct dram *d, const struct dram_place *at, unsigned sectors, bool write, const struct dram_asker *by)
{
    struct batch *b = &d->batch[at->channel % d->nbatches];
    b->place[b->n] = *at;
    b->asked[b->n++] = (struct asked){by->site, (uint32_t)by->time, (uint8_t)sectors, write};
    if (b->n == BATCH)
        hand_out(d, b, by->sites);
}

void dram_finish(struct dram *d, struct counters *sites)
{
    for (uint32_t i = 0; i < d->nbatches; i++)
        hand_out(d, &d->batch[i], sites);
    for (uint32_t i = 0; i < d->s.channels; i++) {
        struct channel *c = &d->channel[i];
        while (c->read.n)
            serve(d, c, &c->read, sites);
        drain(d, c, 0, sites);
    }
}

/* --- figures --- */

void dram_stats_of(const struct dram *d, struct dram_stats *out)
{
    *out = (struct dram_stats){.channels = d->s.channels, .banks = d->s.banks};
    out->bytes = alloc_zeroed(d->s.channels * sizeof *out->bytes);
    for (uint32_t i = 0; i < d->s.channels; i++) {
        const struct channel *c = &d->channel[i];
        uint64_t most = 0;
        for (uint32_t k = 0; k < d->s.banks; k++)
            most = later(most, c->bank[k].accesses);
        out->bytes[i] = c->bytes;
        out->bank_accesses += most;
        out->busiest_ps = later(out->busiest_ps, c->bus - START);
    }
}

void dram_stats_release(struct dram_stats *s)
{
    alloc_release(s->bytes);
    *s = (struct dram_stats){0};
}
