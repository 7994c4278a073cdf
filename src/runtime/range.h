/* Which part of a program profilers look at: all of it, or what is between cudaProfilerStart and cudaProfilerStop, or in
 * NVTX ranges of certain names.
 *
 * The environment's HEDDLE_RANGE says which: unset, everything; otherwise words with line ends between them: "profiler",
 * "push:NAME" (a range pushed on the calling thread, nested ones by "OUTER/INNER"), "start:NAME" (one started on any). With
 * several words, what is in one of them is looked at; with "profiler" and others, only what is also between the calls. */
#ifndef RUNTIME_RANGE_H
#define RUNTIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle.h"

/* Is what the calling thread asks for now to be looked at? */
bool range_open(void);

/* cudaProfilerStart and cudaProfilerStop. */
void range_profiler(bool on);

/* What nvToolsExt.h calls. Push and pop answer the depth of the thread's stack below the range, pop -1 at the bottom. */
HEDDLE_API int heddle_nvtx_push(const char *name);
HEDDLE_API int heddle_nvtx_pop(void);
HEDDLE_API uint64_t heddle_nvtx_start(const char *name);
HEDDLE_API void heddle_nvtx_end(uint64_t id);

#endif
