/* Metrics: the names that users of NVIDIA's profilers know, computed from counters and launch facts.
 *
 * metrics.def has one row per computed metric (name, unit, trust, formula, help), metric_aliases.def other spellings
 * and nvprof's names, metric_known.def the names that exist on an H200 but are not computed yet. All are pure
 * functions: rates are never stored. docs/reference/metrics.md is printed from the same tables (metrics_document). */
#ifndef COUNTERS_METRICS_H
#define COUNTERS_METRICS_H

#include <stdbool.h>

#include "counters/counters.h"
#include "counters/launch.h"
#include "device/device.h"

struct strbuf;

enum metric_status {
    METRIC_OK,
    METRIC_NOT_COMPUTED, /* a known name; nothing computes it yet, what it needs was not collected, or nobody tells the device's peak: shown as n/a */
    METRIC_UNKNOWN       /* no such name */
};

struct metric_input {
    const struct counters *c;
    const struct launch_facts *l;
    double of_nothing; /* a quotient with nothing below: 0 in reports; NAN tells it from a 0 of something */
    const struct device_rates *d; /* the device's peaks; NULL: not known */
};

struct metric {
    const char *name, *unit, *help;
    const char *formula; /* as written in the table, for the documentation */
    const char *expanded; /* the same as C has it: the counters and facts that it names */
    enum trust trust;
    double (*compute)(const struct metric_input *in); /* NULL: known, not computed */
};

/* The i-th metric, computed ones first; NULL past the last. */
const struct metric *metric_at(int i);

/* What a launch has to collect for it: the groups of the counters and facts in its formula. */
counter_groups metric_groups(const struct metric *m);

/* Has a single source line such a figure? Not where the formula has facts of the launch, its blocks or its warps, or peaks of the device. */
bool metric_of_lines(const struct metric *m);

/* By name or alias; NULL: unknown. */
const struct metric *metric_find(const char *name);

/* The known name nearest to an unknown one, or NULL when nothing is near. */
const char *metric_near(const char *name);

enum metric_status metric_value(const char *name, const struct metric_input *in, double *value);

/* docs/reference/metrics.md. */
void metrics_document(struct strbuf *out);

#endif
