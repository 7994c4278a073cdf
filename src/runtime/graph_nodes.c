/* What nodes of graphs do: their parameters, checked and copied, given back, and made into commands (see graph.h). */
#include "runtime/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "runtime/command.h"
#include "runtime/copy.h"
#include "runtime/event.h"
#include "runtime/graph_exec.h"
#include "runtime/library_work.h"
#include "runtime/module.h"
#include "runtime/pointer.h"

/* --- work --- */

static void release_bodies(struct node_work *w)
{
    for (unsigned i = 0; i < w->condition.params.size; i++)
        graph_free(w->condition.body[i]);
    alloc_release(w->condition.body);
}

static void release_arguments(struct node_work *w)
{
    alloc_release(w->kernel.args);
    alloc_release(w->kernel.packed);
}

void node_work_release(struct node_work *w)
{
    if (w->type == cudaGraphNodeTypeKernel && w->kernel.library)
        library_work_release(w->kernel.library);
    else if (w->type == cudaGraphNodeTypeKernel)
        release_arguments(w);
    else if (w->type == cudaGraphNodeTypeGraph)
        graph_free(w->child);
    else if (w->type == cudaGraphNodeTypeMemAlloc)
        graph_memory_drop((uint64_t)(uintptr_t)w->alloc.dptr);
    else if (w->type == cudaGraphNodeTypeConditional)
        release_bodies(w);
}

cudaError_t node_work_kernel(struct node_work *w, struct runtime_device *d, const struct launch_request *r, void **args)
{
    struct runtime_kernel *k;
    *w = (struct node_work){.type = cudaGraphNodeTypeKernel, .device = d, .kernel.request = *r};
    cudaError_t e = module_kernel(d, r->func, &k);
    e = e ? e : launch_check(d, k, r);
    if (e == cudaErrorInvalidConfiguration) /* so an H200 answers, of nodes and in captures */
        e = cudaErrorInvalidValue;
    return e ? e : launch_arguments(k, args, &w->kernel.args);
}

/* {CU_LAUNCH_PARAM_BUFFER_POINTER, p, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END} of the arguments. */
static void pack(struct node_work *w, size_t bytes)
{
    struct kernel_packed *p = w->kernel.packed = alloc_zeroed(sizeof *p);
    p->bytes = bytes;
    p->extra[0] = LAUNCH_PACKED_POINTER;
    p->extra[1] = bytes ? w->kernel.args[0] : (void *)w->kernel.args;
    p->extra[2] = LAUNCH_PACKED_SIZE;
    p->extra[3] = &p->bytes;
    p->extra[4] = LAUNCH_PACKED_END;
}

static cudaError_t copy_kernel(struct node_work *to, const struct node_work *from)
{
    cudaError_t e = node_work_kernel(to, from->device, &from->kernel.request, from->kernel.args);
    if (!e && from->kernel.packed)
        pack(to, from->kernel.packed->bytes);
    return e;
}

static cudaError_t copy_bodies(struct node_work *to, const struct node_work *from)
{
    unsigned n = from->condition.params.size;
    to->condition.body = alloc_zeroed(n * sizeof *to->condition.body);
    to->condition.params.phGraph_out = (cudaGraph_t *)to->condition.body;
    for (unsigned i = 0; i < n; i++) {
        to->condition.body[i] = graph_copy(from->condition.body[i]);
        if (!to->condition.body[i]) {
            to->condition.params.size = i;
            release_bodies(to);
            return cudaErrorInvalidDeviceFunction;
        }
        to->condition.body[i]->inside = true;
    }
    return cudaSuccess;
}

cudaError_t node_work_copy(struct node_work *to, const struct node_work *from)
{
    *to = *from;
    if (from->type == cudaGraphNodeTypeKernel && from->kernel.library)
        return library_work_share(from->kernel.library), cudaSuccess;
    if (from->type == cudaGraphNodeTypeKernel)
        return copy_kernel(to, from);
    if (from->type == cudaGraphNodeTypeConditional)
        return copy_bodies(to, from);
    if (from->type == cudaGraphNodeTypeMemAlloc)
        graph_memory_share((uint64_t)(uintptr_t)from->alloc.dptr);
    if (from->type == cudaGraphNodeTypeGraph) {
        to->child = graph_copy(from->child);
        if (!to->child)
            return cudaErrorInvalidDeviceFunction;
        to->child->inside = true;
    }
    return cudaSuccess;
}

static cudaError_t library_command(const struct node_work *w, struct command **out)
{
    *out = command_new(COMMAND_LIBRARY);
    (*out)->library = library_work_share(w->kernel.library);
    return cudaSuccess;
}

static cudaError_t host_command(const struct node_work *w, struct command **out)
{
    *out = command_new(COMMAND_HOST);
    (*out)->host.function = w->host.fn;
    (*out)->host.user = w->host.userData;
    return cudaSuccess;
}

cudaError_t node_work_command(const struct node_work *w, struct command **out)
{
    *out = NULL;
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        return w->kernel.library ? library_command(w, out)
                                 : launch_command(w->device, &w->kernel.request, w->kernel.args, out);
    case cudaGraphNodeTypeMemcpy:
        return copy_command(&w->copy, out);
    case cudaGraphNodeTypeMemset:
        return fill_command(&w->fill, out);
    case cudaGraphNodeTypeHost:
        return host_command(w, out);
    default:
        return cudaSuccess;
    }
}

/* --- updates of what was instantiated --- */

static bool is_1d(const struct cudaMemcpy3DParms *p)
{
    return p->extent.height <= 1 && p->extent.depth <= 1 && !p->srcArray && !p->dstArray;
}

/* "Only 1D" (cudaGraphExecUpdate); on an H200 the kind says what the operands are, wherever they lie. */
static bool may_copy(const struct cudaMemcpy3DParms *a, const struct cudaMemcpy3DParms *b)
{
    return is_1d(a) && is_1d(b) && a->kind == b->kind;
}

/* "For 2d memsets, only address and assigned value may be updated" (cudaGraphExecUpdate). */
static bool may_fill(const struct cudaMemsetParams *a, const struct cudaMemsetParams *b)
{
    struct pointer p = pointer_look(a->dst), q = pointer_look(b->dst);
    bool rows = a->height > 1 || b->height > 1;
    bool one_shape = a->pitch == b->pitch && a->elementSize == b->elementSize && a->width == b->width && a->height == b->height;
    return p.device == q.device && (!rows || one_shape);
}

enum cudaGraphExecUpdateResult node_work_may_become(const struct node_work *to, const struct node_work *from)
{
    if (to->type != from->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    switch (to->type) {
    case cudaGraphNodeTypeKernel:
        return !to->kernel.library != !from->kernel.library || to->device != from->device ? cudaGraphExecUpdateErrorUnsupportedFunctionChange
               : to->kernel.request.cooperative != from->kernel.request.cooperative ? cudaGraphExecUpdateErrorAttributesChanged
                                                                                  : cudaGraphExecUpdateSuccess;
    case cudaGraphNodeTypeMemcpy:
        return may_copy(&to->copy, &from->copy) ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorParametersChanged;
    case cudaGraphNodeTypeMemset:
        return may_fill(&to->fill, &from->fill) ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorParametersChanged;
    case cudaGraphNodeTypeHost:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecUpdateSuccess;
    default:
        return cudaGraphExecUpdateErrorNotSupported;
    }
}

void node_work_become(struct node_work *to, const struct node_work *from)
{
    struct node_work copy;
    if (node_work_copy(&copy, from)) /* its kernel's module was unloaded just now */
        return;
    node_work_release(to);
    *to = copy;
}

/* --- parameters, looked at and copied --- */

/* Arguments in one block. One that is too long: CUDA_ERROR_INVALID_VALUE on an H200. */
static cudaError_t packed_work(struct node_work *w, struct runtime_device *d, const struct launch_request *r, void **extra)
{
    struct runtime_kernel *k;
    void **args;
    size_t bytes;
    cudaError_t e = module_kernel(d, r->func, &k);
    if (e)
        return e;
    if (launch_unpack(k, extra, &args, &bytes))
        return cudaErrorInvalidValue;
    e = node_work_kernel(w, d, r, args);
    if (!e)
        pack(w, bytes);
    alloc_release(args);
    return e;
}

static cudaError_t kernel_work(struct node_work *w, struct runtime_device *d, const struct cudaKernelNodeParams *p,
                               const struct launch_request *attributes)
{
    if (!p)
        return cudaErrorInvalidValue;
    struct launch_request r = attributes ? *attributes : (struct launch_request){0};
    r.func = p->func;
    r.grid = p->gridDim;
    r.block = p->blockDim;
    r.shared = p->sharedMemBytes;
    if (p->extra && p->kernelParams)
        return cudaErrorInvalidValue;
    return p->extra ? packed_work(w, d, &r, p->extra) : node_work_kernel(w, d, &r, p->kernelParams);
}

/* The checks are those of the command; what it makes is dropped. */
static cudaError_t check_work(const struct node_work *w)
{
    struct command *c = NULL;
    cudaError_t e = node_work_command(w, &c);
    if (c)
        command_release(c);
    return e ? e : c ? cudaSuccess : cudaErrorInvalidValue;
}

/* A node keeps no more than its copy needs: pitches of several rows, or of a box that begins below the first one; heights the
 * same with slices. */
static struct cudaPitchedPtr node_rows(const struct cudaPitchedPtr *p, const struct cudaPos *at, const struct cudaExtent *box)
{
    bool slices = box->depth > 1 || at->z, rows = slices || box->height > 1 || at->y;
    return (struct cudaPitchedPtr){p->ptr, rows ? p->pitch : 0, 0, slices ? p->ysize : 0};
}

struct cudaMemcpy3DParms node_copy(const struct cudaMemcpy3DParms *p)
{
    struct cudaMemcpy3DParms c = *p;
    c.srcPtr = node_rows(&p->srcPtr, &p->srcPos, &p->extent);
    c.dstPtr = node_rows(&p->dstPtr, &p->dstPos, &p->extent);
    return c;
}

struct cudaMemsetParams node_fill(const struct cudaMemsetParams *p)
{
    struct cudaMemsetParams f = *p;
    f.pitch = p->height > 1 ? p->pitch : 0;
    return f;
}

static cudaError_t copy_work(struct node_work *w, struct runtime_device *d, const struct cudaMemcpy3DParms *p)
{
    *w = (struct node_work){.type = cudaGraphNodeTypeMemcpy, .device = d};
    if (!p)
        return cudaErrorInvalidValue;
    w->copy = node_copy(p);
    return check_work(w);
}

static cudaError_t bytes_work(struct node_work *w, struct runtime_device *d, void *dst, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = copy_of_bytes(dst, src, count, kind);
    return copy_work(w, d, &p);
}

static cudaError_t to_symbol_work(struct node_work *w, struct runtime_device *d, const void *symbol, const void *src, size_t count,
                                  size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = copy_symbol_part(d, symbol, count, offset, &at);
    return e ? e : bytes_work(w, d, at, src, count, kind);
}

static cudaError_t from_symbol_work(struct node_work *w, struct runtime_device *d, void *dst, const void *symbol, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = copy_symbol_part(d, symbol, count, offset, &at);
    return e ? e : bytes_work(w, d, dst, at, count, kind);
}

static cudaError_t fill_work(struct node_work *w, struct runtime_device *d, const struct cudaMemsetParams *p)
{
    *w = (struct node_work){.type = cudaGraphNodeTypeMemset, .device = d};
    if (!p)
        return cudaErrorInvalidValue;
    w->fill = *p;
    cudaError_t e = check_work(w);
    return e == cudaErrorInvalidPitchValue ? cudaErrorInvalidValue : e;
}

static cudaError_t host_work(struct node_work *w, struct runtime_device *d, const struct cudaHostNodeParams *p)
{
    *w = (struct node_work){.type = cudaGraphNodeTypeHost, .device = d};
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    w->host = *p;
    return cudaSuccess;
}

static cudaError_t event_work(struct node_work *w, struct runtime_device *d, enum cudaGraphNodeType type, cudaEvent_t event)
{
    *w = (struct node_work){.type = type, .device = d, .event = event};
    return event_is(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t child_work(struct node_work *w, struct runtime_device *d, cudaGraph_t parent, cudaGraph_t child)
{
    struct graph *g = graph_of(child);
    *w = (struct node_work){.type = cudaGraphNodeTypeGraph, .device = d};
    if (!g || parent == child)
        return cudaErrorInvalidValue;
    if (g->memory) /* "graphs containing memory nodes cannot be child graphs" */
        return cudaErrorNotSupported;
    w->child = graph_copy(g);
    if (!w->child)
        return cudaErrorInvalidDeviceFunction;
    w->child->inside = true;
    return cudaSuccess;
}

cudaError_t node_work_alloc(struct node_work *w, struct cudaMemAllocNodeParams *p)
{
    cudaError_t e;
    uint64_t address;
    if (!p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned || p->poolProps.handleTypes ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || (p->accessDescCount && !p->accessDescs))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < p->accessDescCount; i++)
        if (p->accessDescs[i].location.id != p->poolProps.location.id && p->accessDescs[i].flags)
            return runtime_not_supported("cudaGraphAddMemAllocNode for another device");
    struct runtime_device *d = runtime_device(p->poolProps.location.id, &e);
    if (!d)
        return cudaErrorInvalidValue;
    e = graph_memory_new(d, p->bytesize, &address);
    if (e)
        return e;
    p->dptr = (void *)(uintptr_t)address;
    *w = (struct node_work){.type = cudaGraphNodeTypeMemAlloc, .device = d, .alloc = *p};
    w->alloc.accessDescs = NULL; /* the program's */
    w->alloc.accessDescCount = 0;
    return cudaSuccess;
}

static cudaError_t free_work(struct node_work *w, struct runtime_device *d, void *p)
{
    *w = (struct node_work){.type = cudaGraphNodeTypeMemFree, .device = d, .free = p};
    return graph_memory_is((uint64_t)(uintptr_t)p) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t condition_work(struct node_work *w, struct runtime_device *d, struct cudaConditionalNodeParams *p)
{
    bool known = p->type == cudaGraphCondTypeIf || p->type == cudaGraphCondTypeWhile || p->type == cudaGraphCondTypeSwitch;
    if (!known || !p->size || p->size > (p->type == cudaGraphCondTypeWhile ? 1 : p->type == cudaGraphCondTypeIf ? 2 : UINT16_MAX) ||
        !graph_condition_is(p->handle))
        return cudaErrorInvalidValue;
    *w = (struct node_work){.type = cudaGraphNodeTypeConditional, .device = d, .condition.params = *p};
    w->condition.body = alloc_zeroed(p->size * sizeof *w->condition.body);
    for (unsigned i = 0; i < p->size; i++) {
        w->condition.body[i] = graph_new(d);
        w->condition.body[i]->inside = true;
    }
    p->phGraph_out = w->condition.params.phGraph_out = (cudaGraph_t *)w->condition.body;
    return cudaSuccess;
}

static cudaError_t any_work(struct node_work *w, struct runtime_device *d, cudaGraph_t graph, struct cudaGraphNodeParams *p)
{
    if (!p)
        return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return kernel_work(w, d, &p->kernel, NULL);
    case cudaGraphNodeTypeMemcpy:
        return copy_work(w, d, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return fill_work(w, d, &p->memset);
    case cudaGraphNodeTypeHost:
        return host_work(w, d, &p->host);
    case cudaGraphNodeTypeGraph:
        return child_work(w, d, graph, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        *w = (struct node_work){.type = cudaGraphNodeTypeEmpty, .device = d};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return event_work(w, d, p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return event_work(w, d, p->type, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return node_work_alloc(w, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        return free_work(w, d, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return condition_work(w, d, &p->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        return runtime_not_supported("a node of a graph for external semaphores");
    default:
        return cudaErrorInvalidValue;
    }
}

/* --- entry points: nodes are added --- */

bool node_frees_well(const struct graph *g, const void *p)
{
    for (int i = 0; i < g->nnodes; i++)
        if (g->nodes[i]->work.type == cudaGraphNodeTypeMemFree && g->nodes[i]->work.free == p)
            return false;
    return true;
}

static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                       size_t n, struct node_work *w, cudaError_t e)
{
    struct graph *g = graph_of(graph);
    struct graph_edges before = {0};
    if (e)
        return runtime_leave(e);
    e = out && g ? graph_edges_of(g, dependencies, edges, n, &before) : cudaErrorInvalidValue;
    if (!e && (w->type == cudaGraphNodeTypeMemFree && !node_frees_well(g, w->free)))
        e = cudaErrorInvalidValue;
    if (e)
        node_work_release(w);
    else
        *out = (cudaGraphNode_t)graph_add(g, before.at, before.n, w);
    alloc_release(before.at);
    return runtime_leave(e);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaKernelNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, kernel_work(&w, d, params, NULL));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaMemcpy3DParms *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, copy_work(&w, d, params));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                     void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, bytes_work(&w, d, dst, src, count, kind));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                           const void *symbol, const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, to_symbol_work(&w, d, symbol, src, count, offset, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                             size_t n, void *dst, const void *symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, from_symbol_work(&w, d, dst, symbol, count, offset, kind));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                   const struct cudaMemsetParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, fill_work(&w, d, params));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                 const struct cudaHostNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, host_work(&w, d, params));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n)
{
    GRAPH_ENTER(d);
    struct node_work w = {.type = cudaGraphNodeTypeEmpty, .device = d};
    return add(node, graph, dependencies, NULL, n, &w, cudaSuccess);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                       cudaGraph_t child)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, child_work(&w, d, graph, child));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                        cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, event_work(&w, d, cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                      cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, event_work(&w, d, cudaGraphNodeTypeWaitEvent, event));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                     struct cudaMemAllocNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, node_work_alloc(&w, params));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                                    void *devPtr)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, NULL, n, &w, free_work(&w, d, devPtr));
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return add(node, graph, dependencies, edges, n, &w, any_work(&w, d, graph, params));
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t n,
                             struct cudaGraphNodeParams *params)
{
    TRACED;
    return cudaGraphAddNode_v2(node, graph, dependencies, NULL, n, params);
}

/* --- entry points: parameters are asked for --- */

/* The node if it is of this type. */
static struct graph_node *typed(cudaGraphNode_t handle, enum cudaGraphNodeType type)
{
    struct graph_node *n = graph_node_of(handle);
    return n && n->work.type == type ? n : NULL;
}

#define TYPED(n, handle, type, out)                                                                \
    struct graph_node *n = typed(handle, cudaGraphNodeType##type);                                 \
    if (!n || !(out))                                                                              \
    return runtime_leave(cudaErrorInvalidValue)

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Kernel, params);
    const struct launch_request *r = &n->work.kernel.request;
    if (n->work.kernel.library)
        return runtime_leave(runtime_not_supported("cudaGraphKernelNodeGetParams of a library's call"));
    struct kernel_packed *packed = n->work.kernel.packed;
    *params = (struct cudaKernelNodeParams){(void *)(uintptr_t)r->func, r->grid, r->block, (unsigned)r->shared,
                                            packed ? NULL : n->work.kernel.args, packed ? packed->extra : NULL};
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Memcpy, params);
    *params = n->work.copy;
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Memset, params);
    *params = n->work.fill;
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Host, params);
    *params = n->work.host;
    return cudaSuccess;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Graph, graph);
    *graph = (cudaGraph_t)n->work.child;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    GRAPH_ENTER(d);
    TYPED(n, node, EventRecord, event);
    *event = n->work.event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    GRAPH_ENTER(d);
    TYPED(n, node, WaitEvent, event);
    *event = n->work.event;
    return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params)
{
    GRAPH_ENTER(d);
    TYPED(n, node, MemAlloc, params);
    *params = n->work.alloc;
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *devPtr)
{
    GRAPH_ENTER(d);
    TYPED(n, node, MemFree, devPtr);
    memcpy(devPtr, &n->work.free, sizeof n->work.free);
    return cudaSuccess;
}

/* --- entry points: parameters are set, of a node or of its copy in what was instantiated --- */

static cudaError_t replace(struct graph_node *n, struct node_work *w, cudaError_t e)
{
    if (e)
        return runtime_leave(e);
    if (!n || n->work.type != w->type) {
        node_work_release(w);
        return runtime_leave(cudaErrorInvalidValue);
    }
    node_work_release(&n->work);
    graph_note_drop(n);
    n->work = *w;
    return cudaSuccess;
}

/* The node stays where it is: these entries name no context. */
static cudaError_t set(struct graph_node *n, struct node_work *w, cudaError_t e)
{
    if (!e && n)
        w->device = n->work.device;
    return replace(n, w, e);
}

static cudaError_t set_exec(cudaGraphExec_t exec, cudaGraphNode_t node, struct node_work *w, cudaError_t e)
{
    struct graph_node *n = graph_exec_node(exec, node);
    if (e)
        return runtime_leave(e);
    bool may = n && node_work_may_become(&n->work, w) == cudaGraphExecUpdateSuccess;
    if (may)
        node_work_become(&n->work, w);
    node_work_release(w);
    return runtime_leave(may ? cudaSuccess : cudaErrorInvalidValue);
}

/* What a kernel node has beside its parameters stays as it is. */
static const struct launch_request *attributes_of(const struct graph_node *n)
{
    return n && n->work.type == cudaGraphNodeTypeKernel ? &n->work.kernel.request : NULL;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    struct graph_node *n = graph_node_of(node);
    return set(n, &w, kernel_work(&w, n ? n->work.device : d, params, attributes_of(n)));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    struct graph_node *n = graph_exec_node(exec, node);
    return set_exec(exec, node, &w, kernel_work(&w, n ? n->work.device : d, params, attributes_of(n)));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, copy_work(&w, d, params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, copy_work(&w, d, params));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, bytes_work(&w, d, dst, src, count, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, bytes_work(&w, d, dst, src, count, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t count,
                                                 size_t offset, enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, to_symbol_work(&w, d, symbol, src, count, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, to_symbol_work(&w, d, symbol, src, count, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, from_symbol_work(&w, d, dst, symbol, count, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *symbol,
                                                       size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, from_symbol_work(&w, d, dst, symbol, count, offset, kind));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, fill_work(&w, d, params));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, fill_work(&w, d, params));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, host_work(&w, d, params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, host_work(&w, d, params));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, event_work(&w, d, cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, event_work(&w, d, cudaGraphNodeTypeEventRecord, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set(graph_node_of(node), &w, event_work(&w, d, cudaGraphNodeTypeWaitEvent, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    GRAPH_ENTER(d);
    struct node_work w;
    return set_exec(exec, node, &w, event_work(&w, d, cudaGraphNodeTypeWaitEvent, event));
}

/* A node that owns graphs or memory keeps them. */
static bool may_be_set(enum cudaGraphNodeType type)
{
    return type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree && type != cudaGraphNodeTypeConditional &&
           type != cudaGraphNodeTypeGraph;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    if (!params || !may_be_set(params->type))
        return runtime_leave(cudaErrorInvalidValue);
    struct graph_node *n = graph_node_of(node);
    cudaError_t e = replace(n, &w, any_work(&w, d, NULL, params));
    if (!e)
        n->context = graph_context(d); /* the parameters have one */
    return e;
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    GRAPH_ENTER(d);
    struct node_work w;
    if (params && params->type == cudaGraphNodeTypeGraph)
        return cudaGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    if (!params || !may_be_set(params->type))
        return runtime_leave(cudaErrorInvalidValue);
    return set_exec(exec, node, &w, any_work(&w, d, NULL, params));
}

/* --- entry points: attributes of kernel nodes --- */

enum { PRIORITY_GREATEST = -5 }; /* cudaDeviceGetStreamPriorityRange */

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attr, const cudaKernelNodeAttrValue *value)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Kernel, value);
    struct launch_request *r = &n->work.kernel.request;
    cudaError_t e = launch_attribute(r, attr, value);
    r->priority = r->priority > 0 ? 0 : r->priority < PRIORITY_GREATEST ? PRIORITY_GREATEST : r->priority;
    return runtime_leave(e);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attr, cudaKernelNodeAttrValue *value)
{
    GRAPH_ENTER(d);
    TYPED(n, node, Kernel, value);
    const struct launch_request *r = &n->work.kernel.request;
    if (attr == cudaLaunchAttributeAccessPolicyWindow)
        value->accessPolicyWindow = r->window;
    else if (attr == cudaLaunchAttributeCooperative)
        value->cooperative = r->cooperative;
    else if (attr == cudaLaunchAttributePriority)
        value->priority = r->priority;
    else
        return runtime_leave(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
    GRAPH_ENTER(d);
    TYPED(to, dst, Kernel, true);
    TYPED(from, src, Kernel, true);
    struct launch_request *t = &to->work.kernel.request;
    const struct launch_request *f = &from->work.kernel.request;
    t->window = f->window;
    t->cooperative = f->cooperative;
    t->priority = f->priority;
    return cudaSuccess;
}
