/* See children.h. */
#include "simt/children.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { PENDING_COUNT_EXCEEDED = 69 }; /* cudaErrorLaunchPendingCountExceeded */

void children_init(struct children *c, const struct child_questions *questions, children_wait_fn *wait, void *user, int device, int most_tails)
{
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->questions = questions;
    c->wait = wait;
    c->user = user;
    c->device = device;
    c->most_tails = most_tails;
}

static void release_child(struct child *c)
{
    if (c->kind == CHILD_LAUNCH)
        alloc_release(c->launch.parameters);
}

void children_release(struct children *c)
{
    for (int i = 0; i < c->n; i++)
        release_child(&c->work[i]);
    alloc_release(c->work);
    alloc_release(c->errors);
    pthread_mutex_destroy(&c->lock);
}

int children_add(struct children *c, const struct child *what)
{
    struct child own = *what;
    pthread_mutex_lock(&c->lock);
    bool fits = !own.tail || c->tails < c->most_tails;
    if (fits) {
        c->tails += own.tail;
        own.serial = ++c->serial;
        ALLOC_GROW(c->work, c->n, c->cap);
        c->work[c->n++] = own;
    }
    pthread_mutex_unlock(&c->lock);
    if (!fits)
        release_child(&own);
    return fits ? 0 : PENDING_COUNT_EXCEEDED;
}

struct child *children_take(struct children *c, uint64_t block, int *n)
{
    struct child *taken = NULL;
    int cap = 0, kept = 0;
    *n = 0;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < c->n; i++) {
        if (c->work[i].block != block || c->work[i].tail) {
            c->work[kept++] = c->work[i];
        } else {
            ALLOC_GROW(taken, *n, cap);
            taken[(*n)++] = c->work[i];
        }
    }
    c->n = kept;
    pthread_mutex_unlock(&c->lock);
    return taken;
}

static int compare(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->tail != y->tail)
        return x->tail ? 1 : -1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->serial < y->serial ? -1 : 1;
}

void children_sort(struct children *c)
{
    qsort(c->work, (size_t)c->n, sizeof *c->work, compare);
}

static struct child_error *error_of(struct children *c, uint64_t block, uint32_t thread)
{
    for (int i = 0; i < c->nerrors; i++)
        if (c->errors[i].block == block && c->errors[i].thread == thread)
            return &c->errors[i];
    return NULL;
}

int children_fail(struct children *c, uint64_t block, uint32_t thread, int error)
{
    if (!error)
        return error;
    pthread_mutex_lock(&c->lock);
    struct child_error *e = error_of(c, block, thread);
    if (!e) {
        ALLOC_GROW(c->errors, c->nerrors, c->errors_cap);
        e = &c->errors[c->nerrors++];
    }
    *e = (struct child_error){block, thread, error};
    pthread_mutex_unlock(&c->lock);
    return error;
}

int children_last_error(struct children *c, uint64_t block, uint32_t thread, bool forget)
{
    pthread_mutex_lock(&c->lock);
    struct child_error *e = error_of(c, block, thread);
    int error = e ? e->error : 0;
    if (e && forget)
        *e = c->errors[--c->nerrors];
    pthread_mutex_unlock(&c->lock);
    return error;
}

uint64_t children_handle(struct children *c)
{
    pthread_mutex_lock(&c->lock);
    uint64_t handle = ++c->handles;
    pthread_mutex_unlock(&c->lock);
    return handle * 16 + 0x1000; /* none of the special streams */
}
