/* See first.h. */
#include "clock/first.h"

#include "base/alloc.h"

/* SMs that get their first blocks together: those of a GPC but its late TPCs, and these by themselves. */
struct group {
    uint32_t *sm, n, tpcs; /* in the order of their numbers */
    uint32_t began;        /* blocks */
};

struct giving {
    const struct caches_config *c;
    first_give *give;
    void *user;
    uint64_t left; /* blocks */
};

static bool first_block(struct giving *to, struct group *g, uint32_t i)
{
    const bool given = to->give(to->user, g->sm[i], (uint64_t)g->began++ * to->c->block_dispatch);
    to->left -= given;
    return given;
}

/* One block to each SM of the group. */
static void first_turn(struct giving *to, struct group *g)
{
    for (uint32_t i = 0; i < g->n && first_block(to, g, i); i++)
        ;
}

/* The group that gets the next block of first_rest: the one with the fewest of those that have a TPC without one; if none has, of those
 * that have an SM without one. n: none. */
static uint32_t fewest(const struct group *group, const uint32_t *gets, uint32_t n)
{
    for (int pass = 0; pass < 2; pass++) {
        uint32_t least = n;
        for (uint32_t g = 0; g < n; g++)
            if (gets[g] < (pass ? group[g].n : group[g].tpcs) && (least == n || gets[g] < gets[least]))
                least = g;
        if (least < n)
            return least;
    }
    return n;
}

/* Fewer blocks than SMs are left: as many to each group, and no second one to a TPC while another one has none. */
static void first_rest(struct giving *to, struct group *group, uint32_t n)
{
    uint32_t *gets = alloc_zeroed(n * sizeof *gets), sms_per_tpc = to->c->sms_per_tpc, g;
    for (uint64_t left = to->left; left && (g = fewest(group, gets, n)) < n; left--)
        gets[g]++;
    for (g = 0; g < n; g++)
        for (uint32_t t = 0, at = 0; t < group[g].tpcs; t++, at += sms_per_tpc) {
            uint32_t all = gets[g] / group[g].tpcs + (t < gets[g] % group[g].tpcs);
            for (uint32_t i = 0; i < all; i++)
                first_block(to, &group[g], at + i);
        }
    alloc_release(gets);
}

void first_blocks(const struct caches_config *c, uint32_t sms, uint32_t cta_slots, uint64_t nblocks, first_give *give, void *user, uint32_t *order)
{
    struct giving to = {c, give, user, nblocks};
    uint32_t n = 0, late = c->late_tpcs * c->sms_per_tpc;
    struct group *group = alloc_zeroed((c->gpcs + 2) * sizeof *group), *others = group + 1;
    const uint64_t all = nblocks / sms, rounds = all < cta_slots ? all : cta_slots;
    uint64_t had = 0, turns = c->late_again - c->late_first;

    late = late < sms ? late : 0;
    for (uint32_t g = 0; g <= c->gpcs; g++) {
        group[g].sm = order + n;
        for (uint32_t i = 0; i < sms; i++)
            if (g ? i < sms - late && caches_gpc(c, i) == g - 1 : i >= sms - late)
                order[n++] = i;
        group[g].n = (uint32_t)(order + n - group[g].sm);
        group[g].tpcs = group[g].n / c->sms_per_tpc;
    }
    for (uint64_t round = 0; round < rounds; round++)
        for (uint32_t g = 0; g < c->gpcs; g++, turns++) {
            if (had < rounds && (!had || turns % c->late_again == 0)) {
                first_turn(&to, group);
                had++;
            }
            first_turn(&to, &others[g]);
        }
    for (; had < rounds; had++)
        first_turn(&to, group);
    if (rounds < cta_slots) { /* less than a block for each SM is left */
        first_turn(&to, group);
        first_rest(&to, others, c->gpcs);
    }
    alloc_release(group);
}
