/* Memory pools (CUDA Runtime API reference, chapter "Stream Ordered Memory Allocator"; see mempool.h).
 *
 * Other processes: a pool is exported as a file that says which one it is, a pointer as a handle of ipc.c with the same words behind it.
 * What is imported is opened and closed as such a handle. */
#define _GNU_SOURCE /* memfd_create */
#include "runtime/mempool.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "runtime/ipc.h"
#include "runtime/peer.h"
#include "runtime/pool.h"
#include "space/space.h"

enum { GRANULE = 2 << 20 }; /* of reserved memory: space/space.h */

/* Which pool of which process. */
struct identity {
    uint64_t number; /* from 1 */
    int32_t pid, device;
};
_Static_assert(IPC_HANDLE_USED + sizeof(struct identity) <= sizeof(struct cudaMemPoolPtrExportData), "");

struct mempool {
    bool alive; /* first: pool.h */
    bool exports;  /* made for other processes */
    bool imported; /* another process's, which `identity` names */
    struct identity identity;
    bool doomed; /* destroyed, but memory of it is in use */
    bool standard; /* the device's default pool */
    struct runtime_device *device;
    size_t max_bytes; /* 0: the device's memory */
    int reuse[3];     /* cudaMemPoolReuse... */
    enum cudaMemAccessFlags access[RUNTIME_DEVICES]; /* of other devices */
    uint64_t threshold, used, used_high, reserved_high; /* bytes */
};

struct piece {
    uint64_t address, bytes;
    struct mempool *pool;
};

/* All guarded by runtime_lock. */
static struct pool pools = {.size = (sizeof(struct mempool) + 15) / 16 * 16};
static struct mempool *standard[RUNTIME_DEVICES], *current[RUNTIME_DEVICES];
static struct piece *pieces;
static int npieces, pieces_cap;

static struct mempool *make(struct runtime_device *d, size_t max_bytes)
{
    struct mempool *p = pool_take(&pools);
    p->device = d;
    p->max_bytes = max_bytes;
    for (int i = 0; i < 3; i++)
        p->reuse[i] = 1; /* "default value is 1" */
    return p;
}

static struct mempool *standard_of(struct runtime_device *d)
{
    if (!standard[d->index]) {
        standard[d->index] = make(d, 0);
        standard[d->index]->standard = true;
        current[d->index] = standard[d->index];
    }
    return standard[d->index];
}

struct mempool *mempool_of(cudaMemPool_t handle)
{
    struct mempool *p = (struct mempool *)handle;
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&pools, p) && !p->doomed;
    pthread_mutex_unlock(&runtime_lock);
    return live ? p : NULL;
}

struct mempool *mempool_current(struct runtime_device *d)
{
    pthread_mutex_lock(&runtime_lock);
    standard_of(d);
    struct mempool *p = current[d->index];
    pthread_mutex_unlock(&runtime_lock);
    return p;
}

struct runtime_device *mempool_device(const struct mempool *p)
{
    return p->device;
}

/* --- what is used --- */

static uint64_t reserved(const struct mempool *p)
{
    return (p->used + GRANULE - 1) / GRANULE * GRANULE;
}

cudaError_t mempool_take(struct mempool *p, size_t bytes)
{
    pthread_mutex_lock(&runtime_lock);
    bool fits = !p->imported && (!p->max_bytes || (p->used <= p->max_bytes && bytes <= p->max_bytes - p->used));
    if (fits)
        p->used += bytes;
    pthread_mutex_unlock(&runtime_lock);
    return fits ? cudaSuccess : cudaErrorMemoryAllocation;
}

void mempool_taken(struct mempool *p, uint64_t address, size_t bytes)
{
    pthread_mutex_lock(&runtime_lock);
    if (!address) {
        p->used -= bytes;
    } else {
        ALLOC_GROW(pieces, npieces, pieces_cap);
        pieces[npieces++] = (struct piece){address, bytes, p};
        p->used_high = p->used > p->used_high ? p->used : p->used_high;
        p->reserved_high = reserved(p) > p->reserved_high ? reserved(p) : p->reserved_high;
    }
    pthread_mutex_unlock(&runtime_lock);
}

static void drop_piece(int i)
{
    struct mempool *p = pieces[i].pool;
    p->used -= pieces[i].bytes;
    pieces[i] = pieces[--npieces];
    if (p->doomed && !p->used)
        pool_give(&pools, p);
}

void mempool_give(uint64_t address)
{
    pthread_mutex_lock(&runtime_lock);
    for (int i = npieces - 1; i >= 0; i--)
        if (pieces[i].address == address) {
            drop_piece(i);
            break;
        }
    pthread_mutex_unlock(&runtime_lock);
}

void mempool_reset(struct runtime_device *d)
{
    pthread_mutex_lock(&runtime_lock);
    for (int i = npieces - 1; i >= 0; i--)
        if (pieces[i].pool->device == d)
            drop_piece(i);
    current[d->index] = standard[d->index];
    pthread_mutex_unlock(&runtime_lock);
}

/* --- entry points --- */

/* Finds the device a call names; NULL: its error. */
static struct runtime_device *named(int device, cudaError_t *e)
{
    struct runtime_device *d = runtime_device(device, e);
    if (!d)
        runtime_leave(*e);
    return d;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t e;
    struct runtime_device *d = named(device, &e);
    if (!d || !pool)
        return d ? runtime_leave(cudaErrorInvalidValue) : e;
    pthread_mutex_lock(&runtime_lock);
    *pool = (cudaMemPool_t)standard_of(d);
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t e;
    struct runtime_device *d = named(device, &e);
    if (!d || !pool)
        return d ? runtime_leave(cudaErrorInvalidValue) : e;
    *pool = (cudaMemPool_t)mempool_current(d);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t e;
    struct runtime_device *d = named(device, &e);
    struct mempool *p = mempool_of(pool);
    if (!d || !p || p->device != d)
        return d ? runtime_leave(cudaErrorInvalidValue) : e;
    mempool_current(d); /* the default pool is there before another takes its place */
    pthread_mutex_lock(&runtime_lock);
    current[d->index] = p;
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    ENTER(here);
    cudaError_t e;
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned)
        return runtime_leave(cudaErrorInvalidValue);
    if ((unsigned)props->handleTypes & ~cudaMemHandleTypePosixFileDescriptor || props->location.type != cudaMemLocationTypeDevice)
        return runtime_leave(runtime_not_supported("cudaMemPoolCreate for host memory, or for handles that are no file descriptors"));
    struct runtime_device *d = named(props->location.id, &e);
    if (!d)
        return e;
    pthread_mutex_lock(&runtime_lock);
    static uint64_t newest;
    standard_of(d);
    struct mempool *p = make(d, props->maxSize);
    p->exports = props->handleTypes == cudaMemHandleTypePosixFileDescriptor;
    p->identity = (struct identity){++newest, getpid(), d->index};
    *pool = (cudaMemPool_t)p;
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

#define POOL(p, handle)                                                                            \
    struct mempool *p = mempool_of(handle);                                                        \
    if (!p)                                                                                        \
    return runtime_leave(cudaErrorInvalidValue)

/* Memory that is in use keeps the pool; a device whose current pool goes takes its default one. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    ENTER(d);
    POOL(p, pool);
    if (p->standard)
        return runtime_leave(cudaErrorInvalidValue);
    pthread_mutex_lock(&runtime_lock);
    if (current[p->device->index] == p)
        current[p->device->index] = standard[p->device->index];
    p->doomed = true;
    if (!p->used)
        pool_give(&pools, p);
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

/* Nothing is kept beyond what is used. */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    ENTER(d);
    POOL(p, pool);
    (void)bytes;
    return cudaSuccess;
}

/* A figure of the pool, or NULL. */
static uint64_t *figure(struct mempool *p, enum cudaMemPoolAttr attr)
{
    return attr == cudaMemPoolAttrReleaseThreshold     ? &p->threshold
           : attr == cudaMemPoolAttrReservedMemHigh ? &p->reserved_high
           : attr == cudaMemPoolAttrUsedMemCurrent  ? &p->used
           : attr == cudaMemPoolAttrUsedMemHigh     ? &p->used_high
                                                       : NULL;
}

static bool is_reuse(enum cudaMemPoolAttr attr)
{
    return attr >= cudaMemPoolReuseFollowEventDependencies && attr <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    ENTER(d);
    POOL(p, pool);
    uint64_t *f = figure(p, attr), v = 0;
    if (!value || (!is_reuse(attr) && (!f || attr == cudaMemPoolAttrUsedMemCurrent)))
        return runtime_leave(cudaErrorInvalidValue);
    if (f)
        memcpy(&v, value, sizeof v);
    if (f && attr != cudaMemPoolAttrReleaseThreshold && v) /* "it is illegal to set this to a non-zero value" */
        return runtime_leave(cudaErrorInvalidValue);
    pthread_mutex_lock(&runtime_lock);
    if (!f)
        p->reuse[attr - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
    else if (attr == cudaMemPoolAttrReleaseThreshold)
        p->threshold = v;
    else /* a high mark starts again from what is used now */
        *f = attr == cudaMemPoolAttrUsedMemHigh ? p->used : reserved(p);
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    ENTER(d);
    POOL(p, pool);
    const uint64_t *f = figure(p, attr);
    if (!value || (!f && !is_reuse(attr) && attr != cudaMemPoolAttrReservedMemCurrent))
        return runtime_leave(cudaErrorInvalidValue);
    pthread_mutex_lock(&runtime_lock);
    uint64_t v = f ? *f : reserved(p);
    if (is_reuse(attr))
        *(int *)value = p->reuse[attr - cudaMemPoolReuseFollowEventDependencies];
    else
        memcpy(value, &v, sizeof v);
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

/* --- who may reach it --- */

/* Kernels of the other device reach all of a device's memory while any pool of it is open to them: which memory is a pool's, an access
 * does not ask. A pool open for reading alone is open for writing, too. */
static void open_to(struct runtime_device *d, struct runtime_device *other)
{
    bool any = false;
    pthread_mutex_lock(&runtime_lock);
    for (struct mempool *p = pool_next(&pools, NULL); p; p = pool_next(&pools, p))
        any |= p->device == d && p->access[other->index] != cudaMemAccessFlagsProtNone;
    pthread_mutex_unlock(&runtime_lock);
    space_let(other->space, d->space, SPACE_BY_POOL, any);
}

static cudaError_t set_access(struct mempool *p, const struct cudaMemAccessDesc *desc)
{
    cudaError_t e = desc->location.type == cudaMemLocationTypeDevice ? cudaSuccess : cudaErrorInvalidDevice;
    struct runtime_device *other = e ? NULL : runtime_device(desc->location.id, &e);
    if (!other)
        return e;
    if (other == p->device) /* a device cannot lose its own memory */
        return desc->flags == cudaMemAccessFlagsProtReadWrite ? cudaSuccess : cudaErrorInvalidValue;
    if (!peer_can_reach(other, p->device))
        return cudaErrorInvalidDevice;
    p->access[other->index] = desc->flags;
    open_to(p->device, other);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t count)
{
    ENTER(d);
    POOL(p, pool);
    cudaError_t e = !desc && count ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < count && !e; i++)
        e = set_access(p, &desc[i]);
    return runtime_leave(e);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    ENTER(d);
    POOL(p, pool);
    cudaError_t e = flags && location && location->type == cudaMemLocationTypeDevice ? cudaSuccess : cudaErrorInvalidValue;
    struct runtime_device *other = e ? NULL : runtime_device(location->id, &e);
    if (other)
        *flags = other == p->device ? cudaMemAccessFlagsProtReadWrite : p->access[other->index];
    return runtime_leave(e);
}

/* --- other processes --- */

#define POOL_FILE "heddle-memory-pool" /* a memfd with an identity in it */

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned int flags)
{
    ENTER(d);
    POOL(p, pool);
    if (!handle || !p->exports || type != cudaMemHandleTypePosixFileDescriptor || flags)
        return runtime_leave(cudaErrorInvalidValue);
    int fd = memfd_create(POOL_FILE, MFD_CLOEXEC);
    if (fd < 0 || write(fd, &p->identity, sizeof p->identity) != (ssize_t)sizeof p->identity) {
        if (fd >= 0)
            close(fd);
        return runtime_leave(cudaErrorOperatingSystem);
    }
    memcpy(handle, &fd, sizeof fd);
    return cudaSuccess;
}

static bool read_identity(int fd, struct identity *out)
{
    static const char wanted[] = "/memfd:" POOL_FILE;
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, name, sizeof name - 1) > 0 && !strncmp(name, wanted, strlen(wanted)) &&
           pread(fd, out, sizeof *out, 0) == (ssize_t)sizeof *out;
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle, enum cudaMemAllocationHandleType type, unsigned int flags)
{
    ENTER(here);
    struct identity i;
    cudaError_t e;
    if (!pool || type != cudaMemHandleTypePosixFileDescriptor || flags || !read_identity((int)(intptr_t)handle, &i))
        return runtime_leave(cudaErrorInvalidValue);
    struct runtime_device *d = named(i.device, &e);
    if (!d)
        return e;
    pthread_mutex_lock(&runtime_lock);
    struct mempool *p = make(d, 0);
    p->imported = true;
    p->identity = i;
    *pool = (cudaMemPool_t)p;
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

/* The pool of an allocation, or NULL; with runtime_lock. */
static struct mempool *owner(uint64_t address)
{
    for (int i = 0; i < npieces; i++)
        if (pieces[i].address == address)
            return pieces[i].pool;
    return NULL;
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *devPtr)
{
    ENTER(d);
    cudaIpcMemHandle_t handle;
    pthread_mutex_lock(&runtime_lock);
    const struct mempool *p = owner((uint64_t)(uintptr_t)devPtr);
    bool may = p && p->exports;
    struct identity i = may ? p->identity : (struct identity){0};
    pthread_mutex_unlock(&runtime_lock);
    if (!data || !may)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = cudaIpcGetMemHandle(&handle, devPtr);
    if (!e) {
        memset(data, 0, sizeof *data);
        memcpy(data->reserved, &handle, IPC_HANDLE_USED);
        memcpy(data->reserved + IPC_HANDLE_USED, &i, sizeof i);
    }
    return e;
}

cudaError_t cudaMemPoolImportPointer(void **devPtr, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
    ENTER(d);
    POOL(p, pool);
    cudaIpcMemHandle_t handle = {{0}};
    if (!devPtr || !data || !p->imported || memcmp(data->reserved + IPC_HANDLE_USED, &p->identity, sizeof p->identity))
        return runtime_leave(cudaErrorInvalidValue);
    memcpy(&handle, data->reserved, IPC_HANDLE_USED);
    cudaError_t e = cudaIpcOpenMemHandle(devPtr, handle, 0);
    if (!e)
        mempool_taken(p, (uint64_t)(uintptr_t)*devPtr, 0);
    return e;
}

bool mempool_imported(uint64_t address)
{
    pthread_mutex_lock(&runtime_lock);
    const struct mempool *p = owner(address);
    bool imported = p && p->imported;
    pthread_mutex_unlock(&runtime_lock);
    return imported;
}
