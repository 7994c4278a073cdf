// expect: out-of-bounds 7 4; out-of-bounds 7 4
// Bug: a kernel writes past the end of registered host memory, on the same page, where a GPU notices nothing.
// Tool: memcheck; reads of what the host has written are no findings.
#include <cstdio>
#include <cuda_runtime.h>
#include <sys/mman.h>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main(void) {
  int *p = (int *)mmap((void *)0x10000000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  cudaHostRegister(p, 28 * sizeof(int), 0);
  add<<<1, 32>>>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
