/* Nodes of graphs (CUDA Driver API reference, "Graph Management"): the driver's parameters in the runtime's words, and back.
 *
 * A node runs on the device of a context: its CUfunction's, the one that the call names, or else the current one, which is
 * current while the runtime's entry adds the node. */
#include <stddef.h>
#include <string.h>

#include "driver/copy.h"
#include "driver/module.h"
#include "runtime/graph.h"

/* --- contexts --- */

static void go_back(struct context **to)
{
    if (*to)
        context_set(*to);
}

/* The context that a node names, if it names one, is current for the rest of the entry. */
static CUresult go_to(CUcontext ctx, struct context *current, struct context **back)
{
    struct context *c = (struct context *)ctx;
    if (!c)
        return CUDA_SUCCESS;
    if (context_destroyed(c))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (!context_live(c))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (c->primary && !c->active)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *back = current;
    context_set(c);
    return CUDA_SUCCESS;
}

#define WITHIN(ctx, current)                                                                                           \
    struct context *back __attribute__((cleanup(go_back))) = NULL;                                                     \
    do {                                                                                                               \
        CUresult within = go_to(ctx, current, &back);                                                                  \
        if (within)                                                                                                    \
            return driver_leave(within);                                                                               \
    } while (0)

/* --- parameters in the runtime's words --- */

/* A CUkernel is looked at where there is no CUfunction. */
static CUresult kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2 *p, struct cudaKernelNodeParams *out)
{
    void *func = !p ? NULL : p->func ? (void *)p->func : (void *)p->kern;
    if (!func)
        return p ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *out = (struct cudaKernelNodeParams){func, {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         p->sharedMemBytes, p->kernelParams, p->extra};
    return CUDA_SUCCESS;
}

/* As they were before CUDA 12. */
static CUresult old_kernel_params(const CUDA_KERNEL_NODE_PARAMS_v1 *p, struct cudaKernelNodeParams *out)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS_v2 now = {p->func, p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ,
                                            p->sharedMemBytes, p->kernelParams, p->extra, NULL, NULL};
    return kernel_params(&now, out);
}

/* A CUfunction has its context; the one that is named goes with a CUkernel. NULL: the current one. */
static CUcontext kernel_context(CUfunction func, CUcontext named)
{
    return func ? (CUcontext)(uintptr_t)module_context(func) : named;
}

static struct cudaMemsetParams fill_params(const CUDA_MEMSET_NODE_PARAMS *p)
{
    return (struct cudaMemsetParams){driver_pointer(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height};
}

_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams) &&
                   sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps) &&
                   sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc) &&
                   offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr) == offsetof(struct cudaMemAllocNodeParams, dptr),
               "one layout");

static struct cudaMemAllocNodeParams alloc_params(const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    struct cudaMemAllocNodeParams a;
    memcpy(&a, p, sizeof a);
    return a;
}

/* --- parameters of any node --- */

/* What a node of any type is, and the context that it names. */
struct any {
    struct cudaGraphNodeParams params;
    CUcontext ctx; /* NULL: the current one */
};

static CUresult any_child(const CUDA_CHILD_GRAPH_NODE_PARAMS *p, struct any *out)
{
    if (p->ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
        return driver_not_supported("a child graph that its parent takes over");
    out->params.graph.graph = p->graph;
    return CUDA_SUCCESS;
}

static CUresult any_copy(const CUDA_MEMCPY_NODE_PARAMS *p, struct any *out)
{
    out->ctx = p->copyCtx;
    return copy_params(&p->copyParams, &out->params.memcpy.copyParams);
}

static CUresult any_fill(const CUDA_MEMSET_NODE_PARAMS_v2 *p, struct any *out)
{
    const CUDA_MEMSET_NODE_PARAMS fill = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
    out->ctx = p->ctx;
    out->params.memset = fill_params(&fill);
    return CUDA_SUCCESS;
}

static CUresult any_kernel(const CUDA_KERNEL_NODE_PARAMS_v3 *p, struct any *out)
{
    const CUDA_KERNEL_NODE_PARAMS_v2 kernel = {p->func, p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX, p->blockDimY, p->blockDimZ,
                                               p->sharedMemBytes, p->kernelParams, p->extra, p->kern, p->ctx};
    out->ctx = kernel_context(p->func, p->ctx);
    return kernel_params(&kernel, &out->params.kernel);
}

static CUresult any_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *p, struct any *out)
{
    memcpy(&out->params.alloc, p, sizeof out->params.alloc);
    return CUDA_SUCCESS;
}

static CUresult any_condition(const CUDA_CONDITIONAL_NODE_PARAMS *p, struct any *out)
{
    out->ctx = p->ctx;
    out->params.conditional = (struct cudaConditionalNodeParams){p->handle, (enum cudaGraphConditionalNodeType)p->type, p->size, NULL};
    return CUDA_SUCCESS;
}

static CUresult any_params(const CUgraphNodeParams *p, struct any *out)
{
    memset(out, 0, sizeof *out);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    out->params.type = (enum cudaGraphNodeType)p->type;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return any_kernel(&p->kernel, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return any_copy(&p->memcpy, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return any_fill(&p->memset, out);
    case CU_GRAPH_NODE_TYPE_HOST:
        out->params.host = (struct cudaHostNodeParams){p->host.fn, p->host.userData};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return any_child(&p->graph, out);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        out->params.eventWait.event = p->eventWait.event;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        out->params.eventRecord.event = p->eventRecord.event;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return any_alloc(&p->alloc, out);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        out->params.free.dptr = driver_pointer(p->free.dptr);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return any_condition(&p->conditional, out);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return driver_not_supported("a node of a graph for operations of streams on memory");
    default: /* the runtime's entry answers for what it has not, either */
        return CUDA_SUCCESS;
    }
}

/* A copy comes back as it was given. */
static CUresult noted_copy(cudaError_t e, CUgraphNode node, const CUDA_MEMCPY3D *p)
{
    if (!e)
        graph_note(node, p, sizeof *p);
    return driver_return(e);
}

static CUresult noted_any(cudaError_t e, CUgraphNode node, const CUgraphNodeParams *p)
{
    return p->type == CU_GRAPH_NODE_TYPE_MEMCPY ? noted_copy(e, node, &p->memcpy.copyParams) : driver_return(e);
}

/* What adding a node tells. */
static void any_out(const struct any *from, CUgraphNodeParams *p)
{
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        p->alloc.dptr = (CUdeviceptr)(uintptr_t)from->params.alloc.dptr;
    if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        p->conditional.phGraph_out = from->params.conditional.phGraph_out;
}

#define ANY(any, p, current)                                                                                           \
    struct any any;                                                                                                    \
    do {                                                                                                               \
        CUresult taken = any_params(p, &any);                                                                          \
        if (taken)                                                                                                     \
            return driver_leave(taken);                                                                                \
    } while (0);                                                                                                       \
    WITHIN(any.ctx, current)

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    CONTEXT(c, d);
    ANY(any, nodeParams, c);
    cudaError_t e = cudaGraphAddNode_v2(phGraphNode, hGraph, dependencies, (const cudaGraphEdgeData *)dependencyData,
                                        numDependencies, &any.params);
    if (!e)
        any_out(&any, nodeParams);
    return noted_any(e, e ? NULL : *phGraphNode, nodeParams);
}

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                        CUgraphNodeParams *nodeParams)
{
    CONTEXT(c, d);
    return driver_leave(cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams));
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CONTEXT(c, d);
    ANY(any, nodeParams, c);
    return noted_any(cudaGraphNodeSetParams(hNode, &any.params), hNode, nodeParams);
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CONTEXT(c, d);
    ANY(any, nodeParams, c);
    return driver_return(cudaGraphExecNodeSetParams(hGraphExec, hNode, &any.params));
}

/* --- kernels --- */

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = old_kernel_params(nodeParams, &p);
    if (r)
        return driver_leave(r);
    WITHIN(kernel_context(nodeParams->func, NULL), c);
    return driver_return(cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, &p));
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = kernel_params(nodeParams, &p);
    if (r)
        return driver_leave(r);
    WITHIN(kernel_context(nodeParams->func, nodeParams->ctx), c);
    return driver_return(cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, &p));
}

/* What a node has: the function, and with a library's or the program's the CUkernel. */
static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
    struct cudaKernelNodeParams p;
    cudaError_t e = out ? cudaGraphKernelNodeGetParams(node, &p) : cudaErrorInvalidValue;
    if (e)
        return driver_result(e);
    CUfunction func = (CUfunction)(uintptr_t)module_handle(p.func);
    const struct context *own = module_context(func), *c = own ? own : graph_kernel_context(node);
    *out = (CUDA_KERNEL_NODE_PARAMS_v2){func, p.gridDim.x, p.gridDim.y, p.gridDim.z, p.blockDim.x, p.blockDim.y, p.blockDim.z,
                                        p.sharedMemBytes, p.kernelParams, p.extra, own ? NULL : (CUkernel)func,
                                        (CUcontext)(uintptr_t)c};
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    return driver_leave(get_kernel(hNode, nodeParams));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CONTEXT(c, d);
    CUDA_KERNEL_NODE_PARAMS_v2 p;
    REQUIRE(nodeParams);
    CUresult r = get_kernel(hNode, &p);
    if (!r)
        *nodeParams = (CUDA_KERNEL_NODE_PARAMS_v1){p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ,
                                                   p.sharedMemBytes, p.kernelParams, p.extra};
    return driver_leave(r);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = old_kernel_params(nodeParams, &p);
    return r ? driver_leave(r) : driver_return(cudaGraphKernelNodeSetParams(hNode, &p));
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = kernel_params(nodeParams, &p);
    return r ? driver_leave(r) : driver_return(cudaGraphKernelNodeSetParams(hNode, &p));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = old_kernel_params(nodeParams, &p);
    return r ? driver_leave(r) : driver_return(cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, &p));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    struct cudaKernelNodeParams p;
    CUresult r = kernel_params(nodeParams, &p);
    return r ? driver_leave(r) : driver_return(cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, &p));
}

/* Attributes have the same numbers and layout in both interfaces. */
_Static_assert(sizeof(CUkernelNodeAttrValue) == sizeof(cudaKernelNodeAttrValue), "one layout");

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphKernelNodeGetAttribute(hNode, (cudaKernelNodeAttrID)attr, (cudaKernelNodeAttrValue *)value_out));
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphKernelNodeSetAttribute(hNode, (cudaKernelNodeAttrID)attr, (const cudaKernelNodeAttrValue *)value));
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphKernelNodeCopyAttributes(dst, src));
}

/* --- copies --- */

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    CONTEXT(c, d);
    WITHIN(ctx, c);
    struct cudaMemcpy3DParms p;
    CUresult r = copy_params(copyParams, &p);
    if (r)
        return driver_leave(r);
    cudaError_t e = cudaGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies, &p);
    return noted_copy(e, e ? NULL : *phGraphNode, copyParams);
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    CONTEXT(c, d);
    struct cudaMemcpy3DParms p;
    REQUIRE(nodeParams);
    cudaError_t e = cudaGraphMemcpyNodeGetParams(hNode, &p);
    if (!e && !graph_noted(hNode, nodeParams, sizeof *nodeParams)) /* captured, or the runtime's */
        copy_description(&p, nodeParams);
    return driver_return(e);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    CONTEXT(c, d);
    struct cudaMemcpy3DParms p;
    CUresult r = copy_params(nodeParams, &p);
    return r ? driver_leave(r) : noted_copy(cudaGraphMemcpyNodeSetParams(hNode, &p), hNode, nodeParams);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    CONTEXT(c, d);
    WITHIN(ctx, c);
    struct cudaMemcpy3DParms p;
    CUresult r = copy_params(copyParams, &p);
    return r ? driver_leave(r) : driver_return(cudaGraphExecMemcpyNodeSetParams(hGraphExec, hNode, &p));
}

/* --- fills --- */

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    CONTEXT(c, d);
    REQUIRE(memsetParams);
    WITHIN(ctx, c);
    const struct cudaMemsetParams p = fill_params(memsetParams);
    return driver_return(cudaGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, &p));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    struct cudaMemsetParams p;
    REQUIRE(nodeParams);
    cudaError_t e = cudaGraphMemsetNodeGetParams(hNode, &p);
    if (!e)
        *nodeParams = (CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)(uintptr_t)p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
    return driver_return(e);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    REQUIRE(nodeParams);
    const struct cudaMemsetParams p = fill_params(nodeParams);
    return driver_return(cudaGraphMemsetNodeSetParams(hNode, &p));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                        CUcontext ctx)
{
    CONTEXT(c, d);
    REQUIRE(memsetParams);
    WITHIN(ctx, c);
    const struct cudaMemsetParams p = fill_params(memsetParams);
    return driver_return(cudaGraphExecMemsetNodeSetParams(hGraphExec, hNode, &p));
}

/* --- functions of the host --- */

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    REQUIRE(nodeParams);
    const struct cudaHostNodeParams p = {nodeParams->fn, nodeParams->userData};
    return driver_return(cudaGraphAddHostNode(phGraphNode, hGraph, dependencies, numDependencies, &p));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    struct cudaHostNodeParams p;
    REQUIRE(nodeParams);
    cudaError_t e = cudaGraphHostNodeGetParams(hNode, &p);
    if (!e)
        *nodeParams = (CUDA_HOST_NODE_PARAMS){p.fn, p.userData};
    return driver_return(e);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    REQUIRE(nodeParams);
    const struct cudaHostNodeParams p = {nodeParams->fn, nodeParams->userData};
    return driver_return(cudaGraphHostNodeSetParams(hNode, &p));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    REQUIRE(nodeParams);
    const struct cudaHostNodeParams p = {nodeParams->fn, nodeParams->userData};
    return driver_return(cudaGraphExecHostNodeSetParams(hGraphExec, hNode, &p));
}

/* --- empty nodes, graphs within graphs, events --- */

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                  CUgraph childGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddChildGraphNode(phGraphNode, hGraph, dependencies, numDependencies, childGraph));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphChildGraphNodeGetGraph(hNode, phGraph));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphExecChildGraphNodeSetParams(hGraphExec, hNode, childGraph));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                   CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddEventRecordNode(phGraphNode, hGraph, dependencies, numDependencies, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                 CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddEventWaitNode(phGraphNode, hGraph, dependencies, numDependencies, event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphEventRecordNodeGetEvent(hNode, event_out));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphEventRecordNodeSetEvent(hNode, event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphEventWaitNodeGetEvent(hNode, event_out));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphEventWaitNodeSetEvent(hNode, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

/* --- memory --- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    CONTEXT(c, d);
    REQUIRE(nodeParams);
    struct cudaMemAllocNodeParams p = alloc_params(nodeParams);
    cudaError_t e = cudaGraphAddMemAllocNode(phGraphNode, hGraph, dependencies, numDependencies, &p);
    nodeParams->dptr = e ? nodeParams->dptr : (CUdeviceptr)(uintptr_t)p.dptr;
    return driver_return(e);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    CONTEXT(c, d);
    struct cudaMemAllocNodeParams p;
    REQUIRE(params_out);
    cudaError_t e = cudaGraphMemAllocNodeGetParams(hNode, &p);
    if (!e)
        memcpy(params_out, &p, sizeof p);
    return driver_return(e);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                               CUdeviceptr dptr)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, driver_pointer(dptr)));
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphMemFreeNodeGetParams(hNode, dptr_out));
}

/* --- conditions --- */

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx,
                                        unsigned int defaultLaunchValue, unsigned int flags)
{
    CONTEXT(c, d);
    cudaGraphConditionalHandle h = 0;
    REQUIRE(pHandle_out);
    if (!ctx)
        return driver_leave(CUDA_ERROR_INVALID_CONTEXT);
    WITHIN(ctx, c);
    cudaError_t e = cudaGraphConditionalHandleCreate(&h, hGraph, defaultLaunchValue, flags);
    *pHandle_out = e ? *pHandle_out : h;
    return driver_return(e);
}
