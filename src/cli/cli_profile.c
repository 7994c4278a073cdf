/* `heddle profile [FLAGS] PROGRAM [ARGS]`: runs a program and reports what its kernels did.
 *
 * In: a .cu file (compiled into the cache as by `heddle run`) or an executable built by Heddle. The program runs as a
 * child with HEDDLE_RESULTS set: its stdin and stdout are untouched and its exit status is ours. The report goes to
 * stderr or the file of --log-file. Flags are ncu's where it has one. */
#define _GNU_SOURCE /* realpath */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "cli/ci.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/launches.h"
#include "cli/program.h"
#include "cli/resources.h"
#include "compile/compile.h"
#include "device/device.h"
#include "device/mechanisms.h"
#include "heddle.h"
#include "report/blocks.h"
#include "report/collection.h"
#include "report/expectations.h"
#include "report/names.h"
#include "report/report.h"
#include "report/roofline.h"
#include "report/machine_page.h"
#include "report/source_page.h"
#include "report/summary.h"
#include "report/trace_rows.h"

#define FILE_HEAD "# Heddle's report, not NVIDIA's format: lines of JSON (docs/results.md), read by Heddle's `ncu -i`\n"

enum { BLOCKS_MOST = 100000 }; /* in a picture */

enum page { PAGE_DETAILS, PAGE_RAW, PAGE_SOURCE };

struct profile {
    struct compile_options compile;
    struct diag_list diags;
    const char *device;   /* --device, or NULL */
    const char *without;  /* --without, or NULL: mechanisms of the model */
    const char *metrics;  /* --metrics list, or NULL */
    const char *log_file; /* --log-file, or NULL: stderr */
    const char *export, *import; /* -o, -i */
    const char *roofline;        /* --roofline, or NULL */
    const char *timeline;        /* --timeline, or NULL */
    bool perfetto;               /* in that form */
    const char *blocks;          /* --blocks, or NULL */
    bool force;           /* -f: -o may write over a file */
    enum page page;
    bool page_given, csv;
    bool summary, per_gpu; /* --print-summary */
    section_set sections;  /* 0: all */
    bool listed;           /* a --list or --query flag was answered: there is nothing to run */
    bool query;            /* --query-metrics */
    bool keeps;            /* --cache-control none */
    bool quiet, outside;   /* --quiet; --profile-from-start off */
    bool lines, machine, instructions; /* --print-source cuda, sass, ptx */
    struct strbuf ranges;  /* --nvtx-include, as HEDDLE_RANGE has them */
    bool as_ncu; /* called by that name: the report goes to stdout */
    struct launch_filter filter;
    struct report_metrics shown;
    struct expectations expected;
    struct verdicts judged; /* of the expectations */
    struct ci ci;
};

/* --- flags --- */

#define FLAG_ROWS "cli/profile_flags.def"
#include "cli/flag_rows.h"

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "heddle profile [FLAGS] PROGRAM [ARGS]: run a CUDA program and report what its kernels did\n\n"
                    "PROGRAM is a .cu file or an executable made by `heddle build`. Flags are ncu's; a long one may be\n"
                    "shortened as long as it stays clear.\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D, --device-ptx FILE, ...\n"
                    "The program's output and exit status stay its own (128 + n if signal n ended it); where it ends with 0, 3:\n"
                    "an expectation is not met, 1: something else went wrong.\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

#define CHOICE(...) FLAGS_CHOICE(&p->diags, &flags[which], value, __VA_ARGS__)

static void print_list(struct profile *p, void (*list)(struct strbuf *))
{
    struct strbuf b;

    strbuf_init(&b);
    list(&b);
    fputs(b.s, stdout);
    strbuf_release(&b);
    p->listed = true;
}

static void query_metrics(const struct profile *p, struct strbuf *b)
{
    const struct metric *m;

    if (p->csv)
        strbuf_adds(b, "\"Metric Name\",\"Metric Unit\",\"Metric Description\"\n");
    for (int i = 0; (m = metric_at(i)); i++)
        strbuf_addf(b, p->csv ? "\"%s\",\"%s\",\"%s\"\n" : "%-76s %-14s %s\n", m->name, m->unit, m->compute ? m->help : "n/a: not computed yet");
}

/* NVIDIA's names of the chips that there are descriptions of. */
static void list_chips(struct strbuf *b)
{
    struct diag_list diags;
    struct table seen;
    char **names;
    int n = device_names(&names);

    diag_init(&diags);
    table_init(&seen);
    for (int i = 0; i < n; i++) {
        struct device d;
        char *chip;
        if (!device_load(&d, names[i], &diags) || !d.chip[0])
            continue;
        chip = arena_strdup(&diags.arena, d.chip);
        for (char *c = chip; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (!table_get(&seen, chip))
            strbuf_addf(b, "%s%s", b->len ? ", " : "", chip);
        table_set(&seen, chip, chip);
    }
    strbuf_adds(b, "\n");
    table_release(&seen);
    diag_release(&diags);
    device_names_release(names, n);
}

static void print_version(struct strbuf *b)
{
    strbuf_adds(b, "NVIDIA (R) Nsight Compute Command Line Profiler\nHeddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used\n"
                   "Version 2024.1.0.0 (Heddle)\n");
}

/* --nvtx-include: "A/B/" are ranges on a thread's stack, "A" one that was started; domains ("NAME@...") are not told apart. */
static void include_range(struct profile *p, const char *value)
{
    size_t n = strlen(value);
    bool pushed = n && value[n - 1] == '/';

    if (strpbrk(value, "*@[]\"") || !strncmp(value, "regex:", 6))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--nvtx-include': '%s': there are ranges A/ and A/B/ that were pushed and A that was started", value);
    strbuf_addf(&p->ranges, "%s:%.*s\n", pushed ? "push" : "start", (int)(n - pushed), value);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && !strcmp(s + n - m, end);
}

static void set_timeline(struct profile *p, const char *value)
{
    p->timeline = value;
    p->perfetto = ends_with(value, ".perfetto-trace") || ends_with(value, ".pftrace");
    if (!p->perfetto && !ends_with(value, ".svg"))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--timeline': '%s' ends neither in .svg nor in .perfetto-trace (or .pftrace), which say its form", value);
}

static void set_without(struct profile *p, const char *value)
{
    mechanism_set off;
    struct strbuf why;

    if (!strcmp(value, "help")) {
        print_list(p, mechanisms_list);
        return;
    }
    strbuf_init(&why);
    if (!mechanisms_read(value, &off, &why))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--without': %s", why.s);
    p->without = value;
    strbuf_release(&why);
}

static void set_report_flag(struct profile *p, int which, const char *value)
{
    switch ((enum which_flag)which) {
    case FLAG_PAGE:
        p->page = (enum page)CHOICE("details", "raw", "source");
        p->page_given = true;
        break;
    case FLAG_CACHES:
        p->keeps = CHOICE("all", "none") == 1;
        break;
    case FLAG_UNITS:
        p->shown.scaled = CHOICE("base", "auto") == 1;
        break;
    case FLAG_CSV:
        p->csv = true;
        break;
    case FLAG_SET:
        sections_add_set(&p->sections, value, &p->diags);
        break;
    case FLAG_SECTION:
        sections_add(&p->sections, value, &p->diags);
        break;
    case FLAG_SUMMARY:
        p->summary = CHOICE("none", "per-kernel", "per-gpu") > 0;
        p->per_gpu = !strcmp(value, "per-gpu");
        break;
    case FLAG_LIST_SETS:
        print_list(p, sections_list_sets);
        break;
    case FLAG_LIST_SECTIONS:
        print_list(p, sections_list);
        break;
    case FLAG_LIST_CHIPS:
        print_list(p, list_chips);
        break;
    case FLAG_VERSION:
        print_list(p, print_version);
        break;
    case FLAG_QUERY:
        p->query = p->listed = true;
        break;
    case FLAG_QUIET:
        p->quiet = true;
        break;
    case FLAG_PRINT_SOURCE:
        p->lines = strstr(value, "cuda");
        p->machine = strstr(value, "sass");
        p->instructions = strstr(value, "ptx");
        break;
    default:
        break; /* accepted: help says why it changes nothing */
    }
}

static void set_flag(void *to, int which, const char *value)
{
    struct profile *p = to;

    switch ((enum which_flag)which) {
    case FLAG_REGISTERS:
        resources_choose(value, &p->diags);
        break;
    case FLAG_DEVICE:
        p->device = value;
        break;
    case FLAG_WITHOUT:
        set_without(p, value);
        break;
    case FLAG_METRICS:
        p->metrics = p->metrics ? arena_printf(&p->diags.arena, "%s,%s", p->metrics, value) : value;
        break;
    case FLAG_LOG:
        p->log_file = value;
        break;
    case FLAG_EXPORT:
        p->export = value;
        break;
    case FLAG_IMPORT:
        p->import = value;
        break;
    case FLAG_ROOFLINE:
        p->roofline = value;
        break;
    case FLAG_BLOCKS:
        p->blocks = value;
        break;
    case FLAG_TIMELINE:
        set_timeline(p, value);
        break;
    case FLAG_EXPECT:
        expectations_add(&p->expected, value, &p->diags);
        break;
    case FLAG_EXPECTATIONS:
        expectations_read(&p->expected, value, &p->diags);
        break;
    case FLAG_JUNIT:
    case FLAG_ANNOTATE:
        ci_flag(&p->ci, &flags[which], value, &p->diags);
        break;
    case FLAG_FORCE:
        p->force = true;
        break;
    case FLAG_KERNEL:
        p->filter.kernel = value + strspn(value, ":"); /* "::regex:NAME", as --kernel-id has it */
        break;
    case FLAG_REGEX:
        p->filter.kernel = arena_printf(&p->diags.arena, "regex:%s", value);
        break;
    case FLAG_START:
        p->outside = CHOICE("on", "off", "yes", "no", "1", "0", "true", "false") % 2 == 1;
        break;
    case FLAG_NVTX_INCLUDE:
        include_range(p, value);
        break;
    case FLAG_BASE:
    case FLAG_REGEX_BASE:
        p->filter.base = (enum name_base)CHOICE("function", "demangled", "mangled");
        break;
    case FLAG_ID:
        launch_filter_id(&p->filter, value, &p->diags);
        break;
    case FLAG_SKIP:
        p->filter.skip = flags_count(&p->diags, flags[which].name, value);
        break;
    case FLAG_SKIP_ALL:
        p->filter.skip_all = flags_count(&p->diags, flags[which].name, value);
        break;
    case FLAG_COUNT:
        p->filter.count = flags_count(&p->diags, flags[which].name, value);
        break;
    default:
        set_report_flag(p, which, value);
    }
}

/* Returns the index of the program among the words. */
static int take_flags(struct profile *p, int argc, char **argv)
{
    const struct flag_set set = {flags, FLAGS, "heddle profile", "the program's own arguments come after its name",
                                 set_flag, p, &p->diags};
    int i = flags_take(&set, &p->compile, argc, argv);

    if (i < argc && p->import)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--import' reads a report, it runs no program: '%s'", argv[i]);
    if (i == argc && !p->import && !p->listed && !p->diags.errors)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "no program: heddle profile PROGRAM [ARGS]");
    return i;
}

/* --- the report --- */

/* A terminal that wants no colour says so by NO_COLOR (no-color.org). */
static bool wants_colour(const struct profile *p)
{
    const char *none = getenv("NO_COLOR");

    return !p->log_file && isatty(p->as_ncu ? STDOUT_FILENO : STDERR_FILENO) && !(none && *none);
}

static void add_result(const struct profile *p, const struct result *r, int64_t id, struct strbuf *out)
{
    const bool machine = p->page == PAGE_SOURCE && p->machine && r->insts;

    if (machine && p->lines && !p->csv)
        report_source(r, wants_colour(p), out);
    if (machine)
        p->csv ? report_machine_csv(r, out) : report_machine(r, out);
    else if (p->csv && p->page == PAGE_SOURCE)
        report_source_csv(r, p->instructions || p->machine, out);
    else if (p->csv && p->page == PAGE_RAW)
        report_csv_line(r, id, &p->shown, out);
    else if (p->csv)
        report_details_csv(r, id, &p->shown, p->sections ? p->sections : SECTIONS_ALL, out);
    else if (p->page == PAGE_SOURCE)
        report_source(r, wants_colour(p), out);
    else if (p->page == PAGE_RAW)
        report_raw(r, &p->shown, out);
    else
        report_details(r, &p->shown, p->sections ? p->sections : SECTIONS_ALL, out);
}

static void add_body(const struct profile *p, struct result *const *chosen, int n, struct strbuf *out)
{
    if (p->export && !p->page_given && !p->csv && !p->summary)
        return; /* as ncu: what is exported is printed only when a page is asked for */
    if (p->summary) {
        const struct summary_style style = {p->per_gpu, p->csv, p->sections ? p->sections : p->as_ncu && !p->page_given ? SECTIONS_ALL : 0};
        report_summary(chosen, n, &p->shown, &style, out);
        return;
    }
    if (n && p->csv && p->page == PAGE_RAW)
        report_csv_header(&p->shown, out);
    else if (n && p->csv && p->page == PAGE_DETAILS)
        report_details_csv_header(&p->shown, out);
    for (int i = 0; i < n; i++)
        add_result(p, chosen[i], i, out);
}

static void export_results(struct profile *p, struct result *const *chosen, int n, struct strbuf *out)
{
    FILE *f = fopen(p->export, "we");
    bool ok = f && (!p->as_ncu || fputs(FILE_HEAD, f) != EOF);

    for (int i = 0; ok && i < n; i++)
        ok = result_write(chosen[i], f);
    if (f)
        ok &= fclose(f) == 0;
    if (ok && !p->quiet)
        strbuf_addf(out, "==PROF== Report: %s\n", p->export);
    else if (!ok)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot write the report '%s': %s", p->export, strerror(errno));
}

static void draw_roofline(struct profile *p, struct result *const *chosen, int n)
{
    struct strbuf picture;

    strbuf_init(&picture);
    if (roofline_svg(chosen, n, &picture, &p->diags))
        program_write_report(&picture, p->roofline, NULL, &p->diags);
    strbuf_release(&picture);
}

/* Of the first launch that was chosen. */
static void draw_blocks(struct profile *p, const struct result *r)
{
    struct strbuf picture;

    strbuf_init(&picture);
    if (!r->blocks)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, r->launch.blocks > BLOCKS_MOST ? "'--blocks': '%s' has more than %d blocks" : "'--blocks': the report has no times of blocks of '%s': it was made without --blocks",
                 r->kernel_name, BLOCKS_MOST);
    else if (blocks_svg(r, &picture, &p->diags))
        program_write_report(&picture, p->blocks, NULL, &p->diags);
    strbuf_release(&picture);
}

/* What cannot be drawn or shown of launches that were profiled for something else. */
static bool all_collected(struct profile *p, struct result *const *chosen, int n)
{
    for (int i = 0; i < n; i++)
        if (!chosen[i]->library && COUNTERS_EXACT & ~chosen[i]->launch.collected) {
            diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--roofline': the report has only some figures of '%s': it was made with --metrics or --section",
                     chosen[i]->kernel_name);
            return false;
        }
    return true;
}

/* Launches that were kept without their machine code show PTX in its place. */
static void note_code(struct profile *p, struct result *const *chosen, int n)
{
    for (int i = 0; p->page == PAGE_SOURCE && p->machine && i < n; i++)
        if (!chosen[i]->library && !chosen[i]->insts) {
            diag_add(&p->diags, DIAG_NOTE, NULL, 0, "'--print-source': the report has no machine code of '%s': %s; --page source --print-source sass beside -o keeps it",
                     chosen[i]->kernel_name, p->csv ? "instructions are PTX, at made-up addresses: an estimate of machine code" : "its source is shown");
            return;
        }
    if (p->page == PAGE_SOURCE && p->machine)
        diag_add(&p->diags, DIAG_NOTE, NULL, 0, "machine code is an estimate: what Heddle takes the GPU to have, not NVIDIA's");
}

/* `==PROF==` lines first, as in ncu's log, then the report of the launches that were asked for. `exe` is NULL for an
 * imported report, from which the filter takes some; a program that ran left only those. */
static void make_report(struct profile *p, const struct results *rs, bool readable, const char *exe, struct launch_choice *c,
                        struct strbuf *out)
{
    struct result **chosen = ARENA_ARRAY(&p->diags.arena, struct result *, rs->n + 1);
    char path[PATH_MAX];
    int n = 0;

    if (exe && rs->n && !p->quiet)
        strbuf_addf(out, "==PROF== Connected to process %lld (%s)\n", (long long)rs->result[0]->pid,
                    realpath(exe, path) ? path : exe);
    for (int i = 0; i < rs->n; i++) {
        struct result *r = rs->result[i];
        const struct launch_id id = launch_id_of(r);
        if (!exe && !launch_choice_takes(c, &id))
            continue;
        if (exe && !p->quiet)
            strbuf_addf(out, "==PROF== Profiling \"%s\" - %d: 0%%....50%%....100%% - 1 pass\n",
                        name_form(NAME_FUNCTION, r->kernel_name, r->kernel, &p->diags.arena), n);
        chosen[n++] = r;
    }
    if (exe && rs->n && !p->quiet)
        strbuf_addf(out, "==PROF== Disconnected from process %lld\n", (long long)rs->result[0]->pid);
    if (n && chosen[0]->without)
        strbuf_addf(out, "==WARNING== Modelled without %s (heddle profile --without help): caches and times are not the device's.\n", chosen[0]->without);
    if (p->export)
        export_results(p, chosen, n, out);
    if (p->roofline && n && all_collected(p, chosen, n))
        draw_roofline(p, chosen, n);
    if (p->blocks && n)
        draw_blocks(p, chosen[0]);
    if (!n && (rs->n || readable))
        strbuf_adds(out, rs->n || !launch_filter_takes_all(&p->filter) ? "==WARNING== No kernel launch matches the filters.\n"
                                                                       : "==WARNING== No kernels were profiled: the program launched none.\n");
    note_code(p, chosen, n);
    add_body(p, chosen, n, out);
    expectations_judge(&p->expected, chosen, n, &p->judged);
}

/* False: it could not be written. */
static bool report(struct profile *p, const char *exe, const char *results)
{
    struct launch_choice c;
    struct results rs;
    bool readable;
    int errors;
    struct strbuf text;

    strbuf_init(&text);
    readable = results_read(&rs, results, &p->diags);
    errors = p->diags.errors;
    if (readable || exe) {
        launch_choice_init(&c, &p->filter, &p->diags);
        make_report(p, &rs, readable, exe, &c, &text);
        program_write_report(&text, p->log_file, p->as_ncu ? stdout : stderr, &p->diags);
        if (p->expected.n) {
            ci_write(&p->ci, &p->judged, "heddle profile", &p->diags);
            ci_tell(&p->ci, &p->judged, "expectations are met");
        }
        launch_choice_release(&c);
    }
    results_release(&rs);
    strbuf_release(&text);
    return p->diags.errors == errors;
}

struct watched {
    struct profile *p;
    const char *exe;
};

static bool report_watched(void *user, const char *path)
{
    const struct watched *w = user;

    return report(w->p, w->exe, path);
}

/* What launches have to collect for what is to be shown or kept. */
static counter_groups wanted_groups(const struct profile *p)
{
    bool kept = p->export && !p->page_given && !p->csv && !p->summary;
    bool lists = p->csv || p->page == PAGE_RAW || p->summary; /* pages that list the metrics, by default all */
    counter_groups g = 0;

    if (p->shown.n || lists)
        g |= report_groups(&p->shown);
    if (p->sections)
        g |= sections_groups(p->sections);
    if (p->page == PAGE_SOURCE)
        g |= COUNTERS_EXACT | COUNTERS_OF(TIME);
    else if (!p->shown.n && !p->sections && (!lists || kept))
        g = COUNTERS_ALL;
    if (p->roofline)
        g |= COUNTERS_EXACT | COUNTERS_OF(CACHES);
    if (p->timeline || p->blocks)
        g |= COUNTERS_OF(TIME);
    return g | expectations_groups(&p->expected);
}

/* What the program left in the trace becomes the file of --timeline. */
static void draw_timeline(struct profile *p, const char *path)
{
    struct trace t;
    struct strbuf picture;
    bool ok = trace_read(&t, path, &p->diags);

    strbuf_init(&picture);
    if (ok && p->perfetto && !t.n)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "no timeline to write: the program used no device");
    else if (ok && p->perfetto)
        trace_perfetto(&t, &picture);
    else if (ok)
        ok = trace_svg(&t, &picture, &p->diags);
    if (ok && t.n)
        program_write_report(&picture, p->timeline, NULL, &p->diags);
    strbuf_release(&picture);
    trace_release(&t);
}

/* Runs `exe` and reports; the exit status to end with. */
static int profile(struct profile *p, const char *exe, char **argv)
{
    struct watched watched = {p, exe};
    const struct collection wanted = {.groups = wanted_groups(p), .filter = p->filter, .keeps = p->keeps, .code = p->page == PAGE_SOURCE && p->machine, .blocks = p->blocks ? BLOCKS_MOST : 0};
    struct strbuf text, trace;
    int status, traced = p->timeline ? file_unnamed() : -1;

    strbuf_init(&text);
    strbuf_init(&trace);
    if (p->timeline && traced < 0)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot make a file for the timeline: %s", strerror(errno));
    else if (p->timeline)
        file_add_path(&trace, traced);
    if (p->outside)
        strbuf_adds(&p->ranges, "profiler\n");
    const bool timed = wanted.groups & COUNTERS_OF(TIME) && launch_filter_takes_all(&p->filter) && !p->ranges.len; /* those that are left out have no time */
    collection_write(&wanted, &text);
    const struct program_variable more[] = {{"HEDDLE_DEVICE", p->device}, {"HEDDLE_WITHOUT", p->without}, {"HEDDLE_COLLECT", text.s}, {"HEDDLE_RANGE", p->ranges.s},
                                            {"HEDDLE_TIMED", timed ? "1" : NULL}, {"HEDDLE_TRACE", trace.s}, {0}};

    status = program_watch(&(struct program_watch){"results", "HEDDLE_RESULTS", more, report_watched, &watched, 0, "`heddle profile -i FILE` reads it"}, exe, argv,
                         &p->diags);
    if (traced >= 0) {
        draw_timeline(p, trace.s);
        close(traced);
    }
    strbuf_release(&text);
    strbuf_release(&trace);
    return status;
}

/* What can be said before the program runs: flags that exclude each other, filters, a file in the way. */
static void check_flags(struct profile *p)
{
    struct launch_choice c;

    if (p->export && !p->force && access(p->export, F_OK) == 0)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'%s' is there already; -f writes over it", p->export);
    if ((p->ci.junit || p->ci.annotate) && !p->expected.n)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'%s' is about expectations: give --expect or --expect-file",
                 p->ci.junit ? "--junit" : "--annotate");
    if (p->without && p->import)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--without' needs the program to run: a report has been modelled");
    if (p->timeline && p->import)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--timeline' needs the program to run: a report has no times of copies and calls");
    if (p->timeline && (!launch_filter_takes_all(&p->filter) || p->ranges.len || p->outside))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--timeline' needs all launches: without some of them the times of the others are not known");
    launch_choice_init(&c, &p->filter, &p->diags);
    launch_choice_release(&c);
}

/* ncu's files end in ".ncu-rep" whether one says so or not; its --csv without a page is the details page's, ours the raw one's. */
static void name_files(struct profile *p)
{
    size_t n;

    if (p->csv && !p->page_given)
        p->page = p->as_ncu ? PAGE_DETAILS : PAGE_RAW;
    if (!p->as_ncu)
        return;
    p->export = program_file_name(&p->diags.arena, p->export);
    n = p->export ? strlen(p->export) : 0;
    if (n && (n <= 8 || strcmp(p->export + n - 8, ".ncu-rep")))
        p->export = arena_printf(&p->diags.arena, "%s.ncu-rep", p->export);
    if (p->import && access(p->import, F_OK)) {
        const char *full = arena_printf(&p->diags.arena, "%s.ncu-rep", p->import);
        p->import = access(full, F_OK) ? p->import : full;
    }
    if (p->instructions && p->page == PAGE_SOURCE)
        diag_add(&p->diags, DIAG_NOTE, NULL, 0, "instructions are PTX, at made-up addresses");
}

static void print_query(const struct profile *p)
{
    struct strbuf b;

    strbuf_init(&b);
    query_metrics(p, &b);
    fputs(b.s, stdout);
    strbuf_release(&b);
}

static int profile_command(int argc, char **argv, bool as_ncu)
{
    struct profile p = {.filter.count = -1, .as_ncu = as_ncu};
    const char *exe = NULL;
    int at, status = CLI_FAILED;
    bool unmet;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    compile_options_init(&p.compile);
    resources_watch(&p.compile);
    diag_init(&p.diags);
    strbuf_init(&p.ranges);
    expectations_init(&p.expected);
    verdicts_init(&p.judged);
    at = take_flags(&p, argc, argv);
    name_files(&p);
    if (p.query && !p.diags.errors)
        print_query(&p);
    p.shown.lenient = as_ncu;
    if (p.metrics)
        report_metrics_parse(&p.shown, p.metrics, &p.compile.arena, &p.diags);
    if (!p.diags.errors && !p.listed)
        check_flags(&p);
    if (p.listed || (p.import && !p.diags.errors)) {
        status = CLI_OK;
        if (!p.listed)
            report(&p, NULL, p.import);
    } else if (!p.diags.errors) {
        exe = (as_ncu ? program_find_any : program_find)(&p.compile, p.device, argv[at], &p.diags);
    }
    if (exe && !p.diags.errors) {
        argv[at] = (char *)exe;
        status = profile(&p, exe, argv + at);
    }
    unmet = verdicts_count(&p.judged, VERDICT_FAILED) > 0;
    if (cli_print(&p.diags) && status == CLI_OK)
        status = CLI_FAILED;
    strbuf_release(&p.ranges);
    if (unmet && status == CLI_OK)
        status = CLI_UNMET;
    verdicts_release(&p.judged);
    expectations_release(&p.expected);
    compile_options_release(&p.compile);
    return status;
}

int cli_profile(int argc, char **argv)
{
    return profile_command(argc, argv, false);
}

/* The same under the name `ncu`, which writes its report to stdout. */
int cli_ncu(int argc, char **argv)
{
    return profile_command(argc, argv, true);
}
