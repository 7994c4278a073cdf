/* Summaries over launches (see summary.h), in ncu's layout: a line per group, a table of Minimum, Maximum, Average. */
#include "report/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

static bool same_group(const struct result *a, const struct result *b, bool per_gpu)
{
    return !strcmp(a->kernel, b->kernel) && !memcmp(a->launch.grid, b->launch.grid, sizeof a->launch.grid) &&
           !memcmp(a->launch.block, b->launch.block, sizeof a->launch.block) && (!per_gpu || a->device == b->device);
}

/* The i-th metric to show; NULL past the last. */
static const char *shown(const struct report_metrics *m, int i)
{
    const struct metric *all = metric_at(i);

    if (m->n)
        return i < m->n ? m->name[i] : NULL;
    return all && all->compute ? all->name : NULL;
}

static void metric_row(struct result *const *r, const int *member, int n, const char *name, struct strbuf *out)
{
    const struct metric *m = report_metric(name);
    double least = 0, most = 0, all = 0;

    for (int i = 0; i < n; i++) {
        double v;
        if (result_metric(r[member[i]], name, &v) != METRIC_OK) {
            strbuf_addf(out, "    %-72s %-16s %16s %16s %16s\n", name, m->unit, "n/a", "n/a", "n/a");
            return;
        }
        least = i == 0 || v < least ? v : least;
        most = i == 0 || v > most ? v : most;
        all += v;
    }
    strbuf_addf(out, "    %-72s %-16s %16.2f %16.2f %16.2f  %s\n", name, m->unit, least, most, all / n, trust_text(m->trust));
}

static void group(struct result *const *r, const int *member, int n, const struct report_metrics *m, bool per_gpu,
                  struct strbuf *out)
{
    const struct result *first = r[member[0]];
    const uint32_t *g = first->launch.grid, *b = first->launch.block;

    strbuf_addf(out, "  %s (%u, %u, %u)x(%u, %u, %u), ", first->kernel_name ? first->kernel_name : first->kernel, g[0], g[1],
                g[2], b[0], b[1], b[2]);
    if (per_gpu)
        strbuf_addf(out, "Device %d, ", first->device);
    strbuf_addf(out, "CC %d.%d, Invocations %d\n", first->cc_major, first->cc_minor, n);
    strbuf_addf(out, "    %-72s %-16s %16s %16s %16s  %s\n", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average",
                "Trust");
    for (int i = 0; shown(m, i); i++)
        metric_row(r, member, n, shown(m, i), out);
    strbuf_adds(out, "\n");
}

void report_summary(struct result *const *r, int n, const struct report_metrics *m, bool per_gpu, struct strbuf *out)
{
    struct arena a;
    int *member;
    bool *done;

    arena_init(&a);
    member = ARENA_ARRAY(&a, int, n ? n : 1);
    done = ARENA_ARRAY(&a, bool, n ? n : 1);
    for (int i = 0; i < n; i++) {
        int members = 0;
        for (int k = i; !done[i] && k < n; k++)
            if (!done[k] && same_group(r[i], r[k], per_gpu)) {
                member[members++] = k;
                done[k] = k != i;
            }
        if (members)
            group(r, member, members, m, per_gpu, out);
        done[i] = true;
    }
    arena_release(&a);
}
