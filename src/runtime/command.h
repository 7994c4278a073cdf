/* Running one command on the engine. */
#ifndef RUNTIME_COMMAND_H
#define RUNTIME_COMMAND_H

#include "runtime/queue.h"

/* Does what the command says and answers what the engine said; prints faults. `status` is the device's error so far:
 * with one, only host callbacks are run. Called without runtime_lock. */
cudaError_t command_run(struct command *c, cudaError_t status);

/* Memory behind a command (not its ticket). */
void command_release(struct command *c);

#endif
