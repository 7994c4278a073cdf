/* Allocation with one place for failure (see alloc.h). */
#define _GNU_SOURCE
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static long fail_after;

static void *checked(void *p, size_t bytes)
{
    if (!p && bytes) {
        fprintf(stderr, "heddle: out of host memory (%zu bytes)\n", bytes);
        abort();
    }
    return p;
}

void *alloc_zeroed(size_t bytes)
{
    return checked(calloc(1, bytes ? bytes : 1), bytes);
}

enum { LARGE_PAGE = 2 << 20 };

static size_t large_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* What is before the first large page and behind the last one goes back. */
void *alloc_try_pages(size_t bytes)
{
    size_t rounded = large_pages(bytes), all = rounded + LARGE_PAGE;
    if (!bytes)
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

void *alloc_pages(size_t bytes)
{
    return checked(alloc_try_pages(bytes), bytes);
}

void alloc_pages_release(void *p, size_t bytes)
{
    if (p)
        munmap(p, large_pages(bytes));
}

void *alloc_aligned(size_t alignment, size_t bytes)
{
    size_t rounded = (bytes + alignment) / alignment * alignment;
    return memset(checked(aligned_alloc(alignment, rounded), rounded), 0, rounded);
}

void *alloc_resize(void *old, size_t bytes)
{
    return checked(realloc(old, bytes ? bytes : 1), bytes);
}

void alloc_release(void *p)
{
    free(p);
}

void *alloc_try(size_t bytes)
{
    if (fail_after > 0 && --fail_after == 0)
        return NULL;
    return malloc(bytes ? bytes : 1);
}

void alloc_fail_after(long n)
{
    fail_after = n;
}
