/* `nvprof`, under the name of NVIDIA's tool: summaries and lists of a traced run, metrics and events of a profiled one.
 *
 * In: nvprof's command line. With metrics or events the program runs with HEDDLE_RESULTS set, otherwise with HEDDLE_TRACE, whose times
 * are the host's, or with --timed the device's. The report goes to stderr. What -o keeps is one of these files behind a first line that says so: NVIDIA's tools
 * cannot read it, and this one cannot read theirs. */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/nsys.h"
#include "cli/nvprof_pages.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "device/device.h"
#include "heddle.h"

#define FILE_HEAD "# Heddle's report, not NVIDIA's format: lines of JSON (docs/trace.md, docs/results.md), read by Heddle's `nvprof -i`\n"

struct nvprof {
    struct compile_options compile;
    struct diag_list diags;
    struct nvprof_style style;
    const char *list[2];   /* of events, of metrics: "a,b", or NULL */
    const char **names[2]; /* the same in parts */
    int n[2];
    const char *log_file, *export, *import, *kernels, *device;
    bool gpu_trace, api_trace, gpu_summary, api_summary, no_calls, force, from_start, quiet;
    bool answered; /* by a flag that asks for a list */
    struct strbuf command; /* the program and its arguments, for the head */
};

#define FLAG_ROWS "cli/nvprof_flags.def"
#include "cli/flag_rows.h"

/* --- flags --- */

static void list_names(struct nvprof *p, enum nvprof_kind kind)
{
    const struct nvprof_name *n;
    struct device d;

    p->answered = true;
    if (!program_device(&d, p->device, &p->diags))
        return;
    printf("Available %s:\n                            Name   Description\nDevice 0 (%s):\n", kind == NVPROF_EVENT ? "Events" : "Metrics", d.name);
    for (int i = 0; (n = nvprof_name_at(i)); i++)
        if (n->kind == kind)
            printf("%32s:  %s\n\n", n->name, n->help);
}

static void add_list(struct nvprof *p, enum nvprof_kind kind, const char *value)
{
    p->list[kind] = p->list[kind] ? arena_printf(&p->diags.arena, "%s,%s", p->list[kind], value) : value;
}

static void set_print_flag(struct nvprof *p, int which)
{
    switch ((enum which_flag)which) {
    case FLAG_GPU_TRACE:
        p->gpu_trace = true;
        break;
    case FLAG_API_TRACE:
        p->api_trace = true;
        break;
    case FLAG_GPU_SUMMARY:
        p->gpu_summary = true;
        break;
    case FLAG_API_SUMMARY:
        p->api_summary = true;
        break;
    case FLAG_SUMMARY:
    case FLAG_SUMMARY_GPU:
        p->gpu_summary = p->api_summary = true;
        break;
    case FLAG_CSV:
        p->style.csv = true;
        break;
    case FLAG_QUERY_METRICS:
        list_names(p, NVPROF_METRIC);
        break;
    case FLAG_QUERY_EVENTS:
        list_names(p, NVPROF_EVENT);
        break;
    case FLAG_VERSION:
        puts("nvprof: NVIDIA (R) Cuda command line profiler\nHeddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used\n"
             "Release version 12.4");
        p->answered = true;
        break;
    case FLAG_FORCE:
        p->force = true;
        break;
    case FLAG_QUIET:
        p->quiet = true;
        break;
    default:
        break; /* accepted: help says why */
    }
}

static void set_flag(void *to, int which, const char *value)
{
    static const enum nvprof_unit units[] = {NVPROF_S, NVPROF_MS, NVPROF_US, NVPROF_NS, NVPROF_AUTO, NVPROF_AUTO};
    struct nvprof *p = to;
    const struct flag *row = &flags[which];

    switch ((enum which_flag)which) {
    case FLAG_METRICS:
        add_list(p, NVPROF_METRIC, value);
        break;
    case FLAG_EVENTS:
        add_list(p, NVPROF_EVENT, value);
        break;
    case FLAG_ANALYSIS:
        add_list(p, NVPROF_METRIC, "all");
        break;
    case FLAG_UNIT:
        p->style.unit = units[FLAGS_CHOICE(&p->diags, row, value, "s", "ms", "us", "ns", "col", "auto")];
        break;
    case FLAG_LOG:
        p->log_file = program_file_name(&p->diags.arena, value);
        break;
    case FLAG_EXPORT:
        p->export = program_file_name(&p->diags.arena, value);
        break;
    case FLAG_IMPORT:
        p->import = value;
        break;
    case FLAG_KERNELS:
        p->kernels = arena_printf(&p->diags.arena, "regex:%s", value);
        break;
    case FLAG_START:
        p->from_start = FLAGS_CHOICE(&p->diags, row, value, "on", "off") == 0;
        break;
    case FLAG_START_OFF:
        p->from_start = false;
        break;
    case FLAG_API:
        p->no_calls = FLAGS_CHOICE(&p->diags, row, value, "none", "runtime", "driver", "all") == 0;
        break;
    case FLAG_DEMANGLING:
        p->style.mangled = FLAGS_CHOICE(&p->diags, row, value, "on", "off") == 1;
        break;
    case FLAG_DEVICE:
        p->device = value;
        break;
    case FLAG_TIMED:
        setenv("HEDDLE_TIMED", "1", 1);
        break;
    default:
        set_print_flag(p, which);
    }
}

/* The names of a list; "all": those of the table. A name that nothing computes is told of once and stays: n/a. */
static void find_names(struct nvprof *p, enum nvprof_kind kind)
{
    const char *what = kind == NVPROF_EVENT ? "event" : "metric", **words;
    struct flag row = {.name = kind == NVPROF_EVENT ? "--events" : "--metrics", .value = "A,B"};
    const struct nvprof_name *known;
    int n = p->list[kind] ? flags_list(&p->diags, &row, p->list[kind], &words) : 0, all = 0, to = 0;

    while (nvprof_name_at(all))
        all++;
    p->names[kind] = ARENA_ARRAY(&p->diags.arena, const char *, (all + 1) * (n + 1));
    for (int i = 0; i < n; i++) {
        const struct metric *m = metric_find(words[i]);
        for (int k = 0; !strcmp(words[i], "all") && (known = nvprof_name_at(k)); k++)
            if (known->kind == kind)
                p->names[kind][to++] = known->name;
        if (!strcmp(words[i], "all"))
            continue;
        if (!m || !m->compute)
            diag_add(&p->diags, DIAG_WARNING, NULL, 0, "%s '%s' is not there: n/a; `nvprof --query-%ss` lists those that are", what, words[i], what);
        p->names[kind][to++] = words[i];
    }
    p->n[kind] = to;
}

/* --- reports --- */

static void add_tables(struct nvprof *p, const struct results *rs, struct strbuf *out)
{
    struct name_filter kernels;

    if (!name_filter_init(&kernels, p->kernels, "--kernels", &p->diags))
        return;
    for (int kind = NVPROF_EVENT; kind <= NVPROF_METRIC; kind++)
        if (p->n[kind]) {
            strbuf_adds(out, kind == NVPROF_METRIC && p->n[NVPROF_EVENT] ? "\n" : "");
            nvprof_table(rs, (enum nvprof_kind)kind, p->names[kind], p->n[kind], &kernels, &p->style, out);
        }
    name_filter_release(&kernels);
}

static void add_trace(struct nvprof *p, const struct trace *t, struct strbuf *out)
{
    bool asked = p->gpu_trace || p->api_trace || p->gpu_summary || p->api_summary;

    if (p->gpu_trace)
        nvprof_gpu_trace(t, &p->style, out);
    if (p->api_trace)
        nvprof_api_trace(t, &p->style, out);
    if (!asked || p->gpu_summary || p->api_summary)
        nvprof_summary(t, !asked || p->gpu_summary, (!asked && !p->no_calls) || p->api_summary, &p->style, out);
    nsys_say_times(t, "--timed", &p->diags);
}

static bool writes(const struct nvprof *p)
{
    return !p->export || p->gpu_trace || p->api_trace || p->gpu_summary || p->api_summary;
}

static void head(struct nvprof *p, struct strbuf *out)
{
    if (p->import || p->quiet) {
        strbuf_adds(out, p->quiet ? "" : "======== Profiling result:\n");
        return;
    }
    strbuf_addf(out, "==%lld== NVPROF is profiling process %lld, command: %s\n==%lld== Profiling application: %s\n", p->style.pid,
                p->style.pid, p->command.s, p->style.pid, p->command.s);
    if (writes(p))
        strbuf_addf(out, "==%lld== Profiling result:\n", p->style.pid);
}

static bool kept(struct nvprof *p, bool ok, struct strbuf *out)
{
    char path[PATH_MAX];

    if (ok)
        strbuf_addf(out, "==%lld== Generated result file: %s\n", p->style.pid, realpath(p->export, path) ? path : p->export);
    else
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot write '%s': %s", p->export, strerror(errno));
    return ok;
}

static bool report_trace(struct nvprof *p, const char *path)
{
    struct trace t;
    struct strbuf out;
    bool ok = trace_read(&t, path, &p->diags);

    strbuf_init(&out);
    p->style.pid = t.n ? t.event[0].pid : getpid();
    head(p, &out);
    if (ok && p->export) {
        FILE *f = fopen(p->export, "we");
        bool written = f && fputs(FILE_HEAD, f) != EOF;
        for (int i = 0; written && i < t.n; i++)
            written = trace_write(&t.event[i], f);
        ok = kept(p, f && fclose(f) == 0 && written, &out);
    }
    if (ok && writes(p))
        add_trace(p, &t, &out);
    ok = program_write_report(&out, p->log_file, stderr, &p->diags) && ok;
    strbuf_release(&out);
    trace_release(&t);
    return ok;
}

static bool report_results(struct nvprof *p, const char *path)
{
    struct results rs;
    struct strbuf out;
    bool ok = results_read(&rs, path, &p->diags);

    strbuf_init(&out);
    p->style.pid = rs.n ? rs.result[0]->pid : getpid();
    head(p, &out);
    if (ok && p->export) {
        FILE *f = fopen(p->export, "we");
        bool written = f && fputs(FILE_HEAD, f) != EOF;
        for (int i = 0; written && i < rs.n; i++)
            written = result_write(rs.result[i], f);
        ok = kept(p, f && fclose(f) == 0 && written, &out);
    }
    if (ok && writes(p) && rs.n)
        add_tables(p, &rs, &out);
    else if (ok && !rs.n)
        strbuf_adds(&out, "No events/metrics were profiled.\n");
    ok = program_write_report(&out, p->log_file, stderr, &p->diags) && ok;
    strbuf_release(&out);
    results_release(&rs);
    return ok;
}

static bool report_watched(void *user, const char *path)
{
    struct nvprof *p = user;

    return p->n[0] + p->n[1] ? report_results(p, path) : report_trace(p, path);
}

/* Which of the two a kept file is: traces name themselves in every line. */
static bool is_trace(const char *path)
{
    FILE *f = fopen(path, "re");
    char line[256];
    bool found = false;

    while (f && fgets(line, sizeof line, f) && !found)
        found = strstr(line, "\"heddle_trace\"") != NULL;
    if (f)
        fclose(f);
    return found;
}

/* --- running --- */

static int run(struct nvprof *p, int argc, char **argv)
{
    bool counted = p->n[0] + p->n[1] > 0;
    const char *exe = NULL;
    const struct program_variable more[] = {{"HEDDLE_DEVICE", p->device}, {"HEDDLE_RANGE", p->from_start ? NULL : "profiler"}, {0}};

    if (!argc)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "no program: nvprof PROGRAM [ARGS]");
    if (p->export && !p->force && access(p->export, F_OK) == 0)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'%s' is there already; -f writes over it", p->export);
    if (counted && p->gpu_trace)
        diag_add(&p->diags, DIAG_NOTE, NULL, 0, "metrics and events are of all launches of a kernel, not a row for each one");
    if (!p->diags.errors)
        exe = program_find_any(&p->compile, p->device, argv[0], &p->diags);
    if (!exe || p->diags.errors)
        return CLI_FAILED;
    for (int i = 0; i < argc; i++)
        strbuf_addf(&p->command, "%s%s", i ? " " : "", argv[i]);
    argv[0] = (char *)exe;
    return program_watch(&(struct program_watch){counted ? "results" : "trace", counted ? "HEDDLE_RESULTS" : "HEDDLE_TRACE", more, report_watched, p, 0,
                                                 "`nvprof -i FILE` reads it"},
                         exe, argv, &p->diags);
}

static int help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "nvprof [FLAGS] PROGRAM [ARGS]: Heddle answers in the place of NVIDIA's profiler; no NVIDIA software is used\n\n");
    flags_help(flags, FLAGS, &b);
    fputs(b.s, stdout);
    strbuf_release(&b);
    return CLI_OK;
}

int cli_nvprof(int argc, char **argv)
{
    struct nvprof p = {.style.unit = NVPROF_AUTO, .from_start = true};
    const struct flag_set set = {flags, FLAGS, "nvprof", "the program's own arguments come after its name", set_flag, &p, &p.diags};
    int status = CLI_OK, at;

    if (cli_wants_help(argc, argv))
        return help();
    compile_options_init(&p.compile);
    diag_init(&p.diags);
    strbuf_init(&p.command);
    at = flags_take(&set, NULL, argc, argv);
    if (p.import && !p.list[NVPROF_EVENT] && !p.list[NVPROF_METRIC])
        p.list[NVPROF_METRIC] = "all"; /* of a kept file: nobody knows any more what was asked for */
    find_names(&p, NVPROF_EVENT);
    find_names(&p, NVPROF_METRIC);
    if (p.diags.errors)
        status = CLI_USAGE;
    else if (p.import)
        (is_trace(p.import) ? report_trace : report_results)(&p, p.import);
    else if (!p.answered)
        status = run(&p, argc - at, argv + at);
    if (cli_print(&p.diags) && status == CLI_OK)
        status = CLI_FAILED;
    strbuf_release(&p.command);
    compile_options_release(&p.compile);
    return status;
}
