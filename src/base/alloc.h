/* The one allocator below everything.
 *
 * In: sizes in bytes. Out: memory, always: what the host refuses is taken from a reserve of ALLOC_RESERVE bytes, so that
 * nothing ends half way, and the shortage is noted. Who began the work asks for it at the end (alloc_shortage): the CLI
 * before it ends, the runtime before a CUDA call returns. Only when the reserve is used up does the process end, with a
 * message that names the size. Sizes that a user decides use alloc_try_*, which answer NULL and note nothing.
 *
 * A test makes an allocation fail with alloc_fail_after, or from outside with HEDDLE_ALLOC_FAIL=[NAME:]N[+] (docs/runtime.md):
 * the N-th allocation of the process fails, with + every later one too; with NAME only in programs of that name. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/across.h"

#define ALLOC_RESERVE ((size_t)8 << 20)

void *alloc_zeroed(size_t bytes) ACROSS(alloc_zeroed);
void *alloc_aligned(size_t alignment, size_t bytes); /* zeroed; alignment: a power of two, at most 4096 */
void *alloc_resize(void *old, size_t bytes) ACROSS(alloc_resize);
char *alloc_strndup(const char *s, size_t n) ACROSS(alloc_strndup);
void alloc_release(void *p) ACROSS(alloc_release);

/* For large or user-controlled sizes: NULL where there is no memory. */
void *alloc_try_zeroed(size_t bytes);
void *alloc_try_aligned(size_t alignment, size_t bytes); /* not zeroed */

/* The same, zeroed, in pages of its own, large ones where the host has them, for tables of megabytes that are looked at here
 * and there. Only alloc_pages_release takes it back. */
void *alloc_try_pages(size_t bytes);
void alloc_pages_release(void *p, size_t bytes); /* the same number; p may be NULL */

/* Bytes of the first allocation since the last call that came from the reserve; 0: none did. */
size_t alloc_shortage(void) ACROSS(alloc_shortage);

/* Would alloc_shortage answer something? */
bool alloc_is_short(void);

/* The n-th allocation from now fails (n = 1: the next), and the later ones too if so; 0 switches it off. For tests. */
void alloc_fail_after(long n, bool later_too);

/* The compiler's module has this file in it a second time: it joins the state of the library that loads it. */
struct alloc_state;
struct alloc_state *alloc_state(void);
void alloc_join(struct alloc_state *s);

/* Grow a plain array `a` of `n` used and `cap` allocated elements to hold one more. */
#define ALLOC_GROW(a, n, cap)                                                                      \
    do {                                                                                           \
        if ((n) == (cap)) {                                                                        \
            (cap) = (cap) ? (cap) * 2 : 16;                                                        \
            (a) = alloc_resize((a), (size_t)(cap) * sizeof *(a));                                  \
        }                                                                                          \
    } while (0)

#endif
