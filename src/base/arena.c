/* Arena allocation in growing chunks (see arena.h). */
#include "base/arena.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *older;
    size_t bytes;
    _Alignas(16) char data[];
};

enum { FIRST_CHUNK = 16 * 1024 };

/* With the address sanitizer nothing but what was asked for may be touched: what lies behind it is a gap of its own. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
enum { GAP = 0 };
#define ASAN_POISON_MEMORY_REGION(p, bytes) ((void)(p), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(p, bytes) ((void)(p), (void)(bytes))
#endif

void arena_init(struct arena *a)
{
    memset(a, 0, sizeof *a);
}

void arena_release(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *older; c; c = older) {
        older = c->older;
        ASAN_UNPOISON_MEMORY_REGION(c->data, c->bytes);
        alloc_release(c);
    }
    arena_init(a);
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t asked = bytes;
    bytes = ((bytes + 15) & ~(size_t)15) + GAP;
    if (bytes > a->left) {
        size_t size = bytes > FIRST_CHUNK / 4 ? bytes + FIRST_CHUNK : FIRST_CHUNK;
        struct arena_chunk *c = alloc_zeroed(sizeof *c + size);
        c->older = a->chunks;
        c->bytes = size;
        ASAN_POISON_MEMORY_REGION(c->data, size);
        a->chunks = c;
        a->next = c->data;
        a->left = size;
    }
    void *p = a->next;
    a->next += bytes;
    a->left -= bytes;
    ASAN_UNPOISON_MEMORY_REGION(p, asked);
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}
