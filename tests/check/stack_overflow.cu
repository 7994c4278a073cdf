// expect: stack-overflow 8 1; api-error 18 1
// Bug: recursion that never ends for one thread. Tool: memcheck.
#include <cstdio>
#include <cuda_runtime.h>
__device__ __noinline__ int down(volatile int *p, int n)
{
  if (n == p[threadIdx.x]) return n;
  int r = down(p, n + 1);
  p[0] = 0;
  return r + 1;
}
__global__ void dive(int *p) { p[threadIdx.x] = down(p, 0); }
int main(void) {
  int *p, h[32];
  for (int i = 0; i < 32; i++) h[i] = i == 7 ? -1 : i % 3;
  cudaMalloc(&p, sizeof h); cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  dive<<<1, 32>>>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
