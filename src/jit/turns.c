/* Counts of lanes that went round a loop one by one (see turns.h). */
#include "jit/turns.h"

#include <string.h>

/* Lanes that do a block of the loop in each turn, and those that leave behind it. */
struct turns {
    uint32_t on[TALLY_TURNS + 1], out[TALLY_TURNS + 1];
    uint32_t n; /* in which there is one */
};

/* Of the block with this number in the loop. */
static void find_turns(const struct tally_turns *t, int nth, uint32_t lanes, struct turns *r)
{
    memset(r, 0, sizeof *r);
    uint32_t ends[TALLY_TURNS + 2] = {0}, on = lanes;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        uint32_t times = t->full[lane] + (t->last[lane] > (uint32_t)nth);
        ends[times] |= m & -m;
        if (t->last[lane] == (uint32_t)nth + 1)
            r->out[t->full[lane]] |= m & -m;
        r->n = times > r->n ? times : r->n;
    }
    for (uint32_t i = 0; i < r->n; i++)
        r->on[i] = on &= ~ends[i];
}

static unsigned count_of(uint32_t lanes)
{
    return (unsigned)__builtin_popcount(lanes);
}

static void count_branch(const struct ir_inst *in, int32_t site, int32_t join, const struct turns *r, struct exec_counts *counts)
{
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t on = r->on[i], out = r->out[i], taken = in->target == join ? out : on & ~out;
        counts->site_lanes[site] += count_of(taken);
        counts->divergent[site] += out && out != on;
    }
}

void turns_count(const struct ir_kernel *k, const int32_t *row, const struct chain *c, uint32_t lanes, struct exec_counts *counts)
{
    struct tally_turns *t = counts->tally->turns;
    struct turns r;
    int load = 0;
    for (int j = 0; j < c->n; j++) {
        const struct ir_block *b = &k->blocks[c->block[j]];
        find_turns(t, j, lanes, &r);
        counts->block_runs[c->block[j]] += r.n;
        for (uint32_t i = 0; i < r.n; i++)
            counts->block_lanes[c->block[j]] += count_of(r.on[i]);
        for (uint32_t i = 0; i < r.n && k->entered && k->entered[c->block[j]]; i++)
            counts->enter(counts->taker, c->block[j], r.on[i], 1);
        for (int32_t s = b->first; s < b->first + b->count; s++) {
            if (ir_is_conditional(&k->insts[s]))
                count_branch(&k->insts[s], s, c->join, &r, counts);
            if (row[s] >= 0) {
                tally_rows(counts, row[s], t->row[load], c->load[load].strided ? c->load[load].step : 0, r.on, (int)r.n);
                load++;
            }
        }
    }
}
