/* The rule sets as a table, the choice among them, and what they count (rules.h). */
#include "memory/rules.h"

#include <stddef.h>

#include "counters/counters.h"
#include "memory/lanes.h"
#include "memory/memory.h"
#include "ptx/ptx.h"

static const struct rule_set sets[] = {
#define RULES(id, first, last, global, shared, wide, constant, readonly, what) \
    {#id, what, first, last, global, shared, wide, constant, readonly},
#include "memory/rules.def"
#undef RULES
};

enum { SETS = sizeof sets / sizeof sets[0] };

const struct rule_set *rules_at(int i)
{
    return i >= 0 && i < SETS ? &sets[i] : NULL;
}

struct rules rules_of(const struct device *d, bool eight_byte_banks)
{
    int cc = (int)(10 * d->cc_major + d->cc_minor), at = 0;

    while (at < SETS - 1 && cc > sets[at].last)
        at++;
    bool by_4 = sets[at].shared == banks_wide_by_4 && !eight_byte_banks;
    return (struct rules){.set = &sets[at], .l1_global = d->l1_global, .local_l1 = d->local_l1,
                          .readonly = sets[at].readonly && d->readonly_path != DEVICE_READONLY_PATH_NONE,
                          .readonly_apart = d->readonly_path == DEVICE_READONLY_PATH_TEXTURE,
                          .wide_banks = eight_byte_banks, .shared_residue = by_4 ? 256 : 128};
}

/* PTX ISA, "cache operators": .ca asks for L1, .cg and .cv pass it by; the others leave it as it is. */
static bool through_l1(const struct rules *k, const struct record *r)
{
    if (r->op != RECORD_LOAD || k->l1_global == DEVICE_L1_GLOBAL_NEVER || r->cache == PTX_CACHE_CG || r->cache == PTX_CACHE_CV)
        return false;
    return r->cache == PTX_CACHE_CA || k->l1_global == DEVICE_L1_GLOBAL_ALWAYS;
}

/* Counters that are written through a pointer to the first of them. */
_Static_assert(COUNTER_GLOBAL_LD_LINES == COUNTER_GLOBAL_LD_OF_32 + 3, "order in counters.def");
_Static_assert(COUNTER_GLOBAL_ST_LINES == COUNTER_GLOBAL_ST_OF_32 + 3, "order in counters.def");

/* True: the load went another way than other loads. */
static bool count_readonly(const struct rules *k, uint64_t *v, uint64_t times, const struct record *r, unsigned bytes)
{
    unsigned sectors = coalescer_sectors(r), ideal = (bytes + 31) / 32;

    v[COUNTER_READONLY_REQUESTS] += times;
    v[COUNTER_READONLY_SECTORS] += times * sectors;
    v[COUNTER_READONLY_IDEAL] += times * (ideal < sectors ? ideal : sectors);
    v[COUNTER_READONLY_BYTES] += times * bytes;
    return k->readonly_apart;
}

static bool count_global(const struct rules *k, uint64_t *v, uint64_t times, const struct record *r, unsigned bytes)
{
    enum { OF_64 = 1, OF_128 = 2, LINES = 3 }; /* order in counters.def */
    struct transactions t = {0};
    bool cached = through_l1(k, r);

    if (r->op != RECORD_LOAD && r->op != RECORD_STORE)
        return false;
    if (r->op == RECORD_LOAD && r->nc && k->readonly && count_readonly(k, v, times, r, bytes))
        return true;
    if (!k->set->global)
        return false;
    k->set->global(r, cached, &t);
    v += r->op == RECORD_LOAD ? COUNTER_GLOBAL_LD_OF_32 : COUNTER_GLOBAL_ST_OF_32;
    v[0] += times * t.of_32;
    v[OF_64] += times * t.of_64;
    v[OF_128] += times * t.of_128;
    v[LINES] += cached ? 0 : times * t.lines;
    return false;
}

/* Atomics on local memory are private to a thread: the hardware loads and stores (memory.c). */
static void count_local(const struct rules *k, uint64_t *v, uint64_t times, const struct record *r)
{
    struct transactions t = {0};

    if (!k->set->global)
        return;
    local_transactions(k->set, r, k->local_l1, &t);
    if (r->op != RECORD_STORE)
        v[COUNTER_LOCAL_LD_TRANSACTIONS] += times * (t.of_32 + t.of_64 + t.of_128);
    if (r->op != RECORD_LOAD)
        v[COUNTER_LOCAL_ST_TRANSACTIONS] += times * (t.of_32 + t.of_64 + t.of_128);
}

static bool count_shared(const struct rules *k, uint64_t *v, uint64_t times, const struct record *r, unsigned bytes)
{
    enum { PASSES = 1, IDEAL = 2, BYTES = 3 }; /* order in counters.def */
    unsigned ideal = 0;

    if (!k->set->shared || (r->op != RECORD_LOAD && r->op != RECORD_STORE))
        return false;
    unsigned passes = (k->wide_banks ? k->set->wide : k->set->shared)(r, &ideal);
    v += r->op == RECORD_LOAD ? COUNTER_SHARED_LD_REQUESTS : COUNTER_SHARED_ST_REQUESTS;
    v[0] += times;
    v[PASSES] += times * passes;
    v[IDEAL] += times * ideal;
    v[BYTES] += times * bytes;
    return true;
}

bool rules_count(const struct rules *k, uint64_t *v, uint64_t times, const struct record *r)
{
    unsigned bytes = lanes_count(r->mask) * r->bytes;

    switch (r->space) {
    case PTX_GLOBAL:
        return count_global(k, v, times, r, bytes);
    case PTX_LOCAL:
        count_local(k, v, times, r);
        return false;
    case PTX_SHARED:
        return count_shared(k, v, times, r, bytes);
    case PTX_CONST:
        if (!k->set->constant)
            return false;
        v[COUNTER_CONST_REQUESTS] += times;
        v[COUNTER_CONST_ADDRESSES] += times * k->set->constant(r);
        v[COUNTER_CONST_BYTES] += times * bytes;
        return true;
    default:
        return false;
    }
}
