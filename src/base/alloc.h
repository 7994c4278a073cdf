/* The one allocator below everything.
 *
 * In: sizes in bytes. Out: memory, or the end of the process with a message naming the size: running out of host
 * memory for the engine's own small structures is not recoverable (device memory is a different matter: space/).
 * A test can make the n-th allocation fail with alloc_fail_after (alloc_try only, which returns NULL then). */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

void *alloc_zeroed(size_t bytes);
void *alloc_aligned(size_t alignment, size_t bytes); /* zeroed; alignment: a power of two */
void *alloc_resize(void *old, size_t bytes);
void alloc_release(void *p);

/* Zeroed memory in pages of its own, large ones where the host has them, for tables of megabytes that are looked at here and there.
 * Only alloc_pages_release takes it back. */
void *alloc_pages(size_t bytes);
void *alloc_try_pages(size_t bytes); /* NULL where there is no memory */
void alloc_pages_release(void *p, size_t bytes); /* the same number; p may be NULL */

/* For large or user-controlled sizes: NULL when there is no memory. Not zeroed. */
void *alloc_try(size_t bytes);

/* The n-th alloc_try from now fails once (n = 1: the next); 0 switches it off. For tests. */
void alloc_fail_after(long n);

/* Grow a plain array `a` of `n` used and `cap` allocated elements to hold one more. */
#define ALLOC_GROW(a, n, cap)                                                                      \
    do {                                                                                           \
        if ((n) == (cap)) {                                                                        \
            (cap) = (cap) ? (cap) * 2 : 16;                                                        \
            (a) = alloc_resize((a), (size_t)(cap) * sizeof *(a));                                  \
        }                                                                                          \
    } while (0)

#endif
