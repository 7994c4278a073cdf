/* Execution control (CUDA Runtime API reference, chapter "Execution Control"), and the call configuration of <<<...>>>.
 *
 * A launch is checked against the device's limits in the caller's thread, so that a bad configuration is the answer of
 * the launch itself and nothing runs; then it is queued. */
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "runtime/module.h"
#include "runtime/queue.h"
#include "runtime/runtime.h"

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

/* Limits: CUDA C++ programming guide 12, table "Technical Specifications per Compute Capability", from the device
 * description. */
static cudaError_t check(const struct device *d, const struct runtime_kernel *k, struct dim3 g, struct dim3 b,
                         size_t shared)
{
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (!g.x || !g.y || !g.z || g.x > d->max_grid_x || g.y > d->max_grid_y || g.z > d->max_grid_z)
        return cudaErrorInvalidConfiguration;
    if (!b.x || !b.y || !b.z || b.x > d->max_block_x || b.y > d->max_block_y || b.z > d->max_block_z)
        return cudaErrorInvalidConfiguration;
    if (threads > (uint64_t)d->max_threads_per_block)
        return cudaErrorInvalidConfiguration;
    if (threads > (uint64_t)k->info.max_threads)
        return cudaErrorLaunchOutOfResources;
    if (shared > k->max_dynamic_shared)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* One block of memory: pointers to the arguments, then the arguments as the kernel's parameter block has them. */
static cudaError_t copy_args(const struct runtime_kernel *k, void **args, void ***out)
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

static cudaError_t launch(struct runtime_device *d, const void *func, struct dim3 g, struct dim3 b, void **args,
                          size_t shared, cudaStream_t stream, bool cooperative)
{
    static int64_t launches;
    struct runtime_kernel *k;
    struct stream *s = stream_of(stream);
    cudaError_t e = s ? module_kernel(d, func, &k) : cudaErrorInvalidResourceHandle;
    e = e ? e : check(d->spec, k, g, b, shared);
    if (!e && cooperative) {
        int blocks;
        e = runtime_error(heddle_occupancy(k->kernel, (int)(b.x * b.y * b.z), shared, &blocks));
        if (!e && (uint64_t)g.x * g.y * g.z > (uint64_t)blocks * (uint64_t)d->spec->multiprocessors)
            e = cudaErrorCooperativeLaunchTooLarge;
    }
    void **copied;
    e = e ? e : copy_args(k, args, &copied);
    if (e)
        return e;
    struct command *c = command_new(COMMAND_LAUNCH);
    c->launch.kernel = k->kernel;
    c->launch.config = (heddle_launch_config){{g.x, g.y, g.z}, {b.x, b.y, b.z}, shared};
    c->launch.args = copied;
    c->launch.id = __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
    queue_put_async(s, c);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream)
{
    ENTER(d);
    return runtime_leave(launch(d, func, gridDim, blockDim, args, sharedMem, stream, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, struct dim3 gridDim, struct dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    ENTER(d);
    if (!d->spec->cooperative_launch)
        return runtime_leave(cudaErrorNotSupported);
    return runtime_leave(launch(d, func, gridDim, blockDim, args, sharedMem, stream, true));
}

/* --- attributes --- */

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
    return runtime_leave(module_kernel(d, func, &k));
}
