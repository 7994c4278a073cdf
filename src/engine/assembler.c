/* See assembler.h. The assembler is run for each kernel that is compiled: it takes tens of milliseconds, and is off by default. */
#define _GNU_SOURCE /* mkostemps */
#include "engine/assembler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "ptx/ptx.h"

extern char **environ;

bool assembler_is_wanted(void)
{
    const char *where = getenv("HEDDLE_REGISTERS");
    return where && !strcmp(where, "ptxas");
}

static bool calls_outside(const struct ptx_module *m)
{
    for (int i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i]->defined)
            return true;
    return false;
}

/* Everything the child wrote is in `said`; its exit status, or -1 with errno. */
static int run(const char *const *argv, struct strbuf *said)
{
    int ends[2], status = -1;
    pid_t pid;
    char buf[4096];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t n; !error && (n = read(ends[0], buf, sizeof buf)) > 0;)
        strbuf_add(said, buf, (size_t)n);
    close(ends[0]);
    if (error) {
        errno = error;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* "... entry function 'NAME' ..." and behind it "Used N registers". */
static int find_registers(const char *said, const char *kernel)
{
    static const char entry[] = "entry function '";
    size_t len = strlen(kernel);
    for (const char *at = said; at && (at = strstr(at, entry)); at++) {
        const char *name = at + sizeof entry - 1, *used;
        if (strncmp(name, kernel, len) || name[len] != '\'' || !(used = strstr(name, "Used ")))
            continue;
        return atoi(used + 5);
    }
    return 0;
}

int assembler_registers(const struct ptx_module *m, const char *kernel, struct strbuf *why)
{
    const char *folder = getenv("TMPDIR");
    char path[4096], arch[32];
    struct strbuf said;
    int n = 0;
    snprintf(path, sizeof path, "%s/heddle-XXXXXX.ptx", folder && *folder ? folder : "/tmp");
    snprintf(arch, sizeof arch, "-arch=sm_%d%s", m->arch, m->arch_suffix ? (char[]){m->arch_suffix, 0} : "");
    int fd = mkostemps(path, 4, O_CLOEXEC);
    if (fd < 0 || write(fd, m->text, m->text_len) != (ssize_t)m->text_len) {
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: cannot write '%s': %s\n", path, strerror(errno));
        if (fd >= 0)
            close(fd), unlink(path);
        return 0;
    }
    close(fd);
    strbuf_init(&said);
    const char *argv[] = {"ptxas", "-v", arch, path, "-o", "/dev/null", calls_outside(m) ? "-c" : NULL, NULL};
    int status = run(argv, &said);
    if (status < 0)
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: cannot run 'ptxas': %s\n", strerror(errno));
    else if (!(n = find_registers(said.s ? said.s : "", kernel)))
        strbuf_addf(why, "HEDDLE_REGISTERS=ptxas: 'ptxas %s' does not assemble it: %.300s\n", arch, said.s ? said.s : "");
    unlink(path);
    strbuf_release(&said);
    return n;
}
