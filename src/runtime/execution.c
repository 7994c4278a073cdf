/* Execution control (CUDA Runtime API reference, chapter "Execution Control"), and the call configuration of <<<...>>>.
 *
 * A launch is checked against the device's limits in the caller's thread, so that a bad configuration is the answer of
 * the launch itself and nothing runs; then it is queued. */
#include "runtime/execution.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "device/device.h"
#include "engine.h"
#include "report/result.h"
#include "runtime/capture.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/device_time.h"
#include "runtime/module.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"
#include "runtime/times.h"
#include "space/space.h"

/* --- <<<grid, block, shared, stream>>> --- */

struct configuration {
    struct dim3 grid, block;
    size_t shared;
    void *stream;
};

/* Arguments of a launch may themselves launch, so configurations nest. */
enum { NESTING = 64 };
static _Thread_local struct configuration stack[NESTING];
static _Thread_local int depth;

unsigned int __cudaPushCallConfiguration(struct dim3 gridDim, struct dim3 blockDim, size_t sharedMem, void *stream)
{
    if (depth == NESTING)
        return (unsigned)runtime_leave(cudaErrorInvalidConfiguration);
    stack[depth++] = (struct configuration){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3 *gridDim, struct dim3 *blockDim, size_t *sharedMem, void *stream)
{
    if (!depth)
        return runtime_leave(cudaErrorMissingConfiguration);
    const struct configuration *c = &stack[--depth];
    *gridDim = c->grid;
    *blockDim = c->block;
    *sharedMem = c->shared;
    *(void **)stream = c->stream;
    return cudaSuccess;
}

/* --- launches --- */

enum { /* bits of `said`; three each, x y z, for the shape */
    REFUSED_GRID = 0, REFUSED_BLOCK = 3, REFUSED_THREADS = 6, REFUSED_BOUNDS, REFUSED_STATIC, REFUSED_DYNAMIC,
    REFUSED_PARAMETERS, TOLD_NO_EFFECT, TOLD_TIMES
};

/* Explains a launch that does not fit, once for each kernel and reason: programs may try on purpose. */
__attribute__((format(printf, 4, 5)))
static cudaError_t refuse(struct runtime_kernel *k, unsigned why, cudaError_t e, const char *fmt, ...)
{
    struct arena a;
    struct strbuf text;
    va_list ap;
    if (__atomic_fetch_or(&k->said, 1u << why, __ATOMIC_RELAXED) >> why & 1)
        return e;
    arena_init(&a);
    strbuf_init(&text);
    va_start(ap, fmt);
    strbuf_addv(&text, fmt, ap);
    va_end(ap);
    runtime_say("kernel '%s' was not launched (CUDA error %d): %s", result_demangle(&a, k->info.name), (int)e, text.s);
    strbuf_release(&text);
    arena_release(&a);
    return e;
}

static cudaError_t check_shape(const struct device *d, struct runtime_kernel *k, const unsigned *g, const unsigned *b)
{
    const int64_t grid_max[3] = {d->max_grid_x, d->max_grid_y, d->max_grid_z};
    const int64_t block_max[3] = {d->max_block_x, d->max_block_y, d->max_block_z};
    for (int i = 0; i < 3; i++) {
        if (!g[i] || g[i] > grid_max[i])
            return refuse(k, REFUSED_GRID + (unsigned)i, cudaErrorInvalidConfiguration,
                          "a grid of %u x %u x %u blocks; %s allows 1 to %lld in %c", g[0], g[1], g[2], d->id,
                          (long long)grid_max[i], "xyz"[i]);
        if (!b[i] || b[i] > block_max[i])
            return refuse(k, REFUSED_BLOCK + (unsigned)i, cudaErrorInvalidConfiguration,
                          "a block of %u x %u x %u threads; %s allows 1 to %lld in %c", b[0], b[1], b[2], d->id,
                          (long long)block_max[i], "xyz"[i]);
    }
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (threads > (uint64_t)d->max_threads_per_block)
        return refuse(k, REFUSED_THREADS, cudaErrorInvalidConfiguration,
                      "a block of %u x %u x %u = %llu threads; %s allows %lld", b[0], b[1], b[2],
                      (unsigned long long)threads, d->id, (long long)d->max_threads_per_block);
    if (threads > (uint64_t)k->info.max_threads)
        return refuse(k, REFUSED_BOUNDS, cudaErrorLaunchOutOfResources,
                      "a block of %llu threads; the kernel's __launch_bounds__ allow %d", (unsigned long long)threads,
                      k->info.max_threads);
    return cudaSuccess;
}

/* Limits: CUDA C++ programming guide 12, table "Technical Specifications per Compute Capability", from the device
 * description. Static shared memory cannot be opted in to (16.8.3 "Shared Memory"). */
static cudaError_t check(const struct device *d, struct runtime_kernel *k, struct dim3 g, struct dim3 b, size_t shared)
{
    cudaError_t e = check_shape(d, k, (const unsigned[3]){g.x, g.y, g.z}, (const unsigned[3]){b.x, b.y, b.z});
    if (e)
        return e;
    if (k->info.static_shared > (uint64_t)d->max_shared_per_block)
        return refuse(k, REFUSED_STATIC, cudaErrorLaunchOutOfResources,
                      "its __shared__ variables take %zu bytes; %s allows %lld (more only as extern __shared__)",
                      k->info.static_shared, d->id, (long long)d->max_shared_per_block);
    if (shared > k->max_dynamic_shared)
        return refuse(k, REFUSED_DYNAMIC, cudaErrorInvalidValue,
                      "%zu bytes of dynamic shared memory; %zu are allowed (up to %lld after cudaFuncSetAttribute with "
                      "cudaFuncAttributeMaxDynamicSharedMemorySize)", shared, k->max_dynamic_shared,
                      (long long)d->max_shared_per_block_optin - (long long)k->info.static_shared);
    if (k->info.parameter_bytes > (size_t)d->max_parameter_bytes)
        return refuse(k, REFUSED_PARAMETERS, cudaErrorLaunchOutOfResources, "its parameters take %zu bytes; %s allows %zu",
                      k->info.parameter_bytes, d->id, (size_t)d->max_parameter_bytes);
    return cudaSuccess;
}

cudaError_t launch_arguments(const struct runtime_kernel *k, void **args, void ***out)
{
    size_t n = (size_t)k->info.parameters, head = (n * sizeof(void *) + 15) / 16 * 16;
    if (n && !args)
        return cudaErrorInvalidValue;
    *out = alloc_zeroed(head + k->info.parameter_bytes);
    char *values = (char *)*out + head;
    for (size_t i = 0; i < n; i++) {
        size_t offset, bytes;
        heddle_status s = heddle_kernel_parameter(k->kernel, (int)i, &offset, &bytes);
        if (s || !args[i] || offset > k->info.parameter_bytes || bytes > k->info.parameter_bytes - offset) {
            alloc_release(*out);
            return s ? runtime_error(s) : cudaErrorInvalidValue;
        }
        (*out)[i] = values + offset;
        memcpy(values + offset, args[i], bytes);
    }
    return cudaSuccess;
}

/* Bytes of the parameter block, without what aligns its end. */
static size_t argument_bytes(const struct runtime_kernel *k)
{
    size_t offset = 0, bytes = 0;
    if (k->info.parameters)
        heddle_kernel_parameter(k->kernel, k->info.parameters - 1, &offset, &bytes);
    return offset + bytes;
}

static cudaError_t read_packed(void **extra, const void **buffer, const size_t **bytes)
{
    *buffer = *bytes = NULL;
    for (; extra[0] != LAUNCH_PACKED_END; extra += 2) {
        if (extra[0] == LAUNCH_PACKED_POINTER)
            *buffer = extra[1];
        else if (extra[0] == LAUNCH_PACKED_SIZE)
            *bytes = extra[1];
        else
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t launch_unpack(const struct runtime_kernel *k, void **extra, void ***out, size_t *bytes)
{
    const void *buffer;
    const size_t *size;
    size_t n = (size_t)k->info.parameters, head = (n * sizeof(void *) + 15) / 16 * 16, whole = argument_bytes(k);
    if (read_packed(extra, &buffer, &size) || (whole && (!buffer || !size)))
        return cudaErrorInvalidValue;
    *bytes = size ? *size : 0;
    if (*bytes > whole)
        return cudaErrorLaunchOutOfResources;
    *out = alloc_zeroed(head + whole + 1);
    char *values = (char *)*out + head;
    if (*bytes)
        memcpy(values, buffer, *bytes);
    for (size_t i = 0; i < n; i++) {
        size_t offset, of_it;
        heddle_kernel_parameter(k->kernel, (int)i, &offset, &of_it);
        (*out)[i] = values + offset;
    }
    return cudaSuccess;
}

/* An access policy window for the model of L2, if what it hits is to persist. */
static heddle_window window_of(const struct runtime_device *d, const struct cudaAccessPolicyWindow *w)
{
    if (w->hitProp != cudaAccessPropertyPersisting || !d->limit[cudaLimitPersistingL2CacheSize])
        return (heddle_window){0};
    return (heddle_window){(uint64_t)(uintptr_t)w->base_ptr, w->num_bytes, d->limit[cudaLimitPersistingL2CacheSize], w->hitRatio};
}

/* Where a program is looked at, a report without a single access wants its reason: once for each kernel. */
static void tell_no_effect(struct runtime_kernel *k)
{
    struct arena a;
    if (k->info.has_effect || (!runtime_collecting() && !runtime_checking()) ||
        __atomic_fetch_or(&k->said, 1u << TOLD_NO_EFFECT, __ATOMIC_RELAXED) >> TOLD_NO_EFFECT & 1)
        return;
    arena_init(&a);
    runtime_say("kernel '%s' has no effect: its code stores nothing, so the compiler left out what it computes",
                result_demangle(&a, k->info.name));
    arena_release(&a);
}

/* A kernel that reads a clock gets no GPU's time. */
static void tell_times(struct runtime_kernel *k)
{
    if (__atomic_fetch_or(&k->said, 1u << TOLD_TIMES, __ATOMIC_RELAXED) >> TOLD_TIMES & 1)
        return;
    unsigned times = engine_times(k->kernel);
    if (times && device_time_on()) {
        times_tell(TIME_MODELLED);
        return;
    }
    if (times & ENGINE_CLOCK)
        times_tell(TIME_CLOCK);
    if (times & ENGINE_GLOBALTIMER)
        times_tell(TIME_GLOBALTIMER);
}

cudaError_t launch_check(const struct runtime_device *d, struct runtime_kernel *k, const struct launch_request *r)
{
    cudaError_t e = check(d->spec, k, r->grid, r->block, r->shared);
    if (!e && r->cooperative) {
        int blocks;
        e = runtime_error(heddle_occupancy(k->kernel, (int)(r->block.x * r->block.y * r->block.z), r->shared, &blocks));
        if (!e && (uint64_t)r->grid.x * r->grid.y * r->grid.z > (uint64_t)blocks * (uint64_t)d->spec->multiprocessors)
            e = cudaErrorCooperativeLaunchTooLarge;
    }
    return e;
}

cudaError_t launch_command(struct runtime_device *d, const struct launch_request *r, void **args, struct command **out)
{
    struct runtime_kernel *k;
    void **copied;
    cudaError_t e = module_kernel(d, r->func, &k);
    e = e ? e : launch_check(d, k, r);
    e = e ? e : launch_arguments(k, args, &copied);
    if (e)
        return e;
    tell_no_effect(k);
    tell_times(k);
    struct command *c = *out = command_new(COMMAND_LAUNCH);
    c->launch.kernel = k->kernel;
    c->launch.config = (heddle_launch_config){
        {r->grid.x, r->grid.y, r->grid.z}, {r->block.x, r->block.y, r->block.z}, r->shared, r->cooperative, window_of(d, &r->window),
        k->banks ? k->banks == cudaSharedMemBankSizeEightByte : d->eight_byte_banks};
    c->launch.args = copied;
    c->launch.newest = space_newest(d->space);
    c->in_order = engine_uses_heap(k->kernel);
    return cudaSuccess;
}

static cudaError_t launch(struct runtime_device *d, const struct launch_request *r, void **args, cudaStream_t stream)
{
    struct stream *s = stream_of(stream);
    struct launch_request request = *r;
    struct command *c;
    bool captures;
    cudaError_t e = s && s->device == d ? capture_admit(s, &captures) : cudaErrorInvalidResourceHandle;
    if (e)
        return e;
    if (!request.window.num_bytes)
        request.window = s->window.accessPolicyWindow;
    if (captures)
        return capture_launch(s, &request, args);
    e = launch_command(d, &request, args, &c);
    if (!e)
        queue_put_async(s, c);
    return e;
}

cudaError_t cudaLaunchKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream)
{
    ENTER(d);
    struct launch_request r = {.func = func, .grid = gridDim, .block = blockDim, .shared = sharedMem};
    return runtime_leave_launch(launch(d, &r, args, stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    ENTER(d);
    if (!d->spec->cooperative_launch)
        return runtime_leave(cudaErrorNotSupported);
    struct launch_request r = {.func = func, .grid = gridDim, .block = blockDim, .shared = sharedMem, .cooperative = true};
    return runtime_leave(launch(d, &r, args, stream));
}

/* A dependent launch may begin early or not ("Programmatic Dependent Launch": an opportunity, no promise); ours never does. */
cudaError_t launch_attribute(struct launch_request *r, enum cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
        r->window = v->accessPolicyWindow;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        r->priority = v->priority;
        return cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        return cudaSuccess;
    case cudaLaunchAttributeCooperative:
        r->cooperative = v->cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        if (v->clusterDim.x <= 1 && v->clusterDim.y <= 1 && v->clusterDim.z <= 1)
            return cudaSuccess;
        return runtime_not_supported("cudaLaunchKernelExC with clusters of blocks");
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent:
        return runtime_not_supported("cudaLaunchKernelExC with an event");
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        if (!v->deviceUpdatableKernelNode.deviceUpdatable)
            return cudaSuccess;
        return runtime_not_supported("cudaLaunchKernelExC with a node that kernels may change");
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    ENTER(d);
    cudaError_t e = config && (config->attrs || !config->numAttrs) ? cudaSuccess : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    struct launch_request r = {.func = func, .grid = config->gridDim, .block = config->blockDim, .shared = config->dynamicSmemBytes};
    for (unsigned i = 0; !e && i < config->numAttrs; i++)
        e = launch_attribute(&r, config->attrs[i].id, &config->attrs[i].val);
    return runtime_leave(e ? e : launch(d, &r, args, config->stream));
}

/* --- attributes --- */

/* The name as it is in the device code: of a C++ kernel the mangled one. */
cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    ENTER(d);
    struct runtime_kernel *k;
    cudaError_t e = name ? module_kernel(d, func, &k) : cudaErrorInvalidValue;
    if (!e)
        *name = k->info.name;
    return runtime_leave(e);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *bytes)
{
    ENTER(d);
    struct runtime_kernel *k;
    size_t at, size;
    cudaError_t e = offset ? module_kernel(d, func, &k) : cudaErrorInvalidValue;
    if (!e && (index >= (size_t)k->info.parameters || heddle_kernel_parameter(k->kernel, (int)index, &at, &size)))
        e = cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    *offset = at;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

/* "Deprecated": since compute capability 1.3 devices have doubles, and nothing is converted. */
cudaError_t cudaSetDoubleForDevice(double *d)
{
    return runtime_leave(d ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaSetDoubleForHost(double *d)
{
    return runtime_leave(d ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    ENTER(d);
    struct runtime_kernel *k;
    cudaError_t e = attr ? module_kernel(d, func, &k) : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    memset(attr, 0, sizeof *attr);
    attr->sharedSizeBytes = k->info.static_shared;
    attr->constSizeBytes = k->info.constant;
    attr->localSizeBytes = k->info.local;
    attr->maxThreadsPerBlock = k->info.max_threads;
    attr->numRegs = k->info.registers;
    attr->ptxVersion = k->info.arch;
    attr->binaryVersion = (int)(d->spec->cc_major * 10 + d->spec->cc_minor);
    attr->maxDynamicSharedSizeBytes = (int)k->max_dynamic_shared;
    attr->preferredShmemCarveout = k->carveout;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    ENTER(d);
    struct runtime_kernel *k;
    cudaError_t e = module_kernel(d, func, &k);
    if (e)
        return runtime_leave(e);
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value + (int64_t)k->info.static_shared > d->spec->max_shared_per_block_optin)
            return runtime_leave(cudaErrorInvalidValue);
        k->max_dynamic_shared = (size_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return runtime_leave(cudaErrorInvalidValue);
        k->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return runtime_leave(runtime_not_supported("cudaFuncSetAttribute for clusters of blocks"));
    default:
        return runtime_leave(cudaErrorInvalidValue);
    }
}

/* Hints: they move no result, and the models choose as the driver would without them. */
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    ENTER(d);
    struct runtime_kernel *k;
    if ((unsigned)cacheConfig > cudaFuncCachePreferEqual)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(module_kernel(d, func, &k));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    ENTER(d);
    struct runtime_kernel *k;
    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = module_kernel(d, func, &k);
    if (!e)
        k->banks = (int)config;
    return runtime_leave(e);
}
