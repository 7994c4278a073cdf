/* Profile mode: every launch that HEDDLE_COLLECT (report/collection.h) is about leaves one line in the file that HEDDLE_RESULTS
 * names. */
#ifndef RUNTIME_COLLECT_H
#define RUNTIME_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle.h"

/* HEDDLE_RESULTS is set and not empty: launches are to be made with a result. */
bool runtime_collecting(void);

/* A number for the next launch, or call of a library, of the process: from 0. */
int64_t runtime_next_launch(void);

/* A device has been opened: its launches collect what is wanted. */
void runtime_collect_device(heddle_device *d);

/* The process's next launch, of a kernel (mangled) or a library's function of this name (NULL: not known), is to be made with a result.
 * Asked once for each, in the order of their results. */
bool runtime_collects(const char *name, int stream);

/* A launch begins, or has ended: results are written in the order of beginning, at the latest when no earlier launch runs. */
void runtime_launch_begins(int64_t launch);
void runtime_launch_ended(int64_t launch);

/* Takes a result over and appends it, flushed, so that a crash afterwards loses nothing. `launch`: number in the process, from 0;
 * `stream`: 0 is the default stream. `parent`: the kernel that launched it, in launch `of`; NULL: the host did. Says once on stderr when the file cannot be written. */
void runtime_collect(heddle_result *r, int64_t launch, int stream, int device, heddle_kernel *parent, int64_t of);

#endif
