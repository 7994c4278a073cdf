/* Where managed memory should be: prefetches, advice, and what was said so far (CUDA Runtime API reference, "Memory
 * Management").
 *
 * Both sides share the bytes, so there is nothing to move, and no model obeys; but what a program has said it can ask for.
 * Kept are ranges that do not overlap, in no order, each with what holds for all of its bytes. */
#include "runtime/advice.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/capture.h"
#include "runtime/pointer.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"

#define OF_HOST 63 /* bit of `accessed` for the host; below: devices */

struct said {
    bool read_mostly;
    int preferred, last; /* device, cudaCpuDeviceId, or cudaInvalidDeviceId: never said */
    uint64_t accessed;   /* set of devices */
};

struct range {
    uint64_t from, to;
    struct said said;
};

static const struct said nothing = {false, cudaInvalidDeviceId, cudaInvalidDeviceId, 0};
static struct range *ranges; /* this and what follows: guarded by runtime_lock */
static int nranges, ranges_cap;

/* --- ranges --- */

static void add(uint64_t from, uint64_t to, const struct said *said)
{
    ALLOC_GROW(ranges, nranges, ranges_cap);
    ranges[nranges++] = (struct range){from, to, *said};
}

/* No range goes on across the address. */
static void cut(uint64_t at)
{
    for (int i = 0; i < nranges; i++)
        if (ranges[i].from < at && at < ranges[i].to) {
            struct range behind = {at, ranges[i].to, ranges[i].said};
            ranges[i].to = at;
            add(behind.from, behind.to, &behind.said);
            return;
        }
}

/* The range that holds the address, or NULL; then *next is where the first one behind it begins, at most `to`. */
static struct range *range_at(uint64_t at, uint64_t to, uint64_t *next)
{
    *next = to;
    for (int i = 0; i < nranges; i++) {
        if (at >= ranges[i].from && at < ranges[i].to)
            return &ranges[i];
        if (ranges[i].from > at && ranges[i].from < *next)
            *next = ranges[i].from;
    }
    return NULL;
}

void advice_forget(uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&runtime_lock);
    cut(address);
    cut(address + bytes);
    for (int i = 0; i < nranges; i++)
        if (ranges[i].from - address < bytes)
            ranges[i--] = ranges[--nranges];
    pthread_mutex_unlock(&runtime_lock);
}

/* Lets `change` at what was said of each part of the memory. */
static void say(const void *ptr, size_t count, void (*change)(struct said *s, int what, int device), int what, int device)
{
    uint64_t from = (uint64_t)(uintptr_t)ptr, to = from + count, next;
    pthread_mutex_lock(&runtime_lock);
    cut(from);
    cut(to);
    for (uint64_t at = from; at < to;) {
        struct range *r = range_at(at, to, &next);
        if (!r) {
            add(at, next, &nothing);
            r = &ranges[nranges - 1];
        }
        change(&r->said, what, device);
        at = r->to;
    }
    pthread_mutex_unlock(&runtime_lock);
}

/* What holds for all of the memory. */
static struct said heard(const void *ptr, size_t count)
{
    uint64_t from = (uint64_t)(uintptr_t)ptr, to = from + count, next;
    struct said all = nothing;
    pthread_mutex_lock(&runtime_lock);
    for (uint64_t at = from; at < to;) {
        const struct range *r = range_at(at, to, &next);
        struct said s = r ? r->said : nothing;
        if (at == from)
            all = s;
        all.read_mostly &= s.read_mostly;
        all.accessed &= s.accessed;
        all.preferred = all.preferred == s.preferred ? s.preferred : cudaInvalidDeviceId;
        all.last = all.last == s.last ? s.last : cudaInvalidDeviceId;
        at = r ? r->to : next;
    }
    pthread_mutex_unlock(&runtime_lock);
    return all;
}

/* --- calls --- */

static cudaError_t check_managed(const void *ptr, size_t count)
{
    struct pointer p = pointer_look(ptr);
    return p.kind == POINTER_MANAGED && pointer_spans(&p, count) ? cudaSuccess : cudaErrorInvalidValue;
}

static bool is_device_or_host(int device)
{
    return device == cudaCpuDeviceId || (device >= 0 && device < runtime_device_count());
}

static void prefetched(struct said *s, int what, int device)
{
    (void)what;
    s->last = device;
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice, cudaStream_t stream)
{
    ENTER(d);
    if (!is_device_or_host(dstDevice))
        return runtime_leave(cudaErrorInvalidDevice);
    struct stream *s = stream_of(stream);
    if (!s)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    cudaError_t e = capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    e = e ? e : check_managed(devPtr, count);
    if (!e)
        say(devPtr, count, prefetched, 0, dstDevice);
    return runtime_leave(e);
}

static void advised(struct said *s, int advice, int device)
{
    uint64_t bit = UINT64_C(1) << (device == cudaCpuDeviceId ? OF_HOST : device);
    switch ((enum cudaMemoryAdvise)advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        s->read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        s->preferred = device;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        s->preferred = cudaInvalidDeviceId;
        break;
    case cudaMemAdviseSetAccessedBy:
        s->accessed |= bit;
        break;
    case cudaMemAdviseUnsetAccessedBy:
        s->accessed &= ~bit;
        break;
    }
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device)
{
    ENTER(d);
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return runtime_leave(cudaErrorInvalidValue);
    if (!is_device_or_host(device))
        return runtime_leave(cudaErrorInvalidDevice);
    cudaError_t e = check_managed(devPtr, count);
    if (!e)
        say(devPtr, count, advised, advice, device);
    return runtime_leave(e);
}

/* A place as CUDA 12.2 says it, as a device number; cudaInvalidDeviceId: not one. */
static int device_at(struct cudaMemLocation l)
{
    return l.type == cudaMemLocationTypeDevice && l.id >= 0 ? l.id
           : l.type == cudaMemLocationTypeHost || l.type == cudaMemLocationTypeHostNuma ||
                     l.type == cudaMemLocationTypeHostNumaCurrent
               ? cudaCpuDeviceId
               : cudaInvalidDeviceId;
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream)
{
    if (flags)
        return runtime_leave(cudaErrorInvalidValue);
    return cudaMemPrefetchAsync(devPtr, count, device_at(location), stream);
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    bool any = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
               advice == cudaMemAdviseUnsetPreferredLocation; /* "location is ignored" */
    return cudaMemAdvise(devPtr, count, advice, any ? cudaCpuDeviceId : device_at(location));
}

static int type_of(int device)
{
    return device == cudaInvalidDeviceId ? cudaMemLocationTypeInvalid
           : device == cudaCpuDeviceId   ? cudaMemLocationTypeHost
                                         : cudaMemLocationTypeDevice;
}

/* Devices, then cudaInvalidDeviceId for the rest of the list. */
static void list_accessed(uint64_t set, int *to, size_t n)
{
    size_t used = 0;
    for (int device = 0; device <= OF_HOST; device++)
        if (set >> device & 1 && used < n)
            to[used++] = device == OF_HOST ? cudaCpuDeviceId : device;
    while (used < n)
        to[used++] = cudaInvalidDeviceId;
}

static cudaError_t answer(const struct said *s, void *data, size_t bytes, enum cudaMemRangeAttribute attribute)
{
    int value;
    if (!data || !bytes || bytes % sizeof value || (attribute != cudaMemRangeAttributeAccessedBy && bytes != sizeof value))
        return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        value = s->read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId:
        value = s->preferred;
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        value = s->last;
        break;
    case cudaMemRangeAttributePreferredLocationType:
        value = type_of(s->preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        value = type_of(s->last);
        break;
    case cudaMemRangeAttributeAccessedBy:
        list_accessed(s->accessed, data, bytes / sizeof(int));
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
    memcpy(data, &value, sizeof value);
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count)
{
    ENTER(d);
    cudaError_t e = count ? check_managed(devPtr, count) : cudaErrorInvalidValue;
    struct said s = e ? nothing : heard(devPtr, count);
    return runtime_leave(e ? e : answer(&s, data, dataSize, attribute));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                      size_t numAttributes, const void *devPtr, size_t count)
{
    cudaError_t e = data && dataSizes && attributes && numAttributes ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < numAttributes && !e; i++)
        e = cudaMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    return runtime_leave(e);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
    ENTER(d);
    if (!stream_of(stream))
        return runtime_leave(cudaErrorInvalidResourceHandle);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(check_managed(devPtr, length));
}
