/* The details page: sections of four-column tables, memory tables, hottest source lines, hints. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "device/device.h"
#include "report/filter.h"
#include "report/hints.h"
#include "report/library.h"
#include "report/lines.h"
#include "report/numbers.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/time_text.h"

enum { HOTTEST = 10, TEXT_WIDTH = 60 };

void report_launch_line(const struct result *r, struct strbuf *out)
{
    const uint32_t *g = r->launch.grid, *b = r->launch.block;

    strbuf_adds(out, r->kernel_name ? r->kernel_name : r->kernel);
    if (!r->library)
        strbuf_addf(out, " (%u, %u, %u)x(%u, %u, %u)", g[0], g[1], g[2], b[0], b[1], b[2]);
    else if (r->library->shape && *r->library->shape)
        strbuf_addf(out, " (%s)", r->library->shape);
    strbuf_addf(out, ", Context %d, Stream %d, Device %d, CC %d.%d", r->context, report_stream(r->stream), r->device, r->cc_major, r->cc_minor);
    if (r->library)
        strbuf_addf(out, ", %s: library call, no counters", r->library->name);
    if (r->compiler && strcmp(r->compiler, "clang"))
        strbuf_addf(out, ", device code by %s", r->compiler);
    if (r->cache_control && !strcmp(r->cache_control, "none"))
        strbuf_adds(out, ", caches not flushed");
    if (r->parent)
        strbuf_addf(out, ", launched by %s", r->parent);
}

/* --- three columns and the word --- */

static void rule(struct strbuf *out)
{
    strbuf_adds(out, "    ---------------------------------------- --------------- ------------------ -------------------\n");
}

static void section(struct strbuf *out, const char *title)
{
    strbuf_addf(out, "    Section: %s\n", title);
    rule(out);
    strbuf_addf(out, "    %-40s %15s %18s %s\n", "Metric Name", "Metric Unit", "Metric Value", "Trust");
    rule(out);
}

static void row(const struct result *r, const char *label, const char *name, struct strbuf *out)
{
    const struct metric *m = report_metric(name);
    char value[64] = "n/a";
    double v;

    if (result_metric(r, name, &v) == METRIC_OK)
        number_readable(v, value, sizeof value);
    strbuf_addf(out, "    %-40s %15s %18s %s\n", label, m->unit, value, m->compute ? trust_text(m->trust) : "");
}

static const struct section_row section_rows[] = {
#define ROW(section, title, label, metric) {SECTION_##section, title, label, metric},
#include "report/section_rows.def"
#undef ROW
};

const struct section_row *section_row_at(int i)
{
    return i < (int)(sizeof section_rows / sizeof *section_rows) ? &section_rows[i] : NULL;
}

/* Each kernel ends with an instruction that counts as a branch, so not having one means a result of before those were counted. */
static bool has_branches(const struct result *r)
{
    return !r->total.v[COUNTER_INST] || r->total.v[COUNTER_FLOW_INST];
}

bool section_row_there(const struct section_row *at, const struct result *r)
{
    if (!strcmp(at->title, "Branching"))
        return has_branches(r);
    return strcmp(at->title, "DRAM") || r->launch.dram_channels;
}

static void rows(const struct result *r, const char *title, struct strbuf *out)
{
    const struct section_row *at;

    section(out, title);
    for (int i = 0; (at = section_row_at(i)); i++)
        if (!strcmp(at->title, title))
            row(r, at->label, at->metric, out);
    rule(out);
    strbuf_adds(out, "\n");
}

static void time_sections(const struct result *r, section_set wanted, struct strbuf *out)
{
    if (section_in(wanted, SECTION_SPEED_OF_LIGHT)) {
        time_sentence(r, out);
        time_guesses(r, out);
        rows(r, "GPU Speed Of Light Throughput", out);
        time_list(r, "Use Of Peaks", "Use of peaks", out);
    }
}

/* Behind the roofline, as in the profiler's page. */
static void warp_sections(const struct result *r, section_set wanted, struct strbuf *out)
{
    if (section_in(wanted, SECTION_COMPUTE)) {
        rows(r, "Compute Workload Analysis", out);
        time_list(r, "Pipe Utilization", "Pipe utilization", out);
    }
    if (section_in(wanted, SECTION_SCHEDULER))
        rows(r, "Scheduler Statistics", out);
    if (section_in(wanted, SECTION_WARP_STATE)) {
        rows(r, "Warp State Statistics", out);
        time_states(r, out);
    }
}

static void launch_sections(const struct result *r, section_set wanted, struct strbuf *out)
{
    if (section_in(wanted, SECTION_LAUNCH))
        rows(r, "Launch Statistics", out);
    if (section_in(wanted, SECTION_OCCUPANCY))
        rows(r, "Occupancy", out);
}

/* Of any unit? Each kernel ends with an instruction of CBU, so not having one means a result of before units were counted. */
static bool has_units(const struct result *r)
{
    double none, all;

    return result_metric(r, "derived__inst_executed_pipe_none.sum", &none) == METRIC_OK &&
           result_metric(r, "smsp__inst_executed.sum", &all) == METRIC_OK && none != all;
}

/* Units that executed nothing have no line. */
static void mix_section(const struct result *r, struct strbuf *out)
{
    const struct section_row *count, *share;
    char n[64];
    double v, of_all;

    strbuf_adds(out, "    Section: Instruction Mix\n");
    if (!has_units(r)) {
        strbuf_adds(out, "    Not counted: this launch was kept before instructions were counted by unit\n\n");
        return;
    }
    strbuf_addf(out, "    %-10s %17s %8s %-10s %s\n", "Unit", "Warp Instructions", "Share", "Trust", "What");
    for (int i = 0; (count = section_row_at(i)); i++) {
        const struct metric *m = report_metric(count->metric);

        if (strcmp(count->title, "Instruction Mix"))
            continue;
        share = section_row_at(++i);
        if (result_metric(r, count->metric, &v) != METRIC_OK || v <= 0 || result_metric(r, share->metric, &of_all) != METRIC_OK)
            continue;
        number_readable(v, n, sizeof n);
        strbuf_addf(out, "    %-10s %17s %7.1f%% %-10s %s\n", count->label, n, of_all, trust_text(m->trust), strchr(m->help, ':') + 2);
    }
    strbuf_adds(out, "\n");
}

static void instruction_sections(const struct result *r, section_set wanted, struct strbuf *out)
{
    if (section_in(wanted, SECTION_INSTRUCTION)) {
        rows(r, "Instruction Statistics", out);
        mix_section(r, out);
    }
    if (section_in(wanted, SECTION_SOURCE) && has_branches(r))
        rows(r, "Branching", out);
    else if (section_in(wanted, SECTION_SOURCE))
        strbuf_adds(out, "    Section: Branching\n    Not counted: this launch was kept before branches of the machine code were counted\n\n");
}

/* --- memory tables --- */

struct kind {
    const char *label;
    enum counter first; /* requests; cost, ideal and bytes follow */
    enum trust trust;
};

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

struct cell {
    char text[32];
};

/* Of a kind of access that the launch does not have, a mean says nothing: "-", as in the tables of source lines. */
static struct cell mean_cell(uint64_t a, uint64_t b)
{
    struct cell c = {"-"};

    if (b)
        snprintf(c.text, sizeof c.text, "%.2f", ratio(a, b));
    return c;
}

static struct cell percent_cell(uint64_t a, uint64_t b)
{
    struct cell c = {"-"};

    if (b)
        snprintf(c.text, sizeof c.text, "%.1f%%", 100 * ratio(a, b));
    return c;
}

/* Before compute capability 5.0: transactions by size, as nvprof's users know them. */
static void transactions_table(const struct result *r, struct strbuf *out)
{
    static const struct {
        const char *label;
        enum counter requests, bytes, of_32; /* of_64 and of_128 follow */
    } kinds[] = {
        {"Global Load", COUNTER_GLOBAL_LD_REQUESTS, COUNTER_GLOBAL_LD_BYTES, COUNTER_GLOBAL_LD_OF_32},
        {"Global Store", COUNTER_GLOBAL_ST_REQUESTS, COUNTER_GLOBAL_ST_BYTES, COUNTER_GLOBAL_ST_OF_32},
    };

    strbuf_addf(out, "    %-17s %14s %14s %12s %10s %10s %10s %11s %s\n", "", "Instructions", "Transactions", "Per Request",
                "32 Bytes", "64 Bytes", "128 Bytes", "Efficiency", "Trust");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const uint64_t *v = r->total.v, *of = v + kinds[i].of_32;
        uint64_t all = of[0] + of[1] + of[2], moved = 32 * of[0] + 64 * of[1] + 128 * of[2];
        char n[5][64];

        number_readable((double)v[kinds[i].requests], n[0], sizeof n[0]);
        number_readable((double)all, n[1], sizeof n[1]);
        for (int k = 0; k < 3; k++)
            number_readable((double)of[k], n[2 + k], sizeof n[2 + k]);
        strbuf_addf(out, "    %-17s %14s %14s %12s %10s %10s %10s %11s %s\n", kinds[i].label, n[0], n[1],
                    mean_cell(all, v[kinds[i].requests]).text, n[2], n[3], n[4], percent_cell(v[kinds[i].bytes], moved).text,
                    trust_text(TRUST_EXACT));
    }
    strbuf_adds(out, "\n");
}

static void sectors_table(const struct result *r, struct strbuf *out)
{
    static const struct kind kinds[] = {
        {"Global Load", COUNTER_GLOBAL_LD_REQUESTS, TRUST_EXACT},
        {"Global Store", COUNTER_GLOBAL_ST_REQUESTS, TRUST_EXACT},
        {"Global Atomic", COUNTER_GLOBAL_ATOM_REQUESTS, TRUST_EXACT},
        {"Global Reduction", COUNTER_GLOBAL_RED_REQUESTS, TRUST_EXACT},
        {"Local Load", COUNTER_LOCAL_LD_REQUESTS, TRUST_MODELLED},
        {"Local Store", COUNTER_LOCAL_ST_REQUESTS, TRUST_MODELLED},
        {"Read-Only Load", COUNTER_READONLY_REQUESTS, TRUST_EXACT}, /* the last: of some devices only */
    };
    const size_t nkinds = sizeof kinds / sizeof kinds[0] - !r->launch.readonly;

    strbuf_addf(out, "    %-17s %14s %14s %12s %10s %16s %11s %s\n", "", "Instructions", "Sectors", "Sectors/Req",
                "Ideal", "Bytes", "Efficiency", "Trust");
    for (size_t i = 0; i < nkinds; i++) {
        const uint64_t *v = &r->total.v[kinds[i].first];
        char n[3][64];

        number_readable((double)v[0], n[0], sizeof n[0]);
        number_readable((double)v[1], n[1], sizeof n[1]);
        number_readable(32 * (double)v[1], n[2], sizeof n[2]);
        strbuf_addf(out, "    %-17s %14s %14s %12s %10s %16s %11s %s\n", kinds[i].label, n[0], n[1],
                    mean_cell(v[1], v[0]).text, mean_cell(v[2], v[0]).text, n[2], percent_cell(v[3], 32 * v[1]).text,
                    trust_text(kinds[i].trust));
    }
}

static void wavefronts_table(const struct result *r, struct strbuf *out)
{
    static const struct kind kinds[] = {
        {"Shared Load", COUNTER_SHARED_LD_REQUESTS, TRUST_EXACT},
        {"Shared Store", COUNTER_SHARED_ST_REQUESTS, TRUST_EXACT},
        {"Shared Atomic", COUNTER_SHARED_ATOM_REQUESTS, TRUST_MODELLED},
    };

    strbuf_addf(out, "\n    %-17s %14s %14s %12s %14s %16s %s\n", "", "Instructions", "Wavefronts", "Per Request",
                "Bank Conflicts", "Bytes", "Trust");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const uint64_t *v = &r->total.v[kinds[i].first];
        char n[4][64];

        number_readable((double)v[0], n[0], sizeof n[0]);
        number_readable((double)v[1], n[1], sizeof n[1]);
        number_readable((double)(v[1] - v[2]), n[2], sizeof n[2]);
        number_readable((double)v[3], n[3], sizeof n[3]);
        strbuf_addf(out, "    %-17s %14s %14s %12s %14s %16s %s\n", kinds[i].label, n[0], n[1],
                    mean_cell(v[1], v[0]).text, n[2], n[3], trust_text(kinds[i].trust));
    }
}

static void cache_section(const struct result *r, struct strbuf *out)
{
    rows(r, "Memory Workload Analysis", out);
}

/* A digit for each channel: tenths of what the busiest one moves. */
static void channels_picture(const struct result *r, struct strbuf *out)
{
    enum { ACROSS = 64 };
    const struct launch_facts *l = &r->launch;
    char most[64];

    number_readable((double)l->dram_channel_bytes, most, sizeof most);
    strbuf_addf(out, "    Bytes of each channel, in tenths of the busiest one's %s (9: nine tenths or more; modelled)\n", most);
    for (int64_t i = 0; i < l->dram_channels; i++) {
        uint64_t tenths = l->dram_channel_bytes ? 10 * r->channel_bytes[i] / (uint64_t)l->dram_channel_bytes : 0;

        strbuf_addf(out, "%s%d%s", i % ACROSS ? "" : "    ", (int)(tenths > 9 ? 9 : tenths),
                    i % ACROSS == ACROSS - 1 || i == l->dram_channels - 1 ? "\n" : "");
    }
    strbuf_adds(out, "\n");
}

static uint64_t dram_accesses(const struct line *l)
{
    const uint64_t *v = l->counters.v;

    return v[COUNTER_DRAM_ROW_HITS] + v[COUNTER_DRAM_ROW_CLOSED] + v[COUNTER_DRAM_ROW_CONFLICTS];
}

/* The lines that ask most of DRAM. */
static void dram_lines(const struct line *lines, int n, struct strbuf *out)
{
    enum { SHOWN = 5 };
    const struct line *shown[SHOWN];
    int k = 0;

    for (int i = 0; i < n; i++) {
        int at = k;

        if (!dram_accesses(&lines[i]))
            continue;
        for (; at > 0 && dram_accesses(shown[at - 1]) < dram_accesses(&lines[i]); at--)
            if (at < SHOWN)
                shown[at] = shown[at - 1];
        if (at < SHOWN)
            shown[at] = &lines[i];
        k += k < SHOWN;
    }
    if (k)
        strbuf_addf(out, "    %-24s %14s %16s %9s\n", "Line", "Accesses", "Bytes", "Row Hits");
    for (int i = 0; i < k; i++) {
        const uint64_t *v = shown[i]->counters.v;
        const char *base = shown[i]->file ? strrchr(shown[i]->file, '/') : NULL;
        uint64_t accesses = dram_accesses(shown[i]);
        char where[64], number[2][64];

        if (shown[i]->file)
            snprintf(where, sizeof where, "%.40s:%d", base ? base + 1 : shown[i]->file, shown[i]->line);
        else
            snprintf(where, sizeof where, "PTX %d", shown[i]->ptx_line);
        number_readable((double)accesses, number[0], sizeof number[0]);
        number_readable(32 * (double)(v[COUNTER_DRAM_READ_SECTORS] + v[COUNTER_DRAM_WRITE_SECTORS]), number[1], sizeof number[1]);
        strbuf_addf(out, "    %-24s %14s %16s %8.1f%%\n", where, number[0], number[1], 100 * ratio(v[COUNTER_DRAM_ROW_HITS], accesses));
    }
    if (k)
        strbuf_adds(out, "    Each access counts for the line that asked, a write-back of L2 for the line that evicted it: modelled\n\n");
}

static void dram_section(const struct result *r, const struct line *lines, int n, struct strbuf *out)
{
    if (!r->launch.dram_channels)
        return;
    rows(r, "DRAM", out);
    if (!r->launch.dram_channel_bytes)
        return;
    channels_picture(r, out);
    dram_lines(lines, n, out);
}

static void memory_section(const struct result *r, struct strbuf *out)
{
    const uint64_t *v = r->total.v;

    strbuf_adds(out, "    Section: Memory Workload Analysis Tables\n");
    if (r->launch.by_size)
        transactions_table(r, out);
    sectors_table(r, out);
    wavefronts_table(r, out);
    strbuf_addf(out, "\n    Constant loads: %" PRIu64 " instructions, %.2f distinct addresses each (exact)\n\n",
                v[COUNTER_CONST_REQUESTS], ratio(v[COUNTER_CONST_ADDRESSES], v[COUNTER_CONST_REQUESTS]));
}

/* --- source lines --- */

static void source_line(const struct result *r, const struct line *l, double cost, struct arena *a, struct strbuf *out)
{
    const uint64_t *v = l->counters.v;
    uint64_t requests = v[COUNTER_GLOBAL_LD_REQUESTS] + v[COUNTER_GLOBAL_ST_REQUESTS] + v[COUNTER_GLOBAL_ATOM_REQUESTS] +
                        v[COUNTER_GLOBAL_RED_REQUESTS];
    uint64_t sectors = v[COUNTER_GLOBAL_LD_SECTORS] + v[COUNTER_GLOBAL_ST_SECTORS] + v[COUNTER_GLOBAL_ATOM_SECTORS] +
                       v[COUNTER_GLOBAL_RED_SECTORS];
    uint64_t passes = v[COUNTER_SHARED_LD_WAVEFRONTS] + v[COUNTER_SHARED_ST_WAVEFRONTS] + v[COUNTER_SHARED_ATOM_WAVEFRONTS];
    uint64_t ideal = v[COUNTER_SHARED_LD_IDEAL] + v[COUNTER_SHARED_ST_IDEAL] + v[COUNTER_SHARED_ATOM_IDEAL];
    const char *base = l->file ? strrchr(l->file, '/') : NULL;
    char where[64], per[32] = "-", conflicts[64] = "-", inst[64];

    if (l->file)
        snprintf(where, sizeof where, "%.40s:%d", base ? base + 1 : l->file, l->line);
    else
        snprintf(where, sizeof where, "PTX %d", l->ptx_line);
    if (requests)
        snprintf(per, sizeof per, "%.2f", ratio(sectors, requests));
    if (passes)
        number_readable((double)(passes - ideal), conflicts, sizeof conflicts);
    number_readable((double)v[COUNTER_INST], inst, sizeof inst);
    (void)r;
    strbuf_addf(out, "    %-24s %14s %6.1f %12s %14s %6.1f%%  %.*s\n", where, inst,
                ratio(v[COUNTER_THREAD_INST], v[COUNTER_INST]), per, conflicts, cost > 0 ? 100 * l->cost / cost : 0,
                TEXT_WIDTH, lines_text(l, a));
}

static void source_section(const struct result *r, const struct line *lines, int n, struct arena *a, struct strbuf *out)
{
    double cost = 0;

    for (int i = 0; i < n; i++)
        cost += lines[i].cost;
    strbuf_addf(out, "    Section: Source Lines (hottest %d of %d; share of warp instructions, sectors and wavefronts)\n",
                n < HOTTEST ? n : HOTTEST, n);
    strbuf_addf(out, "    %-24s %14s %6s %12s %14s %7s  %s\n", "Line", "Instructions", "Lanes", "Sectors/Req",
                "Bank Conflicts", "Share", "Source");
    for (int i = 0; i < n && i < HOTTEST; i++)
        source_line(r, &lines[i], cost, a, out);
    strbuf_adds(out, "    Instructions, lanes, share: modelled; sectors, bank conflicts of loads and stores: "
                     "exact\n\n");
}

static void chosen_metrics(const struct result *r, const struct report_metrics *m, struct strbuf *out)
{
    section(out, "Command line profiler metrics");
    for (int i = 0; i < m->n; i++)
        row(r, m->name[i], m->name[i], out);
    rule(out);
    strbuf_adds(out, "\n");
}

/* What ended the launch early: several lines, ours indented under the launch. */
static void add_fault(const char *fault, struct strbuf *out)
{
    strbuf_adds(out, "    ended early; figures are those until then: ");
    for (size_t n; *fault; fault += n + (fault[n] == '\n')) {
        n = strcspn(fault, "\n");
        strbuf_add(out, fault, n);
        strbuf_adds(out, fault[n] && fault[n + 1] ? "\n      " : "\n");
    }
}

void report_text(const struct result *r, const struct report_metrics *m, struct strbuf *out)
{
    report_details(r, m, SECTIONS_ALL, out);
}

void report_details(const struct result *r, const struct report_metrics *m, section_set wanted, struct strbuf *out)
{
    struct arena a;
    struct line *lines;
    int n;

    strbuf_adds(out, "  ");
    report_launch_line(r, out);
    if (r->library) {
        strbuf_addf(out, "\n    %s\n", r->device_name);
        if (m && m->n)
            chosen_metrics(r, m, out);
        else
            library_section(r, out);
        return;
    }
    strbuf_addf(out, "\n    %s; ", r->device_name);
    device_code_text(r->cc_major, r->cc_minor, r->arch, out);
    strbuf_adds(out, "; instructions of the GPU estimated\n");
    if (r->fault)
        add_fault(r->fault, out);
    if (m && m->n) {
        chosen_metrics(r, m, out);
        return;
    }
    section_set missing = sections_missing(wanted, r->launch.collected);
    if (missing) {
        strbuf_adds(out, "    Not collected when this launch was profiled: ");
        sections_add_names(missing, out);
        strbuf_adds(out, "\n\n");
        wanted &= ~missing;
    }
    arena_init(&a);
    n = lines_collect(r, &a, &lines);
    time_sections(r, wanted, out);
    launch_sections(r, wanted, out);
    roofline_sections(r, wanted, out);
    warp_sections(r, wanted, out);
    if (section_in(wanted, SECTION_MEMORY)) {
        cache_section(r, out);
        dram_section(r, lines, n, out);
    }
    if (section_in(wanted, SECTION_MEMORY_TABLES))
        memory_section(r, out);
    instruction_sections(r, wanted, out);
    if (section_in(wanted, SECTION_SOURCE))
        source_section(r, lines, n, &a, out);
    hints_add(r, lines, n, wanted, out);
    strbuf_adds(out, "\n");
    arena_release(&a);
}
