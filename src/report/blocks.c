/* A launch's blocks as a picture (see blocks.h). */
#include "report/blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "report/names.h"
#include "report/result.h"
#include "report/svg.h"

enum { WIDTH = 1000, LEFT = 70, RIGHT = 20, TOP = 64, BOTTOM = 30, ROW = 9, LANE = 3, GAP = 2, TICKS = 8 };

struct picture {
    const struct result *r;
    struct arena arena;
    uint32_t *order; /* blocks by multiprocessor, then by begin */
    uint32_t n, sms; /* blocks that have ended; multiprocessors */
    uint64_t length; /* cycles to the last end */
    int lanes;       /* most blocks of a multiprocessor at a time */
    int *lane;       /* [nblocks] */
    int lane_height, row_height;
    struct strbuf *out;
};

static const struct result_block *sorted; /* for by_place: qsort has no place for it; set just before */

static int by_place(const void *a, const void *b)
{
    const struct result_block *x = &sorted[*(const uint32_t *)a], *y = &sorted[*(const uint32_t *)b];

    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Each block is in the first lane of its multiprocessor that is free. */
static void find_lanes(struct picture *p)
{
    uint64_t *until = ARENA_ARRAY(&p->arena, uint64_t, p->n + 1);
    int open = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        const struct result_block *b = &p->r->blocks[p->order[i]];
        int lane = 0;
        if (i && b->sm != p->r->blocks[p->order[i - 1]].sm)
            open = 0;
        while (lane < open && until[lane] > b->begin)
            lane++;
        open += lane == open;
        until[lane] = b->end;
        p->lane[p->order[i]] = lane;
        p->lanes = open > p->lanes ? open : p->lanes;
    }
}

static double x_of(const struct picture *p, uint64_t cycle)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * (double)cycle / (double)p->length;
}

static void draw_axis(struct picture *p, int height)
{
    for (int i = 0; i <= TICKS; i++) {
        double x = LEFT + (double)(WIDTH - LEFT - RIGHT) * i / TICKS, cycles = (double)p->length * i / TICKS;
        strbuf_addf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/><text class=\"mark\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g us</text>\n", x, TOP, x,
                    height - BOTTOM, x, TOP - 6, cycles * 1e3 / (double)p->r->launch.sm_clock_khz);
    }
    for (uint32_t sm = 0; sm < p->sms; sm += p->sms > 20 ? 10 : 1)
        strbuf_addf(p->out, "<text class=\"mark\" x=\"%d\" y=\"%d\" text-anchor=\"end\">SM %u</text>\n", LEFT - 6, TOP + (int)sm * p->row_height + 9, sm);
}

static void draw_blocks(struct picture *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct result_block *b = &p->r->blocks[p->order[i]];
        double x = x_of(p, b->begin), width = x_of(p, b->end) - x;
        strbuf_addf(p->out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>block %u on multiprocessor %u: cycles %llu to %llu</title></rect>\n", x,
                    TOP + (int)b->sm * p->row_height + p->lane[p->order[i]] * p->lane_height, width > 0.4 ? width - 0.2 : 0.2, p->lane_height > 2 ? p->lane_height - 1 : p->lane_height,
                    svg_colours[p->order[i] / (p->sms * (uint32_t)p->lanes) % 2 ? 4 : 0], p->order[i], b->sm, (unsigned long long)b->begin, (unsigned long long)b->end);
    }
}

bool blocks_svg(const struct result *r, struct strbuf *out, struct diag_list *diags)
{
    struct picture p = {.r = r, .out = out, .sms = (uint32_t)r->launch.multiprocessors};

    arena_init(&p.arena);
    p.order = ARENA_ARRAY(&p.arena, uint32_t, r->nblocks + 1);
    p.lane = ARENA_ARRAY(&p.arena, int, r->nblocks + 1);
    for (uint32_t i = 0; i < r->nblocks; i++) {
        const struct result_block *b = &r->blocks[i];
        if (!b->end)
            continue;
        p.order[p.n++] = i;
        p.length = b->end > p.length ? b->end : p.length;
        p.sms = b->sm >= p.sms ? b->sm + 1 : p.sms;
    }
    if (!p.n) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "'--blocks': no block of '%s' has ended", r->kernel_name);
        arena_release(&p.arena);
        return false;
    }
    sorted = r->blocks;
    qsort(p.order, p.n, sizeof *p.order, by_place);
    find_lanes(&p);
    p.lane_height = p.lanes * LANE > ROW ? LANE : ROW / p.lanes;
    p.row_height = p.lanes * p.lane_height + GAP;
    const int height = TOP + (int)p.sms * p.row_height + BOTTOM;
    const char *name = name_instance(r->kernel_name, r->kernel, &p.arena);
    const char *what = arena_printf(&p.arena, "%s: %u blocks over %u multiprocessors, at most %d on one at a time; modelled", name, p.n, p.sms, p.lanes);
    svg_open(out, WIDTH, height, "Blocks over multiprocessors and time", what);
    strbuf_addf(out, "<text class=\"title\" x=\"%d\" y=\"22\">", LEFT);
    svg_text(out, what);
    strbuf_adds(out, "</text>\n");
    draw_axis(&p, height);
    draw_blocks(&p);
    strbuf_addf(out, "<text class=\"mark\" x=\"%d\" y=\"%d\">Colours change from wave to wave of the grid's blocks.</text>\n", LEFT, height - 10);
    svg_close(out);
    arena_release(&p.arena);
    return true;
}
