/* Child processes: start one with its stdout and stderr into files of ours, wait for it, read what it said. */
#ifndef COMPILE_PROCESS_H
#define COMPILE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "compile/compile.h"

struct strbuf;

struct process {
    pid_t pid; /* 0: never started */
    int fd;    /* an unnamed file with what it wrote to stderr (and stdout, unless that is the user's) */
};

/* Starts argv[0], searched on PATH. With `own_stdout` its stdout stays ours. False: errno says why it did not start. */
bool process_start(struct process *p, const struct words *argv, bool own_stdout);

/* Waits, adds the output to `out`, and returns the exit status; 128 + signal for a killed process. */
int process_wait(struct process *p, struct strbuf *out);

/* The full path of a program on PATH (or `name` itself if it has a slash and is executable), NULL if there is none. */
const char *process_find(struct arena *a, const char *name);

#endif
