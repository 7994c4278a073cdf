/* Device management (CUDA Runtime API reference, chapter "Device Management", and the deprecated "Thread Management").
 *
 * Every figure comes from the device description (device/device.h); what a description does not say is 0. What Heddle
 * itself can or cannot do (arrays, interoperability) is said as it is, not as the real device would. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "engine.h"
#include "runtime/capture.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/device_time.h"
#include "runtime/mempool.h"
#include "runtime/module.h"
#include "runtime/peer.h"
#include "runtime/queue.h"
#include "runtime/range.h"
#include "runtime/runtime.h"
#include "space/space.h"

/* --- properties --- */

static int clamp(int64_t v)
{
    return v > INT_MAX ? INT_MAX : (int)v;
}

static void textures(struct cudaDeviceProp *p, const struct device *s)
{
    p->maxTexture1D = clamp(s->max_texture_1d);
    p->maxTexture1DMipmap = clamp(s->max_texture_1d_mipmap);
    p->maxTexture1DLinear = clamp(s->max_texture_1d_linear);
    p->maxTexture2D[0] = clamp(s->max_texture_2d_x);
    p->maxTexture2D[1] = clamp(s->max_texture_2d_y);
    p->maxTexture2DMipmap[0] = clamp(s->max_texture_2d_mipmap_x);
    p->maxTexture2DMipmap[1] = clamp(s->max_texture_2d_mipmap_y);
    p->maxTexture2DLinear[0] = clamp(s->max_texture_2d_linear_x);
    p->maxTexture2DLinear[1] = clamp(s->max_texture_2d_linear_y);
    p->maxTexture2DLinear[2] = clamp(s->max_texture_2d_linear_pitch);
    p->maxTexture2DGather[0] = clamp(s->max_texture_2d_gather_x);
    p->maxTexture2DGather[1] = clamp(s->max_texture_2d_gather_y);
    p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = clamp(s->max_texture_3d);
    p->maxTexture3DAlt[0] = p->maxTexture3DAlt[1] = clamp(s->max_texture_3d_alternate_xy);
    p->maxTexture3DAlt[2] = clamp(s->max_texture_3d_alternate_z);
    p->maxTextureCubemap = clamp(s->max_texture_cubemap);
    p->maxTexture1DLayered[0] = clamp(s->max_texture_1d_layered);
    p->maxTexture1DLayered[1] = clamp(s->max_texture_layers);
    p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = clamp(s->max_texture_2d_layered);
    p->maxTexture2DLayered[2] = clamp(s->max_texture_layers);
    p->maxTextureCubemapLayered[0] = clamp(s->max_texture_cubemap_layered);
    p->maxTextureCubemapLayered[1] = clamp(s->max_texture_cubemap_layers);
    p->maxSurface1D = clamp(s->max_surface_1d);
    p->maxSurface2D[0] = clamp(s->max_surface_2d_x);
    p->maxSurface2D[1] = clamp(s->max_surface_2d_y);
    p->maxSurface3D[0] = clamp(s->max_surface_3d_x);
    p->maxSurface3D[1] = clamp(s->max_surface_3d_y);
    p->maxSurface3D[2] = clamp(s->max_surface_3d_z);
    p->maxSurfaceCubemap = clamp(s->max_surface_cubemap);
    p->maxSurface1DLayered[0] = clamp(s->max_surface_1d_layered);
    p->maxSurface1DLayered[1] = clamp(s->max_texture_layers);
    p->maxSurface2DLayered[0] = clamp(s->max_surface_2d_layered_x);
    p->maxSurface2DLayered[1] = clamp(s->max_surface_2d_layered_y);
    p->maxSurface2DLayered[2] = clamp(s->max_texture_layers);
    p->maxSurfaceCubemapLayered[0] = clamp(s->max_surface_cubemap);
    p->maxSurfaceCubemapLayered[1] = clamp(s->max_texture_cubemap_layers);
}

static void limits(struct cudaDeviceProp *p, const struct device *s)
{
    p->sharedMemPerBlock = (size_t)s->max_shared_per_block;
    p->sharedMemPerBlockOptin = (size_t)s->max_shared_per_block_optin;
    p->sharedMemPerMultiprocessor = (size_t)s->shared_per_sm;
    p->reservedSharedMemPerBlock = (size_t)s->shared_reserved;
    p->regsPerBlock = clamp(s->max_registers_per_block);
    p->regsPerMultiprocessor = clamp(s->registers_per_sm);
    p->warpSize = clamp(s->warp_size);
    p->maxThreadsPerBlock = clamp(s->max_threads_per_block);
    p->maxThreadsDim[0] = clamp(s->max_block_x);
    p->maxThreadsDim[1] = clamp(s->max_block_y);
    p->maxThreadsDim[2] = clamp(s->max_block_z);
    p->maxGridSize[0] = clamp(s->max_grid_x);
    p->maxGridSize[1] = clamp(s->max_grid_y);
    p->maxGridSize[2] = clamp(s->max_grid_z);
    p->maxThreadsPerMultiProcessor = clamp(s->max_threads_per_sm);
    p->maxBlocksPerMultiProcessor = clamp(s->max_blocks_per_sm);
    p->totalConstMem = (size_t)s->constant_bytes;
    p->memPitch = (size_t)s->memory_pitch;
    p->textureAlignment = (size_t)s->texture_alignment;
    p->texturePitchAlignment = (size_t)s->texture_pitch_alignment;
    p->surfaceAlignment = (size_t)s->surface_alignment;
}

/* What depends on the compute capability alone is not in the descriptions. Clusters, sparse arrays, events for other
 * processes and interoperation are not there, whatever the GPU can; pageable memory is the host's alone, as with a GPU behind
 * PCIe. tests/data/attributes.tsv holds all of it against each GPU's capability. */
static void abilities(struct cudaDeviceProp *p, const struct device *s)
{
    int64_t capability = s->cc_major * 10 + s->cc_minor;
    p->deviceOverlap = s->async_engines > 0;
    p->asyncEngineCount = clamp(s->async_engines);
    p->concurrentKernels = clamp(s->concurrent_kernels);
    p->computeMode = clamp(s->compute_mode);
    p->integrated = clamp(s->integrated);
    p->ECCEnabled = clamp(s->ecc);
    p->unifiedAddressing = clamp(s->unified_addressing);
    p->canMapHostMemory = capability >= 11;
    p->canUseHostPointerForRegisteredMem = capability >= 60;
    p->memoryPoolsSupported = clamp(s->memory_pools);
    p->streamPrioritiesSupported = clamp(s->stream_priorities);
    p->globalL1CacheSupported = clamp(s->global_l1);
    p->localL1CacheSupported = clamp(s->local_l1);
    p->managedMemory = clamp(s->managed_memory);
    p->concurrentManagedAccess = clamp(s->concurrent_managed_access);
    p->singleToDoublePrecisionPerfRatio = clamp(s->single_to_double_ratio);
    p->computePreemptionSupported = clamp(s->compute_preemption);
    p->cooperativeLaunch = clamp(s->cooperative_launch);
    p->persistingL2CacheMaxSize = clamp(s->persisting_l2_max_bytes);
    p->accessPolicyMaxWindowSize = clamp(s->access_policy_max_window);
    p->hostRegisterSupported = 1;
    p->hostRegisterReadOnlySupported = 1;
}

static void properties(struct cudaDeviceProp *p, const struct runtime_device *d)
{
    const struct device *s = d->spec;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", s->name);
    memcpy(p->uuid.bytes, "HEDDLE", 6);
    p->uuid.bytes[15] = (char)d->index;
    p->totalGlobalMem = d->space->capacity;
    p->major = clamp(s->cc_major);
    p->minor = clamp(s->cc_minor);
    p->multiProcessorCount = clamp(s->multiprocessors);
    p->clockRate = clamp(s->sm_clock_khz);
    p->memoryClockRate = clamp(s->memory_clock_khz);
    p->memoryBusWidth = clamp(s->memory_bus_bits);
    p->l2CacheSize = clamp(s->l2_bytes);
    p->pciBusID = d->index + 1;
    p->multiGpuBoardGroupID = d->index;
    limits(p, s);
    abilities(p, s);
    textures(p, s);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    cudaError_t e;
    struct runtime_device *d = runtime_device(device, &e);
    if (!d || !prop)
        return runtime_leave(d ? cudaErrorInvalidValue : e);
    properties(prop, d);
    return cudaSuccess;
}

/* For device code too, so the last error stays. */
static int attribute(int attr, int device, int *value)
{
    cudaError_t e;
    struct cudaDeviceProp prop, *p = &prop;
    struct runtime_device *d = runtime_device(device, &e);
    if (!d || !value)
        return d ? cudaErrorInvalidValue : e;
    properties(p, d);
    switch (attr) {
#define ATTRIBUTE(name, of)                                                                        \
    case cudaDevAttr##name:                                                                        \
        *value = clamp((int64_t)(of));                                                             \
        return cudaSuccess;
#include "runtime/device_attributes.def"
#undef ATTRIBUTE
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    return runtime_leave((cudaError_t)attribute((int)attr, device, value));
}

/* --- which device --- */

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t e;
    if (!count)
        return runtime_leave(cudaErrorInvalidValue);
    *count = 0;
    if (!runtime_device(0, &e))
        return runtime_leave(e);
    *count = runtime_device_count();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t e;
    if (!runtime_device(device, &e))
        return runtime_leave(e);
    runtime_set_current(device);
    return runtime_leave(runtime_device_if_open(device)->sticky);
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return runtime_leave(cudaErrorInvalidValue);
    *device = runtime_current();
    return cudaSuccess;
}

/* The first device that has at least what the caller names; fields left at 0 do not count. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    cudaError_t e;
    struct cudaDeviceProp p;
    if (!device || !prop)
        return runtime_leave(cudaErrorInvalidValue);
    for (int i = 0; i < runtime_device_count(); i++) {
        struct runtime_device *d = runtime_device(i, &e);
        if (!d)
            return runtime_leave(e);
        properties(&p, d);
        if (p.major * 10 + p.minor >= prop->major * 10 + prop->minor && p.totalGlobalMem >= prop->totalGlobalMem &&
            p.multiProcessorCount >= prop->multiProcessorCount) {
            *device = i;
            return cudaSuccess;
        }
    }
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int len)
{
    if (len < 0 || (len && !devices))
        return runtime_leave(cudaErrorInvalidValue);
    for (int i = 0; i < len; i++)
        if (devices[i] < 0 || devices[i] >= runtime_device_count())
            return runtime_leave(cudaErrorInvalidDevice);
    if (len)
        runtime_set_current(devices[0]);
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    cudaError_t e;
    (void)deviceFlags;
    if (flags)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(runtime_device(device, &e) ? cudaSuccess : e);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    cudaError_t e;
    struct runtime_device *d = runtime_device(device, &e);
    if (!d || !pciBusId || len < 13)
        return runtime_leave(d ? cudaErrorInvalidValue : e);
    snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", (unsigned)(d->index + 1) & 0xff);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    unsigned domain = 0, bus, slot = 0;
    if (!device || !pciBusId)
        return runtime_leave(cudaErrorInvalidValue);
    if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) < 3 &&
        (domain = 0, sscanf(pciBusId, "%x:%x", &bus, &slot) < 2))
        return runtime_leave(cudaErrorInvalidDevice);
    if (domain || slot || bus < 1 || bus > (unsigned)runtime_device_count())
        return runtime_leave(cudaErrorInvalidDevice);
    *device = (int)bus - 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements, const struct cudaChannelFormatDesc *desc, int device)
{
    cudaError_t e;
    struct runtime_device *d = runtime_device(device, &e);
    if (!elements || !desc)
        return runtime_leave(cudaErrorInvalidValue);
    if (!d)
        return runtime_leave(e);
    *elements = (size_t)d->spec->max_texture_1d_linear;
    return cudaSuccess;
}

/* --- waiting and starting anew --- */

cudaError_t cudaDeviceSynchronize(void)
{
    ENTER(d);
    cudaError_t e = capture_device(d);
    if (e)
        return runtime_leave(e);
    queue_wait_device(d);
    return runtime_leave(queue_verdict(d));
}

static void collect_memory(const struct space_allocation *a, void *user)
{
    uint64_t **next = user;
    if (a->kind == SPACE_PROGRAM || a->kind == SPACE_MANAGED)
        *(*next)++ = a->address;
}

static void count_memory(const struct space_allocation *a, void *user)
{
    (void)a;
    ++*(size_t *)user;
}

static void free_everything(struct runtime_device *d)
{
    size_t n = 0;
    space_each(d->space, count_memory, &n);
    uint64_t *address = alloc_zeroed(n * sizeof *address), *end = address;
    space_each(d->space, collect_memory, &end);
    for (uint64_t *a = address; a < end; a++)
        if (heddle_free(d->engine, *a)) /* managed memory: not of heddle_alloc */
            space_free(d->space, *a);
    alloc_release(address);
}

/* Gives back the device's memory and forgets its modules. A device that has a sticky error keeps it: "the process must
 * be terminated and relaunched" (CUDA Runtime API reference, enum cudaError). */
cudaError_t cudaDeviceReset(void)
{
    ENTER(d);
    queue_wait_device(d);
    cudaError_t e = queue_verdict(d);
    if (e && runtime_is_sticky(e))
        return runtime_leave(e);
    checking_end(d, true);
    graph_memory_reset(d);
    module_reset(d);
    free_everything(d);
    mempool_reset(d);
    peer_reset(d);
    d->flags = 0;
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

/* --- settings --- */

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    ENTER(d);
    unsigned schedule = flags & cudaDeviceScheduleMask;
    if (flags & ~(unsigned)cudaDeviceMask || (schedule & (schedule - 1)))
        return runtime_leave(cudaErrorInvalidValue);
    d->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    ENTER(d);
    if (!flags)
        return runtime_leave(cudaErrorInvalidValue);
    *flags = d->flags | cudaDeviceMapHost; /* always, since unified addressing */
    return cudaSuccess;
}

/* How deep kernels may wait for those that they launch belongs to devices whose kernels may (CUDA C++ programming guide 12, 9.6). */
static bool is_limit(const struct runtime_device *d, enum cudaLimit l)
{
    return (l == cudaLimitDevRuntimeSyncDepth && d->spec->cc_major < 9) || l == cudaLimitDevRuntimePendingLaunchCount || l == cudaLimitStackSize || l == cudaLimitPrintfFifoSize || l == cudaLimitMallocHeapSize ||
           l == cudaLimitMaxL2FetchGranularity || l == cudaLimitPersistingL2CacheSize;
}

enum { PENDING_LEAST = 32 };   /* an H200 makes 32 of 16 (tests/truth/launches) */
enum { SYNC_DEPTH_MOST = 24 }; /* "the hardware limit on maximum nesting depth" (CUDA C++ programming guide 12, 9.6) */

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    ENTER(d);
    if (!is_limit(d, limit))
        return runtime_leave(cudaErrorUnsupportedLimit);
    if ((limit == cudaLimitDevRuntimeSyncDepth && value > SYNC_DEPTH_MOST) ||
        (limit == cudaLimitPersistingL2CacheSize && (int64_t)value > d->spec->persisting_l2_max_bytes) ||
        (limit == cudaLimitMaxL2FetchGranularity && value > 128))
        return runtime_leave(cudaErrorInvalidValue);
    /* "cudaLimitMallocHeapSize must not be changed after launching any kernel that uses malloc() or free()" */
    if (limit == cudaLimitMallocHeapSize && heddle_heap_size(d->engine, value ? value : 1))
        return runtime_leave(cudaErrorInvalidValue);
    if (limit == cudaLimitStackSize) {
        queue_wait_device(d); /* launches take the size when they run */
        if (heddle_stack_size(d->engine, value))
            return runtime_leave(cudaErrorInvalidValue);
    }
    if (limit == cudaLimitDevRuntimePendingLaunchCount) {
        value = value < PENDING_LEAST ? PENDING_LEAST : value;
        queue_wait_device(d);
        engine_pending(d->engine, value);
    }
    d->limit[limit] = value;
    return cudaSuccess;
}

static int limit_of(int device, int limit, uint64_t *value)
{
    const struct runtime_device *d = runtime_device_if_open(device);
    if (!d || !is_limit(d, (enum cudaLimit)limit))
        return cudaErrorUnsupportedLimit;
    *value = d->limit[limit];
    return cudaSuccess;
}

void device_answers_kernels(heddle_device *engine)
{
    engine_asked(engine, &(struct engine_asked){attribute, limit_of});
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    ENTER(d);
    if (!value || !is_limit(d, limit))
        return runtime_leave(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    *value = d->limit[limit];
    return cudaSuccess;
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    ENTER(d);
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return runtime_leave(cudaErrorInvalidValue);
    d->cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    ENTER(d);
    if (!config)
        return runtime_leave(cudaErrorInvalidValue);
    *config = d->cache_config;
    return cudaSuccess;
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

/* Banks that deliver 8 bytes (compute capability 3.x) may hold words of 4 or of 8 bytes; elsewhere it is no error, and has no
 * effect. Only counts depend on it. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    ENTER(d);
    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return runtime_leave(cudaErrorInvalidValue);
    d->eight_byte_banks = config == cudaSharedMemBankSizeEightByte && d->spec->shared_bank_bytes == 8;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    ENTER(d);
    if (!config)
        return runtime_leave(cudaErrorInvalidValue);
    *config = d->eight_byte_banks ? cudaSharedMemBankSizeEightByte : cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

static cudaError_t reset_persisting(struct command *c, cudaError_t status)
{
    if (!status)
        engine_reset_persisting(c->stream->device->engine);
    return cudaSuccess;
}

/* Where L2 is modelled, what was asked for before has run by then. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    ENTER(d);
    if (!runtime_collecting() && !device_time_on())
        return cudaSuccess;
    struct command *c = command_new(COMMAND_CALL);
    c->call_back.function = reset_persisting;
    queue_put_async(stream_legacy(d), c);
    return cudaSuccess;
}

/* Where a profiler was told to look only between these (range.h). */
cudaError_t cudaProfilerStart(void)
{
    ENTER(d);
    range_profiler(true);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    ENTER(d);
    range_profiler(false);
    return cudaSuccess;
}
