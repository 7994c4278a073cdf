/* See rates.h. */
#include "memory/rates.h"

#include "base/pages.h"
#include "memory/booked.h"
#include "memory/lines.h"
#include "memory/ways.h"

enum { PARTS = 256, SHARE_SHIFT = 4 /* of writes among the last accesses of a channel: about so many, 2 to this power */, WHOLE = 1 << 12,
       CHAINS = 4096, LINE_WORDS = 32, VISITS = 16, FILLS = 1024, PAIR_SHIFT = 1, CHUNK_SHIFT = 3 /* lines, 2 to this power, that are in two slices for stores and atomics */ };


/* Sums of floats in a word, or stores to a sector that do not fill it: when the next one may begin, in 1/PARTS of a cycle. */
struct chain {
    uint64_t word, until;
};

/* Pieces that a channel was asked for last, by their hash, and of each what is left of the time that its visit takes at least; pieces that lines were
 * filled from. */
struct visits {
    struct visit {
        uint64_t piece; /* 1 + twice its number, and one more if it was written */
        uint64_t left;
    } last[VISITS];
    uint32_t filled[FILLS];
};

struct rates {
    struct pages pages; /* all of it */
    struct chain chain[CHAINS]; /* by the hash of word or sector */
    const struct caches_config *c;
    struct divisor slices, channels;
    struct booked *slice, *read_sm, *write_sm, *read_gpc, *write_gpc; /* [l2_slices], [sms] twice, [gpcs] twice; NULL: any number at once. In PARTS of a cycle */
    struct booked *channel; /* [dram_channels], or NULL */
    struct visits *visits;  /* [dram_channels], or NULL: a visit takes no longer than its bytes */
    uint32_t *writes; /* [dram_channels]: of WHOLE, the share of writes */
    unsigned piece_shift;   /* lines of a piece, 2 to this power */
};

struct rates *rates_new(const struct caches_config *c)
{
    struct pages pages = {0};
    struct rates *r = pages_take(&pages, sizeof *r);
    const uint32_t gpcs = c->gpcs ? c->gpcs : 1;
    r->pages = pages;
    r->c = c;
    r->slices = divisor_of(c->l2_slices);
    r->channels = divisor_of(c->dram_channels);
    if (c->l2_slice_cycles)
        r->slice = pages_take(&r->pages, c->l2_slices * sizeof(struct booked));
    if (c->sm_read_cycles)
        r->read_sm = pages_take(&r->pages, c->sms * sizeof(struct booked));
    r->write_sm = pages_take(&r->pages, c->sms * sizeof(struct booked));
    if (c->gpc_read_cycles)
        r->read_gpc = pages_take(&r->pages, gpcs * sizeof(struct booked));
    if (c->gpc_write_cycles)
        r->write_gpc = pages_take(&r->pages, gpcs * sizeof(struct booked));
    if (c->dram_channel_cycles) {
        r->channel = pages_take(&r->pages, c->dram_channels * sizeof(struct booked));
        r->writes = pages_take(&r->pages, c->dram_channels * sizeof *r->writes);
        if (c->dram_visit_cycles || c->dram_visit_write_cycles)
            r->visits = pages_take(&r->pages, c->dram_channels * sizeof *r->visits);
        r->piece_shift = c->dram_piece_lines > 1 ? (unsigned)__builtin_ctz(c->dram_piece_lines) : 0;
    }
    return r;
}

void rates_free(struct rates *r)
{
    if (!r)
        return;
    struct pages pages = r->pages; /* it is in them */
    pages_release(&pages);
}

#define SUMS (UINT64_C(1) << 63) /* of a chain's word: it is one of sums */

/* Until when the server is busy with the work. now: what it is asked for from now on is no earlier. */
static uint64_t busy(struct booked *server, uint64_t now, uint64_t time, uint64_t work)
{
    if (!work)
        return time;
    return booked_take(server, now * PARTS, time * PARTS, work) / PARTS;
}

/* Neighbouring lines are in different slices; where the next so many lines begin is by their hash. */
static uint32_t slice_of_line(const struct rates *r, uint64_t line)
{
    const uint64_t shifted = line + (lines_hash(divide(line, r->slices)) >> 32);
    return (uint32_t)(shifted - divide(shifted, r->slices) * r->slices.by);
}

uint32_t rates_slice_of(const struct rates *r, const struct l2_request *of)
{
    if (!r->slice)
        return 0;
    if (of->op != L2_ATOMIC && of->op != L2_WRITE)
        return slice_of_line(r, of->line);
    const uint64_t chunk = of->line >> CHUNK_SHIFT, half = (of->line >> PAIR_SHIFT ^ of->line >> (PAIR_SHIFT + 1)) & 1;
    return slice_of_line(r, chunk * 2 + half);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Does the next one wait for what is to be done to its word (of a store: to its sector)? */
static bool is_chained(const struct rates *r, const struct l2_request *of)
{
    return r->slice && (of->op == L2_ATOMIC ? of->atomic & L2_ATOMIC_FLOAT : of->bytes != 0);
}

static uint64_t word_of(const struct l2_request *of)
{
    return of->op == L2_ATOMIC ? SUMS | (of->line * LINE_WORDS + of->word) : of->line * LINE_SECTORS + (unsigned)__builtin_ctz(of->sectors);
}

static uint32_t chain_of_word(uint64_t word)
{
    return (uint32_t)(lines_hash(word) >> 32 & (CHAINS - 1));
}

uint32_t rates_chain_of(const struct rates *r, const struct l2_request *of)
{
    return is_chained(r, of) ? chain_of_word(word_of(of)) : 0;
}

uint64_t rates_chain(struct rates *r, const struct l2_request *of, uint64_t time, uint64_t *done)
{
    *done = 0;
    if (!is_chained(r, of))
        return time;
    const uint64_t word = word_of(of);
    struct chain *c = &r->chain[chain_of_word(word)];
    if (c->word != word)
        *c = (struct chain){.word = word};
    const uint64_t begins = larger(c->until / PARTS, time);
    if (of->op == L2_ATOMIC) {
        c->until = larger(c->until, begins * PARTS) + (uint64_t)of->same * r->c->atomic_word_float;
        *done = c->until / PARTS;
    } else {
        c->until = larger(c->until, time * PARTS) + r->c->store_again;
    }
    return begins;
}

/* Lanes of an atomic beyond one for each sector. */
static unsigned further(const struct l2_request *of)
{
    const unsigned sectors = lines_count(of->sectors);
    return of->lanes > sectors ? of->lanes - sectors : 0;
}

/* What the slice has to do for an atomic. */
static uint64_t atomic_work(const struct rates *r, const struct l2_request *of)
{
    const struct caches_config *c = r->c;
    const unsigned sectors = lines_count(of->sectors), same = further(of);
    const uint64_t sector = of->atomic & L2_ATOMIC_SLOW ? c->atomic_sector_slow : c->atomic_sector;
    return (sectors - 1) * sector + (sector > c->atomic_word ? sector : c->atomic_word) + same * c->atomic_word;
}

/* What all slices have to do for it. */
static uint64_t all_work(const struct rates *r, const struct l2_request *of)
{
    const struct caches_config *c = r->c;
    const unsigned sectors = lines_count(of->sectors), same = further(of);
    return of->atomic & L2_ATOMIC_ANSWERS ? sectors * (uint64_t)c->atom_sector_cycles + same * (uint64_t)c->atom_word_cycles
                                          : sectors * (uint64_t)c->red_sector_cycles + same * (uint64_t)c->red_word_cycles;
}

/* A slice of the other half, which half of the requests pass before they come to theirs. */
static uint32_t across(const struct rates *r, uint32_t slice)
{
    const uint32_t half = r->c->l2_slices / 2;
    return slice < half ? slice + half : slice - half;
}

uint32_t rates_slices_of(const struct rates *r, uint32_t slice)
{
    const uint32_t half = r->c->l2_slices / 2;
    return half ? slice % half : slice;
}

uint64_t rates_slice(const struct rates *r, const struct l2_request *of, uint32_t slice, uint64_t time)
{
    const struct caches_config *c = r->c;
    if (!r->slice)
        return time;
    const unsigned sectors = lines_count(of->sectors);
    if (of->op != L2_ATOMIC) {
        const bool write = of->op == L2_WRITE;
        const uint64_t each = write ? c->l2_write_cycles : c->l2_slice_cycles, least = write ? c->l2_write_request_cycles : c->l2_request_cycles;
        return busy(&r->slice[slice], of->time, time, larger((uint64_t)sectors * each, least));
    }
    const uint64_t work = atomic_work(r, of), all = all_work(r, of), home = busy(&r->slice[slice], of->time, time, work);
    return all > work ? larger(home, busy(&r->slice[across(r, slice)], of->time, time, all - work)) : home;
}

void rates_fetch(const struct rates *r, uint32_t slice, uint32_t sm, const struct l2_request *of)
{
    const bool sends = of->op == L2_WRITE || of->op == L2_ATOMIC;
    if (r->slice)
        booked_fetch(&r->slice[slice], of->time * PARTS);
    if (sends)
        booked_fetch(&r->write_sm[sm], of->time * PARTS);
    else if (r->read_sm)
        booked_fetch(&r->read_sm[sm], of->time * PARTS);
}

uint64_t rates_send(const struct rates *r, uint32_t sm, uint32_t gpc, const struct l2_request *of)
{
    const struct caches_config *c = r->c;
    const unsigned sectors = lines_count(of->sectors);
    const uint64_t cycles = of->op == L2_ATOMIC ? (uint64_t)c->red_line_cycles * of->lanes : (uint64_t)c->store_sector_cycles * sectors + (of->bytes ? c->store_part_cycles : 0);
    const uint64_t time = busy(&r->write_sm[sm], of->time, of->time, cycles * PARTS);
    return r->write_gpc ? busy(&r->write_gpc[gpc], of->time, time, (uint64_t)sectors * c->gpc_write_cycles) : time;
}

uint64_t rates_return(const struct rates *r, uint32_t gpc, const struct l2_request *of, uint64_t time)
{
    return r->read_gpc ? busy(&r->read_gpc[gpc], of->time, time, (uint64_t)lines_count(of->sectors) * r->c->gpc_read_cycles) : time;
}

uint64_t rates_answer(const struct rates *r, uint32_t sm, const struct l2_request *of, uint64_t time)
{
    return r->read_sm ? busy(&r->read_sm[sm], of->time, time, (uint64_t)lines_count(of->sectors) * r->c->sm_read_cycles) : time;
}

/* By the hash of the line's piece. Where the channels are a power of two its bits come in runs: of 10,240 successive lines the busiest of 64
 * channels got twice its share. There successive pieces are in different channels, and where the next so many begin is by their hash. */
uint32_t rates_channel_of(const struct rates *r, uint64_t line)
{
    const uint32_t n = r->c->dram_channels;
    if (!r->channel)
        return 0;
    const uint64_t piece = line >> r->piece_shift;
    const uint64_t turned = n & (n - 1) ? lines_hash(piece) >> 24 : piece + (lines_hash(divide(piece, r->channels)) >> 32);
    return (uint32_t)(turned - divide(turned, r->channels) * n);
}

/* What the channel has to do for so much work of a piece: at least a visit's, if it was not asked for it just now. */
static uint64_t visited(struct visits *v, uint64_t piece, enum dram_kind kind, uint64_t work, uint64_t least)
{
    const uint64_t name = 1 + 2 * piece + (kind == DRAM_WRITE), hash = lines_hash(piece);
    struct visit *last = &v->last[hash >> 40 & (VISITS - 1)];
    if (kind == DRAM_FILL) {
        uint32_t *filled = &v->filled[hash >> 40 & (FILLS - 1)];
        if (*filled == (uint32_t)name)
            return work;
        *filled = (uint32_t)name;
    }
    if (last->piece == name)
        least = last->left;
    const uint64_t takes = last->piece == name ? (work > least ? work - least : 1) : larger(work, least); /* it waits its turn in any case */
    *last = (struct visit){name, least > work ? least - work : 0};
    return takes;
}

uint64_t rates_dram(const struct rates *r, uint32_t channel, uint64_t line, unsigned sectors, enum dram_kind kind, uint64_t now, uint64_t time)
{
    const struct caches_config *c = r->c;
    const bool write = kind == DRAM_WRITE;
    if (!r->channel || !sectors)
        return time;
    uint32_t *writes = &r->writes[channel];
    *writes += ((write ? WHOLE : 0) >> SHARE_SHIFT) - (*writes >> SHARE_SHIFT);
    const uint64_t mixed = (uint64_t)*writes * (WHOLE - *writes) / (WHOLE / 4) * c->dram_turn_cycles / WHOLE; /* most where half of them are writes */
    uint64_t work = sectors * ((write ? c->dram_write_cycles : c->dram_channel_cycles) + mixed);
    if (r->visits && !(write && sectors == LINE_SECTORS))
        work = visited(&r->visits[channel], line >> r->piece_shift, kind, work, write ? c->dram_visit_write_cycles : c->dram_visit_cycles);
    return busy(&r->channel[channel], now, time, work);
}
