/* The program that a command watches: found, compiled and run as a child. */
#define _GNU_SOURCE /* memmem */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/supervisor.h"
#include "compile/compile.h"
#include "device/device.h"

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
static const char *check_executable(const struct compile_options *compile, const char *path, struct diag_list *diags)
{
    if (compile->device_ptx)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "--device-ptx is for .cu files: '%s' has its device code already", path);
    else if (access(path, F_OK) && !access(arena_printf(&diags->arena, "%s.cu", path), F_OK))
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot find '%s'; did you mean '%s.cu'?", path, path);
    else if (access(path, F_OK))
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot find '%s'", path);
    else if (access(path, X_OK))
        diag_add(diags, DIAG_ERROR, NULL, 0, "'%s' is neither a .cu file nor executable", path);
    else if (file_mentions(path, "\177ELF") && !file_mentions(path, "libheddle-cudart.so"))
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "'%s' was not built by Heddle: build it with `heddle build`, or give its .cu file", path);
    else if (!strchr(path, '/'))
        return arena_printf(&diags->arena, "./%s", path);
    return path;
}

bool program_device(struct device *first, const char *list, struct diag_list *diags)
{
    list = list && *list ? list : getenv("HEDDLE_DEVICE");
    bool good = device_load(first, list ? arena_strndup(&diags->arena, list, strcspn(list, ",")) : NULL, diags);
    for (const char *at = list; good && at && (at = strchr(at, ',')) != NULL;) {
        struct device other;
        good = device_load(&other, arena_strndup(&diags->arena, at + 1, strcspn(at + 1, ",")), diags);
        at++;
    }
    return good;
}

const char *program_find(struct compile_options *compile, const char *device, const char *word, struct diag_list *diags)
{
    struct device d;

    if (!program_device(&d, device, diags))
        return NULL;
    if (!ends_with(word, ".cu"))
        return check_executable(compile, word, diags);
    if (!compile->arch_given)
        compile->arch = device_code_arch(&d);
    return compile_program(compile, word, diags);
}

const char *program_on_path(struct arena *a, const char *name)
{
    const char *at = getenv("PATH");

    for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        const char *file = arena_printf(a, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        struct stat st;
        if (!access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode))
            return file;
    }
    return NULL;
}

const char *program_find_any(struct compile_options *compile, const char *device, const char *word, struct diag_list *diags)
{
    const char *found = strchr(word, '/') || ends_with(word, ".cu") ? NULL : program_on_path(&diags->arena, word);

    if (found)
        return found;
    if (ends_with(word, ".cu") || !strchr(word, '/') || access(word, X_OK))
        return program_find(compile, device, word, diags);
    return word;
}

/* Is one of the names, NULL behind the last, the command's, or the name of a variable that is set? */
static bool is_any(const char *const *name, const char *command)
{
    for (; *name; name++)
        if (command ? !strcmp(command, *name) : getenv(*name) != NULL)
            return true;
    return false;
}

void program_with_mpi(const char *command)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "srun", NULL},
                             *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
    const char *slash = command ? strrchr(command, '/') : NULL, *before = getenv("LD_PRELOAD");
    const bool known = is_any(command ? launchers : ranks, slash ? slash + 1 : command);
    char *folder;
    struct strbuf path, list;

    if ((!known && !command) || (before && strstr(before, "libheddle-mpi.so")))
        return;
    strbuf_init(&path);
    strbuf_init(&list);
    folder = file_folder_of(program_with_mpi);
    strbuf_addf(&path, "%s/../lib/libheddle-mpi.so", folder ? folder : "");
    if (!access(path.s, R_OK)) {
        strbuf_addf(&path, "%s%s", before && *before ? ":" : "", before ? before : "");
        strbuf_addf(&list, "LD_PRELOAD=%s", path.s);
        if (known)
            setenv("LD_PRELOAD", path.s, 1);
        else
            setenv("OMPI_MCA_mca_base_env_list", list.s, 0);
    }
    strbuf_release(&path);
    strbuf_release(&list);
    alloc_release(folder);
}

static volatile sig_atomic_t child, handed_on;

/* The terminal sends Ctrl-C to the program too; what somebody sends to us alone is handed on, so that the program never
 * outlives us. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (child > 0 && info->si_code <= 0) {
        kill((pid_t)child, number);
        handed_on = 1;
    }
}

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

struct run {
    const char *exe;
    char **argv;
    const struct program_variable *variables;
    int output;
    struct sigaction old[SIGNALS], old_quit; /* as they were before: the program gets them so */
    sigset_t before;
};

/* In the child. */
static void become_program(void *user)
{
    const struct run *r = user;

    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &r->old[i], NULL);
    sigaction(SIGQUIT, &r->old_quit, NULL);
    cli_restore_signals();
    sigprocmask(SIG_SETMASK, &r->before, NULL);
    for (const struct program_variable *v = r->variables; v->name; v++)
        if (v->value)
            setenv(v->name, v->value, 1);
    program_with_mpi(NULL);
    if (r->output)
        dup2(r->output, STDOUT_FILENO);
    execv(r->exe, r->argv);
    fprintf(stderr, "heddle: error: cannot run '%s': %s\n", r->exe, strerror(errno));
    _exit(127);
}

int program_run(const char *exe, char **argv, const struct program_variable *variables, int output, struct diag_list *diags)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_flags = SA_SIGINFO};
    struct run r = {.exe = exe, .argv = argv, .variables = variables, .output = output};
    struct supervised s;
    sigset_t held;
    int status = -1;
    bool started;

    if (!cli_memory_sufficed())
        return status;
    pass.sa_sigaction = hand_on; /* they end the program; we still report what it did */
    sigemptyset(&held);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, &r.before);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &pass, &r.old[i]);
    sigaction(SIGQUIT, &ignore, &r.old_quit);
    fflush(NULL);
    handed_on = 0;
    started = supervised_start(&s, become_program, &r);
    child = started ? (sig_atomic_t)s.program : 0;
    sigprocmask(SIG_SETMASK, &r.before, NULL);
    if (started)
        status = supervised_wait(&s);
    else
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot start '%s': %s", exe, strerror(errno));
    child = 0; /* the handlers stay: the report is still to come */
    if (started)
        supervised_end(&s, handed_on);
    sigaction(SIGQUIT, &r.old_quit, NULL);
    return status;
}

int program_exit(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What the program left in the unnamed file, in a file with a name that stays. NULL: there is nothing, or no place for it. */
static const char *keep_results(int from, const char *what, struct diag_list *diags)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(&diags->arena, "%s/heddle-%s-XXXXXX", folder && *folder ? folder : "/tmp", what), buf[1 << 16];
    int to = mkostemp(path, O_CLOEXEC);
    off_t at = 0;
    ssize_t n = 1;

    if (to < 0)
        return NULL;
    while (n > 0 && (n = pread(from, buf, sizeof buf, at)) > 0) {
        n = write(to, buf, (size_t)n) == n ? n : -1;
        at += n > 0 ? n : 0;
    }
    if (close(to) == 0 && n == 0 && at > 0)
        return path;
    unlink(path);
    return NULL;
}

int program_watch(const struct program_watch *w, const char *exe, char **argv, struct diag_list *diags)
{
    int fd = file_unnamed(), status, n = 0;
    struct program_variable *variables;
    struct strbuf path;
    const char *kept;

    if (fd < 0) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot make a file for %s: %s", w->what, strerror(errno));
        return CLI_FAILED;
    }
    strbuf_init(&path);
    file_add_path(&path, fd);
    while (w->more[n].name)
        n++;
    variables = ARENA_ARRAY(&diags->arena, struct program_variable, n + 2);
    variables[0] = (struct program_variable){w->variable, path.s};
    memcpy(variables + 1, w->more, (size_t)(n + 1) * sizeof *variables);
    status = program_run(exe, argv, variables, w->output, diags);
    if (status != -1 && !w->report(w->user, path.s) && !ferror(stderr) && (kept = keep_results(fd, w->what, diags)))
        diag_add(diags, DIAG_NOTE, NULL, 0, "the %s of the run are kept in '%s'%s%s", w->what, kept, w->again ? ": " : "", w->again ? w->again : "");
    close(fd);
    strbuf_release(&path);
    return status == -1 ? CLI_FAILED : program_exit(status);
}

const char *program_file_name(struct arena *a, const char *name)
{
    struct strbuf out;
    const char *s;

    strbuf_init(&out);
    for (; name && *name; name++) {
        size_t n = !strncmp(name, "%q{", 3) ? strcspn(name, "}") : 0;
        char host[256] = "";

        if (!strncmp(name, "%p", 2) || !strncmp(name, "%%", 2)) {
            strbuf_addf(&out, name[1] == 'p' ? "%ld" : "%%", (long)getpid());
            name++;
        } else if (!strncmp(name, "%h", 2)) {
            strbuf_adds(&out, gethostname(host, sizeof host - 1) ? "localhost" : host);
            name++;
        } else if (n && name[n]) {
            const char *value = getenv(arena_strndup(a, name + 3, n - 3));

            strbuf_adds(&out, value ? value : "");
            name += n;
        } else {
            strbuf_add(&out, name, 1);
        }
    }
    s = out.s ? arena_strdup(a, out.s) : NULL;
    strbuf_release(&out);
    return s;
}

bool program_write_report(const struct strbuf *text, const char *file, FILE *own, struct diag_list *diags)
{
    FILE *f = file ? fopen(file, "we") : own;
    bool ok = f && fwrite(text->s, 1, text->len, f) == text->len;

    if (f && f != own)
        ok &= fclose(f) == 0;
    if (!ok && f != stdout) /* of which the end of the command tells */
        diag_add(diags, DIAG_ERROR, NULL, 0, "cannot write the report to '%s': %s", file ? file : "stderr", strerror(errno));
    return ok;
}
