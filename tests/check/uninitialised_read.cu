// expect: uninitialised 5 256
// Bug: the second half of the input was never written. Tool: initcheck.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(const int *a, int *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = a[i] + 1; }
int main(void) {
  int *a, *o; cudaMalloc(&a, 512 * sizeof(int)); cudaMalloc(&o, 512 * sizeof(int));
  cudaMemset(a, 0, 256 * sizeof(int));
  add<<<2, 256>>>(a, o);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
