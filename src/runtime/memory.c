/* Memory management (CUDA Runtime API reference, chapter "Memory Management"): allocation, pinned and managed memory,
 * what a pointer is. Copies and fills: copy.c.
 *
 * Pinned and managed memory lie in the device's address range but are accessible in both views (space/space.h), so host
 * and kernels use one pointer. So they do of memory given to cudaHostRegister, which stays where it is
 * (space/registered.h). */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "runtime/advice.h"
#include "runtime/capture.h"
#include "runtime/checking.h"
#include "runtime/context.h"
#include "runtime/mempool.h"
#include "runtime/peer.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"
#include "space/registered.h"
#include "space/space.h"

/* --- what a pointer is --- */

/* The flags of pinned allocations. Guarded by runtime_lock. */
struct pinned_range {
    uint64_t base, bytes;
    unsigned flags;
};
static struct pinned_range *pinned;
static int npinned, pinned_cap;

/* Index of the range that holds the address, or -1. */
static int pinned_at(uint64_t address)
{
    for (int i = 0; i < npinned; i++)
        if (address - pinned[i].base < pinned[i].bytes)
            return i;
    return -1;
}

static struct pointer look_host(uint64_t address)
{
    struct registered r;
    if (registered_find(address, &r))
        return (struct pointer){r.label ? POINTER_MANAGED : POINTER_REGISTERED, NULL, address, r.address, r.bytes,
                                r.label != NULL};
    return (struct pointer){.kind = POINTER_HOST, .address = address, .bytes = SIZE_MAX};
}

/* The open device in whose range the address lies, or NULL. */
struct runtime_device *pointer_device(uint64_t address)
{
    for (int i = 0; i < RUNTIME_DEVICES; i++) {
        struct runtime_device *d = runtime_device_if_open(i);
        if (d && address - d->space->base < d->space->bytes)
            return d;
    }
    return NULL;
}

struct pointer pointer_look(const void *pointer)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!space_is_device_address(address))
        return look_host(address);
    struct runtime_device *d = pointer_device(address);
    struct space_allocation a;
    if (!d || !space_find(d->space, address, &a))
        return (struct pointer){POINTER_NOTHING, NULL, address, 0, 0, false};
    enum pointer_kind kind = a.kind == SPACE_MANAGED ? POINTER_MANAGED
                             : a.kind == SPACE_HOST  ? POINTER_PINNED
                                                     : POINTER_DEVICE;
    return (struct pointer){kind, d, address, a.address, a.bytes, a.kind == SPACE_VARIABLE || a.kind == SPACE_ENGINE || a.kind == SPACE_IMPORTED};
}

bool pointer_spans(const struct pointer *p, size_t bytes)
{
    return p->kind == POINTER_HOST || (p->bytes && bytes <= p->bytes - (p->address - p->base));
}

void pointer_why(const struct pointer *p, const char *what, size_t bytes)
{
    struct space_allocation a;
    unsigned long long at = p->address, base = p->base, size = p->bytes;
    struct runtime_device *d = p->device ? p->device : space_is_device_address(p->address) ? pointer_device(p->address) : NULL;
    if (!at)
        checking_why("%s is a null pointer", what);
    else if (p->kind == POINTER_NOTHING && d && space_find_freed(d->space, p->address, &a))
        checking_why("%s 0x%llx is in an allocation of %llu bytes at 0x%llx that was freed", what, at,
                     (unsigned long long)a.bytes, (unsigned long long)a.address);
    else if (p->kind == POINTER_NOTHING)
        checking_why("%s 0x%llx is in the device's range, where nothing is allocated", what, at);
    else if (p->kind == POINTER_HOST || p->kind == POINTER_REGISTERED)
        checking_why("%s 0x%llx is host memory", what, at);
    else if (!pointer_spans(p, bytes))
        checking_why("%s 0x%llx: %zu bytes from there leave the allocation of %llu bytes at 0x%llx",
                     what, at, bytes, size, base);
    else if (at != base)
        checking_why("%s 0x%llx is %llu bytes inside the allocation of %llu bytes at 0x%llx", what,
                     at, at - base, size, base);
    else
        checking_why("%s 0x%llx is %s", what, at,
                     p->variable                  ? "a device variable, or another process's memory"
                     : p->kind == POINTER_PINNED  ? "pinned host memory"
                     : p->kind == POINTER_MANAGED ? "managed memory"
                                                  : "device memory");
}

bool pointer_for_host(const struct pointer *p)
{
    return p->kind != POINTER_DEVICE && p->kind != POINTER_NOTHING;
}

bool pointer_for_device(const struct pointer *p)
{
    return p->kind != POINTER_HOST && p->kind != POINTER_NOTHING;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    ENTER(d);
    struct pointer p = pointer_look(ptr);
    if (!attributes)
        return runtime_leave(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    attributes->device = p.device ? p.device->index : pointer_for_device(&p) ? d->index : cudaInvalidDeviceId;
    attributes->type = p.kind == POINTER_DEVICE    ? cudaMemoryTypeDevice
                       : p.kind == POINTER_MANAGED ? cudaMemoryTypeManaged
                       : p.kind == POINTER_PINNED || p.kind == POINTER_REGISTERED ? cudaMemoryTypeHost
                                                                                    : cudaMemoryTypeUnregistered;
    attributes->isManaged = p.kind == POINTER_MANAGED;
    attributes->devicePointer = pointer_for_device(&p) ? (void *)(uintptr_t)ptr : NULL;
    attributes->hostPointer = pointer_for_host(&p) ? (void *)(uintptr_t)ptr : NULL;
    return cudaSuccess;
}

/* --- device memory --- */

static cudaError_t allocate(struct runtime_device *d, void **out, size_t size)
{
    heddle_ptr p = 0;
    cudaError_t e = out ? capture_unsafe() : cudaErrorInvalidValue;
    if (e)
        return e;
    *out = NULL;
    if (!size) /* "If size is 0, cudaMalloc() returns cudaSuccess" and a null pointer */
        return cudaSuccess;
    heddle_status s = heddle_alloc(d->engine, size, &p);
    if (s == HEDDLE_OUT_OF_MEMORY) { /* cudaFreeAsync may have memory in a queue */
        queue_wait_device(d);
        s = heddle_alloc(d->engine, size, &p);
    }
    *out = (void *)(uintptr_t)p;
    context_owns(p);
    return runtime_error(s);
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    ENTER(d);
    return runtime_leave(allocate(d, devPtr, size));
}

/* Memory is there at once; only its release waits for the stream. NULL: the device's current pool. */
static cudaError_t allocate_from(struct mempool *pool, void **out, size_t size, cudaStream_t stream)
{
    struct stream *s = stream_of(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    bool captures;
    pool = pool ? pool : mempool_current(s->device);
    cudaError_t e = capture_admit(s, &captures);
    if (e || captures)
        return e ? e : capture_alloc(s, mempool_device(pool), size, out);
    e = mempool_take(pool, size);
    if (e)
        return e;
    e = allocate(mempool_device(pool), out, size);
    mempool_taken(pool, e || !*out ? 0 : (uint64_t)(uintptr_t)*out, size);
    return e;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    ENTER(d);
    return runtime_leave(allocate_from(NULL, devPtr, size, hStream));
}

cudaError_t cudaMallocFromPoolAsync(void **devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    ENTER(d);
    struct mempool *p = mempool_of(pool);
    return runtime_leave(p ? allocate_from(p, devPtr, size, stream) : cudaErrorInvalidValue);
}

/* The pointer must be what an allocation returned, exactly. */
static bool is_start(const struct pointer *p)
{
    return (p->kind == POINTER_DEVICE || p->kind == POINTER_MANAGED) && !p->variable && p->address == p->base;
}

static cudaError_t release(const struct pointer *p)
{
    bool gone;
    if (graph_memory_give(p->address, &gone) && !gone)
        return cudaSuccess;
    mempool_give(p->address);
    context_disowns(p->address);
    advice_forget(p->base, p->bytes);
    if (p->kind == POINTER_MANAGED)
        return space_free(p->device->space, p->address) ? cudaErrorInvalidValue : cudaSuccess;
    return runtime_error(heddle_free(p->device->engine, p->address));
}

/* Waits for the device first: a kernel may still use the memory. */
/* Memory of another process's pool: only this process's way to it goes. */
static cudaError_t close_imported(const struct pointer *p)
{
    mempool_give(p->address);
    return cudaIpcCloseMemHandle((void *)(uintptr_t)p->address);
}

cudaError_t cudaFree(void *devPtr)
{
    ENTER(d);
    struct pointer p = pointer_look(devPtr);
    cudaError_t e = capture_unsafe();
    if (e || !devPtr)
        return runtime_leave(e);
    if (mempool_imported(p.address))
        return close_imported(&p);
    if (!is_start(&p) || graph_memory_unused(p.address)) {
        pointer_why(&p, "the pointer", 0);
        return runtime_leave(cudaErrorInvalidValue);
    }
    peer_wait_users(&p);
    e = queue_verdict(p.device);
    return runtime_leave(e ? e : release(&p));
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    ENTER(d);
    struct stream *s = stream_of(hStream);
    struct pointer p = pointer_look(devPtr);
    if (!devPtr)
        return cudaSuccess;
    if (!s)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    bool captures;
    cudaError_t e = capture_admit(s, &captures);
    if (e || captures)
        return runtime_leave(e ? e : capture_free(s, devPtr));
    if (mempool_imported(p.address)) {
        e = cudaStreamSynchronize(hStream);
        return e ? e : close_imported(&p);
    }
    if (!is_start(&p) || p.kind != POINTER_DEVICE || graph_memory_unused(p.address)) {
        pointer_why(&p, "the pointer", 0);
        return runtime_leave(cudaErrorInvalidValue);
    }
    bool gone;
    if (graph_memory_give(p.address, &gone) && !gone)
        return cudaSuccess;
    mempool_give(p.address);
    context_disowns(p.address);
    struct command *c = command_new(COMMAND_FREE);
    c->free = p.address;
    queue_put_async(s, c);
    return cudaSuccess;
}

/* Rows begin at multiples of the device's texture alignment, as the real allocator's do (512 bytes). */
static cudaError_t allocate_pitch(struct runtime_device *d, void **out, size_t *pitch, size_t width, size_t rows)
{
    size_t align = (size_t)d->spec->texture_alignment;
    if (!out || !pitch || width > (size_t)d->spec->memory_pitch)
        return cudaErrorInvalidValue;
    *pitch = (width + align - 1) / align * align;
    if (rows && *pitch > SIZE_MAX / rows)
        return cudaErrorMemoryAllocation;
    return allocate(d, out, *pitch * rows);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    ENTER(d);
    return runtime_leave(allocate_pitch(d, devPtr, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    ENTER(d);
    if (!pitchedDevPtr)
        return runtime_leave(cudaErrorInvalidValue);
    if (extent.depth && extent.height > SIZE_MAX / extent.depth)
        return runtime_leave(cudaErrorMemoryAllocation);
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return runtime_leave(allocate_pitch(d, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width,
                                        extent.height * extent.depth));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    ENTER(d);
    uint64_t free_bytes, total_bytes;
    space_info(d->space, &free_bytes, &total_bytes);
    if (free)
        *free = free_bytes;
    if (total)
        *total = total_bytes;
    return cudaSuccess;
}

/* --- managed memory --- */

static cudaError_t allocate_both(struct runtime_device *d, void **out, size_t size, enum space_kind kind)
{
    uint64_t address;
    cudaError_t e = capture_unsafe();
    if (e)
        return e;
    if (space_alloc(d->space, size, kind, NULL, &address))
        return cudaErrorMemoryAllocation;
    *out = (void *)(uintptr_t)address;
    context_owns(address);
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    ENTER(d);
    if (!devPtr || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return runtime_leave(cudaErrorInvalidValue);
    if (!d->spec->managed_memory)
        return runtime_leave(cudaErrorNotSupported);
    return runtime_leave(allocate_both(d, devPtr, size, SPACE_MANAGED));
}

/* --- pinned memory --- */

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    ENTER(d);
    unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!pHost || flags & ~known)
        return runtime_leave(cudaErrorInvalidValue);
    *pHost = NULL;
    if (!size)
        return cudaSuccess;
    cudaError_t e = allocate_both(d, pHost, size, SPACE_HOST);
    if (!e) {
        pthread_mutex_lock(&runtime_lock);
        ALLOC_GROW(pinned, npinned, pinned_cap);
        pinned[npinned++] = (struct pinned_range){(uint64_t)(uintptr_t)*pHost, size, flags};
        pthread_mutex_unlock(&runtime_lock);
    }
    return runtime_leave(e);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *ptr)
{
    ENTER(d);
    struct pointer p = pointer_look(ptr);
    cudaError_t e = capture_unsafe();
    if (e || !ptr)
        return runtime_leave(e);
    if (p.kind != POINTER_PINNED || p.address != p.base) {
        pointer_why(&p, "the pointer", 0);
        return runtime_leave(cudaErrorInvalidValue);
    }
    peer_wait_users(&p);
    pthread_mutex_lock(&runtime_lock);
    int i = pinned_at(p.base);
    if (i >= 0)
        pinned[i] = pinned[--npinned];
    pthread_mutex_unlock(&runtime_lock);
    context_disowns(p.base);
    return runtime_leave(space_free(p.device->space, p.address) ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    ENTER(d);
    unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    uint64_t base = (uint64_t)(uintptr_t)ptr;
    if (!ptr || !size || flags & ~known || base + size < base || space_is_device_address(base))
        return runtime_leave(cudaErrorInvalidValue);
    bool added = registered_add(&(struct registered){base, size, flags, NULL});
    return runtime_leave(added ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    ENTER(d);
    queue_drain(); /* a kernel of any device may still use the memory */
    if (!ptr)
        return runtime_leave(cudaErrorInvalidValue);
    struct pointer p = pointer_look(ptr);
    bool found = p.kind == POINTER_REGISTERED && registered_remove(p.address);
    return runtime_leave(found ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

/* Under unified addressing all pinned and registered memory is mapped, at the same address. */
cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    ENTER(d);
    struct pointer p = pointer_look(pHost);
    if (!pDevice || flags)
        return runtime_leave(cudaErrorInvalidValue);
    if (p.kind != POINTER_PINNED && p.kind != POINTER_REGISTERED)
        return runtime_leave(cudaErrorInvalidValue);
    *pDevice = pHost;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    ENTER(d);
    uint64_t at = (uint64_t)(uintptr_t)pHost;
    struct registered r;
    pthread_mutex_lock(&runtime_lock);
    int p = pinned_at(at);
    bool found = p >= 0 || (registered_find(at, &r) && !r.label);
    if (pFlags && found)
        *pFlags = p >= 0 ? pinned[p].flags | cudaHostAllocMapped : r.flags;
    pthread_mutex_unlock(&runtime_lock);
    return runtime_leave(pFlags && found ? cudaSuccess : cudaErrorInvalidValue);
}
