/* Stream capture (see capture.h). Everything here is guarded by graph_lock. */
#include "runtime/capture.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/graph.h"

struct capture {
    uint64_t id; /* unique in the process, from 1 */
    struct graph *graph;
    bool given; /* the graph was there before: cudaStreamBeginCaptureToGraph */
    enum cudaStreamCaptureMode mode;
    pthread_t thread; /* that began it */
    struct stream *origin;
    bool invalid;
    bool lost; /* a stream is gone whose work was not joined */
    struct capture_part *parts;
    struct capture *next;
};

/* A stream's part in it. */
struct capture_part {
    struct capture *of;
    struct stream *stream;
    struct graph_edges front;    /* what its next node goes behind */
    cudaGraphNode_t *list;       /* the front as cudaStreamGetCaptureInfo hands it out */
    cudaGraphEdgeData *list_data;
    struct capture_part *next;
};

struct capture_point {
    uint64_t capture;
    struct graph_edges front;
};

static struct capture *captures;
static int ncaptures; /* atomic: without any the calls below have nothing to look at */
static uint64_t ids;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static bool any(void)
{
    return __atomic_load_n(&ncaptures, __ATOMIC_ACQUIRE) > 0;
}

/* --- fronts --- */

static void clear(struct graph_edges *e)
{
    alloc_release(e->at);
    *e = (struct graph_edges){0};
}

static void join(struct graph_edges *to, const struct graph_edges *from)
{
    for (int i = 0; i < from->n; i++) {
        int j = 0;
        while (j < to->n && to->at[j].node != from->at[i].node)
            j++;
        if (j == to->n)
            graph_edges_add(to, from->at[i].node, from->at[i].data);
    }
}

/* --- parts --- */

static struct capture_part *add_part(struct capture *c, struct stream *s)
{
    struct capture_part *p = alloc_zeroed(sizeof *p);
    p->of = c;
    p->stream = s;
    p->next = c->parts;
    c->parts = p;
    s->capture = p;
    return p;
}

static void free_part(struct capture_part *p)
{
    p->stream->capture = NULL;
    clear(&p->front);
    alloc_release(p->list);
    alloc_release(p->list_data);
    alloc_release(p);
}

static struct capture *begin(struct stream *s, enum cudaStreamCaptureMode mode, struct graph *g, bool given)
{
    struct capture *c = alloc_zeroed(sizeof *c);
    c->id = ++ids;
    c->graph = g;
    c->given = given;
    c->mode = mode;
    c->thread = pthread_self();
    c->origin = s;
    c->next = captures;
    captures = c;
    add_part(c, s);
    __atomic_add_fetch(&ncaptures, 1, __ATOMIC_RELEASE);
    return c;
}

static void end(struct capture *c)
{
    struct capture **at = &captures;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    while (c->parts) {
        struct capture_part *p = c->parts;
        c->parts = p->next;
        free_part(p);
    }
    alloc_release(c);
    __atomic_sub_fetch(&ncaptures, 1, __ATOMIC_RELEASE);
}

static struct capture *of_stream(const struct stream *s)
{
    return s->capture ? s->capture->of : NULL;
}

/* --- what calls ask --- */

/* A blocking stream that captures, of the device: the legacy stream would wait for it. */
static struct capture *blocking(const struct runtime_device *d)
{
    for (struct capture *c = captures; c; c = c->next)
        for (struct capture_part *p = c->parts; p; p = p->next)
            if (p->stream->device == d && !(p->stream->flags & cudaStreamNonBlocking))
                return c;
    return NULL;
}

static cudaError_t invalidate_blocking(const struct runtime_device *d)
{
    bool found = false;
    for (struct capture *c = captures; c; c = c->next)
        for (struct capture_part *p = c->parts; p; p = p->next)
            if (p->stream->device == d && !(p->stream->flags & cudaStreamNonBlocking))
                c->invalid = found = true;
    return found ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t capture_admit(struct stream *s, bool *capturing)
{
    *capturing = false;
    if (!any())
        return cudaSuccess;
    GRAPHS;
    struct capture *c = of_stream(s);
    if (c && c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (s->legacy && blocking(s->device))
        return invalidate_blocking(s->device);
    *capturing = c != NULL;
    return cudaSuccess;
}

cudaError_t capture_refuse(struct stream *s, cudaError_t e)
{
    if (!any())
        return cudaSuccess;
    GRAPHS;
    struct capture *c = of_stream(s);
    if (!c)
        return cudaSuccess;
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    c->invalid = true;
    return e;
}

/* "If the local thread has an ongoing capture sequence that was not initiated with cudaStreamCaptureModeRelaxed, or if any
 * other thread has a concurrent capture sequence initiated with cudaStreamCaptureModeGlobal, this thread is prohibited from
 * potentially unsafe API calls" (API reference, cudaThreadExchangeStreamCaptureMode). */
static bool forbids(const struct capture *c)
{
    bool own = pthread_equal(c->thread, pthread_self());
    if (c->mode == cudaStreamCaptureModeRelaxed || thread_mode == cudaStreamCaptureModeRelaxed)
        return false;
    return own || (c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal);
}

cudaError_t capture_unsafe(void)
{
    cudaError_t e = cudaSuccess;
    if (!any())
        return e;
    GRAPHS;
    for (struct capture *c = captures; c; c = c->next) {
        if (!forbids(c))
            continue;
        c->invalid = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    return e;
}

cudaError_t capture_device(const struct runtime_device *d)
{
    cudaError_t e = cudaSuccess;
    if (!any())
        return e;
    GRAPHS;
    for (struct capture *c = captures; c; c = c->next) {
        if (c->origin->device != d)
            continue;
        c->invalid = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    return e;
}

/* Is everything that a stream has done in the capture before the origin's next node? */
static bool is_joined(const struct capture_part *p)
{
    for (int i = 0; i < p->front.n; i++)
        if (!graph_reaches(p->front.at[i].node, &p->of->origin->capture->front))
            return false;
    return true;
}

void capture_forget(struct stream *s)
{
    GRAPHS;
    struct capture *c = of_stream(s);
    if (!c)
        return;
    if (c->origin == s) {
        if (!c->given)
            graph_free(c->graph);
        end(c);
        return;
    }
    struct capture_part **at = &c->parts;
    while (*at != s->capture)
        at = &(*at)->next;
    struct capture_part *p = *at;
    *at = p->next;
    c->lost = c->lost || !is_joined(p);
    free_part(p);
}

/* --- nodes --- */

cudaError_t capture_add(struct stream *s, const struct node_work *w)
{
    GRAPHS;
    struct capture_part *p = s->capture;
    struct graph_node *n = graph_add(p->of->graph, p->front.at, p->front.n, w);
    clear(&p->front);
    graph_edges_add(&p->front, n, (cudaGraphEdgeData){0});
    return cudaSuccess;
}

cudaError_t capture_launch(struct stream *s, const struct launch_request *r, void **args)
{
    struct node_work w;
    cudaError_t e = node_work_kernel(&w, s->device, r, args);
    return e ? (capture_refuse(s, e), e) : capture_add(s, &w);
}

cudaError_t capture_library(struct stream *s, struct library_work *w)
{
    return capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeKernel, .device = s->device, .kernel.library = w});
}

cudaError_t capture_alloc(struct stream *s, struct runtime_device *d, size_t bytes, void **out)
{
    GRAPHS;
    struct node_work w;
    struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                     .location = {cudaMemLocationTypeDevice, d->index}}, .bytesize = bytes};
    cudaError_t e = out ? node_work_alloc(&w, &p) : cudaErrorInvalidValue;
    if (e)
        return e;
    *out = p.dptr;
    return capture_add(s, &w);
}

cudaError_t capture_free(struct stream *s, void *p)
{
    GRAPHS;
    if (!graph_memory_is((uint64_t)(uintptr_t)p) || !node_frees_well(s->capture->of->graph, p))
        return cudaErrorInvalidValue;
    return capture_add(s, &(struct node_work){.type = cudaGraphNodeTypeMemFree, .device = s->device, .free = p});
}

/* --- events --- */

struct capture_point *capture_record(struct stream *s)
{
    GRAPHS;
    struct capture_point *p = alloc_zeroed(sizeof *p);
    p->capture = of_stream(s)->id;
    join(&p->front, &s->capture->front);
    return p;
}

void capture_point_free(struct capture_point *p)
{
    if (!p)
        return;
    clear(&p->front);
    alloc_release(p);
}

static struct capture *of_point(const struct capture_point *p)
{
    struct capture *c = captures;
    while (c && c->id != p->capture)
        c = c->next;
    return c;
}

cudaError_t capture_wait(struct stream *s, const struct capture_point *p)
{
    GRAPHS;
    struct capture *c = of_point(p), *own = of_stream(s);
    if (!c) /* that capture is over */
        return own ? (own->invalid = true, cudaErrorStreamCaptureIsolation) : cudaErrorCapturedEvent;
    if (c->invalid || (own && own->invalid))
        return cudaErrorStreamCaptureInvalidated;
    if (own && own != c) {
        own->invalid = c->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (s->legacy) {
        c->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    struct capture_part *part = own ? s->capture : add_part(c, s);
    join(&part->front, &p->front);
    return cudaSuccess;
}

cudaError_t capture_point_refuse(const struct capture_point *p)
{
    GRAPHS;
    struct capture *c = of_point(p);
    if (c)
        c->invalid = true;
    return cudaErrorCapturedEvent;
}

cudaError_t capture_stream_unsafe(struct stream *s)
{
    bool capturing;
    if (!any())
        return cudaSuccess;
    GRAPHS;
    cudaError_t e = capture_refuse(s, cudaErrorStreamCaptureUnsupported);
    e = e ? e : capture_admit(s, &capturing);
    return e ? e : capture_unsafe();
}

/* --- entry points --- */

#define STREAM(s, handle)                                                                          \
    struct stream *s = stream_of(handle);                                                          \
    if (!s)                                                                                        \
    return runtime_leave(cudaErrorInvalidResourceHandle)

static cudaError_t may_begin(const struct stream *s, enum cudaStreamCaptureMode mode)
{
    return (unsigned)mode > cudaStreamCaptureModeRelaxed ? cudaErrorInvalidValue
           : s->legacy                                   ? cudaErrorStreamCaptureUnsupported
           : s->capture                                  ? cudaErrorIllegalState
                                                         : cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    GRAPH_ENTER(d);
    STREAM(s, stream);
    bool capturing;
    cudaError_t e = s->legacy ? capture_admit(s, &capturing) : cudaSuccess;
    e = e ? e : may_begin(s, mode);
    if (!e)
        begin(s, mode, graph_new(s->device), false);
    return runtime_leave(e);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode)
{
    GRAPH_ENTER(d);
    STREAM(s, stream);
    struct graph *g = graph_of(graph);
    struct graph_edges front = {0};
    cudaError_t e = may_begin(s, mode);
    e = e ? e : g ? graph_edges_of(g, dependencies, edges, n, &front) : cudaErrorInvalidValue;
    if (!e)
        begin(s, mode, g, true)->parts->front = front;
    return runtime_leave(e);
}

static bool joined(const struct capture *c)
{
    for (const struct capture_part *p = c->parts; p; p = p->next)
        if (!is_joined(p))
            return false;
    return !c->lost;
}

static cudaError_t finish(struct stream *s, struct graph **out)
{
    struct capture *c = of_stream(s);
    cudaError_t e = cudaSuccess;
    if (!c)
        return cudaErrorIllegalState;
    if (c->origin != s) {
        c->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    bool wrong = c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self());
    e = wrong ? cudaErrorStreamCaptureWrongThread : c->invalid ? cudaErrorStreamCaptureInvalidated : joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
    if (e && !c->given)
        graph_free(c->graph);
    *out = e ? NULL : c->graph;
    end(c);
    return e;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    GRAPH_ENTER(d);
    STREAM(s, stream);
    struct graph *g = NULL;
    if (!graph && !(s->capture && s->capture->of->given)) /* who gave the graph has it */
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = finish(s, &g);
    if (graph)
        *graph = (cudaGraph_t)g;
    return runtime_leave(e);
}

/* The front as arrays that live until the stream's next call. */
static void list_front(struct capture_part *p)
{
    p->list = alloc_resize(p->list, (size_t)(p->front.n + 1) * sizeof *p->list);
    p->list_data = alloc_resize(p->list_data, (size_t)(p->front.n + 1) * sizeof *p->list_data);
    for (int i = 0; i < p->front.n; i++) {
        p->list[i] = (cudaGraphNode_t)p->front.at[i].node;
        p->list_data[i] = p->front.at[i].data;
    }
}

static bool lossy(const struct graph_edges *e)
{
    static const cudaGraphEdgeData ordinary;
    for (int i = 0; i < e->n; i++)
        if (memcmp(&e->at[i].data, &ordinary, sizeof ordinary))
            return true;
    return false;
}

static cudaError_t info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *n)
{
    GRAPH_ENTER(d);
    STREAM(s, stream);
    struct capture *c = of_stream(s);
    if (!status)
        return runtime_leave(cudaErrorInvalidValue);
    if (s->legacy && blocking(s->device))
        return runtime_leave(cudaErrorStreamCaptureImplicit);
    *status = !c ? cudaStreamCaptureStatusNone : c->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (*status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (dependencies && !edges && lossy(&s->capture->front))
        return runtime_leave(cudaErrorLossyQuery);
    list_front(s->capture);
    if (id)
        *id = c->id;
    if (graph)
        *graph = (cudaGraph_t)c->graph;
    if (dependencies)
        *dependencies = s->capture->list;
    if (edges)
        *edges = s->capture->list_data;
    if (n)
        *n = (size_t)s->capture->front.n;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                        size_t *n)
{
    TRACED;
    return info(stream, status, id, graph, dependencies, edges, n);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **dependencies, size_t *n)
{
    TRACED;
    return info(stream, status, id, graph, dependencies, NULL, n);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
    TRACED;
    return info(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    TRACED;
    return info(stream, status, NULL, NULL, NULL, NULL, NULL);
}

static cudaError_t update_dependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t n,
                                       unsigned flags)
{
    GRAPH_ENTER(d);
    STREAM(s, stream);
    struct capture *c = of_stream(s);
    struct graph_edges front;
    if (!c)
        return runtime_leave(cudaErrorIllegalState);
    if (c->invalid)
        return runtime_leave(cudaErrorStreamCaptureInvalidated);
    cudaError_t e = flags > cudaStreamSetCaptureDependencies ? cudaErrorInvalidValue
                                                             : graph_edges_of(c->graph, dependencies, edges, n, &front);
    if (e)
        return runtime_leave(e);
    if (flags == cudaStreamSetCaptureDependencies)
        clear(&s->capture->front);
    join(&s->capture->front, &front);
    clear(&front);
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, size_t n, unsigned int flags)
{
    TRACED;
    return update_dependencies(stream, dependencies, NULL, n, flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *edges, size_t n, unsigned int flags)
{
    TRACED;
    return update_dependencies(stream, dependencies, edges, n, flags);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    TRACED;
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return runtime_leave(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
