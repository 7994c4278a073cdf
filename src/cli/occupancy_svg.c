/* Occupancy as a picture: a plot for each need, a line for each device. See occupancy.h.
 *
 * Out: SVG 1.1 that stands alone. Where lines lie on one another the first is the widest, so that all can be seen. Each
 * step tells its figures when the pointer rests on it. Colours: Okabe and Ito's, which the colour-blind tell apart. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/occupancy.h"

enum { WIDTH = 860, LEFT = 60, RIGHT = 20, TOP = 64, PLOT = 180, GAP = 74, LEGEND = 20 };

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

struct plot {
    const struct occupancy_page *page;
    enum device_axis axis;
    int64_t end;  /* the largest value of all devices */
    double top;   /* of the plot, in the picture */
};

static void add_escaped(struct strbuf *out, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '>':
            strbuf_adds(out, "&gt;");
            break;
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        default:
            strbuf_add(out, s, 1);
        }
}

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
    add_escaped(out, text.s);
    strbuf_release(&text);
}

static void add_line(const struct plot *p, int which, struct strbuf *out)
{
    const struct occupancy_case *c = &p->page->cases[which];
    const struct device_curve *curve = &c->curve[p->axis];
    double width = 2 + 1.5 * (p->page->n - 1 - which < 4 ? p->page->n - 1 - which : 4);

    strbuf_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"", colours[which % COLOURS], width);
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
                        x_of(p, (double)now), y_of(p, occupancy_percent(c, &c->at)), colours[i % COLOURS]);
    }
}

static void add_plot(const struct occupancy_page *page, enum device_axis axis, struct strbuf *out)
{
    struct plot p = {page, axis, 1, TOP + LEGEND + (double)axis * (PLOT + GAP)};

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

static void add_title(const struct occupancy_page *p, struct strbuf *out)
{
    const struct occupancy_case *c = &p->cases[0];
    struct strbuf text;

    strbuf_init(&text);
    strbuf_addf(&text, "Occupancy%s%s: %d threads a block, ", p->kernel ? " of " : "", p->kernel ? p->kernel : "", c->need.threads);
    strbuf_addf(&text, "%d registers a thread, ", c->need.registers);
    occupancy_count(&text, c->need.shared_static + c->need.shared_dynamic);
    strbuf_adds(&text, " bytes of shared memory a block");
    strbuf_addf(out, "<title>");
    add_escaped(out, text.s);
    strbuf_addf(out, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"24\" class=\"title\">", LEFT);
    add_escaped(out, text.s);
    strbuf_adds(out, "</text>\n");
    strbuf_release(&text);
}

/* Under the title; circles are where the numbers of the title are. */
static void add_legend(const struct occupancy_page *p, struct strbuf *out)
{
    double x = LEFT;

    for (int i = 0; i < p->n; i++) {
        strbuf_addf(out, "<rect x=\"%.1f\" y=\"38\" width=\"14\" height=\"4\" fill=\"%s\"/><text x=\"%.1f\" y=\"44\" class=\"mark\">", x,
                    colours[i % COLOURS], x + 19);
        add_escaped(out, p->cases[i].device->id);
        strbuf_adds(out, "</text>\n");
        x += 34 + 7 * (double)strlen(p->cases[i].device->id);
    }
}

void occupancy_svg(const struct occupancy_page *p, struct strbuf *out)
{
    int height = TOP + LEGEND + DEVICE_AXES * PLOT + (DEVICE_AXES - 1) * GAP + 30;

    strbuf_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                     "<style>text{font-family:sans-serif;fill:#222}.title{font-size:13px;font-weight:bold}.mark{font-size:11px}"
                     ".grid{stroke:#ddd}.axis{stroke:#888}</style>\n", WIDTH, height, WIDTH, height);
    add_title(p, out);
    add_legend(p, out);
    for (int axis = 0; axis < DEVICE_AXES; axis++)
        add_plot(p, (enum device_axis)axis, out);
    strbuf_adds(out, "</svg>\n");
}
