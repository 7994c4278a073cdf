/* The roofline's sections of the details page, under the names of the profiler's (see roofline.h). */
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/numbers.h"
#include "report/roofline.h"

enum { NUMBER = 32 };

void result_roofline(const struct result *r, struct roofline *out)
{
    roofline_init(out, &r->total, &r->launch, &r->rates);
}

/* --- what each resource needs --- */

static void resource_row(const struct roofline *f, enum roofline_resource which, struct strbuf *out)
{
    struct roofline_names names = roofline_resource_names(which);
    double us = f->resource[which].us, work = f->resource[which].work;
    char n[3][NUMBER], share[NUMBER] = "";

    if (work == 0 || f->resource[which].peak == 0)
        return;
    if (isnan(work))
        strcpy(n[0], "not modelled");
    else
        number_readable(work, n[0], sizeof n[0]);
    number_short(f->resource[which].peak, n[1], sizeof n[1]);
    number_short(us, n[2], sizeof n[2]);
    if (!isnan(us))
        snprintf(share, sizeof share, "%.1f%%", 100 * us / f->us);
    strbuf_addf(out, "    %-18s %20s %-10s %14s %16s %9s  %s\n", names.text, n[0], names.unit, n[1], n[2], share,
                trust_text(f->resource[which].trust));
}

/* As far as it follows exactly from the launch: who can take part at all. The last wave is told beside it. */
static void shape(const struct result *r, const struct roofline *f, struct strbuf *out)
{
    double blocks = (double)r->launch.blocks, sms = (double)r->launch.multiprocessors;

    if (f->sms < 1)
        strbuf_addf(out, "    Peaks of %.0f of %.0f SMs: the grid has no more blocks.\n", f->sms * sms, sms);
    if (f->schedulers < f->sms)
        strbuf_addf(out, "    Issue slots of %.0f of %.0f schedulers: the grid has no more warps.\n",
                    f->schedulers * sms * (double)r->launch.schedulers, sms * (double)r->launch.schedulers);
    if (f->last_wave > 1)
        strbuf_addf(out,
                    "    Tail effect not included: the busiest SM runs %.0f blocks, the average SM %.2f; with blocks of equal length its "
                    "own resources need %.2f times as long.\n",
                    ceil(blocks / sms), blocks / sms, f->last_wave);
}

/* Integer work has no lanes of its own in the table: how many instructions of the GPU it becomes is estimated too roughly for a
 * bound. */
static void mix(const struct result *r, const struct roofline *f, struct strbuf *out)
{
    double all = (double)r->total.v[COUNTER_THREAD_INST_ON], floating = 0;
    char n[NUMBER];

    for (int p = 0; p < ROOFLINE_PRECISIONS; p++)
        floating += f->precision[p].instructions;
    if (all <= 0)
        return;
    number_readable(all, n, sizeof n);
    strbuf_addf(out, "    Of %s thread instructions (%s) %.1f%% are floating-point arithmetic; integers, addresses, memory and branches "
                     "take issue slots only.\n", n, trust_text(TRUST_MODELLED), 100 * fmin(floating / all, 1));
}

static void bound_section(const struct result *r, const struct roofline *f, struct strbuf *out)
{
    enum roofline_precision p = roofline_main(f);
    char us[NUMBER], most[NUMBER], peak[NUMBER];

    strbuf_adds(out, "    Section: GPU Speed Of Light Roofline Chart\n");
    if (f->bound == ROOFLINE_RESOURCES) {
        strbuf_adds(out, "    Nothing was counted that a resource of the device would bound.\n\n");
        return;
    }
    number_short(f->us, us, sizeof us);
    strbuf_addf(out, "    Bound by %s: the launch takes at least %s us", roofline_resource_names(f->bound).text, us);
    if (f->precision[p].operations > 0) {
        number_short(roofline_most(f, p), most, sizeof most);
        number_short(f->precision[p].peak, peak, sizeof peak);
        strbuf_addf(out, ", so at most %s of %s GFLOP/s in %s", most, peak, roofline_precision_names(p).text);
    }
    strbuf_adds(out, ".\n    A bound, not a prediction: latency and waiting come on top.\n");
    strbuf_addf(out, "    %-18s %20s %-10s %14s %16s %9s  %s\n", "Resource", "Work", "", "Peak, 10^9/s", "Least time, us",
                "Of bound", "Trust");
    for (int i = 0; i < ROOFLINE_RESOURCES; i++)
        resource_row(f, (enum roofline_resource)i, out);
    mix(r, f, out);
    shape(r, f, out);
    strbuf_adds(out, "\n");
}

/* --- levels of memory --- */

static void level_row(const struct roofline *f, enum roofline_level l, enum roofline_precision p, struct strbuf *out)
{
    double most = roofline_attainable(f, l, p);
    char n[5][NUMBER], share[NUMBER] = "";

    if (isnan(f->level[l].bytes))
        strcpy(n[0], "not modelled");
    else
        number_readable(f->level[l].bytes, n[0], sizeof n[0]);
    number_short(roofline_intensity(f, l, p), n[1], sizeof n[1]);
    number_short(f->level[l].peak, n[2], sizeof n[2]);
    number_short(roofline_ridge(f, l, p), n[3], sizeof n[3]);
    number_short(most, n[4], sizeof n[4]);
    if (!isnan(most) && f->precision[p].peak > 0)
        snprintf(share, sizeof share, "%.1f%%", 100 * most / f->precision[p].peak);
    strbuf_addf(out, "    %-24s %18s %11s %11s %11s %15s %8s  %s\n", roofline_level_names(l).text, n[0], n[1], n[2], n[3], n[4],
                share, trust_text(f->level[l].trust));
}

/* Each roof is a rate of the device: `heddle devices` says what it follows from, and the source of every figure in it. */
static void roofs_from(const struct result *r, const struct roofline *f, enum roofline_precision p, struct strbuf *out)
{
    const char *last = "";

    strbuf_addf(out, "    Roofs, as in `heddle devices %s --sources`: %s", r->device_id ? r->device_id : "",
                roofline_precision_names(p).from);
    for (int l = 0; l < ROOFLINE_LEVELS; l++) {
        const char *from = roofline_level_names((enum roofline_level)l).from;

        if (f->level[l].bytes == 0 || f->level[l].peak == 0 || !strcmp(from, last))
            continue;
        strbuf_addf(out, ", %s", from);
        last = from;
    }
    strbuf_adds(out, "\n\n");
}

static void levels_section(const struct result *r, const struct roofline *f, enum roofline_precision p, struct strbuf *out)
{
    struct roofline_names names = roofline_precision_names(p);
    char operations[NUMBER], peak[NUMBER];

    strbuf_addf(out, "    Section: GPU Speed Of Light Hierarchical Roofline Chart (%s Precision)\n", names.section);
    number_readable(f->precision[p].operations, operations, sizeof operations);
    number_short(f->precision[p].peak, peak, sizeof peak);
    strbuf_addf(out, "    %s operations (%s); peak %s GFLOP/s\n", operations, trust_text(TRUST_MODELLED), peak);
    strbuf_addf(out, "    %-24s %18s %11s %11s %11s %15s %8s  %s\n", "Level", "Bytes", "FLOP/byte", "Roof, GB/s", "Ridge",
                "Max GFLOP/s", "Of peak", "Trust");
    for (int l = 0; l < ROOFLINE_LEVELS; l++)
        if (f->level[l].bytes != 0 && f->level[l].peak != 0)
            level_row(f, (enum roofline_level)l, p, out);
    roofs_from(r, f, p, out);
}

void roofline_sections(const struct result *r, section_set wanted, struct strbuf *out)
{
    static const enum section sections[ROOFLINE_PRECISIONS] = {
#define PRECISION(id, section, text, operations, instructions, peak) SECTION_ROOFLINE_##id,
#include "counters/roofline.def"
    };
    struct roofline f;

    result_roofline(r, &f);
    if (section_in(wanted, SECTION_ROOFLINE))
        bound_section(r, &f, out);
    for (int p = 0; p < ROOFLINE_PRECISIONS; p++)
        if (section_in(wanted, sections[p]) && f.precision[p].operations > 0)
            levels_section(r, &f, (enum roofline_precision)p, out);
}
