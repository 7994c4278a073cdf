/* The process between a command and its program (see supervisor.h). */
#define _GNU_SOURCE /* close_range */
#include "cli/supervisor.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, PROGRAM }; /* descriptors of the supervisor */

/* --- the supervisor --- */

static pid_t parent_of(const char *pid)
{
    char path[300], text[600];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *behind = strrchr(text, ')'); /* the name before it may hold anything */
    int parent = 0;
    return behind && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Ends all children, and theirs, which become ours when their parents are gone. */
static void end_all(void)
{
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        DIR *d = opendir("/proc");
        for (struct dirent *e; d && (e = readdir(d));)
            if (isdigit((unsigned char)e->d_name[0]) && parent_of(e->d_name) == getpid())
                kill(atoi(e->d_name), SIGKILL);
        if (d)
            closedir(d);
        usleep(1000);
    }
}

/* Until the program has ended, or the command has. */
static bool wait_for_program(void)
{
    struct pollfd either[2] = {{.fd = PROGRAM, .events = POLLIN}, {.fd = LINE, .events = POLLIN}};
    while (poll(either, 2, -1) < 0 && errno == EINTR)
        ;
    return either[0].revents;
}

static bool say(int line, int what)
{
    return send(line, &what, sizeof what, MSG_NOSIGNAL) == sizeof what;
}

static bool hear(int line, int *what)
{
    ssize_t n;
    while ((n = recv(line, what, sizeof *what, MSG_WAITALL)) < 0 && errno == EINTR)
        ;
    return n == sizeof *what;
}

static void supervise(pid_t program)
{
    int status, leave;
    if (wait_for_program() && waitpid(program, &status, 0) == program)
        say(LINE, status);
    if (!hear(LINE, &leave))
        end_all();
    _exit(0);
}

static void be_supervisor(int line, void (*become)(void *user), void *user)
{
    pid_t self = getpid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t program = fork();
    if (!program) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == self)
            become(user);
        _exit(127);
    }
    for (int i = 1; i < NSIG; i++)
        if (i != SIGCHLD && i != SIGTSTP && i != SIGCONT)
            signal(i, SIG_IGN);
    prctl(PR_SET_NAME, "heddle-guard");
    int pidfd = program > 0 ? (int)syscall(SYS_pidfd_open, program, 0) : -1;
    if (!say(line, pidfd < 0 ? -errno : program) || pidfd < 0) {
        end_all();
        _exit(1);
    }
    dup2(line, LINE);
    dup2(pidfd, PROGRAM);
    close_range(0, LINE - 1, 0);
    close_range(PROGRAM + 1, ~0U, 0);
    supervise(program);
}

/* --- the command --- */

bool supervised_start(struct supervised *s, void (*become)(void *user), void *user)
{
    int line[2], said = -ECHILD;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
        return false;
    *s = (struct supervised){.supervisor = fork(), .line = line[0]};
    if (!s->supervisor) {
        close(line[0]);
        be_supervisor(line[1], become, user);
    }
    int e = errno;
    close(line[1]);
    if (s->supervisor > 0 && hear(s->line, &said) && said > 0) {
        s->program = said;
        return true;
    }
    if (s->supervisor > 0)
        e = -said;
    supervised_end(s, true);
    errno = e;
    return false;
}

int supervised_wait(struct supervised *s)
{
    int status;
    return hear(s->line, &status) ? status : SIGKILL;
}

void supervised_end(struct supervised *s, bool with_all)
{
    if (!with_all)
        say(s->line, 1);
    close(s->line);
    while (s->supervisor > 0 && waitpid(s->supervisor, NULL, 0) < 0 && errno == EINTR)
        ;
}
