/* Contexts (CUDA Driver API reference, "Context Management", "Primary Context Management"). The contexts themselves and the
 * threads' stacks: runtime/context.h. */
#include "driver/driver.h"

#include "base/alloc.h"
#include "runtime/output.h"
#include "runtime/checking.h"
#include "runtime/queue.h"

#define FLAGS (CU_CTX_FLAGS_MASK)

/* Its schedule is one of those that there are. */
static bool flags_known(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~(unsigned)FLAGS) && !(schedule & (schedule - 1));
}

#define LIVE(c, handle)                                                                                                \
    struct context *c = (struct context *)(handle);                                                                    \
    if (!context_live(c))                                                                                              \
    return driver_leave(CUDA_ERROR_INVALID_CONTEXT)

/* --- making and ending --- */

static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev)
{
    struct runtime_device *d;
    CUresult r = driver_device(dev, &d);
    if (r)
        return r;
    if (!pctx || !flags_known(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (d->sticky)
        return driver_result(d->sticky);
    struct context *c = context_new(dev, flags);
    if (!context_push(c)) {
        context_free(c);
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    INITIALISED;
    return driver_leave(create(pctx, flags, dev));
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev)
{
    INITIALISED;
    (void)paramsArray;
    REQUIRE(numParams >= 0);
    if (numParams)
        return driver_leave(driver_not_supported("cuCtxCreate_v3 with an affinity"));
    return driver_leave(create(pctx, flags, dev));
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
    INITIALISED;
    if (ctxCreateParams && (ctxCreateParams->numExecAffinityParams || ctxCreateParams->cigParams))
        return driver_leave(driver_not_supported("cuCtxCreate_v4 with an affinity or with graphics"));
    return driver_leave(create(pctx, flags, dev));
}

/* What the context allocated and did not free; all that its device has to do is done first. */
static void free_memory(const struct context *c, struct runtime_device *d)
{
    size_t n;
    uint64_t *address = context_owned(c, &n);
    if (n)
        checking_end(d, true);
    for (size_t i = 0; i < n; i++)
        if (cudaFree((void *)(uintptr_t)address[i]))
            cudaFreeHost((void *)(uintptr_t)address[i]);
    alloc_release(address);
}

CUresult cuCtxDestroy_v2(CUcontext ctx)
{
    INITIALISED;
    REQUIRE(ctx);
    LIVE(c, ctx);
    if (c->primary)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    bool gone;
    bool current = context_current(&gone) == c;
    struct runtime_device *d = runtime_device_if_open(c->device);
    queue_wait_device(d);
    output_flush(); /* programming guide, "Formatted Output": the end of a context writes it */
    if (!current)
        context_push(c);
    driver_modules_end(c);
    free_memory(c, d);
    struct context *popped;
    context_pop(&popped);
    context_free(c);
    return CUDA_SUCCESS;
}

/* --- the thread's stack --- */

CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
    INITIALISED;
    REQUIRE(ctx);
    LIVE(c, ctx);
    return driver_leave(context_push(c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
    INITIALISED;
    struct context *c;
    if (!context_pop(&c))
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    if (pctx)
        *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    INITIALISED;
    if (ctx && !context_live((struct context *)ctx))
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    context_set((struct context *)ctx);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    INITIALISED;
    bool gone;
    REQUIRE(pctx);
    *pctx = (CUcontext)context_current(&gone);
    return CUDA_SUCCESS;
}

/* What can be said of a context that is gone, or whose device has a fault, is said. */
CUresult cuCtxGetDevice(CUdevice *device)
{
    INITIALISED;
    bool gone;
    const struct context *c = context_current(&gone);
    REQUIRE(device);
    if (!c)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    *device = c->device;
    return CUDA_SUCCESS;
}

/* The context that is meant: NULL is the current one. */
static CUresult named(CUcontext ctx, struct context **c)
{
    bool gone;
    *c = ctx ? (struct context *)ctx : context_current(&gone);
    return *c && context_live(*c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    INITIALISED;
    struct context *c;
    CUresult r = named(ctx, &c);
    if (r)
        return driver_leave(r);
    REQUIRE(ctxId);
    *ctxId = c->id;
    return CUDA_SUCCESS;
}

/* "3020 for contexts created by cuCtxCreate": all are. */
CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    INITIALISED;
    struct context *c;
    CUresult r = named(ctx, &c);
    if (r)
        return driver_leave(r);
    REQUIRE(version);
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    INITIALISED;
    bool gone;
    const struct context *c = context_current(&gone);
    if (!c)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    REQUIRE(flags);
    *flags = c->primary ? runtime_device_if_open(c->device)->flags : c->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    CONTEXT(c, d);
    REQUIRE(flags_known(flags));
    *(c->primary ? &d->flags : &c->flags) = flags;
    return CUDA_SUCCESS;
}

/* "Deprecated": uses of a context are counted; the last one ends it. */
CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    CONTEXT(c, d);
    REQUIRE(pctx && !flags);
    c->uses++;
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext ctx)
{
    INITIALISED;
    LIVE(c, ctx);
    if (c->uses > 1) {
        c->uses--;
        return CUDA_SUCCESS;
    }
    return cuCtxDestroy_v2(ctx);
}

/* --- the device that the current context is of --- */

CUresult cuCtxSynchronize(void)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceSynchronize());
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    CONTEXT(c, d);
    REQUIRE((unsigned)limit < CU_LIMIT_MAX);
    return driver_return(cudaDeviceGetLimit(pvalue, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CONTEXT(c, d);
    REQUIRE((unsigned)limit < CU_LIMIT_MAX);
    return driver_return(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceGetCacheConfig((enum cudaFuncCache *)pconfig));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)pConfig));
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    CONTEXT(c, d);
    return driver_return(cudaDeviceGetStreamPriorityRange(leastPriority, greatestPriority));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    CONTEXT(c, d);
    return driver_return(cudaCtxResetPersistingL2Cache());
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    CONTEXT(c, d);
    REQUIRE(pExecAffinity);
    (void)type;
    return driver_leave(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

/* --- primary contexts --- */

#define PRIMARY(c, d, dev) \
    DEVICE(d, dev);        \
    struct context *c __attribute__((unused)) = context_primary(dev)

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    PRIMARY(c, d, dev);
    REQUIRE(pctx);
    c->uses++;
    c->active = true;
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

/* All that the device has goes: the runtime's reset, on the primary context. */
static CUresult reset(struct context *c)
{
    context_push(c);
    cudaError_t e = cudaDeviceReset();
    context_pop(&c);
    driver_modules_end(c);
    c->active = c->runtime = false;
    return driver_result(e);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    PRIMARY(c, d, dev);
    if (!c->uses)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    c->uses--;
    return driver_leave(c->uses || c->runtime ? CUDA_SUCCESS : reset(c));
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    PRIMARY(c, d, dev);
    return driver_leave(c->active ? reset(c) : CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    PRIMARY(c, d, dev);
    REQUIRE(flags_known(flags));
    d->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    PRIMARY(c, d, dev);
    REQUIRE(flags && active);
    *flags = d->flags;
    *active = c->active;
    return CUDA_SUCCESS;
}
