/* Comparisons as text, CSV and JSON (see compare.h). */
#include <inttypes.h>
#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/compare_table.h"
#include "report/names.h"
#include "report/numbers.h"
#include "report/time_text.h"

enum { CELL = 48, HEAD = 24 };

static const char *instance(const struct result *r, struct arena *a)
{
    return name_instance(r->kernel_name, r->kernel, a);
}

static const char *device_of(const struct result *r)
{
    return r->device_id ? r->device_id : "";
}

/* --- text --- */

/* What tells the columns apart: the device, the kernel, the program; NULL: nothing but their number. */
static const char *head(const struct compare *c, const struct compare_page *p, int i, struct arena *a)
{
    bool devices = false, kernels = false, programs = false;
    const char *name;

    for (int k = 1; k < c->columns; k++) {
        devices |= strcmp(device_of(p->launch[k]), device_of(p->launch[0])) != 0;
        kernels |= strcmp(instance(p->launch[k], a), instance(p->launch[0], a)) != 0;
        programs |= strcmp(c->column[k].program, c->column[0].program) != 0;
    }
    if (devices + kernels + programs != 1)
        return NULL;
    name = devices ? device_of(p->launch[i]) : kernels ? instance(p->launch[i], a) : c->column[i].program;
    if (programs && strrchr(name, '/'))
        name = strrchr(name, '/') + 1;
    return strlen(name) > HEAD ? arena_printf(a, "%.*s...", HEAD - 3, name) : name;
}

/* Their numbers where two columns would have the same head. */
static void add_heads(const struct compare *c, const struct compare_page *p, struct arena *a, const char **heads)
{
    bool clear = true;

    for (int i = 0; i < c->columns; i++) {
        heads[i] = head(c, p, i, a);
        for (int k = 0; k < i && clear; k++)
            clear = heads[i] && heads[k] && strcmp(heads[i], heads[k]);
    }
    for (int i = 0; !clear && i < c->columns; i++)
        heads[i] = arena_printf(a, "[%d]", i + 1);
}

static void number(double v, char *out, size_t size)
{
    if (v == floor(v) || fabs(v) >= 1000)
        number_readable(round(v), out, size);
    else
        number_short(v, out, size);
}

/* "x16", "1/16", "="; "x1.00" is nearly the same. */
static void ratio_text(double ratio, char *out, size_t size)
{
    char digits[CELL];
    double times = ratio < 1 && ratio > 0 ? 1 / ratio : ratio;
    size_t n;

    *out = 0;
    if (isnan(ratio))
        return;
    number_short(times, digits, sizeof digits);
    for (n = strlen(digits); strcmp(digits, "1.00") && strchr(digits, '.') && (digits[n - 1] == '0' || digits[n - 1] == '.'); n--)
        digits[n - 1] = 0;
    if (ratio == 1)
        snprintf(out, size, "=");
    else if (ratio != 0)
        snprintf(out, size, "%s%s", times == ratio ? "x" : "1/", digits);
}

struct cells {
    char value[COMPARE_MOST][CELL], ratio[COMPARE_MOST][CELL];
};

static void fill(struct cells *to, const struct compare_row *row, int n)
{
    for (int i = 0; i < n; i++) {
        if (row->word[i])
            snprintf(to->value[i], CELL, "%s", row->word[i]);
        else if (isnan(row->value[i]))
            snprintf(to->value[i], CELL, "n/a");
        else
            number(row->value[i], to->value[i], CELL);
        ratio_text(i ? row->ratio[i] : NAN, to->ratio[i], CELL);
    }
}

struct widths {
    int label, unit, value[COMPARE_MOST], ratio[COMPARE_MOST];
};

static void widen(int *width, const char *text)
{
    if ((int)strlen(text) > *width)
        *width = (int)strlen(text);
}

static void add_line(const char *label, const char *unit, const struct cells *cells, const char *last, const struct widths *w,
                     int columns, struct strbuf *out)
{
    strbuf_addf(out, "  %-*s %-*s", w->label, label, w->unit, unit);
    for (int i = 0; i < columns; i++) {
        strbuf_addf(out, "  %*s", w->value[i], cells->value[i]);
        if (i)
            strbuf_addf(out, " %*s", w->ratio[i], cells->ratio[i]);
    }
    strbuf_addf(out, "  %s\n", last);
}

static void add_table(const struct compare *c, const struct compare_page *p, const struct compare_row *rows, int n, struct arena *a,
                      struct strbuf *out)
{
    struct cells *cells = ARENA_ARRAY(a, struct cells, n + 1);
    struct widths w = {.label = 28};
    const char *group = "", *heads[COMPARE_MOST];

    add_heads(c, p, a, heads);
    for (int i = 0; i < c->columns; i++) {
        snprintf(cells[n].value[i], CELL, "%s", heads[i]);
        cells[n].ratio[i][0] = 0;
        widen(&w.value[i], heads[i]);
        w.ratio[i] = 4;
    }
    for (int k = 0; k < n; k++) {
        fill(&cells[k], &rows[k], c->columns);
        widen(&w.label, rows[k].label);
        widen(&w.unit, rows[k].unit);
        for (int i = 0; i < c->columns; i++) {
            widen(&w.value[i], cells[k].value[i]);
            widen(&w.ratio[i], cells[k].ratio[i]);
        }
    }
    add_line("", "", &cells[n], "Trust", &w, c->columns, out);
    for (int k = 0; k < n; k++) {
        if (strcmp(group, rows[k].group))
            strbuf_addf(out, "%s\n", rows[k].group);
        group = rows[k].group;
        add_line(rows[k].label, rows[k].unit, &cells[k], trust_text(rows[k].trust), &w, c->columns, out);
    }
}

static void add_launch(const struct compare_column *c, const struct result *r, struct arena *a, struct strbuf *out)
{
    const uint32_t *g = r->launch.grid, *b = r->launch.block;

    strbuf_addf(out, "%s of %s on %s: (%u, %u, %u)x(%u, %u, %u), launch %" PRId64 "%s\n", instance(r, a), c->program, device_of(r),
                g[0], g[1], g[2], b[0], b[1], b[2], r->id, r->fault ? "; ended early: figures are those until then" : "");
}

/* "In order of modelled time: [2] 3.21 us (shared memory), [1] 6.02 us (latency)", with what bounds each; nothing where one has no time. */
static void add_order(const struct compare *c, const struct compare_page *p, struct strbuf *out)
{
    int order[COMPARE_MOST];
    double ns[COMPARE_MOST];

    for (int i = 0; i < c->columns; i++) {
        int k = i;

        if (result_metric(p->launch[i], "gpu__time_duration.sum", &ns[i]) != METRIC_OK)
            return;
        for (; k > 0 && ns[order[k - 1]] > ns[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    strbuf_adds(out, "In order of modelled time:");
    for (int k = 0; k < c->columns; k++) {
        char us[CELL];

        number_short(ns[order[k]] / 1e3, us, sizeof us);
        strbuf_addf(out, "%s [%d] %s us (%s)", k ? "," : "", order[k] + 1, us, time_bound(p->launch[order[k]]));
    }
    strbuf_adds(out, "\n");
}

void compare_text(const struct compare *c, const struct compare_options *o, struct strbuf *out)
{
    for (int i = 0; i < c->pages; i++) {
        const struct compare_page *p = &c->page[i];
        struct compare_row *rows;
        struct arena a;
        int n;

        arena_init(&a);
        n = compare_rows(c, p, o, &a, &rows);
        strbuf_adds(out, i ? "\n" : "");
        for (int k = 0; k < c->columns; k++) {
            strbuf_addf(out, "[%d] ", k + 1);
            add_launch(&c->column[k], p->launch[k], &a, out);
        }
        if (!o->metrics || !o->metrics->n)
            add_order(c, p, out);
        if (n)
            add_table(c, p, rows, n, &a, out);
        else
            strbuf_adds(out, "  no figure differs; --all shows them\n");
        arena_release(&a);
    }
}

/* --- CSV --- */

static void quoted(struct strbuf *out, const char *s)
{
    strbuf_adds(out, ",\"");
    for (; *s; s++)
        strbuf_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

static void quoted_number(struct strbuf *out, double v)
{
    char digits[64];

    snprintf(digits, sizeof digits, "%.10g", v);
    quoted(out, isnan(v) ? "n/a" : digits);
}

void compare_csv(const struct compare *c, const struct compare_options *o, struct strbuf *out)
{
    strbuf_adds(out, "\"ID\",\"Group\",\"Row\",\"Metric\",\"Unit\",\"Trust\"");
    for (int k = 0; k < c->columns; k++)
        strbuf_addf(out, ",\"Program %d\",\"Device %d\",\"Kernel %d\",\"Value %d\",\"Ratio %d\"", k + 1, k + 1, k + 1, k + 1, k + 1);
    strbuf_adds(out, "\n");
    for (int i = 0; i < c->pages; i++) {
        struct compare_row *rows;
        struct arena a;
        int n;

        arena_init(&a);
        n = compare_rows(c, &c->page[i], o, &a, &rows);
        for (const struct compare_row *row = rows; row < rows + n; row++) {
            strbuf_addf(out, "\"%d\"", i);
            quoted(out, row->group);
            quoted(out, row->label + strspn(row->label, " "));
            quoted(out, row->metric ? row->metric : "");
            quoted(out, row->unit);
            quoted(out, trust_text(row->trust));
            for (int k = 0; k < c->columns; k++) {
                quoted(out, c->column[k].program);
                quoted(out, device_of(c->page[i].launch[k]));
                quoted(out, instance(c->page[i].launch[k], &a));
                if (row->word[k])
                    quoted(out, row->word[k]);
                else
                    quoted_number(out, row->value[k]);
                quoted_number(out, row->ratio[k]);
            }
            strbuf_adds(out, "\n");
        }
        arena_release(&a);
    }
}

/* --- JSON --- */

static json_t *json_number(double v)
{
    return isnan(v) ? json_null() : v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *row_json(const struct compare_row *row, int columns)
{
    json_t *values = json_array(), *ratios = json_array();

    for (int k = 0; k < columns; k++) {
        json_array_append_new(values, row->word[k] ? json_string(row->word[k]) : json_number(row->value[k]));
        json_array_append_new(ratios, json_number(row->ratio[k]));
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:o, s:o}", "group", row->group, "row", row->label + strspn(row->label, " "),
                     "metric", row->metric ? json_string(row->metric) : json_null(), "unit", row->unit, "trust",
                     trust_text(row->trust), "values", values, "ratios", ratios);
}

static json_t *launch_json(const struct compare_column *c, const struct result *r, struct arena *a)
{
    const uint32_t *g = r->launch.grid, *b = r->launch.block;

    return json_pack("{s:s, s:s, s:s, s:I, s:[i,i,i], s:[i,i,i], s:o}", "program", c->program, "device", device_of(r), "kernel",
                     instance(r, a), "launch", (json_int_t)r->id, "grid", (int)g[0], (int)g[1], (int)g[2], "block", (int)b[0],
                     (int)b[1], (int)b[2], "fault", r->fault ? json_string(r->fault) : json_null());
}

void compare_json(const struct compare *c, const struct compare_options *o, struct strbuf *out)
{
    json_t *pages = json_array();

    for (int i = 0; i < c->pages; i++) {
        json_t *launches = json_array(), *list = json_array();
        struct compare_row *rows;
        struct arena a;
        int n;

        arena_init(&a);
        n = compare_rows(c, &c->page[i], o, &a, &rows);
        for (int k = 0; k < c->columns; k++)
            json_array_append_new(launches, launch_json(&c->column[k], c->page[i].launch[k], &a));
        for (int k = 0; k < n; k++)
            json_array_append_new(list, row_json(&rows[k], c->columns));
        json_array_append_new(pages, json_pack("{s:o, s:o}", "launches", launches, "rows", list));
        arena_release(&a);
    }
    json_print(out, pages);
}
