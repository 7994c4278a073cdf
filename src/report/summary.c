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

struct group {
    struct result *const *r;
    const int *member;
    int n;
    const struct report_metrics *m;
    const struct summary_style *style;
    struct strbuf *out;
};

static void quoted(struct strbuf *out, const char *s)
{
    strbuf_adds(out, "\"");
    for (; *s; s++)
        strbuf_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

#define HEADER "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\"," \
               "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"

/* What a CSV line begins with. */
static void csv_group(const struct group *g)
{
    const struct result *r = g->r[g->member[0]];
    const uint32_t *grid = r->launch.grid, *block = r->launch.block;

    strbuf_addf(g->out, "\"%lld\",", (long long)r->pid);
    quoted(g->out, r->process ? r->process : "");
    strbuf_adds(g->out, ",\"127.0.0.1\",");
    quoted(g->out, r->kernel_name ? r->kernel_name : r->kernel);
    strbuf_addf(g->out, ",\"(%u, %u, %u)\",\"(%u, %u, %u)\",\"%d\",\"%d.%d\",\"%d\",", block[0], block[1], block[2], grid[0], grid[1], grid[2],
                r->device, r->cc_major, r->cc_minor, g->n);
}

static void metric_row(const struct group *g, const char *section, const char *label, const char *name)
{
    const struct metric *m = report_metric(name);
    double least = 0, most = 0, all = 0;
    char v[3][64] = {"n/a", "n/a", "n/a"};
    bool there = true;

    for (int i = 0; i < g->n && there; i++) {
        double one;
        there = result_metric(g->r[g->member[i]], name, &one) == METRIC_OK;
        least = i == 0 || one < least ? one : least;
        most = i == 0 || one > most ? one : most;
        all += one;
    }
    if (there) {
        snprintf(v[0], sizeof v[0], "%.2f", least);
        snprintf(v[1], sizeof v[1], "%.2f", most);
        snprintf(v[2], sizeof v[2], "%.2f", all / g->n);
    }
    if (g->style->csv) {
        csv_group(g);
        quoted(g->out, section);
        strbuf_adds(g->out, ",");
        quoted(g->out, label);
        strbuf_addf(g->out, ",\"%s\",\"%s\",\"%s\",\"%s\"\n", m->unit, v[0], v[1], v[2]);
        return;
    }
    strbuf_addf(g->out, "    %-72s %-16s %16s %16s %16s%s%s\n", label, m->unit, v[0], v[1], v[2], there ? "  " : "", there ? trust_text(m->trust) : "");
}

static void heads(const struct group *g, const char *section)
{
    if (g->style->csv)
        return;
    if (section)
        strbuf_addf(g->out, "    Section: %s\n", section);
    strbuf_addf(g->out, "    %-72s %-16s %16s %16s %16s  %s\n", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average", "Trust");
}

static void section_rows(const struct group *g)
{
    const struct result *first = g->r[g->member[0]];
    section_set wanted = g->style->sections & ~sections_missing(g->style->sections, first->launch.collected);
    const char *title = "";
    const struct section_row *at;

    for (int i = 0; (at = section_row_at(i)); i++) {
        if (!section_in(wanted, at->section) || !section_row_there(at, first))
            continue;
        if (strcmp(title, at->title))
            heads(g, title = at->title);
        metric_row(g, at->title, at->label, at->metric);
    }
}

static void group(const struct group *g)
{
    const struct result *first = g->r[g->member[0]];
    const uint32_t *grid = first->launch.grid, *b = first->launch.block;

    if (!g->style->csv) {
        strbuf_addf(g->out, "  %s (%u, %u, %u)x(%u, %u, %u), ", first->kernel_name ? first->kernel_name : first->kernel, grid[0], grid[1],
                    grid[2], b[0], b[1], b[2]);
        if (g->style->per_gpu)
            strbuf_addf(g->out, "Device %d, ", first->device);
        strbuf_addf(g->out, "CC %d.%d, Invocations %d\n", first->cc_major, first->cc_minor, g->n);
    }
    if (!g->m->n && g->style->sections) {
        section_rows(g);
    } else {
        heads(g, NULL);
        for (int i = 0; shown(g->m, i); i++)
            metric_row(g, g->m->n ? "Command line profiler metrics" : "", shown(g->m, i), shown(g->m, i));
    }
    strbuf_adds(g->out, g->style->csv ? "" : "\n");
}

void report_summary(struct result *const *r, int n, const struct report_metrics *m, const struct summary_style *style, struct strbuf *out)
{
    struct arena a;
    int *member;
    bool *done;

    arena_init(&a);
    member = ARENA_ARRAY(&a, int, n ? n : 1);
    done = ARENA_ARRAY(&a, bool, n ? n : 1);
    if (n && style->csv)
        strbuf_adds(out, HEADER);
    for (int i = 0; i < n; i++) {
        int members = 0;
        for (int k = i; !done[i] && k < n; k++)
            if (!done[k] && same_group(r[i], r[k], style->per_gpu)) {
                member[members++] = k;
                done[k] = k != i;
            }
        if (members)
            group(&(struct group){r, member, members, m, style, out});
        done[i] = true;
    }
    arena_release(&a);
}
