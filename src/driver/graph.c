/* Graphs, what they were instantiated as, and stream capture (CUDA Driver API reference, "Graph Management", "Stream Management"):
 * the runtime's, whose handles, flags and kinds of nodes have the same values. What nodes do: graph_nodes.c. */
#include "runtime/graph.h"

#include "driver/driver.h"

_Static_assert((int)CU_GRAPH_NODE_TYPE_CONDITIONAL == (int)cudaGraphNodeTypeConditional, "one numbering");
_Static_assert((int)CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED == (int)cudaGraphExecUpdateErrorAttributesChanged, "one numbering");
_Static_assert((int)CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED == (int)cudaGraphInstantiateConditionalHandleUnused, "one numbering");
_Static_assert((int)CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH == (int)cudaGraphMemAttrReservedMemHigh, "one numbering");
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "one layout: bytes");

static const cudaGraphEdgeData *same(const CUgraphEdgeData *edges)
{
    return (const cudaGraphEdgeData *)edges;
}

static cudaGraphEdgeData *same_out(CUgraphEdgeData *edges)
{
    return (cudaGraphEdgeData *)edges;
}

/* --- graphs: made and destroyed without a context --- */

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    INITIALISED;
    return driver_return(cudaGraphCreate(phGraph, flags));
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
    INITIALISED;
    return driver_return(cudaGraphDestroy(hGraph));
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphClone(phGraphClone, originalGraph));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeFindInClone(phNode, hOriginalNode, hClonedGraph));
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphDebugDotPrint(hGraph, path, flags));
}

/* --- nodes and edges --- */

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphGetNodes(hGraph, nodes, numNodes));
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphGetRootNodes(hGraph, rootNodes, numRootNodes));
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphGetEdges(hGraph, from, to, numEdges));
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphGetEdges_v2(hGraph, from, to, same_out(edgeData), numEdges));
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetDependencies(hNode, dependencies, numDependencies));
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                       size_t *numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetDependencies_v2(hNode, dependencies, same_out(edgeData), numDependencies));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetDependentNodes(hNode, dependentNodes, numDependentNodes));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                         size_t *numDependentNodes)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetDependentNodes_v2(hNode, dependentNodes, same_out(edgeData), numDependentNodes));
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddDependencies(hGraph, from, to, numDependencies));
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                   size_t numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphAddDependencies_v2(hGraph, from, to, same(edgeData), numDependencies));
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphRemoveDependencies(hGraph, from, to, numDependencies));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphRemoveDependencies_v2(hGraph, from, to, same(edgeData), numDependencies));
}

CUresult cuGraphDestroyNode(CUgraphNode hNode)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphDestroyNode(hNode));
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetType(hNode, (enum cudaGraphNodeType *)type));
}

/* --- what can run --- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphInstantiateWithFlags(phGraphExec, hGraph, flags));
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    CONTEXT(c, d);
    CUDA_GRAPH_INSTANTIATE_PARAMS *out = instantiateParams;
    REQUIRE(out);
    cudaGraphInstantiateParams p = {.flags = out->flags, .uploadStream = out->hUploadStream};
    cudaError_t e = cudaGraphInstantiateWithParams(phGraphExec, hGraph, &p);
    out->hErrNode_out = p.errNode_out;
    out->result_out = (CUgraphInstantiateResult)p.result_out;
    return driver_return(e);
}

/* As it was before CUDA 11.4. What is wrong is the status and the node; the text stays empty. */
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                               size_t bufferSize)
{
    CONTEXT(c, d);
    cudaGraphInstantiateParams p = {0};
    cudaError_t e = cudaGraphInstantiateWithParams(phGraphExec, hGraph, &p);
    if (phErrorNode)
        *phErrorNode = p.errNode_out;
    if (logBuffer && bufferSize)
        *logBuffer = '\0';
    return driver_return(e);
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    CONTEXT(c, d);
    unsigned long long f;
    REQUIRE(flags);
    cudaError_t e = cudaGraphExecGetFlags(hGraphExec, &f);
    if (!e)
        *flags = f;
    return driver_return(e);
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphUpload(hGraphExec, hStream));
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphLaunch(hGraphExec, hStream));
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphExecDestroy(hGraphExec));
}

static cudaError_t update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *out)
{
    cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateError, NULL, NULL};
    cudaError_t e = cudaGraphExecUpdate(exec, graph, &info);
    *out = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)info.result, info.errorNode, info.errorFromNode};
    return e;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo)
{
    CONTEXT(c, d);
    REQUIRE(resultInfo);
    return driver_return(update(hGraphExec, hGraph, resultInfo));
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out)
{
    CONTEXT(c, d);
    CUgraphExecUpdateResultInfo info;
    REQUIRE(hErrorNode_out && updateResult_out);
    cudaError_t e = update(hGraphExec, hGraph, &info);
    *hErrorNode_out = info.errorNode;
    *updateResult_out = info.result;
    return driver_return(e);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}

/* --- user objects: no context is needed --- */

CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount, unsigned int flags)
{
    INITIALISED;
    return driver_return(cudaUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags));
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    INITIALISED;
    return driver_return(cudaUserObjectRetain(object, count));
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    INITIALISED;
    return driver_return(cudaUserObjectRelease(object, count));
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    INITIALISED;
    return driver_return(cudaGraphRetainUserObject(graph, object, count, flags));
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    INITIALISED;
    return driver_return(cudaGraphReleaseUserObject(graph, object, count));
}

/* --- memory that graphs allocate: of a device, without a context --- */

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    DEVICE(d, device);
    return driver_return(graph_memory_ask(device, (enum cudaGraphMemAttributeType)attr, value));
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    DEVICE(d, device);
    return driver_return(graph_memory_set(device, (enum cudaGraphMemAttributeType)attr, value));
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    DEVICE(d, device);
    return driver_return(graph_memory_trim(device));
}

/* --- capture --- */

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamBeginCapture(hStream, (enum cudaStreamCaptureMode)mode));
}

/* As CUDA 10.0 had it, without modes. */
CUresult cuStreamBeginCapture(CUstream hStream)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamBeginCapture(hStream, cudaStreamCaptureModeGlobal));
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies, CUstreamCaptureMode mode)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamBeginCaptureToGraph(hStream, hGraph, dependencies, same(dependencyData), numDependencies,
                                                       (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamEndCapture(hStream, phGraph));
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamIsCapturing(hStream, (enum cudaStreamCaptureStatus *)captureStatus));
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetCaptureInfo(hStream, (enum cudaStreamCaptureStatus *)captureStatus_out,
                                                  (unsigned long long *)id_out));
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                   CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamGetCaptureInfo_v2(hStream, (enum cudaStreamCaptureStatus *)captureStatus_out,
                                                     (unsigned long long *)id_out, graph_out, dependencies_out,
                                                     numDependencies_out));
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                   CUgraph *graph_out, const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out)
{
    CONTEXT(c, d);
    const cudaGraphEdgeData *edges = NULL;
    cudaError_t e = cudaStreamGetCaptureInfo_v3(hStream, (enum cudaStreamCaptureStatus *)captureStatus_out,
                                                (unsigned long long *)id_out, graph_out, dependencies_out,
                                                edgeData_out ? &edges : NULL, numDependencies_out);
    if (edges)
        *edgeData_out = (const CUgraphEdgeData *)edges;
    return driver_return(e);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamUpdateCaptureDependencies(hStream, dependencies, numDependencies, flags));
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
                                              size_t numDependencies, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamUpdateCaptureDependencies_v2(hStream, dependencies, same(dependencyData), numDependencies, flags));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    INITIALISED;
    return driver_return(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}
