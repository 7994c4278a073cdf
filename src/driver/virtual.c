/* Virtual memory management (CUDA Driver API reference): memory, addresses, and which memory is at which addresses.
 *
 * Memory is a memfd of its own, paid for from its device's memory; the handle is a pointer to what is known of it. Addresses are of the
 * current device's range, or device 0's. Mapped, the memory is in both views of the space (space_map); space_access lets kernels and
 * copies touch it. A file descriptor that is exported is the memfd, so another process maps the same bytes.
 * Error codes: an H200's (tests/truth/libraries/driver.cu, group virtual_memory). */
#define _GNU_SOURCE
#include "driver/virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "driver/driver.h"
#include "engine.h"
#include "runtime/peer.h"
#include "runtime/pointer.h"
#include "runtime/pool.h"
#include "space/space.h"

#define MEMORY_NAME "heddle-mapped-memory" /* of a memfd: tells those of ours */

struct memory {
    bool alive; /* first: pool.h */
    bool imported; /* its process has paid for it */
    int fd;
    size_t bytes;
    unsigned handles, mappings; /* it goes when there is none of either */
    struct runtime_device *device;
    CUmemAllocationProp prop;
};

struct reservation {
    uint64_t address, bytes;
    struct runtime_device *device;
};

struct mapping {
    uint64_t address, bytes;
    struct memory *memory;
    struct runtime_device *device; /* of the reservation */
    unsigned access;               /* CUmemAccess_flags */
};

/* All guarded by runtime_lock. */
static struct pool memories = {.size = (sizeof(struct memory) + 15) / 16 * 16};
static struct reservation *reservations;
static int nreservations, reservations_cap;
static struct mapping *mappings;
static int nmappings, mappings_cap;

static struct memory *memory_at(CUmemGenericAllocationHandle handle)
{
    struct memory *m = (struct memory *)(uintptr_t)handle;
    return pool_holds(&memories, m) && m->handles ? m : NULL;
}

static void memory_let_go(struct memory *m)
{
    if (m->handles || m->mappings)
        return;
    close(m->fd);
    if (!m->imported)
        space_repay(m->device->space, m->bytes);
    pool_give(&memories, m);
}

static struct memory *memory_new(int fd, size_t bytes, struct runtime_device *d, const CUmemAllocationProp *prop)
{
    struct memory *m = pool_take(&memories);
    m->fd = fd;
    m->bytes = bytes;
    m->handles = 1;
    m->device = d;
    m->prop = *prop;
    return m;
}

/* The mapping that holds the address, or NULL. */
static struct mapping *mapping_at(uint64_t address)
{
    for (int i = 0; i < nmappings; i++)
        if (address - mappings[i].address < mappings[i].bytes)
            return &mappings[i];
    return NULL;
}

bool virtual_mapping(uint64_t address, uint64_t *base, size_t *bytes)
{
    pthread_mutex_lock(&runtime_lock);
    const struct mapping *m = mapping_at(address);
    if (m) {
        *base = m->address;
        *bytes = m->bytes;
    }
    pthread_mutex_unlock(&runtime_lock);
    return m != NULL;
}

/* --- addresses --- */

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags)
{
    INITIALISED;
    struct context *c;
    struct runtime_device *d;
    uint64_t address;
    (void)addr; /* a wish */
    REQUIRE(ptr && size && size % SPACE_GRANULE == 0 && !(alignment & (alignment - 1)) && !flags);
    CUresult r = driver_enter(&c, &d) ? driver_device(0, &d) : CUDA_SUCCESS;
    if (r)
        return driver_leave(r);
    if (space_reserve(d->space, size, alignment, &address))
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    pthread_mutex_lock(&runtime_lock);
    ALLOC_GROW(reservations, nreservations, reservations_cap);
    reservations[nreservations++] = (struct reservation){address, size, d};
    pthread_mutex_unlock(&runtime_lock);
    *ptr = address;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    INITIALISED;
    CUresult r = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&runtime_lock);
    bool used = false;
    for (int i = 0; i < nmappings; i++)
        used = used || mappings[i].address - ptr < size;
    for (int i = 0; i < nreservations && r && !used; i++)
        if (reservations[i].address == ptr && reservations[i].bytes == size) {
            space_unreserve(reservations[i].device->space, ptr, size);
            reservations[i] = reservations[--nreservations];
            r = CUDA_SUCCESS;
        }
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(r);
}

/* --- memory --- */

/* What may be asked for; the device into *d. */
static CUresult check_prop(const CUmemAllocationProp *prop, struct runtime_device **d)
{
    if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return driver_not_supported("memory to be mapped that is not a device's");
    if (prop->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return driver_not_supported("memory to be exported by other handles than file descriptors");
    return driver_device(prop->location.id, d);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option)
{
    INITIALISED;
    struct runtime_device *d;
    REQUIRE(granularity && prop && (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    CUresult r = check_prop(prop, &d);
    if (!r)
        *granularity = SPACE_GRANULE;
    return driver_leave(r);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)
{
    INITIALISED;
    struct runtime_device *d;
    REQUIRE(handle && size && size % SPACE_GRANULE == 0 && !flags);
    CUresult r = check_prop(prop, &d);
    if (r)
        return driver_leave(r);
    if (space_pay(d->space, size))
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    int fd = memfd_create(MEMORY_NAME, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size)) {
        if (fd >= 0)
            close(fd);
        space_repay(d->space, size);
        return driver_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    pthread_mutex_lock(&runtime_lock);
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)memory_new(fd, size, d, prop);
    pthread_mutex_unlock(&runtime_lock);
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    INITIALISED;
    pthread_mutex_lock(&runtime_lock);
    struct memory *m = memory_at(handle);
    if (m) {
        m->handles--;
        memory_let_go(m);
    }
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    INITIALISED;
    REQUIRE(handle);
    pthread_mutex_lock(&runtime_lock);
    struct mapping *at = mapping_at((uint64_t)(uintptr_t)addr);
    if (at) {
        at->memory->handles++;
        *handle = (CUmemGenericAllocationHandle)(uintptr_t)at->memory;
    }
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    INITIALISED;
    REQUIRE(prop);
    pthread_mutex_lock(&runtime_lock);
    const struct memory *m = memory_at(handle);
    if (m)
        *prop = m->prop;
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* --- other processes --- */

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,
                                      unsigned long long flags)
{
    INITIALISED;
    REQUIRE(shareableHandle && !flags && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    pthread_mutex_lock(&runtime_lock);
    const struct memory *m = memory_at(handle);
    bool may = m && m->prop.requestedHandleTypes & handleType;
    int fd = may ? fcntl(m->fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&runtime_lock);
    if (fd < 0)
        return driver_leave(may ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_INVALID_VALUE);
    memcpy(shareableHandle, &fd, sizeof fd);
    return CUDA_SUCCESS;
}

/* Is the descriptor one that a process of ours exported? */
static bool is_exported(int fd)
{
    char path[64], name[64] = "";
    static const char wanted[] = "/memfd:" MEMORY_NAME;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, name, sizeof name - 1) > 0 && !strncmp(name, wanted, strlen(wanted));
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType)
{
    INITIALISED;
    struct context *c;
    struct runtime_device *d;
    struct stat st;
    int given = (int)(intptr_t)osHandle;
    REQUIRE(handle && shHandleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && is_exported(given));
    CUresult r = driver_enter(&c, &d) ? driver_device(0, &d) : CUDA_SUCCESS;
    if (r)
        return driver_leave(r);
    int fd = fcntl(given, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return driver_leave(CUDA_ERROR_OPERATING_SYSTEM);
    }
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = shHandleType,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = d->index}};
    pthread_mutex_lock(&runtime_lock);
    struct memory *m = memory_new(fd, (size_t)st.st_size, d, &prop);
    m->imported = true;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)m;
    pthread_mutex_unlock(&runtime_lock);
    return CUDA_SUCCESS;
}

/* --- which memory is at which addresses --- */

static const struct reservation *reservation_of(uint64_t address, uint64_t bytes)
{
    for (int i = 0; i < nreservations; i++)
        if (address - reservations[i].address < reservations[i].bytes && bytes <= reservations[i].bytes - (address - reservations[i].address))
            return &reservations[i];
    return NULL;
}

/* With runtime_lock. A part of a memory cannot be mapped, nor can more than it has. */
static CUresult map(uint64_t address, uint64_t bytes, size_t offset, CUmemGenericAllocationHandle handle)
{
    struct memory *m = memory_at(handle);
    const struct reservation *in = bytes ? reservation_of(address, bytes) : NULL;
    if (!m || !in || address % SPACE_GRANULE)
        return CUDA_ERROR_INVALID_VALUE;
    if (offset || bytes != m->bytes)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (int i = 0; i < nmappings; i++)
        if (mappings[i].address - address < bytes || address - mappings[i].address < mappings[i].bytes)
            return CUDA_ERROR_INVALID_VALUE;
    if (!space_map(in->device->space, address, bytes, m->fd, 0))
        return CUDA_ERROR_OUT_OF_MEMORY;
    ALLOC_GROW(mappings, nmappings, mappings_cap);
    mappings[nmappings++] = (struct mapping){address, bytes, m, in->device, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    m->mappings++;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    INITIALISED;
    REQUIRE(!flags);
    pthread_mutex_lock(&runtime_lock);
    CUresult r = map(ptr, size, offset, handle);
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(r);
}

/* Do whole mappings fill the range? With runtime_lock. */
static bool is_filled(uint64_t address, uint64_t bytes)
{
    uint64_t at = address, end = address + bytes;
    for (const struct mapping *m; at < end && (m = mapping_at(at)) && m->address == at;)
        at += m->bytes;
    return bytes && at == end;
}

static void set_access(struct mapping *m, unsigned access)
{
    bool was = m->access, on = access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    m->access = access;
    if (was == on)
        return;
    space_access(m->device->space, m->address, m->bytes, on);
    if (on)
        engine_written(m->device->engine, m->address, m->bytes); /* by whom, and when, cannot be seen */
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    INITIALISED;
    struct pointer p = pointer_look(driver_pointer(ptr));
    if (p.kind == POINTER_DEVICE)
        peer_wait_users(&p);
    pthread_mutex_lock(&runtime_lock);
    bool whole = is_filled(ptr, size);
    for (int i = 0; i < nmappings && whole; i++) {
        struct mapping *m = &mappings[i];
        if (m->address - ptr >= size)
            continue;
        set_access(m, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        space_map(m->device->space, m->address, m->bytes, -1, 0);
        m->memory->mappings--;
        memory_let_go(m->memory);
        mappings[i--] = mappings[--nmappings];
    }
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Access of one device to whole mappings, which lie in its range; with runtime_lock. */
static CUresult check_access(uint64_t address, uint64_t bytes, const CUmemAccessDesc *desc)
{
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE || (unsigned)desc->flags == 2 || (unsigned)desc->flags > CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
    for (uint64_t at = address; at < address + bytes;) {
        const struct mapping *m = mapping_at(at);
        if (m->device->index != desc->location.id)
            return driver_not_supported("cuMemSetAccess for a device that was not current when the addresses were reserved");
        at = m->address + m->bytes;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    INITIALISED;
    REQUIRE(desc && count);
    pthread_mutex_lock(&runtime_lock);
    CUresult r = is_filled(ptr, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !r; i++)
        r = check_access(ptr, size, &desc[i]);
    for (size_t i = 0; i < count && !r; i++)
        for (int k = 0; k < nmappings; k++)
            if (mappings[k].address - ptr < size)
                set_access(&mappings[k], desc[i].flags);
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(r);
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    INITIALISED;
    REQUIRE(flags && location);
    pthread_mutex_lock(&runtime_lock);
    const struct mapping *m = mapping_at(ptr);
    if (m)
        *flags = m->device->index == location->id ? m->access : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    pthread_mutex_unlock(&runtime_lock);
    return driver_leave(m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
