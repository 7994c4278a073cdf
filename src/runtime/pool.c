/* Handles of one kind (see pool.h). */
#include "runtime/pool.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum { PER_CHUNK = 128 };

struct pool_chunk {
    struct pool_chunk *next;
    char *objects;
};

static bool *alive(const struct pool *p, const struct pool_chunk *c, size_t i)
{
    return (bool *)(c->objects + i * p->size);
}

void *pool_take(struct pool *p)
{
    for (struct pool_chunk *c = p->chunks; c; c = c->next) {
        for (size_t i = 0; i < PER_CHUNK; i++) {
            bool *o = alive(p, c, i);
            if (!*o) {
                memset(o, 0, p->size);
                *o = true;
                return o;
            }
        }
    }
    struct pool_chunk *c = alloc_zeroed(sizeof *c), **end = &p->chunks;
    c->objects = alloc_zeroed(PER_CHUNK * p->size);
    while (*end)
        end = &(*end)->next;
    *end = c;
    *alive(p, c, 0) = true;
    return c->objects;
}

void pool_give(struct pool *p, void *object)
{
    (void)p;
    *(bool *)object = false;
}

/* Index of an object in a chunk; PER_CHUNK when it is not there. */
static size_t index_in(const struct pool *p, const struct pool_chunk *c, const void *object)
{
    uintptr_t at = (uintptr_t)object - (uintptr_t)c->objects;
    return at < PER_CHUNK * p->size && at % p->size == 0 ? at / p->size : PER_CHUNK;
}

bool pool_has_place(const struct pool *p, const void *object)
{
    for (const struct pool_chunk *c = p->chunks; c; c = c->next)
        if (index_in(p, c, object) < PER_CHUNK)
            return true;
    return false;
}

bool pool_holds(const struct pool *p, const void *object)
{
    return pool_has_place(p, object) && *(const bool *)object;
}

void *pool_next(const struct pool *p, const void *last)
{
    const struct pool_chunk *c = p->chunks;
    size_t i = 0;
    for (; last && c; c = c->next) {
        i = index_in(p, c, last) + 1;
        if (i <= PER_CHUNK)
            break;
    }
    for (; c; c = c->next, i = 0)
        for (; i < PER_CHUNK; i++)
            if (*alive(p, c, i))
                return alive(p, c, i);
    return NULL;
}
