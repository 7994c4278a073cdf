/* Child processes: start one with its stdout and stderr into a file of ours, wait for it, read what it said. A child does not
 * outlive the thread that started it: the system sends it SIGTERM then (prctl(2), PR_SET_PDEATHSIG). */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

struct scratch;
struct strbuf;

struct process {
    pid_t pid; /* 0: never started */
    int fd;    /* an unnamed file with what it wrote to stderr (and stdout, unless that is the user's) */
};

struct process_start {
    const char *const *argv;       /* argv[0] is searched on PATH; ends with NULL */
    bool own_stdout;               /* its stdout is ours */
    const struct scratch *scratch; /* its TMPDIR, whose guardian also ends what it starts itself; or NULL */
};

/* False: errno says why it did not start. */
bool process_start(struct process *p, const struct process_start *how);

/* Waits, adds the output to `out`, and returns the exit status; 128 + signal for a killed process. */
int process_wait(struct process *p, struct strbuf *out);

/* The full path of a program on PATH (or `name` itself if it has a slash and is executable), NULL if there is none. */
const char *process_find(struct arena *a, const char *name);

/* The first on PATH that does not lead to the file `other` (a real path, or NULL). */
const char *process_find_other(struct arena *a, const char *name, const char *other);

#endif
