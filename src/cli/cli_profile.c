/* `heddle profile [FLAGS] PROGRAM [ARGS]`: runs a program and reports what its kernels did.
 *
 * In: a .cu file (compiled into the cache as by `heddle run`) or an executable built by Heddle. The program runs as a
 * child with HEDDLE_RESULTS set: its stdin and stdout are untouched and its exit status is ours. The report goes to
 * stderr or the file of --log-file. Flags are ncu's where it has one. */
#define _GNU_SOURCE /* memmem, mkostemp */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "base/table.h"
#include "cli/cli.h"
#include "compile/compile.h"
#include "device/device.h"
#include "report/names.h"
#include "report/report.h"
#include "report/source_page.h"
#include "report/summary.h"

enum page { PAGE_DETAILS, PAGE_RAW, PAGE_SOURCE };

/* context:stream:name:invocation; a part that is empty matches everything. */
struct kernel_id {
    bool given;
    long context, stream, invocation; /* -1: any; stream as the report shows it, invocation from 1 */
    const char *name;                 /* as --kernel-name, or NULL */
};

struct profile {
    struct compile_options compile;
    struct diag_list diags;
    const char *device;   /* --device, or NULL */
    const char *metrics;  /* --metrics list, or NULL */
    const char *log_file; /* --log-file, or NULL: stderr */
    const char *kernel;   /* --kernel-name: exact, or "regex:..." */
    enum name_base base;  /* which form of the name that is compared with */
    struct kernel_id id;  /* --kernel-id */
    const char *export, *import; /* -o, -i */
    bool force;           /* -f: -o may write over a file */
    enum page page;
    bool page_given, csv;
    bool summary, per_gpu; /* --print-summary */
    section_set sections;  /* 0: all */
    bool listed;           /* a --list or --query flag was answered: there is nothing to run */
    bool as_ncu; /* called by that name: the report goes to stdout */
    long skip, count; /* of launches whose kernel matches; count -1: all */
    long skip_all;    /* --launch-skip-before-match: of all launches */
    struct report_metrics shown;
};

/* --- flags --- */

enum flag {
#define FLAG(id, full, brief, value, help) FLAG_##id,
#include "cli/profile_flags.def"
#undef FLAG
};

static const struct {
    const char *name, *brief; /* long and short spelling */
    const char *value, *help; /* what follows, or NULL */
} flags[] = {
#define FLAG(id, full, brief, value, help) {full, brief, value, help},
#include "cli/profile_flags.def"
#undef FLAG
};
enum { FLAGS = sizeof flags / sizeof flags[0] };

static void print_help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "heddle profile [FLAGS] PROGRAM [ARGS]: run a CUDA program and report what its kernels did\n\n"
                    "PROGRAM is a .cu file or an executable made by `heddle build`. Flags are ncu's; a long one may be\n"
                    "shortened as long as it stays clear.\n\n");
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

/* The whole number between two points of a kernel id; -1 when there is nothing. */
static long id_part(struct profile *p, const char *from, size_t n, const char *whole)
{
    const char *text = arena_strndup(&p->diags.arena, from, n);
    char *end;
    long v = strtol(text, &end, 10);

    if (!n)
        return -1;
    if (*end || v < 0)
        wrong(p, "--kernel-id", whole, "context:stream:name:invocation with numbers, or nothing, outside the name");
    return v;
}

static void set_kernel_id(struct profile *p, const char *value)
{
    const char *first = strchr(value, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    const char *last = second ? strrchr(second + 1, ':') : NULL;

    if (!last) {
        wrong(p, "--kernel-id", value, "context:stream:name:invocation");
        return;
    }
    p->id = (struct kernel_id){true, id_part(p, value, (size_t)(first - value), value),
                               id_part(p, first + 1, (size_t)(second - first - 1), value),
                               id_part(p, last + 1, strlen(last + 1), value), NULL};
    if (last > second + 1)
        p->id.name = arena_strndup(&p->diags.arena, second + 1, (size_t)(last - second - 1));
}

/* Which of the words the value is; an error, and 0, when it is none. */
static int choice(struct profile *p, int which, const char *value, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(value, words[i]))
            return i;
    wrong(p, flags[which].name, value, flags[which].value);
    return 0;
}

#define CHOICE(...)                                                  \
    choice(p, which, value, (const char *const[]){__VA_ARGS__},      \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void print_list(struct profile *p, void (*list)(struct strbuf *))
{
    struct strbuf b;

    strbuf_init(&b);
    list(&b);
    fputs(b.s, stdout);
    strbuf_release(&b);
    p->listed = true;
}

static void query_metrics(struct strbuf *b)
{
    const struct metric *m;

    for (int i = 0; (m = metric_at(i)); i++)
        strbuf_addf(b, "%-76s %-14s %s\n", m->name, m->unit, m->compute ? m->help : "n/a: not computed yet");
}

static void set_report_flag(struct profile *p, int which, const char *value)
{
    switch ((enum flag)which) {
    case FLAG_PAGE:
        p->page = (enum page)CHOICE("details", "raw", "source");
        p->page_given = true;
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
    case FLAG_QUERY:
        print_list(p, query_metrics);
        break;
    default:
        break; /* accepted: help says why it changes nothing */
    }
}

static void set_flag(struct profile *p, int which, const char *value)
{
    const char *name = flags[which].name;

    switch ((enum flag)which) {
    case FLAG_DEVICE:
        p->device = value;
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
    case FLAG_FORCE:
        p->force = true;
        break;
    case FLAG_KERNEL:
        p->kernel = value;
        break;
    case FLAG_BASE:
        p->base = (enum name_base)CHOICE("function", "demangled", "mangled");
        break;
    case FLAG_ID:
        set_kernel_id(p, value);
        break;
    case FLAG_SKIP:
        p->skip = count_of(p, name, value);
        break;
    case FLAG_SKIP_ALL:
        p->skip_all = count_of(p, name, value);
        break;
    case FLAG_COUNT:
        p->count = count_of(p, name, value);
        break;
    default:
        set_report_flag(p, which, value);
    }
}

/* Our flag that the word's name (up to '=') is, or the only one that begins so; -1: none, -2: several, with an error. */
static int find_flag(struct profile *p, const char *word, bool prefixes)
{
    size_t n = strcspn(word, "=");
    int found = -1;

    for (int i = 0; i < FLAGS; i++) {
        if ((strlen(flags[i].name) == n && !strncmp(word, flags[i].name, n)) ||
            (flags[i].brief && !strcmp(word, flags[i].brief)))
            return i;
        if (!prefixes || n < 4 || strncmp(word, flags[i].name, n))
            continue;
        if (found >= 0) {
            diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s' could be '%s' or '%s'", word, flags[found].name,
                     flags[i].name);
            return -2;
        }
        found = i;
    }
    return found;
}

/* Takes one of our own flags, as "--flag value" or "--flag=value"; returns the words taken, 0: not ours. */
static int take_own(struct profile *p, int argc, char **argv, bool prefixes)
{
    int i = find_flag(p, argv[0], prefixes);
    const char *joined = strncmp(argv[0], "--", 2) ? NULL : strchr(argv[0], '=');

    if (i < 0)
        return i == -2;
    if (!flags[i].value || joined) {
        if (flags[i].value)
            set_flag(p, i, joined + 1);
        else if (joined)
            diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s' takes no value", flags[i].name);
        else
            set_flag(p, i, NULL);
        return 1;
    }
    if (argc < 2)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "flag '%s' needs a value: %s", argv[0], flags[i].value);
    else
        set_flag(p, i, argv[1]);
    return argc < 2 ? 1 : 2;
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
        n = take_own(p, argc - i, argv + i, false);
        if (!n)
            n = compile_options_take(&p->compile, argc - i, argv + i, &p->diags);
        if (!n)
            n = take_own(p, argc - i, argv + i, true);
        if (!n) {
            unknown_flag(p, argv[i]);
            n = 1;
        }
    }
    if (i < argc && p->import)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--import' reads a report, it runs no program: '%s'", argv[i]);
    if (i == argc && !p->import && !p->listed && !p->diags.errors)
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

/* What the filters have seen so far. */
struct choosing {
    struct name_filter kernel, id;
    struct table invocations; /* of a context, stream and name: how many */
    long seen, matched, shown;
};

static bool choosing_init(struct choosing *c, struct profile *p)
{
    memset(c, 0, sizeof *c);
    table_init(&c->invocations);
    return name_filter_init(&c->kernel, p->kernel, "--kernel-name", &p->diags) &&
           name_filter_init(&c->id, p->id.name, "--kernel-id", &p->diags);
}

static void choosing_release(struct choosing *c)
{
    name_filter_release(&c->kernel);
    name_filter_release(&c->id);
    table_release(&c->invocations);
}

static bool matches_id(struct choosing *c, struct profile *p, const struct result *r, const char *name)
{
    const struct kernel_id *id = &p->id;
    int stream = report_stream(r->stream);
    const char *key;
    long n;

    if (!id->given)
        return true;
    if ((id->context >= 0 && id->context != r->context) || (id->stream >= 0 && id->stream != stream) ||
        !name_filter_matches(&c->id, name))
        return false;
    key = arena_printf(&p->diags.arena, "%d %d %s", r->context, stream, name);
    n = (long)(intptr_t)table_get(&c->invocations, key) + 1;
    table_set(&c->invocations, key, (void *)(intptr_t)n);
    return id->invocation < 0 || id->invocation == n;
}

/* Is this launch, the next in order, to be shown? */
static bool choose(struct choosing *c, struct profile *p, const struct result *r)
{
    const char *name = name_form(p->base, r->kernel_name, r->kernel, &p->diags.arena);

    if (c->seen++ < p->skip_all || !name_filter_matches(&c->kernel, name) || !matches_id(c, p, r, name))
        return false;
    if (c->matched++ < p->skip || (p->count >= 0 && c->shown >= p->count))
        return false;
    c->shown++;
    return true;
}

/* A terminal that wants no colour says so by NO_COLOR (no-color.org). */
static bool wants_colour(const struct profile *p)
{
    const char *none = getenv("NO_COLOR");

    return !p->log_file && isatty(p->as_ncu ? STDOUT_FILENO : STDERR_FILENO) && !(none && *none);
}

static void add_result(const struct profile *p, const struct result *r, int64_t id, struct strbuf *out)
{
    if (p->csv)
        report_csv_line(r, id, &p->shown, out);
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
        report_summary(chosen, n, &p->shown, p->per_gpu, out);
        return;
    }
    if (n && p->csv)
        report_csv_header(&p->shown, out);
    for (int i = 0; i < n; i++)
        add_result(p, chosen[i], i, out);
}

static void export_results(struct profile *p, struct result *const *chosen, int n, struct strbuf *out)
{
    FILE *f = fopen(p->export, "we");
    bool ok = f != NULL;

    for (int i = 0; ok && i < n; i++)
        ok = result_write(chosen[i], f);
    if (f)
        ok &= fclose(f) == 0;
    if (ok)
        strbuf_addf(out, "==PROF== Report: %s\n", p->export);
    else
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot write the report '%s': %s", p->export, strerror(errno));
}

/* `==PROF==` lines first, as in ncu's log, then the report of the launches that were asked for. `exe` is NULL for an
 * imported report. */
static void make_report(struct profile *p, const struct results *rs, bool readable, const char *exe, struct choosing *c,
                        struct strbuf *out)
{
    struct result **chosen = ARENA_ARRAY(&p->diags.arena, struct result *, rs->n + 1);
    char path[PATH_MAX];
    int n = 0;

    if (exe && rs->n)
        strbuf_addf(out, "==PROF== Connected to process %lld (%s)\n", (long long)rs->result[0]->pid,
                    realpath(exe, path) ? path : exe);
    for (int i = 0; i < rs->n; i++) {
        struct result *r = rs->result[i];
        if (!choose(c, p, r))
            continue;
        if (exe)
            strbuf_addf(out, "==PROF== Profiling \"%s\" - %d: 0%%....50%%....100%% - 1 pass\n",
                        name_form(NAME_FUNCTION, r->kernel_name, r->kernel, &p->diags.arena), n);
        chosen[n++] = r;
    }
    if (exe && rs->n)
        strbuf_addf(out, "==PROF== Disconnected from process %lld\n", (long long)rs->result[0]->pid);
    if (p->export)
        export_results(p, chosen, n, out);
    if (!n && (rs->n || readable))
        strbuf_adds(out, rs->n ? "==WARNING== No kernel launch matches the filters.\n"
                               : "==WARNING== No kernels were profiled: the program launched none.\n");
    add_body(p, chosen, n, out);
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

static void report(struct profile *p, const char *exe, const char *results)
{
    struct choosing c;
    struct results rs;
    bool readable;
    struct strbuf text;

    strbuf_init(&text);
    readable = results_read(&rs, results, &p->diags);
    if (readable || exe) {
        choosing_init(&c, p);
        make_report(p, &rs, readable, exe, &c, &text);
        write_report(p, &text);
        choosing_release(&c);
    }
    results_release(&rs);
    strbuf_release(&text);
}

/* Runs `exe` and reports; the exit status to end with. */
static int profile(struct profile *p, const char *exe, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char *results = arena_printf(&p->diags.arena, "%s/heddle-results-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(results, O_CLOEXEC), status;

    if (fd < 0) {
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "cannot make a file for results: '%s': %s", results, strerror(errno));
        return CLI_FAILED;
    }
    close(fd);
    status = run_program(p, exe, argv, results);
    if (status != -1)
        report(p, exe, results);
    unlink(results);
    if (status == -1)
        return CLI_FAILED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What can be said before the program runs: flags that exclude each other, filters, a file in the way. */
static void check_flags(struct profile *p)
{
    struct choosing c;

    if (p->csv && p->page_given && p->page != PAGE_RAW)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'--csv' is there for the raw page only");
    if (p->export && !p->force && access(p->export, F_OK) == 0)
        diag_add(&p->diags, DIAG_ERROR, NULL, 0, "'%s' is there already; -f writes over it", p->export);
    choosing_init(&c, p);
    choosing_release(&c);
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
    if (!p.diags.errors && !p.listed)
        check_flags(&p);
    if (p.listed || (p.import && !p.diags.errors)) {
        status = CLI_OK;
        if (!p.listed)
            report(&p, NULL, p.import);
    } else if (!p.diags.errors) {
        exe = find_program(&p, argv[at]);
    }
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
