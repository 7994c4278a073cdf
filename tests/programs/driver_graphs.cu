// Graphs through the driver interface: nodes added one by one, their parameters set and asked for, updates, capture. Kernels are
// of PTX, of a library and of the runtime. With two devices: nodes of a context of the other one. PASSED at the end.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)
static void expect(CUresult wanted, CUresult got, const char *call, int line)
{
    const char *w = "?", *g = "?";
    if (got == wanted)
        return;
    cuGetErrorName(wanted, &w);
    cuGetErrorName(got, &g);
    printf("line %d: %s: %s, not %s\n", line, call, g, w);
    wrong++;
}
#define IS(status, call) expect(status, call, #call, __LINE__)
#define OK(call) IS(CUDA_SUCCESS, call)
#define INVALID(call) IS(CUDA_ERROR_INVALID_VALUE, call)

__global__ void times(int *p, int v) { *p *= v; }
__global__ void decide(cudaGraphConditionalHandle h, int *p, int until) { cudaGraphSetConditional(h, *p < until); }

static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\ncvta.to.global.u64 %rd2, %rd1;\n"
                          "atom.global.add.u32 %r2, [%rd2], %r1;\nret;\n}\n";

static CUdevice dev;
static CUcontext ctx;
static CUfunction add, multiply, deciding;
static CUkernel library_add;
static CUdeviceptr memory; // 1024 ints

typedef std::vector<CUgraphNode> nodes;

static int read(CUdeviceptr p)
{
    int v = -1;
    OK(cuMemcpyDtoH(&v, p, sizeof v));
    return v;
}

static void write(CUdeviceptr p, int v) { OK(cuMemcpyHtoD(p, &v, sizeof v)); }

static void count(void *n) { ++*(int *)n; }

static CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction f, void **args, unsigned grid = 1)
{
    CUDA_KERNEL_NODE_PARAMS p = {};
    p.func = f;
    p.gridDimX = grid;
    p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = args;
    return p;
}

static CUgraphNode node(CUgraph g, nodes behind, CUfunction f, CUdeviceptr p, int v)
{
    void *args[] = {&p, &v};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(f, args);
    CUgraphNode n;
    OK(cuGraphAddKernelNode(&n, g, behind.data(), behind.size(), &k));
    return n;
}

static void run(CUgraph g)
{
    CUgraphExec x;
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuGraphExecDestroy(x));
    OK(cuStreamSynchronize(nullptr));
}

static CUDA_MEMSET_NODE_PARAMS fill_params(CUdeviceptr p, unsigned value, size_t width)
{
    CUDA_MEMSET_NODE_PARAMS f = {};
    f.dst = p;
    f.value = value;
    f.elementSize = 4;
    f.width = width;
    f.height = 1;
    return f;
}

static CUDA_MEMCPY3D copy_params(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CUDA_MEMCPY3D c = {};
    c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = to;
    c.srcDevice = from;
    c.WidthInBytes = bytes;
    c.Height = c.Depth = 1;
    return c;
}

// (0 + 3) * 5 in one branch, (0 + 2) * 7 in the other, and what joins them.
static void shapes()
{
    CUgraph g, clone;
    CUgraphNode fill, join, found, from[8], to[8];
    CUgraphEdgeData edges[8];
    CUgraphNodeType type;
    size_t n = 0;
    CUdeviceptr a = memory, b = memory + 4;
    OK(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS f = fill_params(a, 0, 2);
    OK(cuGraphAddMemsetNode(&fill, g, nullptr, 0, &f, ctx));
    CUgraphNode a1 = node(g, {fill}, add, a, 3), b1 = node(g, {fill}, add, b, 2);
    CUgraphNode a2 = node(g, {a1}, multiply, a, 5), b2 = node(g, {b1}, multiply, b, 7);
    OK(cuGraphAddEmptyNode(&join, g, nullptr, 0));
    CUgraphNode ends[] = {a2, b2}, joins[] = {join, join};
    OK(cuGraphAddDependencies(g, ends, joins, 2));
    INVALID(cuGraphAddDependencies(g, ends, joins, 2));
    run(g);
    CHECK(read(a) == 15 && read(b) == 14);
    OK(cuGraphGetNodes(g, nullptr, &n));
    CHECK(n == 6);
    OK(cuGraphGetRootNodes(g, from, &(n = 8)));
    CHECK(n == 1 && from[0] == fill);
    OK(cuGraphGetEdges(g, from, to, &(n = 8)));
    CHECK(n == 6 && from[0] == fill && to[0] == a1);
    OK(cuGraphGetEdges_v2(g, from, to, edges, &(n = 8)));
    CHECK(n == 6 && edges[0].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
    OK(cuGraphNodeGetDependencies(join, from, &(n = 8)));
    CHECK(n == 2 && from[0] == a2 && from[1] == b2);
    OK(cuGraphNodeGetDependencies_v2(join, from, edges, &(n = 8)));
    OK(cuGraphNodeGetDependentNodes(fill, to, &(n = 8)));
    CHECK(n == 2 && to[1] == b1);
    OK(cuGraphNodeGetDependentNodes_v2(fill, to, edges, &(n = 8)));
    OK(cuGraphRemoveDependencies(g, &a2, &join, 1));
    INVALID(cuGraphRemoveDependencies(g, &a2, &join, 1));
    edges[0] = {};
    edges[0].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    edges[0].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    OK(cuGraphAddDependencies_v2(g, &a2, &join, edges, 1));
    IS(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependencies(join, from, &(n = 8)));
    OK(cuGraphNodeGetDependencies_v2(join, from, edges + 1, &(n = 7)));
    CHECK(n == 2 && edges[2].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    OK(cuGraphRemoveDependencies_v2(g, &a2, &join, edges, 1));
    OK(cuGraphClone(&clone, g));
    OK(cuGraphNodeFindInClone(&found, a1, clone));
    CHECK(found != a1);
    OK(cuGraphNodeGetType(found, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);
    OK(cuGraphDestroyNode(found)); // with its edges: the product is a root now
    OK(cuGraphGetRootNodes(clone, nullptr, &n));
    CHECK(n == 2);
    INVALID(cuGraphNodeFindInClone(&found, a1, clone));
    OK(cuGraphDestroy(clone));
    INVALID(cuGraphDestroy(clone));
    OK(cuGraphDestroy(g));
}

// A kernel node's function is a CUfunction or a CUkernel, its arguments pointers or one block.
static void kernels()
{
    CUgraph g, clone;
    CUgraphNode n, m, m2, empty;
    CUgraphExec x;
    CUDA_KERNEL_NODE_PARAMS got, got2;
    CUdeviceptr p = memory;
    int v = 1;
    void *args[] = {&p, &v};
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&empty, g, nullptr, 0));
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(nullptr, args, 2);
    IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode(&n, g, nullptr, 0, &k)); // neither
    INVALID(cuGraphAddKernelNode(&n, g, nullptr, 0, nullptr));
    k.kern = library_add;
    OK(cuGraphAddKernelNode(&n, g, nullptr, 0, &k));
    k.ctx = ctx;
    OK(cuGraphKernelNodeSetParams(n, &k));
    OK(cuGraphKernelNodeGetParams(n, &got));
    CHECK(got.func == (CUfunction)library_add && got.kern == library_add && got.ctx == ctx && got.gridDimX == 2 && got.blockDimZ == 1 && *(int *)got.kernelParams[1] == 1);
    OK(cuGraphKernelNodeSetParams(n, &got)); // what was got can be set
    INVALID(cuGraphKernelNodeGetParams(n, nullptr));
    INVALID(cuGraphKernelNodeGetParams(empty, &got));
    struct {
        CUdeviceptr p;
        int v;
    } block = {memory, 10};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    k = kernel_params(add, nullptr);
    INVALID(cuGraphAddKernelNode(&m, g, &n, 1, &k)); // no arguments
    k.extra = extra;
    OK(cuGraphAddKernelNode(&m, g, &n, 1, &k));
    block.v = 1000; // the node has a copy
    k.blockDimX = 2000;
    INVALID(cuGraphAddKernelNode(&m, g, &n, 1, &k));
    k.blockDimX = 1;
    bytes = sizeof block; // with what aligns its end: too long
    INVALID(cuGraphAddKernelNode(&m, g, &n, 1, &k));
    OK(cuGraphKernelNodeGetParams(m, &got));
    CHECK(got.func == add && !got.kern && got.ctx == ctx && !got.kernelParams && got.extra && ((int *)got.extra[1])[2] == 10 && *(size_t *)got.extra[3] == 12);
    OK(cuGraphKernelNodeSetParams(m, &got));
    OK(cuGraphKernelNodeGetParams(m, &got));
    OK(cuGraphClone(&clone, g));
    OK(cuGraphNodeFindInClone(&m2, m, clone));
    OK(cuGraphKernelNodeGetParams(m2, &got2));
    CHECK(got2.ctx == ctx && got2.extra && got2.extra[1] != got.extra[1] && ((int *)got2.extra[1])[2] == 10);
    bytes = 8; // the rest is zero
    block.p = memory + 4;
    OK(cuGraphKernelNodeSetParams(m2, &k));
    OK(cuGraphDestroy(clone));
    write(memory, 0);
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 12);
    v = 100;
    k = kernel_params(add, args);
    OK(cuGraphExecKernelNodeSetParams(x, n, &k)); // of what was instantiated alone
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 122);
    OK(cuGraphKernelNodeGetParams(n, &got));
    CHECK(got.gridDimX == 2 && *(int *)got.kernelParams[1] == 1);
    INVALID(cuGraphExecKernelNodeSetParams(x, empty, &k));

    CUkernelNodeAttrValue a = {};
    a.priority = -2;
    OK(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &a));
    OK(cuGraphKernelNodeCopyAttributes(m, n));
    a.priority = 0;
    OK(cuGraphKernelNodeGetAttribute(m, CU_LAUNCH_ATTRIBUTE_PRIORITY, &a));
    CHECK(a.priority == -2);
    unsigned enabled = 1;
    OK(cuGraphNodeSetEnabled(x, n, 0));
    OK(cuGraphNodeGetEnabled(x, n, &enabled));
    OK(cuGraphLaunch(x, nullptr));
    CHECK(!enabled && read(memory) == 132);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
}

// The symbols of CUDA 10 and 11: parameters without a CUkernel, capture without a mode, an update that answers in two places.
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuStreamBeginCapture
static void before_cuda_12()
{
    CUgraph g, captured;
    CUgraphNode n, bad = nullptr;
    CUgraphExec x;
    CUgraphExecUpdateResult result;
    CUstream s;
    CUdeviceptr p = memory;
    int v = 7;
    char log[20] = "something";
    void *args[] = {&p, &v};
    CUDA_KERNEL_NODE_PARAMS_v1 k = {add, 1, 1, 1, 1, 1, 1, 0, args, nullptr}, got, none = k;
    none.func = nullptr;
    OK(cuGraphCreate(&g, 0));
    IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode(&n, g, nullptr, 0, &none));
    OK(cuGraphAddKernelNode(&n, g, nullptr, 0, &k));
    OK(cuGraphKernelNodeGetParams(n, &got));
    CHECK(got.func == add && *(int *)got.kernelParams[1] == 7);
    OK(cuGraphKernelNodeSetParams(n, &got));
    OK(cuGraphInstantiate_v2(&x, g, &bad, log, sizeof log));
    CHECK(!*log && !bad);
    write(memory, 0);
    OK(cuGraphLaunch(x, nullptr));
    v = 8;
    OK(cuGraphExecKernelNodeSetParams(x, n, &k));
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 15);
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(s));
    v = 20;
    OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, args, nullptr));
    OK(cuStreamEndCapture(s, &captured));
    OK(cuGraphExecUpdate(x, captured, &bad, &result));
    CHECK(result == CU_GRAPH_EXEC_UPDATE_SUCCESS && !bad);
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 35);
    node(captured, {}, add, memory, 1);
    IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(x, captured, &bad, &result));
    CHECK(result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(cuStreamDestroy(s));
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(captured));
    OK(cuGraphDestroy(g));
}
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate cuGraphExecUpdate_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2

static void copies()
{
    CUgraph g, clone;
    CUgraphNode up, same, fill, down, empty;
    CUgraphExec x;
    CUDA_MEMCPY3D got;
    static int four[4] = {5, 6, 7, 8}, back[4];
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&empty, g, nullptr, 0));
    CUDA_MEMCPY3D c = copy_params(memory, 0, sizeof four);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = four;
    INVALID(cuGraphAddMemcpyNode(&up, g, nullptr, 0, nullptr, ctx));
    OK(cuGraphAddMemcpyNode(&up, g, nullptr, 0, &c, nullptr)); // the current context
    OK(cuGraphMemcpyNodeGetParams(up, &got));
    CHECK(got.srcMemoryType == CU_MEMORYTYPE_HOST && got.srcHost == four && !got.srcDevice && got.dstMemoryType == CU_MEMORYTYPE_DEVICE &&
          got.dstDevice == memory && !got.dstHost && got.WidthInBytes == 16 && got.Height == 1 && got.Depth == 1);
    OK(cuGraphMemcpyNodeSetParams(up, &got));
    INVALID(cuGraphMemcpyNodeGetParams(empty, &got));
    c.WidthInBytes = 0;
    INVALID(cuGraphMemcpyNodeSetParams(up, &c)); // nothing is to be copied
    c.WidthInBytes = sizeof four;
    c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcPitch = 64; // of one row: comes back as it was given, but for what the runtime sets or a clone has
    OK(cuGraphMemcpyNodeSetParams(up, &c));
    OK(cuGraphClone(&clone, g));
    OK(cuGraphNodeFindInClone(&same, up, clone));
    for (CUgraphNode n : {up, same}) {
        OK(cuGraphMemcpyNodeGetParams(n, &got));
        CHECK(got.srcMemoryType == CU_MEMORYTYPE_HOST && got.srcHost == four && got.srcPitch == 64 && got.dstMemoryType == CU_MEMORYTYPE_UNIFIED && got.dstDevice == memory);
    }
    OK((CUresult)cudaGraphMemcpyNodeSetParams1D((cudaGraphNode_t)same, (void *)memory, four, 8, cudaMemcpyHostToDevice));
    OK(cuGraphMemcpyNodeGetParams(same, &got));
    CHECK(got.dstMemoryType == CU_MEMORYTYPE_DEVICE && !got.srcPitch && got.WidthInBytes == 8);
    OK(cuGraphDestroy(clone));

    CUDA_MEMSET_NODE_PARAMS f = fill_params(memory + 4, 0x1234, 2), filled; // 2 of 4 columns of 2 bytes, in 2 rows of 8
    f.elementSize = 2;
    f.height = 2;
    f.pitch = 8;
    INVALID(cuGraphAddMemsetNode(&fill, g, &up, 1, nullptr, ctx));
    f.elementSize = 3;
    INVALID(cuGraphAddMemsetNode(&fill, g, &up, 1, &f, ctx));
    f.elementSize = 2;
    OK(cuGraphAddMemsetNode(&fill, g, &up, 1, &f, nullptr));
    OK(cuGraphMemsetNodeGetParams(fill, &filled));
    CHECK(filled.dst == memory + 4 && filled.pitch == 8 && filled.value == 0x1234 && filled.elementSize == 2 && filled.width == 2 && filled.height == 2);
    OK(cuGraphMemsetNodeSetParams(fill, &filled));

    c = copy_params(0, memory, sizeof back);
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    OK(cuGraphAddMemcpyNode(&down, g, &fill, 1, &c, ctx));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuStreamSynchronize(nullptr));
    CHECK(back[0] == 5 && back[1] == 0x12341234 && back[2] == 7 && back[3] == 0x12341234);
    // of what was instantiated: copies of one dimension; of fills with several rows the value and the address
    static int other[4];
    c.dstHost = other;
    OK(cuGraphExecMemcpyNodeSetParams(x, down, &c, nullptr));
    filled.value = 0x5678;
    OK(cuGraphExecMemsetNodeSetParams(x, fill, &filled, ctx));
    CUDA_MEMSET_NODE_PARAMS shapes[4] = {filled, filled, filled, filled};
    shapes[0].width = 1;
    shapes[1].height = 1;
    shapes[2].pitch = 16;
    shapes[3].elementSize = 1;
    for (CUDA_MEMSET_NODE_PARAMS &shape : shapes)
        INVALID(cuGraphExecMemsetNodeSetParams(x, fill, &shape, ctx));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuStreamSynchronize(nullptr));
    CHECK(other[0] == 5 && other[1] == 0x56785678 && other[3] == 0x56785678);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));

    OK(cuGraphCreate(&g, 0));
    f = fill_params(memory, 9, 3);
    OK(cuGraphAddMemsetNode(&fill, g, nullptr, 0, &f, ctx));
    OK(cuGraphInstantiate(&x, g, 0));
    f.dst = memory + 16;
    OK(cuGraphExecMemsetNodeSetParams(x, fill, &f, ctx));
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 5 && read(memory + 24) == 9);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
}

// Arrays are named where whole texels are copied: here a part of 3 x 2 texels of 8 bytes, from (1, 1) on.
static void arrays()
{
    CUgraph g;
    CUgraphNode up, down, half;
    CUarray a;
    CUDA_MEMCPY3D got;
    CUDA_ARRAY_DESCRIPTOR desc = {8, 4, CU_AD_FORMAT_SIGNED_INT32, 2};
    int in[2][8], out[2][8] = {};
    for (int i = 0; i < 16; i++)
        in[i / 8][i % 8] = 100 + i;
    OK(cuArrayCreate(&a, &desc));
    OK(cuGraphCreate(&g, 0));
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = in;
    c.srcPitch = sizeof *in;
    c.srcXInBytes = 8;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.dstXInBytes = 8;
    c.dstY = 1;
    c.WidthInBytes = 24;
    c.Height = 2;
    c.Depth = 1;
    OK(cuGraphAddMemcpyNode(&up, g, nullptr, 0, &c, ctx));
    OK(cuGraphMemcpyNodeGetParams(up, &got));
    CHECK(got.dstMemoryType == CU_MEMORYTYPE_ARRAY && got.dstArray == a && got.dstXInBytes == 8 && got.dstY == 1 && got.WidthInBytes == 24 &&
          got.srcHost == in && got.srcPitch == sizeof *in && got.srcXInBytes == 8 && got.Height == 2);
    OK(cuGraphMemcpyNodeSetParams(up, &got));
    CUDA_MEMCPY3D back = {};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = a;
    back.srcXInBytes = 8;
    back.srcY = 1;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = out;
    back.dstPitch = sizeof *out;
    back.WidthInBytes = 24;
    back.Height = 2;
    back.Depth = 1;
    OK(cuGraphAddMemcpyNode(&down, g, &up, 1, &back, ctx));
    back.dstHost = (char *)out + 28; // one value, half a texel
    back.srcXInBytes = 12;
    back.WidthInBytes = 4;
    back.Height = 1;
    OK(cuGraphAddMemcpyNode(&half, g, &up, 1, &back, ctx));
    back.srcXInBytes = 64;
    INVALID(cuGraphAddMemcpyNode(&half, g, &up, 1, &back, ctx)); // beyond its end
    run(g);
    CHECK(out[0][0] == 102 && out[0][5] == 107 && out[1][0] == 110 && out[1][5] == 115 && out[0][6] == 0 && out[0][7] == 103);
    OK(cuGraphDestroy(g));
    OK(cuArrayDestroy(a));
}

static void others()
{
    CUgraph outer, child, inside, two;
    CUgraphNode wait, node_, record, host, empty;
    CUgraphExec x;
    CUevent before, after, got;
    static int calls, more;
    size_t n;
    OK(cuEventCreate(&before, 0));
    OK(cuEventCreate(&after, 0));
    OK(cuGraphCreate(&outer, 0));
    OK(cuGraphCreate(&child, 0));
    OK(cuGraphCreate(&two, 0));
    node(child, {node(child, {}, add, memory, 1)}, multiply, memory, 2);
    node(two, {node(two, {}, add, memory, 10)}, multiply, memory, 3);
    OK(cuGraphAddEventWaitNode(&wait, outer, nullptr, 0, before));
    INVALID(cuGraphAddChildGraphNode(&node_, outer, &wait, 1, outer));
    OK(cuGraphAddChildGraphNode(&node_, outer, &wait, 1, child));
    OK(cuGraphDestroy(child)); // the node has a copy
    OK(cuGraphChildGraphNodeGetGraph(node_, &inside));
    OK(cuGraphGetNodes(inside, nullptr, &n));
    CHECK(n == 2 && inside != child);
    INVALID(cuGraphDestroy(inside));
    CUDA_HOST_NODE_PARAMS h = {count, &calls}, hgot;
    OK(cuGraphAddHostNode(&host, outer, &node_, 1, &h));
    OK(cuGraphHostNodeGetParams(host, &hgot));
    CHECK(hgot.fn == count && hgot.userData == &calls);
    OK(cuGraphHostNodeSetParams(host, &hgot));
    INVALID(cuGraphHostNodeSetParams(host, nullptr));
    OK(cuGraphAddEventRecordNode(&record, outer, &host, 1, before));
    OK(cuGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == before);
    OK(cuGraphEventRecordNodeSetEvent(record, after));
    OK(cuGraphEventWaitNodeSetEvent(wait, before));
    OK(cuGraphEventWaitNodeGetEvent(wait, &got));
    CHECK(got == before);
    INVALID(cuGraphEventWaitNodeGetEvent(record, &got));
    IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddEventRecordNode(&empty, outer, nullptr, 0, nullptr));
    CUDA_GRAPH_INSTANTIATE_PARAMS ip = {};
    OK(cuGraphInstantiateWithParams(&x, outer, &ip));
    CHECK(ip.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS && !ip.hErrNode_out);
    write(memory, 0);
    OK(cuEventRecord(before, nullptr));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuEventSynchronize(after));
    CHECK(read(memory) == 2 && calls == 1);
    h.userData = &more;
    OK(cuGraphExecHostNodeSetParams(x, host, &h));
    OK(cuGraphExecChildGraphNodeSetParams(x, node_, two));
    OK(cuGraphExecEventRecordNodeSetEvent(x, record, before));
    OK(cuGraphExecEventWaitNodeSetEvent(x, wait, after));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuEventSynchronize(before));
    CHECK(read(memory) == 36 && calls == 1 && more == 1);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(outer));
    OK(cuGraphDestroy(two));
    OK(cuEventDestroy(before));
    OK(cuEventDestroy(after));
}

// Every type through one function.
static void any()
{
    CUgraph g, child;
    CUgraphExec x;
    CUgraphNode k, copy, fill, host, sub, empty, wait, record, alloc, free_, last;
    CUevent e;
    CUdeviceptr p = memory;
    static int calls;
    int v = 3;
    void *args[] = {&p, &v};
    CUgraphNodeParams n = {};
    CUDA_MEMCPY3D copied;
    OK(cuEventCreate(&e, 0));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphCreate(&child, 0));
    node(child, {}, add, memory, 1);
    n.type = CU_GRAPH_NODE_TYPE_MEMSET;
    n.memset = {};
    n.memset.dst = memory;
    n.memset.value = 7;
    n.memset.elementSize = 4;
    n.memset.width = 4;
    n.memset.height = 1;
    OK(cuGraphAddNode(&fill, g, nullptr, 0, &n)); // in the current context
    n.memset.ctx = ctx;
    OK(cuGraphNodeSetParams(fill, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_KERNEL;
    n.kernel.kern = library_add;
    n.kernel.gridDimX = n.kernel.gridDimY = n.kernel.gridDimZ = n.kernel.blockDimX = n.kernel.blockDimY = n.kernel.blockDimZ = 1;
    n.kernel.kernelParams = args;
    OK(cuGraphAddNode_v2(&k, g, &fill, nullptr, 1, &n));
    CUgraphNodeParams kernel = n;
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    n.memcpy.copyCtx = ctx;
    n.memcpy.copyParams = copy_params(memory + 64, memory, 16);
    n.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    OK(cuGraphAddNode(&copy, g, &k, 1, &n));
    OK(cuGraphMemcpyNodeGetParams(copy, &copied));
    CHECK(!memcmp(&copied, &n.memcpy.copyParams, sizeof copied));
    n.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    OK(cuGraphNodeSetParams(copy, &n));
    OK(cuGraphMemcpyNodeGetParams(copy, &copied));
    CHECK(!memcmp(&copied, &n.memcpy.copyParams, sizeof copied));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_HOST;
    n.host.fn = count;
    n.host.userData = &calls;
    OK(cuGraphAddNode(&host, g, &copy, 1, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_GRAPH;
    n.graph.graph = child;
    OK(cuGraphAddNode(&sub, g, &host, 1, &n));
    n.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&empty, g, &host, 1, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_EMPTY;
    OK(cuGraphAddNode(&empty, g, &sub, 1, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    n.eventRecord.event = e;
    OK(cuGraphAddNode(&record, g, &empty, 1, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    n.eventWait.event = e;
    OK(cuGraphAddNode(&wait, g, nullptr, 0, &n));
    OK(cuGraphInstantiate(&x, g, 0));
    write(memory, 0);
    OK(cuGraphLaunch(x, nullptr));
    OK(cuEventSynchronize(e));
    CHECK(read(memory) == 11 && read(memory + 64) == 10 && read(memory + 76) == 7 && calls == 1);
    v = 30;
    OK(cuGraphNodeSetParams(k, &kernel));
    OK(cuGraphExecNodeSetParams(x, k, &kernel));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_GRAPH;
    node(child, {}, add, memory, 1);
    n.graph.graph = child;
    INVALID(cuGraphExecNodeSetParams(x, sub, &n)); // another shape
    INVALID(cuGraphNodeSetParams(fill, &kernel));
    INVALID(cuGraphNodeSetParams(fill, nullptr));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuEventSynchronize(e));
    CHECK(read(memory) == 38 && read(memory + 64) == 37);
    OK(cuGraphExecDestroy(x));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    n.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    n.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    n.alloc.bytesize = 64;
    OK(cuGraphAddNode(&alloc, g, nullptr, 0, &n));
    CHECK(n.alloc.dptr);
    p = n.alloc.dptr;
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    n.free.dptr = p;
    OK(cuGraphAddNode(&free_, g, &alloc, 1, &n));
    INVALID(cuGraphAddNode(&free_, g, &alloc, 1, &n)); // once is enough
    INVALID(cuGraphNodeSetParams(free_, &n));
    n = {};
    n.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    n.memOp.ctx = ctx;
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&last, g, nullptr, 0, &n));
    n.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&last, g, nullptr, 0, &n));
    n.type = (CUgraphNodeType)77;
    INVALID(cuGraphAddNode(&last, g, nullptr, 0, &n));
    INVALID(cuGraphAddNode(&last, g, nullptr, 0, nullptr));
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(child));
    OK(cuEventDestroy(e));
}

static void memory_nodes()
{
    CUgraph g, clone;
    CUgraphNode alloc, fill, copy, free_;
    CUgraphExec x, second;
    CUDA_MEM_ALLOC_NODE_PARAMS p = {}, got;
    CUdeviceptr freed = 0;
    cuuint64_t v = 0;
    CUcontext none = ctx;
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.poolProps.location.id = dev;
    OK(cuGraphCreate(&g, 0));
    INVALID(cuGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p)); // no bytes
    p.bytesize = 256;
    OK(cuGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    OK(cuGraphMemAllocNodeGetParams(alloc, &got));
    CHECK(p.dptr && got.dptr == p.dptr && got.bytesize == 256 && got.poolProps.location.id == dev);
    CUDA_MEMSET_NODE_PARAMS f = fill_params(p.dptr, 41, 1);
    OK(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &f, ctx));
    CUgraphNode more = node(g, {fill}, add, p.dptr, 1);
    CUDA_MEMCPY3D c = copy_params(memory, p.dptr, 4);
    OK(cuGraphAddMemcpyNode(&copy, g, &more, 1, &c, ctx));
    OK(cuGraphAddMemFreeNode(&free_, g, &copy, 1, p.dptr));
    INVALID(cuGraphAddMemFreeNode(&free_, g, &copy, 1, memory));
    OK(cuGraphMemFreeNodeGetParams(free_, &freed));
    CHECK(freed == p.dptr);
    OK(cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    OK(cuGraphExecGetFlags(x, &v));
    CHECK(v == CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&second, g, 0)); // one at a time
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, g));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(free_));
    OK(cuGraphLaunch(x, nullptr));
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 42);
    // figures are the device's: no context is needed, and none is made
    OK(cuCtxPopCurrent(&none));
    OK(cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &v));
    CHECK(v > 0);
    v = 0;
    OK(cuDeviceSetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &v));
    INVALID(cuDeviceSetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &v));
    OK(cuDeviceGraphMemTrim(dev));
    OK(cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &v));
    CHECK(v == 0);
    INVALID(cuDeviceGetGraphMemAttribute(dev, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, nullptr));
    IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &v));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphLaunch(x, nullptr));
    OK(cuCtxGetCurrent(&none));
    CHECK(!none);
    OK(cuCtxPushCurrent(ctx));
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
}

static void updates()
{
    CUgraph g, h, cycle;
    CUgraphExec x;
    CUgraphNode a, b, bad = nullptr;
    CUgraphExecUpdateResultInfo info;
    char log[20] = "something";
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphCreate(&h, 0));
    OK(cuGraphCreate(&cycle, 0));
    node(g, {node(g, {}, add, memory, 1)}, multiply, memory, 2);
    CUgraphNode first = node(h, {}, add, memory, 10);
    node(h, {first}, multiply, memory, 3);
    OK(cuGraphInstantiate(&x, g, 0));
    write(memory, 0);
    OK(cuGraphLaunch(x, nullptr));
    OK(cuGraphExecUpdate(x, h, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS && !info.errorNode);
    OK(cuGraphLaunch(x, nullptr));
    CHECK(read(memory) == 36);
    OK(cuGraphDestroyNode(first));
    OK(cuGraphAddEmptyNode(&a, h, nullptr, 0));
    IS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(x, h, &info));
    CHECK(info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS && info.errorNode);
    INVALID(cuGraphExecUpdate(x, nullptr, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR);
    INVALID(cuGraphExecUpdate(x, h, nullptr));
    OK(cuGraphExecDestroy(x));
    INVALID(cuGraphExecDestroy(x));
    OK(cuGraphAddEmptyNode(&a, cycle, nullptr, 0));
    OK(cuGraphAddEmptyNode(&b, cycle, &a, 1));
    OK(cuGraphAddDependencies(cycle, &b, &a, 1));
    CUDA_GRAPH_INSTANTIATE_PARAMS ip = {};
    INVALID(cuGraphInstantiateWithParams(&x, cycle, &ip));
    CHECK(ip.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE && ip.hErrNode_out);
    INVALID(cuGraphInstantiateWithParams(&x, cycle, nullptr));
    INVALID(cuGraphInstantiate_v2(&x, cycle, &bad, log, sizeof log));
    CHECK(bad && !*log);
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(h));
    OK(cuGraphDestroy(cycle));
}

static void captured()
{
    CUstream s;
    CUgraph g, same, inside;
    CUgraphNode copy;
    CUarray a;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    const CUgraphNode *front;
    const CUgraphEdgeData *edges = nullptr;
    size_t n = 9;
    CUdeviceptr p = memory;
    int v = 10;
    void *args[] = {&p, &v};
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuGraphCreate(&g, 0));
    write(memory, 1);
    CUgraphNode first = node(g, {}, add, memory, 1);
    OK(cuStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuLaunchKernel(multiply, 1, 1, 1, 1, 1, 1, 0, s, args, nullptr));
    OK(cuStreamGetCaptureInfo_v3(s, &status, &id, &inside, &front, &edges, &n));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && inside == g && n == 1 && front[0] != first && edges && edges[0].type == 0);
    OK(cuStreamUpdateCaptureDependencies(s, &first, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(cuStreamGetCaptureInfo_v3(s, &status, nullptr, nullptr, &front, nullptr, &n));
    CHECK(n == 2);
    OK(cuStreamUpdateCaptureDependencies_v2(s, &first, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuStreamGetCaptureInfo_v3(s, &status, nullptr, nullptr, &front, nullptr, &n));
    CHECK(n == 1 && front[0] == first);
    IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamEndCapture(s, &same));
    CHECK(same == g);
    OK(cuStreamGetCaptureInfo_v3(s, &status, &id, &inside, &front, &edges, &n));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    INVALID(cuStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies(s, nullptr, 0, 0));
    run(g);
    CHECK(read(memory) == 20);
    OK(cuGraphDestroy(g));
    // a copy from an array is captured as one
    CUDA_ARRAY_DESCRIPTOR desc = {8, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
    CUDA_MEMCPY3D got;
    int out[2] = {}, in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    OK(cuArrayCreate(&a, &desc));
    OK(cuMemcpyHtoA(a, 0, in, sizeof in));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyAtoHAsync(out, a, 8, sizeof out, s));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, &copy, &(n = 1)));
    OK(cuGraphMemcpyNodeGetParams(copy, &got));
    CHECK(got.srcMemoryType == CU_MEMORYTYPE_ARRAY && got.srcArray == a && got.srcXInBytes == 8 && got.WidthInBytes == 8 && got.dstHost == out);
    run(g);
    CHECK(out[0] == 3 && out[1] == 4);
    OK(cuGraphDestroy(g));
    OK(cuArrayDestroy(a));
    OK(cuStreamDestroy(s));
}

static void objects()
{
    static int gone;
    CUuserObject o;
    CUgraph g;
    OK(cuUserObjectCreate(&o, &gone, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuUserObjectRetain(o, 2));
    OK(cuUserObjectRelease(o, 2));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuGraphRetainUserObject(g, o, 2, 0));
    OK(cuGraphReleaseUserObject(g, o, 2));
    INVALID(cuGraphReleaseUserObject(g, o, 2));
    CHECK(!gone);
    OK(cuGraphDestroy(g));
    CHECK(gone == 1);
    INVALID(cuUserObjectRetain(o, 1));
}

// Graphs and user objects are made and go without a context, and make none.
static void without_context()
{
    static int gone;
    CUuserObject o;
    CUgraph g;
    CUcontext none;
    OK(cuCtxPopCurrent(&none));
    OK(cuGraphCreate(&g, 0));
    OK(cuUserObjectCreate(&o, &gone, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuGraphRetainUserObject(g, o, 1, 0));
    OK(cuUserObjectRelease(o, 1));
    OK(cuCtxGetCurrent(&none));
    CHECK(!none && !gone);
    OK(cuCtxPushCurrent(ctx));
    node(g, {}, add, memory, 1);
    write(memory, 0);
    run(g);
    CHECK(read(memory) == 1);
    OK(cuCtxPopCurrent(&none));
    OK(cuGraphDestroy(g));
    CHECK(gone == 1);
    OK(cuCtxPushCurrent(ctx));
}

// p += 1 while p < 10.
static void conditions()
{
    CUgraph g;
    CUgraphNode loop;
    CUgraphConditionalHandle h;
    CUgraphNodeParams n = {};
    CUdeviceptr p = memory;
    int until = 10;
    OK(cuGraphCreate(&g, 0));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphConditionalHandleCreate(&h, g, nullptr, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    INVALID(cuGraphConditionalHandleCreate(nullptr, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    OK(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    n.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    n.conditional.handle = h;
    n.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    n.conditional.size = 1;
    OK(cuGraphAddNode(&loop, g, nullptr, 0, &n));
    CUgraph body = n.conditional.phGraph_out[0];
    CUgraphNode more = node(body, {}, add, memory, 1), asks;
    void *args[] = {&h, &p, &until};
    CUDA_KERNEL_NODE_PARAMS k = kernel_params(deciding, args);
    OK(cuGraphAddKernelNode(&asks, body, &more, 1, &k));
    write(memory, 0);
    run(g);
    CHECK(read(memory) == 10);
    OK(cuGraphDestroy(g));
}

// Nodes of another context: one that is gone, and one of another device.
static void contexts()
{
    CUgraph g;
    CUgraphNode n;
    CUcontext other, now;
    CUdevice second;
    CUmodule mod;
    CUfunction theirs;
    CUdeviceptr p;
    int devices = 0, v = 5;
    OK(cuGraphCreate(&g, 0));
    OK(cuCtxCreate(&other, 0, dev));
    OK(cuCtxDestroy(other));
    CUDA_MEMSET_NODE_PARAMS f = fill_params(memory, 5, 1);
    IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuGraphAddMemsetNode(&n, g, nullptr, 0, &f, other));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuGraphAddMemsetNode(&n, g, nullptr, 0, &f, (CUcontext)&f)); // none at all
    OK(cuCtxGetCurrent(&now));
    CHECK(now == ctx);
    OK(cuDeviceGetCount(&devices));
    if (devices > 1) {
        OK(cuDeviceGet(&second, 1));
        OK(cuCtxCreate(&other, 0, second));
        OK(cuMemAlloc(&p, 64));
        OK(cuCtxSetCurrent(ctx));
        f.dst = p;
        OK(cuGraphAddMemsetNode(&n, g, nullptr, 0, &f, other));
        void *args[] = {&p, &v};
        CUDA_KERNEL_NODE_PARAMS k = kernel_params(nullptr, args);
        k.kern = library_add;
        k.ctx = other;
        OK(cuGraphAddKernelNode(&n, g, &n, 1, &k));
        OK(cuGraphKernelNodeGetParams(n, &k));
        CHECK(k.kern == library_add && k.ctx == other);
        OK(cuCtxGetCurrent(&now));
        CHECK(now == ctx);
        run(g);
        OK(cuCtxSetCurrent(other));
        CHECK(read(p) == 10);
        OK(cuModuleLoadData(&mod, ptx));
        OK(cuModuleGetFunction(&theirs, mod, "add"));
        OK(cuCtxSetCurrent(ctx));
        k = kernel_params(theirs, args); // a function has its context
        k.ctx = ctx;
        OK(cuGraphAddKernelNode(&n, g, &n, 1, &k));
        OK(cuGraphKernelNodeGetParams(n, &k));
        CHECK(k.func == theirs && !k.kern && k.ctx == other);
        run(g);
        OK(cuCtxSetCurrent(other));
        CHECK(read(p) == 15);
        OK(cuModuleUnload(mod));
        OK(cuMemFree(p));
        OK(cuCtxDestroy(other));
        OK(cuCtxSetCurrent(ctx));
    }
    OK(cuGraphDestroy(g));
}

static void picture()
{
    CUgraph g;
    char path[] = "/tmp/heddle-driver-graph-XXXXXX";
    std::string text;
    close(mkstemp(path));
    OK(cuGraphCreate(&g, 0));
    node(g, {node(g, {}, add, memory, 1)}, multiply, memory, 2);
    OK(cuGraphDebugDotPrint(g, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    FILE *f = fopen(path, "r");
    for (int c; f && (c = getc(f)) != EOF;)
        text += (char)c;
    if (f)
        fclose(f);
    remove(path);
    CHECK(text.find("digraph") == 0 && text.find("add") != text.npos && text.find("times(int *, int)") != text.npos && text.find(" -> ") != text.npos);
    OK(cuGraphDestroy(g));
}

int main()
{
    CUmodule mod;
    CUlibrary library;
    OK(cuInit(0));
    OK(cuDeviceGet(&dev, 0));
    OK(cuDevicePrimaryCtxRetain(&ctx, dev));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoadData(&mod, ptx));
    OK(cuModuleGetFunction(&add, mod, "add"));
    OK(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&library_add, library, "add"));
    OK((CUresult)cudaGetFuncBySymbol(&multiply, (const void *)times));
    OK((CUresult)cudaGetFuncBySymbol(&deciding, (const void *)decide));
    OK(cuMemAlloc(&memory, 4096));
    OK(cuMemsetD32(memory, 0, 1024));
    shapes();
    kernels();
    before_cuda_12();
    copies();
    arrays();
    others();
    any();
    memory_nodes();
    updates();
    captured();
    objects();
    without_context();
    conditions();
    contexts();
    picture();
    CHECK(cudaGetLastError() == cudaSuccess); // the runtime's own is left alone
    OK(cuMemFree(memory));
    OK(cuLibraryUnload(library));
    OK(cuModuleUnload(mod));
    printf(wrong ? "FAILED: %d\n" : "PASSED\n", wrong);
    return wrong != 0;
}
