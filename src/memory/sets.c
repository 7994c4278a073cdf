/* The level of the host whose functions are used (see sets.h). */
#include "memory/sets.h"

#include "interp/lanes_table.h"

#include <stddef.h>
#include <string.h>

static const struct lane_sets *const tables[] = {&lane_sets_v2, &lane_sets_v3, &lane_sets_v4};

/* The choice is the same for every thread. */
const struct lane_sets *sets_now(void)
{
    static const struct lane_sets *chosen;
    const struct lane_sets *s = __atomic_load_n(&chosen, __ATOMIC_RELAXED);

    if (s)
        return s;
    const char *level = lanes_level();
    s = tables[level[strlen(level) - 1] - '2'];
    __atomic_store_n(&chosen, s, __ATOMIC_RELAXED);
    return s;
}

const struct lane_sets *sets_of(int level)
{
    return lanes_table_of(level) ? tables[level] : NULL;
}
