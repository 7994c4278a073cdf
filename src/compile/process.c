/* Child processes through posix_spawn (see process.h). The output goes to an unlinked temporary file rather than a
 * pipe, so that two children can run at once and neither waits for a reader. */
#define _GNU_SOURCE /* memfd_create */
#include "compile/process.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"

extern char **environ;

bool process_start(struct process *p, const struct words *argv, bool own_stdout)
{
    memset(p, 0, sizeof *p);
    p->fd = memfd_create("output", MFD_CLOEXEC);
    if (p->fd < 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, p->fd, 2);
    if (!own_stdout)
        posix_spawn_file_actions_adddup2(&actions, p->fd, 1);
    int e = posix_spawnp(&p->pid, argv->v[0], &actions, NULL, (char **)argv->v, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (e) {
        close(p->fd);
        p->pid = 0;
        errno = e;
        return false;
    }
    return true;
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
    const char *path = getenv("PATH");
    if (!path)
        path = "/usr/bin:/bin";
    while (*path) {
        int n = (int)strcspn(path, ":");
        const char *full = arena_printf(a, "%.*s/%s", n, path, name);
        if (n && access(full, X_OK) == 0)
            return full;
        path += n + (path[n] == ':');
    }
    return NULL;
}
