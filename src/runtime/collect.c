/* Profile mode (see collect.h). Launches are profiled one at a time (queue.h), so nothing here is locked. */
#define _GNU_SOURCE
#include "runtime/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "report/result.h"
#include "runtime/records.h"

bool runtime_collecting(void)
{
    const char *path = getenv("HEDDLE_RESULTS");
    return path && *path;
}

static bool write_result(const void *result, FILE *f)
{
    return result_write(result, f);
}

void runtime_collect(heddle_result *r, int64_t launch, int stream, int device)
{
    static struct records file = {.variable = "HEDDLE_RESULTS", .what = "results"};
    struct result *result = engine_result(r);
    result->id = launch;
    result->context = 1;
    result->stream = stream;
    result->device = device;
    result->pid = getpid();
    result->process = program_invocation_short_name;
    records_add(&file, write_result, result);
}
