/* Text of blocks (see output.h). */
#include "simt/output.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "simt/warp.h"

struct block_text {
    uint64_t block;
    struct strbuf s[3]; /* by stream */
    struct block_text *next;
};

void output_add(struct block *b, int stream, const char *text, size_t n)
{
    if (!b->text) {
        struct block_text *t = alloc_zeroed(sizeof *t), *first = __atomic_load_n(&b->launch->texts, __ATOMIC_RELAXED);
        t->block = b->index;
        b->text = t;
        do
            t->next = first;
        while (!__atomic_compare_exchange_n(&b->launch->texts, &first, t, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
    strbuf_add(&b->text->s[stream], text, n);
}

static int by_block(const void *a, const void *b)
{
    const struct block_text *const *x = a, *const *y = b;
    return (*x)->block < (*y)->block ? -1 : (*x)->block > (*y)->block;
}

void output_finish(struct launch *l, void (*write)(int stream, const char *text, size_t n, void *user), void *user)
{
    size_t n = 0;
    for (struct block_text *t = l->texts; t; t = t->next)
        n++;
    if (!n)
        return;
    struct block_text **all = alloc_zeroed(n * sizeof *all), **at = all;
    for (struct block_text *t = l->texts; t; t = t->next)
        *at++ = t;
    qsort(all, n, sizeof *all, by_block);
    for (size_t i = 0; i < n; i++) {
        for (int stream = OUTPUT_PRINTF; stream <= OUTPUT_ASSERT; stream++) {
            struct strbuf *s = &all[i]->s[stream];
            if (s->len && write)
                write(stream, s->s, s->len, user);
            strbuf_release(s);
        }
        alloc_release(all[i]);
    }
    alloc_release(all);
    l->texts = NULL;
}
