/* Calls of libraries in reports (see library.h). */
#include "report/library.h"

#include <math.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "report/numbers.h"
#include "report/result.h"

static double peak_of(const struct device_rates *d, int peak)
{
#define R(id)    (d->id)
#define OR(a, b) ((a) > 0 ? (a) : (b))
    const double rates[] = {
#define PEAK(id, text, rate) rate,
#include "report/library_peaks.def"
#undef PEAK
    };
#undef R
#undef OR
    return rates[peak];
}

static const char *text_of(int peak)
{
    static const char *const texts[] = {
#define PEAK(id, text, rate) text,
#include "report/library_peaks.def"
#undef PEAK
    };
    return texts[peak];
}

/* 10^9 a second, in microseconds. */
static double least(double work, double rate)
{
    return work == 0 ? 0 : rate > 0 ? work / rate / 1e3 : NAN;
}

void library_bound(const struct result *r, struct library_bound *out)
{
    const struct result_library *l = r->library;

    out->computes = text_of(l->peak);
    out->peak = peak_of(&r->rates, l->peak);
    out->bandwidth = r->rates.dram_bandwidth;
    out->compute_us = least(l->flops, out->peak);
    out->memory_us = least((double)(l->bytes_read + l->bytes_written), out->bandwidth);
}

enum { NUMBER = 64 };

static void row(const char *label, const char *unit, double value, const char *trust, struct strbuf *out)
{
    char v[NUMBER] = "n/a";

    if (!isnan(value))
        number_readable(value, v, sizeof v);
    strbuf_addf(out, "    %-40s %15s %18s %s\n", label, unit, v, trust);
}

static void least_row(const char *label, double us, struct strbuf *out)
{
    char v[NUMBER] = "n/a";

    if (!isnan(us))
        number_short(us, v, sizeof v);
    strbuf_addf(out, "    %-40s %15s %18s %s\n", label, "us", v, trust_text(TRUST_MODELLED));
}

static void bound_line(const struct result *r, const struct library_bound *b, struct strbuf *out)
{
    bool counted = !isnan(r->library->flops), computes = counted && !(b->compute_us < b->memory_us);
    double us = computes ? b->compute_us : b->memory_us;
    char text[NUMBER], most[NUMBER], peak[NUMBER];

    if (isnan(us) || us == 0) {
        strbuf_adds(out, us == 0 ? "    Nothing that a resource of the device would bound.\n" : "    The device's rates are not known.\n");
        return;
    }
    number_short(us, text, sizeof text);
    strbuf_addf(out, "    Bound by %s: the call takes at least %s us", computes ? b->computes : "DRAM", text);
    if (r->library->flops > 0) {
        number_short(r->library->flops / us / 1e3, most, sizeof most);
        number_short(b->peak, peak, sizeof peak);
        strbuf_addf(out, ", so at most %s of %s GFLOP/s", most, peak);
    }
    strbuf_addf(out, ".\n    A bound, not a prediction. Operations %s; each byte of its operands once, from DRAM.\n", counted ? "by the call's definition" : "are not counted");
}

void library_section(const struct result *r, struct strbuf *out)
{
    static const char rule[] = "    ---------------------------------------- --------------- ------------------ -------------------\n";
    struct library_bound b;
    char label[NUMBER + 32];

    library_bound(r, &b);
    strbuf_addf(out, "    Section: Library Call\n%s    %-40s %15s %18s %s\n%s", rule, "Metric Name", "Metric Unit", "Metric Value", "Trust", rule);
    row("Operations", "FLOP", r->library->flops, isnan(r->library->flops) ? "" : trust_text(TRUST_EXACT), out);
    row("Bytes Read", "byte", (double)r->library->bytes_read, trust_text(TRUST_EXACT), out);
    row("Bytes Written", "byte", (double)r->library->bytes_written, trust_text(TRUST_EXACT), out);
    snprintf(label, sizeof label, "Least Time, %.*s", NUMBER, b.computes);
    least_row(label, b.compute_us, out);
    least_row("Least Time, DRAM", b.memory_us, out);
    strbuf_adds(out, rule);
    bound_line(r, &b, out);
    strbuf_adds(out, "\n");
}
