/* Event management (CUDA Runtime API reference, chapter "Event Management").
 *
 * An event is the ticket of its last record. Its time is the modelled device's (device_time.h) where that is on, else the host's
 * (CLOCK_MONOTONIC at the moment the record's turn came): how long Heddle took. */
#include "runtime/event.h"

#include "runtime/capture.h"
#include "runtime/device_time.h"
#include "runtime/ipc.h"
#include "runtime/pool.h"
#include "runtime/runtime.h"
#include "runtime/times.h"

struct event {
    bool alive; /* first: pool.h */
    unsigned flags;
    struct runtime_device *device;
    struct ticket *ticket; /* NULL: never recorded */
    struct capture_point *point; /* recorded last in a stream that captured */
    struct ipc_event *ipc;       /* made with cudaEventInterprocess, or opened from a handle; else NULL */
};

static struct pool events = {.size = (sizeof(struct event) + 15) / 16 * 16};

/* The event of a handle, or NULL. */
static struct event *event_of(cudaEvent_t handle)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&events, handle);
    pthread_mutex_unlock(&runtime_lock);
    return live ? (struct event *)handle : NULL;
}

#define EVENT(e, handle)                                                                           \
    struct event *e = event_of(handle);                                                            \
    if (!e)                                                                                        \
    return runtime_leave(cudaErrorInvalidResourceHandle)

bool event_ticket(cudaEvent_t event, struct ticket **t)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = pool_holds(&events, event);
    *t = live ? ticket_share(((struct event *)event)->ticket) : NULL;
    pthread_mutex_unlock(&runtime_lock);
    return live;
}

/* Takes both over. */
static void record(struct event *e, struct ticket *t, struct capture_point *p)
{
    pthread_mutex_lock(&runtime_lock);
    struct ticket *before = e->ticket;
    struct capture_point *point = e->point;
    e->ticket = t;
    e->point = p;
    pthread_mutex_unlock(&runtime_lock);
    ticket_release(before);
    capture_point_free(point);
}

static cudaEvent_t new_event(struct runtime_device *d, unsigned flags, struct ipc_event *ipc)
{
    pthread_mutex_lock(&runtime_lock);
    struct event *e = pool_take(&events);
    e->flags = flags;
    e->device = d;
    e->ipc = ipc;
    pthread_mutex_unlock(&runtime_lock);
    return (cudaEvent_t)e;
}

cudaEvent_t event_of_ipc(struct runtime_device *d, struct ipc_event *ipc)
{
    return new_event(d, cudaEventInterprocess | cudaEventDisableTiming, ipc);
}

struct ipc_event *event_ipc(cudaEvent_t event)
{
    const struct event *e = event_of(event);
    return e ? e->ipc : NULL;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    ENTER(d);
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
        return runtime_leave(cudaErrorInvalidValue);
    struct ipc_event *ipc = flags & cudaEventInterprocess ? ipc_event_new() : NULL;
    if (flags & cudaEventInterprocess && !ipc)
        return runtime_leave(cudaErrorMemoryAllocation);
    *event = new_event(d, flags, ipc);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    ENTER(d);
    EVENT(e, event);
    record(e, NULL, NULL);
    ipc_event_release(e->ipc);
    pthread_mutex_lock(&runtime_lock);
    pool_give(&events, e);
    pthread_mutex_unlock(&runtime_lock);
    return cudaSuccess;
}

bool event_is(cudaEvent_t event)
{
    return event_of(event) != NULL;
}

void event_set(cudaEvent_t event, struct ticket *t)
{
    struct event *e = event_of(event);
    if (!e)
        return;
    pthread_mutex_lock(&runtime_lock);
    ticket_share(t);
    pthread_mutex_unlock(&runtime_lock);
    record(e, t, NULL);
}

const struct capture_point *event_point(cudaEvent_t event)
{
    const struct event *e = event_of(event);
    return e ? e->point : NULL;
}

/* Within a capture an event remembers where it stands; an external one becomes a node that records it. */
static cudaError_t capture_event(struct event *e, cudaEvent_t handle, struct stream *s, unsigned flags)
{
    if (flags & cudaEventRecordExternal)
        return capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeEventRecord, .device = s->device, .event = handle});
    record(e, NULL, capture_record(s));
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    ENTER(d);
    EVENT(e, event);
    struct stream *s = stream_of(stream);
    bool captures;
    if (!s || s->device != e->device)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t error = capture_admit(s, &captures);
    if (error || captures)
        return runtime_leave(error ? error : capture_event(e, event, s, flags));
    record(e, queue_put(s, e->ipc ? ipc_event_record(e->ipc) : command_new(COMMAND_RECORD)), NULL);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    ENTER(d);
    EVENT(e, event);
    cudaError_t error = e->point ? capture_point_refuse(e->point) : capture_unsafe();
    if (error)
        return runtime_leave(error);
    if (!ticket_done(e->ticket) || (e->ipc && !ipc_event_done(e->ipc)))
        return runtime_leave(cudaErrorNotReady);
    return runtime_leave(queue_verdict(e->device));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    ENTER(d);
    EVENT(e, event);
    struct ticket *t;
    cudaError_t error = e->point ? capture_point_refuse(e->point) : capture_unsafe();
    if (error)
        return runtime_leave(error);
    if (event_ticket(event, &t) && t)
        queue_wait(t);
    if (e->ipc && !ipc_event_await(e->ipc))
        return runtime_leave(cudaErrorExternalDevice);
    return runtime_leave(queue_verdict(e->device));
}

static float modelled_ms(const struct ticket *from, const struct ticket *to)
{
    pthread_mutex_lock(&runtime_lock);
    int64_t ps = device_time_end(to) - device_time_end(from);
    pthread_mutex_unlock(&runtime_lock);
    return (float)((double)ps * 1e-9);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    ENTER(d);
    EVENT(a, start);
    EVENT(b, end);
    if (!ms)
        return runtime_leave(cudaErrorInvalidValue);
    if (a->point || b->point)
        return runtime_leave(cudaErrorCapturedEvent);
    if (!a->ticket || !b->ticket || (a->flags | b->flags) & cudaEventDisableTiming)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    if (!ticket_done(a->ticket) || !ticket_done(b->ticket))
        return runtime_leave(cudaErrorNotReady);
    times_tell(device_time_on() ? TIME_MODELLED : TIME_EVENTS);
    *ms = device_time_on() ? modelled_ms(a->ticket, b->ticket) : (float)((double)(b->ticket->time_ns - a->ticket->time_ns) * 1e-6);
    return runtime_leave(queue_verdict(a->device));
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}
