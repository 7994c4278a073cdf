/* What nvprof prints (see nvprof_pages.h). Columns and their widths are those of nvprof's text. */
#include "cli/nvprof_pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "report/filter.h"

enum form { COUNT, PERCENT, RATIO, RATE, LEVEL };

static const struct nvprof_name names[] = {
#define NVPROF(kind, name, help, form) {NVPROF_##kind, name, help},
#include "cli/nvprof_names.def"
#undef NVPROF
};

static const enum form forms[] = {
#define NVPROF(kind, name, help, form) form,
#include "cli/nvprof_names.def"
#undef NVPROF
};
enum { NAMES = sizeof names / sizeof *names, TEXT = 64 };

const struct nvprof_name *nvprof_name_at(int i)
{
    return i < NAMES ? &names[i] : NULL;
}

/* --- numbers --- */

/* Five digits: 1.2340, 12.340, 123.40, and whole numbers of the smallest unit. */
static void scaled(double v, double step, const char *const *units, int n, bool whole, char *out)
{
    int i = 0;

    for (; v >= step && i < n - 1; i++)
        v /= step;
    if (i == 0 && whole)
        snprintf(out, TEXT, "%.0f%s", v, units[0]);
    else
        snprintf(out, TEXT, "%.*f%s", v < 10 ? 4 : v < 100 ? 3 : 2, v, units[i]);
}

static const double unit_ns[] = {1e9, 1e6, 1e3, 1};
static const char *const unit_name[] = {"s", "ms", "us", "ns"};

static void time_text(double ns, const struct nvprof_style *s, char *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    if (s->unit == NVPROF_AUTO)
        scaled(ns, 1000, units, 4, true, out);
    else
        snprintf(out, TEXT, "%.6g%s", ns / unit_ns[s->unit], unit_name[s->unit]);
}

static void bytes_text(double bytes, const char *behind, char *out)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};

    scaled(bytes, 1024, units, 4, true, out);
    snprintf(out + strlen(out), TEXT - strlen(out), "%s", behind);
}

static enum nvprof_unit csv_unit(const struct nvprof_style *s)
{
    return s->unit == NVPROF_AUTO ? NVPROF_US : s->unit;
}

/* Digits behind the point of a time in CSV: to the nanosecond. */
static int csv_digits(const struct nvprof_style *s)
{
    return csv_unit(s) == NVPROF_S ? 9 : 6;
}

static void quoted(struct strbuf *out, const char *text)
{
    strbuf_adds(out, "\"");
    for (; *text; text++)
        strbuf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

/* --- summaries --- */

struct choice {
    const struct nvprof_style *style;
    bool calls;
    struct arena *arena;
};

static const char *event_name(const struct trace_event *e, const struct nvprof_style *s, struct arena *a)
{
    return trace_name(e, s->mangled && e->kind == TRACE_KERNEL ? TRACE_NAMES_MANGLED : TRACE_NAMES_NVPROF, a);
}

static const char *chosen(const struct trace_event *e, void *user, double *value)
{
    const struct choice *c = user;

    if (e->kind == TRACE_RANGE || (e->kind == TRACE_CALL) != c->calls)
        return NULL;
    *value = (double)(e->end - e->begin);
    return event_name(e, c->style, c->arena);
}

static void summary_row(const struct trace_sum *t, double all, const char *type, const struct nvprof_style *s, struct strbuf *out)
{
    char text[4][TEXT];
    const double v[4] = {t->total, t->total / t->n, t->least, t->most};
    double unit = unit_ns[csv_unit(s)], share = all > 0 ? 100 * t->total / all : 0;
    int digits = csv_digits(s);

    if (s->csv) {
        quoted(out, type);
        strbuf_addf(out, ",%f,%.*f,%d,%.*f,%.*f,%.*f,", share, digits, v[0] / unit, t->n, digits, v[1] / unit, digits, v[2] / unit, digits,
                    v[3] / unit);
        quoted(out, t->name);
        strbuf_adds(out, "\n");
        return;
    }
    for (int i = 0; i < 4; i++)
        time_text(v[i], s, text[i]);
    strbuf_addf(out, "%16s  %6.2f%%%10s%10d%10s%10s%10s  %s\n", type, share, text[0], t->n, text[1], text[2], text[3], t->name);
}

static void add_sums(const struct trace *t, bool calls, const struct nvprof_style *s, struct strbuf *out)
{
    struct arena a;
    struct trace_sum *sum;
    struct choice c = {s, calls, &a};
    double all = 0;
    int n;

    arena_init(&a);
    n = trace_sums(t, chosen, &c, &a, &sum);
    for (int i = 0; i < n; i++)
        all += sum[i].total;
    for (int i = 0; i < n; i++)
        summary_row(&sum[i], all, s->csv ? (calls ? "API calls" : "GPU activities") : i ? "" : calls ? "API calls:" : "GPU activities:", s,
                    out);
    if (!n)
        strbuf_addf(out, "%s", calls ? "No API activities were profiled.\n" : "No kernels were profiled.\n");
    arena_release(&a);
}

void nvprof_summary(const struct trace *t, bool gpu, bool calls, const struct nvprof_style *s, struct strbuf *out)
{
    const char *u = unit_name[csv_unit(s)];

    if (s->csv)
        strbuf_addf(out, "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%%,%s,,%s,%s,%s,\n", u, u, u, u);
    else
        strbuf_adds(out, "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n");
    if (gpu)
        add_sums(t, false, s, out);
    if (calls)
        add_sums(t, true, s, out);
}

/* --- lists --- */

/* "NVIDIA H200 (0)", cut to what nvprof's column holds. */
static void device_text(const struct trace_event *e, bool cut, char *out)
{
    snprintf(out, TEXT, "%s (%d)", e->device_name ? e->device_name : "", e->device);
    if (cut)
        out[15] = 0;
}

static void list_row(const struct trace *t, const struct trace_event *e, const struct nvprof_style *s, struct arena *a, struct strbuf *out)
{
    char start[TEXT], took[TEXT], grid[TEXT] = "-", block[TEXT] = "-", regs[TEXT] = "-", fixed[TEXT] = "-", dynamic[TEXT] = "-";
    char size[TEXT] = "-", rate[TEXT] = "-", device[TEXT], call[TEXT] = "";
    bool kernel = e->kind == TRACE_KERNEL, copy = e->kind == TRACE_COPY;

    time_text((double)(e->begin - t->origin), s, start);
    time_text((double)(e->end - e->begin), s, took);
    device_text(e, true, device);
    if (kernel) {
        snprintf(grid, sizeof grid, "(%u %u %u)", e->grid[0], e->grid[1], e->grid[2]);
        snprintf(block, sizeof block, "(%u %u %u)", e->block[0], e->block[1], e->block[2]);
        snprintf(regs, sizeof regs, "%" PRId64, e->registers);
        bytes_text((double)e->shared_static, "", fixed);
        bytes_text((double)e->shared_dynamic, "", dynamic);
        snprintf(call, sizeof call, " [%" PRIu64 "]", e->call);
    } else {
        bytes_text((double)e->bytes, "", size);
        if (e->end > e->begin)
            bytes_text((double)e->bytes * 1e9 / (double)(e->end - e->begin), "/s", rate);
    }
    strbuf_addf(out, "%8s%10s%21s%16s%10s%10s%10s%10s%12s%12s%12s%17s%10d%10d  %s%s\n", start, took, grid, block, regs, fixed, dynamic, size,
                rate, kernel ? "-" : trace_memory_name(copy ? e->from : e->to), copy ? trace_memory_name(e->to) : "-", device, 1,
                report_stream(e->stream), event_name(e, s, a), call);
}

static void list_csv(const struct trace *t, const struct trace_event *e, const struct nvprof_style *s, struct arena *a, struct strbuf *out)
{
    double unit = unit_ns[csv_unit(s)], took = (double)(e->end - e->begin);
    char device[TEXT];

    strbuf_addf(out, "%.*f,%.*f,", csv_digits(s), (double)(e->begin - t->origin) / unit, csv_digits(s), took / unit);
    if (e->kind == TRACE_KERNEL)
        strbuf_addf(out, "%u,%u,%u,%u,%u,%u,%" PRId64 ",%f,%f,,,,,", e->grid[0], e->grid[1], e->grid[2], e->block[0], e->block[1],
                    e->block[2], e->registers, (double)e->shared_static / 1024, (double)e->shared_dynamic / 1024);
    else
        strbuf_addf(out, ",,,,,,,,,%f,%f,\"%s\",%s%s%s,", (double)e->bytes / 1024, took > 0 ? (double)e->bytes / 1.073741824 / took : 0,
                    trace_memory_name(e->kind == TRACE_COPY ? e->from : e->to), e->kind == TRACE_COPY ? "\"" : "",
                    e->kind == TRACE_COPY ? trace_memory_name(e->to) : "", e->kind == TRACE_COPY ? "\"" : "");
    device_text(e, false, device);
    quoted(out, device);
    strbuf_addf(out, ",\"1\",\"%d\",", report_stream(e->stream));
    quoted(out, event_name(e, s, a));
    strbuf_addf(out, ",%" PRIu64 "\n", e->call);
}

void nvprof_gpu_trace(const struct trace *t, const struct nvprof_style *s, struct strbuf *out)
{
    const char *u = unit_name[csv_unit(s)];
    struct arena a;

    arena_init(&a);
    if (s->csv)
        strbuf_addf(out, "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\","
                         "\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\","
                         "\"Stream\",\"Name\",\"Correlation_ID\"\n%s,%s,,,,,,,,KB,KB,KB,GB/s,,,,,,,\n", u, u);
    else
        strbuf_adds(out, "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput"
                         "  SrcMemType  DstMemType           Device   Context    Stream  Name\n");
    for (int i = 0; i < t->n; i++)
        if (t->event[i].kind != TRACE_CALL && t->event[i].kind != TRACE_RANGE)
            (s->csv ? list_csv : list_row)(t, &t->event[i], s, &a, out);
    if (!s->csv)
        strbuf_adds(out, "\nRegs: Number of registers used per CUDA thread, estimated.\nSSMem: Static shared memory per CUDA block.\n"
                         "DSMem: Dynamic shared memory per CUDA block.\nSrcMemType: The kind of memory that a copy reads, or a fill writes.\n"
                         "DstMemType: The kind of memory that a copy writes.\n");
    arena_release(&a);
}

static int by_call(const void *a, const void *b)
{
    const struct trace_event *x = *(const struct trace_event *const *)a, *y = *(const struct trace_event *const *)b;

    return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : x->call < y->call ? -1 : x->call > y->call;
}

/* The kernels of a trace, by the calls that launched them; how many. */
static size_t kernels_by_call(const struct trace *t, struct arena *a, const struct trace_event ***out)
{
    size_t n = 0;

    *out = ARENA_ARRAY(a, const struct trace_event *, t->n + 1);
    for (int i = 0; i < t->n; i++)
        if (t->event[i].kind == TRACE_KERNEL)
            (*out)[n++] = &t->event[i];
    qsort(*out, n, sizeof **out, by_call);
    return n;
}

void nvprof_api_trace(const struct trace *t, const struct nvprof_style *s, struct strbuf *out)
{
    double unit = unit_ns[csv_unit(s)];
    const struct trace_event **kernels;
    struct arena a;
    size_t n;

    arena_init(&a);
    n = kernels_by_call(t, &a, &kernels);
    if (s->csv)
        strbuf_addf(out, "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\n%s,%s,,\n", unit_name[csv_unit(s)], unit_name[csv_unit(s)]);
    else
        strbuf_adds(out, "   Start  Duration  Name\n");
    for (int i = 0; i < t->n; i++) {
        const struct trace_event *e = &t->event[i];
        const struct trace_event *const *kernel = e->kind == TRACE_CALL ? bsearch(&e, kernels, n, sizeof *kernels, by_call) : NULL;
        const char *name = kernel ? arena_printf(&a, "%s (%s [%" PRIu64 "])", e->name, event_name(*kernel, s, &a), e->call) : e->name;
        char start[TEXT], took[TEXT];

        if (e->kind != TRACE_CALL)
            continue;
        time_text((double)(e->begin - t->origin), s, start);
        time_text((double)(e->end - e->begin), s, took);
        if (!s->csv) {
            strbuf_addf(out, "%8s%10s  %s\n", start, took, name);
            continue;
        }
        strbuf_addf(out, "%.*f,%.*f,", csv_digits(s), (double)(e->begin - t->origin) / unit, csv_digits(s), (double)(e->end - e->begin) / unit);
        quoted(out, name);
        strbuf_addf(out, ",%" PRIu64 "\n", e->call);
    }
    arena_release(&a);
}

/* --- metrics and events --- */

static int index_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(names[i].name, name))
            return i;
    return -1;
}

/* How a value of this metric is written; of one that is not in the table, by its unit. */
static enum form form_of(const char *name)
{
    int i = index_of(name);
    const struct metric *m = metric_find(name);

    if (i >= 0)
        return forms[i];
    if (!m)
        return COUNT;
    return !strcmp(m->unit, "%") ? PERCENT : !strcmp(m->unit, "byte/s") ? RATE : !m->unit[0] || strstr(m->unit, "/") ? RATIO : COUNT;
}

/* Bytes a second in the largest unit of which there is one, as nvprof writes them: steps of 1,000. */
static void rate_text(double v, bool csv, char *out)
{
    static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s"};
    size_t i = 0;

    for (; i + 1 < sizeof units / sizeof units[0] && v >= 1000; i++)
        v /= 1000;
    snprintf(out, TEXT, csv ? "%.6f%s" : "%.3f%s", v, units[i]);
}

/* A unit's use on nvprof's scale of 0 to 10. */
static void level_text(double v, char *out)
{
    int level = v > 9.5 ? 10 : (int)(v + 0.5);

    snprintf(out, TEXT, "%s (%d)", level > 9 ? "Max" : level > 6 ? "High" : level > 3 ? "Mid" : level ? "Low" : "Idle", level);
}

static void value_text(double v, enum form form, bool csv, char *out)
{
    if (form == RATE)
        rate_text(v, csv, out);
    else if (form == LEVEL)
        level_text(v, out);
    else if (form == PERCENT)
        snprintf(out, TEXT, csv ? "%.6f%%" : "%.2f%%", v);
    else if (form == RATIO)
        snprintf(out, TEXT, "%.6f", v);
    else
        snprintf(out, TEXT, "%.0f", v);
}

struct group {
    const struct result *first;
    int n;
    bool there; /* every launch has the figure */
    double least, most, total;
};

static void measure(struct group *g, const struct results *rs, const char *name)
{
    g->n = 0;
    g->total = 0;
    g->there = true;
    for (int i = 0; i < rs->n; i++) {
        const struct result *r = rs->result[i];
        double v = 0;

        if (strcmp(r->kernel, g->first->kernel) || r->device != g->first->device)
            continue;
        g->there = g->there && result_metric(r, name, &v) == METRIC_OK;
        g->least = !g->n || v < g->least ? v : g->least;
        g->most = !g->n || v > g->most ? v : g->most;
        g->total += v;
        g->n++;
    }
}

static void table_row(const struct group *g, enum nvprof_kind kind, const char *name, const char *kernel, const struct nvprof_style *s,
                      struct strbuf *out)
{
    int known = index_of(name);
    const struct metric *m = metric_find(name);
    const char *help = known >= 0 ? names[known].help : m ? m->help : "";
    char text[4][TEXT];
    const double v[4] = {g->least, g->most, g->n ? g->total / g->n : 0, g->total};
    bool event = kind == NVPROF_EVENT;

    for (int i = 0; i < 4; i++)
        if (g->there)
            value_text(v[i], form_of(name), s->csv, text[i]);
        else
            strcpy(text[i], "n/a");
    if (s->csv) {
        strbuf_addf(out, "\"%s (%d)\",", g->first->device_name, g->first->device);
        quoted(out, kernel);
        strbuf_addf(out, ",%d,\"%s\",", g->n, name);
        if (!event)
            quoted(out, help);
        strbuf_addf(out, "%s%s,%s,%s%s%s\n", event ? "" : ",", text[0], text[1], text[2], event ? "," : "", event ? text[3] : "");
    } else if (event) {
        strbuf_addf(out, "%11d%42s%12s%12s%12s%12s\n", g->n, name, text[0], text[1], text[2], text[3]);
    } else {
        strbuf_addf(out, "%11d%42s%50.48s%12s%12s%12s\n", g->n, name, help, text[0], text[1], text[2]);
    }
}

static void table_head(enum nvprof_kind kind, const struct nvprof_style *s, struct strbuf *out)
{
    bool event = kind == NVPROF_EVENT;

    strbuf_addf(out, "==%lld== %s result:\n", s->pid, event ? "Event" : "Metric");
    if (s->csv && event)
        strbuf_adds(out, "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n");
    else if (s->csv)
        strbuf_adds(out, "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n");
    else if (event)
        strbuf_addf(out, "Invocations%42s%12s%12s%12s%12s\n", "Event Name", "Min", "Max", "Avg", "Total");
    else
        strbuf_addf(out, "Invocations%42s%50s%12s%12s%12s\n", "Metric Name", "Metric Description", "Min", "Max", "Avg");
}

static bool seen_before(const struct result *r, struct table *seen, struct arena *a)
{
    const char *key = arena_printf(a, "%d %s", r->device, r->kernel);
    bool before = table_get(seen, key) != NULL;

    table_set(seen, key, seen);
    return before;
}

void nvprof_table(const struct results *rs, enum nvprof_kind kind, const char *const *wanted, int n, struct name_filter *kernels,
                  const struct nvprof_style *s, struct strbuf *out)
{
    struct arena a;
    struct table seen;
    int device = -1;

    arena_init(&a);
    table_init(&seen);
    table_head(kind, s, out);
    for (int i = 0; i < rs->n; i++) {
        struct group g = {.first = rs->result[i]};
        const struct result *r = rs->result[i];
        const char *kernel = s->mangled ? r->kernel : r->kernel_name ? r->kernel_name : result_demangle(&a, r->kernel);

        if (seen_before(r, &seen, &a) || !name_filter_matches(kernels, kernel))
            continue;
        if (!s->csv && r->device != device)
            strbuf_addf(out, "Device \"%s (%d)\"\n", r->device_name, device = r->device);
        if (!s->csv)
            strbuf_addf(out, "    Kernel: %s\n", kernel);
        for (int k = 0; k < n; k++) {
            measure(&g, rs, wanted[k]);
            table_row(&g, kind, wanted[k], kernel, s, out);
        }
    }
    table_release(&seen);
    arena_release(&a);
}
