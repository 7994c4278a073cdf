// expect: out-of-bounds 6 32
// A kernel is given a pointer to the host's memory. Only memory of cudaMalloc and its relatives is there for kernels.
#include <cstdio>
#include <cuda_runtime.h>
static int h[32];
__global__ void count(int *a) { a[threadIdx.x] = threadIdx.x; }
int main() {
  int *a;
  count<<<1, 32>>>(h);
  cudaMalloc(&a, sizeof h); // mended
  count<<<1, 32>>>(a);
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  puts(h[31] == 31 ? "PASSED" : "FAILED");
  cudaFree(a);
}
