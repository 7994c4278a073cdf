/* `heddle compare`: launches of programs, of kernels, or on devices, side by side.
 *
 * In: .cu files, executables built by Heddle, or what `heddle profile -o` kept. Each program is run once for each device,
 * with its stdout on stderr. Out, on stdout: a table for each set of launches that belong together (report/compare.h). The
 * status is 1 when nothing can be compared or a program fails, 3 when a figure is worse than --fail-above allows. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/ci.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/launches.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "device/device.h"
#include "report/compare.h"

#define FLAG_ROWS "cli/compare_flags.def"
#include "cli/flag_rows.h"

/* What a program did on a device, or what a file has kept. */
struct source {
    const char *program, *device; /* device NULL: the default one, or a file's own */
    bool kept;
    const char *exe; /* unless kept */
    struct results rs;
};

struct comparing {
    struct compile_options compile;
    struct diag_list diags;
    const char *devices, *metrics; /* as given, or NULL */
    bool all, csv, json;
    enum name_base base;
    struct launch_filter chosen[COMPARE_MOST]; /* -k, --kernel-id */
    const char *said[COMPARE_MOST];            /* their values */
    int nchosen;
    const char *program[COMPARE_MOST];
    int programs;
    char **arguments; /* behind "--"; up to a NULL */
    struct source source[COMPARE_MOST];
    int sources;
    struct compare_column column[COMPARE_MOST];
    int columns;
    struct report_metrics shown;
    double allowed; /* --fail-above; below 0: not given */
    struct ci ci;
    bool worse; /* a figure, by more than is allowed */
};

/* --- words --- */

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b,
                "heddle compare [FLAGS] A B [-- ARGS]                two programs (or more)\n"
                "heddle compare [FLAGS] A -k ONE -k TWO [-- ARGS]    two kernels of a program\n"
                "heddle compare [FLAGS] A --device X,Y [-- ARGS]     a program on two GPUs\n\n"
                "What changed? Runs the programs, counts as `heddle profile` does, and puts the launches that belong together side\n"
                "by side: requests, sectors, bank conflicts, hit rates, bytes of DRAM, occupancy, the bound that the device sets.\n"
                "Only figures that differ are shown. Beside each stands its ratio to the first column: x2 twice as much, 1/16 a\n"
                "sixteenth, = the same; and how far it can be trusted: exact, exact for this code (it follows from the compiled\n"
                "code), or modelled (an estimate).\n\n"
                "A, B are .cu files, executables made by `heddle build`, or files of `heddle profile -o`. The n-th launch of a\n"
                "kernel is compared with the n-th of the same name; with -k or --kernel-id given several times, the n-th launches of\n"
                "each choice. ARGS go to every program; what programs print goes to stderr.\n\n"
                "  heddle compare examples/matmul_tiled.cu -k matmul_naive -k matmul_tiled\n"
                "  heddle compare examples/coalescing.cu -k offset_copy --device c2050,v100,a100\n"
                "  heddle profile -o before.json app.cu; ...; heddle compare before.json app.cu\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\nExit status: 0; 1: nothing can be compared, or a program fails; 3: a figure is worse than --fail-above allows.\n");
    strbuf_adds(&b, "\nFor .cu files also the flags of `heddle build`: -arch, -I, -D ...\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

static void choose(struct comparing *c, int which, const char *value)
{
    struct launch_filter *f = &c->chosen[c->nchosen];

    if (c->nchosen == COMPARE_MOST) {
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "flag '%s': at most %d columns", flags[which].name, COMPARE_MOST);
        return;
    }
    c->said[c->nchosen++] = value;
    *f = (struct launch_filter){.count = -1};
    if (which == FLAG_ID)
        launch_filter_id(f, value, &c->diags);
    else
        f->kernel = value;
}

/* "5%" or "5". */
static void allow(struct comparing *c, const char *value)
{
    char *end;

    c->allowed = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "%")) || !isfinite(c->allowed) || c->allowed < 0)
        flags_wrong(&c->diags, flags[FLAG_FAIL_ABOVE].name, value, "a number of percent from 0");
}

static void set_flag(void *to, int which, const char *value)
{
    struct comparing *c = to;

    switch ((enum which_flag)which) {
    case FLAG_DEVICE:
        c->devices = c->devices ? arena_printf(&c->diags.arena, "%s,%s", c->devices, value) : value;
        break;
    case FLAG_KERNEL:
    case FLAG_ID:
        choose(c, which, value);
        break;
    case FLAG_BASE:
        c->base = (enum name_base)FLAGS_CHOICE(&c->diags, &flags[which], value, "function", "demangled", "mangled");
        break;
    case FLAG_METRICS:
        c->metrics = c->metrics ? arena_printf(&c->diags.arena, "%s,%s", c->metrics, value) : value;
        break;
    case FLAG_FAIL_ABOVE:
        allow(c, value);
        break;
    case FLAG_JUNIT:
    case FLAG_ANNOTATE:
        ci_flag(&c->ci, &flags[which], value, &c->diags);
        break;
    case FLAG_ALL:
        c->all = true;
        break;
    case FLAG_CSV:
        c->csv = true;
        break;
    case FLAG_JSON:
        c->json = true;
    }
}

/* Flags may stand before and behind programs. */
static void take_words(struct comparing *c, int argc, char **argv)
{
    const struct flag_set set = {flags, FLAGS, "heddle compare", "the programs' own arguments come behind '--'", set_flag, c, &c->diags};
    static char *none[] = {NULL};
    int end = 0;

    while (end < argc && strcmp(argv[end], "--"))
        end++;
    c->arguments = end < argc ? argv + end + 1 : none;
    for (int i = 0; i < end; i++) {
        i += flags_take(&set, &c->compile, end - i, argv + i);
        if (i >= end)
            break;
        if (c->programs == COMPARE_MOST)
            diag_add(&c->diags, DIAG_ERROR, argv[i], 0, "at most %d programs", COMPARE_MOST);
        else
            c->program[c->programs++] = argv[i];
    }
    if (!c->programs && !c->diags.errors)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "no program: heddle compare A B, A -k ONE -k TWO, or A --device X,Y");
}

/* --- columns --- */

/* A file of `heddle profile -o` begins like this. */
static bool is_kept(const char *path)
{
    static const char begin[] = "{\"heddle_result\"";
    char text[sizeof begin] = "";
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof begin - 1, f) : 0;

    if (f)
        fclose(f);
    return n == sizeof begin - 1 && !memcmp(text, begin, n);
}

static void add_source(struct comparing *c, const char *program, const char *device, bool kept)
{
    if (c->sources < COMPARE_MOST)
        c->source[c->sources++] = (struct source){.program = program, .device = device, .kept = kept};
    else if (!c->diags.errors)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "at most %d columns: programs times devices", COMPARE_MOST);
}

/* Before anything runs: is there such a device, is the choice of kernels an expression? */
static void check_words(struct comparing *c, const char *const *device, int devices)
{
    struct launch_choice choice;
    struct device d;

    for (int i = 0; i < devices; i++)
        device_load(&d, device[i], &c->diags);
    for (int i = 0; i < c->nchosen; i++)
        if (launch_choice_init(&choice, &c->chosen[i], &c->diags))
            launch_choice_release(&choice);
}

static void plan_sources(struct comparing *c)
{
    const char **device = NULL;
    int devices = c->devices ? flags_list(&c->diags, &flags[FLAG_DEVICE], c->devices, &device) : 0;

    check_words(c, device, devices);
    for (int i = 0; i < c->programs && !c->diags.errors; i++) {
        bool kept = is_kept(c->program[i]);

        if (kept && c->devices)
            diag_add(&c->diags, DIAG_ERROR, NULL, 0, "'%s' has results of a device already: --device is for programs", c->program[i]);
        for (int d = 0; d < devices && !kept; d++)
            add_source(c, c->program[i], device[d], false);
        if (kept || !devices)
            add_source(c, c->program[i], NULL, kept);
    }
}

/* Several choices and several programs: one choice each. */
static bool choice_each(const struct comparing *c)
{
    return c->nchosen > 1 && c->programs > 1;
}

static void plan(struct comparing *c)
{
    plan_sources(c);
    if (c->diags.errors)
        return;
    if (choice_each(c) && c->nchosen != c->programs)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "%d choices of kernels for %d programs: one of each, or one for all", c->nchosen,
                 c->programs);
    else if (choice_each(c) && c->sources != c->programs)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "several programs, kernels and devices at once: two of these are the most");
    else if (c->nchosen > 1 && !choice_each(c) && c->sources * c->nchosen > COMPARE_MOST)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "at most %d columns: kernels times devices", COMPARE_MOST);
    else if (c->sources == 1 && c->nchosen < 2)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0,
                 "one program, one choice of kernels, one device: nothing to compare; name a second program, -k twice, or --device X,Y");
    if ((c->ci.junit || c->ci.annotate) && c->allowed < 0)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "'%s' is about figures that are worse: give --fail-above",
                 c->ci.junit ? "--junit" : "--annotate");
    if (c->csv && c->json)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "'--csv' and '--json': one of them");
}

static bool takes(struct launch_choice *choice, const struct result *r)
{
    const struct launch_id id = launch_id_of(r);

    return launch_choice_takes(choice, &id);
}

/* Every launch that the filter takes, in order. */
static void add_column(struct comparing *c, const struct source *s, const struct launch_filter *f, const char *said)
{
    struct compare_column *to = &c->column[c->columns++];
    struct launch_choice choice;

    *to = (struct compare_column){s->program, said, ARENA_ARRAY(&c->diags.arena, struct result *, s->rs.n + 1), 0};
    if (!launch_choice_init(&choice, f, &c->diags))
        return;
    for (int i = 0; i < s->rs.n; i++)
        if (takes(&choice, s->rs.result[i]))
            to->launch[to->n++] = s->rs.result[i];
    launch_choice_release(&choice);
}

static void make_columns(struct comparing *c)
{
    static const struct launch_filter every = LAUNCH_FILTER_ALL;

    for (int i = 0; i < c->nchosen; i++)
        c->chosen[i].base = c->base;
    for (int i = 0; i < c->sources; i++)
        if (!c->nchosen)
            add_column(c, &c->source[i], &every, NULL);
        else if (choice_each(c))
            add_column(c, &c->source[i], &c->chosen[i], c->said[i]);
        else
            for (int k = 0; k < c->nchosen; k++)
                add_column(c, &c->source[i], &c->chosen[k], c->said[k]);
}

/* --- running --- */

struct watched {
    struct comparing *c;
    struct source *s;
};

/* Calls of libraries have no counters to compare. */
static void leave_out_library_calls(struct results *rs)
{
    int n = 0;

    for (int i = 0; i < rs->n; i++)
        if (rs->result[i]->library)
            result_free(rs->result[i]);
        else
            rs->result[n++] = rs->result[i];
    rs->n = n;
}

static bool read_results(void *user, const char *path)
{
    const struct watched *w = user;

    results_read(&w->s->rs, path, &w->c->diags);
    leave_out_library_calls(&w->s->rs);
    return true; /* the report comes later, from memory */
}

static void run(struct comparing *c, struct source *s)
{
    const struct program_variable more[] = {{"HEDDLE_DEVICE", s->device}, {"HEDDLE_COLLECT", ""}, {0}};
    struct watched watched = {c, s};
    int n = 0, status;
    char **argv;

    while (c->arguments[n])
        n++;
    argv = ARENA_ARRAY(&c->diags.arena, char *, n + 2);
    argv[0] = (char *)s->exe;
    memcpy(argv + 1, c->arguments, (size_t)n * sizeof *argv);
    status = program_watch(&(struct program_watch){"results", "HEDDLE_RESULTS", more, read_results, &watched, STDERR_FILENO, NULL},
                           s->exe, argv, &c->diags);
    if (status)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "%s%s%s ended with status %d", s->program, s->device ? " on " : "",
                 s->device ? s->device : "", status);
}

static void read_kept(struct comparing *c, struct source *s)
{
    results_read(&s->rs, s->program, &c->diags);
    leave_out_library_calls(&s->rs);
    for (int i = 0; i < s->rs.n; i++)
        if (COUNTERS_EXACT & ~s->rs.result[i]->launch.collected) {
            diag_add(&c->diags, DIAG_ERROR, NULL, 0, "'%s' has only some figures: make it without --metrics and --section", s->program);
            return;
        }
}

/* All that can fail before anything runs: programs that are not there or do not compile, files that cannot be read. */
static bool prepare(struct comparing *c)
{
    for (int i = 0; i < c->sources && !c->diags.errors; i++) {
        struct source *s = &c->source[i];

        if (s->kept)
            read_kept(c, s);
        else
            s->exe = program_find(&c->compile, s->device, s->program, &c->diags);
    }
    return !c->diags.errors;
}

static void judge(struct comparing *c, const struct compare *result, const struct compare_options *o)
{
    struct verdicts v;

    if (c->allowed < 0)
        return;
    verdicts_init(&v);
    compare_judge(result, o, c->allowed, &v);
    c->worse = verdicts_count(&v, VERDICT_FAILED) > 0;
    ci_write(&c->ci, &v, "heddle compare", &c->diags);
    ci_tell(&c->ci, &v, "figures are no worse than allowed");
    verdicts_release(&v);
}

static void compare(struct comparing *c)
{
    const struct compare_options o = {&c->shown, c->all};
    struct compare result;
    struct strbuf text;
    int before;

    if (!prepare(c))
        return;
    for (int i = 0; i < c->sources; i++)
        if (!c->source[i].kept)
            run(c, &c->source[i]);
    before = c->diags.errors;
    make_columns(c);
    if (c->diags.errors > before || (before && c->columns < 2))
        return;
    for (int i = 0; before && i < c->columns; i++)
        if (!c->column[i].n)
            return; /* it failed before its first launch: that was said */
    if (!compare_init(&result, c->column, c->columns, c->nchosen > 1, &c->diags.arena, &c->diags))
        return;
    strbuf_init(&text);
    (c->json ? compare_json : c->csv ? compare_csv : compare_text)(&result, &o, &text);
    program_write_report(&text, NULL, stdout, &c->diags);
    fflush(stdout);
    judge(c, &result, &o);
    strbuf_release(&text);
}

int cli_compare(int argc, char **argv)
{
    struct comparing c = {.allowed = -1};
    bool failed;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    compile_options_init(&c.compile);
    diag_init(&c.diags);
    take_words(&c, argc, argv);
    if (c.metrics)
        report_metrics_parse(&c.shown, c.metrics, &c.compile.arena, &c.diags);
    if (!c.diags.errors)
        plan(&c);
    if (!c.diags.errors)
        compare(&c);
    fflush(stdout);
    for (int i = 0; i < c.sources; i++)
        results_release(&c.source[i].rs);
    failed = cli_print(&c.diags);
    compile_options_release(&c.compile);
    return failed ? CLI_FAILED : c.worse ? CLI_UNMET : CLI_OK;
}
