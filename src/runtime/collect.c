/* Profile mode (see collect.h). Launches are profiled one at a time (queue.h), so nothing here is locked. */
#define _GNU_SOURCE
#include "runtime/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine.h"
#include "report/result.h"
#include "runtime/runtime.h"

static const char *results_path(void)
{
    const char *path = getenv("HEDDLE_RESULTS");
    return path && *path ? path : NULL;
}

bool runtime_collecting(void)
{
    return results_path() != NULL;
}

/* Opened for appending: a program's child processes and its neighbours under mpirun write to the same file. The file
 * stays the one of the first launch. */
static FILE *results_file(void)
{
    static FILE *f;
    static bool tried;
    if (tried)
        return f;
    tried = true;
    f = fopen(results_path(), "ae");
    if (!f)
        runtime_say("cannot write results to '%s': %s", results_path(), strerror(errno));
    else
        setvbuf(f, NULL, _IOFBF, 1 << 20);
    return f;
}

void runtime_collect(heddle_result *r, int64_t launch, int stream, int device)
{
    static bool said;
    struct result *result = engine_result(r);
    FILE *f = results_file();
    if (!f)
        return;
    result->id = launch;
    result->context = 1;
    result->stream = stream;
    result->device = device;
    result->pid = getpid();
    result->process = program_invocation_short_name;
    flock(fileno(f), LOCK_EX);
    bool written = result_write(result, f);
    flock(fileno(f), LOCK_UN);
    if (!written && !said) {
        said = true;
        runtime_say("cannot write results to '%s': %s", results_path(), strerror(errno));
    }
}
