/* See time_text.h. */
#include "report/time_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "device/guesses.h"
#include "report/numbers.h"
#include "report/report.h"

enum { ROWS = 32, NUMBER = 32, BOUND = 60 /* percent of its peak at which a unit bounds a launch */, TELLS = 25 /* percent of the time that are worth a word */ };

enum why { NOTHING, LANES, CONFLICTS, SECTORS, ADDRESSES };

static const struct {
    const char *label, *words;
    enum why why;
} units[] = {
#define UNIT(label, words, why) {label, words, why},
#include "report/time_units.def"
#undef UNIT
};

static double metric(const struct result *r, const char *name)
{
    double v = 0;

    return result_metric(r, name, &v) == METRIC_OK ? v : 0;
}

/* The rows of a title above 0, largest first; returns how many. */
static int ranked(const struct result *r, const char *title, const struct section_row *row[ROWS], double value[ROWS])
{
    const struct section_row *at;
    int n = 0;

    for (int i = 0; (at = section_row_at(i)); i++) {
        double v = strcmp(at->title, title) ? 0 : metric(r, at->metric);
        int k = n;

        if (v <= 0 || n == ROWS)
            continue;
        for (; k > 0 && value[k - 1] < v; k--) {
            value[k] = value[k - 1];
            row[k] = row[k - 1];
        }
        value[k] = v;
        row[k] = at;
        n++;
    }
    return n;
}

void time_list(const struct result *r, const char *title, const char *head, struct strbuf *out)
{
    const struct section_row *row[ROWS];
    double value[ROWS];
    int n = ranked(r, title, row, value);

    strbuf_addf(out, "    %s: ", head);
    for (int i = 0; i < n; i++)
        strbuf_addf(out, "%s%s %.1f%%", i ? ", " : "", row[i]->label, value[i]);
    strbuf_addf(out, "%s (%s)\n\n", n ? "" : "none", trust_text(TRUST_MODELLED));
}

/* What a state's metric says behind "cycles of warps that", up to the comma. */
static const char *state_words(const struct section_row *row, char words[128])
{
    static const char before[] = "cycles of warps that ";
    const char *help = report_metric(row->metric)->help + sizeof before - 1, *end = strstr(help, ", for each");

    snprintf(words, 128, "%.*s", end ? (int)(end - help) : (int)strlen(help), help);
    return words;
}

void time_states(const struct result *r, struct strbuf *out)
{
    const struct section_row *row[ROWS];
    double value[ROWS], all = 0;
    int n = ranked(r, "Warp States", row, value);

    strbuf_adds(out, "    Section: Warp States\n");
    if (!n) {
        strbuf_adds(out, "    Not told: no warp issued an instruction, or nobody told what warps wait for when this launch was profiled\n\n");
        return;
    }
    for (int i = 0; i < n; i++)
        all += value[i];
    strbuf_addf(out, "    %-24s %12s %8s %-10s %s\n", "State", "Cycles/Issue", "Share", "Trust", "Warps that");
    for (int i = 0; i < n; i++) {
        char words[128];

        strbuf_addf(out, "    %-24s %12.2f %7.1f%% %-10s %s\n", row[i]->label, value[i], 100 * value[i] / all, trust_text(TRUST_MODELLED),
                    state_words(row[i], words));
    }
    strbuf_adds(out, "\n");
}

const struct section_row *time_top_state(const struct result *r, double *share)
{
    const struct section_row *row[ROWS], *top = NULL;
    double value[ROWS], all = 0;
    int n = ranked(r, "Warp States", row, value);

    for (int i = 0; i < n; i++)
        all += value[i];
    for (int i = 0; i < n && !top; i++)
        if (!strstr(row[i]->metric, "stalled_selected") && !strstr(row[i]->metric, "stalled_not_selected")) {
            top = row[i];
            *share = 100 * value[i] / all;
        }
    return top;
}

enum counter time_state_counter(const struct section_row *row)
{
    const char *formula = strstr(report_metric(row->metric)->formula, "C(") + 2; /* AN_ISSUE(C(STALL_WAIT)) */
    char id[64];

    snprintf(id, sizeof id, "%.*s", (int)strcspn(formula, ")"), formula);
    return counters_find(id);
}

/* --- the sentence --- */

static double part(const struct result *r, const char *some, const char *all)
{
    double of = metric(r, all);

    return of > 0 ? 100 * metric(r, some) / of : 0;
}

/* Why the unit has so much to do. */
static void why_busy(const struct result *r, enum why why, struct strbuf *out)
{
    double lanes = metric(r, "smsp__thread_inst_executed_per_inst_executed.ratio");
    double conflicts = part(r, "derived__memory_l1_wavefronts_shared_excessive", "memory_l1_wavefronts_shared");
    double sectors = part(r, "derived__memory_l2_theoretical_sectors_global_excessive", "memory_l2_theoretical_sectors_global");

    if (why == ADDRESSES && r->total.v[COUNTER_CONST_ADDRESSES] > r->total.v[COUNTER_CONST_REQUESTS])
        strbuf_addf(out, "; %.1f distinct addresses a load, one after the other",
                    (double)r->total.v[COUNTER_CONST_ADDRESSES] / (double)r->total.v[COUNTER_CONST_REQUESTS]);
    if (why == LANES && lanes > 0 && lanes < 24)
        strbuf_addf(out, "; %.1f of 32 lanes are active", lanes);
    if (why == CONFLICTS && conflicts >= 10)
        strbuf_addf(out, "; %.0f%% of its wavefronts are bank conflicts", conflicts);
    if (why == SECTORS && sectors >= 10)
        strbuf_addf(out, "; %.0f%% of the sectors of global memory would not be needed", sectors);
}

/* Why no unit has more to do: the launch itself, multiprocessors without a block, else what warps wait for. */
static void why_idle(const struct result *r, struct strbuf *out)
{
    const struct launch_facts *l = &r->launch;
    double launch = l->cycles > 0 ? 100 * (double)l->launch_cycles / (double)l->cycles : 0, share;
    double mean = l->multiprocessors ? (double)l->blocks / (double)l->multiprocessors : 0, most = ceil(mean); /* blocks of a multiprocessor */
    double idle = 100 - metric(r, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
    double warps = metric(r, "sm__warps_active.avg.per_cycle_active");
    const struct section_row *top = time_top_state(r, &share);
    char words[128], us[NUMBER];

    if (launch >= TELLS && 2 * launch >= idle) { /* half or more of the idle time */
        number_short((double)l->duration_ps * launch / 1e8, us, sizeof us);
        strbuf_addf(out, "; %s us are the launch itself", us);
    } else if (idle >= TELLS) {
        strbuf_addf(out, "; multiprocessors have a block in %.0f%% of the cycles", 100 - idle);
        if (most >= 1.25 * mean && mean >= 1)
            strbuf_addf(out, ": the busiest has %.0f blocks, the average %.2f", most, mean);
        else if (l->blocks < l->multiprocessors)
            strbuf_addf(out, ": the grid has %lld block%s for %lld", (long long)l->blocks, l->blocks == 1 ? "" : "s", (long long)l->multiprocessors);
    } else {
        if (4 * warps < (double)l->max_warps)
            strbuf_addf(out, "; a multiprocessor has %.1f of %lld warps", warps, (long long)l->max_warps);
        if (top)
            strbuf_addf(out, "; in %.0f%% of their cycles warps %s", share, state_words(top, words));
    }
}

static const char *words_of(const char *label, enum why *why)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(units[i].label, label)) {
            *why = units[i].why;
            return units[i].words;
        }
    *why = NOTHING;
    return label;
}

/* L1 and shared memory are one memory: it is called by the one that has more of the work. */
static int busiest(const struct section_row *row[ROWS], const double value[ROWS], int n)
{
    for (int i = 1; i < n && !strcmp(row[0]->label, "L1"); i++)
        if (!strcmp(row[i]->label, "Shared Memory") && 2 * value[i] >= value[0])
            return i;
    return 0;
}

const char *time_bound(const struct result *r)
{
    const struct section_row *row[ROWS];
    double value[ROWS];
    int n = ranked(r, "Use Of Peaks", row, value);
    enum why why;

    if (!(r->launch.collected & COUNTERS_OF(TIME)))
        return "n/a";
    return !n ? "nothing" : value[0] >= BOUND ? words_of(row[busiest(row, value, n)]->label, &why) : "latency";
}

static double relief_of(const struct time_relief *relief, int n, const char *label)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(relief[i].label, label))
            return fmin(fmax(relief[i].share, 0), 1);
    return 0;
}

double time_less(const struct result *r, const struct time_relief *relief, int n)
{
    const struct section_row *row[ROWS];
    double value[ROWS], most = 0, shared = 0;
    int rows = ranked(r, "Use Of Peaks", row, value);

    if (!rows || value[0] < BOUND)
        return 0;
    for (int i = 0; i < rows; i++)
        if (!strcmp(row[i]->label, "Shared Memory"))
            shared = value[i];
    for (int i = 0; i < rows; i++) {
        double left = value[i] * (1 - relief_of(relief, n, row[i]->label));

        if (!strcmp(row[i]->label, "L1"))
            left -= shared * relief_of(relief, n, "Shared Memory");
        most = fmax(most, left);
    }
    return 100 * (1 - most / value[0]);
}

void time_sentence(const struct result *r, struct strbuf *out)
{
    const struct section_row *row[ROWS];
    double value[ROWS];
    int n = ranked(r, "Use Of Peaks", row, value), most = busiest(row, value, n);
    char us[NUMBER];
    enum why why;

    number_short(metric(r, "gpu__time_duration.sum") / 1e3, us, sizeof us);
    strbuf_addf(out, "    Takes %s us: ", us);
    if (!n) {
        strbuf_adds(out, "nothing was counted that keeps a unit of the device busy");
    } else if (value[0] >= BOUND) {
        const char *words = words_of(row[most]->label, &why);

        strbuf_addf(out, "bound by %s at %.1f%% of the peak", words, value[0]);
        why_busy(r, why, out);
    } else {
        strbuf_addf(out, "bound by latency, with %s busiest at %.1f%% of the peak", words_of(row[most]->label, &why), value[0]);
        why_idle(r, out);
    }
    strbuf_addf(out, " (%s).\n", trust_text(TRUST_MODELLED));
}

/* The names of the guesses, those for `bound` or for all others: up to `room` of them go to the text. Returns how many there are. */
static int add_guesses(const struct result *r, const char *bound, bool others, int room, struct strbuf *out)
{
    int n = 0;

    for (const char *at = r->guesses; *at;) {
        const size_t len = strcspn(at, " ");
        char name[64];
        const char *of;

        snprintf(name, sizeof name, "%.*s", (int)len, at);
        of = device_timed_bound(name);
        if ((of && !strcmp(of, bound)) != others) {
            if (n < room)
                strbuf_addf(out, "%s%s", out->len ? ", " : "", name);
            n++;
        }
        at += len + (at[len] == ' ');
    }
    return n;
}

void time_guesses(const struct result *r, struct strbuf *out)
{
    enum { SHOWN = 3 };
    struct strbuf names;
    const char *bound = time_bound(r);
    int n;

    if (!r->guesses || !*r->guesses)
        return;
    strbuf_init(&names);
    n = add_guesses(r, bound, false, SHOWN, &names);
    n += add_guesses(r, bound, true, n < SHOWN ? SHOWN - n : 0, &names);
    strbuf_addf(out, "    %d of the %d figures of the GPU that this time rests on %s: %s%s (heddle devices %s --guesses).\n", n, r->timed,
                n == 1 ? "is a guess" : "are guesses", names.s, n > SHOWN ? ", ..." : "", r->device_id ? r->device_id : "NAME");
    strbuf_release(&names);
}
