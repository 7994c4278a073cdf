/* See fence.h. */
#include "clock/fence.h"

#include <string.h>

#include "base/alloc.h"
#include "clock/turn.h"

void fences_clear(struct fences *f)
{
    f->n = f->nended = 0;
    f->next = f->waits = f->until = 0;
}

void fences_release(struct fences *f)
{
    alloc_release(f->v);
    alloc_release(f->ended);
}

void fences_add(struct fences *f, struct l2_queue *q, const struct caches_config *c, uint64_t at, uint32_t waiter)
{
    const uint64_t begins = later(at, f->next);
    ALLOC_GROW(f->v, f->n, f->room);
    f->v[f->n++] = (struct fence){begins, waiter};
    f->next = begins + c->fence_cycles;
    q->waiter[waiter].pending++;
}

bool fences_end(struct fences *f, struct l2_queue *q, const struct caches_config *c, uint64_t now, uint32_t *waiter)
{
    while (f->n) {
        const struct fence first = f->v[0];
        if (first.at > f->waits) { /* the wait that is going on began before it */
            const uint64_t begins = later(first.at, f->until);
            if (begins > now)
                return false;
            f->waits = begins;
            f->until = later(later(begins, q->answered), later(q->stores.last ? q->stores.last + c->store_latency : 0, q->reductions.last));
        }
        const uint64_t ends = f->until + c->fence_latency;
        struct l2_waiter *w = &q->waiter[first.waiter];
        memmove(f->v, f->v + 1, --f->n * sizeof *f->v);
        ALLOC_GROW(f->ended, f->nended, f->ended_room);
        f->ended[f->nended++] = ends;
        w->ready = later(w->ready, ends);
        if (!--w->pending) {
            *waiter = first.waiter;
            return true;
        }
    }
    return false;
}

bool fences_forget(struct fences *f, uint64_t at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nended; i++)
        if (f->ended[i] > at)
            f->ended[n++] = f->ended[i];
    const bool some = n < f->nended;
    f->nended = n;
    return some;
}
