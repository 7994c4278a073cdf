/* The roofline as a picture (see roofline.h).
 *
 * Labels never lie on each other: those of horizontal roofs and of launches stand beside the plot, spread out, with a
 * line to their place; those of slanted roofs follow their roof, one behind the other where roofs are close. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "report/names.h"
#include "report/numbers.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/svg.h"

enum { WIDTH = 980, LEFT = 84, RIGHT = 236, TOP = 48, LEAST_HEIGHT = 420, LINE = 18, LABEL = 15, NUMBER = 32, NAME = 72 };

/* How a level is drawn: a dash, a mark, a colour. */
static const struct style {
    const char *dash;
    const char *mark; /* a path around 0 0 */
    int colour;       /* of svg_colours */
} styles[ROOFLINE_LEVELS] = {
    [ROOFLINE_LEVEL_ASKED] = {"", "M-5 -5L5 5M-5 5L5 -5", 6},
    [ROOFLINE_LEVEL_DRAM] = {"none", "M-5.5 0A5.5 5.5 0 1 0 5.5 0A5.5 5.5 0 1 0 -5.5 0Z", 0},
    [ROOFLINE_LEVEL_L2] = {"12 4", "M-5 -5H5V5H-5Z", 1},
    [ROOFLINE_LEVEL_L1] = {"5 3", "M0 -6.5L6 5H-6Z", 2},
    [ROOFLINE_LEVEL_SHARED] = {"10 3 2 3", "M0 -7L7 0L0 7L-7 0Z", 3},
};

/* Launches of the same kernel and shape with the same figures. */
struct group {
    const struct result *first;
    struct roofline f;
    enum roofline_precision p;
    double most; /* GFLOP/s; 0: no operations, or nothing bounds */
    int n;       /* launches */
    int number;  /* in the picture, from 1; 0: not in it */
};

struct label {
    double y, at; /* where it belongs, where it stands */
    const char *text;
    const struct group *group; /* NULL: of a roof */
};

struct chart {
    struct arena arena;
    struct group *group;
    int groups, shown;
    double x0, x1, y0, y1; /* powers of ten at the edges */
    double height;         /* of the plot */
    double widest;         /* GB/s: the highest of the slanted roofs */
    struct label *label;
    int labels;
    struct strbuf *out;
};

static double x_of(const struct chart *c, double v)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(v) - c->x0) / (c->x1 - c->x0);
}

static double y_of(const struct chart *c, double v)
{
    return TOP + c->height * (c->y1 - log10(v)) / (c->y1 - c->y0);
}

/* --- launches --- */

static bool same(const struct group *g, const struct result *r, const struct roofline *f)
{
    const struct launch_facts *a = &g->first->launch, *b = &r->launch;

    if (strcmp(g->first->kernel, r->kernel) || memcmp(a->grid, b->grid, sizeof a->grid) ||
        memcmp(a->block, b->block, sizeof a->block) || g->f.us != f->us)
        return false;
    for (int l = 0; l < ROOFLINE_LEVELS; l++)
        if (g->f.level[l].bytes != f->level[l].bytes && !isnan(f->level[l].bytes))
            return false;
    return true;
}

static void add_launch(struct chart *c, const struct result *r)
{
    struct roofline f;
    struct group *g;

    result_roofline(r, &f);
    for (int i = 0; i < c->groups; i++)
        if (same(&c->group[i], r, &f)) {
            c->group[i].n++;
            return;
        }
    g = &c->group[c->groups++];
    *g = (struct group){r, f, roofline_main(&f), 0, 1, 0};
    g->most = roofline_most(&f, g->p);
    if (g->most > 0)
        g->number = ++c->shown;
}

/* "name (2, 1, 1)x(64, 1, 1)", long names cut. */
static const char *launch_name(struct chart *c, const struct group *g)
{
    const uint32_t *grid = g->first->launch.grid, *block = g->first->launch.block;
    const char *name = name_instance(g->first->kernel_name, g->first->kernel, &c->arena);
    size_t n = strlen(name);

    if (n > NAME)
        for (n = NAME; n && ((unsigned char)name[n] & 0xc0) == 0x80;)
            n--;
    return arena_printf(&c->arena, "%.*s%s (%u, %u, %u)x(%u, %u, %u)", (int)n, name, name[n] ? "..." : "", grid[0], grid[1],
                        grid[2], block[0], block[1], block[2]);
}

static const char *times(struct chart *c, const struct group *g)
{
    return g->n > 1 ? arena_printf(&c->arena, ", %d launches", g->n) : "";
}

/* What is said of a launch below the picture, and to screen readers. */
static const char *launch_text(struct chart *c, const struct group *g)
{
    char us[NUMBER], most[NUMBER];

    if (g->f.bound == ROOFLINE_RESOURCES)
        return arena_printf(&c->arena, "%s%s: nothing that bounds it", launch_name(c, g), times(c, g));
    number_short(g->f.us, us, sizeof us);
    number_short(g->most, most, sizeof most);
    if (!g->number)
        return arena_printf(&c->arena, "%s%s: no floating-point operations; bound by %s, at least %s us", launch_name(c, g),
                            times(c, g), roofline_resource_names(g->f.bound).text, us);
    return arena_printf(&c->arena, "%s%s: at most %s GFLOP/s in %s; bound by %s, at least %s us", launch_name(c, g), times(c, g),
                        most, roofline_precision_names(g->p).text, roofline_resource_names(g->f.bound).text, us);
}

/* --- the range --- */

static void reach(double *low, double *high, double v)
{
    if (!(v > 0) || isinf(v))
        return;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
}

/* Peaks that are drawn beside those of roofline.def: nothing runs on them here, but the device has them. */
static double tensor_peak(const struct chart *c)
{
    return c->group[0].first->rates.tensor_fp16;
}

static void find_range(struct chart *c)
{
    double x0 = INFINITY, x1 = 0, y0 = INFINITY, y1 = 0;
    const struct roofline *f = &c->group[0].f;

    for (int l = 0; l < ROOFLINE_LEVELS; l++) {
        c->widest = fmax(c->widest, f->level[l].peak > 0 ? f->level[l].peak : 0);
        for (int p = 0; p < ROOFLINE_PRECISIONS; p++)
            reach(&x0, &x1, roofline_ridge(f, (enum roofline_level)l, (enum roofline_precision)p));
        reach(&x0, &x1, tensor_peak(c) / f->level[l].peak);
    }
    for (int p = 0; p < ROOFLINE_PRECISIONS; p++)
        reach(&y0, &y1, f->precision[p].peak);
    reach(&y0, &y1, tensor_peak(c));
    for (int i = 0; i < c->groups; i++) {
        const struct group *g = &c->group[i];

        if (!g->number)
            continue;
        reach(&y0, &y1, g->most);
        for (int l = 0; l < ROOFLINE_LEVELS; l++)
            if (roofline_uses(&g->f, (enum roofline_level)l))
                reach(&x0, &x1, roofline_intensity(&g->f, (enum roofline_level)l, g->p));
        reach(&y0, &y1, roofline_attainable(&g->f, ROOFLINE_LEVEL_ASKED, g->p));
    }
    /* Room for the slanted roofs' names to the left of the ridge points, and for launches at the edges. */
    c->x0 = fmin(log10(x0) - 0.3, log10(y1 / c->widest) - 2);
    c->x1 = log10(x1) + 0.3;
    c->y0 = fmin(log10(y0) - 0.3, log10(y1) - 3);
    c->y1 = log10(y1) + 0.2;
}

/* --- axes --- */

static void add_power(struct strbuf *out, int power)
{
    char n[NUMBER];

    if (power < -4 || power > 6) {
        strbuf_addf(out, "1e%d", power);
        return;
    }
    number_readable(pow(10, power), n, sizeof n);
    strbuf_adds(out, power >= 0 ? n : power == -1 ? "0.1" : power == -2 ? "0.01" : power == -3 ? "0.001" : "0.0001");
}

static void add_axes(struct chart *c)
{
    double bottom = TOP + c->height, right = WIDTH - RIGHT;
    int every_x = (int)ceil((c->x1 - c->x0) / 12), every_y = (int)ceil((c->y1 - c->y0) / 12);

    for (int e = (int)ceil(c->x0); e <= c->x1; e += every_x) {
        double x = x_of(c, pow(10, e));
        strbuf_addf(c->out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" class=\"grid\"/><text x=\"%.1f\" y=\"%.1f\" "
                            "text-anchor=\"middle\">", x, x, TOP, bottom, x, bottom + 18);
        add_power(c->out, e);
        strbuf_adds(c->out, "</text>\n");
    }
    for (int e = (int)ceil(c->y0); e <= c->y1; e += every_y) {
        double y = y_of(c, pow(10, e));
        strbuf_addf(c->out, "<line x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" "
                            "text-anchor=\"end\">", LEFT, right, y, y, LEFT - 6, y + 4);
        add_power(c->out, e);
        strbuf_adds(c->out, "</text>\n");
    }
    strbuf_addf(c->out, "<path d=\"M%d %dV%.1fH%.1f\" fill=\"none\" class=\"axis\"/>\n", LEFT, TOP, bottom, right);
    strbuf_addf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">arithmetic intensity, FLOP/byte</text>\n",
                (LEFT + right) / 2, bottom + 38);
    strbuf_addf(c->out, "<text transform=\"translate(20 %.1f) rotate(-90)\" text-anchor=\"middle\">GFLOP/s</text>\n",
                TOP + c->height / 2);
}

/* --- roofs --- */

static void add_label(struct chart *c, double y, const struct group *g, const char *text)
{
    c->label[c->labels++] = (struct label){y, y, text, g};
}

static double highest_peak(const struct chart *c)
{
    double top = fmax(0, tensor_peak(c));

    for (int p = 0; p < ROOFLINE_PRECISIONS; p++)
        top = fmax(top, c->group[0].f.precision[p].peak);
    return top;
}

/* Roofs of one height are one, with both names. */
static void add_peaks(struct chart *c)
{
    const struct roofline *f = &c->group[0].f;
    struct {
        double peak;
        const char *text;
        bool done;
    } roof[ROOFLINE_PRECISIONS + 1];
    char n[NUMBER];

    for (int p = 0; p < ROOFLINE_PRECISIONS; p++) {
        roof[p].peak = f->precision[p].peak;
        roof[p].text = roofline_precision_names((enum roofline_precision)p).text;
        roof[p].done = false;
    }
    roof[ROOFLINE_PRECISIONS].peak = tensor_peak(c);
    roof[ROOFLINE_PRECISIONS].text = "tensor cores, half";
    roof[ROOFLINE_PRECISIONS].done = false;
    for (int p = 0; p <= ROOFLINE_PRECISIONS; p++) {
        const char *text = roof[p].text;
        double y;

        if (roof[p].done || !(roof[p].peak > 0))
            continue;
        for (int q = p + 1; q <= ROOFLINE_PRECISIONS; q++)
            if (fabs(roof[q].peak / roof[p].peak - 1) < 0.01) {
                text = arena_printf(&c->arena, "%s, %s", text, roof[q].text);
                roof[q].done = true;
            }
        y = y_of(c, roof[p].peak);
        strbuf_addf(c->out, "<line x1=\"%.1f\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#222\" stroke-width=\"%s\"%s/>\n",
                    x_of(c, roof[p].peak / c->widest), WIDTH - RIGHT, y, y, p == ROOFLINE_PRECISIONS ? "1" : "2",
                    p == ROOFLINE_PRECISIONS ? " stroke-dasharray=\"2 3\"" : "");
        number_short(roof[p].peak, n, sizeof n);
        add_label(c, y, NULL, arena_printf(&c->arena, "%s: %s", text, n));
    }
}

/* Where a launch's mark of this level is; false: it has none. */
static bool place(const struct chart *c, const struct group *g, enum roofline_level l, double *x, double *y)
{
    double v = roofline_intensity(&g->f, l, g->p);

    if (!g->number || !roofline_uses(&g->f, l) || !(v > 0) || isinf(v) || isnan(g->f.level[l].peak))
        return false;
    *x = x_of(c, v);
    *y = y_of(c, l == ROOFLINE_LEVEL_ASKED ? roofline_attainable(&g->f, l, g->p) : g->most);
    return true;
}

/* Would a text of this width, along a line that rises at `angle` from x, y, lie on a mark? */
static bool on_mark(const struct chart *c, double x, double y, double angle, double width)
{
    double mx, my;

    for (int i = 0; i < c->groups; i++)
        for (int l = 0; l < ROOFLINE_LEVELS; l++) {
            double along, above;

            if (!place(c, &c->group[i], (enum roofline_level)l, &mx, &my))
                continue;
            along = (mx - x) * cos(angle) - (my - y) * sin(angle);
            above = -(mx - x) * sin(angle) - (my - y) * cos(angle);
            if (along > -8 && along < width + 8 && above > -7 && above < 23)
                return true;
        }
    return false;
}

struct slant {
    double peak;
    const char *text;
    enum roofline_level level;
};

static int steeper_first(const void *a, const void *b)
{
    const struct slant *x = a, *y = b;

    return (x->peak < y->peak) - (x->peak > y->peak);
}

/* The slanted roofs, those of one height as one. */
static int find_slants(struct chart *c, struct slant *s)
{
    const struct roofline *f = &c->group[0].f;
    int n = 0;

    for (int l = ROOFLINE_LEVEL_ASKED + 1; l < ROOFLINE_LEVELS; l++) {
        const char *text = roofline_level_names((enum roofline_level)l).text;
        int same_as = 0;

        if (!(f->level[l].peak > 0))
            continue;
        while (same_as < n && fabs(s[same_as].peak / f->level[l].peak - 1) >= 0.01)
            same_as++;
        if (same_as < n)
            s[same_as].text = arena_printf(&c->arena, "%s, %s", s[same_as].text, text);
        else
            s[n++] = (struct slant){f->level[l].peak, text, (enum roofline_level)l};
    }
    qsort(s, (size_t)n, sizeof *s, steeper_first);
    return n;
}

/* The first free place for a name along the roof, from x on; x itself where there is none. */
static double free_place(const struct chart *c, const struct slant *s, double x, double last, double angle, double width)
{
    for (double at = x; at + width * cos(angle) < last; at += 6)
        if (!on_mark(c, at, y_of(c, s->peak) - (at - x_of(c, 1)) * tan(angle), angle, width))
            return at;
    return x;
}

static void add_slants(struct chart *c)
{
    struct slant s[ROOFLINE_LEVELS];
    int n = find_slants(c, s);
    double top = highest_peak(c), angle, end = 0, before = 0;
    char number[NUMBER];

    angle = atan2(c->height / (c->y1 - c->y0), (WIDTH - LEFT - RIGHT) / (c->x1 - c->x0));
    for (int i = 0; i < n; i++) {
        double left = fmax(pow(10, c->x0), pow(10, c->y0) / s[i].peak), last = x_of(c, top / s[i].peak), x, width;
        const struct style *style = &styles[s[i].level];
        const char *text;

        number_short(s[i].peak, number, sizeof number);
        text = arena_printf(&c->arena, "%s: %s GB/s", s[i].text, number);
        width = svg_width(text, 12);
        strbuf_addf(c->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
                            "stroke-dasharray=\"%s\"/>\n", x_of(c, left), y_of(c, left * s[i].peak), last, y_of(c, top),
                    svg_colours[style->colour], style->dash);
        x = x_of(c, left) + 12;
        if (i && (y_of(c, s[i].peak) - y_of(c, before)) * cos(angle) < LABEL)
            x = fmax(x, end + 12); /* too close to the one above */
        x = free_place(c, &s[i], x, last, angle, width);
        strbuf_addf(c->out, "<text transform=\"translate(%.1f %.1f) rotate(%.2f) translate(0 -5)\" class=\"halo\">", x,
                    y_of(c, s[i].peak) - (x - x_of(c, 1)) * tan(angle), -angle * 180 / M_PI);
        svg_text(c->out, text);
        strbuf_adds(c->out, "</text>\n");
        end = x + width * cos(angle);
        before = s[i].peak;
    }
}

/* --- marks --- */

static void add_tip(struct chart *c, const struct group *g, enum roofline_level l)
{
    char intensity[NUMBER], most[NUMBER];

    number_short(roofline_intensity(&g->f, l, g->p), intensity, sizeof intensity);
    number_short(roofline_attainable(&g->f, l, g->p), most, sizeof most);
    strbuf_adds(c->out, "<title>");
    svg_text(c->out, arena_printf(&c->arena, "%d %s, %s: %s FLOP/byte; its roof allows %s GFLOP/s", g->number,
                                  launch_name(c, g), roofline_level_names(l).text, intensity, most));
    strbuf_adds(c->out, "</title>");
}

static void add_mark(struct chart *c, const struct group *g, enum roofline_level l, double x, double y)
{
    double roof = g->f.level[l].peak * roofline_intensity(&g->f, l, g->p);
    bool on_roof = l != ROOFLINE_LEVEL_ASKED && fabs(roof / g->most - 1) < 1e-6;

    strbuf_addf(c->out, "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\">", x, y,
                styles[l].mark, on_roof ? svg_colours[styles[l].colour] : "#fff", svg_colours[styles[l].colour]);
    add_tip(c, g, l);
    strbuf_adds(c->out, "</path>\n");
}

static void add_launch_line(struct chart *c, const struct group *g)
{
    double low = WIDTH - RIGHT, high = LEFT, x, y, line = y_of(c, g->most);

    for (int l = ROOFLINE_LEVEL_ASKED + 1; l < ROOFLINE_LEVELS; l++)
        if (place(c, g, (enum roofline_level)l, &x, &y)) {
            low = fmin(low, x);
            high = fmax(high, x);
        }
    strbuf_addf(c->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#222\" fill=\"none\"/><path d=\"M%.1f %.1fH%d\" stroke=\"#888\" "
                        "stroke-dasharray=\"1 4\" fill=\"none\"/>\n", fmin(low, high), line, high, high, line, WIDTH - RIGHT);
    add_label(c, line, g, arena_printf(&c->arena, "%d", g->number));
}

static void add_marks(struct chart *c)
{
    double x, y;

    for (int i = 0; i < c->groups; i++)
        if (c->group[i].number)
            add_launch_line(c, &c->group[i]);
    for (int l = 0; l < ROOFLINE_LEVELS; l++)
        for (int i = 0; i < c->groups; i++)
            if (place(c, &c->group[i], (enum roofline_level)l, &x, &y))
                add_mark(c, &c->group[i], (enum roofline_level)l, x, y);
}

/* --- labels beside the plot --- */

static int upper_first(const void *a, const void *b)
{
    const struct label *x = a, *y = b;

    return (x->y > y->y) - (x->y < y->y);
}

/* Moves labels down until none is on the one above, then those below the plot up. */
static void spread(struct chart *c)
{
    double bottom = TOP + c->height;

    qsort(c->label, (size_t)c->labels, sizeof *c->label, upper_first);
    for (int i = 1; i < c->labels; i++)
        c->label[i].at = fmax(c->label[i].at, c->label[i - 1].at + LABEL);
    for (int i = c->labels - 1; i >= 0; i--) {
        c->label[i].at = fmin(c->label[i].at, bottom);
        bottom = c->label[i].at - LABEL;
    }
}

static void add_labels(struct chart *c)
{
    double right = WIDTH - RIGHT;

    spread(c);
    for (int i = 0; i < c->labels; i++) {
        const struct label *l = &c->label[i];

        strbuf_addf(c->out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#888\" fill=\"none\"/><text x=\"%.1f\" y=\"%.1f\"%s>", right,
                    l->y, right + 14, l->at, right + 18, l->at + 4, l->group ? " font-weight=\"bold\"" : "");
        svg_text(c->out, l->text);
        strbuf_adds(c->out, "</text>\n");
    }
}

/* --- below the plot --- */

static void add_line(struct chart *c, double *y, double x, const char *text)
{
    strbuf_addf(c->out, "<text x=\"%.1f\" y=\"%.1f\">", x, *y);
    svg_text(c->out, text);
    strbuf_adds(c->out, "</text>\n");
    *y += LINE;
}

static void add_legend(struct chart *c, double *y)
{
    const struct roofline *f = &c->group[0].f;
    double x = LEFT;

    for (int l = 0; l < ROOFLINE_LEVELS; l++) {
        const char *text = roofline_level_names((enum roofline_level)l).text;

        if (!(f->level[l].peak > 0))
            continue;
        strbuf_addf(c->out, "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"2\"/>"
                            "<text x=\"%.1f\" y=\"%.1f\">", x + 7, *y - 4, styles[l].mark, svg_colours[styles[l].colour],
                    x + 20, *y);
        svg_text(c->out, text);
        strbuf_adds(c->out, "</text>\n");
        x += 40 + svg_width(text, 12);
    }
    *y += LINE;
    add_line(c, y, LEFT, "A launch is a line as high as its bound allows; a filled mark is on its roof: that level is the bound. "
                         "No time is predicted.");
}

static void add_unknown(struct chart *c, double *y)
{
    const struct roofline *f = &c->group[0].f;

    for (int l = ROOFLINE_LEVEL_ASKED + 1; l < ROOFLINE_LEVELS; l++)
        if (isnan(f->level[l].peak))
            add_line(c, y, LEFT, arena_printf(&c->arena, "Not drawn: %s; the device's description does not know its bandwidth.",
                                              roofline_level_names((enum roofline_level)l).text));
    if (!(c->group[0].first->launch.collected & COUNTERS_OF(CACHES)))
        add_line(c, y, LEFT, "Not drawn: marks of L2 and DRAM; the caches were not modelled.");
}

static void add_list(struct chart *c, double *y)
{
    for (int i = 0; i < c->groups; i++) {
        if (c->group[i].number)
            strbuf_addf(c->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-weight=\"bold\">%d</text>\n", LEFT - 6, *y,
                        c->group[i].number);
        add_line(c, y, LEFT, launch_text(c, &c->group[i]));
    }
}

static int lines_below(const struct chart *c)
{
    const struct roofline *f = &c->group[0].f;
    int n = 2 + c->groups + !(c->group[0].first->launch.collected & COUNTERS_OF(CACHES));

    for (int l = ROOFLINE_LEVEL_ASKED + 1; l < ROOFLINE_LEVELS; l++)
        n += isnan(f->level[l].peak);
    return n;
}

static const char *description(struct chart *c)
{
    struct strbuf b;
    const char *text;

    strbuf_init(&b);
    strbuf_adds(&b, "Roofline: what the device allows by arithmetic intensity (FLOP/byte).");
    for (int i = 0; i < c->groups; i++)
        strbuf_addf(&b, "\n%s.", launch_text(c, &c->group[i]));
    text = arena_strdup(&c->arena, b.s);
    strbuf_release(&b);
    return text;
}

static void draw(struct chart *c)
{
    const char *title = arena_printf(&c->arena, "Roofline and bounds: %s",
                                     c->group[0].first->device_name ? c->group[0].first->device_name : "");
    double y;

    find_range(c);
    c->height = fmax(LEAST_HEIGHT, LABEL * (c->shown + ROOFLINE_PRECISIONS + 3));
    c->label = ARENA_ARRAY(&c->arena, struct label, c->shown + ROOFLINE_PRECISIONS + 1);
    y = TOP + c->height + 66;
    svg_open(c->out, WIDTH, (int)(y + LINE * lines_below(c)), title, description(c));
    strbuf_addf(c->out, "<text x=\"%d\" y=\"28\" class=\"title\">", LEFT);
    svg_text(c->out, title);
    strbuf_adds(c->out, "</text>\n");
    add_axes(c);
    add_peaks(c);
    add_slants(c);
    add_marks(c);
    add_labels(c);
    add_legend(c, &y);
    add_unknown(c, &y);
    add_list(c, &y);
    svg_close(c->out);
}

static const char *device_of(const struct result *r)
{
    return r->device_id ? r->device_id : "";
}

bool roofline_svg(struct result *const *r, int n, struct strbuf *out, struct diag_list *diags)
{
    struct chart c = {.out = out};

    for (int i = 1; i < n; i++)
        if (strcmp(device_of(r[i]), device_of(r[0]))) {
            diag_add(diags, DIAG_ERROR, NULL, 0, "a roofline is of one device: these launches are of '%s' and '%s'",
                     device_of(r[0]), device_of(r[i]));
            return false;
        }
    if (!n) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "no launch to draw a roofline of");
        return false;
    }
    if (!(r[0]->rates.fp32 > 0 && r[0]->rates.dram_bandwidth > 0)) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "no roof is known of '%s'", device_of(r[0]));
        return false;
    }
    arena_init(&c.arena);
    c.group = ARENA_ARRAY(&c.arena, struct group, n);
    for (int i = 0; i < n; i++)
        if (!r[i]->library) /* which has no levels of memory */
            add_launch(&c, r[i]);
    draw(&c);
    arena_release(&c.arena);
    return true;
}
