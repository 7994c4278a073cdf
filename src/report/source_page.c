/* The source page (see source_page.h). Columns and their trust are those of the details page's source lines. */
#include "report/source_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/sources.h"
#include "report/time_text.h"

#define HOT  "\033[1;31m" /* a quarter of the traffic or of the instructions */
#define WARM "\033[33m"   /* a tenth */
#define OFF  "\033[0m"

enum { BESIDE = 68, BESIDE_STATES = 32 }; /* columns between a line's number and its text, and more where warps' states are told */

struct page {
    struct sources sources;
    struct arena arena;
    struct line *lines;
    int n;
    uint64_t sectors, inst; /* of all lines */
    uint64_t stalled;       /* cycles of warps that do not issue; 0: their states are not told */
    bool colour;
    struct strbuf *out;
};

static uint64_t sum(const struct line *l, const enum counter *c, int n)
{
    uint64_t v = 0;

    for (int i = 0; i < n; i++)
        v += l->counters.v[c[i]];
    return v;
}

#define SUM(l, ...) sum((l), (const enum counter[]){__VA_ARGS__}, sizeof((enum counter[]){__VA_ARGS__}) / sizeof(enum counter))
#define GLOBAL_AND_LOCAL(what)                                                                             \
    COUNTER_GLOBAL_LD_##what, COUNTER_GLOBAL_ST_##what, COUNTER_GLOBAL_ATOM_##what, COUNTER_GLOBAL_RED_##what, \
        COUNTER_LOCAL_LD_##what, COUNTER_LOCAL_ST_##what

static uint64_t sectors_of(const struct line *l)
{
    return SUM(l, GLOBAL_AND_LOCAL(SECTORS));
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static bool is_stall(enum counter c)
{
    return !strncmp(counter_info[c].id, "STALL_", 6) && c != COUNTER_STALL_SELECTED;
}

static uint64_t stalled_of(const struct line *l)
{
    uint64_t v = 0;

    for (enum counter c = (enum counter)0; c < COUNTER_COUNT; c++)
        v += is_stall(c) ? l->counters.v[c] : 0;
    return v;
}

/* " 71.2%  Long Scoreboard": the line's share of the cycles in which warps do not issue, and the state in which most of its are; blanks without. */
static void stalled_cell(const struct page *p, const struct line *l, struct strbuf *out)
{
    const struct section_row *row, *most = NULL;
    uint64_t cycles = 0;
    char share[32] = "";

    if (!p->stalled)
        return;
    for (int i = 0; l && (row = section_row_at(i)); i++) {
        enum counter c = strcmp(row->title, "Warp States") ? COUNTER_COUNT : time_state_counter(row);

        if (c == COUNTER_COUNT || !is_stall(c) || l->counters.v[c] <= cycles)
            continue;
        cycles = l->counters.v[c];
        most = row;
    }
    if (most)
        snprintf(share, sizeof share, "%.1f%%", percent(stalled_of(l), p->stalled));
    strbuf_addf(out, "%7s  %-*s ", share, BESIDE_STATES - 10, most ? most->label + strlen("Stall ") : "");
}

static const char *colour_of(const struct page *p, const struct line *l)
{
    double most = percent(sectors_of(l), p->sectors), inst = percent(l->counters.v[COUNTER_INST], p->inst);

    if (inst > most)
        most = inst;
    return !p->colour || most < 10 ? NULL : most < 25 ? WARM : HOT;
}

/* In the row below a line, under its text: why the machine code's figures are others. */
static void reasons(const struct line *l, const char *text, struct strbuf *out)
{
    const uint64_t *v = l->counters.v, predicated = v[COUNTER_BRANCH_PREDICATED];
    const char *before = "^ ";

    strbuf_add(out, text, strspn(text, " \t"));
    if (predicated)
        strbuf_addf(out, predicated == v[COUNTER_BRANCH] ? "%spredicates, no branch" : "%spredicates for %.0f%% of its branches", before,
                    percent(predicated, v[COUNTER_BRANCH]));
    before = predicated ? "; " : before;
    if (l->guarded) {
        strbuf_addf(out, "%sunder predicates: %.1f of %.1f lanes on", before, (double)l->guarded_on / (double)l->guarded,
                    (double)l->guarded_lanes / (double)l->guarded);
        before = "; ";
    }
    if (l->unrolled && v[COUNTER_BRANCH])
        strbuf_addf(out, v[COUNTER_FLOW_TARGETS] || predicated ? "%s%d turns side by side" : "%sall %d turns in a row, no branch", before, l->unrolled);
    strbuf_adds(out, "\n");
}

/* What the machine code does, where that is something else than what stands in the source. */
static void machine_row(const struct page *p, const struct line *l, const char *text, const char *colour)
{
    const uint64_t *v = l->counters.v;
    char divergent[32] = "";

    if (!l->passes || !v[COUNTER_INST] || (!v[COUNTER_BRANCH_PREDICATED] && !l->guarded && !(l->unrolled && v[COUNTER_BRANCH])))
        return;
    if (v[COUNTER_BRANCH])
        snprintf(divergent, sizeof divergent, "%" PRIu64, v[COUNTER_FLOW_DIVERGENT]);
    strbuf_addf(p->out, "%s%7s %8s %6.1f %9s %12s %8s %10s %7s  ", colour ? colour : "", "GPU", "",
                (double)v[COUNTER_THREAD_INST] / (double)v[COUNTER_INST], divergent, "", "", "", "");
    stalled_cell(p, NULL, p->out);
    reasons(l, text, p->out);
    if (colour) {
        p->out->len--; /* the line's end stands behind it */
        strbuf_adds(p->out, OFF "\n");
    }
}

/* One executed line; `text` is what stands there. */
static void executed(const struct page *p, const struct line *l, int number, const char *text)
{
    const uint64_t *v = l->counters.v;
    uint64_t requests = SUM(l, GLOBAL_AND_LOCAL(REQUESTS)), sectors = sectors_of(l);
    uint64_t passes = SUM(l, COUNTER_SHARED_LD_WAVEFRONTS, COUNTER_SHARED_ST_WAVEFRONTS, COUNTER_SHARED_ATOM_WAVEFRONTS);
    uint64_t ideal = SUM(l, COUNTER_SHARED_LD_IDEAL, COUNTER_SHARED_ST_IDEAL, COUNTER_SHARED_ATOM_IDEAL);
    const char *colour = colour_of(p, l);
    char came[32] = "", lanes[32] = "", per[32] = "", conflicts[32] = "", divergent[32] = "", share[32] = "";

    if (l->passes) {
        snprintf(came, sizeof came, "%" PRIu64, l->passes);
        snprintf(lanes, sizeof lanes, "%.1f", (double)l->lanes / (double)l->passes);
    }
    if (requests) {
        snprintf(per, sizeof per, "%.2f", (double)sectors / (double)requests);
        snprintf(share, sizeof share, "%.1f%%", percent(sectors, p->sectors));
    }
    if (passes)
        snprintf(conflicts, sizeof conflicts, "%" PRIu64, passes - ideal);
    if (v[COUNTER_BRANCH])
        snprintf(divergent, sizeof divergent, "%" PRIu64, v[COUNTER_BRANCH_DIVERGENT]);
    strbuf_addf(p->out, "%s%7d %8s %6s %9s %12" PRIu64 " %8s %10s %7s  ", colour ? colour : "", number, came, lanes, divergent, v[COUNTER_INST],
                per, conflicts, share);
    stalled_cell(p, l, p->out);
    strbuf_addf(p->out, "%s%s\n", text, colour ? OFF : "");
    machine_row(p, l, text, colour);
}

static int by_line(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int file = strcmp(x->file ? x->file : "", y->file ? y->file : "");

    if (file)
        return file;
    return x->line != y->line ? x->line - y->line : x->ptx_line - y->ptx_line;
}

/* The lines from `at` that belong to one file (or to none); returns how many. */
static int one_file(struct page *p, int at)
{
    const char *file = p->lines[at].file;
    int count = file ? sources_count(&p->sources, file) : 0, end = at, last = 0, beside = BESIDE + (p->stalled ? BESIDE_STATES : 0);

    while (end < p->n && (file ? p->lines[end].file && !strcmp(p->lines[end].file, file) : !p->lines[end].file))
        end++;
    strbuf_addf(p->out, "    %s%s\n", file ? file : "PTX without source lines",
                file && !count ? " (cannot be read: executed lines only)" : "");
    strbuf_addf(p->out, "%7s %8s %6s %9s %12s %8s %10s %7s  ", "Line", "Passes", "Lanes", "Divergent", "Instructions", "Sect/Req",
                "Conflicts", "Traffic");
    if (p->stalled)
        strbuf_addf(p->out, "%7s  %-*s ", "Stalled", BESIDE_STATES - 10, "Mostly");
    strbuf_adds(p->out, "Source\n");
    for (int i = at; i < end; i++) {
        const struct line *l = &p->lines[i];
        for (; count && last + 1 < l->line && last < count; last++)
            strbuf_addf(p->out, "%7d %*s%s\n", last + 1, beside, "", sources_line(&p->sources, file, last + 1));
        executed(p, l, file ? l->line : l->ptx_line, file ? sources_line(&p->sources, file, l->line) : l->ptx_text ? l->ptx_text : "");
        last = l->line;
    }
    for (; last < count; last++)
        strbuf_addf(p->out, "%7d %*s%s\n", last + 1, beside, "", sources_line(&p->sources, file, last + 1));
    strbuf_adds(p->out, "\n");
    return end - at;
}

static void add_files(const struct result *r, struct page *p)
{
    p->n = lines_collect(r, &p->arena, &p->lines);
    for (int i = 0; i < p->n; i++) {
        p->sectors += sectors_of(&p->lines[i]);
        p->inst += p->lines[i].counters.v[COUNTER_INST];
        p->stalled += stalled_of(&p->lines[i]);
    }
    if (p->n)
        qsort(p->lines, (size_t)p->n, sizeof *p->lines, by_line);
    for (int at = 0; at < p->n;)
        at += one_file(p, at);
    strbuf_adds(p->out,
                "    Passes (times that a warp, or a part of one, came to the line), lanes a pass, divergent branches: of the program as written (PTX),\n"
                "    exact for this code. Instructions, and the rows GPU: of the GPU's machine code, modelled; they stand where short branches became\n"
                "    predicates or loops were unrolled. Sectors per request, conflicts of loads and stores, traffic (share of all global and local\n"
                "    sectors): exact\n");
    if (p->stalled)
        strbuf_adds(p->out, "    Stalled (share of the cycles in which warps wait, by the line that they wait at), and for what most of them: modelled\n");
    strbuf_adds(p->out, "\n");
}

void report_source(const struct result *r, bool colour, struct strbuf *out)
{
    struct page p = {.colour = colour, .out = out};

    sources_init(&p.sources);
    arena_init(&p.arena);
    strbuf_adds(out, "  ");
    report_launch_line(r, out);
    strbuf_adds(out, "\n");
    if (r->fault)
        strbuf_addf(out, "    ended early; figures are those until then: %s\n", r->fault);
    if (COUNTERS_EXACT & ~r->launch.collected)
        strbuf_adds(out, "    Not collected when this launch was profiled: the figures of this page\n\n");
    else
        add_files(r, &p);
    sources_release(&p.sources);
    arena_release(&p.arena);
}

/* --- CSV --- */

static void quoted(struct strbuf *out, const char *s)
{
    strbuf_adds(out, "\"");
    for (; *s; s++)
        strbuf_add(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    strbuf_adds(out, "\"");
}

static void csv_metric(const struct result *r, const struct line *l, const char *name, struct strbuf *out)
{
    const struct metric_input in = {.c = &l->counters, .l = &r->launch, .d = &r->rates};
    char text[64];
    double v;

    if (metric_value(name, &in, &v) == METRIC_OK)
        report_number(v, text, sizeof text);
    else
        snprintf(text, sizeof text, "n/a");
    strbuf_addf(out, ",\"%s\"", text);
}

static void csv_figures(const struct result *r, const struct line *l, struct strbuf *out)
{
#define SOURCE_METRIC(heading, metric) csv_metric(r, l, metric, out);
#define SOURCE_FACT(heading, value)    strbuf_addf(out, ",\"%" PRIu64 "\"", (uint64_t)(value));
#include "report/source_columns.def"
#undef SOURCE_METRIC
#undef SOURCE_FACT
    strbuf_adds(out, "\n");
}

/* Behind the columns that say which line it is. */
static void csv_headings(const char *first, struct strbuf *out)
{
    strbuf_adds(out, first);
#define SOURCE_METRIC(heading, metric) strbuf_adds(out, ",\"" heading "\"");
#define SOURCE_FACT(heading, value)    strbuf_adds(out, ",\"" heading "\"");
#include "report/source_columns.def"
#undef SOURCE_METRIC
#undef SOURCE_FACT
    strbuf_adds(out, "\n");
}

static void csv_lines(const struct result *r, struct strbuf *out)
{
    struct page p = {0};

    sources_init(&p.sources);
    arena_init(&p.arena);
    p.n = lines_collect(r, &p.arena, &p.lines);
    if (p.n)
        qsort(p.lines, (size_t)p.n, sizeof *p.lines, by_line);
    csv_headings("\"#\",\"File\",\"Source\"", out);
    for (int i = 0; i < p.n; i++) {
        const struct line *l = &p.lines[i];
        strbuf_addf(out, "\"%d\",", l->file ? l->line : l->ptx_line);
        quoted(out, l->file ? l->file : "");
        strbuf_adds(out, ",");
        quoted(out, l->file ? sources_line(&p.sources, l->file, l->line) : l->ptx_text ? l->ptx_text : "");
        csv_figures(r, l, out);
    }
    sources_release(&p.sources);
    arena_release(&p.arena);
}

void report_source_csv(const struct result *r, bool instructions, struct strbuf *out)
{
    strbuf_adds(out, "\"Kernel Name\",");
    quoted(out, r->kernel_name ? r->kernel_name : r->kernel);
    strbuf_adds(out, "\n");
    if (!instructions)
        csv_lines(r, out);
    else
        csv_headings("\"#\",\"Address\",\"Source\"", out);
    for (uint32_t i = 0; instructions && i < r->nsites; i++) {
        const struct result_site *s = &r->sites[i];
        strbuf_addf(out, "\"%u\",\"0x%x\",", i, 16 * s->site);
        quoted(out, s->text ? s->text : "");
        csv_figures(r, &(struct line){.counters = s->counters, .passes = s->counters.v[COUNTER_PTX_INST], .lanes = s->counters.v[COUNTER_PTX_THREAD_INST],
                                      .unrolled = s->unrolled}, out);
    }
    strbuf_adds(out, "\n");
}
