/* Base counters: what is counted while a kernel runs. Everything else a report shows is computed from these.
 *
 * One `struct counters` per site (index of an IR instruction, as in simt/record.h) and thread of the host; merging is
 * addition, so the sum does not depend on how the work was spread. The rows are in counters.def. */
#ifndef COUNTERS_COUNTERS_H
#define COUNTERS_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum counter {
#define COUNTER(id, unit, trust, help) COUNTER_##id,
#include "counters/counters.def"
#undef COUNTER
    COUNTER_COUNT
};

/* The three words for figures. */
enum trust {
    TRUST_EXACT,   /* follows from addresses and masks under the generation's rules */
    TRUST_CODE,    /* exact for this code: follows from the compiled code */
    TRUST_MODELLED /* an estimate */
};

struct counter_info {
    const char *id, *unit, *help;
    enum trust trust;
};
extern const struct counter_info counter_info[COUNTER_COUNT];

struct counters {
    uint64_t v[COUNTER_COUNT];
};

/* to += from, over n sites. */
void counters_add(struct counters *to, const struct counters *from, size_t n);

/* The sum over n sites. */
struct counters counters_sum(const struct counters *sites, size_t n);

/* Adds weight * THREAD_INST_ON to one counter (FADD ... HFMA): what one PTX instruction becomes on the GPU. */
void counters_weigh(struct counters *site, enum counter c, unsigned weight);

/* The counter of this name ("GLOBAL_LD_SECTORS"), or COUNTER_COUNT. */
enum counter counters_find(const char *id);

const char *trust_text(enum trust t); /* "exact", "exact for this code", "modelled" */

#endif
