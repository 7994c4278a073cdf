/* Which source line is named for a value (see blame.h). */
#include "report/blame.h"

#include <math.h>
#include <string.h>

/* How far from good: less is better. Best is that there is nothing to be measured. */
static double badness(double v, enum better better, double wanted)
{
    if (isnan(v))
        return -INFINITY;
    return better == BETTER_LESS ? v : better == BETTER_MORE ? -v : fabs(v - wanted);
}

static bool value_without(const struct result *r, const struct line *l, const char *metric, double *v)
{
    struct counters left = r->total;
    const struct metric_input in = {&left, &r->launch, NAN, &r->rates};

    for (int i = 0; i < COUNTER_COUNT; i++)
        left.v[i] -= l->counters.v[i] < left.v[i] ? l->counters.v[i] : left.v[i];
    return metric_value(metric, &in, v) == METRIC_OK;
}

/* Inlined functions may lie before it, or in other files. */
const struct line *blame_first(const struct result *r, struct arena *a)
{
    const struct line *first = NULL;
    struct line *lines;
    int n = lines_collect(r, a, &lines);

    for (uint32_t i = 0; i < r->nsites; i++) {
        const struct result_site *s = &r->sites[i];

        for (int k = 0; k < n && !s->inlined_at && s->file && s->line; k++)
            if (lines[k].file && lines[k].line == s->line && !strcmp(lines[k].file, s->file) && (!first || s->line < first->line))
                first = &lines[k];
    }
    return first;
}

const struct line *blame_line(const struct result *r, const char *metric, enum better better, double wanted, struct arena *a)
{
    const struct line *worst = NULL;
    double best, without;
    struct line *lines;
    int n = lines_collect(r, a, &lines);

    if (result_metric(r, metric, &best) != METRIC_OK)
        return NULL;
    best = badness(best, better, wanted);
    for (int i = 0; i < n; i++)
        if (lines[i].file && value_without(r, &lines[i], metric, &without) && badness(without, better, wanted) < best) {
            best = badness(without, better, wanted);
            worst = &lines[i];
        }
    return worst;
}
