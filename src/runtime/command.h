/* Running one command on the engine. */
#ifndef RUNTIME_COMMAND_H
#define RUNTIME_COMMAND_H

#include "runtime/queue.h"

/* Does what the command says and answers what the engine said; prints faults. `status` is the device's error so far:
 * with one, only host callbacks are run. Called without runtime_lock. */
cudaError_t command_run(struct command *c, cudaError_t status);

/* Says why a launch or a call of a library failed, unless that was said last; that it went on where a GPU does, though it touched
 * memory outside of allocations (NULL: it did not), once in a process. */
void command_say_failure(const char *text);
void command_say_stray(const char *text);

/* Memory behind a command (not its ticket). */
void command_release(struct command *c);

#endif
