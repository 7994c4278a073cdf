/* Temporary folders with a guardian (see scratch.h). */
#define _GNU_SOURCE /* pipe2, close_range */
#include "base/scratch.h"

#include "base/file.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "heddle-job-"

/* --- the guardian --- */

enum { ALIVE = 0, ANSWER = 1 }; /* its descriptors */

struct answer {
    int error;
    char path[PATH_MAX];
};

/* Is the folder that the descriptor stands for still the one of this name? */
static bool is_there(int fd, const char *path)
{
    struct stat open, named;
    return !fstat(fd, &open) && !lstat(path, &named) && open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/* Makes the folder and locks it. Between the two, another guardian may take it for one that was left behind. */
static int make_folder(const char *in, struct answer *to)
{
    for (;;) {
        int n = snprintf(to->path, sizeof to->path, "%s/" NAME "XXXXXX", in);
        errno = ENAMETOOLONG;
        if (n >= (int)sizeof to->path || !mkdtemp(to->path))
            return -1;
        int fd = open(to->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && !flock(fd, LOCK_EX) && is_there(fd, to->path))
            return fd;
        if (fd >= 0)
            close(fd);
    }
}

/* Folders that nobody holds: their guardians were killed. */
static void remove_left(const char *in)
{
    DIR *d = opendir(in);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        int fd = strncmp(e->d_name, NAME, strlen(NAME)) ? -1 : openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (!fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB)) {
            struct strbuf path;
            strbuf_init(&path);
            strbuf_addf(&path, "%s/%s", in, e->d_name);
            if (is_there(fd, path.s))
                file_remove_dir(path.s);
            strbuf_release(&path);
        }
        close(fd);
    }
    if (d)
        closedir(d);
}

/* What a child is about to write when it is told to end may come behind our back, for a moment. */
static void remove_folder(const char *path)
{
    for (int i = 0; i < 1000 && !access(path, F_OK); i++) {
        if (i)
            usleep(1000);
        file_remove_dir(path);
    }
}

/* It keeps nothing open that somebody may wait for the end of. */
static void guard(int alive, int answer, const char *in)
{
    static struct answer made;
    char byte;
    setpgid(0, 0);
    prctl(PR_SET_NAME, "heddle-guard");
    for (int i = 1; i < NSIG; i++)
        if (i != SIGCHLD)
            signal(i, SIG_IGN);
    dup2(alive, 64 + ALIVE);
    dup2(answer, 64 + ANSWER);
    dup2(64 + ALIVE, ALIVE);
    dup2(64 + ANSWER, ANSWER);
    close_range(2, ~0U, 0);
    int held = make_folder(in, &made);
    made.error = held < 0 ? errno : 0;
    if (write(ANSWER, &made, sizeof made) != sizeof made)
        made.error = made.error ? made.error : EPIPE;
    close(ANSWER);
    if (held < 0)
        _exit(1);
    remove_left(in);
    while (read(ALIVE, &byte, 1) < 0 && errno == EINTR)
        ;
    bool grouped = getpgrp() == getpid();
    if (grouped)
        kill(0, SIGTERM); /* the children, and theirs */
    remove_folder(made.path);
    if (grouped)
        kill(0, SIGKILL); /* those that did not listen, and itself */
    _exit(0);
}

/* --- its client --- */

/* What is open, for the handlers. */
static volatile sig_atomic_t open_guardian, open_pipe;

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[SIGNALS];

/* Ends as it would without us, but behind the guardian. */
static void end(int number)
{
    close((int)open_pipe);
    while (waitpid((pid_t)open_guardian, NULL, 0) < 0 && errno == EINTR)
        ;
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    struct sigaction act = {.sa_handler = end};
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&act.sa_mask, signals[i]);
    for (int i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i], NULL, &before[i]) && before[i].sa_handler == SIG_DFL)
            sigaction(signals[i], &act, NULL);
}

static void hold_signals(sigset_t *old)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, old);
}

static bool read_answer(int fd, struct answer *to)
{
    size_t have = 0;
    for (ssize_t n; have < sizeof *to; have += (size_t)n) {
        n = read(fd, (char *)to + have, sizeof *to - have);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return false;
    }
    errno = to->error;
    return !to->error;
}

static bool start_guardian(struct scratch *s, const char *in)
{
    static struct answer made;
    int alive[2], answer[2];
    if (pipe2(alive, O_CLOEXEC))
        return false;
    if (pipe2(answer, O_CLOEXEC)) {
        close(alive[0]);
        close(alive[1]);
        return false;
    }
    s->guardian = fork();
    if (!s->guardian)
        guard(alive[0], answer[1], in);
    int e = errno;
    close(alive[0]);
    close(answer[1]);
    s->alive = alive[1];
    errno = e;
    bool ok = s->guardian > 0;
    if (ok) {
        setpgid(s->guardian, s->guardian);
        errno = ECHILD;
        ok = read_answer(answer[0], &made) && (s->path = strdup(made.path));
    }
    e = errno;
    close(answer[0]);
    if (!ok) {
        close(s->alive);
        if (s->guardian > 0)
            waitpid(s->guardian, NULL, 0);
    }
    errno = e;
    return ok;
}

bool scratch_open(struct scratch *s)
{
    const char *in = getenv("TMPDIR");
    sigset_t old;
    memset(s, 0, sizeof *s);
    hold_signals(&old);
    bool ok = start_guardian(s, in && *in ? in : "/tmp");
    int e = errno;
    if (ok) {
        open_guardian = s->guardian;
        open_pipe = s->alive;
        catch_signals();
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = e;
    return ok;
}

void scratch_close(struct scratch *s)
{
    sigset_t old;
    if (!s->path)
        return;
    hold_signals(&old);
    close(s->alive);
    while (waitpid(s->guardian, NULL, 0) < 0 && errno == EINTR)
        ;
    file_remove_dir(s->path); /* only if somebody killed the guardian */
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].sa_handler == SIG_DFL)
            sigaction(signals[i], &before[i], NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    free(s->path);
    memset(s, 0, sizeof *s);
}
