// expect: out-of-bounds 5 32
// Bug: a kernel reads memory that was freed. Tool: memcheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(const int *a, int *o) { o[threadIdx.x] = a[threadIdx.x] + 1; }
int main(void) {
  int *a, *o; cudaMalloc(&a, 1024); cudaMalloc(&o, 1024); cudaMemset(a, 0, 1024); cudaFree(a);
  add<<<1, 32>>>(a, o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
