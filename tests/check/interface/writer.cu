// A kernel reads what another has written.
#include <cuda_runtime.h>
__global__ void writer(int *a) { a[threadIdx.x] = 1; }
__global__ void reader(int *a) { a[threadIdx.x] += a[63 - threadIdx.x]; }
int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  writer<<<1, 64>>>(a);
  reader<<<1, 64>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
