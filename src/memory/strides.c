/* Loads that lanes do turn by turn, each so many bytes further on in every turn: a row of memory for each lane.
 *
 * How far lanes are apart does not change, so only those within 32 bytes of a lower one can share a sector, and of two whether
 * they do comes again every 32 / step turns. If addresses rise from lane to lane, lanes in one sector are neighbours among
 * those that are on: the sectors of all turns are the lanes of all turns less the pairs of such neighbours. */
#include "memory/lanes.h"
#include "memory/memory.h"
#include "ptx/ptx.h"

enum { LANES = 32, SECTOR = 32 };

struct row {
    uint64_t addr; /* in the first turn */
    uint32_t turns;
};

/* The lanes of on[0], lowest first; *ideal: sectors, if none held more than is asked for. 0: addresses do not rise, or accesses
 * overlap. */
static int find_rows(const struct record *r, const uint32_t *on, int n, struct row row[LANES], uint64_t *ideal)
{
    uint32_t turns[LANES], bytes = 0;
    int rows = 0;
    *ideal = 0;
    for (int at = n - 1; at >= 0; at--) {
        LANES_EACH(lane, on[at] & ~(at + 1 < n ? on[at + 1] : 0)) {
            turns[lane] = (uint32_t)at + 1;
            bytes += r->bytes;
        }
        *ideal += (bytes + SECTOR - 1) / SECTOR;
    }
    LANES_EACH(lane, on[0]) {
        if (rows && (int64_t)(r->addr[lane] - row[rows - 1].addr) < r->bytes)
            return 0;
        row[rows++] = (struct row){r->addr[lane], turns[lane]};
    }
    return rows;
}

/* Turns from..to - 1 in which both are in one sector; it comes again every `period` turns. */
static uint64_t shared_turns(uint64_t a, uint64_t b, uint64_t step, uint32_t from, uint32_t to, uint32_t period)
{
    uint64_t n = 0;
    for (uint32_t t = from; t < to && t < from + period; t++)
        if ((a + t * step) / SECTOR == (b + t * step) / SECTOR)
            n += (to - t + period - 1) / period;
    return n;
}

static uint64_t sectors_of(const struct row *row, int rows, uint64_t step)
{
    uint32_t period = step < SECTOR ? (uint32_t)(SECTOR / step) : 1;
    uint64_t sectors = 0;
    for (int i = 0; i < rows; i++) {
        uint32_t from = 0; /* until then a lane between was the neighbour */
        sectors += row[i].turns;
        for (int j = i - 1; j >= 0 && row[i].addr - row[j].addr < SECTOR && from < row[i].turns; j--) {
            uint32_t to = row[i].turns < row[j].turns ? row[i].turns : row[j].turns;
            if (to > from) {
                sectors -= shared_turns(row[i].addr, row[j].addr, step, from, to, period);
                from = to;
            }
        }
    }
    return sectors;
}

bool memory_strides(struct memory *m, const struct record *r, int64_t step, const uint32_t *on, int n)
{
    struct row row[LANES];
    bool known = r->op == RECORD_LOAD && r->space == PTX_GLOBAL && !m->rules && step > 0 && (step < SECTOR ? SECTOR % step : step % SECTOR) == 0;
    uint64_t ideal, turns = 0;
    int rows = known ? find_rows(r, on, n, row, &ideal) : 0;
    if (!rows)
        return false;
    for (int i = 0; i < rows; i++)
        turns += row[i].turns;
    uint64_t *v = m->sites[r->site].v;
    v[COUNTER_GLOBAL_LD_REQUESTS] += (uint64_t)n;
    v[COUNTER_GLOBAL_LD_SECTORS] += sectors_of(row, rows, (uint64_t)step);
    v[COUNTER_GLOBAL_LD_IDEAL] += ideal;
    v[COUNTER_GLOBAL_LD_BYTES] += turns * r->bytes;
    return true;
}
