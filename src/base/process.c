/* Child processes (see process.h). The output goes to an unnamed file rather than a pipe, so that two children can run at once
 * and neither waits for a reader. posix_spawn cannot ask for a signal at the parent's end; this is what it does, with that. */
#define _GNU_SOURCE /* memfd_create, execvpe */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/scratch.h"
#include "base/strbuf.h"

extern char **environ;

/* Our environment, with another TMPDIR. Where LLVM cannot write, it would call a symbolizer for a backtrace. */
static char **environment(const struct scratch *s, struct strbuf *tmpdir)
{
    static const char name[] = "TMPDIR=";
    static char quiet[] = "LLVM_DISABLE_SYMBOLIZATION=1";
    size_t n = 0, to = 0;
    if (!s)
        return environ;
    while (environ[n])
        n++;
    char **all = alloc_zeroed((n + 3) * sizeof *all);
    strbuf_addf(tmpdir, "%s%s", name, s->path);
    all[to++] = tmpdir->s;
    all[to++] = quiet;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0)
            all[to++] = environ[i];
    return all;
}

/* In the child, which shares our memory until it becomes the program: nothing of ours may run, no handler either. */
static int become(const struct process *p, const struct process_start *how, char **env, pid_t parent, const sigset_t *mask)
{
    struct sigaction act;
    for (int i = 1; i < NSIG; i++)
        if (i == SIGTERM || (!sigaction(i, NULL, &act) && act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN))
            signal(i, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        return ESRCH; /* it ended before it could be watched */
    if (how->scratch && !how->own_stdout) /* out of the foreground, writing to a terminal may stop a process */
        setpgid(0, how->scratch->guardian);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(p->fd, 2) < 0 || (!how->own_stdout && dup2(p->fd, 1) < 0))
        return errno;
    if (null > 2)
        close(null);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(how->argv[0], (char *const *)how->argv, env);
    return errno;
}

/* The child's id; -1: errno. A function of its own, since the child uses its frame too. */
static __attribute__((noinline)) pid_t spawn(const struct process *p, const struct process_start *how, char **env)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    volatile int failed = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid_t pid = vfork();
    if (pid == 0) {
        failed = become(p, how, env, parent, &mask);
        _exit(127);
    }
    int e = pid < 0 ? errno : failed;
    if (pid > 0 && e)
        waitpid(pid, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = e;
    return e ? -1 : pid;
}

bool process_start(struct process *p, const struct process_start *how)
{
    struct strbuf tmpdir;
    memset(p, 0, sizeof *p);
    p->fd = memfd_create("output", MFD_CLOEXEC);
    if (p->fd < 0)
        return false;
    strbuf_init(&tmpdir);
    char **env = environment(how->scratch, &tmpdir);
    pid_t pid = spawn(p, how, env);
    int e = errno;
    if (env != environ)
        alloc_release(env);
    strbuf_release(&tmpdir);
    if (pid > 0)
        p->pid = pid;
    else
        close(p->fd);
    errno = e;
    return pid > 0;
}

int process_wait(struct process *p, struct strbuf *out)
{
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    char buffer[4096];
    off_t at = 0;
    for (ssize_t n; (n = pread(p->fd, buffer, sizeof buffer, at)) > 0; at += n)
        strbuf_add(out, buffer, (size_t)n);
    close(p->fd);
    p->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *process_find(struct arena *a, const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? arena_strdup(a, name) : NULL;
    return process_find_other(a, name, NULL);
}

static bool is_file(const char *path, const char *other)
{
    char real[PATH_MAX];
    return other && realpath(path, real) && !strcmp(real, other);
}

const char *process_find_other(struct arena *a, const char *name, const char *other)
{
    const char *path = getenv("PATH");
    if (!path)
        path = "/usr/bin:/bin";
    while (*path) {
        int n = (int)strcspn(path, ":");
        const char *full = arena_printf(a, "%.*s/%s", n, path, name);
        if (n && access(full, X_OK) == 0 && !is_file(full, other))
            return full;
        path += n + (path[n] == ':');
    }
    return NULL;
}
