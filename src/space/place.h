/* Which granules (2 MiB, what a GPU maps at once) device memory gets, as an H200's driver chooses them.
 *
 * In: how many granules for which kind of memory. Out: the number of the first, counted from the begin of the device's
 * range. Measured on an NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-23, with tests/truth/space/pages.cu; the data
 * and the command are there.
 *
 *   the range, upwards:
 *     variables, and the engine's memory                    upwards from its begin
 *     chunks                                                downwards from `top`
 *     the context's own memory, mapped                      96 MiB (there is more on an H200: no walk went farther)
 *     `first`: one granule, of the first small allocations   2 MiB
 *     the context's own memory, mapped                      72 MiB
 *     the window's rest: the first of the others            24 MiB
 *     pinned host memory                                    upwards
 *
 * The program's memory takes the lowest free granules of its chunks, the window's two pieces among them as the highest;
 * when it fits nowhere, a new chunk of as many times 32 MiB as it needs is set below the others. A chunk without memory
 * goes. Managed memory does the same with chunks of its own. On an H200 variables share the program's chunks, and pinned
 * memory too: here they lie apart, so that a program's addresses do not depend on when a module is loaded. */
#ifndef SPACE_PLACE_H
#define SPACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "space/space.h"

#define PLACE_CHUNK  16 /* granules: 32 MiB */
#define PLACE_BELOW  48 /* granules of the context below the first small allocation: 96 MiB */
#define PLACE_ABOVE  36 /* and above its granule: 72 MiB */
#define PLACE_WINDOW 12 /* granules of the window's rest: 24 MiB */

struct place_chunk {
    uint32_t first, count; /* granules */
    uint32_t used;         /* of these: live */
    enum space_kind kind;
    bool stays;            /* the window's */
};

struct places {
    const uint8_t *live;  /* [granules] of the range: not 0: taken, or the context's */
    uint32_t top, first, host, end;
    struct place_chunk *chunk; /* in order of address */
    uint32_t nchunks, cap;
};

/* Numbers of granules for a device with so many; `host`: of pinned host memory. */
void places_init(struct places *p, uint32_t device, uint32_t host);
void places_release(struct places *p);

/* Is the granule the context's own? */
bool places_context(const struct places *p, uint32_t granule);

/* The first of `count` neighbouring free granules for a kind; -1: there are none. */
int64_t places_find(struct places *p, enum space_kind kind, uint64_t count);

/* What places_find chose has become live (1), or could not (0); or it is free again (-1). */
void places_change(struct places *p, enum space_kind kind, uint32_t first, uint32_t count, int by);

#endif
