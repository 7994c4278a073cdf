/* Counters: the list of counters.def as data, and their sums. See counters.h. */
#include "counters/counters.h"

#include <string.h>

#define EXACT    TRUST_EXACT
#define CODE     TRUST_CODE
#define MODELLED TRUST_MODELLED
const struct counter_info counter_info[COUNTER_COUNT] = {
#define COUNTER(id, unit, trust, help) {#id, unit, help, trust},
#include "counters/counters.def"
#undef COUNTER
};
#undef EXACT
#undef CODE
#undef MODELLED

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

void counters_weigh(struct counters *site, enum counter c, unsigned weight)
{
    site->v[c] += weight * site->v[COUNTER_THREAD_INST_ON];
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
