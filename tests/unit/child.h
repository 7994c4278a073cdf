/* Runs a function in a child process and catches what it writes to stderr and how it ends: for tests of what ends or
 * spoils a process. The parent must not have used the CUDA runtime: a forked child could not use it then. */
#ifndef CHILD_H
#define CHILD_H

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    int status;      /* of waitpid */
    char said[8192]; /* stderr */
};

/* `meanwhile` (or NULL) runs in the parent when the child has written its first line to stderr or after `ms`. */
static inline struct child run_child(void (*act)(void), void (*meanwhile)(pid_t), int ms)
{
    struct child c = {0};
    int ends[2];
    size_t n = 0;
    ssize_t got;
    if (pipe(ends))
        return c;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        signal(SIGSEGV, SIG_DFL); /* cmocka has handlers of its own */
        signal(SIGINT, SIG_DFL);  /* a shell's background jobs ignore it */
        act();
        _exit(0);
    }
    close(ends[1]);
    if (meanwhile) {
        struct pollfd p = {ends[0], POLLIN, 0};
        poll(&p, 1, ms);
        meanwhile(pid);
    }
    while ((got = read(ends[0], c.said + n, sizeof c.said - 1 - n)) > 0)
        n += (size_t)got;
    close(ends[0]);
    waitpid(pid, &c.status, 0);
    return c;
}

#define assert_exit(c, code)                                                                       \
    do {                                                                                           \
        if (!WIFEXITED((c).status) || WEXITSTATUS((c).status) != (code))                           \
            fail_msg("child ended with status %x; it said: %s", (c).status, (c).said);             \
    } while (0)
#define assert_signal(c, number)                                                                   \
    do {                                                                                           \
        if (!WIFSIGNALED((c).status) || WTERMSIG((c).status) != (number))                          \
            fail_msg("child ended with status %x; it said: %s", (c).status, (c).said);             \
    } while (0)

#endif
