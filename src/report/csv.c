/* Pages as CSV, in the form of `ncu --csv --print-units base`: raw and details; and the raw page as text. */
#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/filter.h"
#include "report/hints.h"
#include "report/report.h"

/* Every metric whose name matches; how many. */
static int add_matches(const char *pattern, const char **names, struct diag_list *diags)
{
    const struct metric *m;
    regex_t re;
    int n = 0;

    if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB)) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "flag '--metrics': '%s' is not a regular expression", pattern);
        return 0;
    }
    for (int i = 0; (m = metric_at(i)); i++)
        if (regexec(&re, m->name, 0, NULL, 0) == 0)
            names[n++] = m->name;
    regfree(&re);
    if (!n)
        diag_add(diags, DIAG_ERROR, NULL, 0, "no metric matches '%s'; --query-metrics shows all", pattern);
    return n;
}

/* Room for a list: every part of it could be an expression that matches all. */
static size_t most_names(const char *list)
{
    size_t all = 0, parts = 1;

    while (metric_at((int)all))
        all++;
    for (; *list; list++)
        parts += *list == ',';
    return parts * (all + 1);
}

/* "dram__bytes" stands for dram__bytes.sum and whatever else there is of it; how many. */
static int add_rollups(const char *name, const char **names)
{
    const struct metric *m;
    size_t len = strlen(name);
    int n = 0;

    for (int i = 0; (m = metric_at(i)); i++)
        if (m->compute && !strncmp(m->name, name, len) && m->name[len] == '.')
            names[n++] = m->name;
    return n;
}

static void unknown(const struct report_metrics *m, const char *name, struct diag_list *diags)
{
    const char *near = metric_near(name);

    if (m->lenient)
        diag_add(diags, DIAG_WARNING, NULL, 0, "unknown metric '%s': n/a%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
    else if (near)
        diag_add(diags, DIAG_ERROR, NULL, 0, "unknown metric '%s'; did you mean '%s'?", name, near);
    else
        diag_add(diags, DIAG_ERROR, NULL, 0, "unknown metric '%s'; docs/reference/metrics.md lists all", name);
}

const struct metric *report_metric(const char *name)
{
    static const struct metric none = {.name = "", .unit = "", .help = "", .formula = ""};
    const struct metric *m = metric_find(name);

    return m ? m : &none;
}

bool report_metrics_parse(struct report_metrics *m, const char *list, struct arena *a, struct diag_list *diags)
{
    const char **names = ARENA_ARRAY(a, const char *, most_names(list));
    int errors = diags->errors, n = 0;

    while (*list) {
        size_t len = strcspn(list, ",");
        const char *name = arena_strndup(a, list, len);
        int added;

        list += len + (list[len] == ',');
        if (!len)
            continue;
        if (!strncmp(name, "regex:", 6)) {
            n += add_matches(name + 6, names + n, diags);
            continue;
        }
        if (!metric_find(name) && (added = add_rollups(name, names + n))) {
            n += added;
            continue;
        }
        names[n++] = name;
        if (!metric_find(name))
            unknown(m, name, diags);
    }
    if (!n && diags->errors == errors)
        diag_add(diags, DIAG_ERROR, NULL, 0, "no metric is named");
    m->name = names;
    m->n = n;
    return diags->errors == errors;
}

/* The i-th metric to show; NULL past the last. */
static const char *shown(const struct report_metrics *m, int i)
{
    const struct metric *all = metric_at(i);

    if (m->n)
        return i < m->n ? m->name[i] : NULL;
    return all && all->compute ? all->name : NULL;
}

counter_groups report_groups(const struct report_metrics *m)
{
    counter_groups g = m->n ? COUNTERS_OF(LAUNCH) : COUNTERS_ALL;

    for (int i = 0; i < m->n; i++) {
        const struct metric *what = metric_find(m->name[i]);

        g |= what ? metric_groups(what) : 0;
    }
    return g;
}

void report_value(const struct result *r, const char *metric, char *out, size_t size)
{
    double v;

    if (result_metric(r, metric, &v) == METRIC_OK)
        report_number(v, out, size);
    else
        snprintf(out, size, "n/a");
}

void report_number(double v, char *out, size_t size)
{
    size_t n;

    if (v == floor(v) && fabs(v) < 1e18) {
        snprintf(out, size, "%.0f", v);
        return;
    }
    snprintf(out, size, "%.6f", v);
    for (n = strlen(out); n && out[n - 1] == '0';)
        out[--n] = 0;
}

static void quoted(struct strbuf *out, const char *s, bool first)
{
    strbuf_adds(out, first ? "\"" : ",\"");
    for (; *s; s++)
        strbuf_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strbuf_add(out, "\"", 1);
}

/* The columns that every line begins with. */
static const char *const fixed[] = {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                    "Stream", "Block Size", "Grid Size", "Device", "CC"};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

static void fixed_header(struct strbuf *out)
{
    for (int i = 0; i < FIXED; i++)
        quoted(out, fixed[i], i == 0);
}

void report_csv_header(const struct report_metrics *m, struct strbuf *out)
{
    fixed_header(out);
    for (int i = 0; shown(m, i); i++)
        quoted(out, shown(m, i), false);
    strbuf_adds(out, "\n");
    for (int i = 0; i < FIXED; i++)
        quoted(out, "", i == 0);
    for (int i = 0; shown(m, i); i++)
        quoted(out, report_metric(shown(m, i))->unit, false);
    strbuf_adds(out, "\n");
}

static void quoted_number(struct strbuf *out, int64_t v, bool first)
{
    strbuf_addf(out, "%s\"%" PRId64 "\"", first ? "" : ",", v);
}

static void fixed_line(const struct result *r, int64_t id, struct strbuf *out)
{
    const uint32_t *b = r->launch.block, *g = r->launch.grid;

    quoted_number(out, id, true);
    quoted_number(out, r->pid, false);
    quoted(out, r->process ? r->process : "", false);
    quoted(out, "127.0.0.1", false);
    quoted(out, r->kernel_name ? r->kernel_name : r->kernel, false);
    quoted_number(out, r->context, false);
    quoted_number(out, report_stream(r->stream), false);
    strbuf_addf(out, ",\"(%u, %u, %u)\",\"(%u, %u, %u)\",\"%d\",\"%d.%d\"", b[0], b[1], b[2], g[0], g[1], g[2],
                r->device, r->cc_major, r->cc_minor);
}

void report_csv_line(const struct result *r, int64_t id, const struct report_metrics *m, struct strbuf *out)
{
    char value[64];

    fixed_line(r, id, out);
    for (int i = 0; shown(m, i); i++) {
        report_value(r, shown(m, i), value, sizeof value);
        quoted(out, value, false);
    }
    strbuf_adds(out, "\n");
}

/* --- the details page --- */

void report_details_csv_header(const struct report_metrics *m, struct strbuf *out)
{
    static const char *const more[] = {"Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
                                       "Rule Description", "Estimated Speedup Type", "Estimated Speedup"};

    fixed_header(out);
    for (int i = 0; i < (m->n ? 4 : 9); i++) /* hints belong to sections */
        quoted(out, more[i], false);
    strbuf_adds(out, "\n");
}

static void details_row(const struct result *r, int64_t id, const char *title, const char *label, const char *metric, bool hints,
                        struct strbuf *out)
{
    char value[64];

    report_value(r, metric, value, sizeof value);
    fixed_line(r, id, out);
    quoted(out, title, false);
    quoted(out, label, false);
    quoted(out, report_metric(metric)->unit, false);
    quoted(out, value, false);
    strbuf_adds(out, hints ? ",\"\",\"\",\"\",\"\",\"\"\n" : "\n");
}

/* Type and size of the gain that a hint's line tells, in percent of the launch's time. */
static void gain_cells(const char *line, struct strbuf *out)
{
    const char *gain = strstr(line, "(est. ");

    quoted(out, gain ? "global" : "", false);
    if (gain)
        strbuf_addf(out, ",\"%.*s\"\n", (int)strspn(gain + strlen("(est. "), "0123456789"), gain + strlen("(est. "));
    else
        strbuf_adds(out, ",\"\"\n");
}

/* A section's hints, from their lines "    OPT   Rule: ..." (hints.h). */
static void hint_rows(const struct result *r, int64_t id, const struct line *lines, int n, const struct section_row *of, struct arena *a,
                      struct strbuf *out)
{
    struct strbuf text;

    strbuf_init(&text);
    hints_add(r, lines, n, (section_set)1 << of->section, &text);
    for (const char *at = text.s; at && *at;) {
        size_t len = strcspn(at, "\n"), skip = strspn(at, " "), type = strcspn(at + skip, " ");
        const char *rule = at + skip + type + strspn(at + skip + type, " "), *colon = memchr(rule, ':', (size_t)(at + len - rule));

        fixed_line(r, id, out);
        quoted(out, of->title, false);
        strbuf_adds(out, ",\"\",\"\",\"\"");
        quoted(out, colon ? arena_strndup(a, rule, (size_t)(colon - rule)) : "", false);
        quoted(out, arena_strndup(a, at + skip, type), false);
        quoted(out, colon ? arena_strndup(a, colon + 1 + (colon[1] == ' '), (size_t)(at + len - colon - 1 - (colon[1] == ' '))) : "", false);
        gain_cells(arena_strndup(a, at, len), out);
        at += len + (at[len] == '\n');
    }
    strbuf_release(&text);
}

static void details_sections(const struct result *r, int64_t id, section_set wanted, struct strbuf *out)
{
    const struct section_row *at, *next;
    struct arena a;
    struct line *lines;
    int n;

    arena_init(&a);
    n = lines_collect(r, &a, &lines);
    wanted &= ~sections_missing(wanted, r->launch.collected);
    for (int i = 0; (at = section_row_at(i)); i++) {
        if (!section_in(wanted, at->section))
            continue;
        if (section_row_there(at, r))
            details_row(r, id, at->title, at->label, at->metric, true, out);
        next = section_row_at(i + 1);
        if (!next || next->section != at->section)
            hint_rows(r, id, lines, n, at, &a, out);
    }
    arena_release(&a);
}

void report_details_csv(const struct result *r, int64_t id, const struct report_metrics *m, section_set wanted, struct strbuf *out)
{
    for (int i = 0; i < m->n; i++)
        details_row(r, id, "Command line profiler metrics", m->name[i], m->name[i], false, out);
    if (!m->n)
        details_sections(r, id, wanted, out);
}

/* 2500 byte to 2.5 Kbyte; other units stay. The unit's text goes to `unit`. */
static double scale(double v, const char *name, char *unit, size_t size)
{
    static const char *const prefixes[] = {"", "K", "M", "G", "T"};
    int i = 0;

    if (strncmp(name, "byte", 4) == 0)
        for (; i < 4 && fabs(v) >= 1000; i++)
            v /= 1000;
    snprintf(unit, size, "%s%s", prefixes[i], name);
    return v;
}

static void scaled_line(const struct result *r, const char *name, const struct metric *m, struct strbuf *out)
{
    char unit[64] = "", value[64] = "n/a";
    double v;

    if (result_metric(r, name, &v) == METRIC_OK) {
        v = scale(v, m->unit, unit, sizeof unit);
        snprintf(value, sizeof value, v == floor(v) ? "%.0f" : "%.2f", v);
    }
    strbuf_addf(out, "    %-72s %-16s %20s  %s\n", name, *unit ? unit : m->unit, value,
                m->compute ? trust_text(m->trust) : "");
}

void report_raw(const struct result *r, const struct report_metrics *m, struct strbuf *out)
{
    char value[64];

    strbuf_adds(out, "  ");
    report_launch_line(r, out);
    strbuf_adds(out, "\n");
    for (int i = 0; shown(m, i); i++) {
        const struct metric *what = report_metric(shown(m, i));

        if (m->scaled) {
            scaled_line(r, shown(m, i), what, out);
            continue;
        }
        report_value(r, shown(m, i), value, sizeof value);
        strbuf_addf(out, "    %-72s %-16s %20s  %s\n", shown(m, i), what->unit, value,
                    what->compute ? trust_text(what->trust) : "");
    }
    strbuf_adds(out, "\n");
}
