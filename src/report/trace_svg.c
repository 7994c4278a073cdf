/* A trace as a picture (see trace_rows.h): a row a line, time from left to right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/svg.h"
#include "report/trace_rows.h"

enum { WIDTH = 1100, LEFT = 150, RIGHT = 20, TOP = 48, LANE = 20, GAP = 8, GROUP = 22, LEGEND = 46, DEPTHS = 8 };

enum look { LOOK_KERNEL, LOOK_OUT, LOOK_IN, LOOK_WITHIN, LOOK_FILL, LOOK_CALL, LOOK_RANGE, LOOKS }; /* colours of svg_colours in this order */
static const char *const look_texts[LOOKS] = {"kernel", "copy from the device", "copy to the device", "copy within the device", "fill", "call of the host", "NVTX range"};

static enum look look_of(const struct trace_event *e)
{
    bool to = e->to == TRACE_DEVICE, from = e->from == TRACE_DEVICE;
    switch (e->kind) {
    case TRACE_KERNEL:
        return LOOK_KERNEL;
    case TRACE_COPY:
        return to && from ? LOOK_WITHIN : to ? LOOK_IN : LOOK_OUT;
    case TRACE_FILL:
        return LOOK_FILL;
    case TRACE_RANGE:
        return LOOK_RANGE;
    case TRACE_CALL:
        break;
    }
    return LOOK_CALL;
}

struct picture {
    const struct trace *t;
    struct arena arena;
    struct trace_row *row;
    int rows;
    int64_t length; /* ns of the whole */
    bool used[LOOKS];
    struct strbuf *out;
};

static double x_of(const struct picture *p, int64_t at)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * (double)(at - p->t->origin) / (double)p->length;
}

/* "12.3 us" */
static const char *time_text(struct arena *a, int64_t ns)
{
    static const struct { double of; const char *unit; } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    int u = 0;
    while (u < 3 && (double)ns < units[u].of)
        u++;
    return arena_printf(a, "%.4g %s", (double)ns / units[u].of, units[u].unit);
}

/* 1, 2 or 5 times a power of ten: about eight of them in the whole. */
static int64_t step_of(int64_t length)
{
    static const int steps[] = {1, 2, 5, 10};
    double p = pow(10, floor(log10((double)length / 8)));
    int i = 0;
    while (i < 3 && (double)length / (steps[i] * p) > 10)
        i++;
    int64_t step = (int64_t)(steps[i] * p);
    return step > 0 ? step : 1;
}

static void draw_axis(struct picture *p, int height)
{
    for (int64_t at = 0, step = step_of(p->length); at <= p->length; at += step) {
        double x = x_of(p, p->t->origin + at);
        strbuf_addf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/><text class=\"mark\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                    x, TOP, x, height, x, TOP - 6, at ? time_text(&p->arena, at) : "0");
    }
}

static const char *event_text(struct picture *p, const struct trace_event *e)
{
    const char *name = trace_name(e, TRACE_NAMES_BASE, &p->arena) + (e->kind == TRACE_RANGE);
    const char *more = e->kind == TRACE_KERNEL && !e->library ? arena_printf(&p->arena, " (%u, %u, %u)x(%u, %u, %u)", e->grid[0], e->grid[1], e->grid[2], e->block[0], e->block[1], e->block[2])
                       : e->kind == TRACE_COPY || e->kind == TRACE_FILL ? arena_printf(&p->arena, ", %lld bytes", (long long)e->bytes)
                                                                       : "";
    return arena_printf(&p->arena, "%s%s: %s from %s on", name, more, time_text(&p->arena, e->end - e->begin), time_text(&p->arena, e->begin - p->t->origin));
}

/* The name stands in its bar where it fits. */
static void draw_bar(struct picture *p, const struct trace_event *e, double y, double x0, double x1, int together)
{
    const char *name = trace_name(e, TRACE_NAMES_BASE, &p->arena) + (e->kind == TRACE_RANGE);
    const enum look look = look_of(e);
    double width = x1 - x0 > 0.5 ? x1 - x0 : 0.5;

    p->used[look] = true;
    strbuf_addf(p->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s><title>", x0, y, width, LANE - 4, svg_colours[look],
                look == LOOK_RANGE ? " fill-opacity=\"0.25\"" : "");
    svg_text(p->out, event_text(p, e));
    if (together > 1)
        strbuf_addf(p->out, ", and %d more", together - 1);
    strbuf_adds(p->out, "</title></rect>\n");
    if (svg_width(name, 11) + 6 > width)
        return;
    strbuf_addf(p->out, "<text class=\"mark\" x=\"%.1f\" y=\"%.1f\"%s>", x0 + 3, y + 12, look == LOOK_KERNEL || look == LOOK_OUT || look == LOOK_IN ? " style=\"fill:#fff\"" : "");
    svg_text(p->out, name);
    strbuf_adds(p->out, "</text>\n");
}

/* How deep the i-th thing of a row lies within others. */
static int depth_of(const struct trace *t, const struct trace_row *r, int i, int64_t *until, int *open)
{
    const struct trace_event *e = &t->event[r->event[i]];
    while (*open && until[*open - 1] <= e->begin)
        --*open;
    if (!r->nests || *open == DEPTHS)
        return r->nests ? DEPTHS - 1 : 0;
    until[(*open)++] = e->end;
    return *open - 1;
}

static int lanes_of(const struct trace *t, const struct trace_row *r)
{
    int64_t until[DEPTHS];
    int open = 0, most = 0;
    for (int i = 0; i < r->n; i++) {
        int d = depth_of(t, r, i, until, &open);
        most = d > most ? d : most;
    }
    return most + 1;
}

static void draw_row(struct picture *p, const struct trace_row *r, double y)
{
    int64_t until[DEPTHS];
    int open = 0;

    strbuf_addf(p->out, "<text class=\"text\" x=\"%d\" y=\"%.1f\">", GAP, y + 13);
    svg_text(p->out, r->label);
    strbuf_adds(p->out, "</text>\n");
    for (int i = 0, next; i < r->n; i = next) {
        const struct trace_event *e = &p->t->event[r->event[i]], *last = e;
        int depth = depth_of(p->t, r, i, until, &open);
        next = i + 1;
        while (!r->nests && next < r->n && x_of(p, p->t->event[r->event[next]].end) - x_of(p, e->begin) < 1.5 && look_of(&p->t->event[r->event[next]]) == look_of(e))
            last = &p->t->event[r->event[next++]]; /* what nobody could see apart is one bar */
        draw_bar(p, e, y + depth * LANE, x_of(p, e->begin), x_of(p, last->end), next - i);
    }
}

static void draw_legend(struct picture *p, int y)
{
    double x = LEFT;
    for (int l = 0; l < LOOKS; l++) {
        if (!p->used[l])
            continue;
        strbuf_addf(p->out, "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"%s/><text class=\"mark\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, y, svg_colours[l],
                    l == LOOK_RANGE ? " fill-opacity=\"0.25\"" : "", x + 17, y + 10, look_texts[l]);
        x += 17 + svg_width(look_texts[l], 11) + 14;
    }
}

bool trace_svg(const struct trace *t, struct strbuf *out, struct diag_list *diags)
{
    struct picture p = {.t = t, .out = out};
    int height = TOP + GAP;

    for (int i = 0; i < t->n; i++)
        p.length = t->event[i].end - t->origin > p.length ? t->event[i].end - t->origin : p.length;
    if (!p.length) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "no timeline to draw: the program used no device");
        return false;
    }
    arena_init(&p.arena);
    p.rows = trace_rows(t, &p.arena, &p.row);
    double *y = ARENA_ARRAY(&p.arena, double, p.rows);
    for (int r = 0; r < p.rows; r++) {
        height += !r || strcmp(p.row[r].group, p.row[r - 1].group) ? GROUP : 0;
        y[r] = height;
        height += lanes_of(t, &p.row[r]) * LANE + GAP;
    }
    svg_open(out, WIDTH, height + LEGEND, "Timeline",
             arena_printf(&p.arena, "%d rows over %s; times are %s", p.rows, time_text(&p.arena, p.length), t->modelled ? "modelled" : "the host's"));
    strbuf_addf(out, "<text class=\"title\" x=\"%d\" y=\"20\">Timeline: times are %s</text>\n", GAP, t->modelled ? "the device's, modelled" : "the host's, not a GPU's");
    draw_axis(&p, height);
    for (int r = 0; r < p.rows; r++) {
        if (!r || strcmp(p.row[r].group, p.row[r - 1].group)) {
            strbuf_addf(out, "<text class=\"title\" x=\"%d\" y=\"%.1f\">", GAP, y[r] - 6);
            svg_text(out, p.row[r].group);
            strbuf_adds(out, "</text>\n");
        }
        draw_row(&p, &p.row[r], y[r]);
    }
    draw_legend(&p, height + 16);
    svg_close(out);
    arena_release(&p.arena);
    return true;
}
