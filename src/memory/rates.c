/* See rates.h. */
#include "memory/rates.h"

#include "base/alloc.h"
#include "memory/lines.h"
#include "memory/ways.h"

enum { PARTS = 256, SHARE_SHIFT = 4 /* of writes among the last accesses of a channel: about so many, 2 to this power */, WHOLE = 1 << 12,
       PAIR_SHIFT = 1, CHUNK_SHIFT = 3 /* lines, 2 to this power, that are in two slices for atomics */ };

/* When a server is free, in 1/PARTS of a cycle. */
struct channel {
    uint64_t free;
    uint32_t writes; /* of WHOLE: the share of writes */
};

struct rates {
    const struct caches_config *c;
    struct divisor slices;
    uint64_t *slice, *read_sm, *write_sm, *read_gpc, *write_gpc; /* [l2_slices], [sms] twice, [gpcs] twice; NULL: any number at once */
    struct channel *channel; /* [dram_channels], or NULL */
};

struct rates *rates_new(const struct caches_config *c)
{
    struct rates *r = alloc_zeroed(sizeof *r);
    const uint32_t gpcs = c->gpcs ? c->gpcs : 1;
    r->c = c;
    r->slices = divisor_of(c->l2_slices);
    if (c->l2_slice_cycles)
        r->slice = alloc_zeroed(c->l2_slices * sizeof *r->slice);
    if (c->sm_read_cycles)
        r->read_sm = alloc_zeroed(c->sms * sizeof *r->read_sm);
    r->write_sm = alloc_zeroed(c->sms * sizeof *r->write_sm);
    if (c->gpc_read_cycles)
        r->read_gpc = alloc_zeroed(gpcs * sizeof *r->read_gpc);
    if (c->gpc_write_cycles)
        r->write_gpc = alloc_zeroed(gpcs * sizeof *r->write_gpc);
    if (c->dram_channel_cycles)
        r->channel = alloc_zeroed(c->dram_channels * sizeof *r->channel);
    return r;
}

void rates_free(struct rates *r)
{
    if (!r)
        return;
    alloc_release(r->slice);
    alloc_release(r->read_sm);
    alloc_release(r->write_sm);
    alloc_release(r->read_gpc);
    alloc_release(r->write_gpc);
    alloc_release(r->channel);
    alloc_release(r);
}

/* Until when the server is busy with the work. */
static uint64_t busy(uint64_t *server, uint64_t time, uint64_t work)
{
    *server = (*server > time * PARTS ? *server : time * PARTS) + work;
    return *server / PARTS;
}

/* Neighbouring lines are in different slices; where the next so many lines begin is by their hash. */
static uint64_t *slice_of(const struct rates *r, uint64_t line)
{
    const uint64_t shifted = line + (lines_hash(divide(line, r->slices)) >> 32);
    return &r->slice[shifted - divide(shifted, r->slices) * r->slices.by];
}

uint64_t rates_slice(struct rates *r, enum rates_work work, uint64_t line, unsigned sectors, uint64_t time)
{
    if (!r->slice)
        return time;
    const uint64_t each = work == RATES_WRITE ? r->c->l2_write_cycles : r->c->l2_slice_cycles, all = lines_count(sectors) * each;
    return busy(slice_of(r, line), time, all > r->c->l2_request_cycles ? all : r->c->l2_request_cycles);
}

uint64_t rates_atomic(struct rates *r, const struct l2_request *of, uint64_t time)
{
    if (!r->slice)
        return time;
    const struct caches_config *c = r->c;
    const unsigned sectors = lines_count(of->sectors), same = of->lanes > sectors ? of->lanes - sectors : 0;
    const uint64_t sector = of->atomic & L2_ATOMIC_SLOW ? c->atomic_sector_slow : c->atomic_sector;
    uint64_t work = (sectors - 1) * sector + (sector > c->atomic_word ? sector : c->atomic_word) + same * c->atomic_word;
    if (of->atomic & L2_ATOMIC_FLOAT && sectors == 1) /* sums of one word wait for each other */
        work = (same + 1) * c->atomic_word_float > work ? (same + 1) * c->atomic_word_float : work;
    const uint64_t chunk = of->line >> CHUNK_SHIFT, half = (of->line >> PAIR_SHIFT ^ of->line >> (PAIR_SHIFT + 1)) & 1;
    return busy(slice_of(r, (lines_hash(chunk) >> 24) * 2 + half), time, work);
}

uint64_t rates_send(struct rates *r, uint32_t sm, uint32_t gpc, const struct l2_request *of, uint64_t time)
{
    const struct caches_config *c = r->c;
    const unsigned sectors = lines_count(of->sectors);
    const uint64_t cycles = of->op == L2_ATOMIC ? (uint64_t)c->red_line_cycles * sectors : (uint64_t)c->store_sector_cycles * sectors + (of->bytes ? c->store_part_cycles : 0);
    time = busy(&r->write_sm[sm], time, cycles * PARTS);
    return r->write_gpc ? busy(&r->write_gpc[gpc], time, (uint64_t)sectors * c->gpc_write_cycles) : time;
}

uint64_t rates_answer(struct rates *r, uint32_t sm, uint32_t gpc, unsigned sectors, uint64_t time)
{
    if (r->read_gpc)
        time = busy(&r->read_gpc[gpc], time, (uint64_t)sectors * r->c->gpc_read_cycles);
    return r->read_sm ? busy(&r->read_sm[sm], time, (uint64_t)sectors * r->c->sm_read_cycles) : time;
}

/* By the line's hash. Where the channels are a power of two its bits come in runs: of 10,240 successive lines the busiest of 64 channels
 * got twice its share. There successive lines are in different channels, and where the next so many begin is by their hash. */
static struct channel *channel_of(const struct rates *r, uint64_t line)
{
    const uint32_t n = r->c->dram_channels;
    return &r->channel[n & (n - 1) ? (lines_hash(line) >> 24) % n : (line + (lines_hash(line / n) >> 32)) % n];
}

uint64_t rates_dram(struct rates *r, uint64_t line, unsigned units, bool write, uint64_t time)
{
    if (!r->channel || !units)
        return time;
    struct channel *ch = channel_of(r, line);
    ch->writes += ((write ? WHOLE : 0) >> SHARE_SHIFT) - (ch->writes >> SHARE_SHIFT);
    const uint64_t mixed = (uint64_t)ch->writes * (WHOLE - ch->writes) / (WHOLE / 4) * r->c->dram_turn_cycles / WHOLE; /* most where half of them are writes */
    const uint64_t each = (write ? r->c->dram_write_cycles : r->c->dram_channel_cycles) + mixed;
    return busy(&ch->free, time, units * each);
}
