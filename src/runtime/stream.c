/* Stream management (CUDA Runtime API reference, chapter "Stream Management"). The queues themselves: queue.h. */
#include "runtime/queue.h"
#include "runtime/runtime.h"

#include "runtime/capture.h"
#include "runtime/event.h"
#include "runtime/ipc.h"

/* Priorities: numerically lower goes first; a GPU since Kepler offers 0 to -5 (cudaDeviceGetStreamPriorityRange on
 * compute capability 7.0 and later). They are accepted and answered: commands begin in the order of queueing. */
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

static cudaError_t create(cudaStream_t *out, unsigned flags, int priority)
{
    ENTER(d);
    if (!out || flags & ~(unsigned)cudaStreamNonBlocking)
        return runtime_leave(cudaErrorInvalidValue);
    if (priority > PRIORITY_LEAST)
        priority = PRIORITY_LEAST;
    if (priority < PRIORITY_GREATEST)
        priority = PRIORITY_GREATEST;
    *out = (cudaStream_t)stream_new(d, flags, priority);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    TRACED;
    return create(pStream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    TRACED;
    return create(pStream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    TRACED;
    return create(pStream, flags, priority);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    ENTER(d);
    if (leastPriority)
        *leastPriority = PRIORITY_LEAST;
    if (greatestPriority)
        *greatestPriority = PRIORITY_GREATEST;
    return cudaSuccess;
}

#define STREAM(s, handle)                                                                          \
    struct stream *s = stream_of(handle);                                                          \
    if (!s)                                                                                        \
    return runtime_leave(cudaErrorInvalidResourceHandle)

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    ENTER(d);
    STREAM(s, stream);
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    capture_forget(s);
    stream_destroy(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    ENTER(d);
    STREAM(s, stream);
    cudaError_t e = capture_stream_unsafe(s);
    if (e)
        return runtime_leave(e);
    if (s->legacy) /* what blocking streams have before this call is before the default stream's next command too */
        stream_wait(s, NULL);
    queue_wait_stream(s);
    return runtime_leave(queue_verdict(s->device));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    ENTER(d);
    STREAM(s, stream);
    cudaError_t e = capture_stream_unsafe(s);
    if (e)
        return runtime_leave(e);
    if (!queue_idle(s))
        return runtime_leave(cudaErrorNotReady);
    return runtime_leave(queue_verdict(s->device));
}

static cudaError_t wait_event(struct stream *s, cudaEvent_t event, unsigned flags)
{
    struct ticket *t;
    bool captures;
    if (!event_ticket(event, &t))
        return cudaErrorInvalidResourceHandle;
    cudaError_t e = cudaSuccess;
    if (event_point(event)) {
        e = capture_wait(s, event_point(event));
    } else {
        e = capture_admit(s, &captures);
        if (!e && captures && flags & cudaEventWaitExternal)
            e = capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeWaitEvent, .device = s->device, .event = event});
        else if (!e && captures && t)
            e = capture_refuse(s, cudaErrorStreamCaptureIsolation);
        else if (!e && t)
            stream_wait(s, t);
        if (!e && !captures && event_ipc(event))
            queue_put_async(s, ipc_event_wait(event_ipc(event)));
    }
    ticket_release(t);
    return e;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    ENTER(d);
    STREAM(s, stream);
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return runtime_leave(cudaErrorInvalidValue);
    return runtime_leave(wait_event(s, event, flags));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    ENTER(d);
    STREAM(s, stream);
    cudaError_t e = flags ? capture_refuse(s, cudaErrorStreamCaptureUnsupported) : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    *flags = s->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    ENTER(d);
    STREAM(s, stream);
    cudaError_t e = priority ? capture_refuse(s, cudaErrorStreamCaptureUnsupported) : cudaErrorInvalidValue;
    if (e)
        return runtime_leave(e);
    *priority = s->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags)
{
    ENTER(d);
    STREAM(s, stream);
    if (!callback || flags)
        return runtime_leave(cudaErrorInvalidValue);
    bool captures;
    cudaError_t e = capture_admit(s, &captures);
    e = e ? e : capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    if (e)
        return runtime_leave(e);
    struct command *c = command_new(COMMAND_HOST);
    c->host.callback = callback;
    c->host.handle = stream;
    c->host.user = userData;
    queue_put_async(s, c);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    ENTER(d);
    STREAM(s, stream);
    if (!fn)
        return runtime_leave(cudaErrorInvalidValue);
    bool captures;
    cudaError_t e = capture_admit(s, &captures);
    if (e || captures)
        return runtime_leave(e ? e : capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeHost, .device = s->device, .host = {fn, userData}}));
    struct command *c = command_new(COMMAND_HOST);
    c->host.function = fn;
    c->host.user = userData;
    queue_put_async(s, c);
    return cudaSuccess;
}

/* Where a stream keeps an attribute, or NULL: not a stream's attribute. Kept and answered; the model of L2 obeys the window. */
static cudaStreamAttrValue *attribute(struct stream *s, cudaStreamAttrID attr)
{
    return attr == cudaLaunchAttributeAccessPolicyWindow         ? &s->window
           : attr == cudaLaunchAttributeSynchronizationPolicy ? &s->policy
                                                                 : NULL;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr, const cudaStreamAttrValue *value)
{
    ENTER(d);
    STREAM(s, stream);
    if (!attribute(s, attr) || !value)
        return runtime_leave(cudaErrorInvalidValue);
    *attribute(s, attr) = *value;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr, cudaStreamAttrValue *value)
{
    ENTER(d);
    STREAM(s, stream);
    if (!value)
        return runtime_leave(cudaErrorInvalidValue);
    if (attr == cudaLaunchAttributePriority)
        value->priority = s->priority;
    else if (attribute(s, attr))
        *value = *attribute(s, attr);
    else
        return runtime_leave(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    ENTER(d);
    STREAM(to, dst);
    STREAM(from, src);
    to->window = from->window;
    to->policy = from->policy;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    ENTER(d);
    STREAM(s, stream);
    if (!device)
        return runtime_leave(cudaErrorInvalidValue);
    *device = s->device->index;
    return cudaSuccess;
}

/* Unique in the process: the devices' default streams come first. */
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    ENTER(d);
    STREAM(s, stream);
    if (!id)
        return runtime_leave(cudaErrorInvalidValue);
    *id = (unsigned long long)(s->legacy ? s->device->index : RUNTIME_DEVICES + s->number);
    return cudaSuccess;
}
