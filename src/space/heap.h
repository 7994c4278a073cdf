/* The device heap: what malloc, free, new and delete of kernels hand out.
 *
 * A fixed part of device memory (cudaLimitMallocHeapSize bytes), cut into units of 16 bytes, the alignment that the
 * CUDA C++ programming guide promises ("Dynamic Global Memory Allocation and Operations"). First fit in order of
 * address, so the same calls in the same order give the same addresses. What is handed out lives until it is freed,
 * beyond the launch. The book-keeping is the host's: nothing a kernel writes can harm it. Thread safe. */
#ifndef SPACE_HEAP_H
#define SPACE_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "space/space.h"

#define HEAP_UNIT 16
#define HEAP_LABEL "device heap" /* of its allocation in the space */

struct heap {
    uint64_t base, bytes; /* bytes 0: not opened yet */
    uint32_t *length;     /* [units]: units of the piece handed out that begins here, else 0 */
    uint8_t *used;        /* [units]: bytes of the unit that are handed out, from its first; as asked for */
    uint64_t padding;     /* bytes behind every later piece that belong to nobody: space_pad for pieces */
    struct heap_gap *gap; /* in order of address, never two that touch */
    size_t ngaps, cap;
    pthread_mutex_t lock;
};

/* Takes `bytes` (rounded up to a unit, at most 64 GiB) of the device's memory. SPACE_NO_MEMORY: they are not there. */
enum space_status heap_open(struct heap *h, struct space *s, uint64_t bytes);
void heap_close(struct heap *h, struct space *s);

/* A device address, or 0 when no gap is large enough. 0 bytes get 0, as malloc in kernels answers. */
uint64_t heap_alloc(struct heap *h, uint64_t bytes);

/* False: `address` is not what heap_alloc returned, or was freed already. */
bool heap_free(struct heap *h, uint64_t address);

/* Do `n` bytes (at most 32) from an address of the heap lie in what was handed out? */
bool heap_holds(const struct heap *h, uint64_t address, unsigned n);

/* The live piece that holds the address or begins nearest below it, within 64 KiB. False: there is none. */
bool heap_find(const struct heap *h, uint64_t address, uint64_t *start, uint64_t *bytes);

/* Calls `visit` for every live piece in order of address. */
void heap_each(const struct heap *h, void (*visit)(uint64_t address, uint64_t bytes, void *user), void *user);

#endif
