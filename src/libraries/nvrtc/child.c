/* See child.h. */
#define _GNU_SOURCE
#include "child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool child_directory(char *path, size_t size, const char *name)
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, size, "%s/heddle-%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
    return mkdtemp(path) != NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

void child_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool child_command(char *path, size_t size)
{
    Dl_info info;
    char real[PATH_MAX];
    const char *root = getenv("HEDDLE_ROOT");
    if (root && *root)
        return snprintf(path, size, "%s/bin/heddle", root) < (int)size && !access(path, X_OK);
    if (!dladdr((void *)(uintptr_t)&child_command, &info) || !realpath(info.dli_fname, real))
        return false;
    for (int up = 0; up < 2; up++)
        if (strrchr(real, '/'))
            *strrchr(real, '/') = 0;
    return snprintf(path, size, "%s/bin/heddle", real) < (int)size && !access(path, X_OK);
}

int child_run(const struct list *command, const char *said)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int failed = posix_spawn(&child, command->v[0], &actions, NULL, command->v, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0; /* someone else waits for all children: what it wrote tells whether it succeeded */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
