/* Arenas: memory that is released all at once.
 *
 * What lives in an arena is never freed singly. One arena per module (PTX to IR) and one per launch. All memory is
 * zeroed and aligned to 16 bytes. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/across.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
    char *next;  /* first free byte of the newest chunk */
    size_t left; /* bytes left there */
};

void arena_init(struct arena *a) ACROSS(arena_init);
void arena_release(struct arena *a) ACROSS(arena_release);

void *arena_alloc(struct arena *a, size_t bytes) ACROSS(arena_alloc);
char *arena_strdup(struct arena *a, const char *s) ACROSS(arena_strdup);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) ACROSS(arena_printf) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

#endif
