/* The command `heddle` as a child, for libraries that compile (NVRTC, libNVVM). */
#ifndef NVRTC_CHILD_H
#define NVRTC_CHILD_H

#include "text.h"

/* A new temporary directory, "heddle-NAME-...", under TMPDIR or /tmp; false: it cannot be made (errno). */
bool child_directory(char *path, size_t size, const char *name);
void child_remove(const char *path); /* with all that is in it */

/* The command beside this library, or under HEDDLE_ROOT; false: it is not there. */
bool child_command(char *path, size_t size);

/* Its exit status, or -1; what it says goes to the file `said`. */
int child_run(const struct list *command, const char *said);

#endif
