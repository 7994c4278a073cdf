// Graphs: what comes out of launches, whatever way they were made. PASSED at the end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static int failed;
#define CHECK(x)                                                                                                  \
    do {                                                                                                          \
        if (!(x)) {                                                                                               \
            printf("FAILED: %s:%d: %s\n", __FILE__, __LINE__, #x);                                                \
            failed = 1;                                                                                           \
        }                                                                                                         \
    } while (0)
#define OK(x)                                                                                                     \
    do {                                                                                                          \
        cudaError_t e_ = (x);                                                                                     \
        if (e_) {                                                                                                 \
            printf("FAILED: %s:%d: %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorName(e_));                      \
            failed = 1;                                                                                           \
        }                                                                                                         \
    } while (0)

__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void times(int *p, int v) { *p *= v; }
__global__ void sum(int *out, const int *a, const int *b) { *out = *a + *b; }
__global__ void wait_for(volatile int *flag, int *seen) {
    while (!*flag)
        ;
    *seen += 1;
}
__global__ void raise_flag(volatile int *flag) { *flag = 1; }
__device__ int symbol[4];

static int read(const int *p) { int v; OK(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost)); return v; }
static void write(int *p, int v) { OK(cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice)); }
static void count(void *n) { ++*(int *)n; }

static int *memory; // 1024 ints

static cudaGraphNode_t kernel(cudaGraph_t g, std::vector<cudaGraphNode_t> behind, void *f, void **args) {
    cudaKernelNodeParams p = {f, dim3(1), dim3(1), 0, args, nullptr};
    cudaGraphNode_t n;
    OK(cudaGraphAddKernelNode(&n, g, behind.data(), behind.size(), &p));
    return n;
}
static cudaGraphNode_t add_node(cudaGraph_t g, std::vector<cudaGraphNode_t> behind, int *p, int v) { void *a[] = {&p, &v}; return kernel(g, behind, (void *)add, a); }
static cudaGraphNode_t times_node(cudaGraph_t g, std::vector<cudaGraphNode_t> behind, int *p, int v) { void *a[] = {&p, &v}; return kernel(g, behind, (void *)times, a); }

static void run(cudaGraph_t g, cudaStream_t s = 0) {
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g));
    OK(cudaGraphUpload(x, s));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphExecDestroy(x)); // what runs stays
    OK(cudaStreamSynchronize(s));
}

// (((0 + 3) * 5), ((0 + 2) * 7)) in two branches, then their sum: 29, and a copy and a fill by the side.
static void branches() {
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    int *a = memory, *b = memory + 1, *c = memory + 2;
    cudaMemsetParams f = {};
    f.dst = a; f.elementSize = 4; f.width = 2; f.height = 1; f.value = 0;
    cudaGraphNode_t fill, copy, empty;
    OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &f));
    auto a1 = add_node(g, {fill}, a, 3), b1 = add_node(g, {fill}, b, 2);
    auto a2 = times_node(g, {a1}, a, 5), b2 = times_node(g, {b1}, b, 7);
    OK(cudaGraphAddEmptyNode(&empty, g, nullptr, 0));
    cudaGraphNode_t from[] = {a2, b2}, to[] = {empty, empty};
    OK(cudaGraphAddDependencies(g, from, to, 2));
    void *args[] = {&c, &a, &b};
    auto both = kernel(g, {empty}, (void *)sum, args);
    static int out;
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &both, 1, &out, c, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++) {
        out = 0;
        run(g);
        CHECK(out == 29);
    }
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, g));
    cudaGraphNode_t there;
    OK(cudaGraphNodeFindInClone(&there, a1, clone));
    OK(cudaGraphDestroyNode(there)); // a stays 0: only the clone's
    OK(cudaGraphAddDependencies(clone, nullptr, nullptr, 0));
    cudaGraphNode_t a2c, fillc;
    OK(cudaGraphNodeFindInClone(&a2c, a2, clone));
    OK(cudaGraphNodeFindInClone(&fillc, fill, clone));
    OK(cudaGraphAddDependencies(clone, &fillc, &a2c, 1));
    run(clone);
    CHECK(out == 14);
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphRemoveDependencies(g, &a2, &empty, 1));
    size_t n = 0;
    OK(cudaGraphNodeGetDependencies(empty, nullptr, &n));
    CHECK(n == 1);
    OK(cudaGraphNodeGetDependentNodes(fill, nullptr, &n));
    CHECK(n == 2);
    OK(cudaGraphGetNodes(g, nullptr, &n));
    CHECK(n == 8);
    OK(cudaGraphGetRootNodes(g, nullptr, &n));
    CHECK(n == 1);
    OK(cudaGraphGetEdges(g, nullptr, nullptr, &n));
    CHECK(n == 7);
    cudaGraphEdgeData edge = {}, got[8];
    OK(cudaGraphAddDependencies_v2(g, &a2, &empty, &edge, 1));
    OK(cudaGraphNodeGetDependencies_v2(empty, from, got, &(n = 2)));
    OK(cudaGraphNodeGetDependentNodes_v2(a2, from, got, &(n = 2)));
    CHECK(n == 1 && from[0] == empty && got[0].type == 0);
    OK(cudaGraphGetEdges_v2(g, nullptr, nullptr, nullptr, &n));
    OK(cudaGraphRemoveDependencies_v2(g, &a2, &empty, &edge, 1));
    OK(cudaGraphDestroy(g));
}

// Two kernels of a graph that wait for one another: branches run at the same time.
static void at_once() {
    cudaGraph_t g;
    int *flag = memory + 8, *seen = memory + 9;
    write(flag, 0);
    write(seen, 0);
    OK(cudaGraphCreate(&g, 0));
    void *a[] = {&flag, &seen}, *b[] = {&flag};
    kernel(g, {}, (void *)wait_for, a);
    kernel(g, {}, (void *)raise_flag, b);
    run(g);
    CHECK(read(seen) == 1);
    OK(cudaGraphDestroy(g));
}

// What two streams do, captured, with symbols, a host function and an event that others wait for.
static void captured() {
    cudaStream_t s, t, other;
    cudaEvent_t fork, join, told;
    cudaGraph_t g;
    int calls = 0, four[4] = {1, 2, 3, 4}, back[4] = {};
    OK(cudaStreamCreate(&s)); OK(cudaStreamCreate(&t)); OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreate(&fork)); OK(cudaEventCreate(&join)); OK(cudaEventCreate(&told));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyToSymbolAsync(symbol, four, sizeof four, 0, cudaMemcpyHostToDevice, s));
    OK(cudaMemsetAsync(memory, 0, 16, s));
    add<<<1, 1, 0, s>>>(memory, 10);
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork));
    add<<<1, 1, 0, t>>>(memory, 100);
    OK(cudaLaunchHostFunc(t, count, &calls));
    cudaStreamCaptureStatus status;
    cudaGraph_t inside;
    const cudaGraphNode_t *front;
    const cudaGraphEdgeData *edges;
    unsigned long long id, same;
    size_t n;
    OK(cudaStreamGetCaptureInfo_v3(t, &status, &id, &inside, &front, &edges, &n));
    CHECK(status == cudaStreamCaptureStatusActive && n == 1);
    OK(cudaStreamGetCaptureInfo(s, &status, &same));
    CHECK(id == same);
    OK(cudaStreamGetCaptureInfo_v2(other, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join));
    times<<<1, 1, 0, s>>>(memory, 2);
    OK(cudaEventRecordWithFlags(told, s, cudaEventRecordExternal));
    OK(cudaMemcpyFromSymbolAsync(back, symbol, sizeof back, 0, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t x;
    OK(cudaGraphInstantiateWithFlags(&x, g, cudaGraphInstantiateFlagUseNodePriority));
    unsigned long long flags;
    OK(cudaGraphExecGetFlags(x, &flags));
    CHECK(flags == 0);
    OK(cudaGraphDestroy(g)); // what was instantiated needs it no more
    for (int i = 1; i <= 20; i++) {
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamWaitEvent(other, told));
        add<<<1, 1, 0, other>>>(memory + 4, 1);
    }
    OK(cudaStreamSynchronize(other));
    OK(cudaStreamSynchronize(s));
    CHECK(read(memory) == 220 && calls == 20 && !memcmp(back, four, sizeof four));
    OK(cudaGraphExecDestroy(x));
    OK(cudaStreamDestroy(s)); OK(cudaStreamDestroy(t)); OK(cudaStreamDestroy(other));
    OK(cudaEventDestroy(fork)); OK(cudaEventDestroy(join)); OK(cudaEventDestroy(told));
}

static void into_a_graph() {
    cudaStream_t s;
    cudaGraph_t g, same;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&g, 0));
    write(memory, 1);
    auto first = add_node(g, {}, memory, 1);
    OK(cudaStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, cudaStreamCaptureModeThreadLocal));
    times<<<1, 1, 0, s>>>(memory, 10);
    OK(cudaStreamUpdateCaptureDependencies(s, &first, 1, cudaStreamAddCaptureDependencies));
    OK(cudaStreamUpdateCaptureDependencies_v2(s, &first, nullptr, 1, cudaStreamAddCaptureDependencies));
    OK(cudaStreamEndCapture(s, &same));
    CHECK(same == g);
    OK(cudaStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, cudaStreamCaptureModeThreadLocal));
    OK(cudaStreamEndCapture(s, nullptr));
    run(g, s);
    CHECK(read(memory) == 20);
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
}

// A stream that has joined may go before the capture ends; one that has not is missed.
static void gone() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int joined = 0; joined < 2; joined++) {
        cudaStream_t t;
        cudaEvent_t fork, join;
        cudaGraph_t g;
        OK(cudaStreamCreate(&t)); OK(cudaEventCreate(&fork)); OK(cudaEventCreate(&join));
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        OK(cudaEventRecord(fork, s));
        OK(cudaStreamWaitEvent(t, fork));
        add<<<1, 1, 0, t>>>(memory, 5);
        OK(cudaEventRecord(join, t));
        if (joined) OK(cudaStreamWaitEvent(s, join));
        OK(cudaStreamDestroy(t)); OK(cudaEventDestroy(fork)); OK(cudaEventDestroy(join));
        cudaError_t e = cudaStreamEndCapture(s, &g);
        CHECK(e == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        cudaGetLastError();
        if (e) continue;
        write(memory, 1);
        run(g, s);
        CHECK(read(memory) == 6);
        OK(cudaGraphDestroy(g));
    }
    OK(cudaStreamDestroy(s));
}

static void children_and_events() {
    cudaGraph_t outer, child, inside;
    cudaGraphNode_t node, wait, record;
    cudaEvent_t before, after;
    OK(cudaEventCreate(&before)); OK(cudaEventCreate(&after));
    OK(cudaGraphCreate(&outer, 0)); OK(cudaGraphCreate(&child, 0));
    add_node(child, {add_node(child, {}, memory, 1)}, memory, 2);
    OK(cudaGraphAddEventWaitNode(&wait, outer, nullptr, 0, before));
    OK(cudaGraphAddChildGraphNode(&node, outer, &wait, 1, child));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphAddEventRecordNode(&record, outer, &node, 1, after));
    cudaEvent_t got;
    OK(cudaGraphEventWaitNodeGetEvent(wait, &got)); CHECK(got == before);
    OK(cudaGraphEventRecordNodeGetEvent(record, &got)); CHECK(got == after);
    OK(cudaGraphEventRecordNodeSetEvent(record, before));
    OK(cudaGraphEventRecordNodeSetEvent(record, after));
    OK(cudaGraphEventWaitNodeSetEvent(wait, before));
    OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
    size_t n;
    OK(cudaGraphGetNodes(inside, nullptr, &n));
    CHECK(n == 2);
    cudaGraphExec_t x;
    cudaGraphInstantiateParams ip = {};
    OK(cudaGraphInstantiateWithParams(&x, outer, &ip));
    CHECK(ip.result_out == cudaGraphInstantiateSuccess);
    write(memory, 0);
    OK(cudaEventRecord(before, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaEventSynchronize(after));
    CHECK(read(memory) == 3);
    cudaGraph_t other;
    OK(cudaGraphCreate(&other, 0));
    add_node(other, {add_node(other, {}, memory, 10)}, memory, 20);
    OK(cudaGraphExecChildGraphNodeSetParams(x, node, other));
    OK(cudaGraphExecEventRecordNodeSetEvent(x, record, after));
    OK(cudaGraphExecEventWaitNodeSetEvent(x, wait, before));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 33);
    OK(cudaGraphExecDestroy(x)); OK(cudaGraphDestroy(outer)); OK(cudaGraphDestroy(other));
    OK(cudaEventDestroy(before)); OK(cudaEventDestroy(after));
}

// Parameters of nodes, and of their copies in what was instantiated.
static void parameters() {
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    write(memory, 0);
    auto k = add_node(g, {}, memory, 1);
    cudaGraphNode_t host, copy, fill, to, from;
    static int calls, others;
    cudaHostNodeParams h = {count, &calls}, hgot;
    OK(cudaGraphAddHostNode(&host, g, &k, 1, &h));
    OK(cudaGraphHostNodeGetParams(host, &hgot));
    CHECK(hgot.fn == count && hgot.userData == &calls);
    OK(cudaGraphHostNodeSetParams(host, &h));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(memory + 100, 40, 10, 4); c.dstPtr = make_cudaPitchedPtr(memory + 200, 40, 10, 4); c.extent = make_cudaExtent(16, 4, 1); c.kind = cudaMemcpyDeviceToDevice;
    OK(cudaGraphAddMemcpyNode(&copy, g, &k, 1, &c));
    OK(cudaGraphMemcpyNodeGetParams(copy, &c));
    OK(cudaGraphMemcpyNodeSetParams(copy, &c));
    OK(cudaGraphMemcpyNodeSetParams1D(copy, memory + 200, memory + 100, 16, cudaMemcpyDeviceToDevice));
    OK(cudaGraphMemcpyNodeGetParams(copy, &c)); // what was got can be set
    OK(cudaGraphMemcpyNodeSetParams(copy, &c));
    cudaMemsetParams f = {};
    f.dst = memory + 100; f.elementSize = 2; f.width = 8; f.height = 1; f.value = 0x1234;
    OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &f));
    OK(cudaGraphAddDependencies(g, &fill, &copy, 1));
    OK(cudaGraphMemsetNodeGetParams(fill, &f));
    OK(cudaGraphMemsetNodeSetParams(fill, &f));
    static int four[4] = {5, 6, 7, 8}, back[4];
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, symbol, four, sizeof four, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, back, symbol, sizeof back, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, symbol, four, sizeof four, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, back, symbol, sizeof back, 0, cudaMemcpyDeviceToHost));
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0)); // CUDA 11's form
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 1 && calls == 1 && read(memory + 203) == 0x12341234 && back[3] == 8);
    // of the copy alone
    int *p = memory, v = 1000;
    void *args[] = {&p, &v};
    cudaKernelNodeParams kp = {(void *)add, dim3(2), dim3(1), 0, args, nullptr}, was;
    OK(cudaGraphExecKernelNodeSetParams(x, k, &kp));
    h.userData = &others;
    OK(cudaGraphExecHostNodeSetParams(x, host, &h));
    f.value = 7;
    OK(cudaGraphExecMemsetNodeSetParams(x, fill, &f));
    OK(cudaGraphExecMemcpyNodeSetParams1D(x, copy, memory + 300, memory + 100, 16, cudaMemcpyDeviceToDevice));
    four[3] = 80;
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, to, symbol, four, sizeof four, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, from, back, symbol, sizeof back, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecMemcpyNodeSetParams(x, copy, &c));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 2001 && calls == 1 && others == 1 && read(memory + 203) == 0x70007 && back[3] == 80);
    OK(cudaGraphKernelNodeGetParams(k, &was));
    CHECK(was.gridDim.x == 1 && *(int *)was.kernelParams[1] == 1); // the graph's own stayed
    OK(cudaGraphKernelNodeSetParams(k, &kp));
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel = kp;
    v = 5;
    OK(cudaGraphNodeSetParams(k, &any));
    OK(cudaGraphExecNodeSetParams(x, k, &any));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 2011);
    unsigned enabled = 1;
    OK(cudaGraphNodeSetEnabled(x, k, 0));
    OK(cudaGraphNodeGetEnabled(x, k, &enabled));
    OK(cudaGraphLaunch(x, 0));
    CHECK(!enabled && read(memory) == 2011);
    // packed arguments
    struct { int *p; int v; } packed = {memory, 4};
    size_t bytes = 12; // without what aligns the end
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, nullptr};
    cudaKernelNodeParams ep = {(void *)add, dim3(1), dim3(1), 0, nullptr, extra};
    OK(cudaGraphNodeSetEnabled(x, k, 1));
    OK(cudaGraphExecKernelNodeSetParams(x, k, &ep));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 2015);
    cudaLaunchAttributeValue a = {};
    a.priority = -2;
    OK(cudaGraphKernelNodeSetAttribute(k, cudaLaunchAttributePriority, &a));
    a.priority = 0;
    OK(cudaGraphKernelNodeGetAttribute(k, cudaLaunchAttributePriority, &a));
    CHECK(a.priority == -2);
    cudaGraphNode_t second;
    OK(cudaGraphAddNode(&second, g, nullptr, 0, &any));
    OK(cudaGraphKernelNodeCopyAttributes(second, k));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(second, &type));
    CHECK(type == cudaGraphNodeTypeKernel);
    OK(cudaGraphAddNode_v2(&second, g, nullptr, nullptr, 0, &any));
    OK(cudaGraphAddNode(&second, g, nullptr, nullptr, 0, &any)); // CUDA 13's form
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

// One row of a box that lies below the first row and slice: of 4 x 3 x 2 values the last row, to the second of another box.
static void one_row() {
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaStream_t s;
    int in[24], out[8] = {};
    for (int i = 0; i < 24; i++) in[i] = i;
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(in, 16, 4, 3); c.srcPos = make_cudaPos(0, 2, 1);
    c.dstPtr = make_cudaPitchedPtr(out, 16, 4, 2); c.dstPos = make_cudaPos(4, 1, 0);
    c.extent = make_cudaExtent(12, 1, 1); c.kind = cudaMemcpyHostToHost;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemcpyNode(&n, g, nullptr, 0, &c));
    run(g);
    CHECK(out[4] == 0 && out[5] == 20 && out[7] == 22 && out[1] == 0);
    OK(cudaGraphDestroy(g));
    memset(out, 0, sizeof out);
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMemcpy3DAsync(&c, s));
    OK(cudaStreamEndCapture(s, &g));
    run(g, s);
    CHECK(out[4] == 0 && out[5] == 20 && out[7] == 22 && out[1] == 0);
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
}

// An update makes of what was instantiated another graph of the same shape; the old handles go on to be good.
static void updates() {
    cudaGraph_t g, h, other;
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphCreate(&g, 0)); OK(cudaGraphCreate(&h, 0)); OK(cudaGraphCreate(&other, 0));
    auto a = add_node(g, {}, memory, 1);
    times_node(g, {a}, memory, 2);
    times_node(h, {add_node(h, {}, memory, 10)}, memory, 3);
    OK(cudaGraphInstantiate(&x, g, 0));
    write(memory, 0);
    OK(cudaGraphLaunch(x, 0));
    OK(cudaGraphExecUpdate(x, h, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 36);
    OK(cudaGraphNodeSetEnabled(x, a, 0));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 108);
    add_node(other, {}, memory, 1);
    CHECK(cudaGraphExecUpdate(x, other, &info) == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();
    cudaGraphNode_t bad;
    cudaGraphExecUpdateResult result;
    OK(cudaGraphExecUpdate(x, h, &bad, &result)); // CUDA 11's form
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 324);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g)); OK(cudaGraphDestroy(h)); OK(cudaGraphDestroy(other));
}

static void memory_nodes() {
    cudaGraph_t g;
    cudaGraphNode_t alloc, free_, copy;
    cudaMemAllocNodeParams p = {}, got;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 256;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    OK(cudaGraphMemAllocNodeGetParams(alloc, &got));
    CHECK(got.dptr == p.dptr && got.bytesize == 256);
    cudaMemsetParams f = {};
    f.dst = p.dptr; f.elementSize = 4; f.width = 1; f.height = 1; f.value = 40;
    cudaGraphNode_t fill;
    OK(cudaGraphAddMemsetNode(&fill, g, &alloc, 1, &f));
    auto k = add_node(g, {fill}, (int *)p.dptr, 2);
    OK(cudaGraphAddMemcpyNode1D(&copy, g, &k, 1, memory, p.dptr, 4, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemFreeNode(&free_, g, &copy, 1, p.dptr));
    void *which = nullptr;
    OK(cudaGraphMemFreeNodeGetParams(free_, &which));
    CHECK(which == p.dptr);
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 42);
    unsigned long long v = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v));
    CHECK(v > 0);
    v = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &v));
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    // captured, used behind the graph, freed by a stream
    cudaStream_t s;
    int *q;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void **)&q, 64, s));
    OK(cudaMemsetAsync(q, 0, 64, s));
    add<<<1, 1, 0, s>>>(q, 9);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphLaunch(x, s));
    add<<<1, 1, 0, s>>>(q, 1);
    OK(cudaStreamSynchronize(s));
    CHECK(read(q) == 10);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    CHECK(read(q) == 10); // it is the program's until it is freed
    OK(cudaFreeAsync(q, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamDestroy(s));
}

static void objects() {
    static int gone;
    cudaUserObject_t o;
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaUserObjectCreate(&o, &gone, count, 1, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRetain(o, 2));
    OK(cudaUserObjectRelease(o, 2));
    OK(cudaGraphCreate(&g, 0));
    add_node(g, {}, memory, 1);
    OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    OK(cudaGraphRetainUserObject(g, o, 2));
    OK(cudaGraphReleaseUserObject(g, o, 2));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphDestroy(g));
    CHECK(gone == 0);
    OK(cudaGraphLaunch(x, 0));
    OK(cudaGraphExecDestroy(x));
    OK(cudaDeviceSynchronize());
    CHECK(gone == 1);
}

// Something to look at: nodes, edges, a child in a cluster of its own.
static void picture(const char *path) {
    cudaGraph_t g, child;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&g, 0)); OK(cudaGraphCreate(&child, 0));
    add_node(child, {}, memory, 1);
    auto a = times_node(g, {}, memory, 2);
    OK(cudaGraphAddChildGraphNode(&node, g, &a, 1, child));
    OK(cudaGraphDebugDotPrint(g, path, cudaGraphDebugDotFlagsVerbose));
    OK(cudaGraphDestroy(g)); OK(cudaGraphDestroy(child));
    FILE *f = fopen(path, "r");
    std::string text;
    for (int c; f && (c = getc(f)) != EOF;) text += (char)c;
    if (f) fclose(f);
    remove(path);
    CHECK(text.find("digraph dot {") == 0 && text.find("times(int *, int)") != text.npos && text.find("add(int *, int)") != text.npos && text.find(" -> ") != text.npos);
}

__global__ void decide(cudaGraphConditionalHandle h, int *p, int until) { cudaGraphSetConditional(h, *p < until); }
__global__ void choose(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }

static cudaGraphNode_t decide_node(cudaGraph_t g, std::vector<cudaGraphNode_t> behind, cudaGraphConditionalHandle h, int *p, int until) {
    void *a[] = {&h, &p, &until};
    return kernel(g, behind, (void *)decide, a);
}

// do p += 1 while p < 10; if it is 10 then p *= 3; the second of three bodies.
static void conditions() {
    cudaGraph_t g;
    cudaGraphConditionalHandle h, then, which;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    OK(cudaGraphConditionalHandleCreate(&then, g, 0, 0));
    OK(cudaGraphConditionalHandleCreate(&which, g, 2, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    cudaGraphNode_t loop, branch, pick;
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h; p.conditional.type = cudaGraphCondTypeWhile; p.conditional.size = 1;
    OK(cudaGraphAddNode(&loop, g, nullptr, 0, &p));
    cudaGraph_t body = p.conditional.phGraph_out[0];
    decide_node(body, {add_node(body, {}, memory, 1)}, h, memory, 10);
    auto is = decide_node(g, {loop}, then, memory, 11);
    p.conditional.handle = then; p.conditional.type = cudaGraphCondTypeIf;
    OK(cudaGraphAddNode(&branch, g, &is, 1, &p));
    times_node(p.conditional.phGraph_out[0], {}, memory, 3);
    p.conditional.handle = which; p.conditional.type = cudaGraphCondTypeSwitch; p.conditional.size = 3;
    OK(cudaGraphAddNode(&pick, g, &branch, 1, &p));
    for (int i = 0; i < 3; i++) add_node(p.conditional.phGraph_out[i], {}, memory, i * 100);
    cudaGraphExec_t x;
    OK(cudaGraphInstantiate(&x, g, 0));
    write(memory, 0);
    OK(cudaGraphLaunch(x, 0));
    CHECK(read(memory) == 230); // 10 * 3 + 200
    OK(cudaGraphLaunch(x, 0)); // once, as the loop begins; it is not below 11 then; 200 more
    CHECK(read(memory) == 431);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

// Thousands of nodes: a chain, and as many side by side.
static void many() {
    cudaGraph_t g;
    OK(cudaGraphCreate(&g, 0));
    write(memory, 0);
    std::vector<cudaGraphNode_t> last;
    for (int i = 0; i < 300; i++) last = {add_node(g, last, memory, 1)};
    for (int i = 0; i < 300; i++) add_node(g, {}, memory, 1);
    run(g);
    CHECK(read(memory) == 600);
    OK(cudaGraphDestroy(g));
}

int main() {
    const char *name = getenv("TMPDIR");
    OK(cudaMalloc(&memory, 4096));
    OK(cudaMemset(memory, 0, 4096));
    branches();
    if (!getenv("ONE_AT_A_TIME")) at_once();
    captured();
    into_a_graph();
    gone();
    children_and_events();
    parameters();
    one_row();
    updates();
    memory_nodes();
    objects();
    picture((std::string(name ? name : "/tmp") + "/heddle-graphs-" + std::to_string((long)rand()) + ".dot").c_str());
    conditions();
    many();
    OK(cudaFree(memory));
    OK(cudaDeviceSynchronize());
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
