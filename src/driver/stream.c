/* Streams and events (CUDA Driver API reference, "Stream Management", "Event Management"): the runtime's. */
#include "driver/driver.h"
#include "runtime/event.h"
#include "runtime/queue.h"

#define LIVE(s, handle)                                                                                                \
    struct stream *s = stream_of(handle);                                                                              \
    if (!s)                                                                                                            \
    return driver_leave(CUDA_ERROR_INVALID_HANDLE)

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamCreateWithFlags(phStream, Flags));
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamCreateWithPriority(phStream, flags, priority));
}

CUresult cuStreamDestroy_v2(CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamDestroy(hStream));
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamSynchronize(hStream));
}

CUresult cuStreamQuery(CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamQuery(hStream));
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamWaitEvent(hStream, hEvent, Flags));
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetFlags(hStream, flags));
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetPriority(hStream, priority));
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetId(hStream, streamId));
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetDevice(hStream, device));
}

/* The current one: contexts of a device share its streams. */
CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    CONTEXT(c, d);
    LIVE(s, hStream);
    REQUIRE(pctx);
    *pctx = (CUcontext)(s->device == d ? c : context_primary(s->device->index));
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pctx, CUgreenCtx *pGreenCtx)
{
    CONTEXT(c, d);
    CUresult r = cuStreamGetCtx(hStream, pctx);
    if (!r && pGreenCtx)
        *pGreenCtx = NULL;
    return driver_leave(r);
}

CUresult cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamCopyAttributes(dstStream, srcStream));
}

/* Attributes have the same numbers and layout in both interfaces. */
_Static_assert(sizeof(CUstreamAttrValue) == sizeof(cudaStreamAttrValue), "one layout");

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetAttribute(hStream, (cudaStreamAttrID)attr, (cudaStreamAttrValue *)value));
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamSetAttribute(hStream, (cudaStreamAttrID)attr, (const cudaStreamAttrValue *)param));
}

/* --- functions of the host --- */

/* CUresult in place of cudaError_t: errors of a stream have the same value in both. */
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamAddCallback(hStream, (cudaStreamCallback_t)callback, userData, flags));
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    CONTEXT(c, d);
    return driver_return(cudaLaunchHostFunc(hStream, fn, userData));
}

/* --- events --- */

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    CONTEXT(c, d);
    return driver_return(cudaEventCreateWithFlags(phEvent, Flags));
}

CUresult cuEventDestroy_v2(CUevent hEvent)
{
    CONTEXT(c, d);
    return driver_return(cudaEventDestroy(hEvent));
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaEventRecord(hEvent, hStream));
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaEventRecordWithFlags(hEvent, hStream, flags));
}

CUresult cuEventQuery(CUevent hEvent)
{
    CONTEXT(c, d);
    return driver_return(cudaEventQuery(hEvent));
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    CONTEXT(c, d);
    return driver_return(cudaEventSynchronize(hEvent));
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    CONTEXT(c, d);
    if (!pMilliseconds) /* as the driver answers it */
        return driver_leave(CUDA_ERROR_INVALID_HANDLE);
    return driver_return(cudaEventElapsedTime(pMilliseconds, hStart, hEnd));
}

/* All that the context's device has to do is before the event, or after it. */
CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    CONTEXT(c, d);
    if (!context_live((struct context *)hCtx))
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    return driver_return(cudaEventRecord(hEvent, cudaStreamLegacy));
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    CONTEXT(c, d);
    if (!context_live((struct context *)hCtx))
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    return driver_return(cudaStreamWaitEvent(cudaStreamLegacy, hEvent, 0));
}
