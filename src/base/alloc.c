/* Allocation with one place for failure (see alloc.h). */
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
