/* Tables of a launch that come and go together: pieces of large pages, where the host has them.
 *
 * New pages cost more than most launches do with them: in some virtual machines 15 us for each of 4 KiB, a large one of 2 MiB 130 us, and 4 ms
 * where the machine below has to find it first (AMD EPYC, 2026-11-30). So those that are released are kept for the next ones, up to
 * PAGES_KEPT bytes. What nobody touches of new ones costs nothing. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

#define PAGES_KEPT ((size_t)64 << 20)

struct pages_block;

struct pages {
    struct pages_block *blocks; /* the newest one first */
    char *next;    /* in that one */
    size_t left;
};

/* Zeroed, on a boundary of 128 bytes. */
void *pages_take(struct pages *p, size_t bytes);
/* All of them; it is as new then. */
void pages_release(struct pages *p);

#endif
