/* Which programs can be stepped, and whether this process is to (see step.h). */
#include "step/step.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "ptx/link.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct steps **tables;
static int ntables, tables_cap; /* ntables: atomic, too, as every launch asks whether there is one */

void steps_register(const struct steps *s)
{
    pthread_mutex_lock(&lock);
    ALLOC_GROW(tables, ntables, tables_cap);
    tables[ntables] = s;
    __atomic_store_n(&ntables, ntables + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

const struct steps *steps_find(uint64_t id, size_t bytes)
{
    const struct steps *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ntables && !found; i++)
        if (tables[i]->id == id && tables[i]->ptx_bytes == bytes)
            found = tables[i];
    pthread_mutex_unlock(&lock);
    return found;
}

bool steps_same_name(const char *name, int unit, int n, const char *want)
{
    struct strbuf own;
    if (!strcmp(name, want))
        return true;
    strbuf_init(&own);
    bool same = n > 1 && ptx_link_name(name, unit, &own) && !strcmp(own.s, want);
    strbuf_release(&own);
    return same;
}

bool step_demanded(void)
{
    const char *mode = getenv("HEDDLE_EXEC");
    return mode && !strcmp(mode, "step");
}

/* /proc/self/status: "TracerPid:\t123", 0 without a debugger. */
bool step_debugged(void)
{
    char text[4096];
    int f = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = f >= 0 ? read(f, text, sizeof text - 1) : 0;
    if (f >= 0)
        close(f);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, "TracerPid:");
    return at && atoi(at + sizeof "TracerPid:" - 1) != 0;
}

bool step_wanted(void)
{
    const char *mode = getenv("HEDDLE_EXEC");
    bool chosen = mode && *mode && strcmp(mode, "auto");
    bool built = __atomic_load_n(&ntables, __ATOMIC_RELAXED) > 0; /* first: whether there is a debugger takes the system 14 us to say */
    return step_demanded() || (!chosen && built && step_debugged());
}
