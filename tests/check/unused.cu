// expect: unused-memory 12 1; unused-memory 13 1
// flags: --tool initcheck --track-unused-memory
// says: Unused __global__ memory in allocation
// says: Not written 2000 bytes, the first at offset 0x190
// says: 83.3333% of allocation were unused.
// says: ERROR SUMMARY: 0 errors, 2 warnings
// Memory that was allocated for nothing.
#include <cuda_runtime.h>
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 600 * sizeof(float));
  cudaMalloc(&b, 10);
  cudaMalloc(&c, 100 * sizeof(float));
  fill<<<1, 100>>>(a);
  fill<<<1, 100>>>(c);
  cudaFree(a);
  cudaDeviceSynchronize();
}
