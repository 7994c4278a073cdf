/* Checked runs (see checking.h). Launches are checked one at a time (queue.h), so nothing here is
 * locked. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "runtime/checking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "check/check.h"
#include "engine.h"
#include "report/findings.h"
#include "runtime/runtime.h"

static int64_t launch;

static FILE *findings_file(void)
{
    static FILE *f;
    static bool tried;
    const char *path = getenv("HEDDLE_FINDINGS");

    if (tried)
        return f;
    tried = true;
    f = path && *path ? fopen(path, "ae") : NULL;
    if (!f)
        runtime_say("cannot write findings to '%s': %s", path ? path : "", path ? strerror(errno) : "HEDDLE_FINDINGS is not set");
    return f;
}

static void found(struct finding *f, void *user)
{
    FILE *file = findings_file();

    (void)user;
    f->pid = getpid();
    f->process = program_invocation_short_name;
    f->launch = launch;
    if (file) {
        flock(fileno(file), LOCK_EX);
        if (!finding_write(f, file))
            runtime_say("cannot write findings: %s", strerror(errno));
        flock(fileno(file), LOCK_UN);
    }
    finding_free(f);
}

bool runtime_checking(void)
{
    const char *words = getenv("HEDDLE_CHECK");
    return words && *words;
}

void checking_device(heddle_device *engine)
{
    const char *words = getenv("HEDDLE_CHECK");
    unsigned tools = 0;

    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, ",");
        unsigned named = check_tool_named(at, n);

        if (!named)
            runtime_say("HEDDLE_CHECK: '%.*s' is no tool; there are memcheck, initcheck, synccheck, racecheck and all",
                        (int)n, at);
        tools |= named;
        at += at[n] ? n + 1 : n;
    }
    if (tools)
        engine_check(engine, tools, found, NULL);
}

void checking_launch(int64_t id)
{
    launch = id;
}
