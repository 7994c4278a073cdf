// What the runtime of the device answers: kernels that launch kernels, their order, errors, device-side calls. One line a case.
// nvcc -arch=sm_90 -rdc=true launches.cu -lcudadevrt
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct answers {
  int n;
  struct { char what[40]; long long v[4]; } a[256];
};

static __device__ void tell(answers *r, const char *what, long long a = 0, long long b = 0, long long c = 0, long long d = 0) {
  int i = atomicAdd(&r->n, 1);
  if (i >= 256) return;
  int j = 0;
  for (; what[j] && j < 39; j++) r->a[i].what[j] = what[j];
  r->a[i].what[j] = 0;
  r->a[i].v[0] = a; r->a[i].v[1] = b; r->a[i].v[2] = c; r->a[i].v[3] = d;
}

__global__ void nothing() {}
__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void mark(int *next, int *place, int which) { if (threadIdx.x == 0) place[which] = atomicAdd(next, 1); }
__global__ void slow(int *next, int *place, int which) {
  long long begin = clock64();
  while (clock64() - begin < 200000) ;
  if (threadIdx.x == 0) place[which] = atomicAdd(next, 1);
}
__global__ void __launch_bounds__(64) bounded() {}
struct large { int v[300]; };
__global__ void sum(large l, long long *out, char c) { long long s = 0; for (int v : l.v) s += v; *out = s * 1000 + c; }

// ---- configurations ----
__global__ void configurations(answers *r) {
  tell(r, "at first", cudaGetLastError(), cudaPeekAtLastError());
  nothing<<<1, 1>>>(); tell(r, "1 1", cudaGetLastError());
  nothing<<<1, 0>>>(); tell(r, "block 0", cudaGetLastError());
  nothing<<<0, 1>>>(); tell(r, "grid 0", cudaGetLastError());
  nothing<<<1, 1024>>>(); tell(r, "block 1024", cudaGetLastError());
  nothing<<<1, 1025>>>(); tell(r, "block 1025", cudaGetLastError());
  nothing<<<1, dim3(1, 1, 65)>>>(); tell(r, "block z 65", cudaGetLastError());
  nothing<<<dim3(1, 65536), 1>>>(); tell(r, "grid y 65536", cudaGetLastError());
  nothing<<<1, 1, 48 << 10>>>(); tell(r, "shared 49152", cudaGetLastError());
  nothing<<<1, 1, 49153>>>(); tell(r, "shared 49153", cudaGetLastError());
  bounded<<<1, 64>>>(); tell(r, "bounds 64, block 64", cudaGetLastError());
  bounded<<<1, 65>>>(); tell(r, "bounds 64, block 65", cudaGetLastError());
  nothing<<<1, 0>>>(); tell(r, "peek", cudaPeekAtLastError(), cudaPeekAtLastError(), cudaGetLastError(), cudaGetLastError());
  nothing<<<1, 0>>>(); nothing<<<1, 1>>>(); tell(r, "bad then good", cudaGetLastError());
}

// ---- orders ----
__global__ void in_order(int *next, int *place) {
  slow<<<1, 32>>>(next, place, 0);
  mark<<<1, 32>>>(next, place, 1);
  mark<<<1, 32, 0, cudaStreamTailLaunch>>>(next, place, 2);
  mark<<<1, 32>>>(next, place, 3);
  mark<<<1, 32, 0, cudaStreamTailLaunch>>>(next, place, 4);
}
__global__ void forgets(int *next, int *place) {
  slow<<<1, 32, 0, cudaStreamFireAndForget>>>(next, place, 0);
  slow<<<1, 32, 0, cudaStreamFireAndForget>>>(next, place, 0);
  mark<<<1, 32, 0, cudaStreamTailLaunch>>>(next, place, 1);
}
__global__ void inner(int *next, int *place, int at) {
  mark<<<1, 32, 0, cudaStreamTailLaunch>>>(next, place, at + 1);
  slow<<<1, 32>>>(next, place, at);
}
__global__ void outer(int *next, int *place) {
  inner<<<1, 1>>>(next, place, 0);
  mark<<<1, 32>>>(next, place, 2); // behind the inner one and all it launched
  mark<<<1, 32, 0, cudaStreamTailLaunch>>>(next, place, 3);
}
__global__ void tail_of_tail(int *next, int *place, int depth) {
  if (depth < 3) tail_of_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(next, place, depth + 1);
  place[depth] = atomicAdd(next, 1);
}
__global__ void many_blocks(int *count) {
  add<<<4, 8>>>(count, 1);
  if (threadIdx.x == 0) add<<<1, 1>>>(count, 1000);
}
__global__ void streams(answers *r, int *next, int *place) {
  cudaStream_t s, t;
  cudaEvent_t e;
  tell(r, "stream default flags", cudaStreamCreateWithFlags(&t, cudaStreamDefault));
  cudaGetLastError();
  tell(r, "stream nonblocking", cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  tell(r, "event default flags", cudaEventCreateWithFlags(&e, cudaEventDefault));
  cudaGetLastError();
  tell(r, "event", cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  slow<<<1, 32, 0, s>>>(next, place, 0);
  mark<<<1, 32, 0, s>>>(next, place, 1);
  tell(r, "record", cudaEventRecord(e, s));
  tell(r, "wait", cudaStreamWaitEvent(t, e, 0));
  mark<<<1, 32, 0, t>>>(next, place, 2);
  tell(r, "record in tail", cudaEventRecord(e, cudaStreamTailLaunch));
  tell(r, "record in forget", cudaEventRecord(e, cudaStreamFireAndForget));
  tell(r, "wait in tail", cudaStreamWaitEvent(cudaStreamTailLaunch, e, 0));
  tell(r, "wait in forget", cudaStreamWaitEvent(cudaStreamFireAndForget, e, 0));
  tell(r, "destroy event", cudaEventDestroy(e));
  tell(r, "destroy stream", cudaStreamDestroy(s), cudaStreamDestroy(t));
  tell(r, "destroy null stream", cudaStreamDestroy(nullptr));
  tell(r, "last", cudaGetLastError());
}

// ---- the other calls ----
__global__ void calls(answers *r, char *p, char *q) {
  int d = -1, v = -1, blocks = -1;
  tell(r, "cudaGetDevice", cudaGetDevice(&d), d);
  tell(r, "cudaGetDeviceCount", cudaGetDeviceCount(&d), d);
  tell(r, "max threads", cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 0), v);
  tell(r, "multiprocessors", cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0), v);
  tell(r, "attribute 9999", cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
  tell(r, "device 5", cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 5));
  cudaFuncAttributes a;
  tell(r, "cudaFuncGetAttributes", cudaFuncGetAttributes(&a, bounded), a.maxThreadsPerBlock, (long long)a.sharedSizeBytes);
  tell(r, "occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128, 0), blocks);
  size_t limit = 0;
  tell(r, "stack", cudaDeviceGetLimit(&limit, cudaLimitStackSize), (long long)limit);
  tell(r, "version", cudaRuntimeGetVersion(&v));
  void *m = nullptr;
  tell(r, "cudaMalloc", cudaMalloc(&m, 100), m != nullptr, (long long)((size_t)m % 16));
  tell(r, "cudaFree", cudaFree(m), cudaFree(nullptr));
  tell(r, "cudaMalloc 0", cudaMalloc(&m, 0), m != nullptr);
  tell(r, "cudaMalloc much", cudaMalloc(&m, (size_t)1 << 40), m != nullptr);
  tell(r, "last", cudaGetLastError());
  tell(r, "cudaMemsetAsync", cudaMemsetAsync(p, 7, 64, 0));
  tell(r, "cudaMemcpyAsync", cudaMemcpyAsync(q, p, 64, cudaMemcpyDeviceToDevice, 0));
  tell(r, "cudaMemcpyAsync HostToDevice", cudaMemcpyAsync(q, p, 64, cudaMemcpyHostToDevice, 0));
  tell(r, "cudaMemcpy2DAsync", cudaMemcpy2DAsync(q + 128, 16, p, 32, 8, 2, cudaMemcpyDeviceToDevice, 0));
  tell(r, "cudaMemset2DAsync", cudaMemset2DAsync(q + 256, 16, 3, 8, 2, 0));
  tell(r, "last", cudaGetLastError());
  tell(r, "text", cudaGetErrorString(cudaErrorInvalidValue)[0], cudaGetErrorName(cudaErrorInvalidValue)[5]);
}

// Copies and fills alone, each in a kernel of its own.
__global__ void fills(answers *r, char *p) { tell(r, "fill", cudaMemsetAsync(p, 7, 64, 0), cudaGetLastError()); }
__global__ void copies(answers *r, char *p, char *q) { tell(r, "copy", cudaMemcpyAsync(q, p, 64, cudaMemcpyDeviceToDevice, 0), cudaGetLastError()); }
__global__ void copies_back(answers *r, char *p, char *q) { tell(r, "copy", cudaMemcpyAsync(q, p, 64, cudaMemcpyDefault, 0), cudaGetLastError()); }

__global__ void depth(answers *r, int level, int *deepest) {
  atomicMax(deepest, level);
  if (level < 30) {
    depth<<<1, 1>>>(r, level + 1, deepest);
    cudaError_t e = cudaGetLastError();
    if (e) tell(r, "depth", level, e);
  }
}

__global__ void flood(answers *r, int *count, int n, int stream) {
  int failed = 0, first = 0;
  for (int i = 0; i < n; i++) {
    if (stream == 0) add<<<1, 1>>>(count, 1);
    else if (stream == 1) add<<<1, 1, 0, cudaStreamFireAndForget>>>(count, 1);
    else add<<<1, 1, 0, cudaStreamTailLaunch>>>(count, 1);
    cudaError_t e = cudaGetLastError();
    if (e) { failed++; if (!first) first = e; }
  }
  tell(r, "flood", failed > 0, first);
}

__global__ void arguments(long long *out) {
  large l;
  for (int i = 0; i < 300; i++) l.v[i] = i;
  sum<<<1, 1>>>(l, out, 'x');
}

__global__ void sees(int *p) { // the child sees what the parent wrote before
  p[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  if (threadIdx.x == 0) add<<<1, 1>>>(p, 100);
}

// ---- host ----
static answers *r;
static int *next_, *place;

static void show(const char *chapter) {
  cudaError_t e = cudaDeviceSynchronize();
  static answers h;
  cudaMemcpy(&h, r, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < h.n && i < 256; i++) printf("%s\t%s\t%lld %lld %lld %lld\n", chapter, h.a[i].what, h.a[i].v[0], h.a[i].v[1], h.a[i].v[2], h.a[i].v[3]);
  printf("%s\tend\t%s\n", chapter, cudaGetErrorName(e));
  cudaMemset(r, 0, sizeof *r);
  fflush(stdout);
}

static void places(const char *what, int n) {
  int p[8];
  cudaError_t e = cudaDeviceSynchronize();
  cudaMemcpy(p, place, sizeof p, cudaMemcpyDeviceToHost);
  printf("order\t%s\t%s", what, cudaGetErrorName(e));
  for (int i = 0; i < n; i++) printf(" %d", p[i]);
  printf("\n");
  cudaMemset(next_, 0, 4);
  cudaMemset(place, 0xff, sizeof p);
  fflush(stdout);
}

int main() {
  int *count, c;
  long long *out, o;
  char *p, *q, bytes[320];
  cudaMalloc(&r, sizeof *r); cudaMalloc(&next_, 4); cudaMalloc(&place, 64); cudaMalloc(&count, 128); cudaMalloc(&out, 8); cudaMalloc(&p, 512); cudaMalloc(&q, 512);
  cudaMemset(r, 0, sizeof *r); cudaMemset(next_, 0, 4); cudaMemset(place, 0xff, 64); cudaMemset(count, 0, 128); cudaMemset(q, 0, 512);
  size_t limit = 0;
  cudaError_t e = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
  printf("limit\tpending\t%s %zu\n", cudaGetErrorName(e), limit);
  e = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);
  printf("limit\tsync depth\t%s %zu\n", cudaGetErrorName(e), limit);
  cudaGetLastError();
  configurations<<<1, 1>>>(r); show("configurations");
  in_order<<<1, 1>>>(next_, place); places("in order", 5);
  forgets<<<1, 1>>>(next_, place); places("forgets", 2);
  outer<<<1, 1>>>(next_, place); places("outer", 4);
  tail_of_tail<<<1, 1>>>(next_, place, 0); places("tail of tail", 4);
  streams<<<1, 1>>>(r, next_, place); places("streams", 3); show("streams");
  many_blocks<<<8, 32>>>(count); add<<<1, 1>>>(count, 1000000); // the host's next launch waits for all
  cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost); printf("result\tmany blocks\t%d\n", c);
  calls<<<1, 1>>>(r, p, q); show("calls");
  cudaMemcpy(bytes, q, 320, cudaMemcpyDeviceToHost); printf("result\tbytes\t%d %d %d %d %d\n", bytes[0], bytes[63], bytes[128], bytes[144], bytes[256]);
  cudaMemset(p, 0, 512); cudaMemset(q, 0, 512);
  fills<<<1, 1>>>(r, p); show("fills"); cudaMemcpy(bytes, p, 320, cudaMemcpyDeviceToHost); printf("result\tfilled\t%d %d %d\n", bytes[0], bytes[63], bytes[64]);
  copies<<<1, 1>>>(r, p, q); show("copies"); cudaMemcpy(bytes, q, 320, cudaMemcpyDeviceToHost); printf("result\tcopied\t%d %d %d\n", bytes[0], bytes[63], bytes[64]);
  copies_back<<<1, 1>>>(r, p, q + 64); show("copies"); cudaMemcpy(bytes, q, 320, cudaMemcpyDeviceToHost); printf("result\tcopied\t%d %d %d\n", bytes[0], bytes[64], bytes[128]);
  cudaMemset(count, 0, 4);
  depth<<<1, 1>>>(r, 0, count); show("depth");
  cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost); printf("result\tdepth\t%d\n", c);
  for (int s = 0; s < 3; s++) {
    cudaMemset(count, 0, 4);
    flood<<<1, 1>>>(r, count, 1000, s); show("flood 1000");
    cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost); printf("result\tflood 1000\t%d %d\n", s, c);
  }
  arguments<<<1, 1>>>(out); cudaMemcpy(&o, out, 8, cudaMemcpyDeviceToHost); printf("result\targuments\t%lld\n", o);
  sees<<<1, 32>>>(count); cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost); printf("result\tsees\t%d\n", c);
  e = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16);
  printf("limit\tset 16\t%s\n", cudaGetErrorName(e));
  cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount); printf("limit\tpending\t%zu\n", limit);
  for (int s = 0; s < 3; s++) {
    cudaMemset(count, 0, 4);
    flood<<<1, 1>>>(r, count, 5000, s); show("flood 5000");
    e = cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost); printf("result\tflood 5000\t%d %s %d\n", s, cudaGetErrorName(e), c);
  }
  printf("end\t%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
