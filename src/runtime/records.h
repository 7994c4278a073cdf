/* Files that results and findings are appended to, a line each.
 *
 * A program's child processes and its neighbours under mpirun append to the same file, so each line is written under a
 * lock. A line that cannot be written as a whole is taken back: the file keeps whole lines only. The process then says so
 * once and does not end with success (runtime_failed). */
#ifndef RUNTIME_RECORDS_H
#define RUNTIME_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

struct records {
    const char *variable; /* of the environment: names the file */
    const char *what;     /* for messages: "results" */
    FILE *file;
    bool tried, said;
};

/* Appends what `write` writes of `record`. Not thread safe. The file stays the one of the first call. */
void records_add(struct records *r, bool (*write)(const void *record, FILE *f), const void *record);

#endif
