/* Handles of one kind (streams, events): objects that are never given back to the system, so that a handle that was
 * destroyed or never was one can be told from a live one without touching foreign memory.
 *
 * The object's first member must be `bool alive`. Not thread safe: callers hold the runtime's lock. */
#ifndef RUNTIME_POOL_H
#define RUNTIME_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool_chunk;

struct pool {
    size_t size; /* bytes of an object, a multiple of 16 */
    struct pool_chunk *chunks;
};

/* A zeroed object with alive set. */
void *pool_take(struct pool *p);
void pool_give(struct pool *p, void *object);

/* True when the pointer is a live object of the pool. */
bool pool_holds(const struct pool *p, const void *object);

/* True when there is place for an object of the pool at the pointer, live or not. */
bool pool_has_place(const struct pool *p, const void *object);

/* The live object after `last` (NULL: the first), or NULL. */
void *pool_next(const struct pool *p, const void *last);

#endif
