/* Occupancy as a picture: a plot for each need, a line for each device. See occupancy.h.
 *
 * Out: SVG 1.1 that stands alone. Where lines lie on one another the first is the widest, so that all can be seen. Each
 * step tells its figures when the pointer rests on it. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/occupancy.h"
#include "report/svg.h"

enum { WIDTH = 880, LEFT = 60, RIGHT = 40, TOP = 76, PLOT = 180, GAP = 74, LEGEND = 18, NAME = 90 };

/* Lines differ by dash as well as by colour. */
static const char *const dashes[] = {"none", "9 3", "3 2", "12 3 3 3", "6 6", "2 5", "15 4"};
enum { DASHES = sizeof dashes / sizeof *dashes };

static const char *dash(int which)
{
    return dashes[(which + which / SVG_COLOURS) % DASHES];
}

static int add_legend(const struct occupancy_page *p, struct strbuf *out);

static int legend_lines(const struct occupancy_page *p)
{
    return add_legend(p, NULL);
}

struct plot {
    const struct occupancy_page *page;
    enum device_axis axis;
    int64_t end;  /* the largest value of all devices */
    double top;   /* of the plot, in the picture */
};

static double x_of(const struct plot *p, double value)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * value / (double)p->end;
}

static double y_of(const struct plot *p, double percent)
{
    return p->top + PLOT * (1 - percent / 100);
}

/* --- axes --- */

/* A distance between marks: about eight of them, in warps, eights or KiB. */
static int64_t mark_distance(const struct plot *p)
{
    int64_t d = p->axis == DEVICE_AXIS_THREADS ? 32 : p->axis == DEVICE_AXIS_REGISTERS ? 8 : 1024;

    while (p->end / d > 10)
        d *= 2;
    return d;
}

static void add_mark_text(const struct plot *p, int64_t value, struct strbuf *out)
{
    if (p->axis != DEVICE_AXIS_SHARED)
        occupancy_count(out, value);
    else
        strbuf_addf(out, "%d KiB", (int)(value / 1024));
}

static void add_axes(const struct plot *p, struct strbuf *out)
{
    int64_t d = mark_distance(p);

    strbuf_addf(out, "<text x=\"%d\" y=\"%.1f\" class=\"title\">by %s</text>\n", LEFT, p->top - 12, occupancy_axes[p->axis].text);
    for (int percent = 0; percent <= 100; percent += 25)
        strbuf_addf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>"
                         "<text x=\"%d\" y=\"%.1f\" class=\"mark\" text-anchor=\"end\">%d%%</text>\n",
                    LEFT, WIDTH - RIGHT, y_of(p, percent), y_of(p, percent), LEFT - 8, y_of(p, percent) + 4, percent);
    for (int64_t v = 0; v <= p->end; v += d) {
        strbuf_addf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"axis\"/><text x=\"%.1f\" y=\"%.1f\" class=\"mark\" "
                         "text-anchor=\"middle\">", x_of(p, (double)v), x_of(p, (double)v), y_of(p, 0), y_of(p, 0) + 4,
                    x_of(p, (double)v), y_of(p, 0) + 17);
        add_mark_text(p, v, out);
        strbuf_adds(out, "</text>\n");
    }
}

/* --- lines --- */

/* A value takes the place that ends at it, so a step of one value has a width, too; shared memory begins at 0. */
static double left_of(const struct plot *p, const struct device_step *s)
{
    return x_of(p, s->first > 0 ? (double)s->first - 1 : 0);
}

static void add_step_text(const struct occupancy_case *c, enum device_axis axis, const struct device_step *s, struct strbuf *out)
{
    struct strbuf text;

    strbuf_init(&text);
    strbuf_addf(&text, "%s, ", c->device->id);
    occupancy_count(&text, s->first);
    if (s->last > s->first) {
        strbuf_adds(&text, " to ");
        occupancy_count(&text, s->last);
    }
    strbuf_addf(&text, " %s: %.1f%%, ", occupancy_axes[axis].text, occupancy_percent(c, &s->at));
    occupancy_limits(&s->at, &text);
    svg_text(out, text.s);
    strbuf_release(&text);
}

static void add_line(const struct plot *p, int which, struct strbuf *out)
{
    const struct occupancy_case *c = &p->page->cases[which];
    const struct device_curve *curve = &c->curve[p->axis];
    double below = p->page->n - 1 - which, width = 2 + below * (p->page->n > 5 ? 6.0 / p->page->n : 1.5);

    strbuf_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-dasharray=\"%s\" d=\"",
                svg_colours[which % SVG_COLOURS], width, dash(which));
    for (int i = 0; i < curve->n; i++) {
        double y = y_of(p, occupancy_percent(c, &curve->steps[i].at));
        strbuf_addf(out, "%s%.1f %.1fH%.1f", i ? "L" : "M", left_of(p, &curve->steps[i]), y, x_of(p, (double)curve->steps[i].last));
    }
    strbuf_adds(out, "\"/>\n");
}

/* Invisible, for the pointer. */
static void add_tips(const struct plot *p, int which, struct strbuf *out)
{
    const struct occupancy_case *c = &p->page->cases[which];
    const struct device_curve *curve = &c->curve[p->axis];

    for (int i = 0; i < curve->n; i++) {
        const struct device_step *s = &curve->steps[i];
        double x = left_of(p, s);

        strbuf_addf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"#fff\" fill-opacity=\"0\"><title>", x,
                    y_of(p, occupancy_percent(c, &s->at)) - 5, x_of(p, (double)s->last) - x);
        add_step_text(c, p->axis, s, out);
        strbuf_adds(out, "</title></rect>\n");
    }
}

/* Where the kernel is now. */
static void add_here(const struct plot *p, struct strbuf *out)
{
    for (int i = 0; i < p->page->n; i++) {
        const struct occupancy_case *c = &p->page->cases[i];
        int64_t now = device_axis_value(&c->need, p->axis);

        if (device_curve_at(&c->curve[p->axis], now))
            strbuf_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"2\"/>\n",
                        x_of(p, (double)now), y_of(p, occupancy_percent(c, &c->at)), svg_colours[i % SVG_COLOURS]);
    }
}

static void add_plot(const struct occupancy_page *page, enum device_axis axis, struct strbuf *out)
{
    struct plot p = {page, axis, 1, TOP + LEGEND * (double)legend_lines(page) + (double)axis * (PLOT + GAP)};

    for (int i = 0; i < page->n; i++) {
        const struct device_curve *curve = &page->cases[i].curve[axis];
        if (curve->steps[curve->n - 1].last > p.end)
            p.end = curve->steps[curve->n - 1].last;
    }
    add_axes(&p, out);
    for (int i = 0; i < page->n; i++)
        add_line(&p, i, out);
    add_here(&p, out);
    for (int i = 0; i < page->n; i++)
        add_tips(&p, i, out);
}

/* --- the picture --- */

/* The kernel on one line, a long name cut, and its numbers on the next. */
static void begin(const struct occupancy_page *p, int height, struct strbuf *out)
{
    const struct occupancy_case *c = &p->cases[0];
    struct strbuf name, numbers, all;
    bool cut = p->kernel && strlen(p->kernel) > NAME;

    strbuf_init(&name);
    strbuf_init(&numbers);
    strbuf_init(&all);
    strbuf_addf(&name, "Occupancy%s%.*s%s", p->kernel ? " of " : "", NAME, p->kernel ? p->kernel : "", cut ? "..." : "");
    strbuf_addf(&numbers, "%d threads per block, %d registers per thread, ", c->need.threads, c->need.registers);
    occupancy_count(&numbers, c->need.shared_static + c->need.shared_dynamic);
    strbuf_adds(&numbers, " bytes of shared memory per block");
    strbuf_addf(&all, "Occupancy%s%s: %s", p->kernel ? " of " : "", p->kernel ? p->kernel : "", numbers.s);
    svg_open(out, WIDTH, height, all.s, NULL);
    strbuf_addf(out, "<text x=\"%d\" y=\"24\" class=\"title\">", LEFT);
    svg_text(out, name.s);
    strbuf_addf(out, "</text>\n<text x=\"%d\" y=\"42\">", LEFT);
    svg_text(out, numbers.s);
    strbuf_adds(out, "</text>\n");
    strbuf_release(&all);
    strbuf_release(&numbers);
    strbuf_release(&name);
}

/* Under the title, in lines: a sample of each device's line. Circles are where the numbers of the title are. Returns how
 * many lines that takes; with `out` it draws them. */
static int add_legend(const struct occupancy_page *p, struct strbuf *out)
{
    double x = LEFT;
    int lines = 1;

    for (int i = 0; i < p->n; i++) {
        double width = 50 + svg_width(p->cases[i].device->id, 12);

        if (x + width > WIDTH - RIGHT) {
            x = LEFT;
            lines++;
        }
        if (out) {
            double y = 42 + LEGEND * lines;

            strbuf_addf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\" "
                             "stroke-dasharray=\"%s\"/><text x=\"%.1f\" y=\"%.1f\">", x, x + 30, y - 4, y - 4,
                        svg_colours[i % SVG_COLOURS], dash(i), x + 35, y);
            svg_text(out, p->cases[i].device->id);
            strbuf_adds(out, "</text>\n");
        }
        x += width;
    }
    return lines;
}

void occupancy_svg(const struct occupancy_page *p, struct strbuf *out)
{
    int height = TOP + LEGEND * legend_lines(p) + DEVICE_AXES * PLOT + (DEVICE_AXES - 1) * GAP + 30;

    begin(p, height, out);
    add_legend(p, out);
    for (int axis = 0; axis < DEVICE_AXES; axis++)
        add_plot(p, (enum device_axis)axis, out);
    svg_close(out);
}
