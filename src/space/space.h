/* Device memory: one address range per device, seen twice.
 *
 * The bytes live in a memfd that is mapped twice. At the address the program sees (a `uint64_t` device address, the
 * value of the pointer that cudaMalloc returns) the pages are inaccessible to host code, so that a host program that
 * touches a device pointer faults as it would without the mapping. At address + delta the engine reads and writes.
 * Addresses are the same in every run (SPACE_BASE + device * SPACE_STRIDE): address randomisation must not move
 * modelled cache sets. Memory is granted like the vendor's allocator grants it: addresses are multiples of 512 bytes,
 * a large allocation takes whole granules of 2 MiB, small ones share granules; an access is faulted when its granule
 * holds no allocation (what a GPU's page table does). Byte-exact bounds are check/'s business: space_find says which
 * allocation an address belongs to or is nearest to.
 * The program's own memory grows upwards from the first address, variables and the engine's memory downwards from the
 * device's last, so that a program's addresses do not depend on when a module is loaded. Managed memory lies among the
 * program's, pinned host memory in a range of its own behind the device's memory; both are readable and writable in
 * both views, so host code and kernels use the same address. Every placement is first fit in order of address.
 * Thread safe: alloc, free and find take a lock; space_ok and space_host are lock-free. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPACE_BASE    UINT64_C(0x200000000000) /* first device address of device 0 */
#define SPACE_STRIDE  UINT64_C(0x010000000000) /* 1 TiB of addresses a device */
#define SPACE_DELTA   UINT64_C(0x100000000000) /* engine view = program view + this */
#define SPACE_DEVICES 8
#define SPACE_GRANULE (UINT64_C(2) << 20)
#define SPACE_ALIGN   512 /* bytes; cudaMalloc promises 256 (programming guide, 5.3.2), the driver gives 512 */

/* Generic addresses of shared and local memory: windows in the same reserved range, never backed by memory. A generic
 * address is shared memory of the accessing block, or local memory of the accessing thread, when it lies there. */
#define SPACE_SHARED_WINDOW (SPACE_BASE + 12 * SPACE_STRIDE)
#define SPACE_LOCAL_WINDOW  (SPACE_BASE + 13 * SPACE_STRIDE)
#define SPACE_WINDOW_BYTES  (UINT64_C(1) << 32)

enum space_kind {
    SPACE_PROGRAM,  /* cudaMalloc and friends */
    SPACE_VARIABLE, /* __device__ and __constant__ variables of a module */
    SPACE_ENGINE,   /* the engine's own */
    SPACE_MANAGED,  /* cudaMallocManaged: the host may touch it too */
    SPACE_HOST      /* cudaMallocHost, cudaHostAlloc: pinned host memory that kernels may touch too */
};
#define SPACE_KINDS 5

/* Allocations larger than this take whole granules of their own; smaller ones share granules with others of their
 * kind. Our choice (bytes): half a granule, so that no allocation wastes more than it holds. */
#define SPACE_SMALL_MAX (SPACE_GRANULE / 2)

struct space_allocation {
    uint64_t address;
    uint64_t bytes; /* as asked for */
    enum space_kind kind;
    const char *label;  /* name of the variable, or NULL */
    uint64_t serial;    /* order of allocation, from 1; 0: the engine's own, which come as launches run */
};

/* The memory of granules that were granted together. */
struct space_run {
    uint64_t first; /* device address; of a granule that is not accessible anything */
    uint64_t bytes; /* 0: it is not accessible */
};

struct space {
    uint64_t base;       /* first device address */
    uint64_t bytes;      /* of the range: the device's memory, then the pinned host memory */
    uint64_t capacity;   /* the device's memory, a multiple of SPACE_GRANULE */
    const uint8_t *live; /* one byte a granule: not 0 when accessible */
    const struct space_run *run; /* for each granule the run that it is in: two comparisons for many addresses */
    struct space_private *private;
    struct texture **textures; /* texture.h; NULL: none yet */
};

struct texture;

enum space_status { SPACE_OK, SPACE_NO_MEMORY, SPACE_BAD_ADDRESS, SPACE_NO_RANGE };

/* Reserves the range of device `index` (0 .. SPACE_DEVICES - 1) with `bytes` of memory. SPACE_NO_RANGE: the host's
 * address range is taken or the kernel refuses; `*why` then says so in words (static text). */
enum space_status space_open(struct space *s, int index, uint64_t bytes, const char **why);
void space_close(struct space *s);

/* Grants `bytes` (0 is SPACE_BAD_ADDRESS), zero at first use, aligned to SPACE_ALIGN. SPACE_NO_MEMORY when either the
 * device's memory or what the machine has available (MemAvailable, read when it matters) is exceeded. */
enum space_status space_alloc(struct space *s, uint64_t bytes, enum space_kind kind, const char *label,
                              uint64_t *address);

/* At least `bytes` that belong to nobody behind every later allocation. Before the first one. For checkers: an index that
 * leaves its allocation does not land in the neighbour. */
void space_pad(struct space *s, uint64_t bytes);

/* `see` is told of every allocation that was granted, and of every one that was taken back; after the fact, without a
 * lock, on the thread that asked. One watcher a space, set before the first allocation. */
void space_watch(struct space *s, void (*see)(const struct space_allocation *a, bool freed, void *user), void *user);

/* Takes back what space_alloc returned (the first address exactly). The pages go back to the machine. */
enum space_status space_free(struct space *s, uint64_t address);

/* The live allocation that holds `address`; else false, and *out is the nearest live one (bytes 0: there is none). */
bool space_find(const struct space *s, uint64_t address, struct space_allocation *out);

/* The serial of the allocation made last; 0: none yet. */
uint64_t space_newest(const struct space *s);

/* The allocation most recently freed that held the address, for "use after free" messages. */
bool space_find_freed(const struct space *s, uint64_t address, struct space_allocation *out);

/* Was any of the bytes from `from` up to `to` in an allocation that space_find_freed knows? */
bool space_freed_between(const struct space *s, uint64_t from, uint64_t to);

/* Bytes free and in all, as cudaMemGetInfo reports them: free is what a large allocation may still take, so the smaller
 * of what the device and what the machine has left. */
void space_info(const struct space *s, uint64_t *free_bytes, uint64_t *total_bytes);

/* Calls `visit` for every live allocation in order of address. */
void space_each(const struct space *s, void (*visit)(const struct space_allocation *a, void *user), void *user);

/* For tests: pretend that the machine has this many bytes available; 0 asks the machine again. */
void space_pretend_available(uint64_t bytes);

/* True when `n` bytes (at most 16) at a device address may be accessed. */
static inline bool space_ok(const struct space *s, uint64_t address, unsigned n)
{
    uint64_t at = address - s->base, last = at + n - 1;
    return at < s->bytes && last < s->bytes && s->live[at / SPACE_GRANULE] && s->live[last / SPACE_GRANULE];
}

/* The engine's view of a device address. */
static inline void *space_host(uint64_t address)
{
    return (void *)(uintptr_t)(address + SPACE_DELTA);
}

/* What kind of address this is, without a lock: for messages and for cudaMemcpyDefault. */
static inline bool space_is_device_address(uint64_t address)
{
    return address - SPACE_BASE < 16 * SPACE_STRIDE;
}

#endif
