/* The list of launches that run (see running.h, and engine_progress in engine.h). */
#include "engine/running.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/host_time.h"
#include "engine.h"
#include "engine/private.h"
#include "report/lines.h"
#include "report/names.h"
#include "report/result.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct running *first; /* the one that has run longest */

void running_begin(struct running *r, const struct heddle_kernel *k, const struct launch *l, const char *how)
{
    struct running **at = &first;
    *r = (struct running){k, l, host_time(), how, NULL};
    pthread_mutex_lock(&lock);
    while (*at)
        at = &(*at)->next;
    *at = r;
    pthread_mutex_unlock(&lock);
}

void running_end(struct running *r)
{
    struct running **at = &first;
    pthread_mutex_lock(&lock);
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    pthread_mutex_unlock(&lock);
}

/* The user's line that an instruction belongs to: not one of the compiler's own headers. */
static void add_place(const struct ir_kernel *k, int32_t site, char *out, size_t room)
{
    const struct ptx_loc *loc = site >= 0 && site < k->ninsts ? k->insts[site].from->loc : NULL;
    while (loc && loc->inlined_at && lines_is_compilers(loc->file))
        loc = loc->inlined_at;
    if (loc && loc->line && !lines_is_compilers(loc->file))
        snprintf(out, room, "%s:%d", diag_file(loc->file), loc->line);
}

bool engine_progress(struct engine_progress *p)
{
    bool some = false;
    memset(p, 0, sizeof *p);
    pthread_mutex_lock(&lock);
    if (first) {
        const struct launch *l = first->launch;
        uint64_t done = __atomic_load_n(&l->past, __ATOMIC_RELAXED);
        struct arena a;
        arena_init(&a);
        const char *name = result_demangle(&a, first->kernel->function->name);
        snprintf(p->kernel, sizeof p->kernel, "%s", name_form(NAME_FUNCTION, name, name, &a));
        arena_release(&a);
        some = true;
        p->number = l->number;
        p->blocks = l->nblocks;
        p->past = done < l->nblocks ? done : l->nblocks;
        p->seconds = (double)(host_time() - first->since) * 1e-9;
        p->how = first->how;
        add_place(first->kernel->ir, __atomic_load_n(&l->at, __ATOMIC_RELAXED), p->at, sizeof p->at);
    }
    pthread_mutex_unlock(&lock);
    return some;
}
