/* See pages.h. */
#include "base/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

enum { LINE = 128, BLOCK = 2 << 20 };

struct pages_block {
    struct pages_block *next;
    size_t bytes;
    bool plain;    /* of alloc_aligned: the host had no pages */
    bool used;     /* before: nothing in it is zero */
};

_Static_assert(sizeof(struct pages_block) <= LINE, "");

static struct {
    pthread_mutex_t lock;
    struct pages_block *blocks;
    size_t bytes;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One of so many bytes that was kept, or NULL. */
static struct pages_block *take_kept(size_t bytes)
{
    pthread_mutex_lock(&kept.lock);
    struct pages_block **at = &kept.blocks, *b;
    while (*at && (*at)->bytes != bytes)
        at = &(*at)->next;
    b = *at;
    if (b) {
        *at = b->next;
        kept.bytes -= bytes;
    }
    pthread_mutex_unlock(&kept.lock);
    return b;
}

static bool keep(struct pages_block *b)
{
    pthread_mutex_lock(&kept.lock);
    const bool room = !b->plain && kept.bytes + b->bytes <= PAGES_KEPT;
    if (room) {
        b->used = true;
        b->next = kept.blocks;
        kept.blocks = b;
        kept.bytes += b->bytes;
    }
    pthread_mutex_unlock(&kept.lock);
    return room;
}

static struct pages_block *new_block(size_t bytes, size_t least)
{
    struct pages_block *b = alloc_try_pages(bytes);
    if (b) {
        b->bytes = bytes;
        return b;
    }
    b = alloc_aligned(LINE, least);
    b->bytes = least;
    b->plain = true;
    return b;
}

static void add_block(struct pages *p, size_t bytes)
{
    const size_t least = bytes + LINE, all = (least + BLOCK - 1) / BLOCK * BLOCK;
    struct pages_block *b = take_kept(all);
    if (!b)
        b = new_block(all, least);
    b->next = p->blocks;
    p->blocks = b;
    p->next = (char *)b + LINE;
    p->left = b->bytes - LINE;
}

void *pages_take(struct pages *p, size_t bytes)
{
    bytes = (bytes + LINE - 1) / LINE * LINE;
    if (bytes > p->left)
        add_block(p, bytes);
    void *v = p->next;
    p->next += bytes;
    p->left -= bytes;
    return p->blocks->used ? memset(v, 0, bytes) : v;
}

void pages_release(struct pages *p)
{
    while (p->blocks) {
        struct pages_block *b = p->blocks;
        p->blocks = b->next;
        if (keep(b))
            continue;
        if (b->plain)
            alloc_release(b);
        else
            alloc_pages_release(b, b->bytes);
    }
    *p = (struct pages){0};
}
