// What the runtime answers of graphs and of stream capture: misuse, orders, parameters, updates. One line a case: chapter, what,
// answers. Builds with nvcc and with heddle; the same text is expected.
#include <cstdio>
#include <cstring>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void one(int *p) { if (p) p[0] += 1; }
__global__ void two(int *p, int v) { if (p) p[0] = p[0] * 2 + v; }
__global__ void other(int *p, int v) { if (p) p[0] -= v; }
__device__ int symbol[4];
static int *memory; // 1 MiB on the device
static int *pinned;
static int pageable[256];
static void host(void *u) { if (u) ++*(int *)u; }
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) {}
static const char *name(cudaError_t e) { cudaGetLastError(); return cudaGetErrorName(e); }

#if CUDART_VERSION >= 13000
#define EDGE_DATA , nullptr
#define NO_EDGE_DATA nullptr,
#else
#define EDGE_DATA
#define NO_EDGE_DATA
#endif
static cudaError_t edges(cudaGraph_t g, cudaGraphNode_t *a, cudaGraphNode_t *b, size_t *n) { return cudaGraphGetEdges(g, a, b EDGE_DATA, n); }
static cudaError_t depends(cudaGraph_t g, const cudaGraphNode_t *a, const cudaGraphNode_t *b, size_t n) { return cudaGraphAddDependencies(g, a, b EDGE_DATA, n); }
static cudaError_t parts(cudaGraph_t g, const cudaGraphNode_t *a, const cudaGraphNode_t *b, size_t n) { return cudaGraphRemoveDependencies(g, a, b EDGE_DATA, n); }
static cudaError_t dependencies(cudaGraphNode_t a, cudaGraphNode_t *b, size_t *n) { return cudaGraphNodeGetDependencies(a, b EDGE_DATA, n); }
static cudaError_t dependents(cudaGraphNode_t a, cudaGraphNode_t *b, size_t *n) { return cudaGraphNodeGetDependentNodes(a, b EDGE_DATA, n); }
static cudaError_t info(cudaStream_t s, cudaStreamCaptureStatus *st, unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d, size_t *n) {
#if CUDART_VERSION >= 13000
  return cudaStreamGetCaptureInfo(s, st, id, g, d, nullptr, n);
#else
  return cudaStreamGetCaptureInfo_v2(s, st, id, g, d, n);
#endif
}
static cudaError_t update_dependencies(cudaStream_t s, cudaGraphNode_t *d, size_t n, unsigned flags) { return cudaStreamUpdateCaptureDependencies(s, d EDGE_DATA, n, flags); }

// ---- capture: a call while a stream captures ----
static cudaStream_t second, nonblocking;
static cudaEvent_t event, done, fresh;
static cudaGraphExec_t ready;

template <class F> static void during(const char *what, cudaStreamCaptureMode mode, unsigned flags, F call) {
  cudaStream_t s;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t g = nullptr;
  size_t n = 0, e = 0;
  cudaStreamCreateWithFlags(&s, flags);
  cudaStreamCreateWithFlags(&second, cudaStreamDefault);
  cudaEventCreate(&event);
  cudaEventCreate(&fresh);
  cudaError_t b = cudaStreamBeginCapture(s, mode);
  cudaError_t r = call(s);
  cudaGetLastError();
  cudaError_t q = cudaStreamIsCapturing(s, &status);
  cudaGetLastError();
  cudaError_t x = cudaStreamEndCapture(s, &g);
  cudaGetLastError();
  if (g) { cudaGraphGetNodes(g, nullptr, &n); edges(g, nullptr, nullptr, &e); }
  printf("capture\t%d\t%d\t%s\t%s\t%s\t%s %d\t%s %s %zu %zu\n", (int)mode, (int)flags, what, cudaGetErrorName(b), cudaGetErrorName(r), cudaGetErrorName(q), (int)status,
         cudaGetErrorName(x), g ? "graph" : "null", n, e);
  fflush(stdout);
  if (g) cudaGraphDestroy(g);
  cudaEventDestroy(event);
  cudaEventDestroy(fresh);
  cudaStreamDestroy(second);
  cudaStreamDestroy(s);
  cudaDeviceSynchronize();
  cudaGetLastError();
}

static void captures(cudaStreamCaptureMode mode, unsigned flags) {
#define DURING(what, ...) during(what, mode, flags, [](cudaStream_t s) -> cudaError_t { (void)s; __VA_ARGS__; })
  DURING("nothing", return cudaSuccess);
  DURING("launch", one<<<1, 1, 0, s>>>(memory); return cudaGetLastError());
  DURING("launch bad", one<<<1, 2000, 0, s>>>(memory); return cudaGetLastError());
  DURING("launch in legacy", one<<<1, 1>>>(memory); return cudaGetLastError());
  DURING("launch in blocking", one<<<1, 1, 0, second>>>(memory); return cudaGetLastError());
  DURING("launch in nonblocking", one<<<1, 1, 0, nonblocking>>>(memory); return cudaGetLastError());
  DURING("launch in per thread", one<<<1, 1, 0, cudaStreamPerThread>>>(memory); return cudaGetLastError());
  DURING("cudaMalloc", void *p = nullptr; cudaError_t e = cudaMalloc(&p, 64); return e);
  DURING("cudaFree null", return cudaFree(nullptr));
  DURING("cudaMallocHost", void *p = nullptr; return cudaMallocHost(&p, 64));
  DURING("cudaMallocManaged", void *p = nullptr; return cudaMallocManaged(&p, 64));
  DURING("cudaMallocAsync", void *p = nullptr; return cudaMallocAsync(&p, 64, s));
  DURING("cudaMallocAsync cudaFreeAsync", void *p = nullptr; cudaMallocAsync(&p, 64, s); return cudaFreeAsync(p, s));
  DURING("cudaMallocAsync in nonblocking", void *p = nullptr; cudaError_t e = cudaMallocAsync(&p, 64, nonblocking); if (!e) cudaFreeAsync(p, nonblocking); return e);
  DURING("cudaMemcpy", return cudaMemcpy(memory, pageable, 64, cudaMemcpyHostToDevice));
  DURING("cudaMemcpy device", return cudaMemcpy(memory, memory + 64, 64, cudaMemcpyDeviceToDevice));
  DURING("cudaMemset", return cudaMemset(memory, 0, 64));
  DURING("cudaMemcpyAsync legacy", return cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice));
  DURING("cudaMemcpyAsync pinned", return cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, s));
  DURING("cudaMemcpyAsync pageable", return cudaMemcpyAsync(memory, pageable, 64, cudaMemcpyHostToDevice, s));
  DURING("cudaMemcpyAsync to pageable", return cudaMemcpyAsync(pageable, memory, 64, cudaMemcpyDeviceToHost, s));
  DURING("cudaMemcpyAsync host", return cudaMemcpyAsync(pinned, pageable, 64, cudaMemcpyHostToHost, s));
  DURING("cudaMemcpyAsync empty", return cudaMemcpyAsync(memory, pinned, 0, cudaMemcpyHostToDevice, s));
  DURING("cudaMemsetAsync", return cudaMemsetAsync(memory, 0, 64, s));
  DURING("cudaMemsetAsync empty", return cudaMemsetAsync(memory, 0, 0, s));
  DURING("cudaMemcpyToSymbolAsync", return cudaMemcpyToSymbolAsync(symbol, pinned, 16, 0, cudaMemcpyHostToDevice, s));
  DURING("cudaMemcpy2DAsync", return cudaMemcpy2DAsync(memory, 64, memory + 1024, 32, 16, 4, cudaMemcpyDeviceToDevice, s));
  DURING("cudaMemset2DAsync", return cudaMemset2DAsync(memory, 64, 1, 16, 4, s));
  DURING("cudaLaunchHostFunc", return cudaLaunchHostFunc(s, host, nullptr));
  DURING("cudaStreamAddCallback", return cudaStreamAddCallback(s, callback, nullptr, 0));
  DURING("cudaDeviceSynchronize", return cudaDeviceSynchronize());
  DURING("cudaStreamSynchronize", return cudaStreamSynchronize(s));
  DURING("cudaStreamQuery", return cudaStreamQuery(s));
  DURING("cudaStreamSynchronize legacy", return cudaStreamSynchronize(0));
  DURING("cudaStreamQuery legacy", return cudaStreamQuery(0));
  DURING("cudaStreamSynchronize blocking", return cudaStreamSynchronize(second));
  DURING("cudaStreamSynchronize nonblocking", return cudaStreamSynchronize(nonblocking));
  DURING("cudaStreamQuery nonblocking", return cudaStreamQuery(nonblocking));
  DURING("cudaEventQuery done", return cudaEventQuery(done));
  DURING("cudaEventSynchronize done", return cudaEventSynchronize(done));
  DURING("cudaEventRecord", return cudaEventRecord(event, s));
  DURING("cudaEventRecord external", return cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
  DURING("cudaStreamWaitEvent external", return cudaStreamWaitEvent(s, done, cudaEventWaitExternal));
  DURING("cudaEventQuery captured", cudaEventRecord(event, s); return cudaEventQuery(event));
  DURING("cudaEventSynchronize captured", cudaEventRecord(event, s); return cudaEventSynchronize(event));
  DURING("cudaEventElapsedTime captured", float t; cudaEventRecord(event, s); return cudaEventElapsedTime(&t, done, event));
  DURING("cudaEventRecord legacy", return cudaEventRecord(event, 0));
  DURING("cudaStreamWaitEvent done", return cudaStreamWaitEvent(s, done, 0));
  DURING("cudaStreamWaitEvent never recorded", return cudaStreamWaitEvent(s, fresh, 0));
  DURING("cudaStreamWaitEvent legacy", cudaEventRecord(event, s); return cudaStreamWaitEvent(0, event, 0));
  DURING("cudaStreamWaitEvent itself", cudaEventRecord(event, s); return cudaStreamWaitEvent(s, event, 0));
  DURING("fork", one<<<1, 1, 0, s>>>(memory); cudaEventRecord(event, s); return cudaStreamWaitEvent(second, event, 0));
  DURING("fork, launch", one<<<1, 1, 0, s>>>(memory); cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); one<<<1, 1, 0, second>>>(memory); return cudaGetLastError());
  DURING("fork, launch, join", one<<<1, 1, 0, s>>>(memory); cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); one<<<1, 1, 0, second>>>(memory);
         one<<<1, 1, 0, s>>>(memory); cudaEventRecord(fresh, second); return cudaStreamWaitEvent(s, fresh, 0));
  DURING("fork, launch, join, launch", one<<<1, 1, 0, s>>>(memory); cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); one<<<1, 1, 0, second>>>(memory);
         one<<<1, 1, 0, s>>>(memory); cudaEventRecord(fresh, second); cudaStreamWaitEvent(s, fresh, 0); one<<<1, 1, 0, s>>>(memory); return cudaGetLastError());
  DURING("join, then more", cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); one<<<1, 1, 0, second>>>(memory); cudaEventRecord(fresh, second);
         cudaStreamWaitEvent(s, fresh, 0); one<<<1, 1, 0, second>>>(memory); return cudaGetLastError());
  DURING("end in the fork", cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); cudaGraph_t g = nullptr; return cudaStreamEndCapture(second, &g));
  DURING("end in a stranger", cudaGraph_t g = nullptr; return cudaStreamEndCapture(second, &g));
  DURING("begin again", return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  DURING("begin in legacy", return cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
  DURING("begin mode 7", return cudaStreamBeginCapture(nonblocking, (cudaStreamCaptureMode)7));
  DURING("merge", cudaGraph_t g = nullptr; cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed); cudaEventRecord(event, second); cudaError_t e = cudaStreamWaitEvent(s, event, 0);
         cudaStreamEndCapture(second, &g); if (g) cudaGraphDestroy(g); return e);
  DURING("cudaGraphLaunch", return cudaGraphLaunch(ready, s));
  DURING("cudaGraphLaunch elsewhere", return cudaGraphLaunch(ready, nonblocking));
  DURING("cudaGraphUpload", return cudaGraphUpload(ready, s));
  DURING("cudaStreamCreate", cudaStream_t t; cudaError_t e = cudaStreamCreate(&t); if (!e) cudaStreamDestroy(t); return e);
  DURING("cudaEventCreate", cudaEvent_t t; cudaError_t e = cudaEventCreate(&t); if (!e) cudaEventDestroy(t); return e);
  DURING("cudaMemGetInfo", size_t a; size_t b; return cudaMemGetInfo(&a, &b));
  DURING("cudaFuncSetAttribute", return cudaFuncSetAttribute(one, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  DURING("cudaStreamGetFlags", unsigned f; return cudaStreamGetFlags(s, &f));
  DURING("cudaMemPrefetchAsync", cudaMemLocation l; l.type = cudaMemLocationTypeDevice; l.id = 0;
#if CUDART_VERSION >= 13000
         return cudaMemPrefetchAsync(memory, 64, l, 0, s)
#else
         return cudaMemPrefetchAsync(memory, 64, 0, s)
#endif
  );
  DURING("update dependencies", one<<<1, 1, 0, s>>>(memory); return update_dependencies(s, nullptr, 0, cudaStreamSetCaptureDependencies));
  DURING("update dependencies flag 5", return update_dependencies(s, nullptr, 0, 5));
  DURING("update dependencies elsewhere", return update_dependencies(second, nullptr, 0, 0));
  DURING("malloc in a thread", cudaError_t e = cudaSuccess; std::thread t([&e] { void *p = nullptr; e = cudaMalloc(&p, 64); if (!e) cudaFree(p); }); t.join(); return e);
  DURING("end in a thread", cudaError_t e = cudaSuccess; cudaGraph_t g = nullptr; std::thread t([&] { e = cudaStreamEndCapture(s, &g); }); t.join(); if (g) cudaGraphDestroy(g); return e);
  DURING("relaxed thread mode", cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed; cudaThreadExchangeStreamCaptureMode(&m); void *p = nullptr; cudaError_t e = cudaMalloc(&p, 64);
         cudaThreadExchangeStreamCaptureMode(&m); return e);
  DURING("after invalidation: launch", cudaStreamWaitEvent(s, done, 0); one<<<1, 1, 0, s>>>(memory); return cudaGetLastError());
  DURING("after invalidation: info", cudaStreamWaitEvent(s, done, 0); cudaStreamCaptureStatus st; unsigned long long id; cudaGraph_t g; return info(s, &st, &id, &g, nullptr, nullptr));
  DURING("after invalidation: begin", cudaStreamWaitEvent(s, done, 0); return cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  DURING("info in legacy", cudaStreamCaptureStatus st; return cudaStreamIsCapturing(0, &st));
#undef DURING
}

// ---- what is captured: types and parameters, in the order of the nodes ----
static cudaGraphNode_t list[64], from[256], to[256];

static int index_of(cudaGraph_t g, cudaGraphNode_t n) {
  size_t m = 64;
  cudaGraphGetNodes(g, list, &m);
  for (size_t i = 0; i < m; i++) if (list[i] == n) return (int)i;
  return -1;
}

static void show(const char *what, cudaGraph_t g) {
  size_t n = 64, m = 256, r = 64;
  cudaGraphNode_t roots[64];
  cudaGraphGetNodes(g, list, &n);
  printf("graph\t%s\ttypes", what);
  for (size_t i = 0; i < n; i++) { cudaGraphNodeType t; cudaGraphNodeGetType(list[i], &t); printf(" %d", (int)t); }
  edges(g, from, to, &m);
  printf("\tedges");
  for (size_t i = 0; i < m; i++) printf(" %d-%d", index_of(g, from[i]), index_of(g, to[i]));
  cudaGraphGetRootNodes(g, roots, &r);
  printf("\troots");
  for (size_t i = 0; i < r; i++) printf(" %d", index_of(g, roots[i]));
  printf("\n");
  for (size_t i = 0; i < n; i++) {
    cudaGraphNode_t a[64]; size_t k = 64;
    cudaGraphGetNodes(g, list, &n);
    cudaGraphNode_t node = list[i];
    printf("node\t%s\t%zu\tdependencies", what, i);
    dependencies(node, a, &k);
    for (size_t j = 0; j < k; j++) printf(" %d", index_of(g, a[j]));
    k = 64;
    dependents(node, a, &k);
    printf("\tdependents");
    for (size_t j = 0; j < k; j++) printf(" %d", index_of(g, a[j]));
    printf("\n");
  }
}

static const char *where(const void *p) {
  static char text[4][32]; static int k; char *t = text[k++ % 4];
  if (!p) return "null";
  if ((const char *)p >= (const char *)memory && (const char *)p < (const char *)memory + (1 << 20)) sprintf(t, "memory+%zd", (const char *)p - (const char *)memory);
  else if ((const char *)p >= (const char *)pinned && (const char *)p < (const char *)pinned + 4096) sprintf(t, "pinned+%zd", (const char *)p - (const char *)pinned);
  else if ((const char *)p >= (const char *)pageable && (const char *)p < (const char *)pageable + sizeof pageable) sprintf(t, "pageable+%zd", (const char *)p - (const char *)pageable);
  else sprintf(t, "else");
  return t;
}

static void parameters(const char *what, cudaGraphNode_t node) {
  cudaGraphNodeType t;
  cudaGraphNodeGetType(node, &t);
  if (t == cudaGraphNodeTypeMemcpy) {
    cudaMemcpy3DParms p;
    cudaError_t e = cudaGraphMemcpyNodeGetParams(node, &p);
    printf("params\t%s\t%s\tsrc %s %zu %zu %zu pos %zu %zu %zu\tdst %s %zu %zu %zu pos %zu %zu %zu\textent %zu %zu %zu kind %d\n", what, name(e), where(p.srcPtr.ptr), p.srcPtr.pitch,
           p.srcPtr.xsize, p.srcPtr.ysize, p.srcPos.x, p.srcPos.y, p.srcPos.z, where(p.dstPtr.ptr), p.dstPtr.pitch, p.dstPtr.xsize, p.dstPtr.ysize, p.dstPos.x, p.dstPos.y, p.dstPos.z,
           p.extent.width, p.extent.height, p.extent.depth, (int)p.kind);
  } else if (t == cudaGraphNodeTypeMemset) {
    cudaMemsetParams p;
    cudaError_t e = cudaGraphMemsetNodeGetParams(node, &p);
    printf("params\t%s\t%s\t%s pitch %zu value %u element %u width %zu height %zu\n", what, name(e), where(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height);
  } else if (t == cudaGraphNodeTypeKernel) {
    cudaKernelNodeParams p;
    cudaError_t e = cudaGraphKernelNodeGetParams(node, &p);
    printf("params\t%s\t%s\t%s grid %u %u %u block %u %u %u shared %u args %s extra %s\n", what, name(e), p.func == (void *)one ? "one" : p.func == (void *)two ? "two" : "else", p.gridDim.x,
           p.gridDim.y, p.gridDim.z, p.blockDim.x, p.blockDim.y, p.blockDim.z, p.sharedMemBytes, p.kernelParams ? where(*(void **)p.kernelParams[0]) : "null", p.extra ? "yes" : "null");
  } else if (t == cudaGraphNodeTypeHost) {
    cudaHostNodeParams p;
    cudaError_t e = cudaGraphHostNodeGetParams(node, &p);
    printf("params\t%s\t%s\t%d %s\n", what, name(e), p.fn == host, where(p.userData));
  } else if (t == cudaGraphNodeTypeMemAlloc) {
    cudaMemAllocNodeParams p;
    cudaError_t e = cudaGraphMemAllocNodeGetParams(node, &p);
    printf("params\t%s\t%s\tbytes %zu type %d handle %d location %d %d access %zu pointer %d\n", what, name(e), p.bytesize, (int)p.poolProps.allocType, (int)p.poolProps.handleTypes,
           (int)p.poolProps.location.type, p.poolProps.location.id, p.accessDescCount, p.dptr != nullptr);
  }
}

template <class F> static void captured(const char *what, F call) {
  cudaStream_t s;
  cudaGraph_t g = nullptr;
  cudaStreamCreate(&s);
  cudaStreamCreate(&second);
  cudaEventCreate(&event);
  cudaEventCreate(&fresh);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  call(s);
  printf("captured\t%s\t%s\n", what, name(cudaStreamEndCapture(s, &g)));
  if (g) {
    show(what, g);
    size_t n = 64; cudaGraphNode_t all[64];
    cudaGraphGetNodes(g, all, &n);
    for (size_t i = 0; i < n; i++) parameters(what, all[i]);
    cudaGraphDestroy(g);
  }
  cudaEventDestroy(event);
  cudaEventDestroy(fresh);
  cudaStreamDestroy(second);
  cudaStreamDestroy(s);
  fflush(stdout);
}

static void contents() {
  captured("launch", [](cudaStream_t s) { one<<<dim3(2, 3), dim3(4, 5, 6), 48, s>>>(memory); });
  captured("three launches", [](cudaStream_t s) { one<<<1, 1, 0, s>>>(memory); two<<<1, 1, 0, s>>>(memory, 1); one<<<1, 1, 0, s>>>(memory); });
  captured("copy pinned", [](cudaStream_t s) { cudaMemcpyAsync(memory, pinned, 100, cudaMemcpyHostToDevice, s); });
  captured("copy default", [](cudaStream_t s) { cudaMemcpyAsync(memory, memory + 1024, 100, cudaMemcpyDefault, s); });
  captured("copy 2D", [](cudaStream_t s) { cudaMemcpy2DAsync(memory, 64, memory + 1024, 32, 16, 4, cudaMemcpyDeviceToDevice, s); });
  captured("copy to pageable", [](cudaStream_t s) { cudaMemcpyAsync(pageable, memory, 64, cudaMemcpyDeviceToHost, s); });
  captured("copy 3D", [](cudaStream_t s) {
    cudaMemcpy3DParms p; memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(memory, 128, 100, 8); p.dstPtr = make_cudaPitchedPtr(memory + 8192, 64, 60, 8); p.srcPos = make_cudaPos(4, 1, 1); p.dstPos = make_cudaPos(8, 0, 2);
    p.extent = make_cudaExtent(16, 3, 2); p.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3DAsync(&p, s); });
  captured("symbol", [](cudaStream_t s) { cudaMemcpyToSymbolAsync(symbol, pinned, 12, 4, cudaMemcpyHostToDevice, s); cudaMemcpyFromSymbolAsync(pinned, symbol, 16, 0, cudaMemcpyDeviceToHost, s); });
  captured("fill", [](cudaStream_t s) { cudaMemsetAsync(memory, 0x155, 64, s); cudaMemset2DAsync(memory, 64, 7, 16, 4, s); });
  captured("host", [](cudaStream_t s) { cudaLaunchHostFunc(s, host, pageable); });
  captured("memory", [](cudaStream_t s) { void *p = nullptr; cudaMallocAsync(&p, 1000, s); one<<<1, 1, 0, s>>>((int *)p); cudaFreeAsync(p, s); });
  captured("events", [](cudaStream_t s) { cudaEventRecordWithFlags(event, s, cudaEventRecordExternal); cudaStreamWaitEvent(s, done, cudaEventWaitExternal); });
  captured("fork and join", [](cudaStream_t s) {
    one<<<1, 1, 0, s>>>(memory); cudaEventRecord(event, s); cudaStreamWaitEvent(second, event, 0); two<<<1, 1, 0, second>>>(memory, 1); one<<<1, 1, 0, s>>>(memory); cudaEventRecord(fresh, second);
    cudaStreamWaitEvent(s, fresh, 0); two<<<1, 1, 0, s>>>(memory, 2); });
  captured("launch of a graph", [](cudaStream_t s) { one<<<1, 1, 0, s>>>(memory); cudaGraphLaunch(ready, s); one<<<1, 1, 0, s>>>(memory); });
  captured("detached", [](cudaStream_t s) { one<<<1, 1, 0, s>>>(memory); update_dependencies(s, nullptr, 0, cudaStreamSetCaptureDependencies); one<<<1, 1, 0, s>>>(memory); });
}

// ---- explicit nodes: misuse ----
static cudaKernelNodeParams kernel(void *f, void **args, unsigned block = 1) {
  cudaKernelNodeParams p; memset(&p, 0, sizeof p);
  p.func = f; p.gridDim = dim3(1); p.blockDim = dim3(block); p.kernelParams = args;
  return p;
}
static void *args_one[1], *args_two[2];
static int value = 3;

static void say(const char *what, cudaError_t e) { printf("call\t%s\t%s\n", what, name(e)); fflush(stdout); }

static void building() {
  cudaGraph_t g, h;
  cudaGraphNode_t a, b, c, x, nodes[8];
  size_t n;
  cudaGraphNodeType type;
  say("create", cudaGraphCreate(&g, 0));
  say("create flags 1", cudaGraphCreate(&h, 1));
  say("create null", cudaGraphCreate(nullptr, 0));
  cudaGraphCreate(&h, 0);
  say("empty", cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  say("empty null", cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
  say("empty null graph", cudaGraphAddEmptyNode(&x, nullptr, nullptr, 0));
  say("empty null list", cudaGraphAddEmptyNode(&x, g, nullptr, 1));
  say("empty behind", cudaGraphAddEmptyNode(&b, g, &a, 1));
  nodes[0] = nodes[1] = a;
  say("empty behind the same twice", cudaGraphAddEmptyNode(&x, g, nodes, 2));
  cudaGraphAddEmptyNode(&x, h, nullptr, 0);
  say("empty behind another graph's", cudaGraphAddEmptyNode(&c, g, &x, 1));
  cudaGraphAddEmptyNode(&c, g, nullptr, 0);
  say("edge", depends(g, &a, &c, 1));
  say("edge again", depends(g, &a, &c, 1));
  say("edge to itself", depends(g, &a, &a, 1));
  say("edge to another graph", depends(g, &a, &x, 1));
  say("edge back", depends(g, &c, &a, 1));
  cudaGraphExec_t exec = nullptr;
  say("instantiate with a cycle", cudaGraphInstantiate(&exec, g, 0));
  say("remove back", parts(g, &c, &a, 1));
  say("remove none", parts(g, &b, &c, 1));
  say("edge none", depends(g, nullptr, nullptr, 0));
  n = 0; say("nodes count", cudaGraphGetNodes(g, nullptr, &n)); printf("value\tnodes\t%zu\n", n);
  n = 1; nodes[0] = nodes[1] = nodes[2] = nullptr; say("nodes of less", cudaGraphGetNodes(g, nodes, &n)); printf("value\tnodes of less\t%zu %d\n", n, nodes[0] == a);
  n = 8; say("nodes of more", cudaGraphGetNodes(g, nodes, &n)); printf("value\tnodes of more\t%zu %d %d\n", n, nodes[0] == a, nodes[7] == nullptr);
  say("nodes null", cudaGraphGetNodes(g, nodes, nullptr));
  n = 8; say("edges one list", edges(g, nodes, nullptr, &n));
  say("type null", cudaGraphNodeGetType(a, nullptr));
  say("type of null", cudaGraphNodeGetType(nullptr, &type));
  say("destroy node", cudaGraphDestroyNode(b));
  n = 8; cudaGraphGetNodes(g, nodes, &n); printf("value\tafter destroy\t%zu\n", n);
  say("destroy null node", cudaGraphDestroyNode(nullptr));
  say("destroy null graph", cudaGraphDestroy(nullptr));

  cudaKernelNodeParams k = kernel((void *)one, args_one), got;
  say("kernel", cudaGraphAddKernelNode(&b, g, nullptr, 0, &k));
  say("kernel null params", cudaGraphAddKernelNode(&x, g, nullptr, 0, nullptr));
  k.func = nullptr; say("kernel null function", cudaGraphAddKernelNode(&x, g, nullptr, 0, &k));
  k.func = (void *)one; k.kernelParams = nullptr; say("kernel null arguments", cudaGraphAddKernelNode(&x, g, nullptr, 0, &k));
  k.kernelParams = args_one; k.blockDim = dim3(2000); say("kernel block 2000", cudaGraphAddKernelNode(&x, g, nullptr, 0, &k));
  k.blockDim = dim3(0); say("kernel block 0", cudaGraphAddKernelNode(&x, g, nullptr, 0, &k));
  k.blockDim = dim3(1); k.sharedMemBytes = 300000; say("kernel shared", cudaGraphAddKernelNode(&x, g, nullptr, 0, &k));
  k.sharedMemBytes = 0;
  say("kernel get", cudaGraphKernelNodeGetParams(b, &got));
  say("kernel get of empty", cudaGraphKernelNodeGetParams(a, &got));
  say("kernel get null", cudaGraphKernelNodeGetParams(b, nullptr));
  k = kernel((void *)two, args_two); say("kernel set another function", cudaGraphKernelNodeSetParams(b, &k));
  say("kernel set of empty", cudaGraphKernelNodeSetParams(a, &k));
  parameters("kernel set", b);

  say("copy 1D", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, memory, pinned, 64, cudaMemcpyHostToDevice));
  parameters("copy 1D", x);
  say("copy 1D wrong kind", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, memory, pinned, 64, cudaMemcpyDeviceToHost));
  say("copy 1D pageable as device", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, pageable, memory, 64, cudaMemcpyDeviceToDevice));
  say("copy 1D kind 9", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, memory, pinned, 64, (cudaMemcpyKind)9));
  say("copy 1D none", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, memory, pinned, 0, cudaMemcpyHostToDevice));
  say("copy 1D null", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, nullptr, pinned, 64, cudaMemcpyHostToDevice));
  say("copy 1D too long", cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, memory, memory + 262100, 1 << 10, cudaMemcpyDeviceToDevice));
  say("copy symbol", cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, symbol, pinned, 8, 4, cudaMemcpyHostToDevice));
  parameters("copy symbol", x);
  say("copy symbol too long", cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, symbol, pinned, 16, 4, cudaMemcpyHostToDevice));
  cudaMemsetParams f; memset(&f, 0, sizeof f); f.dst = memory; f.value = 5; f.elementSize = 4; f.width = 10; f.height = 1;
  say("fill", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  parameters("fill", x);
  f.elementSize = 3; say("fill element 3", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  f.elementSize = 1; f.value = 300; say("fill value 300", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  f.value = 1; f.width = 0; say("fill width 0", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  f.width = 10; f.height = 2; f.pitch = 4; say("fill pitch 4", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  f.height = 1; f.dst = nullptr; say("fill null", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  f.dst = pageable; say("fill pageable", cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f));
  cudaHostNodeParams hp = {host, nullptr};
  say("host", cudaGraphAddHostNode(&x, g, nullptr, 0, &hp));
  hp.fn = nullptr; say("host null", cudaGraphAddHostNode(&x, g, nullptr, 0, &hp));
  say("event record", cudaGraphAddEventRecordNode(&x, g, nullptr, 0, done));
  say("event wait", cudaGraphAddEventWaitNode(&x, g, nullptr, 0, done));
  cudaEvent_t ev; say("event wait get of empty", cudaGraphEventWaitNodeGetEvent(a, &ev));
  say("child", cudaGraphAddChildGraphNode(&x, g, nullptr, 0, h));
  cudaGraph_t inner = nullptr; say("child get", cudaGraphChildGraphNodeGetGraph(x, &inner)); printf("value\tchild is a copy\t%d\n", inner != h);
  say("clone", cudaGraphClone(&h, g));
  cudaGraphNode_t in = nullptr;
  say("find in clone", cudaGraphNodeFindInClone(&in, a, h)); printf("value\tfound\t%d\n", in != nullptr && in != a);
  say("find in another", cudaGraphNodeFindInClone(&in, a, g));
  say("find another's", cudaGraphNodeFindInClone(&in, in, h));

  say("instantiate", cudaGraphInstantiate(&exec, g, 0));
  say("instantiate flags 64", cudaGraphInstantiate(&exec, g, 64));
  say("instantiate null", cudaGraphInstantiate(nullptr, g, 0));
  say("instantiate null graph", cudaGraphInstantiate(&exec, nullptr, 0));
  cudaGraphExec_t again;
  say("instantiate with flags", cudaGraphInstantiateWithFlags(&again, g, cudaGraphInstantiateFlagUseNodePriority));
  unsigned long long flags = 99; say("flags", cudaGraphExecGetFlags(again, &flags)); printf("value\tflags\t%llu\n", flags);
  unsigned enabled = 9;
  say("enabled", cudaGraphNodeGetEnabled(exec, b, &enabled)); printf("value\tenabled\t%u\n", enabled);
  say("disable", cudaGraphNodeSetEnabled(exec, b, 0));
  say("disable empty", cudaGraphNodeSetEnabled(exec, a, 0));
  say("disable a later node", (cudaGraphAddKernelNode(&x, g, nullptr, 0, &k), cudaGraphNodeSetEnabled(exec, x, 0)));
  say("set a later node", cudaGraphExecKernelNodeSetParams(exec, x, &k));
  k = kernel((void *)other, args_two); say("set another function", cudaGraphExecKernelNodeSetParams(exec, b, &k));
  k.blockDim = dim3(3000); say("set block 3000", cudaGraphExecKernelNodeSetParams(exec, b, &k));
  say("set a kernel of empty", cudaGraphExecKernelNodeSetParams(exec, a, &k));
  say("launch null", cudaGraphLaunch(nullptr, 0));
  say("upload", cudaGraphUpload(exec, 0));
  say("destroy exec", cudaGraphExecDestroy(exec));
  say("destroy null exec", cudaGraphExecDestroy(nullptr));
  cudaGraphExecDestroy(again);
  cudaGraphDestroy(g);
  cudaGraphDestroy(h);
  cudaDeviceSynchronize(); cudaGetLastError();
}

// ---- orders of nodes and edges of an explicit graph ----
static void orders() {
  cudaGraph_t g;
  cudaGraphNode_t n[7];
  cudaGraphCreate(&g, 0);
  for (int i = 0; i < 7; i++) cudaGraphAddEmptyNode(&n[i], g, nullptr, 0);
  cudaGraphNode_t f[] = {n[5], n[5], n[0], n[3], n[0], n[6]}, t[] = {n[1], n[0], n[4], n[2], n[2], n[2]};
  depends(g, f, t, 6);
  show("order", g);
  parts(g, &n[0], &n[4], 1);
  depends(g, &n[0], &n[4], 1);
  show("order again", g);
  cudaGraphDestroyNode(n[3]);
  show("order without one", g);
  cudaGraph_t c;
  cudaGraphClone(&c, g);
  show("order of a clone", c);
  cudaGraphDestroy(c);
  cudaGraphDestroy(g);
}

// ---- updates of whole graphs ----
template <class A, class B> static void update(const char *what, A first, B then) {
  cudaGraph_t g, h;
  cudaGraphExec_t exec = nullptr;
  cudaGraphExecUpdateResultInfo r; memset(&r, 0, sizeof r);
  cudaGraphCreate(&g, 0);
  cudaGraphCreate(&h, 0);
  first(g);
  then(h);
  cudaError_t i = cudaGraphInstantiate(&exec, g, 0);
  cudaError_t e = cudaGraphExecUpdate(exec, h, &r);
  cudaGetLastError();
  printf("update\t%s\t%s\t%s\t%d\t%d\t%d\n", what, cudaGetErrorName(i), cudaGetErrorName(e), (int)r.result, r.errorNode ? index_of(h, r.errorNode) : -1, r.errorFromNode ? index_of(h, r.errorFromNode) : -1);
  fflush(stdout);
  if (exec) cudaGraphExecDestroy(exec);
  cudaGraphDestroy(g);
  cudaGraphDestroy(h);
}

static cudaGraphNode_t add_one(cudaGraph_t g, cudaGraphNode_t behind = nullptr, unsigned block = 1) {
  cudaGraphNode_t n; cudaKernelNodeParams k = kernel((void *)one, args_one, block);
  cudaGraphAddKernelNode(&n, g, behind ? &behind : nullptr, behind != nullptr, &k);
  return n;
}
static cudaGraphNode_t add_two(cudaGraph_t g, cudaGraphNode_t behind = nullptr) {
  cudaGraphNode_t n; cudaKernelNodeParams k = kernel((void *)two, args_two);
  cudaGraphAddKernelNode(&n, g, behind ? &behind : nullptr, behind != nullptr, &k);
  return n;
}
static cudaGraphNode_t add_empty(cudaGraph_t g, cudaGraphNode_t behind = nullptr) { cudaGraphNode_t n; cudaGraphAddEmptyNode(&n, g, behind ? &behind : nullptr, behind != nullptr); return n; }
static cudaGraphNode_t add_copy(cudaGraph_t g, void *d, const void *s, size_t n, cudaMemcpyKind k = cudaMemcpyDefault) { cudaGraphNode_t x; cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, d, s, n, k); return x; }
static cudaGraphNode_t add_fill(cudaGraph_t g, unsigned value, size_t width, size_t height = 1, unsigned element = 1) {
  cudaGraphNode_t x; cudaMemsetParams f; memset(&f, 0, sizeof f); f.dst = memory; f.value = value; f.elementSize = element; f.width = width; f.height = height; f.pitch = 256;
  cudaGraphAddMemsetNode(&x, g, nullptr, 0, &f); return x;
}
static void add_host(cudaGraph_t g, void *u) { cudaGraphNode_t x; cudaHostNodeParams p = {host, u}; cudaGraphAddHostNode(&x, g, nullptr, 0, &p); }

static void updates() {
  typedef cudaGraph_t G;
  update("same", [](G g) { add_one(g, add_one(g)); }, [](G g) { add_one(g, add_one(g)); });
  update("other block", [](G g) { add_one(g); }, [](G g) { add_one(g, nullptr, 64); });
  update("one more", [](G g) { add_one(g); }, [](G g) { add_one(g); add_one(g); });
  update("one less", [](G g) { add_one(g); add_one(g); }, [](G g) { add_one(g); });
  update("one edge more", [](G g) { add_one(g); add_one(g); }, [](G g) { add_one(g, add_one(g)); });
  update("one edge less", [](G g) { add_one(g, add_one(g)); }, [](G g) { add_one(g); add_one(g); });
  update("other edge", [](G g) { auto a = add_one(g); auto b = add_one(g); add_one(g, a); (void)b; }, [](G g) { auto a = add_one(g); auto b = add_one(g); add_one(g, b); (void)a; });
  update("other type", [](G g) { add_one(g); }, [](G g) { add_empty(g); });
  update("other function", [](G g) { add_one(g); }, [](G g) { add_two(g); });
  update("order of types", [](G g) { add_one(g); add_empty(g); }, [](G g) { add_empty(g); add_one(g); });
  update("order of kernels", [](G g) { add_one(g); add_two(g); }, [](G g) { add_two(g); add_one(g); });
  update("copy elsewhere", [](G g) { add_copy(g, memory, memory + 1024, 64); }, [](G g) { add_copy(g, memory + 64, memory + 2048, 64); });
  update("copy more", [](G g) { add_copy(g, memory, memory + 1024, 64); }, [](G g) { add_copy(g, memory, memory + 1024, 128); });
  update("copy other kind", [](G g) { add_copy(g, memory, memory + 1024, 64, cudaMemcpyDeviceToDevice); }, [](G g) { add_copy(g, memory, memory + 1024, 64, cudaMemcpyDefault); });
  update("copy from host", [](G g) { add_copy(g, memory, memory + 1024, 64); }, [](G g) { add_copy(g, memory, pinned, 64); });
  update("copy from pageable", [](G g) { add_copy(g, memory, pinned, 64); }, [](G g) { add_copy(g, memory, pageable, 64); });
  update("fill value", [](G g) { add_fill(g, 1, 16); }, [](G g) { add_fill(g, 2, 16); });
  update("fill width", [](G g) { add_fill(g, 1, 16); }, [](G g) { add_fill(g, 1, 32); });
  update("fill 2D", [](G g) { add_fill(g, 1, 16); }, [](G g) { add_fill(g, 1, 16, 4); });
  update("fill 2D more", [](G g) { add_fill(g, 1, 16, 4); }, [](G g) { add_fill(g, 1, 16, 8); });
  update("fill element", [](G g) { add_fill(g, 1, 16); }, [](G g) { add_fill(g, 1, 16, 1, 4); });
  update("host data", [](G g) { add_host(g, nullptr); }, [](G g) { add_host(g, &value); });
  update("child", [](G g) { G c; cudaGraphNode_t x; cudaGraphCreate(&c, 0); add_one(c); cudaGraphAddChildGraphNode(&x, g, nullptr, 0, c); cudaGraphDestroy(c); },
         [](G g) { G c; cudaGraphNode_t x; cudaGraphCreate(&c, 0); add_one(c, nullptr, 8); cudaGraphAddChildGraphNode(&x, g, nullptr, 0, c); cudaGraphDestroy(c); });
  update("child with one more", [](G g) { G c; cudaGraphNode_t x; cudaGraphCreate(&c, 0); add_one(c); cudaGraphAddChildGraphNode(&x, g, nullptr, 0, c); cudaGraphDestroy(c); },
         [](G g) { G c; cudaGraphNode_t x; cudaGraphCreate(&c, 0); add_one(c); add_one(c); cudaGraphAddChildGraphNode(&x, g, nullptr, 0, c); cudaGraphDestroy(c); });
  update("event", [](G g) { cudaGraphNode_t x; cudaGraphAddEventRecordNode(&x, g, nullptr, 0, done); }, [](G g) { cudaGraphNode_t x; cudaGraphAddEventWaitNode(&x, g, nullptr, 0, done); });
}

// ---- memory nodes ----
static cudaMemAllocNodeParams allocation(size_t bytes) {
  cudaMemAllocNodeParams p; memset(&p, 0, sizeof p);
  p.poolProps.allocType = cudaMemAllocationTypePinned; p.poolProps.location.type = cudaMemLocationTypeDevice; p.poolProps.location.id = 0; p.bytesize = bytes;
  return p;
}

static void attributes(const char *what) {
  unsigned long long v[4] = {9, 9, 9, 9};
  for (int i = 0; i < 4; i++) cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, &v[i]);
  printf("memory\t%s\tused %llu high %llu\treserved %llu high %llu\n", what, v[0], v[1], v[2], v[3]);
}

static void memory_nodes() {
  cudaGraph_t g, c;
  cudaGraphNode_t a, f, x;
  cudaGraphExec_t exec, again;
  cudaMemAllocNodeParams p = allocation(1000);
  attributes("at first");
  cudaGraphCreate(&g, 0);
  say("alloc", cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  printf("value\talloc pointer\t%d\n", p.dptr != nullptr);
  parameters("alloc", a);
  cudaMemAllocNodeParams q = allocation(0); say("alloc none", cudaGraphAddMemAllocNode(&x, g, nullptr, 0, &q));
  q = allocation(64); q.poolProps.allocType = cudaMemAllocationTypeInvalid; say("alloc type 0", cudaGraphAddMemAllocNode(&x, g, nullptr, 0, &q));
  q = allocation(64); q.poolProps.location.type = cudaMemLocationTypeInvalid; say("alloc nowhere", cudaGraphAddMemAllocNode(&x, g, nullptr, 0, &q));
  q = allocation(64); q.poolProps.location.id = 77; say("alloc device 77", cudaGraphAddMemAllocNode(&x, g, nullptr, 0, &q));
  say("clone with memory", cudaGraphClone(&c, g));
  cudaGraph_t outer; cudaGraphCreate(&outer, 0);
  say("child with memory", cudaGraphAddChildGraphNode(&x, outer, nullptr, 0, g));
  cudaGraphDestroy(outer);
  say("instantiate", cudaGraphInstantiate(&exec, g, 0));
  say("instantiate twice", cudaGraphInstantiate(&again, g, 0));
  say("destroy alloc node", cudaGraphDestroyNode(a));
  say("add after instantiation", cudaGraphAddEmptyNode(&x, g, nullptr, 0));
  attributes("instantiated");
  say("launch", cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  attributes("launched");
  say("launch twice", cudaGraphLaunch(exec, 0));
  say("cudaFree", cudaFree(p.dptr));
  attributes("freed");
  say("cudaFree again", cudaFree(p.dptr));
  say("launch after free", cudaGraphLaunch(exec, 0));
  say("cudaFreeAsync", cudaFreeAsync(p.dptr, 0));
  cudaDeviceSynchronize();
  say("trim", cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  unsigned long long zero = 0, five = 5;
  say("set high", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  say("set high 5", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &five));
  say("set current", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
  attributes("set");
  say("destroy exec", cudaGraphExecDestroy(exec));
  say("instantiate after the exec", cudaGraphInstantiate(&again, g, 0));
  cudaGraphExecDestroy(again);
  say("free without alloc", cudaGraphAddMemFreeNode(&f, g, nullptr, 0, memory));
  say("free null", cudaGraphAddMemFreeNode(&f, g, nullptr, 0, nullptr));
  say("destroy", cudaGraphDestroy(g));

  cudaGraphCreate(&g, 0);
  p = allocation(1000);
  cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p);
  say("free unordered", cudaGraphAddMemFreeNode(&f, g, nullptr, 0, p.dptr));
  say("free", cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
  say("free twice", cudaGraphAddMemFreeNode(&x, g, &a, 1, p.dptr));
  void *got = nullptr; say("free get", cudaGraphMemFreeNodeGetParams(f, &got)); printf("value\tfree get\t%d\n", got == p.dptr);
  say("remove the edge", parts(g, &a, &f, 1));
  say("instantiate", cudaGraphInstantiate(&exec, g, 0));
  say("launch", cudaGraphLaunch(exec, 0));
  say("launch twice", cudaGraphLaunch(exec, 0));
  cudaDeviceSynchronize();
  attributes("freed within");
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(g);
  attributes("destroyed");

  cudaGraphCreate(&g, 0);
  p = allocation(1000);
  cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p);
  say("instantiate to free on launch", cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  say("launch", cudaGraphLaunch(exec, 0));
  say("launch twice", cudaGraphLaunch(exec, 0));
  say("destroy exec with memory", cudaGraphExecDestroy(exec));
  say("destroy graph with memory", cudaGraphDestroy(g));
  say("cudaFree behind them", cudaFree(p.dptr));
  cudaDeviceSynchronize();
  cudaGetLastError();
  attributes("at last");
}

// ---- instantiation with parameters, user objects, priorities ----
static void rest() {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  cudaGraphInstantiateParams ip; memset(&ip, 0, sizeof ip);
  cudaGraphCreate(&g, 0);
  cudaGraphNode_t a = add_one(g), b = add_one(g, a);
  say("with params", cudaGraphInstantiateWithParams(&exec, g, &ip)); printf("value\tresult\t%d %d\n", (int)ip.result_out, ip.errNode_out == nullptr);
  cudaGraphExecDestroy(exec);
  depends(g, &b, &a, 1);
  memset(&ip, 0, sizeof ip);
  say("with params and a cycle", cudaGraphInstantiateWithParams(&exec, g, &ip)); printf("value\tresult\t%d %d\n", (int)ip.result_out, ip.errNode_out == nullptr);
  parts(g, &b, &a, 1);
  memset(&ip, 0, sizeof ip); ip.flags = cudaGraphInstantiateFlagUpload;
  say("with upload", cudaGraphInstantiateWithParams(&exec, g, &ip)); printf("value\tresult\t%d\n", (int)ip.result_out);
  cudaGraphExecDestroy(exec);
  cudaGraphNodeParams np = {cudaGraphNodeTypeEmpty};
  cudaGraphNode_t x;
#if CUDART_VERSION >= 13000
  say("add node empty", cudaGraphAddNode(&x, g, &a, nullptr, 1, &np));
#else
  say("add node empty", cudaGraphAddNode(&x, g, &a, 1, &np));
#endif
  cudaLaunchAttributeValue v; memset(&v, 0, sizeof v);
  say("attribute priority", cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v)); printf("value\tpriority\t%d\n", v.priority);
  v.priority = -3; say("attribute set", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
  v.priority = 9; say("attribute set 9", cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
  say("attribute get", cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v)); printf("value\tpriority\t%d\n", v.priority);
  say("attribute of empty", cudaGraphKernelNodeGetAttribute(x, cudaLaunchAttributePriority, &v));
  say("attribute copy", cudaGraphKernelNodeCopyAttributes(b, a));
  cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v); printf("value\tcopied\t%d\n", v.priority);
  static int calls;
  cudaUserObject_t o;
  say("object", cudaUserObjectCreate(&o, &calls, host, 2, cudaUserObjectNoDestructorSync));
  say("object flags 0", cudaUserObjectCreate(&o, &calls, host, 1, 0));
  say("object count 0", cudaUserObjectCreate(&o, &calls, host, 0, cudaUserObjectNoDestructorSync));
  cudaUserObjectCreate(&o, &calls, host, 2, cudaUserObjectNoDestructorSync);
  say("retain", cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
  say("retain 0", cudaGraphRetainUserObject(g, o, 0, 0));
  say("release", cudaUserObjectRelease(o, 1));
  printf("value\tcalls\t%d\n", calls);
  say("instantiate", cudaGraphInstantiate(&exec, g, 0));
  say("release from graph", cudaGraphReleaseUserObject(g, o, 1));
  cudaDeviceSynchronize();
  printf("value\tcalls\t%d\n", calls);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(g);
  cudaDeviceSynchronize();
}

// ---- what comes out ----
static int read(int *p) { int v; cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost); return v; }

static void results() {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  cudaStream_t s;
  int zero = 0, count = 0;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  two<<<1, 1, 0, s>>>(memory, 1);
  cudaLaunchHostFunc(s, host, &count);
  two<<<1, 1, 0, s>>>(memory, 2);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&exec, g, 0);
  cudaMemcpy(memory, &zero, sizeof zero, cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  printf("result\tthree launches\t%d %d\n", read(memory), count);
  size_t n = 64;
  cudaGraphGetNodes(g, list, &n);
  cudaGraphNode_t first = list[0];
  int v = 5; void *args[] = {&memory, &v};
  cudaKernelNodeParams k = kernel((void *)two, args);
  cudaGraphExecKernelNodeSetParams(exec, first, &k);
  v = 100; // copied at the call
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  printf("result\tother argument\t%d\n", read(memory));
  cudaGraphNodeSetEnabled(exec, first, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  printf("result\tdisabled\t%d\n", read(memory));
  cudaGraphDestroy(g);
  cudaGraphLaunch(exec, s);
  cudaGraphExecDestroy(exec);
  cudaStreamSynchronize(s);
  printf("result\tgraph and exec destroyed\t%d %d\n", read(memory), count);
  cudaStreamDestroy(s);
}

static void risky() {
  cudaGraph_t g;
  cudaGraphCreate(&g, 0);
  add_one(g);
  say("remove null", parts(g, nullptr, nullptr, 1));
  say("edge null", depends(g, nullptr, nullptr, 1));
  say("instantiate null graph", cudaGraphInstantiate(&ready, nullptr, 0));
  say("destroy null exec", cudaGraphExecDestroy(nullptr));
}

// An H200 (driver 580.159.04, CUDA 13.0) crashes here.
static void itself() {
  cudaGraph_t g;
  cudaGraphNode_t x;
  cudaGraphCreate(&g, 0);
  add_one(g);
  say("child of itself", cudaGraphAddChildGraphNode(&x, g, nullptr, 0, g));
}

static void begin() {
  cudaMalloc(&memory, 1 << 20);
  cudaMemset(memory, 0, 1 << 20);
  cudaMallocHost(&pinned, 4096);
  args_one[0] = &memory; args_two[0] = &memory; args_two[1] = &value;
  cudaEventCreate(&done);
  cudaEventRecord(done, 0);
  cudaStreamCreateWithFlags(&nonblocking, cudaStreamNonBlocking);
  cudaGraph_t g;
  cudaGraphCreate(&g, 0);
  add_one(g);
  cudaGraphInstantiate(&ready, g, 0);
  cudaDeviceSynchronize();
}

// Each chapter in a process of its own, so that one that crashes takes no other with it. An argument: that chapter alone.
int main(int argc, char **argv) {
  const char *chapters[] = {"results", "capture 0 0", "capture 0 1", "capture 1 0", "capture 1 1", "capture 2 0", "capture 2 1", "contents", "building", "orders", "updates", "memory", "rest", "risky", "itself"};
  if (argc < 2) {
    for (const char *c : chapters) {
      fflush(stdout);
      pid_t p = fork();
      if (!p) { execl("/proc/self/exe", argv[0], c, (char *)nullptr); _exit(127); }
      int status;
      waitpid(p, &status, 0);
      printf("chapter\t%s\t%d\n", c, status);
    }
    return 0;
  }
  const char *c = argv[1];
  begin();
  if (!strncmp(c, "capture ", 8)) captures((cudaStreamCaptureMode)(c[8] - '0'), (unsigned)(c[10] - '0'));
  if (!strcmp(c, "results")) results();
  if (!strcmp(c, "contents")) contents();
  if (!strcmp(c, "building")) building();
  if (!strcmp(c, "orders")) orders();
  if (!strcmp(c, "updates")) updates();
  if (!strcmp(c, "memory")) memory_nodes();
  if (!strcmp(c, "rest")) rest();
  if (!strcmp(c, "risky")) risky();
  if (!strcmp(c, "itself")) itself();
  printf("end\t%s\n", name(cudaDeviceSynchronize()));
}
