/* Device memory: one address range per device, seen twice.
 *
 * The bytes live in a memfd that is mapped twice. At the address the program sees (a `uint64_t` device address, the
 * value of the pointer that cudaMalloc returns) the pages are inaccessible to host code, so that a host program that
 * touches a device pointer faults as it would without the mapping. At address + delta the engine reads and writes.
 * Addresses are the same in every run (the first small allocation of a device is at SPACE_FIRST + device * SPACE_STRIDE):
 * address randomisation must not move modelled cache sets.
 *
 * Memory is granted as an H200's driver grants it (place.h names the device, the driver and the measurement): addresses are
 * multiples of 512 bytes; an allocation of more than 2 MiB takes whole granules of 2 MiB, smaller ones share granules of
 * their kind, the oldest that has room. A granule is what a GPU maps, and a device's context maps memory of its own around
 * the first ones. So an access may miss every allocation and do no harm: space_ok says whether a GPU lets it pass,
 * space_holds whether it lies in an allocation. Memory that belongs to no allocation is zero until a kernel writes there.
 * space_find says which allocation an address belongs to or is nearest to. What an access may touch by the rules of CUDA,
 * piece by piece of the heap too, is check/'s business.
 * Variables and the engine's memory, the program's and managed memory, and pinned host memory have parts of the range of
 * their own; managed and pinned memory are readable and writable in both views, so host code and kernels use the same
 * address. Every placement is first fit.
 * The spaces of a process know each other: kernels of every device reach the managed and pinned memory of all, and all of a
 * device's memory once space_let has allowed it (peer access). The engine's view is at one distance for all devices, so an
 * access needs no more than its bounds looked at: space_reach.
 * Thread safe: alloc, free and find take a lock; space_run_at, space_holds, space_ok and space_host are lock-free. */
#ifndef SPACE_SPACE_H
#define SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/across.h"

/* The thread and the memory sanitizer have their shadows where device memory has its place. On x86-64 every version of both leaves
 * what is below 0x008000000000 to the program (compiler-rt/lib/tsan/rtl/tsan_platform.h, Mapping48AddressSpace, kLoAppMemEnd;
 * msan/msan.h, kMemoryLayout, "app-1"), 512 GiB, where an executable that is not at a fixed place leaves all free. */
#ifdef HEDDLE_SHADOW
#define SPACE_FIRST  UINT64_C(0x001000000000)
#define SPACE_STRIDE UINT64_C(0x000200000000) /* 8 GiB: both views of all devices end below 0x005000000000 */
#else
#define SPACE_FIRST  UINT64_C(0x200000000000) /* first small allocation of device 0 */
#define SPACE_STRIDE UINT64_C(0x010000000000) /* 1 TiB of addresses a device */
#endif
#define SPACE_BASE    (SPACE_FIRST - SPACE_STRIDE / 2) /* first address that may be device 0's */
#define SPACE_DELTA   (16 * SPACE_STRIDE) /* engine view = program view + this */
#define SPACE_MOST    (SPACE_STRIDE / 2)  /* bytes of memory that a device may have */
#define SPACE_DEVICES 8
#define SPACE_GRANULE (UINT64_C(2) << 20)
#define SPACE_ALIGN   512 /* bytes; cudaMalloc promises 256 (programming guide, 5.3.2), the driver gives 512 */

/* Generic addresses of shared and local memory: windows in the same reserved range, never backed by memory. A generic
 * address is shared memory of the accessing block, or local memory of the accessing thread, when it lies there. */
#define SPACE_SHARED_WINDOW (SPACE_FIRST + 12 * SPACE_STRIDE)
#define SPACE_LOCAL_WINDOW  (SPACE_FIRST + 13 * SPACE_STRIDE)
#define SPACE_WINDOW_BYTES  (UINT64_C(1) << 32)

enum space_kind {
    SPACE_PROGRAM,  /* cudaMalloc and friends */
    SPACE_VARIABLE, /* __device__ and __constant__ variables of a module */
    SPACE_ENGINE,   /* the engine's own */
    SPACE_MANAGED,  /* cudaMallocManaged: the host may touch it too */
    SPACE_HOST,     /* cudaMallocHost, cudaHostAlloc: pinned host memory that kernels may touch too */
    SPACE_IMPORTED  /* another process's memory of the program (space_import), or what it maps itself (space_access) */
};
#define SPACE_KINDS 6

/* Allocations larger than this take whole granules of their own (bytes). */
#define SPACE_SMALL_MAX SPACE_GRANULE

struct space_allocation {
    uint64_t address;
    uint64_t bytes; /* as asked for */
    enum space_kind kind;
    const char *label;  /* name of the variable, or NULL */
    uint64_t serial;    /* order of allocation, from 1; 0: the engine's own, which come as launches run */
};

/* An allocation as accesses see it. */
struct space_run {
    uint64_t first; /* device address */
    uint64_t bytes; /* as asked for; 0: there is none */
};

/* Which allocations share a granule: for each 512 bytes of it the one that holds them, its first such step << 32 | its bytes;
 * 0: none. */
struct space_steps {
    uint64_t piece[SPACE_GRANULE / SPACE_ALIGN];
};

/* What allows kernels another device's memory: peer access, or that a memory pool of it is open to them. */
enum space_way { SPACE_BY_PEER, SPACE_BY_POOL, SPACE_WAYS };

struct space {
    int place;           /* number of its address range, 0 .. SPACE_DEVICES - 1 */
    uint32_t peers[SPACE_WAYS]; /* places whose memory kernels of this device may touch: bits, by who allowed it; atomic */
    uint64_t base;       /* first address of the range */
    uint64_t bytes;      /* of the range: the device's memory, the context's own, and pinned host memory */
    uint64_t capacity;   /* the device's memory, a multiple of SPACE_GRANULE */
    const uint8_t *live; /* one byte a granule: not 0 when accessible; SPACE_EVERYBODYS: to kernels of every device */
    const struct space_run *run; /* for each granule the allocation that it is part of alone */
    struct space_steps *const *steps; /* for each granule those that share it, or NULL */
    struct space_private *private;
    struct texture **textures; /* texture.h; NULL: none yet */
};

#define SPACE_EVERYBODYS 2 /* of live: managed and pinned memory */

struct texture;

enum space_status { SPACE_OK, SPACE_NO_MEMORY, SPACE_BAD_ADDRESS, SPACE_NO_RANGE };

/* Where pinned host memory begins in the range; it reaches to the range's end. */
uint64_t space_pinned_first(const struct space *s);

/* Reserves the range of device `index` (0 .. SPACE_DEVICES - 1) with `bytes` of memory. SPACE_NO_RANGE: the host's
 * address range is taken or the kernel refuses; `*why` then says so in words (static text). */
enum space_status space_open(struct space *s, int index, uint64_t bytes, const char **why);
void space_close(struct space *s);

/* Grants `bytes` (0 is SPACE_BAD_ADDRESS), zero at first use, aligned to SPACE_ALIGN. SPACE_NO_MEMORY when either the
 * device's memory or what the machine has available (MemAvailable, read when it matters) is exceeded. */
enum space_status space_alloc(struct space *s, uint64_t bytes, enum space_kind kind, const char *label,
                              uint64_t *address) ACROSS(space_alloc);

/* At least `bytes` that belong to nobody behind every later allocation. Before the first one. For checkers: an index that
 * leaves its allocation does not land in the neighbour. */
void space_pad(struct space *s, uint64_t bytes);

/* `see` is told of every allocation that was granted, and of every one that was taken back; after the fact, without a
 * lock, on the thread that asked. One watcher a space, set before the first allocation. */
void space_watch(struct space *s, void (*see)(const struct space_allocation *a, bool freed, void *user), void *user) ACROSS(space_watch);

/* An allocation as another process finds it: in the memfd of its device, which both map. */
struct space_share {
    int fd;          /* the memfd: of the process that exports, or one that the importing process has opened */
    uint64_t at;     /* where its first granule begins in the memfd */
    uint64_t inside; /* where it begins in that granule */
    uint64_t bytes;
};

/* The allocation of the program's memory that begins at the address. False: there is none. */
bool space_export(const struct space *s, uint64_t address, struct space_share *out) ACROSS(space_export);

/* What another process has exported becomes an allocation of kind SPACE_IMPORTED, whole granules of which this device has no memory:
 * both processes read and write the same bytes, as long as one of them has them. space_free ends it. SPACE_NO_MEMORY: there are no
 * addresses left, or the system refuses. */
enum space_status space_import(struct space *s, const struct space_share *share, uint64_t *address) ACROSS(space_import);

/* Memory that the program maps itself. Addresses and sizes are multiples of SPACE_GRANULE.
 * space_reserve: addresses that nothing else gets, a multiple of `align` (0: any); space_unreserve gives them back, as many as were asked
 * for. space_map: bytes of a memfd there, which nobody may touch yet; fd -1 takes them away again. space_access: kernels may
 * touch them, or no longer; neighbours that they may touch are one allocation. space_pay: the device's memory that a memfd of
 * the caller's stands for; SPACE_NO_MEMORY when it has not so much. */
enum space_status space_reserve(struct space *s, uint64_t bytes, uint64_t align, uint64_t *address) ACROSS(space_reserve);
void space_unreserve(struct space *s, uint64_t address, uint64_t bytes) ACROSS(space_unreserve);
bool space_map(struct space *s, uint64_t address, uint64_t bytes, int fd, uint64_t at) ACROSS(space_map);
void space_access(struct space *s, uint64_t address, uint64_t bytes, bool on) ACROSS(space_access);
enum space_status space_pay(struct space *s, uint64_t bytes) ACROSS(space_pay);
void space_repay(struct space *s, uint64_t bytes) ACROSS(space_repay);

/* Takes back what space_alloc returned (the first address exactly). The pages go back to the machine. */
enum space_status space_free(struct space *s, uint64_t address) ACROSS(space_free);

/* The live allocation that holds `address`; else false, and *out is the nearest live one (bytes 0: there is none). */
bool space_find(const struct space *s, uint64_t address, struct space_allocation *out) ACROSS(space_find);

/* The serial of the allocation made last; 0: none yet. */
uint64_t space_newest(const struct space *s) ACROSS(space_newest);

/* The allocation most recently freed that held the address, for "use after free" messages. */
bool space_find_freed(const struct space *s, uint64_t address, struct space_allocation *out) ACROSS(space_find_freed);

/* Was any of the bytes from `from` up to `to` in an allocation that space_find_freed knows? */
bool space_freed_between(const struct space *s, uint64_t from, uint64_t to);

/* Bytes free and in all, as cudaMemGetInfo reports them: free is what a large allocation may still take, so the smaller
 * of what the device and what the machine has left. */
void space_info(const struct space *s, uint64_t *free_bytes, uint64_t *total_bytes) ACROSS(space_info);

/* Calls `visit` for every live allocation in order of address. */
void space_each(const struct space *s, void (*visit)(const struct space_allocation *a, void *user), void *user) ACROSS(space_each);

/* Host code, and with it a debugger that writes, may touch all of the program's view, until it has been called as often with
 * `open` false. */
void space_expose(struct space *s, bool open);

/* For tests: pretend that the machine has this many bytes available; 0 asks the machine again. */
void space_pretend_available(uint64_t bytes);

/* The allocation that holds the address, or ends in the same 512 bytes before it. */
static inline struct space_run space_run_at(const struct space *s, uint64_t address)
{
    uint64_t at = address - s->base, granule = at / SPACE_GRANULE;
    if (at >= s->bytes)
        return (struct space_run){0, 0};
    const struct space_run *run = &s->run[granule];
    uint64_t bytes = __atomic_load_n(&run->bytes, __ATOMIC_ACQUIRE);
    if (bytes)
        return (struct space_run){__atomic_load_n(&run->first, __ATOMIC_RELAXED), bytes};
    const struct space_steps *steps = __atomic_load_n(&s->steps[granule], __ATOMIC_ACQUIRE);
    uint64_t piece = steps ? __atomic_load_n(&steps->piece[at % SPACE_GRANULE / SPACE_ALIGN], __ATOMIC_RELAXED) : 0;
    return (struct space_run){s->base + granule * SPACE_GRANULE + (piece >> 32) * SPACE_ALIGN, (uint32_t)piece};
}

/* Another device's space in whose range the address lies, as far as kernels of s may touch it there; else s. */
const struct space *space_beyond(const struct space *s, uint64_t address) ACROSS(space_beyond);

/* Kernels of s may touch the memory of `peer` from now on, or no longer, as far as this way goes; and may they, by this way? */
void space_let(struct space *s, const struct space *peer, enum space_way way, bool on) ACROSS(space_let);
bool space_lets(const struct space *s, const struct space *peer, enum space_way way) ACROSS(space_lets);

/* The space, of an open device of the process, in whose range the address lies, or NULL. */
const struct space *space_of(uint64_t address) ACROSS(space_of);

/* Calls `visit` for every live allocation of other devices that kernels of s may touch. */
void space_each_beyond(const struct space *s, void (*visit)(const struct space_allocation *a, void *user), void *user);

/* Whose bounds an access of a kernel of s at the address has to keep. */
static inline const struct space *space_reach(const struct space *s, uint64_t address)
{
    return address - s->base < s->bytes ? s : space_beyond(s, address);
}

static inline bool space_live(const struct space *s, uint64_t granule)
{
    return __atomic_load_n(&s->live[granule], __ATOMIC_ACQUIRE);
}

/* The granules that bytes from `first` on lie in. */
static inline struct space_run space_whole(const struct space *s, uint64_t first, uint64_t bytes)
{
    uint64_t inside = (first - s->base) % SPACE_GRANULE;
    return (struct space_run){first - inside, (inside + bytes + SPACE_GRANULE - 1) / SPACE_GRANULE * SPACE_GRANULE};
}

/* The granules of the allocation at an address, or the one that allocations share there; bytes 0: there is none. */
static inline struct space_run space_granules_at(const struct space *s, uint64_t address)
{
    uint64_t at = address - s->base, granule = at / SPACE_GRANULE;
    if (at >= s->bytes || !space_live(s, granule))
        return (struct space_run){0, 0};
    uint64_t bytes = __atomic_load_n(&s->run[granule].bytes, __ATOMIC_ACQUIRE);
    if (bytes)
        return space_whole(s, __atomic_load_n(&s->run[granule].first, __ATOMIC_RELAXED), bytes);
    const struct space_steps *steps = __atomic_load_n(&s->steps[granule], __ATOMIC_ACQUIRE);
    return (struct space_run){s->base + granule * SPACE_GRANULE, steps ? SPACE_GRANULE : 0};
}

/* True when one allocation holds all `n` bytes; not for 0. */
static inline bool space_holds(const struct space *s, uint64_t address, uint64_t n)
{
    struct space_run run = space_run_at(s, address);
    return n && run.bytes >= n && address - run.first <= run.bytes - n;
}

/* True when `n` bytes (at most 16) at a device address may be accessed, in an allocation or not. */
static inline bool space_ok(const struct space *s, uint64_t address, unsigned n)
{
    uint64_t at = address - s->base, last = at + n - 1;
    return at < s->bytes && last < s->bytes && space_live(s, at / SPACE_GRANULE) && space_live(s, last / SPACE_GRANULE);
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
