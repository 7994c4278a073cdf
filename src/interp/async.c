/* cp.async: copies wait in the warp's queue until their group is waited for (simt/warp.h says why so late).
 *
 * In: copies whose addresses access.h has checked. Invariant: copy[0..n) in the order of issue, each with lanes left.
 * Source: PTX ISA 8.4, 9.7.9.25 (groups are per thread, complete in any order, and writes of copies that nobody waited
 * for are not ordered with anything). Copies of lanes that exit are dropped with the block's shared memory. */
#include "interp/code.h"

#include <string.h>

static void carry_out(struct warp *w, struct async_copy *c, uint32_t lanes)
{
    struct record *r = lanes & c->mask ? warp_event(w, 0, RECORD_COPIED, lanes & c->mask, 0) : NULL;
    if (r) {
        r->bytes = c->bytes;
        for (int i = 0; i < WARP_LANES; i++)
            r->addr[i] = c->to[i];
    }
    for (uint32_t left = lanes & c->mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        char *to = w->block->shared + c->to[i];
        memcpy(to, (const char *)space_host(c->from[i]), c->size[i]);
        memset(to + c->size[i], 0, (size_t)(c->bytes - c->size[i]));
    }
    c->mask &= ~lanes;
}

static void drop_done(struct async_queue *q)
{
    int kept = 0;
    for (int i = 0; i < q->n; i++)
        if (q->copy[i].mask) {
            if (kept < i)
                q->copy[kept] = q->copy[i];
            kept++;
        }
    q->n = kept;
}

struct async_copy *async_push(struct warp *w)
{
    struct async_queue *q = w->async;
    if (q->n == ASYNC_COPIES) {
        carry_out(w, &q->copy[0], ~0u);
        drop_done(q);
    }
    struct async_copy *c = &q->copy[q->n++];
    c->mask = 0;
    return c;
}

void async_commit(struct warp *w, uint32_t m)
{
    if (!w->async) /* a kernel may commit groups without copies */
        return;
    for (; m; m &= m - 1)
        w->async->committed[__builtin_ctz(m)]++;
}

void async_wait(struct warp *w, uint32_t m, uint32_t keep, bool all)
{
    struct async_queue *q = w->async;
    if (!q)
        return;
    for (int i = 0; i < q->n; i++) {
        struct async_copy *c = &q->copy[i];
        uint32_t lanes = 0;
        for (uint32_t left = c->mask & m; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            uint32_t newer = q->committed[lane] - c->group[lane]; /* 0: not committed; 1: the newest group ... */
            lanes |= (uint32_t)(all || newer > keep) << lane;
        }
        carry_out(w, c, lanes);
    }
    drop_done(q);
}
