/* `heddle check [FLAGS] PROGRAM [ARGS]`: runs a program and reports what its kernels do wrong.
 *
 * The program runs as a child with HEDDLE_CHECK, HEDDLE_CHECK_KERNELS and HEDDLE_FINDINGS set: its
 * stdin and stdout are untouched. The report goes to stderr or the file of --log-file. Flags and
 * the form of the report are compute-sanitizer's where it has them. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "cli/ci.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/host_frames.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "compile/words.h"
#include "heddle.h"
#include "report/findings.h"
#include "report/findings_xml.h"
#include "report/names.h"
#include "report/sarif.h"

struct checking {
    struct compile_options compile;
    struct diag_list diags;
    const char *tools, *device, *log_file, *json, *sarif, *save, *suppressions, *prefix;
    struct strbuf words;   /* HEDDLE_CHECK: tools and settings */
    struct strbuf kernels; /* HEDDLE_CHECK_KERNELS: a line for each rule, "+" or "-" before it */
    struct name_rules rules;
    struct suppressions *suppressed;
    long exit_code, limit, cases;
    int level;       /* print from this severity on: enum print_level */
    bool as_sanitizer, inlined, leaks;
    bool pairs;      /* of races only which lines race */
    bool go_on;      /* behind a launch with bad accesses */
    bool errors;     /* among the findings */
    bool answered;   /* by a flag that asks for a text */
    const char *title; /* the report's first line */
    struct ci ci;
};

enum print_level { LEVEL_INFO, LEVEL_WARN, LEVEL_ERROR, LEVEL_FATAL };

enum which_flag {
#define FLAG(id, full, brief, value, help) FLAG_##id,
#include "cli/check_flags.def"
#undef FLAG
    FLAGS
};

static const struct flag flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help, NULL},
#include "cli/check_flags.def"
#undef FLAG
#define OTHER(full, value, taken, why) {full, NULL, value, why, NULL},
#define NOTED(full, value, why) {full, NULL, value, NULL, why},
#include "cli/check_others.def"
#undef OTHER
#undef NOTED
};
enum { ALL_FLAGS = sizeof flags / sizeof flags[0] };

static const bool taken[] = { /* of the others, from FLAGS on */
#define OTHER(full, value, taken, why) taken,
#define NOTED(full, value, why)
#include "cli/check_others.def"
#undef OTHER
#undef NOTED
};

static void print_help(bool as_sanitizer)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "heddle check [FLAGS] PROGRAM [ARGS]: run a CUDA program and report what it does wrong\n\n"
                    "  memcheck   accesses outside of allocations, misaligned or after free; failing calls; leaks\n"
                    "  initcheck  reads of memory that nobody has written\n"
                    "  synccheck  barriers that not all threads reach, wrong masks, deadlocks\n"
                    "  racecheck  shared memory that threads use without a barrier between\n\n"
                    "Begin with `heddle check PROGRAM`. PROGRAM is a .cu file or an executable made by `heddle build`;\n"
                    "no GPU is needed, and the findings are the same in every run. The flags are compute-sanitizer's.\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D, --device-ptx FILE, ...\n"
                    "Exit status: the program's own, or --error-exitcode when there are errors.\n");
    if (as_sanitizer)
        strbuf_adds(
            &b,
            "Under the name compute-sanitizer: --tool memcheck, --error-exitcode 0, --cases 100,\n"
            "--destroy-on-device-error context, --racecheck-report analysis; the report goes to "
            "stdout, and the\n"
            "program's own failure comes before --error-exitcode.\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

static void check_tools(struct checking *c, const char *value)
{
    for (const char *at = value; *at;) {
        size_t n = strcspn(at, ",");

        if (!check_tool_named(at, n))
            flags_wrong(&c->diags, "--tool", value, flags[FLAG_TOOL].value);
        at += at[n] ? n + 1 : n;
    }
    c->tools = value;
}

static bool tools_have(const char *tools, const char *name)
{
    for (const char *at = tools; *at;) {
        size_t n = strcspn(at, ",");

        if ((n == 3 && !strncmp(at, "all", n)) || (n == strlen(name) && !strncmp(at, name, n)))
            return true;
        at += at[n] ? n + 1 : n;
    }
    return false;
}

/* A setting of HEDDLE_CHECK. */
static void word(struct checking *c, const char *fmt, ...)
{
    va_list ap;

    strbuf_adds(&c->words, ",");
    va_start(ap, fmt);
    strbuf_addv(&c->words, fmt, ap);
    va_end(ap);
}

static void kernel_rule(struct checking *c, int which, const char *value)
{
    bool exclude = which == FLAG_KERNEL_NOT;

    name_rules_add(&c->rules, value, exclude, flags[which].name, &c->diags);
    strbuf_addf(&c->kernels, "%c%s\n", exclude ? '-' : '+', value);
}

/* A rule as cuda-memcheck and older compute-sanitizers spell it. */
static void older_rule(struct checking *c, int which, const char *value)
{
    static const char *const spellings[][2] = {
        {"kns=", "kns="}, {"kne=", "kne="}, {"kre=", "regex="}, {"regex=", "regex="},
        {"kernel_substring=", "kns="}, {"kns:", "kns="}, {"kernel_name=", "kne="}, {"kne:", "kne="},
    };
    bool exclude = which == FLAG_REGEX_NOT || which == FLAG_FILTER_NOT;

    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        size_t n = strlen(spellings[i][0]);
        if (!strncmp(value, spellings[i][0], n)) {
            kernel_rule(c, exclude ? FLAG_KERNEL_NOT : FLAG_KERNEL, arena_printf(&c->diags.arena, "%s%s", spellings[i][1], value + n));
            return;
        }
    }
    flags_wrong(&c->diags, flags[which].name, value, flags[which].value);
}

/* Values whose wrongness flags_choice tells. */
static void choose(struct checking *c, int which, const char *value)
{
    const struct flag *row = &flags[which];
    static const char *const api[] = {"all", "explicit", "no"};
    int n;

    switch ((enum which_flag)which) {
    case FLAG_LEAKS:
        c->leaks = !FLAGS_CHOICE(&c->diags, row, value, "full", "no");
        break;
    case FLAG_API:
        word(c, "api=%s", api[FLAGS_CHOICE(&c->diags, row, value, "all", "explicit", "no")]);
        break;
    case FLAG_UNUSED:
        if (!value || !FLAGS_CHOICE(&c->diags, row, value, "yes", "no"))
            word(c, "unused");
        break;
    case FLAG_BACKTRACE:
        n = FLAGS_CHOICE(&c->diags, row, value, "yes", "no", "host", "device");
        c->inlined = n == 0 || n == 3;
        if (n == 1 || n == 3)
            word(c, "no-backtraces");
        break;
    case FLAG_LEVEL:
        c->level = FLAGS_CHOICE(&c->diags, row, value, "info", "warn", "error", "fatal");
        break;
    case FLAG_DESTROY:
        c->go_on = FLAGS_CHOICE(&c->diags, row, value, "context", "kernel");
        break;
    case FLAG_RACES:
        c->pairs = FLAGS_CHOICE(&c->diags, row, value, "all", "hazard", "analysis") == 2;
        break;
    default:
        break;
    }
}

/* A flag of compute-sanitizer that has no use here. */
static void other_flag(struct checking *c, int which)
{
    if (!taken[which - FLAGS])
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "compute-sanitizer's '%s' is not there: %s",
                 flags[which].name, flags[which].help);
}

static void set_flag(void *to, int which, const char *value)
{
    struct checking *c = to;

    if (which >= FLAGS) {
        other_flag(c, which);
        return;
    }
    switch ((enum which_flag)which) {
    case FLAG_TOOL:
        check_tools(c, value);
        break;
    case FLAG_DEVICE:
        c->device = value;
        break;
    case FLAG_EXIT:
        c->exit_code = flags_count(&c->diags, flags[which].name, value);
        break;
    case FLAG_LIMIT:
        c->limit = flags_count(&c->diags, flags[which].name, value);
        break;
    case FLAG_CASES:
        c->cases = flags_count(&c->diags, flags[which].name, value);
        break;
    case FLAG_PADDING:
        word(c, "padding=%ld", flags_count(&c->diags, flags[which].name, value));
        break;
    case FLAG_SKIP:
        word(c, "skip=%ld", flags_count(&c->diags, flags[which].name, value));
        break;
    case FLAG_COUNT:
        word(c, "count=%ld", flags_count(&c->diags, flags[which].name, value));
        break;
    case FLAG_LOG:
        c->log_file = value;
        break;
    case FLAG_JSON:
        c->json = value;
        break;
    case FLAG_SARIF:
        c->sarif = value;
        break;
    case FLAG_JUNIT:
    case FLAG_ANNOTATE:
        ci_flag(&c->ci, &flags[which], value, &c->diags);
        break;
    case FLAG_SAVE:
        c->save = value;
        break;
    case FLAG_SUPPRESSIONS:
        c->suppressions = value;
        break;
    case FLAG_KERNEL:
    case FLAG_KERNEL_NOT:
        kernel_rule(c, which, value);
        break;
    case FLAG_PREFIX:
        c->prefix = value;
        break;
    case FLAG_REGEX:
    case FLAG_REGEX_NOT:
    case FLAG_FILTER:
    case FLAG_FILTER_NOT:
        older_rule(c, which, value);
        break;
    case FLAG_VERSION:
        puts(!c->as_sanitizer ? "heddle " HEDDLE_VERSION : "NVIDIA (R) Compute Sanitizer\nHeddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used\nVersion 2024.1.0.0 (Heddle)");
        c->answered = true;
        break;
    default:
        choose(c, which, value);
    }
}

/* --- the report --- */

struct sums {
    int64_t errors, warnings, hidden, leaks, leaked;
    int64_t hazards, shown; /* shown: cases told apart */
};

static bool is_error(const struct finding *f)
{
    return !strcmp(f->severity, "error");
}

/* Takes out what is suppressed. */
static void suppress(const struct checking *c, struct findings *fs)
{
    int n = 0;

    for (int i = 0; i < fs->n; i++)
        if (suppressions_match(c->suppressed, fs->finding[i]))
            finding_free(fs->finding[i]);
        else
            fs->finding[n++] = fs->finding[i];
    fs->n = n;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* In the words that scripts look for. Alone, racecheck counts hazards. */
static void summary(const struct checking *c, const struct sums *s, struct strbuf *out)
{
    if (c->leaks)
        strbuf_addf(out, "%s LEAK SUMMARY: %" PRId64 " bytes leaked in %" PRId64 " allocations\n",
                    c->prefix, s->leaked, s->leaks);
    if (!strcmp(c->tools, "racecheck")) {
        strbuf_addf(out,
                    "%s RACECHECK SUMMARY: %" PRId64 " hazard%s displayed (%" PRId64
                    " error%s, %" PRId64 " warning%s)\n",
                    c->prefix, s->shown, plural(s->shown), s->errors, plural(s->errors),
                    s->warnings, plural(s->warnings));
        return;
    }
    strbuf_addf(out, "%s ERROR SUMMARY: %" PRId64 " error%s", c->prefix, s->errors, plural(s->errors));
    if (s->warnings)
        strbuf_addf(out, ", %" PRId64 " warning%s", s->warnings, plural(s->warnings));
    strbuf_adds(out, "\n");
    if (s->hidden)
        strbuf_addf(out, "%s ERROR SUMMARY: %" PRId64 " error%s were not printed. Use --print-limit option to adjust the "
                         "number of printed errors\n", c->prefix, s->hidden, plural(s->hidden));
}

/* How many cases of a finding are printed. For a user of compute-sanitizer the limit counts every one of them, for ours
 * the finding with all its cases counts as one. */
static int64_t cases_to_show(const struct checking *c, const struct finding *f, const struct sums *s, int findings)
{
    bool once = c->pairs && !strcmp(f->tool, "racecheck");
    int64_t most = once ? 1 : f->ncases < c->cases ? f->ncases : c->cases;

    if (c->level > (is_error(f) ? LEVEL_ERROR : LEVEL_WARN))
        return 0;
    if (!c->limit)
        return most;
    if (!c->as_sanitizer)
        return findings < c->limit ? most : 0;
    return most < c->limit - s->shown ? most : c->limit - s->shown;
}

static struct sums write_text(struct checking *c, const struct findings *fs, struct strbuf *out)
{
    struct sums s = {0};
    struct sources sources;
    struct finding_form form = {c->prefix, 0, c->inlined, !c->as_sanitizer, c->pairs, &sources};
    int findings = 0;

    sources_init(&sources);
    strbuf_addf(out, "%s %s\n", c->prefix, c->title);
    for (int i = 0; i < fs->n; i++) {
        const struct finding *f = fs->finding[i];
        int64_t show = cases_to_show(c, f, &s, findings);

        *(is_error(f) ? &s.errors : &s.warnings) += f->count;
        if (!strcmp(f->kind, "leak")) {
            s.leaks += f->count;
            s.leaked += f->bytes * f->count;
        }
        s.hidden += !show || c->as_sanitizer ? f->count - show : 0;
        form.most = (int)show;
        if (show)
            finding_text(f, &form, out);
        s.shown += show;
        findings += show > 0;
    }
    summary(c, &s, out);
    sources_release(&sources);
    return s;
}

static bool write_json(const struct findings *fs, FILE *file)
{
    bool ok = true;

    for (int i = 0; ok && i < fs->n; i++)
        ok = finding_write(fs->finding[i], file);
    return ok;
}

static bool write_sarif(const struct findings *fs, FILE *file)
{
    return sarif_write(fs, HEDDLE_VERSION, file);
}

static void keep(struct checking *c, const char *path,
                 bool (*write)(const struct findings *fs, FILE *file), const struct findings *fs)
{
    FILE *f = path ? fopen(path, "we") : NULL;
    bool ok;

    if (!path)
        return;
    ok = f && write(fs, f);
    if (f)
        ok &= fclose(f) == 0;
    if (!ok)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot write '%s': %s", path, strerror(errno));
}

/* A case for each finding, and for each tool that finds no error. */
static void judge(struct checking *c, const struct findings *fs)
{
    struct verdicts v;

    if (!c->ci.junit && !c->ci.annotate)
        return;
    verdicts_init(&v);
    findings_judge(fs, &v);
    for (unsigned tool = 1; tool <= CHECK_ALL; tool <<= 1) {
        const char *name = check_tool_name((enum check_tool)tool);
        bool clean = tools_have(c->tools, name);

        for (int i = 0; i < fs->n; i++)
            clean &= strcmp(fs->finding[i]->tool, name) || !is_error(fs->finding[i]);
        if (clean)
            verdicts_add(&v, &(struct verdict){.outcome = VERDICT_PASSED, .group = "heddle check", .name = name});
    }
    ci_write(&c->ci, &v, "heddle check", &c->diags);
    verdicts_release(&v);
}

static bool report(void *user, const char *path)
{
    struct checking *c = user;
    struct findings fs;
    struct strbuf text;
    struct sums s = {0};
    bool readable;
    int errors;

    strbuf_init(&text);
    readable = findings_read(&fs, path, &c->diags);
    errors = c->diags.errors;
    if (readable) {
        host_frames_resolve(&fs);
        if (c->suppressed)
            suppress(c, &fs);
        if (!c->as_sanitizer)
            findings_join(&fs);
        s = write_text(c, &fs, &text);
        program_write_report(&text, c->log_file, c->as_sanitizer ? stdout : stderr, &c->diags);
        keep(c, c->json, write_json, &fs);
        keep(c, c->sarif, write_sarif, &fs);
        keep(c, c->save, findings_write_xml, &fs);
        judge(c, &fs);
    }
    findings_release(&fs);
    strbuf_release(&text);
    c->errors = s.errors > 0;
    return c->diags.errors == errors;
}

/* Runs `exe` and reports; the exit status to end with. */
static int check(struct checking *c, const char *exe, char **argv)
{
    const char *words = arena_printf(&c->diags.arena, "%s%s%s%s", c->tools, c->leaks ? ",leaks" : "",
                                     c->go_on ? ",go-on" : "", c->words.s ? c->words.s : "");
    const struct program_variable more[] = {{"HEDDLE_CHECK", words}, {"HEDDLE_CHECK_KERNELS", c->kernels.s},
                                            {"HEDDLE_DEVICE", c->device}, {0}};
    int status =
        program_watch(&(struct program_watch){"findings", "HEDDLE_FINDINGS", more, report, c, 0, NULL}, exe,
                      argv, &c->diags);

    if (c->as_sanitizer && status != CLI_OK)
        return status; /* there a program's own failure comes first */
    return c->errors && c->exit_code ? (int)c->exit_code : status;
}

/* `title` NULL: as `heddle check`; otherwise as compute-sanitizer. */
static int check_command(int argc, char **argv, const char *title)
{
    bool as_sanitizer = title != NULL;
    struct checking c = {.tools = as_sanitizer ? "memcheck" : "all",
                         .prefix = "=========",
                         .title = as_sanitizer ? title : "HEDDLE CHECK",
                         .exit_code = as_sanitizer ? 0 : 1,
                         .limit = 100,
                         .cases = as_sanitizer ? 100 : 1,
                         .as_sanitizer = as_sanitizer,
                         .go_on = !as_sanitizer,
                         .pairs = as_sanitizer,
                         .inlined = true,
                         .level = LEVEL_WARN};
    const struct flag_set set = {flags, ALL_FLAGS, "heddle check", "the program's own arguments come after its name",
                                 set_flag, &c, &c.diags};
    const char *exe = NULL;
    int at, status = CLI_FAILED;

    if (cli_wants_help(argc, argv)) {
        print_help(as_sanitizer);
        return CLI_OK;
    }
    compile_options_init(&c.compile);
    diag_init(&c.diags);
    at = flags_take(&set, &c.compile, argc, argv);
    if (at == argc && !c.answered && !c.diags.errors)
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "no program: heddle check PROGRAM [ARGS]");
    if (!c.diags.errors && c.suppressions)
        c.suppressed = suppressions_read(c.suppressions, &c.diags);
    c.log_file = program_file_name(&c.diags.arena, c.log_file);
    words_addv(&c.compile.arena, &c.compile.host, "-gline-tables-only", "-gdwarf-4", NULL); /* for host backtraces */
    if (!c.diags.errors && !c.answered)
        exe = (as_sanitizer ? program_find_any : program_find)(&c.compile, c.device, argv[at], &c.diags);
    else if (!c.diags.errors)
        status = CLI_OK;
    if (exe && !c.diags.errors) {
        argv[at] = (char *)exe;
        status = check(&c, exe, argv + at);
    }
    if (cli_print(&c.diags) && status == CLI_OK)
        status = CLI_FAILED;
    suppressions_free(c.suppressed);
    name_rules_release(&c.rules);
    strbuf_release(&c.words);
    strbuf_release(&c.kernels);
    compile_options_release(&c.compile);
    return status;
}

int cli_check(int argc, char **argv)
{
    return check_command(argc, argv, NULL);
}

int cli_sanitizer(int argc, char **argv)
{
    return check_command(argc, argv, "COMPUTE-SANITIZER");
}

int cli_memcheck(int argc, char **argv)
{
    return check_command(argc, argv, "CUDA-MEMCHECK");
}
