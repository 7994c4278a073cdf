/* Base counters: what is counted while a kernel runs. Everything else a report shows is computed from these.
 *
 * One `struct counters` per site (index of an IR instruction, as in simt/record.h) and thread of the host; merging is
 * addition, so the sum does not depend on how the work was spread. The rows are in counters.def. */
#ifndef COUNTERS_COUNTERS_H
#define COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter {
#define COUNTER(id, unit, trust, group, help) COUNTER_##id,
#include "counters/counters.def"
#undef COUNTER
    COUNTER_COUNT
};

/* What is collected together (groups.def), and sets of it as bits. */
enum counter_group {
#define GROUP(id, name, with, runs, accesses, help) GROUP_##id,
#include "counters/groups.def"
#undef GROUP
    GROUP_COUNT
};
typedef uint32_t counter_groups;
#define COUNTERS_OF(id) ((counter_groups)1 << GROUP_##id)
#define COUNTERS_ALL    (((counter_groups)1 << GROUP_COUNT) - 1)
#define COUNTERS_EXACT  (COUNTERS_OF(CACHES) - 1) /* all that are before the modelled ones */

struct group_info {
    const char *name, *help;
    counter_groups with; /* what comes along */
    bool runs;           /* runs of blocks and guarded instructions are counted for it */
    unsigned accesses;   /* enum access_kind: those that add to its counters */
};
extern const struct group_info group_info[GROUP_COUNT];

/* The set, with all that comes along. */
counter_groups counters_with(counter_groups g);

/* Has the set a group that needs runs counted? Kinds of accesses that it needs counted. */
bool counters_need_runs(counter_groups g);
unsigned counters_need_accesses(counter_groups g);

/* The group of this name ("global-loads"), or GROUP_COUNT. */
enum counter_group counters_find_group(const char *name);

/* The three words for figures. */
enum trust {
    TRUST_EXACT,   /* follows from addresses and masks under the generation's rules */
    TRUST_CODE,    /* exact for this code: follows from the compiled code */
    TRUST_MODELLED /* an estimate */
};

struct counter_info {
    const char *id, *unit, *help;
    enum trust trust;
    enum counter_group group;
};
extern const struct counter_info counter_info[COUNTER_COUNT];

struct counters {
    uint64_t v[COUNTER_COUNT];
};

/* to += from, over n sites. */
void counters_add(struct counters *to, const struct counters *from, size_t n);

/* Of n sites, what is in none of the groups becomes 0: it was not, or not all, counted. */
void counters_keep(struct counters *sites, size_t n, counter_groups g);

/* The sum over n sites. */
struct counters counters_sum(const struct counters *sites, size_t n);

/* The counter of this name ("GLOBAL_LD_SECTORS"), or COUNTER_COUNT. */
enum counter counters_find(const char *id);

const char *trust_text(enum trust t); /* "exact", "exact for this code", "modelled" */

#endif
