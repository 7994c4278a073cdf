/* The reports of `nsys stats`: tables of cells from a trace, then the four ways to write a table. */
#include "cli/nsys_reports.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/filter.h"

enum { COLUMNS = 24 };

/* Cells are texts; `is_number`: right-aligned, with separators of thousands for people. */
struct sheet {
    struct arena *arena;
    const struct trace *trace;
    enum trace_names names;
    const char *head[COLUMNS];
    bool is_number[COLUMNS];
    int columns, rows, room;
    const char **cell;
};

static void head(struct sheet *s, bool is_number, const char *name)
{
    s->head[s->columns] = name;
    s->is_number[s->columns++] = is_number;
}

static void cell(struct sheet *s, int column, const char *text)
{
    if (column == 0) {
        if (s->rows == s->room) {
            const char **more = ARENA_ARRAY(s->arena, const char *, (s->room = 2 * s->room + 16) * s->columns);

            for (int i = 0; i < s->rows * s->columns; i++)
                more[i] = s->cell[i];
            s->cell = more;
        }
        s->rows++;
    }
    s->cell[(s->rows - 1) * s->columns + column] = text;
}

static const char *whole(struct sheet *s, int64_t v)
{
    return arena_printf(s->arena, "%" PRId64, v);
}

static const char *decimal(struct sheet *s, int digits, double v)
{
    return arena_printf(s->arena, "%.*f", digits, v);
}

/* --- sums --- */

struct choice {
    struct sheet *sheet;
    unsigned kinds; /* bits of enum trace_kind */
    bool bytes;     /* their value is bytes, not time */
    int pushed;     /* of ranges: 1 only pushed ones, 0 only started ones, -1 both */
};

static const char *chosen(const struct trace_event *e, void *user, double *value)
{
    const struct choice *c = user;

    if (!(c->kinds >> e->kind & 1) || (e->kind == TRACE_RANGE && c->pushed >= 0 && e->pushed != c->pushed))
        return NULL;
    *value = c->bytes ? (double)e->bytes : (double)(e->end - e->begin);
    return trace_name(e, c->sheet->names, c->sheet->arena);
}

/* "Time (%)" to "StdDev (ns)", then what `more` adds. */
static void time_sums(struct sheet *s, struct choice c, const char *count, const char *const more[], int nmore)
{
    struct trace_sum *sum;
    double all = 0;
    const char *const heads[] = {"Time (%)", "Total Time (ns)", count, "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"};

    c.sheet = s;
    int n = trace_sums(s->trace, chosen, &c, s->arena, &sum);
    for (int i = 0; i < n; i++)
        all += sum[i].total;
    for (int i = 0; i < 8; i++)
        head(s, true, heads[i]);
    for (int i = 0; i < nmore; i++)
        head(s, false, more[i]);
    for (int i = 0; i < n; i++) {
        const struct trace_sum *t = &sum[i];
        cell(s, 0, decimal(s, 1, all > 0 ? 100 * t->total / all : 0));
        cell(s, 1, whole(s, (int64_t)t->total));
        cell(s, 2, whole(s, t->n));
        cell(s, 3, decimal(s, 1, t->total / t->n));
        cell(s, 4, decimal(s, 1, t->median));
        cell(s, 5, whole(s, (int64_t)t->least));
        cell(s, 6, whole(s, (int64_t)t->most));
        cell(s, 7, decimal(s, 1, t->deviation));
        if (nmore == 2)
            cell(s, 8, t->kind == TRACE_RANGE ? (t->pushed ? "PushPop" : "StartEnd") : t->kind == TRACE_KERNEL ? "CUDA_KERNEL" : "MEMORY_OPER");
        cell(s, 7 + nmore, t->name);
    }
}

#define SUMS(s, kinds_, pushed_, count, ...)                                                       \
    time_sums(s, (struct choice){.kinds = (kinds_), .pushed = (pushed_)}, count, (const char *const[]){__VA_ARGS__}, \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void nvtx_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_RANGE, -1, "Instances", "Style", "Range");
}

static void pushpop_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_RANGE, 1, "Instances", "Range");
}

static void startend_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_RANGE, 0, "Instances", "Range");
}

static void api_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_CALL, -1, "Num Calls", "Name");
}

static void kernel_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_KERNEL, -1, "Instances", "Name");
}

static void memory_time_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_COPY | 1u << TRACE_FILL, -1, "Count", "Operation");
}

static void gpu_sum(struct sheet *s)
{
    SUMS(s, 1u << TRACE_KERNEL | 1u << TRACE_COPY | 1u << TRACE_FILL, -1, "Instances", "Category", "Operation");
}

static void memory_size_sum(struct sheet *s)
{
    static const char *const heads[] = {"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)"};
    struct choice c = {.sheet = s, .kinds = 1u << TRACE_COPY | 1u << TRACE_FILL, .bytes = true, .pushed = -1};
    struct trace_sum *sum;
    int n = trace_sums(s->trace, chosen, &c, s->arena, &sum);

    for (int i = 0; i < 7; i++)
        head(s, true, heads[i]);
    head(s, false, "Operation");
    for (int i = 0; i < n; i++) {
        const struct trace_sum *t = &sum[i];
        cell(s, 0, decimal(s, 3, t->total / 1e6));
        cell(s, 1, whole(s, t->n));
        cell(s, 2, decimal(s, 3, t->total / 1e6 / t->n));
        cell(s, 3, decimal(s, 3, t->median / 1e6));
        cell(s, 4, decimal(s, 3, t->least / 1e6));
        cell(s, 5, decimal(s, 3, t->most / 1e6));
        cell(s, 6, decimal(s, 3, t->deviation / 1e6));
        cell(s, 7, t->name);
    }
}

/* --- lists --- */

static void command_cells(struct sheet *s, const struct trace_event *e)
{
    bool kernel = e->kind == TRACE_KERNEL, copy = e->kind == TRACE_COPY;

    for (int i = 0; i < 3; i++) {
        cell(s, 3 + i, kernel ? whole(s, e->grid[i]) : "");
        cell(s, 6 + i, kernel ? whole(s, e->block[i]) : "");
    }
    cell(s, 9, kernel ? whole(s, e->registers) : "");
    cell(s, 10, kernel ? decimal(s, 3, (double)e->shared_static / 1e6) : "");
    cell(s, 11, kernel ? decimal(s, 3, (double)e->shared_dynamic / 1e6) : "");
    cell(s, 12, kernel ? "" : decimal(s, 3, (double)e->bytes / 1e6));
    cell(s, 13, kernel || e->end <= e->begin ? "" : decimal(s, 3, (double)e->bytes * 1e3 / (double)(e->end - e->begin)));
    cell(s, 14, copy ? trace_memory_name(e->from) : "");
    cell(s, 15, kernel ? "" : trace_memory_name(e->to));
    cell(s, 16, arena_printf(s->arena, "%s (%d)", e->device_name ? e->device_name : "", e->device));
    cell(s, 17, "1");
    cell(s, 18, "");
    cell(s, 19, whole(s, report_stream(e->stream)));
    cell(s, 20, trace_name(e, s->names, s->arena));
}

static void gpu_trace(struct sheet *s)
{
    static const char *const heads[] = {"Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
                                        "StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)", "SrcMemKd", "DstMemKd",
                                        "Device", "Ctx", "GreenCtx", "Strm", "Name"};

    for (int i = 0; i < 21; i++)
        head(s, i < 14 || (i >= 17 && i < 20), heads[i]);
    for (int i = 0; i < s->trace->n; i++) {
        const struct trace_event *e = &s->trace->event[i];
        if (e->kind == TRACE_CALL || e->kind == TRACE_RANGE)
            continue;
        cell(s, 0, whole(s, e->begin - s->trace->origin));
        cell(s, 1, whole(s, e->end - e->begin));
        cell(s, 2, whole(s, (int64_t)e->call));
        command_cells(s, e);
    }
}

static void api_trace(struct sheet *s)
{
    static const char *const heads[] = {"Start (ns)", "Duration (ns)", "Name", "Result", "CorrID", "Pid", "Tid", "T-Pri", "Thread Name"};

    for (int i = 0; i < 9; i++)
        head(s, i != 2 && i != 8, heads[i]);
    for (int i = 0; i < s->trace->n; i++) {
        const struct trace_event *e = &s->trace->event[i];
        const char *name = e->process && strrchr(e->process, '/') ? strrchr(e->process, '/') + 1 : e->process ? e->process : "";
        if (e->kind != TRACE_CALL)
            continue;
        cell(s, 0, whole(s, e->begin - s->trace->origin));
        cell(s, 1, whole(s, e->end - e->begin));
        cell(s, 2, e->name);
        cell(s, 3, whole(s, e->answer));
        cell(s, 4, whole(s, (int64_t)e->call));
        cell(s, 5, whole(s, e->pid));
        cell(s, 6, whole(s, e->thread));
        cell(s, 7, "20");
        cell(s, 8, name);
    }
}

static void none(struct sheet *s)
{
    (void)s;
}

/* --- writing --- */

/* 1234567.5 as 1,234,567.5 */
static const char *grouped(struct arena *a, const char *number)
{
    size_t digits = strspn(number, "0123456789"), n = strlen(number), commas = digits ? (digits - 1) / 3 : 0, to = 0;
    char *s = arena_alloc(a, n + commas + 1);

    for (size_t i = 0; i < n; i++) {
        if (i && i < digits && (digits - i) % 3 == 0)
            s[to++] = ',';
        s[to++] = number[i];
    }
    s[to] = 0;
    return s;
}

static void padded(struct strbuf *out, const char *text, size_t width, int how) /* -1 left, 0 middle, 1 right */
{
    size_t space = width - strlen(text), before = how < 0 ? 0 : how ? space : space / 2;

    strbuf_addf(out, "%*s%s%*s", (int)before, "", text, (int)(space - before), "");
}

static void rule(struct strbuf *out, const size_t *width, int n, bool boxed)
{
    for (int c = 0; c < n; c++) {
        strbuf_adds(out, boxed ? "+" : c ? "  " : " ");
        for (size_t i = 0; i < width[c] + (boxed ? 2 : 0); i++)
            strbuf_add(out, "-", 1);
    }
    strbuf_adds(out, boxed ? "+\n" : "\n");
}

static void for_people(struct sheet *s, bool boxed, struct strbuf *out)
{
    size_t width[COLUMNS];

    for (int c = 0; c < s->columns; c++) {
        width[c] = strlen(s->head[c]);
        for (int r = 0; r < s->rows; r++) {
            const char **at = &s->cell[r * s->columns + c];
            *at = s->is_number[c] ? grouped(s->arena, *at) : *at;
            width[c] = strlen(*at) > width[c] ? strlen(*at) : width[c];
        }
    }
    if (boxed)
        rule(out, width, s->columns, boxed);
    for (int r = -1; r < s->rows; r++) {
        for (int c = 0; c < s->columns; c++) {
            strbuf_adds(out, boxed ? (c ? " | " : "| ") : c ? "  " : " ");
            padded(out, r < 0 ? s->head[c] : s->cell[r * s->columns + c], width[c], r < 0 ? 0 : s->is_number[c] ? 1 : -1);
        }
        strbuf_adds(out, boxed ? " |\n" : "\n");
        if (r < 0)
            rule(out, width, s->columns, boxed);
    }
    if (boxed)
        rule(out, width, s->columns, boxed);
}

static void quoted(struct strbuf *out, const char *text, char separator)
{
    if (!strchr(text, separator) && !strchr(text, '"')) {
        strbuf_adds(out, text);
        return;
    }
    strbuf_adds(out, "\"");
    for (; *text; text++)
        strbuf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

static void for_scripts(const struct sheet *s, char separator, struct strbuf *out)
{
    for (int r = -1; r < s->rows; r++)
        for (int c = 0; c < s->columns; c++) {
            quoted(out, r < 0 ? s->head[c] : s->cell[r * s->columns + c], separator);
            strbuf_add(out, c == s->columns - 1 ? "\n" : &separator, 1);
        }
}

/* --- the table of reports --- */

static const struct nsys_report reports[] = {
#define REPORT(function, name, older, listed, title) {name, older, title, listed},
#include "cli/nsys_reports.def"
#undef REPORT
};

static void (*const functions[])(struct sheet *s) = {
#define REPORT(function, name, older, listed, title) function,
#include "cli/nsys_reports.def"
#undef REPORT
};

const struct nsys_report *nsys_report_at(int i)
{
    return i < (int)(sizeof reports / sizeof *reports) ? &reports[i] : NULL;
}

const struct nsys_report *nsys_report_find(const char *name)
{
    size_t n = strcspn(name, ":");

    for (int i = 0; nsys_report_at(i); i++)
        for (int k = 0; k < 2; k++) {
            const char *known = k ? reports[i].older : reports[i].name;
            if (known && strlen(known) == n && !strncmp(known, name, n))
                return &reports[i];
        }
    return NULL;
}

bool nsys_report_add(const struct nsys_report *r, const struct trace *t, enum trace_names names, enum nsys_format format,
                     struct strbuf *out)
{
    struct arena a;
    struct sheet s = {.arena = &a, .trace = t, .names = names};

    arena_init(&a);
    functions[r - reports](&s);
    if (s.rows && (format == NSYS_CSV || format == NSYS_TSV))
        for_scripts(&s, format == NSYS_CSV ? ',' : '\t', out);
    else if (s.rows)
        for_people(&s, format == NSYS_TABLE, out);
    arena_release(&a);
    return s.rows > 0;
}
