/* Allocation with one place for failure (see alloc.h). */
#define _GNU_SOURCE
#include "base/alloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct alloc_state {
    atomic_long fail_after; /* the so many-th allocation from now fails; 0: none does */
    bool later_too, told;   /* told: each failure is one line on stderr */
    _Atomic size_t shortage;
    _Atomic size_t used;    /* bytes of the reserve */
    _Alignas(4096) char reserve[ALLOC_RESERVE];
};

static struct alloc_state own;
static struct alloc_state *state = &own;

struct alloc_state *alloc_state(void)
{
    return state;
}

void alloc_join(struct alloc_state *s)
{
    if (state != s) /* said again while others allocate it changes nothing */
        state = s;
}

/* --- failure --- */

void alloc_fail_after(long n, bool later_too)
{
    state->later_too = later_too;
    atomic_store(&state->fail_after, n);
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *given = getenv("HEDDLE_ALLOC_FAIL"), *colon = given ? strrchr(given, ':') : NULL, *name = program_invocation_short_name;
    char *end;
    if (!given || (colon && (strlen(name) != (size_t)(colon - given) || strncmp(given, name, (size_t)(colon - given)))))
        return;
    long n = strtol(colon ? colon + 1 : given, &end, 10);
    bool later_too = *end == '+';
    if (n < 1 || end[later_too]) {
        dprintf(STDERR_FILENO, "heddle: HEDDLE_ALLOC_FAIL is '%s': [NAME:]N[+] is needed, N from 1\n", given);
        _exit(2);
    }
    state->told = true;
    alloc_fail_after(n, later_too);
}

/* Is this the allocation that a test wants to fail? */
static bool refused(size_t bytes)
{
    long left = atomic_load_explicit(&state->fail_after, memory_order_relaxed), next;
    do {
        if (!left)
            return false;
        next = left > 1 ? left - 1 : state->later_too;
    } while (!atomic_compare_exchange_weak(&state->fail_after, &left, next));
    if (left == 1 && state->told)
        dprintf(STDERR_FILENO, "heddle: HEDDLE_ALLOC_FAIL: no memory for an allocation of %zu bytes\n", bytes);
    return left == 1;
}

static _Noreturn void end(size_t bytes)
{
    if (!ftrylockfile(stdout)) { /* what the program has printed is not lost */
        fflush(stdout);
        funlockfile(stdout);
    }
    dprintf(STDERR_FILENO, "heddle: error: out of host memory (%zu bytes), the reserve is used up\n", bytes);
    _exit(EXIT_FAILURE);
}

/* --- the reserve: handed out once, in order; each piece has its size before it --- */

static bool in_reserve(const void *p)
{
    return (uintptr_t)p - (uintptr_t)state->reserve < ALLOC_RESERVE;
}

static size_t *size_of(void *piece)
{
    return (size_t *)piece - 1;
}

/* Zeroed. */
static void *from_reserve(size_t alignment, size_t bytes)
{
    size_t used = atomic_load(&state->used), at, none = 0;
    do {
        at = (used + sizeof(size_t) + alignment - 1) / alignment * alignment;
        if (at > ALLOC_RESERVE || bytes > ALLOC_RESERVE - at)
            end(bytes);
    } while (!atomic_compare_exchange_weak(&state->used, &used, at + bytes));
    atomic_compare_exchange_strong(&state->shortage, &none, bytes ? bytes : 1);
    void *p = state->reserve + at;
    *size_of(p) = bytes;
    return p;
}

size_t alloc_shortage(void)
{
    return alloc_is_short() ? atomic_exchange(&state->shortage, 0) : 0;
}

bool alloc_is_short(void)
{
    return atomic_load_explicit(&state->shortage, memory_order_relaxed);
}

/* --- the interface --- */

enum { ALIGN = _Alignof(max_align_t) };

void *alloc_try_zeroed(size_t bytes)
{
    return refused(bytes) ? NULL : calloc(1, bytes ? bytes : 1);
}

void *alloc_zeroed(size_t bytes)
{
    void *p = alloc_try_zeroed(bytes);
    return p ? p : from_reserve(ALIGN, bytes);
}

void *alloc_try_aligned(size_t alignment, size_t bytes)
{
    return refused(bytes) ? NULL : aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void *alloc_aligned(size_t alignment, size_t bytes)
{
    void *p = alloc_try_aligned(alignment, bytes);
    return p ? memset(p, 0, bytes) : from_reserve(alignment, bytes);
}

/* What a piece holds at least: as much of it moves. */
static size_t held(void *p)
{
    return !p ? 0 : in_reserve(p) ? *size_of(p) : malloc_usable_size(p);
}

void *alloc_resize(void *old, size_t bytes)
{
    bool no = refused(bytes);
    if (!no && !in_reserve(old)) {
        void *p = realloc(old, bytes ? bytes : 1);
        if (p)
            return p;
        no = true;
    }
    size_t move = held(old) < bytes ? held(old) : bytes;
    void *p = no ? NULL : malloc(bytes ? bytes : 1);
    p = p ? p : from_reserve(ALIGN, bytes);
    if (move)
        memcpy(p, old, move);
    alloc_release(old);
    return p;
}

char *alloc_strndup(const char *s, size_t n)
{
    char *copy = alloc_zeroed(n + 1);
    memcpy(copy, s, n);
    return copy;
}

void alloc_release(void *p)
{
    if (!in_reserve(p))
        free(p);
}

/* --- pages --- */

enum { LARGE_PAGE = 2 << 20 };

static size_t large_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* What is before the first large page and behind the last one goes back. */
void *alloc_try_pages(size_t bytes)
{
    size_t rounded = large_pages(bytes), all = rounded + LARGE_PAGE;
    if (!bytes || refused(bytes))
        return NULL;
    char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
    if (before)
        munmap(p, before);
    munmap(p + before + rounded, LARGE_PAGE - before);
    madvise(p + before, rounded, MADV_HUGEPAGE); /* a wish */
    return p + before;
}

void alloc_pages_release(void *p, size_t bytes)
{
    if (p)
        munmap(p, large_pages(bytes));
}
