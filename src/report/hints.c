/* Hints: what the figures say about the kernel, in sentences. Thresholds are those that NVIDIA's triage guide gives to
 * its users: bank conflicts above 10 % of the wavefronts, fewer than 24 of 32 lanes active, fewer blocks than
 * multiprocessors. What a launch would gain is told where a unit bounds it that would have less to do (time_text.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "device/occupancy.h"
#include "report/hints.h"
#include "report/lines.h"
#include "report/report.h"
#include "report/time_text.h"

#define SHARED_USED "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed"

struct hints {
    const struct result *r;
    const struct line *lines;
    int nlines;
    struct strbuf *out;
};

static double metric(const struct result *r, const char *name)
{
    double v = 0;

    result_metric(r, name, &v);
    return v;
}

/* " (est. 38% less time)": of the launch without what the hint is about. */
static void name_gain(const struct hints *h, const struct time_relief *relief, int n)
{
    double gain = h->r->launch.collected & COUNTERS_OF(TIME) ? time_less(h->r, relief, n) : 0;

    if (gain >= 1)
        strbuf_addf(h->out, " (est. %.0f%% less time)", gain);
}

/* The line that has most of `more - less`; adds " Most of them: f.cu:12." */
static void name_worst_line(const struct hints *h, const enum counter *more, const enum counter *less, int n)
{
    const struct line *worst = NULL;
    double most = 0;

    for (int i = 0; i < h->nlines; i++) {
        double v = 0;

        for (int k = 0; k < n; k++)
            v += (double)h->lines[i].counters.v[more[k]] - (less ? (double)h->lines[i].counters.v[less[k]] : 0);
        if (v > most) {
            most = v;
            worst = &h->lines[i];
        }
    }
    if (worst && worst->file)
        strbuf_addf(h->out, " Most of them come from %s:%d.", worst->file, worst->line);
    else if (worst)
        strbuf_addf(h->out, " Most of them come from PTX line %d.", worst->ptx_line);
    strbuf_adds(h->out, "\n");
}

static void uncoalesced(const struct hints *h)
{
    static const enum counter sectors[] = {COUNTER_GLOBAL_LD_SECTORS, COUNTER_GLOBAL_ST_SECTORS,
                                           COUNTER_GLOBAL_ATOM_SECTORS, COUNTER_GLOBAL_RED_SECTORS};
    static const enum counter ideal[] = {COUNTER_GLOBAL_LD_IDEAL, COUNTER_GLOBAL_ST_IDEAL,
                                         COUNTER_GLOBAL_ATOM_IDEAL, COUNTER_GLOBAL_RED_IDEAL};
    double all = metric(h->r, "memory_l2_theoretical_sectors_global");
    double excess = metric(h->r, "derived__memory_l2_theoretical_sectors_global_excessive"), l1, used;

    if (excess <= 0.1 * all)
        return;
    strbuf_addf(h->out,
                "    OPT   UncoalescedGlobalAccess: %.0f of the %.0f global memory sectors (%.0f%%) would not be needed if "
                "the lanes of each warp accessed neighbouring addresses",
                excess, all, 100 * excess / all);
    l1 = metric(h->r, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed");
    used = metric(h->r, "derived__dram_read_use.pct");
    name_gain(h, (const struct time_relief[]){{"L1", l1 > 0 ? excess / all * (1 - metric(h->r, SHARED_USED) / l1) : 0}, {"L2", excess / all},
                                              {"DRAM", used > 0 ? 1 - used / 100 : 0}}, 3);
    strbuf_adds(h->out, ".");
    name_worst_line(h, sectors, ideal, 4);
}

static void conflicts(const struct hints *h)
{
    static const enum counter passes[] = {COUNTER_SHARED_LD_WAVEFRONTS, COUNTER_SHARED_ST_WAVEFRONTS,
                                          COUNTER_SHARED_ATOM_WAVEFRONTS};
    static const enum counter ideal[] = {COUNTER_SHARED_LD_IDEAL, COUNTER_SHARED_ST_IDEAL, COUNTER_SHARED_ATOM_IDEAL};
    double all = metric(h->r, "memory_l1_wavefronts_shared");
    double excess = metric(h->r, "derived__memory_l1_wavefronts_shared_excessive");

    if (excess < 0.1 * all || all == 0)
        return;
    strbuf_addf(h->out,
                "    OPT   SharedMemoryConflicts: shared accesses take %.1f wavefronts on average; %.0f of the %.0f wavefronts "
                "(%.0f%%) are due to bank conflicts",
                metric(h->r, "derived__memory_l1_conflicts_shared_nway"), excess, all, 100 * excess / all);
    name_gain(h, &(const struct time_relief){"Shared Memory", excess / all}, 1);
    strbuf_adds(h->out, ".");
    name_worst_line(h, passes, ideal, 3);
}

static void divergence(const struct hints *h)
{
    static const enum counter divergent[] = {COUNTER_BRANCH_DIVERGENT};
    double active = metric(h->r, "smsp__thread_inst_executed_per_inst_executed.ratio"), off = 1 - active / 32;

    if (active >= 24 || active == 0)
        return;
    strbuf_addf(h->out, "    OPT   ThreadDivergence: %.1f of 32 lanes are active on average; %" PRIu64
                        " branches sent the lanes of a warp different ways",
                active, h->r->total.v[COUNTER_BRANCH_DIVERGENT]);
    name_gain(h, (const struct time_relief[]){{"Issue Slots", off}, {"ALU", off}, {"FMA", off}, {"FP16", off}, {"FP64", off}, {"XU", off}, {"LSU", off}}, 7);
    strbuf_adds(h->out, ".");
    name_worst_line(h, divergent, NULL, 1);
}

static void local_memory(const struct hints *h)
{
    static const enum counter sectors[] = {COUNTER_LOCAL_LD_SECTORS, COUNTER_LOCAL_ST_SECTORS};
    double all = (double)(h->r->total.v[sectors[0]] + h->r->total.v[sectors[1]]);

    if (all == 0)
        return;
    strbuf_addf(h->out, "    INF   LocalMemory: %.0f sectors of local memory: arrays that are indexed at run time, or "
                        "spilled registers.", all);
    name_worst_line(h, sectors, NULL, 2);
}

static void occupancy(const struct hints *h)
{
    const struct launch_facts *l = &h->r->launch;
    int64_t warps = l->resident_blocks * l->warps_per_block;

    if (warps < l->max_warps)
        strbuf_addf(h->out, "    OPT   TheoreticalOccupancy: %" PRId64 " of %" PRId64
                            " warps fit on a multiprocessor (%.1f%%); the limit is %s.\n",
                    warps, l->max_warps, l->max_warps ? 100.0 * (double)warps / (double)l->max_warps : 0,
                    device_limit_text((enum device_limit)l->limit));
}

static void configuration(const struct hints *h)
{
    const struct launch_facts *l = &h->r->launch;
    double waves = launch_waves(l), whole = floor(waves);

    if (l->blocks < l->multiprocessors)
        strbuf_addf(h->out, "    OPT   LaunchConfiguration: %" PRId64 " blocks leave %" PRId64 " of the %" PRId64
                            " multiprocessors without work.\n",
                    l->blocks, l->multiprocessors - l->blocks, l->multiprocessors);
    else if (waves > 1 && waves < 4 && waves - whole > 0 && waves - whole < 0.5)
        strbuf_addf(h->out, "    INF   LaunchConfiguration: %.2f waves: the last one fills only %.0f%% of the device.\n",
                    waves, 100 * (waves - whole));
    if (l->blocks && l->threads / l->blocks % 32)
        strbuf_addf(h->out, "    INF   LaunchConfiguration: %" PRId64 " threads per block are not a multiple of 32: part of "
                            "the last warp idles.\n", l->threads / l->blocks);
}

static void stalls(const struct hints *h)
{
    double share, all = metric(h->r, "smsp__average_warp_latency_per_inst_issued.ratio");
    const struct section_row *top = time_top_state(h->r, &share);
    enum counter cycles;

    if (!top || share < 30)
        return;
    cycles = time_state_counter(top);
    strbuf_addf(h->out, "    OPT   CPIStall: of %.1f cycles between two instructions of a warp %.1f (%.0f%%) are \"%s\".", all, share * all / 100, share, top->label);
    name_worst_line(h, &cycles, NULL, 1);
}

static void schedulers(const struct hints *h)
{
    double issued = metric(h->r, "smsp__inst_executed.avg.per_cycle_active"), warps = metric(h->r, "smsp__warps_active.avg.per_cycle_active");

    if (issued <= 0 || metric(h->r, "smsp__issue_active.avg.pct_of_peak_sustained_active") >= 50)
        return;
    strbuf_addf(h->out, "    INF   IssueSlotUtilization: a scheduler with a block issues an instruction every %.1f cycles; it has %.1f warps", 1 / issued, warps);
    if (h->r->total.v[COUNTER_STALL_SELECTED])
        strbuf_addf(h->out, ", of which %.2f could issue", metric(h->r, "smsp__warps_eligible.avg.per_cycle_active"));
    strbuf_adds(h->out, ".\n");
}

static void achieved(const struct hints *h)
{
    double fit = metric(h->r, "sm__maximum_warps_avg_per_active_cycle"), there = metric(h->r, "sm__warps_active.avg.per_cycle_active");

    if (there <= 0 || fit - there < 0.1 * (double)h->r->launch.max_warps)
        return;
    strbuf_addf(h->out, "    INF   AchievedOccupancy: %.1f of the %.0f warps that fit are there on average: few blocks, blocks that take long to "
                        "begin, or blocks of unequal length.\n", there, fit);
}

void hints_add(const struct result *r, const struct line *lines, int nlines, section_set wanted, struct strbuf *out)
{
    static const struct {
        enum section section; /* whose figures it is about */
        void (*add)(const struct hints *h);
    } rules[] = {
        {SECTION_SOURCE, uncoalesced},    {SECTION_MEMORY_TABLES, conflicts}, {SECTION_INSTRUCTION, divergence},
        {SECTION_MEMORY_TABLES, local_memory}, {SECTION_OCCUPANCY, occupancy},     {SECTION_OCCUPANCY, achieved},
        {SECTION_LAUNCH, configuration},  {SECTION_WARP_STATE, stalls},     {SECTION_SCHEDULER, schedulers},
    };
    struct hints h = {r, lines, nlines, out};

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (section_in(wanted, rules[i].section))
            rules[i].add(&h);
}
