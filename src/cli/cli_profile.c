/* `heddle profile [FLAGS] PROGRAM [ARGS]`: runs a program and reports what its kernels did.
 *
 * In: a .cu file (compiled into the cache as by `heddle run`) or an executable built by Heddle. The program runs as a
 * child with HEDDLE_RESULTS set: its stdin and stdout are untouched and its exit status is ours. The report goes to
 * stderr or the file of --log-file. Flags are ncu's where it has one. */
#define _GNU_SOURCE /* memmem, mkostemp */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "compile/compile.h"
#include "device/device.h"
#include "report/report.h"

struct profile {
    struct compile_options compile;
    struct diag_list diags;
    const char *device;   /* --device, or NULL */
    const char *metrics;  /* --metrics list, or NULL */
    const char *log_file; /* --log-file, or NULL: stderr */
    const char *kernel;   /* --kernel-name: exact, or "regex:..." */
    bool csv, raw;
    bool as_ncu; /* called by that name: the report goes to stdout */
    long skip, count; /* of launches whose kernel matches; count -1: all */
    struct report_metrics shown;
};

/* --- flags --- */

enum flag { FLAG_DEVICE, FLAG_METRICS, FLAG_LOG, FLAG_KERNEL, FLAG_SKIP, FLAG_COUNT, FLAG_PAGE, FLAG_UNITS, FLAG_CSV };

static const struct {
    const char *name, *brief; /* long and short spelling */
    enum flag flag;
    const char *value, *help; /* what follows, or NULL */
} flags[] = {
    {"--device", NULL, FLAG_DEVICE, "NAME", "the GPU (devices/NAME.json); default: HEDDLE_DEVICE, else h200"},
    {"--metrics", NULL, FLAG_METRICS, "A,B", "only these metrics (docs/metrics.md)"},
    {"--page", NULL, FLAG_PAGE, "details|raw", "sections and source lines, or one line a metric"},
    {"--csv", NULL, FLAG_CSV, NULL, "the raw page as CSV"},
    {"--print-units", NULL, FLAG_UNITS, "base", "units: base is the only one there is"},
    {"--log-file", NULL, FLAG_LOG, "FILE", "the report goes there instead of stderr"},
    {"--kernel-name", "-k", FLAG_KERNEL, "NAME", "only kernels of this name; regex:EXPRESSION for a pattern"},
    {"--launch-skip", "-s", FLAG_SKIP, "N", "leave out the first N launches that match"},
    {"--launch-count", "-c", FLAG_COUNT, "N", "at most N launches"},
};
enum { FLAGS = sizeof flags / sizeof flags[0] };

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "heddle profile [FLAGS] PROGRAM [ARGS]: run a CUDA program and report what its kernels did\n\n"
                    "PROGRAM is a .cu file or an executable made by `heddle build`.\n\n");
    for (int i = 0; i < FLAGS; i++) {
        char spelling[64];

        snprintf(spelling, sizeof spelling, "%s%s%s %s", flags[i].brief ? flags[i].brief : "", flags[i].brief ? ", " : "",
                 flags[i].name, flags[i].value ? flags[i].value : "");
        strbuf_addf(&b, "  %-28s %s\n", spelling, flags[i].help);
    }
    strbuf_adds(&b, "\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D, --device-ptx FILE, ...\n"
                    "The program's output and exit status stay its own (128 + n if signal n ended it).\n");
    fputs(b.s, stdout);
    strbuf_release(&b);
}

static void wrong(struct profile *p, const char *flag, const char *value, const char *wanted)
{
    diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s': '%s' is not %s", flag, value, wanted);
}

static long count_of(struct profile *p, const char *flag, const char *value)
{
    char *end;
    long n = strtol(value, &end, 10);

    if (*end || end == value || n < 0)
        wrong(p, flag, value, "a number from 0");
    return n;
}

static void set_flag(struct profile *p, int which, const char *value)
{
    const char *name = flags[which].name;

    switch (flags[which].flag) {
    case FLAG_DEVICE:
        p->device = value;
        break;
    case FLAG_METRICS:
        p->metrics = value;
        break;
    case FLAG_LOG:
        p->log_file = value;
        break;
    case FLAG_KERNEL:
        p->kernel = value;
        break;
    case FLAG_SKIP:
        p->skip = count_of(p, name, value);
        break;
    case FLAG_COUNT:
        p->count = count_of(p, name, value);
        break;
    case FLAG_PAGE:
        p->raw = !strcmp(value, "raw");
        if (!p->raw && strcmp(value, "details"))
            wrong(p, name, value, "'details' or 'raw'");
        break;
    case FLAG_UNITS:
        if (strcmp(value, "base"))
            wrong(p, name, value, "'base', the only one there is");
        break;
    case FLAG_CSV:
        p->csv = true;
        break;
    }
}

/* Takes one of our own flags, as "--flag value" or "--flag=value"; returns the words taken, 0: not ours. */
static int take_own(struct profile *p, int argc, char **argv)
{
    for (int i = 0; i < FLAGS; i++) {
        size_t n = strlen(flags[i].name);
        bool is_long = !strcmp(argv[0], flags[i].name);

        if (flags[i].value && !strncmp(argv[0], flags[i].name, n) && argv[0][n] == '=') {
            set_flag(p, i, argv[0] + n + 1);
            return 1;
        }
        if (!is_long && !(flags[i].brief && !strcmp(argv[0], flags[i].brief)))
            continue;
        if (!flags[i].value) {
            set_flag(p, i, NULL);
            return 1;
        }
        if (argc < 2)
            diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s' needs a value: %s", argv[0], flags[i].value);
        else
            set_flag(p, i, argv[1]);
        return argc < 2 ? 1 : 2;
    }
    return 0;
}

static void unknown_flag(struct profile *p, const char *word)
{
    const char *best = NULL;
    unsigned nearest = near_limit(word);

    for (int i = 0; i < FLAGS; i++) {
        unsigned far = near_distance(word, flags[i].name, nearest);

        if (far < nearest) {
            nearest = far;
            best = flags[i].name;
        }
    }
    if (best)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "unknown flag '%s'; did you mean '%s'?", word, best);
    else
        diag_add(&p->diags, DIAG_ERROR, NULL, 0,
                 "unknown flag '%s'; `heddle profile --help` lists them, the program's own arguments come after its name",
                 word);
}

static int take_flags(struct profile *p, int argc, char **argv)
{
    int i = 0;

    for (int n; i < argc && argv[i][0] == '-'; i += n) {
        if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--export")) {
            diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s': reports cannot be exported yet; use --log-file", argv[i]);
            n = argc - i < 2 ? 1 : 2;
            continue;
        }
        n = take_own(p, argc - i, argv + i);
        if (!n)
            n = compile_options_take(&p->compile, argc - i, argv + i, &p->diags);
        if (!n) {
            unknown_flag(p, argv[i]);
            n = 1;
        }
    }
    if (i == argc && !p->diags.errors)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "no program: heddle profile PROGRAM [ARGS]");
    return i;
}

/* --- the program --- */

/* The bytes of a file hold this word: tells an executable that is linked with our library from any other. */
static bool file_mentions(const char *path, const char *word)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool found = false;
    void *map;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            found = memmem(map, (size_t)st.st_size, word, strlen(word)) != NULL;
            munmap(map, (size_t)st.st_size);
        }
    }
    close(fd);
    return found;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && !strcmp(s + n - m, end);
}

/* An executable given as it is: must be there and be ours. Scripts may start one of ours and are let through. */
static const char *check_executable(struct profile *p, const char *path)
{
    if (p->compile.device_ptx)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0,
                 "--device-ptx is for .cu files: '%s' has its device code already", path);
    else if (access(path, F_OK))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot find '%s'", path);
    else if (access(path, X_OK))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'%s' is neither a .cu file nor executable", path);
    else if (file_mentions(path, "\177ELF") && !file_mentions(path, "libheddle.so"))
        diag_add(&p->diags, DIAG_ERROR, NULL, 0,
                 "'%s' was not built by Heddle: build it with `heddle build`, or give its .cu file", path);
    else if (!strchr(path, '/'))
        return arena_printf(&p->diags.arena, "./%s", path);
    return path;
}

static const char *find_program(struct profile *p, const char *word)
{
    struct device d;

    if (!device_load(&d, p->device, &p->diags))
        return NULL;
    if (!ends_with(word, ".cu"))
        return check_executable(p, word);
    if (!p->compile.arch_given)
        p->compile.arch = (int)(d.cc_major * 10 + d.cc_minor);
    return compile_program(&p->compile, word, &p->diags);
}

static volatile sig_atomic_t child;

/* The terminal sends Ctrl-C to the program too; what somebody sends to us alone is handed on, so that the program never
 * outlives us. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (child > 0 && info->si_code <= 0)
        kill((pid_t)child, number);
}

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* Runs the program to its end; its status as waitpid gives it, -1 with a message when it could not be run. */
static int run_program(struct profile *p, const char *exe, char **argv, const char *results)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_flags = SA_SIGINFO}, old[SIGNALS], old_quit;
    sigset_t held, before;
    int status = -1;
    pid_t pid;

    pass.sa_sigaction = hand_on; /* they end the program; we still report what it did */
    sigemptyset(&held);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &pass, &old[i]);
    sigaction(SIGQUIT, &ignore, &old_quit);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < SIGNALS; i++)
            sigaction(signals[i], &old[i], NULL);
        sigaction(SIGQUIT, &old_quit, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        setenv("HEDDLE_RESULTS", results, 1);
        if (p->device)
            setenv("HEDDLE_DEVICE", p->device, 1);
        execv(exe, argv);
        fprintf(stderr, "heddle: error: cannot run '%s': %s\n", exe, strerror(errno));
        _exit(127);
    }
    child = (sig_atomic_t)pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot start '%s': %s", exe, strerror(errno));
    child = 0; /* the handlers stay: the report is still to come */
    sigaction(SIGQUIT, &old_quit, NULL);
    return status;
}

/* --- the report --- */

/* The name without return type, template arguments and parameters: what ncu's "function" base is. */
static void function_name(const struct result *r, char *out, size_t size)
{
    const char *s = r->kernel_name ? r->kernel_name : r->kernel, *end = s + strcspn(s, "<("), *start = end;

    while (start > s && start[-1] != ' ' && start[-1] != ':')
        start--;
    snprintf(out, size, "%.*s", (int)(end - start), start);
}

static bool matches(const struct profile *p, const regex_t *pattern, const struct result *r)
{
    char name[512];

    if (!p->kernel)
        return true;
    function_name(r, name, sizeof name);
    return pattern ? regexec(pattern, name, 0, NULL, 0) == 0 : !strcmp(name, p->kernel);
}

static void add_result(const struct profile *p, const struct result *r, int64_t id, struct strbuf *out)
{
    if (p->csv)
        report_csv_line(r, id, &p->shown, out);
    else if (p->raw)
        report_raw(r, &p->shown, out);
    else
        report_text(r, &p->shown, out);
}

/* `==PROF==` lines first, as in ncu's log, then the report of the launches that were asked for. */
static void make_report(struct profile *p, const struct results *rs, bool readable, const char *exe,
                        const regex_t *pattern, struct strbuf *out)
{
    char path[PATH_MAX], name[512];
    struct strbuf body;
    int64_t shown = 0, matched = 0, pid = rs->n ? rs->result[0]->pid : 0;

    strbuf_init(&body);
    if (!realpath(exe, path))
        snprintf(path, sizeof path, "%s", exe);
    if (rs->n)
        strbuf_addf(out, "==PROF== Connected to process %lld (%s)\n", (long long)pid, path);
    for (int i = 0; i < rs->n; i++) {
        const struct result *r = rs->result[i];

        if (!matches(p, pattern, r) || matched++ < p->skip || (p->count >= 0 && shown >= p->count))
            continue;
        if (!shown && p->csv)
            report_csv_header(&p->shown, &body);
        function_name(r, name, sizeof name);
        strbuf_addf(out, "==PROF== Profiling \"%s\" - %lld: 0%%....50%%....100%% - 1 pass\n", name, (long long)shown);
        add_result(p, r, shown++, &body);
    }
    if (rs->n)
        strbuf_addf(out, "==PROF== Disconnected from process %lld\n", (long long)pid);
    if (!shown && (rs->n || readable))
        strbuf_adds(out, rs->n ? "==WARNING== No kernel launch matches the filters.\n"
                               : "==WARNING== No kernels were profiled: the program launched none.\n");
    if (body.len)
        strbuf_add(out, body.s, body.len);
    strbuf_release(&body);
}

static void write_report(struct profile *p, const struct strbuf *text)
{
    FILE *own = p->as_ncu ? stdout : stderr, *f = p->log_file ? fopen(p->log_file, "we") : own;
    bool ok = f && fwrite(text->s, 1, text->len, f) == text->len;

    if (f && f != own)
        ok &= fclose(f) == 0;
    if (!ok)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot write the report to '%s': %s",
                 p->log_file ? p->log_file : "stderr", strerror(errno));
}

static void report(struct profile *p, const char *exe, const char *results, const regex_t *pattern)
{
    struct results rs;
    struct strbuf text;

    strbuf_init(&text);
    bool readable = results_read(&rs, results, &p->diags);
    make_report(p, &rs, readable, exe, pattern, &text);
    write_report(p, &text);
    strbuf_release(&text);
    results_release(&rs);
}

/* Runs `exe` and reports; the exit status to end with. */
static int profile(struct profile *p, const char *exe, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char *results = arena_printf(&p->diags.arena, "%s/heddle-results-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(results, O_CLOEXEC), status;
    bool is_pattern = p->kernel && !strncmp(p->kernel, "regex:", 6);
    regex_t pattern;

    if (fd < 0) {
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot make a file for results: '%s': %s", results, strerror(errno));
        return CLI_FAILED;
    }
    close(fd);
    if (is_pattern && regcomp(&pattern, p->kernel + 6, REG_EXTENDED | REG_NOSUB)) {
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '--kernel-name': '%s' is not a regular expression", p->kernel + 6);
        unlink(results);
        return CLI_FAILED;
    }
    status = run_program(p, exe, argv, results);
    if (status != -1)
        report(p, exe, results, is_pattern ? &pattern : NULL);
    if (is_pattern)
        regfree(&pattern);
    unlink(results);
    if (status == -1)
        return CLI_FAILED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int profile_command(int argc, char **argv, bool as_ncu)
{
    struct profile p = {.count = -1, .as_ncu = as_ncu};
    const char *exe = NULL;
    int at, status = CLI_FAILED;

    if (cli_wants_help(argc, argv)) {
        print_help();
        return CLI_OK;
    }
    compile_options_init(&p.compile);
    diag_init(&p.diags);
    at = take_flags(&p, argc, argv);
    if (p.metrics)
        report_metrics_parse(&p.shown, p.metrics, &p.compile.arena, &p.diags);
    if (!p.diags.errors)
        exe = find_program(&p, argv[at]);
    if (exe && !p.diags.errors) {
        argv[at] = (char *)exe;
        status = profile(&p, exe, argv + at);
    }
    if (cli_print(&p.diags) && status == CLI_OK)
        status = CLI_FAILED;
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
    if (argc == 1 && !strcmp(argv[0], "--version")) {
        puts("Heddle " HEDDLE_VERSION " answers in the place of NVIDIA (R) Nsight Compute; no NVIDIA software is used");
        return CLI_OK;
    }
    return profile_command(argc, argv, true);
}
