// expect: out-of-bounds 6 96
// flags: --tool memcheck --report-api-errors no
// An index that would land in the next allocation, were there nothing between them.
#include <cuda_runtime.h>
__global__ void k(int *a) {
  a[threadIdx.x + 128] = 0;
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 128 * sizeof(int));
  cudaMalloc(&b, 128 * sizeof(int));
  k<<<1, 96>>>(a);
  cudaDeviceSynchronize();
}
