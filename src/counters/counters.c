/* Counters: the list of counters.def as data, and their sums. See counters.h. */
#include "counters/counters.h"

#include <string.h>

#include "simt/record.h"

#define EXACT    TRUST_EXACT
#define CODE     TRUST_CODE
#define MODELLED TRUST_MODELLED
const struct counter_info counter_info[COUNTER_COUNT] = {
#define COUNTER(id, unit, trust, group, help) {#id, unit, help, trust, GROUP_##group},
#include "counters/counters.def"
#undef COUNTER
};
#undef EXACT
#undef CODE
#undef MODELLED

const struct group_info group_info[GROUP_COUNT] = {
#define GROUP(id, name, with, runs, accesses, help) {name, help, with, runs, accesses},
#include "counters/groups.def"
#undef GROUP
};

counter_groups counters_with(counter_groups g)
{
    for (int i = GROUP_COUNT - 1; i >= 0; i--)
        g |= g >> i & 1 ? group_info[i].with : 0;
    return g | COUNTERS_OF(LAUNCH);
}

bool counters_need_runs(counter_groups g)
{
    bool need = false;

    for (int i = 0; i < GROUP_COUNT; i++)
        need |= (g >> i & 1) && group_info[i].runs;
    return need;
}

unsigned counters_need_accesses(counter_groups g)
{
    unsigned need = 0;

    for (int i = 0; i < GROUP_COUNT; i++)
        need |= g >> i & 1 ? group_info[i].accesses : 0;
    return need;
}

enum counter_group counters_find_group(const char *name)
{
    int i = 0;

    while (i < GROUP_COUNT && strcmp(group_info[i].name, name))
        i++;
    return (enum counter_group)i;
}

void counters_keep(struct counters *sites, size_t n, counter_groups g)
{
    for (int c = 0; c < COUNTER_COUNT; c++)
        for (size_t i = 0; i < n && !(g >> counter_info[c].group & 1); i++)
            sites[i].v[c] = 0;
}

void counters_add(struct counters *to, const struct counters *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < COUNTER_COUNT; c++)
            to[i].v[c] += from[i].v[c];
}

struct counters counters_sum(const struct counters *sites, size_t n)
{
    struct counters sum;

    memset(&sum, 0, sizeof sum);
    for (size_t i = 0; i < n; i++)
        counters_add(&sum, &sites[i], 1);
    return sum;
}

enum counter counters_find(const char *id)
{
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (!strcmp(counter_info[c].id, id))
            return (enum counter)c;
    return COUNTER_COUNT;
}

const char *trust_text(enum trust t)
{
    static const char *const text[] = {"exact", "exact for this code", "modelled"};

    return text[t];
}
