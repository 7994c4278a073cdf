/* Registered memory: host memory that kernels reach where it is, because the program gave it to cudaHostRegister or because
 * it is a __managed__ variable.
 *
 * It is ordinary memory of the process, at one address for both sides, outside the ranges of space.h; so the engine's
 * view of it is the address itself. One list for the process: all devices see it (unified addressing makes every
 * registration portable: CUDA C++ programming guide 12, 3.2.6). Ranges begin and end at any byte and do not overlap.
 * Kernels may touch the whole pages that a range lies in, since whole pages are what a GPU gets to see; byte-exact
 * bounds are check/'s business. Thread safe; registered_ok takes no lock, so that every access of a kernel may ask. */
#ifndef SPACE_REGISTERED_H
#define SPACE_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/across.h"
#include "space/space.h"

#define REGISTERED_PAGE UINT64_C(4096) /* x86-64 */

struct registered {
    uint64_t address, bytes;
    unsigned flags;    /* of cudaHostRegister; nobody looks at them here */
    const char *label; /* name of the managed variable, or NULL */
};

/* False: overlaps a range that is there, is empty, or goes past the end of all addresses. */
bool registered_add(const struct registered *r) ACROSS(registered_add);

/* The range that begins at the address exactly. False: there is none. No kernel may be using it. */
bool registered_remove(uint64_t address) ACROSS(registered_remove);

/* The range that holds the address; else false, and *out is the nearest one (bytes 0: there is none). */
bool registered_find(uint64_t address, struct registered *out) ACROSS(registered_find);

/* Calls `visit` for every range in order of address, as an allocation of pinned or managed memory. */
void registered_each(void (*visit)(const struct space_allocation *a, void *user), void *user);

/* A range as an allocation. */
struct space_allocation registered_allocation(const struct registered *r);

/* True when a kernel may access `n` bytes (at most a page) at the address. */
bool registered_ok(uint64_t address, unsigned n) ACROSS(registered_ok);

/* True when the pages of one range hold all from `first` to `last`. */
bool registered_spans(uint64_t first, uint64_t last);

/* What to add to an address that is registered to get the same view as space_host: access paths have one base for all
 * lanes, and that one leads to device memory. */
#define REGISTERED_SHIFT (UINT64_C(0) - SPACE_DELTA)

#endif
