/* `heddle check [FLAGS] PROGRAM [ARGS]`: runs a program and reports what its kernels do wrong.
 *
 * The program runs as a child with HEDDLE_CHECK and HEDDLE_FINDINGS set: its stdin and stdout are untouched. The report
 * goes to stderr or the file of --log-file. Flags and the form of the report are compute-sanitizer's where it has them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "compile/compile.h"
#include "report/findings.h"
#include "report/names.h"

struct checking {
    struct compile_options compile;
    struct diag_list diags;
    const char *tools, *device, *log_file, *json, *kernel, *prefix;
    long exit_code, limit, cases;
    bool as_sanitizer;
    bool errors; /* among the findings */
};

enum which_flag {
#define FLAG(id, full, brief, value, help) FLAG_##id,
#include "cli/check_flags.def"
#undef FLAG
};

static const struct flag flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help},
#include "cli/check_flags.def"
#undef FLAG
};
enum { FLAGS = sizeof flags / sizeof flags[0] };

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "heddle check [FLAGS] PROGRAM [ARGS]: run a CUDA program and report what its kernels do wrong\n\n"
                    "PROGRAM is a .cu file or an executable made by `heddle build`. Flags are compute-sanitizer's.\n\n");
    flags_help(flags, FLAGS, &b);
    strbuf_adds(&b, "\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D, --device-ptx FILE, ...\n"
                    "Exit status: the program's own, or --error-exitcode when there are errors.\n");
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

static void set_flag(void *to, int which, const char *value)
{
    struct checking *c = to;

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
    case FLAG_LOG:
        c->log_file = value;
        break;
    case FLAG_JSON:
        c->json = value;
        break;
    case FLAG_KERNEL:
        c->kernel = value;
        break;
    case FLAG_PREFIX:
        c->prefix = value;
        break;
    }
}

/* --- the report --- */

struct sums {
    int64_t errors, warnings, hidden;
};

static bool wanted(const struct finding *f, const struct name_filter *filter, struct arena *a)
{
    return !f->kernel || name_filter_matches(filter, name_form(NAME_FUNCTION, f->kernel, f->kernel, a));
}

static void summary(const struct checking *c, const struct sums *s, struct strbuf *out)
{
    strbuf_addf(out, "%s ERROR SUMMARY: %" PRId64 " error%s", c->prefix, s->errors, s->errors == 1 ? "" : "s");
    if (s->warnings)
        strbuf_addf(out, ", %" PRId64 " warning%s", s->warnings, s->warnings == 1 ? "" : "s");
    strbuf_adds(out, "\n");
    if (s->hidden)
        strbuf_addf(out, "%s ERROR SUMMARY: %" PRId64 " errors were not printed. Use --print-limit option to adjust the "
                         "number of printed errors\n", c->prefix, s->hidden);
}

static struct sums write_text(struct checking *c, const struct findings *fs, const struct name_filter *filter,
                              struct strbuf *out)
{
    struct sums s = {0};
    struct sources sources;
    int shown = 0;

    sources_init(&sources);
    strbuf_addf(out, "%s HEDDLE CHECK\n", c->prefix);
    for (int i = 0; i < fs->n; i++) {
        const struct finding *f = fs->finding[i];

        if (!wanted(f, filter, &c->diags.arena))
            continue;
        *(strcmp(f->severity, "error") ? &s.warnings : &s.errors) += f->count;
        if (c->limit && shown >= c->limit) {
            s.hidden += f->count;
            continue;
        }
        finding_text(f, c->prefix, (int)c->cases, &sources, out);
        shown++;
    }
    summary(c, &s, out);
    sources_release(&sources);
    return s;
}

static void keep_json(struct checking *c, const struct findings *fs, const struct name_filter *filter)
{
    FILE *f = fopen(c->json, "we");
    bool ok = f != NULL;

    for (int i = 0; ok && i < fs->n; i++)
        if (wanted(fs->finding[i], filter, &c->diags.arena))
            ok = finding_write(fs->finding[i], f);
    if (f)
        ok &= fclose(f) == 0;
    if (!ok)
        diag_add(&c->diags, DIAG_ERROR, NULL, 0, "cannot write '%s': %s", c->json, strerror(errno));
}

static void report(void *user, const char *path)
{
    struct checking *c = user;
    struct findings fs;
    struct name_filter filter;
    struct strbuf text;
    struct sums s = {0};

    strbuf_init(&text);
    if (findings_read(&fs, path, &c->diags) && name_filter_init(&filter, c->kernel, "--kernel-name", &c->diags)) {
        s = write_text(c, &fs, &filter, &text);
        program_write_report(&text, c->log_file, c->as_sanitizer ? stdout : stderr, &c->diags);
        if (c->json)
            keep_json(c, &fs, &filter);
        name_filter_release(&filter);
    }
    findings_release(&fs);
    strbuf_release(&text);
    c->errors = s.errors > 0;
}

/* Runs `exe` and reports; the exit status to end with. */
static int check(struct checking *c, const char *exe, char **argv)
{
    const struct program_variable more[] = {{"HEDDLE_CHECK", c->tools}, {"HEDDLE_DEVICE", c->device}, {0}};
    int status = program_watch(&(struct program_watch){"findings", "HEDDLE_FINDINGS", more, report, c}, exe, argv, &c->diags);

    return c->errors && c->exit_code ? (int)c->exit_code : status;
}

static int check_command(int argc, char **argv, bool as_sanitizer)
{
    struct checking c = {.tools = as_sanitizer ? "memcheck" : "all", .prefix = "=========", .exit_code = as_sanitizer ? 0 : 1,
                         .limit = 100, .cases = as_sanitizer ? 100 : 1, .as_sanitizer = as_sanitizer};
    const struct flag_set set = {flags, FLAGS, "heddle check", set_flag, &c, &c.diags};
    const char *exe = NULL;
    int at, status = CLI_FAILED;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    compile_options_init(&c.compile);
    diag_init(&c.diags);
    at = flags_take(&set, &c.compile, argc, argv);
    if (at == argc && !c.diags.errors)
        diag_add(&c.diags, DIAG_ERROR, NULL, 0, "no program: heddle check PROGRAM [ARGS]");
    if (!c.diags.errors)
        exe = program_find(&c.compile, c.device, argv[at], &c.diags);
    if (exe && !c.diags.errors) {
        argv[at] = (char *)exe;
        status = check(&c, exe, argv + at);
    }
    if (cli_print(&c.diags) && status == CLI_OK)
        status = CLI_FAILED;
    compile_options_release(&c.compile);
    return status;
}

int cli_check(int argc, char **argv)
{
    return check_command(argc, argv, false);
}

int cli_sanitizer(int argc, char **argv)
{
    return check_command(argc, argv, true);
}
