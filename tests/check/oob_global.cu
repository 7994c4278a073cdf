// expect: out-of-bounds 7 1
// Bug: the bound is tested with <= so one thread writes past the end of the array. Tool: memcheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) a[i] = 2.0f * i;
}
int main(void) {
  const int n = 1024; float *a; cudaMalloc(&a, n * sizeof(float));
  scale<<<5, 256>>>(a, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(a); return 0;
}
