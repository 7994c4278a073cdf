/* See unit.h. */
#include "clock/unit.h"

#include "memory/lanes.h"
#include "memory/memory.h"

enum { TICKS = PACE_TICKS };

unsigned unit_passes(const struct record *r)
{
    bool atomic = r->op == RECORD_ATOM || r->op == RECORD_RED;
    return atomic ? atomics_shared_wavefronts(r) : shared_passes(r).wavefronts;
}

uint64_t unit_keep_data(struct sm *s, uint64_t at, uint64_t cycles, uint64_t pass_ticks)
{
    s->data = later(s->data, at) + cycles * pass_ticks;
    return s->data;
}

uint64_t unit_store_cycles(const struct caches_config *f, const struct record *rec, unsigned lines)
{
    uint64_t bytes = rec->space == PTX_GLOBAL ? (uint64_t)lanes_count(rec->mask) * rec->bytes : 0;
    if (rec->elem < 4)
        return later((uint64_t)f->byte_store_line_cycles * lines, f->byte_store_cycles);
    return later((bytes + f->sm_bytes - 1) / f->sm_bytes, lines);
}

uint64_t unit_load_cycles(const struct caches_config *f, struct sm *s, const struct record *rec, unsigned lines, bool missed, uint64_t at, uint64_t pass_ticks, uint64_t *there)
{
    const unsigned wavefronts = shared_passes(rec).wavefronts, wide = rec->bytes > 8 ? f->wide_latency[1] : rec->bytes > 4 ? f->wide_latency[0] : 0;
    const uint64_t looked = (lines + f->l1_lines - 1) / f->l1_lines;
    const unsigned more = wavefronts > 1 ? (wavefronts - 1) * (f->wavefront_latency - 1) : 0;
    *there = unit_keep_data(s, at * TICKS, wavefronts, pass_ticks) + (uint64_t)(f->l1_latency - 1 + (rec->bytes > 4 ? wide : more)) * TICKS;
    return missed ? later(looked, (uint64_t)lines * f->l1_miss_cycles) : looked;
}

/* What eight lanes from `first` on take, in cycles of lookups. */
static unsigned apart(const struct record *rec, int first)
{
    enum { BANKS = 32, LANES = 8 };
    uint64_t line[LANES];
    uint8_t bank[BANKS] = {0};
    unsigned lines = 0, most = 0;
    for (int lane = first; lane < first + LANES; lane++) {
        if (!(rec->mask >> lane & 1))
            continue;
        const uint64_t at = record_address(rec, lane);
        const unsigned words = ++bank[at / 4 % BANKS];
        unsigned i = 0;
        while (i < lines && line[i] != at >> LINE_SHIFT)
            i++;
        if (i == lines)
            line[lines++] = at >> LINE_SHIFT;
        most = words > most ? words : most;
    }
    const unsigned looked = (lines + 1) / 2;
    return !rec->texels && lines > 1 && most > looked ? most : looked;
}

uint64_t unit_fetch_cycles(const struct caches_config *f, struct sm *s, const struct record *rec, unsigned lines, bool missed, uint64_t at, uint64_t *there)
{
    enum { LANES = 32, EIGHT = 8 };
    const unsigned words = rec->bytes > 4 ? rec->bytes / 4 : 1, pairs = words > 1 ? words / 2 : 1, at_once = f->texture_lanes * (rec->texels ? 1 : 2);
    const uint64_t least = (LANES + at_once - 1) / at_once * (rec->texels > 2 ? words : pairs) * (rec->texels > 4 ? 2 : 1);
    uint64_t looked = 0;
    for (int i = 0; i < LANES; i += EIGHT)
        looked += apart(rec, i);
    const uint64_t takes = later(later(least, looked), missed ? (uint64_t)lines * f->l1_miss_cycles : 0), begins = later(at, s->texture_port);
    s->texture_port = begins + takes;
    *there = (begins + (rec->texels ? f->texture_latency : f->texel_latency) + takes - least) * TICKS;
    return 1;
}

struct unit_busy units_of(uint64_t units, uint64_t busy)
{
    const uint64_t own = units & UINT32_MAX, queued = units >> 32;
    return busy ? (struct unit_busy){(uint8_t)(own * UINT8_MAX / busy), (uint8_t)(queued * UINT8_MAX / busy)} : (struct unit_busy){0};
}
