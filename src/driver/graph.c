/* Graphs as far as capturing, launching and looking at them goes (CUDA Driver API reference, "Graph Management"): the runtime's,
 * whose handles, flags and kinds of nodes have the same values. Nodes that are added one by one are not there yet. */
#include "driver/driver.h"

_Static_assert((int)CU_GRAPH_NODE_TYPE_CONDITIONAL == (int)cudaGraphNodeTypeConditional, "one numbering");

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamBeginCapture(hStream, (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaStreamEndCapture(hStream, phGraph));
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphCreate(phGraph, flags));
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphDestroy(hGraph));
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphClone(phGraphClone, originalGraph));
}

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

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphNodeGetType(hNode, (enum cudaGraphNodeType *)type));
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphDebugDotPrint(hGraph, path, flags));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    CONTEXT(c, d);
    return driver_return(cudaGraphInstantiateWithFlags(phGraphExec, hGraph, flags));
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
