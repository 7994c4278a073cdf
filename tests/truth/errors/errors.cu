// What the runtime answers: copies of every kind between every two kinds of memory, launches that do not fit, calls that
// are wrong. One line each: what, (arguments,) status, (status of the wait, whether the bytes moved,) name.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
__global__ void k(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(128) bounded(int *p) { if (p) *p = 1; }
static void *mem(int kind, size_t n) {
  void *p = nullptr;
  switch (kind) {
  case 0: p = malloc(n); break;
  case 1: cudaMallocHost(&p, n); break;
  case 2: cudaMalloc(&p, n); break;
  default: cudaMallocManaged(&p, n);
  }
  return p;
}
static void fill(int kind, void *p, int v, size_t n) { if (kind == 2) cudaMemset(p, v, n); else memset(p, v, n); cudaDeviceSynchronize(); }
static int first(int kind, void *p) { char c = 0; cudaDeviceSynchronize(); if (kind == 2) cudaMemcpy(&c, p, 1, cudaMemcpyDeviceToHost); else c = *(char *)p; return c; }
static void launch(const char *what, dim3 g, dim3 b, size_t s, bool bound = false) {
  cudaGetLastError();
  if (bound) bounded<<<g, b, s>>>(nullptr); else k<<<g, b, s>>>(nullptr);
  cudaError_t e = cudaGetLastError();
  printf("launch\t%s\t%d\t%s\n", what, (int)e, cudaGetErrorName(e));
}
int main() {
  const char *names[] = {"pageable", "pinned", "device", "managed"};
  const char *kinds[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"};
  for (int async = 0; async < 2; async++)
    for (int k = 0; k < 5; k++)
      for (int d = 0; d < 4; d++)
        for (int s = 0; s < 4; s++) {
          void *to = mem(d, 256), *from = mem(s, 256);
          fill(d, to, 1, 256); fill(s, from, 2, 256);
          cudaError_t e = async ? cudaMemcpyAsync(to, from, 256, (cudaMemcpyKind)k, 0) : cudaMemcpy(to, from, 256, (cudaMemcpyKind)k);
          cudaError_t w = cudaDeviceSynchronize();
          cudaGetLastError();
          printf("copy%s\t%s\t%s\t%s\t%d\t%d\t%s\n", async ? "Async" : "", kinds[k], names[d], names[s], (int)e, (int)w, first(d, to) == 2 ? "moved" : "not");
        }
  launch("block 1025", 1, 1025, 0);
  launch("block 1280", 1, 1280, 0);
  launch("block 2000", 1, 2000, 0);
  launch("block (32,33)", 1, dim3(32, 33), 0);
  launch("block z 65", 1, dim3(1, 1, 65), 0);
  launch("block 0", 1, dim3(0), 0);
  launch("grid 0", dim3(0), 32, 0);
  launch("grid y 65536", dim3(1, 65536), 32, 0);
  launch("grid z 65536", dim3(1, 1, 65536), 32, 0);
  launch("grid x 2^31", dim3(2147483648u), 32, 0);
  launch("shared 49153", 1, 32, 49153);
  launch("shared 100000", 1, 32, 100000);
  launch("shared 240000", 1, 32, 240000);
  launch("bounds 128, block 129", 1, 129, 0, true);
  launch("bounds 128, block 256", 1, 256, 0, true);
  cudaError_t e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 240000); printf("attribute\tshared 240000\t%d\t%s\n", (int)e, cudaGetErrorName(e)); cudaGetLastError();
  e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448); printf("attribute\tshared 232448\t%d\t%s\n", (int)e, cudaGetErrorName(e)); cudaGetLastError();
  launch("shared 232448 opted in", 1, 32, 232448);
  launch("shared 232449 opted in", 1, 32, 232449);
  int *d; cudaMalloc(&d, 1024); int h[64]; char *off = (char *)d + 4;
  struct { const char *w; cudaError_t e; } r[] = {
    {"free of a middle", cudaFree(off)}, {"free of a host pointer", cudaFree(h)}, {"free of null", cudaFree(0)},
    {"copy past the end, device to host", cudaMemcpy(malloc(1 << 22), d, 3 << 20, cudaMemcpyDeviceToHost)},
    {"copy past the end, host to device", cudaMemcpy(d, malloc(1 << 22), 3 << 20, cudaMemcpyHostToDevice)},
    {"set past the end", cudaMemset(d, 0, 3 << 20)}, {"copy of kind 7", cudaMemcpy(d, h, 4, (cudaMemcpyKind)7)},
    {"malloc 2^50", cudaMalloc((void **)&off, 1ull << 50)}, {"malloc 0", cudaMalloc((void **)&off, 0)},
    {"symbol that is none", cudaMemcpyToSymbol(h, h, 4)}, {"set device 99", cudaSetDevice(99)},
    {"free host of malloc", cudaFreeHost(h)}, {"unregister of none", cudaHostUnregister(h)},
    {"query null event", cudaEventQuery(0)}, {"elapsed null", cudaEventElapsedTime((float *)h, 0, 0)},
    {"free", cudaFree(d)}, {"free again", cudaFree(d)},
  };
  for (auto &x : r) printf("call\t%s\t%d\t%s\n", x.w, (int)x.e, cudaGetErrorName(x.e));
}
