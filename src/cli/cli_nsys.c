/* `nsys profile`, `nsys stats` and `nsys export`, under the name of NVIDIA's tool: what a program did and when, by the host's clock, or with
 * --timed in device time.
 *
 * The program runs as a child with HEDDLE_TRACE set (runtime/trace.h). NAME.nsys-rep is a trace as docs/trace.md tells, with a
 * first line that says so: NVIDIA's tools cannot read it, and this one cannot read theirs. */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <fcntl.h>
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
#include "cli/nsys_reports.h"
#include "cli/nsys_sqlite.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "heddle.h"
#include "report/trace.h"

#define FILE_HEAD "# Heddle's report, not NVIDIA's format: lines of JSON (docs/trace.md), read by Heddle's `nsys stats`\n"

enum { SELECTED = 64 };

struct nsys {
    struct compile_options compile;
    struct diag_list diags;
    const char *output, *device, *nvtx, *range;
    bool force, stats, quiet, hidden, listed, database;
    const char *wanted[SELECTED]; /* reports by name */
    int nwanted;
    enum nsys_format format;
    bool format_given;
};

bool nsys_truth(struct diag_list *diags, const struct flag *row, const char *value)
{
    return FLAGS_CHOICE(diags, row, value, "true", "false", "yes", "no", "1", "0") % 2 == 0;
}

bool nsys_may_write(const char *path, bool force, struct diag_list *diags)
{
    if (force || access(path, F_OK))
        return true;
    diag_add(diags, DIAG_ERROR, NULL, 0, "'%s' is there already; --force-overwrite true writes over it", path);
    return false;
}

void nsys_say_times(const struct trace *t, const char *flag, struct diag_list *diags)
{
    if (t->modelled)
        diag_add(diags, DIAG_NOTE, NULL, 0, "times are modelled, with figures of the device's description (docs/device-time.md)");
    else
        diag_add(diags, DIAG_NOTE, NULL, 0, "times are the host's, not a GPU's: %s has those of the GPU, modelled", flag);
}

/* "report.nsys-rep", and without a name the first reportN.nsys-rep that is not there. */
static const char *report_name(struct nsys *n)
{
    const char *name = program_file_name(&n->diags.arena, n->output);
    size_t len = name ? strlen(name) : 0;

    for (int i = 1; !name; i++) {
        const char *next = arena_printf(&n->diags.arena, "report%d.nsys-rep", i);
        if (n->force || access(next, F_OK))
            return next;
    }
    return len > 9 && !strcmp(name + len - 9, ".nsys-rep") ? name : arena_printf(&n->diags.arena, "%s.nsys-rep", name);
}

/* --- reports --- */

static void want(struct nsys *n, const char *names)
{
    struct flag row = {.name = "--report", .value = "NAME[,NAME]"};
    const char **words;
    int count = flags_list(&n->diags, &row, names, &words);

    for (int i = 0; i < count && n->nwanted < SELECTED; i++)
        if (nsys_report_find(words[i]))
            n->wanted[n->nwanted++] = words[i];
        else
            diag_add(&n->diags, DIAG_ERROR, NULL, 0, "there is no report '%s'; `nsys stats --help-reports` lists them", words[i]);
}

static void list_reports(struct nsys *n)
{
    puts("The following reports are there (as nsys calls them):\n");
    for (int i = 0; nsys_report_at(i); i++)
        printf("  %s[:base|:mangled] -- %s\n", nsys_report_at(i)->name, nsys_report_at(i)->title);
    n->listed = true;
}

static enum trace_names names_of(const char *wanted)
{
    const char *how = strchr(wanted, ':');

    return how && !strcmp(how, ":base") ? TRACE_NAMES_BASE : how && !strcmp(how, ":mangled") ? TRACE_NAMES_MANGLED : TRACE_NAMES_NSYS;
}

/* To a file of its own: "out_cuda_gpu_kern_sum.csv", with ":" as "_". */
static void to_file(struct nsys *n, const char *wanted, const struct strbuf *text, struct strbuf *said)
{
    char *path = arena_printf(&n->diags.arena, "%s_%s.%s", n->output, wanted, n->format == NSYS_CSV ? "csv" : n->format == NSYS_TSV ? "tsv" : "txt");

    for (char *c = path + strlen(n->output); *c; c++)
        *c = *c == ':' ? '_' : *c;
    if (nsys_may_write(path, n->force, &n->diags) && program_write_report(text, path, NULL, &n->diags))
        strbuf_addf(said, "to [%s]... \n", path);
}

static void add_report(struct nsys *n, const struct trace *t, const char *wanted, const char *path, int i, int of, struct strbuf *out)
{
    const struct nsys_report *r = nsys_report_find(wanted);
    bool people = n->format == NSYS_COLUMN || n->format == NSYS_TABLE, file = n->output && strcmp(n->output, "-") && !of, there;
    struct strbuf text;

    strbuf_init(&text);
    there = nsys_report_add(r, t, names_of(wanted), n->format, &text);
    if (of)
        strbuf_addf(out, "[%d/%d] Executing '%s' stats report\n", i + 1, of, r->name);
    else if (!n->quiet)
        strbuf_addf(out, "Processing [%s] with [%s]... %s", path, r->name, file && there ? "" : "\n");
    if (!there) {
        strbuf_addf(out, "SKIPPED: %s does not contain %s data.\n%s", path, r->title, of ? "" : "\n");
    } else if (file) {
        to_file(n, wanted, &text, out);
    } else {
        if (people && of)
            strbuf_adds(out, "\n");
        else if (people)
            strbuf_addf(out, "\n ** %s (%s):\n\n", r->title, r->name);
        strbuf_add(out, text.s, text.len);
        strbuf_adds(out, people ? "\n" : "");
    }
    strbuf_release(&text);
}

/* All that were asked for, else the default ones. `of`: in the form of --stats=true, 0: of `nsys stats`. */
static void add_reports(struct nsys *n, const struct trace *t, const char *path, bool numbered, struct strbuf *out)
{
    if (!n->nwanted)
        for (int i = 0; nsys_report_at(i); i++)
            if (nsys_report_at(i)->listed)
                n->wanted[n->nwanted++] = nsys_report_at(i)->name;
    for (int i = 0; i < n->nwanted; i++)
        add_report(n, t, n->wanted[i], path, i, numbered ? n->nwanted : 0, out);
}

/* --- nsys profile --- */

struct watched {
    struct nsys *n;
    const char *name;
};

static bool write_trace(const struct trace *t, const char *name, struct diag_list *diags)
{
    FILE *f = fopen(name, "we");
    bool ok = f && fputs(FILE_HEAD, f) != EOF;

    for (int i = 0; ok && i < t->n; i++)
        ok = trace_write(&t->event[i], f);
    if (f)
        ok &= fclose(f) == 0;
    if (!ok)
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot write the report '%s': %s", name, strerror(errno));
    return ok;
}

static bool report_watched(void *user, const char *path)
{
    const struct watched *w = user;
    struct trace t;
    struct strbuf out;
    char full[PATH_MAX];
    bool ok = trace_read(&t, path, &w->n->diags) && write_trace(&t, w->name, &w->n->diags);

    strbuf_init(&out);
    if (ok) {
        if (!t.n)
            diag_add(&w->n->diags, DIAG_WARNING, NULL, 0, "nothing was traced: the program used no device");
        if (w->n->stats)
            add_reports(w->n, &t, w->name, true, &out);
        strbuf_addf(&out, "Generated:\n    %s\n", realpath(w->name, full) ? full : w->name);
        const char *database = nsys_sqlite_name(w->name, &w->n->diags.arena);
        if (w->n->database && nsys_sqlite_write(&t, database, w->n->force, &w->n->diags))
            strbuf_addf(&out, "    %s\n", realpath(database, full) ? full : database);
        fputs(out.s, stdout);
        nsys_say_times(&t, "--timed=true", &w->n->diags);
    }
    strbuf_release(&out);
    trace_release(&t);
    return ok;
}

#define FLAG_ROWS "cli/nsys_flags.def"
#include "cli/flag_rows.h"

static void set_flag(void *to, int which, const char *value)
{
    struct nsys *n = to;

    switch ((enum which_flag)which) {
    case FLAG_OUTPUT:
        n->output = value;
        break;
    case FLAG_FORCE:
        n->force = nsys_truth(&n->diags, &flags[which], value);
        break;
    case FLAG_STATS:
        n->stats = nsys_truth(&n->diags, &flags[which], value);
        break;
    case FLAG_SHOW:
        n->hidden = !nsys_truth(&n->diags, &flags[which], value);
        break;
    case FLAG_TIMED:
        setenv("HEDDLE_TIMED", nsys_truth(&n->diags, &flags[which], value) ? "1" : "0", 1);
        break;
    case FLAG_EXPORT:
        n->database = FLAGS_CHOICE(&n->diags, &flags[which], value, "sqlite", "none") == 0;
        break;
    case FLAG_RANGE:
        n->range = value;
        FLAGS_CHOICE(&n->diags, &flags[which], value, "none", "cudaProfilerApi", "nvtx");
        break;
    case FLAG_NVTX:
        n->nvtx = value;
        break;
    case FLAG_ENV: {
        const char **words;
        int count = flags_list(&n->diags, &flags[which], value, &words);
        for (int i = 0; i < count; i++) {
            const char *is = strchr(words[i], '=');
            if (is)
                setenv(arena_strndup(&n->diags.arena, words[i], (size_t)(is - words[i])), is + 1, 1);
            else
                flags_wrong(&n->diags, flags[which].name, words[i], "NAME=VALUE");
        }
        break;
    }
    case FLAG_DEVICE:
        n->device = value;
        break;
    case FLAG_TRACE:
        break;
    }
}

/* HEDDLE_RANGE for --capture-range. */
static const char *range_words(struct nsys *n)
{
    if (!n->range || !strcmp(n->range, "none"))
        return NULL;
    if (!strcmp(n->range, "cudaProfilerApi"))
        return "profiler";
    if (!n->nvtx)
        diag_add(&n->diags, DIAG_ERROR, NULL, 0, "'--capture-range=nvtx' needs '--nvtx-capture NAME'");
    return arena_printf(&n->diags.arena, "push:%.*s", (int)strcspn(n->nvtx ? n->nvtx : "", "@"), n->nvtx ? n->nvtx : "");
}

static int profile(struct nsys *n, int argc, char **argv)
{
    const struct flag_set set = {flags, FLAGS, "nsys profile", "the program's own arguments come after its name", set_flag, n, &n->diags};
    int at = flags_take(&set, NULL, argc, argv), nowhere = 0, status;
    const char *range = range_words(n), *exe = NULL;
    struct watched w = {n, report_name(n)};

    if (at == argc && !n->diags.errors)
        diag_add(&n->diags, DIAG_ERROR, NULL, 0, "no program: nsys profile PROGRAM [ARGS]");
    nsys_may_write(w.name, n->force, &n->diags);
    if (!n->diags.errors)
        exe = program_find_any(&n->compile, n->device, argv[at], &n->diags);
    if (!exe || n->diags.errors)
        return CLI_FAILED;
    if (n->hidden && (nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0) {
        diag_add(&n->diags, DIAG_ERROR, NULL, 0, "cannot open /dev/null: %s", strerror(errno));
        return CLI_FAILED;
    }
    argv[at] = (char *)exe;
    const struct program_variable more[] = {{"HEDDLE_DEVICE", n->device}, {"HEDDLE_RANGE", range}, {0}};
    status = program_watch(&(struct program_watch){"trace", "HEDDLE_TRACE", more, report_watched, &w, nowhere, "`nsys stats FILE` reads it"},
                           exe, argv + at, &n->diags);
    if (nowhere)
        close(nowhere);
    return status;
}

/* --- nsys stats --- */

enum which_stats {
#define FLAG(id, full, brief, value, help) STATS_##id,
#define IDLE(full, brief, value, why)
#include "cli/nsys_stats_flags.def"
#undef FLAG
#undef IDLE
};

static const struct flag stats_flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help, NULL},
#define IDLE(full, brief, value, why) {full, brief, value, NULL, why},
#include "cli/nsys_stats_flags.def"
#undef FLAG
#undef IDLE
};
enum { STATS_FLAGS = sizeof stats_flags / sizeof *stats_flags };

static void set_stats_flag(void *to, int which, const char *value)
{
    struct nsys *n = to;

    switch ((enum which_stats)which) {
    case STATS_REPORT:
        want(n, value);
        break;
    case STATS_FORMAT:
        n->format = (enum nsys_format)FLAGS_CHOICE(&n->diags, &stats_flags[which], value, "column", "table", "csv", "tsv");
        n->format_given = true;
        break;
    case STATS_OUTPUT:
        n->output = value;
        break;
    case STATS_FORCE:
        n->force = nsys_truth(&n->diags, &stats_flags[which], value);
        break;
    case STATS_HELP_REPORTS:
        list_reports(n);
        break;
    case STATS_QUIET:
        n->quiet = true;
        break;
    }
}

/* Flags may stand before and behind the file. */
static int stats(struct nsys *n, int argc, char **argv)
{
    const struct flag_set set = {stats_flags, STATS_FLAGS, "nsys stats", NULL, set_stats_flag, n, &n->diags};
    const char *file = NULL;
    struct strbuf out;
    struct trace t = {0};

    for (int i = flags_take(&set, NULL, argc, argv); i < argc && !n->diags.errors; i += 1 + flags_take(&set, NULL, argc - i - 1, argv + i + 1)) {
        if (file)
            diag_add(&n->diags, DIAG_ERROR, NULL, 0, "one report at a time: '%s' and '%s'", file, argv[i]);
        file = argv[i];
    }
    if (n->listed && !n->diags.errors)
        return CLI_OK;
    if (!file && !n->diags.errors)
        diag_add(&n->diags, DIAG_ERROR, NULL, 0, "no report: nsys stats FILE.nsys-rep");
    n->format = n->output && strcmp(n->output, "-") && !n->format_given ? NSYS_CSV : n->format;
    strbuf_init(&out);
    if (!n->diags.errors && trace_read(&t, file, &n->diags)) {
        add_reports(n, &t, file, false, &out);
        fputs(out.s ? out.s : "", stdout);
        nsys_say_times(&t, "nsys profile --timed=true", &n->diags);
    }
    strbuf_release(&out);
    trace_release(&t);
    return n->diags.errors ? CLI_FAILED : CLI_OK;
}

/* --- nsys --- */

static int help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "nsys: Heddle answers in the place of NVIDIA's Nsight Systems; no NVIDIA software is used\n\n"
                    "  nsys profile [FLAGS] PROGRAM [ARGS]   run a program and keep what it did and when, by the host's clock\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\n  nsys stats [FLAGS] FILE.nsys-rep       summaries and lists of it\n");
    flags_help(stats_flags, STATS_FLAGS, &b);
    strbuf_adds(&b, "\n  nsys export [FLAGS] FILE.nsys-rep      the same as a database of SQLite\n");
    nsys_export_help(&b);
    strbuf_adds(&b, "\n  nsys nvprof ...                       nvprof\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
    return CLI_OK;
}

int cli_nsys(int argc, char **argv)
{
    struct nsys n = {0};
    int status = CLI_USAGE;

    if (!argc || cli_wants_help(argc, argv) || (argc > 1 && cli_wants_help(argc - 1, argv + 1)))
        return help();
    if (!strcmp(argv[0], "--version") || !strcmp(argv[0], "-v")) {
        puts("NVIDIA Nsight Systems version 2024.1.1: in its place Heddle " HEDDLE_VERSION "; no NVIDIA software is used");
        return CLI_OK;
    }
    if (!strcmp(argv[0], "nvprof"))
        return cli_nvprof(argc - 1, argv + 1);
    compile_options_init(&n.compile);
    diag_init(&n.diags);
    if (!strcmp(argv[0], "profile"))
        status = profile(&n, argc - 1, argv + 1);
    else if (!strcmp(argv[0], "stats"))
        status = stats(&n, argc - 1, argv + 1);
    else if (!strcmp(argv[0], "export"))
        status = nsys_export(argc - 1, argv + 1, &n.diags);
    else
        diag_add(&n.diags, DIAG_ERROR, NULL, 0, "nsys has no '%s' here: profile, stats, export and nvprof are there", argv[0]);
    if (cli_print(&n.diags) && status == CLI_OK)
        status = CLI_FAILED;
    compile_options_release(&n.compile);
    return status;
}
