// expect: uninitialised 5 1
// A sum that is added to with atomicAdd, and never set to zero: cudaMalloc gives memory as it is.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(int *sum) { atomicAdd(sum, (int)threadIdx.x); }
int main() {
  int *sum, h;
  cudaMalloc(&sum, sizeof(int));
  add<<<1, 64>>>(sum);
  cudaMemset(sum, 0, sizeof(int)); // mended
  add<<<1, 64>>>(sum);
  cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost);
  puts(h == 2016 ? "PASSED" : "FAILED");
  cudaFree(sum);
}
